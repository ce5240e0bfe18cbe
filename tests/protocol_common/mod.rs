//! What the protocol tests share: fixtures, cuts, and owned copies of what a parser says.
#![allow(dead_code, reason = "each test binary uses its part")]

use pagehand::protocol::sse::{Limits, SseItem, SseParser};
use std::path::Path;

/// What a parser said, kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Heard {
    Event { kind: String, data: String, id: String, own_id: bool },
    Comment,
    Retry(u64),
    Oversized { name: String, id: Option<String>, limit: usize },
}

impl Heard {
    pub(crate) fn event(kind: &str, data: &str, id: &str, own_id: bool) -> Self {
        Self::Event { kind: kind.to_owned(), data: data.to_owned(), id: id.to_owned(), own_id }
    }

    pub(crate) fn data(&self) -> Option<&str> {
        match self {
            Self::Event { data, .. } => Some(data),
            _ => None,
        }
    }

    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Event { id, .. } => Some(id),
            _ => None,
        }
    }

    pub(crate) fn own_id(&self) -> Option<Option<&str>> {
        match self {
            Self::Event { id, own_id, .. } => Some(own_id.then_some(id)),
            _ => None,
        }
    }
}

pub(crate) fn hear_with(parser: &mut SseParser, chunks: &[&[u8]]) -> Vec<Heard> {
    let mut heard = Vec::new();
    for chunk in chunks {
        parser.push(chunk, &mut |item| {
            heard.push(match item {
                SseItem::Event(event) => Heard::Event {
                    kind: event.kind().into_owned(),
                    data: event.data().into_owned(),
                    id: event.last_event_id().to_owned(),
                    own_id: event.own_id().is_some(),
                },
                SseItem::Comment => Heard::Comment,
                SseItem::Retry(milliseconds) => Heard::Retry(milliseconds),
                SseItem::Oversized { name, id, limit } => {
                    Heard::Oversized { name: name.into_owned(), id: id.map(str::to_owned), limit }
                }
            });
        });
    }
    heard
}

pub(crate) fn hear_chunks(chunks: &[&[u8]]) -> (Vec<Heard>, String) {
    let mut parser = SseParser::new(Limits::default());
    let heard = hear_with(&mut parser, chunks);
    let last_id = parser.last_event_id().to_owned();
    (heard, last_id)
}

pub(crate) fn hear(bytes: &[u8]) -> (Vec<Heard>, String) {
    hear_chunks(&[bytes])
}

/// Cuts in two at every byte.
pub(crate) fn every_cut(bytes: &[u8], mut check: impl FnMut(usize, &[u8], &[u8])) {
    for at in 0..=bytes.len() {
        let (first, second) = bytes.split_at(at);
        check(at, first, second);
    }
}

pub(crate) fn fixture(path: &str) -> String {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path);
    std::fs::read_to_string(&full).unwrap_or_else(|error| panic!("{}: {error}", full.display()))
}

pub(crate) fn fixture_bytes(path: &str) -> Vec<u8> {
    fixture(path).into_bytes()
}

pub(crate) fn base64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("no base64: {letter}"),
    };
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        bits = bits << 6 | u32::from(value(letter));
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    bytes
}
