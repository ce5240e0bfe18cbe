//! What may overlap and what may not, and what happens when there is too much of it.

use super::world::{Behavior, World, tool};
use pagehand::runtime::Config;
use serde_json::{Value, json};

fn calls(names: &[&str]) -> Value {
    let calls: Vec<Value> = names.iter().map(|name| json!({ "name": name })).collect();
    json!({ "rules": [{ "when": { "user": "*" }, "call": calls }, { "when": { "after": "*" }, "say": "Done." }] })
}

#[test]
fn calls_of_one_lane_run_one_after_another_in_order() {
    let mut world = World::new(calls(&["fill", "click", "fill", "read"]));
    world.register(tool("fill", Behavior::Returns("1", 100)).with("lane", json!("page")));
    world.register(tool("click", Behavior::Returns("1", 100)).with("lane", json!("page")));
    world.register(tool("read", Behavior::Returns("1", 100)));
    world.send("go");
    world.advance(5_000);
    let mut runs: Vec<(u64, String)> = world.runs.iter().map(|run| (run.at.0, run.tool.clone())).collect();
    runs.sort();
    let start = runs[0].0;
    let order: Vec<(u64, &str)> = runs.iter().map(|(at, name)| (at - start, name.as_str())).collect();
    assert_eq!(order, [(0, "fill"), (0, "read"), (100, "click"), (200, "fill")]);
    world.check();
}

#[test]
fn a_hung_call_does_not_hold_its_lane_beyond_its_limit() {
    let mut world = World::new(calls(&["stuck", "next"]));
    world.register(tool("stuck", Behavior::Hangs).with("lane", json!("page")).with("timeout", json!(1_000)));
    world.register(tool("next", Behavior::Returns("1", 0)).with("lane", json!("page")));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.runs_of("next"), 1);
    world.check();
}

#[test]
fn no_more_handlers_run_at_once_than_the_cap_allows() {
    let mut world = World::with(
        json!({ "script": calls(&["slow"; 10]) }),
        Config { max_running: 3, ..Config::default() },
    );
    world.register(tool("slow", Behavior::Returns("1", 1_000)));
    world.send("go");
    world.advance(900);
    assert_eq!(world.runs.len(), 3);
    world.advance(10_000);
    assert_eq!(world.runs.len(), 10);
    world.check();
}

#[test]
fn calls_beyond_the_cap_are_answered_overloaded_and_none_is_left_open() {
    let mut world = World::with(
        json!({ "script": calls(&["slow"; 12]) }),
        Config { max_open_calls: 4, ..Config::default() },
    );
    world.register(tool("slow", Behavior::Returns("1", 1_000)));
    world.send("go");
    world.advance(30_000);
    assert!(world.runs.len() >= 4);
    let overloaded = world
        .reports()
        .iter()
        .filter(|report| report.error.as_ref().is_some_and(|e| e.code == "overloaded"))
        .count();
    assert!(overloaded > 0);
    assert_eq!(world.reports().len(), 12);
    assert_eq!(world.finished_turns().len(), 1);
    world.check();
}

#[test]
fn nine_calls_run_nine_times() {
    let mut world = World::new(calls(&["one"; 9]));
    world.register(tool("one", Behavior::Returns("1", 10)));
    for _ in 0..3 {
        // A component that renders again registers again.
        world.register(tool("one", Behavior::Returns("1", 10)));
    }
    world.send("go");
    world.advance(10_000);
    assert_eq!(world.runs.len(), 9);
    world.check();
}
