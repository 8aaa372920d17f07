//! Rest: stretches of time in which nothing of a body moves, and where a body is when its motion
//! begins.

use super::Motion;
use crate::time::Moment;

impl Motion {
    /// Returns the time until which every vertex keeps its position at `time` (the end included),
    /// seconds; `None` if no rest is known.
    ///
    /// Rest is known for plans without motion, and for the time before and after a plan that holds
    /// outside its span. A pause between two keys counts as motion. O(1), plus O(vertices with
    /// plans of their own).
    pub fn rests_until(&self, time: f64) -> Option<f64> {
        if let Some(spheres) = self.spheres() {
            // Corners are rounded: they may rest while their spheres do not.
            return spheres.rests_until(time);
        }
        let shared = self.shared.rests_until(time)?;
        self.own_plans.iter().try_fold(shared, |until, (_, own)| own.rests_until(time).map(|own| own.min(until)))
    }

    /// Appends every vertex's position where the shared plan begins, metres: at its first key,
    /// placed as that key has it. O(vertices).
    pub(crate) fn positions_at_begin(&self, out: &mut Vec<[f64; 3]>) {
        // Just after it, so that no earlier round of a loop counts, however its wrap is decided.
        self.positions(Moment::after(self.shared.begin()), out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flightplan, KeyLayout, Outside, VertexFlightplan};
    use super::*;
    use crate::time::{NEVER, Span};

    fn motion(plan: Flightplan) -> Motion {
        Motion::new(plan, 1, KeyLayout::VertexMajor).unwrap()
    }

    #[test]
    fn rest_is_known_outside_a_span_that_holds() {
        let (low, high) = ([0.0; 3], [0.0, 0.0, 1.0]);
        assert_eq!(motion(Flightplan::fixed(vec![low])).rests_until(5.0), Some(NEVER));
        let keys = || Flightplan::keyframes(vec![1.0, 2.0], vec![low, high]);
        let held = motion(keys());
        assert_eq!([0.5, 1.0, 1.5, 2.0].map(|time| held.rests_until(time)), [Some(1.0), None, None, Some(NEVER)]);
        assert_eq!(motion(keys().outside(Outside::Loop)).rests_until(0.5), None);
        let still = Flightplan::keyframes(vec![1.0, 2.0], vec![high, high]).outside(Outside::Loop);
        assert_eq!(motion(still).rests_until(1.5), Some(NEVER));
        let endless = motion(Flightplan::velocities(1.0, vec![low], vec![high]));
        assert_eq!([0.5, 1.0, 9.0].map(|time| endless.rests_until(time)), [Some(1.0), None, None]);
        let span = Span { begin: 1.0, end: 3.0 };
        let ended = motion(Flightplan::velocities_until(span, vec![low], vec![high]));
        assert_eq!([0.5, 2.0, 3.0].map(|time| ended.rests_until(time)), [Some(1.0), None, Some(NEVER)]);
    }

    #[test]
    fn the_begin_is_the_first_key_as_placed() {
        let shift = |x: f64| [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let begin = |plan: Flightplan| {
            let mut out = Vec::new();
            motion(plan).positions_at_begin(&mut out);
            out[0]
        };
        let carried = || Flightplan::rigid(vec![2.0, 3.0], vec![shift(5.0), shift(6.0)], vec![[1.0, 0.0, 0.0]]);
        for outside in [Outside::Hold, Outside::Loop, Outside::Error] {
            assert_eq!(begin(carried().outside(outside)), [6.0, 0.0, 0.0], "{outside:?}");
        }
        assert_eq!(begin(Flightplan::velocities(-3.0, vec![[1.0; 3]], vec![[1.0; 3]])), [1.0; 3]);
        assert_eq!(begin(Flightplan::fixed(vec![[4.0; 3]])), [4.0; 3]);
    }

    #[test]
    fn a_single_vertex_keeps_a_body_awake() {
        let mut motion = motion(Flightplan::fixed(vec![[0.0; 3]]));
        let plan = VertexFlightplan::Keyframes {
            times: vec![4.0, 5.0],
            positions: vec![[0.0; 3], [1.0; 3]],
            outside: Outside::Hold,
        };
        motion.set_vertex_plans(&[(0, plan)], Moment::at(1.0)).unwrap();
        assert_eq!([2.0, 4.5, 5.0].map(|time| motion.rests_until(time)), [Some(4.0), None, Some(NEVER)]);
    }
}
