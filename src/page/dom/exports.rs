//! What the page WASM exports: one object that runs the tools by their names. Nothing here may trap over what
//! JavaScript gives it, and a call's promise always settles.

use super::page::Page;
use super::run::{Host, Run, run};
use crate::page::words::quote;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

/// The tools of one page.
#[wasm_bindgen(js_name = RawPage)]
#[derive(Debug)]
pub struct RawPage {
    page: Rc<Page>,
}

#[wasm_bindgen(js_class = RawPage)]
impl RawPage {
    /// Takes `{ root?, allow?, deny?, mask? }` and what the page does for the tools.
    ///
    /// # Errors
    /// An `Error` that names the option which is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue, hands: JsValue) -> Result<RawPage, JsError> {
        Ok(Self { page: Rc::new(Page::new(options, hands).map_err(|fail| JsError::new(&fail.why))?) })
    }

    /// Runs a tool. Rejects with an `Error` whose message is the model's.
    pub fn run(&self, name: String, input: JsValue, host: JsValue) -> js_sys::Promise {
        let call = Run { page: Rc::clone(&self.page), input, host: host.unchecked_into::<Host>() };
        future_to_promise(async move {
            run(&name, &call).await.map_err(|fail| JsError::new(&call.page.words(&fail)).into())
        })
    }

    /// The element of a reference in words for people: `button "Save"`. Nothing when it is not there.
    #[wasm_bindgen(js_name = inWords)]
    #[must_use]
    pub fn in_words(&self, reference: &str) -> Option<String> {
        let (_, el) = self.page.found(reference).ok()?;
        let (role, name) = self.page.called(&el);
        Some(if name.is_empty() { role } else { [&role, " ", &quote(&name)].concat() })
    }

    /// The role and the name of an element, as the tools tell them: `[role, name]`.
    #[must_use]
    pub fn called(&self, element: &JsValue) -> js_sys::Array {
        let called = super::tree::as_element(element).map(|el| self.page.called(&el)).unwrap_or_default();
        js_sys::Array::of2(&called.0.into(), &called.1.into())
    }
}
