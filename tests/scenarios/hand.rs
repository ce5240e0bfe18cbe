//! A page whose streams are written by hand, frame by frame, for what an engine does not do on request:
//! two streams that overtake each other, a server that repeats itself, an owner that changes in between.

use pagehand::runtime::event::{AgentReport, Event, Node, Report};
use pagehand::runtime::ids::{CallKey, InvocationId, RequestId};
use pagehand::runtime::input::{Input, Outcome, Verdict, Written};
use pagehand::runtime::output::{Effect, Output};
use pagehand::runtime::record::Record;
use pagehand::runtime::{Config, Machine, Millis, ToolSpec};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const ROOT: &str = "root";

pub(crate) struct Hand {
    pub machine: Machine,
    pub now: Millis,
    /// The open stream of each session.
    pub streams: BTreeMap<String, RequestId>,
    /// Every stream that was asked for: session and where it went on from.
    pub asked: Vec<(String, Option<String>)>,
    pub posts: Vec<(RequestId, String, Value)>,
    pub runs: Vec<(InvocationId, String, String)>,
    pub cancelled: Vec<InvocationId>,
    pub events: Vec<Event>,
    /// What `Adopt` finds.
    pub records: Vec<Record>,
    /// Whether `Adopt` is answered by itself.
    pub adopts: bool,
    pub adopted: Vec<String>,
    /// What the validator says.
    pub verdict: Verdict,
    /// From where each stream that is open was asked to go on.
    pub after: BTreeMap<String, u64>,
    /// What was stored last of each call; `None` once it is over.
    pub stored: BTreeMap<CallKey, Option<Record>>,
    seqs: BTreeMap<String, u64>,
}

impl Hand {
    pub(crate) fn new(config: Config) -> Hand {
        let now = Millis(1_790_000_000_000);
        let config = Config { session_id: ROOT.to_owned(), agent: "shop".to_owned(), ..config };
        Hand {
            machine: Machine::new(config, now),
            now,
            streams: BTreeMap::new(),
            asked: Vec::new(),
            posts: Vec::new(),
            runs: Vec::new(),
            cancelled: Vec::new(),
            events: Vec::new(),
            records: Vec::new(),
            adopts: true,
            adopted: Vec::new(),
            verdict: Verdict::Valid,
            after: BTreeMap::new(),
            stored: BTreeMap::new(),
            seqs: BTreeMap::new(),
        }
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
            Effect::OpenStream { request, session_id, last_event_id, after_seq, .. } => {
                self.asked.push((session_id.clone(), last_event_id));
                self.after.insert(session_id.clone(), after_seq);
                self.streams.insert(session_id, request);
            }
            Effect::Abort { request } => self.streams.retain(|_, open| *open != request),
            Effect::Post { request, session_id, body, .. } => {
                self.posts.push((request, session_id, serde_json::from_str(&body).unwrap()));
            }
            Effect::Check { check, .. } => {
                return Some(Input::Checked { check, verdict: self.verdict.clone() });
            }
            Effect::Invoke(run) => {
                self.runs.push((run.invocation, run.key.session_id.clone(), run.key.call_id.clone()));
            }
            Effect::Cancel { invocation, .. } => self.cancelled.push(invocation),
            Effect::Retire { key } => drop(self.stored.insert(key, None)),
            Effect::Persist { write, record } => {
                self.stored.insert(record.key.clone(), Some(record));
                return Some(Input::Persisted { write, result: Written::Stored });
            }
            Effect::Adopt { session_id } => {
                self.adopted.push(session_id.clone());
                return self.adopts.then(|| self.adoption(&session_id));
            }
            _ => {}
        }
        None
    }

    fn adoption(&self, session_id: &str) -> Input {
        let of_child = self.records.iter().filter(|record| record.key.session_id == session_id);
        Input::Adopted { session_id: session_id.to_owned(), records: of_child.cloned().collect() }
    }

    pub(crate) fn adopt(&mut self, session_id: &str) {
        let input = self.adoption(session_id);
        self.give(input);
    }

    pub(crate) fn tool(&mut self, spec: Value) {
        let spec: ToolSpec = serde_json::from_str(&spec.to_string()).unwrap();
        self.give(Input::ToolRegistered(Box::new(spec)));
    }

    /// The response head of a session's stream.
    pub(crate) fn opened(&mut self, session: &str) {
        self.opened_with(session, 200);
    }

    pub(crate) fn opened_with(&mut self, session: &str, status: u16) {
        self.give(Input::StreamOpened {
            request: self.streams[session],
            status,
            content_type: Some("text/event-stream".to_owned()),
            retry_after: None,
        });
    }

    pub(crate) fn bytes(&mut self, session: &str, bytes: &str) {
        self.give(Input::ChunkArrived { request: self.streams[session], bytes: bytes.as_bytes().to_vec() });
    }

    /// A frame of the native dialect, in its place.
    pub(crate) fn frame(&mut self, session: &str, payload: Value) {
        let seq = self.seqs.entry(session.to_owned()).or_insert(0);
        *seq += 1;
        let event = json!({ "session_id": session, "seq": *seq, "turn_id": "t", "payload": payload });
        let text = format!("id: {seq}\nevent: {}\ndata: {event}\n\n", payload["type"].as_str().unwrap());
        self.bytes(session, &text);
    }

    /// The sign that history ends here.
    pub(crate) fn live(&mut self, session: &str) {
        self.bytes(session, ":\n\n");
    }

    pub(crate) fn advance(&mut self, span: u64) {
        let end = self.now.plus(Millis(span));
        while let Some(at) = self.machine.poll_timeout().filter(|at| *at <= end) {
            self.now = self.now.max(at);
            self.give(Input::TimePassed);
        }
        self.now = end;
    }

    /// The run of a call ends well.
    pub(crate) fn returns(&mut self, call_id: &str, json: &str) {
        let run = self.runs.iter().rfind(|(_, _, id)| id == call_id).unwrap().0;
        let outcome = Outcome::Returned { json: json.to_owned(), media: None };
        self.give(Input::Settled { invocation: run, outcome });
    }

    /// The engine answers the newest post.
    pub(crate) fn answered(&mut self, status: u16, body: &str) {
        let (request, ..) = self.posts.last().unwrap();
        let (request, body) = (*request, body.to_owned());
        self.give(Input::PostAnswered { request, status, retry_after: None, body });
    }

    pub(crate) fn send(&mut self, turn_id: &str) {
        self.give(Input::MessageSent {
            turn_id: turn_id.to_owned(),
            message_id: "m".to_owned(),
            text: "hello".to_owned(),
            queue: true,
        });
    }

    pub(crate) fn reports(&self) -> Vec<&Report> {
        let ended = self.events.iter().filter_map(|event| match event {
            Event::Called(report) | Event::Failed(report) => Some(report.as_ref()),
            _ => None,
        });
        ended.collect()
    }

    /// What the last turn that ended was made of.
    pub(crate) fn children(&self) -> Option<Vec<Node>> {
        self.events.iter().rev().find_map(|event| match event {
            Event::TurnFinished { children, .. } => Some(children.clone()),
            _ => None,
        })
    }

    pub(crate) fn warnings(&self) -> Vec<(&str, &str)> {
        let warned = self.events.iter().filter_map(|event| match event {
            Event::Warning(warning) => Some((warning.code.as_str(), warning.message.as_str())),
            _ => None,
        });
        warned.collect()
    }
}

pub(crate) fn agent(node: &Node) -> &AgentReport {
    match node {
        Node::Agent(report) => report,
        Node::Tool(report) => panic!("the report of tool {}", report.name),
    }
}

pub(crate) fn call(node: &Node) -> &Report {
    match node {
        Node::Tool(report) => report,
        Node::Agent(report) => panic!("the report of agent {:?}", report.name),
    }
}

pub(crate) fn requested(id: &str, name: &str) -> Value {
    json!({ "type": "tool.call.requested", "id": id, "attempt": 0, "name": name, "arguments": "{}", "handler": "client" })
}

pub(crate) fn completed(id: &str, name: &str) -> Value {
    json!({ "type": "tool.call.completed", "id": id, "name": name, "result": "ok" })
}
