//! The only code that touches a browser: what the WASM files export, and the driver of the machine.
//!
//! It decides nothing; policy lives in [`runtime`](crate::runtime). It must not trap over anything
//! JavaScript gives it. One feature, one shipped file: each export module exists for its feature alone.

use wasm_bindgen::prelude::*;

/// Five kilobytes smaller than the standard library's allocator, of which every page would load each.
#[cfg(all(feature = "runtime", not(any(feature = "schema", feature = "engine"))))]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[cfg(feature = "runtime")]
mod answers;
#[cfg(feature = "runtime")]
mod board;
#[cfg(feature = "runtime")]
mod cancels;
#[cfg(feature = "runtime")]
mod driver;
#[cfg(feature = "runtime")]
mod effects;
#[cfg(feature = "engine")]
pub mod engine_exports;
#[cfg(feature = "runtime")]
pub mod exports;
#[cfg(feature = "runtime")]
mod fetching;
#[cfg(feature = "runtime")]
pub mod host;
#[cfg(feature = "runtime")]
mod panics;
#[cfg(feature = "runtime")]
mod request;
#[cfg(feature = "runtime")]
mod response;
#[cfg(feature = "schema")]
pub mod schema_exports;
#[cfg(feature = "runtime")]
mod settings;
#[cfg(feature = "runtime")]
mod signals;
#[cfg(feature = "runtime")]
mod tasks;
#[cfg(feature = "runtime")]
mod telling;
#[cfg(feature = "runtime")]
mod thrown;
#[cfg(feature = "runtime")]
mod timer;

/// Which build this is, so that the JavaScript around it can tell whether the two belong together.
#[wasm_bindgen(js_name = buildInfo)]
#[must_use]
pub fn build_info() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
