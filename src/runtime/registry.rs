//! The tools that are here, by name.

use super::table::Table;
use super::tool::{Mode, ToolSpec};
use crate::protocol::RawJson;
use crate::protocol::settle::AgentTool;
use std::rc::Rc;

/// The tools that are here.
#[derive(Debug, Default)]
pub(super) struct Registry {
    tools: Table<String, Rc<ToolSpec>>,
    /// The tools as the engine was told of them first: it goes by that as long as the session lives.
    declared: Table<String, Rc<ToolSpec>>,
}

impl Registry {
    pub(super) fn add(&mut self, spec: ToolSpec) {
        self.tools.insert(spec.name.clone(), Rc::new(spec));
    }

    pub(super) fn remove(&mut self, name: &str) -> bool {
        self.tools.remove(name).is_some()
    }

    pub(super) fn get(&self, name: &str) -> Option<Rc<ToolSpec>> {
        self.tools.get(name).cloned()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().iter().map(String::as_str)
    }

    /// The engine is told of all that are here.
    pub(super) fn note_declared(&mut self) {
        for (name, tool) in self.tools.iter() {
            if !self.declared.contains(name) {
                self.declared.insert(name.clone(), tool.clone());
            }
        }
    }

    /// Whether the engine knows a tool of this name by other schemas.
    pub(super) fn differs_from_declared(&self, spec: &ToolSpec) -> bool {
        self.declared
            .get(&spec.name)
            .is_some_and(|told| told.input != spec.input || told.output != spec.output)
    }

    /// The tools as the engine is told of them.
    pub(super) fn declared(&self) -> Vec<AgentTool<'_>> {
        self.tools
            .values()
            .iter()
            .map(|tool| AgentTool {
                name: &tool.name,
                description: tool.description.as_deref(),
                input: tool.input.as_ref().map(RawJson::as_text),
                // A silent tool's answer is an acknowledgement, which no schema of its result describes.
                output: tool.output.as_ref().map(RawJson::as_text).filter(|_| tool.mode == Mode::Feedback),
                defer: None,
            })
            .collect()
    }
}
