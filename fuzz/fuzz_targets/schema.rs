//! Classification of arguments: no panic, whole objects pass untouched.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::schema::fuzz::fuzz_classify(bytes));
