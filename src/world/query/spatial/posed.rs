//! A body at a time other than the clock's: positions, and boxes over the tree it has now.

use crate::bvh::{Topology, Visits, tight_boxes};
use crate::math::Aabb;
use crate::time::Moment;
use crate::world::body::Body;

/// A body at a time.
#[derive(Clone, Debug)]
pub(super) struct Posed<'a> {
    /// Of all vertices, metres.
    pub(super) positions: Vec<[f64; 3]>,
    /// The shape of the body's tree, if it has one; the boxes are those of the positions.
    pub(super) topology: Option<&'a Topology>,
    pub(super) boxes: Vec<Aabb>,
}

impl<'a> Posed<'a> {
    pub(super) fn new(body: &'a Body, at: Moment) -> Self {
        let mut positions = Vec::new();
        body.motion.positions(at, &mut positions);
        let topology = body.topology();
        let boxes = topology.map_or_else(Vec::new, |topology| tight_boxes(topology, &positions));
        Self { positions, topology, boxes }
    }
}

/// Visits every leaf for whose box and the boxes above it `keep` holds.
pub(super) fn visit(
    topology: &Topology,
    boxes: &[Aabb],
    keep: impl Fn(&Aabb) -> bool,
    mut found: impl FnMut(u32),
) -> Visits {
    let mut visits = Visits::default();
    let mut stack = vec![0];
    while let Some(node) = stack.pop() {
        visits.nodes += 1;
        if !keep(&boxes[node as usize]) {
            continue;
        }
        let children = topology.node(node).children();
        if children.is_empty() {
            visits.leaves += 1;
            found(node);
        }
        stack.extend(children.iter().rev());
    }
    visits
}
