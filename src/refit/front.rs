//! Pairs of two refitted trees, or of one, step after step: the front of the last traversal is
//! where the next one begins.
//!
//! The *front* is the pairs of nodes at which the last traversal ended: apart, or leaves that
//! overlap. Bodies that move a little between two steps change it a little. So a step tests the
//! pairs of the front, and descends only where nodes that were apart overlap. Below pairs of leaves
//! the boxes of triangles are compared eight at a time
//! ([`BoxBlock`](crate::bvh::leaf_filter::BoxBlock)). Pairs that are left are rejected in batches,
//! in `f32` with a stated margin, along the directions of faces ([`PairBatch`]). A pair that is
//! named has to be tested exactly; a pair that is not named is proved apart.
//!
//! Maintains: every pair of leaves is below exactly one pair of the front, whatever the boxes are,
//! but for leaves of one tree that share a corner ([`SharedVertices`]), which are tested at
//! every step. So nothing is lost however far bodies jump between steps, only time.
//!
//! **When the front is rebuilt.** It only grows downward. Tests beyond the front as it was built
//! are an excess. Once the excesses since then have reached the tests of building, the front is
//! rebuilt. So steps cost at most about twice a traversal from the root, whatever the motion, and
//! this depends on counts only.
//!
//! Descent and comparison of leaves (`meet`) are written out, in the innermost loops of the default
//! engine. Through `bvh/traverse.rs`, `bvh/leaf_filter.rs::near_pairs` and `TriangleFilter` a step
//! took 3-4 % longer for a cloth of 16,000 triangles on a table and 10-13 % longer for a cloth with
//! itself (`cargo bench --bench choice -- A16k self 1 10`).
//!
//! The front of `interval/pairs` is another one: its pairs stay in the order of the traversal,
//! because its list of leaves must not depend on history, it stops at a budget, and it is rebuilt
//! every few intervals.
//!
//! Cost: about 5 ns per pair of the front, see docs/BENCHMARKS.md; 8 bytes per pair.
//!
//! Follows the front tracking of Klosowski et al. (1998), "Efficient collision detection using
//! bounding volume hierarchies of k-DOPs", and Ehmann and Lin (2001).

use super::leaves::Blocks;
use super::meet::{Lazy, Meet};
use super::{Bounds, RefitTree};
use crate::bvh::leaf_filter::WIDTH;
use crate::bvh::{LeafRelation, SharedVertices};
use crate::mesh::{Mesh, Seams};
use crate::narrow::batch::PairBatch;
use crate::simd::{self, Kernel, Simd};

/// The cost of queries; counters only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct FrontStats {
    /// Queries.
    pub looks: u64,
    /// Of those, with a front from the root.
    pub rebuilds: u64,
    /// Pairs of nodes tested.
    pub tested: u64,
}

/// The pairs of two refitted trees, or of one with itself.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct RefitFront {
    /// Of one tree.
    shared: Option<SharedLeaves>,
    is_self: bool,
    /// How many inner nodes and leaves both trees have.
    shapes: [[usize; 2]; 2],
    /// Pairs of places that were apart, and pairs of leaves that met, at the last query.
    parted: Vec<[u32; 2]>,
    met: Vec<[u32; 2]>,
    is_known: bool,
    /// What the front was and took when it was built, and the cost of queries beyond it since, in
    /// tests.
    built: u64,
    building: u64,
    excess: u64,
    blocks: [Blocks; 2],
    stack: Vec<[u32; 2]>,
    /// The pairs of a batch; kept between queries.
    waiting: Vec<(u32, u32)>,
    stats: FrontStats,
}

impl RefitFront {
    /// Of two trees; `None` if one has more than eight triangles in a leaf. O(1).
    pub fn between(a: &RefitTree, b: &RefitTree) -> Option<Self> {
        (is_narrow(a) && is_narrow(b)).then(|| Self::of([shape(a), shape(b)], None))
    }

    /// Becomes the front of two other trees, in the memory that is there; `None` if one has more
    /// than eight triangles in a leaf. O(1).
    pub(crate) fn restarted(self, a: &RefitTree, b: &RefitTree) -> Option<Self> {
        let Self { mut parted, mut met, blocks, mut stack, mut waiting, .. } = self;
        [&mut parted, &mut met, &mut stack].into_iter().for_each(Vec::clear);
        waiting.clear();
        let fresh = Self::between(a, b)?;
        Some(Self { parted, met, blocks, stack, waiting, ..fresh })
    }

    /// Of one tree with itself, over a mesh of which triangles that share a corner are of no
    /// interest; `None` if it has more than eight triangles in a leaf. O(triangles).
    ///
    /// # Panics
    /// If the tree is of another mesh, whose triangles are indexed like a slice.
    pub fn within(tree: &RefitTree, mesh: &Mesh, seams: &Seams) -> Option<Self> {
        is_narrow(tree).then(|| Self::of([shape(tree); 2], Some(SharedLeaves::new(tree, mesh, seams))))
    }

    fn of(shapes: [[usize; 2]; 2], shared: Option<SharedLeaves>) -> Self {
        Self {
            is_self: shared.is_some(),
            shared,
            shapes,
            parted: Vec::new(),
            met: Vec::new(),
            is_known: false,
            built: 0,
            building: 0,
            excess: 0,
            blocks: Default::default(),
            stack: Vec::new(),
            waiting: Vec::new(),
            stats: FrontStats::default(),
        }
    }

    /// Names every pair of triangles that may come within `distance` (metres) where the trees are
    /// refitted, and is of interest; the others are proved to be apart. Of one tree each pair is
    /// named once, in either order, and `b` is `a`. The order depends on earlier queries; the set
    /// of named pairs does not.
    ///
    /// # Panics
    /// If a tree has another shape than the one it was made for: the front indexes its nodes like a
    /// slice.
    pub fn look(&mut self, a: &RefitTree, b: &RefitTree, distance: f64, found: impl FnMut(u32, u32)) {
        assert_eq!(self.shapes, [shape(a), shape(b)], "trees of other shapes");
        if a.has_moved() || b.has_moved() {
            simd::run(self.begin::<true, _>(a, b, distance, found));
        } else {
            simd::run(self.begin::<false, _>(a, b, distance, found));
        }
    }

    pub(super) fn begin<'a, const MOVED: bool, F>(
        &'a mut self,
        a: &'a RefitTree,
        b: &'a RefitTree,
        distance: f64,
        found: F,
    ) -> Traversal<'a, MOVED, F> {
        let threshold = a.widening(distance);
        let blur = f64::from(if a.margin > b.margin { a.margin } else { b.margin });
        let batch = PairBatch::new(distance, blur);
        self.blocks[0].begin(a);
        if !self.is_self {
            self.blocks[1].begin(b);
        }
        let waiting = std::mem::take(&mut self.waiting);
        Traversal { front: self, a, b, threshold, batch, waiting, found }
    }

    /// The leaves of one of the trees, 0 or 1, that met a leaf of the other at the last query,
    /// counted in the order of the tree; some more than once. Of one tree those are left out that
    /// share a corner.
    pub(crate) fn met(&self, side: usize) -> impl Iterator<Item = usize> {
        self.met.iter().map(move |pair| pair[side] as usize - self.shapes[side][0])
    }

    /// Pairs of places that were apart, and pairs of leaves that met.
    #[cfg(test)]
    pub(super) fn lists(&self) -> [Vec<[u32; 2]>; 2] {
        [self.parted.clone(), self.met.clone()]
    }

    /// The cost of queries.
    pub fn stats(&self) -> FrontStats {
        self.stats
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.parted.capacity() + self.met.capacity() + self.stack.capacity()) * size_of::<[u32; 2]>()
            + self.shared.as_ref().map_or(0, SharedLeaves::bytes)
            + self.blocks.iter().map(Blocks::bytes).sum::<usize>()
            + size_of::<Self>()
    }
}

/// Leaves of one tree that share a corner. Leaves are counted in the order of the tree.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct SharedLeaves {
    relations: SharedVertices,
    /// Per leaf, its node.
    nodes: Vec<u32>,
    /// Pairs of leaves with triangles that share no corner, and which, as
    /// [`SharedVertices::disjoint_triangles`].
    touching: Vec<([usize; 2], u64)>,
}

impl SharedLeaves {
    fn new(tree: &RefitTree, mesh: &Mesh, seams: &Seams) -> Self {
        let topology = &tree.topology;
        let relations = SharedVertices::new(topology, mesh, seams, true);
        let nodes = (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf()).collect();
        let leaf = |node: u32| tree.places[node as usize] as usize - tree.children.len();
        let touching = relations.disjoint_triangles(topology, mesh.triangles(), seams);
        let touching = touching.map(|(nodes, disjoint)| (nodes.map(leaf), disjoint)).collect();
        Self { relations, nodes, touching }
    }

    /// Whether two leaves share a corner.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn holds(&self, leaves: [usize; 2]) -> bool {
        let [a, b] = leaves.map(|leaf| self.nodes[leaf]);
        self.relations.relation(a, b) != LeafRelation::Disjoint
    }

    fn bytes(&self) -> usize {
        self.relations.bytes()
            + self.nodes.capacity() * size_of::<u32>()
            + self.touching.capacity() * size_of::<([usize; 2], u64)>()
    }
}

fn shape(tree: &RefitTree) -> [usize; 2] {
    [tree.children.len(), tree.starts.len() - 1]
}

fn is_narrow(tree: &RefitTree) -> bool {
    tree.starts.windows(2).all(|range| (range[1] - range[0]) as usize <= WIDTH)
}

/// Whether two boxes are apart by more than a threshold along an axis.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn are_apart(a: &Bounds, b: &Bounds, threshold: f32) -> bool {
    let mut apart = false;
    for lane in 0..4 {
        apart |= a.0[lane] + b.0[lane + 4] > threshold;
        apart |= a.0[lane + 4] + b.0[lane] > threshold;
    }
    apart
}

/// A query of two trees; `MOVED` if one of them may have moved since its refit.
pub(super) struct Traversal<'a, const MOVED: bool, F> {
    front: &'a mut RefitFront,
    a: &'a RefitTree,
    b: &'a RefitTree,
    threshold: f32,
    batch: PairBatch<1>,
    /// The pairs of the batch.
    waiting: Vec<(u32, u32)>,
    found: F,
}

impl<const MOVED: bool, F: FnMut(u32, u32)> Kernel for Traversal<'_, MOVED, F> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { front, a, b, threshold, batch, waiting, mut found } = self;
        let RefitFront { parted, met, stack, .. } = front;
        let mut reached = Reached {
            parted: std::mem::take(parted),
            met: std::mem::take(met),
            stack: std::mem::take(stack),
            tested: 0,
        };
        let walk = Walk::<MOVED> { a, b, threshold, is_self: front.is_self, shared: front.shared.as_ref() };
        let is_built = !front.is_known || front.excess >= front.building;
        if is_built {
            reached.parted.clear();
            reached.met.clear();
            walk.reach([0, 0], &mut reached);
            walk.descend(&mut reached);
        } else {
            walk.follow(&mut reached);
        }
        let Reached { parted, met, stack, tested } = reached;
        let reached = (parted.len() + met.len()) as u64;
        (front.parted, front.met, front.stack) = (parted, met, stack);
        front.stats.looks += 1;
        front.stats.tested += tested;
        if is_built {
            (front.building, front.built) = (tested, reached);
            (front.is_known, front.excess) = (true, 0);
            front.stats.rebuilds += 1;
        } else {
            front.excess += tested.saturating_sub(front.built);
        }
        let touching = front.shared.as_ref().map_or(&[][..], |shared| &shared.touching);
        let mut meet = Meet { walk, batch, waiting };
        if !meet.all_by_threads(&mut front.blocks, touching, &front.met, &mut found) {
            let mut blocks = Lazy { blocks: &mut front.blocks, walk };
            meet.all(machine, &mut blocks, touching, &front.met, &mut found);
        }
        front.waiting = meet.waiting;
    }
}

/// Where a traversal has come to: pairs that are apart, and pairs of leaves that meet.
#[derive(Default)]
struct Reached {
    parted: Vec<[u32; 2]>,
    met: Vec<[u32; 2]>,
    /// Pairs of nodes that overlap, to be opened.
    stack: Vec<[u32; 2]>,
    /// Pairs of nodes that were tested.
    tested: u64,
}

/// Two trees as they are traversed.
#[derive(Clone, Copy)]
pub(super) struct Walk<'a, const MOVED: bool> {
    pub(super) a: &'a RefitTree,
    pub(super) b: &'a RefitTree,
    pub(super) threshold: f32,
    pub(super) is_self: bool,
    shared: Option<&'a SharedLeaves>,
}

impl<const MOVED: bool> Walk<'_, MOVED> {
    /// Starts from the front of the last query.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn follow(&self, reached: &mut Reached) {
        // Those that part now are tested once: they go behind those that were apart before.
        let (count, mut kept) = (reached.parted.len(), 0);
        for place in 0..reached.met.len() {
            let pair = reached.met[place];
            if self.parts(pair, reached) {
                reached.parted.push(pair);
            } else {
                reached.met[kept] = pair;
                kept += 1;
            }
        }
        reached.met.truncate(kept);
        let mut kept = 0;
        for place in 0..count {
            let pair = reached.parted[place];
            if self.parts(pair, reached) {
                reached.parted[kept] = pair;
                kept += 1;
            } else {
                reached.stack.push(pair);
            }
        }
        reached.parted.copy_within(count.., kept);
        reached.parted.truncate(reached.parted.len() - (count - kept));
        self.descend(reached);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn parts(&self, [x, y]: [u32; 2], reached: &mut Reached) -> bool {
        reached.tested += 1;
        are_apart(&self.a.box_at::<MOVED>(x), &self.b.box_at::<MOVED>(y), self.threshold)
    }

    /// A pair the traversal comes to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reach(&self, pair: [u32; 2], reached: &mut Reached) {
        let is_same = self.is_self && pair[0] == pair[1];
        if !is_same && self.parts(pair, reached) {
            reached.parted.push(pair);
        } else {
            reached.stack.push(pair);
        }
    }

    /// From the pairs on the stack, which overlap, down to where nodes are apart or leaves.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descend(&self, reached: &mut Reached) {
        let (a, b) = (self.a, self.b);
        let (inner_a, inner_b) = (a.children.len() as u32, b.children.len() as u32);
        while let Some([x, y]) = reached.stack.pop() {
            if self.is_self && x == y {
                // A leaf shares its corners with itself.
                if x < inner_a {
                    let [left, right] = a.children[x as usize];
                    reached.stack.extend([[right, right], [left, left]]);
                    self.reach([left, right], reached);
                }
            } else if x < inner_a && (y >= inner_b || a.box_at::<MOVED>(x).size() >= b.box_at::<MOVED>(y).size()) {
                let [left, right] = a.children[x as usize];
                self.reach([right, y], reached);
                self.reach([left, y], reached);
            } else if y < inner_b {
                let [left, right] = b.children[y as usize];
                self.reach([x, right], reached);
                self.reach([x, left], reached);
            } else {
                let leaves = [(x - inner_a) as usize, (y - inner_b) as usize];
                if self.shared.is_none_or(|shared| !shared.holds(leaves)) {
                    reached.met.push([x, y]);
                }
            }
        }
    }
}
