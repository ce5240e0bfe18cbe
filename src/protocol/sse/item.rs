//! What a parser hands out: events lent from its buffers, and the few other things a stream says.
//!
//! Everything here lives as long as one call of the sink; who wants to keep it copies it.

use std::borrow::Cow;

/// One thing a stream said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SseItem<'a> {
    /// A block with data ended.
    Event(SseEvent<'a>),
    /// A comment line ended: the server lives. Its text means nothing.
    Comment,
    /// The server asks for this many milliseconds before a reconnect.
    Retry(u64),
    /// The block at hand has more data, or a longer name, than is taken from a server. Said once, as
    /// soon as the bound is passed and not at the block's end, which may never come; the rest of the
    /// block is skipped.
    Oversized {
        /// The event's name as far as the block has said it; empty where it has not.
        name: Cow<'a, str>,
        /// The block's own id as far as it has said it.
        id: Option<&'a str>,
        /// The bound that was passed, in bytes.
        limit: usize,
    },
}

/// An event: its text is decoded when it is asked for, bad UTF-8 as a browser does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    name: &'a [u8],
    data: &'a [u8],
    last_id: &'a str,
    own_id: bool,
}

impl<'a> SseEvent<'a> {
    pub(super) fn new(name: &'a [u8], data: &'a [u8], last_id: &'a str, own_id: bool) -> Self {
        Self { name, data, last_id, own_id }
    }

    /// The event's name; empty when the block gave none.
    #[must_use]
    pub fn name(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.name)
    }

    /// What a browser would call the event's type: its name, else `message`.
    #[must_use]
    pub fn kind(&self) -> Cow<'a, str> {
        if self.name.is_empty() { Cow::Borrowed("message") } else { self.name() }
    }

    /// The data lines, joined by line feeds.
    #[must_use]
    pub fn data(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.data)
    }

    /// The name's bytes as they came: what a look at the name costs least.
    #[must_use]
    pub fn name_bytes(&self) -> &'a [u8] {
        self.name
    }

    /// The data's bytes as they came, joined by line feeds.
    #[must_use]
    pub fn data_bytes(&self) -> &'a [u8] {
        self.data
    }

    /// The id in force, which may be an earlier block's.
    #[must_use]
    pub fn last_event_id(&self) -> &'a str {
        self.last_id
    }

    /// The id, if this very block gave it. A frame without one of its own is transient.
    #[must_use]
    pub fn own_id(&self) -> Option<&'a str> {
        self.own_id.then_some(self.last_id)
    }
}
