//! Reading what the engine answers to a post. Both readers take anything: a proxy's page, an older
//! engine's plain text, nothing at all.

use super::clip;
use crate::protocol::json;
use std::borrow::Cow;

/// The characters of a refusal's text that are kept.
const MAX_REFUSAL_CHARS: usize = 300;

/// The body of a 202.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The session.
    pub session_id: String,
    /// The turn that took the input, or that stood in its way.
    pub turn_id: Option<String>,
    /// Whether the input waits for the running turn.
    pub queued: bool,
}

impl Accepted {
    /// Reads the body; `None` when it is not the engine's.
    #[must_use]
    pub fn read(body: &str) -> Option<Self> {
        let [session_id, turn_id, queued] = json::pick(body, ["session_id", "turn_id", "queued"])?;
        Some(Self {
            session_id: session_id.and_then(json::text)?.into_owned(),
            turn_id: turn_id.and_then(json::text).map(Cow::into_owned),
            queued: queued.and_then(json::flag).unwrap_or(false),
        })
    }

    /// Whether a submit of this turn was taken. An engine that is busy accepts a message, names the
    /// turn that runs, and drops the message.
    #[must_use]
    pub fn took(&self, turn_id: &str) -> bool {
        self.queued || self.turn_id.as_deref() == Some(turn_id)
    }
}

/// What a refusal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its text, shortened; empty when there was none.
    pub text: String,
    /// The part of the body it is about, where the engine says.
    pub param: Option<String>,
}

/// Why a settle conflicts with what the engine knows. Only the text tells these apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// The call is settled, voided, or waits for its next attempt.
    NotPending,
    /// Another attempt is current.
    AttemptMismatch,
    /// The session is unknown or never had a turn.
    NoActiveTurn,
    /// Something this version does not know.
    Other,
}

impl Refusal {
    /// Reads the body of a refusal.
    #[must_use]
    pub fn read(body: &str) -> Self {
        let [error, param] = json::pick(body, ["error", "param"]).unwrap_or_default();
        let text = error.and_then(json::text).unwrap_or(Cow::Borrowed(body));
        Self {
            text: clip(text.trim_ascii(), MAX_REFUSAL_CHARS).into_owned(),
            param: param.and_then(json::text).map(Cow::into_owned),
        }
    }

    /// What kind of conflict a 409 with this text is.
    #[must_use]
    pub fn conflict(&self) -> Conflict {
        let text = self.text.to_ascii_lowercase();
        if text.contains("attempt") {
            Conflict::AttemptMismatch
        } else if text.contains("not pending") {
            Conflict::NotPending
        } else if text.contains("no active turn") {
            Conflict::NoActiveTurn
        } else {
            Conflict::Other
        }
    }
}
