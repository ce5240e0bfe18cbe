//! The two ways a request goes: a stream that is read to its end, a post that is answered once.
//!
//! Each says what happened to the driver as inputs, unless the request was given up meanwhile.

use super::driver::Driver;
use super::host::settle;
use super::request::{Wanted, send};
use super::response::Answer;
use crate::runtime::ids::RequestId;
use crate::runtime::input::Input;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// Most bytes that are read at once. Browsers hand over up to two megabytes where a server is fast, and a page must
/// not be held up for as long as reading those takes.
const PIECE: usize = 64 << 10;

/// Opens a session's stream and reads it to its end.
pub(super) async fn follow(
    driver: Rc<Driver>,
    request: RequestId,
    session_id: String,
    wanted: Wanted,
    refresh: bool,
    signal: JsValue,
) {
    let sent = send(&driver, request, &session_id, &wanted, refresh, &signal).await;
    let failure = match sent.and_then(Answer::new) {
        Ok(answer) => read(&driver, request, &answer).await.err(),
        Err(message) => Some(message),
    };
    if driver.requests.has(request.0) {
        driver.requests.close(request.0);
        driver.push(Input::StreamClosed { request, failure });
    }
}

async fn read(driver: &Rc<Driver>, request: RequestId, answer: &Answer) -> Result<(), String> {
    if !driver.requests.has(request.0) {
        answer.discard();
        return Ok(());
    }
    driver.push(Input::StreamOpened {
        request,
        status: answer.status,
        content_type: answer.header("content-type"),
        retry_after: answer.header("retry-after"),
    });
    let Some(body) = answer.body()? else { return Ok(()) };
    loop {
        // The machine may have given the request up over what it was just told.
        if !driver.requests.has(request.0) {
            return Ok(());
        }
        let Some(bytes) = body.next().await? else { return Ok(()) };
        if bytes.len() <= PIECE {
            // What most are: handed on as it is, without a copy.
            if driver.requests.has(request.0) {
                driver.push(Input::ChunkArrived { request, bytes });
            }
            continue;
        }
        for piece in bytes.chunks(PIECE) {
            if !driver.requests.has(request.0) {
                return Ok(());
            }
            driver.push(Input::ChunkArrived { request, bytes: piece.to_vec() });
            let _ = settle(driver.host().rest()).await;
        }
    }
}

/// Posts a body and waits for the answer.
pub(super) async fn post(
    driver: Rc<Driver>,
    request: RequestId,
    session_id: String,
    wanted: Wanted,
    refresh: bool,
    signal: JsValue,
) {
    let sent = send(&driver, request, &session_id, &wanted, refresh, &signal).await;
    let input = match sent.and_then(Answer::new) {
        Ok(answer) => Input::PostAnswered {
            request,
            status: answer.status,
            retry_after: answer.header("retry-after"),
            body: answer.text().await,
        },
        Err(message) => Input::PostFailed { request, message },
    };
    if driver.requests.has(request.0) {
        driver.requests.close(request.0);
        driver.push(input);
    }
}
