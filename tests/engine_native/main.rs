//! The bundled engine against the wire it must speak, one room of it per module.

#![cfg(not(target_arch = "wasm32"))]
#![cfg(feature = "engine")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails loudly, in its helpers too"
)]

mod ag_ui;
mod calls;
mod driver;
mod faults;
mod host;
mod inputs;
mod random;
mod script;
mod settle;
mod streams;
mod subagents;
mod subagents_random;
mod tokens;
mod traces;
mod triggers;
mod worker;
