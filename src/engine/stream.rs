//! Event streams: cursors, turn scope, live publishing, deltas and keep-alives.
//!
//! A stream is attached before history is read, in one step, so there is neither a hole nor a double.
//! Deltas carry no id and are never replayed.

use std::collections::VecDeque;

use serde_json::Value;

use super::Millis;
use super::ag_ui::{self, Frame, Run};
use super::auth::Owner;
use super::delivery::Cut;
use super::engine::Engine;
use super::events::Event;
use super::faults::Landing;
use super::http::{Reply, Request, cors, header};
use super::io::Output;
use super::session::Session;
use super::shared::{Shared, Timer};
use super::triggers;

/// A moment that never comes.
pub(crate) const FOR_EVER: Millis = Millis(u64::MAX);

/// What a stream tells of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// Every event, and deltas.
    Native,
    /// What a page has to run, and what has become of it; see `triggers.rs`.
    Triggers,
    /// What an AG-UI run is told; see `ag_ui/`.
    AgUi,
}

/// An open event stream.
#[derive(Debug)]
pub(crate) struct Stream {
    session: String,
    owner: Owner,
    dialect: Dialect,
    /// Only events of this turn.
    turn: Option<String>,
    /// The run that an AG-UI stream is the response of.
    run: Option<Run>,
    /// When anything was last sent.
    last_sent: Millis,
    /// Frames a fault holds back, oldest first.
    pub(crate) held: VecDeque<Vec<u8>>,
    /// Until when frames are held back.
    pub(crate) held_until: Option<Millis>,
    /// Until when nothing is sent at all, comments included.
    pub(crate) silent_until: Option<Millis>,
    /// A frame that lets the next one pass.
    pub(crate) swapped: Option<Vec<u8>>,
    /// Where the stream breaks off.
    pub(crate) cut: Option<Cut>,
    /// End once the held frames are out.
    ending: bool,
}

impl Stream {
    /// Whether a fault holds frames back now.
    pub(crate) fn is_held(&self, now: Millis) -> bool {
        self.held_until.is_some_and(|until| until > now) || self.is_silent(now)
    }

    fn is_silent(&self, now: Millis) -> bool {
        self.silent_until.is_some_and(|until| until > now)
    }
}

/// Opens a stream, or gives the reply that refuses it.
pub(crate) fn open(engine: &mut Engine, request: &Request, session: &str) -> Option<Reply> {
    try_open(engine, request, session).err()
}

fn try_open(engine: &mut Engine, request: &Request, session: &str) -> Result<(), Reply> {
    let owner = engine.shared.authorize(request)?;
    let cursor = cursor(request)?;
    attach(engine, request, session, owner, Dialect::Native, None)?;
    if let (Some(after), Some(found)) = (cursor, engine.sessions.get(session)) {
        for event in found.log.iter().filter(|event| event.seq > after) {
            engine.shared.offer(request.id, event);
        }
    }
    Ok(())
}

/// Opens a stream of triggers, or gives the reply that refuses it.
pub(crate) fn open_triggers(engine: &mut Engine, request: &Request) -> Option<Reply> {
    try_open_triggers(engine, request).err()
}

fn try_open_triggers(engine: &mut Engine, request: &Request) -> Result<(), Reply> {
    let owner = engine.shared.authorize(request)?;
    let session = triggers::session_of(request)?;
    attach(engine, request, &session, owner, Dialect::Triggers, None)?;
    if let Some(found) = engine.sessions.get(&session) {
        engine.shared.offer_triggers(request.id, &triggers::opening(found, last_event_id(request)));
    }
    Ok(())
}

/// Opens the stream of a run. Unlike the others it is a response that a fault may lose or hold back.
pub(crate) fn attach_run(
    engine: &mut Engine,
    request: &Request,
    session: &str,
    owner: Owner,
    run: Run,
) -> Result<(), Reply> {
    attach(engine, request, session, owner, Dialect::AgUi, Some(run))
}

fn attach(
    engine: &mut Engine,
    request: &Request,
    session: &str,
    owner: Owner,
    dialect: Dialect,
    run: Option<Run>,
) -> Result<(), Reply> {
    if engine.sessions.get(session).is_some_and(|found| found.owner != owner) {
        return Err(Reply::error(403, "session access denied"));
    }
    let mut headers = vec![header("content-type", "text/event-stream"), header("cache-control", "no-cache")];
    headers.extend(cors(&request.path));
    let shared = &mut engine.shared;
    let opened = Output::StreamOpened { id: request.id, headers };
    let landing = match dialect {
        Dialect::AgUi => shared.faults.land_response(&request.path, shared.now),
        Dialect::Native | Dialect::Triggers => Landing::Now,
    };
    let mut silent_until = None;
    match landing {
        Landing::Now => shared.outputs.push_back(opened),
        Landing::Lost => {
            shared.outputs.push_back(Output::ConnectionLost { id: request.id });
            return Ok(());
        }
        Landing::At(due) => {
            shared.at(due, Timer::Output(opened));
            shared.at(due, Timer::Frames { stream: request.id });
            silent_until = Some(due);
        }
    }
    let stream = Stream {
        session: session.to_owned(),
        owner,
        dialect,
        turn: request.parameter("turn_id").filter(|_| dialect == Dialect::Native),
        run,
        last_sent: shared.now,
        held: VecDeque::new(),
        held_until: None,
        silent_until,
        swapped: None,
        cut: None,
        ending: false,
    };
    shared.streams.insert(request.id, stream);
    shared.arm_keep_alive(request.id);
    Ok(())
}

fn last_event_id(request: &Request) -> Option<u64> {
    request.header("last-event-id").and_then(|id| id.trim().parse().ok())
}

/// `Last-Event-ID` overrides `after_seq`; without either there is no replay.
fn cursor(request: &Request) -> Result<Option<u64>, Reply> {
    let last_id = last_event_id(request);
    if last_id.is_some() {
        return Ok(last_id);
    }
    match request.parameter("after_seq") {
        None => Ok(None),
        Some(text) => text
            .parse()
            .map(Some)
            .map_err(|_| Reply::text(400, "Failed to deserialize query string: after_seq: invalid digit")),
    }
}

/// Sends an event to every stream of its session.
pub(crate) fn publish(shared: &mut Shared, session: &Session, event: &Event) {
    let mut frames = None;
    for id in shared.streams_of(&session.id) {
        match shared.streams.get(&id).map(|stream| stream.dialect) {
            Some(Dialect::Triggers) => {
                let frames = frames.get_or_insert_with(|| triggers::frames(session, event));
                shared.offer_triggers(id, frames);
            }
            Some(Dialect::AgUi) => ag_ui::tell(shared, id, session, event),
            _ => shared.offer(id, event),
        }
    }
}

/// Sends a delta: no id, live only.
pub(crate) fn publish_delta(shared: &mut Shared, session: &str, turn: Option<&str>, data: &Value) {
    let frame = format!("event: llm.token.delta\ndata: {data}\n\n");
    for id in shared.streams_of(session) {
        let Some(stream) = shared.streams.get(&id) else { continue };
        if let Some(run) = &stream.run {
            if turn.is_some() && run.turn() == turn {
                ag_ui::tell_piece(shared, id, data);
            }
            continue;
        }
        let wanted = match &stream.turn {
            None => stream.dialect == Dialect::Native,
            Some(scope) => turn == Some(scope.as_str()),
        };
        if wanted {
            shared.send_frame(id, frame.clone().into_bytes());
        }
    }
}

/// A session has got its owner: streams that others opened in advance must not see it.
pub(crate) fn end_foreign(shared: &mut Shared, session: &str, owner: &Owner) {
    for id in shared.streams_of(session) {
        if shared.streams.get(&id).is_some_and(|stream| stream.owner != *owner) {
            shared.end_stream(id);
        }
    }
}

/// The keep-alive timer of a stream rang: `since` is the last sending it was set for.
pub(crate) fn keep_alive(engine: &mut Engine, id: u64, since: Millis, now: Millis) {
    let shared = &mut engine.shared;
    let Some(stream) = shared.streams.get(&id) else { return };
    if stream.last_sent == since && !stream.is_silent(shared.now) {
        // A host that slept gets one comment, not one for each interval it slept through.
        shared.now = shared.now.max(now);
        shared.send_through(id, b":\n\n".to_vec());
    }
    shared.arm_keep_alive(id);
}

impl Shared {
    fn streams_of(&self, session: &str) -> Vec<u64> {
        let all = self.streams.iter().filter(|(_, stream)| stream.session == session);
        all.map(|(id, _)| *id).collect()
    }

    fn arm_keep_alive(&mut self, id: u64) {
        let Some(stream) = self.streams.get(&id) else { return };
        let since = stream.last_sent;
        let quiet_from = since.max(stream.silent_until.unwrap_or(since));
        if quiet_from == FOR_EVER {
            return;
        }
        let due = quiet_from.plus(Millis(self.config.keep_alive_ms.max(1)));
        self.at(due, Timer::KeepAlive { stream: id, since });
    }

    fn offer(&mut self, id: u64, event: &Event) {
        let Some(stream) = self.streams.get(&id) else { return };
        let in_scope = match (&stream.turn, &event.turn_id) {
            (None, _) => true,
            (Some(scope), Some(turn)) => scope == turn,
            (Some(_), None) => self.config.switches.turnless_in_scope,
        };
        if stream.ending || !in_scope {
            return;
        }
        let last = stream.turn.is_some() && event.name() == "turn.completed";
        self.send_frame(id, event.frame().into_bytes());
        if last {
            self.end_stream(id);
        }
    }

    fn offer_triggers(&mut self, id: u64, frames: &[String]) {
        for frame in frames {
            if self.streams.get(&id).is_some_and(|stream| !stream.ending) {
                self.send_frame(id, frame.clone().into_bytes());
            }
        }
    }

    /// The AG-UI streams that have not ended, and their sessions.
    pub(crate) fn running(&self) -> Vec<(u64, String)> {
        let running = self.streams.iter().filter(|(_, stream)| stream.run.is_some() && !stream.ending);
        running.map(|(id, stream)| (*id, stream.session.clone())).collect()
    }

    /// The run of a stream that has not ended.
    pub(crate) fn run_mut(&mut self, id: u64) -> Option<&mut Run> {
        self.streams.get_mut(&id).filter(|stream| !stream.ending)?.run.as_mut()
    }

    /// Sends a run's events; the last ones end its stream.
    pub(crate) fn send_run(&mut self, id: u64, frames: &[Frame], last: bool) {
        let event_lines = self.config.switches.ag_ui_event_lines;
        for frame in frames {
            self.send_frame(id, frame.bytes(event_lines));
        }
        if last {
            self.end_stream(id);
        }
    }

    /// Ends a stream in good order, after what is still held back.
    pub(crate) fn end_stream(&mut self, id: u64) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if stream.held.is_empty() && stream.swapped.is_none() {
            self.streams.remove(&id);
            self.outputs.push_back(Output::StreamEnded { id });
        } else {
            stream.ending = true;
        }
    }

    /// Sends bytes now and counts them.
    pub(crate) fn send_bytes(&mut self, id: u64, bytes: Vec<u8>) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        stream.last_sent = self.now;
        self.outputs.push_back(Output::StreamBytes { id, bytes });
    }

    /// Lets held frames go whose time has come.
    pub(crate) fn release_frames(&mut self, id: u64) {
        let now = self.now;
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if stream.is_held(now) {
            return;
        }
        stream.held_until = None;
        stream.silent_until = None;
        let mut frames = std::mem::take(&mut stream.held);
        frames.extend(stream.swapped.take());
        let ending = stream.ending;
        for frame in frames {
            self.send_through(id, frame);
        }
        if ending {
            self.end_stream(id);
        }
    }
}
