//! The AG-UI channel: a run is one request whose response is the stream of what comes of it.
//!
//! A session is a thread and a turn is a run, so everything here ends in what the native inputs do too; see
//! `inputs.rs`. `body.rs` reads requests, `view.rs` finds a page's conversation in the session's, `take.rs`
//! decides what a run brings, `run.rs` tells its stream what the session does, `frame.rs` writes. Nothing has
//! an id and nothing is ever sent again.

mod body;
mod frame;
mod run;
mod take;
mod view;

use serde_json::{Value, json};

use super::engine::Engine;
use super::events::Event;
use super::http::{Reply, Request};
use super::session::Session;
use super::shared::Shared;
use super::stream;

pub(crate) use frame::Frame;
pub(crate) use run::Run;

/// `POST /api/channels/ag-ui/agents/{agent}/run`: opens the run's stream, or gives the reply that refuses it.
pub(crate) fn run(engine: &mut Engine, request: &Request, agent: &str) -> Option<Reply> {
    take::run(engine, request, agent).err()
}

/// `POST /api/channels/ag-ui/agents/{agent}/connect`: the conversation so far, in one stream that ends.
pub(crate) fn connect(engine: &mut Engine, request: &Request) -> Option<Reply> {
    try_connect(engine, request).err()
}

fn try_connect(engine: &mut Engine, request: &Request) -> Result<(), Reply> {
    let owner = engine.shared.authorize(request)?;
    let input = body::parse_connect(engine.shared.config.body_limit, request)?;
    let run_id = input.run_id.unwrap_or_else(|| engine.shared.new_id());
    let run = Run::new(&input.thread_id, &run_id, None);
    let mut frames = vec![run.started()];
    let session = engine.sessions.get(&input.thread_id);
    let messages = session.map(view::snapshot).unwrap_or_default();
    frames.push(Frame::new("MESSAGES_SNAPSHOT", json!({ "messages": messages })));
    frames.push(run.finished(None, session.map(run::interrupts).unwrap_or_default()));
    stream::attach_run(engine, request, &input.thread_id, owner, run)?;
    engine.shared.send_run(request.id, &frames, true);
    Ok(())
}

/// Tells a run's stream of an event that its session records.
pub(crate) fn tell(shared: &mut Shared, id: u64, session: &Session, event: &Event) {
    let end = shared.config.switches.ag_ui_run_end;
    with_run(shared, id, |run| run.tell(session, event, end));
}

/// Tells a run's stream of a piece of a model's reply.
pub(crate) fn tell_piece(shared: &mut Shared, id: u64, piece: &Value) {
    with_run(shared, id, |run| run.tell_piece(piece));
}

/// Ends the runs whose sessions have come to rest: nothing goes on unless the page does something.
pub(crate) fn rest(engine: &mut Engine) {
    let Engine { shared, sessions } = engine;
    for (id, session) in shared.running() {
        if let Some(session) = sessions.get(&session) {
            with_run(shared, id, |run| run.rest(session));
        }
    }
}

/// Lets a run say something; `true` beside the frames ends its stream.
fn with_run(shared: &mut Shared, id: u64, say: impl FnOnce(&mut Run) -> (Vec<Frame>, bool)) {
    let Some((frames, over)) = shared.run_mut(id).map(say) else { return };
    if over || !frames.is_empty() {
        shared.send_run(id, &frames, over);
    }
}
