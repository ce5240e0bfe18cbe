//! The categories of Unicode that host names are judged by, asked of JavaScript's RegExp.
//!
//! The real crate carries fifty kilobytes of tables. What differs: the browser's edition of Unicode counts, and
//! the categories nothing here asks for are one, [`GeneralCategory::Other`].

#![forbid(unsafe_code)]

use std::cell::OnceCell;

use regex::Regex;

/// A category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeneralCategory {
    /// Lu
    UppercaseLetter,
    /// Ll
    LowercaseLetter,
    /// Lt
    TitlecaseLetter,
    /// Lm
    ModifierLetter,
    /// Lo
    OtherLetter,
    /// Mn
    NonspacingMark,
    /// Mc
    SpacingMark,
    /// Me
    EnclosingMark,
    /// Nd
    DecimalNumber,
    /// Any other.
    Other,
}

use GeneralCategory::*;

const CATEGORIES: [(&str, GeneralCategory); 9] = [
    (r"\p{Lu}", UppercaseLetter),
    (r"\p{Ll}", LowercaseLetter),
    (r"\p{Lt}", TitlecaseLetter),
    (r"\p{Lm}", ModifierLetter),
    (r"\p{Lo}", OtherLetter),
    (r"\p{Mn}", NonspacingMark),
    (r"\p{Mc}", SpacingMark),
    (r"\p{Me}", EnclosingMark),
    (r"\p{Nd}", DecimalNumber),
];

thread_local! {
    static EXPRESSIONS: OnceCell<Vec<(Regex, GeneralCategory)>> = const { OnceCell::new() };
}

/// The category of a character.
#[must_use]
pub fn get_general_category(character: char) -> GeneralCategory {
    let text = character.encode_utf8(&mut [0; 4]).to_owned();
    EXPRESSIONS.with(|expressions| {
        let known = expressions.get_or_init(|| {
            CATEGORIES
                .iter()
                .filter_map(|(pattern, category)| Some((Regex::new(pattern).ok()?, *category)))
                .collect()
        });
        known
            .iter()
            .find(|(expression, _)| expression.is_match(&text))
            .map_or(Other, |(_, category)| *category)
    })
}
