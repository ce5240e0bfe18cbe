//! A person's yes or no before a tool runs.

use super::world::{Behavior, World, tool};
use pagehand::runtime::input::Decision;
use serde_json::json;

fn asking() -> World {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "delete" }, "call": [{ "name": "delete_all", "arguments": { "count": 3 } }] },
        { "when": { "after": "*" }, "say": "{{result}}" },
    ] }));
    world.register(
        tool("delete_all", Behavior::Returns("\"gone\"", 0)).with("asksConsent", json!(true)).input(
            json!({ "type": "object", "properties": { "count": { "type": "integer", "maximum": 5 } } }),
        ),
    );
    world.send_as("first", "delete them", true);
    world.advance(60_000);
    assert_eq!(world.asks.len(), 1);
    assert_eq!(world.runs.len(), 0);
    world
}

#[test]
fn nothing_runs_before_the_yes_and_one_yes_is_one_run() {
    let mut world = asking();
    let ask = world.asks[0];
    world.decide(ask, Decision::Allow);
    world.decide(ask, Decision::Allow);
    world.advance(5_000);
    assert_eq!(world.runs.len(), 1);
    assert_eq!(world.finished_turns()[0].1, "gone");
    world.check();
}

#[test]
fn a_no_is_an_answer_the_model_can_read() {
    let mut world = asking();
    world.decide(world.asks[0], Decision::Deny { reason: Some("not today".to_owned()) });
    world.advance(5_000);
    assert_eq!(world.runs.len(), 0);
    assert_eq!(world.answers()[0]["error"], "the user declined: not today");
    assert_eq!(world.error_code(), "declined");
    world.check();
}

#[test]
fn edited_arguments_are_checked_again() {
    let mut world = asking();
    world.decide(world.asks[0], Decision::AllowEdited { text: r#"{"count":99}"#.to_owned() });
    world.advance(5_000);
    assert_eq!(world.runs.len(), 0);
    assert_eq!(world.error_code(), "SCHEMA_VALIDATION_FAILED");

    let mut world = asking();
    world.decide(world.asks[0], Decision::AllowEdited { text: r#"{"count":1}"#.to_owned() });
    world.advance(5_000);
    assert_eq!(world.run_of("delete_all").text, r#"{"count":1}"#);
    assert_eq!(world.asks.len(), 1, "they are not asked twice");
    world.check();
}

#[test]
fn typing_instead_of_answering_declines_first_and_then_sends() {
    let mut world = asking();
    world.send_as("second", "never mind, hello", true);
    assert_eq!(world.withdrawn.len(), 1);
    world.advance(10_000);
    let kinds: Vec<&str> =
        world.posts.iter().map(|post| post["input"]["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["client.append", "tool.error", "client.append"]);
    assert_eq!(world.runs.len(), 0);
    assert_eq!(world.finished_turns().len(), 2);
    world.check();
}

#[test]
fn an_answer_to_a_question_that_is_gone_does_nothing() {
    let mut world = asking();
    let ask = world.asks[0];
    world.operate(json!({ "action": "cancel", "sessionId": super::world::SESSION }));
    world.advance(1_000);
    assert_eq!(world.withdrawn, [ask]);
    world.decide(ask, Decision::Allow);
    world.advance(1_000);
    assert_eq!(world.runs.len(), 0);
    world.check();
}
