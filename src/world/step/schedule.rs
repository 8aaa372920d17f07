//! Changes of flightplans to come, by the time at which they are due.

use std::collections::BTreeMap;

use ordered_float::OrderedFloat;

use crate::id::BodyId;
use crate::mesh::MeshEdit;
use crate::motion::{Flightplan, VertexFlightplan};
use crate::time::Span;

/// Names a scheduled change; never given twice by one world. A world that was restored or cloned
/// gives the ids that the original gave after the snapshot or clone was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChangeId(u64);

/// A change to come.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Scheduled {
    pub(crate) body: BodyId,
    pub(crate) change: Change,
    /// The times at which the plans may be asked, seconds.
    pub(crate) span: Span,
}

/// New flightplans.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Change {
    /// Of a whole body.
    Body(Flightplan),
    /// Of some vertices.
    Vertices(Vec<(u32, VertexFlightplan)>),
}

/// All changes to come.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Schedule {
    changes: BTreeMap<(OrderedFloat<f64>, ChangeId), Scheduled>,
    times: BTreeMap<ChangeId, OrderedFloat<f64>>,
    next: u64,
}

impl Schedule {
    /// Adds a change due at a time, seconds.
    pub(crate) fn add(&mut self, at: f64, scheduled: Scheduled) -> ChangeId {
        let id = ChangeId(self.next);
        self.next += 1;
        self.times.insert(id, OrderedFloat(at));
        self.changes.insert((OrderedFloat(at), id), scheduled);
        id
    }

    /// Removes a change, if it is still to come.
    pub(crate) fn take(&mut self, id: ChangeId) -> Option<Scheduled> {
        let time = self.times.remove(&id)?;
        self.changes.remove(&(time, id))
    }

    /// All changes to come, in order, with their times (seconds).
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ChangeId, f64, &Scheduled)> {
        self.changes.iter().map(|(&(time, id), scheduled)| (id, time.0, scheduled))
    }

    /// The first change to come whose flightplan is a sampler's: its body, and when it is due.
    #[cfg(feature = "record")]
    pub(crate) fn first_sampled(&self) -> Option<(BodyId, f64)> {
        let is_sampled = |change: &Change| matches!(change, Change::Body(plan) if plan.is_sampled());
        let mut sampled = self.changes.iter().filter(|(_, scheduled)| is_sampled(&scheduled.change));
        sampled.next().map(|((time, _), scheduled)| (scheduled.body, time.0))
    }

    /// Removes the changes of a body that is removed.
    pub(crate) fn forget(&mut self, body: BodyId) {
        self.changes.retain(|_, scheduled| scheduled.body != body);
        let changes = &self.changes;
        self.times.retain(|&id, &mut time| changes.contains_key(&(time, id)));
    }

    /// When the next change is due, seconds.
    pub(crate) fn next_time(&self) -> Option<f64> {
        self.changes.first_key_value().map(|(&(time, _), _)| time.0)
    }

    /// The next change due by a time, seconds, and when it is due.
    pub(crate) fn next_until(&self, time: f64) -> Option<(f64, ChangeId)> {
        self.changes.first_key_value().map(|(&(at, id), _)| (at.0, id)).filter(|&(at, _)| at <= time)
    }

    /// A change due by a time, seconds, whose plans end before that time.
    pub(crate) fn ends_before(&self, time: f64) -> Option<&Scheduled> {
        let due = self.changes.range(..=(OrderedFloat(time), ChangeId(u64::MAX)));
        due.map(|(_, scheduled)| scheduled).find(|scheduled| scheduled.span.end < time)
    }

    /// A time at which a change is due that an edit would make impossible, seconds.
    pub(crate) fn in_the_way(&self, body: BodyId, edit: &MeshEdit) -> Option<f64> {
        let clashes = |scheduled: &Scheduled| match &scheduled.change {
            Change::Body(_) => !edit.joined().is_empty(),
            Change::Vertices(plans) => plans.iter().any(|(vertex, _)| edit.removed_vertices().contains(vertex)),
        };
        let mut of_body = self.changes.iter().filter(|(_, scheduled)| scheduled.body == body);
        of_body.find(|(_, scheduled)| clashes(scheduled)).map(|((time, _), _)| time.0)
    }
}
