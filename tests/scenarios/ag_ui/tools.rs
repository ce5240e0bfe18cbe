//! The page's tools as a server of runs is told of them: all that are here, with each run.

use super::runner::{Runner, call, text};
use pagehand::runtime::Config;
use pagehand::runtime::event::ReportStatus;
use pagehand::runtime::input::{Failure, Input, Outcome};
use serde_json::json;

fn declared(page: &Runner) -> Vec<String> {
    let tools = page.last().body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn each_run_names_the_tools_that_are_here_then() {
    let mut page = Runner::new();
    page.send("t", "go");
    assert!(!declared(&page).contains(&"late".to_owned()));
    page.tool(json!({ "name": "late", "input": { "type": "object", "required": ["a"] } }));
    page.give(Input::ToolUnregistered { name: "boom".to_owned() });
    page.runs_with(&call("c1", "get_cart", "{}"));
    assert!(declared(&page).contains(&"late".to_owned()));
    assert!(!declared(&page).contains(&"boom".to_owned()));
    let tools = page.last().body["tools"].as_array().unwrap().clone();
    let late = tools.iter().find(|tool| tool["name"] == "late").unwrap();
    assert_eq!(late["parameters"], json!({ "type": "object", "required": ["a"] }));
}

#[test]
fn another_schema_under_an_old_name_is_what_the_next_run_tells_and_nothing_to_warn_of() {
    for native in [false, true] {
        let mut page = Runner::with(Config { native_input: native, ..Config::default() });
        page.send("t", "go");
        page.tool(json!({ "name": "get_cart", "input": { "type": "object", "required": ["currency"] } }));
        let warned = page.warnings().iter().any(|warning| warning.starts_with("declaration-ignored"));
        assert_eq!(warned, native, "the native engine keeps what it was told first");
    }
}

#[test]
fn a_call_of_a_tool_that_left_the_page_is_answered_all_the_same() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.opens();
    page.say(json!({ "type": "RUN_STARTED" }));
    page.give(Input::ToolUnregistered { name: "get_cart".to_owned() });
    for event in call("c1", "get_cart", "{}") {
        page.say(event);
    }
    page.say(json!({ "type": "RUN_FINISHED" }));
    page.closes(None);
    page.advance(5_000);
    assert!(page.answers_sent()[0].1.contains("does not exist on this page"), "{:?}", page.answers_sent());
    page.runs_with(&text("a-2", "I see."));
    assert!(page.ended("t").is_some());
}

#[test]
fn an_error_that_an_earlier_page_left_is_reported_as_one() {
    let mut page = Runner::new();
    let thrown = Outcome::Failed { message: "no cart".to_owned(), retryable: false, kind: Failure::Threw };
    page.gives.insert("boom".to_owned(), thrown);
    page.send("t", "go");
    page.runs_with(&call("c1", "boom", "{}"));
    page.reload();
    page.runs_with(&text("a-2", "I see."));
    let report = page.reports()[0].clone();
    assert_eq!(report.status, ReportStatus::Failed);
    assert!(report.error.is_some_and(|error| error.message.contains("no cart")));
}
