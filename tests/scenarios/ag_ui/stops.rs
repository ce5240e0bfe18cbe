//! Turns that the app stops, and pages that lose the session.

use super::runner::{Runner, call, text};
use pagehand::runtime::Config;
use pagehand::runtime::event::{ReportStatus, TurnStatus};
use pagehand::runtime::input::Input;
use serde_json::json;

fn cancel(page: &mut Runner, turn: &str) {
    page.give(Input::TurnCancelled { turn_id: turn.to_owned(), reason: "the user stopped it".to_owned() });
}

#[test]
fn stopping_a_turn_reaches_the_request() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.say(json!({ "type": "TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": "Let me" }));
    for event in call("c1", "get_cart", "{}") {
        page.say(event);
    }
    cancel(&mut page, "t");
    assert!(page.aborted.contains(&page.posted[0].request));
    let (status, text, code) = page.ended("t").unwrap();
    assert_eq!(
        (status, text.as_str(), code.as_deref()),
        (TurnStatus::Cancelled, "Let me", Some("cancelled"))
    );
    // Whatever comes late is not heard, and nothing of it is left open.
    page.say(json!({ "type": "RUN_FINISHED" }));
    assert!(page.ran.is_empty());
    page.send("t2", "something else");
    let messages = page.last().body["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 3, "{messages}");
    assert!(messages[1].get("toolCalls").is_none());
}

#[test]
fn calls_of_a_stopped_turn_get_an_answer_in_the_history_and_their_handlers_are_told() {
    let mut page = Runner::new();
    page.waits.insert("add_item".to_owned());
    page.send("t", "go");
    let mut events = call("c1", "get_cart", r#"{"a":1}"#).to_vec();
    events.extend(call("c2", "add_item", "{}"));
    page.runs_with(&events);
    cancel(&mut page, "t");
    assert_eq!(page.cancelled, ["c2"]);
    assert_eq!(page.runs(), 1, "nothing is posted for it");
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Cancelled);
    let ends: Vec<ReportStatus> = page.reports().iter().map(|report| report.status).collect();
    assert_eq!(ends.len(), 2, "each call has its end");
    page.send("t2", "something else");
    let sent = page.answers_sent();
    assert_eq!(sent[0], ("c1".to_owned(), r#"{"a":1}"#.to_owned()), "what was there is not lost");
    assert_eq!(sent[1].0, "c2");
    assert!(sent[1].1.contains("cancelled: the user stopped it"), "{}", sent[1].1);
}

#[test]
fn a_turn_that_waits_is_withdrawn_and_one_that_is_over_is_left_alone() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.send("t2", "later");
    cancel(&mut page, "t2");
    assert_eq!(page.ended("t2").unwrap().0, TurnStatus::Cancelled);
    page.runs_with(&text("a", "Done."));
    assert_eq!(page.runs(), 1);
    cancel(&mut page, "t");
    cancel(&mut page, "nobody");
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
}

#[test]
fn a_page_that_loses_the_session_stops_and_says_so() {
    let mut page = Runner::new();
    page.waits.insert("get_cart".to_owned());
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    page.give(Input::OwnershipLost);
    assert_eq!(page.cancelled, ["c1"]);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Cancelled);
    page.send("t2", "hello?");
    assert_eq!(page.runs(), 1);
    page.advance(20_000);
    assert!(page.problem("t2").contains("another page of this session"), "{}", page.problem("t2"));
}

#[test]
fn a_message_waits_a_while_for_the_page_to_get_the_session() {
    let mut page = Runner::with(Config { owner: false, ..Config::default() });
    page.send("t", "go");
    assert_eq!(page.runs(), 0);
    page.advance(3_000);
    page.give(Input::OwnershipGained { records: Vec::new() });
    assert_eq!(page.runs(), 1);
}

#[test]
fn closing_ends_the_request_and_nothing_is_told_afterwards() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.give(Input::Closed);
    assert!(page.aborted.contains(&page.posted[0].request));
    let told = page.events.len();
    page.say(json!({ "type": "RUN_FINISHED" }));
    page.advance(600_000);
    assert_eq!(page.events.len(), told);
}
