//! Bodies: what the world keeps of each, and what it asks of one body alone.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | [`Body`], its groups of fields, its tree |
//! | `bodies` | [`Bodies`]: the arena, key times in common, sleeping bodies |
//! | `new` | [`NewBody`]: a definition with what was computed from it |
//! | `parts` | primitives of meshes and patches |
//! | `next_epoch` | winners and certificates of the next epoch, found before it begins |
//! | `discrete`, `on_demand`, `keys`, `spheres` | operations on bodies of one kind |
//! | `sleep`, `snapshot` | bodies at rest; positions evaluated once per step |

pub(crate) mod bodies;
pub(crate) mod discrete;
pub(crate) mod keys;
pub(crate) mod new;
pub(crate) mod next_epoch;
pub(crate) mod on_demand;
pub(crate) mod parts;
pub(crate) mod sleep;
pub(crate) mod snapshot;
pub(crate) mod spheres;

use crate::bvh::{BuildParams, Hierarchy, SharedVertices, Topology};
use crate::interval::{IntervalBoxes, PairedBodies};
use crate::kinetic::event::Ticket;
use crate::kinetic::{KineticHierarchy, KineticTree, KineticTreeView};
use crate::limits;
use crate::math::{Aabb, Extent};
use crate::mesh::{Mesh, Patches, Seams};
use crate::motion::{Motion, Piece};
use crate::sorted::SortedSet;
use crate::time::{Moment, Span};
use crate::world::body::keys::NextKeys;
use crate::world::body::next_epoch::NextEpoch;
use crate::world::body::snapshot::Snapshot;
use crate::world::def::{Filter, IgnoredContacts, RebuildPolicy};
use crate::world::engine::Engine;
use crate::world::rule::Surface;
use crate::world::rule::instant::Side;
use crate::world::tree::discrete::Discrete;
use crate::world::tree::on_demand::OnDemandTree;
use crate::world::tree::view::Tree;

/// One body.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) motion: Motion,
    pub(crate) index: Index,
    /// The engine asked for: the body's own, or the world's.
    pub(crate) requested_engine: Engine,
    pub(crate) rules: BodyRules,
    pub(crate) epoch: Epoch,
    pub(crate) tree: TreeParams,
    /// Numbers of the pairs this body is in.
    pub(crate) pairs: SortedSet<u32>,
    /// Boxes at both ends of the interval around now, if a pair asked for them.
    pub(crate) keys: Option<Box<IntervalBoxes>>,
    /// The same of the next interval, as far as they are made.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) next_keys: NextKeys,
    /// The next epoch, as far as it is prepared.
    #[cfg_attr(feature = "record", serde(skip))]
    pub(crate) next_epoch: NextEpoch,
    /// Scratch: positions at the clock's time.
    pub(crate) snapshot: Snapshot,
    /// Scratch: where it may touch anything when the boxes of bodies were swept last.
    #[cfg_attr(feature = "record", serde(skip, default = "nowhere"))]
    pub(crate) swept: Aabb,
}

#[cfg(feature = "record")]
fn nowhere() -> Aabb {
    Aabb::EMPTY
}

/// What a body is made of.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Shape {
    /// Without triangles if the body is made of patches.
    #[cfg_attr(feature = "record", serde(with = "crate::mesh::stored::with_bare"))]
    pub(crate) mesh: Mesh,
    pub(crate) patches: Option<Patches>,
    /// Rest positions, metres.
    pub(crate) rest: Vec<[f32; 3]>,
    /// Welded corners; only where the body is tested against itself.
    pub(crate) seams: Option<Seams>,
}

/// What a body may touch, and from which distance.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BodyRules {
    pub(crate) filter: Filter,
    pub(crate) ignored_contacts: IgnoredContacts,
    /// How thick its triangles are, metres.
    pub(crate) thickness: f64,
    /// Half of the largest distance at which the body counts as touching anything, metres: how far
    /// it reaches beyond its box.
    pub(crate) contact_margin: f64,
    /// Whether triangles that share a corner are tested too, where the body is tested against
    /// itself.
    pub(crate) neighbours: bool,
}

/// How long certificates hold as computed.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Epoch {
    /// The times at which the motion may be asked, seconds.
    pub(crate) allowed: Span,
    /// How far bounds are moved outward for rounding, metres.
    pub(crate) slack: f64,
    /// When the epoch ends, seconds.
    pub(crate) end: f64,
    /// The event that begins the next epoch.
    pub(crate) renewal: Ticket,
}

/// How a body's tree is built, and when it is rebuilt.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TreeParams {
    pub(crate) build: BuildParams,
    pub(crate) rebuild: RebuildPolicy,
    /// Events of the tree since its quality was last measured.
    pub(crate) events_since_check: u64,
}

/// What finds the parts of a body.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Index {
    /// A kinetic tree, maintained by events.
    Kinetic(KineticTree),
    /// Boxes of a keyframe interval, refitted boxes, or a baked clip: up to date at the times asked
    /// for.
    Discrete(Discrete),
    /// Boxes made from few parameters when they are asked for.
    OnDemand(Box<OnDemandTree>),
    /// No tree: all primitives are compared.
    Brute,
}

impl Body {
    /// Whether the body has a kinetic tree.
    pub(crate) fn is_kinetic(&self) -> bool {
        matches!(self.index, Index::Kinetic(_))
    }

    /// The kinetic tree as a hierarchy at a moment; `None` unless the body is kinetic, and if its
    /// tree is idle.
    pub(crate) fn kinetic_view(&self, now: Moment) -> Option<KineticTreeView<'_>> {
        self.kinetic_grown(0.0, now)
    }

    /// The kinetic tree with every bound moved outward by some metres more.
    pub(crate) fn kinetic_grown(&self, by: f64, now: Moment) -> Option<KineticTreeView<'_>> {
        match &self.index {
            Index::Kinetic(tree) if !tree.is_idle() => {
                Some(tree.kinetic_view(&self.motion, self.slack_grown(by), self.epoch.end, now))
            }
            _ => None,
        }
    }

    /// The vertex that realises an extent of the root's box now; `None` unless the body has a
    /// kinetic tree with winners.
    pub(crate) fn root_winner(&self, extent: Extent) -> Option<u32> {
        match &self.index {
            Index::Kinetic(tree) => tree.winner(0, extent),
            _ => None,
        }
    }

    /// A bound on an extent of a kinetic body around a moment, without slack.
    pub(crate) fn root_bound(&self, extent: Extent, at: Moment) -> Piece {
        if let Some(winner) = self.root_winner(extent) {
            return self.motion.piece(winner, extent.axis(), at);
        }
        // Only bodies with a kinetic tree are in the kinetic broad phase.
        let most = if extent.is_max() { limits::MAX_COORDINATE } else { -limits::MAX_COORDINATE };
        let everywhere = || Piece::constant(f64::NEG_INFINITY, f64::INFINITY, most);
        self.kinetic_view(at).map_or_else(everywhere, |tree| tree.bound(0, extent, at))
    }

    /// The end of an epoch of the body that contains a moment.
    pub(crate) fn epoch_end(&self, at: Moment) -> Moment {
        match &self.index {
            Index::Kinetic(tree) => tree.epoch_end(&self.motion, at),
            _ => self.motion.epoch_end(at),
        }
    }

    /// Notes the box for a sweep at the clock's time; the tree is up to date.
    pub(crate) fn note_bounds(&mut self, now: Moment) {
        let own = match self.tree(now) {
            Some(tree) => tree.node_box(0, now),
            None => Aabb::of_points(self.snapshot.positions()).grown(self.motion.blur(now)),
        };
        self.swept = own.grown(self.rules.contact_margin);
    }

    /// The slack of the body's bounds towards all others.
    pub(crate) fn margin_slack(&self) -> f64 {
        self.slack_grown(self.rules.contact_margin)
    }

    /// The slack of bounds that reach some metres farther.
    pub(crate) fn slack_grown(&self, by: f64) -> f64 {
        grown(self.epoch.slack, by)
    }

    /// The body's tree, if it has one whose boxes hold at the clock's time.
    pub(crate) fn tree(&self, now: Moment) -> Option<Tree<'_>> {
        match &self.index {
            Index::Kinetic(_) => self.kinetic_view(now).map(Tree::Kinetic),
            Index::Discrete(discrete) => {
                let refitted = || discrete.refitted().map(Tree::Refit);
                let replayed = || discrete.replay.as_ref()?.boxes(&self.motion).map(Tree::Baked);
                discrete.boxes(now).map(Tree::Interval).or_else(replayed).or_else(refitted)
            }
            Index::OnDemand(on_demand) => match on_demand.refitted() {
                Some(tree) => Some(Tree::Refit(tree)),
                None => on_demand.at(&self.motion, now).map(Tree::OnDemand),
            },
            Index::Brute => None,
        }
    }

    /// The shape of the body's tree, if it has one.
    pub(crate) fn topology(&self) -> Option<&Topology> {
        match &self.index {
            Index::Kinetic(tree) => Some(tree.topology()),
            Index::Discrete(discrete) => Some(discrete.topology()),
            Index::OnDemand(on_demand) => Some(on_demand.topology()),
            Index::Brute => None,
        }
    }

    /// A tree of width two over the body's parts where they are at a moment.
    pub(crate) fn binary_topology(&self, now: Moment) -> Topology {
        let mut positions = Vec::new();
        self.motion.positions(now, &mut positions);
        Topology::build(&self.parts(), &positions, self.tree.build.binary())
    }

    /// Which leaves of a tree over the body share a corner; `None` unless the body is tested
    /// against itself.
    pub(crate) fn shared_vertices(&self, tree: &Topology) -> Option<SharedVertices> {
        let seams = self.shape.seams.as_ref()?;
        Some(SharedVertices::new(tree, &self.parts(), seams, !self.rules.neighbours))
    }

    /// The welded corners, if triangles of the body that share one are of no interest.
    pub(crate) fn excluding_seams(&self) -> Option<&Seams> {
        self.shape.seams.as_ref().filter(|_| !self.rules.neighbours)
    }

    /// Meshes and motions of this body and another, or of this one with itself.
    pub(crate) fn paired_bodies<'a>(&'a self, other: &'a Self, is_self: bool) -> PairedBodies<'a> {
        if is_self {
            PairedBodies::within(self.moving_mesh(), self.excluding_seams())
        } else {
            PairedBodies::between(self.moving_mesh(), other.moving_mesh())
        }
    }

    fn moving_mesh(&self) -> (&Mesh, &Motion) {
        (&self.shape.mesh, &self.motion)
    }

    /// The body as exact tests at an instant see it.
    pub(crate) fn side(&self) -> Side<'_> {
        Side { mesh: &self.shape.mesh, motion: &self.motion }
    }

    /// The body's triangles, for tests against itself.
    pub(crate) fn surface(&self) -> Surface<'_> {
        Surface { mesh: &self.shape.mesh, seams: self.shape.seams.as_ref(), neighbours: self.rules.neighbours }
    }

    /// Forgets positions and boxes of an earlier time.
    pub(crate) fn begin_step(&mut self) {
        self.snapshot.begin();
        self.forget_place();
        self.forget_refitted();
    }

    /// Brings the body's tree up to date at the clock's time. `step` is the length of the host's
    /// steps, seconds; 0 if unknown.
    pub(crate) fn update(&mut self, now: Moment, step: f64) {
        match &mut self.index {
            Index::Brute => self.snapshot.evaluate_all(&self.motion, now),
            Index::Kinetic(_) => {}
            Index::Discrete(discrete) => {
                discrete.update(&self.shape.mesh, &self.motion, self.requested_engine, now, step);
            }
            Index::OnDemand(on_demand) => on_demand.update(&self.shape.mesh, &self.motion, now),
        }
    }

    /// Evaluates the vertices of some leaves.
    pub(crate) fn evaluate_leaves(&mut self, leaves: impl Iterator<Item = u32>, now: Moment) {
        let topology = match &self.index {
            Index::Kinetic(tree) => tree.topology(),
            Index::Discrete(discrete) => discrete.topology(),
            Index::OnDemand(on_demand) => on_demand.topology(),
            Index::Brute => return,
        };
        self.snapshot.evaluate(&self.motion, leaves.flat_map(|leaf| topology.leaf_points(leaf)), now);
    }

    /// Evaluates the corners of some triangles.
    pub(crate) fn evaluate_triangles(&mut self, triangles: impl Iterator<Item = u32>, now: Moment) {
        let Self { snapshot, motion, shape, .. } = self;
        snapshot.evaluate(motion, triangles.flat_map(|triangle| &shape.mesh.triangles()[triangle as usize]), now);
    }
}

/// A slack with some metres more, rounded up so that the sum of two is at least the sum of both
/// distances.
fn grown(slack: f64, by: f64) -> f64 {
    if by > 0.0 { (slack + by) * (1.0 + 4.0 * f64::EPSILON) } else { slack }
}

/// Whether one body enters the first round of its loop at a time at which the other one leaves a
/// round.
pub(crate) fn are_between_rounds(a: &Body, b: &Body, time: f64) -> bool {
    let enters = |body: &Body| body.motion.epoch_end(Moment::after(time.next_down())) == Moment::at(time);
    let leaves = |body: &Body| body.motion.epoch_end(Moment::at(time)) == Moment::after(time);
    (enters(a) && leaves(b)) || (enters(b) && leaves(a))
}
