//! Whether a schema can be walked at a cost that grows with the value alone.
//!
//! A reference that leads back without stepping into the value never ends. Two alternatives that both lead to
//! the same further choice double the work with each level. Such schemas are left to the whole of JSON Schema.

use super::node::{Id, Node};

/// References and alternatives inside each other that judge one value: each is a call inside a call, and the stack of
/// a page holds about twice as many of the deepest value.
const CHAIN_CAP: usize = 4;

/// Whether the nodes are safe to walk, and whether any of them offers alternatives.
pub(super) fn survey(nodes: &[Node], refers: bool) -> Option<bool> {
    let chains: Vec<Vec<Id>> = nodes.iter().map(|node| node.in_place().collect()).collect();
    let alternatives = nodes.iter().any(|node| !node.any_of.is_empty() || !node.one_of.is_empty());
    let mut heights = vec![None; nodes.len()];
    (0..nodes.len()).try_for_each(|id| height(id, &chains, &mut heights, 0).map(drop))?;
    // Without references nodes are a tree: no two lead to one.
    let is_choice = |&id: &Id| refers && chains.get(id).is_some_and(|all| all.len() > 1);
    let choices: Vec<Id> = (0..nodes.len()).filter(is_choice).collect();
    for &choice in &choices {
        let mut met = vec![false; nodes.len()];
        for &branch in chains.get(choice)? {
            let reached = reach(branch, nodes);
            for &other in &choices {
                if *reached.get(other)? && core::mem::replace(met.get_mut(other)?, true) {
                    return None;
                }
            }
        }
    }
    Some(alternatives)
}

/// How many nodes in a chain judge the value that a node judges; nothing where they are too many, or a circle.
fn height(id: Id, chains: &[Vec<Id>], known: &mut Vec<Option<usize>>, above: usize) -> Option<usize> {
    if let Some(height) = known.get(id).copied().flatten() {
        return (above + height <= CHAIN_CAP).then_some(height);
    }
    if above > CHAIN_CAP {
        return None;
    }
    let mut most = 0;
    for &next in chains.get(id)? {
        most = most.max(height(next, chains, known, above + 1)? + 1);
    }
    *known.get_mut(id)? = Some(most);
    Some(most)
}

/// The nodes that the way from `start` comes to, `start` among them.
fn reach(start: Id, nodes: &[Node]) -> Vec<bool> {
    let mut seen = vec![false; nodes.len()];
    let mut pending = vec![start];
    while let Some(id) = pending.pop() {
        if let (Some(mark @ false), Some(node)) = (seen.get_mut(id), nodes.get(id)) {
            *mark = true;
            pending.extend(node.leads_to());
        }
    }
    seen
}
