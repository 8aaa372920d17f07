//! Bodies of spheres.

use super::{Body, World, WorldError};
use crate::id::BodyId;
use crate::motion::{Motion, MotionError, Sphere};

/// Bodies of spheres have plans of spheres, and no others do.
pub(super) fn check_kind(name: &str, motion: &Motion, body_of_spheres: bool) -> Result<(), WorldError> {
    if motion.spheres().is_some() == body_of_spheres {
        return Ok(());
    }
    Err(WorldError::Motion { body: name.to_owned(), error: MotionError::WrongKind { body_of_spheres } })
}

impl Body {
    /// Is it made of spheres?
    pub(super) fn is_of_spheres(&self) -> bool {
        self.motion.spheres().is_some()
    }
}

impl World {
    /// The spheres of a body now, each number rounded to `f64`; `None` if it is not made of spheres. O(spheres).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    pub fn spheres(&self, body: BodyId) -> Result<Option<Vec<Sphere>>, WorldError> {
        let Some(keys) = self.body(body)?.motion.spheres() else { return Ok(None) };
        let place = keys.place(self.now);
        let at = |sphere: u32| keys.piece(sphere, place).at(self.now.time());
        Ok(Some((0..keys.count() as u32).map(at).collect()))
    }
}
