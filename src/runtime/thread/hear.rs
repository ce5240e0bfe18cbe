//! Events of a run as they come: told at once where people wait for them, put aside where they start something.

use super::assembly::Room;
use super::{Ask, Errand, Outgoing, Stage, read_messages};
use crate::protocol::RawJson;
use crate::protocol::ag_ui::{self, Message, Outcome, Said};
use crate::protocol::patch;
use crate::protocol::sse::SseItem;
use crate::runtime::codes::Code;
use crate::runtime::event::Event;
use crate::runtime::ids::RequestId;
use crate::runtime::machine::Machine;

/// Most activities that are kept for their patches.
const MAX_ACTIVITIES: usize = 256;

/// One thing a chunk held.
enum Heard {
    Said(Said),
    Breath,
    Bad(Code, String),
}

impl Machine {
    /// Bytes of the response to a run came.
    pub(in crate::runtime) fn thread_chunk(&mut self, request: RequestId, bytes: &[u8]) {
        if self.thread.request() != Some(request) {
            return;
        }
        if self.refusal_said(bytes) {
            return;
        }
        let now = self.now;
        let Stage::Asking(ask) = &mut self.thread.stage else { return };
        ask.heard_at = now;
        for heard in read(ask, bytes) {
            match heard {
                Heard::Said(said) => self.said(said),
                Heard::Breath => {
                    if let Stage::Asking(ask) = &mut self.thread.stage {
                        ask.breathes = true;
                    }
                }
                Heard::Bad(code, message) => self.warn(code, message),
            }
            if self.thread.request() != Some(request) {
                return;
            }
        }
    }

    fn said(&mut self, said: Said) {
        let Stage::Asking(ask) = &mut self.thread.stage else { return };
        if ask.failed.is_some() {
            return;
        }
        let live = ask.errand == Errand::Run;
        if ask.finished.is_some() && !matches!(said, Said::RunFinished { .. }) {
            ask.went_on = true;
        }
        if live && self.shows_that_the_run_arrived(&said) {
            self.run_confirmed();
        }
        let room = Room { run: self.config.max_frame_bytes, arguments: self.config.max_argument_bytes };
        let Stage::Asking(ask) = &mut self.thread.stage else { return };
        match said {
            Said::RunStarted { messages } if !live => {
                let session_id = self.sessions.root().id.clone();
                if let (Some(list), Stage::Asking(ask)) = (messages, &mut self.thread.stage)
                    && ask.assembly.is_empty()
                {
                    let messages = read_messages(&mut self.thread.spare, &session_id, list.get());
                    ask.assembly.snapshot(messages);
                }
            }
            Said::RunStarted { .. } | Said::Nothing => {}
            Said::RunFinished { outcome, result } => {
                let before = ask.finished.take();
                // A second end says how the run ended; what the first listed is not lost by it.
                let (first, listed) = before.unwrap_or_default();
                // Said twice with nothing between, the one that says more counts.
                let repeated = !ask.went_on && outcome == Outcome::default();
                ask.finished = Some((if repeated { first } else { outcome }, result.or(listed)));
                ask.went_on = false;
            }
            Said::RunError(error) => ask.failed = Some(error),
            Said::MessageStart { id, role } => ask.assembly.start(&id, &role),
            Said::MessagePiece { id, role, delta } => {
                let home = ask.assembly.piece(id.as_deref(), role.as_deref(), &delta, room);
                if let Some((message_id, role)) = home.filter(|_| live && !delta.is_empty()) {
                    self.tell_piece(message_id, &role, delta);
                }
            }
            Said::MessageEnd { id } => {
                if let Some((role, text)) = ask.assembly.end(&id).filter(|_| live) {
                    self.tell_message(&Message::spoken(id, &role, text, None));
                }
            }
            Said::CallStart { id, name, parent } => ask.assembly.call(&id, &name, parent.as_deref()),
            Said::CallPiece { id, name, parent, delta } => {
                if let (Some(id), Some(name)) = (&id, &name)
                    && !ask.assembly.knows_call(id)
                {
                    ask.assembly.call(id, name, parent.as_deref());
                }
                if !delta.is_empty() && !ask.assembly.argument(id.as_deref(), &delta, room) {
                    self.warn(
                        Code::FrameInvalid,
                        "a piece of arguments was passed over: no call had begun that it belongs to"
                            .to_owned(),
                    );
                }
            }
            Said::CallEnd { .. } => {}
            Said::CallResult { id, message_id, content } => {
                let spare = format!("{id}-result");
                // Text or parts, it travels back as it came.
                let message = Message::tool(message_id.unwrap_or(spare), id, content.get(), true, false);
                ask.assembly.result(message.clone());
                if live {
                    self.tell_message(&message);
                }
            }
            Said::Messages(list) => {
                let session_id = self.sessions.root().id.clone();
                let messages = read_messages(&mut self.thread.spare, &session_id, list.get());
                if let Stage::Asking(ask) = &mut self.thread.stage {
                    ask.assembly.snapshot(messages);
                }
            }
            Said::State(state) => self.state_changed(state),
            Said::StatePatch(changes) => {
                let before = self.thread.state.as_ref().map_or("{}", RawJson::get);
                match patch::apply(before, changes.get()) {
                    Ok(after) => self.state_changed(RawJson::of(&after.into())),
                    Err(error) => {
                        self.warn(
                            Code::FrameInvalid,
                            format!("a patch of the state was passed over: {error}"),
                        );
                    }
                }
            }
            Said::Activity { message_id, activity_type, content, replace } => {
                let known = self.thread.activities.iter().position(|(id, _)| *id == message_id);
                match known.and_then(|at| self.thread.activities.get_mut(at)) {
                    Some(_) if !replace => return,
                    Some((_, kept)) => *kept = content.clone(),
                    None => {
                        if self.thread.activities.len() >= MAX_ACTIVITIES {
                            self.thread.activities.remove(0);
                        }
                        self.thread.activities.push((message_id.clone(), content.clone()));
                    }
                }
                let turn_id = self.thread.turn.clone();
                self.tell(Event::Activity { turn_id, message_id, activity_type, content });
            }
            Said::ActivityPatch { message_id, activity_type, patch: changes } => {
                let Some((_, kept)) = self.thread.activities.iter_mut().find(|(id, _)| *id == message_id)
                else {
                    return self.warn(
                        Code::FrameInvalid,
                        "a patch of an activity was passed over: no activity of its message is known"
                            .to_owned(),
                    );
                };
                match patch::apply(kept.get(), changes.get()) {
                    Ok(after) => {
                        let content = RawJson::of(&after.into());
                        *kept = content.clone();
                        let turn_id = self.thread.turn.clone();
                        self.tell(Event::Activity { turn_id, message_id, activity_type, content });
                    }
                    Err(error) => {
                        self.warn(
                            Code::FrameInvalid,
                            format!("a patch of an activity was passed over: {error}"),
                        );
                    }
                }
            }
            Said::Step { name, started } if live => {
                let turn_id = self.thread.turn.clone();
                self.tell(Event::Step { turn_id, name, started });
            }
            Said::Custom { name, value } if live => {
                if name == "on_interrupt" {
                    ask.custom_interrupt = Some(value.clone());
                }
                let turn_id = self.thread.turn.clone();
                self.tell(Event::Custom { turn_id, name, value });
            }
            Said::Sealed { entity, value } => ask.assembly.seal(entity, value),
            Said::Kept { name, event } if live => {
                let turn_id = self.thread.turn.clone();
                self.tell(Event::Raw { turn_id, name, event });
            }
            Said::Step { .. } | Said::Custom { .. } | Said::Kept { .. } => {}
        }
    }

    /// Whether the server cannot but have what the run brought. The native engine begins and ends runs that it
    /// passes over, too, and may have got some answers by another way: it has all when the model goes on.
    fn shows_that_the_run_arrived(&mut self, said: &Said) -> bool {
        let native = self.config.native_input;
        let Some(out) = self.thread.outgoing.as_mut() else { return false };
        let carried = |id: &str, out: &Outgoing| out.carries.iter().any(|key| key.call_id == id);
        match said {
            Said::RunError(_) => false,
            Said::RunStarted { .. } | Said::RunFinished { .. } => !native,
            Said::CallStart { id, .. } | Said::CallPiece { id: Some(id), .. } | Said::CallEnd { id } => {
                !native || !carried(id, out)
            }
            Said::CallResult { id, .. } if native && carried(id, out) => {
                if !out.heard.contains(id) {
                    out.heard.push(id.clone());
                }
                out.heard.len() == out.carries.len()
            }
            _ => true,
        }
    }

    fn tell_piece(&mut self, message_id: String, role: &str, delta: String) {
        match role {
            "reasoning" => {
                let turn_id = self.thread.turn.clone();
                self.tell(Event::Reasoning { turn_id, message_id, delta });
            }
            "assistant" => {
                self.turn_frame(crate::protocol::Frame::TextDelta { message_id, text: delta });
            }
            _ => {}
        }
    }

    fn state_changed(&mut self, state: RawJson) {
        self.thread.state = Some(state.clone());
        let turn_id = self.thread.turn.clone();
        self.tell(Event::State { turn_id, state });
    }
}

fn read(ask: &mut Ask, bytes: &[u8]) -> Vec<Heard> {
    let mut heard = Vec::new();
    ask.parser.push(bytes, &mut |item| match item {
        SseItem::Event(event) => {
            let data = event.data();
            if data.trim_ascii() == "[DONE]" {
                return;
            }
            heard.push(match ag_ui::read(&event.name(), &data) {
                Ok(said) => Heard::Said(said),
                Err(lack) => Heard::Bad(Code::FrameInvalid, format!("an event without {lack} was skipped")),
            });
        }
        SseItem::Comment => heard.push(Heard::Breath),
        SseItem::Retry(_) => {}
        SseItem::Oversized { name, limit, .. } => heard.push(Heard::Bad(
            Code::FrameTooLarge,
            format!("an event `{name}` of more than {limit} bytes was skipped"),
        )),
    });
    heard
}
