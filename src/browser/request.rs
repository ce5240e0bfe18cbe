//! Builds the requests and sends them through the host's `fetch`.
//!
//! The token passes through here and nowhere else: it is asked for before each request, checked to be
//! a header value, and kept out of every message. Only the engine's own address is ever asked for.

use super::driver::Driver;
use super::host::settle;
use super::settings::Settings;
use super::thrown::{describe, kind};
use crate::runtime::config::Dialect;
use crate::runtime::ids::RequestId;
use gloo_net::http::{Method, Request, RequestBuilder};
use js_sys::encode_uri_component;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{AbortSignal, RequestCache, RequestCredentials, RequestRedirect};

/// What is to be sent.
#[derive(Debug)]
pub(super) enum Wanted {
    /// A session's event stream, from after what was heard last.
    Stream { after_seq: u64, last_event_id: Option<String> },
    /// A run, or a question for the conversation: a body that is answered by a stream.
    #[cfg(feature = "ag_ui")]
    Run { body: Rc<str>, connect: bool },
    /// A body for the session.
    Input(Rc<str>),
}

/// Sends it and gives the response, whatever that is, or says what broke.
pub(super) async fn send(
    driver: &Driver,
    request: RequestId,
    session_id: &str,
    wanted: &Wanted,
    refresh: bool,
    signal: &JsValue,
) -> Result<JsValue, String> {
    let token = token(driver, refresh).await?;
    if !driver.requests.has(request.0) {
        return Err("given up".to_owned());
    }
    let url = address(driver, session_id, wanted);
    let built = build(&url, wanted, token.as_deref(), Some(signal))
        // Where signals and requests come from two implementations (jsdom beside Node), the request
        // refuses the signal. Then nobody can cut the transfer short, and its answer is ignored.
        .or_else(|_| build(&url, wanted, token.as_deref(), None))?;
    let size = match wanted {
        Wanted::Stream { .. } => 0,
        // While it is under way for as long as the run takes, no page could leave it behind.
        #[cfg(feature = "ag_ui")]
        Wanted::Run { .. } => 0,
        Wanted::Input(body) => body.len(),
    };
    let answer = settle(driver.host().fetch(&built, size as f64)).await;
    answer.map_err(|thrown| redact(describe(&thrown), token.as_deref()))
}

async fn token(driver: &Driver, refresh: bool) -> Result<Option<String>, String> {
    let given = settle(driver.host().token(refresh)).await;
    // What a token callback throws may well quote the token, so only its kind is told.
    let given = given.map_err(|thrown| format!("the token callback failed ({})", kind(&thrown)))?;
    if given.is_undefined() || given.is_null() {
        return Ok(None);
    }
    match given.as_string() {
        Some(token) if !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Some(token))
        }
        Some(_) => Err("the token callback gave a string that cannot be a bearer token".to_owned()),
        None => Err("the token callback gave something other than a string".to_owned()),
    }
}

/// Where it goes.
fn address(driver: &Driver, session_id: &str, wanted: &Wanted) -> String {
    #[cfg(feature = "ag_ui")]
    match (driver.settings().dialect, wanted) {
        (_, Wanted::Run { connect: true, .. }) => {
            return driver.settings().connect.clone().unwrap_or_default();
        }
        (_, Wanted::Run { .. }) => return driver.settings().engine.clone(),
        (Dialect::AgUi, _) => return driver.settings().native_input.clone().unwrap_or_default(),
        _ => {}
    }
    let Settings { engine, dialect, .. } = driver.settings();
    let session = String::from(encode_uri_component(session_id));
    match (dialect, wanted) {
        (Dialect::Native, Wanted::Stream { after_seq, .. }) => {
            format!("{engine}/api/client/sessions/{session}/events/stream?after_seq={after_seq}")
        }
        (Dialect::Native, _) => format!("{engine}/api/client/sessions/input"),
        _ => {
            let joint = if engine.bytes().any(|byte| byte == b'?') { '&' } else { '?' };
            format!("{engine}{joint}session_id={session}")
        }
    }
}

fn build(
    url: &str,
    wanted: &Wanted,
    token: Option<&str>,
    signal: Option<&JsValue>,
) -> Result<web_sys::Request, String> {
    let (method, accept) = match wanted {
        Wanted::Stream { .. } => (Method::GET, "text/event-stream"),
        #[cfg(feature = "ag_ui")]
        Wanted::Run { .. } => (Method::POST, "text/event-stream"),
        Wanted::Input(_) => (Method::POST, "application/json"),
    };
    let signal = signal.filter(|signal| signal.is_object()).map(|signal| AbortSignal::from(signal.clone()));
    let mut builder = RequestBuilder::new(url)
        .method(method)
        .header("accept", accept)
        .cache(RequestCache::NoStore)
        .credentials(RequestCredentials::Omit)
        // A redirect could lead to another origin with the token on board.
        .redirect(RequestRedirect::Error)
        .abort_signal(signal.as_ref());
    if let Some(token) = token {
        builder = builder.header("authorization", &format!("Bearer {token}"));
    }
    let built: Result<Request, _> = match wanted {
        Wanted::Stream { last_event_id: Some(id), .. } => builder.header("last-event-id", id).build(),
        Wanted::Stream { .. } => builder.build(),
        #[cfg(feature = "ag_ui")]
        Wanted::Run { body, .. } => builder.header("content-type", "application/json").body(&**body),
        Wanted::Input(body) => builder.header("content-type", "application/json").body(&**body),
    };
    built.map(Into::into).map_err(|error| redact(error.to_string(), token))
}

fn redact(message: String, token: Option<&str>) -> String {
    let Some(token) = token else { return message };
    let mut out = String::new();
    let mut rest = message.as_str();
    // Not `replace`: its search is two kilobytes of code, and messages are short.
    while let Some(letter) = rest.chars().next() {
        match rest.strip_prefix(token) {
            Some(tail) if !token.is_empty() => {
                out.push_str("[token]");
                rest = tail;
            }
            _ => {
                out.push(letter);
                rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            }
        }
    }
    out
}
