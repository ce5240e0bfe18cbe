//! The machine: no panic, no call that ends twice, caps kept, silence after the close.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pagehand::runtime::fuzz::fuzz_machine(bytes));
