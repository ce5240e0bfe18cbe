//! What an element is like at the moment: its value and its states, in words, as they may be told.

use super::bridge::{flag, get, number, some, text, text_for};
use super::policy::Policy;
use super::tree::{as_element, is_editor, kind};
use crate::page::mask::{PRIVATE, without_cards};
use crate::page::words::{is_one_of, joined, quote, shorten, squeeze};
use web_sys::Element;

const LONGEST_VALUE: usize = 200;
/// How many options of a list are told.
const OPTIONS: usize = 12;

/// What a field holds, as it may be told; nothing for what is no field.
pub(super) fn value_of(policy: &Policy, el: &Element, tag: &str, role: &str) -> Option<String> {
    let raw = raw_value(el, tag, role)?;
    Some(shorten(&squeeze(&policy.told(el, &raw)), LONGEST_VALUE))
}

/// What a field holds. Never goes out as it is.
pub(super) fn raw_value(el: &Element, tag: &str, role: &str) -> Option<String> {
    match tag {
        "input" => match kind(el).as_str() {
            "checkbox" | "radio" | "submit" | "button" | "reset" | "image" | "hidden" => None,
            "file" => Some(files(el)),
            _ => text(el, "value"),
        },
        "textarea" => text(el, "value"),
        "select" => Some(selected_text(el)),
        "progress" | "meter" => number(el, "value").map(text_for),
        _ if is_editor(el) => Some(text(el, "innerText").unwrap_or_default()),
        _ => {
            let told = el.get_attribute("aria-valuetext").or_else(|| el.get_attribute("aria-valuenow"));
            match role {
                "slider" | "spinbutton" | "progressbar" | "meter" | "scrollbar" => told,
                "combobox" | "textbox" | "searchbox" => told.or_else(|| text(el, "value")),
                _ => None,
            }
        }
    }
}

fn files(el: &Element) -> String {
    let Some(files) = some(el, "files") else { return String::new() };
    joined(
        &js_sys::Array::from(&files).iter().filter_map(|file| text(&file, "name")).collect::<Vec<_>>(),
        ", ",
    )
}

/// The options of a native list.
pub(super) fn options(el: &Element) -> Vec<Element> {
    js_sys::Array::from(&get(el, "options")).iter().filter_map(|one| as_element(&one)).collect()
}

/// What an option says.
pub(super) fn label_of(option: &Element) -> String {
    without_cards(&squeeze(&text(option, "label").unwrap_or_default()))
}

/// What the browser has against a field's value: its words may quote the value.
pub(super) fn problem_of(policy: &Policy, el: &Element) -> String {
    if policy.is_private(el) || policy.is_secret(el) {
        return "its value is not valid".to_owned();
    }
    without_cards(&squeeze(&text(el, "validationMessage").unwrap_or_default()))
}

/// The chosen options of a native list.
pub(super) fn selected_text(el: &Element) -> String {
    let chosen: Vec<_> = options(el).iter().filter(|one| flag(one, "selected")).map(label_of).collect();
    joined(&chosen, ", ")
}

/// Whether a control is on: the control's own word, or ARIA's.
pub(super) fn checked(el: &Element, tag: &str) -> Option<&'static str> {
    if tag == "input" && matches!(kind(el).as_str(), "checkbox" | "radio") {
        return Some(match (flag(el, "indeterminate"), flag(el, "checked")) {
            (true, _) => "mixed",
            (false, true) => "checked",
            (false, false) => "unchecked",
        });
    }
    match el.get_attribute("aria-checked").as_deref() {
        Some("true") => Some("checked"),
        Some("mixed") => Some("mixed"),
        Some("false") => Some("unchecked"),
        _ => None,
    }
}

/// Whether a control is disabled, natively or by ARIA.
pub(super) fn is_disabled(el: &Element) -> bool {
    el.matches(":disabled").unwrap_or(false) || el.closest("[aria-disabled=true]").ok().flatten().is_some()
}

/// States and properties, in words with a space before each.
pub(super) fn marks_of(policy: &Policy, el: &Element, tag: &str, role: &str) -> String {
    let mut marks = String::new();
    let mut add = |on: bool, word: &str| {
        if on {
            marks.push(' ');
            marks.push_str(word);
        }
    };
    let is = |selector: &str| el.matches(selector).unwrap_or(false);
    if role == "heading" {
        let level = el.get_attribute("aria-level").or_else(|| tag.strip_prefix('h').map(ToOwned::to_owned));
        let level = level.filter(|level| level.parse::<u8>().is_ok()).unwrap_or_default();
        add(!level.is_empty(), "level");
        add(!level.is_empty(), &level);
    }
    if is_one_of(role, "checkbox radio switch menuitemcheckbox menuitemradio option treeitem") {
        let state = checked(el, tag).unwrap_or_default();
        add(!state.is_empty(), state);
    }
    add(is_disabled(el), "disabled");
    add(is("[aria-expanded=true], details[open] > summary"), "expanded");
    add(is("[aria-expanded=false], details:not([open]) > summary"), "collapsed");
    add(is("[aria-pressed=true]"), "pressed");
    add(is("[aria-selected=true]"), "selected");
    add(is(":required, [aria-required=true]"), "required");
    add(flag(el, "readOnly") || is("[aria-readonly=true]"), "read-only");
    add(is("[aria-invalid]:not([aria-invalid=false])"), "invalid");
    add(is("[aria-busy=true]"), "busy");
    add(is("[aria-modal=true], dialog:modal"), "modal");
    add(is("[aria-current]:not([aria-current=false])"), "current");
    add(is("[aria-haspopup]:not([aria-haspopup=false])"), "opens a popup");
    add(is_focused(el), "focused");
    if tag == "input" {
        let kind = kind(el);
        add(
            is_one_of(&kind, "date time datetime-local month week color number range file email password"),
            &kind,
        );
    }
    if tag == "select" {
        add(true, &options_told(policy, el));
    }
    marks
}

/// The options of a list, as far as they are told.
pub(super) fn options_told(policy: &Policy, el: &Element) -> String {
    let all = options(el);
    if policy.is_private(el) {
        return format!("{} private options", all.len());
    }
    let told: Vec<_> = all
        .iter()
        .take(OPTIONS)
        .map(|one| if policy.is_private(one) { quote(PRIVATE) } else { quote(&shorten(&label_of(one), 60)) })
        .collect();
    let more = all.len().saturating_sub(OPTIONS);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("options {}{rest}", joined(&told, ", "))
}

/// Whether it has the focus in its document or shadow root.
pub(super) fn is_focused(el: &Element) -> bool {
    as_element(&get(&el.get_root_node(), "activeElement")).is_some_and(|active| active == *el)
        && !is_one_of(&el.local_name(), "body html iframe")
}
