//! Bounds of any node at any time of the epoch.

use super::{KineticBoundedTree, Sides};
use crate::bvh::{Hierarchy, Topology};
use crate::kinetic::KineticHierarchy;
use crate::limits;
use crate::math::{Aabb, Extent};
use crate::motion::{KeyTrack, Motion, Piece};
use crate::time::{Moment, Side, Span};

/// The kinetic tree of a reduced body together with the motion of its vertices.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) tree: &'a KineticBoundedTree,
    motion: &'a Motion,
    slack: f64,
    epoch_end: f64,
    /// The moment most questions are about, and its place.
    now: Moment,
    place: Option<Place>,
}

/// The place of a moment among the keys of an epoch.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The key before and the key after, by their places; equal during rest.
    keys: [usize; 2],
    span: Span,
}

/// A piece of all bounds of a node.
struct Ends {
    span: Span,
    begin: Sides,
    end: Sides,
}

impl Ends {
    fn piece(&self, extent: Extent) -> Piece {
        let [begin, end] = [&self.begin, &self.end].map(|sides| f64::from(sides[extent.index()]));
        Piece::linear(self.span.begin, self.span.end, begin, end)
    }
}

impl KineticBoundedTree {
    /// The tree with its motion, as a hierarchy with boxes. Questions about `now` are answered
    /// fastest.
    pub fn kinetic_view<'a>(&'a self, motion: &'a Motion, slack: f64, epoch_end: f64, now: Moment) -> View<'a> {
        View { tree: self, motion, slack, epoch_end, now, place: self.place(now) }
    }

    /// The place of a moment; `None` if it lies outside the epoch.
    #[inline]
    fn place(&self, at: Moment) -> Option<Place> {
        let (times, last) = (&self.keys.times, self.keys.times.len().checked_sub(1)?);
        let is_passed = |&key: &f64| match at.side() {
            Side::At => key < at.time(),
            Side::After => key <= at.time(),
        };
        // Few keys: counting them one by one is fastest.
        let passed = times.iter().take_while(|key| is_passed(key)).count();
        let (keys, begin, end) = match passed {
            // A motion of one key has no time at which anything changes.
            _ if last == 0 && self.keys.rests == [true; 2] => ([0, 0], f64::NEG_INFINITY, f64::INFINITY),
            0 if self.keys.rests[0] => ([0, 0], f64::NEG_INFINITY, times[0]),
            0 => return None,
            _ if passed <= last => ([passed - 1, passed], times[passed - 1], times[passed]),
            _ if self.keys.rests[1] => ([last, last], times[last], f64::INFINITY),
            _ => return None,
        };
        Some(Place { keys, span: Span { begin, end } })
    }
}

impl KineticBoundedTree {
    /// The pieces of the three coordinates of a leaf's vertices around a moment, in the order of
    /// the leaf's points, as [`Motion::piece`]; each vertex is evaluated once per key. `None`
    /// outside the epoch. O(vertices of the leaf).
    pub fn leaf_pieces(&self, leaf: u32, motion: &Motion, at: Moment) -> Option<Vec<[Piece; 3]>> {
        let Place { keys, span } = self.place(at)?;
        let [begin, end] = keys.map(|place| self.leaf_positions(leaf, place, motion));
        let pieces = begin
            .iter()
            .zip(end)
            .map(|(from, to)| std::array::from_fn(|axis| Piece::linear(span.begin, span.end, from[axis], to[axis])));
        Some(pieces.collect())
    }
}

impl View<'_> {
    /// The bounds of a node at both ends of the piece around a moment.
    fn ends(&self, node: u32, at: Moment) -> Ends {
        let place = if at == self.now { self.place } else { self.tree.place(at) };
        match place {
            Some(Place { keys, span }) => {
                let [begin, end] = keys.map(|place| *self.tree.sides(node, place));
                Ends { span, begin, end }
            }
            None => self.ends_outside(node, at),
        }
    }

    /// The same outside the epoch; nothing is kept.
    #[cold]
    fn ends_outside(&self, node: u32, at: Moment) -> Ends {
        let Some(around) = self.motion.keys_around(at) else {
            // Not the motion of the boxes: nothing is known.
            let most = limits::MAX_COORDINATE as f32;
            let everywhere = Extent::ALL.map(|extent| if extent.is_max() { most } else { -most });
            return Ends { span: Span::ALWAYS, begin: everywhere, end: everywhere };
        };
        let made = |key| {
            let mut ways = vec![node];
            while let Some(parent) = self.tree.topology().node(ways[ways.len() - 1]).parent() {
                ways.push(parent);
            }
            let root = self.tree.made(0, key, None);
            ways.iter().rev().skip(1).fold(root, |parent, &node| self.tree.made(node, key, Some(&parent)))
        };
        Ends { span: around.span, begin: made(around.first), end: made(around.last) }
    }
}

impl Hierarchy for View<'_> {
    fn topology(&self) -> &Topology {
        self.tree.topology()
    }

    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let ends = self.ends(node, at);
        let side = |extent: Extent| ends.piece(extent).at(at.time());
        Aabb::of_sides(side).inflated(self.slack)
    }
}

impl KineticHierarchy for View<'_> {
    fn bound(&self, node: u32, extent: Extent, at: Moment) -> Piece {
        self.ends(node, at).piece(extent)
    }

    fn bounds(&self, node: u32, at: Moment) -> [Piece; 6] {
        let ends = self.ends(node, at);
        Extent::ALL.map(|extent| ends.piece(extent))
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
