//! The known name a misspelt one was most likely meant to be.
//!
//! Pure and bounded: long names and long lists are not worth the time a person or a model would save.

/// Names longer than this, in characters, are compared only for equality.
const LENGTH_CAP: usize = 64;
/// Candidates looked at.
const CANDIDATE_CAP: usize = 512;

/// The candidate nearest to `name`: equal but for case and separators, or a few edits away.
/// The first of equals wins, so the answer depends on the order of the candidates alone.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(name);
    if wanted.is_empty() {
        return None;
    }
    let allowance = match wanted.len() {
        0..=2 => 0,
        3..=5 => 1,
        length => (length / 3).min(4),
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().take(CANDIDATE_CAP) {
        let other = plain(candidate);
        // Twice the edits, so that a likeness of another kind sorts behind a slip of the pen and before none.
        let distance = match edits(&wanted, &other) {
            edits if edits <= allowance => edits * 2,
            _ if resembles(&wanted, &other) => allowance * 2 + 1,
            _ => continue,
        };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn plain(name: &str) -> Vec<char> {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-' | ' ' | '.'))
        .map(|character| character.to_ascii_lowercase())
        .take(LENGTH_CAP)
        .collect()
}

/// Whether one name is the beginning or end of the other (`color` of `favoriteColor`), or short for it
/// (`qty` for `quantity`).
fn resembles(one: &[char], other: &[char]) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    if short.len() >= 4 && (long.starts_with(short) || long.ends_with(short)) {
        return true;
    }
    let mut rest = long.iter();
    short.len() >= 3
        && short.first() == long.first()
        && short.len() * 3 >= long.len()
        && short.iter().all(|letter| rest.any(|other| other == letter))
}

/// Edit distance where swapping two neighbours is one edit.
fn edits(one: &[char], other: &[char]) -> usize {
    let width = other.len() + 1;
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..width).collect();
    let mut previous = None;
    for (row, &from) in one.iter().enumerate() {
        let mut current = Vec::with_capacity(width);
        current.push(row + 1);
        let mut left = row + 1;
        let mut last = None;
        for (column, &to) in other.iter().enumerate() {
            let diagonal = above.get(column).copied().unwrap_or(usize::MAX);
            let up = above.get(column + 1).copied().unwrap_or(usize::MAX);
            let mut least =
                (diagonal.saturating_add(usize::from(from != to))).min(left + 1).min(up.saturating_add(1));
            if previous == Some(to) && last == Some(from) && column > 0 {
                let swapped = before.get(column - 1).copied().unwrap_or(usize::MAX);
                least = least.min(swapped.saturating_add(1));
            }
            current.push(least);
            left = least;
            last = Some(to);
        }
        before = core::mem::replace(&mut above, current);
        previous = Some(from);
    }
    above.last().copied().unwrap_or(0)
}
