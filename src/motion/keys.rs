//! Keyframe tables: positions of all vertices at common key times.

use std::sync::Arc;

use super::key_times::{KeyTimeline, Place};
use super::{BoxTracks, KeyLayout, KeyTrack, Outside, Piece, Reach, interpolate};
use crate::limits;
use crate::time::{Moment, NEVER};

mod extend;

/// Keys × vertices × 3 coordinates, in either [`KeyLayout`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct KeyTable {
    pub(super) timeline: KeyTimeline,
    data: Vec<f32>,
    /// Key-major layout: place of key 0, and capacity in keys; the storage is a ring.
    head: usize,
    room: usize,
    layout: KeyLayout,
    vertex_count: usize,
    reach: Reach,
    /// Largest speed along an axis, metres per second.
    speed: f64,
}

impl KeyTable {
    /// Creates a table from checked data in key order;
    /// `data.len() == times.len() × vertex_count × 3`.
    pub(super) fn new(
        times: Vec<f64>,
        data: Vec<f32>,
        vertex_count: usize,
        outside: Outside,
        layout: KeyLayout,
    ) -> Self {
        debug_assert_eq!(data.len(), times.len() * vertex_count * 3);
        let keys = times.len();
        let mut reach = Reach { coordinate: f64::from(largest(&data)), drift: 0.0 };
        let mut speed = 0.0f64;
        let width = 3 * vertex_count;
        for key in 1..keys {
            let (before, after) = (&data[(key - 1) * width..key * width], &data[key * width..(key + 1) * width]);
            let step = largest_step(before, after);
            let rate = f64::from(step) / (times[key] - times[key - 1]);
            speed = speed.max(rate);
            reach.drift = reach.drift.max(drift_of(step, rate, [times[key - 1], times[key]]));
        }
        let data = match layout {
            KeyLayout::KeyMajor => data,
            KeyLayout::VertexMajor => {
                let mut rows = vec![0.0; data.len()];
                for key in 0..keys {
                    for column in 0..width {
                        rows[column * keys + key] = data[key * width + column];
                    }
                }
                rows
            }
        };
        let timeline = KeyTimeline::new(times, outside);
        Self { timeline, data, head: 0, room: keys, layout, vertex_count, reach, speed }
    }

    pub(crate) fn times(&self) -> &[f64] {
        self.timeline.times()
    }

    /// The key times, to be shared with other tables.
    pub(super) fn common_times(&self) -> Arc<[f64]> {
        self.timeline.common()
    }

    /// Shares key times if they are equal to its own, so that rows of such tables can be read side
    /// by side.
    pub(super) fn take_times(&mut self, times: &Arc<[f64]>) -> bool {
        self.timeline.take(times)
    }

    /// Whether the keys of each vertex lie together.
    pub(super) fn has_rows(&self) -> bool {
        self.layout == KeyLayout::VertexMajor
    }

    /// All keys of one vertex and axis, if they are contiguous; of a loop at the times of the round
    /// of the present epoch.
    pub(crate) fn row(&self, vertex: u32, axis: usize) -> Option<KeyTrack<'_>> {
        let keys = self.times().len();
        if keys == 1 {
            return Some(KeyTrack::Constant(self.value(vertex, axis, 0)));
        }
        if self.layout != KeyLayout::VertexMajor {
            return None;
        }
        let times = self.timeline.row_times()?;
        let start = (3 * vertex as usize + axis) * keys;
        Some(KeyTrack::Keys { times, row: &self.data[start..start + keys] })
    }

    /// The rows of six extents, each of its own vertex.
    pub(super) fn box_rows(&self, vertices: &[u32; 6]) -> Option<BoxTracks<'_>> {
        let keys = self.times().len();
        if keys == 1 {
            return Some(BoxTracks::Constant(std::array::from_fn(|extent| {
                self.value(vertices[extent], extent / 2, 0)
            })));
        }
        if self.layout != KeyLayout::VertexMajor {
            return None;
        }
        let times = self.timeline.row_times()?;
        let mut rows: [&[f32]; 6] = [&[]; 6];
        for (extent, row) in rows.iter_mut().enumerate() {
            let start = (3 * vertices[extent] as usize + extent / 2) * keys;
            *row = &self.data[start..start + keys];
        }
        Some(BoxTracks::Keys { times, rows })
    }

    fn value(&self, vertex: u32, axis: usize, key: usize) -> f64 {
        let column = 3 * vertex as usize + axis;
        f64::from(match self.layout {
            KeyLayout::VertexMajor => self.data[column * self.times().len() + key],
            KeyLayout::KeyMajor => self.data[self.start_of(key) + column],
        })
    }

    /// Key-major layout: index of the first position of a key.
    #[inline]
    fn start_of(&self, key: usize) -> usize {
        let place = self.head + key;
        3 * self.vertex_count * if place < self.room { place } else { place - self.room }
    }

    /// Key-major layout: the positions of all vertices at a key.
    fn of_key(&self, key: usize) -> &[[f32; 3]] {
        self.data[self.start_of(key)..][..3 * self.vertex_count].as_chunks().0
    }

    /// The begin of a loop's first round; `None` without a loop.
    pub(super) fn first_of_loop(&self) -> Option<f64> {
        self.timeline.loops().then(|| self.times()[0])
    }

    /// Whether the plan loops; with one key it would with two.
    pub(super) fn is_to_loop(&self) -> bool {
        self.timeline.is_to_loop()
    }

    /// Whether no vertex ever moves.
    pub(super) fn is_still(&self) -> bool {
        self.speed == 0.0
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.speed == 0.0 { Some(NEVER) } else { self.timeline.rests_until(time) }
    }

    pub(crate) fn reach(&self, at: Moment) -> Reach {
        self.timeline.reach(self.reach, self.speed, at)
    }

    pub(crate) fn piece(&self, vertex: u32, axis: usize, at: Moment) -> Piece {
        self.piece_in(vertex, axis, self.timeline.place(at))
    }

    /// The piece around a moment with a known place.
    pub(super) fn piece_in(&self, vertex: u32, axis: usize, place: Place) -> Piece {
        match place {
            Place::Hold { key, begin, end } => Piece::constant(begin, end, self.value(vertex, axis, key)),
            Place::Between { key, begin, end } => {
                Piece::linear(begin, end, self.value(vertex, axis, key), self.value(vertex, axis, key + 1))
            }
        }
    }

    /// The pieces of six extents, each of its own vertex, in the order of
    /// [`crate::math::Extent::ALL`].
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
        self.position_in(vertex, &self.timeline.place(at), at.time())
    }

    /// The position at a time with a known place.
    pub(super) fn position_in(&self, vertex: u32, place: &Place, time: f64) -> [f64; 3] {
        let (key, u) = place.between_keys(time);
        let before = self.point(vertex, key);
        let Some(u) = u else { return before };
        let after = self.point(vertex, key + 1);
        [between(before[0], after[0], u), between(before[1], after[1], u), between(before[2], after[2], u)]
    }

    /// The position of a vertex at a key.
    fn point(&self, vertex: u32, key: usize) -> [f64; 3] {
        match self.layout {
            KeyLayout::VertexMajor => [0, 1, 2].map(|axis| self.value(vertex, axis, key)),
            KeyLayout::KeyMajor => self.of_key(key)[vertex as usize].map(f64::from),
        }
    }

    pub(crate) fn positions(&self, at: Moment, out: &mut Vec<[f64; 3]>) {
        let place = self.timeline.place(at);
        if self.layout == KeyLayout::VertexMajor {
            let position = |vertex: u32| std::array::from_fn(|axis| self.evaluate(vertex, axis, &place, at.time()));
            out.extend((0..self.vertex_count as u32).map(position));
            return;
        }
        match place.between_keys(at.time()) {
            (key, None) => out.extend(self.of_key(key).iter().map(|point| point.map(f64::from))),
            (key, Some(u)) => out.extend(self.of_key(key).iter().zip(self.of_key(key + 1)).map(|(before, after)| {
                std::array::from_fn(|axis| between(f64::from(before[axis]), f64::from(after[axis]), u))
            })),
        }
    }

    /// Interpolates positions of some vertices in `f32`; returns the largest coordinate of their
    /// keys. Each is off by at most eight roundings of that coordinate, 2⁻²¹ times it: three in the
    /// step, one in the sum, and the sum's size.
    pub(crate) fn interpolate_rounded(&self, at: Moment, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
        let (key, u) = self.timeline.place(at).between_keys(at.time());
        let u = u.map_or(0.0, |u| u as f32);
        if u == 0.0 && self.layout == KeyLayout::KeyMajor {
            // Vertices lie scattered: a loop that does nothing but read waits for many at a time.
            let row = self.of_key(key);
            for (out, &vertex) in out.iter_mut().zip(vertices) {
                let [x, y, z] = row[vertex as usize];
                *out = [x, y, z, 0.0];
            }
            let count = vertices.len().min(out.len());
            return finish_rounded(&mut out[..count]);
        }
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
        if self.layout == KeyLayout::KeyMajor {
            let (before, after) = (self.of_key(key), self.of_key(next));
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
        match place.between_keys(time) {
            (key, None) => self.value(vertex, axis, key),
            (key, Some(u)) => between(self.value(vertex, axis, key), self.value(vertex, axis, key + 1), u),
        }
    }
}

/// Makes negative zeros positive, as interpolation does; returns the largest coordinate.
fn finish_rounded(points: &mut [[f32; 4]]) -> f32 {
    let mut largest = [0.0f32; 4];
    for point in points {
        for lane in 0..4 {
            point[lane] += 0.0;
            let size = point[lane].abs();
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
        }
    }
    largest.into_iter().fold(0.0, f32::max)
}

/// The speed × time that counts between two keys, metres: of the largest step and the speed of it.
fn drift_of(step: f32, rate: f64, times: [f64; 2]) -> f64 {
    // An event is never misplaced by more than its segment: the error between two vertices is then
    // at most two steps.
    (rate * times[0].abs().max(times[1].abs())).min(limits::MAX_DRIFT_RATIO * f64::from(step))
}

/// A coordinate between those of two keys.
fn between(x0: f64, x1: f64, u: f64) -> f64 {
    if x0 == x1 { x0 } else { interpolate(x0, x1, u) }
}

/// The largest magnitude; no number may be NaN. Lane by lane, since a single maximum is a chain of
/// dependencies.
fn largest(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0f32; 8];
    for chunk in chunks {
        for lane in 0..8 {
            let x = chunk[lane].abs();
            lanes[lane] = if x > lanes[lane] { x } else { lanes[lane] };
        }
    }
    rest.iter().map(|x| x.abs()).chain(lanes).fold(0.0, f32::max)
}

/// The largest magnitude of a difference; no number may be NaN.
fn largest_step(before: &[f32], after: &[f32]) -> f32 {
    let ((before, before_rest), (after, after_rest)) = (before.as_chunks::<8>(), after.as_chunks::<8>());
    let mut lanes = [0.0f32; 8];
    for (before, after) in before.iter().zip(after) {
        for lane in 0..8 {
            let x = (after[lane] - before[lane]).abs();
            lanes[lane] = if x > lanes[lane] { x } else { lanes[lane] };
        }
    }
    before_rest.iter().zip(after_rest).map(|(a, b)| (b - a).abs()).chain(lanes).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use crate::motion::{Flightplan, KeyLayout, Motion};
    use crate::time::Moment;

    #[test]
    fn rounded_positions_do_not_depend_on_the_layout() {
        let positions: Vec<[f32; 3]> =
            (0..12).map(|at| [at as f32 * 0.3, -0.0, if at % 2 == 0 { -7.5 } else { 0.1 }]).collect();
        let plan = Flightplan::keyframes(vec![0.0, 1.0, 3.0], positions);
        let motions =
            [KeyLayout::KeyMajor, KeyLayout::VertexMajor].map(|layout| Motion::new(plan.clone(), 4, layout).unwrap());
        let vertices = [3, 0, 2, 2];
        for at in [
            Moment::at(0.0),
            Moment::after(0.0),
            Moment::at(0.75),
            Moment::at(1.0),
            Moment::after(1.0),
            Moment::at(4.0),
        ] {
            let [by_key, by_vertex] = motions.each_ref().map(|motion| {
                let mut places = [[f32::NAN; 4]; 4];
                let margin = motion.rounded_positions(at, &vertices, &mut places);
                (places.map(|place| place.map(f32::to_bits)), margin.to_bits())
            });
            assert_eq!(by_key, by_vertex, "{at:?}");
        }
    }
}
