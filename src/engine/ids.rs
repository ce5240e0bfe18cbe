//! Ids and wire times: both follow from a seed and the time handed in, so that every run can be repeated.
//!
//! Not random and not secret: tokens are protected by their signature, never by an id.

use super::Millis;

/// Mints ids that look like those of a running engine.
#[derive(Debug, Clone)]
pub(crate) struct Ids {
    state: u64,
}

impl Ids {
    pub(crate) fn new(seed: u64) -> Ids {
        Ids { state: seed }
    }

    /// splitmix64: small, well spread, and the same everywhere.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A UUID of version 7 by its looks: the time in front, the seed behind.
    pub(crate) fn uuid(&mut self, now: Millis) -> String {
        let high = self.next();
        let low = self.next();
        let time = now.0 & 0xFFFF_FFFF_FFFF;
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            time >> 16,
            time & 0xFFFF,
            high & 0xFFF,
            0x8000 | (low >> 50),
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// A short id behind a prefix, as model providers name their calls.
    pub(crate) fn short(&mut self, prefix: &str) -> String {
        format!("{prefix}{:010x}", self.next() & 0xFF_FFFF_FFFF)
    }
}

/// A moment as RFC 3339 in UTC, with milliseconds only where there are any.
pub(crate) fn wire_time(moment: Millis) -> String {
    let millis = moment.0 % 1000;
    let seconds = moment.0 / 1000;
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let fraction = if millis == 0 { String::new() } else { format!(".{millis:03}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Days since 1970 to a date: years that start in March put the leap day last.
fn civil_date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_wire_writes_them() {
        assert_eq!(wire_time(Millis(0)), "1970-01-01T00:00:00Z");
        assert_eq!(wire_time(Millis(951_782_400_000)), "2000-02-29T00:00:00Z");
        assert_eq!(wire_time(Millis(1_788_429_601_250)), "2026-09-03T10:00:01.250Z");
    }

    #[test]
    fn the_same_seed_gives_the_same_ids_and_they_differ_among_themselves() {
        let (mut one, mut two) = (Ids::new(7), Ids::new(7));
        let first = one.uuid(Millis(5));
        assert_eq!(first, two.uuid(Millis(5)));
        assert_ne!(first, one.uuid(Millis(5)));
        assert_eq!(first.len(), 36);
    }
}
