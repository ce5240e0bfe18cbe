//! What is kept of a conversation, and how a page that comes later goes on with it.
//!
//! The transcript is one record of the session's, under a call without a name. Calls have records of their own, as
//! in every dialect; this one says which are open and whether a run is on its way.

use super::recover::{open_calls, same};
use super::whole::is_answered;
use super::{Errand, Interrupt, Outgoing, Stage, read_messages};
use crate::protocol::Frame;
use crate::protocol::ag_ui::message::write_all;
use crate::protocol::ag_ui::{Called, Message, Resume, Suspension};
use crate::protocol::json;
use crate::protocol::settle::write::Object;
use crate::runtime::codes::Code;
use crate::runtime::event::{Event, Problem, TurnStatus};
use crate::runtime::ids::{CallKey, WriteId};
use crate::runtime::machine::{Machine, Owner};
use crate::runtime::output::Effect;
use crate::runtime::record::{Progress, Record};
use std::borrow::Cow;

/// A run that an earlier page left on its way.
struct LeftRun {
    id: String,
    confirmed: bool,
    /// The user's message that it brings, if it does.
    news: Vec<Message>,
    resumes: Vec<Resume>,
    parent: Option<String>,
    /// The calls whose answers it brings.
    carries: Vec<String>,
}

/// What an earlier page left of the conversation.
struct Past {
    turn: Option<String>,
    runs: u32,
    run: Option<LeftRun>,
    interrupts: Vec<(Interrupt, String)>,
}

impl Machine {
    fn thread_record_key(&self) -> CallKey {
        CallKey::new(self.sessions.root().id.clone(), String::new(), 0)
    }

    /// Keeps what is known now.
    pub(super) fn store_thread(&mut self) -> WriteId {
        let write = WriteId(self.handle_number());
        self.owns(write.0, Owner::Thread);
        let body = self.thread_text().into();
        let record = Record {
            key: self.thread_record_key(),
            tool: String::new(),
            progress: Progress::Answered { body, ok: true },
        };
        self.effect(Effect::Persist { write, record });
        write
    }

    fn thread_text(&self) -> String {
        let thread = &self.thread;
        let mut out = String::new();
        let mut object = Object::begin(&mut out);
        let mut messages = String::new();
        write_all(&mut messages, thread.messages.iter());
        object.raw("messages", &messages);
        if let Some(state) = &thread.state {
            object.raw("state", state.get());
        }
        object.optional_text("turn", thread.turn.as_deref());
        object.number("runs", u64::from(thread.runs));
        object.number("spare", u64::from(thread.spare));
        object.optional_text("lastRun", thread.last_run.as_deref());
        if let Some(run) = &thread.outgoing {
            object.object("run", |object| {
                object.text("id", &run.id);
                object.flag("confirmed", run.confirmed);
                object.optional_text("parent", run.parent.as_deref());
                object.list("carries", &run.carries, |key, object| object.text("id", &key.call_id));
                let mut news = String::new();
                // Answers have records of their own.
                write_all(&mut news, run.news.iter().filter(|message| message.call_id.is_none()));
                object.raw("news", &news);
                object.list("resumes", &run.resumes, |resume, object| {
                    object.text("id", &resume.id);
                    object.flag("cancelled", resume.cancelled);
                    object.flag("byCommand", resume.by_command);
                    if let Some(payload) = &resume.payload {
                        object.raw("payload", payload.get());
                    }
                });
            });
        }
        let waits = self.interrupt_payloads();
        object.list("declared", &thread.declared, |name, object| object.text("name", name));
        object.list("tries", &thread.tries, |(id, tries), object| {
            object.text("id", id);
            object.number("tries", *tries);
        });
        let interrupts = thread.reply.interrupts.iter().map(|(interrupt, _)| interrupt);
        object.list("interrupts", interrupts, |interrupt, object| {
            object.text("id", &interrupt.id);
            object.flag("byCommand", interrupt.by_command);
            if let Some((_, payload)) = waits.iter().find(|(id, _)| *id == interrupt.id) {
                object.raw("payload", payload.get());
            }
        });
        object.end();
        out
    }

    /// Finds out what came before this page.
    pub(super) fn learn_past(&mut self) {
        let recorded = self.restored.contains(&self.thread_record_key());
        let new = self.config.fresh && !recorded && !self.thread.begun;
        if !new && self.is_connectable() {
            return self.ask_thread(Errand::Begin, false);
        }
        self.begin_from(None);
    }

    /// Goes on from what the store kept and what the server says, where it says something.
    pub(super) fn begin_from(&mut self, told: Option<(Vec<Message>, Vec<Suspension>)>) {
        let key = self.thread_record_key();
        let before = self.thread.messages.clone();
        let past = match self.restored.remove(&key) {
            Some(Progress::Answered { body, .. }) => self.read_past(&body),
            _ => None,
        };
        let told = told.filter(|(messages, _)| !messages.is_empty());
        let from_server = told.is_some();
        let mut waits = Vec::new();
        if let Some((messages, suspensions)) = told {
            self.adopt_messages(messages);
            waits = suspensions;
        }
        // History is told as such, what was told before left out; only then is the conversation live.
        let told_before = |message: &Message| before.iter().any(|known| same(known, message));
        let news: Vec<Message> =
            self.thread.messages.iter().filter(|message| !told_before(message)).cloned().collect();
        for message in news {
            self.tell_message(&message);
        }
        self.retire_answered();
        if self.thread.begun || !self.config.fresh || past.is_some() {
            // What was kept may be old: no run from here on has a name that another page may have used.
            self.thread.salt = Some(self.rng.up_to(u64::from(u32::MAX)));
        }
        self.thread.known = true;
        self.thread.begun = true;
        self.thread_live();
        let waits = waits.into_iter().filter(|one| !one.is_client_tool());
        let told: Vec<(Interrupt, String)> = waits
            .map(|one| (Interrupt { id: one.id, by_command: false }, one.whole.get().to_owned()))
            .collect();
        match past {
            // What the server waits for now, it knows best.
            Some(past) if told.is_empty() => self.go_on_from(past, from_server),
            Some(Past { turn: Some(turn), runs, .. }) => {
                self.turn_started(&turn);
                self.thread.turn = Some(turn);
                self.thread.runs = runs;
                self.go_on_open(told);
            }
            _ => self.go_on_open(told),
        }
    }

    /// Calls whose answers the transcript has are over, whatever an earlier page left of them.
    fn retire_answered(&mut self) {
        let messages = &self.thread.messages;
        let mut answered: Vec<String> =
            messages.iter().filter_map(|message| message.call_id.clone()).collect();
        answered.retain(|call_id| is_answered(messages, call_id));
        for call_id in answered {
            let key = self.thread_key(&call_id);
            if self.restored.contains(&key) {
                self.retire_restored(&key);
            }
        }
    }

    fn read_past(&mut self, text: &str) -> Option<Past> {
        let names = [
            "messages",
            "state",
            "turn",
            "runs",
            "spare",
            "lastRun",
            "run",
            "interrupts",
            "tries",
            "declared",
        ];
        let [messages, state, turn, runs, spare, last_run, run, interrupts, tries, declared] =
            json::pick(text, names)?;
        let number = |member: Option<&str>| member.and_then(|digits| digits.parse::<u32>().ok()).unwrap_or(0);
        let said = |member: Option<&str>| member.and_then(json::text).map(Cow::into_owned);
        let session_id = self.sessions.root().id.clone();
        self.thread.spare = self.thread.spare.max(number(spare));
        if let Some(list) = messages {
            self.thread.messages = read_messages(&mut self.thread.spare, &session_id, list);
        }
        if let Some(state) = state {
            let state = json::value(state);
            self.thread.state = Some(state.clone());
            let turn_id = self.thread.turn.clone();
            self.tell(Event::State { turn_id, state });
        }
        self.thread.last_run = said(last_run);
        let declared = declared.and_then(json::items).unwrap_or_default().into_iter();
        self.thread.declared =
            declared.filter_map(|one| json::pick(one, ["name"]).and_then(|[name]| said(name))).collect();
        let tries = tries.and_then(json::items).unwrap_or_default().into_iter();
        self.thread.tries = tries
            .filter_map(|one| {
                let [id, tries] = json::pick(one, ["id", "tries"])?;
                Some((said(id)?, tries?.parse().ok()?))
            })
            .collect();
        let run = run.and_then(|run| {
            let names = ["id", "confirmed", "parent", "news", "resumes", "carries"];
            let [id, confirmed, parent, news, resumes, carries] = json::pick(run, names)?;
            let carries = carries.and_then(json::items).unwrap_or_default().into_iter();
            let carries =
                carries.filter_map(|one| json::pick(one, ["id"]).and_then(|[id]| said(id))).collect();
            Some(LeftRun {
                id: said(id)?,
                carries,
                confirmed: confirmed == Some("true"),
                parent: said(parent),
                news: read_messages(&mut self.thread.spare, &session_id, news.unwrap_or("[]")),
                resumes: resumes
                    .and_then(json::items)
                    .unwrap_or_default()
                    .into_iter()
                    .filter_map(read_resume)
                    .collect(),
            })
        });
        let interrupts = interrupts.and_then(json::items).unwrap_or_default();
        let interrupts = interrupts.into_iter().filter_map(|one| {
            let [id, by_command, payload] = json::pick(one, ["id", "byCommand", "payload"])?;
            let interrupt = Interrupt { id: said(id)?, by_command: by_command == Some("true") };
            Some((interrupt, payload.unwrap_or("null").to_owned()))
        });
        Some(Past { turn: said(turn), runs: number(runs), run, interrupts: interrupts.collect() })
    }

    fn go_on_from(&mut self, past: Past, from_server: bool) {
        let Past { turn, runs, run, interrupts } = past;
        let Some(turn) = turn else { return self.go_on_open(interrupts) };
        self.turn_started(&turn);
        self.thread.turn = Some(turn);
        self.thread.runs = runs;
        let Some(run) = run else { return self.go_on_open(interrupts) };
        let has = |news: &Message| self.thread.messages.iter().any(|message| message.id == news.id);
        let landed = run.confirmed || (from_server && !run.news.is_empty() && run.news.iter().all(has));
        if landed {
            self.thread.turn_told = true;
            if !from_server {
                self.thread.last_run = Some(run.id);
                let message =
                    "the page went away during the run, and the server cannot tell what became of it";
                let problem = Problem::new(Code::StreamNetwork, message);
                return self.thread_over(TurnStatus::Failed, None, Some(problem));
            }
            self.thread.outgoing = Some(left(run, true));
            self.thread.asked_since = Some(self.now);
            return self.ask_thread(Errand::Recover, false);
        }
        // It never arrived, for all that is known. Answers are collected again from their records; where they are
        // the same, it is the same run.
        let mut calls = self.ours_open();
        if !run.resumes.is_empty() {
            // Others wait for what the resumes say.
            calls.retain(|call| run.carries.contains(&call.id));
        }
        if calls.iter().map(|call| &call.id).eq(&run.carries) {
            self.thread.same_run = Some(run.id.clone());
        }
        if run.news.is_empty() && run.resumes.is_empty() {
            return self.go_on_open(interrupts);
        }
        if calls.is_empty() {
            self.thread.outgoing = Some(left(run, false));
            return self.store_then_run();
        }
        // Answers and resumes go together: the resumes are given, the answers are collected.
        let answered = run
            .resumes
            .into_iter()
            .map(|resume| (Interrupt { id: resume.id.clone(), by_command: resume.by_command }, Some(resume)));
        self.thread.reply.interrupts = answered.collect();
        self.thread.reply.calls = calls;
        self.thread.stage = Stage::Answering;
        self.open_reply();
    }

    /// Takes up the calls and interrupts that the transcript left open, or rests.
    fn go_on_open(&mut self, interrupts: Vec<(Interrupt, String)>) {
        let mut calls = self.ours_open();
        for (_, payload) in &interrupts {
            // What waits for an approval is not to run before it.
            let [call_id] = json::pick(payload, ["toolCallId"]).unwrap_or_default();
            if let Some(call_id) = call_id.and_then(json::text) {
                calls.retain(|call| call.id != call_id);
            }
        }
        if calls.is_empty() && interrupts.is_empty() {
            if self.thread.turn.is_some() {
                return self.thread_over(TurnStatus::Completed, None, None);
            }
            self.thread.stage = Stage::Rest;
            return self.pump_thread();
        }
        if self.thread.turn.is_none() {
            // No page before this one may have used it.
            let turn = format!("{}-resumed-{}", self.sessions.root().id, self.rng.up_to(u64::from(u32::MAX)));
            self.turn_started(&turn);
            self.thread.turn = Some(turn);
        }
        for (interrupt, payload) in &interrupts {
            let [reason] = json::pick(payload, ["reason"]).unwrap_or_default();
            let reason = reason.and_then(json::text).map(Cow::into_owned);
            let (interrupt_id, payload) = (interrupt.id.clone(), json::value(payload));
            self.turn_frame(Frame::Interrupted { interrupt_id, reason, payload });
        }
        self.thread.turn_told = true;
        self.reply_left(
            calls,
            interrupts.into_iter().map(|(interrupt, _)| interrupt).collect(),
            Vec::new(),
            None,
        );
    }

    fn ours_open(&self) -> Vec<Called> {
        open_calls(&self.thread.messages, self.config.native_input)
            .into_iter()
            .filter(|call| self.is_ours_or_kept(call))
            .collect()
    }

    /// After a reload a tool's component may still be about to mount: a call that was taken on is ours.
    fn is_ours_or_kept(&self, call: &Called) -> bool {
        let key = self.thread_key(&call.id);
        !self.config.native_input || self.is_ours(&call.name) || self.restored.contains(&key)
    }
}

fn left(run: LeftRun, confirmed: bool) -> Outgoing {
    let LeftRun { id, news, resumes, parent, .. } = run;
    Outgoing {
        id,
        parent,
        news: if confirmed { Vec::new() } else { news },
        carries: Vec::new(),
        resumes,
        heard: Vec::new(),
        leftovers: Vec::new(),
        parcel: None,
        confirmed,
        again: 0,
        failures: 0,
    }
}

fn read_resume(one: &str) -> Option<Resume> {
    let [id, cancelled, by_command, payload] = json::pick(one, ["id", "cancelled", "byCommand", "payload"])?;
    Some(Resume {
        id: id.and_then(json::text)?.into_owned(),
        payload: payload.map(json::value),
        cancelled: cancelled == Some("true"),
        by_command: by_command == Some("true"),
    })
}
