//! Builders: which primitives go together.
//!
//! Median split (longest axis of the centroids' box, halves of equal size) and binned surface-area split (the plane among
//! [`limits::BINS`] bins per axis with the least estimated cost). Both are top-down, O(n log n), and decide ties by
//! primitive number. The kinetic structures need a height of O(log n): a surface-area split that leaves less than an
//! eighth on one side is kept only while the depth allows it.

use crate::limits;
use crate::math::Aabb;

const NONE: u32 = u32::MAX;

/// How a tree is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Builder {
    /// Halves along the longest axis: full leaves, so fewer nodes and events (docs/BENCHMARKS.md).
    #[default]
    MedianSplit,
    /// The cheapest of a few planes by surface area: tighter boxes, half-empty leaves.
    BinnedSurfaceArea,
}

/// Parameters of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BuildParams {
    /// How primitives are divided.
    pub builder: Builder,
    /// Most primitives in a leaf, 1 to [`limits::MAX_LEAF_SIZE`] (other values are moved into that range).
    pub leaf_size: usize,
}

impl BuildParams {
    /// Most primitives in a leaf, within its range.
    pub(crate) fn leaf_size(&self) -> usize {
        self.leaf_size.clamp(1, limits::MAX_LEAF_SIZE)
    }
}

impl Default for BuildParams {
    fn default() -> Self {
        Self { builder: Builder::default(), leaf_size: limits::LEAF_SIZE }
    }
}

/// A primitive to build over.
pub(super) struct Item {
    bounds: Aabb,
    centre: [f64; 3],
    primitive: u32,
}

impl Item {
    pub(super) fn new<'a>(primitive: u32, points: impl IntoIterator<Item = &'a [f64; 3]>) -> Self {
        let bounds = Aabb::of_points(points);
        Self { bounds, centre: bounds.centre(), primitive }
    }
}

/// A node as built: its children, if it has any, and its primitives as a range of the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub(super) parent: u32,
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) begin: u32,
    pub(super) end: u32,
}

struct Task {
    parent: u32,
    is_left: bool,
    begin: usize,
    end: usize,
    depth: usize,
}

/// Nodes depth-first (parents before children, left before right), and the order of the primitives. There is an item.
pub(super) fn build(mut items: Vec<Item>, params: BuildParams) -> (Vec<Branch>, Vec<u32>) {
    let count = items.len();
    let leaf_size = params.leaf_size();
    // Deeper than this only halving is allowed, so the height stays within a constant of log2(n).
    let free_depth = count.ilog2() as usize + 8;
    let mut nodes: Vec<Branch> = Vec::with_capacity(2 * count / leaf_size + 1);
    let mut tasks = vec![Task { parent: NONE, is_left: false, begin: 0, end: count, depth: 1 }];
    while let Some(task) = tasks.pop() {
        let node = nodes.len() as u32;
        if let Some(parent) = nodes.get_mut(task.parent as usize) {
            if task.is_left { parent.left = node } else { parent.right = node }
        }
        let (begin, end) = (task.begin, task.end);
        nodes.push(Branch { parent: task.parent, left: NONE, right: NONE, begin: begin as u32, end: end as u32 });
        if end - begin <= leaf_size {
            continue;
        }
        let slice = &mut items[begin..end];
        let split = match params.builder {
            Builder::BinnedSurfaceArea if task.depth < free_depth => surface_area_split(slice),
            _ => None,
        };
        let middle = begin + split.unwrap_or_else(|| median_split(slice));
        // The left child is taken first, so subtrees lie together and parents come first.
        tasks.push(Task { parent: node, is_left: false, begin: middle, end, depth: task.depth + 1 });
        tasks.push(Task { parent: node, is_left: true, begin, end: middle, depth: task.depth + 1 });
    }
    (nodes, items.iter().map(|item| item.primitive).collect())
}

fn centroid_box(items: &[Item]) -> Aabb {
    Aabb::of_points(items.iter().map(|item| &item.centre))
}

fn median_split(items: &mut [Item]) -> usize {
    let bounds = centroid_box(items);
    let length = |axis: usize| bounds.max[axis] - bounds.min[axis];
    let axis = (1..3).fold(0, |best, axis| if length(axis) > length(best) { axis } else { best });
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.centre[axis].total_cmp(&b.centre[axis]).then(a.primitive.cmp(&b.primitive))
    });
    // Selection leaves the halves in an order of its own; primitive order inside is what keeps a rebuild identical.
    items[..middle].sort_unstable_by_key(|item| item.primitive);
    items[middle..].sort_unstable_by_key(|item| item.primitive);
    middle
}

/// Divides by the cheapest plane; `None` if no plane separates the centroids.
fn surface_area_split(items: &mut [Item]) -> Option<usize> {
    let bounds = centroid_box(items);
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in 0..3 {
        if bounds.max[axis] <= bounds.min[axis] {
            continue;
        }
        let mut bins = [(Aabb::EMPTY, 0usize); limits::BINS];
        for item in items.iter() {
            let bin = &mut bins[bin_of(item, axis, &bounds)];
            bin.0 = bin.0.union(&item.bounds);
            bin.1 += 1;
        }
        // Costs of the right sides, from the right; then sweep from the left.
        let mut right_cost = [0.0; limits::BINS];
        let (mut right, mut right_count) = (Aabb::EMPTY, 0);
        for bin in (1..limits::BINS).rev() {
            right = right.union(&bins[bin].0);
            right_count += bins[bin].1;
            right_cost[bin] = right.half_area() * right_count as f64;
        }
        let (mut left, mut left_count) = (Aabb::EMPTY, 0);
        for bin in 1..limits::BINS {
            left = left.union(&bins[bin - 1].0);
            left_count += bins[bin - 1].1;
            if left_count == 0 || left_count == items.len() {
                continue;
            }
            let cost = left.half_area() * left_count as f64 + right_cost[bin];
            if best.is_none_or(|(least, _, _)| cost < least) {
                best = Some((cost, axis, bin));
            }
        }
    }
    let (_, axis, plane) = best?;
    let is_left = |item: &Item| bin_of(item, axis, &bounds) < plane;
    items.sort_by_key(|item| !is_left(item));
    Some(items.iter().take_while(|item| is_left(item)).count())
}

fn bin_of(item: &Item, axis: usize, bounds: &Aabb) -> usize {
    let place = (item.centre[axis] - bounds.min[axis]) / (bounds.max[axis] - bounds.min[axis]);
    ((place * limits::BINS as f64) as usize).min(limits::BINS - 1)
}
