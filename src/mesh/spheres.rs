//! Spheres: bodies whose primitives are balls that move and change their radius.
//!
//! Code that reads only vertices sees a sphere as a segment from the lower to the upper corner of
//! its box. Sphere `i` is segment `i` over vertices `2 i` and `2 i + 1`; the box of that segment is
//! the box of the sphere. Centres and radii come from the flightplan,
//! [`crate::motion::Flightplan::spheres`].

use super::{Mesh, MeshError};

/// A set of spheres, as the primitives of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "usize", into = "usize"))]
pub struct Spheres {
    count: usize,
}

impl Spheres {
    /// Creates `count` spheres, numbered from 0.
    ///
    /// # Errors
    /// [`MeshError::NoSpheres`], [`MeshError::TooLarge`].
    ///
    /// ```
    /// use kinetree::Spheres;
    ///
    /// assert_eq!(Spheres::new(3)?.count(), 3);
    /// assert_eq!(Spheres::new(0).unwrap_err().to_string(), "there are no spheres");
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(count: usize) -> Result<Self, MeshError> {
        if count == 0 {
            return Err(MeshError::NoSpheres);
        }
        // Each has two vertices.
        Mesh::check_sizes(&[("spheres", count), ("corners of spheres", count.saturating_mul(2))])?;
        Ok(Self { count })
    }

    /// The number of spheres.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The mesh of the diagonals of their boxes.
    pub(crate) fn diagonals(self) -> Mesh {
        let corners = (0..self.count as u32).map(|sphere| [2 * sphere, 2 * sphere + 1, 2 * sphere + 1]);
        Mesh { vertex_count: 2 * self.count, triangles: corners.collect(), ledger: None }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<usize> for Spheres {
    type Error = MeshError;

    fn try_from(count: usize) -> Result<Self, MeshError> {
        Self::new(count)
    }
}

#[cfg(feature = "serde")]
impl From<Spheres> for usize {
    fn from(spheres: Spheres) -> Self {
        spheres.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Element;

    #[test]
    fn spheres_are_segments_to_trees() {
        let mesh = Spheres::new(3).unwrap().diagonals();
        assert_eq!((mesh.vertex_count(), mesh.triangle_count()), (6, 3));
        assert_eq!(mesh.element(2), Ok(Element::Segment([4, 5])));
    }

    #[test]
    fn counts_are_checked() {
        assert_eq!(Spheres::new(0).unwrap_err(), MeshError::NoSpheres);
        assert!(matches!(Spheres::new(usize::MAX), Err(MeshError::TooLarge { what: "spheres", .. })));
        let most = crate::limits::MAX_INDEX / 4;
        assert!(Spheres::new(most).is_ok());
        assert!(matches!(Spheres::new(2 * most + 2), Err(MeshError::TooLarge { .. })));
    }
}
