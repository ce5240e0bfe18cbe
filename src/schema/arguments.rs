//! Tells whether the text a model sent as arguments is one whole JSON object.
//!
//! Only the JSON grammar is judged here, not the schema. Nothing is repaired and nothing is rewritten: an
//! object is handed on to the last byte, or the text is malformed with the place in it. Empty, blank and
//! `null` texts count as `{}`, as models send them for tools without parameters. Of two equal keys the last
//! counts, here as in `JSON.parse`. The one thing refused beyond the grammar is a number that a handler would
//! get as an infinity.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::reader::{Event, Reader};
use super::syntax::{Malformed, Problem, SyntaxError};

/// How much text is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// UTF-8 bytes of one text.
    pub bytes: usize,
    /// Objects and arrays inside each other. The default is what `serde_json` reads, and far beyond any tool.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10_000_000, depth: 128 }
    }
}

impl Limits {
    /// Refuses a text beyond the size cap.
    pub(crate) fn admit(&self, what: &str, text: &str) -> Result<(), Malformed> {
        if text.len() <= self.bytes {
            return Ok(());
        }
        let message = format!("{what} of {} bytes, larger than the cap of {} bytes", text.len(), self.bytes);
        Err(Malformed { message, position: None })
    }
}

/// What a text of arguments is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments<'a> {
    /// One whole JSON object: the text exactly as it came, or `{}` for an empty one.
    Object {
        /// The text to check and to run with.
        text: Cow<'a, str>,
    },
    /// Anything else. Never run.
    Malformed(Malformed),
}

/// Classifies a text of arguments by its syntax.
#[must_use]
pub fn classify_text<'a>(text: &'a str, limits: &Limits) -> Arguments<'a> {
    if let Err(malformed) = limits.admit("arguments", text) {
        return Arguments::Malformed(malformed);
    }
    if matches!(text.trim(), "" | "null") {
        return Arguments::Object { text: Cow::Borrowed("{}") };
    }
    let first = match first_event(text, limits) {
        Ok(first) => first,
        Err(error) => return Arguments::Malformed(error.describe(text)),
    };
    let got = match first {
        Some(Event::ObjectStart) => {
            return Arguments::Object { text: Cow::Borrowed(text) };
        }
        Some(Event::ArrayStart) => "an array",
        Some(Event::String(inner)) if holds_object(&inner.decode(), limits) => {
            "a string that holds one; send the object itself, not in quotes"
        }
        Some(Event::String(_)) => "a string",
        Some(Event::Number(_)) => "a number",
        Some(Event::Boolean(_)) => "a boolean",
        _ => "null",
    };
    Arguments::Malformed(Malformed {
        message: format!("arguments must be a JSON object, got {got}"),
        position: None,
    })
}

/// The first event of a text that is whole, with no number in an object that no double can hold.
fn first_event<'a>(text: &'a str, limits: &Limits) -> Result<Option<Event<'a>>, SyntaxError> {
    let mut reader = Reader::new(text, limits.depth);
    let first = reader.read()?;
    while let Some(event) = reader.read()? {
        if let Event::Number(number) = event
            && first == Some(Event::ObjectStart)
            && is_beyond_doubles(number)
        {
            return Err(reader.refuse(Problem::BeyondDoubles));
        }
    }
    Ok(first)
}

/// Whether the double nearest to a number is infinite. By its digits: reading doubles is code that the page
/// would have to load.
fn is_beyond_doubles(number: &str) -> bool {
    /// The digits from which on a number of 309 digits is nearer to the next power of two than to the largest double.
    const LIMIT: &str = "17976931348623158079";
    const MAGNITUDE: i64 = 308;
    let number = number.trim_start_matches('-');
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.bytes().chain(fraction.bytes());
    let zeros = digits.clone().take_while(|&digit| digit == b'0').count();
    if zeros == whole.len() + fraction.len() {
        return false;
    }
    // One that does not fit is as good as endless.
    let endless = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let exponent: i64 = exponent.parse().unwrap_or(endless);
    let first = i64::try_from(whole.len()).unwrap_or(i64::MAX) - i64::try_from(zeros).unwrap_or(i64::MAX);
    match exponent.saturating_add(first - 1).cmp(&MAGNITUDE) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => digits.skip(zeros).cmp(LIMIT.bytes()) != Ordering::Less,
    }
}

fn holds_object(text: &str, limits: &Limits) -> bool {
    text.trim_start().starts_with('{') && Reader::new(text, limits.depth).drain().is_ok()
}
