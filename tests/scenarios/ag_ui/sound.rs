//! What any strict server asks of a body: ids that are there and differ, each answer behind its call and alone, no
//! call of the page's without one, arguments that are JSON.

use serde_json::Value;
use std::collections::BTreeSet;

/// Fails if a server that checks its input would refuse the body. Calls of the server's own, to tools that the body
/// does not declare, may be open in the reply that is being answered.
pub(crate) fn check_body(body: &Value) {
    let messages = body["messages"].as_array().expect("messages");
    for member in ["threadId", "runId", "tools", "context", "state", "forwardedProps"] {
        assert!(body.get(member).is_some(), "no {member}: {body}");
    }
    let declared = |name: &str| body["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == name);
    let mut ids = BTreeSet::new();
    let mut open: Vec<(String, String)> = Vec::new();
    for message in messages {
        let id = message["id"].as_str().unwrap_or_default();
        assert!(!id.is_empty(), "a message without an id: {message}");
        assert!(ids.insert(id.to_owned()), "the id {id} twice: {body}");
        if message["role"] == "tool" {
            let call = message["toolCallId"].as_str().expect("a call's id");
            let place = open.iter().position(|(known, _)| known == call);
            let place = place.unwrap_or_else(|| panic!("an answer to nothing, {call}: {body}"));
            open.remove(place);
            assert!(message["content"].is_string(), "content is text: {message}");
            continue;
        }
        assert!(open.is_empty(), "no answer to {open:?}: {body}");
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            let (id, name) = (call["id"].as_str().unwrap(), call["function"]["name"].as_str().unwrap());
            assert!(!id.is_empty());
            let arguments = call["function"]["arguments"].as_str().unwrap();
            serde_json::from_str::<Value>(arguments).expect("arguments are JSON");
            open.push((id.to_owned(), name.to_owned()));
        }
    }
    // What waits for an approval is open until that is there.
    let resumes = body.get("resume").is_some() || body["forwardedProps"].get("command").is_some();
    open.retain(|(_, name)| !resumes && (declared(name)));
    assert!(open.is_empty(), "no answer to {open:?}: {body}");
}
