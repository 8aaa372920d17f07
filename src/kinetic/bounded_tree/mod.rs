//! The kinetic tree of a body whose nodes are bounded from few parameters: a skin, morph targets, a
//! meshless solid, or a deformation model of the host.
//!
//! Maintains: at every moment of the epoch, the bound of a node holds every vertex below it, and
//! lies within the bound of the node's parent.
//!
//! Between two keys vertices move linearly. A box that holds them at both keys holds them in
//! between if it is interpolated. So a bound is a [`Piece`](crate::motion::Piece) from key to key,
//! and its end is its expiry. Boxes at keys come from [`KeyedBoxes`], in time that does not depend
//! on the number of vertices.
//!
//! | event | what happens |
//! |---|---|
//! | [`EventKind::Renewal`] | the epoch ends: the table is emptied, and all certificates that use a bound are computed again |
//!
//! The tree has no other event. A bound changes where its piece ends, and a search over bounds goes
//! from piece to piece.
//!
//! **Epochs** end at jumps and wraps, as of every motion, and after `tuning::PIECES_PER_EPOCH`
//! pieces. A search for a certificate that does not fail thus visits a limited number of pieces.
//!
//! **Table.** The box of a node at a key is made when it is asked for, once per epoch, and kept in
//! a table. Answers do not depend on earlier questions. Sides are `f32`, rounded outward. The same
//! table keeps the vertices of leaves that were evaluated at a key.
//!
//! Invariants (see `audit`): what the table holds is what would be made now; bounds hold the
//! vertices; bounds of children lie within those of their parents.
//!
//! Cost: O(influences of a node) per box that is made, O(depth) boxes of which most are known; O(1)
//! per bound after that; O(nodes / 64 + boxes made) per epoch. A node that is not asked for costs
//! 48 bytes.
//!
//! Follows Zachmann and Weller 2006, §4 (the interface), and Steinemann and Otaduy 2007 (boxes from
//! parameters). Departure: bounds are nested by construction, which separation lists rely on.
//!
//! [`EventKind::Renewal`]: crate::kinetic::event::EventKind::Renewal

mod audit;
mod build;
#[cfg(test)]
mod damage_tests;
mod events;
mod query;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use crate::bvh::{KeyedBoxes, Topology};
use crate::motion::KeysAhead;

pub use query::View;

/// A kinetic tree over one reduced body. See the module's text.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize), serde(from = "StoredTree"))]
pub struct KineticBoundedTree {
    #[cfg_attr(feature = "record", serde(with = "crate::bvh::boxes_by_host"))]
    boxes: Arc<dyn KeyedBoxes>,
    /// The keys of the epoch.
    keys: KeysAhead,
    /// Per node, its boxes at the keys of the epoch, as far as they were asked for.
    #[cfg_attr(feature = "record", serde(skip))]
    table: Table<Sides>,
    /// Per leaf, its vertices at the keys of the epoch, metres, as far as they were asked for.
    #[cfg_attr(feature = "record", serde(skip))]
    points: Table<Box<[[f64; 3]]>>,
}

/// What is stored of it: the table is made again.
#[cfg(feature = "record")]
#[derive(serde::Deserialize)]
struct StoredTree {
    #[serde(with = "crate::bvh::boxes_by_host")]
    boxes: Arc<dyn KeyedBoxes>,
    keys: KeysAhead,
}

#[cfg(feature = "record")]
impl From<StoredTree> for KineticBoundedTree {
    fn from(stored: StoredTree) -> Self {
        Self::empty(stored.boxes, stored.keys)
    }
}

/// Per node, what is known of it at the keys of an epoch.
#[derive(Clone, Debug, Default)]
struct Table<T> {
    rows: Box<[OnceLock<Row<T>>]>,
    /// Per block of [`BLOCK`] nodes, whether one of them may have a row.
    used: Box<[OnceLock<()>]>,
}

/// Nodes that are emptied together: most bodies are far from others, and few of their nodes are
/// asked for in an epoch.
const BLOCK: usize = 64;

impl<T> Table<T> {
    fn new(nodes: usize) -> Self {
        Self {
            rows: (0..nodes).map(|_| OnceLock::new()).collect(),
            used: (0..nodes.div_ceil(BLOCK)).map(|_| OnceLock::new()).collect(),
        }
    }

    /// The rows that are there.
    fn known(&self) -> impl Iterator<Item = &Row<T>> {
        self.rows.iter().filter_map(OnceLock::get)
    }

    /// Forgets what is known; keeps rows that are as long as those to come. O(nodes / [`BLOCK`] +
    /// rows).
    fn clear(&mut self, is_as_long: bool) {
        for (used, rows) in self.used.iter_mut().zip(self.rows.chunks_mut(BLOCK)) {
            if used.get().is_none() {
                continue;
            }
            for row in rows {
                match row.get_mut() {
                    Some(entries) if is_as_long => entries.iter_mut().for_each(|entry| *entry = OnceLock::new()),
                    Some(_) => *row = OnceLock::new(),
                    None => {}
                }
            }
            if !is_as_long {
                *used = OnceLock::new();
            }
        }
    }
}

/// What is known of a node at the keys of an epoch.
type Row<T> = Box<[OnceLock<T>]>;

/// The sides of a box, metres, in the order of [`Extent::ALL`](crate::math::Extent::ALL).
type Sides = [f32; 6];

impl KineticBoundedTree {
    /// The shape of the tree.
    pub fn topology(&self) -> &Topology {
        self.boxes.topology()
    }

    /// The boxes at keys that bounds are made from.
    pub fn boxes(&self) -> &Arc<dyn KeyedBoxes> {
        &self.boxes
    }

    /// Bytes held, those of the boxes at keys included.
    pub fn bytes(&self) -> usize {
        let sides = self.table.known().map(|row| size_of_val(&**row)).sum::<usize>();
        let rows = || self.points.known();
        let points = rows().flatten().filter_map(OnceLock::get).map(|points| size_of_val(&**points)).sum::<usize>();
        let points = points + rows().map(|row| size_of_val(&**row)).sum::<usize>();
        let tables = size_of_val(&*self.table.rows) + size_of_val(&*self.points.rows);
        let tables = tables + size_of_val(&*self.table.used) + size_of_val(&*self.points.used);
        self.boxes.bytes() + tables + sides + points + self.keys.times.capacity() * size_of::<f64>()
    }
}
