//! The trigger endpoint: what its stream tells of client calls, and the answers it takes.

use serde_json::{Value, json};

use crate::driver::{Answer, Driver, Frame, cart, cart_with, result};

const PATH: &str = "/api/client/triggers?session_id=s1";

fn listen_as(driver: &mut Driver, token: &str, last_id: Option<&str>) -> u64 {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("Authorization", bearer.as_str())];
    headers.extend(last_id.map(|id| ("Last-Event-ID", id)));
    driver.send("GET", PATH, &headers, b"")
}

fn listen(driver: &mut Driver) -> u64 {
    let token = driver.token.clone();
    listen_as(driver, &token, None)
}

fn resume(driver: &mut Driver, last_id: u64) -> u64 {
    let token = driver.token.clone();
    listen_as(driver, &token, Some(&last_id.to_string()))
}

fn act_as(driver: &mut Driver, token: &str, action: &Value) -> Answer {
    let bearer = format!("Bearer {token}");
    driver.ask("POST", PATH, &[("Authorization", &bearer)], action.to_string().as_bytes())
}

fn act(driver: &mut Driver, action: &Value) -> Answer {
    let token = driver.token.clone();
    act_as(driver, &token, action)
}

fn events(frames: &[Frame]) -> Vec<&str> {
    frames.iter().map(|frame| frame.event.as_str()).collect()
}

fn done(id: &str, value: Value) -> Value {
    json!({ "type": "tool.result", "id": id, "result": value })
}

/// A session whose model has called `set` with the arguments, and a stream that was open before.
fn called_with(arguments: Value, config: Value) -> (Driver, u64) {
    let mut config = config;
    config["script"] = json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "set", "arguments": arguments }] },
    ] });
    let mut driver = Driver::new(config);
    let stream = listen(&mut driver);
    driver.say("t-1", "go", &["set"]);
    driver.pass(1000);
    (driver, stream)
}

fn with_schema() -> Value {
    let input =
        json!({ "type": "object", "properties": { "zip": { "type": "string" } }, "required": ["zip"] });
    json!({ "agent": { "tools": [{ "name": "set", "handler": "client", "input": input }] } })
}

#[test]
fn a_call_is_told_when_it_is_dispatched_and_when_it_has_ended() {
    let mut driver = Driver::new(cart());
    let stream = listen(&mut driver);
    let answer = &driver.answers[&stream];
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    driver.say("t-1", "my cart", &["read_cart"]);
    driver.pass(1000);
    let call = driver.engine.calls("s1")[0].id.clone();
    let frames = driver.frames(stream);
    assert_eq!(events(&frames), ["tool.execute"]);
    let expected = json!({
        "type": "tool.execute", "id": call, "name": "read_cart", "arguments": "{}",
        "input": { "status": "valid", "value": {} }, "attempt": 0, "proposed": {},
    });
    assert_eq!(frames[0].json(), expected);

    let answer = act(&mut driver, &done(&call, json!("3 items")));
    assert_eq!((answer.status, answer.json()["session_id"].as_str()), (202, Some("s1")));
    driver.pass(1000);
    let frames = driver.frames(stream);
    assert_eq!(events(&frames), ["tool.execute", "tool.finished"]);
    let expected = json!({
        "type": "tool.finished", "id": call, "ok": true, "name": "read_cart", "result": "3 items",
    });
    assert_eq!(frames[1].json(), expected);
    assert_eq!(driver.engine.messages("s1").last().unwrap()["content"], "It says 3 items.");
    assert_eq!(driver.engine.accepted_settlements("s1", &call, 0), 1);
}

#[test]
fn frames_carry_the_number_of_their_event() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let stream = listen(&mut driver);
    act(&mut driver, &done(&call, json!(1)));
    let seq = |name: &str| driver.engine.log("s1").iter().find(|event| event.name() == name).unwrap().seq;
    let ids: Vec<Option<u64>> = driver.frames(stream).iter().map(|frame| frame.id).collect();
    assert_eq!(ids, [Some(seq("tool.call.dispatched")), Some(seq("tool.call.completed"))]);
}

#[test]
fn each_stream_begins_with_the_calls_that_may_be_settled() {
    let (mut driver, call) = Driver::with_open_call(cart());
    for _ in 0..2 {
        let stream = listen(&mut driver);
        let frames = driver.frames(stream);
        assert_eq!(events(&frames), ["tool.execute"]);
        assert_eq!(frames[0].json()["id"], call);
    }
    act(&mut driver, &done(&call, json!(1)));
    let stream = listen(&mut driver);
    assert_eq!(driver.text(stream), "");
}

#[test]
fn a_call_that_is_not_dispatched_yet_is_not_told() {
    let (mut driver, _) = Driver::with_open_call(cart_with(json!({ "dispatchDelayMs": 5000 })));
    let stream = listen(&mut driver);
    assert_eq!(driver.text(stream), "");
    driver.pass(5000);
    assert_eq!(events(&driver.frames(stream)), ["tool.execute"]);
}

#[test]
fn a_cursor_replays_what_came_after_it_and_open_calls_come_again() {
    let config = json!({ "script": { "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "a" }, { "name": "b" }] },
    ] } });
    let mut driver = Driver::new(config);
    let live = listen(&mut driver);
    driver.say("t-1", "go", &["a", "b"]);
    driver.pass(1000);
    let calls = driver.engine.calls("s1");
    act(&mut driver, &done(&calls[0].id, json!(1)));
    let told = |driver: &Driver, stream: u64| -> Vec<(String, String)> {
        let frames = driver.frames(stream).into_iter();
        frames.map(|frame| (frame.event.clone(), frame.json()["name"].as_str().unwrap().to_owned())).collect()
    };
    let pair = |event: &str, name: &str| (event.to_owned(), name.to_owned());
    let whole = [pair("tool.execute", "a"), pair("tool.execute", "b"), pair("tool.finished", "a")];
    assert_eq!(told(&driver, live), whole);
    let frames = driver.frames(live);

    let replay = resume(&mut driver, 0);
    assert_eq!(told(&driver, replay), whole);
    let after_first = resume(&mut driver, frames[0].id.unwrap());
    assert_eq!(told(&driver, after_first), whole[1..]);
    // What was told before the cursor and is still open is told again, behind the replay.
    let after_both = resume(&mut driver, frames[1].id.unwrap());
    assert_eq!(told(&driver, after_both), [whole[2].clone(), whole[1].clone()]);
    let after_all = resume(&mut driver, frames[2].id.unwrap());
    assert_eq!(told(&driver, after_all), [whole[1].clone()]);
    let token = driver.token.clone();
    let odd = listen_as(&mut driver, &token, Some("nonsense"));
    assert_eq!(told(&driver, odd), [whole[1].clone()]);
}

#[test]
fn a_replay_sends_the_very_same_bytes() {
    let config = json!({ "agent": { "retry": { "tool": { "max_attempts": 2, "run_timeout_secs": 30 } } } });
    let (mut driver, live) = called_with(json!({ "zip": "1" }), config);
    let call = driver.engine.calls("s1")[0].id.clone();
    let busy = json!({ "type": "tool.error", "id": call, "error": "busy", "retryable": true });
    act(&mut driver, &busy);
    driver.pass(10_000);
    act(&mut driver, &json!({ "type": "tool.error", "id": call, "error": "no" }));
    assert_eq!(events(&driver.frames(live)), ["tool.execute", "tool.execute", "tool.finished"]);
    let replay = resume(&mut driver, 0);
    assert_eq!(driver.text(replay), driver.text(live).replace(":\n\n", ""));
}

#[test]
fn arguments_are_classified_against_the_declared_schema() {
    let exact = r#"{"zip":"1000","n":12345678901234567890123}"#;
    for (arguments, text) in [(json!(exact), exact), (json!("{\n \"zip\": \"1\"\n}"), r#"{  "zip": "1" }"#)] {
        let (driver, stream) = called_with(arguments.clone(), with_schema());
        let frame = driver.frames(stream)[0].clone();
        let input = format!(r#""input":{{"status":"valid","value":{text}}}"#);
        assert!(frame.data.contains(&input), "{}", frame.data);
        assert_eq!(frame.json()["arguments"], arguments);
        assert_eq!(frame.json()["proposed"], json!({}));
    }

    let (driver, stream) = called_with(json!("{\"zip\":1}"), with_schema());
    let data = driver.frames(stream)[0].json();
    assert_eq!(
        (&data["input"]["status"], &data["input"]["value"]),
        (&json!("invalid"), &json!({ "zip": 1 }))
    );
    let error = data["input"]["error"].as_str().unwrap();
    assert!(error.starts_with("/zip: "), "{error}");
    let text = format!("invalid tool arguments: {error}");
    assert_eq!(data["proposed"], json!({ "actions": [{ "type": "tool.error", "error": text }] }));

    for broken in ["[1]", "{\"zip\":", "7", "\"x\""] {
        let (driver, stream) = called_with(json!(broken), with_schema());
        let data = driver.frames(stream)[0].json();
        let keys: Vec<&String> = data["input"].as_object().unwrap().keys().collect();
        assert_eq!((data["input"]["status"].as_str(), keys.len()), (Some("malformed"), 2), "{broken}");
        let proposed = data["proposed"]["actions"][0]["error"].as_str().unwrap();
        assert!(proposed.starts_with("invalid tool arguments: "), "{proposed}");
    }
}

#[test]
fn empty_arguments_count_as_an_object_and_a_missing_schema_passes_all() {
    for empty in ["", "  ", "{}"] {
        let (driver, stream) = called_with(json!(empty), json!({}));
        let data = driver.frames(stream)[0].json();
        assert_eq!(data["input"], json!({ "status": "valid", "value": {} }));
        assert_eq!(data["arguments"], empty);
        let (driver, stream) = called_with(json!(empty), with_schema());
        assert_eq!(driver.frames(stream)[0].json()["input"]["status"], "invalid");
    }
}

#[test]
fn each_attempt_is_told_with_its_number_and_deadline() {
    let config = json!({
        "deltaIntervalMs": 0,
        "switches": { "attemptBase": 1 },
        "agent": { "retry": { "tool": { "max_attempts": 3, "run_timeout_secs": 5 } } },
    });
    let (mut driver, stream) = called_with(json!({}), config);
    let call = driver.engine.calls("s1")[0].id.clone();
    let late = json!({ "type": "tool.error", "id": call, "attempt": 1, "error": "busy", "retryable": true });
    assert_eq!(act(&mut driver, &late).status, 202);
    assert_eq!(act(&mut driver, &late).error(), "effect is not pending");
    driver.pass(2000);
    assert_eq!(act(&mut driver, &late).error(), "effect attempt mismatch");
    driver.pass(12_000);
    let frames = driver.frames(stream);
    assert_eq!(events(&frames), ["tool.execute"; 3]);
    let attempts: Vec<Value> = frames.iter().map(|frame| frame.json()["attempt"].clone()).collect();
    assert_eq!(attempts, [json!(1), json!(2), json!(3)]);
    assert_eq!(frames[0].json()["deadline"], "2026-09-21T14:13:25Z");
    driver.pass(60_000);
    let last = driver.frames(stream).last().unwrap().json();
    assert_eq!((&last["type"], &last["ok"]), (&json!("tool.finished"), &json!(false)));
    assert_eq!(last["error"], "the call ran past its deadline");
    assert_eq!(events(&driver.frames(stream)).len(), 4);
}

#[test]
fn an_error_keeps_its_code_and_detail() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let stream = listen(&mut driver);
    let detail = json!({ "field": "zip" });
    let action =
        json!({ "type": "tool.error", "id": call, "error": "no", "code": "declined", "detail": detail });
    assert_eq!(act(&mut driver, &action).status, 202);
    let stored = json!({ "message": "no", "code": "declined", "detail": detail });
    assert_eq!(driver.payloads("tool.call.errored")[0]["error"], stored);
    assert_eq!(driver.payloads("tool.call.errored")[0]["retryable"], false);
    let finished = driver.frames(stream)[1].json();
    let expected =
        json!({ "type": "tool.finished", "id": call, "ok": false, "name": "read_cart", "error": "no" });
    assert_eq!(finished, expected);

    let (mut driver, call) = Driver::with_open_call(cart());
    act(&mut driver, &json!({ "type": "tool.error", "id": call, "error": "no" }));
    let stored = json!({ "message": "no", "code": "handler_error" });
    assert_eq!(driver.payloads("tool.call.errored")[0]["error"], stored);
}

#[test]
fn answers_pass_the_native_checks_in_their_order() {
    let mut driver = Driver::new(cart());
    assert_eq!(act(&mut driver, &done("x", json!(1))).error(), "session has no active turn");
    let (mut driver, call) = Driver::with_open_call(cart());
    let stranger = driver.mint("other", 600);
    let other_attempt = json!({ "type": "tool.result", "id": call, "attempt": 7, "result": 1 });
    assert_eq!(act_as(&mut driver, "nonsense", &done(&call, json!(1))).status, 401);
    for (token, action, status, text) in [
        (None, done("nope", json!(1)), 404, "effect not found"),
        (Some(&stranger), done("nope", json!(1)), 404, "effect not found"),
        (Some(&stranger), done(&call, json!(1)), 403, "session access denied"),
        (None, other_attempt, 409, "effect attempt mismatch"),
    ] {
        let own = driver.token.clone();
        let answer = act_as(&mut driver, token.unwrap_or(&own), &action);
        assert_eq!((answer.status, answer.error().as_str()), (status, text));
    }
    assert_eq!(act(&mut driver, &done(&call, json!(1))).status, 202);
    // The two addresses are one door.
    assert_eq!(driver.post(result(&call, json!(2))).error(), "effect is not pending");
    assert_eq!(act(&mut driver, &done(&call, json!(2))).error(), "effect is not pending");
    let statuses: Vec<u16> =
        driver.engine.calls("s1")[0].settlements.iter().map(|settlement| settlement.status).collect();
    assert_eq!(statuses, [403, 409, 202, 409, 409]);
}

#[test]
fn whatever_is_not_one_action_is_400() {
    let (mut driver, call) = Driver::with_open_call(cart());
    for body in [
        json!({ "type": "tool.result", "id": call }),
        json!({ "type": "tool.result", "result": 1 }),
        json!({ "type": "tool.error", "id": call }),
        json!({ "type": "tool.result", "id": call, "result": 1, "retryable": true }),
        json!({ "type": "tool.call", "id": call, "name": "x", "arguments": {} }),
        json!({ "input": { "type": "tool.result", "id": call, "result": 1 } }),
        json!([{ "type": "tool.result", "id": call, "result": 1 }]),
        json!("tool.result"),
    ] {
        let answer = act(&mut driver, &body);
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str())];
    let action = done(&call, json!(1)).to_string();
    assert_eq!(driver.ask("POST", PATH, &headers, b"{").status, 400);
    assert_eq!(driver.ask("POST", "/api/client/triggers", &headers, action.as_bytes()).status, 400);
    assert_eq!(driver.ask("GET", "/api/client/triggers", &headers, b"").status, 400);
    assert_eq!(driver.ask("PUT", PATH, &headers, b"").status, 405);
    assert_eq!(driver.engine.calls("s1")[0].status, "pending");
}

#[test]
fn a_null_result_is_a_result() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let stream = listen(&mut driver);
    assert_eq!(act(&mut driver, &done(&call, Value::Null)).status, 202);
    assert_eq!(driver.frames(stream)[1].json()["result"], "null");
}

#[test]
fn a_result_that_breaks_the_output_schema_finishes_as_an_error() {
    let output = json!({ "type": "object", "required": ["items"] });
    let (mut driver, call) = Driver::with_open_call(cart_with(json!({
        "agent": { "tools": [{ "name": "read_cart", "handler": "client", "output": output }] },
    })));
    let stream = listen(&mut driver);
    assert_eq!(act(&mut driver, &done(&call, json!({}))).status, 202);
    let last = driver.frames(stream)[1].json();
    assert_eq!(last["ok"], false);
    assert!(last["error"].as_str().unwrap().starts_with("tool output violated its declared schema: "));
}

#[test]
fn a_voided_call_is_told_to_be_called_off_however_it_was_voided() {
    for announced in [true, false] {
        let config = cart_with(json!({ "switches": { "cancelVoids": announced } }));
        let (mut driver, call) = Driver::with_open_call(config);
        let live = listen(&mut driver);
        driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
        let replay = resume(&mut driver, 0);
        for stream in [live, replay] {
            let frames = driver.frames(stream);
            assert_eq!(events(&frames), ["tool.execute", "tool.finished"], "{announced}");
            let expected = json!({
                "type": "tool.finished", "id": call, "ok": false, "name": "read_cart",
                "error": "the call was called off",
            });
            assert_eq!(frames[1].json(), expected);
        }
    }
}

#[test]
fn calls_of_the_worker_are_not_told() {
    let mut driver = Driver::new(cart_with(json!({
        "agent": { "tools": [{ "name": "read_cart" }], "worker": { "answers": { "read_cart": { "result": 1 } } } },
    })));
    let stream = listen(&mut driver);
    driver.say("t-1", "my cart", &[]);
    driver.pass(5000);
    assert!(driver.names().contains(&"tool.call.completed".to_owned()));
    assert_eq!(driver.text(stream), "");
}

#[test]
fn a_quiet_stream_is_kept_alive_and_a_foreign_one_ends() {
    let mut driver = Driver::new(cart());
    let stranger = driver.mint("eavesdropper", 600);
    let foreign = listen_as(&mut driver, &stranger, None);
    let own = listen(&mut driver);
    driver.pass(15_000);
    assert_eq!(driver.text(own), ":\n\n");
    driver.say("t-1", "my cart", &["read_cart"]);
    assert!(driver.ended.contains(&foreign) && !driver.ended.contains(&own));
    let late = listen_as(&mut driver, &stranger, None);
    assert_eq!(driver.answers[&late].status, 403);
    let unsigned = listen_as(&mut driver, "nonsense", None);
    assert_eq!(driver.answers[&unsigned].status, 401);
    let headers =
        [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "authorization")];
    let preflight = driver.ask("OPTIONS", PATH, &headers, b"");
    assert_eq!((preflight.status, preflight.header("access-control-allow-methods")), (200, Some("POST")));
}

#[test]
fn faults_strike_here_as_on_the_native_routes() {
    let faults = [
        json!({ "kind": "duplicateFrame", "event": "tool.execute" }),
        json!({ "kind": "delayFrames", "event": "tool.finished", "ms": 3000 }),
    ];
    let mut driver = Driver::new(cart_with(json!({ "faults": faults })));
    let stream = listen(&mut driver);
    driver.say("t-1", "my cart", &["read_cart"]);
    driver.pass(1000);
    assert_eq!(events(&driver.frames(stream)), ["tool.execute", "tool.execute"]);
    let call = driver.engine.calls("s1")[0].id.clone();

    driver.fault(json!({ "kind": "refuse", "status": 503, "route": "triggers" }));
    assert_eq!(act(&mut driver, &done(&call, json!(1))).status, 503);
    driver.fault(json!({ "kind": "dropResponse", "route": "triggers" }));
    let bearer = format!("Bearer {}", driver.token);
    let action = done(&call, json!(1)).to_string();
    let lost = driver.send("POST", PATH, &[("Authorization", &bearer)], action.as_bytes());
    assert!(driver.lost.contains(&lost));
    assert_eq!(act(&mut driver, &done(&call, json!(1))).error(), "effect is not pending");
    driver.pass(2000);
    assert_eq!(driver.frames(stream).len(), 2);
    driver.pass(1000);
    assert_eq!(events(&driver.frames(stream)), ["tool.execute", "tool.execute", "tool.finished"]);

    driver.fault(json!({ "kind": "cutStream", "afterBytes": 9 }));
    let cut = resume(&mut driver, 0);
    assert_eq!(driver.text(cut).len(), 9);
    assert!(driver.lost.contains(&cut));
    driver.fault(json!({ "kind": "restart" }));
    assert!(driver.lost.contains(&stream));
}
