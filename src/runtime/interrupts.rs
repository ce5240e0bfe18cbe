//! Interrupts: a session that waits for somebody, and the page's answer on its way to it.
//!
//! What the stream says decides which are open. An answer is sent as a message is: the same bytes until the
//! engine takes or refuses them.

use super::codes::Code;
use super::config::Dialect;
use super::delivery::{Next, Parcel, Reply, Travel};
use super::event::{Event, Problem};
use super::ids::{Millis, RequestId};
use super::machine::{Machine, Owner};
use super::output::Effect;
use super::sessions::{Place, ROOT};
use crate::protocol::RawJson;
use crate::protocol::frame::Positioned;
use crate::protocol::settle;

/// An interrupt that is open.
#[derive(Debug)]
pub(super) struct OpenInterrupt {
    id: String,
    turn_id: Option<String>,
    reason: Option<String>,
    payload: RawJson,
    told: bool,
}

impl OpenInterrupt {
    pub(super) fn is_told(&self) -> bool {
        self.told
    }
}

/// Answers to interrupts that are not taken yet.
#[derive(Debug, Default)]
pub(super) struct Resumes {
    open: Vec<Resume>,
}

#[derive(Debug)]
struct Resume {
    interrupt_id: String,
    session_id: String,
    parcel: Parcel,
    /// `None` once the engine has it: the stream says the rest.
    travel: Option<Travel>,
}

impl Resumes {
    pub(super) fn rings_at(&self) -> Option<Millis> {
        let rings = self.open.iter().filter_map(|resume| match resume.travel {
            Some(Travel::Waiting(until)) => until,
            _ => None,
        });
        rings.min()
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut Resume> {
        self.open.iter_mut().find(|resume| resume.interrupt_id == id)
    }
}

impl Machine {
    /// A session waits for somebody.
    pub(super) fn interrupted(
        &mut self,
        place: Place,
        positioned: &Positioned,
        id: &str,
        reason: Option<&str>,
        payload: &RawJson,
    ) {
        let session = self.sessions.at_mut(place);
        if session.interrupts.iter().any(|known| known.id == id) {
            return;
        }
        let most = self.config.max_open_calls;
        if session.interrupts.len() >= most {
            return self.warn_once(Code::Overloaded, "interrupts", &|| {
                format!("more than {most} interrupts are open; further ones are left alone")
            });
        }
        let turn_id = match &session.child {
            Some(child) => child.turn_id().map(str::to_owned),
            None => positioned.turn_id.clone(),
        };
        let (id, reason) = (id.to_owned(), reason.map(str::to_owned));
        session.interrupts.push(OpenInterrupt { id, turn_id, reason, payload: payload.clone(), told: false });
        if session.is_live() {
            self.tell_open_interrupts(place);
        }
    }

    /// Tells of the interrupts that are open and were not told of. Those that history opened and closed are not.
    pub(super) fn tell_open_interrupts(&mut self, place: Place) {
        loop {
            let session = self.sessions.at_mut(place);
            let Some(open) = session.interrupts.iter_mut().find(|open| !open.told) else { return };
            open.told = true;
            let event = Event::Interrupted {
                session_id: session.id.clone(),
                interrupt_id: open.id.clone(),
                turn_id: open.turn_id.clone(),
                reason: open.reason.clone(),
                payload: open.payload.clone(),
            };
            self.tell(event);
        }
    }

    /// A session goes on.
    pub(super) fn interrupt_resumed(&mut self, place: Place, id: &str, payload: &RawJson) {
        // It arrived, whatever becomes of the answer to our post. Whoever answered wants to hear of it.
        let answered = self.drop_resume(id);
        let session = self.sessions.at_mut(place);
        let open = session.interrupts.iter().find(|open| open.id == id);
        let told = answered || open.is_some_and(|open| open.told);
        let turn_id = open.and_then(|open| open.turn_id.clone());
        session.interrupts.retain(|open| open.id != id);
        if told {
            let (session_id, interrupt_id) = (session.id.clone(), id.to_owned());
            self.tell(Event::Resumed { session_id, interrupt_id, turn_id, payload: payload.clone() });
        }
    }

    /// Whether there was one.
    fn drop_resume(&mut self, id: &str) -> bool {
        let before = self.resumes.open.len();
        self.resumes.open.retain(|resume| resume.interrupt_id != id);
        self.resumes.open.len() < before
    }

    /// Nobody here hears any more what becomes of them; if they are open when the session is read again, they are
    /// told again.
    pub(super) fn hide_interrupts(&mut self, place: Place) {
        loop {
            let session = self.sessions.at_mut(place);
            let Some(open) = session.interrupts.iter_mut().find(|open| open.told) else { return };
            open.told = false;
            let (interrupt_id, turn_id) = (open.id.clone(), open.turn_id.clone());
            let session_id = session.id.clone();
            self.tell(Event::Resumed { session_id, interrupt_id, turn_id, payload: RawJson::default() });
        }
    }

    /// A session is over, and with it whatever it waited for.
    pub(super) fn close_interrupts(&mut self, place: Place) {
        while let Some(open) = self.sessions.at(place).interrupts.first() {
            let id = open.id.clone();
            self.interrupt_resumed(place, &id, &RawJson::default());
        }
        let session_id = self.sessions.at(place).id.clone();
        while let Some(resume) = self.resumes.open.iter().find(|resume| resume.session_id == session_id) {
            let id = resume.interrupt_id.clone();
            self.interrupt_resumed(place, &id, &RawJson::default());
        }
    }

    /// The app answers an interrupt.
    pub(super) fn interrupt_answered(&mut self, id: &str, payload: Option<&RawJson>, cancelled: bool) {
        if self.threads() {
            if !self.thread_resumed(id, payload, cancelled) {
                self.refuse_resume(id, "no interrupt of this id is open".to_owned());
            }
            return;
        }
        if self.resumes.get_mut(id).is_some() {
            return;
        }
        let known = self.place_of_interrupt(id);
        // Before its history was read, nobody knows what the page's own session waits for.
        let unread = self.config.dialect == Dialect::Native && !self.sessions.root().is_live();
        let Some(place) = known.or(unread.then_some(ROOT)) else {
            return self.refuse_resume(id, "no interrupt of this id is open".to_owned());
        };
        let session_id = self.sessions.at(place).id.clone();
        let resume = settle::InterruptResume { interrupt_id: id, payload: payload.map(RawJson::as_text) };
        let body = settle::enveloped(&session_id, &|object| resume.write(object)).into();
        let (interrupt_id, travel) = (id.to_owned(), Some(Travel::Waiting(None)));
        self.resumes.open.push(Resume { interrupt_id, session_id, parcel: Parcel::new(body), travel });
        self.want_stream(ROOT);
        self.post_resume(id, false);
    }

    /// Ends the answers that the engine has of sessions whose streams nobody here reads any more.
    pub(super) fn settle_resumes(&mut self) {
        let mut due = Vec::new();
        for resume in &self.resumes.open {
            let place = self.sessions.of(&resume.session_id);
            if resume.travel.is_none() && !self.sessions.at(place).is_followed() {
                due.push((place, resume.interrupt_id.clone()));
            }
        }
        for (place, id) in due {
            self.interrupt_resumed(place, &id, &RawJson::default());
        }
    }

    /// The open interrupts of the page's own session, with what was attached to them.
    #[cfg(feature = "ag_ui")]
    pub(super) fn interrupt_payloads(&self) -> Vec<(&str, &RawJson)> {
        self.sessions.root().interrupts.iter().map(|open| (open.id.as_str(), &open.payload)).collect()
    }

    fn place_of_interrupt(&self, id: &str) -> Option<Place> {
        let waits = |place: &Place| self.sessions.at(*place).interrupts.iter().any(|open| open.id == id);
        self.sessions.places().find(waits)
    }

    fn post_resume(&mut self, id: &str, refresh: bool) {
        let request = RequestId(self.handle_number());
        let Some(resume) = self.resumes.get_mut(id) else { return };
        resume.parcel.tries = resume.parcel.tries.saturating_add(1);
        resume.travel = Some(Travel::Sending(request));
        let (session_id, body) = (resume.session_id.clone(), resume.parcel.body.clone());
        self.owns(request.0, Owner::Resume(id.to_owned()));
        self.effect(Effect::Post { request, session_id, body, refresh });
    }

    pub(super) fn resume_answered(&mut self, id: &str, reply: &Reply, said: &str) {
        let (online, now) = (self.online, self.now);
        let Some(resume) = self.resumes.get_mut(id) else { return };
        match resume.parcel.judge(reply, online, now, &self.config, &mut self.rng) {
            Next::Taken => {
                resume.travel = None;
                self.settle_resumes();
            }
            Next::Refresh => self.post_resume(id, true),
            Next::RetryAt(at) => resume.travel = Some(Travel::Waiting(Some(at))),
            Next::Park => resume.travel = Some(Travel::Waiting(None)),
            Next::Conflict | Next::TooLarge | Next::Reject => {
                self.drop_resume(id);
                let said = settle::Refusal::read(said).text;
                self.refuse_resume(id, format!("the engine refused the answer to the interrupt: {said}"));
            }
        }
    }

    pub(super) fn refuse_resume(&mut self, id: &str, message: String) {
        let place = self.place_of_interrupt(id).unwrap_or(ROOT);
        let session = self.sessions.at(place);
        let open = session.interrupts.iter().find(|open| open.id == id);
        self.tell(Event::InterruptRefused {
            session_id: session.id.clone(),
            interrupt_id: id.to_owned(),
            turn_id: open.and_then(|open| open.turn_id.clone()),
            error: Problem::new(Code::InterruptRefused, message),
        });
    }

    pub(super) fn wake_resumes(&mut self, all: bool) {
        let mut due = Vec::new();
        for resume in &self.resumes.open {
            if let Some(Travel::Waiting(until)) = resume.travel
                && (all || until.is_some_and(|at| at <= self.now))
            {
                due.push(resume.interrupt_id.clone());
            }
        }
        for id in due {
            self.post_resume(&id, false);
        }
    }
}
