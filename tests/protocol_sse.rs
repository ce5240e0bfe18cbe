//! The event stream parser against what a real browser's `EventSource` answered, at every cut.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that is wrong should stop at once"
)]

mod protocol_common;

use pagehand::protocol::sse::{Limits, MAX_FIELD_BYTES, SseItem, SseParser};
use proptest::prelude::*;
use protocol_common::{Heard, base64, every_cut, fixture, hear, hear_chunks, hear_with};
use serde_json::Value;

struct Case {
    name: String,
    chunks: Vec<Vec<u8>>,
    events: Vec<(String, String, String)>,
    last_id: String,
    reconnect_header: Option<String>,
    retry: Option<u64>,
}

fn cases() -> Vec<Case> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list: Vec<Value> = serde_json::from_str(&fixture("sse-cases.json")).unwrap();
    let read = |case: Value| Case {
        name: text(&case["name"]),
        chunks: case["chunks"].as_array().unwrap().iter().map(|chunk| base64(&text(chunk))).collect(),
        events: case["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| (text(&event["event"]), text(&event["data"]), text(&event["id"])))
            .collect(),
        last_id: text(&case["lastEventId"]),
        reconnect_header: case["reconnectHeader"].as_str().map(str::to_owned),
        retry: case["retry"].as_u64(),
    };
    list.into_iter().map(read).collect()
}

/// Reads the chunks and compares each thing said, as it is said, with what the browser said.
fn check(case: &Case, chunks: &[&[u8]], cuts: &str) {
    let mut parser = SseParser::new(Limits::default());
    let mut expected = case.events.iter();
    let mut retry = None;
    for chunk in chunks {
        parser.push(chunk, &mut |item| match item {
            SseItem::Event(event) => {
                let heard = (event.kind(), event.data(), event.last_event_id());
                let (kind, data, id) =
                    expected.next().unwrap_or_else(|| panic!("{} {cuts}: {heard:?} is too much", case.name));
                let agrees = heard.0 == *kind && heard.1 == *data && heard.2 == id;
                assert!(agrees, "{} {cuts}: {heard:?} is not {:?}", case.name, (kind, data, id));
            }
            SseItem::Retry(milliseconds) => retry = Some(milliseconds),
            SseItem::Comment => {}
            SseItem::Oversized { .. } => panic!("{} {cuts}: nothing is oversized", case.name),
        });
    }
    assert_eq!(expected.next(), None, "{} {cuts}", case.name);
    assert_eq!(retry, case.retry, "{} {cuts}", case.name);
    let last_id = parser.last_event_id();
    assert_eq!(last_id, case.last_id, "{} {cuts}", case.name);
    let header = (!last_id.is_empty()).then_some(last_id);
    assert_eq!(header, case.reconnect_header.as_deref(), "{} {cuts}", case.name);
}

#[test]
fn every_case_gives_the_browsers_answer_as_it_was_sent() {
    let cases = cases();
    assert!(cases.len() >= 72, "only {} cases", cases.len());
    for case in &cases {
        let chunks: Vec<&[u8]> = case.chunks.iter().map(Vec::as_slice).collect();
        check(case, &chunks, "as sent");
    }
}

#[test]
fn every_case_gives_the_browsers_answer_byte_by_byte() {
    for case in cases() {
        let bytes = case.chunks.concat();
        check(&case, &bytes.chunks(1).collect::<Vec<_>>(), "byte by byte");
    }
}

#[test]
fn every_case_gives_the_browsers_answer_at_every_cut() {
    for case in cases() {
        let bytes = case.chunks.concat();
        // One case is a single letter repeated 131,000 times. Cut at all its places it would take
        // minutes without optimization and show the same line in two pieces over and over.
        let stride = if bytes.len() < 100_000 || !cfg!(debug_assertions) { 1 } else { 251 };
        for at in (0..=bytes.len()).filter(|at| at % stride == 0 || at.min(&(bytes.len() - at)) < &600) {
            check(&case, &[&bytes[..at], &bytes[at..]], &format!("cut at {at}"));
        }
    }
}

#[test]
fn every_small_case_gives_the_browsers_answer_in_three_pieces() {
    for case in cases() {
        let bytes = case.chunks.concat();
        if bytes.len() > 100 {
            continue;
        }
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let chunks = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                check(&case, &chunks, &format!("cut at {first} and {second}"));
            }
        }
    }
}

const TALK: &str = "id: 1\nevent: tool.call.requested\ndata: {\"é😀漢\":1}\n\n: ping\n\nevent: x\n: inside\ndata: a\ndata: b\n\nid: 2\ndata: c\n\n";

#[test]
fn every_kind_of_line_end_gives_the_same_events() {
    let expected = hear(TALK.as_bytes());
    assert_eq!(expected.0.len(), 5, "three events and two comments");
    for end in ["\r\n", "\r"] {
        let stream = TALK.replace('\n', end);
        every_cut(stream.as_bytes(), |at, first, second| {
            assert_eq!(hear_chunks(&[first, second]), expected, "{end:?} cut at {at}");
        });
    }
    let mut ends = ["\n", "\r\n", "\r"].iter().cycle();
    let mixed: String =
        TALK.split_inclusive('\n').map(|line| line.replace('\n', ends.next().unwrap())).collect();
    // A bare return before a bare line feed would be one end, so the mix keeps them apart.
    assert!(!mixed.contains("\r\n\n\r"));
    every_cut(mixed.as_bytes(), |at, first, second| {
        assert_eq!(hear_chunks(&[first, second]), hear(mixed.as_bytes()), "cut at {at}");
    });
}

#[test]
fn a_mark_and_single_bytes_and_comments_are_nothing_special() {
    let marked = [b"\xEF\xBB\xBF".as_slice(), TALK.as_bytes()].concat();
    let chunks: Vec<&[u8]> = marked.chunks(1).collect();
    assert_eq!(hear_chunks(&chunks), hear(TALK.as_bytes()));
}

#[test]
fn comments_show_life_between_before_and_inside_events() {
    let (heard, _) = hear(b": one\n\n:\ndata: a\n:two\ndata: b\n\n: three\n");
    let comments = heard.iter().filter(|item| **item == Heard::Comment).count();
    assert_eq!(comments, 4);
    let data: Vec<_> = heard.iter().filter_map(Heard::data).collect();
    assert_eq!(data, ["a\nb"]);
}

#[test]
fn characters_cut_in_two_come_out_whole() {
    let stream = "data: é😀漢字\ndata: 🏳️‍🌈\n\n".as_bytes();
    every_cut(stream, |at, first, second| {
        let (heard, _) = hear_chunks(&[first, second]);
        assert_eq!(heard[0].data(), Some("é😀漢字\n🏳️‍🌈"), "cut at {at}");
    });
}

#[test]
fn an_events_own_id_is_told_from_one_in_force() {
    let (heard, last_id) = hear(b"id: 7\ndata: a\n\ndata: b\n\nid:\ndata: c\n\ndata: d\n\nid: 9\n\n");
    let own: Vec<_> = heard.iter().filter_map(Heard::own_id).collect();
    assert_eq!(own, [Some("7"), None, Some(""), None]);
    assert_eq!(last_id, "9", "a block without data sets the id too");
}

#[test]
fn a_resumed_stream_keeps_the_id_until_a_new_one_comes() {
    let mut parser = SseParser::resuming(Limits::default(), "41");
    let heard = hear_with(&mut parser, &[b"data: a\n\nid: 42\ndata: b\n\n"]);
    assert_eq!(heard.iter().filter_map(Heard::id).collect::<Vec<_>>(), ["41", "42"]);
}

#[test]
fn a_retry_beyond_all_clocks_is_as_long_as_one_can_wait() {
    let (heard, _) = hear(b"retry: 99999999999999999999999999\nretry:\nretry: -1\n");
    assert_eq!(heard, [Heard::Retry(u64::MAX)]);
}

fn small() -> SseParser {
    SseParser::new(Limits { max_event_bytes: 10 })
}

#[test]
fn an_event_too_large_is_reported_once_skipped_and_the_stream_goes_on() {
    let stream = b"id: 5\nevent: big\ndata: 0123456789\n\nid: 6\nevent: big\ndata: 0123456789A\ndata: more\ndata: 0123456789ABC\n\nid: 7\ndata: next\n\n";
    let expected = hear_with(&mut small(), &[stream]);
    assert_eq!(
        expected,
        [
            Heard::event("big", "0123456789", "5", true),
            Heard::Oversized { name: "big".to_owned(), id: Some("6".to_owned()), limit: 10 },
            Heard::event("message", "next", "7", true),
        ]
    );
    every_cut(stream, |at, first, second| {
        let mut parser = small();
        assert_eq!(hear_with(&mut parser, &[first, second]), expected, "cut at {at}");
        assert_eq!(parser.last_event_id(), "7");
    });
}

#[test]
fn lines_that_are_joined_count_with_their_line_feeds() {
    for (stream, fits) in [
        ("data: 01234\ndata: 6789\n\n", true),
        ("data: 01234\ndata: 56789\n\n", false),
        ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", true),
        ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", false),
    ] {
        every_cut(stream.as_bytes(), |at, first, second| {
            let heard = hear_with(&mut small(), &[first, second]);
            assert_eq!(matches!(heard[..], [Heard::Event { .. }]), fits, "{stream:?} cut at {at}");
            assert_eq!(matches!(heard[..], [Heard::Oversized { .. }]), !fits, "{stream:?} cut at {at}");
        });
    }
}

#[test]
fn an_endless_line_is_reported_and_not_kept() {
    let mut parser = SseParser::new(Limits::default());
    let mut heard = hear_with(&mut parser, &[b"id: 3\ndata: "]);
    let piece = vec![b'x'; 64 * 1024];
    for _ in 0..144 {
        heard.extend(hear_with(&mut parser, &[&piece]));
    }
    let limit = Limits::default().max_event_bytes;
    let report = Heard::Oversized { name: String::new(), id: Some("3".to_owned()), limit };
    assert_eq!(heard, [report], "nine megabytes without an end are one report");
    let after = hear_with(&mut parser, &[b"\n\ndata: on\n\n"]);
    assert_eq!(after, [Heard::event("message", "on", "3", false)]);
}

#[test]
fn a_name_too_long_counts_as_an_event_too_large_and_an_id_too_long_is_ignored() {
    let long = "n".repeat(MAX_FIELD_BYTES + 1);
    let fits = "n".repeat(MAX_FIELD_BYTES);
    let stream = format!("event: {long}\ndata: a\n\nid: {long}\nevent: {fits}\ndata: b\n\n");
    let expected = hear(stream.as_bytes());
    assert!(
        matches!(&expected.0[..], [Heard::Oversized { .. }, Heard::Event { kind, id, .. }] if *kind == fits && id.is_empty())
    );
    let bytes = stream.as_bytes();
    for at in (0..bytes.len()).step_by(97).chain(0..20).chain(MAX_FIELD_BYTES..MAX_FIELD_BYTES + 30) {
        assert_eq!(hear_chunks(&[&bytes[..at], &bytes[at..]]), expected, "cut at {at}");
    }
}

#[test]
fn an_event_over_many_chunks_costs_what_it_is_long() {
    // In pieces of one byte a parser that looks again at what it holds would need 4 * 10^12 steps.
    let body = "x".repeat(2_000_000);
    let stream = format!("data: {body}\ndata: {body}\n\n");
    let chunks: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    let (heard, _) = hear_chunks(&chunks);
    assert_eq!(heard[0].data().map(str::len), Some(4_000_001));
}

#[test]
fn an_event_inside_one_chunk_is_lent_and_not_copied() {
    let chunk = b"event: e\ndata: payload\n\n".as_slice();
    let range = chunk.as_ptr_range();
    let mut seen = 0;
    SseParser::new(Limits::default()).push(chunk, &mut |item| {
        if let SseItem::Event(event) = item {
            assert!(range.contains(&event.data_bytes().as_ptr()));
            assert!(range.contains(&event.name_bytes().as_ptr()));
            seen += 1;
        }
    });
    assert_eq!(seen, 1);
}

/// Streams made of what a parser may trip over.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "data", "data:", "data: ", "data:  x", "event: e", "event:", "id: 7", "id", "id:\0", "retry: 10",
            "retry:x", ":", ": ping", "é", "😀", "\u{FEFF}", "x", "dat", "dataa", "datadata: y", "\0", "{\"a\":1}",
        ])
        .prop_map(|piece| piece.as_bytes().to_vec()),
        3 => prop::sample::select(vec!["\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n"])
            .prop_map(|end| end.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_cuts_never_show(bytes in stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8), limit in 0_usize..20) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.push(0);
        places.push(bytes.len());
        places.sort_unstable();
        let pieces: Vec<&[u8]> = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        for limits in [Limits::default(), Limits { max_event_bytes: limit }] {
            let mut whole = SseParser::new(limits);
            let expected = hear_with(&mut whole, &[&bytes]);
            for chunks in [&pieces, &single] {
                let mut parser = SseParser::new(limits);
                prop_assert_eq!(&hear_with(&mut parser, chunks), &expected);
                prop_assert_eq!(parser.last_event_id(), whole.last_event_id());
            }
        }
    }

    #[test]
    fn line_ends_are_all_alike(lines in prop::collection::vec(prop::sample::select(vec!["data: a", "data", "", "id: 1", ": c", "event: é", "x"]), 0..30)) {
        let expected = hear(lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes());
        for end in ["\r", "\r\n"] {
            let stream: String = lines.iter().map(|line| format!("{line}{end}")).collect();
            prop_assert_eq!(&hear(stream.as_bytes()), &expected);
        }
    }
}
