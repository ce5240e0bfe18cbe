//! What a seed stands for: tabs, tools, messages, and everything that goes wrong.

use super::chance::Chance;
use serde_json::{Value, json};

/// A promise broken on purpose, to see the check fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    None,
    /// A started call leaves no trace on disk.
    StoreForgetsStarts,
    /// An ended call leaves no trace on disk.
    EndsForgotten,
    /// A page that lost the session still writes.
    FenceIgnored,
    /// The page runs a handler twice.
    InvokedTwice,
    /// The network swallows answers and says they were taken.
    AnswersVanish,
    /// The end of a call is told twice.
    TerminalTwice,
}

/// Something that happens at a moment.
#[derive(Debug, Clone)]
pub enum Happening {
    Message {
        tab: usize,
        text: String,
    },
    Open {
        tab: usize,
    },
    Kill {
        tab: usize,
    },
    Reload {
        tab: usize,
    },
    Freeze {
        tab: usize,
    },
    Thaw {
        tab: usize,
    },
    Offline {
        tab: usize,
    },
    Online {
        tab: usize,
    },
    /// The person comes back to the tab.
    Shown {
        tab: usize,
    },
    Close {
        tab: usize,
    },
    /// The lock fails: the tab believes it owns the session although another does.
    SecondOwner {
        tab: usize,
    },
    TokensExpire,
    StorageFails {
        on: bool,
    },
    ClockJumps {
        tab: usize,
        by: i64,
    },
    Unregister {
        tab: usize,
        tool: usize,
    },
    Engine(Value),
}

/// How the pages and the engine talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    Native,
    /// Runs of AG-UI, by the native engine's own channel.
    AgUi,
}

pub struct Plan {
    pub seed: u64,
    pub wire: Wire,
    pub sabotage: Sabotage,
    pub engine: Value,
    pub happenings: Vec<(u64, Happening)>,
    /// Which tools each tab has.
    pub tools: Vec<Vec<usize>>,
}

/// The tools there are: name, whether it may run again, whether it asks a person.
pub const TOOLS: [(&str, bool, bool); 7] = [
    ("fast", false, false),
    ("slow", false, false),
    ("throws", false, false),
    ("hangs", false, false),
    ("reads", true, false),
    ("asks", false, true),
    ("retries", false, false),
];

/// When the storm is over and everything must come to rest.
pub const CALM: u64 = 60_000;

impl Plan {
    pub fn new(seed: u64, wire: Wire, sabotage: Sabotage) -> Plan {
        let mut chance = Chance::new(seed);
        let chance = &mut chance;
        let tabs = *chance.pick(&[1, 1, 2, 2, 3]);
        let mut happenings = Vec::new();
        let messages = chance.between(1, 5);
        let mut rules = vec![];
        let mut helper_rules = vec![];
        for number in 0..messages {
            let text = format!("message-{number};");
            let mut calls = some_calls(chance, 4);
            // Agents have sessions of their own, which a run says nothing of.
            if wire == Wire::Native && chance.percent(35) {
                // Another agent helps, in a session of its own, with the same tools.
                let errand = format!("errand-{number};");
                calls.push(json!({ "name": "helper", "arguments": { "message": errand } }));
                helper_rules.push(json!({ "when": { "user": errand }, "call": some_calls(chance, 3) }));
            }
            rules.push(json!({ "when": { "user": text }, "call": calls }));
            let tab = chance.below(tabs as u64) as usize;
            happenings.push((chance.below(CALM - 10_000), Happening::Message { tab, text }));
        }
        let goes_on = json!({ "when": { "after": "*" }, "say": "ok" });
        rules.push(goes_on.clone());
        helper_rules.push(goes_on);

        for tab in 1..tabs {
            happenings.push((chance.below(20_000), Happening::Open { tab }));
        }
        let trouble = *chance.pick(&[0, 2, 6, 15, 30]);
        for _ in 0..trouble {
            let at = chance.below(CALM - 5_000);
            trouble_at(chance, wire, at, tabs, &mut happenings);
        }
        // Everything must come to rest in the end: the weather clears.
        for tab in 0..tabs {
            happenings.push((CALM, Happening::Thaw { tab }));
            happenings.push((CALM, Happening::Online { tab }));
            // A person who comes back to a tab that had to stop makes it try again.
            for back in [2, 60_000, 120_000, 180_000, 300_000] {
                happenings.push((CALM + back, Happening::Shown { tab }));
            }
        }
        happenings.push((CALM, Happening::StorageFails { on: false }));
        happenings.push((CALM + 1, Happening::Open { tab: 0 }));
        happenings.sort_by_key(|(at, _)| *at);

        // A run does not say whose a call is. A page that has not the tool knows it by what an earlier one declared,
        // which is in the store: where that fails, or a page does not know that it has lost the session, and the
        // tool is gone, too, nobody can tell.
        let unread = |one: &Happening| {
            matches!(one, Happening::StorageFails { on: true } | Happening::SecondOwner { .. })
        };
        let blind = wire == Wire::AgUi && happenings.iter().any(|(_, one)| unread(one));
        if blind {
            happenings.retain(|(_, one)| !matches!(one, Happening::Unregister { .. }));
        }
        let everywhere = chance.percent(80) || blind;
        let tools = (0..tabs)
            .map(|_| (0..TOOLS.len()).filter(|_| everywhere || chance.percent(60)).collect())
            .collect();
        let retry = json!({
            "max_attempts": chance.between(1, 3),
            "run_timeout_secs": *chance.pick(&[None, None, Some(8)]),
        });
        let native = wire == Wire::Native;
        let engine = json!({
            "seed": seed,
            "script": { "rules": rules },
            "deltaIntervalMs": chance.between(0, 30),
            "dispatchDelayMs": *chance.pick(&[0, 0, 0, 200]),
            "agent": { "retry": { "tool": retry }, "subagents": if native { json!([{ "id": "helper" }]) } else { json!([]) } },
            "agents": { "helper": {
                "retry": { "tool": retry },
                "script": { "rules": helper_rules },
                "tools": TOOLS.map(|(name, ..)| json!({ "name": name, "handler": "client" })),
            } },
            "switches": {
                "subagentPrefix": *chance.pick(&["subagent", "sub_agent"]),
                "eventObject": *chance.pick(&["source", "documented"]),
                "attemptBase": *chance.pick(&[0, 0, 1]),
                "results": *chance.pick(&["toolResult", "toolResult", "text"]),
                "agUiAnswers": if native { "taken" } else { *chance.pick(&["taken", "taken", "dropped"]) },
                "agUiRunEnd": if native { "whole" } else { *chance.pick(&["whole", "early"]) },
            },
        });
        Plan { seed, wire, sabotage, engine, happenings, tools }
    }
}

fn some_calls(chance: &mut Chance, most: u64) -> Vec<Value> {
    (0..chance.between(1, most)).map(|_| json!({ "name": chance.pick(&TOOLS).0 })).collect()
}

fn trouble_at(chance: &mut Chance, wire: Wire, at: u64, tabs: usize, happenings: &mut Vec<(u64, Happening)>) {
    let tab = chance.below(tabs as u64) as usize;
    let span = chance.between(10, 20_000);
    let (begins, ends) = match chance.below(20) {
        0 => (Happening::Kill { tab }, Some(Happening::Open { tab })),
        1 | 2 => (Happening::Reload { tab }, None),
        3 => (Happening::Freeze { tab }, Some(Happening::Thaw { tab })),
        4 | 5 => (Happening::Offline { tab }, Some(Happening::Online { tab })),
        6 => (Happening::SecondOwner { tab }, None),
        7 => (Happening::TokensExpire, None),
        8 => (Happening::StorageFails { on: true }, Some(Happening::StorageFails { on: false })),
        9 => {
            let by = *chance.pick(&[-3_600_000, -5_000, 30_000, 3_600_000]);
            (Happening::ClockJumps { tab, by }, None)
        }
        10 => (Happening::Unregister { tab, tool: chance.below(TOOLS.len() as u64) as usize }, None),
        11 => (Happening::Close { tab }, Some(Happening::Open { tab })),
        _ if wire == Wire::AgUi => (Happening::Engine(run_fault(chance)), None),
        _ => (Happening::Engine(engine_fault(chance)), None),
    };
    happenings.push((at, begins));
    if let Some(ends) = ends {
        happenings.push((at + span, ends));
    }
}

fn engine_fault(chance: &mut Chance) -> Value {
    let event = *chance.pick(&[
        None,
        Some("tool.call.requested"),
        Some("tool.call.dispatched"),
        Some("tool.call.completed"),
        Some("tool.call.errored"),
        Some("turn.completed"),
        Some("message.new"),
        Some("subagent.started"),
        Some("subagent.turn_completed"),
    ]);
    let times = chance.between(1, 3);
    let route = *chance.pick(&["/input", "/input", "/events/stream"]);
    match chance.below(11) {
        0 => json!({ "kind": "duplicateFrame", "event": event, "times": times }),
        1 => json!({ "kind": "reorderFrames", "event": event, "times": times }),
        2 => {
            json!({ "kind": "delayFrames", "event": event, "ms": chance.between(10, 5_000), "times": times })
        }
        3 => json!({ "kind": "cutStream", "afterBytes": chance.below(4_000), "clean": chance.percent(50) }),
        4 => json!({ "kind": "stall", "ms": chance.between(100, 20_000) }),
        5 => json!({ "kind": "loseRequest", "route": route, "times": times }),
        6 => {
            json!({ "kind": "delayRequest", "route": route, "ms": chance.between(10, 5_000), "times": times })
        }
        7 => json!({ "kind": "dropResponse", "route": "/input", "times": times }),
        8 => {
            json!({ "kind": "delayResponse", "route": route, "ms": chance.between(10, 5_000), "times": times })
        }
        9 => {
            let posts = [401, 409, 413, 429, 500, 503];
            let streams = [204, 401, 403, 408, 429, 500, 503];
            let status = *chance.pick(if route == "/input" { posts.as_slice() } else { streams.as_slice() });
            json!({ "kind": "refuse", "route": route, "status": status, "retryAfterSecs": *chance.pick(&[None, Some(3)]), "times": times })
        }
        _ => json!({ "kind": "restart", "downMs": chance.between(0, 5_000) }),
    }
}

/// What befalls runs. Their streams have no order but that of the bytes, so nothing in them changes places.
fn run_fault(chance: &mut Chance) -> Value {
    let twice = *chance.pick(&[
        "TOOL_CALL_START",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "RUN_FINISHED",
        "MESSAGES_SNAPSHOT",
    ]);
    let late =
        *chance.pick(&[None, Some("TOOL_CALL_START"), Some("RUN_FINISHED"), Some("TEXT_MESSAGE_CONTENT")]);
    let times = chance.between(1, 3);
    let route = *chance.pick(&["/run", "/run", "/connect", "/input"]);
    match chance.below(10) {
        0 => json!({ "kind": "duplicateFrame", "event": twice, "times": times }),
        1 => json!({ "kind": "delayFrames", "event": late, "ms": chance.between(10, 5_000), "times": times }),
        2 | 3 => {
            json!({ "kind": "cutStream", "afterBytes": chance.below(2_000), "clean": chance.percent(50) })
        }
        4 => json!({ "kind": "stall", "ms": chance.between(100, 20_000) }),
        5 => json!({ "kind": "loseRequest", "route": route, "times": times }),
        6 => {
            json!({ "kind": "delayRequest", "route": route, "ms": chance.between(10, 5_000), "times": times })
        }
        7 => json!({ "kind": "dropResponse", "route": route, "times": times }),
        8 => {
            let status = *chance.pick(&[401, 403, 408, 409, 413, 429, 500, 503]);
            json!({ "kind": "refuse", "route": route, "status": status, "retryAfterSecs": *chance.pick(&[None, Some(3)]), "times": times })
        }
        _ => json!({ "kind": "restart", "downMs": chance.between(0, 5_000) }),
    }
}
