//! Scene A: a square cloth falls on a round table with four legs, drapes and wrinkles.
//!
//! The cloth is simulated at its full resolution (see `cloth_solver`). The obstacle of the
//! simulation is smooth: a disc with a fully rounded rim, four round legs, the floor. The table's
//! mesh is inscribed in it, so vertices clear of the smooth table are clear of the mesh. Cloth
//! *vertices* keep [`TableclothDef::gap`] from it. Cloth *triangles* may cut the rim if the grid is
//! coarse, which gives the scene its contacts. The cloth does not intersect itself.

use core::f64::consts::{PI, SQRT_2, TAU};

use super::cloth_solver::{Cloth, Obstacle};
use super::random::Ripples;
use super::shapes::{add_revolution, subdivision};
use super::{
    Clip, GeneratedBody, GeneratedScene, MOST_KEYS, Mesh, Random, Vector, grid_triangles, key_times, nominal, stored,
};

/// Side of the cloth in metres.
const CLOTH_SIDE: f64 = 1.9;
/// Height of the cloth's centre above the table top at the start, in metres.
const DROP: f64 = 0.2;
/// Keys per second.
const KEY_RATE: f64 = 30.0;
/// Outer radius of the table top in metres.
const TOP_RADIUS: f64 = 0.55;
/// Height of the table top's upper side in metres, exact in binary.
const TOP_HEIGHT: f64 = 0.75;
/// Half the thickness of the top and the radius of its round rim, in metres.
const RIM: f64 = 0.025;
/// Distance of each leg's axis from the planes of symmetry, in metres.
const LEG_OFFSET: f64 = 0.3;
/// Radius of a leg in metres.
const LEG_RADIUS: f64 = 0.03;
/// Larger gaps are lowered to this number of metres.
const MOST_GAP: f64 = 0.05;
/// Coulomb coefficient between cloth and wood.
const TABLE_FRICTION: f64 = 0.35;
/// Coulomb coefficient between cloth and floor.
const FLOOR_FRICTION: f64 = 0.5;

/// A falling tablecloth: the cloth as a [`Clip`] at 30 keys per second, and the table as a fixed
/// [`Mesh`].
///
/// The seed determines the rotation and offset of the cloth and its slight initial unevenness,
/// hence all folds.
///
/// ```
/// let scene = kinetree::scenes::TableclothDef { triangles: 200, keys: 5, ..Default::default() }.generate();
/// assert_eq!(scene.bodies[0].triangles().len(), 200);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TableclothDef {
    /// Seed of the cloth's placement and unevenness.
    pub seed: u64,
    /// Triangles of the cloth; the nearest 2·n² is generated, n ≥ 4: off by at most √(2 ·
    /// `triangles`) + 1.
    pub triangles: usize,
    /// Number of keyframes, at least 1; the cloth lands after some 7 and has settled after 50.
    pub keys: usize,
    /// Metres kept between cloth vertices and table. With 0 the resting vertices lie exactly in the
    /// plane of the top (`y` = 0.75). Clamped to 0–5 cm.
    pub gap: f64,
}

impl Default for TableclothDef {
    fn default() -> Self {
        Self { seed: 1, triangles: 16_000, keys: 60, gap: 0.0005 }
    }
}

impl TableclothDef {
    /// Requests at which engines are compared: triangles of the cloth.
    pub const SIZES: [usize; 3] = [2_000, 16_000, 64_000];

    /// Simulates the scene. Time grows with the power 1.5 of the triangles and with the keys.
    pub fn generate(&self) -> GeneratedScene {
        let cloth = self.cloth();
        let name = format!("tablecloth-{}", nominal(cloth.triangles.len()));
        GeneratedScene {
            name,
            seed: self.seed,
            bodies: vec![GeneratedBody::Keyed(cloth), GeneratedBody::Fixed(table())],
        }
    }

    fn cloth(&self) -> Clip {
        let cells = subdivision(self.triangles, 2.0, 4);
        let edge = CLOTH_SIDE / cells as f64;
        let table = SmoothTable { gap: if self.gap > 0.0 { self.gap.min(MOST_GAP) } else { 0.0 } };
        let mut cloth = Cloth::new(cells, edge, starting_sheet(self.seed, cells));
        let keys = self.keys.clamp(1, MOST_KEYS);
        let vertex_count = (cells + 1) * (cells + 1);
        let mut positions = Vec::with_capacity(keys * vertex_count * 3);
        for key in 0..keys {
            if key > 0 {
                cloth.advance(1.0 / KEY_RATE, substeps(cells), &table);
            }
            positions.extend(cloth.positions().iter().flat_map(stored));
        }
        Clip {
            name: "tablecloth".into(),
            triangles: grid_triangles(cells, cells, false),
            times: key_times(keys, KEY_RATE),
            positions,
            vertex_count,
        }
    }
}

/// Substeps per key. The strain of hanging cloth grows with (cells · step)²; this keeps 99 % of the
/// edges below 7 %.
fn substeps(cells: usize) -> usize {
    10 + cells / 8
}

/// The cloth above the table: flat up to a few millimetres, slightly rotated and shifted.
fn starting_sheet(seed: u64, cells: usize) -> Vec<Vector> {
    let mut random = Random::for_part(seed, 0x7461);
    let turn = random.between(0.0, PI);
    let (sin, cos) = (libm::sin(turn), libm::cos(turn));
    let shift = Vector::new(random.between(-0.04, 0.04), 0.0, random.between(-0.04, 0.04));
    let tilt = [random.between(-0.03, 0.03), random.between(-0.03, 0.03)];
    let uneven = Ripples::new(&mut random, 8, 7, CLOTH_SIDE * 0.3, 0);
    let mut sheet = Vec::with_capacity((cells + 1) * (cells + 1));
    for row in 0..=cells {
        for column in 0..=cells {
            let across = column as f64 / cells as f64 - 0.5;
            let down = row as f64 / cells as f64 - 0.5;
            let rise = 0.004 * uneven.at(TAU * across * 0.6, down * CLOTH_SIDE, 0.0)
                + CLOTH_SIDE * (tilt[0] * across + tilt[1] * down);
            let (x, z) = (across * CLOTH_SIDE, down * CLOTH_SIDE);
            sheet.push(shift + Vector::new(cos * x + sin * z, TOP_HEIGHT + DROP + rise, cos * z - sin * x));
        }
    }
    sheet
}

/// The table and the floor as obstacles of the simulation.
struct SmoothTable {
    gap: f64,
}

impl Obstacle for SmoothTable {
    fn push_out(&self, position: &Vector) -> Option<(Vector, f64, f64)> {
        let axial = (position.x * position.x + position.z * position.z).sqrt();
        if position.y < self.gap {
            let outside = Vector::new(position.x, self.gap, position.z);
            return Some((outside, self.gap - position.y, FLOOR_FRICTION));
        }
        let (middle, reach) = (TOP_HEIGHT - RIM, RIM + self.gap);
        let height = position.y - middle;
        if height.abs() < reach && axial < TOP_RADIUS + self.gap {
            let beyond = axial - (TOP_RADIUS - RIM);
            if beyond <= 0.0 {
                // TOP_HEIGHT itself, not middle + RIM: with no gap the cloth rests exactly in the
                // plane of the top.
                let level = if height > 0.0 { TOP_HEIGHT + self.gap } else { middle - reach };
                let outside = Vector::new(position.x, level, position.z);
                return Some((outside, (level - position.y).abs(), TABLE_FRICTION));
            }
            let distance = (beyond * beyond + height * height).sqrt();
            if distance < reach {
                let grow = reach / distance;
                let outward = (TOP_RADIUS - RIM + beyond * grow) / axial;
                let outside = Vector::new(position.x * outward, middle + height * grow, position.z * outward);
                return Some((outside, reach - distance, TABLE_FRICTION));
            }
        }
        let reach = LEG_RADIUS + self.gap;
        if position.y < middle && axial < LEG_OFFSET * SQRT_2 + reach {
            let leg_x = if position.x > 0.0 { LEG_OFFSET } else { -LEG_OFFSET };
            let leg_z = if position.z > 0.0 { LEG_OFFSET } else { -LEG_OFFSET };
            let (x, z) = (position.x - leg_x, position.z - leg_z);
            let distance = (x * x + z * z).sqrt();
            if distance < reach && distance > 0.0 {
                let grow = reach / distance;
                let outside = Vector::new(leg_x + x * grow, position.y, leg_z + z * grow);
                return Some((outside, reach - distance, TABLE_FRICTION));
            }
        }
        None
    }
}

/// The table's mesh: five closed pieces, the top and the legs that end inside it.
fn table() -> Mesh {
    const SEGMENTS: usize = 96;
    const FLAT_RINGS: usize = 8;
    const RIM_STEPS: usize = 8;
    const LEG_SEGMENTS: usize = 16;
    const LEG_RINGS: usize = 12;
    let mut mesh = Mesh { name: "table".into(), triangles: Vec::new(), positions: Vec::new() };
    let middle = TOP_HEIGHT - RIM;
    let inner = TOP_RADIUS - RIM;
    let flat = |ring: usize| inner * ring as f64 / FLAT_RINGS as f64;
    let mut profile = Vec::new();
    profile.extend((0..FLAT_RINGS).map(|ring| (flat(ring), middle - RIM)));
    profile.extend((0..=RIM_STEPS).map(|step| {
        let angle = PI * (step as f64 / RIM_STEPS as f64 - 0.5);
        (inner + RIM * libm::cos(angle), middle + RIM * libm::sin(angle))
    }));
    profile.extend((0..FLAT_RINGS).rev().map(|ring| (flat(ring), TOP_HEIGHT)));
    add_revolution(&mut mesh, &profile, SEGMENTS, 0.0, 0.0);
    let mut leg = vec![(0.0, 0.0)];
    leg.extend((0..=LEG_RINGS).map(|ring| (LEG_RADIUS, middle * ring as f64 / LEG_RINGS as f64)));
    leg.push((0.0, middle));
    for (x, z) in [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)] {
        add_revolution(&mut mesh, &leg, LEG_SEGMENTS, x * LEG_OFFSET, z * LEG_OFFSET);
    }
    mesh
}
