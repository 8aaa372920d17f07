//! Collision proxies of example-based bodies: a closed mesh packed with spheres that move and
//! change radius with the body's poses.
//!
//! | step | type or function |
//! |---|---|
//! | check or repair the mesh to be closed | [`Solid`] |
//! | or wrap what cannot be repaired | [`Wrap`] |
//! | measure how far that moved the surface | [`Displacement`] |
//! | compute its signed distances on a grid, or take them from a file | [`DistanceField`] |
//! | pack spheres into it, deepest first | [`PackingDef::pack`] |
//! | map them into example poses, by a [`Cage`] or the surface | [`Proxy::new`], [`PoseMap`] |
//! | or choose among them for all limbs of a skin, and bind them to its joints | [`order_by_joints`], [`joints_of_spheres`] |
//! | or choose spheres and joints over all poses of a clip | [`choose_over_poses`] |
//! | fill gaps that open in a pose | [`Proxy::fill_gaps`] |
//! | blend poses over time, raise dents | [`PoseTrack`], [`Proxy::keys`] |
//! | move and rotate the body | [`RigidTrack::compose`] |
//! | report errors and gaps | [`QualityReport`], [`Fit`], [`plot()`] |
//!
//! The result is plain data: [`SphereClip`], spheres at key times, linear in between.
//!
//! ```
//! use kinetree::Mesh;
//! use kinetree::proxy::{DistanceField, Faults, PackingDef, PoseMap, PoseTrack, Proxy, Resolution, RigidTrack, Solid};
//!
//! // A block of 2 x 1 x 1 m, and the same squeezed to 1 m.
//! let corner = |i: u32, x: f64| [f64::from(i & 1) * x, f64::from(i >> 1 & 1), f64::from(i >> 2)];
//! let block = |x: f64| (0..8).map(|i| corner(i, x)).collect::<Vec<_>>();
//! let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
//! let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
//! let mesh = Mesh::new(8, triangles)?;
//! let (rest, _) = Solid::new(&mesh, &block(2.0), Faults::Refuse)?;
//! let squeezed = rest.example(1, &mesh, &block(1.0))?;
//!
//! let def = PackingDef { r_min: 0.1, r_max: 0.5, max_count: 100 };
//! let packing = def.pack(&DistanceField::new(&rest, Resolution::CellSize(0.05))?)?;
//! let proxy = Proxy::new(&rest, &packing, def, &[squeezed], PoseMap::Surface)?;
//!
//! // Squeezed half way within 0.2 s from t = 1 s on, while turning about z.
//! let mut track = PoseTrack::rest(1, 2)?;
//! track.raise(1.0, 0.2, 1, &[0.5])?;
//! let (sin, cos) = (0.6, 0.8);
//! let turns = vec![[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, sin, cos]];
//! let motion = RigidTrack::new(vec![0.0, 2.0], vec![[0.0; 3], [4.0, 0.0, 0.0]], turns)?;
//! let keys = motion.compose(&proxy.keys(&track)?, 1e-3)?;
//! assert_eq!(keys.sphere_count(), packing.spheres().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Metres and seconds; positions `[f64; 3]`. Deterministic: ties are broken by number, and no
//! result depends on threads, hashes or a platform's trigonometry.
//!
//! Follows *A new collision proxy for example-based deformable bodies*, §3 (theory §10).

mod cage;
mod carried;
mod choice;
mod clip;
mod closest;
mod error;
mod field;
mod fill;
mod fit;
mod handles;
mod holes;
mod joints;
mod moved;
mod packing;
mod plot;
mod pose;
mod quality;
mod repair;
mod rigid;
mod sites;
mod solid;
mod sparse;
mod stored;
mod surface;
mod track;
mod wrap;

pub use cage::Cage;
pub use choice::{JointChoice, choose_over_poses};
pub use clip::{SphereClip, blend_vertices};
pub use error::ProxyError;
pub use field::{DistanceField, Grid, Resolution};
pub use fill::{GapDef, GapsFilled};
pub use fit::{Fit, spheres_within, surface_samples};
pub use handles::{Affine, HandleWeights};
pub use joints::{joints_of_spheres, order_by_joints};
pub use moved::Displacement;
pub use packing::{Packing, PackingDef, PackingEnd, PackingFault};
pub use plot::{Plotted, plot};
pub use pose::{PoseMap, Proxy};
pub use quality::{Coverage, QualityReport, signed_distances};
pub use repair::Repair;
pub use rigid::RigidTrack;
pub use solid::{Faults, Solid};
pub use track::PoseTrack;
pub use wrap::Wrap;
