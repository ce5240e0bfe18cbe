//! The bundled engine: a faithful, scriptable server side of the wire, for tests, simulation and the demo.
//!
//! Pure and sans-IO, driven like the runtime: [`Engine::handle`] takes an [`Input`] and the time, then
//! [`Engine::poll_output`] is drained, then [`Engine::poll_timeout`] says when time alone would matter.
//! The same seed, inputs and times give the same outputs, byte for byte. The runtime never depends on it.
//!
//! ```
//! use pagehand::engine::{Config, Engine, Input, Millis, Output};
//!
//! let mut engine = Engine::new(Config::default());
//! engine.handle(Millis(0), Input::Request {
//!     id: 1,
//!     method: "POST".to_owned(),
//!     target: "/api/machine/client-tokens".to_owned(),
//!     headers: vec![("Authorization".to_owned(), "Bearer test-api-key".to_owned())],
//!     body: br#"{ "identity": { "id": "shopper-17" } }"#.to_vec(),
//! });
//! assert!(matches!(engine.poll_output(), Some(Output::Response { status: 200, .. })));
//! ```

#![forbid(unsafe_code)]

mod actions;
mod ag_ui;
mod attempts;
mod auth;
mod body;
mod calls;
mod check;
mod config;
mod decisions;
mod delivery;
#[expect(clippy::module_inception, reason = "the type the room is named after")]
mod engine;
mod events;
mod faults;
mod http;
mod ids;
mod inputs;
mod inspect;
mod interrupts;
mod io;
mod model;
mod result;
mod script;
mod session;
mod settle;
mod shared;
mod stream;
mod subagents;
mod switches;
mod tree;
mod triggers;
mod worker;

pub use calls::CallStatus;
pub use config::{
    AgentConfig, AgentTool, Config, Handler, ModelSource, RetryOverrides, RetryPolicy, SubagentEntry,
    WorkerAnswer, WorkerScript, WorkerSource,
};
pub use engine::Engine;
pub use events::Event;
pub use faults::Fault;
pub use inspect::{CallRecord, ChildRecord, Settlement};
pub use io::{Input, ModelDelta, ModelFailure, ModelReply, Operator, Output, ReplyCall};
pub use script::{Reply, Rule, Script, ScriptCall, ScriptInterrupt, When};
pub use switches::{
    AgUiAnswers, AgUiRunEnd, BadBody, BusySubmit, EventObject, ResultForm, SubagentPrefix, Switches,
    ViewInTurn,
};

pub use crate::runtime::Millis;
