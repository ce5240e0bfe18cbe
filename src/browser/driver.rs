//! Pumps the machine: the single place where inputs go in and outputs come out.
//!
//! Whatever happens becomes an [`Input`] by [`Driver::push`]. The machine is borrowed only while it
//! takes one input and is drained; user code runs afterwards, and what it causes queues behind.
//! It decides nothing. Once closed it tells nothing, however late a promise settles.

use super::board::Board;
use super::cancels::Cancels;
use super::effects;
use super::host::Host;
use super::settings::Settings;
use super::signals::{Signal, Signals};
use super::tasks::Tasks;
use super::telling::{batch, kind};
use super::timer::Timer;
use crate::runtime::Machine;
use crate::runtime::config::Config;
use crate::runtime::event::Event;
use crate::runtime::ids::Millis;
use crate::runtime::input::Input;
use crate::runtime::output::{Effect, Output};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// One machine with all that is going on around it.
#[derive(Debug)]
pub(super) struct Driver {
    machine: RefCell<Machine>,
    inbox: RefCell<VecDeque<Input>>,
    pumping: Cell<bool>,
    closed: Cell<bool>,
    clock: Cell<Millis>,
    host: Host,
    settings: Settings,
    /// The kinds of events that somebody listens to, with commas between.
    interest: RefCell<String>,
    timer: Timer,
    signals: RefCell<Option<Signals>>,
    pub(super) tasks: Rc<Tasks>,
    pub(super) board: RefCell<Board>,
    pub(super) requests: Cancels,
    pub(super) runs: Cancels,
    pub(super) asks: Cancels,
}

impl Driver {
    pub(super) fn start(settings: Settings, config: Config, host: Host) -> Rc<Self> {
        let now = read_clock(&host, Millis(0));
        let driver = Rc::new(Driver {
            machine: RefCell::new(Machine::new(config, now)),
            inbox: RefCell::default(),
            pumping: Cell::new(false),
            closed: Cell::new(false),
            clock: Cell::new(now),
            host,
            settings,
            interest: RefCell::default(),
            timer: Timer::default(),
            signals: RefCell::default(),
            tasks: Rc::default(),
            board: RefCell::default(),
            requests: Cancels::default(),
            runs: Cancels::default(),
            asks: Cancels::default(),
        });
        let weak = Rc::downgrade(&driver);
        driver.timer.on_fire(move || {
            if let Some(driver) = weak.upgrade() {
                driver.timer.fired();
                driver.push(Input::TimePassed);
            }
        });
        let weak = Rc::downgrade(&driver);
        let signals = Signals::listen(move |signal| {
            if let Some(driver) = weak.upgrade() {
                driver.push(match signal {
                    Signal::Online => Input::NetworkChanged { online: true },
                    Signal::Offline => Input::NetworkChanged { online: false },
                    Signal::Seen => Input::Woken,
                });
            }
        });
        driver.signals.replace(Some(signals));
        driver
    }

    pub(super) fn host(&self) -> &Host {
        &self.host
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn stores(&self) -> bool {
        self.settings.stores
    }

    pub(super) fn set_interest(&self, kinds: &str) {
        kinds.clone_into(&mut self.interest.borrow_mut());
    }

    pub(super) fn declarations(&self) -> String {
        self.machine.borrow().declarations()
    }

    /// Takes in what happened. Comes back when all that followed from it at once is done, or at once
    /// if the pump is at work further up the stack.
    pub(super) fn push(self: &Rc<Self>, input: Input) {
        if self.closed.get() {
            return;
        }
        self.inbox.borrow_mut().push_back(input);
        if self.pumping.replace(true) {
            return;
        }
        while let Some(input) = self.next_input() {
            self.step(input);
        }
        self.pumping.set(false);
        let due = if self.closed.get() { None } else { self.machine.borrow().poll_timeout() };
        self.timer.set(due, self.clock.get());
    }

    fn next_input(&self) -> Option<Input> {
        self.inbox.borrow_mut().pop_front()
    }

    fn step(self: &Rc<Self>, input: Input) {
        let closing = matches!(input, Input::Closed);
        let leaving = matches!(input, Input::OwnershipLost);
        let (events, effects) = self.turn_over(input);
        // Events first: who listens hears that a handler is about to run before it runs.
        self.tell(&events);
        if leaving {
            self.board.borrow_mut().leave();
        }
        for effect in effects {
            effects::carry_out(self, effect);
        }
        if closing {
            self.end();
        }
    }

    /// One input through the machine, which is borrowed here and nowhere else for change.
    fn turn_over(&self, input: Input) -> (Vec<Event>, Vec<Effect>) {
        let now = read_clock(&self.host, self.clock.get());
        self.clock.set(now);
        let (mut events, mut effects) = (Vec::new(), Vec::new());
        let mut machine = self.machine.borrow_mut();
        machine.handle(now, input);
        while let Some(output) = machine.poll_output() {
            match output {
                Output::Event(event) => events.push(event),
                Output::Effect(effect) => effects.push(effect),
            }
        }
        (events, effects)
    }

    fn tell(&self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let mut board = self.board.borrow_mut();
        events.iter().for_each(|event| board.note(event));
        drop(board);
        let interest = self.interest.borrow();
        let wanted: Vec<&Event> =
            events.iter().filter(|event| interest.split(',').any(|wanted| wanted == kind(event))).collect();
        drop(interest);
        if !wanted.is_empty() {
            let _ = self.host.events(&batch(&wanted));
        }
    }

    fn end(&self) {
        self.closed.set(true);
        self.inbox.borrow_mut().clear();
        self.board.replace(Board::default());
        drop(self.signals.take());
        let reason = "the runtime was closed";
        self.asks.abort_all(reason);
        self.runs.abort_all(reason);
        self.requests.abort_all(reason);
        self.tasks.end();
    }
}

/// The host's time, which never goes back and never fails.
fn read_clock(host: &Host, last: Millis) -> Millis {
    match host.now().ok().and_then(|now| now.as_f64()) {
        Some(now) if now.is_finite() && now > 0.0 => last.max(Millis(now as u64)),
        _ => last,
    }
}
