//! Interrupts: what waits for somebody is told once, and the page's answer arrives or is refused in words.

use super::hand::{Hand, ROOT};
use super::world::{Behavior, SESSION, World, tool};
use pagehand::runtime::event::Event;
use pagehand::runtime::input::Input;
use pagehand::runtime::{Config, Millis};
use serde_json::{Value, json};

fn interrupts(events: &[Event]) -> Vec<String> {
    let told = events.iter().filter_map(|event| match event {
        Event::Interrupted { interrupt_id, .. } => Some(format!("open {interrupt_id}")),
        Event::Resumed { interrupt_id, .. } => Some(format!("resumed {interrupt_id}")),
        Event::InterruptRefused { interrupt_id, error, .. } => {
            Some(format!("refused {interrupt_id}: {} {}", error.code, error.message))
        }
        _ => None,
    });
    told.collect()
}

fn resume(id: &str, payload: Option<Value>) -> Input {
    let payload = payload.map(|payload| serde_json::from_value(payload).unwrap());
    Input::InterruptAnswered { interrupt_id: id.to_owned(), payload, cancelled: false }
}

fn interrupted(id: &str) -> Value {
    json!({ "type": "session.interrupted", "interrupt_id": id, "origin": "worker", "reason": "confirm", "payload": { "sum": 12 } })
}

fn page() -> Hand {
    let mut page = Hand::new(Config::default());
    page.send("t");
    page.answered(202, r#"{"session_id":"root","turn_id":"t"}"#);
    page.opened(ROOT);
    page.frame(ROOT, json!({ "type": "turn.started", "turn_id": "t" }));
    page
}

#[test]
fn an_interrupt_is_shown_resumed_from_the_page_and_the_turn_goes_on() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "buy" }, "call": [{ "name": "pay" }], "interrupt": { "reason": "confirm", "payload": { "sum": 12 } } },
        { "when": { "after": "*" }, "say": "paid" },
    ] }));
    world.register(tool("pay", Behavior::Returns("\"ok\"", 0)));
    world.send_as("t", "buy it", true);
    world.advance(5_000);
    let (id, turn_id, reason, payload) = world
        .events
        .iter()
        .find_map(|event| match event {
            Event::Interrupted { interrupt_id, turn_id, reason, payload, session_id } => {
                assert_eq!(session_id, SESSION);
                Some((interrupt_id.clone(), turn_id.clone(), reason.clone(), payload.clone()))
            }
            _ => None,
        })
        .expect("an interrupt");
    assert_eq!((turn_id.as_deref(), reason.as_deref()), (Some("t"), Some("confirm")));
    assert_eq!(payload.get(), r#"{"sum":12}"#);
    assert_eq!(world.answers().len(), 1, "the call is answered while the session waits");
    assert_eq!(world.finished_turns().len(), 0);

    world.input(resume(&id, Some(json!({ "ok": true }))));
    world.advance(5_000);
    assert_eq!(interrupts(&world.events), [format!("open {id}"), format!("resumed {id}")]);
    assert_eq!(world.finished_turns()[0].1, "paid");
    world.check();
}

#[test]
fn an_answer_is_sent_until_the_engine_has_it() {
    let mut page = page();
    page.frame(ROOT, interrupted("i"));
    page.give(resume("i", Some(json!("yes"))));
    page.give(resume("i", Some(json!("no"))));
    assert_eq!(page.posts.len(), 2, "the message, and one answer");
    let first = page.posts[1].2.clone();
    assert_eq!(first["session_id"], ROOT);
    assert_eq!(first["input"], json!({ "type": "interrupt.resume", "interrupt_id": "i", "payload": "yes" }));
    let request = page.posts[1].0;
    page.give(Input::PostFailed { request, message: "gone".to_owned() });
    page.advance(2_000);
    assert_eq!(page.posts.len(), 3);
    assert_eq!(page.posts[2].2, first, "the same bytes");
    page.answered(401, "{}");
    assert_eq!(page.posts.len(), 4, "with a fresh token");
    page.answered(202, "{}");
    assert_eq!(interrupts(&page.events), ["open i"], "a 202 is not the end");
    page.frame(ROOT, json!({ "type": "session.interrupt_resumed", "interrupt_id": "i", "payload": "yes" }));
    assert_eq!(interrupts(&page.events), ["open i", "resumed i"]);
    page.advance(60_000);
    assert_eq!(page.posts.len(), 4);
}

#[test]
fn a_refusal_is_told_and_the_interrupt_stays_open() {
    let mut page = page();
    page.frame(ROOT, interrupted("i"));
    page.give(resume("i", None));
    assert!(page.posts[1].2["input"].get("payload").is_none());
    page.answered(403, r#"{"error":"caller may not resume this interrupt"}"#);
    let refused = "refused i: interrupt-refused the engine refused the answer to the interrupt: caller may not resume this interrupt";
    assert_eq!(interrupts(&page.events), ["open i", refused]);
    page.give(resume("i", None));
    assert_eq!(page.posts.len(), 3, "it may be tried again");
}

#[test]
fn an_interrupt_nobody_knows_is_refused_without_a_request() {
    let mut page = page();
    page.give(resume("nobody", None));
    assert_eq!(page.posts.len(), 1);
    assert_eq!(
        interrupts(&page.events),
        ["refused nobody: interrupt-refused no interrupt of this id is open"]
    );
}

#[test]
fn history_tells_only_what_is_still_open_and_tells_it_once() {
    let mut page = Hand::new(Config { fresh: false, ..Config::default() });
    page.give(Input::Attached);
    page.opened(ROOT);
    page.frame(ROOT, interrupted("old"));
    page.frame(ROOT, json!({ "type": "session.interrupt_resumed", "interrupt_id": "old" }));
    page.frame(ROOT, interrupted("new"));
    assert_eq!(interrupts(&page.events), [""; 0]);
    page.live(ROOT);
    assert_eq!(interrupts(&page.events), ["open new"]);
    let request = page.streams[ROOT];
    page.give(Input::StreamClosed { request, failure: None });
    page.advance(2_000);
    page.opened(ROOT);
    page.live(ROOT);
    assert_eq!(interrupts(&page.events), ["open new"]);
}

#[test]
fn an_interrupt_somebody_else_resumes_needs_no_answer_any_more() {
    let mut page = page();
    page.frame(ROOT, interrupted("i"));
    page.give(resume("i", None));
    let request = page.posts[1].0;
    page.give(Input::PostFailed { request, message: "gone".to_owned() });
    page.frame(ROOT, json!({ "type": "session.interrupt_resumed", "interrupt_id": "i" }));
    page.now = page.now.plus(Millis(60_000));
    page.advance(60_000);
    assert_eq!(page.posts.len(), 2);
}

#[test]
fn a_session_that_is_called_off_waits_for_nobody() {
    let mut page = page();
    page.frame(ROOT, interrupted("i"));
    page.frame(ROOT, json!({ "type": "session.cancelled" }));
    assert_eq!(interrupts(&page.events), ["open i", "resumed i"]);
}

#[test]
fn an_agents_interrupt_is_answered_in_its_own_session() {
    let mut page = page();
    page.frame(ROOT, json!({ "type": "subagent.started", "id": "child" }));
    page.opened("child");
    page.live("child");
    page.frame("child", interrupted("i"));
    let told = page.events.iter().find_map(|event| match event {
        Event::Interrupted { session_id, turn_id, .. } => Some((session_id.clone(), turn_id.clone())),
        _ => None,
    });
    assert_eq!(told, Some(("child".to_owned(), Some("t".to_owned()))));
    page.give(resume("i", None));
    assert_eq!(page.posts[1].1, "child");
    assert_eq!(page.posts[1].2["session_id"], "child");
}

#[test]
fn whoever_answers_before_history_was_read_hears_of_it() {
    for taken_first in [true, false] {
        let mut page = Hand::new(Config { fresh: false, ..Config::default() });
        page.give(Input::Attached);
        page.opened(ROOT);
        page.give(resume("i", None));
        if taken_first {
            page.answered(202, "{}");
        }
        page.frame(ROOT, interrupted("i"));
        page.frame(ROOT, json!({ "type": "session.interrupt_resumed", "interrupt_id": "i" }));
        if !taken_first {
            page.answered(202, "{}");
        }
        page.live(ROOT);
        assert_eq!(interrupts(&page.events), ["resumed i"], "taken first: {taken_first}");
    }
}

#[test]
fn a_second_answer_does_not_spoil_the_first_that_was_taken() {
    let mut page = page();
    page.frame(ROOT, interrupted("i"));
    page.give(resume("i", None));
    page.answered(202, "{}");
    page.give(resume("i", Some(json!("again"))));
    assert_eq!(page.posts.len(), 2, "the engine has its answer");
    page.frame(ROOT, json!({ "type": "session.interrupt_resumed", "interrupt_id": "i" }));
    assert_eq!(interrupts(&page.events), ["open i", "resumed i"]);
}

#[test]
fn an_agents_interrupt_ends_with_it_wherever_it_runs() {
    for answered in [false, true] {
        let mut page = page();
        page.frame(ROOT, json!({ "type": "subagent.started", "id": "child" }));
        page.opened("child");
        page.live("child");
        page.frame("child", interrupted("i"));
        if answered {
            page.give(resume("i", None));
        }
        page.give(Input::OwnershipLost);
        if answered {
            page.answered(202, "{}");
            assert_eq!(interrupts(&page.events), ["open i", "resumed i"], "no stream would say it any more");
        }
        page.frame(ROOT, json!({ "type": "subagent.turn_completed", "id": "child" }));
        assert_eq!(interrupts(&page.events), ["open i", "resumed i"], "answered: {answered}");
    }
}

#[test]
fn an_answer_to_a_session_that_is_called_off_does_not_wait_for_ever() {
    let mut page = Hand::new(Config { fresh: false, ..Config::default() });
    page.give(resume("i", None));
    page.answered(202, "{}");
    page.opened(ROOT);
    page.frame(ROOT, json!({ "type": "session.cancelled" }));
    assert_eq!(interrupts(&page.events), ["resumed i"]);
}

#[test]
fn interrupts_without_end_are_left_alone_beyond_the_cap() {
    let mut page = Hand::new(Config { max_open_calls: 3, ..Config::default() });
    page.give(Input::Attached);
    page.opened(ROOT);
    for number in 0..9 {
        page.frame(ROOT, interrupted(&format!("i{number}")));
    }
    assert_eq!(interrupts(&page.events).len(), 3);
    assert_eq!(page.warnings().iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["overloaded"]);
}
