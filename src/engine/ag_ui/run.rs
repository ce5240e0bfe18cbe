//! What a run's stream is told: a session's events and a model's pieces in AG-UI's words, and when it is over.
//!
//! A run tells of one turn from the moment it listens. A message whose first piece it has missed is told whole
//! once it is recorded. What is open when a run ends is closed first, so that its events always pair up.

use serde_json::{Map, Value, json};

use super::super::calls::CallStatus;
use super::super::config::Handler;
use super::super::events::Event;
use super::super::session::Session;
use super::super::switches::AgUiRunEnd;
use super::super::tree::{message_id, role_of, text_of};
use super::frame::{
    Frame, call_arguments, call_end, call_start, settled, text_content, text_end, text_start,
};
use super::view::arguments;

/// Frames to send, and whether they are the last.
type Told = (Vec<Frame>, bool);

/// One open run.
#[derive(Debug)]
pub(crate) struct Run {
    thread: String,
    id: String,
    /// The turn it tells of.
    turn: Option<String>,
    /// Messages that the page has: it sent them, or was told.
    known: Vec<String>,
    /// The model request whose pieces are told.
    streaming: Option<String>,
    /// The text message that is open.
    text: Option<String>,
    /// Calls that pieces have opened and nothing has closed.
    opened: Vec<Opened>,
    /// Nobody took what it brought: it says nothing of its own accord before the turn does something.
    unheard: bool,
}

#[derive(Debug)]
struct Opened {
    id: String,
    /// No arguments were told yet.
    bare: bool,
}

impl Run {
    pub(super) fn new(thread: &str, id: &str, turn: Option<String>) -> Run {
        Run {
            thread: thread.to_owned(),
            id: id.to_owned(),
            turn,
            known: Vec::new(),
            streaming: None,
            text: None,
            opened: Vec::new(),
            unheard: false,
        }
    }

    /// The turn it tells of.
    pub(crate) fn turn(&self) -> Option<&str> {
        self.turn.as_deref()
    }

    pub(super) fn follow(&mut self, turn: Option<String>) {
        self.turn = turn;
    }

    pub(super) fn know(&mut self, messages: Vec<String>) {
        self.known = messages;
    }

    pub(super) fn go_unheard(&mut self) {
        self.unheard = true;
    }

    pub(super) fn started(&self) -> Frame {
        Frame::new("RUN_STARTED", json!({ "threadId": self.thread, "runId": self.id }))
    }

    /// The end of a run that did not fail.
    pub(super) fn finished(&self, result: Option<&Value>, interrupts: Vec<Value>) -> Frame {
        let mut fields = json!({ "threadId": self.thread, "runId": self.id });
        if let Value::Object(fields) = &mut fields {
            if let Some(result) = result.filter(|result| !result.is_null()) {
                fields.insert("result".to_owned(), result.clone());
            }
            if !interrupts.is_empty() {
                let outcome = json!({ "type": "interrupt", "interrupts": interrupts });
                fields.insert("outcome".to_owned(), outcome);
            }
        }
        Frame::new("RUN_FINISHED", fields)
    }

    /// The end of a run that failed.
    pub(super) fn failed(message: &str) -> Frame {
        Frame::new("RUN_ERROR", json!({ "message": message }))
    }

    /// An event of its session. It is being recorded, so the session is as it was made.
    pub(super) fn tell(&mut self, session: &Session, event: &Event, end: AgUiRunEnd) -> Told {
        if event.name() == "session.cancelled" {
            return self.end_with(Vec::new(), Run::failed("the session was cancelled"));
        }
        if self.turn.is_none() || event.turn_id != self.turn {
            return (Vec::new(), false);
        }
        self.unheard = false;
        let field = |name: &str| event.payload.get(name).and_then(Value::as_str).unwrap_or_default();
        let mut frames = Vec::new();
        let name = event.name();
        match name.strip_prefix("sub_agent.").or_else(|| name.strip_prefix("subagent.")) {
            Some("requested") => self.announce(session, field("tool_call_id"), &mut frames),
            Some("turn_completed" | "errored") => {
                let call = field("tool_call_id");
                frames.push(settled(call, &rendered(session, call)));
            }
            Some(_) => {}
            None => match name {
                "message.new" => self.tell_message(&event.payload, &mut frames),
                "llm.call.completed" => self.close_text(&mut frames),
                "llm.call.errored" => self.drop_reply(field("id"), &mut frames),
                "call.voided" if field("kind") == "llm_call" => self.drop_reply(field("id"), &mut frames),
                "tool.call.requested" => {
                    self.announce(session, field("id"), &mut frames);
                    let is_client = field("handler") == Handler::Client.name();
                    if end == AgUiRunEnd::Early && is_client && all_open_are_the_pages(session) {
                        let finished = self.finished(None, Vec::new());
                        return self.end_with(frames, finished);
                    }
                }
                "tool.call.completed" => frames.push(settled(field("id"), &rendered(session, field("id")))),
                "tool.call.errored" => {
                    let text = event.payload.pointer("/error/message").and_then(Value::as_str);
                    frames.push(settled(field("id"), text.unwrap_or_default()));
                }
                "turn.completed" => {
                    let last = match event.payload.get("error") {
                        Some(error) => {
                            let text = error.get("message").and_then(Value::as_str);
                            Run::failed(text.unwrap_or("the turn failed"))
                        }
                        None => self.finished(event.payload.get("data"), Vec::new()),
                    };
                    return self.end_with(frames, last);
                }
                _ => {}
            },
        }
        (frames, false)
    }

    /// A piece of a model's reply, as `llm.token.delta` tells it.
    pub(super) fn tell_piece(&mut self, data: &Value) -> Told {
        let model_call = data.get("call_id").and_then(Value::as_str).unwrap_or_default();
        if data.get("seq").and_then(Value::as_u64) == Some(1) {
            self.streaming = Some(model_call.to_owned());
        }
        let mut frames = Vec::new();
        if self.streaming.as_deref() != Some(model_call) {
            return (frames, false);
        }
        self.unheard = false;
        if let Some(text) = data.get("text").and_then(Value::as_str).filter(|text| !text.is_empty()) {
            if self.text.is_none() {
                self.text = Some(model_call.to_owned());
                self.known.push(model_call.to_owned());
                frames.push(text_start(model_call));
            }
            frames.push(text_content(model_call, text));
        }
        for call in data.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.tell_call_piece(model_call, call, &mut frames);
        }
        if data.get("finish_reason").is_some_and(Value::is_string) {
            self.close_text(&mut frames);
        }
        (frames, false)
    }

    fn tell_call_piece(&mut self, model_call: &str, call: &Value, frames: &mut Vec<Frame>) {
        let field = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        let last = self.opened.last().map(|opened| opened.id.clone());
        // A provider may name a call only once.
        let id = Some(field("id")).filter(|id| !id.is_empty()).map(str::to_owned).or(last);
        let Some(id) = id else { return };
        self.close_text(frames);
        if !self.opened.iter().any(|opened| opened.id == id) {
            frames.push(call_start(&id, field("name"), Some(model_call)));
            self.opened.push(Opened { id: id.clone(), bare: true });
        }
        let piece = field("arguments");
        if piece.is_empty() {
            return;
        }
        if let Some(opened) = self.opened.iter_mut().find(|opened| opened.id == id) {
            opened.bare = false;
        }
        frames.push(call_arguments(&id, piece));
    }

    /// The session has come to rest; the run ends if nothing goes on without the page.
    pub(super) fn rest(&mut self, session: &Session) -> Told {
        let Some(turn) = self.turn.as_deref().filter(|_| !self.unheard) else { return (Vec::new(), false) };
        let runs = session.turn.as_ref().is_some_and(|running| running.id == turn);
        let waits = session.waiting.iter().any(|waiting| waiting.turn_id == turn);
        if session.is_interrupted() && (runs || waits) {
            let finished = self.finished(None, interrupts(session));
            return self.end_with(Vec::new(), finished);
        }
        if runs && waits_for_the_page(session) {
            let finished = self.finished(None, Vec::new());
            return self.end_with(Vec::new(), finished);
        }
        (Vec::new(), false)
    }

    fn tell_message(&mut self, payload: &Value, frames: &mut Vec<Frame>) {
        let Some(message) = payload.get("message") else { return };
        let Some(id) = message_id(message) else { return };
        let text = text_of(message);
        let is_new = !self.known.iter().any(|known| known == id);
        if role_of(message) != Some("assistant") || text.is_empty() || !is_new {
            return;
        }
        self.known.push(id.to_owned());
        frames.extend([text_start(id), text_content(id, &text), text_end(id)]);
    }

    /// Tells of a call that is requested: its end where pieces have opened it, else the whole of it. A later
    /// attempt is told whole again.
    fn announce(&mut self, session: &Session, id: &str, frames: &mut Vec<Frame>) {
        let Some(call) = session.call(id) else { return };
        if let Some(place) = self.opened.iter().position(|opened| opened.id == id) {
            close_call(&self.opened.remove(place), frames);
            return;
        }
        frames.extend([
            call_start(id, &call.name, call.message_id.as_deref()),
            call_arguments(id, arguments(&call.arguments)),
            call_end(id),
        ]);
    }

    fn close_text(&mut self, frames: &mut Vec<Frame>) {
        if let Some(id) = self.text.take() {
            frames.push(text_end(&id));
        }
    }

    /// A reply that will not be recorded: what its pieces have opened is closed.
    fn drop_reply(&mut self, model_call: &str, frames: &mut Vec<Frame>) {
        if self.streaming.as_deref() == Some(model_call) {
            self.streaming = None;
            self.known.retain(|known| known != model_call);
            self.close(frames);
        }
    }

    fn close(&mut self, frames: &mut Vec<Frame>) {
        self.close_text(frames);
        for opened in self.opened.drain(..) {
            close_call(&opened, frames);
        }
    }

    fn end_with(&mut self, mut frames: Vec<Frame>, last: Frame) -> Told {
        self.close(&mut frames);
        frames.push(last);
        (frames, true)
    }
}

/// Whether every open call is one that the page runs, and there is one.
fn all_open_are_the_pages(session: &Session) -> bool {
    let mut open = session.calls.iter().filter(|call| call.status.is_open()).peekable();
    open.peek().is_some() && open.all(|call| call.handler == Handler::Client)
}

/// Whether nothing will happen before the page answers a call.
fn waits_for_the_page(session: &Session) -> bool {
    let pending = |status| status == CallStatus::Pending;
    all_open_are_the_pages(session)
        && session.calls.iter().all(|call| !call.status.is_open() || pending(call.status))
        && session.deciding.is_none()
        && session.decisions.is_empty()
        && !session.model_is_busy()
}

/// The open interrupts; what an interrupt's payload says in AG-UI's own fields goes there.
pub(super) fn interrupts(session: &Session) -> Vec<Value> {
    let open = session.interrupts.iter().filter(|interrupt| interrupt.open);
    open.map(|interrupt| {
        let view = interrupt.view();
        let mut told = Map::new();
        told.insert("id".to_owned(), json!(interrupt.id));
        told.insert("reason".to_owned(), view.get("reason").cloned().unwrap_or_default());
        let payload = view.get("payload").filter(|payload| !payload.is_null());
        for name in ["message", "toolCallId", "responseSchema", "expiresAt"] {
            let value = payload.and_then(|payload| payload.get(name));
            let fits =
                |value: &&Value| if name == "responseSchema" { value.is_object() } else { value.is_string() };
            if let Some(value) = value.filter(fits) {
                told.insert(name.to_owned(), value.clone());
            }
        }
        if let Some(payload) = payload {
            told.insert("metadata".to_owned(), json!({ "payload": payload }));
        }
        Value::Object(told)
    })
    .collect()
}

fn rendered(session: &Session, call: &str) -> String {
    let outcome = session.call(call).and_then(|call| call.outcome.as_ref());
    outcome.map(|outcome| outcome.rendered.clone()).unwrap_or_default()
}

fn close_call(opened: &Opened, frames: &mut Vec<Frame>) {
    if opened.bare {
        frames.push(call_arguments(&opened.id, arguments("")));
    }
    frames.push(call_end(&opened.id));
}
