//! Why a scene was not baked, or a baked one not read or opened.

use crate::baked::BakeError;
use crate::io::SceneWorldError;
use crate::world::BakedContactsError;

/// Why a scene was not baked, or a baked one not read, opened or asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakedSceneError {
    /// The scene cannot be run.
    #[error(transparent)]
    World(#[from] SceneWorldError),
    /// Its contacts cannot be recorded, read, or told.
    #[error(transparent)]
    Contacts(#[from] BakedContactsError),
    /// The tree of a body cannot be baked, read, or replayed.
    #[error("body '{body}': {error}")]
    Tree {
        /// The body's name, or its place in the file where no name is known.
        body: String,
        /// Why.
        #[source]
        error: BakeError,
    },
    /// The bytes are no baked scene.
    #[error("this is not a baked scene; `kinetree bake` makes one")]
    NotABakedScene,
    /// The bytes are of another version.
    #[error("the baked scene has version {found}; only version {expected} can be read: bake the scene again")]
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The bytes end too early, or go on too long.
    #[error("{found} bytes are too few or too many for a baked scene; bake it again")]
    Length {
        /// How many bytes there are.
        found: usize,
    },
    /// The bytes were changed: their checksum is another.
    #[error("the baked scene is damaged: its checksum does not match; bake the scene again")]
    Checksum,
    /// A value inside contradicts the others.
    #[error("the baked scene is inconsistent: {what}; bake it again")]
    Inconsistent {
        /// What.
        what: &'static str,
    },
    /// The scene has another number of bodies.
    #[error("baked for a scene of {expected} bodies; this one has {found}; bake this one")]
    BodyCount {
        /// Bodies in the file.
        expected: usize,
        /// Bodies in the scene.
        found: usize,
    },
    /// A body of the scene has another mesh or motion than the one baked.
    #[error("baked for another scene: body '{body}' has another mesh or motion; bake the scene again")]
    OtherBody {
        /// Its name.
        body: String,
    },
    /// Other pairs of bodies or triangles are tested than when the scene was baked, or from another
    /// distance.
    #[error(
        "baked for another scene: other pairs are tested, or from another distance (excluded pairs, self contact, \
         neighbours, thickness, contacts left out); give `check` the options that `bake` had, or bake again"
    )]
    OtherRules,
    /// Contacts over time were left out of the file.
    #[error("contacts over time were left out when the scene was baked")]
    NoContacts,
    /// There is no body at this place.
    #[error("there is no body {body}: there are {bodies} bodies")]
    NoSuchBody {
        /// The place.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// There is no tree for a body.
    #[error("body '{body}' has no baked tree: its motion could not be baked; ask for contacts over time instead")]
    NoTree {
        /// Its name.
        body: String,
    },
}
