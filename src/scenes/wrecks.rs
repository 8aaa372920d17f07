//! Closed bodies with dents: a car and a barrel of about 1,500 triangles, and example poses of the
//! same topology.
//!
//! Sizes are those of the example-based paper: the car is 5.25 m long, the barrel 0.72 m tall. Both
//! are centred on the origin, `y` up, the car's nose towards +x.

use core::f64::consts::PI;
use std::collections::BTreeMap;

use super::{Mesh, Vector, shapes, smooth_step, stored};

/// Length of [`car`], metres.
pub const CAR_LENGTH: f64 = 5.25;
/// Width of [`car`], metres.
pub const CAR_WIDTH: f64 = 1.9;
/// Height of [`car`], metres.
pub const CAR_HEIGHT: f64 = 1.45;
/// Height of [`barrel`], metres.
pub const BARREL_HEIGHT: f64 = 0.72;
/// Largest radius of [`barrel`], metres.
pub const BARREL_RADIUS: f64 = 0.27;

/// Cells along x, y and z of the box a car is bent from.
const CAR_CELLS: [usize; 3] = [22, 6, 9];

/// A car: bonnet, cabin, boot, wheel arches; 1,536 triangles, closed, facing outwards.
pub fn car() -> Mesh {
    let mut mesh = box_surface(CAR_CELLS);
    mesh.name = "car".into();
    for position in &mut mesh.positions {
        let [x, y, z] = position.map(f64::from);
        let low = floor_height(x);
        let height = low + y * (roof_height(x) - low);
        // Ends are rounded seen from above, flanks lean in above the waist.
        let nose = 1.0 - 0.06 * smooth_step(0.5, 1.0, (2.0 * z).abs());
        let waist = smooth_step(0.55, 0.95, height / CAR_HEIGHT);
        let width = CAR_WIDTH * (1.0 - 0.28 * waist) * (1.0 - 0.15 * smooth_step(0.8, 1.0, (2.0 * x).abs()));
        *position = stored(&Vector::new(x * CAR_LENGTH * nose, height - 0.5 * CAR_HEIGHT, z * width));
    }
    mesh
}

/// Height of a car's upper outline above the ground at `x` from -1/2 (tail) to 1/2 (nose), metres.
fn roof_height(x: f64) -> f64 {
    let bonnet = 0.88 - 0.12 * smooth_step(0.2, 0.5, x);
    let boot = 0.98 - 0.06 * smooth_step(0.3, 0.5, -x);
    let cabin = smooth_step(-0.42, -0.22, x) * (1.0 - smooth_step(0.02, 0.22, x));
    let deck = boot + (bonnet - boot) * smooth_step(-0.2, 0.2, x);
    deck + (CAR_HEIGHT - deck) * cabin
}

/// Height of a car's lower outline above the ground: down to it at the wheels, metres.
fn floor_height(x: f64) -> f64 {
    let wheel = |centre: f64| 1.0 - smooth_step(0.055, 0.085, (x - centre).abs());
    0.28 * (1.0 - wheel(0.29).max(wheel(-0.29)))
}

/// A bellied barrel, standing; 1,512 triangles, closed, facing outwards.
pub fn barrel() -> Mesh {
    let half = 0.5 * BARREL_HEIGHT;
    let mut profile = vec![(0.0, -half)];
    // Lids of five rings, staves of seventeen.
    let lids = 5;
    let staves = 17;
    let rim = 0.82 * BARREL_RADIUS;
    for ring in 1..=lids {
        profile.push((rim * f64::from(ring) / f64::from(lids), -half));
    }
    for ring in 1..staves {
        let height = f64::from(ring) / f64::from(staves);
        let radius = rim + (BARREL_RADIUS - rim) * libm::sin(PI * height);
        profile.push((radius, half * (2.0 * height - 1.0)));
    }
    for ring in (1..=lids).rev() {
        profile.push((rim * f64::from(ring) / f64::from(lids), half));
    }
    profile.push((0.0, half));
    let mut mesh = Mesh { name: "barrel".into(), triangles: Vec::new(), positions: Vec::new() };
    shapes::add_revolution(&mut mesh, &profile, 29, 0.0, 0.0);
    mesh
}

/// The example poses of [`car`]: nose crushed, tail crushed, right flank pushed in, roof pushed in.
pub fn car_poses() -> Vec<Mesh> {
    let crush = |x: f64, start: f64, share: f64| if x > start { start + (x - start) * (1.0 - share) } else { x };
    let nose = posed(&car(), "car, nose crushed", |p| {
        let x = crush(p.x, 0.9, 0.45);
        let fold = smooth_step(0.9, 2.4, p.x);
        let ridge = 0.10 * fold * libm::sin(PI * (p.x - 0.9) / 0.75) * smooth_step(-0.3, 0.3, p.y);
        Vector::new(x, p.y + ridge, p.z * (1.0 + 0.06 * fold))
    });
    let tail = posed(&car(), "car, tail crushed", |p| {
        let fold = smooth_step(1.0, 2.4, -p.x);
        Vector::new(-crush(-p.x, 1.0, 0.4), p.y - 0.12 * fold, p.z * (1.0 + 0.05 * fold))
    });
    let flank = posed(&car(), "car, flank pushed in", |p| {
        let near = 1.0 - smooth_step(0.0, 1.4, p.x.abs());
        Vector::new(p.x, p.y, p.z - 0.42 * near * smooth_step(-0.2, 0.9, p.z))
    });
    let roof = posed(&car(), "car, roof pushed in", |p| {
        let near = 1.0 - smooth_step(0.5, 1.7, (p.x + 0.3).abs());
        Vector::new(p.x, p.y - 0.38 * near * smooth_step(0.0, 0.7, p.y), p.z * (1.0 + 0.05 * near))
    });
    vec![nose, tail, flank, roof]
}

/// The example poses of [`barrel`]: squashed from above, dented at +x, bent over.
pub fn barrel_poses() -> Vec<Mesh> {
    let squashed = posed(&barrel(), "barrel, squashed", |p| {
        let belly = 1.0 - (2.0 * p.y / BARREL_HEIGHT) * (2.0 * p.y / BARREL_HEIGHT);
        let wide = 1.0 + 0.22 * belly;
        Vector::new(p.x * wide, 0.72 * p.y, p.z * wide)
    });
    let dented = posed(&barrel(), "barrel, dented", |p| {
        let near = smooth_step(0.0, BARREL_RADIUS, p.x) * (1.0 - smooth_step(0.05, 0.3, p.y.abs()));
        Vector::new(p.x - 0.14 * near, p.y, p.z * (1.0 + 0.08 * near))
    });
    let bent = posed(&barrel(), "barrel, bent", |p| {
        let angle = 0.9 * p.y;
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        Vector::new(p.x * cos + 0.45 * p.y * p.y / BARREL_HEIGHT, p.y - p.x * sin, p.z)
    });
    vec![squashed, dented, bent]
}

/// A mesh with every vertex moved.
fn posed(rest: &Mesh, name: &str, to: impl Fn(Vector) -> Vector) -> Mesh {
    let moved = |position: &[f32; 3]| stored(&to(Vector::from(position.map(f64::from))));
    Mesh { name: name.into(), triangles: rest.triangles.clone(), positions: rest.positions.iter().map(moved).collect() }
}

/// The surface of a box of cells: x and z from -1/2 to 1/2, y from 0 to 1.
fn box_surface(cells: [usize; 3]) -> Mesh {
    let mut positions = Vec::new();
    let mut names: BTreeMap<[usize; 3], u32> = BTreeMap::new();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for far in [false, true] {
            // (u, v, axis) is right-handed; the near side is seen from the other side.
            let [u, v] = if far { [(axis + 1) % 3, (axis + 2) % 3] } else { [(axis + 2) % 3, (axis + 1) % 3] };
            let mut corner = |i: usize, j: usize| {
                let mut name = [0; 3];
                name[axis] = if far { cells[axis] } else { 0 };
                name[u] = i;
                name[v] = j;
                *names.entry(name).or_insert_with(|| {
                    let share = [0, 1, 2].map(|k| name[k] as f64 / cells[k] as f64);
                    positions.push(stored(&Vector::new(share[0] - 0.5, share[1], share[2] - 0.5)));
                    positions.len() as u32 - 1
                })
            };
            for j in 0..cells[v] {
                for i in 0..cells[u] {
                    let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i, j + 1), corner(i + 1, j + 1)];
                    triangles.extend([[a, b, d], [a, d, c]]);
                }
            }
        }
    }
    Mesh { name: "box".into(), triangles, positions }
}
