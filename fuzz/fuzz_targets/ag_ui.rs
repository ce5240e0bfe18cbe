//! The AG-UI reader, transcripts and patches: no panic, and what travels back is JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::protocol::fuzz::fuzz_ag_ui(bytes));
