//! Audit of a whole world.

use std::collections::BTreeSet;

use crate::bvh::{AuditReport, Hierarchy};
use crate::kinetic::{KineticTree, TreeAudit};
use crate::math::Aabb;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::pair::broad_phase::Members;
use crate::world::pair::finder::PairFinder;

impl World {
    /// Checks every invariant of every tree, of the broad phase and of every separation list at a
    /// time strictly between now and the next event.
    ///
    /// If there is no such time, because the next event falls on the present one, lists are not
    /// compared with a traversal. Of bodies without kinetic structures, the shapes of trees, the
    /// boxes and the leaf pairs of the present interval are checked.
    /// O(everything); for tests and for hosts in doubt.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(0.3)?;
    /// assert!(world.audit().is_clean());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn audit(&self) -> AuditReport {
        if self.clock.extensions.first() < f64::INFINITY {
            // Certificates that are not searched over the last keys yet are searched now.
            let mut extended = self.clone();
            extended.extend_all();
            return extended.audit();
        }
        let mut report = AuditReport::default();
        let at = self.quiet_moment();
        let mut boxes: Vec<Vec<Aabb>> = Vec::new();
        for (id, body) in self.bodies.iter() {
            body.audit_spheres(id, at, &mut report);
            if let Err(lie) = body.motion.check_sampler_at(at) {
                report.check(false, || format!("{id} '{}': {lie}", body.name));
            }
            if let Index::OnDemand(bounded) = &body.index {
                report.absorb(format_args!("{id} '{}', boxes", body.name), bounded.audit(&body.motion, self.clock.now));
            }
            if let Some(boxes) = body.discrete().and_then(|discrete| discrete.boxes(self.clock.now)) {
                report.absorb(
                    format_args!("{id} '{}', interval", body.name),
                    boxes.audit(&body.motion, self.clock.now.time()),
                );
            }
            let Index::Kinetic(tree) = &body.index else { continue };
            if tree.is_idle() {
                continue;
            }
            report.check(body.motion.slack(at) <= body.epoch.slack, || format!("{id}: the slack is too small"));
            let now = self.clock.now;
            let (motion, slack, until, queue) = (&body.motion, body.epoch.slack, body.epoch.end, &self.clock.queue);
            let audit = TreeAudit { motion, slack, until, queue, now, at };
            report.absorb(format_args!("{id} '{}'", body.name), tree.audit(&audit));
            let shape = tree.topology().audit(&body.parts());
            report.absorb(format_args!("{id} '{}', shape", body.name), shape);
            if let Some(keys) = body.keys.as_deref().filter(|_| body.is_bounded_ahead()) {
                report.absorb(format_args!("{id} '{}', keys", body.name), keys.audit_bounded(&body.motion));
            }
            boxes.resize_with(boxes.len().max(id.index() as usize + 1), Vec::new);
            boxes[id.index() as usize] = node_boxes(body, tree, at);
        }
        let members: Vec<(u32, Aabb)> = (0..boxes.len() as u32)
            .filter(|&body| self.pairs.broad_phase.contains(body))
            .map(|body| (body, boxes[body as usize][0].inflated(self.bodies.at(body).margin_slack())))
            .collect();
        report.absorb(
            "broad_phase",
            self.pairs.broad_phase.audit(
                &Members { bodies: &self.bodies, rules: &self.pairs.rules },
                &members,
                &self.clock.queue,
                self.clock.now,
            ),
        );
        let meeting: BTreeSet<(u32, u32)> = self.pairs.broad_phase.meeting().collect();
        let watched: BTreeSet<(u32, u32)> = self.pairs.watched().map(|(pair, _)| pair).collect();
        let crowds: BTreeSet<(u32, u32)> = watched
            .into_iter()
            .filter(|&(a, b)| self.bodies.at(a).is_kinetic() && self.bodies.at(b).is_kinetic())
            .collect();
        report.check(meeting == crowds, || format!("watched are {crowds:?}, meeting are {meeting:?}"));
        if self.contacts.is_continuous && !self.contacts.is_stale {
            let mut on = Vec::new();
            self.pairs.contacts_on_at(self.clock.now.time(), &self.bodies, &mut on);
            report.check(self.contacts() == on, || {
                format!("{} contacts are shown, {} of those told are on", self.contacts().len(), on.len())
            });
        }
        self.audit_swept(&mut report);
        for (number, pair) in self.pairs.iter() {
            let is_known = pair.a == pair.b || self.pairs.number_of((pair.a, pair.b)) == Some(number);
            report.check(is_known, || format!("pair {number}: watched under another number"));
            let (a, b) = (self.bodies.at(pair.a), self.bodies.at(pair.b));
            let (Some(list), Index::Kinetic(tree_a), Index::Kinetic(tree_b)) = (pair.finder.list(), &a.index, &b.index)
            else {
                continue;
            };
            if pair.is_self()
                && let Some(expected) = a.shared_vertices(tree_a.topology())
            {
                let agrees =
                    list.shared_vertices().is_some_and(|known| known.agrees_with(&expected, tree_a.topology()));
                report.check(agrees, || format!("pair {number}: leaves are related otherwise than was noted"));
            }
            let half = 0.5 * pair.distance;
            let grown = |index: u32, body: &Body| -> Vec<Aabb> {
                boxes[index as usize].iter().map(|bounds| bounds.inflated(body.slack_grown(half))).collect()
            };
            let (boxes_a, boxes_b) = (grown(pair.a, a), grown(pair.b, b));
            let (cut_a, cut_b) = ((tree_a.topology(), &boxes_a[..]), (tree_b.topology(), &boxes_b[..]));
            // Half of what bounds are moved outward for rounding: far above all roundings, and
            // still no triangles touch unseen.
            let tolerance = 0.5 * (a.slack_grown(half) - half + b.slack_grown(half) - half);
            let place = format_args!("pair {number}");
            if at > self.clock.now {
                report.absorb(place, list.audit(cut_a, cut_b, tolerance, &self.clock.queue));
            } else {
                report.absorb(place, list.audit_certificates(&self.clock.queue));
            }
        }
        report
    }

    /// Checks the boxes of discrete bodies against their vertices, and the leaf pairs of their
    /// intervals, at the clock's time.
    fn audit_swept(&self, report: &mut AuditReport) {
        for (id, body) in self.bodies.iter() {
            if body.discrete().is_none() {
                continue;
            }
            let Some(tree) = body.tree(self.clock.now) else { continue };
            let mut positions = Vec::new();
            body.motion.positions(self.clock.now, &mut positions);
            let topology = tree.topology();
            for leaf in (0..topology.nodes().len() as u32).filter(|&node| topology.node(node).is_leaf()) {
                let mut node = leaf;
                for &vertex in topology.leaf_points(leaf) {
                    let is_inside = tree.node_box(leaf, self.clock.now).contains(&positions[vertex as usize]);
                    report.check(is_inside, || format!("{id}: leaf {leaf} does not hold vertex {vertex}"));
                }
                while let Some(parent) = topology.node(node).parent() {
                    let (inner, outer) = (tree.node_box(node, self.clock.now), tree.node_box(parent, self.clock.now));
                    let loose = outer.inflated(body.epoch.slack);
                    let is_held =
                        !(inner.min[0] <= inner.max[0]) || (loose.contains(&inner.min) && loose.contains(&inner.max));
                    report.check(is_held, || format!("{id}: node {parent} does not hold its child {node}"));
                    node = parent;
                }
            }
            let shape = topology.audit(&body.parts());
            report.absorb(format_args!("{id} '{}', shape", body.name), shape);
        }
        for (number, pair) in self.pairs.iter() {
            if let Some(interval) = pair.finder.continuous() {
                let own = interval.audit(self.bodies.at(pair.a), self.bodies.at(pair.b));
                report.absorb(format_args!("pair {number}, interval"), own);
            }
            for interval_finder in pair.finders().filter_map(PairFinder::interval) {
                let own = interval_finder.audit(self.bodies.at(pair.a), self.bodies.at(pair.b));
                report.absorb(format_args!("pair {number}, leaf pairs"), own);
            }
        }
    }

    /// Half-way to the next event, or a little later where there is none; now if nothing lies
    /// between.
    fn quiet_moment(&self) -> Moment {
        let now = self.clock.now.time();
        let allowed = self.bodies.iter().fold(f64::INFINITY, |end, (_, body)| end.min(body.epoch.allowed.end));
        let next = self.clock.next_due().unwrap_or(now + 1.0).min(allowed.max(now));
        let middle = 0.5 * now + 0.5 * next;
        Moment::at(if now < middle && middle < next { middle } else { now })
    }
}

/// Boxes of all nodes from the positions of the vertices; of a reduced body, from its parameters.
fn node_boxes(body: &Body, tree: &KineticTree, at: Moment) -> Vec<Aabb> {
    if let KineticTree::Bounded(tree) = tree {
        return tree.boxes_at(&body.motion, 0.0, at);
    }
    let mut positions = Vec::new();
    body.motion.positions(at, &mut positions);
    tree.boxes_from(&positions)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::mesh::Mesh;
    use crate::motion::{Flightplan, Outside};
    use crate::world::{BodyDef, ContactMode, Engine, World, WorldDef};

    #[test]
    fn contacts_that_are_not_those_told_are_found() {
        let mut world = World::new(WorldDef { contacts: ContactMode::Continuous, ..WorldDef::default() }).unwrap();
        for z in [0.0, 0.5] {
            let places = vec![[0.0, 0.0, 0.0], [1.0, 0.0, z], [0.0, 1.0, z]];
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(places))).unwrap();
        }
        assert!(world.audit().is_clean() && world.contacts().len() == 1);
        world.contacts.set(Arc::default());
        assert!(!world.audit().is_clean());
    }

    /// A list between bodies that count as touching from farther away than it was made for.
    #[test]
    fn boxes_that_meet_by_thickness_are_not_apart() {
        let mut world = World::new(WorldDef { engine: Engine::Kinetic, ..WorldDef::default() }).unwrap();
        for height in [0.0, 0.625] {
            // The first triangles meet, all others are 0.625 m apart.
            let corners = |x: f32, z: f32| [[x, 0.0, z], [x + 1.0, 0.0, z], [x, 1.0, z]];
            let places =
                (0..40u8).flat_map(|number| corners(number.into(), if number > 0 { height } else { 0.0 })).collect();
            let mesh =
                Mesh::new(120, (0..40).map(|number| [0, 1, 2].map(|corner| 3 * number + corner)).collect()).unwrap();
            world.add_body(BodyDef::new(mesh, Flightplan::fixed(places)).thickness(0.5)).unwrap();
        }
        assert!(world.audit().is_clean(), "{}", world.audit());
        let (number, pair) = world.pairs.iter().next().expect("their boxes meet");
        assert!(pair.distance == 0.5 && pair.finder.list().is_some());
        world.pairs[number].distance = 0.75;
        assert!(!world.audit().is_clean());
    }

    /// At 1 s the loop jumps into its first round. The middle between that and the number before
    /// is a tie, which is rounded up.
    #[test]
    fn an_audit_at_the_number_before_an_event_raises_no_alarm() {
        let mut world = World::new(WorldDef { engine: Engine::Kinetic, start: 0.125, ..WorldDef::default() }).unwrap();
        let corners = |x: f32| [[x, 0.0, 0.0], [1.0 - x, 0.0, 0.0], [0.5, 1.0, 0.0]];
        let plan = Flightplan::keyframes(vec![1.0, 2.0], [corners(0.0), corners(1.0)].concat()).outside(Outside::Loop);
        world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        let before = 1.0f64.next_down();
        assert_eq!(0.5 * before + 0.5, 1.0);
        for time in [before, 1.0] {
            world.advance_to(time).unwrap();
            assert!(world.audit().is_clean(), "{time}: {}", world.audit());
        }
    }
}
