//! Vertices that move linearly between two poses, at an interpolation parameter, blended in `f32`
//! with a proven margin.
//!
//! With constant morph weights a vertex is linear in the maps: the maps are interpolated, and the
//! vertex is blended once. With changing morph weights it is blended at both ends, and its
//! positions are interpolated.
//!
//! **Error.** Of blending, see [`super::rounded`]. Compared with the line between the two ends in
//! `f64`, the error is proportional to the sizes at the ends, which may be larger than those in
//! between: some 2⁻⁵⁰ of them, where the margin of an end is at least 2⁻²² of its size. So 2⁻²⁰ of
//! the margins of both ends is added; this also covers the interpolated maps, which are rounded in
//! `f64`.
//!
//! Of interpolation in `f32`: a difference, a product and a sum of coordinates of at most the size
//! of the larger end, and the parameter itself, add less than eight roundings. The margin of an end
//! is at least that of twenty terms, half of which is its own error. Twice the larger margin
//! therefore covers all.

use super::BoundTree;
use super::rounded::{RoundedPose, Skin};
use crate::reduced::{Affine, Pose, ReducedMesh};
use crate::simd::{self, Kernel, Simd};

/// Bound on the errors of both ends, whose positions are rounded to `f32`, in parts of their
/// margins: 2⁻⁴. A margin is at least forty roundings of the largest coordinate, and half of the
/// part pays for one.
const FAR_ENDS: f32 = 1.0 / 16.0;

/// A body whose points are its vertices.
#[derive(Debug)]
pub(in crate::reduced) struct Blended {
    skin: Skin,
    vertices: usize,
}

/// Two poses, and the interpolation parameter between them, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(in crate::reduced) struct Ends<'a> {
    pub(in crate::reduced) from: &'a Pose,
    pub(in crate::reduced) to: &'a Pose,
    pub(in crate::reduced) part: f64,
}

/// An interpolated pose, prepared for blending.
#[derive(Debug)]
pub(in crate::reduced) struct Between {
    pose: RoundedPose,
    /// With changing morph weights: the other end and the parameter.
    to: Option<(RoundedPose, f32)>,
    margin: f32,
}

impl Blended {
    /// Creates the data for blending. O(weights and displacements).
    pub(in crate::reduced) fn new(mesh: &ReducedMesh) -> Self {
        let vertices = mesh.vertex_count();
        Self { skin: Skin::of(mesh, 0..vertices as u32), vertices }
    }

    /// Computes the data that all vertices share; `None` if no bound is known. O(maps).
    pub(in crate::reduced) fn prepare(&self, tree: &BoundTree, Ends { from, to, part }: Ends<'_>) -> Option<Between> {
        let rounded = |pose: &Pose| {
            let mut rounded = RoundedPose::default();
            rounded.set(tree, &self.skin, pose);
            let margin = rounded.margin()?;
            Some((rounded, margin))
        };
        let (begin, margin_begin) = rounded(from)?;
        if std::ptr::eq(from, to) {
            return Some(Between { pose: begin, to: None, margin: margin_begin });
        }
        let (end, margin_end) = rounded(to)?;
        if from.morphs == to.morphs {
            let (pose, margin) = rounded(&between(from, to, part))?;
            return Some(Between { pose, to: None, margin: margin + FAR_ENDS * (margin_begin + margin_end) });
        }
        Some(Between { pose: begin, to: Some((end, part as f32)), margin: 2.0 * margin_begin.max(margin_end) })
    }

    /// Writes the positions of vertices and returns the margin; see
    /// [`KeyedBoxes::rounded_positions`](crate::bvh::KeyedBoxes::rounded_positions). O(weights of
    /// the vertices).
    pub(in crate::reduced) fn positions(&self, between: &Between, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
        debug_assert!(vertices.iter().all(|&vertex| (vertex as usize) < self.vertices));
        let skin = &self.skin;
        simd::run(Blend { skin, pose: &between.pose, vertices, out });
        if let Some((pose, part)) = &between.to {
            let mut there = vec![[0.0; 4]; out.len()];
            simd::run(Blend { skin, pose, vertices, out: &mut there });
            for (here, there) in out.iter_mut().zip(there) {
                for lane in 0..4 {
                    here[lane] += (there[lane] - here[lane]) * part;
                }
            }
        }
        between.margin
    }

    /// Bytes held.
    pub(in crate::reduced) fn bytes(&self) -> usize {
        self.skin.bytes()
    }
}

/// Interpolates two poses with equal morph weights.
fn between(from: &Pose, to: &Pose, part: f64) -> Pose {
    let maps = from.maps.iter().zip(&to.maps);
    let between = |(from, to): (&Affine, &Affine)| Affine {
        linear: from.linear + (to.linear - from.linear) * part,
        shift: from.shift + (to.shift - from.shift) * part,
    };
    Pose { maps: maps.map(between).collect(), morphs: from.morphs.clone() }
}

/// The kernel that blends some points.
struct Blend<'a> {
    skin: &'a Skin,
    pose: &'a RoundedPose,
    vertices: &'a [u32],
    out: &'a mut [[f32; 4]],
}

impl Kernel for Blend<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        for (out, &vertex) in self.out.iter_mut().zip(self.vertices) {
            *out = self.skin.point(machine, self.pose, vertex as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::BuildParams;
    use crate::mesh::Mesh;
    use crate::reduced::bounds::{BoundTree, RestBoxes};
    use crate::reduced::{Blend as Blending, Influences, ReducedDef, WeightPolicy};
    use crate::simd::Plain;

    /// Maps that nearly cancel in between: the errors of the line between both ends are those of
    /// the ends.
    #[test]
    fn where_ends_cancel_each_other_their_errors_are_paid_for() {
        let place = |number: usize| {
            let x = number as f32;
            [0.37 + x.sin(), 1.9 * (1.7 * x).cos() - 0.11, (0.3 * x).sin() + 3.3]
        };
        let rest: Vec<[f32; 3]> = (0..30).map(place).collect();
        let mesh = Mesh::new(30, (0..10).map(|number| [3 * number, 3 * number + 1, 3 * number + 2]).collect()).unwrap();
        let weights = |vertex: i32| vec![(0u32, 1.0 / 3.0), (1, 2.0 / 3.0 * f64::from(vertex % 2) + 0.1)];
        let lists: Vec<Vec<(u32, f64)>> = (0..30).map(weights).collect();
        let influences = Influences::convex(2, lists, WeightPolicy::Repair).unwrap();
        let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blending::Linear };
        let body = ReducedMesh::new(def).unwrap();
        let rest: Vec<[f64; 3]> = body.rest_positions().iter().map(|place| place.map(f64::from)).collect();
        let topology = crate::bvh::Topology::build(body.mesh(), &rest, BuildParams::default());
        let tree = BoundTree::over(&body, topology, RestBoxes::Aligned).unwrap();
        let blended = Blended::new(&body);
        let vertices: Vec<u32> = (0..30).collect();
        let mut out = vec![[0.0; 4]; 30];
        let mut errors = 0;
        for round in 0..40 {
            let turn = f64::from(round) * 0.7;
            let row = |k: f64| [(turn + k).sin(), (1.3 * turn + k).cos(), (turn * k).sin(), 2.0 * (turn - k).cos()];
            let map = Affine::from_rows([row(1.0), row(2.0), row(3.0)]);
            let from = Pose { maps: vec![map; 2], morphs: Vec::new() };
            let opposite = Affine { linear: -map.linear / 3.0, shift: -map.shift / 3.0 };
            let to = Pose { maps: vec![opposite; 2], morphs: Vec::new() };
            let between = blended.prepare(&tree, Ends { from: &from, to: &to, part: 0.75 }).unwrap();
            let margin = f64::from(blended.positions(&between, &vertices, &mut out));
            for (&vertex, place) in vertices.iter().zip(&out) {
                // As the sampler gives them at keys.
                let [a, b] = [&from, &to].map(|pose| body.position(pose, vertex).map(|x| f64::from(x as f32)));
                for axis in 0..3 {
                    let line = a[axis] + (b[axis] - a[axis]) * 0.75;
                    let error = (line - f64::from(place[axis])).abs();
                    assert!(error <= 0.5 * margin, "{error} of {margin}");
                    errors += usize::from(error > 0.0);
                }
            }
            let mut plain = vec![[0.0; 4]; 30];
            let (skin, pose) = (&blended.skin, &between.pose);
            Blend { skin, pose, vertices: &vertices, out: &mut plain }.run(Plain);
            assert_eq!(plain, out);
        }
        assert!(errors > 100, "{errors}");
    }
}
