//! Memory of pairs that are not watched any more, for those that are watched next.
//!
//! Bodies come near and part, and each pair needs what finds its contacts and what holds them. What
//! a pair leaves behind is emptied and kept, up to [`tuning::MAX_SPARE_PAIR_BYTES`]; a new pair
//! takes what was kept last, unless that is large for its bodies. What has stayed unused for
//! [`tuning::STEPS_BEFORE_RELEASE`] advances is released then, or in as many advances more. All
//! that is taken is as new, but for the memory it has: nothing else depends on what was kept. A
//! clone of a world begins without.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kinetic::SeparationList;
use crate::tuning;
use crate::world::body::Body;
use crate::world::contact::ahead::DecidedAhead;
use crate::world::contact::continuous::Continuous;
use crate::world::pair::BodyPair;
use crate::world::pair::continuous_interval::ContinuousInterval;
use crate::world::pair::finder::PairFinder;
use crate::world::pair::front::Front;
use crate::world::pair::interval::IntervalFinder;

/// What pairs left behind, by kind.
#[derive(Debug, Default)]
pub(crate) struct SparePairs {
    pub(super) records: Pool<Record>,
    pub(super) lists: Pool<Box<SeparationList>>,
    pub(super) intervals: Pool<Box<ContinuousInterval>>,
    finders: Pool<Box<IntervalFinder>>,
    pub(super) fronts: Pool<Box<Front>>,
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
    /// One of them that has at most some bytes: the one that was kept last.
    pub(super) fn take(&mut self, most: usize) -> Option<T> {
        let place = self.spare.iter().rposition(|(_, bytes)| *bytes <= most)?;
        let (item, bytes) = self.spare.remove(place);
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

impl<T> Pool<Box<T>> {
    /// Keeps one more, which holds some bytes besides its own.
    fn keep_boxed(&mut self, item: Box<T>, held: impl FnOnce(&T) -> usize, room: usize) {
        let bytes = size_of::<T>() + held(&item);
        self.keep(item, bytes, room);
    }
}

impl SparePairs {
    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.records.bytes + self.lists.bytes + self.intervals.bytes + self.finders.bytes + self.fronts.bytes
    }

    /// Counts an advance; now and then, releases what was not needed.
    pub(crate) fn count_advance(&mut self) {
        self.advances += 1;
        if self.advances >= tuning::STEPS_BEFORE_RELEASE {
            self.advances = 0;
            self.records.release();
            self.lists.release();
            self.intervals.release();
            self.finders.release();
            self.fronts.release();
        }
    }

    /// Keeps the memory of a pair that is not watched any more. Events of its list must have been
    /// retired, its contacts must have ended.
    pub(super) fn keep(&mut self, pair: BodyPair) {
        let BodyPair { finder, idle, continuous, ahead, ignored, mut contacts, .. } = pair;
        self.keep_finder(finder);
        if let Some(idle) = idle {
            self.keep_finder(idle.finder);
        }
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
                self.lists.keep_boxed(list, SeparationList::bytes, room);
            }
            PairFinder::Continuous(mut interval) => {
                interval.empty();
                self.intervals.keep_boxed(interval, ContinuousInterval::bytes, room);
            }
            PairFinder::Interval(mut finder) => {
                finder.empty();
                self.finders.keep_boxed(finder, IntervalFinder::bytes, room);
            }
            PairFinder::Front(mut front) => {
                front.empty();
                self.fronts.keep_boxed(front, Front::bytes, room);
            }
            PairFinder::Mixed | PairFinder::BruteForce | PairFinder::Hosted(None) => {}
        }
    }

    /// A finder of triangles that count as touching at a distance, metres; `None` if the distance
    /// is not usable. One that was kept has at most some bytes.
    pub(super) fn interval_finder(&mut self, distance: f64, most: usize) -> Option<Box<IntervalFinder>> {
        match self.finders.take(most) {
            Some(mut finder) => finder.restart(distance).then_some(finder),
            None => IntervalFinder::new(distance).map(Box::new),
        }
    }

    /// How many bytes more may be kept.
    fn room(&self) -> usize {
        tuning::MAX_SPARE_PAIR_BYTES.saturating_sub(self.bytes())
    }
}

/// How large memory may be that a pair of two bodies, or of one with itself, takes.
pub(super) fn most_of(a: &Body, b: &Body) -> usize {
    let triangles = a.shape.mesh.triangle_count() + b.shape.mesh.triangle_count();
    tuning::SPARE_BYTES_OF_SMALL_PAIR + tuning::SPARE_BYTES_PER_TRIANGLE * triangles
}

impl Record {
    fn bytes(&self) -> usize {
        let continuous = self.continuous.as_ref().map_or(0, |own| size_of::<Continuous>() + own.bytes());
        let ahead = self.ahead.as_ref().map_or(0, |ahead| size_of::<DecidedAhead>() + ahead.bytes());
        continuous + ahead + self.contacts.capacity() * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_gives_the_last_first_and_is_bounded() {
        let mut pool = Pool::default();
        let own = size_of::<(u32, usize)>();
        [(1, 10), (2, 30), (3, 10)].into_iter().for_each(|(item, bytes)| pool.keep(item, bytes, own + 20));
        assert_eq!((pool.bytes, pool.take(own + 9)), (2 * (own + 10), None));
        let mut take = || pool.take(own + 10);
        assert_eq!([take(), take(), take()], [Some(3), Some(1), None]);
        assert_eq!(pool.bytes, 0);
    }

    #[test]
    fn what_no_one_needed_is_released() {
        let mut pool = Pool::default();
        (0..5).for_each(|item| pool.keep(item, 0, usize::MAX));
        pool.release();
        // Three are needed at a time, again and again.
        for _ in 0..4 {
            let taken: Vec<u32> = std::iter::from_fn(|| pool.take(usize::MAX)).take(3).collect();
            taken.into_iter().for_each(|item| pool.keep(item, 0, usize::MAX));
        }
        pool.release();
        assert_eq!(pool.spare.len(), 3);
        pool.release();
        assert_eq!((pool.spare.len(), pool.bytes), (0, 0));
    }
}
