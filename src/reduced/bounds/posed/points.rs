//! Vertices of a body in a pose, computed on demand: blended block by block in `f32`; exactly if
//! that does not decide.

use super::PosedBounds;
use crate::bvh::leaf_filter::{LeafBlocks, WIDTH};
use crate::reduced::bounds::layout::{ABOVE, NONE, indices};
use crate::reduced::bounds::rounded::Evaluate;
use crate::reduced::bounds::rows::{LeafRows, fill_rows};
use crate::refit::sides_of;
use crate::simd;

impl PosedBounds<'_> {
    /// Evaluates a block whose root a query descends into, unless it is evaluated in this pose;
    /// ignores other places. Returns whether the box of the place may have changed.
    #[inline(always)]
    pub(in crate::reduced::bounds) fn need(&mut self, place: u32) -> bool {
        let block = self.nodes[place as usize].link.block;
        block < ABOVE && self.need_block(block)
    }

    /// Evaluates the block that a place is within; ignores roots of blocks and places above.
    pub(in crate::reduced::bounds) fn need_around(&mut self, place: u32) {
        let mut link = self.link(place);
        if link.block != NONE {
            return;
        }
        while !link.is_leaf() {
            link = self.link(link.first);
        }
        let block = self.layout.blocks.partition_point(|block| block.leaves.end <= link.leaf);
        self.need_block(block as u32);
    }

    fn need_block(&mut self, block: u32) -> bool {
        let needed_by = &mut self.needed_by[block as usize];
        if *needed_by != self.queries {
            *needed_by = self.queries;
            self.near += self.layout.blocks[block as usize].points.len() as u64;
            self.needed.push(block);
        }
        let is_new = self.evaluated[block as usize] != self.stamp;
        if is_new {
            self.evaluate(block);
        }
        is_new
    }

    pub(super) fn round(&mut self) {
        if self.rounded_of != self.stamp {
            self.rounded_of = self.stamp;
            self.rounded.set(self.tree, &self.skin, &self.pose);
            if let Some(spherical) = &mut self.spherical {
                spherical.set(self.mesh, &self.pose);
                self.rounded.begin_turning();
            }
        }
    }

    /// Blends the points of a block and computes the boxes below its root.
    pub(super) fn evaluate(&mut self, number: u32) {
        if self.evaluated[number as usize] == self.stamp {
            return;
        }
        self.round();
        self.evaluated[number as usize] = self.stamp;
        let block = &self.layout.blocks[number as usize];
        let foreign = &self.layout.foreign[indices(&block.foreign)];
        self.more.clear();
        let more = if self.spherical.is_some() {
            foreign.len()
        } else {
            // Foreign points that are not evaluated with their owner's block; they are blended
            // again if the owner is evaluated later.
            let is_new = |&&(_, owner): &&(u32, u32)| self.evaluated[owner as usize] != self.stamp;
            self.more.extend(foreign.iter().filter(is_new).map(|&(point, _)| point));
            self.more.len()
        };
        self.counts.blended += (block.points.len() + more) as u64;
        self.nodes[block.root as usize].stamp = self.stamp;
        self.nodes[indices(&block.below)].iter_mut().for_each(|node| node.stamp = self.stamp);
        let mut points = block.points.clone();
        if self.spherical.is_some() {
            self.blend_block(number);
            points.end = points.start;
        }
        let block = &self.layout.blocks[number as usize];
        simd::run(Evaluate {
            layout: &self.layout,
            skin: &self.skin,
            pose: &self.rounded,
            points,
            more: &self.more,
            leaves: block.leaves.clone(),
            root: block.root,
            below: block.below.clone(),
            into: &mut self.points,
            nodes: &mut self.nodes,
        });
    }

    /// Blends all points and computes all boxes.
    pub(in crate::reduced::bounds) fn evaluate_all(&mut self) {
        if self.is_whole {
            return;
        }
        // Nothing is bounded from parameters now, and nothing is bounded first in the next pose.
        (self.is_whole, self.is_laid_out) = (true, true);
        self.upper.clear();
        self.needed.clear();
        self.round();
        let stamp = self.stamp;
        self.evaluated.fill(stamp);
        let reached = self.layout.reached;
        self.nodes[..reached as usize].iter_mut().for_each(|node| node.stamp = stamp);
        let mut points = self.layout.vertices.len() as u32;
        self.counts.blended = u64::from(points);
        if self.spherical.is_some() {
            // Most of them are tested exactly.
            self.blend_exactly(0..points);
            points = 0;
        }
        simd::run(Evaluate {
            layout: &self.layout,
            skin: &self.skin,
            pose: &self.rounded,
            points: 0..points,
            more: &[],
            leaves: 0..self.layout.leaves.len() as u32,
            root: 0,
            below: 1..reached,
            into: &mut self.points,
            nodes: &mut self.nodes,
        });
    }

    /// Computes the boxes of the triangles of a leaf with an evaluated block, unless they exist in
    /// this pose.
    #[inline(always)]
    pub(in crate::reduced::bounds) fn need_rows(&mut self, leaf: u32) {
        if self.row_stamps[leaf as usize] != self.stamp {
            self.row_stamps[leaf as usize] = self.stamp;
            let leaf = &self.layout.leaves[leaf as usize];
            let rows = &mut self.rows[leaf.row as usize..];
            fill_rows(&self.layout, leaf, &self.points, self.rounded.margin(), rows);
        }
    }

    /// The triangles of a leaf with computed rows.
    #[inline(always)]
    pub(in crate::reduced::bounds) fn leaf_rows(&self, leaf: u32) -> LeafRows<'_> {
        let leaf = &self.layout.leaves[leaf as usize];
        let count = leaf.triangles.len();
        let first = leaf.row as usize;
        let blocks = &self.rows[first..first + count.div_ceil(WIDTH)];
        let bounds = sides_of(&self.nodes[leaf.place as usize].bounds);
        LeafRows { boxes: LeafBlocks { blocks, count, bounds }, first: leaf.triangles.start }
    }

    /// The largest error of a blended coordinate, metres; `None` if no bound is known.
    pub(in crate::reduced::bounds) fn blur(&self) -> Option<f64> {
        self.rounded.margin().map(|margin| 0.5 * f64::from(margin))
    }

    /// The blended corners of a triangle.
    #[inline(always)]
    pub(in crate::reduced::bounds) fn rounded_corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        self.layout.corners[triangle as usize].map(|point| {
            let [x, y, z, _] = self.points[point as usize];
            [x, y, z]
        })
    }

    /// The exact corners of a triangle.
    #[inline(always)]
    pub(in crate::reduced::bounds) fn corners(&mut self, triangle: u32) -> [[f64; 3]; 3] {
        self.round();
        self.layout.corners[triangle as usize].map(|point| {
            let exact = &mut self.exact[point as usize];
            if exact.stamp != self.stamp {
                exact.stamp = self.stamp;
                let vertex = self.layout.vertices[point as usize];
                exact.position = match &mut self.spherical {
                    Some(spherical) => spherical.position(self.mesh, &self.pose, vertex),
                    None => self.mesh.position(&self.pose, vertex),
                };
                self.counts.evaluated += 1;
            }
            exact.position
        })
    }
}
