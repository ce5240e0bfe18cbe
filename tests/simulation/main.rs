//! The proof of exactly once: runtimes and the bundled engine in one process under virtual time, with
//! every fault that networks, tabs, storage and clocks have, drawn from a seed.
//!
//! `cargo test --test simulation` runs the standing seeds. `SEEDS=1000000 cargo test --release --test
//! simulation` runs more, from `FROM` on. A failing seed prints its log; `SEED=n` runs that one alone.

#![cfg(not(target_arch = "wasm32"))]
#![allow(unreachable_pub, missing_docs, missing_debug_implementations)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod chance;
mod check;
mod disk;
mod herd;
mod page;
mod plan;
mod sim;

use plan::{Plan, Sabotage, Wire};
use sim::Sim;

/// Seeds of every test run.
const STANDING: u64 = 2_000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn run(seed: u64, wire: Wire, sabotage: Sabotage) -> Result<Sim, String> {
    let mut sim = Sim::new(Plan::new(seed, wire, sabotage));
    sim.run();
    match check::verdict(&sim) {
        Ok(()) => Ok(sim),
        Err(what) => Err(format!("seed {seed}: {what}\n{}", sim.log.join("\n"))),
    }
}

#[test]
fn every_call_is_answered_once_whatever_happens() {
    run_seeds(Wire::Native, STANDING);
}

#[test]
fn every_call_is_answered_once_over_ag_ui_too() {
    run_seeds(Wire::AgUi, STANDING);
}

#[allow(clippy::print_stdout)] // What a run came to is for whoever looks.
fn run_seeds(wire: Wire, standing: u64) {
    if let Some(seed) = number("SEED") {
        let sim = run(seed, wire, Sabotage::None).unwrap_or_else(|failure| panic!("{failure}"));
        println!("{}", sim.log.join("\n"));
        return;
    }
    let from = number("FROM").unwrap_or(1);
    let seeds = number("SEEDS").unwrap_or(standing);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let (mut runs, mut calls) = (0, 0);
    #[allow(clippy::disallowed_methods)] // The harness may have threads; what it drives may not.
    let results: Vec<_> = (0..workers)
        .map(|worker| {
            std::thread::spawn(move || {
                let (mut runs, mut calls) = (0, 0);
                for seed in (from..from + seeds).filter(|seed| seed % workers == worker) {
                    let sim = run(seed, wire, Sabotage::None)?;
                    runs += sim.executions.values().sum::<u32>();
                    calls += sim.engine_calls().len();
                }
                Ok::<_, String>((runs, calls))
            })
        })
        .collect();
    for result in results {
        let (some_runs, some_calls) = result.join().unwrap().unwrap_or_else(|failure| panic!("{failure}"));
        runs += some_runs;
        calls += some_calls;
    }
    println!("{wire:?}: {seeds} seeds: {calls} calls, {runs} runs of a tool");
    assert!(calls as u64 > seeds, "the plans make calls");
    assert!(u64::from(runs) > seeds / 2, "and the calls run tools");
}

#[test]
fn a_run_is_the_same_whenever_it_is_repeated() {
    for (seed, wire) in [(3, Wire::Native), (77, Wire::Native), (500, Wire::Native), (77, Wire::AgUi)] {
        let (first, second) = (run(seed, wire, Sabotage::None), run(seed, wire, Sabotage::None));
        assert_eq!(first.unwrap().log, second.unwrap().log);
    }
}

/// The check can fail: with one promise broken on purpose, it must.
#[test]
fn a_broken_promise_is_found() {
    for wire in [Wire::Native, Wire::AgUi] {
        find_broken(wire);
    }
}

fn find_broken(wire: Wire) {
    let promises = [
        (Sabotage::StoreForgetsStarts, "ran 2 times"),
        (Sabotage::EndsForgotten, "ran 2 times"),
        (Sabotage::FenceIgnored, "ran 2 times"),
        (Sabotage::InvokedTwice, "ran 2 times"),
        (Sabotage::AnswersVanish, "still waits"),
        (Sabotage::TerminalTwice, "ended twice"),
    ];
    for (sabotage, symptom) in promises {
        if wire == Wire::AgUi && sabotage == Sabotage::EndsForgotten {
            // There the transcript says that a call has ended, not only the record.
            continue;
        }
        let found = (1..400).find_map(|seed| run(seed, wire, sabotage).err());
        let found = found.unwrap_or_else(|| panic!("{sabotage:?} went unnoticed over {wire:?}"));
        assert!(
            found.lines().next().unwrap().contains(symptom),
            "{sabotage:?}: {}",
            found.lines().next().unwrap()
        );
    }
}
