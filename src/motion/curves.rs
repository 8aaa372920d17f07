//! Cubic motion: polynomials of degree up to 3 between keys; key times are shared by all vertices.

use super::key_times::{KeyTimeline, Place};
use super::{KeyLayout, Outside, Piece, Reach};
use crate::limits;
use crate::time::{Moment, NEVER};

/// Keys × vertices × 3 coordinates, and the bend of each piece.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Curves {
    pub(super) timeline: KeyTimeline,
    vertex_count: usize,
    layout: KeyLayout,
    data: Data,
    reach: Reach,
    /// Largest speed along an axis, metres per second.
    speed: f64,
    is_curved: bool,
}

/// The stored data, in one [`KeyLayout`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Data {
    /// Values, and tangents before and after each key, metres and metres per second.
    Hermite { values: Vec<f32>, before: Vec<f32>, after: Vec<f32> },
    /// Values, and the bends of the pieces that begin there (zero at the last key), metres.
    Polynomials { values: Vec<f64>, bends: Vec<[f64; 2]> },
}

impl Data {
    fn transposed(self, keys: usize, width: usize) -> Self {
        fn turn<T: Copy>(data: &[T], keys: usize, width: usize) -> Vec<T> {
            (0..keys * width).map(|place| data[(place % keys) * width + place / keys]).collect()
        }
        match self {
            Self::Hermite { values, before, after } => Self::Hermite {
                values: turn(&values, keys, width),
                before: turn(&before, keys, width),
                after: turn(&after, keys, width),
            },
            Self::Polynomials { values, bends } => {
                Self::Polynomials { values: turn(&values, keys, width), bends: turn(&bends, keys, width) }
            }
        }
    }
}

impl Curves {
    /// Creates curves from checked data in key order, of keys × vertices × 3 entries each.
    pub(super) fn new(times: Vec<f64>, data: Data, vertex_count: usize, outside: Outside, layout: KeyLayout) -> Self {
        let (keys, width) = (times.len(), 3 * vertex_count);
        let data = if layout == KeyLayout::VertexMajor { data.transposed(keys, width) } else { data };
        let timeline = KeyTimeline::new(times, outside);
        let (reach, speed, is_curved) = (Reach::default(), 0.0, false);
        let mut curves = Self { timeline, vertex_count, layout, data, reach, speed, is_curved };
        curves.measure();
        curves
    }

    /// Computes the reach, the largest speed, and whether any piece is curved.
    fn measure(&mut self) {
        let keys = self.times().len();
        for key in 0..keys {
            for column in 0..3 * self.vertex_count {
                let (vertex, axis) = ((column / 3) as u32, column % 3);
                if key + 1 == keys {
                    self.reach.coordinate = self.reach.coordinate.max(self.value(vertex, axis, key).abs());
                    continue;
                }
                let (begin, end) = (self.times()[key], self.times()[key + 1]);
                let piece = self.piece_in(vertex, axis, Place::Between { key, begin, end });
                self.is_curved |= piece.is_curved();
                self.reach.coordinate = self.reach.coordinate.max(piece.magnitude());
                let rate = piece.speed();
                self.speed = self.speed.max(rate);
                // An event is never misplaced by more than its segment.
                let drift = (rate * end.abs().max(begin.abs())).min(limits::MAX_DRIFT_RATIO * piece.magnitude());
                self.reach.drift = self.reach.drift.max(drift);
            }
        }
    }

    pub(crate) fn times(&self) -> &[f64] {
        self.timeline.times()
    }

    /// Whether some vertex moves on curved pieces.
    pub(super) fn is_curved(&self) -> bool {
        self.is_curved
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.speed == 0.0 { Some(NEVER) } else { self.timeline.rests_until(time) }
    }

    pub(crate) fn reach(&self, at: Moment) -> Reach {
        self.timeline.reach(self.reach, self.speed, at)
    }

    fn index(&self, vertex: u32, axis: usize, key: usize) -> usize {
        let column = 3 * vertex as usize + axis;
        match self.layout {
            KeyLayout::VertexMajor => column * self.times().len() + key,
            KeyLayout::KeyMajor => key * 3 * self.vertex_count + column,
        }
    }

    fn value(&self, vertex: u32, axis: usize, key: usize) -> f64 {
        let index = self.index(vertex, axis, key);
        match &self.data {
            Data::Hermite { values, .. } => f64::from(values[index]),
            Data::Polynomials { values, .. } => values[index],
        }
    }

    /// The bend of the piece from a key to the next one.
    fn bend(&self, vertex: u32, axis: usize, key: usize, step: f64) -> [f64; 2] {
        let index = self.index(vertex, axis, key);
        match &self.data {
            Data::Hermite { before, after, .. } => {
                let length = self.times()[key + 1] - self.times()[key];
                let next = self.index(vertex, axis, key + 1);
                let (leaves, arrives) = (length * f64::from(after[index]), length * f64::from(before[next]));
                [leaves - step, (step - arrives) + (step - leaves)]
            }
            Data::Polynomials { bends, .. } => bends[index],
        }
    }

    pub(crate) fn piece(&self, vertex: u32, axis: usize, at: Moment) -> Piece {
        self.piece_in(vertex, axis, self.timeline.place(at))
    }

    /// The piece around a moment with a known place.
    pub(super) fn piece_in(&self, vertex: u32, axis: usize, place: Place) -> Piece {
        match place {
            Place::Hold { key, begin, end } => Piece::constant(begin, end, self.value(vertex, axis, key)),
            Place::Between { key, begin, end } => {
                let (at_begin, at_end) = (self.value(vertex, axis, key), self.value(vertex, axis, key + 1));
                Piece { begin, end, at_begin, at_end, bend: self.bend(vertex, axis, key, at_end - at_begin) }
            }
        }
    }

    pub(crate) fn coordinate(&self, vertex: u32, axis: usize, at: Moment) -> f64 {
        self.piece(vertex, axis, at).at(at.time())
    }

    pub(crate) fn position(&self, vertex: u32, at: Moment) -> [f64; 3] {
        let place = self.timeline.place(at);
        std::array::from_fn(|axis| self.piece_in(vertex, axis, place).at(at.time()))
    }

    pub(crate) fn positions(&self, at: Moment, out: &mut Vec<[f64; 3]>) {
        let place = self.timeline.place(at);
        out.extend(
            (0..self.vertex_count as u32)
                .map(|vertex| std::array::from_fn(|axis| self.piece_in(vertex, axis, place).at(at.time()))),
        );
    }
}
