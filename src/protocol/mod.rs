//! The wire: bytes to events, events to dialect-free [`Frame`]s, answers to body bytes.
//!
//! Nothing here holds state beyond a parser's buffer, and nothing here decides anything:
//! what to do about a frame is the runtime's business.

#![forbid(unsafe_code)]

#[cfg(feature = "ag_ui")]
pub mod ag_ui;
pub mod frame;
#[doc(hidden)]
pub mod fuzz;
pub(crate) mod json;
pub mod native;
pub mod patch;
pub mod settle;
pub mod sse;
pub mod trigger;

pub use frame::Frame;
pub use json::RawJson;
