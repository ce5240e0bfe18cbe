//! `wait_for`: until a text is there or gone, an element is, or the page holds still.

use super::bridge::{Outcome, holds};
use super::run::Run;
use super::tree::is_visible;
use super::walk::now;
use super::walk::walk;
use crate::page::words::{quote, shorten};
use wasm_bindgen::prelude::*;

const PATIENCE: f64 = 5_000.0;
const MOST: f64 = 60_000.0;
const LOOK: f64 = 150.0;
/// How long a page must not change to be at rest.
const STILL: f64 = 500.0;

/// Waits.
pub(super) async fn wait_for(run: &Run) -> Outcome<JsValue> {
    let gone = run.flag("gone");
    let reference = run.text("ref");
    let words = run.text("text");
    let patience = run.number("timeout").unwrap_or(PATIENCE).clamp(0.0, MOST);
    let asked = match (&words, &reference, run.flag("idle")) {
        (Some(words), None, false) => format!("the text {}", quote(&shorten(words, 80))),
        (None, Some(reference), false) => reference.clone(),
        (None, None, true) => "the page to hold still".to_owned(),
        _ => return Err("give exactly one of `text`, `ref` and `idle`".into()),
    };
    // A ref that never was is a mistake, not something to wait for.
    let el = match &reference {
        Some(reference) => match run.page.found(reference) {
            Ok((_, el)) => Some(el),
            Err(_) if gone && run.page.refs.was_given(reference) => None,
            Err(why) => return Err(why),
        },
        None => None,
    };
    let started = now();
    let root = run.page.policy.root()?;
    let watch =
        if words.is_none() && reference.is_none() { Some(run.page.hands.watch(&root, true)) } else { None };
    loop {
        let met = match (&words, &watch) {
            (Some(words), _) => says(run, words).await? != gone,
            (None, Some(watch)) => watch.quiet() >= STILL,
            (None, None) => el.as_ref().is_some_and(|el| super::tree::is_there(el) && is_visible(el)) != gone,
        };
        let waited = now() - started;
        if met {
            let shown = el.filter(|_| !gone);
            return Ok(run.page.report(
                "it is so",
                shown.as_ref(),
                Some(format!("after {} ms", waited as i32)),
            ));
        }
        if waited >= patience {
            let end = if gone { " to be gone" } else { "" };
            return Err(format!(
                "waited {} ms in vain for {asked}{end}; read the page to see how it is",
                waited as i32
            )
            .into());
        }
        run.sleep(LOOK).await?;
    }
}

/// Whether the page says something now.
async fn says(run: &Run, words: &str) -> Outcome<bool> {
    let entries = walk(run, &run.page.policy.root()?, false).await?.snapshot.entries;
    Ok(entries.iter().any(|entry| {
        holds(&entry.name, words) || entry.value.as_deref().is_some_and(|value| holds(value, words))
    }))
}
