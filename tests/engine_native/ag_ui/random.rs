//! Whatever runs, native inputs and operators do in any order: what must hold of runs all the same.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{CONNECT, answer, events, of_type, post, run_with, types, user};
use crate::driver::Driver;
use crate::random::{Step, check, play, steps};

/// What a page does over AG-UI between the steps of the native tests.
#[derive(Debug, Clone)]
struct Round {
    run: u8,
    /// Which text the user says behind the answers, if any.
    says: Option<u8>,
    /// How many of the open calls are answered.
    answers: usize,
    resumes: bool,
    /// How many messages of the conversation the page has lost.
    lost: usize,
}

fn rounds() -> impl Strategy<Value = Vec<(Round, Vec<Step>)>> {
    let round = (0..12_u8, prop::option::of(0..4_u8), 0..3_usize, any::<bool>(), 0..4_usize)
        .prop_map(|(run, says, answers, resumes, lost)| Round { run, says, answers, resumes, lost });
    let between = steps().prop_map(|steps| {
        steps.into_iter().filter(|step| !matches!(step, Step::Fault { .. })).take(4).collect()
    });
    prop::collection::vec((round, between), 1..12)
}

fn config(early: bool, dropped: bool, delays: bool) -> Value {
    let mut config = crate::random::config(false, delays);
    config["switches"] = json!({
        "agUiRunEnd": if early { "early" } else { "whole" },
        "agUiAnswers": if dropped { "dropped" } else { "taken" },
    });
    config["agent"]["subagents"] = json!([{ "id": "helper" }]);
    config["agents"] = json!({ "helper": { "script": { "otherwise": { "say": "helped" } } } });
    let ask = json!({ "name": "helper", "arguments": { "message": "x" } });
    config["script"]["rules"][1]["call"].as_array_mut().unwrap().push(ask);
    config
}

fn start(driver: &mut Driver, round: &Round) -> u64 {
    let connected = post(driver, CONNECT, &json!({ "threadId": "s1" }));
    let snapshot = of_type(driver, connected, "MESSAGES_SNAPSHOT");
    let mut view = snapshot[0]["messages"].as_array().unwrap().clone();
    view.drain(..round.lost.saturating_sub(2).min(view.len()));
    let calls = driver.engine.calls("s1");
    let open = calls.iter().filter(|call| call.status == "pending").take(round.answers);
    view.extend(open.map(|call| answer(&call.id, "from the view")));
    view.extend(round.says.map(|text| user(&format!("m-{}", round.run), &text.to_string())));
    let entries = ["i", "int-2"].map(|id| json!({ "interruptId": id, "status": "resolved" }));
    let known: Vec<Value> = driver.payloads("session.interrupted");
    let entries: Vec<&Value> = entries
        .iter()
        .filter(|entry| known.iter().any(|payload| payload["interrupt_id"] == entry["interruptId"]))
        .collect();
    let resume = if round.resumes { json!({ "resume": entries }) } else { json!({}) };
    run_with(driver, &format!("t-{}", round.run), &view, resume)
}

/// Every start has its end, nothing comes before the first event or behind the last one.
fn is_sound(driver: &Driver, stream: u64) {
    let mut open: Vec<(&str, String)> = Vec::new();
    let all = events(driver, stream);
    let over = driver.ended.contains(&stream);
    for (place, event) in all.iter().enumerate() {
        let id = |field: &str| event[field].as_str().unwrap_or_default().to_owned();
        let kind = event["type"].as_str().unwrap();
        assert_eq!(kind == "RUN_STARTED", place == 0);
        match kind {
            "TEXT_MESSAGE_START" => open.push(("text", id("messageId"))),
            "TOOL_CALL_START" => {
                let call = ("call", id("toolCallId"));
                assert!(!open.contains(&call), "a call is opened twice");
                open.push(call);
            }
            "TEXT_MESSAGE_CONTENT" => assert!(open.contains(&("text", id("messageId")))),
            "TOOL_CALL_ARGS" => assert!(open.contains(&("call", id("toolCallId")))),
            "TEXT_MESSAGE_END" | "TOOL_CALL_END" => {
                let (what, field) =
                    if kind.starts_with("TEXT") { ("text", "messageId") } else { ("call", "toolCallId") };
                let place = open.iter().position(|one| *one == (what, id(field)));
                open.remove(place.expect("an end without a start"));
            }
            "RUN_FINISHED" | "RUN_ERROR" => {
                assert!(open.is_empty(), "left open: {open:?}");
                assert!(over && place == all.len() - 1, "something follows the last event");
            }
            _ => {}
        }
    }
    let last = all.last().map(|event| event["type"].as_str().unwrap().to_owned());
    assert_eq!(over, matches!(last.as_deref(), Some("RUN_FINISHED" | "RUN_ERROR")));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streams_pair_up_no_call_settles_twice_and_every_run_ends(
        rounds in rounds(), early in any::<bool>(), dropped in any::<bool>(), delays in any::<bool>(),
    ) {
        let mut driver = Driver::new(config(early, dropped, delays));
        let mut streams = Vec::new();
        for (round, between) in rounds {
            streams.push(start(&mut driver, &round));
            for step in between {
                play(&mut driver, step);
            }
            check(&mut driver);
            streams.iter().for_each(|stream| is_sound(&driver, *stream));
        }
        // From here on the page answers and resumes all that is open, by runs that nothing disturbs. Where answers
        // are dropped it settles natively.
        for number in 0..60 {
            if dropped {
                let open = driver.engine.calls("s1").into_iter().filter(|call| call.status == "pending");
                for call in open.collect::<Vec<_>>() {
                    driver.post_lenient(json!({ "type": "tool.result", "id": call.id, "result": 1 }));
                }
            }
            driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "i" }));
            driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "int-2" }));
            if !dropped && driver.engine.calls("s1").iter().any(|call| call.status == "pending") {
                let round = Round { run: 100 + number, says: None, answers: 9, resumes: false, lost: 0 };
                streams.push(start(&mut driver, &round));
            }
            driver.pass(3000);
        }
        check(&mut driver);
        let names = driver.names();
        let count = |wanted: &str| names.iter().filter(|name| *name == wanted).count();
        prop_assert_eq!(count("turn.started"), count("turn.completed"));
        for stream in streams {
            is_sound(&driver, stream);
            prop_assert!(dropped || driver.ended.contains(&stream), "{:?}", types(&driver, stream));
        }
    }
}
