//! What time does to a call: deadlines that end an attempt, and attempts that follow one.
//!
//! Every timer names the attempt it was set for and does nothing to any other. Sub-agents have no such timers.

use super::calls::{CallError, CallStatus};
use super::inspect::Settlement;
use super::session::Session;
use super::shared::Shared;

impl Session {
    pub(crate) fn queue_timeout(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        self.time_out(shared, id, Some(attempt), CallStatus::Queued, true);
    }

    pub(crate) fn run_timeout(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        self.time_out(shared, id, Some(attempt), CallStatus::Pending, true);
    }

    pub(crate) fn total_timeout(&mut self, shared: &mut Shared, id: &str) {
        if let Some(status) = self.call(id).map(|call| call.status).filter(|status| status.is_open()) {
            self.time_out(shared, id, None, status, false);
        }
    }

    fn time_out(
        &mut self,
        shared: &mut Shared,
        id: &str,
        attempt: Option<u32>,
        status: CallStatus,
        retryable: bool,
    ) {
        let Some(call) = self.call_mut(id) else { return };
        if call.status != status || attempt.is_some_and(|attempt| attempt != call.attempt) {
            return;
        }
        let settlement = Settlement::by_engine(shared.now, call.attempt, "deadline");
        call.settlements.push(settlement);
        let message = "the call ran past its deadline".to_owned();
        let error = CallError::new(message, "deadline_exceeded");
        self.fail_call(shared, id, error, retryable);
        self.pump(shared);
    }

    /// The backoff is over. While interrupted the call waits on; see [`Session::rearm_retries`].
    pub(crate) fn retry_call(&mut self, shared: &mut Shared, id: &str, attempt: u32) {
        let interrupted = self.is_interrupted();
        let Some(call) = self.call_mut(id) else { return };
        let due = call.status == CallStatus::RetryScheduled && call.attempt == attempt;
        if !due || interrupted {
            return;
        }
        call.attempt = call.attempt.saturating_add(1);
        call.status = CallStatus::Queued;
        call.retry_at = None;
        let next = call.attempt;
        self.announce_call(shared, id);
        self.dispatch_soon(shared, id, next);
        self.pump(shared);
    }

    /// Retries whose time came during an interrupt.
    pub(crate) fn rearm_retries(&mut self, shared: &mut Shared) {
        let now = shared.now;
        let overdue = self.calls.iter().filter(|call| call.retry_at.is_some_and(|at| at <= now));
        let overdue: Vec<_> = overdue.map(|call| (call.id.clone(), call.attempt)).collect();
        for (id, attempt) in overdue {
            self.retry_call(shared, &id, attempt);
        }
    }
}
