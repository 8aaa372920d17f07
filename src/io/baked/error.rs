//! Why a scene was not baked, or a baked one not read or opened.

use std::fmt;

use crate::baked::BakeError;
use crate::io::SceneWorldError;
use crate::world::BakedContactsError;

/// Why a scene was not baked, or a baked one not read, opened or asked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BakedSceneError {
    /// The scene cannot be run.
    World(SceneWorldError),
    /// Its contacts cannot be recorded, read, or told.
    Contacts(BakedContactsError),
    /// The tree of a body cannot be baked, read, or replayed.
    Tree {
        /// The body's name, or its place in the file where no name is known.
        body: String,
        /// Why.
        error: BakeError,
    },
    /// The bytes are no baked scene.
    NotABakedScene,
    /// The bytes are of another version.
    Version {
        /// The version found.
        found: u16,
        /// The version that is read.
        expected: u16,
    },
    /// The bytes end too early, or go on too long.
    Length {
        /// How many bytes there are.
        found: usize,
    },
    /// The bytes were changed: their checksum is another.
    Checksum,
    /// A value inside contradicts the others.
    Inconsistent {
        /// What.
        what: &'static str,
    },
    /// The scene has another number of bodies.
    BodyCount {
        /// Bodies in the file.
        expected: usize,
        /// Bodies in the scene.
        found: usize,
    },
    /// A body of the scene has another mesh or motion than the one baked.
    OtherBody {
        /// Its name.
        body: String,
    },
    /// Other pairs of bodies or triangles are tested than when the scene was baked, or from another distance.
    OtherRules,
    /// Contacts over time were left out of the file.
    NoContacts,
    /// There is no body at this place.
    NoSuchBody {
        /// The place.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// There is no tree for a body.
    NoTree {
        /// Its name.
        body: String,
    },
}

impl fmt::Display for BakedSceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World(error) => error.fmt(f),
            Self::Contacts(error) => error.fmt(f),
            Self::Tree { body, error } => write!(f, "body '{body}': {error}"),
            Self::NotABakedScene => write!(f, "this is no baked scene; `kinetree bake` makes one"),
            Self::Version { found, expected } => {
                write!(f, "version {found} of baked scenes; {expected} is read: bake the scene again")
            }
            Self::Length { found } => {
                write!(f, "{found} bytes are not all, or more than all, of a baked scene; bake it again")
            }
            Self::Checksum => write!(f, "the baked scene is damaged: its checksum does not fit; bake the scene again"),
            Self::Inconsistent { what } => write!(f, "the baked scene contradicts itself: {what}; bake it again"),
            Self::BodyCount { expected, found } => {
                write!(f, "baked for a scene of {expected} bodies; this one has {found}; bake this one")
            }
            Self::OtherBody { body } => {
                write!(f, "baked for another scene: body '{body}' has another mesh or motion; bake the scene again")
            }
            Self::OtherRules => write!(
                f,
                "baked for another scene: other pairs are tested, or from another distance (excluded pairs, self contact, \
                 neighbours, thickness, contacts left out); give `check` the options that `bake` had, or bake again"
            ),
            Self::NoContacts => write!(f, "contacts over time were left out when the scene was baked"),
            Self::NoSuchBody { body, bodies } => write!(f, "there is no body {body}: there are {bodies} bodies"),
            Self::NoTree { body } => write!(
                f,
                "body '{body}' has no baked tree: its motion could not be baked; ask for contacts over time instead"
            ),
        }
    }
}

impl std::error::Error for BakedSceneError {}

impl From<SceneWorldError> for BakedSceneError {
    fn from(error: SceneWorldError) -> Self {
        Self::World(error)
    }
}

impl From<BakedContactsError> for BakedSceneError {
    fn from(error: BakedContactsError) -> Self {
        Self::Contacts(error)
    }
}
