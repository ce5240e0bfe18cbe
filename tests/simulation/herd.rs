//! The herd: an engine restarts and all its clients want back in at once.
//!
//! Only the reconnects are played, with the very machine that ships, so that a hundred thousand clients fit.

use pagehand::runtime::ids::RequestId;
use pagehand::runtime::output::{Effect, Output};
use pagehand::runtime::{Config, Input, Machine, Millis};
use std::collections::{BTreeMap, BTreeSet};

const DOWN: u64 = 5_000;
const BUCKET: u64 = 100;

struct Herd {
    clients: Vec<(Machine, RequestId)>,
    due: BTreeSet<(u64, usize)>,
    /// Connection attempts by tenth of a second.
    attempts: BTreeMap<u64, u64>,
    back_at: u64,
}

impl Herd {
    fn new(size: usize) -> Herd {
        let clients = (0..size)
            .map(|client| {
                let config =
                    Config { seed: client as u64, session_id: format!("s{client}"), ..Config::default() };
                (Machine::new(config, Millis(0)), RequestId(0))
            })
            .collect();
        Herd { clients, due: BTreeSet::new(), attempts: BTreeMap::new(), back_at: 0 }
    }

    /// Feeds one client and returns whether it asks for its stream.
    fn feed(&mut self, client: usize, now: u64, input: Input) -> bool {
        let (machine, request) = &mut self.clients[client];
        machine.handle(Millis(now), input);
        let mut asks = false;
        while let Some(output) = machine.poll_output() {
            if let Output::Effect(Effect::OpenStream { request: handle, .. }) = output {
                *request = handle;
                asks = true;
            }
        }
        if let Some(at) = machine.poll_timeout() {
            self.due.insert((at.0, client));
        }
        asks
    }

    fn run(&mut self) {
        for client in 0..self.clients.len() {
            self.feed(client, 0, Input::Attached);
            self.open(client, 0);
        }
        self.due.clear();
        for client in 0..self.clients.len() {
            let request = self.clients[client].1;
            self.feed(client, 1, Input::StreamClosed { request, failure: Some("restart".to_owned()) });
        }
        let mut waiting: BTreeSet<usize> = (0..self.clients.len()).collect();
        while let Some((now, client)) = self.due.pop_first() {
            if waiting.is_empty() {
                return;
            }
            if !waiting.contains(&client) || !self.feed(client, now, Input::TimePassed) {
                continue;
            }
            *self.attempts.entry(now / BUCKET).or_default() += 1;
            if now < DOWN {
                let request = self.clients[client].1;
                self.feed(client, now, Input::StreamClosed { request, failure: Some("refused".to_owned()) });
            } else {
                waiting.remove(&client);
                self.back_at = now;
            }
        }
    }

    fn open(&mut self, client: usize, now: u64) {
        let request = self.clients[client].1;
        let content_type = Some("text/event-stream".to_owned());
        self.feed(client, now, Input::StreamOpened { request, status: 200, content_type, retry_after: None });
    }
}

#[test]
fn a_restart_meets_no_stampede() {
    println!("clients   peak in 100 ms   share of all   all back after");
    for size in [100, 1_000, 10_000, 100_000] {
        let mut herd = Herd::new(size);
        herd.run();
        let peak = herd.attempts.values().copied().max().unwrap_or(0);
        let share = peak as f64 / size as f64;
        println!(
            "{size:>7}   {peak:>14}   {:>11.1}%   {:>11.1} s",
            share * 100.0,
            herd.back_at as f64 / 1_000.0
        );
        assert!(share < 0.25, "{peak} of {size} clients came within a tenth of a second");
        assert!(herd.back_at < DOWN + 2 * 30_000, "the last one came back after {} ms", herd.back_at);
    }
}
