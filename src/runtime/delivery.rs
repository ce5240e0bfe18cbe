//! What an HTTP answer to a post means, for answers and messages alike.
//!
//! A policy and nothing else: it is told what came back and says what to do next.

use super::backoff;
use super::config::Config;
use super::ids::{Millis, RequestId};
use super::rng::Rng;
use std::rc::Rc;

/// Bytes on their way to the engine. A retry sends the very same ones.
#[derive(Debug, Clone)]
pub(super) struct Parcel {
    pub(super) body: Rc<str>,
    pub(super) tries: u32,
    failures: u32,
    refreshed: bool,
}

/// What came back.
pub(super) enum Reply {
    Nothing,
    Status { status: u16, retry_after: Option<Millis> },
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The engine took it.
    Taken,
    /// Send it again at once with a fresh token.
    Refresh,
    /// Send it again at this moment.
    RetryAt(Millis),
    /// Send it again once something changes.
    Park,
    /// The engine says nothing waits for it: the stream knows more.
    Conflict,
    /// It is too large for the engine.
    TooLarge,
    /// The engine will never take it.
    Reject,
}

/// Where a parcel stands.
#[derive(Debug, Clone)]
pub(super) enum Travel {
    /// A request is under way.
    Sending(RequestId),
    /// It goes again at this moment, or with `None` once something changes.
    Waiting(Option<Millis>),
}

impl Parcel {
    pub(super) fn new(body: Rc<str>) -> Self {
        Parcel { body, tries: 0, failures: 0, refreshed: false }
    }

    /// Takes note of what came back and says what to do about it.
    pub(super) fn judge(
        &mut self,
        reply: &Reply,
        online: bool,
        now: Millis,
        config: &Config,
        rng: &mut Rng,
    ) -> Next {
        let (status, asked) = match reply {
            // Offline, a try proves nothing: wait for the network instead of burning the back-off.
            Reply::Nothing if !online => return Next::Park,
            Reply::Nothing => (0, None),
            Reply::Status { status, retry_after } => (*status, *retry_after),
        };
        match status {
            200..=299 => Next::Taken,
            401 if !self.refreshed => {
                self.refreshed = true;
                Next::Refresh
            }
            401 => {
                self.refreshed = false;
                Next::Park
            }
            404 | 409 => Next::Conflict,
            413 => Next::TooLarge,
            0 | 408 | 425 | 429 | 500..=599 => {
                let span = backoff::delay(config, rng, config.backoff_base, self.failures, asked);
                self.failures = self.failures.saturating_add(1);
                Next::RetryAt(now.plus(span))
            }
            _ => Next::Reject,
        }
    }
}
