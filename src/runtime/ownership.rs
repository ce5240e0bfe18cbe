//! Who runs a session's calls: one page at a time, and what it finds when its turn comes.

use super::call::{Answer, Phase};
use super::codes::Code;
use super::delivery::{Parcel, Travel};
use super::ids::CallKey;
use super::machine::Machine;
use super::output::Effect;
use super::record::{Progress, Record};
use super::sessions::ROOT;

impl Machine {
    /// From here on this page runs the calls. What is open on the board is taken on at the live edge.
    pub(super) fn ownership_gained(&mut self, records: Vec<Record>) {
        self.owner = true;
        self.take_records(records);
        if self.threads() {
            self.thread_gained();
        } else {
            self.compare(ROOT);
            self.follow_children();
        }
    }

    /// From here on another page runs the calls. What this one was doing about them stops, unanswered
    /// and untold: the new owner finds the records and ends the calls.
    pub(super) fn ownership_lost(&mut self) {
        self.owner = false;
        self.restored.clear();
        let ours = self.keys_where(&|call| !call.local);
        for key in ours {
            self.drop_call(&key);
        }
        if self.threads() {
            self.thread_lost();
        } else {
            self.leave_children();
        }
        self.pump_queue();
    }

    /// Leaves a call to another page. An answer under way goes on: its bytes are the recorded ones, and
    /// where the next owner sends them again, the engine takes one of the two.
    fn drop_call(&mut self, key: &CallKey) {
        if let Some(Phase::Delivering { travel: Travel::Sending(request), .. }) =
            self.calls.get(key).map(|call| &call.phase)
        {
            let request = *request;
            self.owners.remove(&request.0);
        }
        self.let_go(key, "another page took the call over");
        self.calls.remove(key);
        let place = self.sessions.of(&key.session_id);
        self.sessions.at_mut(place).board.touch_later(&key.call_id);
        self.release_messages(key);
    }

    pub(super) fn resumed(&mut self) {
        for place in self.streams() {
            self.resume_stream(place);
        }
        self.woken();
    }

    /// What an earlier owner left of a call decides how it goes on: an answer is sent as it is, a start
    /// without an answer is remembered until the tool says whether it may run again.
    pub(super) fn restore(&mut self, key: &CallKey) -> bool {
        let Some(progress) = self.restored.remove(key) else { return false };
        let now = self.now;
        let Some(call) = self.calls.get_mut(key) else { return false };
        match progress {
            Progress::Started => {
                call.started_before = true;
                false
            }
            Progress::Answered { body, ok } => {
                let answer = Answer { parcel: Parcel::new(body), ok, early: false, rounds: 0 };
                call.phase = Phase::Delivering { travel: Travel::Waiting(Some(now)), answer };
                true
            }
            Progress::Ended => false,
        }
    }

    /// Ends a call whose handler may have run in a page that is gone, unless running again is harmless.
    pub(super) fn refuse_second_start(&mut self, key: &CallKey) -> bool {
        let Some(call) = self.calls.get(key).filter(|call| call.started_before) else { return false };
        if call.tool.as_ref().is_some_and(|tool| tool.may_run_again()) {
            return false;
        }
        let message = format!(
            "interrupted: the page went away while tool `{}` ran; whether it took effect is not known",
            call.name
        );
        self.answer_error(key, Code::Interrupted, message, false);
        true
    }

    /// A call ended without us: whatever an earlier owner left of it is over too.
    pub(super) fn retire_restored(&mut self, key: &CallKey) {
        self.remembered.remember(key.clone());
        if self.restored.remove(key).is_some() {
            self.effect(Effect::Retire { key: key.clone() });
        }
    }
}
