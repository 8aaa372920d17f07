//! Changes while the world runs: bodies come and go, flightplans are replaced. All at the clock's time.

use std::collections::BTreeSet;

use super::advance::{Step, Stuck};
use super::continuous::Continuous;
use super::snapshot::Snapshot;
use super::{Body, BodyDef, BodyPair, ContactMode, Engine, IgnoredContacts, Index, World, WorldError};
use crate::baseline::{Grid, RefitTree, Shape, touching_by_grid};
use crate::event::Ticket;
use crate::id::BodyId;
use crate::kds::{Hierarchy, KineticAabbTree, Kinship, SeparationList, Topology};
use crate::limits;
use crate::motion::{Flightplan, Layout, Motion, VertexFlightplan};

impl World {
    /// Adds a body at the clock's time. Contacts are right at once, also for a body that starts in contact.
    ///
    /// O(keys × vertices + triangles log triangles), and one separation list per body it may touch.
    ///
    /// # Errors
    /// A motion that does not fit the mesh or is not usable, or does not reach the clock's time.
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, WorldError> {
        let BodyDef { name, mesh, motion, filter, self_contact, ignored_contacts, ignored, build } = def;
        let partners: Vec<u32> = self
            .bodies
            .iter()
            .filter(|(id, other)| filter.allows(other.filter) && !ignored.contains(id))
            .map(|(id, _)| id.index())
            .collect();
        if self.bodies.len() >= limits::MAX_OWNERS {
            return Err(WorldError::TooMany { what: "bodies" });
        }
        if self.pairs.len() + partners.len() > limits::MAX_OWNERS {
            return Err(WorldError::TooMany { what: "pairs of bodies" });
        }
        let rest = motion.rest_positions(mesh.vertex_count()).to_vec();
        let motion = self.checked(&name, motion, mesh.vertex_count())?;
        let seams = self_contact.then(|| mesh.weld(&rest));
        let mut positions = Vec::new();
        motion.positions(self.now, &mut positions);
        let (slack, epoch_end) = (motion.slack(self.now), motion.epoch_end(self.now).time());
        let id = self.bodies.next_id();
        let index = match self.engine {
            Engine::Auto | Engine::Live => {
                let topology = Topology::build(&mesh, &positions, build);
                let mut clock = clockwork!(self, self.now);
                Index::Kinetic(KineticAabbTree::new(topology, id.index(), &motion, epoch_end, &mut clock))
            }
            Engine::Refit => Index::Refit(RefitTree::new(Topology::build(&mesh, &positions, build), &mesh, &positions)),
            Engine::Grid => Index::Grid(Grid::default()),
            Engine::Brute => Index::Brute,
        };
        let allowed = motion.allowed_span();
        let snapshot = Snapshot::new(mesh.vertex_count());
        let body = Body {
            name,
            mesh,
            motion,
            index,
            filter,
            ignored_contacts,
            rest,
            seams,
            allowed,
            slack,
            epoch_end,
            renewal: Ticket::NONE,
            pairs: Vec::new(),
            snapshot,
        };
        let inserted = self.bodies.insert(body);
        debug_assert_eq!(id, inserted);
        self.begin_epoch(id.index(), self.now);
        for partner in partners {
            self.watch(partner, id.index());
        }
        if self_contact {
            self.watch(id.index(), id.index());
        }
        self.settle()?;
        Ok(id)
    }

    /// Removes a body. Its contacts end. O(its events).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), WorldError> {
        for pair in self.body(id)?.pairs.clone() {
            self.unwatch(pair);
        }
        if let Some(mut body) = self.bodies.remove(id) {
            if let Index::Kinetic(tree) = &mut body.index {
                tree.retire(&mut clockwork!(self, self.now));
            }
            if body.renewal.is_some() {
                self.queue.erase(body.renewal);
            }
        }
        self.find_contacts();
        Ok(())
    }

    /// Starts or stops watching two bodies, whatever their filters say.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::SameBody`], [`WorldError::TooMany`].
    pub fn set_pair_watched(&mut self, a: BodyId, b: BodyId, watched: bool) -> Result<(), WorldError> {
        self.body(b)?;
        if a == b {
            return Err(WorldError::SameBody { body: a });
        }
        let (low, high) = (a.index().min(b.index()), a.index().max(b.index()));
        let joins = |&&pair: &&u32| self.pairs[pair as usize].a == low && self.pairs[pair as usize].b == high;
        let present = self.body(a)?.pairs.iter().find(joins).copied();
        match (present, watched) {
            (Some(pair), false) => self.unwatch(pair),
            (None, true) if self.pairs.len() >= limits::MAX_OWNERS => {
                return Err(WorldError::TooMany { what: "pairs of bodies" });
            }
            (None, true) => self.watch(low, high),
            _ => return Ok(()),
        }
        self.settle()
    }

    /// Replaces the flightplan of a whole body from now on. Times in the plan are the world's times. O(body).
    ///
    /// # Errors
    /// As [`World::add_body`]; the body keeps its plan.
    pub fn set_flightplan(&mut self, id: BodyId, plan: Flightplan) -> Result<(), WorldError> {
        let body = self.body(id)?;
        let motion = self.checked(&body.name, plan, body.mesh.vertex_count())?;
        let body = self.bodies.at_mut(id.index());
        body.allowed = motion.allowed_span();
        body.motion = motion;
        self.renew(id.index(), self.now);
        self.settle_plans(id.index(), None)
    }

    /// Gives some vertices of a body flightplans of their own from now on.
    ///
    /// O(log triangles) slots per vertex, plus the pairs those slots take part in; a change of more than a quarter of the
    /// vertices certifies the whole body instead.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], or a plan that is not usable; then no vertex is changed.
    pub fn set_vertex_flightplans(&mut self, id: BodyId, plans: &[(u32, VertexFlightplan)]) -> Result<(), WorldError> {
        let now = self.now;
        let body = self.body(id)?;
        let refused = |error| WorldError::Motion { body: body.name.clone(), error };
        body.motion.check_vertex_plans(plans, now).map_err(refused)?;
        for (_, plan) in plans {
            let span = plan.allowed_span();
            if !span.contains(now.time()) {
                return Err(WorldError::OutsideSpan { body: body.name.clone(), time: now.time(), span });
            }
        }
        let body = self.bodies.at_mut(id.index());
        if let Err(error) = body.motion.set_vertex_plans(plans, now) {
            return Err(WorldError::Motion { body: body.name.clone(), error });
        }
        body.allowed = body.motion.allowed_span();
        // A new plan may reach farther, or end the epoch earlier, than what the body was certified with.
        let same_epoch = body.motion.epoch_end(now).time() == body.epoch_end && body.motion.slack(now) <= body.slack;
        let is_local = 4 * plans.len() <= body.mesh.vertex_count();
        if same_epoch && is_local {
            if let Index::Kinetic(tree) = &mut body.index {
                let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
                self.slot_changes.clear();
                let mut clock = clockwork!(self, now);
                tree.replan(&vertices, &body.motion, body.epoch_end, &mut clock, &mut self.slot_changes);
                self.notify_lists(id.index(), now);
            }
        } else {
            self.renew(id.index(), now);
        }
        let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
        self.settle_plans(id.index(), Some(&vertices))
    }

    /// Settles a change of flightplans, of some vertices or of all, and decides the contacts it concerns again.
    fn settle_plans(&mut self, index: u32, vertices: Option<&[u32]>) -> Result<(), WorldError> {
        self.settle()?;
        if self.contact_mode == ContactMode::AtTimes {
            return Ok(());
        }
        let body = self.bodies.at(index);
        let Index::Kinetic(tree) = &body.index else { return Ok(()) };
        let leaves: Option<BTreeSet<u32>> = vertices
            .map(|vertices| vertices.iter().flat_map(|&vertex| tree.topology().leaves_of(vertex)).copied().collect());
        for number in body.pairs.clone() {
            let BodyPair { a, b, .. } = self.pairs[number as usize];
            let is_affected = |(leaf_a, leaf_b): (u32, u32)| {
                leaves.as_ref().is_none_or(|leaves| {
                    (a == index && leaves.contains(&leaf_a)) || (b == index && leaves.contains(&leaf_b))
                })
            };
            self.step_contacts(number, self.now, &Step::PlansChanged(&is_affected));
        }
        self.settle()
    }

    /// Checks a plan, and that it reaches the clock's time.
    fn checked(&self, name: &str, plan: Flightplan, vertex_count: usize) -> Result<Motion, WorldError> {
        let layout = match self.engine {
            Engine::Auto | Engine::Live => Layout::ByVertex,
            Engine::Refit | Engine::Grid | Engine::Brute => Layout::ByKey,
        };
        let mut motion = Motion::new(plan, vertex_count, layout)
            .map_err(|error| WorldError::Motion { body: name.to_owned(), error })?;
        let span = motion.allowed_span();
        if !span.contains(self.now.time()) {
            return Err(WorldError::OutsideSpan { body: name.to_owned(), time: self.now.time(), span });
        }
        self.bodies.iter().any(|(_, other)| motion.share_key_times(&other.motion));
        Ok(motion)
    }

    fn watch(&mut self, a: u32, b: u32) {
        let (a, b) = (a.min(b), a.max(b));
        let number = self.pairs.vacant_key() as u32;
        let body = self.bodies.at(a);
        let list = match (body.live(self.now), self.bodies.at(b).live(self.now)) {
            (Some(live), _) if a == b => {
                let seams = body.seams.as_ref().expect("a body tested against itself is welded");
                let kinship = Kinship::new(live.topology(), &body.mesh, seams);
                Some(SeparationList::of_one(&live, kinship, number, &mut clockwork!(self, self.now)))
            }
            (Some(a), Some(b)) => Some(SeparationList::new(&a, &b, number, &mut clockwork!(self, self.now))),
            _ => None,
        };
        let continuous = (self.contact_mode == ContactMode::Continuous).then(Continuous::default);
        let ignored = self.ignored_pairs(a, b);
        self.pairs.insert(BodyPair { a, b, ignored, list, continuous });
        self.bodies.at_mut(a).pairs.push(number);
        if a != b {
            self.bodies.at_mut(b).pairs.push(number);
        }
        self.step_contacts(number, self.now, &Step::Met);
    }

    /// Triangle pairs that touch already and are to be left out, as the two bodies wish.
    fn ignored_pairs(&self, a: u32, b: u32) -> BTreeSet<(u32, u32)> {
        let bodies = [a, b].map(|index| self.bodies.at(index));
        let mut ignored = BTreeSet::new();
        for wish in [IgnoredContacts::AtRest, IgnoredContacts::AtStart] {
            if bodies.iter().all(|body| body.ignored_contacts != wish) {
                continue;
            }
            let positions = bodies.map(|body| {
                let mut positions = Vec::new();
                match wish {
                    IgnoredContacts::AtRest => positions.extend(body.rest.iter().map(|p| p.map(f64::from))),
                    _ => body.motion.positions(self.now, &mut positions),
                }
                positions
            });
            let shape = |side: usize| Shape { triangles: bodies[side].mesh.triangles(), positions: &positions[side] };
            let mut grid = Grid::default();
            grid.fill(bodies[0].mesh.triangles(), &positions[0]);
            let is_wanted = |p: u32, q: u32| a != b || p < q;
            touching_by_grid(&grid, shape(0), shape(1), is_wanted, &mut |p, q| {
                ignored.insert((p, q));
            });
        }
        ignored
    }

    fn unwatch(&mut self, number: u32) {
        self.step_contacts(number, self.now, &Step::Retire);
        let mut pair = self.pairs.remove(number as usize);
        if let Some(list) = &mut pair.list {
            list.retire(&mut clockwork!(self, self.now));
        }
        for body in [pair.a, pair.b] {
            self.bodies.at_mut(body).pairs.retain(|&other| other != number);
        }
    }

    /// Processes what a change made due now, and finds the contacts anew.
    fn settle(&mut self) -> Result<(), WorldError> {
        self.process_until(self.now).map_err(|Stuck { time, events }| WorldError::Stuck { time, events })?;
        self.find_contacts();
        Ok(())
    }
}
