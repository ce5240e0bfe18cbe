//! Carries out what the machine wants done, one effect at a time, and brings the answer back as an input.
//!
//! Each effect that needs JavaScript is started before the next: order is part of the machine's contract.
//! What is awaited holds the driver alive until it is closed.

use super::answers::{decision, outcome, verdict};
use super::driver::Driver;
use super::fetching::{follow, post};
use super::host::settle;
use super::thrown::describe;
use crate::runtime::ids::{AskId, CallKey, CheckId, WriteId};
use crate::runtime::input::{Input, Written};
use crate::runtime::output::{Direction, Effect, Invoke};
use crate::runtime::record::Record;
use serde_json::json;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Does it, or starts doing it.
pub(super) fn carry_out(driver: &Rc<Driver>, effect: Effect) {
    match effect {
        Effect::OpenStream { request, session_id, after_seq, refresh } => {
            let signal = driver.requests.open(request.0);
            driver.tasks.spawn(follow(Rc::clone(driver), request, session_id, after_seq, refresh, signal));
        }
        Effect::Post { request, body, refresh } => {
            let signal = driver.requests.open(request.0);
            driver.tasks.spawn(post(Rc::clone(driver), request, body, refresh, signal));
        }
        Effect::Abort { request } => driver.requests.abort(request.0, "given up"),
        Effect::Check { check, tool, direction, text } => {
            ask_validator(driver, check, &tool, direction, &text)
        }
        Effect::Repair { check, tool, text, problem, issues } => {
            let given = driver.host().repair(&tool, &text, &problem, &issues);
            answer(driver, given, move |given| Input::Repaired {
                check,
                text: given.ok().and_then(|text| text.as_string()),
            });
        }
        Effect::Ask { ask, key, tool, text } => ask_person(driver, ask, &key, &tool, &text),
        Effect::WithdrawAsk { ask } => driver.asks.abort(ask.0, "the question is void"),
        Effect::Invoke(invoke) => run(driver, &invoke),
        Effect::Cancel { invocation, reason } => driver.runs.abort(invocation.0, &reason),
        Effect::Persist { write, record } => persist(driver, write, &record),
        Effect::ClaimOwnership => {}
        Effect::Retire { key } => forget(driver, &key),
    }
}

/// Waits for what the host gave and makes an input of it.
fn answer(
    driver: &Rc<Driver>,
    given: Result<JsValue, JsValue>,
    input: impl FnOnce(Result<JsValue, JsValue>) -> Input + 'static,
) {
    let keeper = Rc::clone(driver);
    driver.tasks.spawn(async move {
        let given = settle(given).await;
        keeper.push(input(given));
    });
}

fn ask_validator(driver: &Rc<Driver>, check: CheckId, tool: &str, direction: Direction, text: &str) {
    let direction = match direction {
        Direction::Input => "input",
        Direction::Output => "output",
    };
    let given = driver.host().check(tool, direction, text);
    answer(driver, given, move |given| Input::Checked { check, verdict: verdict(given) });
}

fn ask_person(driver: &Rc<Driver>, ask: AskId, key: &CallKey, tool: &str, text: &str) {
    let signal = driver.asks.open(ask.0);
    let question = json!({
        "sessionId": key.session_id,
        "callId": key.call_id,
        "attempt": key.attempt,
        "name": tool,
        "text": text,
    });
    let given = driver.host().consent(&question.to_string(), &signal);
    let keeper = Rc::clone(driver);
    answer(driver, given, move |given| {
        keeper.asks.close(ask.0);
        Input::Consented { ask, decision: decision(given) }
    });
}

fn run(driver: &Rc<Driver>, invoke: &Invoke) {
    let invocation = invoke.invocation;
    let signal = driver.runs.open(invocation.0);
    let info = json!({
        "sessionId": invoke.key.session_id,
        "callId": invoke.key.call_id,
        "attempt": invoke.key.attempt,
        "turnId": invoke.turn_id,
        "name": invoke.tool,
        "deadline": invoke.deadline,
        "tripIndex": invoke.trip_index,
    });
    let given = driver.host().invoke(invocation.0, &info.to_string(), &invoke.text, &signal);
    let keeper = Rc::clone(driver);
    answer(driver, given, move |given| {
        keeper.runs.close(invocation.0);
        Input::Settled { invocation, outcome: outcome(given) }
    });
}

fn persist(driver: &Rc<Driver>, write: WriteId, record: &Record) {
    if !driver.stores() {
        driver.push(Input::Persisted { write, result: Written::Stored });
        return;
    }
    let given = match serde_json::to_string(record) {
        Ok(text) => driver.host().persist(&text),
        Err(error) => Err(JsValue::from_str(&error.to_string())),
    };
    answer(driver, given, move |given| Input::Persisted {
        write,
        result: match given.ok().and_then(|word| word.as_string()).as_deref() {
            Some("stored") => Written::Stored,
            Some("fenced") => Written::Fenced,
            _ => Written::Failed,
        },
    });
}

fn forget(driver: &Rc<Driver>, key: &CallKey) {
    if !driver.stores() {
        return;
    }
    if let Ok(text) = serde_json::to_string(key) {
        let given = driver.host().forget(&text);
        driver.tasks.spawn(async move {
            // A record that stays behind is harmless; a rejection nobody heard would not look so.
            let _ = settle(given).await.map_err(|thrown| describe(&thrown));
        });
    }
}
