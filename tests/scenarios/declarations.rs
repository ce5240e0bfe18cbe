//! What the page tells the engine of its tools, and what the engine keeps of it.

use super::hand::{Hand, ROOT};
use super::world::{Behavior, World, tool};
use pagehand::runtime::Config;
use pagehand::runtime::input::Input;
use serde_json::{Value, json};

fn page() -> Hand {
    let mut page = Hand::new(Config::default());
    page.tool(json!({ "name": "paint", "description": "Paints.", "input": { "type": "object" }, "output": { "type": "string" } }));
    page.tool(json!({ "name": "note", "mode": "silent", "output": { "type": "string" } }));
    page
}

#[test]
fn every_message_declares_the_tools_that_are_here() {
    let mut page = page();
    page.send("t");
    let tools = &page.posts[0].2["input"]["client"]["tools"];
    assert_eq!(
        *tools,
        json!([
            // The answer of a silent tool is an acknowledgement, which its schema does not describe.
            { "name": "note", "handler": "client" },
            { "name": "paint", "description": "Paints.", "handler": "client",
              "input": { "type": "object" }, "output": { "type": "string" } },
        ])
    );
    let declared: Value = serde_json::from_str(&page.machine.declarations()).unwrap();
    assert_eq!(declared, *tools);
}

#[test]
fn what_the_page_declares_the_model_calls() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "paint" }, "call": [{ "name": "paint" }] },
        { "when": { "after": "*" }, "say": "{{result}}" },
    ] }));
    world.register(tool("paint", Behavior::Returns("\"blue\"", 0)));
    world.send_as("t", "paint", true);
    world.advance(2_000);
    assert_eq!(world.finished_turns()[0].1, "blue");
    world.check();
}

#[test]
fn a_name_that_comes_back_with_another_schema_is_warned_of() {
    let mut page = page();
    let change = |page: &mut Hand, spec: Value| {
        page.give(Input::ToolUnregistered { name: "paint".to_owned() });
        page.tool(spec);
    };
    // Nobody was told yet, so nothing is kept.
    change(&mut page, json!({ "name": "paint", "input": { "type": "object", "title": "new" } }));
    assert_eq!(page.warnings().len(), 0);
    page.send("t");
    change(
        &mut page,
        json!({ "name": "paint", "description": "Paints anew.", "input": { "type": "object", "title": "new" } }),
    );
    assert_eq!(page.warnings().len(), 0, "the same schemas under the same name are fine");
    change(&mut page, json!({ "name": "paint", "input": { "type": "object", "title": "newer" } }));
    let warnings = page.warnings();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].0, "declaration-ignored");
    assert!(warnings[0].1.contains("paint_v2"), "{}", warnings[0].1);
}

#[test]
fn a_name_that_the_engine_runs_itself_is_warned_of_once() {
    let mut page = page();
    page.send("t");
    page.opened(ROOT);
    for id in ["a", "b"] {
        page.frame(
            ROOT,
            json!({ "type": "tool.call.requested", "id": id, "name": "paint", "handler": "worker" }),
        );
    }
    page.frame(ROOT, json!({ "type": "tool.call.requested", "id": "c", "name": "other" }));
    assert_eq!(page.runs.len(), 0);
    let warnings = page.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0].0, "declaration-ignored");
}

#[test]
fn a_tool_that_left_the_page_may_still_be_called_and_is_answered() {
    let mut page = page();
    page.send("t");
    page.opened(ROOT);
    page.give(Input::ToolUnregistered { name: "paint".to_owned() });
    page.frame(ROOT, super::hand::requested("c", "paint"));
    page.advance(5_000);
    let answer = &page.posts.last().unwrap().2["input"];
    assert_eq!(answer["type"], "tool.error");
    assert!(answer["error"].as_str().unwrap().contains("does not exist on this page"), "{answer}");
}
