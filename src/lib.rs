//! Collision detection between bodies whose motion is known: prescribed motion in, contacts out.
//!
//! Keyframed cloth, rigid keyframes and velocity fields are given as *flightplans*. From them
//! kinetic structures know when their own boxes change and when two boxes meet or part. In between
//! only triangles in boxes that overlap are tested, and with continuous contacts nothing is
//! ([`World::next_event`]).
//!
//! ```
//! use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};
//!
//! let triangle = || Mesh::new(3, vec![[0, 1, 2]]);
//! let low = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let high = low.map(|[x, y, _]| [x, y, 1.0]);
//!
//! let mut world = World::new(WorldDef::default())?;
//! world.add_body(BodyDef::new(triangle()?, Flightplan::fixed(low.to_vec())).named("floor"))?;
//! // Falls from height 1 onto the floor at t = 1 s, and is back at height 1 at t = 2 s.
//! let keys = [high, low, high].concat();
//! world.add_body(BodyDef::new(triangle()?, Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys)).named("ball"))?;
//!
//! for frame in 0..=20 {
//!     world.advance_to(f64::from(frame) / 10.0)?;
//!     assert_eq!(world.contacts().len(), usize::from(frame == 10));
//! }
//! # Ok::<(), kinetree::Error>(())
//! ```
//!
//! Bodies are made of triangles, segments and points ([`Mesh`]), or of Bézier and NURBS patches
//! ([`Patches`]), whose contacts the host decides among the candidates it is shown
//! ([`NarrowPhase`]).
//!
//! # Priorities, in this order
//! 1. No contact is missed: bounds are rounded outward, triangles are tested exactly.
//! 2. The same input gives the same event log, bit for bit: debug or release, however often the
//!    host advances.
//! 3. Bad input is refused with a typed error that says where it is; the world stays as it was.
//! 4. Speed.
//!
//! # Units and frames
//! | quantity | unit |
//! |---|---|
//! | position | metres (any unit will do, if it is the same everywhere); stored as `f32`, evaluated in `f64`, contacts decided on the exact motion |
//! | time | seconds, `f64` |
//! | axes | right-handed; nothing depends on which one is up |
//! | triangle, span of a patch, vertex | index from 0, in the order they were given |
//!
//! # When not to use it
//! Where the next frame is not known in advance (a simulation that computes every step from the
//! last one), every plan changes at every frame, and refitting boxes is cheaper; [`Engine::Refit`]
//! does that. The same holds where a clip is tested only once per key.
//!
//! # Where to start
//! [`World`] holds bodies ([`BodyDef`]) and their contacts. [`Flightplan`] is the motion of a body;
//! a deformation model of the host implements [`Sampler`], or [`BoundedSampler`] where it can bound
//! itself. [`reduced`] has skins, meshless bodies and their bounds, [`narrow`] the exact tests,
//! [`proxy`] sphere packings, [`limits`] the ranges that are accepted.
//!
//! # Features
//! | feature | adds |
//! |---|---|
//! | `simd` (default) | kernels for the widest instructions of the processor; the results are the same |
//! | `rayon` | threads inside [`World::advance_to`]; the results are the same |
//! | `serde` | serialisable definitions, plans, meshes, logs, results and statistics |
//! | `record` | recordings of worlds: files that run again, and tell where they differ |
//! | `io` | readers: OBJ, PC2, MDD, rigid transforms, glTF, scene files; checks of whole clips |
//! | `report` | pictures, and the report of a check as one HTML file |
//! | `scenes` | seeded scene generators |
//! | `unstable` | the structures below the world (`kinetic`, `interval`, `refit`, `bvh`, `oracle`, ...), for research and benchmarks; they change in any release |

#![cfg_attr(docsrs, feature(doc_cfg))]
// Without the feature `unstable` the structures below the world are private. Parts of them serve
// only tests, benches and research, and would count as unused.
#![cfg_attr(not(feature = "unstable"), allow(dead_code, unused_imports, unreachable_pub, clippy::unused_self))]

/// The code of pages is compiled, and run where it can be, with the documentation's examples.
#[cfg(doctest)]
mod pages {
    macro_rules! page {
        ($name:ident, $file:literal) => {
            #[doc = include_str!($file)]
            struct $name;
        };
    }

    page!(Crate, "../docs/crate.md");
    page!(InAnEngine, "../docs/guide/in-an-engine.md");
    page!(ACharacter, "../docs/guide/a-character.md");
    page!(YourOwnModel, "../docs/guide/your-own-model.md");
    page!(Response, "../docs/guide/response.md");
    #[cfg(feature = "io")]
    page!(Inputs, "../docs/formats/inputs.md");
    #[cfg(feature = "record")]
    page!(AFailingCase, "../docs/guide/a-failing-case.md");
    #[cfg(feature = "record")]
    page!(SavedWorlds, "../docs/formats/world.md");
    #[cfg(feature = "report")]
    page!(Pictures, "../docs/guide/pictures.md");
}

/// Re-exports in public with the feature `unstable`, and inside the crate without it.
macro_rules! unstable_use {
    ($($path:tt)*) => {
        #[cfg(feature = "unstable")]
        pub use $($path)*;
        #[cfg(not(feature = "unstable"))]
        pub(crate) use $($path)*;
    };
}

mod bytes;
mod cancel;
#[cfg(feature = "io")]
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod draw;
mod error;
pub mod geometry;
pub mod incident;
#[cfg(feature = "io")]
pub mod io;
pub mod limits;
pub mod narrow;
pub mod proxy;
pub mod reduced;
#[cfg(feature = "record")]
pub mod replay;
#[cfg(feature = "report")]
pub mod report;
#[cfg(feature = "record")]
mod saved;
#[cfg(feature = "scenes")]
pub mod scenes;
mod sets;
mod simd;
mod sorted;
pub mod stats;
mod threads;

// Structures below the world: public with the feature `unstable` only.
#[cfg(not(feature = "unstable"))]
mod baked;
#[cfg(feature = "unstable")]
pub mod baked;
#[cfg(not(feature = "unstable"))]
mod bvh;
#[cfg(feature = "unstable")]
pub mod bvh;
#[cfg(not(feature = "unstable"))]
mod id;
#[cfg(feature = "unstable")]
pub mod id;
#[cfg(not(feature = "unstable"))]
mod interval;
#[cfg(feature = "unstable")]
pub mod interval;
#[cfg(not(feature = "unstable"))]
mod kinetic;
#[cfg(feature = "unstable")]
pub mod kinetic;
#[cfg(not(feature = "unstable"))]
mod math;
#[cfg(feature = "unstable")]
pub mod math;
#[cfg(not(feature = "unstable"))]
mod mesh;
#[cfg(feature = "unstable")]
pub mod mesh;
#[cfg(not(feature = "unstable"))]
mod motion;
#[cfg(feature = "unstable")]
pub mod motion;
#[cfg(not(feature = "unstable"))]
mod oracle;
#[cfg(feature = "unstable")]
pub mod oracle;
#[cfg(not(feature = "unstable"))]
mod refit;
#[cfg(feature = "unstable")]
pub mod refit;
#[cfg(not(feature = "unstable"))]
mod time;
#[cfg(feature = "unstable")]
pub mod time;
#[cfg(not(feature = "unstable"))]
mod tuning;
#[cfg(feature = "unstable")]
pub mod tuning;
#[cfg(not(feature = "unstable"))]
mod world;
#[cfg(feature = "unstable")]
pub mod world;

pub use baked::{BakeError, BakeFormat, BakedClip};
pub use bvh::{
    AuditReport, BoundedSampler, BuildParams, Builder, Fault, Hierarchy, KeyedBoxes, Node as TopologyNode, Topology,
    Visits, Width, check_bounded_sampler,
};
pub use cancel::Cancel;
pub use error::Error;
pub use id::BodyId;
pub use interval::IntervalError;
pub use kinetic::TreeKind;
pub use kinetic::event::{EventKind, EventLog, LoggedEvent, NamedEvent};
pub use math::Aabb;
pub use mesh::{EditError, Element, Mesh, MeshError, Patch, PatchError, PatchSpan, Patches, Spheres};
pub use motion::{Flightplan, MotionError, Outside, Sampler, Sphere, VertexFlightplan, check_sampler};
pub use stats::{EngineStats, Stats};
pub use time::{Moment, Side, Span};
pub use world::{
    AdvanceError, BodyDef, BodyShape, ContactMode, Engine, Filter, IgnoredContacts, RebuildPolicy, TreeDef, World,
};
pub use world::{BakedContacts, BakedContactsError, BakedInterval, WorldIdentity};
pub use world::{BodyPairChange, BodyView, CutPair, NearestPoint, NodeBox, PairView, Query};
pub use world::{
    Candidate, NarrowPhase, NextEvent, PrimitiveAt, RayHit, TimeEnclosure, WorldDef, WorldError, WorldLimits,
};
pub use world::{ChangeId, Contact, ContactChange, Edit, NewVertex, OngoingContact, Snapshot};
pub use world::{Progress, Trial, TrialContact, TrialError};
