//! From a handler's end to the call's: check the result, store the answer, send it, have it confirmed.

use super::call::{Answer, Call, Ending, Phase, Settling, Standing};
use super::codes::Code;
use super::config::Dialect;
use super::delivery::{Next, Parcel, Reply, Travel};
use super::event::{Delivery, DeliveryState, Event, Problem, ReportStatus, issues_text};
use super::ids::{CallKey, CheckId, InvocationId, Millis, RequestId, WriteId};
use super::input::{Failure, Outcome, Verdict, Written, retry_after};
use super::machine::{Machine, Owner};
use super::output::{Direction, Effect};
use super::record::{Progress, Record};
use super::report;
use super::tool::Mode;
use crate::protocol::settle::Encoding;
use crate::protocol::settle::write::Object;
use crate::protocol::{json, settle};
use crate::schema;
use std::rc::Rc;

/// What the model is told of a silent tool's success.
const ACKNOWLEDGEMENT: &str = "\"done\"";
/// How often a taken answer is sent again when the stream keeps silent about it.
const MAX_ROUNDS: u32 = 5;

impl Machine {
    pub(super) fn settled(&mut self, invocation: InvocationId, outcome: Outcome) {
        let key = match self.owners.remove(&invocation.0) {
            Some(Owner::Run(key)) => key,
            Some(Owner::Straggler(name)) => {
                self.stragglers = self.stragglers.saturating_sub(1);
                let message =
                    format!("tool `{name}` answered after its call had ended; the answer was dropped");
                return self.warn(Code::Cancelled, message);
            }
            _ => return,
        };
        let now = self.now;
        let Some(call) = self.calls.get_mut(&key) else { return };
        call.ran_until = Some(now);
        match outcome {
            Outcome::Failed { message, retryable, kind } => {
                let code = match kind {
                    Failure::Threw => Code::ToolExecFailed,
                    Failure::Unserialisable => Code::UnserialisableResult,
                    Failure::Declined => Code::Declined,
                    Failure::Cancelled => Code::Cancelled,
                };
                self.answer_error(&key, code, message, retryable);
            }
            Outcome::Returned { json, media } => {
                let size = json.len().saturating_add(media.as_ref().map_or(0, String::len));
                if size > self.config.max_result_bytes {
                    let message = too_large(&call.name, size, self.config.max_result_bytes);
                    return self.answer_error(&key, Code::ResultTooLarge, message, false);
                }
                self.check_result(&key, Settling { json: Rc::from(json), media });
            }
        }
        self.pump_queue();
    }

    fn check_result(&mut self, key: &CallKey, result: Settling) {
        let check = CheckId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        call.output = Some(result.json.clone());
        let Some(tool) = call.tool.clone().filter(|tool| tool.checks_output && result.media.is_none()) else {
            return self.answer_result(key, result);
        };
        // The engine reads a result as JSON when its text parses, so a string is checked as what it says.
        let text = match json::document(&result.json).and_then(json::text) {
            Some(string) => Rc::from(string),
            None => result.json.clone(),
        };
        call.check_until = Some(self.now.plus(self.config.check_timeout));
        call.phase = Phase::CheckingResult { check, result };
        self.owns(check.0, Owner::Call(key.clone()));
        self.tell_call(key, None);
        self.effect(Effect::Check { check, tool: tool.name.clone(), direction: Direction::Output, text });
    }

    pub(super) fn result_checked(&mut self, key: &CallKey, verdict: Verdict) {
        let Some(call) = self.calls.get_mut(key) else { return };
        let Phase::CheckingResult { result, .. } = &call.phase else { return };
        let result = result.clone();
        match verdict {
            Verdict::Valid => self.answer_result(key, result),
            Verdict::Invalid(issues) => {
                let problem = schema::render(&issues);
                let message = format!(
                    "tool `{}` returned a value that does not fit its output schema: {problem}",
                    call.name
                );
                call.issues = issues;
                call.output = None;
                self.answer_error(key, Code::InvalidResult, message, false);
            }
            Verdict::Unavailable(why) => {
                let message = format!("the result of tool `{}` could not be checked: {why}", call.name);
                self.answer_error(key, Code::ValidatorUnavailable, message, false);
            }
        }
    }

    fn answer_result(&mut self, key: &CallKey, result: Settling) {
        let Some(call) = self.calls.get_mut(key) else { return };
        let Some(tool) = call.tool.clone() else { return };
        if call.local {
            return self.finish(key, Ending::Local);
        }
        let silent = tool.mode == Mode::Silent;
        let trigger = self.config.dialect == Dialect::Trigger;
        if self.threads() {
            let json = if tool.mode == Mode::Silent { ACKNOWLEDGEMENT } else { &result.json };
            let media = result.media.as_deref().filter(|_| tool.mode != Mode::Silent);
            let body = self.run_answer(&key.call_id, json, media);
            return self.store_answer(key, body, true);
        }
        let json = if silent { ACKNOWLEDGEMENT } else { &result.json };
        let media =
            result.media.as_deref().filter(|_| !silent).and_then(settle::Media::read_all).unwrap_or_default();
        let Ok(value) = settle::JsonText::new(json) else {
            let message = format!("tool `{}` returned a value that is not JSON", tool.name);
            return self.answer_error(key, Code::UnserialisableResult, message, false);
        };
        let answer = settle::ToolResult {
            id: &key.call_id,
            attempt: key.attempt,
            value,
            media: &media,
            encoding: match tool.encoding {
                // There any value is a result, `null` and look-alikes too.
                Encoding::Auto if trigger => Encoding::Plain,
                encoding => encoding,
            },
        };
        let body = self.answer_body(&key.session_id, &|object| answer.write(object));
        self.store_answer(key, body, true);
    }

    /// Answers a call with an error the model reads. Whatever was being done about the call ends.
    pub(super) fn answer_error(&mut self, key: &CallKey, code: Code, message: String, retryable: bool) {
        let by_run = self.threads();
        let Some(call) = self.calls.get_mut(key) else { return };
        let message = settle::clip(&message, settle::MAX_ERROR_CHARS).into_owned();
        call.error = Some(Problem::new(code, message.clone()));
        if call.local {
            return self.finish(key, Ending::Local);
        }
        if by_run {
            let body = self.run_error(&key.call_id, &message);
            return self.store_answer(key, body, false);
        }
        let answer = settle::ToolError { id: &key.call_id, attempt: key.attempt, error: &message, retryable };
        let body = match self.config.dialect {
            Dialect::Native | Dialect::AgUi => {
                self.answer_body(&key.session_id, &|object| answer.write(object))
            }
            Dialect::Trigger => {
                let issues = issues_text(&call.issues);
                let detail = settle::JsonText::new(&issues).ok().filter(|_| !call.issues.is_empty());
                self.answer_body(&key.session_id, &|object| {
                    answer.write_action(object, code.as_str(), detail)
                })
            }
        };
        self.store_answer(key, body, false);
    }

    /// The bytes of an answer: an input in its envelope, or an action as it is.
    fn answer_body(&self, session_id: &str, write: &dyn Fn(&mut Object<'_>)) -> Rc<str> {
        Rc::from(match self.config.dialect {
            Dialect::Native | Dialect::AgUi => settle::enveloped(session_id, write),
            Dialect::Trigger => settle::bare(write),
        })
    }

    fn store_answer(&mut self, key: &CallKey, body: Rc<str>, ok: bool) {
        self.let_go(key, "the call has its answer");
        let write = WriteId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        let answer = Answer { parcel: Parcel::new(body.clone()), ok, early: false, rounds: 0 };
        call.phase = Phase::Storing { write, answer };
        let record =
            Record { key: key.clone(), tool: call.name.clone(), progress: Progress::Answered { body, ok } };
        self.owns(write.0, Owner::Call(key.clone()));
        self.tell_state(key, super::event::CallState::Answered, None);
        self.effect(Effect::Persist { write, record });
        self.pump_queue();
    }

    pub(super) fn persisted(&mut self, write: WriteId, result: Written) {
        if result != Written::Fenced && self.thread_wrote(write, result) {
            return;
        }
        if result == Written::Fenced {
            // Another page owns the session without this one having been told.
            if self.owners.remove(&write.0).is_some() && self.owner {
                self.ownership_lost();
                self.effect(Effect::ClaimOwnership);
            }
            return;
        }
        if result == Written::Failed {
            self.warn_unstored();
        }
        let Some(key) = self.owner_of(write.0) else { return };
        let Some(call) = self.calls.get(&key) else { return };
        match &call.phase {
            Phase::Starting { write: current } if *current == write => self.run(&key),
            Phase::Storing { write: current, .. } if *current == write => {
                self.tell_call(&key, None);
                self.send(&key, false);
            }
            _ => {}
        }
    }

    pub(super) fn warn_unstored(&mut self) {
        self.warn_once(Code::StoreUnavailable, "", &|| {
            "calls cannot be stored; they go on in memory and will not outlive this page".to_owned()
        });
    }

    /// Puts the answer on its way, whatever it waited for.
    fn send(&mut self, key: &CallKey, refresh: bool) {
        if self.threads() {
            return self.answer_offered(key);
        }
        let request = RequestId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        let (Phase::Storing { answer, .. } | Phase::Delivering { answer, .. } | Phase::Sent { answer, .. }) =
            &mut call.phase
        else {
            return;
        };
        answer.early |= answer.parcel.tries == 0 && !call.dispatched;
        answer.parcel.tries = answer.parcel.tries.saturating_add(1);
        call.tries = answer.parcel.tries;
        let answer = answer.clone();
        let body = answer.parcel.body.clone();
        call.phase = Phase::Delivering { travel: Travel::Sending(request), answer };
        self.owns(request.0, Owner::Call(key.clone()));
        self.tell_call(key, None);
        self.tell_delivery(key, DeliveryState::Sending, None, None, None);
        let session_id = key.session_id.clone();
        self.effect(Effect::Post { request, session_id, body, refresh });
    }

    pub(super) fn post_answered(
        &mut self,
        request: RequestId,
        status: u16,
        retry_header: Option<&str>,
        body: &str,
    ) {
        if self.threads() {
            let arrived = !matches!(status, 0 | 401 | 408 | 425 | 429 | 500..=599);
            return self.settling_answered(request, arrived.then_some((200..300).contains(&status)));
        }
        let reply = Reply::Status { status, retry_after: retry_after(retry_header) };
        match self.owners.remove(&request.0) {
            Some(Owner::Turn(turn_id)) => self.message_answered(&turn_id, &reply, body),
            Some(Owner::Resume(id)) => self.resume_answered(&id, &reply, body),
            Some(Owner::Call(key)) => self.answer_answered(&key, request, &reply, Some(status), body),
            _ => {}
        }
    }

    pub(super) fn post_failed(&mut self, request: RequestId, message: &str) {
        if self.threads() {
            return self.settling_answered(request, None);
        }
        match self.owners.remove(&request.0) {
            Some(Owner::Turn(turn_id)) => self.message_answered(&turn_id, &Reply::Nothing, message),
            Some(Owner::Resume(id)) => self.resume_answered(&id, &Reply::Nothing, message),
            Some(Owner::Call(key)) => self.answer_answered(&key, request, &Reply::Nothing, None, message),
            _ => {}
        }
    }

    fn answer_answered(
        &mut self,
        key: &CallKey,
        request: RequestId,
        reply: &Reply,
        status: Option<u16>,
        said: &str,
    ) {
        let (online, now) = (self.online, self.now);
        let Some(call) = self.calls.get_mut(key) else { return };
        let Phase::Delivering { travel, answer } = &mut call.phase else { return };
        if !matches!(travel, Travel::Sending(current) if *current == request) {
            return;
        }
        let words = (!said.is_empty()).then(|| settle::Refusal::read(said).text);
        match answer.parcel.judge(reply, online, now, &self.config, &mut self.rng) {
            Next::Taken => {
                self.stand(key, Standing::Taken);
                self.tell_delivery(key, DeliveryState::Sent, None, status, None);
            }
            Next::Conflict => {
                self.stand(key, Standing::Conflict { asked: false });
                self.tell_delivery(key, DeliveryState::Sent, Some(Code::DeliveryConflict), status, words);
                self.retry_early_answer(key);
            }
            Next::Refresh => self.send(key, true),
            Next::RetryAt(at) => {
                *travel = Travel::Waiting(Some(at));
                self.tell_call(key, None);
                self.tell_delivery(key, DeliveryState::Waiting, Some(Code::DeliveryNetwork), status, words);
            }
            Next::Park => {
                *travel = Travel::Waiting(None);
                let code = if status.is_some() { Code::DeliveryUnauthorised } else { Code::DeliveryNetwork };
                self.tell_call(key, None);
                self.tell_delivery(key, DeliveryState::Parked, Some(code), status, words);
            }
            Next::TooLarge if answer.ok => {
                let message = format!("the result of tool `{}` is larger than the engine takes", call.name);
                call.output = None;
                self.answer_error(key, Code::ResultTooLarge, message, false);
            }
            // The result itself is what the engine cannot take: the model hears so, and the turn goes on.
            Next::Reject if answer.ok && status != Some(403) => {
                let said = words.unwrap_or_default();
                let message = format!("the engine refused the result of tool `{}`: {said}", call.name);
                call.output = None;
                self.answer_error(key, Code::DeliveryRejected, message, false);
            }
            // An error is short: something on the way is wrong about it, and may be right later.
            Next::TooLarge if answer.rounds < MAX_ROUNDS => {
                answer.rounds = answer.rounds.saturating_add(1);
                *travel = Travel::Waiting(Some(now.plus(self.config.backoff_max)));
                self.tell_call(key, None);
                self.tell_delivery(key, DeliveryState::Waiting, Some(Code::DeliveryRejected), status, words);
            }
            Next::TooLarge | Next::Reject => {
                let message = words.unwrap_or_else(|| "the engine refused the answer".to_owned());
                self.tell_delivery(key, DeliveryState::Abandoned, Some(Code::DeliveryRejected), status, None);
                self.finish(key, Ending::Abandoned(Code::DeliveryRejected, message));
            }
        }
    }

    /// The answer travels no more; the stream has the last word.
    fn stand(&mut self, key: &CallKey, standing: Standing) {
        let until = self.now.plus(self.config.confirm_timeout);
        if let Some(call) = self.calls.get_mut(key)
            && let Phase::Delivering { answer, .. } = &call.phase
        {
            let answer = answer.clone();
            call.phase = Phase::Sent { until, standing, answer };
        }
        self.tell_call(key, None);
        self.release_messages(key);
    }

    /// An answer that left before the engine had dispatched the call may be refused for that alone: once
    /// the dispatch is known, it goes again, once.
    pub(super) fn retry_early_answer(&mut self, key: &CallKey) {
        if self.threads() {
            return;
        }
        let Some(call) = self.calls.get_mut(key) else { return };
        let dispatched = call.dispatched;
        if let Phase::Sent { standing: Standing::Conflict { .. }, answer, .. } = &mut call.phase
            && dispatched
            && std::mem::replace(&mut answer.early, false)
        {
            self.send(key, false);
        }
    }

    pub(super) fn answer_rings_at(&self, call: &Call) -> Option<Millis> {
        if self.threads() {
            // All of a reply go together, when their run goes.
            return None;
        }
        match &call.phase {
            Phase::Delivering { travel: Travel::Waiting(until), .. } => *until,
            Phase::Sent { until, .. } => Some(*until),
            _ => None,
        }
    }

    pub(super) fn ring_answer(&mut self, key: &CallKey) {
        if self.threads() {
            return;
        }
        let place = self.sessions.of(&key.session_id);
        let session = self.sessions.at(place);
        let stream_stopped = session.is_stopped();
        let live = session.is_live();
        let until_next = self.now.plus(self.config.confirm_timeout);
        let waited_for = session.board.waits_for(&key.call_id, key.attempt);
        let Some(call) = self.calls.get_mut(key) else { return };
        let Phase::Sent { until, standing, answer } = &mut call.phase else { return self.send(key, false) };
        match standing {
            _ if stream_stopped => {
                let message =
                    "the answer was taken, but the stream that would confirm it has stopped".to_owned();
                self.finish(key, Ending::Abandoned(Code::StreamRefused, message));
            }
            _ if !live => *until = until_next,
            Standing::Taken if answer.rounds < MAX_ROUNDS => {
                // The same bytes again: a 202 means they land now, a conflict that they had landed.
                answer.rounds = answer.rounds.saturating_add(1);
                self.send(key, false);
            }
            Standing::Conflict { asked } if !*asked => {
                *asked = true;
                *until = until_next;
                self.reread(place);
            }
            // Asked again, the stream still shows the call open: the refusal was wrong, or too early.
            Standing::Conflict { .. } if waited_for && answer.rounds < MAX_ROUNDS => {
                answer.rounds = answer.rounds.saturating_add(1);
                self.send(key, false);
            }
            Standing::Taken | Standing::Conflict { .. } => {
                let message =
                    "the engine neither waits for this answer nor says what became of the call".to_owned();
                self.tell_delivery(key, DeliveryState::Abandoned, Some(Code::DeliveryConflict), None, None);
                self.finish(key, Ending::Abandoned(Code::DeliveryConflict, message));
            }
        }
    }

    pub(super) fn wake_parcels(&mut self) {
        if self.threads() {
            return;
        }
        let parked = self
            .keys_where(&|call| matches!(call.phase, Phase::Delivering { travel: Travel::Waiting(_), .. }));
        for key in parked {
            self.send(&key, false);
        }
        self.wake_messages();
        self.wake_resumes(true);
    }

    pub(super) fn tell_delivery(
        &mut self,
        key: &CallKey,
        state: DeliveryState,
        code: Option<Code>,
        status: Option<u16>,
        message: Option<String>,
    ) {
        let tries = self.calls.get(key).map_or(0, |call| call.tries);
        self.tell(Event::Delivery(Delivery { key: key.clone(), state, tries, code, status, message }));
    }

    /// Ends whatever is being done about a call: its question, its handler, its checks.
    pub(super) fn let_go(&mut self, key: &CallKey, why: &str) {
        let now = self.now;
        let Some(call) = self.calls.get_mut(key) else { return };
        match &call.phase {
            Phase::AwaitingUser { ask } => {
                let ask = *ask;
                if self.owners.remove(&ask.0).is_some() {
                    self.effect(Effect::WithdrawAsk { ask });
                }
            }
            Phase::Running { invocation, .. } => {
                let (invocation, name) = (*invocation, call.name.clone());
                call.ran_until.get_or_insert(now);
                if self.owners.remove(&invocation.0).is_some() {
                    self.straggles(invocation, name);
                    self.effect(Effect::Cancel { invocation, reason: why.to_owned() });
                }
            }
            Phase::Checking { check } | Phase::Repairing { check } | Phase::CheckingResult { check, .. } => {
                let check = *check;
                self.owners.remove(&check.0);
            }
            Phase::Delivering { travel: Travel::Sending(request), .. } => {
                let request = *request;
                if self.owners.remove(&request.0).is_some() {
                    self.effect(Effect::Abort { request });
                }
            }
            Phase::Starting { write } | Phase::Storing { write, .. } => {
                let write = *write;
                self.owners.remove(&write.0);
            }
            Phase::Received
            | Phase::AwaitingTool { .. }
            | Phase::Queued
            | Phase::Delivering { .. }
            | Phase::Sent { .. } => {}
        }
    }

    /// The one way a call leaves the machine: one terminal event, one report, nothing left behind.
    pub(super) fn finish(&mut self, key: &CallKey, ending: Ending) {
        let why = match &ending {
            Ending::Voided(why) => why.clone(),
            _ => "the call has ended".to_owned(),
        };
        self.let_go(key, &why);
        if let Some(state) = ending.delivery().filter(|state| *state != DeliveryState::Abandoned) {
            self.tell_delivery(key, state, None, None, None);
        }
        self.tell_state(key, ending.state(), None);
        let Some(call) = self.calls.remove(key) else { return };
        let report = report::account(&call, &ending, self.now);
        self.add_report(&report);
        let failed = report.status != ReportStatus::Completed;
        self.tell(if failed { Event::Failed(Box::new(report)) } else { Event::Called(Box::new(report)) });
        if !call.local {
            self.remembered.remember(key.clone());
            // The record of an answer nobody took stays: a page that comes later must not run the tool again.
            if !matches!(ending, Ending::Abandoned(..)) {
                self.effect(Effect::Retire { key: key.clone() });
            }
        }
        self.release_messages(key);
        self.pump_queue();
        if self.backlog && self.calls.len() < self.config.max_open_calls {
            self.backlog = false;
            for place in self.sessions.places() {
                self.sessions.at_mut(place).board.touch_all();
                self.compare(place);
            }
        }
    }
}

fn too_large(name: &str, size: usize, most: usize) -> String {
    format!("the result of tool `{name}` takes {size} bytes, more than the {most} that may be sent")
}
