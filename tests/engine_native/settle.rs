//! Settling a client call: every row of the status table, every encoding of a result, the output check.

use serde_json::{Value, json};

use crate::driver::{Driver, cart, cart_with, result};

fn error(id: &str, retryable: bool) -> Value {
    let text = "The cart is not on this page.";
    json!({ "type": "tool.error", "id": id, "attempt": 0, "error": text, "retryable": retryable })
}

/// What the model is given for a settled call.
fn seen_by_model(driver: &Driver) -> Value {
    let messages = driver.engine.messages("s1");
    messages.iter().find(|message| message["role"] == "tool").unwrap()["content"].clone()
}

#[test]
fn an_accepted_result_is_202_and_goes_on_to_the_model() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let answer = driver.post(result(&call, json!("3 items")));
    let expected = json!({ "session_id": "s1", "turn_id": "t-1", "queued": false });
    assert_eq!((answer.status, answer.json()), (202, expected));
    driver.pass(1000);
    assert_eq!(driver.engine.messages("s1").last().unwrap()["content"], "It says 3 items.");
    assert_eq!(driver.names().last().unwrap(), "session.done");
    assert_eq!(driver.engine.accepted_settlements("s1", &call, 0), 1);
}

#[test]
fn row_3_a_session_without_a_turn_is_409() {
    let mut driver = Driver::new(cart());
    let answer = driver.post(result("call_1", json!(1)));
    assert_eq!((answer.status, answer.error()), (409, "session has no active turn".into()));
    let token = driver.token.clone();
    let unnamed = json!({ "input": result("call_1", json!(1)) }).to_string();
    assert_eq!(driver.post_raw(&token, unnamed.as_bytes()).status, 409);
}

#[test]
fn row_4_an_unknown_call_is_404_even_for_a_stranger() {
    let (mut driver, _) = Driver::with_open_call(cart());
    let stranger = driver.mint("other", 600);
    let answer = driver.post_as(&stranger, "s1", result("nope", json!(1)));
    assert_eq!((answer.status, answer.error()), (404, "effect not found".into()));
}

#[test]
fn row_5_a_stranger_is_403() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let stranger = driver.mint("other", 600);
    let answer = driver.post_as(&stranger, "s1", result(&call, json!(1)));
    assert_eq!((answer.status, answer.error()), (403, "session access denied".into()));
}

#[test]
fn row_6_a_call_of_the_worker_is_403() {
    let mut driver = Driver::new(cart());
    // Without `handler` the tool is the worker's, whatever the documents say.
    driver.post(json!({
        "type": "client.append", "agent_id": "shop",
        "messages": [{ "role": "user", "content": "cart" }],
        "client": { "tools": [{ "name": "read_cart" }] },
    }));
    driver.pass(1000);
    let call = driver.engine.calls("s1")[0].clone();
    assert_eq!((call.handler, call.status), ("worker", "errored"));
    let answer = driver.post(result(&call.id, json!(1)));
    assert_eq!((answer.status, answer.error()), (403, "caller may not settle this effect".into()));
}

#[test]
fn row_7_a_second_answer_is_409_and_changes_nothing() {
    let (mut driver, call) = Driver::with_open_call(cart());
    assert_eq!(driver.post(result(&call, json!("first"))).status, 202);
    for second in [result(&call, json!("second")), error(&call, false)] {
        let answer = driver.post(second);
        assert_eq!((answer.status, answer.error()), (409, "effect is not pending".into()));
    }
    assert_eq!(seen_by_model(&driver), "first");
    let record = &driver.engine.calls("s1")[0];
    let statuses: Vec<u16> = record.settlements.iter().map(|one| one.status).collect();
    assert_eq!(statuses, [202, 409, 409]);
}

#[test]
fn row_7_a_call_that_is_not_dispatched_yet_is_409() {
    let (mut driver, call) = Driver::with_open_call(cart_with(json!({ "dispatchDelayMs": 5000 })));
    assert_eq!(driver.post(result(&call, json!(1))).error(), "effect is not pending");
    driver.pass(5000);
    assert_eq!(driver.post(result(&call, json!(1))).status, 202);
}

#[test]
fn row_8_another_attempt_is_409_and_none_matches_any() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let other = json!({ "type": "tool.result", "id": call, "attempt": 1, "result": 1 });
    let answer = driver.post(other);
    assert_eq!((answer.status, answer.error()), (409, "effect attempt mismatch".into()));
    assert_eq!(driver.post(json!({ "type": "tool.result", "id": call, "result": 1 })).status, 202);
}

#[test]
fn attempts_count_from_one_where_the_switch_says_so() {
    let config = cart_with(json!({ "switches": { "attemptBase": 1 } }));
    let (mut driver, call) = Driver::with_open_call(config);
    assert_eq!(driver.payloads("tool.call.requested")[0]["attempt"], 1);
    assert_eq!(driver.post(result(&call, json!(1))).error(), "effect attempt mismatch");
    let echoed = json!({ "type": "tool.result", "id": call, "attempt": 1, "result": 1 });
    assert_eq!(driver.post(echoed).status, 202);
    assert_eq!(driver.engine.accepted_settlements("s1", &call, 1), 1);
}

#[test]
fn row_9_result_and_content_together_are_500_and_leave_the_call_open() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let content = json!([{ "type": "text", "text": "x" }]);
    let both = json!({ "type": "tool.result", "id": call, "result": 1, "content": content });
    assert_eq!(driver.post(both).status, 500);
    assert_eq!(driver.engine.calls("s1")[0].status, "pending");
}

#[test]
fn each_encoding_of_a_result_reaches_the_model_as_the_table_says() {
    let text = json!([{ "type": "text", "text": "3 items" }, { "type": "text", "text": "more" }]);
    let literal = json!({ "content": [], "x": 1 });
    let odd = json!({ "content": [{ "type": "hologram", "text": "x" }] });
    for (body, seen) in [
        (json!({ "result": { "content": text } }), "3 items\nmore"),
        (json!({ "result": { "content": text, "structuredContent": { "items": 3 } } }), r#"{"items":3}"#),
        (json!({ "content": text }), "3 items\nmore"),
        (json!({ "content": text, "structured_content": [1] }), "[1]"),
        (json!({ "result": "plain" }), "plain"),
        (json!({ "result": { "items": 3 } }), r#"{"items":3}"#),
        (json!({ "result": literal }), r#"{"content":[],"x":1}"#),
        (json!({ "result": odd }), r#"{"content":[{"text":"x","type":"hologram"}]}"#),
        (json!({ "result": null }), ""),
        (json!({}), ""),
    ] {
        let (mut driver, call) = Driver::with_open_call(cart());
        let mut input = json!({ "type": "tool.result", "id": call, "attempt": 0 });
        input.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        assert_eq!(driver.post(input).status, 202, "{body}");
        assert_eq!(seen_by_model(&driver), seen, "{body}");
    }
}

#[test]
fn media_are_stored_as_blobs_and_given_as_parts() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let content = json!([
        { "type": "text", "text": "a picture" },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
        { "type": "resource_link", "uri": "https://shop.example/cart", "name": "cart" },
    ]);
    driver.post(json!({ "type": "tool.result", "id": call, "result": { "content": content } }));
    let stored = driver.payloads("tool.call.completed")[0]["result"]["content"].clone();
    assert_eq!(stored[1]["type"], "blob");
    assert_eq!(stored[2]["type"], "link");
    assert_eq!(seen_by_model(&driver)[0]["text"], "a picture");
    assert_eq!(seen_by_model(&driver)[1], stored[1]);
}

#[test]
fn an_is_error_result_completes_the_call() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let value = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
    driver.post(result(&call, value));
    assert_eq!(driver.payloads("tool.call.completed")[0]["result"]["isError"], true);
    assert!(driver.payloads("tool.call.errored").is_empty());
}

#[test]
fn older_engines_store_one_string() {
    let config = cart_with(json!({ "switches": { "results": "text" } }));
    let (mut driver, call) = Driver::with_open_call(config);
    let wrapped = json!({ "content": [{ "type": "text", "text": "x" }] });
    driver.post(result(&call, wrapped.clone()));
    assert_eq!(driver.payloads("tool.call.completed")[0]["result"], wrapped.to_string());
}

#[test]
fn an_error_is_202_and_its_text_is_what_the_model_reads() {
    let (mut driver, call) = Driver::with_open_call(cart());
    assert_eq!(driver.post(error(&call, false)).status, 202);
    let expected = json!({
        "type": "tool.call.errored", "id": call, "name": "read_cart", "retryable": false,
        "error": { "message": "The cart is not on this page.", "code": "handler_error" },
    });
    assert_eq!(driver.payloads("tool.call.errored"), [expected]);
    assert_eq!(seen_by_model(&driver), "The cart is not on this page.");
}

fn with_output_schema(switches: Value) -> (Driver, String) {
    Driver::with_open_call(cart_with(json!({
        "switches": switches,
        "agent": { "tools": [{
            "name": "read_cart", "handler": "client",
            "output": { "type": "object", "required": ["items"] },
        }] },
    })))
}

#[test]
fn a_result_that_breaks_its_schema_is_202_and_then_errored_for_good() {
    let (mut driver, call) = with_output_schema(json!({}));
    assert_eq!(driver.post(result(&call, json!({ "sum": 1 }))).status, 202);
    let errored = &driver.payloads("tool.call.errored")[0];
    assert_eq!(errored["retryable"], false);
    assert_eq!(errored["error"]["code"], "invalid_response");
    assert_eq!(errored["error"]["param"], "output");
    let message = errored["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("tool output violated its declared schema: "), "{message}");
    assert!(!seen_by_model(&driver).to_string().contains("sum"));
}

#[test]
fn a_result_that_meets_its_schema_passes_in_each_form() {
    for value in [
        json!({ "items": 3 }),
        json!(r#"{"items":3}"#),
        json!({ "content": [{ "type": "text", "text": r#"{"items":3}"# }] }),
        json!({ "content": [{ "type": "text", "text": "x" }], "structuredContent": { "items": 3 } }),
    ] {
        let (mut driver, call) = with_output_schema(json!({}));
        driver.post(result(&call, value.clone()));
        assert_eq!(driver.payloads("tool.call.completed").len(), 1, "{value}");
    }
}

#[test]
fn an_is_error_result_may_be_exempt_from_the_schema() {
    let value = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
    for (checked, completed) in [(true, 0), (false, 1)] {
        let (mut driver, call) = with_output_schema(json!({ "checkErrorResults": checked }));
        driver.post(result(&call, value.clone()));
        assert_eq!(driver.payloads("tool.call.completed").len(), completed);
    }
}

#[test]
fn a_schema_that_does_not_compile_is_skipped() {
    let (mut driver, call) = Driver::with_open_call(cart_with(json!({
        "agent": { "tools": [
            { "name": "read_cart", "handler": "client", "output": { "type": 7 } },
        ] },
    })));
    driver.post(result(&call, json!("anything")));
    assert_eq!(driver.payloads("tool.call.completed").len(), 1);
}

#[test]
fn a_settle_while_interrupted_is_taken_and_the_run_waits() {
    let (mut driver, call) = Driver::with_open_call(cart());
    driver.operate(json!({ "action": "interrupt", "sessionId": "s1", "interruptId": "i" }));
    assert_eq!(driver.post(result(&call, json!("x"))).status, 202);
    driver.pass(10_000);
    assert!(!driver.names().contains(&"turn.completed".to_owned()));
    driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "i" }));
    driver.pass(10_000);
    assert_eq!(driver.names().last().unwrap(), "session.done");
}
