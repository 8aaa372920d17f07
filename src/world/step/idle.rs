//! Kinetic trees that are idle until a separation list needs them.
//!
//! In a world with continuous contacts every body has a kinetic tree. Its events serve the log,
//! boxes and rays that a host asks for, the broad phase, and separation lists. Pairs of bodies that
//! move from key to key use none of these: their contacts are found by intervals
//! ([`crate::world::pair::continuous_interval`]). A check reads contacts only. Its world therefore
//! leaves the trees idle:
//!
//! | while trees are idle | once they are not |
//! |---|---|
//! | trees have a shape, no winners, no certificates | all are certified at that moment |
//! | all pairs that may meet are watched, by intervals | the broad phase decides which more are watched |
//! | events: windows, begins and ends of contacts | all events |
//!
//! It ends at the first body that does not move from key to key, at the first pair that needs a
//! separation list, and at the first change of a body. All bodies get their certificates then.
//! Contacts are the same in both cases. The log and counters are not: so a world of a host, whose
//! log is public, is never idle.

use crate::limits;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::new::NewBody;

impl World {
    /// Whether a new body may have an idle tree, and all others keep theirs.
    pub(crate) fn may_be_idle(&self, new: &NewBody) -> bool {
        let most = self.limits.most_body_pairs();
        self.trees_are_idle && new.may_be_idle(self.clock.now) && self.pairs.len() + self.bodies.len() < most
    }

    /// Certifies all trees at a moment and enters their bodies into the broad phase, unless that
    /// was done. Pairs that are watched already stay watched, also where their boxes are apart.
    pub(crate) fn wake_trees(&mut self, now: Moment) {
        if !std::mem::take(&mut self.trees_are_idle) {
            return;
        }
        let bodies = self.bodies.indices();
        for &index in &bodies {
            self.bodies.certify_tree(index, &mut self.clock.at(now));
        }
        // All pairs that may meet are watched already: a bound that is lower now keeps none out.
        self.pairs.broad_phase.set_most_pairs(limits::MAX_OWNERS);
        for index in bodies {
            if self.pairs.rules.takes_part(index, &self.bodies) {
                self.pairs.join_broad_phase(index, &self.bodies, &mut self.clock.at(now));
            }
        }
        self.pairs.broad_phase.set_most_pairs(self.limits.most_body_pairs());
        self.process_body_pairs(now);
    }
}

#[cfg(test)]
mod tests {
    use crate::kinetic::TreeKind;
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::body::{Body, Index};
    use crate::world::{BodyDef, ContactMode, World, WorldDef};

    #[test]
    fn aabb_trees_are_idle_until_a_tree_of_another_kind_comes() {
        let def = WorldDef { idle_trees: true, contacts: ContactMode::Continuous, ..WorldDef::default() };
        let mut world = World::new(def).unwrap();
        let is_idle = |body: &Body| matches!(&body.index, Index::Kinetic(tree) if tree.is_idle());
        for (kind, idle) in [(TreeKind::Aabb, vec![true]), (TreeKind::Box, vec![false, false])] {
            let plan = Flightplan::fixed(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan).tree(kind)).unwrap();
            assert_eq!(world.bodies.iter().map(|(_, body)| is_idle(body)).collect::<Vec<_>>(), idle, "{kind:?}");
        }
    }
}
