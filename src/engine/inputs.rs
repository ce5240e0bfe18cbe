//! The input endpoint: seven inputs, the turn rules, and the 202 they all end in.
//!
//! The first accepted submit creates its session and freezes the owner. A session runs one turn at a time.

use serde_json::{Value, json};

use super::auth::Owner;
use super::body::{self, ClientInput, DraftMessage, Role};
use super::config::AgentTool;
use super::decisions::{News, Submission, Trigger};
use super::engine::Engine;
use super::http::{Reply, Request};
use super::interrupts;
use super::session::Session;
use super::settle::{self, Answer};
use super::shared::Shared;
use super::stream;
use super::switches::{BusySubmit, ViewInTurn};

/// A submit before its turn is known.
struct Submit {
    agent_id: String,
    turn_id: Option<String>,
    stream: bool,
    queue: bool,
    news: News,
    tools: Vec<AgentTool>,
    /// What the page gave beside its tools, for the worker to read.
    context: Value,
}

/// `POST /api/client/sessions/input`.
pub(crate) fn submit(engine: &mut Engine, request: &Request) -> Reply {
    match try_submit(engine, request) {
        Ok(reply) | Err(reply) => reply,
    }
}

fn try_submit(engine: &mut Engine, request: &Request) -> Result<Reply, Reply> {
    let owner = engine.shared.authorize(request)?;
    let envelope = body::parse(&engine.shared.config, request)?;
    let session = envelope.session_id.unwrap_or_else(|| engine.shared.new_id());
    match envelope.input {
        ClientInput::Result(body) => settle(engine, request, &session, &owner, Answer::Result(body)),
        ClientInput::Error(body) => settle(engine, request, &session, &owner, Answer::Error(body)),
        ClientInput::Resume(body) => {
            let found = owned(&mut engine.sessions, &session, &owner)?;
            let found = found.filter(|found| found.latest_turn().is_some());
            let found = found.ok_or_else(|| Reply::error(409, "session has no active turn"))?;
            interrupts::resume_from_page(&mut engine.shared, found, body)?;
            Ok(accepted_latest(&engine.shared, found))
        }
        ClientInput::Message(body) => {
            let news = News::Append(vec![body.message]);
            let submit = Submit {
                agent_id: body.agent_id,
                turn_id: body.turn_id,
                stream: body.stream,
                queue: body.queue,
                news,
                tools: Vec::new(),
                context: Value::Null,
            };
            take(engine, &session, owner, submit)
        }
        ClientInput::Append(body) => {
            let submit = Submit {
                agent_id: body.agent_id,
                turn_id: body.turn_id,
                stream: body.stream,
                queue: body.queue,
                news: News::Append(body.messages),
                context: body.client.rest(),
                tools: body.client.tools,
            };
            take(engine, &session, owner, submit)
        }
        ClientInput::View(body) => {
            let submit = Submit {
                agent_id: body.agent_id,
                turn_id: body.turn_id,
                stream: body.stream,
                queue: false,
                news: News::View(body.messages),
                context: body.client.rest(),
                tools: body.client.tools,
            };
            take(engine, &session, owner, submit)
        }
        ClientInput::Action(body) => {
            let submit = Submit {
                agent_id: body.agent_id,
                turn_id: body.turn_id,
                stream: false,
                queue: false,
                news: News::Action { name: body.name, args: body.args },
                tools: Vec::new(),
                context: Value::Null,
            };
            take(engine, &session, owner, submit)
        }
    }
}

fn settle(
    engine: &mut Engine,
    request: &Request,
    session: &str,
    owner: &Owner,
    answer: Answer,
) -> Result<Reply, Reply> {
    let raw: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let raw = raw.get("input").cloned().unwrap_or_default();
    let Engine { shared, sessions } = engine;
    settle::from_page(shared, sessions.get_mut(session), owner, answer, raw)?;
    match sessions.get(session) {
        Some(found) => Ok(accepted_latest(shared, found)),
        None => Err(Reply::error(409, "session has no active turn")),
    }
}

type Sessions = std::collections::BTreeMap<String, Session>;

fn owned<'a>(sessions: &'a mut Sessions, id: &str, owner: &Owner) -> Result<Option<&'a mut Session>, Reply> {
    match sessions.get_mut(id) {
        Some(found) if found.owner != *owner => Err(Reply::error(403, "session access denied")),
        found => Ok(found),
    }
}

fn take(engine: &mut Engine, session: &str, owner: Owner, submit: Submit) -> Result<Reply, Reply> {
    let Engine { shared, sessions } = engine;
    let Some(found) = owned(sessions, session, &owner)? else {
        let agent = submit.agent_id.clone();
        let first = submission(shared, submit);
        let created = create(shared, session, owner, agent, first);
        let reply = accepted_latest(shared, &created);
        sessions.insert(session.to_owned(), created);
        return Ok(reply);
    };
    if found.cancelled {
        return Err(Reply::error(409, "session is cancelled"));
    }
    if let Some(reply) = known_turn(shared, found, submit.turn_id.as_deref()) {
        return Ok(reply);
    }
    let running = found.turn.as_ref().map(|turn| turn.id.clone());
    let Some(running) = running.or_else(|| Some(found.waiting.front()?.turn_id.clone())) else {
        let submission = submission(shared, submit);
        let turn_id = submission.turn_id.clone();
        found.begin_turn(shared, submission);
        found.pump(shared);
        return Ok(accepted(shared, session, &turn_id, false));
    };
    let examined = shared.config.switches.view_in_turn == ViewInTurn::Examined;
    match &submit.news {
        News::View(view) if examined => {
            let view = view.clone();
            let submission = submission(shared, submit);
            found.examine_view(shared, view, submission);
            Ok(accepted(shared, session, &running, false))
        }
        _ if submit.queue => {
            let submission = submission(shared, submit);
            let turn_id = submission.turn_id.clone();
            found.queue_turn(shared, submission);
            Ok(accepted(shared, session, &turn_id, true))
        }
        _ if shared.config.switches.busy_submit == BusySubmit::Conflict => {
            Err(Reply::error(409, "session already has an active turn"))
        }
        // The refusal is swallowed: the message is dropped, the reply names the turn that runs.
        _ => Ok(accepted(shared, session, &running, false)),
    }
}

/// Makes a session of that agent and begins its first turn.
pub(crate) fn create(
    shared: &mut Shared,
    id: &str,
    owner: Owner,
    agent_id: String,
    first: Submission,
) -> Session {
    stream::end_foreign(shared, id, &owner);
    let tools = shared.config.agent_of(&agent_id).tools.clone();
    let mut session = Session::new(id.to_owned(), owner, agent_id, tools);
    session.start(shared, first);
    session
}

fn submission(shared: &mut Shared, submit: Submit) -> Submission {
    let turn_id = submit.turn_id.unwrap_or_else(|| shared.new_id());
    let Submit { stream, news, tools, context, .. } = submit;
    Submission { turn_id, stream, news, tools, context, by_calls: false, announced: None }
}

/// A turn that was submitted before is never started again.
fn known_turn(shared: &Shared, session: &Session, turn_id: Option<&str>) -> Option<Reply> {
    let turn_id = turn_id?;
    let starting = session.turn.is_none();
    let queued = session.waiting.iter().skip(usize::from(starting));
    if queued.into_iter().any(|waiting| waiting.turn_id == turn_id) {
        return Some(accepted(shared, &session.id, turn_id, true));
    }
    let running = session.turn.as_ref().is_some_and(|turn| turn.id == turn_id)
        || session.waiting.iter().any(|waiting| waiting.turn_id == turn_id);
    let examined = shared.config.switches.view_in_turn == ViewInTurn::Examined;
    let ended = session.ended_turns.iter().any(|ended| ended == turn_id);
    ((running && !examined) || ended).then(|| accepted(shared, &session.id, turn_id, false))
}

fn accepted(shared: &Shared, session: &str, turn_id: &str, queued: bool) -> Reply {
    let mut body = json!({ "session_id": session, "turn_id": turn_id });
    if let (true, Value::Object(fields)) = (shared.config.switches.queued_field, &mut body) {
        fields.insert("queued".to_owned(), json!(queued));
    }
    Reply::json(202, &body)
}

pub(crate) fn accepted_latest(shared: &Shared, session: &Session) -> Reply {
    let starting = session.waiting.front().map(|waiting| waiting.turn_id.as_str());
    let turn_id = session.latest_turn().or(starting).unwrap_or_default();
    accepted(shared, &session.id, turn_id, false)
}

impl Session {
    /// A view sent during the turn: a lone answer acts like a settle; anything else is one more decision.
    pub(crate) fn examine_view(
        &mut self,
        shared: &mut Shared,
        view: Vec<DraftMessage>,
        submission: Submission,
    ) {
        let fit = self.tree.fit(&view);
        let news = view.get(fit.shared_length..).unwrap_or_default();
        let extends = fit.shared_head.as_deref() == self.tree.head();
        let mut answered = Vec::new();
        let mut other = !extends;
        for draft in news {
            let id = draft.tool_call_id.as_deref().filter(|_| draft.role == Role::Tool);
            let known = id.and_then(|id| self.call(id)).map(|call| call.id.clone());
            match known {
                None => other = true,
                Some(id) => {
                    if self.settle_by_view(shared, &id, &draft.text()) {
                        answered.push(id);
                    }
                }
            }
        }
        match answered.as_slice() {
            [] if !other => {}
            [only] if !other => {
                self.enqueue(shared, Trigger::ToolFinished { call: only.clone() });
            }
            _ => self.enqueue(shared, Trigger::Submitted(submission)),
        }
        self.pump(shared);
    }
}
