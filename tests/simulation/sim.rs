//! The world of one run: moves time, carries messages, and lets the plan happen.

use super::chance::Chance;
use super::disk::{Disk, Lock};
use super::page::{Page, spec};
use super::plan::{CALM, Happening, Plan, Sabotage, TOOLS};
use pagehand::engine::{self, Engine};
use pagehand::runtime::event::Event;
use pagehand::runtime::ids::{InvocationId, RequestId};
use pagehand::runtime::input::{Decision, Failure, Input, Outcome, Verdict, Written};
use pagehand::runtime::output::{Effect, Invoke, Output};
use pagehand::runtime::{CallKey, Millis};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const BEGINNING: u64 = 1_790_000_000_000;
/// How long after the storm everything must have come to rest.
const PATIENCE: u64 = 30 * 60_000;
const MAX_STEPS: u32 = 400_000;

/// Something under way.
enum Due {
    ToPage { page: u64, input: Input },
    ToEngine(engine::Input),
    LockFree { page: u64 },
    Happens(Happening),
}

pub struct Sim {
    pub plan: Plan,
    pub engine: Engine,
    pub pages: BTreeMap<u64, Page>,
    pub disk: Disk,
    pub log: Vec<String>,
    /// How often each tool ran for a call and attempt, over all pages.
    pub executions: BTreeMap<(String, u64, &'static str), u32>,
    /// Calls whose start could not be stored: nothing can keep a later page from starting them again.
    pub unprotected: BTreeSet<(String, u64)>,
    /// Calls that ended twice in one page, and what was told after a close.
    pub faults: Vec<String>,
    pub most_open: usize,
    pub most_on_disk: usize,
    chance: Chance,
    lock: Lock,
    now: Millis,
    due: BTreeMap<(Millis, u64), Due>,
    order: u64,
    next_page: u64,
    next_request: u64,
    /// When the last piece of each stream arrives: pieces keep their order.
    arrivals: BTreeMap<u64, Millis>,
    storage_fails: bool,
    token: String,
    /// What a refresh gives.
    good_token: String,
    messages: usize,
}

impl Sim {
    pub fn new(plan: Plan) -> Sim {
        let engine = Engine::new(serde_json::from_value(plan.engine.clone()).unwrap());
        let mut sim = Sim {
            chance: Chance::new(plan.seed ^ 0x5EED),
            engine,
            pages: BTreeMap::new(),
            disk: Disk::default(),
            log: Vec::new(),
            executions: BTreeMap::new(),
            unprotected: BTreeSet::new(),
            faults: Vec::new(),
            most_open: 0,
            most_on_disk: 0,
            lock: Lock::default(),
            now: Millis(BEGINNING),
            due: BTreeMap::new(),
            order: 0,
            next_page: 1,
            next_request: 1,
            arrivals: BTreeMap::new(),
            storage_fails: false,
            token: String::new(),
            good_token: String::new(),
            messages: 0,
            plan,
        };
        sim.good_token = sim.mint();
        sim.token = sim.good_token.clone();
        for (at, happening) in sim.plan.happenings.clone() {
            sim.later(at, Due::Happens(happening));
        }
        sim
    }

    /// The calls of every session, each with its session.
    pub fn engine_calls(&self) -> Vec<(String, engine::CallRecord)> {
        let sessions = self.engine.session_ids();
        sessions
            .into_iter()
            .flat_map(|id| self.engine.calls(&id).into_iter().map(move |call| (id.clone(), call)))
            .collect()
    }

    fn say(&mut self, what: impl FnOnce() -> String) {
        self.log.push(format!("{:>9} {}", self.now.0 - BEGINNING, what()));
    }

    fn later(&mut self, span: u64, due: Due) {
        self.order += 1;
        self.due.insert((self.now.plus(Millis(span)), self.order), due);
    }

    fn delay(&mut self) -> u64 {
        if self.chance.percent(5) { self.chance.between(50, 800) } else { self.chance.between(1, 40) }
    }

    fn mint(&mut self) -> String {
        let body = json!({ "identity": { "id": "shopper" }, "ttl_seconds": 36_000 }).to_string();
        self.engine.handle(
            self.now,
            engine::Input::Request {
                id: u64::MAX,
                method: "POST".to_owned(),
                target: "/api/machine/client-tokens".to_owned(),
                headers: vec![("authorization".to_owned(), "Bearer test-api-key".to_owned())],
                body: body.into_bytes(),
            },
        );
        while let Some(output) = self.engine.poll_output() {
            if let engine::Output::Response { body, .. } = output {
                let body: Value = serde_json::from_slice(&body).unwrap();
                return body["token"].as_str().unwrap().to_owned();
            }
        }
        panic!("no token");
    }

    /// Runs the plan to its end and until everything is at rest.
    pub fn run(&mut self) {
        self.open(0);
        let end = Millis(BEGINNING + CALM + PATIENCE);
        for _ in 0..MAX_STEPS {
            let due = self.due.keys().next().map(|(at, _)| *at);
            let rings = self.pages.values().filter_map(Page::rings_at).min();
            let next = [due, rings, self.engine.poll_timeout()].into_iter().flatten().min();
            let Some(next) = next.filter(|next| *next <= end) else { return };
            if self.now.0 > BEGINNING + CALM + 10_000 && self.at_rest() {
                return;
            }
            self.now = self.now.max(next);
            self.step();
        }
        self.faults.push("the run does not come to rest".to_owned());
    }

    fn at_rest(&self) -> bool {
        self.engine_calls().iter().all(|(_, call)| ["completed", "errored", "voided"].contains(&call.status))
            && self.pages.values().all(|page| page.machine.open_calls() == 0 && page.sent == page.finished)
    }

    fn step(&mut self) {
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= self.now) {
            match entry.remove() {
                Due::ToPage { page, input } => self.hand(page, input),
                Due::ToEngine(input) => {
                    self.engine.handle(self.now, input);
                    self.hear_engine();
                }
                Due::LockFree { page } => self.gain(page),
                Due::Happens(happening) => self.happen(&happening),
            }
        }
        if self.engine.poll_timeout().is_some_and(|at| at <= self.now) {
            self.engine.handle(self.now, engine::Input::TimeReached);
            self.hear_engine();
        }
        let ringing: Vec<u64> = self
            .pages
            .values()
            .filter(|page| page.rings_at().is_some_and(|at| at <= self.now))
            .map(|page| page.id)
            .collect();
        for page in ringing {
            self.hand(page, Input::TimePassed);
        }
    }

    // Pages.

    fn open(&mut self, tab: usize) {
        if self.pages.values().any(|page| page.tab == tab) {
            return;
        }
        let id = self.next_page;
        self.next_page += 1;
        // Only the very first page of a session that was just made has no history to read.
        let page = Page::open(id, tab, id == 1, &self.plan, self.now);
        self.pages.insert(id, page);
        self.say(|| format!("page {id} opens in tab {tab}"));
        for tool in self.plan.tools[tab].clone() {
            self.hand(id, Input::ToolRegistered(Box::new(spec(tool))));
        }
        self.hand(id, Input::Attached);
        self.stand_in_line(id);
    }

    fn stand_in_line(&mut self, page: u64) {
        if self.lock.request(page) {
            let span = self.chance.between(1, 20);
            self.later(span, Due::LockFree { page });
        }
    }

    fn let_go(&mut self, page: u64) {
        if let Some(next) = self.lock.release(page) {
            let span = self.chance.between(1, 20);
            self.later(span, Due::LockFree { page: next });
        }
    }

    fn gain(&mut self, page: u64) {
        let Some(found) = self.pages.get_mut(&page).filter(|page| !page.frozen && !page.closed) else {
            return self.let_go(page);
        };
        let (epoch, records) = self.disk.take_over();
        found.epoch = epoch;
        self.say(|| format!("page {page} owns the session and finds {} records", records.len()));
        self.hand(page, Input::OwnershipGained { records });
    }

    fn kill(&mut self, tab: usize, why: &str) {
        let Some(id) = self.pages.values().find(|page| page.tab == tab).map(|page| page.id) else { return };
        let page = self.pages.remove(&id).unwrap();
        self.say(|| format!("page {id} {why}"));
        for request in page.requests.into_keys() {
            self.later(1, Due::ToEngine(engine::Input::ClientGone { id: request }));
        }
        self.let_go(id);
    }

    fn page_in(&self, tab: usize) -> Option<u64> {
        self.pages.values().find(|page| page.tab == tab).map(|page| page.id)
    }

    fn happen(&mut self, happening: &Happening) {
        match happening {
            Happening::Message { tab, text } => {
                let Some(id) = self.page_in(*tab).or_else(|| self.pages.keys().next().copied()) else {
                    return;
                };
                if self.pages[&id].closed || self.pages[&id].frozen {
                    return;
                }
                self.messages += 1;
                let turn_id = format!("turn-{}", self.messages);
                self.pages.get_mut(&id).unwrap().sent += 1;
                self.say(|| format!("page {id} sends {text:?} as {turn_id}"));
                let message_id = format!("m-{turn_id}");
                self.hand(id, Input::MessageSent { turn_id, message_id, text: text.clone(), queue: true });
            }
            Happening::Open { tab } => self.open(*tab),
            Happening::Kill { tab } => self.kill(*tab, "is killed"),
            Happening::Reload { tab } => {
                self.kill(*tab, "reloads");
                self.open(*tab);
            }
            Happening::Freeze { tab } => {
                let Some(id) = self.page_in(*tab) else { return };
                self.say(|| format!("page {id} freezes"));
                self.hand(id, Input::Suspended);
                self.hand(id, Input::OwnershipLost);
                let page = self.pages.get_mut(&id).unwrap();
                page.frozen = true;
                page.epoch = 0;
                self.let_go(id);
            }
            Happening::Thaw { tab } => {
                let Some(id) = self.page_in(*tab).filter(|id| self.pages[id].frozen) else { return };
                self.say(|| format!("page {id} thaws"));
                let page = self.pages.get_mut(&id).unwrap();
                page.frozen = false;
                let held = std::mem::take(&mut page.held);
                for input in held {
                    self.hand(id, input);
                }
                self.hand(id, Input::Resumed);
                self.stand_in_line(id);
            }
            Happening::Shown { tab } => {
                if let Some(id) = self.page_in(*tab) {
                    self.hand(id, Input::Woken);
                }
            }
            Happening::Offline { tab } => self.set_online(*tab, false),
            Happening::Online { tab } => self.set_online(*tab, true),
            Happening::Close { tab } => {
                if let Some(id) = self.page_in(*tab) {
                    self.hand(id, Input::Closed);
                    self.pages.get_mut(&id).unwrap().closed = true;
                    for _ in 0..2 {
                        self.hand(id, Input::Woken);
                    }
                    self.kill(*tab, "closes its runtime");
                }
            }
            Happening::SecondOwner { tab } => {
                if let Some(id) = self.page_in(*tab).filter(|id| self.pages[id].epoch == 0) {
                    self.say(|| format!("page {id} takes the session from its owner"));
                    self.gain(id);
                }
            }
            Happening::TokensExpire => {
                self.say(|| "tokens expire".to_owned());
                for page in self.pages.keys().copied().collect::<Vec<_>>() {
                    self.say(|| format!("page {page} has a dead token"));
                }
                self.token = String::from("dead");
            }
            Happening::StorageFails { on } => self.storage_fails = *on,
            Happening::ClockJumps { tab, by } => {
                if let Some(id) = self.page_in(*tab) {
                    self.say(|| format!("the clock of page {id} jumps by {by} ms"));
                    // A machine's time never goes back, so a jump back is a clock that stands still: the
                    // shell reads a clock that only goes on, and only jumps ahead reach it.
                    self.pages.get_mut(&id).unwrap().skew += (*by).max(0);
                    self.hand(id, Input::TimePassed);
                }
            }
            Happening::Unregister { tab, tool } => {
                if let Some(id) = self.page_in(*tab) {
                    let name = TOOLS[*tool].0.to_owned();
                    self.say(|| format!("page {id} unregisters {name}"));
                    self.hand(id, Input::ToolUnregistered { name });
                }
            }
            Happening::Engine(fault) => {
                self.say(|| format!("engine: {fault}"));
                let input = json!({ "type": "fault", "fault": fault });
                self.engine.handle(self.now, serde_json::from_value(input).unwrap());
                self.hear_engine();
            }
        }
    }

    fn set_online(&mut self, tab: usize, online: bool) {
        let Some(id) = self.page_in(tab) else { return };
        let page = self.pages.get_mut(&id).unwrap();
        if page.online == online {
            return;
        }
        page.online = online;
        let cut: Vec<(u64, (RequestId, bool))> =
            if online { Vec::new() } else { std::mem::take(&mut page.requests).into_iter().collect() };
        self.say(|| format!("page {id} is {}", if online { "online" } else { "offline" }));
        for (request, (handle, stream)) in cut {
            self.later(1, Due::ToEngine(engine::Input::ClientGone { id: request }));
            self.hand(id, failed(handle, stream));
        }
        self.hand(id, Input::NetworkChanged { online });
    }

    /// Hands an input to a page, and everything that follows at once.
    fn hand(&mut self, id: u64, input: Input) {
        let Some(page) = self.pages.get_mut(&id) else { return };
        if page.frozen {
            return page.held.push(input);
        }
        page.inbox.push_back(input);
        loop {
            let Some(page) = self.pages.get_mut(&id) else { return };
            let Some(input) = page.inbox.pop_front() else { break };
            let now = page.clock(self.now);
            page.machine.handle(now, input);
            let mut outputs = Vec::new();
            while let Some(output) = page.machine.poll_output() {
                outputs.push(output);
            }
            if page.closed {
                page.told_after_close += outputs.len();
            }
            self.most_open = self.most_open.max(page.machine.open_calls());
            for output in outputs {
                match output {
                    Output::Event(event) => self.hear_page(id, &event),
                    Output::Effect(effect) => self.carry_out(id, effect),
                }
            }
        }
    }

    fn hear_page(&mut self, id: u64, event: &Event) {
        match event {
            Event::TurnFinished { turn_id, status, .. } => {
                self.pages.get_mut(&id).unwrap().finished += 1;
                self.say(|| format!("page {id}: {turn_id} ended {status:?}"));
            }
            Event::Called(report) | Event::Failed(report) => {
                let times = if self.plan.sabotage == Sabotage::TerminalTwice { 2 } else { 1 };
                let ended = self.pages.get_mut(&id).unwrap().ended.entry(report.key.clone()).or_default();
                *ended += times;
                let code = report.error.as_ref().map(|error| error.code.clone());
                self.say(|| format!("page {id}: {} {:?} {code:?}", name(&report.key), report.status));
            }
            Event::Call(call) => {
                self.say(|| format!("page {id}: {} {} {:?}", name(&call.key), call.name, call.state))
            }
            Event::Connection(connection) => {
                let code = connection.code.map(|code| code.as_str());
                self.say(|| {
                    format!("page {id}: stream {:?} {code:?} {:?}", connection.state, connection.status)
                });
            }
            Event::Warning(warning) => self.say(|| format!("page {id}: warning {}", warning.message)),
            _ => {}
        }
    }

    fn carry_out(&mut self, id: u64, effect: Effect) {
        match effect {
            Effect::OpenStream { request, session_id, after_seq, refresh, .. } => {
                let target = format!("/api/client/sessions/{session_id}/events/stream?after_seq={after_seq}");
                self.request(id, request, "GET", target, String::new(), refresh, true);
            }
            Effect::Run { request, body, connect, refresh, .. } => {
                let step = if connect { "connect" } else { "run" };
                let target = format!("/api/channels/ag-ui/agents/shop/{step}");
                if self.plan.sabotage == Sabotage::AnswersVanish
                    && body.contains("\"role\":\"tool\"")
                    && !connect
                {
                    let said = "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n";
                    for input in [
                        Input::StreamOpened {
                            request,
                            status: 200,
                            content_type: Some("text/event-stream".to_owned()),
                            retry_after: None,
                        },
                        Input::ChunkArrived { request, bytes: said.as_bytes().to_vec() },
                        Input::StreamClosed { request, failure: None },
                    ] {
                        self.later(6, Due::ToPage { page: id, input });
                    }
                    return;
                }
                self.request(id, request, "POST", target, body.to_string(), refresh, true);
            }
            Effect::Post { request, body, refresh, .. } => {
                if self.plan.sabotage == Sabotage::AnswersVanish && body.contains("\"tool.") {
                    let input =
                        Input::PostAnswered { request, status: 202, retry_after: None, body: String::new() };
                    return self.answer(id, input);
                }
                let target = "/api/client/sessions/input".to_owned();
                self.request(id, request, "POST", target, body.to_string(), refresh, false);
            }
            Effect::Abort { request } => {
                let page = self.pages.get_mut(&id).unwrap();
                let gone: Vec<u64> = page
                    .requests
                    .iter()
                    .filter(|(_, (handle, _))| *handle == request)
                    .map(|(id, _)| *id)
                    .collect();
                for gone in gone {
                    self.pages.get_mut(&id).unwrap().requests.remove(&gone);
                    self.later(1, Due::ToEngine(engine::Input::ClientGone { id: gone }));
                }
            }
            Effect::Check { check, .. } => self.answer(id, Input::Checked { check, verdict: Verdict::Valid }),
            Effect::Repair { check, .. } => self.answer(id, Input::Repaired { check, text: None }),
            Effect::Ask { ask, .. } => {
                let decision =
                    if self.chance.percent(70) { Decision::Allow } else { Decision::Deny { reason: None } };
                let span = self.chance.between(10, 15_000);
                self.later(span, Due::ToPage { page: id, input: Input::Consented { ask, decision } });
            }
            Effect::WithdrawAsk { .. } | Effect::Cancel { .. } => {}
            Effect::Invoke(invoke) => self.invoke(id, &invoke),
            Effect::Persist { write, record } => {
                let epoch = self.pages[&id].epoch;
                let result = self.disk.write(epoch, &record, self.storage_fails, self.plan.sabotage);
                if result == Written::Failed {
                    self.unprotected.insert((record.key.call_id.clone(), record.key.attempt));
                }
                self.most_on_disk = self.most_on_disk.max(self.disk.open());
                self.say(|| {
                    format!(
                        "page {id}: {} persists {:?}: {result:?}",
                        name(&record.key),
                        kind(&record.progress)
                    )
                });
                let span = self.chance.between(0, 8);
                self.later(span, Due::ToPage { page: id, input: Input::Persisted { write, result } });
            }
            Effect::Adopt { session_id } => {
                let epoch = self.pages[&id].epoch;
                let records = self.disk.adopt(epoch, &session_id);
                let span = self.chance.between(0, 8);
                let input = Input::Adopted { session_id, records };
                self.later(span, Due::ToPage { page: id, input });
            }
            Effect::ClaimOwnership => {
                self.pages.get_mut(&id).unwrap().epoch = 0;
                self.stand_in_line(id);
            }
            Effect::Retire { key } => {
                let epoch = self.pages[&id].epoch;
                self.disk.retire(epoch, key, self.plan.sabotage);
            }
        }
    }

    fn answer(&mut self, id: u64, input: Input) {
        let span = self.chance.between(0, 5);
        self.later(span, Due::ToPage { page: id, input });
    }

    fn invoke(&mut self, id: u64, invoke: &Invoke) {
        let tool = TOOLS.iter().map(|tool| tool.0).find(|name| *name == invoke.tool).unwrap();
        let times = if self.plan.sabotage == Sabotage::InvokedTwice { 2 } else { 1 };
        *self.executions.entry((invoke.key.call_id.clone(), invoke.key.attempt, tool)).or_default() += times;
        self.say(|| format!("page {id}: {} runs {tool}", name(&invoke.key)));
        let invocation: InvocationId = invoke.invocation;
        let failed = |message: &str, retryable| Outcome::Failed {
            message: message.to_owned(),
            retryable,
            kind: Failure::Threw,
        };
        let (span, outcome) = match tool {
            "hangs" => return,
            "throws" => (self.chance.between(0, 500), failed("it broke", false)),
            "retries" => (self.chance.between(0, 500), failed("not yet", true)),
            "slow" => (self.chance.between(500, 6_000), returned("\"slowly\"")),
            "reads" => (self.chance.between(0, 3_000), returned("{\"items\":3}")),
            _ => (self.chance.between(0, 30), returned("null")),
        };
        self.later(span, Due::ToPage { page: id, input: Input::Settled { invocation, outcome } });
    }

    #[allow(clippy::too_many_arguments)]
    fn request(
        &mut self,
        id: u64,
        handle: RequestId,
        method: &str,
        target: String,
        body: String,
        refresh: bool,
        stream: bool,
    ) {
        if refresh {
            self.token = self.good_token.clone();
        }
        let page = self.pages.get_mut(&id).unwrap();
        if !page.online {
            return self.answer(id, failed(handle, stream));
        }
        let request = self.next_request;
        self.next_request += 1;
        page.requests.insert(request, (handle, stream));
        let headers = vec![
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        let input = engine::Input::Request {
            id: request,
            method: method.to_owned(),
            target,
            headers,
            body: body.into_bytes(),
        };
        let span = self.delay();
        self.later(span, Due::ToEngine(input));
    }

    fn hear_engine(&mut self) {
        use engine::Output as Said;
        while let Some(output) = self.engine.poll_output() {
            let id = match &output {
                Said::Response { id, .. }
                | Said::StreamOpened { id, .. }
                | Said::StreamBytes { id, .. }
                | Said::StreamEnded { id }
                | Said::ConnectionLost { id } => *id,
                Said::ModelAsked { .. } | Said::WorkerAsked { .. } => continue,
            };
            let owner = self.pages.values().find_map(|page| Some((page.id, *page.requests.get(&id)?)));
            let Some((page, (request, stream))) = owner else { continue };
            let header = |headers: &[(String, String)], name: &str| {
                headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            };
            let (inputs, over) = match output {
                Said::Response { status, headers, body, .. } => {
                    let retry_after = header(&headers, "retry-after");
                    let inputs = if stream {
                        let content_type = header(&headers, "content-type");
                        vec![
                            Input::StreamOpened { request, status, content_type, retry_after },
                            Input::ChunkArrived { request, bytes: body },
                            Input::StreamClosed { request, failure: None },
                        ]
                    } else {
                        let body = String::from_utf8_lossy(&body).into_owned();
                        vec![Input::PostAnswered { request, status, retry_after, body }]
                    };
                    (inputs, true)
                }
                Said::StreamOpened { headers, .. } => {
                    let content_type = header(&headers, "content-type");
                    (
                        vec![Input::StreamOpened { request, status: 200, content_type, retry_after: None }],
                        false,
                    )
                }
                Said::StreamBytes { bytes, .. } => (self.split(request, &bytes), false),
                Said::StreamEnded { .. } => (vec![Input::StreamClosed { request, failure: None }], true),
                Said::ConnectionLost { .. } => (vec![failed(request, stream)], true),
                Said::ModelAsked { .. } | Said::WorkerAsked { .. } => continue,
            };
            // A response takes its time; the pieces of a stream keep their order.
            let mut at = self.now.plus(Millis(self.delay()));
            if let Some(last) = self.arrivals.get(&id).filter(|_| stream) {
                at = at.max(*last);
            }
            self.arrivals.insert(id, at);
            for input in inputs {
                self.order += 1;
                self.due.insert((at, self.order), Due::ToPage { page, input });
            }
            if over {
                self.pages.get_mut(&page).unwrap().requests.remove(&id);
                self.arrivals.remove(&id);
            }
        }
    }

    /// The network cuts bytes where it likes.
    fn split(&mut self, request: RequestId, bytes: &[u8]) -> Vec<Input> {
        let cut = self.chance.below(bytes.len() as u64 + 1) as usize;
        let pieces = if self.chance.percent(30) { vec![&bytes[..cut], &bytes[cut..]] } else { vec![bytes] };
        pieces.into_iter().map(|piece| Input::ChunkArrived { request, bytes: piece.to_vec() }).collect()
    }
}

fn returned(json: &str) -> Outcome {
    Outcome::Returned { json: json.to_owned(), media: None }
}

fn failed(request: RequestId, stream: bool) -> Input {
    let message = "Failed to fetch".to_owned();
    if stream {
        Input::StreamClosed { request, failure: Some(message) }
    } else {
        Input::PostFailed { request, message }
    }
}

fn name(key: &CallKey) -> String {
    format!("{}#{}", key.call_id, key.attempt)
}

fn kind(progress: &pagehand::runtime::record::Progress) -> &'static str {
    match progress {
        pagehand::runtime::record::Progress::Started => "start",
        pagehand::runtime::record::Progress::Answered { .. } => "answer",
        pagehand::runtime::record::Progress::Ended => "end",
    }
}
