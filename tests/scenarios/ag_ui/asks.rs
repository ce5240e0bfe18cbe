//! Runs that wait for somebody: interrupts are shown, answered together with the calls of their reply, and resumed.

use super::runner::{Runner, call, text};
use pagehand::runtime::event::{Event, TurnStatus};
use pagehand::runtime::input::Input;
use serde_json::{Value, json};

fn interrupt(one: Value) -> Value {
    json!({ "type": "RUN_FINISHED", "outcome": { "type": "interrupt", "interrupts": [one] } })
}

fn told(page: &Runner) -> Vec<String> {
    let told = page.events.iter().filter_map(|event| match event {
        Event::Interrupted { interrupt_id, turn_id, reason, payload, .. } => {
            Some(format!("open {interrupt_id} {turn_id:?} {reason:?} {}", payload.get()))
        }
        Event::Resumed { interrupt_id, .. } => Some(format!("resumed {interrupt_id}")),
        Event::InterruptRefused { interrupt_id, error, .. } => {
            Some(format!("refused {interrupt_id}: {}", error.message))
        }
        _ => None,
    });
    told.collect()
}

fn answer(page: &mut Runner, id: &str, payload: Option<Value>, cancelled: bool) {
    let payload = payload.map(|payload| serde_json::from_value(payload).unwrap());
    page.give(Input::InterruptAnswered { interrupt_id: id.to_owned(), payload, cancelled });
}

#[test]
fn an_interrupt_is_shown_and_its_answer_begins_the_next_run() {
    let mut page = Runner::new();
    page.send("t", "delete ann");
    let one = json!({ "id": "i1", "reason": "confirm", "message": "Sure?", "responseSchema": { "type": "object" } });
    page.responds(&[json!({ "type": "RUN_STARTED" }), interrupt(one.clone())]);
    assert_eq!(told(&page), [format!("open i1 Some(\"t\") Some(\"confirm\") {one}")]);
    assert_eq!(page.runs(), 1, "nobody has answered");
    assert_eq!(page.ended("t"), None, "the turn waits");
    answer(&mut page, "i9", None, false);
    answer(&mut page, "i1", Some(json!({ "approved": true })), false);
    answer(&mut page, "i1", Some(json!({ "approved": false })), false);
    assert_eq!(page.runs(), 2, "answered once");
    let body = &page.last().body;
    assert_eq!(
        body["resume"],
        json!([{ "interruptId": "i1", "status": "resolved", "payload": { "approved": true } }])
    );
    assert_eq!(body["parentRunId"], "t");
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    page.runs_with(&text("a", "Gone."));
    assert_eq!(
        told(&page)[1..],
        ["refused i9: no interrupt of this id is open".to_owned(), "resumed i1".to_owned()]
    );
    assert_eq!(page.ended("t").unwrap().1, "Gone.");
}

#[test]
fn an_interrupt_can_be_given_up() {
    let mut page = Runner::new();
    page.send("t", "delete ann");
    page.responds(&[interrupt(json!({ "id": "i1", "reason": "confirm" }))]);
    answer(&mut page, "i1", None, true);
    assert_eq!(page.last().body["resume"], json!([{ "interruptId": "i1", "status": "cancelled" }]));
}

#[test]
fn an_approval_and_a_call_of_one_reply_are_answered_in_one_run() {
    for approval_first in [true, false] {
        let mut page = Runner::new();
        page.waits.insert("get_cart".to_owned());
        page.send("t", "go");
        let mut events = vec![json!({ "type": "RUN_STARTED" })];
        events.extend(call("w1", "delete_account", r#"{"user":"ann"}"#));
        events.extend(call("w2", "get_cart", "{}"));
        events.push(interrupt(json!({ "id": "int-w1", "reason": "tool_call", "toolCallId": "w1" })));
        page.responds(&events);
        assert_eq!(page.ran.len(), 1, "the call that is approved is not ours");
        for step in [approval_first, !approval_first] {
            assert_eq!(page.runs(), 1);
            if step {
                answer(&mut page, "int-w1", Some(json!({ "approved": true })), false);
            } else {
                page.returns("w2", r#"{"items":3}"#);
            }
        }
        assert_eq!(page.runs(), 2);
        assert_eq!(page.answers_sent(), [("w2".to_owned(), r#"{"items":3}"#.to_owned())]);
        assert_eq!(page.last().body["resume"][0]["interruptId"], "int-w1");
    }
}

#[test]
fn an_interrupt_that_only_says_that_a_call_is_the_pages_is_answered_by_the_calls_answer() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![json!({ "type": "RUN_STARTED" })];
    events.extend(call("s1", "get_cart", "{}"));
    events.push(interrupt(json!({
        "id": "client_tool_s1", "reason": "tanstack:client_tool_execution", "toolCallId": "s1", "responseSchema": {},
    })));
    page.responds(&events);
    assert!(told(&page).is_empty(), "nobody has to be asked");
    assert_eq!(page.answers_sent(), [("s1".to_owned(), "{}".to_owned())]);
    assert!(page.last().body.get("resume").is_none());
}

#[test]
fn a_server_with_a_way_of_its_own_to_wait_gets_its_answer_that_way() {
    let mut page = Runner::new();
    page.give(Input::RunInputGiven {
        given: json!({ "forwardedProps": { "lang": "de", "command": 1 } }).to_string(),
    });
    page.send("t", "go");
    let value = json!({ "reason": "confirm", "message": "Delete ann?" }).to_string();
    page.responds(&[
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "CUSTOM", "name": "on_interrupt", "value": value }),
        json!({ "type": "RUN_FINISHED" }),
    ]);
    let open = told(&page);
    assert!(open[0].contains("Some(\"confirm\")") && open[0].contains("Delete ann?"), "{open:?}");
    let id = page.events.iter().find_map(|event| match event {
        Event::Interrupted { interrupt_id, .. } => Some(interrupt_id.clone()),
        _ => None,
    });
    answer(&mut page, &id.unwrap(), Some(json!({ "ok": true })), false);
    let body = &page.last().body;
    assert!(body.get("resume").is_none());
    assert_eq!(body["forwardedProps"], json!({ "lang": "de", "command": { "resume": { "ok": true } } }));
    // Said both ways, it is one.
    let mut page = Runner::new();
    page.send("t", "go");
    page.responds(&[
        json!({ "type": "CUSTOM", "name": "on_interrupt", "value": "{}" }),
        interrupt(json!({ "id": "i1", "reason": "confirm" })),
    ]);
    assert_eq!(told(&page).len(), 1);
}

#[test]
fn a_message_typed_while_a_call_waits_for_a_person_settles_that_call_first() {
    let mut page = Runner::new();
    page.tool(json!({ "name": "delete", "asksConsent": true }));
    page.send("t", "go");
    page.runs_with(&call("c1", "delete", "{}"));
    assert_eq!(page.questions.len(), 1);
    page.send("t2", "never mind, what time is it?");
    assert!(page.questions.is_empty(), "the question is taken back");
    assert!(page.ran.is_empty());
    assert!(page.answers_sent()[0].1.contains("the user declined"));
    page.runs_with(&text("a-2", "All right."));
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
    let body = page.last().body.clone();
    assert_eq!(body["runId"], "t2");
    let roles: Vec<&str> =
        body["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
}

#[test]
fn the_call_that_a_person_agrees_to_runs_once() {
    let mut page = Runner::new();
    page.tool(json!({ "name": "delete", "asksConsent": true }));
    page.send("t", "go");
    page.runs_with(&call("c1", "delete", "{}"));
    page.consents("c1", true);
    assert_eq!(page.ran.len(), 1);
    assert_eq!(page.runs(), 2);
}

#[test]
fn an_answer_to_an_interrupt_that_the_server_refuses_is_told_as_refused() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.responds(&[interrupt(json!({ "id": "i1", "reason": "confirm" }))]);
    answer(&mut page, "i1", Some(json!(1)), false);
    page.responds(&[json!({ "type": "RUN_ERROR", "message": "stale", "code": "stale" })]);
    assert!(told(&page)[1].starts_with("refused i1: "), "{:?}", told(&page));
    assert_eq!(
        told(&page)[2..],
        ["resumed i1".to_owned()],
        "the turn is over: nobody can answer it any more"
    );
    let (status, _, code) = page.ended("t").unwrap();
    assert_eq!((status, code.as_deref()), (TurnStatus::Failed, Some("stale")));
}
