//! A short run of the fuzz bodies in every test run, from a fixed seed; `fuzz/` has the real targets.

use pagehand::protocol::fuzz::fuzz_ag_ui;
use pagehand::runtime::fuzz::fuzz_machine;
use pagehand::schema::fuzz::fuzz_small;

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

#[test]
fn no_event_of_a_run_breaks_its_reader() {
    let seeds = [
        include_str!("../fuzz/seeds/ag_ui/call"),
        include_str!("../fuzz/seeds/ag_ui/messages"),
        "{\"a\":[1,2]}\n[{\"op\":\"move\",\"from\":\"/a/0\",\"path\":\"/b\"}]",
    ];
    for (place, seed) in seeds.into_iter().enumerate() {
        torn(seed, place, fuzz_ag_ui);
    }
    for seed in 0..500 {
        fuzz_ag_ui(&bytes(seed, 20 + (seed as usize % 200)));
    }
}

#[test]
fn no_schema_and_no_value_breaks_the_small_checker() {
    let seeds = [include_str!("../fuzz/seeds/small/object"), include_str!("../fuzz/seeds/small/formats")];
    for (place, seed) in seeds.into_iter().enumerate() {
        torn(seed, place, fuzz_small);
    }
}

/// A seed as it is, with each byte changed in turn, and with each end cut off.
fn torn(seed: &str, place: usize, run: fn(&[u8])) {
    run(seed.as_bytes());
    let noise = bytes(place as u64 + 7, seed.len());
    for (at, other) in noise.into_iter().enumerate() {
        let (before, after) = seed.as_bytes().split_at(at);
        run(before);
        run(&[before, &[other], after.split_first().map_or(&[], |(_, rest)| rest)].concat());
    }
}
