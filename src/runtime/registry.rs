//! The tools that are here, by name.

use super::tool::{Mode, ToolSpec};
use crate::protocol::settle::{AgentTool, JsonText};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The tools that are here.
#[derive(Debug, Default)]
pub(super) struct Registry {
    tools: BTreeMap<String, Rc<ToolSpec>>,
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
        self.tools.keys().map(String::as_str)
    }

    /// The tools as the engine is told of them.
    pub(super) fn declared(&self) -> Vec<AgentTool<'_>> {
        self.tools
            .values()
            .map(|tool| AgentTool {
                name: &tool.name,
                description: tool.description.as_deref(),
                input: schema_text(tool.input.as_deref()),
                // A silent tool's answer is an acknowledgement, which no schema of its result describes.
                output: schema_text(tool.output.as_deref()).filter(|_| tool.mode == Mode::Feedback),
                defer: None,
            })
            .collect()
    }
}

fn schema_text(schema: Option<&RawValue>) -> Option<JsonText<'_>> {
    JsonText::new(schema?.get()).ok()
}
