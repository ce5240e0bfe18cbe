//! A conversation that is stopped: by the app, by another page that takes it over, by a page that goes to sleep.
//! And one whose engine passes over the answers in a run, which then go its native way.

use super::{Errand, Stage, Thread, whole};
use crate::protocol::ag_ui::Message;
use crate::protocol::json;
use crate::protocol::settle::write::Object;
use crate::runtime::call::{Ending, Phase};
use crate::runtime::codes::Code;
use crate::runtime::event::{ConnectionState, Problem, TurnStatus};
use crate::runtime::ids::RequestId;
use crate::runtime::machine::{Machine, Owner};
use crate::runtime::output::Effect;
use crate::runtime::sessions::ROOT;

impl Machine {
    /// The runtime is closed.
    pub(in crate::runtime) fn end_thread(&mut self) {
        if let Stage::Asking(ask) = &self.thread.stage {
            let request = ask.request;
            self.effect(Effect::Abort { request });
        }
    }

    /// The app stops a turn. False if it is none of this conversation's.
    pub(in crate::runtime) fn thread_cancelled(&mut self, turn_id: &str, reason: &str) -> bool {
        if let Some(at) = self.thread.wishes.iter().position(|wish| wish.turn_id == turn_id) {
            self.thread.wishes.remove(at);
            let problem = Problem::new(Code::Cancelled, reason);
            self.end_turn(turn_id, TurnStatus::Cancelled, None, Some(problem));
            return true;
        }
        if self.thread.turn.as_deref() != Some(turn_id) {
            return false;
        }
        let told = self.hang_up_thread();
        if let Some(out) = self.thread.outgoing.take() {
            if out.confirmed {
                self.thread.last_run = Some(out.id);
            } else {
                // Whether the server has it is not known: the transcript says what was said.
                let own = |one: &Message| {
                    self.thread.reply.calls.iter().any(|call| Some(&call.id) == one.call_id.as_ref())
                };
                // Those of the reply's calls are written below.
                let news: Vec<Message> = out.news.into_iter().filter(|one| !own(one)).collect();
                self.thread.messages.extend(news);
            }
        }
        if let Some(mut told) = told {
            told.open.clear();
            self.keep(told);
        }
        self.answer_cancelled(reason);
        let problem = Problem::new(Code::Cancelled, reason);
        self.thread_over(TurnStatus::Cancelled, None, Some(problem));
        true
    }

    /// Calls that were open get an answer in the transcript, so that no later run is refused for want of it.
    fn answer_cancelled(&mut self, reason: &str) {
        for called in std::mem::take(&mut self.thread.reply.calls) {
            let key = self.thread_key(&called.id);
            let spare = || self.answer_id(&called.id);
            let answered = match self.calls.get(&key).map(|call| &call.phase) {
                Some(Phase::Storing { answer, .. } | Phase::Delivering { answer, .. }) => {
                    Message::read(&answer.parcel.body, &spare)
                }
                _ => None,
            };
            let answer = answered.unwrap_or_else(|| {
                Message::tool(spare(), called.id.clone(), &format!("cancelled: {reason}"), false, true)
            });
            if self.config.native_input {
                self.thread.unsent.push(answer.clone());
            }
            whole::place(&mut self.thread.messages, answer);
            if self.calls.contains(&key) {
                self.finish(&key, Ending::Voided(reason.to_owned()));
            }
            let place = self.sessions.of(&key.session_id);
            self.sessions.at_mut(place).board.drop_fact(&key.call_id);
        }
        self.drop_open_ends();
    }

    /// Gives the request under way up. Gives what had been told by it.
    fn hang_up_thread(&mut self) -> Option<super::assembly::Told> {
        match std::mem::take(&mut self.thread.stage) {
            Stage::Asking(ask) => {
                self.owners.remove(&ask.request.0);
                self.effect(Effect::Abort { request: ask.request });
                self.tell_connection(ROOT, ConnectionState::Idle, None, None, None, None);
                (ask.errand == Errand::Run).then(|| self.told_by(ask.assembly))
            }
            Stage::Storing(write) => {
                self.owners.remove(&write.0);
                None
            }
            _ => None,
        }
    }

    /// Another page runs the conversation: what it needs is in the store.
    pub(in crate::runtime) fn thread_lost(&mut self) {
        drop(self.hang_up_thread());
        let wanted = self.thread.wanted;
        let turn = self.thread.turn.take();
        let before = std::mem::take(&mut self.thread);
        self.thread = Thread {
            wanted,
            begun: before.begun,
            wishes: before.wishes,
            context: before.context,
            forwarded: before.forwarded,
            messages: before.messages,
            state: before.state,
            spare: before.spare,
            ..Thread::default()
        };
        self.thread_asleep();
        if let Some(turn) = turn {
            let message = "another page of this session goes on with the turn";
            self.end_turn(&turn, TurnStatus::Cancelled, None, Some(Problem::new(Code::Cancelled, message)));
        }
    }

    /// The page goes to sleep: a request would be cut anyway, and stands in the way of the back-forward cache.
    pub(in crate::runtime) fn thread_suspended(&mut self) {
        let Stage::Asking(ask) = &self.thread.stage else { return };
        let (errand, confirmed) =
            (ask.errand, self.thread.outgoing.as_ref().is_some_and(|out| out.confirmed));
        let told = self.hang_up_thread();
        match errand {
            Errand::Run if self.is_connectable() => self.thread.stage = Stage::Waiting(None, Errand::Recover),
            Errand::Run if !confirmed => self.thread.stage = Stage::Waiting(None, Errand::Run),
            Errand::Run => {
                self.thread.outgoing = None;
                if let Some(mut told) = told {
                    told.open.clear();
                    self.keep(told);
                }
                self.drop_open_ends();
                let message =
                    "the page was put to sleep during the run, and the server cannot tell what became of it";
                let problem = Problem::new(Code::StreamNetwork, message);
                self.thread_over(TurnStatus::Failed, None, Some(problem));
            }
            other => self.thread.stage = Stage::Waiting(None, other),
        }
    }

    /// The engine keeps silent about a run. Answers in it go the engine's native way too: whichever comes second
    /// is turned away, so the run's stream is read on.
    pub(super) fn run_stalled(&mut self) {
        let news = self.thread.outgoing.as_ref().map(|out| out.news.as_slice()).unwrap_or_default();
        let answers: Vec<Message> = self
            .thread
            .unsent
            .iter()
            .chain(news)
            .filter(|message| message.call_id.is_some())
            .cloned()
            .collect();
        let turned_away = matches!(&self.thread.stage, Stage::Asking(ask) if ask.turned_away);
        if answers.is_empty() || turned_away {
            return self.ask_over(Some("the engine keeps silent about the run".to_owned()));
        }
        let mut refresh = false;
        if let Stage::Asking(ask) = &mut self.thread.stage {
            ask.settling = true;
            // What did not arrive may have been turned away for its token.
            refresh = std::mem::take(&mut ask.unsettled);
        }
        let session_id = self.sessions.root().id.clone();
        for message in answers {
            let request = RequestId(self.handle_number());
            self.owns(request.0, Owner::Settling);
            let (session_id, body) = (session_id.clone(), native_answer(&session_id, &message).into());
            self.effect(Effect::Post { request, session_id, body, refresh });
        }
    }

    /// An answer that went the native way too was taken, or turned away, or (`None`) did not arrive.
    pub(in crate::runtime) fn settling_answered(&mut self, request: RequestId, taken: Option<bool>) {
        if self.owners.remove(&request.0).is_none() {
            return;
        }
        let under_way = self.owners.iter().any(|(_, owner)| matches!(owner, Owner::Settling));
        let now = self.now;
        let Stage::Asking(ask) = &mut self.thread.stage else { return };
        if ask.errand != Errand::Run || !ask.settling {
            return;
        }
        ask.passed_over |= taken == Some(true);
        ask.unsettled |= taken.is_none();
        if under_way {
            return;
        }
        if ask.passed_over {
            self.thread.passes_over = true;
            self.thread.unsent.clear();
            // The run was not what the engine goes by: the thread tells what becomes of the turn.
            drop(self.hang_up_thread());
            self.thread.asked_since = Some(now);
            return self.ask_thread(Errand::Recover, false);
        }
        if ask.unsettled {
            ask.settling = false;
            ask.opened_at = Some(now);
            return;
        }
        // The engine says that it has them: it may well be slow to say more.
        self.thread.unsent.clear();
        ask.settling = false;
        ask.turned_away = true;
        ask.opened_at = Some(now);
    }
}

/// An answer in the engine's native form. No attempt is named: a run does not tell which one it is.
fn native_answer(session_id: &str, message: &Message) -> String {
    let content = message.text.clone().unwrap_or_default();
    let failed = json::pick(&message.json, ["error"]).is_some_and(|[error]| error.is_some());
    let mut body = String::new();
    let mut object = Object::begin(&mut body);
    object.text("session_id", session_id);
    object.object("input", |input| {
        input.text("type", if failed { "tool.error" } else { "tool.result" });
        input.text("id", message.call_id.as_deref().unwrap_or_default());
        match json::document(&content) {
            _ if failed => {
                input.text("error", &content);
                input.flag("retryable", false);
            }
            Some(whole) if whole != "null" => input.raw("result", whole),
            _ => input.text("result", &content),
        }
    });
    object.end();
    body
}
