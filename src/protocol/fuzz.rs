//! The bodies of the fuzz targets, kept in the crate so that they keep compiling. Not part of the
//! public interface.
//!
//! A body holds what must be true for any bytes whatever; where it is not, it panics, which is what a
//! fuzzer looks for. Nothing else may call these.

use super::native::{self, Interest};
use super::settle::{self, Encoding, Input, JsonText, Media, ToolResult};
use super::sse::{Limits, SseItem, SseParser};

/// Reads the bytes whole, one by one, and in pieces as long as their first byte says: what comes out
/// must be the same.
pub fn fuzz_sse(bytes: &[u8]) {
    let Some((&first, stream)) = bytes.split_first() else {
        return;
    };
    for limits in [Limits::default(), Limits { max_event_bytes: usize::from(first >> 4) }] {
        let whole = items(limits, stream, usize::MAX);
        assert_eq!(items(limits, stream, 1), whole, "one by one");
        assert_eq!(items(limits, stream, usize::from(first % 16) + 1), whole, "in pieces");
    }
}

fn items(limits: Limits, stream: &[u8], length: usize) -> Vec<String> {
    let mut parser = SseParser::new(limits);
    let mut items = Vec::new();
    for chunk in stream.chunks(length) {
        parser.push(chunk, &mut |item| {
            if let SseItem::Event(event) = item {
                assert!(event.data_bytes().len() <= limits.max_event_bytes, "a bound holds");
                items.push(format!("{} {} {:?}", event.kind(), event.data(), event.own_id()));
            } else {
                items.push(format!("{item:?}"));
            }
        });
    }
    items.push(parser.last_event_id().to_owned());
    items
}

/// Decodes the bytes as one event whose name is their first line, and as a whole stream.
pub fn fuzz_native(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (name, data) = text.split_once('\n').unwrap_or(("", &text));
    for id in [None, Some("7")] {
        let mut frames = Vec::new();
        if let Err(error) = native::decode(name, data, id, &mut frames) {
            assert!(frames.is_empty(), "a bad event gives no frame");
            assert!(error.excerpt.chars().count() < 300, "an excerpt is short");
        }
    }
    let mut frames = Vec::new();
    SseParser::new(Limits::default()).push(bytes, &mut |item| {
        if let SseItem::Event(event) = item {
            let _ = native::decode_event(&event, Interest::default(), &mut frames);
        }
    });
}

/// Reads the bytes as an event of a run, as messages of a transcript, and as a patch of a state: none may panic, and
/// what travels back is JSON, with arguments that are JSON too.
#[cfg(feature = "ag_ui")]
pub fn fuzz_ag_ui(bytes: &[u8]) {
    use super::ag_ui::{self, Called, Message};
    let text = String::from_utf8_lossy(bytes);
    let (name, data) = text.split_once('\n').unwrap_or(("", &text));
    let _ = ag_ui::read(name, data);
    let mut messages = Message::read_all(data, &|| "spare".to_owned());
    let called =
        // A call has an id that says something: no other is read.
        Called { id: format!("c{name}"), name: data.to_owned(), arguments: data.to_owned(), sealed: None };
    messages.push(Message::assistant(name.to_owned(), data.to_owned(), vec![called], Some(name)));
    messages.push(Message::tool(name.to_owned(), data.to_owned(), data, false, true));
    for message in messages {
        assert!(JsonText::new(&message.json).is_ok(), "a message is JSON");
        let again =
            Message::read(&message.json, &String::new).map(|again| (again.id, again.role, again.calls.len()));
        assert_eq!(again, Some((message.id, message.role, message.calls.len())), "it reads back as it is");
    }
    if let Ok(after) = super::patch::apply(name, data) {
        assert!(JsonText::new(&after).is_ok(), "a patched state is JSON");
    }
}

/// Builds the result body for a value and, after a line feed, a list of media.
pub fn fuzz_settle(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (value, media) = text.split_once('\n').unwrap_or((&text, "[]"));
    let media = Media::read_all(media).unwrap_or_default();
    let Ok(value) = JsonText::new(value) else {
        return;
    };
    for encoding in [Encoding::Auto, Encoding::Plain, Encoding::Wrapped] {
        let result = ToolResult { id: &text, attempt: 0, value, media: &media, encoding };
        let body = settle::input_body(&text, &Input::ToolResult(result));
        assert!(JsonText::new(&body).is_ok(), "a body is JSON");
    }
}
