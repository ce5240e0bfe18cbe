//! A session changes hands: what the page that loses it was doing stops, but an answer under way goes on.

use super::world::{Behavior, World, tool};
use pagehand::runtime::Input;
use pagehand::runtime::output::{Effect, Output};
use serde_json::json;

#[test]
fn an_answer_under_way_is_not_cut_short_when_the_session_is_lost() {
    let mut world = World::new(json!({ "rules": [
        { "when": { "user": "*" }, "call": [{ "name": "paint" }] },
        { "when": { "after": "*" }, "say": "Done." },
    ] }));
    world.register(tool("paint", Behavior::Returns("1", 100)));
    world.send("paint");
    world.fault(json!({ "kind": "delayResponse", "route": "input", "ms": 5_000, "times": 2 }));
    world.advance(1_000);
    assert_eq!(world.answers().len(), 1, "the answer is under way");
    world.machine.handle(world.now, Input::OwnershipLost);
    let mut effects = Vec::new();
    while let Some(output) = world.machine.poll_output() {
        if let Output::Effect(effect) = output {
            effects.push(effect);
        }
    }
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Abort { .. })), "{effects:?}");
    assert_eq!(world.machine.open_calls(), 0);
    world.advance(10_000);
    assert_eq!(world.call(0).status, "completed");
}
