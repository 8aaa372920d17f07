//! Where a check takes its contacts from: a world that runs, or a baked file.

use super::contacts::Collector;
use super::{CheckError, SampledContact};
use crate::id::BodyId;
use crate::incident::TriangleContact;
use crate::io::{BakedScene, OpenScene, Scene, TreeShapes};
use crate::stats::Stats;
use crate::world::{BakedContacts, Contact, ContactChange, IgnoredContacts, TimeEnclosure, World};

/// Numbers of the scene's bodies, by the ids of the world's.
pub(super) struct Places(Vec<(BodyId, u32)>);

impl Places {
    pub(super) fn new(ids: &[BodyId]) -> Self {
        let mut places: Vec<_> = ids.iter().copied().zip(0..).collect();
        places.sort_unstable();
        Self(places)
    }

    pub(super) fn of(&self, id: BodyId) -> u32 {
        let place = self.0.binary_search_by_key(&id, |&(id, _)| id);
        place.map_or(u32::MAX, |place| self.0[place].1)
    }
}

/// A run through a scene.
pub(super) struct Source {
    places: Places,
    kind: Kind,
}

enum Kind {
    World(Box<World>),
    Baked {
        scene: Box<OpenScene>,
        /// Contacts over time are asked for, not only at the samples.
        over_time: bool,
        /// When the contacts of the span begin, earliest first; and how many of them have begun.
        begins: Vec<TimeEnclosure>,
        begun: usize,
        now: f64,
    },
}

impl Source {
    pub(super) fn of_world(world: World, ids: &[BodyId]) -> Self {
        Self { places: Places::new(ids), kind: Kind::World(Box::new(world)) }
    }

    /// Opens a baked file for a scene; the run begins at `start`, seconds.
    pub(super) fn of_baked(
        baked: BakedScene,
        scene: &Scene,
        ignored: IgnoredContacts,
        over_time: bool,
        start: f64,
    ) -> Result<Self, CheckError> {
        let open = baked.open(scene, ignored)?;
        if over_time && open.contacts().is_none() {
            return Err(CheckError::NoBakedContacts);
        }
        let intervals = open.contacts().filter(|_| over_time).into_iter().flat_map(BakedContacts::intervals);
        let mut begins: Vec<_> = intervals.filter(|it| it.end.ends_from(start)).map(|it| it.begin).collect();
        begins.sort_unstable_by(|a, b| a.lo.total_cmp(&b.lo).then(a.is_open.cmp(&b.is_open)));
        let places = Places::new(open.ids());
        Ok(Self { places, kind: Kind::Baked { scene: Box::new(open), over_time, begins, begun: 0, now: start } })
    }

    /// Whether a world runs.
    pub(super) fn is_world(&self) -> bool {
        matches!(self.kind, Kind::World(_))
    }

    /// The world of the scene.
    pub(super) fn world(&self) -> &World {
        match &self.kind {
            Kind::World(world) => world,
            Kind::Baked { scene, .. } => scene.world(),
        }
    }

    /// Goes to a time. Fills in what touches there, and returns whether anything began to touch
    /// since the time before.
    pub(super) fn step(
        &mut self,
        time: f64,
        sampled: &mut Vec<SampledContact>,
        collector: Option<&mut Collector>,
    ) -> Result<bool, CheckError> {
        sampled.clear();
        let places = &self.places;
        let number = |contact: &Contact| SampledContact {
            bodies: [places.of(contact.a), places.of(contact.b)],
            triangles: [contact.triangle_a, contact.triangle_b],
        };
        match &mut self.kind {
            Kind::World(world) => {
                world.advance_to(time)?;
                if let Some(collector) = collector {
                    collector.advance(world.contact_changes(), places);
                }
                sampled.extend(world.contacts().iter().map(number));
                Ok(world.contact_changes().iter().any(ContactChange::is_begin))
            }
            Kind::Baked { scene, over_time, begins, begun, now } => {
                *now = time;
                let contacts = if *over_time { scene.contacts_at(time) } else { scene.contacts_by_trees(time) };
                sampled.extend(contacts?.iter().map(number));
                let before = *begun;
                *begun += begins[before..].iter().take_while(|begin| begin.begins_by(time)).count();
                Ok(*begun > before)
            }
        }
    }

    /// The run is over: the contacts that the collector was not told the ends of, in order. Of a
    /// baked file these are all.
    pub(super) fn finish(&self, collector: &Collector) -> Vec<TriangleContact> {
        match &self.kind {
            Kind::World(world) => collector.finish(world, &self.places),
            Kind::Baked { scene, now, .. } => {
                scene.contacts().map_or_else(Vec::new, |contacts| collector.baked(contacts, *now))
            }
        }
    }

    /// The shapes of the idle trees of the world; of a baked file none.
    pub(super) fn tree_shapes(&self) -> TreeShapes {
        let Kind::World(world) = &self.kind else { return TreeShapes::default() };
        let mut ids = self.places.0.clone();
        ids.sort_unstable_by_key(|&(_, body)| body);
        TreeShapes::of_world(world, ids.into_iter().map(|(id, _)| id))
    }

    /// Counters, with exact tests at instants and over time; of a baked scene only sizes, as
    /// nothing happens there.
    pub(super) fn stats(&self) -> Stats {
        match &self.kind {
            Kind::World(world) => {
                let stats = world.stats();
                Stats { triangle_tests: stats.triangle_tests + world.interval_stats().pairs, ..stats }
            }
            Kind::Baked { scene, .. } => {
                let Stats { bodies, triangles, .. } = scene.world().stats();
                let bytes = scene.contacts().map_or(0, BakedContacts::size);
                Stats { bodies, triangles, bytes, ..Stats::default() }
            }
        }
    }
}
