//! One event of a run's stream, as far as the runtime has to do with it.

use crate::protocol::frame::CallError;
use crate::protocol::json::{self, RawJson};
use std::borrow::Cow;

/// What a server said in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The run began; with what it was asked, where the server repeats that: a JSON array of messages.
    RunStarted {
        /// The messages of the request.
        messages: Option<RawJson>,
    },
    /// The run ended.
    RunFinished {
        /// How.
        outcome: Outcome,
        /// What it returned, if anything.
        result: Option<RawJson>,
    },
    /// The run failed.
    RunError(CallError),
    /// A message begins.
    MessageStart {
        /// Its id.
        id: String,
        /// Who speaks; `reasoning` for what the model thinks.
        role: String,
    },
    /// A piece of a message; begins one where none of its id is there.
    MessagePiece {
        /// Its id; `None` goes on with the last.
        id: Option<String>,
        /// Who speaks, where the piece says so.
        role: Option<String>,
        /// The text to append.
        delta: String,
    },
    /// A message is whole.
    MessageEnd {
        /// Its id.
        id: String,
    },
    /// A call begins, perhaps once more.
    CallStart {
        /// Its id.
        id: String,
        /// The tool's name.
        name: String,
        /// The message that makes it, where the server says so.
        parent: Option<String>,
    },
    /// A piece of a call's arguments; begins a call where it names a tool and none of its id is there.
    CallPiece {
        /// Its id; `None` goes on with the last.
        id: Option<String>,
        /// The tool's name, on the piece that begins it.
        name: Option<String>,
        /// The message that makes it, where the server says so.
        parent: Option<String>,
        /// The text to append.
        delta: String,
    },
    /// A call's arguments are whole.
    CallEnd {
        /// Its id.
        id: String,
    },
    /// The server has a call's answer: it is none of ours.
    CallResult {
        /// The call's id.
        id: String,
        /// The id of the tool message.
        message_id: Option<String>,
        /// The content: a JSON string, or an array of parts.
        content: RawJson,
    },
    /// The transcript as the server has it, a JSON array of messages.
    Messages(RawJson),
    /// The agent's state, whole.
    State(RawJson),
    /// A JSON Patch of the agent's state.
    StatePatch(RawJson),
    /// What an agent does meanwhile, whole.
    Activity {
        /// The message that shows it.
        message_id: String,
        /// What kind it is.
        activity_type: String,
        /// Its content.
        content: RawJson,
        /// Whether it takes the place of one that is there.
        replace: bool,
    },
    /// A JSON Patch of such.
    ActivityPatch {
        /// The message that shows it.
        message_id: String,
        /// What kind it is.
        activity_type: String,
        /// The patch.
        patch: RawJson,
    },
    /// A step began or ended.
    Step {
        /// Its name.
        name: String,
        /// Whether it began.
        started: bool,
    },
    /// Something of the server's own.
    Custom {
        /// Its name.
        name: String,
        /// Its value.
        value: RawJson,
    },
    /// A value that only the server can read, to be sent back with the message or call it belongs to.
    Sealed {
        /// The message's or the call's id.
        entity: String,
        /// The value.
        value: String,
    },
    /// A beginning or an end that says nothing by itself.
    Nothing,
    /// A kind that is not known, or an event that another agent than the page's said: kept whole.
    Kept {
        /// The kind.
        name: String,
        /// The event.
        event: RawJson,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Somebody stopped it.
    pub cancelled: bool,
    /// What it waits for.
    pub suspensions: Vec<Suspension>,
    /// The calls that the page is to answer, where the server lists them.
    pub pending: Option<Vec<String>>,
}

/// What a run waits for before it can go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspension {
    /// The interrupt's id.
    pub id: String,
    /// Why.
    pub reason: Option<String>,
    /// The call it is about, where there is one.
    pub call_id: Option<String>,
    /// All that the server says of it.
    pub whole: RawJson,
}

impl Suspension {
    /// Whether it says no more than that a call is the page's to run.
    #[must_use]
    pub fn is_client_tool(&self) -> bool {
        let reason = self.reason.as_deref().unwrap_or_default();
        self.call_id.is_some() && reason.ends_with("client_tool_execution")
    }
}

const NAMES: [&str; 23] = [
    "type",
    "messageId",
    "delta",
    "role",
    "toolCallId",
    "toolCallName",
    "parentMessageId",
    "content",
    "snapshot",
    "messages",
    "input",
    "outcome",
    "result",
    "message",
    "code",
    "stepName",
    "name",
    "value",
    "activityType",
    "patch",
    "replace",
    "entityId",
    "encryptedValue",
];

/// The members of an event, each as the text it came in.
struct Members<'a>([Option<&'a str>; 23]);

impl<'a> Members<'a> {
    fn raw(&self, name: &str) -> Option<&'a str> {
        let at = NAMES.iter().position(|known| *known == name)?;
        self.0.get(at).copied().flatten()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.raw(name).and_then(json::text).map(Cow::into_owned)
    }

    /// An id, where there is one that says something.
    fn id(&self, name: &str) -> Option<String> {
        self.text(name).filter(|id| !id.is_empty())
    }

    fn need(&self, name: &'static str) -> Result<String, &'static str> {
        self.text(name).ok_or(name)
    }

    fn value(&self, name: &str) -> Option<RawJson> {
        self.raw(name).map(json::value)
    }

    /// A call's id: nothing could be answered under an empty one.
    fn need_call(&self) -> Result<String, &'static str> {
        self.id("toolCallId").ok_or("toolCallId")
    }

    fn need_value(&self, name: &'static str) -> Result<RawJson, &'static str> {
        self.value(name).ok_or(name)
    }

    fn piece(&self, role: Option<String>) -> Said {
        Said::MessagePiece { id: self.text("messageId"), role, delta: self.text("delta").unwrap_or_default() }
    }
}

/// Reads one event. `name` is the stream's own name of it, which counts where the data has no `type`.
///
/// # Errors
/// What the event lacks.
pub fn read(name: &str, data: &str) -> Result<Said, &'static str> {
    let Some(found) = json::pick(data, NAMES) else { return Err("a JSON object") };
    let of = Members(found);
    let Some(kind) =
        of.text("type").or_else(|| (!name.is_empty() && name != "message").then(|| name.to_owned()))
    else {
        return Err("a type");
    };
    let [sub] = json::pick(data, ["subagentRunId"]).unwrap_or_default();
    if sub.is_some() && !kind.starts_with("TOOL_CALL_") {
        return Ok(Said::Kept { name: kind, event: json::value(data.trim()) });
    }
    Ok(match kind.as_str() {
        "RUN_STARTED" => {
            let input = of.raw("input").and_then(|input| json::pick(input, ["messages"]));
            Said::RunStarted { messages: input.and_then(|[messages]| messages).map(json::value) }
        }
        "RUN_FINISHED" => Said::RunFinished {
            outcome: of.raw("outcome").map(outcome).unwrap_or_default(),
            result: of.value("result"),
        },
        "RUN_ERROR" => Said::RunError(CallError {
            message: of.text("message").unwrap_or_else(|| "the run failed".to_owned()),
            code: of.text("code"),
        }),
        "TEXT_MESSAGE_START" => Said::MessageStart {
            id: of.need("messageId")?,
            role: of.text("role").unwrap_or_else(|| "assistant".to_owned()),
        },
        "REASONING_MESSAGE_START" | "THINKING_TEXT_MESSAGE_START" => {
            let id = of.text("messageId").unwrap_or_else(|| "thinking".to_owned());
            Said::MessageStart { id, role: "reasoning".to_owned() }
        }
        "TEXT_MESSAGE_CONTENT" => {
            of.need("messageId")?;
            of.piece(None)
        }
        "TEXT_MESSAGE_CHUNK" => of.piece(of.text("role").or_else(|| Some("assistant".to_owned()))),
        "REASONING_MESSAGE_CONTENT" | "REASONING_MESSAGE_CHUNK" | "THINKING_TEXT_MESSAGE_CONTENT" => {
            of.piece(Some("reasoning".to_owned()))
        }
        "TEXT_MESSAGE_END" | "REASONING_MESSAGE_END" => Said::MessageEnd { id: of.need("messageId")? },
        "TOOL_CALL_START" => Said::CallStart {
            id: of.need_call()?,
            name: of.need("toolCallName")?,
            parent: of.id("parentMessageId"),
        },
        "TOOL_CALL_ARGS" => {
            Said::CallPiece { id: Some(of.need_call()?), name: None, parent: None, delta: of.need("delta")? }
        }
        "TOOL_CALL_CHUNK" => Said::CallPiece {
            id: of.id("toolCallId"),
            name: of.text("toolCallName"),
            parent: of.id("parentMessageId"),
            delta: of.text("delta").unwrap_or_default(),
        },
        "TOOL_CALL_END" => Said::CallEnd { id: of.need_call()? },
        "TOOL_CALL_RESULT" => Said::CallResult {
            id: of.need_call()?,
            message_id: of.id("messageId"),
            content: of.value("content").unwrap_or_default(),
        },
        "MESSAGES_SNAPSHOT" => Said::Messages(of.need_value("messages")?),
        // A state may be `null`.
        "STATE_SNAPSHOT" => Said::State(of.value("snapshot").unwrap_or_default()),
        "STATE_DELTA" => Said::StatePatch(of.need_value("delta")?),
        "ACTIVITY_SNAPSHOT" => Said::Activity {
            message_id: of.need("messageId")?,
            activity_type: of.need("activityType")?,
            content: of.need_value("content")?,
            replace: of.raw("replace") != Some("false"),
        },
        "ACTIVITY_DELTA" => Said::ActivityPatch {
            message_id: of.need("messageId")?,
            activity_type: of.need("activityType")?,
            patch: of.need_value("patch")?,
        },
        "STEP_STARTED" => Said::Step { name: of.need("stepName")?, started: true },
        "STEP_FINISHED" => Said::Step { name: of.need("stepName")?, started: false },
        "CUSTOM" => Said::Custom { name: of.need("name")?, value: of.value("value").unwrap_or_default() },
        "REASONING_ENCRYPTED_VALUE" => {
            Said::Sealed { entity: of.need("entityId")?, value: of.need("encryptedValue")? }
        }
        "REASONING_START"
        | "REASONING_END"
        | "THINKING_START"
        | "THINKING_END"
        | "THINKING_TEXT_MESSAGE_END" => Said::Nothing,
        _ => Said::Kept { name: kind, event: json::value(data.trim()) },
    })
}

fn outcome(outcome: &str) -> Outcome {
    let Some([kind, interrupts, pending]) = json::pick(outcome, ["type", "interrupts", "pendingToolCallIds"])
    else {
        return Outcome::default();
    };
    let kind = kind.and_then(json::text).unwrap_or_default();
    let interrupts = interrupts.filter(|_| kind == "interrupt").and_then(json::items).unwrap_or_default();
    let pending = pending
        .and_then(json::items)
        .map(|ids| ids.into_iter().filter_map(json::text).map(Cow::into_owned).collect::<Vec<_>>());
    Outcome {
        cancelled: kind == "cancelled",
        suspensions: interrupts.into_iter().filter_map(suspension).collect(),
        pending: pending.filter(|ids| !ids.is_empty()),
    }
}

/// Reads what a run waits for; `None` without an id, by which alone it could be answered.
fn suspension(whole: &str) -> Option<Suspension> {
    let [id, reason, call_id] = json::pick(whole, ["id", "reason", "toolCallId"])?;
    Some(Suspension {
        id: id.and_then(json::text)?.into_owned(),
        reason: reason.and_then(json::text).map(Cow::into_owned),
        call_id: call_id.and_then(json::text).map(Cow::into_owned),
        whole: json::value(whole),
    })
}
