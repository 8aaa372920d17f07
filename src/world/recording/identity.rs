//! Which world it was: what files made from a world are compared by.

use std::collections::BTreeMap;

use crate::bytes::Fingerprint;
use crate::world::World;
use crate::world::body::Body;

/// A world in a few numbers of 64 bits: equal for equal meshes, motions and rules, and different,
/// but for a chance of 2⁻⁶⁴, for others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct WorldIdentity {
    /// Per body, of its triangles, and of where its vertices are over a stretch of time.
    pub bodies: Vec<u64>,
    /// Of which bodies are tested against which, from which distance, and which pairs of triangles
    /// are left out.
    pub rules: u64,
}

impl World {
    /// What tells this world from others, as regards contacts from `begin` to `end`, seconds.
    /// O(keys × vertices).
    ///
    /// Names, engines, kinds of trees and the clock do not matter: they do not change what touches.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let other = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs")).0;
    /// assert_eq!(world.identity(0.0, 2.0), other.identity(0.0, 2.0));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn identity(&self, begin: f64, end: f64) -> WorldIdentity {
        let motions = self.bodies.iter().map(|(_, body)| body.motion.fingerprint(begin, end)).collect::<Vec<_>>();
        self.identity_frame().with(motions)
    }

    /// What [`World::identity`] is made of, but for the motions of the bodies. O(triangles).
    pub(crate) fn identity_frame(&self) -> IdentityFrame {
        let mut rules = Fingerprint::new();
        let places: BTreeMap<u32, u64> = self.bodies.iter().map(|(id, _)| id.index()).zip(0..).collect();
        let place_of = |index: u32| places.get(&index).copied().unwrap_or(u64::MAX);
        for (place, (id, body)) in self.bodies.iter().enumerate() {
            for number in
                [place as u64, body.rules.filter.category, body.rules.filter.mask, u64::from(body.rules.neighbours)]
            {
                rules.word(number);
            }
            rules.word((body.rules.thickness + 0.0).to_bits());
            body.add_seams(&mut rules);
            for (other, watched) in self.pairs.rules.decisions.of(id.index()) {
                [place as u64, place_of(other), u64::from(watched)].into_iter().for_each(|number| rules.word(number));
            }
        }
        for (&(a, b), distance) in &self.pairs.rules.distances {
            [place_of(a), place_of(b), distance.to_bits()].into_iter().for_each(|number| rules.word(number));
        }
        for (&(a, b), ignored) in &self.pairs.rules.ignored {
            [place_of(a), place_of(b), ignored.len() as u64].into_iter().for_each(|number| rules.word(number));
            ignored.iter().for_each(|&(p, q)| rules.word(u64::from(p) << 32 | u64::from(q)));
        }
        let bodies = self.bodies.iter().map(|(_, body)| body.identity()).collect();
        IdentityFrame { bodies, rules: rules.value() }
    }

    /// Fingerprints of the motion of the body at a place in their order over spans, seconds, as
    /// [`World::identity`] has them. O(keys × vertices).
    #[cfg(feature = "io")]
    pub(crate) fn motion_fingerprints(&self, place: usize, spans: &[[f64; 2]]) -> Option<Vec<u64>> {
        self.bodies.iter().nth(place).map(|(_, body)| body.motion.fingerprints(spans))
    }
}

/// The identity of a world without the motions of its bodies.
#[derive(Clone, Debug)]
pub(crate) struct IdentityFrame {
    /// Per body, of all that goes before its motion.
    bodies: Vec<Fingerprint>,
    rules: u64,
}

impl IdentityFrame {
    /// Of what counts as contact.
    #[cfg(feature = "io")]
    pub(crate) fn rules(&self) -> u64 {
        self.rules
    }

    /// The identity, with the fingerprint of the motion of each body.
    pub(crate) fn with(&self, motions: impl IntoIterator<Item = u64>) -> WorldIdentity {
        let of_body = |(&(mut hash), motion): (&Fingerprint, u64)| {
            hash.word(motion);
            hash.value()
        };
        WorldIdentity { bodies: self.bodies.iter().zip(motions).map(of_body).collect(), rules: self.rules }
    }
}

impl Body {
    /// Of its triangles; the fingerprint of its motion is to follow.
    fn identity(&self) -> Fingerprint {
        let mut hash = Fingerprint::new();
        hash.word(self.shape.mesh.vertex_count() as u64);
        for (number, corners) in self.shape.mesh.triangles().iter().enumerate() {
            hash.word(u64::from(self.shape.mesh.has_triangle(number as u32)));
            corners.iter().for_each(|&corner| hash.word(u64::from(corner)));
        }
        hash.word(u64::from(self.shape.patches.is_some()));
        hash
    }

    /// Whether it is tested against itself, and which corners are one there.
    fn add_seams(&self, hash: &mut Fingerprint) {
        match &self.shape.seams {
            None => hash.word(u64::MAX),
            Some(seams) => {
                (0..self.shape.mesh.vertex_count() as u32)
                    .for_each(|vertex| hash.word(u64::from(seams.representative(vertex))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::{Mesh, Patch, Patches};
    use crate::motion::Flightplan;
    use crate::world::{BodyDef, Filter, World, WorldDef};

    #[test]
    fn patches_are_not_the_triangles_of_their_net() {
        let plan = || Flightplan::fixed(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]]);
        let [mut patches, mut triangles] = [(); 2].map(|()| World::new(WorldDef::new()).unwrap());
        let patch = Patch::bezier([1, 1], vec![0, 1, 2, 3]);
        let id = patches.add_body(BodyDef::new(Patches::new(4, vec![patch]).unwrap(), plan())).unwrap();
        let net = patches.bodies.at(id.index()).shape.mesh.clone();
        triangles.add_body(BodyDef::new(net, plan())).unwrap();
        let [of_patches, of_triangles] = [patches, triangles].map(|world| world.identity(0.0, 1.0));
        assert_eq!(of_patches.rules, of_triangles.rules);
        assert_ne!(of_patches.bodies, of_triangles.bodies);
    }

    #[test]
    fn worlds_with_other_filters_or_neighbours_have_other_rules() {
        let rules = |change: fn(BodyDef) -> BodyDef| {
            let mut world = World::new(WorldDef::new()).unwrap();
            let plan = Flightplan::fixed(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
            let def = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan).self_contact(true);
            world.add_body(change(def)).unwrap();
            world.identity(0.0, 1.0).rules
        };
        let changes: [fn(BodyDef) -> BodyDef; 4] = [
            |def| def,
            |def| def.filter(Filter::new(2, u64::MAX)),
            |def| def.filter(Filter::new(1, 3)),
            |def| def.neighbours(true),
        ];
        let all = changes.map(rules);
        for (place, one) in all.iter().enumerate() {
            assert!(!all[..place].contains(one), "{place}: {all:?}");
        }
    }
}
