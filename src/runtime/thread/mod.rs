//! A conversation over AG-UI: the transcript is the page's, and each run carries all of it.
//!
//! A turn is one user message and the runs it takes: a run that leaves calls of this page open is followed by
//! one that carries all their answers. What a run did counts when it has ended; a run that broke off started
//! nothing. Facts go to the board like those of any other dialect, so checks, lanes, attempts and records are the
//! same. Nothing here reads a clock or does IO.
//!
//! The pieces: `assembly` (a run out of its events), `run` (posting, opening, trying again), `hear` (events as they
//! come), `close` (what a run's end means), `reply` (the answers a next run waits for), `recover` (a thread as the
//! server has it), `past` (what is kept of it), `stop` (cancelling, losing, sleeping), `whole` (what a transcript
//! must not lack).

mod assembly;
mod close;
mod hear;
mod past;
mod recover;
mod reply;
mod run;
mod stop;
mod whole;

use super::config::Dialect;
use super::delivery::Parcel;
use super::ids::{CallKey, Millis, RequestId, WriteId};
use super::machine::Machine;
use super::sessions::ROOT;
use crate::protocol::RawJson;
use crate::protocol::ag_ui::{Called, Message, Outcome, Resume};
use crate::protocol::frame::CallError;
use crate::protocol::json;
use crate::protocol::sse::SseParser;
use assembly::Assembly;

/// A message without an owner of the session waits so long for this page to become it.
const OWNER_PATIENCE: Millis = Millis(10_000);

/// The conversation.
#[derive(Debug, Default)]
pub(super) struct Thread {
    /// Whether what came before this page is known.
    known: bool,
    /// Whether it was known before.
    begun: bool,
    /// Whether another page may have gone on with it since.
    stale: bool,
    /// Whether anybody asked for it.
    wanted: bool,
    /// What is agreed on: what the server has or told.
    messages: Vec<Message>,
    state: Option<RawJson>,
    context: Option<RawJson>,
    forwarded: Option<RawJson>,
    activities: Vec<(String, RawJson)>,
    stage: Stage,
    /// The turn under way.
    turn: Option<String>,
    /// How many runs it has had.
    runs: u32,
    /// Whether the app was told that it began.
    turn_told: bool,
    /// The run that was posted last, until its end is known.
    outgoing: Option<Outgoing>,
    /// What the next run waits for.
    reply: Reply,
    /// Whether the engine was found to pass over answers in runs.
    passes_over: bool,
    /// Answers that joined the transcript without a run, which a native engine may not read out of the next.
    unsent: Vec<Message>,
    /// User messages that wait for their turn.
    wishes: Vec<Wish>,
    /// What the last round was: calls and answers; and how often it came in a row.
    round: (String, u32),
    /// The last run's id, for one that goes on from it.
    last_run: Option<String>,
    /// Whether the server was found to have no way to ask for a thread.
    unconnectable: bool,
    /// How often in a row it was refused.
    refusals: u32,
    /// Whether it was asked with a fresh token.
    refreshed: bool,
    /// Since when the server is asked what became of a run.
    asked_since: Option<Millis>,
    /// Numbers for messages without an id.
    spare: u32,
    /// The tools that the server was told of, by this page or one before it.
    declared: Vec<String>,
    /// What makes the names of this page's runs its own, where another page was before it.
    salt: Option<u64>,
    /// The name of the next run, where it is one that an earlier page had posted.
    same_run: Option<String>,
    /// How often the server has tried a call again.
    tries: Vec<(String, u64)>,
}

#[derive(Debug, Default)]
enum Stage {
    /// Nothing is under way.
    #[default]
    Rest,
    /// What is known is being stored before the run goes.
    Storing(WriteId),
    /// A request is under way.
    Asking(Box<Ask>),
    /// It goes at this moment, or with `None` once something changes.
    Waiting(Option<Millis>, Errand),
    /// Calls or interrupts of the last run are open.
    Answering,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errand {
    /// A run.
    Run,
    /// The thread as the server has it, before anything else.
    Begin,
    /// The same, because a run broke off.
    Recover,
    /// The same, because a run may have ended before it had told all its calls.
    Complete,
}

/// A request and what came of it so far.
#[derive(Debug)]
struct Ask {
    request: RequestId,
    errand: Errand,
    asked_at: Millis,
    /// When the response began, once it has.
    opened_at: Option<Millis>,
    heard_at: Millis,
    /// Whether the server sends signs of life.
    breathes: bool,
    /// The status of a refusal, what it asks us to wait, and what it says.
    refusal: Option<(u16, Option<Millis>, Vec<u8>)>,
    parser: SseParser,
    assembly: Assembly,
    finished: Option<(Outcome, Option<RawJson>)>,
    /// Whether something came after the run's end.
    went_on: bool,
    failed: Option<CallError>,
    /// The server's own way to say that it waits.
    custom_interrupt: Option<RawJson>,
    /// Whether the run's answers are on the engine's native way too; whether one was taken there, whether one did
    /// not arrive.
    settling: bool,
    passed_over: bool,
    unsettled: bool,
    /// Whether all of them were turned away there.
    turned_away: bool,
}

/// A run on its way.
#[derive(Debug)]
struct Outgoing {
    id: String,
    parent: Option<String>,
    /// What it brings: a user's message, or answers.
    news: Vec<Message>,
    carries: Vec<CallKey>,
    resumes: Vec<Resume>,
    /// The calls of them that the server has told an answer of.
    heard: Vec<String>,
    /// Calls that are left to the server, whose answers it may miss.
    leftovers: Vec<Called>,
    parcel: Option<Parcel>,
    /// Whether the server is known to have it.
    confirmed: bool,
    /// How often it was refused, or found missing.
    again: u32,
    /// How often in all it did not come to its end.
    failures: u32,
}

/// What a reply of the model's left to be answered.
#[derive(Debug, Default)]
struct Reply {
    /// Calls of this page, in the order they were made.
    calls: Vec<Called>,
    /// Interrupts, and their answers.
    interrupts: Vec<(Interrupt, Option<Resume>)>,
    leftovers: Vec<Called>,
}

#[derive(Debug, Clone)]
struct Interrupt {
    id: String,
    by_command: bool,
}

/// A user's message that waits.
#[derive(Debug)]
struct Wish {
    turn_id: String,
    message: Message,
    since: Millis,
}

impl Thread {
    fn request(&self) -> Option<RequestId> {
        match &self.stage {
            Stage::Asking(ask) => Some(ask.request),
            _ => None,
        }
    }
}

impl Machine {
    /// Whether the conversation goes by runs.
    #[inline(always)]
    pub(super) fn threads(&self) -> bool {
        // In a build with nothing else all the rest falls away.
        cfg!(not(feature = "runtime")) || self.config.dialect == Dialect::AgUi
    }

    /// Somebody wants to know how the conversation stands.
    pub(super) fn thread_wanted(&mut self) {
        self.thread.wanted = true;
        self.pump_thread();
    }

    /// What the app gives every run: members that are there replace what was given before.
    pub(super) fn thread_given(&mut self, given: &str) {
        let Some([messages, context, forwarded]) =
            json::pick(given, ["messages", "context", "forwardedProps"])
        else {
            return;
        };
        // A state may be `null`, which otherwise reads as not given.
        if json::names(given).is_some_and(|names| names.iter().any(|name| name == "state")) {
            let [state] = json::pick(given, ["state"]).unwrap_or_default();
            self.thread.state = Some(state.map(json::value).unwrap_or_default());
            if self.thread.known && self.owner {
                self.store_thread();
            }
        }
        if let Some(context) = context {
            self.thread.context = Some(json::value(context));
        }
        if let Some(forwarded) = forwarded {
            self.thread.forwarded = Some(json::value(forwarded));
        }
        if let Some(messages) = messages.filter(|_| self.thread.messages.is_empty()) {
            let session_id = self.sessions.root().id.clone();
            self.thread.messages = read_messages(&mut self.thread.spare, &session_id, messages);
        }
    }

    /// A user's message: it begins a turn when the ones before it are over.
    pub(super) fn thread_message(&mut self, turn_id: String, message_id: &str, text: &str) {
        let message = Message::user(message_id, text);
        self.thread.wishes.push(Wish { turn_id, message, since: self.now });
        self.thread.wanted = true;
        self.pump_thread();
    }

    /// Whether a turn is under way or waits.
    pub(super) fn thread_turn(&self) -> Option<&str> {
        let waiting = self.thread.wishes.first().map(|wish| wish.turn_id.as_str());
        self.thread.turn.as_deref().or(waiting)
    }

    /// Does what is next, if nothing is under way.
    fn pump_thread(&mut self) {
        if !self.owner || !self.thread.wanted || !matches!(self.thread.stage, Stage::Rest) {
            return;
        }
        if std::mem::take(&mut self.thread.stale) && self.thread.turn.is_none() {
            self.thread.known = false;
            self.thread_asleep();
        }
        if !self.thread.known {
            return self.learn_past();
        }
        if self.thread.turn.is_some() || self.thread.wishes.is_empty() {
            return;
        }
        let Wish { turn_id, message, .. } = self.thread.wishes.remove(0);
        self.thread.turn = Some(turn_id);
        self.thread.runs = 0;
        self.thread.turn_told = false;
        self.thread.round = Default::default();
        self.begin_run(vec![message], Vec::new(), Vec::new(), Vec::new());
    }

    /// When something is to happen to it by itself.
    pub(super) fn thread_rings_at(&self) -> Option<Millis> {
        let owner =
            (!self.owner).then(|| self.thread.wishes.first().map(|wish| wish.since.plus(OWNER_PATIENCE)));
        let stage = match &self.thread.stage {
            Stage::Waiting(until, _) => *until,
            Stage::Asking(ask) => Some(self.ask_rings_at(ask)),
            _ => None,
        };
        [owner.flatten(), stage].into_iter().flatten().min()
    }

    fn ask_rings_at(&self, ask: &Ask) -> Millis {
        let quiet = if ask.breathes { self.config.idle_timeout } else { self.config.run_patience };
        let silent = ask.heard_at.plus(quiet);
        match ask.opened_at {
            None => ask.asked_at.plus(self.config.run_patience),
            Some(_) if ask.finished.is_some() || ask.failed.is_some() => {
                ask.heard_at.plus(self.config.replay_patience).min(silent)
            }
            Some(opened_at) if self.may_stall(ask) => {
                let patience = match self.has_answers_under_way() && !ask.turned_away {
                    // What an engine did once it does again.
                    true if self.thread.passes_over => self.config.replay_quiet,
                    true => self.config.stall_timeout,
                    false => self.config.connect_patience,
                };
                silent.min(opened_at.plus(patience))
            }
            Some(_) => silent,
        }
    }

    /// Whether this is a run that the engine may pass over.
    fn may_stall(&self, ask: &Ask) -> bool {
        self.config.native_input
            && ask.errand == Errand::Run
            && !ask.settling
            && self.thread.outgoing.as_ref().is_some_and(|out| !out.confirmed)
    }

    fn has_answers_under_way(&self) -> bool {
        let carried = self.thread.outgoing.as_ref().is_some_and(|out| !out.carries.is_empty());
        carried || !self.thread.unsent.is_empty()
    }

    pub(super) fn ring_thread(&mut self) {
        if self.thread_rings_at().is_none_or(|at| at > self.now) {
            return;
        }
        if !self.owner {
            return self.refuse_wishes("another page of this session is running it");
        }
        match &self.thread.stage {
            Stage::Waiting(_, errand) => {
                let errand = *errand;
                self.go_on(errand);
            }
            Stage::Asking(ask) if ask.finished.is_some() || ask.failed.is_some() => self.ask_over(None),
            Stage::Asking(ask) if self.may_stall(ask) && ask.opened_at.is_some() => self.run_stalled(),
            Stage::Asking(_) => self.ask_over(Some("nothing was heard for too long".to_owned())),
            _ => {}
        }
    }

    /// The session is this page's, perhaps once more.
    pub(super) fn thread_gained(&mut self) {
        self.thread.stale = self.thread.known;
        self.wake_thread();
    }

    /// Tries now what was to be tried later.
    pub(super) fn wake_thread(&mut self) {
        match self.thread.stage {
            Stage::Waiting(_, errand) => self.go_on(errand),
            // Somebody else may have gone on with the conversation: another device, or a page that broke off.
            Stage::Rest => self.thread.stale |= self.thread.known && self.is_connectable(),
            _ => {}
        }
        self.pump_thread();
    }

    /// Ends messages that wait, with why.
    fn refuse_wishes(&mut self, why: &str) {
        while !self.thread.wishes.is_empty() {
            let wish = self.thread.wishes.remove(0);
            self.message_refused(&wish.turn_id, why);
        }
    }

    fn turn_frame(&mut self, frame: crate::protocol::Frame) {
        let positioned = crate::protocol::frame::Positioned {
            seq: None,
            turn_id: self.thread.turn.clone(),
            occurred_at: None,
            open_calls: None,
            frame,
        };
        self.fold(ROOT, &positioned);
    }

    /// Tells of a message that joined the transcript.
    fn tell_message(&mut self, message: &Message) {
        self.turn_frame(crate::protocol::Frame::Message {
            id: Some(message.id.clone()),
            role: message.role.clone(),
            text: message.text.clone(),
            tool_call_id: message.call_id.clone(),
            tool_calls: message.calls.len(),
        });
    }
}

/// Reads messages, naming those that have no name.
fn read_messages(spare: &mut u32, session_id: &str, list: &str) -> Vec<Message> {
    let count = std::cell::Cell::new(*spare);
    let spare_id = || {
        count.set(count.get().saturating_add(1));
        format!("{session_id}-{}", count.get())
    };
    let mut messages = Message::read_all(list, &spare_id);
    *spare = count.get();
    // What an app shows beside the conversation is not part of it.
    messages.retain(|message| message.role != "activity");
    messages
}

/// What a body says of a refusal, shortened.
fn words(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    crate::protocol::settle::clip(text.trim(), 500).into_owned()
}
