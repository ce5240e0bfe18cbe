//! Calls the app makes itself, and handlers that call back into the runtime.

use super::world::{Behavior, World, tool};
use pagehand::runtime::Input;
use pagehand::runtime::event::ReportStatus;
use serde_json::json;

fn invoke(world: &mut World, name: &str, arguments: &str) {
    let input =
        Input::Invoked { call_id: "mine".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
    world.input(input);
    world.advance(3_000);
}

#[test]
fn the_app_may_run_a_tool_without_a_model() {
    let mut world = World::new(json!({}));
    world.register(tool("add", Behavior::Returns("3", 5)));
    invoke(&mut world, "add", "{}");
    assert_eq!(world.report().output.as_ref().expect("a value").get(), "3");
    assert_eq!(world.posts.len(), 0, "nobody is told");
    assert!(world.opened.is_empty(), "no stream is needed");
    world.check();
}

#[test]
fn the_apps_own_calls_are_checked_like_any_other() {
    let mut world = World::new(json!({}));
    world.register(
        tool("add", Behavior::Returns("3", 5)).input(json!({ "type": "object", "required": ["a"] })),
    );
    invoke(&mut world, "add", "{}");
    assert_eq!(world.runs.len(), 0);
    assert_eq!(world.error_code(), "SCHEMA_VALIDATION_FAILED");
}

#[test]
fn an_unknown_tool_of_the_apps_own_fails_at_once() {
    let mut world = World::new(json!({}));
    invoke(&mut world, "nothing", "{}");
    assert_eq!(world.error_code(), "unknown-tool");
}

#[test]
fn a_handler_may_call_back_into_the_runtime() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "outer" }] },
        { "when": { "after": "*" }, "say": "{{result}}" },
    ] }));
    world.register(tool("outer", Behavior::Calls("inner")));
    world.register(tool("inner", Behavior::Returns("1", 5)));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.runs_of("inner"), 1);
    assert_eq!(world.answers().len(), 1, "the inner call is the page's own business");
    assert!(world.reports().iter().all(|report| report.status == ReportStatus::Completed));
    assert_eq!(world.finished_turns()[0].1, "called");
    world.check();
}

#[test]
fn nothing_is_told_after_close() {
    let mut world =
        World::new(json!({ "rules": [{ "when": { "user": "*" }, "call": [{ "name": "act" }] }] }));
    world.register(tool("act", Behavior::Waits));
    world.send("go");
    world.advance(500);
    let run = world.run_of("act");
    let before = world.events.len();
    world.input(Input::Closed);
    assert!(world.run_of("act").cancelled, "running handlers are told to stop");
    world.settle(run.invocation, "1");
    world.input(Input::Woken);
    world.send("again");
    world.advance(120_000);
    assert_eq!(world.events.len(), before);
    assert_eq!(world.answers().len(), 0);
}
