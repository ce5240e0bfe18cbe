//! What all sessions of an engine share: configuration, time, ids, timers, streams, faults, outputs.
//!
//! Kept apart from the sessions so that a session can be changed while it writes to all of this.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::Millis;
use super::auth::{self, Owner};
use super::config::Config;
use super::faults::{Faults, Landing};
use super::http::{Reply, Request};
use super::ids::Ids;
use super::io::Output;
use super::stream::Stream;

/// Something that happens later.
#[derive(Debug)]
pub(crate) enum Timer {
    KeepAlive { stream: u64, since: Millis },
    Request(Request),
    Output(Output),
    Frames { stream: u64 },
    Session { session: String, task: Task },
}

/// A session's own timers. Each says which state it was set for, and does nothing in any other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    Decide { decision: String },
    WorkerTimeout { decision: String, attempt: u32 },
    Dispatch { call: String, attempt: u32 },
    QueueTimeout { call: String, attempt: u32 },
    RunTimeout { call: String, attempt: u32 },
    TotalTimeout { call: String },
    Retry { call: String, attempt: u32 },
    ModelStep { call: String, attempt: u32 },
    ModelTimeout { call: String, attempt: u32 },
    ModelRetry { call: String, attempt: u32 },
}

/// What one session wants of another; done once the session at hand is finished with.
#[derive(Debug)]
pub(crate) enum Errand {
    /// A sub-agent was dispatched: its session is to start, or to go on.
    Start { parent: String, call: String },
    /// The turn that a parent waits for is over: its text, or an error object.
    Report { parent: String, call: String, outcome: Result<String, Value> },
    /// The parent waits no more.
    Stop { child: String, parent: String, call: String },
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) now: Millis,
    pub(crate) ids: Ids,
    pub(crate) faults: Faults,
    pub(crate) streams: BTreeMap<u64, Stream>,
    pub(crate) outputs: VecDeque<Output>,
    pub(crate) errands: VecDeque<Errand>,
    timers: BTreeMap<(Millis, u64), Timer>,
    timer_count: u64,
}

impl Shared {
    pub(crate) fn new(mut config: Config) -> Shared {
        let faults = Faults::new(std::mem::take(&mut config.faults));
        Shared {
            ids: Ids::new(config.seed),
            config,
            now: Millis(0),
            faults,
            streams: BTreeMap::new(),
            outputs: VecDeque::new(),
            errands: VecDeque::new(),
            timers: BTreeMap::new(),
            timer_count: 0,
        }
    }

    /// Sets a timer; timers of one moment fire in the order they were set.
    pub(crate) fn at(&mut self, due: Millis, timer: Timer) {
        self.timer_count += 1;
        self.timers.insert((due, self.timer_count), timer);
    }

    /// Sets a session's timer `span_ms` from now.
    pub(crate) fn wake_session(&mut self, session: &str, span_ms: u64, task: Task) {
        let due = self.now.plus(Millis(span_ms));
        self.at(due, Timer::Session { session: session.to_owned(), task });
    }

    pub(crate) fn take_due(&mut self, now: Millis) -> Option<(Millis, Timer)> {
        let ((due, _), _) = self.timers.first_key_value()?;
        if *due > now {
            return None;
        }
        self.timers.pop_first().map(|((due, _), timer)| (due, timer))
    }

    pub(crate) fn next_timer(&self) -> Option<Millis> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// Requests that are held back or whose response is.
    pub(crate) fn waiting_requests(&self) -> Vec<u64> {
        let held = self.timers.values().filter_map(|timer| match timer {
            Timer::Request(request) => Some(request.id),
            Timer::Output(Output::Response { id, .. }) => Some(*id),
            _ => None,
        });
        held.collect()
    }

    pub(crate) fn new_id(&mut self) -> String {
        self.ids.uuid(self.now)
    }

    /// Whose request this is, or with what to answer.
    pub(crate) fn authorize(&mut self, request: &Request) -> Result<Owner, Reply> {
        if self.faults.auth_is_down() {
            return Err(Reply::error(503, "auth_unavailable"));
        }
        auth::check(&self.config, self.now, request.header("authorization"))
    }

    pub(crate) fn send_response(&mut self, path: &str, response: Output) {
        match self.faults.land_response(path, self.now) {
            Landing::Now => self.outputs.push_back(response),
            Landing::At(due) => self.at(due, Timer::Output(response)),
            Landing::Lost => {
                if let Output::Response { id, .. } = response {
                    self.outputs.push_back(Output::ConnectionLost { id });
                }
            }
        }
    }

    /// The client of a request has gone: nothing more is sent to it.
    pub(crate) fn forget_client(&mut self, id: u64) {
        self.streams.remove(&id);
        self.timers.retain(|_, timer| match timer {
            Timer::KeepAlive { stream, .. } | Timer::Frames { stream } => *stream != id,
            Timer::Request(request) => request.id != id,
            Timer::Output(Output::Response { id: held, .. } | Output::StreamOpened { id: held, .. }) => {
                *held != id
            }
            Timer::Output(_) => true,
            Timer::Session { .. } => true,
        });
    }
}
