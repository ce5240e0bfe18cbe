//! Two faults of schemas that refer to themselves.
//!
//! A cycle leads back to itself without stepping into the value (`{"$ref": "#"}` is the plain case, a chain
//! through `$defs` or `anyOf` the same fault): no value could ever be judged by it. Dynamic references are
//! left alone there, as their target depends on the way taken; the validator guards itself.
//!
//! A branching recursion is legal, but to say why a value fails it takes work that doubles with each level.

use std::collections::BTreeSet;

use serde_json::Value;

use super::draft::Draft;
use super::graph::{Graph, Key, key};

/// The pointers of a chain of schemas that leads back to its beginning, or `None`.
#[must_use]
pub fn find_cycle(schema: &Value, draft: Draft) -> Option<Vec<String>> {
    let graph = Graph::of(schema, draft);
    if !graph.refers {
        return None;
    }
    let mut finished: BTreeSet<Key> = BTreeSet::new();
    for &start in graph.nodes.keys() {
        let mut path: Vec<Key> = Vec::new();
        let mut pending: Vec<(Key, usize)> = vec![(start, 0)];
        while let Some((node, level)) = pending.pop() {
            while path.len() > level {
                finished.extend(path.pop());
            }
            if let Some(at) = path.iter().position(|&seen| seen == node) {
                let chain = path.iter().skip(at).chain(core::iter::once(&node));
                return Some(chain.map(|key| graph.pointer(*key)).collect());
            }
            if finished.contains(&node) {
                continue;
            }
            path.push(node);
            let next = graph.same_value(node, draft);
            pending.extend(next.into_iter().map(|next| (next, level + 1)));
        }
        finished.extend(path);
    }
    None
}

/// The most alternatives of one `anyOf`, `oneOf` or `allOf` that lead back to it; 0 or 1 in ordinary schemas.
#[must_use]
pub fn branching(schema: &Value, draft: Draft) -> usize {
    let graph = Graph::of(schema, draft);
    if !graph.refers {
        return 0;
    }
    let mut most = 0;
    for (&node, inner) in &graph.nodes {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let Some(Value::Array(branches)) = inner.schema.get(keyword) else {
                continue;
            };
            if branches.len() > most && branches.len() > 1 {
                let back = branches.iter().filter(|branch| graph.reaches(key(branch), node));
                most = most.max(back.count());
            }
        }
    }
    most
}
