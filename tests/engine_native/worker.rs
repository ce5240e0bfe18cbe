//! The worker's seat, taken by a test: what it is asked, what its answers do, what its failures cost.

mod actions;
mod answers;
pub(crate) mod desk;
mod requests;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::driver::Driver;
use crate::random;
use desk::{Desk, accept};

/// The whole log, without what differs by itself.
fn log(driver: &Driver) -> Vec<Value> {
    driver.engine.log("s1").iter().map(|event| event.payload.clone()).collect()
}

/// Plays the same steps before the built-in worker and before one that accepts every proposal.
fn compare(mut config: Value, steps: &[&dyn Fn(&mut Driver)]) {
    let decide = |request: &Value| match request["trigger"]["type"].as_str() {
        Some("tool.execute") if request["proposed"] == json!({}) => {
            json!({ "actions": [{ "type": "tool.result", "result": 1 }] })
        }
        _ => accept(request),
    };
    config["agent"]["announced"] = json!(true);
    let mut built_in = Driver::new(config.clone());
    let mut desk = Desk::new(config);
    for step in steps {
        step(&mut built_in);
        built_in.pass(5_000);
        step(&mut desk.driver);
        desk.pass(5_000, &decide);
    }
    assert!(!desk.seen.is_empty());
    let (one, other) = (log(&desk.driver), log(&built_in));
    for (one, other) in one.iter().zip(&other) {
        assert_eq!(one, other);
    }
    assert_eq!(one.len(), other.len());
}

/// One at a time: between two, the external worker answers.
fn settle_last(driver: &mut Driver) {
    let open = driver.engine.calls("s1").into_iter().rfind(|call| call.status == "pending").unwrap();
    driver.post(json!({ "type": "tool.result", "id": open.id, "result": { "n": 1 } }));
}

#[test]
fn accepting_every_proposal_is_what_the_built_in_worker_does_event_for_event() {
    let script = json!({ "rules": [
        { "when": { "user": "both" }, "say": "Two.", "call": [{ "name": "a" }, { "name": "a", "arguments": "{" }] },
        { "when": { "user": "one" }, "call": [{ "name": "a" }] },
        { "when": { "user": "work" }, "call": [{ "name": "work", "arguments": { "n": 1 } }, { "name": "invented" }] },
        { "when": { "user": "fail" }, "error": { "message": "no money", "code": "budget_exceeded" } },
        { "when": { "action": "refresh" }, "say": "Fresh." },
        { "when": { "after": "*" }, "say": "It says {{result}}." },
    ] });
    let agent = json!({
        "tools": [{ "name": "work" }],
        "worker": { "answers": { "work": { "result": 1 } } },
    });
    let config = json!({ "script": script, "agent": agent });
    let say = |turn: &'static str, text: &'static str| {
        move |driver: &mut Driver| {
            driver.say(turn, text, &["a"]);
        }
    };
    compare(config.clone(), &[&say("t-1", "both"), &settle_last, &settle_last, &say("t-2", "hello")]);
    compare(config.clone(), &[&say("t-1", "work")]);
    compare(config.clone(), &[&say("t-1", "fail"), &say("t-2", "hello")]);
    // Nobody answers: both attempts run out of time.
    let mut retried = config.clone();
    retried["agent"]["retry"] = json!({ "tool": { "max_attempts": 2, "run_timeout_secs": 3 } });
    compare(retried, &[&say("t-1", "one"), &|_: &mut Driver| (), &|_: &mut Driver| ()]);
    let act = |driver: &mut Driver| {
        driver.post(json!({ "type": "client.action", "agent_id": "shop", "name": "refresh", "args": 1 }));
    };
    compare(config.clone(), &[&say("t-1", "hello"), &act]);
    // A page's view forks the conversation at its first message.
    let edit = |driver: &mut Driver| {
        let mut messages = driver.engine.messages("s1");
        messages.truncate(1);
        messages.push(json!({ "role": "user", "content": "both" }));
        driver.post(json!({ "type": "client.messages", "agent_id": "shop", "messages": messages }));
    };
    compare(config, &[&say("t-1", "hello"), &edit, &settle_last, &settle_last]);
}

/// Anything a worker may answer, by a number.
fn any_answer(kind: u8, request: &Value) -> String {
    let mut changed = request["proposed"].clone();
    match kind % 16 {
        0 => json!({}).to_string(),
        1 => json!({ "actions": [{ "type": "done" }] }).to_string(),
        2 => "no JSON".to_owned(),
        3 => json!({ "actions": [{ "type": "fly" }] }).to_string(),
        4 => json!({ "actions": [{ "type": "tool.result", "result": 1 }] }).to_string(),
        5 => json!({ "actions": [{ "type": "tool.error", "error": "no", "retryable": true }] }).to_string(),
        6 => {
            let interrupt = json!({ "type": "interrupt", "interrupt_id": "i", "reason": "confirm" });
            changed["actions"] = json!([interrupt]);
            changed.to_string()
        }
        7 => {
            changed["actions"] =
                json!([{ "type": "interrupt.resolve", "interrupt_id": "i" }, { "type": "done" }]);
            changed.to_string()
        }
        _ => changed.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_worker_answers_the_log_stays_sound_and_no_turn_hangs(
        steps in random::steps(), delays in any::<bool>(), kinds in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let mut desk = Desk::new(random::config(false, delays));
        let mut kinds = kinds.into_iter().cycle();
        for step in steps {
            random::play(&mut desk.driver, step);
            for _ in 0..20 {
                let Some(asked) = desk.take() else { break };
                let answer = any_answer(kinds.next().unwrap(), &asked.request);
                desk.answer_text(&asked, &answer);
                // A second answer to the same attempt is nobody's.
                desk.answer_text(&asked, &answer);
            }
            random::check(&mut desk.driver);
        }
        let decide = |request: &Value| match request["trigger"]["type"].as_str() {
            Some("tool.execute") => json!({ "actions": [{ "type": "tool.result", "result": 1 }] }),
            _ => accept(request),
        };
        for _ in 0..60 {
            for id in ["i", "int-2"] {
                desk.driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": id }));
            }
            for call in desk.driver.engine.calls("s1").into_iter().filter(|call| call.status == "pending") {
                desk.driver.post_lenient(json!({ "type": "tool.result", "id": call.id, "result": 1 }));
            }
            desk.pass(3_000, &decide);
        }
        random::check(&mut desk.driver);
        let names = desk.driver.names();
        let count = |name: &str| names.iter().filter(|known| *known == name).count();
        prop_assert_eq!(count("turn.started"), count("turn.completed"));
        prop_assert!(!desk.driver.engine.calls("s1").iter().any(|call| call.status == "pending"));
    }
}
