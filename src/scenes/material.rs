//! Small scenes for property tests: tiny clips and velocity bodies, each with one kind of
//! difficulty.
//!
//! | function | difficulty |
//! |---|---|
//! | [`random_soup`] | everything changes at once; no coherence |
//! | [`jittered_grid_cloth`] | a connected sheet whose extremal vertices change often |
//! | [`symmetric_grid`] | exact ties: all vertices share a coordinate at one instant |
//! | [`translating_copy`] | exactly parallel motion, certificates that never fail |
//! | [`random_velocities`] | constant velocities in all directions |
//! | [`folding_strip`] | self contact |
//! | [`zero_motion`] | keys without any difference |
//!
//! Keys are one second apart. Sizes and keys of 0 are raised to 1; sides of grids are at most
//! [`MOST_CELLS`]. Finite arguments give finite results. Others are passed through, to test their
//! refusal.

use core::f64::consts::PI;

use super::{Clip, MOST_KEYS, MOST_TRIANGLES, Mesh, Random, Vector, VelocityBody, grid_triangles, key_times, stored};

/// Keys per second.
const KEY_RATE: f64 = 1.0;
/// Positions of [`translating_copy`] are whole multiples of this many metres.
pub const POSITION_GRID: f64 = 1.0 / 1024.0;
/// Velocities of [`translating_copy`] are whole multiples of this many metres per second.
pub const VELOCITY_GRID: f64 = 1.0 / 64.0;
/// Most cells along a side of a grid.
pub const MOST_CELLS: usize = 1024;
/// Angle in radians by which [`folding_strip`] folds: beyond half a turn, so that the halves pass
/// through each other.
const FOLDING_ANGLE: f64 = 1.1 * PI;

/// Unconnected triangles, each at an independent random position and of random shape at every key.
///
/// Positions are within 1.35 · `extent` metres of the origin in each coordinate. At key 0 no
/// triangle is degenerate.
pub fn random_soup(seed: u64, triangles: usize, keys: usize, extent: f32) -> Clip {
    /// Size of a triangle in terms of the extent.
    const SIZE: f64 = 0.35;
    /// Least double area of a triangle at key 0, in terms of its size squared.
    const LEAST_AREA: f64 = 1e-2;
    const ATTEMPTS: usize = 64;
    let (triangles, keys) = (triangles.clamp(1, MOST_TRIANGLES), keys.clamp(1, MOST_KEYS));
    let extent = f64::from(extent);
    let mut random = Random::for_part(seed, 0x534f);
    let mut positions = Vec::with_capacity(9 * triangles * keys);
    for key in 0..keys {
        for _ in 0..triangles {
            let mut corners = [Vector::zeros(); 3];
            // More than a few attempts happen only if the extent is not a positive number.
            for _ in 0..ATTEMPTS {
                let centre = Vector::from(random.in_cube(extent));
                corners = [0, 1, 2].map(|_| centre + Vector::from(random.in_cube(extent * SIZE)));
                let area = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm();
                if key > 0 || area > LEAST_AREA * (extent * SIZE) * (extent * SIZE) {
                    break;
                }
            }
            positions.extend(corners.iter().flat_map(stored));
        }
    }
    Clip {
        name: "random soup".into(),
        triangles: (0..triangles as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        times: key_times(keys, KEY_RATE),
        positions,
        vertex_count: 3 * triangles,
    }
}

/// A sheet of `columns` × `rows` unit cells about the origin. Every vertex jumps by up to 0.35 m
/// per coordinate about its position at every key, while a wave one metre high passes under the
/// sheet.
///
/// 2 · `columns` · `rows` triangles, none degenerate at key 0.
pub fn jittered_grid_cloth(seed: u64, columns: usize, rows: usize, keys: usize) -> Clip {
    const JITTER: f64 = 0.35;
    let (columns, rows, keys) = (columns.clamp(1, MOST_CELLS), rows.clamp(1, MOST_CELLS), keys.clamp(1, MOST_KEYS));
    let mut random = Random::for_part(seed, 0x4a47);
    let phase = random.between(0.0, PI);
    let mut positions = Vec::with_capacity(3 * keys * (columns + 1) * (rows + 1));
    for key in 0..keys {
        for row in 0..=rows {
            for column in 0..=columns {
                let x = column as f64 - 0.5 * columns as f64;
                let z = row as f64 - 0.5 * rows as f64;
                let wave = libm::sin(phase + 0.9 * x + 0.4 * z + 1.3 * key as f64);
                positions.extend(stored(&(Vector::new(x, wave, z) + Vector::from(random.in_cube(JITTER)))));
            }
        }
    }
    Clip {
        name: "jittered grid".into(),
        triangles: grid_triangles(columns, rows, false),
        times: key_times(keys, KEY_RATE),
        positions,
        vertex_count: (columns + 1) * (rows + 1),
    }
}

/// A bumpy sheet of `columns` × `rows` cells with integer coordinates that is mirrored in the given
/// axes at every odd key.
///
/// Halfway between two keys every vertex has the same coordinate, exactly 0, in each mirrored axis,
/// and all pairs of vertices change order there at once. With all axes `false` nothing moves. Cells
/// are 2 m wide, bumps 1 to 4 m high.
///
/// ```
/// let clip = kinetree::scenes::material::symmetric_grid(3, 2, 2, [false, true, false]);
/// for (before, after) in clip.key(0).iter().zip(clip.key(1)) {
///     assert_eq!(before[1] + after[1], 0.0);
/// }
/// ```
pub fn symmetric_grid(columns: usize, rows: usize, keys: usize, mirrored: [bool; 3]) -> Clip {
    let (columns, rows, keys) = (columns.clamp(1, MOST_CELLS), rows.clamp(1, MOST_CELLS), keys.clamp(1, MOST_KEYS));
    let mut positions = Vec::with_capacity(3 * keys * (columns + 1) * (rows + 1));
    for key in 0..keys {
        let signs = mirrored.map(|axis| if axis && key % 2 == 1 { -1.0_f32 } else { 1.0 });
        for row in 0..=rows {
            for column in 0..=columns {
                let x = 2.0 * column as f32 - columns as f32;
                let z = 2.0 * row as f32 - rows as f32;
                let bump = (1 + (2 * column + 3 * row) % 4) as f32;
                positions.extend([x * signs[0], bump * signs[1], z * signs[2]]);
            }
        }
    }
    Clip {
        name: "symmetric grid".into(),
        triangles: grid_triangles(columns, rows, false),
        times: key_times(keys, KEY_RATE),
        positions,
        vertex_count: (columns + 1) * (rows + 1),
    }
}

/// A copy of a mesh whose vertices all have one velocity, in metres per second.
///
/// Positions are rounded to [`POSITION_GRID`] and the velocity to [`VELOCITY_GRID`]. For
/// coordinates below 8 km, the position at any multiple of 1/16 s is then exact in `f32`, and
/// differences between vertices never change.
pub fn translating_copy(mesh: &Mesh, velocity: [f32; 3]) -> VelocityBody {
    let on_grid = |value: f32, grid: f64| ((f64::from(value) / grid).round() * grid) as f32;
    VelocityBody {
        name: format!("translating {}", mesh.name),
        triangles: mesh.triangles.clone(),
        positions: mesh.positions.iter().map(|p| p.map(|x| on_grid(x, POSITION_GRID))).collect(),
        velocities: vec![velocity.map(|x| on_grid(x, VELOCITY_GRID)); mesh.positions.len()],
    }
}

/// A copy of a mesh whose vertices fly apart in independent random directions at up to `speed`
/// metres per second.
pub fn random_velocities(seed: u64, mesh: &Mesh, speed: f32) -> VelocityBody {
    let mut random = Random::for_part(seed, 0x5256);
    let velocities = mesh
        .positions
        .iter()
        .map(|_| {
            let magnitude = random.between(0.0, f64::from(speed));
            stored(&(Vector::from(random.direction()) * magnitude))
        })
        .collect();
    VelocityBody {
        name: format!("scattering {}", mesh.name),
        triangles: mesh.triangles.clone(),
        positions: mesh.positions.clone(),
        velocities,
    }
}

/// A strip of 2 · `half_cells` unit cells, two cells wide, flat at key 0, whose right half rotates
/// about the middle line until it has passed through the left half.
///
/// 8 · `half_cells` triangles. From three keys on the halves meet before the last key.
pub fn folding_strip(half_cells: usize, keys: usize) -> Clip {
    const WIDTH: usize = 2;
    let (half_cells, keys) = (half_cells.clamp(1, MOST_CELLS), keys.clamp(1, MOST_KEYS));
    let columns = 2 * half_cells;
    let mut positions = Vec::with_capacity(3 * keys * (columns + 1) * (WIDTH + 1));
    for key in 0..keys {
        let share = if keys > 1 { key as f64 / (keys - 1) as f64 } else { 0.0 };
        let angle = FOLDING_ANGLE * share;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        for row in 0..=WIDTH {
            for column in 0..=columns {
                let x = column as f64 - half_cells as f64;
                let z = row as f64 - 0.5 * WIDTH as f64;
                let folded = if x > 0.0 { Vector::new(x * cos, x * sin, z) } else { Vector::new(x, 0.0, z) };
                positions.extend(stored(&folded));
            }
        }
    }
    Clip {
        name: "folding strip".into(),
        triangles: grid_triangles(columns, WIDTH, false),
        times: key_times(keys, KEY_RATE),
        positions,
        vertex_count: (columns + 1) * (WIDTH + 1),
    }
}

/// A clip in which a mesh is exactly at rest.
pub fn zero_motion(mesh: &Mesh, keys: usize) -> Clip {
    let keys = keys.clamp(1, MOST_KEYS);
    Clip {
        name: format!("resting {}", mesh.name),
        triangles: mesh.triangles.clone(),
        times: key_times(keys, KEY_RATE),
        positions: mesh.positions.as_flattened().repeat(keys),
        vertex_count: mesh.positions.len(),
    }
}
