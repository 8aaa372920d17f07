//! Seeded generators of moving triangle meshes, shared by tests, benches, examples and the program.
//!
//! | generator | motion | sizes |
//! |---|---|---|
//! | [`TableclothDef`] | a cloth falls on a round table (position-based dynamics) | 2k–64k triangles, 60 keys |
//! | [`WalkDef`] | a walking figure in a shirt or a dress (skinned tubes, analytic cloth) | 32k–500k triangles, 30 keys |
//! | [`CapeDef`] | the same figure in a cape that limbs go through | any, 30 keys a second |
//! | [`SkinnedFigureDef`] | the same figure as a skin: rest mesh, bones, weights, poses | any |
//! | [`ExpandingSpheresDef`] | two spheres expand until they meet (constant velocities) | 2k–40k triangles |
//! | [`material`] | tiny clips for property tests: ties, folds, soups, rest | 1–100 triangles |
//! | [`shapes`] | static meshes | any |
//! | [`wrecks`] | a car and a barrel, with example poses (crushed, dented) | 1,500 triangles |
//!
//! **Determinism.** The same definition gives the same bits, in debug and in release. Randomness
//! comes only from [`Random`], trigonometry from `libm`. Nothing is ordered by hash or address, and
//! arithmetic is plain IEEE `f64` (no `powi`, no fused operations, no reassociation), rounded once
//! to `f32`. `tests/scenes.rs` pins the fingerprints.
//!
//! **Conventions.** Metres, seconds, right-handed, `y` up. Triangles are counter-clockwise seen
//! from outside (from above for cloth). Nothing here uses the rest of the crate.

mod cape;
mod cloth_solver;
mod dress;
mod figure;
mod gait;
pub mod material;
mod random;
pub mod shapes;
mod shirt;
mod skinned_figure;
mod spheres;
mod tablecloth;
mod walk;
pub mod wrecks;

pub use cape::CapeDef;
pub use random::Random;
pub use skinned_figure::{SkinnedFigure, SkinnedFigureDef};
pub use spheres::ExpandingSpheresDef;
pub use tablecloth::TableclothDef;
pub use walk::{Garment, WalkDef};

/// Double-precision working vector of the generators.
type Vector = nalgebra::Vector3<f64>;

/// Larger requests are lowered to this number of triangles, so that vertex indices and key buffers
/// stay far from overflow.
pub const MOST_TRIANGLES: usize = 1 << 23;

/// Larger requests are lowered to this number of keyframes.
pub const MOST_KEYS: usize = 1 << 16;

/// A triangle mesh that does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Name of the mesh.
    pub name: String,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Vertex positions in metres.
    pub positions: Vec<[f32; 3]>,
}

/// A mesh whose vertices move linearly between keyframes.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name of the clip.
    pub name: String,
    /// Vertex indices, counter-clockwise seen from outside; the same for all keys.
    pub triangles: Vec<[u32; 3]>,
    /// Key times in seconds, strictly increasing, starting at 0.
    pub times: Vec<f64>,
    /// Positions in metres, key-major: `times.len()` × `vertex_count` × 3.
    pub positions: Vec<f32>,
    /// Vertices per key.
    pub vertex_count: usize,
}

/// A mesh whose vertices each keep a constant velocity from time 0 on.
#[derive(Clone, Debug, PartialEq)]
pub struct VelocityBody {
    /// Name of the body.
    pub name: String,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Positions in metres at time 0.
    pub positions: Vec<[f32; 3]>,
    /// One velocity per vertex, in metres per second.
    pub velocities: Vec<[f32; 3]>,
}

/// One body of a [`GeneratedScene`].
#[derive(Clone, Debug, PartialEq)]
pub enum GeneratedBody {
    /// A body at rest.
    Fixed(Mesh),
    /// A body with keyframes.
    Keyed(Clip),
    /// A body whose vertices have constant velocities.
    Moving(VelocityBody),
}

/// Bodies meant to be tested against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedScene {
    /// Name of the scene with its nominal size, for example `tablecloth-16k`.
    pub name: String,
    /// Seed of its generator.
    pub seed: u64,
    /// The bodies; the deforming or garment body comes first.
    pub bodies: Vec<GeneratedBody>,
}

impl Mesh {
    /// FNV-1a hash over the bits of indices and positions.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fingerprint::new();
        hash.triangles(&self.triangles);
        hash.floats(self.positions.as_flattened());
        hash.0
    }
}

impl Clip {
    /// Number of keyframes.
    pub fn key_count(&self) -> usize {
        self.times.len()
    }

    /// Positions of all vertices at keyframe `key`; empty when there is no such key.
    pub fn key(&self, key: usize) -> &[[f32; 3]] {
        let width = self.vertex_count * 3;
        let row = self.positions.get(key * width..(key + 1) * width).unwrap_or(&[]);
        row.as_chunks::<3>().0
    }

    /// The mesh frozen at keyframe `key`; without vertices when there is no such key.
    pub fn mesh_at(&self, key: usize) -> Mesh {
        Mesh { name: self.name.clone(), triangles: self.triangles.clone(), positions: self.key(key).to_vec() }
    }

    /// FNV-1a hash over the bits of indices, key times and positions.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fingerprint::new();
        hash.triangles(&self.triangles);
        for time in &self.times {
            hash.word64(time.to_bits());
        }
        hash.floats(&self.positions);
        hash.0
    }
}

impl VelocityBody {
    /// FNV-1a hash over the bits of indices, positions and velocities.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fingerprint::new();
        hash.triangles(&self.triangles);
        hash.floats(self.positions.as_flattened());
        hash.floats(self.velocities.as_flattened());
        hash.0
    }
}

impl GeneratedBody {
    /// Name of the body.
    pub fn name(&self) -> &str {
        match self {
            Self::Fixed(mesh) => &mesh.name,
            Self::Keyed(clip) => &clip.name,
            Self::Moving(body) => &body.name,
        }
    }

    /// Vertex indices of the body's triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        match self {
            Self::Fixed(mesh) => &mesh.triangles,
            Self::Keyed(clip) => &clip.triangles,
            Self::Moving(body) => &body.triangles,
        }
    }

    /// Positions of all vertices at time 0.
    pub fn start_positions(&self) -> &[[f32; 3]] {
        match self {
            Self::Fixed(mesh) => &mesh.positions,
            Self::Keyed(clip) => clip.key(0),
            Self::Moving(body) => &body.positions,
        }
    }

    /// FNV-1a hash over the bits of the body's content, without names.
    pub fn fingerprint(&self) -> u64 {
        match self {
            Self::Fixed(mesh) => mesh.fingerprint(),
            Self::Keyed(clip) => clip.fingerprint(),
            Self::Moving(body) => body.fingerprint(),
        }
    }
}

impl GeneratedScene {
    /// Triangles of all bodies together.
    pub fn triangle_count(&self) -> usize {
        self.bodies.iter().map(|body| body.triangles().len()).sum()
    }

    /// FNV-1a hash over the fingerprints of all bodies.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fingerprint::new();
        for body in &self.bodies {
            hash.word64(body.fingerprint());
        }
        hash.0
    }
}

/// FNV-1a over 32-bit words.
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn word64(&mut self, word: u64) {
        self.word(word as u32);
        self.word((word >> 32) as u32);
    }

    fn floats(&mut self, values: &[f32]) {
        self.word64(values.len() as u64);
        for value in values {
            self.word(value.to_bits());
        }
    }

    fn triangles(&mut self, triangles: &[[u32; 3]]) {
        self.word64(triangles.len() as u64);
        for &index in triangles.as_flattened() {
            self.word(index);
        }
    }
}

/// Rounds once from working to stored precision.
fn stored(position: &Vector) -> [f32; 3] {
    [position.x as f32, position.y as f32, position.z as f32]
}

/// Hermite step from 0 at `low` to 1 at `high`.
fn smooth_step(low: f64, high: f64, value: f64) -> f64 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Key times at a fixed rate, starting at 0.
fn key_times(keys: usize, keys_per_second: f64) -> Vec<f64> {
    (0..keys).map(|key| key as f64 / keys_per_second).collect()
}

/// `16200` becomes `16k`, `980` stays.
fn nominal(triangles: usize) -> String {
    if triangles < 1_000 { triangles.to_string() } else { format!("{}k", (triangles + 500) / 1_000) }
}

/// Triangles of a grid of `columns` × `rows` cells, vertices row by row, diagonals alternating like
/// a checkerboard.
///
/// With `closed` the last column of cells leads back to the first column of vertices. Seen with
/// columns running right and rows running down, triangles are counter-clockwise.
fn grid_triangles(columns: usize, rows: usize, closed: bool) -> Vec<[u32; 3]> {
    let stride = if closed { columns } else { columns + 1 };
    let mut triangles = Vec::with_capacity(2 * columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            let next = if closed { (column + 1) % columns } else { column + 1 };
            let [a, b] = [row * stride + column, row * stride + next].map(|v| v as u32);
            let [c, d] = [(row + 1) * stride + column, (row + 1) * stride + next].map(|v| v as u32);
            if (row + column) % 2 == 0 {
                triangles.extend([[a, c, d], [a, d, b]]);
            } else {
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    triangles
}
