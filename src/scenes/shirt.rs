//! A short-sleeved shirt for the walking figure: three shells swollen around the trunk and the
//! upper arms.
//!
//! Overlapping shells are trimmed at rest against each other's tube, which leaves armholes and
//! sleeve heads; seams are not welded. A shell follows its tube with a lag that grows towards the
//! hem. Travelling ripples modulate its looseness, and at the end every vertex is pushed out of the
//! body.

use core::f64::consts::TAU;

use super::figure::{ARMS, LEGS, TRUNK, Tube};
use super::gait::{BONES, Gait, Pose};
use super::random::Ripples;
use super::walk::pressed_margin;
use super::{Random, Vector, smooth_step, stored};

/// Heights of hem and collar at rest, in metres.
const HEM: f64 = 0.845;
const COLLAR: f64 = 1.495;
/// Below this height the shell hangs from the hips instead of following the trunk, in metres.
const HIPS: f64 = 0.935;
/// Position of the sleeve's hem along the arm, in metres.
const SLEEVE_HEM: f64 = 0.21;
/// Lag of the trunk's hem and of the sleeves' hems behind the body, in seconds.
const HEM_LAG: f64 = 0.05;
const SLEEVE_LAG: f64 = 0.03;
/// Distance of a sleeve's begin from the pole of the arm, in metres.
const CAP_HOLE: f64 = 1e-3;
/// Length over which a sleeve closes over the shoulder, in metres.
const SLEEVE_CAP: f64 = 0.02;

/// One vertex of the shirt.
struct ShellVertex {
    tube: usize,
    ring: usize,
    angle: f64,
}

/// The common position, lag and looseness of a ring of a shell.
struct Ring {
    along: f64,
    lag: f64,
    ease: f64,
    /// Fraction of the looseness that goes outwards rather than along the axis; below 1 where a
    /// sleeve closes.
    outwards: f64,
}

/// The shirt's mesh with the data of its motion.
pub(super) struct Shirt {
    rings: Vec<Ring>,
    vertices: Vec<ShellVertex>,
    pub(super) triangles: Vec<[u32; 3]>,
    ripples: Ripples,
}

impl Shirt {
    /// Creates a shirt with edges of about `edge` metres for a figure.
    pub(super) fn new(tubes: &[Tube], edge: f64, random: &mut Random) -> Self {
        let ripples = Ripples::new(random, 9, 9, 0.05, 2);
        let mut shirt = Self { rings: Vec::new(), vertices: Vec::new(), triangles: Vec::new(), ripples };
        shirt.add_shell(TRUNK, [COLLAR, HEM], 0.85, tubes, edge);
        for arm in ARMS {
            let [begin, _] = tubes[arm].ends();
            shirt.add_shell(arm, [SLEEVE_HEM, begin + CAP_HOLE], 0.3, tubes, edge);
        }
        shirt.drop_unused_vertices();
        shirt
    }

    /// Adds a shell whose rows run against the axis of its tube, from `begin` to `end` along it.
    fn add_shell(&mut self, tube: usize, [begin, end]: [f64; 2], girth: f64, tubes: &[Tube], edge: f64) {
        let rows = (((end - begin).abs() / edge).round() as usize).max(4);
        let columns = ((girth / edge).round() as usize).max(6);
        let (first, first_ring) = (self.vertices.len() as u32, self.rings.len());
        for row in 0..=rows {
            let along = begin + (end - begin) * row as f64 / rows as f64;
            self.rings.push(if tube == TRUNK { trunk_ring(along) } else { sleeve_ring(along, tubes[tube].ends()[0]) });
            for column in 0..columns {
                let angle = TAU * column as f64 / columns as f64;
                self.vertices.push(ShellVertex { tube, ring: first_ring + row, angle });
            }
        }
        let rest: Vec<Vector> = self.vertices[first as usize..]
            .iter()
            .map(|vertex| {
                let ring = &self.rings[vertex.ring];
                rest_point(&tubes[tube], ring, ring.ease, vertex.angle)
            })
            .collect();
        // The other shells, hardly swollen: parts deep inside them are hidden and would only
        // tangle.
        let others: &[usize] = if tube == TRUNK { &ARMS } else { &[TRUNK] };
        for triangle in super::grid_triangles(columns, rows, true) {
            let [a, b, c] = triangle.map(|v| rest[v as usize]);
            let centre = (a + b + c) / 3.0;
            if !others.iter().any(|&other| tubes[other].holds(&centre, 0.001)) {
                self.triangles.push(triangle.map(|v| v + first));
            }
        }
    }

    fn drop_unused_vertices(&mut self) {
        let mut number = vec![u32::MAX; self.vertices.len()];
        for &vertex in self.triangles.as_flattened() {
            number[vertex as usize] = 0;
        }
        let mut next = 0;
        let mut index = 0;
        self.vertices.retain(|_| {
            let used = number[index] == 0;
            if used {
                number[index] = next;
                next += 1;
            }
            index += 1;
            used
        });
        for triangle in &mut self.triangles {
            *triangle = triangle.map(|vertex| number[vertex as usize]);
        }
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Appends all vertices at `time`, with the body in the poses `now`, `forward` metres on.
    pub(super) fn append(
        &self,
        gait: &Gait,
        tubes: &[Tube],
        now: &[Pose; BONES],
        [time, forward]: [f64; 2],
        positions: &mut Vec<f32>,
    ) {
        let lagging: Vec<[Pose; BONES]> = self.rings.iter().map(|ring| gait.poses(time - ring.lag)).collect();
        for vertex in &self.vertices {
            let ring = &self.rings[vertex.ring];
            let tube = &tubes[vertex.tube];
            let ripple = self.ripples.at(vertex.angle, ring.along, time);
            let swing = if vertex.tube == TRUNK { 0.45 } else { 0.3 };
            let ease = ring.ease * (0.75 + swing * ripple);
            let rest = rest_point(tube, ring, ease, vertex.angle);
            let mut point = tube.skin(&lagging[vertex.ring], ring.along, &rest);
            if vertex.tube == TRUNK && ring.along < HIPS {
                for leg in LEGS {
                    point = tubes[leg].push_out(now, &point, pressed_margin(ripple));
                }
            }
            point = tube.push_out(now, &point, pressed_margin(ripple));
            point.z += forward;
            positions.extend(stored(&point));
        }
    }
}

fn trunk_ring(along: f64) -> Ring {
    let hanging = smooth_step(1.25, HEM, along);
    Ring {
        along,
        lag: HEM_LAG * hanging,
        ease: 0.004 + 0.004 * smooth_step(COLLAR, 1.35, along) + 0.022 * hanging,
        outwards: 1.0,
    }
}

fn sleeve_ring(along: f64, begin: f64) -> Ring {
    let down = smooth_step(0.0, SLEEVE_HEM, along);
    Ring {
        along,
        lag: SLEEVE_LAG * down,
        ease: 0.005 + 0.016 * down,
        outwards: smooth_step(begin - 0.3 * SLEEVE_CAP, begin + SLEEVE_CAP, along),
    }
}

/// Rest position of the shell's point at an angle from the front, `ease` metres off the tube.
fn rest_point(tube: &Tube, ring: &Ring, ease: f64, angle: f64) -> Vector {
    let followed = if ring.along > 0.5 && ring.along < HIPS { HIPS } else { ring.along };
    let section = tube.section(followed);
    let outwards = ease * ring.outwards;
    let x = (section.side + outwards) * libm::sin(angle);
    let z = (section.front + outwards) * libm::cos(angle);
    let along = ring.along - ease * (1.0 - ring.outwards);
    tube.rest_point(along, x, z + section.shift)
}
