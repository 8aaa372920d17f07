//! The event log: every change of a maintained attribute, in order, folded into a hash.

use std::collections::BTreeMap;

use super::EventKind;
use super::named::NamedEvent;
use crate::id::BodyId;
use crate::math::Extent;
use crate::time::{Moment, Side};

/// One change of a maintained attribute: a slot's new winner, or a pair of boxes that met or
/// parted. [`LoggedEvent::describe`] names what changed.
///
/// The public fields are what the hash of the log is made of: numbers within the engine. Numbers
/// of bodies and of pairs are used again after a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LoggedEvent {
    /// Moment of the change.
    pub moment: Moment,
    /// Kind of the event.
    pub kind: EventKind,
    /// For slots: the body's index. For pairs of nodes and of triangles: the number of the pair of
    /// bodies. For two bodies that met or parted: the index of the first.
    pub owner: u32,
    /// For slots of an AABB tree: six times the node plus the extent. For planes of a BoxTree: the
    /// plane's number. For pairs: the node or the triangle of the first body. For bodies: the index
    /// of the first.
    pub first: u32,
    /// For slots and planes: the new winner. For pairs: the node or the triangle of the second
    /// body. For bodies: the index of the second.
    pub second: u32,
    /// The bodies when the event was logged; a body's own events have it twice.
    bodies: Option<[BodyId; 2]>,
    /// Of planes: six times the node that the plane bounds plus the extent.
    plane: Option<u32>,
}

impl LoggedEvent {
    /// An event of a body, of a pair, or of two bodies.
    pub(crate) const fn new(moment: Moment, kind: EventKind, owner: u32, [first, second]: [u32; 2]) -> Self {
        Self { moment, kind, owner, first, second, bodies: None, plane: None }
    }

    /// The event of a plane that bounds a node.
    pub(crate) const fn of_plane(mut self, node: u32, extent: Extent) -> Self {
        self.plane = Some(6 * node + extent.index() as u32);
        self
    }

    /// Returns what changed, in the names of the world: ids of bodies, nodes, triangles. The ids
    /// are those of the time at which the event was logged; the bodies may have been removed since.
    ///
    /// `None` for an event that no world has logged: of a log that was filled without a world, or
    /// of a [kind](LoggedEvent::kind) that changes no attribute.
    ///
    /// ```
    /// use kinetree::{BodyDef, ContactMode, Flightplan, Mesh, NamedEvent, World, WorldDef};
    ///
    /// let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous).keep_events(true))?;
    /// let mesh = Mesh::new(3, vec![[0, 1, 2]])?;
    /// let corners = |z| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let floor = world.add_body(BodyDef::new(mesh.clone(), Flightplan::fixed(corners(0.0))))?;
    /// let falling = Flightplan::velocities(0.0, corners(1.0), vec![[0.0, 0.0, -1.0]; 3]);
    /// let ball = world.add_body(BodyDef::new(mesh, falling))?;
    /// world.advance_to(1.5)?;
    /// let touched = NamedEvent::TrianglesTouch { bodies: [floor, ball], triangles: [0, 0] };
    /// assert!(world.drain_log().iter().any(|event| event.describe() == Some(touched)));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn describe(&self) -> Option<NamedEvent> {
        NamedEvent::new(self.kind, self.bodies?, [self.first, self.second], self.plane)
    }
}

/// Ids of the bodies, and bodies of the pairs, that have events now; kept only with the events.
#[derive(Clone, Default)]
struct Names {
    /// By the body's index.
    bodies: BTreeMap<u32, BodyId>,
    /// By the number of the pair.
    pairs: BTreeMap<u32, [BodyId; 2]>,
}

/// A part of the world, not of the log's value.
impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Names")
    }
}

impl Names {
    /// The bodies of an event.
    fn of(&self, event: &LoggedEvent) -> Option<[BodyId; 2]> {
        let body = |index: u32| self.bodies.get(&index).copied();
        match event.kind {
            EventKind::Leaf | EventKind::Tree => body(event.owner).map(|body| [body; 2]),
            EventKind::BodiesMeet | EventKind::BodiesSeparate => Some([body(event.first)?, body(event.second)?]),
            _ => self.pairs.get(&event.owner).copied(),
        }
    }
}

/// The log: always a count and a hash, on request also the events.
///
/// Equal inputs give equal logs bit for bit, in debug and release, for any step size of the host.
/// Events that change no attribute (a new witness direction, a renewal without a new winner) are
/// not logged.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "StoredLog"))]
pub struct EventLog {
    hash: u64,
    count: u64,
    /// Hash and count when events were last drained.
    drained: (u64, u64),
    kept: Option<Vec<LoggedEvent>>,
    #[cfg_attr(feature = "serde", serde(skip))]
    names: Names,
}

/// A log as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredLog {
    hash: u64,
    count: u64,
    drained: (u64, u64),
    kept: Option<Vec<LoggedEvent>>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredLog> for EventLog {
    type Error = &'static str;

    /// Checks count and hash, where events are kept.
    fn try_from(stored: StoredLog) -> Result<Self, Self::Error> {
        let StoredLog { hash, count, drained, kept } = stored;
        let mut log = Self { hash: drained.0, count: drained.1, drained, kept, names: Names::default() };
        let Some(events) = log.kept.take() else {
            return Ok(Self { hash, count, ..log });
        };
        events.iter().for_each(|event| log.add(event));
        log.kept = Some(events);
        if (log.hash, log.count) == (hash, count) {
            Ok(log)
        } else {
            Err("count and hash of the log are not those of its events")
        }
    }
}

impl EventLog {
    /// Creates an empty log; it keeps its events if `keep` is set.
    pub fn new(keep: bool) -> Self {
        Self { kept: keep.then(Vec::new), ..Self::default() }
    }

    /// Appends an event.
    pub fn record(&mut self, event: LoggedEvent) {
        self.add(&event);
        if let Some(kept) = &mut self.kept {
            kept.push(LoggedEvent { bodies: self.names.of(&event), ..event });
        }
    }

    /// Adds an event to count and hash.
    fn add(&mut self, event: &LoggedEvent) {
        self.count += 1;
        let tail = (u64::from(event.moment.side() == Side::After) << 40)
            | ((event.kind as u64) << 32)
            | u64::from(event.owner);
        let places = (u64::from(event.first) << 32) | u64::from(event.second);
        for word in [event.moment.time().to_bits(), tail, places] {
            // Multiply, then fold the well-mixed upper half down; order matters because the hash
            // feeds itself.
            let mixed = (self.hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
            self.hash = mixed ^ (mixed >> 29);
        }
    }

    /// From now on, events of a body bear its id.
    pub(crate) fn name_body(&mut self, body: BodyId) {
        if self.kept.is_some() {
            self.names.bodies.insert(body.index(), body);
        }
    }

    /// From now on, events of the pair with a number bear the ids of its bodies.
    pub(crate) fn name_pair(&mut self, number: u32, bodies: [BodyId; 2]) {
        if self.kept.is_some() {
            self.names.pairs.insert(number, bodies);
        }
    }

    /// Takes the kept events out; count and hash stay.
    pub(crate) fn drain(&mut self) -> Vec<LoggedEvent> {
        self.drained = (self.hash, self.count);
        self.kept.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The hash of all events so far, drained ones and their order included.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The number of events so far, drained ones included.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The events that were not drained yet, if events are kept: [`crate::WorldDef::keep_events`].
    pub fn events(&self) -> Option<&[LoggedEvent]> {
        self.kept.as_deref()
    }
}

#[cfg(test)]
mod tests;
