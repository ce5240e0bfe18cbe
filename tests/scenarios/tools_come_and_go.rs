//! Tools that are not there yet, not there any more, or never were.

use super::world::{Behavior, World, tool};
use pagehand::runtime::{Config, Input};
use serde_json::{Value, json};

fn script() -> Value {
    json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "read_cart" }] },
        { "when": { "after": "*" }, "say": "{{result}}" },
    ] })
}

/// An engine that knows the tool from its own configuration, so that it is called whatever the page has.
fn declared() -> Value {
    json!({ "script": script(), "agent": { "tools": [{ "name": "read_cart", "handler": "client" }] } })
}

#[test]
fn a_tool_nobody_registered_is_answered_after_a_grace_with_near_names() {
    let mut world = World::with(declared(), Config::default());
    world.register(tool("read_carts", Behavior::Returns("1", 0)));
    world.send("go");
    world.advance(1_900);
    assert_eq!(world.answers().len(), 0);
    world.advance(5_000);
    let said = world.answers()[0]["error"].as_str().expect("a text").to_owned();
    assert!(said.contains("does not exist") && said.contains("`read_carts`"), "{said}");
    assert_eq!(world.error_code(), "unknown-tool");
    world.check();
}

#[test]
fn a_tool_that_mounts_within_the_grace_runs() {
    let mut world = World::with(declared(), Config::default());
    world.send("go");
    world.advance(1_000);
    world.register(tool("read_cart", Behavior::Returns("\"here\"", 0)));
    world.advance(5_000);
    assert_eq!(world.finished_turns()[0].1, "here");
    world.check();
}

#[test]
fn five_calls_for_one_unknown_tool_give_five_answers_and_one_warning() {
    let calls: Vec<Value> = (0..5).map(|_| json!({ "name": "read_cart" })).collect();
    let mut world = World::with(
        json!({ "agent": { "tools": [{ "name": "read_cart", "handler": "client" }] }, "script": { "rules": [
            { "when": { "user": "*" }, "call": calls }, { "when": { "after": "*" }, "say": "Sorry." } ] } }),
        Config::default(),
    );
    world.send("go");
    world.advance(10_000);
    assert_eq!(world.answers().len(), 5);
    assert_eq!(world.warnings(), ["unknown-tool"]);
    world.check();
}

#[test]
fn a_tool_unregistered_in_mid_run_is_called_off_and_answered_for() {
    let mut world = World::new(script());
    world.register(tool("read_cart", Behavior::Waits));
    world.send("go");
    world.advance(500);
    world.input(Input::ToolUnregistered { name: "read_cart".to_owned() });
    world.advance(5_000);
    assert!(world.run_of("read_cart").cancelled);
    assert_eq!(world.answers().len(), 1);
    assert_eq!(world.error_code(), "cancelled");
    let invocation = world.run_of("read_cart").invocation;
    world.settle(invocation, "1");
    world.advance(1_000);
    assert_eq!(world.answers().len(), 1);
    world.check();
}

#[test]
fn a_tool_that_throws_gives_the_model_its_words() {
    let mut world = World::new(script());
    world.register(tool("read_cart", Behavior::Throws("The cart is locked.", 5)));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.answers()[0]["error"], "The cart is locked.");
    assert_eq!(world.answers()[0]["retryable"], false);
    assert_eq!(world.error_code(), "TOOL_EXEC_FAILED");
    assert_eq!(world.finished_turns()[0].1, "The cart is locked.");
    world.check();
}

#[test]
fn a_very_long_error_is_cut() {
    let mut world = World::new(script());
    let long: &'static str = Box::leak("e".repeat(100_000).into_boxed_str());
    world.register(tool("read_cart", Behavior::Throws(long, 5)));
    world.send("go");
    world.advance(5_000);
    assert!(world.answers()[0]["error"].as_str().expect("a text").chars().count() <= 4_000);
    world.check();
}

#[test]
fn calls_for_other_handlers_are_left_alone() {
    let mut world = World::with(
        json!({ "script": script(), "agent": {
            "tools": [{ "name": "read_cart", "handler": "worker" }],
            "worker": { "answers": { "read_cart": { "result": "from the worker" } } } } }),
        Config::default(),
    );
    world.register(tool("read_cart", Behavior::Returns("\"from the page\"", 0)));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.runs.len(), 0);
    assert_eq!(world.finished_turns()[0].1, "from the worker");
    world.check();
}
