//! Writing JSON text by hand: a body is a few members and much text that must not be touched.
//!
//! Only text known to be JSON goes in unquoted, so what comes out is always JSON.

use super::JsonText;

/// An object being written; `end` closes it.
pub(crate) struct Object<'o> {
    out: &'o mut String,
    is_empty: bool,
}

impl<'o> Object<'o> {
    pub(crate) fn begin(out: &'o mut String) -> Self {
        out.push('{');
        Self { out, is_empty: true }
    }

    pub(crate) fn end(self) {
        self.out.push('}');
    }

    fn name(&mut self, name: &str) -> &mut String {
        if !self.is_empty {
            self.out.push(',');
        }
        self.is_empty = false;
        quote(self.out, name);
        self.out.push(':');
        self.out
    }

    pub(crate) fn text(&mut self, name: &str, text: &str) {
        quote(self.name(name), text);
    }

    pub(crate) fn optional_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    pub(crate) fn number(&mut self, name: &str, number: u64) {
        self.name(name).push_str(&number.to_string());
    }

    pub(crate) fn flag(&mut self, name: &str, flag: bool) {
        self.name(name).push_str(if flag { "true" } else { "false" });
    }

    pub(crate) fn optional_flag(&mut self, name: &str, flag: Option<bool>) {
        if let Some(flag) = flag {
            self.flag(name, flag);
        }
    }

    /// Text that is known to be JSON.
    pub(crate) fn raw(&mut self, name: &str, json: &str) {
        self.name(name).push_str(json);
    }

    pub(crate) fn json(&mut self, name: &str, json: JsonText<'_>) {
        self.raw(name, json.get());
    }

    pub(crate) fn optional_json(&mut self, name: &str, json: Option<JsonText<'_>>) {
        if let Some(json) = json {
            self.json(name, json);
        }
    }

    pub(crate) fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        let mut inner = Object::begin(self.name(name));
        write(&mut inner);
        inner.end();
    }

    pub(crate) fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(T, &mut Object<'_>),
    ) {
        array(self.name(name), items, write);
    }
}

/// Writes an array of objects.
pub(crate) fn array<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut Object<'_>),
) {
    out.push('[');
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        let mut inner = Object::begin(out);
        write(item, &mut inner);
        inner.end();
    }
    out.push(']');
}

/// Writes a JSON string.
pub(crate) fn quote(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(place) = rest.find(|letter: char| letter < ' ' || letter == '"' || letter == '\\') {
        let (plain, tail) = rest.split_at_checked(place).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut letters = tail.chars();
        match letters.next() {
            Some('\n') => out.push_str("\\n"),
            Some('\t') => out.push_str("\\t"),
            Some('\r') => out.push_str("\\r"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(letter) if letter < ' ' => {
                out.push_str(if letter < '\u{10}' { "\\u000" } else { "\\u001" });
                out.push(char::from_digit(u32::from(letter) % 16, 16).unwrap_or('0'));
            }
            Some(letter) => {
                out.push('\\');
                out.push(letter);
            }
            None => {}
        }
        rest = letters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}
