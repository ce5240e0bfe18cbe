//! The engine's front: one input in, outputs out, one next deadline.
//!
//! Sans-IO: the host owns sockets, clock and chance. Time only moves by what is handed in and never goes
//! back. Timers that are due fire in order, each at its own moment, before the input is looked at.

use std::collections::BTreeMap;

use super::config::Config;
use super::http::{self, Request};
use super::interrupts;
use super::io::{Input, Operator, Output};
use super::session::Session;
use super::shared::{Shared, Timer};
use super::{Millis, ag_ui, faults, stream, subagents};

/// A whole bundled engine.
#[derive(Debug)]
pub struct Engine {
    pub(crate) shared: Shared,
    pub(crate) sessions: BTreeMap<String, Session>,
}

impl Engine {
    /// An engine without sessions.
    #[must_use]
    pub fn new(config: Config) -> Engine {
        Engine { shared: Shared::new(config), sessions: BTreeMap::new() }
    }

    /// Takes one input. Drain [`Engine::poll_output`] before the next one.
    pub fn handle(&mut self, now: Millis, input: Input) {
        let now = now.max(self.shared.now);
        self.fire_due(now);
        self.shared.now = now;
        match input {
            Input::Request { id, method, target, headers, body } => {
                self.take(Request::new(id, method, &target, headers, body));
            }
            Input::ClientGone { id } => self.shared.forget_client(id),
            Input::TimeReached => {}
            Input::ModelDelta { call, delta } => {
                self.with_model_session(&call, |session, shared| {
                    session.external_delta(shared, &call, delta);
                });
            }
            Input::ModelReplied { call, reply } => {
                self.with_model_session(&call, |session, shared| {
                    session.external_reply(shared, &call, reply);
                });
            }
            Input::WorkerReplied { decision, attempt, response } => {
                self.with_deciding_session(&decision, |session, shared| {
                    session.worker_replied(shared, attempt, &response);
                });
            }
            Input::WorkerFailed { decision, attempt, message } => {
                self.with_deciding_session(&decision, |session, shared| {
                    session.worker_failed(shared, attempt, &message);
                });
            }
            Input::Operator(operator) => self.operate(operator),
            Input::Fault { fault } => faults::arm(self, fault),
        }
        self.come_to_rest();
        self.fire_due(now);
    }

    /// The next thing to do for the host, if any.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<Output> {
        self.shared.outputs.pop_front()
    }

    /// When to call [`Engine::handle`] with [`Input::TimeReached`], if nothing comes before.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Millis> {
        self.shared.next_timer()
    }

    fn take(&mut self, request: Request) {
        match self.shared.faults.hold_request(&request.path, self.shared.now) {
            Some(faults::Hold::Lost) => {
                self.shared.outputs.push_back(Output::ConnectionLost { id: request.id });
            }
            Some(faults::Hold::Until(due)) => self.shared.at(due, Timer::Request(request)),
            None => http::serve(self, &request),
        }
    }

    fn fire_due(&mut self, now: Millis) {
        while let Some((due, timer)) = self.shared.take_due(now) {
            self.shared.now = self.shared.now.max(due);
            self.fire(timer, now);
            self.come_to_rest();
        }
    }

    fn come_to_rest(&mut self) {
        subagents::run_errands(self);
        ag_ui::rest(self);
    }

    fn fire(&mut self, timer: Timer, now: Millis) {
        match timer {
            Timer::KeepAlive { stream, since } => stream::keep_alive(self, stream, since, now),
            Timer::Request(request) => http::serve(self, &request),
            Timer::Output(output) => self.shared.outputs.push_back(output),
            Timer::Frames { stream } => self.shared.release_frames(stream),
            Timer::Session { session, task } => {
                if let Some(found) = self.sessions.get_mut(&session) {
                    found.wake(&mut self.shared, task);
                }
            }
        }
    }

    fn operate(&mut self, operator: Operator) {
        let (Operator::Cancel { session_id }
        | Operator::Interrupt { session_id, .. }
        | Operator::Resume { session_id, .. }
        | Operator::MoveHead { session_id, .. }) = &operator;
        let Some(session) = self.sessions.get_mut(session_id) else { return };
        let shared = &mut self.shared;
        match operator {
            Operator::Cancel { .. } => session.cancel(shared),
            Operator::Interrupt { interrupt_id, reason, payload, client_may_resume, .. } => {
                let raised = interrupts::Raise {
                    id: interrupt_id,
                    origin: "operator".to_owned(),
                    reason,
                    payload,
                    client_may_resume,
                };
                session.interrupt(shared, raised);
            }
            Operator::Resume { interrupt_id, payload, .. } => {
                session.resume(shared, &interrupt_id, payload);
            }
            Operator::MoveHead { message_id, .. } => session.fork_to(shared, message_id),
        }
    }

    fn with_deciding_session(&mut self, decision: &str, act: impl FnOnce(&mut Session, &mut Shared)) {
        let found = self.sessions.values_mut().find(|session| session.has_in_hand(decision));
        if let Some(session) = found {
            act(session, &mut self.shared);
        }
    }

    fn with_model_session(&mut self, call: &str, act: impl FnOnce(&mut Session, &mut Shared)) {
        let found = self.sessions.values_mut().find(|session| session.asks_model(call));
        if let Some(session) = found {
            act(session, &mut self.shared);
        }
    }
}
