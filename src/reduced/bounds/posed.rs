//! A body's boxes and vertices in a pose, computed on demand. A query starts from the nodes that
//! the previous query visited.
//!
//! Keeps, for the current pose:
//! - single sides of the root's box, which suffice for bodies far apart;
//! - per node its box, if it was queried;
//! - per *block* ([`Layout`]) its vertices, if they were evaluated, blended in `f32` with a proven
//!   margin ([`super::rounded`]);
//! - boxes of leaves' triangles, and exact positions of triangles so near that `f32` does not
//!   decide.
//!
//! Keeps, from the previous pose: the blocks that were needed, and the nodes above them that were
//! opened. At the first box query in a new pose, these blocks are evaluated, and other nodes below
//! the opened ones are bounded. The boxes above are united from below. This is cheaper and tighter
//! than bounding them directly. Other boxes are computed when visited.
//!
//! Cost per pose: O(influences); per visited node O(its influences); per evaluated block its
//! vertices' weights.
//!
//! Follows Steinemann, Otaduy and Gross 2008, §4.2. Departs from it below blocks: they hold many
//! triangles, are bounded first, and are evaluated only if they overlap.

use std::sync::Arc;

use super::layout::{ABOVE, Layout, Link, Range, indices};
use super::packed::Packed;
use super::rounded::{RoundedPose, Skin};
use super::side::Root;
use super::{BoundTree, Frame, Level};
use crate::bvh::Topology;
use crate::bvh::leaf_filter::BoxBlock;
use crate::math::Aabb;
use crate::reduced::{Pose, ReducedError, ReducedMesh};
use crate::refit::Bounds;

mod groups;
mod hidden;
mod outward;
mod points;
mod query;
mod spherical;
#[cfg(test)]
mod spherical_tests;

use spherical::Spherical;

pub use query::{PoseHit, PosePoint, Support, Visibility};

/// A reduced body in a pose, for [`PairQuery`](super::PairQuery). Clones share the data that do not
/// depend on the pose.
#[derive(Clone, Debug)]
pub struct PosedBounds<'a> {
    /// The number of this pose; data with this stamp belong to it.
    stamp: u32,
    /// Whether boxes were started from the previous query, and whether everything is evaluated.
    is_laid_out: bool,
    is_whole: bool,
    /// The pose that is rounded, and the pose that is laid out for bounds in `f64`.
    rounded_of: u32,
    framed_of: u32,
    counts: Counts,
    /// Sides of the root's box: lanes of [`super::direct::Sides`], and a mask of the known ones.
    sides: [f64; 8],
    known_sides: u8,
    root: Root<'a>,
    tree: &'a BoundTree,
    mesh: &'a ReducedMesh,
    level: Level,
    pose: Pose,
    frame: Frame,
    rounded: RoundedPose,
    layout: Arc<Layout>,
    skin: Arc<Skin>,
    spherical: Option<Spherical>,
    packed: Arc<Packed>,
    /// Per place, its box.
    nodes: Vec<Node>,
    /// Places opened in this pose.
    upper: Vec<u32>,
    /// Per block, the pose of its points; the last query that needed it; blocks needed in this
    /// pose.
    evaluated: Vec<u32>,
    needed_by: Vec<u64>,
    needed: Vec<u32>,
    queries: u64,
    /// Points in blocks that the last query needed.
    near: u64,
    /// Per point, its position, if a block that uses it is evaluated.
    points: Vec<[f32; 4]>,
    more: Vec<u32>,
    /// Points to blend exactly.
    wide: Vec<u32>,
    /// Places whose boxes are to be moved outward.
    fresh: Vec<u32>,
    /// Boxes of triangles, and per leaf, their pose.
    rows: Vec<BoxBlock<1>>,
    row_stamps: Vec<u32>,
    exact: Vec<Exact>,
}

/// A place: its box with its pose, its neighbours, and the pose in which a query opened it last.
/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    pub(super) bounds: Bounds,
    pub(super) link: Link,
    pub(super) stamp: u32,
    opened: u32,
}

/// A point's exact position, and its pose.
#[derive(Clone, Copy, Debug, Default)]
struct Exact {
    position: [f64; 3],
    stamp: u32,
}

/// Counters of the work in a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Single sides of the whole body's box bounded from parameters.
    pub sides: u64,
    /// Boxes bounded from parameters.
    pub bounded: u64,
    /// Vertices blended in `f32`, for boxes.
    pub blended: u64,
    /// Vertices evaluated exactly.
    pub evaluated: u64,
}

impl<'a> PosedBounds<'a> {
    /// Creates a body in its first pose. O(triangles) once, for the layout of leaves.
    ///
    /// # Errors
    /// [`ReducedError::ForeignTree`] for a tree over a mesh with other counts; a pose of another
    /// body; under spherical blending, maps that shear, mirror or scale unevenly.
    pub fn new(tree: &'a BoundTree, mesh: &'a ReducedMesh, level: Level, pose: &Pose) -> Result<Self, ReducedError> {
        tree.check_mesh(mesh)?;
        let topology = tree.topology();
        let Some(layout) = Layout::new(topology, mesh.mesh().triangles()) else {
            let found = mesh.mesh().triangles().len();
            return Err(ReducedError::RestCount { expected: topology.order().len(), found });
        };
        let spherical = Spherical::new(tree, mesh, &layout)?;
        let (blocks, points) = (layout.blocks.len(), layout.vertices.len());
        let node = |&link: &Link| Node { bounds: Bounds::EMPTY, link, stamp: 0, opened: 0 };
        let mut posed = Self {
            stamp: 0,
            is_laid_out: false,
            is_whole: false,
            rounded_of: 0,
            framed_of: 0,
            counts: Counts::default(),
            sides: [0.0; 8],
            known_sides: 0,
            root: Root::new(tree, spherical.is_some()),
            tree,
            mesh,
            level,
            pose: Pose::default(),
            frame: Frame::default(),
            rounded: RoundedPose::default(),
            skin: Arc::new(Skin::new(mesh, &layout)),
            spherical,
            packed: Arc::new(Packed::new(tree, &layout, level)),
            nodes: layout.links.iter().map(node).collect(),
            upper: Vec::new(),
            evaluated: vec![0; blocks],
            needed_by: vec![0; blocks],
            needed: Vec::new(),
            queries: 0,
            near: 0,
            points: vec![[0.0; 4]; points],
            more: Vec::new(),
            wide: Vec::new(),
            fresh: Vec::new(),
            rows: vec![BoxBlock::EMPTY; layout.row_count],
            row_stamps: vec![0; layout.leaves.len()],
            exact: vec![Exact::default(); points],
            layout: Arc::new(layout),
        };
        // Checks also the requirements of bounding.
        posed.check(pose)?;
        posed.frame.set_pose(tree, pose)?;
        posed.set_pose(pose)?;
        Ok(posed)
    }

    /// Changes the pose. O(influences); boxes are computed when a query needs them.
    ///
    /// # Errors
    /// A pose of another body, or with numbers that are not finite; under spherical blending, maps
    /// that shear, mirror or scale unevenly. The pose is then unchanged.
    pub fn set_pose(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        self.check(pose)?;
        self.take(pose);
        Ok(())
    }

    /// Checks a pose of this body.
    #[inline]
    pub(super) fn check(&mut self, pose: &Pose) -> Result<(), ReducedError> {
        self.root.check(pose)?;
        if let Some(spherical) = &mut self.spherical { spherical.check(pose) } else { Ok(()) }
    }

    /// Changes to the pose that was checked last.
    pub(super) fn take(&mut self, pose: &Pose) {
        if let Some(spherical) = &mut self.spherical {
            spherical.take();
        }
        self.pose.maps.clone_from(&pose.maps);
        self.pose.morphs.clone_from(&pose.morphs);
        if self.stamp == u32::MAX {
            self.forget_stamps();
        }
        self.stamp += 1;
        (self.is_laid_out, self.is_whole) = (false, false);
        self.known_sides = 0;
        self.counts = Counts::default();
    }

    /// The order of nodes and vertices in memory, which clones share.
    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The data that separate it from bodies far away.
    #[inline]
    pub(super) fn root(&self) -> &Root<'a> {
        &self.root
    }

    fn forget_stamps(&mut self) {
        (self.stamp, self.rounded_of, self.framed_of) = (0, 0, 0);
        for stamps in [&mut self.evaluated, &mut self.row_stamps] {
            stamps.fill(0);
        }
        self.nodes.iter_mut().for_each(|node| (node.stamp, node.opened) = (0, 0));
        self.exact.iter_mut().for_each(|exact| exact.stamp = 0);
    }

    /// Computes the boxes that the previous query would have needed.
    fn lay_out(&mut self) {
        self.is_laid_out = true;
        self.round();
        let needed = std::mem::take(&mut self.needed);
        self.know_blocks(&needed);
        needed.iter().for_each(|&block| self.evaluate(block));
        self.needed = needed;
        self.needed.clear();
        let mut upper = std::mem::take(&mut self.upper);
        // Children have higher places than their parents.
        upper.sort_unstable_by(|a, b| b.cmp(a));
        // United below.
        upper.iter().for_each(|&place| self.nodes[place as usize].stamp = self.stamp);
        self.bound_below(&upper);
        for &place in &upper {
            let children = &self.nodes[indices(&self.link(place).below())];
            self.nodes[place as usize].bounds =
                children.iter().fold(Bounds::EMPTY, |all, child| all.union(&child.bounds));
        }
        upper.clear();
        self.upper = upper;
    }

    /// The shape of the tree.
    pub fn topology(&self) -> &'a Topology {
        self.tree.topology()
    }

    /// The mesh.
    pub fn mesh(&self) -> &'a ReducedMesh {
        self.mesh
    }

    /// The pose.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The counters of this pose.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Bytes held for the pose and for evaluating vertices, without the tree and the mesh.
    pub fn bytes(&self) -> usize {
        let layout = &self.layout;
        self.skin.bytes()
            + self.spherical.as_ref().map_or(0, Spherical::bytes)
            + layout.bytes()
            + self.packed.bytes()
            + self.nodes.capacity() * size_of::<Node>()
            + self.points.capacity() * (size_of::<[f32; 4]>() + size_of::<Exact>())
            + self.rows.capacity() * size_of::<BoxBlock<1>>()
            + self.row_stamps.capacity() * size_of::<u32>()
            + self.evaluated.capacity() * (size_of::<u32>() + size_of::<u64>())
            + self.fresh.capacity() * size_of::<u32>()
    }

    /// A box that contains all vertices of a node, rounded outward to `f32`; a box without limits
    /// for a node that does not exist.
    pub fn node_box(&mut self, node: u32) -> Aabb {
        let Some(&place) = self.layout.places.get(node as usize) else { return Aabb::EVERYTHING };
        let Bounds(sides) = self.bounds(place);
        Aabb {
            min: [0, 1, 2].map(|axis: usize| f64::from(sides[axis])),
            max: [4, 5, 6].map(|axis: usize| -f64::from(sides[axis])),
        }
    }

    /// An upper bound of all vertices along an axis (0, 1, 2) or, for 4, 5, 6, against it.
    #[inline]
    pub(super) fn side(&mut self, lane: usize) -> f64 {
        if self.known_sides >> lane & 1 == 0 {
            self.counts.sides += 1;
            match self.root.side(&self.pose, lane) {
                Some(side) => self.sides[lane] = side,
                None => {
                    let Bounds(sides) = self.bounds(0);
                    self.sides = std::array::from_fn(|lane| -f64::from(sides[(lane + 4) % 8]));
                    self.known_sides = u8::MAX;
                }
            }
            self.known_sides |= 1 << lane;
        }
        self.sides[lane]
    }

    /// The number of a triangle at a place among those of all leaves.
    #[inline(always)]
    pub(super) fn triangle(&self, place: u32) -> u32 {
        self.layout.triangles[place as usize]
    }

    /// Begins a query.
    pub(super) fn begin(&mut self) {
        self.queries += 1;
        self.near = 0;
    }

    /// The number of vertices in blocks that this query needed so far, and of all vertices.
    pub(super) fn near(&self) -> [u64; 2] {
        [self.near, self.layout.vertices.len() as u64]
    }

    #[cfg(test)]
    pub(super) fn nodes_for_tests(&self) -> Vec<Node> {
        self.nodes.clone()
    }

    /// The neighbours of a place.
    #[inline(always)]
    pub(super) fn link(&self, place: u32) -> Link {
        self.nodes[place as usize].link
    }

    /// A box that contains all vertices of a place.
    #[inline(always)]
    pub(super) fn bounds(&mut self, place: u32) -> Bounds {
        let node = &self.nodes[place as usize];
        if node.stamp == self.stamp && self.is_laid_out { node.bounds } else { self.make_bounds(place) }
    }

    #[inline(never)]
    fn make_bounds(&mut self, place: u32) -> Bounds {
        if !self.is_laid_out {
            self.lay_out();
        }
        self.bound(place..place + 1);
        self.nodes[place as usize].bounds
    }

    /// Bounds places, unless they are bounded in this pose.
    #[inline]
    fn bound(&mut self, places: Range) {
        if self.spherical.is_some() {
            self.fresh.clear();
            self.add_fresh(places.clone());
            self.bound_linearly(places);
            self.move_outward();
        } else {
            self.bound_linearly(places);
        }
    }

    /// As [`PosedBounds::bound`], the children of some places.
    fn bound_below(&mut self, parents: &[u32]) {
        self.fresh.clear();
        for &parent in parents {
            let below = self.link(parent).below();
            if self.spherical.is_some() {
                self.add_fresh(below.clone());
            }
            self.bound_linearly(below);
        }
        if self.spherical.is_some() {
            self.move_outward();
        }
    }

    /// Adds places that are not bounded in this pose to `fresh`.
    fn add_fresh(&mut self, places: Range) {
        self.fresh.extend(places.filter(|&place| self.nodes[place as usize].stamp != self.stamp));
    }

    /// As [`PosedBounds::bound`], by linear blending.
    #[inline]
    fn bound_linearly(&mut self, places: Range) {
        let (nodes, stamp) = (&mut self.nodes[indices(&places)], self.stamp);
        if nodes.iter().all(|node| node.stamp == stamp) {
            return;
        }
        self.counts.bounded += u64::from(self.packed.bound(places.clone(), &self.rounded, nodes, stamp));
        for place in places {
            if self.nodes[place as usize].stamp != stamp {
                self.counts.bounded += 1;
                let bounds = self.bound_exactly(place);
                let node = &mut self.nodes[place as usize];
                (node.bounds, node.stamp) = (bounds, stamp);
            }
        }
    }

    #[cold]
    fn bound_exactly(&mut self, place: u32) -> Bounds {
        if self.framed_of != self.stamp {
            self.framed_of = self.stamp;
            // Checked when the pose was set.
            let is_good = self.frame.set_pose(self.tree, &self.pose).is_ok();
            debug_assert!(is_good, "a pose that was checked");
        }
        rounded_outward(&self.tree.node_box(self.layout.nodes[place as usize], &self.frame, self.level))
    }

    /// Bounds the children of a place that a query descends into. Children of a place above all
    /// blocks are bounded first in the next pose.
    #[inline(always)]
    pub(super) fn open(&mut self, place: u32) {
        let node = &mut self.nodes[place as usize];
        if node.link.block == ABOVE && node.opened != self.stamp {
            node.opened = self.stamp;
            let below = node.link.below();
            self.upper.push(place);
            self.bound(below);
        }
    }
}

/// A box in `f32` that contains one in `f64`.
fn rounded_outward(bounds: &Aabb) -> Bounds {
    let [a, b, c] = bounds.min.map(|x| (x as f32).next_down());
    let [d, e, f] = bounds.max.map(|x| (-x as f32).next_down());
    Bounds([a, b, c, 0.0, d, e, f, 0.0])
}
