//! What the driver asks of the JavaScript around it: one object with methods.
//!
//! Every method may throw, return something odd or never settle. So all are declared with `catch`,
//! answers come back as bare `JsValue`s, and [`settle`] makes one shape of them. Nothing here may
//! unwrap what JavaScript gave.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// The JavaScript side of one runtime.
    #[derive(Debug, Clone)]
    pub type Host;

    /// Sends a request, whose body is of this many bytes; answered by a promise of a `Response`.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn fetch(this: &Host, request: &web_sys::Request, size: f64) -> Result<JsValue, JsValue>;

    /// Asks for the bearer token; answered by a promise of a string or nothing.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn token(this: &Host, refresh: bool) -> Result<JsValue, JsValue>;

    /// Asks a tool's validator; answered by a promise of a verdict.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn check(this: &Host, tool: &str, direction: &str, text: &str) -> Result<JsValue, JsValue>;

    /// Asks the author's repair function; answered by a promise of JSON text or nothing.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn repair(
        this: &Host,
        tool: &str,
        text: &str,
        problem: &str,
        issues: &str,
    ) -> Result<JsValue, JsValue>;

    /// Asks a person; answered by a promise of a decision. The signal says that the question is void.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn consent(
        this: &Host,
        session_id: &str,
        call_id: &str,
        attempt: f64,
        tool: &str,
        text: &str,
        signal: &JsValue,
    ) -> Result<JsValue, JsValue>;

    /// Runs a handler; answered by a promise of its value as JSON text, or of an object that says what else came.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn invoke(
        this: &Host,
        invocation: u32,
        session_id: &str,
        call_id: &str,
        attempt: f64,
        turn_id: Option<&str>,
        tool: &str,
        deadline: Option<f64>,
        trip_index: u32,
        text: &str,
        signal: &JsValue,
    ) -> Result<JsValue, JsValue>;

    /// Writes a record; answered by a promise of `stored`, `fenced` or anything else where it failed.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn persist(this: &Host, record: &str) -> Result<JsValue, JsValue>;

    /// Keeps nothing of a call but that it ended. Its answer is not awaited.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn retire(
        this: &Host,
        session_id: &str,
        call_id: &str,
        attempt: f64,
    ) -> Result<JsValue, JsValue>;

    /// Takes over a child session; answered by a promise of the records that earlier owners left.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn adopt(this: &Host, session_id: &str) -> Result<JsValue, JsValue>;

    /// Stands in line for the session again.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn claim(this: &Host) -> Result<(), JsValue>;

    /// Takes a batch of events, a JSON array.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn events(this: &Host, batch: &str) -> Result<(), JsValue>;

    /// Lets the page do whatever else waits; answered by a promise.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn rest(this: &Host) -> Result<JsValue, JsValue>;

    /// The time in milliseconds since the epoch.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn now(this: &Host) -> Result<JsValue, JsValue>;

    /// Learns that the module is about to trap. It must not call back into it.
    #[wasm_bindgen(method, structural, catch)]
    pub(super) fn panicked(this: &Host, message: &str) -> Result<(), JsValue>;
}

/// Waits for whatever a host method gave: a promise of any kind, a plain value, or a throw.
pub(super) async fn settle(given: Result<JsValue, JsValue>) -> Result<JsValue, JsValue> {
    JsFuture::from(Promise::resolve(&given?)).await
}
