//! The trigger dialect: calls pushed one by one, answered by actions, closed by `tool.finished`.

use super::hand::{Hand, ROOT};
use super::world::{Behavior, SESSION, World, tool};
use pagehand::runtime::Config;
use pagehand::runtime::config::Dialect;
use pagehand::runtime::event::{Event, InputClass, ReportStatus};
use pagehand::runtime::input::{Input, Outcome, Verdict};
use pagehand::schema::Issue;
use serde_json::{Value, json};

fn page() -> Hand {
    let mut page = Hand::new(Config { dialect: Dialect::Trigger, ..Config::default() });
    page.tool(json!({ "name": "paint" }));
    page.tool(json!({ "name": "draw", "checksInput": true }));
    page.give(Input::Attached);
    page.opened(ROOT);
    page
}

fn execute(id: &str, name: &str, attempt: u64, input: Value) -> Value {
    json!({ "type": "tool.execute", "id": id, "name": name, "arguments": "{\"a\":1}", "attempt": attempt, "input": input })
}

fn valid() -> Value {
    json!({ "status": "valid", "value": { "a": 1 } })
}

fn push(page: &mut Hand, number: u64, trigger: &Value) {
    let kind = trigger["type"].as_str().unwrap();
    page.bytes(ROOT, &format!("id: n-{number}\nevent: {kind}\ndata: {trigger}\n\n"));
}

#[test]
fn a_trigger_runs_its_tool_and_the_action_is_its_answer() {
    let mut page = page();
    push(&mut page, 1, &execute("c", "paint", 3, valid()));
    page.returns("c", "{\"sky\":null}");
    let (_, session, action) = page.posts.last().unwrap().clone();
    assert_eq!(session, ROOT);
    assert_eq!(action, json!({ "type": "tool.result", "id": "c", "attempt": 3, "result": { "sky": null } }));
    page.answered(202, "{}");
    assert_eq!(page.reports().len(), 0, "a 202 is not the end");
    push(
        &mut page,
        2,
        &json!({ "type": "tool.finished", "id": "c", "ok": true, "name": "paint", "result": "{}" }),
    );
    assert_eq!(page.reports()[0].status, ReportStatus::Completed);
    let finished = page.events.iter().find_map(|event| match event {
        Event::Finished(finished) => Some(finished.clone()),
        _ => None,
    });
    assert!(finished.is_some_and(|finished| finished.ok && finished.id == "c" && finished.name == "paint"));
}

#[test]
fn a_null_is_a_result_like_any_other() {
    let mut page = page();
    push(&mut page, 1, &execute("c", "paint", 0, valid()));
    page.returns("c", "null");
    assert_eq!(page.posts.last().unwrap().2["result"], Value::Null);
    assert!(page.posts.last().unwrap().2.as_object().unwrap().contains_key("result"));
}

#[test]
fn the_same_trigger_again_is_the_same_call() {
    let mut page = page();
    for number in 1..4 {
        push(&mut page, number, &execute("c", "paint", 0, valid()));
    }
    assert_eq!(page.runs.len(), 1);
    page.returns("c", "1");
    page.answered(202, "{}");
    push(&mut page, 4, &json!({ "type": "tool.finished", "id": "c", "ok": true, "name": "paint" }));
    push(&mut page, 5, &execute("c", "paint", 0, valid()));
    assert_eq!(page.runs.len(), 1);
}

#[test]
fn an_error_carries_its_code_and_what_there_is_to_say() {
    let mut page = page();
    let issue = Issue {
        path: "/a".to_owned(),
        keyword: "type".to_owned(),
        message: "/a: must be a string".to_owned(),
        expected: None,
        got: None,
        hint: None,
    };
    page.verdict = Verdict::Invalid(vec![issue]);
    push(&mut page, 1, &execute("c", "draw", 0, valid()));
    let action = &page.posts.last().unwrap().2;
    assert_eq!(action["type"], "tool.error");
    assert_eq!(action["retryable"], false);
    assert_eq!(action["code"], "SCHEMA_VALIDATION_FAILED");
    assert_eq!(action["detail"][0]["path"], "/a");
    assert!(action["error"].as_str().unwrap().starts_with("invalid tool arguments: "));
    page.answered(202, "{}");
    let error = "invalid tool arguments";
    push(
        &mut page,
        2,
        &json!({ "type": "tool.finished", "id": "c", "ok": false, "name": "draw", "error": error }),
    );
    assert_eq!(page.reports()[0].status, ReportStatus::Failed);
    assert_eq!(page.reports()[0].delivery.as_ref().unwrap().tries, 1);
}

#[test]
fn what_the_engine_finds_wrong_counts_where_nothing_here_does() {
    for (tool, on_invalid, runs) in
        [("free", "reject", 0), ("checked", "reject", 0), ("eager", "run", 1), ("mended", "repair", 0)]
    {
        let mut page = page();
        let checks = tool == "checked";
        page.tool(json!({ "name": tool, "onInvalid": on_invalid, "checksInput": checks }));
        let input = json!({ "status": "invalid", "value": { "a": 1 }, "error": "/a: must be a string" });
        push(&mut page, 1, &execute("c", tool, 0, input));
        assert_eq!(page.runs.len(), runs, "{tool}");
        let class = page.events.iter().rev().find_map(|event| match event {
            Event::Call(call) => call.input,
            _ => None,
        });
        assert_eq!(class, Some(InputClass::Invalid), "{tool}");
        if on_invalid == "reject" {
            let error = page.posts.last().unwrap().2["error"].as_str().unwrap().to_owned();
            assert_eq!(error, "invalid tool arguments: /a: must be a string");
        }
    }
}

#[test]
fn a_newer_attempt_follows_an_error_that_asked_for_one() {
    let mut page = page();
    push(&mut page, 1, &execute("c", "paint", 0, valid()));
    let run = page.runs[0].0;
    let kind = pagehand::runtime::input::Failure::Threw;
    let outcome = Outcome::Failed { message: "busy".to_owned(), retryable: true, kind };
    page.give(Input::Settled { invocation: run, outcome });
    assert_eq!(page.posts.last().unwrap().2["retryable"], true);
    page.answered(202, "{}");
    push(&mut page, 2, &execute("c", "paint", 1, valid()));
    assert_eq!(page.reports().len(), 1, "the first attempt is over");
    assert_eq!(page.reports()[0].status, ReportStatus::Failed);
    assert_eq!(page.runs.len(), 2);
    page.returns("c", "1");
    assert_eq!(page.posts.last().unwrap().2["attempt"], 1);
}

#[test]
fn a_connection_goes_on_after_the_last_event_and_reads_history_before_it_acts() {
    let mut page = page();
    push(&mut page, 7, &execute("c", "paint", 0, valid()));
    page.returns("c", "1");
    page.answered(202, "{}");
    let request = page.streams[ROOT];
    page.give(Input::StreamClosed { request, failure: None });
    page.advance(2_000);
    assert_eq!(page.asked.last().unwrap(), &(ROOT.to_owned(), Some("n-7".to_owned())));
    page.opened(ROOT);
    push(&mut page, 8, &execute("d", "paint", 0, valid()));
    push(&mut page, 9, &json!({ "type": "tool.finished", "id": "d", "ok": true, "name": "paint" }));
    push(&mut page, 10, &execute("e", "paint", 0, valid()));
    assert_eq!(page.runs.len(), 1, "this may all be over already");
    page.advance(300);
    assert_eq!(page.runs.len(), 2);
    assert_eq!(page.runs[1].2, "e");
}

#[test]
fn a_deadline_ends_the_run() {
    let mut page = page();
    let mut trigger = execute("c", "paint", 0, valid());
    // The engine's clock is known by what it says of the moment.
    trigger["occurred_at"] = json!("2026-09-03T10:00:00Z");
    trigger["deadline"] = json!("2026-09-03T10:00:02Z");
    push(&mut page, 1, &trigger);
    page.advance(1_999);
    assert_eq!(page.cancelled.len(), 0);
    page.advance(1);
    assert_eq!(page.cancelled.len(), 1);
    let action = &page.posts.last().unwrap().2;
    assert_eq!((&action["code"], &action["retryable"]), (&json!("deadline_exceeded"), &json!(true)));
}

#[test]
fn a_message_is_refused_in_words() {
    let mut page = page();
    page.send("t");
    let refused = page.events.iter().find_map(|event| match event {
        Event::TurnFinished { error, .. } => error.clone(),
        _ => None,
    });
    let problem = refused.expect("the turn failed");
    assert_eq!(problem.code, "message-refused");
    assert!(problem.message.contains("trigger transport"), "{}", problem.message);
    assert_eq!(page.posts.len(), 0);
}

#[test]
fn a_broken_trigger_is_passed_over_and_the_next_one_runs() {
    let mut page = page();
    page.bytes(ROOT, "event: tool.execute\ndata: {\"type\":\"tool.execute\",\"name\":\"paint\"}\n\n");
    page.bytes(ROOT, "event: tool.execute\ndata: {\"type\":\n\n");
    page.bytes(ROOT, "event: cart.changed\ndata: {\"type\":\"cart.changed\"}\n\n");
    push(&mut page, 1, &execute("c", "paint", 0, valid()));
    assert_eq!(page.runs.len(), 1);
    let codes: Vec<&str> = page.warnings().iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, ["frame-invalid", "frame-invalid", "frame-unknown"]);
}

#[test]
fn the_engines_own_trigger_endpoint_serves_a_page_to_the_end() {
    let script = json!({ "rules": [
        { "when": { "user": "sum" }, "call": [
            { "name": "add", "arguments": { "a": 1, "b": 2 } },
            { "name": "add", "arguments": { "a": "x" } },
            { "name": "add", "arguments": { "a": 3, "b": 4 } },
        ] },
        { "when": { "after": "*" }, "say": "done" },
    ] });
    let schema =
        json!({ "type": "object", "required": ["a", "b"], "properties": { "a": { "type": "number" } } });
    let tools = json!([{ "name": "add", "handler": "client", "input": schema }]);
    let config = Config { dialect: Dialect::Trigger, ..Config::default() };
    let mut world = World::with(json!({ "script": script, "agent": { "tools": tools } }), config);
    // The page has no schema of its own: what the engine finds is what counts.
    world.register(tool("add", Behavior::Returns("3", 5)));
    world.input(Input::Attached);
    world.post_as_other(&json!({
        "session_id": SESSION,
        "input": {
            "type": "client.message", "agent_id": "shop", "turn_id": "t", "stream": false,
            "message": { "role": "user", "content": "sum" },
        },
    }));
    world.advance(100);
    world.cut_stream();
    world.advance(20_000);
    assert_eq!(world.runs.len(), 2);
    let statuses: Vec<ReportStatus> = world.reports().iter().map(|report| report.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == ReportStatus::Completed).count(), 2);
    assert_eq!(statuses.len(), 3);
    assert_eq!(world.engine.messages(SESSION).last().unwrap()["content"], "done");
    let errors: Vec<&Value> = world.posts.iter().filter(|post| post["type"] == "tool.error").collect();
    assert_eq!(errors.len(), 1, "{:?}", world.posts);
    assert!(errors[0]["error"].as_str().unwrap().starts_with("invalid tool arguments: "));
    assert_eq!(world.machine.open_calls(), 0);
}

#[test]
fn numbers_in_the_data_are_no_order() {
    let mut page = page();
    for (id, seq) in [("c", 41), ("d", 7)] {
        let event = json!({ "seq": seq, "payload": execute(id, "paint", 0, valid()) });
        page.bytes(ROOT, &format!("event: tool.execute\ndata: {event}\n\n"));
    }
    assert_eq!(page.runs.len(), 2);
    assert_eq!(page.asked.len(), 1, "no stream is read again for them");
    assert_eq!(page.warnings(), []);
}

#[test]
fn attempts_out_of_order_run_the_newest_alone() {
    let mut page = page();
    push(&mut page, 1, &execute("c", "paint", 1, valid()));
    push(&mut page, 2, &execute("c", "paint", 0, valid()));
    assert_eq!(page.runs.len(), 1);
    page.returns("c", "1");
    // The end is told before the answer to the post.
    push(&mut page, 3, &json!({ "type": "tool.finished", "id": "c", "ok": true, "name": "paint" }));
    page.answered(202, "{}");
    push(&mut page, 4, &execute("c", "paint", 0, valid()));
    push(&mut page, 5, &execute("c", "paint", 1, valid()));
    assert_eq!(page.runs.len(), 1, "what came before the attempt that ended is over too");
    assert_eq!(page.reports().len(), 1);
}

#[test]
fn a_server_that_never_finishes_a_call_is_asked_a_few_times_and_then_left() {
    let mut page = page();
    push(&mut page, 1, &execute("c", "paint", 0, valid()));
    page.returns("c", "1");
    let mut last = 0;
    while page.machine.open_calls() > 0 && page.posts.len() < 50 {
        if page.posts.len() > last {
            last = page.posts.len();
            page.answered(202, "{}");
        }
        page.bytes(ROOT, ":\n\n");
        page.advance(1_000);
    }
    assert!(page.posts.len() < 10, "{}", page.posts.len());
    assert!(page.posts.iter().all(|post| post.2 == page.posts[0].2), "the same bytes each time");
    assert_eq!((page.runs.len(), page.reports().len()), (1, 1));
    push(&mut page, 2, &execute("c", "paint", 0, valid()));
    assert_eq!(page.runs.len(), 1);
}

#[test]
fn a_stream_that_ends_after_each_frame_runs_each_call_once() {
    let mut page = page();
    let calls: Vec<String> = (0..4).map(|number| format!("c{number}")).collect();
    for upto in 0..4 {
        // The server begins anew each time.
        for call in &calls[..=upto] {
            push(&mut page, 1, &execute(call, "paint", 0, valid()));
        }
        page.advance(300);
        let request = page.streams[ROOT];
        page.give(Input::StreamClosed { request, failure: None });
        page.advance(2_000);
        page.opened(ROOT);
    }
    page.advance(300);
    let mut runs: Vec<&str> = page.runs.iter().map(|(_, _, id)| id.as_str()).collect();
    runs.sort_unstable();
    assert_eq!(runs, calls);
}
