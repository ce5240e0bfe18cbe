//! The part of the page tools that touches elements. wasm32 only.
//!
//! Elements may be of other documents (frames), whose classes are not this one's: kinds are told by node types and
//! tag names, never by `instanceof`. Nothing is written as HTML, nothing is evaluated, nothing is held borrowed while
//! events are fired, since a page's listeners may call any tool again. Whatever the page throws is caught.

mod bridge;
mod choose;
mod click;
mod editor;
mod exports;
mod fill;
mod find;
mod hands;
mod names;
mod page;
mod policy;
mod press;
mod reach;
mod read;
mod refs;
mod run;
mod state;
mod submit;
mod tree;
mod view;
mod wait;
mod walk;
