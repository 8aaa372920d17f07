//! Whether occluders hide a body in a pose.

use super::PosedBounds;
use crate::math::Aabb;
use crate::reduced::bounds::budget::Budget;
use crate::reduced::bounds::occlusion::{DepthPyramid, Images};

impl PosedBounds<'_> {
    /// Whether a picture's occluders hide the body: `true` only if no point of its triangles
    /// appears in the picture. Each point is behind the depth of its pixel, beside the picture, or
    /// behind the camera. Of a body without triangles `true`.
    ///
    /// Boxes decide first, from that of the whole body to those of leaves, then triangles by the
    /// rectangles around their images. So `false` does not prove that a point is visible: the
    /// search ends at the first triangle that is not found hidden, or with the budget. A step is a
    /// node that is opened, or the triangles of a leaf. A body that is hidden by its first box
    /// costs O(influences); one with nothing in front O(log triangles) boxes and the vertices of a
    /// leaf.
    ///
    /// ```
    /// # use kinetree::reduced::{Blend, Influences, Pose, ReducedDef, ReducedMesh, WeightPolicy};
    /// # use kinetree::Mesh;
    /// # let rest = vec![[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 1.0, 5.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = ReducedMesh::new(def)?;
    /// use kinetree::reduced::bounds::{
    ///     BoundParams, BoundTree, Budget, Camera, DepthPyramid, Level, PosedBounds, Rectangle, View,
    /// };
    ///
    /// // At the origin, looking along z; the screen shows 45° to either side.
    /// let camera = Camera { x: [1.0, 0.0, 0.0, 0.0], y: [0.0, 1.0, 0.0, 0.0], w: [0.0, 0.0, 1.0, 0.0] };
    /// let view = View::new(camera, Rectangle { min: [-1.0; 2], max: [1.0; 2] });
    /// let wall = [[-2.0, -2.0, 2.0], [2.0, -2.0, 2.0], [2.0, 2.0, 2.0], [-2.0, 2.0, 2.0]];
    /// let mut pyramid = DepthPyramid::new(view, [64, 64])?;
    /// pyramid.set_occluders(view, &wall, &[[0, 1, 2], [0, 2, 3]])?;
    ///
    /// let tree = BoundTree::new(&mesh, BoundParams::default());
    /// let mut body = PosedBounds::new(&tree, &mesh, Level::Corner, &Pose::rest(1, 0))?; // At a distance of 5 m.
    /// assert!(body.is_hidden(&pyramid, Budget::UNLIMITED));
    /// pyramid.set_depths(view, &[6.0; 64 * 64])?; // A wall farther away.
    /// assert!(!body.is_hidden(&pyramid, Budget::UNLIMITED));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn is_hidden(&mut self, pyramid: &DepthPyramid, budget: Budget) -> bool {
        self.begin();
        let root = if self.layout.triangles.is_empty() { None } else { Some((0, 0.0)) };
        let mut stack: Vec<(u32, f64)> = root.into_iter().collect();
        let mut below: Vec<(u32, f64)> = Vec::new();
        let mut steps = 0;
        // Places that are not found hidden, but for the root; the nearest last.
        while let Some((place, _)) = stack.pop() {
            if budget.is_spent(steps) {
                return false;
            }
            steps += 1;
            // The vertices of a block make its boxes smaller.
            if (self.need(place) || place == 0) && self.uncovered(place, pyramid).is_none() {
                continue;
            }
            let link = self.link(place);
            if link.is_leaf() {
                let view = pyramid.view();
                for place in self.leaf_places(link.leaf) {
                    if shown(&Images::of(view, &self.corners(place)), pyramid).is_some() {
                        return false;
                    }
                }
                continue;
            }
            self.open(place);
            below.clear();
            below.extend(link.below().filter_map(|child| Some((child, self.uncovered(child, pyramid)?))));
            below.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
            stack.append(&mut below);
        }
        true
    }

    /// The nearest depth of a place's box; `None` if the box is hidden.
    fn uncovered(&mut self, place: u32, pyramid: &DepthPyramid) -> Option<f64> {
        let Aabb { min, max } = self.aabb(place);
        let corner =
            |corner: usize| std::array::from_fn(|axis| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] });
        let corners: [[f64; 3]; 8] = std::array::from_fn(corner);
        shown(&Images::of(pyramid.view(), &corners), pyramid)
    }
}

/// The nearest depth of points; `None` if they are hidden.
fn shown(images: &Images, pyramid: &DepthPyramid) -> Option<f64> {
    match images {
        Images::Behind => None,
        Images::Unknown => Some(f64::NEG_INFINITY),
        Images::Before(rectangle, nearest) => (!pyramid.hides(rectangle, *nearest)).then_some(*nearest),
    }
}
