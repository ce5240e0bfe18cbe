//! What to say where no alternative of `anyOf` or `oneOf` is met: as little as lets a model repair its call.
//!
//! Told apart by what each alternative found, for the schemas may be references. Nothing here decides validity.

use super::super::issue::{Issue, tidy};
use super::super::json::{Json, Kind};
use super::super::reader::Reader;
use super::{either, hints, plain, shorten, show};

/// Alternatives that are spelled out, and the faults told of each.
const SHOWN: usize = 3;

/// Containers inside each other in a constant that is compared.
const DEPTH_CAP: usize = 128;

/// Characters of one alternative.
const ALTERNATIVE_CAP: usize = 160;

/// No alternative is met; each of `branches` is what one of them found, in order.
///
/// When the alternatives differ only at this place their expectations become one; when a single alternative is
/// plausible (it takes values of this type, and its constant properties fit) its own issues are the answer, and
/// when one is clearly nearest its issues are, with a word about that.
#[must_use]
pub fn no_alternative<'a>(
    path: &str,
    keyword: &str,
    mut branches: Vec<Vec<Issue>>,
    got: impl Json<'a>,
) -> Vec<Issue> {
    branches.retain(|issues| !issues.is_empty());
    for issues in &mut branches {
        tidy(issues);
    }
    if let Some(expected) = expectations(path, &branches) {
        let hint = nearest_constant(&expected, got).or_else(|| hint_of_all(&branches));
        return vec![plain(path, keyword, either(expected), got).hinting(hint)];
    }
    if let Some(issue) = discriminator(path, &branches, got) {
        return vec![issue];
    }
    let total = branches.len();
    let plausible = indexes(&branches, |issue| issue.path == path && decides(issue));
    let fitting =
        indexes(&branches, |issue| issue.path == path && decides(issue) || is_constant(path, issue));
    for candidates in [&plausible, &fitting] {
        if let [only] = candidates.as_slice() {
            return branches.swap_remove(*only);
        }
    }
    let says_something = got.kind() != Kind::Object || got.count() > 0;
    if let Some(near) = nearest_branch(path, &branches).filter(|_| says_something) {
        let mut issues = branches.swap_remove(near);
        if let Some(first) = issues.first_mut() {
            note(first, total);
        }
        return issues;
    }
    let shown: Vec<String> =
        branches.iter().take(SHOWN).enumerate().map(|(index, issues)| spelled(path, index, issues)).collect();
    let more = if total > SHOWN { format!("; {} more", total - SHOWN) } else { String::new() };
    let reason = format!("matches none of {total} alternatives: {}{more}", shown.join("; "));
    vec![
        Issue::new(path, keyword, &reason)
            .expecting(format!("one of {total} alternatives"))
            .having(show(got)),
    ]
}

/// One alternative with what it found: `(2) missing required property "iban" (add "iban": string)`.
fn spelled(path: &str, index: usize, issues: &[Issue]) -> String {
    let told = issues.iter().take(SHOWN).map(|issue| {
        let place = issue.path.strip_prefix(path).unwrap_or(&issue.path);
        let reason = issue.reason();
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        match &issue.hint {
            Some(hint) => format!("{place}{reason} ({hint})"),
            None => format!("{place}{reason}"),
        }
    });
    let told: Vec<String> = told.collect();
    format!("({}) {}", index + 1, shorten(&told.join(", "), ALTERNATIVE_CAP))
}

/// Says that an issue is that of the nearest alternative, unless one further in said so.
fn note(issue: &mut Issue, total: usize) {
    let said = format!("for the nearest of {total} alternatives");
    issue.hint = Some(match issue.hint.take() {
        Some(hint) if hint.ends_with("alternatives") => hint,
        Some(hint) => format!("{hint}; {said}"),
        None => said,
    });
}

/// The one alternative that the least keeps the value from; none if two are as near.
fn nearest_branch(path: &str, branches: &[Vec<Issue>]) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    let mut tied = false;
    for (index, issues) in branches.iter().enumerate() {
        let cost = issues.iter().map(|issue| cost(path, issue)).sum();
        match best {
            Some((least, _)) if cost > least => {}
            Some((least, _)) if cost == least => tied = true,
            _ => (best, tied) = (Some((cost, index)), false),
        }
    }
    best.filter(|_| !tied).map(|(_, index)| index)
}

/// How far an issue keeps a value from its alternative.
fn cost(path: &str, issue: &Issue) -> usize {
    let slip =
        issue.hint.as_ref().is_some_and(|hint| hint.contains("did you mean") || hint.contains("was sent"));
    match issue.keyword.as_str() {
        _ if issue.path == path && decides(issue) => 100,
        _ if is_constant(path, issue) => 20,
        _ if slip => 1,
        "additionalProperties" | "unevaluatedProperties" => 3,
        "required" => 2,
        _ => 1,
    }
}

/// One issue for the property by which the alternatives tell themselves apart, where none of them knows what
/// came there.
fn discriminator<'a>(path: &str, branches: &[Vec<Issue>], got: impl Json<'a>) -> Option<Issue> {
    let told =
        |issue: &&Issue| matches!(issue.keyword.as_str(), "const" | "enum") && is_child(path, &issue.path);
    let first = branches.first()?.iter().find(told)?;
    let mut expected: Vec<String> = Vec::new();
    for branch in branches {
        let own = branch.iter().filter(told).find(|issue| issue.path == first.path)?;
        let own = own.expected.clone()?;
        if !expected.contains(&own) {
            expected.push(own);
        }
    }
    let value = first.path.strip_prefix(path).and_then(|place| got.at(place))?;
    let hint = nearest_constant(&expected, value)
        .or_else(|| branches.iter().flatten().filter(told).find_map(|issue| issue.hint.clone()));
    Some(plain(&first.path, "const", either(expected), value).hinting(hint))
}

/// The expectations of alternatives that each failed here, for what the value is. A constant says more than its
/// type.
fn expectations(path: &str, branches: &[Vec<Issue>]) -> Option<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for branch in branches {
        if !branch.iter().all(|issue| issue.path == path && decides(issue)) {
            return None;
        }
        let telling = branch.iter().find(|issue| issue.keyword != "type").or_else(|| branch.first())?;
        let expected = telling.expected.clone()?;
        if !all.contains(&expected) {
            all.push(expected);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// The first hint of the alternatives, and where it outlines an object, those that outline others.
fn hint_of_all(branches: &[Vec<Issue>]) -> Option<String> {
    let mut hints = branches.iter().flatten().filter_map(|issue| issue.hint.as_deref());
    let mut said = hints.next()?.to_owned();
    if said.starts_with(hints::OBJECT) {
        for other in hints.filter_map(|hint| hint.strip_prefix(hints::OBJECT)).take(SHOWN - 1) {
            said.push_str(", or");
            said.push_str(other);
        }
    }
    Some(said)
}

/// A hint by those of the expectations that are values.
fn nearest_constant<'a>(expected: &[String], got: impl Json<'a>) -> Option<String> {
    let is_value = |text: &&String| Reader::new(text, DEPTH_CAP).drain().is_ok();
    let values: Vec<String> = expected.iter().filter(is_value).cloned().collect();
    hints::for_enum(&values, got)
}

/// Whether an issue says that the value was meant for another alternative.
fn decides(issue: &Issue) -> bool {
    matches!(issue.keyword.as_str(), "type" | "const" | "enum" | "not")
}

/// Whether it says so by a property that has one value in its alternative.
fn is_constant(path: &str, issue: &Issue) -> bool {
    let one = issue.keyword == "const"
        || issue.keyword == "enum"
            && issue.expected.as_ref().is_some_and(|text| !text.starts_with("one of "));
    one && is_child(path, &issue.path)
}

fn is_child(parent: &str, path: &str) -> bool {
    path.strip_prefix(parent).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| !rest.contains('/'))
}

fn indexes(branches: &[Vec<Issue>], excluded: impl Fn(&Issue) -> bool) -> Vec<usize> {
    let fits = |(_, issues): &(usize, &Vec<Issue>)| !issues.iter().any(&excluded);
    branches.iter().enumerate().filter(fits).map(|(index, _)| index).collect()
}
