//! What is kept of a call, so that a page that comes back knows where it was, and that it is over.

use super::ids::CallKey;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// One call's record. A later one replaces an earlier one of the same key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Which call.
    pub key: CallKey,
    /// The tool's name.
    pub tool: String,
    /// How far it got.
    pub progress: Progress,
}

/// How far a call got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum Progress {
    /// The handler was about to run. Not written for tools that may safely run again.
    Started,
    /// There is an answer; these bytes are it.
    Answered {
        /// The body to post.
        body: Rc<str>,
        /// Whether it carries a result rather than an error.
        ok: bool,
    },
    /// It ended. Kept so that reading history cannot run it again, however the network cuts that up.
    Ended,
}
