//! Conversations over AG-UI, with servers written by hand: what each may send, and what must come of it.

mod asks;
mod calls;
mod cuts;
mod loops;
mod native;
mod past;
mod recorded;
mod renumbered;
mod runner;
mod shown;
mod sound;
mod stops;
mod tools;
mod torn;
mod wild;
