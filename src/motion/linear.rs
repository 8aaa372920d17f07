//! Straight and ballistic motion: a position, a constant velocity and optionally a constant
//! acceleration per vertex.

use super::key_times::Cycle;
use super::{Outside, Piece, Reach, flush};
use crate::limits;
use crate::math::{two_product, two_sum};
use crate::time::{Moment, NEVER, Side, Span};
use crate::tuning;

/// Vertices that leave their positions at `span.begin` with their velocities.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LinearMotion {
    span: Span,
    outside: Outside,
    positions: Vec<[f64; 3]>,
    velocities: Vec<[f64; 3]>,
    /// Empty without accelerations.
    accelerations: Vec<[f64; 3]>,
    coordinate: f64,
    /// Largest velocity and acceleration along an axis.
    speed: f64,
    acceleration: f64,
}

impl LinearMotion {
    /// Creates a motion from checked data; `span.begin` is finite, `span.end` may be infinite.
    pub(super) fn new(span: Span, outside: Outside, positions: Vec<[f64; 3]>, velocities: Vec<[f64; 3]>) -> Self {
        let most = |values: &[[f64; 3]]| values.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        let (coordinate, speed) = (most(&positions), most(&velocities));
        Self { span, outside, positions, velocities, accelerations: Vec::new(), coordinate, speed, acceleration: 0.0 }
    }

    /// Adds an acceleration per vertex.
    pub(super) fn accelerated(mut self, accelerations: Vec<[f64; 3]>) -> Self {
        self.acceleration = accelerations.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        if self.acceleration > 0.0 {
            self.accelerations = accelerations;
        }
        self
    }

    /// Whether some vertex moves on curved pieces.
    pub(super) fn is_curved(&self) -> bool {
        self.acceleration > 0.0
    }

    pub(super) fn is_still(&self) -> bool {
        self.speed == 0.0 && self.acceleration == 0.0
    }

    fn loops(&self) -> bool {
        self.outside == Outside::Loop && self.span.end < NEVER && self.span.begin < self.span.end
    }

    pub(crate) fn is_endless(&self) -> bool {
        self.span.end == NEVER && !self.is_still()
    }

    /// When vertices leave their positions, seconds.
    pub(crate) fn begin(&self) -> f64 {
        self.span.begin
    }

    pub(crate) fn allowed_span(&self) -> Span {
        if self.outside == Outside::Error { self.span } else { Span::ALWAYS }
    }

    /// See [`super::Motion::rests_until`].
    pub(super) fn rests_until(&self, time: f64) -> Option<f64> {
        if self.is_still() {
            return Some(NEVER);
        }
        if self.loops() {
            return None;
        }
        if time < self.span.begin { Some(self.span.begin) } else { (time >= self.span.end).then_some(NEVER) }
    }

    pub(crate) fn next_wrap(&self, at: Moment) -> Moment {
        if self.loops() { Cycle::of(self.span.begin, self.span.end, at).end() } else { Moment::after(NEVER) }
    }

    /// Bounds for the epoch of a moment. The horizon bounds only endless motion; other epochs do
    /// not end there.
    pub(crate) fn reach(&self, at: Moment) -> Reach {
        let Span { begin, end } = self.span;
        let stop = if end == NEVER { horizon(at).max(begin) } else { end };
        let latest = if self.loops() {
            let cycle = Cycle::of(begin, end, at);
            cycle.begin(0.0).abs().max(cycle.begin(1.0).abs())
        } else {
            begin.abs().max(stop.abs())
        };
        let length = stop - begin;
        let (way, bent) = (self.speed * length, 0.5 * self.acceleration * length * length);
        let coordinate = self.coordinate + way + bent;
        if !self.is_curved() {
            return Reach { coordinate, drift: self.speed * latest };
        }
        // Two ends of a piece and its bend (see `Piece::magnitude`); the largest speed of a piece.
        Reach { coordinate: 2.0 * coordinate + bent, drift: (self.speed + 2.0 * self.acceleration * length) * latest }
    }

    /// Begin and end of the straight stretch around a moment; `None` where the vertices hold.
    pub(super) fn stretch(&self, at: Moment) -> Option<(f64, f64)> {
        if self.loops() {
            let cycle = Cycle::of(self.span.begin, self.span.end, at);
            return Some((cycle.begin(0.0), cycle.begin(1.0)));
        }
        let (time, Span { begin, end }) = (at.time(), self.span);
        let within = match at.side() {
            Side::At => begin < time && time <= end,
            Side::After => begin <= time && time < end,
        };
        within.then_some((begin, end))
    }

    /// The start and the velocity of a vertex.
    pub(super) fn line(&self, vertex: u32) -> ([f64; 3], [f64; 3]) {
        (self.positions[vertex as usize], self.velocities[vertex as usize])
    }

    /// The begin of a loop's first round; `None` without a loop.
    pub(super) fn first_of_loop(&self) -> Option<f64> {
        self.loops().then_some(self.span.begin)
    }

    /// The time from the start to the moment at which vertices held, seconds, for a moment at which
    /// they hold.
    pub(super) fn held_after(&self, at: Moment) -> f64 {
        if at <= Moment::at(self.span.begin) { 0.0 } else { self.span.end - self.span.begin }
    }

    fn evaluate(&self, vertex: u32, axis: usize, elapsed: f64) -> f64 {
        let vertex = vertex as usize;
        let (position, velocity) = (self.positions[vertex][axis], self.velocities[vertex][axis]);
        match self.accelerations.get(vertex) {
            None => flush(position + velocity * elapsed),
            Some(acceleration) => flush(position + elapsed * (velocity + 0.5 * acceleration[axis] * elapsed)),
        }
    }

    pub(crate) fn coordinate(&self, vertex: u32, axis: usize, at: Moment) -> f64 {
        match self.stretch(at) {
            // Curved pieces have one evaluation only.
            Some(_) if self.is_curved() => self.piece(vertex, axis, at).at(at.time()),
            Some((begin, _)) => self.evaluate(vertex, axis, at.time() - begin),
            None if at.time() <= self.span.begin => self.evaluate(vertex, axis, 0.0),
            None => self.evaluate(vertex, axis, self.span.end - self.span.begin),
        }
    }

    pub(crate) fn position(&self, vertex: u32, at: Moment) -> [f64; 3] {
        match self.elapsed(at) {
            Some(elapsed) => self.place(vertex, elapsed),
            None => std::array::from_fn(|axis| self.coordinate(vertex, axis, at)),
        }
    }

    /// The time for which vertices have moved at a moment, seconds; equal for all; `None` if they
    /// are accelerated.
    pub(super) fn elapsed(&self, at: Moment) -> Option<f64> {
        if self.is_curved() {
            return None;
        }
        let (since, until) = self.way(at);
        Some(until - since)
    }

    /// How far the ends of a vertex's pieces around a moment may be from its path along an axis,
    /// metres: 0 where they are exact. The path is `start + velocity × (time − begin)` by the real
    /// numbers, and ends are rounded. Accelerated vertices are by definition where they are
    /// evaluated.
    pub(super) fn end_rounding(&self, vertex: u32, at: Moment) -> f64 {
        let (start, velocity) = self.line(vertex);
        if self.is_curved() || velocity == [0.0; 3] {
            return 0.0;
        }
        let ways = match self.stretch(at) {
            Some((since, stop)) => {
                let (begin, end) = moving_part(at, since, stop);
                [(since, begin), (since, end)]
            }
            None => [self.way(at); 2],
        };
        let mut rounding = 0.0f64;
        for (since, until) in ways {
            for axis in 0..3 {
                let (start, velocity) = (start[axis], velocity[axis]);
                if !is_exact(start, velocity, (since, until)) {
                    let magnitude = start.abs() + (velocity * (until - since)).abs();
                    rounding = rounding.max(limits::ROUNDING * magnitude + limits::FLUSH);
                }
            }
        }
        rounding
    }

    /// From when to when vertices have moved at a moment, seconds.
    pub(super) fn way(&self, at: Moment) -> (f64, f64) {
        match self.stretch(at) {
            Some((begin, _)) => (begin, at.time()),
            None if at.time() <= self.span.begin => (self.span.begin, self.span.begin),
            None => (self.span.begin, self.span.end),
        }
    }

    /// The position of a vertex without acceleration after it has moved for some seconds.
    #[inline]
    pub(super) fn place(&self, vertex: u32, elapsed: f64) -> [f64; 3] {
        let (position, velocity) = (&self.positions[vertex as usize], &self.velocities[vertex as usize]);
        std::array::from_fn(|axis| flush(position[axis] + velocity[axis] * elapsed))
    }

    /// Writes the positions of some vertices without acceleration, each coordinate rounded to
    /// nearest; returns the largest of them.
    pub(super) fn place_rounded(&self, elapsed: f64, vertices: &[u32], out: &mut [[f32; 4]]) -> f32 {
        // Lane by lane, since a single maximum is a chain of dependencies. A coordinate that
        // `place` flushes to zero is rounded to zero here.
        let mut largest = [0.0f32; 3];
        for (out, &vertex) in out.iter_mut().zip(vertices) {
            let (position, velocity) = (&self.positions[vertex as usize], &self.velocities[vertex as usize]);
            for axis in 0..3 {
                let x = (position[axis] + velocity[axis] * elapsed) as f32;
                out[axis] = x;
                largest[axis] = if x.abs() > largest[axis] { x.abs() } else { largest[axis] };
            }
            out[3] = 0.0;
        }
        largest.into_iter().fold(0.0, f32::max)
    }

    pub(crate) fn piece(&self, vertex: u32, axis: usize, at: Moment) -> Piece {
        let Some((start, stop)) = self.stretch(at) else {
            let x = self.coordinate(vertex, axis, at);
            // Just after the begin of a span without length the vertices already hold at its end.
            return if at <= Moment::at(self.span.begin) {
                Piece::constant(f64::NEG_INFINITY, self.span.begin, x)
            } else {
                Piece::constant(self.span.end, f64::INFINITY, x)
            };
        };
        let (begin, end) = moving_part(at, start, stop);
        let at = |time: f64| self.evaluate(vertex, axis, time - start);
        let mut piece = Piece::linear(begin, end, at(begin), at(end));
        if let Some(acceleration) = self.accelerations.get(vertex as usize) {
            piece.bend[0] = -0.5 * acceleration[axis] * ((end - begin) * (end - begin));
        }
        piece
    }
}

/// The part of a straight stretch around a moment that is one piece. Endless motion is cut at the
/// horizons, so that every moving piece is finite.
pub(super) fn moving_part(at: Moment, start: f64, stop: f64) -> (f64, f64) {
    let end = horizon(at);
    let begin = if end > tuning::FIRST_HORIZON { start.max(0.5 * end) } else { start };
    (begin, end.min(stop))
}

/// Whether `start + velocity × (until − since)` is evaluated without any rounding.
fn is_exact(start: f64, velocity: f64, (since, until): (f64, f64)) -> bool {
    let (elapsed, off_time) = two_sum(until, -since);
    let (way, off_way) = two_product(velocity, elapsed);
    let (place, off_place) = two_sum(start, way);
    // Errors of products this small may vanish themselves.
    let is_safe = way == 0.0 && (velocity == 0.0 || elapsed == 0.0) || way.abs() >= limits::FLUSH;
    is_safe && off_time == 0.0 && off_way == 0.0 && off_place == 0.0 && flush(place) == place
}

/// The next time of the grid 64 s, 128 s, 256 s, …: at or after a time; strictly after it for
/// [`Side::After`].
pub(crate) fn horizon(at: Moment) -> f64 {
    let mut end = tuning::FIRST_HORIZON;
    while end < at.time() || (end == at.time() && end < NEVER && at.side() == Side::After) {
        end *= 2.0;
    }
    end
}
