//! Parameters of a body at a time, or at one end of a piece of linear motion, laid out for bounding.

use super::BoundTree;
use crate::limits;
use crate::reduced::{Affine, Bends, Growth, Pose, ReducedError};
use crate::time::Span;

/// A map as three columns and a shift, four lanes each (the fourth is zero).
pub(super) type Columns = [[f64; 4]; 4];

/// How far the true motion of one influence's map is from linear during a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Deviation {
    /// Of the image of the reference point, metres.
    pub(super) at_centre: f64,
    /// Further, per metre between a rest position and the reference point (unitless).
    pub(super) per_metre: f64,
    /// The reference point at rest, metres.
    pub(super) centre: [f64; 3],
}

/// What all bounds at one time are computed from. O(influences + morphs) to make, once for all nodes.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    pub(super) maps: Vec<Columns>,
    /// Per morph target, the least and the largest weight.
    pub(super) morphs: Vec<[f64; 2]>,
    /// Per influence; empty where the pose is exact.
    pub(super) deviations: Vec<Deviation>,
    /// The largest number that enters a sum of coordinates, metres: for rounding.
    pub(super) size: f64,
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

    /// Becomes the frame of a pose; keeps its memory.
    ///
    /// # Errors
    /// As [`Frame::of_pose`]; the frame stays as it was.
    pub fn set_pose(&mut self, tree: &BoundTree, pose: &Pose) -> Result<(), ReducedError> {
        pose.check(tree.map_count, tree.morph_reach.len())?;
        self.morphs.clear();
        self.morphs.extend(pose.morphs.iter().map(|&weight| [weight, weight]));
        self.deviations.clear();
        self.set_maps(tree, &pose.maps);
        Ok(())
    }

    /// Becomes the frame of one end of a piece. `begin` and `end` are the poses at both ends, `at_end` says which end is meant;
    /// `bends` are the proven bounds for the piece and `centres` the reference points they speak of.
    pub(super) fn set_piece_end(
        &mut self,
        tree: &BoundTree,
        poses: [&Pose; 2],
        at_end: bool,
        piece: Span,
        bends: &Bends,
        centres: &[[f64; 3]],
    ) {
        let length = piece.end - piece.begin;
        // A curve leaves its chord by at most an eighth of its second derivative times the length squared.
        // Poses are evaluated at the ends and in between, and rounded at both.
        let sagitta = length * length * 0.125 * (1.0 + limits::EVALUATION);
        let off = |growth: &Growth| {
            let bent = if growth.bend == 0.0 { 0.0 } else { sagitta * growth.bend };
            bent + if length > 0.0 { 2.0 * limits::EVALUATION * growth.size } else { 0.0 }
        };
        self.morphs.clear();
        let ends = poses[0].morphs.iter().zip(&poses[1].morphs);
        self.morphs.extend(ends.zip(&bends.morphs).map(|((&a, &b), growth)| {
            let out = off(growth);
            [a.min(b) - out, a.max(b) + out]
        }));
        self.deviations.clear();
        self.deviations.extend(bends.maps.iter().zip(centres).map(|(bend, &centre)| Deviation {
            at_centre: off(&bend.centre),
            per_metre: off(&bend.linear),
            centre,
        }));
        if self.deviations.iter().all(|deviation| deviation.at_centre == 0.0 && deviation.per_metre == 0.0) {
            self.deviations.clear();
        }
        self.set_maps(tree, &poses[usize::from(at_end)].maps);
    }

    /// Lays maps out and measures them; morph weights and deviations are in place.
    fn set_maps(&mut self, tree: &BoundTree, maps: &[Affine]) {
        self.maps.clear();
        let (mut stretch, mut shift): (f64, f64) = (0.0, 0.0);
        for map in maps {
            let lanes = |v: [f64; 3]| [v[0], v[1], v[2], 0.0];
            let column = |k: usize| lanes([map.linear[(0, k)], map.linear[(1, k)], map.linear[(2, k)]]);
            self.maps.push([column(0), column(1), column(2), lanes(map.shift.into())]);
            for axis in 0..3 {
                let row = map.linear.row(axis);
                stretch = stretch.max(row[0].abs() + row[1].abs() + row[2].abs());
                shift = shift.max(map.shift[axis].abs());
            }
        }
        let morphs = tree.morph_reach.iter().zip(&self.morphs);
        let reach =
            tree.reach + morphs.map(|(reach, weight)| reach * weight[0].abs().max(weight[1].abs())).sum::<f64>();
        let off = self.deviations.iter().fold(0.0, |most: f64, deviation| {
            let far = deviation.centre.iter().fold(reach, |far, x| far.max(reach + x.abs()));
            most.max(deviation.at_centre + 2.0 * far * deviation.per_metre)
        });
        self.size = stretch * reach + shift + off;
    }

    /// How many maps there are.
    pub fn map_count(&self) -> usize {
        self.maps.len()
    }
}
