//! Pairs of two refitted bodies (swept ones, and bounded ones of which most is in contact), or of one with itself, from one look to the next: the front of their trees ([`RefitFront`]).
//!
//! A front belongs to two shapes of trees: where a body is edited, or its tree is built anew, the pair begins from the root. How bodies moved
//! in between is of no concern to it. Whoever rests between two looks of this kind, or goes another way for a while, finds the front as it was.

use std::collections::BTreeSet;

use crate::narrow::ContactRule;
use crate::refit::RefitFront;
use crate::world::rule::PairRule;
use crate::world::{Body, BodyPair, World};

/// A front, and the shapes of trees it is of.
#[derive(Debug)]
pub(crate) struct Front {
    tracked: RefitFront,
    shapes: [u64; 2],
    /// Looks since it was needed.
    pub(crate) idle: u32,
}

impl Front {
    /// The pairs of triangles of two refitted bodies that have to be tested, all others being apart or not asked about; of one body the lower
    /// number first. `None` if their trees are not suited: wide leaves, spheres, or neighbours that are tested for what else they share.
    pub(crate) fn look(
        kept: &mut Option<Box<Self>>,
        pair: &BodyPair,
        (a, b): (&Body, &Body),
    ) -> Option<Vec<(u32, u32)>> {
        let rule = PairRule::new(pair, a);
        if [a, b].iter().any(|body| body.motion.spheres().is_some()) || (rule.is_self && a.neighbours) {
            return None;
        }
        let ((tree_a, shape_a), (tree_b, shape_b)) = (a.refitted()?, b.refitted()?);
        let shapes = [shape_a, shape_b];
        if kept.as_ref().is_none_or(|kept| kept.shapes != shapes) {
            let front = match a.seams.as_ref().filter(|_| rule.is_self) {
                Some(seams) => RefitFront::within(tree_a, a.mesh.triangles(), seams),
                None => RefitFront::between(tree_a, tree_b),
            };
            *kept = Some(Box::new(Self { tracked: front?, shapes, idle: 0 }));
        }
        let kept = kept.as_mut()?;
        let mut found: Vec<(u32, u32)> = Vec::new();
        kept.tracked.look(tree_a, tree_b, rule.distance(), |p, q| {
            let (p, q) = if rule.is_self { (p.min(q), p.max(q)) } else { (p, q) };
            if !rule.ignores(p, q) {
                found.push((p, q));
            }
        });
        Some(found)
    }

    /// The leaves of one of the bodies, 0 or 1, that met a leaf of the other at the last look, counted in the order of its tree.
    pub(crate) fn met(&self, side: usize) -> impl Iterator<Item = usize> {
        self.tracked.met(side)
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.tracked.bytes()
    }
}

impl World {
    /// Gives up fronts, and refitted boxes, of what goes by windows: they were made when nobody knew yet how often the host looks.
    pub(crate) fn end_trials(&mut self) {
        if !(self.step > 0.0) || !self.has_trials {
            return;
        }
        self.has_trials = self.bodies.iter().any(|(_, body)| body.has_both_modes());
        let mut is_needed = BTreeSet::new();
        for (_, pair) in &mut self.pairs {
            if [pair.a, pair.b].iter().all(|&body| self.bodies.at(body).is_settled_window()) {
                pair.front = None;
            } else {
                is_needed.extend([pair.a, pair.b]);
            }
        }
        let all: Vec<u32> = self.bodies.iter().map(|(id, _)| id.index()).collect();
        for index in all.into_iter().filter(|index| !is_needed.contains(index)) {
            let body = self.bodies.at_mut(index);
            if body.is_settled_window() {
                body.drop_refit();
            }
        }
    }
}
