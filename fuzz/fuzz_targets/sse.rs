//! The event stream parser: no panic, and the cuts never show.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::protocol::fuzz::fuzz_sse(bytes));
