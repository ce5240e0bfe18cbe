//! Which messages the parts of a run make up: a call belongs to the reply that the server names, or to what came right
//! before it. Says nothing of what is open or answered.

use super::{Assembly, SaidBy};

/// A message while it is put together.
pub(super) struct Draft {
    pub(super) id: String,
    pub(super) role: String,
    pub(super) text: String,
    /// Its calls, by their place among the parts.
    pub(super) calls: Vec<usize>,
    /// Where among the parts it began.
    pub(super) first: usize,
}

impl Assembly {
    /// The messages that the parts make up.
    pub(super) fn drafts(&self, spare_id: &dyn Fn(usize) -> String) -> Vec<Draft> {
        let mut drafts: Vec<Draft> = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            match &part.said {
                SaidBy::Speaker { role } => match drafts.iter_mut().find(|draft| draft.id == part.id) {
                    Some(draft) => {
                        draft.role.clone_from(role);
                        draft.text.push_str(&part.text);
                    }
                    None => drafts.push(Draft {
                        id: part.id.clone(),
                        role: role.clone(),
                        text: part.text.clone(),
                        calls: Vec::new(),
                        first: at,
                    }),
                },
                SaidBy::Call { parent, .. } => {
                    let home = match parent {
                        Some(parent) => {
                            drafts.iter().position(|draft| draft.id == *parent && draft.role == "assistant")
                        }
                        // Beside what came right before it.
                        None => drafts
                            .len()
                            .checked_sub(1)
                            .filter(|last| drafts.get(*last).is_some_and(|draft| draft.role == "assistant")),
                    };
                    match home.and_then(|home| drafts.get_mut(home)) {
                        Some(draft) => draft.calls.push(at),
                        None => drafts.push(Draft {
                            id: parent.clone().unwrap_or_else(|| spare_id(drafts.len())),
                            role: "assistant".to_owned(),
                            text: String::new(),
                            calls: vec![at],
                            first: at,
                        }),
                    }
                }
            }
        }
        drafts
    }
}
