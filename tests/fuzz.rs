//! A short run of the fuzz bodies in every test run, from a fixed seed; `fuzz/` has the real targets.

use pagehand::runtime::fuzz::fuzz_machine;

/// Bytes that are the same on every run.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn no_list_of_inputs_breaks_the_machine() {
    for seed in 0..1_500 {
        fuzz_machine(&bytes(seed, 40 + (seed as usize % 400)));
    }
}
