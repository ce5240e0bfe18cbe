//! One call: what is known of it and the phase it is in.
//!
//! A phase owns what exists only in it: an invocation only while the handler runs, an answer only
//! once there is one. An arrow that makes no sense has nothing to be built from.

use super::codes::Code;
use super::delivery::{Parcel, Travel};
use super::event::{CallState, DeliveryState, InputClass, Problem};
use super::ids::{AskId, CallKey, CheckId, InvocationId, Millis, WriteId};
use super::tool::ToolSpec;
use crate::protocol::frame::Objection;
use crate::schema::Issue;
use std::rc::Rc;

/// An open call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) key: CallKey,
    pub(super) name: String,
    /// `None` until a tool of its name is there.
    pub(super) tool: Option<Rc<ToolSpec>>,
    /// Whether the app asked for it itself: there is nobody to post to.
    pub(super) local: bool,
    pub(super) turn_id: Option<String>,
    pub(super) trip_index: u32,
    /// The arguments as they are to be checked and run: as they came, repaired, or edited.
    pub(super) text: Rc<str>,
    pub(super) class: Option<InputClass>,
    pub(super) issues: Vec<Issue>,
    /// What the engine finds wrong with the arguments, where it said so.
    pub(super) objection: Option<Objection>,
    /// Whether a page that is gone had started it.
    pub(super) started_before: bool,
    pub(super) repaired: bool,
    pub(super) consented: bool,
    /// Whether the engine said that the call may be settled.
    pub(super) dispatched: bool,
    /// When the engine's patience ends, on our clock.
    pub(super) deadline: Option<Millis>,
    /// When the check under way is given up.
    pub(super) check_until: Option<Millis>,
    pub(super) received_at: Millis,
    pub(super) ran_from: Option<Millis>,
    pub(super) ran_until: Option<Millis>,
    /// The handler's value as JSON text, once it has one.
    pub(super) output: Option<Rc<str>>,
    /// What the answer says went wrong, if it does.
    pub(super) error: Option<Problem>,
    pub(super) tries: u32,
    pub(super) phase: Phase,
}

/// Where a call is.
#[derive(Debug)]
pub(super) enum Phase {
    /// Announced; nothing done yet.
    Received,
    /// Nobody of its name is here; a component may be about to mount.
    AwaitingTool { until: Millis },
    /// The arguments are with the validator.
    Checking { check: CheckId },
    /// The arguments are with the author's repair function.
    Repairing { check: CheckId },
    /// A person is being asked.
    AwaitingUser { ask: AskId },
    /// It waits for its lane, or for a handler to end.
    Queued,
    /// The start is being stored.
    Starting { write: WriteId },
    /// The handler runs.
    Running { invocation: InvocationId, clock: Clock },
    /// The result is with the validator.
    CheckingResult { check: CheckId, result: Settling },
    /// The answer is being stored.
    Storing { write: WriteId, answer: Answer },
    /// The answer travels.
    Delivering { travel: Travel, answer: Answer },
    /// The answer was taken, or the engine says nothing waits for it; the stream has the last word.
    Sent { until: Millis, standing: Standing, answer: Answer },
}

/// What the engine said to an answer that travels no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// 202.
    Taken,
    /// 409 or 404.
    Conflict {
        /// Whether the stream was asked again since.
        asked: bool,
    },
}

/// A result on its way to being an answer.
#[derive(Debug, Clone)]
pub(super) struct Settling {
    pub(super) json: Rc<str>,
    pub(super) media: Option<String>,
}

/// What goes to the engine.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) parcel: Parcel,
    /// Whether it carries a result rather than an error.
    pub(super) ok: bool,
    /// Whether it left before the engine had dispatched the call.
    pub(super) early: bool,
    /// How often it was taken without word from the stream.
    pub(super) rounds: u32,
}

/// A running handler's clock. Stopped while a person is being asked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    /// The tool's own limit; starts anew with every sign of life.
    pub(super) limit: Option<Millis>,
    pub(super) limit_at: Option<Millis>,
    /// The engine's deadline.
    pub(super) deadline: Option<Millis>,
    pub(super) stopped_at: Option<Millis>,
}

impl Clock {
    pub(super) fn started(limit: Option<Millis>, deadline: Option<Millis>, now: Millis) -> Self {
        Clock { limit, limit_at: limit.map(|span| now.plus(span)), deadline, stopped_at: None }
    }

    pub(super) fn sign_of_life(&mut self, now: Millis) {
        self.limit_at = self.limit.map(|span| now.plus(span));
    }

    pub(super) fn stop(&mut self, now: Millis) {
        self.stopped_at.get_or_insert(now);
    }

    pub(super) fn go_on(&mut self, now: Millis) {
        if let Some(stopped) = self.stopped_at.take() {
            let pause = now.since(stopped);
            self.limit_at = self.limit_at.map(|at| at.plus(pause));
            self.deadline = self.deadline.map(|at| at.plus(pause));
        }
    }

    /// When the time is up, unless it stands still.
    pub(super) fn rings_at(&self) -> Option<Millis> {
        match self.stopped_at {
            Some(_) => None,
            None => [self.limit_at, self.deadline].into_iter().flatten().min(),
        }
    }
}

impl Phase {
    /// The state as the app is told it.
    pub(super) fn state(&self) -> CallState {
        match self {
            Phase::Received | Phase::AwaitingTool { .. } => CallState::Received,
            Phase::Checking { .. } | Phase::Repairing { .. } => CallState::Checking,
            Phase::AwaitingUser { .. } => CallState::AwaitingUser,
            Phase::Queued | Phase::Starting { .. } => CallState::Queued,
            Phase::Running { .. } => CallState::Running,
            Phase::CheckingResult { .. } => CallState::Answered,
            Phase::Storing { .. } => CallState::Stored,
            Phase::Delivering { travel: Travel::Sending(_), .. } => CallState::Sending,
            Phase::Delivering { travel: Travel::Waiting(_), .. } => CallState::Waiting,
            Phase::Sent { .. } => CallState::Sent,
        }
    }

    /// Whether the call holds its lane and one of the places for running handlers.
    pub(super) fn holds_lane(&self) -> bool {
        matches!(self, Phase::Starting { .. } | Phase::Running { .. })
    }

    fn answer(&self) -> Option<&Answer> {
        match self {
            Phase::Storing { answer, .. } | Phase::Delivering { answer, .. } | Phase::Sent { answer, .. } => {
                Some(answer)
            }
            _ => None,
        }
    }

    /// Whether there is an answer already.
    pub(super) fn has_answer(&self) -> bool {
        self.answer().is_some()
    }

    /// Whether the answer is a result; `None` while there is no answer.
    pub(super) fn answered_ok(&self) -> Option<bool> {
        self.answer().map(|answer| answer.ok)
    }

    /// Whether the engine may have the answer.
    pub(super) fn was_sent(&self) -> bool {
        self.answer().is_some_and(|answer| answer.parcel.tries > 0)
    }
}

/// How a call leaves the machine.
#[derive(Debug)]
pub(super) enum Ending {
    /// The stream confirmed our answer.
    Confirmed,
    /// The engine took our result, then refused it.
    Refused(Problem),
    /// Our answer could not be delivered for good.
    Abandoned(Code, String),
    /// The call was called off: by its branch, a newer attempt, the session, or another's answer.
    Voided(String),
    /// A call of the app's own has its answer.
    Local,
}

impl Ending {
    pub(super) fn state(&self) -> CallState {
        match self {
            Ending::Confirmed | Ending::Local => CallState::Confirmed,
            Ending::Refused(_) => CallState::Refused,
            Ending::Abandoned(..) => CallState::Abandoned,
            Ending::Voided(_) => CallState::Voided,
        }
    }

    pub(super) fn delivery(&self) -> Option<DeliveryState> {
        match self {
            Ending::Confirmed => Some(DeliveryState::Confirmed),
            Ending::Refused(_) => Some(DeliveryState::Refused),
            Ending::Abandoned(..) => Some(DeliveryState::Abandoned),
            Ending::Voided(_) | Ending::Local => None,
        }
    }
}
