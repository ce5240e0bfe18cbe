//! The page's calls in a run: whole before anything runs, all of a reply answered in one run.

use super::runner::{Runner, answers_of, args, call, end, start, text};
use pagehand::runtime::event::{ReportStatus, TurnStatus};
use pagehand::runtime::input::{Failure, Outcome};
use serde_json::{Value, json};

fn done(page: &mut Runner) {
    page.runs_with(&text("a-9", "Done."));
}

#[test]
fn a_call_is_run_and_answered_by_the_next_run() {
    let mut page = Runner::new();
    page.send("t", "what is in my cart?");
    let first = page.last().body.clone();
    assert_eq!(first["threadId"], "thread-1");
    assert_eq!(first["runId"], "t");
    assert_eq!(first["messages"], json!([{ "id": "m-t", "role": "user", "content": "what is in my cart?" }]));
    let tool = first["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "get_cart").unwrap();
    assert_eq!(tool["description"], "The tool get_cart");
    assert_eq!(tool["parameters"], json!({ "type": "object", "properties": {} }));
    for field in ["state", "context", "forwardedProps"] {
        assert!(first.get(field).is_some(), "{field} is always there");
    }
    page.runs_with(&call("c1", "get_cart", r#"{"currency":"EUR"}"#));
    assert_eq!(page.ran, [("get_cart".to_owned(), "c1".to_owned(), r#"{"currency":"EUR"}"#.to_owned())]);
    let second = page.last().body.clone();
    assert_ne!(second["runId"], first["runId"]);
    assert_eq!(
        second["messages"],
        json!([
            { "id": "m-t", "role": "user", "content": "what is in my cart?" },
            { "id": "a-1", "role": "assistant", "toolCalls": [
                { "id": "c1", "type": "function", "function": { "name": "get_cart", "arguments": r#"{"currency":"EUR"}"# } }
            ] },
            { "id": "c1-answer", "role": "tool", "toolCallId": "c1", "content": r#"{"currency":"EUR"}"# },
        ])
    );
    done(&mut page);
    assert_eq!(page.ended("t"), Some((TurnStatus::Completed, "Done.".to_owned(), None)));
    assert_eq!(page.reports().len(), 1);
    assert_eq!(page.reports()[0].status, ReportStatus::Completed);
    assert_eq!(page.runs(), 2);
}

#[test]
fn all_answers_of_a_reply_go_in_one_run_whenever_each_is_there() {
    let mut page = Runner::new();
    page.waits.insert("add_item".to_owned());
    page.send("t", "go");
    let mut events = call("c1", "get_cart", "{}").to_vec();
    events.extend(call("c2", "add_item", r#"{"sku":"A-1"}"#));
    events.extend(call("c3", "ping", "{}"));
    page.runs_with(&events);
    assert_eq!(page.ran.len(), 3, "each runs by itself");
    assert_eq!(page.runs(), 1, "none is posted alone");
    page.returns("c2", "\"added\"");
    assert_eq!(page.runs(), 2);
    let sent: Vec<(String, String)> = page.answers_sent();
    assert_eq!(
        sent,
        [
            ("c1".to_owned(), "{}".to_owned()),
            ("c2".to_owned(), "added".to_owned()),
            ("c3".to_owned(), "{}".to_owned())
        ]
    );
}

#[test]
fn calls_come_mixed_in_pieces_in_chunks_and_begun_twice_and_are_put_together_by_their_ids() {
    let chunk = |id: Option<&str>, name: Option<&str>, delta: &str| {
        let mut event = json!({ "type": "TOOL_CALL_CHUNK", "delta": delta });
        if let Some(id) = id {
            event["toolCallId"] = json!(id);
        }
        if let Some(name) = name {
            event["toolCallName"] = json!(name);
        }
        event
    };
    let ways: [(&str, Vec<Value>); 6] = [
        (
            "mixed",
            vec![
                start("c1", "get_cart"),
                start("c2", "add_item"),
                args("c2", "{\"b\":"),
                args("c1", "{\"a\":"),
                args("c1", "1}"),
                args("c2", "2}"),
                end("c2"),
                end("c1"),
            ],
        ),
        (
            "chunks",
            vec![
                chunk(Some("c1"), Some("get_cart"), "{\"a\":"),
                chunk(None, None, "1}"),
                chunk(Some("c2"), Some("add_item"), ""),
                chunk(Some("c2"), None, "{\"b\":2}"),
            ],
        ),
        (
            "chunks mixed",
            vec![
                chunk(Some("c1"), Some("get_cart"), "{\"a\":"),
                chunk(Some("c2"), Some("add_item"), "{\"b\":2"),
                chunk(Some("c1"), None, "1}"),
                chunk(Some("c2"), None, "}"),
            ],
        ),
        (
            "ends before arguments",
            vec![
                start("c1", "get_cart"),
                end("c1"),
                args("c1", "{\"a\":1}"),
                start("c2", "add_item"),
                end("c2"),
                args("c2", "{\"b\":2}"),
            ],
        ),
        (
            "begun again replaces",
            vec![
                start("c1", "get_cart"),
                args("c1", "{\"a\":0}"),
                end("c1"),
                start("c1", "get_cart"),
                args("c1", "{\"a\":1}"),
                end("c1"),
                start("c2", "add_item"),
                args("c2", "{\"b\":2}"),
                end("c2"),
            ],
        ),
        (
            "begun and ended twice",
            vec![
                start("c1", "get_cart"),
                args("c1", "{\"a\":1}"),
                end("c1"),
                start("c2", "add_item"),
                args("c2", "{\"b\":2}"),
                end("c2"),
                start("c1", "get_cart"),
                end("c1"),
                start("c2", "add_item"),
                end("c2"),
                json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
                { "id": "m-t", "role": "user", "content": "go" },
                { "id": "a-1", "role": "assistant", "toolCalls": [
                    { "id": "c1", "type": "function", "function": { "name": "get_cart", "arguments": "" } },
                    { "id": "c2", "type": "function", "function": { "name": "add_item", "arguments": "" } },
                    { "id": "c1", "type": "function", "function": { "name": "get_cart", "arguments": "" } },
                ] },
            ] }),
            ],
        ),
    ];
    for (way, events) in ways {
        let mut page = Runner::new();
        page.send("t", "go");
        page.runs_with(&events);
        let mut ran: Vec<(String, String)> =
            page.ran.iter().map(|(_, id, args)| (id.clone(), args.clone())).collect();
        ran.sort();
        assert_eq!(
            ran,
            [("c1".to_owned(), "{\"a\":1}".to_owned()), ("c2".to_owned(), "{\"b\":2}".to_owned())],
            "{way}"
        );
        let reply = page.last().body["messages"][1].clone();
        let calls = reply["toolCalls"].as_array().unwrap();
        assert_eq!(calls.len(), 2, "{way}: {reply}");
        assert!(
            calls.iter().all(|call| {
                let text = call["function"]["arguments"].as_str().unwrap();
                serde_json::from_str::<Value>(text).is_ok()
            }),
            "{way}: every server reads the arguments"
        );
        assert_eq!(page.answers_sent().len(), 2, "{way}");
    }
}

#[test]
fn nothing_runs_before_the_run_has_ended() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    for event in call("c1", "get_cart", "{}") {
        page.say(event);
    }
    page.advance(60_000);
    assert!(page.ran.is_empty());
    page.say(json!({ "type": "RUN_FINISHED" }));
    page.closes(None);
    assert_eq!(page.ran.len(), 1);
}

#[test]
fn a_server_that_keeps_the_connection_open_after_its_run_is_not_waited_for() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    for event in call("c1", "get_cart", "{}") {
        page.say(event);
    }
    page.say(json!({ "type": "RUN_FINISHED" }));
    assert!(page.ran.is_empty(), "more may follow");
    page.advance(5_000);
    assert_eq!(page.ran.len(), 1);
    assert!(page.aborted.contains(&page.posted[0].request));
}

#[test]
fn what_the_server_answers_itself_is_not_ours() {
    let result = |id: &str| json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("r-{id}"), "toolCallId": id, "content": "x", "role": "tool" });
    // Told in its run.
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("c1", "get_cart", "{}").to_vec();
    events.push(result("c1"));
    events.extend(text("a-2", "Done."));
    page.runs_with(&events);
    assert!(page.ran.is_empty());
    assert_eq!(page.ended("t"), Some((TurnStatus::Completed, "Done.".to_owned(), None)));
    // Told after the run's first end, before its second.
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![json!({ "type": "RUN_STARTED" })];
    events.extend(call("c1", "get_cart", "{}"));
    events.push(json!({ "type": "RUN_FINISHED" }));
    events.push(result("c1"));
    events.extend(text("a-2", "Done."));
    events.push(json!({ "type": "RUN_FINISHED" }));
    page.responds(&events);
    assert!(page.ran.is_empty());
    assert_eq!(page.runs(), 1);
    // Never told: the model's next message shows that it has its answer.
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("c1", "get_cart", "{\"cut").to_vec();
    events.extend(text("a-2", "Done."));
    page.runs_with(&events);
    assert!(page.ran.is_empty());
    assert_eq!(page.runs(), 1);
    page.send("t2", "and now?");
    let roles: Vec<String> =
        page.last().body["messages"].as_array().unwrap().iter().map(|m| m["role"].to_string()).collect();
    assert_eq!(roles, ["\"user\"", "\"assistant\"", "\"user\""], "no call is left open in the history");
    // Only in the transcript.
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("c1", "server_time", "{}").to_vec();
    events.extend(call("c2", "get_cart", "{}"));
    events.push(json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
        { "id": "m-t", "role": "user", "content": "go" },
        { "id": "a-1", "role": "assistant", "toolCalls": [
            { "id": "c1", "type": "function", "function": { "name": "server_time", "arguments": "{}" } },
            { "id": "c2", "type": "function", "function": { "name": "get_cart", "arguments": "{}" } },
        ] },
        { "id": "s", "role": "tool", "toolCallId": "c1", "content": "noon" },
    ] }));
    page.runs_with(&events);
    assert_eq!(
        page.answers_sent(),
        [("c1".to_owned(), "noon".to_owned()), ("c2".to_owned(), "{}".to_owned())]
    );
}

#[test]
fn a_servers_own_open_call_is_left_to_it_until_it_will_not_go_on_without_word() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("c1", "server_time", "{}").to_vec();
    events.extend(call("c2", "get_cart", "{}"));
    page.runs_with(&events);
    assert_eq!(page.answers_sent(), [("c2".to_owned(), "{}".to_owned())]);
    page.responds(&[
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "RUN_ERROR", "message": "Tool result is missing for tool call c1." }),
    ]);
    assert_eq!(page.runs(), 3, "one more try");
    let sent = page.answers_sent();
    let ids: Vec<&str> = sent.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["c2", "c1"]);
    assert!(sent[1].1.contains("`server_time` does not exist on this page"), "{}", sent[1].1);
    page.responds(&[json!({ "type": "RUN_STARTED" }), json!({ "type": "RUN_ERROR", "message": "no" })]);
    assert_eq!(page.runs(), 3, "and no more");
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
    assert_eq!(page.ran.len(), 1);
}

#[test]
fn a_name_that_nobody_knows_is_answered_with_near_ones() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_carts", "{}"));
    page.advance(5_000);
    let sent = page.answers_sent();
    assert_eq!(sent[0].0, "c1");
    assert!(sent[0].1.contains("did you mean `get_cart`?"), "{}", sent[0].1);
}

#[test]
fn arguments_that_are_cut_doubled_or_unfit_never_run_and_the_model_hears_why() {
    for (arguments, word) in [
        (r#"{"sku":"A-1","#, "invalid tool arguments"),
        (r#"{"a":1}{"a":2}"#, "invalid tool arguments"),
        ("[1,2]", "must be a JSON object"),
        (r#"{"n":Infinity}"#, "invalid tool arguments"),
        (r#"{"sku":42}"#, "it does not fit"),
    ] {
        let mut page = Runner::new();
        page.faulty.insert(r#"{"sku":42}"#.to_owned());
        page.send("t", "go");
        page.runs_with(&call("c1", "add_item", arguments));
        assert!(page.ran.is_empty(), "{arguments}");
        let sent = page.answers_sent();
        assert!(sent[0].1.contains(word), "{arguments}: {}", sent[0].1);
        let message = page.last().body["messages"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(message["error"], message["content"], "the words are the content too");
        let told = page.last().body["messages"][1]["toolCalls"][0]["function"]["arguments"].clone();
        assert!(
            serde_json::from_str::<Value>(told.as_str().unwrap()).is_ok(),
            "what goes back is JSON: {told}"
        );
    }
}

#[test]
fn a_transcript_that_repairs_cut_arguments_does_not_make_them_whole() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("c1", "add_item", r#"{"sku":"A-1","#).to_vec();
    events.push(json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
        { "id": "m-t", "role": "user", "content": "go" },
        { "id": "a-1", "role": "assistant", "toolCalls": [
            { "id": "c1", "type": "function", "function": { "name": "add_item", "arguments": r#"{"sku": "A-1"}"# } },
        ] },
    ] }));
    page.runs_with(&events);
    assert!(page.ran.is_empty());
    assert!(page.answers_sent()[0].1.contains("invalid tool arguments"));
}

#[test]
fn no_arguments_are_an_empty_object_and_no_parent_is_needed() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&[
        json!({ "type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "ping" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": "c1" }),
        json!({ "type": "TOOL_CALL_START", "toolCallId": "c2", "toolCallName": "ping" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": "c2" }),
    ]);
    let ran: Vec<&str> = page.ran.iter().map(|(_, _, arguments)| arguments.as_str()).collect();
    assert_eq!(ran.len(), 2);
    let reply = page.last().body["messages"][1].clone();
    assert_eq!(reply["toolCalls"].as_array().unwrap().len(), 2, "one reply");
    assert!(reply["id"].as_str().is_some_and(|id| !id.is_empty()));
    assert_eq!(reply["toolCalls"][0]["function"]["arguments"], "{}");
}

#[test]
fn the_same_tool_twice_is_two_calls_and_digits_survive() {
    let mut page = Runner::new();
    page.send("t", "go");
    let exact = r#"{"n":9007199254740993,"s":"é😀\u2028x","__proto__":{"a":1},"d":1.0}"#;
    let mut events = call("c1", "echo", exact).to_vec();
    events.extend(call("c2", "echo", exact));
    page.runs_with(&events);
    assert_eq!(page.ran.len(), 2);
    let sent = page.answers_sent();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0].1, exact);
}

#[test]
fn one_tool_that_throws_does_not_take_the_others_answers_with_it() {
    let mut page = Runner::new();
    let thrown = Outcome::Failed { message: "no cart".to_owned(), retryable: false, kind: Failure::Threw };
    page.gives.insert("boom".to_owned(), thrown);
    page.send("t", "go");
    let mut events = call("c1", "boom", "{}").to_vec();
    events.extend(call("c2", "get_cart", r#"{"a":1}"#));
    page.runs_with(&events);
    let sent = page.answers_sent();
    assert!(sent[0].1.contains("no cart"));
    assert_eq!(sent[1], ("c2".to_owned(), r#"{"a":1}"#.to_owned()));
    let states: Vec<ReportStatus> = page.reports().iter().map(|report| report.status).collect();
    assert!(states.is_empty(), "not over before the server has them: {states:?}");
    done(&mut page);
    assert_eq!(page.reports().len(), 2);
}

#[test]
fn a_call_told_again_by_a_later_run_is_not_run_again() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    page.runs_with(&call("c1", "get_cart", "{}"));
    assert_eq!(page.ran.len(), 1);
    assert_eq!(page.runs(), 2);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
    let calls: Vec<(String, String)> = answers_of(&page.last().body);
    assert_eq!(calls.len(), 1);
}

#[test]
fn the_list_of_pending_calls_says_what_is_ours() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![json!({ "type": "RUN_STARTED" })];
    events.extend(call("c1", "get_cart", "{}"));
    events.extend(call("c2", "add_item", "{}"));
    events.push(
        json!({ "type": "RUN_FINISHED", "outcome": { "type": "success", "pendingToolCallIds": ["c2"] } }),
    );
    page.responds(&events);
    assert_eq!(page.ran.len(), 1);
    assert_eq!(page.ran[0].1, "c2");
}

#[test]
fn media_go_as_text_because_few_servers_read_parts() {
    let mut page = Runner::new();
    let picture = Outcome::Returned {
        json: "null".to_owned(),
        media: Some(r#"[{"type":"image","data":"AAAA","mimeType":"image/png"}]"#.to_owned()),
    };
    page.gives.insert("echo".to_owned(), picture);
    page.send("t", "go");
    page.runs_with(&call("c1", "echo", "{}"));
    let sent: Value = serde_json::from_str(&page.answers_sent()[0].1).unwrap();
    assert_eq!(sent["content"][0]["mimeType"], "image/png");
}

#[test]
fn a_call_that_the_server_tries_again_is_a_new_one_and_runs_again() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![json!({ "type": "RUN_STARTED" })];
    events.extend(call("c1", "get_cart", "{}"));
    events.push(
        json!({ "type": "TOOL_CALL_RESULT", "messageId": "c1", "toolCallId": "c1", "content": "time is up" }),
    );
    events.extend(call("c1", "get_cart", "{}"));
    events.push(json!({ "type": "RUN_FINISHED" }));
    page.responds(&events);
    assert_eq!(page.ran.len(), 1);
    assert_eq!(page.answers_sent(), [("c1".to_owned(), "{}".to_owned())], "one answer, the new one");
    // And so it is in the run after the one that carried its answer.
    page.responds(&events);
    assert_eq!(page.ran.len(), 2);
    page.reload();
    assert_eq!(page.ran.len(), 2);
    assert_eq!(page.answers_sent().len(), 1, "{}", page.last().body);
}
