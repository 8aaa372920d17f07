//! The walking figure's body: seven closed tubes with elliptic cross-sections, skinned to the
//! skeleton of `gait`.
//!
//! Trunk with head, two arms, two legs and two feet; the limbs begin inside the trunk. Each tube is
//! straight at rest. Its half axes are interpolated by their **squares** (monotone cubics), which
//! makes round ends where they are zero. A tube also tests whether a point is inside it, through
//! the rest position of each bone. The test is approximate where two bones blend, which leaves the
//! garments in light contact there.

use core::f64::consts::TAU;

use super::gait::{
    ANKLE_HEIGHT, BONES, CHEST, FOOT, FOREARM, Gait, HEAD, HIP_HEIGHT, KNEE_HEIGHT, NECK_HEIGHT, PELVIS, Pose, SHANK,
    THIGH, UPPER_ARM, UPPER_ARM_LENGTH, WAIST_HEIGHT,
};
use super::{Vector, smooth_step, stored};

/// A cross-section: position along the axis, half axes to the side and to the front, forward shift
/// of the centre; metres.
#[derive(Clone, Copy, Debug)]
struct Station {
    along: f64,
    side: f64,
    front: f64,
    shift: f64,
}

/// A cross-section between stations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// Half axis to the side.
    pub(super) side: f64,
    /// Half axis to the front.
    pub(super) front: f64,
    /// Forward shift of the centre.
    pub(super) shift: f64,
}

/// The transition from one bone to the next along a tube.
#[derive(Clone, Copy, Debug)]
struct Joint {
    along: f64,
    half_width: f64,
}

/// A part of the body that is straight at rest.
#[derive(Clone, Debug)]
pub(super) struct Tube {
    origin: Vector,
    axis: Vector,
    side: Vector,
    front: Vector,
    stations: Vec<Station>,
    /// Largest distance of a point of the tube from its axis.
    widest: f64,
    bones: Vec<usize>,
    joints: Vec<Joint>,
}

/// Index of the trunk among the figure's tubes.
pub(super) const TRUNK: usize = 0;
/// Indices of the arms.
pub(super) const ARMS: [usize; 2] = [1, 2];
/// Indices of the legs.
pub(super) const LEGS: [usize; 2] = [3, 4];

/// Trunk heights, half widths, half depths and shifts common to both builds, before the build's own
/// girth.
const TRUNK_STATIONS: [(f64, f64, f64, f64); 20] = [
    (0.800, 0.000, 0.000, 0.000),
    (0.840, 0.115, 0.078, -0.008),
    (0.880, 0.152, 0.103, -0.014),
    (0.930, 0.168, 0.116, -0.016),
    (1.000, 0.158, 0.108, -0.006),
    (1.080, 0.136, 0.092, 0.002),
    (1.140, 0.134, 0.092, 0.004),
    (1.220, 0.146, 0.102, 0.006),
    (1.300, 0.158, 0.114, 0.006),
    (1.360, 0.168, 0.108, 0.000),
    (1.410, 0.172, 0.092, -0.006),
    (1.445, 0.148, 0.076, -0.010),
    (1.478, 0.080, 0.062, -0.008),
    (1.510, 0.057, 0.058, -0.002),
    (1.550, 0.054, 0.058, 0.006),
    (1.580, 0.060, 0.074, 0.018),
    (1.630, 0.072, 0.094, 0.018),
    (1.690, 0.076, 0.100, 0.008),
    (1.740, 0.062, 0.080, 0.004),
    (1.775, 0.000, 0.000, 0.000),
];
const LEG_STATIONS: [(f64, f64, f64, f64); 11] = [
    (-0.060, 0.000, 0.000, 0.000),
    (-0.020, 0.070, 0.080, -0.004),
    (0.060, 0.084, 0.090, -0.002),
    (0.180, 0.076, 0.082, 0.004),
    (0.300, 0.062, 0.068, 0.004),
    (0.410, 0.052, 0.056, 0.002),
    (0.500, 0.052, 0.060, -0.012),
    (0.620, 0.046, 0.050, -0.012),
    (0.740, 0.034, 0.038, -0.004),
    (0.810, 0.033, 0.038, 0.000),
    (0.860, 0.000, 0.000, 0.000),
];
/// Along from the heel; "front" is up here, so the shift lowers the toes.
const FOOT_STATIONS: [(f64, f64, f64, f64); 7] = [
    (0.000, 0.000, 0.000, 0.000),
    (0.030, 0.033, 0.036, 0.000),
    (0.080, 0.036, 0.046, 0.010),
    (0.130, 0.041, 0.038, 0.002),
    (0.190, 0.047, 0.026, -0.010),
    (0.230, 0.042, 0.020, -0.016),
    (0.260, 0.000, 0.000, -0.018),
];
const ARM_STATIONS: [(f64, f64, f64, f64); 11] = [
    (-0.050, 0.000, 0.000, 0.000),
    (-0.020, 0.043, 0.052, 0.000),
    (0.040, 0.048, 0.054, 0.000),
    (0.140, 0.041, 0.045, 0.000),
    (0.260, 0.035, 0.038, 0.000),
    (0.340, 0.037, 0.040, 0.000),
    (0.460, 0.028, 0.032, 0.000),
    (0.540, 0.021, 0.028, 0.000),
    (0.600, 0.018, 0.042, 0.002),
    (0.660, 0.015, 0.038, 0.006),
    (0.730, 0.000, 0.000, 0.012),
];

/// Widths of a build: factors on the trunk's half axes at hips, waist and shoulders, and on the
/// limbs'.
#[derive(Clone, Copy, Debug)]
pub(super) struct Build {
    pub(super) hips: f64,
    pub(super) waist: f64,
    pub(super) shoulders: f64,
    pub(super) limbs: f64,
}

fn stations(table: &[(f64, f64, f64, f64)], girth: impl Fn(f64) -> f64) -> Vec<Station> {
    let widen = |&(along, side, front, shift): &(f64, f64, f64, f64)| {
        let factor = girth(along);
        Station { along, side: side * factor, front: front * factor, shift }
    };
    table.iter().map(widen).collect()
}

/// The figure's tubes: trunk, arms, legs, feet; left before right.
pub(super) fn tubes(gait: &Gait, build: Build) -> Vec<Tube> {
    let trunk_girth = |height: f64| {
        let below = build.hips + (build.waist - build.hips) * smooth_step(0.95, 1.10, height);
        let above = below + (build.shoulders - below) * smooth_step(1.12, 1.32, height);
        // Neck and head are the same in all builds.
        above + (1.0 - above) * smooth_step(1.46, 1.52, height)
    };
    let trunk = stations(&TRUNK_STATIONS, trunk_girth);
    let mut tubes = vec![Tube::new(
        [Vector::zeros(), Vector::y(), Vector::z()],
        trunk,
        &[PELVIS, CHEST, HEAD],
        &[(WAIST_HEIGHT, 0.10), (NECK_HEIGHT, 0.05)],
    )];
    for side in 0..2 {
        tubes.push(Tube::new(
            [gait.shoulder(side), Gait::arm_direction(side), Vector::z()],
            stations(&ARM_STATIONS, |_| build.limbs),
            &[CHEST, UPPER_ARM[side], FOREARM[side]],
            &[(0.0, 0.04), (UPPER_ARM_LENGTH, 0.05)],
        ));
    }
    for side in 0..2 {
        tubes.push(Tube::new(
            [gait.hip(side), -Vector::y(), Vector::z()],
            stations(&LEG_STATIONS, |_| build.limbs),
            &[PELVIS, THIGH[side], SHANK[side], FOOT[side]],
            &[(0.0, 0.05), (HIP_HEIGHT - KNEE_HEIGHT, 0.06), (HIP_HEIGHT - ANKLE_HEIGHT, 0.03)],
        ));
    }
    for (side, foot) in FOOT.into_iter().enumerate() {
        let ankle = gait.ankle(side);
        let heel = Vector::new(ankle.x, 0.038, -0.075);
        tubes.push(Tube::new([heel, Vector::z(), Vector::y()], stations(&FOOT_STATIONS, |_| 1.0), &[foot], &[]));
    }
    tubes
}

impl Tube {
    /// A tube from `origin` along `axis`; `joints` lists (place, half width of the transition)
    /// between successive bones.
    fn new([origin, axis, front]: [Vector; 3], stations: Vec<Station>, bones: &[usize], joints: &[(f64, f64)]) -> Self {
        let mut widest = 0.0;
        for station in &stations {
            for reach in [station.side, station.front + station.shift.abs()] {
                if reach > widest {
                    widest = reach;
                }
            }
        }
        let joints = joints.iter().map(|&(along, half_width)| Joint { along, half_width }).collect();
        Self { origin, axis, side: axis.cross(&front), front, stations, widest, bones: bones.to_vec(), joints }
    }

    /// Ends of the tube along its axis.
    pub(super) fn ends(&self) -> [f64; 2] {
        let at = |station: Option<&Station>| station.map_or(0.0, |station| station.along);
        [at(self.stations.first()), at(self.stations.last())]
    }

    /// The cross-section at `along`, clamped to the ends.
    pub(super) fn section(&self, along: f64) -> Section {
        let last = self.stations.len() - 1;
        let next = self.stations.partition_point(|station| station.along < along).clamp(1, last);
        let value = |pick: fn(&Station) -> f64| self.interpolate(next, along, pick);
        Section {
            side: value(|s| s.side * s.side).max(0.0).sqrt(),
            front: value(|s| s.front * s.front).max(0.0).sqrt(),
            shift: value(|s| s.shift),
        }
    }

    /// Monotone cubic between stations `next` − 1 and `next`.
    fn interpolate(&self, next: usize, along: f64, pick: fn(&Station) -> f64) -> f64 {
        let slope = |i: usize| {
            let [a, b] = [&self.stations[i - 1], &self.stations[i]];
            (pick(b) - pick(a)) / (b.along - a.along)
        };
        // The harmonic mean of the neighbouring slopes, zero at an extremum, keeps the curve
        // between its stations.
        let tangent = |i: usize| {
            if i == 0 || i + 1 == self.stations.len() {
                return slope(i.max(1));
            }
            let (left, right) = (slope(i), slope(i + 1));
            if left * right > 0.0 { 2.0 * left * right / (left + right) } else { 0.0 }
        };
        let [a, b] = [&self.stations[next - 1], &self.stations[next]];
        let width = b.along - a.along;
        let t = ((along - a.along) / width).clamp(0.0, 1.0);
        let s = 1.0 - t;
        pick(a) * s * s * (1.0 + 2.0 * t)
            + pick(b) * t * t * (3.0 - 2.0 * t)
            + width * s * t * (tangent(next - 1) * s - tangent(next) * t)
    }

    /// Rest position of the point at `along` with the given offsets to the side and to the front.
    pub(super) fn rest_point(&self, along: f64, to_side: f64, to_front: f64) -> Vector {
        self.origin + self.axis * along + self.side * to_side + self.front * to_front
    }

    /// Bones and weights at `along`; the second weight is often 0.
    fn weights(&self, along: f64) -> [(usize, f64); 2] {
        for (i, joint) in self.joints.iter().enumerate() {
            if along < joint.along - joint.half_width {
                return [(self.bones[i], 1.0), (self.bones[i], 0.0)];
            }
            if along < joint.along + joint.half_width {
                let share = smooth_step(joint.along - joint.half_width, joint.along + joint.half_width, along);
                return [(self.bones[i], 1.0 - share), (self.bones[i + 1], share)];
            }
        }
        let last = self.bones[self.bones.len() - 1];
        [(last, 1.0), (last, 0.0)]
    }

    /// The position of a rest point of the cross-section at `along` in the given poses.
    pub(super) fn skin(&self, poses: &[Pose; BONES], along: f64, rest: &Vector) -> Vector {
        let [(first, share), (second, other)] = self.weights(along);
        let mut point = poses[first].apply(rest) * share;
        if other > 0.0 {
            point += poses[second].apply(rest) * other;
        }
        point
    }

    /// Whether a rest point is inside the tube swollen by `margin` metres.
    pub(super) fn holds(&self, rest: &Vector, margin: f64) -> bool {
        self.scale_out(rest, margin).is_some()
    }

    /// Pushes a point out of the posed tube swollen by `margin` metres, away from the axis at rest.
    pub(super) fn push_out(&self, poses: &[Pose; BONES], point: &Vector, margin: f64) -> Vector {
        for (i, &bone) in self.bones.iter().enumerate() {
            let start = poses[bone].undo(point);
            let along = (start - self.origin).dot(&self.axis);
            let begins = i == 0 || along >= self.joints[i - 1].along - self.joints[i - 1].half_width;
            let ends = i == self.joints.len() || along < self.joints[i].along + self.joints[i].half_width;
            // Blending moves points by less than the tube's own width.
            let reach = 2.0 * self.widest + margin;
            let near = (start - self.origin).norm_squared() - along * along < reach * reach;
            if begins && ends && near {
                let rest = self.unskin(poses, bone, point, start);
                if let Some(out) = self.scale_out(&rest, margin) {
                    let along = (rest - self.origin).dot(&self.axis);
                    return self.skin(poses, along, &out);
                }
            }
        }
        *point
    }

    /// The rest point that is skinned to `point`, refined from `start`, the result of one bone
    /// alone.
    fn unskin(&self, poses: &[Pose; BONES], bone: usize, point: &Vector, start: Vector) -> Vector {
        // Each step about halves the error at a joint bent by 60°, and more at straighter ones.
        const STEPS: usize = 4;
        let mut rest = start;
        for _ in 0..STEPS {
            let along = (rest - self.origin).dot(&self.axis);
            if self.weights(along)[0] == (bone, 1.0) {
                break;
            }
            let missed = point - self.skin(poses, along, &rest);
            rest += poses[bone].undo_turn(&missed);
        }
        rest
    }

    /// The point on the swollen surface straight outwards from an inner rest point; `None` for
    /// outer ones.
    fn scale_out(&self, rest: &Vector, margin: f64) -> Option<Vector> {
        let from_origin = rest - self.origin;
        let along = from_origin.dot(&self.axis);
        let [begin, end] = self.ends();
        if along <= begin || along >= end {
            return None;
        }
        let section = self.section(along);
        let (x, z) = (from_origin.dot(&self.side), from_origin.dot(&self.front) - section.shift);
        let (across, deep) = (x / (section.side + margin), z / (section.front + margin));
        let filled = across * across + deep * deep;
        if filled >= 1.0 || filled == 0.0 {
            return None;
        }
        let grow = 1.0 / filled.sqrt();
        Some(self.rest_point(along, x * grow, z * grow + section.shift))
    }

    /// Positions of `rings` rings spread evenly over the surface between the poles.
    fn ring_places(&self, rings: usize) -> Vec<f64> {
        const SAMPLES: usize = 512;
        let [begin, end] = self.ends();
        let place = |i: usize| begin + (end - begin) * i as f64 / SAMPLES as f64;
        let mut lengths = vec![0.0];
        let mut travelled = 0.0;
        let girth = |section: &Section| 0.5 * (section.side + section.front);
        let mut before = girth(&self.section(begin));
        for i in 1..=SAMPLES {
            let here = girth(&self.section(place(i)));
            let (rise, run) = (here - before, (end - begin) / SAMPLES as f64);
            travelled += (rise * rise + run * run).sqrt();
            lengths.push(travelled);
            before = here;
        }
        let mut places = Vec::with_capacity(rings);
        let mut sample = 1;
        for ring in 0..rings {
            let wanted = travelled * (ring as f64 + 0.7) / (rings as f64 + 0.4);
            while sample < SAMPLES && lengths[sample] < wanted {
                sample += 1;
            }
            let share = (wanted - lengths[sample - 1]) / (lengths[sample] - lengths[sample - 1]);
            places.push(place(sample - 1) + share * (end - begin) / SAMPLES as f64);
        }
        places
    }

    /// Segments around and rings along for edges of about `edge` metres.
    fn resolution(&self, edge: f64) -> [usize; 2] {
        let [begin, end] = self.ends();
        let segments = (0.8 * TAU * self.widest / edge).round() as usize;
        let rings = ((end - begin + self.widest) / edge).round() as usize;
        [segments.max(5), rings.max(4)]
    }

    /// Triangles of the tube's mesh for edges of about `edge` metres.
    pub(super) fn triangle_count(&self, edge: f64) -> usize {
        let [segments, rings] = self.resolution(edge);
        2 * segments * rings
    }
}

/// The body's mesh at rest, ready to be skinned.
pub(super) struct BodyMesh<'a> {
    tubes: &'a [Tube],
    /// Tube, position along it and rest position of each vertex.
    vertices: Vec<(usize, f64, Vector)>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl<'a> BodyMesh<'a> {
    /// Meshes all tubes with edges of about `edge` metres.
    pub(super) fn new(tubes: &'a [Tube], edge: f64) -> Self {
        let mut body = Self { tubes, vertices: Vec::new(), triangles: Vec::new() };
        for (index, tube) in tubes.iter().enumerate() {
            body.add_tube(index, tube, edge);
        }
        body
    }

    fn add_tube(&mut self, index: usize, tube: &Tube, edge: f64) {
        let [segments, rings] = tube.resolution(edge);
        let [begin, end] = tube.ends();
        let first = self.vertices.len() as u32;
        let pole = |along: f64| (index, along, tube.rest_point(along, 0.0, tube.section(along).shift));
        self.vertices.push(pole(begin));
        for along in tube.ring_places(rings) {
            let section = tube.section(along);
            for segment in 0..segments {
                let angle = TAU * segment as f64 / segments as f64;
                let (x, z) = (section.side * libm::sin(angle), section.front * libm::cos(angle));
                self.vertices.push((index, along, tube.rest_point(along, x, z + section.shift)));
            }
        }
        let last = self.vertices.len() as u32;
        self.vertices.push(pole(end));
        let at = |ring: usize, segment: usize| first + 1 + (ring * segments + segment % segments) as u32;
        // All tubes have side × front = −axis, as (x, z) has with y: this order faces outwards.
        for segment in 0..segments {
            self.triangles.push([first, at(0, segment + 1), at(0, segment)]);
            for ring in 0..rings - 1 {
                let [a, b] = [at(ring, segment), at(ring, segment + 1)];
                let [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
                self.triangles.extend([[a, b, d], [a, d, c]]);
            }
            self.triangles.push([last, at(rings - 1, segment), at(rings - 1, segment + 1)]);
        }
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Rest positions of all vertices.
    pub(super) fn rest(&self) -> Vec<[f32; 3]> {
        self.vertices.iter().map(|(_, _, rest)| stored(rest)).collect()
    }

    /// Bones and weights of all vertices.
    pub(super) fn weights(&self) -> Vec<[(u32, f64); 2]> {
        let weights = |&(tube, along, _): &(usize, f64, Vector)| self.tubes[tube].weights(along);
        self.vertices.iter().map(|vertex| weights(vertex).map(|(bone, weight)| (bone as u32, weight))).collect()
    }

    /// Appends all vertices in the given poses, `forward` metres on.
    pub(super) fn append(&self, poses: &[Pose; BONES], forward: f64, positions: &mut Vec<f32>) {
        for (tube, along, rest) in &self.vertices {
            let mut point = self.tubes[*tube].skin(poses, *along, rest);
            point.z += forward;
            positions.extend(stored(&point));
        }
    }
}
