//! The body of the machine's fuzz target, kept in the crate so that it keeps compiling. Not part of the
//! public interface.
//!
//! Bytes are read as a list of inputs, some of them answers to what the machine asked for, in any order
//! and as often as the bytes like. Whatever they say, the machine must not panic, must keep its caps,
//! must tell the end of a call once, and must say nothing after it was closed.

use super::config::Dialect;
use super::event::Event;
use super::ids::{AskId, CallKey, CheckId, InvocationId, RequestId, WriteId};
use super::input::{Decision, Failure, Input, Outcome, Verdict, Written};
use super::output::{Effect, Output};
use super::record::{Progress, Record};
use super::tool::ToolSpec;
use super::{Config, Machine, Millis};
use std::collections::BTreeMap;

const TOOLS: [&str; 4] = ["read", "write", "ask", "gone"];
const MAX_OPEN: usize = 8;

/// What the machine asked for and was not answered yet, or was and is answered again.
#[derive(Debug, Default)]
struct Asked {
    streams: Vec<RequestId>,
    posts: Vec<RequestId>,
    checks: Vec<CheckId>,
    asks: Vec<AskId>,
    runs: Vec<InvocationId>,
    writes: Vec<WriteId>,
    adoptions: Vec<String>,
}

/// Drives a machine by the bytes.
pub fn fuzz_machine(bytes: &[u8]) {
    let dialect = match bytes.get(1).map(|byte| byte % 5) {
        Some(0) => Dialect::Trigger,
        #[cfg(feature = "ag_ui")]
        Some(1 | 2) => Dialect::AgUi,
        _ => Dialect::Native,
    };
    let config = Config {
        dialect,
        connectable: bytes.get(2).is_some_and(|byte| byte % 3 > 0),
        native_input: bytes.get(2).is_some_and(|byte| byte % 3 == 1),
        max_children: 2,
        session_id: "s".to_owned(),
        agent: "a".to_owned(),
        fresh: bytes.first().is_some_and(|byte| (*byte).is_multiple_of(2)),
        max_open_calls: MAX_OPEN,
        max_running: 3,
        max_turns: 4,
        max_remembered: 16,
        max_frame_bytes: 512,
        ..Config::default()
    };
    let mut now = Millis(1_000_000);
    let mut machine = Machine::new(config, now);
    let mut asked = Asked::default();
    let mut ended: BTreeMap<CallKey, u32> = BTreeMap::new();
    let mut closed = false;
    for pair in bytes.chunks(2) {
        let [what, which] = [pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)];
        now = now.plus(Millis(u64::from(which) * u64::from(what) * 7));
        let Some(input) = input(what, which, &asked, dialect) else { continue };
        let closing = matches!(input, Input::Closed);
        machine.handle(now, input);
        while let Some(output) = machine.poll_output() {
            assert!(!closed, "something was said after the close");
            match output {
                Output::Effect(effect) => note(&effect, &mut asked),
                Output::Event(Event::Called(report) | Event::Failed(report)) => {
                    *ended.entry(report.key.clone()).or_default() += 1;
                }
                Output::Event(_) => {}
            }
        }
        closed |= closing;
        // Calls of the app's own have no cap of their own: it makes them itself.
        let own = ended.keys().filter(|key| key.session_id.is_empty()).count().saturating_add(256);
        assert!(machine.open_calls() <= MAX_OPEN * 2 + own, "calls pile up");
    }
    let twice = ended.iter().find(|(key, times)| !key.session_id.is_empty() && **times > 1);
    assert!(twice.is_none(), "a call ended twice: {twice:?}");
}

fn note(effect: &Effect, asked: &mut Asked) {
    match effect {
        Effect::OpenStream { request, .. } => asked.streams.push(*request),
        #[cfg(feature = "ag_ui")]
        Effect::Run { request, .. } => asked.streams.push(*request),
        Effect::Post { request, .. } => asked.posts.push(*request),
        Effect::Check { check, .. } | Effect::Repair { check, .. } => asked.checks.push(*check),
        Effect::Ask { ask, .. } => asked.asks.push(*ask),
        Effect::Invoke(invoke) => asked.runs.push(invoke.invocation),
        Effect::Persist { write, .. } => asked.writes.push(*write),
        Effect::Adopt { session_id } => asked.adoptions.push(session_id.clone()),
        Effect::Abort { .. }
        | Effect::WithdrawAsk { .. }
        | Effect::Cancel { .. }
        | Effect::ClaimOwnership
        | Effect::Retire { .. } => {}
    }
}

fn pick<T: Copy>(from: &[T], which: u8) -> Option<T> {
    // The newest most often: an answer to a thing long gone is the rarer case.
    let back = usize::from(which % 4).min(from.len().saturating_sub(1));
    from.iter().rev().nth(back).copied()
}

fn input(what: u8, which: u8, asked: &Asked, dialect: Dialect) -> Option<Input> {
    let name = || TOOLS.iter().map(|name| (*name).to_owned()).nth(usize::from(which % 4)).unwrap_or_default();
    Some(match what % 32 {
        0 | 1 => Input::ToolRegistered(Box::new(spec(&name(), which)?)),
        2 => Input::ToolUnregistered { name: name() },
        3 => Input::Attached,
        4 => Input::MessageSent {
            turn_id: format!("t{}", which % 8),
            message_id: "m".to_owned(),
            text: "hello".to_owned(),
            queue: which.is_multiple_of(2),
        },
        5 => Input::Invoked {
            call_id: format!("own{which}"),
            name: name(),
            arguments: arguments(which).to_owned(),
        },
        6 | 7 => Input::StreamOpened {
            request: pick(&asked.streams, which)?,
            status: *[200, 200, 200, 200, 204, 401, 403, 503].get(usize::from(which % 8))?,
            content_type: Some("text/event-stream".to_owned()),
            retry_after: (which > 200).then(|| "3".to_owned()),
        },
        8..=15 => {
            let text = if dialect == Dialect::AgUi { run_frame(what, which) } else { frame(what, which) };
            Input::ChunkArrived { request: pick(&asked.streams, 0)?, bytes: text.into_bytes() }
        }
        16 => {
            let failure = (which.is_multiple_of(2)).then(|| "gone".to_owned());
            Input::StreamClosed { request: pick(&asked.streams, which)?, failure }
        }
        17 | 18 => Input::PostAnswered {
            request: pick(&asked.posts, which)?,
            status: *[202, 202, 202, 401, 404, 409, 413, 500].get(usize::from(which % 8))?,
            retry_after: None,
            body: format!(
                "{{\"session_id\":\"s\",\"turn_id\":\"t{}\",\"queued\":{}}}",
                which % 8,
                which.is_multiple_of(2)
            ),
        },
        19 => Input::PostFailed { request: pick(&asked.posts, which)?, message: "gone".to_owned() },
        20 => Input::Checked {
            check: pick(&asked.checks, which)?,
            verdict: match which % 3 {
                0 => Verdict::Valid,
                1 => Verdict::Invalid(Vec::new()),
                _ => Verdict::Unavailable("no".to_owned()),
            },
        },
        21 => Input::Repaired {
            check: pick(&asked.checks, which)?,
            text: (which.is_multiple_of(2)).then(|| arguments(which).to_owned()),
        },
        22 => Input::Consented {
            ask: pick(&asked.asks, which)?,
            decision: match which % 3 {
                0 => Decision::Allow,
                1 => Decision::AllowEdited { text: arguments(which).to_owned() },
                _ => Decision::Deny { reason: None },
            },
        },
        23 => Input::Settled { invocation: pick(&asked.runs, which)?, outcome: outcome(which) },
        24 => Input::AskingStarted { invocation: pick(&asked.runs, which)? },
        25 => Input::AskingEnded { invocation: pick(&asked.runs, which)? },
        26 | 27 => Input::Persisted {
            write: pick(&asked.writes, which)?,
            result: *[Written::Stored, Written::Stored, Written::Failed, Written::Fenced]
                .get(usize::from(which % 4))?,
        },
        28 => match which % 3 {
            0 => Input::OwnershipGained { records: vec![record(which)] },
            1 => Input::OwnershipLost,
            _ => Input::OwnershipGained { records: Vec::new() },
        },
        29 => Input::NetworkChanged { online: which.is_multiple_of(2) },
        30 => match which % 4 {
            0 => Input::Suspended,
            1 => Input::Resumed,
            2 => Input::Woken,
            _ if which > 200 => {
                let (interrupt_id, cancelled) = (format!("i{}", which % 4), which.is_multiple_of(2));
                Input::InterruptAnswered { interrupt_id, payload: None, cancelled }
            }
            _ if which > 120 => {
                let at = usize::from(which) % asked.adoptions.len().max(1);
                let session_id = asked.adoptions.get(at)?.clone();
                Input::Adopted { session_id, records: vec![record(which)] }
            }
            _ if which > 90 => {
                Input::TurnCancelled { turn_id: format!("t{}", which % 8), reason: "enough".to_owned() }
            }
            _ if which > 80 => Input::RunInputGiven {
                given: "{\"state\":{\"a\":1},\"context\":[],\"messages\":[{\"role\":\"user\"}]}".to_owned(),
            },
            _ => Input::Progressed { invocation: pick(&asked.runs, which)? },
        },
        _ if which == 255 => Input::Closed,
        _ => Input::TimePassed,
    })
}

fn spec(name: &str, which: u8) -> Option<ToolSpec> {
    let flag = |bit: u8| which & bit != 0;
    let policy = if flag(1) { "repair" } else { "reject" };
    let text = format!(
        "{{\"name\":\"{name}\",\"checksInput\":{},\"checksOutput\":{},\"onInvalid\":\"{policy}\",\
         \"asksConsent\":{},\"readOnly\":{},\"timeout\":{},\"lane\":\"l{}\"}}",
        flag(2),
        flag(4),
        name == "ask",
        flag(8),
        if flag(16) { "500" } else { "null" },
        which % 3,
    );
    serde_json::from_str(&text).ok()
}

fn arguments(which: u8) -> &'static str {
    ["{}", "", "null", "{\"a\":1}", "{\"a\":", "[1]"].get(usize::from(which % 6)).copied().unwrap_or("{}")
}

/// A frame with a number near the front, so that order, holes and repeats all occur.
fn frame(what: u8, which: u8) -> String {
    let (call, attempt, seq) = (which % 24, which % 3, u32::from(which) / 4 + u32::from(what % 8));
    let payload = match what % 8 {
        0..=2 => format!(
            "{{\"type\":\"tool.call.requested\",\"id\":\"c{call}\",\"attempt\":{attempt},\"name\":\"{}\",\
             \"arguments\":\"{{}}\",\"handler\":\"client\",\"retry\":{{\"max_attempts\":2,\"run_timeout_secs\":1}}}}",
            TOOLS.get(usize::from(which % 4)).copied().unwrap_or("read"),
        ),
        3 => format!("{{\"type\":\"tool.call.dispatched\",\"id\":\"c{call}\",\"attempt\":{attempt}}}"),
        4 => format!("{{\"type\":\"tool.call.completed\",\"id\":\"c{call}\",\"result\":1}}"),
        5 => format!(
            "{{\"type\":\"tool.call.errored\",\"id\":\"c{call}\",\"retryable\":{}}}",
            which.is_multiple_of(2)
        ),
        6 => match which % 11 {
            0 | 1 => return ":\n\n".to_owned(),
            2 => "{\"type\":\"session.cancelled\"}".to_owned(),
            3 => format!("{{\"type\":\"turn.completed\",\"turn_id\":\"t{}\"}}", which % 8),
            4 => format!("{{\"type\":\"call.voided\",\"kind\":\"tool_call\",\"id\":\"c{call}\"}}"),
            5 | 6 => format!("{{\"type\":\"subagent.started\",\"id\":\"k{}\"}}", which % 5),
            7 => format!("{{\"type\":\"subagent.turn_completed\",\"id\":\"k{}\"}}", which % 5),
            8 => format!("{{\"type\":\"session.interrupted\",\"interrupt_id\":\"i{}\"}}", which % 4),
            9 => format!("{{\"type\":\"session.interrupt_resumed\",\"interrupt_id\":\"i{}\"}}", which % 4),
            _ => {
                let name = TOOLS.get(usize::from(which % 4)).copied().unwrap_or("read");
                return format!(
                    "id: x{seq}\ndata: {{\"type\":\"tool.execute\",\"id\":\"c{call}\",\"attempt\":{attempt},\
                     \"name\":\"{name}\",\"arguments\":\"{{}}\"}}\n\n"
                );
            }
        },
        _ => return format!("id: {seq}\nevent: x\ndata: {{broken {which}\n\n"),
    };
    format!("id: {seq}\ndata: {{\"session_id\":\"s\",\"seq\":{seq},\"payload\":{payload}}}\n\n")
}

/// An event of a run, with calls few enough that they are begun twice, mixed and left open.
fn run_frame(what: u8, which: u8) -> String {
    let (call, message) = (which % 7, which % 5);
    let name = TOOLS.get(usize::from(which % 4)).copied().unwrap_or("read");
    let snapshot = || {
        format!(
            "[{{\"id\":\"u{message}\",\"role\":\"user\",\"content\":\"x\"}},{{\"role\":\"assistant\",\"toolCalls\":[{{\"id\":\
             \"c{call}\",\"type\":\"function\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"\"}}}}]}}]"
        )
    };
    let event = match what % 8 {
        0 => "{\"type\":\"RUN_STARTED\"}".to_owned(),
        1 | 2 => format!(
            "{{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c{call}\",\"toolCallName\":\"{name}\",\
             \"parentMessageId\":\"m{message}\"}}"
        ),
        3 => format!("{{\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"c{call}\",\"delta\":\"{{}}\"}}"),
        4 => match which % 5 {
            0 => "{\"type\":\"RUN_ERROR\",\"message\":\"no\"}".to_owned(),
            1 => format!(
                "{{\"type\":\"RUN_FINISHED\",\"outcome\":{{\"type\":\"interrupt\",\"interrupts\":[{{\"id\":\"i{message}\"}}]}}}}"
            ),
            2 => format!(
                "{{\"type\":\"RUN_FINISHED\",\"outcome\":{{\"type\":\"success\",\"pendingToolCallIds\":[\"c{call}\"]}}}}"
            ),
            _ => "{\"type\":\"RUN_FINISHED\"}".to_owned(),
        },
        5 => format!("{{\"type\":\"TOOL_CALL_RESULT\",\"toolCallId\":\"c{call}\",\"content\":\"1\"}}"),
        6 => match which % 6 {
            0 => return ":\n\n".to_owned(),
            1 => format!("{{\"type\":\"MESSAGES_SNAPSHOT\",\"messages\":{}}}", snapshot()),
            2 => "{\"type\":\"STATE_DELTA\",\"delta\":[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]}"
                .to_owned(),
            3 => "{\"type\":\"CUSTOM\",\"name\":\"on_interrupt\",\"value\":\"{}\"}".to_owned(),
            4 => format!(
                "{{\"type\":\"TOOL_CALL_CHUNK\",\"toolCallId\":\"c{call}\",\"toolCallName\":\"{name}\"}}"
            ),
            _ => return "data: {broken\n\n".to_owned(),
        },
        _ => format!("{{\"type\":\"TEXT_MESSAGE_CHUNK\",\"messageId\":\"m{message}\",\"delta\":\"x\"}}"),
    };
    format!("data: {event}\n\n")
}

fn outcome(which: u8) -> Outcome {
    match which % 3 {
        0 => Outcome::Failed { message: "no".to_owned(), retryable: which > 99, kind: Failure::Threw },
        1 => Outcome::Returned { json: "{\"ok\":true}".to_owned(), media: None },
        _ => Outcome::Returned { json: "not json".to_owned(), media: Some("[{}]".to_owned()) },
    }
}

fn record(which: u8) -> Record {
    let key = CallKey::new("s".to_owned(), format!("c{}", which % 24), u64::from(which % 3));
    let progress = match which % 5 {
        0 => Progress::Started,
        1 => Progress::Ended,
        _ => Progress::Answered { body: "{}".into(), ok: which.is_multiple_of(2) },
    };
    Record { key, tool: "read".to_owned(), progress }
}
