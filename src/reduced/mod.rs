//! Reduced bodies: meshes whose many vertices follow few parameters, and the motion of those
//! parameters.
//!
//! | model | influences | blend | morphs |
//! |---|---|---|---|
//! | linear blend skinning | joint × inverse bind | [`Blend::Linear`] | optional, before skinning |
//! | spherical blend skinning | joint × inverse bind, rigid | [`Blend::Spherical`] | optional, before skinning |
//! | morph targets, modes (principal components) | one, placing the body | [`Blend::Linear`] | yes |
//! | meshless bodies | simulation nodes | [`Blend::Linear`] | |
//! | affine combinations | any | [`Blend::Combination`] | optional |
//! | radial basis functions ([`RadialBasis`]) | displaced nodes | [`Blend::Combination`] | |
//! | embedding in tetrahedra | nodes, as constant maps | [`Blend::Combination`] | |
//!
//! All of them are one type, [`ReducedMesh`], evaluated for any subset of vertices in any [`Pose`].
//! A [`Driver`] gives the motion of the pose, its breaks, and its derivative bounds in between.

pub mod affine;
mod body;
pub mod bounds;
mod check_driver;
mod driver;
mod driver_fault;
mod error;
mod flightplan;
mod influences;
mod joint_derivatives;
mod joint_poses;
mod joint_tracks;
mod key_cache;
mod keyframes;
mod mesh;
mod meshless;
mod mix;
mod morph;
mod pair_lanes;
mod pieces;
mod placed;
mod pose;
mod pose_keys;
mod pose_times;
mod radial;
mod rig;
mod sequence;
mod set_bounds;
mod set_derivatives;
mod set_pose;
mod shared;
mod shortest;
pub mod sphere_tree;
mod spherical;
mod stream;
mod tetrahedra;
mod track;
mod turning;

pub use affine::Affine;
pub use body::ReducedBody;
pub use check_driver::check_driver;
pub use driver::{Break, DerivativeBounds, Driver, MapDerivativeBounds, PoseDerivativeBounds, SimilarityBounds};
pub use driver_fault::DriverFault;
pub use error::ReducedError;
pub use influences::{Influences, Repair, WeightPolicy};
pub use joint_tracks::{Binding, JointTracks};
pub use mesh::{Blend, ReducedDef, ReducedMesh};
pub use meshless::Meshless;
pub use mix::{Layer, Mix};
pub use morph::MorphTarget;
pub use pieces::Pieces;
pub use pose::Pose;
pub use pose_keys::PoseKeys;
pub use pose_times::PoseTimes;
pub use radial::{RadialBasis, RadialKernel};
pub use rig::{Channel, Clip, Node, NodeTransform, Property, Rig};
pub use sequence::Sequence;
pub use spherical::{JointSets, SphericalFrame, SphericalJoint};
pub use stream::PoseStream;
pub use tetrahedra::Tetrahedra;
pub use track::{Interpolation, Track};
