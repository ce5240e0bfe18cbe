//! A run put together from its events: messages, calls, and what the server itself answered.
//!
//! Servers differ in how they tell a run: calls one after the other or mixed, begun twice, ended before their
//! arguments, repeated in a snapshot that is empty or the only one that is right. What came of it all is said
//! once, at the run's end; until then nothing may run because of it.

mod drafts;

use super::whole::is_answered;
use crate::protocol::ag_ui::{Called, Message};
use crate::protocol::json;
use drafts::Draft;

/// Most parts of one run.
const MAX_PARTS: usize = 10_000;

/// A run as far as it was heard.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    parts: Vec<Part>,
    /// The last transcript the server sent, and how many parts there were by then.
    snapshot: Option<(Vec<Message>, usize)>,
    /// Answers that the server has, in the order they came.
    results: Vec<Message>,
    sealed: Vec<(String, String)>,
    /// Messages that were told when they ended.
    told: Vec<String>,
    /// Calls that were begun once more after they had an answer: the server tries again.
    again: Vec<String>,
    bytes: usize,
}

#[derive(Debug)]
struct Part {
    id: String,
    /// Who speaks; for a call, the message that makes it, where the server says so.
    said: SaidBy,
    /// The text, or the arguments.
    text: String,
}

#[derive(Debug, PartialEq)]
enum SaidBy {
    Speaker { role: String },
    Call { name: String, parent: Option<String>, renewed: bool, heard: bool },
}

/// A call as a run left it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Left {
    pub(super) called: Called,
    /// The server went on with the model after it, so it has an answer, if not one that it told.
    pub(super) passed_over: bool,
    /// The message that makes it, where the server says so.
    pub(super) parent: Option<String>,
    /// Whether it was told by itself, and not in a transcript alone.
    pub(super) streamed: bool,
}

impl Part {
    fn parent(&self) -> Option<String> {
        match &self.said {
            SaidBy::Call { parent, .. } => parent.clone(),
            SaidBy::Speaker { .. } => None,
        }
    }
}

/// What came of a run.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// What the transcript is from here on: in the place of all before it, or behind.
    pub(super) whole: Option<Vec<Message>>,
    pub(super) added: Vec<Message>,
    /// The calls without an answer of the server's.
    pub(super) open: Vec<Left>,
    /// Messages that were told when they ended.
    pub(super) told: Vec<String>,
    /// Calls that the server tries again.
    pub(super) again: Vec<String>,
}

/// How many bytes of a run are kept, and of one call's arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) run: usize,
    pub(super) arguments: usize,
}

impl Assembly {
    /// Whether anything was heard that a reply is made of.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.snapshot.is_none() && self.results.is_empty()
    }

    fn has_room(&self) -> bool {
        self.parts.len() < MAX_PARTS
    }

    /// A message begins. One that is there goes on.
    pub(super) fn start(&mut self, id: &str, role: &str) {
        let known =
            self.parts.iter().any(|part| part.id == id && matches!(part.said, SaidBy::Speaker { .. }));
        if !known && self.has_room() {
            let said = SaidBy::Speaker { role: role.to_owned() };
            self.parts.push(Part { id: id.to_owned(), said, text: String::new() });
        }
    }

    /// A piece of a message. Gives the message it belongs to and who speaks, if there is one.
    pub(super) fn piece(
        &mut self,
        id: Option<&str>,
        role: Option<&str>,
        delta: &str,
        room: Room,
    ) -> Option<(String, String)> {
        let spoken = |part: &Part| matches!(part.said, SaidBy::Speaker { .. });
        let at = match id {
            Some(id) => {
                self.start(id, role.unwrap_or("assistant"));
                self.parts.iter().rposition(|part| spoken(part) && part.id == id)
            }
            None => self.parts.iter().rposition(|part| match &part.said {
                SaidBy::Speaker { role: is } => role.is_none_or(|role| role == is),
                SaidBy::Call { .. } => false,
            }),
        };
        let part = self.parts.get_mut(at?)?;
        if self.bytes.saturating_add(delta.len()) <= room.run {
            self.bytes = self.bytes.saturating_add(delta.len());
            part.text.push_str(delta);
        }
        match &part.said {
            SaidBy::Speaker { role } => Some((part.id.clone(), role.clone())),
            SaidBy::Call { .. } => None,
        }
    }

    /// A message ends. Gives who speaks and its text, if it is to be told: it has one, and was not told before.
    pub(super) fn end(&mut self, id: &str) -> Option<(String, String)> {
        let found = self.parts.iter().rev().find_map(|part| match &part.said {
            SaidBy::Speaker { role } if part.id == id => Some((role.clone(), part.text.clone())),
            _ => None,
        });
        let whole = found.filter(|(role, text)| role != "reasoning" && !text.is_empty())?;
        if self.told.iter().any(|told| told == id) {
            return None;
        }
        self.told.push(id.to_owned());
        Some(whole)
    }

    /// A call begins. Begun once more, what it was begun with stays, and its next arguments replace the first.
    pub(super) fn call(&mut self, id: &str, name: &str, parent: Option<&str>) {
        let before = self.results.len();
        self.results.retain(|result| result.call_id.as_deref() != Some(id));
        if self.results.len() < before {
            self.again.push(id.to_owned());
        }
        for part in &mut self.parts {
            if let SaidBy::Call { renewed, parent: known, .. } = &mut part.said
                && part.id == id
            {
                *renewed = true;
                if known.is_none() {
                    *known = parent.map(str::to_owned);
                }
                return;
            }
        }
        if self.has_room() {
            let (name, parent) = (name.to_owned(), parent.map(str::to_owned));
            let said = SaidBy::Call { name, parent, renewed: false, heard: false };
            self.parts.push(Part { id: id.to_owned(), said, text: String::new() });
        }
    }

    /// Whether a call of this id was begun.
    pub(super) fn knows_call(&self, id: &str) -> bool {
        self.parts.iter().any(|part| part.id == id && matches!(part.said, SaidBy::Call { .. }))
    }

    /// A piece of arguments. False if no call is there that it could belong to.
    pub(super) fn argument(&mut self, id: Option<&str>, delta: &str, room: Room) -> bool {
        let is_call = |part: &Part| matches!(part.said, SaidBy::Call { .. });
        let at = self.parts.iter().rposition(|part| is_call(part) && id.is_none_or(|id| part.id == id));
        let Some(part) = at.and_then(|at| self.parts.get_mut(at)) else { return false };
        if let SaidBy::Call { renewed, heard, .. } = &mut part.said {
            *heard = true;
            if std::mem::take(renewed) {
                part.text.clear();
            }
        }
        // One byte beyond what is taken shows that it was too much.
        if part.text.len() <= room.arguments && self.bytes.saturating_add(delta.len()) <= room.run {
            self.bytes = self.bytes.saturating_add(delta.len());
            part.text.push_str(delta);
        }
        true
    }

    pub(super) fn result(&mut self, message: Message) {
        if self.results.len() < MAX_PARTS
            && !self.results.iter().any(|known| known.call_id == message.call_id)
        {
            self.results.push(message);
        }
    }

    pub(super) fn snapshot(&mut self, messages: Vec<Message>) {
        self.snapshot = Some((messages, self.parts.len()));
    }

    pub(super) fn seal(&mut self, entity: String, value: String) {
        if self.sealed.len() < MAX_PARTS {
            self.sealed.push((entity, value));
        }
    }

    /// What came of it. `spare_id` names replies that the server gave no id.
    pub(super) fn finish(self, spare_id: &dyn Fn(usize) -> String) -> Told {
        let drafts = self.drafts(spare_id);
        let mut open = self.open(&drafts);
        let sealed = |id: &str| {
            self.sealed.iter().rev().find(|(entity, _)| entity == id).map(|(_, value)| value.as_str())
        };
        let made = |draft: &Draft| {
            let calls: Vec<Called> = draft
                .calls
                .iter()
                .filter_map(|at| self.called(*at))
                .map(|mut called| {
                    called.sealed = sealed(&called.id).map(str::to_owned);
                    called
                })
                .collect();
            match draft.role.as_str() {
                "assistant" => {
                    Message::assistant(draft.id.clone(), draft.text.clone(), calls, sealed(&draft.id))
                }
                role => Message::spoken(draft.id.clone(), role, draft.text.clone(), sealed(&draft.id)),
            }
        };
        let mut told = Told::default();
        let listed = self.snapshot.as_ref().map(|(messages, _)| messages.as_slice()).unwrap_or_default();
        let in_list = |at: usize| self.is_listed(at);
        let answered = |call: &str| is_answered(listed, call);
        for draft in &drafts {
            let calls_listed = draft.calls.iter().any(|at| in_list(*at));
            let message_listed = listed.iter().any(|message| message.id == draft.id);
            let before = self.snapshot.as_ref().is_some_and(|(_, parts)| draft.first < *parts);
            let left_out = before && draft.calls.is_empty();
            let empty = draft.text.is_empty() && draft.calls.is_empty();
            let message_listed = message_listed && draft.calls.is_empty();
            if !empty && !message_listed && !calls_listed && !left_out {
                told.added.push(made(draft));
            }
            let own = draft.calls.iter().filter_map(|at| self.parts.get(*at));
            for call in own {
                let result = self.results.iter().find(|result| result.call_id.as_deref() == Some(&call.id));
                told.added.extend(result.cloned());
            }
        }
        // Answers to calls of earlier runs.
        let elsewhere = self.results.iter().filter(|result| {
            let call = result.call_id.as_deref().unwrap_or_default();
            !self.knows_call(call) && !answered(call)
        });
        told.added.splice(0..0, elsewhere.cloned());
        self.settle_arguments(&mut open);
        if let Some((messages, _)) = self.snapshot {
            // What the stream never told, the transcript may.
            for call in messages
                .iter()
                .rev()
                .find(|message| message.role == "assistant")
                .into_iter()
                .flat_map(|last| &last.calls)
            {
                let is_answered = is_answered(&messages, &call.id);
                let known = self.parts.iter().any(|part| part.id == call.id);
                let resulted = self.results.iter().any(|result| result.call_id.as_deref() == Some(&call.id));
                if !is_answered && !known && !resulted {
                    open.push(Left {
                        called: call.clone(),
                        passed_over: false,
                        parent: None,
                        streamed: false,
                    });
                }
            }
            told.whole = Some(messages);
        }
        told.again = self.again;
        told.told = self.told;
        told.open = open;
        told
    }

    fn called(&self, at: usize) -> Option<Called> {
        let part = self.parts.get(at)?;
        let SaidBy::Call { name, .. } = &part.said else { return None };
        Some(Called { id: part.id.clone(), name: name.clone(), arguments: part.text.clone(), sealed: None })
    }

    /// Whether the transcript that the server sent has this call. One that was told before the call has only calls of
    /// the same id that were made earlier, unless the call says that it is one of those.
    fn is_listed(&self, at: usize) -> bool {
        let Some((messages, parts)) = &self.snapshot else { return false };
        let Some(part) = self.parts.get(at) else { return false };
        let parent = part.parent();
        messages.iter().any(|message| {
            message.calls.iter().any(|call| call.id == part.id)
                && (at < *parts || parent.as_ref() == Some(&message.id))
        })
    }

    /// The calls that the server told no answer of.
    fn open(&self, drafts: &[Draft]) -> Vec<Left> {
        let mut open = Vec::new();
        for (place, draft) in drafts.iter().enumerate() {
            let later = drafts
                .iter()
                .skip(place.saturating_add(1))
                .any(|later| later.role == "assistant" && !(later.text.is_empty() && later.calls.is_empty()));
            for at in &draft.calls {
                let Some(called) = self.called(*at) else { continue };
                let answered = self.results.iter().any(|one| one.call_id.as_deref() == Some(&called.id));
                let listed = self.snapshot.as_ref().filter(|_| self.is_listed(*at));
                if !answered && !listed.is_some_and(|(messages, _)| is_answered(messages, &called.id)) {
                    let parent = self.parts.get(*at).and_then(Part::parent);
                    open.push(Left { called, passed_over: later, parent, streamed: true });
                }
            }
        }
        open
    }

    /// Which arguments count where the stream and the transcript differ: those that were streamed. If a call had
    /// none and the transcript has some, its pieces went astray, to whichever call: then the transcript counts for all.
    fn settle_arguments(&self, open: &mut [Left]) {
        let Some((messages, _)) = &self.snapshot else { return };
        let listed =
            |id: &str| messages.iter().rev().flat_map(|message| &message.calls).find(|call| call.id == id);
        let heard = |id: &str| {
            self.parts
                .iter()
                .any(|part| part.id == id && matches!(part.said, SaidBy::Call { heard: true, .. }))
        };
        let astray = self.parts.iter().any(|part| {
            matches!(part.said, SaidBy::Call { heard: false, .. })
                && listed(&part.id).is_some_and(|call| says_something(&call.arguments))
        });
        for left in open.iter_mut() {
            let Some(call) = listed(&left.called.id) else { continue };
            if (astray || !heard(&left.called.id)) && says_something(&call.arguments) {
                left.called.arguments.clone_from(&call.arguments);
            }
        }
    }
}

/// Whether arguments are more than none.
fn says_something(arguments: &str) -> bool {
    json::names(arguments).is_none_or(|names| !names.is_empty()) && !arguments.trim_ascii().is_empty()
}
