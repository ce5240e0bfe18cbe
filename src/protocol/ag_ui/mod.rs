//! The AG-UI dialect: runs that are posted whole and answered by a stream of typed events.
//!
//! [`said`] reads one event, [`message`] one message of a transcript, [`input`] writes what a run begins with.
//! What an event lacks or has in an odd form reads as not said; a kind that is not known is kept whole. Nothing
//! here puts a run together from its events, and nothing here panics, whatever comes.

pub mod input;
pub mod message;
pub mod said;

pub use input::{Resume, RunInput};
pub use message::{Called, Message};
pub use said::{Outcome, Said, Suspension, read};
