//! From a call's announcement to its handler: accept, check, ask, queue, run.

use super::call::{Call, Clock, Phase};
use super::codes::Code;
use super::event::{CallChanged, CallState, Calling, Event, InputClass, ToolRef, issues_text};
use super::ids::{AskId, CallKey, CheckId, InvocationId, Millis, WriteId};
use super::input::{Decision, Verdict};
use super::machine::{Machine, Owner};
use super::output::{Direction, Effect, Invoke};
use super::record::{Progress, Record};
use super::tool::{OnInvalid, ToolSpec};
use crate::protocol::RawJson;
use crate::protocol::frame::Objection;
use crate::schema::{self, Arguments, Issue};
use std::rc::Rc;

/// How many violations are kept of one check.
const MAX_ISSUES: usize = 32;

impl Machine {
    pub(super) fn tool_registered(&mut self, spec: ToolSpec) {
        let name = spec.name.clone();
        // A server of runs is told of all tools with each run, and keeps none; but for the native engine.
        let keeps = !self.threads() || self.config.native_input;
        if keeps && self.registry.differs_from_declared(&spec) {
            self.warn_once(Code::DeclarationIgnored, &name, &|| {
                format!(
                    "tool `{name}` was declared to the engine with another schema, which it keeps for this session: \
                     the model goes on with the old one. Give the changed tool another name, `{name}_v2` say"
                )
            });
        }
        self.registry.add(spec);
        let waiting =
            self.keys_where(&|call| call.name == name && matches!(call.phase, Phase::AwaitingTool { .. }));
        for key in waiting {
            self.begin(&key);
        }
    }

    pub(super) fn tool_unregistered(&mut self, name: &str) {
        if !self.registry.remove(name) {
            return;
        }
        let unanswered = self.keys_where(&|call| {
            call.name == name && !call.phase.has_answer() && !matches!(call.phase, Phase::AwaitingTool { .. })
        });
        for key in unanswered {
            let message = format!("tool `{name}` left the page before it had answered");
            self.answer_error(&key, Code::Cancelled, message, false);
        }
    }

    /// The app runs a tool itself.
    pub(super) fn invoked(&mut self, call_id: String, name: String, arguments: &str) {
        // No engine's session has an empty id, so the app's own calls cannot meet an engine's.
        let key = CallKey::new(String::new(), call_id, 0);
        if self.calls.contains(&key) {
            return;
        }
        self.open_call(key.clone(), name, arguments, true, true);
        self.begin(&key);
    }

    /// Takes on a call the engine announced.
    pub(super) fn accept(&mut self, key: CallKey, dispatched: bool) {
        let session = self.sessions.at(self.sessions.of(&key.session_id));
        let Some(fact) = session.board.fact(&key.call_id) else { return };
        let most = self.config.max_open_calls;
        if self.calls.len() >= most.saturating_mul(2) {
            // Not even an answer fits: the call stays on the board until there is room.
            self.backlog = true;
            return;
        }
        let (name, arguments) = (fact.request.name.clone(), fact.request.arguments.clone());
        let turn_id = match &session.child {
            // Whoever made the call in between, people know it by the turn that they began.
            Some(child) => child.turn_id().map(str::to_owned),
            None => fact.turn_id.clone(),
        };
        let trip_index = fact.trip_index;
        let objection = fact.request.objection.clone();
        let engine_now = session.board.engine_now();
        let deadline = fact.time_left.and_then(|left| left.local(engine_now, self.now));
        let crowded = self.calls.len() >= most;
        self.open_call(key.clone(), name, &arguments, false, dispatched);
        if let Some(call) = self.calls.get_mut(&key) {
            call.turn_id = turn_id;
            call.trip_index = trip_index;
            call.deadline = deadline;
            call.objection = objection;
        }
        let answered = self.restore(&key);
        self.tell_call(&key, Some(arguments));
        if answered {
            return;
        }
        if crowded {
            let message = format!("more than {most} calls are open on this page; try again later");
            return self.answer_error(&key, Code::Overloaded, message, true);
        }
        self.begin(&key);
    }

    fn open_call(&mut self, key: CallKey, name: String, arguments: &str, local: bool, dispatched: bool) {
        let call = Call {
            key: key.clone(),
            name,
            tool: None,
            local,
            turn_id: None,
            trip_index: 0,
            text: Rc::from(arguments),
            class: None,
            issues: Vec::new(),
            objection: None,
            started_before: false,
            repaired: false,
            consented: false,
            dispatched,
            deadline: None,
            check_until: None,
            received_at: self.now,
            ran_from: None,
            ran_until: None,
            output: None,
            error: None,
            tries: 0,
            phase: Phase::Received,
        };
        self.calls.insert(key, call);
    }

    /// Binds the call to its tool and has its arguments checked.
    fn begin(&mut self, key: &CallKey) {
        let Some(call) = self.calls.get_mut(key) else { return };
        let Some(tool) = self.registry.get(&call.name) else {
            let until = if call.local { self.now } else { self.now.plus(self.config.unknown_tool_grace) };
            call.phase = Phase::AwaitingTool { until };
            return;
        };
        call.tool = Some(tool);
        if !self.refuse_second_start(key) {
            self.check_arguments(key);
        }
    }

    fn check_arguments(&mut self, key: &CallKey) {
        let limits =
            schema::Limits { bytes: self.config.max_argument_bytes, depth: self.config.max_argument_depth };
        let check = CheckId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        let Some(tool) = call.tool.clone() else { return };
        let text = call.text.clone();
        match schema::classify_text(&text, &limits) {
            Arguments::Object { text: object } => {
                if *object != *call.text {
                    call.text = Rc::from(object.as_ref());
                }
                if !tool.checks_input {
                    call.class = Some(InputClass::Unchecked);
                    return self.passed(key);
                }
                call.check_until = Some(self.now.plus(self.config.check_timeout));
                call.phase = Phase::Checking { check };
                let text = call.text.clone();
                self.owns(check.0, Owner::Call(key.clone()));
                self.tell_call(key, None);
                self.effect(Effect::Check {
                    check,
                    tool: tool.name.clone(),
                    direction: Direction::Input,
                    text,
                });
            }
            Arguments::Malformed(malformed) => {
                call.class = Some(InputClass::Malformed);
                self.rejected(key, Code::MalformedArguments, &malformed.message);
            }
        }
    }

    pub(super) fn checked(&mut self, check: CheckId, verdict: Verdict) {
        let Some(key) = self.owner_of(check.0) else { return };
        let Some(call) = self.calls.get_mut(&key) else { return };
        match &call.phase {
            Phase::CheckingResult { .. } => return self.result_checked(&key, verdict),
            Phase::Checking { .. } => {}
            _ => return,
        }
        match verdict {
            Verdict::Valid => {
                call.class = Some(InputClass::Valid);
                call.issues.clear();
                self.passed(&key);
            }
            Verdict::Invalid(issues) => self.invalid(&key, issues),
            Verdict::Unavailable(why) => {
                let message = format!("the arguments could not be checked, so nothing was run: {why}");
                self.answer_error(&key, Code::ValidatorUnavailable, message, true);
            }
        }
    }

    /// Nothing speaks against the arguments here. The engine may have found something all the same, whose
    /// schema is the one that the model was shown; what a repair made of them, it has not seen.
    fn passed(&mut self, key: &CallKey) {
        let Some(call) = self.calls.get_mut(key) else { return };
        match call.objection.take().filter(|_| !call.repaired) {
            None => self.ask_or_queue(key),
            Some(Objection { error }) => self.invalid(
                key,
                vec![Issue {
                    path: String::new(),
                    keyword: "engine".to_owned(),
                    message: error,
                    expected: None,
                    got: None,
                    hint: None,
                }],
            ),
        }
    }

    fn invalid(&mut self, key: &CallKey, mut issues: Vec<Issue>) {
        let Some(call) = self.calls.get_mut(key) else { return };
        issues.truncate(MAX_ISSUES);
        call.class = Some(InputClass::Invalid);
        call.issues = issues;
        let problem = schema::render(&call.issues);
        if call.tool.as_ref().is_some_and(|tool| tool.on_invalid == OnInvalid::Run) {
            return self.ask_or_queue(key);
        }
        self.rejected(key, Code::SchemaValidationFailed, &problem);
    }

    /// The arguments do not fit: the author's repair function gets one try, else the model gets the news.
    fn rejected(&mut self, key: &CallKey, code: Code, problem: &str) {
        let check = CheckId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        let repairs = call.tool.as_ref().filter(|tool| tool.on_invalid == OnInvalid::Repair).cloned();
        if let (Some(tool), false) = (repairs, call.repaired) {
            call.repaired = true;
            call.check_until = Some(self.now.plus(self.config.check_timeout));
            call.phase = Phase::Repairing { check };
            let issues = issues_text(&call.issues);
            let (tool, text, problem) = (tool.name.clone(), call.text.clone(), problem.to_owned());
            self.owns(check.0, Owner::Call(key.clone()));
            self.tell_call(key, None);
            return self.effect(Effect::Repair { check, tool, text, problem, issues });
        }
        self.answer_error(key, code, format!("invalid tool arguments: {problem}"), false);
    }

    pub(super) fn repaired(&mut self, check: CheckId, text: Option<String>) {
        let Some(key) = self.owner_of(check.0) else { return };
        let Some(call) = self.calls.get_mut(&key) else { return };
        if !matches!(call.phase, Phase::Repairing { .. }) {
            return;
        }
        match text {
            Some(text) => {
                call.text = Rc::from(text);
                self.check_arguments(&key);
            }
            None if call.class == Some(InputClass::Malformed) => {
                let message = match schema::classify_text(&call.text, &schema::Limits::default()) {
                    Arguments::Malformed(malformed) => malformed.message,
                    Arguments::Object { .. } => "the arguments are larger or deeper than the caps".to_owned(),
                };
                self.rejected(&key, Code::MalformedArguments, &message);
            }
            None => {
                let problem = schema::render(&call.issues);
                self.rejected(&key, Code::SchemaValidationFailed, &problem);
            }
        }
    }

    fn ask_or_queue(&mut self, key: &CallKey) {
        let ask = AskId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        let asks = call.tool.as_ref().is_some_and(|tool| tool.asks_consent);
        if asks && !call.consented {
            call.phase = Phase::AwaitingUser { ask };
            let (key, tool, text) = (key.clone(), call.name.clone(), call.text.clone());
            self.owns(ask.0, Owner::Question(key.clone()));
            self.tell_call(&key, None);
            return self.effect(Effect::Ask { ask, key, tool, text });
        }
        call.phase = Phase::Queued;
        self.queue.push(key.clone());
        self.tell_call(key, None);
        self.pump_queue();
    }

    pub(super) fn consented(&mut self, ask: AskId, decision: Decision) {
        let Some(key) = self.owner_of(ask.0) else { return };
        let Some(call) = self.calls.get_mut(&key) else { return };
        if !matches!(call.phase, Phase::AwaitingUser { ask: asked } if asked == ask) {
            return;
        }
        match decision {
            Decision::Allow => {
                call.consented = true;
                self.ask_or_queue(&key);
            }
            Decision::AllowEdited { text } => {
                call.consented = true;
                call.text = Rc::from(text);
                self.check_arguments(&key);
            }
            Decision::Deny { reason } => {
                let message = match reason {
                    Some(reason) => format!("the user declined: {reason}"),
                    None => "the user declined".to_owned(),
                };
                self.answer_error(&key, Code::Declined, message, false);
            }
        }
    }

    /// Takes back every open question. Returns the calls that are now being answered.
    pub(super) fn decline_questions(&mut self, why: &str) -> Vec<CallKey> {
        let asked = self.open_questions();
        let mut declined = Vec::new();
        for (ask, key) in asked {
            self.owners.remove(&ask.0);
            self.effect(Effect::WithdrawAsk { ask });
            self.answer_error(&key, Code::Declined, format!("the user declined: {why}"), false);
            if !key.session_id.is_empty() {
                declined.push(key);
            }
        }
        declined
    }

    /// Starts what may start: first come first served, one at a time per lane, a cap over all.
    pub(super) fn pump_queue(&mut self) {
        let mut running = 0;
        let mut lanes: Vec<String> = Vec::new();
        for call in self.calls.values().iter().filter(|call| call.phase.holds_lane()) {
            running += 1;
            lanes.extend(call.tool.as_ref().and_then(|tool| tool.lane.clone()));
        }
        let waiting: Vec<CallKey> = std::mem::take(&mut self.queue);
        for key in waiting {
            let Some(call) = self.calls.get(&key).filter(|call| matches!(call.phase, Phase::Queued)) else {
                continue;
            };
            let lane = call.tool.as_ref().and_then(|tool| tool.lane.clone());
            // The app's own calls never wait: a handler that awaits one would wait for itself.
            let full =
                running >= self.config.max_running || lane.as_ref().is_some_and(|lane| lanes.contains(lane));
            if full && !call.local {
                // A lane keeps its order: whatever comes later in it waits behind this one.
                lanes.extend(lane);
                self.queue.push(key);
                continue;
            }
            running += 1;
            lanes.extend(lane);
            self.start(&key);
        }
    }

    fn start(&mut self, key: &CallKey) {
        let write = WriteId(self.handle_number());
        let Some(call) = self.calls.get_mut(key) else { return };
        let again = call.tool.as_ref().is_some_and(|tool| tool.may_run_again());
        if call.local || again {
            return self.run(key);
        }
        call.phase = Phase::Starting { write };
        let record = Record { key: key.clone(), tool: call.name.clone(), progress: Progress::Started };
        self.owns(write.0, Owner::Call(key.clone()));
        self.effect(Effect::Persist { write, record });
    }

    pub(super) fn run(&mut self, key: &CallKey) {
        let invocation = InvocationId(self.handle_number());
        let now = self.now;
        let Some(call) = self.calls.get_mut(key) else { return };
        let Some(tool) = call.tool.clone() else { return };
        let clock = Clock::started(tool.timeout, call.deadline, now);
        call.phase = Phase::Running { invocation, clock };
        call.ran_from = Some(now);
        let invoke = Invoke {
            invocation,
            key: key.clone(),
            turn_id: call.turn_id.clone(),
            tool: tool.name.clone(),
            text: call.text.clone(),
            deadline: clock.rings_at(),
            trip_index: call.trip_index,
        };
        let calling = Calling {
            key: key.clone(),
            tool: ToolRef { name: tool.name.clone(), description: tool.description.clone() },
            turn_id: call.turn_id.clone(),
            input: RawJson::of(&call.text),
            trip_index: call.trip_index,
        };
        self.owns(invocation.0, Owner::Run(key.clone()));
        self.tell_call(key, None);
        self.tell(Event::Calling(calling));
        self.effect(Effect::Invoke(invoke));
    }

    pub(super) fn with_clock(&mut self, invocation: InvocationId, change: fn(&mut Clock, Millis)) {
        let now = self.now;
        let Some(Owner::Run(key)) = self.owners.get(&invocation.0) else { return };
        if let Some(Call { phase: Phase::Running { clock, .. }, .. }) = self.calls.get_mut(key) {
            change(clock, now);
        }
    }

    /// When something is to happen to a call by itself.
    pub(super) fn call_rings_at(&self, call: &Call) -> Option<Millis> {
        match &call.phase {
            Phase::AwaitingTool { until } => {
                Some(call.deadline.map_or(*until, |deadline| deadline.min(*until)))
            }
            Phase::Running { clock, .. } => clock.rings_at(),
            // While a person is asked, the clock stands still; the engine will say if it is too late.
            Phase::AwaitingUser { .. } => None,
            phase if phase.has_answer() => self.answer_rings_at(call),
            Phase::Checking { .. } | Phase::Repairing { .. } | Phase::CheckingResult { .. } => {
                [call.deadline, call.check_until].into_iter().flatten().min()
            }
            _ => call.deadline,
        }
    }

    pub(super) fn ring_calls(&mut self) {
        let due = self.keys_where(&|call| self.call_rings_at(call).is_some_and(|at| at <= self.now));
        for key in due {
            let Some(call) = self.calls.get(&key) else { continue };
            let late = call.deadline.is_some_and(|deadline| deadline <= self.now);
            match &call.phase {
                phase if phase.has_answer() => self.ring_answer(&key),
                Phase::AwaitingTool { .. } if !late => self.unknown_tool(&key),
                Phase::Running { clock, .. } => {
                    let by_engine = clock.deadline.is_some_and(|deadline| deadline <= self.now);
                    self.time_is_up(&key, by_engine);
                }
                Phase::Checking { .. } | Phase::Repairing { .. } | Phase::CheckingResult { .. } if !late => {
                    let message = format!("the check of tool `{}` did not come to an end", call.name);
                    self.answer_error(&key, Code::ValidatorUnavailable, message, false);
                }
                _ => self.time_is_up(&key, true),
            }
        }
    }

    fn time_is_up(&mut self, key: &CallKey, by_engine: bool) {
        let Some(call) = self.calls.get(key) else { return };
        let ran = call.ran_from.map_or(Millis(0), |from| self.now.since(from));
        let message = format!("tool `{}` did not finish in time ({} ms)", call.name, ran.0);
        // The engine's own word for its deadline is a failure that may be tried again; ours is final.
        self.answer_error(key, Code::DeadlineExceeded, message, by_engine);
    }

    fn unknown_tool(&mut self, key: &CallKey) {
        let Some(call) = self.calls.get_mut(key) else { return };
        let name = call.name.clone();
        if call.started_before {
            // It was here in the page that is gone, and it may have run.
            self.refuse_second_start(key);
            return;
        }
        let near = schema::nearest(&name, self.registry.names()).map(str::to_owned);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "call only tools that are declared".to_owned(),
        };
        let message = format!("tool `{name}` does not exist on this page; {hint}");
        self.warn_once(Code::UnknownTool, &name, &|| {
            format!("the model called `{name}`, which is not registered here; its calls are answered with an error")
        });
        self.answer_error(key, Code::UnknownTool, message, false);
    }

    /// Tells the state a call is in.
    pub(super) fn tell_call(&mut self, key: &CallKey, arguments: Option<String>) {
        let Some(call) = self.calls.get(key) else { return };
        let state = call.phase.state();
        self.tell_state(key, state, arguments);
    }

    pub(super) fn tell_state(&mut self, key: &CallKey, state: CallState, arguments: Option<String>) {
        let Some(call) = self.calls.get(key) else { return };
        let issues: Vec<Issue> = if matches!(call.phase, Phase::Received | Phase::AwaitingTool { .. }) {
            Vec::new()
        } else {
            call.issues.clone()
        };
        let changed = CallChanged {
            key: key.clone(),
            name: call.name.clone(),
            turn_id: call.turn_id.clone(),
            arguments,
            state,
            input: call.class,
            issues,
        };
        self.tell(Event::Call(changed));
    }
}
