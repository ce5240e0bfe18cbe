//! When a turn goes on, and when it must not.

use super::runner::{Runner, call, text};
use pagehand::runtime::Config;
use pagehand::runtime::event::{ReportStatus, TurnStatus};
use serde_json::json;

fn silent() -> Runner {
    let mut page = Runner::new();
    page.tool(json!({ "name": "track", "mode": "silent" }));
    page
}

#[test]
fn a_reply_of_silent_calls_alone_ends_the_turn_and_its_answers_go_with_the_next_message() {
    let mut page = silent();
    page.send("t", "go");
    let mut events = call("c1", "track", "{}").to_vec();
    events.extend(call("c2", "track", "{}"));
    page.runs_with(&events);
    assert_eq!(page.ran.len(), 2);
    assert_eq!(page.runs(), 1, "the model is not asked about them");
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
    assert!(page.reports().iter().all(|report| report.status == ReportStatus::Completed));
    assert_eq!(page.reports().len(), 2);
    page.send("t2", "and?");
    assert_eq!(
        page.answers_sent(),
        [("c1".to_owned(), "done".to_owned()), ("c2".to_owned(), "done".to_owned())]
    );
}

#[test]
fn a_silent_call_beside_one_that_is_not_goes_on() {
    let mut page = silent();
    page.send("t", "go");
    let mut events = call("c1", "track", "{}").to_vec();
    events.extend(call("c2", "get_cart", "{}"));
    page.runs_with(&events);
    assert_eq!(page.runs(), 2);
    // So does one beside a call of the server's own.
    let mut page = silent();
    page.send("t", "go");
    let mut events = call("c1", "server_time", "{}").to_vec();
    events.extend(call("c2", "track", "{}"));
    events
        .push(json!({ "type": "TOOL_CALL_RESULT", "toolCallId": "c1", "messageId": "r", "content": "noon" }));
    page.runs_with(&events);
    assert_eq!(page.runs(), 2);
}

#[test]
fn a_model_that_makes_the_same_calls_over_and_over_is_stopped() {
    let mut page = Runner::new();
    page.send("t", "go");
    for round in 0..20 {
        if page.ended("t").is_some() {
            break;
        }
        page.runs_with(&call(&format!("c{round}"), "get_cart", r#"{"a":1}"#));
    }
    let (status, _, code) = page.ended("t").expect("it is stopped");
    assert_eq!((status, code.as_deref()), (TurnStatus::Failed, Some("turn-looped")));
    assert_eq!(page.ran.len(), 4, "three rounds may be alike, the fourth is the last");
    assert_eq!(page.runs(), 4);
    assert_eq!(page.reports().len(), 4, "each call has its end");
    // The answers are there for the next message.
    page.send("t2", "stop that");
    assert_eq!(page.answers_sent().len(), 4);
}

#[test]
fn rounds_that_differ_are_no_loop_but_there_is_an_end_to_them_too() {
    let mut page = Runner::with(Config { max_rounds: 12, ..Config::default() });
    page.send("t", "go");
    let mut round = 0;
    while page.ended("t").is_none() {
        round += 1;
        page.runs_with(&call(&format!("c{round}"), "echo", &format!(r#"{{"n":{round}}}"#)));
    }
    assert_eq!(round, 12);
    assert_eq!(page.ended("t").unwrap().2.as_deref(), Some("turn-looped"));
}

#[test]
fn a_chain_of_calls_goes_on_to_its_end() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    page.runs_with(&[
        json!({ "type": "TOOL_CALL_START", "toolCallId": "c2", "toolCallName": "add_item", "parentMessageId": "a-2" }),
        json!({ "type": "TOOL_CALL_ARGS", "toolCallId": "c2", "delta": "{}" }),
        json!({ "type": "TOOL_CALL_END", "toolCallId": "c2" }),
    ]);
    page.runs_with(&text("a-3", "Done."));
    assert_eq!(page.ended("t").unwrap().1, "Done.");
    let trips: Vec<u32> = page.reports().iter().map(|report| report.trip_index).collect();
    assert_eq!(trips, [0, 1], "each call knows which reply made it");
    let ids: Vec<&str> = page.posted.iter().map(|posted| posted.body["runId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["t", "t-2", "t-3"]);
}

#[test]
fn messages_wait_for_the_turn_before_them_and_are_refused_where_they_will_not_wait() {
    let mut page = Runner::new();
    page.waits.insert("get_cart".to_owned());
    page.send("t", "go");
    page.send("t2", "and this");
    page.send_as("t3", "now", false);
    assert_eq!(page.runs(), 1);
    assert_eq!(page.ended("t3").unwrap().2.as_deref(), Some("message-refused"));
    page.runs_with(&call("c1", "get_cart", "{}"));
    page.returns("c1", "1");
    page.runs_with(&text("a-2", "One."));
    assert_eq!(page.ended("t").unwrap().1, "One.");
    assert_eq!(page.last().body["runId"], "t2");
    let roles: Vec<String> = page.last().body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["role"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
    page.runs_with(&text("a-4", "Two."));
    assert_eq!(page.ended("t2").unwrap().1, "Two.");
}

#[test]
fn a_run_that_somebody_stopped_ends_as_cancelled() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.responds(&[
        json!({ "type": "RUN_STARTED" }),
        json!({ "type": "RUN_FINISHED", "outcome": { "type": "cancelled" } }),
    ]);
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Cancelled);
    assert_eq!(page.runs(), 1);
}
