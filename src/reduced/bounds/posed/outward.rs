//! Boxes of linear blending moved outward by the distances of spherical blending from it, in a
//! pose: of each node, the largest of its joint sets ([`crate::reduced::set_pose`]).

use super::Node;
use crate::reduced::ReducedMesh;
use crate::reduced::bounds::BoundTree;
use crate::reduced::bounds::turning::{Gathered, gather};
use crate::reduced::pair_lanes::{Ball, Batch};
use crate::reduced::set_pose::{Few, PoseSets};
use crate::reduced::spherical::ball_around;
use crate::simd::{F32x8, Kernel, LANES, Simd};

#[cfg(test)]
mod tests;

/// The joint sets of some nodes of a tree, in an order of their own (*places*).
#[derive(Clone, Debug)]
pub(super) struct NodeSets {
    /// Per place, the begin of its joint sets; one more entry at the end.
    starts: Vec<u32>,
    each: Vec<NodeSet>,
    /// The largest product of the weights of each pair of joints of each, and the pair.
    products: Vec<(f32, u32)>,
}

/// A joint set of a node. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct NodeSet {
    /// Around its vertices at rest.
    ball: Ball,
    set: u32,
    /// Its products among those of all.
    begin: u32,
    end: u32,
    /// The largest sum of products of weights, as a part of the largest one of the set.
    part: f32,
}

impl NodeSets {
    /// Of these nodes; `None` for linear blending.
    pub(super) fn new(tree: &BoundTree, mesh: &ReducedMesh, nodes: &[u32]) -> Option<Self> {
        let (gathered, joints) = (gather(tree, mesh)?, mesh.joint_sets()?);
        let mut sets = Self { starts: vec![0], each: Vec::new(), products: Vec::new() };
        for &node in nodes {
            for (&set, Gathered { product, rest, products }) in &gathered[node as usize] {
                let whole = joints.products[set as usize];
                let part = if *product < whole { ((product / whole) as f32).next_up().min(1.0) } else { 1.0 };
                let begin = sets.products.len() as u32;
                sets.products.extend(products.iter().copied().zip(joints.pairs_of(set).iter().copied()));
                let (middle, radius) = ball_around(rest);
                let (ball, end) = (Ball::new(middle, radius), sets.products.len() as u32);
                sets.each.push(NodeSet { ball, set, begin, end, part });
            }
            sets.starts.push(sets.each.len() as u32);
        }
        Some(sets)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
            + self.products.capacity() * size_of::<(f32, u32)>()
            + self.each.capacity() * size_of::<NodeSet>()
    }

    /// The joint sets of a place.
    #[inline(always)]
    fn of(&self, place: u32) -> &[NodeSet] {
        &self.each[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }

    /// The sets of some places, with repetitions.
    pub(super) fn sets_of(&self, places: &[u32]) -> impl Iterator<Item = u32> {
        places.iter().flat_map(move |&place| self.of(place)).map(|own| own.set)
    }

    /// Adds the joint sets of the next place to `largest`. O(pairs of joints of the sets of the
    /// node).
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add<M: Simd>(&self, machine: M, sets: &PoseSets, place: u32, largest: &mut Largest<'_>) {
        for NodeSet { ball, set, begin, end, part } in self.of(place) {
            let products = &self.products[*begin as usize..*end as usize];
            let few = Few { set: *set, part: *part, products, ball };
            match sets.add(machine, &few, &mut largest.batch) {
                Some(distance) => largest.take(largest.at, (distance as f32).next_up()),
                None => largest.note(machine, sets),
            }
        }
        largest.at += 1;
    }
}

/// The largest distances of vertices of places from linear blending, metres, one after the other.
struct Largest<'a> {
    most: &'a mut [f32],
    /// The number of the place that is added to.
    at: u32,
    /// Joint sets whose distances are still to be computed, and the numbers of their places.
    batch: Batch,
    of: [u32; LANES],
}

impl<'a> Largest<'a> {
    /// Room for as many places as there are distances, which are zero.
    fn new(most: &'a mut [f32]) -> Self {
        Self { most, at: 0, batch: Batch::EMPTY, of: [0; LANES] }
    }

    #[inline(always)]
    fn take(&mut self, at: u32, distance: f32) {
        let most = &mut self.most[at as usize];
        *most = if distance > *most { distance } else { *most };
    }

    /// Notes the place of what was added to the batch, and computes a batch that is full.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note<M: Simd>(&mut self, machine: M, sets: &PoseSets) {
        self.of[(self.batch.count() - 1) % LANES] = self.at;
        if self.batch.count() == LANES {
            self.finish(machine, sets);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish<M: Simd>(&mut self, machine: M, sets: &PoseSets) {
        let count = self.batch.count();
        let distances = self.batch.distances(machine, sets.unsure());
        for (lane, distance) in distances.into_iter().enumerate().take(count) {
            self.take(self.of[lane], distance);
        }
    }
}

/// The kernel that moves boxes of linear blending outward.
pub(super) struct Outward<'a> {
    pub(super) own: &'a NodeSets,
    pub(super) sets: &'a PoseSets,
    /// The places, and room for a distance of each.
    pub(super) places: &'a [u32],
    pub(super) most: &'a mut Vec<f32>,
    /// Of all places.
    pub(super) nodes: &'a mut [Node],
}

impl Kernel for Outward<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { own, sets, places, most, nodes } = self;
        most.clear();
        most.resize(places.len(), 0.0);
        let mut largest = Largest::new(most);
        for &place in places {
            own.add(machine, sets, place, &mut largest);
        }
        if largest.batch.count() > 0 {
            largest.finish(machine, sets);
        }
        // Four times a rounding, and what underflow loses.
        let (part, tiny) = (machine.splat(2.0 * f32::EPSILON), machine.splat(f32::MIN_POSITIVE));
        for (&place, &off) in places.iter().zip(most.iter()) {
            let bounds = &mut nodes[place as usize].bounds;
            let sides = machine.load(&bounds.0) - machine.splat(off);
            bounds.0 = (sides - sides.size() * part - tiny).lanes();
        }
    }
}
