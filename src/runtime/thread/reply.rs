//! The answers that the next run waits for: all of one reply's, and then one run that carries them.

use super::whole::{is_answered, made_at};
use super::{Outgoing, Stage, whole};
use crate::protocol::ag_ui::{Called, Message, Resume};
use crate::protocol::frame::{CallError, CallRequested, Handler};
use crate::protocol::settle::write::Object;
use crate::protocol::{Frame, RawJson};
use crate::runtime::call::{Ending, Phase, Standing};
use crate::runtime::codes::Code;
use crate::runtime::delivery::Travel;
use crate::runtime::event::{DeliveryState, Problem, TurnStatus};
use crate::runtime::ids::CallKey;
use crate::runtime::machine::Machine;
use crate::runtime::tool::Mode;
use std::rc::Rc;

/// Most calls whose tries are counted.
const MAX_TRIED: usize = 1_024;

impl Machine {
    /// The key of a call: a server does not number its tries, so they are counted here.
    pub(super) fn thread_key(&self, call_id: &str) -> CallKey {
        CallKey::new(self.sessions.root().id.clone(), call_id.to_owned(), self.thread_attempt(call_id))
    }

    fn thread_attempt(&self, call_id: &str) -> u64 {
        self.thread.tries.iter().find(|(id, _)| id == call_id).map_or(0, |(_, tries)| *tries)
    }

    /// The next call of this id is another one.
    pub(super) fn count_try(&mut self, call_id: &str) {
        let tries = &mut self.thread.tries;
        if let Some((_, tries)) = tries.iter_mut().find(|(id, _)| id == call_id) {
            *tries = tries.saturating_add(1);
            return;
        }
        if tries.len() >= MAX_TRIED {
            tries.remove(0);
        }
        tries.push((call_id.to_owned(), 1));
    }

    /// The same, if one of this id has ended.
    pub(super) fn count_if_over(&mut self, call_id: &str) {
        if self.remembered.knows(&self.thread_key(call_id)) {
            self.count_try(call_id);
        }
    }

    /// The server tries a call again after it had told an answer.
    pub(super) fn tried_again(&mut self, call_id: &str) {
        self.count_try(call_id);
        // The answer of the try before is none of this one's.
        let made = made_at(&self.thread.messages, call_id).unwrap_or_default();
        let mut at = 0_usize;
        self.thread.messages.retain(|message| {
            at = at.saturating_add(1);
            at <= made || message.call_id.as_deref() != Some(call_id)
        });
    }

    /// The id of the message that answers a call. Of calls that share an id each has its own.
    pub(super) fn answer_id(&self, call_id: &str) -> String {
        match self.thread_attempt(call_id) {
            0 => format!("{call_id}-answer"),
            attempt => format!("{call_id}-answer-{attempt}"),
        }
    }

    /// Puts the calls of the last reply on the board.
    pub(super) fn open_reply(&mut self) {
        for called in self.thread.reply.calls.clone() {
            let attempt = self.thread_attempt(&called.id);
            self.turn_frame(Frame::CallRequested(CallRequested {
                id: called.id,
                attempt,
                name: called.name,
                arguments: called.arguments,
                handler: Handler::Client,
                max_attempts: Some(1),
                run_timeout: None,
                deadline: None,
                dispatched: true,
                objection: None,
            }));
        }
        self.pump_reply();
    }

    /// The bytes of a result: a tool message. Its content is text, because parts are read by few servers; what is
    /// not text goes along as JSON.
    pub(in crate::runtime) fn run_answer(&self, call_id: &str, json: &str, media: Option<&str>) -> Rc<str> {
        let id = self.answer_id(call_id);
        let message = match media {
            Some(media) => {
                let mut text = String::new();
                let mut object = Object::begin(&mut text);
                object.raw("content", media);
                object.raw("structuredContent", json);
                object.end();
                Message::tool(id, call_id.to_owned(), &text, false, false)
            }
            // A string is its own text; its literal is taken as it is, odd escapes and all.
            None => Message::tool(id, call_id.to_owned(), json, json.starts_with('"'), false),
        };
        message.json
    }

    /// The bytes of an error. Its words are the content too: few servers read the field for them.
    pub(in crate::runtime) fn run_error(&self, call_id: &str, message: &str) -> Rc<str> {
        Message::tool(self.answer_id(call_id), call_id.to_owned(), message, false, true).json
    }

    /// An answer is there and stored.
    pub(in crate::runtime) fn answer_offered(&mut self, key: &CallKey) {
        if let Some(call) = self.calls.get_mut(key)
            && let Phase::Storing { answer, .. }
            | Phase::Delivering { answer, .. }
            | Phase::Sent { answer, .. } = &call.phase
        {
            let answer = answer.clone();
            call.phase = Phase::Delivering { travel: Travel::Waiting(None), answer };
            self.tell_call(key, None);
        }
        self.pump_reply();
    }

    /// Begins the next run once every answer of the reply is there.
    pub(super) fn pump_reply(&mut self) {
        if !matches!(self.thread.stage, Stage::Answering) {
            return;
        }
        // Asked first: with many calls, reading the answers each time would take its time.
        let waits = |called: &Called| {
            let key = self.thread_key(&called.id);
            match self.calls.get(&key).map(|call| &call.phase) {
                Some(phase) => !matches!(phase, Phase::Delivering { .. }),
                None => !self.remembered.knows(&key),
            }
        };
        if self.thread.reply.calls.iter().any(waits) {
            return;
        }
        let (mut news, mut carries, mut over) = (Vec::new(), Vec::new(), Vec::new());
        for called in &self.thread.reply.calls {
            let key = self.thread_key(&called.id);
            match self.calls.get(&key).map(|call| &call.phase) {
                Some(Phase::Delivering { answer, .. }) => {
                    let spare = || self.answer_id(&called.id);
                    let answer = Message::read(&answer.parcel.body, &spare);
                    news.extend(answer.map(|one| whole::named_apart(&self.thread.messages, one)));
                    carries.push(key);
                }
                // Ended by another way, of which it knows itself: left for the board, or remembered.
                _ => over.push(called.id.clone()),
            }
        }
        let interrupts = &self.thread.reply.interrupts;
        if interrupts.iter().any(|(_, answer)| answer.is_none()) {
            return;
        }
        let resumes: Vec<Resume> = interrupts.iter().filter_map(|(_, answer)| answer.clone()).collect();
        if news.is_empty() && resumes.is_empty() {
            // Every call of it had ended before.
            return self.thread_over(TurnStatus::Completed, None, None);
        }
        // The server's transcript may have come in between, without them.
        let mut answered = self.thread.reply.calls.clone();
        answered.retain(|called| carries.iter().any(|key| key.call_id == called.id));
        self.with_their_messages(answered);
        for id in over.into_iter().filter(|_| !self.config.native_input) {
            let message = "the call had ended before; what became of it is not known any more";
            let answer = Message::tool(self.answer_id(&id), id, message, false, true);
            whole::place(&mut self.thread.messages, answer);
        }
        if self.ends_silently(&carries) {
            return self.settle_here(news, &carries, TurnStatus::Completed, None);
        }
        if let Some(problem) = self.brake(&news) {
            return self.settle_here(news, &carries, TurnStatus::Failed, Some(problem));
        }
        let leftovers = std::mem::take(&mut self.thread.reply.leftovers);
        self.begin_run(news, carries, resumes, leftovers);
    }

    /// Whether the model wants to hear of none of the reply's calls.
    fn ends_silently(&self, carries: &[CallKey]) -> bool {
        let reply = &self.thread.reply;
        let silent = |key: &CallKey| {
            let tool = self.calls.get(key).and_then(|call| call.tool.as_ref());
            tool.is_some_and(|tool| tool.mode == Mode::Silent)
        };
        // Another call of the reply, whoever answered it, is one the model wants to hear of.
        let last = self.thread.messages.iter().rev().find(|message| message.role == "assistant");
        let all = last.map_or(0, |message| message.calls.len());
        reply.interrupts.is_empty()
            && !carries.is_empty()
            && carries.len() == reply.calls.len()
            && carries.len() >= all
            && carries.iter().all(silent)
    }

    /// Stops a model that goes round in circles.
    fn brake(&mut self, news: &[Message]) -> Option<Problem> {
        if news.is_empty() {
            return None;
        }
        let mut round = String::new();
        for (called, message) in self.thread.reply.calls.iter().zip(news) {
            for part in [&called.name, &called.arguments, message.text.as_ref().unwrap_or(&called.name)] {
                round.push_str(part);
                round.push('\n');
            }
        }
        let (last, count) = &mut self.thread.round;
        if *last == round {
            *count = count.saturating_add(1);
        } else {
            *last = round;
            *count = 1;
        }
        let (same, runs) = (u64::from(*count), u64::from(self.thread.runs));
        let message = if same > self.config.max_identical_rounds {
            format!(
                "the model made the same calls {same} times running and got the same answers; no further run was made"
            )
        } else if runs >= self.config.max_rounds {
            format!("the turn took {runs} runs and no end was in sight; no further run was made")
        } else {
            return None;
        };
        Some(Problem::new(Code::TurnLooped, message))
    }

    /// The answers join the transcript without a run: the next one brings them along.
    fn settle_here(
        &mut self,
        news: Vec<Message>,
        carries: &[CallKey],
        status: TurnStatus,
        problem: Option<Problem>,
    ) {
        if self.config.native_input {
            self.thread.unsent.extend_from_slice(&news);
        }
        self.confirm(&news, carries);
        self.thread_over(status, None, problem);
    }

    /// The server has what the run under way brought.
    pub(super) fn run_confirmed(&mut self) {
        let Some(out) = self.thread.outgoing.as_mut().filter(|out| !out.confirmed) else { return };
        out.confirmed = true;
        let (news, carries, resumes) =
            (std::mem::take(&mut out.news), out.carries.clone(), out.resumes.clone());
        self.thread.asked_since = None;
        self.thread.unsent.clear();
        if !std::mem::replace(&mut self.thread.turn_told, true)
            && let Some(turn_id) = self.thread.turn.clone()
        {
            self.turn_taken(&turn_id);
        }
        self.confirm(&news, &carries);
        for Resume { id, payload, .. } in resumes {
            self.turn_frame(Frame::Resumed { interrupt_id: id, payload: payload.unwrap_or_default() });
        }
    }

    /// Takes answers and messages into the transcript, for good: stored before their calls are forgotten.
    fn confirm(&mut self, news: &[Message], carries: &[CallKey]) {
        self.thread.messages.extend_from_slice(news);
        self.thread.reply.calls.clear();
        self.thread.reply.interrupts.clear();
        self.store_thread();
        for message in news {
            self.tell_message(message);
        }
        for (key, message) in carries.iter().zip(news) {
            self.confirm_call(key, message.text.as_deref().unwrap_or_default());
        }
    }

    /// A call's answer is where it was to go.
    fn confirm_call(&mut self, key: &CallKey, content: &str) {
        let until = self.now;
        let Some(call) = self.calls.get_mut(key) else { return };
        let ok = call.phase.answered_ok() == Some(true);
        if let Phase::Delivering { answer, .. } = &call.phase {
            let answer = answer.clone();
            call.phase = Phase::Sent { until, standing: Standing::Taken, answer };
        }
        self.tell_delivery(key, DeliveryState::Sent, None, None, None);
        let id = key.call_id.clone();
        self.turn_frame(if ok {
            Frame::CallCompleted { id, result: RawJson::of(&content.into()) }
        } else {
            let error = CallError { message: content.to_owned(), code: None };
            Frame::CallErrored { id, error, retryable: false }
        });
    }

    /// A run that was refused had answers, to calls and to interrupts: they are given up, each with why.
    pub(super) fn conclude_refused(
        &mut self,
        out: &Outgoing,
        status: Option<u16>,
        said: &str,
        of_interrupts: &str,
    ) {
        for key in &out.carries {
            self.tell_delivery(key, DeliveryState::Abandoned, Some(Code::DeliveryRejected), status, None);
            self.finish(key, Ending::Abandoned(Code::DeliveryRejected, said.to_owned()));
        }
        for resume in &out.resumes {
            self.refuse_resume(&resume.id, of_interrupts.to_owned());
        }
    }

    /// Keeps of a run's news what must not be missing in the transcript.
    pub(super) fn keep_answers(&mut self, out: &Outgoing) {
        self.thread.messages.extend(out.news.iter().filter(|message| message.call_id.is_some()).cloned());
    }

    /// The server will not go on without word of calls that looked like its own: they get one. Once.
    pub(super) fn answer_leftovers(&mut self) -> bool {
        let Some(out) = self.thread.outgoing.as_mut() else { return false };
        let mut leftovers = std::mem::take(&mut out.leftovers);
        let messages = &self.thread.messages;
        leftovers.retain(|call| made_at(messages, &call.id).is_some() && !is_answered(messages, &call.id));
        if leftovers.is_empty() {
            return false;
        }
        let carried = out.news.len();
        let answers = leftovers.into_iter().map(|Called { id, name, .. }| {
            let text =
                format!("tool `{name}` does not exist on this page; call only tools that are declared");
            Message::tool(format!("{id}-answer"), id, &text, false, true)
        });
        let answers: Vec<Message> = answers.collect();
        if out.confirmed || carried == 0 {
            // What the run brought is part of the transcript by now.
            self.thread.messages.extend(answers);
        } else {
            out.news.extend(answers);
        }
        let Some(out) = self.thread.outgoing.take() else { return false };
        self.thread.last_run = Some(out.id.clone());
        self.begin_run(out.news, out.carries, out.resumes, Vec::new());
        true
    }

    /// The app answers an interrupt of the conversation. False if none of this id is open.
    pub(in crate::runtime) fn thread_resumed(
        &mut self,
        id: &str,
        payload: Option<&RawJson>,
        cancelled: bool,
    ) -> bool {
        let Some((interrupt, answer)) =
            self.thread.reply.interrupts.iter_mut().find(|(interrupt, _)| interrupt.id == id)
        else {
            return false;
        };
        if answer.is_none() {
            let by_command = interrupt.by_command;
            *answer = Some(Resume { id: id.to_owned(), payload: payload.cloned(), cancelled, by_command });
            self.store_thread();
            self.pump_reply();
        }
        true
    }
}
