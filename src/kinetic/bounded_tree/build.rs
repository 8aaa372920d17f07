//! Building the kinetic tree of a reduced body, and the boxes in its table.

use std::sync::{Arc, OnceLock};

use super::{BLOCK, KineticBoundedTree, Sides, Table};
use crate::bvh::KeyedBoxes;
use crate::kinetic::TreeContext;
use crate::math::{Aabb, Extent, f32_at_least, f32_at_most};
use crate::motion::{KeysAhead, Motion};
use crate::time::Side;

impl KineticBoundedTree {
    /// Begins the first epoch at the context's moment. The motion must be that of the boxes.
    /// O(nodes).
    pub fn new(boxes: Box<dyn KeyedBoxes>, context: &mut TreeContext<'_, '_>) -> Self {
        let mut tree = Self::empty(Arc::from(boxes), KeysAhead::default());
        tree.certify_all(context);
        tree
    }

    /// Takes the boxes of another motion, over the same tree; all bounds are unknown. An epoch is
    /// to be begun then ([`KineticBoundedTree::certify_all`]).
    pub fn follow(&mut self, boxes: Box<dyn KeyedBoxes>) {
        self.boxes = Arc::from(boxes);
    }

    /// A tree in an epoch with some keys of which nothing is known yet.
    pub(super) fn empty(boxes: Arc<dyn KeyedBoxes>, keys: KeysAhead) -> Self {
        let nodes = boxes.topology().nodes().len();
        Self { boxes, keys, table: Table::new(nodes), points: Table::new(nodes) }
    }

    /// What is known of a node at a key of the epoch, by its place among these.
    fn entry<'a, T>(&self, table: &'a Table<T>, node: u32, place: usize) -> &'a OnceLock<T> {
        let new_row = || self.keys.times.iter().map(|_| OnceLock::new()).collect();
        &table.rows[node as usize].get_or_init(|| {
            table.used[node as usize / BLOCK].get_or_init(|| ());
            new_row()
        })[place]
    }

    /// The box of a node at a key of the epoch, by its place among these.
    #[inline]
    pub(super) fn sides(&self, node: u32, place: usize) -> &Sides {
        self.entry(&self.table, node, place).get_or_init(|| {
            let parent = self.topology().node(node).parent().map(|parent| self.sides(parent, place));
            self.made(node, self.key(place), parent)
        })
    }

    /// The vertices of a leaf at a key of the epoch, in the order of the leaf's points. The motion
    /// is that of the boxes.
    pub(super) fn leaf_positions(&self, leaf: u32, place: usize, motion: &Motion) -> &[[f64; 3]] {
        let (key, side) = self.key(place);
        let points = || motion.key_positions(key, side, self.topology().leaf_points(leaf)).into();
        self.entry(&self.points, leaf, place).get_or_init(points)
    }

    /// A key of the epoch and its side, by its place among these. Within an epoch nothing jumps, so
    /// each key but the first serves as the end of one piece and as the begin of the next.
    pub(super) fn key(&self, place: usize) -> (usize, Side) {
        let (key, side) = self.keys.first;
        if place == 0 { (key, side) } else { (key + place, Side::At) }
    }

    /// The box of a node at a key, made from the parameters, within that of its parent.
    pub(super) fn made(&self, node: u32, (key, side): (usize, Side), parent: Option<&Sides>) -> Sides {
        let own = sides_of(&self.boxes.key_box(key, side, node), self.keys.most);
        parent.map_or(own, |parent| within(own, parent))
    }
}

/// The sides of the box of what is evaluated: coordinates beyond the stated reach are taken as
/// that. Clamping keeps order, so it keeps vertices inside. Rounded outward.
fn sides_of(bounds: &Aabb, most: f64) -> Sides {
    Extent::ALL.map(|extent| {
        let axis = extent.axis();
        let side = if extent.is_max() { bounds.max[axis] } else { bounds.min[axis] };
        let outermost = if extent.is_max() { most } else { -most };
        // What is not a number says nothing.
        let side = if side.is_nan() { outermost } else { side.clamp(-most, most) };
        if extent.is_max() { f32_at_least(side) } else { f32_at_most(side) }
    })
}

/// The part of a box within another. Both hold the same vertices; where they do not overlap along
/// an axis, one of them is wrong, and the other is taken.
fn within(own: Sides, parent: &Sides) -> Sides {
    let mut sides = own;
    for axis in 0..3 {
        let (low, high) = (own[2 * axis].max(parent[2 * axis]), own[2 * axis + 1].min(parent[2 * axis + 1]));
        let is_empty = low > high;
        sides[2 * axis] = if is_empty { parent[2 * axis] } else { low };
        sides[2 * axis + 1] = if is_empty { parent[2 * axis + 1] } else { high };
    }
    sides
}
