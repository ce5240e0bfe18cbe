//! Parents and children under whatever a page and an operator do, in any order: what must hold all the same.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::driver::Driver;

#[derive(Debug, Clone)]
enum Step {
    Say { session: u8, text: u8, queue: bool },
    Settle { session: u8, error: bool },
    Pass { ms: u64 },
    Operate { session: u8, kind: u8 },
    Fail { times: u32 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..3_u8, 0..5_u8, any::<bool>())
            .prop_map(|(session, text, queue)| Step::Say { session, text, queue }),
        3 => (0..6_u8, any::<bool>()).prop_map(|(session, error)| Step::Settle { session, error }),
        3 => (0..3_000_u64).prop_map(|ms| Step::Pass { ms }),
        2 => (0..6_u8, 0..8_u8).prop_map(|(session, kind)| Step::Operate { session, kind }),
        1 => (1..5_u32).prop_map(|times| Step::Fail { times }),
    ];
    prop::collection::vec(step, 1..30)
}

fn config(delays: bool) -> Value {
    let call = |name: &str, message: &str| json!({ "name": name, "arguments": { "message": message } });
    let again = json!({ "message": "1", "session": "{{result:reader/session}}" });
    json!({
        "decisionMs": if delays { 7 } else { 0 },
        "dispatchDelayMs": if delays { 11 } else { 0 },
        "maxSubagentDepth": 2,
        "agent": { "subagents": [{ "id": "reader" }, { "id": "chief" }] },
        "agents": {
            "reader": {
                "tools": [{ "name": "read", "handler": "client" }],
                "script": { "rules": [{ "when": { "user": "*" }, "call": [{ "name": "read" }] }] },
            },
            "chief": {
                "subagents": [{ "id": "reader" }, { "id": "chief" }],
                "script": { "rules": [
                    { "when": { "user": "*" }, "call": [call("reader", "a"), call("chief", "b")] },
                ] },
            },
        },
        "script": { "rules": [
            { "when": { "user": "0" }, "call": [call("reader", "x")] },
            { "when": { "user": "1" }, "call": [call("reader", "x"), call("chief", "y"), { "name": "read" }] },
            { "when": { "user": "2" }, "call": [call("reader", "x")], "interrupt": { "id": "i" } },
            { "when": { "user": "3" }, "call": [{ "name": "reader" }, call("chief", "z")] },
            { "when": { "after": "reader", "error": false }, "times": 2,
              "call": [{ "name": "reader", "arguments": again }, { "name": "reader", "arguments": again }] },
        ] },
    })
}

/// The root, then the children in the order of their ids.
fn session(driver: &Driver, place: u8) -> String {
    let mut ids = driver.engine.session_ids();
    ids.retain(|id| id != "s1");
    ids.insert(0, "s1".to_owned());
    ids[usize::from(place) % ids.len()].clone()
}

fn post(driver: &mut Driver, session: &str, input: &Value) {
    let token = driver.token.clone();
    driver.post_as(&token, session, input.clone());
}

fn settle(driver: &mut Driver, session: &str, error: bool) {
    let open = driver.engine.calls(session).into_iter().find(|call| call.status == "pending");
    let Some(call) = open else { return };
    let input = match error {
        true => json!({ "type": "tool.error", "id": call.id, "error": "no", "retryable": false }),
        false => json!({ "type": "tool.result", "id": call.id, "result": 1 }),
    };
    post(driver, session, &input);
}

fn play(driver: &mut Driver, step: &Step) {
    match step {
        Step::Say { session: place, text, queue } => {
            let id = session(driver, *place);
            post(
                driver,
                &id,
                &json!({
                    "type": "client.append", "agent_id": "shop", "queue": queue,
                    "messages": [{ "role": "user", "content": text.to_string() }],
                    "client": { "tools": [{ "name": "read", "handler": "client" }] },
                }),
            );
        }
        Step::Settle { session: place, error } => {
            let id = session(driver, *place);
            settle(driver, &id, *error);
        }
        Step::Pass { ms } => driver.pass(*ms),
        Step::Operate { session: place, kind } => {
            let id = session(driver, *place);
            let head = driver.engine.messages(&id).first().map(|message| message["id"].clone());
            driver.operate(match kind {
                0..=2 => json!({ "action": "interrupt", "sessionId": id, "interruptId": "i" }),
                3..=5 => json!({ "action": "resume", "sessionId": id, "interruptId": "i" }),
                6 => json!({ "action": "moveHead", "sessionId": id, "messageId": head }),
                _ if id == "s1" => return,
                _ => json!({ "action": "cancel", "sessionId": id }),
            });
        }
        Step::Fail { times } => driver.fault(json!({ "kind": "decisionFails", "times": times })),
    }
}

fn check(driver: &Driver) {
    for id in driver.engine.session_ids() {
        let log = driver.engine.log(&id);
        let seqs: Vec<u64> = log.iter().map(|event| event.seq).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
        for child in driver.engine.children(&id) {
            let of_call = |name: &str| {
                let events = log.iter().filter(|event| event.name() == name);
                events.filter(|event| event.payload["tool_call_id"] == child.tool_call_id).count()
            };
            let ends = of_call("subagent.turn_completed") + of_call("subagent.errored");
            assert_eq!(of_call("subagent.requested"), 1);
            assert!(of_call("subagent.dispatched") <= 1 && of_call("subagent.started") <= 1);
            assert_eq!(ends, usize::from(matches!(child.status, "completed" | "errored")));
            assert!(of_call("subagent.started") >= of_call("subagent.turn_completed"));
            let answers = log.iter().filter(|event| {
                event.name() == "message.new"
                    && event.payload["message"]["tool_call_id"] == child.tool_call_id
            });
            assert!(answers.count() <= 1, "answered twice");
            assert!(driver.engine.ancestry(&child.session_id).len() <= 2);
        }
    }
}

/// Everything still open is answered, every interrupt resumed: then no turn may hang.
fn finish(driver: &mut Driver) {
    for _ in 0..60 {
        for id in driver.engine.session_ids() {
            driver.operate(json!({ "action": "resume", "sessionId": id, "interruptId": "i" }));
            settle(driver, &id, false);
        }
        driver.pass(3000);
    }
}

/// Told from the start, each call that was dispatched has one end, and it comes last.
fn check_triggers(driver: &mut Driver, id: &str) {
    let bearer = format!("Bearer {}", driver.token);
    let headers = [("Authorization", bearer.as_str()), ("Last-Event-ID", "0")];
    let stream = driver.send("GET", &format!("/api/client/triggers?session_id={id}"), &headers, b"");
    let frames = driver.frames(stream);
    for call in driver.engine.calls(id) {
        let of_call: Vec<&str> = frames
            .iter()
            .filter(|frame| frame.json()["id"] == call.id)
            .map(|frame| frame.event.as_str())
            .collect();
        let ended = matches!(call.status, "completed" | "errored" | "voided");
        let ends = of_call.iter().filter(|event| **event == "tool.finished").count();
        assert_eq!(ends, usize::from(ended), "{}", call.status);
        assert_eq!(of_call.last() == Some(&"tool.finished"), ended);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_parent_waits_for_a_child_that_is_done(steps in steps(), delays in any::<bool>()) {
        let mut driver = Driver::new(config(delays));
        driver.say("t-1", "1", &["read"]);
        for step in &steps {
            play(&mut driver, step);
            check(&driver);
        }
        finish(&mut driver);
        check(&driver);
        for id in driver.engine.session_ids() {
            let names = driver.engine.event_names(&id);
            let count = |name: &str| names.iter().filter(|event| *event == name).count();
            let cancelled = count("session.cancelled");
            prop_assert!(cancelled <= 1);
            if cancelled == 0 {
                prop_assert_eq!(count("turn.started"), count("turn.completed"), "{}", id);
            }
            check_triggers(&mut driver, &id);
            let open = driver.engine.children(&id).into_iter();
            prop_assert_eq!(open.filter(|child| matches!(child.status, "pending" | "queued")).count(), 0);
        }
    }
}
