//! Refits of one large tree, and queries of two, by several threads.
//!
//! A refit: positions and leaves in runs, then inner nodes subtree by subtree, then those above. A
//! query: the front in runs, then what has come to overlap, then blocks and triangles of the leaves
//! that meet. Boxes, lists and what is named are those of one thread, in the same order.

use super::front::{LeafBlocks, Meet, Reached, Walk};
use super::leaves::Blocks;
use super::{Bounds, Refit};
use crate::bvh::leaf_filter::BoxBlock;
use crate::motion::Motion;
use crate::simd::{self, Kernel, Simd};
use crate::threads;
use crate::time::Moment;

/// Vertices or leaves of a run.
const RUN: usize = 4096;

/// Inner nodes of a subtree that one thread computes, at most.
const SUBTREE: usize = 2048;

/// As [`Motion::rounded_positions`].
pub(super) fn rounded_positions(motion: &Motion, at: Moment, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
    if vertices.len() < 2 * RUN || threads::count() < 2 {
        return motion.rounded_positions(at, vertices, out);
    }
    let mut runs: Vec<_> = vertices.chunks(RUN).zip(out.chunks_mut(RUN)).map(|run| (run, 0.0)).collect();
    threads::for_each(&mut runs, |((vertices, out), margin)| *margin = motion.rounded_positions(at, vertices, out));
    // Of one body at one time it grows with the largest coordinate alone.
    runs.iter().map(|(_, margin)| *margin).fold(0.0, f32::max)
}

impl Refit<'_> {
    /// Computes all boxes.
    pub(super) fn run_shared(self) {
        let inner = self.children.len();
        if inner < 2 * RUN || threads::count() < 2 {
            return simd::run(self);
        }
        let Self { points, margin, corners, leaf_points, leaf_ranges, children, boxes } = self;
        let (inner_boxes, leaf_boxes) = boxes.split_at_mut(inner);
        let runs = leaf_boxes.chunks_mut(RUN).enumerate().map(|(run, boxes)| {
            // Either of these has an entry for each leaf.
            let corners = corners.get(run * RUN..).unwrap_or_default();
            let leaf_ranges = leaf_ranges.get(run * RUN..).unwrap_or_default();
            Some(Refit { points, margin, corners, leaf_points, leaf_ranges, children: &[], boxes })
        });
        let mut runs: Vec<_> = runs.collect();
        threads::for_each(&mut runs, |run| run.take().into_iter().for_each(simd::run));
        let leaf_boxes = &*leaf_boxes;
        let top = refit_subtrees(children, inner_boxes, leaf_boxes).unwrap_or_else(|| (0..inner).collect());
        for &node in top.iter().rev() {
            let [left, right] = children[node].map(|child| match (child as usize).checked_sub(inner) {
                Some(leaf) => leaf_boxes[leaf],
                None => inner_boxes[child as usize],
            });
            inner_boxes[node] = left.union(&right);
        }
    }
}

/// Computes the boxes of inner nodes but for those near the root, which are returned, ascending.
/// `None`, and nothing is known, where nodes do not lie depth-first.
fn refit_subtrees(children: &[[u32; 2]], boxes: &mut [Bounds], leaf_boxes: &[Bounds]) -> Option<Vec<usize>> {
    let inner = children.len();
    let (mut top, mut subtrees, mut rest, mut begin) = (Vec::new(), Vec::new(), boxes, 0);
    let mut open = vec![(0, inner)];
    while let Some((node, end)) = open.pop() {
        if end - node <= SUBTREE {
            let (boxes, behind) = std::mem::take(&mut rest).get_mut(node - begin..)?.split_at_mut(end - node);
            subtrees
                .push((Some(Subtree { children: &children[node..end], begin: node, boxes, leaf_boxes, inner }), true));
            (rest, begin) = (behind, end);
            continue;
        }
        top.push(node);
        let [left, right] = children[node].map(|child| child as usize);
        let behind = if left < inner { left } else { right };
        if behind != node + 1 {
            return None;
        }
        if left < inner && right < inner {
            if !(left < right && right < end) {
                return None;
            }
            open.extend([(right, end), (left, right)]);
        } else {
            open.push((behind, end));
        }
    }
    threads::for_each(&mut subtrees, |(subtree, is_known)| {
        *is_known = subtree.take().is_some_and(simd::run);
    });
    subtrees.iter().all(|(_, is_known)| *is_known).then_some(top)
}

/// Inner nodes that lie one behind the other, with all that is below them.
struct Subtree<'a> {
    children: &'a [[u32; 2]],
    /// The place of the first of them.
    begin: usize,
    boxes: &'a mut [Bounds],
    leaf_boxes: &'a [Bounds],
    /// How many inner nodes the tree has.
    inner: usize,
}

impl Kernel for Subtree<'_> {
    /// Whether all is below.
    type Output = bool;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, _: M) -> bool {
        let Self { children, begin, boxes, leaf_boxes, inner } = self;
        for (node, &pair) in children.iter().enumerate().rev() {
            let (_, behind) = boxes.split_at(node + 1);
            let [left, right] = pair.map(|child| match (child as usize).checked_sub(inner) {
                Some(leaf) => Some(&leaf_boxes[leaf]),
                None => (child as usize).checked_sub(begin + node + 1).and_then(|place| behind.get(place)),
            });
            let (Some(left), Some(right)) = (left, right) else { return false };
            let union = left.union(right);
            boxes[node] = union;
        }
        true
    }
}

/// Pairs of a front, or of leaves that meet, of a run.
const PAIRS: usize = 2048;

impl<const MOVED: bool> Walk<'_, MOVED> {
    /// Starts from the front of the last query; returns false, and does nothing, where that is
    /// small, or if there is but one thread.
    pub(super) fn follow_by_threads(&self, reached: &mut Reached) -> bool {
        if reached.met.len() + reached.parted.len() < 2 * PAIRS || threads::count() < 2 {
            return false;
        }
        let (met, parted) = (self.divide(&reached.met), self.divide(&reached.parted));
        reached.met.clear();
        reached.parted.clear();
        for run in &parted {
            reached.parted.extend(&run.parted);
            reached.tested += run.tested;
        }
        for run in &met {
            reached.met.extend(&run.stack);
            reached.parted.extend(&run.parted);
            reached.tested += run.tested;
        }
        // The last of those that came to overlap is opened first.
        let mut open: Vec<[u32; 2]> = parted.into_iter().flat_map(|run| run.stack).collect();
        open.reverse();
        let mut below: Vec<_> = open.chunks(PAIRS / 16).map(|pairs| (Reached::default(), pairs)).collect();
        threads::for_each(&mut below, |(run, pairs)| simd::run(Descend { walk: *self, run, pairs }));
        for (run, _) in below {
            reached.parted.extend(run.parted);
            reached.met.extend(run.met);
            reached.tested += run.tested;
        }
        true
    }

    /// Which pairs are apart, and which are not (`stack`), run by run.
    fn divide(&self, pairs: &[[u32; 2]]) -> Vec<Reached> {
        let mut runs: Vec<_> = pairs.chunks(PAIRS).map(|pairs| (Reached::default(), pairs)).collect();
        threads::for_each(&mut runs, |(run, pairs)| simd::run(Divide { walk: *self, run, pairs }));
        runs.into_iter().map(|(run, _)| run).collect()
    }
}

struct Divide<'a, const MOVED: bool> {
    walk: Walk<'a, MOVED>,
    run: &'a mut Reached,
    pairs: &'a [[u32; 2]],
}

impl<const MOVED: bool> Kernel for Divide<'_, MOVED> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, _: M) {
        for &pair in self.pairs {
            let is_apart = self.walk.parts(pair, self.run);
            if is_apart { self.run.parted.push(pair) } else { self.run.stack.push(pair) }
        }
    }
}

struct Descend<'a, const MOVED: bool> {
    walk: Walk<'a, MOVED>,
    run: &'a mut Reached,
    pairs: &'a [[u32; 2]],
}

impl<const MOVED: bool> Kernel for Descend<'_, MOVED> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, _: M) {
        for &pair in self.pairs {
            self.run.stack.push(pair);
            self.walk.descend(self.run);
        }
    }
}

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
        if met.len() + touching.len() < 2 * PAIRS || threads::count() < 2 {
            return false;
        }
        let Walk { a, b, is_self, .. } = self.walk;
        let second = usize::from(!is_self);
        let leaves = |side: usize, inner: usize| {
            let met = met.iter().map(move |pair| pair[side] as usize - inner);
            touching.iter().map(move |(leaves, _)| leaves[side]).chain(met)
        };
        blocks[0].make_all::<MOVED>(leaves(0, a.children.len()), a);
        blocks[second].make_all::<MOVED>(leaves(1, b.children.len()), b);
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
    use super::super::{Bounds, Refit, RefitFront, RefitTree};
    use crate::bvh::{BuildParams, Topology};
    use crate::mesh::Mesh;
    use crate::motion::{Flightplan, KeyLayout, Motion};
    use crate::threads;
    use crate::time::Moment;

    /// Triangles in a row and a half of each other's size, with one or eight in a leaf.
    #[test]
    fn any_number_of_threads_computes_the_same_boxes() {
        let count = 40_000_u32;
        let mesh = Mesh::new(3 * count as usize, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
        let key = |time: f32| {
            (0..3 * count).map(move |vertex| {
                let x = (vertex / 3) as f32 * 0.37;
                [x.sin() * 40.0 + time, x.cos() * 30.0 * time, (vertex % 3) as f32 + 0.01 * x]
            })
        };
        let plan = Flightplan::keyframes(vec![0.0, 1.0], key(0.3).chain(key(1.1)).collect());
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::KeyMajor).unwrap();
        let mut start = Vec::new();
        motion.positions(Moment::at(0.0), &mut start);
        for leaf_size in [1, 2] {
            let topology = Topology::build(&mesh, &start, BuildParams { leaf_size, ..BuildParams::default() });
            let [alone, shared] = [1, 3].map(|count| {
                threads::on(count, || {
                    let mut tree = RefitTree::new(topology.clone(), &mesh, &start);
                    tree.follow(&motion, Moment::at(0.7));
                    tree
                })
            });
            assert!(shared.children.len() > 2 * super::RUN && shared.vertices.len() > 2 * super::RUN);
            assert_eq!((alone.margin, &alone.points), (shared.margin, &shared.points), "{leaf_size} in a leaf");
            assert!(alone.boxes == shared.boxes, "{leaf_size} in a leaf");
        }
    }

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
                    threads::on(count, || front.look(&trees[0], second, 0.0, |p, q| named.push((p, q))));
                }
                (named, front.lists(), front.stats())
            });
            let ([parted, met], stats) = (&shared.1, shared.2);
            assert!(parted.len() > 2 * super::PAIRS && met.len() > 2 * super::PAIRS, "{} {}", parted.len(), met.len());
            assert!(stats.rebuilds < 6 && shared.0.len() > 10_000, "{stats:?}, {} named", shared.0.len());
            assert!(alone == shared, "with itself: {is_self}");
        }
    }

    /// Also of trees that are paths, and whose inner nodes do not lie depth-first.
    #[test]
    fn of_any_order_of_nodes_the_same_boxes_are_computed() {
        let inner = 20_000_u32;
        // Every node but the last ones has a leaf.
        let leaf = |number: u32| inner + number;
        let path = |node: u32| if node + 1 < inner { [leaf(node), node + 1] } else { [leaf(node), leaf(inner)] };
        let crossed = |node: u32| match node {
            0 => [1, 2],
            _ if node + 2 < inner => [node + 2, leaf(node)],
            _ => [leaf(node), leaf(if node + 1 < inner { 0 } else { inner })],
        };
        let points: Vec<[f32; 4]> = (0..=inner)
            .map(|at| [0.7, 1.3, 0.1].map(|by| (at as f32 * by).sin()))
            .map(|[x, y, z]| [x, y, z, 0.0])
            .collect();
        let corners: Vec<[u32; 3]> = (0..=inner).map(|at| [at; 3]).collect();
        for (children, is_shared) in
            [((0..inner).map(path).collect::<Vec<_>>(), true), ((0..inner).map(crossed).collect(), false)]
        {
            let compute = |threads: usize| {
                let mut boxes = vec![Bounds::EMPTY; 2 * inner as usize + 1];
                let (leaf_points, leaf_ranges) = (&[][..], &[0][..]);
                let refit = Refit {
                    points: &points,
                    margin: 0.1,
                    corners: &corners,
                    leaf_points,
                    leaf_ranges,
                    children: &children,
                    boxes: &mut boxes,
                };
                crate::threads::on(threads, || refit.run_shared());
                boxes
            };
            let (one, two) = (compute(1), compute(2));
            assert!(one == two);
            let mut inner_boxes = vec![Bounds::EMPTY; inner as usize];
            let top = super::refit_subtrees(&children, &mut inner_boxes, &one[inner as usize..]);
            assert_eq!(top.is_some(), is_shared);
        }
    }
}
