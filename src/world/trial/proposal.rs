//! A proposed motion: straight from where a body is at the clock's time to proposed positions.
//!
//! Positions that `f32` numbers state exactly become two keys, which is the case at keys and after
//! a committed trial. Others, between two keys, start where they are evaluated in `f64`: rounding
//! them would let vertices jump past each other.

use std::sync::Arc;

use crate::motion::{Flightplan, KeyLayout, Motion, MotionError, Outside, Sampler};
use crate::time::Side;

/// The straight way of every vertex between two times.
#[derive(Debug)]
struct StraightWays {
    times: [f64; 2],
    from: Vec<[f64; 3]>,
    to: Vec<[f32; 3]>,
    largest_coordinate: f64,
    largest_speed: f64,
}

impl StraightWays {
    fn new(times: [f64; 2], from: &[[f64; 3]], to: &[[f32; 3]]) -> Self {
        let (mut coordinate, mut way) = (0.0f64, 0.0f64);
        for (from, to) in from.iter().zip(to) {
            for axis in 0..3 {
                let end = f64::from(to[axis]);
                coordinate = coordinate.max(from[axis].abs()).max(end.abs());
                way = way.max((end - from[axis]).abs());
            }
        }
        let largest_speed = (way.next_up() / (times[1] - times[0]).next_down()).next_up();
        Self { times, from: from.to_vec(), to: to.to_vec(), largest_coordinate: coordinate, largest_speed }
    }
}

impl Sampler for StraightWays {
    fn vertex_count(&self) -> usize {
        self.from.len()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.to
    }

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn jumps(&self) -> &[bool] {
        &[false; 2]
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        self.largest_coordinate
    }

    fn largest_speed(&self) -> f64 {
        self.largest_speed
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        let vertex = vertex as usize;
        if key == 0 { self.from[vertex] } else { self.to[vertex].map(f64::from) }
    }
}

/// The motion of a body from positions at a time to proposed ones at a later time, where it then
/// stays. O(vertices).
///
/// # Errors
/// A number of positions that is not that of the vertices; positions that are not finite or too
/// large.
pub(crate) fn motion(
    times: [f64; 2],
    from: &[[f64; 3]],
    to: &[[f32; 3]],
    layout: KeyLayout,
) -> Result<Motion, MotionError> {
    if to.len() != from.len() {
        return Err(MotionError::PositionCount { expected: from.len(), found: to.len() });
    }
    let rounded: Vec<[f32; 3]> = from.iter().map(|place| place.map(|x| x as f32)).collect();
    let is_exact = rounded.iter().zip(from).all(|(rounded, from)| rounded.map(f64::from) == *from);
    let positions = || [rounded.as_slice(), to].concat();
    let keyed = Motion::new(Flightplan::keyframes(times.to_vec(), positions()), from.len(), layout)?;
    if is_exact {
        return Ok(keyed);
    }
    let ways = StraightWays::new(times, from, to);
    Motion::new(Flightplan::sampled(Arc::new(ways)), from.len(), layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Moment;

    /// A start between two `f32` numbers is kept to the last bit, and so is the end.
    #[test]
    fn starts_are_not_rounded() {
        let (exact, between) = ([0.5, -2.0, 3.0], [0.1, 1.0 / 3.0, -7e-9]);
        let to = [[1.0f32, 2.0, 4.0]];
        for from in [exact, between] {
            let motion = motion([1.0, 1.25], &[from], &to, KeyLayout::KeyMajor).unwrap();
            assert_eq!(motion.position(0, Moment::at(1.0)), from);
            assert_eq!(motion.position(0, Moment::after(1.0)), from);
            assert_eq!(motion.position(0, Moment::at(1.25)), [1.0, 2.0, 4.0]);
            assert_eq!((motion.blur(Moment::at(1.0)), motion.blur(Moment::at(1.25))), (0.0, 0.0));
        }
    }
}
