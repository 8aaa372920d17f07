//! Readers of meshes, point caches, rigid transforms and scene files.
//!
//! Everything here ends in plain data ([`Scene`], [`MeshData`], [`MotionData`]): the core never
//! sees a file. Vertex order is always the file's own, because a point cache addresses vertices by
//! that order; triangles are numbered in the order the file gives its faces, polygons cut into
//! fans. Lengths are metres, times seconds, axes right-handed; no reader scales or swaps axes by
//! itself.
//!
//! A reader checks what it reads where it reads it: a returned value holds finite positions,
//! indices in range and strictly increasing key times. What is wrong is told by [`ReadError`],
//! which names file, line, body, index and value.
//!
//! | file | reader | page |
//! |---|---|---|
//! | scene, TOML | [`read_scene`] | `docs/formats/scene.md` |
//! | any of these, by name | [`read_inputs`] | `docs/formats/inputs.md` |
//! | mesh, OBJ, PLY or STL | [`read_mesh`] | |
//! | mesh, OBJ | [`read_obj`] | `docs/formats/obj.md` |
//! | mesh, PLY | [`read_ply`] | `docs/formats/ply.md` |
//! | mesh, STL | [`read_stl`] | `docs/formats/stl.md` |
//! | one mesh a frame | [`read_mesh_sequence`] | `docs/formats/obj.md` |
//! | PC2 point cache | [`read_pc2`] | `docs/formats/pc2.md` |
//! | MDD point cache | [`read_mdd`] | `docs/formats/mdd.md` |
//! | transforms, JSON | [`read_transforms`] | `docs/formats/transforms.md` |
//! | spheres, JSON or binary | [`read_spheres`] | `docs/formats/spheres.md` |
//! | model, glTF 2.0 | [`gltf::read_gltf`] | `docs/formats/gltf.md` |
//! | baked scene | [`read_baked_scene`] | `docs/formats/baked.md` |
//!
//! ```
//! # fn main() -> Result<(), kinetree::io::ReadError> {
//! let scene = kinetree::io::read_scene("fixtures/cloth_ball/scene.toml")?;
//! assert_eq!(scene.bodies[0].name, "cloth");
//! assert_eq!(scene.bodies[0].mesh.triangles.len(), 12_800);
//! assert_eq!(scene.bodies[0].motion.key_count(), 94);
//! # Ok(())
//! # }
//! ```

mod baked;
mod cache_frames;
mod error;
mod folder;
mod format;
pub mod gltf;
mod inputs;
mod labels;
mod matrix;
mod mdd;
mod moving;
mod obj;
mod part;
mod pc2;
mod planned;
mod ply;
mod point_cache;
mod reduced;
mod remarks;
mod scene;
mod sequence;
mod source;
mod spheres;
mod stl;
mod timing;
mod transforms;
mod world;

pub use baked::{BakeSettings, BakedScene, BakedSceneError, LeftOut, OpenScene, read_baked_scene};
pub use cache_frames::CacheFrames;
pub(crate) use error::excerpt;
pub use error::{FileError, ReadError, ReadErrorKind};
pub use format::{FileFormat, FormatError};
pub use inputs::{Input, InputError, InputOptions, SceneText, read_inputs, read_inputs_with, scene_text};
pub use labels::{MeshFile, read_mesh};
pub use matrix::{MatrixError, MatrixErrorKind, transform_point};
pub use mdd::{parse_mdd, read_mdd};
pub use obj::{ObjError, parse_obj, read_obj};
pub(crate) use part::{Part, ScenePositions, TreeShapes};
pub use pc2::{parse_pc2, read_pc2};
pub use planned::PlannedMotion;
pub use ply::{PlyError, parse_ply, read_ply};
pub use point_cache::{CacheTiming, PointCache, PointCacheError};
pub use reduced::ReducedMotion;
pub use scene::{
    MAX_FRAME_NUMBER, Outside, PlanError, Scene, SceneBody, SceneError, SceneOptions, SceneShape, ShapeError,
    parse_scene, parse_scene_with, read_scene, read_scene_with,
};
pub use sequence::{MeshSequence, SequenceError, read_mesh_sequence, read_obj_sequence};
pub use spheres::{
    Compound, CompoundBall, CompoundCode, JointSphere, MeshMark, SphereFault, SphereFile, SphereFileError, SphereJoint,
    SpherePose, SphereSkin, parse_spheres, read_spheres,
};
pub use stl::{StlError, parse_stl, read_stl};
pub use timing::TimingError;
pub use transforms::{TransformError, TransformTrack, parse_transforms, read_transforms};
pub use world::SceneWorldError;

/// A triangle mesh as its file gives it.
///
/// Positions are in metres and in file order, vertices no face uses included. Triangles hold
/// indices into `positions`, counted from 0, in file order after cutting polygons into fans. A face
/// that names a vertex twice is kept as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// Vertex positions, metres.
    pub positions: Vec<[f32; 3]>,
    /// Three vertex indices a triangle, counted from 0.
    pub triangles: Vec<[u32; 3]>,
}

/// How a body moves, as plain arrays.
///
/// Key times are in seconds, finite and strictly increasing, at least one.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum MotionData {
    /// The mesh stays where its positions are.
    #[default]
    Fixed,
    /// Every vertex has a position at every key.
    Keyframes {
        /// Seconds, one a key.
        times: Vec<f64>,
        /// Metres, key-major: keys × vertices × 3.
        positions: Vec<f32>,
    },
    /// Every vertex has a position at every key, in the frames of a cache that stay in their file.
    Cached {
        /// Seconds, one a frame.
        times: Vec<f64>,
        /// The frames.
        frames: CacheFrames,
    },
    /// The whole mesh is carried by one affine map a key; see [`transform_point`].
    ///
    /// The name tells the usual content. Scale and shear are possible, because a placement may add
    /// them; a map that flattens the body is not.
    Rigid {
        /// Seconds, one a key.
        times: Vec<f64>,
        /// Row-major 4 × 4 for column vectors (the translation is entries 3, 7 and 11), one a key.
        transforms: Vec<[f64; 16]>,
    },
    /// Every vertex is at its mesh position at 0 s and moves on at this velocity, before and after.
    Velocity {
        /// Metres a second, along the scene's axes.
        velocity: [f64; 3],
    },
    /// Vertices follow few parameters; no position is stored.
    Reduced(ReducedMotion),
    /// Velocities, ballistic paths, cubics, polynomials, keys of spheres.
    Planned(PlannedMotion),
}

impl MotionData {
    /// The key times in seconds; empty for a motion without keys.
    pub fn times(&self) -> &[f64] {
        match self {
            Self::Fixed | Self::Velocity { .. } => &[],
            Self::Keyframes { times, .. } | Self::Cached { times, .. } | Self::Rigid { times, .. } => times,
            Self::Reduced(motion) => motion.times(),
            Self::Planned(motion) => motion.times(),
        }
    }

    /// Whether nothing ever moves.
    pub fn is_fixed(&self) -> bool {
        match self {
            Self::Fixed => true,
            Self::Planned(motion) => motion.is_fixed(),
            _ => false,
        }
    }

    /// What a body does that is held where its mesh is: spheres as at their first key.
    pub(crate) fn at_first_key(&self) -> Self {
        let Self::Planned(motion) = self else { return Self::Fixed };
        let spheres = motion.spheres_at_key(0).map(<[_]>::to_vec);
        spheres.map_or(Self::Fixed, |spheres| Self::Planned(PlannedMotion::Spheres { times: Vec::new(), spheres }))
    }

    /// The same motion with the frames of a cache in memory, as [`MotionData::Keyframes`]. O(keys ×
    /// vertices).
    ///
    /// # Errors
    /// A cache that cannot be read, or has changed since the scene was read.
    pub fn in_memory(&self) -> Result<Self, ReadError> {
        let Self::Cached { times, frames } = self else { return Ok(self.clone()) };
        Ok(Self::Keyframes { times: times.clone(), positions: frames.read(0..frames.frame_count())? })
    }

    /// How many keys the motion has; 0 for a motion without keys.
    pub fn key_count(&self) -> usize {
        self.times().len()
    }
}
