//! Pieces: stretches of time in which linear motion is near enough to the true motion.
//!
//! A point that moves on `p(t)` deviates from its chord over a stretch of length `h` by at most
//! `h²/8 · max |p''|`. A stretch between two breaks is therefore cut into the number of equal
//! pieces that this requires. It is halved first if the halves bend less.

use super::body::PieceGrowth;
use super::driver::{larger, zero_wins};
use super::{PoseDerivativeBounds, ReducedBody, ReducedError};
use crate::limits;
use crate::time::Span;

/// Times between which all vertices move linearly up to a proven deviation.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    times: Vec<f64>,
    /// Per time, whether the pose jumps there.
    jumps: Vec<bool>,
    /// Per piece, metres.
    deviations: Vec<f64>,
    reach: Reach,
}

/// Bounds on all vertices between key times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Reach {
    /// Metres.
    pub(super) coordinate: f64,
    /// Along the chords between key times, metres per second.
    pub(super) speed: f64,
    /// Along any chord of the true motion within a piece: both are bounds.
    pub(super) chords: [ChordSpeed; 2],
}

/// A bound on the speed along a chord that grows as the chord gets shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ChordSpeed {
    /// Metres per second.
    pub(super) rate: f64,
    /// Metres, whatever the length is.
    pub(super) off: f64,
}

impl ChordSpeed {
    fn larger(self, other: Self) -> Self {
        Self { rate: larger(self.rate, other.rate), off: larger(self.off, other.off) }
    }
}

impl Reach {
    /// Bounds of either of two motions.
    fn larger(self, other: Self) -> Self {
        Self {
            coordinate: larger(self.coordinate, other.coordinate),
            speed: larger(self.speed, other.speed),
            chords: [0, 1].map(|way: usize| self.chords[way].larger(other.chords[way])),
        }
    }

    /// A bound on the speed along any way of this length, seconds.
    pub(super) fn speed_of_any(&self, length: f64) -> f64 {
        2.0 * self.coordinate / length
    }

    /// A bound on the speed along a chord of the true motion, of this length, within a piece.
    pub(super) fn speed_of_chord(&self, length: f64) -> f64 {
        let chords = self.chords.iter().map(|chord| chord.rate + zero_wins(chord.off, 1.0 / length));
        chords.fold(self.speed_of_any(length), f64::min)
    }

    /// The bounds of the motion carried by a map of this stretch and shift.
    pub(super) fn placed(&self, stretch: f64, shift: f64) -> Self {
        let scaled = |chord: ChordSpeed| ChordSpeed { rate: stretch * chord.rate, off: stretch * chord.off };
        Self {
            coordinate: stretch * self.coordinate + shift,
            speed: stretch * self.speed,
            chords: self.chords.map(scaled),
        }
    }
}

impl Pieces {
    /// Ends of the pieces, seconds, strictly increasing: one more than the number of pieces.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Per time, whether the pose just after it differs from the pose at it.
    pub fn jumps(&self) -> &[bool] {
        &self.jumps
    }

    /// Per piece, the largest distance of any vertex from its chord, metres.
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// The largest deviation, metres.
    pub fn largest_deviation(&self) -> f64 {
        self.deviations.iter().copied().fold(0.0, f64::max)
    }

    pub(super) fn reach(&self) -> Reach {
        self.reach
    }

    /// The number of pieces; none for a motion without duration.
    pub fn count(&self) -> usize {
        self.deviations.len()
    }
}

impl ReducedBody {
    /// Cuts the span of the motion into pieces with a deviation of at most `tolerance` metres, and
    /// stores each deviation.
    ///
    /// # Errors
    /// A tolerance that is not positive; more than [`limits::MAX_PIECES`] pieces; motion without a
    /// known bound: rotations that pass through zero; bounds that a driver leaves out; under
    /// spherical blending half turns between the joints of a vertex, and maps that are not quite
    /// rotations times scales (use [`ReducedBody::pieces_at_rate`]).
    pub fn pieces(&self, tolerance: f64) -> Result<Pieces, ReducedError> {
        if !(tolerance > 0.0 && tolerance <= limits::MAX_COORDINATE) {
            return Err(ReducedError::BadTolerance { value: tolerance });
        }
        self.cut(|cutter, begin, end, jump| cutter.divide(begin, end, jump, tolerance))
    }

    /// Cuts the span of the motion at its breaks and at least `per_second` times a second, for any
    /// deviation. Each deviation is stored, infinite if unknown.
    ///
    /// # Errors
    /// A rate that is not positive, or that needs more than [`limits::MAX_PIECES`] pieces.
    pub fn pieces_at_rate(&self, per_second: f64) -> Result<Pieces, ReducedError> {
        if !(per_second > 0.0) {
            return Err(ReducedError::BadTolerance { value: per_second });
        }
        self.cut(|cutter, begin, end, jump| {
            let growth = cutter.growth(begin, end);
            cutter.divide_evenly(begin, end, jump, ((end - begin) * per_second).ceil().max(1.0), &growth, per_second)
        })
    }

    /// Cuts the span of the motion at its breaks and at the given times, seconds, in any order, for
    /// any deviation. Each deviation is stored, infinite if unknown. Times outside the span and NaN
    /// are passed over.
    ///
    /// # Errors
    /// More than [`limits::MAX_PIECES`] pieces.
    pub fn pieces_at(&self, times: &[f64]) -> Result<Pieces, ReducedError> {
        let mut times: Vec<f64> = times.iter().copied().filter(|time| time.is_finite()).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let count = times.len() + self.driver().breaks().len();
        if count > limits::MAX_PIECES {
            return Err(ReducedError::TooManyTimes { count });
        }
        self.cut(|cutter, begin, end, jump| {
            let inside = times.partition_point(|&time| time <= begin)..times.partition_point(|&time| time < end);
            let mut last = begin;
            for &time in times[inside].iter().chain([&end]) {
                let growth = cutter.growth(last, time);
                cutter.push(time, jump && time == end, &growth, f64::INFINITY)?;
                last = time;
            }
            Ok(())
        })
    }

    fn cut(
        &self,
        mut divide: impl FnMut(&mut Cutter<'_>, f64, f64, bool) -> Result<(), ReducedError>,
    ) -> Result<Pieces, ReducedError> {
        let breaks = self.driver().breaks();
        let begin = breaks.first().map_or(0.0, |stop| stop.time);
        let pieces = Pieces { times: vec![begin], jumps: vec![false], deviations: Vec::new(), reach: Reach::default() };
        let mut cutter = Cutter { body: self, bends: PoseDerivativeBounds::default(), pieces };
        for pair in breaks.windows(2) {
            divide(&mut cutter, pair[0].time, pair[1].time, pair[1].is_jump)?;
        }
        Ok(cutter.pieces)
    }
}

struct Cutter<'a> {
    body: &'a ReducedBody,
    bends: PoseDerivativeBounds,
    pieces: Pieces,
}

/// Halves that bend less than this part of the whole are examined separately.
const WORTH_HALVING: f64 = 0.75;

impl Cutter<'_> {
    fn growth(&mut self, begin: f64, end: f64) -> PieceGrowth {
        self.body.growth_during(Span { begin, end }, &mut self.bends)
    }

    fn divide(&mut self, begin: f64, end: f64, jump: bool, tolerance: f64) -> Result<(), ReducedError> {
        let length = end - begin;
        let growth = self.growth(begin, end);
        if growth.deviation(length) <= tolerance {
            return self.push(end, jump, &growth, tolerance);
        }
        if !(growth.rounding() < tolerance) {
            let is_known = growth.rounding().is_finite();
            let unknown = ReducedError::NoBound { time: begin };
            return Err(if is_known { ReducedError::BadTolerance { value: tolerance } } else { unknown });
        }
        let middle = 0.5 * begin + 0.5 * end;
        if !(begin < middle && middle < end) {
            return Err(ReducedError::TooManyPieces { time: begin, tolerance });
        }
        let (bend, rounding) = (growth.bend(), growth.least_deviation());
        let is_known = bend.is_finite() && rounding < tolerance;
        let halves = [self.growth(begin, middle).bend(), self.growth(middle, end).bend()];
        if is_known && !(halves[0].min(halves[1]) < WORTH_HALVING * bend) {
            let ratio = 0.125 * length * length * bend * (1.0 + limits::EVALUATION_ROUNDING) / (tolerance - rounding);
            return self.divide_evenly(begin, end, jump, ratio.sqrt().ceil().max(1.0), &growth, tolerance);
        }
        // Shorter pieces may have a bound; the number of cuts is limited.
        if length < limits::MIN_PIECE && !is_known {
            return Err(ReducedError::NoBound { time: begin });
        }
        self.divide(begin, middle, false, tolerance)?;
        self.divide(middle, end, jump, tolerance)
    }

    fn divide_evenly(
        &mut self,
        begin: f64,
        end: f64,
        jump: bool,
        count: f64,
        growth: &PieceGrowth,
        tolerance: f64,
    ) -> Result<(), ReducedError> {
        if !(count <= limits::MAX_PIECES as f64) {
            return Err(ReducedError::TooManyPieces { time: begin, tolerance });
        }
        let mut last = begin;
        for index in 1..=count as usize {
            let time = if index as f64 == count { end } else { begin + (end - begin) * (index as f64 / count) };
            // Neighbouring times may be equal in `f64`.
            if time > last {
                self.push(time, jump && time == end, growth, tolerance)?;
                last = time;
            }
        }
        Ok(())
    }

    fn push(&mut self, end: f64, jump: bool, growth: &PieceGrowth, tolerance: f64) -> Result<(), ReducedError> {
        let Pieces { times, jumps, deviations, reach } = &mut self.pieces;
        if deviations.len() >= limits::MAX_PIECES {
            return Err(ReducedError::TooManyPieces { time: end, tolerance });
        }
        let length = times.last().map_or(0.0, |begin| end - begin);
        times.push(end);
        jumps.push(jump);
        deviations.push(growth.deviation(length));
        *reach = reach.larger(growth.reach(length));
        Ok(())
    }
}
