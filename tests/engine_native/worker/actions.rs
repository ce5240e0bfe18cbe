//! What a worker's answers do: one test per action and field.

use serde_json::{Value, json};

use super::desk::{Desk, accept};

/// A session whose model called `read` (the page's) or `work` (the worker's).
fn called(name: &str, agent: Value) -> Desk {
    let mut desk = Desk::new(json!({
        "agent": agent,
        "script": {
            "replies": [{ "call": [{ "name": name, "id": "call_1" }] }],
            "otherwise": { "say": "Done." },
        },
    }));
    desk.say("go", &["read"]);
    desk
}

fn worker_tool() -> Value {
    json!({ "tools": [{ "name": "work", "output": { "type": "object", "required": ["n"] } }] })
}

#[test]
fn tool_result_ends_the_call_it_answers_and_is_held_against_the_output_schema() {
    let wrapped = json!({ "content": [{ "type": "text", "text": "{\"n\":2}" }] });
    for (result, rendered) in [(json!({ "n": 1 }), "{\"n\":1}"), (wrapped, "{\"n\":2}")] {
        let mut desk = called("work", worker_tool());
        let asked = desk.until("tool.execute");
        desk.answer(&asked, &json!({ "actions": [{ "type": "tool.result", "result": result }] }));
        desk.pass(2_000, &accept);
        let call = desk.driver.engine.calls("s1").remove(0);
        assert_eq!((call.status, call.rendered.as_deref()), ("completed", Some(rendered)));
        assert_eq!(call.settlements[0].by, "worker");
        assert_eq!(desk.driver.engine.messages("s1")[2]["content"], rendered);
    }
    let mut desk = called("work", worker_tool());
    let asked = desk.until("tool.execute");
    desk.answer(
        &asked,
        &json!({ "actions": [{ "type": "tool.result", "id": "call_1", "attempt": 0, "result": 7 }] }),
    );
    assert_eq!(desk.driver.payloads("tool.call.errored")[0]["error"]["code"], "invalid_response");
}

#[test]
fn tool_error_ends_the_attempt_and_is_retried_where_it_says_so() {
    let error = json!({
        "type": "tool.error", "error": "try later", "retryable": true, "code": "rate_limited", "detail": { "s": 3 },
    });
    let mut agent = worker_tool();
    agent["retry"] = json!({ "tool": { "max_attempts": 2, "backoff_base_secs": 1 } });
    let mut desk = called("work", agent);
    let asked = desk.until("tool.execute");
    desk.answer(&asked, &json!({ "actions": [error] }));
    assert_eq!(desk.statuses(), [("call_1".to_owned(), "retry_scheduled")]);
    let again = desk.until("tool.execute");
    assert_eq!(again.trigger()["attempt"], 1);
    desk.answer(&again, &json!({ "actions": [{ "type": "tool.error", "error": "never" }] }));
    let errored = desk.driver.payloads("tool.call.errored");
    assert_eq!(
        errored[0]["error"],
        json!({ "message": "try later", "code": "rate_limited", "detail": { "s": 3 } })
    );
    assert_eq!(
        (&errored[1]["retryable"], &errored[1]["error"]["code"]),
        (&json!(false), &json!("handler_error"))
    );
    desk.pass(2_000, &accept);
    assert_eq!(desk.driver.engine.messages("s1")[2]["content"], "never");
}

#[test]
fn an_ending_for_an_earlier_attempt_is_dropped() {
    let mut agent = worker_tool();
    agent["retry"] = json!({ "tool": { "max_attempts": 2, "run_timeout_secs": 1, "backoff_base_secs": 1 } });
    let mut desk = called("work", agent);
    let asked = desk.until("tool.execute");
    desk.answer(&asked, &json!({}));
    let again = desk.until("tool.execute");
    let late = json!({ "type": "tool.result", "id": "call_1", "attempt": 0, "result": { "n": 1 } });
    desk.answer(&again, &json!({ "actions": [late] }));
    assert_eq!(desk.statuses(), [("call_1".to_owned(), "pending")]);
}

#[test]
fn an_empty_answer_leaves_the_call_open_to_be_ended_by_a_later_one() {
    let mut desk = Desk::new(json!({
        "agent": worker_tool(),
        "script": { "replies": [{ "call": [{ "name": "work", "id": "call_1" }, { "name": "read", "id": "call_2" }] }] },
    }));
    desk.say("go", &["read"]);
    let asked = desk.until("tool.execute");
    let events = desk.driver.names().len();
    desk.answer(&asked, &json!({}));
    // Nothing but the decision itself is written.
    assert_eq!(desk.driver.names().len(), events + 1);
    desk.pass(60_000, &accept);
    assert_eq!(desk.statuses()[0].1, "pending");
    desk.settle("call_2");
    let asked = desk.take().unwrap();
    assert_eq!(asked.request["calls"][0]["id"], "call_1");
    let mut answer = asked.proposed();
    answer["actions"] = json!([{ "type": "tool.result", "id": "call_1", "result": { "n": 1 } }]);
    desk.answer(&asked, &answer);
    desk.pass(2_000, &accept);
    assert_eq!(desk.count("turn.completed"), 1);
    assert_eq!(desk.driver.engine.messages("s1")[3]["content"], "{\"n\":1}");
}

#[test]
fn tool_call_starts_a_call_of_the_workers_own_where_it_says_and_as_often() {
    let mut desk = Desk::new(json!({ "agent": worker_tool() }));
    desk.say("go", &["read"]);
    let asked = desk.until("client.messages");
    let mut answer = asked.proposed();
    answer["actions"] = json!([
        { "type": "tool.call", "name": "read", "arguments": { "a": [1] } },
        { "type": "tool.call", "id": "mine", "name": "render", "retry": { "max_attempts": 3, "run_timeout_secs": 9 } },
        { "type": "tool.call", "name": "elsewhere", "handler": "client", "arguments": "{\"raw\" : 1}" },
    ]);
    desk.answer(&asked, &answer);
    let calls = desk.driver.engine.calls("s1");
    let told: Vec<_> =
        calls.iter().map(|call| (call.name.as_str(), call.handler, call.arguments.as_str())).collect();
    assert_eq!(
        told,
        [
            ("read", "client", "{\"a\":[1]}"),
            ("render", "worker", "{}"),
            ("elsewhere", "client", "{\"raw\" : 1}")
        ]
    );
    assert!(calls[0].id.starts_with("call_"));
    assert_eq!(calls[1].id, "mine");
    let requested = desk.driver.payloads("tool.call.requested");
    assert_eq!(
        (&requested[1]["retry"]["max_attempts"], &requested[1]["retry"]["run_timeout_secs"]),
        (&json!(3), &json!(9))
    );
    assert_eq!(requested[0]["retry"]["max_attempts"], 1);
    assert_eq!(desk.take().unwrap().trigger()["name"], "render");
}

#[test]
fn llm_call_asks_the_model_with_what_it_names() {
    use pagehand::engine::Output;
    let mut desk = Desk::new(json!({ "model": "external" }));
    desk.say("go", &[]);
    let asked = desk.until("session.start");
    desk.answer(
        &asked,
        &json!({ "agent": { "model": "m-1", "system": "Be brief.", "tools": [{ "name": "work" }] } }),
    );
    let asked = desk.until("client.messages");
    let mut answer = asked.proposed();
    let own = json!([{ "role": "user", "content": "instead" }]);
    answer["actions"] = json!([
        { "type": "llm.call" },
        { "type": "llm.call", "id": "llm-mine", "model": "m-2", "stream": false, "messages": own, "tools": [] },
    ]);
    desk.answer(&asked, &answer);
    let told: Vec<Value> =
        desk.driver.asked.iter().map(|output| serde_json::to_value(output).unwrap()).collect();
    assert!(desk.driver.asked.iter().all(|output| matches!(output, Output::ModelAsked { .. })));
    assert_eq!((&told[0]["model"], &told[0]["system"]), (&json!("m-1"), &json!("Be brief.")));
    assert_eq!((&told[0]["tools"][0]["name"], &told[0]["stream"]), (&json!("work"), &json!(true)));
    assert_eq!((&told[1]["call"], &told[1]["model"]), (&json!("llm-mine"), &json!("m-2")));
    assert_eq!((&told[1]["messages"], &told[1]["tools"]), (&own, &json!([])));
    assert_eq!((&told[1]["stream"], &told[1]["system"]), (&json!(false), &Value::Null));
}

#[test]
fn interrupt_and_interrupt_resolve_pause_and_go_on() {
    let mut desk = called("work", worker_tool());
    let asked = desk.until("tool.execute");
    let interrupt = json!({ "type": "interrupt", "interrupt_id": "ask", "reason": "confirm" });
    desk.answer(&asked, &json!({ "actions": [interrupt] }));
    assert_eq!(desk.driver.get("/api/client/sessions/s1").json()["status"], "interrupted");
    desk.driver.post(json!({ "type": "interrupt.resume", "interrupt_id": "ask", "payload": { "ok": true } }));
    // The only call that is open needs no name.
    let asked = desk.take().unwrap();
    assert_eq!(asked.proposed(), json!({}));
    desk.answer(&asked, &json!({ "actions": [{ "type": "tool.result", "result": { "n": 1 } }] }));
    desk.pass(2_000, &accept);
    assert_eq!(desk.count("turn.completed"), 1);

    let mut desk = Desk::new(json!({}));
    desk.say("go", &[]);
    let asked = desk.until("client.messages");
    let mut answer = asked.proposed();
    answer["actions"] =
        json!([interrupt, { "type": "interrupt.resolve", "interrupt_id": "ask", "payload": 5 }]);
    desk.answer(&asked, &answer);
    let resumed = desk.take().unwrap();
    assert_eq!(
        (&resumed.trigger()["type"], &resumed.trigger()["payload"]),
        (&json!("interrupt.resumed"), &json!(5))
    );
    desk.answer(&resumed, &resumed.proposed());
    desk.pass(2_000, &accept);
    assert_eq!(desk.count("turn.completed"), 1);
}

#[test]
fn done_ends_the_turn_with_its_data_and_voids_what_is_open() {
    let mut desk = Desk::new(json!({
        "script": { "replies": [{ "call": [{ "name": "read", "id": "call_1" }, { "name": "read", "id": "call_2" }] }] },
    }));
    desk.say("go", &["read"]);
    let asked = desk.until("llm.finished");
    desk.answer(&asked, &asked.proposed());
    desk.settle("call_1");
    let asked = desk.take().unwrap();
    let mut answer = asked.proposed();
    answer["actions"] = json!([{ "type": "done", "data": { "total": 3 } }]);
    desk.answer(&asked, &answer);
    assert_eq!(desk.statuses()[1], ("call_2".to_owned(), "voided"));
    let asked = desk.take().unwrap();
    assert_eq!(
        (&asked.trigger()["type"], &asked.trigger()["data"]),
        (&json!("turn.finished"), &json!({ "total": 3 }))
    );
    // Even an answer that says nothing cannot keep a finished turn from ending.
    desk.answer(&asked, &json!({}));
    assert_eq!(desk.ended_with()["data"], json!({ "total": 3 }));
    assert_eq!(desk.count("llm.call.requested"), 1);
    desk.driver.say("t-2", "next", &[]);
    desk.pass(2_000, &accept);
    assert_eq!(desk.count("turn.completed"), 2);
}

#[test]
fn a_finished_turn_goes_on_if_the_worker_starts_something() {
    let mut desk = Desk::new(json!({ "script": { "replies": [{ "say": "one" }, { "say": "two" }] } }));
    desk.say("go", &[]);
    let asked = desk.until("turn.finished");
    desk.answer(&asked, &json!({ "actions": [{ "type": "llm.call" }] }));
    assert_eq!(desk.count("turn.completed"), 0);
    desk.pass(2_000, &accept);
    assert_eq!(desk.driver.engine.messages("s1").len(), 3);
    assert_eq!(desk.count("turn.completed"), 1);
}

#[test]
fn a_finished_turn_is_not_asked_about_for_ever() {
    let idle = [
        json!({}),
        json!({ "actions": [{ "type": "interrupt.resolve", "interrupt_id": "nowhere" }] }),
        json!({ "actions": [{ "type": "interrupt", "interrupt_id": "again", "reason": "confirm" }] }),
        json!({ "actions": [{ "type": "llm.call" }, { "type": "done" }] }),
    ];
    for answer in idle {
        let mut desk = Desk::new(json!({}));
        desk.say("go", &[]);
        let decide = |request: &Value| match request["trigger"]["type"].as_str() {
            Some("turn.finished") => answer.clone(),
            _ => accept(request),
        };
        for _ in 0..3 {
            desk.pass(2_000, &decide);
            desk.driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "again" }));
        }
        assert_eq!(desk.count("turn.completed"), 1, "{answer}");
    }
}

#[test]
fn messages_are_recorded_as_written_once_per_id() {
    let mut desk = called("read", json!({}));
    let asked = desk.until("llm.finished");
    desk.answer(&asked, &asked.proposed());
    desk.settle("call_1");
    let asked = desk.take().unwrap();
    let mut messages = asked.request["messages"].as_array().unwrap().clone();
    messages.push(json!({ "role": "tool", "tool_call_id": "call_1", "content": "in other words" }));
    messages.push(json!({ "id": "mine", "role": "system", "content": "Hurry." }));
    desk.answer(&asked, &json!({ "messages": messages, "actions": [{ "type": "llm.call" }] }));
    let recorded = desk.driver.engine.messages("s1");
    let roles: Vec<&str> = recorded.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "system"]);
    assert_eq!((&recorded[2]["content"], &recorded[3]["id"]), (&json!("in other words"), &json!("mine")));
}

#[test]
fn an_agent_replaces_the_one_in_force_with_tools_and_retries() {
    let mut desk = Desk::new(json!({
        "agent": { "tools": [{ "name": "dropped" }] },
        "script": { "replies": [{ "call": [{ "name": "ask", "id": "call_1" }, { "name": "dropped", "id": "call_2" }] }] },
    }));
    desk.say("go", &[]);
    let asked = desk.take().unwrap();
    let agent = json!({
        "model": "m", "custom": { "kept": true },
        "tools": [{ "name": "ask", "handler": "client", "output": { "type": "integer" }, "extra": 1 }],
        "retry": { "default": { "max_attempts": 4 }, "tool": { "attempt_timeout_secs": 8 } },
    });
    desk.answer(&asked, &json!({ "agent": agent }));
    assert_eq!(desk.count("agent.updated"), 1);
    let asked = desk.until("llm.finished");
    assert_eq!(asked.request["agent"], agent);
    desk.answer(&asked, &asked.proposed());
    let requested = desk.driver.payloads("tool.call.requested");
    assert_eq!((&requested[0]["handler"], &requested[1]["handler"]), (&json!("client"), &json!("worker")));
    assert_eq!(
        (&requested[0]["retry"]["max_attempts"], &requested[0]["retry"]["run_timeout_secs"]),
        (&json!(4), &json!(8))
    );
    assert_eq!(desk.take().unwrap().proposed()["actions"][0]["error"], "unknown tool: dropped");
    desk.settle("call_1");
    assert_eq!(desk.driver.payloads("tool.call.errored")[0]["error"]["code"], "invalid_response");
}

#[test]
fn state_is_kept_as_written_until_it_is_replaced() {
    let mut desk = Desk::new(json!({}));
    desk.say("go", &[]);
    let asked = desk.take().unwrap();
    desk.answer(&asked, &json!({ "state": { "turns": 1, "odd": [null] }, "channels": { "slack": {} } }));
    let asked = desk.take().unwrap();
    assert_eq!(asked.request["state"], json!({ "turns": 1, "odd": [null] }));
    desk.answer(&asked, &json!({ "state": null }));
    let asked = desk.take().unwrap();
    assert_eq!(asked.request["state"]["turns"], 1);
}

#[test]
fn the_script_of_a_test_may_still_raise_its_interrupts() {
    let mut desk = Desk::new(json!({ "script": { "replies": [
        { "say": "Sure?", "interrupt": { "id": "i", "reason": "confirm", "clientMayResume": false } },
    ] } }));
    desk.say("go", &[]);
    desk.pass(2_000, &accept);
    let resume = json!({ "type": "interrupt.resume", "interrupt_id": "i" });
    assert_eq!(desk.driver.post(resume).status, 403);
    desk.driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "i" }));
    desk.pass(2_000, &accept);
    assert_eq!(desk.count("turn.completed"), 1);
}
