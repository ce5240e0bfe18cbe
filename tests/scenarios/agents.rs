//! Agents that a session starts: their client calls run here too, and are accounted for under them.

use super::hand::{Hand, ROOT, agent, call, completed, requested};
use super::world::{Behavior, Mishap, SESSION, World, tool};
use pagehand::runtime::event::{Event, ReportStatus};
use pagehand::runtime::ids::CallKey;
use pagehand::runtime::input::Input;
use pagehand::runtime::record::{Progress, Record};
use pagehand::runtime::{Config, Millis};
use serde_json::{Value, json};

pub(crate) fn started(child: &str) -> Value {
    json!({ "type": "subagent.started", "id": child, "agent_id": "poet", "tool_call_id": format!("call-{child}") })
}

pub(crate) fn ended(child: &str) -> Value {
    json!({ "type": "subagent.turn_completed", "id": child, "agent_id": "poet" })
}

/// A page in the middle of turn `t`, live, with the tool `paint`.
pub(crate) fn page() -> Hand {
    let mut page = Hand::new(Config::default());
    page.tool(json!({ "name": "paint" }));
    page.send("t");
    page.answered(202, r#"{"session_id":"root","turn_id":"t"}"#);
    page.opened(ROOT);
    page.frame(ROOT, json!({ "type": "turn.started", "turn_id": "t" }));
    page.frame(ROOT, json!({ "type": "message.new", "message": { "role": "assistant" } }));
    page
}

/// The child's stream up to the call that waits for the page.
pub(crate) fn work(page: &mut Hand, child: &str, id: &str) {
    page.opened(child);
    page.live(child);
    go_on(page, child, id);
}

pub(crate) fn go_on(page: &mut Hand, child: &str, id: &str) {
    page.frame(child, json!({ "type": "turn.started", "turn_id": "inner" }));
    page.frame(child, json!({ "type": "message.new", "message": { "role": "assistant" } }));
    page.frame(child, requested(id, "paint"));
    page.frame(child, json!({ "type": "tool.call.dispatched", "id": id, "attempt": 0 }));
}

/// The page's answer arrives, and the child's turn ends.
pub(crate) fn finish(page: &mut Hand, child: &str, id: &str) {
    page.returns(id, "\"blue\"");
    assert_eq!(page.posts.last().unwrap().1, child, "an answer names the session of its call");
    assert_eq!(page.posts.last().unwrap().2["session_id"], child);
    page.answered(202, "{}");
    page.frame(child, completed(id, "paint"));
    page.frame(child, json!({ "type": "turn.completed", "turn_id": "inner" }));
}

pub(crate) fn end_turn(page: &mut Hand) {
    page.frame(ROOT, json!({ "type": "turn.completed", "turn_id": "t" }));
}

#[test]
fn a_call_of_an_agent_runs_here_and_is_accounted_for_under_it() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    assert_eq!(page.adopted, ["child"]);
    work(&mut page, "child", "c1");
    assert_eq!(page.runs.len(), 1);
    assert_eq!(page.runs[0].1, "child");
    page.now = page.now.plus(Millis(40));
    finish(&mut page, "child", "c1");
    assert!(page.streams.contains_key("child"), "its parent has the last word");
    page.frame(ROOT, ended("child"));
    assert!(!page.streams.contains_key("child"), "nothing more is wanted of it");
    end_turn(&mut page);

    let children = page.children().expect("the turn is over");
    let report = agent(&children[0]);
    assert_eq!((children.len(), report.children.len()), (1, 1));
    assert_eq!(report.session_id, "child");
    assert_eq!(report.name.as_deref(), Some("poet"));
    assert_eq!(report.call_id.as_deref(), Some("call-child"));
    assert_eq!(report.turn_id.as_deref(), Some("t"));
    assert_eq!(report.status, ReportStatus::Completed);
    assert_eq!(report.ended_at.since(report.started_at).0, 40);
    let inner = call(&report.children[0]);
    assert_eq!(inner.name, "paint");
    assert_eq!(inner.status, ReportStatus::Completed);
    assert_eq!(inner.turn_id.as_deref(), Some("t"), "people know the call by the turn they began");
    assert_eq!(inner.trip_index, 0);
}

#[test]
fn what_an_agent_says_is_not_the_users_conversation() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    let delta = r#"data: {"type":"llm.token.delta","call_id":"m","turn_id":"inner","text":"rhyme"}"#;
    page.bytes("child", &format!("event: llm.token.delta\n{delta}\n\n"));
    let said = |event: &&Event| match event {
        Event::Text { .. } => true,
        Event::Message { turn_id, .. } => turn_id.as_deref() != Some("t"),
        _ => false,
    };
    assert_eq!(page.events.iter().find(said).map(|event| format!("{event:?}")), None);
}

#[test]
fn a_parent_that_is_ahead_of_the_child_waits_for_its_report() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    page.returns("c1", "\"blue\"");
    page.answered(202, "{}");
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    assert!(page.children().is_none(), "the child's stream has not said yet what became of the call");
    page.frame("child", completed("c1", "paint"));
    page.frame("child", json!({ "type": "turn.completed", "turn_id": "inner" }));
    let children = page.children().expect("the turn is over");
    assert_eq!(call(&agent(&children[0]).children[0]).status, ReportStatus::Completed);
}

#[test]
fn a_childs_stream_that_stays_behind_does_not_hold_the_turn_for_long() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    page.advance(1_999);
    assert!(page.children().is_none());
    page.advance(1);
    assert_eq!(page.children().map(|children| children.len()), Some(0));
}

#[test]
fn agents_of_agents_are_followed_and_nest() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    page.opened("child");
    page.live("child");
    page.frame("child", json!({ "type": "turn.started", "turn_id": "inner" }));
    page.frame("child", started("grandchild"));
    work(&mut page, "grandchild", "c1");
    finish(&mut page, "grandchild", "c1");
    page.frame("child", ended("grandchild"));
    page.frame("child", json!({ "type": "turn.completed", "turn_id": "inner" }));
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    let children = page.children().expect("the turn is over");
    let inner = agent(&agent(&children[0]).children[0]);
    assert_eq!(inner.session_id, "grandchild");
    assert_eq!(call(&inner.children[0]).key.session_id, "grandchild");
}

#[test]
fn history_starts_no_agent_that_is_over() {
    let mut page = Hand::new(Config { fresh: false, ..Config::default() });
    page.tool(json!({ "name": "paint" }));
    page.give(Input::Attached);
    page.opened(ROOT);
    page.frame(ROOT, json!({ "type": "turn.started", "turn_id": "t" }));
    page.frame(ROOT, started("done"));
    page.frame(ROOT, ended("done"));
    page.frame(ROOT, started("open"));
    assert_eq!(page.adopted, [""; 0], "nothing is followed while history is read");
    page.live(ROOT);
    assert_eq!(page.adopted, ["open"]);

    // What is read of it is history in turn: a call that was settled meanwhile does not run.
    page.opened("open");
    page.frame("open", json!({ "type": "turn.started", "turn_id": "inner" }));
    page.frame("open", requested("c1", "paint"));
    page.frame("open", completed("c1", "paint"));
    page.frame("open", requested("c2", "paint"));
    assert_eq!(page.runs.len(), 0);
    page.live("open");
    assert_eq!(page.runs.len(), 1);
    assert_eq!(page.runs[0].2, "c2");
}

#[test]
fn a_call_that_an_earlier_page_started_is_not_started_again() {
    let mut page = page();
    page.adopts = false;
    let key = |id: &str| CallKey::new("child".to_owned(), id.to_owned(), 0);
    let body = r#"{"session_id":"child","input":{"type":"tool.result","id":"c2"}}"#;
    page.records = vec![
        Record { key: key("c1"), tool: "paint".to_owned(), progress: Progress::Started },
        Record {
            key: key("c2"),
            tool: "paint".to_owned(),
            progress: Progress::Answered { body: body.into(), ok: true },
        },
        Record { key: key("c3"), tool: "paint".to_owned(), progress: Progress::Ended },
    ];
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    page.frame("child", requested("c2", "paint"));
    page.frame("child", requested("c3", "paint"));
    assert_eq!(page.runs.len(), 0, "nothing runs before it is known what was done already");
    let before = page.posts.len();
    page.adopt("child");
    assert_eq!(page.runs.len(), 0);
    let mut posts: Vec<(&str, &str)> = page.posts[before..]
        .iter()
        .map(|(_, _, body)| (body["input"]["id"].as_str().unwrap(), body["input"]["type"].as_str().unwrap()))
        .collect();
    posts.sort_unstable();
    assert_eq!(posts, [("c1", "tool.error"), ("c2", "tool.result")]);
}

#[test]
fn a_page_that_does_not_own_the_session_leaves_its_agents_alone() {
    let mut page = page();
    page.give(Input::OwnershipLost);
    page.frame(ROOT, started("child"));
    assert!(!page.streams.contains_key("child"));
    page.give(Input::OwnershipGained { records: Vec::new() });
    assert_eq!(page.adopted, ["child"]);
    work(&mut page, "child", "c1");
    page.live("child");
    assert_eq!(page.runs.len(), 1);

    page.give(Input::OwnershipLost);
    assert!(!page.streams.contains_key("child"));
    assert_eq!(page.cancelled.len(), 1);
    page.give(Input::OwnershipGained { records: Vec::new() });
    assert_eq!(page.adopted, ["child", "child"], "its turn may come again");
    page.opened("child");
    page.live("child");
    assert_eq!(page.runs.len(), 2, "what its stream had said is not read a second time, and not forgotten");
}

#[test]
fn a_few_agents_are_followed_at_once_and_the_others_wait() {
    let mut page = page();
    for child in ["a", "b", "c", "d", "e"] {
        page.frame(ROOT, started(child));
    }
    assert_eq!(page.adopted, ["a", "b", "c", "d"]);
    work(&mut page, "a", "c1");
    finish(&mut page, "a", "c1");
    page.frame(ROOT, ended("a"));
    assert_eq!(page.adopted, ["a", "b", "c", "d", "e"]);
    work(&mut page, "e", "c2");
    page.live("e");
    assert_eq!(page.runs.len(), 2);
}

#[test]
fn a_session_that_is_called_off_takes_its_agents_calls_with_it() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    page.frame("child", json!({ "type": "session.cancelled" }));
    assert_eq!(page.cancelled.len(), 1);
    assert!(!page.streams.contains_key("child"));
    end_turn(&mut page);
    let children = page.children().expect("the turn is over");
    assert_eq!(agent(&children[0]).status, ReportStatus::Cancelled);
    assert_eq!(call(&agent(&children[0]).children[0]).status, ReportStatus::Cancelled);
}

#[test]
fn a_failed_agent_says_why() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    page.opened("child");
    page.live("child");
    let error = json!({ "message": "out of rhymes", "code": "refused" });
    page.frame(ROOT, json!({ "type": "subagent.errored", "id": "child", "error": error }));
    end_turn(&mut page);
    let children = page.children().expect("the turn is over");
    let report = agent(&children[0]);
    assert_eq!(report.status, ReportStatus::Failed);
    let problem = report.error.as_ref().expect("an error");
    assert_eq!((problem.code.as_str(), problem.message.as_str()), ("refused", "out of rhymes"));
}

#[test]
fn a_stream_that_is_refused_ends_with_its_parents_word() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    page.opened_with("child", 403);
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    assert_eq!(agent(&page.children().expect("the turn is over")[0]).status, ReportStatus::Completed);
}

#[test]
fn a_session_taken_up_again_goes_on_where_it_was() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    finish(&mut page, "child", "c1");
    page.frame(ROOT, ended("child"));
    page.frame(ROOT, started("child"));
    assert_eq!(page.adopted, ["child", "child"]);
    page.opened("child");
    page.frame("child", json!({ "type": "turn.started", "turn_id": "second" }));
    page.frame("child", requested("c2", "paint"));
    page.live("child");
    assert_eq!(page.runs.len(), 2, "the first call is not met again: the cursor was kept");
}

/// A concierge that hands over to a painter, whose tool is the page's.
fn engine() -> Value {
    json!({
        "agent": { "subagents": [{ "id": "painter" }] },
        "script": { "rules": [
            { "when": { "user": "paint" }, "call": [{ "name": "painter", "arguments": { "message": "{{user}}" } }] },
            { "when": { "after": "painter" }, "say": "The painter says: {{result:painter/result}}" },
        ] },
        "agents": { "painter": {
            "tools": [{ "name": "paint", "handler": "client" }],
            "script": { "rules": [
                { "when": { "user": "*" }, "call": [{ "name": "paint" }, { "name": "paint", "id": "second" }] },
                { "when": { "after": "paint" }, "say": "All {{result}}." },
            ] },
        } },
    })
}

#[test]
fn an_agent_of_the_engines_has_its_calls_run_here() {
    let mut world = World::with(engine(), Config::default());
    world.register(tool("paint", Behavior::Returns("\"blue\"", 5)));
    world.send_as("t", "paint it", true);
    world.advance(10_000);
    assert_eq!(world.finished_turns()[0].1, "The painter says: All blue.");
    assert_eq!(world.runs.len(), 2);
    let child = world.engine.children(SESSION)[0].session_id.clone();
    assert!(world.runs.iter().all(|run| run.session_id == child));
    for call in world.engine.calls(&child) {
        assert_eq!(world.engine.accepted_settlements(&child, &call.id, 0), 1, "{}", call.id);
    }
    let children = world.events.iter().find_map(|event| match event {
        Event::TurnFinished { children, .. } => Some(children.clone()),
        _ => None,
    });
    let children = children.expect("the turn is over");
    assert_eq!(agent(&children[0]).name.as_deref(), Some("painter"));
    assert_eq!(agent(&children[0]).children.len(), 2);
    assert_eq!(world.machine.open_calls(), 0);
}

#[test]
fn an_answer_on_a_bad_network_reaches_the_agent_once() {
    let mut world = World::with(engine(), Config::default());
    world.register(tool("paint", Behavior::Returns("\"blue\"", 5)));
    world.send_as("t", "paint it", true);
    world.mishaps.extend([Mishap::AnswerLost, Mishap::Lost, Mishap::AnswerLost]);
    world.advance(1);
    world.cut_stream();
    world.advance(60_000);
    assert_eq!(world.finished_turns()[0].1, "The painter says: All blue.");
    let child = world.engine.children(SESSION)[0].session_id.clone();
    assert_eq!(world.runs.len(), 2);
    for call in world.engine.calls(&child) {
        assert_eq!(world.engine.accepted_settlements(&child, &call.id, 0), 1, "{}", call.id);
    }
}

#[test]
fn a_page_that_comes_later_finds_the_agent_that_waits() {
    let mut world = World::with(engine(), Config::default());
    world.send_as("t", "paint it", true);
    // Nobody here has the tool yet; the first page goes away before the grace is over.
    world.advance(500);
    world.reload();
    world.register(tool("paint", Behavior::Returns("\"blue\"", 5)));
    world.input(Input::Attached);
    world.advance(10_000);
    assert_eq!(world.runs.len(), 2);
    assert_eq!(world.engine.messages(SESSION).last().unwrap()["content"], "The painter says: All blue.");
}
