//! The messages of a session: a tree whose path from the root to the head is the active branch.
//!
//! Messages are never changed or removed; a fork only moves the head.

use serde_json::{Value, json};

use super::body::{DraftMessage, Role};

#[derive(Debug, Clone)]
struct Node {
    id: String,
    parent: Option<String>,
    message: Value,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    head: Option<String>,
}

/// How a page's full view relates to the active branch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// The last message the two share.
    pub(crate) shared_head: Option<String>,
    /// How many messages of the view are shared.
    pub(crate) shared_length: usize,
}

impl Tree {
    pub(crate) fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// Puts a message behind the head; `message` carries the id.
    pub(crate) fn append(&mut self, id: &str, message: Value) {
        self.nodes.push(Node { id: id.to_owned(), parent: self.head.take(), message });
        self.head = Some(id.to_owned());
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.nodes.iter().any(|node| node.id == id)
    }

    pub(crate) fn move_head(&mut self, head: Option<String>) {
        self.head = head;
    }

    /// The active branch, oldest first.
    pub(crate) fn branch(&self) -> Vec<&Value> {
        let mut branch = Vec::new();
        let mut next = self.head.as_deref();
        while let Some(node) = next.and_then(|id| self.nodes.iter().rev().find(|node| node.id == id)) {
            branch.push(&node.message);
            next = node.parent.as_deref();
        }
        branch.reverse();
        branch
    }

    pub(crate) fn on_branch(&self, id: &str) -> bool {
        self.branch().iter().any(|message| message_id(message) == Some(id))
    }

    /// Finds the common start of a view and the active branch: by id, or by looks where the view has none.
    pub(crate) fn fit(&self, view: &[DraftMessage]) -> Fit {
        let branch = self.branch();
        let same = view.iter().zip(&branch).take_while(|(draft, message)| match &draft.id {
            Some(id) => message_id(message) == Some(id.as_str()),
            None => looks_like(draft, message),
        });
        let shared_length = same.count();
        let last = shared_length.checked_sub(1).and_then(|place| branch.get(place));
        let shared_head = last.and_then(|message| message_id(message)).map(str::to_owned);
        Fit { shared_head, shared_length }
    }

    /// `message_tree` of the session view.
    pub(crate) fn view(&self) -> Value {
        let nodes = self
            .nodes
            .iter()
            .map(|node| json!({ "id": node.id, "parent_id": node.parent, "message": node.message }));
        json!({ "head_id": self.head, "nodes": nodes.collect::<Vec<_>>() })
    }
}

pub(crate) fn message_id(message: &Value) -> Option<&str> {
    message.get("id")?.as_str()
}

pub(crate) fn role_of(message: &Value) -> Option<&str> {
    message.get("role")?.as_str()
}

/// Text of a recorded message: a string, or the text of its parts.
pub(crate) fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn looks_like(draft: &DraftMessage, message: &Value) -> bool {
    let role = match draft.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let text = draft.text();
    let answers = message.get("tool_call_id").and_then(Value::as_str);
    role_of(message) == Some(role) && text == text_of(message) && draft.tool_call_id.as_deref() == answers
}
