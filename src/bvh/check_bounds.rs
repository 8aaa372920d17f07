//! Checks of a host's deformation model against its own bounds.

use std::sync::Arc;

use super::{BoundedSampler, BuildParams, KeyedBoxes, Topology, tight_boxes};
use crate::limits;
use crate::math::vector::widened;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion, MotionError, Sampler, check_sampler};
use crate::time::Side;

/// Parts of the way from key to key at which rounded positions are checked.
const PARTS: [f64; 5] = [0.0, 0.24, 0.5, 0.81, 1.0];

/// Checks everything that a deformation model states of itself, at all keys, for all vertices and
/// for all nodes of a tree over a mesh.
///
/// | statement | error |
/// |---|---|
/// | bounds on coordinates and speed, and jumps, of a [`Sampler`] | as [`check_sampler`] |
/// | [`KeyedBoxes::key_box`] holds every vertex below the node | [`MotionError::OutsideBox`] |
/// | [`KeyedBoxes::rounded_positions`] are within half of their margin | [`MotionError::OutsideMargin`] |
///
/// For tests of hosts. A world that is given a model which fails may miss contacts.
/// O(keys × vertices × depth of the tree).
///
/// # Errors
/// The first statement found not to hold; errors of [`Flightplan::sampled`], for example if the
/// mesh has another number of vertices.
///
/// ```
/// # use std::sync::Arc;
/// # use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};
/// # use kinetree::{Mesh, Outside};
/// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
/// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
/// # let mesh = Arc::new(ReducedMesh::new(def)?);
/// # let lifted = Pose { maps: vec![Affine::from_parts([0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: vec![] };
/// # let driver = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0), lifted], vec![[0.0; 3]], Outside::Hold)?;
/// # let body = ReducedBody::new(mesh, Arc::new(driver))?;
/// use kinetree::check_bounded_sampler;
///
/// let sampler = body.sampler(body.pieces(1e-3)?)?;
/// check_bounded_sampler(sampler, body.mesh().mesh())?;
/// # Ok::<(), kinetree::Error>(())
/// ```
pub fn check_bounded_sampler(sampler: Arc<dyn BoundedSampler>, mesh: &Mesh) -> Result<(), MotionError> {
    let motion: Arc<dyn Sampler> = Arc::<dyn BoundedSampler>::clone(&sampler);
    Motion::new(Flightplan::sampled(Arc::clone(&motion)), mesh.vertex_count(), KeyLayout::KeyMajor)?;
    check_sampler(&*motion)?;
    let keys = sampler.times().len();
    let rest = widened(sampler.rest_positions());
    let topology = Topology::build(mesh, &rest, BuildParams { leaf_size: 1, ..BuildParams::default() });
    let Some(boxes) = sampler.boxes_over(topology.clone()) else { return Ok(()) };
    if !boxes.topology().is_same_as(&topology) {
        return Err(MotionError::ForeignTree);
    }
    for key in 0..keys {
        if key > 0 || keys == 1 {
            check_boxes(&*motion, &*boxes, key, Side::At)?;
        }
        if key + 1 < keys || keys == 1 {
            check_boxes(&*motion, &*boxes, key, Side::After)?;
        }
    }
    (1..keys).try_for_each(|key| check_rounded(&*motion, &*boxes, key - 1))
}

/// Checks the boxes of all nodes at a key.
fn check_boxes(sampler: &dyn Sampler, boxes: &dyn KeyedBoxes, key: usize, side: Side) -> Result<(), MotionError> {
    let topology = boxes.topology();
    let positions: Vec<[f64; 3]> =
        (0..sampler.vertex_count() as u32).map(|vertex| sampler.position(key, side, vertex)).collect();
    for (node, truth) in (0..).zip(tight_boxes(topology, &positions)) {
        let known = boxes.key_box(key, side, node);
        for axis in 0..3 {
            let (low, high) = (known.min[axis], known.max[axis]);
            // A side that is not a number says nothing, and is never used.
            let value = match (truth.min[axis] < low, truth.max[axis] > high) {
                (true, _) => truth.min[axis],
                (_, true) => truth.max[axis],
                _ => continue,
            };
            let vertex = below(topology, node, |vertex| positions[vertex as usize][axis] == value);
            return Err(MotionError::OutsideBox { key, side, node, vertex, axis, value, low, high });
        }
    }
    Ok(())
}

/// The first vertex below a node of which something holds.
fn below(topology: &Topology, node: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if let Some(&vertex) = topology.leaf_points(node).iter().find(|&&vertex| holds(vertex)) {
            return vertex;
        }
        stack.extend(topology.node(node).children().iter().rev());
    }
    u32::MAX
}

/// Checks rounded positions in the piece that begins at a key.
fn check_rounded(sampler: &dyn Sampler, boxes: &dyn KeyedBoxes, key: usize) -> Result<(), MotionError> {
    let vertices: Vec<u32> = (0..sampler.vertex_count() as u32).collect();
    let mut places = vec![[0.0; 4]; vertices.len()];
    for part in PARTS {
        let keys = [(key, Side::After), (key + 1, Side::At)];
        let Some(margin) = boxes.rounded_positions(keys, part, &vertices, &mut places) else { return Ok(()) };
        for (&vertex, place) in vertices.iter().zip(&places) {
            let [from, to] = keys.map(|(key, side)| sampler.position(key, side, vertex));
            for axis in 0..3 {
                let (from, to) = (from[axis], to[axis]);
                let value = (f64::from(place[axis]) - (from + (to - from) * part)).abs();
                // The check rounds as well.
                let half = 0.5 * f64::from(margin) + limits::ROUNDING * from.abs().max(to.abs());
                if !(value <= half) {
                    return Err(MotionError::OutsideMargin { key, part, vertex, axis, value, half });
                }
            }
        }
    }
    Ok(())
}
