//! What changed between two snapshots, so that a model need not read a page again to see what an action did.

use super::entry::{Entry, Snapshot, Tag};

/// The lines that came (`+`), became others (`~`) and went (`-`), in the order of the page; empty when nothing did.
#[must_use]
pub fn changes(before: &Snapshot, now: &Snapshot, tag: &Tag) -> Snapshot {
    let known = ById::new(before);
    let stayed = ById::new(now);
    let mut texts = Texts::new(before);
    let mut entries = Vec::new();
    for entry in &now.entries {
        let sign = match (entry.is_text(), known.get(entry.id)) {
            (true, _) => {
                if texts.take(entry) {
                    None
                } else {
                    Some('+')
                }
            }
            (false, None) => Some('+'),
            (false, Some(old)) => {
                if differs(old, entry) {
                    Some('~')
                } else {
                    None
                }
            }
        };
        entries.extend(sign.map(|sign| marked(sign, entry, tag)));
    }
    for entry in &before.entries {
        // What was inside of something that went, goes without saying.
        let told = entry.parent == 0 || stayed.get(entry.parent).is_some();
        let went = if entry.is_text() { texts.take(entry) } else { stayed.get(entry.id).is_none() };
        if went && told {
            entries.push(marked('-', entry, tag));
        }
    }
    Snapshot { entries }
}

/// The elements of a snapshot by their numbers, which lie close together.
struct ById<'a> {
    first: u32,
    entries: Vec<Option<&'a Entry>>,
}

impl<'a> ById<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let ids = || snapshot.entries.iter().map(|entry| entry.id).filter(|id| *id != 0);
        let first = ids().min().unwrap_or(1);
        let count = ids().max().map_or(0, |last| (last - first) as usize + 1);
        let mut entries = vec![None; count];
        for entry in &snapshot.entries {
            if let Some(place) = entry.id.checked_sub(first).and_then(|at| entries.get_mut(at as usize)) {
                *place = Some(entry);
            }
        }
        Self { first, entries }
    }

    fn get(&self, id: u32) -> Option<&'a Entry> {
        *self.entries.get(id.checked_sub(self.first)? as usize)?
    }
}

/// The texts of a snapshot, each to be taken once. They are looked for from where the last one was: most are in order.
struct Texts<'a> {
    texts: Vec<(&'a Entry, bool)>,
    next: usize,
}

impl<'a> Texts<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            texts: snapshot
                .entries
                .iter()
                .filter(|entry| entry.is_text())
                .map(|entry| (entry, false))
                .collect(),
            next: 0,
        }
    }

    fn take(&mut self, text: &Entry) -> bool {
        let fits = |(known, taken): &(&Entry, bool)| {
            !*taken && known.parent == text.parent && known.name == text.name
        };
        let ahead = self.texts.iter().skip(self.next).position(fits).map(|at| at + self.next);
        let found = ahead.or_else(|| self.texts.iter().position(fits));
        if let Some((at, (_, taken))) = found.and_then(|at| Some((at, self.texts.get_mut(at)?))) {
            *taken = true;
            self.next = at + 1;
            return true;
        }
        false
    }
}

fn differs(old: &Entry, new: &Entry) -> bool {
    old.role != new.role || old.name != new.name || old.value != new.value || old.marks != new.marks
}

/// A change is a line of its own that says where it is; a line that went says only what it was.
fn marked(sign: char, entry: &Entry, tag: &Tag) -> Entry {
    let mut marks = entry.marks.clone();
    if entry.parent != 0 && sign == '+' {
        marks.push_str(" in ");
        marks.push_str(&tag.reference(entry.parent));
    }
    let reference = if entry.is_text() { String::new() } else { format!("{} ", tag.reference(entry.id)) };
    Entry { id: 0, depth: 0, role: format!("{sign} {reference}{}", entry.role), marks, ..entry.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::entry::tests::{entry, tag};
    use super::*;

    fn under(parent: u32, one: Entry) -> Entry {
        Entry { parent, ..one }
    }

    fn told(before: Vec<Entry>, now: Vec<Entry>) -> Vec<String> {
        let found = changes(&Snapshot { entries: before }, &Snapshot { entries: now }, &tag());
        found.entries.iter().map(|one| one.line(&tag())).collect()
    }

    #[test]
    fn nothing_changed() {
        let page = || {
            vec![
                entry(1, 0, "main", ""),
                under(1, entry(0, 1, "text", "Hi")),
                under(1, entry(0, 1, "text", "Hi")),
            ]
        };
        assert!(told(page(), page()).is_empty());
    }

    #[test]
    fn what_came_became_another_and_went() {
        let before = vec![
            entry(1, 0, "main", ""),
            under(1, entry(2, 1, "button", "Save")),
            under(1, entry(3, 1, "link", "Help")),
            under(1, entry(0, 1, "text", "0 items")),
        ];
        let mut saved = under(1, entry(2, 1, "button", "Save"));
        saved.marks.push_str(" disabled");
        let now = vec![
            entry(1, 0, "main", ""),
            saved,
            under(1, entry(4, 1, "alert", "Saved")),
            under(1, entry(0, 1, "text", "1 item")),
        ];
        assert_eq!(
            told(before, now),
            [
                "~ bkt2 button \"Save\" disabled",
                "+ bkt4 alert \"Saved\" in bkt1",
                "+ text \"1 item\" in bkt1",
                "- bkt3 link \"Help\"",
                "- text \"0 items\""
            ]
        );
    }

    #[test]
    fn what_was_inside_of_something_that_went_is_not_told_of() {
        let before = vec![
            entry(1, 0, "dialog", "Sure?"),
            under(1, entry(2, 1, "button", "Yes")),
            under(2, entry(0, 2, "text", "really")),
        ];
        assert_eq!(told(before, vec![]), ["- bkt1 dialog \"Sure?\""]);
    }

    #[test]
    fn one_of_two_equal_texts_went() {
        let page = |count| (0..count).map(|_| entry(0, 0, "text", "Hi")).collect();
        assert_eq!(told(page(2), page(1)), ["- text \"Hi\""]);
    }
}
