//! Runs and their ends: text, failures, runs that are known, `connect`.

use serde_json::{Value, json};

use super::{CONNECT, both, events, is_over, of_type, post, run, run_with, types, user};
use crate::driver::{Driver, cart, cart_with};

#[test]
fn a_run_streams_the_models_text_under_the_recorded_messages_id() {
    let mut driver = Driver::new(both());
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    assert_eq!(driver.answers[&stream].header("content-type"), Some("text/event-stream"));
    assert_eq!(driver.answers[&stream].header("access-control-allow-origin"), Some("*"));
    driver.pass(5000);
    let told =
        ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_FINISHED"];
    assert_eq!(types(&driver, stream), told);
    let text = of_type(&driver, stream, "TEXT_MESSAGE_CONTENT");
    assert_eq!(text.len(), 2);
    let joined: String = text.iter().map(|event| event["delta"].as_str().unwrap()).collect();
    assert_eq!(joined, "Hello there.");
    assert_eq!(text[0]["messageId"], driver.engine.messages("s1")[1]["id"]);
    let all = events(&driver, stream);
    assert_eq!(all[0], json!({ "type": "RUN_STARTED", "threadId": "s1", "runId": "t-1" }));
    assert_eq!(*all.last().unwrap(), json!({ "type": "RUN_FINISHED", "threadId": "s1", "runId": "t-1" }));
    assert!(is_over(&driver, stream));
    assert_eq!(driver.payloads("turn.started")[0]["turn_id"], "t-1");
}

#[test]
fn every_event_has_its_type_first_and_no_id() {
    let mut driver = Driver::new(both());
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    for block in driver.text(stream).trim_end().split("\n\n") {
        let (event, data) = block.split_once('\n').unwrap();
        let kind = event.strip_prefix("event: ").unwrap();
        assert!(data.starts_with(&format!(r#"data: {{"type":"{kind}""#)), "{block}");
    }
}

#[test]
fn event_lines_can_be_left_out() {
    let mut driver = Driver::new(cart_with(json!({ "switches": { "agUiEventLines": false } })));
    let stream = run(&mut driver, "t-1", &[user("m-1", "cart")]);
    driver.pass(5000);
    assert!(!driver.text(stream).contains("event:"));
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn a_quiet_run_is_kept_alive_by_comments() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(40_000);
    assert_eq!(driver.text(stream).matches(":\n\n").count(), 2);
    assert!(!is_over(&driver, stream));
}

#[test]
fn a_thread_and_a_run_without_ids_get_some() {
    let mut driver = Driver::new(both());
    let stream = post(&mut driver, super::RUN, &json!({ "messages": [user("m-1", "hi")] }));
    driver.pass(5000);
    let started = &of_type(&driver, stream, "RUN_STARTED")[0];
    let session = started["threadId"].as_str().unwrap();
    assert_eq!(driver.engine.session_ids(), [session]);
    assert!(driver.engine.log(session).iter().any(|event| event.turn_id.is_some()));
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn a_text_that_is_not_streamed_is_told_whole() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    let call = asked["call"].as_str().unwrap().to_owned();
    let reply = serde_json::from_value(json!({ "text": "All at once." })).unwrap();
    driver.give(pagehand::engine::Input::ModelReplied { call, reply });
    assert_eq!(of_type(&driver, stream, "TEXT_MESSAGE_CONTENT")[0]["delta"], "All at once.");
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn assistant_messages_that_the_page_sends_are_not_told_back_to_it() {
    let mut driver = Driver::new(both());
    let old = json!({ "id": "old", "role": "assistant", "content": "Earlier." });
    let stream = run(&mut driver, "t-1", &[user("m-0", "hi"), old, user("m-1", "again")]);
    driver.pass(5000);
    assert_eq!(of_type(&driver, stream, "TEXT_MESSAGE_START").len(), 1);
    assert_eq!(driver.engine.messages("s1").len(), 4);
}

#[test]
fn a_failed_turn_ends_its_run_with_an_error() {
    let script = json!({ "rules": [{ "error": { "message": "the provider is down" } }] });
    let mut driver = Driver::new(json!({ "script": script }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(60_000);
    let last = events(&driver, stream).pop().unwrap();
    assert_eq!(last, json!({ "type": "RUN_ERROR", "message": "the provider is down" }));
    assert!(is_over(&driver, stream));
}

#[test]
fn a_cancelled_session_ends_its_runs_with_an_error_and_takes_no_more() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
    let late = run(&mut driver, "t-2", &[user("m-2", "hello?")]);
    for stream in [stream, late] {
        assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_ERROR"]);
        assert!(is_over(&driver, stream));
    }
}

#[test]
fn what_is_open_when_a_run_ends_is_closed_first() {
    let mut driver = Driver::new(both());
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(25);
    driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
    let told = types(&driver, stream);
    assert_eq!(told[told.len() - 3..], ["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_ERROR"]);
}

#[test]
fn a_run_that_brings_nothing_is_an_error_on_its_stream() {
    let mut driver = Driver::new(both());
    let stream = run(&mut driver, "t-1", &[]);
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_ERROR"]);
    assert!(driver.engine.session_ids().is_empty());
}

#[test]
fn a_run_that_is_known_starts_no_second_turn_and_listens_to_the_first() {
    let mut driver = Driver::new(both());
    let first = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let second = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    assert_eq!(types(&driver, first), types(&driver, second));
    assert_eq!(driver.payloads("turn.started").len(), 1);
    let third = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    assert_eq!(types(&driver, third), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(driver.payloads("turn.started").len(), 1);
    assert_eq!(driver.engine.messages("s1").len(), 2);
}

#[test]
fn a_run_that_joins_late_gets_the_message_it_missed_the_start_of_whole() {
    let mut driver = Driver::new(both());
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(25);
    let late = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    let text = of_type(&driver, late, "TEXT_MESSAGE_CONTENT");
    assert_eq!(
        text.iter().map(|event| event["delta"].as_str().unwrap()).collect::<Vec<_>>(),
        ["Hello there."]
    );
}

#[test]
fn a_second_turn_goes_on_with_the_first() {
    let mut driver = Driver::new(both());
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    let mut view = super::snapshot(&mut driver);
    view.push(user("m-2", "and again"));
    let stream = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
    assert!(driver.payloads("head.moved").is_empty());
    assert_eq!(driver.engine.messages("s1").len(), 4);
}

#[test]
fn a_view_that_shares_nothing_forks_at_the_root() {
    let mut driver = Driver::new(both());
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    run(&mut driver, "t-2", &[user("other", "hello")]);
    driver.pass(5000);
    assert_eq!(driver.payloads("head.moved")[0]["head_id"], Value::Null);
    assert_eq!(driver.engine.messages("s1")[0]["id"], "other");
}

#[test]
fn connect_tells_the_active_branch_and_ends() {
    let mut driver = Driver::new(cart());
    let run_stream = run(&mut driver, "t-1", &[user("m-1", "my cart")]);
    driver.pass(5000);
    let call = of_type(&driver, run_stream, "TOOL_CALL_START")[0]["toolCallId"].as_str().unwrap().to_owned();
    driver.post(crate::driver::result(&call, json!({ "items": 3 })));
    driver.pass(5000);
    let stream = post(&mut driver, CONNECT, &json!({ "threadId": "s1", "runId": "c-1", "messages": [] }));
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]);
    assert!(is_over(&driver, stream));
    let recorded = driver.engine.messages("s1");
    let function = json!({ "name": "read_cart", "arguments": "{}" });
    let calls = json!([{ "id": call, "type": "function", "function": function }]);
    let expected = json!([
        { "id": "m-1", "role": "user", "content": "my cart" },
        { "id": recorded[1]["id"], "role": "assistant", "content": "Let me look.", "toolCalls": calls },
        { "id": recorded[2]["id"], "role": "tool", "content": "{\"items\":3}", "toolCallId": call },
        { "id": recorded[3]["id"], "role": "assistant", "content": "It says {\"items\":3}." },
    ]);
    assert_eq!(of_type(&driver, stream, "MESSAGES_SNAPSHOT")[0]["messages"], expected);
}

#[test]
fn connect_to_nobody_is_empty() {
    let mut driver = Driver::new(both());
    let stream = post(&mut driver, CONNECT, &json!({ "threadId": "nobody" }));
    assert_eq!(of_type(&driver, stream, "MESSAGES_SNAPSHOT")[0]["messages"], json!([]));
    assert!(driver.engine.session_ids().is_empty());
}

#[test]
fn what_a_turn_gave_out_is_the_result_of_its_run() {
    let mut driver = Driver::new(json!({ "worker": "external", "model": "external" }));
    let stream = run_with(&mut driver, "t-1", &[user("m-1", "hi")], json!({ "state": { "cart": 3 } }));
    let mut answers =
        ["{\"agent\":{\"model\":\"m\"}}", r#"{"actions":[{"type":"done","data":{"ok":true}}]}"#, "{}"]
            .into_iter();
    let mut client = Value::Null;
    while let Some(asked) = driver.asked.pop() {
        let asked = serde_json::to_value(asked).unwrap();
        let request: Value = serde_json::from_str(asked["request"].as_str().unwrap()).unwrap();
        if request["trigger"]["type"] == "client.messages" {
            client = request["trigger"]["client"].clone();
        }
        driver.give(pagehand::engine::Input::WorkerReplied {
            decision: asked["decision"].as_str().unwrap().to_owned(),
            attempt: 1,
            response: answers.next().unwrap().to_owned(),
        });
    }
    assert_eq!((&client["state"], &client["forwarded_props"]), (&json!({ "cart": 3 }), &json!({})));
    assert_eq!(client["tools"][0]["handler"], "client");
    assert_eq!(events(&driver, stream).pop().unwrap()["result"], json!({ "ok": true }));
}
