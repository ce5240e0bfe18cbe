//! The JSON that hosts in other languages speak with the engine.

use pagehand::engine::{Config, Engine, Fault, Input, Millis, Operator, Output};
use serde_json::{Value, json};

fn input(json: Value) -> Input {
    serde_json::from_value(json).unwrap()
}

#[test]
fn every_input_has_a_plain_json_form() {
    let request = input(json!({
        "type": "request", "id": 1, "method": "GET", "target": "/x?y", "headers": [["A", "b"]],
    }));
    assert!(matches!(request, Input::Request { id: 1, .. }));
    assert_eq!(input(json!({ "type": "clientGone", "id": 1 })), Input::ClientGone { id: 1 });
    assert_eq!(input(json!({ "type": "timeReached" })), Input::TimeReached);
    assert_eq!(
        input(json!({ "type": "operator", "action": "cancel", "sessionId": "s" })),
        Input::Operator(Operator::Cancel { session_id: "s".to_owned() })
    );
    assert_eq!(
        input(json!({ "type": "fault", "fault": { "kind": "authDown" } })),
        Input::Fault { fault: Fault::AuthDown { times: 1 } }
    );
    let delta = json!({ "type": "modelDelta", "call": "llm-1", "delta": { "text": "x" } });
    assert!(matches!(input(delta), Input::ModelDelta { .. }));
    let reply = json!({ "type": "modelReplied", "call": "llm-1", "reply": { "toolCalls": [] } });
    assert!(matches!(input(reply), Input::ModelReplied { .. }));
}

#[test]
fn outputs_name_their_kind_and_leave_the_bytes_to_the_host() {
    let mut engine = Engine::new(Config::default());
    engine.handle(
        Millis(0),
        input(json!({
            "type": "request", "id": 7, "method": "GET", "target": "/nowhere",
        })),
    );
    let output = engine.poll_output().unwrap();
    let form = serde_json::to_value(&output).unwrap();
    assert_eq!(
        form,
        json!({
            "type": "response", "id": 7, "status": 404, "headers": [["content-type", "application/json"]],
        })
    );
    assert!(matches!(output, Output::Response { body, .. } if body == br#"{"error":"not found"}"#));
}

#[test]
fn a_configuration_is_json_with_defaults_for_everything() {
    let config: Config = serde_json::from_value(json!({})).unwrap();
    assert_eq!(config, Config::default());
    let scripted: Config = serde_json::from_value(json!({ "script": { "rules": [
        { "when": { "user": "x" }, "say": "y", "times": 1, "call": [{ "name": "z" }] },
    ] } }))
    .unwrap();
    for config in [config, scripted] {
        let full = serde_json::to_value(&config).unwrap();
        assert_eq!(serde_json::from_value::<Config>(full).unwrap(), config);
    }
}

#[test]
fn time_never_goes_back() {
    let mut engine = Engine::new(Config::default());
    engine.handle(Millis(5000), Input::TimeReached);
    let get = json!({
        "type": "request", "id": 1, "method": "POST", "target": "/api/machine/client-tokens",
        "headers": [["authorization", "Bearer test-api-key"]],
    });
    let Input::Request { id, method, target, headers, .. } = input(get) else { unreachable!() };
    let body = br#"{"identity":{"id":"u"},"ttl_seconds":1}"#.to_vec();
    engine.handle(Millis(1000), Input::Request { id, method, target, headers, body });
    let Some(Output::Response { body, .. }) = engine.poll_output() else { panic!("no response") };
    let minted: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(minted["expires_at"], 6);
}
