//! What the end of a run means: done, failed, cut off, or calls of this page to answer.

use super::assembly::{Assembly, Left, Told};
use super::recover::MAX_AGAIN;
use super::whole::{self, is_answered, made_at};
use super::{Ask, Errand, Interrupt, Reply, Stage};
use crate::protocol::Frame;
use crate::protocol::RawJson;
use crate::protocol::ag_ui::{Called, Message, Outcome, Resume, Suspension};
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
        let told = self.told_by(assembly);
        if let Some(error) = failed {
            return self.run_failed(told, &error);
        }
        let Some((outcome, result)) = whole else {
            let what = failure.unwrap_or_else(|| "the stream ended before the run did".to_owned());
            return self.run_cut(told, &what);
        };
        let confirmed = self.thread.outgoing.as_ref().is_some_and(|out| out.confirmed);
        if self.config.native_input && outcome.suspensions.is_empty() && !confirmed && self.is_connectable() {
            // Nothing came of it: it was passed over, or its end was told to somebody else.
            return self.ask_thread(Errand::Recover, false);
        }
        self.run_confirmed();
        let Some(out) = self.thread.outgoing.take() else { return };
        self.thread.last_run = Some(out.id);
        self.run_finished(told, outcome, result, custom_interrupt);
    }

    /// What the run under way told. Messages without a name are named by it.
    pub(super) fn told_by(&self, assembly: Assembly) -> Told {
        let id = self.thread.outgoing.as_ref().map(|out| out.id.as_str()).unwrap_or_default();
        assembly.finish(&|number| format!("{id}-reply-{number}"))
    }

    fn run_finished(
        &mut self,
        mut told: Told,
        outcome: Outcome,
        result: Option<RawJson>,
        custom: Option<RawJson>,
    ) {
        let open = self.really_open(&mut told);
        self.keep(told);
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
        let held = |id: &str| waits.iter().any(|one| one.call_id.as_deref() == Some(id));
        let listed = |id: &str| {
            runnable.contains(&id)
                || outcome.pending.as_ref().is_some_and(|ids| ids.iter().any(|pending| pending == id))
        };
        let mut calls: Vec<Called> = Vec::new();
        let mut others: Vec<Called> = Vec::new();
        for Left { called, passed_over, .. } in open {
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

    /// The calls that are open indeed: a server may tell calls of earlier runs again, try one again, or begin to count
    /// anew and give a new call the id of an old one.
    fn really_open(&mut self, told: &mut Told) -> Vec<Left> {
        if let Some(messages) = told.whole.take() {
            self.replace_messages(messages, told);
        }
        let again = std::mem::take(&mut told.again);
        let mut open = std::mem::take(&mut told.open);
        let mut tried = Vec::new();
        for id in again {
            // Of another reply it is another call, which has no answer yet.
            let home = told.added.iter().find(|one| one.calls.iter().any(|call| call.id == id));
            let known = made_at(&self.thread.messages, &id).and_then(|at| self.thread.messages.get(at));
            if home.zip(known).is_none_or(|(home, known)| home.id == known.id) {
                self.tried_again(&id);
                tried.push(id);
            }
        }
        open.retain(|Left { called, parent, passed_over, .. }| {
            let messages = &self.thread.messages;
            let retold = whole::was_made(messages, called, parent.as_deref(), *passed_over);
            let answered = is_answered(messages, &called.id);
            if retold || (tried.contains(&called.id) && made_at(messages, &called.id).is_some()) {
                for message in &mut told.added {
                    if message.calls.iter().any(|call| call.id == called.id) {
                        *message = message.without(&|call| call.id == called.id);
                    }
                }
            }
            !(retold && answered)
        });
        told.added.retain(|message| message.text.is_some() || !message.calls.is_empty());
        for Left { called, .. } in &open {
            self.count_if_over(&called.id);
        }
        open
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
            return self.thread_over(TurnStatus::Completed, result, None);
        }
        // Said twice, one is answered once; and those beyond the cap were told to nobody.
        let mut asked: Vec<(Interrupt, Option<Resume>)> = Vec::new();
        for interrupt in interrupts {
            let known = asked.iter().any(|(known, _)| known.id == interrupt.id);
            if !known && asked.len() < self.config.max_open_calls {
                asked.push((interrupt, None));
            }
        }
        let interrupts = asked;
        let calls = self.with_their_messages(calls);
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

    /// Answers are about calls that the transcript has, whatever a server's own says. Gives the calls that fit here.
    pub(super) fn with_their_messages(&mut self, mut calls: Vec<Called>) -> Vec<Called> {
        let most = self.config.max_open_calls;
        let further = calls.split_off(calls.len().min(most));
        let all: Vec<Called> = calls.iter().chain(&further).cloned().collect();
        let messages = &mut self.thread.messages;
        let last = messages.iter().rposition(|message| message.call_id.is_none());
        let is_last = |call: &Called| last.is_some_and(|at| whole::is_open_at(messages, at, &call.id));
        if !self.config.native_input && !all.iter().all(is_last) {
            // Their answers are to follow right behind them.
            for call in &all {
                let made = made_at(messages, &call.id).filter(|_| !is_answered(messages, &call.id));
                if let Some(message) = made.and_then(|at| messages.get_mut(at)) {
                    *message = message.without(&|one| one.id == call.id);
                }
            }
            messages.retain(|one| one.role != "assistant" || one.text.is_some() || !one.calls.is_empty());
            let id = self.spare_id();
            self.thread.messages.push(Message::assistant(id, String::new(), all, None));
        }
        if !further.is_empty() {
            let message = format!("more than {most} calls are open on this page; try again later");
            for call in further {
                let id = self.answer_id(&call.id);
                let answer = Message::tool(id, call.id, &message, false, true);
                self.thread.messages.push(answer);
            }
            self.warn_once(Code::Overloaded, "reply", &|| message.clone());
        }
        calls
    }

    pub(super) fn spare_id(&mut self) -> String {
        self.thread.spare = self.thread.spare.saturating_add(1);
        format!("{}-{}", self.sessions.root().id, self.thread.spare)
    }

    /// The server's transcript takes the place of ours; its replies that are new are told.
    fn replace_messages(&mut self, messages: Vec<Message>, told: &Told) {
        let before = std::mem::take(&mut self.thread.messages);
        let made_now = |id: &str| {
            told.open.iter().any(|Left { called, parent, passed_over, streamed }| {
                *streamed
                    && called.id == id
                    && !whole::was_made(&before, called, parent.as_deref(), *passed_over)
            })
        };
        let known = |message: &&Message| {
            message.role == "assistant" && !before.iter().any(|one| one.id == message.id)
        };
        let news: Vec<Message> = messages.iter().filter(known).cloned().collect();
        self.thread.messages = messages;
        whole::complete(&mut self.thread.messages, &before, &made_now);
        for message in news.iter().filter(|message| !told.told.contains(&message.id)) {
            self.tell_message(message);
        }
    }

    /// Takes what a run told into the transcript.
    pub(super) fn keep(&mut self, mut told: Told) {
        if let Some(messages) = told.whole.take() {
            self.replace_messages(messages, &told);
        }
        for mut message in told.added {
            if message.call_id.is_some() {
                whole::place(&mut self.thread.messages, message);
                continue;
            }
            let spoken = told.told.contains(&message.id);
            let known = self.thread.messages.iter().rposition(|one| one.id == message.id);
            if let Some(at) = known {
                let earlier = whole::is_of_an_earlier_turn(&self.thread.messages, at);
                // The same message may go on over runs. Of an earlier turn, it is another one.
                let goes_on = |kept: &&mut Message| {
                    let text = kept.text.as_deref().unwrap_or_default();
                    !earlier
                        && kept.role == message.role
                        && kept.calls.is_empty()
                        && message.text.as_deref().unwrap_or_default().starts_with(text)
                };
                if let Some(kept) = self.thread.messages.get_mut(at).filter(goes_on) {
                    *kept = message;
                    continue;
                }
            }
            if known.is_some() || message.id.is_empty() {
                message = message.renamed(self.spare_id());
            }
            if message.role == "assistant" && !spoken {
                self.tell_message(&message);
            }
            self.thread.messages.push(message);
        }
    }

    /// Takes calls out of the transcript that will never have an answer there: the next run would be refused.
    pub(super) fn drop_open_ends(&mut self) {
        whole::drop_open(&mut self.thread.messages, usize::MAX);
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
            self.keep_answers(&out);
            let of_interrupts = format!("the server refused the answer to the interrupt: {}", error.message);
            self.conclude_refused(&out, None, &error.message, &of_interrupts);
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
        // The native engine knows its own open ends, and the transcript by its messages.
        if !self.config.native_input {
            self.drop_open_ends();
        }
        let turn = self.thread.turn.take();
        self.store_thread();
        if let Some(turn) = turn {
            self.end_turn(&turn, status, data, problem);
        }
        self.pump_thread();
    }
}
