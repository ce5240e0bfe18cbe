//! The engine's HTTP surface: which path answers to which method, CORS, the body limit, replies.
//!
//! CORS stands outside everything else, so a page can read every error. Whether a request may act at all
//! is decided here and in `auth.rs`; what it does is in `inputs.rs`, `settle.rs`, `stream.rs`,
//! `triggers.rs` and `ag_ui/`.

use serde_json::{Value, json};

use super::ag_ui;
use super::auth;
use super::engine::Engine;
use super::inputs;
use super::interrupts;
use super::io::Output;
use super::stream;
use super::triggers;

/// A request while it is being answered.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: u64,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(
        id: u64,
        method: String,
        target: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Request {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Request { id, method, path: path.to_owned(), query: query.to_owned(), headers, body }
    }

    /// The first header of that name, in any case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the body is said to be JSON.
    pub(crate) fn sends_json(&self) -> bool {
        self.header("content-type").is_some_and(|kind| {
            kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
        })
    }

    /// The body, unless it is longer than the engine takes.
    pub(crate) fn body_within(&self, limit: usize) -> Result<&[u8], Reply> {
        if self.body.len() > limit {
            return Err(Reply::text(413, "length limit exceeded"));
        }
        Ok(&self.body)
    }

    /// The decoded value of a query parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        self.query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key) == name).then(|| decode(&value.replace('+', " ")))
        })
    }
}

/// A reply that is not a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Value) -> Reply {
        Reply {
            status,
            headers: vec![header("content-type", "application/json")],
            body: body.to_string().into_bytes(),
        }
    }

    pub(crate) fn error(status: u16, text: &str) -> Reply {
        Reply::json(status, &json!({ "error": text }))
    }

    pub(crate) fn text(status: u16, text: &str) -> Reply {
        Reply {
            status,
            headers: vec![header("content-type", "text/plain; charset=utf-8")],
            body: text.as_bytes().to_vec(),
        }
    }
}

pub(crate) fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// What a path names.
enum Route<'a> {
    Mint,
    Submit,
    Session(&'a str),
    Interrupt(&'a str),
    Stream(&'a str),
    Triggers,
    Run(&'a str),
    Connect,
    Nowhere,
}

fn route(path: &str) -> Route<'_> {
    if path == "/api/machine/client-tokens" {
        return Route::Mint;
    }
    if path == triggers::PATH {
        return Route::Triggers;
    }
    if let Some(rest) = path.strip_prefix("/api/channels/ag-ui/agents/") {
        return match rest.split_once('/') {
            Some((agent, "run")) if !agent.is_empty() => Route::Run(agent),
            Some((agent, "connect")) if !agent.is_empty() => Route::Connect,
            _ => Route::Nowhere,
        };
    }
    let Some(rest) = path.strip_prefix("/api/client/sessions/") else { return Route::Nowhere };
    match rest.split('/').collect::<Vec<_>>().as_slice() {
        ["input"] => Route::Submit,
        [session] if !session.is_empty() => Route::Session(session),
        [session, "interrupt"] if !session.is_empty() => Route::Interrupt(session),
        [session, "events", "stream"] if !session.is_empty() => Route::Stream(session),
        _ => Route::Nowhere,
    }
}

/// Whether a page of any origin may call the path.
fn open_to_pages(path: &str) -> bool {
    path.starts_with("/api/client/") || path.starts_with("/api/channels/")
}

/// Headers that let any page read a response, without credentials.
pub(crate) fn cors(path: &str) -> Vec<(String, String)> {
    if !open_to_pages(path) {
        return Vec::new();
    }
    vec![
        header("access-control-allow-origin", "*"),
        header("access-control-expose-headers", "*"),
        header("vary", "origin, access-control-request-method, access-control-request-headers"),
    ]
}

fn preflight(request: &Request) -> Option<Reply> {
    if request.method != "OPTIONS" || !open_to_pages(&request.path) {
        return None;
    }
    let method = request.header("access-control-request-method")?;
    let mut headers = vec![header("access-control-allow-methods", method)];
    if let Some(asked) = request.header("access-control-request-headers") {
        headers.push(header("access-control-allow-headers", asked));
    }
    Some(Reply { status: 200, headers, body: Vec::new() })
}

/// Answers a request, or opens its stream.
pub(crate) fn serve(engine: &mut Engine, request: &Request) {
    if let Some(reply) = answer(engine, request) {
        engine.respond(request, reply);
    }
}

fn answer(engine: &mut Engine, request: &Request) -> Option<Reply> {
    if let Some(reply) = preflight(request) {
        return Some(reply);
    }
    if let Some(reply) = engine.shared.faults.refusal(&request.path) {
        return Some(reply);
    }
    let method = request.method.as_str();
    match route(&request.path) {
        Route::Mint if method == "POST" => {
            let authorization = request.header("authorization");
            let shared = &mut engine.shared;
            let now = shared.now;
            Some(auth::mint(&shared.config, &mut shared.ids, now, authorization, &request.body))
        }
        Route::Submit if method == "POST" => Some(inputs::submit(engine, request)),
        Route::Session(session) if method == "GET" => Some(show_session(engine, request, &decode(session))),
        Route::Interrupt(session) if method == "POST" => {
            Some(interrupts::from_page(engine, request, &decode(session)))
        }
        Route::Stream(session) if method == "GET" => stream::open(engine, request, &decode(session)),
        Route::Triggers if method == "GET" => stream::open_triggers(engine, request),
        Route::Triggers if method == "POST" => Some(triggers::answer(engine, request)),
        Route::Run(agent) if method == "POST" => ag_ui::run(engine, request, &decode(agent)),
        Route::Connect if method == "POST" => ag_ui::connect(engine, request),
        Route::Nowhere => Some(Reply::error(404, "not found")),
        _ => Some(Reply::error(405, "method not allowed")),
    }
}

fn show_session(engine: &mut Engine, request: &Request, session: &str) -> Reply {
    let owner = match engine.shared.authorize(request) {
        Ok(owner) => owner,
        Err(reply) => return reply,
    };
    match engine.sessions.get(session) {
        None => Reply::error(404, "session not found"),
        Some(found) if found.owner != owner => Reply::error(403, "session access denied"),
        Some(found) => Reply::json(200, &found.view()),
    }
}

impl Engine {
    /// Sends a reply, unless a fault takes it.
    pub(crate) fn respond(&mut self, request: &Request, reply: Reply) {
        let mut headers = reply.headers;
        headers.extend(cors(&request.path));
        let response = Output::Response { id: request.id, status: reply.status, headers, body: reply.body };
        self.shared.send_response(&request.path, response);
    }
}

/// Undoes percent-encoding; what is not valid stays as it is.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let value = hex.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (first, value) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
