//! Leaf pairs of an interval whose triangles were found, what that has cost, and what the rest of
//! them will: without the certainty of candidates and without decisions, which are counted apart.
//!
//! Costs are counted in pairs of nodes. Estimates come from the intervals before, until an eighth
//! of the leaf pairs is opened, and then from these: they are a sample of all where the list is
//! opened in a spread order ([`crate::interval::Candidates`]).
//!
//! Estimates only divide work among steps. They come from worlds in files, too, so sums saturate.

use crate::tuning;

/// Leaf pairs opened so far, what that has cost, and how many candidates it has found.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Opened {
    count: usize,
    spent: usize,
    found: usize,
    /// For how many candidates the certainty was determined.
    pub(crate) examined: usize,
}

/// What is to be expected of a leaf pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usual {
    /// Its cost.
    pub(crate) cost: f64,
    /// Candidates below it.
    pub(crate) found: f64,
}

impl Opened {
    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Notes that `count` leaf pairs are opened now and have `found` candidates, and what was spent
    /// since the last time.
    pub(crate) fn note(&mut self, (count, found): (usize, usize), spent: usize) {
        (self.count, self.found, self.spent) = (count, found, self.spent.saturating_add(spent));
    }

    /// Whether those opened are a sample of those listed.
    pub(crate) fn is_sampled(&self, listed: usize) -> bool {
        self.count > 0 && self.count.saturating_mul(tuning::LEAF_PAIRS_PER_SAMPLE) >= listed
    }

    /// The mean of a leaf pair, if any was opened.
    fn means(&self) -> Option<Usual> {
        let each = |sum: usize| sum as f64 / self.count as f64;
        (self.count > 0).then(|| Usual { cost: each(self.spent), found: each(self.found) })
    }

    /// The work left for the rest of the leaf pairs listed.
    pub(crate) fn work_left(&self, listed: usize, usual: Usual) -> usize {
        let left = listed.saturating_sub(self.count);
        let work = match self.means().filter(|_| self.is_sampled(listed)) {
            // Of one body, leaf pairs are opened in their order: the first may be the cheap ones. A
            // little more: work that is left over at the end makes one step long.
            Some(own) => {
                let part = self.count as f64 / listed as f64;
                let each = own.cost.max(part * own.cost + (1.0 - part) * usual.cost);
                tuning::RESERVE_FOR_LEAF_PAIRS * each * left as f64
            }
            // Those left may be expensive, or none of them.
            None => {
                let usual = tuning::RESERVE_BEFORE_SAMPLE * usual.cost;
                (usual * listed as f64 - self.spent as f64).max(usual * left as f64)
            }
        };
        (work as usize).max(left * tuning::NODE_PAIRS_PER_LEAF_PAIR)
    }

    /// How many candidates there will be below all leaf pairs listed: as usual, or half-way between
    /// that and what was found below those opened so far, as ratios: candidates lie in heaps, and a
    /// sample that meets one has several times too many.
    pub(crate) fn expected(&self, listed: usize, usual: Usual) -> usize {
        let each = match self.means().filter(|_| self.is_sampled(listed)) {
            Some(own) if usual.found > 0.0 => (own.found * usual.found).sqrt(),
            Some(own) => 0.5 * own.found,
            None => usual.found,
        };
        ((each * listed as f64) as usize).max(self.found)
    }
}

/// What is to be expected of a leaf pair after two intervals: the least of both, as little is lost
/// where the sample tells more.
pub(crate) fn usual(last: &Opened, before: &Opened) -> Usual {
    let least = |one: Usual, other: Usual| Usual { cost: one.cost.min(other.cost), found: one.found.min(other.found) };
    let means = last.means().into_iter().chain(before.means());
    means.reduce(least).unwrap_or(Usual { cost: tuning::NODE_PAIRS_PER_LEAF_PAIR as f64, found: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens leaf pairs of given costs one by one; the work left as it was told before each.
    fn told(costs: &[usize], usual: f64) -> Vec<usize> {
        let mut opened = Opened::default();
        let told = |(place, &cost): (usize, &usize)| {
            let left = opened.work_left(costs.len(), Usual { cost: usual, found: 0.0 });
            opened.note((place + 1, 0), cost);
            left
        };
        costs.iter().enumerate().map(told).collect()
    }

    #[test]
    fn leaf_pairs_that_cost_as_before_have_the_work_that_is_left() {
        for (place, left) in told(&[40; 80], 40.0).into_iter().enumerate() {
            let reserve = if place < 10 { tuning::RESERVE_BEFORE_SAMPLE } else { tuning::RESERVE_FOR_LEAF_PAIRS };
            let told = if place < 10 {
                reserve * 40.0 * 80.0 - 40.0 * place as f64
            } else {
                reserve * 40.0 * (80 - place) as f64
            };
            assert!(left.abs_diff(told as usize) <= 1, "{place}: {left}, {told}");
        }
    }

    #[test]
    fn a_sample_tells_what_is_left() {
        let left = told(&[80; 80], 40.0);
        assert!(left[..10].iter().all(|&left| left <= 80 * 50), "{left:?}");
        let told = |count: usize| (tuning::RESERVE_FOR_LEAF_PAIRS * 80.0 * count as f64) as usize;
        assert!(left[10..].iter().zip((1..=70).rev()).all(|(&left, count)| left == told(count)), "{left:?}");
    }

    #[test]
    fn cheap_ones_at_the_begin_do_not_hide_what_is_usual() {
        let costs = |place: usize| if place < 20 { 4 } else { 40 };
        let left = told(&std::array::from_fn::<_, 80, _>(costs), 40.0);
        assert!(left[12] > 65 * 40 && left[12] < 90 * 40, "{}", left[12]);
    }

    #[test]
    fn expensive_ones_before_the_sample_is_complete_leave_at_least_the_usual() {
        let left = told(&[400; 80], 40.0);
        assert!(left[1..10].iter().zip((71..=79).rev()).all(|(&left, count)| left == 50 * count), "{left:?}");
    }

    #[test]
    fn the_least_of_two_intervals_is_usual() {
        let (mut last, mut before) = (Opened::default(), Opened::default());
        assert_eq!(usual(&last, &before), Usual { cost: tuning::NODE_PAIRS_PER_LEAF_PAIR as f64, found: 0.0 });
        last.note((10, 20), 700);
        assert_eq!(usual(&last, &before), Usual { cost: 70.0, found: 2.0 });
        before.note((10, 40), 300);
        assert_eq!(usual(&last, &before), Usual { cost: 30.0, found: 2.0 });
    }

    #[test]
    fn candidates_are_expected_as_usual_until_a_sample_tells_more() {
        let usual = Usual { cost: 40.0, found: 2.0 };
        let mut opened = Opened::default();
        assert_eq!(opened.expected(80, usual), 160);
        opened.note((5, 40), 200);
        assert_eq!(opened.expected(80, usual), 160);
        opened.note((10, 80), 200);
        assert_eq!(opened.expected(80, usual), 320);
        opened.note((80, 640), 9_000);
        assert_eq!(opened.expected(80, usual), 640);
    }
}
