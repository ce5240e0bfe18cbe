//! Agents whose streams and whose parents' disagree about the order of things: one lags behind, one is ahead, one was
//! never followed, another page had it meanwhile. What is over is not run, what goes on is not called off.

use super::agents::{end_turn, ended, finish, go_on, page, started, work};
use super::hand::{Hand, ROOT, agent, call, completed, requested};
use pagehand::runtime::Config;
use pagehand::runtime::event::ReportStatus;
use pagehand::runtime::input::Input;
use serde_json::json;

#[test]
fn what_a_continued_session_did_in_an_earlier_turn_is_history() {
    let mut page = Hand::new(Config { fresh: false, ..Config::default() });
    page.tool(json!({ "name": "paint" }));
    page.give(Input::Attached);
    page.opened(ROOT);
    // An earlier page, whose records are gone, saw the child's first turn.
    page.frame(ROOT, started("child"));
    page.frame(ROOT, ended("child"));
    page.live(ROOT);
    page.frame(ROOT, started("child"));
    page.opened("child");
    go_on(&mut page, "child", "c1");
    page.frame("child", completed("c1", "paint"));
    page.frame("child", json!({ "type": "turn.completed", "turn_id": "inner" }));
    page.frame("child", requested("c2", "paint"));
    page.live("child");
    let runs: Vec<&str> = page.runs.iter().map(|(_, _, id)| id.as_str()).collect();
    assert_eq!(runs, ["c2"], "the first call ended long ago");
}

#[test]
fn an_agent_that_had_to_wait_has_a_history_by_then() {
    let mut page = page();
    for child in ["a", "b", "c", "d", "e"] {
        page.frame(ROOT, started(child));
    }
    page.opened("a");
    page.live("a");
    page.frame(ROOT, ended("a"));
    page.opened("e");
    go_on(&mut page, "e", "c1");
    page.frame("e", json!({ "type": "tool.call.errored", "id": "c1", "error": { "message": "too late" } }));
    page.live("e");
    assert_eq!(page.runs.len(), 0, "the call was over before anybody could run it");
}

#[test]
fn an_agent_that_lost_its_first_connection_has_a_history_by_then() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    page.frame(ROOT, json!({ "type": "turn.completed", "turn_id": "t" }));
    page.opened_with("child", 503);
    page.advance(5_000);
    page.opened("child");
    go_on(&mut page, "child", "c1");
    page.frame(
        "child",
        json!({ "type": "tool.call.errored", "id": "c1", "error": { "message": "too late" } }),
    );
    page.live("child");
    assert_eq!(page.runs.len(), 0);
}

#[test]
fn what_another_owner_did_meanwhile_is_history_for_an_agent_that_waited() {
    let mut page = page();
    for child in ["a", "b", "c", "d", "e"] {
        page.frame(ROOT, started(child));
    }
    page.give(Input::OwnershipLost);
    for child in ["a", "b", "c", "d"] {
        page.frame(ROOT, ended(child));
    }
    page.give(Input::OwnershipGained { records: Vec::new() });
    page.opened("e");
    go_on(&mut page, "e", "c1");
    page.frame("e", completed("c1", "paint"));
    page.live("e");
    assert_eq!(page.runs.len(), 0, "the other page ran it");
}

#[test]
fn an_agent_that_goes_on_before_its_stream_has_caught_up_is_accounted_for_twice() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    page.returns("c1", "\"blue\"");
    page.answered(202, "{}");
    page.frame(ROOT, ended("child"));
    page.frame(ROOT, started("child"));
    // Only now the stream says what its parent said long ago.
    page.opened("child");
    page.frame("child", completed("c1", "paint"));
    page.frame("child", json!({ "type": "turn.completed", "turn_id": "inner" }));
    page.frame("child", json!({ "type": "turn.started", "turn_id": "second" }));
    page.frame("child", requested("c2", "paint"));
    page.live("child");
    finish(&mut page, "child", "c2");
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    let runs: Vec<&str> = page.runs.iter().map(|(_, _, id)| id.as_str()).collect();
    assert_eq!(runs, ["c1", "c2"]);
    let children = page.children().expect("the turn is over");
    let calls: Vec<Vec<&str>> = children
        .iter()
        .map(|node| agent(node).children.iter().map(|node| call(node).key.call_id.as_str()).collect())
        .collect();
    assert_eq!(calls, [["c1"], ["c2"]]);
    assert_eq!(page.reports().len(), 2);
}

#[test]
fn an_agent_that_was_never_followed_is_in_the_report_too() {
    let mut page = page();
    let names: Vec<String> = (0..100).map(|number| format!("child-{number}")).collect();
    for child in &names {
        page.frame(ROOT, started(child));
    }
    for child in names.iter().rev() {
        page.frame(ROOT, ended(child));
    }
    for child in &names {
        if page.streams.contains_key(child) {
            page.opened(child);
        }
    }
    end_turn(&mut page);
    page.advance(1_600);
    assert_eq!(page.children().expect("the turn is over").len(), 100);
}

#[test]
fn a_parent_that_ends_first_ends_whatever_it_started() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    page.opened("child");
    page.live("child");
    page.frame("child", json!({ "type": "turn.started", "turn_id": "inner" }));
    page.frame("child", started("grandchild"));
    work(&mut page, "grandchild", "c1");
    // Its own id, its parent's and the page's own, as a child's: nobody follows those twice.
    for id in ["grandchild", "child", ROOT] {
        page.frame("grandchild", started(id));
    }
    page.frame("child", json!({ "type": "turn.completed", "turn_id": "inner" }));
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    assert_eq!((page.runs.len(), page.cancelled.len(), page.reports().len()), (1, 1, 1));
    let children = page.children().expect("the turn is over");
    assert_eq!(children.len(), 1);
    let inner = agent(&agent(&children[0]).children[0]);
    assert_eq!((inner.session_id.as_str(), inner.children.len()), ("grandchild", 1));
    let open: Vec<&str> = page.streams.keys().map(String::as_str).collect();
    assert_eq!(open, [ROOT]);
}

#[test]
fn an_agent_that_ends_as_its_owner_changes_is_in_the_report() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    assert!(page.children().is_none());
    page.give(Input::OwnershipLost);
    assert_eq!(page.children().expect("nobody here will hear more of it").len(), 1);
}

#[test]
fn a_parent_that_lags_behind_makes_no_news_of_what_is_over() {
    let mut page = page();
    // Its stream stood still while the child's call ran into its deadline.
    page.frame(ROOT, started("child"));
    page.opened("child");
    go_on(&mut page, "child", "c1");
    page.frame(
        "child",
        json!({ "type": "tool.call.errored", "id": "c1", "error": { "message": "too late" } }),
    );
    page.frame("child", requested("c2", "paint"));
    page.advance(300);
    let runs: Vec<&str> = page.runs.iter().map(|(_, _, id)| id.as_str()).collect();
    assert_eq!(runs, ["c2"]);
}

#[test]
fn a_parent_that_lags_behind_takes_no_call_from_the_turn_that_goes_on() {
    let mut page = page();
    page.frame(ROOT, started("child"));
    work(&mut page, "child", "c1");
    finish(&mut page, "child", "c1");
    page.frame("child", json!({ "type": "turn.started", "turn_id": "second" }));
    page.frame("child", requested("c2", "paint"));
    // Only now the parent says what the child's own stream said long ago.
    page.frame(ROOT, ended("child"));
    page.frame(ROOT, started("child"));
    assert_eq!((page.runs.len(), page.cancelled.len()), (2, 0));
    finish(&mut page, "child", "c2");
    page.frame(ROOT, ended("child"));
    end_turn(&mut page);
    assert_eq!(page.children().expect("the turn is over").len(), 2);
    assert_eq!(page.reports().iter().filter(|report| report.status == ReportStatus::Completed).count(), 2);
}
