//! How far a repaired or wrapped surface lies from the mesh that it was made of.
//!
//! Both directions are measured: a wrap lies outside of its mesh, while a part that a repair
//! dropped is missed by the surface that is left. Distances are taken at samples of every triangle,
//! as [`super::surface_samples`] places them; between two samples they differ by at most the
//! distance to the nearer one. The mean is by area.
//!
//! Cost: O(samples · log triangles), shared by threads.

use nalgebra::Vector3;

use super::error::ProxyError;
use super::fit::samples_of;
use super::solid::{Solid, checked_positions};
use super::surface::Surface;
use crate::mesh::Mesh;
use crate::threads;

/// Distances of two surfaces from each other, at samples, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Displacement {
    /// Largest distance of the new surface from the original one.
    pub farthest: f64,
    /// Mean of that distance over the area of the new surface.
    pub mean: f64,
    /// Largest distance of the original surface from the new one.
    pub left_behind: f64,
}

impl Displacement {
    /// Measures a solid against the mesh that it was made of, at samples at most `spacing` metres
    /// apart.
    ///
    /// # Errors
    /// Positions that do not match or are not finite, a mesh without triangles, a spacing that is
    /// not a positive number.
    pub fn measure(solid: &Solid, mesh: &Mesh, positions: &[[f64; 3]], spacing: f64) -> Result<Self, ProxyError> {
        let points = checked_positions(positions, mesh.vertex_count())?;
        let triangles: Vec<[u32; 3]> = mesh.present().map(|triangle| mesh.triangles()[triangle as usize]).collect();
        if triangles.is_empty() {
            return Err(ProxyError::NoVolume);
        }
        let corners = |triangles: &[[u32; 3]], points: &[Vector3<f64>]| -> Vec<[[f64; 3]; 3]> {
            triangles.iter().map(|corners| corners.map(|vertex| points[vertex as usize].into())).collect()
        };
        let original = Surface::new(&points, &triangles);
        let made = corners(solid.triangles(), solid.points());
        let (farthest, mean) = distances(&made, spacing, |place| original.nearest(place).distance)?;
        let distance = |place: &Vector3<f64>| solid.distance((*place).into());
        let (left_behind, _) = distances(&corners(&triangles, &points), spacing, distance)?;
        Ok(Self { farthest, mean, left_behind })
    }
}

/// Largest distance of samples of triangles, and its mean by area.
fn distances(
    triangles: &[[[f64; 3]; 3]],
    spacing: f64,
    distance: impl Fn(&Vector3<f64>) -> f64 + Send + Sync,
) -> Result<(f64, f64), ProxyError> {
    let mut samples: Vec<(u32, Vector3<f64>, f64)> =
        samples_of(triangles, spacing)?.into_iter().map(|(triangle, place)| (triangle, place.into(), 0.0)).collect();
    threads::for_each(&mut samples, |(_, place, found)| *found = distance(place));
    let farthest = samples.iter().map(|(_, _, found)| *found).fold(0.0, f64::max);
    let (mut sum, mut whole) = (0.0, 0.0);
    for own in samples.chunk_by(|a, b| a.0 == b.0) {
        let [a, b, c] = triangles[own[0].0 as usize].map(Vector3::from);
        let area = (b - a).cross(&(c - a)).norm() * 0.5;
        sum += area * own.iter().map(|(_, _, found)| found).sum::<f64>() / own.len() as f64;
        whole += area;
    }
    Ok((farthest, if whole > 0.0 { sum / whole } else { 0.0 }))
}
