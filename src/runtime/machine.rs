//! The state machine: its state, its door, and its clock.
//!
//! Inputs go in by [`Machine::handle`], one at a time and with the time they happened at; then
//! [`Machine::poll_output`] is drained to `None`; then the next input may go in. It touches no IO,
//! no clock and no JavaScript, so that any run can be replayed from its inputs.

use super::call::Call;
use super::children::Birth;
use super::codes::Code;
use super::config::Config;
use super::event::{Event, Warning};
use super::ids::{AskId, CallKey, InvocationId, Millis};
use super::input::Input;
use super::interrupts::Resumes;
use super::output::{Effect, Output};
use super::record::Progress;
use super::registry::Registry;
use super::rng::Rng;
use super::session::Session;
use super::sessions::{Place, ROOT, Sessions};
use super::table::Table;
use super::thread::Thread;
use super::turn::Turns;
use crate::protocol::settle;
use std::collections::VecDeque;

/// The runtime's state machine.
#[derive(Debug)]
pub struct Machine {
    pub(super) config: Box<Config>,
    pub(super) now: Millis,
    pub(super) rng: Rng,
    pub(super) registry: Registry,
    pub(super) sessions: Sessions,
    /// Agents that wait to be followed, in the order they began.
    pub(super) births: Vec<Birth>,
    pub(super) resumes: Resumes,
    pub(super) turns: Turns,
    /// The conversation, where it goes by runs.
    #[cfg_attr(not(feature = "ag_ui"), allow(dead_code))]
    pub(super) thread: Thread,
    pub(super) calls: Table<CallKey, Call>,
    /// Calls that wait for their lane, first come first served.
    pub(super) queue: Vec<CallKey>,
    /// Calls left on the board because too many are open.
    pub(super) backlog: bool,
    pub(super) remembered: Remembered,
    /// What each handle that is out was given for. One table, because all handles come from one counter.
    pub(super) owners: Table<u32, Owner>,
    /// How many of them are stragglers.
    pub(super) stragglers: usize,
    pub(super) online: bool,
    /// Whether this page is the one that runs the session's calls.
    pub(super) owner: bool,
    /// What earlier owners left of calls that are not taken on yet.
    pub(super) restored: Table<CallKey, Progress>,
    closed: bool,
    outputs: VecDeque<Output>,
    warned: Vec<(Code, u32)>,
    said: Vec<String>,
    last_handle: u32,
}

/// What a handle was given for.
#[derive(Debug)]
pub(super) enum Owner {
    /// The stream's request.
    Stream,
    /// A message's request.
    Turn(String),
    /// An answer to an interrupt: its request.
    Resume(String),
    /// A write of the conversation's.
    #[cfg(feature = "ag_ui")]
    Thread,
    /// An answer that goes the native way after a run.
    #[cfg(feature = "ag_ui")]
    Settling,
    /// A call's check, repair, write or request.
    Call(CallKey),
    /// A question to a person.
    Question(CallKey),
    /// A handler.
    Run(CallKey),
    /// A handler whose call is over while it goes on: the tool's name.
    Straggler(String),
}

/// Most things said once that are remembered as said.
const MAX_SAID: usize = 256;
/// Most handlers without a call whose late values are reported.
const MAX_STRAGGLERS: usize = 1_024;

impl Machine {
    /// A machine at rest. `now` is the time by the shell's clock.
    #[must_use]
    pub fn new(config: Config, now: Millis) -> Self {
        let session = Session::new(config.session_id.clone(), config.fresh);
        Machine {
            owner: config.owner,
            restored: Table::default(),
            rng: Rng::new(config.seed),
            remembered: Remembered::new(config.max_remembered),
            config: Box::new(config),
            now,
            registry: Registry::default(),
            sessions: Sessions::new(session),
            births: Vec::new(),
            resumes: Resumes::default(),
            turns: Turns::default(),
            thread: Thread::default(),
            calls: Table::default(),
            queue: Vec::new(),
            backlog: false,
            owners: Table::default(),
            stragglers: 0,
            online: true,
            closed: false,
            outputs: VecDeque::new(),
            warned: Vec::new(),
            said: Vec::new(),
            last_handle: 0,
        }
    }

    /// Takes in one thing that happened. Drain [`poll_output`](Self::poll_output) afterwards.
    ///
    /// Time never goes back: an earlier `now` than the last counts as the last.
    pub fn handle(&mut self, now: Millis, input: Input) {
        debug_assert!(self.outputs.is_empty(), "drain the outputs before the next input");
        self.now = self.now.max(now);
        if self.closed {
            return;
        }
        match input {
            Input::ToolRegistered(spec) => self.tool_registered(*spec),
            Input::ToolUnregistered { name } => self.tool_unregistered(&name),
            Input::Attached => self.want_stream(ROOT),
            Input::MessageSent { turn_id, message_id, text, queue } => {
                self.message_sent(turn_id, &message_id, &text, queue);
            }
            Input::Invoked { call_id, name, arguments } => self.invoked(call_id, name, &arguments),
            Input::InterruptAnswered { interrupt_id, payload, cancelled } => {
                self.interrupt_answered(&interrupt_id, payload.as_ref(), cancelled);
            }
            Input::TurnCancelled { turn_id, reason } => self.turn_cancelled(&turn_id, &reason),
            Input::RunInputGiven { given } => self.thread_given(&given),
            Input::StreamOpened { request, status, content_type, retry_after } if self.threads() => {
                self.thread_opened(request, status, content_type.as_deref(), retry_after.as_deref());
            }
            Input::ChunkArrived { request, bytes } if self.threads() => self.thread_chunk(request, &bytes),
            Input::StreamClosed { request, failure } if self.threads() => {
                self.thread_closed(request, failure)
            }
            Input::Adopted { .. } if self.threads() => {}
            Input::StreamOpened { request, status, content_type, retry_after } => {
                self.stream_opened(request, status, content_type.as_deref(), retry_after.as_deref());
            }
            Input::ChunkArrived { request, bytes } => self.chunk_arrived(request, &bytes),
            Input::StreamClosed { request, failure } => self.stream_closed(request, failure),
            Input::PostAnswered { request, status, retry_after, body } => {
                self.post_answered(request, status, retry_after.as_deref(), &body);
            }
            Input::PostFailed { request, message } => self.post_failed(request, &message),
            Input::Checked { check, verdict } => self.checked(check, verdict),
            Input::Repaired { check, text } => self.repaired(check, text),
            Input::Consented { ask, decision } => self.consented(ask, decision),
            Input::Settled { invocation, outcome } => self.settled(invocation, outcome),
            Input::Progressed { invocation } => self.with_clock(invocation, super::call::Clock::sign_of_life),
            Input::AskingStarted { invocation } => self.with_clock(invocation, super::call::Clock::stop),
            Input::AskingEnded { invocation } => self.with_clock(invocation, super::call::Clock::go_on),
            Input::Persisted { write, result } => self.persisted(write, result),
            Input::OwnershipGained { records } => self.ownership_gained(records),
            Input::OwnershipLost => self.ownership_lost(),
            Input::Adopted { session_id, records } => self.adopted(&session_id, records),
            Input::Suspended => {
                self.thread_suspended();
                for place in self.streams() {
                    self.suspend_stream(place);
                }
            }
            Input::Resumed => self.resumed(),
            Input::NetworkChanged { online } => self.network_changed(online),
            Input::Woken => self.woken(),
            Input::TimePassed => {}
            Input::Closed => return self.close(),
        }
        self.ring();
    }

    /// The next thing to do or to tell, in order; `None` when the machine waits for an input.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When [`Input::TimePassed`] is wanted, if nothing else comes first.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Millis> {
        if self.closed {
            return None;
        }
        let calls = self.calls.values().iter().filter_map(|call| self.call_rings_at(call));
        let streams = self.streams().filter_map(|place| self.stream_rings_at(place));
        let posts = match self.threads() {
            true => [self.thread_rings_at(), None],
            false => [self.turns.rings_at(), self.resumes.rings_at()],
        };
        let posts = posts.into_iter().flatten();
        streams.chain(posts).chain(calls).min()
    }

    /// The registered tools as the engine's worker declares them: a JSON array of `AgentTool`.
    #[must_use]
    pub fn declarations(&self) -> String {
        settle::declarations(&self.registry.declared())
    }

    /// The calls that a condition holds for, in their order. Not generic: each use would be a copy.
    pub(super) fn keys_where(&self, wanted: &dyn Fn(&Call) -> bool) -> Vec<CallKey> {
        let mut keys = Vec::new();
        for call in self.calls.values() {
            if wanted(call) {
                keys.push(call.key.clone());
            }
        }
        keys
    }

    /// How many calls are open.
    #[must_use]
    pub fn open_calls(&self) -> usize {
        self.calls.len()
    }

    /// The sessions that have streams of their own.
    pub(super) fn streams(&self) -> impl Iterator<Item = Place> + use<> {
        self.sessions.places().take(if self.threads() { 0 } else { usize::MAX })
    }

    fn ring(&mut self) {
        for place in self.streams() {
            self.ring_stream(place);
        }
        if self.threads() {
            self.ring_thread();
        } else {
            self.ring_turns();
            self.wake_resumes(false);
        }
        self.ring_calls();
    }

    fn network_changed(&mut self, online: bool) {
        let came_back = online && !self.online;
        self.online = online;
        if came_back {
            self.woken();
        } else {
            for place in self.streams() {
                self.hold_stream(place);
            }
        }
    }

    /// Something suggests that what failed may work now.
    pub(super) fn woken(&mut self) {
        for place in self.streams() {
            self.wake_stream(place);
        }
        self.wake_thread();
        self.wake_parcels();
    }

    fn close(&mut self) {
        self.closed = true;
        for place in self.streams() {
            if let Some(request) = self.sessions.at(place).request() {
                self.effect(Effect::Abort { request });
            }
        }
        self.end_thread();
        for (ask, _) in self.open_questions() {
            self.effect(Effect::WithdrawAsk { ask });
        }
        for (handle, owner) in std::mem::take(&mut self.owners).iter() {
            if let Owner::Run(_) = owner {
                let (invocation, reason) = (InvocationId(*handle), "the runtime was closed".to_owned());
                self.effect(Effect::Cancel { invocation, reason });
            }
        }
        self.calls.clear();
        self.queue.clear();
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.outputs.push_back(Output::Effect(effect));
    }

    pub(super) fn tell(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }

    /// Tells of something odd and counts its kind.
    pub(super) fn warn(&mut self, code: Code, message: String) {
        let count = match self.warned.iter_mut().find(|(known, _)| *known == code) {
            Some((_, count)) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                self.warned.push((code, 1));
                1
            }
        };
        self.tell(Event::Warning(Warning { code, message, count }));
    }

    /// Tells of something odd, once per `subject`.
    pub(super) fn warn_once(&mut self, code: Code, subject: &str, message: &dyn Fn() -> String) {
        let key = format!("{} {subject}", code.as_str());
        if self.said.len() < MAX_SAID && !self.said.contains(&key) {
            self.said.push(key);
            self.warn(code, message());
        }
    }

    pub(super) fn straggles(&mut self, invocation: InvocationId, name: String) {
        if self.stragglers < MAX_STRAGGLERS {
            self.stragglers += 1;
            self.owns(invocation.0, Owner::Straggler(name));
        }
    }

    /// Notes what a handle is for.
    pub(super) fn owns(&mut self, handle: u32, owner: Owner) {
        self.owners.insert(handle, owner);
    }

    /// The call a handle was given for. The handle is spent: what comes with it again is not heard.
    pub(super) fn owner_of(&mut self, handle: u32) -> Option<CallKey> {
        match self.owners.remove(&handle)? {
            Owner::Call(key) | Owner::Question(key) | Owner::Run(key) => Some(key),
            _ => None,
        }
    }

    /// The questions a person has not answered, in the order they were asked.
    pub(super) fn open_questions(&self) -> Vec<(AskId, CallKey)> {
        let mut questions = Vec::new();
        for (handle, owner) in self.owners.iter() {
            if let Owner::Question(key) = owner {
                questions.push((AskId(*handle), key.clone()));
            }
        }
        questions
    }

    pub(super) fn handle_number(&mut self) -> u32 {
        self.last_handle = self.last_handle.wrapping_add(1);
        self.last_handle
    }
}

/// Calls that ended, so that a replay cannot run them again. The oldest are forgotten first: they are
/// behind the cursor by then.
#[derive(Debug)]
pub(super) struct Remembered {
    known: Table<CallKey, ()>,
    /// The same in the order they came; once full, the oldest is at `oldest`.
    order: Vec<CallKey>,
    oldest: usize,
    most: usize,
}

impl Remembered {
    fn new(most: usize) -> Self {
        Remembered { known: Table::default(), order: Vec::new(), oldest: 0, most }
    }

    pub(super) fn knows(&self, key: &CallKey) -> bool {
        // An attempt that came before one that ended is over too.
        let end = CallKey::new(key.session_id.clone(), key.call_id.clone(), u64::MAX);
        self.known.contains(key) || !self.known.keys_between(key, &end).is_empty()
    }

    pub(super) fn remember(&mut self, key: CallKey) {
        if self.most == 0 || self.known.insert(key.clone(), ()).is_some() {
            return;
        }
        if self.order.len() < self.most {
            self.order.push(key);
        } else if let Some(oldest) = self.order.get_mut(self.oldest) {
            self.known.remove(&std::mem::replace(oldest, key));
            self.oldest = if self.oldest + 1 < self.most { self.oldest + 1 } else { 0 };
        }
    }
}
