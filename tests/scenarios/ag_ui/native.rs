//! The native engine's own AG-UI channel, in both readings of what is disputed about it: nothing is lost in either.

use crate::world::{Behavior, World, tool};
use pagehand::runtime::Config;
use pagehand::runtime::config::Dialect;
use pagehand::runtime::event::{Event, TurnStatus};
use serde_json::{Value, json};

fn world(script: Value, switches: Value) -> World {
    let config =
        Config { dialect: Dialect::AgUi, connectable: true, native_input: true, ..Config::default() };
    World::with(json!({ "script": script, "switches": switches }), config)
}

fn script() -> Value {
    json!({ "rules": [
        { "when": { "user": "cart" }, "say": "Let me look.", "call": [{ "name": "get_cart", "arguments": { "currency": "EUR" } }] },
        { "when": { "user": "both" }, "call": [{ "name": "get_cart" }, { "name": "add_item" }, { "name": "ping" }] },
        { "when": { "after": "*" }, "say": "Done." },
        { "when": {}, "say": "Hello." },
    ] })
}

fn readings() -> Vec<Value> {
    let mut all = Vec::new();
    for answers in ["taken", "dropped"] {
        for end in ["whole", "early"] {
            for lines in [true, false] {
                all.push(json!({ "agUiAnswers": answers, "agUiRunEnd": end, "agUiEventLines": lines }));
            }
        }
    }
    all
}

fn tools(world: &mut World) {
    for name in ["get_cart", "add_item", "ping"] {
        world.register(tool(name, Behavior::Returns("{\"items\":3}", 40)));
    }
}

fn ended(world: &World, turn: &str) -> Option<(TurnStatus, String)> {
    world.events.iter().find_map(|event| match event {
        Event::TurnFinished { turn_id, status, text, .. } if turn_id == turn => Some((*status, text.clone())),
        _ => None,
    })
}

fn problems(world: &World) -> Vec<String> {
    let told = world.events.iter().filter_map(|event| match event {
        Event::TurnFinished { error: Some(error), .. } => Some(format!("{}: {}", error.code, error.message)),
        Event::Warning(warning) => Some(format!("{}: {}", warning.code.as_str(), warning.message)),
        _ => None,
    });
    told.collect()
}

#[test]
fn one_call_is_answered_in_every_reading() {
    for switches in readings() {
        let mut world = world(script(), switches.clone());
        tools(&mut world);
        world.send_as("t", "cart", true);
        world.advance(60_000);
        assert_eq!(
            ended(&world, "t"),
            Some((TurnStatus::Completed, "Done.".to_owned())),
            "{switches} {:?}",
            problems(&world)
        );
        assert_eq!(world.runs.len(), 1, "{switches}");
        let by_input = world.posts.iter().filter(|post| post["input"]["type"] == "tool.result").count();
        let dropped = switches["agUiAnswers"] == "dropped";
        assert_eq!(
            by_input > 0,
            dropped,
            "the native way is gone where the run's answers are passed over: {switches}"
        );
    }
}

#[test]
fn an_engine_that_passed_answers_over_once_is_not_waited_for_again() {
    let mut world = world(script(), json!({ "agUiAnswers": "dropped" }));
    tools(&mut world);
    world.send_as("t", "cart", true);
    world.advance(60_000);
    assert!(ended(&world, "t").is_some());
    let from = world.now;
    world.send_as("t2", "cart", true);
    while ended(&world, "t2").is_none() {
        world.advance(100);
        assert!(world.now.since(from).0 < 8_000, "it goes the native way at once");
    }
    assert_eq!(world.runs.len(), 2);
}

#[test]
fn all_calls_of_a_reply_are_answered_in_every_reading() {
    for switches in readings() {
        let mut world = world(script(), switches.clone());
        tools(&mut world);
        world.send_as("t", "both", true);
        world.advance(90_000);
        assert_eq!(
            ended(&world, "t"),
            Some((TurnStatus::Completed, "Done.".to_owned())),
            "{switches} {:?}",
            problems(&world)
        );
        assert_eq!(world.runs.len(), 3, "{switches}");
        // And the next turn finds the conversation whole.
        world.send_as("t2", "hi", true);
        world.advance(60_000);
        assert_eq!(
            ended(&world, "t2"),
            Some((TurnStatus::Completed, "Hello.".to_owned())),
            "{switches} {:?}",
            problems(&world)
        );
    }
}

#[test]
fn silent_replies_and_stopped_turns_leave_the_engine_able_to_go_on() {
    for switches in readings() {
        let mut world = world(script(), switches.clone());
        for name in ["get_cart", "add_item", "ping"] {
            world.register(tool(name, Behavior::Returns("1", 0)).with("mode", json!("silent")));
        }
        world.send_as("t", "both", true);
        world.advance(10_000);
        assert_eq!(ended(&world, "t").map(|(status, _)| status), Some(TurnStatus::Completed), "{switches}");
        world.send_as("t2", "hi", true);
        world.advance(200_000);
        let end = ended(&world, "t2");
        assert_eq!(
            end.as_ref().map(|(status, _)| *status),
            Some(TurnStatus::Completed),
            "{switches} {:?}",
            problems(&world)
        );
    }
}
