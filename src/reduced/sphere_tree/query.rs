//! Two posed sphere trees: do they touch, where do they touch, and how far apart are they at least.
//!
//! Depth first for all pairs, the larger sphere opened. Best first where the search may be broken off: pairs of nodes are kept by the gap
//! between their spheres, so at any time the least gap in hand is a lower bound of the bodies' distance, and pairs that are likely to touch
//! are visited first.
//!
//! Cost: a sphere is made when a pair first needs it, a vertex evaluated when a triangle first does.
//!
//! Follows Kavan, O'Sullivan and Žára 2006, §3; the search that may be broken off follows the idea of Hubbard 1995 ("Approximating
//! polyhedra with spheres for time-critical collision detection").

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ordered_float::OrderedFloat;

use super::posed::PosedSpheres;
use super::sphere::Sphere;
use crate::limits;
use crate::math::Aabb;
use crate::narrow::triangles_touch;
use crate::reduced::ReducedError;

/// What a search knows so far.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// The budget is used up; all that touches is below pairs of nodes whose spheres overlap by no more than this, metres.
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
        search.push(a, 0, b, 0);
        search
    }

    /// Looks at up to `budget` pairs more; poses must be those it was started with.
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
            match opened(a, x, b, y) {
                Opened::First => {
                    for &child in a.tree().children(x) {
                        self.push(a, child, b, y);
                    }
                }
                Opened::Second => {
                    for &child in b.tree().children(y) {
                        self.push(a, x, b, child);
                    }
                }
                Opened::Neither => {
                    self.least_of_leaves = self.least_of_leaves.min(gap.0);
                    let mut found = None;
                    touching_leaves(a, x, b, y, |p, q| {
                        found = found.or(Some((p, q)));
                        false
                    })?;
                    self.found = found;
                }
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

    fn push(&mut self, a: &mut PosedSpheres<'_>, x: u32, b: &mut PosedSpheres<'_>, y: u32) {
        self.pairs.push(Reverse((OrderedFloat(safe_gap(&a.sphere(x), &b.sphere(y))), x, y)));
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

/// All pairs of triangles that touch, in an order fixed by the trees. Returns how many pairs of spheres were visited.
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

/// Visits pairs of touching triangles while `found` says to go on.
fn descend(
    a: &mut PosedSpheres<'_>,
    b: &mut PosedSpheres<'_>,
    mut found: impl FnMut(u32, u32) -> bool,
) -> Result<u64, ReducedError> {
    let (mut stack, mut looked_at) = (vec![(0, 0)], 0);
    while let Some((x, y)) = stack.pop() {
        looked_at += 1;
        if safe_gap(&a.sphere(x), &b.sphere(y)) > 0.0 {
            continue;
        }
        match opened(a, x, b, y) {
            Opened::First => stack.extend(a.tree().children(x).iter().rev().map(|&child| (child, y))),
            Opened::Second => stack.extend(b.tree().children(y).iter().rev().map(|&child| (x, child))),
            Opened::Neither => {
                if !touching_leaves(a, x, b, y, &mut found)? {
                    break;
                }
            }
        }
    }
    Ok(looked_at)
}

enum Opened {
    First,
    Second,
    Neither,
}

/// Which node of an overlapping pair is opened: the larger one that has children.
fn opened(a: &mut PosedSpheres<'_>, x: u32, b: &mut PosedSpheres<'_>, y: u32) -> Opened {
    match (a.tree().children(x).is_empty(), b.tree().children(y).is_empty()) {
        (true, true) => Opened::Neither,
        (false, true) => Opened::First,
        (false, false) if a.sphere(x).radius >= b.sphere(y).radius => Opened::First,
        (true | false, false) => Opened::Second,
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
    a: &mut PosedSpheres<'_>,
    x: u32,
    b: &mut PosedSpheres<'_>,
    y: u32,
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
