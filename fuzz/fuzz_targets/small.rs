//! The small checker: no panic over any schema and any value.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::schema::fuzz::fuzz_small(bytes));
