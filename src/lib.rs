//! Pagehand: the page's half of an agent's client tools.
//!
//! This file is a map and nothing more.
//!
//! | module | job |
//! | --- | --- |
//! | [`protocol`] | the wire: bytes to frames, answers to bytes |
//! | [`runtime`] | what to do about it: one state machine without IO, time or chance |
//! | [`schema`] | JSON Schema: classify arguments, check results, issues a model can repair from |
//! | [`engine`] | the bundled engine: a scriptable server side, for tests and the demo |
//! | [`page`] | the built-in page tools: snapshots of a page, and acting in it |
//! | `browser` | the only code that touches a browser (wasm32 only) |

#![deny(unsafe_code)]

pub mod protocol;
pub mod runtime;
pub mod schema;

#[cfg(feature = "engine")]
pub mod engine;

#[cfg(feature = "page")]
pub mod page;

#[cfg(target_arch = "wasm32")]
pub mod browser;
