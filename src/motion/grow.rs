//! Vertices added and removed while a body is in use.
//!
//! An added vertex has a plan of its own, and the next free number. A removed vertex keeps its
//! number and a position, but no plan that could constrain the body: it stays in place, or follows
//! the shared plan.

use super::linear::LinearMotion;
use super::{Motion, MotionError, NONE, Trajectories, VertexFlightplan, check};
use crate::motion::Outside;
use crate::time::{Moment, Span};

impl Motion {
    /// Checks the plans of new vertices. Each comes with the start position of a velocity that
    /// names none.
    ///
    /// # Errors
    /// As [`Motion::check_vertex_plans`].
    pub fn check_growth(&self, vertices: &[([f32; 3], VertexFlightplan)], now: Moment) -> Result<(), MotionError> {
        for (number, (from, plan)) in (self.vertex_count as u32..).zip(vertices) {
            check::coordinates(0, number, from.map(f64::from))?;
            plan.check(number, from.map(f64::from), now.time())?;
        }
        Ok(())
    }

    /// Adds vertices with plans of their own from now on. The motion is unchanged if an error is
    /// returned.
    ///
    /// O(new vertices), and O(vertices) the first time.
    ///
    /// # Errors
    /// As [`Motion::check_growth`].
    pub fn grow(&mut self, vertices: &[([f32; 3], VertexFlightplan)], now: Moment) -> Result<(), MotionError> {
        self.check_growth(vertices, now)?;
        for (from, plan) in vertices {
            let number = self.vertex_count as u32;
            let own = plan.check(number, from.map(f64::from), now.time())?;
            self.vertex_count += 1;
            self.own.resize(self.vertex_count, NONE);
            self.install(number, own, now);
        }
        Ok(())
    }

    /// Removes the plans of vertices that are no longer used.
    pub fn forget(&mut self, vertices: &[u32], now: Moment) {
        for &vertex in vertices {
            if !self.has_own_plan(vertex) {
                continue;
            }
            if (vertex as usize) < self.shared_count {
                let old = self.own_plans.remove(self.own[vertex as usize] as usize);
                self.endless -= usize::from(old.is_endless());
                self.own[vertex as usize] = NONE;
            } else {
                let span = Span { begin: now.time(), end: now.time() };
                let here = self.position(vertex, now);
                self.install(
                    vertex,
                    Trajectories::LinearMotion(LinearMotion::new(span, Outside::Hold, vec![here], vec![[0.0; 3]])),
                    now,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flightplan, KeyLayout};
    use super::*;
    use crate::time::NEVER;

    #[test]
    fn vertices_come_and_go_in_every_kind_of_plan() {
        let still = || vec![[1.0f32, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let keys = || Flightplan::keyframes(vec![0.0, 2.0], [still(), still()].concat());
        let lines = || Flightplan::velocities(0.0, still(), vec![[0.0; 3]; 2]);
        for (plan, layout) in
            [(keys(), KeyLayout::VertexMajor), (keys(), KeyLayout::KeyMajor), (lines(), KeyLayout::VertexMajor)]
        {
            let mut motion = Motion::new(plan, 2, layout).unwrap();
            let now = Moment::at(1.0);
            let moving = VertexFlightplan::Velocity { from: None, velocity: [0.0, 1.0, 0.0] };
            let endless = motion.epoch_end(now).time();
            motion.grow(&[([3.0, 0.0, 0.0], moving)], now).unwrap();
            assert_eq!(motion.epoch_end(now).time(), 64.0);
            let later = Moment::at(3.0);
            let mut all = Vec::new();
            motion.positions(later, &mut all);
            assert_eq!(all, [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 2.0, 0.0]]);
            let mut rounded = [[9.0f32; 4]; 3];
            motion.rounded_positions(later, &[2, 0, 1], &mut rounded);
            assert_eq!(rounded, [[3.0, 2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]]);
            let limited = VertexFlightplan::Keyframes {
                times: vec![0.0, 4.0],
                positions: vec![[0.0; 3]; 2],
                outside: Outside::Error,
            };
            motion.set_vertex_plans(&[(0, limited.clone()), (2, limited)], later).unwrap();
            assert_eq!(motion.allowed_span().end, 4.0);
            motion.forget(&[0, 2], later);
            assert_eq!(motion.allowed_span().end, NEVER);
            assert_eq!(motion.epoch_end(later).time(), endless);
            assert_eq!((motion.position(0, later), motion.position(2, later)), ([1.0, 0.0, 0.0], [0.0; 3]));
            let broken = VertexFlightplan::Fixed { position: [0.0, f64::NAN, 0.0] };
            let error = motion.grow(&[([0.0; 3], broken)], later).unwrap_err();
            assert!(matches!(error, MotionError::BadCoordinate { vertex: 3, axis: 1, .. }), "{error}");
            assert_eq!(motion.vertex_count(), 3);
        }
    }
}
