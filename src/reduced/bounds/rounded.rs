//! All vertices of a body in `f32`, with a proven margin: what a refitted tree over all of it needs, at a third of the cost of exact
//! positions. Exact ones are evaluated only for triangles whose boxes meet.

use crate::reduced::{Pose, ReducedError, ReducedMesh};

use super::frame::Frame;

/// The spacing of `f32` at 1, and what pays for products that vanish.
const SPACING: f64 = f32::EPSILON as f64;
const VANISHING: f64 = 64.0 * f32::MIN_POSITIVE as f64;

/// Vertices of a body without morph targets, blended in `f32`.
#[derive(Clone, Debug)]
pub(super) struct RoundedSkin {
    rest: Vec<[f32; 3]>,
    starts: Vec<u32>,
    weights: Vec<(u32, f32)>,
    /// Per map, three columns and a shift, four lanes each.
    columns: Vec<[[f32; 4]; 4]>,
    /// The largest sum of magnitudes of a vertex's weights, and their largest number.
    load: f64,
    most: usize,
}

impl RoundedSkin {
    /// `None` for a body with morph targets.
    pub(super) fn new(mesh: &ReducedMesh) -> Option<Self> {
        if mesh.morph_count() > 0 {
            return None;
        }
        let (mut load, mut most) = (0.0f64, 0);
        let mut skin = Self {
            rest: mesh.rest_positions().to_vec(),
            starts: vec![0],
            weights: Vec::new(),
            columns: Vec::new(),
            load,
            most,
        };
        for vertex in 0..mesh.vertex_count() as u32 {
            skin.weights.extend(mesh.influences().of(vertex).map(|(map, weight)| (map, weight as f32)));
            skin.starts.push(skin.weights.len() as u32);
            let weights = mesh.influences().weights_of(vertex);
            load = load.max(weights.iter().map(|weight| weight.abs()).sum());
            most = most.max(weights.len());
        }
        (skin.load, skin.most) = (load, most);
        Some(skin)
    }

    /// Takes the maps of a frame.
    pub(super) fn set_frame(&mut self, frame: &Frame) {
        self.columns.clear();
        self.columns.extend(frame.maps.iter().map(|map| map.map(|column| column.map(|x| x as f32))));
    }

    /// Writes the positions of some vertices; returns a margin as [`RefitTree::refit_with`](crate::baseline::RefitTree::refit_with)
    /// asks for.
    ///
    /// A coordinate is a sum of `most` products of three rounded numbers, and of four more: each is rounded thrice, each sum once, in
    /// parts of `load · size`.
    pub(super) fn fill(&self, frame: &Frame, vertices: &[u32], points: &mut [[f32; 4]]) -> f32 {
        for (&vertex, point) in vertices.iter().zip(points) {
            let mut blend = [[0.0f32; 4]; 4];
            let range = self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize;
            for &(map, weight) in &self.weights[range] {
                let columns = &self.columns[map as usize];
                for column in 0..4 {
                    for lane in 0..4 {
                        blend[column][lane] += weight * columns[column][lane];
                    }
                }
            }
            let [x, y, z] = self.rest[vertex as usize];
            *point = std::array::from_fn(|lane| {
                blend[0][lane] * x + blend[1][lane] * y + blend[2][lane] * z + blend[3][lane]
            });
        }
        let error = (self.most + 8) as f64 * SPACING * self.load * frame.size + VANISHING;
        (2.0 * error) as f32 * (1.0 + f32::EPSILON)
    }
}

/// Exact positions, vertex by vertex, when asked for.
#[derive(Clone, Debug)]
pub(super) struct LazyPositions {
    positions: Vec<[f64; 3]>,
    /// Per vertex, of which query its position is.
    stamps: Vec<u64>,
    stamp: u64,
    scratch: Vec<[f64; 3]>,
    pub(super) evaluated: u64,
}

impl LazyPositions {
    pub(super) fn new(vertices: usize) -> Self {
        let positions = vec![[0.0; 3]; vertices];
        Self { positions, stamps: vec![0; vertices], stamp: 0, scratch: Vec::new(), evaluated: 0 }
    }

    /// Forgets all positions.
    pub(super) fn begin(&mut self) {
        self.stamp += 1;
        self.evaluated = 0;
    }

    pub(super) fn corners(
        &mut self,
        mesh: &ReducedMesh,
        pose: &Pose,
        triangle: u32,
    ) -> Result<[[f64; 3]; 3], ReducedError> {
        let mut corners = [[0.0; 3]; 3];
        for (corner, vertex) in corners.iter_mut().zip(mesh.mesh().triangles()[triangle as usize]) {
            let place = vertex as usize;
            if self.stamps[place] != self.stamp {
                mesh.evaluate(pose, &[vertex], &mut self.scratch)?;
                self.positions[place] = self.scratch[0];
                self.stamps[place] = self.stamp;
                self.evaluated += 1;
            }
            *corner = self.positions[place];
        }
        Ok(corners)
    }
}
