//! A body of a benchmark: triangles, motion, and positions evaluated once per frame and only where
//! asked for.

use crate::cli::Failure;
use crate::math::Aabb;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion};
use crate::narrow::triangles_touch;
use crate::scenes::GeneratedBody;
use crate::time::Moment;

/// The corners of a triangle, metres, and their box.
type Corners = ([[f64; 3]; 3], Aabb);

pub(super) struct Body {
    pub(super) mesh: Mesh,
    pub(super) motion: Motion,
    now: Moment,
    /// Per vertex, the number of the frame in which its position was evaluated.
    evaluated: Vec<u32>,
    positions: Vec<[f64; 3]>,
    frame: u32,
}

/// The motion of a generated body.
pub(super) fn flightplan(body: &GeneratedBody) -> Flightplan {
    match body {
        GeneratedBody::Fixed(mesh) => Flightplan::fixed(mesh.positions.clone()),
        GeneratedBody::Keyed(clip) => {
            Flightplan::keyframes(clip.times.clone(), clip.positions.as_chunks::<3>().0.to_vec())
        }
        GeneratedBody::Moving(body) => Flightplan::velocities(0.0, body.positions.clone(), body.velocities.clone()),
    }
}

impl Body {
    pub(super) fn new(body: &GeneratedBody, layout: KeyLayout) -> Result<Self, Failure> {
        let vertices = body.start_positions().len();
        let plan = flightplan(body);
        Ok(Self {
            mesh: Mesh::new(vertices, body.triangles().to_vec())?,
            motion: Motion::new(plan, vertices, layout)?,
            now: Moment::at(0.0),
            evaluated: vec![0; vertices],
            positions: vec![[0.0; 3]; vertices],
            frame: 0,
        })
    }

    /// Positions of all vertices at time 0, metres.
    pub(super) fn start(&self) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.motion.positions(Moment::at(0.0), &mut positions);
        positions
    }

    /// Forgets the positions of the frame before.
    pub(super) fn begin_frame(&mut self, now: Moment) {
        self.now = now;
        self.frame += 1;
    }

    fn corners(&mut self, triangle: u32) -> Corners {
        let corners = self.mesh.triangles()[triangle as usize].map(|vertex| {
            let place = vertex as usize;
            if self.evaluated[place] != self.frame {
                self.evaluated[place] = self.frame;
                self.positions[place] = self.motion.position(vertex, self.now);
            }
            self.positions[place]
        });
        (corners, Aabb::of_points(&corners))
    }
}

/// Tests triangles of two bodies; appends the pairs that touch. Boxes first, as every engine of the
/// library does.
pub(super) fn test_triangles(
    [a, b]: &mut [Body; 2],
    triangles_a: &[u32],
    triangles_b: &[u32],
    found: &mut Vec<(u32, u32)>,
) {
    for &p in triangles_a {
        let (shape_a, box_a) = a.corners(p);
        for &q in triangles_b {
            let (shape_b, box_b) = b.corners(q);
            if box_a.overlaps(&box_b) && triangles_touch(&shape_a, &shape_b) {
                found.push((p, q));
            }
        }
    }
}
