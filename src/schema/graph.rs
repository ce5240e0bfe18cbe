//! A schema as a graph: which schemas it holds, and which others each of them leads to.
//!
//! References are resolved inside the document only: `#`, `#/pointer`, `#anchor`, and a full `$id` that it
//! holds; the rest have no edge. Iterative throughout.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::draft::Draft;
use super::walk::children;

const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// A schema's place in memory: one node has one key as long as the document is borrowed.
pub(super) type Key = usize;

pub(super) struct Node<'a> {
    pub(super) schema: &'a Value,
    pointer: String,
    /// The key of the nearest schema around it that has an address of its own.
    resource: Key,
}

#[derive(Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: BTreeMap<Key, Node<'a>>,
    anchors: BTreeMap<(Key, &'a str), Key>,
    addresses: BTreeMap<&'a str, Key>,
    /// Whether any reference was seen: without one there is no way back.
    pub(super) refers: bool,
}

pub(super) fn key(schema: &Value) -> Key {
    core::ptr::from_ref(schema) as usize
}

impl<'a> Graph<'a> {
    pub(super) fn of(root: &'a Value, draft: Draft) -> Self {
        let mut graph = Self::default();
        graph.add(root, String::new(), key(root), draft);
        // A pointer may lead to a schema under a keyword nobody knows.
        let mut targets: Vec<(&'a Value, String, usize)> = Vec::new();
        for node in graph.nodes.values() {
            if let Some(path) =
                node.schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'))
            {
                let resource = graph.nodes.get(&node.resource).map(|node| node.schema);
                let path = decode(path);
                if let Some(target) = resource.and_then(|resource| resource.pointer(&path)) {
                    targets.push((target, path, node.resource));
                }
            }
        }
        for (target, pointer, resource) in targets {
            if !graph.nodes.contains_key(&key(target)) {
                graph.add(target, pointer, resource, draft);
            }
        }
        graph
    }

    fn add(&mut self, schema: &'a Value, pointer: String, resource: usize, draft: Draft) {
        let id_keyword = if draft == Draft::Draft4 { "id" } else { "$id" };
        let mut pending = vec![(schema, pointer, resource)];
        while let Some((schema, pointer, mut resource)) = pending.pop() {
            let Some(map) = schema.as_object() else {
                continue;
            };
            if self.nodes.contains_key(&key(schema)) {
                continue;
            }
            self.refers |= REFERENCES.iter().any(|name| map.contains_key(*name));
            let alone = draft.reference_stands_alone() && map.contains_key("$ref");
            match map.get(id_keyword).and_then(Value::as_str) {
                Some(id) if !alone => match id.strip_prefix('#') {
                    Some(anchor) if !anchor.is_empty() => {
                        self.anchors.insert((resource, anchor), key(schema));
                    }
                    Some(_) => {}
                    None => {
                        resource = key(schema);
                        self.addresses.insert(id.trim_end_matches('#'), resource);
                    }
                },
                _ => {}
            }
            for name in ["$anchor", "$dynamicAnchor"] {
                if let Some(anchor) = map.get(name).and_then(Value::as_str) {
                    self.anchors.insert((resource, anchor), key(schema));
                }
            }
            for child in children(schema) {
                pending.push((child.schema, child.pointer(&pointer), resource));
            }
            self.nodes.insert(key(schema), Node { schema, pointer, resource });
        }
    }

    /// The schemas that judge the same value as `node`.
    pub(super) fn same_value(&self, node: usize, draft: Draft) -> Vec<Key> {
        let Some(node) = self.nodes.get(&node) else {
            return Vec::new();
        };
        let reference = node.schema.get("$ref").and_then(Value::as_str);
        let mut next: Vec<Key> =
            reference.and_then(|text| self.resolve(text, node.resource)).into_iter().collect();
        if !(draft.reference_stands_alone() && reference.is_some()) {
            let inner = children(node.schema);
            next.extend(inner.iter().filter(|child| child.in_place()).map(|child| key(child.schema)));
        }
        next.retain(|next| self.nodes.contains_key(next));
        next
    }

    /// The schemas that `node` leads to, for this value or a part of it. The target of a dynamic reference
    /// depends on the way taken; the one it has by itself stands for all.
    pub(super) fn leads_to(&self, node: Key) -> Vec<Key> {
        let Some(node) = self.nodes.get(&node) else {
            return Vec::new();
        };
        let references = REFERENCES.iter().filter_map(|name| node.schema.get(name)?.as_str());
        let mut next: Vec<Key> = references.filter_map(|text| self.resolve(text, node.resource)).collect();
        next.extend(children(node.schema).iter().map(|child| key(child.schema)));
        next.retain(|next| self.nodes.contains_key(next));
        next
    }

    /// Whether the way from `start` ever comes to `goal`.
    pub(super) fn reaches(&self, start: Key, goal: Key) -> bool {
        let mut seen = BTreeSet::from([start]);
        let mut pending = vec![start];
        while let Some(node) = pending.pop() {
            if node == goal {
                return true;
            }
            pending.extend(self.leads_to(node).into_iter().filter(|next| seen.insert(*next)));
        }
        false
    }

    fn resolve(&self, reference: &str, resource: usize) -> Option<Key> {
        let (address, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if address.is_empty() { resource } else { *self.addresses.get(address)? };
        let fragment = decode(fragment);
        if fragment.is_empty() {
            Some(resource)
        } else if fragment.starts_with('/') {
            self.nodes.get(&resource)?.schema.pointer(&fragment).map(key)
        } else {
            self.anchors.get(&(resource, fragment.as_str())).copied()
        }
    }

    pub(super) fn pointer(&self, node: usize) -> String {
        self.nodes.get(&node).map(|node| format!("#{}", node.pointer)).unwrap_or_default()
    }
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
