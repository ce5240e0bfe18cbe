//! A page that goes and another that comes: what was stored is gone on with, nothing runs twice, nothing is lost.

use super::runner::{Runner, answers_of, call, text};
use pagehand::runtime::Config;
use pagehand::runtime::event::{Event, TurnStatus};
use pagehand::runtime::input::Input;
use serde_json::json;

#[test]
fn a_reload_in_the_middle_of_a_call_answers_it_once_as_interrupted() {
    let mut page = Runner::new();
    page.waits.insert("add_item".to_owned());
    page.send("t", "go");
    let mut events = call("c1", "get_cart", r#"{"a":1}"#).to_vec();
    events.extend(call("c2", "add_item", "{}"));
    page.runs_with(&events);
    assert_eq!(page.ran.len(), 2);
    page.reload();
    assert_eq!(page.ran.len(), 2, "nobody knows what the first did: it does not run again");
    let sent = page.answers_sent();
    assert_eq!(sent[0], ("c1".to_owned(), r#"{"a":1}"#.to_owned()), "the stored answer, to the last byte");
    assert!(sent[1].1.starts_with("interrupted: "), "{}", sent[1].1);
    page.runs_with(&text("a-2", "Done."));
    page.reload();
    assert_eq!(page.runs(), 2, "it is over");
}

#[test]
fn a_reload_with_a_tool_that_may_run_again_runs_it_again() {
    let mut page = Runner::new();
    page.tool(json!({ "name": "look", "readOnly": true }));
    page.waits.insert("look".to_owned());
    page.send("t", "go");
    page.runs_with(&call("c1", "look", "{}"));
    page.reload();
    assert_eq!(page.ran.len(), 2);
    page.returns("c1", "1");
    assert_eq!(page.answers_sent(), [("c1".to_owned(), "1".to_owned())]);
}

#[test]
fn a_reload_after_the_answers_were_posted_posts_them_again_only_while_nobody_has_them() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    let before = page.last().body.clone();
    page.reload();
    assert_eq!(page.runs(), 3);
    assert_eq!(page.last().body, before, "the same run");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.reload();
    assert_eq!(page.runs(), 3, "the server has it: it is not posted again");
    assert_eq!(page.ran.len(), 1);
    page.send("t2", "and?");
    assert_eq!(answers_of(&page.last().body).len(), 1, "the history is whole");
}

#[test]
fn a_reload_before_a_message_arrived_sends_it_again() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.reload();
    assert_eq!(page.runs(), 2);
    assert_eq!(page.posted[0].body, page.posted[1].body);
}

#[test]
fn the_conversation_and_its_state_are_there_after_a_reload_and_told_as_history() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![json!({ "type": "STATE_SNAPSHOT", "snapshot": { "n": 1 } })];
    events.extend(text("a-1", "Hello."));
    page.runs_with(&events);
    page.events.clear();
    page.reload();
    let told: Vec<(String, Option<String>, bool)> = page
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Message { role, text, replayed, .. } => Some((role.clone(), text.clone(), *replayed)),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            ("user".to_owned(), Some("go".to_owned()), true),
            ("assistant".to_owned(), Some("Hello.".to_owned()), true)
        ]
    );
    assert!(
        page.events
            .iter()
            .any(|event| matches!(event, Event::State { state, .. } if state.get() == r#"{"n":1}"#))
    );
    page.send("t2", "and?");
    assert_eq!(page.last().body["messages"].as_array().unwrap().len(), 3);
    assert_eq!(page.last().body["state"], json!({ "n": 1 }));
    // What the page sets is kept too.
    page.runs_with(&text("a-2", "Yes."));
    page.give(Input::RunInputGiven { given: json!({ "state": { "n": 2 } }).to_string() });
    page.reload();
    page.send("t3", "and?");
    assert_eq!(page.last().body["state"], json!({ "n": 2 }));
}

#[test]
fn an_interrupt_is_open_again_after_a_reload() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.responds(&[json!({ "type": "RUN_FINISHED", "outcome": { "type": "interrupt", "interrupts": [{ "id": "i1", "reason": "confirm" }] } })]);
    page.events.clear();
    page.reload();
    assert!(
        page.events
            .iter()
            .any(|event| matches!(event, Event::Interrupted { interrupt_id, .. } if interrupt_id == "i1"))
    );
    page.give(Input::InterruptAnswered { interrupt_id: "i1".to_owned(), payload: None, cancelled: false });
    assert_eq!(page.last().body["resume"][0]["interruptId"], "i1");
    let before = page.last().body.clone();
    page.reload();
    assert_eq!(page.last().body, before, "an answer that nobody has goes again");
}

#[test]
fn a_server_that_keeps_the_thread_is_asked_first() {
    let mut page =
        Runner::with(Config { connectable: true, fresh: false, owner: false, ..Config::default() });
    page.give(Input::Attached);
    page.give(Input::OwnershipGained { records: Vec::new() });
    assert!(page.last().connect);
    assert_eq!(page.last().body["threadId"], "thread-1");
    page.send("t", "hello");
    assert_eq!(page.runs(), 0, "not before the past is known");
    page.responds(&[
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "MESSAGES_SNAPSHOT", "messages": [
            { "id": "u", "role": "user", "content": "go" },
            { "id": "a", "role": "assistant", "toolCalls": [
                { "id": "c1", "type": "function", "function": { "name": "get_cart", "arguments": "{}" } },
            ] },
            { "id": "r", "role": "tool", "toolCallId": "c1", "content": "{}" },
            { "id": "b", "role": "assistant", "content": "Done." },
        ] }),
        json!({ "type": "RUN_FINISHED" }),
    ]);
    assert!(page.ran.is_empty(), "history is read, never run");
    assert_eq!(page.runs(), 1);
    assert_eq!(page.last().body["messages"].as_array().unwrap().len(), 5);
}

#[test]
fn a_thread_that_is_told_by_its_events_is_read_as_well_as_one_that_is_told_whole() {
    let mut page =
        Runner::with(Config { connectable: true, fresh: false, owner: false, ..Config::default() });
    page.give(Input::Attached);
    page.give(Input::OwnershipGained { records: Vec::new() });
    let mut events = vec![
        json!({ "type": "RUN_STARTED", "input": { "messages": [{ "id": "u", "role": "user", "content": "go" }] } }),
    ];
    events.extend(call("c1", "get_cart", "{}"));
    events.push(json!({ "type": "TOOL_CALL_RESULT", "toolCallId": "c1", "messageId": "r", "content": "{}" }));
    events.extend(text("b", "Done."));
    events.push(json!({ "type": "RUN_FINISHED" }));
    page.responds(&events);
    assert!(page.ran.is_empty());
    assert!(
        page.events.iter().all(|event| !matches!(event, Event::Text { .. })),
        "old text is not streamed again"
    );
    page.send("t", "and?");
    let roles: Vec<String> = page.last().body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
}

#[test]
fn a_call_that_was_never_started_runs_after_the_reload() {
    let mut page = Runner::new();
    page.tool(json!({ "name": "delete", "asksConsent": true }));
    page.send("t", "go");
    page.runs_with(&call("c1", "delete", "{}"));
    assert_eq!(page.questions.len(), 1);
    page.reload();
    assert_eq!(page.questions.len(), 1, "the question is open again");
    page.consents("c1", true);
    assert_eq!(page.ran.len(), 1);
    page.runs_with(&text("a-2", "Done."));
    assert_eq!(
        page.ended("t").unwrap().0,
        TurnStatus::Completed,
        "the turn of the page that is gone ends here"
    );
}

#[test]
fn a_reload_at_any_moment_loses_nothing_and_runs_nothing_twice() {
    // Each number of steps before the reload.
    for steps in 0..12 {
        let mut page = Runner::new();
        page.send("t", "go");
        let mut count = 0;
        let mut step = |page: &mut Runner| {
            count += 1;
            if count == steps {
                page.reload();
            }
            count == steps
        };
        'all: {
            if step(&mut page) {
                break 'all;
            }
            page.opens();
            if step(&mut page) {
                break 'all;
            }
            for event in [json!({ "type": "RUN_STARTED" })].into_iter().chain(call("c1", "add_item", "{}")) {
                page.say(event);
                if step(&mut page) {
                    break 'all;
                }
            }
            page.say(json!({ "type": "RUN_FINISHED" }));
            page.closes(None);
            if step(&mut page) {
                break 'all;
            }
            page.opens();
            if step(&mut page) {
                break 'all;
            }
            page.say(json!({ "type": "RUN_STARTED" }));
            if step(&mut page) {
                break 'all;
            }
            for event in text("a-2", "Done.") {
                page.say(event);
            }
            page.say(json!({ "type": "RUN_FINISHED" }));
            page.closes(None);
            step(&mut page);
        }
        assert!(page.ran.len() <= 1, "{steps}: {:?}", page.ran);
        page.send("t9", "and?");
        // The way from here on is free of open ends.
        let mut rounds = 0;
        while page.ended("t9").is_none() {
            page.runs_with(&text(&format!("z{rounds}"), "ok"));
            rounds += 1;
            assert!(rounds < 5, "{steps}");
        }
        let body = &page.last().body;
        let called = body["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message.get("toolCalls").is_some())
            .count();
        assert_eq!(called, answers_of(body).len(), "{steps}: {body}");
        assert_eq!(called, page.ran.len(), "{steps}: each call that ran is answered in the history");
    }
}
