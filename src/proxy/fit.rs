//! How well spheres fit a solid: distances at samples of its surface, volumes.
//!
//! Samples lie on a regular grid of every triangle, corners and sides included, so large triangles
//! are measured between their corners too. Between samples a distance differs by at most the
//! distance to the nearest sample.
//!
//! Cost: O(samples · spheres), and the nodes of a grid over the solid and the spheres for the
//! volume of the latter.

use super::error::ProxyError;
use super::field::Resolution;
use super::packing::squared_distance;
use super::solid::Solid;
use crate::limits;
use crate::motion::Sphere;

/// Most samples of a surface; more are spread wider.
const MOST_SAMPLES: usize = 1 << 21;

/// Most samples along a side of a triangle.
const MOST_STEPS: f64 = 1024.0;

/// How well spheres fit a solid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Fit {
    /// Samples of the surface.
    pub samples: usize,
    /// Largest distance of a sample outside all spheres from them, metres.
    pub largest_gap: f64,
    /// Mean of that distance, where samples inside a sphere count as 0, metres.
    pub mean_gap: f64,
    /// Share of samples whose distance is at most the limit, 0 to 1.
    pub covered: f64,
    /// How far a sphere extends beyond the solid at most, metres; of a sphere outside, to its far
    /// side.
    pub beyond: f64,
    /// Volume of the solid, cubic metres.
    pub volume: f64,
    /// Volume of all spheres together, inside and outside of the solid, cubic metres: counted on a
    /// grid, overlaps once.
    pub sphere_volume: f64,
}

/// Samples of the surface of a solid, at most `spacing` metres apart on each triangle. Wider where
/// these would be more than two million.
///
/// # Errors
/// A spacing that is not a positive number.
pub fn surface_samples(solid: &Solid, spacing: f64) -> Result<Vec<[f64; 3]>, ProxyError> {
    let corners: Vec<[[f64; 3]; 3]> =
        solid.triangles().iter().map(|t| t.map(|vertex| solid.points()[vertex as usize].into())).collect();
    Ok(samples_of(&corners, spacing)?.into_iter().map(|(_, sample)| sample).collect())
}

/// The same of triangles by their corners; each sample with the number of its triangle.
pub(super) fn samples_of(corners: &[[[f64; 3]; 3]], spacing: f64) -> Result<Vec<(u32, [f64; 3])>, ProxyError> {
    if !(spacing > 0.0 && spacing.is_finite()) {
        return Err(ProxyError::Resolution { value: spacing });
    }
    let steps = |triangle: &[[f64; 3]; 3], spacing: f64| -> usize {
        let side = |i: usize| squared_distance(triangle[i], triangle[(i + 1) % 3]).sqrt();
        (side(0).max(side(1)).max(side(2)) / spacing).ceil().clamp(1.0, MOST_STEPS) as usize
    };
    let count = |spacing: f64| -> usize {
        corners.iter().map(|triangle| steps(triangle, spacing)).map(|n| (n + 1) * (n + 2) / 2).sum()
    };
    let mut spacing = spacing;
    // With one step a triangle nothing becomes less.
    while count(spacing) > MOST_SAMPLES.max(3 * corners.len()) {
        spacing *= 2.0;
    }
    let mut samples = Vec::with_capacity(count(spacing));
    for (number, [a, b, c]) in (0..).zip(corners) {
        let n = steps(&[*a, *b, *c], spacing);
        for i in 0..=n {
            for j in 0..=n - i {
                let [u, v] = [i, j].map(|step| step as f64 / n as f64);
                let sample = [0, 1, 2].map(|axis| a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]));
                samples.push((number, sample));
            }
        }
    }
    Ok(samples)
}

/// The least number of the first spheres from which no sample is farther than `distance` metres;
/// `None` where all of them do not suffice. O(samples · spheres).
pub fn spheres_within(samples: &[[f64; 3]], spheres: &[Sphere], distance: f64) -> Option<usize> {
    let mut left: Vec<[f64; 3]> = samples.to_vec();
    for (count, sphere) in spheres.iter().enumerate() {
        if left.is_empty() {
            return Some(count);
        }
        let reach = sphere.radius + distance;
        left.retain(|&sample| sphere.radius <= 0.0 || squared_distance(sample, sphere.centre).sqrt() > reach);
    }
    left.is_empty().then_some(spheres.len())
}

impl Fit {
    /// Measures spheres against a solid, at samples of its surface. `limit` is the distance up to
    /// which a sample counts as covered, metres; `resolution` that of the grid for the spheres'
    /// volume.
    ///
    /// # Errors
    /// A limit that is negative or not a number; a grid that is not possible; a sphere that is not
    /// finite.
    pub fn measure(
        solid: &Solid,
        samples: &[[f64; 3]],
        spheres: &[Sphere],
        limit: f64,
        resolution: Resolution,
    ) -> Result<Self, ProxyError> {
        if !(limit >= 0.0) {
            return Err(ProxyError::Number { what: "limit of coverage", index: 0, value: limit });
        }
        let gaps: Vec<f64> =
            super::quality::signed_distances(samples, spheres).into_iter().map(|gap| gap.max(0.0)).collect();
        let count = gaps.len().max(1) as f64;
        let beyond = spheres.iter().filter(|sphere| sphere.radius > 0.0).map(|sphere| solid.protrusion(sphere));
        Ok(Self {
            samples: gaps.len(),
            largest_gap: gaps.iter().copied().fold(0.0, f64::max),
            mean_gap: gaps.iter().sum::<f64>() / count,
            covered: gaps.iter().filter(|gap| **gap <= limit).count() as f64 / count,
            beyond: beyond.fold(0.0, f64::max),
            volume: solid.volume(),
            sphere_volume: sphere_volume(solid, spheres, resolution)?,
        })
    }

    /// The measurements by their names, as files have them.
    pub fn entries(&self) -> Vec<(String, f64)> {
        let entries = [
            ("samples", self.samples as f64),
            ("largest_gap", self.largest_gap),
            ("mean_gap", self.mean_gap),
            ("covered", self.covered),
            ("beyond", self.beyond),
            ("volume", self.volume),
            ("sphere_volume", self.sphere_volume),
        ];
        entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// The volume of nodes in any sphere: of the solid's grid, continued to the ends of the spheres.
/// Its cells are larger where it would be too large.
fn sphere_volume(solid: &Solid, spheres: &[Sphere], resolution: Resolution) -> Result<f64, ProxyError> {
    let spheres = || spheres.iter().enumerate().filter(|(_, sphere)| sphere.radius > 0.0);
    let mut grid = resolution.grid(&solid.bounds())?;
    let mut bounds = solid.bounds();
    for (index, sphere) in spheres() {
        for reach in [-sphere.radius, sphere.radius] {
            let end = sphere.centre.map(|x| x + reach);
            if let Some(&value) = end.iter().find(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
                return Err(ProxyError::Number { what: "extent of sphere", index, value });
            }
            bounds.include(&end);
        }
    }
    if bounds != solid.bounds() {
        let mut cell = grid.cell();
        grid = loop {
            match Resolution::CellSize(cell).grid(&bounds) {
                Err(ProxyError::FieldTooLarge { .. }) => cell *= 2.0,
                result => break result?,
            }
        };
    }
    let mut is_inside = vec![false; grid.node_count()];
    for (_, sphere) in spheres() {
        grid.nodes_within(sphere.centre, sphere.radius, |node| is_inside[node] = true);
    }
    Ok(is_inside.iter().filter(|is| **is).count() as f64 * grid.cell().powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::proxy::Faults;

    fn cube(side: f64) -> Solid {
        let corner = |i: u32| [i & 1, i >> 1 & 1, i >> 2].map(|bit| f64::from(bit) * side);
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let places: Vec<[f64; 3]> = (0..8).map(corner).collect();
        Solid::new(&Mesh::new(8, triangles).unwrap(), &places, Faults::Refuse).unwrap().0
    }

    #[test]
    fn a_ball_in_a_cube() {
        let (cube, ball) = (cube(2.0), Sphere { centre: [1.0; 3], radius: 1.0 });
        let samples = surface_samples(&cube, 0.25).unwrap();
        assert_eq!(samples.len(), 12 * 13 * 14 / 2);
        let fit = Fit::measure(&cube, &samples, &[ball], 0.5, Resolution::CellSize(0.02)).unwrap();
        // The corners are farthest.
        assert!((fit.largest_gap - (3f64.sqrt() - 1.0)).abs() < 1e-12, "{fit:?}");
        assert!((fit.volume - 8.0).abs() < 1e-12 && fit.beyond < 1e-12, "{fit:?}");
        assert!((fit.sphere_volume - 4.0 / 3.0 * std::f64::consts::PI).abs() < 0.05, "{fit:?}");
        assert!(fit.covered > 0.5 && fit.covered < 1.0 && fit.mean_gap > 0.0);
        let larger = Fit::measure(&cube, &samples, &[Sphere { radius: 1.5, ..ball }], 0.0, Resolution::CellSize(0.1));
        assert!((larger.unwrap().beyond - 0.5).abs() < 1e-9);
        let none = Sphere { centre: [9.0; 3], radius: 0.0 };
        assert_eq!(spheres_within(&samples, &[none, ball, ball], 0.74), Some(2));
        assert_eq!(spheres_within(&samples, &[none, ball], 0.73), None);
        assert!(surface_samples(&cube, f64::NAN).is_err());
    }

    #[test]
    fn spheres_beyond_the_cube_are_measured_as_a_whole() {
        let cube = cube(2.0);
        let fit = |spheres: &[Sphere], resolution: Resolution| {
            Fit::measure(&cube, &[[0.0; 3]], spheres, 0.0, resolution).unwrap()
        };
        let outside = Sphere { centre: [5.0, 1.0, 1.0], radius: 0.5 };
        assert!((fit(&[outside], Resolution::CellSize(0.1)).beyond - 3.5).abs() < 1e-9);
        let around = Sphere { centre: [1.0; 3], radius: 3.0 };
        let whole = 36.0 * std::f64::consts::PI;
        for resolution in [Resolution::CellSize(0.1), Resolution::CellsAlongLongest(20)] {
            let found = fit(&[around, outside], resolution);
            assert!((found.sphere_volume / (whole + 0.4) - 1.0).abs() < 0.01 && found.beyond > 3.4, "{found:?}");
            // Overlaps once, and what is far away makes the grid wider.
            let far = Sphere { centre: [1.0, 1.0, 2e5], radius: 3.0 };
            let found = fit(&[around, around, far], resolution);
            assert!((found.sphere_volume / (2.0 * whole) - 1.0).abs() < 0.5, "{found:?}");
        }
        let endless = Sphere { centre: [1.0; 3], radius: f64::INFINITY };
        assert!(Fit::measure(&cube, &[], &[endless], 0.0, Resolution::CellSize(0.1)).is_err());
    }
}
