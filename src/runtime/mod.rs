//! What to do about what the engine says: one state machine, without IO, time, chance or JavaScript.
//!
//! [`Machine`] takes [`Input`]s and gives [`Output`]s. A shell carries out the effects and feeds what
//! came of them back in; a test does the same under virtual time.

#![forbid(unsafe_code)]

mod answers;
mod backoff;
mod board;
mod call;
mod calls;
mod children;
pub mod codes;
pub mod config;
mod delivery;
pub mod event;
mod frames;
#[cfg(any(test, feature = "engine", feature = "fuzz"))]
#[doc(hidden)]
pub mod fuzz;
pub mod ids;
pub mod input;
mod interrupts;
mod machine;
pub mod output;
mod ownership;
pub mod record;
mod registry;
mod report;
mod rng;
mod session;
mod sessions;
mod table;
#[cfg(feature = "ag_ui")]
mod thread;
#[cfg(not(feature = "ag_ui"))]
#[path = "thread_absent.rs"]
mod thread;
pub mod tool;
mod turn;

pub use codes::Code;
pub use config::Config;
pub use event::Event;
pub use ids::{CallKey, Millis};
pub use input::Input;
pub use machine::Machine;
pub use output::{Effect, Output};
pub use tool::ToolSpec;
