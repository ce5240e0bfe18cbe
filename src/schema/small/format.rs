//! The formats that drafts assert and tools use, each by the rules of the whole of JSON Schema.
//!
//! From 2019-09 on a format is a note that refuses nothing. In draft 7 it is asserted, and a schema with one that
//! is not here is not of the small set; a name that no draft defines means nothing in any.

use super::super::draft::Draft;

/// A format that is asserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Date,
    Time,
    DateTime,
    Uri,
    Ipv4,
}

/// Those that draft 7 asserts and this checker does not know.
const OTHERS: [&str; 13] = [
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "uri-reference",
    "uri-template",
    "uuid",
];

impl Format {
    /// What a schema of a draft asserts by a name; nothing if the name is beyond this checker.
    pub(super) fn named(name: &str, draft: Draft) -> Option<Option<Self>> {
        if draft >= Draft::Draft201909 {
            return Some(None);
        }
        let format = match name {
            "date" => Self::Date,
            "time" => Self::Time,
            "date-time" => Self::DateTime,
            "uri" => Self::Uri,
            "ipv4" => Self::Ipv4,
            _ => return (!OTHERS.contains(&name)).then_some(None),
        };
        Some(Some(format))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Date => "date",
            Self::Time => "time",
            Self::DateTime => "date-time",
            Self::Uri => "uri",
            Self::Ipv4 => "ipv4",
        }
    }

    pub(super) fn fits(self, text: &str) -> bool {
        let text = text.as_bytes();
        let fits = match self {
            Self::Date => date(text),
            Self::Time => time(text),
            Self::DateTime => cut(text, |byte| matches!(byte, b'T' | b't'))
                .and_then(|(day, hour)| date(day).and(time(hour))),
            Self::Uri => uri(text),
            Self::Ipv4 => ipv4(text),
        };
        fits.is_some()
    }
}

/// What is before the first byte of a kind, and what is after it.
fn cut(text: &[u8], kind: fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&byte| kind(byte))?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// What is before the first byte of a kind, and what is from it on.
fn up_to(text: &[u8], kind: fn(u8) -> bool) -> (&[u8], &[u8]) {
    let at = text.iter().position(|&byte| kind(byte)).unwrap_or(text.len());
    text.split_at_checked(at).unwrap_or((text, b""))
}

fn all(text: &[u8], kind: fn(&u8) -> bool) -> Option<()> {
    text.iter().all(kind).then_some(())
}

/// A number of exactly so many digits.
fn digits(text: &[u8], count: usize) -> Option<u32> {
    all(text, u8::is_ascii_digit)?;
    (text.len() == count).then(|| text.iter().fold(0, |number, digit| number * 10 + u32::from(digit & 15)))
}

/// `YYYY-MM-DD`, a day that exists.
fn date(text: &[u8]) -> Option<()> {
    let &[.., b'-', _, _, b'-', _, _] = text else { return None };
    let (year, month, day) =
        (digits(text.get(..4)?, 4)?, digits(text.get(5..7)?, 2)?, digits(text.get(8..)?, 2)?);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then_some(())
}

/// Minutes of a day.
const DAY: u32 = 24 * 60;

/// `HH:MM` in minutes.
fn clock(text: &[u8]) -> Option<u32> {
    let (hour, minute) = cut(text, |byte| byte == b':')?;
    let (hour, minute) = (digits(hour, 2)?, digits(minute, 2)?);
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// `HH:MM:SS`, a fraction if there is one, and an offset. A leap second is one only before midnight UTC.
fn time(text: &[u8]) -> Option<()> {
    let minutes = clock(text.get(..5)?)?;
    let second = digits(text.get(5..8)?.strip_prefix(b":")?, 2).filter(|&second| second <= 60)?;
    let mut rest = text.get(8..)?;
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = up_to(fraction, |byte| !byte.is_ascii_digit()).1;
        (rest.len() < fraction.len()).then_some(())?;
    }
    let offset = match rest.split_first()? {
        (b'Z' | b'z', []) => 0,
        (b'+', offset) => DAY - clock(offset)?,
        (b'-', offset) => clock(offset)?,
        _ => return None,
    };
    (second < 60 || (minutes + offset) % DAY == DAY - 1).then_some(())
}

/// Four numbers up to 255 without zeros in front.
fn ipv4(text: &[u8]) -> Option<()> {
    let part = |part: &[u8]| {
        let plain = part == b"0" || part.first() != Some(&b'0');
        plain && (1..=3).any(|count| digits(part, count).is_some_and(|number| number < 256))
    };
    let parts = text.split(|&byte| byte == b'.');
    let right = parts.map(part).try_fold(0, |count, right| right.then_some(count + 1));
    (right == Some(4)).then_some(())
}

/// A URI of RFC 3986, with a scheme.
fn uri(text: &[u8]) -> Option<()> {
    let (scheme, rest) = cut(text, |byte| byte == b':')?;
    scheme.first().filter(|first| first.is_ascii_alphabetic())?;
    all(scheme, |byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))?;
    let (rest, fragment) = up_to(rest, |byte| byte == b'#');
    let (rest, query) = up_to(rest, |byte| byte == b'?');
    spelled(fragment.get(1..).unwrap_or_default(), b":@/?")?;
    spelled(query, b":@/?")?;
    let Some(rest) = rest.strip_prefix(b"//") else { return spelled(rest, b":@/") };
    let (authority, path) = up_to(rest, |byte| byte == b'/');
    spelled(path, b":@/")?;
    let (user, host) = cut(authority, |byte| byte == b'@').unwrap_or((b"", authority));
    spelled(user, b":")?;
    let port = if let Some(address) = host.strip_prefix(b"[") {
        let (address, port) = cut(address, |byte| byte == b']')?;
        literal(address)?;
        port
    } else {
        let (name, port) = up_to(host, |byte| byte == b':');
        spelled(name, b"")?;
        port
    };
    let Some((b':', number)) = port.split_first() else { return port.is_empty().then_some(()) };
    all(number, u8::is_ascii_digit)
}

/// Characters that a part of a URI may hold: the plain ones, these others, and escapes.
fn spelled(part: &[u8], others: &[u8]) -> Option<()> {
    let mut rest = part.iter();
    while let Some(byte) = rest.next() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(byte);
        let escape = *byte == b'%'
            && rest.next().is_some_and(u8::is_ascii_hexdigit)
            && rest.next().is_some_and(u8::is_ascii_hexdigit);
        if !plain && !escape && !others.contains(byte) {
            return None;
        }
    }
    Some(())
}

/// What stands in brackets where a host is named by its address.
fn literal(address: &[u8]) -> Option<()> {
    if let Some((b'v' | b'V', future)) = address.split_first() {
        let (version, rest) = cut(future, |byte| byte == b'.')?;
        all(version, u8::is_ascii_hexdigit)?;
        let written = !version.is_empty() && !rest.is_empty() && !rest.contains(&b'%');
        return written.then(|| spelled(rest, b":"))?;
    }
    // Eight groups, or fewer with one gap; the last two may be written as an IPv4 address.
    let gap = address.windows(2).position(|two| two == b"::");
    match gap {
        None => (groups(address, true)? == 8).then_some(()),
        Some(at) => {
            let before = groups(address.get(..at)?, false)?;
            (before + groups(address.get(at + 2..)?, true)? < 8).then_some(())
        }
    }
}

/// How many groups of an address a part of it holds.
fn groups(part: &[u8], is_last: bool) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    let mut rest = Some(part);
    let mut count = 0;
    while let Some(left) = rest {
        let (group, after) = up_to(left, |byte| byte == b':');
        rest = after.get(1..);
        count += if (1..=4).contains(&group.len()) && all(group, u8::is_ascii_hexdigit).is_some() {
            1
        } else {
            (is_last && rest.is_none()).then(|| ipv4(group))??;
            2
        };
    }
    Some(count)
}
