//! An external worker's desk in a test: requests come in, answers go out, time passes in between.

use pagehand::engine::{Input, Output};
use serde_json::{Value, json};

use crate::driver::Driver;

/// One decision request that was put to the worker.
pub(crate) struct Asked {
    pub(crate) decision: String,
    pub(crate) attempt: u32,
    pub(crate) request: Value,
}

impl Asked {
    pub(crate) fn trigger(&self) -> &Value {
        &self.request["trigger"]
    }

    pub(crate) fn proposed(&self) -> Value {
        self.request["proposed"].clone()
    }
}

pub(crate) struct Desk {
    pub(crate) driver: Driver,
    /// The types of all triggers, in order.
    pub(crate) seen: Vec<String>,
}

/// Takes what the engine proposes.
pub(crate) fn accept(request: &Value) -> Value {
    request["proposed"].clone()
}

impl Desk {
    pub(crate) fn new(mut config: Value) -> Desk {
        config["worker"] = json!("external");
        Desk { driver: Driver::new(config), seen: Vec::new() }
    }

    /// The request that waits for an answer, if there is one.
    pub(crate) fn take(&mut self) -> Option<Asked> {
        let place =
            self.driver.asked.iter().position(|output| matches!(output, Output::WorkerAsked { .. }))?;
        let Output::WorkerAsked { decision, attempt, request } = self.driver.asked.remove(place) else {
            unreachable!()
        };
        let request: Value = serde_json::from_str(&request).unwrap();
        self.seen.push(request["trigger"]["type"].as_str().unwrap().to_owned());
        Some(Asked { decision, attempt, request })
    }

    pub(crate) fn answer(&mut self, asked: &Asked, response: &Value) {
        self.answer_text(asked, &response.to_string());
    }

    pub(crate) fn answer_text(&mut self, asked: &Asked, response: &str) {
        let Asked { decision, attempt, .. } = asked;
        let response = response.to_owned();
        self.driver.give(Input::WorkerReplied { decision: decision.clone(), attempt: *attempt, response });
    }

    pub(crate) fn fail(&mut self, asked: &Asked) {
        let Asked { decision, attempt, .. } = asked;
        let message = "HTTP 503".to_owned();
        self.driver.give(Input::WorkerFailed { decision: decision.clone(), attempt: *attempt, message });
    }

    /// Answers what waits, and what that brings.
    pub(crate) fn serve(&mut self, decide: &dyn Fn(&Value) -> Value) {
        while let Some(asked) = self.take() {
            self.answer(&asked, &decide(&asked.request));
        }
    }

    /// Lets time pass, answering at every moment at which something happens.
    pub(crate) fn pass(&mut self, ms: u64, decide: &dyn Fn(&Value) -> Value) {
        let until = self.driver.now + ms;
        loop {
            self.serve(decide);
            let due = self.driver.engine.poll_timeout().map_or(until, |due| due.0.min(until));
            self.driver.pass(due.saturating_sub(self.driver.now));
            if due == until {
                return self.serve(decide);
            }
        }
    }

    /// Accepts everything until a trigger of that type comes, and leaves that one unanswered.
    pub(crate) fn until(&mut self, kind: &str) -> Asked {
        for _ in 0..200 {
            match self.take() {
                Some(asked) if asked.trigger()["type"] == kind => return asked,
                Some(asked) => self.answer(&asked, &asked.proposed()),
                None => self.driver.pass(50),
            }
        }
        panic!("no {kind} came, only {:?}", self.seen);
    }

    pub(crate) fn say(&mut self, text: &str, tools: &[&str]) {
        assert_eq!(self.driver.say("t-1", text, tools).status, 202);
    }

    pub(crate) fn settle(&mut self, id: &str) {
        let input = json!({ "type": "tool.result", "id": id, "result": { "ok": true } });
        assert_eq!(self.driver.post(input).status, 202);
    }

    pub(crate) fn statuses(&self) -> Vec<(String, &'static str)> {
        self.driver.engine.calls("s1").into_iter().map(|call| (call.id, call.status)).collect()
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.driver.names().iter().filter(|known| *known == name).count()
    }

    pub(crate) fn ended_with(&self) -> Value {
        self.driver.payloads("turn.completed").pop().expect("a turn that ended")
    }
}
