//! The AG-UI channel: what a page posts to it, and the streams it reads back.

mod answers;
mod bodies;
mod calls;
mod faults;
mod interrupts;
mod random;
mod runs;

use serde_json::{Value, json};

use crate::driver::Driver;

pub(crate) const RUN: &str = "/api/channels/ag-ui/agents/shop/run";
const CONNECT: &str = "/api/channels/ag-ui/agents/shop/connect";

/// Posts a body and gives the request's id.
fn post(driver: &mut Driver, path: &str, body: &Value) -> u64 {
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    driver.send("POST", path, &headers, body.to_string().as_bytes())
}

/// Starts a run of thread `s1` with `messages` and the client tools `a`, `b` and `read_cart`.
fn run(driver: &mut Driver, run_id: &str, messages: &[Value]) -> u64 {
    run_with(driver, run_id, messages, json!({}))
}

/// [`run`] with more fields.
fn run_with(driver: &mut Driver, run_id: &str, messages: &[Value], more: Value) -> u64 {
    let tool = |name: &str| json!({ "name": name, "description": "", "parameters": { "type": "object" } });
    let mut body = json!({
        "threadId": "s1", "runId": run_id, "messages": messages,
        "tools": [tool("a"), tool("b"), tool("read_cart")],
        "context": [], "state": {}, "forwardedProps": {},
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    post(driver, RUN, &body)
}

fn user(id: &str, text: &str) -> Value {
    json!({ "id": id, "role": "user", "content": text })
}

fn answer(call: &str, text: &str) -> Value {
    json!({ "id": format!("tool-{call}"), "role": "tool", "toolCallId": call, "content": text })
}

/// The events of a stream.
fn events(driver: &Driver, stream: u64) -> Vec<Value> {
    let text = driver.text(stream);
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// The types of its events, pieces that follow each other counted once.
fn types(driver: &Driver, stream: u64) -> Vec<String> {
    let all = events(driver, stream);
    let mut types: Vec<String> = all.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect();
    types.dedup_by(|next, last| next == last && (next.ends_with("CONTENT") || next.ends_with("ARGS")));
    types
}

fn of_type(driver: &Driver, stream: u64, kind: &str) -> Vec<Value> {
    events(driver, stream).into_iter().filter(|event| event["type"] == kind).collect()
}

fn is_over(driver: &Driver, stream: u64) -> bool {
    driver.ended.contains(&stream)
}

/// The conversation as a page has it from a snapshot.
fn snapshot(driver: &mut Driver) -> Vec<Value> {
    let stream = post(driver, CONNECT, &json!({ "threadId": "s1" }));
    of_type(driver, stream, "MESSAGES_SNAPSHOT")[0]["messages"].as_array().unwrap().clone()
}

/// A script that calls `a` and `b` at once and says what came of them.
fn both() -> Value {
    json!({ "script": { "rules": [
        { "when": { "user": "both" }, "say": "Wait.", "call": [
            { "name": "a", "arguments": { "x": 1 }, "id": "call-a" },
            { "name": "b", "id": "call-b" },
        ] },
        { "when": { "after": "*" }, "say": "A says {{result:a}}, B says {{result:b}}." },
        { "when": { "user": "*" }, "say": "Hello there." },
    ] } })
}

/// [`both`] with more settings.
fn both_with(more: Value) -> Value {
    let mut config = both();
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

/// A session whose model has called `a` and `b`, and the conversation as the page has it.
fn with_two_open(config: Value) -> (Driver, Vec<Value>) {
    let mut driver = Driver::new(config);
    run(&mut driver, "t-1", &[user("m-1", "both")]);
    driver.pass(5000);
    let view = snapshot(&mut driver);
    (driver, view)
}

fn status_of(driver: &Driver, call: &str) -> &'static str {
    driver.engine.calls("s1").iter().find(|record| record.id == call).unwrap().status
}
