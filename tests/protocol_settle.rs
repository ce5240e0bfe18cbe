//! What is posted: every body meets the engine's published schema, and no text is changed on the way.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that is wrong should stop at once"
)]
#![cfg(feature = "schema")]

mod protocol_common;

use pagehand::protocol::settle::*;
use proptest::prelude::*;
use protocol_common::fixture;
use serde_json::{Value, json};
use std::sync::LazyLock;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(&fixture("native/client-input.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
});

fn body(input: &Input<'_>) -> Value {
    let text = input_body("s-1", input);
    let body: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let errors: Vec<_> = SCHEMA.iter_errors(&body).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{text}: {errors:?}");
    assert_eq!(body["session_id"], "s-1", "every body names its session");
    body["input"].clone()
}

fn json_text(text: &str) -> JsonText<'_> {
    JsonText::new(text).unwrap()
}

fn result(value: &str, media: &[Media<'_>], encoding: Encoding) -> Value {
    let result = ToolResult { id: "call_7Qx", attempt: 2, value: json_text(value), media, encoding };
    let input = body(&Input::ToolResult(result));
    assert_eq!(
        (&input["type"], &input["id"], &input["attempt"]),
        (&json!("tool.result"), &json!("call_7Qx"), &json!(2))
    );
    input["result"].clone()
}

fn posted(value: &str, encoding: Encoding) -> String {
    let result = ToolResult { id: "c", attempt: 0, value: json_text(value), media: &[], encoding };
    input_body("s-1", &Input::ToolResult(result))
}

#[test]
fn a_message_is_one_message_with_the_pages_own_turn() {
    let message = DraftMessage::user(Some("m-1"), "What is in my \"cart\"?\n\u{2028}😀\u{1}\t\\");
    let input = body(&Input::ClientMessage(ClientMessage {
        agent_id: "shop",
        turn_id: "t-1",
        message,
        stream: Some(true),
        queue: true,
    }));
    let text = "What is in my \"cart\"?\n\u{2028}😀\u{1}\t\\";
    assert_eq!(
        input,
        json!({ "type": "client.message", "agent_id": "shop", "turn_id": "t-1", "stream": true, "queue": true,
                "message": { "id": "m-1", "role": "user", "content": text } })
    );
    let message = DraftMessage::user(None, "");
    let input = body(&Input::ClientMessage(ClientMessage {
        agent_id: "shop",
        turn_id: "t-1",
        message,
        stream: None,
        queue: false,
    }));
    assert_eq!(
        input,
        json!({ "type": "client.message", "agent_id": "shop", "turn_id": "t-1", "message": { "role": "user", "content": "" } })
    );
}

#[test]
fn messages_carry_tools_that_say_they_are_the_pages() {
    let calls = [ToolCall { id: "c", name: "read_cart", arguments: "{\"a\": 1}" }];
    let plain = DraftMessage {
        id: None,
        role: Role::Tool,
        content: None,
        name: Some("n"),
        tool_call_id: Some("c"),
        tool_calls: &[],
    };
    let messages = [
        DraftMessage {
            role: Role::System,
            content: Some(Content::Text("be brief")),
            tool_call_id: None,
            ..plain
        },
        DraftMessage { role: Role::Assistant, tool_calls: &calls, tool_call_id: None, ..plain },
        DraftMessage { content: Some(Content::Parts(json_text(r#"[{"type":"text","text":"3"}]"#))), ..plain },
    ];
    let tools = [
        AgentTool {
            name: "read_cart",
            description: Some("Read it"),
            input: Some(json_text(r#"{"type":"object"}"#)),
            output: Some(json_text("true")),
            defer: Some(false),
        },
        AgentTool { name: "bare", description: None, input: None, output: None, defer: None },
    ];
    let client = Some(ClientContext {
        tools: &tools,
        context: Some(json_text("[]")),
        state: Some(json_text("null")),
        forwarded_props: Some(json_text("{}")),
    });
    let input = body(&Input::ClientMessages(ClientMessages {
        agent_id: "shop",
        turn_id: "t-1",
        messages: &messages,
        client,
        stream: Some(false),
    }));
    assert_eq!(
        input,
        json!({ "type": "client.messages", "agent_id": "shop", "turn_id": "t-1", "stream": false,
            "messages": [
                { "role": "system", "content": "be brief", "name": "n" },
                { "role": "assistant", "name": "n", "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "read_cart", "arguments": "{\"a\": 1}" } }] },
                { "role": "tool", "name": "n", "tool_call_id": "c", "content": [{ "type": "text", "text": "3" }] },
            ],
            "client": { "context": [], "state": null, "forwarded_props": {}, "tools": [
                { "name": "read_cart", "description": "Read it", "handler": "client", "input": { "type": "object" }, "output": true, "defer": false },
                { "name": "bare", "handler": "client" },
            ] } })
    );
}

#[test]
fn an_append_an_action_and_a_resume_say_what_they_must() {
    let messages = [DraftMessage::user(None, "and the total?")];
    let append = ClientAppend {
        agent_id: "shop",
        turn_id: "t-2",
        messages: &messages,
        client: Some(ClientContext::default()),
        stream: None,
        queue: true,
    };
    assert_eq!(
        body(&Input::ClientAppend(append)),
        json!({ "type": "client.append", "agent_id": "shop", "turn_id": "t-2", "queue": true,
                "messages": [{ "role": "user", "content": "and the total?" }], "client": { "tools": [] } })
    );
    let bare = ClientAppend { client: None, queue: false, ..append };
    assert_eq!(
        body(&Input::ClientAppend(bare)),
        json!({ "type": "client.append", "agent_id": "shop", "turn_id": "t-2", "messages": [{ "role": "user", "content": "and the total?" }] })
    );
    let action = ClientAction {
        agent_id: "shop",
        turn_id: "t-3",
        name: "refresh",
        args: Some(json_text("{\"hard\":true}")),
    };
    assert_eq!(
        body(&Input::ClientAction(action)),
        json!({ "type": "client.action", "agent_id": "shop", "turn_id": "t-3", "name": "refresh", "args": { "hard": true } })
    );
    body(&Input::ClientAction(ClientAction { args: None, ..action }));
    let resume = InterruptResume { interrupt_id: "int-3", payload: Some(json_text("{\"ok\":true}")) };
    assert_eq!(
        body(&Input::InterruptResume(resume)),
        json!({ "type": "interrupt.resume", "interrupt_id": "int-3", "payload": { "ok": true } })
    );
    body(&Input::InterruptResume(InterruptResume { payload: None, ..resume }));
}

#[test]
fn an_error_says_whether_to_try_again_and_is_cut_when_long() {
    let error = ToolError { id: "c", attempt: 1, error: "no \"cart\"", retryable: false };
    assert_eq!(
        body(&Input::ToolError(error)),
        json!({ "type": "tool.error", "id": "c", "attempt": 1, "error": "no \"cart\"", "retryable": false })
    );
    let long = "é😀".repeat(5000);
    let input = body(&Input::ToolError(ToolError { error: &long, retryable: true, ..error }));
    let text = input["error"].as_str().unwrap();
    assert_eq!(text.chars().count(), MAX_ERROR_CHARS);
    assert!(text.ends_with("é…"), "cut between characters");
    assert_eq!(input["retryable"], true);
}

#[test]
fn what_fits_is_not_cut() {
    assert_eq!(clip("éa😀", 3), "éa😀");
    assert_eq!(clip("éa😀b", 3), "éa…");
    assert_eq!(clip("ab", 0), "…");
    assert_eq!(clip("", 0), "");
}

#[test]
fn declarations_are_the_tools_as_an_input_carries_them() {
    let tool =
        AgentTool { name: "a", description: None, input: Some(json_text("{}")), output: None, defer: None };
    assert_eq!(declarations(&[]), "[]");
    assert_eq!(
        declarations(&[tool, AgentTool { name: "b", ..tool }]),
        r#"[{"name":"a","handler":"client","input":{}},{"name":"b","handler":"client","input":{}}]"#
    );
}

#[test]
fn plain_values_go_plain_to_the_last_digit() {
    for value in [
        "\"Lisbon\"",
        "\"\"",
        "7",
        "true",
        "[]",
        "{}",
        "[null]",
        "{\"items\":3}",
        "9007199254740993",
        "1e400",
        "-0",
        "1.0",
        "{\"n\":12345678901234567890123456789.10}",
        "\"\\ud800\"",
        "\"\\u00e9\"",
        "{\"a\":1,\"a\":2}",
        "{\"isError\":true}",
        "{\"content\":[],\"x\":1}",
        "[{\"content\":[]}]",
        "\"{\\\"content\\\":[]}\"",
    ] {
        let text = posted(value, Encoding::Auto);
        assert!(text.ends_with(&format!("\"result\":{value}}}}}")), "{text}");
    }
}

#[test]
fn a_null_goes_wrapped_because_plain_it_reads_as_nothing() {
    assert_eq!(
        result("null", &[], Encoding::Auto),
        json!({ "content": [{ "type": "text", "text": "null" }] })
    );
    assert_eq!(
        result(" null\n", &[], Encoding::Auto),
        json!({ "content": [{ "type": "text", "text": "null" }] })
    );
}

#[test]
fn a_value_that_looks_wrapped_goes_wrapped() {
    for value in [
        "{\"content\":[]}",
        "{\"content\":\"x\"}",
        "{\"structuredContent\":1}",
        "{\"content\":null,\"isError\":true,\"_meta\":{}}",
        "{\"c\\u006fntent\":[]}",
    ] {
        let wrapped = result(value, &[], Encoding::Auto);
        let inner: Value = serde_json::from_str(value).unwrap();
        assert_eq!(
            wrapped,
            json!({ "content": [{ "type": "text", "text": value }], "structuredContent": inner })
        );
    }
}

#[test]
fn an_option_forces_either_form() {
    assert_eq!(result("{\"content\":[]}", &[], Encoding::Plain), json!({ "content": [] }));
    assert_eq!(result("null", &[], Encoding::Plain), json!(null));
    assert_eq!(
        result("\"Lisbon\"", &[], Encoding::Wrapped),
        json!({ "content": [{ "type": "text", "text": "Lisbon" }] })
    );
    assert_eq!(
        result("[1]", &[], Encoding::Wrapped),
        json!({ "content": [{ "type": "text", "text": "[1]" }] })
    );
    let object =
        json!({ "content": [{ "type": "text", "text": "{\"a\":1}" }], "structuredContent": { "a": 1 } });
    assert_eq!(result("{\"a\":1}", &[], Encoding::Wrapped), object);
}

#[test]
fn odd_escapes_survive_wrapping() {
    let text = posted("\"a\\ud800\"", Encoding::Wrapped);
    assert!(text.contains(r#"{"type":"text","text":"a\ud800"}"#), "{text}");
    let text = posted("{\"a\":\"\\ud800\",\"n\":1e400}", Encoding::Wrapped);
    assert!(text.contains(r#""structuredContent":{"a":"\ud800","n":1e400}"#), "{text}");
    assert!(text.contains(r#""text":"{\"a\":\"\\ud800\",\"n\":1e400}""#), "{text}");
}

const BLOCKS: &str = r#"[
    { "type": "image", "data": "AAAA", "mimeType": "image/png" },
    { "type": "audio", "data": "BBBB", "mimeType": "audio/wav" },
    { "type": "resource", "resource": { "uri": "page://cart", "mimeType": "application/json", "text": "{}" } },
    { "type": "resource", "resource": { "uri": "page://file", "blob": "CCCC" } },
    { "type": "resource_link", "uri": "https://shop.example/cart", "name": "cart", "mimeType": "text/html" },
    { "type": "resource_link", "uri": "https://shop.example/" } ]"#;

#[test]
fn media_go_wrapped_beside_the_text() {
    let media = Media::read_all(BLOCKS).unwrap();
    let blocks: Vec<Value> = serde_json::from_str(BLOCKS).unwrap();
    for encoding in [Encoding::Auto, Encoding::Plain, Encoding::Wrapped] {
        let with_text = [vec![json!({ "type": "text", "text": "seen" })], blocks.clone()].concat();
        assert_eq!(result("\"seen\"", &media, encoding), json!({ "content": with_text }));
        assert_eq!(
            result("null", &media, encoding),
            json!({ "content": blocks }),
            "beside media a null says nothing"
        );
    }
}

#[test]
fn blocks_the_engine_would_refuse_are_no_media() {
    for blocks in [
        "{}",
        "[7]",
        "[{}]",
        r#"[{"type":"video","data":"A","mimeType":"v"}]"#,
        r#"[{"type":"image","data":"A"}]"#,
        r#"[{"type":"image","data":7,"mimeType":"image/png"}]"#,
        r#"[{"type":"resource","resource":{"uri":"a"}}]"#,
        r#"[{"type":"resource_link"}]"#,
        "[",
    ] {
        assert_eq!(Media::read_all(blocks), None, "{blocks}");
    }
    assert_eq!(Media::read_all("[]"), Some(vec![]));
}

#[test]
fn only_one_whole_json_value_is_taken_for_a_value() {
    for text in ["", " ", "undefined", "NaN", "{", "1 2", "{}}", "'a'", "\"a", "01", "[1,]", "\"\u{1}\""] {
        assert_eq!(JsonText::new(text), Err(NotJson), "{text:?}");
    }
    assert_eq!(json_text(" [1, 2]\n").get(), "[1, 2]");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(json_text(&deep).get(), deep, "nesting has no bound here");
}

#[test]
fn a_reply_tells_whether_the_message_was_taken() {
    let reply = |body: Value| Accepted::read(&body.to_string()).unwrap();
    let taken = reply(json!({ "session_id": "s", "turn_id": "t-1", "queued": false }));
    assert!(taken.took("t-1"));
    assert!(!taken.took("t-2"), "another turn is named: the message was dropped");
    assert!(reply(json!({ "session_id": "s", "turn_id": "t-1", "queued": true })).took("t-2"));
    assert!(reply(json!({ "session_id": "s", "turn_id": "t-1" })).took("t-1"), "older engines say no queued");
    for body in ["", "{}", "<html>", "[]"] {
        assert_eq!(Accepted::read(body), None);
    }
}

#[test]
fn a_refusal_is_told_by_its_text() {
    let conflict = |text: &str| Refusal::read(&json!({ "error": text }).to_string()).conflict();
    assert_eq!(conflict("effect is not pending"), Conflict::NotPending);
    assert_eq!(conflict("effect attempt mismatch"), Conflict::AttemptMismatch);
    assert_eq!(conflict("Session has no active turn"), Conflict::NoActiveTurn);
    assert_eq!(conflict("something new"), Conflict::Other);
    let refusal = Refusal::read(r#"{"ok":false,"error":"missing field `retryable`","param":"input"}"#);
    assert_eq!(
        (refusal.text.as_str(), refusal.param.as_deref()),
        ("missing field `retryable`", Some("input"))
    );
    assert_eq!(Refusal::read("  plain text\n").text, "plain text");
    assert_eq!(Refusal::read("").text, "");
    assert!(Refusal::read(&"x".repeat(100_000)).text.chars().count() <= 300);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_a_body(session in ".{0,10}", id in ".{0,10}", error in any::<String>()) {
        let input = Input::ToolError(ToolError { id: &id, attempt: 0, error: &error, retryable: true });
        let body: Value = serde_json::from_str(&input_body(&session, &input)).unwrap();
        prop_assert_eq!(body["session_id"].as_str(), Some(session.as_str()));
        prop_assert_eq!(body["input"]["id"].as_str(), Some(id.as_str()));
        prop_assert_eq!(body["input"]["error"].as_str(), Some(error.as_str()));
    }
}
