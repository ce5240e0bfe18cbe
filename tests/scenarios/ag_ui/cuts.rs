//! Streams that break off, requests that fail, servers that refuse: never a success, never a second run of a handler.

use super::runner::{Runner, call, text};
use pagehand::runtime::event::{Connection, Event, TurnStatus};
use pagehand::runtime::input::Input;
use pagehand::runtime::{Config, Millis};
use serde_json::{Value, json};

fn connectable() -> Runner {
    Runner::with(Config { connectable: true, ..Config::default() })
}

fn snapshot(messages: &[Value]) -> [Value; 3] {
    [
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages }),
        json!({ "type": "RUN_FINISHED" }),
    ]
}

fn user() -> Value {
    json!({ "id": "m-t", "role": "user", "content": "go" })
}

fn reply(id: &str, name: &str) -> Value {
    json!({ "id": "a-1", "role": "assistant", "toolCalls": [
        { "id": id, "type": "function", "function": { "name": name, "arguments": "{}" } }
    ] })
}

#[test]
fn a_stream_cut_in_the_middle_starts_nothing_and_is_no_success() {
    let events: Vec<Value> = call("c1", "get_cart", "{}").into_iter().collect();
    for failure in [None, Some("the network broke")] {
        for upto in 1..=events.len() {
            let mut page = Runner::new();
            page.send("t", "go");
            page.opens();
            page.say(json!({ "type": "RUN_STARTED" }));
            for event in &events[..upto] {
                page.say(event.clone());
            }
            page.closes(failure);
            page.advance(600_000);
            assert!(page.ran.is_empty(), "{upto} {failure:?}");
            assert_eq!(page.runs(), 1, "it is not posted again: the model would run twice");
            let (status, _, code) = page.ended("t").unwrap();
            assert_eq!((status, code.as_deref()), (TurnStatus::Failed, Some("stream-network")));
            assert!(page.problem("t").contains("cut off"));
            // What follows is whole.
            page.send("t2", "again");
            let messages = page.last().body["messages"].clone();
            assert!(
                messages.as_array().unwrap().iter().all(|message| message.get("toolCalls").is_none()),
                "{messages}"
            );
        }
    }
}

#[test]
fn what_was_said_before_the_cut_is_kept() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "a-1", "delta": "Let me" }));
    page.closes(Some("broke"));
    assert_eq!(page.ended("t").unwrap().1, "Let me");
    page.send("t2", "again");
    assert_eq!(page.last().body["messages"][1]["content"], "Let me");
}

#[test]
fn a_request_that_never_arrived_goes_again_with_the_same_bytes_until_it_is_taken() {
    let mut page = Runner::new();
    page.send("t", "go");
    for round in 1..5 {
        page.breaks();
        page.advance(60_000);
        assert_eq!(page.runs(), round + 1);
        assert_eq!(page.posted[round].body, page.posted[0].body);
    }
    page.responds(&[json!({ "type": "RUN_STARTED" }), json!({ "type": "RUN_FINISHED" })]);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
    let waits = page.events.iter().filter(|event| {
        matches!(event, Event::Connection(Connection { hint: Some(hint), .. }) if hint.contains("CORS"))
    });
    assert_eq!(waits.count(), 4);
}

#[test]
fn answers_in_a_run_that_broke_are_not_lost_and_their_handlers_not_run_again() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    for _ in 0..3 {
        page.breaks();
        page.advance(60_000);
        assert_eq!(page.answers_sent(), [("c1".to_owned(), "{}".to_owned())]);
    }
    page.runs_with(&text("a-2", "Done."));
    assert_eq!(page.ran.len(), 1);
    assert_eq!(page.reports().len(), 1);
}

#[test]
fn busy_servers_are_asked_again_when_they_say_and_others_not_at_all() {
    for status in [429, 502, 503, 504] {
        let mut page = Runner::new();
        page.send("t", "go");
        let request = page.last().request;
        page.give(Input::StreamOpened {
            request,
            status,
            content_type: None,
            retry_after: Some("7".to_owned()),
        });
        page.closes(None);
        page.advance(6_900);
        assert_eq!(page.runs(), 1, "{status}");
        page.advance(2_000);
        assert_eq!(page.runs(), 2, "{status}");
    }
    for (status, said) in [
        (400, "tools: field required"),
        (404, "no such agent"),
        (422, "{\"detail\":\"messages\"}"),
        (500, "boom"),
    ] {
        let mut page = Runner::new();
        page.send("t", "go");
        page.answers(status, "application/json");
        page.bytes(said.as_bytes());
        page.closes(None);
        page.advance(600_000);
        assert_eq!(page.runs(), 1, "{status}");
        let (ended, _, code) = page.ended("t").unwrap();
        assert_eq!((ended, code.as_deref()), (TurnStatus::Failed, Some("message-refused")));
        assert!(
            page.problem("t").contains(said) && page.problem("t").contains(&status.to_string()),
            "{}",
            page.problem("t")
        );
        // The next message is not burdened by it.
        page.send("t2", "again");
        assert_eq!(page.last().body["messages"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_page_that_is_no_event_stream_is_told_as_such() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.answers(200, "text/html");
    page.bytes(b"<!doctype html><title>Login</title>");
    page.closes(None);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
    assert!(page.problem("t").contains("event stream"), "{}", page.problem("t"));
}

#[test]
fn a_refused_token_is_asked_for_once_more_and_then_waited_for() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.answers(401, "application/json");
    page.closes(None);
    assert_eq!(page.runs(), 2);
    assert!(page.last().refresh);
    page.answers(401, "application/json");
    page.closes(None);
    page.advance(600_000);
    assert_eq!(page.runs(), 2, "no loop");
    page.give(Input::Woken);
    assert_eq!(page.runs(), 3);
}

#[test]
fn a_result_that_is_too_large_for_the_server_is_answered_by_an_error_instead() {
    let mut page = Runner::new();
    let large = format!("\"{}\"", "x".repeat(100_000));
    page.gives
        .insert("echo".to_owned(), pagehand::runtime::input::Outcome::Returned { json: large, media: None });
    page.send("t", "go");
    let mut events = call("c1", "echo", "{}").to_vec();
    events.extend(call("c2", "ping", "{}"));
    page.runs_with(&events);
    page.answers(413, "text/plain");
    page.closes(None);
    let sent = page.answers_sent();
    assert!(sent[0].1.contains("larger than the server takes"), "{}", sent[0].1);
    assert_eq!(sent[1].1, "{}");
    assert_eq!(page.ran.len(), 2);
    while page.ended("t").is_none() {
        page.answers(413, "text/plain");
        page.closes(None);
        page.advance(60_000);
        assert!(page.runs() < 20, "it is given up");
    }
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
    page.send("t2", "and?");
    assert_eq!(page.answers_sent().len(), 2, "the history is whole");
}

#[test]
fn a_cut_run_is_looked_up_where_the_server_keeps_the_thread() {
    // It had ended well.
    let mut page = connectable();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.closes(Some("broke"));
    page.advance(5_000);
    assert!(page.last().connect);
    page.responds(&snapshot(&[user(), json!({ "id": "a-1", "role": "assistant", "content": "Done." })]));
    assert_eq!(page.ended("t"), Some((TurnStatus::Completed, "Done.".to_owned(), None)));
    assert_eq!(page.runs(), 1);
    // It had left a call open.
    let mut page = connectable();
    page.send("t", "go");
    page.breaks();
    page.advance(5_000);
    page.responds(&snapshot(&[user(), reply("c1", "get_cart")]));
    assert_eq!(page.ran.len(), 1);
    assert_eq!(page.answers_sent(), [("c1".to_owned(), "{}".to_owned())]);
    // It had not arrived.
    let mut page = connectable();
    page.send("t", "go");
    page.breaks();
    page.advance(5_000);
    page.responds(&snapshot(&[]));
    page.advance(60_000);
    assert_eq!(page.runs(), 2);
    assert_eq!(page.last().body, page.posted[0].body);
}

#[test]
fn answers_that_arrived_though_the_run_broke_are_not_sent_twice() {
    let mut page = connectable();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    page.breaks();
    page.advance(5_000);
    assert!(page.last().connect);
    page.responds(&snapshot(&[
        user(),
        reply("c1", "get_cart"),
        json!({ "id": "x", "role": "tool", "toolCallId": "c1", "content": "{}" }),
        json!({ "id": "a-2", "role": "assistant", "content": "Done." }),
    ]));
    assert_eq!(page.runs(), 2);
    assert_eq!(page.ended("t").unwrap().1, "Done.");
    assert_eq!(page.reports().len(), 1);
    assert_eq!(page.ran.len(), 1);
}

#[test]
fn a_server_that_is_still_at_work_is_asked_again_for_a_while() {
    let mut page = connectable();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.closes(Some("broke"));
    for _ in 0..3 {
        page.advance(3_000);
        assert!(page.last().connect);
        page.responds(&snapshot(&[user()]));
    }
    assert_eq!(page.ended("t"), None);
    while page.ended("t").is_none() {
        page.advance(2_000);
        page.responds(&snapshot(&[user()]));
        assert!(page.posted.len() < 200, "for ever");
    }
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
    assert_eq!(page.runs(), 1);
}

#[test]
fn a_server_without_a_way_to_look_up_is_not_asked_again() {
    let mut page = connectable();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.closes(Some("broke"));
    page.advance(5_000);
    page.answers(404, "text/plain");
    page.closes(None);
    assert_eq!(page.ended("t").unwrap().2.as_deref(), Some("stream-network"));
    page.send("t2", "again");
    page.breaks();
    page.advance(60_000);
    assert!(!page.last().connect);
    assert_eq!(page.runs(), 3);
}

#[test]
fn a_run_error_ends_the_turn_and_nothing_is_tried_again() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    page.responds(&[
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "RUN_ERROR", "message": "the model is down", "code": "overloaded_error" }),
    ]);
    page.advance(600_000);
    assert_eq!(page.runs(), 2);
    let (status, _, code) = page.ended("t").unwrap();
    assert_eq!((status, code.as_deref()), (TurnStatus::Failed, Some("overloaded_error")));
    assert_eq!(page.problem("t"), "the model is down");
    assert_eq!(page.reports().len(), 1, "the answer had been taken");
    // Calls of a run that failed are not run, and not left open.
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("c1", "get_cart", "{}").to_vec();
    events.push(json!({ "type": "RUN_ERROR", "message": "no" }));
    page.responds(&events);
    assert!(page.ran.is_empty());
    page.send("t2", "again");
    assert!(
        page.last().body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .all(|message| message.get("toolCalls").is_none())
    );
}

#[test]
fn a_server_that_says_nothing_for_very_long_is_given_up_and_one_that_breathes_sooner() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.advance(250_000);
    assert_eq!(page.ended("t"), None, "models think, and not every server sends signs of life");
    page.advance(100_000);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.bytes(b": ping\n\n");
    page.advance(46_000);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
}

#[test]
fn without_a_network_nothing_is_tried_until_it_is_back() {
    let mut page = Runner::new();
    page.give(Input::NetworkChanged { online: false });
    page.send("t", "go");
    page.breaks();
    page.advance(600_000);
    assert_eq!(page.runs(), 1);
    page.give(Input::NetworkChanged { online: true });
    assert_eq!(page.runs(), 2);
}

#[test]
fn a_page_that_sleeps_lets_its_request_go_and_never_posts_a_taken_run_again() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    for _ in 0..3 {
        page.give(Input::Suspended);
        page.advance(10_000);
        page.give(Input::Resumed);
        page.advance(10_000);
    }
    assert_eq!(page.runs(), 1);
    assert_eq!(page.ended("t").unwrap().2.as_deref(), Some("stream-network"));
    let mut page = Runner::with(Config { connectable: true, backoff_base: Millis(100), ..Config::default() });
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.give(Input::Suspended);
    page.give(Input::Resumed);
    assert!(page.last().connect);
    page.responds(&snapshot(&[user(), json!({ "id": "a-1", "role": "assistant", "content": "Done." })]));
    assert_eq!(page.ended("t").unwrap().1, "Done.");
}
