//! Interrupts: a run ends with them, and the next one must bring an answer to each.

use serde_json::{Value, json};

use super::{answer, events, is_over, of_type, run, run_with, snapshot, status_of, types, user};
use crate::driver::Driver;

/// A model whose worker asks before it goes on; `more` goes into the interrupt.
fn asking(more: Value) -> Value {
    let mut interrupt = json!({ "id": "int-1", "reason": "confirm" });
    interrupt.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "script": { "rules": [
        { "when": { "user": "buy" }, "say": "One moment.", "interrupt": interrupt,
            "call": [{ "name": "a", "id": "c" }] },
        { "when": { "user": "wait" }, "say": "Waiting.", "interrupt": interrupt },
        { "when": { "after": "a" }, "say": "Done: {{result}}." },
        { "when": { "user": "*" }, "say": "Hello." },
    ] } })
}

fn resume(status: &str, payload: Value) -> Value {
    json!({ "resume": [{ "interruptId": "int-1", "status": status, "payload": payload }] })
}

#[test]
fn a_run_ends_with_the_interrupts_that_the_session_waits_at() {
    let payload = json!({ "message": "Buy it?", "responseSchema": { "type": "object" }, "price": 3 });
    let mut driver = Driver::new(asking(json!({ "payload": payload })));
    let stream = run(&mut driver, "t-1", &[user("m-1", "buy it")]);
    driver.pass(5000);
    let told = types(&driver, stream);
    assert_eq!(told[told.len() - 2..], ["TOOL_CALL_END", "RUN_FINISHED"]);
    let outcome = json!({ "type": "interrupt", "interrupts": [{
        "id": "int-1", "reason": "confirm", "message": "Buy it?", "responseSchema": { "type": "object" },
        "metadata": { "payload": payload },
    }] });
    assert_eq!(events(&driver, stream).pop().unwrap()["outcome"], outcome);
    assert!(is_over(&driver, stream));
    let connected = super::post(&mut driver, super::CONNECT, &json!({ "threadId": "s1" }));
    assert_eq!(events(&driver, connected).pop().unwrap()["outcome"], outcome);
}

#[test]
fn the_answer_and_the_resume_go_in_one_run() {
    let mut driver = Driver::new(asking(json!({})));
    run(&mut driver, "t-1", &[user("m-1", "buy it")]);
    driver.pass(5000);
    let view = [snapshot(&mut driver), vec![answer("c", "7")]].concat();
    let stream = run_with(&mut driver, "t-2", &view, resume("resolved", json!({ "ok": true })));
    driver.pass(5000);
    assert_eq!(driver.payloads("session.interrupt_resumed")[0]["payload"], json!({ "ok": true }));
    assert_eq!(status_of(&driver, "c"), "completed");
    assert_eq!(snapshot(&mut driver).pop().unwrap()["content"], "Done: 7.");
    assert_eq!(of_type(&driver, stream, "TEXT_MESSAGE_START").len(), 1);
    let last = events(&driver, stream).pop().unwrap();
    assert_eq!(last, json!({ "type": "RUN_FINISHED", "threadId": "s1", "runId": "t-2" }));
    assert_eq!(driver.payloads("turn.started").len(), 1);
}

#[test]
fn a_resume_alone_goes_on_with_the_turn_in_both_readings() {
    for reading in ["taken", "dropped"] {
        let mut config = asking(json!({}));
        config["switches"] = json!({ "agUiAnswers": reading });
        let mut driver = Driver::new(config);
        run(&mut driver, "t-1", &[user("m-1", "wait")]);
        driver.pass(5000);
        let stream = run_with(&mut driver, "t-2", &[], resume("resolved", Value::Null));
        driver.pass(5000);
        assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_FINISHED"]);
        assert!(driver.names().contains(&"session.done".to_owned()));
    }
}

#[test]
fn where_answers_are_dropped_those_beside_a_resume_are_taken() {
    let mut config = asking(json!({}));
    config["switches"] = json!({ "agUiAnswers": "dropped" });
    let mut driver = Driver::new(config);
    run(&mut driver, "t-1", &[user("m-1", "buy it")]);
    driver.pass(5000);
    let view = [snapshot(&mut driver), vec![answer("c", "7")]].concat();
    run_with(&mut driver, "t-2", &view, resume("resolved", Value::Null));
    driver.pass(5000);
    assert_eq!(status_of(&driver, "c"), "completed");
    assert_eq!(snapshot(&mut driver).pop().unwrap()["content"], "Done: 7.");
}

#[test]
fn a_cancelled_interrupt_is_resumed_with_nothing_that_could_be_a_yes() {
    let mut driver = Driver::new(asking(json!({})));
    run(&mut driver, "t-1", &[user("m-1", "wait")]);
    driver.pass(5000);
    run_with(&mut driver, "t-2", &[], resume("cancelled", json!({ "approved": true })));
    assert_eq!(driver.payloads("session.interrupt_resumed")[0]["payload"], Value::Null);
}

#[test]
fn an_interrupt_that_a_run_does_not_address_is_an_error_and_stays_open() {
    let mut driver = Driver::new(asking(json!({})));
    run(&mut driver, "t-1", &[user("m-1", "buy it")]);
    driver.pass(5000);
    let view = [snapshot(&mut driver), vec![answer("c", "7")]].concat();
    let stream = run(&mut driver, "t-2", &view);
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_ERROR"]);
    let message = events(&driver, stream)[1]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("int-1"), "{message}");
    assert_eq!(status_of(&driver, "c"), "pending");
    assert!(is_over(&driver, stream));
}

#[test]
fn each_of_several_interrupts_needs_an_entry() {
    let mut driver = Driver::new(asking(json!({})));
    run(&mut driver, "t-1", &[user("m-1", "wait")]);
    driver.pass(5000);
    driver.operate(json!({
        "action": "interrupt", "sessionId": "s1", "interruptId": "int-2", "clientMayResume": true,
    }));
    let stream = run_with(&mut driver, "t-2", &[], resume("resolved", Value::Null));
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_ERROR"]);
    assert!(driver.payloads("session.interrupt_resumed").is_empty());
    let entry = |id: &str| json!({ "interruptId": id, "status": "resolved" });
    let both = json!({ "resume": [entry("int-1"), entry("int-2")] });
    let stream = run_with(&mut driver, "t-3", &[], both);
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(driver.payloads("session.interrupt_resumed").len(), 2);
}

#[test]
fn what_the_page_may_not_resume_and_what_does_not_exist_are_errors() {
    let mut driver = Driver::new(asking(json!({ "clientMayResume": false })));
    run(&mut driver, "t-1", &[user("m-1", "wait")]);
    driver.pass(5000);
    let stream = run_with(&mut driver, "t-2", &[], resume("resolved", Value::Null));
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_ERROR"]);
    let unknown = json!({ "resume": [{ "interruptId": "int-9", "status": "resolved" }] });
    let stream = run_with(&mut driver, "t-3", &[], unknown);
    assert!(events(&driver, stream)[1]["message"].as_str().unwrap().contains("int-9"));
}

#[test]
fn a_resume_that_is_sent_again_does_nothing_twice() {
    let mut driver = Driver::new(asking(json!({})));
    run(&mut driver, "t-1", &[user("m-1", "buy it")]);
    driver.pass(5000);
    let view = snapshot(&mut driver);
    for _ in 0..2 {
        let stream = run_with(&mut driver, "t-2", &view, resume("resolved", Value::Null));
        assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_FINISHED"]);
        assert_eq!(events(&driver, stream)[1].get("outcome"), None);
    }
    assert_eq!(driver.payloads("session.interrupt_resumed").len(), 1);
    assert_eq!(status_of(&driver, "c"), "pending");
}

#[test]
fn an_operators_interrupt_between_turns_is_resumed_by_the_run_that_goes_on() {
    let mut driver = Driver::new(asking(json!({})));
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    driver.operate(json!({
        "action": "interrupt", "sessionId": "s1", "interruptId": "int-1", "clientMayResume": true,
    }));
    let view = [snapshot(&mut driver), vec![user("m-2", "again")]].concat();
    let stream = run_with(&mut driver, "t-2", &view, resume("resolved", Value::Null));
    driver.pass(5000);
    assert_eq!(of_type(&driver, stream, "TEXT_MESSAGE_START").len(), 1);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}
