//! Scenarios: the runtime against the bundled engine, in one process, under virtual time.
//!
//! One scenario per file. `world` is the only place that carries out effects.

#![cfg(not(target_arch = "wasm32"))]
#![allow(unreachable_pub, missing_docs, missing_debug_implementations)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod ag_ui;
mod agents;
mod agents_order;
mod agents_random;
mod bad_input;
mod connection;
mod consent;
mod deadlines;
mod declarations;
mod delivery;
mod hand;
mod happy_path;
mod interrupts;
mod lanes;
mod local_calls;
mod ownership;
mod recorded;
mod replay;
mod tools_come_and_go;
mod triggers;
mod turns;
mod world;
