//! Event streams: cursors, turn scope, deltas, keep-alives, both event objects.

use serde_json::{Value, json};

use crate::driver::{Driver, cart, cart_with, result};

fn ids(driver: &Driver, stream: u64) -> Vec<u64> {
    driver.frames(stream).into_iter().filter_map(|frame| frame.id).collect()
}

fn finished() -> Driver {
    let (mut driver, call) = Driver::with_open_call(cart());
    driver.post(result(&call, json!("x")));
    driver.pass(5000);
    driver
}

#[test]
fn the_log_counts_from_one_without_holes() {
    let driver = finished();
    let seqs: Vec<u64> = driver.engine.log("s1").iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
}

#[test]
fn a_stream_opened_before_the_session_sees_everything_live() {
    let mut driver = Driver::new(cart());
    let stream = driver.open("?after_seq=0");
    let answer = &driver.answers[&stream];
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    driver.say("t-1", "cart", &["read_cart"]);
    driver.pass(5000);
    assert_eq!(driver.logged(stream), driver.names());
}

#[test]
fn each_cursor_replays_what_the_table_says() {
    let mut driver = finished();
    let all = driver.engine.log("s1").len() as u64;
    for (query, first) in [("?after_seq=0", 1), ("?after_seq=7", 8), ("", all + 1)] {
        let stream = driver.open(query);
        assert_eq!(ids(&driver, stream), (first..=all).collect::<Vec<_>>(), "{query}");
    }
    let bad = driver.open("?after_seq=x");
    assert_eq!(driver.answers[&bad].status, 400);
}

#[test]
fn a_last_event_id_overrides_the_query() {
    let mut driver = finished();
    let all = driver.engine.log("s1").len() as u64;
    let bearer = format!("Bearer {}", driver.token);
    let target = "/api/client/sessions/s1/events/stream?after_seq=0";
    for (header, first) in [("9", 10), ("nonsense", 1)] {
        let headers = [("Authorization", bearer.as_str()), ("Last-Event-ID", header)];
        let stream = driver.send("GET", target, &headers, b"");
        assert_eq!(ids(&driver, stream), (first..=all).collect::<Vec<_>>());
    }
}

#[test]
fn a_replay_sends_the_very_same_bytes() {
    let mut driver = Driver::new(cart());
    let live = driver.open("?after_seq=0");
    driver.post(json!({
        "type": "client.message", "agent_id": "shop", "message": { "role": "user", "content": "hi" },
    }));
    driver.pass(1000);
    let replay = driver.open("?after_seq=0");
    assert_eq!(driver.text(live), driver.text(replay));
}

#[test]
fn deltas_have_no_id_and_are_not_replayed() {
    let mut driver = Driver::new(cart());
    let live = driver.open("?after_seq=0");
    driver.say("t-1", "cart", &["read_cart"]);
    driver.pass(5000);
    let deltas: Vec<Value> = driver
        .frames(live)
        .iter()
        .filter(|frame| frame.event == "llm.token.delta")
        .inspect(|frame| assert_eq!(frame.id, None))
        .map(|frame| frame.json())
        .collect();
    let text: String = deltas.iter().filter_map(|delta| delta["text"].as_str()).collect();
    assert_eq!(text, "Let me look.");
    let seqs: Vec<u64> = deltas.iter().map(|delta| delta["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=deltas.len() as u64).collect::<Vec<_>>());
    assert!(deltas.iter().all(|delta| delta.get("reasoning") == Some(&Value::Null)));
    let call = &driver.engine.calls("s1")[0];
    let part = deltas.iter().find(|delta| delta["tool_calls"].is_array()).unwrap();
    assert_eq!(part["tool_calls"][0]["id"], call.id);
    assert_eq!(deltas.last().unwrap()["finish_reason"], "tool_calls");
    let replay = driver.open("?after_seq=0");
    assert!(driver.frames(replay).iter().all(|frame| frame.event != "llm.token.delta"));
}

#[test]
fn deltas_are_paced_by_the_clock() {
    let mut driver = Driver::new(cart_with(json!({ "deltaIntervalMs": 100 })));
    let live = driver.open("?after_seq=0");
    driver.say("t-1", "cart", &["read_cart"]);
    let count = |driver: &Driver| driver.frames(live).iter().filter(|frame| frame.id.is_none()).count();
    assert_eq!(count(&driver), 0);
    driver.pass(100);
    assert_eq!(count(&driver), 1);
    driver.pass(99);
    assert_eq!(count(&driver), 1);
    driver.pass(1);
    assert_eq!(count(&driver), 2);
}

#[test]
fn nothing_is_streamed_unless_asked_for() {
    let mut driver = Driver::new(cart());
    let live = driver.open("?after_seq=0");
    driver.post(json!({
        "type": "client.message", "agent_id": "shop", "message": { "role": "user", "content": "hi" },
    }));
    driver.pass(1000);
    assert!(driver.frames(live).iter().all(|frame| frame.id.is_some()));
}

#[test]
fn a_scoped_stream_shows_its_turn_and_ends_with_it() {
    let mut driver = finished();
    let live = driver.open("?after_seq=0&turn_id=t-2");
    driver.say("t-2", "hello", &[]);
    driver.pass(5000);
    let logged = driver.logged(live);
    assert_eq!(logged.first().unwrap(), "turn.started");
    assert_eq!(logged.last().unwrap(), "turn.completed");
    assert!(driver.ended.contains(&live));
    let past = driver.open("?after_seq=0&turn_id=t-1");
    assert!(driver.ended.contains(&past));
    let never = driver.open("?turn_id=t-1");
    driver.pass(60_000);
    assert!(!driver.ended.contains(&never));
}

#[test]
fn an_unscoped_stream_stays_open_when_the_session_is_done() {
    let mut driver = finished();
    let stream = driver.open("?after_seq=0");
    driver.pass(60_000);
    assert!(!driver.ended.contains(&stream));
    assert_eq!(driver.logged(stream).last().unwrap(), "session.done");
}

#[test]
fn silence_is_filled_with_comments_every_fifteen_seconds() {
    let mut driver = Driver::new(cart());
    let stream = driver.open("?after_seq=0");
    driver.pass(14_999);
    assert_eq!(driver.text(stream), "");
    driver.pass(1);
    assert_eq!(driver.text(stream), ":\n\n");
    driver.pass(30_000);
    assert_eq!(driver.text(stream), ":\n\n".repeat(3));
}

#[test]
fn a_gone_client_is_sent_nothing_more() {
    let mut driver = Driver::new(cart());
    let stream = driver.open("?after_seq=0");
    driver.give(pagehand::engine::Input::ClientGone { id: stream });
    driver.say("t-1", "cart", &[]);
    driver.pass(60_000);
    assert_eq!((driver.text(stream).as_str(), driver.engine.open_streams()), ("", 0));
}

#[test]
fn a_stream_of_someone_else_ends_when_the_session_gets_its_owner() {
    let mut driver = Driver::new(cart());
    let owner = std::mem::take(&mut driver.token);
    driver.token = driver.mint("eavesdropper", 600);
    let stream = driver.open("?after_seq=0");
    driver.token = owner;
    driver.say("t-1", "cart", &[]);
    assert_eq!(driver.text(stream), "");
    assert!(driver.ended.contains(&stream));
}

#[test]
fn the_big_object_lists_the_open_calls_as_of_each_event() {
    let (mut driver, call) = Driver::with_open_call(cart());
    let stream = driver.open("?after_seq=0");
    let at = |driver: &Driver, name: &str| {
        let frames = driver.frames(stream);
        frames.iter().find(|frame| frame.event == name).unwrap().json()
    };
    let requested = at(&driver, "tool.call.requested");
    assert_eq!(requested["tenant_id"], "acme");
    assert_eq!(requested["meta"]["turn_id"], "t-1");
    assert_eq!(requested.get("turn_id"), None);
    assert_eq!(
        requested["meta"]["calls"],
        json!([{
            "id": call, "kind": "tool_call", "status": "queued", "attempt": 0,
            "name": "read_cart", "arguments": "{}", "handler": "client",
        }])
    );
    assert_eq!(requested["payload"]["retry"]["max_attempts"], 1);
    assert_eq!(requested["payload"]["retry"]["run_timeout_secs"], Value::Null);
    assert_eq!(at(&driver, "tool.call.dispatched")["meta"]["calls"][0]["status"], "pending");
    driver.post(result(&call, json!(1)));
    assert_eq!(at(&driver, "tool.call.completed")["meta"]["calls"], json!([]));
}

#[test]
fn the_documented_object_is_small() {
    let config = cart_with(json!({ "switches": { "eventObject": "documented" } }));
    let (mut driver, _) = Driver::with_open_call(config);
    let stream = driver.open("?after_seq=0");
    let frames = driver.frames(stream);
    let last: Value = frames.last().unwrap().json();
    let keys: Vec<&String> = last.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["occurred_at", "payload", "seq", "session_id", "turn_id"]);
    assert_eq!(frames[0].json().get("turn_id"), None);
}

#[test]
fn the_same_seed_and_times_give_the_same_bytes() {
    let run = || {
        let (mut driver, call) = Driver::with_open_call(cart_with(json!({ "seed": 42 })));
        let stream = driver.open("?after_seq=0");
        driver.post(result(&call, json!("x")));
        driver.pass(60_000);
        driver.text(stream)
    };
    assert_eq!(run(), run());
}
