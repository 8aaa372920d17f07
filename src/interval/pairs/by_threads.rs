//! Leaf pairs opened by several threads, in stretches.
//!
//! Each stretch begins as if it were the first one, whether one thread opens all of them or
//! several: what is found, its order and the cost are the same.

use std::sync::{Mutex, PoisonError};

use super::blocks::Asked;
use super::candidates::{Found, Search};
use super::disjoint::DisjointTriangles;
use super::{Candidates, PairedBoxes};
use crate::threads;

/// Leaf pairs of a stretch. Where there are enough for several threads, all leaves that were
/// gathered are dropped at its begin: it costs the same whichever thread opens it.
pub(super) const STRETCH: usize = 1024;

/// Whether the leaf pairs of a list are opened in stretches.
pub(super) fn is_divided(count: usize) -> bool {
    count > 2 * STRETCH
}

/// From this budget on, all work is done at once.
pub(super) const UNBOUNDED: usize = usize::MAX / 2;

/// Leaf pairs that are opened beside others.
struct Stretch {
    begin: usize,
    end: usize,
    /// How many leaves that share a corner are before it.
    shared: usize,
    found: Found,
    cost: usize,
}

impl Candidates {
    /// Opens all leaf pairs that are left, stretches of them by several threads. Finds what one
    /// thread finds, in the same order, and takes the same off the budget.
    pub(super) fn open_by_threads(
        &mut self,
        search: &Search<'_, impl Fn(u32, u32) -> bool + Sync>,
        disjoint: &mut DisjointTriangles,
        budget: &mut usize,
    ) {
        let Search { leaf_pairs, partners, bodies, .. } = *search;
        let listed = leaf_pairs.pairs();
        let first = self.done.min(listed.len()).next_multiple_of(STRETCH).min(listed.len());
        self.open(search, first, |leaves| disjoint.next(leaves, bodies), budget);
        self.settle(bodies);
        // Of one body, whose leaf pairs are opened in the order of the list.
        let sharing = |place: usize| leaf_pairs.sharing[place].then(|| [listed[place].a, listed[place].b]);
        disjoint.learn((first..listed.len()).filter_map(sharing), bodies);
        let mut place = disjoint.place();
        let mut stretches: Vec<Stretch> = (first..listed.len())
            .step_by(STRETCH)
            .map(|begin| {
                let end = listed.len().min(begin + STRETCH);
                let stretch = Stretch { begin, end, shared: place, found: Found::default(), cost: 0 };
                place += leaf_pairs.sharing[begin..end].iter().filter(|is_sharing| **is_sharing).count();
                stretch
            })
            .collect();
        // One for each thread; kept, they would hold 32 bytes per leaf and thread.
        let helpers = Mutex::new(Vec::new());
        let (own, known) = (&*self, &*disjoint);
        threads::for_each(&mut stretches, |stretch| {
            let kept = helpers.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut helper = kept.unwrap_or_else(|| own.helper(partners));
            stretch.cost = helper.open_stretch(own, search, (stretch.begin, stretch.end), |leaves| {
                stretch.shared += 1;
                known.at(stretch.shared - 1, leaves, bodies)
            });
            helper.give(&mut stretch.found);
            helpers.lock().unwrap_or_else(PoisonError::into_inner).push(helper);
        });
        *budget = stretches.iter().fold(*budget, |budget, stretch| budget.saturating_sub(stretch.cost));
        self.found.append(stretches.into_iter().map(|stretch| stretch.found).collect());
        self.done = listed.len();
    }

    /// What opens stretches for others.
    fn helper(&self, partners: &PairedBoxes<'_>) -> Self {
        if self.b.is_none() { Self::within(partners.a) } else { Self::between(partners.a, partners.b) }
    }

    /// Opens the leaf pairs of a stretch for others; returns what that costs.
    fn open_stretch(
        &mut self,
        own: &Self,
        search: &Search<'_, impl Fn(u32, u32) -> bool>,
        (begin, end): (usize, usize),
        disjoint: impl FnMut([u32; 2]) -> Asked,
    ) -> usize {
        let Search { leaf_pairs, partners, .. } = search;
        self.begin_with(leaf_pairs, partners);
        self.found.certain.follow(&own.found.certain);
        self.done = begin;
        let mut budget = usize::MAX;
        self.open(search, end, disjoint, &mut budget);
        self.settle(search.bodies);
        usize::MAX - budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{BuildParams, Hierarchy, SharedVertices, Topology};
    use crate::interval::boxes::tests::between_keys;
    use crate::interval::{IntervalBoxes, IntervalPairs, PairStats, PairedBodies, Prepared};
    use crate::mesh::{Mesh, Seams};
    use crate::motion::Motion;

    /// Cells along an edge of a sheet.
    const CELLS: usize = 110;

    /// A wavy sheet at two keys; its halves lie above each other where `is_folded`.
    fn sheet(phase: f32, is_folded: bool) -> (Mesh, [Vec<[f32; 3]>; 2]) {
        let row = CELLS + 1;
        let mut triangles = Vec::new();
        for cell in 0..CELLS * CELLS {
            let corner = (cell / CELLS * row + cell % CELLS) as u32;
            let (right, below) = (corner + 1, corner + row as u32);
            triangles.extend([[corner, below, right], [below + 1, right, below]]);
        }
        let key = |time: f32| {
            let place = |number: usize| {
                let (mut x, y) = ((number % row) as f32, (number / row) as f32);
                let wave = 0.6 * (0.9 * x + phase + time).sin() * (0.7 * y - time).cos();
                if is_folded && x > 0.5 * CELLS as f32 {
                    x = CELLS as f32 - x + 0.3;
                }
                [x, wave, y]
            };
            (0..row * row).map(place).collect()
        };
        (Mesh::new(row * row, triangles).unwrap(), [key(0.0), key(0.8)])
    }

    fn boxes((mesh, keys): &(Mesh, [Vec<[f32; 3]>; 2])) -> (IntervalBoxes, Motion) {
        let start: Vec<[f64; 3]> = keys[0].iter().map(|point| point.map(f64::from)).collect();
        let topology = Topology::build(mesh, &start, BuildParams { leaf_size: 8, ..BuildParams::default() });
        let motion = between_keys(keys[0].clone(), keys[1].clone());
        (IntervalBoxes::of_first_second(topology, &motion), motion)
    }

    /// All that is found, with what it cost: of two intervals in turn, the second one with the
    /// front of the first.
    #[derive(PartialEq)]
    struct Outcome {
        leaf_pairs: Vec<(u32, u32, u32, u32)>,
        sharing: Vec<bool>,
        front: Vec<[u32; 2]>,
        stats: PairStats,
        candidates: Vec<(u32, u32)>,
        open: Vec<(u32, u32)>,
        cost: usize,
        /// What a saved world would hold of the search.
        saved: Vec<u8>,
    }

    #[cfg(feature = "record")]
    fn saved(leaf_pairs: &IntervalPairs, own: &Candidates) -> Vec<u8> {
        crate::saved::saving(std::iter::empty(), || postcard::to_allocvec(&(leaf_pairs, own))).unwrap()
    }

    #[cfg(not(feature = "record"))]
    fn saved(_: &IntervalPairs, _: &Candidates) -> Vec<u8> {
        Vec::new()
    }

    /// Budgets of one preparation after another.
    #[derive(Clone, Copy)]
    enum Budgets {
        Whole,
        /// Shares of that many pairs of nodes.
        Shares(usize),
        /// A number of shares, then the rest at once.
        Begun(usize, usize),
    }

    impl Budgets {
        fn of(self, call: usize) -> usize {
            match self {
                Self::Shares(share) => share,
                Self::Begun(calls, share) if call < calls => share,
                _ => usize::MAX,
            }
        }
    }

    fn outcome(partners: &PairedBoxes<'_>, bodies: PairedBodies<'_>, steps: f64, budgets: Budgets) -> [Outcome; 2] {
        let is_self = bodies.seams.is_some();
        let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
        let mut own =
            if is_self { Candidates::within(partners.a) } else { Candidates::between(partners.a, partners.b) };
        own.expect_steps(steps);
        [(), ()].map(|()| {
            leaf_pairs.begin(partners).unwrap();
            let mut calls = 0..;
            let mut next = || budgets.of(calls.next().unwrap_or_default());
            while leaf_pairs.prepare(partners, next()) == Prepared::Partly {}
            own.begin(&leaf_pairs, partners).unwrap();
            let mut cost = 0;
            for call in 0.. {
                let mut budget = budgets.of(call);
                let before = budget;
                let prepared = own.prepare(&leaf_pairs, partners, bodies, |p, q| (p + q) % 5 != 0, &mut budget);
                cost += before - budget;
                if prepared == Prepared::All {
                    break;
                }
            }
            let (mut touching, mut open) = (Vec::new(), Vec::new());
            own.at(&leaf_pairs, 0.4, &mut touching, &mut open).unwrap();
            Outcome {
                leaf_pairs: leaf_pairs
                    .pairs()
                    .iter()
                    .map(|pair| (pair.a, pair.b, pair.enter.to_bits(), pair.leave.to_bits()))
                    .collect(),
                sharing: leaf_pairs.sharing.clone(),
                front: leaf_pairs.front.clone(),
                stats: leaf_pairs.stats(),
                candidates: own.pairs().collect(),
                open: [touching, open].concat(),
                cost,
                saved: saved(&leaf_pairs, &own),
            }
        })
    }

    /// Of one number of steps that are to come.
    #[track_caller]
    fn assert_same_by_any_number(partners: &PairedBoxes<'_>, bodies: PairedBodies<'_>, steps: f64) {
        let expected = threads::exactly(1, || outcome(partners, bodies, steps, Budgets::Whole));
        let (listed, front) = (expected[0].leaf_pairs.len(), expected[0].front.len());
        // Leaf pairs of several stretches, of which the last one is cut.
        assert!(listed > 3 * STRETCH && !listed.is_multiple_of(STRETCH) && front > listed, "{listed} of {front}");
        assert!(expected[0].candidates.len() > 10_000, "{} candidates", expected[0].candidates.len());
        assert_eq!(expected[1].stats.rebuilds, 1, "the second interval has the front of the first");
        for count in [2, 3] {
            let found = threads::exactly(count, || outcome(partners, bodies, steps, Budgets::Whole));
            assert!(found == expected, "{count} threads");
        }
        // A stretch is under way when the rest is done at once.
        let [begun, again] =
            [1, 3].map(|count| threads::exactly(count, || outcome(partners, bodies, steps, Budgets::Begun(2, 17_000))));
        assert!(begun == again);
        let shares = threads::exactly(2, || outcome(partners, bodies, steps, Budgets::Shares(30_000)));
        for (divided, whole) in begun.iter().chain(&shares).zip(expected.iter().cycle()) {
            assert!(divided.candidates == whole.candidates && divided.front == whole.front);
        }
    }

    fn two_sheets(steps: f64) {
        let sheets = [sheet(0.0, false), sheet(1.3, false)];
        let [a, b] = [&sheets[0], &sheets[1]].map(boxes);
        let bodies = PairedBodies::between((&sheets[0].0, &a.1), (&sheets[1].0, &b.1));
        assert_same_by_any_number(&PairedBoxes::between(&a.0, &b.0), bodies, steps);
    }

    fn folded_sheet(steps: f64) {
        let sheet = sheet(0.0, true);
        let ((own, motion), seams) = (boxes(&sheet), Seams::none(sheet.0.vertex_count()));
        let shared = SharedVertices::new(own.topology(), &sheet.0, &seams, true);
        let partners = PairedBoxes::within(&own, &shared);
        assert_same_by_any_number(&partners, PairedBodies::within((&sheet.0, &motion), Some(&seams)), steps);
    }

    #[test]
    fn of_two_sheets_any_number_of_threads_finds_the_same_in_the_same_order() {
        two_sheets(1.0);
    }

    #[test]
    fn of_two_sheets_it_does_so_with_certainty() {
        two_sheets(40.0);
    }

    #[test]
    fn of_a_folded_sheet_any_number_of_threads_finds_the_same_in_the_same_order() {
        folded_sheet(1.0);
    }

    #[test]
    fn of_a_folded_sheet_it_does_so_with_certainty() {
        folded_sheet(40.0);
    }
}
