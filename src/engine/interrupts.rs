//! Interrupts: a session that is interrupted takes answers but decides nothing until all are resumed.
//!
//! Model requests in flight are voided; client calls stay open. Whoever raised an interrupt with more
//! rights than the page may keep the page from resuming it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::body::InterruptResume;
use super::decisions::Trigger;
use super::engine::Engine;
use super::http::{Reply, Request};
use super::session::Session;
use super::shared::Shared;

#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    pub(crate) id: String,
    origin: String,
    reason: String,
    payload: Value,
    pub(crate) client_may_resume: bool,
    pub(crate) open: bool,
}

impl Interrupt {
    pub(crate) fn view(&self) -> Value {
        json!({
            "interrupt_id": self.id,
            "origin": self.origin,
            "reason": self.reason,
            "payload": self.payload,
        })
    }
}

/// An interrupt about to be raised.
#[derive(Debug)]
pub(crate) struct Raise {
    pub(crate) id: Option<String>,
    pub(crate) origin: String,
    pub(crate) reason: String,
    pub(crate) payload: Value,
    pub(crate) client_may_resume: bool,
}

#[derive(Debug, Deserialize)]
struct RaiseBody {
    #[serde(default)]
    interrupt_id: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    payload: Value,
}

/// `POST /api/client/sessions/{id}/interrupt`.
pub(crate) fn from_page(engine: &mut Engine, request: &Request, session: &str) -> Reply {
    match try_from_page(engine, request, session) {
        Ok(reply) | Err(reply) => reply,
    }
}

fn try_from_page(engine: &mut Engine, request: &Request, session: &str) -> Result<Reply, Reply> {
    let owner = engine.shared.authorize(request)?;
    let body = request.body_within(engine.shared.config.body_limit)?;
    let body = if body.is_empty() { b"{}" } else { body };
    let body: RaiseBody =
        serde_json::from_slice(body).map_err(|error| Reply::error(400, &error.to_string()))?;
    let found = engine.sessions.get_mut(session);
    let found = found.ok_or_else(|| Reply::error(404, "session not found"))?;
    if found.owner != owner {
        return Err(Reply::error(403, "session access denied"));
    }
    let raise = Raise {
        id: body.interrupt_id,
        origin: owner.subject,
        reason: body.reason.unwrap_or_else(|| "client".to_owned()),
        payload: body.payload,
        client_may_resume: true,
    };
    let id = found.interrupt(&mut engine.shared, raise);
    Ok(Reply::json(200, &json!({ "ok": true, "interrupt_id": id })))
}

/// The `interrupt.resume` input.
pub(crate) fn resume_from_page(
    shared: &mut Shared,
    session: &mut Session,
    body: InterruptResume,
) -> Result<(), Reply> {
    let found = session.interrupts.iter().find(|interrupt| interrupt.id == body.interrupt_id);
    let found = found.ok_or_else(|| Reply::error(404, "interrupt not found"))?;
    if !found.client_may_resume {
        return Err(Reply::error(403, "caller may not resume this interrupt"));
    }
    if !found.open {
        return Err(Reply::error(409, "interrupt is not open"));
    }
    session.resume(shared, &body.interrupt_id, body.payload);
    Ok(())
}

impl Session {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupts.iter().any(|interrupt| interrupt.open)
    }

    /// Raises an interrupt and gives its id; one that is open already stays as it is.
    pub(crate) fn interrupt(&mut self, shared: &mut Shared, raise: Raise) -> String {
        let id = raise.id.unwrap_or_else(|| shared.ids.short("int-"));
        if self.interrupts.iter().any(|interrupt| interrupt.id == id) || self.cancelled {
            return id;
        }
        let interrupt = Interrupt {
            id: id.clone(),
            origin: raise.origin,
            reason: raise.reason,
            payload: raise.payload,
            client_may_resume: raise.client_may_resume,
            open: true,
        };
        let fields = interrupt.view();
        self.interrupts.push(interrupt);
        self.record(shared, "session.interrupted", fields);
        self.void_models(shared);
        id
    }

    /// Resumes an open interrupt; the run goes on once none is left.
    pub(crate) fn resume(&mut self, shared: &mut Shared, id: &str, payload: Value) {
        let mut open = self.interrupts.iter_mut().filter(|interrupt| interrupt.open);
        let Some(found) = open.find(|interrupt| interrupt.id == id) else { return };
        found.open = false;
        let fields = json!({ "interrupt_id": id, "payload": &payload });
        self.record(shared, "session.interrupt_resumed", fields);
        if self.turn.is_some() {
            self.enqueue(shared, Trigger::InterruptResumed { interrupt: id.to_owned(), payload });
        }
        self.rearm_retries(shared);
        self.pump(shared);
    }
}
