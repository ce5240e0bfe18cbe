//! Random values and schemas out of one number, so that a failing case is named by it.

use serde_json::{Map, Value, json};

/// A source of chance that is the same each time.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit.max(1) as u64).unwrap_or_default()
    }

    pub(crate) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    pub(crate) fn pick<'p, T>(&mut self, all: &'p [T]) -> &'p T {
        let at = self.below(all.len());
        all.get(at).expect("something to pick from")
    }

    pub(crate) fn name(&mut self) -> String {
        (*self.pick(&["a", "b", "c", "id", "color", "favoriteColor", "a/b", "~t", "qty", "", "é\n"]))
            .to_owned()
    }

    pub(crate) fn word(&mut self) -> String {
        let words = [
            "",
            "a",
            "ab",
            "abc",
            "red",
            "blue",
            "12",
            "1.5",
            "true",
            "no",
            "null",
            "{}",
            "[1]",
            "é😀",
            "2025-01-31",
            "2025-02-29T10:00:00Z",
            "https://example.com/a?b#c",
            "a long text that goes on and on until it is cut by the cap on shown values, or so",
            "\u{8}\u{c}\u{1}\"\\/",
        ];
        (*self.pick(&words)).to_owned()
    }

    /// The text of a number.
    pub(crate) fn number(&mut self) -> String {
        let numbers = [
            "0",
            "1",
            "2",
            "3",
            "10",
            "-1",
            "-0",
            "1.0",
            "1.5",
            "0.1",
            "-2.25",
            "1e2",
            "1e-7",
            "123456789012345680",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775808",
            "-9223372036854775809",
            "1e400",
            "-1e400",
            "5e-324",
            "0.30000000000000004",
            "1E21",
            "100000000000000000000.5",
            "9.999999999999999e22",
            "0.00001",
            "0.000001",
            "12345678.9e8",
        ];
        (*self.pick(&numbers)).to_owned()
    }

    /// The text of any value, at most so deep.
    pub(crate) fn value(&mut self, depth: usize) -> String {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => "null".to_owned(),
            1 => (*self.pick(&["true", "false"])).to_owned(),
            2 => self.number(),
            3 | 4 => Value::from(self.word()).to_string(),
            5 => {
                let items: Vec<String> = (0..self.below(4)).map(|_| self.value(depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            _ => {
                let members: Vec<String> = (0..self.below(5))
                    .map(|_| format!("{}:{}", Value::from(self.name()), self.value(depth - 1)))
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    fn plain(&mut self) -> Value {
        match self.below(6) {
            0 => Value::Null,
            1 => json!(self.one_in(2)),
            2 => json!(self.below(4)),
            3 => json!(1.5),
            _ => json!(self.word()),
        }
    }

    fn types(&mut self) -> Value {
        let names = ["array", "boolean", "integer", "null", "number", "object", "string"];
        if self.one_in(3) {
            let mut some: Vec<&str> = names.into_iter().filter(|_| self.one_in(3)).collect();
            if some.is_empty() {
                some.push("string");
            }
            let at = self.below(some.len());
            some.rotate_left(at);
            return json!(some);
        }
        json!(self.pick(&names))
    }

    /// A schema of the small set, at most so deep.
    pub(crate) fn schema(&mut self, depth: usize, definitions: &[&str]) -> Value {
        if !definitions.is_empty() && self.one_in(6) {
            return json!({ "$ref": format!("#/$defs/{}", self.pick(definitions)) });
        }
        let mut map = Map::new();
        for _ in 0..1 + self.below(4) {
            let (keyword, value) = self.keyword(depth, definitions);
            map.insert(keyword.to_owned(), value);
        }
        Value::Object(map)
    }

    fn keyword(&mut self, depth: usize, definitions: &[&str]) -> (&'static str, Value) {
        let inner = depth.saturating_sub(1);
        match self.below(if depth == 0 { 12 } else { 20 }) {
            0..=3 => ("type", self.types()),
            4 => ("enum", (0..1 + self.below(4)).map(|_| self.plain()).collect()),
            5 => ("const", self.plain()),
            6 => (
                *self.pick(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
                json!(self.below(4) as f64 / 2.0),
            ),
            7 => (*self.pick(&["minLength", "maxLength", "minItems", "maxItems"]), json!(self.below(4))),
            8 => (
                "pattern",
                json!(self.pick(&["^a", "b$", "^[0-9]+$", "(?=.*e)", "^.$", "\\d{2}", "^\\p{L}*$"])),
            ),
            9 => ("format", json!(self.pick(&["date", "date-time", "uri", "ipv4", "time", "int32"]))),
            10 => ("title", json!("a title")),
            11 => ("required", json!([self.name()])),
            12..=14 => {
                let members = (0..self.below(4)).map(|_| (self.name(), self.schema(inner, definitions)));
                ("properties", Value::Object(members.collect()))
            }
            15 => ("items", self.schema(inner, definitions)),
            16 => (
                "additionalProperties",
                if self.one_in(2) { json!(false) } else { self.schema(inner, definitions) },
            ),
            17 => ("propertyNames", self.schema(inner, definitions)),
            _ => {
                let branches = (0..1 + self.below(3)).map(|_| self.schema(inner, definitions)).collect();
                (*self.pick(&["anyOf", "oneOf"]), branches)
            }
        }
    }

    /// A text that is more or less what a schema asks for.
    pub(crate) fn answer(&mut self, root: &Value, schema: &Value, depth: usize) -> String {
        if depth == 0 || self.one_in(12) {
            return self.value(2);
        }
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|text| root.pointer(text.trim_start_matches('#')));
        if let Some(target) = target {
            return self.answer(root, target, depth - 1);
        }
        if let Some(options) = schema.get("enum").and_then(Value::as_array) {
            return self.pick(options).to_string();
        }
        if let Some(only) = schema.get("const") {
            return only.to_string();
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
                let branch = self.pick(branches).clone();
                return self.answer(root, &branch, depth - 1);
            }
        }
        let named = match schema.get("type") {
            Some(Value::Array(names)) => self.pick(names).as_str().map(str::to_owned),
            Some(name) => name.as_str().map(str::to_owned),
            None => None,
        };
        let guess = if schema.get("properties").is_some() || schema.get("propertyNames").is_some() {
            "object"
        } else {
            ""
        };
        match named.as_deref().unwrap_or(guess) {
            "object" => self.object(root, schema, depth),
            "array" => {
                let item = schema.get("items").cloned().unwrap_or(json!({}));
                let items: Vec<String> =
                    (0..self.below(4)).map(|_| self.answer(root, &item, depth - 1)).collect();
                format!("[{}]", items.join(","))
            }
            "integer" => self.below(5).to_string(),
            "number" => self.number(),
            "boolean" => "true".to_owned(),
            "string" => Value::from(self.word()).to_string(),
            _ => self.value(depth.min(2)),
        }
    }

    fn object(&mut self, root: &Value, schema: &Value, depth: usize) -> String {
        let mut members = Vec::new();
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required = schema.get("required").and_then(Value::as_array);
        for (name, inner) in properties {
            let needed = required.is_some_and(|names| names.iter().any(|one| one == name));
            let sent = if needed { !self.one_in(12) } else { self.one_in(2) };
            if sent {
                members.push(format!(
                    "{}:{}",
                    Value::from(name.as_str()),
                    self.answer(root, inner, depth - 1)
                ));
            }
        }
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !properties.contains_key(name) && !self.one_in(4) {
                members.push(format!("{}:{}", Value::from(name), self.value(1)));
            }
        }
        // A stray, and sometimes a name that comes twice.
        while self.one_in(5) {
            let name = self.name();
            let value = match schema.get("additionalProperties") {
                Some(inner) if inner.is_object() => self.answer(root, inner, depth - 1),
                _ => self.value(1),
            };
            members.push(format!("{}:{value}", Value::from(name)));
        }
        format!("{{{}}}", members.join(","))
    }
}
