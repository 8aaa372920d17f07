//! Bodies bounded from few parameters: skins and the like, whose vertices are evaluated only where
//! something is near.
//!
//! The boxes of a body added with [`crate::world::def::BodyDef::bounded`] are made on demand. Boxes
//! of nodes with many triangles are bounded at both keys around the clock, by the body's own
//! [`KeyedBoxes`], and interpolated: between keys vertices move linearly, so a box that holds them
//! at both keys holds them in between. The vertices of a *block* of few triangles ([`blocks`]) are
//! blended in `f32` with a margin, all at once; boxes in a block are made from them. Only triangles
//! that the `f32` filter does not reject are evaluated exactly and tested; so contacts are those of
//! any other engine, bit for bit.
//!
//! Where much of the body lies in blocks with leaves that meet something, blending all of it and
//! refitting a tree is cheaper: the body changes to that, and back, with the next step
//! (`tuning::ON_DEMAND_REFIT_FROM`, `tuning::ON_DEMAND_REFIT_UNTIL`). Contacts do not depend on it.
//!
//! Cost of a step: O(log keys), and nothing per vertex. Of a box above blocks, O(influences of the
//! node) twice per keyframe interval, O(1) after that; of a box in a block, its vertices' weights,
//! once per step.
//!
//! A plan of the same mesh keeps the body bounded: its boxes follow from those of the last plan
//! ([`KeyedBoxes::for_motion`]). Any other plan, or a mesh that is edited, makes the body discrete.

mod audit;
mod blocks;
mod kept;

use std::sync::{Arc, MutexGuard};

use self::blocks::Blocks;
pub(crate) use self::kept::rounded_positions;
use self::kept::{Kept, SharedKept};
use crate::bvh::{BoundedSampler, Hierarchy, KeyedBoxes, Topology};
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::motion::{KeysAround, Motion, Sampler};
use crate::refit::{Bounds, RefitTree};
use crate::time::Moment;
use crate::tuning;

/// What a body has that is bounded from its parameters.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct OnDemandTree {
    #[cfg_attr(feature = "record", serde(with = "crate::bvh::boxes_by_host"))]
    boxes: Arc<dyn KeyedBoxes>,
    blocks: Blocks,
    kept: SharedKept,
    /// All of the body, where that is cheaper.
    refit: Option<RefitTree>,
    is_refitted: bool,
    pub(crate) is_whole: bool,
    /// Leaves of the tree in the order of the refitted one's.
    leaves: Vec<u32>,
    /// Per leaf and block, the last step in which it, or a leaf of it, was near something.
    seen_leaves: Vec<u64>,
    seen_blocks: Vec<u64>,
    /// Counts steps.
    steps: u64,
    near: Near,
}

/// Boxes are of another tree than they were asked for.
#[derive(Debug)]
pub(crate) struct ForeignTree;

/// Triangles of leaves that are near something, and of blocks with such leaves.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Near {
    leaves: usize,
    blocks: usize,
}

/// An on-demand body at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedAt<'a> {
    bounded: &'a OnDemandTree,
    keys: KeysAround,
}

/// An on-demand body at a moment, locked. Where two bodies are walked, that of the lower index is
/// locked first.
pub(crate) struct Walk<'a> {
    kept: MutexGuard<'a, Kept>,
    at: BoundedAt<'a>,
}

/// Boxes of a sampler over a body's triangles. `None` unless the motion is that of the sampler, and
/// it has boxes.
///
/// # Errors
/// [`ForeignTree`].
pub(crate) fn boxes_of(
    sampler: Arc<dyn BoundedSampler>,
    mesh: &Mesh,
    motion: &Motion,
    topology: impl FnOnce() -> Topology,
) -> Result<Option<Box<dyn KeyedBoxes>>, ForeignTree> {
    let own: Arc<dyn Sampler> = Arc::<dyn BoundedSampler>::clone(&sampler);
    if !motion.is_sampled_by(&own) || mesh.vertex_count() != sampler.vertex_count() {
        return Ok(None);
    }
    let given = topology();
    let Some(boxes) = sampler.boxes_over(given.clone()) else { return Ok(None) };
    if boxes.topology().is_same_as(&given) { Ok(Some(boxes)) } else { Err(ForeignTree) }
}

impl OnDemandTree {
    /// Boxes over a body's triangles at rest. `None` unless the motion is that of the sampler, and
    /// it has boxes.
    ///
    /// # Errors
    /// [`ForeignTree`].
    pub(crate) fn new(
        sampler: Arc<dyn BoundedSampler>,
        mesh: &Mesh,
        motion: &Motion,
        topology: impl FnOnce() -> Topology,
    ) -> Result<Option<Self>, ForeignTree> {
        let boxes = boxes_of(sampler, mesh, motion, topology)?;
        Ok(boxes.map(|boxes| Self::of_boxes(boxes, mesh)))
    }

    /// The tree of boxes that are those of the body's motion.
    pub(crate) fn of_boxes(boxes: Box<dyn KeyedBoxes>, mesh: &Mesh) -> Self {
        let tree = boxes.topology();
        let blocks = Blocks::new(tree, mesh.vertex_count());
        let (nodes, count) = (tree.nodes().len(), blocks.count());
        let leaves = (0..nodes as u32).filter(|&node| tree.node(node).is_leaf()).collect();
        Self {
            boxes: boxes.into(),
            blocks,
            kept: SharedKept::new(Kept::new(nodes, mesh.vertex_count())),
            refit: None,
            is_refitted: false,
            is_whole: false,
            leaves,
            seen_leaves: vec![0; nodes],
            seen_blocks: vec![0; count],
            steps: 0,
            near: Near::default(),
        }
    }

    pub(crate) fn topology(&self) -> &Topology {
        self.boxes.topology()
    }

    /// The boxes at keys.
    pub(crate) fn boxes(&self) -> &dyn KeyedBoxes {
        &*self.boxes
    }

    /// Takes the boxes of another motion, over the same tree. O(1) after a refit.
    pub(crate) fn follow(&mut self, boxes: Box<dyn KeyedBoxes>) {
        self.boxes = boxes.into();
        self.kept.lock().forget_keys();
        if let Some(refit) = &mut self.refit {
            refit.forget_motion();
        }
        self.is_refitted = false;
    }

    /// The refitted boxes, if they hold now.
    pub(crate) fn refitted(&self) -> Option<&RefitTree> {
        self.refit.as_ref().filter(|_| self.is_refitted)
    }

    /// The boxes at a moment.
    pub(crate) fn at(&self, motion: &Motion, now: Moment) -> Option<BoundedAt<'_>> {
        Some(BoundedAt { bounded: self, keys: motion.keys_around(now)? })
    }

    /// Brings the tree to a step: all of the body is blended and refitted where most of it was near
    /// something in the last step.
    pub(crate) fn update(&mut self, mesh: &Mesh, motion: &Motion, now: Moment) {
        self.is_whole = self.shall_be_whole(mesh.triangle_count());
        (self.steps, self.near) = (self.steps + 1, Near::default());
        if !self.is_whole {
            return;
        }
        let mut refit = self.refit.take().unwrap_or_else(|| {
            let mut positions = Vec::new();
            motion.positions(now, &mut positions);
            RefitTree::new(self.topology().clone(), mesh, &positions)
        });
        refit.refit_with(|vertices, points| {
            let rounded = self.at(motion, now).and_then(|at| at.rounded_positions(vertices, points));
            rounded.unwrap_or_else(|| motion.rounded_positions(now, vertices, points))
        });
        self.refit = Some(refit);
        self.is_refitted = true;
    }

    /// The body may be elsewhere than in the last step.
    pub(crate) fn forget_place(&mut self) {
        self.is_refitted = false;
    }

    /// Notes leaves that are near something, by their places in the order of the tree.
    pub(crate) fn note_places(&mut self, places: impl Iterator<Item = usize>) {
        for place in places {
            self.note(self.leaves[place]);
        }
    }

    /// Notes that all of a body of `triangles` triangles is near something.
    pub(crate) fn note_all(&mut self, triangles: usize) {
        self.near = Near { leaves: triangles, blocks: triangles };
    }

    /// Notes a leaf that is near something: counts its triangles and those of its block, once a
    /// step.
    pub(crate) fn note(&mut self, leaf: u32) {
        let (block, tree) = (self.blocks.holding(leaf), self.boxes.topology());
        if self.seen_leaves[leaf as usize] != self.steps {
            self.seen_leaves[leaf as usize] = self.steps;
            self.near.leaves += tree.node(leaf).count();
        }
        if self.seen_blocks[block] != self.steps {
            self.seen_blocks[block] = self.steps;
            self.near.blocks += self.blocks.triangles(block, tree);
        }
    }

    /// Whether so much of a body of `triangles` triangles was near something that all of it is to
    /// be refitted. Where vertices are not blended they are evaluated leaf by leaf.
    fn shall_be_whole(&self, triangles: usize) -> bool {
        let is_blended = self.kept.lock().is_blended();
        let (near, from, to) = if is_blended {
            (self.near.blocks, tuning::ON_DEMAND_REFIT_FROM, tuning::ON_DEMAND_REFIT_UNTIL)
        } else {
            (self.near.leaves, tuning::EVALUATE_ALL_FROM, tuning::EVALUATE_ALL_UNTIL)
        };
        near as f64 > triangles as f64 * if self.is_whole { to } else { from }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.boxes.bytes()
            + self.blocks.bytes()
            + self.kept.lock().bytes()
            + (self.seen_leaves.len() + self.seen_blocks.len()) * size_of::<u64>()
            + self.leaves.len() * size_of::<u32>()
            + self.refit.as_ref().map_or(0, RefitTree::bytes)
    }
}

impl<'a> BoundedAt<'a> {
    /// Its boxes, for a caller that asks for many.
    pub(crate) fn walk(&self) -> Walk<'a> {
        let mut kept = self.bounded.kept.lock();
        kept.begin(&self.keys);
        Walk { kept, at: *self }
    }

    /// Writes where vertices are, rounded; returns a margin, as [`RefitTree::refit_with`] wants it.
    /// `None` where that is not known.
    pub(crate) fn rounded_positions(&self, vertices: &[u32], out: &mut [[f32; 4]]) -> Option<f32> {
        self.walk().kept.positions(vertices, out, &self.keys, &*self.bounded.boxes)
    }
}

impl Walk<'_> {
    /// The box of a node.
    #[inline]
    pub(crate) fn bounds(&mut self, node: u32) -> &Bounds {
        let OnDemandTree { boxes, blocks, .. } = self.at.bounded;
        self.kept.bounds(node, &self.at.keys, blocks, &**boxes)
    }
}

impl Hierarchy for BoundedAt<'_> {
    fn topology(&self) -> &Topology {
        self.bounded.topology()
    }

    fn node_box(&self, node: u32, _at: Moment) -> Aabb {
        self.walk().bounds(node).to_aabb()
    }
}
