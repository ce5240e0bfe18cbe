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

/// What stands before a value.
const HEADS: [&[u8]; 4] = [b"data:", b"event:", b"id:", b"retry:"];

/// Reads a whole line that is not empty.
pub(super) fn read(line: &[u8]) -> Line<'_> {
    // Patterns of single bytes, because a comparison of slices is a call.
    let (field, rest) = match line {
        [b'd', b'a', b't', b'a', rest @ ..] => (Field::Data, rest),
        [b'e', b'v', b'e', b'n', b't', rest @ ..] => (Field::Name, rest),
        [b'i', b'd', rest @ ..] => (Field::Id, rest),
        [b'r', b'e', b't', b'r', b'y', rest @ ..] => (Field::Retry, rest),
        [b':', ..] => return Line::Comment,
        _ => return Line::Nothing,
    };
    match rest {
        [] => Line::Field(field, &[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Line::Field(field, value),
        _ => Line::Nothing,
    }
}

/// Where the first line feed or carriage return is.
#[cfg(target_feature = "simd128")]
pub(super) fn end(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2(b'\n', b'\r', bytes)
}

/// Where the first line feed or carriage return is. Eight bytes at a time: a WASM file without SIMD has nothing wider.
#[cfg(not(target_feature = "simd128"))]
pub(super) fn end(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut at = 0;
    loop {
        // Both are below 16, and in JSON hardly anything else is.
        while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
            let word = u64::from_le_bytes(*word);
            if word.wrapping_sub(ONES << 4) & !word & (ONES << 7) != 0 {
                break;
            }
            at += 8;
        }
        if let b'\n' | b'\r' = bytes.get(at)? {
            return Some(at);
        }
        at += 1;
    }
}

/// Judges the first bytes of a line; asked again after each byte until it is no longer `Open`.
pub(super) fn guess(start: &[u8]) -> Head {
    // Each begins with a letter of its own: the others need no comparison, which is a call.
    if HEADS.iter().any(|head| head.first() == start.first() && head.starts_with(start)) {
        return Head::Open;
    }
    match read(start) {
        Line::Comment => Head::Comment,
        Line::Field(field, value) => Head::Field(field, value.first().copied()),
        Line::Nothing => Head::Nothing,
    }
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

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn the_first_end_is_found_wherever_it_is_and_whatever_stands_before_it() {
        // Bytes at the edges of what is looked for, and above: a hit in a word may make what lies above it look like one.
        for filler in [b'a', b'\t', 0, 0x0B, 0x0F, 0x10, 0x8A, 0x8D, 0xFF] {
            for length in 0..40 {
                let mut bytes = vec![filler; length];
                assert_eq!(end(&bytes), None, "{filler} {length}");
                for at in 0..length {
                    for found in [b'\n', b'\r'] {
                        bytes[at] = found;
                        assert_eq!(end(&bytes), Some(at), "{filler} {length}");
                    }
                    bytes[at] = filler;
                }
            }
        }
    }
}
