//! Two faults of schemas that refer to themselves.
//!
//! A cycle leads back to itself without stepping into the value (`{"$ref": "#"}` is the plain case, a chain
//! through `$defs` or `anyOf` the same fault): no value could ever be judged by it. Dynamic references are
//! left alone there, as their target depends on the way taken; the validator guards itself.
//!
//! A branching recursion is legal, but to say why a value fails it takes work that doubles with each level.

use serde_json::Value;

use super::draft::Draft;
use super::graph::{Graph, Id};

/// The pointers of a chain of schemas that leads back to its beginning, or `None`.
#[must_use]
pub fn find_cycle(schema: &Value, draft: Draft) -> Option<Vec<String>> {
    let graph = Graph::of(schema, draft);
    if !graph.refers {
        return None;
    }
    let mut finished = vec![false; graph.nodes.len()];
    let finish = |node: Option<Id>, finished: &mut Vec<bool>| {
        if let Some(mark) = node.and_then(|node| finished.get_mut(node)) {
            *mark = true;
        }
    };
    for start in 0..graph.nodes.len() {
        let mut path: Vec<Id> = Vec::new();
        let mut pending: Vec<(Id, usize)> = vec![(start, 0)];
        while let Some((node, level)) = pending.pop() {
            while path.len() > level {
                finish(path.pop(), &mut finished);
            }
            if let Some(at) = path.iter().position(|&seen| seen == node) {
                let chain = path.iter().skip(at).chain(core::iter::once(&node));
                let pointer = |id: &Id| graph.nodes.get(*id).map(|node| format!("#{}", node.pointer));
                return Some(chain.filter_map(pointer).collect());
            }
            if finished.get(node) != Some(&false) {
                continue;
            }
            path.push(node);
            for next in graph.next(node, true, draft) {
                pending.push((next, level + 1));
            }
        }
        while let Some(node) = path.pop() {
            finish(Some(node), &mut finished);
        }
    }
    None
}

/// How much work it is to say why a value fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternatives {
    /// Whether the schema offers any: to explain one is to explain them all.
    pub any: bool,
    /// The most alternatives of one `anyOf`, `oneOf` or `allOf` that lead back to it: from two on, the work
    /// doubles with each level of the value.
    pub leading_back: usize,
}

/// What alternatives a schema offers.
#[must_use]
pub fn alternatives(schema: &Value, draft: Draft) -> Alternatives {
    let graph = Graph::of(schema, draft);
    let mut found = Alternatives { any: false, leading_back: 0 };
    for (id, node) in graph.nodes.iter().enumerate() {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let Some(Value::Array(branches)) = node.schema.get(keyword) else { continue };
            found.any |= keyword != "allOf";
            if graph.refers && branches.len() > found.leading_back.max(1) {
                let mut back = 0;
                for branch in branches {
                    let leads_back = graph.id(branch).is_some_and(|branch| graph.reaches(branch, id, draft));
                    back += usize::from(leads_back);
                }
                found.leading_back = found.leading_back.max(back);
            }
        }
    }
    found
}
