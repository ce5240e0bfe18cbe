//! Answers that are no answers: unreadable, wrong, late or missing, and what they cost.

use serde_json::{Value, json};

use super::desk::{Desk, accept};

fn started() -> Desk {
    let mut desk = Desk::new(json!({ "agent": { "tools": [{ "name": "work" }] } }));
    desk.say("go", &[]);
    desk
}

#[test]
fn an_answer_that_is_wrong_is_a_failed_attempt_that_says_where() {
    let action = |action: Value| json!({ "actions": [action] }).to_string();
    let cases = [
        ("{".to_owned(), "not JSON"),
        ("[]".to_owned(), "not an object"),
        ("null".to_owned(), "not an object"),
        (json!({ "actions": {} }).to_string(), "actions must be an array"),
        (json!({ "messages": "x" }).to_string(), "messages must be an array"),
        (json!({ "messages": [{ "role": "robot" }] }).to_string(), "messages/0/role"),
        (json!({ "messages": [{ "role": "user", "content": 1 }] }).to_string(), "messages/0/content"),
        (json!({ "messages": [{ "role": "user", "id": 1 }] }).to_string(), "messages/0/id"),
        (json!({ "messages": [1] }).to_string(), "messages/0 must be an object"),
        (
            json!({ "messages": [{ "role": "assistant", "tool_calls": 1 }] }).to_string(),
            "messages/0/tool_calls",
        ),
        (json!({ "agent": 1 }).to_string(), "agent must be an object"),
        (json!({ "agent": { "tools": [] } }).to_string(), "agent/model"),
        (json!({ "agent": { "model": "m", "tools": [{}] } }).to_string(), "agent/tools/0"),
        (
            json!({ "agent": { "model": "m", "tools": [{ "name": "a" }, { "name": "a" }] } }).to_string(),
            "agent/tools/1",
        ),
        (json!({ "agent": { "model": "m", "retry": { "tool": 1 } } }).to_string(), "agent/retry"),
        (action(json!(1)), "actions/0 must be an object"),
        (action(json!({})), "actions/0/type is missing"),
        (action(json!({ "type": "fly" })), "unknown action type \"fly\""),
        (action(json!({ "type": "message.send" })), "does not carry out \"message.send\""),
        (action(json!({ "type": "tool.call" })), "actions/0/name is missing"),
        (action(json!({ "type": "tool.call", "name": "a", "handler": "moon" })), "actions/0/handler"),
        (action(json!({ "type": "tool.call", "name": "a", "retry": 1 })), "actions/0/retry"),
        (action(json!({ "type": "tool.result", "result": 1 })), "actions/0/id is missing"),
        (action(json!({ "type": "tool.result", "id": "x", "result": 1 })), "no call \"x\""),
        (action(json!({ "type": "llm.call", "stream": "yes" })), "actions/0/stream"),
        (action(json!({ "type": "llm.call", "messages": [{}] })), "actions/0/messages/0/role"),
        (action(json!({ "type": "interrupt" })), "actions/0/reason is missing"),
        (action(json!({ "type": "interrupt.resolve" })), "actions/0/interrupt_id is missing"),
    ];
    for (answer, problem) in cases {
        let mut desk = started();
        let asked = desk.until("client.messages");
        let before = desk.driver.names().len();
        desk.answer_text(&asked, &answer);
        let errored = desk.driver.payloads("decision.errored");
        let message = errored[0]["error"]["message"].as_str().unwrap();
        assert!(message.contains(problem), "{answer}: {message}");
        // Nothing of it was done, and it is tried again.
        assert_eq!(desk.driver.names()[before..], ["decision.errored", "decision.dispatched"]);
        let again = desk.take().unwrap();
        assert_eq!((again.attempt, &again.request["attempts"]), (2, &json!(2)));
        assert_eq!(again.decision, asked.decision);
        desk.answer(&again, &again.proposed());
        desk.pass(2_000, &accept);
        assert_eq!(desk.ended_with().get("error"), None);
    }
}

#[test]
fn tool_endings_need_their_text_and_a_whole_attempt() {
    for (action, problem) in [
        (json!({ "type": "tool.result" }), "actions/0/result is missing"),
        (json!({ "type": "tool.error" }), "actions/0/error is missing"),
        (json!({ "type": "tool.result", "result": 1, "attempt": "x" }), "actions/0/attempt"),
        (json!({ "type": "tool.error", "error": "x", "retryable": 1 }), "actions/0/retryable"),
    ] {
        let mut desk = Desk::new(json!({
            "agent": { "tools": [{ "name": "work" }] },
            "script": { "replies": [{ "call": [{ "name": "work" }] }] },
        }));
        desk.say("go", &[]);
        let asked = desk.until("tool.execute");
        desk.answer(&asked, &json!({ "actions": [action] }));
        let errored = desk.driver.payloads("decision.errored");
        assert!(errored[0]["error"]["message"].as_str().unwrap().contains(problem));
    }
}

#[test]
fn a_worker_that_keeps_failing_costs_the_turn_and_not_the_session() {
    let mut desk = Desk::new(json!({ "script": { "replies": [
        { "call": [{ "name": "read", "id": "call_1" }, { "name": "work", "id": "call_2" }] },
    ] } }));
    desk.say("go", &["read"]);
    let asked = desk.until("tool.execute");
    desk.fail(&asked);
    let again = desk.take().unwrap();
    desk.answer_text(&again, "nonsense");
    let error = desk.ended_with()["error"].clone();
    assert_eq!(error["code"], "worker_unreachable");
    assert!(error["message"].as_str().unwrap().contains("not JSON"), "{error}");
    assert!(desk.statuses().iter().all(|(_, status)| *status == "voided"));
    assert!(desk.take().is_none());
    let errors = desk.driver.payloads("decision.errored");
    assert_eq!(errors[0]["error"]["message"], "HTTP 503");
    desk.driver.say("t-2", "again", &[]);
    desk.pass(2_000, &accept);
    assert_eq!(desk.ended_with()["turn_id"], "t-2");
    assert_eq!(desk.ended_with().get("error"), None);
}

#[test]
fn a_worker_that_fails_at_the_start_leaves_no_turn_hanging() {
    let mut desk = started();
    for _ in 0..4 {
        let asked = desk.take().unwrap();
        desk.fail(&asked);
    }
    assert!(desk.take().is_none());
    assert_eq!(desk.ended_with()["error"]["code"], "worker_unreachable");
}

#[test]
fn silence_is_a_failure_and_what_comes_after_it_is_dropped() {
    let mut desk = Desk::new(json!({ "workerTimeoutMs": 3_000 }));
    desk.say("go", &[]);
    let first = desk.until("client.messages");
    desk.driver.pass(2_999);
    assert_eq!(desk.count("decision.errored"), 0);
    desk.driver.pass(1);
    let message = desk.driver.payloads("decision.errored")[0]["error"]["message"].clone();
    assert_eq!(message, "it did not answer within 3000 ms");
    let second = desk.take().unwrap();
    desk.answer(&first, &first.proposed());
    desk.fail(&first);
    assert_eq!(desk.count("message.new"), 0, "a late answer was taken");
    desk.answer(&second, &second.proposed());
    desk.answer(&second, &second.proposed());
    assert_eq!(desk.count("message.new"), 1, "an answer was taken twice");
    desk.pass(10_000, &accept);
    assert_eq!(desk.ended_with().get("error"), None);
}

#[test]
fn an_answer_to_a_cancelled_session_is_dropped() {
    let mut desk = started();
    let asked = desk.until("client.messages");
    desk.driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
    desk.answer(&asked, &asked.proposed());
    desk.driver.pass(60_000);
    assert_eq!(desk.driver.names().last().unwrap(), "session.cancelled");
    assert!(desk.take().is_none());
}

#[test]
fn the_fault_of_a_failing_decision_strikes_before_the_worker_is_asked() {
    let mut desk = started();
    let asked = desk.take().unwrap();
    desk.driver.fault(json!({ "kind": "decisionFails", "times": 1 }));
    desk.answer(&asked, &asked.proposed());
    let asked = desk.take().unwrap();
    assert_eq!((asked.attempt, desk.count("decision.errored")), (2, 1));
}

#[test]
fn a_slow_decision_is_put_to_the_worker_late() {
    let mut desk = Desk::new(json!({ "decisionMs": 400 }));
    desk.say("go", &[]);
    assert!(desk.take().is_none());
    desk.driver.pass(400);
    assert_eq!(desk.take().unwrap().trigger()["type"], "session.start");
}
