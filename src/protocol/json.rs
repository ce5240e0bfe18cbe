//! Picking a few members out of a JSON object without building the rest.
//!
//! Members are lent as the text they came in. A member of an unexpected kind reads as absent: what an
//! engine says is not trusted, and one odd member must not cost the frame. Of a repeated member the
//! last counts, as for `JSON.parse`. Values that are only passed on stay text, so no digit is lost and
//! no reader or writer of values is needed: in the file that every page loads those would be a third.

use super::settle::JsonText;
use crate::schema::{Event, Reader, unescape};
use std::borrow::Cow;
use std::rc::Rc;

/// A JSON value as the text it came in, without space around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawJson(Rc<str>);

impl RawJson {
    /// The text as JSON: itself if it is JSON, else a JSON string of it.
    #[must_use]
    pub fn of(text: &Rc<str>) -> Self {
        match document(text) {
            Some(whole) if whole.len() == text.len() => Self(Rc::clone(text)),
            Some(whole) => Self(whole.into()),
            None => {
                let mut quoted = String::new();
                super::settle::write::quote(&mut quoted, text);
                Self(quoted.into())
            }
        }
    }

    /// The text.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.0
    }

    /// The text, lent as what it is known to be.
    #[must_use]
    pub fn as_text(&self) -> JsonText<'_> {
        JsonText::known(&self.0)
    }
}

impl Default for RawJson {
    fn default() -> Self {
        JsonText::NULL.into()
    }
}

impl From<JsonText<'_>> for RawJson {
    fn from(text: JsonText<'_>) -> Self {
        Self(text.get().into())
    }
}

impl<'de> serde::Deserialize<'de> for RawJson {
    fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let raw = Box::<serde_json::value::RawValue>::deserialize(reader)?;
        Ok(Self(raw.get().into()))
    }
}

/// A reader without a bound on nesting: the text it reads is bounded, and reading does not recurse.
fn reader(json: &str) -> Reader<'_> {
    Reader::new(json, usize::MAX)
}

/// The one JSON value in the text, without space around it.
pub(crate) fn document(json: &str) -> Option<&str> {
    let mut reader = reader(json);
    let (_, whole) = reader.read_whole().ok()??;
    reader.read().ok()?.is_none().then_some(whole)
}

/// The texts of the named members of the object in `json`, in the order of `names`; a `null` member
/// counts as absent. `None` when `json` is not one whole JSON object.
pub(crate) fn pick<'a, const N: usize>(json: &'a str, names: [&str; N]) -> Option<[Option<&'a str>; N]> {
    let mut found = [None; N];
    pick_into(json, &names, &mut found, "null")?;
    Some(found)
}

/// As [`pick`], but `null` is a value like any other.
pub(super) fn pick_all<'a, const N: usize>(json: &'a str, names: [&str; N]) -> Option<[Option<&'a str>; N]> {
    let mut found = [None; N];
    pick_into(json, &names, &mut found, "")?;
    Some(found)
}

fn pick_into<'a>(json: &'a str, names: &[&str], found: &mut [Option<&'a str>], absent: &str) -> Option<()> {
    each_member(json, &mut |name, value| {
        let place = names.iter().position(|known| *known == name);
        if let Some(slot) = place.and_then(|place| found.get_mut(place)) {
            *slot = (value != absent).then_some(value);
        }
    })
}

/// Hands out the members of the object that is all of `json`. Not generic: every use would be a copy.
fn each_member<'a>(json: &'a str, take: &mut dyn FnMut(&str, &'a str)) -> Option<()> {
    let mut reader = reader(json);
    let Ok(Some(Event::ObjectStart)) = reader.read() else { return None };
    while let Some(Event::Key(name)) = reader.read().ok()? {
        let (_, value) = reader.read_whole().ok()??;
        take(&name.decode(), value);
    }
    reader.read().ok()?.is_none().then_some(())
}

/// The string a member holds; `None` when it is of another kind. Half of a surrogate pair, which no
/// Rust string can hold, becomes the replacement character.
pub(crate) fn text(member: &str) -> Option<Cow<'_, str>> {
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
    Some(Cow::Owned(unescape(inside, spell_halves)))
}

/// The whole number a member holds, written as a number or as a string of digits.
pub(super) fn whole(member: &str) -> Option<u64> {
    let digits = member.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(member);
    digits.parse().ok().or_else(|| decimal(member, 0).filter(|(_, exact)| *exact).map(|(number, _)| number))
}

/// The milliseconds of a member that counts seconds.
pub(super) fn seconds(member: &str) -> Option<u64> {
    decimal(member, 3).map(|(milliseconds, _)| milliseconds)
}

/// A JSON number times ten to the power of `scale`, rounded, and whether that lost nothing. `None` for what is
/// no number, is negative, or lies beyond what a double counts exactly. In whole numbers, because the
/// standard library's reader of floating point is as large as all the rest of this folder.
fn decimal(number: &str, scale: i32) -> Option<(u64, bool)> {
    const LARGEST: u64 = 9_007_199_254_740_991;
    let (negative, digits, power) = exact(number)?;
    let mut shift = power.saturating_add(scale);
    let below = if shift < 0 { shift.unsigned_abs() as usize } else { 0 };
    let (kept, lost) = match digits.len().checked_sub(below) {
        Some(point) => digits.split_at_checked(point)?,
        // The first digit after the point is a zero before them all.
        None => (&[] as &[u8], b"0" as &[u8]),
    };
    if kept.len() > 16 {
        return None;
    }
    let mut value = kept.iter().fold(0, |value, digit| value * 10 + u64::from(digit - b'0'));
    while shift > 0 && value > 0 {
        value = value.checked_mul(10)?;
        shift -= 1;
    }
    value += u64::from(lost.first().is_some_and(|digit| *digit >= b'5'));
    (value <= LARGEST && (!negative || value == 0)).then_some((value, lost.is_empty()))
}

/// The truth a member holds.
pub(super) fn flag(member: &str) -> Option<bool> {
    member.parse().ok()
}

/// The value a member holds.
pub(crate) fn value(member: &str) -> RawJson {
    RawJson(member.into())
}

/// The members of the array in `json`, each as the text it came in; `None` when it is no array.
pub(crate) fn items(json: &str) -> Option<Vec<&str>> {
    let mut reader = reader(json);
    let Ok(Some(Event::ArrayStart)) = reader.read() else { return None };
    let mut items = Vec::new();
    loop {
        match reader.read_whole().ok()?? {
            (Event::ArrayEnd, _) => break,
            (_, item) => items.push(item),
        }
    }
    reader.read().ok()?.is_none().then_some(items)
}

/// Takes the container that is all of `json` apart without losing a byte: hands out each name (none in an
/// array), what stands between the value before and this one, and the value. Gives what stands before the
/// closing bracket; `None` when it is no container or `take` wants no more.
pub(super) fn parts<'a>(
    json: &'a str,
    take: &mut dyn FnMut(Cow<'a, str>, &'a str, &'a str) -> Option<()>,
) -> Option<&'a str> {
    let mut reader = reader(json);
    let (Event::ObjectStart | Event::ArrayStart) = reader.read().ok()?? else { return None };
    let mut from = 1;
    loop {
        let mut name = Cow::Borrowed("");
        let (mut event, mut value) = reader.read_whole().ok()??;
        if let Event::Key(text) = event {
            name = text.decode();
            (event, value) = reader.read_whole().ok()??;
        }
        // The value is lent from `json`, so the difference is its place there.
        let at = (value.as_ptr() as usize).wrapping_sub(json.as_ptr() as usize);
        let before = json.get(from..at)?;
        if let Event::ObjectEnd | Event::ArrayEnd = event {
            return Some(before);
        }
        from = at.wrapping_add(value.len());
        take(name, before, value)?;
    }
}

/// Whether two members are the same number, however they are spelled and however many digits they have.
/// A number whose exponent is beyond all use is equal to none: compare the texts first.
pub(super) fn same_number(left: &str, right: &str) -> bool {
    exact(left).is_some_and(|number| exact(right) == Some(number))
}

/// Whether a JSON number is negative, its digits without zeros at either end, and the power of ten of the last.
fn exact(number: &str) -> Option<(bool, Vec<u8>, i32)> {
    let mut bytes = number.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    if negative {
        bytes = bytes.get(1..)?;
    }
    let mut digits = Vec::new();
    let mut power = 0_i32;
    let mut in_fraction = false;
    for (place, byte) in bytes.iter().enumerate() {
        match byte {
            b'.' => in_fraction = true,
            b'0'..=b'9' => {
                power -= i32::from(in_fraction);
                if *byte != b'0' || !digits.is_empty() {
                    digits.push(*byte);
                }
            }
            b'e' | b'E' if place > 0 => {
                let exponent = number.get(usize::from(negative) + place + 1..)?;
                let (sign, exponent) = match exponent.strip_prefix('-') {
                    Some(exponent) => (-1, exponent),
                    None => (1, exponent),
                };
                let exponent =
                    exponent.parse::<u64>().ok().and_then(|exponent| i32::try_from(exponent).ok())?;
                power = power.checked_add(sign * exponent)?;
                break;
            }
            _ => return None,
        }
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
        power = power.checked_add(1)?;
    }
    match digits.is_empty() {
        true => (!bytes.is_empty()).then_some((false, digits, 0)),
        false => Some((negative, digits, power)),
    }
}

/// The names of all members of the object in `json`; `None` when it is no object.
pub(crate) fn names(json: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    each_member(json, &mut |name, _| names.push(name.to_owned()))?;
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::{decimal, parts, same_number, seconds, whole};

    #[test]
    fn whole_numbers_are_read_in_every_spelling() {
        for (text, number) in [
            ("0", 0),
            ("-0", 0),
            ("-0.0", 0),
            ("12", 12),
            ("\"12\"", 12),
            ("1.0", 1),
            ("1e3", 1_000),
            ("1200e-2", 12),
            ("1.25E+2", 125),
            ("0e999999999", 0),
            ("18446744073709551615", u64::MAX),
            ("9007199254740991.0", 9_007_199_254_740_991),
        ] {
            assert_eq!(whole(text), Some(number), "{text}");
        }
        for text in
            ["1.5", "-1", "1e-1", "1e16", "9007199254740992.0", "1e999999999999", "true", "\"x\"", "{}"]
        {
            assert_eq!(whole(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_is_the_same_in_every_spelling_and_to_the_last_digit() {
        for (left, right) in [
            ("1", "1.0"),
            ("1", "10e-1"),
            ("100", "1e2"),
            ("1E+2", "1e2"),
            ("0", "-0.00e7"),
            ("-1.50", "-15e-1"),
            ("0.001", "1e-3"),
            ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
        ] {
            assert!(same_number(left, right), "{left} {right}");
            assert!(same_number(right, left), "{right} {left}");
        }
        for (left, right) in [
            ("1", "-1"),
            ("1", "10"),
            ("9007199254740992", "9007199254740993"),
            ("1e400", "1e401"),
            ("1e99999999999", "1e99999999998"),
            ("1", "true"),
            ("1", "\"1\""),
            ("", ""),
        ] {
            assert!(!same_number(left, right), "{left} {right}");
        }
    }

    #[test]
    fn a_container_is_taken_apart_without_losing_a_byte() {
        for text in ["{}", "[ ]", "[1 , [2,{}],\n\"]\" ]", "{ \"a\" : 1 , \"b,}\":{\"c\":[]}\t}", "[null]"] {
            let mut whole = text[..1].to_owned();
            let tail = parts(text, &mut |_, before, value| {
                whole.push_str(before);
                whole.push_str(value);
                Some(())
            });
            whole.push_str(tail.unwrap());
            whole.push_str(&text[text.len() - 1..]);
            assert_eq!(whole, text);
        }
        assert_eq!(parts("[1,2]", &mut |_, _, _| None), None);
        assert_eq!(parts("7", &mut |_, _, _| Some(())), None);
    }

    #[test]
    fn seconds_are_rounded_to_milliseconds() {
        for (text, milliseconds) in [
            ("1", 1_000),
            ("0.0004", 0),
            ("0.0005", 1),
            ("-0.0004", 0),
            ("1.23456", 1_235),
            ("1.99949999999999999999999", 1_999),
            ("1790000900.25", 1_790_000_900_250),
            ("3e1", 30_000),
            ("1e-400", 0),
            ("0.00000000000000000000000000005", 0),
        ] {
            assert_eq!(seconds(text), Some(milliseconds), "{text}");
        }
        for text in ["-1", "1e400", "9007199254740991", "false", "", "\"1\""] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(decimal("12345678901234567890", -10), Some((1_234_567_890, false)));
    }
}
