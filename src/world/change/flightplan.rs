//! Flightplans are replaced, at the clock's time.

use std::collections::BTreeSet;

use crate::id::BodyId;
use crate::motion::{Flightplan, KeyLayout, Motion, MotionError, VertexFlightplan};
use crate::world::World;
use crate::world::body::Index;
use crate::world::change::bounds::NewBounds;
use crate::world::contact::span::ContactStep;
use crate::world::def::ContactMode;
use crate::world::error::WorldError;
use crate::world::pair::BodyPair;

impl World {
    /// Replaces the flightplan of a whole body from now on. Times in the plan are the world's
    /// times. O(body).
    ///
    /// A body bounded from its parameters ([`crate::world::def::BodyDef::bounded`]) keeps its
    /// bounds where the plan is of the same sampler, or of the same reduced mesh: another clip, or
    /// poses that are streamed. Otherwise it gives them up.
    ///
    /// Where the plan is one of keyframes that goes on as the old one did, windows are kept for as
    /// long as it does; still all of it is checked. A host that streams its keys has less to pay
    /// with [`World::extend_flightplan`].
    ///
    /// # Errors
    /// A motion that does not fit the mesh or is not usable, or does not reach the clock's time;
    /// the body keeps its plan. [`WorldError::Limit`] beyond one of [`crate::world::WorldLimits`]:
    /// the body has the new plan, and contacts are those of before until the world is advanced
    /// within its bounds.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Flightplan;
    ///
    /// world.advance_to(0.5)?;
    /// let stop = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
    /// world.set_flightplan(ball, Flightplan::fixed(stop.to_vec()))?; // From now on; metres.
    /// world.advance_to(2.0)?;
    /// assert!(world.contact_changes().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_flightplan(&mut self, id: BodyId, plan: Flightplan) -> Result<(), WorldError> {
        let body = self.bodies.find(id)?;
        // Spheres rest at the first key of the plan they have.
        let rest = body.is_of_spheres().then(|| plan.rest_positions(body.shape.mesh.vertex_count()).to_vec());
        let motion = self.check_plan(id, plan)?;
        let bounds = self.bodies.find(id)?.following_bounds(&motion);
        self.replace_motion(id, motion, rest, bounds)
    }

    /// Checks a plan for a body that is there.
    pub(crate) fn check_plan(&self, id: BodyId, plan: Flightplan) -> Result<Motion, WorldError> {
        let body = self.bodies.find(id)?;
        let (vertices, layout) = (body.shape.mesh.vertex_count(), layout_for(body.is_kinetic()));
        self.check_motion(&body.name, plan, vertices, layout, body.is_of_spheres())
    }

    /// Gives a body a checked motion, and other rest positions if it is made of spheres.
    pub(crate) fn replace_motion(
        &mut self,
        id: BodyId,
        motion: Motion,
        rest: Option<Vec<[f32; 3]>>,
        bounds: NewBounds,
    ) -> Result<(), WorldError> {
        self.check_intervals(id.index(), &motion, !matches!(bounds, NewBounds::None));
        self.unregister(id.index());
        let body = self.bodies.at_mut(id.index());
        let clock = self.clock.now.time();
        let same_until = match &body.index {
            Index::Discrete(discrete) => motion.agrees_until(&body.motion, clock, discrete.intervals.known_until()),
            _ => motion.samples_agree_until(&body.motion, clock),
        };
        let places = |motion: &Motion| {
            let mut places = Vec::with_capacity(motion.vertex_count());
            motion.positions(self.clock.now, &mut places);
            places
        };
        // What is evaluated of spheres may be equal where they are not.
        // Evaluating all vertices costs more than a search for contacts of a body that has bounds.
        let is_elsewhere = || bounds.is_kept() || places(&body.motion) != places(&motion);
        let is_jump = body.is_of_spheres() || (same_until <= clock && is_elsewhere());
        body.epoch.allowed = motion.allowed_span();
        body.motion = motion;
        match &mut body.index {
            Index::Discrete(discrete) if same_until > clock => discrete.forget_from(same_until),
            _ => body.forget_motion(self.clock.now),
        }
        if let Some(rest) = rest {
            body.shape.rest = rest;
        }
        // Windows of contacts end at keys; until the next key the motion is what it was.
        let goes_on = bounds.is_kept() && same_until > clock;
        self.change_bounds(id.index(), bounds);
        self.register(id.index());
        self.renew(id.index(), self.clock.now);
        if goes_on {
            return Ok(self.process_until(self.clock.now)?);
        }
        self.settle_plans(id.index(), None, is_jump)
    }

    /// Gives some vertices of a body flightplans of their own from now on.
    ///
    /// O(log triangles) slots per vertex, plus the pairs those slots take part in; a change of more
    /// than a quarter of the vertices certifies the whole body instead.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], or a plan that is not usable; then no vertex is changed.
    /// [`WorldError::Limit`] as [`World::set_flightplan`]: the vertices have their plans.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::VertexFlightplan;
    ///
    /// let hold = VertexFlightplan::Fixed { position: [0.0, 0.0, 1.0] };
    /// world.set_vertex_flightplans(ball, &[(0, hold)])?;
    /// world.advance_to(1.0)?; // Two corners are on the floor, the first is not.
    /// assert_eq!(world.positions(ball)?[0], [0.0, 0.0, 1.0]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_vertex_flightplans(&mut self, id: BodyId, plans: &[(u32, VertexFlightplan)]) -> Result<(), WorldError> {
        let now = self.clock.now;
        let body = self.bodies.find(id)?;
        if plans.is_empty() {
            return Ok(());
        }
        let refused = |error| WorldError::Motion { body: body.name.clone(), error };
        body.motion.check_vertex_plans(plans, now).map_err(refused)?;
        for (_, plan) in plans {
            let span = plan.allowed_span();
            if !span.contains(now.time()) {
                return Err(WorldError::OutsideSpan { body: body.name.clone(), time: now.time(), span });
            }
        }
        self.leave_intervals(id.index());
        self.unregister(id.index());
        let body = self.bodies.at_mut(id.index());
        let places = |motion: &Motion| -> Vec<[f64; 3]> {
            plans.iter().map(|&(vertex, _)| motion.position(vertex, now)).collect()
        };
        let places_before = places(&body.motion);
        let outcome = body.motion.set_vertex_plans(plans, now);
        let is_jump = places(&body.motion) != places_before;
        body.epoch.allowed = body.motion.allowed_span();
        body.forget_motion(now);
        let had_bounds = self.change_bounds(id.index(), NewBounds::None);
        self.register(id.index());
        let body = self.bodies.at_mut(id.index());
        if let Err(error) = outcome {
            return Err(WorldError::Motion { body: body.name.clone(), error });
        }
        // A new plan may reach farther, or end the epoch earlier, than what the body was certified
        // with.
        let same_epoch =
            !had_bounds && body.epoch_end(now).time() == body.epoch.end && body.motion.slack(now) <= body.epoch.slack;
        let is_local = 4 * plans.len() <= body.shape.mesh.vertex_count();
        if same_epoch && is_local {
            let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
            if self.bodies.replan_tree(id.index(), &vertices, &mut self.clock.at(now)) {
                self.pairs.bounds_changed(id.index(), &self.bodies, &mut self.clock.at(now));
            }
        } else {
            self.renew(id.index(), now);
        }
        let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
        self.settle_plans(id.index(), Some(&vertices), is_jump)
    }

    /// Settles a change of flightplans, of some vertices or of all, and decides the contacts it
    /// concerns again. What touches at the clock's time depends on positions only: where no vertex
    /// jumps, nothing needs to be tested.
    fn settle_plans(&mut self, index: u32, vertices: Option<&[u32]>, is_jump: bool) -> Result<(), WorldError> {
        if self.contact_mode == ContactMode::AtTimes {
            return if is_jump { self.settle() } else { Ok(self.process_until(self.clock.now)?) };
        }
        self.settle_events()?;
        let body = self.bodies.at(index);
        let Index::Kinetic(tree) = &body.index else { return Ok(()) };
        let leaves: Option<BTreeSet<u32>> = vertices
            .map(|vertices| vertices.iter().flat_map(|&vertex| tree.topology().leaves_of(vertex)).copied().collect());
        for number in body.pairs.clone() {
            let BodyPair { a, b, .. } = self.pairs[number];
            let is_affected = |(leaf_a, leaf_b): (u32, u32)| {
                leaves.as_ref().is_none_or(|leaves| {
                    (a == index && leaves.contains(&leaf_a)) || (b == index && leaves.contains(&leaf_b))
                })
            };
            self.step_contacts(number, self.clock.now, &ContactStep::PlansChanged(&is_affected));
        }
        self.settle()
    }

    /// Checks a plan, and that it reaches the clock's time.
    pub(crate) fn check_motion(
        &self,
        name: &str,
        plan: Flightplan,
        vertex_count: usize,
        layout: KeyLayout,
        of_spheres: bool,
    ) -> Result<Motion, WorldError> {
        check_kind(name, &plan, of_spheres)?;
        let mut motion = Motion::new(plan, vertex_count, layout)
            .map_err(|error| WorldError::Motion { body: name.to_owned(), error })?;
        let span = motion.allowed_span();
        if !span.contains(self.clock.now.time()) {
            return Err(WorldError::OutsideSpan { body: name.to_owned(), time: self.clock.now.time(), span });
        }
        self.bodies.share_key_times(&mut motion);
        Ok(motion)
    }

    /// Adds the table entries of a body's motion; the body may have moved.
    pub(crate) fn register(&mut self, index: u32) {
        self.clock.add_end(self.bodies.at(index).epoch.allowed.end, index);
        self.bodies.register(index);
    }

    /// Removes the table entries of a body's motion, before the motion changes. Forgets what was
    /// prepared for it.
    pub(crate) fn unregister(&mut self, index: u32) {
        self.wake_trees(self.clock.now);
        self.forget_ahead(index);
        self.clock.remove_end(self.bodies.at(index).epoch.allowed.end, index);
        self.bodies.unregister(index);
    }
}

/// How the keys of a body lie in memory.
pub(crate) fn layout_for(is_kinetic: bool) -> KeyLayout {
    if is_kinetic { KeyLayout::VertexMajor } else { KeyLayout::KeyMajor }
}

/// Bodies of spheres have plans of spheres, and no others do.
pub(crate) fn check_kind(name: &str, plan: &Flightplan, body_of_spheres: bool) -> Result<(), WorldError> {
    if plan.is_of_spheres() == body_of_spheres {
        return Ok(());
    }
    Err(WorldError::Motion { body: name.to_owned(), error: MotionError::WrongKind { body_of_spheres } })
}
