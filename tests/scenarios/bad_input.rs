//! What a model or an engine may say that makes no sense, and what becomes of it.

use super::world::{Behavior, World, tool};
use pagehand::runtime::Config;
use serde_json::{Value, json};

fn called_with(arguments: Value) -> Value {
    json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "fill", "arguments": arguments }] },
        { "when": { "after": "*" }, "say": "{{result}}" },
    ] })
}

fn schema() -> Value {
    json!({ "type": "object", "required": ["city"], "properties": { "city": { "type": "string" } } })
}

fn run(arguments: &str, with_schema: bool) -> World {
    let mut world = World::new(called_with(json!(arguments)));
    let fill = tool("fill", Behavior::Returns("\"filled\"", 0));
    world.register(if with_schema { fill.input(schema()) } else { fill });
    world.send("go");
    world.advance(10_000);
    world.check();
    world
}

#[test]
fn empty_blank_and_null_arguments_count_as_an_empty_object() {
    for arguments in ["", "   ", "null", "{}"] {
        let world = run(arguments, false);
        assert_eq!(world.run_of("fill").text, "{}", "{arguments:?}");
        let world = run(arguments, true);
        assert_eq!(world.error_code(), "SCHEMA_VALIDATION_FAILED", "{arguments:?}: and are then checked");
    }
}

#[test]
fn arguments_cut_at_any_byte_are_never_run() {
    let whole = r#"{"city":"Köln","note":"a \"quoted\" word"}"#;
    for end in whole.char_indices().map(|(at, _)| at).skip(1) {
        let world = run(&whole[..end], false);
        assert_eq!(world.runs.len(), 0, "{}", &whole[..end]);
        assert_eq!(world.error_code(), "malformed-arguments");
        let said = world.answers()[0]["error"].as_str().expect("a text");
        assert!(said.starts_with("invalid tool arguments: "), "{said}");
    }
}

#[test]
fn doubled_trailing_and_wrongly_shaped_arguments_are_never_run() {
    for arguments in
        [r#"{"city":"a"}{"city":"a"}"#, r#"{"city":"a"} done"#, "[1]", "3", "true", "\"{}\"", "{'city':1}"]
    {
        let world = run(arguments, false);
        assert_eq!(world.runs.len(), 0, "{arguments}");
        assert_eq!(world.error_code(), "malformed-arguments", "{arguments}");
    }
}

#[test]
fn arguments_deeper_or_larger_than_the_caps_are_never_run() {
    let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let mut world =
        World::with(json!({ "script": called_with(json!(deep)), "deltaIntervalMs": 0 }), Config::default());
    world.register(tool("fill", Behavior::Returns("1", 0)));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.error_code(), "malformed-arguments");
    world.check();

    let mut world = World::with(
        json!({ "script": called_with(json!(format!("{{\"a\":\"{}\"}}", "x".repeat(5_000)))), "deltaIntervalMs": 0 }),
        Config { max_argument_bytes: 1_000, ..Config::default() },
    );
    world.register(tool("fill", Behavior::Returns("1", 0)));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.error_code(), "malformed-arguments");
    world.check();
}

#[test]
fn whole_arguments_reach_the_tool_to_the_last_byte() {
    for arguments in [
        r#"{"n":9007199254740993}"#,
        r#"{ "n" : 1e308, "m": -0 }"#,
        r#"{"__proto__":{"x":1},"constructor":2,"d":1,"d":2}"#,
        r#"{"s":"\ud800"}"#,
        "{\"s\":\"ends in a newline\\n\"}\n",
    ] {
        let world = run(arguments, false);
        assert_eq!(world.run_of("fill").text, arguments);
    }
}

#[test]
fn invalid_arguments_are_answered_so_that_the_model_can_repair_its_call() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "fill", "arguments": { "city": 5 } }] },
        { "when": { "after": "fill", "error": true }, "call": [{ "name": "fill", "arguments": { "city": "Porto" } }] },
        { "when": { "after": "fill" }, "say": "{{result}}" },
    ] }));
    world.register(tool("fill", Behavior::Returns("\"filled\"", 0)).input(schema()));
    world.send("go");
    world.advance(10_000);
    let said = world.answers()[0]["error"].as_str().expect("a text").to_owned();
    assert!(said.contains("/city") && said.contains("string") && said.contains('5'), "{said}");
    assert_eq!(world.runs.len(), 1);
    assert_eq!(world.run_of("fill").text, r#"{"city":"Porto"}"#);
    assert_eq!(world.finished_turns()[0].1, "filled");
    let indices: Vec<u32> = world.reports().iter().map(|report| report.trip_index).collect();
    assert_eq!(indices, [0, 1]);
    world.check();
}

#[test]
fn the_author_may_run_invalid_arguments_but_not_malformed_ones() {
    let mut world = World::new(called_with(json!({ "city": 5 })));
    world.register(
        tool("fill", Behavior::Returns("\"ran\"", 0)).input(schema()).with("onInvalid", json!("run")),
    );
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.finished_turns()[0].1, "ran");

    let mut world = World::new(called_with(json!("{\"city\":")));
    world.register(
        tool("fill", Behavior::Returns("\"ran\"", 0)).input(schema()).with("onInvalid", json!("run")),
    );
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.runs.len(), 0);
}

#[test]
fn the_authors_repair_is_checked_again_and_gets_one_try() {
    for (repair, runs) in [(Some(r#"{"city":"Porto"}"#), 1), (Some(r#"{"city":7}"#), 0), (None, 0)] {
        for arguments in [json!({ "city": 5 }), json!("{\"city\":")] {
            let mut world = World::new(called_with(arguments.clone()));
            world.repair = repair;
            world.register(
                tool("fill", Behavior::Returns("1", 0)).input(schema()).with("onInvalid", json!("repair")),
            );
            world.send("go");
            world.advance(5_000);
            assert_eq!(world.runs.len(), runs, "{repair:?} for {arguments}");
            world.check();
        }
    }
}

#[test]
fn a_validator_that_cannot_be_loaded_lets_nothing_run() {
    let mut world = World::new(called_with(json!({ "city": "Porto" })));
    world.validator = false;
    world.register(tool("fill", Behavior::Returns("1", 0)).input(schema()));
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.runs.len(), 0);
    assert_eq!(world.error_code(), "validator-unavailable");
    world.check();
}

#[test]
fn a_validator_that_never_answers_does_not_hold_the_call_for_ever() {
    let mut world = World::new(called_with(json!({ "city": "Porto" })));
    world.validates = false;
    world.register(tool("fill", Behavior::Returns("1", 0)).input(schema()));
    world.send("go");
    world.advance(120_000);
    assert_eq!(world.error_code(), "validator-unavailable");
    assert_eq!(world.finished_turns().len(), 1);
    world.check();
}

#[test]
fn a_result_that_breaks_its_schema_never_leaves_the_page() {
    let mut world = World::new(called_with(json!({})));
    world.register(
        tool("fill", Behavior::Returns(r#"{"secret":1}"#, 0))
            .output(json!({ "type": "object", "required": ["ok"] })),
    );
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.answers()[0]["type"], "tool.error");
    assert!(!world.answers()[0].to_string().contains("secret"));
    assert_eq!(world.error_code(), "invalid-result");
    world.check();
}

#[test]
fn a_string_result_is_checked_as_the_engine_reads_it() {
    let mut world = World::new(called_with(json!({})));
    world.register(
        tool("fill", Behavior::Returns(r#""{\"ok\":true}""#, 0))
            .output(json!({ "type": "object", "required": ["ok"] })),
    );
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.call(0).status, "completed");
    world.check();
}

#[test]
fn an_error_is_not_held_against_the_output_schema() {
    let mut world = World::new(called_with(json!({})));
    world.register(
        tool("fill", Behavior::Throws("no", 0)).output(json!({ "type": "object", "required": ["ok"] })),
    );
    world.send("go");
    world.advance(5_000);
    assert_eq!(world.answers()[0]["error"], "no");
    world.check();
}

#[test]
fn a_broken_frame_is_skipped_counted_and_told_once_and_the_stream_goes_on() {
    for event in ["decision.queued", "message.new", "llm.call.requested", "llm.token.delta"] {
        let mut world = World::new(called_with(json!({})));
        world.register(tool("fill", Behavior::Returns("\"filled\"", 0)));
        world.fault(json!({ "kind": "garbleFrame", "event": event }));
        world.send("go");
        world.advance(10_000);
        assert_eq!(world.warnings(), ["frame-invalid"], "{event}");
        assert_eq!(world.opened.len(), 1, "{event}: the stream goes on");
        assert_eq!(world.runs.len(), 1, "{event}");
        assert_eq!(world.finished_turns().len(), 1, "{event}");
        world.check();
    }
}

#[test]
fn events_nobody_knows_are_passed_over() {
    let mut world = World::new(called_with(json!({})));
    world.input(pagehand::runtime::Input::Attached);
    let request = pagehand::runtime::ids::RequestId(1);
    for _ in 0..3 {
        let bytes = b"event: weather.changed\ndata: {\"type\":\"weather.changed\"}\n\n".to_vec();
        world.input(pagehand::runtime::Input::ChunkArrived { request, bytes });
    }
    assert_eq!(world.warnings(), ["frame-unknown"]);
    assert_eq!(world.opened.len(), 1);
}
