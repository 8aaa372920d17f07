//! The skeleton of the walking figure and its sinusoidal gait.
//!
//! Every bone has a pose that maps the rest position of the whole figure to the current one. A
//! vertex is skinned by applying the poses of its bones to its one rest position. Joint angles are
//! sines of the phase. The height of the pelvis follows from the lowest sole, which stands on the
//! floor `y = 0`. Axes: `x` to the figure's left, `y` up, `z` forward.

use core::f64::consts::TAU;

use nalgebra::Matrix3;

use super::{Random, Vector};

/// Seconds per walk cycle (two steps).
pub(super) const CYCLE: f64 = 1.0;

/// Bones by number; limbs come in pairs, left first.
pub(super) const PELVIS: usize = 0;
pub(super) const CHEST: usize = 1;
pub(super) const HEAD: usize = 2;
pub(super) const THIGH: [usize; 2] = [3, 4];
pub(super) const SHANK: [usize; 2] = [5, 6];
pub(super) const FOOT: [usize; 2] = [7, 8];
pub(super) const UPPER_ARM: [usize; 2] = [9, 10];
pub(super) const FOREARM: [usize; 2] = [11, 12];
/// Number of bones.
pub(super) const BONES: usize = 13;

/// Heights of the joints at rest, in metres.
pub(super) const WAIST_HEIGHT: f64 = 1.06;
pub(super) const NECK_HEIGHT: f64 = 1.50;
pub(super) const HIP_HEIGHT: f64 = 0.90;
pub(super) const KNEE_HEIGHT: f64 = 0.49;
pub(super) const ANKLE_HEIGHT: f64 = 0.085;
pub(super) const SHOULDER_HEIGHT: f64 = 1.395;
/// Length of the upper arm in metres.
pub(super) const UPPER_ARM_LENGTH: f64 = 0.29;
/// Angle between the arms at rest and the vertical, in radians.
pub(super) const ARM_SPREAD: f64 = 0.17;
/// Points (z, y) of a foot at rest that may touch the floor, in metres: heel, ball and toes.
const SOLE: [(f64, f64); 3] = [(-0.06, 0.005), (0.15, 0.0), (0.18, 0.01)];

/// Rotation and translation from rest to now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose {
    rotation: Matrix3<f64>,
    translation: Vector,
}

impl Pose {
    /// The current position of a point of the rest figure.
    pub(super) fn apply(&self, rest: &Vector) -> Vector {
        self.rotation * rest + self.translation
    }

    /// The rest point whose current position is `point`.
    pub(super) fn undo(&self, point: &Vector) -> Vector {
        self.rotation.tr_mul(&(point - self.translation))
    }

    /// The rest direction whose current direction is `direction`.
    pub(super) fn undo_turn(&self, direction: &Vector) -> Vector {
        self.rotation.tr_mul(direction)
    }

    /// The upper three rows of its 4 × 4 matrix, `forward` metres on.
    pub(super) fn rows(&self, forward: f64) -> [[f64; 4]; 3] {
        let shift = self.translation + Vector::new(0.0, 0.0, forward);
        core::array::from_fn(|row| {
            let turn = self.rotation.row(row);
            [turn[0], turn[1], turn[2], shift[row]]
        })
    }

    /// Rotates about the rest point `joint`, then applies `self`.
    fn jointed(&self, joint: &Vector, rotation: Matrix3<f64>) -> Self {
        let moved = joint - rotation * joint;
        Self { rotation: self.rotation * rotation, translation: self.rotation * moved + self.translation }
    }
}

fn pitch(angle: f64) -> Matrix3<f64> {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    Matrix3::new(1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
}

fn yaw(angle: f64) -> Matrix3<f64> {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    Matrix3::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
}

fn roll(angle: f64) -> Matrix3<f64> {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
}

/// Build and habits of one walker.
#[derive(Clone, Debug)]
pub(super) struct Gait {
    /// Half the distance between the hip joints.
    pub(super) hip_offset: f64,
    /// Half the distance between the shoulder joints.
    pub(super) shoulder_offset: f64,
    hip_swing: f64,
    arm_swing: f64,
    pelvis_yaw: f64,
    sway: f64,
    phase: f64,
}

impl Gait {
    pub(super) fn new(random: &mut Random, hip_offset: f64, shoulder_offset: f64) -> Self {
        Self {
            hip_offset,
            shoulder_offset,
            hip_swing: random.between(0.40, 0.46),
            arm_swing: random.between(0.34, 0.46),
            pelvis_yaw: random.between(0.07, 0.11),
            sway: random.between(0.014, 0.022),
            phase: random.between(0.0, TAU),
        }
    }

    /// Distance walked per second without sliding feet: two steps per cycle, legs swung from behind
    /// to before.
    pub(super) fn natural_speed(&self) -> f64 {
        4.0 * (HIP_HEIGHT - 0.05) * libm::sin(self.hip_swing) / CYCLE
    }

    /// Rest position of the left (`side` 0) or right hip.
    pub(super) fn hip(&self, side: usize) -> Vector {
        Vector::new(mirror(side) * self.hip_offset, HIP_HEIGHT, 0.0)
    }

    /// Rest position of a knee.
    pub(super) fn knee(&self, side: usize) -> Vector {
        Vector::new(mirror(side) * self.hip_offset, KNEE_HEIGHT, 0.0)
    }

    /// Rest position of an ankle.
    pub(super) fn ankle(&self, side: usize) -> Vector {
        Vector::new(mirror(side) * self.hip_offset, ANKLE_HEIGHT, 0.0)
    }

    /// Rest position of a shoulder.
    pub(super) fn shoulder(&self, side: usize) -> Vector {
        Vector::new(mirror(side) * self.shoulder_offset, SHOULDER_HEIGHT, -0.01)
    }

    /// Direction of an arm at rest, from shoulder to hand.
    pub(super) fn arm_direction(side: usize) -> Vector {
        Vector::new(mirror(side) * libm::sin(ARM_SPREAD), -libm::cos(ARM_SPREAD), 0.0)
    }

    /// Poses of all bones at `time`, without the forward motion.
    pub(super) fn poses(&self, time: f64) -> [Pose; BONES] {
        let phase = TAU * time / CYCLE + self.phase;
        let (sin, cos) = (libm::sin(phase), libm::cos(phase));
        let mut poses = [Pose { rotation: Matrix3::identity(), translation: Vector::zeros() }; BONES];

        // The left leg is foremost at sin = 1: the pelvis rotates with it, the chest and the arms
        // against it.
        let hips = Vector::new(0.0, HIP_HEIGHT, 0.0);
        let root = Pose { rotation: Matrix3::identity(), translation: Vector::new(-self.sway * cos, 0.0, 0.0) };
        let pelvis_rotation = yaw(-self.pelvis_yaw * sin) * roll(-0.05 * cos) * pitch(0.03);
        poses[PELVIS] = root.jointed(&hips, pelvis_rotation);
        let waist = Vector::new(0.0, WAIST_HEIGHT, 0.0);
        let chest_rotation = yaw(2.2 * self.pelvis_yaw * sin) * roll(0.06 * cos) * pitch(0.02);
        poses[CHEST] = poses[PELVIS].jointed(&waist, chest_rotation);
        let neck = Vector::new(0.0, NECK_HEIGHT, 0.0);
        poses[HEAD] = poses[CHEST].jointed(&neck, yaw(-1.1 * self.pelvis_yaw * sin) * pitch(-0.03));

        for side in 0..2 {
            let ahead = mirror(side) * sin;
            let rising = mirror(side) * cos;
            // The knee bends while the leg swings forward, most when it passes the other one.
            let lifted = 0.5 + 0.5 * (rising * libm::cos(0.45) - ahead * libm::sin(0.45));
            let knee_bend = 0.08 + 0.95 * lifted * lifted * lifted;
            let thigh_rotation = pitch(-self.hip_swing * ahead - 0.10 - 0.12 * lifted) * roll(-0.02 * mirror(side));
            poses[THIGH[side]] = poses[PELVIS].jointed(&self.hip(side), thigh_rotation);
            poses[SHANK[side]] = poses[THIGH[side]].jointed(&self.knee(side), pitch(knee_bend));
            let ankle_bend = 0.04 - 0.26 * ahead - 0.30 * lifted + 0.14;
            poses[FOOT[side]] = poses[SHANK[side]].jointed(&self.ankle(side), pitch(ankle_bend));

            let arm_rotation = pitch(self.arm_swing * ahead - 0.02);
            poses[UPPER_ARM[side]] = poses[CHEST].jointed(&self.shoulder(side), arm_rotation);
            let elbow = self.shoulder(side) + Self::arm_direction(side) * UPPER_ARM_LENGTH;
            let elbow_rotation = pitch(-0.38 + 0.22 * ahead);
            poses[FOREARM[side]] = poses[UPPER_ARM[side]].jointed(&elbow, elbow_rotation);
        }

        let mut lowest = f64::INFINITY;
        for (side, foot) in FOOT.into_iter().enumerate() {
            for (z, y) in SOLE {
                let sole = Vector::new(self.ankle(side).x, y, z);
                let height = poses[foot].apply(&sole).y;
                if height < lowest {
                    lowest = height;
                }
            }
        }
        for pose in &mut poses {
            pose.translation.y -= lowest;
        }
        poses
    }
}

/// +1 for the left side (0), −1 for the right.
pub(super) fn mirror(side: usize) -> f64 {
    if side == 0 { 1.0 } else { -1.0 }
}
