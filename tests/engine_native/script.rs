//! The scripted model and the external one.

use pagehand::engine::{Input, Output};
use serde_json::{Value, json};

use crate::driver::{Driver, result};

fn texts(driver: &Driver, role: &str) -> Vec<String> {
    let messages = driver.engine.messages("s1");
    let of_role = messages.iter().filter(|message| message["role"] == role);
    of_role.filter_map(|message| message["content"].as_str().map(str::to_owned)).collect()
}

/// Plays a turn in which every client call is answered by `answer`.
fn play(driver: &mut Driver, turn: &str, text: &str, answer: impl Fn(&str, &str) -> Value) {
    driver.say(turn, text, &["read", "set", "ask"]);
    for _ in 0..20 {
        driver.pass(1000);
        let open = driver.engine.calls("s1").into_iter().find(|call| call.status == "pending");
        let Some(call) = open else { return };
        let mut input = answer(&call.name, &call.arguments);
        input["id"] = json!(call.id);
        assert_eq!(driver.post(input).status, 202);
    }
    panic!("the model does not stop calling");
}

fn ok(value: Value) -> Value {
    json!({ "type": "tool.result", "result": value })
}

fn failed(text: &str) -> Value {
    json!({ "type": "tool.error", "error": text, "retryable": false })
}

#[test]
fn an_invalid_call_is_repaired_after_the_model_has_read_the_error() {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "user": "ship" }, "call": [{ "name": "set", "arguments": "{\"zip\":1}" }] },
        { "when": { "after": "set", "error": true, "result": "zip" },
          "call": [{ "name": "set", "arguments": { "zip": "1000", "user": "{{user}}" } }] },
        { "when": { "after": "set", "error": false }, "say": "Saved {{result:set/zip}}{{odd}}{{." },
    ] } }));
    play(&mut driver, "t-1", "Ship it", |_, arguments| {
        match serde_json::from_str::<Value>(arguments).unwrap()["zip"].as_str() {
            Some(zip) => ok(json!({ "zip": zip })),
            None => failed("invalid tool arguments: /zip: expected a string"),
        }
    });
    assert_eq!(texts(&driver, "assistant"), ["Saved 1000{{odd}}{{."]);
    let calls = driver.engine.calls("s1");
    assert_eq!(calls[1].arguments, r#"{"user":"Ship it","zip":"1000"}"#);
    assert_eq!(calls[0].error.as_ref().unwrap()["code"], "handler_error");
}

#[test]
fn a_word_of_an_answers_line_becomes_an_argument_of_the_next_call() {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "after": "set" }, "say": "Set." },
        { "when": { "after": "read" }, "call": [{ "name": "set", "arguments": {
            "plus": "{{word:read/button \"More\"}}", "none": ["{{word:read/slider}}"], "all": "{{result:read}}",
        } }] },
        { "when": { "user": "*" }, "call": [{ "name": "read" }, { "name": "read" }] },
    ] } }));
    let outlines =
        ["search for button\n  b1 button \"Less\"\n  b2 button \"More\" in b9", "b3 textbox \"Code\""];
    let reads = std::cell::Cell::new(0);
    play(&mut driver, "t-1", "Press plus", |name, _| {
        let outline = outlines.get(reads.replace(reads.get() + 1)).filter(|_| name == "read");
        ok(outline.map_or(json!(null), |outline| json!(outline)))
    });
    let calls = driver.engine.calls("s1");
    let arguments: Value = serde_json::from_str(&calls[2].arguments).unwrap();
    assert_eq!(arguments["plus"], "b2", "of whichever answer has the line");
    assert_eq!(arguments["none"], json!(["{{word:read/slider}}"]), "what is not there is seen to be missing");
    assert_eq!(arguments["all"], outlines[1], "quotes of an answer are written as JSON");
}

#[test]
fn arguments_as_a_string_go_out_verbatim() {
    let broken = ["", "  ", "null", "[1]", "{\"a\":", "{\"id\":2512292042121000001}"];
    for text in broken {
        let call = json!({ "name": "read", "arguments": text });
        let mut driver = Driver::new(json!({ "script": { "replies": [{ "call": [call] }] } }));
        driver.say("t-1", "go", &["read"]);
        driver.pass(1000);
        assert_eq!(driver.engine.calls("s1")[0].arguments, text);
        assert_eq!(driver.payloads("tool.call.requested")[0]["arguments"], text);
    }
}

#[test]
fn replies_are_used_up_in_order_before_the_rules() {
    let mut driver = Driver::new(json!({ "script": {
        "replies": [{ "say": "one" }, { "say": "two" }],
        "rules": [{ "when": { "user": "*" }, "say": "rule", "times": 1 }],
        "otherwise": { "say": "otherwise" },
    } }));
    for turn in ["t-1", "t-2", "t-3", "t-4"] {
        driver.say(turn, "x", &[]);
        driver.pass(1000);
    }
    assert_eq!(texts(&driver, "assistant"), ["one", "two", "rule", "otherwise"]);
}

#[test]
fn a_rule_for_users_does_not_answer_tools() {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "read" }] },
    ] } }));
    play(&mut driver, "t-1", "x", |_, _| ok(json!(1)));
    assert_eq!(driver.engine.calls("s1").len(), 1);
    assert_eq!(texts(&driver, "assistant"), ["I have nothing to say to that."]);
}

#[test]
fn a_name_the_model_invented_goes_to_the_worker() {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "invented" }] },
        { "when": { "after": "invented", "error": true }, "say": "Oh: {{result}}." },
    ] } }));
    driver.say("t-1", "x", &["read"]);
    driver.pass(1000);
    assert_eq!(driver.payloads("tool.call.requested")[0]["handler"], "worker");
    assert_eq!(texts(&driver, "assistant"), ["Oh: unknown tool: invented."]);
}

#[test]
fn a_script_can_raise_an_interrupt() {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "read" }],
          "interrupt": { "id": "int-1", "reason": "confirm" } },
        { "when": { "after": "read" }, "say": "Done." },
    ] } }));
    driver.say("t-1", "x", &["read"]);
    driver.pass(1000);
    let call = driver.engine.calls("s1")[0].id.clone();
    assert_eq!(driver.post(result(&call, json!(1))).status, 202);
    driver.pass(1000);
    assert_eq!(driver.names().iter().filter(|name| *name == "llm.call.requested").count(), 1);
    driver.post(json!({ "type": "interrupt.resume", "interrupt_id": "int-1" }));
    driver.pass(1000);
    assert_eq!(texts(&driver, "assistant"), ["Done."]);
}

#[test]
fn a_model_failure_is_retried_and_then_ends_the_turn() {
    let failure = json!({ "message": "busy", "code": "rate_limited", "retryable": true });
    let config = |replies: Value| {
        Driver::new(json!({
            "agent": { "retry": { "llm": { "max_attempts": 2 } } }, "script": { "replies": replies },
        }))
    };
    let mut driver = config(json!([{ "error": failure }, { "say": "back" }]));
    driver.say("t-1", "x", &[]);
    driver.pass(10_000);
    assert_eq!(texts(&driver, "assistant"), ["back"]);
    let mut driver = config(json!([{ "error": failure }, { "error": failure }]));
    driver.say("t-1", "x", &[]);
    driver.pass(10_000);
    assert_eq!(driver.payloads("turn.completed")[0]["error"]["code"], "rate_limited");
}

#[test]
fn a_misspelt_setting_is_refused() {
    for config in [
        json!({ "sed": 1 }),
        json!({ "switches": { "badBdy": "json400" } }),
        json!({ "script": { "rules": [{ "when": { "user": "*" }, "calls": [] }] } }),
        json!({ "script": { "replies": [{ "says": "x" }] } }),
    ] {
        assert!(serde_json::from_value::<pagehand::engine::Config>(config).is_err());
    }
}

fn asked(driver: &mut Driver) -> (String, Vec<Value>, bool) {
    match driver.asked.pop().unwrap() {
        Output::ModelAsked { call, messages, stream, .. } => (call, messages, stream),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_external_model_is_asked_and_its_reply_taken_once() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    let stream = driver.open("?after_seq=0");
    driver.say("t-1", "hi", &["read"]);
    let (call, messages, streamed) = asked(&mut driver);
    assert_eq!((messages[0]["content"].as_str(), streamed), (Some("hi"), true));
    let delta = serde_json::from_value(json!({ "text": "Lo" })).unwrap();
    driver.give(Input::ModelDelta { call: call.clone(), delta });
    assert_eq!(driver.frames(stream).last().unwrap().json()["text"], "Lo");
    let reply: pagehand::engine::ModelReply = serde_json::from_value(json!({
        "text": "Looking", "toolCalls": [{ "id": "toolu_1", "name": "read", "arguments": "{}" }],
    }))
    .unwrap();
    driver.give(Input::ModelReplied { call: call.clone(), reply: reply.clone() });
    driver.give(Input::ModelReplied { call: call.clone(), reply });
    assert_eq!(driver.engine.calls("s1").len(), 1);
    driver.post(result("toolu_1", json!("x")));
    let (next, messages, _) = asked(&mut driver);
    assert_ne!(next, call);
    assert_eq!(messages[2]["tool_call_id"], "toolu_1");
    let reply = serde_json::from_value(json!({ "text": "Done" })).unwrap();
    driver.give(Input::ModelReplied { call: next, reply });
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn a_reply_to_a_voided_request_is_dropped() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    driver.say("t-1", "hi", &[]);
    let (call, ..) = asked(&mut driver);
    driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
    let reply = serde_json::from_value(json!({ "text": "late" })).unwrap();
    driver.give(Input::ModelReplied { call, reply });
    assert_eq!(driver.names().last().unwrap(), "session.cancelled");
}
