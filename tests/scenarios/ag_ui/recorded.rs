//! Recorded responses of four public servers behind one scripted model: what each scenario must come to.

use super::runner::{Runner, answers_of};
use pagehand::runtime::event::TurnStatus;
use pagehand::runtime::input::{Failure, Outcome};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Plays the recorded responses of one scenario, run by run, cut into chunks of some size.
fn play(peer: &str, scenario: &str, chunk: usize) -> String {
    let folder = Path::new("tests/fixtures/ag-ui").join(peer);
    let mut page = Runner::new();
    let thrown = Outcome::Failed { message: "boom: test".to_owned(), retryable: false, kind: Failure::Threw };
    page.gives.insert("boom".to_owned(), thrown);
    page.tool(json!({ "name": "get_cart", "description": "Read the cart" }));
    page.send("t", &format!("please run #{scenario}"));
    let mut run = 1;
    while let Ok(bytes) = fs::read(folder.join(format!("{scenario}.run{run}.sse"))) {
        if page.runs() < run {
            break;
        }
        page.opens();
        for piece in bytes.chunks(chunk) {
            page.bytes(piece);
        }
        page.closes(None);
        page.advance(5_000);
        run += 1;
    }
    let ran: Vec<String> = page.ran.iter().map(|(tool, id, args)| format!("{tool}({id}) {args}")).collect();
    let answers: Vec<String> = page
        .posted
        .last()
        .map(|posted| answers_of(&posted.body))
        .unwrap_or_default()
        .into_iter()
        .map(|(id, content)| format!("{id}={}", content.chars().take(60).collect::<String>()))
        .collect();
    let end = match page.ended("t") {
        Some((TurnStatus::Completed, text, _)) => format!("completed {text:?}"),
        Some((status, _, code)) => {
            format!("{status:?} {code:?} {}", page.problem("t").chars().take(80).collect::<String>())
        }
        None => "open".to_owned(),
    };
    assert!(page.warnings().iter().all(|warning| !warning.starts_with("frame-")), "{:?}", page.warnings());
    format!("posted {} ran {ran:?} answers {answers:?} end {end}", page.runs())
}

/// What each must come to, one line for each; found by looking at what the script says and the server sent.
fn expected() -> BTreeMap<String, String> {
    let text = fs::read_to_string("tests/fixtures/ag-ui/expected.txt").unwrap();
    text.lines()
        .map(|line| line.split_once(": ").map(|(name, end)| (name.to_owned(), end.to_owned())).unwrap())
        .collect()
}

#[test]
fn every_recorded_scenario_comes_to_what_its_script_says() {
    let expected = expected();
    let mut played = 0;
    for peer in ["pydantic", "tanstack", "langgraph_v1", "copilotkit"] {
        for entry in fs::read_dir(Path::new("tests/fixtures/ag-ui").join(peer)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let Some(scenario) = name.strip_suffix(".run1.sse") else { continue };
            let found = play(peer, scenario, 4_096);
            let wanted = expected.get(&format!("{peer}/{scenario}"));
            assert_eq!(Some(&found), wanted, "{peer}/{scenario}");
            played += 1;
        }
    }
    assert_eq!(played, expected.len());
}

#[test]
fn what_comes_out_does_not_depend_on_how_the_bytes_were_cut() {
    for (peer, scenario) in [
        ("pydantic", "parallel"),
        ("tanstack", "unknown-raw-tool"),
        ("langgraph_v1", "interleave"),
        ("copilotkit", "malformed"),
        ("langgraph_v1", "exotic"),
    ] {
        let whole = play(peer, scenario, usize::MAX);
        for chunk in [1, 2, 3, 5, 17, 100] {
            assert_eq!(play(peer, scenario, chunk), whole, "{peer}/{scenario} {chunk}");
        }
    }
}
