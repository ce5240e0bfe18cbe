//! The stream: when it is tried again, when it is given up, and what is told about it.

use super::world::{Behavior, World, tool};
use pagehand::runtime::event::Event;
use pagehand::runtime::{Config, Input, Millis};
use serde_json::{Value, json};

fn script() -> Value {
    json!({ "rules": [{ "when": { "user": "*" }, "call": [{ "name": "act" }] }, { "when": { "after": "*" }, "say": "ok" }] })
}

fn refuse(world: &mut World, status: u16, times: u32) {
    world.fault(json!({ "kind": "refuse", "route": "/events/stream", "status": status, "times": times }));
}

fn codes(world: &World) -> Vec<String> {
    world
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Connection(connection) => connection.code.map(|code| code.as_str().to_owned()),
            _ => None,
        })
        .collect()
}

#[test]
fn a_fresh_session_is_live_at_once() {
    let mut world = World::new(script());
    world.input(Input::Attached);
    assert_eq!(world.connection_states(), ["Connecting", "Open"]);
    assert_eq!(world.opened, [(0, false)]);
}

#[test]
fn what_may_pass_is_tried_again_with_growing_distance() {
    for status in [408, 429, 500, 503] {
        let mut world = World::new(script());
        refuse(&mut world, status, 4);
        world.input(Input::Attached);
        world.advance(120_000);
        assert_eq!(world.opened.len(), 5, "{status}");
        assert_eq!(world.connection_states().last().map(String::as_str), Some("Open"));
    }
}

#[test]
fn what_will_not_pass_stops_and_says_why() {
    for (status, opened) in [(204, 1), (403, 1), (404, 1), (401, 2)] {
        let mut world = World::new(script());
        refuse(&mut world, status, 100);
        world.input(Input::Attached);
        world.advance(600_000);
        assert_eq!(world.opened.len(), opened, "{status}");
        assert_eq!(world.connection_states().last().map(String::as_str), Some("Stopped"), "{status}");
        assert_eq!(codes(&world), ["stream-refused"], "{status}");
    }
}

#[test]
fn an_expired_token_is_refreshed_once_at_open() {
    let mut world = World::new(script());
    let good = world.mint(600);
    world.token = "expired".to_owned();
    world.fresh_token = good;
    world.input(Input::Attached);
    world.advance(1_000);
    assert_eq!(world.opened, [(0, false), (0, true)]);
    assert_eq!(world.connection_states().last().map(String::as_str), Some("Open"));
}

#[test]
fn a_stopped_stream_is_tried_again_when_somebody_asks() {
    let mut world = World::new(script());
    refuse(&mut world, 403, 1);
    world.register(tool("act", Behavior::Returns("1", 0)));
    world.input(Input::Attached);
    world.advance(1_000);
    world.send("hello");
    world.advance(5_000);
    assert_eq!(world.finished_turns().len(), 1);
}

#[test]
fn a_page_that_is_no_event_stream_is_not_read() {
    let mut world = World::new(script());
    world.fault(json!({ "kind": "refuse", "route": "/events/stream", "status": 200, "times": 1 }));
    world.input(Input::Attached);
    world.advance(60_000);
    assert_eq!(codes(&world), ["stream-content-type"]);
    assert_eq!(world.connection_states().last().map(String::as_str), Some("Stopped"));
}

#[test]
fn a_silent_stream_is_replaced_after_three_keep_alives() {
    let mut world = World::new(script());
    world.input(Input::Attached);
    world.fault(json!({ "kind": "stall" }));
    world.advance(44_000);
    assert_eq!(world.opened.len(), 1);
    world.advance(10_000);
    assert_eq!(world.opened.len(), 2);
    assert!(codes(&world).contains(&"stream-idle".to_owned()));
}

#[test]
fn keep_alives_keep_a_quiet_stream_open_for_an_hour() {
    let mut world = World::new(script());
    world.input(Input::Attached);
    world.advance(3_600_000);
    assert_eq!(world.opened.len(), 1);
}

#[test]
fn no_try_is_made_while_offline_and_one_at_once_when_back() {
    let mut world = World::new(script());
    world.input(Input::Attached);
    world.advance(100);
    world.go_offline();
    world.advance(3_600_000);
    assert_eq!(world.opened.len(), 1);
    world.go_online();
    assert_eq!(world.opened.len(), 2);
}

#[test]
fn eleven_failures_do_not_make_it_deaf() {
    let mut world = World::new(script());
    world.connected = false;
    world.input(Input::Attached);
    for _ in 0..11 {
        world.advance(30_001);
    }
    assert!(world.opened.len() > 11);
    world.connected = true;
    world.input(Input::Woken);
    world.advance(100);
    assert_eq!(world.connection_states().last().map(String::as_str), Some("Open"));
}

#[test]
fn the_servers_retry_is_the_first_step_of_the_backoff() {
    let mut world = World::with(json!({ "script": script() }), Config::default());
    world.input(Input::Attached);
    let request = pagehand::runtime::ids::RequestId(1);
    world.input(Input::ChunkArrived { request, bytes: b"retry: 5\n\n".to_vec() });
    world.input(Input::StreamClosed { request, failure: None });
    let wait = world.events.iter().rev().find_map(|event| match event {
        Event::Connection(connection) => connection.retry_in,
        _ => None,
    });
    assert!(wait.is_some_and(|wait| wait <= Millis(5)), "{wait:?}");
}

#[test]
fn an_engine_restart_in_mid_call_loses_nothing() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Returns("1", 3_000)));
    world.send("go");
    world.advance(1_000);
    world.fault(json!({ "kind": "restart" }));
    world.advance(120_000);
    assert_eq!(world.runs.len(), 1);
    assert_eq!(world.finished_turns().len(), 1);
    world.check();
}

#[test]
fn a_hole_that_cannot_be_filled_is_passed_after_one_more_look() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Returns("1", 0)));
    world.input(Input::Attached);
    let frame = "id: 9\nevent: session.created\ndata: {\"session_id\":\"session-1\",\"seq\":9,\"payload\":{\"type\":\"session.created\"}}\n\n";
    let first = pagehand::runtime::ids::RequestId(1);
    world.input(Input::ChunkArrived { request: first, bytes: frame.as_bytes().to_vec() });
    assert_eq!(world.opened, [(0, false), (0, false)]);
    let second = pagehand::runtime::ids::RequestId(2);
    world.input(Input::ChunkArrived { request: second, bytes: frame.as_bytes().to_vec() });
    assert_eq!(world.warnings(), ["stream-gap"]);
    assert_eq!(world.opened.len(), 2);
}

#[test]
fn a_frame_given_up_for_missing_still_counts_when_it_comes() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Returns("1", 0)));
    world.fault(json!({ "kind": "reorderFrames", "event": "turn.completed", "times": 2 }));
    world.send("go");
    world.advance(120_000);
    assert_eq!(world.warnings(), ["stream-gap"]);
    assert_eq!(world.finished_turns().len(), 1);
    world.check();
}
