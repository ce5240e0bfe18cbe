//! One line of a stream, without its end: which field it is and what it says.
//!
//! `read` judges a whole line, `guess` the first bytes of one whose rest has not arrived. Both must
//! come to the same end for the same line.

/// The fields that mean something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Data,
    Name,
    Id,
    Retry,
}

/// A whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Comment,
    Field(Field, &'a [u8]),
    Nothing,
}

/// The first bytes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// Too few to tell.
    Open,
    Comment,
    /// A field, and the first byte of its value unless that is the space which does not count.
    Field(Field, Option<u8>),
    Nothing,
}

const FIELDS: [(&[u8], Field); 4] =
    [(b"data", Field::Data), (b"event", Field::Name), (b"id", Field::Id), (b"retry", Field::Retry)];

/// Reads a whole line that is not empty.
pub(super) fn read(line: &[u8]) -> Line<'_> {
    let (name, field): (&[u8], Field) = match line.first() {
        Some(b'd') => (b"data", Field::Data),
        Some(b'e') => (b"event", Field::Name),
        Some(b'i') => (b"id", Field::Id),
        Some(b'r') => (b"retry", Field::Retry),
        Some(b':') => return Line::Comment,
        _ => return Line::Nothing,
    };
    match line.strip_prefix(name) {
        Some([]) => Line::Field(field, &[]),
        Some([b':', b' ', value @ ..] | [b':', value @ ..]) => Line::Field(field, value),
        _ => Line::Nothing,
    }
}

/// Judges the first bytes of a line; asked again after each byte until it is no longer `Open`.
pub(super) fn guess(start: &[u8]) -> Head {
    if start.starts_with(b":") {
        return Head::Comment;
    }
    for (name, field) in FIELDS {
        if name.starts_with(start) {
            return Head::Open;
        }
        match start.strip_prefix(name) {
            Some([b':']) => return Head::Open,
            Some([b':', b' ']) => return Head::Field(field, None),
            Some([b':', first, ..]) => return Head::Field(field, Some(*first)),
            Some(_) | None => {}
        }
    }
    Head::Nothing
}

/// The number a retry line names, if it is digits and nothing else. What no clock can hold is as
/// long as one can wait.
pub(super) fn digits(value: &[u8]) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    value.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte.wrapping_sub(b'0')))?;
        Some(number.saturating_mul(10).saturating_add(digit))
    })
}
