//! Two posed sphere trees: do they touch, where do they touch, and how far apart are they at least.
//!
//! Depth first for all pairs, the larger sphere opened. Best first where the search may be broken
//! off: pairs of nodes are kept by the gap between their spheres, so at any time the least gap in
//! hand is a lower bound of the bodies' distance, and pairs that are likely to touch are visited
//! first.
//!
//! Cost: a sphere is made when a pair first needs it, a vertex evaluated when a triangle first
//! does.
//!
//! Follows Kavan, O'Sullivan and Žára 2006, §3; the search that may be broken off follows the idea
//! of Hubbard 1995 ("Approximating polyhedra with spheres for time-critical collision detection").

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Copied;
use std::ops::ControlFlow;

use ordered_float::OrderedFloat;

use super::SphereTree;
use super::posed::PosedSpheres;
use super::sphere::Sphere;
use crate::bvh::traverse::{TreePair, Visitor, leaf_pairs, open};
use crate::limits;
use crate::math::Aabb;
use crate::narrow::triangles_touch;
use crate::reduced::ReducedError;

/// What a search knows so far.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Proximity {
    /// Two triangles touch.
    Touching {
        /// That of the first body.
        a: u32,
        /// That of the second body.
        b: u32,
    },
    /// Nothing touches; the bodies are at least so far apart, metres.
    Apart {
        /// A lower bound of the distance, not negative.
        at_least: f64,
    },
    /// The budget is used up; all that touches is below pairs of nodes whose spheres overlap by no
    /// more than this, metres.
    Undecided {
        /// The depth of the deepest overlap, positive or zero.
        overlap: f64,
    },
}

/// A search for contact that may be broken off and taken up again.
#[derive(Clone, Debug)]
pub struct SphereSearch {
    /// Pairs of nodes to visit, the least gap first.
    pairs: BinaryHeap<Reverse<(OrderedFloat<f64>, u32, u32)>>,
    /// The least gap between leaves whose triangles were found not to touch.
    least_of_leaves: f64,
    found: Option<(u32, u32)>,
    looked_at: u64,
}

impl SphereSearch {
    /// Starts at the roots.
    pub fn new(a: &mut PosedSpheres<'_>, b: &mut PosedSpheres<'_>) -> Self {
        let mut search = Self { pairs: BinaryHeap::new(), least_of_leaves: f64::INFINITY, found: None, looked_at: 0 };
        search.push(&mut SpherePairs::new(a, b, ()), [0, 0]);
        search
    }

    /// Tests up to `budget` pairs more; the poses must be those with which the search was started.
    ///
    /// # Errors
    /// Those of evaluating vertices.
    pub fn run(
        &mut self,
        a: &mut PosedSpheres<'_>,
        b: &mut PosedSpheres<'_>,
        budget: u64,
    ) -> Result<Proximity, ReducedError> {
        let until = self.looked_at.saturating_add(budget);
        while let Some(&Reverse((gap, x, y))) = self.pairs.peek() {
            if let Some((a, b)) = self.found {
                return Ok(Proximity::Touching { a, b });
            }
            if gap.0 > 0.0 {
                return Ok(Proximity::Apart { at_least: gap.0.min(self.least_of_leaves).max(0.0) });
            }
            if self.looked_at >= until {
                return Ok(Proximity::Undecided { overlap: -gap.0 });
            }
            self.looked_at += 1;
            self.pairs.pop();
            let mut pair = SpherePairs::new(a, b, ());
            if !open(&mut pair, [x, y], |pair, next| self.push(pair, next)) {
                self.least_of_leaves = self.least_of_leaves.min(gap.0);
                let mut found = None;
                touching_leaves((a, x), (b, y), |p, q| {
                    found = found.or(Some((p, q)));
                    false
                })?;
                self.found = found;
            }
        }
        Ok(match self.found {
            Some((a, b)) => Proximity::Touching { a, b },
            None => Proximity::Apart { at_least: self.least_of_leaves.max(0.0) },
        })
    }

    /// How many pairs of nodes were visited.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    fn push<F>(&mut self, pairs: &mut SpherePairs<'_, '_, '_, '_, F>, [x, y]: [u32; 2]) {
        self.pairs.push(Reverse((OrderedFloat(pairs.gap([x, y])), x, y)));
    }
}

/// Whether any two triangles touch. Stops at the first pair.
///
/// # Errors
/// Those of evaluating vertices.
pub fn any_touching(a: &mut PosedSpheres<'_>, b: &mut PosedSpheres<'_>) -> Result<Option<(u32, u32)>, ReducedError> {
    let mut found = None;
    descend(a, b, |p, q| {
        found = Some((p, q));
        false
    })?;
    Ok(found)
}

/// All pairs of triangles that touch, in an order fixed by the trees. Returns how many pairs of
/// spheres were visited.
///
/// # Errors
/// Those of evaluating vertices.
pub fn all_touching(
    a: &mut PosedSpheres<'_>,
    b: &mut PosedSpheres<'_>,
    mut found: impl FnMut(u32, u32),
) -> Result<u64, ReducedError> {
    descend(a, b, |p, q| {
        found(p, q);
        true
    })
}

/// Visits pairs of touching triangles while `found` says to go on. Returns how many pairs of
/// spheres were tested.
fn descend(
    a: &mut PosedSpheres<'_>,
    b: &mut PosedSpheres<'_>,
    found: impl FnMut(u32, u32) -> bool,
) -> Result<u64, ReducedError> {
    let mut pairs = SpherePairs::new(a, b, found);
    match leaf_pairs(&mut pairs) {
        ControlFlow::Break(Err(error)) => Err(error),
        ControlFlow::Break(Ok(())) | ControlFlow::Continue(()) => Ok(pairs.tested),
    }
}

/// Two posed trees, traversed together.
struct SpherePairs<'t, 'p, 'a, 'b, F> {
    a: &'p mut PosedSpheres<'a>,
    b: &'p mut PosedSpheres<'b>,
    trees: [&'t SphereTree; 2],
    found: F,
    tested: u64,
}

impl<'t, 'p, 'a: 't, 'b: 't, F> SpherePairs<'t, 'p, 'a, 'b, F> {
    fn new(a: &'p mut PosedSpheres<'a>, b: &'p mut PosedSpheres<'b>, found: F) -> Self {
        let trees = [a.tree(), b.tree()];
        Self { a, b, trees, found, tested: 0 }
    }
}

impl<F> SpherePairs<'_, '_, '_, '_, F> {
    fn gap(&mut self, [x, y]: [u32; 2]) -> f64 {
        safe_gap(&self.a.sphere(x), &self.b.sphere(y))
    }
}

impl<'t, F> TreePair for SpherePairs<'t, '_, '_, '_, F> {
    type Children = Copied<std::slice::Iter<'t, u32>>;

    fn children_a(&self, node: u32) -> Self::Children {
        self.trees[0].children(node).iter().copied()
    }

    fn children_b(&self, node: u32) -> Self::Children {
        self.trees[1].children(node).iter().copied()
    }

    fn opens_first(&mut self, [x, y]: [u32; 2]) -> bool {
        self.a.sphere(x).radius >= self.b.sphere(y).radius
    }
}

impl<F: FnMut(u32, u32) -> bool> Visitor for SpherePairs<'_, '_, '_, '_, F> {
    type Break = Result<(), ReducedError>;

    fn are_apart(&mut self, pair: [u32; 2]) -> bool {
        self.tested += 1;
        self.gap(pair) > 0.0
    }

    fn leaves(&mut self, [x, y]: [u32; 2]) -> ControlFlow<Self::Break> {
        match touching_leaves((self.a, x), (self.b, y), &mut self.found) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(Ok(())),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }
}

/// A gap rounded down, so that spheres are called apart only if they are.
fn safe_gap(a: &Sphere, b: &Sphere) -> f64 {
    let gap = a.gap(b);
    let size = a.centre.iter().chain(&b.centre).fold(a.radius + b.radius, |size, x| size + x.abs());
    if gap.is_nan() { f64::NEG_INFINITY } else { gap - limits::ROUNDING * size }
}

/// Tests the triangles of two leaves; returns whether to go on.
fn touching_leaves(
    (a, x): (&mut PosedSpheres<'_>, u32),
    (b, y): (&mut PosedSpheres<'_>, u32),
    mut found: impl FnMut(u32, u32) -> bool,
) -> Result<bool, ReducedError> {
    let (tree_a, tree_b) = (a.tree(), b.tree());
    for &p in tree_a.triangles(x) {
        let corners_a = a.corners(p)?;
        let box_a = Aabb::of_points(&corners_a);
        for &q in tree_b.triangles(y) {
            let corners_b = b.corners(q)?;
            let touches = box_a.overlaps(&Aabb::of_points(&corners_b)) && triangles_touch(&corners_a, &corners_b);
            if touches && !found(p, q) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
