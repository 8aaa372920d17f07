//! What [`super::MovingBounds`] remembers between questions: bounds, frames, bends, and the moment it was asked about.

use std::cell::Cell;

use super::bend::PieceBend;
use super::frame::Frame;
use super::turning::Offsets;
use crate::reduced::{Bends, Pose};
use crate::time::{Moment, Side};

/// Numbers beyond those of pieces: a node that has no bound; at rest before the first piece, and after the last; a moment that was not looked up.
const NONE: u32 = 1 << 30;
pub(super) const BEFORE: u32 = NONE + 1;
pub(super) const BEYOND: u32 = NONE + 2;
pub(super) const NOWHERE: u32 = NONE + 3;
/// Added to the piece of a node whose bound is not finite.
pub(super) const UNBOUNDED: u32 = 1 << 31;

/// A box: three least coordinates, negated, and three largest.
pub(super) type Six = [f64; 6];

/// A node's bound in one piece: at its begin and at its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bound {
    pub(super) begin: Six,
    pub(super) end: Six,
}

/// A pose at an end of pieces: its place among the times, and whether it is the one just after a jump.
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

/// The moment that was asked for last, and where it lies: hosts ask for many nodes at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    /// The bits of the time: comparing numbers would ask whether they are any.
    pub(super) time: u64,
    pub(super) side: Side,
    /// The piece, or [`NOWHERE`].
    pub(super) piece: u32,
    /// Which part of the piece is over, and which is left.
    pub(super) over: f64,
    pub(super) left: f64,
    pub(super) slack: f64,
}

impl Now {
    /// Is it this moment?
    #[inline]
    pub(super) fn is(&self, at: Moment) -> bool {
        self.time == at.time().to_bits() && self.side == at.side()
    }
}

/// What a box is read from. Cells, as counting who borrows would take as long as reading.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) now: Cell<Now>,
    /// Per node, the piece that was asked for last, and its bound there.
    pub(super) nodes: Vec<(Cell<u32>, Cell<Bound>)>,
}

/// What bounds are made from.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    /// Per node, its own bound in the pose at the end of a piece.
    pub(super) ends: Vec<(Key, Six)>,
    /// The frames of some poses and the bends of some pieces, each at the place of its number modulo the length.
    pub(super) frames: Vec<(Key, Frame)>,
    pub(super) bends: Vec<(u32, PieceBend)>,
    /// Of the same pieces, under spherical blending.
    pub(super) offsets: Vec<Offsets>,
    /// The piece whose frames and bends are known to be there.
    pub(super) ready: u32,
    pub(super) pose: Pose,
    pub(super) scratch: Bends,
    pub(super) made: u64,
}

impl Ready {
    /// Nothing for so many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        let now = Now { time: 0, side: Side::At, piece: NOWHERE, over: 0.0, left: 1.0, slack: 0.0 };
        Self { now: Cell::new(now), nodes: vec![(Cell::new(NONE), Cell::default()); nodes] }
    }

    /// Nothing was bounded.
    pub(super) fn forget(&self) {
        self.nodes.iter().for_each(|(piece, _)| piece.set(NONE));
    }
}

impl Cache {
    /// An empty one for so many nodes and poses.
    pub(super) fn new(nodes: usize, kept: usize, pose: Pose) -> Self {
        Self {
            ends: vec![(Key::NONE, [0.0; 6]); nodes],
            frames: vec![(Key::NONE, Frame::default()); kept],
            bends: vec![(NONE, PieceBend::default()); kept],
            offsets: vec![Offsets::new(); kept],
            ready: NONE,
            pose,
            scratch: Bends::default(),
            made: 0,
        }
    }

    /// Nothing was bounded.
    pub(super) fn forget(&mut self) {
        self.ends.iter_mut().for_each(|end| end.0 = Key::NONE);
    }
}
