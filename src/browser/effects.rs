//! Carries out what the machine wants done, one effect at a time, and brings the answer back as an input.
//!
//! Each effect that needs JavaScript is started before the next: order is part of the machine's contract.
//! What is awaited holds the driver alive until it is closed.

use super::answers::{decision, outcome, verdict, written};
use super::driver::Driver;
use super::fetching::{follow, post};
use super::host::settle;
use super::request::Wanted;
use super::settings::kept;
use crate::runtime::ids::{AskId, CallId, CallKey, CheckId, InvocationId, WriteId};
use crate::runtime::input::{Input, Written};
use crate::runtime::output::{Direction, Effect, Invoke};
use crate::runtime::record::Record;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Does it, or starts doing it.
pub(super) fn carry_out(driver: &Rc<Driver>, effect: Effect) {
    match effect {
        Effect::OpenStream { request, session_id, after_seq, last_event_id, refresh } => {
            let signal = driver.requests.open(request.0);
            let wanted = Wanted::Stream { after_seq, last_event_id };
            driver.tasks.spawn(follow(Rc::clone(driver), request, session_id, wanted, refresh, signal));
        }
        #[cfg(feature = "ag_ui")]
        Effect::Run { request, session_id, body, connect, refresh } => {
            let signal = driver.requests.open(request.0);
            let wanted = Wanted::Run { body, connect };
            driver.tasks.spawn(follow(Rc::clone(driver), request, session_id, wanted, refresh, signal));
        }
        Effect::Post { request, session_id, body, refresh } => {
            let signal = driver.requests.open(request.0);
            let wanted = Wanted::Input(body);
            driver.tasks.spawn(post(Rc::clone(driver), request, session_id, wanted, refresh, signal));
        }
        Effect::Abort { request } => driver.requests.abort(request.0, "given up"),
        Effect::Check { check, tool, direction, text } => {
            let direction = match direction {
                Direction::Input => "input",
                Direction::Output => "output",
            };
            answer(driver, driver.host().check(&tool, direction, &text), Awaited::Verdict(check));
        }
        Effect::Repair { check, tool, text, problem, issues } => {
            let given = driver.host().repair(&tool, &text, &problem, &issues);
            answer(driver, given, Awaited::Repair(check));
        }
        Effect::Ask { ask, key, tool, text } => ask_person(driver, ask, &key, &tool, &text),
        Effect::WithdrawAsk { ask } => driver.asks.abort(ask.0, "the question is void"),
        Effect::Invoke(invoke) => run(driver, &invoke),
        Effect::Cancel { invocation, reason } => driver.runs.abort(invocation.0, &reason),
        Effect::Persist { write, record } => persist(driver, write, &record),
        // The answer comes as an input of its own, once it is this page's turn.
        Effect::ClaimOwnership => drop(driver.host().claim()),
        Effect::Adopt { session_id } => adopt(driver, session_id),
        Effect::Retire { key } => retire(driver, &key),
    }
}

/// What a promise of the host's is to answer.
enum Awaited {
    Verdict(CheckId),
    Repair(CheckId),
    Decision(AskId),
    Outcome(InvocationId),
    Written(WriteId),
    Adopted(String),
    Nothing,
}

/// Waits for what the host gave and makes an input of it. One kind of task for all: each kind costs code.
fn answer(driver: &Rc<Driver>, given: Result<JsValue, JsValue>, awaited: Awaited) {
    let keeper = Rc::clone(driver);
    driver.tasks.spawn(async move {
        let given = settle(given).await;
        keeper.push(match awaited {
            Awaited::Verdict(check) => Input::Checked { check, verdict: verdict(given) },
            Awaited::Repair(check) => {
                Input::Repaired { check, text: given.ok().and_then(|text| text.as_string()) }
            }
            Awaited::Decision(ask) => {
                keeper.asks.close(ask.0);
                Input::Consented { ask, decision: decision(given) }
            }
            Awaited::Outcome(invocation) => {
                keeper.runs.close(invocation.0);
                Input::Settled { invocation, outcome: outcome(given) }
            }
            Awaited::Written(write) => Input::Persisted { write, result: written(given) },
            Awaited::Adopted(session_id) => {
                let records = kept(&given.unwrap_or_default());
                Input::Adopted { session_id, records }
            }
            Awaited::Nothing => return,
        });
    });
}

fn ask_person(driver: &Rc<Driver>, ask: AskId, key: &CallKey, tool: &str, text: &str) {
    let signal = driver.asks.open(ask.0);
    let CallId { session_id, call_id, attempt } = &**key;
    let given = driver.host().consent(session_id, call_id, *attempt as f64, tool, text, &signal);
    answer(driver, given, Awaited::Decision(ask));
}

fn run(driver: &Rc<Driver>, invoke: &Invoke) {
    let invocation = invoke.invocation;
    let signal = driver.runs.open(invocation.0);
    let CallId { session_id, call_id, attempt } = &*invoke.key;
    let given = driver.host().invoke(
        invocation.0,
        session_id,
        call_id,
        *attempt as f64,
        invoke.turn_id.as_deref(),
        &invoke.tool,
        invoke.deadline.map(|deadline| deadline.0 as f64),
        invoke.trip_index,
        &invoke.text,
        &signal,
    );
    answer(driver, given, Awaited::Outcome(invocation));
}

fn persist(driver: &Rc<Driver>, write: WriteId, record: &Record) {
    if !driver.stores() {
        driver.push(Input::Persisted { write, result: Written::Stored });
        return;
    }
    answer(driver, driver.host().persist(&record.to_json()), Awaited::Written(write));
}

fn adopt(driver: &Rc<Driver>, session_id: String) {
    if driver.stores() {
        answer(driver, driver.host().adopt(&session_id), Awaited::Adopted(session_id));
    } else {
        driver.push(Input::Adopted { session_id, records: Vec::new() });
    }
}

fn retire(driver: &Rc<Driver>, key: &CallKey) {
    if driver.stores() {
        let CallId { session_id, call_id, attempt } = &**key;
        // A record that stays behind is harmless; a rejection nobody heard would not look so.
        let given = driver.host().retire(session_id, call_id, *attempt as f64);
        answer(driver, given, Awaited::Nothing);
    }
}
