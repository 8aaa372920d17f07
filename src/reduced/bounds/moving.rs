//! The bounds of a moving body: boxes that move linearly from one end of a piece to the other, made only where they are asked for.
//!
//! Maintains nothing by events. A node's bound in a piece is computed when first asked for and kept until another piece of that node is;
//! nobody's answer depends on what was asked before. A node's box is its own bound within its father's, so boxes are nested,
//! which bounds of reduced bodies are not by themselves: separation lists rely on it.
//!
//! Bounds change at the ends of pieces by small steps, and by large ones where the motion jumps; a [`Piece`] ends there, and whoever
//! searches bounds over time goes from piece to piece.
//!
//! Cost: O(influences of the node) for its first bound in a piece (and of its ancestors, where they have none), O(1) for every later
//! one; O(influences) once per piece.
//!
//! Follows the theory of extremal certificates (bounds interpolated between the ends of pieces); the paper bounds poses one by one.

use std::cell::RefCell;
use std::sync::Arc;

use super::direct::{Sides, box_of};
use super::frame::Frame;
use super::place::{Place, locate, locate_pose};
use super::{BoundTree, Level};
use crate::kds::{Hierarchy, KineticHierarchy, Topology};
use crate::limits;
use crate::math::{Aabb, Extent};
use crate::motion::{Outside, Piece, Row};
use crate::reduced::{Bends, Blend, Pieces, Pose, ReducedBody, ReducedError};
use crate::time::{Moment, NEVER, Span};

/// A piece number that stands for "at rest before the first piece", and one for "after the last".
const BEFORE: u32 = u32::MAX - 1;
const BEYOND: u32 = u32::MAX - 2;
const NONE: u32 = u32::MAX;

/// A tree over a reduced body together with its motion. Can be sent to another thread; threads do not share one.
#[derive(Clone, Debug)]
pub struct MovingBounds {
    tree: Arc<BoundTree>,
    body: Arc<ReducedBody>,
    /// The times of one round at which pieces begin and end, seconds.
    times: Vec<f64>,
    outside: Outside,
    level: Level,
    /// How many levels below a node its box is united from.
    levels: usize,
    /// The largest coordinate and speed of any vertex at any time: metres, metres per second.
    largest: f64,
    fastest: f64,
    epoch_end: f64,
    slack: f64,
    cache: RefCell<Cache>,
}

/// The two ends of one node's bound in one piece.
#[derive(Clone, Copy, Debug)]
struct Entry {
    piece: u32,
    begin: Sides,
    end: Sides,
}

#[derive(Clone, Debug, Default)]
struct Cache {
    /// Per node, what was asked last.
    entries: Vec<Entry>,
    /// The frames of some pieces, each at the place of its number modulo the length.
    frames: Vec<Option<(u32, [Frame; 2])>>,
    poses: [Pose; 2],
    bends: Bends,
    made: u64,
    /// The moment that was asked for last, and where it lies: hosts ask for many nodes at one moment.
    last: Option<(Moment, Place, Moment)>,
}

impl MovingBounds {
    /// Puts a tree in motion, cut into pieces ([`ReducedBody::pieces`]). O(pieces · influences).
    ///
    /// # Errors
    /// A tree over another body; spherical blending, which these bounds are not for.
    pub fn new(
        tree: Arc<BoundTree>,
        body: Arc<ReducedBody>,
        pieces: &Pieces,
        level: Level,
    ) -> Result<Self, ReducedError> {
        if let Blend::Spherical { .. } = body.mesh().blend() {
            return Err(ReducedError::NoBound { time: pieces.times()[0] });
        }
        let mut pose = Pose::default();
        body.pose(Moment::at(pieces.times()[0]), &mut pose);
        Frame::of_pose(&tree, &pose)?;
        let unused = Entry { piece: NONE, begin: [0.0; 8], end: [0.0; 8] };
        let cache = Cache {
            entries: vec![unused; tree.topology().nodes().len()],
            frames: vec![None; limits::KEPT_FRAMES.min(pieces.count() + 2)],
            ..Cache::default()
        };
        let mut bounds = Self {
            tree,
            outside: body.driver().outside(),
            body,
            times: pieces.times().to_vec(),
            level,
            levels: 0,
            largest: 0.0,
            fastest: 0.0,
            epoch_end: NEVER,
            slack: 0.0,
            cache: RefCell::new(cache),
        };
        bounds.measure();
        bounds.start_epoch(Moment::at(bounds.whole().begin));
        Ok(bounds)
    }

    /// The same with boxes united from so many levels below: tighter, dearer. 0 for bounds by themselves.
    #[must_use]
    pub fn united(mut self, levels: usize) -> Self {
        self.levels = levels;
        self.cache.get_mut().entries.iter_mut().for_each(|entry| entry.piece = NONE);
        self
    }

    /// Begins a stretch of [`limits::PIECES_PER_EPOCH`] pieces (or of what is left of them) in which bounds are answered.
    pub fn start_epoch(&mut self, at: Moment) {
        let mut end = at.time();
        for _ in 0..limits::PIECES_PER_EPOCH {
            match locate(&self.times, self.outside, Moment::after(end)) {
                Place::Still { at_end: true } => end = NEVER,
                Place::Still { at_end: false } => end = self.whole().begin,
                Place::Inside { span, .. } => end = end.max(span.end),
            }
        }
        self.epoch_end = end;
        self.slack = self.slack_at(if end == NEVER { at.time().max(self.whole().end) } else { end });
        self.slack = self.slack.max(self.slack_at(at.time()));
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

    /// How many bounds of a node in a piece were computed so far.
    pub fn bounds_made(&self) -> u64 {
        self.cache.borrow().made
    }

    /// The largest coordinate and speed that any vertex has anywhere.
    fn measure(&mut self) {
        let mut bends = Bends::default();
        for two in self.times.windows(2) {
            self.body.driver().bends(Span { begin: two[0], end: two[1] }, &mut bends);
            let growth = self.body.growth(&bends);
            (self.largest, self.fastest) = (self.largest.max(growth.size), self.fastest.max(growth.rate));
        }
    }

    fn slack_at(&self, time: f64) -> f64 {
        limits::ROUNDING * (self.largest + self.fastest * time.abs()) + limits::FLUSH
    }

    /// The bound of a node in a piece, within its father's.
    fn entry(&self, node: u32, piece: u32, cache: &mut Cache) -> Entry {
        let found = cache.entries[node as usize];
        if found.piece == piece {
            return found;
        }
        let father = self.tree.topology().node(node).parent().map(|father| self.entry(father, piece, cache));
        self.prepare(piece, cache);
        let slot = piece as usize % cache.frames.len();
        let mut entry = Entry { piece, begin: [f64::INFINITY; 8], end: [f64::INFINITY; 8] };
        if let Some((_, [begin, end])) = &cache.frames[slot] {
            entry.begin = self.tree.united_sides(node, begin, self.level, self.levels);
            entry.end = self.tree.united_sides(node, end, self.level, self.levels);
        }
        for lane in 0..8 {
            // Half of an unbounded side cannot be interpolated.
            if !(entry.begin[lane].is_finite() && entry.end[lane].is_finite()) {
                (entry.begin[lane], entry.end[lane]) = (f64::INFINITY, f64::INFINITY);
            }
        }
        if let Some(father) = father {
            for lane in 0..8 {
                entry.begin[lane] = entry.begin[lane].min(father.begin[lane]);
                entry.end[lane] = entry.end[lane].min(father.end[lane]);
            }
        }
        cache.made += 1;
        cache.entries[node as usize] = entry;
        entry
    }

    /// Makes the frames of a piece, if they are not there.
    fn prepare(&self, piece: u32, cache: &mut Cache) {
        let slot = piece as usize % cache.frames.len();
        if cache.frames[slot].as_ref().is_some_and(|(kept, _)| *kept == piece) {
            return;
        }
        let whole = self.whole();
        let (span, sides) = match piece {
            BEFORE => (Span { begin: whole.begin, end: whole.begin }, [Moment::at(whole.begin); 2]),
            BEYOND => (Span { begin: whole.end, end: whole.end }, [Moment::at(whole.end); 2]),
            _ => {
                let span = Span { begin: self.times[piece as usize], end: self.times[piece as usize + 1] };
                (span, [Moment::after(span.begin), Moment::at(span.end)])
            }
        };
        let [begin, end] = &mut cache.poses;
        self.body.pose(sides[0], begin);
        self.body.pose(sides[1], end);
        if span.begin < span.end {
            self.body.driver().bends(span, &mut cache.bends);
        } else {
            cache.bends.reset(begin.maps.len(), begin.morphs.len());
        }
        let mut frames = cache.frames[slot].take().map_or_else(Default::default, |(_, frames)| frames);
        for (at_end, frame) in [false, true].into_iter().zip(&mut frames) {
            frame.set_piece_end(&self.tree, [begin, end], at_end, span, &cache.bends, self.body.driver().centres());
        }
        cache.frames[slot] = Some((piece, frames));
    }

    /// The bound at a place, with the times between which it is linear.
    fn at_place(&self, node: u32, place: Place) -> (Span, Entry) {
        let whole = self.whole();
        let (piece, span) = match place {
            Place::Still { at_end: false } => (BEFORE, Span { begin: f64::NEG_INFINITY, end: whole.begin }),
            Place::Still { at_end: true } => (BEYOND, Span { begin: whole.end, end: NEVER }),
            Place::Inside { piece, span } => (piece, span),
        };
        (span, self.entry(node, piece, &mut self.cache.borrow_mut()))
    }

    /// As [`locate_pose`], remembered from one node to the next.
    fn locate_pose(&self, at: Moment) -> (Place, Moment) {
        let known = self.cache.borrow().last.filter(|(last, ..)| *last == at);
        let (_, place, local) = known.unwrap_or_else(|| {
            let (place, local) = locate_pose(&self.times, self.outside, at);
            self.cache.borrow_mut().last = Some((at, place, local));
            (at, place, local)
        });
        (place, local)
    }

    fn around(&self, node: u32, at: Moment) -> (Span, Entry) {
        self.at_place(node, locate(&self.times, self.outside, at))
    }
}

/// One side as a function of time.
fn piece_of(span: Span, entry: &Entry, extent: Extent) -> Piece {
    let (lane, sign) = if extent.is_max() { (extent.axis(), 1.0) } else { (extent.axis() + 4, -1.0) };
    let (begin, end) = (sign * entry.begin[lane], sign * entry.end[lane]);
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

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let (place, local) = self.locate_pose(at);
        let (span, entry) = self.at_place(node, place);
        let slack = self.slack.max(self.slack_at(at.time()));
        if !(span.begin.is_finite() && span.end.is_finite() && span.begin < span.end) {
            return box_of(&entry.begin).inflated(slack);
        }
        let s = ((local.time() - span.begin) / (span.end - span.begin)).clamp(0.0, 1.0);
        let between = |begin: f64, end: f64| if begin == end { begin } else { begin * (1.0 - s) + end * s };
        let sides: Sides = std::array::from_fn(|lane| between(entry.begin[lane], entry.end[lane]));
        box_of(&sides).inflated(slack)
    }
}

impl KineticHierarchy for MovingBounds {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        let (span, entry) = self.around(node, at);
        piece_of(span, &entry, extent)
    }

    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        let (span, entry) = self.around(node, at);
        Extent::ALL.map(|extent| piece_of(span, &entry, extent))
    }

    fn bound_row(&self, _node: u32, _extent: Extent) -> Option<Row<'_>> {
        None
    }

    fn slack(&self) -> f64 {
        self.slack
    }

    fn epoch_end(&self) -> f64 {
        self.epoch_end
    }
}
