//! An answer is sent until the engine or the stream says stop, always the same bytes, and counts once.

use super::world::{Behavior, Mishap, World, tool};
use pagehand::runtime::event::{DeliveryState, Event, ReportStatus};
use pagehand::runtime::{Config, Input};
use serde_json::{Value, json};

fn script() -> Value {
    json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "act" }] },
        { "when": { "after": "*" }, "say": "{{result:act}}" },
    ] })
}

/// A world whose call is about to be answered: the message is through, the tool waits.
fn waiting() -> World {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Waits));
    world.send("go");
    world.advance(500);
    assert_eq!(world.runs_of("act"), 1);
    world
}

fn answer(world: &mut World) {
    let invocation = world.run_of("act").invocation;
    world.settle(invocation, "\"did it\"");
}

fn refuse(world: &mut World, status: u16, times: u32) {
    world.fault(json!({ "kind": "refuse", "route": "/input", "status": status, "times": times }));
}

#[test]
fn a_lost_response_is_sent_again_and_the_conflict_is_success() {
    let mut world = waiting();
    world.mishaps.push_back(Mishap::AnswerLost);
    // The stream is silent about it until the answer was sent twice.
    world.fault(json!({ "kind": "stall", "ms": 8_000 }));
    answer(&mut world);
    world.advance(90_000);
    assert!(world.answers().len() >= 2);
    assert!(world.answers().windows(2).all(|pair| pair[0] == pair[1]), "a retry has the same body");
    assert!(world.statuses().contains(&409));
    assert_eq!(world.report().status, ReportStatus::Completed);
    world.check();
}

#[test]
fn a_request_that_never_arrives_is_sent_again() {
    let mut world = waiting();
    world.mishaps.extend([Mishap::Lost, Mishap::Lost, Mishap::Lost]);
    answer(&mut world);
    world.advance(90_000);
    assert_eq!(world.answers().len(), 4);
    assert_eq!(world.report().delivery.as_ref().expect("told").tries, 4);
    world.check();
}

#[test]
fn a_busy_engine_is_asked_again_and_never_before_it_said() {
    for status in [429, 500, 503] {
        let mut world = waiting();
        world.fault(json!({ "kind": "refuse", "route": "/input", "status": status, "retryAfterSecs": 20 }));
        answer(&mut world);
        world.advance(19_000);
        assert_eq!(world.answers().len(), 1, "{status}: Retry-After is obeyed");
        world.advance(60_000);
        assert_eq!(world.answers().len(), 2, "{status}");
        assert_eq!(world.report().status, ReportStatus::Completed);
        world.check();
    }
}

#[test]
fn offline_then_online_delivers_at_once() {
    let mut world = waiting();
    world.go_offline();
    answer(&mut world);
    world.advance(600_000);
    assert_eq!(world.answers().len(), 1, "no try is burnt while offline");
    world.go_online();
    world.advance(2_000);
    assert_eq!(world.finished_turns()[0].1, "did it");
    world.check();
}

#[test]
fn an_expired_token_is_refreshed_once_and_the_same_answer_goes_again() {
    let mut world = World::new(script());
    world.register(tool("act", Behavior::Waits));
    world.token = world.mint(60);
    world.send("go");
    world.advance(3_600_000);
    world.fresh_token = world.mint(600);
    answer(&mut world);
    world.advance(10_000);
    assert!(world.statuses().contains(&401));
    assert_eq!(world.answers().len(), 2);
    assert_eq!(world.finished_turns()[0].1, "did it");
    world.check();
}

#[test]
fn a_token_that_stays_bad_parks_the_answer_until_something_changes() {
    let mut world = waiting();
    let good = std::mem::replace(&mut world.fresh_token, "bad".to_owned());
    world.token = "bad".to_owned();
    answer(&mut world);
    world.advance(120_000);
    assert_eq!(world.answers().len(), 2, "one refresh, then it waits");
    assert!(
        world.events.iter().any(
            |event| matches!(event, Event::Delivery(delivery) if delivery.state == DeliveryState::Parked)
        )
    );
    world.fresh_token = good.clone();
    world.token = good;
    world.input(Input::Woken);
    world.advance(5_000);
    assert_eq!(world.finished_turns()[0].1, "did it");
    world.check();
}

#[test]
fn a_result_the_engine_refuses_after_its_202_is_told_as_refused() {
    let mut world = World::new(script());
    // The engine was told a schema that this page does not check by itself.
    world.register(
        tool("act", Behavior::Waits).with("output", json!({ "type": "object", "required": ["ok"] })),
    );
    world.send("go");
    world.advance(500);
    answer(&mut world);
    world.advance(5_000);
    assert!(world.statuses().iter().all(|status| *status == 202));
    assert_eq!(world.report().status, ReportStatus::Failed);
    assert_eq!(world.error_code(), "invalid_response");
    assert_eq!(world.report().delivery.as_ref().expect("told").state, DeliveryState::Refused);
    world.check();
}

#[test]
fn an_answer_too_large_for_the_engine_becomes_a_short_error() {
    let mut world = World::with(json!({ "script": script(), "bodyLimit": 1_000 }), Config::default());
    world.register(tool("act", Behavior::Waits));
    world.send("go");
    world.advance(500);
    let invocation = world.run_of("act").invocation;
    world.settle(invocation, &format!("\"{}\"", "x".repeat(2_000)));
    world.advance(5_000);
    assert_eq!(world.answers()[1]["type"], "tool.error");
    assert_eq!(world.error_code(), "result-too-large");
    assert_eq!(world.call(0).status, "errored");
    world.check();
}

#[test]
fn a_refusal_for_good_ends_the_call_and_says_so() {
    let mut world = waiting();
    refuse(&mut world, 403, 1);
    answer(&mut world);
    world.advance(10_000);
    assert_eq!(world.error_code(), "delivery-rejected");
    assert_eq!(world.answers().len(), 1);
    assert_eq!(world.machine.open_calls(), 0);
}

#[test]
fn a_result_the_engine_cannot_read_becomes_an_error_and_the_turn_goes_on() {
    for status in [400, 422] {
        let mut world = waiting();
        refuse(&mut world, status, 1);
        answer(&mut world);
        world.advance(10_000);
        assert_eq!(world.answers()[1]["type"], "tool.error", "{status}");
        assert_eq!(world.error_code(), "delivery-rejected");
        assert_eq!(world.finished_turns().len(), 1);
        world.check();
    }
}

#[test]
fn a_result_deeper_than_the_engine_reads_does_not_hang_its_turn() {
    let mut world = waiting();
    let invocation = world.run_of("act").invocation;
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    world.settle(invocation, &deep);
    world.advance(10_000);
    assert_eq!(world.finished_turns().len(), 1);
    world.check();
}

#[test]
fn an_absurd_retry_after_is_capped_and_a_date_is_passed_over() {
    use pagehand::runtime::input::retry_after;
    assert_eq!(retry_after(Some("99999999999999999999")), retry_after(Some("86400")));
    assert_eq!(retry_after(Some("Wed, 21 Oct 2026 07:28:00 GMT")), None);
    assert_eq!(retry_after(Some("")), None);
}

#[test]
fn an_answer_settled_by_somebody_else_is_not_counted_twice() {
    let mut world = waiting();
    let call = world.call(0);
    let other = json!({ "session_id": super::world::SESSION,
        "input": { "type": "tool.result", "id": call.id, "attempt": 0, "result": "by another tab" } });
    world.post_as_other(&other);
    world.advance(1_000);
    assert!(world.run_of("act").cancelled, "the handler is told to stop");
    assert_eq!(world.answers().len(), 0);
    assert_eq!(world.report().status, ReportStatus::Cancelled);
    world.check();
}

#[test]
fn a_settle_before_the_dispatch_is_sent_once_more_after_it() {
    let mut world = World::with(json!({ "script": script(), "dispatchDelayMs": 3_000 }), Config::default());
    world.register(tool("act", Behavior::Returns("1", 0)));
    world.send("go");
    world.advance(60_000);
    assert_eq!(world.statuses().iter().filter(|status| **status == 409).count(), 1);
    assert_eq!(world.answers().len(), 2);
    assert_eq!(world.report().status, ReportStatus::Completed);
    world.check();
}

#[test]
fn a_taken_answer_the_stream_never_confirms_is_asked_about_and_ends() {
    let mut world = waiting();
    // The engine forgets what it took: it neither settles nor says so.
    world.fault(json!({ "kind": "refuse", "route": "/input", "status": 202, "times": 100 }));
    answer(&mut world);
    world.advance(900_000);
    assert_eq!(world.error_code(), "delivery-conflict");
    assert_eq!(world.machine.open_calls(), 0);
    assert!(world.answers().len() > 1);
}

#[test]
fn storage_that_fails_is_told_once_and_loses_nothing_here() {
    let mut world = waiting();
    world.stores = false;
    answer(&mut world);
    world.advance(5_000);
    assert_eq!(world.warnings(), ["store-unavailable"]);
    assert_eq!(world.finished_turns()[0].1, "did it");
    world.check();
}

#[test]
fn null_and_values_that_look_wrapped_reach_the_model_as_they_are() {
    for (value, seen) in [
        ("null", "null"),
        (r#"{"content":[{"type":"text","text":"x"}]}"#, r#"{"content":[{"type":"text","text":"x"}]}"#),
        ("9007199254740993", "9007199254740993"),
        (r#""plain""#, "plain"),
    ] {
        let mut world = waiting();
        let invocation = world.run_of("act").invocation;
        world.settle(invocation, value);
        world.advance(5_000);
        let rendered = world.call(0).rendered.expect("it completed");
        let as_json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|_| json!(text));
        assert_eq!(as_json(&rendered), as_json(seen));
        world.check();
    }
}
