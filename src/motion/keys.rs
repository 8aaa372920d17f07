//! Keyframe tables: positions of all vertices at common key times.

use std::sync::Arc;

use super::{BoxRows, Layout, Outside, Piece, Reach, Row, interpolate};
use crate::limits;
use crate::time::{Moment, NEVER, Side, Span};

/// Keys × vertices × 3 coordinates, in either [`Layout`].
#[derive(Clone, Debug)]
pub(crate) struct KeyTable {
    times: Arc<[f64]>,
    outside: Outside,
    data: Vec<f32>,
    layout: Layout,
    vertex_count: usize,
    reach: Reach,
    /// Largest speed along an axis, metres per second.
    speed: f64,
}

/// Where a moment lies among the keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Constant at the position of a key.
    Hold { key: usize, begin: f64, end: f64 },
    /// Between `key` and `key + 1`.
    Between { key: usize, begin: f64, end: f64 },
}

impl KeyTable {
    /// Takes checked data that lies by key; `data.len() == times.len() × vertex_count × 3`.
    pub(super) fn new(times: Vec<f64>, data: Vec<f32>, vertex_count: usize, outside: Outside, layout: Layout) -> Self {
        debug_assert_eq!(data.len(), times.len() * vertex_count * 3);
        let keys = times.len();
        let mut reach = Reach::default();
        let mut speed = 0.0f64;
        for &x in &data {
            reach.coordinate = reach.coordinate.max(f64::from(x.abs()));
        }
        let width = 3 * vertex_count;
        for key in 1..keys {
            let (before, after) = (&data[(key - 1) * width..key * width], &data[key * width..(key + 1) * width]);
            let step = before.iter().zip(after).fold(0.0f32, |most, (a, b)| most.max((b - a).abs()));
            let rate = f64::from(step) / (times[key] - times[key - 1]);
            speed = speed.max(rate);
            // Never more than the step itself over ROUNDING: an event cannot be misplaced by more than its segment.
            let drift = rate * times[key].abs().max(times[key - 1].abs());
            reach.drift = reach.drift.max(drift.min(f64::from(step) / limits::ROUNDING));
        }
        let data = match layout {
            Layout::ByKey => data,
            Layout::ByVertex => {
                let mut rows = vec![0.0; data.len()];
                for key in 0..keys {
                    for column in 0..width {
                        rows[column * keys + key] = data[key * width + column];
                    }
                }
                rows
            }
        };
        Self { times: times.into(), outside, data, layout, vertex_count, reach, speed }
    }

    pub(crate) fn times(&self) -> &[f64] {
        &self.times
    }

    /// Takes the other table's key times for its own if they are equal, so that rows of both can be read side by side.
    pub(crate) fn share_times(&mut self, other: &Self) -> bool {
        let equal = self.times == other.times;
        if equal {
            self.times = Arc::clone(&other.times);
        }
        equal
    }

    /// All keys of one vertex and axis, where they lie together and nothing repeats.
    pub(crate) fn row(&self, vertex: u32, axis: usize) -> Option<Row<'_>> {
        let keys = self.times.len();
        if keys == 1 {
            return Some(Row::Constant(self.value(vertex, axis, 0)));
        }
        if self.loops() || self.layout != Layout::ByVertex {
            return None;
        }
        let start = (3 * vertex as usize + axis) * keys;
        Some(Row::Keys { times: &self.times, row: &self.data[start..start + keys] })
    }

    /// The rows of six extents, each of its own vertex.
    pub(super) fn box_rows(&self, vertices: &[u32; 6]) -> Option<BoxRows<'_>> {
        let keys = self.times.len();
        if keys == 1 {
            return Some(BoxRows::Constant(std::array::from_fn(|extent| self.value(vertices[extent], extent / 2, 0))));
        }
        if self.loops() || self.layout != Layout::ByVertex {
            return None;
        }
        let mut rows: [&[f32]; 6] = [&[]; 6];
        for (extent, row) in rows.iter_mut().enumerate() {
            let start = (3 * vertices[extent] as usize + extent / 2) * keys;
            *row = &self.data[start..start + keys];
        }
        Some(BoxRows::Keys { times: &self.times, rows })
    }

    fn value(&self, vertex: u32, axis: usize, key: usize) -> f64 {
        let column = 3 * vertex as usize + axis;
        f64::from(match self.layout {
            Layout::ByVertex => self.data[column * self.times.len() + key],
            Layout::ByKey => self.data[key * 3 * self.vertex_count + column],
        })
    }

    fn first(&self) -> f64 {
        self.times[0]
    }

    fn last(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    fn loops(&self) -> bool {
        self.outside == Outside::Loop && self.times.len() > 1
    }

    pub(crate) fn allowed_span(&self) -> Span {
        if self.outside == Outside::Error { Span { begin: self.first(), end: self.last() } } else { Span::ALWAYS }
    }

    pub(crate) fn next_wrap(&self, at: Moment) -> Moment {
        if self.loops() { Cycle::of(self.first(), self.last(), at).end() } else { Moment::after(NEVER) }
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.speed == 0.0 {
            return Some(NEVER);
        }
        if self.loops() {
            return None;
        }
        if time < self.first() { Some(self.first()) } else { (time >= self.last()).then_some(NEVER) }
    }

    pub(crate) fn reach(&self, at: Moment) -> Reach {
        let mut reach = self.reach;
        if self.loops() {
            let cycle = Cycle::of(self.first(), self.last(), at);
            let latest = cycle.begin(0.0).abs().max(cycle.begin(1.0).abs());
            reach.drift = (self.speed * latest).min(reach.coordinate / limits::ROUNDING);
        }
        reach
    }

    pub(super) fn place(&self, at: Moment) -> Place {
        let (keys, time) = (self.times.len(), at.time());
        if keys == 1 {
            return Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: f64::INFINITY };
        }
        if self.loops() {
            let cycle = Cycle::of(self.first(), self.last(), at);
            // Key times as they fall in this cycle; the last key falls on the next cycle's begin.
            let fall = |key: usize| {
                let end = cycle.begin(1.0);
                if key + 1 == keys {
                    end
                } else if cycle.is_first() {
                    self.times[key]
                } else {
                    (cycle.begin(0.0) + (self.times[key] - self.first())).min(end)
                }
            };
            let passed = |key: usize| match at.side() {
                Side::At => fall(key) < time,
                Side::After => fall(key) <= time,
            };
            // The last key of 0..keys - 1 that has passed; falls never decrease.
            let (mut key, mut beyond) = (0, keys - 1);
            while beyond - key > 1 {
                let middle = usize::midpoint(key, beyond);
                if passed(middle) { key = middle } else { beyond = middle }
            }
            return Place::Between { key, begin: fall(key), end: fall(key + 1) };
        }
        let (first, last) = (self.first(), self.last());
        match at.side() {
            Side::At if time <= first => return Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: first },
            Side::After if time < first => return Place::Hold { key: 0, begin: f64::NEG_INFINITY, end: first },
            Side::At if time > last => return Place::Hold { key: keys - 1, begin: last, end: f64::INFINITY },
            Side::After if time >= last => return Place::Hold { key: keys - 1, begin: last, end: f64::INFINITY },
            _ => {}
        }
        let next = match at.side() {
            Side::At => self.times.partition_point(|&key| key < time),
            Side::After => self.times.partition_point(|&key| key <= time),
        };
        Place::Between { key: next - 1, begin: self.times[next - 1], end: self.times[next] }
    }

    pub(crate) fn piece(&self, vertex: u32, axis: usize, at: Moment) -> Piece {
        self.piece_in(vertex, axis, self.place(at))
    }

    /// The piece around a moment whose place is known.
    pub(super) fn piece_in(&self, vertex: u32, axis: usize, place: Place) -> Piece {
        match place {
            Place::Hold { key, begin, end } => Piece::constant(begin, end, self.value(vertex, axis, key)),
            Place::Between { key, begin, end } => {
                Piece { begin, end, at_begin: self.value(vertex, axis, key), at_end: self.value(vertex, axis, key + 1) }
            }
        }
    }

    /// The pieces of six extents, each of its own vertex, in the order of [`crate::math::Extent::ALL`].
    pub(super) fn pieces_in(&self, vertices: &[u32; 6], place: Place) -> [Piece; 6] {
        let (before, after, begin, end) = match place {
            Place::Hold { key, begin, end } => (key, key, begin, end),
            Place::Between { key, begin, end } => (key, key + 1, begin, end),
        };
        let mut pieces = [Piece::constant(begin, end, 0.0); 6];
        for (extent, piece) in pieces.iter_mut().enumerate() {
            piece.at_begin = self.value(vertices[extent], extent / 2, before);
            piece.at_end = self.value(vertices[extent], extent / 2, after);
        }
        pieces
    }

    pub(crate) fn coordinate(&self, vertex: u32, axis: usize, at: Moment) -> f64 {
        self.piece(vertex, axis, at).at(at.time())
    }

    pub(crate) fn position(&self, vertex: u32, at: Moment) -> [f64; 3] {
        let place = self.place(at);
        std::array::from_fn(|axis| self.evaluate(vertex, axis, &place, at.time()))
    }

    pub(crate) fn positions(&self, at: Moment, out: &mut Vec<[f64; 3]>) {
        let place = self.place(at);
        out.extend(
            (0..self.vertex_count as u32)
                .map(|vertex| std::array::from_fn(|axis| self.evaluate(vertex, axis, &place, at.time()))),
        );
    }

    /// Positions of some vertices interpolated in `f32`; returns the largest coordinate of the keys they lie between. Each
    /// is off by at most eight roundings of that, 2⁻²¹ times it: three in the step, one in the sum, and the sum's size.
    pub(crate) fn interpolate_rounded(&self, at: Moment, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
        let (key, u) = match self.place(at) {
            Place::Hold { key, .. } => (key, 0.0),
            Place::Between { key, begin, .. } if at.time() <= begin => (key, 0.0),
            Place::Between { key, end, .. } if at.time() >= end => (key + 1, 0.0),
            Place::Between { key, begin, end } => (key, ((at.time() - begin) / (end - begin)) as f32),
        };
        let mut largest = [0.0f32; 4];
        let mut write = |out: &mut [f32; 4], before: [f32; 4], after: [f32; 4]| {
            for lane in 0..4 {
                out[lane] = before[lane] + (after[lane] - before[lane]) * u;
                let (x, y) = (before[lane].abs(), after[lane].abs());
                let size = if x > y { x } else { y };
                largest[lane] = if size > largest[lane] { size } else { largest[lane] };
            }
        };
        let next = if u == 0.0 { key } else { key + 1 };
        if self.layout == Layout::ByKey {
            let width = 3 * self.vertex_count;
            let (before, after) = (&self.data[key * width..][..width], &self.data[next * width..][..width]);
            let (before, after) = (before.as_chunks::<3>().0, after.as_chunks::<3>().0);
            for (out, &vertex) in out.iter_mut().zip(vertices) {
                let ([a, b, c], [x, y, z]) = (before[vertex as usize], after[vertex as usize]);
                write(out, [a, b, c, 0.0], [x, y, z, 0.0]);
            }
        } else {
            let key_position = |vertex: u32, key: usize| {
                let [x, y, z] = std::array::from_fn(|axis| self.value(vertex, axis, key) as f32);
                [x, y, z, 0.0]
            };
            for (out, &vertex) in out.iter_mut().zip(vertices) {
                write(out, key_position(vertex, key), key_position(vertex, next));
            }
        }
        largest.into_iter().fold(0.0, f32::max)
    }

    fn evaluate(&self, vertex: u32, axis: usize, place: &Place, time: f64) -> f64 {
        match *place {
            Place::Hold { key, .. } => self.value(vertex, axis, key),
            Place::Between { key, begin, .. } if time <= begin => self.value(vertex, axis, key),
            Place::Between { key, end, .. } if time >= end => self.value(vertex, axis, key + 1),
            Place::Between { key, begin, end } => {
                let (x0, x1) = (self.value(vertex, axis, key), self.value(vertex, axis, key + 1));
                if x0 == x1 { x0 } else { interpolate(x0, x1, (time - begin) / (end - begin)) }
            }
        }
    }
}

/// One round of something that repeats with period `last - first`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cycle {
    first: f64,
    last: f64,
    round: f64,
}

impl Cycle {
    /// The round a moment belongs to. A wrap belongs to the round it ends, but `first` itself begins round 0.
    pub(super) fn of(first: f64, last: f64, at: Moment) -> Self {
        let time = at.time();
        let mut cycle = Self { first, last, round: ((time - first) / (last - first)).floor() };
        // The quotient may be off by one; decide by the wraps as they are computed everywhere else.
        while cycle.begin(0.0) > time {
            cycle.round -= 1.0;
        }
        while cycle.begin(1.0) <= time {
            cycle.round += 1.0;
        }
        if cycle.begin(0.0) == time && at.side() == Side::At && cycle.round != 0.0 {
            cycle.round -= 1.0;
        }
        cycle
    }

    /// When this round (`ahead` = 0) or the next one (`ahead` = 1) begins.
    pub(super) fn begin(self, ahead: f64) -> f64 {
        let round = self.round + ahead;
        // `first` and what is added to it may not sum to `last` in `f64`; the first round ends where it was said to.
        if round == 1.0 { self.last } else { self.first + round * (self.last - self.first) }
    }

    /// Is this the round whose times are those the host gave?
    fn is_first(self) -> bool {
        self.round == 0.0
    }

    /// The first moment of the next round.
    pub(super) fn end(self) -> Moment {
        let time = self.begin(1.0);
        if self.round == -1.0 { Moment::at(time) } else { Moment::after(time) }
    }
}
