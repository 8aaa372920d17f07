//! The sweep: from the winners at one key to the winners at the next, and which slots they differ
//! in.
//!
//! One bottom-up pass finds the extreme *values* of every node at the next key; a slot whose winner
//! has that value keeps it and has no event in between, as the maximum of linear functions is
//! convex (theory §11). So no index is carried through the pass, and it is as branch-free as a
//! refit. Only in the other slots is a new winner searched.
//!
//! **Ties.** A winner that has the extreme value stays, as in the kinetic engine, where only a
//! *strictly* greater value at the end of a segment ends a winning span. Otherwise the first equal
//! vertex of a leaf wins, and the left child before the right one.
//!
//! Cost: O(points of leaves + nodes); 32 bytes read and 32 written per node.

use std::ops::Range;

use super::layout::{LANES, Layout, PADDED};
use super::track::Ends;
use crate::simd::{self, F32x8 as _, Kernel, Simd};

/// A number to compare coordinates in.
pub(crate) trait Scalar: Copy + PartialOrd + std::ops::Neg<Output = Self> {
    const INFINITY: Self;
    /// Per lane a bit: set if the first number is greater.
    fn above<M: Simd>(machine: M, a: &[Self; LANES], b: &[Self; LANES]) -> u32;
}

impl Scalar for f32 {
    const INFINITY: Self = f32::INFINITY;

    #[inline(always)]
    fn above<M: Simd>(machine: M, a: &[f32; LANES], b: &[f32; LANES]) -> u32 {
        machine.load(a).above(machine.load(b))
    }
}

impl Scalar for f64 {
    const INFINITY: Self = f64::INFINITY;

    #[inline(always)]
    fn above<M: Simd>(_: M, a: &[f64; LANES], b: &[f64; LANES]) -> u32 {
        (0..LANES).fold(0, |bits, lane| bits | u32::from(a[lane] > b[lane]) << lane)
    }
}

/// A slot whose winner at the end of an interval is not that of its begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) slot: u32,
    pub(crate) old: u32,
    pub(crate) new: u32,
    /// Of a leaf, a bit for each of its points that is beyond the old winner at the end, in their
    /// order: no other point wins in between. [`MANY`] where there are too many points for it.
    pub(crate) rivals: u32,
}

/// Any point of the leaf may be a rival.
pub(crate) const MANY: u32 = 1 << 31;

/// The lesser of two numbers; unlike `f32::min` it need not mind NaN and is one instruction.
#[inline(always)]
fn less<S: Scalar>(a: S, b: S) -> S {
    if a < b { a } else { b }
}

#[inline(always)]
fn more<S: Scalar>(a: S, b: S) -> S {
    if a > b { a } else { b }
}

/// The sides of a box as numbers that are all minima: `[lo, −hi]`.
#[inline(always)]
pub(crate) fn sided<S: Scalar>(x: S, lane: usize) -> S {
    if lane < 4 { x } else { -x }
}

/// Extreme values of a leaf: `[lo, −hi]`.
#[inline(always)]
fn leaf_values<E: Ends>(points: &[[u32; PADDED]], ends: &E) -> [E::Number; LANES] {
    let (mut low, mut high) = ([E::Number::INFINITY; 4], [-E::Number::INFINITY; 4]);
    for points in points {
        for &point in points {
            let x = ends.end(point);
            for lane in 0..4 {
                low[lane] = less(x[lane], low[lane]);
                high[lane] = more(x[lane], high[lane]);
            }
        }
    }
    let [a, b, c, d] = low;
    let [e, f, g, h] = high;
    [a, b, c, d, -e, -f, -g, -h]
}

#[inline(always)]
fn union<S: Scalar>(a: &[S; LANES], b: &[S; LANES]) -> [S; LANES] {
    // A plain loop becomes two instructions; `from_fn` does not.
    let mut sides = *a;
    for lane in 0..LANES {
        sides[lane] = less(a[lane], b[lane]);
    }
    sides
}

/// The lanes in which a node's winners do not have the extreme values. In values of a leaf all
/// lanes are those of its points, so none is beyond them.
#[inline(always)]
fn beaten<E: Ends, M: Simd>(machine: M, winners: &[u32; LANES], values: &[E::Number; LANES], ends: &E) -> u32 {
    let own = |lane: usize| sided(ends.number(winners[lane], lane % 4), lane);
    let own = [own(0), own(1), own(2), values[3], own(4), own(5), own(6), values[7]];
    E::Number::above(machine, &own, values)
}

/// Places between two passes: few enough that nothing leaves the nearest cache.
const BLOCK: usize = 64;

/// Slots whose winner must be found, in the order of a sweep. Entering them takes no branch that
/// depends on the motion.
struct Beaten {
    slots: [u32; BLOCK * LANES],
    count: usize,
}

impl Beaten {
    const NONE: Self = Self { slots: [0; BLOCK * LANES], count: 0 };

    /// Enters the lanes of a mask.
    #[inline(always)]
    fn enter(&mut self, place: usize, mask: u32) {
        let first = (LANES * place) as u32;
        for lane in [0, 1, 2, 4, 5, 6] {
            self.slots[self.count % (BLOCK * LANES)] = first + lane;
            self.count += (mask >> lane & 1) as usize;
        }
    }

    fn slots(&self) -> &[u32] {
        &self.slots[..self.count]
    }
}

/// What a sweep goes through, and what it writes.
pub(crate) struct Sweep<'a, E: Ends> {
    pub(crate) layout: &'a Layout,
    pub(crate) ends: &'a E,
    /// `[lo, −hi]` of every place.
    pub(crate) values: &'a mut [[E::Number; LANES]],
    pub(crate) winners: &'a mut [[u32; LANES]],
    pub(crate) changes: &'a mut Vec<Change>,
    /// Whether a first winner is searched in every slot.
    pub(crate) all: bool,
}

impl<E: Ends> Kernel for Sweep<'_, E> {
    type Output = ();

    /// Writes the values and winners of all places and notes the changes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(mut self, machine: M) {
        self.leaves(machine);
        self.inner(machine);
    }
}

impl<E: Ends> Sweep<'_, E> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaves<M: Simd>(&mut self, machine: M) {
        let &mut Self { layout, ends, ref mut values, ref mut winners, ref mut changes, all } = self;
        let (inner, leaves) = (layout.inner_count(), layout.leaf_count());
        let mut begin = 0;
        while begin < leaves {
            let end = leaves.min(begin + BLOCK);
            let mut losers = Beaten::NONE;
            for leaf in begin..end {
                let found = leaf_values(layout.padded_points_of(leaf), ends);
                let place = inner + leaf;
                values[place] = found;
                losers.enter(place, if all { 0x77 } else { beaten(machine, &winners[place], &found, ends) });
            }
            for &slot in losers.slots() {
                let (place, lane) = (slot as usize / LANES, slot as usize % LANES);
                let winner = &mut winners[place][lane];
                let change = succeed(slot, *winner, layout.points_of(place - inner), values[place][lane], ends);
                *winner = change.new;
                changes.push(change);
            }
            begin = end;
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn inner<M: Simd>(&mut self, machine: M) {
        let &mut Self { layout, ends, ref mut values, ref mut winners, ref mut changes, all } = self;
        let mut end = layout.inner_count();
        while end > 0 {
            let begin = end.saturating_sub(BLOCK);
            let mut losers = Beaten::NONE;
            for place in (begin..end).rev() {
                let [left, right] = layout.children[place].map(|child| child as usize);
                let found = union(&values[left], &values[right]);
                values[place] = found;
                losers.enter(place, if all { 0x77 } else { beaten(machine, &winners[place], &found, ends) });
            }
            for &slot in losers.slots() {
                let (place, lane) = (slot as usize / LANES, slot as usize % LANES);
                let [left, right] = layout.children[place];
                let child = if values[left as usize][lane] == values[place][lane] { left } else { right };
                let (old, new) = (winners[place][lane], winners[child as usize][lane]);
                changes.push(Change { slot, old, new, rivals: 0 });
                winners[place][lane] = new;
            }
            end = begin;
        }
    }
}

/// Finds the successor of a beaten winner of a leaf; `best` is the extreme value.
#[inline(always)]
fn succeed<E: Ends>(slot: u32, old: u32, points: &[u32], best: E::Number, ends: &E) -> Change {
    let lane = slot as usize % LANES;
    let value = |point: u32| sided(ends.number(point, lane % 4), lane);
    let (beaten, mut new, mut rivals) = (value(old), old, 0);
    // Backwards, so that the first one is found last: no branch depends on where it is.
    for &point in points.iter().rev() {
        let value = value(point);
        new = if value == best { point } else { new };
        rivals = rivals << 1 | u32::from(value < beaten);
    }
    Change { slot, old, new, rivals: if points.len() < 32 { rivals } else { MANY } }
}

/// Writes the boxes of some inner places of which all children are done.
pub(crate) fn unite(layout: &Layout, inner: Range<usize>, boxes: &mut [[f32; LANES]]) {
    simd::run(Unite { layout, inner, boxes });
}

struct Unite<'a> {
    layout: &'a Layout,
    inner: Range<usize>,
    boxes: &'a mut [[f32; LANES]],
}

impl Kernel for Unite<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, _: M) {
        let Self { layout, inner, boxes } = self;
        for place in inner.rev() {
            let [left, right] = layout.children[place];
            boxes[place] = union(&boxes[left as usize], &boxes[right as usize]);
        }
    }
}
