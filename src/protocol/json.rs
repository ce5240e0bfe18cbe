//! Picking a few members out of a JSON object without building the rest.
//!
//! Members are lent as the text they came in. A member of an unexpected kind reads as absent: what an
//! engine says is not trusted, and one odd member must not cost the frame. Of a repeated member the
//! last counts, as for `JSON.parse`.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The texts of the named members of the object in `json`, in the order of `names`; a `null` member
/// counts as absent. `None` when `json` is not one whole JSON object.
pub(super) fn pick<'a, const N: usize>(json: &'a str, names: [&str; N]) -> Option<[Option<&'a str>; N]> {
    let mut found = [None; N];
    read_object(json, &names, &mut found).ok()?;
    Some(found.map(|text| text.filter(|text| *text != "null")))
}

fn read_object<'a>(
    json: &'a str,
    names: &[&str],
    found: &mut [Option<&'a str>],
) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(json);
    Members { names, found }.deserialize(&mut reader)?;
    reader.end()
}

struct Members<'n, 'f, 'a> {
    names: &'n [&'n str],
    found: &'f mut [Option<&'a str>],
}

impl<'a> DeserializeSeed<'a> for Members<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for Members<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(place) = map.next_key_seed(Name(self.names))? {
            match place.and_then(|place| self.found.get_mut(place)) {
                Some(slot) => *slot = Some(map.next_value::<&'a RawValue>()?.get()),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A member's name, read as its place in a list.
struct Name<'n>(&'n [&'n str]);

impl<'a> DeserializeSeed<'a> for Name<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Option<usize>, D::Error> {
        // As bytes, because a name may hold half of a surrogate pair, which no `str` can.
        reader.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a member's name")
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|known| known.as_bytes() == name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        self.visit_bytes(name.as_bytes())
    }
}

/// The string a member holds; `None` when it is of another kind. Half of a surrogate pair, which no
/// Rust string can hold, becomes the replacement character.
pub(super) fn text(member: &str) -> Option<Cow<'_, str>> {
    unquote(member, false)
}

/// The string a member holds that is JSON text in turn. There half of a surrogate pair can be spelled
/// by its escape, so nothing is lost.
pub(super) fn nested_json(member: &str) -> Option<Cow<'_, str>> {
    unquote(member, true)
}

fn unquote(member: &str, spell_halves: bool) -> Option<Cow<'_, str>> {
    let inside = member.strip_prefix('"')?.strip_suffix('"')?;
    if !inside.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inside));
    }
    let bytes = serde_json::Deserializer::from_str(member).deserialize_bytes(Bytes).ok()?;
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Some(Cow::Owned(text)),
        Err(error) => error.into_bytes(),
    };
    Some(Cow::Owned(mend(&bytes, spell_halves)))
}

/// Turns UTF-8 that may hold halves of surrogate pairs into UTF-8 that does not.
fn mend(bytes: &[u8], spell_halves: bool) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        let valid = match std::str::from_utf8(rest) {
            Ok(_) => rest.len(),
            Err(error) => error.valid_up_to(),
        };
        let (good, bad) = rest.split_at_checked(valid).unwrap_or((rest, &[]));
        out.push_str(&String::from_utf8_lossy(good));
        rest = match bad {
            [0xED, high @ 0xA0..=0xBF, low @ 0x80..=0xBF, tail @ ..] => {
                let half = 0xD000 | (u32::from(high & 0x3F) << 6) | u32::from(low & 0x3F);
                if spell_halves {
                    out.push_str(&format!("\\u{half:04x}"));
                } else {
                    out.push('\u{FFFD}');
                }
                tail
            }
            [_, tail @ ..] => {
                out.push('\u{FFFD}');
                tail
            }
            [] => &[],
        };
    }
    out
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_str<E>(self, text: &str) -> Result<Vec<u8>, E> {
        Ok(text.as_bytes().to_vec())
    }
}

/// The whole number a member holds, written as a number or as a string of digits.
pub(super) fn whole(member: &str) -> Option<u64> {
    let digits = member.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(member);
    digits.parse().ok().or_else(|| {
        let number: f64 = member.parse().ok()?;
        as_whole(number, 1.0).filter(|_| number.fract() == 0.0)
    })
}

/// The milliseconds of a member that counts seconds.
pub(super) fn seconds(member: &str) -> Option<u64> {
    as_whole(member.parse().ok()?, 1000.0)
}

fn as_whole(number: f64, scale: f64) -> Option<u64> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    let scaled = (number * scale).round();
    // The bounds make the cast exact.
    (0.0..=LARGEST).contains(&scaled).then_some(scaled as u64)
}

/// The truth a member holds.
pub(super) fn flag(member: &str) -> Option<bool> {
    member.parse().ok()
}

/// The value a member holds. What no value can hold (a number beyond all bounds, nesting beyond the
/// reader's) is kept as its text.
pub(super) fn value(member: &str) -> Value {
    serde_json::from_str(member).unwrap_or_else(|_| Value::String(member.to_owned()))
}

/// The members of the array in `json`, each as the text it came in; `None` when it is no array.
pub(super) fn items(json: &str) -> Option<Vec<&str>> {
    let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

/// The names of all members of the object in `json`; `None` when it is no object.
pub(super) fn names(json: &str) -> Option<Vec<String>> {
    json.trim_start().starts_with('{').then_some(())?;
    let mut names = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(json);
    AllNames(&mut names).deserialize(&mut reader).ok()?;
    Some(names)
}

struct AllNames<'n>(&'n mut Vec<String>);

impl<'a> DeserializeSeed<'a> for AllNames<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for AllNames<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Bytes)? {
            self.0.push(String::from_utf8_lossy(&name).into_owned());
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

impl<'a> DeserializeSeed<'a> for Bytes {
    type Value = Vec<u8>;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Vec<u8>, D::Error> {
        reader.deserialize_bytes(self)
    }
}
