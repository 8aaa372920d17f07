//! Refitted trees of velocity fields: between refits boxes move, and nothing is placed but what is asked for.
//!
//! Below a node no vertex is slower than the slowest, so a box that held all of them holds them later, if each of its sides moves with the
//! velocity of whoever is first there: the *rates* of a node, found once for a plan. Positions are evaluated where a leaf is opened.
//!
//! Maintains: a node's box holds every vertex below it, and the widened box of every triangle below it. It is wider than needed by what its
//! vertices' velocities differ, times the time since the refit. Once leaves may be wider by [`limits::LOOSE`] of their size, summed over all of them, the tree is
//! refitted: so a body that only drifts is refitted once, and one whose vertices scatter from one look to the next every time, as without this.
//!
//! Cost: O(nodes) per look, about 1.5 ns each, where a refit places every vertex; O(vertices + triangles) per refit.
//!
//! **Rounding.** With `M` = (largest start) + (largest velocity) × (time since the start), what a side is off by are less than seven units in the
//! last place of `M` (2⁻²⁴): two of the way it has gone, and those of sum and margin, each of at most twice `M`. The refit it started from paid for
//! its own. Moved boxes are widened by 32 of these units, of which 16 are for the margin of triangles below and five for the rounding of a position.

use super::{Bounds, Refit, RefitTree};
use crate::limits;
use crate::motion::{LinesInOrder, Motion};
use crate::simd::{self, Kernel, Machine};
use crate::time::Moment;

/// What a tree knows of a velocity field.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    lines: LinesInOrder,
    /// Per box, `[slowest, −fastest]` per axis, metres per second.
    rates: Vec<Bounds>,
    /// By how much all leaves together grow in a second at most, metres.
    growth: f32,
    /// The boxes of the last refit; how long vertices had moved then, seconds, and by how much leaves may have grown since, all together.
    bases: Vec<Bounds>,
    from: f64,
    may_grow: f32,
    /// For how long vertices have moved; `None` at a refit, where all of them are placed.
    elapsed: Option<f32>,
}

impl RefitTree {
    /// Brings the boxes of a body to a moment: moves them if all of its vertices have constant velocities and it has not moved for too long
    /// since its last refit, otherwise refits. The motion must be the same one every time ([`RefitTree::forget_motion`]).
    pub(crate) fn follow(&mut self, motion: &Motion, at: Moment) {
        if self.moving.is_none() {
            self.moving = LinesInOrder::of(motion, &self.vertices).map(|lines| Box::new(self.rates(lines)));
        }
        let Some(moving) = &mut self.moving else {
            return self.refit_with(|vertices, points| motion.rounded_positions(at, vertices, points));
        };
        let elapsed = moving.lines.elapsed(motion, at);
        if let Some((exactly, rounded)) = elapsed
            && !moving.bases.is_empty()
            && moving.from <= exactly
            && let by = (exactly - moving.from) as f32
            && moving.growth * by <= moving.may_grow
            && let margin = moving.lines.margin(rounded)
            && margin < f32::INFINITY
        {
            moving.elapsed = Some(rounded);
            self.margin = margin;
            simd::run(Move { bases: &moving.bases, rates: &moving.rates, by, margin, boxes: &mut self.boxes });
            return;
        }
        moving.elapsed = None;
        let lines = std::mem::take(&mut moving.lines);
        self.refit_with(|vertices, points| {
            let margin = elapsed.map(|(_, rounded)| lines.place(rounded, points));
            margin.unwrap_or_else(|| motion.rounded_positions(at, vertices, points))
        });
        let inner = self.children.len();
        if let Some(moving) = &mut self.moving {
            moving.lines = lines;
            moving.bases.clear();
            if let Some((exactly, _)) = elapsed {
                moving.bases.extend_from_slice(&self.boxes);
                moving.from = exactly;
                moving.may_grow = limits::LOOSE * self.boxes[inner..].iter().map(Bounds::size).sum::<f32>();
            }
        }
    }

    /// The motion is another one from now on: boxes stay what they are, vertices are where they were last said to be. O(vertices) if boxes had been moved.
    pub(crate) fn forget_motion(&mut self) {
        if let Some(moving) = self.moving.take()
            && let Some(elapsed) = moving.elapsed
        {
            moving.lines.place(elapsed, &mut self.points);
        }
    }

    /// Where a point is at this look.
    #[inline(always)]
    pub(super) fn point(&self, place: u32) -> [f32; 4] {
        match &self.moving {
            Some(moving) if let Some(elapsed) = moving.elapsed => moving.lines.at(place as usize, elapsed),
            _ => self.points[place as usize],
        }
    }

    fn rates(&self, lines: LinesInOrder) -> Moving {
        let mut rates = vec![Bounds::EMPTY; self.boxes.len()];
        simd::run(Refit {
            points: lines.velocities(),
            margin: 0.0,
            corners: &self.corners,
            leaf_points: &self.leaf_points,
            leaf_ranges: &self.leaf_ranges,
            children: &self.children,
            boxes: &mut rates,
        });
        let growth = rates[self.children.len()..].iter().map(Bounds::size).sum();
        Moving { lines, rates, growth, bases: Vec::new(), from: 0.0, may_grow: 0.0, elapsed: None }
    }
}

impl Moving {
    pub(super) fn bytes(&self) -> usize {
        self.lines.bytes() + (self.rates.capacity() + self.bases.capacity()) * size_of::<Bounds>() + size_of::<Self>()
    }
}

/// Every box where it is after some time.
struct Move<'a> {
    bases: &'a [Bounds],
    rates: &'a [Bounds],
    /// Seconds.
    by: f32,
    margin: f32,
    boxes: &'a mut [Bounds],
}

impl Kernel for Move<'_> {
    type Output = ();

    #[cfg_attr(all(feature = "simd", not(debug_assertions)), inline(always))]
    #[cfg_attr(not(all(feature = "simd", not(debug_assertions))), inline)]
    fn run<M: Machine>(self, _: M) {
        let widening = 2.0 * self.margin;
        for ((bounds, base), rate) in self.boxes.iter_mut().zip(self.bases).zip(self.rates) {
            for side in 0..8 {
                bounds.0[side] = base.0[side] + rate.0[side] * self.by - widening;
            }
        }
    }
}
