//! The main job: the model calls a client tool, the page runs it, the model goes on.

use super::world::{Behavior, World, tool};
use pagehand::runtime::event::{Event, Node, ReportStatus};
use serde_json::json;

#[test]
fn a_call_goes_all_the_way_round() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "cart" }, "call": [{ "name": "read_cart" }] },
        { "when": { "after": "read_cart" }, "say": "You have {{result:read_cart/items}} items." },
    ] }));
    world.register(
        tool("read_cart", Behavior::Returns(r#"{"items":3}"#, 5))
            .output(json!({ "type": "object", "required": ["items"] })),
    );
    world.send("What is in my cart?");
    world.advance(2_000);

    assert_eq!(world.runs_of("read_cart"), 1);
    assert_eq!(world.run_of("read_cart").text, "{}");
    assert_eq!(world.answers().len(), 1);
    assert_eq!(world.answers()[0]["result"], json!({ "items": 3 }));
    assert_eq!(world.answers()[0]["attempt"], 0);
    assert_eq!(world.report().status, ReportStatus::Completed);
    assert_eq!(world.call(0).status, "completed");
    assert_eq!(world.finished_turns(), [("Completed".to_owned(), "You have 3 items.".to_owned(), None)]);
    world.check();
}

#[test]
fn the_turn_streams_its_text_and_carries_the_report_of_its_call() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "say": "Let me look.", "call": [{ "name": "read_cart" }] },
        { "when": { "after": "read_cart" }, "say": "Three items it is." },
    ] }));
    world.register(tool("read_cart", Behavior::Returns("3", 5)));
    world.send("cart?");
    world.advance(5_000);

    let streamed: String = world
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Text { delta, .. } => Some(delta.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(streamed, "Let me look.Three items it is.");
    let children = world
        .events
        .iter()
        .find_map(|event| match event {
            Event::TurnFinished { children, .. } => Some(children.clone()),
            _ => None,
        })
        .expect("the turn ends");
    assert_eq!(children.len(), 1);
    let Node::Tool(report) = &children[0] else { panic!("{children:?}") };
    assert_eq!(report.name, "read_cart");
    assert_eq!(report.trip_index, 0);
    assert_eq!(report.duration.0, 5);
    world.check();
}

#[test]
fn two_parallel_calls_settled_out_of_order_both_reach_the_model() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "slow" }, { "name": "fast" }] },
        { "when": { "after": "*" }, "say": "{{result:slow}} and {{result:fast}}" },
    ] }));
    world.register(tool("slow", Behavior::Returns("\"tortoise\"", 500)));
    world.register(tool("fast", Behavior::Returns("\"hare\"", 5)));
    world.send("race");
    world.advance(200);
    assert_eq!(world.answers().len(), 1, "the fast one does not wait for the slow one");
    world.advance(5_000);
    assert_eq!(world.answers()[0]["result"], "hare");
    assert_eq!(world.answers()[1]["result"], "tortoise");
    assert_eq!(world.finished_turns()[0].1, "tortoise and hare");
    world.check();
}

#[test]
fn a_silent_tool_tells_the_model_nothing_but_that_it_is_done() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "track" }] },
        { "when": { "after": "*" }, "say": "{{result:track}}" },
    ] }));
    world.register(tool("track", Behavior::Returns(r#"{"secret":1}"#, 5)).with("mode", json!("silent")));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.answers()[0]["result"], "done");
    assert_eq!(world.report().output.as_ref().expect("the page has it").get(), r#"{"secret":1}"#);
    world.check();
}
