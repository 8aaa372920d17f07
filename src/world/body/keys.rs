//! Boxes of a kinetic body at both ends of the keyframe interval around now.

use crate::bvh::Topology;
use crate::interval::IntervalBoxes;
use crate::kinetic::KineticTree;
use crate::motion::{Motion, StretchKind};
use crate::time::{Moment, Span};
use crate::world::body::{Body, Index};
use crate::world::engine::Engine;

/// Whether all vertices move linearly from stored key to stored key, or rest, around a moment.
pub(crate) fn moves_by_keys(motion: &Motion, at: Moment) -> bool {
    let kind = motion.stretch(at).map(|stretch| stretch.kind);
    motion.spheres().is_none() && matches!(kind, Some(StretchKind::Keys | StretchKind::Hold))
}

/// Boxes of the interval after the present one, made a part at a time.
///
/// A clone has none.
#[derive(Debug, Default)]
pub(crate) struct NextKeys {
    boxes: Option<Box<IntervalBoxes>>,
    /// The end of the interval they follow, seconds; `None` where they are of no use.
    after: Option<f64>,
}

impl Clone for NextKeys {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl NextKeys {
    /// The motion is another one.
    pub(crate) fn forget(&mut self) {
        self.after = None;
    }

    /// Bytes of the parts of the present boxes and of these.
    pub(crate) fn add_parts(&self, present: &IntervalBoxes, add: &mut dyn FnMut(&'static str, usize)) {
        present.add_parts(self.boxes.as_deref(), add);
    }
}

/// Whether boxes of an interval with a length hold at a moment of it.
fn holds(boxes: &IntervalBoxes, at: Moment) -> bool {
    boxes.begin() < boxes.end() && Moment::after(boxes.begin()) <= at && at <= Moment::at(boxes.end())
}

impl Body {
    /// Begins the boxes of its keys for the interval just after a time, seconds, unless that was
    /// done; returns the work that remains ([`IntervalBoxes::work_left`]), `None` where they cannot
    /// be made ahead.
    pub(crate) fn begin_next_keys(&mut self, time: f64) -> Option<usize> {
        let at = Moment::after(time);
        if self.is_bounded_ahead() || !self.is_apt_for_intervals(at) {
            return None;
        }
        let present = self.keys.as_deref_mut()?;
        if holds(present, at) {
            return Some(0);
        }
        if !(present.end() == time && present.begin() < present.end()) {
            return None;
        }
        let NextKeys { boxes, after } = &mut self.next_keys;
        if *after != Some(time) {
            let next = boxes.get_or_insert_with(|| Box::new(present.clone()));
            *after = None;
            next.begin_after(present, &self.motion, f64::INFINITY).ok()?;
            *after = Some(time);
        }
        boxes.as_ref().map(|boxes| boxes.work_left(&self.motion))
    }

    /// Does some of the work for what [`Body::begin_next_keys`] began, and takes it off the budget.
    pub(crate) fn prepare_next_keys(&mut self, budget: &mut usize) {
        if let NextKeys { boxes: Some(boxes), after: Some(_) } = &mut self.next_keys
            && !boxes.is_prepared()
        {
            boxes.prepare(&self.motion, budget);
        }
    }

    /// The boxes of its keys just after a time, seconds, if they are made.
    pub(crate) fn keys_after(&self, time: f64) -> Option<&IntervalBoxes> {
        let at = Moment::after(time);
        let present = self.keys.as_deref().filter(|boxes| holds(boxes, at));
        let is_next = |boxes: &&IntervalBoxes| boxes.is_prepared() && holds(boxes, at);
        let next = self.next_keys.boxes.as_deref().filter(|_| self.next_keys.after == Some(time));
        present.or_else(|| next.filter(is_next))
    }

    /// Takes the next boxes of its keys if they are made, and begin at a moment.
    fn enter_next_keys(&mut self, at: Moment) {
        let (Some(present), NextKeys { boxes: Some(next), after: Some(after) }) = (&mut self.keys, &mut self.next_keys)
        else {
            return;
        };
        if at == Moment::after(*after) && present.end() == *after && next.is_prepared() && holds(next, at) {
            std::mem::swap(present, next);
            self.next_keys.forget();
        }
    }

    /// Whether the body moves from key to key around a moment, and its pairs may have intervals.
    pub(crate) fn is_apt_for_intervals(&self, at: Moment) -> bool {
        let moves_by_keys = || match &self.index {
            Index::Kinetic(KineticTree::Bounded(_)) => self.motion.keys_around(at).is_some(),
            Index::Kinetic(_) => moves_by_keys(&self.motion, at),
            Index::Discrete(_) | Index::OnDemand(_) | Index::Brute => false,
        };
        matches!(self.requested_engine, Engine::Auto) && self.shape.patches.is_none() && moves_by_keys()
    }

    /// Brings the boxes of its keys to the interval around a moment; returns whether there is one.
    pub(crate) fn update_keys(&mut self, at: Moment) -> bool {
        if !self.is_apt_for_intervals(at) {
            return false;
        }
        if self.keys.is_none() {
            self.next_keys = NextKeys::default();
            self.keys = self.keys_without_place(at).map(Box::new);
        }
        self.enter_next_keys(at);
        let Some(boxes) = &mut self.keys else { return false };
        let followed = match &self.index {
            Index::Kinetic(KineticTree::Bounded(tree)) => boxes.follow_bounded(&self.motion, &**tree.boxes(), at),
            _ => boxes.follow(&self.motion, at, f64::INFINITY),
        };
        followed.is_ok() && boxes.begin() <= at.time() && at.time() <= boxes.end()
    }

    /// Boxes that hold nowhere yet.
    fn keys_without_place(&self, at: Moment) -> Option<IntervalBoxes> {
        if let Index::Kinetic(KineticTree::Bounded(tree)) = &self.index {
            let own = IntervalBoxes::unplaced(tree.topology().clone()).ok();
            return own.or_else(|| IntervalBoxes::unplaced(self.binary_topology(at)).ok());
        }
        let is_binary = |tree: &Topology| tree.params() == tree.params().binary();
        let topology = match &self.index {
            // It is of the places at which the body was added, and nothing changes it.
            Index::Kinetic(tree) if tree.is_idle() && is_binary(tree.topology()) => tree.topology().clone(),
            _ => self.binary_topology(at),
        };
        let mut boxes = IntervalBoxes::over(topology, &self.motion, at.time()).ok()?;
        boxes.forget();
        Some(boxes)
    }

    /// The interval around a moment in which the body moves linearly, seconds; `None` if it has
    /// none. Boxes of stored keys are brought there; a body that is bounded from few parameters is
    /// not evaluated.
    pub(crate) fn key_interval(&mut self, at: Moment) -> Option<Span> {
        if !self.is_bounded_ahead() {
            let boxes = if self.update_keys(at) { self.keys.as_deref() } else { None };
            return boxes.map(|boxes| Span { begin: boxes.begin(), end: boxes.end() });
        }
        if !self.is_apt_for_intervals(at) || self.motion.first_of_loop().is_some_and(|first| at.time() < first) {
            return None;
        }
        let around = self.motion.keys_around(at)?;
        let begin = if around.first == around.last { at.time() } else { around.span.begin };
        Some(Span { begin, end: around.span.end })
    }

    /// Whether the body has a kinetic tree of bounds from few parameters.
    pub(crate) fn is_bounded_ahead(&self) -> bool {
        matches!(self.index, Index::Kinetic(KineticTree::Bounded(_)))
    }

    /// The boxes of its keys hold nowhere until they follow the motion it has now.
    pub(crate) fn forget_keys(&mut self) {
        self.next_keys.forget();
        if let Some(boxes) = &mut self.keys {
            boxes.forget();
        }
    }

    /// The motion is another one from a time on, seconds: boxes of its keys that reach beyond it
    /// hold nowhere until they follow the motion it has now.
    pub(crate) fn forget_keys_from(&mut self, time: f64) {
        if let Some(boxes) = &mut self.keys
            && boxes.end() > time
        {
            boxes.forget();
        }
    }

    /// The leaf of its kinetic tree that holds a triangle.
    pub(crate) fn leaf_of(&self, triangle: u32) -> Option<u32> {
        let Index::Kinetic(tree) = &self.index else { return None };
        let [corner, ..] = *self.shape.mesh.triangles().get(triangle as usize)?;
        let leaves = tree.topology().leaves_of(corner).iter().copied();
        leaves.into_iter().find(|&leaf| tree.topology().primitives(leaf).contains(&triangle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::Hierarchy;
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::{BodyDef, ContactMode, World, WorldDef};

    /// A world with a triangle that rises 1 m in the first second, and 4 m in the second one; boxes
    /// of the first second.
    fn rising() -> World {
        let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
        let keys = [0.0, 1.0, 5.0].map(|z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]).concat();
        let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys);
        let id = world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        assert!(world.bodies.at_mut(id.index()).update_keys(Moment::at(0.5)));
        world
    }

    #[test]
    fn boxes_of_which_some_are_to_be_made_are_not_entered() {
        let mut world = rising();
        let body = world.bodies.at_mut(0);
        assert!(body.begin_next_keys(1.0).is_some_and(|left| left > 0));
        let at = Moment::at(1.5);
        assert!(body.update_keys(at));
        let bounds = body.keys.as_ref().unwrap().node_box(0, at);
        assert!(bounds.contains(&[0.0, 0.0, 3.0]), "{bounds:?}");
    }

    #[test]
    fn boxes_that_reach_beyond_a_change_of_the_motion_hold_nowhere() {
        let mut world = rising();
        let body = world.bodies.at_mut(0);
        let span = |body: &Body| body.keys.as_ref().map(|boxes| (boxes.begin(), boxes.end()));
        body.forget_keys_from(1.0);
        assert_eq!(span(body), Some((0.0, 1.0)));
        body.forget_keys_from(0.75);
        assert!(span(body).is_some_and(|(begin, end)| begin > end));
    }
}
