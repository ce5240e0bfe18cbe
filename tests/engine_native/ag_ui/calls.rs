//! Tool calls on a run's stream, and when a run ends for the page's.

use serde_json::{Value, json};

use super::{
    answer, both, both_with, events, is_over, of_type, run, run_with, snapshot, status_of, types, user,
};
use crate::driver::{Driver, cart_with};

fn started(driver: &Driver, stream: u64) -> Vec<String> {
    let starts = of_type(driver, stream, "TOOL_CALL_START");
    starts.iter().map(|event| event["toolCallId"].as_str().unwrap().to_owned()).collect()
}

fn arguments(driver: &Driver, stream: u64, call: &str) -> String {
    let all = of_type(driver, stream, "TOOL_CALL_ARGS");
    let own = all.iter().filter(|event| event["toolCallId"] == call);
    own.map(|event| event["delta"].as_str().unwrap()).collect()
}

#[test]
fn a_run_ends_once_every_call_of_the_reply_is_told() {
    let mut driver = Driver::new(both());
    let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
    driver.pass(5000);
    assert_eq!(started(&driver, stream), ["call-a", "call-b"]);
    assert_eq!(arguments(&driver, stream, "call-a"), r#"{"x":1}"#);
    assert_eq!(arguments(&driver, stream, "call-b"), "{}");
    let message = driver.engine.messages("s1")[1]["id"].clone();
    for start in of_type(&driver, stream, "TOOL_CALL_START") {
        assert_eq!(start["parentMessageId"], message);
    }
    assert_eq!(of_type(&driver, stream, "TOOL_CALL_END").len(), 2);
    let last = events(&driver, stream).pop().unwrap();
    assert_eq!(last, json!({ "type": "RUN_FINISHED", "threadId": "s1", "runId": "t-1" }));
    assert!(is_over(&driver, stream));
    assert_eq!((status_of(&driver, "call-a"), status_of(&driver, "call-b")), ("pending", "pending"));
}

#[test]
fn no_run_ends_before_its_calls_may_be_answered() {
    let mut driver = Driver::new(both_with(json!({ "dispatchDelayMs": 3000 })));
    let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
    driver.pass(2000);
    assert!(!is_over(&driver, stream));
    driver.pass(3000);
    assert!(is_over(&driver, stream));
}

#[test]
fn calls_that_are_not_streamed_are_told_whole() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    assert_eq!(
        asked["tools"][0],
        json!({
            "name": "a", "description": "", "input": { "type": "object" }, "handler": "client",
        })
    );
    let calls = json!([{ "id": "one", "name": "a", "arguments": "" }, { "id": "two", "name": "b", "arguments": "[1]" }]);
    let reply = serde_json::from_value(json!({ "toolCalls": calls })).unwrap();
    let call = asked["call"].as_str().unwrap().to_owned();
    driver.give(pagehand::engine::Input::ModelReplied { call, reply });
    let told = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"];
    let expected: Vec<&str> =
        ["RUN_STARTED"].into_iter().chain(told).chain(told).chain(["RUN_FINISHED"]).collect();
    assert_eq!(types(&driver, stream), expected);
    assert_eq!(
        (arguments(&driver, stream, "one"), arguments(&driver, stream, "two")),
        ("{}".into(), "[1]".into())
    );
}

/// Runs `both` over an external model that streams nothing, or over the script that streams.
fn early(streamed: bool) -> (Driver, u64) {
    let switches = json!({ "agUiRunEnd": "early" });
    if streamed {
        let mut driver = Driver::new(both_with(json!({ "switches": switches })));
        let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
        driver.pass(5000);
        return (driver, stream);
    }
    let mut driver = Driver::new(json!({ "model": "external", "switches": switches }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    let calls = json!([{ "id": "call-a", "name": "a", "arguments": "{}" }, { "id": "call-b", "name": "b", "arguments": "{}" }]);
    let reply = serde_json::from_value(json!({ "toolCalls": calls })).unwrap();
    let call = asked["call"].as_str().unwrap().to_owned();
    driver.give(pagehand::engine::Input::ModelReplied { call, reply });
    (driver, stream)
}

#[test]
fn where_runs_end_early_the_later_calls_are_not_shown() {
    let (mut driver, stream) = early(false);
    assert_eq!(started(&driver, stream), ["call-a"]);
    assert!(is_over(&driver, stream));
    let view = snapshot(&mut driver);
    assert_eq!(view[1]["toolCalls"].as_array().unwrap().len(), 2);
}

#[test]
fn where_runs_end_early_streamed_calls_are_closed_by_force() {
    let (driver, stream) = early(true);
    assert_eq!(started(&driver, stream), ["call-a", "call-b"]);
    let told = types(&driver, stream);
    assert_eq!(told[told.len() - 4..], ["TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_END", "RUN_FINISHED"]);
    assert_eq!(of_type(&driver, stream, "TOOL_CALL_END")[1]["toolCallId"], "call-b");
}

#[test]
fn a_run_goes_on_until_the_workers_call_is_done_and_tells_its_result() {
    let config = both_with(json!({ "agent": {
        "tools": [{ "name": "b" }], "worker": { "answers": { "b": { "result": "from the worker" } } },
    } }));
    let mut driver = Driver::new(config);
    let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
    driver.pass(5000);
    let results = of_type(&driver, stream, "TOOL_CALL_RESULT");
    assert_eq!(
        results,
        [json!({
            "type": "TOOL_CALL_RESULT", "messageId": "call-b", "toolCallId": "call-b",
            "content": "from the worker", "role": "tool",
        })]
    );
    assert!(is_over(&driver, stream));
    // The page never heard of that tool message's own id; its view needs not even have it.
    let page = [user("m-1", "both"), snapshot(&mut driver)[1].clone(), answer("call-a", "from the page")];
    let second = run(&mut driver, "t-2", &page);
    driver.pass(5000);
    assert!(driver.payloads("head.moved").is_empty());
    let text = snapshot(&mut driver).pop().unwrap();
    assert_eq!(text["content"], "A says from the page, B says from the worker.");
    assert_eq!(of_type(&driver, second, "TOOL_CALL_RESULT").len(), 1);
}

#[test]
fn a_failed_call_is_a_result_that_says_so() {
    let config = json!({
        "agent": { "tools": [{ "name": "b" }] },
        "script": { "rules": [{ "when": { "user": "*" }, "call": [{ "name": "b" }] }, { "say": "Well." }] },
    });
    let mut driver = Driver::new(config);
    let stream = run(&mut driver, "t-1", &[user("m-1", "go")]);
    driver.pass(5000);
    assert_eq!(of_type(&driver, stream, "TOOL_CALL_RESULT")[0]["content"], "unknown tool: b");
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn a_retried_call_is_told_again_behind_the_result_of_its_first_attempt() {
    let retry = json!({ "tool": { "max_attempts": 2 } });
    let config = json!({
        "agent": { "tools": [{ "name": "b" }], "retry": retry,
            "worker": { "answers": { "b": { "error": { "message": "busy", "retryable": true } } } } },
        "script": { "rules": [{ "when": { "user": "*" }, "call": [{ "name": "b", "id": "c" }] }, { "say": "Well." }] },
    });
    let mut driver = Driver::new(config);
    let stream = run(&mut driver, "t-1", &[user("m-1", "go")]);
    driver.pass(60_000);
    let call = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"];
    let told = types(&driver, stream);
    assert_eq!(told[1..9], [call, call].concat());
    assert_eq!(started(&driver, stream), ["c", "c"]);
}

#[test]
fn a_run_that_listens_while_a_call_of_the_page_is_retried_ends_once_it_is_told_again() {
    let config = cart_with(json!({ "agent": { "retry": { "tool": { "max_attempts": 2 } } } }));
    let mut driver = Driver::new(config);
    run(&mut driver, "t-1", &[user("m-1", "cart")]);
    driver.pass(5000);
    let call = driver.engine.calls("s1")[0].id.clone();
    driver.post(json!({ "type": "tool.error", "id": call, "error": "not yet", "retryable": true }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "cart")]);
    assert!(!is_over(&driver, stream));
    driver.pass(10_000);
    assert_eq!(started(&driver, stream), [call]);
    assert!(is_over(&driver, stream));
}

#[test]
fn names_are_only_ever_added() {
    let config = json!({ "model": "external", "agent": { "tools": [{ "name": "a", "description": "the worker's" }] } });
    let mut driver = Driver::new(config);
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    let first = (&asked["tools"][0]["description"], asked["tools"].as_array().unwrap().len());
    assert_eq!(first, (&json!("the worker's"), 3));
    let reply = serde_json::from_value(json!({ "text": "ok" })).unwrap();
    driver.give(pagehand::engine::Input::ModelReplied {
        call: asked["call"].as_str().unwrap().to_owned(),
        reply,
    });
    let view = [snapshot(&mut driver), vec![user("m-2", "again")]].concat();
    let tools = json!({ "tools": [{ "name": "b", "description": "changed" }, { "name": "c" }] });
    run_with(&mut driver, "t-2", &view, tools);
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    let names: Vec<&Value> = asked["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["a", "b", "read_cart", "c"]);
    assert_eq!(asked["tools"][1]["description"], "");
}

#[test]
fn a_sub_agents_call_is_told_like_any_other_and_its_work_is_the_result() {
    let config = json!({
        "agent": { "subagents": [{ "id": "helper" }] },
        "agents": { "helper": { "script": { "otherwise": { "say": "Done it." } } } },
        "script": { "rules": [
            { "when": { "user": "*" }, "call": [{ "name": "helper", "id": "c", "arguments": { "message": "do it" } }] },
            { "when": { "after": "helper" }, "say": "Helped." },
        ] },
    });
    let mut driver = Driver::new(config);
    let stream = run(&mut driver, "t-1", &[user("m-1", "go")]);
    driver.pass(10_000);
    let call = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"];
    assert_eq!(types(&driver, stream)[1..5], call);
    let result = of_type(&driver, stream, "TOOL_CALL_RESULT")[0]["content"].as_str().unwrap().to_owned();
    assert!(result.contains("Done it."), "{result}");
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn the_calls_of_a_sub_agent_are_on_its_own_thread() {
    let config = json!({
        "agent": { "subagents": [{ "id": "helper" }] },
        "agents": { "helper": {
            "tools": [{ "name": "a", "handler": "client" }],
            "script": { "rules": [
                { "when": { "user": "*" }, "call": [{ "name": "a", "id": "inner" }] },
                { "when": { "after": "a" }, "say": "It is {{result}}." },
            ] },
        } },
        "script": { "rules": [
            { "when": { "user": "*" }, "call": [{ "name": "helper", "id": "c", "arguments": { "message": "do it" } }] },
            { "when": { "after": "helper" }, "say": "Helped." },
        ] },
    });
    let mut driver = Driver::new(config);
    let stream = run(&mut driver, "t-1", &[user("m-1", "go")]);
    driver.pass(10_000);
    assert!(!is_over(&driver, stream));
    let child = driver.engine.children("s1")[0].session_id.clone();
    let page = super::post(&mut driver, super::CONNECT, &json!({ "threadId": child }));
    let mut view = of_type(&driver, page, "MESSAGES_SNAPSHOT")[0]["messages"].as_array().unwrap().clone();
    view.push(answer("inner", "7"));
    let inner =
        super::post(&mut driver, super::RUN, &json!({ "threadId": child, "runId": "x", "messages": view }));
    driver.pass(10_000);
    assert_eq!(types(&driver, inner).last().unwrap(), "RUN_FINISHED");
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
    let result = of_type(&driver, stream, "TOOL_CALL_RESULT")[0]["content"].as_str().unwrap().to_owned();
    assert!(result.contains("It is 7."), "{result}");
}

#[test]
fn pieces_that_name_a_call_only_once_go_to_the_last_one_and_what_is_never_requested_is_closed() {
    let mut driver = Driver::new(json!({ "model": "external" }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    let call = asked["call"].as_str().unwrap().to_owned();
    let give = |driver: &mut Driver, piece: Value| {
        let delta = serde_json::from_value(piece).unwrap();
        driver.give(pagehand::engine::Input::ModelDelta { call: call.clone(), delta });
    };
    give(&mut driver, json!({ "text": "Let me " }));
    give(&mut driver, json!({ "text": "see." }));
    let piece = |id: Value, name: &str, arguments: &str| json!({ "toolCalls": [{ "id": id, "name": name, "arguments": arguments }] });
    give(&mut driver, piece(json!("one"), "a", ""));
    give(&mut driver, piece(Value::Null, "", "{\"x\":"));
    give(&mut driver, piece(Value::Null, "", "1}"));
    give(&mut driver, piece(json!("gone"), "b", "{}"));
    let calls = json!([{ "id": "one", "name": "a", "arguments": "{\"x\":1}" }]);
    let reply = json!({ "text": "Let me see.", "toolCalls": calls });
    let reply = serde_json::from_value(reply).unwrap();
    driver.give(pagehand::engine::Input::ModelReplied { call: call.clone(), reply });
    assert_eq!(started(&driver, stream), ["one", "gone"]);
    assert_eq!(arguments(&driver, stream, "one"), r#"{"x":1}"#);
    let ends = of_type(&driver, stream, "TOOL_CALL_END");
    assert_eq!((&ends[0]["toolCallId"], &ends[1]["toolCallId"]), (&json!("one"), &json!("gone")));
    assert_eq!(of_type(&driver, stream, "TEXT_MESSAGE_START").len(), 1);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn a_reply_that_is_given_up_closes_what_it_opened_and_the_next_attempt_starts_anew() {
    let retry = json!({ "llm": { "max_attempts": 2, "run_timeout_secs": 5 } });
    let mut driver = Driver::new(json!({ "model": "external", "agent": { "retry": retry } }));
    let stream = run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let call = driver.payloads("llm.call.requested")[0]["id"].as_str().unwrap().to_owned();
    let give = |driver: &mut Driver, text: &str| {
        let delta = serde_json::from_value(json!({ "text": text })).unwrap();
        driver.give(pagehand::engine::Input::ModelDelta { call: call.clone(), delta });
    };
    give(&mut driver, "Half a sen");
    driver.pass(9000);
    give(&mut driver, "A whole sentence.");
    let reply = serde_json::from_value(json!({ "text": "A whole sentence." })).unwrap();
    driver.give(pagehand::engine::Input::ModelReplied { call: call.clone(), reply });
    let text = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"];
    assert_eq!(types(&driver, stream)[1..7], [text, text].concat());
}

#[test]
fn no_run_ends_while_the_worker_has_something_to_decide() {
    let config = both_with(json!({ "decisionMs": 500, "agent": {
        "tools": [{ "name": "b" }], "worker": { "answers": { "b": { "result": 1 } } },
    } }));
    let mut driver = Driver::new(config);
    let stream = run(&mut driver, "t-1", &[user("m-1", "both")]);
    while of_type(&driver, stream, "TOOL_CALL_RESULT").is_empty() {
        driver.pass(10);
    }
    assert!(!is_over(&driver, stream));
    driver.pass(600);
    assert!(is_over(&driver, stream));
}
