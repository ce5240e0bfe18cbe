//! Messages: taken, queued, refused, and sent again without being said twice.

use super::world::{Behavior, Mishap, World, tool};
use pagehand::runtime::Config;
use serde_json::{Value, json};

fn script() -> Value {
    json!({ "rules": [
        { "when": { "user": "call" }, "call": [{ "name": "act" }] },
        { "when": { "after": "*" }, "say": "called" },
        { "when": { "user": "*" }, "say": "you said {{user}}" },
    ] })
}

#[test]
fn a_second_message_waits_behind_the_running_turn() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Returns("1", 2_000)));
    world.send_as("one", "call", true);
    world.send_as("two", "hello", true);
    world.advance(10_000);
    let texts: Vec<String> = world.finished_turns().into_iter().map(|turn| turn.1).collect();
    assert_eq!(texts, ["called", "you said hello"]);
    world.check();
}

#[test]
fn a_message_the_engine_drops_behind_its_202_is_told_as_refused() {
    for busy in ["swallowed", "conflict"] {
        let mut world =
            World::with(json!({ "script": script(), "switches": { "busySubmit": busy } }), Config::default());
        world.register(tool("act", Behavior::Returns("1", 2_000)));
        world.send_as("one", "call", true);
        world.advance(100);
        world.send_as("two", "hello", false);
        world.advance(10_000);
        let turns = world.finished_turns();
        assert_eq!(turns[0].0, "Failed", "{busy}");
        assert_eq!(turns[0].2.as_deref(), Some("message-refused"), "{busy}");
        assert_eq!(turns[1].1, "called", "{busy}");
        world.check();
    }
}

#[test]
fn a_message_whose_answer_is_lost_is_said_once() {
    let mut world = World::new(script());
    world.mishaps.push_back(Mishap::AnswerLost);
    world.send("hello");
    world.advance(60_000);
    assert_eq!(world.posts.len(), 1, "the stream says that the turn began: nothing is to be sent again");
    assert_eq!(world.finished_turns().len(), 1);
    let users = world
        .engine
        .messages(super::world::SESSION)
        .iter()
        .filter(|message| message["role"] == "user")
        .count();
    assert_eq!(users, 1);
}

#[test]
fn messages_written_offline_arrive_in_order() {
    let mut world = World::new(script());
    world.go_offline();
    for number in 0..3 {
        world.send_as(&format!("turn-{number}"), &format!("hello {number}"), true);
    }
    world.advance(60_000);
    world.go_online();
    world.advance(60_000);
    let texts: Vec<String> = world.finished_turns().into_iter().map(|turn| turn.1).collect();
    assert_eq!(texts, ["you said hello 0", "you said hello 1", "you said hello 2"]);
}

#[test]
fn a_turn_that_fails_at_the_model_ends_with_its_words() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "error": { "message": "the model is out", "code": "refused" } } ] }));
    world.send("hello");
    world.advance(60_000);
    let turns = world.finished_turns();
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].0, "Failed");
    assert_eq!(turns[0].2.as_deref(), Some("refused"));
}

#[test]
fn registered_tools_are_declared_with_their_handler() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Returns("1", 0)).input(json!({ "type": "object" })));
    world.send("hello");
    let declared = &world.posts[0]["input"]["client"]["tools"][0];
    assert_eq!(declared["name"], "act");
    assert_eq!(declared["handler"], "client");
    assert_eq!(declared["input"], json!({ "type": "object" }));
}

#[test]
fn too_many_waiting_messages_are_refused_at_once() {
    let mut world = World::with(json!({ "script": script() }), Config { max_turns: 3, ..Config::default() });
    world.go_offline();
    for number in 0..5 {
        world.send_as(&format!("turn-{number}"), "hello", true);
    }
    let refused: Vec<_> = world.finished_turns();
    assert_eq!(refused.len(), 2);
    assert_eq!(refused[0].2.as_deref(), Some("outbox-full"));
}
