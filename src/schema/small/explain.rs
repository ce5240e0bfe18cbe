//! What a walk tells, in the words that every checker shares.

use super::super::findings::{NAME_CAP, Place};
use super::super::issue::Issue;
use super::super::json::Json;
use super::super::tape::Cell;
use super::super::wording;
use super::judge::{Fault, Judge};
use super::node::Node;

/// What is told on a walk.
#[derive(Debug)]
pub(super) struct Told<'j> {
    schema: Cell<'j>,
    /// Where in the value the walk is, as a JSON pointer.
    pub(super) path: String,
    pub(super) issues: Vec<Issue>,
    cap: usize,
}

/// What is wrong with a value, about so many issues at most.
pub(super) fn issues<'j>(nodes: &'j [Node], value: Cell<'j>, schema: Cell<'j>, cap: usize) -> Vec<Issue> {
    let told = Told { schema, path: String::new(), issues: Vec::new(), cap };
    let mut judge = Judge { nodes, told: Some(told) };
    judge.meets(0, value);
    let mut issues = judge.told.map(|told| told.issues).unwrap_or_default();
    issues.truncate(cap);
    issues
}

impl<'j> Told<'j> {
    /// Whether enough is told.
    pub(super) fn is_full(&self) -> bool {
        self.issues.len() >= self.cap
    }

    /// A keyword of a node has something against a value.
    pub(super) fn tell(&mut self, node: &Node, value: Cell<'j>, fault: &Fault<'_>) {
        let pointer = self.schema.way_to(node.at);
        let place = Place { root: self.schema, pointer: &pointer };
        let schema = place.holder();
        let keyword = |name: &str| schema.and_then(|schema| schema.member(name));
        let path = self.path.as_str();
        let issue = match fault {
            Fault::Type => place.wrong_type(path, &node.types.names(), value),
            Fault::Missing(name) => place.missing(path, name, value),
            Fault::Unknown => {
                let mut names = value.names(NAME_CAP);
                names.retain(|name| node.place_of(name).is_err());
                let mut issues = place.unknown(path, "additionalProperties", &names, value);
                self.issues.append(&mut issues);
                return;
            }
            Fault::Enum => {
                let options = keyword("enum").map(Json::items).unwrap_or_default();
                wording::not_in_enum(path, &options, value)
            }
            Fault::Const => match keyword("const") {
                Some(expected) => wording::not_const(path, expected, value),
                None => return,
            },
            Fault::Bound(bound) => {
                let limit = keyword(bound.keyword()).map(|limit| limit.print(usize::MAX));
                wording::out_of_bounds(path, bound.keyword(), &limit.unwrap_or_default(), value)
            }
            Fault::Count(keyword, limit) => wording::wrong_count(path, keyword, *limit, value),
            Fault::Pattern => {
                let pattern = keyword("pattern").and_then(Json::text).unwrap_or_default();
                wording::no_match(path, &pattern, value)
            }
            Fault::Format(name) => wording::wrong_format(path, name, value),
        };
        self.issues.push(issue);
    }

    /// Issues were found of a property name.
    pub(super) fn name(&mut self, name: Cell<'j>, found: &[Issue]) {
        let name = name.text().unwrap_or_default();
        let path = self.path.as_str();
        self.issues.extend(found.iter().map(|inner| wording::wrong_name(path, &name, inner)));
    }

    /// Of so many alternatives those are met, by number from 1; if none is, `found` is what each has against the value.
    pub(super) fn alternatives(
        &mut self,
        keyword: &str,
        met: &[usize],
        found: Vec<Vec<Issue>>,
        total: usize,
        value: Cell<'j>,
    ) {
        if met.is_empty() {
            self.issues.append(&mut wording::no_alternative(&self.path, keyword, found, value));
        } else {
            self.issues.push(wording::several_alternatives(&self.path, met, total, value));
        }
    }
}
