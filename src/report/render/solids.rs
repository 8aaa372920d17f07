//! Triangles that draw spheres and spans of patches.

use std::f64::consts::PI;

use crate::mesh::{Patches, Primitives};
use crate::motion::Sphere;

/// Circles of latitude of a ball, both poles included.
const RINGS: usize = 9;
/// Corners of each circle.
const CORNERS: usize = 14;
/// Cells along each side of a span.
const CELLS: usize = 6;

/// Positions, triangles, and how many of these each primitive has.
type Drawn = (Vec<[f64; 3]>, Vec<[u32; 3]>, usize);

/// Balls of flat triangles, whose corners lie on the spheres.
pub(super) fn balls(spheres: &[Sphere]) -> Drawn {
    let unit = unit_ball();
    let faces = ball_faces();
    let mut positions = Vec::with_capacity(spheres.len() * unit.len());
    let mut triangles = Vec::with_capacity(spheres.len() * faces.len());
    for Sphere { centre, radius } in spheres {
        let first = positions.len() as u32;
        positions.extend(unit.iter().map(|at| [0, 1, 2].map(|axis| centre[axis] + radius * at[axis])));
        triangles.extend(faces.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    (positions, triangles, faces.len())
}

fn unit_ball() -> Vec<[f64; 3]> {
    let mut corners = vec![[0.0, 0.0, 1.0]];
    for ring in 1..RINGS - 1 {
        let (sine, height) = libm::sincos(PI * ring as f64 / (RINGS - 1) as f64);
        for corner in 0..CORNERS {
            let (y, x) = libm::sincos(2.0 * PI * corner as f64 / CORNERS as f64);
            corners.push([sine * x, sine * y, height]);
        }
    }
    corners.push([0.0, 0.0, -1.0]);
    corners
}

fn ball_faces() -> Vec<[u32; 3]> {
    let at = |ring: usize, corner: usize| (1 + (ring - 1) * CORNERS + corner % CORNERS) as u32;
    let (last, south) = (RINGS - 2, (1 + (RINGS - 2) * CORNERS) as u32);
    let mut faces = Vec::new();
    for corner in 0..CORNERS {
        faces.push([0, at(1, corner), at(1, corner + 1)]);
        for ring in 1..last {
            let [a, b] = [at(ring, corner), at(ring, corner + 1)];
            let [c, d] = [at(ring + 1, corner), at(ring + 1, corner + 1)];
            faces.extend([[a, c, d], [a, d, b]]);
        }
        faces.push([at(last, corner), south, at(last, corner + 1)]);
    }
    faces
}

/// Spans as grids of points of the surface, for control points at `positions`.
pub(super) fn spans(patches: &Patches, positions: &[[f64; 3]]) -> Drawn {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for span in 0..patches.primitive_count() {
        let net: Vec<[f64; 3]> = patches.points_of(span).iter().map(|&vertex| positions[vertex as usize]).collect();
        let first = points.len() as u32;
        for row in 0..=CELLS {
            for column in 0..=CELLS {
                let at = [row, column].map(|step| step as f64 / CELLS as f64);
                points.push(patches.evaluate(span as u32, at, &net).unwrap_or_default());
            }
        }
        let at = |row: usize, column: usize| first + (row * (CELLS + 1) + column) as u32;
        for row in 0..CELLS {
            for column in 0..CELLS {
                let [a, b] = [at(row, column), at(row, column + 1)];
                let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
                triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    (points, triangles, 2 * CELLS * CELLS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each side of a ball's triangles belongs to two of them, once in each direction.
    #[test]
    fn balls_are_closed() {
        let (positions, triangles, each) = balls(&[Sphere { centre: [1.0, 2.0, 3.0], radius: 0.5 }]);
        assert_eq!(triangles.len(), each);
        let mut sides: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        sides.sort_unstable();
        assert!(sides.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(sides.iter().all(|&[a, b]| sides.binary_search(&[b, a]).is_ok()));
        let distance = |p: &[f64; 3]| ((p[0] - 1.0).powi(2) + (p[1] - 2.0).powi(2) + (p[2] - 3.0).powi(2)).sqrt();
        assert!(positions.iter().all(|p| (distance(p) - 0.5).abs() < 1e-12));
    }
}
