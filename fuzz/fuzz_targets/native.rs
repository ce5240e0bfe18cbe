//! The native decoder: no panic, whatever the event.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::protocol::fuzz::fuzz_native(bytes));
