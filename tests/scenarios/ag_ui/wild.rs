//! Servers, networks, users and pages that do anything at all, drawn by a seed. Whatever they do, each body is one
//! that a strict server takes, no call runs twice unless it may, each call that ran has one end, and once all behave
//! again the conversation goes on.

use super::runner::{Runner, args, end, start, text};
use super::sound::check_body;
use pagehand::runtime::Config;
use pagehand::runtime::input::{Input, Outcome};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A source of choices: what proptest drew, then zeros.
struct Dice<'a> {
    drawn: &'a [u16],
}

impl Dice<'_> {
    fn up_to(&mut self, count: usize) -> usize {
        let (first, rest) = self.drawn.split_first().map_or((0, self.drawn), |(first, rest)| (*first, rest));
        self.drawn = rest;
        usize::from(first) % count
    }

    fn one<'v, T: ?Sized>(&mut self, of: &[&'v T]) -> &'v T {
        of[self.up_to(of.len())]
    }
}

/// The server's own view: it knows what was posted, and may garble it.
fn event(dice: &mut Dice<'_>, page: &Runner, serial: &mut u32) -> Vec<Value> {
    *serial += 1;
    let fresh = format!("c-{serial}");
    let id = dice.one::<str>(&["call_1", "call_2", &fresh, &fresh, &fresh, ""]).to_owned();
    let message = format!("a-{serial}");
    let home = dice.one::<str>(&["a-1", "a-2", &message, &message, ""]).to_owned();
    match dice.up_to(16) {
        0..=4 => {
            let name =
                dice.one(&["get_cart", "add_item", "boom", "echo", "server_find", "look", "note", "nobody"]);
            let arguments = dice.one(&["{}", "{\"a\":1}", "{\"a\":", "", "[]", "{}{}"]);
            let mut begins = start(&id, name);
            begins["parentMessageId"] = json!(home);
            if dice.up_to(3) == 0 {
                begins.as_object_mut().unwrap().remove("parentMessageId");
            }
            let mut events = vec![begins, args(&id, arguments), end(&id)];
            events.truncate(1 + dice.up_to(4));
            events
        }
        5..=7 => {
            let mut events = text(&home, "Some text.").to_vec();
            events[0]["role"] = json!(dice.one(&["assistant", "assistant", "user", "developer"]));
            events.truncate(1 + dice.up_to(3));
            events
        }
        8 => vec![
            json!({ "type": "TOOL_CALL_RESULT", "messageId": home, "toolCallId": id, "content": dice.one(&["ok", ""]) }),
        ],
        9 | 10 => {
            let posted = page.posted.iter().rev().find(|one| !one.connect);
            let mut list =
                posted.map_or_else(Vec::new, |one| one.body["messages"].as_array().unwrap().clone());
            match dice.up_to(6) {
                0 => list.clear(),
                1 => drop(list.pop()),
                2 => list.retain(|one| one["role"] != "tool"),
                3 => list.retain(|one| one["role"] != "user"),
                4 => list
                    .iter_mut()
                    .enumerate()
                    .for_each(|(at, one)| one["id"] = json!(format!("n-{serial}-{at}"))),
                _ => {}
            }
            vec![json!({ "type": "MESSAGES_SNAPSHOT", "messages": list })]
        }
        11 => vec![json!({ "type": "RUN_STARTED" })],
        12 => vec![json!({ "type": "RUN_FINISHED" })],
        13 => {
            let of = json!({ "id": dice.one(&["i1", "i2"]), "reason": "ask", "toolCallId": id });
            vec![
                json!({ "type": "RUN_FINISHED", "outcome": { "type": "interrupt", "interrupts": [of.clone(), of] } }),
            ]
        }
        14 => vec![
            json!({ "type": dice.one(&["RUN_ERROR", "ODD", "STATE_DELTA"]), "message": "no", "delta": 1 }),
        ],
        _ => vec![json!({ "type": "CUSTOM", "name": "on_interrupt", "value": "{\"ask\":1}" })],
    }
}

fn step(dice: &mut Dice<'_>, page: &mut Runner, serial: &mut u32) {
    let live = page.is_listening();
    let begun = page.opened.contains(&page.last().request);
    match dice.up_to(44) {
        0..=12 if live => {
            for event in event(dice, page, serial) {
                page.say(event);
            }
        }
        13..=19 if live && !begun => page.opens(),
        20..=22 if live => page.say(json!({ "type": "RUN_FINISHED" })),
        23..=26 if live => page.closes(None),
        27 if live => page.breaks(),
        28 if live && !begun => {
            let status = [200, 400, 401, 404, 409, 413, 429, 500, 503][dice.up_to(9)];
            page.answers(status, "text/plain");
            page.closes(None);
        }
        29 | 30 => page.returns_all(),
        31 => {
            let payload = Some(serde_json::from_str("1").unwrap());
            let interrupt_id = dice.one(&["i1", "i2"]).to_owned();
            page.give(Input::InterruptAnswered { interrupt_id, payload, cancelled: dice.up_to(2) == 0 });
        }
        32 => {
            let turn_id = format!("t{}", dice.up_to(usize::try_from(*serial).unwrap() + 1));
            page.give(Input::TurnCancelled { turn_id, reason: "stop".to_owned() });
        }
        33 => {
            *serial += 1;
            page.send_as(&format!("t{serial}"), "go", dice.up_to(4) != 0);
        }
        34 => page.advance([1, 500, 5_000, 70_000, 400_000][dice.up_to(5)]),
        35 => page.reload(),
        36 => {
            page.give(Input::Suspended);
            page.advance(100);
            page.give(Input::Resumed);
        }
        37 => {
            page.give(Input::OwnershipLost);
            let records = page.records();
            page.give(Input::OwnershipGained { records });
        }
        38 => {
            page.give(Input::NetworkChanged { online: false });
            page.advance(1_000);
            page.give(Input::NetworkChanged { online: true });
        }
        39 => page.give(Input::ToolUnregistered { name: "echo".to_owned() }),
        40 => page.slow = true,
        41..=43 => page.stores(),
        _ => {}
    }
}

fn try_it(connectable: bool, drawn: &[u16]) {
    let mut page = Runner::with(Config { connectable, ..Config::default() });
    page.tool(json!({ "name": "look", "readOnly": true }));
    page.tool(json!({ "name": "note", "mode": "silent" }));
    page.waits.insert("add_item".to_owned());
    page.waits.insert("look".to_owned());
    page.gives.insert("boom".to_owned(), Outcome::Returned { json: "null".to_owned(), media: None });
    let mut dice = Dice { drawn };
    let mut serial = 0;
    page.send("t0", "go");
    while !dice.drawn.is_empty() {
        step(&mut dice, &mut page, &mut serial);
    }
    // From here on everybody behaves.
    page.slow = false;
    page.stores();
    page.give(Input::NetworkChanged { online: true });
    page.send("last", "and?");
    for round in 0..400 {
        if page.ended("last").is_some() {
            break;
        }
        page.returns_all();
        for interrupt_id in page.interrupts() {
            page.give(Input::InterruptAnswered { interrupt_id, payload: None, cancelled: true });
        }
        if page.is_listening() {
            match page.last().connect && !page.opened.contains(&page.last().request) {
                true => {
                    page.answers(404, "text/plain");
                    page.closes(None);
                }
                false => page.runs_with(&text(&format!("z-{round}"), "Yes.")),
            }
        }
        page.advance(15_000);
        page.give(Input::Woken);
    }
    let so_far = || {
        let told: Vec<String> = page.events.iter().map(|event| format!("{event:.300?}")).collect();
        let asked =
            page.posted.last().map(|one| (one.connect, one.request, page.aborted.contains(&one.request)));
        format!("{asked:?} {}", told[told.len().saturating_sub(14)..].join("\n"))
    };
    assert!(page.ended("last").is_some(), "the conversation does not go on: {}", so_far());
    assert_eq!(page.machine.open_calls(), 0, "calls are left open");
    for posted in page.posted.iter().filter(|one| !one.connect) {
        check_body(&posted.body);
    }
    let mut runs: BTreeMap<_, usize> = BTreeMap::new();
    for (tool, key) in page.keys.iter().filter(|(tool, _)| tool != "look") {
        *runs.entry((tool, key)).or_default() += 1;
    }
    assert!(runs.values().all(|count| *count == 1), "run twice: {runs:?}");
}

#[test]
fn whatever_a_server_a_network_and_a_user_do_bodies_stay_whole_and_nothing_runs_twice() {
    let cases = std::env::var("WILD").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300);
    let config = Cases { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Cases::default() };
    let drawn = (any::<bool>(), prop::collection::vec(any::<u16>(), 0..160));
    let outcome = TestRunner::new(config).run(&drawn, |(connectable, drawn)| {
        try_it(connectable, &drawn);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
