//! Times of the keys of loops, round by round. Those that no motion reads any more are memory for
//! others.

use std::sync::Arc;

/// Times of rounds that motions read, and of some that none reads any more. A clone has none.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    held: Vec<Arc<[f64]>>,
    /// The place of those that were returned last.
    last: usize,
    /// At how many those that none reads are dropped.
    most: usize,
}

/// How many are tested for use before others are made.
const SEARCHED: usize = 32;

impl Clone for Rounds {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Rounds {
    /// Some times: those returned last, if they are equal, as bodies that move together begin their
    /// epochs one after the other. O(times), amortised.
    pub(super) fn hold(&mut self, times: impl ExactSizeIterator<Item = f64> + Clone) -> Arc<[f64]> {
        let count = self.held.len();
        if let Some(last) = self.held.get(self.last)
            && last.iter().copied().eq(times.clone())
        {
            return Arc::clone(last);
        }
        for place in (self.last + 1..).map(|place| place % count.max(1)).take(SEARCHED.min(count)) {
            let free = Arc::get_mut(&mut self.held[place]).filter(|free| free.len() == times.len());
            if let Some(free) = free {
                free.iter_mut().zip(times).for_each(|(slot, time)| *slot = time);
                self.last = place;
                return Arc::clone(&self.held[place]);
            }
        }
        if count >= self.most {
            self.held.retain(|held| Arc::strong_count(held) > 1);
            self.most = 2 * self.held.len() + SEARCHED;
        }
        self.last = self.held.len();
        let made: Arc<[f64]> = times.collect();
        self.held.push(Arc::clone(&made));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(rounds: &mut Rounds, begin: u32) -> Arc<[f64]> {
        rounds.hold((begin..begin + 4).map(f64::from))
    }

    #[test]
    fn equal_times_are_shared_and_free_ones_are_memory_for_others() {
        let mut rounds = Rounds::default();
        let first = round(&mut rounds, 0);
        assert!(Arc::ptr_eq(&first, &round(&mut rounds, 0)));
        let (second, memory) = (round(&mut rounds, 3), first.as_ptr());
        assert_eq!((&first[..], &second[..]), (&[0.0, 1.0, 2.0, 3.0][..], &[3.0, 4.0, 5.0, 6.0][..]));
        drop(first);
        let third = round(&mut rounds, 6);
        assert_eq!((third.as_ptr(), &third[..]), (memory, &[6.0, 7.0, 8.0, 9.0][..]));
        // Of another number.
        drop(second);
        let other = rounds.hold([1.0, 2.0].into_iter());
        assert_eq!(&other[..], &[1.0, 2.0]);
        assert_eq!(rounds.held.len(), 3);
    }

    #[test]
    fn those_that_none_reads_are_dropped_once_there_are_many() {
        let mut rounds = Rounds::default();
        let kept: Vec<Arc<[f64]>> = (0..3).map(|begin| round(&mut rounds, begin)).collect();
        for count in 1..2000 {
            rounds.hold((0..count).map(f64::from));
            assert!(rounds.held.len() <= 2 * (SEARCHED + 8), "{}", rounds.held.len());
        }
        assert!(kept.iter().enumerate().all(|(begin, times)| times[0] == begin as f64));
    }
}
