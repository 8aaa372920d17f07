//! Baked scenes: what a scene does over a stretch of time, worked out once and kept in a file.
//!
//! | part | what |
//! |---|---|
//! | a tree per body | [`BakedClip`](crate::baked::BakedClip): which vertex realises which side of which box, for frames or for any time |
//! | contacts | [`BakedContacts`](crate::world::BakedContacts): from when to when each pair of triangles touches |
//!
//! A file belongs to one scene: to its meshes, its motion, and the rules of what counts as contact.
//! Another scene, and a damaged file, are refused. `docs/formats/baked.md` is the page for users;
//! the layout of the bytes is in `bytes`.
//!
//! ```text
//! Scene ──bake──► BakedScene ──to_bytes──► file ──from_bytes──► BakedScene ──open(scene)──► OpenScene ──contacts_at(t)──► contacts
//! ```

mod bytes;
mod error;
mod make;
mod open;

use std::path::Path;

pub use error::BakedSceneError;
pub use make::{BakeSettings, LeftOut};
pub use open::OpenScene;

use super::error::ReadError;
use super::source::read_first_bytes;
use crate::baked::BakedClip;
use crate::world::{BakedContacts, WorldIdentity};

/// A scene's trees and contacts over a stretch of time. See the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedScene {
    begin: f64,
    end: f64,
    identity: WorldIdentity,
    /// How the trees were built.
    leaf_size: usize,
    /// Per body; `None` where the motion cannot be baked.
    trees: Vec<Option<BakedClip>>,
    contacts: Option<BakedContacts>,
}

impl BakedScene {
    /// First time, seconds.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// Last time, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The trees of the bodies, in the scene's order; `None` where the motion could not be baked.
    pub fn trees(&self) -> &[Option<BakedClip>] {
        &self.trees
    }

    /// The contacts, unless they were left out.
    pub fn contacts(&self) -> Option<&BakedContacts> {
        self.contacts.as_ref()
    }
}

/// Reads a file that [`BakedScene::to_bytes`] made. O(bytes); nothing larger than the file is
/// allocated for it.
///
/// # Errors
/// A file that cannot be read, is no baked scene, of another version, damaged, or contradicts
/// itself.
pub fn read_baked_scene(path: impl AsRef<Path>) -> Result<BakedScene, ReadError> {
    let path = path.as_ref();
    BakedScene::from_bytes(&read_first_bytes(path, u64::MAX)?).map_err(|error| ReadError::new(path, error))
}
