//! One AG-UI event and its bytes: `type` comes first, and an `event:` line only where the switch says so.

use serde_json::{Value, json};

/// An event about to be sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Frame {
    kind: &'static str,
    fields: Value,
}

impl Frame {
    /// An event of that type; `fields` is an object without `type`.
    pub(super) fn new(kind: &'static str, fields: Value) -> Frame {
        Frame { kind, fields }
    }

    /// Its bytes on the stream.
    pub(crate) fn bytes(&self, event_lines: bool) -> Vec<u8> {
        let fields = self.fields.to_string();
        let rest = fields.strip_prefix('{').filter(|rest| *rest != "}");
        let data = match rest {
            Some(rest) => format!(r#"{{"type":"{}",{rest}"#, self.kind),
            None => format!(r#"{{"type":"{}"}}"#, self.kind),
        };
        let line = if event_lines { format!("event: {}\n", self.kind) } else { String::new() };
        format!("{line}data: {data}\n\n").into_bytes()
    }
}

pub(super) fn text_start(id: &str) -> Frame {
    Frame::new("TEXT_MESSAGE_START", json!({ "messageId": id, "role": "assistant" }))
}

pub(super) fn text_content(id: &str, delta: &str) -> Frame {
    Frame::new("TEXT_MESSAGE_CONTENT", json!({ "messageId": id, "delta": delta }))
}

pub(super) fn text_end(id: &str) -> Frame {
    Frame::new("TEXT_MESSAGE_END", json!({ "messageId": id }))
}

pub(super) fn call_start(id: &str, name: &str, parent: Option<&str>) -> Frame {
    let mut fields = json!({ "toolCallId": id, "toolCallName": name });
    if let (Some(parent), Value::Object(fields)) = (parent, &mut fields) {
        fields.insert("parentMessageId".to_owned(), json!(parent));
    }
    Frame::new("TOOL_CALL_START", fields)
}

pub(super) fn call_arguments(id: &str, delta: &str) -> Frame {
    Frame::new("TOOL_CALL_ARGS", json!({ "toolCallId": id, "delta": delta }))
}

pub(super) fn call_end(id: &str) -> Frame {
    Frame::new("TOOL_CALL_END", json!({ "toolCallId": id }))
}

pub(super) fn settled(call: &str, content: &str) -> Frame {
    let fields = json!({ "messageId": call, "toolCallId": call, "content": content, "role": "tool" });
    Frame::new("TOOL_CALL_RESULT", fields)
}
