//! The world: bodies with known motion, a clock, and what touches now. What a host embeds.
//!
//! ```text
//! add_body, remove_body, set_flightplan ─► trees and separation lists ◄─ advance_to(t): events up to t, in order
//!                                                   │
//!                        overlapping leaf pairs ─► exact triangle tests at t ─► contacts, contact_changes
//! ```
//!
//! At rest the clock stands *at* a time: gaps that close at that time are closed, gaps that open at it are still closed.

/// Queue, log and clock together.
macro_rules! event_context {
    ($world:expr, $now:expr) => {
        $crate::kinetic::EventContext { queue: &mut $world.queue, log: &mut $world.log, now: $now }
    };
}

mod body;
mod change;
mod contact;
mod def;
mod error;
mod pair;
mod query;
mod recording;
mod rule;
mod step;
mod tree;

pub use change::edit::{Edit, NewVertex};
pub use change::schedule::ChangeId;
pub use contact::continuous::TimeEnclosure;
pub use contact::set::{Contact, ContactChange, OngoingContact};
pub use def::{BodyDef, BodyShape, ContactMode, Engine, Filter, IgnoredContacts, RebuildPolicy, WorldDef};
pub use error::{AdvanceError, WorldError};
pub use query::boxes_and_rays::RayHit;
pub use query::hosted::{Candidate, NarrowPhase, PrimitiveAt};
pub use recording::{BakedContacts, BakedContactsError, BakedInterval, WorldIdentity};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ordered_float::OrderedFloat;
use slab::Slab;

use crate::bvh::BuildParams;
use crate::id::{Arena, BodyId};
use crate::interval::IntervalBoxes;
use crate::kinetic::broad_phase::BodyPairEvent;
use crate::kinetic::event::{EventLog, EventQueue, QueueOperation, Ticket};
use crate::kinetic::{KineticBroadPhase, KineticTree, KineticTreeView, SeparationList, SlotChange};
use crate::mesh::{Mesh, Patches, Seams};
use crate::motion::Motion;
use crate::narrow::intervals::IntervalStats;
use crate::oracle::Grid;
use crate::stats::Stats;
use crate::time::{Moment, NEVER, Span};

use body::sleep::Sleep;
use body::snapshot::Snapshot;
use change::ignored::IgnoredPairs;
use change::schedule::Schedule;
use contact::continuous::Continuous;
use contact::set::ContactSet;
use pair::broad_phase::{Decisions, SweepAndPrune};
use pair::continuous_interval::PairInterval;
use pair::front::Front;
use pair::interval::IntervalFinder;
use rule::Distances;
use tree::discrete::Discrete;
use tree::on_demand::OnDemandTree;

/// Bodies in motion, and their contacts. See the crate's first page for a host loop.
#[derive(Debug)]
pub struct World {
    engine: Engine,
    contact_mode: ContactMode,
    bodies: Arena<BodyId, Body>,
    pairs: Slab<BodyPair>,
    /// Numbers of the pairs of two different bodies that are watched, lower body first.
    watched: BTreeMap<(u32, u32), u32>,
    decisions: Decisions,
    distances: Distances,
    /// Changes of flightplans to come.
    schedule: Schedule,
    /// Who is close to whom: engine live.
    broad_phase: KineticBroadPhase,
    /// The same for bodies of which not both are live, and with engine grid.
    sweep: SweepAndPrune,
    /// Where motions end beyond which the host may not ask, seconds, with their bodies.
    ends: BTreeSet<(OrderedFloat<f64>, u32)>,
    /// Bodies by the number of their key times, the first and the last: where to look for equal ones.
    key_times: BTreeSet<(KeyTimesId, u32)>,
    sleep: Sleep,
    /// Pairs not tested yet.
    due: BTreeSet<u32>,
    queue: EventQueue,
    log: EventLog,
    /// The moment up to which everything has happened; between calls always at a time, not after one.
    now: Moment,
    contacts: ContactSet,
    events: u64,
    renewals: u64,
    triangle_tests: u64,
    bodies_awake: usize,
    pairs_tested: usize,
    ignored: IgnoredPairs,
    /// Bodies that want contacts left out.
    ignoring_initial_contacts: BTreeSet<u32>,
    /// The clock before the last advance, seconds.
    step_began: f64,
    /// How far the last advance went that went anywhere, seconds; 0 before there was one.
    step: f64,
    /// Whether events are processed for an advance, not for an edit.
    in_advance: bool,
    /// Have pairs been looked at both ways, as nobody knew how often the host looks?
    has_trials: bool,
    /// Scratch: slots changed by the event being processed.
    slot_changes: Vec<SlotChange>,
    /// Scratch: encounters brought about by the event being processed.
    body_pair_events: Vec<BodyPairEvent>,
}

/// How many key times, and the bits of the first and the last.
type KeyTimesId = (usize, u64, u64);

/// One body.
#[derive(Debug)]
struct Body {
    name: String,
    /// Without triangles if the body is made of patches.
    mesh: Mesh,
    patches: Option<Patches>,
    motion: Motion,
    index: Index,
    /// The engine it is meant to have: its own, or the world's.
    requested_engine: Engine,
    filter: Filter,
    ignored_contacts: IgnoredContacts,
    /// How thick its triangles are, metres.
    thickness: f64,
    /// How far it reaches beyond its box, metres: half of the largest distance at which it counts as touching anything.
    contact_margin: f64,
    /// Of the body with itself, are triangles that share a corner tested too?
    neighbours: bool,
    /// Rest positions, metres.
    rest: Vec<[f32; 3]>,
    /// Welded corners; only where the body is tested against itself.
    seams: Option<Seams>,
    allowed: Span,
    slack: f64,
    /// Until when certificates hold as computed, seconds.
    epoch_end: f64,
    renewal: Ticket,
    /// How its tree was built.
    build: BuildParams,
    /// Numbers of the pairs this body is in.
    pairs: BTreeSet<u32>,
    /// Whether its tree is built anew where it drifted, and how many events it had since that was last looked at.
    rebuild: RebuildPolicy,
    events_since_look: u64,
    /// Boxes at both ends of the interval around now, if a pair asked for them.
    keys: Option<Box<IntervalBoxes>>,
    /// Scratch: positions at the clock's time.
    snapshot: Snapshot,
}

/// What finds a body's parts: chosen by the engine.
#[derive(Debug)]
enum Index {
    Kinetic(KineticTree),
    Discrete(Discrete),
    OnDemand(Box<OnDemandTree>),
    Grid(Grid),
    Brute,
}

/// Two bodies that are watched, `a` with the lower index; or one body with itself.
#[derive(Debug)]
struct BodyPair {
    a: u32,
    b: u32,
    /// From which distance their triangles count as touching, metres.
    distance: f64,
    /// Triangle pairs never reported.
    ignored: Arc<BTreeSet<(u32, u32)>>,
    /// Of live bodies.
    list: Option<SeparationList>,
    /// Of swept bodies that go by windows.
    interval_finder: Option<IntervalFinder>,
    /// Of live bodies with continuous contacts that go by intervals; they have no list.
    interval: Option<Box<PairInterval>>,
    /// Of swept bodies that are refitted.
    front: Option<Box<Front>>,
    /// Continuous contacts only.
    continuous: Option<Continuous>,
    /// Triangles that touched when last tested, sorted; not for continuous contacts.
    contacts: Vec<(u32, u32)>,
}

impl Body {
    /// The kinetic tree as a hierarchy at a moment; `None` unless the engine is live.
    fn kinetic_view(&self, now: Moment) -> Option<KineticTreeView<'_>> {
        self.kinetic_grown(0.0, now)
    }

    /// The same with every bound moved outward by some metres more.
    fn kinetic_grown(&self, by: f64, now: Moment) -> Option<KineticTreeView<'_>> {
        match &self.index {
            Index::Kinetic(tree) => Some(tree.kinetic_view(&self.motion, self.slack_grown(by), self.epoch_end, now)),
            _ => None,
        }
    }

    /// The slack of the body's bounds towards all others.
    fn margin_slack(&self) -> f64 {
        self.slack_grown(self.contact_margin)
    }

    /// The slack of bounds that reach some metres farther: rounded up so far that the sum of two is at least what it stands for.
    fn slack_grown(&self, by: f64) -> f64 {
        if by > 0.0 { (self.slack + by) * (1.0 + 4.0 * f64::EPSILON) } else { self.slack }
    }
}

impl BodyPair {
    /// Both bodies' trees as hierarchies at a moment, each grown by half of the distance that counts as contact; `None` unless
    /// the engine is live.
    fn kinetic_view<'a>(
        &self,
        bodies: &'a Arena<BodyId, Body>,
        now: Moment,
    ) -> Option<(KineticTreeView<'a>, KineticTreeView<'a>)> {
        let live = |index: u32| bodies.at(index).kinetic_grown(0.5 * self.distance, now);
        Some((live(self.a)?, live(self.b)?))
    }
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// [`WorldError::BadTime`] if the start is not a usable time, [`WorldError::NeedsKinetic`] for continuous contacts with
    /// another engine than live.
    pub fn new(def: WorldDef) -> Result<Self, WorldError> {
        if !(def.start.abs() <= crate::limits::MAX_TIME) {
            return Err(WorldError::BadTime { time: def.start });
        }
        let is_kinetic = matches!(def.engine, Engine::Auto | Engine::Kinetic);
        if def.contacts == ContactMode::Continuous && !is_kinetic {
            return Err(WorldError::NeedsKinetic { engine: def.engine });
        }
        Ok(Self {
            engine: def.engine,
            contact_mode: def.contacts,
            bodies: Arena::new(),
            pairs: Slab::new(),
            watched: BTreeMap::new(),
            decisions: Decisions::default(),
            distances: Distances::new(),
            schedule: Schedule::default(),
            broad_phase: KineticBroadPhase::default(),
            sweep: SweepAndPrune::default(),
            ends: BTreeSet::new(),
            key_times: BTreeSet::new(),
            sleep: Sleep::default(),
            due: BTreeSet::new(),
            queue: EventQueue::new(),
            log: EventLog::new(def.keep_events),
            now: Moment::at(def.start),
            contacts: ContactSet::new(def.contacts == ContactMode::Continuous),
            events: 0,
            renewals: 0,
            triangle_tests: 0,
            bodies_awake: 0,
            pairs_tested: 0,
            ignored: IgnoredPairs::new(),
            ignoring_initial_contacts: BTreeSet::new(),
            step_began: def.start,
            step: 0.0,
            in_advance: false,
            has_trials: false,
            slot_changes: Vec::new(),
            body_pair_events: Vec::new(),
        })
    }

    /// The clock, seconds.
    pub fn time(&self) -> f64 {
        self.now.time()
    }

    /// When the next event will be processed, or the next scheduled change carried out, seconds; `None` if nothing is scheduled
    /// (engines other than live have no events). Advancing to any earlier time costs no event.
    pub fn next_event_time(&self) -> Option<f64> {
        let event = self.queue.peek().map(|event| event.moment.time()).filter(|&time| time < NEVER);
        event.into_iter().chain(self.schedule.next_time()).min_by(f64::total_cmp)
    }

    /// All bodies, in the order of their indices.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> {
        self.bodies.iter().map(|(id, _)| id)
    }

    /// The name a body was given.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn name(&self, body: BodyId) -> Result<&str, WorldError> {
        Ok(&self.body(body)?.name)
    }

    /// The triangles of a body; one made of patches has none, one made of spheres has the diagonals of their boxes as segments.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn mesh(&self, body: BodyId) -> Result<&Mesh, WorldError> {
        Ok(&self.body(body)?.mesh)
    }

    /// The patches of a body, if it is made of these.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn patches(&self, body: BodyId) -> Result<Option<&Patches>, WorldError> {
        Ok(self.body(body)?.patches.as_ref())
    }

    /// Positions of all vertices of a body now, metres.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn positions(&self, body: BodyId) -> Result<Vec<[f64; 3]>, WorldError> {
        let mut positions = Vec::new();
        self.body(body)?.motion.positions(self.now, &mut positions);
        Ok(positions)
    }

    /// The log of changes so far: its hash is the world's history in 64 bits.
    pub fn log(&self) -> &EventLog {
        &self.log
    }

    /// Writes down every queue operation from now on, if asked to; returns those written down so far. For benchmarks.
    pub fn record_queue_operations(&mut self, on: bool) -> Vec<QueueOperation> {
        self.queue.record_operations(on)
    }

    /// Counters; see [`Stats`]. O(bodies + pairs + scheduled).
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            events: self.events,
            renewals: self.renewals,
            scheduled: self.queue.len(),
            queue_operations: self.queue.operations(),
            triangle_tests: self.triangle_tests,
            broad_phase: self.broad_phase.stats(),
            bodies_awake: self.bodies_awake,
            pairs_tested: self.pairs_tested,
            bodies: self.bodies.len(),
            pairs: self.pairs.len(),
            engines: self.engine_stats(),
            bytes: self.queue.bytes() + self.broad_phase.bytes(),
            ..Stats::default()
        };
        for (_, body) in self.bodies.iter() {
            stats.triangles += body.mesh.triangle_count();
            if let Index::Kinetic(tree) = &body.index {
                stats.tree += tree.stats();
                stats.nodes += tree.topology().node_count();
                // Asks for tables that are made when they are asked for: before their bytes are counted.
                stats.most_slots_per_vertex = stats.most_slots_per_vertex.max(tree.most_slots_per_vertex());
                stats.bytes += tree.bytes();
            }
            stats.bytes +=
                body.discrete().map_or(0, Discrete::bytes) + body.keys.as_ref().map_or(0, |boxes| boxes.bytes());
            if let Index::OnDemand(bounded) = &body.index {
                stats.bytes += bounded.bytes();
            }
        }
        for (_, pair) in &self.pairs {
            if let Some(list) = &pair.list {
                stats.list += list.stats();
                stats.bytes += list.bytes();
            }
            stats.bytes += pair.interval_finder.as_ref().map_or(0, IntervalFinder::bytes);
            stats.bytes += pair.interval.as_ref().map_or(0, |interval| interval.bytes());
            stats.bytes += pair.front.as_ref().map_or(0, |front| front.bytes());
        }
        let certificates = self.queue.iter().filter(|(_, event)| event.kind.is_of_tree()).count();
        stats.certificates_per_node = certificates as f64 / stats.nodes.max(1) as f64;
        stats
    }

    /// How the pairs of triangles of continuous contacts were decided, over all pairs of bodies watched now.
    pub fn interval_stats(&self) -> IntervalStats {
        let mut sum = IntervalStats::default();
        for (_, pair) in &self.pairs {
            if let Some(continuous) = &pair.continuous {
                sum += continuous.stats;
            }
        }
        sum
    }

    fn body(&self, id: BodyId) -> Result<&Body, WorldError> {
        self.bodies.get(id).ok_or(WorldError::NoSuchBody { body: id })
    }
}
