//! How the points of a tree move during one interval: linearly, all of them.

use std::sync::Arc;

use super::sweep::Scalar;
use crate::motion::flush;

/// Three coordinates per point; the fourth lane is 0.
pub(crate) type Points = Vec<[f32; 4]>;

/// What the two arrays of a track are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Positions at the begin and at the end.
    Keys,
    /// Positions at `start` and velocities.
    Lines { start: f64 },
    /// The same after some time, at rest.
    Held { elapsed: f64 },
}

/// The motion of all points from `begin` to `end`, seconds.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    pub(crate) shape: Shape,
    pub(crate) begin: f64,
    pub(crate) end: f64,
    pub(crate) a: Arc<Points>,
    pub(crate) b: Arc<Points>,
}

impl Track {
    /// Whether the positions are the same at all times.
    pub(crate) fn rests(&self) -> bool {
        match self.shape {
            Shape::Keys => Arc::ptr_eq(&self.a, &self.b),
            Shape::Lines { .. } => false,
            Shape::Held { .. } => true,
        }
    }
}

/// Coordinates at the two ends of an interval.
pub(crate) trait Ends {
    /// What coordinates are compared in.
    type Number: Scalar;
    /// All coordinates of a point at the end.
    fn end(&self, point: u32) -> [Self::Number; 4];
    /// One of them.
    fn number(&self, point: u32, axis: usize) -> Self::Number;
    /// One coordinate at the begin.
    fn from(&self, point: u32, axis: usize) -> f64;
    /// One coordinate at the end.
    fn to(&self, point: u32, axis: usize) -> f64;
}

/// Between two keys.
#[derive(Clone, Copy)]
pub(crate) struct KeyEnds<'a> {
    pub(crate) a: &'a [[f32; 4]],
    pub(crate) b: &'a [[f32; 4]],
}

impl Ends for KeyEnds<'_> {
    type Number = f32;

    #[inline(always)]
    fn end(&self, point: u32) -> [f32; 4] {
        self.b[point as usize]
    }

    #[inline(always)]
    fn number(&self, point: u32, axis: usize) -> f32 {
        self.b[point as usize][axis]
    }

    #[inline(always)]
    fn from(&self, point: u32, axis: usize) -> f64 {
        f64::from(self.a[point as usize][axis])
    }

    #[inline(always)]
    fn to(&self, point: u32, axis: usize) -> f64 {
        f64::from(self.b[point as usize][axis])
    }
}

/// Constant velocities, from some time to another after they left.
#[derive(Clone, Copy)]
pub(crate) struct LineEnds<'a> {
    pub(crate) positions: &'a [[f32; 4]],
    pub(crate) velocities: &'a [[f32; 4]],
    /// Begin and end after the start, seconds.
    pub(crate) elapsed: [f64; 2],
}

impl LineEnds<'_> {
    #[inline(always)]
    fn evaluate(&self, point: u32, axis: usize, elapsed: f64) -> f64 {
        let (x, v) = (self.positions[point as usize][axis], self.velocities[point as usize][axis]);
        flush(f64::from(x) + f64::from(v) * elapsed)
    }
}

impl Ends for LineEnds<'_> {
    type Number = f64;

    #[inline(always)]
    fn end(&self, point: u32) -> [f64; 4] {
        std::array::from_fn(|axis| self.evaluate(point, axis, self.elapsed[1]))
    }

    #[inline(always)]
    fn number(&self, point: u32, axis: usize) -> f64 {
        self.evaluate(point, axis, self.elapsed[1])
    }

    #[inline(always)]
    fn from(&self, point: u32, axis: usize) -> f64 {
        self.evaluate(point, axis, self.elapsed[0])
    }

    #[inline(always)]
    fn to(&self, point: u32, axis: usize) -> f64 {
        self.evaluate(point, axis, self.elapsed[1])
    }
}

/// Calls a function that is generic over [`Ends`] with those of a track.
macro_rules! with_ends {
    ($track:expr, $ends:ident => $value:expr) => {{
        let track = $track;
        match track.shape {
            Shape::Keys => {
                let $ends = &KeyEnds { a: &track.a, b: &track.b };
                $value
            }
            Shape::Lines { start } => {
                let elapsed = [track.begin - start, track.end - start];
                let $ends = &LineEnds { positions: &track.a, velocities: &track.b, elapsed };
                $value
            }
            Shape::Held { elapsed } => {
                let $ends = &LineEnds { positions: &track.a, velocities: &track.b, elapsed: [elapsed; 2] };
                $value
            }
        }
    }};
}
pub(crate) use with_ends;
