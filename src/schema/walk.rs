//! Which parts of a schema are schemas, and which of them judge the same value as their parent.
//!
//! Data inside a schema (`const`, `enum`, `default`, `examples`) is never taken for one. Iterative: a schema
//! may be as deep as the caller allows.

use serde_json::Value;

/// A schema inside a schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child<'a> {
    pub(super) keyword: &'a str,
    /// The name or index below the keyword, where it holds many.
    pub(super) entry: Entry<'a>,
    pub(super) schema: &'a Value,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Entry<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

impl Child<'_> {
    /// Whether it judges the very value its parent judges.
    pub(super) fn in_place(&self) -> bool {
        matches!(
            self.keyword,
            "allOf"
                | "anyOf"
                | "oneOf"
                | "not"
                | "if"
                | "then"
                | "else"
                | "dependentSchemas"
                | "dependencies"
        )
    }

    pub(super) fn pointer(&self, parent: &str) -> String {
        match self.entry {
            Entry::None => format!("{parent}/{}", self.keyword),
            Entry::Name(name) => format!("{parent}/{}/{}", self.keyword, escape(name)),
            Entry::Index(index) => format!("{parent}/{}/{index}", self.keyword),
        }
    }
}

/// A name as a part of a JSON pointer.
pub(super) fn escape(name: &str) -> String {
    let mut part = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '~' => part.push_str("~0"),
            '/' => part.push_str("~1"),
            letter => part.push(letter),
        }
    }
    part
}

/// The schemas directly inside `schema`.
pub(super) fn children(schema: &Value) -> Vec<Child<'_>> {
    let mut found = Vec::new();
    let Some(map) = schema.as_object() else {
        return found;
    };
    for (keyword, value) in map {
        match keyword.as_str() {
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
            | "dependencies" => {
                let entries = value.as_object().into_iter().flatten();
                found.extend(entries.filter(|(_, schema)| !schema.is_array()).map(|(name, schema)| Child {
                    keyword,
                    entry: Entry::Name(name),
                    schema,
                }));
            }
            "allOf" | "anyOf" | "oneOf" | "prefixItems" | "items" if value.is_array() => {
                let items = value.as_array().into_iter().flatten().enumerate();
                found.extend(items.map(|(index, schema)| Child {
                    keyword,
                    entry: Entry::Index(index),
                    schema,
                }));
            }
            "items"
            | "additionalItems"
            | "unevaluatedItems"
            | "contains"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contentSchema" => {
                found.push(Child { keyword, entry: Entry::None, schema: value });
            }
            _ => {}
        }
    }
    found
}

/// How many containers of a value lie inside each other, counted no further than `cap + 1`.
pub(super) fn depth(value: &Value, cap: usize) -> usize {
    let mut deepest = 0;
    let mut pending = vec![(value, 1)];
    while let Some((value, level)) = pending.pop() {
        let inner: Vec<&Value> = match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(map) => map.values().collect(),
            _ => continue,
        };
        deepest = deepest.max(level);
        if deepest > cap {
            break;
        }
        pending.extend(inner.into_iter().map(|value| (value, level + 1)));
    }
    deepest
}

/// The parts of a value, each counted as `base` to the power of half the level it is at: a container and the
/// property that holds it are one step of a recursive schema. Counted no further than just beyond `cap`.
#[cfg(feature = "schema")]
pub(super) fn weight(value: &Value, base: usize, cap: usize) -> usize {
    let mut total = 0_usize;
    let mut pending = vec![(value, 0_u32)];
    while let Some((value, level)) = pending.pop() {
        let count = match value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => continue,
        };
        total = total.saturating_add(base.saturating_pow(level / 2).saturating_mul(count.max(1)));
        if total > cap {
            break;
        }
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(map) => pending.extend(map.values().map(|item| (item, level + 1))),
            _ => {}
        }
    }
    total
}
