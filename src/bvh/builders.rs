//! Builders: the division of primitives among the nodes of a tree.
//!
//! Three rules: median split (longest axis of the centroids' box, halves of equal size); median
//! split along the direction of greatest variance of the centroids; binned surface-area split (the
//! plane of least estimated cost among `tuning::BINS` bins per axis). All are top-down, O(n log
//! n), and break ties by primitive number. Groups of primitives, if any, are separated first.
//!
//! For a width of four a node is divided, and each part too large for a leaf is divided again at
//! once. The tree is the one of width two without every second level.
//!
//! The kinetic structures need a height of O(log n). A surface-area split is kept only while the
//! depth allows it, however uneven; deeper parts are halved.

use std::collections::{BTreeMap, BTreeSet};

use crate::limits;
use crate::math::Aabb;
use crate::tuning;

const NONE: u32 = u32::MAX;

/// Most children of a node, for any width.
pub(crate) const MOST_CHILDREN: usize = 4;

/// The rule by which primitives are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Builder {
    /// Halves along the longest axis: leaves as full as can be.
    MedianSplit,
    /// Halves along the direction of greatest variance of the centroids, not necessarily an axis:
    /// the usual choice for reduced bodies.
    CovarianceMedian,
    /// The plane of least surface-area cost. A side costs its area times the number of leaves that
    /// it needs.
    #[default]
    BinnedSurfaceArea,
}

/// The number of children of inner nodes.
///
/// Only kinetic AABB trees can be wide. The BoxTree divides a node by a plane in two, and the
/// refitted tree is tuned for pairs of children. Both always have a width of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Width {
    /// Two.
    #[default]
    Two,
    /// Four in a built tree; two or three where too few primitives are below. Local changes may
    /// leave two or three anywhere.
    Four,
}

/// Parameters of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BuildParams {
    /// The rule by which primitives are divided.
    pub builder: Builder,
    /// Most primitives in a leaf, 1 to [`limits::MAX_LEAF_SIZE`] (other values are moved into that
    /// range).
    pub leaf_size: usize,
    /// Number of children of inner nodes, if the kind of tree allows a choice.
    #[cfg_attr(feature = "serde", serde(default))]
    pub width: Width,
}

impl BuildParams {
    /// Most primitives in a leaf, clamped to the valid range.
    pub(crate) fn leaf_size(&self) -> usize {
        self.leaf_size.clamp(1, limits::MAX_LEAF_SIZE)
    }

    /// The parameters with a width of two, for a binary tree.
    pub(crate) fn binary(self) -> Self {
        Self { width: Width::Two, ..self }
    }
}

impl Default for BuildParams {
    fn default() -> Self {
        Self { builder: Builder::default(), leaf_size: tuning::LEAF_SIZE, width: Width::default() }
    }
}

/// A primitive to build over.
pub(super) struct Item {
    sides: Sides,
    centre: [f64; 3],
    primitive: u32,
    /// Groups are separated before their members.
    group: u32,
}

impl Item {
    pub(super) fn new<'a>(primitive: u32, group: u32, points: impl IntoIterator<Item = &'a [f64; 3]>) -> Self {
        let bounds = Aabb::of_points(points);
        Self { sides: Sides::of(&bounds), centre: bounds.centre(), primitive, group }
    }
}

/// A box for costs alone: the lower sides, and the upper ones negated, rounded to `f32`. A union is
/// eight minima.
#[derive(Clone, Copy)]
struct Sides([f32; 8]);

impl Sides {
    const EMPTY: Self = Self([f32::INFINITY; 8]);

    fn of(bounds: &Aabb) -> Self {
        let ([a, b, c], [x, y, z]) = (bounds.min.map(|side| side as f32), bounds.max.map(|side| -side as f32));
        Self([a, b, c, 0.0, x, y, z, 0.0])
    }

    #[inline]
    fn include(&mut self, other: &Self) {
        for (side, other) in self.0.iter_mut().zip(other.0) {
            *side = if other < *side { other } else { *side };
        }
    }

    /// Lengths along the axes, metres.
    #[inline]
    fn extents(&self) -> [f64; 3] {
        [0, 1, 2].map(|axis| f64::from(-self.0[axis + 4]) - f64::from(self.0[axis]))
    }
}

/// A built node: its children, if any, and its primitives as a range of the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub(super) parent: u32,
    /// From left to right, then `u32::MAX`; no child in a leaf.
    pub(super) children: [u32; MOST_CHILDREN],
    pub(super) begin: u32,
    pub(super) end: u32,
}

struct Task {
    parent: u32,
    /// Its index among the children of its parent.
    place: usize,
    begin: usize,
    end: usize,
    /// Number of divisions on the path from the root, plus one.
    depth: usize,
}

/// Returns the nodes depth-first (parents before children, left before right), and the order of the
/// primitives. `items` must not be empty.
pub(super) fn build(mut items: Vec<Item>, params: BuildParams) -> (Vec<Branch>, Vec<u32>) {
    let count = items.len();
    let leaf_size = params.leaf_size();
    let levels = if params.width == Width::Four { 2 } else { 1 };
    // Deeper than this only halving is allowed, so the height stays O(log n).
    let free_depth = count.max(1).ilog2() as usize + 8;
    let mut nodes: Vec<Branch> = Vec::with_capacity(2 * count / leaf_size + 1);
    let mut tasks = vec![Task { parent: NONE, place: 0, begin: 0, end: count, depth: 1 }];
    while let Some(task) = tasks.pop() {
        let node = nodes.len() as u32;
        if let Some(parent) = nodes.get_mut(task.parent as usize) {
            parent.children[task.place] = node;
        }
        let (begin, end) = (task.begin, task.end);
        nodes.push(Branch {
            parent: task.parent,
            children: [NONE; MOST_CHILDREN],
            begin: begin as u32,
            end: end as u32,
        });
        if end - begin <= leaf_size {
            continue;
        }
        // The begins of the parts, and the end of the last one.
        let mut cuts = vec![begin, end];
        for level in 0..levels {
            let builder = if task.depth + level < free_depth { params.builder } else { Builder::MedianSplit };
            for place in (1..cuts.len()).rev() {
                let (begin, end) = (cuts[place - 1], cuts[place]);
                if end - begin > leaf_size {
                    let keeps_groups = task.depth + level < free_depth;
                    cuts.insert(place, begin + split(&mut items[begin..end], builder, leaf_size, keeps_groups));
                }
            }
        }
        // The leftmost child is processed first, so subtrees are contiguous and parents come first.
        let parts = cuts.windows(2).enumerate().rev();
        let depth = task.depth + levels;
        tasks.extend(parts.map(|(place, part)| Task { parent: node, place, begin: part[0], end: part[1], depth }));
    }
    (nodes, items.iter().map(|item| item.primitive).collect())
}

/// Divides items in two; returns where the second part begins. Neither part is empty.
fn split(items: &mut [Item], builder: Builder, leaf_size: usize, keeps_groups: bool) -> usize {
    if keeps_groups && let Some(place) = group_split(items) {
        return place;
    }
    match builder {
        Builder::MedianSplit => median_split(items),
        Builder::CovarianceMedian => covariance_split(items),
        Builder::BinnedSurfaceArea => surface_area_split(items, leaf_size).unwrap_or_else(|| median_split(items)),
    }
}

/// Divides items between groups, as evenly as possible, along the axis of greatest spread of the
/// groups' centres; `None` if there is only one group.
fn group_split(items: &mut [Item]) -> Option<usize> {
    if items.iter().all(|item| item.group == items[0].group) {
        return None;
    }
    // Per group: the count, and the sum of the centres.
    let mut groups: BTreeMap<u32, (usize, [f64; 3])> = BTreeMap::new();
    for item in items.iter() {
        let (count, sum) = groups.entry(item.group).or_default();
        *count += 1;
        for axis in 0..3 {
            sum[axis] += item.centre[axis];
        }
    }
    let mut groups: Vec<(u32, usize, [f64; 3])> =
        groups.into_iter().map(|(group, (count, sum))| (group, count, sum.map(|x| x / count as f64))).collect();
    let spread = Aabb::of_points(groups.iter().map(|(.., middle)| middle));
    let axis = spread.longest_axis();
    groups.sort_by(|a, b| a.2[axis].total_cmp(&b.2[axis]).then(a.0.cmp(&b.0)));
    let (mut before, mut best, mut left) = (0, (usize::MAX, 0), BTreeSet::new());
    for (place, &(_, count, _)) in groups.iter().enumerate().take(groups.len() - 1) {
        before += count;
        best = best.min((before.abs_diff(items.len() - before), place + 1));
    }
    left.extend(groups[..best.1].iter().map(|&(group, ..)| group));
    items.sort_unstable_by_key(|item| (!left.contains(&item.group), item.primitive));
    Some(items.iter().take_while(|item| left.contains(&item.group)).count())
}

fn centroid_box(items: &[Item]) -> Aabb {
    Aabb::of_points(items.iter().map(|item| &item.centre))
}

fn median_split(items: &mut [Item]) -> usize {
    let axis = centroid_box(items).longest_axis();
    halve(items, |item| item.centre[axis])
}

fn covariance_split(items: &mut [Item]) -> usize {
    let direction = principal_direction(items);
    halve(items, |item| (0..3).map(|axis| direction[axis] * item.centre[axis]).sum())
}

/// The direction of greatest variance of the centroids, not normalised. Repeated squaring of their
/// covariance matrix leaves little but the eigenvector of its largest eigenvalue.
fn principal_direction(items: &[Item]) -> [f64; 3] {
    let share = 1.0 / items.len() as f64;
    let mean: [f64; 3] = std::array::from_fn(|axis| items.iter().map(|item| item.centre[axis] * share).sum());
    let mut matrix = [[0.0; 3]; 3];
    for item in items {
        let from_mean: [f64; 3] = std::array::from_fn(|axis| item.centre[axis] - mean[axis]);
        for row in 0..3 {
            for column in 0..3 {
                matrix[row][column] += from_mean[row] * from_mean[column];
            }
        }
    }
    for _ in 0..tuning::COVARIANCE_SQUARINGS {
        let largest = matrix.iter().flatten().fold(0.0, |largest: f64, x| largest.max(x.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            // All at one place, or too far apart for their squares to be finite.
            let mut direction = [0.0; 3];
            direction[centroid_box(items).longest_axis()] = 1.0;
            return direction;
        }
        let scaled = matrix.map(|row| row.map(|x| x / largest));
        for row in 0..3 {
            for column in 0..3 {
                matrix[row][column] = (0..3).map(|k| scaled[row][k] * scaled[k][column]).sum();
            }
        }
    }
    // Every row is a multiple of the direction; the longest is the least rounded.
    let length = |row: &[f64; 3]| row.iter().map(|x| x * x).sum::<f64>();
    matrix.into_iter().fold([0.0; 3], |best, row| if length(&row) > length(&best) { row } else { best })
}

/// Divides items in two halves by a key.
fn halve(items: &mut [Item], key: impl Fn(&Item) -> f64) -> usize {
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.primitive.cmp(&b.primitive)));
    // The order within the halves after selection is arbitrary; sorting by primitive keeps rebuilds
    // identical.
    items[..middle].sort_unstable_by_key(|item| item.primitive);
    items[middle..].sort_unstable_by_key(|item| item.primitive);
    middle
}

/// Divides by the cheapest plane; `None` if no plane separates the centroids. The cost of a side is
/// its area times the number of leaves that it needs: a leaf is tested as a whole, however many
/// primitives it has. A small part of its edges is added: any halves of a flat sheet have the same
/// area, and those that are nearly squares meet less.
fn surface_area_split(items: &mut [Item], leaf_size: usize) -> Option<usize> {
    let centroids = centroid_box(items);
    let scale: [f64; 3] = std::array::from_fn(|axis| bin_scale(centroids.min[axis], centroids.max[axis]));
    if scale == [0.0; 3] {
        return None;
    }
    let bin_of = |item: &Item, axis: usize| bin_of(item.centre[axis] - centroids.min[axis], scale[axis]);
    let mut bins = [[(Sides::EMPTY, 0usize); tuning::BINS]; 3];
    for item in items.iter() {
        for (axis, bins) in bins.iter_mut().enumerate() {
            let bin = &mut bins[bin_of(item, axis)];
            bin.0.include(&item.sides);
            bin.1 += 1;
        }
    }
    let mut whole = Sides::EMPTY;
    bins[0].iter().for_each(|bin| whole.include(&bin.0));
    let margin = tuning::EDGE_COST * whole.extents().iter().sum::<f64>();
    let cost = |side: &Sides, count: usize| {
        let [x, y, z] = side.extents();
        (x * y + y * z + z * x + margin * (x + y + z)) * count.div_ceil(leaf_size) as f64
    };
    let mut best: Option<(f64, usize, usize)> = None;
    for (axis, bins) in bins.iter().enumerate() {
        // Costs of the right sides, from the right; then sweep from the left.
        let mut right_cost = [0.0; tuning::BINS];
        let (mut right, mut right_count) = (Sides::EMPTY, 0);
        for bin in (1..tuning::BINS).rev() {
            right.include(&bins[bin].0);
            right_count += bins[bin].1;
            right_cost[bin] = cost(&right, right_count);
        }
        let (mut left, mut left_count) = (Sides::EMPTY, 0);
        for bin in 1..tuning::BINS {
            left.include(&bins[bin - 1].0);
            left_count += bins[bin - 1].1;
            if left_count == 0 || left_count == items.len() {
                continue;
            }
            let cost = cost(&left, left_count) + right_cost[bin];
            if best.is_none_or(|(least, _, _)| cost < least) {
                best = Some((cost, axis, bin));
            }
        }
    }
    let (_, axis, plane) = best?;
    items.sort_by_key(|item| bin_of(item, axis) >= plane);
    Some(items.partition_point(|item| bin_of(item, axis) < plane))
}

/// Bins per metre; 0 where all centroids have one coordinate.
fn bin_scale(min: f64, max: f64) -> f64 {
    if max > min { tuning::BINS as f64 / (max - min) } else { 0.0 }
}

fn bin_of(from_min: f64, scale: f64) -> usize {
    ((from_min * scale) as usize).min(tuning::BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::Topology;
    use crate::mesh::Mesh;

    /// The leaves over triangles of some size at some places, each ascending.
    fn leaves(places: &[[f64; 3]], size: f64, leaf_size: usize) -> Vec<Vec<u32>> {
        let corners = |place: &[f64; 3]| {
            [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]]
                .map(|corner: [f64; 3]| [0, 1, 2].map(|axis| place[axis] + corner[axis]))
        };
        let positions: Vec<[f64; 3]> = places.iter().flat_map(corners).collect();
        let triangles = (0..places.len() as u32).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner));
        let mesh = Mesh::new(positions.len(), triangles.collect()).unwrap();
        let params = BuildParams { builder: Builder::BinnedSurfaceArea, leaf_size, ..BuildParams::default() };
        let topology = Topology::build(&mesh, &positions, params);
        let mut leaves: Vec<Vec<u32>> = (0..topology.node_count() as u32)
            .filter(|&node| topology.node(node).is_leaf())
            .map(|leaf| topology.primitives_below(leaf))
            .collect();
        leaves.iter_mut().for_each(|leaf| leaf.sort_unstable());
        leaves.sort_unstable();
        leaves
    }

    /// Two groups of four small triangles, far from each other along y and a little along x: most
    /// bins are empty.
    #[test]
    fn planes_between_empty_bins_have_a_cost() {
        let place = |it: u32| [0.001 * f64::from(it), if it.is_multiple_of(2) { 0.0 } else { 100.0 }, 0.0];
        let places: Vec<_> = (0..8).map(place).collect();
        assert_eq!(leaves(&places, 0.01, 4), [[0, 2, 4, 6], [1, 3, 5, 7]]);
    }

    /// Halves of a row of 20 need two leaves each; 8 and 12 need three in all.
    #[test]
    fn sides_cost_the_leaves_that_they_need() {
        let row: Vec<_> = (0..20).map(|place| [f64::from(place), 0.0, 0.0]).collect();
        assert_eq!(leaves(&row, 0.01, 8).len(), 3);
    }

    /// The areas of any halves of a flat square are equal: edges decide for squares, not strips.
    #[test]
    fn flat_sheets_are_divided_across_and_along() {
        let grid: Vec<_> = (0..64).map(|place| [f64::from(place % 8), f64::from(place / 8), 0.0]).collect();
        for leaf in leaves(&grid, 1.0, 4) {
            let [x, y] = [|place: u32| place % 8, |place: u32| place / 8].map(|along| {
                let places = || leaf.iter().map(|&place| along(place));
                places().max().unwrap() - places().min().unwrap()
            });
            assert_eq!((leaf.len(), x, y), (4, 1, 1), "{leaf:?}");
        }
    }
}
