//! Hands the message of a panic to the hosts before the module traps.
//!
//! A trapped module leaves borrows and flags as they were: nothing in it may be called again. So the
//! hook touches no machine; it tells the hosts, which let go of everything.

use super::driver::Driver;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Once;

thread_local! {
    static WATCHED: RefCell<Vec<Weak<Driver>>> = const { RefCell::new(Vec::new()) };
}

/// Installs the hook, once.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            let message = info.to_string();
            for driver in watched() {
                let _ = driver.host().panicked(&message);
            }
        }));
    });
}

/// Has a driver's host told of panics for as long as it lives.
pub(super) fn watch(driver: &Rc<Driver>) {
    WATCHED.with_borrow_mut(|watched| {
        watched.retain(|one| one.strong_count() > 0);
        watched.push(Rc::downgrade(driver));
    });
}

fn watched() -> Vec<Rc<Driver>> {
    WATCHED.with(|watched| match watched.try_borrow() {
        Ok(watched) => watched.iter().filter_map(Weak::upgrade).collect(),
        Err(_) => Vec::new(),
    })
}
