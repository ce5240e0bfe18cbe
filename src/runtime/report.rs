//! The account of one call, made when it ends.

use super::call::{Call, Ending};
use super::codes::Code;
use super::event::{Checks, Problem, Report, ReportDelivery, ReportStatus};
use super::ids::Millis;
use crate::protocol::RawJson;

/// Accounts for a call that ends now.
pub(super) fn account(call: &Call, ending: &Ending, now: Millis) -> Report {
    let (status, error) = match ending {
        Ending::Confirmed | Ending::Local if call.error.is_none() => (ReportStatus::Completed, None),
        Ending::Confirmed | Ending::Local => (ReportStatus::Failed, call.error.clone()),
        Ending::Refused(problem) => (ReportStatus::Failed, Some(problem.clone())),
        Ending::Abandoned(code, message) => {
            (ReportStatus::Failed, Some(Problem::new(*code, message.clone())))
        }
        Ending::Voided(why) => (ReportStatus::Cancelled, Some(Problem::new(Code::Cancelled, why.clone()))),
    };
    let duration = match (call.ran_from, call.ran_until) {
        (Some(from), until) => until.unwrap_or(now).since(from),
        (None, _) => Millis(0),
    };
    Report {
        name: call.name.clone(),
        version: call.tool.as_ref().and_then(|tool| tool.version.clone()),
        key: call.key.clone(),
        turn_id: call.turn_id.clone(),
        trip_index: call.trip_index,
        input: RawJson::of(&call.text),
        output: call.output.as_ref().map(RawJson::of),
        error,
        status,
        started_at: call.received_at,
        ended_at: now,
        duration,
        checks: Checks { input: call.class, issues: call.issues.clone() },
        delivery: ending.delivery().map(|state| ReportDelivery { state, tries: call.tries }),
    }
}
