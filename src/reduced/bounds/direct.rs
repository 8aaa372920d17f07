//! Extents of a node in a frame.
//!
//! Per influence, the support of the transformed rest box of its vertices:
//! `b = γ·(A c + t) ± Σ_a e_a |γ·A u_a|`. Then the limited convex combination. Boxes compute all
//! six directions at once in eight lanes (two idle); other directions one axis, that is two
//! directions, at a time.
//!
//! Cost: about 20 multiplications per influence for a box at [`Level::Corner`]; [`Level::Optimum`]
//! adds a selection per direction.

use super::Directions;
use super::combination::{Term, best_bound, corner_bound, rest_at};
use super::frame::{Columns, Frame};
use super::tree::{BoundTree, RestBox};
use crate::limits;
use crate::math::Aabb;
use crate::tuning;

/// Which level of the dual the bound takes: see `combination`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Level {
    /// The paper's corner: best for skins, whose nodes have few influences.
    #[default]
    Corner,
    /// The optimum: best for meshless bodies, whose nodes have many influences. Exact along single
    /// directions; boxes approach it in `tuning::OPTIMUM_LEVEL_STEPS` steps.
    Optimum,
}

/// Effect of morph targets on the rest boxes of a node: their centres move, their half lengths
/// grow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Morphing {
    pub(super) shift: [f64; 3],
    pub(super) growth: [f64; 3],
}

/// A rest box after morphing, in `f64`.
#[derive(Clone, Copy, Debug)]
struct Rest {
    centre: [f64; 3],
    half: [f64; 3],
}

impl Rest {
    #[inline(always)]
    fn of(rest: &RestBox, morphing: &Morphing) -> Self {
        Self {
            centre: std::array::from_fn(|axis| f64::from(rest.centre[axis]) + morphing.shift[axis]),
            half: std::array::from_fn(|axis| f64::from(rest.half[axis]) + morphing.growth[axis]),
        }
    }
}

/// Six sides of a box in lanes: x, y, z upward, an idle lane, and the same downward (negated).
pub(super) type Sides = [f64; 8];

impl BoundTree {
    /// The box of a node's vertices in a frame, rounded outward; a box without limits if the node
    /// does not exist or the frame is of another tree. O(influences).
    pub fn node_box(&self, node: u32, frame: &Frame, level: Level) -> Aabb {
        if !self.knows(node, frame) {
            return Aabb::EVERYTHING;
        }
        if self.is_in_lanes(node, frame, level) {
            return self.box_in_lanes(node, frame);
        }
        box_of(&self.sides(node, frame, level))
    }

    /// The union of the boxes of the nodes `levels` below a node (of leaves if these are higher),
    /// within the node's own box: much tighter, at the cost of that number of boxes. Otherwise as
    /// [`BoundTree::node_box`].
    pub fn united_box(&self, node: u32, frame: &Frame, level: Level, levels: usize) -> Aabb {
        if !self.knows(node, frame) {
            return Aabb::EVERYTHING;
        }
        box_of(&self.united_sides(node, frame, level, levels))
    }

    pub(super) fn united_sides(&self, node: u32, frame: &Frame, level: Level, levels: usize) -> Sides {
        if levels == 0 {
            return self.sides(node, frame, level);
        }
        let mut below = [f64::NEG_INFINITY; 8];
        let mut stack = vec![(node, levels)];
        while let Some((next, levels)) = stack.pop() {
            let children = self.topology.node(next).children();
            if levels == 0 || children.is_empty() {
                let sides = self.sides(next, frame, level);
                below = std::array::from_fn(|lane| below[lane].max(sides[lane]));
            } else {
                stack.extend(children.iter().map(|&child| (child, levels - 1)));
            }
        }
        let own = self.sides(node, frame, level);
        std::array::from_fn(|lane| own[lane].min(below[lane]))
    }

    /// All sides of a node's box.
    pub(super) fn sides(&self, node: u32, frame: &Frame, level: Level) -> Sides {
        if self.is_in_lanes(node, frame, level) {
            let Aabb { min, max } = self.box_in_lanes(node, frame);
            return [max[0], max[1], max[2], 0.0, -min[0], -min[1], -min[2], 0.0];
        }
        let morphing = self.morphing(node, frame);
        let mut sides = if self.signed[node as usize] || !self.turns.is_empty() {
            self.sides_by_terms(node, frame, level, &morphing)
        } else if level == Level::Optimum && self.influences_of(node).len() > 2 {
            self.sides_at_best_level(node, frame, &morphing)
        } else {
            self.sides_at_corner(node, frame, &morphing)
        };
        let slack = self.slack(node, frame);
        for side in &mut sides {
            *side += slack;
            // Infinite numbers give NaN.
            *side = if side.is_nan() { f64::INFINITY } else { *side };
        }
        sides
    }

    /// The corner bound of six directions at once, for weights that are not negative and
    /// axis-aligned boxes.
    ///
    /// `Σ l b + R second + d₁ (first − second)`: with the second largest value as level, only the
    /// largest is above it.
    fn sides_at_corner(&self, node: u32, frame: &Frame, morphing: &Morphing) -> Sides {
        let mut base = [0.0; 8];
        let (mut first, mut second, mut spread) = ([f64::NEG_INFINITY; 8], [f64::NEG_INFINITY; 8], [0.0; 8]);
        let influences = self.influences_of(node);
        for influence in influences {
            let rest = Rest::of(&influence.rest, morphing);
            let (low, range) = (f64::from(influence.low), f64::from(influence.spread));
            let values = values_of(&frame.maps[influence.influence as usize], &rest);
            for lane in 0..8 {
                let value = values[lane];
                base[lane] += low * value;
                let is_first = value > first[lane];
                let loser = if is_first { first[lane] } else { value };
                second[lane] = if loser > second[lane] { loser } else { second[lane] };
                spread[lane] = if is_first { range } else { spread[lane] };
                first[lane] = if is_first { value } else { first[lane] };
            }
        }
        if influences.len() == 1 {
            second = first;
        }
        let rest = self.rests[node as usize];
        std::array::from_fn(|lane| {
            base[lane] + rest_at(rest, second[lane]) + spread[lane] * (first[lane] - second[lane])
        })
    }

    /// The bound of six directions at once near the best level, for weights that are not negative
    /// and axis-aligned boxes.
    ///
    /// The bound is convex and piecewise linear as a function of the level. From the paper's level
    /// and the least value, the next level is the intersection of both tangents. Every level tried
    /// is valid, and the least bound is returned. Two influences have only one level.
    fn sides_at_best_level(&self, node: u32, frame: &Frame, morphing: &Morphing) -> Sides {
        let influences = self.influences_of(node);
        let mut values: Vec<Sides> = Vec::with_capacity(influences.len());
        let (mut base, mut spreads) = ([0.0; 8], 0.0);
        let (mut first, mut high, mut low) = ([f64::NEG_INFINITY; 8], [f64::NEG_INFINITY; 8], [f64::INFINITY; 8]);
        for influence in influences {
            let rest = Rest::of(&influence.rest, morphing);
            let least = f64::from(influence.low);
            let own = values_of(&frame.maps[influence.influence as usize], &rest);
            for lane in 0..8 {
                let value = own[lane];
                base[lane] += least * value;
                let loser = if value > first[lane] { first[lane] } else { value };
                high[lane] = if loser > high[lane] { loser } else { high[lane] };
                first[lane] = if value > first[lane] { value } else { first[lane] };
                low[lane] = if value < low[lane] { value } else { low[lane] };
            }
            spreads += f64::from(influence.spread);
            values.push(own);
        }
        let rest = self.rests[node as usize];
        let share = 0.5 * (rest[0] + rest[1]);
        // The contributions above a level, and their slope.
        let at_level = |level: &Sides| {
            let (mut above, mut count) = ([0.0; 8], [0.0; 8]);
            for (influence, own) in influences.iter().zip(&values) {
                let range = f64::from(influence.spread);
                for lane in 0..8 {
                    let over = own[lane] - level[lane];
                    let is_over = over > 0.0;
                    above[lane] += if is_over { range * over } else { 0.0 };
                    count[lane] += if is_over { range } else { 0.0 };
                }
            }
            (above, count)
        };
        let (above, count) = at_level(&high);
        let mut best: Sides = std::array::from_fn(|lane| above[lane] + rest_at(rest, high[lane]));
        let mut at_high: Sides = std::array::from_fn(|lane| above[lane] + share * high[lane]);
        let mut slope_high: Sides = std::array::from_fn(|lane| share - count[lane]);
        // At the least value all are above it: Σ spread · value less the spreads times the level.
        let mut sum = [0.0; 8];
        for (influence, own) in influences.iter().zip(&values) {
            for lane in 0..8 {
                sum[lane] += f64::from(influence.spread) * own[lane];
            }
        }
        let mut at_low: Sides = std::array::from_fn(|lane| sum[lane] - spreads * low[lane] + share * low[lane]);
        let mut slope_low = [share - spreads; 8];
        for _ in 0..tuning::OPTIMUM_LEVEL_STEPS {
            let level: Sides = std::array::from_fn(|lane| {
                let meet = (at_low[lane] - at_high[lane] + slope_high[lane] * high[lane] - slope_low[lane] * low[lane])
                    / (slope_high[lane] - slope_low[lane]);
                // Parallel tangents, or no finite bound: any level is valid.
                if meet >= low[lane] && meet <= high[lane] { meet } else { high[lane] }
            });
            let (above, count) = at_level(&level);
            for lane in 0..8 {
                best[lane] = best[lane].min(above[lane] + rest_at(rest, level[lane]));
                let value = above[lane] + share * level[lane];
                let slope = share - count[lane];
                if slope > 0.0 {
                    (high[lane], at_high[lane], slope_high[lane]) = (level[lane], value, slope);
                } else {
                    (low[lane], at_low[lane], slope_low[lane]) = (level[lane], value, slope);
                }
            }
        }
        std::array::from_fn(|lane| base[lane] + best[lane])
    }

    /// All sides for any weights, boxes and level, direction by direction.
    fn sides_by_terms(&self, node: u32, frame: &Frame, level: Level, morphing: &Morphing) -> Sides {
        let mut sides = [0.0; 8];
        let mut terms = Vec::with_capacity(self.influences_of(node).len());
        for axis in 0..3 {
            let mut along = [0.0; 3];
            along[axis] = 1.0;
            let [least, most] = self.extent(node, frame, level, morphing, along, &mut terms);
            sides[axis] = most;
            sides[axis + 4] = -least;
        }
        sides
    }

    /// The least and largest coordinate of a node's vertices along an axis (any vector; coordinates
    /// are multiplied by its length). Rounded outward; infinite if the node does not exist or the
    /// frame is of another tree.
    pub fn support(&self, node: u32, frame: &Frame, level: Level, axis: [f64; 3]) -> [f64; 2] {
        if !self.knows(node, frame) {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        let morphing = self.morphing(node, frame);
        self.widened_extent(node, frame, level, &morphing, axis, &mut Vec::new())
    }

    /// The extents of a node's vertices along several axes, each as [`BoundTree::support`]; `out`
    /// is emptied first. O(axes · influences).
    pub fn polytope(&self, node: u32, frame: &Frame, level: Level, directions: &Directions, out: &mut Vec<[f64; 2]>) {
        out.clear();
        if !self.knows(node, frame) {
            out.resize(directions.axes().len(), [f64::NEG_INFINITY, f64::INFINITY]);
            return;
        }
        let morphing = self.morphing(node, frame);
        let mut terms = Vec::with_capacity(self.influences_of(node).len());
        for &axis in directions.axes() {
            out.push(self.widened_extent(node, frame, level, &morphing, axis, &mut terms));
        }
    }

    fn widened_extent(
        &self,
        node: u32,
        frame: &Frame,
        level: Level,
        morphing: &Morphing,
        axis: [f64; 3],
        terms: &mut Vec<Term>,
    ) -> [f64; 2] {
        let [least, most] = self.extent(node, frame, level, morphing, axis, terms);
        let slack = self.slack(node, frame) * axis.iter().map(|x| x.abs()).sum::<f64>();
        let (least, most) = (least - slack, most + slack);
        [if least.is_nan() { f64::NEG_INFINITY } else { least }, if most.is_nan() { f64::INFINITY } else { most }]
    }

    fn extent(
        &self,
        node: u32,
        frame: &Frame,
        level: Level,
        morphing: &Morphing,
        axis: [f64; 3],
        terms: &mut Vec<Term>,
    ) -> [f64; 2] {
        let mut bound = |downward: bool| {
            terms.clear();
            for influence in self.influences_of(node) {
                let map = &frame.maps[influence.influence as usize];
                let rest_box = Rest::of(&influence.rest, morphing);
                let along = |column: usize| (0..3).map(|lane| axis[lane] * map[column][lane]).sum::<f64>();
                let row = [along(0), along(1), along(2)];
                let middle =
                    row[0] * rest_box.centre[0] + row[1] * rest_box.centre[1] + row[2] * rest_box.centre[2] + along(3);
                let turned = match self.turns.get(node as usize) {
                    None => row,
                    Some(turn) => (turn.transpose() * nalgebra::Vector3::from(row)).into(),
                };
                let half = turned[0].abs() * rest_box.half[0]
                    + turned[1].abs() * rest_box.half[1]
                    + turned[2].abs() * rest_box.half[2];
                let middle = if downward { -middle } else { middle };
                let low = f64::from(influence.low);
                let high = low + f64::from(influence.spread);
                terms.push(Term::new(low, high, middle - half, middle + half));
            }
            let rest = self.rests[node as usize];
            match level {
                Level::Corner => corner_bound(terms, rest),
                Level::Optimum => best_bound(terms, rest),
            }
        };
        [-bound(true), bound(false)]
    }

    /// The largest effect of morph targets on the rest boxes of a node.
    pub(super) fn morphing(&self, node: u32, frame: &Frame) -> Morphing {
        let mut morphing = Morphing::default();
        if self.morph_starts[node as usize] == self.morph_starts[node as usize + 1] {
            return morphing;
        }
        for morph in self.morphs_of(node) {
            let weight = frame.morphs[morph.target as usize];
            let Aabb { min, max } = &morph.deltas;
            let middle: [f64; 3] = std::array::from_fn(|axis| 0.5 * weight * (min[axis] + max[axis]));
            let half: [f64; 3] = std::array::from_fn(|axis| 0.5 * weight.abs() * (max[axis] - min[axis]));
            let along: [f64; 3] = match self.turns.get(node as usize) {
                None => half,
                Some(turn) => (turn.map(f64::abs).transpose() * nalgebra::Vector3::from(half)).into(),
            };
            for axis in 0..3 {
                morphing.shift[axis] += middle[axis];
                morphing.growth[axis] += along[axis];
            }
        }
        morphing
    }

    /// The margin for the rounding of a node's bound and of its vertices' evaluation, along an
    /// axis, metres.
    #[inline(always)]
    pub(super) fn slack(&self, node: u32, frame: &Frame) -> f64 {
        let count = self.influences_of(node).len() + self.morphs_of(node).len() + limits::REDUCED_ROUNDING_STEPS;
        count as f64 * limits::REDUCED_ROUNDING * self.loads[node as usize] * frame.size + limits::FLUSH
    }
}

/// Upper ends of a transformed box along the six directions.
#[inline(always)]
fn values_of(map: &Columns, rest: &Rest) -> Sides {
    let (mut middle, mut half) = (map[3], [0.0; 4]);
    for column in 0..3 {
        for lane in 0..4 {
            middle[lane] += map[column][lane] * rest.centre[column];
            half[lane] += map[column][lane].abs() * rest.half[column];
        }
    }
    std::array::from_fn(|lane| if lane < 4 { half[lane] + middle[lane] } else { half[lane - 4] - middle[lane - 4] })
}

/// The box of its sides.
pub(super) fn box_of(sides: &Sides) -> Aabb {
    Aabb { min: [-sides[4], -sides[5], -sides[6]], max: [sides[0], sides[1], sides[2]] }
}
