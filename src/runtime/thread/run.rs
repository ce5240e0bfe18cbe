//! Posting a run: stored first, sent until it is taken or refused, the same bytes each time.

use super::assembly::Assembly;
use super::{Ask, Errand, Outgoing, Stage, whole, words};
use crate::protocol::ag_ui::{Called, Message, Resume, RunInput};
use crate::protocol::sse::{Limits, SseParser};
use crate::runtime::backoff;
use crate::runtime::call::Phase;
use crate::runtime::codes::Code;
use crate::runtime::delivery::{Next, Parcel, Reply as Answered, Travel};
use crate::runtime::event::{ConnectionState, DeliveryState, Problem, TurnStatus};
use crate::runtime::ids::{CallKey, Millis, RequestId, WriteId};
use crate::runtime::input::{Written, retry_after};
use crate::runtime::machine::{Machine, Owner};
use crate::runtime::output::Effect;
use crate::runtime::session::is_event_stream;
use crate::runtime::sessions::ROOT;
use std::rc::Rc;

/// How often a run with answers is refused before they are given up.
const MAX_REFUSALS: u32 = 8;
/// Most bytes of a refusal that are read.
const MAX_SAID: usize = 4_096;

impl Machine {
    /// The next run of the turn: stored, then sent.
    pub(super) fn begin_run(
        &mut self,
        news: Vec<Message>,
        carries: Vec<CallKey>,
        resumes: Vec<Resume>,
        leftovers: Vec<Called>,
    ) {
        let Some(turn) = self.thread.turn.clone() else { return };
        self.thread.runs = self.thread.runs.saturating_add(1);
        let id = match (self.thread.runs, self.thread.salt, self.thread.same_run.take()) {
            (_, _, Some(same)) => same,
            (0 | 1, ..) => turn,
            (later, None, _) => format!("{turn}-{later}"),
            (later, Some(salt), _) => format!("{turn}-{later}-{salt}"),
        };
        let parent = (!resumes.is_empty()).then(|| self.thread.last_run.clone()).flatten();
        self.thread.outgoing = Some(Outgoing {
            id,
            parent,
            news,
            carries,
            resumes,
            heard: Vec::new(),
            leftovers,
            parcel: None,
            confirmed: false,
            again: 0,
            failures: 0,
        });
        self.store_then_run();
    }

    pub(super) fn store_then_run(&mut self) {
        if let Some(out) = self.thread.outgoing.as_ref().filter(|_| !self.config.native_input) {
            // In the reply that is answered, the server's own calls may be open, or such as wait for an approval.
            let answers = !out.resumes.is_empty() || out.news.iter().any(|message| message.call_id.is_some());
            let last = self.thread.messages.iter().rposition(|message| message.call_id.is_none());
            whole::drop_open(&mut self.thread.messages, last.filter(|_| answers).unwrap_or(usize::MAX));
        }
        self.note_declared();
        let write = self.store_thread();
        self.thread.stage = Stage::Storing(write);
    }

    /// A write ended. False if it was none of the conversation's; else what waited for it goes on, well or not.
    pub(in crate::runtime) fn thread_wrote(&mut self, write: WriteId, result: Written) -> bool {
        if !matches!(self.owners.get(&write.0), Some(Owner::Thread)) {
            return false;
        }
        self.owners.remove(&write.0);
        if result == Written::Failed {
            self.warn_unstored();
        }
        if matches!(self.thread.stage, Stage::Storing(current) if current == write) {
            self.post_run(false);
        }
        true
    }

    /// Does what a wait was for.
    pub(super) fn go_on(&mut self, errand: Errand) {
        match errand {
            Errand::Run => self.post_run(false),
            asking => self.ask_thread(asking, false),
        }
    }

    /// Sends the run under way.
    pub(super) fn post_run(&mut self, refresh: bool) {
        let Some(out) = &self.thread.outgoing else { return };
        let body = match &out.parcel {
            Some(parcel) => parcel.body.clone(),
            None => self.run_body(out),
        };
        let carries = out.carries.clone();
        let request = self.ask(Errand::Run, body.clone(), refresh);
        if let Some(out) = &mut self.thread.outgoing {
            let parcel = out.parcel.get_or_insert_with(|| Parcel::new(body));
            parcel.tries = parcel.tries.saturating_add(1);
        }
        for key in carries {
            self.carried(&key, Travel::Sending(request), DeliveryState::Sending, None);
        }
    }

    fn run_body(&self, out: &Outgoing) -> Rc<str> {
        let tools = self.registry.declared();
        Rc::from(self.run_input(&out.id, out.parent.as_deref(), &out.news, &out.resumes, &tools).body())
    }

    fn run_input<'a>(
        &'a self,
        run_id: &'a str,
        parent_run_id: Option<&'a str>,
        news: &'a [Message],
        resume: &'a [Resume],
        tools: &'a [crate::protocol::settle::AgentTool<'a>],
    ) -> RunInput<'a> {
        RunInput {
            thread_id: &self.sessions.root().id,
            run_id,
            parent_run_id,
            versioned: !self.config.native_input,
            messages: (&self.thread.messages, news),
            tools,
            state: self.thread.state.as_ref(),
            context: self.thread.context.as_ref(),
            forwarded: self.thread.forwarded.as_ref(),
            resume,
        }
    }

    /// Asks for the thread as the server has it.
    pub(super) fn ask_thread(&mut self, errand: Errand, refresh: bool) {
        let id = format!("{}-connect", self.sessions.root().id);
        let mut input = self.run_input(&id, None, &[], &[], &[]);
        input.messages = (&[], &[]);
        let body = Rc::from(input.body());
        self.ask(errand, body, refresh);
    }

    fn ask(&mut self, errand: Errand, body: Rc<str>, refresh: bool) -> RequestId {
        let request = RequestId(self.handle_number());
        let limits = Limits { max_event_bytes: self.config.max_frame_bytes };
        self.thread.stage = Stage::Asking(Box::new(Ask {
            request,
            errand,
            asked_at: self.now,
            opened_at: None,
            heard_at: self.now,
            breathes: false,
            refusal: None,
            parser: SseParser::new(limits),
            assembly: Assembly::default(),
            finished: None,
            went_on: false,
            failed: None,
            custom_interrupt: None,
            settling: false,
            passed_over: false,
            unsettled: false,
            turned_away: false,
        }));
        self.owns(request.0, Owner::Stream);
        let session_id = self.sessions.root().id.clone();
        self.effect(Effect::Run { request, session_id, body, connect: errand != Errand::Run, refresh });
        self.tell_connection(ROOT, ConnectionState::Connecting, None, None, None, None);
        request
    }

    /// The response to a run or to a question for the thread began.
    pub(in crate::runtime) fn thread_opened(
        &mut self,
        request: RequestId,
        status: u16,
        content_type: Option<&str>,
        retry_header: Option<&str>,
    ) {
        let now = self.now;
        let Stage::Asking(ask) = &mut self.thread.stage else { return };
        if ask.request != request {
            return;
        }
        ask.heard_at = now;
        if status == 200 && content_type.is_some_and(is_event_stream) {
            ask.opened_at = Some(now);
            return self.tell_connection(ROOT, ConnectionState::Open, None, None, None, None);
        }
        ask.refusal = Some((status, retry_after(retry_header), Vec::new()));
    }

    /// Keeps what a refusal says. False if it is no refusal.
    pub(super) fn refusal_said(&mut self, bytes: &[u8]) -> bool {
        let Stage::Asking(ask) = &mut self.thread.stage else { return true };
        let Some((_, _, said)) = &mut ask.refusal else { return false };
        let room = MAX_SAID.saturating_sub(said.len());
        said.extend(bytes.iter().take(room));
        true
    }

    /// The response ended, or never came.
    pub(in crate::runtime) fn thread_closed(&mut self, request: RequestId, failure: Option<String>) {
        if self.thread.request() == Some(request) {
            self.owners.remove(&request.0);
            self.ask_over(failure);
        }
    }

    /// The request is over: refused, broken, or read to its end.
    pub(super) fn ask_over(&mut self, failure: Option<String>) {
        let Stage::Asking(ask) = std::mem::take(&mut self.thread.stage) else { return };
        if self.owners.remove(&ask.request.0).is_some() {
            // Where the server has not hung up itself.
            self.effect(Effect::Abort { request: ask.request });
        }
        match &ask.refusal {
            Some((status, asked, said)) => {
                let (status, asked, said) = (*status, *asked, words(said));
                let reply = Answered::Status { status, retry_after: asked };
                self.ask_refused(ask.errand, &reply, Some(status), &said);
            }
            None if ask.opened_at.is_none() => {
                let what = failure.unwrap_or_else(|| "the server hung up without an answer".to_owned());
                self.ask_refused(ask.errand, &Answered::Nothing, None, &what);
            }
            None => {
                self.tell_connection(ROOT, ConnectionState::Idle, None, None, None, None);
                self.stream_over(*ask, failure);
            }
        }
    }

    fn ask_refused(&mut self, errand: Errand, reply: &Answered, status: Option<u16>, said: &str) {
        if errand != Errand::Run {
            return self.connect_refused(errand, reply, status, said);
        }
        let (online, now) = (self.online, self.now);
        let Some(parcel) = self.thread.outgoing.as_mut().and_then(|out| out.parcel.as_mut()) else { return };
        let next = match status {
            // The server met something it cannot do, and would meet it again.
            Some(200 | 500 | 501) => Next::Reject,
            _ => parcel.judge(reply, online, now, &self.config, &mut self.rng),
        };
        let answers = self.thread.outgoing.as_ref().is_some_and(|out| {
            out.again < MAX_REFUSALS && out.news.iter().any(|message| message.call_id.is_some())
        });
        if matches!(next, Next::Conflict | Next::TooLarge | Next::Reject) {
            self.count_again();
        }
        match next {
            Next::TooLarge if self.shrink_answers() => {}
            // Answers are not given up over the first refusal: another state of things may take them.
            Next::Conflict if answers && self.is_connectable() => self.wait_for(Errand::Recover, said),
            Next::Conflict | Next::TooLarge | Next::Reject if answers && status != Some(200) => {
                self.wait_for(Errand::Run, said);
            }
            Next::Refresh => self.post_run(true),
            Next::RetryAt(at) => self.run_waits(Some(at), status, said),
            Next::Park => self.run_waits(None, status, said),
            Next::Taken | Next::Conflict | Next::TooLarge | Next::Reject => self.run_refused(status, said),
        }
    }

    /// A run goes again later. If the server may have it all the same, it is asked first.
    fn run_waits(&mut self, until: Option<Millis>, status: Option<u16>, said: &str) {
        let unsure = status.is_none() && self.is_connectable();
        let errand = if unsure { Errand::Recover } else { Errand::Run };
        self.thread.stage = Stage::Waiting(until, errand);
        let code = match (status, until) {
            (Some(401), _) => Code::DeliveryUnauthorised,
            (Some(_), _) => Code::StreamRefused,
            (None, _) => Code::StreamNetwork,
        };
        let hint = match status {
            Some(status) => format!("the server answered {status}; trying again"),
            None => format!(
                "{said}: is the server reachable, does it allow this origin (CORS), and does the token callback work?"
            ),
        };
        let span = until.map(|until| until.since(self.now));
        self.tell_connection(ROOT, ConnectionState::Waiting, Some(code), status, Some(hint), span);
        let keys = self.thread.outgoing.as_ref().map(|out| out.carries.clone()).unwrap_or_default();
        let state = if until.is_some() { DeliveryState::Waiting } else { DeliveryState::Parked };
        for key in keys {
            self.carried(&key, Travel::Waiting(None), state, Some(Code::DeliveryNetwork));
        }
    }

    /// Takes note of where an answer in a run is.
    pub(super) fn carried(&mut self, key: &CallKey, to: Travel, state: DeliveryState, code: Option<Code>) {
        let Some(call) = self.calls.get_mut(key) else { return };
        let Phase::Delivering { travel, answer } = &mut call.phase else { return };
        if matches!(to, Travel::Sending(_)) {
            answer.parcel.tries = answer.parcel.tries.saturating_add(1);
            call.tries = answer.parcel.tries;
        }
        *travel = to;
        self.tell_call(key, None);
        self.tell_delivery(key, state, code, None, None);
    }

    /// The server will not have the run: its turn is over, and so are the calls it was to answer.
    pub(super) fn run_refused(&mut self, status: Option<u16>, said: &str) {
        let Some(out) = self.thread.outgoing.take() else { return };
        let status_text = status.map(|status| format!(" with {status}")).unwrap_or_default();
        let message = match status {
            Some(200) => format!("the server did not answer with an event stream: {said}"),
            _ => format!("the server refused the run{status_text}: {said}"),
        };
        self.tell_connection(
            ROOT,
            ConnectionState::Idle,
            Some(Code::StreamRefused),
            status,
            Some(message.clone()),
            None,
        );
        self.conclude_refused(&out, status, &message, &message);
        // Answers stay, so that the transcript has no open ends; a message that was refused was not said.
        self.keep_answers(&out);
        self.thread_over(TurnStatus::Failed, None, Some(Problem::new(Code::MessageRefused, message)));
    }

    /// The body is too large: the largest result is answered by an error instead. False if there is none.
    fn shrink_answers(&mut self) -> bool {
        const SMALL: usize = 4_096;
        let Some(out) = &self.thread.outgoing else { return false };
        let mut largest: Option<(usize, CallKey)> = None;
        for (key, message) in out.carries.iter().zip(&out.news) {
            let size = message.json.len();
            let is_result = self.calls.get(key).is_some_and(|call| call.phase.answered_ok() == Some(true));
            if is_result && size > SMALL && largest.as_ref().is_none_or(|(most, _)| *most < size) {
                largest = Some((size, key.clone()));
            }
        }
        let Some((_, key)) = largest else { return false };
        let name = self.calls.get(&key).map(|call| call.name.clone()).unwrap_or_default();
        self.thread.outgoing = None;
        self.thread.runs = self.thread.runs.saturating_sub(1);
        self.thread.stage = Stage::Answering;
        let message = format!("the result of tool `{name}` is larger than the server takes");
        if let Some(call) = self.calls.get_mut(&key) {
            call.output = None;
        }
        self.answer_error(&key, Code::ResultTooLarge, message, false);
        true
    }

    /// A moment to try again.
    pub(super) fn later(&mut self, failures: u32, asked: Option<Millis>) -> Option<Millis> {
        let base = self.config.backoff_base;
        let span = backoff::delay(&self.config, &mut self.rng, base, failures, asked);
        self.online.then(|| self.now.plus(span))
    }
}
