//! The sessions whose streams are followed: the page's own, and those of the agents it has started.

use super::ids::RequestId;
use super::interrupts::OpenInterrupt;
use super::session::Session;

/// Which of the followed sessions. It means something within one input only: a session that is over makes
/// room for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place(usize);

/// The page's own session.
pub(super) const ROOT: Place = Place(0);

/// The page's own session and its children.
#[derive(Debug)]
pub(super) struct Sessions {
    root: Session,
    children: Vec<Session>,
}

impl Sessions {
    pub(super) fn new(root: Session) -> Self {
        Sessions { root, children: Vec::new() }
    }

    /// Kept out of line, as its twin: each of the many uses would be a copy.
    #[inline(never)]
    pub(super) fn at(&self, place: Place) -> &Session {
        place.0.checked_sub(1).and_then(|at| self.children.get(at)).unwrap_or(&self.root)
    }

    #[inline(never)]
    pub(super) fn at_mut(&mut self, place: Place) -> &mut Session {
        place.0.checked_sub(1).and_then(|at| self.children.get_mut(at)).unwrap_or(&mut self.root)
    }

    pub(super) fn root(&self) -> &Session {
        &self.root
    }

    /// Every place, the page's own session first.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        (0..=self.children.len()).map(Place)
    }

    /// The session of this id; the page's own for the app's own calls, which have none.
    pub(super) fn of(&self, id: &str) -> Place {
        self.child(id).unwrap_or(ROOT)
    }

    /// The child of this id, followed or not.
    pub(super) fn child(&self, id: &str) -> Option<Place> {
        self.children.iter().position(|child| child.id == id).map(|at| Place(at.saturating_add(1)))
    }

    /// The session whose stream this request is.
    pub(super) fn reading(&self, request: RequestId) -> Option<Place> {
        self.places().find(|place| self.at(*place).request() == Some(request))
    }

    /// How many children are followed.
    pub(super) fn followed(&self) -> usize {
        self.children.iter().filter(|child| child.is_followed()).count()
    }

    /// Puts a child where one was that is over, or behind the others. What the app was shown is not over.
    pub(super) fn put(&mut self, child: Session) -> Place {
        let free = self
            .children
            .iter()
            .position(|known| !known.is_followed() && !known.interrupts.iter().any(OpenInterrupt::is_told));
        let at = free.unwrap_or(self.children.len());
        match self.children.get_mut(at) {
            Some(slot) => *slot = child,
            None => self.children.push(child),
        }
        Place(at.saturating_add(1))
    }
}
