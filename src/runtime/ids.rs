//! Newtypes for what must not be mixed up: times and handles.
//!
//! Handles are minted by the machine and mean nothing outside it; a shell hands them back unread.

use crate::protocol::settle::write::Object;
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::rc::Rc;

/// Milliseconds: a moment on the shell's clock, or a span between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// The moment `span` after this one; stays at the end of time rather than wrapping.
    #[must_use]
    pub fn plus(self, span: Millis) -> Millis {
        Millis(self.0.saturating_add(span.0))
    }

    /// The span since `earlier`, or zero if that is later.
    #[must_use]
    pub fn since(self, earlier: Millis) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);
    };
}

handle!(
    /// One HTTP request of the shell, a stream or a post.
    RequestId
);
handle!(
    /// One question to a validator.
    CheckId
);
handle!(
    /// One question to a person.
    AskId
);
handle!(
    /// One run of a tool's handler.
    InvocationId
);
handle!(
    /// One write to the store.
    WriteId
);

/// What makes a call one of a kind: a newer attempt is a fresh call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallId {
    /// The session the call belongs to.
    pub session_id: String,
    /// The engine's id of the call.
    pub call_id: String,
    /// The attempt, as the engine counts.
    pub attempt: u64,
}

/// A [`CallId`] as it is passed around: everything that is said of a call carries one, so a copy is one word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallKey(Rc<CallId>);

impl CallKey {
    /// The key of this call.
    #[must_use]
    pub fn new(session_id: String, call_id: String, attempt: u64) -> Self {
        CallKey(Rc::new(CallId { session_id, call_id, attempt }))
    }

    /// Writes the three members.
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("sessionId", &self.session_id);
        object.text("callId", &self.call_id);
        object.number("attempt", self.attempt);
    }
}

impl Deref for CallKey {
    type Target = CallId;

    fn deref(&self) -> &CallId {
        &self.0
    }
}
