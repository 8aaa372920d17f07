//! What is tested: decisions of the host about pairs of bodies, and triangles left out because they
//! touch already. The latter are decided once, when the later of two bodies is added, and kept
//! however often the bodies separate and meet again.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::bvh::Topology;
use crate::id::BodyId;
use crate::limits;
use crate::narrow::ContactRule;
use crate::refit::{RefitTree, candidate_triangles};
use crate::world::World;
use crate::world::body::Body;
use crate::world::def::IgnoredContacts;
use crate::world::error::WorldError;
use crate::world::rule::PairRule;

impl World {
    /// Starts or stops watching two bodies, whatever their filters say. O(log bodies) unless they
    /// are close.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::SameBody`]; [`WorldError::Limit`] as of
    /// [`World::set_filter`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.set_pair_watched(floor, ball, false)?;
    /// world.advance_to(1.0)?;
    /// assert!(world.contacts().is_empty());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_pair_watched(&mut self, a: BodyId, b: BodyId, watched: bool) -> Result<(), WorldError> {
        self.bodies.find(a)?;
        self.bodies.find(b)?;
        if a == b {
            return Err(WorldError::SameBody { body: a });
        }
        let (a, b) = (a.index(), b.index());
        // Kept also where filters say the same: they may change.
        self.pairs.rules.decisions.set(a, b, Some(watched));
        // A decision may bring bodies into the broad phase whose filters keep them out.
        self.enter(a);
        self.enter(b);
        self.permission_changed(a, b);
        self.note_unpaired(&[a, b]);
        self.settle()
    }

    /// Decides from which distance (metres) triangles of two bodies count as touching, whatever
    /// their thicknesses say; `None` withdraws that. Both may be the same body: then it concerns
    /// the contacts of the body with itself.
    ///
    /// Contacts of the pair that are on end, and begin again where they still hold. O(pair), and
    /// O(decisions).
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::BadThickness`]; nothing is changed.
    /// [`WorldError::Limit`] as of [`World::set_filter`]; the distance is changed.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.set_pair_thickness(floor, ball, Some(0.25))?; // Metres.
    /// world.advance_to(1.0)?;
    /// let began = world.contact_changes()[0].time();
    /// assert!(began.lo <= 0.75 && 0.75 <= began.hi);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn set_pair_thickness(&mut self, a: BodyId, b: BodyId, thickness: Option<f64>) -> Result<(), WorldError> {
        let name = self.bodies.find(a)?.name.clone();
        self.bodies.find(b)?;
        if let Some(value) = thickness.filter(|&value| !is_thickness(value)) {
            return Err(WorldError::BadThickness { body: name, value });
        }
        let (a, b) = (a.index().min(b.index()), a.index().max(b.index()));
        match thickness {
            Some(distance) => self.pairs.rules.distances.insert((a, b), distance),
            None => self.pairs.rules.distances.remove(&(a, b)),
        };
        for body in [a, b] {
            let margin = self.pairs.rules.contact_margin(body, &self.bodies);
            self.bodies.at_mut(body).rules.contact_margin = margin;
            self.bodies.sleep.wake(body);
            self.pairs.certify_in_broad_phase(body, &self.bodies, &mut self.clock.context());
        }
        self.settle_events()?;
        let is_it = |number: &u32| (self.pairs[*number].a, self.pairs[*number].b) == (a, b);
        if let Some(number) = self.bodies.at(a).pairs.iter().copied().find(is_it) {
            self.unwatch(number, self.clock.now);
            self.watch(a, b, self.clock.now);
        }
        self.settle()
    }

    /// Decides what a new body and each of the others leave out. Free where no body leaves anything
    /// out; O(bodies that do), or O(bodies) if the new one does.
    pub(crate) fn note_ignored(&mut self, index: u32) {
        let wants = |body: u32| self.bodies.at(body).rules.ignored_contacts != IgnoredContacts::None;
        let others: Vec<u32> = if wants(index) {
            self.bodies.indices()
        } else {
            self.bodies.ignoring_initial_contacts.iter().copied().collect()
        };
        if wants(index) {
            self.bodies.ignoring_initial_contacts.insert(index);
        }
        for other in others {
            let (a, b) = (index.min(other), index.max(other));
            let ignored = self.touching_already(a, b);
            if !ignored.is_empty() {
                self.pairs.rules.ignored.insert((a, b), Arc::new(ignored));
            }
        }
    }

    /// Triangle pairs of two bodies, or one, that touch in the states named by their definitions.
    fn touching_already(&self, a: u32, b: u32) -> BTreeSet<(u32, u32)> {
        let bodies = [a, b].map(|index| self.bodies.at(index));
        let distance = self.pairs.rules.distance(a, b, &self.bodies);
        let (mut touching, nothing) = (BTreeSet::new(), BTreeSet::new());
        for state in [IgnoredContacts::AtRest, IgnoredContacts::AtStart] {
            if bodies.iter().any(|body| body.shape.patches.is_some())
                || bodies.iter().all(|body| body.rules.ignored_contacts != state)
                || (a == b && bodies[0].shape.seams.is_none())
            {
                continue;
            }
            let positions = bodies.map(|body| {
                let mut positions = Vec::new();
                match state {
                    // Rest positions are in each mesh's own frame; where the motion begins they
                    // share the world's.
                    IgnoredContacts::AtRest => body.motion.positions_at_begin(&mut positions),
                    _ => body.motion.positions(self.clock.now, &mut positions),
                }
                positions
            });
            let meshes = bodies.map(|body| &body.shape.mesh);
            let tree = |side: usize| {
                let build = bodies[side].tree.build.binary();
                RefitTree::new(Topology::build(meshes[side], &positions[side], build), meshes[side], &positions[side])
            };
            let tree_a = tree(0);
            let tree_b = (a != b).then(|| tree(1));
            let rule = PairRule::new(a == b, bodies[0].surface(), distance, &nothing)
                .without_gaps(meshes)
                .with_spheres(bodies.map(|body| match state {
                    IgnoredContacts::AtRest => body.spheres_at_rest(),
                    _ => body.spheres_at(self.clock.now),
                }));
            let rule = match state {
                IgnoredContacts::AtStart => rule.at(bodies.map(Body::side), self.clock.now),
                _ => rule,
            };
            let corners = |side: usize, triangle: u32| {
                meshes[side].triangles()[triangle as usize].map(|vertex| positions[side][vertex as usize])
            };
            candidate_triangles(&tree_a, tree_b.as_ref().unwrap_or(&tree_a), rule.box_distance(), |p, q| {
                let (p, q) = if rule.is_self { (p.min(q), p.max(q)) } else { (p, q) };
                if rule.wants(p, q) && rule.touch((p, &corners(0, p)), (q, &corners(1, q))) {
                    touching.insert((p, q));
                }
            });
        }
        touching
    }
}

/// Whether a value can be a thickness.
pub(crate) fn is_thickness(value: f64) -> bool {
    (0.0..=limits::MAX_COORDINATE).contains(&value)
}
