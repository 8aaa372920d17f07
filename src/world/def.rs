//! What a host fills in: definitions with defaults.

use std::sync::Arc;

use super::WorldLimits;
use super::engine::Engine;
use crate::bvh::{BoundedSampler, BuildParams, Builder};
use crate::id::BodyId;
use crate::kinetic::TreeKind;
use crate::mesh::{Mesh, Patches, Spheres};
use crate::motion::Flightplan;
use crate::tuning;

/// What a world knows about contacts between the times it is advanced to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ContactMode {
    /// Triangles are tested at the times the host advances to, and nowhere else: on the exact
    /// motion, so a contact is the same as with [`ContactMode::Continuous`] at that time.
    #[default]
    AtTimes,
    /// Touch and part are events with exact times; nothing that happens between two advances is
    /// lost. Engines auto and kinetic only; with auto, what may touch is found from key to key
    /// where bodies move by keys, with kinetic by separation lists: the contacts are the same.
    Continuous,
}

/// Definition of a [`crate::World`].
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct WorldDef {
    /// Where the clock begins, seconds.
    pub start: f64,
    /// How contacts are found.
    pub engine: Engine,
    /// Whether contacts between the times advanced to are found too.
    pub contacts: ContactMode,
    /// Keep every logged event until it is drained ([`crate::World::drain_log`]); without it only
    /// their count and hash are kept.
    ///
    /// With [`Engine::Auto`] this makes all bodies kinetic, since only these have events. That is
    /// what it costs: every change of a bound is an event then. Steps of the scenes measured take
    /// 1 to 27 times as long (`docs/benchmarks/engine-choice.md`). The events themselves are
    /// held until they are drained.
    pub keep_events: bool,
    /// Bounds on memory and work.
    pub limits: WorldLimits,
    /// Let kinetic trees be idle until a separation list needs them; see
    /// [`crate::world::step::idle`]. Only for a world that is advanced and asked for contacts.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) idle_trees: bool,
}

impl WorldDef {
    /// The default: a clock that begins at 0 s, engine auto, contacts at the times advanced to,
    /// events not kept.
    ///
    /// ```
    /// use kinetree::{ContactMode, Engine, World, WorldDef};
    ///
    /// let def = WorldDef::new().start(-1.0).engine(Engine::Kinetic).contacts(ContactMode::Continuous);
    /// assert_eq!(World::new(def)?.time(), -1.0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub const fn new() -> Self {
        Self {
            start: 0.0,
            engine: Engine::Auto,
            contacts: ContactMode::AtTimes,
            keep_events: false,
            limits: WorldLimits::DEFAULT,
            idle_trees: false,
        }
    }

    /// Sets where the clock begins, seconds.
    #[must_use]
    pub const fn start(mut self, seconds: f64) -> Self {
        self.start = seconds;
        self
    }

    /// Sets how contacts are found.
    #[must_use]
    pub const fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets whether contacts between the times advanced to are found too.
    #[must_use]
    pub const fn contacts(mut self, mode: ContactMode) -> Self {
        self.contacts = mode;
        self
    }

    /// Sets whether every logged event is kept: [`WorldDef::keep_events`], also for its cost.
    #[must_use]
    pub const fn keep_events(mut self, keep: bool) -> Self {
        self.keep_events = keep;
        self
    }

    /// Sets the bounds on memory and work.
    #[must_use]
    pub const fn limits(mut self, limits: WorldLimits) -> Self {
        self.limits = limits;
        self
    }
}

/// Which bodies may touch: two bodies are watched if each one's category is in the other one's
/// mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Filter {
    /// The groups this body belongs to, one bit each.
    pub category: u64,
    /// The groups it is tested against.
    pub mask: u64,
}

impl Default for Filter {
    fn default() -> Self {
        Self { category: 1, mask: u64::MAX }
    }
}

impl Filter {
    /// A body of some groups that is tested against some groups, one bit each.
    ///
    /// ```
    /// use kinetree::Filter;
    ///
    /// const CLOTH: u64 = 1;
    /// const BODY: u64 = 2;
    /// assert!(Filter::new(CLOTH, BODY).allows(Filter::new(BODY, CLOTH)));
    /// assert!(!Filter::new(CLOTH, BODY).allows(Filter::new(CLOTH, BODY)));
    /// ```
    pub const fn new(category: u64, mask: u64) -> Self {
        Self { category, mask }
    }

    /// Whether two bodies with these filters may touch each other.
    pub fn allows(self, other: Self) -> bool {
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

/// Pairs of triangles that a body wants left out because they touch already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum IgnoredContacts {
    /// None.
    #[default]
    None,
    /// Pairs that touch where the motions of both bodies begin: each body as its flightplan places
    /// it at its first key, or, of a velocity field, where its vertices leave. Collars sewn into
    /// coats, eyes in their sockets. The clock does not matter, nor do rest positions in the frame
    /// of a mesh, which two rigid bodies do not share.
    AtRest,
    /// Pairs that touch when the later of the two bodies is added.
    AtStart,
}

/// Whether a body's kinetic tree is rebuilt where it drifted. The host can always ask for that:
/// [`crate::World::rebuild_degraded`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum RebuildPolicy {
    /// Only if the host asks for it.
    #[default]
    Off,
    /// By itself, each time the tree had `tuning::EVENTS_PER_QUALITY_CHECK` events per
    /// node.
    Automatic {
        /// Drift that is still allowed, at least 1; 2 means twice the boxes of a fresh build.
        bound: f64,
    },
}

/// What a body is made of.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum BodyShape {
    /// Triangles, segments and points: contacts are found exactly.
    Mesh(Mesh),
    /// Patches: pairs of bodies with at least one of these have no [`crate::world::Contact`]s, but
    /// [`crate::world::Candidate`]s for the host to decide, see [`crate::World::test_candidates`].
    Patches(Patches),
    /// Balls that move and change their size: contacts are found exactly, with balls, triangles,
    /// segments and points. The motion must be a [`Flightplan::spheres`]. What contacts, boxes and
    /// rays number as triangles are the spheres.
    ///
    /// Spheres of one body are not tested against each other unless [`BodyDef::self_contact`] is
    /// set: those of a packing overlap.
    Spheres(Spheres),
}

impl BodyShape {
    /// The mesh, unless it is made of something else.
    pub fn mesh(&self) -> Option<&Mesh> {
        match self {
            Self::Mesh(mesh) => Some(mesh),
            Self::Patches(_) | Self::Spheres(_) => None,
        }
    }
}

impl From<Mesh> for BodyShape {
    fn from(mesh: Mesh) -> Self {
        Self::Mesh(mesh)
    }
}

impl From<Spheres> for BodyShape {
    fn from(spheres: Spheres) -> Self {
        Self::Spheres(spheres)
    }
}

impl From<Patches> for BodyShape {
    fn from(patches: Patches) -> Self {
        Self::Patches(patches)
    }
}

/// The tree of a body: its kind, how it is built, and when it is rebuilt.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct TreeDef {
    /// Which kinetic tree; without effect on bodies that are not kinetic.
    pub kind: TreeKind,
    /// How the tree is built.
    pub build: BuildParams,
    /// Whether subtrees that drifted are rebuilt.
    pub rebuild: RebuildPolicy,
}

/// Definition of a body: what it is made of, its motion, and what it may touch.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BodyDef {
    /// For messages and reports; need not be unique.
    pub name: String,
    /// What it is made of: triangles, segments, points, patches, or spheres.
    pub shape: BodyShape,
    /// Where its vertices will be, or its control points, or its spheres.
    pub motion: Flightplan,
    /// Groups.
    pub filter: Filter,
    /// Whether the body is tested against itself. Triangles that share a corner, or corners welded
    /// at their rest positions, are not tested against each other.
    pub self_contact: bool,
    /// Whether, in tests against itself, triangles that share a corner are tested too: for what
    /// they share besides the common corner or edge. Thickness does not concern them.
    pub neighbours: bool,
    /// How thick the triangles are, metres (on spheres, half of it adds to the radii): triangles of
    /// two bodies count as touching from a distance of half the sum of both thicknesses, triangles
    /// of one body from its thickness. 0 for contact proper. [`crate::World::set_pair_thickness`]
    /// decides for single pairs of bodies.
    pub thickness: f64,
    /// Pairs of triangles never reported, with any partner; what either of two bodies leaves out is
    /// left out.
    pub ignored_contacts: IgnoredContacts,
    /// Bodies this one is never tested against.
    pub ignored: Vec<BodyId>,
    /// The body's tree.
    pub tree: TreeDef,
    /// The engine of the body; [`Engine::Auto`] for that of its world. [`Engine::BruteForce`] is
    /// for whole worlds, and such worlds ignore this field.
    pub engine: Engine,
    /// What bounds it without evaluating its vertices, see [`BodyDef::bounded`]. Without effect
    /// unless `motion` is that of this sampler. Not serialised; nor is a motion by a sampler.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub sampler: Option<Arc<dyn BoundedSampler>>,
}

impl BodyDef {
    /// A body that may touch every other.
    ///
    /// One of patches has leaves of `tuning::SPANS_PER_LEAF` spans.
    ///
    /// ```
    /// use kinetree::{BodyDef, Filter, Flightplan, Mesh};
    ///
    /// let mesh = Mesh::new(3, vec![[0, 1, 2]])?;
    /// let plan = Flightplan::fixed(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]); // Metres.
    /// let def = BodyDef::new(mesh, plan).named("sail").filter(Filter::new(2, 1)).thickness(0.01);
    /// assert_eq!((def.name.as_str(), def.thickness), ("sail", 0.01));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(shape: impl Into<BodyShape>, motion: Flightplan) -> Self {
        let shape = shape.into();
        let build = match shape {
            BodyShape::Mesh(_) | BodyShape::Spheres(_) => BuildParams::default(),
            BodyShape::Patches(_) => BuildParams { leaf_size: tuning::SPANS_PER_LEAF, ..BuildParams::default() },
        };
        Self {
            name: String::new(),
            shape,
            motion,
            filter: Filter::default(),
            self_contact: false,
            neighbours: false,
            thickness: 0.0,
            ignored_contacts: IgnoredContacts::None,
            ignored: Vec::new(),
            tree: TreeDef { build, ..TreeDef::default() },
            engine: Engine::Auto,
            sampler: None,
        }
    }

    /// A body whose vertices are evaluated only where something is near: its motion is the
    /// sampler's, and its boxes are made from few parameters when they are asked for. A reduced
    /// body gives such a sampler: [`ReducedBody::sampler`](crate::reduced::ReducedBody::sampler).
    ///
    /// Contacts are those of [`Flightplan::sampled`] under any engine, bit for bit. Bounds are used
    /// under [`Engine::Auto`] and [`Engine::Kinetic`]. With continuous contacts, kept events or
    /// [`Engine::Kinetic`], the body has a kinetic tree without events of its own, whose bounds
    /// are known ahead of time. Otherwise boxes are made on demand. A [`TreeKind::Box`] needs
    /// winners: it evaluates vertices at many keys, and uses no bounds.
    ///
    /// [`World::set_bounded_flightplan`](crate::world::World::set_bounded_flightplan) keeps the
    /// bounds. Another plan that replaces this one, or an edit of the mesh, ends them. Leaves have
    /// `tuning::ON_DEMAND_LEAF_SIZE` triangles.
    pub fn bounded(shape: impl Into<BodyShape>, sampler: Arc<dyn BoundedSampler>) -> Self {
        let plan = Flightplan::sampled(Arc::<dyn BoundedSampler>::clone(&sampler));
        let build = BuildParams {
            builder: Builder::CovarianceMedian,
            leaf_size: tuning::ON_DEMAND_LEAF_SIZE,
            ..BuildParams::default()
        };
        Self { sampler: Some(sampler), ..Self::new(shape, plan).build(build) }
    }

    /// Gives the body a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets its groups.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// Sets whether the body is tested against itself.
    #[must_use]
    pub fn self_contact(mut self, wanted: bool) -> Self {
        self.self_contact = wanted;
        self
    }

    /// Sets whether triangles that share a corner are tested against each other, where the body is
    /// tested against itself.
    #[must_use]
    pub fn neighbours(mut self, wanted: bool) -> Self {
        self.neighbours = wanted;
        self
    }

    /// Sets how thick its triangles are, metres.
    #[must_use]
    pub fn thickness(mut self, thickness: f64) -> Self {
        self.thickness = thickness;
        self
    }

    /// Sets how thick it is by the radius of its points, segments or triangles, metres: half the
    /// thickness.
    ///
    /// A point of radius r touches a triangle of no thickness while their distance is at most r;
    /// points of radii r and s touch while their distance is at most r + s, like balls. r is taken
    /// exactly; the sum r + s is rounded once, to `f64`.
    #[must_use]
    pub fn radius(self, radius: f64) -> Self {
        self.thickness(2.0 * radius)
    }

    /// Leaves out pairs of triangles that touch already.
    #[must_use]
    pub fn ignoring_contacts(mut self, ignored: IgnoredContacts) -> Self {
        self.ignored_contacts = ignored;
        self
    }

    /// Names bodies it is never tested against.
    #[must_use]
    pub fn ignoring(mut self, bodies: &[BodyId]) -> Self {
        self.ignored.extend_from_slice(bodies);
        self
    }

    /// Sets whether subtrees that drifted are rebuilt.
    #[must_use]
    pub fn rebuild(mut self, rebuild: RebuildPolicy) -> Self {
        self.tree.rebuild = rebuild;
        self
    }

    /// Sets how its tree is built.
    #[must_use]
    pub fn build(mut self, build: BuildParams) -> Self {
        self.tree.build = build;
        self
    }

    /// Sets which engine it has.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets which tree it has.
    #[must_use]
    pub fn tree(mut self, tree: TreeKind) -> Self {
        self.tree.kind = tree;
        self
    }
}
