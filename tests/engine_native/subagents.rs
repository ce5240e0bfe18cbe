//! Sub-agents: a child session per call, what the parent hears of it, and what holds for both.

use serde_json::{Value, json};

use crate::driver::{Driver, result};
use crate::worker::desk::{Desk, accept};

/// An assistant that asks the poet for whatever it is told, and the poet, who rhymes at once.
fn poetry() -> Value {
    json!({
        "agent": { "subagents": [{ "id": "poet" }] },
        "script": { "rules": [
            { "when": { "user": "poem" }, "call": [{ "name": "poet", "arguments": { "message": "{{user}}" } }] },
            { "when": { "after": "poet", "error": true }, "say": "No poem: {{result}}." },
            { "when": { "after": "poet" }, "say": "The poet says: {{result:poet/result}}" },
        ] },
        "agents": { "poet": { "script": { "rules": [{ "when": { "user": "*" }, "say": "Rhymes on {{user}}" }] } } },
    })
}

/// The same with a poet who first reads the page.
fn reading_poet() -> Value {
    let mut config = poetry();
    config["agents"]["poet"] = json!({
        "tools": [{ "name": "read_page", "handler": "client" }],
        "script": { "rules": [
            { "when": { "user": "*" }, "call": [{ "name": "read_page" }] },
            { "when": { "after": "read_page" }, "say": "Of {{result}}" },
        ] },
    });
    config
}

fn started(config: Value) -> (Driver, String) {
    let mut driver = Driver::new(config);
    assert_eq!(driver.say("t-1", "A poem", &[]).status, 202);
    driver.pass(1000);
    let child = driver.engine.children("s1")[0].session_id.clone();
    (driver, child)
}

fn last_text(driver: &Driver, session: &str) -> String {
    driver.engine.messages(session).last().unwrap()["content"].as_str().unwrap().to_owned()
}

fn tool_text(driver: &Driver, session: &str) -> String {
    let messages = driver.engine.messages(session);
    let found = messages.iter().rev().find(|message| message["role"] == "tool");
    found.unwrap()["content"].as_str().unwrap().to_owned()
}

fn of_subagents(names: &[String]) -> Vec<&str> {
    let picked = names.iter().filter(|name| name.starts_with("subagent.") || name.starts_with("sub_agent."));
    picked.map(String::as_str).collect()
}

fn settle(driver: &mut Driver, session: &str) -> u16 {
    let call = driver.engine.calls(session).into_iter().find(|call| call.status == "pending").unwrap();
    let token = driver.token.clone();
    driver.post_as(&token, session, result(&call.id, json!("snow"))).status
}

fn count(driver: &Driver, session: &str, name: &str) -> usize {
    driver.engine.event_names(session).iter().filter(|event| *event == name).count()
}

#[test]
fn a_childs_answer_is_the_result_of_the_call() {
    let (driver, child) = started(poetry());
    let record = driver.engine.children("s1")[0].clone();
    assert_eq!((record.agent_id.as_str(), record.status), ("poet", "completed"));
    let told = format!(r#"{{"session":"{child}","result":"Rhymes on A poem"}}"#);
    assert_eq!(record.rendered.as_deref(), Some(told.as_str()));
    assert_eq!(tool_text(&driver, "s1"), told);
    assert_eq!(last_text(&driver, "s1"), "The poet says: Rhymes on A poem");
    assert_eq!(driver.names().last().unwrap(), "session.done");

    let names = driver.names();
    assert_eq!(
        of_subagents(&names),
        ["subagent.requested", "subagent.dispatched", "subagent.started", "subagent.turn_completed"]
    );
    for name in of_subagents(&names) {
        let expected =
            json!({ "type": name, "id": child, "agent_id": "poet", "tool_call_id": record.tool_call_id });
        assert_eq!(driver.payloads(name), [expected]);
    }
    assert!(!names.iter().any(|name| name.starts_with("tool.call.")));
    assert!(driver.engine.calls("s1").is_empty());
    let triggers: Vec<Value> =
        driver.payloads("decision.queued").iter().map(|queued| queued["trigger"].clone()).collect();
    assert_eq!(
        triggers,
        ["session.start", "messages.new", "llm.finished", "subagent.finished", "llm.finished", "turn.idle"]
    );
}

#[test]
fn a_child_is_a_session_of_its_own() {
    let (mut driver, child) = started(poetry());
    let names = driver.engine.event_names(&child);
    assert_eq!((names[0].as_str(), names.last().unwrap().as_str()), ("session.created", "session.done"));
    let seqs: Vec<u64> = driver.engine.log(&child).iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    let view = driver.get(&format!("/api/client/sessions/{child}")).json();
    assert_eq!((&view["agent_id"], &view["status"]), (&json!("poet"), &json!("done")));
    assert_eq!(view["messages"][0]["content"], "A poem");

    let stranger = driver.mint("other", 600);
    driver.token = stranger;
    assert_eq!(driver.get(&format!("/api/client/sessions/{child}")).status, 403);
}

#[test]
fn a_childs_client_call_waits_for_the_page_on_its_own_stream() {
    let (mut driver, child) = started(reading_poet());
    driver.pass(60_000);
    assert_eq!(driver.engine.children("s1")[0].status, "pending");
    assert_eq!(count(&driver, "s1", "turn.completed"), 0);
    assert!(driver.engine.calls("s1").is_empty());

    let bearer = format!("Bearer {}", driver.token);
    let target = format!("/api/client/sessions/{child}/events/stream?after_seq=0");
    let stream = driver.send("GET", &target, &[("Authorization", &bearer)], b"");
    assert_eq!(driver.logged(stream).last().unwrap(), "tool.call.dispatched");
    let target = format!("/api/client/triggers?session_id={child}");
    let triggers = driver.send("GET", &target, &[("Authorization", &bearer)], b"");
    assert_eq!(driver.frames(triggers)[0].json()["name"], "read_page");

    assert_eq!(settle(&mut driver, &child), 202);
    driver.pass(1000);
    assert_eq!(last_text(&driver, "s1"), "The poet says: Of snow");
    assert_eq!(driver.logged(stream), driver.engine.event_names(&child));
    assert_eq!(driver.frames(triggers)[1].event, "tool.finished");
}

#[test]
fn a_parent_cannot_settle_what_is_its_childs() {
    let (mut driver, _) = started(reading_poet());
    let id = driver.engine.children("s1")[0].tool_call_id.clone();
    let answer = driver.post(result(&id, json!("mine")));
    assert_eq!((answer.status, answer.error()), (403, "caller may not settle this effect".into()));
}

#[test]
fn decisions_of_a_child_carry_the_sessions_above_it() {
    let (driver, child) = started(poetry());
    let with_chain = |session: &str| -> Vec<Value> {
        let log = driver.engine.log(session).iter().filter(|event| event.name().starts_with("decision."));
        log.map(|event| event.payload["ancestry"].clone()).collect()
    };
    assert!(with_chain("s1").iter().all(Value::is_null));
    assert!(with_chain(&child).iter().all(|chain| *chain == json!(["s1"])));
    assert_eq!(driver.engine.ancestry(&child), ["s1"]);
    let seen = driver.engine.inspect("s1");
    assert_eq!(seen["children"][0]["sessionId"], child);
    assert_eq!(seen["children"][0]["toolCallId"], driver.engine.children("s1")[0].tool_call_id);
}

#[test]
fn the_older_names_are_given_on_request() {
    let mut config = poetry();
    config["switches"] = json!({ "subagentPrefix": "sub_agent" });
    let (driver, _) = started(config);
    assert_eq!(of_subagents(&driver.names())[0], "sub_agent.requested");
    assert!(of_subagents(&driver.names()).iter().all(|name| name.starts_with("sub_agent.")));
    let queued = driver.payloads("decision.queued");
    assert!(queued.iter().any(|queued| queued["trigger"] == "sub_agent.finished"));
}

#[test]
fn the_reply_is_not_asked_for_before_every_call_has_ended() {
    let mut config = reading_poet();
    config["script"] = json!({ "rules": [
        { "when": { "user": "*" }, "call": [
            { "name": "poet", "arguments": { "message": "x" } }, { "name": "poet", "arguments": { "message": "y" } },
            { "name": "look" },
        ] },
        { "when": { "after": "look" }, "say": "All done" },
    ] });
    let mut driver = Driver::new(config);
    driver.say("t-1", "go", &["look"]);
    driver.pass(1000);
    let children: Vec<String> =
        driver.engine.children("s1").into_iter().map(|child| child.session_id).collect();
    assert_ne!(children[0], children[1]);
    assert_eq!(settle(&mut driver, &children[1]), 202);
    driver.pass(1000);
    assert_eq!(settle(&mut driver, "s1"), 202);
    driver.pass(1000);
    assert_eq!(count(&driver, "s1", "llm.call.requested"), 1);
    assert_eq!(settle(&mut driver, &children[0]), 202);
    driver.pass(1000);
    assert_eq!(count(&driver, "s1", "llm.call.requested"), 2);
    assert_eq!(last_text(&driver, "s1"), "All done");
}

/// A poet whose parent goes on with the session of the first answer.
fn continued(second: Value) -> Driver {
    let mut config = poetry();
    config["agents"]["critic"] = json!({});
    config["agent"]["subagents"] = json!([{ "id": "poet" }, { "id": "critic" }]);
    config["script"] = json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "poet", "arguments": { "message": "one" } }] },
        { "when": { "after": "poet" }, "times": 1, "call": second },
        { "when": { "after": "*" }, "say": "Heard {{result}}" },
    ] });
    let (driver, _) = started(config);
    driver
}

#[test]
fn a_session_of_an_earlier_answer_is_gone_on_with() {
    let arguments = json!({ "message": "two", "session": "{{result:poet/session}}" });
    let driver = continued(json!([{ "name": "poet", "arguments": arguments }]));
    let children = driver.engine.children("s1");
    assert_eq!(children[0].session_id, children[1].session_id);
    assert_ne!(children[0].turn_id, children[1].turn_id);
    let child = &children[0].session_id;
    assert_eq!(count(&driver, child, "session.created"), 1);
    assert_eq!(count(&driver, child, "turn.completed"), 2);
    assert_eq!(driver.engine.messages(child).len(), 4);
    let told = format!(r#"Heard {{"session":"{child}","result":"Rhymes on two"}}"#);
    assert_eq!(last_text(&driver, "s1"), told);
    assert_eq!(driver.engine.session_ids().len(), 2);
}

#[test]
fn another_agents_session_an_own_one_and_none_at_all_are_tool_errors() {
    for session in ["{{result:poet/session}}", "s1", "nowhere"] {
        let arguments = json!({ "message": "two", "session": session });
        let driver = continued(json!([{ "name": "critic", "arguments": arguments }]));
        let expected =
            "`session` names no session that was started here with critic; leave it out to start one";
        assert_eq!(tool_text(&driver, "s1"), expected, "{session}");
        let names = driver.names();
        assert_eq!(
            of_subagents(&names)[4..],
            ["subagent.requested", "subagent.dispatched", "subagent.errored"]
        );
        assert_eq!(driver.payloads("subagent.errored")[0]["error"]["message"], expected);
        assert_eq!(driver.names().last().unwrap(), "session.done");
        assert_eq!(driver.engine.session_ids().len(), 2);
    }
}

#[test]
fn a_busy_session_is_a_tool_error() {
    let arguments = json!({ "message": "two", "session": "{{result:poet/session}}" });
    let call = json!({ "name": "poet", "arguments": arguments });
    let driver = continued(json!([call, call]));
    let statuses: Vec<&str> = driver.engine.children("s1").iter().map(|child| child.status).collect();
    assert_eq!(statuses, ["completed", "completed", "errored"]);
    let errored = &driver.payloads("subagent.errored")[0];
    assert_eq!(errored["error"]["message"], "the session is still at work; wait for its result");
}

#[test]
fn arguments_without_a_message_are_tool_errors() {
    for arguments in [json!({}), json!({ "message": 7 }), json!("poem"), json!("{\"message\":")] {
        let mut config = poetry();
        config["script"]["rules"][0]["call"][0]["arguments"] = arguments.clone();
        let (driver, child) = started(config);
        let told = tool_text(&driver, "s1");
        assert!(told.starts_with("invalid tool arguments: "), "{arguments}: {told}");
        assert!(driver.engine.log(&child).is_empty());
        assert_eq!(driver.names().last().unwrap(), "session.done");
    }
}

#[test]
fn an_agent_that_is_nowhere_configured_is_a_tool_error() {
    let mut config = poetry();
    config["agents"] = json!({});
    let (driver, _) = started(config);
    assert_eq!(last_text(&driver, "s1"), "No poem: unknown agent: poet.");
}

#[test]
fn a_child_whose_turn_fails_is_an_error_of_the_call() {
    let mut config = poetry();
    config["agents"]["poet"] =
        json!({ "script": { "replies": [{ "error": { "message": "no muse", "code": "refused" } }] } });
    let (driver, child) = started(config);
    assert_eq!(count(&driver, &child, "turn.completed"), 1);
    assert_eq!(
        driver.payloads("subagent.errored")[0]["error"],
        json!({ "message": "no muse", "code": "refused" })
    );
    assert_eq!(last_text(&driver, "s1"), "No poem: no muse.");
}

#[test]
fn a_child_whose_worker_fails_is_an_error_of_the_call() {
    let mut config = reading_poet();
    config["decisionMs"] = json!(5);
    let mut driver = Driver::new(config);
    driver.say("t-1", "A poem", &[]);
    while driver.engine.children("s1").is_empty() {
        driver.pass(1);
    }
    // Two tries at the start of its session, two at its turn.
    driver.fault(json!({ "kind": "decisionFails", "times": 4 }));
    driver.pass(1000);
    assert_eq!(driver.payloads("subagent.errored")[0]["error"]["code"], "worker_unreachable");
    assert_eq!(last_text(&driver, "s1"), "No poem: the worker failed.");
}

/// Agents that each ask the next of their kind, down and down.
fn nested(limit: Value) -> Driver {
    let rules = json!([
        { "when": { "user": "*" }, "call": [{ "name": "deeper", "arguments": { "message": "{{user}}" } }] },
        { "when": { "after": "deeper" }, "say": "{{result}}" },
    ]);
    let mut config = json!({
        "agent": { "subagents": [{ "id": "deeper" }] },
        "agents": { "deeper": { "subagents": [{ "id": "deeper" }] } },
        "script": { "rules": rules },
    });
    if !limit.is_null() {
        config["maxSubagentDepth"] = limit;
    }
    let mut driver = Driver::new(config);
    driver.say("t-1", "go", &[]);
    driver.pass(10_000);
    driver
}

#[test]
fn children_nest_down_to_the_limit() {
    for (limit, sessions) in [(Value::Null, 6), (json!(2), 3), (json!(0), 1)] {
        let driver = nested(limit.clone());
        assert_eq!(driver.engine.session_ids().len(), sessions, "{limit}");
        let said = last_text(&driver, "s1");
        assert!(said.contains(&format!("nested {} deep at most", sessions - 1)), "{said}");
        let mut chain = vec!["s1".to_owned()];
        for _ in 1..sessions {
            let child = driver.engine.children(chain.last().unwrap())[0].session_id.clone();
            assert_eq!(driver.engine.ancestry(&child), chain);
            chain.push(child);
        }
        for session in &chain {
            assert_eq!(driver.engine.event_names(session).last().unwrap(), "session.done");
        }
    }
}

#[test]
fn cancelling_the_parent_cancels_all_that_runs_below_it() {
    let mut config = reading_poet();
    config["agent"]["subagents"] = json!([{ "id": "editor" }]);
    config["agents"]["editor"] = json!({
        "subagents": [{ "id": "poet" }],
        "script": { "rules": [{ "when": { "user": "*" },
            "call": [{ "name": "poet", "arguments": { "message": "x" } }] }] },
    });
    config["script"]["rules"][0]["call"][0]["name"] = json!("editor");
    let (mut driver, editor) = started(config);
    let poet = driver.engine.children(&editor)[0].session_id.clone();
    driver.operate(json!({ "action": "cancel", "sessionId": "s1" }));
    let voided = json!({ "type": "call.voided", "kind": "subagent", "id": editor });
    assert_eq!(driver.payloads("call.voided"), [voided]);
    for session in ["s1", &editor, &poet] {
        assert_eq!(count(&driver, session, "session.cancelled"), 1, "{session}");
    }
    assert_eq!(driver.engine.calls(&poet)[0].status, "voided");
    driver.pass(60_000);
    assert!(driver.payloads("subagent.errored").is_empty());
    assert_eq!(driver.names().last().unwrap(), "session.cancelled");
}

#[test]
fn a_fork_of_the_parent_cancels_the_child_it_leaves() {
    let (mut driver, child) = started(reading_poet());
    let user = driver.engine.messages("s1")[0]["id"].clone();
    driver.operate(json!({ "action": "moveHead", "sessionId": "s1", "messageId": user }));
    assert_eq!(count(&driver, &child, "session.cancelled"), 1);
    driver.pass(1000);
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn cancelling_the_child_is_an_error_of_the_parents_call() {
    let (mut driver, child) = started(reading_poet());
    driver.operate(json!({ "action": "cancel", "sessionId": child }));
    driver.pass(1000);
    assert_eq!(last_text(&driver, "s1"), "No poem: the sub-agent's session was cancelled.");
    assert_eq!(driver.names().last().unwrap(), "session.done");
}

#[test]
fn an_interrupt_in_the_child_pauses_only_the_child() {
    let (mut driver, child) = started(reading_poet());
    driver.operate(json!({ "action": "interrupt", "sessionId": child, "interruptId": "i" }));
    assert_eq!(settle(&mut driver, &child), 202);
    driver.pass(10_000);
    assert_eq!(driver.engine.inspect("s1")["status"], "idle");
    assert_eq!(driver.engine.inspect(&child)["status"], "interrupted");
    assert_eq!(driver.engine.children("s1")[0].status, "pending");
    driver.operate(json!({ "action": "resume", "sessionId": child, "interruptId": "i" }));
    driver.pass(1000);
    assert_eq!(last_text(&driver, "s1"), "The poet says: Of snow");
}

#[test]
fn an_interrupted_parent_hears_of_its_child_and_goes_on_once_resumed() {
    let (mut driver, child) = started(reading_poet());
    driver.operate(json!({ "action": "interrupt", "sessionId": "s1", "interruptId": "i" }));
    assert_eq!(settle(&mut driver, &child), 202);
    driver.pass(10_000);
    assert_eq!(driver.engine.children("s1")[0].status, "completed");
    assert_eq!(count(&driver, "s1", "llm.call.requested"), 1);
    driver.operate(json!({ "action": "resume", "sessionId": "s1", "interruptId": "i" }));
    driver.pass(1000);
    assert_eq!(last_text(&driver, "s1"), "The poet says: Of snow");
}

#[test]
fn a_page_cannot_take_the_name_of_a_sub_agent() {
    let mut driver = Driver::new(poetry());
    driver.say("t-1", "A poem", &["poet"]);
    driver.pass(1000);
    assert!(driver.engine.calls("s1").is_empty());
    assert_eq!(driver.engine.children("s1").len(), 1);
    assert_eq!(count(&driver, "s1", "agent.updated"), 0);
}

#[test]
fn an_external_model_is_offered_the_sub_agents_it_may_call() {
    let offered = |limit: u32| -> Value {
        let mut config = poetry();
        config["model"] = json!("external");
        config["maxSubagentDepth"] = json!(limit);
        config["agents"]["poet"]["description"] = json!("Writes a poem.");
        let mut driver = Driver::new(config);
        driver.say("t-1", "hi", &["look"]);
        serde_json::to_value(driver.asked.pop().unwrap()).unwrap()["tools"].clone()
    };
    let tools = offered(5);
    assert_eq!((&tools[0]["name"], &tools[1]["name"]), (&json!("look"), &json!("poet")));
    assert_eq!(tools[1]["description"], "Writes a poem.");
    assert_eq!(tools[1]["input"]["required"], json!(["message"]));
    assert_eq!(offered(0).as_array().unwrap().len(), 1);
}

#[test]
fn a_worker_that_takes_every_proposal_decides_for_parent_and_child() {
    let mut config = poetry();
    config["agent"]["announced"] = json!(true);
    config["agents"]["poet"]["announced"] = json!(true);
    let (built_in, built_in_child) = started(config.clone());
    let mut desk = Desk::new(config);
    desk.driver.say("t-1", "A poem", &[]);
    let asked = std::cell::RefCell::new(Vec::new());
    desk.pass(1000, &|request| {
        asked.borrow_mut().push(request.clone());
        accept(request)
    });
    let child = desk.driver.engine.children("s1")[0].session_id.clone();
    assert_eq!(desk.driver.names(), built_in.names());
    assert_eq!(desk.driver.engine.event_names(&child), built_in.engine.event_names(&built_in_child));

    let asked = asked.into_inner();
    let of_child: Vec<&Value> = asked.iter().filter(|request| request["agent_id"] == "poet").collect();
    assert!(!of_child.is_empty());
    assert!(of_child.iter().all(|request| request["ancestry"] == json!(["s1"])));
    let heard = asked.iter().find(|request| request["trigger"]["type"] == "subagent.finished").unwrap();
    let record = desk.driver.engine.children("s1")[0].clone();
    assert_eq!(heard["trigger"]["id"], record.tool_call_id);
    assert_eq!((&heard["trigger"]["session_id"], &heard["trigger"]["ok"]), (&json!(child), &json!(true)));
    let message = &heard["proposed"]["messages"][0];
    assert_eq!(
        (&message["tool_call_id"], &message["content"]),
        (&json!(record.tool_call_id), &json!(record.rendered))
    );
}

#[test]
fn the_same_seed_gives_the_same_children() {
    let run = || {
        let (driver, child) = started(poetry());
        (child.clone(), driver.engine.inspect("s1"), driver.engine.inspect(&child))
    };
    assert_eq!(run(), run());
}
