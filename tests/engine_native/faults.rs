//! Faults change what travels and never what is recorded.

use serde_json::{Value, json};

use crate::driver::{Driver, cart, cart_with, result};

fn listening(faults: Value) -> (Driver, u64) {
    let mut driver = Driver::new(cart_with(json!({ "faults": faults })));
    let stream = driver.open("?after_seq=0");
    driver.post(json!({
        "type": "client.message", "agent_id": "shop", "message": { "role": "user", "content": "hi" },
    }));
    (driver, stream)
}

#[test]
fn a_frame_comes_twice() {
    let (driver, stream) = listening(json!([{ "kind": "duplicateFrame", "event": "turn.started" }]));
    let count = driver.logged(stream).iter().filter(|name| *name == "turn.started").count();
    assert_eq!(count, 2);
    assert_eq!(driver.logged(stream).len(), driver.names().len() + 1);
}

#[test]
fn a_frame_lets_the_next_one_pass() {
    let (driver, stream) = listening(json!([{ "kind": "reorderFrames" }]));
    let logged = driver.logged(stream);
    assert_eq!(logged[..3], ["decision.queued", "session.created", "decision.dispatched"]);
}

#[test]
fn a_frame_with_nothing_behind_it_comes_a_second_late() {
    let mut driver = Driver::new(json!({ "faults": [{ "kind": "reorderFrames", "event": "session.done" }] }));
    let stream = driver.open("?after_seq=0");
    driver.say("t-1", "hi", &[]);
    driver.pass(400);
    assert_eq!(driver.logged(stream).last().unwrap(), "turn.completed");
    driver.pass(1000);
    assert_eq!(driver.logged(stream).last().unwrap(), "session.done");
}

#[test]
fn a_garbled_frame_is_broken_json_in_whole_framing() {
    let (driver, stream) = listening(json!([{ "kind": "garbleFrame", "event": "turn.started" }]));
    let frames = driver.frames(stream);
    assert_eq!(frames.len(), driver.names().len());
    let broken = frames.iter().find(|frame| frame.event == "turn.started").unwrap();
    assert!(serde_json::from_str::<Value>(&broken.data).is_err());
}

#[test]
fn delayed_frames_hold_up_the_ones_behind_them() {
    let fault = json!([{ "kind": "delayFrames", "event": "turn.started", "ms": 3000 }]);
    let (mut driver, stream) = listening(fault);
    assert_eq!(driver.logged(stream).len(), 4);
    driver.pass(2999);
    assert_eq!(driver.logged(stream).len(), 4);
    driver.pass(1);
    assert_eq!(driver.logged(stream), driver.names());
}

#[test]
fn a_stream_is_cut_at_any_byte() {
    let (whole, stream) = listening(json!([]));
    let text = whole.text(stream);
    for at in [0, 1, 7, text.len() / 2, text.len() - 1] {
        for clean in [false, true] {
            let fault = json!([{ "kind": "cutStream", "afterBytes": at, "clean": clean }]);
            let (driver, stream) = listening(fault);
            assert_eq!(driver.text(stream), text[..at]);
            assert_eq!(driver.lost.contains(&stream), !clean);
            assert_eq!(driver.ended.contains(&stream), clean);
            assert_eq!(driver.names(), whole.names());
        }
    }
}

#[test]
fn a_stalled_stream_says_nothing_not_even_a_comment() {
    let (mut driver, stream) = listening(json!([]));
    driver.pass(1000);
    let before = driver.text(stream);
    driver.fault(json!({ "kind": "stall", "ms": 60_000 }));
    driver.say("t-2", "again", &[]);
    driver.pass(59_999);
    assert_eq!(driver.text(stream), before);
    driver.pass(1);
    assert_eq!(driver.logged(stream), driver.names());
    driver.fault(json!({ "kind": "stall" }));
    let before = driver.text(stream);
    driver.pass(3_600_000);
    assert_eq!(driver.text(stream), before);
}

#[test]
fn a_dropped_response_was_acted_on() {
    let (mut driver, call) = Driver::with_open_call(cart());
    driver.fault(json!({ "kind": "dropResponse", "route": "sessions/input" }));
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let body = json!({ "session_id": "s1", "input": result(&call, json!("x")) }).to_string();
    let id = driver.send("POST", "/api/client/sessions/input", &headers, body.as_bytes());
    assert_eq!((driver.lost.contains(&id), driver.answers.contains_key(&id)), (true, false));
    let again = driver.post_raw(&driver.token.clone(), body.as_bytes());
    assert_eq!((again.status, again.error()), (409, "effect is not pending".into()));
    assert_eq!(driver.engine.accepted_settlements("s1", &call, 0), 1);
}

#[test]
fn a_lost_request_was_never_seen() {
    let mut driver = Driver::new(cart_with(json!({
        "faults": [{ "kind": "loseRequest", "route": "sessions/input" }],
    })));
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let id = driver.send("POST", "/api/client/sessions/input", &headers, b"{}");
    assert!(driver.lost.contains(&id));
    assert_eq!(driver.say("t-1", "hi", &[]).status, 202);
}

#[test]
fn requests_and_responses_come_late() {
    let mut driver = Driver::new(cart());
    let bearer = format!("Bearer {}", driver.token);
    for fault in ["delayRequest", "delayResponse"] {
        driver.fault(json!({ "kind": fault, "ms": 500 }));
        let headers = [("Authorization", bearer.as_str())];
        let id = driver.send("GET", "/api/client/sessions/s1", &headers, b"");
        driver.pass(499);
        assert!(!driver.answers.contains_key(&id), "{fault}");
        driver.pass(1);
        assert_eq!(driver.answers[&id].status, 404, "{fault}");
    }
}

#[test]
fn requests_are_refused_as_often_as_asked_with_retry_after() {
    let mut driver = Driver::new(cart());
    driver.fault(json!({
        "kind": "refuse", "status": 429, "retryAfterSecs": 7, "times": 2, "route": "events/stream",
    }));
    assert_eq!(driver.say("t-1", "hi", &[]).status, 202);
    for (status, after) in [(429, Some("7")), (429, Some("7")), (200, None)] {
        let stream = driver.open("?after_seq=0");
        let answer = &driver.answers[&stream];
        assert_eq!((answer.status, answer.header("retry-after")), (status, after));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
}

#[test]
fn a_restart_drops_connections_and_keeps_the_log() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let stream = driver.open("?after_seq=0");
    let log = driver.names();
    driver.fault(json!({ "kind": "restart", "downMs": 2000 }));
    assert!(driver.lost.contains(&stream));
    let refused = driver.open("?after_seq=0");
    assert!(driver.lost.contains(&refused));
    driver.pass(2000);
    let back = driver.open("?after_seq=0");
    assert_eq!(driver.logged(back), log);
    assert_eq!(driver.post(result(&call, json!("x"))).status, 202);
    driver.pass(5000);
    assert_eq!(driver.logged(back).last().unwrap(), "session.done");
}
