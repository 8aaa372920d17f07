//! Refitted trees of velocity fields: between refits boxes move, and nothing is placed but what is
//! asked for.
//!
//! Below a node no vertex is slower than the slowest, so a box that held all of them holds them
//! later, if each lower side moves with the smallest velocity below the node along its axis and
//! each upper side with the largest: the *rates* of a node, computed once for a plan. Positions are
//! evaluated where a leaf is opened.
//!
//! Maintains: a node's box holds every vertex below it, and the widened box of every triangle below
//! it. It is wider than needed by what its vertices' velocities differ, times the time since the
//! refit. Once leaves may be wider by `tuning::MAX_LEAF_GROWTH` of their size, summed over all of
//! them, the tree is refitted: so a body that only drifts is refitted once, and one whose vertices
//! scatter between two steps is refitted at every step, as without moving boxes.
//!
//! Cost: O(1) per step, and some products and sums per box and position that is asked for;
//! O(vertices + triangles) per refit.
//!
//! **Rounding.** With `M` = (largest start) + (largest velocity) × (time since the start), a side
//! is off by less than seven roundings of `M` (2⁻²⁴ of it each): two of the way it has gone, and
//! those of sum and margin, each of at most twice `M`. The refit it started from paid for its own.
//! Moved boxes are widened by 32 roundings, of which 16 are for the margin of triangles below and
//! five for the rounding of a position.

use super::{Bounds, Refit, RefitTree};
use crate::motion::{Motion, PackedLinearMotion};
use crate::simd;
use crate::time::Moment;
use crate::tuning;

/// The data of a tree over a velocity field.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Moving {
    lines: PackedLinearMotion,
    /// Per box, `[slowest, −fastest]` per axis, metres per second.
    rates: Vec<Bounds>,
    /// By how much all leaves together grow in a second at most, metres.
    growth: f32,
    /// How long vertices had moved at the last refit, seconds, and by how much leaves may have
    /// grown since, all together, metres; `None` without one.
    refitted: Option<(f64, f32)>,
    /// `None` at a refit.
    now: Option<Now>,
}

/// How far boxes and vertices have moved.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Now {
    /// Vertices since their start, boxes since their last refit, seconds.
    elapsed: f32,
    by: f32,
    /// What boxes are wider than they would be, metres.
    widening: f32,
}

impl RefitTree {
    /// Brings the boxes of a body to a moment: moves them if all of its vertices have constant
    /// velocities and it has not moved for too long since its last refit, otherwise refits. The
    /// motion must be the same one every time ([`RefitTree::forget_motion`]).
    pub(crate) fn follow(&mut self, motion: &Motion, at: Moment) {
        if self.moving.is_none() {
            self.moving = PackedLinearMotion::of(motion, &self.vertices).map(|lines| Box::new(self.rates(lines)));
        }
        let Some(moving) = &mut self.moving else {
            return self.refit_with(|vertices, points| motion.rounded_positions(at, vertices, points));
        };
        let elapsed = PackedLinearMotion::elapsed(motion, at);
        if let (Some((exactly, elapsed)), Some((from, may_grow))) = (elapsed, moving.refitted)
            && from <= exactly
            && let by = (exactly - from) as f32
            && moving.growth * by <= may_grow
            && let margin = moving.lines.margin(elapsed)
            && margin < f32::INFINITY
        {
            moving.now = Some(Now { elapsed, by, widening: 2.0 * margin });
            self.margin = margin;
            return;
        }
        (moving.now, moving.refitted) = (None, None);
        let lines = std::mem::take(&mut moving.lines);
        self.refit_with(|vertices, points| match elapsed {
            Some((_, elapsed)) => lines.place(elapsed, points),
            None => motion.rounded_positions(at, vertices, points),
        });
        let size: f32 = self.boxes[self.children.len()..].iter().map(Bounds::size).sum();
        if let Some(moving) = &mut self.moving {
            moving.lines = lines;
            moving.refitted = elapsed.map(|(exactly, _)| (exactly, tuning::MAX_LEAF_GROWTH * size));
        }
    }

    /// The motion is another one from now on: boxes stay what they are, vertices are where they
    /// were last said to be. O(1) after a refit, otherwise O(vertices + nodes).
    pub(crate) fn forget_motion(&mut self) {
        if let Some(moving) = self.moving.take()
            && let Some(now) = moving.now
        {
            moving.lines.place(now.elapsed, &mut self.points);
            for (bounds, rate) in self.boxes.iter_mut().zip(&moving.rates) {
                *bounds = now.moved(bounds, rate);
            }
        }
    }

    /// Whether boxes have moved since the refit.
    pub(super) fn has_moved(&self) -> bool {
        self.moving.as_ref().is_some_and(|moving| moving.now.is_some())
    }

    /// The box at a place at this step; `MOVED` is false where it is known that nothing has moved
    /// since the refit.
    #[inline(always)]
    pub(super) fn box_at<const MOVED: bool>(&self, place: u32) -> Bounds {
        let (place, bounds) = (place as usize, &self.boxes[place as usize]);
        if MOVED
            && let Some(moving) = &self.moving
            && let Some(now) = moving.now
        {
            return now.moved(bounds, &moving.rates[place]);
        }
        *bounds
    }

    /// The position of a point at this step; `MOVED` as for boxes.
    #[inline(always)]
    pub(super) fn point<const MOVED: bool>(&self, place: u32) -> [f32; 4] {
        if MOVED
            && let Some(moving) = &self.moving
            && let Some(now) = moving.now
        {
            return moving.lines.at(place as usize, now.elapsed);
        }
        self.points[place as usize]
    }

    fn rates(&self, lines: PackedLinearMotion) -> Moving {
        let mut rates = vec![Bounds::EMPTY; self.boxes.len()];
        simd::run(Refit {
            points: &lines.velocities(),
            margin: 0.0,
            corners: &self.corners,
            leaf_points: &self.leaf_points,
            leaf_ranges: &self.leaf_ranges,
            children: &self.children,
            boxes: &mut rates,
        });
        let growth = rates[self.children.len()..].iter().map(Bounds::size).sum();
        Moving { lines, rates, growth, refitted: None, now: None }
    }
}

impl Now {
    #[inline(always)]
    fn moved(&self, bounds: &Bounds, rate: &Bounds) -> Bounds {
        let mut sides = [0.0; 8];
        for side in 0..8 {
            sides[side] = bounds.0[side] + rate.0[side] * self.by - self.widening;
        }
        Bounds(sides)
    }
}

impl Moving {
    pub(super) fn bytes(&self) -> usize {
        self.lines.bytes() + self.rates.capacity() * size_of::<Bounds>() + size_of::<Self>()
    }
}
