//! JSON Pointer (RFC 6901): the path to a place in a document.
//!
//! A pointer is judged here by its spelling alone; whether something is there is the tree's to say.

use super::MAX_NESTING;
use super::fault::Fault;

/// The names that lead to the place; none for the whole document.
pub(super) fn read(pointer: &str) -> Result<Vec<String>, Fault> {
    let mut names: Vec<String> = Vec::new();
    let mut letters = pointer.chars();
    while let Some(letter) = letters.next() {
        if letter == '/' {
            // No place lies deeper, so a longer list would only take memory.
            if names.len() >= MAX_NESTING {
                return Err(Fault::TooDeep);
            }
            names.push(String::new());
            continue;
        }
        let name = names.last_mut().ok_or(Fault::OddPointer)?;
        name.push(match letter {
            '~' => match letters.next() {
                Some('0') => '~',
                Some('1') => '/',
                _ => return Err(Fault::OddPointer),
            },
            letter => letter,
        });
    }
    Ok(names)
}

/// The place in an array that a name spells: digits alone, without zeros before them.
pub(super) fn index(name: &str) -> Option<usize> {
    // No array within the cap on size has places of more digits.
    if name.is_empty() || name.len() > 9 || (name.len() > 1 && name.starts_with('0')) {
        return None;
    }
    let mut number = 0;
    for byte in name.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + usize::from(byte - b'0');
    }
    Some(number)
}
