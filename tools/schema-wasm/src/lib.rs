//! Nothing of its own: links the crate's exports into a module of their own.

extern crate pagehand as _;
