//! The storage that all tabs of a browser share, and the lock that says whose the session is.
//!
//! A model of what the page's store promises: a write by anyone but the owner of record is fenced, a
//! start is written once, and a write may fail without having happened.

use pagehand::runtime::CallKey;
use pagehand::runtime::input::Written;
use pagehand::runtime::record::{Progress, Record};
use std::collections::{BTreeMap, VecDeque};

use super::plan::Sabotage;

#[derive(Default)]
pub struct Disk {
    records: BTreeMap<CallKey, Record>,
    /// Grows with every owner; a write names the owner it comes from.
    epoch: u64,
}

impl Disk {
    /// A new owner takes over: everybody before it is fenced from now on.
    pub fn take_over(&mut self) -> (u64, Vec<Record>) {
        self.epoch += 1;
        (self.epoch, self.records.values().cloned().collect())
    }

    /// An owner takes on a child session: what is kept of its calls, if the owner still is one.
    pub fn adopt(&self, epoch: u64, session_id: &str) -> Vec<Record> {
        let current = epoch == self.epoch;
        let of_child = self.records.values().filter(|record| current && record.key.session_id == session_id);
        of_child.cloned().collect()
    }

    pub fn write(&mut self, epoch: u64, record: &Record, fails: bool, sabotage: Sabotage) -> Written {
        if fails {
            return Written::Failed;
        }
        if epoch != self.epoch && sabotage != Sabotage::FenceIgnored {
            return Written::Fenced;
        }
        let starts = matches!(record.progress, Progress::Started);
        if starts && sabotage == Sabotage::StoreForgetsStarts {
            return Written::Stored;
        }
        if starts && self.records.contains_key(&record.key) && sabotage != Sabotage::FenceIgnored {
            return Written::Fenced;
        }
        self.records.insert(record.key.clone(), record.clone());
        Written::Stored
    }

    pub fn retire(&mut self, epoch: u64, key: CallKey, sabotage: Sabotage) {
        if epoch != self.epoch {
            return;
        }
        if sabotage == Sabotage::EndsForgotten {
            self.records.remove(&key);
            return;
        }
        self.records.insert(key.clone(), Record { key, tool: String::new(), progress: Progress::Ended });
    }

    /// Records that hold an answer or a start.
    pub fn open(&self) -> usize {
        self.records.values().filter(|record| record.progress != Progress::Ended).count()
    }
}

/// A lock with a queue, as a browser's Web Locks are: whoever dies lets go.
#[derive(Default)]
pub struct Lock {
    holder: Option<u64>,
    waiting: VecDeque<u64>,
}

impl Lock {
    /// Stands in line. Returns true if the lock is the page's already.
    pub fn request(&mut self, page: u64) -> bool {
        let holder = *self.holder.get_or_insert(page);
        if holder != page && !self.waiting.contains(&page) {
            self.waiting.push_back(page);
        }
        holder == page
    }

    /// Lets go or leaves the line. Returns whose the lock is now, if that changed.
    pub fn release(&mut self, page: u64) -> Option<u64> {
        self.waiting.retain(|waiting| *waiting != page);
        if self.holder != Some(page) {
            return None;
        }
        self.holder = self.waiting.pop_front();
        self.holder
    }
}
