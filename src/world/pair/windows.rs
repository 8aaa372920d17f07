//! When the present windows of pairs with continuous contacts end, and what the decisions of the
//! next ones usually cost.

use crate::time::NEVER;
use crate::tuning;

/// Per pair, when its windows end, seconds; [`NEVER`] for others. Pairs with continuous contacts
/// are of kinetic bodies, whose numbers lie close together.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowEnds {
    ends: Vec<f64>,
    /// Those that are known, ascending by time and number.
    ordered: Vec<(u64, u32)>,
}

/// The place of a time among all times; both zeros have one.
fn rank(time: f64) -> u64 {
    let bits = (time + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

impl WindowEnds {
    /// When the windows of a pair end, seconds; `NEVER` if that is not known.
    pub(crate) fn get(&self, number: u32) -> f64 {
        self.ends.get(number as usize).copied().unwrap_or(NEVER)
    }

    /// Enters when the windows of a pair end, seconds. O(log pairs), and moves up to 16 bytes a
    /// pair: an ordered tree would give memory back and take it again.
    pub(crate) fn set(&mut self, number: u32, end: f64) {
        let known = self.get(number);
        if known == end {
            return;
        }
        if known < NEVER
            && let Ok(place) = self.ordered.binary_search(&(rank(known), number))
        {
            self.ordered.remove(place);
        }
        if end < NEVER
            && let Err(place) = self.ordered.binary_search(&(rank(end), number))
        {
            self.ordered.insert(place, (rank(end), number));
        }
        let place = number as usize;
        if place >= self.ends.len() {
            self.ends.resize(place + 1, NEVER);
        }
        self.ends[place] = end;
    }

    /// Nothing is known of a pair any more.
    pub(crate) fn remove(&mut self, number: u32) {
        self.set(number, NEVER);
    }

    /// Pairs whose windows end, with the time, seconds, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        let known = self.ends.iter().enumerate().filter(|(_, end)| **end < NEVER);
        known.map(|(number, &end)| (number as u32, end))
    }

    /// The first pair, from a number on, whose windows end at a time, seconds. O(log pairs).
    pub(crate) fn ending_at(&self, time: f64, from: u32) -> Option<u32> {
        let place = self.ordered.partition_point(|&entry| entry < (rank(time), from));
        let &(of, number) = self.ordered.get(place)?;
        (of == rank(time)).then_some(number)
    }
}

/// What the shares of windows cost in the last steps, in pairs of nodes. It shifts work between
/// steps, so neither clones nor files have it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UsualShare(f64);

impl UsualShare {
    /// How much of its own share of a step is done of what can wait: all where the share of windows
    /// is at most the usual one, a third from where it is twice as much.
    pub(crate) fn room_beside(&mut self, share: usize) -> f64 {
        let share = share as f64;
        if share == 0.0 || self.0 == 0.0 {
            self.0 = self.0.max(share);
            return 1.0;
        }
        let room = (self.0 / share).min(1.0);
        let room = (room * room.sqrt()).max(1.0 / 3.0);
        self.0 += (share - self.0) / tuning::STEPS_OF_USUAL_SHARE;
        room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_whose_windows_end_at_a_time_are_found_by_number() {
        let mut windows = WindowEnds::default();
        let times = [2.0, -1.5, 0.0, -0.0, 2.0, NEVER, 1e-300, 2.0, -1.5];
        for (number, &time) in (0..).zip(&times) {
            windows.set(number, 7.0);
            windows.set(number, time);
        }
        windows.remove(4);
        windows.remove(99);
        let at = |time: f64| {
            let next = |&number: &u32| windows.ending_at(time, number + 1);
            std::iter::successors(windows.ending_at(time, 0), next).collect::<Vec<u32>>()
        };
        assert_eq!((at(2.0), at(-1.5), at(0.0)), (vec![0, 7], vec![1, 8], vec![2, 3]));
        assert_eq!((at(7.0), at(NEVER), at(1e-300)), (vec![], vec![], vec![6]));
        assert_eq!(windows.iter().map(|(number, _)| number).collect::<Vec<_>>(), [0, 1, 2, 3, 6, 7, 8]);
    }

    #[test]
    fn what_can_wait_waits_while_windows_cost_more_than_usual() {
        let mut usual = UsualShare::default();
        assert_eq!((usual.room_beside(0), usual.room_beside(1_000), usual.room_beside(1_000)), (1.0, 1.0, 1.0));
        assert_eq!(usual.room_beside(500), 1.0);
        let twice = usual.room_beside(2_000);
        assert!((0.33..0.36).contains(&twice), "{twice}");
        assert_eq!(usual.room_beside(usize::MAX), 1.0 / 3.0);
        // What costs more for long is usual.
        let mut usual = UsualShare::default();
        let rooms: Vec<f64> =
            std::iter::once(1_000).chain([2_000; 200]).map(|share| usual.room_beside(share)).collect();
        assert!(rooms[1] < 0.4 && rooms[200] > 0.99, "{rooms:?}");
    }
}
