//! Penetration depth: the greatest distance of a point of one surface, inside of another one, from
//! the boundary of that inside.
//!
//! Let s(p) be the distance of p from the closed parts of B, negative outside of B. The depth of
//! triangles of A is the maximum of s over their points, or 0 if that is negative. Branch and bound
//! over parts of these triangles encloses it. Bounds of s over a part with corners cᵢ and centre m:
//!
//! - s(p) ≤ s(m) + maxᵢ |cᵢ − m|, since s changes by at most the distance moved;
//! - s(p) ≤ λ d(p, t) + (1 − λ) d(p, u) ≤ maxᵢ (λ d(cᵢ, t) + (1 − λ) d(cᵢ, u)) for triangles t, u
//!   of B and λ in [0, 1], since the distance from a convex set is convex. With the triangle
//!   closest to m this bound is exact where one face is nearest to the whole part; with two
//!   triangles and the best λ it is exact where s has a ridge between two faces. Neither is divided
//!   far.
//!
//! The part with the largest bound is divided at its longest edge until the bound is close to the
//! largest s found at any point, or the budget is spent. The enclosure holds in both cases.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::closest::closest_on_triangle;
use super::surface::Surface;
use crate::limits;
use crate::math::vector::{Vector, distance, largest, plus, times};

/// Which depths a search is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// Depths up to this are of no interest, metres.
    pub(super) floor: f64,
    /// Width of the enclosure that ends the search, relative to the depth.
    relative: f64,
}

impl Aim {
    /// The depth, whatever it is.
    pub(super) const DEPTH: Self = Self { floor: 0.0, relative: 1.0 / 1024.0 };

    /// Depths above one that is known, to be compared with it; `coarse` ones have an enclosure 8
    /// times as wide.
    pub(super) fn above(floor: f64, coarse: bool) -> Self {
        Self { floor, relative: Self::DEPTH.relative * if coarse { 8.0 } else { 1.0 } }
    }
}

/// Most divisions of parts, besides two for each triangle.
const BUDGET: usize = 4096;

/// The same as long as no point inside was found.
const BUDGET_OUTSIDE: usize = 256;

/// How deep a surface penetrates a closed one.
///
/// The depth is in `[lo, hi]`. The search ends when `hi` exceeds `lo` by at most a 1024th, or when
/// its budget is spent: 4096 divisions, and two for each triangle; 256 instead of 4096 as long as
/// no point inside was found. `lo` is 0 if none was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Depth {
    /// Lower bound of the depth, metres.
    pub lo: f64,
    /// Upper bound of the depth, metres.
    pub hi: f64,
    /// The surface that the deepest point belongs to: 0 for the first, 1 for the second.
    pub surface: usize,
    /// A point of that surface at depth `lo` inside the other one, metres. Where `lo` is 0, some
    /// point of that surface; `nearest` is then its closest point.
    pub point: [f64; 3],
    /// The closest point of the other surface, metres.
    pub nearest: [f64; 3],
    /// The triangles of both points: of the first, and of the second surface.
    pub triangles: [u32; 2],
}

/// A part of a triangle, and an upper bound of s in it.
struct Cell {
    bound: f64,
    corners: [Vector; 3],
    triangle: u32,
    /// Triangles of the body that may be near.
    guesses: [Option<u32>; 2],
    /// Order of creation: breaks ties.
    number: u32,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

/// A point of the penetrating surface with its s.
#[derive(Clone, Copy)]
struct Sample {
    depth: f64,
    point: Vector,
    nearest: Vector,
    triangle: u32,
    other: u32,
}

struct Search<'a> {
    body: &'a Surface,
    best: Option<Sample>,
    aim: Aim,
    cells: BinaryHeap<Cell>,
    created: u32,
    rounding: f64,
}

/// A vertex of a region: its s if it lies inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexDepth {
    depth: f64,
    nearest: Vector,
    other: u32,
}

/// The depth of a vertex that lies inside of the body, if it exceeds `floor`; otherwise an upper
/// bound of it, at most `floor`.
pub(super) fn vertex_depth(body: &Surface, point: &Vector, guess: Option<u32>, floor: f64) -> VertexDepth {
    let closest = body.closest_or_near(point, guess, floor);
    VertexDepth { depth: closest.distance, nearest: closest.point, other: closest.triangle }
}

impl VertexDepth {
    pub(super) fn other(&self) -> u32 {
        self.other
    }

    pub(super) fn nearest(&self) -> Vector {
        self.nearest
    }

    pub(super) fn depth(&self) -> f64 {
        self.depth
    }
}

/// Encloses the depth of some triangles of a surface in a body with closed parts. `vertex` returns
/// the depth of a welded vertex inside the body, or nothing if it lies outside; it is known for all
/// corners of the triangles. `side` is the number of the surface, 0 or 1.
///
/// Where no depth is above the floor of `aim`, `lo` is any number up to that.
pub(super) fn depth_of(
    of: &Surface,
    body: &Surface,
    triangles: &[u32],
    vertex: impl Fn(u32) -> Option<VertexDepth>,
    side: usize,
    aim: Aim,
) -> Depth {
    let size = largest(&[of.bounds().min, of.bounds().max, body.bounds().min, body.bounds().max]);
    let rounding = limits::DISTANCE_ROUNDING * size;
    let mut search = Search { body, best: None, aim, cells: BinaryHeap::new(), created: 0, rounding };
    let own = 2 * triangles.len();
    for &triangle in triangles {
        let welded = of.fixed.welded[triangle as usize];
        for vertex in welded.map(|corner| (of.positions[corner as usize], vertex(corner))) {
            if let (point, Some(VertexDepth { depth, nearest, other })) = vertex {
                search.improve(Sample { depth, point, nearest, triangle, other });
            }
        }
    }
    for &triangle in triangles {
        let corners = of.triangle(triangle);
        let welded = of.fixed.welded[triangle as usize];
        let known = welded.map(&vertex);
        let reach = |from: usize| corners.iter().map(|p| distance(p, &corners[from])).fold(0.0, f64::max);
        let mut bound = f64::INFINITY;
        for (corner, known) in known.iter().enumerate() {
            // Not of a vertex that has left the one it is welded to.
            if of.positions[welded[corner] as usize] == corners[corner] {
                bound = bound.min(known.map_or(0.0, |known| known.depth) + reach(corner));
            }
        }
        let mut near = known.iter().flatten().map(|known| known.other);
        let first = near.next();
        let guesses = [first, near.find(|&other| Some(other) != first)];
        if let Some(first) = first
            && !search.is_close(bound)
        {
            bound = bound.min(search.farthest(&corners, first, guesses[1]));
        }
        search.push(bound, corners, triangle, guesses);
    }
    let bound = search.run(own);
    search.result(bound, side, of)
}

impl Search<'_> {
    fn lowest(&self) -> f64 {
        self.best.map_or(self.aim.floor, |best| best.depth.max(self.aim.floor))
    }

    fn is_close(&self, bound: f64) -> bool {
        bound <= self.lowest() * (1.0 + self.aim.relative) + self.rounding
    }

    fn improve(&mut self, sample: Sample) {
        if self.best.is_none_or(|best| sample.depth > best.depth) {
            self.best = Some(sample);
        }
    }

    fn push(&mut self, bound: f64, corners: [Vector; 3], triangle: u32, guesses: [Option<u32>; 2]) {
        self.cells.push(Cell { bound, corners, triangle, guesses, number: self.created });
        self.created += 1;
    }

    /// Distances of the corners of a part from a triangle of the body.
    fn distances(&self, corners: &[Vector; 3], other: u32) -> [f64; 3] {
        let other = self.body.triangle(other);
        corners.map(|corner| distance(&corner, &closest_on_triangle(&corner, &other).0))
    }

    /// A bound of the distance of a part from the body by one or two of its triangles.
    fn farthest(&self, corners: &[Vector; 3], first: u32, second: Option<u32>) -> f64 {
        let first = self.distances(corners, first);
        second.map_or(greatest(&first), |second| least_blend(&first, &self.distances(corners, second)))
    }

    /// Divides parts; returns an upper bound of all of them.
    fn run(&mut self, own: usize) -> f64 {
        for count in 0..own + BUDGET {
            if count >= own + BUDGET_OUTSIDE && self.lowest() == 0.0 {
                break;
            }
            let Some(cell) = self.cells.pop() else {
                return self.lowest();
            };
            if self.is_close(cell.bound) {
                return cell.bound;
            }
            self.divide(&cell);
        }
        self.cells.peek().map_or(self.lowest(), |cell| cell.bound)
    }

    fn divide(&mut self, cell: &Cell) {
        let corners = &cell.corners;
        let third = 1.0 / 3.0;
        let centre = corners.iter().fold([0.0; 3], |sum, corner| plus(&sum, &times(corner, third)));
        let radius = corners.iter().map(|corner| distance(corner, &centre)).fold(0.0, f64::max);
        // A point at that distance already shows that no point of the part is deeper.
        let closest = self.body.closest_or_near(&centre, cell.guesses[0], self.lowest() - radius);
        let near = closest.triangle;
        let from_near = self.distances(corners, near);
        let mut bound = cell.bound.min(greatest(&from_near));
        let mut second = cell.guesses.into_iter().flatten().find(|&other| other != near);
        if second.is_none() && !self.is_close(bound) {
            let place = (0..3).fold(0, |best, k| if from_near[k] > from_near[best] { k } else { best });
            let other = self.body.closest_or_near(&corners[place], Some(near), 0.0).triangle;
            second = (other != near).then_some(other);
        }
        if let Some(second) = second {
            bound = bound.min(least_blend(&from_near, &self.distances(corners, second)));
        }
        bound = bound.min(closest.distance + radius);
        if self.is_close(bound) && closest.distance <= self.lowest() {
            self.keep_bound(bound, cell);
            return;
        }
        let is_inside = self.body.encloses(&centre);
        let depth = if is_inside { closest.distance } else { -closest.distance };
        bound = bound.min(depth + radius);
        self.improve(Sample {
            depth,
            point: centre,
            nearest: closest.point,
            triangle: cell.triangle,
            other: closest.triangle,
        });
        if bound <= 0.0 {
            return;
        }
        if self.is_close(bound) {
            self.keep_bound(bound, cell);
            return;
        }
        let edge = |k: usize| distance(&corners[k], &corners[(k + 1) % 3]);
        let longest = (1..3).fold(0, |best, k| if edge(k) > edge(best) { k } else { best });
        let (p, q, r) = (corners[longest], corners[(longest + 1) % 3], corners[(longest + 2) % 3]);
        let middle = times(&plus(&p, &q), 0.5);
        for half in [[p, middle, r], [middle, q, r]] {
            self.push(bound, half, cell.triangle, [Some(near), second]);
        }
    }

    /// Returns a part with a smaller bound that need not be divided.
    fn keep_bound(&mut self, bound: f64, cell: &Cell) {
        self.push(bound, cell.corners, cell.triangle, cell.guesses);
    }

    fn result(&self, bound: f64, side: usize, of: &Surface) -> Depth {
        let best = self.best.unwrap_or_else(|| {
            let triangle = of.fixed.topology().order()[0];
            let point = of.triangle(triangle)[0];
            let closest = self.body.closest(&point, true);
            Sample { depth: 0.0, point, nearest: closest.point, triangle, other: closest.triangle }
        });
        let lo = (best.depth - self.rounding).max(0.0);
        let hi = bound.max(best.depth).max(0.0) + self.rounding;
        let triangles = if side == 0 { [best.triangle, best.other] } else { [best.other, best.triangle] };
        Depth { lo, hi, surface: side, point: best.point, nearest: best.nearest, triangles }
    }
}

fn greatest(values: &[f64; 3]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The least value over λ in [0, 1] of the greatest of λ p + (1 − λ) q: at an end, or where two of
/// the three lines cross. Any λ gives a valid bound, so rounding of λ does no harm.
fn least_blend(p: &[f64; 3], q: &[f64; 3]) -> f64 {
    let at = |share: f64| greatest(&[0, 1, 2].map(|k| share * p[k] + (1.0 - share) * q[k]));
    let mut best = at(0.0).min(at(1.0));
    for (k, l) in [(0, 1), (1, 2), (2, 0)] {
        let (first, second) = (q[k] - q[l], p[l] - p[k]);
        let share = first / (first + second);
        if share > 0.0 && share < 1.0 {
            best = best.min(at(share));
        }
    }
    best
}
