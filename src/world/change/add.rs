//! Bodies come and go, at the clock's time.

#[cfg(feature = "io")]
use crate::bvh::Topology;
use crate::id::BodyId;
use crate::kinetic::TreeKind;
use crate::limits;
use crate::mesh::{Mesh, Seams};
use crate::motion::Flightplan;
use crate::tuning;
use crate::world::World;
use crate::world::body::new::NewBody;
use crate::world::body::{Body, BodyRules, Index, Shape, TreeParams};
use crate::world::change::flightplan::layout_for;
use crate::world::change::pairs::is_thickness;
use crate::world::change::trees::check_bound;
use crate::world::def::{BodyDef, BodyShape, ContactMode, RebuildPolicy};
use crate::world::engine::Engine;
use crate::world::error::{AdvanceError, WorldError};

impl World {
    /// Adds a body at the clock's time. Contacts are right at once, also for a body that starts in
    /// contact.
    ///
    /// O(keys × vertices + triangles log triangles) for the body itself, O(log bodies) to find the
    /// bodies close to it, and one separation list per body whose box meets its own.
    ///
    /// # Errors
    /// A motion that does not fit the mesh or is not usable, or does not reach the clock's time;
    /// more bodies, or more pairs of bodies close to each other, than can be named.
    /// [`WorldError::Limit`] beyond one of [`crate::world::WorldLimits`]: the body is not added.
    /// Ids and log are then not those of a world in which this was not called: the body's id is not
    /// given again, and the log may hold what the body did until it was taken out. So a host that
    /// compares two worlds by their logs is to make the same calls in both, refused ones included.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::{BodyDef, Flightplan, Mesh};
    ///
    /// let point = BodyDef::new(Mesh::points(1)?, Flightplan::fixed(vec![[0.2, 0.2, 0.0]])).named("probe");
    /// let probe = world.add_body(point)?; // It lies on the floor.
    /// assert_eq!(world.contacts()[0].b, probe);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, WorldError> {
        let new = self.check_definition(def)?;
        self.insert_body(new)
    }

    /// As [`World::add_body`], with a tree of a known shape over the same primitives, if it is to
    /// be idle.
    #[cfg(feature = "io")]
    pub(crate) fn add_body_over(&mut self, def: BodyDef, shape: Option<Topology>) -> Result<BodyId, WorldError> {
        let mut new = self.check_definition(def)?;
        new.idle_shape = shape;
        self.insert_body(new)
    }

    /// The shape of the tree of a body, if it is idle.
    #[cfg(feature = "io")]
    pub(crate) fn idle_shape(&self, id: BodyId) -> Option<Topology> {
        match &self.bodies.get(id)?.index {
            Index::Kinetic(tree) if tree.is_idle() => Some(tree.topology().clone()),
            _ => None,
        }
    }

    /// Checks the definition of a body, and computes what follows from it.
    fn check_definition(&self, def: BodyDef) -> Result<NewBody, WorldError> {
        let of_spheres = matches!(def.shape, BodyShape::Spheres(_));
        let (mesh, patches) = match def.shape {
            BodyShape::Mesh(mesh) => (mesh, None),
            BodyShape::Patches(patches) => (Mesh::bare(patches.vertex_count()), Some(patches)),
            BodyShape::Spheres(spheres) => (spheres.diagonals(), None),
        };
        let rest = def.motion.rest_positions(mesh.vertex_count()).to_vec();
        let requested_engine = self.requested_engine(&def.name, def.engine)?;
        let triangles = patches.is_none().then(|| mesh.triangles().len());
        let is_kinetic = self.must_be_kinetic(requested_engine, triangles, def.tree.kind, &def.motion);
        // Boxes of idle trees are made key by key, from the places of all vertices.
        let layout = layout_for(is_kinetic && !self.trees_are_idle);
        let motion = self.check_motion(&def.name, def.motion, mesh.vertex_count(), layout, of_spheres)?;
        if !is_thickness(def.thickness) {
            return Err(WorldError::BadThickness { body: def.name, value: def.thickness });
        }
        if let RebuildPolicy::Automatic { bound } = def.tree.rebuild {
            check_bound(&def.name, bound)?;
        }
        let weld = || if of_spheres { Seams::none(rest.len()) } else { mesh.weld_checked(&rest) };
        let seams = def.self_contact.then(weld);
        Ok(NewBody {
            name: def.name,
            shape: Shape { mesh, patches, rest, seams },
            motion,
            rules: BodyRules {
                filter: def.filter,
                ignored_contacts: def.ignored_contacts,
                thickness: def.thickness,
                contact_margin: 0.5 * def.thickness,
                neighbours: def.neighbours,
            },
            tree: TreeParams { build: def.tree.build, rebuild: def.tree.rebuild, events_since_check: 0 },
            kind: def.tree.kind,
            ignored: def.ignored,
            sampler: def.sampler,
            idle_shape: None,
            requested_engine,
            is_kinetic,
        })
    }

    /// Adds a body whose definition has been checked.
    pub(crate) fn insert_body(&mut self, mut new: NewBody) -> Result<BodyId, WorldError> {
        if self.bodies.len() >= limits::MAX_OWNERS {
            return Err(WorldError::TooMany { what: "bodies" });
        }
        let most = self.limits.most_body_pairs();
        let pairs = if self.engine == Engine::BruteForce { self.partners_of(&new) } else { 0 };
        if pairs > 0 && self.pairs.len() + pairs > most {
            return Err(self.clock.beyond(AdvanceError::PAIRS, most).into());
        }
        let id = self.bodies.next_id();
        self.clock.log.name_body(id);
        let (index, ignored) = (id.index(), std::mem::take(&mut new.ignored));
        let is_idle = self.may_be_idle(&new);
        if !is_idle {
            self.wake_trees(self.clock.now);
        }
        let finder = new.finder(index, (self.engine, is_idle), self.clock.step, &mut self.clock.context())?;
        let inserted = self.bodies.insert(new.into_body(finder));
        debug_assert_eq!(id, inserted);
        for other in ignored.into_iter().filter(|&other| self.bodies.get(other).is_some()) {
            self.pairs.rules.decisions.set(index, other.index(), Some(false));
        }
        self.note_ignored(index);
        self.begin_epoch(index, self.clock.now);
        self.register(index);
        self.enter(index);
        if self.pairs.broad_phase.is_full() {
            self.pairs.leave_broad_phase(index, &mut self.clock.context());
            self.pairs.broad_phase.forget_full();
            let _is_told_as_well = self.remove_body(id);
            self.contacts.forget_changes_of(id);
            return Err(self.clock.beyond(AdvanceError::PAIRS, most).into());
        }
        self.process_body_pairs(self.clock.now);
        if self.bodies.at(index).shape.seams.is_some() {
            self.watch(index, index, self.clock.now);
        }
        let settled = self.settle();
        if let Err(WorldError::Limit { .. }) = settled {
            let _is_told_already = self.remove_body(id);
            self.contacts.forget_changes_of(id);
        }
        settled.map(|()| id)
    }

    /// How many pairs a new body has with those there are and with itself, whatever their places.
    fn partners_of(&self, new: &NewBody) -> usize {
        let may_meet =
            |(id, body): &(BodyId, &Body)| new.rules.filter.allows(body.rules.filter) && !new.ignored.contains(id);
        self.bodies.iter().filter(may_meet).count() + usize::from(new.shape.seams.is_some())
    }

    /// Removes a body. Its contacts end. O(its events), and O(log bodies).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; [`WorldError::Limit`] where an advance or a change met a bound
    /// and what remains is still beyond it: the body is removed.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// world.remove_body(floor)?;
    /// assert!(world.contacts().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.bodies.find(id)?;
        let index = id.index();
        self.wake_trees(self.clock.now);
        self.forget_extensions(index);
        self.exit(index);
        self.bodies.ignoring_initial_contacts.remove(&index);
        self.pairs.rules.forget(index);
        self.pairs.unpaired.remove(&index);
        self.bodies.sleep.forget(index);
        self.clock.schedule.forget(id);
        self.unregister(index);
        if let Some(mut body) = self.bodies.remove(id) {
            if let Index::Kinetic(tree) = &mut body.index {
                tree.retire(&mut self.clock.context());
            }
            self.clock.queue.set(&mut body.epoch.renewal, None);
        }
        self.settle()
    }

    /// The engine of a body that asks for one. All bodies of a world of brute force have that
    /// engine.
    fn requested_engine(&self, name: &str, own: Engine) -> Result<Engine, WorldError> {
        let engine = match (self.engine, own) {
            (Engine::BruteForce, _) | (_, Engine::Auto) => self.engine,
            (_, Engine::BruteForce) => {
                return Err(WorldError::EngineOfWorlds { body: name.to_owned(), engine: own });
            }
            _ => own,
        };
        if self.contact_mode == ContactMode::Continuous && !matches!(engine, Engine::Auto | Engine::Kinetic) {
            return Err(WorldError::NeedsKinetic { engine });
        }
        Ok(engine)
    }

    /// Whether a body is kinetic, permanently. Without a number of triangles it is made of patches.
    fn must_be_kinetic(
        &self,
        requested_engine: Engine,
        triangles: Option<usize>,
        tree: TreeKind,
        plan: &Flightplan,
    ) -> bool {
        let has_no_interval = triangles.is_none() || tree == TreeKind::Box;
        match requested_engine {
            Engine::Kinetic => true,
            Engine::Auto => {
                let wants_events = self.contact_mode == ContactMode::Continuous || self.clock.log.events().is_some();
                // Velocity fields have few events; bodies of a few triangles have next to none.
                let is_small = triangles.is_some_and(|triangles| triangles < tuning::MIN_TRIANGLES_OF_DISCRETE_BODY);
                has_no_interval || wants_events || (is_small && plan.is_velocity_field())
            }
            Engine::Interval => has_no_interval,
            Engine::Refit | Engine::BruteForce => false,
        }
    }
}
