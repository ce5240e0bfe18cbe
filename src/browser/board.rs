//! What the app may ask at any time: the stream's state and the calls that are open.
//!
//! Kept from the events that pass by, so that JavaScript holds no map of calls. It is as large as the
//! machine's table of open calls, and no larger.

use super::telling::{call_state, connection_state, write};
use crate::protocol::settle::write::array;
use crate::runtime::event::{CallState, Connection, ConnectionState, Event};
use crate::runtime::ids::CallKey;

/// The stream's state and the open calls.
#[derive(Debug, Default)]
pub(super) struct Board {
    calls: Vec<Pending>,
    connection: Option<ConnectionState>,
    interrupts: Vec<Event>,
}

#[derive(Debug)]
struct Pending {
    key: CallKey,
    name: String,
    turn_id: Option<String>,
    state: CallState,
}

impl Board {
    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Connection(Connection { state, is_child: false, .. }) => self.connection = Some(*state),
            Event::Interrupted { .. } => self.interrupts.push(event.clone()),
            Event::Resumed { session_id, interrupt_id, .. } => self.interrupts.retain(|open| {
                !matches!(open, Event::Interrupted { session_id: session, interrupt_id: id, .. }
                    if session == session_id && id == interrupt_id)
            }),
            Event::Call(call) => match call.state {
                CallState::Confirmed | CallState::Refused | CallState::Abandoned | CallState::Voided => {
                    self.drop_call(&call.key);
                }
                state => match self.calls.iter_mut().find(|pending| pending.key == call.key) {
                    Some(pending) => pending.state = state,
                    None => self.calls.push(Pending {
                        key: call.key.clone(),
                        name: call.name.clone(),
                        turn_id: call.turn_id.clone(),
                        state,
                    }),
                },
            },
            Event::Called(report) | Event::Failed(report) => {
                self.drop_call(&report.key);
            }
            _ => {}
        }
    }

    /// Another page has the session's calls now. Nothing is told of them, so nothing else would end them here.
    pub(super) fn leave(&mut self) {
        self.calls.retain(|pending| pending.key.session_id.is_empty());
    }

    fn drop_call(&mut self, key: &CallKey) {
        self.calls.retain(|pending| pending.key != *key);
    }

    /// The open calls as a JSON array, in the order they came.
    pub(super) fn pending(&self) -> String {
        let mut out = String::new();
        array(&mut out, &self.calls, |pending, object| {
            pending.key.write(object);
            object.text("name", &pending.name);
            object.optional_text("turnId", pending.turn_id.as_deref());
            object.text("state", call_state(pending.state));
        });
        out
    }

    /// The interrupts that are open as a JSON array, in the order they came.
    pub(super) fn interrupts(&self) -> String {
        let mut out = String::new();
        array(&mut out, &self.interrupts, write);
        out
    }

    /// The stream's state as its public name; `idle` before it was first wanted.
    pub(super) fn state(&self) -> &'static str {
        self.connection.map_or("idle", connection_state)
    }
}
