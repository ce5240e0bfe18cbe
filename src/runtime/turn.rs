//! Turns: messages on their way to the engine, and what became of them.
//!
//! The turn id is always ours, so that sending a message twice is safe and an answer that names
//! another turn is known for what it is: the message was not taken.

use super::codes::Code;
use super::config::Dialect;
use super::delivery::{Next, Parcel, Reply, Travel};
use super::event::{Event, Node, Problem, TurnStatus};
use super::ids::{CallKey, Millis, RequestId};
use super::machine::{Machine, Owner};
use super::output::Effect;
use super::sessions::ROOT;
use super::table::Table;
use crate::protocol::RawJson;
use crate::protocol::frame::CallError;
use crate::protocol::settle;

/// The turns that are not over.
#[derive(Debug, Default)]
pub(super) struct Turns {
    open: Table<String, Turn>,
    /// Turns whose message is not taken yet, in the order they were sent.
    outbox: Vec<String>,
}

#[derive(Debug, Default)]
struct Turn {
    /// The message, until it is taken.
    post: Option<Post>,
    /// Whether the app waits for its end.
    ours: bool,
    /// How many model replies it has.
    replies: u32,
    /// The text of the reply being streamed.
    streaming: String,
    /// The last whole text.
    text: Option<String>,
    children: Vec<Node>,
    /// Its end, held back until the reports of its agents are in, or until this moment.
    held: Option<(Millis, End)>,
}

/// How the engine says a turn ended.
#[derive(Debug)]
struct End {
    status: TurnStatus,
    data: Option<RawJson>,
    problem: Option<Problem>,
}

/// How long a turn's end waits for the reports of its agents, whose streams may lag behind.
const PATIENCE: Millis = Millis(2_000);

#[derive(Debug)]
struct Post {
    parcel: Parcel,
    travel: Travel,
    /// Calls whose answers must be with the engine first.
    behind: Vec<CallKey>,
}

impl Turns {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn rings_at(&self) -> Option<Millis> {
        let held = self.open.values().iter().filter_map(|turn| turn.held.as_ref().map(|(until, _)| *until));
        // Only the first may go; the others wait for it, not for a moment.
        let first = self.outbox.first().and_then(|id| self.open.get(id));
        held.chain(first.and_then(|turn| turn.post.as_ref()?.rings_at())).min()
    }

    /// Which reply of its turn a call belongs to, counted from zero.
    pub(super) fn trip_index(&self, turn_id: Option<&str>) -> u32 {
        turn_id.and_then(|id| self.open.get(id)).map_or(0, |turn| turn.replies.saturating_sub(1))
    }

    pub(super) fn add_child(&mut self, turn_id: Option<&str>, node: Node) {
        if let Some(turn) = turn_id.and_then(|id| self.open.get_mut(id)) {
            turn.children.push(node);
        }
    }

    pub(super) fn streamed(&mut self, turn_id: Option<&str>, text: &str) {
        if let Some(turn) = turn_id.and_then(|id| self.open.get_mut(id)) {
            turn.streaming.push_str(text);
        }
    }

    pub(super) fn replied(&mut self, turn_id: Option<&str>, text: Option<&str>) {
        if let Some(turn) = turn_id.and_then(|id| self.open.get_mut(id)) {
            turn.replies = turn.replies.saturating_add(1);
            let streamed = std::mem::take(&mut turn.streaming);
            let whole = text.map(str::to_owned).or((!streamed.is_empty()).then_some(streamed));
            turn.text = whole.or(turn.text.take());
        }
    }
}

impl Post {
    fn rings_at(&self) -> Option<Millis> {
        match self.travel {
            Travel::Waiting(until) if self.behind.is_empty() => until,
            _ => None,
        }
    }
}

impl Machine {
    pub(super) fn message_sent(&mut self, turn_id: String, message_id: &str, text: &str, queue: bool) {
        if self.turns.open.contains(&turn_id) {
            return;
        }
        if self.turns.open.len() >= self.config.max_turns {
            self.turns.open.insert(turn_id.clone(), Turn { ours: true, ..Turn::default() });
            let message = format!("{} messages wait already", self.config.max_turns);
            self.end_turn(&turn_id, TurnStatus::Failed, None, Some(Problem::new(Code::OutboxFull, message)));
            return;
        }
        if self.threads() {
            return self.run_wanted(turn_id, message_id, text, queue);
        }
        if self.config.dialect == Dialect::Trigger {
            self.turns.open.insert(turn_id.clone(), Turn { ours: true, ..Turn::default() });
            let message =
                "the trigger transport carries calls alone: send messages the way your server takes them";
            self.end_turn(
                &turn_id,
                TurnStatus::Failed,
                None,
                Some(Problem::new(Code::MessageRefused, message)),
            );
            return;
        }
        // The person typed instead of answering: the question is settled before the message goes.
        let behind = self.decline_questions("the user sent a message instead of answering");
        let tools = self.registry.declared();
        let append = settle::ClientAppend {
            agent_id: &self.config.agent,
            turn_id: &turn_id,
            messages: &[settle::DraftMessage::user(Some(message_id), text)],
            client: Some(settle::ClientContext { tools: &tools, ..settle::ClientContext::default() }),
            stream: Some(true),
            queue,
        };
        let body = settle::enveloped(&self.sessions.root().id, &|object| append.write(object)).into();
        self.registry.note_declared();
        let post = Post { parcel: Parcel::new(body), travel: Travel::Waiting(None), behind };
        self.turns.open.insert(turn_id.clone(), Turn { post: Some(post), ours: true, ..Turn::default() });
        self.turns.outbox.push(turn_id);
        self.want_stream(ROOT);
        self.pump_messages();
    }

    /// A message where the conversation goes by runs.
    fn run_wanted(&mut self, turn_id: String, message_id: &str, text: &str, queue: bool) {
        self.turns.open.insert(turn_id.clone(), Turn { ours: true, ..Turn::default() });
        if let Some(other) = self.thread_turn().map(str::to_owned).filter(|_| !queue) {
            return self.message_refused(&turn_id, &format!("turn `{other}` is still running"));
        }
        // The person typed instead of answering: the question is settled before the message goes.
        self.decline_questions("the user sent a message instead of answering");
        self.thread_message(turn_id, message_id, text);
    }

    /// A message that will not be sent: its turn ends.
    pub(super) fn message_refused(&mut self, turn_id: &str, why: &str) {
        let problem = Problem::new(Code::MessageRefused, format!("the message was not taken: {why}"));
        self.end_turn(turn_id, TurnStatus::Failed, None, Some(problem));
    }

    /// A message is where it was to go.
    #[cfg(feature = "ag_ui")]
    pub(super) fn turn_taken(&mut self, turn_id: &str) {
        self.tell(Event::TurnStarted { turn_id: turn_id.to_owned(), queued: false });
    }

    /// The app stops a turn: a message that has not gone is withdrawn, open calls are answered as cancelled. What
    /// the engine makes of that ends the turn.
    pub(super) fn turn_cancelled(&mut self, turn_id: &str, reason: &str) {
        if self.threads() && self.thread_cancelled(turn_id, reason) {
            return;
        }
        let Some(turn) = self.turns.open.get(turn_id) else { return };
        if turn.post.as_ref().is_some_and(|post| post.parcel.tries == 0) {
            let problem = Problem::new(Code::Cancelled, reason);
            return self.end_turn(turn_id, TurnStatus::Cancelled, None, Some(problem));
        }
        let open = self.keys_where(&|call| {
            call.turn_id.as_deref() == Some(turn_id) && !call.phase.has_answer() && !call.local
        });
        for key in open {
            self.answer_error(&key, Code::Cancelled, format!("cancelled: {reason}"), false);
        }
    }

    /// Sends the first message that is not taken, if nothing holds it. One at a time, so that they
    /// arrive in the order they were written.
    pub(super) fn pump_messages(&mut self) {
        if self.threads() {
            return;
        }
        let Some(turn_id) = self.turns.outbox.first().cloned() else { return };
        let online = self.online;
        let Some(post) = self.turns.open.get_mut(&turn_id).and_then(|turn| turn.post.as_mut()) else {
            self.turns.outbox.remove(0);
            return self.pump_messages();
        };
        let due = match post.travel {
            Travel::Sending(_) => false,
            Travel::Waiting(Some(until)) => until <= self.now,
            // Never tried, or held back by calls that have gone meanwhile.
            Travel::Waiting(None) => post.parcel.tries == 0 && online,
        };
        if due && post.behind.is_empty() {
            self.post_message(&turn_id, false);
        }
    }

    fn post_message(&mut self, turn_id: &str, refresh: bool) {
        let request = RequestId(self.handle_number());
        let Some(post) = self.turns.open.get_mut(turn_id).and_then(|turn| turn.post.as_mut()) else { return };
        post.parcel.tries = post.parcel.tries.saturating_add(1);
        post.travel = Travel::Sending(request);
        let body = post.parcel.body.clone();
        self.owns(request.0, Owner::Turn(turn_id.to_owned()));
        let session_id = self.sessions.root().id.clone();
        self.effect(Effect::Post { request, session_id, body, refresh });
    }

    pub(super) fn message_answered(&mut self, turn_id: &str, reply: &Reply, body: &str) {
        let (online, now) = (self.online, self.now);
        let Some(post) = self.turns.open.get_mut(turn_id).and_then(|turn| turn.post.as_mut()) else { return };
        match post.parcel.judge(reply, online, now, &self.config, &mut self.rng) {
            Next::Taken => self.message_taken(turn_id, body),
            Next::Refresh => self.post_message(turn_id, true),
            Next::RetryAt(at) => post.travel = Travel::Waiting(Some(at)),
            Next::Park => post.travel = Travel::Waiting(None),
            Next::Conflict | Next::TooLarge | Next::Reject => {
                let said = settle::Refusal::read(body).text;
                let problem =
                    Problem::new(Code::MessageRefused, format!("the engine refused the message: {said}"));
                self.end_turn(turn_id, TurnStatus::Failed, None, Some(problem));
            }
        }
    }

    fn message_taken(&mut self, turn_id: &str, body: &str) {
        let accepted = settle::Accepted::read(body);
        if let Some(other) = accepted.as_ref().filter(|accepted| !accepted.took(turn_id)) {
            let other = other.turn_id.as_deref().unwrap_or("unknown");
            let message = format!("the message was not taken: turn `{other}` is still running");
            let problem = Problem::new(Code::MessageRefused, message);
            return self.end_turn(turn_id, TurnStatus::Failed, None, Some(problem));
        }
        let queued = accepted.is_some_and(|accepted| accepted.queued);
        self.message_arrived(turn_id, queued);
    }

    /// The engine says a turn began, ours or another's.
    pub(super) fn turn_started(&mut self, turn_id: &str) {
        match self.turns.open.get(turn_id) {
            // Whatever became of the answer to our post: the message is there.
            Some(Turn { post: Some(_), .. }) => self.message_arrived(turn_id, false),
            Some(_) => {}
            None if self.turns.open.len() < self.config.max_turns => {
                self.turns.open.insert(turn_id.to_owned(), Turn::default());
            }
            None => {}
        }
    }

    fn message_arrived(&mut self, turn_id: &str, queued: bool) {
        if let Some(turn) = self.turns.open.get_mut(turn_id) {
            turn.post = None;
        }
        self.turns.outbox.retain(|waiting| waiting != turn_id);
        self.tell(Event::TurnStarted { turn_id: turn_id.to_owned(), queued });
        self.pump_messages();
    }

    /// The engine says a turn is over.
    pub(super) fn turn_completed(&mut self, turn_id: &str, data: Option<RawJson>, error: Option<&CallError>) {
        let problem = error.map(Problem::of_engine);
        let status = if problem.is_some() { TurnStatus::Failed } else { TurnStatus::Completed };
        if self.lacks_report(turn_id)
            && let Some(turn) = self.turns.open.get_mut(turn_id)
        {
            turn.held = Some((self.now.plus(PATIENCE), End { status, data, problem }));
            return;
        }
        self.end_turn(turn_id, status, data, problem);
    }

    /// Ends the turns whose end was held back, where nothing is missing any more or the patience is at its end.
    pub(super) fn end_held_turns(&mut self) {
        let mut due = Vec::new();
        for (id, turn) in self.turns.open.iter() {
            if let Some((until, _)) = &turn.held
                && (*until <= self.now || !self.lacks_report(id))
            {
                due.push(id.clone());
            }
        }
        for id in due {
            let held = self.turns.open.get_mut(&id).and_then(|turn| turn.held.take());
            if let Some((_, End { status, data, problem })) = held {
                self.end_turn(&id, status, data, problem);
            }
        }
    }

    /// The session is cancelled, and every turn with it.
    pub(super) fn turns_cancelled(&mut self) {
        let open: Vec<String> = self.turns.open.keys().to_vec();
        for turn_id in open {
            let problem = Problem::new(Code::Cancelled, "the session was cancelled");
            self.end_turn(&turn_id, TurnStatus::Cancelled, None, Some(problem));
        }
    }

    pub(super) fn end_turn(
        &mut self,
        turn_id: &str,
        status: TurnStatus,
        data: Option<RawJson>,
        error: Option<Problem>,
    ) {
        let Some(turn) = self.turns.open.remove(turn_id) else { return };
        self.turns.outbox.retain(|waiting| waiting != turn_id);
        if turn.ours || self.sessions.root().is_live() {
            let text = turn.text.unwrap_or(turn.streaming);
            let turn_id = turn_id.to_owned();
            self.tell(Event::TurnFinished { turn_id, status, text, data, error, children: turn.children });
        }
        self.pump_messages();
    }

    /// An answer is with the engine: messages that waited for it may go.
    pub(super) fn release_messages(&mut self, key: &CallKey) {
        if self.threads() {
            return;
        }
        let mut released = false;
        for post in self.turns.open.values_mut().iter_mut().filter_map(|turn| turn.post.as_mut()) {
            let before = post.behind.len();
            post.behind.retain(|held| held != key);
            released |= before != post.behind.len();
        }
        if released {
            self.pump_messages();
        }
    }

    pub(super) fn wake_messages(&mut self) {
        let now = self.now;
        for post in self.turns.open.values_mut().iter_mut().filter_map(|turn| turn.post.as_mut()) {
            if let Travel::Waiting(until) = &mut post.travel {
                *until = Some(now);
            }
        }
        self.pump_messages();
    }

    pub(super) fn ring_turns(&mut self) {
        if self.turns.rings_at().is_some_and(|at| at <= self.now) {
            self.pump_messages();
        }
        self.end_held_turns();
    }
}
