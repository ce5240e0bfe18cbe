//! One call of one tool: what it was given, the time it may take from the page, and which function does it.

use super::bridge::{Outcome, flag, number, text, words};
use super::page::Page;
use std::future::{Future, ready};
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// What the JavaScript around a call lends it.
    #[derive(Debug)]
    pub(super) type Host;
    #[wasm_bindgen(method, catch)]
    fn pause(this: &Host) -> Result<js_sys::Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn sleep(this: &Host, milliseconds: f64) -> Result<js_sys::Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn frame(this: &Host) -> Result<js_sys::Promise, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn after(this: &Host, run: &JsValue) -> Result<(), JsValue>;
}

/// One call.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) page: Rc<Page>,
    pub(super) input: JsValue,
    pub(super) host: Host,
}

impl Run {
    /// A text that was given.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        text(&self.input, key)
    }

    /// A text that must be given.
    pub(super) fn needs(&self, key: &str) -> Outcome<String> {
        self.text(key).ok_or_else(|| format!("`{key}` is missing").into())
    }

    /// Whether something was asked for.
    pub(super) fn flag(&self, key: &str) -> bool {
        flag(&self.input, key)
    }

    /// A number that was given.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        number(&self.input, key)
    }

    /// Lets the page have its turn. An error once the call is no longer wanted.
    pub(super) async fn pause(&self) -> Outcome<()> {
        settled(self.host.pause()).await
    }

    /// Waits.
    pub(super) async fn sleep(&self, milliseconds: f64) -> Outcome<()> {
        settled(self.host.sleep(milliseconds)).await
    }

    /// Waits until the page was painted, or would have been.
    pub(super) async fn frame(&self) -> Outcome<()> {
        settled(self.host.frame()).await
    }

    /// Gives the page time to take in what was done: frameworks render late.
    pub(super) async fn settle(&self) -> Outcome<()> {
        self.sleep(60.0).await?;
        self.frame().await
    }

    /// Runs something once the answer is on its way.
    pub(super) fn after(&self, run: &JsValue) {
        let _ = self.host.after(run);
    }
}

async fn settled(promise: Result<js_sys::Promise, JsValue>) -> Outcome<()> {
    match promise {
        Ok(promise) => JsFuture::from(promise).await.map(|_| ()).map_err(|thrown| words(&thrown).into()),
        Err(thrown) => Err(words(&thrown).into()),
    }
}

type Running<'a> = Pin<Box<dyn Future<Output = Outcome<JsValue>> + 'a>>;

/// Does what a tool is for. Each tool's future is apart, so that none holds room for all.
pub(super) fn run<'a>(name: &str, run: &'a Run) -> Running<'a> {
    match name {
        "read_page" => Box::pin(super::read::read_page(run)),
        "find" => Box::pin(super::find::find(run)),
        "click" => Box::pin(super::click::click(run)),
        "hover" => Box::pin(super::click::hover(run)),
        "fill" => Box::pin(super::fill::fill(run)),
        "select" => Box::pin(super::choose::select(run)),
        "check" => Box::pin(super::choose::check(run)),
        "press" => Box::pin(super::press::press(run)),
        "scroll" => Box::pin(super::view::scroll(run)),
        "highlight" => Box::pin(super::view::highlight(run)),
        "wait_for" => Box::pin(super::wait::wait_for(run)),
        "submit" => Box::pin(super::submit::submit(run)),
        "get_selection" => Box::pin(ready(super::view::selection(run))),
        "navigate" => Box::pin(ready(super::submit::navigate(run))),
        _ => Box::pin(ready(Err("there is no such page tool".into()))),
    }
}
