//! The trigger dialect: an engine pushes `tool.execute` and `tool.finished`, and nothing else it says
//! matters here. Whatever it pushes for execution is the page's, and may be settled at once.
//!
//! Frames have no place in an order of their own; a server that sends one again means the same call.
//! Nothing here remembers an earlier frame, and nothing here panics, whatever comes.

use super::frame::{Frame, Handler, Objection, Positioned};
use super::json;
use super::native::{FrameError, Payload, Read, calls, decode_by};
use std::borrow::Cow;

/// Decodes one event.
///
/// # Errors
/// When the event is not the JSON of a trigger.
pub fn decode(name: &str, data: &str, out: &mut Vec<Positioned>) -> Result<(), FrameError> {
    decode_by(read_frame, name, data, None, out)
}

fn read_frame(kind: &str, payload: &Payload<'_>, _turn_id: Option<&str>) -> Result<Read, &'static str> {
    Ok(match kind {
        "tool.execute" => {
            let mut request = calls::requested(payload)?;
            request.handler = Handler::Client;
            request.dispatched = true;
            request.objection = payload.input().and_then(objection);
            Read::One(Frame::CallRequested(request))
        }
        "tool.finished" => {
            let id = payload.required_call_id()?;
            Read::One(match payload.ok().and_then(json::flag) {
                Some(true) => {
                    Frame::CallCompleted { id, result: payload.result().map(json::value).unwrap_or_default() }
                }
                _ => {
                    let error = payload.error().map(calls::error).unwrap_or_default();
                    Frame::CallErrored { id, error, retryable: false }
                }
            })
        }
        other => Read::One(Frame::Unknown { name: other.to_owned() }),
    })
}

/// What the engine's own look at the arguments found.
fn objection(input: &str) -> Option<Objection> {
    let [status, error] = json::pick(input, ["status", "error"])?;
    let status = status.and_then(json::text)?;
    let error = error.and_then(json::text).map(Cow::into_owned).unwrap_or_default();
    matches!(status.as_ref(), "invalid" | "malformed").then_some(Objection { error })
}
