//! `read_page`: the page, a part of it, or what changed in it, as text.

use super::bridge::{Outcome, text};
use super::run::Run;
use super::walk::{Reading, walk};
use crate::page::diff::changes;
use crate::page::mask::without_cards;
use crate::page::render::{NOTICE, lines};
use crate::page::words::{quote, shorten, squeeze};
use wasm_bindgen::prelude::*;
use web_sys::Element;

const LIMIT: f64 = 12_000.0;
const LEAST: f64 = 200.0;
const MOST: f64 = 200_000.0;
/// How often a page that is rebuilt while it is read is read again.
const AGAIN: usize = 1;

/// Reads.
pub(super) async fn read_page(run: &Run) -> Outcome<JsValue> {
    let page = &run.page;
    let root = match run.text("ref") {
        Some(reference) => page.found(&reference)?.1,
        None => page.policy.root()?,
    };
    let viewport = run.flag("viewport");
    let limit = run.number("limit").unwrap_or(LIMIT).clamp(LEAST, MOST) as usize;
    let (reading, moved) = read(run, &root, viewport).await?;
    let Reading { mut snapshot, cut, .. } = reading;
    // Each of what follows may take some milliseconds of a large page: reading, writing, and what the caller does.
    run.pause().await?;
    snapshot.tidy();
    let key = format!("{} {viewport}", page.refs.id(&root));
    let before = page.last.replace(Some((key.clone(), snapshot.clone())));

    let mut notes: Vec<String> = Vec::new();
    let shown = match before.filter(|(of, _)| run.flag("changes") && *of == key) {
        Some((_, before)) => {
            let found = changes(&before, &snapshot, &page.refs.tag);
            let count = found.entries.len();
            notes.push(if count == 0 {
                "nothing changed since the last snapshot".to_owned()
            } else {
                format!("{count} changes since the last snapshot: + is new, ~ is different, - is gone")
            });
            found
        }
        None => {
            if run.flag("changes") {
                notes.push("there was no earlier snapshot of this: here is all of it".to_owned());
            }
            snapshot
        }
    };
    let (body, left_out) = lines(&shown, &page.refs.tag, limit);
    notes.extend(left_out.map(|note| format!("{note}; give a ref to read a part, or a larger limit")));
    if cut {
        notes.push("the page has more than a snapshot can hold".to_owned());
    }
    if moved {
        notes.push("the page was being rebuilt while it was read".to_owned());
    }
    run.pause().await?;
    let notes: String = notes.iter().map(|note| format!("[{note}]\n")).collect();
    Ok(format!("{NOTICE}\n{}\n{body}{notes}", heading(run)).trim_end().into())
}

/// Reads, and once more if the page was rebuilt meanwhile.
pub(super) async fn read(run: &Run, root: &Element, viewport: bool) -> Outcome<(Reading, bool)> {
    let mut left = AGAIN;
    loop {
        let watch = run.page.hands.watch(root, false);
        let reading = walk(run, root, viewport).await?;
        let moved = watch.saw();
        if !moved || left == 0 {
            return Ok((reading, moved));
        }
        left -= 1;
    }
}

/// Which page it is and what of it is in the window.
fn heading(run: &Run) -> String {
    let told = run.page.hands.act("where", &[]);
    let part =
        |key: &str, most| shorten(&without_cards(&squeeze(&text(&told, key).unwrap_or_default())), most);
    format!("page {} {} {}", quote(&part("title", 120)), part("address", 300), part("scrolled", 120))
}
