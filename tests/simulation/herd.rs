//! The herd.
