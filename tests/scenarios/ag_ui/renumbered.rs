//! Servers that count anew: ids of calls and messages that come again in a later turn or run belong to new ones, and
//! those that are merely told again do not.

use super::runner::{Runner, answers_of, args, call, end, start, text};
use super::sound::check_body;
use pagehand::runtime::Config;
use pagehand::runtime::event::TurnStatus;
use pagehand::runtime::input::Input;
use serde_json::{Value, json};

fn bare_call(id: &str, name: &str, arguments: &str) -> [Value; 3] {
    let start = json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name });
    [start, args(id, arguments), end(id)]
}

fn child_call(parent: &str, id: &str, name: &str, arguments: &str) -> [Value; 3] {
    let mut start = start(id, name);
    start["parentMessageId"] = json!(parent);
    [start, args(id, arguments), end(id)]
}

fn listed(id: &str, call: &str, name: &str, arguments: &str) -> Value {
    json!({ "id": id, "role": "assistant", "toolCalls": [
        { "id": call, "type": "function", "function": { "name": name, "arguments": arguments } },
    ] })
}

fn snapshot(messages: &[Value]) -> Value {
    json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages })
}

#[test]
fn a_server_that_numbers_calls_and_messages_anew_in_every_turn_has_each_of_them_run() {
    for same_arguments in [true, false] {
        for parent in [true, false] {
            let mut page = Runner::new();
            for turn in 1..=4 {
                let id = format!("t{turn}");
                page.send(&id, "go");
                let arguments = if same_arguments { "{}".to_owned() } else { format!("{{\"n\":{turn}}}") };
                let events = match parent {
                    true => call("call_1", "add_item", &arguments),
                    false => bare_call("call_1", "add_item", &arguments),
                };
                page.runs_with(&events);
                assert_eq!(page.ran.len(), turn, "{same_arguments} {parent}");
                check_body(&page.last().body);
                page.runs_with(&text("a-2", &format!("Done {turn}.")));
                assert_eq!(page.ended(&id).unwrap(), (TurnStatus::Completed, format!("Done {turn}."), None));
                assert_eq!(answers_of(&page.last().body).len(), turn);
            }
            page.send("t9", "and?");
            check_body(&page.last().body);
            let said = page.last().body["messages"].as_array().unwrap().len();
            assert_eq!(said, 4 * 4 + 1, "nothing took the place of anything");
        }
    }
}

#[test]
fn a_call_of_a_known_id_in_the_same_turn_is_new_where_it_differs_and_told_again_where_it_does_not() {
    for (second, runs) in [
        (child_call("a-1", "call_1", "add_item", r#"{"n":2}"#), 2),
        (child_call("a-2", "call_1", "add_item", r#"{"n":1}"#), 2),
        (bare_call("call_1", "ping", r#"{"n":1}"#), 2),
        (child_call("a-1", "call_1", "add_item", r#"{"n":1}"#), 1),
        (bare_call("call_1", "add_item", r#"{"n":1}"#), 1),
    ] {
        let mut page = Runner::new();
        page.send("t", "go");
        page.runs_with(&child_call("a-1", "call_1", "add_item", r#"{"n":1}"#));
        page.runs_with(&second);
        assert_eq!(page.ran.len(), runs, "{second:?}");
        if runs == 2 {
            check_body(&page.last().body);
            page.runs_with(&text("a-3", "Done."));
        }
        page.send("t2", "and?");
        check_body(&page.last().body);
        assert_eq!(answers_of(&page.last().body).len(), runs);
    }
}

#[test]
fn an_id_that_comes_again_right_after_its_answer_is_echoed_is_a_new_call_of_a_new_reply() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&child_call("a-1", "call_1", "add_item", r#"{"n":1}"#));
    let mut events = vec![
        json!({ "type": "TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "call_1", "content": "{}" }),
    ];
    events.extend(child_call("a-2", "call_1", "add_item", r#"{"n":2}"#));
    page.runs_with(&events);
    assert_eq!(page.ran.len(), 2);
    assert_eq!(answers_of(&page.last().body).len(), 2, "the first keeps its answer");
    check_body(&page.last().body);
}

#[test]
fn a_transcript_in_which_ids_come_again_says_which_call_is_open() {
    for before in [true, false] {
        let mut page = Runner::new();
        page.send("t", "go");
        page.runs_with(&child_call("a-1", "call_1", "add_item", r#"{"n":1}"#));
        page.runs_with(&text("a-2", "Done."));
        page.send("t2", "again");
        let mut history = page.last().body["messages"].as_array().unwrap().clone();
        let mut events = child_call("a-3", "call_1", "add_item", r#"{"n":1}"#).to_vec();
        if before {
            events.insert(0, snapshot(&history));
        } else {
            history.push(listed("a-3", "call_1", "add_item", r#"{"n":1}"#));
            events.push(snapshot(&history));
        }
        page.runs_with(&events);
        assert_eq!(page.ran.len(), 2, "{before}");
        check_body(&page.last().body);
        assert_eq!(answers_of(&page.last().body).len(), 2);
    }
}

#[test]
fn a_reload_with_a_call_of_a_known_id_open_neither_loses_it_nor_runs_it_twice() {
    for connectable in [true, false] {
        let mut page = Runner::with(Config { connectable, ..Config::default() });
        page.send("t", "go");
        page.runs_with(&call("call_1", "get_cart", r#"{"n":1}"#));
        page.runs_with(&text("a-2", "Done."));
        page.waits.insert("add_item".to_owned());
        page.send("t2", "again");
        let history = page.last().body["messages"].as_array().unwrap().clone();
        page.runs_with(&child_call("a-3", "call_1", "add_item", "{}"));
        assert_eq!(page.ran.len(), 2);
        page.reload();
        if connectable {
            let mut now = history.clone();
            now.push(listed("a-3", "call_1", "add_item", "{}"));
            page.runs_with(&[snapshot(&now)]);
        }
        assert_eq!(page.ran.len(), 2);
        let sent = page.answers_sent();
        assert_eq!(sent.len(), 2, "{connectable}: {sent:?}");
        assert!(sent[1].1.starts_with("interrupted: "), "{sent:?}");
        check_body(&page.last().body);
    }
}

#[test]
fn an_answer_of_an_earlier_call_is_no_sign_that_the_one_of_the_same_id_arrived() {
    let mut page = Runner::with(Config { connectable: true, ..Config::default() });
    page.send("t", "go");
    page.runs_with(&call("call_1", "get_cart", r#"{"n":1}"#));
    page.runs_with(&text("a-2", "Done."));
    page.send("t2", "again");
    page.runs_with(&child_call("a-3", "call_1", "add_item", "{}"));
    let sent = page.last().body.clone();
    let mut known = sent["messages"].as_array().unwrap().clone();
    known.pop();
    page.breaks();
    page.advance(20_000);
    assert!(page.last().connect);
    page.runs_with(&[snapshot(&known)]);
    page.advance(20_000);
    assert!(!page.last().connect);
    assert_eq!(page.last().body["messages"], sent["messages"], "it goes again");
    page.give(Input::Closed);
}
