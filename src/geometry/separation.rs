//! Two surfaces at a time: how far they are apart, or how they cross.

use super::measure::Measure;
use super::pieces::Pieces;
use super::surface::Surface;
use crate::math::Aabb;
use crate::math::vector::{Vector, distance, largest, plus, times};
use crate::narrow::proximity::{GUESS_ERROR, nearest, nearest_precisely};
use crate::narrow::triangles_touch;

/// The closest points of two surfaces that are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Gap {
    /// Distance of the surfaces, metres.
    pub distance: f64,
    /// A closest point of each surface, metres.
    pub points: [[f64; 3]; 2],
    /// The triangles of these points.
    pub triangles: [u32; 2],
}

/// Two surfaces at a time; see [`separation`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Separation {
    /// No two triangles touch, and no part of one surface lies inside of the other.
    Apart(Gap),
    /// Triangles touch, or a part of one surface lies inside of a closed part of the other.
    Penetrating(Box<Measure>),
}

/// Returns how far two surfaces are apart, or how they cross.
///
/// Whether triangles touch is exact, and so is whether a part lies inside of a closed part. The
/// distance has an error of at most 2⁻⁴⁶ times the largest coordinate, for triangles whose angles
/// exceed 10⁻⁴ radians. It is the distance of points of both surfaces, hence never too small.
///
/// O(n) memory; time O(log n) for surfaces that are far apart, otherwise proportional to the number
/// of nearly closest or touching pairs, and of triangles inside.
pub fn separation(a: &Surface, b: &Surface) -> Separation {
    let touching = touching_pairs(a, b);
    let pieces = Pieces::new(a, b, &touching);
    if touching.is_empty() && !has_part_inside(a, b) && !has_part_inside(b, a) {
        return Separation::Apart(gap(a, b));
    }
    Separation::Penetrating(Box::new(Measure::of(a, b, &pieces, true)))
}

/// Returns all pairs of triangles of two surfaces that touch, ascending. Exact.
///
/// O(log n + pairs of triangles with boxes that overlap).
pub fn touching_pairs(a: &Surface, b: &Surface) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    let (boxes_a, boxes_b) = (a.boxes(), b.boxes());
    let mut stack = vec![(0, 0)];
    while let Some((p, q)) = stack.pop() {
        if !boxes_a[p as usize].overlaps(&boxes_b[q as usize]) {
            continue;
        }
        let (of_p, of_q) = (a.fixed.topology().node(p).children(), b.fixed.topology().node(q).children());
        let descends_first =
            of_q.is_empty() || (!of_p.is_empty() && size(&boxes_a[p as usize]) >= size(&boxes_b[q as usize]));
        if of_p.is_empty() && of_q.is_empty() {
            for &s in a.fixed.topology().primitives(p) {
                let first = a.triangle(s);
                let others = b.fixed.topology().primitives(q).iter();
                found.extend(others.filter(|&&t| triangles_touch(&first, &b.triangle(t))).map(|&t| [s, t]));
            }
        } else if descends_first {
            stack.extend(of_p.iter().map(|&child| (child, q)));
        } else {
            stack.extend(of_q.iter().map(|&child| (p, child)));
        }
    }
    found.sort_unstable();
    found
}

fn size(bounds: &Aabb) -> f64 {
    bounds.sides().iter().sum()
}

/// Whether some part of a surface that does not touch the other one lies inside of it.
fn has_part_inside(of: &Surface, body: &Surface) -> bool {
    let parts = 0..of.fixed.is_part_closed.len() as u32;
    body.has_closed_part()
        && parts
            .filter_map(|part| of.fixed.of_part.of(part).first())
            .any(|&triangle| body.encloses(&of.welded_triangle(triangle)[0]))
}

/// The squared distance of two boxes, 0 if they overlap.
fn square_between(a: &Aabb, b: &Aabb) -> f64 {
    let gaps: Vector = std::array::from_fn(|axis| (a.min[axis] - b.max[axis]).max(b.min[axis] - a.max[axis]).max(0.0));
    gaps.iter().map(|gap| gap * gap).sum()
}

/// The closest points of surfaces that do not touch.
fn gap(a: &Surface, b: &Surface) -> Gap {
    let mut best = first_guess(a, b);
    let mut square = best.distance * best.distance;
    let room = GUESS_ERROR * largest(&[a.bounds().min, a.bounds().max, b.bounds().min, b.bounds().max]);
    let (boxes_a, boxes_b) = (a.boxes(), b.boxes());
    let mut stack = vec![(square_between(&boxes_a[0], &boxes_b[0]), 0, 0)];
    while let Some((bound, p, q)) = stack.pop() {
        if bound >= square {
            continue;
        }
        let (of_p, of_q) = (a.fixed.topology().node(p).children(), b.fixed.topology().node(q).children());
        if of_p.is_empty() && of_q.is_empty() {
            for &s in a.fixed.topology().primitives(p) {
                for &t in b.fixed.topology().primitives(q) {
                    // Few pairs need the precise distance.
                    if nearest(&a.triangle(s), &b.triangle(t)).square.sqrt() >= best.distance + room {
                        continue;
                    }
                    let found = gap_of(a, s, b, t);
                    if found.distance < best.distance {
                        (best, square) = (found, found.distance * found.distance);
                    }
                }
            }
            continue;
        }
        let first = of_q.is_empty() || (!of_p.is_empty() && size(&boxes_a[p as usize]) >= size(&boxes_b[q as usize]));
        let pairs = if first {
            of_p.iter().map(|&child| (child, q)).collect::<Vec<_>>()
        } else {
            of_q.iter().map(|&child| (p, child)).collect()
        };
        let bound = |&(p, q): &(u32, u32)| square_between(&boxes_a[p as usize], &boxes_b[q as usize]);
        let mut pairs: Vec<(f64, u32, u32)> = pairs.iter().map(|pair| (bound(pair), pair.0, pair.1)).collect();
        pairs.sort_by(|x, y| y.0.total_cmp(&x.0));
        stack.extend(pairs);
    }
    best
}

/// The distance of the middle of the second surface's box from the first surface, then back.
fn first_guess(a: &Surface, b: &Surface) -> Gap {
    let on_a = a.closest(&b.bounds().centre(), false);
    let on_b = b.closest(&on_a.point, false);
    gap_of(a, on_a.triangle, b, on_b.triangle)
}

fn gap_of(a: &Surface, s: u32, b: &Surface, t: u32) -> Gap {
    let (first, second) = (a.triangle(s), b.triangle(t));
    let found = nearest_precisely(&first, &second);
    let blend = |corners: &[Vector; 3], weights: &[f64; 3]| {
        (0..3).fold([0.0; 3], |sum, corner| plus(&sum, &times(&corners[corner], weights[corner])))
    };
    let points = [blend(&first, &found.a), blend(&second, &found.b)];
    Gap { distance: distance(&points[0], &points[1]), points, triangles: [s, t] }
}
