//! Server-sent events out of bytes, as a browser's own `EventSource` reads them.
//!
//! Chunks come in as the network cut them, items go out as soon as their last byte is there; where
//! the cuts were must never show. A block that lies whole in one chunk is lent from the chunk and
//! copied nowhere; only what a chunk's end cuts in two is buffered, each byte once. Text is decoded
//! when somebody asks for it, so a frame nobody listens to costs a scan for line ends and no more.
//! Nothing here may reconnect, keep time or know what an event means.

mod cut;
mod item;
mod line;

pub use item::{SseEvent, SseItem};

use cut::Cut;
use line::{Field, Line};
use std::mem;

/// What a parser accepts from a server it does not trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of data one event may have. A larger one is reported once, skipped to its end, and the
    /// stream goes on.
    pub max_event_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_event_bytes: 8 * 1024 * 1024 }
    }
}

/// Event names, ids and retry values longer than this are not kept: an id or a retry is ignored, as
/// a browser ignores a bad one, and an event with such a name counts as too large.
pub const MAX_FIELD_BYTES: usize = 4096;

/// What a buffer may keep of its size once an event is out, so that one giant does not stay for ever.
const KEPT_BYTES: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How much of the byte order mark the stream's first bytes have matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Matched(usize),
    Over,
}

/// The parser of one stream.
#[derive(Debug)]
pub struct SseParser {
    limits: Limits,
    start: Start,
    after_return: bool,
    cut: Cut,
    short: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    oversized: bool,
    own_id: bool,
    block_id: String,
    last_id: String,
}

/// The part of a block that lies in the chunk at hand and needs no copy.
#[derive(Default)]
struct Lent<'c> {
    name: Option<&'c [u8]>,
    data: Option<&'c [u8]>,
}

impl SseParser {
    /// A parser for a stream that begins without an id in force.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            start: Start::Matched(0),
            after_return: false,
            cut: Cut::No,
            short: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            oversized: false,
            own_id: false,
            block_id: String::new(),
            last_id: String::new(),
        }
    }

    /// A parser for a stream that resumes another: the last id stays in force until the server
    /// sends a new one.
    #[must_use]
    pub fn resuming(limits: Limits, last_event_id: &str) -> Self {
        let mut parser = Self::new(limits);
        parser.last_id.push_str(last_event_id);
        parser
    }

    /// The id in force: of the last block that ended, whether or not it had data. What is not empty
    /// goes into `Last-Event-ID` on a reconnect.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_id
    }

    /// Reads one chunk and hands every finished item to `sink`, in order.
    pub fn push(&mut self, chunk: &[u8], sink: &mut impl FnMut(SseItem<'_>)) {
        let mut rest = self.after_mark(chunk);
        if rest.is_empty() {
            return;
        }
        if mem::take(&mut self.after_return) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        let mut lent = Lent::default();
        while let Some((line, tail)) = self.next_line(rest) {
            rest = tail;
            if self.cut != Cut::No {
                self.grow_cut_line(line, sink);
                self.end_cut_line(sink);
            } else if line.is_empty() {
                self.end_block(&mut lent, sink);
            } else {
                self.whole_line(line, &mut lent, sink);
            }
        }
        self.keep(lent);
        if !rest.is_empty() {
            self.grow_cut_line(rest, sink);
        }
    }

    /// Drops the byte order mark, which may come in pieces and counts only once.
    fn after_mark<'c>(&mut self, chunk: &'c [u8]) -> &'c [u8] {
        let Start::Matched(matched) = self.start else {
            return chunk;
        };
        let missing = BYTE_ORDER_MARK.get(matched..).unwrap_or_default();
        if let Some(rest) = chunk.strip_prefix(missing) {
            self.start = Start::Over;
            return rest;
        }
        if missing.starts_with(chunk) {
            self.start = Start::Matched(matched + chunk.len());
            return &[];
        }
        self.start = Start::Over;
        if matched > 0 {
            // A piece of a mark opened a line, and no field's name begins with one.
            self.cut = Cut::Ignored;
        }
        chunk
    }

    fn next_line<'c>(&mut self, rest: &'c [u8]) -> Option<(&'c [u8], &'c [u8])> {
        let end = line::end(rest)?;
        let (line, tail) = rest.split_at_checked(end)?;
        let (&terminator, mut tail) = tail.split_first()?;
        if terminator == b'\r' {
            match tail.first() {
                Some(b'\n') => tail = tail.get(1..).unwrap_or_default(),
                Some(_) => {}
                // Half of a pair, or whole: the line is finished either way.
                None => self.after_return = true,
            }
        }
        Some((line, tail))
    }

    fn whole_line<'c>(&mut self, line: &'c [u8], lent: &mut Lent<'c>, sink: &mut impl FnMut(SseItem<'_>)) {
        match line::read(line) {
            Line::Comment => sink(SseItem::Comment),
            Line::Field(Field::Data, value) => self.whole_data(value, lent, sink),
            Line::Field(Field::Name, value) if value.len() > MAX_FIELD_BYTES => self.exceed(lent, sink),
            Line::Field(Field::Name, value) => lent.name = Some(value),
            Line::Field(field, value) if value.len() <= MAX_FIELD_BYTES => {
                self.short_field(field, value, sink)
            }
            Line::Field(..) | Line::Nothing => {}
        }
    }

    fn whole_data<'c>(&mut self, value: &'c [u8], lent: &mut Lent<'c>, sink: &mut impl FnMut(SseItem<'_>)) {
        if self.oversized {
            return;
        }
        if self.held(lent).saturating_add(value.len()) > self.limits.max_event_bytes {
            self.exceed(lent, sink);
            return;
        }
        if let Some(first) = lent.data.take() {
            self.data.extend_from_slice(first);
            self.has_data = true;
        }
        if self.has_data {
            self.data.push(b'\n');
            self.data.extend_from_slice(value);
        } else {
            lent.data = Some(value);
        }
    }

    /// What the block's data takes, with the line feed that another data line would add.
    fn held(&self, lent: &Lent<'_>) -> usize {
        match lent.data {
            Some(data) => data.len().saturating_add(1),
            None if self.has_data => self.data.len().saturating_add(1),
            None => 0,
        }
    }

    fn short_field(&mut self, field: Field, value: &[u8], sink: &mut impl FnMut(SseItem<'_>)) {
        match field {
            Field::Id if !value.contains(&0) => {
                self.block_id.clear();
                self.block_id.push_str(&String::from_utf8_lossy(value));
                self.own_id = true;
            }
            Field::Name => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            Field::Retry => {
                if let Some(milliseconds) = line::digits(value) {
                    sink(SseItem::Retry(milliseconds));
                }
            }
            Field::Id | Field::Data => {}
        }
    }

    fn exceed(&mut self, lent: &mut Lent<'_>, sink: &mut impl FnMut(SseItem<'_>)) {
        if mem::replace(&mut self.oversized, true) {
            return;
        }
        lent.data = None;
        self.data = Vec::new();
        self.has_data = false;
        let name = lent.name.unwrap_or(&self.name);
        let id = self.own_id.then_some(self.block_id.as_str());
        sink(SseItem::Oversized {
            name: String::from_utf8_lossy(name),
            id,
            limit: self.limits.max_event_bytes,
        });
    }

    fn end_block(&mut self, lent: &mut Lent<'_>, sink: &mut impl FnMut(SseItem<'_>)) {
        if self.own_id {
            mem::swap(&mut self.last_id, &mut self.block_id);
        }
        let lent = mem::take(lent);
        let data = lent.data.or(self.has_data.then_some(self.data.as_slice()));
        if let Some(data) = data {
            let name = lent.name.unwrap_or(&self.name);
            sink(SseItem::Event(SseEvent::new(name, data, &self.last_id, self.own_id)));
        }
        self.own_id = false;
        self.oversized = false;
        self.has_data = false;
        self.name.clear();
        self.data.clear();
        if self.data.capacity() > KEPT_BYTES {
            self.data.shrink_to(KEPT_BYTES);
        }
    }
}
