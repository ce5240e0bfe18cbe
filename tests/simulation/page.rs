//! One page of the browser: a machine, its tools, and what it is doing.

use pagehand::runtime::config::Dialect;
use pagehand::runtime::ids::RequestId;
use pagehand::runtime::{CallKey, Config, Machine, Millis, ToolSpec};
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};

use super::plan::{Plan, TOOLS, Wire};
use pagehand::runtime::Input;

pub const SESSION: &str = "session-1";

pub struct Page {
    /// Unique over all pages that ever were.
    pub id: u64,
    pub tab: usize,
    pub machine: Machine,
    pub online: bool,
    pub frozen: bool,
    pub closed: bool,
    /// What arrived while the page was frozen.
    pub held: Vec<Input>,
    /// Its place among the owners; 0 while it owns nothing.
    pub epoch: u64,
    /// What its own clock shows beyond the true time.
    pub skew: i64,
    pub requests: BTreeMap<u64, (RequestId, bool)>,
    pub sent: usize,
    pub finished: usize,
    pub ended: BTreeMap<CallKey, u32>,
    pub told_after_close: usize,
    pub inbox: VecDeque<Input>,
}

impl Page {
    /// A page that opens now. It knows nothing but its session and watches until the lock is its own.
    pub fn open(id: u64, tab: usize, fresh: bool, plan: &Plan, now: Millis) -> Page {
        let runs = plan.wire == Wire::AgUi;
        let config = Config {
            agent: "shop".to_owned(),
            session_id: SESSION.to_owned(),
            fresh,
            owner: false,
            seed: plan.seed ^ id,
            dialect: if runs { Dialect::AgUi } else { Dialect::Native },
            connectable: runs,
            native_input: runs,
            ..Config::default()
        };
        Page {
            id,
            tab,
            machine: Machine::new(config, now),
            online: true,
            frozen: false,
            closed: false,
            held: Vec::new(),
            epoch: 0,
            skew: 0,
            requests: BTreeMap::new(),
            sent: 0,
            finished: 0,
            ended: BTreeMap::new(),
            told_after_close: 0,
            inbox: VecDeque::new(),
        }
    }

    /// The time by the page's own clock.
    pub fn clock(&self, now: Millis) -> Millis {
        Millis(now.0.saturating_add_signed(self.skew))
    }

    /// When the page wants to be woken, by the true clock.
    pub fn rings_at(&self) -> Option<Millis> {
        let at = self.machine.poll_timeout().filter(|_| !self.frozen)?;
        Some(Millis(at.0.saturating_add_signed(-self.skew)))
    }
}

pub fn spec(tool: usize) -> ToolSpec {
    let (name, read_only, asks) = TOOLS[tool];
    let timeout = (name == "hangs").then_some(3_000);
    let lane = tool.is_multiple_of(2).then_some("page");
    let spec = json!({
        "name": name, "readOnly": read_only, "asksConsent": asks, "timeout": timeout, "lane": lane,
    });
    serde_json::from_str(&spec.to_string()).unwrap()
}
