//! The built-in page tools: reading a page as an assistant needs it, and acting in it as a person's hands do.
//!
//! What needs no page (roles, what a snapshot says, what changed, what is secret, which keys were meant) is pure and
//! has native tests; `dom` holds everything that touches elements and exists for wasm32 alone. The room knows no
//! wire, no runtime and no model. What comes from the page is data: it is quoted, shortened, masked, never run.

pub mod diff;
pub mod entry;
pub mod mask;
pub mod render;
pub mod role;
pub mod words;

#[cfg(target_arch = "wasm32")]
pub mod dom;
