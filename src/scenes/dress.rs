//! A strapless dress for the walking figure: one tube of cloth, a fitted bodice and a flared skirt
//! in folds.
//!
//! The bodice is a shell around the trunk. The skirt hangs from the waist. At each depth it follows
//! the trunk with a lag that grows towards the hem. Both legs spread it horizontally: a smooth
//! maximum with the support of each leg's cross-section, so it bridges between them. It carries
//! travelling folds, and loses in height what it gains in width, which keeps lengths along the
//! columns. At the end each vertex is pushed out of legs and trunk. Lengths around the skirt are
//! not kept.

use core::f64::consts::TAU;

use super::figure::{LEGS, TRUNK, Tube};
use super::gait::{ANKLE_HEIGHT, BONES, CYCLE, FOOT, Gait, HIP_HEIGHT, KNEE_HEIGHT, Pose, SHANK, THIGH};
use super::random::Ripples;
use super::walk::pressed_margin;
use super::{Random, Vector, grid_triangles, smooth_step, stored};

/// Heights of the upper seam and of the waist at rest, in metres.
const TOP: f64 = 1.335;
const WAIST: f64 = 1.10;
/// Length of the skirt's cloth from waist to hem, in metres.
const SKIRT: f64 = 0.62;
/// Looseness of the bodice, in metres.
const BODICE_EASE: f64 = 0.0025;
/// Widening of the skirt per metre of depth, to the sides and to front and back.
const FLARE: [f64; 2] = [0.30, 0.34];
/// Lag of the hem behind the trunk, and behind the legs that spread it, in seconds.
const HEM_LAG: f64 = 0.11;
const SPREAD_LAG: f64 = 0.03;
/// Distance at which a leg begins to spread the cloth, in metres.
const LEG_EASE: f64 = 0.003;
/// Reduction of the legs' reach above the hips, in metres.
const HIP_REACH: f64 = 0.3;
/// Width of the smooth transition between free and spread cloth, in metres.
const SPREAD_SMOOTHING: f64 = 0.02;
/// Depth of the folds at the hem, in metres.
const FOLD_DEPTH: f64 = 0.045;

/// A row of the dress: the data shared by its vertices.
struct Row {
    /// Height at rest in the trunk's frame.
    height: f64,
    /// Fraction of the skirt above this row, 0 on the bodice.
    depth: f64,
}

/// The dress's mesh with the data of its motion.
pub(super) struct Dress {
    columns: usize,
    rows: Vec<Row>,
    row_length: f64,
    pub(super) triangles: Vec<[u32; 3]>,
    ripples: Ripples,
    folds: [Fold; 3],
}

/// One harmonic of the folds around the skirt.
struct Fold {
    count: f64,
    phase: f64,
    share: f64,
}

/// The positions of the legs, as they act on the cloth at one key.
struct SpreadingLegs<'a> {
    tubes: &'a [Tube],
    /// Hip, knee and ankle of each leg.
    joints: [[Vector; 3]; 2],
}

impl Dress {
    /// Cells around and along for about `triangles` triangles.
    pub(super) fn resolution(triangles: usize) -> [usize; 2] {
        // Girth of the cloth over its length, so that cells are about as long as wide.
        const ASPECT: f64 = 1.5;
        let cells = triangles as f64 / 2.0;
        let rows = ((cells / ASPECT).sqrt().round() as usize).max(6);
        let columns = ((cells / rows as f64).round() as usize).max(8);
        [columns, rows]
    }

    /// Creates a dress of 2 · columns · rows triangles.
    pub(super) fn new([columns, rows]: [usize; 2], random: &mut Random) -> Self {
        let length = TOP - WAIST + SKIRT;
        let row_length = length / rows as f64;
        let row_at = |row: usize| {
            let travelled = row as f64 * row_length;
            let depth = ((travelled - (TOP - WAIST)) / SKIRT).max(0.0);
            Row { height: TOP - travelled, depth }
        };
        let mut fold = |least: u64, share: f64| Fold {
            count: (least + random.below(3)) as f64,
            phase: random.between(0.0, TAU),
            share,
        };
        let folds = [fold(10, 0.55), fold(5, 0.3), fold(17, 0.15)];
        Self {
            columns,
            rows: (0..=rows).map(row_at).collect(),
            row_length,
            triangles: grid_triangles(columns, rows, true),
            ripples: Ripples::new(random, 9, 24, 0.05, 2),
            folds,
        }
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.columns * self.rows.len()
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
        let trunk = &tubes[TRUNK];
        let lagging: Vec<[Pose; BONES]> = self.rows.iter().map(|row| gait.poses(time - HEM_LAG * row.depth)).collect();
        let legs = SpreadingLegs::new(gait, tubes, &gait.poses(time - SPREAD_LAG));
        // Columns are marched from waist to hem, but stored row by row.
        let mut above: Vec<Vector> = Vec::with_capacity(self.columns);
        for (row, poses) in self.rows.iter().zip(&lagging) {
            let [side, front, shift] = half_axes(trunk, row);
            let axis = trunk.skin(poses, row.height, &trunk.rest_point(row.height, 0.0, shift));
            for column in 0..self.columns {
                let angle = TAU * column as f64 / self.columns as f64;
                let (sin, cos) = (libm::sin(angle), libm::cos(angle));
                let ripple = self.ripples.at(angle, row.height, time);
                let mut point;
                if row.depth > 0.0 {
                    let rest = trunk.rest_point(row.height, side * sin, front * cos + shift);
                    let free = trunk.skin(poses, row.height, &rest);
                    point = self.hang(&free, &axis, &above[column], &legs, row, [angle, ripple, time]);
                    above[column] = point;
                    for leg in LEGS {
                        point = tubes[leg].push_out(now, &point, pressed_margin(ripple));
                    }
                } else {
                    let loose = BODICE_EASE * 0.8 * ripple;
                    let rest = trunk.rest_point(row.height, (side + loose) * sin, (front + loose) * cos + shift);
                    point = trunk.skin(poses, row.height, &rest);
                    // The row above the first of the skirt is the one from which the skirt hangs.
                    above.truncate(column);
                    above.push(point);
                }
                point = trunk.push_out(now, &point, pressed_margin(ripple));
                point.z += forward;
                positions.extend(stored(&point));
            }
        }
    }

    /// The skirt's point below `above` in one column, with its unconstrained position `free` around
    /// `axis`.
    fn hang(
        &self,
        free: &Vector,
        axis: &Vector,
        above: &Vector,
        legs: &SpreadingLegs,
        row: &Row,
        [angle, ripple, time]: [f64; 3],
    ) -> Vector {
        let mut outward = free - axis;
        outward.y = 0.0;
        let radius = outward.norm();
        outward /= radius;
        let height = above.y - 0.5 * self.row_length;
        let spread = legs.spread(axis, &outward, height, radius);
        let pushed = spread - radius;
        // A leg that stretches the cloth smooths the folds.
        let loose = 0.02 / (0.02 + pushed);
        let sway = 0.5 * libm::sin(TAU * (time / CYCLE - 0.25 * row.depth));
        let mut wave = 0.0;
        for fold in &self.folds {
            wave += fold.share * libm::cos(fold.count * angle + fold.phase + sway);
        }
        let opening = smooth_step(-0.15, 1.0, row.depth) - smooth_step(-0.15, 1.0, 0.0);
        let radius = spread + FOLD_DEPTH * opening * (0.35 + 0.65 * loose) * wave + 0.0016 * opening * ripple;
        let mut point = axis + outward * radius;
        let sideways = (point.x - above.x) * (point.x - above.x) + (point.z - above.z) * (point.z - above.z);
        // Cloth spread faster than its length allows is stretched instead of becoming level.
        let fall = (self.row_length * self.row_length - sideways).max(0.1 * self.row_length * self.row_length);
        point.y = above.y - fall.sqrt();
        point
    }
}

/// Half axes and forward shift of the dress at rest.
fn half_axes(trunk: &Tube, row: &Row) -> [f64; 3] {
    let section = trunk.section(row.height);
    if row.depth == 0.0 {
        return [section.side + BODICE_EASE, section.front + BODICE_EASE, section.shift];
    }
    let waist = trunk.section(WAIST);
    let fallen = WAIST - row.height;
    // Below the hips the trunk closes; only the cone applies there.
    let followed = trunk.section(if row.height > 0.93 { row.height } else { 0.93 });
    let side = smooth_maximum(waist.side + FLARE[0] * fallen, followed.side, 0.01);
    let front = smooth_maximum(waist.front + FLARE[1] * fallen, followed.front, 0.01);
    let begun = smooth_step(0.0, 0.1, row.depth);
    // The smooth maximum exceeds both: blend it in gradually, so that the skirt begins at the end
    // of the bodice.
    [
        waist.side + BODICE_EASE + (side - waist.side) * begun,
        waist.front + BODICE_EASE + (front - waist.front) * begun,
        waist.shift + (followed.shift - waist.shift) * smooth_step(0.0, 0.25, row.depth),
    ]
}

impl<'a> SpreadingLegs<'a> {
    fn new(gait: &Gait, tubes: &'a [Tube], poses: &[Pose; BONES]) -> Self {
        let joints = [0, 1].map(|side| {
            [
                poses[THIGH[side]].apply(&gait.hip(side)),
                poses[SHANK[side]].apply(&gait.knee(side)),
                poses[FOOT[side]].apply(&gait.ankle(side)),
            ]
        });
        Self { tubes, joints }
    }

    /// Distance from `axis` in direction `outward` to which the legs spread cloth at `height`; at
    /// least about `radius`.
    fn spread(&self, axis: &Vector, outward: &Vector, height: f64, radius: f64) -> f64 {
        let mut reach = radius;
        for (&leg, [hip, knee, ankle]) in LEGS.iter().zip(&self.joints) {
            let thigh = height > knee.y;
            let (upper, lower) = if thigh { (hip, knee) } else { (knee, ankle) };
            let share = ((upper.y - height) / (upper.y - lower.y)).clamp(0.0, 1.0);
            let centre = upper + (lower - upper) * share;
            let lengths = [HIP_HEIGHT - KNEE_HEIGHT, KNEE_HEIGHT - ANKLE_HEIGHT];
            let along = if thigh { lengths[0] * share } else { lengths[0] + lengths[1] * share };
            let section = self.tubes[leg].section(along);
            let thickness = if section.side > section.front { section.side } else { section.front };
            // Above the hips there are no legs: their reach fades out over the trunk's sides.
            let faded = HIP_REACH * smooth_step(hip.y - 0.06, hip.y + 0.06, height);
            let needed = (centre - axis).dot(outward) + thickness + LEG_EASE - faded;
            reach = smooth_maximum(reach, needed, SPREAD_SMOOTHING);
        }
        reach
    }
}

/// At least the greater of both, smooth where they are equal; the excess there is half the `width`.
fn smooth_maximum(a: f64, b: f64, width: f64) -> f64 {
    0.5 * (a + b + ((a - b) * (a - b) + width * width).sqrt())
}
