//! Building the kinetic tree of a bounded body, and the boxes in its table.

use std::sync::{Arc, OnceLock};

use super::{KineticBoundedTree, Row, Sides};
use crate::bvh::KeyedBoxes;
use crate::kinetic::TreeContext;
use crate::math::{Aabb, Extent};
use crate::motion::KeysAhead;
use crate::time::Side;

impl KineticBoundedTree {
    /// Begins the first epoch at the context's moment. The motion must be that of the boxes.
    /// O(nodes).
    pub fn new(boxes: Box<dyn KeyedBoxes>, context: &mut TreeContext<'_, '_>) -> Self {
        let mut tree = Self { boxes: Arc::from(boxes), keys: KeysAhead::default(), table: Box::default() };
        tree.table = tree.empty_table();
        tree.certify_all(context);
        tree
    }

    pub(super) fn empty_table(&self) -> Box<[OnceLock<Row>]> {
        self.topology().nodes().iter().map(|_| OnceLock::new()).collect()
    }

    /// The box of a node at a key of the epoch, by its place among these.
    #[inline]
    pub(super) fn sides(&self, node: u32, place: usize) -> &Sides {
        let row = self.table[node as usize].get_or_init(|| self.keys.times.iter().map(|_| OnceLock::new()).collect());
        row[place].get_or_init(|| {
            let parent = self.topology().node(node).parent().map(|parent| self.sides(parent, place));
            self.made(node, self.key(place), parent)
        })
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
        let rounded = side as f32;
        match (extent.is_max(), extent.beyond(side, f64::from(rounded))) {
            (_, false) => rounded,
            (true, true) => rounded.next_up(),
            (false, true) => rounded.next_down(),
        }
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
