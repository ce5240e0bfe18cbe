//! A host for the engine in a test: virtual time, collected outputs, a token at hand.

use std::collections::BTreeMap;

use pagehand::engine::{Config, Engine, Fault, Input, Millis, Operator, Output};
use serde_json::{Value, json};

/// Where the clock of a test starts.
pub(crate) const START: u64 = 1_790_000_000_000;

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    pub(crate) fn error(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) id: Option<u64>,
    pub(crate) event: String,
    pub(crate) data: String,
}

impl Frame {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }
}

pub(crate) struct Driver {
    pub(crate) engine: Engine,
    pub(crate) now: u64,
    pub(crate) token: String,
    next_id: u64,
    pub(crate) answers: BTreeMap<u64, Answer>,
    pub(crate) streams: BTreeMap<u64, Vec<u8>>,
    pub(crate) ended: Vec<u64>,
    pub(crate) lost: Vec<u64>,
    pub(crate) asked: Vec<Output>,
}

impl Driver {
    pub(crate) fn new(config: Value) -> Driver {
        let config: Config = serde_json::from_value(config).unwrap();
        let mut driver = Driver {
            engine: Engine::new(config),
            now: START,
            token: String::new(),
            next_id: 1,
            answers: BTreeMap::new(),
            streams: BTreeMap::new(),
            ended: Vec::new(),
            lost: Vec::new(),
            asked: Vec::new(),
        };
        driver.token = driver.mint("shopper-17", 3600);
        driver
    }

    pub(crate) fn give(&mut self, input: Input) {
        self.engine.handle(Millis(self.now), input);
        while let Some(output) = self.engine.poll_output() {
            match output {
                Output::Response { id, status, headers, body } => {
                    let text = String::from_utf8(body).unwrap();
                    self.answers.insert(id, Answer { status, headers, text });
                }
                Output::StreamOpened { id, headers } => {
                    self.streams.insert(id, Vec::new());
                    let answer = Answer { status: 200, headers, text: String::new() };
                    self.answers.insert(id, answer);
                }
                Output::StreamBytes { id, bytes } => {
                    assert!(!self.ended.contains(&id) && !self.lost.contains(&id));
                    self.streams.get_mut(&id).unwrap().extend(bytes);
                }
                Output::StreamEnded { id } => self.ended.push(id),
                Output::ConnectionLost { id } => self.lost.push(id),
                asked @ (Output::ModelAsked { .. } | Output::WorkerAsked { .. }) => self.asked.push(asked),
            }
        }
    }

    /// Sends a request and gives its id.
    pub(crate) fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let headers = headers.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        self.give(Input::Request {
            id,
            method: method.to_owned(),
            target: target.to_owned(),
            headers: headers.collect(),
            body: body.to_vec(),
        });
        id
    }

    pub(crate) fn ask(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let id = self.send(method, target, headers, body);
        self.answers.remove(&id).expect("an answer at once")
    }

    pub(crate) fn mint(&mut self, subject: &str, ttl: u64) -> String {
        let key = [("authorization", "Bearer test-api-key")];
        let body = json!({ "identity": { "id": subject }, "ttl_seconds": ttl }).to_string();
        let answer = self.ask("POST", "/api/machine/client-tokens", &key, body.as_bytes());
        answer.json()["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn post_raw(&mut self, token: &str, body: &[u8]) -> Answer {
        let bearer = format!("Bearer {token}");
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        self.ask("POST", "/api/client/sessions/input", &headers, body)
    }

    /// Posts an input to session `s1`.
    pub(crate) fn post(&mut self, input: Value) -> Answer {
        self.post_as(&self.token.clone(), "s1", input)
    }

    pub(crate) fn post_as(&mut self, token: &str, session: &str, input: Value) -> Answer {
        let body = json!({ "session_id": session, "input": input }).to_string();
        self.post_raw(token, body.as_bytes())
    }

    /// Posts an input to `s1` whether or not an answer comes back.
    pub(crate) fn post_lenient(&mut self, input: Value) {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let body = json!({ "session_id": "s1", "input": input }).to_string();
        self.send("POST", "/api/client/sessions/input", &headers, body.as_bytes());
    }

    pub(crate) fn get(&mut self, target: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        self.ask("GET", target, &[("Authorization", &bearer)], b"")
    }

    /// Opens a stream of `s1` with a query such as `?after_seq=0`.
    pub(crate) fn open(&mut self, query: &str) -> u64 {
        let bearer = format!("Bearer {}", self.token);
        let target = format!("/api/client/sessions/s1/events/stream{query}");
        self.send("GET", &target, &[("Authorization", &bearer)], b"")
    }

    pub(crate) fn text(&self, stream: u64) -> String {
        String::from_utf8_lossy(&self.streams[&stream]).into_owned()
    }

    pub(crate) fn frames(&self, stream: u64) -> Vec<Frame> {
        let text = self.text(stream);
        let blocks = text.split("\n\n").filter(|block| block.contains("data:"));
        blocks
            .map(|block| {
                let field =
                    |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                Frame {
                    id: field("id: ").map(|id| id.parse().unwrap()),
                    event: field("event: ").unwrap(),
                    data: field("data: ").unwrap(),
                }
            })
            .collect()
    }

    /// The frames with an id, by event name.
    pub(crate) fn logged(&self, stream: u64) -> Vec<String> {
        let frames = self.frames(stream).into_iter().filter(|frame| frame.id.is_some());
        frames.map(|frame| frame.event).collect()
    }

    /// Lets time pass, firing every timer at its moment.
    pub(crate) fn pass(&mut self, ms: u64) {
        let target = self.now + ms;
        while let Some(due) = self.engine.poll_timeout().filter(|due| due.0 <= target) {
            self.now = self.now.max(due.0);
            self.give(Input::TimeReached);
        }
        self.now = target;
        self.give(Input::TimeReached);
    }

    pub(crate) fn fault(&mut self, fault: Value) {
        let fault: Fault = serde_json::from_value(fault).unwrap();
        self.give(Input::Fault { fault });
    }

    pub(crate) fn operate(&mut self, operator: Value) {
        let operator: Operator = serde_json::from_value(operator).unwrap();
        self.give(Input::Operator(operator));
    }

    /// Submits a user's message with the client tools `names`, as turn `turn`.
    pub(crate) fn say(&mut self, turn: &str, text: &str, names: &[&str]) -> Answer {
        let tools: Vec<Value> =
            names.iter().map(|name| json!({ "name": name, "handler": "client" })).collect();
        self.post(json!({
            "type": "client.append", "agent_id": "shop", "turn_id": turn, "stream": true,
            "messages": [{ "role": "user", "content": text }],
            "client": { "tools": tools },
        }))
    }

    /// A session whose model has called `read_cart` once; gives the call's id.
    pub(crate) fn with_open_call(config: Value) -> (Driver, String) {
        let mut driver = Driver::new(config);
        assert_eq!(driver.say("t-1", "my cart", &["read_cart"]).status, 202);
        driver.pass(1000);
        let calls = driver.engine.calls("s1");
        assert_eq!(calls.len(), 1);
        (driver, calls[0].id.clone())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.engine.event_names("s1")
    }

    /// The payloads of the events of one name.
    pub(crate) fn payloads(&self, name: &str) -> Vec<Value> {
        let events = self.engine.log("s1").iter().filter(|event| event.name() == name);
        events.map(|event| event.payload.clone()).collect()
    }
}

/// A script that calls `read_cart` for any message and says what came of it.
pub(crate) fn cart() -> Value {
    json!({ "script": { "rules": [
        { "when": { "user": "cart" }, "say": "Let me look.", "call": [{ "name": "read_cart" }] },
        { "when": { "after": "read_cart" }, "say": "It says {{result}}." },
    ] } })
}

/// [`cart`] with more settings.
pub(crate) fn cart_with(more: Value) -> Value {
    let mut config = cart();
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    config
}

pub(crate) fn result(id: &str, value: Value) -> Value {
    json!({ "type": "tool.result", "id": id, "attempt": 0, "result": value })
}
