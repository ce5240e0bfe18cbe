//! What stands for `thread` in a build without AG-UI: a conversation that never goes by runs.

use super::ids::{CallKey, Millis, RequestId, WriteId};
use super::input::Written;
use super::machine::Machine;
use crate::protocol::RawJson;
use std::rc::Rc;

/// Nothing: the dialect is not in this build.
#[derive(Debug, Default)]
pub(super) struct Thread {}

impl Machine {
    #[inline(always)]
    pub(super) fn threads(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn thread_turn(&self) -> Option<&str> {
        None
    }

    #[inline(always)]
    pub(super) fn thread_rings_at(&self) -> Option<Millis> {
        None
    }

    #[inline(always)]
    pub(super) fn thread_wrote(&mut self, _: WriteId, _: Written) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn thread_cancelled(&mut self, _: &str, _: &str) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn thread_resumed(&mut self, _: &str, _: Option<&RawJson>, _: bool) -> bool {
        false
    }

    #[inline(always)]
    pub(super) fn run_answer(&self, _: &str, _: &str, _: Option<&str>) -> Rc<str> {
        Rc::default()
    }

    #[inline(always)]
    pub(super) fn run_error(&self, _: &str, _: &str) -> Rc<str> {
        Rc::default()
    }

    #[inline(always)]
    pub(super) fn thread_wanted(&mut self) {}

    #[inline(always)]
    pub(super) fn thread_given(&mut self, _: &str) {}

    #[inline(always)]
    pub(super) fn thread_message(&mut self, _: String, _: &str, _: &str) {}

    #[inline(always)]
    pub(super) fn ring_thread(&mut self) {}

    #[inline(always)]
    pub(super) fn thread_gained(&mut self) {}

    #[inline(always)]
    pub(super) fn wake_thread(&mut self) {}

    #[inline(always)]
    pub(super) fn thread_opened(&mut self, _: RequestId, _: u16, _: Option<&str>, _: Option<&str>) {}

    #[inline(always)]
    pub(super) fn thread_chunk(&mut self, _: RequestId, _: &[u8]) {}

    #[inline(always)]
    pub(super) fn thread_closed(&mut self, _: RequestId, _: Option<String>) {}

    #[inline(always)]
    pub(super) fn thread_suspended(&mut self) {}

    #[inline(always)]
    pub(super) fn thread_lost(&mut self) {}

    #[inline(always)]
    pub(super) fn end_thread(&mut self) {}

    #[inline(always)]
    pub(super) fn settling_answered(&mut self, _: RequestId, _: Option<bool>) {}

    #[inline(always)]
    pub(super) fn answer_offered(&mut self, _: &CallKey) {}
}
