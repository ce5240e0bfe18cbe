//! What the app may ask at any time: the stream's state and the calls that are open.
//!
//! Kept from the events that pass by, so that JavaScript holds no map of calls. It is as large as the
//! machine's table of open calls, and no larger.

use crate::runtime::event::{CallState, Connection, ConnectionState, Event};
use crate::runtime::ids::CallKey;
use serde::Serialize;
use std::collections::BTreeMap;

/// The stream's state and the open calls.
#[derive(Debug, Default)]
pub(super) struct Board {
    calls: BTreeMap<CallKey, Pending>,
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
                    self.calls.remove(&call.key);
                }
                state => {
                    let pending = Pending {
                        key: call.key.clone(),
                        name: call.name.clone(),
                        turn_id: call.turn_id.clone(),
                        state,
                    };
                    self.calls.insert(call.key.clone(), pending);
                }
            },
            Event::Called(report) | Event::Failed(report) => {
                self.calls.remove(&report.key);
            }
            _ => {}
        }
    }

    /// The open calls as a JSON array.
    pub(super) fn pending(&self) -> String {
        let calls: Vec<&Pending> = self.calls.values().collect();
        serde_json::to_string(&calls).unwrap_or_else(|_| "[]".to_owned())
    }

    /// The stream's state as its public name; `idle` before it was first wanted.
    pub(super) fn state(&self) -> String {
        let state = self.connection.and_then(|state| serde_json::to_value(state).ok());
        state.and_then(|state| state.as_str().map(str::to_owned)).unwrap_or_else(|| "idle".to_owned())
    }
}
