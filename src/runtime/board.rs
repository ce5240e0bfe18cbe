//! The fold: what the stream says of each client call, without doing anything about it.
//!
//! History and live events go through the same board, so reading history cannot execute anything:
//! only the comparison of board and calls, made at the live edge, starts work.

use super::ids::Millis;
use super::table::Table;
use crate::protocol::RawJson;
use crate::protocol::frame::{CallError, CallRequested, Frame, Handler, Positioned};

/// What is known of one client call.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) request: CallRequested,
    pub(super) turn_id: Option<String>,
    pub(super) trip_index: u32,
    pub(super) state: FactState,
    /// How long before its deadline the engine was when it last spoke of the call.
    pub(super) time_left: Option<TimeLeft>,
    touched: bool,
}

/// A deadline, told without trusting either clock to agree with the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLeft {
    /// By the engine's clock.
    deadline: u64,
}

impl TimeLeft {
    /// The deadline on our clock, given what the engine's clock showed at our `now`.
    pub(super) fn local(self, engine_now: Option<u64>, now: Millis) -> Option<Millis> {
        Some(now.plus(Millis(self.deadline.saturating_sub(engine_now?))))
    }
}

/// How far the engine is with an attempt.
#[derive(Debug, Clone)]
pub(super) enum FactState {
    /// Announced.
    Requested,
    /// May be settled.
    Dispatched,
    /// Failed; the engine will announce another attempt.
    RetryWaiting(CallError),
    /// Ended with a result.
    Completed(RawJson),
    /// Ended with an error.
    Errored(CallError),
    /// Gone.
    Voided,
}

/// All facts of one session.
#[derive(Debug, Default)]
pub(super) struct Board {
    facts: Table<String, Fact>,
    /// Calls whose fact changed since they were last compared, in the order they first did.
    touched: Vec<String>,
    /// The engine's clock as of the newest event.
    engine_now: Option<u64>,
}

impl Board {
    /// Folds one frame. Returns false if a call had to be left out because the board holds `most`.
    pub(super) fn fold(&mut self, positioned: &Positioned, trip_index: u32, most: usize) -> bool {
        if let Some(at) = positioned.occurred_at {
            self.engine_now = Some(self.engine_now.map_or(at, |known| known.max(at)));
        }
        match &positioned.frame {
            Frame::CallRequested(request) if request.handler == Handler::Client => {
                if self.facts.get(&request.id).is_some_and(|known| known.request.attempt >= request.attempt) {
                    return true;
                }
                if self.facts.len() >= most && !self.facts.contains(&request.id) {
                    return false;
                }
                let fact = Fact {
                    request: request.clone(),
                    turn_id: positioned.turn_id.clone(),
                    trip_index,
                    state: if request.dispatched { FactState::Dispatched } else { FactState::Requested },
                    time_left: request.deadline.map(|deadline| TimeLeft { deadline }),
                    touched: true,
                };
                let before = self.facts.insert(request.id.clone(), fact);
                if !before.is_some_and(|fact| fact.touched) {
                    self.touched.push(request.id.clone());
                }
            }
            Frame::CallDispatched { id, attempt } => {
                let started = positioned.occurred_at;
                self.change(id, &|fact| {
                    let current = attempt.is_none_or(|attempt| attempt == fact.request.attempt);
                    if current && matches!(fact.state, FactState::Requested) {
                        fact.state = FactState::Dispatched;
                        if let (None, Some(at), Some(span)) =
                            (fact.time_left, started, fact.request.run_timeout)
                        {
                            fact.time_left = Some(TimeLeft { deadline: at.saturating_add(span) });
                        }
                    }
                });
            }
            Frame::CallCompleted { id, result } => {
                self.change(id, &|fact| fact.state = FactState::Completed(result.clone()));
            }
            Frame::CallErrored { id, error, retryable } => self.change(id, &|fact| {
                let next = fact.request.attempt.saturating_add(1);
                let again = *retryable && fact.request.max_attempts.is_some_and(|most| next < most);
                let state = if again { FactState::RetryWaiting } else { FactState::Errored };
                fact.state = state(error.clone());
            }),
            Frame::CallVoided { id } => self.change(id, &|fact| fact.state = FactState::Voided),
            Frame::SessionCancelled => {
                let open: Vec<String> = self.facts.keys().to_vec();
                for id in open {
                    self.change(&id, &|fact| fact.state = FactState::Voided);
                }
            }
            _ => {}
        }
        for open in positioned.open_calls.iter().flatten() {
            if let (Some(deadline), Some(fact)) = (open.deadline, self.facts.get_mut(&open.id))
                && open.attempt.is_none_or(|attempt| attempt == fact.request.attempt)
            {
                fact.time_left = Some(TimeLeft { deadline });
            }
        }
        true
    }

    fn change(&mut self, id: &str, change: &dyn Fn(&mut Fact)) {
        if let Some(fact) = self.facts.get_mut(id) {
            change(fact);
            if !std::mem::replace(&mut fact.touched, true) {
                self.touched.push(id.to_owned());
            }
        }
    }

    /// The calls to compare now.
    pub(super) fn take_touched(&mut self) -> Vec<String> {
        for id in &self.touched {
            if let Some(fact) = self.facts.get_mut(id) {
                fact.touched = false;
            }
        }
        std::mem::take(&mut self.touched)
    }

    /// Marks every fact for comparison, because room was made for calls left aside.
    pub(super) fn touch_all(&mut self) {
        for fact in self.facts.values_mut() {
            if !std::mem::replace(&mut fact.touched, true) {
                self.touched.push(fact.request.id.clone());
            }
        }
    }

    /// Keeps a call for the next comparison.
    pub(super) fn touch_later(&mut self, id: &str) {
        self.change(id, &|_| {});
    }

    pub(super) fn fact(&self, id: &str) -> Option<&Fact> {
        self.facts.get(id)
    }

    /// Whether the engine, as far as it has told, waits for this attempt's answer.
    pub(super) fn waits_for(&self, id: &str, attempt: u64) -> bool {
        self.facts.get(id).is_some_and(|fact| {
            fact.request.attempt == attempt
                && matches!(fact.state, FactState::Requested | FactState::Dispatched)
        })
    }

    /// Drops what needs no more comparing.
    pub(super) fn drop_fact(&mut self, id: &str) {
        self.facts.remove(id);
    }

    pub(super) fn engine_now(&self) -> Option<u64> {
        self.engine_now
    }
}
