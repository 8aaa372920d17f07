//! Pairs of joints in a pose, four at once.

use super::PosedJoint;
use crate::limits;
use crate::reduced::pair_lanes::{PairLanes, chord, mixed, turn_square};
use crate::reduced::spherical::{PairTerms, dot};
use crate::reduced::{Affine, JointSets, Pose};
use crate::simd::{self, F64x4, Kernel, Simd, WIDE_LANES};
use nalgebra::Vector3;

/// Two joints: what a rotation centre needs of them, and the dot product of their quaternions, of
/// any sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosedPair {
    pub(super) terms: PairTerms,
    pub(super) dot: f64,
}

impl PosedPair {
    pub(super) const NONE: Self = Self { terms: PairTerms::NONE, dot: 0.0 };

    pub(super) fn of(sets: &JointSets, pair: u32, turns: &[Option<PosedJoint>], pose: &Pose) -> Self {
        let joints = sets.pairs[pair as usize];
        let terms = PairTerms::of(joints.map(|joint| &pose.maps[joint as usize]), &sets.middle);
        // Sets with a joint without a turn have no bound.
        let [Some(a), Some(b)] = joints.map(|joint| &turns[joint as usize]) else { return Self { terms, dot: 0.0 } };
        Self { terms, dot: dot(&a.turn.quaternion, &b.turn.quaternion) }
    }
}

/// `(R_b − R_a)ᵀ (R_b − R_a)` of two unit quaternions, as xx, yy, zz, xy, xz, yz.
///
/// Twice the vector of the quaternion of the turn from one to the other is, along its axis, twice
/// the sine of half its angle. The matrix is the square of that length across the axis.
pub(super) fn turned(p: &[f64; 4], q: &[f64; 4]) -> [f64; 6] {
    let [x, y, z] = AXES.map(|[i, j, k]| 2.0 * (p[3] * q[i] - q[3] * p[i] + p[k] * q[j] - p[j] * q[k]));
    [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z]
}

const AXES: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

/// What pairs need of a joint: its map's linear part, column by column; the image of the mean of
/// all joints' rest positions, metres; its unit quaternion and its scale, zero where it has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointRow([f64; 17]);

impl JointRow {
    pub(super) fn new(map: &Affine, turn: Option<&PosedJoint>, middle: &Vector3<f64>) -> Self {
        let mut numbers = [0.0; 17];
        numbers[..9].copy_from_slice(map.linear.as_slice());
        numbers[9..12].copy_from_slice(map.apply(middle).as_slice());
        if let Some(joint) = turn {
            numbers[12..16].copy_from_slice(&joint.turn.quaternion);
            numbers[16] = joint.turn.scale;
        }
        Self(numbers)
    }
}

/// Computes all pairs.
pub(super) fn fill(joints: &[JointRow], pairs: &[[u32; 2]], posed: &mut [PosedPair], lanes: &mut [PairLanes]) {
    simd::run(Fill { joints, pairs, posed, lanes });
}

struct Fill<'a> {
    joints: &'a [JointRow],
    pairs: &'a [[u32; 2]],
    posed: &'a mut [PosedPair],
    lanes: &'a mut [PairLanes],
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run<M: Simd>(self, machine: M) {
        let Self { joints, pairs, posed, lanes } = self;
        let fours = posed.chunks_mut(WIDE_LANES).zip(lanes.chunks_mut(WIDE_LANES));
        for (pairs, (posed, lanes)) in pairs.chunks(WIDE_LANES).zip(fours) {
            let last = pairs.len() - 1;
            let [p, q, r, s] = [pairs[0], pairs[last.min(1)], pairs[last.min(2)], pairs[last.min(3)]];
            let row = |joint: u32| &joints[joint as usize];
            let rows = [[row(p[0]), row(q[0]), row(r[0]), row(s[0])], [row(p[1]), row(q[1]), row(r[1]), row(s[1])]];
            let four = Four::of(machine, &rows);
            for (lane, posed) in posed.iter_mut().enumerate() {
                *posed = PosedPair { terms: four.terms(lane), dot: four.dot[lane] };
            }
            for (lane, lanes) in lanes.iter_mut().enumerate() {
                *lanes = four.lanes(lane);
            }
        }
    }
}

/// Numbers of four pairs.
struct Four {
    /// See [`PairTerms`].
    square: [[f64; WIDE_LANES]; 6],
    apart: [[f64; WIDE_LANES]; 3],
    dot: [f64; WIDE_LANES],
    /// See [`crate::reduced::pair_lanes`]: `H / u`, `u` and `c`.
    form: [[f64; WIDE_LANES]; 6],
    most: [f64; WIDE_LANES],
    chord: [f64; WIDE_LANES],
}

/// Four joints, number by number.
struct Side([[f64; WIDE_LANES]; 17]);

impl Side {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(rows: [&JointRow; WIDE_LANES]) -> Self {
        let mut numbers = [[0.0; WIDE_LANES]; 17];
        for (at, lanes) in numbers.iter_mut().enumerate() {
            *lanes = [rows[0].0[at], rows[1].0[at], rows[2].0[at], rows[3].0[at]];
        }
        Self(numbers)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn three<M: Simd>(&self, machine: M, at: usize) -> [M::F64x4; 3] {
        let [a, b, c] = [&self.0[at], &self.0[at + 1], &self.0[at + 2]];
        [machine.load_wide(a), machine.load_wide(b), machine.load_wide(c)]
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn difference<V: F64x4>([a, b, c]: [V; 3], [d, e, f]: [V; 3]) -> [V; 3] {
    [a - d, b - e, c - f]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn product<V: F64x4>(a: &[V; 3], b: &[V; 3]) -> [f64; WIDE_LANES] {
    (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]).lanes()
}

impl Four {
    // No closures over vectors: these are not always inlined, and then not compiled for the
    // machine.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of<M: Simd>(machine: M, rows: &[[&JointRow; WIDE_LANES]; 2]) -> Self {
        let (a, b) = (Side::new(rows[0]), Side::new(rows[1]));
        // Three columns, and the difference of the images.
        let x = difference(b.three(machine, 0), a.three(machine, 0));
        let y = difference(b.three(machine, 3), a.three(machine, 3));
        let z = difference(b.three(machine, 6), a.three(machine, 6));
        let image = difference(b.three(machine, 9), a.three(machine, 9));
        let square =
            [product(&x, &x), product(&y, &y), product(&z, &z), product(&x, &y), product(&x, &z), product(&y, &z)];
        let apart = [product(&x, &image), product(&y, &image), product(&z, &image)];
        let ([i, j, k], l) = (a.three(machine, 12), machine.load_wide(&a.0[15]));
        let ([p, q, r], s) = (b.three(machine, 12), machine.load_wide(&b.0[15]));
        let dot = i * p + j * q + k * r + l * s;
        let (zero, one, two) = (machine.splat_wide(0.0), machine.splat_wide(1.0), machine.splat_wide(2.0));
        let (four, rounding) = (machine.splat_wide(4.0), machine.splat_wide(limits::EVALUATION_ROUNDING));
        let (x, y, z) = (
            two * (l * p - s * i + k * q - j * r),
            two * (l * q - s * j + i * r - k * p),
            two * (l * r - s * k + j * p - i * q),
        );
        let near = dot.size();
        let mixed = mixed(machine.load_wide(&a.0[16]), machine.load_wide(&b.0[16]), near, [two, rounding]);
        let most = (turn_square(near, [one, four, rounding]) * mixed).size().root() * (one + rounding);
        let per = mixed / most;
        let (xx, yy, zz) = (x * x, y * y, z * z);
        let form = [
            ((yy + zz) * per).lanes(),
            ((xx + zz) * per).lanes(),
            ((xx + yy) * per).lanes(),
            ((zero - x * y) * per).lanes(),
            ((zero - x * z) * per).lanes(),
            ((zero - y * z) * per).lanes(),
        ];
        let chord = chord(near, [two, rounding]).lanes();
        Self { square, apart, dot: dot.lanes(), form, most: most.lanes(), chord }
    }

    #[inline(always)]
    fn terms(&self, lane: usize) -> PairTerms {
        let [a, b, c, d, e, f] = &self.square;
        let [x, y, z] = &self.apart;
        PairTerms::new([a[lane], b[lane], c[lane], d[lane], e[lane], f[lane]], [x[lane], y[lane], z[lane]])
    }

    #[inline(always)]
    fn lanes(&self, lane: usize) -> PairLanes {
        let [a, b, c, d, e, f] = &self.form;
        let form = [a[lane], b[lane], c[lane], d[lane], e[lane], f[lane]];
        PairLanes::new(form, self.most[lane], self.chord[lane])
    }
}

#[cfg(test)]
mod tests;
