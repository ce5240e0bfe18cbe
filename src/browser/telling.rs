//! Writes events as the JSON that crosses over to JavaScript.
//!
//! By hand and not by serde: derived writers of tagged and flattened types were a tenth of the file that
//! every page loads. Field names are public; a field that is here and not in the types of `js/events.ts`,
//! or the other way round, is a mistake.

use crate::protocol::RawJson;
use crate::protocol::settle::write::{Object, array};
use crate::runtime::event::{
    CallChanged, CallState, Calling, Connection, ConnectionState, Delivery, DeliveryState, Event, Finished,
    InputClass, Node, Problem, Report, ReportStatus, TurnStatus, Warning, write_issue,
};
use crate::schema::Issue;

/// The public name of an event's kind.
pub(super) fn kind(event: &Event) -> &'static str {
    match event {
        Event::Connection(_) => "connection",
        Event::Delivery(_) => "delivery",
        Event::Warning(_) => "warning",
        Event::Call(_) => "call",
        Event::Calling(_) => "agent.tool.calling",
        Event::Called(_) => "agent.tool.called",
        Event::Failed(_) => "agent.tool.failed",
        Event::Finished(_) => "tool.finished",
        Event::TurnStarted { .. } => "turn.started",
        Event::Text { .. } => "text",
        Event::Message { .. } => "message",
        Event::TurnFinished { .. } => "turn.finished",
        #[cfg(feature = "ag_ui")]
        Event::Reasoning { .. } => "reasoning",
        #[cfg(feature = "ag_ui")]
        Event::State { .. } => "state",
        #[cfg(feature = "ag_ui")]
        Event::Activity { .. } => "activity",
        #[cfg(feature = "ag_ui")]
        Event::Step { .. } => "step",
        #[cfg(feature = "ag_ui")]
        Event::Custom { .. } => "custom",
        #[cfg(feature = "ag_ui")]
        Event::Raw { .. } => "raw",
        Event::Interrupted { .. } => "interrupt",
        Event::Resumed { .. } => "interrupt.resumed",
        Event::InterruptRefused { .. } => "interrupt.refused",
    }
}

/// Events as a JSON array.
pub(super) fn batch(events: &[&Event]) -> String {
    let mut out = String::new();
    array(&mut out, events, |event, object| {
        object.text("type", kind(event));
        write(event, object);
    });
    out
}

/// The members of an event, but for its kind.
pub(super) fn write(event: &Event, object: &mut Object<'_>) {
    match event {
        Event::Connection(event) => connection(event, object),
        Event::Delivery(event) => delivery(event, object),
        Event::Warning(Warning { code, message, count }) => {
            object.text("code", code.as_str());
            object.text("message", message);
            object.number("count", u64::from(*count));
        }
        Event::Call(event) => call(event, object),
        Event::Calling(event) => calling(event, object),
        Event::Called(event) | Event::Failed(event) => report(event, object),
        Event::Finished(event) => finished(event, object),
        Event::TurnStarted { turn_id, queued } => {
            object.text("turnId", turn_id);
            object.flag("queued", *queued);
        }
        Event::Text { turn_id, message_id, delta } => {
            nullable(object, "turnId", turn_id.as_deref());
            object.text("messageId", message_id);
            object.text("delta", delta);
        }
        Event::Message { turn_id, message_id, role, text, call_id, replayed } => {
            nullable(object, "turnId", turn_id.as_deref());
            nullable(object, "messageId", message_id.as_deref());
            object.text("role", role);
            nullable(object, "text", text.as_deref());
            nullable(object, "callId", call_id.as_deref());
            object.flag("replayed", *replayed);
        }
        Event::TurnFinished { turn_id, status, text, data, error, children } => {
            object.text("turnId", turn_id);
            object.text("status", turn_status(*status));
            object.text("text", text);
            value(object, "data", data.as_ref());
            problem(object, error.as_ref());
            object.list("children", children, node);
        }
        #[cfg(feature = "ag_ui")]
        Event::Reasoning { turn_id, message_id, delta } => {
            nullable(object, "turnId", turn_id.as_deref());
            object.text("messageId", message_id);
            object.text("delta", delta);
        }
        #[cfg(feature = "ag_ui")]
        Event::State { turn_id, state } => {
            nullable(object, "turnId", turn_id.as_deref());
            value(object, "state", Some(state));
        }
        #[cfg(feature = "ag_ui")]
        Event::Activity { turn_id, message_id, activity_type, content } => {
            nullable(object, "turnId", turn_id.as_deref());
            object.text("messageId", message_id);
            object.text("activityType", activity_type);
            value(object, "content", Some(content));
        }
        #[cfg(feature = "ag_ui")]
        Event::Step { turn_id, name, started } => {
            nullable(object, "turnId", turn_id.as_deref());
            object.text("name", name);
            object.text("status", if *started { "started" } else { "finished" });
        }
        #[cfg(feature = "ag_ui")]
        Event::Custom { turn_id, name, value: given } => {
            nullable(object, "turnId", turn_id.as_deref());
            object.text("name", name);
            value(object, "value", Some(given));
        }
        #[cfg(feature = "ag_ui")]
        Event::Raw { turn_id, name, event } => {
            nullable(object, "turnId", turn_id.as_deref());
            object.text("name", name);
            value(object, "event", Some(event));
        }
        Event::Interrupted { session_id, interrupt_id, turn_id, reason, payload } => {
            interrupt(object, session_id, interrupt_id, turn_id.as_deref());
            nullable(object, "reason", reason.as_deref());
            value(object, "payload", Some(payload));
        }
        Event::Resumed { session_id, interrupt_id, turn_id, payload } => {
            interrupt(object, session_id, interrupt_id, turn_id.as_deref());
            value(object, "payload", Some(payload));
        }
        Event::InterruptRefused { session_id, interrupt_id, turn_id, error } => {
            interrupt(object, session_id, interrupt_id, turn_id.as_deref());
            problem(object, Some(error));
        }
    }
}

fn interrupt(object: &mut Object<'_>, session_id: &str, interrupt_id: &str, turn_id: Option<&str>) {
    object.text("sessionId", session_id);
    object.text("interruptId", interrupt_id);
    nullable(object, "turnId", turn_id);
}

/// A part of a turn's account, and what is under it.
fn node(node: &Node, object: &mut Object<'_>) {
    match node {
        Node::Tool(call) => {
            object.text("type", "tool");
            report(call, object);
        }
        Node::Agent(agent) => {
            object.text("type", "agent");
            object.text("sessionId", &agent.session_id);
            object.optional_text("callId", agent.call_id.as_deref());
            object.optional_text("name", agent.name.as_deref());
            nullable(object, "turnId", agent.turn_id.as_deref());
            object.number("tripIndex", u64::from(agent.trip_index));
            object.text("status", report_status(agent.status));
            problem(object, agent.error.as_ref());
            object.number("startedAt", agent.started_at.0);
            object.number("endedAt", agent.ended_at.0);
            object.number("duration", agent.ended_at.since(agent.started_at).0);
            object.list("children", &agent.children, self::node);
        }
    }
}

fn connection(event: &Connection, object: &mut Object<'_>) {
    object.text("sessionId", &event.session_id);
    object.text("state", connection_state(event.state));
    object.optional_text("code", event.code.map(|code| code.as_str()));
    number(object, "status", event.status.map(u64::from));
    object.optional_text("hint", event.hint.as_deref());
    number(object, "retryIn", event.retry_in.map(|span| span.0));
}

fn delivery(event: &Delivery, object: &mut Object<'_>) {
    event.key.write(object);
    object.text("state", delivery_state(event.state));
    object.number("tries", u64::from(event.tries));
    object.optional_text("code", event.code.map(|code| code.as_str()));
    number(object, "status", event.status.map(u64::from));
    object.optional_text("message", event.message.as_deref());
}

fn call(event: &CallChanged, object: &mut Object<'_>) {
    event.key.write(object);
    object.text("name", &event.name);
    nullable(object, "turnId", event.turn_id.as_deref());
    object.optional_text("arguments", event.arguments.as_deref());
    object.text("state", call_state(event.state));
    object.optional_text("input", event.input.map(input_class));
    if !event.issues.is_empty() {
        issues(object, &event.issues);
    }
}

fn calling(event: &Calling, object: &mut Object<'_>) {
    event.key.write(object);
    object.object("tool", |tool| {
        tool.text("name", &event.tool.name);
        tool.optional_text("description", event.tool.description.as_deref());
    });
    nullable(object, "turnId", event.turn_id.as_deref());
    value(object, "input", Some(&event.input));
    object.number("tripIndex", u64::from(event.trip_index));
}

fn finished(event: &Finished, object: &mut Object<'_>) {
    object.text("id", &event.id);
    object.flag("ok", event.ok);
    object.text("name", &event.name);
    value(object, "result", event.result.as_ref());
    object.optional_text("error", event.error.as_deref());
}

fn report(report: &Report, object: &mut Object<'_>) {
    report.key.write(object);
    object.text("name", &report.name);
    object.optional_text("version", report.version.as_deref());
    nullable(object, "turnId", report.turn_id.as_deref());
    object.number("tripIndex", u64::from(report.trip_index));
    value(object, "input", Some(&report.input));
    value(object, "output", report.output.as_ref());
    problem(object, report.error.as_ref());
    object.text("status", report_status(report.status));
    object.number("startedAt", report.started_at.0);
    object.number("endedAt", report.ended_at.0);
    object.number("duration", report.duration.0);
    object.object("checks", |checks| {
        checks.optional_text("input", report.checks.input.map(input_class));
        issues(checks, &report.checks.issues);
    });
    if let Some(delivery) = &report.delivery {
        object.object("delivery", |object| {
            object.text("state", delivery_state(delivery.state));
            object.number("tries", u64::from(delivery.tries));
        });
    }
}

fn issues(object: &mut Object<'_>, issues: &[Issue]) {
    object.list("issues", issues, write_issue);
}

fn problem(object: &mut Object<'_>, problem: Option<&Problem>) {
    if let Some(Problem { code, message }) = problem {
        object.object("error", |object| {
            object.text("code", code);
            object.text("message", message);
        });
    }
}

fn value(object: &mut Object<'_>, name: &str, value: Option<&RawJson>) {
    if let Some(value) = value {
        object.json(name, value.as_text());
    }
}

fn nullable(object: &mut Object<'_>, name: &str, text: Option<&str>) {
    match text {
        Some(text) => object.text(name, text),
        None => object.raw(name, "null"),
    }
}

fn number(object: &mut Object<'_>, name: &str, number: Option<u64>) {
    if let Some(number) = number {
        object.number(name, number);
    }
}

pub(super) fn connection_state(state: ConnectionState) -> &'static str {
    match state {
        #[cfg(feature = "ag_ui")]
        ConnectionState::Idle => "idle",
        ConnectionState::Connecting => "connecting",
        ConnectionState::CatchingUp => "catching-up",
        ConnectionState::Open => "open",
        ConnectionState::Waiting => "waiting",
        ConnectionState::Stopped => "stopped",
    }
}

fn delivery_state(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Sending => "sending",
        DeliveryState::Waiting => "waiting",
        DeliveryState::Parked => "parked",
        DeliveryState::Sent => "sent",
        DeliveryState::Confirmed => "confirmed",
        DeliveryState::Refused => "refused",
        DeliveryState::Abandoned => "abandoned",
    }
}

pub(super) fn call_state(state: CallState) -> &'static str {
    match state {
        CallState::Received => "received",
        CallState::Checking => "checking",
        CallState::AwaitingUser => "awaiting-user",
        CallState::Queued => "queued",
        CallState::Running => "running",
        CallState::Answered => "answered",
        CallState::Stored => "stored",
        CallState::Sending => "sending",
        CallState::Waiting => "waiting",
        CallState::Sent => "sent",
        CallState::Confirmed => "confirmed",
        CallState::Refused => "refused",
        CallState::Abandoned => "abandoned",
        CallState::Voided => "voided",
    }
}

fn input_class(class: InputClass) -> &'static str {
    match class {
        InputClass::Valid => "valid",
        InputClass::Invalid => "invalid",
        InputClass::Malformed => "malformed",
        InputClass::Unchecked => "unchecked",
    }
}

fn report_status(status: ReportStatus) -> &'static str {
    match status {
        ReportStatus::Completed => "completed",
        ReportStatus::Failed => "failed",
        ReportStatus::Cancelled => "cancelled",
    }
}

fn turn_status(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Completed => "completed",
        TurnStatus::Failed => "failed",
        TurnStatus::Cancelled => "cancelled",
    }
}
