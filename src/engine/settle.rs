//! Settling: the checks a page's answer passes, in the engine's order, and what an accepted one does.
//!
//! An answer is accepted before its output is checked, so a violation is told by the stream and never by
//! the status. The first answer wins; a second is refused.

use std::borrow::Cow;

use serde_json::Value;

use super::auth::Owner;
use super::body::{ToolErrorBody, ToolResultBody};
use super::calls::{CallError, CallStatus, Outcome};
use super::check;
use super::config::{Handler, WorkerAnswer};
use super::decisions::Trigger;
use super::http::Reply;
use super::inspect::Settlement;
use super::result::ToolResult;
use super::session::Session;
use super::shared::Shared;

/// What a page's answer carries.
#[derive(Debug)]
pub(crate) enum Answer {
    Result(ToolResultBody),
    Error(ToolErrorBody),
}

impl Answer {
    fn call(&self) -> &str {
        match self {
            Answer::Result(body) => &body.id,
            Answer::Error(body) => &body.id,
        }
    }

    fn attempt(&self) -> Option<u32> {
        match self {
            Answer::Result(body) => body.attempt,
            Answer::Error(body) => body.attempt,
        }
    }
}

/// Takes an answer or says why not. `raw` is the input as posted, for the records.
pub(crate) fn from_page(
    shared: &mut Shared,
    session: Option<&mut Session>,
    owner: &Owner,
    answer: Answer,
    raw: Value,
) -> Result<(), Reply> {
    let session = session.filter(|session| session.latest_turn().is_some());
    let session = session.ok_or_else(|| Reply::error(409, "session has no active turn"))?;
    let id = answer.call().to_owned();
    if session.call(&id).is_none() {
        return Err(Reply::error(404, "effect not found"));
    }
    let outcome = session.take_answer(shared, owner, &id, answer);
    let status = outcome.as_ref().map_or_else(|reply| reply.status, |_| 202);
    if let Some(call) = session.call_mut(&id) {
        let attempt = call.attempt;
        let accepted = status == 202;
        let settlement = Settlement { at: shared.now, attempt, by: "page", accepted, status, body: raw };
        call.settlements.push(settlement);
    }
    match outcome? {
        Taken::Result(result) => session.end_with_result(shared, &id, &result, true),
        Taken::Error(body) => {
            let code = body.code.map_or(Cow::Borrowed("handler_error"), Cow::Owned);
            let error = CallError { message: body.error, code, param: None, detail: body.detail };
            session.fail_call(shared, &id, error, body.retryable);
        }
    }
    session.pump(shared);
    Ok(())
}

/// An answer that passed all checks.
enum Taken {
    Result(ToolResult),
    Error(ToolErrorBody),
}

impl Session {
    fn take_answer(&self, shared: &Shared, owner: &Owner, id: &str, answer: Answer) -> Result<Taken, Reply> {
        let Some(call) = self.call(id) else {
            return Err(Reply::error(404, "effect not found"));
        };
        if self.owner != *owner {
            return Err(Reply::error(403, "session access denied"));
        }
        if call.handler != Handler::Client {
            return Err(Reply::error(403, "caller may not settle this effect"));
        }
        if call.status != CallStatus::Pending {
            return Err(Reply::error(409, "effect is not pending"));
        }
        let current = call.attempt.saturating_add(shared.config.switches.attempt_base);
        if answer.attempt().is_some_and(|attempt| attempt != current) {
            return Err(Reply::error(409, "effect attempt mismatch"));
        }
        match answer {
            Answer::Error(body) => Ok(Taken::Error(body)),
            Answer::Result(body) => ToolResult::from_body(body, shared.config.switches.results)
                .map(Taken::Result)
                .map_err(|_| Reply::error(500, "a tool result carries `result` or `content`, not both")),
        }
    }

    /// Ends a call with a result, or with an error if the result is not what the tool declared.
    pub(crate) fn end_with_result(
        &mut self,
        shared: &mut Shared,
        id: &str,
        result: &ToolResult,
        checked: bool,
    ) {
        let rendered = result.rendered();
        let exempt = result.is_error && !shared.config.switches.check_error_results;
        let schema = self.call(id).and_then(|call| call.output.as_ref());
        let schema = schema.filter(|_| checked && !exempt);
        if let Some(violations) = schema.and_then(|schema| check::violations(schema, &rendered)) {
            let message = format!("tool output violated its declared schema: {violations}");
            let error = CallError { param: Some("output"), ..CallError::new(message, "invalid_response") };
            return self.fail_call(shared, id, error, false);
        }
        let now = shared.now;
        let stored =
            result.stored(shared.config.switches.results, || format!("blob:{}", shared.ids.uuid(now)));
        let outcome = Outcome { rendered, stored, is_error: result.is_error };
        self.complete_call(shared, id, outcome);
        self.enqueue(shared, Trigger::ToolFinished { call: id.to_owned() });
    }

    /// The worker's answer to one of its own calls.
    pub(crate) fn settle_by_worker(
        &mut self,
        shared: &mut Shared,
        id: &str,
        attempt: u32,
        answer: WorkerAnswer,
    ) {
        let Some(call) = self.call_mut(id) else { return };
        if call.status != CallStatus::Pending || call.attempt != attempt {
            return;
        }
        call.settlements.push(Settlement::by_engine(shared.now, attempt, "worker"));
        match answer {
            WorkerAnswer::Result(value) => {
                self.end_with_result(shared, id, &ToolResult::plain(&value), true);
            }
            WorkerAnswer::Error { message, retryable } => {
                let error = CallError::new(message, "handler_error");
                self.fail_call(shared, id, error, retryable);
            }
        }
    }

    /// An answer inside a view: neither fenced by attempt nor held against the output schema. True if it
    /// was taken.
    pub(crate) fn settle_by_view(&mut self, shared: &mut Shared, id: &str, text: &str) -> bool {
        let Some(call) = self.call_mut(id) else { return false };
        if call.status != CallStatus::Pending || call.handler != Handler::Client {
            return false;
        }
        let body = Value::String(text.to_owned());
        let settlement = Settlement {
            body: body.clone(),
            status: 202,
            ..Settlement::by_engine(shared.now, call.attempt, "view")
        };
        call.settlements.push(settlement);
        let result = ToolResult::plain(&body);
        let stored = result.stored(shared.config.switches.results, String::new);
        let outcome = Outcome { rendered: text.to_owned(), stored, is_error: false };
        self.complete_call(shared, id, outcome);
        true
    }
}
