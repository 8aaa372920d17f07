//! Pairs of triangles that bodies want left out because they touch already: decided once, when the later of two bodies is
//! added, and kept however often the two part and meet again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::oracle::{Grid, Shape, touching_by_grid};
use crate::world::rule::PairRule;
use crate::world::{IgnoredContacts, World};

/// Triangle pairs, by pair of bodies, the lower index first.
pub(crate) type IgnoredPairs = BTreeMap<(u32, u32), Arc<BTreeSet<(u32, u32)>>>;

impl World {
    /// Decides what a new body and each of the others want left out. Free where nobody wants anything; O(bodies that do), or
    /// O(bodies) if the new one does.
    pub(crate) fn note_ignored(&mut self, index: u32) {
        let wants = |body: u32| self.bodies.at(body).ignored_contacts != IgnoredContacts::None;
        let others: Vec<u32> = if wants(index) {
            self.bodies.iter().map(|(id, _)| id.index()).collect()
        } else {
            self.ignoring_initial_contacts.iter().copied().collect()
        };
        if wants(index) {
            self.ignoring_initial_contacts.insert(index);
        }
        for other in others {
            let (a, b) = (index.min(other), index.max(other));
            let ignored = self.touching_already(a, b);
            if !ignored.is_empty() {
                self.ignored.insert((a, b), Arc::new(ignored));
            }
        }
    }

    /// Forgets what was decided for a body that leaves.
    pub(crate) fn forget_ignored(&mut self, index: u32) {
        self.ignoring_initial_contacts.remove(&index);
        if !self.ignored.is_empty() {
            self.ignored.retain(|&(a, b), _| a != index && b != index);
        }
    }

    /// Triangle pairs of two bodies, or one, that touch in the states their wishes name.
    fn touching_already(&self, a: u32, b: u32) -> BTreeSet<(u32, u32)> {
        let bodies = [a, b].map(|index| self.bodies.at(index));
        let (mut touching, nothing) = (BTreeSet::new(), BTreeSet::new());
        for requested_engine in [IgnoredContacts::AtRest, IgnoredContacts::AtStart] {
            if bodies.iter().any(|body| body.patches.is_some())
                || bodies.iter().all(|body| body.ignored_contacts != requested_engine)
                || (a == b && bodies[0].seams.is_none())
            {
                continue;
            }
            let positions = bodies.map(|body| {
                let mut positions = Vec::new();
                match requested_engine {
                    IgnoredContacts::AtRest => positions.extend(body.rest.iter().map(|p| p.map(f64::from))),
                    _ => body.motion.positions(self.now, &mut positions),
                }
                positions
            });
            let shape = |side: usize| Shape { triangles: bodies[side].mesh.triangles(), positions: &positions[side] };
            let mut grid = Grid::default();
            grid.fill(bodies[0].mesh.triangles(), &positions[0], self.distance_between(a, b));
            let rule = PairRule::of(a == b, bodies[0], self.distance_between(a, b), &nothing)
                .without_gaps(bodies[0], bodies[1])
                .with_spheres(bodies.map(|body| match requested_engine {
                    IgnoredContacts::AtRest => body.spheres_at_rest(),
                    _ => body.spheres_at(self.now),
                }));
            touching_by_grid(&grid, shape(0), shape(1), &rule, &mut |p, q| {
                touching.insert((p, q));
            });
        }
        touching
    }
}
