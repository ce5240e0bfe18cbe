//! What must hold after every run.

use super::plan::TOOLS;
use super::sim::Sim;

/// The first promise that was broken, if any was.
pub fn verdict(sim: &Sim) -> Result<(), String> {
    if let Some(fault) = sim.faults.first() {
        return Err(fault.clone());
    }
    for ((call, attempt, tool), times) in &sim.executions {
        let may_run_again = TOOLS.iter().any(|(name, may, _)| name == tool && *may);
        let protected = !sim.unprotected.contains(&(call.clone(), *attempt));
        if *times > 1 && !may_run_again && protected {
            return Err(format!("`{tool}` ran {times} times for {call} attempt {attempt}"));
        }
    }
    for page in sim.pages.values() {
        if let Some((key, times)) = page.ended.iter().find(|(_, times)| **times > 1) {
            let _ = times;
            return Err(format!(
                "call {} attempt {} ended twice in page {}",
                key.call_id, key.attempt, page.id
            ));
        }
        if page.told_after_close > 0 {
            return Err(format!("page {} said {} things after its close", page.id, page.told_after_close));
        }
    }
    for (session, call) in sim.engine_calls() {
        for settlement in call.settlements.iter().filter(|settlement| settlement.accepted) {
            let accepted = sim.engine.accepted_settlements(&session, &call.id, settlement.attempt);
            if accepted > 1 {
                return Err(format!(
                    "{} attempt {} was settled {accepted} times",
                    call.id, settlement.attempt
                ));
            }
        }
        if !["completed", "errored", "voided"].contains(&call.status) {
            return Err(format!(
                "the engine still waits for {} (`{}`, {}), tabs have {:?}",
                call.id, call.name, call.status, sim.plan.tools
            ));
        }
    }
    for page in sim.pages.values() {
        if page.machine.open_calls() > 0 {
            return Err(format!("page {} still has {} open calls", page.id, page.machine.open_calls()));
        }
        if page.finished < page.sent {
            return Err(format!(
                "page {} waits for {} of {} turns",
                page.id,
                page.sent - page.finished,
                page.sent
            ));
        }
    }
    if sim.most_open > 64 || sim.most_on_disk > 64 {
        return Err(format!(
            "{} calls open, {} records: more than there were",
            sim.most_open, sim.most_on_disk
        ));
    }
    Ok(())
}
