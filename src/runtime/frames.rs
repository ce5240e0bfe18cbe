//! What a frame changes: the board, the turns, and, at the live edge, the calls.

use super::board::FactState;
use super::call::Ending;
use super::codes::Code;
use super::event::{Event, Finished, Problem};
use super::ids::CallKey;
use super::machine::Machine;
use super::sessions::{Place, ROOT};
use crate::protocol::RawJson;
use crate::protocol::frame::{CallError, CallRequested, Frame, Handler, Positioned};

impl Machine {
    /// Takes in one frame that is new and in order.
    pub(super) fn fold(&mut self, place: Place, positioned: &Positioned) {
        let turn_id = positioned.turn_id.as_deref();
        let session = self.sessions.at(place);
        let trip_index =
            session.child.as_ref().map_or_else(|| self.turns.trip_index(turn_id), |child| child.trip_index());
        let most = self.config.max_remembered;
        if !self.sessions.at_mut(place).board.fold(positioned, trip_index, most) {
            self.warn_once(Code::Overloaded, "board", &|| {
                format!("more than {most} calls are open; further ones are left alone")
            });
        }
        match &positioned.frame {
            Frame::CallRequested(request) => self.note_foreign(request),
            Frame::Interrupted { interrupt_id, reason, payload } => {
                self.interrupted(place, positioned, interrupt_id, reason.as_deref(), payload);
            }
            Frame::Resumed { interrupt_id, payload } => self.interrupt_resumed(place, interrupt_id, payload),
            Frame::ChildStarted { .. } | Frame::ChildEnded { .. } if self.threads() => {}
            Frame::ChildStarted { session_id, call_id, agent } => {
                self.child_started(place, positioned, session_id, call_id.as_deref(), agent.as_deref());
            }
            Frame::ChildEnded { session_id, error } => self.child_ended(session_id, error.as_ref()),
            Frame::Unknown { name } => self.note_unknown(name),
            _ if place == ROOT || self.threads() => self.fold_conversation(positioned),
            frame => self.fold_child(place, frame),
        }
        self.compare(place);
    }

    /// What the conversation of an agent that another started means here: no text of its is the user's.
    fn fold_child(&mut self, place: Place, frame: &Frame) {
        match frame {
            Frame::Message { role, .. } if role == "assistant" => {
                if let Some(child) = &mut self.sessions.at_mut(place).child {
                    child.replied();
                }
            }
            Frame::TurnStarted { .. } => self.child_in_turn(place, true),
            Frame::TurnCompleted { .. } => {
                self.compare(place);
                self.child_in_turn(place, false);
            }
            Frame::SessionCancelled => {
                self.compare(place);
                self.child_cancelled(place);
            }
            _ => {}
        }
    }

    /// What is said in the page's own session.
    fn fold_conversation(&mut self, positioned: &Positioned) {
        let turn_id = positioned.turn_id.as_deref();
        match &positioned.frame {
            Frame::TextDelta { message_id, text } => {
                self.turns.streamed(turn_id, text);
                let (turn_id, message_id) = (turn_id.map(str::to_owned), message_id.clone());
                self.tell(Event::Text { turn_id, message_id, delta: text.clone() });
            }
            Frame::Message { id, role, text, tool_call_id, .. } => {
                if role == "assistant" {
                    self.turns.replied(turn_id, text.as_deref());
                }
                let replayed = !self.sessions.root().is_live();
                self.tell(Event::Message {
                    turn_id: turn_id.map(str::to_owned),
                    message_id: id.clone(),
                    role: role.clone(),
                    text: text.clone(),
                    call_id: tool_call_id.clone(),
                    replayed,
                });
            }
            Frame::TurnStarted { turn_id } => self.turn_started(turn_id),
            Frame::TurnCompleted { turn_id, data, error } => {
                // Confirmations that came before this frame belong into the turn's report.
                self.compare(ROOT);
                self.turn_completed(turn_id, data.clone(), error.as_ref());
            }
            Frame::SessionCancelled => {
                self.compare(ROOT);
                self.close_interrupts(ROOT);
                self.turns_cancelled();
            }
            _ => {}
        }
    }

    /// A tool of this page that the engine lets somebody else run is not used: its name was taken.
    fn note_foreign(&mut self, request: &CallRequested) {
        let name = &request.name;
        if request.handler == Handler::Client || self.registry.get(name).is_none() {
            return;
        }
        self.warn_once(Code::DeclarationIgnored, name, &|| {
            format!(
                "the engine ran a tool named `{name}` itself: it has one of that name, or had not heard of the \
                 page's when the model called it. Give the page's tool another name, or declare it to that agent"
            )
        });
    }

    fn note_unknown(&mut self, name: &str) {
        const KNOWN: [&str; 12] = [
            "agent.",
            "call.",
            "connector.",
            "decision.",
            "head.",
            "llm.",
            "message.",
            "session.",
            "sub_agent.",
            "subagent.",
            "tool.",
            "turn.",
        ];
        if !KNOWN.iter().any(|prefix| name.starts_with(prefix)) {
            self.warn_once(Code::FrameUnknown, name, &|| {
                format!("events named `{name}` are not known and were passed over")
            });
        }
    }

    /// Compares what the engine says with what is being done about it. What ended is ended at once;
    /// what is open is started only at the live edge.
    pub(super) fn compare(&mut self, place: Place) {
        let live = self.sessions.at(place).is_live();
        for id in self.sessions.at_mut(place).board.take_touched() {
            let session = self.sessions.at(place);
            let Some(fact) = session.board.fact(&id) else { continue };
            let key = CallKey::new(session.id.clone(), id.clone(), fact.request.attempt);
            match fact.state.clone() {
                FactState::Requested | FactState::Dispatched => {
                    let dispatched = matches!(fact.state, FactState::Dispatched);
                    self.fence_older(&key);
                    if self.calls.contains(&key) {
                        if dispatched {
                            self.note_dispatched(&key);
                        }
                    } else if !live || !self.may_accept(&key) {
                        self.sessions.at_mut(place).board.touch_later(&id);
                    } else if !self.remembered.knows(&key) {
                        self.accept(key, dispatched);
                    }
                }
                FactState::RetryWaiting(error) => self.conclude(&key, &Err(error), live),
                FactState::Completed(result) => {
                    self.conclude(&key, &Ok(result), live);
                    self.sessions.at_mut(place).board.drop_fact(&id);
                }
                FactState::Errored(error) => {
                    self.conclude(&key, &Err(error), live);
                    self.sessions.at_mut(place).board.drop_fact(&id);
                }
                FactState::Voided => {
                    self.void(&key, "the engine called it off");
                    self.sessions.at_mut(place).board.drop_fact(&id);
                }
            }
        }
    }

    /// A newer attempt makes older ones of the same call pointless.
    fn fence_older(&mut self, key: &CallKey) {
        let first = CallKey::new(key.session_id.clone(), key.call_id.clone(), 0);
        let older = self.calls.keys_between(&first, key).to_vec();
        for key in older {
            let failed = self
                .calls
                .get(&key)
                .is_some_and(|call| call.phase.was_sent() && call.phase.answered_ok() == Some(false));
            if failed {
                // What it asked for by its error, where no frame says so: another attempt.
                self.finish(&key, Ending::Confirmed);
            } else {
                self.void(&key, "a newer attempt has begun");
            }
        }
    }

    fn void(&mut self, key: &CallKey, why: &str) {
        if self.calls.contains(key) {
            self.finish(key, Ending::Voided(why.to_owned()));
        } else {
            self.retire_restored(key);
        }
    }

    /// The engine closed its books on an attempt.
    fn conclude(&mut self, key: &CallKey, outcome: &Result<RawJson, CallError>, live: bool) {
        let Some(call) = self.calls.get(key) else {
            self.retire_restored(key);
            return;
        };
        let name = call.name.clone();
        let ending = match (call.phase.answered_ok(), outcome) {
            (Some(true), Ok(_)) | (Some(false), Err(_)) => Ending::Confirmed,
            (Some(true), Err(error)) if call.phase.was_sent() => {
                let code = error.code.clone().unwrap_or_else(|| Code::ReplyRefused.as_str().to_owned());
                Ending::Refused(Problem { code, message: error.message.clone() })
            }
            _ => Ending::Voided("it was settled by somebody else".to_owned()),
        };
        let (result, error) = match outcome {
            Ok(result) => (Some(result.clone()), None),
            Err(error) => (None, Some(error.message.clone())),
        };
        if live || call.phase.has_answer() {
            self.tell(Event::Finished(Finished {
                id: key.call_id.clone(),
                ok: result.is_some(),
                name,
                result,
                error,
            }));
        }
        if let (Some(call), Err(error), Ending::Confirmed) = (self.calls.get_mut(key), outcome, &ending) {
            // Of an answer that an earlier page left only the bytes are known.
            call.error.get_or_insert_with(|| Problem::of_engine(error));
        }
        self.finish(key, ending);
    }

    /// The engine says a call may be settled. An answer it refused before that goes once more.
    fn note_dispatched(&mut self, key: &CallKey) {
        let Some(call) = self.calls.get_mut(key) else { return };
        if std::mem::replace(&mut call.dispatched, true) {
            return;
        }
        self.retry_early_answer(key);
    }
}
