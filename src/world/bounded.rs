//! Bodies bounded from few parameters: skins and their kin, whose vertices are evaluated only where something is near.
//!
//! A body added with [`super::BodyDef::bounded`] has no boxes that are brought up to date. A box of a node is made when somebody asks for
//! it: at both keys around the clock, by the body's own [`KeyedBoxes`], and between them by interpolation. Between keys vertices move
//! linearly, so whatever holds them at both keys holds them in between. Only leaves whose boxes meet something are evaluated, and
//! tested exactly; so contacts are those of any other engine, bit for bit.
//!
//! Where most of the body lies in such leaves, evaluating all of it and refitting a tree is cheaper: the body notices after a look and
//! changes its way with the next one ([`limits::WHOLE_FROM`], [`limits::WHOLE_TO`]). Contacts do not depend on the way.
//!
//! Cost of a look: O(log keys), and nothing per vertex. Of a box, O(influences of the node) twice per key interval, O(1) after that.
//!
//! A plan that is replaced, or a mesh that is edited, makes it a swept body like others: the boxes were those of the first plan.

use std::sync::{Arc, Mutex, PoisonError};

use super::choice::Rate;
use super::swept::Swept;
use super::{Body, Index};
use crate::baseline::RefitTree;
use crate::kds::{BoundedSampler, Hierarchy, KeyedBoxes, Topology};
use crate::limits;
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::motion::{KeysAround, Motion, Sampler};
use crate::time::{Moment, Side};

/// What a body has that is bounded from its parameters.
#[derive(Debug)]
pub(super) struct Bounded {
    boxes: Box<dyn KeyedBoxes>,
    /// Per node, its boxes at the keys that were asked for last. A memory, not a state: answers do not depend on it.
    kept: Mutex<Vec<Kept>>,
    /// All of the body, where that is cheaper.
    refit: Option<RefitTree>,
    is_refitted: bool,
    is_whole: bool,
    /// Per leaf, the last look in which it was near something; how many vertices these have in this look.
    seen: Vec<u64>,
    looks: u64,
    near: usize,
}

/// The boxes of a node at two keys, as the extents of one box each.
#[derive(Clone, Copy, Debug)]
struct Kept {
    /// Which keys; `u64::MAX` for none.
    keys: u64,
    begin: Aabb,
    end: Aabb,
}

/// A bounded body at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundedAt<'a> {
    bounded: &'a Bounded,
    keys: KeysAround,
}

impl Bounded {
    /// Boxes over a body's triangles at rest. `None` unless the motion is that of the sampler, and it has boxes.
    pub(super) fn new(
        sampler: Arc<dyn BoundedSampler>,
        mesh: &Mesh,
        motion: &Motion,
        topology: impl FnOnce() -> Topology,
    ) -> Option<Self> {
        let own: Arc<dyn Sampler> = Arc::<dyn BoundedSampler>::clone(&sampler);
        if !motion.is_sampled_by(&own) || mesh.vertex_count() != sampler.vertex_count() {
            return None;
        }
        let boxes = sampler.boxes_over(topology())?;
        let nodes = boxes.topology().nodes().len();
        let unknown = Kept { keys: u64::MAX, begin: Aabb::EMPTY, end: Aabb::EMPTY };
        Some(Self {
            boxes,
            kept: Mutex::new(vec![unknown; nodes]),
            refit: None,
            is_refitted: false,
            is_whole: false,
            seen: vec![0; nodes],
            looks: 0,
            near: 0,
        })
    }

    pub(super) fn topology(&self) -> &Topology {
        self.boxes.topology()
    }

    /// The refitted boxes, if they hold now.
    pub(super) fn refitted(&self) -> Option<&RefitTree> {
        self.refit.as_ref().filter(|_| self.is_refitted)
    }

    /// The boxes at a moment.
    pub(super) fn at(&self, motion: &Motion, now: Moment) -> Option<BoundedAt<'_>> {
        Some(BoundedAt { bounded: self, keys: motion.keys_around(now)? })
    }

    /// A leaf is near something. Counts its vertices, once a look.
    pub(super) fn note(&mut self, leaf: u32) {
        if self.seen[leaf as usize] != self.looks {
            self.seen[leaf as usize] = self.looks;
            self.near += self.boxes.topology().leaf_points(leaf).len();
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let per_node = size_of::<Kept>() + size_of::<u64>();
        self.boxes.bytes() + self.seen.len() * per_node + self.refit.as_ref().map_or(0, RefitTree::bytes)
    }
}

impl Hierarchy for BoundedAt<'_> {
    fn topology(&self) -> &Topology {
        self.bounded.topology()
    }

    fn node_box(&self, node: u32, _at: Moment) -> Aabb {
        let KeysAround { first, last, share, most } = self.keys;
        let number = |(key, side): (usize, Side)| 2 * key as u64 + u64::from(side == Side::After);
        // Both are ends of one interval, or the same key twice.
        let keys = 2 * number(first) + u64::from(first != last);
        let mut kept = self.bounded.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = &mut kept[node as usize];
        if entry.keys != keys {
            let at_key = |(key, side): (usize, Side)| within(&self.bounded.boxes.key_box(key, side, node), most);
            let begin = at_key(first);
            let end = if first == last { begin } else { at_key(last) };
            *entry = Kept { keys, begin, end };
        }
        between(&entry.begin, &entry.end, share)
    }
}

/// The box of what is evaluated: coordinates beyond the stated reach are taken as that. Clamping keeps order, so it keeps vertices inside.
fn within(bounds: &Aabb, most: f64) -> Aabb {
    // What is not a number says nothing.
    let low = |x: f64| if x.is_nan() { -most } else { x.clamp(-most, most) };
    let high = |x: f64| if x.is_nan() { most } else { x.clamp(-most, most) };
    Aabb { min: bounds.min.map(low), max: bounds.max.map(high) }
}

/// The box of everything that moves linearly from one box into another, at a share of the way; rounded outward.
fn between(begin: &Aabb, end: &Aabb, share: f64) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    for axis in 0..3 {
        let sides = [begin.min[axis], begin.max[axis], end.min[axis], end.max[axis]];
        let slack = limits::ROUNDING * sides.into_iter().fold(0.0, |most: f64, x| most.max(x.abs())) + limits::FLUSH;
        bounds.min[axis] = begin.min[axis] + (end.min[axis] - begin.min[axis]) * share - slack;
        bounds.max[axis] = begin.max[axis] + (end.max[axis] - begin.max[axis]) * share + slack;
    }
    bounds
}

impl Body {
    /// The host looks at a bounded body that may have moved: chooses its way, and evaluates everything where that is the one.
    pub(super) fn look_bounded(&mut self, now: Moment) {
        let Index::Bounded(bounded) = &mut self.index else { return };
        let near = bounded.near as f64;
        let vertices = self.mesh.vertex_count() as f64;
        bounded.is_whole = near > vertices * if bounded.is_whole { limits::WHOLE_TO } else { limits::WHOLE_FROM };
        (bounded.looks, bounded.near) = (bounded.looks + 1, 0);
        if bounded.is_whole {
            self.snapshot.evaluate_all(&self.motion, now);
            match &mut bounded.refit {
                Some(tree) => tree.refit(self.snapshot.positions()),
                None => {
                    let topology = bounded.boxes.topology().clone();
                    bounded.refit = Some(RefitTree::new(topology, &self.mesh, self.snapshot.positions()));
                }
            }
            bounded.is_refitted = true;
        }
    }

    /// A bounded body may be elsewhere than when it was last looked at.
    pub(super) fn forget_refitted(&mut self) {
        if let Index::Bounded(bounded) = &mut self.index {
            bounded.is_refitted = false;
        }
    }

    /// Leaves that are near something: what tells how much of a bounded body is.
    pub(super) fn note_near(&mut self, leaves: impl Iterator<Item = u32>) {
        if let Index::Bounded(bounded) = &mut self.index {
            leaves.for_each(|leaf| bounded.note(leaf));
        }
    }

    /// Its motion or mesh is another one than that of its boxes: it becomes a swept body. O(triangles log triangles).
    pub(super) fn forget_bounds(&mut self, now: Moment) {
        if let Index::Bounded(_) = &self.index {
            let mut positions = Vec::new();
            self.motion.positions(now, &mut positions);
            let topology = Topology::build(&self.parts(), &positions, self.build.binary());
            self.index = Index::Swept(Swept::new(
                topology,
                &self.mesh,
                &self.motion,
                self.wish,
                Rate::new(self.seams.is_some()),
                now,
                0.0,
            ));
        }
    }
}
