//! The encodings of a tool result: what a page may send, what is stored, what the model is given.
//!
//! Nested, flattened and plain values all end as one [`ToolResult`]. Reading never fails: a value that is
//! not strictly a wrapped result is a plain value.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::body::ToolResultBody;
use super::switches::ResultForm;

/// One content block as a page sends it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ToolContent {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Image {
        data: String,
        mime_type: String,
    },
    #[serde(rename_all = "camelCase")]
    Audio {
        data: String,
        mime_type: String,
    },
    Resource {
        resource: Map<String, Value>,
    },
    #[serde(rename_all = "camelCase")]
    ResourceLink {
        uri: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
}

/// A result after reading.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ToolResult {
    #[serde(default)]
    pub(crate) content: Vec<ToolContent>,
    #[serde(default)]
    pub(crate) structured_content: Option<Value>,
    #[serde(default)]
    pub(crate) is_error: bool,
}

/// `result` and `content` were both given.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BothGiven;

impl ToolResult {
    /// One text block: a string as it is, anything else as JSON text.
    pub(crate) fn plain(value: &Value) -> ToolResult {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        ToolResult { content: vec![ToolContent::Text { text }], ..ToolResult::default() }
    }

    /// The result a body carries.
    pub(crate) fn from_body(body: ToolResultBody, form: ResultForm) -> Result<ToolResult, BothGiven> {
        let ToolResultBody { result, content, structured_content, is_error, .. } = body;
        match (result, content, form) {
            (Some(_), Some(_), _) => Err(BothGiven),
            (Some(value), None, form) => Ok(ToolResult::from_value(&value, form)),
            (None, content, _) => {
                let content = content.unwrap_or_default();
                Ok(ToolResult { content, structured_content, is_error })
            }
        }
    }

    /// The result a bare value stands for.
    pub(crate) fn from_value(value: &Value, form: ResultForm) -> ToolResult {
        match form {
            ResultForm::Text => ToolResult::plain(value),
            ResultForm::ToolResult => ToolResult::nested(value),
        }
    }

    fn nested(value: &Value) -> ToolResult {
        let wrapped = ToolResult::deserialize(value)
            .ok()
            .filter(|result| !result.content.is_empty() || result.structured_content.is_some());
        wrapped.unwrap_or_else(|| ToolResult::plain(value))
    }

    /// What the model reads: the structured content instead of the text, if there is any.
    pub(crate) fn rendered(&self) -> String {
        if let Some(value) = &self.structured_content {
            return value.to_string();
        }
        let texts = self.content.iter().filter_map(|block| match block {
            ToolContent::Text { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The form that events carry; `blob` names inline media.
    pub(crate) fn stored(&self, form: ResultForm, mut blob: impl FnMut() -> String) -> Value {
        if form == ResultForm::Text {
            return Value::String(self.rendered());
        }
        let content = self.content.iter().map(|block| stored_block(block, &mut blob));
        let mut stored = json!({ "content": content.collect::<Vec<_>>() });
        if let Value::Object(fields) = &mut stored {
            if let Some(value) = &self.structured_content {
                fields.insert("structuredContent".to_owned(), value.clone());
            }
            if self.is_error {
                fields.insert("isError".to_owned(), Value::Bool(true));
            }
        }
        stored
    }
}

fn stored_block(block: &ToolContent, blob: &mut impl FnMut() -> String) -> Value {
    match block {
        ToolContent::Text { text } => json!({ "type": "text", "text": text }),
        ToolContent::Image { .. } | ToolContent::Audio { .. } => {
            json!({ "type": "blob", "uri": blob() })
        }
        ToolContent::Resource { resource } => json!({ "type": "attachment", "resource": resource }),
        ToolContent::ResourceLink { uri, name, mime_type } => {
            let mut link = Map::new();
            link.insert("type".to_owned(), json!("link"));
            link.insert("uri".to_owned(), json!(uri));
            for (key, value) in [("name", name), ("mimeType", mime_type)] {
                if let Some(value) = value {
                    link.insert(key.to_owned(), json!(value));
                }
            }
            Value::Object(link)
        }
    }
}

/// The content of the tool message for a stored result: text, and parts where there are media.
pub(crate) fn message_content(rendered: &str, stored: &Value) -> Value {
    let blocks = stored.get("content").and_then(Value::as_array);
    let media: Vec<&Value> = blocks
        .into_iter()
        .flatten()
        .filter(|block| block.get("type").and_then(Value::as_str) != Some("text"))
        .collect();
    if media.is_empty() {
        return json!(rendered);
    }
    let text = (!rendered.is_empty()).then(|| json!({ "type": "text", "text": rendered }));
    Value::Array(text.into_iter().chain(media.into_iter().cloned()).collect())
}
