//! One line of a snapshot, and a snapshot. Plain data: names and values are one line each and already masked.

use super::words::quote;

/// An element that has a line of its own, or a stretch of text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The element's number; 0 for text.
    pub id: u32,
    /// The number of the nearest element above that has one; 0 at the top.
    pub parent: u32,
    /// How many lines it is inside of.
    pub depth: u32,
    /// The role; `text` for text.
    pub role: String,
    /// The name, or the text.
    pub name: String,
    /// What a field holds.
    pub value: Option<String>,
    /// States and properties, in words with a space before each: ` checked`, ` level 2`.
    pub marks: String,
    /// How much it matters when something must be left out: 0 least, 4 most.
    pub weight: u8,
}

/// What stands before the numbers of one document's elements: a number of another document is told by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag(pub String);

impl Tag {
    /// The reference of an element.
    #[must_use]
    pub fn reference(&self, id: u32) -> String {
        format!("{}{id}", self.0)
    }

    /// Reads a reference: the number, or nothing if it is of another document or none at all.
    #[must_use]
    pub fn read(&self, reference: &str) -> Option<u32> {
        let digits = reference.trim().strip_prefix(self.0.as_str())?;
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if plain { digits.parse().ok().filter(|id| *id > 0) } else { None }
    }
}

impl Entry {
    /// The line without what is around it: `b7k12 button "Save" disabled`.
    #[must_use]
    pub fn line(&self, tag: &Tag) -> String {
        let mut out = String::new();
        if self.id != 0 {
            out.push_str(&tag.reference(self.id));
            out.push(' ');
        }
        out.push_str(&self.role);
        if !self.name.is_empty() {
            out.push(' ');
            out.push_str(&quote(&self.name));
        }
        if let Some(value) = &self.value {
            out.push_str(" = ");
            out.push_str(&quote(value));
        }
        out.push_str(&self.marks);
        out
    }

    /// What it says beside its role: a text, or what a field holds; nothing for what only holds other things.
    pub(super) fn said(&self) -> Option<&str> {
        let said = if self.is_text() { &self.name } else { self.value.as_ref().unwrap_or(&self.name) };
        Some(said.as_str()).filter(|said| !said.is_empty())
    }

    /// Puts something else in the place of what it says.
    pub(super) fn mask(&mut self, mask: &str) {
        match &mut self.value {
            Some(value) => mask.clone_into(value),
            None => mask.clone_into(&mut self.name),
        }
    }

    /// Whether it is a stretch of text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.id == 0
    }
}

/// What a page was like at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// In the order of the page.
    pub entries: Vec<Entry>,
}

impl Snapshot {
    /// Puts text that is all there is inside an element beside its role, and drops elements that say nothing.
    pub fn tidy(&mut self) {
        let mut tidy: Vec<Entry> = Vec::with_capacity(self.entries.len());
        let mut rest = std::mem::take(&mut self.entries).into_iter().peekable();
        while let Some(mut entry) = rest.next() {
            if entry.is_text() || !entry.name.is_empty() {
                tidy.push(entry);
                continue;
            }
            let alone = rest.next_if(|next| next.is_text() && next.depth == entry.depth + 1);
            if let Some(text) = alone {
                if rest.peek().is_some_and(|next| next.depth > entry.depth) {
                    tidy.push(entry);
                    tidy.push(text);
                } else {
                    entry.name = text.name;
                    tidy.push(entry);
                }
                continue;
            }
            let empty = rest.peek().is_none_or(|next| next.depth <= entry.depth);
            let says = entry.weight >= 3 || entry.value.is_some() || !entry.marks.is_empty();
            if !empty || says {
                tidy.push(entry);
            }
        }
        self.entries = tidy;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn entry(id: u32, depth: u32, role: &str, name: &str) -> Entry {
        Entry { id, depth, role: role.to_owned(), name: name.to_owned(), weight: 2, ..Entry::default() }
    }

    pub(crate) fn tag() -> Tag {
        Tag("bkt".to_owned())
    }

    #[test]
    fn reads_its_own_references_only() {
        assert_eq!(tag().read("bkt12"), Some(12));
        for other in ["bkd12", "12", "bkt", "bkt1x", "bkt-1", "bkt0", "bkt99999999999", "", "bkt１"] {
            assert_eq!(tag().read(other), None, "{other}");
        }
    }

    #[test]
    fn a_line_says_all_there_is() {
        let mut one = entry(3, 0, "textbox", "Your \"nick\"");
        one.value = Some("Ann".to_owned());
        one.marks = " required invalid".to_owned();
        assert_eq!(one.line(&tag()), r#"bkt3 textbox "Your \"nick\"" = "Ann" required invalid"#);
        assert_eq!(entry(0, 0, "text", "Hi").line(&tag()), r#"text "Hi""#);
    }

    #[test]
    fn text_alone_moves_beside_its_role_and_nothing_stays_that_says_nothing() {
        let mut snapshot = Snapshot {
            entries: vec![
                entry(1, 0, "list", ""),
                entry(2, 1, "listitem", ""),
                entry(0, 2, "text", "Tea"),
                entry(3, 1, "listitem", ""),
                entry(0, 2, "text", "Milk"),
                entry(4, 2, "button", "Remove"),
                entry(5, 1, "listitem", ""),
            ],
        };
        snapshot.tidy();
        let lines: Vec<_> = snapshot.entries.iter().map(|one| one.line(&tag())).collect();
        let expected = [
            "bkt1 list",
            "bkt2 listitem \"Tea\"",
            "bkt3 listitem",
            "text \"Milk\"",
            "bkt4 button \"Remove\"",
        ];
        assert_eq!(lines, expected);
    }
}
