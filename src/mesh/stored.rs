//! Meshes and patches as they are stored: what they are made of, and of an edited mesh what was
//! removed and added. What follows from that is computed and checked when they are read.

use super::edit::{Ledger, LedgerParts};
use super::{EditError, Mesh, MeshError, Patch, PatchError, Patches};

/// A mesh as it is stored.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct StoredMesh {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    /// Data of edits; none before the first edit.
    #[serde(default)]
    edits: Option<LedgerParts>,
}

/// Reason why a stored mesh was refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoredMeshError {
    #[error(transparent)]
    Mesh(#[from] MeshError),
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl From<Mesh> for StoredMesh {
    fn from(mesh: Mesh) -> Self {
        let edits = mesh.ledger.as_deref().map(Ledger::parts);
        Self { vertex_count: mesh.vertex_count, triangles: mesh.triangles, edits }
    }
}

impl TryFrom<StoredMesh> for Mesh {
    type Error = StoredMeshError;

    fn try_from(stored: StoredMesh) -> Result<Self, StoredMeshError> {
        let mut mesh = Self::new(stored.vertex_count, stored.triangles)?;
        if let Some(parts) = stored.edits {
            mesh.ledger = Some(Box::new(Ledger::of_parts(&mesh, parts)?));
        }
        Ok(mesh)
    }
}

/// Patches as they are stored.
#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct StoredPatches {
    vertex_count: usize,
    patches: Vec<Patch>,
}

impl From<Patches> for StoredPatches {
    fn from(patches: Patches) -> Self {
        Self { vertex_count: patches.vertex_count(), patches: patches.patches().to_vec() }
    }
}

impl TryFrom<StoredPatches> for Patches {
    type Error = PatchError;

    fn try_from(stored: StoredPatches) -> Result<Self, PatchError> {
        Self::new(stored.vertex_count, stored.patches)
    }
}

/// The mesh of a body in a world in bytes: also vertices without triangles.
#[cfg(feature = "record")]
pub(crate) mod with_bare {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::mesh::Mesh;

    pub(crate) fn serialize<S: Serializer>(mesh: &Mesh, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = (!mesh.triangles.is_empty()).then_some(mesh);
        (mesh.vertex_count, whole).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Mesh, D::Error> {
        let (vertex_count, whole) = <(usize, Option<Mesh>)>::deserialize(deserializer)?;
        Ok(whole.unwrap_or_else(|| Mesh::bare(vertex_count)))
    }
}
