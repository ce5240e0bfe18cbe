//! Faults on request: what networks and servers do wrong, armed one at a time and used up as they strike.
//!
//! A fault changes only what travels, never what the engine has recorded: the log stays the truth against
//! which a client's behaviour is judged.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Millis;
use super::engine::Engine;
use super::http::{Reply, header};

/// One fault. `times` says how often it strikes; `route` is a part of the request's path and `event` a
/// frame's event name, both absent for any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Fault {
    /// A frame is sent twice.
    DuplicateFrame {
        /// Which frames.
        #[serde(default)]
        event: Option<String>,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A frame comes after the one that should follow it, or a second late if none does.
    ReorderFrames {
        /// Which frames.
        #[serde(default)]
        event: Option<String>,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A frame's JSON is cut in half; the framing stays whole.
    GarbleFrame {
        /// Which frames.
        #[serde(default)]
        event: Option<String>,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A frame and all behind it on its stream come late.
    DelayFrames {
        /// Which frames.
        #[serde(default)]
        event: Option<String>,
        /// How late.
        ms: u64,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// The next stream that sends breaks off after that many more bytes.
    CutStream {
        /// Bytes still sent.
        after_bytes: u64,
        /// End in good order instead of with a network error.
        #[serde(default)]
        clean: bool,
    },
    /// Open streams say nothing, not even a comment, for this long; absent is for ever.
    Stall {
        /// How long.
        #[serde(default)]
        ms: Option<u64>,
    },
    /// A request never arrives; the client sees a network error.
    LoseRequest {
        /// Which requests.
        #[serde(default)]
        route: Option<String>,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A request arrives late.
    DelayRequest {
        /// Which requests.
        #[serde(default)]
        route: Option<String>,
        /// How late.
        ms: u64,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A request is acted on, but its response is lost.
    DropResponse {
        /// Which requests.
        #[serde(default)]
        route: Option<String>,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A response comes late.
    DelayResponse {
        /// Which requests.
        #[serde(default)]
        route: Option<String>,
        /// How late.
        ms: u64,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A request is refused unread.
    Refuse {
        /// Which requests.
        #[serde(default)]
        route: Option<String>,
        /// The status.
        status: u16,
        /// `Retry-After`, in seconds.
        #[serde(default)]
        retry_after_secs: Option<u64>,
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// The auth backend fails: 503.
    AuthDown {
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// A worker's decision fails.
    DecisionFails {
        /// How often.
        #[serde(default = "once")]
        times: u32,
    },
    /// The process goes down and comes back: connections are lost, the log is kept.
    Restart {
        /// How long nothing can connect.
        #[serde(default)]
        down_ms: u64,
    },
}

fn once() -> u32 {
    1
}

/// What becomes of a request before it is looked at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    Lost,
    Until(Millis),
}

/// What becomes of a response.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Landing {
    Now,
    At(Millis),
    Lost,
}

/// The armed faults.
#[derive(Debug)]
pub(crate) struct Faults {
    armed: Vec<Fault>,
    pub(super) down_until: Millis,
}

impl Faults {
    pub(crate) fn new(armed: Vec<Fault>) -> Faults {
        Faults { armed, down_until: Millis(0) }
    }

    /// Uses up the first armed fault for which `pick` gives something.
    pub(super) fn strike<T>(&mut self, pick: impl Fn(&Fault) -> Option<T>) -> Option<T> {
        let (place, struck) =
            self.armed.iter().enumerate().find_map(|(place, fault)| Some((place, pick(fault)?)))?;
        let spent = self.armed.get_mut(place).is_none_or(Fault::spend);
        if spent {
            self.armed.remove(place);
        }
        Some(struck)
    }

    pub(crate) fn hold_request(&mut self, path: &str, now: Millis) -> Option<Hold> {
        if now < self.down_until {
            return Some(Hold::Lost);
        }
        self.strike(|fault| match fault {
            Fault::LoseRequest { route, .. } if on_route(route, path) => Some(Hold::Lost),
            Fault::DelayRequest { route, ms, .. } if on_route(route, path) => {
                Some(Hold::Until(now.plus(Millis(*ms))))
            }
            _ => None,
        })
    }

    pub(crate) fn refusal(&mut self, path: &str) -> Option<Reply> {
        let (status, retry_after) = self.strike(|fault| match fault {
            Fault::Refuse { route, status, retry_after_secs, .. } if on_route(route, path) => {
                Some((*status, *retry_after_secs))
            }
            _ => None,
        })?;
        let mut reply = Reply::json(status, &json!({ "error": refusal_text(status) }));
        if let Some(seconds) = retry_after {
            reply.headers.push(header("retry-after", &seconds.to_string()));
        }
        Some(reply)
    }

    pub(crate) fn land_response(&mut self, path: &str, now: Millis) -> Landing {
        let struck = self.strike(|fault| match fault {
            Fault::DropResponse { route, .. } if on_route(route, path) => Some(Landing::Lost),
            Fault::DelayResponse { route, ms, .. } if on_route(route, path) => {
                Some(Landing::At(now.plus(Millis(*ms))))
            }
            _ => None,
        });
        struck.unwrap_or(Landing::Now)
    }

    pub(crate) fn auth_is_down(&mut self) -> bool {
        self.strike(|fault| matches!(fault, Fault::AuthDown { .. }).then_some(())).is_some()
    }

    pub(crate) fn decision_fails(&mut self) -> bool {
        self.strike(|fault| matches!(fault, Fault::DecisionFails { .. }).then_some(())).is_some()
    }
}

impl Fault {
    /// Counts one strike; true when none is left.
    fn spend(&mut self) -> bool {
        match self {
            Fault::DuplicateFrame { times, .. }
            | Fault::ReorderFrames { times, .. }
            | Fault::GarbleFrame { times, .. }
            | Fault::DelayFrames { times, .. }
            | Fault::LoseRequest { times, .. }
            | Fault::DelayRequest { times, .. }
            | Fault::DropResponse { times, .. }
            | Fault::DelayResponse { times, .. }
            | Fault::Refuse { times, .. }
            | Fault::AuthDown { times }
            | Fault::DecisionFails { times } => {
                *times = times.saturating_sub(1);
                *times == 0
            }
            Fault::CutStream { .. } | Fault::Stall { .. } | Fault::Restart { .. } => true,
        }
    }
}

fn on_route(route: &Option<String>, path: &str) -> bool {
    route.as_ref().is_none_or(|part| path.contains(part.as_str()))
}

pub(super) fn of_event(event: &Option<String>, frame: &[u8]) -> bool {
    let Some(name) = event else { return true };
    let line = format!("event: {name}\n").into_bytes();
    let bare = format!(r#"data: {{"type":"{name}""#).into_bytes();
    frame.starts_with(&bare) || frame.windows(line.len()).any(|window| window == line.as_slice())
}

fn refusal_text(status: u16) -> &'static str {
    match status {
        401 => "unauthorized",
        403 => "session access denied",
        409 => "conflict",
        413 => "length limit exceeded",
        429 => "too many requests",
        503 => "auth_unavailable",
        _ => "refused",
    }
}

/// Arms a fault, or lets it strike at once where it needs no occasion.
pub(crate) fn arm(engine: &mut Engine, fault: Fault) {
    let shared = &mut engine.shared;
    match fault {
        Fault::Stall { ms } => shared.stall(ms),
        Fault::Restart { down_ms } => shared.restart(down_ms),
        other => shared.faults.armed.push(other),
    }
}
