//! Random documents and patches against a plain implementation on values that are wholly built.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// What applying does, written for clearness alone.
mod plain {
    use serde_json::Value;

    fn tokens(pointer: &str) -> Option<Vec<String>> {
        if pointer.is_empty() {
            return Some(Vec::new());
        }
        let tokens = pointer.strip_prefix('/')?.split('/');
        tokens
            .map(|token| {
                let known = token.replace("~0", "").replace("~1", "");
                (!known.contains('~')).then(|| token.replace("~1", "/").replace("~0", "~"))
            })
            .collect()
    }

    fn index(token: &str, end: usize) -> Option<usize> {
        let number: usize = token.parse().ok()?;
        (number.to_string() == token && number < end).then_some(number)
    }

    fn find<'v>(mut value: &'v mut Value, tokens: &[String]) -> Option<&'v mut Value> {
        for token in tokens {
            value = match value {
                Value::Object(members) => members.get_mut(token)?,
                Value::Array(items) => {
                    let place = index(token, items.len())?;
                    items.get_mut(place)?
                }
                _ => return None,
            };
        }
        Some(value)
    }

    fn add(document: &mut Value, path: &str, value: Value) -> Option<()> {
        let tokens = tokens(path)?;
        let Some((last, parent)) = tokens.split_last() else {
            *document = value;
            return Some(());
        };
        match find(document, parent)? {
            Value::Object(members) => drop(members.insert(last.clone(), value)),
            Value::Array(items) if last == "-" => items.push(value),
            Value::Array(items) => {
                let place = index(last, items.len() + 1)?;
                items.insert(place, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn remove(document: &mut Value, path: &str) -> Option<Value> {
        let tokens = tokens(path)?;
        let (last, parent) = tokens.split_last()?;
        match find(document, parent)? {
            Value::Object(members) => members.remove(last),
            Value::Array(items) => {
                let place = index(last, items.len())?;
                Some(items.remove(place))
            }
            _ => None,
        }
    }

    fn same(left: &Value, right: &Value) -> bool {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
            (Value::Array(left), Value::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
            }
            (Value::Object(left), Value::Object(right)) => {
                left.len() == right.len()
                    && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
            }
            _ => left == right,
        }
    }

    fn one(document: &mut Value, operation: &Value) -> Option<()> {
        let path = operation.get("path")?.as_str()?;
        let from = || operation.get("from")?.as_str();
        match operation.get("op")?.as_str()? {
            "add" => add(document, path, operation.get("value")?.clone()),
            "remove" => remove(document, path).map(drop),
            "replace" => {
                *find(document, &tokens(path)?)? = operation.get("value")?.clone();
                Some(())
            }
            "move" => {
                let (source, target) = (tokens(from()?)?, tokens(path)?);
                if source == target {
                    return find(document, &source).map(drop);
                }
                if target.starts_with(&source) {
                    return None;
                }
                let value = remove(document, from()?)?;
                add(document, path, value)
            }
            "copy" => {
                let value = find(document, &tokens(from()?)?)?.clone();
                add(document, path, value)
            }
            "test" => {
                let value = find(document, &tokens(path)?)?;
                same(value, operation.get("value")?).then_some(())
            }
            _ => None,
        }
    }

    pub(super) fn apply(document: &Value, patch: &[Value]) -> Option<Value> {
        let mut document = document.clone();
        patch.iter().try_for_each(|operation| one(&mut document, operation))?;
        Some(document)
    }
}

/// Few names, so that operations meet.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "0", "1", "", "-", "a/b", "~", "~1", "\"\\\n", "ä", "__proto__"])
        .prop_map(str::to_owned)
}

fn value() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-2_i64..3).prop_map(Value::from),
        (-2_i32..3).prop_map(|number| Value::from(f64::from(number) / 2.0)),
        name().prop_map(Value::from),
    ];
    plain.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Pointers that often lead somewhere, and now and then are none.
fn pointer() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        6 => name().prop_map(|name| name.replace('~', "~0").replace('/', "~1")),
        4 => prop::sample::select(vec!["0", "1", "2", "-"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["01", "-1", "1e0", "~2", "~", "99999999999999999999"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(token, 0..4)
        .prop_map(|tokens| tokens.iter().map(|token| format!("/{token}")).collect::<String>())
}

fn operation() -> impl Strategy<Value = Value> {
    let op = prop::sample::select(vec!["add", "add", "remove", "replace", "move", "copy", "test", "none"]);
    (op, pointer(), pointer(), value())
        .prop_map(|(op, path, from, value)| json!({ "op": op, "path": path, "from": from, "value": value }))
}

/// Every pointer into a value, so that random operations hit.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    let inside: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            found.push(format!("{at}/-"));
            items.iter().enumerate().map(|(place, item)| (place.to_string(), item)).collect()
        }
        Value::Object(members) => {
            found.push(format!("{at}/new"));
            members
                .iter()
                .map(|(name, member)| (name.replace('~', "~0").replace('/', "~1"), member))
                .collect()
        }
        _ => Vec::new(),
    };
    for (token, member) in inside {
        places(member, &format!("{at}/{token}"), found);
    }
}

/// The value as text with odd spacing.
fn spaced(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push_str("[ ");
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { " ,\n" } else { "" });
                spaced(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (place, (name, member)) in members.iter().enumerate() {
                out.push_str(if place > 0 { "\t, " } else { " " });
                out.push_str(&json!(name).to_string());
                out.push_str(" :\r");
                spaced(member, out);
            }
            out.push_str("\n}");
        }
        plain => out.push_str(&plain.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_patch_does_what_the_plain_one_does(document in value(), patch in prop::collection::vec(operation(), 0..6)) {
        check(&document, &patch)?;
    }

    #[test]
    fn any_patch_that_hits_does_what_the_plain_one_does(
        document in value(),
        draws in prop::collection::vec((operation(), any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..8),
    ) {
        let mut patch = Vec::new();
        let mut now = document.clone();
        for (mut operation, path, from) in draws {
            let mut found = Vec::new();
            places(&now, "", &mut found);
            operation["path"] = path.get(&found).as_str().into();
            operation["from"] = from.get(&found).as_str().into();
            if operation["op"] == "test" {
                operation["value"] = now.pointer(path.get(&found).as_str()).cloned().unwrap_or_default();
            }
            // One that fails would hide what comes after it.
            if let Some(next) = plain::apply(&now, std::slice::from_ref(&operation)) {
                now = next;
                patch.push(operation);
            }
        }
        prop_assert!(plain::apply(&document, &patch).is_some());
        check(&document, &patch)?;
    }

    #[test]
    fn adding_and_removing_again_gives_back_every_byte(document in value(), more in value(), at in any::<prop::sample::Index>()) {
        let mut found = Vec::new();
        places(&document, "", &mut found);
        let new: Vec<&String> = found.iter().filter(|place| place.ends_with("/new") || place.ends_with("/-")).collect();
        if !new.is_empty() {
            let place = *at.get(&new);
            let count = document.pointer(place.strip_suffix("/-").unwrap_or("?")).and_then(Value::as_array).map(Vec::len);
            let added = match (document.pointer(place), count) {
                (None, Some(count)) => format!("{}/{count}", place.strip_suffix("/-").unwrap_or_default()),
                _ => place.clone(),
            };
            let patch = json!([
                { "op": "add", "path": place, "value": more },
                { "op": "test", "path": added, "value": more },
                { "op": "remove", "path": added },
            ]);
            let mut text = String::new();
            spaced(&document, &mut text);
            if document.pointer(place).is_none() {
                prop_assert_eq!(applied(&text, &patch.to_string()), text);
            }
        }
    }

    #[test]
    fn no_text_breaks_it(document in ".{0,40}", patch in r#"[\[\]{},:"a-p~/0-9 ]{0,60}"#) {
        let _ = apply(&document, &patch);
        let _ = apply("[{\"a\":1}]", &patch);
        let _ = apply(&document, r#"[{"op":"add","path":"/a/-","value":1}]"#);
    }
}

fn check(document: &Value, patch: &[Value]) -> Result<(), TestCaseError> {
    let patch_text = Value::from(patch.to_vec()).to_string();
    let mut odd = String::new();
    spaced(document, &mut odd);
    for text in [document.to_string(), odd] {
        match (apply(&text, &patch_text), plain::apply(document, patch)) {
            (Ok(result), Some(expected)) => {
                prop_assert_eq!(parsed(&result), expected, "{} on {}", patch_text, text)
            }
            (Err(_), None) => {}
            (got, expected) => {
                return Err(TestCaseError::fail(format!(
                    "{got:?}, not {expected:?}: {patch_text} on {text}"
                )));
            }
        }
    }
    Ok(())
}
