//! Writing into editors (`contenteditable`). There is no one way that all take: typing first, which the page may do
//! itself, then a paste; after each it is looked whether the text is there.

use super::bridge::{Outcome, text};
use super::run::Run;
use crate::page::words::same;
use web_sys::Element;

/// How long an editor gets to take in a selection or a text, in milliseconds: they listen to the document, late.
const TICK: f64 = 50.0;

/// Replaces all the text of an editor. Whether it worked is for the caller to read back.
pub(super) async fn fill(run: &Run, el: &Element, value: &str) -> Outcome<()> {
    let hands = &run.page.hands;
    for typing in [true, false] {
        let _ = hands.act("selectAll", &[el]);
        run.sleep(TICK).await?;
        let _ = match (value, typing) {
            ("", _) => hands.act("edit", &[el, &"delete".into()]),
            (_, true) => hands.act("edit", &[el, &"insertText".into(), &value.into()]),
            (_, false) => hands.act("paste", &[el, &value.into()]),
        };
        run.sleep(TICK).await?;
        if same(&text(el, "innerText").unwrap_or_default(), value) || !el.is_connected() {
            break;
        }
    }
    Ok(())
}
