//! What must not leave the page: card numbers in any text, and the values of fields that hold secrets.

use super::entry::Entry;
use super::words::is_one_of;

/// What stands for a masked text.
pub const MASKED: &str = "(masked)";
/// What stands for a text of a private part of the page.
pub const PRIVATE: &str = "(private)";

const SHORTEST_CARD: usize = 13;
const LONGEST_CARD: usize = 19;

/// A text without the card numbers in it: runs of 13 to 19 digits, spaces and dashes between them or not, whose check
/// digit is right.
#[must_use]
pub fn without_cards(text: &str) -> String {
    if text.bytes().filter(u8::is_ascii_digit).count() < SHORTEST_CARD {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let Some((before, run)) = rest.split_at_checked(start) else { break };
        out.push_str(before);
        let end = run_length(run);
        let Some((digits, after)) = run.split_at_checked(end) else { break };
        match card_in(digits) {
            Some((from, to)) => {
                out.push_str(digits.get(..from).unwrap_or_default());
                out.push_str(MASKED);
                // What follows a card in one run may be another card.
                rest = run.get(to..).unwrap_or_default();
            }
            None => {
                out.push_str(digits);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Masks card numbers that a page writes in groups of digits, each in an element or a field of its own.
pub fn hide_split_cards(entries: &mut [Entry]) {
    let mut groups: Vec<usize> = Vec::new();
    for at in 0..entries.len() {
        let digits = entries.get(at).and_then(|entry| entry.said());
        match digits {
            None => continue,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => groups.push(at),
            Some(_) => groups.clear(),
        }
        for lengths in [&[4, 4, 4, 4][..], &[4, 6, 5]] {
            let Some(last) = groups.len().checked_sub(lengths.len()).and_then(|from| groups.get(from..))
            else {
                continue;
            };
            let said = || last.iter().filter_map(|at| entries.get(*at)?.said());
            let card = said().collect::<String>();
            // Years and the like are no card: those begin with 3 to 6.
            if said().map(str::len).eq(lengths.iter().copied())
                && card.as_bytes().first().is_some_and(|first| (b'3'..=b'6').contains(first))
                && without_cards(&card) != card
            {
                for at in std::mem::take(&mut groups) {
                    if let Some(entry) = entries.get_mut(at) {
                        entry.mask(MASKED);
                    }
                }
                break;
            }
        }
    }
}

/// How far digits go, with at most three characters between any two of them.
fn run_length(text: &str) -> usize {
    let mut end = 0;
    let mut between = 0;
    for (at, c) in text.char_indices() {
        if c.is_ascii_digit() {
            end = at + 1;
            between = 0;
        } else if matches!(c, ' ' | '-' | '.' | '\u{a0}' | '\u{2010}'..='\u{2015}') && between < 3 {
            between += 1;
        } else {
            break;
        }
    }
    end
}

/// Where a card number is in a run: the longest that begins and ends with a group of digits, the first of its length.
fn card_in(run: &str) -> Option<(usize, usize)> {
    let digits: Vec<(usize, u32)> =
        run.char_indices().filter_map(|(at, c)| Some((at, c.to_digit(10)?))).collect();
    let is_digit =
        |at: Option<usize>| at.and_then(|at| run.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    for length in (SHORTEST_CARD..=LONGEST_CARD.min(digits.len())).rev() {
        for window in digits.windows(length) {
            let ([(from, _), ..], [.., (last, _)]) = (window, window) else { continue };
            let whole = !is_digit(from.checked_sub(1)) && !is_digit(Some(last + 1));
            if whole && passes(window) {
                return Some((*from, last + 1));
            }
        }
    }
    None
}

/// The check digit of card numbers.
fn passes(digits: &[(usize, u32)]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, (_, digit))| if place % 2 == 1 { doubled(*digit) } else { *digit })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|(_, digit)| *digit != 0)
}

/// Whether a field holds a secret, by what it says of itself.
#[must_use]
pub fn is_secret_field(kind: &str, autocomplete: &str, name: &str, id: &str) -> bool {
    if kind.eq_ignore_ascii_case("password") {
        return true;
    }
    let asks = autocomplete.split_ascii_whitespace().any(|token| {
        let token = token.to_ascii_lowercase();
        token.starts_with("cc-") || is_one_of(&token, "current-password new-password one-time-code")
    });
    asks || is_secret_name(name) || is_secret_name(id)
}

const SECRET_NAMES: &str = "password passwd pwd passcode cvc cvv csc otp totp cardnumber ccnumber securitycode verificationcode onetimecode timecode";

/// Whether one of the words in a field's name, or two beside each other, are that of a secret: `cardCvc`, `otp-code`, `user_password`.
fn is_secret_name(name: &str) -> bool {
    words_of(name).iter().any(|word| is_one_of(word, SECRET_NAMES))
}

fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut whole = String::new();
    let mut small_before = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && small_before) {
            words.push(String::new());
        }
        small_before = c.is_ascii_lowercase();
        if let (true, Some(word)) = (c.is_ascii_alphanumeric(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
            whole.push(c.to_ascii_lowercase());
        }
    }
    let pairs = words.windows(2).map(<[String]>::concat).collect::<Vec<_>>();
    words.extend(pairs);
    words.push(whole);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_numbers_are_masked_however_they_are_written() {
        for card in [
            "4111111111111111",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "378282246310005",
            "3782 822463 10005",
            "4111 - 1111 - 1111 - 1111",
        ] {
            assert_eq!(without_cards(&format!("pay with {card} now")), "pay with (masked) now", "{card}");
        }
        assert_eq!(without_cards("4111111111111111 5555555555554444"), "(masked) (masked)");
        assert_eq!(without_cards("no 1: 4111111111111111"), "no 1: (masked)");
        assert_eq!(without_cards("1 4111111111111111"), "1 (masked)");
    }

    #[test]
    fn a_card_number_in_several_lines_is_masked_and_years_are_not() {
        let masked = |groups: &[&str]| {
            let mut entries: Vec<Entry> =
                groups.iter().map(|name| Entry { name: (*name).to_owned(), ..Entry::default() }).collect();
            hide_split_cards(&mut entries);
            entries.iter().filter(|entry| entry.name == MASKED).count()
        };
        assert_eq!(masked(&["Card", "4111", "1111", "1111", "1111", "12"]), 4);
        assert_eq!(masked(&["3782", "822463", "10005"]), 3);
        assert_eq!(masked(&["4111", "1111", "of", "1111", "1111"]), 0);
        assert_eq!(masked(&["2020", "2021", "2022", "2026"]), 0);
    }

    #[test]
    fn other_numbers_stay() {
        for text in
            ["4111111111111112", "call 030 123456", "0000000000000000", "2026-11-30 18:40", "", "日本 1234"]
        {
            assert_eq!(without_cards(text), text);
        }
    }

    #[test]
    fn fields_say_that_they_hold_a_secret() {
        let secret = |kind, autocomplete, name| is_secret_field(kind, autocomplete, name, "");
        assert!(secret("password", "", ""));
        assert!(secret("text", "section-a billing CC-number", ""));
        assert!(secret("text", "one-time-code", ""));
        for name in [
            "cardCvc",
            "otp-code",
            "user_password",
            "card_number",
            "cardNumber",
            "CVV",
            "creditCardNumber",
            "Security code",
        ] {
            assert!(secret("text", "", name), "{name}");
        }
        for name in ["shippingAddress", "optional", "cvcs", "password_hint_shown_elsewhere_not"] {
            assert_eq!(secret("text", "", name), name.starts_with("password"), "{name}");
        }
        assert!(!secret("email", "email", "email"));
    }
}
