//! Servers that contradict themselves or leave things out, and users that stop at any moment: no call is lost, none
//! has two answers, and no turn hangs.

use super::runner::{Runner, answers_of, call, end, start, text};
use super::sound::check_body;
use pagehand::runtime::Config;
use pagehand::runtime::event::{Event, TurnStatus};
use pagehand::runtime::input::Input;
use serde_json::{Value, json};

fn cancel(page: &mut Runner, turn: &str) {
    page.give(Input::TurnCancelled { turn_id: turn.to_owned(), reason: "stop".to_owned() });
}

fn snapshot(messages: &[Value]) -> Value {
    json!({ "type": "MESSAGES_SNAPSHOT", "messages": messages })
}

fn waits_for(ids: &[&str]) -> Value {
    let all: Vec<Value> = ids.iter().map(|id| json!({ "id": id, "reason": "confirm" })).collect();
    json!({ "type": "RUN_FINISHED", "outcome": { "type": "interrupt", "interrupts": all } })
}

type Step = Box<dyn Fn(&mut Runner)>;

/// Steps of a turn with a call, the last one being its end.
fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut say = |event: Value| steps.push(Box::new(move |page: &mut Runner| page.say(event.clone())));
    for event in [json!({ "type": "RUN_STARTED" })].into_iter().chain(call("c1", "add_item", "{}")) {
        say(event);
    }
    say(json!({ "type": "RUN_FINISHED" }));
    steps.insert(0, Box::new(Runner::opens));
    steps.push(Box::new(|page: &mut Runner| page.closes(None)));
    steps.push(Box::new(|page: &mut Runner| page.returns("c1", "1")));
    steps.push(Box::new(Runner::opens));
    for event in [json!({ "type": "RUN_STARTED" })].into_iter().chain(text("a-2", "Done.")) {
        steps.push(Box::new(move |page: &mut Runner| page.say(event.clone())));
    }
    steps.push(Box::new(|page: &mut Runner| page.say(json!({ "type": "RUN_FINISHED" }))));
    steps
}

#[test]
fn a_turn_that_is_stopped_at_any_moment_leaves_a_whole_conversation_behind() {
    for stop in 0..=steps().len() {
        let mut page = Runner::new();
        page.waits.insert("add_item".to_owned());
        page.send("t", "go");
        for step in steps().iter().take(stop) {
            step(&mut page);
        }
        cancel(&mut page, "t");
        assert!(page.ended("t").is_some(), "{stop}");
        page.send("t2", "and?");
        check_body(&page.last().body);
        page.runs_with(&text("a-9", "Yes."));
        assert_eq!(page.ended("t2").unwrap(), (TurnStatus::Completed, "Yes.".to_owned(), None), "{stop}");
        assert_eq!(page.ran.len(), page.reports().len(), "{stop}: each call has its end");
    }
}

#[test]
fn a_page_that_sleeps_or_loses_the_session_at_any_moment_goes_on_with_a_whole_conversation() {
    for sleeps in [true, false] {
        for moment in 0..=steps().len() {
            let mut page = Runner::new();
            page.waits.insert("add_item".to_owned());
            page.send("t", "go");
            for step in steps().iter().take(moment) {
                step(&mut page);
            }
            if sleeps {
                page.give(Input::Suspended);
                page.advance(1_000);
                page.give(Input::Resumed);
            } else {
                page.give(Input::OwnershipLost);
                let records = page.stored.values().cloned().collect();
                page.give(Input::OwnershipGained { records });
            }
            page.send("t2", "and?");
            for round in 0..4 {
                if page.ended("t2").is_some() {
                    break;
                }
                if page.last().connect || page.aborted.contains(&page.last().request) {
                    page.returns_all();
                }
                check_body(&page.last().body);
                page.runs_with(&text(&format!("z{round}"), "ok"));
                page.returns_all();
            }
            assert!(page.ended("t2").is_some(), "{sleeps} {moment}");
            assert!(page.ran.len() <= 1, "{sleeps} {moment}");
            check_body(&page.last().body);
        }
    }
}

#[test]
fn an_answer_that_the_server_repeats_is_not_said_twice_and_one_to_nothing_is_left_out() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    let result = |id: &str| json!({ "type": "TOOL_CALL_RESULT", "messageId": format!("r-{id}"), "toolCallId": id, "content": "{}" });
    let mut events = vec![result("c1"), result("nobody")];
    events.extend(text("a-2", "Done."));
    page.runs_with(&events);
    page.send("t2", "and?");
    check_body(&page.last().body);
    assert_eq!(answers_of(&page.last().body).len(), 1);
}

#[test]
fn a_late_result_of_the_servers_own_call_goes_to_its_call() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = call("s1", "server_search", "{}").to_vec();
    events.extend(call("c1", "get_cart", "{}"));
    page.runs_with(&events);
    let mut events =
        vec![json!({ "type": "TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "s1", "content": "found" })];
    events.extend(text("a-2", "Done."));
    page.runs_with(&events);
    page.send("t2", "and?");
    check_body(&page.last().body);
    assert_eq!(answers_of(&page.last().body).len(), 2);
}

#[test]
fn a_transcript_that_leaves_out_what_is_being_answered_does_not_take_the_call_with_it() {
    let user = json!({ "id": "m-t", "role": "user", "content": "go" });
    let reply = json!({ "id": "a-1", "role": "assistant", "content": "Let me see." });
    for list in [vec![], vec![user.clone()], vec![reply.clone()], vec![user, reply]] {
        for first in [true, false] {
            let mut page = Runner::new();
            page.send("t", "go");
            let mut events = call("c1", "get_cart", "{}").to_vec();
            events.insert(if first { 0 } else { 3 }, snapshot(&list));
            page.runs_with(&events);
            assert_eq!(page.ran.len(), 1);
            check_body(&page.last().body);
            assert_eq!(page.answers_sent().len(), 1);
        }
    }
}

#[test]
fn a_transcript_without_the_answers_of_this_page_gets_them_back() {
    let mut page = Runner::new();
    page.send("t", "go");
    page.runs_with(&call("c1", "get_cart", "{}"));
    let mut list = page.last().body["messages"].as_array().unwrap().clone();
    list.retain(|message| message["role"] != "tool");
    let mut events = vec![snapshot(&list)];
    events.extend(text("a-2", "Done."));
    page.runs_with(&events);
    page.send("t2", "and?");
    assert_eq!(page.ran.len(), 1);
    check_body(&page.last().body);
    assert_eq!(page.answers_sent(), [("c1".to_owned(), "{}".to_owned())]);
}

#[test]
fn the_answers_of_silent_calls_outlive_the_page_where_the_server_keeps_the_thread() {
    let mut page = Runner::with(Config { connectable: true, ..Config::default() });
    page.tool(json!({ "name": "note", "mode": "silent" }));
    page.send("t", "go");
    let user = page.last().body["messages"][0].clone();
    page.runs_with(&call("c1", "note", "{}"));
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
    page.reload();
    let reply = json!({ "id": "a-1", "role": "assistant", "toolCalls": [
        { "id": "c1", "type": "function", "function": { "name": "note", "arguments": "{}" } },
    ] });
    page.runs_with(&[snapshot(&[user, reply])]);
    page.send("t2", "and?");
    if page.last().connect {
        panic!("the past is known");
    }
    check_body(&page.last().body);
    assert_eq!(answers_of(&page.last().body).len(), 1);
    assert_eq!(page.ran.len(), 1);
}

#[test]
fn an_interrupt_that_is_said_twice_is_answered_once_and_the_turn_goes_on() {
    for repeated in [true, false] {
        let mut page = Runner::new();
        page.send("t", "go");
        if repeated {
            page.responds(&[waits_for(&["i1", "i1"])]);
        } else {
            // The end of the run itself is said twice.
            page.responds(&[waits_for(&["i1"]), json!({ "type": "RUN_FINISHED" })]);
        }
        page.give(Input::InterruptAnswered {
            interrupt_id: "i1".to_owned(),
            payload: None,
            cancelled: false,
        });
        assert_eq!(page.runs(), 2, "{repeated}");
        assert_eq!(page.last().body["resume"].as_array().unwrap().len(), 1);
        page.responds(&[json!({ "type": "RUN_STARTED" }), waits_for(&["i1"])]);
        page.give(Input::InterruptAnswered {
            interrupt_id: "i1".to_owned(),
            payload: None,
            cancelled: false,
        });
        assert_eq!(page.runs(), 3, "asked anew, it is answered anew");
    }
}

#[test]
fn a_call_that_waits_for_an_approval_does_not_run_because_the_page_comes_anew() {
    for connectable in [true, false] {
        for cut in [true, false] {
            let mut page = Runner::with(Config { connectable, ..Config::default() });
            page.send("t", "go");
            let user = page.last().body["messages"][0].clone();
            let approval = json!({ "type": "RUN_FINISHED", "outcome": { "type": "interrupt", "interrupts": [
                { "id": "i1", "reason": "tool_call", "toolCallId": "c1" },
            ] } });
            let reply = json!({ "id": "a-1", "role": "assistant", "toolCalls": [
                { "id": "c1", "type": "function", "function": { "name": "add_item", "arguments": "{}" } },
            ] });
            if cut {
                page.opens();
                page.say(json!({ "type": "RUN_STARTED" }));
                page.breaks();
                page.advance(20_000);
            } else {
                let mut events = call("c1", "add_item", "{}").to_vec();
                events.push(approval.clone());
                page.responds(&events);
                page.reload();
            }
            if page.last().connect {
                page.responds(&[snapshot(&[user, reply]), approval]);
            }
            page.advance(20_000);
            assert!(page.ran.is_empty(), "{connectable} {cut}: {:?}", page.ran);
            assert_eq!(page.interrupts().is_empty(), cut && !connectable);
        }
    }
}

#[test]
fn more_calls_than_a_page_takes_are_all_answered() {
    let mut page = Runner::with(Config { max_open_calls: 20, ..Config::default() });
    page.send("t", "go");
    let mut events = Vec::new();
    for number in 0..100 {
        events.extend(call(&format!("c{number}"), "ping", "{}"));
    }
    page.runs_with(&events);
    assert_eq!(page.runs(), 2);
    assert_eq!(page.ran.len(), 20);
    check_body(&page.last().body);
    assert_eq!(page.answers_sent().len(), 100);
    let further = page.answers_sent().into_iter().find(|(call, _)| call == "c99").unwrap();
    assert!(further.1.contains("more than 20 calls"), "{}", further.1);
    page.runs_with(&text("a-2", "Done."));
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Completed);
}

#[test]
fn a_reply_of_thousands_of_calls_is_answered_whole() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = Vec::new();
    for number in 0..1_500 {
        events.extend(call(&format!("c{number}"), "ping", "{}"));
    }
    page.runs_with(&events);
    assert_eq!(page.answers_sent().len(), 1_500);
    check_body(&page.last().body);
}

#[test]
fn more_interrupts_than_a_page_takes_do_not_hold_the_turn_for_ever() {
    let mut page = Runner::with(Config { max_open_calls: 2, ..Config::default() });
    page.send("t", "go");
    page.responds(&[waits_for(&["i1", "i2", "i3"])]);
    for id in ["i1", "i2"] {
        page.give(Input::InterruptAnswered { interrupt_id: id.to_owned(), payload: None, cancelled: false });
    }
    assert_eq!(page.runs(), 2);
}

#[test]
fn a_call_or_message_without_an_id_does_no_harm_to_the_conversation() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![start("", "get_cart"), end("")];
    events.extend(text("", "Hello."));
    page.runs_with(&events);
    assert!(page.ran.is_empty());
    assert!(page.warnings().iter().any(|one| one.contains("toolCallId")), "{:?}", page.warnings());
    page.send("t2", "and?");
    page.runs_with(&text("", "Bye."));
    page.reload();
    page.send("t3", "so?");
    check_body(&page.last().body);
    assert_eq!(page.last().body["messages"].as_array().unwrap().len(), 5, "{}", page.last().body);
}

#[test]
fn listed_calls_that_cannot_be_read_are_not_sent_back() {
    let mut page = Runner::new();
    page.send("t", "go");
    let odd = json!({ "id": "a-1", "role": "assistant", "content": "Hm.", "toolCalls": [
        { "id": "", "type": "function", "function": { "name": "ping", "arguments": "{}" } },
        { "id": "c9", "type": "function" },
    ] });
    page.runs_with(&[snapshot(&[json!({ "id": "m-t", "role": "user", "content": "go" }), odd])]);
    page.send("t2", "and?");
    check_body(&page.last().body);
    assert_eq!(page.last().body["messages"].as_array().unwrap().len(), 3);
}

#[test]
fn ids_and_names_of_any_kind_travel_back_as_they_came() {
    let long = "n".repeat(100_000);
    for (id, name) in [("c\"1\\\n\u{0}</script>", "get_cart"), ("c1", long.as_str()), (long.as_str(), "ping")]
    {
        let mut page = Runner::new();
        page.send("t", "go");
        page.runs_with(&call(id, name, "{}"));
        page.advance(60_000);
        check_body(&page.last().body);
        assert_eq!(page.answers_sent()[0].0, id);
    }
}

#[test]
fn a_server_that_never_says_what_became_of_a_run_is_not_asked_for_ever() {
    for opened in [true, false] {
        let mut page = Runner::with(Config { connectable: true, ..Config::default() });
        page.send("t", "go");
        if opened {
            page.opens();
            page.say(json!({ "type": "RUN_STARTED" }));
        }
        page.breaks();
        for _ in 0..60 {
            if page.ended("t").is_some() || (!page.last().connect && page.runs() > 1) {
                break;
            }
            page.advance(20_000);
            if page.last().connect {
                page.answers(503, "text/plain");
                page.closes(None);
            }
        }
        if opened {
            assert_eq!(page.ended("t").unwrap().2.as_deref(), Some("stream-network"));
        } else {
            assert_eq!(page.runs(), 2, "what never arrived goes again");
        }
    }
}

#[test]
fn a_message_that_arrived_under_an_id_of_the_servers_is_not_said_again() {
    for arrived in [true, false] {
        let mut page = Runner::with(Config { connectable: true, ..Config::default() });
        page.send("t", "yes");
        page.runs_with(&text("a-1", "Sure?"));
        page.send("t2", "yes");
        page.breaks();
        page.advance(20_000);
        let user = |id: &str| json!({ "id": id, "role": "user", "content": "yes" });
        let reply = |id: &str| json!({ "id": id, "role": "assistant", "content": "Sure?" });
        let mut list = vec![user("s-1"), reply("s-2")];
        if arrived {
            list.extend([user("s-3"), reply("s-4")]);
        }
        page.runs_with(&[snapshot(&list)]);
        page.advance(20_000);
        assert_eq!(page.runs(), if arrived { 2 } else { 3 });
        assert_eq!(page.ended("t2").is_some(), arrived);
    }
}

#[test]
fn what_comes_after_an_error_is_not_heard() {
    let mut page = Runner::new();
    page.send("t", "go");
    let mut events = vec![json!({ "type": "RUN_STARTED" }), json!({ "type": "RUN_ERROR", "message": "no" })];
    events.extend(call("c1", "get_cart", "{}"));
    events.push(json!({ "type": "RUN_FINISHED" }));
    page.responds(&events);
    assert!(page.ran.is_empty());
    assert_eq!(page.ended("t").unwrap().0, TurnStatus::Failed);
    page.send("t2", "and?");
    check_body(&page.last().body);
    let told = page.events.iter().filter(|event| matches!(event, Event::TurnFinished { .. })).count();
    assert_eq!(told, 1);
}
