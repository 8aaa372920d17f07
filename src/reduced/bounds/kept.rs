//! The caches of [`super::MovingBounds`]: bounds, frames, bends, and the last moment.

use std::cell::Cell;

use super::deviation::PieceBend;
use super::frame::Frame;
use super::turning::Offsets;
use crate::math::Aabb;
use crate::reduced::{Pose, PoseDerivativeBounds};
use crate::time::{Moment, Side};

/// Numbers beyond those of pieces: a node without a bound; rest before the first piece; rest after
/// the last; a moment not located yet.
const NONE: u32 = 1 << 30;
pub(super) const BEFORE: u32 = NONE + 1;
pub(super) const BEYOND: u32 = NONE + 2;
pub(super) const NOWHERE: u32 = NONE + 3;
/// Added to the piece of a node whose bound is not finite.
pub(super) const UNBOUNDED: u32 = 1 << 31;
/// Added to the piece of a node that has only its own bound at the piece's begin.
pub(super) const BEGUN: u32 = 1 << 29;

/// A box: three least coordinates and three largest, in the layout of an [`Aabb`], so that loads
/// match stores of two numbers.
pub(super) type Six = [f64; 6];

/// A box as six numbers.
pub(super) fn six_of(bounds: &Aabb) -> Six {
    let Aabb { min, max } = bounds;
    [min[0], min[1], min[2], max[0], max[1], max[2]]
}

/// Six offsets outward by a distance.
pub(super) const fn outward(distance: f64) -> Six {
    [-distance, -distance, -distance, distance, distance, distance]
}

/// A node's bound in one piece: at its begin and at its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bound {
    pub(super) begin: Six,
    pub(super) end: Six,
}

/// A pose at an end of pieces: its index among the times, and whether it is the one just after a
/// jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u32);

impl Key {
    const NONE: Self = Self(u32::MAX);

    pub(super) fn new(place: usize, is_after: bool) -> Self {
        Self(2 * place as u32 + u32::from(is_after))
    }

    pub(super) fn place(self) -> usize {
        (self.0 / 2) as usize
    }

    pub(super) fn at(self, times: &[f64]) -> Moment {
        let time = times[self.place()];
        if self.0 & 1 == 1 { Moment::after(time) } else { Moment::at(time) }
    }
}

/// The last moment queried, and its place: hosts query many nodes at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    /// The bits of the time: a comparison of numbers would also test for NaN.
    pub(super) time: u64,
    pub(super) side: Side,
    /// The piece, or [`NOWHERE`].
    pub(super) piece: u32,
    /// The elapsed and the remaining fraction of the piece.
    pub(super) over: f64,
    pub(super) left: f64,
    /// The margin for rounding: [`outward`].
    pub(super) slack: Six,
}

impl Now {
    /// A box interpolated between both ends of the piece. Monotone in both: nested bounds give
    /// nested boxes.
    #[inline(always)]
    pub(super) fn between(&self, bound: &Bound) -> Aabb {
        let Bound { begin, end } = bound;
        let mut six = [0.0; 6];
        for lane in 0..6 {
            six[lane] = begin[lane] * self.left + end[lane] * self.over + self.slack[lane];
        }
        Aabb { min: [six[0], six[1], six[2]], max: [six[3], six[4], six[5]] }
    }

    /// Whether this is the given moment.
    #[inline]
    pub(super) fn is(&self, at: Moment) -> bool {
        self.time == at.time().to_bits() && self.side == at.side()
    }
}

/// The boxes that are ready. Cells: borrow counting would cost as much as a read.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) now: Cell<Now>,
    /// Per node, its last queried piece, and its bound there.
    pub(super) nodes: Vec<(Cell<u32>, Cell<Bound>)>,
}

/// The input of bounds.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// Per node, its own bound in the pose at the end of a piece.
    pub(super) ends: Vec<(Key, Six)>,
    /// The frames of some poses and the bends of some pieces, each at its number modulo the length.
    pub(super) frames: Vec<(Key, Frame)>,
    pub(super) bends: Vec<(u32, PieceBend)>,
    /// Offsets of the same pieces, under spherical blending.
    pub(super) offsets: Vec<Offsets>,
    /// The piece whose frames and bends are known to be present.
    pub(super) ready: u32,
    /// The poses at its ends.
    pub(super) keys: [Key; 2],
    pub(super) pose: Pose,
    pub(super) scratch: PoseDerivativeBounds,
    /// Nodes to be bounded together, and their boxes.
    pub(super) asked: Vec<u32>,
    pub(super) boxes: Vec<Aabb>,
}

impl Bound {
    /// A box without limits.
    pub(super) const EVERYTHING: Self = {
        let sides = outward(f64::INFINITY);
        Self { begin: sides, end: sides }
    };

    /// Moves the box outward. Sides that are infinite at either end become infinite at both, since
    /// they cannot be interpolated. Returns whether all are finite.
    #[inline(always)]
    pub(super) fn widen(&mut self, off: f64) -> bool {
        let off = outward(off);
        let mut zero = 0.0;
        for lane in 0..6 {
            self.begin[lane] += off[lane];
            self.end[lane] += off[lane];
            // NaN if a side is not finite.
            zero += 0.0 * self.begin[lane] + 0.0 * self.end[lane];
        }
        if zero != 0.0 || zero.is_nan() {
            for (lane, far) in outward(f64::INFINITY).into_iter().enumerate() {
                if !(self.begin[lane].is_finite() && self.end[lane].is_finite()) {
                    (self.begin[lane], self.end[lane]) = (far, far);
                }
            }
            return false;
        }
        true
    }

    /// Intersects the bound with another one.
    #[inline(always)]
    pub(super) fn within(&mut self, outer: &Self) {
        for (own, outer) in [(&mut self.begin, &outer.begin), (&mut self.end, &outer.end)] {
            for lane in 0..6 {
                let is_less = outer[lane] < own[lane];
                let is_inside = if lane < 3 { !is_less } else { is_less };
                own[lane] = if is_inside { outer[lane] } else { own[lane] };
            }
        }
    }
}

impl Ready {
    /// Creates an empty cache for the given number of nodes.
    pub(super) fn new(nodes: usize) -> Self {
        let now = Now { time: 0, side: Side::At, piece: NOWHERE, over: 0.0, left: 1.0, slack: [0.0; 6] };
        Self { now: Cell::new(now), nodes: vec![(Cell::new(NONE), Cell::default()); nodes] }
    }

    /// Forgets all bounds.
    pub(super) fn forget(&self) {
        self.nodes.iter().for_each(|(piece, _)| piece.set(NONE));
    }
}

impl Cache {
    /// Creates an empty cache for the given numbers of nodes and poses.
    pub(super) fn new(nodes: usize, kept: usize, pose: Pose) -> Self {
        Self {
            ends: vec![(Key::NONE, [0.0; 6]); nodes],
            frames: vec![(Key::NONE, Frame::default()); kept],
            bends: vec![(NONE, PieceBend::default()); kept],
            offsets: vec![Offsets::new(); kept],
            ready: NONE,
            keys: [Key::NONE; 2],
            pose,
            scratch: PoseDerivativeBounds::default(),
            asked: Vec::new(),
            boxes: Vec::new(),
        }
    }

    /// Forgets all bounds.
    pub(super) fn forget(&mut self) {
        self.ends.iter_mut().for_each(|end| end.0 = Key::NONE);
    }
}
