//! How a frame gets onto its stream, through the faults that are armed.
//!
//! Frames of one stream stay in order unless a fault says otherwise: what is behind a held frame is held
//! too. Only the last step, [`Shared::send_through`], writes bytes.

use super::Millis;
use super::faults::{Fault, of_event};
use super::io::Output;
use super::shared::{Shared, Timer};
use super::stream::FOR_EVER;

/// Where a stream breaks off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    left: u64,
    clean: bool,
}

impl Shared {
    pub(super) fn stall(&mut self, ms: Option<u64>) {
        let until = ms.map_or(FOR_EVER, |ms| self.now.plus(Millis(ms)));
        let ids: Vec<u64> = self.streams.keys().copied().collect();
        for id in ids {
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.silent_until = Some(stream.silent_until.map_or(until, |silent| silent.max(until)));
            }
            if ms.is_some() {
                self.at(until, Timer::Frames { stream: id });
            }
        }
    }

    pub(super) fn restart(&mut self, down_ms: u64) {
        self.faults.down_until = self.now.plus(Millis(down_ms));
        let streams: Vec<u64> = self.streams.keys().copied().collect();
        for id in streams.into_iter().chain(self.waiting_requests()) {
            self.forget_client(id);
            self.outputs.push_back(Output::ConnectionLost { id });
        }
    }

    /// Sends a frame on its way through the armed faults.
    pub(crate) fn send_frame(&mut self, id: u64, frame: Vec<u8>) {
        let frame = match self.faults.strike(|fault| {
            matches!(fault, Fault::GarbleFrame { event, .. } if of_event(event, &frame)).then_some(())
        }) {
            Some(()) => garbled(&frame),
            None => frame,
        };
        let twice = self.faults.strike(|fault| {
            matches!(fault, Fault::DuplicateFrame { event, .. } if of_event(event, &frame)).then_some(())
        });
        if twice.is_some() {
            self.queue_frame(id, frame.clone());
        }
        self.queue_frame(id, frame);
    }

    fn queue_frame(&mut self, id: u64, frame: Vec<u8>) {
        let now = self.now;
        let delay = self.faults.strike(|fault| match fault {
            Fault::DelayFrames { event, ms, .. } if of_event(event, &frame) => Some(*ms),
            _ => None,
        });
        let swap = self.faults.strike(|fault| {
            matches!(fault, Fault::ReorderFrames { event, .. } if of_event(event, &frame)).then_some(())
        });
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if let Some(ms) = delay {
            let until = now.plus(Millis(ms));
            stream.held_until = Some(stream.held_until.map_or(until, |held| held.max(until)));
        } else if swap.is_some() && stream.swapped.is_none() {
            stream.swapped = Some(frame);
            self.at(now.plus(Millis(1000)), Timer::Frames { stream: id });
            return;
        }
        let swapped = stream.swapped.take();
        let frames = std::iter::once(frame).chain(swapped);
        if stream.is_held(now) || !stream.held.is_empty() {
            stream.held.extend(frames);
            if let Some(until) = stream.held_until {
                self.at(until, Timer::Frames { stream: id });
            }
            return;
        }
        for frame in frames.collect::<Vec<_>>() {
            self.send_through(id, frame);
        }
    }

    /// The last step before the wire: a cut may strike here.
    pub(crate) fn send_through(&mut self, id: u64, mut frame: Vec<u8>) {
        let Some(stream) = self.streams.get_mut(&id) else { return };
        if stream.cut.is_none() {
            stream.cut = self.faults.strike(|fault| match fault {
                Fault::CutStream { after_bytes, clean } => Some(Cut { left: *after_bytes, clean: *clean }),
                _ => None,
            });
        }
        let Some(cut) = &mut stream.cut else { return self.send_bytes(id, frame) };
        let length = frame.len() as u64;
        if length < cut.left {
            cut.left -= length;
            return self.send_bytes(id, frame);
        }
        let clean = cut.clean;
        frame.truncate(usize::try_from(cut.left).unwrap_or(usize::MAX));
        if !frame.is_empty() {
            self.send_bytes(id, frame);
        }
        self.forget_client(id);
        let end = if clean { Output::StreamEnded { id } } else { Output::ConnectionLost { id } };
        self.outputs.push_back(end);
    }
}

/// The frame with the second half of its data missing.
fn garbled(frame: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(frame);
    match text.split_once("data: ") {
        None => frame.to_vec(),
        Some((head, data)) => {
            let kept: String = data.trim_end().chars().take(data.chars().count() / 2).collect();
            format!("{head}data: {kept}\n\n").into_bytes()
        }
    }
}
