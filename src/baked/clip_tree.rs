//! The clip tree: a kinetic AABB tree over intervals whose ends are known.
//!
//! Maintains: at the tree's time, the winner of every slot is extreme among all vertices below its
//! node.
//!
//! Invariants (see `audit`): `head` holds the winners at the end of the last swept interval,
//! `winners` those at the tree's time. The winner of an inner slot is the winner of one of its
//! children. Intervals follow one another without gaps.
//!
//! Cost per interval, for n triangles in leaves of 8 to 16: one sweep, 1-3 ns per triangle, and
//! 30-60 ns per event. A step in time costs 1-4 ns per event passed. Memory: see
//! [`ClipTree::bytes`].

use std::collections::VecDeque;
use std::sync::Arc;

use super::interval::{Buffers, Interval, Stage};
use super::prepare::Scratch;
use crate::bvh::Topology;
use crate::interval::check_time;
use crate::interval::layout::{LANES, Layout};
use crate::interval::points::Spread;
use crate::interval::track::{Points, Shape, Track};
use crate::interval::{IntervalError, points};
use crate::limits;
use crate::math::Extent;
use crate::motion::MotionError;

/// A kinetic AABB tree over one body whose motion is known in a window of time.
///
/// The host pushes keys, may let the tree [prepare](ClipTree::prepare) part of the next interval in
/// every frame, and [advances](ClipTree::advance). A tree may hold several intervals and move back
/// and forth in them; [`ClipTree::forget_past`] drops the past ones.
#[derive(Clone, Debug)]
pub struct ClipTree {
    pub(super) layout: Arc<Layout>,
    /// Winners at the end of the last swept interval, as points.
    pub(super) head: Vec<[u32; LANES]>,
    /// Winners at the tree's time, as points.
    pub(super) winners: Vec<[u32; LANES]>,
    pub(super) intervals: VecDeque<Interval>,
    /// The interval that `winners` belong to.
    pub(super) cursor: usize,
    /// Events of that interval up to this time are applied to `winners`; −∞ for none, ∞ for all.
    pub(super) applied: f64,
    pub(super) now: f64,
    /// Positions of the vertices at the window's end.
    pub(super) last: Arc<Points>,
    pub(super) begin: f64,
    pub(super) end: f64,
    pub(super) scratch: Scratch,
    /// Buffers to reuse.
    spare: Vec<Points>,
    spare_buffers: Buffers,
    coordinate: f64,
    drift: f64,
    given_slack: Option<f64>,
}

impl ClipTree {
    /// Creates a tree at its first key. O(vertices + nodes).
    ///
    /// # Errors
    /// Fewer positions than the topology names vertices, or numbers that no flightplan may have.
    pub fn new(topology: Topology, begin: f64, positions: &[[f32; 3]]) -> Result<Self, IntervalError> {
        check_time(0, begin)?;
        let layout = Layout::new(topology)?;
        check_count(&layout, positions)?;
        let mut first = Points::new();
        points::gather(positions, &layout.vertices, &[], &mut first)?;
        let a = Arc::new(first);
        let track = Track { shape: Shape::Keys, begin, end: begin, b: Arc::clone(&a), a };
        Ok(Self::at_end(layout, &track, Arc::clone(&track.b)))
    }

    /// Creates a tree at the end of a track; `last` are the positions there, rounded to `f32`.
    pub(super) fn at_end(layout: Layout, track: &Track, last: Arc<Points>) -> Self {
        let places = layout.place_count();
        let begin = track.end;
        let mut tree = Self {
            layout: Arc::new(layout),
            head: vec![[0; LANES]; places],
            winners: Vec::new(),
            intervals: VecDeque::new(),
            cursor: 0,
            applied: f64::NEG_INFINITY,
            now: begin,
            coordinate: points::reach(&last, &last).coordinate,
            last,
            begin,
            end: begin,
            scratch: Scratch::new(places),
            spare: Vec::new(),
            spare_buffers: Buffers::default(),
            drift: 0.0,
            given_slack: None,
        };
        tree.find_first_winners(track);
        tree
    }

    /// Extends the window to a key: vertices move linearly from their positions at its end.
    /// O(vertices).
    ///
    /// Prepares nothing of the new interval. If the previous interval lies ahead and is not
    /// prepared, it is prepared first.
    ///
    /// # Errors
    /// A time not after the window's end, fewer positions than vertices in use, or numbers that no
    /// flightplan may have.
    pub fn push_key(&mut self, time: f64, positions: &[[f32; 3]]) -> Result<(), IntervalError> {
        self.check_later(time)?;
        check_count(&self.layout, positions)?;
        let mut next = self.buffer();
        match points::gather(positions, &self.layout.vertices, &self.last, &mut next) {
            Ok(spread) => {
                self.push_gathered(time, next, spread);
                Ok(())
            }
            Err(error) => {
                self.spare.push(next);
                Err(error.into())
            }
        }
    }

    /// Extends the window by a rest. O(1), plus the sweep of the previous interval if that is due.
    ///
    /// # Errors
    /// A time not after the window's end or too large.
    pub fn push_rest(&mut self, time: f64) -> Result<(), IntervalError> {
        self.check_later(time)?;
        self.push_rest_until(time);
        Ok(())
    }

    /// Like [`ClipTree::push_rest`]; `time` may be infinite.
    pub(super) fn push_rest_until(&mut self, time: f64) {
        let (begin, last) = (self.end, Arc::clone(&self.last));
        self.push_track(Track { shape: Shape::Keys, begin, end: time, a: Arc::clone(&last), b: last });
    }

    /// Like [`ClipTree::push_key`], for gathered points.
    pub(super) fn push_points(&mut self, time: f64, next: Points) {
        let reach = points::reach(&self.last, &next);
        self.push_gathered(time, next, reach);
    }

    fn push_gathered(&mut self, time: f64, next: Points, reach: Spread) {
        let rate = reach.step / (time - self.end);
        let drift = (rate * time.abs().max(self.end.abs())).min(reach.step / limits::ROUNDING);
        self.note_reach(reach.coordinate, drift);
        let (begin, a, b) = (self.end, Arc::clone(&self.last), Arc::new(next));
        self.last = Arc::clone(&b);
        self.push_track(Track { shape: Shape::Keys, begin, end: time, a, b });
    }

    /// Extends the window by a jump to other positions at its end.
    pub(super) fn push_jump(&mut self, next: Points) {
        let reach = points::reach(&next, &next);
        self.note_reach(reach.coordinate, 0.0);
        let (time, a, b) = (self.end, Arc::clone(&self.last), Arc::new(next));
        self.last = Arc::clone(&b);
        self.push_track(Track { shape: Shape::Keys, begin: time, end: time, a, b });
    }

    /// Updates the largest coordinate and drift that the slack must cover, metres.
    pub(super) fn note_reach(&mut self, coordinate: f64, drift: f64) {
        self.coordinate = self.coordinate.max(coordinate);
        self.drift = self.drift.max(drift);
    }

    pub(super) fn push_track(&mut self, track: Track) {
        self.settle_last();
        self.end = track.end;
        let stage = if track.rests() { Stage::Ready } else { Stage::Leaves(0) };
        let buffers = if track.rests() { Buffers::default() } else { std::mem::take(&mut self.spare_buffers) };
        self.intervals.push_back(Interval::new(track, stage, buffers));
    }

    /// Returns an empty buffer for points.
    pub(super) fn buffer(&mut self) -> Points {
        self.spare.pop().unwrap_or_default()
    }

    fn check_later(&self, time: f64) -> Result<(), IntervalError> {
        check_time(self.intervals.len() + 1, time)?;
        if time > self.end { Ok(()) } else { Err(IntervalError::NotLater { time, end: self.end }) }
    }

    /// Drops the intervals that end before the tree's time; the window begins later.
    pub fn forget_past(&mut self) {
        while self.cursor > 0 {
            self.cursor -= 1;
            if let Some(past) = self.intervals.pop_front() {
                self.begin = past.track.end;
                let (Track { a, b, .. }, buffers) = past.into_parts();
                drop(b);
                self.spare_buffers =
                    if buffers.bytes() > 64 { buffers } else { std::mem::take(&mut self.spare_buffers) };
                self.spare.extend(Arc::try_unwrap(a).ok());
            }
        }
        self.spare.truncate(2);
    }

    /// The tree's time, seconds.
    pub fn time(&self) -> f64 {
        self.now
    }

    /// First time of the window, seconds.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// Last time of the window, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The shape of the tree.
    pub fn shape(&self) -> &Topology {
        &self.layout.topology
    }

    /// The vertex that realises an extent of a node now.
    pub fn winner(&self, node: u32, extent: Extent) -> u32 {
        let slot = self.layout.slot(node, extent);
        self.layout.vertices[self.winners.as_flattened()[slot] as usize]
    }

    /// The distance by which boxes are moved outward, metres: the slack that was set, else that of
    /// [`crate::limits`] for the pushed motion.
    pub fn slack(&self) -> f64 {
        self.given_slack.unwrap_or_else(|| {
            let drift = self.drift.min(self.coordinate / limits::ROUNDING);
            limits::ROUNDING * (self.coordinate + drift) * 2.0 + limits::FLUSH
        })
    }

    /// Sets the slack, metres; for a body with a motion, [`crate::motion::Motion::slack`].
    pub fn set_slack(&mut self, slack: f64) {
        self.given_slack = Some(slack);
    }

    /// The number of stored events: a measure of the cost of replay.
    pub fn events_stored(&self) -> usize {
        self.intervals.iter().map(|interval| interval.events().len()).sum()
    }

    /// Bytes held, the topology included: tables, the points of each key of the window, events.
    pub fn bytes(&self) -> usize {
        self.bytes_by_part().iter().map(|&(_, bytes)| bytes).sum()
    }

    /// The parts of [`ClipTree::bytes`]: a name and the bytes of each.
    pub fn bytes_by_part(&self) -> [(&'static str, usize); 6] {
        let mut points: Vec<*const Points> = vec![Arc::as_ptr(&self.last)];
        points.extend(self.intervals.iter().flat_map(|it| [Arc::as_ptr(&it.track.a), Arc::as_ptr(&it.track.b)]));
        points.sort_unstable();
        points.dedup();
        let held = points.len() + self.spare.len();
        let shape = self.layout.topology.bytes();
        let winners = (self.head.capacity() + self.winners.capacity()) * size_of::<[u32; LANES]>();
        let intervals = self.intervals.iter().map(Interval::bytes).sum::<usize>();
        [
            ("shape", shape),
            ("order", self.layout.bytes() - shape),
            ("winners", winners),
            ("keys", held * self.layout.vertices.len() * size_of::<[f32; 4]>()),
            ("scratch", self.scratch.bytes()),
            ("events", intervals + self.spare_buffers.bytes()),
        ]
    }

    /// Bytes of [`ClipTree::bytes`] that are copies of keys.
    pub fn key_bytes(&self) -> usize {
        let keys = self.intervals.iter().filter(|it| !it.track.rests()).count() + 1 + self.spare.len();
        keys * self.layout.vertices.len() * size_of::<[f32; 4]>()
    }
}

fn check_count(layout: &Layout, positions: &[[f32; 3]]) -> Result<(), MotionError> {
    let expected = layout.vertex_bound();
    if positions.len() >= expected {
        Ok(())
    } else {
        Err(MotionError::PositionCount { expected, found: positions.len() })
    }
}
