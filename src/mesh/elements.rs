//! Points and segments among the triangles of a mesh.
//!
//! A triangle that names one vertex three times is a point; one that names two vertices is a
//! segment. The exact tests handle such degenerate triangles as points and segments. Point clouds,
//! strands and wireframes are therefore meshes, and one mesh may mix kinds. Everything numbered by
//! triangle (contacts, boxes, ignored pairs) numbers points and segments too.
//!
//! A radius is half a thickness ([`crate::world::BodyDef::radius`]): points are balls and segments
//! capsules of that radius.

use super::{Mesh, MeshError};

/// The kind of a triangle by its vertex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Element {
    /// One vertex.
    Point(u32),
    /// Two vertices.
    Segment([u32; 2]),
    /// Three vertices.
    Triangle([u32; 3]),
}

impl Element {
    /// Returns the element with these corners.
    pub fn of([p, q, r]: [u32; 3]) -> Self {
        match (p == q, q == r, r == p) {
            (true, true, _) => Self::Point(p),
            (false, false, false) => Self::Triangle([p, q, r]),
            (true, false, _) => Self::Segment([p, r]),
            _ => Self::Segment([p, q]),
        }
    }
}

impl Mesh {
    /// Creates a cloud: each of `count` vertices is a point of the same number.
    ///
    /// In a cloud tested against itself all pairs of points are tested: points that rest at one
    /// place are not welded.
    ///
    /// # Errors
    /// [`MeshError::NoPoints`], [`MeshError::TooLarge`].
    ///
    /// ```
    /// use kinetree::{Element, Mesh};
    ///
    /// let cloud = Mesh::points(2)?;
    /// assert_eq!(cloud.element(1)?, Element::Point(1));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn points(count: usize) -> Result<Self, MeshError> {
        Self::check_sizes(&[("points", count)])?;
        let points = (0..count as u32).map(|vertex| [vertex; 3]).collect();
        Self::new(count, points).map_err(|_| MeshError::NoPoints)
    }

    /// Creates segments between two vertices each, numbered as given. Segments with a common end,
    /// or with ends welded at their rest positions, are neighbours. Both ends may be one vertex.
    ///
    /// # Errors
    /// [`MeshError::NoSegments`], [`MeshError::SegmentOutOfRange`], [`MeshError::TooLarge`].
    ///
    /// ```
    /// use kinetree::{Element, Mesh};
    ///
    /// let rope = Mesh::segments(3, &[[0, 1], [1, 2]])?;
    /// assert_eq!(rope.element(1)?, Element::Segment([1, 2]));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn segments(vertex_count: usize, segments: &[[u32; 2]]) -> Result<Self, MeshError> {
        Self::check_sizes(&[("vertices", vertex_count), ("segments", segments.len())])?;
        for (segment, ends) in segments.iter().enumerate() {
            if let Some(&index) = ends.iter().find(|&&end| end as usize >= vertex_count) {
                return Err(MeshError::SegmentOutOfRange { segment, index, vertices: vertex_count });
            }
        }
        Self::new(vertex_count, segments.iter().map(|&[u, v]| [u, v, v]).collect()).map_err(|_| MeshError::NoSegments)
    }

    /// Returns the element of a triangle number.
    ///
    /// # Errors
    /// [`MeshError::NoSuchTriangle`].
    pub fn element(&self, triangle: u32) -> Result<Element, MeshError> {
        let triangles = self.triangles();
        let found = triangles.get(triangle as usize).copied();
        found.map(Element::of).ok_or(MeshError::NoSuchTriangle { triangle, triangles: triangles.len() })
    }

    /// Whether all elements are points. Stops at the first other element.
    pub fn is_cloud(&self) -> bool {
        let mut all = self.present().peekable();
        all.peek().is_some() && all.all(|triangle| matches!(self.element(triangle), Ok(Element::Point(_))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_by_their_corners() {
        assert_eq!(Element::of([4, 4, 4]), Element::Point(4));
        assert_eq!(Element::of([4, 5, 5]), Element::Segment([4, 5]));
        assert_eq!(Element::of([4, 4, 5]), Element::Segment([4, 5]));
        assert_eq!(Element::of([4, 5, 4]), Element::Segment([4, 5]));
        assert_eq!(Element::of([4, 5, 6]), Element::Triangle([4, 5, 6]));
    }

    #[test]
    fn refusals_speak_of_points_and_segments() {
        assert_eq!(Mesh::points(0).unwrap_err(), MeshError::NoPoints);
        assert_eq!(Mesh::segments(2, &[]).unwrap_err(), MeshError::NoSegments);
        let error = Mesh::segments(2, &[[0, 1], [1, 2]]).unwrap_err();
        assert_eq!(error.to_string(), "segment 1 names vertex 2, but there are 2 vertices");
        let error = Mesh::points(usize::MAX).unwrap_err();
        assert!(matches!(error, MeshError::TooLarge { what: "points", .. }), "{error}");
    }

    #[test]
    fn points_and_segments_have_no_sides() {
        let mesh = Mesh::new(4, vec![[0, 1, 2], [2, 1, 1], [3, 3, 3], [1, 3, 3], [2, 1, 3]]).unwrap();
        assert_eq!(mesh.boundary_edges(), 4);
    }

    #[test]
    fn clouds_are_not_welded() {
        let rest = [[1.0, 2.0, 3.0]; 3];
        assert_eq!(Mesh::points(3).unwrap().weld(&rest).unwrap().welded_count(), 3);
        assert_eq!(Mesh::segments(3, &[[0, 1]]).unwrap().weld(&rest).unwrap().welded_count(), 1);
    }
}
