//! Moments on the engine's clock: RFC 3339 text, or a number of seconds or milliseconds since the
//! epoch, to milliseconds since the epoch. What is neither, or lies before the epoch, is no moment.

use super::json;

const MILLISECONDS_PER_DAY: u64 = 86_400_000;

/// A number from here on counts milliseconds: as seconds it would be in the year 5138.
const LEAST_MILLISECONDS: u64 = 100_000_000_000;

/// Reads the moment a JSON member holds.
pub(super) fn read(member: &str) -> Option<u64> {
    if let Some(text) = json::text(member) {
        return parse(text.as_bytes());
    }
    let milliseconds = json::whole(member).filter(|number| *number >= LEAST_MILLISECONDS);
    milliseconds.or_else(|| json::seconds(member))
}

/// Reads `2026-09-03T10:00:01.5+02:00` and its kin.
fn parse(text: &[u8]) -> Option<u64> {
    let mut reader = Reader(text);
    let year = reader.number(4)?;
    reader.one_of(b"-")?;
    let month = reader.number(2).filter(|month| (1..=12).contains(month))?;
    reader.one_of(b"-")?;
    let day = reader.number(2).filter(|day| (1..=days_in(year, month)).contains(day))?;
    reader.one_of(b"Tt ")?;
    let hour = reader.number(2).filter(|hour| *hour < 24)?;
    reader.one_of(b":")?;
    let minute = reader.number(2).filter(|minute| *minute < 60)?;
    reader.one_of(b":")?;
    // A leap second is the first moment of the next minute, as on every machine's clock.
    let second = reader.number(2).filter(|second| *second <= 60)?;
    let fraction = reader.fraction()?;
    let (east, offset) = reader.offset()?;
    reader.0.is_empty().then_some(())?;

    let local = days_since_epoch(year, month, day)?
        .checked_mul(MILLISECONDS_PER_DAY)?
        .checked_add(((hour * 60 + minute) * 60 + second) * 1000 + fraction)?;
    if east { local.checked_sub(offset) } else { local.checked_add(offset) }
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_epoch(year: u64, month: u64, day: u64) -> Option<u64> {
    let before = year.checked_sub(1)?;
    let leap_days = before / 4 - before / 100 + before / 400;
    let months: u64 = (1..month).map(|month| days_in(year, month)).sum();
    // 719162 days lie between the first day of year 1 and the epoch.
    (before * 365 + leap_days + months + day - 1).checked_sub(719_162)
}

struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn digit(&mut self) -> Option<u64> {
        let (first, rest) = self.0.split_first()?;
        first.is_ascii_digit().then_some(())?;
        self.0 = rest;
        Some(u64::from(first.wrapping_sub(b'0')))
    }

    fn number(&mut self, digits: usize) -> Option<u64> {
        (0..digits).try_fold(0, |number, _| Some(number * 10 + self.digit()?))
    }

    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        allowed.contains(&first).then_some(())?;
        self.0 = rest;
        Some(first)
    }

    /// Milliseconds after the second; digits beyond them are dropped.
    fn fraction(&mut self) -> Option<u64> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let mut milliseconds = self.digit()? * 100;
        let mut scale = 10;
        while let Some(digit) = self.digit() {
            milliseconds += digit * scale;
            scale /= 10;
        }
        Some(milliseconds)
    }

    /// Whether the clock is east of Greenwich, and by how many milliseconds it is off.
    fn offset(&mut self) -> Option<(bool, u64)> {
        let sign = self.one_of(b"Zz+-")?;
        if sign.eq_ignore_ascii_case(&b'z') {
            return Some((true, 0));
        }
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        self.one_of(b":")?;
        let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
        Some((sign == b'+', (hours * 60 + minutes) * 60_000))
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, read};

    fn at(text: &str) -> Option<u64> {
        parse(text.as_bytes())
    }

    #[test]
    fn moments_are_milliseconds_since_the_epoch() {
        assert_eq!(at("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(at("2026-09-03T10:00:01Z"), Some(1_788_429_601_000));
        assert_eq!(at("2000-02-29T12:00:00Z"), Some(951_825_600_000));
        assert_eq!(at("9999-12-31T23:59:59.999Z"), Some(253_402_300_799_999));
    }

    #[test]
    fn offsets_are_taken_off() {
        let utc = at("2026-09-03T10:00:01Z");
        assert_eq!(at("2026-09-03T12:00:01+02:00"), utc);
        assert_eq!(at("2026-09-02T23:30:01-10:30"), utc);
        assert_eq!(at("2026-09-03t10:00:01z"), utc);
        assert_eq!(at("2026-09-03 10:00:01-00:00"), utc);
    }

    #[test]
    fn fractions_are_cut_to_milliseconds() {
        assert_eq!(at("1970-01-01T00:00:00.5Z"), Some(500));
        assert_eq!(at("1970-01-01T00:00:00.123456789Z"), Some(123));
        assert_eq!(at("1970-01-01T00:00:00.0009Z"), Some(0));
        assert_eq!(at("1970-01-01T00:00:00.Z"), None);
    }

    #[test]
    fn a_leap_second_is_the_next_minute() {
        assert_eq!(at("2016-12-31T23:59:60Z"), at("2017-01-01T00:00:00Z"));
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for text in [
            "",
            "2026-09-03",
            "2026-09-03T10:00:01",
            "2026-13-03T10:00:01Z",
            "2026-02-29T10:00:01Z",
            "2100-02-29T10:00:01Z",
            "2026-09-03T24:00:00Z",
            "2026-09-03T10:60:00Z",
            "2026-09-03T10:00:61Z",
            "2026-09-03T10:00:01+2:00",
            "2026-09-03T10:00:01Z ",
            "1969-12-31T23:59:59Z",
            "1970-01-01T00:00:00+00:01",
            "0000-01-01T00:00:00Z",
            "+026-09-03T10:00:01Z",
            "２026-09-03T10:00:01Z",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_count_seconds_until_they_are_too_large_for_that() {
        assert_eq!(read("1790000900"), Some(1_790_000_900_000));
        assert_eq!(read("1790000900.25"), Some(1_790_000_900_250));
        assert_eq!(read("1790000900000"), Some(1_790_000_900_000));
        assert_eq!(read("\"2026-09-03T10:00:01Z\""), Some(1_788_429_601_000));
        assert_eq!(read("-1"), None);
        assert_eq!(read("true"), None);
    }
}
