//! One way in which a value breaks its schema, and how a list of them is ordered and put into words.
//!
//! The message is written for a model that has to repair its call: where, what was expected, what came.
//! Every checker makes the same issues for the same fault, so the order here is by place, not by discovery.

use core::cmp::Ordering;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::wording::shorten;

/// How many issues [`render`] spells out before it says how many more there are.
pub const MAX_RENDERED: usize = 3;

/// Characters of a path that a message repeats: names of properties come from the model too.
const PATH_CAP: usize = 120;

/// One way in which a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Issue {
    /// Where in the value, as a JSON pointer; empty for the root.
    pub path: String,
    /// The schema keyword that refused, or `syntax`, `size` or `nesting` where no schema was reached.
    pub keyword: String,
    /// A whole sentence for a model, with the path in front unless it is the root.
    pub message: String,
    /// What the schema asks for, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What came, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// What to do about it, where that can be guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Issue {
    /// An issue whose message is `reason` with the path in front.
    #[must_use]
    pub fn new(path: &str, keyword: &str, reason: &str) -> Self {
        let message = if path.is_empty() {
            reason.to_owned()
        } else {
            format!("{}: {reason}", shorten(path, PATH_CAP))
        };
        Self {
            path: path.to_owned(),
            keyword: keyword.to_owned(),
            message,
            expected: None,
            got: None,
            hint: None,
        }
    }

    /// The message without the path in front: for a form that shows it beside the field.
    #[must_use]
    pub fn reason(&self) -> &str {
        if self.path.is_empty() {
            return &self.message;
        }
        self.message
            .strip_prefix(shorten(&self.path, PATH_CAP).as_str())
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(&self.message)
    }

    pub(crate) fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    pub(crate) fn having(mut self, got: impl Into<String>) -> Self {
        self.got = Some(got.into());
        self
    }

    pub(crate) fn hinting(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// The text a model reads: at most [`MAX_RENDERED`] issues, then how many were left out.
#[must_use]
pub fn render(issues: &[Issue]) -> String {
    let mut text = String::new();
    for issue in issues.iter().take(MAX_RENDERED) {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&issue.to_string());
    }
    let more = issues.len().saturating_sub(MAX_RENDERED);
    if more > 0 {
        text.push_str(&format!(" (+{more} more)"));
    }
    text
}

/// Puts issues in their one order and drops repeats: by path (array indexes as numbers, parents before
/// children), then by keyword, then by message.
pub fn tidy(issues: &mut Vec<Issue>) {
    // Inserted one by one: they are few, and nearly in order.
    let mut sorted: Vec<Issue> = Vec::with_capacity(issues.len());
    for issue in issues.drain(..) {
        let at = sorted.partition_point(|other| compare(other, &issue) == Ordering::Less);
        if sorted.get(at).is_none_or(|other| compare(other, &issue) != Ordering::Equal) {
            sorted.insert(at, issue);
        }
    }
    *issues = sorted;
}

fn compare(left: &Issue, right: &Issue) -> Ordering {
    compare_paths(&left.path, &right.path)
        .then_with(|| rank(&left.keyword).cmp(&rank(&right.keyword)))
        .then_with(|| left.keyword.cmp(&right.keyword))
        .then_with(|| left.message.cmp(&right.message))
}

/// A wrong type explains everything else at its place, and a missing property comes before a stray one.
fn rank(keyword: &str) -> u8 {
    match keyword {
        "type" => 0,
        "required" => 1,
        "additionalProperties" | "unevaluatedProperties" => 2,
        _ => 3,
    }
}

fn compare_paths(left: &str, right: &str) -> Ordering {
    let mut left = left.split('/');
    let mut right = right.split('/');
    loop {
        return match (left.next(), right.next()) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(one), Some(other)) if one == other => continue,
            (Some(one), Some(other)) => match (one.parse::<u64>(), other.parse::<u64>()) {
                (Ok(first), Ok(second)) => first.cmp(&second).then_with(|| one.cmp(other)),
                (Ok(_), Err(_)) => Ordering::Less,
                (Err(_), Ok(_)) => Ordering::Greater,
                (Err(_), Err(_)) => one.cmp(other),
            },
        };
    }
}
