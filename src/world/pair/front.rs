//! Pairs of two refitted bodies, or of one with itself, from one step to the next: the front of
//! their trees ([`RefitFront`]).
//!
//! Refitted are discrete bodies in refit mode, and on-demand bodies of which most is in contact. A
//! front belongs to two shapes of trees: where a body is edited, its tree is rebuilt, or it gets or
//! loses bounds, the pair begins from the root. How the bodies moved in between does not matter to
//! a front, so a front that was not used for some steps is still valid.

use crate::narrow::ContactRule;
use crate::refit::RefitFront;
use crate::world::body::Body;
use crate::world::pair::BodyPair;
use crate::world::pair::scratch::Scratch;

/// The front of two refitted trees.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Front {
    /// The front, and the shapes of the trees it belongs to; `None` before the first step, and for
    /// trees that are not suited.
    kept: Option<(RefitFront, [u64; 2])>,
    /// Memory for the front.
    #[cfg_attr(feature = "record", serde(skip))]
    spare: Scratch<Option<RefitFront>>,
}

impl Front {
    /// Whether a front serves two bodies: spheres, and neighbours that are tested for what else
    /// they share, are not suited.
    pub(crate) fn suits(pair: &BodyPair, (a, b): (&Body, &Body)) -> bool {
        !(a.is_of_spheres() || b.is_of_spheres() || (pair.is_self() && a.rules.neighbours))
    }

    /// Appends the pairs of triangles of two refitted bodies that must be tested; all others are
    /// apart or not asked about. Of one body the lower number comes first. Returns false if the
    /// trees are not up to date or not suited: wide leaves, or see [`Front::suits`].
    pub(crate) fn update(&mut self, pair: &BodyPair, (a, b): (&Body, &Body), found: &mut Vec<(u32, u32)>) -> bool {
        if !Self::suits(pair, (a, b)) {
            return false;
        }
        let rule = pair.rule(a);
        let (Some((tree_a, shape_a)), Some((tree_b, shape_b))) = (a.refitted(), b.refitted()) else { return false };
        let shapes = [shape_a, shape_b];
        if self.kept.as_ref().is_none_or(|(_, kept)| *kept != shapes) {
            self.empty();
            let seams = a.shape.seams.as_ref().filter(|_| rule.is_self);
            let front = match (seams, self.spare.0.take()) {
                (Some(seams), _) => RefitFront::within(tree_a, &a.shape.mesh, seams),
                (None, Some(spare)) => spare.restarted(tree_a, tree_b),
                (None, None) => RefitFront::between(tree_a, tree_b),
            };
            self.kept = front.map(|front| (front, shapes));
        }
        let Some((front, _)) = self.kept.as_mut() else { return false };
        front.look(tree_a, tree_b, rule.distance(), |p, q| {
            let (p, q) = if rule.is_self { (p.min(q), p.max(q)) } else { (p, q) };
            if !rule.ignores(p, q) {
                found.push((p, q));
            }
        });
        true
    }

    /// Forgets the front, and keeps its memory.
    pub(crate) fn empty(&mut self) {
        if let Some((front, _)) = self.kept.take() {
            self.spare.0 = Some(front);
        }
    }

    /// The leaves of one of the bodies, 0 or 1, that met a leaf of the other in the last step,
    /// counted in the order of its tree.
    pub(crate) fn met(&self, side: usize) -> impl Iterator<Item = usize> {
        self.kept.iter().flat_map(move |(front, _)| front.met(side))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let kept = self.kept.as_ref().map(|(front, _)| front);
        kept.into_iter().chain(&self.spare.0).map(RefitFront::bytes).sum()
    }
}
