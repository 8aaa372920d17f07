//! The bounds of a moving body: boxes that move linearly from one end of a piece to the other,
//! computed on demand.
//!
//! Maintains nothing by events. A node's bound in a piece is computed at the first query and kept
//! until another piece of that node is queried; no answer depends on earlier queries. A node's box
//! is its own bound intersected with its parent's box, so boxes are nested. Bounds of reduced
//! bodies are not nested by themselves, and separation lists rely on it.
//!
//! Bounds change at the ends of pieces by small steps, and by large ones where the motion jumps. A
//! [`Piece`] ends there, and a caller that searches bounds over time proceeds from piece to piece.
//!
//! The poses at the ends of pieces are bounded. The deviation of a node's vertices from linear
//! motion in between is added to both ends ([`super::deviation`]), and under spherical blending
//! their distance from linear blending ([`super::turning`]). Neighbouring pieces share the bound at
//! their common end: in forward time a piece costs one bound per node, and one pose for all nodes.
//!
//! Cost: O(influences of the node) for its first bound in a piece (plus its ancestors, if they have
//! none). O(1) for every later one: twelve numbers interpolated to six. O(influences) once per
//! piece.
//!
//! Follows the theory of extremal certificates (bounds interpolated between the ends of pieces);
//! the paper bounds single poses.

use std::cell::RefCell;
use std::sync::Arc;

use super::frame::Frame;
use super::kept::{BEFORE, BEGUN, BEYOND, Bound, Cache, Key, NOWHERE, Now, Ready, Six, UNBOUNDED, outward, six_of};
use super::place::{Place, locate, locate_pose};
use super::turning::{Between, Turning};
use super::{BoundTree, Level};
use crate::bvh::{Hierarchy, Topology};
use crate::kinetic::KineticHierarchy;
use crate::limits;
use crate::math::{Aabb, Extent};
use crate::motion::{KeyTrack, Outside, Piece};
use crate::reduced::set_bounds::MOST_OFF;
use crate::reduced::{Pieces, Pose, PoseDerivativeBounds, ReducedBody, ReducedError, SimilarityBounds};
use crate::time::{Moment, NEVER, Span};
use crate::tuning;

/// A tree over a reduced body together with its motion. `Send` but not shared between threads.
#[derive(Clone, Debug)]
pub struct MovingBounds {
    pub(super) tree: Arc<BoundTree>,
    body: Arc<ReducedBody>,
    /// See [`BoundTree::reaches`].
    reaches: Vec<f32>,
    /// Set for spherical blending.
    turning: Option<Turning>,
    /// The times of one round at which pieces begin and end, seconds.
    times: Vec<f64>,
    /// Per time, whether the pose just after it differs from the pose at it.
    jumps: Vec<bool>,
    outside: Outside,
    pub(super) level: Level,
    /// Number of levels below a node from which its box is united.
    pub(super) levels: usize,
    /// The largest coordinate and speed of any vertex at any time: metres, metres per second.
    largest: f64,
    fastest: f64,
    epoch_end: f64,
    slack: f64,
    pub(super) ready: Ready,
    pub(super) cache: RefCell<Cache>,
}

impl MovingBounds {
    /// Creates the bounds of a tree in motion, cut into pieces ([`ReducedBody::pieces`]). O(pieces
    /// · influences).
    ///
    /// # Errors
    /// [`ReducedError::ForeignTree`] for a tree over a mesh with other counts; spherical blending
    /// with maps of unknown distance from rotations times scales
    /// ([`Driver::similarity`](crate::reduced::Driver::similarity)).
    pub fn new(
        tree: Arc<BoundTree>,
        body: Arc<ReducedBody>,
        pieces: &Pieces,
        level: Level,
    ) -> Result<Self, ReducedError> {
        tree.check_mesh(body.mesh())?;
        let turning = Turning::new(&tree, body.mesh());
        if turning.is_some() {
            let mut spans = pieces.times().windows(2).map(|ends| Span { begin: ends[0], end: ends[1] });
            if let Some(span) = spans.find(|&span| !(body.driver().similarity(span).off <= MOST_OFF)) {
                return Err(ReducedError::NoBound { time: span.begin });
            }
        }
        let mut pose = Pose::default();
        body.pose(Moment::at(pieces.times()[0]), &mut pose);
        Frame::of_pose(&tree, &pose)?;
        let (nodes, kept) = (tree.topology().nodes().len(), tuning::CACHED_POSES.min(pieces.count() + 2));
        let cache = Cache::new(nodes, kept, pose);
        let mut bounds = Self {
            reaches: tree.reaches(body.driver().centres()),
            turning,
            tree,
            outside: body.driver().outside(),
            body,
            times: pieces.times().to_vec(),
            jumps: pieces.jumps().to_vec(),
            level,
            levels: 0,
            largest: 0.0,
            fastest: 0.0,
            epoch_end: NEVER,
            slack: 0.0,
            ready: Ready::new(nodes),
            cache: RefCell::new(cache),
        };
        bounds.measure();
        bounds.start_epoch(Moment::at(bounds.whole().begin));
        Ok(bounds)
    }

    /// Unites boxes from the given number of levels below: tighter and more expensive. 0 for own
    /// bounds.
    #[must_use]
    pub fn united(mut self, levels: usize) -> Self {
        self.levels = levels;
        self.ready.forget();
        self.cache.get_mut().forget();
        self
    }

    /// Begins an epoch of `tuning::PIECES_PER_EPOCH` pieces (or of the remaining ones) in which
    /// bounds are answered.
    pub fn start_epoch(&mut self, at: Moment) {
        let mut end = at.time();
        for _ in 0..tuning::PIECES_PER_EPOCH {
            match locate(&self.times, self.outside, Moment::after(end)) {
                Place::Still { at_end: true } => end = NEVER,
                Place::Still { at_end: false } => end = self.whole().begin,
                Place::Inside { span, .. } => end = end.max(span.end),
            }
        }
        self.epoch_end = end;
        self.slack = self.slack_at(if end == NEVER { at.time().max(self.whole().end) } else { end });
        self.slack = self.slack.max(self.slack_at(at.time()));
        self.ready.now.set(Now { piece: NOWHERE, ..self.ready.now.get() });
    }

    /// The tree.
    pub fn tree(&self) -> &BoundTree {
        &self.tree
    }

    /// The body.
    pub fn body(&self) -> &Arc<ReducedBody> {
        &self.body
    }

    fn whole(&self) -> Span {
        Span { begin: self.times[0], end: self.times[self.times.len() - 1] }
    }

    /// Computes the largest coordinate and speed of any vertex.
    fn measure(&mut self) {
        let mut bends = PoseDerivativeBounds::default();
        for two in self.times.windows(2) {
            bends.take(&**self.body.driver(), Span { begin: two[0], end: two[1] });
            let growth = self.body.linear_growth(&bends);
            (self.largest, self.fastest) = (self.largest.max(growth.size), self.fastest.max(growth.rate));
        }
    }

    fn slack_at(&self, time: f64) -> f64 {
        limits::ROUNDING * (self.largest + self.fastest * time.abs()) + limits::FLUSH
    }

    /// The poses at the ends of a piece, and its begin and end.
    fn ends_of(&self, piece: u32) -> ([Key; 2], Span) {
        let whole = self.whole();
        let last = self.times.len() - 1;
        match piece {
            BEFORE => ([Key::new(0, false); 2], Span { begin: whole.begin, end: whole.begin }),
            BEYOND => ([Key::new(last, false); 2], Span { begin: whole.end, end: whole.end }),
            _ => {
                let place = piece as usize;
                let begin = Key::new(place, place == 0 || self.jumps[place]);
                let span = Span { begin: self.times[place], end: self.times[place + 1] };
                ([begin, Key::new(place + 1, false)], span)
            }
        }
    }

    /// The bound of a node in a piece, within its parent's.
    pub(super) fn row(&self, node: u32, piece: u32, cache: &mut Cache) -> Bound {
        let (kept, bound) = &self.ready.nodes[node as usize];
        if kept.get() & !UNBOUNDED == piece {
            return bound.get();
        }
        let parent = self.tree.topology().node(node).parent().map(|parent| self.row(parent, piece, cache));
        let [begin, end] = self.prepare(piece, cache);
        let bends = &cache.bends[piece as usize % cache.bends.len()].1;
        let mut off = self.tree.deviation(node, bends, &self.reaches);
        if let Some(turning) = &self.turning {
            off += turning.of(node, &cache.offsets[piece as usize % cache.offsets.len()]);
        }
        let begin = if kept.get() == piece | BEGUN { bound.get().begin } else { self.own(node, begin, cache) };
        // Own bounds at the begin and at the end; equal poses mean rest.
        let end = self.own(node, end, cache);
        let mut row = Bound { begin, end };
        let mut is_finite = row.widen(off);
        if let Some(parent) = &parent {
            row.within(parent);
        }
        if !is_finite {
            is_finite = row.begin.iter().all(|side| side.is_finite());
        }
        let tag = if is_finite { piece } else { piece | UNBOUNDED };
        kept.set(tag);
        bound.set(row);
        row
    }

    /// The own bound of a node in a pose whose frame is ready.
    fn own(&self, node: u32, key: Key, cache: &mut Cache) -> Six {
        let (kept, sides) = cache.ends[node as usize];
        if kept == key {
            return sides;
        }
        let frame = &cache.frames[key.place() % cache.frames.len()].1;
        let sides = six_of(&self.tree.united_box(node, frame, self.level, self.levels));
        cache.ends[node as usize] = (key, sides);
        sides
    }

    /// Computes the frames and bends of a piece, if they are missing.
    pub(super) fn prepare(&self, piece: u32, cache: &mut Cache) -> [Key; 2] {
        if cache.ready == piece {
            return cache.keys;
        }
        let (keys, span) = self.ends_of(piece);
        (cache.ready, cache.keys) = (piece, keys);
        for key in keys {
            let slot = key.place() % cache.frames.len();
            let (kept, frame) = &mut cache.frames[slot];
            if *kept != key {
                *kept = key;
                self.body.pose(key.at(&self.times), &mut cache.pose);
                frame.set_any(&self.tree, &cache.pose);
            }
        }
        let slot = piece as usize % cache.bends.len();
        let (kept, bends) = &mut cache.bends[slot];
        if *kept != piece {
            *kept = piece;
            let scratch = &mut cache.scratch;
            if span.begin < span.end {
                scratch.take(&**self.body.driver(), span);
            } else {
                scratch.reset(self.body.mesh().map_count(), self.body.mesh().morph_count());
            }
            bends.set(span.end - span.begin, scratch);
            if let Some(turning) = &self.turning {
                let mut poses: [Pose; 2] = Default::default();
                keys.iter().zip(&mut poses).for_each(|(key, pose)| self.body.pose(key.at(&self.times), pose));
                let poses = poses.each_ref();
                let similarity = if span.begin < span.end {
                    self.body.driver().similarity(span)
                } else {
                    SimilarityBounds::of_maps(&poses[0].maps)
                };
                let between = Between { poses, bends: scratch, similarity, length: span.end - span.begin };
                turning.measure(&self.body, &between, &mut cache.offsets[slot]);
            }
        }
        keys
    }

    /// The bound at a place, with its span of linear motion.
    fn at_place(&self, node: u32, place: Place) -> (Span, Bound) {
        let whole = self.whole();
        let (piece, span) = match place {
            Place::Still { at_end: false } => (BEFORE, Span { begin: f64::NEG_INFINITY, end: whole.begin }),
            Place::Still { at_end: true } => (BEYOND, Span { begin: whole.end, end: NEVER }),
            Place::Inside { piece, span } => (piece, span),
        };
        if node as usize >= self.ready.nodes.len() {
            return (span, Bound::EVERYTHING);
        }
        (span, self.row(node, piece, &mut self.cache.borrow_mut()))
    }

    fn around(&self, node: u32, at: Moment) -> (Span, Bound) {
        self.at_place(node, locate(&self.times, self.outside, at))
    }

    /// Locates a moment.
    fn look_up(&self, at: Moment) -> Now {
        let (place, local) = locate_pose(&self.times, self.outside, at);
        let slack = self.slack.max(self.slack_at(at.time()));
        let (piece, over) = match place {
            Place::Still { at_end } => (if at_end { BEYOND } else { BEFORE }, 0.0),
            Place::Inside { piece, span } if span.begin < span.end => {
                (piece, ((local.time() - span.begin) / (span.end - span.begin)).clamp(0.0, 1.0))
            }
            Place::Inside { piece, .. } => (piece, 0.0),
        };
        Now { time: at.time().to_bits(), side: at.side(), piece, over, left: 1.0 - over, slack: outward(slack) }
    }

    /// The located moment, reused from the last query if equal.
    #[inline]
    pub(super) fn now(&self, at: Moment) -> Now {
        let now = self.ready.now.get();
        if now.piece != NOWHERE && now.is(at) { now } else { self.new_now(at) }
    }

    #[inline(never)]
    fn new_now(&self, at: Moment) -> Now {
        let now = self.look_up(at);
        self.ready.now.set(now);
        now
    }

    /// A box that is missing, is not finite, or is at a moment not located yet.
    #[cold]
    #[inline(never)]
    fn fresh_box(&self, node: u32, at: Moment) -> Aabb {
        let now = self.now(at);
        self.made_box(node, &now, &mut self.cache.borrow_mut())
    }

    /// A box that is computed if it is missing.
    pub(super) fn made_box(&self, node: u32, now: &Now, cache: &mut Cache) -> Aabb {
        let row = self.row(node, now.piece, cache);
        if self.ready.nodes[node as usize].0.get() == now.piece {
            return now.between(&row);
        }
        let side = |lane: usize| {
            let (begin, end) = (row.begin[lane], row.end[lane]);
            if begin.is_infinite() { begin } else { begin * now.left + end * now.over + now.slack[lane] }
        };
        Aabb { min: [side(0), side(1), side(2)], max: [side(3), side(4), side(5)] }
    }
}

/// One side as a function of time.
fn piece_of(span: Span, row: &Bound, extent: Extent) -> Piece {
    let lane = if extent.is_max() { extent.axis() + 3 } else { extent.axis() };
    let (begin, end) = (row.begin[lane], row.end[lane]);
    if span.begin.is_finite() && span.end.is_finite() {
        Piece::linear(span.begin, span.end, begin, end)
    } else {
        Piece::constant(span.begin, span.end, begin)
    }
}

impl Hierarchy for MovingBounds {
    fn topology(&self) -> &Topology {
        self.tree.topology()
    }

    #[inline]
    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let Some((piece, bound)) = self.ready.nodes.get(node as usize) else { return Aabb::EVERYTHING };
        let now = self.ready.now.get();
        if piece.get() != now.piece || !now.is(at) {
            return self.fresh_box(node, at);
        }
        now.between(&bound.get())
    }
}

impl KineticHierarchy for MovingBounds {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        let (span, row) = self.around(node, at);
        piece_of(span, &row, extent)
    }

    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        let (span, row) = self.around(node, at);
        Extent::ALL.map(|extent| piece_of(span, &row, extent))
    }

    fn bound_row(&self, _node: u32, _extent: Extent) -> Option<KeyTrack<'_>> {
        None
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    fn epoch_end(&self) -> f64 {
        self.epoch_end
    }
}
