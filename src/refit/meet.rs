//! Triangles of leaves that meet.
//!
//! Many leaves are shared by threads: their blocks first, then pairs of leaves in runs. What is
//! named, and in which order, is that of one thread. The front itself and refits are not shared: of
//! bodies of 100,000 triangles they take some tenths of a millisecond, in several passes, and
//! waking threads for each of these took as long as it saved.

use super::RefitTree;
use super::front::Walk;
use super::leaves::{Blocks, sides_of};
use crate::bvh::leaf_filter::{BoxBlock, WIDTH};
use crate::narrow::batch::{Directions, PairBatch};
use crate::simd::{self, Kernel, Simd};
use crate::threads;

/// What gives the blocks of two leaves.
pub(super) trait LeafBlocks {
    fn of(&mut self, leaves: [usize; 2]) -> [&BoxBlock<1>; 2];
}

/// Blocks that are made when a leaf is first come to.
pub(super) struct Lazy<'a, const MOVED: bool> {
    pub(super) blocks: &'a mut [Blocks; 2],
    pub(super) walk: Walk<'a, MOVED>,
}

impl<const MOVED: bool> LeafBlocks for Lazy<'_, MOVED> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(&mut self, [leaf_a, leaf_b]: [usize; 2]) -> [&BoxBlock<1>; 2] {
        let Self { blocks, walk } = self;
        let second = usize::from(!walk.is_self);
        let made_a = blocks[0].make::<MOVED>(leaf_a, walk.a);
        let made_b = blocks[second].make::<MOVED>(leaf_b, walk.b);
        [blocks[0].of(made_a), blocks[second].of(made_b)]
    }
}

/// Compares the triangles of leaves.
pub(super) struct Meet<'a, const MOVED: bool> {
    pub(super) walk: Walk<'a, MOVED>,
    pub(super) batch: PairBatch<1>,
    /// The pairs of the batch.
    pub(super) waiting: Vec<(u32, u32)>,
}

impl<const MOVED: bool> Meet<'_, MOVED> {
    /// Names pairs of triangles of leaves that share a corner, and of leaves that meet, which are
    /// given by their places.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn all<M: Simd>(
        &mut self,
        machine: M,
        blocks: &mut impl LeafBlocks,
        touching: &[([usize; 2], u64)],
        met: &[[u32; 2]],
        found: &mut impl FnMut(u32, u32),
    ) {
        for &(leaves, disjoint) in touching {
            self.leaves(machine, blocks, leaves, disjoint, found);
        }
        let inner = [self.walk.a.children.len(), self.walk.b.children.len()];
        for &[x, y] in met {
            self.leaves(machine, blocks, [x as usize - inner[0], y as usize - inner[1]], !0, found);
        }
        self.name(found);
    }

    /// The triangles of two leaves, of which some pairs are of interest.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leaves<M: Simd>(
        &mut self,
        machine: M,
        blocks: &mut impl LeafBlocks,
        leaves: [usize; 2],
        wanted: u64,
        found: &mut impl FnMut(u32, u32),
    ) {
        let Walk { a, b, threshold, .. } = self.walk;
        let [leaf_a, leaf_b] = leaves;
        let [block_a, block_b] = blocks.of(leaves);
        let bounds = sides_of(&b.box_at::<MOVED>((b.children.len() + leaf_b) as u32));
        let mut rows = block_a.near(machine, &bounds, threshold);
        while rows != 0 {
            let row = rows.trailing_zeros() as usize;
            rows &= rows - 1;
            let asked = (wanted >> (WIDTH * row)) as u32 & ((1 << WIDTH) - 1);
            if asked == 0 {
                continue;
            }
            let mut lanes = block_b.near(machine, &block_a.sides(row), threshold) & asked;
            while lanes != 0 {
                let lane = lanes.trailing_zeros();
                lanes &= lanes - 1;
                let (p, q) = (a.starts[leaf_a] + row as u32, b.starts[leaf_b] + lane);
                self.batch.push(&[corners_of::<MOVED>(a, p)], &[corners_of::<MOVED>(b, q)]);
                self.waiting.push((p, q));
                if self.batch.is_full() {
                    self.name(found);
                }
            }
        }
    }

    /// Names the pairs of the batch that no direction of a face separates, and empties it.
    fn name(&mut self, found: &mut impl FnMut(u32, u32)) {
        let Self { walk: Walk { a, b, .. }, batch, waiting } = self;
        let apart = batch.apart(Directions::Faces);
        let (order_a, order_b) = (a.topology.order(), b.topology.order());
        for (place, &(p, q)) in waiting.iter().enumerate() {
            if apart >> place & 1 == 0 {
                found(order_a[p as usize], order_b[q as usize]);
            }
        }
        waiting.clear();
        batch.clear();
    }
}

/// The corners of a triangle, by its place in the order of leaves.
#[cfg_attr(not(debug_assertions), inline(always))]
fn corners_of<const MOVED: bool>(tree: &RefitTree, triangle: u32) -> [[f32; 3]; 3] {
    let mut corners = [[0.0; 3]; 3];
    for (corner, &place) in corners.iter_mut().zip(&tree.corners[triangle as usize]) {
        let [x, y, z, _] = tree.point::<MOVED>(place);
        *corner = [x, y, z];
    }
    corners
}

/// Pairs of leaves of a run.
const PAIRS: usize = 2048;

/// Blocks that are made.
struct Made<'a> {
    blocks: &'a [Blocks; 2],
    second: usize,
}

impl LeafBlocks for Made<'_> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(&mut self, [leaf_a, leaf_b]: [usize; 2]) -> [&BoxBlock<1>; 2] {
        [self.blocks[0].known(leaf_a), self.blocks[self.second].known(leaf_b)]
    }
}

impl<const MOVED: bool> Meet<'_, MOVED> {
    /// As [`Meet::all`]; returns false, and does nothing, for few leaves, or if there is but one
    /// thread.
    pub(super) fn all_by_threads(
        &self,
        blocks: &mut [Blocks; 2],
        touching: &[([usize; 2], u64)],
        met: &[[u32; 2]],
        found: &mut impl FnMut(u32, u32),
    ) -> bool {
        if met.len() + touching.len() < 4 * PAIRS || threads::count() < 2 {
            return false;
        }
        let Walk { a, b, is_self, .. } = self.walk;
        let second = usize::from(!is_self);
        let inner = [a.children.len(), b.children.len()];
        let met_leaves = met.iter().map(|pair| [pair[0] as usize - inner[0], pair[1] as usize - inner[1]]);
        let leaves = touching.iter().map(|(leaves, _)| *leaves).chain(met_leaves);
        // In the order in which one thread comes to them.
        if is_self {
            blocks[0].make_all::<MOVED>(leaves.flatten(), a);
        } else {
            blocks[0].make_all::<MOVED>(leaves.clone().map(|leaves| leaves[0]), a);
            blocks[1].make_all::<MOVED>(leaves.map(|leaves| leaves[1]), b);
        }
        let blocks = &*blocks;
        let touching = touching.chunks(PAIRS).map(|touching| (touching, &[][..]));
        let met = met.chunks(PAIRS).map(|met| (&[][..], met));
        let mut runs: Vec<_> = touching.chain(met).map(|pairs| (pairs, Vec::new())).collect();
        threads::for_each(&mut runs, |((touching, met), named)| {
            let meet = Meet { walk: self.walk, batch: self.batch.clone(), waiting: Vec::new() };
            simd::run(Name { meet, blocks: Made { blocks, second }, touching, met, named });
        });
        runs.iter().flat_map(|(_, named)| named).for_each(|&(p, q)| found(p, q));
        true
    }
}

/// Names pairs of triangles of some leaves.
struct Name<'a, const MOVED: bool> {
    meet: Meet<'a, MOVED>,
    blocks: Made<'a>,
    touching: &'a [([usize; 2], u64)],
    met: &'a [[u32; 2]],
    named: &'a mut Vec<(u32, u32)>,
}

impl<const MOVED: bool> Kernel for Name<'_, MOVED> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { mut meet, mut blocks, touching, met, named } = self;
        meet.all(machine, &mut blocks, touching, met, &mut |p, q| named.push((p, q)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RefitFront, RefitTree};
    use crate::bvh::{BuildParams, Topology};
    use crate::mesh::Mesh;
    use crate::threads;

    /// Cloth that waves, with another one and with itself, over steps: what is named, the front and
    /// the counters.
    #[test]
    fn any_number_of_threads_names_the_same_pairs_in_the_same_order() {
        const SIDE: usize = 180;
        let mut triangles = Vec::new();
        for cell in 0..SIDE * SIDE {
            let corner = (cell / SIDE * (SIDE + 1) + cell % SIDE) as u32;
            let below = corner + SIDE as u32 + 1;
            triangles.extend([[corner, below, corner + 1], [below + 1, corner + 1, below]]);
        }
        let mesh = Mesh::new((SIDE + 1) * (SIDE + 1), triangles).unwrap();
        // Half of the sheet lies above the other.
        let places = |phase: f64, time: f64| -> Vec<[f64; 3]> {
            let place = |vertex: usize| {
                let (x, y) = ((vertex % (SIDE + 1)) as f64, (vertex / (SIDE + 1)) as f64);
                let half = 0.5 * SIDE as f64;
                let folded = if x > half { 2.0 * half - x + 0.3 } else { x };
                [folded, 0.8 * (0.8 * x + phase + time).sin() * (0.7 * y - 2.0 * time).cos(), y]
            };
            (0..mesh.vertex_count()).map(place).collect()
        };
        let seams = crate::mesh::Seams::none(mesh.vertex_count());
        let build = BuildParams { leaf_size: 4, ..BuildParams::default() };
        let topology = [0.0, 1.7].map(|phase| Topology::build(&mesh, &places(phase, 0.0), build));
        for is_self in [false, true] {
            let [alone, shared] = [1, 3].map(|count| {
                let mut trees = [0, 1].map(|side| RefitTree::new(topology[side].clone(), &mesh, &places(0.0, 0.0)));
                let mut front = if is_self {
                    RefitFront::within(&trees[0], &mesh, &seams).unwrap()
                } else {
                    RefitFront::between(&trees[0], &trees[1]).unwrap()
                };
                let mut named = Vec::new();
                for step in 0..12 {
                    let time = 0.11 * f64::from(step);
                    trees[0].refit(&places(0.0, time));
                    trees[1].refit(&places(1.7, 0.5 * time));
                    let second = &trees[usize::from(!is_self)];
                    threads::exactly(count, || front.look(&trees[0], second, 0.0, |p, q| named.push((p, q))));
                }
                #[cfg(feature = "record")]
                let saved = crate::saved::saving(std::iter::empty(), || postcard::to_allocvec(&front)).unwrap();
                #[cfg(not(feature = "record"))]
                let saved = Vec::<u8>::new();
                (named, front.lists(), front.stats(), saved)
            });
            let ([parted, met], stats) = (&shared.1, shared.2);
            assert!(met.len() > 4 * super::PAIRS, "{} {}", parted.len(), met.len());
            assert!(stats.rebuilds < 6 && shared.0.len() > 10_000, "{stats:?}, {} named", shared.0.len());
            assert!(alone == shared, "with itself: {is_self}");
        }
    }
}
