//! A page whose server is written by hand, run by run: what was posted is there to be looked at, and each response is
//! said event by event. Handlers answer at once unless they are told to wait; records outlive the page.

use pagehand::runtime::config::Dialect;
use pagehand::runtime::event::{Event, Report, TurnStatus};
use pagehand::runtime::ids::{CallKey, InvocationId, RequestId, WriteId};
use pagehand::runtime::input::{Decision, Input, Outcome, Verdict, Written};
use pagehand::runtime::output::{Direction, Effect, Output};
use pagehand::runtime::record::Record;
use pagehand::runtime::{Config, Machine, Millis, ToolSpec};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const THREAD: &str = "thread-1";

/// A request that was made.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub request: RequestId,
    pub body: Value,
    pub connect: bool,
    pub refresh: bool,
}

pub(crate) struct Runner {
    pub machine: Machine,
    config: Config,
    pub now: Millis,
    pub posted: Vec<Posted>,
    /// Bodies for the native engine's own input.
    pub inputs: Vec<(RequestId, Value)>,
    pub aborted: BTreeSet<RequestId>,
    /// Responses that have ended.
    pub closed: BTreeSet<RequestId>,
    /// Responses that have begun.
    pub opened: BTreeSet<RequestId>,
    pub events: Vec<Event>,
    /// Every run of a handler: tool, call, arguments.
    pub ran: Vec<(String, String, String)>,
    /// The same by their keys.
    pub keys: Vec<(String, CallKey)>,
    running: BTreeMap<String, InvocationId>,
    pub cancelled: Vec<String>,
    /// What a tool gives; absent tools echo their arguments.
    pub gives: BTreeMap<String, Outcome>,
    /// Tools that answer only when told to.
    pub waits: BTreeSet<String>,
    /// Arguments that the validator finds fault with.
    pub faulty: BTreeSet<String>,
    pub questions: Vec<(pagehand::runtime::ids::AskId, String)>,
    /// Whether the store takes its time, and what it was told meanwhile.
    pub slow: bool,
    writes: Vec<(WriteId, Record)>,
    pub stored: BTreeMap<CallKey, Record>,
    pub retired: BTreeSet<CallKey>,
    specs: Vec<ToolSpec>,
}

impl Runner {
    pub(crate) fn new() -> Runner {
        Runner::with(Config::default())
    }

    pub(crate) fn with(config: Config) -> Runner {
        let now = Millis(1_790_000_000_000);
        let config = Config { session_id: THREAD.to_owned(), dialect: Dialect::AgUi, ..config };
        let mut runner = Runner {
            machine: Machine::new(config.clone(), now),
            config,
            now,
            posted: Vec::new(),
            inputs: Vec::new(),
            aborted: BTreeSet::new(),
            closed: BTreeSet::new(),
            opened: BTreeSet::new(),
            events: Vec::new(),
            ran: Vec::new(),
            keys: Vec::new(),
            running: BTreeMap::new(),
            cancelled: Vec::new(),
            gives: BTreeMap::new(),
            waits: BTreeSet::new(),
            faulty: BTreeSet::new(),
            questions: Vec::new(),
            slow: false,
            writes: Vec::new(),
            stored: BTreeMap::new(),
            retired: BTreeSet::new(),
            specs: Vec::new(),
        };
        for name in ["get_cart", "add_item", "ping", "boom", "echo"] {
            runner.tool(
                json!({ "name": name, "description": format!("The tool {name}"), "checksInput": true }),
            );
        }
        runner
    }

    /// The page is gone; another one of the session comes, with what was stored.
    pub(crate) fn reload(&mut self) {
        self.machine = Machine::new(Config { fresh: false, owner: false, ..self.config.clone() }, self.now);
        self.running.clear();
        self.writes.clear();
        // The new page counts its requests anew.
        self.aborted = self.posted.iter().map(|one| one.request).collect();
        self.closed.clear();
        self.questions.clear();
        for spec in self.specs.clone() {
            self.give(Input::ToolRegistered(Box::new(spec)));
        }
        self.give(Input::Attached);
        let records = self.records();
        self.give(Input::OwnershipGained { records });
    }

    /// What the store has of the session.
    pub(crate) fn records(&self) -> Vec<Record> {
        let mut records: Vec<Record> = self.stored.values().cloned().collect();
        let ended = self.retired.iter().map(|key| Record {
            key: key.clone(),
            tool: String::new(),
            progress: pagehand::runtime::record::Progress::Ended,
        });
        records.extend(ended);
        records
    }

    pub(crate) fn tool(&mut self, spec: Value) {
        let spec: ToolSpec = serde_json::from_value(spec).unwrap();
        self.specs.push(spec.clone());
        self.give(Input::ToolRegistered(Box::new(spec)));
    }

    pub(crate) fn give(&mut self, input: Input) {
        let mut inputs = vec![input];
        while !inputs.is_empty() {
            self.machine.handle(self.now, inputs.remove(0));
            while let Some(output) = self.machine.poll_output() {
                match output {
                    Output::Event(event) => self.events.push(event),
                    Output::Effect(effect) => inputs.extend(self.carry_out(effect)),
                }
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) -> Option<Input> {
        match effect {
            Effect::Run { request, body, connect, refresh, session_id } => {
                assert_eq!(session_id, THREAD);
                let body = serde_json::from_str(&body).expect("a body is JSON");
                self.aborted.remove(&request);
                self.closed.remove(&request);
                self.opened.remove(&request);
                self.posted.push(Posted { request, body, connect, refresh });
            }
            Effect::Post { request, body, .. } => {
                self.inputs.push((request, serde_json::from_str(&body).unwrap()));
            }
            Effect::Abort { request } => drop(self.aborted.insert(request)),
            Effect::Check { check, text, direction, .. } => {
                let faulty = direction == Direction::Input && self.faulty.contains(&*text);
                let issue = pagehand::schema::Issue {
                    path: String::new(),
                    keyword: "type".to_owned(),
                    message: "it does not fit".to_owned(),
                    expected: None,
                    got: None,
                    hint: None,
                };
                let verdict = if faulty { Verdict::Invalid(vec![issue]) } else { Verdict::Valid };
                return Some(Input::Checked { check, verdict });
            }
            Effect::Ask { ask, key, .. } => self.questions.push((ask, key.call_id.clone())),
            Effect::WithdrawAsk { ask } => self.questions.retain(|(open, _)| *open != ask),
            Effect::Invoke(run) => {
                let call = run.key.call_id.clone();
                self.keys.push((run.tool.clone(), run.key.clone()));
                self.ran.push((run.tool.clone(), call.clone(), run.text.to_string()));
                if self.waits.contains(&run.tool) {
                    self.running.insert(call, run.invocation);
                    return None;
                }
                let echo = Outcome::Returned { json: run.text.to_string(), media: None };
                let outcome = self.gives.get(&run.tool).cloned().unwrap_or(echo);
                return Some(Input::Settled { invocation: run.invocation, outcome });
            }
            Effect::Cancel { invocation, .. } => {
                let call = self.running.iter().find(|(_, known)| **known == invocation);
                self.cancelled.extend(call.map(|(call, _)| call.clone()));
            }
            Effect::Persist { write, record } if self.slow => self.writes.push((write, record)),
            Effect::Persist { write, record } => {
                self.stored.insert(record.key.clone(), record);
                return Some(Input::Persisted { write, result: Written::Stored });
            }
            Effect::Retire { key } => {
                self.stored.remove(&key);
                self.retired.insert(key);
            }
            other => panic!("over AG-UI nobody asks for {other:?}"),
        }
        None
    }

    pub(crate) fn advance(&mut self, span: u64) {
        let end = self.now.plus(Millis(span));
        while let Some(at) = self.machine.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.give(Input::TimePassed);
        }
        self.now = end;
    }

    pub(crate) fn send(&mut self, turn_id: &str, text: &str) {
        self.send_as(turn_id, text, true);
    }

    pub(crate) fn send_as(&mut self, turn_id: &str, text: &str, queue: bool) {
        self.give(Input::MessageSent {
            turn_id: turn_id.to_owned(),
            message_id: format!("m-{turn_id}"),
            text: text.to_owned(),
            queue,
        });
    }

    /// The newest request.
    pub(crate) fn last(&self) -> &Posted {
        self.posted.last().expect("a request")
    }

    /// Whether the response to the newest request may go on.
    pub(crate) fn is_listening(&self) -> bool {
        let over = |one: &Posted| self.aborted.contains(&one.request) || self.closed.contains(&one.request);
        self.posted.last().is_some_and(|one| !over(one))
    }

    /// How many runs were posted.
    pub(crate) fn runs(&self) -> usize {
        self.posted.iter().filter(|posted| !posted.connect).count()
    }

    /// The response to the newest request begins well.
    pub(crate) fn opens(&mut self) {
        self.answers(200, "text/event-stream");
    }

    pub(crate) fn answers(&mut self, status: u16, content_type: &str) {
        let request = self.last().request;
        let content_type = Some(content_type.to_owned());
        self.opened.insert(request);
        self.give(Input::StreamOpened { request, status, content_type, retry_after: None });
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let request = self.last().request;
        self.give(Input::ChunkArrived { request, bytes: bytes.to_vec() });
    }

    pub(crate) fn say(&mut self, event: Value) {
        self.bytes(format!("data: {event}\n\n").as_bytes());
    }

    /// The response ends, cleanly or not.
    pub(crate) fn closes(&mut self, failure: Option<&str>) {
        let request = self.last().request;
        if !self.aborted.contains(&request) && self.closed.insert(request) {
            self.give(Input::StreamClosed { request, failure: failure.map(str::to_owned) });
        }
    }

    /// A whole response.
    pub(crate) fn responds(&mut self, events: &[Value]) {
        self.opens();
        for event in events {
            self.say(event.clone());
        }
        self.closes(None);
    }

    /// A whole run between its start and its end.
    pub(crate) fn runs_with(&mut self, events: &[Value]) {
        let mut all = vec![json!({ "type": "RUN_STARTED", "threadId": THREAD, "runId": "r" })];
        all.extend(events.iter().cloned());
        all.push(json!({ "type": "RUN_FINISHED", "threadId": THREAD, "runId": "r" }));
        self.responds(&all);
    }

    /// A request that was never answered.
    pub(crate) fn breaks(&mut self) {
        self.closes(Some("the network broke"));
    }

    /// A handler that was told to wait gives its value.
    pub(crate) fn returns(&mut self, call: &str, json: &str) {
        let invocation = self.running.remove(call).expect("a running handler");
        let outcome = Outcome::Returned { json: json.to_owned(), media: None };
        self.give(Input::Settled { invocation, outcome });
    }

    /// The interrupts that are open.
    pub(crate) fn interrupts(&self) -> Vec<String> {
        let mut open = Vec::new();
        for event in &self.events {
            match event {
                Event::Interrupted { interrupt_id, .. } => open.push(interrupt_id.clone()),
                Event::Resumed { interrupt_id, .. } => open.retain(|known| known != interrupt_id),
                _ => {}
            }
        }
        open
    }

    /// The store does what it was told.
    pub(crate) fn stores(&mut self) {
        while !self.writes.is_empty() {
            let (write, record) = self.writes.remove(0);
            self.stored.insert(record.key.clone(), record);
            self.give(Input::Persisted { write, result: Written::Stored });
        }
    }

    /// All handlers that run give `1`.
    pub(crate) fn returns_all(&mut self) {
        for call in self.running.keys().cloned().collect::<Vec<_>>() {
            self.returns(&call, "1");
        }
    }

    pub(crate) fn consents(&mut self, call: &str, allow: bool) {
        let at = self.questions.iter().position(|(_, asked)| asked == call).expect("a question");
        let (ask, _) = self.questions.remove(at);
        let decision = if allow { Decision::Allow } else { Decision::Deny { reason: None } };
        self.give(Input::Consented { ask, decision });
    }

    /// How a turn ended: status, text, and code of its problem.
    pub(crate) fn ended(&self, turn: &str) -> Option<(TurnStatus, String, Option<String>)> {
        self.events.iter().find_map(|event| match event {
            Event::TurnFinished { turn_id, status, text, error, .. } if turn_id == turn => {
                Some((*status, text.clone(), error.as_ref().map(|error| error.code.clone())))
            }
            _ => None,
        })
    }

    pub(crate) fn problem(&self, turn: &str) -> String {
        let found = self.events.iter().find_map(|event| match event {
            Event::TurnFinished { turn_id, error: Some(error), .. } if turn_id == turn => {
                Some(error.message.clone())
            }
            _ => None,
        });
        found.expect("a problem")
    }

    pub(crate) fn reports(&self) -> Vec<&Report> {
        let ended = self.events.iter().filter_map(|event| match event {
            Event::Called(report) | Event::Failed(report) => Some(report.as_ref()),
            _ => None,
        });
        ended.collect()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let warned = self.events.iter().filter_map(|event| match event {
            Event::Warning(warning) => Some(format!("{}: {}", warning.code.as_str(), warning.message)),
            _ => None,
        });
        warned.collect()
    }

    /// The tool messages of the newest run: call and content.
    pub(crate) fn answers_sent(&self) -> Vec<(String, String)> {
        answers_of(&self.last().body)
    }
}

/// The tool messages of a body.
pub(crate) fn answers_of(body: &Value) -> Vec<(String, String)> {
    let messages = body["messages"].as_array().unwrap();
    let tools = messages.iter().filter(|message| message["role"] == "tool");
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    tools.map(|message| (text(&message["toolCallId"]), text(&message["content"]))).collect()
}

pub(crate) fn start(id: &str, name: &str) -> Value {
    json!({ "type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": "a-1" })
}

pub(crate) fn args(id: &str, delta: &str) -> Value {
    json!({ "type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": delta })
}

pub(crate) fn end(id: &str) -> Value {
    json!({ "type": "TOOL_CALL_END", "toolCallId": id })
}

/// A call told in one piece.
pub(crate) fn call(id: &str, name: &str, arguments: &str) -> [Value; 3] {
    [start(id, name), args(id, arguments), end(id)]
}

/// A message told in one piece.
pub(crate) fn text(id: &str, text: &str) -> [Value; 3] {
    [
        json!({ "type": "TEXT_MESSAGE_START", "messageId": id, "role": "assistant" }),
        json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": id, "delta": text }),
        json!({ "type": "TEXT_MESSAGE_END", "messageId": id }),
    ]
}
