//! One error for a host that uses several parts of the library.

use crate::baked::BakeError;
#[cfg(feature = "io")]
use crate::check::CheckError;
use crate::geometry::GeometryError;
use crate::incident::{IncidentError, ThresholdError};
#[cfg(feature = "io")]
use crate::io::{BakedSceneError, ReadError, SceneWorldError};
use crate::mesh::{EditError, MeshError, PatchError};
use crate::motion::MotionError;
use crate::proxy::ProxyError;
use crate::reduced::ReducedError;
#[cfg(feature = "record")]
use crate::replay::{RecordError, RecordingError};
use crate::world::{AdvanceError, BakedContactsError, TrialError, WorldError};
#[cfg(feature = "record")]
use crate::world::{LoadError, SaveError};

/// Any error of this crate: what `?` converts every error into.
///
/// The message is that of the error inside, complete with body, index and value;
/// [`source`](std::error::Error::source) returns the cause of that error, where there is one.
///
/// ```
/// use kinetree::{BodyDef, Error, Flightplan, Mesh, World, WorldDef};
///
/// fn contacts() -> Result<usize, Error> {
///     let mesh = Mesh::new(3, vec![[0, 1, 2]])?; // MeshError
///     let mut world = World::new(WorldDef::default())?; // WorldError
///     world.add_body(BodyDef::new(mesh, Flightplan::fixed(vec![[0.0; 3]; 2])).named("floor"))?;
///     world.advance_to(1.0)?; // AdvanceError
///     Ok(world.contacts().len())
/// }
/// let refused = contacts().unwrap_err();
/// assert_eq!(refused.to_string(), "body 'floor': 2 positions were given where keys × vertices is 3");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
#[non_exhaustive]
pub enum Error {
    /// A change of a world, or a query, was refused.
    World(#[from] WorldError),
    /// The clock was not advanced.
    Advance(#[from] AdvanceError),
    /// A trial step was refused.
    Trial(#[from] TrialError),
    /// A mesh was refused.
    Mesh(#[from] MeshError),
    /// Patches were refused.
    Patch(#[from] PatchError),
    /// An edit of a mesh was refused.
    Edit(#[from] EditError),
    /// A flightplan was refused.
    Motion(#[from] MotionError),
    /// A reduced body or its motion was refused.
    Reduced(#[from] ReducedError),
    /// A tree was not baked, or a baked one not read.
    Bake(#[from] BakeError),
    /// Contacts were not baked, or baked ones not read.
    BakedContacts(#[from] BakedContactsError),
    /// A query of the geometry of contacts was refused.
    Geometry(#[from] GeometryError),
    /// Contacts were not grouped to incidents.
    Incident(#[from] IncidentError),
    /// Thresholds on incidents were not understood.
    Threshold(#[from] ThresholdError),
    /// A proxy was not made.
    Proxy(#[from] ProxyError),
    /// A call was not recorded, or the world refused it.
    #[cfg(feature = "record")]
    Record(#[from] RecordError),
    /// A recording was not read.
    #[cfg(feature = "record")]
    Recording(#[from] RecordingError),
    /// A world was not written to bytes.
    #[cfg(feature = "record")]
    Save(#[from] SaveError),
    /// A world was not read from bytes.
    #[cfg(feature = "record")]
    Load(#[from] LoadError),
    /// A file was refused.
    #[cfg(feature = "io")]
    Read(#[from] ReadError),
    /// A scene that was read cannot be run.
    #[cfg(feature = "io")]
    SceneWorld(#[from] SceneWorldError),
    /// A scene was not baked, or a baked one not read.
    #[cfg(feature = "io")]
    BakedScene(#[from] BakedSceneError),
    /// A check of a scene was refused.
    #[cfg(feature = "io")]
    Check(#[from] CheckError),
}
