//! What the engine WASM exports: a bundled engine driven by JSON, and the runtime's own SSE parser for
//! people who test their servers.
//!
//! Inputs and outputs are the engine's own, as JSON. A request's body comes beside its input, as bytes.
//! In [`RawEngine::drain`] a body or a stream's piece is `text` when it is whole UTF-8, else `base64`:
//! a cut may split a character. Nothing here may trap over what JavaScript gives it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use js_sys::{Array, Uint8Array};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use crate::engine::{Config, Engine, Input, Millis, Output};
use crate::protocol::sse::{Limits, SseItem, SseParser};

/// A bundled engine.
#[wasm_bindgen(js_name = RawEngine)]
#[derive(Debug)]
pub struct RawEngine {
    engine: Engine,
}

#[wasm_bindgen(js_class = RawEngine)]
impl RawEngine {
    /// An engine from its configuration as JSON; `{}` is a whole one.
    ///
    /// # Errors
    /// An `Error` that names the setting which is wrong.
    #[wasm_bindgen(constructor)]
    pub fn new(config: &str) -> Result<RawEngine, JsError> {
        let config: Config = serde_json::from_str(config)?;
        Ok(RawEngine { engine: Engine::new(config) })
    }

    /// Takes one input. Call [`RawEngine::drain`] before the next one.
    ///
    /// # Errors
    /// An `Error` if the JSON is not an input.
    pub fn handle(&mut self, now_ms: f64, input: &str, body: Option<Box<[u8]>>) -> Result<(), JsError> {
        let mut input: Input = serde_json::from_str(input)?;
        if let (Input::Request { body: bytes, .. }, Some(body)) = (&mut input, body) {
            *bytes = body.into_vec();
        }
        self.engine.handle(millis(now_ms), input);
        Ok(())
    }

    /// All outputs since the last call, as a JSON array.
    pub fn drain(&mut self) -> String {
        let mut outputs = Vec::new();
        while let Some(output) = self.engine.poll_output() {
            outputs.push(with_bytes(output));
        }
        Value::Array(outputs).to_string()
    }

    /// When to hand in `{"type":"timeReached"}`, in milliseconds since the epoch, if nothing comes before.
    #[wasm_bindgen(js_name = nextTimeout)]
    #[must_use]
    pub fn next_timeout(&self) -> Option<f64> {
        self.engine.poll_timeout().map(|due| due.0 as f64)
    }

    /// Calls, events and messages of a session as JSON.
    #[must_use]
    pub fn inspect(&self, session: &str) -> String {
        self.engine.inspect(session).to_string()
    }

    /// The ids of all sessions, as a JSON array.
    #[must_use]
    pub fn sessions(&self) -> String {
        json!(self.engine.session_ids()).to_string()
    }
}

/// Time from JavaScript: what is no time is the start of it.
fn millis(now_ms: f64) -> Millis {
    // A float-to-integer cast saturates and takes NaN for zero.
    Millis(now_ms as u64)
}

fn with_bytes(output: Output) -> Value {
    let mut json = serde_json::to_value(&output).unwrap_or_default();
    let bytes = match output {
        Output::Response { body, .. } => Some(body),
        Output::StreamBytes { bytes, .. } => Some(bytes),
        _ => None,
    };
    if let (Some(bytes), Value::Object(fields)) = (bytes, &mut json) {
        insert_bytes(fields, bytes);
    }
    json
}

fn insert_bytes(fields: &mut Map<String, Value>, bytes: Vec<u8>) {
    match String::from_utf8(bytes) {
        Ok(text) => fields.insert("text".to_owned(), Value::String(text)),
        Err(error) => {
            let encoded = STANDARD.encode(error.as_bytes());
            fields.insert("base64".to_owned(), Value::String(encoded))
        }
    };
}

/// Reads an event stream with the runtime's own parser, chunk by chunk:
/// `{ events: { event, data, id }[], lastEventId, retry }` as JSON. What is not a `Uint8Array` is skipped.
#[wasm_bindgen(js_name = parseEventStream)]
#[must_use]
pub fn parse_event_stream(chunks: &Array) -> String {
    let mut parser = SseParser::new(Limits::default());
    let mut events = Vec::new();
    let mut retry = Value::Null;
    for chunk in chunks.iter() {
        let Some(chunk) = chunk.dyn_ref::<Uint8Array>() else { continue };
        parser.push(&chunk.to_vec(), &mut |item| match item {
            SseItem::Event(event) => events.push(json!({
                "event": event.kind(),
                "data": event.data(),
                "id": event.last_event_id(),
            })),
            SseItem::Retry(ms) => retry = json!(ms),
            SseItem::Comment | SseItem::Oversized { .. } => {}
        });
    }
    json!({ "events": events, "lastEventId": parser.last_event_id(), "retry": retry }).to_string()
}
