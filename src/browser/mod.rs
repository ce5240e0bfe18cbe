//! The only code that touches a browser: what the WASM files export, and the driver of the machine.
//!
//! It decides nothing; policy lives in [`runtime`](crate::runtime). It must not trap over anything
//! JavaScript gives it. One feature, one shipped file: each export module exists for its feature alone.

use wasm_bindgen::prelude::*;

/// Five kilobytes smaller than the standard library's allocator, of which every page would load each.
#[cfg(all(
    any(feature = "driver", feature = "checker", feature = "page"),
    not(any(feature = "schema", feature = "engine"))
))]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

#[cfg(feature = "driver")]
mod answers;
#[cfg(feature = "bench")]
pub mod bench_exports;
#[cfg(feature = "driver")]
mod board;
#[cfg(feature = "driver")]
mod cancels;
#[cfg(feature = "checker")]
pub mod checker_exports;
#[cfg(feature = "driver")]
mod driver;
#[cfg(feature = "checker")]
mod ecma;
#[cfg(feature = "driver")]
mod effects;
#[cfg(feature = "engine")]
pub mod engine_exports;
#[cfg(feature = "driver")]
pub mod exports;
#[cfg(feature = "driver")]
mod fetching;
#[cfg(feature = "driver")]
pub mod host;
#[cfg(feature = "driver")]
mod panics;
#[cfg(feature = "driver")]
mod request;
#[cfg(feature = "driver")]
mod response;
#[cfg(feature = "schema")]
pub mod schema_exports;
#[cfg(feature = "driver")]
mod settings;
#[cfg(feature = "driver")]
mod signals;
#[cfg(feature = "driver")]
mod tasks;
#[cfg(feature = "driver")]
mod telling;
#[cfg(feature = "driver")]
mod thrown;
#[cfg(feature = "driver")]
mod timer;

/// Which build this is, so that the JavaScript around it can tell whether the two belong together.
#[wasm_bindgen(js_name = buildInfo)]
#[must_use]
pub fn build_info() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
