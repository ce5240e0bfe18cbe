//! What the worker is asked: one test per trigger, and the fields all requests have.

use serde_json::{Value, json};

use super::desk::{Desk, accept};

fn calling(calls: Value) -> Value {
    json!({
        "script": { "replies": [{ "say": "Hm.", "call": calls }], "otherwise": { "say": "Done." } },
        "agent": { "tools": [{
            "name": "work",
            "input": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] },
        }] },
    })
}

#[test]
fn a_session_starts_without_an_agent_and_is_proposed_the_configured_one() {
    let mut desk = Desk::new(json!({ "agent": { "tools": [{ "name": "work" }], "stream": true } }));
    desk.say("hi", &[]);
    let asked = desk.take().unwrap();
    let request = &asked.request;
    assert_eq!(request["trigger"], json!({ "type": "session.start" }));
    assert_eq!(request["agent"], Value::Null);
    assert_eq!(request["state"], Value::Null);
    assert_eq!(request["turn_id"], Value::Null);
    assert_eq!((&request["session_id"], &request["agent_id"]), (&json!("s1"), &json!("shop")));
    assert_eq!(request["identity"], json!({ "id": "shopper-17" }));
    assert_eq!(request["decision_id"], asked.decision);
    assert_eq!((asked.attempt, &request["attempts"]), (1, &json!(1)));
    assert_eq!(request["ancestry"], json!([]));
    assert_eq!(request["deadline"], "2026-09-21T14:13:40Z");
    let agent = json!({ "model": "bundled", "stream": true, "tools": [{ "name": "work" }] });
    assert_eq!(request["proposed"], json!({ "agent": agent }));
    desk.answer(&asked, &asked.proposed());
    let next = desk.take().unwrap();
    assert_eq!(next.request["agent"], agent);
    assert_eq!(next.request["turn_id"], "t-1");
    assert_eq!(desk.driver.engine.messages("s1").len(), 0);
}

#[test]
fn messages_come_as_the_whole_view_with_the_tools_of_the_page() {
    let mut desk = Desk::new(json!({}));
    desk.say("hi", &["read"]);
    let asked = desk.until("client.messages");
    let trigger = asked.trigger();
    assert_eq!(trigger["messages"], json!([{ "role": "user", "content": "hi" }]));
    assert_eq!(trigger["new_from"], 0);
    assert_eq!(trigger["client"], json!({ "tools": [{ "name": "read", "handler": "client" }] }));
    let proposed = asked.proposed();
    assert_eq!(proposed["messages"], trigger["messages"]);
    assert_eq!(proposed["actions"], json!([{ "type": "llm.call" }]));
    assert_eq!(proposed["agent"]["tools"], trigger["client"]["tools"]);
    desk.answer(&asked, &proposed);
    desk.pass(2_000, &accept);
    // The second message stands behind what is recorded; the tools are known by now.
    desk.driver.say("t-2", "more", &["read"]);
    let asked = desk.take().unwrap();
    assert_eq!((asked.trigger()["new_from"].as_u64(), &asked.proposed()["agent"]), (Some(2), &Value::Null));
    assert_eq!(asked.request["messages"].as_array().unwrap().len(), 2);
    assert_eq!(asked.request["message_tree"]["nodes"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_page_says_of_itself_reaches_the_worker() {
    let mut desk = Desk::new(json!({}));
    desk.driver.post(json!({
        "type": "client.messages", "agent_id": "shop", "messages": [],
        "client": { "context": [{ "page": "cart" }], "state": { "n": 1 }, "forwarded_props": { "a": 1 } },
    }));
    let asked = desk.until("client.messages");
    assert_eq!(
        asked.trigger()["client"],
        json!({ "context": [{ "page": "cart" }], "state": { "n": 1 }, "forwarded_props": { "a": 1 } })
    );
}

#[test]
fn a_view_that_forks_moves_the_head_only_if_the_answer_does_something() {
    for takes_it in [true, false] {
        let mut desk = Desk::new(json!({}));
        desk.say("one", &[]);
        desk.pass(2_000, &accept);
        let first = desk.driver.engine.messages("s1")[0].clone();
        let view = json!([first, { "role": "user", "content": "two" }]);
        desk.driver.post(json!({ "type": "client.messages", "agent_id": "shop", "messages": view }));
        let asked = desk.take().unwrap();
        assert_eq!(asked.trigger()["new_from"], 1);
        let answer = if takes_it { asked.proposed() } else { json!({}) };
        desk.answer(&asked, &answer);
        desk.pass(2_000, &accept);
        assert_eq!(desk.count("head.moved"), usize::from(takes_it));
        let messages = desk.driver.engine.messages("s1");
        assert_eq!(messages[1]["role"], if takes_it { "user" } else { "assistant" });
        assert_eq!(desk.count("turn.completed"), 2);
    }
}

#[test]
fn an_action_comes_with_its_arguments_and_nothing_is_proposed() {
    let mut desk = Desk::new(json!({}));
    desk.driver.post(json!({
        "type": "client.action", "agent_id": "shop", "name": "refresh", "args": { "hard": true },
    }));
    let asked = desk.until("client.action");
    assert_eq!(
        asked.trigger(),
        &json!({ "type": "client.action", "name": "refresh", "args": { "hard": true } })
    );
    assert_eq!(asked.proposed(), json!({}));
}

#[test]
fn a_call_of_the_workers_own_comes_with_its_arguments_looked_at() {
    let cases = [
        (json!({ "n": 1 }), json!({ "status": "valid", "value": { "n": 1 } }), None),
        (json!(""), json!({ "status": "invalid", "value": {} }), Some("missing required property")),
        (json!({ "n": "x" }), json!({ "status": "invalid", "value": { "n": "x" } }), Some("/n: expected")),
        (json!("[1]"), json!({ "status": "malformed" }), Some("got an array")),
        (json!("{\"n\":"), json!({ "status": "malformed" }), Some("")),
    ];
    for (arguments, expected, problem) in cases {
        let mut desk =
            Desk::new(calling(json!([{ "name": "work", "id": "call_1", "arguments": arguments }])));
        desk.say("go", &[]);
        let asked = desk.until("tool.execute");
        let trigger = asked.trigger();
        assert_eq!((&trigger["id"], &trigger["name"]), (&json!("call_1"), &json!("work")));
        assert_eq!(trigger["attempt"], 0);
        assert_eq!(trigger["input"]["status"], expected["status"], "{arguments}");
        assert_eq!(trigger["input"]["value"], expected["value"]);
        let calls = asked.request["calls"].as_array().unwrap();
        assert_eq!(
            (calls.len(), &calls[0]["status"], &calls[0]["kind"]),
            (1, &json!("pending"), &json!("tool_call"))
        );
        assert_eq!(calls[0]["anchor"], asked.request["messages"][1]["id"]);
        assert_eq!(asked.request["pending_calls"], 1);
        let Some(problem) = problem else {
            assert_eq!(asked.proposed(), json!({}));
            continue;
        };
        let error = asked.proposed()["actions"][0].clone();
        assert_eq!((&error["type"], &error["retryable"]), (&json!("tool.error"), &json!(false)));
        let text = error["error"].as_str().unwrap();
        assert!(text.starts_with("invalid tool arguments: ") && text.contains(problem), "{text}");
        assert_eq!(text.strip_prefix("invalid tool arguments: ").unwrap(), trigger["input"]["error"]);
        desk.answer(&asked, &asked.proposed());
        let asked = desk.until("tool.finished");
        assert_eq!(asked.trigger()["error"]["message"], text);
    }
}

#[test]
fn a_tool_nobody_declared_comes_with_its_error_ready() {
    let mut desk = Desk::new(calling(json!([{ "name": "invented" }])));
    desk.say("go", &[]);
    let asked = desk.until("tool.execute");
    assert_eq!(asked.trigger()["input"], json!({ "status": "valid", "value": {} }));
    assert_eq!(asked.proposed()["actions"][0]["error"], "unknown tool: invented");
}

#[test]
fn a_deadline_and_the_attempt_come_with_each_attempt_at_a_call() {
    let mut config = calling(json!([{ "name": "work", "arguments": { "n": 1 } }]));
    config["agent"]["retry"] = json!({ "tool": { "max_attempts": 2, "run_timeout_secs": 5 } });
    config["switches"] = json!({ "attemptBase": 1 });
    let mut desk = Desk::new(config);
    desk.say("go", &[]);
    let asked = desk.until("tool.execute");
    assert_eq!(asked.trigger()["attempt"], 1);
    assert!(asked.trigger()["deadline"].is_string());
    desk.answer(&asked, &json!({}));
    let asked = desk.until("tool.execute");
    assert_eq!(asked.trigger()["attempt"], 2);
    assert_eq!(desk.count("tool.call.errored"), 1);
}

#[test]
fn a_models_reply_is_proposed_to_be_recorded_and_its_calls_to_be_started() {
    let mut desk = Desk::new(calling(json!([
        { "name": "read", "id": "call_1", "arguments": { "a": 1 } }, { "name": "work", "id": "call_2" },
    ])));
    desk.say("go", &["read"]);
    let asked = desk.until("llm.finished");
    let trigger = asked.trigger();
    assert_eq!((&trigger["ok"], &trigger["truncated"]), (&json!(true), &json!(false)));
    assert_eq!(trigger["message"]["content"], "Hm.");
    assert_eq!(trigger["message"]["id"], trigger["id"]);
    assert_eq!(asked.proposed()["messages"], json!([trigger["message"]]));
    assert_eq!(
        asked.proposed()["actions"],
        json!([
            { "type": "tool.call", "id": "call_1", "name": "read", "arguments": "{\"a\":1}", "handler": "client" },
            { "type": "tool.call", "id": "call_2", "name": "work", "arguments": "{}", "handler": "worker" },
        ])
    );
    // The last reply ends the turn, of which the worker hears.
    desk.answer(&asked, &json!({ "messages": [{ "role": "assistant", "content": "No." }] }));
    let asked = desk.take().unwrap();
    assert_eq!(asked.trigger()["type"], "turn.finished");
}

#[test]
fn a_reply_without_calls_is_proposed_to_be_the_end() {
    let mut desk = Desk::new(json!({ "script": { "otherwise": { "say": "Done." } } }));
    desk.say("go", &[]);
    let asked = desk.until("llm.finished");
    assert_eq!(asked.proposed()["actions"], json!([{ "type": "done" }]));
    desk.answer(&asked, &asked.proposed());
    let asked = desk.take().unwrap();
    let trigger = asked.trigger();
    assert_eq!((&trigger["type"], &trigger["turn_id"]), (&json!("turn.finished"), &json!("t-1")));
    assert_eq!((&trigger["cost"], &trigger["usage"]["total"]), (&json!("0"), &json!(0)));
    assert_eq!(asked.proposed(), json!({ "actions": [{ "type": "done" }] }));
    assert_eq!(desk.count("turn.completed"), 0);
    desk.answer(&asked, &asked.proposed());
    assert_eq!(desk.count("turn.completed"), 1);
    assert!(desk.take().is_none());
}

#[test]
fn a_failed_model_ends_the_turn_with_its_error_unless_the_worker_asks_again() {
    let script = json!({ "replies": [{ "error": { "message": "busy", "code": "rate_limited" } }] });
    for again in [false, true] {
        let mut desk = Desk::new(json!({ "script": script }));
        desk.say("go", &[]);
        let asked = desk.until("llm.finished");
        assert_eq!(asked.trigger()["ok"], false);
        assert_eq!(asked.trigger()["error"]["code"], "rate_limited");
        assert_eq!(asked.proposed(), json!({ "actions": [{ "type": "done" }] }));
        let answer = if again { json!({ "actions": [{ "type": "llm.call" }] }) } else { asked.proposed() };
        desk.answer(&asked, &answer);
        desk.pass(2_000, &accept);
        let error = desk.ended_with().get("error").cloned().unwrap_or_default();
        assert_eq!(error["code"], if again { Value::Null } else { json!("rate_limited") });
    }
}

#[test]
fn the_end_of_a_call_is_proposed_to_be_recorded_and_the_model_waits_for_the_siblings() {
    let mut desk =
        Desk::new(calling(json!([{ "name": "read", "id": "call_1" }, { "name": "read", "id": "call_2" }])));
    desk.say("go", &["read"]);
    let asked = desk.until("llm.finished");
    desk.answer(&asked, &asked.proposed());
    // Both end while the worker still has the news of the first: one decision at a time.
    desk.settle("call_2");
    desk.settle("call_1");
    let asked = desk.take().unwrap();
    assert!(desk.take().is_none(), "a second decision is out");
    let trigger = asked.trigger();
    assert_eq!((&trigger["type"], &trigger["id"]), (&json!("tool.finished"), &json!("call_2")));
    assert_eq!((&trigger["ok"], &trigger["name"]), (&json!(true), &json!("read")));
    assert_eq!(trigger["result"]["content"][0]["text"], "{\"ok\":true}");
    assert_eq!(
        asked.proposed(),
        json!({ "messages": [{ "role": "tool", "tool_call_id": "call_2", "content": "{\"ok\":true}" }] })
    );
    desk.answer(&asked, &asked.proposed());
    let asked = desk.take().unwrap();
    assert_eq!(asked.trigger()["id"], "call_1");
    assert_eq!(asked.request["pending_calls"], 0);
    assert_eq!(asked.proposed()["actions"], json!([{ "type": "llm.call" }]));
    desk.answer(&asked, &asked.proposed());
    assert_eq!(desk.count("llm.call.requested"), 2);
}

#[test]
fn a_sub_agents_end_comes_as_one_and_is_recorded_as_the_calls_result() {
    let mut desk = Desk::new(json!({
        "agent": { "subagents": [{ "id": "poet" }] },
        "agents": { "poet": { "script": { "otherwise": { "say": "Roses." } } } },
        "script": { "replies": [{ "call": [{ "name": "poet", "id": "call_1", "arguments": { "message": "Rhyme." } }] }] },
    }));
    desk.say("go", &[]);
    let asked = desk.until("subagent.finished");
    let trigger = asked.trigger();
    assert_eq!(
        (&trigger["id"], &trigger["agent_id"], &trigger["ok"]),
        (&json!("call_1"), &json!("poet"), &json!(true))
    );
    assert!(trigger["session_id"].is_string() && trigger["session_id"] != "s1");
    let proposed = asked.proposed();
    assert_eq!(proposed["messages"][0]["tool_call_id"], "call_1");
    assert!(proposed["messages"][0]["content"].as_str().unwrap().contains("Roses."));
    assert_eq!(proposed["actions"], json!([{ "type": "llm.call" }]));
    desk.answer(&asked, &proposed);
    desk.pass(2_000, &accept);
    assert_eq!(desk.count("turn.completed"), 1);
}

#[test]
fn no_digit_of_an_argument_is_lost() {
    let mut desk =
        Desk::new(calling(json!([{ "name": "work", "arguments": "{\"n\":2512292042121000001}" }])));
    desk.say("go", &[]);
    let asked = desk.until("tool.execute");
    assert_eq!(asked.trigger()["input"]["value"]["n"], 2_512_292_042_121_000_001_u64);
}

#[test]
fn a_resume_comes_with_its_payload() {
    let mut desk = Desk::new(json!({}));
    desk.say("go", &[]);
    let asked = desk.until("client.messages");
    let mut answer = asked.proposed();
    answer["actions"] =
        json!([{ "type": "interrupt", "interrupt_id": "int-1", "reason": "confirm", "payload": { "q": 1 } }]);
    desk.answer(&asked, &answer);
    desk.pass(2_000, &accept);
    assert_eq!(desk.driver.payloads("session.interrupted")[0]["payload"], json!({ "q": 1 }));
    // Paused and not over: nothing was asked meanwhile.
    assert_eq!((desk.count("turn.completed"), desk.seen.len()), (0, 2));
    desk.driver
        .post(json!({ "type": "interrupt.resume", "interrupt_id": "int-1", "payload": { "ok": true } }));
    let asked = desk.take().unwrap();
    assert_eq!(
        asked.trigger(),
        &json!({ "type": "interrupt.resumed", "interrupt_id": "int-1", "payload": { "ok": true } })
    );
    assert_eq!(asked.proposed(), json!({ "actions": [{ "type": "llm.call" }] }));
}
