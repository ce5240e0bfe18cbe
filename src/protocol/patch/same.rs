//! Whether two values are equal: objects without order, numbers by value, strings by what they mean.
//!
//! It recurses, which is safe because both sides are nested no deeper than the cap. Comparing two large
//! objects looks each name up in a list; that work is counted and capped like all other. A string is read no
//! further than what the patch has brought along to compare it with is long.

use super::fault::Fault;
use super::tree::{Node, Work};
use crate::protocol::json;

/// Whether two values are equal. Takes them apart where it must, which changes neither.
pub(super) fn same(left: &mut Node<'_>, right: &mut Node<'_>, work: &mut Work) -> Result<bool, Fault> {
    if let (Node::Text(left), Node::Text(right)) = (&*left, &*right) {
        if left == right {
            return Ok(true);
        }
        if left.starts_with('"') {
            return Ok(json::text(left) == json::text(right));
        }
    }
    let (Some(left), Some(right)) = (left.open(work)?, right.open(work)?) else {
        let (Node::Text(left), Node::Text(right)) = (left, right) else { return Ok(false) };
        // An exponent is soon written, but not the digits that it may stand for.
        work.spend(left.len().saturating_mul(8))?;
        return Ok(json::same_number(left, right));
    };
    let is_object = left.is_object;
    if is_object != right.is_object || (!is_object && left.members.len() != right.members.len()) {
        return Ok(false);
    }
    for place in 0..left.members.len() {
        let Some(member) = left.members.get(place) else { break };
        let mut other = Some(place);
        if is_object {
            other = right.place(&member.name, work)?;
            // Of equal names the last counts.
            if left.place(&member.name, work)? != Some(place) {
                continue;
            }
        }
        let other = other.and_then(|other| right.members.get_mut(other));
        let (Some(member), Some(other)) = (left.members.get_mut(place), other) else { return Ok(false) };
        if !same(&mut member.value, &mut other.value, work)? {
            return Ok(false);
        }
    }
    for member in &right.members {
        if is_object && left.place(&member.name, work)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
