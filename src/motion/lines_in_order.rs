//! Constant velocities of some vertices in the order in which somebody reads them, look after look: nothing is gathered.

use super::{Motion, Trajectories};
use crate::limits;
use crate::time::Moment;

/// Where vertices start, and their velocities; the fourth lanes are 0. 32 bytes per vertex.
#[derive(Clone, Debug)]
pub(crate) struct LinesInOrder {
    starts: Vec<[f32; 4]>,
    velocities: Vec<[f32; 4]>,
}

impl LinesInOrder {
    /// Of some vertices of a velocity field; `None` of any other motion, and where vertices have plans of their own.
    pub(crate) fn of(motion: &Motion, vertices: &[u32]) -> Option<Self> {
        let Trajectories::Lines(lines) = &motion.shared else { return None };
        if lines.is_curved() || !motion.own.is_empty() {
            return None;
        }
        let (starts, velocities) = motion.lines_of(vertices);
        Some(Self { starts, velocities })
    }

    /// As [`Motion::rounded_positions`] of these vertices of the same motion, to the last bit; `None` once vertices have plans of their own.
    pub(crate) fn rounded_positions(&self, motion: &Motion, at: Moment, out: &mut [[f32; 4]]) -> Option<f32> {
        let Trajectories::Lines(lines) = &motion.shared else { return None };
        if !motion.own.is_empty() {
            return None;
        }
        let elapsed = lines.elapsed(at)?;
        let mut largest = [0.0f32; 4];
        for ((out, start), velocity) in out.iter_mut().zip(&self.starts).zip(&self.velocities) {
            for lane in 0..4 {
                let x = (f64::from(start[lane]) + f64::from(velocity[lane]) * elapsed) as f32;
                out[lane] = x;
                largest[lane] = if x.abs() > largest[lane] { x.abs() } else { largest[lane] };
            }
        }
        let largest = largest.into_iter().fold(0.0, f32::max);
        Some(largest * limits::ROUNDED_POSITION + f32::MIN_POSITIVE)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        (self.starts.capacity() + self.velocities.capacity()) * size_of::<[f32; 4]>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Flightplan;

    #[test]
    fn the_same_places_as_gathered_ones() {
        let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 65_536.0 - 128.0;
        let points = |from: usize| (0..40).map(|i| std::array::from_fn(|axis| number(from + 3 * i + axis))).collect();
        let motion = Motion::new(Flightplan::velocities(1.0, points(0), points(1_000)), 40).unwrap();
        let vertices: Vec<u32> = (0..40).rev().chain([7, 7]).collect();
        let lines = LinesInOrder::of(&motion, &vertices).unwrap();
        for time in [0.0, 1.0, 1.5, 1e3, 1e9] {
            let (mut here, mut gathered) = (vec![[0.0; 4]; 42], vec![[0.0; 4]; 42]);
            let at = Moment::at(time);
            let margin = motion.rounded_positions(at, &vertices, &mut gathered);
            assert_eq!(lines.rounded_positions(&motion, at, &mut here), Some(margin), "{time}");
            assert_eq!(here, gathered, "{time}");
        }
        assert!(LinesInOrder::of(&Motion::new(Flightplan::fixed(points(0)), 40).unwrap(), &vertices).is_none());
    }
}
