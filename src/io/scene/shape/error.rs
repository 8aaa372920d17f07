//! What can be wrong with primitives that a scene states.

use std::path::PathBuf;

use super::super::super::spheres::SphereFault;
use crate::mesh::{MeshError, PatchError};

/// What is wrong with primitives that a scene states. Everything is counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Two keys that state what the body is made of.
    #[error("the body has both `{first}` and `{second}`; keep one of them")]
    Twice {
        /// A key.
        first: &'static str,
        /// The other key.
        second: &'static str,
    },
    /// `positions` without a list that names them.
    #[error(
        "`positions` means nothing here: add `segments`, `triangles` or `patches` that name them, or call them `points`"
    )]
    NeedlessPositions,
    /// A list of primitives without positions.
    #[error("`{key}` names vertices by number; add their `positions`, or name a JSON file that has both")]
    NoPositions {
        /// The key.
        key: &'static str,
    },
    /// Not JSON, or JSON of another form.
    #[error(
        "this is not a JSON file of primitives: {message}; it must look like {{\"positions\": [[x, y, z], …], \
         \"segments\": [[0, 1], …]}}"
    )]
    Json {
        /// What the JSON reader says.
        message: String,
    },
    /// A file without the list that is wanted.
    #[error("the file has no `{key}`")]
    Lacking {
        /// The list.
        key: &'static str,
    },
    /// Primitives that no body can have.
    #[error("`{key}`: {error}")]
    Mesh {
        /// The key.
        key: &'static str,
        /// Why.
        #[source]
        error: MeshError,
    },
    /// Patches that no body can have.
    #[error("`patches`: {0}")]
    Patches(#[source] PatchError),
    /// A patch with knots and no counts, or counts and no knots.
    #[error("`patches`: patch {patch} needs both `counts` and `knots`, or neither for a Bézier patch")]
    KnotsAlone {
        /// The patch.
        patch: usize,
    },
    /// A number that no sphere can have.
    #[error("`spheres`: sphere {sphere}: {fault}")]
    Sphere {
        /// The sphere.
        sphere: usize,
        /// The number.
        #[source]
        fault: SphereFault,
    },
    /// A mesh beside spheres that are stated as numbers.
    #[error(
        "a `mesh` beside `spheres` is compared with the one they were packed for, and numbers name none: remove `mesh`"
    )]
    MeshOfNumbers,
    /// Spheres that were packed for another mesh.
    #[error(
        "the spheres of {} were packed for another mesh: {} of {} vertices and {} triangles, and this one has {} and {}{}; \
         pack this mesh again",
        .spheres.display(), .packed, .counts[0], .counts[1], .found[0], .found[1],
        if .counts == .found { ", but elsewhere" } else { "" }
    )]
    OtherMesh {
        /// The file of spheres.
        spheres: PathBuf,
        /// The name of the mesh that was packed.
        packed: String,
        /// Its vertices and triangles.
        counts: [usize; 2],
        /// Vertices and triangles of the mesh beside the spheres.
        found: [usize; 2],
    },
    /// A cache, sequence or velocity for spheres.
    #[error("`{key}` cannot move spheres, as they move from key to key: use `plan`, or a motion of transforms (.json)")]
    SpheresMotion {
        /// The key.
        key: &'static str,
    },
    /// A placement or transform under which spheres are no spheres.
    #[error("{} makes spheres longer along one axis than along another; scale them by one factor", at_key(*.key))]
    SpheresStretched {
        /// The key of the motion; `None` for the placement.
        key: Option<usize>,
    },
    /// A sequence of meshes for primitives that are stated.
    #[error("a sequence of meshes moves bodies of `mesh` only; use a cache, transforms (.json) or `plan`")]
    Sequence,
}

fn at_key(key: Option<usize>) -> String {
    key.map_or_else(|| "the placement".into(), |key| format!("the transform of key {key} (counted from 0)"))
}
