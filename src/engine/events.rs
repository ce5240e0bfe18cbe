//! The event log of a session: what is recorded, and how an event looks on the wire.
//!
//! `seq` starts at 1 and has no holes. An event's frame is made once, when it is recorded, because
//! `meta` tells the state as of that event; replays send the very same bytes.

use serde_json::{Map, Value, json};

use super::Millis;
use super::ids::wire_time;
use super::session::Session;
use super::shared::Shared;
use super::stream;
use super::switches::EventObject;

/// One recorded event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its place in the log, from 1.
    pub seq: u64,
    /// When it was recorded.
    pub at: Millis,
    /// The turn it belongs to, if any.
    pub turn_id: Option<String>,
    /// Its payload; `type` names it.
    pub payload: Value,
    pub(crate) data: String,
}

impl Event {
    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.payload.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    /// Its frame on an event stream.
    pub(crate) fn frame(&self) -> String {
        format!("id: {}\nevent: {}\ndata: {}\n\n", self.seq, self.name(), self.data)
    }
}

impl Session {
    /// Writes an event and sends it to everyone who listens.
    pub(crate) fn record(&mut self, shared: &mut Shared, name: &str, fields: Value) {
        let mut payload = Map::new();
        payload.insert("type".to_owned(), json!(name));
        if let Value::Object(fields) = fields {
            payload.extend(fields);
        }
        let payload = Value::Object(payload);
        let seq = self.log.last().map_or(1, |event| event.seq.saturating_add(1));
        let turn_id = self.started_turn().map(str::to_owned);
        let data = self.wire_object(shared, seq, turn_id.as_deref(), &payload).to_string();
        let event = Event { seq, at: shared.now, turn_id, payload, data };
        stream::publish(shared, self, &event);
        self.log.push(event);
    }

    fn wire_object(&self, shared: &mut Shared, seq: u64, turn_id: Option<&str>, payload: &Value) -> Value {
        let time = wire_time(shared.now);
        match shared.config.switches.event_object {
            EventObject::Documented => {
                let mut object = json!({
                    "session_id": self.id,
                    "seq": seq,
                    "occurred_at": time,
                    "payload": payload,
                });
                if let (Some(turn_id), Value::Object(fields)) = (turn_id, &mut object) {
                    fields.insert("turn_id".to_owned(), json!(turn_id));
                }
                object
            }
            EventObject::Source => json!({
                "id": shared.new_id(),
                "tenant_id": self.owner.tenant,
                "session_id": self.id,
                "seq": seq,
                "occurred_at": time,
                "start_time": time,
                "end_time": time,
                "span": {},
                "payload": payload,
                "meta": {
                    "status": self.status().name(),
                    "agent_id": self.agent_id,
                    "turn_id": turn_id,
                    "cost": "0",
                    "subagent_cost": "0",
                    "head_id": self.tree.head(),
                    "calls": self.open_call_views(&shared.config.switches),
                },
            }),
        }
    }
}
