//! Fingerprints of the topology and the motion that a clip was baked for.

use crate::bvh::Topology;
use crate::bytes::Fingerprint;

/// Fingerprint of the shape of a tree and the vertices of its leaves.
pub(super) fn of_topology(topology: &Topology) -> u64 {
    let mut hash = Fingerprint::new();
    for (node, shape) in topology.nodes().iter().enumerate() {
        let (children, points) = (shape.children(), topology.leaf_points(node as u32));
        hash.word((children.len() as u64) << 32 | points.len() as u64);
        children.iter().chain(points).for_each(|&number| hash.word(u64::from(number)));
    }
    hash.value()
}
