//! Candidates: pairs of primitives whose boxes overlap, and the host's narrow phase for them.
//!
//! The library decides pairs of triangles, segments and points exactly. What touches a patch is
//! decided by the host, which is shown every pair that the boxes do not separate:
//!
//! ```text
//! overlapping leaves of watched bodies ─► pairs of primitives with overlapping boxes ─► NarrowPhase::touch ─► the host's contacts
//! ```
//!
//! A pair is a candidate at the clock's time exactly if its bodies are watched, the box of the one
//! primitive's points, grown by the distance from which the bodies count as touching, overlaps that
//! of the other's, and, within one body, the two have no common (or welded) point unless the body
//! wants neighbours. Positions are those evaluated at the clock's time. All engines give the same
//! candidates in the same order; engines other than kinetic compare all primitives of the two
//! bodies.

use std::collections::BTreeMap;

use crate::bvh::Topology;
use crate::id::BodyId;
use crate::math::Aabb;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::{Body, Index};
use crate::world::error::WorldError;
use crate::world::pair::BodyPair;

/// Two primitives whose boxes overlap: triangles (points and segments among them) or spans of
/// patches. `a` has the lower index; of one body, the first primitive has the lower number.
///
/// Ordered by bodies, then primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Candidate {
    /// The first body.
    pub a: BodyId,
    /// The second body.
    pub b: BodyId,
    /// A primitive of the first body.
    pub primitive_a: u32,
    /// A primitive of the second body.
    pub primitive_b: u32,
}

impl Candidate {
    /// A candidate of two bodies, the lower index first, and their primitives.
    pub const fn new([a, b]: [BodyId; 2], [primitive_a, primitive_b]: [u32; 2]) -> Self {
        Self { a, b, primitive_a, primitive_b }
    }
}

/// A primitive at the clock's time.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PrimitiveAt<'a> {
    /// Its body; [`World::patches`] and [`World::mesh`] tell what it is made of.
    pub body: BodyId,
    /// A triangle, or a span of patches.
    pub primitive: u32,
    /// Its vertices: three corners, or control points row by row.
    pub vertices: &'a [u32],
    /// Where these are, metres.
    pub positions: &'a [[f64; 3]],
}

/// A host's test of two primitives.
pub trait NarrowPhase {
    /// Returns whether they count as touching. `distance` is from where on (metres) the two bodies,
    /// or the one with itself, do by their thicknesses or by [`World::set_pair_thickness`]; 0 for
    /// contact proper.
    fn touch(&mut self, a: PrimitiveAt<'_>, b: PrimitiveAt<'_>, distance: f64) -> bool;
}

impl World {
    /// Candidates of all pairs of bodies of which at least one is made of patches, in their order,
    /// one pair of bodies after the other.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::{BodyDef, Flightplan, Patch, Patches};
    ///
    /// let sheet = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])])?;
    /// let corners = vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
    /// let sheet = world.add_body(BodyDef::new(sheet, Flightplan::fixed(corners)).named("sheet"))?;
    /// let candidates: Vec<_> = world.candidates().collect();
    /// assert_eq!((candidates.len(), candidates[0].a, candidates[0].b), (1, floor, sheet));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> {
        self.hosted_pairs().into_iter().flat_map(|pair| self.candidates_of(pair))
    }

    /// Candidates of two bodies, or of one with itself, whatever they are made of, in their order;
    /// none unless the pair is watched. `a` and `b` may come in either order.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.candidates_between(floor, ball)?.len(), 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn candidates_between(&self, a: BodyId, b: BodyId) -> Result<Vec<Candidate>, WorldError> {
        Ok(self.pair_of(a, b)?.map(|pair| self.candidates_of(pair)).unwrap_or_default())
    }

    /// Shows the host every candidate of [`World::candidates`], in that order; returns those that
    /// it says touch.
    ///
    /// Nothing of this is kept: [`World::contacts`] holds only what the library decides.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::{BodyDef, Flightplan, NarrowPhase, Patch, Patches, PrimitiveAt};
    ///
    /// struct Near;
    /// impl NarrowPhase for Near {
    ///     fn touch(&mut self, a: PrimitiveAt<'_>, b: PrimitiveAt<'_>, _distance: f64) -> bool {
    ///         // The host's own test; positions are metres.
    ///         a.positions.iter().any(|p| b.positions.contains(p))
    ///     }
    /// }
    ///
    /// let sheet = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])])?;
    /// let corners = vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
    /// world.add_body(BodyDef::new(sheet, Flightplan::fixed(corners)).named("sheet"))?;
    /// assert_eq!(world.candidates().count(), 1); // The sheet and the floor.
    /// assert_eq!(world.test_candidates(&mut Near).len(), 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn test_candidates(&self, host: &mut impl NarrowPhase) -> Vec<Candidate> {
        let mut touching = Vec::new();
        for pair in self.hosted_pairs() {
            self.test_pair(pair, host, &mut touching);
        }
        touching
    }

    /// The same for two bodies, or one with itself, whatever they are made of.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`].
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::{NarrowPhase, PrimitiveAt};
    ///
    /// struct Yes;
    /// impl NarrowPhase for Yes {
    ///     fn touch(&mut self, _: PrimitiveAt<'_>, _: PrimitiveAt<'_>, _: f64) -> bool {
    ///         true
    ///     }
    /// }
    /// world.advance_to(1.0)?;
    /// assert_eq!(world.test_candidates_between(floor, ball, &mut Yes)?.len(), 1);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn test_candidates_between(
        &self,
        a: BodyId,
        b: BodyId,
        host: &mut impl NarrowPhase,
    ) -> Result<Vec<Candidate>, WorldError> {
        let mut touching = Vec::new();
        if let Some(pair) = self.pair_of(a, b)? {
            self.test_pair(pair, host, &mut touching);
        }
        Ok(touching)
    }

    fn test_pair(&self, pair: &BodyPair, host: &mut impl NarrowPhase, touching: &mut Vec<Candidate>) {
        let bodies = [self.bodies.at(pair.a), self.bodies.at(pair.b)];
        let mut positions = [Vec::new(), Vec::new()];
        for candidate in self.candidates_of(pair) {
            let sides = [(candidate.a, candidate.primitive_a), (candidate.b, candidate.primitive_b)];
            for side in 0..2 {
                let vertices = bodies[side].points_of(sides[side].1).iter();
                positions[side].clear();
                positions[side].extend(vertices.map(|&vertex| bodies[side].motion.position(vertex, self.clock.now)));
            }
            let [a, b] = std::array::from_fn(|side| PrimitiveAt {
                body: sides[side].0,
                primitive: sides[side].1,
                vertices: bodies[side].points_of(sides[side].1),
                positions: &positions[side],
            });
            if host.touch(a, b, pair.distance) {
                touching.push(candidate);
            }
        }
    }

    /// The watched pairs with patches, by bodies.
    fn hosted_pairs(&self) -> Vec<&BodyPair> {
        let hosted = self.pairs.iter().map(|(_, pair)| pair).filter(|pair| pair.is_hosted());
        let mut pairs: Vec<&BodyPair> = hosted.collect();
        pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
        pairs
    }

    /// The watched pair of two bodies, or of one with itself.
    fn pair_of(&self, a: BodyId, b: BodyId) -> Result<Option<&BodyPair>, WorldError> {
        let body = self.bodies.find(a)?;
        self.bodies.find(b)?;
        let wanted = (a.index().min(b.index()), a.index().max(b.index()));
        let mut pairs = body.pairs.iter().map(|&number| &self.pairs[number]);
        Ok(pairs.find(|pair| (pair.a, pair.b) == wanted))
    }

    fn candidates_of(&self, pair: &BodyPair) -> Vec<Candidate> {
        let (a, b) = (self.bodies.at(pair.a), self.bodies.at(pair.b));
        let (is_self, now) = (pair.a == pair.b, self.clock.now);
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut compare = |of_a: &[(u32, Aabb)], of_b: &[(u32, Aabb)]| {
            for (p, box_p) in of_a {
                let reach = box_p.grown(pair.distance);
                let meeting = of_b.iter().filter(|(_, box_q)| reach.overlaps(box_q));
                found.extend(meeting.map(|&(q, _)| if is_self { (*p.min(&q), *p.max(&q)) } else { (*p, q) }));
            }
        };
        if let (Some(list), Index::Kinetic(tree_a), Index::Kinetic(tree_b)) = (pair.finder.list(), &a.index, &b.index) {
            let mut leaves: Vec<(u32, u32)> = list.overlapping().collect();
            leaves.sort_unstable();
            let mut boxes = [BTreeMap::new(), BTreeMap::new()];
            for (leaf_a, leaf_b) in leaves {
                let [boxes_a, boxes_b] = &mut boxes;
                let of_a = boxes_a.entry(leaf_a).or_insert_with(|| leaf_boxes(a, tree_a.topology(), leaf_a, now));
                let of_b = boxes_b.entry(leaf_b).or_insert_with(|| leaf_boxes(b, tree_b.topology(), leaf_b, now));
                compare(of_a, of_b);
            }
        } else {
            let all = |body: &Body| -> Vec<(u32, Aabb)> {
                let there = (0..body.primitive_count() as u32).filter(|&p| body.has_primitive(p));
                there.map(|p| (p, body.primitive_box(p, now))).collect()
            };
            compare(&all(a), &all(b));
        }
        found.sort_unstable();
        found.dedup();
        let is_wanted = |&(p, q): &(u32, u32)| {
            let is_stranger = || a.rules.neighbours || !a.share_point(p, q);
            (!is_self || (p != q && is_stranger())) && !pair.ignored.contains(&(p, q))
        };
        found.retain(is_wanted);
        let (a, b) = (self.bodies.id_at(pair.a), self.bodies.id_at(pair.b));
        found.into_iter().map(|(primitive_a, primitive_b)| Candidate { a, b, primitive_a, primitive_b }).collect()
    }
}

/// The boxes of the primitives of a leaf.
fn leaf_boxes(body: &Body, topology: &Topology, leaf: u32, now: Moment) -> Vec<(u32, Aabb)> {
    topology.primitives(leaf).iter().map(|&primitive| (primitive, body.primitive_box(primitive, now))).collect()
}
