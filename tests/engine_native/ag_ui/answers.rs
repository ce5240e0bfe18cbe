//! Answers inside a run's view: what settles, what is news, what is a repeat, and the reading that drops them.

use serde_json::{Value, json};

use super::{answer, both, both_with, events, is_over, of_type, run, status_of, types, user, with_two_open};
use crate::driver::{Driver, cart, result};

fn dropped() -> Value {
    both_with(json!({ "switches": { "agUiAnswers": "dropped" } }))
}

fn last_text(driver: &Driver) -> Value {
    driver.engine.messages("s1").last().unwrap()["content"].clone()
}

#[test]
fn two_answers_in_one_run_settle_both_calls_by_one_decision() {
    let (mut driver, mut view) = with_two_open(both());
    let before = driver.payloads("decision.queued").len();
    view.extend([answer("call-b", "two"), answer("call-a", "one")]);
    let stream = run(&mut driver, "t-2", &view);
    assert_eq!(driver.payloads("decision.queued")[before]["trigger"], "messages.new");
    driver.pass(5000);
    let told = [
        "RUN_STARTED",
        "TOOL_CALL_RESULT",
        "TOOL_CALL_RESULT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ];
    assert_eq!(types(&driver, stream), told);
    assert_eq!(events(&driver, stream).pop().unwrap()["runId"], "t-2");
    assert_eq!(last_text(&driver), "A says one, B says two.");
    assert!(driver.payloads("head.moved").is_empty());
    // One turn, not two: the run joined the one that waited.
    assert_eq!(driver.payloads("turn.started").len(), 1);
    for call in ["call-a", "call-b"] {
        assert_eq!(driver.engine.accepted_settlements("s1", call, 0), 1);
    }
    let settlement = driver.engine.calls("s1")[0].settlements[0].clone();
    assert_eq!((settlement.by, settlement.body), ("view", json!("one")));
}

#[test]
fn one_answer_to_one_open_call_is_a_settle() {
    let mut driver = Driver::new(cart());
    run(&mut driver, "t-1", &[user("m-1", "cart")]);
    driver.pass(5000);
    let call = driver.engine.calls("s1")[0].id.clone();
    let view = [super::snapshot(&mut driver), vec![answer(&call, "3")]].concat();
    let stream = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    let triggers: Vec<Value> =
        driver.payloads("decision.queued").iter().map(|payload| payload["trigger"].clone()).collect();
    assert!(triggers.contains(&json!("tool.finished")), "{triggers:?}");
    assert_eq!(triggers.iter().filter(|trigger| *trigger == "messages.new").count(), 1);
    assert_eq!(of_type(&driver, stream, "TOOL_CALL_RESULT")[0]["content"], "3");
    assert_eq!(last_text(&driver), "It says 3.");
}

#[test]
fn an_answer_and_a_message_become_one_decision_with_both() {
    let (mut driver, mut view) = with_two_open(both());
    view.extend([answer("call-a", "one"), answer("call-b", "two"), user("m-2", "quick")]);
    run(&mut driver, "t-2", &view);
    driver.pass(5000);
    let roles: Vec<Value> = driver.engine.messages("s1").iter().map(|one| one["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user", "assistant"]);
}

#[test]
fn some_of_the_answers_settle_their_calls_and_the_run_ends_for_the_rest() {
    let (mut driver, view) = with_two_open(both());
    let first = [view.clone(), vec![answer("call-a", "one")]].concat();
    let stream = run(&mut driver, "t-2", &first);
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "TOOL_CALL_RESULT", "RUN_FINISHED"]);
    assert_eq!((status_of(&driver, "call-a"), status_of(&driver, "call-b")), ("completed", "pending"));
    let second = [view, vec![answer("call-b", "two"), answer("call-a", "other")]].concat();
    run(&mut driver, "t-3", &second);
    driver.pass(5000);
    assert_eq!(last_text(&driver), "A says one, B says two.");
    assert_eq!(driver.engine.accepted_settlements("s1", "call-a", 0), 1);
}

#[test]
fn of_two_answers_to_one_call_the_first_counts() {
    let (mut driver, mut view) = with_two_open(both());
    let mut again = answer("call-a", "late");
    again["id"] = json!("tool-again");
    view.extend([answer("call-a", "one"), again, answer("call-b", "two")]);
    run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert_eq!(last_text(&driver), "A says one, B says two.");
    assert_eq!(driver.engine.messages("s1").len(), 5);
    assert_eq!(driver.engine.accepted_settlements("s1", "call-a", 0), 1);
}

#[test]
fn a_recorded_answer_is_known_by_its_call_whatever_the_page_calls_the_message() {
    let (mut driver, mut view) = with_two_open(both());
    // Settled in another order than the page's, and natively.
    driver.post(result("call-b", json!("two")));
    driver.post(result("call-a", json!("one")));
    driver.pass(5000);
    let said = driver.engine.messages("s1").last().unwrap().clone();
    view.extend([answer("call-a", "one"), answer("call-b", "two")]);
    view.push(json!({ "id": said["id"], "role": "assistant", "content": said["content"] }));
    view.push(user("m-2", "thanks"));
    run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert!(driver.payloads("head.moved").is_empty());
    assert_eq!(driver.engine.messages("s1").len(), 7);
}

#[test]
fn a_message_while_calls_are_open_joins_the_turn_and_waits_for_them() {
    let (mut driver, mut view) = with_two_open(both());
    view.push(user("m-2", "hurry"));
    let stream = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert_eq!(types(&driver, stream), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(driver.engine.messages("s1")[2]["content"], "hurry");
    assert_eq!((status_of(&driver, "call-a"), status_of(&driver, "call-b")), ("pending", "pending"));
}

#[test]
fn a_view_that_leaves_the_calls_out_forks_and_voids_them() {
    let (mut driver, view) = with_two_open(both());
    run(&mut driver, "t-2", &[view[0].clone(), user("m-2", "never mind")]);
    driver.pass(5000);
    assert_eq!((status_of(&driver, "call-a"), status_of(&driver, "call-b")), ("voided", "voided"));
    assert_eq!(last_text(&driver), "Hello there.");
}

#[test]
fn a_run_of_answers_that_is_sent_again_settles_nothing_twice() {
    let (mut driver, mut view) = with_two_open(both());
    view.extend([answer("call-a", "one"), answer("call-b", "two")]);
    run(&mut driver, "t-2", &view);
    let again = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    let after = run(&mut driver, "t-2", &view);
    assert_eq!(types(&driver, after), ["RUN_STARTED", "RUN_FINISHED"]);
    assert_eq!(types(&driver, again).last().unwrap(), "RUN_FINISHED");
    assert_eq!(driver.engine.messages("s1").len(), 5);
    assert_eq!(driver.payloads("turn.started").len(), 1);
    assert_eq!(driver.payloads("tool.call.completed").len(), 2);
}

#[test]
fn answers_under_the_running_turns_own_id_count_and_nothing_else_of_the_view_does() {
    let (mut driver, mut view) = with_two_open(both());
    view.extend([answer("call-a", "one"), answer("call-b", "two"), user("m-2", "ignored")]);
    let stream = run(&mut driver, "t-1", &view);
    driver.pass(5000);
    assert_eq!(last_text(&driver), "A says one, B says two.");
    assert_eq!(driver.engine.messages("s1").len(), 5);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn answers_are_not_held_against_an_output_schema() {
    let config = json!({
        "agent": { "tools": [{ "name": "strict", "handler": "client", "output": { "type": "integer" } }] },
        "script": { "rules": [{ "when": { "user": "*" }, "call": [{ "name": "strict", "id": "c" }] }, { "say": "Fine." }] },
    });
    let mut driver = Driver::new(config);
    run(&mut driver, "t-1", &[user("m-1", "go")]);
    driver.pass(5000);
    let view = [super::snapshot(&mut driver), vec![answer("c", "no integer")]].concat();
    run(&mut driver, "t-2", &view);
    assert_eq!(status_of(&driver, "c"), "completed");
}

#[test]
fn a_workers_own_calls_are_not_made_again_for_answers() {
    let config = json!({
        "agent": { "worker": { "directCalls": [{ "name": "a" }, { "name": "b" }] } },
        "script": { "rules": [{ "when": { "after": "*" }, "say": "Thanks." }, { "say": "Hello." }] },
    });
    let mut driver = Driver::new(config);
    run(&mut driver, "t-1", &[user("m-1", "go")]);
    driver.pass(5000);
    let mut view = super::snapshot(&mut driver);
    let calls = driver.engine.calls("s1");
    view.extend(calls.iter().map(|call| answer(&call.id, "done")));
    let stream = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert_eq!(driver.engine.calls("s1").len(), 2);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn where_answers_are_dropped_a_run_says_only_that_it_started() {
    for run_id in ["t-2", "t-1"] {
        let (mut driver, mut view) = with_two_open(dropped());
        view.extend([answer("call-a", "one"), answer("call-b", "two")]);
        let stream = run(&mut driver, run_id, &view);
        driver.pass(40_000);
        assert_eq!(types(&driver, stream), ["RUN_STARTED"]);
        assert!(driver.text(stream).contains(":\n\n"));
        assert!(!is_over(&driver, stream));
        assert_eq!((status_of(&driver, "call-a"), status_of(&driver, "call-b")), ("pending", "pending"));
        // The native way settles them all the same.
        driver.post(result("call-a", json!("one")));
        driver.post(result("call-b", json!("two")));
        driver.pass(5000);
        assert_eq!(last_text(&driver), "A says one, B says two.");
        // Only a stream of the turn itself hears of it.
        assert_eq!(is_over(&driver, stream), run_id == "t-1");
    }
}

#[test]
fn where_answers_are_dropped_a_run_between_turns_is_taken() {
    let mut driver = Driver::new(dropped());
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    driver.pass(5000);
    let view = [super::snapshot(&mut driver), vec![user("m-2", "again")]].concat();
    let stream = run(&mut driver, "t-2", &view);
    driver.pass(5000);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
    assert_eq!(driver.engine.messages("s1").len(), 4);
}

#[test]
fn a_run_that_comes_while_the_session_starts_is_the_next_turn() {
    let mut driver = Driver::new(both_with(json!({ "decisionMs": 100 })));
    run(&mut driver, "t-1", &[user("m-1", "hi")]);
    let stream = run(&mut driver, "t-2", &[user("m-1", "hi"), user("m-2", "more")]);
    driver.pass(10_000);
    let turns: Vec<Value> =
        driver.payloads("turn.started").iter().map(|payload| payload["turn_id"].clone()).collect();
    assert_eq!(turns, ["t-1", "t-2"]);
    assert_eq!(types(&driver, stream).last().unwrap(), "RUN_FINISHED");
}

#[test]
fn of_two_answers_in_a_history_that_is_new_here_the_first_is_recorded() {
    let mut driver = Driver::new(both());
    let function = json!({ "name": "a", "arguments": "{}" });
    let calls = json!([{ "id": "old", "type": "function", "function": function }]);
    let asked = json!({ "id": "m-2", "role": "assistant", "toolCalls": calls });
    let mut again = answer("old", "second");
    again["id"] = json!("tool-again");
    let view = [user("m-1", "hi"), asked, answer("old", "first"), again, user("m-3", "well?")];
    run(&mut driver, "t-1", &view);
    driver.pass(5000);
    let answers: Vec<Value> =
        driver.engine.messages("s1").into_iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["content"], "first");
}

#[test]
fn answers_that_are_recorded_before_the_view_is_decided_on_do_not_fork_it() {
    let (mut driver, mut view) = with_two_open(both_with(json!({ "decisionMs": 200 })));
    driver.post(result("call-b", json!("two")));
    view.extend([answer("call-a", "one"), answer("call-b", "two"), user("m-2", "quick")]);
    run(&mut driver, "t-2", &view);
    driver.pass(10_000);
    assert!(driver.payloads("head.moved").is_empty());
    let roles: Vec<Value> = driver.engine.messages("s1").iter().map(|one| one["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user", "assistant"]);
}

#[test]
fn an_answer_to_a_call_that_waits_for_its_next_attempt_is_not_recorded() {
    let retry = json!({ "tool": { "max_attempts": 2 } });
    let (mut driver, mut view) = with_two_open(both_with(json!({ "agent": { "retry": retry } })));
    driver.post(json!({ "type": "tool.error", "id": "call-a", "error": "not yet", "retryable": true }));
    view.extend([answer("call-a", "too early"), answer("call-b", "two"), user("m-2", "quick")]);
    run(&mut driver, "t-2", &view);
    driver.pass(10_000);
    driver.post(json!({ "type": "tool.result", "id": "call-a", "attempt": 1, "result": "one" }));
    driver.pass(10_000);
    let messages = driver.engine.messages("s1");
    let answers: Vec<&Value> = messages.iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[1]["content"], "one");
}
