//! Boxes of a body over the whole of a trial: every node's box holds the ways of all vertices below
//! it from the clock's time to the end of the trial.
//!
//! | body | boxes | cost |
//! |---|---|---|
//! | straight from the begin to the end: moved by the trial, or with keys at both ends | boxes of both ends | O(vertices + nodes) |
//! | at rest | those of the tree it has | O(1) |
//! | otherwise | boxes of every piece of every vertex | O(pieces + nodes) |
//!
//! The shape of the tree is that of the tree the body has, whichever engine keeps it.

use crate::bvh::Hierarchy;
use crate::math::Aabb;
use crate::motion::{Cursor, Motion};
use crate::narrow::intervals::MovingTriangle;
use crate::time::{Moment, Span};
use crate::world::body::Body;
use crate::world::trial::error::TrialError;

/// The ways of a body's vertices over a trial.
#[derive(Debug)]
enum Ways {
    /// Straight, exactly, between these positions.
    Straight { begin: Vec<[f64; 3]>, end: Vec<[f64; 3]> },
    /// Nothing moves.
    Still,
    /// Within these boxes, one per vertex.
    Within(Vec<Aabb>),
}

/// A body over a trial.
#[derive(Debug)]
pub(crate) struct Sweep {
    /// The begin of the trial.
    now: Moment,
    ways: Ways,
    /// By node of the topology; empty for a body without a tree, or one that rests and has one
    /// whose boxes hold.
    nodes: Vec<Aabb>,
    /// Holds all of the body.
    bounds: Aabb,
}

impl Sweep {
    /// A body that moves straight from the positions `begin` to the positions `end`.
    pub(crate) fn straight(body: &Body, now: Moment, begin: Vec<[f64; 3]>, end: Vec<[f64; 3]>) -> Self {
        Self::with_nodes(body, now, Ways::Straight { begin, end })
    }

    /// A body that moves by its own plan. `most` bounds the number of pieces that are evaluated.
    ///
    /// # Errors
    /// [`TrialError::Limit`].
    pub(crate) fn of_plan(body: &Body, window: Span, most: u64) -> Result<Self, TrialError> {
        let motion = &body.motion;
        let (now, begin, end) = (Moment::at(window.begin), Moment::after(window.begin), Moment::at(window.end));
        if motion.rests_until(window.begin).is_some_and(|until| until >= window.end) {
            return Ok(Self::still(body, now));
        }
        let is_one_piece = motion
            .stretch(begin)
            .is_some_and(|stretch| stretch.begin == window.begin && stretch.end == window.end && !stretch.after_jump);
        // At the begin of a loop's first round a body is not where its way there leads.
        let is_one_piece = is_one_piece && motion.first_of_loop() != Some(window.end);
        if is_one_piece && motion.blur(begin) == 0.0 && motion.blur(end) == 0.0 && !body.is_of_spheres() {
            let at = |moment: Moment| {
                let mut positions = Vec::with_capacity(motion.vertex_count());
                motion.positions(moment, &mut positions);
                positions
            };
            return Ok(Self::straight(body, now, at(begin), at(end)));
        }
        Ok(Self::with_nodes(body, now, Ways::Within(boxes_of_pieces(motion, window, most)?)))
    }

    /// A body at rest.
    fn still(body: &Body, now: Moment) -> Self {
        match body.tree(now) {
            Some(tree) => Self { now, ways: Ways::Still, nodes: Vec::new(), bounds: tree.node_box(0, now) },
            None => Self::with_nodes(body, now, Ways::Still),
        }
    }

    fn with_nodes(body: &Body, now: Moment, ways: Ways) -> Self {
        let mut sweep = Self { now, ways, nodes: Vec::new(), bounds: Aabb::EMPTY };
        let Some(topology) = body.topology() else {
            let all = (0..body.shape.mesh.vertex_count() as u32).map(|vertex| sweep.vertex_box(body, vertex));
            sweep.bounds = all.fold(Aabb::EMPTY, |bounds, other| bounds.union(&other));
            return sweep;
        };
        let mut nodes = vec![Aabb::EMPTY; topology.nodes().len()];
        for node in topology.upward() {
            let below = topology.node(node).children().iter().map(|&child| nodes[child as usize]);
            let points = topology.leaf_points(node).iter().map(|&vertex| sweep.vertex_box(body, vertex));
            nodes[node as usize] = below.chain(points).fold(Aabb::EMPTY, |bounds, other| bounds.union(&other));
        }
        sweep.bounds = nodes[0];
        sweep.nodes = nodes;
        sweep
    }

    /// Holds all of the body throughout the trial.
    pub(crate) fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The box of a node of the body's topology.
    pub(crate) fn node_box(&self, body: &Body, node: u32) -> Aabb {
        match self.nodes.get(node as usize) {
            Some(bounds) => *bounds,
            // A body at rest, whose own boxes hold throughout.
            None => body.tree(self.now).map_or(self.bounds, |tree| tree.node_box(node, self.now)),
        }
    }

    fn vertex_box(&self, body: &Body, vertex: u32) -> Aabb {
        match &self.ways {
            Ways::Straight { begin, end } => Aabb::of_points([&begin[vertex as usize], &end[vertex as usize]]),
            Ways::Still => Aabb::of_points([&body.motion.position(vertex, self.now)]),
            Ways::Within(boxes) => boxes[vertex as usize],
        }
    }

    /// The box of a triangle, or of a sphere.
    pub(crate) fn triangle_box(&self, body: &Body, triangle: u32) -> Aabb {
        let corners = body.shape.mesh.triangles()[triangle as usize];
        corners.iter().fold(Aabb::EMPTY, |bounds, &vertex| bounds.union(&self.vertex_box(body, vertex)))
    }

    /// A triangle over the trial; `None` unless its way is straight and exact.
    pub(crate) fn triangle(&self, body: &Body, triangle: u32) -> Option<MovingTriangle> {
        let corners = body.shape.mesh.triangles()[triangle as usize];
        let at = |positions: &[[f64; 3]]| corners.map(|vertex| positions[vertex as usize]);
        match &self.ways {
            Ways::Straight { begin, end } => Some(MovingTriangle { begin: at(begin), end: at(end) }),
            Ways::Still if !body.is_of_spheres() => {
                let here = corners.map(|vertex| body.motion.position(vertex, self.now));
                Some(MovingTriangle { begin: here, end: here })
            }
            Ways::Still | Ways::Within(_) => None,
        }
    }
}

/// Per vertex, a box of all its pieces in a window, and of its place at the end, where a loop's
/// first round may begin; moved outward by the rounding of positions.
fn boxes_of_pieces(motion: &Motion, window: Span, most: u64) -> Result<Vec<Aabb>, TrialError> {
    let (begin, end) = (Moment::after(window.begin), Moment::at(window.end));
    let slack = motion.slack(begin).max(motion.slack(end));
    // Vertices of the shared plan ask at the same times.
    let mut cursors: Vec<Cursor> = Vec::new();
    let last = motion.cursor(end);
    let mut pieces = 0u64;
    let mut boxes = Vec::with_capacity(motion.vertex_count());
    for vertex in 0..motion.vertex_count() as u32 {
        let (mut bounds, mut from, mut place) = (Aabb::EMPTY, window.begin, 0);
        while from < window.end {
            pieces += 1;
            if pieces > most {
                return Err(TrialError::Limit { what: "pieces of motion", limit: most });
            }
            let at = Moment::after(from);
            if place == cursors.len() {
                cursors.push(motion.cursor(at));
            }
            let known = cursors[place];
            let cursor = if known.moment() == at { known } else { motion.cursor(at) };
            let of_axes = motion.vertex_pieces_at(vertex, &cursor);
            let until = of_axes.iter().fold(window.end, |until, piece| until.min(piece.end)).max(from.next_up());
            for (axis, piece) in of_axes.iter().enumerate() {
                let (low, high) = piece.range(from, until);
                bounds.min[axis] = bounds.min[axis].min(low);
                bounds.max[axis] = bounds.max[axis].max(high);
            }
            (from, place) = (until, place + 1);
        }
        bounds = bounds.union(&Aabb::of_points([&motion.position_at(vertex, &last)]));
        boxes.push(bounds.inflated(slack));
    }
    Ok(boxes)
}
