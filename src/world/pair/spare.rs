//! Memory of pairs that are not watched any more, for those that are watched next.
//!
//! Bodies come near and part, and each pair needs what finds its contacts and what holds them. What
//! a pair leaves behind is emptied and kept, up to [`tuning::MAX_SPARE_PAIR_BYTES`]; a new pair
//! takes what was kept last. What has stayed unused for [`tuning::STEPS_BEFORE_RELEASE`] advances
//! is released then, or in as many advances more. All that is taken is as new, but for the memory
//! it has: nothing else depends on what was kept. A clone of a world begins without.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kinetic::SeparationList;
use crate::tuning;
use crate::world::contact::ahead::DecidedAhead;
use crate::world::contact::continuous::Continuous;
use crate::world::pair::BodyPair;
use crate::world::pair::continuous_interval::ContinuousInterval;
use crate::world::pair::finder::PairFinder;

/// What pairs left behind, by kind.
#[derive(Debug, Default)]
pub(crate) struct SparePairs {
    pub(super) records: Pool<Record>,
    pub(super) lists: Pool<Box<SeparationList>>,
    pub(super) intervals: Pool<Box<ContinuousInterval>>,
    /// Advances since unused memory was last released.
    advances: u32,
}

/// What a pair holds besides its finder; empty.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) continuous: Option<Arc<Continuous>>,
    pub(super) ahead: Option<Box<DecidedAhead>>,
    pub(super) ignored: Option<Arc<BTreeSet<(u32, u32)>>>,
    pub(super) contacts: Vec<(u32, u32)>,
}

/// Things of one kind that are not used.
#[derive(Debug)]
pub(super) struct Pool<T> {
    /// With their bytes; those kept last are last.
    spare: Vec<(T, usize)>,
    bytes: usize,
    /// The least number of them since some were last released: as many were not needed.
    unused: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { spare: Vec::new(), bytes: 0, unused: 0 }
    }
}

impl<T> Pool<T> {
    /// One of them, the one that was kept last.
    pub(super) fn take(&mut self) -> Option<T> {
        let (item, bytes) = self.spare.pop()?;
        self.bytes -= bytes;
        self.unused = self.unused.min(self.spare.len());
        Some(item)
    }

    /// Keeps one more, which takes some bytes, if these are no more than `room`.
    fn keep(&mut self, item: T, bytes: usize, room: usize) {
        let bytes = bytes + size_of::<(T, usize)>();
        if bytes <= room {
            self.bytes += bytes;
            self.spare.push((item, bytes));
        }
    }

    /// Releases those that were not needed since this was last called.
    fn release(&mut self) {
        self.bytes -= self.spare.drain(..self.unused).map(|(_, bytes)| bytes).sum::<usize>();
        self.unused = self.spare.len();
    }
}

impl SparePairs {
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.records.bytes + self.lists.bytes + self.intervals.bytes
    }

    /// Counts an advance; now and then, releases what was not needed.
    pub(crate) fn count_advance(&mut self) {
        self.advances += 1;
        if self.advances >= tuning::STEPS_BEFORE_RELEASE {
            self.advances = 0;
            self.records.release();
            self.lists.release();
            self.intervals.release();
        }
    }

    /// Keeps the memory of a pair that is not watched any more. Events of its list must have been
    /// retired, its contacts must have ended.
    pub(super) fn keep(&mut self, pair: BodyPair) {
        let BodyPair { finder, continuous, ahead, ignored, mut contacts, .. } = pair;
        self.keep_finder(finder);
        contacts.clear();
        let mut record = Record { continuous, ahead: ahead.0, ignored: Some(ignored), contacts };
        // What a clone of the world shares is not for others.
        record.continuous.take_if(|shared| Arc::get_mut(shared).is_none());
        record.ignored.take_if(|shared| Arc::get_mut(shared).is_none_or(|own| !own.is_empty()));
        if let Some(own) = record.continuous.as_mut().and_then(Arc::get_mut) {
            own.empty();
        }
        if let Some(ahead) = &mut record.ahead {
            ahead.forget();
        }
        let (bytes, room) = (record.bytes(), self.room());
        self.records.keep(record, bytes, room);
    }

    /// Keeps the memory of a finder. Events of a list must have been retired.
    pub(super) fn keep_finder(&mut self, finder: PairFinder) {
        let room = self.room();
        match finder {
            PairFinder::List(mut list) | PairFinder::Hosted(Some(mut list)) => {
                list.empty();
                let bytes = size_of::<SeparationList>() + list.bytes();
                self.lists.keep(list, bytes, room);
            }
            PairFinder::Continuous(mut interval) => {
                interval.empty();
                let bytes = size_of::<ContinuousInterval>() + interval.bytes();
                self.intervals.keep(interval, bytes, room);
            }
            _ => {}
        }
    }

    /// How many bytes more may be kept.
    fn room(&self) -> usize {
        tuning::MAX_SPARE_PAIR_BYTES.saturating_sub(self.bytes())
    }
}

impl Record {
    fn bytes(&self) -> usize {
        let continuous = self.continuous.as_ref().map_or(0, |own| size_of::<Continuous>() + own.bytes());
        let ahead = self.ahead.as_ref().map_or(0, |ahead| size_of::<DecidedAhead>() + ahead.bytes());
        continuous + ahead + self.contacts.capacity() * size_of::<(u32, u32)>()
    }
}
