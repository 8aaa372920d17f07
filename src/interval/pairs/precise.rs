//! Corners of candidates at both ends of an interval in `f64`, where those gathered are rounded to
//! `f32`.
//!
//! Candidates are certain for all positions that are as near to the ends as the ends are known. In
//! an interval that begins or ends between two keys, gathered corners are off by some roundings of
//! an `f32`: 8 µm at 4 m, a tenth of the way that a body moves in one part of a short interval.
//! Evaluated in `f64` they are off by what frames are off by.

use super::PairedBodies;
use crate::mesh::Mesh;
use crate::motion::{Cursor, Motion};
use crate::narrow::intervals::MovingTriangle;
use crate::time::{Moment, Span};

/// How many times what evaluated positions of both bodies may be off by the corners count as being
/// off: the ends are, and so are the positions at a frame, which may be the exact ones. Twice, for
/// the rounding of the interval's parameter.
pub(super) const ROUNDINGS: f64 = 4.0;

/// The triangles of two bodies at both ends of an interval.
pub(super) struct PreciseEnds<'a> {
    sides: [((&'a Mesh, &'a Motion), [Cursor; 2]); 2],
}

impl<'a> PreciseEnds<'a> {
    /// `None` where evaluating positions is expensive, or the interval has no length.
    pub(super) fn new(bodies: PairedBodies<'a>, interval: Span) -> Option<Self> {
        let sides = [bodies.a, bodies.b];
        let has_length = interval.begin.is_finite() && interval.begin < interval.end && interval.end.is_finite();
        let is_cheap = has_length && sides.iter().all(|(_, motion)| motion.is_read_cheaply());
        let ends = [Moment::after(interval.begin), Moment::at(interval.end)];
        is_cheap.then(|| Self { sides: sides.map(|body| (body, ends.map(|end| body.1.cursor(end)))) })
    }

    /// Whether no corner of a triangle moves along an axis, not even by less than a rounding: what
    /// is compared with are exact paths, too.
    pub(super) fn rests(&self, side: usize, triangle: u32, axis: usize) -> bool {
        let ((mesh, motion), [begin, _]) = &self.sides[side];
        mesh.triangles()[triangle as usize].iter().all(|&vertex| motion.is_constant_along(vertex, axis, begin))
    }

    /// A triangle of the first body, 0, or of the second one, 1.
    pub(super) fn moving(&self, side: usize, triangle: u32) -> MovingTriangle {
        let ((mesh, motion), ends) = &self.sides[side];
        let corners = mesh.triangles()[triangle as usize];
        let [begin, end] = ends.each_ref().map(|end| corners.map(|vertex| motion.position_at(vertex, end)));
        MovingTriangle { begin, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Flightplan, KeyLayout};

    #[test]
    fn corners_are_where_the_motions_have_them() {
        let mesh = Mesh::new(4, vec![[0, 1, 2], [3, 2, 0]]).unwrap();
        let key = |x: f32| [[x, 0.1, 0.0], [1.0, x, 0.3], [0.0, 1.0, x], [x, x, 0.7]];
        let plan = Flightplan::keyframes(vec![0.0, 3.0], [key(0.0), key(0.7)].concat());
        let keyed = |layout| Motion::new(plan.clone(), 4, layout).unwrap();
        let (read, kept) = (keyed(KeyLayout::KeyMajor), keyed(KeyLayout::VertexMajor));
        let lines = Flightplan::velocities(0.0, key(0.2).to_vec(), key(0.9).to_vec());
        let lines = Motion::new(lines, 4, KeyLayout::KeyMajor).unwrap();
        let bodies = PairedBodies::between((&mesh, &read), (&mesh, &lines));
        let interval = Span { begin: 1.0, end: 1.25 };
        let ends = PreciseEnds::new(bodies, interval).unwrap();
        for (side, motion) in [&read, &lines].into_iter().enumerate() {
            for triangle in 0..2 {
                let found = ends.moving(side, triangle);
                for (corner, vertex) in mesh.triangles()[triangle as usize].into_iter().enumerate() {
                    assert_eq!(found.begin[corner], motion.position(vertex, Moment::after(interval.begin)));
                    assert_eq!(found.end[corner], motion.position(vertex, Moment::at(interval.end)));
                }
            }
        }
        // Evaluating one of them is expensive, or there is no way between the ends.
        assert!(PreciseEnds::new(PairedBodies::between((&mesh, &read), (&mesh, &kept)), interval).is_none());
        assert!(PreciseEnds::new(PairedBodies::within((&mesh, &kept), None), interval).is_none());
        for (begin, end) in [(1.0, 1.0), (1.0, f64::INFINITY), (f64::NEG_INFINITY, 1.0)] {
            assert!(PreciseEnds::new(bodies, Span { begin, end }).is_none(), "{begin} {end}");
        }
    }

    /// What moves by less than a rounding does not rest.
    #[test]
    fn corners_rest_along_an_axis_by_stored_numbers_alone() {
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let place: Vec<[f32; 3]> = vec![[0.5, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]];
        let motion = |plan: Flightplan| Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap();
        let mut raised = place.clone();
        raised[1][2] = raised[1][2].next_up();
        let slow = motion(Flightplan::velocities(0.0, place.clone(), vec![[0.0, 6.1e-17, 0.0]; 3]));
        let keyed = motion(Flightplan::keyframes(vec![0.0, 1e9], [place.clone(), raised].concat()));
        let fixed = motion(Flightplan::fixed(place));
        let interval = Span { begin: 0.125, end: 0.25 };
        for (moving, expected) in [(&slow, [true, false, true]), (&keyed, [true, true, false]), (&fixed, [true; 3])] {
            let bodies = PairedBodies::between((&mesh, &fixed), (&mesh, moving));
            let ends = PreciseEnds::new(bodies, interval).unwrap();
            let found = ends.moving(1, 0);
            assert_eq!(found.begin, found.end, "the way is less than a rounding");
            assert_eq!([0, 1, 2].map(|axis| ends.rests(1, 0, axis)), expected);
            assert_eq!([0, 1, 2].map(|axis| ends.rests(0, 0, axis)), [true; 3]);
        }
    }
}
