//! The clip tree: a kinetic AABB tree over a motion that is known ahead, moved forward once to bake
//! it.
//!
//! Maintains: at the tree's time, the winner of every slot is extreme among all vertices below its
//! node.
//!
//! Invariants: `head` holds the winners at the end of the current linear stretch of the motion,
//! `winners` those at the tree's time. The winner of an inner slot is the winner of one of its
//! children. `steps` holds the changes of winners between the tree's time and the stretch's end;
//! the changes of one slot are in order.
//!
//! Cost per stretch, for n triangles in leaves of 8 to 16: one sweep, 1-3 ns per triangle, and
//! 30-60 ns per change. A move in time costs about 1 ns per change that lies ahead.

use std::sync::Arc;

use super::clip::BakeError;
use super::envelope::{Envelopes, Mark, Step};
use crate::bvh::Topology;
use crate::interval::layout::{LANES, Layout};
use crate::interval::sweep::{Change, Scalar, Sweep};
use crate::interval::track::{Ends, KeyEnds, LineEnds, Points, Shape, Track, with_ends};
use crate::interval::{IntervalError, check_time};
use crate::motion::{Motion, Stretch, StretchKind};
use crate::simd;
use crate::time::Moment;

/// A kinetic AABB tree over one body, moved forward.
#[derive(Debug)]
pub(super) struct ClipTree {
    pub(super) layout: Layout,
    /// Winners at the end of the stretch, as points.
    head: Vec<[u32; LANES]>,
    /// Winners at the tree's time, as points.
    pub(super) winners: Vec<[u32; LANES]>,
    /// The motion of the stretch.
    track: Track,
    /// Changes of winners later than the tree's time.
    steps: Vec<Step>,
}

impl ClipTree {
    /// Creates a tree over a motion at a time. O(vertices + nodes).
    ///
    /// # Errors
    /// Curves or vertices with plans of their own, a loop before its first key, a time that no
    /// flightplan may have.
    pub(super) fn over(topology: Topology, motion: &Motion, time: f64) -> Result<Self, BakeError> {
        check_time(0, time).map_err(IntervalError::from)?;
        let stretch = motion.stretch(Moment::after(time)).ok_or(IntervalError::NotLinear)?;
        if motion.first_of_loop().is_some_and(|first| time < first || stretch.begin < first) {
            return Err(IntervalError::BeforeLoop { time }.into());
        }
        let layout = Layout::new(topology)?;
        let begin = if stretch.begin.is_finite() { stretch.begin } else { time };
        let (shape, a, b) = match shape_of(stretch.kind) {
            Shape::Keys => {
                let points = Arc::new(points_at(motion, Moment::after(begin), &layout, Points::new()));
                (Shape::Keys, Arc::clone(&points), points)
            }
            shape => {
                let (positions, velocities) = motion.lines_of(&layout.vertices);
                (shape, Arc::new(positions), Arc::new(velocities))
            }
        };
        let track = Track { shape, begin, end: begin, a, b };
        let mut head = vec![[0; LANES]; layout.place_count()];
        with_ends!(&track, ends => sweep(&layout, ends, &mut head, true));
        let mut tree = Self { layout, winners: head.clone(), head, track, steps: Vec::new() };
        tree.enter(motion, stretch)?;
        tree.advance(motion, time.max(begin), |_| ())?;
        Ok(tree)
    }

    /// Moves forward to a time, and passes the changes of winners on the way to `passed`; those of
    /// one slot come in order. O(changes ahead), and the changes of every stretch that begins on
    /// the way.
    ///
    /// A change at the begin of a stretch counts as later than that time.
    ///
    /// # Errors
    /// Curves, vertices with plans of their own, or positions that jump.
    pub(super) fn advance(
        &mut self,
        motion: &Motion,
        time: f64,
        mut passed: impl FnMut(&Step),
    ) -> Result<(), BakeError> {
        check_time(0, time).map_err(IntervalError::from)?;
        loop {
            let Track { begin, end, .. } = self.track;
            let winners = self.winners.as_flattened_mut();
            self.steps.retain(|step| {
                let is_later = time < end && (step.time > time || time <= begin);
                if !is_later {
                    winners[step.slot as usize] ^= step.toggle;
                    passed(step);
                }
                is_later
            });
            if time <= end {
                return Ok(());
            }
            let stretch = motion.stretch(Moment::after(end)).ok_or(IntervalError::NotLinear)?;
            self.enter(motion, stretch)?;
        }
    }

    /// Enters the next stretch, and finds the winners at its end and all changes until then.
    fn enter(&mut self, motion: &Motion, stretch: Stretch) -> Result<(), BakeError> {
        let Self { layout, head, track, steps, .. } = self;
        (track.shape, track.begin, track.end) = (shape_of(stretch.kind), track.end, stretch.end);
        if track.shape == Shape::Keys {
            let past = std::mem::replace(&mut track.a, Arc::clone(&track.b));
            let mut points = Arc::try_unwrap(past).unwrap_or_default();
            if motion.first_of_loop().is_some() {
                // Keys of a later round may be closer than the resolution of time.
                points = points_at(motion, Moment::after(track.begin), layout, points);
                if points != *track.a {
                    return Err(BakeError::Jump { time: track.begin });
                }
            }
            if stretch.kind == StretchKind::Keys {
                track.b = Arc::new(points_at(motion, Moment::at(track.end), layout, points));
            }
        }
        if track.rests() {
            return Ok(());
        }
        with_ends!(&*track, ends => {
            let changes = &sweep(layout, ends, head, false)[..];
            let mut marks = vec![Mark::default(); layout.place_count()];
            Mark::all(changes, &mut marks);
            let (begin, end) = (track.begin, track.end);
            let envelopes = Envelopes { layout, ends, begin, end, changes, winners: head, marks: &marks };
            let mut starts = vec![0];
            for change in 0..changes.len() {
                envelopes.trace(change, steps, &mut starts);
            }
        });
        Ok(())
    }
}

/// Finds the winners at the end of an interval; returns the changes.
fn sweep<E: Ends>(layout: &Layout, ends: &E, winners: &mut [[u32; LANES]], all: bool) -> Vec<Change> {
    let mut values = vec![[E::Number::INFINITY; LANES]; layout.place_count()];
    let mut changes = Vec::new();
    simd::run(Sweep { layout, ends, values: &mut values, winners, changes: &mut changes, all });
    changes
}

fn shape_of(kind: StretchKind) -> Shape {
    match kind {
        StretchKind::Hold | StretchKind::Keys => Shape::Keys,
        StretchKind::Lines { start } => Shape::Lines { start },
        StretchKind::LinesHeld { elapsed } => Shape::Held { elapsed },
    }
}

/// The positions of all points: exact at keys, rounded to `f32` elsewhere.
fn points_at(motion: &Motion, at: Moment, layout: &Layout, mut out: Points) -> Points {
    out.resize(layout.vertices.len(), [0.0; 4]);
    motion.rounded_positions(at, &layout.vertices, &mut out);
    out
}
