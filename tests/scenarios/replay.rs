//! History never executes anything: not on attach, not on reconnect, not when frames come twice.

use super::world::{Behavior, SESSION, World, tool};
use pagehand::runtime::{Config, Input};
use serde_json::{Value, json};

fn cart_script() -> Value {
    json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "read_cart" }] },
        { "when": { "after": "*" }, "say": "Done." },
    ] })
}

#[test]
fn a_session_with_finished_calls_runs_none_of_them_when_it_is_opened_again() {
    let mut world = World::new(cart_script());
    world.register(tool("read_cart", Behavior::Returns("1", 0)));
    for round in 0..5 {
        world.send_as(&format!("turn-{round}"), "cart", true);
        world.advance(3_000);
    }
    assert_eq!(world.runs.len(), 5);
    world.reload();
    world.register(tool("read_cart", Behavior::Returns("1", 0)));
    world.input(Input::Attached);
    world.advance(60_000);
    assert_eq!(world.runs.len(), 0);
    assert!(world.connection_states().contains(&"CatchingUp".to_owned()));
    world.check();
}

#[test]
fn a_call_left_open_in_the_history_runs_once_the_history_is_read() {
    let mut world = World::new(cart_script());
    world.register(tool("read_cart", Behavior::Hangs));
    world.send("cart");
    world.advance(1_000);
    assert_eq!(world.runs.len(), 1);
    world.reload();
    world.register(tool("read_cart", Behavior::Returns("1", 0)));
    world.input(Input::Attached);
    assert_eq!(world.runs.len(), 0, "not while history is read");
    world.advance(5_000);
    assert_eq!(world.runs.len(), 1);
    world.check();
}

#[test]
fn a_reconnect_does_not_run_a_call_again() {
    let mut world = World::new(cart_script());
    world.register(tool("read_cart", Behavior::Returns("1", 2_000)));
    world.send("cart");
    world.advance(500);
    world.cut_stream();
    world.advance(30_000);
    assert_eq!(world.runs.len(), 1);
    assert_eq!(world.finished_turns().len(), 1);
    world.check();
}

#[test]
fn a_cut_at_any_byte_of_the_stream_changes_nothing_about_the_outcome() {
    for after_bytes in (0..6_000).step_by(97) {
        let mut world = World::with(
            json!({ "script": cart_script(), "faults": [{ "kind": "cutStream", "afterBytes": after_bytes }] }),
            Config::default(),
        );
        world.register(tool("read_cart", Behavior::Returns("1", 20)));
        world.send("cart");
        world.advance(120_000);
        assert_eq!(world.runs.len(), 1, "cut after {after_bytes} bytes");
        assert_eq!(world.finished_turns().len(), 1, "cut after {after_bytes} bytes");
        world.check();
    }
}

#[test]
fn frames_that_come_twice_run_once() {
    let mut world = World::new(cart_script());
    world.register(tool("read_cart", Behavior::Returns("1", 20)));
    world.fault(json!({ "kind": "duplicateFrame", "times": 100 }));
    world.send("cart");
    world.advance(10_000);
    assert_eq!(world.runs.len(), 1);
    world.check();
}

#[test]
fn frames_out_of_order_are_asked_for_again_and_run_once() {
    for event in ["tool.call.requested", "tool.call.dispatched", "message.new", "tool.call.completed"] {
        let mut world = World::new(cart_script());
        world.register(tool("read_cart", Behavior::Returns("1", 20)));
        world.fault(json!({ "kind": "reorderFrames", "event": event }));
        world.send("cart");
        world.advance(60_000);
        assert_eq!(world.runs.len(), 1, "{event}");
        assert_eq!(world.finished_turns().len(), 1, "{event}");
        assert!(world.opened.len() > 1, "{event}: a hole in the order reconnects");
        world.check();
    }
}

#[test]
fn a_newer_attempt_fences_the_old_one() {
    let mut world = World::with(
        json!({ "script": cart_script(), "agent": { "retry": { "tool": { "max_attempts": 2, "run_timeout_secs": 5 } } } }),
        Config::default(),
    );
    // The first run ignores its deadline and answers long after the second attempt began.
    world.register(tool("read_cart", Behavior::Returns("\"late\"", 20_000)));
    world.send("cart");
    world.advance(5_100);
    assert!(world.runs[0].cancelled);
    world.register(tool("read_cart", Behavior::Returns("\"in time\"", 10)));
    world.advance(60_000);
    assert_eq!(world.runs.iter().map(|run| run.attempt).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(world.call(0).result.expect("it completed")["content"][0]["text"], "in time");
    assert!(world.warnings().contains(&"cancelled".to_owned()), "the late answer is dropped and reported");
    world.check();
}

#[test]
fn engines_that_count_attempts_from_one_are_answered_as_they_count() {
    let mut world =
        World::with(json!({ "script": cart_script(), "switches": { "attemptBase": 1 } }), Config::default());
    world.register(tool("read_cart", Behavior::Returns("1", 0)));
    world.send("cart");
    world.advance(5_000);
    assert_eq!(world.answers()[0]["attempt"], 1);
    world.check();
}

#[test]
fn both_event_objects_and_both_result_forms_give_the_same_outcome() {
    for switches in [
        json!({ "eventObject": "documented" }),
        json!({ "results": "text" }),
        json!({ "queuedField": false }),
    ] {
        let mut world =
            World::with(json!({ "script": cart_script(), "switches": switches }), Config::default());
        world.register(tool("read_cart", Behavior::Returns(r#"{"items":3}"#, 0)));
        world.send("cart");
        world.advance(5_000);
        assert_eq!(world.finished_turns()[0].0, "Completed", "{switches}");
        world.check();
    }
}

#[test]
fn a_call_voided_in_mid_run_is_called_off_and_never_answered() {
    let mut world = World::new(cart_script());
    world.register(tool("read_cart", Behavior::Hangs));
    world.send("cart");
    world.advance(500);
    world.operate(json!({ "action": "moveHead", "sessionId": SESSION }));
    world.advance(5_000);
    assert!(world.run_of("read_cart").cancelled);
    assert_eq!(world.answers().len(), 0);
    assert_eq!(world.error_code(), "cancelled");
    let invocation = world.run_of("read_cart").invocation;
    world.settle(invocation, "1");
    assert_eq!(world.answers().len(), 0, "a late value is dropped");
    world.check();
}

#[test]
fn a_cancelled_session_calls_everything_off() {
    for cancel_voids in [true, false] {
        let mut world = World::with(
            json!({ "script": cart_script(), "switches": { "cancelVoids": cancel_voids } }),
            Config::default(),
        );
        world.register(tool("read_cart", Behavior::Hangs));
        world.send("cart");
        world.advance(500);
        world.operate(json!({ "action": "cancel", "sessionId": SESSION }));
        world.advance(5_000);
        assert!(world.run_of("read_cart").cancelled);
        assert_eq!(world.finished_turns().len(), 1);
        assert_ne!(world.finished_turns()[0].0, "Completed");
        world.check();
    }
}
