//! Operations on a body whose boxes are made on demand.

use crate::bvh::KeyedBoxes;
use crate::kinetic::KineticTree;
use crate::refit::RefitTree;
use crate::time::Moment;
use crate::world::body::{Body, Index};
use crate::world::tree::discrete::Discrete;
use crate::world::tree::mode::Rate;
use crate::world::tree::on_demand::{OnDemandTree, rounded_positions};

impl Body {
    /// Whether the boxes of the body are made on demand.
    pub(crate) fn is_on_demand(&self) -> bool {
        matches!(self.index, Index::OnDemand(_))
    }

    /// Whether the boxes of the body are those of its sampler.
    #[cfg(feature = "record")]
    pub(crate) fn has_keyed_boxes(&self) -> bool {
        self.is_on_demand() || matches!(self.index, Index::Kinetic(KineticTree::Bounded(_)))
    }

    /// An on-demand body may be elsewhere than in the last step.
    pub(crate) fn forget_refitted(&mut self) {
        if let Index::OnDemand(on_demand) = &mut self.index {
            on_demand.forget_place();
        }
    }

    /// Notes leaves that are near something: they tell how much of an on-demand body is.
    pub(crate) fn note_near(&mut self, leaves: impl Iterator<Item = u32>) {
        if let Index::OnDemand(on_demand) = &mut self.index {
            leaves.for_each(|leaf| on_demand.note(leaf));
        }
    }

    /// Notes leaves by their places in the order of the tree; all leaves of a body that meets
    /// itself.
    pub(crate) fn note_near_places(&mut self, places: impl Iterator<Item = usize>, is_self: bool) {
        if let Index::OnDemand(on_demand) = &mut self.index {
            if is_self {
                on_demand.note_all(self.shape.mesh.triangle_count());
            } else {
                on_demand.note_places(places);
            }
        }
    }

    /// Writes the positions of vertices at the clock's time, rounded; returns a margin, as
    /// [`Motion::rounded_positions`](crate::motion::Motion::rounded_positions).
    pub(crate) fn rounded_positions(&self, now: Moment, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
        if let Index::OnDemand(on_demand) = &self.index
            && let Some(at) = on_demand.at(&self.motion, now)
            && let Some(margin) = at.rounded_positions(vertices, out)
        {
            return margin;
        }
        if let Index::Kinetic(KineticTree::Bounded(tree)) = &self.index
            && let Some(at) = self.motion.keys_around(now)
            && let Some(margin) = rounded_positions(&**tree.boxes(), &at, vertices, out)
        {
            return margin;
        }
        self.motion.rounded_positions(now, vertices, out)
    }

    /// The refitted tree of a discrete or on-demand body, if it holds now, and the number of its
    /// shape; an on-demand body has one shape only. Numbers are of a body while it is of one kind:
    /// where that changes, its pairs forget what they know.
    pub(crate) fn refitted(&self) -> Option<(&RefitTree, u64)> {
        match &self.index {
            Index::Discrete(discrete) => Some((discrete.refitted()?, discrete.version().1)),
            Index::OnDemand(on_demand) => Some((on_demand.refitted()?, 0)),
            Index::Kinetic(_) | Index::Brute => None,
        }
    }

    /// Replaces the trees of a body that is not kinetic by boxes that are made on demand. What its
    /// pairs found must be forgotten.
    pub(crate) fn bound_on_demand(&mut self, boxes: Box<dyn KeyedBoxes>) {
        self.index = Index::OnDemand(Box::new(OnDemandTree::of_boxes(boxes, &self.shape.mesh)));
    }

    /// Takes the boxes of another motion of the same mesh, over the tree that the body has.
    /// Certificates of a kinetic body are to be computed again.
    pub(crate) fn follow_bounds(&mut self, boxes: Box<dyn KeyedBoxes>) {
        match &mut self.index {
            Index::OnDemand(on_demand) => on_demand.follow(boxes),
            Index::Kinetic(KineticTree::Bounded(tree)) => tree.follow(boxes),
            Index::Kinetic(_) | Index::Discrete(_) | Index::Brute => {}
        }
    }

    /// Makes an on-demand body discrete: its motion or mesh is another one than that of its boxes.
    /// What its pairs found must be forgotten. O(triangles log triangles).
    pub(crate) fn forget_bounds(&mut self, now: Moment) {
        if let Index::OnDemand(_) = &self.index {
            let topology = self.binary_topology(now);
            let rate = Rate::new(self.shape.seams.is_some());
            let discrete =
                Discrete::new(topology, &self.shape.mesh, &self.motion, self.requested_engine, rate, now, 0.0);
            self.index = Index::Discrete(discrete);
        }
    }
}
