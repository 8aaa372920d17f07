//! Constant velocities of some vertices, stored in the order in which each step reads them, without
//! gathers.

use super::{Motion, Trajectories};
use crate::limits;
use crate::time::Moment;

/// Starts and velocities of vertices, side by side; the fourth lanes are 0. 32 bytes per vertex.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PackedLinearMotion {
    lines: Vec<[[f32; 4]; 2]>,
    /// The largest start coordinate and velocity along an axis.
    largest: [f32; 2],
}

impl PackedLinearMotion {
    /// Packs some vertices of a velocity field; `None` for any other motion, and if vertices have
    /// plans of their own.
    pub(crate) fn of(motion: &Motion, vertices: &[u32]) -> Option<Self> {
        let Trajectories::LinearMotion(lines) = &motion.shared else { return None };
        if lines.is_curved() || !motion.own.is_empty() {
            return None;
        }
        let (starts, velocities) = motion.lines_of(vertices);
        let largest = |values: &[[f32; 4]]| values.iter().flatten().fold(0.0, |most: f32, x| most.max(x.abs()));
        let largest = [largest(&starts), largest(&velocities)];
        Some(Self {
            lines: starts.into_iter().zip(velocities).map(|(start, velocity)| [start, velocity]).collect(),
            largest,
        })
    }

    /// The time for which vertices have moved at a moment, seconds, exactly and in `f32`; equal for
    /// all. `None` once vertices have plans of their own, and if hardly any time has passed.
    pub(crate) fn elapsed(motion: &Motion, at: Moment) -> Option<(f64, f32)> {
        let Trajectories::LinearMotion(lines) = &motion.shared else { return None };
        if !motion.own.is_empty() {
            return None;
        }
        let exactly = lines.elapsed(at)?;
        let elapsed = exactly as f32;
        // Otherwise the relative error would exceed one rounding.
        (exactly == 0.0 || elapsed >= f32::MIN_POSITIVE).then_some((exactly, elapsed))
    }

    /// The position of one of the vertices after some time, seconds. The error is at most five
    /// roundings of the largest start or position: two in the travel (the time and the product),
    /// whose size is at most both together, and one in the sum.
    #[inline(always)]
    pub(crate) fn at(&self, place: usize, elapsed: f32) -> [f32; 4] {
        after(&self.lines[place], elapsed)
    }

    /// Writes the positions of all, as [`PackedLinearMotion::at`]; returns a margin, as
    /// [`Motion::rounded_positions`].
    pub(crate) fn place(&self, elapsed: f32, out: &mut [[f32; 4]]) -> f32 {
        let mut largest = [0.0f32; 4];
        for (out, line) in out.iter_mut().zip(&self.lines) {
            *out = after(line, elapsed);
            for lane in 0..4 {
                let (x, y) = (out[lane].abs(), line[0][lane].abs());
                let size = if x > y { x } else { y };
                largest[lane] = if size > largest[lane] { size } else { largest[lane] };
            }
        }
        margin(largest.into_iter().fold(0.0, f32::max))
    }

    /// A margin for positions of any vertex after some time, seconds, from the largest start plus
    /// the largest travel. O(1).
    pub(crate) fn margin(&self, elapsed: f32) -> f32 {
        let [start, velocity] = self.largest;
        // Covers the roundings of the bound itself.
        margin((start + velocity * elapsed) * (1.0 + 8.0 * f32::EPSILON))
    }

    /// The velocities, metres per second.
    pub(crate) fn velocities(&self) -> Vec<[f32; 4]> {
        self.lines.iter().map(|[_, velocity]| *velocity).collect()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<[[f32; 4]; 2]>()
    }
}

#[inline(always)]
fn after([start, velocity]: &[[f32; 4]; 2], elapsed: f32) -> [f32; 4] {
    let mut point = [0.0; 4];
    for lane in 0..4 {
        point[lane] = start[lane] + velocity[lane] * elapsed;
    }
    point
}

fn margin(largest: f32) -> f32 {
    largest * limits::F32_INTERPOLATION_ROUNDING + f32::MIN_POSITIVE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Flightplan, KeyLayout};

    #[test]
    fn as_near_to_the_places_as_their_margin_says() {
        let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 65_536.0 - 128.0;
        for scale in [1e-30f32, 1.0, 1e12] {
            let points = |from: usize| -> Vec<[f32; 3]> {
                (0..40).map(|i| std::array::from_fn(|axis| scale * number(from + 3 * i + axis))).collect()
            };
            // Some return to the neighbourhood of the origin.
            let velocities =
                (0..40).map(|i| if i % 2 == 0 { points(0)[i].map(|x| -x) } else { points(1_000)[i] }).collect();
            let motion =
                Motion::new(Flightplan::velocities(1.0, points(0), velocities), 40, KeyLayout::KeyMajor).unwrap();
            let vertices: Vec<u32> = (0..40).rev().chain([7, 7]).collect();
            let lines = PackedLinearMotion::of(&motion, &vertices).unwrap();
            for time in [0.0, 1.0, 1.5, 1.999_999, 2.0, 3.1, 1e3, 1e9] {
                let (at, mut here) = (Moment::at(time), vec![[0.0; 4]; 42]);
                let (_, elapsed) = PackedLinearMotion::elapsed(&motion, at).unwrap();
                let margin = lines.place(elapsed, &mut here);
                assert!(margin <= lines.margin(elapsed));
                assert!((0..42).all(|place| lines.at(place, elapsed) == here[place]));
                for (&vertex, point) in vertices.iter().zip(&here) {
                    for (axis, x) in motion.position(vertex, at).into_iter().enumerate() {
                        let off = (x - f64::from(point[axis])).abs();
                        assert!(off <= 0.5 * f64::from(margin), "{scale} {time} {vertex}: {off:e} {margin:e}");
                    }
                }
            }
            assert!(
                PackedLinearMotion::of(
                    &Motion::new(Flightplan::fixed(points(0)), 40, KeyLayout::KeyMajor).unwrap(),
                    &vertices
                )
                .is_none()
            );
        }
    }
}
