//! Static meshes with a requested number of triangles: sphere, box, grid, torus, body of
//! revolution.
//!
//! Closed shapes are welded (every edge belongs to two triangles) and oriented outwards. Counts are
//! the nearest that the shape's subdivision allows; each function states the difference. Requests
//! are clamped to the smallest sensible mesh from below and to [`MOST_TRIANGLES`] from above.

use core::f64::consts::TAU;
use std::collections::BTreeMap;

use super::{MOST_TRIANGLES, Mesh, Vector, grid_triangles, stored};

/// Nearest whole `n` ≥ `least` with `per_square` · n² near `triangles`.
pub(super) fn subdivision(triangles: usize, per_square: f64, least: usize) -> usize {
    let wanted = triangles.min(MOST_TRIANGLES) as f64;
    ((wanted / per_square).sqrt().round() as usize).max(least)
}

/// A geodesic sphere about the origin: an icosahedron whose faces are cut into n² triangles and
/// pushed to the sphere.
///
/// 20·n² triangles, n ≥ 1: off the request by at most √(20 · `triangles`) + 5.
///
/// ```
/// let sphere = kinetree::scenes::shapes::icosphere(1_000, 0.5);
/// assert_eq!(sphere.triangles.len(), 980);
/// ```
pub fn icosphere(triangles: usize, radius: f64) -> Mesh {
    let (directions, triangles) = geodesic_directions(subdivision(triangles, 20.0, 1));
    Mesh {
        name: "icosphere".into(),
        triangles,
        positions: directions.iter().map(|direction| stored(&(direction * radius))).collect(),
    }
}

/// Unit vectors and triangles of a geodesic sphere with 20·`cuts`² triangles.
pub(super) fn geodesic_directions(cuts: usize) -> (Vec<Vector>, Vec<[u32; 3]>) {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut corners = Vec::with_capacity(12);
    for sign in [1.0, -1.0] {
        for other in [golden, -golden] {
            corners.push(Vector::new(0.0, sign, other));
            corners.push(Vector::new(sign, other, 0.0));
            corners.push(Vector::new(other, 0.0, sign));
        }
    }
    // Faces are the corner triples at mutual distance 2, oriented outwards.
    let near = |a: usize, b: usize| (corners[a] - corners[b]).norm_squared() < 5.0;
    let mut faces = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let outwards = corners[a].dot(&corners[b].cross(&corners[c])) > 0.0;
                    faces.push(if outwards { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }

    // A lattice point on an edge or corner is shared; its barycentric weights by corner name it.
    let mut directions = Vec::with_capacity(10 * cuts * cuts + 2);
    let mut names: BTreeMap<[(usize, usize); 3], u32> = BTreeMap::new();
    let mut triangles = Vec::with_capacity(20 * cuts * cuts);
    let mut lattice = Vec::new();
    for face in faces {
        lattice.clear();
        for i in 0..=cuts {
            for j in 0..=cuts - i {
                let weights = [cuts - i - j, i, j];
                let mut name = [0, 1, 2].map(|k| if weights[k] == 0 { (usize::MAX, 0) } else { (face[k], weights[k]) });
                name.sort_unstable();
                let interior = weights.iter().all(|&weight| weight > 0);
                let next = directions.len() as u32;
                let index = if interior { next } else { *names.entry(name).or_insert(next) };
                if index == next {
                    // Summed in corner order, so that both faces of an edge would give the same
                    // bits.
                    let mut point = Vector::zeros();
                    for (corner, weight) in name {
                        if weight > 0 {
                            point += corners[corner] * weight as f64;
                        }
                    }
                    directions.push(point.normalize());
                }
                lattice.push(index);
            }
        }
        let at = |i: usize, j: usize| lattice[i * (cuts + 1) - i * i.saturating_sub(1) / 2 + j];
        for i in 0..cuts {
            for j in 0..cuts - i {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < cuts {
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    (directions, triangles)
}

/// A box about the origin with the given half extents, each side cut into n² cells.
///
/// 12·n² triangles, n ≥ 1: off the request by at most √(12 · `triangles`) + 3.
pub fn cuboid(triangles: usize, half_extents: [f64; 3]) -> Mesh {
    let cuts = subdivision(triangles, 12.0, 1);
    let mut positions = Vec::new();
    let mut names: BTreeMap<[usize; 3], u32> = BTreeMap::new();
    let mut indices = Vec::with_capacity(12 * cuts * cuts);
    for axis in 0..3 {
        for far in [false, true] {
            // (u, v, axis) is right-handed; for the near side, seen from outside, u and v are
            // exchanged.
            let [u, v] = if far { [(axis + 1) % 3, (axis + 2) % 3] } else { [(axis + 2) % 3, (axis + 1) % 3] };
            let mut corner = |i: usize, j: usize| {
                let mut name = [0; 3];
                name[axis] = if far { cuts } else { 0 };
                name[u] = i;
                name[v] = j;
                *names.entry(name).or_insert_with(|| {
                    positions
                        .push([0, 1, 2].map(|k| ((2.0 * name[k] as f64 / cuts as f64 - 1.0) * half_extents[k]) as f32));
                    positions.len() as u32 - 1
                })
            };
            for j in 0..cuts {
                for i in 0..cuts {
                    let [a, b] = [corner(i, j), corner(i + 1, j)];
                    let [c, d] = [corner(i, j + 1), corner(i + 1, j + 1)];
                    indices.extend([[a, b, d], [a, d, c]]);
                }
            }
        }
    }
    Mesh { name: "cuboid".into(), triangles: indices, positions }
}

/// A flat square grid in the plane `y = 0` about the origin, facing up, diagonals alternating.
///
/// 2·n² triangles, n ≥ 1: off the request by at most √(2 · `triangles`) + 1.
pub fn grid(triangles: usize, side: f64) -> Mesh {
    let cells = subdivision(triangles, 2.0, 1);
    let mut positions = Vec::with_capacity((cells + 1) * (cells + 1));
    for row in 0..=cells {
        for column in 0..=cells {
            let place = |k: usize| ((k as f64 / cells as f64 - 0.5) * side) as f32;
            positions.push([place(column), 0.0, place(row)]);
        }
    }
    Mesh { name: "grid".into(), triangles: grid_triangles(cells, cells, false), positions }
}

/// A torus about the `y` axis.
///
/// 2·m·n triangles with cells about as long as wide, m, n ≥ 3: off the request by at most n + 18.
pub fn torus(triangles: usize, major_radius: f64, minor_radius: f64) -> Mesh {
    let wanted = triangles.min(MOST_TRIANGLES) as f64;
    let ratio = (minor_radius / major_radius).abs().clamp(0.01, 1.0);
    let around_tube = ((wanted * ratio / 2.0).sqrt().round() as usize).max(3);
    let around_axis = ((wanted / (2 * around_tube) as f64).round() as usize).max(3);
    let mut positions = Vec::with_capacity(around_axis * around_tube);
    let mut indices = Vec::with_capacity(2 * around_axis * around_tube);
    for i in 0..around_axis {
        let turn = TAU * i as f64 / around_axis as f64;
        for j in 0..around_tube {
            let roll = TAU * j as f64 / around_tube as f64;
            let radius = major_radius + minor_radius * libm::cos(roll);
            let point = Vector::new(radius * libm::cos(turn), minor_radius * libm::sin(roll), radius * libm::sin(turn));
            positions.push(stored(&point));
            let index = |i: usize, j: usize| ((i % around_axis) * around_tube + j % around_tube) as u32;
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i, j + 1), index(i + 1, j + 1)];
            indices.extend([[a, c, d], [a, d, b]]);
        }
    }
    Mesh { name: "torus".into(), triangles: indices, positions }
}

/// Adds a closed body of revolution about the vertical line through (`x`, `z`). `profile` lists
/// (radius, height) pairs from the lower to the upper pole; only the poles have radius 0.
pub(super) fn add_revolution(mesh: &mut Mesh, profile: &[(f64, f64)], segments: usize, x: f64, z: f64) {
    let Some(rings) = profile.len().checked_sub(2) else { return };
    let first = mesh.positions.len() as u32;
    mesh.positions.push(stored(&Vector::new(x, profile[0].1, z)));
    for &(radius, height) in &profile[1..=rings] {
        for segment in 0..segments {
            let angle = TAU * segment as f64 / segments as f64;
            let point = Vector::new(x + radius * libm::sin(angle), height, z + radius * libm::cos(angle));
            mesh.positions.push(stored(&point));
        }
    }
    let last = mesh.positions.len() as u32;
    mesh.positions.push(stored(&Vector::new(x, profile[rings + 1].1, z)));
    let index = |ring: usize, segment: usize| first + 1 + (ring * segments + segment % segments) as u32;
    for segment in 0..segments {
        mesh.triangles.push([first, index(0, segment + 1), index(0, segment)]);
        mesh.triangles.push([last, index(rings - 1, segment), index(rings - 1, segment + 1)]);
        for ring in 0..rings - 1 {
            let [a, b] = [index(ring, segment), index(ring, segment + 1)];
            let [c, d] = [index(ring + 1, segment), index(ring + 1, segment + 1)];
            mesh.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
}
