//! Recorded event streams, read by the parser and the native decoder and folded as a page would.
//!
//! The fold here is the plainest one that can be: it shows that nothing a page needs is lost between
//! the bytes and the frames.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that is wrong should stop at once"
)]

mod protocol_common;

use pagehand::protocol::frame::{Frame, Handler, OpenCall, Positioned};
use pagehand::protocol::native;
use pagehand::protocol::sse::{Limits, SseItem, SseParser};
use protocol_common::{every_cut, fixture, fixture_bytes, hear, hear_chunks};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
struct Call {
    attempt: u64,
    max_attempts: u64,
    name: String,
    arguments: String,
}

#[derive(Debug, Default, PartialEq)]
struct Fold {
    last_seq: Option<u64>,
    contiguous_seq: Option<u64>,
    gap: bool,
    open: BTreeMap<String, Call>,
    runs: Vec<(String, u64)>,
    settled: Vec<String>,
    voided: Vec<String>,
    waiting: BTreeMap<String, Call>,
    not_ours: Vec<String>,
    bad_frames: u64,
    listed: Option<Vec<OpenCall>>,
    partial: Vec<String>,
}

impl Fold {
    fn of(chunks: &[&[u8]]) -> Self {
        let mut fold = Self::default();
        let mut parser = SseParser::new(Limits::default());
        let mut frames = Vec::new();
        for chunk in chunks {
            parser.push(chunk, &mut |item| {
                if let SseItem::Event(event) = item {
                    match native::decode_event(&event, native::Interest::default(), &mut frames) {
                        Ok(()) => frames.drain(..).for_each(|frame| fold.take(frame)),
                        Err(_) => fold.bad_frames += 1,
                    }
                }
            });
        }
        fold
    }

    fn take(&mut self, positioned: Positioned) {
        if let Some(seq) = positioned.seq {
            if self.last_seq.is_some_and(|last| seq <= last) {
                return;
            }
            self.gap |= self.last_seq.is_some_and(|last| seq > last + 1);
            self.last_seq = Some(seq);
            if !self.gap {
                self.contiguous_seq = Some(seq);
            }
        }
        if positioned.open_calls.is_some() {
            self.listed = positioned.open_calls;
        }
        match positioned.frame {
            Frame::CallRequested(call) if call.handler == Handler::Client => {
                self.waiting.remove(&call.id);
                self.runs.push((call.id.clone(), call.attempt));
                let kept = Call {
                    attempt: call.attempt,
                    max_attempts: call.max_attempts.unwrap_or(1),
                    name: call.name,
                    arguments: call.arguments,
                };
                self.open.insert(call.id, kept);
            }
            Frame::CallRequested(call) => self.not_ours.push(call.id),
            Frame::CallCompleted { id, .. } => {
                self.open.remove(&id);
                self.settled.push(id);
            }
            Frame::CallErrored { id, retryable, .. } => match self.open.remove(&id) {
                Some(call) if retryable && call.attempt + 1 < call.max_attempts => {
                    self.waiting.insert(id, call);
                }
                _ => self.settled.push(id),
            },
            Frame::CallVoided { id } => {
                self.open.remove(&id);
                self.voided.push(id);
            }
            Frame::SessionCancelled => self.voided.extend(std::mem::take(&mut self.open).into_keys()),
            Frame::ArgumentsDelta { id, .. } => self.partial.extend(id),
            _ => {}
        }
    }
}

fn ids(value: &Value) -> Vec<String> {
    value.as_array().map_or(Vec::new(), |ids| ids.iter().map(|id| id.as_str().unwrap().to_owned()).collect())
}

fn expectations() -> Vec<(String, Value)> {
    let all: BTreeMap<String, Value> = serde_json::from_str(&fixture("native/frames/expect.json")).unwrap();
    all.into_iter().filter(|(name, _)| !name.starts_with('_')).collect()
}

fn stream(name: &str) -> Vec<u8> {
    fixture_bytes(&format!("native/frames/{name}.sse"))
}

fn agrees(name: &str, expect: &Value, fold: &Fold) {
    assert_eq!(json!(fold.last_seq), expect["lastSeq"], "{name}: last seq");
    assert_eq!(fold.open.keys().cloned().collect::<Vec<_>>(), ids(&expect["open"]), "{name}: open");
    assert_eq!(fold.settled, ids(&expect["settled"]), "{name}: settled");
    assert_eq!(fold.voided, ids(&expect["voided"]), "{name}: voided");
    assert_eq!(fold.waiting.keys().cloned().collect::<Vec<_>>(), ids(&expect["waiting"]), "{name}: waiting");
    assert_eq!(fold.not_ours, ids(&expect["notOurs"]), "{name}: not ours");
    assert_eq!(fold.bad_frames, expect["badFrames"].as_u64().unwrap_or(0), "{name}: bad frames");
    assert_eq!(fold.gap, expect["gap"] == json!(true), "{name}: gap");
    if let Some(contiguous) = expect["contiguousSeq"].as_u64() {
        assert_eq!(fold.contiguous_seq, Some(contiguous), "{name}: contiguous");
    }
    for never in ids(&expect["never"]) {
        assert!(!fold.open.contains_key(&never), "{name}: {never} is only announced");
        assert!(fold.partial.contains(&never), "{name}: {never} is announced");
    }
    let run = expect["run"].as_array().unwrap();
    assert_eq!(run.len(), fold.open.len(), "{name}: what is open is to be run");
    for wanted in run {
        let call = &fold.open[wanted["id"].as_str().unwrap()];
        assert_eq!(json!(call.attempt), wanted["attempt"], "{name}: attempt");
        for (told, member) in [(&call.name, "name"), (&call.arguments, "arguments")] {
            if let Some(text) = wanted[member].as_str() {
                assert_eq!(told, text, "{name}: {member}");
            }
        }
    }
    if expect["runOnce"] == json!(true) {
        assert_eq!(fold.runs.len(), run.len(), "{name}: a replay runs nothing");
    }
}

#[test]
fn every_recorded_stream_folds_to_what_is_expected() {
    let expectations = expectations();
    let files =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/native/frames")).unwrap();
    let streams =
        files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|end| end == "sse"));
    assert_eq!(streams.count(), expectations.len(), "each stream has its expectation");
    for (name, expect) in &expectations {
        let bytes = stream(name);
        agrees(name, expect, &Fold::of(&[&bytes]));
        agrees(name, expect, &Fold::of(&bytes.chunks(1).collect::<Vec<_>>()));
    }
}

#[test]
fn small_recorded_streams_fold_alike_at_every_cut() {
    let mut folded = 0;
    for (name, expect) in expectations() {
        let bytes = stream(&name);
        if bytes.len() > 1000 {
            continue;
        }
        folded += 1;
        every_cut(&bytes, |at, first, second| {
            agrees(&format!("{name} cut at {at}"), &expect, &Fold::of(&[first, second]));
        });
    }
    assert!(folded >= 14, "only {folded} small streams");
}

#[test]
fn large_recorded_streams_give_the_same_events_at_every_cut() {
    for (name, _) in expectations() {
        let bytes = stream(&name);
        if bytes.len() <= 1000 || bytes.len() > 5000 {
            continue;
        }
        let expected = hear(&bytes);
        every_cut(&bytes, |at, first, second| {
            assert_eq!(hear_chunks(&[first, second]), expected, "{name} cut at {at}");
        });
    }
}

#[test]
fn the_engines_own_list_of_open_calls_agrees_with_the_fold() {
    for name in ["client-call-open-source", "client-call-settled-source"] {
        let fold = Fold::of(&[&stream(name)]);
        let listed: Vec<_> = fold.listed.unwrap().into_iter().map(|call| call.id).collect();
        assert_eq!(listed, fold.open.into_keys().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn documented_and_real_envelopes_give_the_same_frames() {
    for kind in ["open", "settled"] {
        let [documented, real] =
            ["doc", "source"].map(|form| Fold::of(&[&stream(&format!("client-call-{kind}-{form}"))]));
        assert_eq!(documented, Fold { listed: None, ..real });
    }
}
