//! What a checker asks of ECMAScript: its regular expressions, which those of JSON Schema are, and its doubles.
//!
//! A page has the engine that defines them; elsewhere [`Native`] stands in. Reading and writing doubles is asked
//! for too because a page would otherwise load kilobytes of code for what every browser has.

use core::fmt;

/// An ECMAScript, as far as a checker needs one.
pub trait Ecma {
    /// Compiles a regular expression by the rules of the `u` flag; nothing where it is none.
    fn expression(&self, pattern: &str) -> Option<Box<dyn Expression>>;

    /// The double nearest to a JSON number.
    fn double(&self, digits: &str) -> f64;

    /// The fewest digits that name a finite double, in exponent form: `1.5e-7`.
    fn digits(&self, double: f64) -> String;
}

/// A compiled regular expression.
pub trait Expression {
    /// Whether it matches anywhere in a text.
    fn matches(&self, text: &str) -> bool;
}

// Not asked of what implements them: a page would load the code for it.
impl fmt::Debug for dyn Ecma + '_ {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an ECMAScript")
    }
}

impl fmt::Debug for dyn Expression + '_ {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an expression")
    }
}

/// The stand-in outside a page: `regress` for expressions, Rust's own doubles.
#[cfg(all(feature = "schema", not(target_arch = "wasm32")))]
#[derive(Debug, Clone, Copy, Default)]
pub struct Native;

#[cfg(all(feature = "schema", not(target_arch = "wasm32")))]
impl Ecma for Native {
    fn expression(&self, pattern: &str) -> Option<Box<dyn Expression>> {
        let expression = regress::Regex::with_flags(pattern, "u").ok()?;
        Some(Box::new(expression))
    }

    fn double(&self, digits: &str) -> f64 {
        digits.parse().unwrap_or_default()
    }

    fn digits(&self, double: f64) -> String {
        format!("{double:e}")
    }
}

#[cfg(all(feature = "schema", not(target_arch = "wasm32")))]
impl Expression for regress::Regex {
    fn matches(&self, text: &str) -> bool {
        self.find(text).is_some()
    }
}
