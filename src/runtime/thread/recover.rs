//! The thread as the server has it: asked for at the beginning, after a run that broke off, and where a run's end
//! may have come before all its calls were told.

use super::{Ask, Errand, Stage, whole};
use crate::protocol::ag_ui::{Called, Message, Suspension};
use crate::runtime::codes::Code;
use crate::runtime::delivery::{Next, Parcel, Reply as Answered};
use crate::runtime::event::{ConnectionState, Problem, TurnStatus};
use crate::runtime::ids::Millis;
use crate::runtime::machine::Machine;
use crate::runtime::sessions::ROOT;

/// How often a run that the server is found not to have is posted anew.
pub(super) const MAX_AGAIN: u32 = 10;

impl Machine {
    /// Whether the server may be asked for the thread.
    pub(super) fn is_connectable(&self) -> bool {
        self.config.connectable && !self.thread.unconnectable
    }

    /// Goes on with an errand later, a little later each time.
    pub(super) fn wait_for(&mut self, errand: Errand, what: &str) {
        let failures = self.thread.outgoing.as_mut().map_or(self.thread.refusals, |out| {
            out.failures = out.failures.saturating_add(1);
            out.failures
        });
        let until = self.later(failures.saturating_sub(1), None);
        self.thread.stage = Stage::Waiting(until, errand);
        let span = until.map(|until| until.since(self.now));
        let hint = Some(format!("{what}; trying again"));
        self.tell_connection(ROOT, ConnectionState::Waiting, Some(Code::StreamNetwork), None, hint, span);
    }

    /// Asks for the thread later, unless that was tried for long enough.
    fn ask_later(&mut self, errand: Errand, what: &str) {
        if errand == Errand::Recover && self.online {
            let since = *self.thread.asked_since.get_or_insert(self.now);
            if self.now.since(since) >= self.config.connect_patience {
                self.thread.asked_since = None;
                self.tell_connection(ROOT, ConnectionState::Idle, None, None, None, None);
                return self.without_thread(errand);
            }
        }
        self.wait_for(errand, what);
    }

    /// The run under way was refused or found missing once more.
    pub(super) fn count_again(&mut self) {
        if let Some(out) = &mut self.thread.outgoing {
            out.again = out.again.saturating_add(1);
        }
    }

    /// The server did not give the thread.
    pub(super) fn connect_refused(
        &mut self,
        errand: Errand,
        reply: &Answered,
        status: Option<u16>,
        said: &str,
    ) {
        // A parcel of its own: only its judgement is wanted.
        let mut parcel = Parcel::new("".into());
        let next = parcel.judge(reply, self.online, self.now, &self.config, &mut self.rng);
        let absent = matches!(status, Some(200 | 404 | 405 | 410 | 501));
        self.thread.refusals = self.thread.refusals.saturating_add(1);
        match next {
            _ if absent => {
                // There is no such way: what is known here has to do.
                self.thread.unconnectable = true;
                self.tell_connection(ROOT, ConnectionState::Idle, None, None, None, None);
                self.without_thread(errand);
            }
            Next::Refresh if !std::mem::replace(&mut self.thread.refreshed, true) => {
                self.ask_thread(errand, true);
            }
            Next::RetryAt(_) => self.ask_later(errand, said),
            // A second refusal of the token is left to whoever wakes the runtime.
            Next::Park | Next::Refresh => {
                self.thread.refreshed = false;
                self.thread.stage = Stage::Waiting(None, errand);
                let hint = Some(format!("the server cannot be asked for the conversation: {said}"));
                self.tell_connection(
                    ROOT,
                    ConnectionState::Waiting,
                    Some(Code::StreamRefused),
                    status,
                    hint,
                    None,
                );
            }
            // It is refused, for now: another state of things may allow it.
            _ if self.thread.refusals < MAX_AGAIN => self.ask_later(errand, said),
            _ => {
                self.tell_connection(ROOT, ConnectionState::Idle, None, None, None, None);
                self.without_thread(errand);
            }
        }
    }

    /// Goes on without the server's word on the thread.
    fn without_thread(&mut self, errand: Errand) {
        match errand {
            Errand::Run => {}
            Errand::Begin => self.begin_from(None),
            Errand::Complete => {
                let reply = std::mem::take(&mut self.thread.reply);
                self.reply_left(reply.calls, Vec::new(), reply.leftovers, None);
            }
            Errand::Recover if self.thread.outgoing.as_ref().is_some_and(|out| out.confirmed) => {
                self.thread.outgoing = None;
                let message =
                    "the run was cut off before its end, and the server cannot tell what became of it";
                self.thread_over(TurnStatus::Failed, None, Some(Problem::new(Code::StreamNetwork, message)));
            }
            Errand::Recover => self.post_run(false),
        }
    }

    /// The server's word on the thread came, whole or not.
    pub(super) fn thread_told(&mut self, ask: Ask, failure: Option<String>) {
        let Ask { errand, assembly, finished, failed, .. } = ask;
        if failed.is_some() {
            self.thread.unconnectable = true;
            return self.without_thread(errand);
        }
        self.thread.refusals = 0;
        self.thread.refreshed = false;
        let bare = assembly.is_empty();
        if finished.is_none() && (failure.is_some() || bare) {
            let what = failure.unwrap_or_else(|| "the stream ended before the conversation did".to_owned());
            return self.ask_later(errand, &what);
        }
        let session_id = self.sessions.root().id.clone();
        let told = assembly.finish(&|number| format!("{session_id}-reply-{number}"));
        let mut messages = told.whole.unwrap_or_default();
        for mut message in told.added {
            if message.id.is_empty() {
                message = message.renamed(self.spare_id());
            }
            if message.call_id.is_some() {
                whole::place(&mut messages, message);
            } else if !messages.iter().any(|known| known.id == message.id) {
                messages.push(message);
            }
        }
        let waits = finished.map(|(outcome, _)| outcome.suspensions).unwrap_or_default();
        match errand {
            Errand::Run => {}
            Errand::Begin => self.begin_from(Some((messages, waits))),
            Errand::Complete => self.complete_with(messages),
            Errand::Recover => self.recover_with(messages, &waits),
        }
    }

    /// All calls of the reply that was told only in part.
    fn complete_with(&mut self, messages: Vec<Message>) {
        let reply = std::mem::take(&mut self.thread.reply);
        let known = reply.calls.iter().all(|call| {
            open_calls(&messages, self.config.native_input).iter().any(|open| open.id == call.id)
        });
        if !known {
            // What the server says is older than what its run told.
            return self.reply_left(reply.calls, Vec::new(), reply.leftovers, None);
        }
        let mut calls = reply.calls;
        for call in open_calls(&messages, self.config.native_input) {
            match calls.iter_mut().find(|known| known.id == call.id) {
                Some(known) => *known = call,
                None if self.is_ours(&call.name) => calls.push(call),
                None => {}
            }
        }
        self.take_over(messages);
        self.reply_left(calls, Vec::new(), reply.leftovers, None);
    }

    /// What became of a run that broke off.
    fn recover_with(&mut self, messages: Vec<Message>, waits: &[Suspension]) {
        let Some(out) = &self.thread.outgoing else {
            return self.thread_over(TurnStatus::Completed, None, None);
        };
        let has = |news: &Message| match &news.call_id {
            Some(call) => whole::is_answered(&messages, call),
            None => messages.iter().any(|message| message.id == news.id) || self.has_renamed(&messages, news),
        };
        let landed =
            out.confirmed || (out.news.iter().all(has) && (!out.news.is_empty() || !out.resumes.is_empty()));
        if !landed {
            // An engine that is at work on something else would pass the run over.
            let open = open_calls(&messages, self.config.native_input);
            let busy = match open.is_empty() {
                true => messages.last().is_some_and(|last| last.role != "assistant"),
                false => open.iter().all(|call| !self.is_ours(&call.name)),
            };
            if self.config.native_input && busy && !messages.is_empty() {
                return self.ask_again(&messages);
            }
            if out.again > MAX_AGAIN {
                return self.run_refused(None, "the server took the run and did not keep what it brought");
            }
            if self.config.native_input {
                self.adopt_messages(messages);
            }
            // Elsewhere the run itself says how the conversation goes: it is the same bytes again.
            self.count_again();
            return self.wait_for(Errand::Run, "the server does not have the run");
        }
        self.run_confirmed();
        if messages.is_empty() {
            return self.ask_again(&messages);
        }
        let open = open_calls(&messages, self.config.native_input);
        let last = messages.last().map(|message| message.role.clone()).unwrap_or_default();
        // What waits for an approval is not to run before it.
        let held = |call: &Called| {
            waits.iter().any(|one| one.call_id.as_ref() == Some(&call.id) && !one.is_client_tool())
        };
        let ours: Vec<Called> =
            open.iter().filter(|call| self.is_ours(&call.name) && !held(call)).cloned().collect();
        let replied = last == "assistant";
        // While a call of the server's own is open, or no reply came, it is still at work.
        let waits: Vec<&Suspension> = waits.iter().filter(|one| !one.is_client_tool()).collect();
        if waits.is_empty() && ours.is_empty() && (!replied || !open.is_empty()) {
            return self.ask_again(&messages);
        }
        if let Some(out) = self.thread.outgoing.take() {
            self.thread.last_run = Some(out.id);
        }
        self.thread.asked_since = None;
        self.take_over(messages);
        let interrupts = self.tell_interrupts(&waits, None);
        self.reply_left(ours, interrupts, Vec::new(), None);
    }

    /// Whether a server that gives messages ids of its own has this one: the last that a person said, and one more
    /// than were said before.
    fn has_renamed(&self, messages: &[Message], news: &Message) -> bool {
        let said = |list: &[Message]| list.iter().filter(|message| message.role == "user").count();
        let last = messages.iter().rfind(|message| message.role == "user");
        !self.config.native_input
            && said(messages) > said(&self.thread.messages)
            && last.is_some_and(|last| last.text == news.text)
    }

    /// The server has not come to an end yet.
    fn ask_again(&mut self, messages: &[Message]) {
        let since = *self.thread.asked_since.get_or_insert(self.now);
        if self.now.since(since) < self.config.connect_patience {
            let until = Some(self.now.plus(Millis(self.config.backoff_base.0.max(1))));
            self.thread.stage = Stage::Waiting(until, Errand::Recover);
            return;
        }
        self.thread.outgoing = None;
        if !messages.is_empty() {
            self.take_over(messages.to_vec());
        }
        let message = "the run was cut off, and the server did not say how it ended";
        self.thread_over(TurnStatus::Failed, None, Some(Problem::new(Code::StreamNetwork, message)));
    }

    /// The server's transcript takes the place of ours; replies that are new are told.
    pub(super) fn take_over(&mut self, messages: Vec<Message>) {
        let news: Vec<Message> = messages
            .iter()
            .filter(|message| !self.thread.messages.iter().any(|known| same(known, message)))
            .cloned()
            .collect();
        self.adopt_messages(messages);
        for message in news {
            if message.role == "assistant" || message.role == "tool" {
                self.tell_message(&message);
            }
        }
    }

    /// The server's transcript, and behind it what only this page knows: answers that it could not send.
    pub(super) fn adopt_messages(&mut self, messages: Vec<Message>) {
        if messages.is_empty() {
            return;
        }
        let before = std::mem::replace(&mut self.thread.messages, messages);
        if !self.config.native_input {
            whole::complete(&mut self.thread.messages, &before, &|_| false);
            for call in open_calls(&self.thread.messages, false) {
                // What is open although one of its id was answered is another one.
                if whole::is_answered(&before, &call.id) {
                    self.count_if_over(&call.id);
                }
            }
        }
    }
}

/// Whether two messages are one.
pub(super) fn same(one: &Message, other: &Message) -> bool {
    match (&one.call_id, &other.call_id) {
        (Some(call), Some(known)) => call == known,
        (None, None) => one.id == other.id,
        _ => false,
    }
}

/// The calls of the last reply that have no answer, if nobody has spoken since. The native engine lets messages wait
/// behind calls that are open.
pub(super) fn open_calls(messages: &[Message], native: bool) -> Vec<Called> {
    let last = messages.iter().rposition(|message| message.role == "assistant");
    let Some((reply, later)) = last.and_then(|at| messages.get(at..)).and_then(<[Message]>::split_first)
    else {
        return Vec::new();
    };
    if !native && later.iter().any(|message| message.role == "user") {
        return Vec::new();
    }
    let open = |call: &&Called| !later.iter().any(|message| message.call_id.as_deref() == Some(&call.id));
    reply.calls.iter().filter(open).cloned().collect()
}
