//! Quality of a proxy: distances of the mesh's vertices from the surface of the union of spheres,
//! and uncovered vertices.
//!
//! For a vertex outside all spheres, the distance from the union is that from the nearest sphere,
//! exactly. For a vertex inside, it is the largest depth in any sphere, a lower bound of the
//! distance from the union's surface. Packed spheres lie inside the mesh, so such vertices occur
//! only in blends. Spheres of radius 0 (centres mapped outside) cover nothing.
//!
//! A vertex is *uncovered* if its distance outside exceeds the caller's limit. A *gap* is a
//! connected patch of uncovered vertices.
//!
//! Cost: O(vertices · spheres) per pose or time. Follows the paper's §4 (figures 5 and 6: median
//! and maximum).

use std::fmt::Write;

use super::clip::{SphereClip, blend_vertices};
use super::error::ProxyError;
use super::packing::squared_distance;
use super::pose::Proxy;
use super::solid::Solid;
use super::track::PoseTrack;
use crate::motion::Sphere;
use crate::sets::DisjointSets;
use crate::threads;

/// Measurements of one pose or time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Coverage {
    /// Median distance of the mesh's vertices from the union's surface, metres.
    pub median: f64,
    /// Largest distance, metres.
    pub maximum: f64,
    /// Fraction of uncovered vertices, 0 to 1.
    pub uncovered: f64,
    /// Number of connected patches of uncovered vertices.
    pub gaps: usize,
    /// Number of vertices inside a sphere.
    pub inside: usize,
}

/// Coverage in several poses, or at several times.
#[derive(Clone, Debug, PartialEq)]
pub struct QualityReport {
    /// The name of the measured object.
    pub name: String,
    /// The number of spheres.
    pub spheres: usize,
    /// Distance above which a vertex counts as uncovered, metres.
    pub limit: f64,
    /// Name of the first column: `pose`, or `time_s`.
    pub column: &'static str,
    /// Pose number or time in seconds, and the measurements.
    pub rows: Vec<(f64, Coverage)>,
}

/// Signed distances of vertices from a union of spheres, metres, negative inside; infinite without
/// spheres.
pub fn signed_distances(vertices: &[[f64; 3]], spheres: &[Sphere]) -> Vec<f64> {
    let to_union = |vertex: &[f64; 3]| {
        let each = spheres.iter().filter(|sphere| sphere.radius > 0.0);
        each.map(|sphere| squared_distance(*vertex, sphere.centre).sqrt() - sphere.radius).fold(f64::INFINITY, f64::min)
    };
    let mut pairs: Vec<(&[f64; 3], f64)> = vertices.iter().map(|vertex| (vertex, 0.0)).collect();
    threads::for_each(&mut pairs, |(vertex, distance)| *distance = to_union(vertex));
    pairs.into_iter().map(|(_, distance)| distance).collect()
}

impl Coverage {
    /// Measures the vertices of the triangles. O(vertices · spheres).
    ///
    /// # Errors
    /// A limit that is negative or not a number; a triangle that names a vertex that does not
    /// exist.
    pub fn measure(
        vertices: &[[f64; 3]],
        triangles: &[[u32; 3]],
        spheres: &[Sphere],
        limit: f64,
    ) -> Result<Self, ProxyError> {
        if !(limit >= 0.0) {
            return Err(ProxyError::Number { what: "limit of coverage", index: 0, value: limit });
        }
        let mut is_used = vec![false; vertices.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            for &vertex in corners {
                let missing = ProxyError::TriangleVertex { triangle, vertex, vertices: vertices.len() };
                *is_used.get_mut(vertex as usize).ok_or(missing)? = true;
            }
        }
        let signed = signed_distances(vertices, spheres);
        let is_uncovered: Vec<bool> = signed.iter().zip(&is_used).map(|(d, used)| *used && *d > limit).collect();
        let used = || signed.iter().zip(&is_used).filter(|(_, used)| **used).map(|(distance, _)| *distance);
        let mut distances: Vec<f64> = used().map(f64::abs).collect();
        if distances.is_empty() {
            return Ok(Self { median: 0.0, maximum: 0.0, uncovered: 0.0, gaps: 0, inside: 0 });
        }
        distances.sort_unstable_by(f64::total_cmp);
        let count = distances.len();
        Ok(Self {
            median: f64::midpoint(distances[(count - 1) / 2], distances[count / 2]),
            maximum: distances[count - 1],
            uncovered: is_uncovered.iter().filter(|is| **is).count() as f64 / count as f64,
            gaps: patches(triangles, &is_uncovered),
            inside: used().filter(|distance| *distance < 0.0).count(),
        })
    }
}

/// Connected components of the marked vertices along the sides of triangles.
fn patches(triangles: &[[u32; 3]], is_marked: &[bool]) -> usize {
    let mut sets = DisjointSets::new(is_marked.len());
    for corners in triangles {
        for (p, q) in [(0, 1), (1, 2), (2, 0)] {
            let [p, q] = [corners[p], corners[q]];
            if is_marked[p as usize] && is_marked[q as usize] {
                sets.join(p, q);
            }
        }
    }
    (0..is_marked.len() as u32).filter(|&vertex| is_marked[vertex as usize] && sets.root(vertex) == vertex).count()
}

impl Proxy {
    /// Measures every pose against its mesh. O(poses · vertices · spheres).
    ///
    /// # Errors
    /// Another number of example poses than the proxy's; a limit that is negative or not a number.
    pub fn quality_of_poses(&self, rest: &Solid, poses: &[Solid], limit: f64) -> Result<QualityReport, ProxyError> {
        if poses.len() + 1 != self.pose_count() {
            return Err(ProxyError::TrackPoses { found: poses.len() + 1, wanted: self.pose_count() });
        }
        let mut report = self.report("poses", limit, "pose");
        for (pose, solid) in std::iter::once(rest).chain(poses).enumerate() {
            let vertices: Vec<[f64; 3]> = solid.points().iter().map(|&point| point.into()).collect();
            let coverage = Coverage::measure(&vertices, solid.triangles(), &self.poses[pose], limit)?;
            report.rows.push((pose as f64, coverage));
        }
        Ok(report)
    }

    /// Measures a clip at the given times, in the body's frame: blended spheres against the mesh
    /// blended with the same weights.
    ///
    /// # Errors
    /// A track for another number of poses or sites; a limit that is negative or not a number.
    pub fn quality_of_clip(
        &self,
        rest: &Solid,
        poses: &[Solid],
        track: &PoseTrack,
        times: &[f64],
        limit: f64,
    ) -> Result<QualityReport, ProxyError> {
        let meshes: Vec<Vec<[f64; 3]>> = std::iter::once(rest)
            .chain(poses)
            .map(|solid| solid.points().iter().map(|&point| point.into()).collect())
            .collect();
        let sites: Vec<u32> = meshes[0].iter().map(|&vertex| self.nearest_site(vertex)).collect();
        let keys: SphereClip = self.keys(track)?;
        let mut report = self.report("clip", limit, "time_s");
        for &time in times {
            let vertices = blend_vertices(&meshes, &sites, track, time)?;
            let spheres: Vec<Sphere> = (0..keys.sphere_count()).map(|sphere| keys.known_at(sphere, time)).collect();
            report.rows.push((time, Coverage::measure(&vertices, rest.triangles(), &spheres, limit)?));
        }
        Ok(report)
    }

    fn report(&self, name: &str, limit: f64, column: &'static str) -> QualityReport {
        QualityReport { name: name.into(), spheres: self.sphere_count(), limit, column, rows: Vec::new() }
    }
}

impl QualityReport {
    /// Largest distance in any row, metres.
    pub fn worst(&self) -> f64 {
        self.rows.iter().fold(0.0, |worst, (_, coverage)| f64::max(worst, coverage.maximum))
    }

    /// A text table.
    pub fn text(&self) -> String {
        let mut text = format!("{}: {} spheres, uncovered from {} m\n", self.name, self.spheres, self.limit);
        let _ = writeln!(
            text,
            "{:>8} {:>10} {:>10} {:>10} {:>5} {:>7}",
            self.column, "median m", "maximum m", "uncovered", "gaps", "inside"
        );
        for (at, coverage) in &self.rows {
            let Coverage { median, maximum, uncovered, gaps, inside } = coverage;
            let _ = writeln!(
                text,
                "{at:>8} {median:>10.4} {maximum:>10.4} {:>9.1}% {gaps:>5} {inside:>7}",
                100.0 * uncovered
            );
        }
        text
    }

    /// The rows as comma-separated values, with a header.
    pub fn csv(&self) -> String {
        let mut text = format!("{},median_m,maximum_m,uncovered,gaps,inside\n", self.column);
        for (at, coverage) in &self.rows {
            let Coverage { median, maximum, uncovered, gaps, inside } = coverage;
            let _ = writeln!(text, "{at},{median},{maximum},{uncovered},{gaps},{inside}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_two_spheres() {
        let spheres = [
            Sphere { centre: [0.0; 3], radius: 1.0 },
            Sphere { centre: [4.0, 0.0, 0.0], radius: 1.0 },
            Sphere { centre: [9.0, 0.0, 0.0], radius: 0.0 },
        ];
        let vertices = [[2.0, 0.0, 0.0], [0.5, 0.0, 0.0], [9.0, 0.0, 0.0], [70.0, 0.0, 0.0]];
        assert_eq!(signed_distances(&vertices, &spheres), [1.0, -0.5, 4.0, 65.0]);
        let coverage = Coverage::measure(&vertices, &[[0, 1, 2]], &spheres, 0.9).unwrap();
        assert_eq!((coverage.median, coverage.maximum, coverage.inside), (1.0, 4.0, 1));
        assert_eq!(coverage.uncovered, 2.0 / 3.0);
        // The two uncovered corners share a side.
        assert_eq!(coverage.gaps, 1);
        assert!(Coverage::measure(&vertices, &[], &spheres, f64::NAN).is_err());
    }
}
