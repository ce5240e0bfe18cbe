//! What a run tells on its way: text, thinking, state, activities, steps, and what is not known.

use super::runner::{Runner, call, text};
use pagehand::runtime::event::Event;
use pagehand::runtime::input::Input;
use serde_json::{Value, json};

/// What was told that is of the run's own.
fn told(page: &Runner) -> Vec<String> {
    let told = page.events.iter().filter_map(|event| match event {
        Event::Text { turn_id, message_id, delta } => Some(format!("text {turn_id:?} {message_id} {delta}")),
        Event::Reasoning { message_id, delta, .. } => Some(format!("reasoning {message_id} {delta}")),
        Event::State { state, .. } => Some(format!("state {}", state.get())),
        Event::Activity { message_id, activity_type, content, .. } => {
            Some(format!("activity {message_id} {activity_type} {}", content.get()))
        }
        Event::Step { name, started, .. } => Some(format!("step {name} {started}")),
        Event::Custom { name, value, .. } => Some(format!("custom {name} {}", value.get())),
        Event::Raw { name, event, .. } => Some(format!("raw {name} {}", event.get())),
        Event::Message { role, text, replayed: false, .. } => Some(format!("message {role} {text:?}")),
        _ => None,
    });
    told.collect()
}

#[test]
fn text_is_told_piece_by_piece_and_whole_when_it_has_ended() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.say(json!({ "type": "TEXT_MESSAGE_START", "messageId": "a", "role": "assistant" }));
    page.say(json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "Hel" }));
    assert_eq!(told(&page)[1..], ["text Some(\"t\") a Hel".to_owned()], "at once");
    page.say(json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "" }));
    page.say(json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "a", "delta": "lo" }));
    page.say(json!({ "type": "TEXT_MESSAGE_END", "messageId": "a" }));
    page.say(json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "b", "delta": "Two" }));
    page.say(json!({ "type": "TEXT_MESSAGE_CHUNK", "delta": " more" }));
    page.say(json!({ "type": "RUN_FINISHED" }));
    page.closes(None);
    assert_eq!(
        told(&page)[1..],
        [
            "text Some(\"t\") a Hel",
            "text Some(\"t\") a lo",
            "message assistant Some(\"Hello\")",
            "text Some(\"t\") b Two",
            "text Some(\"t\") b  more",
            "message assistant Some(\"Two more\")",
        ]
    );
    assert_eq!(page.ended("t").unwrap().1, "Two more");
    page.send("t2", "and?");
    let messages = page.last().body["messages"].clone();
    assert_eq!(messages[1], json!({ "id": "a", "role": "assistant", "content": "Hello" }));
    assert_eq!(messages[2], json!({ "id": "b", "role": "assistant", "content": "Two more" }));
}

#[test]
fn what_the_model_thinks_is_told_apart_and_goes_back_with_its_seal() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![
        json!({ "type": "REASONING_START", "messageId": "r" }),
        json!({ "type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning" }),
        json!({ "type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "hm" }),
        json!({ "type": "REASONING_MESSAGE_END", "messageId": "r" }),
        json!({ "type": "REASONING_END", "messageId": "r" }),
        json!({ "type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "r", "encryptedValue": "s3al" }),
        json!({ "type": "REASONING_ENCRYPTED_VALUE", "subtype": "tool-call", "entityId": "c1", "encryptedValue": "own" }),
    ];
    events.extend(call("c1", "get_cart", "{}"));
    page.runs_with(&events);
    assert!(told(&page).contains(&"reasoning r hm".to_owned()));
    let messages = page.last().body["messages"].clone();
    assert_eq!(
        messages[1],
        json!({ "id": "r", "role": "reasoning", "content": "hm", "encryptedValue": "s3al" })
    );
    assert_eq!(messages[2]["toolCalls"][0]["encryptedValue"], "own");
    page.runs_with(&[
        json!({ "type": "THINKING_TEXT_MESSAGE_START" }),
        json!({ "type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "old" }),
        json!({ "type": "THINKING_TEXT_MESSAGE_END" }),
    ]);
    assert!(told(&page).contains(&"reasoning thinking old".to_owned()));
    assert_eq!(page.ended("t").unwrap().1, "", "it is no text of the answer");
}

#[test]
fn state_is_told_whole_after_each_change_and_goes_into_the_next_run() {
    let mut page = Runner::new();
    page.give(Input::RunInputGiven {
        given: json!({ "state": { "n": 0 }, "context": [{ "description": "d", "value": "v" }] }).to_string(),
    });
    page.send("t", "go");
    assert_eq!(page.last().body["state"], json!({ "n": 0 }));
    assert_eq!(page.last().body["context"], json!([{ "description": "d", "value": "v" }]));
    let mut events = vec![
        json!({ "type": "STATE_SNAPSHOT", "snapshot": { "items": [], "n": 1 } }),
        json!({ "type": "STATE_DELTA", "delta": [
            { "op": "add", "path": "/items/-", "value": { "sku": "A" } }, { "op": "replace", "path": "/n", "value": 2 },
        ] }),
        json!({ "type": "STATE_DELTA", "delta": [{ "op": "remove", "path": "/missing" }] }),
    ];
    events.extend(call("c1", "get_cart", "{}"));
    page.runs_with(&events);
    let states: Vec<String> = told(&page).into_iter().filter(|line| line.starts_with("state")).collect();
    assert_eq!(states, [r#"state {"items":[],"n":1}"#, r#"state {"items":[{"sku":"A"}],"n":2}"#]);
    assert_eq!(page.last().body["state"], json!({ "items": [{ "sku": "A" }], "n": 2 }));
    assert!(
        page.warnings()[0].contains("frame-invalid: a patch of the state was passed over"),
        "{:?}",
        page.warnings()
    );
    page.give(Input::RunInputGiven { given: r#"{"state":null}"#.to_owned() });
    page.runs_with(&text("a", "x"));
    page.send("t2", "x");
    assert_eq!(page.last().body["state"], Value::Null);
}

#[test]
fn a_state_keeps_its_digits() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.bytes(
        b"data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"id\":2512292042121000001,\"x\":1.0}}\n\n",
    );
    page.say(json!({ "type": "STATE_DELTA", "delta": [{ "op": "add", "path": "/y", "value": 1 }] }));
    let states: Vec<String> = told(&page).into_iter().filter(|line| line.starts_with("state")).collect();
    assert_eq!(states[1], r#"state {"id":2512292042121000001,"x":1.0,"y":1}"#);
}

#[test]
fn activities_steps_and_the_servers_own_events_are_handed_on_and_unknown_ones_kept_whole() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&[
        json!({ "type": "STEP_STARTED", "stepName": "model" }),
        json!({ "type": "ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "PLAN", "content": { "done": 0 } }),
        json!({ "type": "ACTIVITY_DELTA", "messageId": "p", "activityType": "PLAN", "patch": [{ "op": "replace", "path": "/done", "value": 1 }] }),
        json!({ "type": "ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "PLAN", "content": { "done": 9 }, "replace": false }),
        json!({ "type": "ACTIVITY_DELTA", "messageId": "q", "activityType": "PLAN", "patch": [] }),
        json!({ "type": "CUSTOM", "name": "weather", "value": { "c": 21 } }),
        json!({ "type": "RAW", "event": { "a": 1 }, "source": "x" }),
        json!({ "type": "BRAND_NEW", "field": [1] }),
        json!({ "type": "SUBAGENT_STARTED", "subagentRunId": "s", "name": "helper" }),
        json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "z", "delta": "not the user's", "subagentRunId": "s" }),
        json!({ "type": "STEP_FINISHED", "stepName": "model" }),
    ]);
    let lines: Vec<String> = told(&page).into_iter().skip(1).collect();
    assert_eq!(
        lines[..5],
        [
            "step model true".to_owned(),
            r#"activity p PLAN {"done":0}"#.to_owned(),
            r#"activity p PLAN {"done":1}"#.to_owned(),
            r#"custom weather {"c":21}"#.to_owned(),
            format!("raw RAW {}", json!({ "type": "RAW", "event": { "a": 1 }, "source": "x" })),
        ]
    );
    assert_eq!(lines[5], format!("raw BRAND_NEW {}", json!({ "type": "BRAND_NEW", "field": [1] })));
    assert!(
        lines[6].starts_with("raw SUBAGENT_STARTED") && lines[7].starts_with("raw TEXT_MESSAGE_CONTENT"),
        "{lines:?}"
    );
    assert_eq!(lines[8], "step model false");
    assert_eq!(page.ended("t").unwrap().1, "");
    assert!(page.warnings()[0].contains("no activity of its message"));
}

#[test]
fn lines_may_end_in_any_way_with_comments_a_mark_and_one_bad_frame_between() {
    for line_end in ["\n", "\r\n", "\r"] {
        for size in [1, 7, 4096] {
            let mut page = Runner::new();
            page.send("t", "go");
            page.opens();
            let mut stream =
                "\u{feff}: hello\n\nevent: RUN_STARTED\ndata: {\"type\":\"RUN_STARTED\"}\n\n".to_owned();
            for event in call("c1", "get_cart", "{\"a\":\n1}") {
                stream.push_str(&format!(": ping\ndata: {event}\n\n"));
            }
            stream.push_str("data: {broken\n\ndata: [1]\n\ndata:\n\ndata: {\"no\":\"type\"}\n\nevent: RUN_FINISHED\ndata: {}\n\ndata: [DONE]\n\n");
            let stream = stream.replace('\n', line_end);
            for chunk in stream.as_bytes().chunks(size) {
                page.bytes(chunk);
            }
            page.closes(None);
            assert_eq!(page.ran.len(), 1, "{line_end:?} {size}");
            assert_eq!(page.ran[0].2, "{\"a\":\n1}");
            assert_eq!(page.warnings().len(), 4, "{:?}", page.warnings());
            assert!(page.warnings().iter().all(|warning| warning.starts_with("frame-invalid: ")));
        }
    }
}

#[test]
fn what_the_transcript_holds_of_the_server_goes_back_as_the_server_wrote_it() {
    let mut page = Runner::new();
    page.send("t", "go");
    let odd = json!({ "id": "a-1", "metadata": { "tanstack": { "createdAt": "2026" } }, "role": "assistant", "content": "hi", "x": 1.0 });
    page.runs_with(&[json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
        { "id": "m-t", "role": "user", "content": [{ "type": "text", "text": "go" }] },
        odd,
        { "id": "p", "role": "activity", "activityType": "PLAN", "content": {} },
        { "role": "system", "content": "no id" },
        "no message",
    ] })]);
    page.send("t2", "again");
    let messages = page.last().body["messages"].as_array().unwrap().clone();
    assert_eq!(messages.len(), 4, "what an app shows beside the conversation stays out: {messages:?}");
    assert_eq!(messages[1], odd);
    assert!(messages[2]["id"].as_str().is_some_and(|id| !id.is_empty()), "each message has an id");
}

#[test]
fn a_conversation_can_begin_with_messages_of_the_apps() {
    let mut page = Runner::new();
    page.give(Input::RunInputGiven {
        given: json!({ "messages": [{ "id": "s", "role": "system", "content": "Be brief." }], "forwardedProps": { "a": 1 } }).to_string(),
    });
    page.send("t", "go");
    assert_eq!(page.last().body["messages"][0]["content"], "Be brief.");
    assert_eq!(page.last().body["forwardedProps"], json!({ "a": 1 }));
}

#[test]
fn a_server_that_floods_is_bounded() {
    let config =
        pagehand::runtime::Config { max_frame_bytes: 4_096, max_argument_bytes: 100, ..Default::default() };
    let mut page = Runner::with(config);
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    for _ in 0..50 {
        page.say(json!({ "type": "TOOL_CALL_CHUNK", "toolCallId": "c1", "toolCallName": "echo", "delta": "{\"aaaaaaaaaaaaaaaaaaaa\":" }));
        page.say(json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x".repeat(1_000) }));
    }
    page.bytes(&vec![b'x'; 10_000]);
    page.bytes(b"\n\n");
    page.say(
        json!({ "type": "RUN_FINISHED", "outcome": { "type": "success", "pendingToolCallIds": ["c1"] } }),
    );
    page.closes(None);
    assert!(page.ran.is_empty());
    assert!(page.answers_sent()[0].1.contains("invalid tool arguments"), "{:?}", page.answers_sent());
    assert!(page.last().body.to_string().len() < 20_000);
}
