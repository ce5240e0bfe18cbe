//! Agents under chance: streams that overtake each other, break and are read again, owners that change, answers
//! that get lost, sessions that are taken up again. Whatever happens, no call runs twice, none runs that was over
//! before its stream was asked for, and in the end every call is answered and accounted for.

use super::hand::{Hand, ROOT};
use pagehand::runtime::Config;
use pagehand::runtime::ids::CallKey;
use pagehand::runtime::input::Input;
use pagehand::runtime::record::{Progress, Record};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A multiplicative generator: enough for choices, and the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// One session as its engine keeps it.
#[derive(Default)]
struct Log {
    events: Vec<Value>,
    /// How many events the open stream has carried, and how many there were when it was asked for.
    sent: usize,
    asked_at: usize,
    opened: bool,
    /// The call that waits for an answer, with its attempt.
    open: Option<(String, u64)>,
    at_work: bool,
}

struct Play {
    page: Hand,
    logs: BTreeMap<String, Log>,
    chance: Chance,
    owner: bool,
    made: usize,
    ran: BTreeSet<(String, String, u64)>,
    seen_runs: usize,
    seen_asks: usize,
    answered_posts: BTreeSet<usize>,
    /// Calls that are over, with how many events their session had then.
    over: BTreeMap<(String, String, u64), usize>,
}

impl Play {
    fn new(seed: u64) -> Play {
        let mut page = Hand::new(Config { seed, fresh: false, max_children: 2, ..Config::default() });
        page.tool(json!({ "name": "paint", "readOnly": false }));
        page.give(Input::Attached);
        let mut play = Play {
            page,
            logs: BTreeMap::new(),
            chance: Chance(seed.wrapping_mul(977).wrapping_add(5)),
            owner: true,
            made: 0,
            ran: BTreeSet::new(),
            seen_runs: 0,
            seen_asks: 0,
            answered_posts: BTreeSet::new(),
            over: BTreeMap::new(),
        };
        play.log(ROOT, json!({ "type": "turn.started", "turn_id": "t" }));
        play
    }

    fn log(&mut self, session: &str, payload: Value) {
        self.logs.entry(session.to_owned()).or_default().events.push(payload);
    }

    /// Notes what the page did since.
    fn look(&mut self) {
        for (session, _) in &self.page.asked[self.seen_asks..] {
            let log = self.logs.entry(session.clone()).or_default();
            log.sent = usize::try_from(self.page.after[session]).unwrap();
            log.asked_at = log.events.len();
            log.opened = false;
        }
        self.seen_asks = self.page.asked.len();
        for (_, session, call) in &self.page.runs[self.seen_runs..] {
            let log = &self.logs[session];
            let requested = log.events[..log.sent]
                .iter()
                .rev()
                .find(|event| event["type"] == "tool.call.requested" && event["id"] == call.as_str());
            let attempt = requested.expect("it was announced")["attempt"].as_u64().unwrap();
            let key = (session.clone(), call.clone(), attempt);
            assert!(self.ran.insert(key.clone()), "{key:?} ran twice");
            if let Some(over) = self.over.get(&key) {
                assert!(*over > log.asked_at, "{key:?} was over before its stream was asked for");
            }
        }
        self.seen_runs = self.page.runs.len();
    }

    fn child(&mut self) -> String {
        format!("child-{}", self.chance.below(4))
    }

    fn start(&mut self, child: &str) {
        let log = self.logs.entry(child.to_owned()).or_default();
        if std::mem::replace(&mut log.at_work, true) {
            return;
        }
        self.log(ROOT, json!({ "type": "subagent.started", "id": child, "agent_id": "poet" }));
        self.log(child, json!({ "type": "turn.started", "turn_id": format!("inner-{}", self.made) }));
        self.next(child);
    }

    fn next(&mut self, child: &str) {
        self.made += 1;
        self.log(child, json!({ "type": "message.new", "message": { "role": "assistant" } }));
        self.request(child, &format!("c{}", self.made), 0);
    }

    fn request(&mut self, child: &str, id: &str, attempt: u64) {
        self.log(
            child,
            json!({ "type": "tool.call.requested", "id": id, "attempt": attempt, "name": "paint",
                "arguments": "{}", "handler": "client", "retry": { "max_attempts": 3 } }),
        );
        self.log(child, json!({ "type": "tool.call.dispatched", "id": id, "attempt": attempt }));
        self.logs.get_mut(child).unwrap().open = Some((id.to_owned(), attempt));
    }

    /// The call that is open ends, and its agent goes on or is done.
    fn close(&mut self, child: &str, ok: bool) {
        let Some((id, attempt)) = self.logs.get_mut(child).and_then(|log| log.open.take()) else { return };
        if ok {
            self.log(
                child,
                json!({ "type": "tool.call.completed", "id": id, "name": "paint", "result": "ok" }),
            );
        } else {
            let error = json!({ "message": "too late" });
            self.log(
                child,
                json!({ "type": "tool.call.errored", "id": id, "error": error, "retryable": true }),
            );
        }
        self.over.insert((child.to_owned(), id.clone(), attempt), self.logs[child].events.len());
        if !ok && attempt < 2 {
            self.request(child, &id, attempt + 1);
        } else if self.chance.below(2) == 0 {
            self.next(child);
        } else {
            self.log(child, json!({ "type": "turn.completed", "turn_id": "inner" }));
            self.log(ROOT, json!({ "type": "subagent.turn_completed", "id": child }));
            self.logs.get_mut(child).unwrap().at_work = false;
        }
    }

    /// The stream of a session carries some of what it has not carried yet.
    fn carry(&mut self, session: &str, most: usize) {
        let Some(log) = self.logs.get_mut(session) else { return };
        if !self.page.streams.contains_key(session) {
            return;
        }
        if !std::mem::replace(&mut log.opened, true) {
            self.page.opened(session);
            return self.look();
        }
        let mut text = String::new();
        for _ in 0..most {
            let Some(payload) = log.events.get(log.sent) else { break };
            log.sent += 1;
            let event = json!({ "session_id": session, "seq": log.sent, "turn_id": "t", "payload": payload });
            text +=
                &format!("id: {}\nevent: {}\ndata: {event}\n\n", log.sent, payload["type"].as_str().unwrap());
        }
        if !text.is_empty() {
            self.page.bytes(session, &text);
        } else {
            self.page.live(session);
        }
        self.look();
    }

    /// Time that lets a quiet stream count as read: only where each one that is open has said its history.
    fn wait(&mut self, span: u64) {
        let open: Vec<String> = self.page.streams.keys().cloned().collect();
        for session in open {
            while self.logs.get(&session).is_some_and(|log| {
                self.page.streams.contains_key(&session) && (!log.opened || log.sent < log.asked_at)
            }) {
                self.carry(&session, 1);
            }
        }
        self.page.advance(span);
        self.look();
    }

    fn cut(&mut self, session: &str) {
        if let Some(request) = self.page.streams.remove(session) {
            self.page.give(Input::StreamClosed { request, failure: None });
            self.look();
        }
    }

    fn settle_run(&mut self) {
        if self.page.runs.is_empty() {
            return;
        }
        let at = self.chance.below(self.page.runs.len());
        let id = self.page.runs[at].2.clone();
        self.page.returns(&id, "\"blue\"");
        self.look();
    }

    fn settle_post(&mut self, kind: usize) {
        let open: Vec<usize> =
            (0..self.page.posts.len()).filter(|at| !self.answered_posts.contains(at)).collect();
        let Some(at) = open.get(self.chance.below(open.len().max(1))).copied() else { return };
        self.answered_posts.insert(at);
        let (request, session, body) = self.page.posts[at].clone();
        let input = &body["input"];
        let waits = self.logs.get(&session).and_then(|log| log.open.clone());
        let fits =
            waits.is_some_and(|(id, attempt)| input["id"] == id.as_str() && input["attempt"] == attempt);
        if kind == 0 {
            return self.page.give(Input::PostFailed { request, message: "gone".to_owned() });
        }
        if fits {
            self.close(&session, true);
        }
        if kind == 1 {
            self.page.give(Input::PostFailed { request, message: "gone".to_owned() });
        } else {
            let status = if fits { 202 } else { 409 };
            self.page.give(Input::PostAnswered { request, status, retry_after: None, body: "{}".to_owned() });
        }
        self.look();
    }

    fn change_owner(&mut self) {
        self.owner = !self.owner;
        if !self.owner {
            self.page.give(Input::OwnershipLost);
            return self.look();
        }
        let mut records: Vec<Record> = Vec::new();
        for (key, stored) in &self.page.stored {
            let ended = || Record { key: key.clone(), tool: "paint".to_owned(), progress: Progress::Ended };
            records.push(stored.clone().unwrap_or_else(ended));
        }
        self.page.records.clone_from(&records);
        let root = records.into_iter().filter(|record| record.key.session_id == ROOT).collect();
        self.page.give(Input::OwnershipGained { records: root });
        self.look();
    }

    /// Another page runs the call of an agent while this one does not own the session.
    fn other_page(&mut self, child: &str) {
        let Some((id, attempt)) = self.logs.get(child).and_then(|log| log.open.clone()) else { return };
        let key = CallKey::new(child.to_owned(), id.clone(), attempt);
        if !self.owner && !self.page.stored.contains_key(&key) {
            assert!(self.ran.insert((child.to_owned(), id, attempt)));
            self.page.stored.insert(key, None);
            self.close(child, true);
        }
    }

    fn step(&mut self) {
        let child = self.child();
        let session = if self.chance.below(3) == 0 { ROOT.to_owned() } else { child.clone() };
        match self.chance.below(16) {
            0 => self.start(&child),
            1..=6 => {
                let most = 1 + self.chance.below(4);
                self.carry(&session, most);
            }
            7 => self.cut(&session),
            8 => {
                let span = [10, 300, 1_600, 4_000][self.chance.below(4)];
                self.wait(span);
            }
            9 | 10 => self.settle_run(),
            11 | 12 => {
                let kind = self.chance.below(6);
                self.settle_post(kind);
            }
            13 => self.close(&child, false),
            14 => self.other_page(&child),
            _ if self.chance.below(3) == 0 => self.change_owner(),
            _ => {}
        }
    }

    /// Everything goes well from here on.
    fn finish(&mut self) {
        if !self.owner {
            self.change_owner();
        }
        for _ in 0..400 {
            let open: Vec<String> = self.page.streams.keys().cloned().collect();
            for session in open {
                self.carry(&session, 8);
            }
            let runs: Vec<String> = self.page.runs.iter().map(|(_, _, id)| id.clone()).collect();
            for id in runs {
                self.page.returns(&id, "1");
                self.look();
            }
            self.settle_post(2);
            self.wait(200);
            if self.logs.values().all(|log| log.open.is_none()) && self.page.machine.open_calls() == 0 {
                return;
            }
        }
        let open: Vec<_> =
            self.logs.iter().map(|(id, log)| (id, &log.open, log.sent, log.events.len())).collect();
        panic!(
            "calls wait for ever: {open:?}, {} in the page, streams {:?}",
            self.page.machine.open_calls(),
            self.page.streams
        );
    }
}

#[test]
fn whatever_happens_no_call_of_an_agent_runs_twice_or_waits_for_ever() {
    let first = std::env::var("FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(0);
    let most = std::env::var("SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(300);
    for seed in first..first + most {
        println!("seed {seed}");
        let mut play = Play::new(seed);
        for _ in 0..250 {
            play.step();
        }
        play.finish();
        let mut told: Vec<&CallKey> = play.page.reports().iter().map(|report| &report.key).collect();
        let before = told.len();
        told.sort_unstable();
        told.dedup();
        assert_eq!(told.len(), before, "each call ends once");
    }
}
