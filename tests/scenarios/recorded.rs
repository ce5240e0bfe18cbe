//! Recorded streams: reading one to its end gives what its expectation says, however the bytes are cut.

use pagehand::runtime::event::{CallState, Event};
use pagehand::runtime::input::Input;
use pagehand::runtime::output::{Effect, Output};
use pagehand::runtime::{Config, Machine, Millis};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/native/frames")
}

/// What a machine did about a stream.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    run: Vec<(String, u64, String, String)>,
    voided: BTreeSet<String>,
    bad_frames: usize,
    gap: bool,
    cursor: u64,
}

/// Feeds a stream in two pieces to a page that attaches to its session, then lets it come to rest.
fn read(stream: &[u8], cut: usize, session: &str) -> Outcome {
    let config = Config {
        session_id: session.to_owned(),
        agent: "shop".to_owned(),
        fresh: false,
        ..Config::default()
    };
    let mut now = Millis(1_790_000_000_000);
    let mut machine = Machine::new(config, now);
    let mut outcome = Outcome::default();
    let mut inputs = std::collections::VecDeque::from([Input::Attached]);
    while let Some(input) = inputs.pop_front() {
        machine.handle(now, input);
        while let Some(output) = machine.poll_output() {
            match output {
                Output::Effect(Effect::OpenStream { request, after_seq, .. }) => {
                    outcome.cursor = after_seq;
                    let opened = Input::StreamOpened {
                        request,
                        status: 200,
                        content_type: Some("text/event-stream".to_owned()),
                        retry_after: None,
                    };
                    inputs.push_back(opened);
                    for bytes in [&stream[..cut], &stream[cut..]] {
                        inputs.push_back(Input::ChunkArrived { request, bytes: bytes.to_vec() });
                    }
                }
                Output::Effect(_) => {}
                Output::Event(Event::Call(call)) if call.state == CallState::Received => {
                    let arguments = call.arguments.unwrap_or_default();
                    outcome.run.push((call.key.call_id.clone(), call.key.attempt, call.name, arguments));
                }
                Output::Event(Event::Failed(report)) => {
                    outcome.voided.insert(report.key.call_id.clone());
                }
                Output::Event(Event::Warning(warning)) => match warning.code.as_str() {
                    "frame-invalid" => outcome.bad_frames += 1,
                    "stream-gap" => outcome.gap = true,
                    _ => {}
                },
                Output::Event(_) => {}
            }
        }
        if inputs.is_empty() && now.0 < 1_790_000_000_300 {
            // The quiet spell after which history counts as read.
            now = now.plus(Millis(300));
            inputs.push_back(Input::TimePassed);
        }
    }
    outcome.run.sort();
    outcome
}

#[test]
fn every_recorded_stream_gives_what_it_must_at_every_cut() {
    let expectations: Value =
        serde_json::from_str(&std::fs::read_to_string(fixtures().join("expect.json")).expect("expectations"))
            .expect("JSON");
    let expectations = expectations.as_object().expect("an object");
    assert!(expectations.len() >= 30);
    for (name, expected) in expectations {
        let stream = std::fs::read(fixtures().join(format!("{name}.sse"))).expect("a stream");
        let text = String::from_utf8_lossy(&stream);
        let session =
            text.split("\"session_id\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("s1");
        let whole = read(&stream, 0, session);

        let mut run: Vec<&Value> = expected["run"].as_array().expect("run").iter().collect();
        run.sort_by_key(|call| call["id"].as_str().map(str::to_owned));
        assert_eq!(whole.run.len(), run.len(), "{name}: {whole:?}");
        for (got, wanted) in whole.run.iter().zip(&run) {
            assert_eq!(got.0, wanted["id"], "{name}");
            assert_eq!(got.1, wanted["attempt"], "{name}");
            if let Some(tool) = wanted["name"].as_str() {
                assert_eq!(got.2, tool, "{name}");
            }
            if let Some(arguments) = wanted["arguments"].as_str() {
                assert_eq!(got.3, arguments, "{name}");
            }
        }
        assert_eq!(whole.bad_frames as u64, expected["badFrames"].as_u64().unwrap_or(0), "{name}");
        // A recording that begins in mid-session lacks what came before, and we ask from the start.
        let begins = text.lines().find_map(|line| line.strip_prefix("id: ")?.parse::<u64>().ok());
        let gap = begins.is_some_and(|first| first != 1) || expected["gap"] == true;
        assert_eq!(whole.gap, gap, "{name}");
        for id in expected["notOurs"]
            .as_array()
            .into_iter()
            .flatten()
            .chain(expected["never"].as_array().into_iter().flatten())
        {
            assert!(!whole.run.iter().any(|call| call.0 == *id), "{name}: {id} is not ours to run");
        }

        let step = if stream.len() < 1_500 { 1 } else { 151 };
        for cut in (1..stream.len()).step_by(step) {
            assert_eq!(read(&stream, cut, session), whole, "{name} cut at byte {cut}");
        }
    }
}
