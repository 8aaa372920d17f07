//! Changes while the world runs: bodies come and go, flightplans are replaced. All at the clock's time.

use std::collections::BTreeSet;
use std::sync::Arc;

use ordered_float::OrderedFloat;

use crate::bvh::{BoundedSampler, BuildParams, Topology};
use crate::id::BodyId;
use crate::kinetic::event::Ticket;
use crate::kinetic::{KineticTree, TreeKind};
use crate::limits;
use crate::mesh::{Mesh, Patches, Seams};
use crate::motion::{Flightplan, KeyLayout, Motion, VertexFlightplan};
use crate::time::NEVER;
use crate::world::body::snapshot::Snapshot;
use crate::world::change::rebuild::check_bound;
use crate::world::query::hosted::Parts;
use crate::world::rule::is_thickness;
use crate::world::rule::spheres;
use crate::world::step::events::{Halt, Step};
use crate::world::tree::discrete::Discrete;
use crate::world::tree::mode::{Rate, index_of_world, layout_for};
use crate::world::tree::on_demand::OnDemandTree;
use crate::world::{
    Body, BodyDef, BodyPair, BodyShape, ContactMode, Engine, Filter, IgnoredContacts, Index, KeyTimesId, RebuildPolicy,
    World, WorldError,
};

/// A body whose motion has been checked.
pub(crate) struct NewBody {
    pub(crate) name: String,
    /// Without triangles if there are patches.
    pub(crate) mesh: Mesh,
    pub(crate) patches: Option<Patches>,
    pub(crate) motion: Motion,
    pub(crate) rest: Vec<[f32; 3]>,
    pub(crate) filter: Filter,
    pub(crate) self_contact: bool,
    pub(crate) ignored_contacts: IgnoredContacts,
    pub(crate) ignored: Vec<BodyId>,
    pub(crate) build: BuildParams,
    pub(crate) rebuild: RebuildPolicy,
    pub(crate) neighbours: bool,
    pub(crate) thickness: f64,
    pub(crate) tree: TreeKind,
    /// The engine it is meant to have, and whether that is live.
    pub(crate) requested_engine: Engine,
    pub(crate) is_kinetic: bool,
    /// What bounds it without its vertices.
    pub(crate) sampler: Option<Arc<dyn BoundedSampler>>,
}

impl World {
    /// Adds a body at the clock's time. Contacts are right at once, also for a body that starts in contact.
    ///
    /// O(keys × vertices + triangles log triangles) for the body itself, O(log bodies) to find who is close, and one
    /// separation list per body whose box meets its own.
    ///
    /// # Errors
    /// A motion that does not fit the mesh or is not usable, or does not reach the clock's time; more bodies, or more pairs of
    /// bodies close to each other, than can be named.
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, WorldError> {
        let BodyDef {
            name,
            shape,
            motion,
            filter,
            self_contact,
            ignored_contacts,
            ignored,
            build,
            rebuild,
            neighbours,
            thickness,
            tree,
            engine,
            sampler,
        } = def;
        let of_spheres = matches!(shape, BodyShape::Spheres(_));
        let (mesh, patches) = match shape {
            BodyShape::Mesh(mesh) => (mesh, None),
            BodyShape::Patches(patches) => (Mesh::bare(patches.vertex_count()), Some(patches)),
            BodyShape::Spheres(spheres) => (spheres.diagonals(), None),
        };
        let rest = motion.rest_positions(mesh.vertex_count()).to_vec();
        let requested_engine = self.requested_engine(&name, engine)?;
        let is_kinetic =
            self.must_be_kinetic(requested_engine, patches.is_none().then(|| mesh.triangles().len()), tree, &motion);
        let motion = self.checked(&name, motion, mesh.vertex_count(), layout_for(is_kinetic), of_spheres)?;
        if !is_thickness(thickness) {
            return Err(WorldError::BadThickness { body: name, value: thickness });
        }
        if let RebuildPolicy::Automatic { bound } = rebuild {
            check_bound(&name, bound)?;
        }
        self.insert_body(NewBody {
            name,
            mesh,
            patches,
            motion,
            rest,
            filter,
            self_contact,
            ignored_contacts,
            ignored,
            build,
            rebuild,
            neighbours,
            thickness,
            tree,
            requested_engine,
            is_kinetic,
            sampler,
        })
    }

    pub(crate) fn insert_body(&mut self, new: NewBody) -> Result<BodyId, WorldError> {
        let NewBody {
            name,
            mesh,
            patches,
            motion,
            rest,
            filter,
            self_contact,
            ignored_contacts,
            ignored,
            build,
            rebuild,
            neighbours,
            thickness,
            tree,
            requested_engine,
            is_kinetic,
            sampler,
        } = new;
        if self.bodies.len() >= limits::MAX_OWNERS {
            return Err(WorldError::TooMany { what: "bodies" });
        }
        if self.engine == Engine::BruteForce && self.pairs.len() + self.bodies.len() >= limits::MAX_OWNERS {
            return Err(WorldError::TooMany { what: Halt::PAIRS });
        }
        let is_of_spheres = motion.spheres().is_some();
        let seams = self_contact.then(|| if is_of_spheres { Seams::none(rest.len()) } else { mesh.weld(&rest) });
        let mut positions = Vec::new();
        motion.positions(self.now, &mut positions);
        let (slack, epoch_end) = (motion.slack(self.now), motion.epoch_end(self.now).time());
        let id = self.bodies.next_id();
        let index = if is_kinetic {
            // Only kinetic AABB trees can be wide.
            let build = if tree == TreeKind::Aabb { build } else { build.binary() };
            let topology = Topology::build(&Parts::of(&mesh, patches.as_ref()), &positions, build);
            let mut clock = event_context!(self, self.now);
            Index::Kinetic(KineticTree::new(tree, topology, id.index(), &motion, epoch_end, &mut clock))
        } else if let Some(index) = index_of_world(self.engine) {
            index
        } else if patches.is_some() {
            // Refitted trees know triangles only: of patches all spans are looked at.
            Index::Brute
        } else {
            let bounded = sampler.filter(|_| requested_engine == Engine::Auto).and_then(|sampler| {
                let rest: Vec<[f64; 3]> = rest.iter().map(|place| place.map(f64::from)).collect();
                OnDemandTree::new(sampler, &mesh, &motion, || Topology::build(&mesh, &rest, build.binary()))
            });
            match bounded {
                Some(bounded) => Index::OnDemand(Box::new(bounded)),
                None => {
                    let topology = Topology::build(&mesh, &positions, build.binary());
                    Index::Discrete(Discrete::new(
                        topology,
                        &mesh,
                        &motion,
                        requested_engine,
                        Rate::new(self_contact),
                        self.now,
                        self.step,
                    ))
                }
            }
        };
        let allowed = motion.allowed_span();
        let snapshot = Snapshot::new(mesh.vertex_count());
        let body = Body {
            name,
            mesh,
            patches,
            motion,
            index,
            requested_engine,
            filter,
            ignored_contacts,
            thickness,
            contact_margin: 0.5 * thickness,
            neighbours,
            rest,
            seams,
            allowed,
            slack,
            epoch_end,
            renewal: Ticket::NONE,
            build,
            rebuild,
            pairs: BTreeSet::new(),
            events_since_look: 0,
            keys: None,
            snapshot,
        };
        let inserted = self.bodies.insert(body);
        debug_assert_eq!(id, inserted);
        let Self { bodies, decisions, .. } = self;
        for other in ignored.into_iter().filter(|&other| bodies.get(other).is_some()) {
            decisions.set(id.index(), other.index(), Some(false));
        }
        self.note_ignored(id.index());
        self.begin_epoch(id.index(), self.now);
        self.register(id.index());
        self.enter(id.index());
        if self.broad_phase.is_full() {
            self.broad_phase.leave(id.index(), &mut event_context!(self, self.now), &mut self.body_pair_events);
            self.broad_phase.forget_full();
            self.body_pair_events.clear();
            self.remove_body(id)?;
            return Err(WorldError::TooMany { what: Halt::PAIRS });
        }
        self.follow_body_pair_events(self.now);
        if self_contact {
            self.watch(id.index(), id.index(), self.now);
        }
        self.settle()?;
        Ok(id)
    }

    /// Removes a body. Its contacts end. O(its events), and O(log bodies).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.body(id)?;
        self.exit(id.index());
        self.forget_ignored(id.index());
        self.decisions.forget(id.index());
        self.distances.retain(|&(a, b), _| a != id.index() && b != id.index());
        self.sleep.forget(id.index());
        self.schedule.forget(id);
        self.unregister(id.index());
        if let Some(mut body) = self.bodies.remove(id) {
            if let Index::Kinetic(tree) = &mut body.index {
                tree.retire(&mut event_context!(self, self.now));
            }
            if body.renewal.is_some() {
                self.queue.erase(body.renewal);
            }
        }
        Ok(self.find_contacts()?)
    }

    /// Starts or stops watching two bodies, whatever their filters say. O(log bodies) unless they are close.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::SameBody`], [`WorldError::TooMany`].
    pub fn set_pair_watched(&mut self, a: BodyId, b: BodyId, watched: bool) -> Result<(), WorldError> {
        self.body(a)?;
        self.body(b)?;
        if a == b {
            return Err(WorldError::SameBody { body: a });
        }
        let (a, b) = (a.index(), b.index());
        if self.engine == Engine::BruteForce && watched && self.pairs.len() >= limits::MAX_OWNERS {
            return Err(WorldError::TooMany { what: Halt::PAIRS });
        }
        let before = self.decisions.get(a, b);
        let by_filters = self.bodies.at(a).filter.allows(self.bodies.at(b).filter);
        self.decisions.set(a, b, (by_filters != watched).then_some(watched));
        // A decision may bring bodies into the broad phase whose filters keep them out.
        self.enter(a);
        self.enter(b);
        self.permission_changed(a, b);
        if self.broad_phase.is_full() {
            self.decisions.set(a, b, before);
            self.permission_changed(a, b);
            self.broad_phase.forget_full();
            self.body_pair_events.clear();
            return Err(WorldError::TooMany { what: Halt::PAIRS });
        }
        self.follow_body_pair_events(self.now);
        self.settle()
    }

    /// Replaces the flightplan of a whole body from now on. Times in the plan are the world's times. O(body).
    ///
    /// Where the plan is one of keyframes that goes on as the old one did, windows are kept for as long as it does; still all of it is
    /// checked. A host that streams its keys has less to pay with [`World::extend_flightplan`].
    ///
    /// # Errors
    /// As [`World::add_body`]; the body keeps its plan.
    pub fn set_flightplan(&mut self, id: BodyId, plan: Flightplan) -> Result<(), WorldError> {
        let body = self.body(id)?;
        let (vertices, layout) = (body.mesh.vertex_count(), layout_for(self.is_kinetic(id.index())));
        // Spheres rest at the first key of the plan they have.
        let rest = body.is_of_spheres().then(|| plan.rest_positions(vertices).to_vec());
        let motion = self.checked(&body.name, plan, vertices, layout, body.is_of_spheres())?;
        self.check_intervals(id.index(), &motion);
        self.unregister(id.index());
        let body = self.bodies.at_mut(id.index());
        let clock = self.now.time();
        let same_until = match &body.index {
            Index::Discrete(discrete) => motion.agrees_until(&body.motion, clock, discrete.known_until()),
            _ => clock,
        };
        let places = |motion: &Motion| {
            let mut places = Vec::with_capacity(vertices);
            motion.positions(self.now, &mut places);
            places
        };
        // What is evaluated of spheres may be equal where they are not.
        let is_jump = body.is_of_spheres() || (same_until <= clock && places(&body.motion) != places(&motion));
        body.allowed = motion.allowed_span();
        body.motion = motion;
        match &mut body.index {
            Index::Discrete(discrete) if same_until > clock => discrete.forget_from(same_until),
            _ => body.forget_motion(self.now),
        }
        body.forget_bounds(self.now);
        if let Some(rest) = rest {
            body.rest = rest;
        }
        self.register(id.index());
        self.renew(id.index(), self.now);
        self.settle_plans(id.index(), None, is_jump)
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
        self.leave_intervals(id.index());
        self.unregister(id.index());
        let body = self.bodies.at_mut(id.index());
        let places = |motion: &Motion| -> Vec<[f64; 3]> {
            plans.iter().map(|&(vertex, _)| motion.position(vertex, now)).collect()
        };
        let places_before = places(&body.motion);
        let outcome = body.motion.set_vertex_plans(plans, now);
        let is_jump = places(&body.motion) != places_before;
        body.allowed = body.motion.allowed_span();
        body.forget_motion(now);
        body.forget_bounds(now);
        self.register(id.index());
        let body = self.bodies.at_mut(id.index());
        if let Err(error) = outcome {
            return Err(WorldError::Motion { body: body.name.clone(), error });
        }
        // A new plan may reach farther, or end the epoch earlier, than what the body was certified with.
        let same_epoch = body.motion.epoch_end(now).time() == body.epoch_end && body.motion.slack(now) <= body.slack;
        let is_local = 4 * plans.len() <= body.mesh.vertex_count();
        if same_epoch && is_local {
            if let Index::Kinetic(tree) = &mut body.index {
                let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
                self.slot_changes.clear();
                let mut clock = event_context!(self, now);
                tree.replan(&vertices, &body.motion, body.epoch_end, &mut clock, &mut self.slot_changes);
                self.notify(id.index(), now);
            }
        } else {
            self.renew(id.index(), now);
        }
        let vertices: Vec<u32> = plans.iter().map(|&(vertex, _)| vertex).collect();
        self.settle_plans(id.index(), Some(&vertices), is_jump)
    }

    /// Settles a change of flightplans, of some vertices or of all, and decides the contacts it concerns again. What touches
    /// at the clock's time depends on positions only: where no vertex jumps, nothing needs to be tested.
    fn settle_plans(&mut self, index: u32, vertices: Option<&[u32]>, is_jump: bool) -> Result<(), WorldError> {
        if self.contact_mode == ContactMode::AtTimes {
            return if is_jump { self.settle() } else { Ok(self.process_until(self.now)?) };
        }
        self.settle()?;
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
    fn checked(
        &self,
        name: &str,
        plan: Flightplan,
        vertex_count: usize,
        layout: KeyLayout,
        of_spheres: bool,
    ) -> Result<Motion, WorldError> {
        let mut motion = Motion::new(plan, vertex_count, layout)
            .map_err(|error| WorldError::Motion { body: name.to_owned(), error })?;
        spheres::check_kind(name, &motion, of_spheres)?;
        let span = motion.allowed_span();
        if !span.contains(self.now.time()) {
            return Err(WorldError::OutsideSpan { body: name.to_owned(), time: self.now.time(), span });
        }
        if let Some(timeline) = timeline(&motion) {
            let alike = self.key_times.range((timeline, 0)..=(timeline, u32::MAX));
            let mut times = alike.filter_map(|&(_, other)| self.bodies.at(other).motion.common_times());
            times.any(|times| motion.take_times(&times));
        }
        Ok(motion)
    }

    /// Enters what is looked up by a body's motion; the body may have moved.
    pub(crate) fn register(&mut self, index: u32) {
        let body = self.bodies.at(index);
        if body.allowed.end < NEVER {
            self.ends.insert((OrderedFloat(body.allowed.end), index));
        }
        if let Some(timeline) = timeline(&body.motion) {
            self.key_times.insert((timeline, index));
        }
        self.sleep.wake(index);
    }

    /// Withdraws it before the motion changes.
    pub(crate) fn unregister(&mut self, index: u32) {
        let body = self.bodies.at(index);
        self.ends.remove(&(OrderedFloat(body.allowed.end), index));
        if let Some(timeline) = timeline(&body.motion) {
            self.key_times.remove(&(timeline, index));
        }
    }

    /// Processes what a change made due now, and finds the contacts anew.
    pub(crate) fn settle(&mut self) -> Result<(), WorldError> {
        self.process_until(self.now)?;
        // In the midst of an advance, contacts are found at its end.
        if self.in_advance { Ok(()) } else { Ok(self.find_contacts()?) }
    }
}

/// Motions with equal key times have equal timelines; `None` without keys.
pub(crate) fn timeline(motion: &Motion) -> Option<KeyTimesId> {
    let times = motion.key_times();
    let (first, last) = (times.first()?, times.last()?);
    // + 0.0 turns −0.0 into 0.0.
    Some((times.len(), (first + 0.0).to_bits(), (last + 0.0).to_bits()))
}
