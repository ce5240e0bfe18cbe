//! What the app may ask at any time: the stream's state and the calls that are open.
//!
//! Kept from the events that pass by, so that JavaScript holds no map of calls. It is as large as the
//! machine's table of open calls, and no larger.

use crate::runtime::event::{CallState, Connection, ConnectionState, Event};
use crate::runtime::ids::CallKey;
use serde::Serialize;

/// The stream's state and the open calls.
#[derive(Debug, Default)]
pub(super) struct Board {
    calls: Vec<Pending>,
    connection: Option<ConnectionState>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Pending {
    #[serde(flatten)]
    key: CallKey,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<String>,
    state: CallState,
}

impl Board {
    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Connection(Connection { state, .. }) => self.connection = Some(*state),
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

    fn drop_call(&mut self, key: &CallKey) {
        self.calls.retain(|pending| pending.key != *key);
    }

    /// The open calls as a JSON array, in the order they came.
    pub(super) fn pending(&self) -> String {
        serde_json::to_string(&self.calls).unwrap_or_else(|_| "[]".to_owned())
    }

    /// The stream's state as its public name; `idle` before it was first wanted.
    pub(super) fn state(&self) -> String {
        let state = self.connection.and_then(|state| serde_json::to_value(state).ok());
        state.and_then(|state| state.as_str().map(str::to_owned)).unwrap_or_else(|| "idle".to_owned())
    }
}
