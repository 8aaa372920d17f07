//! Collision detection between bodies whose motion is known: prescribed motion in, contacts out.
//!
//! Keyframed cloth, rigid keyframes and velocity fields are given as *flightplans*. From them kinetic structures know when
//! their own boxes change and when two boxes meet or part. In between only triangles in boxes that overlap are tested, and with
//! continuous contacts nothing is ([`World::next_event`]).
//!
//! ```
//! use kinetree::mesh::Mesh;
//! use kinetree::motion::Flightplan;
//! use kinetree::world::{BodyDef, World, WorldDef};
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
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Bodies are made of triangles, segments and points ([`mesh::Mesh`]), or of Bézier and NURBS patches ([`mesh::Patches`]), whose
//! contacts the host decides among the candidates it is shown ([`world::NarrowPhase`]).
//!
//! # Priorities, in this order
//! 1. No contact is missed: bounds are rounded outward, triangles are tested exactly.
//! 2. The same input gives the same event log, bit for bit: debug or release, however often the host advances.
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
//! Where the next frame is not known before it comes (a simulation that decides every step anew), every plan changes at every
//! frame, and refitting boxes is cheaper; [`world::Engine::Refit`] does that. Likewise where a clip is looked at only once
//! per key.
//!
//! Start at [`World`]. The structures below it ([`kinetic`], [`interval`], [`refit`], [`bvh`]) can be used by themselves.

pub mod baked;
pub mod bvh;
mod bytes;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod id;
pub mod interval;
#[cfg(feature = "io")]
pub mod io;
pub mod kinetic;
pub mod limits;
pub mod math;
pub mod mesh;
pub mod motion;
pub mod narrow;
pub mod oracle;
pub mod proxy;
pub mod reduced;
pub mod refit;
#[cfg(feature = "scenes")]
pub mod scenes;
mod simd;
pub mod stats;
mod threads;
pub mod time;
pub mod world;

pub use id::BodyId;
pub use world::World;
