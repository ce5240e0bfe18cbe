//! The value of a JSON number, as `serde_json` and so the whole of JSON Schema takes it: a whole number where it
//! is one of 64 bits, else the nearest double. Comparing is exact, whatever the two are.

use core::cmp::Ordering;

use super::ecma::Ecma;

/// A number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    /// Below zero.
    Negative(i64),
    Whole(u64),
    Double(f64),
}

impl Number {
    /// The number of these digits, which are JSON's.
    pub(super) fn read(digits: &str, ecma: &dyn Ecma) -> Self {
        match (digits.strip_prefix('-'), whole(digits.trim_start_matches('-'))) {
            (None, Some(whole)) => Self::Whole(whole),
            // `-0` is a double.
            (Some(_), Some(size @ 1..=0x8000_0000_0000_0000)) => Self::Negative(size.wrapping_neg() as i64),
            _ => Self::Double(ecma.double(digits).clamp(f64::MIN, f64::MAX)),
        }
    }

    pub(super) fn is_whole(self) -> bool {
        match self {
            Self::Double(double) => double.trunc() == double,
            _ => true,
        }
    }

    pub(super) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(one), Self::Whole(other)) => one.cmp(&other),
            (Self::Negative(one), Self::Negative(other)) => one.cmp(&other),
            (Self::Negative(_), Self::Whole(_)) => Ordering::Less,
            (Self::Whole(_), Self::Negative(_)) => Ordering::Greater,
            (Self::Double(one), Self::Double(other)) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
            (Self::Double(one), whole) => against(one, whole),
            (whole, Self::Double(other)) => against(other, whole).reverse(),
        }
    }

    /// The digits, as `serde_json` writes them.
    pub(super) fn write(self, ecma: &dyn Ecma) -> String {
        match self {
            Self::Negative(number) => number.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Double(number) => arrange(&ecma.digits(number), number.is_sign_negative()),
        }
    }
}

/// A whole number of 64 bits without a sign. By hand: the reading of the standard library is more code.
fn whole(digits: &str) -> Option<u64> {
    digits.bytes().try_fold(0_u64, |number, digit| {
        let digit = digit.is_ascii_digit().then_some(u64::from(digit & 15))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// A double against a whole number, without rounding either.
fn against(double: f64, whole: Number) -> Ordering {
    // The bounds are powers of two: exact as doubles.
    let (least, most) = (-9_223_372_036_854_775_808.0, 18_446_744_073_709_551_616.0);
    if double < least {
        return Ordering::Less;
    }
    if double >= most {
        return Ordering::Greater;
    }
    let floor = double.floor();
    let below = if floor < 0.0 { Number::Negative(floor as i64) } else { Number::Whole(floor as u64) };
    match below.compare(whole) {
        Ordering::Equal if floor < double => Ordering::Greater,
        order => order,
    }
}

/// From exponent form (`1.5e-7`) to what `serde_json` writes: plain digits with a fraction from 1e-5 to 1e16.
fn arrange(form: &str, negative: bool) -> String {
    let (mantissa, exponent) = form.split_once('e').unwrap_or((form, "0"));
    let exponent: i32 = exponent.trim_start_matches('+').parse().unwrap_or(0);
    let digits = mantissa.trim_start_matches('-').replace('.', "");
    let digits = if digits.bytes().all(|digit| digit == b'0') { "0" } else { digits.trim_end_matches('0') };
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let split = |at: i32| digits.split_at_checked(usize::try_from(at).unwrap_or(0)).unwrap_or((digits, ""));
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let text = match exponent {
        0..=15 if exponent + 1 >= count => format!("{digits}{}.0", zeros(exponent + 1 - count)),
        0..=15 => {
            let (whole, fraction) = split(exponent + 1);
            format!("{whole}.{fraction}")
        }
        -5..=-1 => format!("0.{}{digits}", zeros(-exponent - 1)),
        _ => {
            let (first, rest) = split(1);
            let point = if rest.is_empty() { "" } else { "." };
            format!("{first}{point}{rest}e{exponent:+}")
        }
    };
    if negative { format!("-{text}") } else { text }
}
