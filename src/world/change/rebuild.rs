//! Rebuilding subtrees that drifted: on the host's word, or by itself.
//!
//! What drift is, see [`KineticTree::sah_ratio`]. Looked at are subtrees that hold at least a 64th of a body's triangles and more than
//! [`limits::DRIFT_LEAVES`] full leaves, from the root downward; one that drifted beyond the bound is built anew from the positions
//! of the moment, and what is below it is not looked at. A BoxTree is built anew as a whole if any such subtree drifted.
//!
//! By itself ([`RebuildPolicy::Automatic`]) a body is looked at each time its tree has processed a number of events, fixed by the
//! number of its nodes: at that event, whatever the host does. So the log does not depend on when the host looks.

use crate::id::BodyId;
use crate::kinetic::KineticTree;
use crate::kinetic::aabb_tree::{Ground, TreeChange};
use crate::limits;
use crate::time::Moment;
use crate::world::change::tree_changed::Touched;
use crate::world::query::hosted::Parts;
use crate::world::step::events::Step;
use crate::world::{Body, Index, RebuildPolicy, World, WorldError};

impl World {
    /// Builds the subtrees of a body's tree anew that drifted beyond a bound: 2 means that twice as many boxes are met below them as
    /// in a fresh build. Returns how many were built. Contacts stay as they are. O(triangles · log triangles), also if none is.
    ///
    /// Engines other than live have no tree that ages: none is built.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::BadBound`] for a bound that is not a number of at least 1.
    pub fn rebuild_degraded(&mut self, body: BodyId, bound: f64) -> Result<usize, WorldError> {
        let entry = self.body(body)?;
        check_bound(&entry.name, bound)?;
        let now = self.now;
        let (count, touched) = self.rebuild_beyond(body.index(), bound, now);
        if count > 0 {
            self.settle_edit(body.index(), &touched)?;
        }
        Ok(count)
    }

    /// Looks at a body whose tree processed an event at a moment, if it is time.
    pub(crate) fn rebuild_if_due(&mut self, index: u32, now: Moment) {
        let body = self.bodies.at_mut(index);
        let (RebuildPolicy::Automatic { bound }, Index::Kinetic(tree)) = (body.rebuild, &body.index) else { return };
        body.events_since_look += 1;
        if body.events_since_look < limits::EVENTS_PER_QUALITY_CHECK * tree.topology().node_count() as u64 {
            return;
        }
        body.events_since_look = 0;
        let (count, touched) = self.rebuild_beyond(index, bound, now);
        if count > 0 {
            self.step_leaves(index, &touched, now, |is_affected| Step::Invalidate(is_affected));
            self.step_leaves(index, &touched, now, |is_affected| Step::PlansChanged(is_affected));
        }
    }

    fn rebuild_beyond(&mut self, index: u32, bound: f64, now: Moment) -> (usize, Touched) {
        let Body { mesh, patches, motion, index: finder, epoch_end, .. } = self.bodies.at_mut(index);
        let Index::Kinetic(tree) = finder else { return (0, Touched::All) };
        let parts = Parts::of(mesh, patches.as_ref());
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let params = tree.topology().params();
        let least = (tree.topology().node(0).count() / 64).max(limits::DRIFT_LEAVES * params.leaf_size());
        let (mut drifted, mut stack) = (Vec::new(), vec![0]);
        while let Some(node) = stack.pop() {
            let entry = tree.topology().node(node);
            if entry.count() <= least && node != 0 {
                continue;
            }
            if tree.sah_ratio(node, &parts, &positions, params) > bound {
                drifted.push(node);
            } else {
                stack.extend(entry.children().iter().rev());
            }
        }
        if drifted.is_empty() {
            return (0, Touched::All);
        }
        let KineticTree::Aabb(tree) = tree else {
            self.rebuild_tree(index, now);
            return (1, Touched::All);
        };
        self.slot_changes.clear();
        let mut tree_change = TreeChange::default();
        for &node in &drifted {
            tree.rebuild(
                node,
                &mut Ground {
                    primitives: &parts,
                    motion,
                    until: *epoch_end,
                    clock: &mut event_context!(self, now),
                    changes: &mut self.slot_changes,
                    tree_change: &mut tree_change,
                },
            );
        }
        self.update_after_tree_change(index, &tree_change, now);
        (drifted.len(), Touched::Nodes(tree_change.touched))
    }
}

/// Is it a bound that a fresh tree keeps?
pub(crate) fn check_bound(name: &str, bound: f64) -> Result<(), WorldError> {
    if bound >= 1.0 { Ok(()) } else { Err(WorldError::BadBound { body: name.to_owned(), value: bound }) }
}
