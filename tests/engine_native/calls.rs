//! Attempts, backoff, deadlines and several calls at once, under virtual time.

use serde_json::{Value, json};

use crate::driver::{Driver, cart_with, result};

fn retrying(policy: Value) -> (Driver, String) {
    Driver::with_open_call(cart_with(json!({ "agent": { "retry": { "tool": policy } } })))
}

fn fail(driver: &mut Driver, id: &str, attempt: u32, retryable: bool) -> u16 {
    let input = json!({
        "type": "tool.error", "id": id, "attempt": attempt, "error": "loading",
        "retryable": retryable,
    });
    driver.post(input).status
}

#[test]
fn a_retryable_error_is_final_with_one_attempt() {
    let (mut driver, call) = retrying(json!({}));
    fail(&mut driver, &call, 0, true);
    driver.pass(60_000);
    assert_eq!(driver.payloads("tool.call.requested").len(), 1);
    assert_eq!(driver.engine.calls("s1")[0].status, "errored");
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn a_retry_comes_after_the_backoff_with_the_same_id_and_the_next_attempt() {
    let (mut driver, call) = retrying(json!({ "max_attempts": 3 }));
    assert_eq!(fail(&mut driver, &call, 0, true), 202);
    assert_eq!(driver.post(result(&call, json!(1))).error(), "effect is not pending");
    driver.pass(1999);
    assert_eq!(driver.payloads("tool.call.requested").len(), 1);
    driver.pass(1);
    let requested = driver.payloads("tool.call.requested");
    assert_eq!((&requested[1]["id"], &requested[1]["attempt"]), (&json!(call), &json!(1)));
    assert_eq!(driver.payloads("tool.call.dispatched")[1]["attempt"], 1);
    // The old attempt is fenced off, and the second backoff is longer.
    assert_eq!(fail(&mut driver, &call, 0, true), 409);
    assert_eq!(fail(&mut driver, &call, 1, true), 202);
    driver.pass(3999);
    assert_eq!(driver.payloads("tool.call.requested").len(), 2);
    driver.pass(1);
    assert_eq!(fail(&mut driver, &call, 2, true), 202);
    driver.pass(60_000);
    assert_eq!(driver.payloads("tool.call.requested").len(), 3);
    assert_eq!(driver.payloads("tool.call.errored").len(), 3);
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn the_backoff_has_a_ceiling_and_the_scheduler_adds_to_it() {
    let (mut driver, call) = Driver::with_open_call(cart_with(json!({
        "retryLatencyMs": 500,
        "agent": { "retry": { "tool": {
            "max_attempts": 2, "backoff_base_secs": 90, "backoff_max_secs": 10,
        } } },
    })));
    fail(&mut driver, &call, 0, true);
    driver.pass(10_499);
    assert_eq!(driver.payloads("tool.call.requested").len(), 1);
    driver.pass(1);
    assert_eq!(driver.payloads("tool.call.requested").len(), 2);
}

#[test]
fn an_error_that_may_not_be_retried_ends_the_call_at_once() {
    let (mut driver, call) = retrying(json!({ "max_attempts": 3 }));
    fail(&mut driver, &call, 0, false);
    assert_eq!(driver.engine.calls("s1")[0].status, "errored");
}

#[test]
fn the_run_timeout_is_a_retryable_deadline_and_then_final() {
    let (mut driver, call) = retrying(json!({ "max_attempts": 2, "run_timeout_secs": 10 }));
    let stream = driver.open("?after_seq=0");
    let frames = driver.frames(stream);
    let meta = frames.last().unwrap().json()["meta"]["calls"][0].clone();
    assert!(meta["deadline"].is_string(), "{meta}");
    driver.pass(10_000);
    let errored = &driver.payloads("tool.call.errored")[0];
    assert_eq!(errored["error"]["code"], "deadline_exceeded");
    assert_eq!(errored["retryable"], true);
    driver.pass(2000);
    assert_eq!(driver.engine.calls("s1")[0].attempt, 1);
    driver.pass(10_000);
    assert_eq!(driver.engine.calls("s1")[0].status, "errored");
    assert_eq!(driver.engine.accepted_settlements("s1", &call, 0), 0);
}

#[test]
fn an_answer_in_time_stops_the_deadline() {
    let (mut driver, call) = retrying(json!({ "max_attempts": 2, "run_timeout_secs": 10 }));
    driver.pass(5000);
    driver.post(result(&call, json!(1)));
    driver.pass(60_000);
    assert!(driver.payloads("tool.call.errored").is_empty());
}

#[test]
fn the_total_timeout_is_final_whatever_the_attempts() {
    let (mut driver, call) = retrying(json!({ "max_attempts": 9, "total_timeout_secs": 5 }));
    fail(&mut driver, &call, 0, true);
    driver.pass(5000);
    let errored = driver.payloads("tool.call.errored");
    assert_eq!(errored.last().unwrap()["retryable"], false);
    assert_eq!(driver.engine.calls("s1")[0].status, "errored");
}

#[test]
fn the_queue_timeout_strikes_a_call_that_is_not_dispatched() {
    let (driver, _) = Driver::with_open_call(cart_with(json!({
        "dispatchDelayMs": 600_000,
        "agent": { "retry": { "tool": { "queue_timeout_secs": 0 } } },
    })));
    assert_eq!(driver.engine.calls("s1")[0].status, "errored");
    assert!(driver.payloads("tool.call.dispatched").is_empty());
}

#[test]
fn a_retry_that_falls_due_during_an_interrupt_waits_for_its_end() {
    let (mut driver, call) = retrying(json!({ "max_attempts": 2 }));
    fail(&mut driver, &call, 0, true);
    driver.operate(json!({ "action": "interrupt", "sessionId": "s1", "interruptId": "i" }));
    driver.pass(60_000);
    assert_eq!(driver.payloads("tool.call.requested").len(), 1);
    driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "i" }));
    assert_eq!(driver.payloads("tool.call.requested").len(), 2);
}

fn two_calls() -> Driver {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "user": "both" }, "call": [
            { "name": "a", "id": "call_a" },
            { "name": "a", "id": "call_a", "arguments": { "n": 1 } },
        ] },
        { "when": { "after": "*" }, "say": "Both are done: {{result}}." },
    ] } }));
    driver.say("t-1", "both", &["a"]);
    driver.pass(1000);
    driver
}

#[test]
fn parallel_calls_are_all_requested_before_any_is_dispatched() {
    let driver = two_calls();
    let names = driver.names();
    let calls: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix("tool.call.")).collect();
    assert_eq!(calls, ["requested", "requested", "dispatched", "dispatched"]);
    let ids: Vec<String> = driver.engine.calls("s1").into_iter().map(|call| call.id).collect();
    assert_eq!(ids[0], "call_a");
    assert_ne!(ids[0], ids[1], "an id that is taken is replaced");
}

#[test]
fn parallel_calls_settle_in_any_order_and_the_model_waits_for_the_last() {
    let mut driver = two_calls();
    let ids: Vec<String> = driver.engine.calls("s1").into_iter().map(|call| call.id).collect();
    driver.post(result(&ids[1], json!("second")));
    driver.pass(10_000);
    assert_eq!(driver.payloads("llm.call.requested").len(), 1);
    driver.post(result(&ids[0], json!("first")));
    driver.pass(10_000);
    assert_eq!(driver.payloads("llm.call.requested").len(), 2);
    let last = driver.engine.messages("s1").pop().unwrap();
    assert_eq!(last["content"], "Both are done: first.");
}
