//! What is kept of a call, so that a page that comes back knows where it was, and that it is over.

use super::ids::CallKey;
use crate::protocol::settle::write::Object;
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

impl Record {
    /// The record as JSON, as the store keeps it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.object("key", |key| self.key.write(key));
        object.text("tool", &self.tool);
        object.object("progress", |progress| match &self.progress {
            Progress::Started => progress.text("state", "started"),
            Progress::Answered { body, ok } => {
                progress.text("state", "answered");
                progress.text("body", body);
                progress.flag("ok", *ok);
            }
            Progress::Ended => progress.text("state", "ended"),
        });
        object.end();
        out
    }
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

#[cfg(test)]
mod tests {
    use super::{CallKey, Progress, Record};

    #[test]
    fn a_record_reads_back_as_it_was_written() {
        let key = CallKey::new("s\"1".to_owned(), "c".to_owned(), u64::MAX);
        for progress in [
            Progress::Started,
            Progress::Answered { body: "{\"a\":\"\u{1}\"}".into(), ok: true },
            Progress::Ended,
        ] {
            let record = Record { key: key.clone(), tool: "paint".to_owned(), progress };
            assert_eq!(serde_json::from_str::<Record>(&record.to_json()).ok(), Some(record));
        }
    }
}
