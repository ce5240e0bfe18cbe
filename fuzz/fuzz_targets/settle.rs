//! Result bodies: always JSON, with the value's own text inside.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::protocol::fuzz::fuzz_settle(bytes));
