//! Whatever a page, an operator and the network do, in any order: what must hold of the log all the same.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::driver::Driver;

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Say { turn: u8, text: u8, queue: bool },
    View { from: u8, answer: bool },
    Settle { call: u8, attempt: u32, error: bool, retryable: bool },
    Pass { ms: u64 },
    Operate { kind: u8 },
    Fault { kind: u8 },
    Open,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..4_u8, 0..4_u8, any::<bool>()).prop_map(|(turn, text, queue)| Step::Say { turn, text, queue }),
        (0..4_u8, any::<bool>()).prop_map(|(from, answer)| Step::View { from, answer }),
        (0..4_u8, 0..2_u32, any::<bool>(), any::<bool>())
            .prop_map(|(call, attempt, error, retryable)| Step::Settle { call, attempt, error, retryable }),
        (0..8_000_u64).prop_map(|ms| Step::Pass { ms }),
        (0..6_u8).prop_map(|kind| Step::Operate { kind }),
        (0..9_u8).prop_map(|kind| Step::Fault { kind }),
        Just(Step::Open),
    ];
    prop::collection::vec(step, 1..40)
}

pub(crate) fn config(examined: bool, delays: bool) -> Value {
    json!({
        "decisionMs": if delays { 7 } else { 0 },
        "dispatchDelayMs": if delays { 11 } else { 0 },
        "switches": { "viewInTurn": if examined { "examined" } else { "refused" } },
        "agent": {
            "tools": [{ "name": "work" }],
            "retry": { "tool": { "max_attempts": 2, "run_timeout_secs": 9 } },
            "worker": { "answers": { "work": { "result": 1 } } },
        },
        "script": { "rules": [
            { "when": { "user": "0" }, "call": [{ "name": "a" }, { "name": "a" }, { "name": "work" }] },
            { "when": { "user": "1" }, "say": "hm", "call": [{ "name": "a" }] },
            { "when": { "user": "2" }, "call": [{ "name": "a" }], "interrupt": { "id": "int-2" } },
            { "when": { "after": "a", "error": true }, "times": 2, "call": [{ "name": "a" }] },
        ] },
    })
}

pub(crate) fn play(driver: &mut Driver, step: Step) {
    match step {
        Step::Say { turn, text, queue } => {
            driver.post_lenient(json!({
                "type": "client.append", "agent_id": "shop", "turn_id": format!("t-{turn}"),
                "queue": queue, "stream": true,
                "messages": [{ "role": "user", "content": text.to_string() }],
                "client": { "tools": [{ "name": "a", "handler": "client" }] },
            }));
        }
        Step::View { from, answer } => {
            let mut messages = driver.engine.messages("s1");
            messages.drain(..usize::from(from).min(messages.len()));
            let open = driver.engine.calls("s1").into_iter().find(|call| call.status == "pending");
            if let (true, Some(call)) = (answer, open) {
                messages.push(json!({ "role": "tool", "tool_call_id": call.id, "content": "x" }));
            }
            messages.push(json!({ "role": "user", "content": "1" }));
            driver.post_lenient(json!({
                "type": "client.messages", "agent_id": "shop", "messages": messages,
            }));
        }
        Step::Settle { call, attempt, error, retryable } => {
            let calls = driver.engine.calls("s1");
            let Some(record) = calls.iter().rev().nth(usize::from(call)) else { return };
            driver.post_lenient(match error {
                true => json!({
                    "type": "tool.error", "id": record.id, "attempt": attempt, "error": "no",
                    "retryable": retryable,
                }),
                false => {
                    json!({ "type": "tool.result", "id": record.id, "attempt": attempt, "result": 1 })
                }
            });
        }
        Step::Pass { ms } => driver.pass(ms),
        Step::Operate { kind } => {
            let head = driver.engine.messages("s1").first().map(|message| message["id"].clone());
            driver.operate(match kind {
                0 | 1 => json!({ "action": "interrupt", "sessionId": "s1", "interruptId": "i" }),
                2 | 3 => json!({ "action": "resume", "sessionId": "s1", "interruptId": "i" }),
                4 => json!({ "action": "moveHead", "sessionId": "s1", "messageId": head }),
                _ => json!({ "action": "resume", "sessionId": "s1", "interruptId": "int-2" }),
            });
        }
        Step::Fault { kind } => driver.fault(match kind {
            0 => json!({ "kind": "duplicateFrame" }),
            1 => json!({ "kind": "reorderFrames" }),
            2 => json!({ "kind": "garbleFrame" }),
            3 => json!({ "kind": "delayFrames", "ms": 300 }),
            4 => json!({ "kind": "cutStream", "afterBytes": 700 }),
            5 => json!({ "kind": "stall", "ms": 2000 }),
            6 => json!({ "kind": "dropResponse" }),
            7 => json!({ "kind": "restart", "downMs": 100 }),
            _ => json!({ "kind": "decisionFails", "times": 2 }),
        }),
        Step::Open => {
            driver.open("?after_seq=0");
        }
    }
}

pub(crate) fn check(driver: &mut Driver) {
    let log = driver.engine.log("s1");
    let seqs: Vec<u64> = log.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());

    let count = |name: &str| log.iter().filter(|event| event.name() == name).count();
    let started = count("turn.started");
    let completed = count("turn.completed");
    assert!(started == completed || started == completed + 1);

    for call in driver.engine.calls("s1") {
        let of_call = |name: &str| {
            let events = driver.engine.log("s1").iter().filter(|event| event.name() == name);
            events.filter(|event| event.payload["id"] == call.id).count()
        };
        let requests = of_call("tool.call.requested");
        assert!(of_call("tool.call.completed") <= 1, "completed twice");
        assert!(of_call("call.voided") <= 1, "voided twice");
        assert!(of_call("tool.call.dispatched") <= requests);
        for attempt in 0..=call.attempt {
            assert!(driver.engine.accepted_settlements("s1", &call.id, attempt) <= 1);
        }
        let answers = driver.engine.log("s1").iter().filter(|event| {
            event.name() == "message.new" && event.payload["message"]["tool_call_id"] == call.id
        });
        assert!(answers.count() <= 1, "answered twice");
    }
}

/// Everything still open is answered, every interrupt resumed: then no turn may hang.
fn finish(driver: &mut Driver) {
    for _ in 0..60 {
        for id in ["i", "int-2"] {
            driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": id }));
        }
        for call in driver.engine.calls("s1").into_iter().filter(|call| call.status == "pending") {
            let result = json!({ "type": "tool.result", "id": call.id, "result": 1 });
            driver.post_lenient(result);
        }
        driver.pass(3000);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_log_stays_sound_and_no_turn_hangs(
        steps in steps(), examined in any::<bool>(), delays in any::<bool>(),
    ) {
        let mut driver = Driver::new(config(examined, delays));
        for step in steps {
            play(&mut driver, step);
            check(&mut driver);
        }
        finish(&mut driver);
        check(&mut driver);
        let names = driver.names();
        let open = driver.engine.calls("s1").into_iter().filter(|call| call.status == "pending");
        prop_assert_eq!(open.count(), 0);
        if !names.is_empty() {
            let started = names.iter().filter(|name| *name == "turn.started").count();
            let completed = names.iter().filter(|name| *name == "turn.completed").count();
            prop_assert_eq!(started, completed);
        }
        let stream = driver.open("?after_seq=0");
        driver.pass(3000);
        prop_assert!(driver.logged(stream).len() >= names.len() || driver.lost.contains(&stream));
    }
}
