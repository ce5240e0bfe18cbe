//! Faults strike the AG-UI channel as they strike the native one.

use serde_json::json;

use super::{
    answer, both, both_with, events, is_over, of_type, post, run, snapshot, status_of, types, user,
    with_two_open,
};
use crate::driver::Driver;

#[test]
fn a_run_whose_response_is_lost_was_taken_and_is_known_when_it_comes_again() {
    let (mut driver, mut view) = with_two_open(both());
    driver.fault(json!({ "kind": "dropResponse", "route": "ag-ui" }));
    view.extend([answer("call-a", "one"), answer("call-b", "two")]);
    let lost = run(&mut driver, "t-2", &view);
    assert!(driver.lost.contains(&lost) && !driver.streams.contains_key(&lost));
    assert_eq!((status_of(&driver, "call-a"), status_of(&driver, "call-b")), ("completed", "completed"));
    let again = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert_eq!(of_type(&driver, again, "TEXT_MESSAGE_START").len(), 1);
    assert_eq!(types(&driver, again).last().unwrap(), "RUN_FINISHED");
    assert_eq!(driver.engine.messages("s1").len(), 5);
}

#[test]
fn a_request_that_never_arrives_does_nothing() {
    let mut driver = Driver::new(both());
    driver.fault(json!({ "kind": "loseRequest", "route": "ag-ui" }));
    let lost = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    assert!(driver.lost.contains(&lost));
    assert!(driver.engine.session_ids().is_empty());
}

#[test]
fn a_response_that_is_held_back_comes_whole_and_in_order() {
    let mut driver = Driver::new(both());
    driver.fault(json!({ "kind": "delayResponse", "route": "ag-ui", "ms": 20_000 }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(19_000);
    assert!(!driver.streams.contains_key(&stream));
    driver.pass(2000);
    let told = types(&driver, stream);
    assert_eq!(
        (told.first().unwrap().as_str(), told.last().unwrap().as_str()),
        ("RUN_STARTED", "RUN_FINISHED")
    );
    assert!(is_over(&driver, stream));
}

#[test]
fn a_client_that_goes_before_a_held_response_never_gets_it() {
    let mut driver = Driver::new(both());
    driver.fault(json!({ "kind": "delayResponse", "route": "ag-ui", "ms": 1000 }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.give(pagehand::engine::Input::ClientGone { id: stream });
    driver.pass(5000);
    assert!(!driver.streams.contains_key(&stream));
    assert_eq!(driver.engine.open_streams(), 0);
}

#[test]
fn a_refusal_comes_before_anything_is_read() {
    let mut driver = Driver::new(both());
    driver.fault(json!({ "kind": "refuse", "route": "/run", "status": 429, "retryAfterSecs": 3 }));
    let refused = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    assert_eq!(driver.answers[&refused].status, 429);
    assert!(driver.engine.session_ids().is_empty());
}

#[test]
fn events_are_doubled_swapped_and_garbled_by_their_types_with_or_without_event_lines() {
    for lines in [true, false] {
        let mut driver = Driver::new(both_with(json!({ "switches": { "agUiEventLines": lines } })));
        driver.fault(json!({ "kind": "duplicateFrame", "event": "TEXT_MESSAGE_START" }));
        driver.fault(json!({ "kind": "reorderFrames", "event": "TEXT_MESSAGE_END" }));
        let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
        driver.pass(5000);
        assert_eq!(of_type(&driver, stream, "TEXT_MESSAGE_START").len(), 2);
        let told = types(&driver, stream);
        assert_eq!(told[told.len() - 2..], ["RUN_FINISHED", "TEXT_MESSAGE_END"]);
        driver.fault(json!({ "kind": "garbleFrame", "event": "RUN_STARTED" }));
        let garbled = post(&mut driver, super::CONNECT, &json!({ "threadId": "s1" }));
        let text = driver.text(garbled);
        let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(data).is_err(), "{data}");
    }
}

#[test]
fn a_delayed_event_holds_back_all_behind_it_and_the_end() {
    let mut driver = Driver::new(both());
    driver.fault(json!({ "kind": "delayFrames", "event": "TOOL_CALL_START", "ms": 3000 }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
    driver.pass(2000);
    assert!(types(&driver, stream).iter().all(|kind| !kind.starts_with("TOOL_CALL")));
    assert!(!is_over(&driver, stream));
    driver.pass(3000);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
    assert!(is_over(&driver, stream));
}

#[test]
fn a_cut_breaks_a_run_off_and_the_turn_goes_on() {
    for clean in [true, false] {
        let mut driver = Driver::new(both());
        driver.fault(json!({ "kind": "cutStream", "afterBytes": 100, "clean": clean }));
        let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
        driver.pass(5000);
        assert_eq!(driver.text(stream).len(), 100);
        assert_eq!((is_over(&driver, stream), driver.lost.contains(&stream)), (clean, !clean));
        assert_eq!(driver.names().last().unwrap(), "session.done");
    }
}

#[test]
fn a_stall_silences_a_run_and_a_restart_loses_it() {
    let mut driver = Driver::new(both());
    let stalled = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.fault(json!({ "kind": "stall" }));
    driver.pass(60_000);
    assert_eq!(events(&driver, stalled).len(), 1);
    driver.fault(json!({ "kind": "restart", "downMs": 500 }));
    assert!(driver.lost.contains(&stalled));
    let down = run(&mut driver, "t-2", &[user("m-1", "hi")]);
    assert!(driver.lost.contains(&down));
    driver.pass(500);
    assert_eq!(snapshot(&mut driver).len(), 2);
}

#[test]
fn a_stall_that_is_shorter_lets_no_held_response_out_early() {
    let mut driver = Driver::new(both());
    driver.fault(json!({ "kind": "delayResponse", "route": "ag-ui", "ms": 5000 }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.fault(json!({ "kind": "stall", "ms": 1000 }));
    driver.pass(4000);
    assert!(!driver.streams.contains_key(&stream));
    driver.pass(2000);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}
