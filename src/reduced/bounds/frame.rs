//! Parameters of a body at a time, in the layout of bounds.

use nalgebra::{Matrix3, Vector3};

use super::BoundTree;
use super::lanes::Singles;
use crate::reduced::{Affine, Pose, ReducedError};

/// A map as three columns and a shift, four lanes each (the fourth is zero).
pub(super) type Columns = [[f64; 4]; 4];

/// Input of all bounds at one time. O(influences + morphs) to compute, once for all nodes.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Maps of positions relative to the body's centre at rest.
    pub(super) maps: Vec<Columns>,
    /// The maps in `f32`, if that suffices for the tree.
    pub(super) singles: Singles,
    /// Per morph target, its weight.
    pub(super) morphs: Vec<f64>,
    /// The largest number that enters a sum of coordinates, metres: for rounding.
    pub(super) size: f64,
    /// That of the tree.
    pub(super) mark: u64,
}

impl Frame {
    /// The frame of a pose.
    ///
    /// # Errors
    /// A pose of another body, or with numbers that are not finite.
    pub fn of_pose(tree: &BoundTree, pose: &Pose) -> Result<Self, ReducedError> {
        let mut frame = Self::default();
        frame.set_pose(tree, pose)?;
        Ok(frame)
    }

    /// Sets the frame to a pose; reuses its memory.
    ///
    /// # Errors
    /// As [`Frame::of_pose`]; the frame is then unchanged.
    pub fn set_pose(&mut self, tree: &BoundTree, pose: &Pose) -> Result<(), ReducedError> {
        pose.check(tree.map_count, tree.morph_reach.len())?;
        self.set_any(tree, pose);
        Ok(())
    }

    /// As [`Frame::set_pose`], for any pose. Where it is of another body or has numbers that are
    /// not finite, boxes have no limits.
    pub(super) fn set_any(&mut self, tree: &BoundTree, pose: &Pose) {
        self.mark = tree.mark;
        let morphs = tree.morph_reach.len();
        if pose.check_counts(tree.map_count, morphs).is_ok() {
            self.morphs.clone_from(&pose.morphs);
            return self.set_maps(tree, &pose.maps);
        }
        let unknown = Affine { linear: Matrix3::repeat(f64::NAN), shift: Vector3::repeat(f64::NAN) };
        self.morphs.clear();
        self.morphs.resize(morphs, 0.0);
        self.set_maps(tree, &vec![unknown; tree.map_count]);
    }

    /// Lays out the maps and measures them; morph weights must be set.
    fn set_maps(&mut self, tree: &BoundTree, maps: &[Affine]) {
        self.maps.clear();
        let middle = tree.middle.into();
        let (mut stretch, mut shift): (f64, f64) = (0.0, 0.0);
        for map in maps {
            let lanes = |v: [f64; 3]| [v[0], v[1], v[2], 0.0];
            let column = |k: usize| lanes([map.linear[(0, k)], map.linear[(1, k)], map.linear[(2, k)]]);
            self.maps.push([column(0), column(1), column(2), lanes(map.apply(&middle).into())]);
            for axis in 0..3 {
                let row = map.linear.row(axis);
                stretch = stretch.max(row[0].abs() + row[1].abs() + row[2].abs());
                shift = shift.max(map.shift[axis].abs());
            }
        }
        let morphs = tree.morph_reach.iter().zip(&self.morphs);
        let morphed = morphs.map(|(reach, weight)| reach * weight.abs()).sum::<f64>();
        self.size = stretch * (tree.reach + morphed) + shift;
        self.singles.set(&self.maps, tree.local_reach + morphed, !tree.blocks.is_empty(), tree.fits_singles());
    }

    /// Bytes held.
    pub(in crate::reduced) fn bytes(&self) -> usize {
        self.maps.capacity() * size_of::<Columns>() + self.morphs.capacity() * size_of::<f64>() + self.singles.bytes()
    }

    /// The number of maps.
    pub fn map_count(&self) -> usize {
        self.maps.len()
    }
}
