//! Reads configurations and tool descriptions, given as JavaScript objects.
//!
//! By hand and not by serde: these are small and rare, and a derived reader of each is kilobytes of code
//! that every page would load. A property of the wrong type is an error that names it.

use super::thrown::{property, text_of};
use crate::protocol::RawJson;
use crate::protocol::settle::{Encoding, JsonText};
use crate::runtime::config::{Config, Dialect};
use crate::runtime::ids::{CallKey, Millis};
use crate::runtime::record::{Progress, Record};
use crate::runtime::tool::{Mode, OnInvalid, ToolSpec};
use js_sys::Array;
use std::cell::Cell;
use wasm_bindgen::{JsCast, JsError, JsValue};

/// What the driver itself wants to know; the rest of the configuration is the machine's.
#[derive(Debug)]
pub(super) struct Settings {
    /// The engine's address, without a slash at its end.
    pub(super) engine: String,
    /// How the engine speaks, and so where requests go.
    pub(super) dialect: Dialect,
    #[cfg(feature = "ag_ui")]
    /// Where a server of runs is asked for the conversation, if it may be.
    pub(super) connect: Option<String>,
    #[cfg(feature = "ag_ui")]
    /// Where a server of runs that is the native engine takes answers, if it is.
    pub(super) native_input: Option<String>,
    /// Whether the host stores records. If not, they are taken for stored: calls live as long as the page.
    pub(super) stores: bool,
}

/// Reads a configuration.
pub(super) fn configuration(object: &JsValue) -> Result<(Settings, Config), JsError> {
    let from = Reader { object, wrong: Cell::new(None) };
    let dialect = match from.text("transport").as_deref() {
        Some("trigger") => Dialect::Trigger,
        #[cfg(feature = "ag_ui")]
        Some("ag-ui") => Dialect::AgUi,
        _ => Dialect::Native,
    };
    let settings = Settings {
        engine: from.required_text("engine"),
        dialect,
        #[cfg(feature = "ag_ui")]
        connect: from.text("connect"),
        #[cfg(feature = "ag_ui")]
        native_input: from.text("nativeInput"),
        stores: from.flag("stores", false),
    };
    let mut config = Config {
        dialect,
        agent: from.required_text("agent"),
        session_id: from.required_text("sessionId"),
        ..Config::default()
    };
    // As a step of a path these two mean the folder, however they are escaped.
    if matches!(config.session_id.as_str(), "." | "..") {
        return Err(JsError::new("option `session` must not be `.` or `..`"));
    }
    config.fresh = from.flag("fresh", config.fresh);
    config.owner = from.flag("owner", config.owner);
    from.number("seed", &mut config.seed);
    from.number("backoffBase", &mut config.backoff_base.0);
    from.number("backoffMax", &mut config.backoff_max.0);
    from.number("idleTimeout", &mut config.idle_timeout.0);
    from.number("replayQuiet", &mut config.replay_quiet.0);
    from.number("replayPatience", &mut config.replay_patience.0);
    from.number("unknownToolGrace", &mut config.unknown_tool_grace.0);
    from.number("confirmTimeout", &mut config.confirm_timeout.0);
    from.number("checkTimeout", &mut config.check_timeout.0);
    #[cfg(feature = "ag_ui")]
    {
        config.connectable = settings.connect.is_some();
        config.native_input = settings.native_input.is_some();
        from.number("runPatience", &mut config.run_patience.0);
        from.number("stallTimeout", &mut config.stall_timeout.0);
        from.number("connectPatience", &mut config.connect_patience.0);
        from.number("maxIdenticalRounds", &mut config.max_identical_rounds);
        from.number("maxRounds", &mut config.max_rounds);
    }
    from.size("maxOpenCalls", &mut config.max_open_calls);
    from.size("maxRunning", &mut config.max_running);
    from.size("maxRemembered", &mut config.max_remembered);
    from.size("maxFrameBytes", &mut config.max_frame_bytes);
    from.size("maxArgumentBytes", &mut config.max_argument_bytes);
    from.size("maxArgumentDepth", &mut config.max_argument_depth);
    from.size("maxResultBytes", &mut config.max_result_bytes);
    from.size("maxTurns", &mut config.max_turns);
    from.size("maxChildren", &mut config.max_children);
    from.done((settings, config))
}

/// Reads a tool's description. Its schemas come as JSON text, so that no digit of them is lost.
pub(super) fn tool(object: &JsValue) -> Result<ToolSpec, JsError> {
    let from = Reader { object, wrong: Cell::new(None) };
    let spec = ToolSpec {
        name: from.required_text("name"),
        description: from.text("description"),
        version: from.text("version"),
        input: from.json("input"),
        output: from.json("output"),
        checks_input: from.flag("checksInput", false),
        checks_output: from.flag("checksOutput", false),
        on_invalid: match from.text("onInvalid").as_deref() {
            Some("run") => OnInvalid::Run,
            Some("repair") => OnInvalid::Repair,
            _ => OnInvalid::Reject,
        },
        mode: match from.text("mode").as_deref() {
            Some("silent") => Mode::Silent,
            _ => Mode::Feedback,
        },
        asks_consent: from.flag("asksConsent", false),
        read_only: from.flag("readOnly", false),
        idempotent: from.flag("idempotent", false),
        timeout: from.get("timeout", JsValue::as_f64).map(|span| Millis(span as u64)),
        lane: from.text("lane"),
        encoding: match from.text("encoding").as_deref() {
            Some("plain") => Encoding::Plain,
            Some("wrapped") => Encoding::Wrapped,
            _ => Encoding::Auto,
        },
    };
    from.done(spec)
}

/// Reads what a store kept, a list of flat objects. One that makes no sense is left out: the facade has
/// warned of it.
pub(super) fn kept(list: &JsValue) -> Vec<Record> {
    let Some(list) = list.dyn_ref::<Array>() else { return Vec::new() };
    list.iter().filter_map(|object| record(&object)).collect()
}

fn record(object: &JsValue) -> Option<Record> {
    let attempt = property(object, "attempt")?.as_f64()? as u64;
    let key = CallKey::new(text_of(object, "sessionId")?, text_of(object, "callId")?, attempt);
    let progress = match text_of(object, "state")?.as_str() {
        "started" => Progress::Started,
        "answered" => Progress::Answered {
            body: text_of(object, "body")?.into(),
            ok: property(object, "ok")?.as_bool()?,
        },
        "ended" => Progress::Ended,
        _ => return None,
    };
    Some(Record { key, tool: String::new(), progress })
}

/// An object being read, and the first property that was not what it should be.
struct Reader<'o> {
    object: &'o JsValue,
    wrong: Cell<Option<&'static str>>,
}

impl Reader<'_> {
    fn get<T>(&self, name: &'static str, read: impl FnOnce(&JsValue) -> Option<T>) -> Option<T> {
        let found = property(self.object, name)?;
        let value = read(&found);
        if value.is_none() {
            self.blame(name);
        }
        value
    }

    fn blame(&self, name: &'static str) {
        self.wrong.set(Some(self.wrong.get().unwrap_or(name)));
    }

    fn text(&self, name: &'static str) -> Option<String> {
        self.get(name, JsValue::as_string)
    }

    fn required_text(&self, name: &'static str) -> String {
        self.text(name).unwrap_or_else(|| {
            self.blame(name);
            String::new()
        })
    }

    fn json(&self, name: &'static str) -> Option<RawJson> {
        self.get(name, |value| Some(JsonText::new(&value.as_string()?).ok()?.into()))
    }

    fn flag(&self, name: &'static str, default: bool) -> bool {
        self.get(name, JsValue::as_bool).unwrap_or(default)
    }

    /// Changes a number if another is given. Kept out of line: one read after another was kilobytes.
    #[inline(never)]
    fn number(&self, name: &'static str, number: &mut u64) {
        if let Some(given) = self.get(name, JsValue::as_f64) {
            // A cast saturates: what is below zero or no number is zero.
            *number = given as u64;
        }
    }

    #[inline(never)]
    fn size(&self, name: &'static str, size: &mut usize) {
        let mut number = *size as u64;
        self.number(name, &mut number);
        *size = usize::try_from(number).unwrap_or(usize::MAX);
    }

    fn done<T>(self, made: T) -> Result<T, JsError> {
        match self.wrong.get() {
            None => Ok(made),
            Some(name) => Err(JsError::new(name)),
        }
    }
}
