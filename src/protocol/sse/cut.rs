//! What a chunk's end leaves behind: the open block's parts and the line it cut in two.
//!
//! Every byte is copied once, into the buffer it will be read from; only the few that tell a cut
//! line's field are looked at again. So an event over many chunks costs what it is long.

use super::line::{self, Field, Head};
use super::{Lent, MAX_FIELD_BYTES, SseItem, SseParser};
use std::mem;

/// A line whose end has not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// None: the next byte begins a line.
    No,
    /// So far too short to tell the field; its bytes are in `short`.
    Head,
    /// Its value goes to `data` as it comes.
    Data,
    /// Its value goes to `short` as it comes.
    Short(Field),
    /// A comment; its text is of no interest.
    Comment,
    /// Can no longer mean anything.
    Ignored,
}

impl SseParser {
    /// Copies what the next chunk will still need.
    pub(super) fn keep(&mut self, lent: Lent<'_>) {
        if let Some(name) = lent.name {
            self.name.clear();
            self.name.extend_from_slice(name);
        }
        if let Some(data) = lent.data {
            self.data.extend_from_slice(data);
            self.has_data = true;
        }
    }

    /// Takes in bytes of a line that a chunk's end has cut. No byte is looked at twice but the few
    /// that tell the field.
    pub(super) fn grow_cut_line(&mut self, bytes: &[u8], sink: &mut impl FnMut(SseItem<'_>)) {
        let mut rest = bytes;
        if self.cut == Cut::No {
            self.short.clear();
            self.cut = Cut::Head;
        }
        while self.cut == Cut::Head {
            let Some((&byte, tail)) = rest.split_first() else {
                return;
            };
            rest = tail;
            self.short.push(byte);
            self.cut = match line::guess(&self.short) {
                Head::Open => Cut::Head,
                Head::Comment => Cut::Comment,
                Head::Nothing => Cut::Ignored,
                Head::Field(Field::Data, first) => {
                    self.open_cut_data();
                    self.grow_cut_value(Cut::Data, first.as_slice(), sink)
                }
                Head::Field(field, first) => {
                    self.short.clear();
                    self.grow_cut_value(Cut::Short(field), first.as_slice(), sink)
                }
            };
        }
        self.cut = self.grow_cut_value(self.cut, rest, sink);
    }

    fn open_cut_data(&mut self) {
        if self.has_data {
            self.data.push(b'\n');
        }
    }

    fn grow_cut_value(&mut self, cut: Cut, bytes: &[u8], sink: &mut impl FnMut(SseItem<'_>)) -> Cut {
        match cut {
            Cut::Data if self.oversized => return Cut::Ignored,
            Cut::Data => {
                if self.data.len().saturating_add(bytes.len()) > self.limits.max_event_bytes {
                    self.exceed(&mut Lent::default(), sink);
                    return Cut::Ignored;
                }
                self.data.extend_from_slice(bytes);
            }
            Cut::Short(field) => {
                if self.short.len().saturating_add(bytes.len()) > MAX_FIELD_BYTES {
                    if field == Field::Name {
                        self.exceed(&mut Lent::default(), sink);
                    }
                    return Cut::Ignored;
                }
                self.short.extend_from_slice(bytes);
            }
            Cut::No | Cut::Head | Cut::Comment | Cut::Ignored => {}
        }
        cut
    }

    pub(super) fn end_cut_line(&mut self, sink: &mut impl FnMut(SseItem<'_>)) {
        match mem::replace(&mut self.cut, Cut::No) {
            Cut::Comment => sink(SseItem::Comment),
            Cut::Data => self.has_data = true,
            Cut::Head => {
                let line = mem::take(&mut self.short);
                let mut lent = Lent::default();
                self.whole_line(&line, &mut lent, sink);
                self.keep(lent);
                self.short = line;
            }
            Cut::Short(field) => {
                let value = mem::take(&mut self.short);
                self.short_field(field, &value, sink);
                self.short = value;
            }
            Cut::No | Cut::Ignored => {}
        }
    }
}
