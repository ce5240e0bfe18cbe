//! What is awaited, and how all of it is let go at once.
//!
//! A promise may never settle: a handler that hangs, a `fetch` that ignores its signal. A task that waits
//! for one holds the driver alive, so closing wakes every task, and a woken task of a closed driver ends.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use wasm_bindgen_futures::spawn_local;

/// The tasks of one driver.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    ended: Cell<bool>,
    last: Cell<u32>,
    waiting: RefCell<Vec<(u32, Waker)>>,
}

impl Tasks {
    /// Runs a task until it is done or all are let go.
    pub(super) fn spawn(self: &Rc<Self>, task: impl Future<Output = ()> + 'static) {
        // Boxed, so that what follows is compiled once and not for each kind of task.
        self.spawn_boxed(Box::pin(task));
    }

    fn spawn_boxed(self: &Rc<Self>, mut task: Pin<Box<dyn Future<Output = ()>>>) {
        let tasks = Rc::clone(self);
        let number = self.last.get().wrapping_add(1);
        self.last.set(number);
        spawn_local(async move {
            poll_fn(|context| {
                if tasks.ended.get() {
                    return Poll::Ready(());
                }
                let polled = task.as_mut().poll(context);
                tasks.note(number, polled.is_pending().then(|| context.waker().clone()));
                polled
            })
            .await;
        });
    }

    /// Lets all of them go.
    pub(super) fn end(&self) {
        self.ended.set(true);
        let waiting = self.waiting.take();
        waiting.into_iter().for_each(|(_, waker)| waker.wake());
    }

    fn note(&self, number: u32, waker: Option<Waker>) {
        let mut waiting = self.waiting.borrow_mut();
        let at = waiting.iter().position(|(known, _)| *known == number);
        match (at, waker) {
            (Some(at), Some(waker)) => {
                if let Some(slot) = waiting.get_mut(at) {
                    slot.1 = waker;
                }
            }
            (Some(at), None) => drop(waiting.swap_remove(at)),
            (None, Some(waker)) => waiting.push((number, waker)),
            (None, None) => {}
        }
    }
}
