//! Whether a transcript is whole: each call in it has one answer, each answer its call, each message its own id.
//!
//! Ids are the server's, and some servers begin to count anew in every turn or run. So an answer belongs to the
//! call that was made last before it, and never to one of the same id that was made later. Pure: it changes the list it
//! is given and nothing else, and must never invent an answer.

use crate::protocol::ag_ui::{Called, Message};

/// Where the call of this id was made last.
pub(super) fn made_at(messages: &[Message], call_id: &str) -> Option<usize> {
    messages.iter().rposition(|message| makes(message, call_id))
}

fn makes(message: &Message, call_id: &str) -> bool {
    message.calls.iter().any(|call| call.id == call_id)
}

/// Whether the message at this place makes the call, which has no answer behind it.
pub(super) fn is_open_at(messages: &[Message], at: usize, call_id: &str) -> bool {
    messages.get(at).is_some_and(|one| makes(one, call_id)) && !answered_from(messages, at, call_id)
}

fn times_made(messages: &[Message], call_id: &str) -> usize {
    messages.iter().filter(|message| makes(message, call_id)).count()
}

/// Whether the call that the message at this place makes has its answer.
fn answered_from(messages: &[Message], at: usize, call_id: &str) -> bool {
    let later = messages.iter().skip(at.saturating_add(1));
    let own = later.take_while(|message| !makes(message, call_id));
    own.into_iter().any(|message| message.call_id.as_deref() == Some(call_id))
}

/// Whether the call of this id that was made last has its answer. In a list that puts answers first, each call has
/// one if there are as many.
pub(super) fn is_answered(messages: &[Message], call_id: &str) -> bool {
    if made_at(messages, call_id).is_some_and(|at| answered_from(messages, at, call_id)) {
        return true;
    }
    let made = times_made(messages, call_id);
    let answers = messages.iter().filter(|message| message.call_id.as_deref() == Some(call_id)).count();
    answers > 0 && answers >= made
}

/// Whether somebody has spoken since that place.
pub(super) fn is_of_an_earlier_turn(messages: &[Message], at: usize) -> bool {
    messages.iter().skip(at).any(|message| message.role == "user")
}

/// Puts an answer behind the call it answers. One that answers nothing, or what is answered, is left out.
pub(super) fn place(messages: &mut Vec<Message>, answer: Message) {
    let call_id = answer.call_id.as_deref().unwrap_or_default();
    let Some(at) = made_at(messages, call_id).filter(|_| !is_answered(messages, call_id)) else { return };
    let from = at.saturating_add(1);
    let others = messages.iter().skip(from).take_while(|message| message.call_id.is_some()).count();
    let answer = named_apart(messages, answer);
    messages.insert(from.saturating_add(others), answer);
}

/// An answer under an id that no other message has. Some servers name it as the message that makes the call.
pub(super) fn named_apart(messages: &[Message], mut answer: Message) -> Message {
    while messages.iter().any(|message| message.id == answer.id) {
        let id = format!("{}-answer", answer.id);
        answer = answer.renamed(id);
    }
    answer
}

/// Takes calls without an answer out of the messages before that place, for a next run would be refused because of
/// them.
pub(super) fn drop_open(messages: &mut Vec<Message>, until: usize) {
    for at in 0..messages.len().min(until) {
        let Some(message) = messages.get(at).filter(|message| !message.calls.is_empty()) else { continue };
        let open = |call: &Called| !answered_from(messages, at, &call.id);
        if message.calls.iter().any(open) {
            let rest = message.without(&open);
            if let Some(message) = messages.get_mut(at) {
                *message = rest;
            }
        }
    }
    messages
        .retain(|message| message.role != "assistant" || message.text.is_some() || !message.calls.is_empty());
}

/// Whether a call was made before: by its message where that is named, by all that is said of it otherwise. If it had
/// its answer and somebody has spoken since, it is a new one, whose id the server uses again.
pub(super) fn was_made(
    messages: &[Message],
    called: &Called,
    parent: Option<&str>,
    passed_over: bool,
) -> bool {
    let Some(at) = made_at(messages, &called.id) else { return false };
    let Some(maker) = messages.get(at) else { return false };
    maker.calls.iter().any(|known| is_same_call(called, known))
        && parent.is_none_or(|parent| parent == maker.id)
        && (passed_over || !is_of_an_earlier_turn(messages, at) || !is_answered(messages, &called.id))
}

fn is_same_call(one: &Called, other: &Called) -> bool {
    one.id == other.id
        && one.name == other.name
        && (one.arguments == other.arguments || one.arguments.trim_ascii().is_empty())
}

/// The answers of an earlier transcript that a later one lacks, put where they belong: a server may leave out what
/// it was not told or does not keep. Calls that were made only now are left alone.
pub(super) fn complete(messages: &mut Vec<Message>, before: &[Message], is_new: &dyn Fn(&str) -> bool) {
    let calls: Vec<Called> = messages.iter().flat_map(|one| one.calls.clone()).collect();
    for call in calls {
        let is_further = times_made(messages, &call.id) > times_made(before, &call.id);
        if is_further || is_new(&call.id) || is_answered(messages, &call.id) {
            continue;
        }
        let known = made_at(before, &call.id)
            .and_then(|at| before.get(at..))
            .and_then(<[Message]>::split_first)
            .filter(|(maker, _)| maker.calls.iter().any(|known| is_same_call(&call, known)))
            .and_then(|(_, later)| later.iter().find(|one| one.call_id.as_ref() == Some(&call.id)));
        if let Some(answer) = known {
            place(messages, answer.clone());
        }
    }
}
