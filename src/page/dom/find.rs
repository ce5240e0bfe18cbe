//! `find`: elements by what they say, their role or their name, each with its reference.

use super::bridge::{Outcome, holds};
use super::read::read;
use super::run::Run;
use crate::page::entry::Entry;
use crate::page::render::NOTICE;
use crate::page::words::{joined, quote, shorten};
use wasm_bindgen::prelude::*;

const FEW: f64 = 20.0;
const MOST: f64 = 200.0;

/// Finds.
pub(super) async fn find(run: &Run) -> Outcome<JsValue> {
    let (words, role, name) = (run.text("text"), run.text("role"), run.text("name"));
    if words.is_none() && role.is_none() && name.is_none() {
        return Err("give at least one of `text`, `role` and `name`".into());
    }
    let most = run.number("limit").unwrap_or(FEW).clamp(1.0, MOST) as usize;
    let page = &run.page;
    let (reading, _) = read(run, &page.policy.root()?, false).await?;
    let mut holders = reading.holders.into_iter();
    let mut found = Vec::new();
    let mut total = 0;
    for mut entry in reading.snapshot.entries {
        // The element a text is in has no line of its own: here it gets a reference.
        let holder = if entry.is_text() { holders.next() } else { None };
        if !fits(&entry, words.as_deref(), role.as_deref(), name.as_deref()) {
            continue;
        }
        total += 1;
        if found.len() == most {
            continue;
        }
        if let Some(holder) = holder {
            entry.id = page.refs.id(&holder);
            if page.refs.told(entry.id).is_none() {
                page.tell(&holder, entry.id, "", "");
            }
        }
        entry.name = shorten(&entry.name, 200);
        let within = if entry.parent == 0 {
            String::new()
        } else {
            format!(" in {}", page.refs.tag.reference(entry.parent))
        };
        found.push(format!("{}{within}\n", entry.line(&page.refs.tag)));
    }
    let note = match (total, found.len()) {
        (0, _) => "[nothing on the page matches]".to_owned(),
        (total, shown) if total > shown => {
            format!("[{shown} of {total} matches: say more to narrow them down]")
        }
        (total, _) => format!("[{total} found]"),
    };
    let search: Vec<String> = [("text", &words), ("role", &role), ("name", &name)]
        .into_iter()
        .filter_map(|(key, given)| {
            given.as_ref().map(|given| format!("{key} {}", quote(&shorten(given, 80))))
        })
        .collect();
    Ok(format!("{NOTICE}\nsearch for {}\n{}{note}", joined(&search, ", "), found.concat()).into())
}

fn fits(entry: &Entry, words: Option<&str>, role: Option<&str>, name: Option<&str>) -> bool {
    let said = |part: &str| {
        holds(&entry.name, part) || entry.value.as_deref().is_some_and(|value| holds(value, part))
    };
    words.is_none_or(said)
        && role.is_none_or(|role| entry.role.eq_ignore_ascii_case(role.trim()))
        && name.is_none_or(|name| !entry.is_text() && holds(&entry.name, name))
}
