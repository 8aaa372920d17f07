//! Where `check` gets its contacts from: a world that runs, or a file that `bake` made.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use super::Failure;
use super::intervals::Intervals;
use super::table::grouped;
use crate::id::BodyId;
use crate::io::{OpenScene, Scene, read_baked_scene};
use crate::stats::Stats;
use crate::world::{BakedContacts, Contact, ContactChange, IgnoredContacts, World};

/// A run through a scene.
pub(super) enum Source<'a> {
    World {
        world: Box<World>,
        ids: Vec<BodyId>,
        /// The scene's file, for messages.
        file: &'a Path,
    },
    Baked {
        scene: Box<OpenScene>,
        /// The baked file, for messages.
        file: &'a Path,
        /// Contacts over time are asked for, not only at the samples.
        over_time: bool,
        /// When the first contact of the span begins, seconds.
        first: f64,
        now: f64,
    },
}

impl<'a> Source<'a> {
    /// Reads a baked file for a scene; the run begins at `start`, seconds.
    pub(super) fn read(
        file: &'a Path,
        scene: &Scene,
        ignored: IgnoredContacts,
        over_time: bool,
        start: f64,
    ) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", file.display()));
        let open = read_baked_scene(file)?.open(scene, ignored).map_err(|error| failed(&error))?;
        if over_time && open.contacts().is_none() {
            return Err(failed(&"contacts over time were left out when it was baked; ask with --intervals=false"));
        }
        let begins = open.contacts().into_iter().flat_map(BakedContacts::intervals);
        let first = begins.filter(|it| it.end.hi >= start).map(|it| it.begin.lo).fold(f64::INFINITY, f64::min);
        Ok(Self::Baked { scene: Box::new(open), file, over_time, first, now: start })
    }

    /// The scene's bodies as contacts name them.
    pub(super) fn ids(&self) -> &[BodyId] {
        match self {
            Self::World { ids, .. } => ids,
            Self::Baked { scene, .. } => scene.ids(),
        }
    }

    /// What touches at a time, and whether anything began to touch up to then since the time
    /// before.
    pub(super) fn step(
        &mut self,
        time: f64,
        intervals: Option<&mut Intervals>,
    ) -> Result<(Cow<'_, [Contact]>, bool), Failure> {
        match self {
            Self::World { world, file, .. } => {
                world.advance_to(time).map_err(|error| Failure::Input(format!("{}: {error}", file.display())))?;
                if let Some(intervals) = intervals {
                    intervals.add(world.contact_changes());
                }
                let began = world.contact_changes().iter().any(ContactChange::is_begin);
                Ok((Cow::Borrowed(world.contacts()), began))
            }
            Self::Baked { scene, file, over_time, first, now } => {
                let contacts = if *over_time { scene.contacts_at(time) } else { scene.contacts_by_trees(time) };
                *now = time;
                let contacts = contacts.map_err(|error| Failure::Input(format!("{}: {error}", file.display())))?;
                Ok((Cow::Owned(contacts), *over_time && *first <= time))
            }
        }
    }

    /// The run is over: takes in what it left open.
    pub(super) fn finish(&self, intervals: &mut Intervals) {
        match self {
            Self::World { world, .. } => intervals.finish(world),
            Self::Baked { scene, now, .. } => {
                scene.contacts().into_iter().for_each(|contacts| intervals.fill(contacts, *now));
            }
        }
    }

    /// Counters; of a baked scene only sizes, as nothing happens there.
    pub(super) fn stats(&self) -> Stats {
        match self {
            Self::World { world, .. } => world.stats(),
            Self::Baked { scene, .. } => {
                let Stats { bodies, triangles, .. } = scene.world().stats();
                let bytes = scene.contacts().map_or(0, crate::world::BakedContacts::size);
                Stats { bodies, triangles, bytes, ..Stats::default() }
            }
        }
    }

    /// What the run took, in a line.
    pub(super) fn cost(&self, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64();
        match self {
            Self::World { world, .. } => {
                let stats = world.stats();
                let tests = stats.triangle_tests + world.interval_stats().pairs;
                format!("{} events, {} triangle tests in {seconds:.2} s", grouped(stats.events), grouped(tests))
            }
            Self::Baked { file, .. } => format!("read from {} in {seconds:.2} s", file.display()),
        }
    }
}
