//! The agents that a session starts: each runs in a session of its own, with a stream of its own, and its
//! client calls are this page's too.
//!
//! Only the page that owns the calls follows them, and only a few at a time: browsers give one origin few
//! connections, and one must stay free for answers. A child is over when its parent says so and its own
//! stream has shown the end of its turn, whichever comes last: the two streams may overtake each other.
//! Nothing is taken for new because a parent says so: what a child's stream brings first is history.

use super::board::Board;
use super::call::{Ending, Phase};
use super::codes::Code;
use super::config::Dialect;
use super::event::{AgentReport, Node, Problem, Report, ReportStatus};
use super::ids::{CallKey, Millis};
use super::machine::Machine;
use super::output::Effect;
use super::record::{Progress, Record};
use super::session::Session;
use super::sessions::{Place, ROOT};
use crate::protocol::frame::{CallError, Positioned};

/// Most children that wait to be followed.
const MAX_BIRTHS: usize = 1_024;

/// A child that was announced.
#[derive(Debug, Clone)]
pub(super) struct Birth {
    session_id: String,
    /// The call of the parent's that it serves, where known.
    call_id: Option<String>,
    /// The agent that runs in it, where known.
    agent: Option<String>,
    /// The session that started it.
    parent: String,
    /// The turn of the page's own session that it belongs to, where known.
    turn_id: Option<String>,
    trip_index: u32,
    started_at: Millis,
}

/// What a followed session is to the one that started it.
#[derive(Debug)]
pub(super) struct Child {
    birth: Birth,
    /// Whether what earlier owners left of its calls is known.
    pub(super) owned: bool,
    /// How many model replies its turn has.
    replies: u32,
    /// Whether its own stream shows a turn under way.
    in_turn: bool,
    /// Whether its own stream has shown the end of a turn since.
    finished_one: bool,
    /// What its parent said of its end.
    end: Option<End>,
    reports: Vec<Node>,
}

#[derive(Debug, Clone)]
enum End {
    Done,
    Failed(CallError),
    Cancelled,
}

impl Child {
    /// The turn of the page's own session that it belongs to, where known.
    pub(super) fn turn_id(&self) -> Option<&str> {
        self.birth.turn_id.as_deref()
    }

    /// Which reply of its turn a call belongs to, counted from zero.
    pub(super) fn trip_index(&self) -> u32 {
        self.replies.saturating_sub(1)
    }

    pub(super) fn replied(&mut self) {
        self.replies = self.replies.saturating_add(1);
    }
}

impl Machine {
    /// A session started an agent.
    pub(super) fn child_started(
        &mut self,
        place: Place,
        positioned: &Positioned,
        session_id: &str,
        call_id: Option<&str>,
        agent: Option<&str>,
    ) {
        let parent = self.sessions.at(place);
        if session_id == self.sessions.root().id || session_id == parent.id {
            return;
        }
        if let Some(child) = self.child_mut(session_id) {
            if child.end.is_none() {
                // Said twice.
                return;
            }
            // It goes on with another turn. Its own stream may be there already, with calls of its.
            if !child.finished_one {
                self.end_child(self.sessions.of(session_id));
                self.end_held_turns();
            }
        }
        let parent = self.sessions.at(place);
        let (turn_id, trip_index) = match &parent.child {
            Some(child) => (child.birth.turn_id.clone(), child.trip_index()),
            None => (positioned.turn_id.clone(), self.turns.trip_index(positioned.turn_id.as_deref())),
        };
        let birth = Birth {
            session_id: session_id.to_owned(),
            call_id: call_id.map(str::to_owned),
            agent: agent.map(str::to_owned),
            parent: parent.id.clone(),
            turn_id,
            trip_index,
            started_at: self.now,
        };
        if let Some(child) = self.child_mut(session_id) {
            child.finished_one = false;
            let (before, reports) =
                (std::mem::replace(&mut child.birth, birth), std::mem::take(&mut child.reports));
            if let Some(end) = child.end.take() {
                self.account_for(before, end, reports);
            }
            return self.end_held_turns();
        }
        self.births.retain(|known| known.session_id != session_id);
        if self.births.len() >= MAX_BIRTHS {
            self.warn_once(Code::Overloaded, "children", &|| {
                format!("more than {MAX_BIRTHS} agents run at once; the calls of further ones are left alone")
            });
            return;
        }
        self.births.push(birth);
        self.follow_children();
    }

    /// Its parent says that a child's turn is over.
    pub(super) fn child_ended(&mut self, session_id: &str, error: Option<&CallError>) {
        let end = error.map_or(End::Done, |error| End::Failed(error.clone()));
        if let Some(child) = self.child_mut(session_id) {
            child.end.get_or_insert(end);
            return self.settle_child(self.sessions.of(session_id));
        }
        if let Some(at) = self.births.iter().position(|known| known.session_id == session_id) {
            let birth = self.births.remove(at);
            self.account_for(birth, end, Vec::new());
        }
        if let Some(place) = self.sessions.child(session_id) {
            // Another page follows it, and nothing here would say that its interrupts are over.
            self.hide_interrupts(place);
        }
    }

    /// A child's own stream says that a turn of its began, or is over.
    pub(super) fn child_in_turn(&mut self, place: Place, in_turn: bool) {
        let Some(child) = &mut self.sessions.at_mut(place).child else { return };
        child.in_turn = in_turn;
        if in_turn {
            child.replies = 0;
        } else {
            child.finished_one = true;
        }
        self.settle_child(place);
    }

    /// The session a child runs in was cancelled: nobody has to say any more.
    pub(super) fn child_cancelled(&mut self, place: Place) {
        let Some(child) = &mut self.sessions.at_mut(place).child else { return };
        child.end = Some(End::Cancelled);
        child.in_turn = false;
        self.settle_child(place);
    }

    /// Ends a child whose end is known from both sides.
    pub(super) fn settle_child(&mut self, place: Place) {
        let session = self.sessions.at(place);
        let Some(child) = &session.child else { return };
        let shown = session.is_stopped() || session.is_live() && !child.in_turn;
        if child.end.is_some() && shown {
            self.end_child(place);
            self.end_held_turns();
            self.follow_children();
        }
    }

    /// Ends a child, and first whatever it started itself.
    fn end_child(&mut self, place: Place) {
        let id = self.sessions.at(place).id.clone();
        self.births.retain(|birth| birth.parent != id);
        let inner = self.sessions.places().find(|inner| self.parent_of(*inner) == Some(id.as_str()));
        if let Some(inner) = inner {
            self.end_child(inner);
            return self.end_child(place);
        }
        for key in self.keys_where(&|call| call.key.session_id == id) {
            let taken = self.calls.get(&key).is_some_and(|call| matches!(call.phase, Phase::Sent { .. }));
            let why = "the agent that made it is done".to_owned();
            // A turn cannot be over while a call of its waits for an answer: what was taken was used.
            self.finish(&key, if taken { Ending::Confirmed } else { Ending::Voided(why) });
        }
        self.drop_stream(place);
        self.close_interrupts(place);
        let session = self.sessions.at_mut(place);
        session.board = Board::default();
        let Some(child) = session.child.take() else { return };
        self.account_for(child.birth, child.end.unwrap_or(End::Done), child.reports);
    }

    /// The report of an agent that is over.
    fn account_for(&mut self, birth: Birth, end: End, children: Vec<Node>) {
        let (status, error) = match end {
            End::Done => (ReportStatus::Completed, None),
            End::Failed(error) => (ReportStatus::Failed, Some(Problem::of_engine(&error))),
            End::Cancelled => {
                (ReportStatus::Cancelled, Some(Problem::new(Code::Cancelled, "the agent was called off")))
            }
        };
        let report = AgentReport {
            session_id: birth.session_id,
            call_id: birth.call_id,
            name: birth.agent,
            turn_id: birth.turn_id.clone(),
            trip_index: birth.trip_index,
            status,
            error,
            started_at: birth.started_at,
            ended_at: self.now,
            children,
        };
        self.add_node(&birth.parent, birth.turn_id.as_deref(), Node::Agent(report));
    }

    /// Puts a report where it belongs: under the agent it was made for, or under the turn.
    fn add_node(&mut self, session_id: &str, turn_id: Option<&str>, node: Node) {
        match self.child_mut(session_id) {
            Some(child) => child.reports.push(node),
            None => self.turns.add_child(turn_id, node),
        }
    }

    pub(super) fn add_report(&mut self, report: &Report) {
        let session_id = report.key.session_id.clone();
        self.add_node(&session_id, report.turn_id.as_deref(), Node::Tool(report.clone()));
    }

    /// Whether a turn's report lacks that of an agent whose end is known to be near.
    pub(super) fn lacks_report(&self, turn_id: &str) -> bool {
        self.sessions.places().any(|place| {
            let child = self.sessions.at(place).child.as_ref();
            child.is_some_and(|child| child.end.is_some() && child.turn_id() == Some(turn_id))
        })
    }

    /// Follows the children that wait for it, as far as there is room.
    pub(super) fn follow_children(&mut self) {
        if self.threads() || !self.owner || self.config.dialect != Dialect::Native {
            return;
        }
        while self.sessions.followed() < self.config.max_children {
            let ready = self.births.iter().position(|birth| {
                let place = self.sessions.child(&birth.parent).unwrap_or(ROOT);
                let parent = self.sessions.at(place);
                // What is read as history may have ended since, which the same history then says.
                parent.is_live() && parent.id == birth.parent
            });
            let Some(ready) = ready else { return };
            let birth = self.births.remove(ready);
            self.follow(birth);
        }
    }

    fn follow(&mut self, birth: Birth) {
        let session_id = birth.session_id.clone();
        let child = Child {
            birth,
            owned: false,
            replies: 0,
            in_turn: false,
            finished_one: false,
            end: None,
            reports: Vec::new(),
        };
        let place = self
            .sessions
            .child(&session_id)
            // However new it seems: its parent's word may be late, and a session may be continued.
            .unwrap_or_else(|| self.sessions.put(Session::new(session_id.clone(), false)));
        self.sessions.at_mut(place).renew(child);
        self.effect(Effect::Adopt { session_id });
        self.want_stream(place);
    }

    /// What earlier owners left of a child's calls is known.
    pub(super) fn adopted(&mut self, session_id: &str, records: Vec<Record>) {
        let Some(place) = self.sessions.child(session_id) else { return };
        let Some(child) = &mut self.sessions.at_mut(place).child else { return };
        child.owned = true;
        self.take_records(records);
        self.sessions.at_mut(place).board.touch_all();
        self.compare(place);
    }

    /// Notes what earlier owners left of calls, unless this page holds them.
    pub(super) fn take_records(&mut self, records: Vec<Record>) {
        for record in records {
            match record.progress {
                Progress::Ended => self.remembered.remember(record.key),
                // What this page holds is newer than what it once wrote.
                progress if !self.calls.contains(&record.key) => {
                    self.restored.insert(record.key, progress);
                }
                _ => {}
            }
        }
    }

    /// Another page follows the children from here on. They wait, in case this one's turn comes again.
    pub(super) fn leave_children(&mut self) {
        for place in self.sessions.places().filter(|place| *place != ROOT) {
            self.drop_stream(place);
            // What its stream said stays: if this page's turn comes again, it is read on from there.
            let Some(child) = self.sessions.at_mut(place).child.take() else { continue };
            match child.end {
                None => self.births.push(child.birth),
                Some(end) => self.account_for(child.birth, end, child.reports),
            }
        }
        self.settle_resumes();
    }

    /// Whether this page may take on calls of a session.
    pub(super) fn may_accept(&self, key: &CallKey) -> bool {
        let session = self.sessions.at(self.sessions.of(&key.session_id));
        self.owner && session.child.as_ref().is_none_or(|child| child.owned)
    }

    fn child_mut(&mut self, session_id: &str) -> Option<&mut Child> {
        let place = self.sessions.child(session_id)?;
        self.sessions.at_mut(place).child.as_mut()
    }

    fn parent_of(&self, place: Place) -> Option<&str> {
        self.sessions.at(place).child.as_ref().map(|child| child.birth.parent.as_str())
    }
}
