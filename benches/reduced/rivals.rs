//! What bounds are measured against: a plain `f32` skinner, the exact box it gives, a refitted tree over it, and spheres
//! accumulated over degrees of freedom.

use kinetree::bvh::{BuildParams, Topology};
use kinetree::math::Aabb;
use kinetree::narrow::triangles_touch;
use kinetree::reduced::{Pose, ReducedMesh};
use kinetree::refit::{RefitTree, candidate_triangles};

/// Vertices blended in `f32`: maps as four columns of four lanes, the blend of maps applied once.
pub struct Skinner {
    rest: Vec<[f32; 3]>,
    starts: Vec<u32>,
    weights: Vec<(u32, f32)>,
    columns: Vec<[[f32; 4]; 4]>,
}

impl Skinner {
    pub fn new(mesh: &ReducedMesh) -> Self {
        let mut skinner =
            Self { rest: mesh.rest_positions().to_vec(), starts: vec![0], weights: Vec::new(), columns: Vec::new() };
        for vertex in 0..mesh.vertex_count() as u32 {
            skinner.weights.extend(mesh.influences().of(vertex).map(|(map, weight)| (map, weight as f32)));
            skinner.starts.push(skinner.weights.len() as u32);
        }
        skinner
    }

    pub fn set_pose(&mut self, pose: &Pose) {
        self.columns.clear();
        for map in &pose.maps {
            let column =
                |k: usize| [map.linear[(0, k)] as f32, map.linear[(1, k)] as f32, map.linear[(2, k)] as f32, 0.0];
            let shift = [map.shift[0] as f32, map.shift[1] as f32, map.shift[2] as f32, 0.0];
            self.columns.push([column(0), column(1), column(2), shift]);
        }
    }

    #[inline(always)]
    pub fn vertex(&self, vertex: usize) -> [f32; 4] {
        let mut blend = [[0.0f32; 4]; 4];
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        for &(map, weight) in &self.weights[range] {
            let columns = &self.columns[map as usize];
            for k in 0..4 {
                for lane in 0..4 {
                    blend[k][lane] += weight * columns[k][lane];
                }
            }
        }
        let [x, y, z] = self.rest[vertex];
        std::array::from_fn(|lane| blend[0][lane] * x + blend[1][lane] * y + blend[2][lane] * z + blend[3][lane])
    }

    /// The box of all vertices.
    pub fn exact_box(&self) -> [[f32; 4]; 2] {
        let (mut min, mut max) = ([f32::INFINITY; 4], [f32::NEG_INFINITY; 4]);
        for vertex in 0..self.rest.len() {
            let place = self.vertex(vertex);
            for lane in 0..4 {
                min[lane] = if place[lane] < min[lane] { place[lane] } else { min[lane] };
                max[lane] = if place[lane] > max[lane] { place[lane] } else { max[lane] };
            }
        }
        [min, max]
    }
}

/// A refitted tree over a skinned body, whose exact positions are evaluated only where triangles come close.
pub struct Refitted<'a> {
    mesh: &'a ReducedMesh,
    skinner: Skinner,
    tree: RefitTree,
    positions: Vec<[f64; 3]>,
    stamps: Vec<u64>,
    stamp: u64,
}

impl<'a> Refitted<'a> {
    pub fn new(mesh: &'a ReducedMesh, params: BuildParams) -> Self {
        let positions: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|p| p.map(f64::from)).collect();
        let topology = Topology::build(mesh.mesh(), &positions, params);
        let tree = RefitTree::new(topology, mesh.mesh(), &positions);
        let stamps = vec![0; positions.len()];
        Self { mesh, skinner: Skinner::new(mesh), tree, positions, stamps, stamp: 0 }
    }

    /// Skins all vertices and refits all boxes.
    pub fn set_pose(&mut self, pose: &Pose) {
        self.stamp += 1;
        self.skinner.set_pose(pose);
        let skinner = &self.skinner;
        self.tree.refit_with(|vertices, points| {
            let mut largest = 0.0f32;
            for (&vertex, point) in vertices.iter().zip(points) {
                *point = skinner.vertex(vertex as usize);
                for x in &point[..3] {
                    largest = if x.abs() > largest { x.abs() } else { largest };
                }
            }
            // Some thirty roundings of the blend, and the spacing.
            32.0 * f32::EPSILON * largest + f32::MIN_POSITIVE
        });
    }

    fn corners(&mut self, triangle: u32, pose: &Pose, scratch: &mut Vec<[f64; 3]>) -> [[f64; 3]; 3] {
        self.mesh.mesh().triangles()[triangle as usize].map(|vertex| {
            if self.stamps[vertex as usize] != self.stamp {
                self.stamps[vertex as usize] = self.stamp;
                self.mesh.evaluate(pose, &[vertex], scratch).expect("a good pose");
                self.positions[vertex as usize] = scratch[0];
            }
            self.positions[vertex as usize]
        })
    }
}

/// All pairs of triangles that touch.
pub fn touching(a: &mut Refitted<'_>, pose_a: &Pose, b: &mut Refitted<'_>, pose_b: &Pose, found: &mut Vec<(u32, u32)>) {
    let mut candidates = Vec::new();
    candidate_triangles(&a.tree, &b.tree, 0.0, |p, q| candidates.push((p, q)));
    let mut scratch = Vec::new();
    for (p, q) in candidates {
        let corners_p = a.corners(p, pose_a, &mut scratch);
        let corners_q = b.corners(q, pose_b, &mut scratch);
        let meet = Aabb::of_points(&corners_p).overlaps(&Aabb::of_points(&corners_q));
        if meet && triangles_touch(&corners_p, &corners_q) {
            found.push((p, q));
        }
    }
}
