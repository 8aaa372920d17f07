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
    use crate::motion::{Flightplan, Outside};
    use crate::world::body::{Body, Index};
    use crate::world::{BodyDef, ContactMode, Filter, World, WorldDef};

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

    #[test]
    fn a_body_that_is_removed_while_trees_are_idle_takes_its_pairs_along() {
        let def = WorldDef { idle_trees: true, contacts: ContactMode::Continuous, ..WorldDef::default() };
        let mut world = World::new(def).unwrap();
        let [first, ..] = [0.0, 0.25, 0.5].map(|x: f32| {
            let plan = Flightplan::fixed(vec![[x, 0.0, 0.0], [x, 1.0, 0.0], [x + 1.0, 0.0, 0.5]]);
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap()
        });
        assert_eq!((world.trees_are_idle, world.pairs.len()), (true, 3));
        world.remove_body(first).unwrap();
        assert_eq!((world.trees_are_idle, world.pairs.len()), (false, 1));
        world.advance_to(1.0).unwrap();
        assert!(world.audit().is_clean(), "{}", world.audit());
    }

    fn fixed(y: f32) -> BodyDef {
        let plan = Flightplan::fixed(vec![[0.0, y, 0.0], [0.0, y + 1.0, 0.0], [1.0, y, 0.5]]);
        BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
    }

    #[test]
    fn an_edit_wakes_trees() {
        let def = WorldDef { idle_trees: true, contacts: ContactMode::Continuous, ..WorldDef::default() };
        let mut world = World::new(def).unwrap();
        let two = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0, 0.5]];
        let mesh = Mesh::new(4, vec![[0, 1, 2], [1, 2, 3]]).unwrap();
        let id = world.add_body(BodyDef::new(mesh, Flightplan::fixed(two.to_vec()))).unwrap();
        world.add_body(fixed(0.25)).unwrap();
        assert_eq!((world.trees_are_idle, world.pairs.len(), world.contacts().len()), (true, 1, 2));
        let mut edit = world.begin_edit(id).unwrap();
        edit.remove_triangle(1);
        world.apply_edit(edit).unwrap();
        assert_eq!((world.trees_are_idle, world.pairs.len(), world.contacts().len()), (false, 1, 1));
        assert!(world.audit().is_clean(), "{}", world.audit());
    }

    #[test]
    fn bodies_are_watched_once_where_the_first_of_several_wakes_trees() {
        let def = WorldDef { idle_trees: true, start: 9.0, contacts: ContactMode::Continuous, ..WorldDef::default() };
        let mut world = World::new(def).unwrap();
        // There are no intervals before the first round of a loop.
        let places = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.5]];
        let plan = Flightplan::keyframes(vec![10.0, 11.0], [places, places].concat()).outside(Outside::Loop);
        let looped = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan);
        world.add_body(looped.filter(Filter::new(1, 4))).unwrap();
        world.add_body(fixed(0.25).filter(Filter::new(2, 4))).unwrap();
        assert_eq!((world.trees_are_idle, world.pairs.len()), (true, 0));
        world.add_body(fixed(0.5).filter(Filter::new(4, 7))).unwrap();
        assert_eq!((world.trees_are_idle, world.pairs.len(), world.contacts().len()), (false, 2, 2));
    }
}
