//! Embedding in few tetrahedra: vertices keep their barycentric coordinates.
//!
//! A vertex is the combination `Σ b_j x_j` of the four corners of one tetrahedron, so its
//! influences are nodes with constant maps. A vertex outside all tetrahedra belongs to the one with
//! the largest smallest coordinate, and has negative coordinates there.

use nalgebra::{Matrix3, Vector3};

use super::pose::check_places;
use super::{Affine, Influences, Pose, PoseKeys, ReducedError};
use crate::motion::Outside;

/// A tetrahedral mesh at rest.
#[derive(Clone, Debug)]
pub struct Tetrahedra {
    places: Vec<[f64; 3]>,
    corners: Vec<[u32; 4]>,
    /// Per tetrahedron, the map from a position to its last three barycentric coordinates.
    coordinates: Vec<Affine>,
}

impl Tetrahedra {
    /// Creates nodes at rest, metres, and their tetrahedra, of either orientation.
    ///
    /// # Errors
    /// No tetrahedron, positions that are not usable, tetrahedra that are flat or name nodes that
    /// do not exist.
    pub fn new(places: Vec<[f64; 3]>, tetrahedra: Vec<[u32; 4]>) -> Result<Self, ReducedError> {
        if tetrahedra.is_empty() {
            return Err(ReducedError::BadTetrahedron { tetrahedron: 0 });
        }
        check_places(&places)?;
        let mut coordinates = Vec::with_capacity(tetrahedra.len());
        for (tetrahedron, corners) in tetrahedra.iter().enumerate() {
            if corners.iter().any(|&corner| corner as usize >= places.len()) {
                return Err(ReducedError::BadTetrahedron { tetrahedron });
            }
            let corner = |i: usize| Vector3::from(places[corners[i] as usize]);
            let sides = Matrix3::from_columns(&[corner(1) - corner(0), corner(2) - corner(0), corner(3) - corner(0)]);
            let inverse = Affine { linear: sides, shift: corner(0) }.inverse();
            coordinates.push(inverse.ok_or(ReducedError::BadTetrahedron { tetrahedron })?);
        }
        Ok(Self { places, corners: tetrahedra, coordinates })
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.places.len()
    }

    /// Barycentric weights of vertices, for a [`super::ReducedMesh`] with
    /// [`super::Blend::Combination`]. O(vertices × tetrahedra).
    ///
    /// # Errors
    /// A vertex whose coordinates are not finite; none for usable positions.
    pub fn influences(&self, rest: &[[f32; 3]]) -> Result<Influences, ReducedError> {
        let lists = rest.iter().map(|position| {
            let position = Vector3::from(position.map(f64::from));
            let mut best: Option<(f64, usize, [f64; 4])> = None;
            for (tetrahedron, map) in self.coordinates.iter().enumerate() {
                let last = map.apply(&position);
                let weights = [1.0 - last.x - last.y - last.z, last.x, last.y, last.z];
                let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
                if best.is_none_or(|(before, ..)| least > before) {
                    best = Some((least, tetrahedron, weights));
                }
            }
            best.map_or(Vec::new(), |(_, tetrahedron, weights)| {
                self.corners[tetrahedron].iter().copied().zip(weights).collect()
            })
        });
        Influences::combination(self.places.len(), lists)
    }

    /// Computes the pose of nodes at given positions, metres.
    ///
    /// # Errors
    /// Not one position per node.
    pub fn pose(&self, places: &[[f64; 3]], pose: &mut Pose) -> Result<(), ReducedError> {
        if places.len() != self.places.len() {
            return Err(ReducedError::MapCount { expected: self.places.len(), found: places.len() });
        }
        pose.maps.clear();
        pose.maps.extend(places.iter().map(|&place| Affine::constant(place)));
        pose.morphs.clear();
        Ok(())
    }

    /// Creates a driver of nodes that move linearly between keys, from their positions at each key
    /// time, metres.
    ///
    /// # Errors
    /// As [`Tetrahedra::pose`] and [`PoseKeys::new`].
    pub fn driver(&self, times: &[f64], places: &[Vec<[f64; 3]>], outside: Outside) -> Result<PoseKeys, ReducedError> {
        let mut poses = Vec::with_capacity(places.len());
        for key in places {
            let mut pose = Pose::default();
            self.pose(key, &mut pose)?;
            poses.push(pose);
        }
        PoseKeys::new(times, poses, self.places.clone(), outside)
    }
}
