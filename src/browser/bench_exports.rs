//! What only the benchmark's WASM file exports: the real parser and decoder, fed with bytes by themselves.
//!
//! Never part of a file that ships. It adds no reading of its own: framing is [`SseParser`]'s, decoding the native
//! dialect's, so what is measured is what a page runs. Each method takes a chunk with one copy, as the driver does.

use crate::protocol::native::{self, Interest};
use crate::protocol::sse::{Limits, SseItem, SseParser};
use wasm_bindgen::prelude::*;

/// One stream that is read for the sake of its speed.
#[wasm_bindgen]
#[derive(Debug)]
pub struct BenchStream {
    parser: SseParser,
    decoded: Vec<crate::protocol::frame::Positioned>,
}

#[wasm_bindgen]
impl BenchStream {
    /// A stream at its beginning.
    #[wasm_bindgen(constructor)]
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> BenchStream {
        BenchStream { parser: SseParser::new(Limits::default()), decoded: Vec::new() }
    }

    /// How many events end in this chunk.
    pub fn count(&mut self, chunk: &[u8]) -> u32 {
        let mut count = 0;
        self.parser.push(chunk, &mut |item| count += u32::from(matches!(item, SseItem::Event(_))));
        count
    }

    /// How many frames there are in this chunk, all decoded but the deltas, which are passed over.
    #[wasm_bindgen(js_name = decodeTools)]
    pub fn decode_tools(&mut self, chunk: &[u8]) -> u32 {
        self.decode(chunk, Interest { deltas: false })
    }

    /// How many frames there are in this chunk, all decoded.
    #[wasm_bindgen(js_name = decodeAll)]
    pub fn decode_all(&mut self, chunk: &[u8]) -> u32 {
        self.decode(chunk, Interest { deltas: true })
    }

    /// The chunk's events as one text, each as its kind, its id and its data with a NUL behind each: who takes it
    /// parses the data. A NUL in them, which no JSON has, becomes the replacement character.
    pub fn texts(&mut self, chunk: &[u8]) -> String {
        let mut texts = String::new();
        let mut put = |text: &str| {
            match text.contains('\0') {
                true => texts.push_str(&text.replace('\0', "\u{FFFD}")),
                false => texts.push_str(text),
            }
            texts.push('\0');
        };
        self.parser.push(chunk, &mut |item| {
            if let SseItem::Event(event) = item {
                put(&event.kind());
                put(event.last_event_id());
                put(&event.data());
            }
        });
        texts
    }
}

impl BenchStream {
    fn decode(&mut self, chunk: &[u8], interest: Interest) -> u32 {
        let mut count = 0;
        let decoded = &mut self.decoded;
        self.parser.push(chunk, &mut |item| {
            let SseItem::Event(event) = item else { return };
            if native::decode_event(&event, interest, decoded).is_ok() {
                count += decoded.len() as u32;
            }
            decoded.clear();
        });
        count
    }
}
