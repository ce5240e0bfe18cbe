//! What the sentences about a value need to see of it, whatever it is kept as: a `serde_json` value where the
//! whole of JSON Schema is at work, a stretch of the text itself where the small checker is.
//!
//! Both show the same value alike: members by name, the last of equal names, numbers in their shortest form.

use std::borrow::Cow;

use serde_json::Value;

/// The kind of a JSON value; a number without a fraction is an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number without a fraction.
    Integer,
    /// Any other number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The name that schemas use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A JSON value that can be looked at.
pub trait Json<'a>: Copy {
    /// Its kind.
    fn kind(self) -> Kind;
    /// The characters of a string.
    fn text(self) -> Option<Cow<'a, str>>;
    /// Items of an array, members of an object, nothing else.
    fn count(self) -> usize;
    /// The items of an array, none of anything else.
    fn items(self) -> Vec<Self>;
    /// The names of an object's members in their order, at most so many.
    fn names(self, cap: usize) -> Vec<Cow<'a, str>>;
    /// The member of that name.
    fn member(self, name: &str) -> Option<Self>;
    /// Compact JSON. May end anywhere once it is longer than `cap` bytes.
    fn print(self, cap: usize) -> String;

    /// What a JSON pointer leads to.
    fn at(self, pointer: &str) -> Option<Self> {
        let mut value = self;
        let mut rest = pointer.strip_prefix('/');
        while let Some(left) = rest {
            let end = left.bytes().position(|byte| byte == b'/');
            let (part, after) = left.split_at_checked(end.unwrap_or(left.len()))?;
            value = match value.kind() {
                Kind::Array => value.items().get(part.parse::<usize>().ok()?).copied()?,
                _ => value.member(&unescape(part))?,
            };
            rest = after.strip_prefix('/');
        }
        Some(value)
    }

    /// The characters of a string member.
    fn text_of(self, name: &str) -> Option<Cow<'a, str>> {
        self.member(name)?.text()
    }

    /// An array member that holds something.
    fn list_of(self, name: &str) -> Option<Vec<Self>> {
        let list = self.member(name)?;
        (list.kind() == Kind::Array && list.count() > 0).then(|| list.items())
    }
}

/// The name that a part of a JSON pointer means.
pub(super) fn unescape(part: &str) -> String {
    let mut name = String::with_capacity(part.len());
    let mut letters = part.chars();
    while let Some(letter) = letters.next() {
        name.push(match (letter, letter == '~' && letters.as_str().starts_with(['0', '1'])) {
            (_, true) if letters.next() == Some('1') => '/',
            (letter, _) => letter,
        });
    }
    name
}

impl<'a> Json<'a> for &'a Value {
    fn kind(self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(number) => {
                let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
                if whole { Kind::Integer } else { Kind::Number }
            }
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    fn text(self) -> Option<Cow<'a, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn count(self) -> usize {
        match self {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        }
    }

    fn items(self) -> Vec<Self> {
        self.as_array().into_iter().flatten().collect()
    }

    fn names(self, cap: usize) -> Vec<Cow<'a, str>> {
        let names = self.as_object().into_iter().flat_map(|map| map.keys());
        names.take(cap).map(|name| Cow::Borrowed(name.as_str())).collect()
    }

    fn member(self, name: &str) -> Option<Self> {
        self.get(name)
    }

    fn print(self, cap: usize) -> String {
        let mut sink = Capped { text: String::new(), cap };
        // The only error is the sink saying that it is full.
        let _ = core::fmt::Write::write_fmt(&mut sink, format_args!("{self}"));
        sink.text
    }
}

/// Takes text up to a cap, and then says that it is full.
struct Capped {
    text: String,
    cap: usize,
}

impl core::fmt::Write for Capped {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let room = self.cap.saturating_sub(self.text.len());
        if text.len() <= room {
            self.text.push_str(text);
            return Ok(());
        }
        // One character beyond, so that a cut is seen as one.
        let end = text.char_indices().map(|(at, _)| at).find(|&at| at > room).unwrap_or(text.len());
        self.text.push_str(text.get(..end).unwrap_or_default());
        Err(core::fmt::Error)
    }
}
