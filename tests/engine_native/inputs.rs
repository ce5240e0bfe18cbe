//! The input endpoint: bodies against the published schema, the turn rules, views, interrupts, actions.

use serde_json::{Value, json};

use crate::driver::{Driver, cart, cart_with, result};

fn message(turn: &str, more: Value) -> Value {
    let mut input = json!({
        "type": "client.message", "agent_id": "shop", "turn_id": turn,
        "message": { "role": "user", "content": "hello" },
    });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

/// Inputs that meet the published schema.
fn good_inputs() -> Vec<Value> {
    let tool = json!({
        "name": "read_cart", "description": "Read", "handler": "client", "defer": null,
        "input": { "type": "object" }, "output": { "type": "object" },
    });
    let context = json!({ "tools": [tool], "context": [], "state": null, "forwarded_props": null });
    let user = json!({ "id": "m-1", "role": "user", "content": "hi" });
    let parts = json!({ "role": "user", "content": [{ "type": "text", "text": "hi" }], "name": null });
    let call = json!({ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let assistant = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    let blocks = json!([
        { "type": "text", "text": "x" },
        { "type": "image", "data": "AA", "mimeType": "image/png" },
        { "type": "audio", "data": "AA", "mimeType": "audio/wav" },
        { "type": "resource", "resource": { "uri": "page://cart" } },
        { "type": "resource_link", "uri": "https://shop.example", "name": null },
    ]);
    vec![
        json!({ "type": "client.message", "agent_id": "a", "message": user }),
        json!({ "type": "client.message", "agent_id": "a", "message": parts, "turn_id": null, "stream": true, "queue": false }),
        json!({ "type": "client.messages", "agent_id": "a", "messages": [user, assistant], "client": context, "stream": false }),
        json!({ "type": "client.append", "agent_id": "a", "messages": [], "client": {}, "queue": true }),
        json!({ "type": "client.action", "agent_id": "a", "name": "refresh", "args": { "hard": true } }),
        json!({ "type": "interrupt.resume", "interrupt_id": "i", "payload": { "ok": true } }),
        json!({ "type": "tool.result", "id": "c", "attempt": 0, "result": { "any": 1 } }),
        json!({ "type": "tool.result", "id": "c", "attempt": null, "content": blocks, "structured_content": {}, "is_error": false }),
        json!({ "type": "tool.result", "id": "c", "content": null }),
        json!({ "type": "tool.error", "id": "c", "attempt": 0, "error": "no", "retryable": false }),
    ]
}

/// Inputs that break it, each in one way.
fn bad_inputs() -> Vec<Value> {
    let user = json!({ "role": "user", "content": "hi" });
    vec![
        json!({}),
        json!({ "type": "client.unknown" }),
        json!({ "type": "client.message", "message": user }),
        json!({ "type": "client.message", "agent_id": "a" }),
        json!({ "type": "client.message", "agent_id": "a", "message": user, "client": {} }),
        json!({ "type": "client.message", "agent_id": "a", "message": user, "stream": null }),
        json!({ "type": "client.message", "agent_id": "a", "message": { "role": "robot" } }),
        json!({ "type": "client.message", "agent_id": "a", "message": { "role": "user", "x": 1 } }),
        json!({ "type": "client.message", "agent_id": "a", "message": { "role": "user", "content": [{ "text": "x" }] } }),
        json!({ "type": "client.messages", "agent_id": "a", "messages": [user], "queue": true }),
        json!({ "type": "client.messages", "agent_id": "a", "messages": user }),
        json!({ "type": "client.append", "agent_id": "a", "messages": [], "client": { "tools": [{}] } }),
        json!({ "type": "client.append", "agent_id": "a", "messages": [], "client": { "tools": [{ "name": "x", "handler": "page" }] } }),
        json!({ "type": "client.append", "agent_id": "a", "messages": [], "client": null }),
        json!({ "type": "client.action", "agent_id": "a" }),
        json!({ "type": "interrupt.resume" }),
        json!({ "type": "tool.result", "result": 1 }),
        json!({ "type": "tool.result", "id": "c", "attempt": -1 }),
        json!({ "type": "tool.result", "id": "c", "attempt": "0" }),
        json!({ "type": "tool.result", "id": "c", "isError": true }),
        json!({ "type": "tool.result", "id": "c", "content": [{ "type": "text" }] }),
        json!({ "type": "tool.result", "id": "c", "content": [{ "type": "text", "text": "x", "more": 1 }] }),
        json!({ "type": "tool.error", "id": "c", "error": "no" }),
        json!({ "type": "tool.error", "id": "c", "error": "no", "retryable": false, "code": "x" }),
    ]
}

#[test]
fn every_input_is_judged_as_the_published_schema_judges_it() {
    let file = include_str!("../fixtures/native/client-input.schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(file).unwrap()).unwrap();
    let mut driver = Driver::new(json!({}));
    let token = driver.token.clone();
    for (inputs, good) in [(good_inputs(), true), (bad_inputs(), false)] {
        for input in inputs {
            let body = json!({ "session_id": null, "input": input });
            assert_eq!(schema.is_valid(&body), good, "the schema's verdict on {input}");
            let status = driver.post_raw(&token, body.to_string().as_bytes()).status;
            assert_eq!(status != 400, good, "{status} for {input}");
        }
    }
}

#[test]
fn a_bad_body_is_json_with_a_param_or_plain_text_by_age() {
    let missing = br#"{"session_id":"s1","input":{"type":"tool.error","id":"c","error":"x"}}"#;
    let mut driver = Driver::new(json!({}));
    let token = driver.token.clone();
    let newer = driver.post_raw(&token, missing);
    assert_eq!(newer.status, 400);
    let body = newer.json();
    assert_eq!((&body["ok"], &body["param"]), (&json!(false), &json!("input")));
    assert!(body["error"].as_str().unwrap().contains("missing field `retryable`"));

    let mut driver = Driver::new(json!({ "switches": { "badBody": "text422" } }));
    for (body, status) in [(missing.as_slice(), 422), (b"{".as_slice(), 400)] {
        let older = driver.post_raw(&token, body);
        assert_eq!(older.status, status);
        assert!(serde_json::from_str::<Value>(&older.text).is_err());
    }
    let bearer = format!("Bearer {token}");
    let untyped = [("authorization", bearer.as_str())];
    assert_eq!(driver.ask("POST", "/api/client/sessions/input", &untyped, missing).status, 415);
}

#[test]
fn auth_is_checked_before_the_body() {
    let mut driver = Driver::new(json!({}));
    assert_eq!(driver.post_raw("nonsense", b"{").status, 401);
}

#[test]
fn a_body_beyond_the_limit_is_413() {
    let mut driver = Driver::new(cart_with(json!({ "bodyLimit": 400 })));
    let long = json!({ "message": { "role": "user", "content": "x".repeat(500) } });
    assert_eq!(driver.post(message("t-1", long)).status, 413);
    assert_eq!(driver.post(message("t-1", json!({}))).status, 202);
}

#[test]
fn a_missing_session_id_is_minted() {
    let mut driver = Driver::new(cart());
    let token = driver.token.clone();
    let body = json!({ "input": message("t-1", json!({})) }).to_string();
    let session = driver.post_raw(&token, body.as_bytes()).json()["session_id"].clone();
    assert_eq!(session.as_str().unwrap().len(), 36);
    assert_eq!(driver.engine.session_ids(), [session.as_str().unwrap()]);
}

#[test]
fn a_submit_during_a_turn_is_swallowed_and_names_the_running_turn() {
    let (mut driver, _) = Driver::with_open_call(cart());
    let answer = driver.post(message("t-2", json!({})));
    let expected = json!({ "session_id": "s1", "turn_id": "t-1", "queued": false });
    assert_eq!((answer.status, answer.json()), (202, expected));
    assert!(!driver.engine.messages("s1").iter().any(|one| one["content"] == "hello"));
}

#[test]
fn the_documented_conflict_can_be_switched_on() {
    let config = cart_with(json!({ "switches": { "busySubmit": "conflict" } }));
    let (mut driver, _) = Driver::with_open_call(config);
    assert_eq!(driver.post(message("t-2", json!({}))).status, 409);
}

#[test]
fn the_same_turn_id_is_never_started_twice() {
    let (mut driver, call) = Driver::with_open_call(cart());
    assert_eq!(driver.post(message("t-1", json!({}))).json()["turn_id"], "t-1");
    let queued = message("t-2", json!({ "queue": true }));
    for _ in 0..2 {
        assert_eq!(driver.post(queued.clone()).json()["queued"], true);
    }
    driver.post(result(&call, json!(1)));
    driver.pass(10_000);
    assert_eq!(
        driver.post(queued).json(),
        json!({
            "session_id": "s1", "turn_id": "t-2", "queued": false,
        })
    );
    let started = driver.payloads("turn.started");
    let ids: Vec<&Value> = started.iter().map(|payload| &payload["turn_id"]).collect();
    assert_eq!(ids, ["t-1", "t-2"]);
}

#[test]
fn older_engines_leave_queued_out() {
    let mut driver = Driver::new(cart_with(json!({ "switches": { "queuedField": false } })));
    assert_eq!(driver.post(message("t-1", json!({}))).json().get("queued"), None);
}

#[test]
fn a_stranger_may_neither_submit_nor_read_nor_interrupt() {
    let mut driver = Driver::new(cart());
    driver.say("t-1", "hi", &[]);
    driver.token = driver.mint("other", 600);
    assert_eq!(driver.post(message("t-2", json!({}))).error(), "session access denied");
    assert_eq!(driver.get("/api/client/sessions/s1").status, 403);
    let stream = driver.open("?after_seq=0");
    assert_eq!(driver.answers[&stream].status, 403);
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str())];
    let interrupt = "/api/client/sessions/s1/interrupt";
    assert_eq!(driver.ask("POST", interrupt, &headers, b"{}").status, 403);
}

#[test]
fn names_are_only_ever_added() {
    let mut driver = Driver::new(json!({
        "model": "external",
        "agent": { "tools": [{ "name": "ship", "description": "the worker's" }] },
    }));
    let submit = |turn: &str, description: &str| {
        json!({
            "type": "client.messages", "agent_id": "shop", "turn_id": turn,
            "messages": [{ "role": "user", "content": "hi" }],
            "client": { "tools": [
                { "name": "ship", "handler": "client", "description": description },
                { "name": "read", "handler": "client", "description": description },
            ] },
        })
    };
    driver.post(submit("t-1", "first"));
    driver.operate(json!({ "action": "cancel", "sessionId": "other" }));
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    assert_eq!(asked["tools"][0]["description"], "the worker's");
    assert_eq!(asked["tools"][1]["description"], "first");
    let call = asked["call"].as_str().unwrap().to_owned();
    let reply = serde_json::from_value(json!({ "text": "ok" })).unwrap();
    driver.give(pagehand::engine::Input::ModelReplied { call, reply });
    driver.post(submit("t-2", "second"));
    let asked = serde_json::to_value(driver.asked.pop().unwrap()).unwrap();
    assert_eq!(asked["tools"][1]["description"], "first");
    assert_eq!(driver.payloads("agent.updated").len(), 1);
}

#[test]
fn the_session_view_shows_the_active_branch() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let view = driver.get("/api/client/sessions/s1").json();
    assert_eq!((&view["status"], &view["agent_id"]), (&json!("idle"), &json!("shop")));
    assert_eq!(view["messages"][1]["tool_calls"][0]["id"], call);
    assert_eq!(view["message_tree"]["head_id"], view["messages"][1]["id"]);
    driver.post(result(&call, json!(1)));
    driver.pass(10_000);
    assert_eq!(driver.get("/api/client/sessions/s1").json()["status"], "done");
    assert_eq!(driver.get("/api/client/sessions/s2").status, 404);
}

#[test]
fn a_view_with_a_lost_prefix_forks_at_the_root() {
    let mut driver = Driver::new(cart());
    driver.say("t-1", "hi", &[]);
    driver.pass(5000);
    driver.post(json!({
        "type": "client.messages", "agent_id": "shop", "turn_id": "t-2",
        "messages": [{ "id": "new", "role": "user", "content": "other" }],
    }));
    driver.pass(5000);
    assert_eq!(driver.payloads("head.moved")[0]["head_id"], Value::Null);
    assert_eq!(driver.engine.messages("s1")[0]["id"], "new");
}

#[test]
fn a_view_that_repeats_the_branch_appends_its_news() {
    let mut driver = Driver::new(cart());
    driver.say("t-1", "hi", &[]);
    driver.pass(5000);
    let mut messages = driver.engine.messages("s1");
    messages.push(json!({ "role": "user", "content": "and now?" }));
    let view = json!({
        "type": "client.messages", "agent_id": "shop", "turn_id": "t-2", "messages": messages,
    });
    driver.post(view);
    driver.pass(5000);
    assert!(driver.payloads("head.moved").is_empty());
    assert_eq!(driver.engine.messages("s1").len(), 4);
}

/// A view of the open call's conversation with `news` behind it.
fn view_with(driver: &Driver, news: &[Value]) -> Value {
    let mut messages = driver.engine.messages("s1");
    messages.extend(news.iter().cloned());
    json!({ "type": "client.messages", "agent_id": "shop", "turn_id": "t-9", "messages": messages })
}

#[test]
fn answers_inside_a_view_are_dropped_by_the_newest_engine() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let answer = json!({ "role": "tool", "tool_call_id": call, "content": "3" });
    let view = view_with(&driver, &[answer]);
    assert_eq!(driver.post(view).json()["turn_id"], "t-1");
    assert_eq!(driver.engine.calls("s1")[0].status, "pending");
}

#[test]
fn where_views_are_examined_a_lone_answer_settles_its_call() {
    let config = cart_with(json!({ "switches": { "viewInTurn": "examined" } }));
    let (mut driver, call) = Driver::with_open_call(config);
    let answer = json!({ "role": "tool", "tool_call_id": call, "content": "3" });
    let twice = view_with(&driver, &[answer.clone(), answer]);
    driver.post(twice);
    driver.pass(5000);
    assert_eq!(driver.engine.calls("s1")[0].rendered.as_deref(), Some("3"));
    assert_eq!(driver.engine.accepted_settlements("s1", &call, 0), 1);
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn where_views_are_examined_an_answer_and_news_become_one_decision() {
    let config = cart_with(json!({ "switches": { "viewInTurn": "examined" } }));
    let (mut driver, call) = Driver::with_open_call(config);
    let answer = json!({ "role": "tool", "tool_call_id": call, "content": "3" });
    let view = view_with(&driver, &[answer, json!({ "role": "user", "content": "quick" })]);
    driver.post(view);
    driver.pass(5000);
    let roles: Vec<Value> = driver.engine.messages("s1").iter().map(|one| one["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user", "assistant"]);
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn where_views_are_examined_a_fork_voids_the_open_call() {
    let config = cart_with(json!({ "switches": { "viewInTurn": "examined" } }));
    let (mut driver, call) = Driver::with_open_call(config);
    let user = driver.engine.messages("s1")[0].clone();
    driver.post(json!({
        "type": "client.messages", "agent_id": "shop", "turn_id": "t-9",
        "messages": [user, { "role": "user", "content": "never mind" }],
    }));
    driver.pass(5000);
    assert_eq!(driver.payloads("call.voided")[0]["id"], call);
    assert_eq!(driver.post(result(&call, json!(1))).error(), "effect is not pending");
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn a_page_interrupts_and_resumes() {
    let (mut driver, _) = Driver::with_open_call(cart());
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str())];
    let body = br#"{"interrupt_id":"int-3","reason":"wait"}"#;
    let answer = driver.ask("POST", "/api/client/sessions/s1/interrupt", &headers, body);
    assert_eq!((answer.status, answer.json()), (200, json!({ "ok": true, "interrupt_id": "int-3" })));
    let view = driver.get("/api/client/sessions/s1").json();
    assert_eq!(
        (&view["status"], view["interrupts"][0]["reason"].as_str()),
        (&json!("interrupted"), Some("wait"))
    );
    let resume = json!({ "type": "interrupt.resume", "interrupt_id": "int-3", "payload": { "ok": 1 } });
    assert_eq!(driver.post(resume.clone()).status, 202);
    assert_eq!(driver.payloads("session.interrupt_resumed")[0]["payload"]["ok"], 1);
    assert_eq!(driver.post(resume).status, 409);
    let unknown = json!({ "type": "interrupt.resume", "interrupt_id": "nope" });
    assert_eq!(driver.post(unknown).status, 404);
}

#[test]
fn a_page_cannot_resume_what_an_operator_raised() {
    let (mut driver, _) = Driver::with_open_call(cart());
    driver.operate(json!({ "action": "interrupt", "sessionId": "s1", "interruptId": "int-3" }));
    let resume = json!({ "type": "interrupt.resume", "interrupt_id": "int-3" });
    assert_eq!(driver.post(resume).status, 403);
}

#[test]
fn an_action_is_a_turn_that_a_rule_may_answer() {
    let mut driver = Driver::new(json!({ "script": { "rules": [
        { "when": { "action": "refresh" }, "say": "Fresh." },
        { "when": { "user": "*" }, "say": "Hello." },
    ] } }));
    let action = |name: &str, turn: &str| json!({ "type": "client.action", "agent_id": "shop", "name": name, "turn_id": turn });
    driver.post(action("refresh", "t-1"));
    driver.pass(1000);
    driver.post(action("unknown", "t-2"));
    driver.pass(1000);
    assert_eq!(driver.engine.messages("s1").len(), 1);
    assert_eq!(driver.payloads("turn.completed").len(), 2);
}

#[test]
fn a_cancelled_session_voids_its_calls_and_takes_nothing_more() {
    let (mut driver, call) = Driver::with_open_call(cart());
    driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
    let names = driver.names();
    assert_eq!(names[names.len() - 2..], ["call.voided", "session.cancelled"]);
    assert_eq!(driver.post(result(&call, json!(1))).error(), "effect is not pending");
    assert_eq!(driver.post(message("t-2", json!({}))).status, 409);
}
