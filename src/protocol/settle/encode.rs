//! How a handler's value goes into a result.
//!
//! The engine takes a plain value, or an object of `content` blocks with an optional
//! `structuredContent`; it tells them apart by looking. So a plain value that looks like the second
//! form, a `null` (which reads as no result at all) and anything with media go out wrapped.

use super::JsonText;
use super::write::Object;
use crate::protocol::json;
use std::borrow::Cow;

/// The members a wrapped result may have. An object with others is never taken for one.
const WRAPPED_MEMBERS: [&str; 4] = ["content", "structuredContent", "isError", "_meta"];

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Plain where that cannot be misread, else wrapped.
    #[default]
    Auto,
    /// Plain, whatever the engine makes of it. Media cannot go this way and are wrapped all the same.
    Plain,
    /// Wrapped.
    Wrapped,
}

/// Something in a result that is not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Media<'a> {
    /// A picture.
    Image {
        /// Its bytes in base64.
        data: Cow<'a, str>,
        /// Its MIME type.
        mime_type: Cow<'a, str>,
    },
    /// A sound.
    Audio {
        /// Its bytes in base64.
        data: Cow<'a, str>,
        /// Its MIME type.
        mime_type: Cow<'a, str>,
    },
    /// A document with its contents.
    Resource {
        /// Its address.
        uri: Cow<'a, str>,
        /// Its MIME type.
        mime_type: Option<Cow<'a, str>>,
        /// Its contents.
        body: ResourceBody<'a>,
    },
    /// The address of a document.
    ResourceLink {
        /// The address.
        uri: Cow<'a, str>,
        /// A name for it.
        name: Option<Cow<'a, str>>,
        /// The document's MIME type.
        mime_type: Option<Cow<'a, str>>,
    },
}

/// The contents of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceBody<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// Bytes in base64.
    Blob(Cow<'a, str>),
}

/// A call that ended with a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolResult<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The attempt, as the engine told it.
    pub attempt: u64,
    /// What the handler gave.
    pub value: JsonText<'a>,
    /// What it gave beside the value.
    pub media: &'a [Media<'a>],
    /// The form asked for.
    pub encoding: Encoding,
}

impl ToolResult<'_> {
    pub(crate) fn write(&self, object: &mut Object<'_>) {
        object.text("type", "tool.result");
        object.text("id", self.id);
        object.number("attempt", self.attempt);
        if self.goes_wrapped() {
            object.object("result", |result| self.write_wrapped(result));
        } else {
            object.json("result", self.value);
        }
    }

    fn goes_wrapped(&self) -> bool {
        match self.encoding {
            _ if !self.media.is_empty() => true,
            Encoding::Auto => self.value == JsonText::NULL || looks_wrapped(self.value),
            Encoding::Plain => false,
            Encoding::Wrapped => true,
        }
    }

    fn write_wrapped(&self, result: &mut Object<'_>) {
        // Beside media a `null` says nothing.
        let text = (self.media.is_empty() || self.value != JsonText::NULL).then_some(Block::Text(self.value));
        let blocks = text.into_iter().chain(self.media.iter().map(Block::Media));
        result.list("content", blocks, |block, object| match block {
            Block::Text(value) => {
                object.text("type", "text");
                // A string is its own text; its literal is taken as it is, odd escapes and all.
                if value.get().starts_with('"') {
                    object.json("text", value);
                } else {
                    object.text("text", value.get());
                }
            }
            Block::Media(media) => media.write(object),
        });
        if self.value.get().starts_with('{') {
            result.json("structuredContent", self.value);
        }
    }
}

enum Block<'a> {
    Text(JsonText<'a>),
    Media(&'a Media<'a>),
}

/// Whether the engine would read the value as a wrapped result.
fn looks_wrapped(value: JsonText<'_>) -> bool {
    let Some(names) = json::names(value.get()) else {
        return false;
    };
    names.iter().all(|name| WRAPPED_MEMBERS.contains(&name.as_str()))
        && names.iter().any(|name| name == "content" || name == "structuredContent")
}

impl<'a> Media<'a> {
    /// Reads a JSON array of content blocks as a page hands them in. `None` when one is no block of
    /// media: the engine would refuse the whole result.
    #[must_use]
    pub fn read_all(blocks: &'a str) -> Option<Vec<Self>> {
        let mut media = Vec::new();
        for block in json::items(blocks)? {
            media.push(Self::read(block)?);
        }
        Some(media)
    }

    fn read(block: &'a str) -> Option<Self> {
        let names = ["type", "data", "mimeType", "uri", "name", "resource"];
        let [kind, data, mime_type, uri, name, resource] = json::pick(block, names)?;
        let mime_type = mime_type.and_then(json::text);
        match kind.and_then(json::text)?.as_ref() {
            "image" => Some(Self::Image { data: data.and_then(json::text)?, mime_type: mime_type? }),
            "audio" => Some(Self::Audio { data: data.and_then(json::text)?, mime_type: mime_type? }),
            "resource_link" => {
                let name = name.and_then(json::text);
                Some(Self::ResourceLink { uri: uri.and_then(json::text)?, name, mime_type })
            }
            "resource" => {
                let [uri, mime_type, text, blob] =
                    json::pick(resource?, ["uri", "mimeType", "text", "blob"])?;
                let text = text.and_then(json::text).map(ResourceBody::Text);
                let body = text.or_else(|| blob.and_then(json::text).map(ResourceBody::Blob))?;
                let mime_type = mime_type.and_then(json::text);
                Some(Self::Resource { uri: uri.and_then(json::text)?, mime_type, body })
            }
            _ => None,
        }
    }

    fn write(&self, object: &mut Object<'_>) {
        let (kind, data, mime_type) = match self {
            Self::Image { data, mime_type } => ("image", data, mime_type),
            Self::Audio { data, mime_type } => ("audio", data, mime_type),
            Self::Resource { uri, mime_type, body } => {
                object.text("type", "resource");
                object.object("resource", |resource| {
                    resource.text("uri", uri);
                    resource.optional_text("mimeType", mime_type.as_deref());
                    match body {
                        ResourceBody::Text(text) => resource.text("text", text),
                        ResourceBody::Blob(bytes) => resource.text("blob", bytes),
                    }
                });
                return;
            }
            Self::ResourceLink { uri, name, mime_type } => {
                object.text("type", "resource_link");
                object.text("uri", uri);
                object.optional_text("name", name.as_deref());
                object.optional_text("mimeType", mime_type.as_deref());
                return;
            }
        };
        object.text("type", kind);
        object.text("data", data);
        object.text("mimeType", mime_type);
    }
}
