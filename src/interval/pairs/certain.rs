//! Certainty of candidates throughout parts of an interval: a frame then tests only the rest.
//!
//! Positions at a frame, exact or evaluated, may be elsewhere than the boxes' points say by the
//! slack and the blur of both bodies. A certain result holds for all positions within that error
//! (`narrow::intervals::certain`). So frames give the results of exact tests at the frame, and a
//! host that steps often tests few pairs: about one in every part of the interval in which a
//! contact begins or ends.

use super::blocks::LeafTriangles;
use super::candidates::Found;
use super::decided::Decided;
use super::precise::{PreciseEnds, ROUNDINGS};
use super::{IntervalPairs, PairedBodies, emptied};
use crate::interval::{Candidates, IntervalError};
use crate::narrow::intervals::MovingTriangle;
use crate::narrow::intervals::certain::{Certainty, PARTS, certainty};
use crate::threads::for_each;
use crate::time::Span;
use crate::tuning;

/// Candidates with their certainties, without those that are apart throughout; ascending once all
/// are known.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Certainties {
    /// How often parts are halved; 0 where no certainty is computed. `next_depth` is the same from
    /// the next interval on.
    depth: u32,
    next_depth: u32,
    /// Whether the corners at both ends have the exact positions of the bodies.
    is_exact: bool,
    /// How far an evaluated coordinate may be from where gathered corners say, metres.
    blur: f64,
    /// The same of corners in `f64`.
    precise_blur: f64,
    candidates: Decided,
    waiting: Vec<Waiting>,
    /// How many were added in this interval.
    count: usize,
    /// How many of these are open throughout, as they were too many.
    left_open: usize,
    /// How many are decided at most; set again before candidates are added.
    #[cfg_attr(feature = "record", serde(skip))]
    most: Option<usize>,
    /// In how many parts it is open whether they touch, all of this interval together.
    open_parts: u64,
    /// Whether they are decided beside others: by one thread then.
    #[cfg_attr(feature = "record", serde(skip))]
    is_beside: bool,
}

/// A candidate to be decided, its slots, and what is certain of it then.
type Waiting = ((u32, u32), [u32; 2], Certainty);

/// How many candidates wait at most; each takes 32 bytes, and they are decided side by side.
const MAX_WAITING: usize = 512;

impl Certainties {
    /// Becomes as a new one, in the memory that is there.
    pub(super) fn restart(&mut self) {
        let Self { mut candidates, waiting, .. } = std::mem::take(self);
        candidates.clear();
        (self.candidates, self.waiting) = (candidates, emptied(waiting));
    }

    pub(super) fn expect_steps(&mut self, steps: f64) {
        // Parts about as long as the way from one step to the next.
        let parts = steps.min(f64::from(PARTS)).ceil().max(1.0) as u32;
        let depth = parts.next_power_of_two().trailing_zeros();
        self.next_depth = if steps >= tuning::MIN_STEPS_FOR_CERTAINTY { depth } else { 0 };
    }

    /// Begins an interval with corners off by `blur`, evaluated positions by `slack` more, of which
    /// `rounding` is that of positions in `f64`, metres; for triangles that touch at a distance no
    /// certainty is computed.
    pub(super) fn begin(&mut self, blur: f64, [slack, rounding]: [f64; 2], distance: f64) {
        self.depth = if distance > 0.0 { 0 } else { self.next_depth };
        self.candidates.begin(self.depth);
        self.waiting.clear();
        (self.count, self.left_open, self.open_parts) = (0, 0, 0);
        self.is_exact = blur == 0.0;
        // Twice, for the rounding of the interval's parameter: some units of 2⁻⁵³ of the way, where
        // the slack has 32.
        self.blur = 2.0 * (blur + slack);
        self.precise_blur = ROUNDINGS * rounding;
    }

    /// Decides as others do, that were begun, and beside them.
    pub(super) fn follow(&mut self, other: &Self) {
        (self.depth, self.is_exact) = (other.depth, other.is_exact);
        (self.blur, self.precise_blur) = (other.blur, other.precise_blur);
        self.is_beside = true;
    }

    /// How many candidates are decided and not apart throughout.
    pub(super) fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    /// Takes room for some more candidates.
    pub(super) fn reserve_exact(&mut self, count: usize) {
        self.candidates.reserve_exact(self.depth, count);
    }

    /// Takes what others have decided.
    pub(super) fn append(&mut self, next: Self) {
        self.candidates.append(next.candidates);
        self.count += next.count;
        self.left_open += next.left_open;
        self.open_parts += next.open_parts;
    }

    pub(super) fn add(&mut self, pair: (u32, u32), slots: [u32; 2]) {
        if self.most.is_some_and(|most| self.examined() >= most) {
            self.left_open += 1;
            self.open_parts = self.open_parts.saturating_add(u64::from(PARTS));
            self.candidates.push(self.depth, pair, Certainty::default());
        } else {
            self.waiting.push((pair, slots, Certainty::default()));
        }
        self.count += 1;
    }

    /// From now on, candidates stay open once that number of them is decided.
    pub(super) fn limit(&mut self, most: Option<usize>) {
        self.most = most;
    }

    /// How many candidates were added to be decided.
    fn examined(&self) -> usize {
        self.count.saturating_sub(self.left_open)
    }

    /// Whether the candidates that wait are to be decided now.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() >= MAX_WAITING
    }

    /// Computes the certainties of the candidates added since the last call.
    pub(super) fn decide(
        &mut self,
        (a, b): (&LeafTriangles, &LeafTriangles),
        bodies: PairedBodies<'_>,
        interval: Span,
    ) {
        let most = self.most_parts();
        let Self { depth, is_exact, blur, precise_blur, candidates, waiting, open_parts, is_beside, .. } = self;
        let precise = if *is_exact { None } else { PreciseEnds::new(bodies, interval) };
        let (is_exact, blur) = if precise.is_some() { (true, *precise_blur) } else { (*is_exact, *blur) };
        let decide = |(pair, slots, certain): &mut Waiting| {
            let [a, b] = match &precise {
                Some(ends) => [ends.moving(0, pair.0), ends.moving(1, pair.1)],
                None => {
                    let corners = [a.moving(slots[0] as usize), b.moving(slots[1] as usize)];
                    corners.map(|&[begin, end]| MovingTriangle::from_f32(begin, end))
                }
            };
            let rests = |axis: usize| {
                let still = |moving: &MovingTriangle| {
                    (0..3).all(|corner| moving.begin[corner][axis] == moving.end[corner][axis])
                };
                let is_at_rest =
                    |side: usize, triangle: u32| precise.as_ref().is_none_or(|ends| ends.rests(side, triangle, axis));
                is_exact && still(&a) && still(&b) && is_at_rest(0, pair.0) && is_at_rest(1, pair.1)
            };
            // What rests at a key stays there to the last bit, and so does what has no velocity.
            // Equal coordinates at both ends of a cut interval may be those of a slow motion.
            let blur = std::array::from_fn(|axis| if rests(axis) { 0.0 } else { blur });
            *certain = certainty(&a, &b, blur, *depth, most);
        };
        if *is_beside {
            waiting.iter_mut().for_each(decide);
        } else {
            for_each(waiting, decide);
        }
        for (pair, _, certain) in waiting.drain(..) {
            *open_parts += u64::from((!(certain.touching | certain.apart)).count_ones());
            if certain.apart != !0 {
                candidates.push(*depth, pair, certain);
            }
        }
    }

    /// The largest number of parts of a candidate that are examined: an exact test at every step is
    /// not much more expensive than examining a few parts.
    fn most_parts(&self) -> u32 {
        let parts = 1 << self.depth;
        1 + if parts > 16 { parts / 2 } else { parts / 4 }
    }

    /// Ends the preparation once all candidates are known.
    pub(super) fn close(&mut self) {
        self.candidates.sort();
    }

    pub(super) fn is_known(&self) -> bool {
        self.depth > 0
    }

    /// How many candidates were added in this interval.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Candidates that are decided.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        self.candidates.pairs()
    }

    pub(super) fn bytes(&self) -> usize {
        self.candidates.bytes() + self.waiting.capacity() * size_of::<Waiting>()
    }
}

/// The cost of candidates: the mean number of parts examined per candidate that is, `None` if no
/// certainties are computed; and the mean number of candidates open at a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    pub(crate) parts: Option<f64>,
    pub(crate) open: f64,
    /// The share of candidates that were examined.
    pub(crate) examined: f64,
}

impl Candidates {
    /// From the next interval on, also finds in which parts of the interval candidates certainly
    /// touch, or are apart, for a host that makes `steps` steps in an interval. Few steps are not
    /// worth the cost, nor are triangles that touch at a distance: then [`Candidates::at`] returns
    /// `false`. Candidates that are apart throughout are then not listed.
    pub fn expect_steps(&mut self, steps: f64) {
        self.found.certain.expect_steps(steps);
    }

    /// The candidates that touch at a time, by the exact test of positions as evaluated, and the
    /// open ones, which need that test; all others are apart. Ascending, once the candidates are
    /// prepared; returns `false`, and no candidates, where no certainties were computed
    /// ([`Candidates::expect_steps`]). O(candidates), about 1 ns each.
    ///
    /// # Errors
    /// As [`IntervalPairs::active`].
    pub fn at(
        &self,
        leaf_pairs: &IntervalPairs,
        time: f64,
        touching: &mut Vec<(u32, u32)>,
        open: &mut Vec<(u32, u32)>,
    ) -> Result<bool, IntervalError> {
        self.found.at(leaf_pairs, time, touching, open)
    }
}

impl Found {
    /// For how many candidates the certainty was, or will be, determined.
    pub(crate) fn examined(&self) -> usize {
        self.certain.examined()
    }

    /// The cost of the certainties of all candidates known so far, and the mean number that stays
    /// open.
    pub(crate) fn outlook(&self) -> Outlook {
        let certain = &self.certain;
        let count = self.count() as f64;
        if !certain.is_known() {
            return Outlook { parts: None, open: count, examined: 0.0 };
        }
        let open = certain.open_parts as f64 / f64::from(PARTS);
        let examined = certain.examined() as f64;
        let share = if examined > 0.0 { (open - certain.left_open as f64) / examined } else { 0.0 };
        // Halving visits about twice as many parts as stay open.
        let parts = (2.0 * share * f64::from(1 << certain.depth)).min(f64::from(certain.most_parts()));
        Outlook { parts: Some(parts), open, examined: if count > 0.0 { examined / count } else { 1.0 } }
    }

    /// As [`Candidates::at`].
    pub(crate) fn at(
        &self,
        leaf_pairs: &IntervalPairs,
        time: f64,
        touching: &mut Vec<(u32, u32)>,
        open: &mut Vec<(u32, u32)>,
    ) -> Result<bool, IntervalError> {
        let s = leaf_pairs.parameter(time)?;
        if !self.certain.is_known() {
            return Ok(false);
        }
        let part = ((s * f64::from(PARTS)) as u32).min(PARTS - 1);
        self.certain.candidates.at(part, touching, open);
        Ok(true)
    }
}
