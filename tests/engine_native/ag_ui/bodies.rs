//! What is refused before a stream opens, and how.

use serde_json::{Value, json};

use super::{CONNECT, RUN, post, run, user};
use crate::driver::{Answer, Driver, cart};

fn refused(driver: &mut Driver, path: &str, kind: &str, body: &[u8]) -> Answer {
    let bearer = format!("Bearer {}", driver.token);
    driver.ask("POST", path, &[("Authorization", &bearer), ("Content-Type", kind)], body)
}

#[test]
fn a_bad_body_is_answered_in_plain_text_whatever_the_native_inputs_do() {
    let json = "application/json";
    let cases: [(&str, &[u8], u16, &str); 8] = [
        ("text/plain", b"{}", 415, "Content-Type"),
        (json, b"{", 400, "as JSON"),
        (json, b"[]", 422, "deserialize"),
        (json, br#"{"messages":[{"id":"m","content":"x"}]}"#, 422, "messages[0]: missing field `role`"),
        (
            json,
            br#"{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}"#,
            422,
            "messages[0]",
        ),
        (json, br#"{"tools":[{"description":"nameless"}]}"#, 422, "name"),
        (json, br#"{"resume":[{"interruptId":"i","status":"maybe"}]}"#, 422, "maybe"),
        (json, br#"{"threadId":7}"#, 422, "string"),
    ];
    let mut driver = Driver::new(cart());
    for (kind, body, status, part) in cases {
        let answer = refused(&mut driver, RUN, kind, body);
        assert_eq!(answer.status, status, "{part}");
        assert!(answer.text.contains(part), "{} has no {part}", answer.text);
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
    assert_eq!(refused(&mut driver, CONNECT, json, b"{}").status, 422);
    assert!(driver.engine.session_ids().is_empty());
}

#[test]
fn messages_of_roles_that_no_session_has_are_dropped_unread() {
    let mut driver = Driver::new(cart());
    let odd = json!({ "id": "x", "role": "activity", "activityType": "plan", "content": { "steps": [] } });
    let developer = json!({ "id": "y", "role": "developer", "content": "be brief" });
    run(&mut driver, "t-1", &[odd, developer, user("m-1", "hi")]);
    driver.pass(1000);
    assert_eq!(driver.engine.messages("s1")[0]["id"], "m-1");
}

#[test]
fn fields_that_nobody_acts_on_are_let_through() {
    let mut driver = Driver::new(cart());
    let call = json!({ "id": "c", "type": "function", "encryptedValue": "x",
        "function": { "name": "f", "arguments": "{}" } });
    let assistant = json!({ "id": "m-2", "role": "assistant", "content": null, "toolCalls": [call] });
    let tool = json!({ "id": "m-3", "role": "tool", "toolCallId": "c", "content": "x", "error": "ignored" });
    let body = json!({
        "threadId": "s1", "runId": "t-1", "protocolVersion": "1.0", "parentRunId": "p", "tools": null,
        "messages": [user("m-1", "hi"), assistant, tool], "resume": null, "context": null,
    });
    let stream = post(&mut driver, RUN, &body);
    driver.pass(1000);
    assert_eq!(driver.answers[&stream].status, 200);
    let messages = driver.engine.messages("s1");
    assert_eq!(messages[1]["tool_calls"][0]["function"]["name"], "f");
    assert_eq!((&messages[2]["tool_call_id"], &messages[2]["content"]), (&json!("c"), &json!("x")));
}

#[test]
fn the_token_and_the_body_limit_are_those_of_the_client_inputs() {
    let mut driver = Driver::new(json!({ "bodyLimit": 200 }));
    let long = json!({ "messages": [user("m", &"x".repeat(300))] }).to_string();
    assert_eq!(refused(&mut driver, RUN, "application/json", long.as_bytes()).status, 413);
    driver.token = "nonsense".to_owned();
    let answer = refused(&mut driver, RUN, "application/json", b"{}");
    assert_eq!((answer.status, answer.json()), (401, json!({ "error": "unauthorized" })));
    assert_eq!(refused(&mut driver, CONNECT, "application/json", b"{}").status, 401);
    driver.token = "test-api-key".to_owned();
    assert_eq!(refused(&mut driver, RUN, "application/json", b"{}").status, 403);
}

#[test]
fn a_stranger_gets_neither_a_run_nor_a_snapshot() {
    let mut driver = Driver::new(cart());
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.token = driver.mint("other", 600);
    let body = json!({ "threadId": "s1", "messages": [user("m-2", "mine now")] });
    for path in [RUN, CONNECT] {
        let id = post(&mut driver, path, &body);
        assert_eq!(driver.answers[&id].error(), "session access denied");
    }
    driver.pass(1000);
    assert_eq!(driver.payloads("turn.started").len(), 1);
}

#[test]
fn a_preflight_needs_no_token_and_other_methods_and_paths_are_refused() {
    let mut driver = Driver::new(cart());
    let asked =
        [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "authorization")];
    assert_eq!(driver.ask("OPTIONS", RUN, &asked, b"").status, 200);
    assert_eq!(driver.get(RUN).status, 405);
    assert_eq!(driver.get("/api/channels/ag-ui/agents/shop/walk").status, 404);
    assert_eq!(driver.get("/api/channels/ag-ui/agents//run").status, 404);
}

#[test]
fn the_agent_is_the_one_in_the_path() {
    let config = json!({ "agents": { "a b": { "script": { "otherwise": { "say": "I am another." } } } } });
    let mut driver = Driver::new(config);
    let body = json!({ "threadId": "s1", "messages": [user("m-1", "hi")] });
    post(&mut driver, "/api/channels/ag-ui/agents/a%20b/run", &body);
    driver.pass(5000);
    assert_eq!(driver.engine.messages("s1")[1]["content"], Value::from("I am another."));
}
