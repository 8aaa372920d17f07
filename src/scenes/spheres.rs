//! Scene C: two spheres expand at constant speed until they meet.
//!
//! Every vertex moves straight away from its sphere's centre, as in the flightplan-change benchmark
//! of the kinetic bounding-volume papers. There the velocities of triangles in contact are
//! reversed. The host computes the contacts and calls [`VelocityBody::reverse`]. With reversal
//! at every sample the spheres do not grow into each other. Where they meet, vertices reverse,
//! separate, and return, and each reversal is a flightplan update.

use std::collections::BTreeSet;

use super::shapes::{geodesic_directions, subdivision};
use super::{GeneratedBody, GeneratedScene, Random, Vector, VelocityBody, nominal, stored};

/// Two expanding spheres.
///
/// The smooth spheres touch at `gap / (2 · speed)` seconds (2 s by default), the inscribed meshes a
/// little later. The seed determines the line of centres and the rotation of each sphere. 20·n²
/// triangles each, n ≥ 1.
///
/// ```
/// let scene = kinetree::scenes::ExpandingSpheresDef { triangles: 2_000, ..Default::default() }.generate();
/// assert_eq!(scene.triangle_count(), 1_960);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandingSpheresDef {
    /// Seed of the orientations.
    pub seed: u64,
    /// Triangles of both spheres together.
    pub triangles: usize,
    /// Radius at time 0, in metres.
    pub radius: f64,
    /// Free distance between the spheres at time 0, in metres.
    pub gap: f64,
    /// Growth of the radius in metres per second.
    pub speed: f64,
}

impl Default for ExpandingSpheresDef {
    fn default() -> Self {
        Self { seed: 1, triangles: 2_000, radius: 1.0, gap: 1.0, speed: 0.25 }
    }
}

impl ExpandingSpheresDef {
    /// Requests at which engines are compared: triangles of both spheres.
    pub const SIZES: [usize; 2] = [2_000, 40_000];

    /// Generates the scene: two [`VelocityBody`]s. Linear in the triangles.
    pub fn generate(&self) -> GeneratedScene {
        let mut random = Random::for_part(self.seed, 0x5348);
        let line = Vector::from(random.direction());
        let (directions, triangles) = geodesic_directions(subdivision(self.triangles / 2, 20.0, 1));
        let mut bodies = Vec::with_capacity(2);
        for (name, sign) in [("left sphere", -1.0), ("right sphere", 1.0)] {
            let centre = line * (sign * (self.radius + 0.5 * self.gap));
            let axes = random_axes(&mut random);
            let turned = directions.iter().map(|d| axes[0] * d.x + axes[1] * d.y + axes[2] * d.z);
            let (mut positions, mut velocities) = (Vec::new(), Vec::new());
            for direction in turned {
                positions.push(stored(&(centre + direction * self.radius)));
                velocities.push(stored(&(direction * self.speed)));
            }
            let triangles = triangles.clone();
            bodies.push(GeneratedBody::Moving(VelocityBody { name: name.into(), triangles, positions, velocities }));
        }
        let mut scene = GeneratedScene { name: String::new(), seed: self.seed, bodies };
        scene.name = format!("spheres-{}", nominal(scene.triangle_count()));
        scene
    }
}

impl VelocityBody {
    /// Reverses the velocities of the vertices of some triangles, each vertex once, even if it is a
    /// corner of several of them. Returns these vertices, ascending, with their new velocities.
    ///
    /// Numbers that name no triangle are ignored. O(triangles given · log).
    ///
    /// ```
    /// let scene = kinetree::scenes::ExpandingSpheresDef::default().generate();
    /// let kinetree::scenes::GeneratedBody::Moving(mut sphere) = scene.bodies[0].clone() else { unreachable!() };
    /// let before = sphere.velocities.clone();
    /// let turned = sphere.reverse([7, 7]);
    /// assert_eq!(turned.len(), 3);
    /// assert!(turned.iter().all(|&(vertex, velocity)| velocity == before[vertex as usize].map(|x| -x)));
    /// ```
    pub fn reverse(&mut self, triangles: impl IntoIterator<Item = u32>) -> Vec<(u32, [f32; 3])> {
        let corners = triangles.into_iter().filter_map(|triangle| self.triangles.get(triangle as usize)).flatten();
        let vertices: BTreeSet<u32> = corners.copied().collect();
        let turn = |vertex: u32| {
            let velocity = &mut self.velocities[vertex as usize];
            *velocity = velocity.map(|x| -x);
            (vertex, *velocity)
        };
        vertices.into_iter().map(turn).collect()
    }
}

/// A right-handed orthonormal frame.
fn random_axes(random: &mut Random) -> [Vector; 3] {
    let first = Vector::from(random.direction());
    // The chosen axis is at 30° or more to `first`.
    let helper = if first.x.abs() < 0.5 { Vector::x() } else { Vector::y() };
    let second = first.cross(&helper).normalize();
    [first, second, first.cross(&second)]
}
