//! Changes of flightplans at stated times to come.
//!
//! A change scheduled for a time is carried out when the clock passes that time, by the same code
//! and at the same moment as if the host had advanced to it and made the change there: after all
//! events *at* that time, before those just after it. Changes of one time are carried out in the
//! order in which they were scheduled. So nothing depends on how the host divides its advances.
//!
//! Checked when it is scheduled, and again when it is carried out, is all that is known then. What
//! can go wrong in between: a vertex that is to leave from where it is may have left the range of
//! coordinates. Then the advance stops at that time, the change is withdrawn, and
//! [`AdvanceError::Change`] says so. Edits that would make a scheduled change impossible are
//! refused; a body that is removed takes its changes with it.

use crate::id::BodyId;
use crate::limits;
use crate::motion::{Flightplan, KeyLayout, Motion, VertexFlightplan};
use crate::time::{Moment, Span};
use crate::world::World;
use crate::world::change::flightplan::check_kind;
use crate::world::error::WorldError;
use crate::world::step::schedule::{Change, ChangeId, Scheduled};

impl World {
    /// Replaces the flightplan of a whole body from a time on. O(body) to check it, and as
    /// [`World::set_flightplan`] then.
    ///
    /// # Errors
    /// [`WorldError::BadTime`] or [`WorldError::PastTime`]; otherwise as
    /// [`World::set_flightplan`] at that time.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Flightplan;
    ///
    /// let stop = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]];
    /// let change = world.schedule_flightplan(ball, 0.5, Flightplan::fixed(stop.to_vec()))?; // At 0.5 s.
    /// assert_eq!(world.scheduled_changes().next(), Some((change, 0.5, ball)));
    /// world.advance_to(2.0)?;
    /// assert!(world.contact_changes().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn schedule_flightplan(&mut self, body: BodyId, at: f64, plan: Flightplan) -> Result<ChangeId, WorldError> {
        self.check_schedule_time(at)?;
        let entry = self.bodies.find(body)?;
        check_kind(&entry.name, &plan, entry.is_of_spheres())?;
        let motion = Motion::new(plan.clone(), entry.shape.mesh.vertex_count(), KeyLayout::KeyMajor)
            .map_err(|error| WorldError::Motion { body: entry.name.clone(), error })?;
        let span = motion.allowed_span();
        if !span.contains(at) {
            return Err(WorldError::OutsideSpan { body: entry.name.clone(), time: at, span });
        }
        Ok(self.clock.schedule.add(at, Scheduled { body, change: Change::Body(plan), span }))
    }

    /// Gives some vertices of a body flightplans of their own from a time on. O(plans).
    ///
    /// # Errors
    /// [`WorldError::BadTime`] or [`WorldError::PastTime`]; otherwise as
    /// [`World::set_vertex_flightplans`] at that time.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::VertexFlightplan;
    ///
    /// let hold = VertexFlightplan::Fixed { position: [0.0, 0.0, 0.5] };
    /// world.schedule_vertex_flightplans(ball, 0.5, &[(0, hold)])?; // At 0.5 s.
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.positions(ball)?[0], [0.0, 0.0, 0.5]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn schedule_vertex_flightplans(
        &mut self,
        body: BodyId,
        at: f64,
        plans: &[(u32, VertexFlightplan)],
    ) -> Result<ChangeId, WorldError> {
        self.check_schedule_time(at)?;
        let entry = self.bodies.find(body)?;
        let refused = |error| WorldError::Motion { body: entry.name.clone(), error };
        entry.motion.check_vertex_plans(plans, Moment::at(at)).map_err(refused)?;
        let span = plans.iter().fold(Span::ALWAYS, |span, (_, plan)| span.intersection(plan.allowed_span()));
        if !span.contains(at) {
            return Err(WorldError::OutsideSpan { body: entry.name.clone(), time: at, span });
        }
        Ok(self.clock.schedule.add(at, Scheduled { body, change: Change::Vertices(plans.to_vec()), span }))
    }

    /// Withdraws a scheduled change; says whether it was still to come.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Flightplan;
    ///
    /// let change = world.schedule_flightplan(ball, 0.5, Flightplan::fixed(vec![[0.0; 3]; 3]))?;
    /// assert!(world.cancel_change(change));
    /// assert!(!world.cancel_change(change));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn cancel_change(&mut self, change: ChangeId) -> bool {
        self.clock.schedule.take(change).is_some()
    }

    /// Changes to come, in the order in which they will be carried out, with their times (seconds)
    /// and bodies.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::Flightplan;
    ///
    /// let rest = vec![[0.0, 0.0, 5.0]; 3];
    /// let change = world.schedule_flightplan(ball, 0.5, Flightplan::fixed(rest))?;
    /// assert_eq!(world.scheduled_changes().collect::<Vec<_>>(), [(change, 0.5, ball)]);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn scheduled_changes(&self) -> impl Iterator<Item = (ChangeId, f64, BodyId)> {
        self.clock.schedule.iter().map(|(id, time, scheduled)| (id, time, scheduled.body))
    }

    fn check_schedule_time(&self, at: f64) -> Result<(), WorldError> {
        let now = self.clock.now.time();
        if !(at.abs() <= limits::MAX_TIME) {
            Err(WorldError::BadTime { time: at })
        } else if at < now {
            Err(WorldError::PastTime { time: at, now })
        } else {
            Ok(())
        }
    }

    /// Schedules what another world has scheduled for a body, for its copy here.
    pub(crate) fn copy_schedule(&mut self, other: &Self, body: BodyId, copy: BodyId) {
        for (_, time, scheduled) in other.clock.schedule.iter().filter(|(_, _, scheduled)| scheduled.body == body) {
            self.clock.schedule.add(time, Scheduled { body: copy, ..scheduled.clone() });
        }
    }
}
