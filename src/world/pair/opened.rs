//! Leaf pairs of an interval whose triangles were found, what that has cost, and what the rest of
//! them will: without what is done with candidates, which is counted apart.
//!
//! Costs are counted in pairs of nodes. Leaf pairs near many contacts cost ten times as much as
//! others, and lie side by side. So estimates come from three sources, in turn: the intervals
//! before; the first of the leaf pairs, which are a sample of all where the list is opened in a
//! spread order ([`crate::interval::Candidates`]); those opened so far, whose mean counts more as
//! the rest becomes smaller, where it says more than the sample.
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
    /// For how many candidates it was found out where they are certain.
    pub(crate) examined: usize,
    /// The mean cost when the sample was complete, or now if it is not.
    sample: f64,
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

    /// Notes that `count` of the leaf pairs `listed` are opened now and have `found` candidates,
    /// and what was spent since the last time.
    pub(crate) fn note(&mut self, (count, found): (usize, usize), spent: usize, listed: usize) {
        let was_sampled = self.is_sampled(listed);
        (self.count, self.found, self.spent) = (count, found, self.spent.saturating_add(spent));
        if let Some(means) = self.means().filter(|_| !was_sampled) {
            self.sample = means.cost;
        }
    }

    /// Whether those opened are a sample of those listed.
    fn is_sampled(&self, listed: usize) -> bool {
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
        let (all, rest, spent) = (listed as f64, left as f64, self.spent as f64);
        let work = match self.means().filter(|_| self.is_sampled(listed)) {
            Some(own) => {
                let part = self.count as f64 / all;
                (0.5 * (self.sample + usual.cost) * all - spent).max(part * own.cost * rest)
            }
            // Those left may be expensive, or none of them.
            None => (usual.cost * all - spent).max(usual.cost * rest),
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
            opened.note((place + 1, 0), cost, costs.len());
            left
        };
        costs.iter().enumerate().map(told).collect()
    }

    #[test]
    fn leaf_pairs_that_cost_as_before_have_the_work_that_is_left() {
        for (place, left) in told(&[40; 80], 40.0).into_iter().enumerate() {
            assert_eq!(left, 40 * (80 - place));
        }
    }

    #[test]
    fn a_sample_that_is_dearer_raises_the_work_left_at_once_and_the_end_is_told_well() {
        let left = told(&[80; 80], 40.0);
        assert!(left[..10].iter().all(|&left| left <= 80 * 40), "{left:?}");
        // Half-way between sample and usual costs, then what was opened tells more.
        assert_eq!(left[10], 60 * 80 - 80 * 10);
        assert!(left[72..].iter().zip((1..=8).rev()).all(|(&left, count)| 10 * left >= 9 * 80 * count), "{left:?}");
    }

    #[test]
    fn expensive_ones_at_the_begin_are_not_expected_again_of_all() {
        let costs = |place: usize| if (10..18).contains(&place) { 400 } else { 40 };
        let left = told(&std::array::from_fn::<_, 80, _>(costs), 40.0);
        // 62 times 40 are left.
        assert!((2_480..4_000).contains(&left[18]), "{}", left[18]);
    }

    #[test]
    fn the_least_of_two_intervals_is_usual() {
        let (mut last, mut before) = (Opened::default(), Opened::default());
        assert_eq!(usual(&last, &before), Usual { cost: tuning::NODE_PAIRS_PER_LEAF_PAIR as f64, found: 0.0 });
        last.note((10, 20), 700, 10);
        assert_eq!(usual(&last, &before), Usual { cost: 70.0, found: 2.0 });
        before.note((10, 40), 300, 10);
        assert_eq!(usual(&last, &before), Usual { cost: 30.0, found: 2.0 });
    }

    #[test]
    fn candidates_are_expected_as_usual_until_a_sample_tells_more() {
        let usual = Usual { cost: 40.0, found: 2.0 };
        let mut opened = Opened::default();
        assert_eq!(opened.expected(80, usual), 160);
        opened.note((5, 40), 200, 80);
        assert_eq!(opened.expected(80, usual), 160);
        opened.note((10, 80), 200, 80);
        assert_eq!(opened.expected(80, usual), 320);
        opened.note((80, 640), 9_000, 80);
        assert_eq!(opened.expected(80, usual), 640);
    }
}
