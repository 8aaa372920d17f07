//! Fingerprints: what a clip was baked for, and whether its bytes are whole.

use crate::kds::Topology;
use crate::motion::Motion;
use crate::time::Moment;

/// A hash of 64-bit words, order included. Two inputs of equal length that differ in one word always differ in their hash.
#[derive(Clone, Copy)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) fn new() -> Self {
        Self(0x6b69_6e65_7472_6565)
    }

    pub(super) fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        self.0 = mixed ^ (mixed >> 29);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    pub(super) fn value(self) -> u64 {
        self.0
    }
}

/// Of the shape of a tree and the vertices of its leaves.
pub(super) fn of_topology(topology: &Topology) -> u64 {
    let mut hash = Fingerprint::new();
    for (node, shape) in topology.nodes().iter().enumerate() {
        let (children, points) = (shape.children(), topology.leaf_points(node as u32));
        hash.word((children.len() as u64) << 32 | points.len() as u64);
        children.iter().chain(points).for_each(|&number| hash.word(u64::from(number)));
    }
    hash.value()
}

/// Of where all vertices are at the ends of the linear stretches from `begin` to `end`. O(keys × vertices).
pub(super) fn of_motion(motion: &Motion, begin: f64, end: f64) -> u64 {
    let mut hash = Fingerprint::new();
    let mut positions = Vec::new();
    let mut at = Moment::after(begin);
    let mut note = |moment: Moment, hash: &mut Fingerprint| {
        positions.clear();
        motion.positions(moment, &mut positions);
        hash.word(moment.time().to_bits());
        positions.as_flattened().iter().for_each(|x| hash.word((x + 0.0).to_bits()));
    };
    note(Moment::at(begin), &mut hash);
    while at.time() < end {
        let next = motion.stretch(at).map_or(end, |stretch| stretch.end.min(end));
        note(Moment::at(next), &mut hash);
        at = Moment::after(next);
    }
    hash.value()
}
