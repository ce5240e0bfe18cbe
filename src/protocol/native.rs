//! The native dialect: one event of the engine's stream to dialect-free frames.
//!
//! Engines of several ages speak it, so a fact is looked for in each place it has had, and what is
//! missing or odd reads as not said. Only a frame that is no JSON, or lacks what makes it a fact, is
//! an error. Nothing here remembers an earlier frame, and nothing here panics, whatever comes.

pub(super) mod calls;
mod excerpt;
mod moment;
mod session;

use super::frame::{Frame, Positioned};
use super::json;
use super::sse::SseEvent;
use std::borrow::Cow;
use std::fmt;

/// The event that carries pieces of a model's answer.
pub const TOKEN_DELTA: &str = "llm.token.delta";

/// Why an event gave no frame. It is to be counted and passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameError {
    /// What is wrong with it, in words.
    pub what: String,
    /// The event's shape, shortened, with the texts in it left out: fit for a log.
    pub excerpt: String,
    /// The position it had all the same, so that the cursor can pass it.
    pub seq: Option<u64>,
}

impl fmt::Display for FrameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.what, self.excerpt)
    }
}

impl std::error::Error for FrameError {}

/// Which of the frames that come by the thousand somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interest {
    /// Pieces of text and of arguments.
    pub deltas: bool,
}

impl Default for Interest {
    fn default() -> Self {
        Self { deltas: true }
    }
}

/// Decodes one event of a stream. Deltas nobody wants are passed over unread.
///
/// # Errors
/// When the event is not the JSON of a frame.
pub fn decode_event(
    event: &SseEvent<'_>,
    interest: Interest,
    out: &mut Vec<Positioned>,
) -> Result<(), FrameError> {
    // A delta never has an id of its own; an event that borrows its name and has one is read in full.
    if !interest.deltas && event.own_id().is_none() && event.name_bytes() == TOKEN_DELTA.as_bytes() {
        return Ok(());
    }
    decode(&event.name(), &event.data(), event.own_id(), out)
}

/// Decodes one event. `id` is the one the event's own block gave, not one in force from before.
/// An event usually gives one frame; a delta gives one for each piece, or none.
///
/// # Errors
/// When the event is not the JSON of a frame.
pub fn decode(name: &str, data: &str, id: Option<&str>, out: &mut Vec<Positioned>) -> Result<(), FrameError> {
    if name == TOKEN_DELTA && id.is_none() && calls::flat_delta(data, out) {
        return Ok(());
    }
    decode_by(read_frame, name, data, id, out)
}

/// Reads what a frame says, or names what it lacks.
pub(super) type ReadFrame = fn(&str, &Payload<'_>, Option<&str>) -> Result<Read, &'static str>;

/// Decodes one event of any dialect whose frames are objects with a type.
pub(super) fn decode_by(
    read_frame: ReadFrame,
    name: &str,
    data: &str,
    id: Option<&str>,
    out: &mut Vec<Positioned>,
) -> Result<(), FrameError> {
    let fallback = id.and_then(|id| id.parse().ok());
    let refuse = |what: String, seq: Option<u64>| FrameError { what, excerpt: excerpt::of(name, data), seq };
    let no_object = || refuse("not a JSON object".to_owned(), fallback);
    let Some(envelope) = Envelope::read(data) else { return Err(no_object()) };
    let Some(payload) = Payload::read(envelope.payload) else { return Err(no_object()) };
    let seq = envelope.seq.or(fallback);
    let told = payload.kind().or(envelope.kind).and_then(json::text);
    let named = (!name.is_empty() && name != "message").then_some(Cow::Borrowed(name));
    let Some(kind) = told.or(named) else {
        return Err(refuse("a frame without a type".to_owned(), seq));
    };
    let seq = seq.filter(|_| kind != TOKEN_DELTA);
    let turn_id = envelope.turn_id.or(payload.turn_id()).and_then(json::text).map(Cow::into_owned);
    let before = out.len();
    let position = |frame: Frame| Positioned {
        seq,
        turn_id: turn_id.clone(),
        occurred_at: envelope.occurred_at,
        open_calls: None,
        frame,
    };
    match read_frame(&kind, &payload, turn_id.as_deref()) {
        Ok(Read::One(frame)) => out.push(position(frame)),
        Ok(Read::Pieces(frames)) => out.extend(frames.into_iter().map(position)),
        Err(lack) => return Err(refuse(format!("{kind} without {lack}"), seq)),
    }
    if let (Some(calls), Some(first)) = (envelope.calls, out.get_mut(before)) {
        first.open_calls = calls::open(calls);
    }
    Ok(())
}

/// What one event says.
pub(super) enum Read {
    One(Frame),
    Pieces(Vec<Frame>),
}

fn read_frame(kind: &str, payload: &Payload<'_>, turn_id: Option<&str>) -> Result<Read, &'static str> {
    Ok(Read::One(match kind {
        TOKEN_DELTA => return Ok(Read::Pieces(calls::deltas(payload))),
        "tool.call.requested" => Frame::CallRequested(calls::requested(payload)?),
        "tool.call.dispatched" => Frame::CallDispatched {
            id: payload.required_call_id()?,
            attempt: payload.attempt().and_then(json::whole),
        },
        "tool.call.completed" => Frame::CallCompleted {
            id: payload.required_call_id()?,
            result: payload.result().map(json::value).unwrap_or_default(),
        },
        "tool.call.errored" => Frame::CallErrored {
            id: payload.required_call_id()?,
            error: payload.error().map(calls::error).unwrap_or_default(),
            retryable: payload.retryable().and_then(json::flag).unwrap_or(false),
        },
        "call.voided" if calls::is_tool_call(payload.void_kind()) => {
            Frame::CallVoided { id: payload.required_call_id()? }
        }
        "message.new" => session::message(payload)?,
        "turn.started" => Frame::TurnStarted { turn_id: payload.required_turn(turn_id)? },
        "turn.completed" => Frame::TurnCompleted {
            turn_id: payload.required_turn(turn_id)?,
            data: payload.data().map(json::value),
            error: payload.error().map(calls::error),
        },
        "session.interrupted" => session::interrupted(payload)?,
        "session.interrupt_resumed" => Frame::Resumed {
            interrupt_id: payload.required_interrupt()?,
            payload: payload.payload().map(json::value).unwrap_or_default(),
        },
        "session.cancelled" => Frame::SessionCancelled,
        "call.voided" if session::is_child(payload.void_kind()) => session::child_ended(payload, true)?,
        other => match other.strip_prefix("subagent.").or_else(|| other.strip_prefix("sub_agent.")) {
            Some("started") => session::child(payload)?,
            Some("turn_completed") => session::child_ended(payload, false)?,
            Some("errored") => session::child_ended(payload, true)?,
            _ => Frame::Unknown { name: other.to_owned() },
        },
    }))
}

/// What stands around the payload.
struct Envelope<'a> {
    kind: Option<&'a str>,
    payload: &'a str,
    seq: Option<u64>,
    turn_id: Option<&'a str>,
    occurred_at: Option<u64>,
    calls: Option<&'a str>,
}

impl<'a> Envelope<'a> {
    fn read(data: &'a str) -> Option<Self> {
        let names = ["payload", "type", "seq", "sequence", "turn_id", "occurred_at", "meta"];
        let [payload, kind, seq, sequence, turn_id, occurred_at, meta] = json::pick(data, names)?;
        let [meta_turn_id, calls] = match meta {
            Some(meta) => json::pick(meta, ["turn_id", "calls"]).unwrap_or_default(),
            None => [None, None],
        };
        let enveloped = payload.filter(|payload| payload.starts_with('{'));
        Some(Self {
            // A frame without an envelope counts for itself, so its number is not the session's.
            seq: enveloped.and(seq.or(sequence)).and_then(json::whole),
            payload: enveloped.unwrap_or(data),
            kind,
            turn_id: meta_turn_id.or(turn_id),
            occurred_at: occurred_at.and_then(moment::read),
            calls,
        })
    }
}

macro_rules! payload {
    ($($member:ident: $name:literal),* $(,)?) => {
        /// Where in a payload each member is.
        #[allow(non_camel_case_types)]
        enum Member { $($member),* }

        const NAMES: [&str; [$($name),*].len()] = [$($name),*];

        /// The members any frame's payload may have, as the text they came in. One array and not a field for
        /// each: moving two dozen fields one by one was a kilobyte of code.
        pub(super) struct Payload<'a>([Option<&'a str>; NAMES.len()]);

        impl<'a> Payload<'a> {
            fn read(json: &'a str) -> Option<Self> {
                json::pick(json, NAMES).map(Self)
            }

            $(
                pub(super) fn $member(&self) -> Option<&'a str> {
                    self.0.get(Member::$member as usize).copied().flatten()
                }
            )*
        }
    };
}

payload! {
    kind: "type",
    id: "id",
    tool_call_id: "tool_call_id",
    call_id: "call_id",
    attempt: "attempt",
    name: "name",
    arguments: "arguments",
    handler: "handler",
    retry: "retry",
    deadline: "deadline",
    result: "result",
    error: "error",
    retryable: "retryable",
    void_kind: "kind",
    turn_id: "turn_id",
    data: "data",
    message: "message",
    interrupt_id: "interrupt_id",
    reason: "reason",
    payload: "payload",
    session_id: "session_id",
    agent_id: "agent_id",
    child_session_id: "child_session_id",
    text: "text",
    tool_calls: "tool_calls",
    input: "input",
    ok: "ok",
}

impl Payload<'_> {
    pub(super) fn required_call_id(&self) -> Result<String, &'static str> {
        required(self.id().or(self.tool_call_id()), "an id")
    }

    fn required_interrupt(&self) -> Result<String, &'static str> {
        required(self.interrupt_id(), "an interrupt id")
    }

    fn required_turn(&self, of_envelope: Option<&str>) -> Result<String, &'static str> {
        required(self.turn_id(), "a turn id").or_else(|lack| of_envelope.map(str::to_owned).ok_or(lack))
    }
}

fn required(member: Option<&str>, lack: &'static str) -> Result<String, &'static str> {
    optional(member).filter(|text| !text.is_empty()).ok_or(lack)
}

fn optional(member: Option<&str>) -> Option<String> {
    member.and_then(json::text).map(Cow::into_owned)
}
