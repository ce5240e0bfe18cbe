//! A schema as a graph: which schemas it holds, and which others each of them leads to.
//!
//! References are resolved inside the document only: `#`, `#/pointer`, `#anchor`, and a full `$id` that it
//! holds; the rest have no edge. Iterative throughout.

use std::collections::BTreeMap;

use serde_json::Value;

use super::draft::Draft;
use super::walk::children;

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The number of a schema, in the order the document was walked.
pub(super) type Id = usize;

pub(super) struct Node<'a> {
    pub(super) schema: &'a Value,
    pub(super) pointer: String,
    /// The nearest schema around it that has an address of its own.
    resource: Id,
}

#[derive(Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// By place in memory, which stays while the document is borrowed.
    ids: BTreeMap<usize, Id>,
    /// Names inside a resource, and what they name.
    anchors: Vec<(Id, &'a str, Id)>,
    addresses: Vec<(&'a str, Id)>,
    /// Whether any reference was seen: without one there is no way back.
    pub(super) refers: bool,
}

impl<'a> Graph<'a> {
    pub(super) fn of(root: &'a Value, draft: Draft) -> Self {
        let mut graph = Self::default();
        graph.add(root, String::new(), 0, draft);
        // A pointer may lead to a schema under a keyword nobody knows.
        let mut at = 0;
        while let Some(node) = graph.nodes.get(at) {
            at += 1;
            let reference = node.schema.get("$ref").and_then(Value::as_str);
            let Some(pointer) = reference.and_then(|text| text.strip_prefix('#')).map(decode) else {
                continue;
            };
            let resource = node.resource;
            let around = graph.nodes.get(resource).map(|resource| resource.schema);
            if let Some(target) = around.and_then(|around| around.pointer(&pointer)) {
                graph.add(target, pointer, resource, draft);
            }
        }
        graph
    }

    /// Adds a schema and all inside it, leaving out what is known.
    fn add(&mut self, schema: &'a Value, pointer: String, resource: Id, draft: Draft) {
        let id_keyword = if draft == Draft::Draft4 { "id" } else { "$id" };
        let mut pending = vec![(schema, pointer, resource)];
        while let Some((schema, pointer, mut resource)) = pending.pop() {
            let Some(map) = schema.as_object() else { continue };
            if self.id(schema).is_some() {
                continue;
            }
            let id = self.nodes.len();
            self.refers |= REFERENCES.iter().any(|name| map.contains_key(*name));
            let alone = draft.reference_stands_alone() && map.contains_key("$ref");
            let text = |name: &str| map.get(name).and_then(Value::as_str);
            if let Some(address) = text(id_keyword).filter(|_| !alone) {
                match address.strip_prefix('#') {
                    Some(anchor) => self.anchors.push((resource, anchor, id)),
                    None => {
                        resource = id;
                        self.addresses.push((address.trim_end_matches('#'), id));
                    }
                }
            }
            for name in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = text(name) {
                    self.anchors.push((resource, anchor, id));
                }
            }
            for child in children(schema).iter().rev() {
                pending.push((child.schema, child.pointer(&pointer), resource));
            }
            self.ids.insert(key(schema), id);
            self.nodes.push(Node { schema, pointer, resource });
        }
    }

    pub(super) fn id(&self, schema: &Value) -> Option<Id> {
        self.ids.get(&key(schema)).copied()
    }

    /// The schemas that `node` leads to: all of them, or those that judge the very value it judges.
    ///
    /// The target of a dynamic reference depends on the way taken: it counts only among all, where the one it
    /// has by itself stands for the others.
    pub(super) fn next(&self, node: Id, in_place: bool, draft: Draft) -> Vec<Id> {
        let mut next = Vec::new();
        let Some(node) = self.nodes.get(node) else { return next };
        for name in REFERENCES.iter().take(if in_place { 1 } else { REFERENCES.len() }) {
            if let Some(reference) = node.schema.get(*name).and_then(Value::as_str) {
                next.extend(self.resolve(reference, node.resource));
            }
        }
        if draft.reference_stands_alone() && node.schema.get("$ref").is_some_and(Value::is_string) {
            return next;
        }
        for child in children(node.schema) {
            if child.in_place() || !in_place {
                next.extend(self.id(child.schema));
            }
        }
        next
    }

    /// Whether the way from `start` ever comes to `goal`.
    pub(super) fn reaches(&self, start: Id, goal: Id, draft: Draft) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        let mut pending = vec![start];
        while let Some(node) = pending.pop() {
            if node == goal {
                return true;
            }
            if let Some(seen) = seen.get_mut(node)
                && !core::mem::replace(seen, true)
            {
                pending.append(&mut self.next(node, false, draft));
            }
        }
        false
    }

    fn resolve(&self, reference: &str, resource: Id) -> Option<Id> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if address.is_empty() {
            resource
        } else {
            self.addresses.iter().find(|known| known.0 == address)?.1
        };
        let fragment = decode(fragment);
        if fragment.is_empty() {
            Some(resource)
        } else if fragment.starts_with('/') {
            self.id(self.nodes.get(resource)?.schema.pointer(&fragment)?)
        } else {
            let mut known = self.anchors.iter();
            known.find(|(within, name, _)| *within == resource && *name == fragment).map(|anchor| anchor.2)
        }
    }
}

fn key(schema: &Value) -> usize {
    core::ptr::from_ref(schema) as usize
}

/// The fragment of an address, with its percent signs taken back.
fn decode(fragment: &str) -> String {
    let bytes = fragment.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = fragment.get(at + 1..at + 3).filter(|_| byte == b'%');
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
