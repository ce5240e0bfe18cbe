//! The event stream of a session: connecting, catching up, staying connected.
//!
//! Nothing runs until the stream's history has been read to its end. No marker says where that is,
//! so three signs are taken: a keep-alive, a transient frame, or a quiet spell.

use super::backoff;
use super::board::Board;
use super::children::Child;
use super::codes::Code;
use super::config::Dialect;
use super::event::{Connection, ConnectionState, Event};
use super::ids::{Millis, RequestId};
use super::input::retry_after;
use super::interrupts::OpenInterrupt;
use super::machine::{Machine, Owner};
use super::output::Effect;
use super::sessions::{Place, ROOT};
use crate::protocol::frame::Positioned;
use crate::protocol::native::{self, FrameError};
use crate::protocol::sse::{Limits, SseEvent, SseItem, SseParser};
use crate::protocol::trigger;

/// Most numbers that are remembered as missing.
const MAX_MISSING: usize = 1_024;

/// The stream of one session and what it said.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) board: Board,
    /// What it is to the session that started it; `None` for the page's own.
    pub(super) child: Option<Child>,
    /// The interrupts that are open, in the order they came.
    pub(super) interrupts: Vec<OpenInterrupt>,
    link: Link,
    /// The last sequence number up to which nothing is missing.
    cursor: u64,
    /// The id of the last event that had one, in a dialect without numbers.
    last_event_id: Option<String>,
    /// A hole that was asked about already.
    hole: Option<(u64, u64)>,
    /// Numbers that were gone on without. A frame that comes late all the same is still news.
    missing: Vec<u64>,
    /// Whether everything up to now is known, so that a call may run as soon as it is announced.
    live: bool,
    /// Whether the session has no history: it was made just now and nobody else knows it.
    fresh: bool,
    /// Whether anything was ever heard of it.
    eventful: bool,
    failures: u32,
    refreshed: bool,
    retry: Option<Millis>,
}

#[derive(Debug)]
enum Link {
    /// Nobody asked for it yet.
    Idle,
    /// Asking; gives up at `until`.
    Connecting { request: RequestId, until: Millis },
    /// Reading.
    Reading {
        request: RequestId,
        parser: Box<SseParser>,
        opened_at: Millis,
        heard_at: Millis,
        /// When the last frame with a place in the order came.
        news_at: Option<Millis>,
    },
    /// Broken; `None` waits for the network.
    Waiting { until: Option<Millis> },
    /// Broken for good, until somebody asks.
    Stopped,
    /// Let go while the page sleeps.
    Suspended,
    /// The conversation goes by runs, each with a stream of its own.
    #[cfg_attr(not(feature = "ag_ui"), allow(dead_code))]
    Runs,
}

/// One thing a chunk held.
#[derive(Debug)]
enum Heard {
    Frame(Box<Positioned>),
    /// The event that what came before it belongs to has this id.
    Id(String),
    KeepAlive,
    Retry(Millis),
    /// A frame that cannot be used, with the sequence number it would have had.
    Bad {
        code: Code,
        message: String,
        seq: Option<u64>,
    },
}

impl Session {
    #[inline(never)]
    pub(super) fn new(id: String, fresh: bool) -> Self {
        Session {
            id,
            board: Board::default(),
            child: None,
            interrupts: Vec::new(),
            link: Link::Idle,
            cursor: 0,
            last_event_id: None,
            hole: None,
            missing: Vec::new(),
            live: false,
            fresh,
            eventful: false,
            failures: 0,
            refreshed: false,
            retry: None,
        }
    }

    pub(super) fn request(&self) -> Option<RequestId> {
        match self.link {
            Link::Connecting { request, .. } | Link::Reading { request, .. } => Some(request),
            _ => None,
        }
    }

    /// Whether the stream is read and its history is behind us.
    pub(super) fn is_live(&self) -> bool {
        self.live && matches!(self.link, Link::Reading { .. } | Link::Runs)
    }

    /// Whether its stream is wanted, whatever state it is in.
    pub(super) fn is_followed(&self) -> bool {
        !matches!(self.link, Link::Idle)
    }

    /// Takes the session up, perhaps again, for another turn.
    pub(super) fn renew(&mut self, child: Child) {
        self.child = Some(child);
        self.failures = 0;
    }

    /// Something with a place in the story came: history may go on, and from here on there is some.
    fn note_news(&mut self, now: Millis) {
        self.eventful = true;
        if let Link::Reading { news_at, .. } = &mut self.link {
            *news_at = Some(now);
        }
    }

    /// Whether no further try will be made by itself.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.link, Link::Stopped)
    }
}

impl Machine {
    /// Opens the stream unless it is open or about to be.
    pub(super) fn want_stream(&mut self, place: Place) {
        if self.threads() {
            return self.thread_wanted();
        }
        let session = self.sessions.at_mut(place);
        if matches!(session.link, Link::Idle | Link::Stopped) {
            session.failures = 0;
            self.connect(place);
        }
    }

    /// Tries now what was to be tried later.
    pub(super) fn wake_stream(&mut self, place: Place) {
        if matches!(self.sessions.at(place).link, Link::Waiting { .. } | Link::Stopped) {
            self.connect(place);
        }
    }

    /// Without a network, a try proves nothing.
    pub(super) fn hold_stream(&mut self, place: Place) {
        if let Link::Waiting { until } = &mut self.sessions.at_mut(place).link {
            *until = None;
        }
    }

    /// Lets the stream go while the page sleeps: it would be cut anyway, and stands in the way of the
    /// back-forward cache.
    pub(super) fn suspend_stream(&mut self, place: Place) {
        if !matches!(self.sessions.at(place).link, Link::Idle | Link::Stopped) {
            self.lose_link(place, Link::Suspended);
        }
    }

    pub(super) fn resume_stream(&mut self, place: Place) {
        if matches!(self.sessions.at(place).link, Link::Suspended) {
            self.connect(place);
        }
    }

    /// Lets the stream go for good: nothing more is wanted of it.
    pub(super) fn drop_stream(&mut self, place: Place) {
        self.lose_link(place, Link::Idle);
    }

    /// The conversation goes by runs, and what came before is known.
    #[cfg(feature = "ag_ui")]
    pub(super) fn thread_live(&mut self) {
        let root = self.sessions.at_mut(ROOT);
        root.link = Link::Runs;
        root.live = true;
        self.compare(ROOT);
    }

    /// What is known of the conversation may be old from here on.
    #[cfg(feature = "ag_ui")]
    pub(super) fn thread_asleep(&mut self) {
        let root = self.sessions.at_mut(ROOT);
        root.live = false;
        // What is open then, the transcript says.
        root.board = Board::default();
    }

    fn connect(&mut self, place: Place) {
        let request = RequestId(self.handle_number());
        let until = self.now.plus(self.config.idle_timeout);
        let session = self.sessions.at_mut(place);
        let after_seq = session.cursor;
        let refresh = session.refreshed;
        // A new connection may bring what was missed: it is history until shown otherwise.
        session.live = session.fresh;
        session.link = Link::Connecting { request, until };
        let (session_id, last_event_id) = (session.id.clone(), session.last_event_id.clone());
        self.owns(request.0, Owner::Stream);
        self.effect(Effect::OpenStream { request, session_id, after_seq, last_event_id, refresh });
        self.tell_connection(place, ConnectionState::Connecting, None, None, None, None);
    }

    /// Reads on from the cursor over a new connection.
    pub(super) fn reread(&mut self, place: Place) {
        self.hang_up(place);
        self.connect(place);
    }

    fn hang_up(&mut self, place: Place) {
        if let Some(request) = self.sessions.at(place).request() {
            self.owners.remove(&request.0);
            self.effect(Effect::Abort { request });
        }
    }

    /// Hangs up and takes note that something may happen before the next connection.
    fn lose_link(&mut self, place: Place, link: Link) {
        self.hang_up(place);
        let nothing_happened = self.turns.is_empty();
        let session = self.sessions.at_mut(place);
        session.fresh &= !session.eventful && nothing_happened;
        session.link = link;
    }

    pub(super) fn stream_opened(
        &mut self,
        request: RequestId,
        status: u16,
        content_type: Option<&str>,
        retry_header: Option<&str>,
    ) {
        let Some(place) = self.sessions.reading(request) else { return };
        let is_stream = content_type.is_some_and(is_event_stream);
        match status {
            200 if is_stream => self.start_reading(place, request),
            200 => {
                let got = content_type.unwrap_or("nothing");
                self.stop_stream(
                    place,
                    Code::StreamContentType,
                    status,
                    format!("expected text/event-stream, got {got}: is `engine` the address of an engine?"),
                );
            }
            401 if !self.sessions.at(place).refreshed => {
                self.sessions.at_mut(place).refreshed = true;
                self.reread(place);
            }
            408 | 425 | 429 | 500..=599 => {
                let hint = format!("the engine answered {status}; trying again");
                self.lose_stream(place, Code::StreamRefused, Some(status), hint, retry_after(retry_header));
            }
            _ => self.stop_stream(place, Code::StreamRefused, status, refusal_hint(status)),
        }
    }

    fn start_reading(&mut self, place: Place, request: RequestId) {
        let limits = Limits { max_event_bytes: self.config.max_frame_bytes };
        let now = self.now;
        let session = self.sessions.at_mut(place);
        session.link = Link::Reading {
            request,
            parser: Box::new(SseParser::new(limits)),
            opened_at: now,
            heard_at: now,
            news_at: None,
        };
        session.refreshed = false;
        let state = if session.live { ConnectionState::Open } else { ConnectionState::CatchingUp };
        self.tell_connection(place, state, None, None, None, None);
        self.wake_parcels();
    }

    pub(super) fn chunk_arrived(&mut self, request: RequestId, bytes: &[u8]) {
        let (now, dialect) = (self.now, self.config.dialect);
        let Some(place) = self.sessions.reading(request) else { return };
        let session = self.sessions.at_mut(place);
        let Link::Reading { parser, heard_at, .. } = &mut session.link else { return };
        *heard_at = now;
        let heard = read(parser, bytes, dialect);
        session.failures = 0;
        for item in heard {
            match item {
                Heard::Frame(positioned) => self.frame_arrived(place, &positioned),
                Heard::Id(id) => self.sessions.at_mut(place).last_event_id = Some(id),
                Heard::KeepAlive => self.reach_live_edge(place),
                Heard::Retry(span) => {
                    self.sessions.at_mut(place).retry = Some(span.min(self.config.backoff_max));
                }
                Heard::Bad { code, message, seq } => {
                    let session = self.sessions.at_mut(place);
                    let next = session.cursor.saturating_add(1);
                    if seq == Some(next) {
                        session.cursor = next;
                    }
                    self.warn(code, message);
                }
            }
            if self.sessions.at(place).request() != Some(request) {
                // A frame made us hang up: what follows in this chunk comes again.
                return;
            }
        }
    }

    /// Takes one frame, in its place in the session's order.
    fn frame_arrived(&mut self, place: Place, positioned: &Positioned) {
        let now = self.now;
        let native = self.config.dialect == Dialect::Native;
        // A number that another dialect's server puts into its data is none of ours.
        match positioned.seq.filter(|_| native) {
            // Only the native dialect has an order, and there what has no place in it is transient.
            None if native => self.reach_live_edge(place),
            None => self.sessions.at_mut(place).note_news(now),
            Some(seq) => {
                let session = self.sessions.at_mut(place);
                let expected = session.cursor.saturating_add(1);
                if seq < expected {
                    if let Some(at) = session.missing.iter().position(|missing| *missing == seq) {
                        session.missing.swap_remove(at);
                        self.fold(place, positioned);
                    }
                    return;
                }
                if seq > expected && !self.accept_hole(place, expected, seq) {
                    return;
                }
                let session = self.sessions.at_mut(place);
                session.cursor = seq;
                session.note_news(now);
            }
        }
        self.fold(place, positioned);
    }

    /// Frames are missing. Asks for them once; if they do not come then, they are not to be had.
    fn accept_hole(&mut self, place: Place, from: u64, to: u64) -> bool {
        let session = self.sessions.at_mut(place);
        if session.hole == Some((from, to)) {
            session.hole = None;
            session.missing.extend((from..to).take(MAX_MISSING.saturating_sub(session.missing.len())));
            self.warn(
                Code::StreamGap,
                format!(
                    "events {from} to {} are missing from the stream; going on without them",
                    to.saturating_sub(1)
                ),
            );
            return true;
        }
        session.hole = Some((from, to));
        // Whatever came after the hole is history once it is filled.
        session.fresh = false;
        self.reread(place);
        false
    }

    /// History ends here: what is open now is ours to run.
    pub(super) fn reach_live_edge(&mut self, place: Place) {
        let session = self.sessions.at_mut(place);
        if session.live {
            return;
        }
        session.live = true;
        self.tell_connection(place, ConnectionState::Open, None, None, None, None);
        self.tell_open_interrupts(place);
        self.compare(place);
        self.settle_child(place);
        self.follow_children();
    }

    pub(super) fn stream_closed(&mut self, request: RequestId, failure: Option<String>) {
        let Some(place) = self.sessions.reading(request) else { return };
        let hint = match failure {
            None => "the engine closed the stream; reconnecting".to_owned(),
            Some(what) => format!(
                "{what}: is the engine reachable, does it allow this origin (CORS), and does the token callback work?"
            ),
        };
        self.lose_stream(place, Code::StreamNetwork, None, hint, None);
    }

    fn lose_stream(
        &mut self,
        place: Place,
        code: Code,
        status: Option<u16>,
        hint: String,
        asked: Option<Millis>,
    ) {
        let session = self.sessions.at_mut(place);
        let base = session.retry.unwrap_or(self.config.backoff_base);
        let span = backoff::delay(&self.config, &mut self.rng, base, session.failures, asked);
        session.failures = session.failures.saturating_add(1);
        let until = self.online.then(|| self.now.plus(span));
        self.lose_link(place, Link::Waiting { until });
        let retry_in = until.map(|_| span);
        self.tell_connection(place, ConnectionState::Waiting, Some(code), status, Some(hint), retry_in);
    }

    fn stop_stream(&mut self, place: Place, code: Code, status: u16, hint: String) {
        self.sessions.at_mut(place).refreshed = false;
        self.lose_link(place, Link::Stopped);
        self.tell_connection(place, ConnectionState::Stopped, Some(code), Some(status), Some(hint), None);
        self.settle_child(place);
    }

    pub(super) fn stream_rings_at(&self, place: Place) -> Option<Millis> {
        let session = self.sessions.at(place);
        match &session.link {
            Link::Connecting { until, .. } => Some(*until),
            Link::Waiting { until } => *until,
            Link::Reading { opened_at, heard_at, news_at, .. } => {
                let idle = heard_at.plus(self.config.idle_timeout);
                let quiet = match news_at {
                    Some(news_at) => news_at.plus(self.config.replay_quiet),
                    None => opened_at.plus(self.config.replay_patience),
                };
                Some(if session.live { idle } else { idle.min(quiet) })
            }
            Link::Idle | Link::Stopped | Link::Suspended | Link::Runs => None,
        }
    }

    pub(super) fn ring_stream(&mut self, place: Place) {
        if self.stream_rings_at(place).is_none_or(|at| at > self.now) {
            return;
        }
        match &self.sessions.at(place).link {
            Link::Waiting { .. } => self.connect(place),
            Link::Reading { heard_at, .. } if heard_at.plus(self.config.idle_timeout) > self.now => {
                self.reach_live_edge(place);
            }
            Link::Connecting { .. } | Link::Reading { .. } => {
                let hint = format!(
                    "nothing was heard for {} seconds; reconnecting",
                    self.config.idle_timeout.0 / 1_000
                );
                self.lose_stream(place, Code::StreamIdle, None, hint, None);
            }
            Link::Idle | Link::Stopped | Link::Suspended | Link::Runs => {}
        }
    }

    pub(super) fn tell_connection(
        &mut self,
        place: Place,
        state: ConnectionState,
        code: Option<Code>,
        status: Option<u16>,
        hint: Option<String>,
        retry_in: Option<Millis>,
    ) {
        let session_id = self.sessions.at(place).id.clone();
        let is_child = place != ROOT;
        self.tell(Event::Connection(Connection {
            session_id,
            is_child,
            state,
            code,
            status,
            hint,
            retry_in,
        }));
    }
}

fn read(parser: &mut SseParser, bytes: &[u8], dialect: Dialect) -> Vec<Heard> {
    let mut heard = Vec::new();
    let mut decoded = Vec::new();
    parser.push(bytes, &mut |item| match item {
        SseItem::Event(event) => {
            match decode(&event, dialect, &mut decoded) {
                Ok(()) => heard.extend(decoded.drain(..).map(|frame| Heard::Frame(Box::new(frame)))),
                Err(error) => heard.push(Heard::Bad {
                    code: Code::FrameInvalid,
                    message: format!("a frame was skipped: {error}"),
                    seq: event.own_id().and_then(|id| id.parse().ok()),
                }),
            }
            if let (Dialect::Trigger, Some(id)) = (dialect, event.own_id()) {
                heard.push(Heard::Id(id.to_owned()));
            }
        }
        SseItem::Comment => heard.push(Heard::KeepAlive),
        SseItem::Retry(millis) => heard.push(Heard::Retry(Millis(millis))),
        SseItem::Oversized { name, id, limit } => heard.push(Heard::Bad {
            code: Code::FrameTooLarge,
            message: format!("an event `{name}` of more than {limit} bytes was skipped"),
            seq: id.and_then(|id| id.parse().ok()),
        }),
    });
    heard
}

fn decode(event: &SseEvent<'_>, dialect: Dialect, out: &mut Vec<Positioned>) -> Result<(), FrameError> {
    match dialect {
        // Runs have streams of their own, which are not read here.
        _ if cfg!(not(feature = "runtime")) => Ok(()),
        Dialect::AgUi => Ok(()),
        Dialect::Native => native::decode(&event.name(), &event.data(), event.own_id(), out),
        Dialect::Trigger => trigger::decode(&event.name(), &event.data(), out),
    }
}

/// Whether a content type, whatever its parameters, is that of an event stream.
pub(super) fn is_event_stream(content_type: &str) -> bool {
    const KIND: &[u8] = b"text/event-stream";
    let bytes = content_type.trim_ascii().as_bytes();
    match bytes.split_at_checked(KIND.len()) {
        Some((kind, rest)) => {
            kind.eq_ignore_ascii_case(KIND) && matches!(rest.trim_ascii_start().first(), None | Some(b';'))
        }
        None => false,
    }
}

fn refusal_hint(status: u16) -> String {
    match status {
        204 => "the engine says there is nothing to stream".to_owned(),
        401 => "the engine refuses the token, a fresh one too".to_owned(),
        403 => "the token's user may not read this session".to_owned(),
        404 => "there is no event stream at this address: is `engine` right?".to_owned(),
        _ => format!("the engine answered {status}"),
    }
}
