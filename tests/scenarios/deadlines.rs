//! Time: a tool's own limit, the engine's deadline, and clocks that stand still.

use super::world::{Behavior, World, tool};
use pagehand::runtime::{Config, Input};
use serde_json::{Value, json};

fn script() -> Value {
    json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "act" }] },
        { "when": { "after": "*" }, "say": "{{result:act}}" },
    ] })
}

#[test]
fn a_tool_that_hangs_is_answered_for_at_its_limit() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Hangs).with("timeout", json!(5_000)));
    world.send("go");
    world.advance(4_900);
    assert_eq!(world.answers().len(), 0);
    world.advance(5_000);
    assert_eq!(world.answers().len(), 1);
    assert_eq!(world.answers()[0]["type"], "tool.error");
    assert_eq!(world.answers()[0]["retryable"], false);
    assert_eq!(world.error_code(), "deadline_exceeded");
    assert!(world.run_of("act").cancelled);
    world.check();
}

#[test]
fn the_engines_deadline_ends_a_tool_without_a_limit() {
    for object in ["source", "documented"] {
        let mut world = World::with(
            json!({ "script": script(), "switches": { "eventObject": object },
                "agent": { "retry": { "tool": { "run_timeout_secs": 10 } } } }),
            Config::default(),
        );
        world.register(tool("act", Behavior::Hangs));
        world.send("go");
        world.advance(60_000);
        assert!(world.run_of("act").cancelled);
        assert_eq!(world.call(0).status, "errored");
        world.check();
    }
}

#[test]
fn signs_of_life_put_the_limit_off_but_not_the_engines_deadline() {
    let mut world = World::with(
        json!({ "script": script(), "agent": { "retry": { "tool": { "run_timeout_secs": 90 } } } }),
        Config::default(),
    );
    world.register(tool("act", Behavior::Waits).with("timeout", json!(15_000)));
    world.send("go");
    world.advance(100);
    let invocation = world.run_of("act").invocation;
    for _ in 0..8 {
        world.advance(10_000);
        world.input(Input::Progressed { invocation });
        assert!(!world.run_of("act").cancelled);
    }
    world.advance(20_000);
    assert!(world.run_of("act").cancelled);
    world.check();
}

#[test]
fn the_clock_stands_still_while_a_person_is_asked() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Waits).with("timeout", json!(5_000)));
    world.send("go");
    world.advance(2_000);
    let invocation = world.run_of("act").invocation;
    world.input(Input::AskingStarted { invocation });
    world.advance(600_000);
    world.input(Input::AskingEnded { invocation });
    world.advance(1_000);
    assert!(!world.run_of("act").cancelled);
    world.settle(invocation, "\"answered\"");
    world.advance(2_000);
    assert_eq!(world.finished_turns()[0].1, "answered");
    world.check();
}

#[test]
fn an_error_the_author_calls_retryable_runs_again_under_the_policy() {
    let mut world = World::with(
        json!({ "script": script(), "agent": { "retry": { "tool": { "max_attempts": 3 } } } }),
        Config::default(),
    );
    world.register(tool("act", Behavior::Retryable("still loading")));
    world.send("go");
    world.advance(120_000);
    assert_eq!(world.runs.iter().map(|run| run.attempt).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(world.call(0).status, "errored");
    assert_eq!(world.reports().len(), 3, "each attempt ends once");
    world.check();
}

#[test]
fn time_that_goes_back_changes_nothing() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Waits).with("timeout", json!(5_000)));
    world.send("go");
    world.advance(1_000);
    let now = world.now;
    world.now = pagehand::runtime::Millis(now.0 - 3_600_000);
    world.input(Input::TimePassed);
    world.now = now;
    world.advance(3_000);
    assert!(!world.run_of("act").cancelled);
    world.advance(3_000);
    assert!(world.run_of("act").cancelled);
    world.check();
}
