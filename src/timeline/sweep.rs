//! The sweep: from the winners at one key to the winners at the next, and which slots they differ in.
//!
//! One bottom-up pass finds the extreme *values* of every node at the next key; a slot whose winner has that value keeps it
//! and has no event in between, as the maximum of linear functions is convex (theory §11). So no index is carried through
//! the pass, and it is as branch-free as a refit. Only the other slots look for a new winner.
//!
//! **Ties.** A winner that has the extreme value stays, as in the live engine, where only a *strictly* greater value at the
//! end of a segment ends a reign. Otherwise the first equal vertex of a leaf wins, and the left child before the right one.
//!
//! Cost: O(points of leaves + nodes); 32 bytes read and 32 written per node.

use super::layout::{LANES, Layout};
use super::track::Ends;

/// A number to compare coordinates in.
pub(super) trait Scalar: Copy + PartialOrd + std::ops::Neg<Output = Self> {
    const INFINITY: Self;
}

impl Scalar for f32 {
    const INFINITY: Self = f32::INFINITY;
}

impl Scalar for f64 {
    const INFINITY: Self = f64::INFINITY;
}

/// A slot whose winner at the end of an interval is not that of its begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) slot: u32,
    pub(super) old: u32,
    pub(super) new: u32,
    /// Of a leaf, a bit for each of its points that is beyond the old winner at the end, in their order: nobody else reigns in
    /// between. [`MANY`] where there are too many points for it.
    pub(super) rivals: u32,
}

/// Any point of the leaf may be a rival.
pub(super) const MANY: u32 = 1 << 31;

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
pub(super) fn sided<S: Scalar>(x: S, lane: usize) -> S {
    if lane < 4 { x } else { -x }
}

/// Extreme values of a leaf: `[lo, −hi]`.
#[inline(always)]
pub(super) fn leaf_values<E: Ends>(points: &[u32], ends: &E) -> [E::Number; LANES] {
    let (mut low, mut high) = ([E::Number::INFINITY; 4], [-E::Number::INFINITY; 4]);
    for &point in points {
        let x = ends.end(point);
        for lane in 0..4 {
            low[lane] = less(x[lane], low[lane]);
            high[lane] = more(x[lane], high[lane]);
        }
    }
    let [a, b, c, d] = low;
    let [e, f, g, h] = high;
    [a, b, c, d, -e, -f, -g, -h]
}

#[inline(always)]
pub(super) fn union<S: Scalar>(a: &[S; LANES], b: &[S; LANES]) -> [S; LANES] {
    // A plain loop becomes two instructions; `from_fn` does not.
    let mut sides = *a;
    for lane in 0..LANES {
        sides[lane] = less(a[lane], b[lane]);
    }
    sides
}

/// The lanes in which a node's winners do not have the extreme values.
#[inline(always)]
fn beaten<E: Ends>(winners: &[u32; LANES], values: &[E::Number; LANES], ends: &E) -> u8 {
    let is_beaten = |lane: usize| u8::from(sided(ends.end(winners[lane])[lane % 4], lane) != values[lane]) << lane;
    is_beaten(0) | is_beaten(1) | is_beaten(2) | is_beaten(4) | is_beaten(5) | is_beaten(6)
}

/// Places between two passes: few enough that nothing leaves the nearest cache.
const BLOCK: usize = 64;

/// Slots whose winner must be found, in the order of a sweep. Entering them takes no branch that depends on the motion.
struct Beaten {
    slots: [u32; BLOCK * LANES],
    count: usize,
}

impl Beaten {
    const NONE: Self = Self { slots: [0; BLOCK * LANES], count: 0 };

    /// Enters the lanes of a mask.
    #[inline(always)]
    fn enter(&mut self, place: usize, mask: u8) {
        let first = (LANES * place) as u32;
        for lane in [0, 1, 2, 4, 5, 6] {
            if let Some(slot) = self.slots.get_mut(self.count) {
                *slot = first + lane;
            }
            self.count += usize::from(mask >> lane & 1);
        }
    }

    fn slots(&self) -> &[u32] {
        &self.slots[..self.count]
    }
}

/// Sweeps some leaves, counted from 0: writes their values and winners and notes the changes. `all` looks for a first
/// winner in every slot.
pub(super) fn sweep_leaves<E: Ends>(
    layout: &Layout,
    leaves: std::ops::Range<usize>,
    ends: &E,
    values: &mut [[E::Number; LANES]],
    winners: &mut [[u32; LANES]],
    changes: &mut Vec<Change>,
    all: bool,
) {
    let inner = layout.inner_count();
    let mut begin = leaves.start;
    while begin < leaves.end {
        let end = leaves.end.min(begin + BLOCK);
        let mut beaten_slots = Beaten::NONE;
        for leaf in begin..end {
            let place = inner + leaf;
            let found = leaf_values(layout.points_of(leaf), ends);
            values[place] = found;
            beaten_slots.enter(place, if all { 0x77 } else { beaten(&winners[place], &found, ends) });
        }
        for &slot in beaten_slots.slots() {
            let (place, lane) = (slot as usize / LANES, slot as usize % LANES);
            let winner = &mut winners[place][lane];
            let change = succeed(slot, *winner, layout.points_of(place - inner), &values[place], ends);
            *winner = change.new;
            changes.push(change);
        }
        begin = end;
    }
}

/// Finds who follows a beaten winner.
#[inline(always)]
fn succeed<E: Ends>(slot: u32, old: u32, points: &[u32], values: &[E::Number; LANES], ends: &E) -> Change {
    let lane = slot as usize % LANES;
    let (best, beaten) = (values[lane], sided(ends.end(old)[lane % 4], lane));
    let (mut new, mut rivals) = (old, 0);
    // Backwards, so that the first one is found last: no branch depends on where it is.
    for &point in points.iter().rev() {
        let value = sided(ends.end(point)[lane % 4], lane);
        new = if value == best { point } else { new };
        rivals = rivals << 1 | u32::from(value < beaten);
    }
    Change { slot, old, new, rivals: if points.len() < 32 { rivals } else { MANY } }
}

/// Sweeps some inner places, from the last to the first; all places behind them must have been swept.
pub(super) fn sweep_inner<E: Ends>(
    layout: &Layout,
    places: std::ops::Range<usize>,
    ends: &E,
    values: &mut [[E::Number; LANES]],
    winners: &mut [[u32; LANES]],
    changes: &mut Vec<Change>,
    all: bool,
) {
    let mut end = places.end;
    while end > places.start {
        let begin = places.start.max(end.saturating_sub(BLOCK));
        let mut beaten_slots = Beaten::NONE;
        for place in (begin..end).rev() {
            let [left, right] = layout.children[place].map(|child| child as usize);
            let found = union(&values[left], &values[right]);
            values[place] = found;
            beaten_slots.enter(place, if all { 0x77 } else { beaten(&winners[place], &found, ends) });
        }
        for &slot in beaten_slots.slots() {
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
