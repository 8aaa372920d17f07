//! Changes of flightplans at stated times to come.
//!
//! A change scheduled for a time is carried out when the clock passes that time, by the same code and at the same moment as if the
//! host had advanced to it and made the change there: after all events *at* that time, before those just after it. Changes of one
//! time are carried out in the order in which they were scheduled. So nothing depends on how the host divides its advances.
//!
//! Checked when it is scheduled, and again when it is carried out, is all that is known then. What can go wrong in between: a vertex
//! that is to leave from where it is may have left the range of coordinates. Then the advance stops at that time, the change is
//! withdrawn, and [`AdvanceError::Change`] says so. Edits that would make a scheduled change impossible are refused; a body that
//! is removed takes its changes with it.

use std::collections::BTreeMap;

use ordered_float::OrderedFloat;

use crate::id::BodyId;
use crate::limits;
use crate::mesh::MeshEdit;
use crate::motion::{Flightplan, KeyLayout, Motion, VertexFlightplan};
use crate::time::{Moment, Span};
use crate::world::{AdvanceError, World, WorldError};

/// Names a scheduled change; never given twice by one world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeId(u64);

#[derive(Clone, Debug)]
struct Scheduled {
    body: BodyId,
    change: Change,
    /// The span in which the plans may be asked.
    span: Span,
}

#[derive(Clone, Debug)]
enum Change {
    Body(Flightplan),
    Vertices(Vec<(u32, VertexFlightplan)>),
}

/// Changes to come, in their order.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    changes: BTreeMap<(OrderedFloat<f64>, ChangeId), Scheduled>,
    times: BTreeMap<ChangeId, OrderedFloat<f64>>,
    next: u64,
}

impl Schedule {
    fn add(&mut self, at: f64, scheduled: Scheduled) -> ChangeId {
        let id = ChangeId(self.next);
        self.next += 1;
        self.times.insert(id, OrderedFloat(at));
        self.changes.insert((OrderedFloat(at), id), scheduled);
        id
    }

    fn take(&mut self, id: ChangeId) -> Option<Scheduled> {
        let time = self.times.remove(&id)?;
        self.changes.remove(&(time, id))
    }

    /// The body is gone.
    pub(crate) fn forget(&mut self, body: BodyId) {
        self.changes.retain(|_, scheduled| scheduled.body != body);
        let changes = &self.changes;
        self.times.retain(|&id, &mut time| changes.contains_key(&(time, id)));
    }

    /// When the next change is due, seconds.
    pub(crate) fn next_time(&self) -> Option<f64> {
        self.changes.first_key_value().map(|(&(time, _), _)| time.0)
    }

    /// A time at which a change is due that an edit would make impossible.
    pub(crate) fn in_the_way(&self, body: BodyId, edit: &MeshEdit) -> Option<f64> {
        let clashes = |scheduled: &Scheduled| match &scheduled.change {
            Change::Body(_) => !edit.joined().is_empty(),
            Change::Vertices(plans) => plans.iter().any(|(vertex, _)| edit.removed_vertices().contains(vertex)),
        };
        let mut of_body = self.changes.iter().filter(|(_, scheduled)| scheduled.body == body);
        of_body.find(|(_, scheduled)| clashes(scheduled)).map(|((time, _), _)| time.0)
    }
}

impl World {
    /// Replaces the flightplan of a whole body from a time on. O(body) to check it, and as [`World::set_flightplan`] then.
    ///
    /// # Errors
    /// [`WorldError::BadTime`] for a time that is not usable or past; otherwise as [`World::set_flightplan`] at that time.
    pub fn schedule_flightplan(&mut self, body: BodyId, at: f64, plan: Flightplan) -> Result<ChangeId, WorldError> {
        self.check_schedule_time(at)?;
        let entry = self.body(body)?;
        let motion = Motion::new(plan.clone(), entry.mesh.vertex_count(), KeyLayout::KeyMajor)
            .map_err(|error| WorldError::Motion { body: entry.name.clone(), error })?;
        crate::world::rule::spheres::check_kind(&entry.name, &motion, entry.is_of_spheres())?;
        let span = motion.allowed_span();
        if !span.contains(at) {
            return Err(WorldError::OutsideSpan { body: entry.name.clone(), time: at, span });
        }
        Ok(self.schedule.add(at, Scheduled { body, change: Change::Body(plan), span }))
    }

    /// Gives some vertices of a body flightplans of their own from a time on. O(plans).
    ///
    /// # Errors
    /// [`WorldError::BadTime`] for a time that is not usable or past; otherwise as [`World::set_vertex_flightplans`] at that time.
    pub fn schedule_vertex_flightplans(
        &mut self,
        body: BodyId,
        at: f64,
        plans: &[(u32, VertexFlightplan)],
    ) -> Result<ChangeId, WorldError> {
        self.check_schedule_time(at)?;
        let entry = self.body(body)?;
        let refused = |error| WorldError::Motion { body: entry.name.clone(), error };
        entry.motion.check_vertex_plans(plans, Moment::at(at)).map_err(refused)?;
        let span = plans.iter().fold(Span::ALWAYS, |span, (_, plan)| span.intersection(plan.allowed_span()));
        if !span.contains(at) {
            return Err(WorldError::OutsideSpan { body: entry.name.clone(), time: at, span });
        }
        Ok(self.schedule.add(at, Scheduled { body, change: Change::Vertices(plans.to_vec()), span }))
    }

    /// Withdraws a scheduled change; says whether it was still to come.
    pub fn cancel_change(&mut self, change: ChangeId) -> bool {
        self.schedule.take(change).is_some()
    }

    /// Changes to come, in the order in which they will be carried out, with their times (seconds) and bodies.
    pub fn scheduled_changes(&self) -> impl Iterator<Item = (ChangeId, f64, BodyId)> {
        self.schedule.changes.iter().map(|(&(time, id), scheduled)| (id, time.0, scheduled.body))
    }

    fn check_schedule_time(&self, at: f64) -> Result<(), WorldError> {
        if at.abs() <= limits::MAX_TIME && at >= self.now.time() {
            Ok(())
        } else {
            Err(WorldError::BadTime { time: at })
        }
    }

    /// Does every plan that comes into force by a time reach that far?
    pub(crate) fn check_scheduled_spans(&self, to: f64) -> Result<(), AdvanceError> {
        let due = self.schedule.changes.range(..=(OrderedFloat(to), ChangeId(u64::MAX)));
        match due.map(|(_, scheduled)| scheduled).find(|scheduled| scheduled.span.end < to) {
            Some(scheduled) => {
                let body = self.bodies.get(scheduled.body).map_or_else(String::new, |body| body.name.clone());
                Err(AdvanceError::OutsideSpan { body, to, span: scheduled.span })
            }
            None => Ok(()),
        }
    }

    /// Processes all events, and carries out all changes, up to a time.
    pub(crate) fn process_changes_until(&mut self, time: f64) -> Result<(), AdvanceError> {
        while let Some((&(at, id), _)) = self.schedule.changes.first_key_value()
            && at.0 <= time
        {
            self.process_until(Moment::at(at.0))?;
            self.now = Moment::at(at.0);
            if let Some(Scheduled { body, change, .. }) = self.schedule.take(id) {
                let done = match change {
                    Change::Body(plan) => self.set_flightplan(body, plan),
                    Change::Vertices(plans) => self.set_vertex_flightplans(body, &plans),
                };
                done.map_err(|error| AdvanceError::Change { time: at.0, error: Box::new(error) })?;
            }
        }
        Ok(self.process_until(Moment::at(time))?)
    }

    /// Schedules what another world has scheduled for a body, for its copy here.
    pub(crate) fn copy_schedule(&mut self, other: &Self, body: BodyId, copy: BodyId) {
        for ((time, _), scheduled) in other.schedule.changes.iter().filter(|(_, scheduled)| scheduled.body == body) {
            self.schedule.add(time.0, Scheduled { body: copy, ..scheduled.clone() });
        }
    }
}
