//! The orders of event names which the engine's own tests assert, made by the same kind of flow here.

use serde_json::{Value, json};

use crate::driver::{Driver, cart_with, result};

fn trace(name: &str) -> Vec<String> {
    let file = include_str!("../fixtures/native/engine-traces.json");
    let traces: Value = serde_json::from_str(file).unwrap();
    serde_json::from_value(traces[name].clone()).unwrap()
}

/// A client tool without the `agent.updated` that a page's declaration would write.
fn declared(more: Value) -> Value {
    let mut config = cart_with(json!({
        "agent": { "tools": [{ "name": "read_cart", "handler": "client" }] },
    }));
    for (key, value) in more.as_object().unwrap() {
        config["agent"][key] = value.clone();
    }
    config
}

#[test]
fn a_worker_tool_goes_round_in_the_order_of_the_full_loop() {
    let mut driver = Driver::new(json!({
        "agent": {
            "tools": [{ "name": "read_cart" }],
            "reprompt": false,
            "worker": { "answers": { "read_cart": { "result": "3 items" } } },
        },
        "script": { "rules": [{ "when": { "user": "*" }, "call": [{ "name": "read_cart" }] }] },
    }));
    driver.say("t-1", "hi", &[]);
    driver.pass(1000);
    assert_eq!(driver.names(), trace("full_loop"));
}

#[test]
fn a_client_tool_goes_round_as_the_settled_fixture_does() {
    let (mut driver, call) = Driver::with_open_call(declared(json!({ "reprompt": false })));
    assert_eq!(driver.post(result(&call, json!("Lisbon"))).status, 202);
    driver.pass(1000);
    let file = include_str!("../fixtures/native/frames/client-call-settled-doc.sse");
    let fixture = file.lines().filter_map(|line| line.strip_prefix("event: "));
    assert_eq!(driver.names(), fixture.collect::<Vec<_>>());
}

#[test]
fn parallel_worker_tools_fan_out_in_order() {
    let mut driver = Driver::new(json!({
        "agent": {
            "tools": [{ "name": "a" }, { "name": "b" }],
            "worker": {
                "directCalls": [{ "name": "a" }, { "name": "b" }],
                "answers": { "a": { "result": 1 }, "b": { "result": 2 } },
            },
        },
        // The traced worker does not prompt the model beside its own calls.
        "script": { "rules": [] },
    }));
    driver.post(json!({
        "type": "client.message", "agent_id": "shop", "message": { "role": "user", "content": "go" },
    }));
    let names: Vec<String> = driver.names().into_iter().filter(|name| !name.starts_with("llm.")).collect();
    let expected = trace("parallel_fan_out");
    assert_eq!(names[..expected.len()], expected);
}

#[test]
fn an_interrupt_voids_the_model_and_lets_a_client_tool_settle() {
    let mut driver = Driver::new(declared(json!({
        "announced": true,
        "worker": { "directCalls": [{ "name": "read_cart" }] },
    })));
    driver.post(json!({
        "type": "client.message", "agent_id": "shop", "message": { "role": "user", "content": "hi" },
    }));
    driver.operate(json!({ "action": "interrupt", "sessionId": "s1", "interruptId": "int-1" }));
    let call = driver.engine.calls("s1")[0].id.clone();
    assert_eq!(driver.post(result(&call, json!("yes"))).status, 202);
    driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "int-1" }));
    let expected = trace("interrupt_and_resume_with_client_tool");
    // The trace stops at the first decision after the resume.
    assert_eq!(driver.names()[..expected.len()], expected);
}

#[test]
fn a_fork_moves_the_head_and_voids_the_call() {
    let (mut driver, call) = Driver::with_open_call(declared(json!({})));
    let user = driver.engine.messages("s1")[0]["id"].clone();
    driver.operate(json!({ "action": "moveHead", "sessionId": "s1", "messageId": user }));
    let mut names = driver.names();
    // The trace has the decision that forked; an operator needs none.
    let expected = trace("fork_voids");
    let expected: Vec<&String> = expected[..18].iter().chain(&expected[21..]).collect();
    names.truncate(expected.len());
    assert_eq!(names.iter().collect::<Vec<_>>(), expected);
    assert_eq!(
        driver.payloads("call.voided"),
        [json!({
            "type": "call.voided", "kind": "tool_call", "id": call,
        })]
    );
}

#[test]
fn a_queued_turn_is_announced_during_the_one_before_it() {
    let mut driver = Driver::new(json!({ "decisionMs": 5 }));
    let message = json!({ "role": "user", "content": "hi" });
    let submit = |turn: &str, queue: bool| {
        json!({
            "type": "client.message", "agent_id": "shop", "turn_id": turn,
            "queue": queue, "message": message,
        })
    };
    driver.post(submit("t-1", false));
    driver.pass(7);
    assert_eq!(driver.post(submit("t-2", true)).json()["queued"], true);
    driver.pass(1000);
    let names: Vec<String> = driver.names().into_iter().filter(|name| !name.starts_with("llm.")).collect();
    let expected = trace("queued_turn");
    // The traced worker has no model; the decision and the message of its reply are left out here.
    let ours: Vec<&String> = names[..10].iter().chain(&names[14..]).collect();
    assert_eq!(ours[..expected.len()], expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_model_that_times_out_twice_ends_the_turn_with_an_error() {
    let mut driver = Driver::new(json!({
        "agent": { "retry": { "llm": { "max_attempts": 2, "run_timeout_secs": 5 } } },
        "script": { "rules": [{ "when": { "user": "*" }, "say": "late", "delayMs": 60000 }] },
    }));
    driver.say("t-1", "hi", &[]);
    driver.pass(60_000);
    assert_eq!(driver.names(), trace("llm_timeout_retry"));
    assert_eq!(driver.payloads("turn.completed")[0]["error"]["code"], "deadline_exceeded");
}

#[test]
fn a_worker_that_fails_twice_ends_the_turn_with_an_error() {
    let mut driver = Driver::new(json!({ "decisionMs": 5 }));
    driver.say("t-1", "hi", &[]);
    driver.pass(5);
    driver.fault(json!({ "kind": "decisionFails", "times": 2 }));
    driver.pass(1000);
    assert_eq!(driver.names(), trace("decision_failure"));
    assert_eq!(driver.payloads("turn.completed")[0]["error"]["code"], "worker_unreachable");
}

#[test]
fn sub_agents_go_round_in_the_traced_order() {
    let mut driver = Driver::new(json!({
        "deltaIntervalMs": 0,
        "switches": { "subagentPrefix": "sub_agent" },
        "agent": {
            "subagents": [{ "id": "poet" }, { "id": "nobody" }],
            "worker": { "directCalls": [{ "name": "poet", "arguments": { "message": "rain" } }] },
        },
        "agents": { "poet": { "script": { "replies": [{ "say": "Drip." }] } } },
        // The traced worker has no model: here it is still thinking when the first child has answered.
        "script": { "rules": [{ "when": { "user": "*" }, "delayMs": 5000, "call": [{ "name": "nobody" }] }] },
    }));
    driver.post(json!({
        "type": "client.message", "agent_id": "shop", "message": { "role": "user", "content": "hi" },
    }));
    driver.pass(5000);
    let names: Vec<String> = driver.names().into_iter().filter(|name| !name.starts_with("llm.")).collect();
    let expected = trace("sub_agent");
    // Two things are left out that a worker without a model does not do: the answer's message, and the
    // decision and the message of the model's reply that calls the second agent.
    let ours: Vec<&String> = names[..16].iter().chain(&names[21..]).collect();
    assert_eq!(names[16], "message.new");
    assert_eq!(ours[..expected.len()], expected.iter().collect::<Vec<_>>());
}
