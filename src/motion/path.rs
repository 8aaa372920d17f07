//! Paths: where a vertex is at a time by the real numbers of its plan, before any rounding.
//!
//! | plan | the exact motion |
//! |---|---|
//! | keyframes | the real interpolation of the two stored keys; the parameter is a ratio of differences of `f64` times |
//! | sampled | the same between the positions that the sampler gives at the two keys |
//! | velocities | start + velocity × (time − begin) |
//! | hermite, polynomials, ballistic, accelerated | the position as evaluated; the straight pieces of a plan with keys are as keyframes |
//!
//! The times of later rounds of a loop are those that [`Motion::piece`] names: each is one `f64`
//! number.
//!
//! **Rounding.** [`Motion::position`] evaluates a path in `f64`. With `u = 2⁻⁵³` and `M` the
//! largest coordinate of the plan, an interpolated coordinate is off by at most five roundings of a
//! way of at most `2 M` and one of the sum: `11 u M`. A velocity field is off by less.
//! [`Motion::blur`] states `32 u M`.

use super::key_times::Place;
use super::linear::LinearMotion;
use super::trajectories::Trajectories;
use super::{Cursor, Motion};
use crate::limits;
use crate::math::f32_above_or_zero;
use crate::time::Moment;

/// Where a vertex is around a time, as real numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum VertexPath {
    /// Here, metres.
    At([f64; 3]),
    /// On the straight way from `begin`, where it is at the time `from`, to `end`, where it is at
    /// `to`; `from < to`, both finite.
    Between { begin: [f64; 3], end: [f64; 3], from: f64, to: f64 },
    /// Where a constant velocity took it that it has from the time `since` on, at most until a
    /// time.
    Line { start: [f64; 3], velocity: [f64; 3], since: f64, until: f64 },
}

impl VertexPath {
    /// The coordinate along an axis, if it is the same at all times of the path.
    pub(crate) fn constant(&self, axis: usize) -> Option<f64> {
        match self {
            Self::At(place) => Some(place[axis]),
            Self::Between { begin, end, .. } => (begin[axis] == end[axis]).then_some(begin[axis]),
            Self::Line { start, velocity, .. } => (velocity[axis] == 0.0).then_some(start[axis]),
        }
    }
}

impl Motion {
    /// Whether a coordinate of a vertex is the same at all times of the stretch around a moment: by
    /// the numbers that are stored, so not one that moves by less than a rounding. For motions that
    /// are read cheaply ([`Motion::is_read_cheaply`]).
    pub(crate) fn is_constant_along(&self, vertex: u32, axis: usize, cursor: &Cursor) -> bool {
        match (&self.shared, cursor.place) {
            (Trajectories::Keys(table), Some(place)) => {
                let piece = table.piece_in(vertex, axis, place);
                piece.at_begin == piece.at_end
            }
            (Trajectories::LinearMotion(lines), _) => lines.line(vertex).1[axis] == 0.0,
            _ => false,
        }
    }

    /// The path of a vertex around a moment. Exactly what [`Motion::position`] rounds. O(log keys).
    pub(crate) fn path(&self, vertex: u32, at: Moment) -> VertexPath {
        let (plan, row) = self.plan_of(vertex);
        let time = at.time();
        match plan {
            Trajectories::Keys(_) | Trajectories::Curves(_) | Trajectories::Sampled(_) => {
                let pieces: [_; 3] = std::array::from_fn(|axis| plan.piece(row, axis, at));
                let [piece, ..] = &pieces;
                let is_inside = piece.begin < time && time < piece.end;
                if !is_inside || pieces.iter().any(super::Piece::is_curved) {
                    return VertexPath::At(plan.position(row, at));
                }
                let (begin, end) = (pieces.map(|piece| piece.at_begin), pieces.map(|piece| piece.at_end));
                if begin == end {
                    return VertexPath::At(begin);
                }
                VertexPath::Between { begin, end, from: piece.begin, to: piece.end }
            }
            Trajectories::LinearMotion(lines) => lines.path(row, at),
        }
    }

    /// How far [`Motion::position`] may be from the path along an axis at a moment, metres: 0 where
    /// all vertices are where stored numbers say, as at a key. O(log keys), and O(vertices with
    /// plans of their own).
    pub(crate) fn blur(&self, at: Moment) -> f64 {
        if self.own_plans.is_empty() && self.shared.is_exact(at) {
            return 0.0;
        }
        let own = self.own_plans.iter().fold(self.own_reach, |reach, (_, own)| match own {
            Trajectories::LinearMotion(lines) => reach.max(lines.reach(at)),
            _ => reach,
        });
        limits::ROUNDING * self.shared.reach(at).max(own).coordinate + limits::FLUSH
    }

    /// How far the ends of a vertex's pieces around a moment may be from its path along an axis,
    /// metres: 0 where they are stored numbers, or exact. O(1).
    pub(crate) fn end_rounding(&self, vertex: u32, at: Moment) -> f64 {
        match self.plan_of(vertex) {
            (Trajectories::LinearMotion(lines), row) => lines.end_rounding(row, at),
            _ => 0.0,
        }
    }

    /// Whether it is known, in O(1), that no vertex has pieces with rounded ends, whatever the
    /// moment.
    pub(crate) fn has_exact_ends(&self) -> bool {
        self.own_plans.is_empty()
            && match &self.shared {
                Trajectories::LinearMotion(lines) => lines.is_still(),
                _ => true,
            }
    }

    /// Twice [`Motion::blur`], rounded up: what a margin of [`Motion::rounded_positions`] needs
    /// besides the roundings to `f32`.
    pub(super) fn rounded_blur(&self, at: Moment) -> f32 {
        f32_above_or_zero(2.0 * self.blur(at))
    }
}

impl Trajectories {
    /// Whether the evaluated positions of all vertices are those of their paths.
    fn is_exact(&self, at: Moment) -> bool {
        match self {
            Self::LinearMotion(lines) => lines.is_exact(at),
            Self::Keys(table) if table.is_still() => true,
            Self::Keys(_) | Self::Curves(_) | Self::Sampled(_) => match self.place(at) {
                Some(Place::Between { begin, end, .. }) => at.time() <= begin || at.time() >= end,
                Some(Place::Hold { .. }) => true,
                None => false,
            },
        }
    }
}

impl LinearMotion {
    fn path(&self, vertex: u32, at: Moment) -> VertexPath {
        if self.is_curved() {
            return VertexPath::At(self.position(vertex, at));
        }
        let (start, velocity) = self.line(vertex);
        let (since, until) = self.way(at);
        if since == until || velocity == [0.0; 3] {
            return VertexPath::At(start);
        }
        VertexPath::Line { start, velocity, since, until }
    }

    /// Accelerated vertices are by definition where they are evaluated.
    fn is_exact(&self, at: Moment) -> bool {
        let (since, until) = self.way(at);
        self.is_curved() || self.is_still() || since == until
    }
}
