//! A small cloth solver: extended position-based dynamics on a square grid of equal masses.
//!
//! Each substep integrates gravity and drag, runs **one** sweep over all constraints, and computes
//! velocities from the change of positions. Many short substeps converge better than few with many
//! iterations (Macklin et al., "Small steps in physics simulation", 2019; compliance after "XPBD",
//! 2016).
//!
//! | constraint | on | compliance |
//! |---|---|---|
//! | stretch | grid edges | 0 |
//! | long stretch | vertices [`LONG_SPAN`] edges apart in a row or column | 0, unilateral: carries load through many edges in one sweep |
//! | shear | both diagonals of each cell | 1 / [`SHEAR_STIFFNESS`] |
//! | bend | second difference of three vertices in a row | edge² / [`BENDING_RIGIDITY`], so folds keep their size at any resolution |
//! | own thickness | pairs of vertices not adjacent in the grid | 0, unilateral |
//! | limit | grid edges again, up to [`MOST_STRETCH`] | 0, unilateral: reverts overstretching by the thickness constraint |
//! | obstacle | middles of edges and cells, up to [`MIDDLE_DEPTH`]; then vertices, with friction | 0, unilateral; last, so no vertex ends inside |
//!
//! Invariants: constraints of one kind are solved in independent groups (red-black along rows and
//! columns), always in the same order, so the result depends only on the input bits. Cost: about 12
//! constraints per vertex and substep. The required substeps grow with the cells per side, the
//! total with their cube.

use super::Vector;

/// Metres per second squared.
const GRAVITY: f64 = 9.81;
/// Kilograms per square metre: a cotton tablecloth.
const AREA_DENSITY: f64 = 0.2;
/// Newtons per metre along a diagonal: woven cloth shears easily.
const SHEAR_STIFFNESS: f64 = 25.0;
/// Newton metres: gives folds of some five centimetres.
const BENDING_RIGIDITY: f64 = 3e-4;
/// Fraction of the velocity lost per second, in any direction.
const DAMPING: f64 = 0.6;
/// Kilograms per cubic metre times half a drag coefficient: air stops cloth that moves across its
/// plane.
const AIR_DRAG: f64 = 0.7;
/// Edges spanned by a long stretch constraint.
const LONG_SPAN: usize = 6;
/// Largest length of an edge after the last limit in a substep, relative to its rest length.
const MOST_STRETCH: f64 = 1.06;
/// Largest depth of the middle of an edge or a cell in an obstacle's gap, in metres.
const MIDDLE_DEPTH: f64 = 0.003;
/// Distance kept between vertices that are not neighbours, in grid edges: above √½, so that no
/// vertex slips through a cell.
const THICKNESS: f64 = 0.85;
/// Distance up to which pairs are listed between two searches, in grid edges.
const SEARCH_REACH: f64 = 1.3;
/// Substeps between two searches for close pairs; in that time they may approach by (reach −
/// thickness) · edge.
const SEARCH_INTERVAL: usize = 4;

/// An obstacle that the cloth may not enter.
pub(super) trait Obstacle {
    /// If `position` is too close or inside, returns the nearest allowed position, the distance
    /// moved and the friction coefficient there.
    fn push_out(&self, position: &Vector) -> Option<(Vector, f64, f64)>;
}

/// A square cloth of `cells` × `cells` cells during simulation.
pub(super) struct Cloth {
    cells: usize,
    edge: f64,
    positions: Vec<Vector>,
    previous: Vec<Vector>,
    velocities: Vec<Vector>,
    close_pairs: Vec<[u32; 2]>,
    search: CloseSearch,
    substeps_done: usize,
}

impl Cloth {
    /// Creates a cloth at rest; `positions` row by row, (`cells` + 1)² of them, neighbours about
    /// `edge` metres apart.
    pub(super) fn new(cells: usize, edge: f64, positions: Vec<Vector>) -> Self {
        let count = positions.len();
        Self {
            cells,
            edge,
            previous: positions.clone(),
            positions,
            velocities: vec![Vector::zeros(); count],
            close_pairs: Vec::new(),
            search: CloseSearch::default(),
            substeps_done: 0,
        }
    }

    /// Vertex positions, row by row.
    pub(super) fn positions(&self) -> &[Vector] {
        &self.positions
    }

    /// Advances by `duration` seconds in `substeps` steps.
    pub(super) fn advance(&mut self, duration: f64, substeps: usize, obstacle: &impl Obstacle) {
        let step = duration / substeps as f64;
        for _ in 0..substeps {
            self.integrate(step);
            self.shorten_rows_and_columns(LONG_SPAN, LONG_SPAN as f64 * self.edge);
            self.solve_stretch_and_shear(step);
            self.solve_bend(step);
            if self.substeps_done.is_multiple_of(SEARCH_INTERVAL) {
                self.search.find(&self.positions, self.cells, self.edge * SEARCH_REACH, &mut self.close_pairs);
            }
            self.solve_thickness();
            self.shorten_rows_and_columns(1, MOST_STRETCH * self.edge);
            self.solve_obstacle(obstacle);
            for ((velocity, position), previous) in self.velocities.iter_mut().zip(&self.positions).zip(&self.previous)
            {
                *velocity = (position - previous) / step;
            }
            self.substeps_done += 1;
        }
    }

    fn integrate(&mut self, step: f64) {
        self.previous.copy_from_slice(&self.positions);
        let (cells, stride) = (self.cells, self.cells + 1);
        let kept = 1.0 - DAMPING * step;
        let air = AIR_DRAG * step / AREA_DENSITY;
        for row in 0..stride {
            let above = row.saturating_sub(1) * stride;
            let below = (row + 1).min(cells) * stride;
            for column in 0..stride {
                let v = row * stride + column;
                let right = self.previous[row * stride + (column + 1).min(cells)];
                let left = self.previous[row * stride + column.saturating_sub(1)];
                let normal = (self.previous[below + column] - self.previous[above + column]).cross(&(right - left));
                let mut velocity = self.velocities[v];
                let squared = normal.norm_squared();
                if squared > 0.0 {
                    let across = velocity.dot(&normal) / squared;
                    // Quadratic drag, implicit in the speed: it can stop the motion but never
                    // reverse it.
                    let braked = air * across.abs() * squared.sqrt();
                    velocity -= normal * (across * braked / (1.0 + braked));
                }
                velocity *= kept;
                velocity.y -= GRAVITY * step;
                self.positions[v] += velocity * step;
            }
        }
    }

    /// Brings vertices `span` edges apart in a row or a column to within `most` metres.
    fn shorten_rows_and_columns(&mut self, span: usize, most: f64) {
        let stride = self.cells + 1;
        let mut shorten = |a: usize, b: usize| {
            let between = self.positions[b] - self.positions[a];
            let squared = between.norm_squared();
            if squared > most * most {
                let correction = between * (0.5 * (1.0 - most / squared.sqrt()));
                self.positions[a] += correction;
                self.positions[b] -= correction;
            }
        };
        for row in 0..stride {
            for v in row * stride..row * stride + stride.saturating_sub(span) {
                shorten(v, v + span);
            }
        }
        for v in 0..(stride * stride).saturating_sub(span * stride) {
            shorten(v, v + span * stride);
        }
    }

    fn solve_stretch_and_shear(&mut self, step: f64) {
        let (cells, stride) = (self.cells, self.cells + 1);
        // Alternating the order of the sweep avoids a preferred direction in the folds.
        let turn = self.substeps_done % 2;
        for parity in [turn, 1 - turn] {
            for row in 0..stride {
                for column in (parity..cells).step_by(2) {
                    let v = row * stride + column;
                    pull_together(&mut self.positions, v, v + 1, self.edge, 0.5);
                }
            }
        }
        for parity in [turn, 1 - turn] {
            for row in (parity..cells).step_by(2) {
                for v in row * stride..(row + 1) * stride {
                    pull_together(&mut self.positions, v, v + stride, self.edge, 0.5);
                }
            }
        }
        let inverse_mass = 1.0 / (AREA_DENSITY * self.edge * self.edge);
        let compliance = 1.0 / (SHEAR_STIFFNESS * step * step);
        let share = inverse_mass / (2.0 * inverse_mass + compliance);
        let diagonal = self.edge * core::f64::consts::SQRT_2;
        for parity in [turn, 1 - turn] {
            for row in (parity..cells).step_by(2) {
                for v in row * stride..row * stride + cells {
                    pull_together(&mut self.positions, v, v + stride + 1, diagonal, share);
                }
                for v in row * stride..row * stride + cells {
                    pull_together(&mut self.positions, v + 1, v + stride, diagonal, share);
                }
            }
        }
    }

    fn solve_bend(&mut self, step: f64) {
        let (cells, stride) = (self.cells, self.cells + 1);
        let inverse_mass = 1.0 / (AREA_DENSITY * self.edge * self.edge);
        let compliance = self.edge * self.edge / (BENDING_RIGIDITY * step * step);
        // The gradient of a − 2b + c has squared length 1 + 4 + 1.
        let share = inverse_mass / (6.0 * inverse_mass + compliance);
        let mut straighten = |v: usize, apart: usize| {
            let [a, b, c] = [v - apart, v, v + apart];
            let x = &mut self.positions;
            let correction = (x[a] - x[b] * 2.0 + x[c]) * share;
            x[a] -= correction;
            x[b] += correction * 2.0;
            x[c] -= correction;
        };
        for third in 1..=3 {
            for row in 0..stride {
                for column in (third..cells).step_by(3) {
                    straighten(row * stride + column, 1);
                }
            }
        }
        for third in 1..=3 {
            for row in (third..cells).step_by(3) {
                for v in row * stride..(row + 1) * stride {
                    straighten(v, stride);
                }
            }
        }
    }

    fn solve_thickness(&mut self) {
        let least = self.edge * THICKNESS;
        for &[a, b] in &self.close_pairs {
            let (a, b) = (a as usize, b as usize);
            let between = self.positions[b] - self.positions[a];
            let squared = between.norm_squared();
            // Coincident vertices have no direction of separation; gravity or a neighbour separates
            // them.
            if squared < least * least && squared > 0.0 {
                let correction = between * (0.5 * (least / squared.sqrt() - 1.0));
                self.positions[a] -= correction;
                self.positions[b] += correction;
            }
        }
    }

    fn solve_obstacle(&mut self, obstacle: &impl Obstacle) {
        let (cells, stride) = (self.cells, self.cells + 1);
        for row in 0..cells {
            for v in row * stride..row * stride + cells {
                for [a, b] in [[v, v + 1], [v, v + stride], [v, v + stride + 1], [v + 1, v + stride]] {
                    let middle = (self.positions[a] + self.positions[b]) * 0.5;
                    let Some((outside, depth, _)) = obstacle.push_out(&middle) else { continue };
                    if depth > MIDDLE_DEPTH {
                        let correction = (outside - middle) * (1.0 - MIDDLE_DEPTH / depth);
                        self.positions[a] += correction;
                        self.positions[b] += correction;
                    }
                }
            }
        }
        for (position, previous) in self.positions.iter_mut().zip(&self.previous) {
            let Some((outside, depth, friction)) = obstacle.push_out(position) else { continue };
            let normal = outside - *position;
            let mut slip = outside - previous;
            if depth > 0.0 {
                slip -= normal * (slip.dot(&normal) / (depth * depth));
            }
            let length = slip.norm();
            let held = if length > friction * depth { friction * depth / length } else { 1.0 };
            let rubbed = outside - slip * held;
            // Friction moves along the tangent plane, which may lead back into a curved obstacle.
            *position = obstacle.push_out(&rubbed).map_or(rubbed, |(out, _, _)| out);
        }
    }
}

/// Moves two vertices along their line by `share` of their deviation from `rest` each.
#[inline]
fn pull_together(positions: &mut [Vector], a: usize, b: usize, rest: f64, share: f64) {
    let between = positions[b] - positions[a];
    let length = between.norm();
    if length > 0.0 {
        let correction = between * (share * (1.0 - rest / length));
        positions[a] += correction;
        positions[b] -= correction;
    }
}

/// Finds pairs of vertices within a reach, by counting vertices into a dense grid of cubes.
#[derive(Default)]
struct CloseSearch {
    starts: Vec<u32>,
    members: Vec<u32>,
    cubes: Vec<u32>,
}

impl CloseSearch {
    /// Replaces `pairs` by all pairs closer than `reach` that are not neighbours in the cloth's
    /// grid, in a fixed order.
    fn find(&mut self, positions: &[Vector], cells: usize, reach: f64, pairs: &mut Vec<[u32; 2]>) {
        pairs.clear();
        let Some(first) = positions.first() else { return };
        let (mut low, mut high) = (*first, *first);
        for position in positions {
            low = low.inf(position);
            high = high.sup(position);
        }
        // One empty layer all around removes bounds checks from the neighbour loop.
        let size = ((high - low) / reach).map(|cubes| cubes as usize + 3);
        let (row, layer) = (size.x, size.x * size.y);
        let mut populate = |position: &Vector| {
            let at = ((position - low) / reach).map(|cube| cube as usize + 1);
            (at.z * layer + at.y * row + at.x) as u32
        };
        self.cubes.clear();
        self.cubes.extend(positions.iter().map(&mut populate));
        self.starts.clear();
        self.starts.resize(layer * size.z + 1, 0);
        for &cube in &self.cubes {
            self.starts[cube as usize + 1] += 1;
        }
        for cube in 1..self.starts.len() {
            self.starts[cube] += self.starts[cube - 1];
        }
        self.members.clear();
        self.members.resize(positions.len(), 0);
        let mut next = self.starts.clone();
        for (vertex, &cube) in self.cubes.iter().enumerate() {
            let slot = &mut next[cube as usize];
            self.members[*slot as usize] = vertex as u32;
            *slot += 1;
        }

        let stride = cells + 1;
        for (vertex, &cube) in self.cubes.iter().enumerate() {
            let cube = cube as usize;
            // Three cubes in a row are one run of members; the smaller vertex of each unordered
            // pair reports it.
            for z in [cube - layer, cube, cube + layer] {
                for middle in [z - row, z, z + row] {
                    let run = self.starts[middle - 1] as usize..self.starts[middle + 2] as usize;
                    for &other in &self.members[run] {
                        let other = other as usize;
                        if other <= vertex || (positions[other] - positions[vertex]).norm_squared() >= reach * reach {
                            continue;
                        }
                        let rows_apart = (other / stride).abs_diff(vertex / stride);
                        let columns_apart = (other % stride).abs_diff(vertex % stride);
                        if rows_apart > 1 || columns_apart > 1 {
                            pairs.push([vertex as u32, other as u32]);
                        }
                    }
                }
            }
        }
    }
}
