//! Boxes of a kinetic body at both ends of the keyframe interval around now.

use crate::interval::IntervalBoxes;
use crate::motion::{Motion, StretchKind};
use crate::time::Moment;
use crate::world::body::{Body, Index};
use crate::world::engine::Engine;

/// Whether all vertices move linearly from key to key, or rest, around a moment.
pub(crate) fn moves_by_keys(motion: &Motion, at: Moment) -> bool {
    let kind = motion.stretch(at).map(|stretch| stretch.kind);
    motion.spheres().is_none() && matches!(kind, Some(StretchKind::Keys | StretchKind::Hold))
}

impl Body {
    /// Brings the boxes of its keys to the interval around a moment; returns whether there is one.
    pub(crate) fn update_keys(&mut self, at: Moment) -> bool {
        let is_apt = matches!(self.index, Index::Kinetic(_))
            && matches!(self.requested_engine, Engine::Auto)
            && self.shape.patches.is_none()
            && moves_by_keys(&self.motion, at);
        if !is_apt {
            return false;
        }
        if self.keys.is_none()
            && let Ok(mut boxes) = IntervalBoxes::over(self.binary_topology(at), &self.motion, at.time())
        {
            boxes.forget();
            self.keys = Some(Box::new(boxes));
        }
        let Some(boxes) = &mut self.keys else { return false };
        boxes.follow(&self.motion, at, f64::INFINITY).is_ok() && boxes.begin() <= at.time() && at.time() <= boxes.end()
    }

    /// The boxes of its keys hold nowhere until they follow the motion it has now.
    pub(crate) fn forget_keys(&mut self) {
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
