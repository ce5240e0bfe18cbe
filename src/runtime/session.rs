//! A session's event stream: connecting, catching up, staying connected.
//!
//! Nothing runs until the stream's history has been read to its end. No marker says where that is,
//! so three signs are taken: a keep-alive, a transient frame, or a quiet spell.

use super::backoff;
use super::board::Board;
use super::codes::Code;
use super::config::Config;
use super::event::{Connection, ConnectionState, Event};
use super::ids::{Millis, RequestId};
use super::input::retry_after;
use super::machine::{Machine, Owner};
use super::output::Effect;
use crate::protocol::frame::Positioned;
use crate::protocol::native;
use crate::protocol::sse::{Limits, SseItem, SseParser};

/// Most numbers that are remembered as missing.
const MAX_MISSING: usize = 1_024;

/// The stream of one session and what it said.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) board: Board,
    link: Link,
    /// The last sequence number up to which nothing is missing.
    cursor: u64,
    /// A hole that was asked about already.
    hole: Option<(u64, u64)>,
    /// Numbers that were gone on without. A frame that comes late all the same is still news.
    missing: Vec<u64>,
    /// Whether everything up to now is known, so that a call may run as soon as it is announced.
    live: bool,
    /// Whether the session has no history: it was made just now and nobody else knows it.
    fresh: bool,
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
}

/// One thing a chunk held.
#[derive(Debug)]
enum Heard {
    Frame(Positioned),
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
    pub(super) fn new(config: &Config) -> Self {
        Session {
            id: config.session_id.clone(),
            board: Board::default(),
            link: Link::Idle,
            cursor: 0,
            hole: None,
            missing: Vec::new(),
            live: false,
            fresh: config.fresh,
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
        self.live && matches!(self.link, Link::Reading { .. })
    }

    /// Whether no further try will be made by itself.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.link, Link::Stopped)
    }
}

impl Machine {
    /// Opens the stream unless it is open or about to be.
    pub(super) fn want_stream(&mut self) {
        if matches!(self.session.link, Link::Idle | Link::Stopped) {
            self.session.failures = 0;
            self.connect();
        }
    }

    /// Tries now what was to be tried later.
    pub(super) fn wake_stream(&mut self) {
        if matches!(self.session.link, Link::Waiting { .. } | Link::Stopped) {
            self.connect();
        }
    }

    /// Without a network, a try proves nothing.
    pub(super) fn hold_stream(&mut self) {
        if let Link::Waiting { until } = &mut self.session.link {
            *until = None;
        }
    }

    /// Lets the stream go while the page sleeps: it would be cut anyway, and stands in the way of the
    /// back-forward cache.
    pub(super) fn suspend_stream(&mut self) {
        if !matches!(self.session.link, Link::Idle | Link::Stopped) {
            self.hang_up();
            self.session.fresh &= self.nothing_happened();
            self.session.link = Link::Suspended;
        }
    }

    pub(super) fn resume_stream(&mut self) {
        if matches!(self.session.link, Link::Suspended) {
            self.connect();
        }
    }

    fn connect(&mut self) {
        let request = RequestId(self.handle_number());
        let after_seq = self.session.cursor;
        let refresh = self.session.refreshed;
        // A new connection may bring what was missed: it is history until shown otherwise.
        self.session.live = self.session.fresh;
        self.session.link = Link::Connecting { request, until: self.now.plus(self.config.idle_timeout) };
        self.owns(request.0, Owner::Stream);
        let session_id = self.session.id.clone();
        self.effect(Effect::OpenStream { request, session_id, after_seq, refresh });
        self.tell_connection(ConnectionState::Connecting, None, None, None, None);
    }

    /// Reads on from the cursor over a new connection.
    pub(super) fn reread(&mut self) {
        self.hang_up();
        self.connect();
    }

    fn hang_up(&mut self) {
        if let Some(request) = self.session.request() {
            self.owners.remove(&request.0);
            self.effect(Effect::Abort { request });
        }
    }

    pub(super) fn stream_opened(
        &mut self,
        request: RequestId,
        status: u16,
        content_type: Option<&str>,
        retry_header: Option<&str>,
    ) {
        if self.session.request() != Some(request) {
            return;
        }
        let is_stream = content_type.is_some_and(|kind| {
            kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/event-stream")
        });
        match status {
            200 if is_stream => self.start_reading(request),
            200 => {
                let got = content_type.unwrap_or("nothing");
                self.stop_stream(
                    Code::StreamContentType,
                    Some(status),
                    format!("expected text/event-stream, got {got}: is `engine` the address of an engine?"),
                );
            }
            401 if !self.session.refreshed => {
                self.session.refreshed = true;
                self.hang_up();
                self.connect();
            }
            408 | 425 | 429 | 500..=599 => {
                let hint = format!("the engine answered {status}; trying again");
                self.lose_stream(Code::StreamRefused, Some(status), hint, retry_after(retry_header));
            }
            _ => self.stop_stream(Code::StreamRefused, Some(status), refusal_hint(status)),
        }
    }

    fn start_reading(&mut self, request: RequestId) {
        let limits = Limits { max_event_bytes: self.config.max_frame_bytes };
        self.session.link = Link::Reading {
            request,
            parser: Box::new(SseParser::new(limits)),
            opened_at: self.now,
            heard_at: self.now,
            news_at: None,
        };
        self.session.refreshed = false;
        let state = if self.session.live { ConnectionState::Open } else { ConnectionState::CatchingUp };
        self.tell_connection(state, None, None, None, None);
        self.wake_parcels();
    }

    pub(super) fn chunk_arrived(&mut self, request: RequestId, bytes: &[u8]) {
        let now = self.now;
        let Link::Reading { request: current, parser, heard_at, .. } = &mut self.session.link else { return };
        if *current != request {
            return;
        }
        *heard_at = now;
        let heard = read(parser, bytes);
        self.session.failures = 0;
        for item in heard {
            match item {
                Heard::Frame(positioned) => self.frame_arrived(&positioned),
                Heard::KeepAlive => self.reach_live_edge(),
                Heard::Retry(span) => self.session.retry = Some(span.min(self.config.backoff_max)),
                Heard::Bad { code, message, seq } => {
                    let next = self.session.cursor.saturating_add(1);
                    if seq == Some(next) {
                        self.session.cursor = next;
                    }
                    self.warn(code, message);
                }
            }
            if self.session.request() != Some(request) {
                // A frame made us hang up: what follows in this chunk comes again.
                return;
            }
        }
    }

    /// Takes one frame, in its place in the session's order.
    fn frame_arrived(&mut self, positioned: &Positioned) {
        match positioned.seq {
            None => self.reach_live_edge(),
            Some(seq) => {
                let expected = self.session.cursor.saturating_add(1);
                if seq < expected {
                    if let Some(at) = self.session.missing.iter().position(|missing| *missing == seq) {
                        self.session.missing.swap_remove(at);
                        self.fold(positioned);
                    }
                    return;
                }
                if seq > expected && !self.accept_hole(expected, seq) {
                    return;
                }
                self.session.cursor = seq;
                let now = self.now;
                if let Link::Reading { news_at, .. } = &mut self.session.link {
                    *news_at = Some(now);
                }
            }
        }
        self.fold(positioned);
    }

    /// Frames are missing. Asks for them once; if they do not come then, they are not to be had.
    fn accept_hole(&mut self, from: u64, to: u64) -> bool {
        if self.session.hole == Some((from, to)) {
            self.session.hole = None;
            self.session
                .missing
                .extend((from..to).take(MAX_MISSING.saturating_sub(self.session.missing.len())));
            self.warn(
                Code::StreamGap,
                format!(
                    "events {from} to {} are missing from the stream; going on without them",
                    to.saturating_sub(1)
                ),
            );
            return true;
        }
        self.session.hole = Some((from, to));
        // Whatever came after the hole is history once it is filled.
        self.session.fresh = false;
        self.reread();
        false
    }

    /// History ends here: what is open now is ours to run.
    pub(super) fn reach_live_edge(&mut self) {
        if self.session.live {
            return;
        }
        self.session.live = true;
        self.tell_connection(ConnectionState::Open, None, None, None, None);
        self.compare();
    }

    pub(super) fn stream_closed(&mut self, request: RequestId, failure: Option<String>) {
        if self.session.request() != Some(request) {
            return;
        }
        let hint = match failure {
            None => "the engine closed the stream; reconnecting".to_owned(),
            Some(what) => format!(
                "{what}: is the engine reachable, does it allow this origin (CORS), and does the token callback work?"
            ),
        };
        self.lose_stream(Code::StreamNetwork, None, hint, None);
    }

    fn lose_stream(&mut self, code: Code, status: Option<u16>, hint: String, asked: Option<Millis>) {
        self.hang_up();
        let base = self.session.retry.unwrap_or(self.config.backoff_base);
        let span = backoff::delay(&self.config, &mut self.rng, base, self.session.failures, asked);
        self.session.failures = self.session.failures.saturating_add(1);
        self.session.fresh &= self.nothing_happened();
        let until = self.online.then(|| self.now.plus(span));
        self.session.link = Link::Waiting { until };
        self.tell_connection(ConnectionState::Waiting, Some(code), status, Some(hint), until.map(|_| span));
    }

    /// Whether there cannot be history that this page has not heard of.
    fn nothing_happened(&self) -> bool {
        self.session.cursor == 0 && self.turns.is_empty()
    }

    fn stop_stream(&mut self, code: Code, status: Option<u16>, hint: String) {
        self.hang_up();
        self.session.refreshed = false;
        self.session.fresh &= self.nothing_happened();
        self.session.link = Link::Stopped;
        self.tell_connection(ConnectionState::Stopped, Some(code), status, Some(hint), None);
    }

    pub(super) fn stream_rings_at(&self) -> Option<Millis> {
        match &self.session.link {
            Link::Connecting { until, .. } => Some(*until),
            Link::Waiting { until } => *until,
            Link::Reading { opened_at, heard_at, news_at, .. } => {
                let idle = heard_at.plus(self.config.idle_timeout);
                let quiet = match news_at {
                    Some(news_at) => news_at.plus(self.config.replay_quiet),
                    None => opened_at.plus(self.config.replay_patience),
                };
                Some(if self.session.live { idle } else { idle.min(quiet) })
            }
            Link::Idle | Link::Stopped | Link::Suspended => None,
        }
    }

    pub(super) fn ring_stream(&mut self) {
        if self.stream_rings_at().is_none_or(|at| at > self.now) {
            return;
        }
        match &self.session.link {
            Link::Waiting { .. } => self.connect(),
            Link::Reading { heard_at, .. } if heard_at.plus(self.config.idle_timeout) > self.now => {
                self.reach_live_edge();
            }
            Link::Connecting { .. } | Link::Reading { .. } => {
                let hint = format!(
                    "nothing was heard for {} seconds; reconnecting",
                    self.config.idle_timeout.0 / 1_000
                );
                self.lose_stream(Code::StreamIdle, None, hint, None);
            }
            Link::Idle | Link::Stopped | Link::Suspended => {}
        }
    }

    fn tell_connection(
        &mut self,
        state: ConnectionState,
        code: Option<Code>,
        status: Option<u16>,
        hint: Option<String>,
        retry_in: Option<Millis>,
    ) {
        let session_id = self.session.id.clone();
        self.tell(Event::Connection(Connection { session_id, state, code, status, hint, retry_in }));
    }
}

fn read(parser: &mut SseParser, bytes: &[u8]) -> Vec<Heard> {
    let mut heard = Vec::new();
    let mut decoded = Vec::new();
    parser.push(bytes, &mut |item| match item {
        SseItem::Event(event) => {
            match native::decode(&event.name(), &event.data(), event.own_id(), &mut decoded) {
                Ok(()) => heard.extend(decoded.drain(..).map(Heard::Frame)),
                Err(error) => heard.push(Heard::Bad {
                    code: Code::FrameInvalid,
                    message: format!("a frame was skipped: {error}"),
                    seq: event.own_id().and_then(|id| id.parse().ok()),
                }),
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

fn refusal_hint(status: u16) -> String {
    match status {
        204 => "the engine says there is nothing to stream".to_owned(),
        401 => "the engine refuses the token, a fresh one too".to_owned(),
        403 => "the token's user may not read this session".to_owned(),
        404 => "there is no event stream at this address: is `engine` right?".to_owned(),
        _ => format!("the engine answered {status}"),
    }
}
