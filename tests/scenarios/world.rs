//! A page and an engine without a browser: carries out the machine's effects, moves virtual time, and
//! holds the network between the two in its hands.

use pagehand::engine::{self, Engine};
use pagehand::runtime::config::Dialect;
use pagehand::runtime::event::{Event, Report};
use pagehand::runtime::ids::{AskId, InvocationId, RequestId};
use pagehand::runtime::input::{Decision, Failure, Input, Outcome, Verdict, Written};
use pagehand::runtime::output::{Direction, Effect, Invoke, Output};
use pagehand::runtime::record::Record;
use pagehand::runtime::{Config, Machine, Millis, ToolSpec};
use pagehand::schema::{self, Check, Compiled};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

pub(crate) const SESSION: &str = "session-1";

/// What a tool does when it is run.
#[derive(Clone)]
pub(crate) enum Behavior {
    /// Returns this JSON text after so many milliseconds.
    Returns(&'static str, u64),
    /// Throws this message after so many milliseconds.
    Throws(&'static str, u64),
    /// Fails, and says that another attempt may help.
    Retryable(&'static str),
    /// Never ends, and ignores being asked to.
    Hangs,
    /// Waits until the test settles it.
    Waits,
    /// Calls the tool of this name through the runtime, then returns.
    Calls(&'static str),
}

/// A tool of the page.
pub(crate) struct Tool {
    pub spec: Value,
    pub behavior: Behavior,
    pub input: Option<Value>,
    pub output: Option<Value>,
}

pub(crate) fn tool(name: &str, behavior: Behavior) -> Tool {
    Tool { spec: json!({ "name": name }), behavior, input: None, output: None }
}

impl Tool {
    pub(crate) fn with(mut self, key: &str, value: Value) -> Self {
        self.spec[key] = value;
        self
    }
    pub(crate) fn input(mut self, schema: Value) -> Self {
        self.spec["checksInput"] = json!(true);
        self.spec["input"] = schema.clone();
        self.input = Some(schema);
        self
    }
    pub(crate) fn output(mut self, schema: Value) -> Self {
        self.spec["checksOutput"] = json!(true);
        self.spec["output"] = schema.clone();
        self.output = Some(schema);
        self
    }
}

/// A run of a handler, as the page saw it.
#[derive(Clone)]
pub(crate) struct Run {
    pub invocation: InvocationId,
    pub tool: String,
    pub session_id: String,
    pub call_id: String,
    pub attempt: u64,
    pub text: String,
    pub at: Millis,
    pub cancelled: bool,
    pub settled: bool,
}

/// What the network does to the next posts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mishap {
    /// The request never arrives.
    Lost,
    /// It arrives; its answer does not.
    AnswerLost,
}

pub(crate) struct World {
    pub engine: Engine,
    pub machine: Machine,
    pub now: Millis,
    pub runs: Vec<Run>,
    pub events: Vec<Event>,
    pub posts: Vec<Value>,
    pub asks: Vec<AskId>,
    pub withdrawn: Vec<AskId>,
    pub opened: Vec<(u64, bool)>,
    /// The sessions whose streams were opened, in order.
    pub followed: Vec<String>,
    pub dialect: Dialect,
    /// What earlier owners left of calls in child sessions.
    pub records: Vec<Record>,
    pub mishaps: VecDeque<Mishap>,
    pub connected: bool,
    /// Whether the store works.
    pub stores: bool,
    /// Whether `Checked` answers arrive by themselves.
    pub validator: bool,
    /// Whether validators answer at all.
    pub validates: bool,
    pub token: String,
    /// The token a forced refresh gives.
    pub fresh_token: String,
    pub repair: Option<&'static str>,
    tools: BTreeMap<String, (Behavior, Option<Compiled>, Option<Compiled>)>,
    pub inbox: VecDeque<Input>,
    later: Vec<(Millis, Input)>,
    /// Our request ids by the engine's, and which are streams.
    requests: BTreeMap<u64, (RequestId, bool)>,
    lost: Vec<u64>,
    statuses: Vec<u16>,
}

pub(crate) fn engine_config(value: Value) -> engine::Config {
    serde_json::from_value(value).unwrap()
}

impl World {
    pub(crate) fn new(script: Value) -> World {
        World::with(json!({ "script": script }), Config::default())
    }

    pub(crate) fn with(engine: Value, config: Config) -> World {
        let now = Millis(1_790_000_000_000);
        let (fresh, dialect) = (config.fresh, config.dialect);
        let config =
            Config { agent: "shop".to_owned(), session_id: SESSION.to_owned(), fresh, seed: 7, ..config };
        let mut world = World {
            engine: Engine::new(engine_config(engine)),
            machine: Machine::new(config, now),
            now,
            runs: Vec::new(),
            events: Vec::new(),
            posts: Vec::new(),
            asks: Vec::new(),
            withdrawn: Vec::new(),
            opened: Vec::new(),
            followed: Vec::new(),
            dialect,
            records: Vec::new(),
            mishaps: VecDeque::new(),
            connected: true,
            stores: true,
            validator: true,
            validates: true,
            token: String::new(),
            fresh_token: String::new(),
            repair: None,
            tools: BTreeMap::new(),
            inbox: VecDeque::new(),
            later: Vec::new(),
            requests: BTreeMap::new(),
            lost: Vec::new(),
            statuses: Vec::new(),
        };
        world.token = world.mint(36_000);
        world.fresh_token = world.token.clone();
        world
    }

    /// Puts a second machine, which knows nothing, in front of the same engine.
    pub(crate) fn reload(&mut self) {
        for id in std::mem::take(&mut self.requests).into_keys() {
            self.engine.handle(self.now, engine::Input::ClientGone { id });
        }
        let config = Config {
            agent: "shop".to_owned(),
            session_id: SESSION.to_owned(),
            fresh: false,
            seed: 7,
            dialect: self.dialect,
            ..Config::default()
        };
        self.machine = Machine::new(config, self.now);
        self.runs.clear();
        self.events.clear();
        self.inbox.clear();
        self.later.clear();
    }

    /// A client token of the engine that lives so many seconds.
    pub(crate) fn mint(&mut self, seconds: u64) -> String {
        let body = json!({ "identity": { "id": "shopper" }, "ttl_seconds": seconds });
        self.engine.handle(
            self.now,
            engine::Input::Request {
                id: u64::MAX,
                method: "POST".to_owned(),
                target: "/api/machine/client-tokens".to_owned(),
                headers: vec![("authorization".to_owned(), "Bearer test-api-key".to_owned())],
                body: body.to_string().into_bytes(),
            },
        );
        let mut token = None;
        while let Some(output) = self.engine.poll_output() {
            if let engine::Output::Response { body, .. } = output {
                let body: Value = serde_json::from_slice(&body).unwrap();
                token = Some(body["token"].as_str().unwrap().to_owned());
            }
        }
        token.unwrap()
    }

    pub(crate) fn register(&mut self, tool: Tool) {
        let compile = |schema: Option<Value>| {
            schema.map(|schema| schema::compile(&schema, &schema::Options::default()).unwrap())
        };
        let spec: ToolSpec = serde_json::from_str(&tool.spec.to_string()).unwrap();
        self.tools.insert(spec.name.clone(), (tool.behavior, compile(tool.input), compile(tool.output)));
        self.input(Input::ToolRegistered(Box::new(spec)));
    }

    pub(crate) fn send(&mut self, text: &str) {
        let number = self.posts.len() + self.events.len();
        self.send_as(&format!("turn-{number}"), text, true);
    }

    pub(crate) fn send_as(&mut self, turn_id: &str, text: &str, queue: bool) {
        self.input(Input::MessageSent {
            turn_id: turn_id.to_owned(),
            message_id: format!("message-{turn_id}"),
            text: text.to_owned(),
            queue,
        });
    }

    /// Feeds one input and everything that follows at this moment.
    pub(crate) fn input(&mut self, input: Input) {
        self.inbox.push_back(input);
        self.pump();
    }

    pub(crate) fn settle(&mut self, invocation: InvocationId, json: &str) {
        self.input(Input::Settled {
            invocation,
            outcome: Outcome::Returned { json: json.to_owned(), media: None },
        });
    }

    pub(crate) fn decide(&mut self, ask: AskId, decision: Decision) {
        self.input(Input::Consented { ask, decision });
    }

    fn pump(&mut self) {
        for _ in 0..100_000 {
            if let Some(input) = self.inbox.pop_front() {
                self.machine.handle(self.now, input);
                while let Some(output) = self.machine.poll_output() {
                    match output {
                        Output::Event(event) => self.events.push(event),
                        Output::Effect(effect) => self.carry_out(effect),
                    }
                }
            } else if let Some(output) = self.engine.poll_output() {
                self.engine_said(output);
            } else {
                return;
            }
        }
        panic!("the world does not come to rest");
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::OpenStream { request, session_id, after_seq, last_event_id, refresh } => {
                self.opened.push((after_seq, refresh));
                self.followed.push(session_id.clone());
                let target = match self.dialect {
                    Dialect::Native => {
                        format!("/api/client/sessions/{session_id}/events/stream?after_seq={after_seq}")
                    }
                    Dialect::Trigger => format!("/api/client/triggers?session_id={session_id}"),
                    Dialect::AgUi => unreachable!("a conversation of runs has no stream of its own"),
                };
                let headers = last_event_id.map(|id| ("last-event-id".to_owned(), id));
                self.request(request, target, Vec::new(), headers, refresh, true);
            }
            Effect::Run { request, body, connect, refresh, .. } => {
                self.posts.push(serde_json::from_str(&body).unwrap());
                let step = if connect { "connect" } else { "run" };
                let target = format!("/api/channels/ag-ui/agents/shop/{step}");
                self.request(request, target, body.as_bytes().to_vec(), None, refresh, true);
            }
            Effect::Post { request, session_id, body, refresh } => {
                // What even this reader finds too deep is kept by its kind alone.
                let unread = json!({ "input": { "type": "tool.unread" } });
                self.posts.push(serde_json::from_str(&body).unwrap_or(unread));
                let target = match self.dialect {
                    Dialect::Native | Dialect::AgUi => "/api/client/sessions/input".to_owned(),
                    Dialect::Trigger => format!("/api/client/triggers?session_id={session_id}"),
                };
                self.request(request, target, body.as_bytes().to_vec(), None, refresh, false);
            }
            Effect::Abort { request } => {
                let id = u64::from(request.0);
                self.requests.remove(&id);
                self.engine.handle(self.now, engine::Input::ClientGone { id });
            }
            Effect::Check { check, tool, direction, text } => {
                if !self.validates {
                    return;
                }
                if !self.validator {
                    let verdict = Verdict::Unavailable("no validator here".to_owned());
                    return self.inbox.push_back(Input::Checked { check, verdict });
                }
                let (_, input, output) = &self.tools[&tool];
                let issues = match direction {
                    Direction::Input => input.as_ref().map(|schema| schema.check(&text)),
                    Direction::Output => output.as_ref().map(|schema| schema.check_result(&text)),
                };
                let verdict = match issues {
                    Some(issues) if !issues.is_empty() => Verdict::Invalid(issues),
                    _ => Verdict::Valid,
                };
                self.inbox.push_back(Input::Checked { check, verdict });
            }
            Effect::Repair { check, .. } => {
                self.inbox.push_back(Input::Repaired { check, text: self.repair.map(str::to_owned) });
            }
            Effect::Ask { ask, .. } => self.asks.push(ask),
            Effect::WithdrawAsk { ask } => self.withdrawn.push(ask),
            Effect::Invoke(invoke) => self.invoke(&invoke),
            Effect::Cancel { invocation, .. } => {
                if let Some(run) = self.runs.iter_mut().find(|run| run.invocation == invocation) {
                    run.cancelled = true;
                }
            }
            Effect::Persist { write, .. } => {
                self.inbox.push_back(Input::Persisted {
                    write,
                    result: if self.stores { Written::Stored } else { Written::Failed },
                });
            }
            Effect::Adopt { session_id } => {
                let records = self
                    .records
                    .iter()
                    .filter(|record| record.key.session_id == session_id)
                    .cloned()
                    .collect();
                self.inbox.push_back(Input::Adopted { session_id, records });
            }
            Effect::Retire { .. } | Effect::ClaimOwnership => {}
        }
    }

    fn invoke(&mut self, invoke: &Invoke) {
        let invocation = invoke.invocation;
        self.runs.push(Run {
            invocation,
            tool: invoke.tool.clone(),
            session_id: invoke.key.session_id.clone(),
            call_id: invoke.key.call_id.clone(),
            attempt: invoke.key.attempt,
            text: invoke.text.to_string(),
            at: self.now,
            cancelled: false,
            settled: false,
        });
        let returned = |json: &str| Outcome::Returned { json: json.to_owned(), media: None };
        let failed = |message: &str, retryable| Outcome::Failed {
            message: message.to_owned(),
            retryable,
            kind: Failure::Threw,
        };
        let (after, outcome) = match self.tools[&invoke.tool].0.clone() {
            Behavior::Returns(json, after) => (after, returned(json)),
            Behavior::Throws(message, after) => (after, failed(message, false)),
            Behavior::Retryable(message) => (0, failed(message, true)),
            Behavior::Hangs | Behavior::Waits => return,
            Behavior::Calls(name) => {
                let call_id = format!("inner-{}", invocation.0);
                self.inbox.push_back(Input::Invoked {
                    call_id,
                    name: name.to_owned(),
                    arguments: "{}".to_owned(),
                });
                (10, returned("\"called\""))
            }
        };
        let input = Input::Settled { invocation, outcome };
        if after == 0 {
            self.inbox.push_back(input);
        } else {
            self.later.push((self.now.plus(Millis(after)), input));
        }
    }

    fn request(
        &mut self,
        request: RequestId,
        target: String,
        body: Vec<u8>,
        header: Option<(String, String)>,
        refresh: bool,
        stream: bool,
    ) {
        if refresh {
            self.token = self.fresh_token.clone();
        }
        let id = u64::from(request.0);
        let mishap = if stream { None } else { self.mishaps.pop_front() };
        if !self.connected || mishap == Some(Mishap::Lost) {
            let message = "Failed to fetch".to_owned();
            return self.inbox.push_back(if stream {
                Input::StreamClosed { request, failure: Some(message) }
            } else {
                Input::PostFailed { request, message }
            });
        }
        if mishap == Some(Mishap::AnswerLost) {
            self.lost.push(id);
        }
        self.requests.insert(id, (request, stream));
        let mut headers = vec![
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        headers.extend(header);
        self.engine.handle(
            self.now,
            engine::Input::Request {
                id,
                method: if stream && body.is_empty() { "GET" } else { "POST" }.to_owned(),
                target,
                headers,
                body,
            },
        );
    }

    fn engine_said(&mut self, output: engine::Output) {
        use engine::Output as Said;
        let id = match &output {
            Said::Response { id, .. }
            | Said::StreamOpened { id, .. }
            | Said::StreamBytes { id, .. }
            | Said::StreamEnded { id }
            | Said::ConnectionLost { id } => *id,
            Said::ModelAsked { .. } | Said::WorkerAsked { .. } => return,
        };
        let Some((request, stream)) = self.requests.get(&id).copied() else { return };
        let header = |headers: &[(String, String)], name: &str| {
            headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
        };
        let broken = "the connection broke".to_owned();
        let input = match output {
            Said::Response { status, headers, body, .. } => {
                self.requests.remove(&id);
                self.statuses.push(status);
                let retry_after = header(&headers, "retry-after");
                if stream {
                    let content_type = header(&headers, "content-type");
                    self.inbox.push_back(Input::StreamOpened { request, status, content_type, retry_after });
                    self.inbox.push_back(Input::ChunkArrived { request, bytes: body });
                    Input::StreamClosed { request, failure: None }
                } else if self.lost.contains(&id) {
                    Input::PostFailed { request, message: broken }
                } else {
                    let body = String::from_utf8_lossy(&body).into_owned();
                    Input::PostAnswered { request, status, retry_after, body }
                }
            }
            Said::StreamOpened { headers, .. } => Input::StreamOpened {
                request,
                status: 200,
                content_type: header(&headers, "content-type"),
                retry_after: None,
            },
            Said::StreamBytes { bytes, .. } => Input::ChunkArrived { request, bytes },
            Said::StreamEnded { .. } => {
                self.requests.remove(&id);
                Input::StreamClosed { request, failure: None }
            }
            Said::ConnectionLost { .. } => {
                self.requests.remove(&id);
                if stream {
                    Input::StreamClosed { request, failure: Some(broken) }
                } else {
                    Input::PostFailed { request, message: broken }
                }
            }
            Said::ModelAsked { .. } | Said::WorkerAsked { .. } => return,
        };
        self.inbox.push_back(input);
    }

    /// Lets the time pass, stopping at each moment somebody asked for.
    pub(crate) fn advance(&mut self, span: u64) {
        let end = self.now.plus(Millis(span));
        for _ in 0..1_000_000 {
            let later = self.later.iter().map(|(at, _)| *at).min();
            let next =
                [self.machine.poll_timeout(), self.engine.poll_timeout(), later].into_iter().flatten().min();
            match next {
                Some(at) if at <= end => self.now = self.now.max(at),
                _ => {
                    self.now = end;
                    return;
                }
            }
            self.tick();
        }
        panic!("time does not pass");
    }

    fn tick(&mut self) {
        let now = self.now;
        let (due, later) = std::mem::take(&mut self.later).into_iter().partition(|(at, _)| *at <= now);
        self.later = later;
        let due: Vec<(Millis, Input)> = due;
        for (_, input) in due {
            if let Input::Settled { invocation, .. } = &input
                && let Some(run) = self.runs.iter_mut().find(|run| run.invocation == *invocation)
            {
                run.settled = true;
            }
            self.inbox.push_back(input);
        }
        if self.engine.poll_timeout().is_some_and(|at| at <= now) {
            self.engine.handle(now, engine::Input::TimeReached);
        }
        if self.machine.poll_timeout().is_some_and(|at| at <= now) {
            self.inbox.push_back(Input::TimePassed);
        }
        self.pump();
    }

    /// Cuts every connection, and the next ones too.
    pub(crate) fn go_offline(&mut self) {
        self.connected = false;
        let streams: Vec<(u64, RequestId)> = self
            .requests
            .iter()
            .filter(|(_, (_, stream))| *stream)
            .map(|(id, (request, _))| (*id, *request))
            .collect();
        for (id, request) in streams {
            self.requests.remove(&id);
            self.engine.handle(self.now, engine::Input::ClientGone { id });
            self.inbox
                .push_back(Input::StreamClosed { request, failure: Some("network changed".to_owned()) });
        }
        self.input(Input::NetworkChanged { online: false });
    }

    pub(crate) fn go_online(&mut self) {
        self.connected = true;
        self.input(Input::NetworkChanged { online: true });
    }

    /// Cuts the stream alone; the next try may succeed.
    pub(crate) fn cut_stream(&mut self) {
        let connected = self.connected;
        self.go_offline();
        self.connected = connected;
        self.input(Input::NetworkChanged { online: true });
    }

    pub(crate) fn fault(&mut self, fault: Value) {
        let input = json!({ "type": "fault", "fault": fault });
        self.engine.handle(self.now, serde_json::from_value(input).unwrap());
        self.pump();
    }

    /// A post by somebody else with the same rights.
    pub(crate) fn post_as_other(&mut self, body: &Value) {
        let headers = vec![
            ("authorization".to_owned(), format!("Bearer {}", self.token)),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        self.engine.handle(
            self.now,
            engine::Input::Request {
                id: u64::MAX,
                method: "POST".to_owned(),
                target: "/api/client/sessions/input".to_owned(),
                headers,
                body: body.to_string().into_bytes(),
            },
        );
        self.pump();
    }

    pub(crate) fn operate(&mut self, operator: Value) {
        let operator = serde_json::from_value(operator).unwrap();
        self.engine.handle(self.now, engine::Input::Operator(operator));
        self.pump();
    }

    // What the tests ask about.

    pub(crate) fn runs_of(&self, tool: &str) -> usize {
        self.runs.iter().filter(|run| run.tool == tool).count()
    }

    pub(crate) fn run_of(&self, tool: &str) -> Run {
        self.runs
            .iter()
            .rev()
            .find(|run| run.tool == tool)
            .cloned()
            .unwrap_or_else(|| panic!("`{tool}` never ran"))
    }

    /// The posts that settle calls.
    pub(crate) fn answers(&self) -> Vec<&Value> {
        self.posts
            .iter()
            .map(|post| &post["input"])
            .filter(|input| input["type"].as_str().unwrap().starts_with("tool."))
            .collect()
    }

    pub(crate) fn statuses(&self) -> &[u16] {
        &self.statuses
    }

    pub(crate) fn reports(&self) -> Vec<&Report> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Called(report) | Event::Failed(report) => Some(report.as_ref()),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn report(&self) -> &Report {
        let reports = self.reports();
        assert_eq!(reports.len(), 1, "one terminal event expected: {reports:?}");
        reports[0]
    }

    pub(crate) fn error_code(&self) -> String {
        self.report().error.as_ref().map(|error| error.code.clone()).unwrap_or_default()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Warning(warning) => Some(warning.code.as_str().to_owned()),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn finished_turns(&self) -> Vec<(String, String, Option<String>)> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::TurnFinished { status, text, error, .. } => Some((
                    format!("{status:?}"),
                    text.clone(),
                    error.as_ref().map(|error| error.code.clone()),
                )),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn connection_states(&self) -> Vec<String> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Connection(connection) => Some(format!("{:?}", connection.state)),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn call(&self, index: usize) -> engine::CallRecord {
        self.engine
            .calls(SESSION)
            .get(index)
            .cloned()
            .unwrap_or_else(|| panic!("the engine has no call {index}"))
    }

    /// What must hold whenever a scenario has come to rest.
    pub(crate) fn check(&self) {
        assert_eq!(self.machine.open_calls(), 0, "no call is left open");
        for call in self.engine.calls(SESSION) {
            assert!(
                ["completed", "errored", "voided"].contains(&call.status),
                "the engine still waits for {} ({})",
                call.id,
                call.status
            );
            let accepted = call.settlements.iter().filter(|settlement| settlement.accepted);
            let mut attempts: Vec<u32> = accepted.map(|settlement| settlement.attempt).collect();
            let count = attempts.len();
            attempts.dedup();
            assert_eq!(attempts.len(), count, "an attempt of {} was settled twice", call.id);
        }
        let mut keys: Vec<(String, u64)> =
            self.runs.iter().map(|run| (run.call_id.clone(), run.attempt)).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "a tool ran twice for one call and attempt");
        let mut ended: Vec<_> = self.reports().iter().map(|report| report.key.clone()).collect();
        let count = ended.len();
        ended.sort();
        ended.dedup();
        assert_eq!(ended.len(), count, "a call ended twice");
    }
}
