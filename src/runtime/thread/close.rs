//! What the end of a run means: done, failed, cut off, or calls of this page to answer.

use super::assembly::{Left, Told};
use super::recover::MAX_AGAIN;
use super::{Ask, Errand, Interrupt, Reply, Stage};
use crate::protocol::Frame;
use crate::protocol::RawJson;
use crate::protocol::ag_ui::{Called, Outcome, Suspension};
use crate::protocol::frame::CallError;
use crate::protocol::json;
use crate::runtime::codes::Code;
use crate::runtime::event::{Problem, TurnStatus};
use crate::runtime::machine::Machine;

/// Most tools that are remembered as declared.
const MAX_DECLARED: usize = 4_096;

impl Machine {
    /// A stream was read to its end, or broke off.
    pub(super) fn stream_over(&mut self, ask: Ask, failure: Option<String>) {
        if ask.errand != Errand::Run {
            return self.thread_told(ask, failure);
        }
        let Ask { assembly, finished, went_on, failed, custom_interrupt, .. } = ask;
        // A connection that breaks after the run's end has taken nothing with it.
        let whole = finished.filter(|_| failure.is_none() || !went_on);
        if let Some(error) = failed {
            let id = self.thread.outgoing.as_ref().map(|out| out.id.clone()).unwrap_or_default();
            let told = assembly.finish(&|number| format!("{id}-reply-{number}"));
            return self.run_failed(told, &error);
        }
        let Some((outcome, result)) = whole else {
            let what = failure.unwrap_or_else(|| "the stream ended before the run did".to_owned());
            let id = self.thread.outgoing.as_ref().map(|out| out.id.clone()).unwrap_or_default();
            let told = assembly.finish(&|number| format!("{id}-reply-{number}"));
            return self.run_cut(told, &what);
        };
        let confirmed = self.thread.outgoing.as_ref().is_some_and(|out| out.confirmed);
        if self.config.native_input && outcome.suspensions.is_empty() && !confirmed && self.is_connectable() {
            // Nothing came of it: it was passed over, or its end was told to somebody else.
            return self.ask_thread(Errand::Recover, false);
        }
        self.run_confirmed();
        let Some(out) = self.thread.outgoing.take() else { return };
        self.thread.last_run = Some(out.id.clone());
        let told = assembly.finish(&|number| format!("{}-reply-{number}", out.id));
        self.run_finished(told, outcome, result, custom_interrupt);
    }

    fn run_finished(
        &mut self,
        mut told: Told,
        outcome: Outcome,
        result: Option<RawJson>,
        custom: Option<RawJson>,
    ) {
        let open = std::mem::take(&mut told.open);
        let again = std::mem::take(&mut told.again);
        self.keep(told);
        for call in &again {
            self.tried_again(call);
        }
        if outcome.cancelled {
            self.drop_open_ends();
            let problem = Problem::new(Code::Cancelled, "the server stopped the run");
            return self.thread_over(TurnStatus::Cancelled, None, Some(problem));
        }
        let waits: Vec<&Suspension> =
            outcome.suspensions.iter().filter(|one| !one.is_client_tool()).collect();
        let runnable: Vec<&str> = outcome
            .suspensions
            .iter()
            .filter(|one| one.is_client_tool())
            .filter_map(|one| one.call_id.as_deref())
            .collect();
        // A server may tell calls of earlier runs again.
        let before = |id: &str| {
            !again.iter().any(|call| call == id)
                && self.thread.messages.iter().any(|message| message.call_id.as_deref() == Some(id))
        };
        let open: Vec<Left> = open.into_iter().filter(|left| !before(&left.called.id)).collect();
        let held = |id: &str| waits.iter().any(|one| one.call_id.as_deref() == Some(id));
        let listed = |id: &str| {
            runnable.contains(&id)
                || outcome.pending.as_ref().is_some_and(|ids| ids.iter().any(|pending| pending == id))
        };
        let mut calls: Vec<Called> = Vec::new();
        let mut others: Vec<Called> = Vec::new();
        for Left { called, passed_over } in open {
            let named = listed(&called.id);
            if held(&called.id) && !named {
                continue;
            }
            // The native engine ends a run when all that is open in it is the page's, whatever its name.
            let ours = self.config.native_input || self.is_ours(&called.name);
            if named || (ours && !passed_over && outcome.pending.is_none()) {
                calls.push(called);
            } else if !passed_over && outcome.pending.is_none() {
                others.push(called);
            }
        }
        let custom = custom.filter(|_| outcome.suspensions.is_empty());
        // A name that nobody knows, and nothing else to go on with: the model waits for word of it.
        if calls.is_empty() && waits.is_empty() && custom.is_none() {
            calls.append(&mut others);
        }
        let interrupts = self.tell_interrupts(&waits, custom.as_ref());
        // The engine may have ended the run before it had told all calls of the reply.
        if !calls.is_empty() && interrupts.is_empty() && self.config.native_input && self.is_connectable() {
            self.thread.reply = Reply { calls, interrupts: Vec::new(), leftovers: others };
            return self.ask_thread(Errand::Complete, false);
        }
        self.reply_left(calls, interrupts, others, result);
    }

    /// Goes on with what a reply left: its calls and interrupts, or nothing, which ends the turn.
    pub(super) fn reply_left(
        &mut self,
        calls: Vec<Called>,
        interrupts: Vec<Interrupt>,
        leftovers: Vec<Called>,
        result: Option<RawJson>,
    ) {
        if calls.is_empty() && interrupts.is_empty() {
            // The native engine knows its own open ends, and the transcript by its messages.
            if !self.config.native_input {
                self.drop_open_ends();
            }
            return self.thread_over(TurnStatus::Completed, result, None);
        }
        let interrupts = interrupts.into_iter().map(|interrupt| (interrupt, None)).collect();
        self.thread.reply = Reply { calls, interrupts, leftovers };
        self.thread.stage = Stage::Answering;
        self.store_thread();
        self.open_reply();
    }

    /// Whether calls of this name are this page's.
    pub(super) fn is_ours(&self, name: &str) -> bool {
        self.registry.get(name).is_some() || self.thread.declared.iter().any(|known| known == name)
    }

    /// Notes the tools that a server is told of: a page that comes later may not have them, and answers for them.
    pub(super) fn note_declared(&mut self) {
        for name in self.registry.names() {
            if !self.thread.declared.iter().any(|known| known == name)
                && self.thread.declared.len() < MAX_DECLARED
            {
                self.thread.declared.push(name.to_owned());
            }
        }
        self.registry.note_declared();
    }

    /// Takes what a run told into the transcript.
    pub(super) fn keep(&mut self, told: Told) {
        let known = |messages: &[crate::protocol::ag_ui::Message], id: &str| {
            messages.iter().any(|message| message.id == id)
        };
        let mut news = Vec::new();
        if let Some(whole) = told.whole {
            for message in &whole {
                if message.role == "assistant" && !known(&self.thread.messages, &message.id) {
                    news.push(message.clone());
                }
            }
            self.thread.messages = whole;
        }
        for message in told.added {
            match self.thread.messages.iter_mut().find(|one| one.id == message.id && one.role == message.role)
            {
                // The same message goes on over runs.
                Some(kept) => *kept = message,
                None => {
                    if message.role == "assistant" && message.call_id.is_none() {
                        news.push(message.clone());
                    }
                    self.thread.messages.push(message);
                }
            }
        }
        for message in news.iter().filter(|message| !told.told.contains(&message.id)) {
            self.tell_message(message);
        }
    }

    /// Takes calls out of the transcript that will never have an answer there: the next run would be refused.
    pub(super) fn drop_open_ends(&mut self) {
        let mut answered: Vec<String> = Vec::new();
        for message in &self.thread.messages {
            answered.extend(message.call_id.clone());
        }
        let open = |call: &Called| !answered.contains(&call.id);
        for message in &mut self.thread.messages {
            if message.calls.iter().any(open) {
                *message = message.without(&open);
            }
        }
        self.thread.messages.retain(|message| {
            message.role != "assistant" || message.text.is_some() || !message.calls.is_empty()
        });
    }

    /// The run failed. Nothing of it starts anything, and no further run is made of it by itself.
    fn run_failed(&mut self, mut told: Told, error: &CallError) {
        let unused = told.added.is_empty() && told.whole.is_none();
        let refused = self.thread.outgoing.as_ref().is_some_and(|out| !out.leftovers.is_empty()) && unused;
        if refused && self.answer_leftovers() {
            return;
        }
        let lost = self.thread.outgoing.as_ref().is_some_and(|out| {
            !out.confirmed
                && out.again < MAX_AGAIN
                && out.news.iter().any(|message| message.call_id.is_some())
        });
        if lost && unused && self.config.native_input && self.is_connectable() {
            // An engine that is about to restart says no more than that the run failed.
            self.count_again();
            return self.wait_for(Errand::Recover, &error.message);
        }
        let Some(out) = self.thread.outgoing.take() else { return };
        told.open.clear();
        if out.confirmed {
            self.thread.last_run = Some(out.id.clone());
        } else {
            self.drop_news(&out);
            self.conclude_refused(&out, &error.message);
        }
        self.keep(told);
        self.drop_open_ends();
        self.thread_over(TurnStatus::Failed, None, Some(Problem::of_engine(error)));
    }

    /// A stream ended before its run: that is no success, whatever it told.
    fn run_cut(&mut self, told: Told, what: &str) {
        let confirmed = self.thread.outgoing.as_ref().is_some_and(|out| out.confirmed);
        if self.is_connectable() {
            self.thread.asked_since.get_or_insert(self.now);
            return self.wait_for(Errand::Recover, what);
        }
        if !confirmed {
            return self.wait_for(Errand::Run, what);
        }
        self.thread.outgoing = None;
        self.keep(told);
        self.drop_open_ends();
        let message = format!("the run was cut off before its end: {what}");
        self.thread_over(TurnStatus::Failed, None, Some(Problem::new(Code::StreamNetwork, message)));
    }

    /// Tells of what a run waits for. Gives those that were not known.
    pub(super) fn tell_interrupts(
        &mut self,
        waits: &[&Suspension],
        custom: Option<&RawJson>,
    ) -> Vec<Interrupt> {
        let mut interrupts = Vec::new();
        for one in waits {
            interrupts.push(Interrupt { id: one.id.clone(), by_command: false });
            self.turn_frame(Frame::Interrupted {
                interrupt_id: one.id.clone(),
                reason: one.reason.clone(),
                payload: one.whole.clone(),
            });
        }
        if let Some(value) = custom {
            // The value may be JSON in a string.
            let whole = json::text(value.get())
                .filter(|text| json::document(text).is_some())
                .map_or_else(|| value.clone(), |text| RawJson::of(&text.into_owned().into()));
            let id = format!("{}-interrupt", self.thread.last_run.clone().unwrap_or_default());
            interrupts.push(Interrupt { id: id.clone(), by_command: true });
            let reason = json::pick(whole.get(), ["reason"]).and_then(|[reason]| reason).and_then(json::text);
            let reason = reason.map(std::borrow::Cow::into_owned);
            self.turn_frame(Frame::Interrupted { interrupt_id: id, reason, payload: whole });
        }
        interrupts
    }

    /// The turn is over.
    pub(super) fn thread_over(
        &mut self,
        status: TurnStatus,
        data: Option<RawJson>,
        problem: Option<Problem>,
    ) {
        self.thread.stage = Stage::Rest;
        self.thread.reply = Reply::default();
        self.thread.asked_since = None;
        self.thread.outgoing = None;
        self.thread.runs = 0;
        self.close_interrupts(crate::runtime::sessions::ROOT);
        let turn = self.thread.turn.take();
        self.store_thread();
        if let Some(turn) = turn {
            self.end_turn(&turn, status, data, problem);
        }
        self.pump_thread();
    }
}
