//! One message of a transcript: what the runtime has to know of it, and its text as it travels.
//!
//! A message that a server made travels back as the server wrote it, with whatever only that server understands.

use crate::protocol::json;
use crate::protocol::settle::write::Object;
use std::borrow::Cow;
use std::rc::Rc;

/// A message of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: String,
    /// Who speaks.
    pub role: String,
    /// Its text, where it has one.
    pub text: Option<String>,
    /// The call that a tool message answers.
    pub call_id: Option<String>,
    /// The calls that an assistant's message makes.
    pub calls: Vec<Called>,
    /// The message as it travels.
    pub json: Rc<str>,
}

/// A call in an assistant's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: String,
    /// A value of the server's that goes back with it.
    pub sealed: Option<String>,
}

impl Message {
    /// Reads a message; `None` for what has no role. One without an id gets the one that is offered.
    #[must_use]
    pub fn read(whole: &str, spare_id: &dyn Fn() -> String) -> Option<Self> {
        let names = ["id", "role", "content", "toolCallId", "toolCalls"];
        let [id, role, content, call_id, calls] = json::pick(whole, names)?;
        let role = role.and_then(json::text)?.into_owned();
        let listed = calls.and_then(json::items).unwrap_or_default();
        let mut calls: Vec<Called> = Vec::new();
        let mut odd = false;
        for call in listed {
            let Some(call) = Called::read(call) else {
                odd = true;
                continue;
            };
            // A server may list a call twice, or with arguments that no other would read.
            let known = calls.iter().any(|known| known.id == call.id);
            odd |= known || json::document(&call.arguments).is_none();
            if !known {
                calls.push(call);
            }
        }
        let given_id = id.and_then(json::text).map(Cow::into_owned).filter(|id| !id.is_empty());
        let text = content.and_then(|content| match json::text(content) {
            Some(text) => Some(text.into_owned()),
            None => parts_text(content),
        });
        // A reply that only makes calls says nothing.
        let text = text.filter(|text| role != "assistant" || !text.is_empty());
        let whole_as_is = !odd && given_id.is_some();
        let id = given_id.unwrap_or_else(spare_id);
        let call_id = call_id.and_then(json::text).map(Cow::into_owned);
        if !whole_as_is && role == "assistant" {
            return Some(Self::assistant(id, text.unwrap_or_default(), calls, None));
        }
        let json = if whole_as_is {
            whole.into()
        } else {
            let mut out = String::new();
            let mut object = Object::begin(&mut out);
            object.text("id", &id);
            object.text("role", &role);
            object.raw("content", content.unwrap_or("\"\""));
            object.optional_text("toolCallId", call_id.as_deref());
            object.end();
            out.into()
        };
        Some(Self { id, role, text, call_id, calls, json })
    }

    /// Reads an array of messages, passing over what is none.
    #[must_use]
    pub fn read_all(list: &str, spare_id: &dyn Fn() -> String) -> Vec<Self> {
        json::items(list)
            .unwrap_or_default()
            .into_iter()
            .filter_map(|one| Self::read(one, spare_id))
            .collect()
    }

    /// What a person says.
    #[must_use]
    pub fn user(id: &str, text: &str) -> Self {
        Self::spoken(id.to_owned(), "user", text.to_owned(), None)
    }

    /// A message of text alone.
    #[must_use]
    pub fn spoken(id: String, role: &str, text: String, sealed: Option<&str>) -> Self {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.text("id", &id);
        object.text("role", role);
        object.text("content", &text);
        object.optional_text("encryptedValue", sealed);
        object.end();
        Self {
            id,
            role: role.to_owned(),
            text: Some(text),
            call_id: None,
            calls: Vec::new(),
            json: out.into(),
        }
    }

    /// A model's reply. Arguments that are no JSON travel as `{}`: some servers break at anything else, and the
    /// call's answer says what was wrong.
    #[must_use]
    pub fn assistant(id: String, text: String, calls: Vec<Called>, sealed: Option<&str>) -> Self {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.text("id", &id);
        object.text("role", "assistant");
        if !text.is_empty() || calls.is_empty() {
            object.text("content", &text);
        }
        object.optional_text("encryptedValue", sealed);
        if !calls.is_empty() {
            object.list("toolCalls", &calls, Called::write);
        }
        object.end();
        let role = "assistant".to_owned();
        Self {
            id,
            role,
            text: Some(text).filter(|text| !text.is_empty()),
            call_id: None,
            calls,
            json: out.into(),
        }
    }

    /// A call's answer. `content` is text, or with `raw` JSON of parts.
    #[must_use]
    pub fn tool(id: String, call_id: String, content: &str, raw: bool, is_error: bool) -> Self {
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        object.text("id", &id);
        object.text("role", "tool");
        object.text("toolCallId", &call_id);
        if raw {
            object.raw("content", content);
        } else {
            object.text("content", content);
        }
        if is_error {
            let said = if raw { json::text(content) } else { None };
            object.text("error", &said.unwrap_or(Cow::Borrowed(content)));
        }
        object.end();
        let text =
            if raw { json::text(content).map(Cow::into_owned).or_else(|| parts_text(content)) } else { None };
        let (role, text) = ("tool".to_owned(), text.or_else(|| Some(content.to_owned())));
        Self { id, role, text, call_id: Some(call_id), calls: Vec::new(), json: out.into() }
    }

    /// The same message under another id.
    #[must_use]
    pub fn renamed(self, id: String) -> Self {
        if let Some(call_id) = self.call_id {
            let [content, error] = json::pick(&self.json, ["content", "error"]).unwrap_or_default();
            return Self::tool(id, call_id, content.unwrap_or("\"\""), true, error.is_some());
        }
        match self.role.as_str() {
            "assistant" => Self::assistant(id, self.text.unwrap_or_default(), self.calls, None),
            role => Self::spoken(id, role, self.text.unwrap_or_default(), None),
        }
    }

    /// The same reply without some of its calls.
    #[must_use]
    pub fn without(&self, gone: &dyn Fn(&Called) -> bool) -> Self {
        let calls = self.calls.iter().filter(|call| !gone(call)).cloned().collect();
        Self::assistant(self.id.clone(), self.text.clone().unwrap_or_default(), calls, None)
    }
}

impl Called {
    fn read(call: &str) -> Option<Self> {
        let [id, function, sealed] = json::pick(call, ["id", "function", "encryptedValue"])?;
        let [name, arguments] = json::pick(function?, ["name", "arguments"])?;
        let arguments = arguments.unwrap_or_default();
        Some(Self {
            // Nothing could be answered under no name.
            id: id.and_then(json::text).filter(|id| !id.is_empty())?.into_owned(),
            name: name.and_then(json::text)?.into_owned(),
            // Some write them as the object itself.
            arguments: json::text(arguments).map_or_else(|| arguments.to_owned(), Cow::into_owned),
            sealed: sealed.and_then(json::text).map(Cow::into_owned),
        })
    }

    fn write(&self, object: &mut Object<'_>) {
        object.text("id", &self.id);
        object.text("type", "function");
        object.object("function", |function| {
            function.text("name", &self.name);
            let arguments = json::document(&self.arguments).map_or("{}", |_| self.arguments.as_str());
            function.text("arguments", arguments);
        });
        object.optional_text("encryptedValue", self.sealed.as_deref());
    }
}

/// The texts of an array of content parts, one to a line.
fn parts_text(content: &str) -> Option<String> {
    let mut text: Option<String> = None;
    for part in json::items(content)? {
        let Some([Some(said)]) = json::pick(part, ["text"]) else { continue };
        if let Some(said) = json::text(said) {
            let text = text.get_or_insert_default();
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&said);
        }
    }
    text
}

/// Messages as a JSON array.
pub fn write_all<'m>(out: &mut String, messages: impl Iterator<Item = &'m Message>) {
    out.push('[');
    for (place, message) in messages.enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(&message.json);
    }
    out.push(']');
}
