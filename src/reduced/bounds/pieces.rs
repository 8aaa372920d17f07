//! Pieces: the stretches of time in which the parameters of a body are taken to move linearly.
//!
//! Pieces end at every break of the driver, and are cut evenly in between until the true motion deviates from the linear one by no more
//! than a tolerance anywhere on the body. The bounds pay for the proven deviation of their own node, whatever the tolerance: it decides
//! how tight bounds are, never whether they hold.

use crate::limits;
use crate::motion::Outside;
use crate::reduced::{Bends, Driver, MapBend, ReducedError};
use crate::time::{Moment, Side, Span};

use super::BoundTree;

/// How finely motion is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Cutting {
    /// Until the true motion is within so many metres of the linear one.
    Tolerance(f64),
    /// At least so many pieces a second.
    Rate(f64),
}

/// The times at which pieces begin and end, and what happens outside them.
#[derive(Clone, Debug, PartialEq)]
pub struct Pieces {
    /// Ascending, seconds, local to one round of a loop; at least one.
    times: Vec<f64>,
    outside: Outside,
}

/// Where a moment lies among the pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// The body stands as it does at an end of its span.
    Still { at_end: bool },
    /// In a piece, with what must be added to the piece's times.
    Inside { piece: u32, shift: f64 },
}

impl Pieces {
    /// Cuts the motion of a driver for a tree over its body.
    ///
    /// # Errors
    /// A tolerance or rate that is not a positive number, and motion that needs more than [`limits::MAX_PIECES`] pieces.
    pub fn cut(tree: &BoundTree, driver: &dyn Driver, cutting: Cutting) -> Result<Self, ReducedError> {
        let (Cutting::Tolerance(value) | Cutting::Rate(value)) = cutting;
        if !(value > 0.0 && value.is_finite()) {
            return Err(ReducedError::BadTolerance { value });
        }
        let far = tree.influence_reach(driver.centres());
        let breaks = driver.breaks();
        let mut times = vec![breaks.first().map_or(driver.span().begin, |first| first.time)];
        let mut bends = Bends::default();
        for two in breaks.windows(2) {
            let stretch = Span { begin: two[0].time, end: two[1].time };
            let length = stretch.end - stretch.begin;
            let parts = match cutting {
                Cutting::Rate(rate) => (length * rate).ceil(),
                Cutting::Tolerance(tolerance) => {
                    driver.bends(stretch, &mut bends);
                    let bend =
                        bends.maps.iter().zip(&far).fold(0.0, |most: f64, (bend, &far)| most.max(bend_at(bend, far)));
                    (length * (bend / (8.0 * tolerance)).sqrt()).ceil()
                }
            };
            // Also where nothing is known of a bend.
            if !(parts + times.len() as f64 <= limits::MAX_PIECES as f64) {
                let tolerance = if let Cutting::Tolerance(tolerance) = cutting { tolerance } else { 0.0 };
                return Err(ReducedError::TooManyPieces { time: stretch.begin, tolerance });
            }
            let parts = parts.max(1.0) as usize;
            for part in 1..parts {
                let time = stretch.begin + length * (part as f64 / parts as f64);
                if time > times[times.len() - 1] && time < stretch.end {
                    times.push(time);
                }
            }
            times.push(stretch.end);
        }
        Ok(Self { times, outside: driver.outside() })
    }

    /// The times at which pieces begin and end, seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.times.len() - 1
    }

    /// Is there none: does the body stand still?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn span(&self, piece: u32) -> Span {
        Span { begin: self.times[piece as usize], end: self.times[piece as usize + 1] }
    }

    /// The first and the last time of all pieces.
    pub fn whole(&self) -> Span {
        Span { begin: self.times[0], end: self.times[self.times.len() - 1] }
    }

    /// The length of a round; `None` for motion that does not repeat.
    fn period(&self) -> Option<f64> {
        let whole = self.whole();
        (self.outside == Outside::Loop && !self.is_empty()).then_some(whole.end - whole.begin)
    }

    /// The piece around a moment: the one that leads up to a time [`Side::At`] it, the one that begins there [`Side::After`] it.
    pub(super) fn locate(&self, at: Moment) -> Place {
        let whole = self.whole();
        let mut time = at.time();
        let mut shift = 0.0;
        if let Some(period) = self.period() {
            let mut round = ((time - whole.begin) / period).floor();
            // What is a whole number of rounds belongs to the round it ends, or to the one it begins.
            if at.side() == Side::At && whole.begin + round * period >= time {
                round -= 1.0;
            }
            shift = round * period;
            time = (time - shift).clamp(whole.begin, whole.end);
        }
        let before = match at.side() {
            // Where rounds meet, the clamped time may be the beginning; that is inside the first piece of a loop.
            Side::At => self.times.partition_point(|&key| key < time),
            Side::After => self.times.partition_point(|&key| key <= time),
        };
        let last = self.times.len();
        if self.is_empty() {
            return Place::Still { at_end: true };
        }
        if self.period().is_some() {
            return Place::Inside { piece: before.clamp(1, last - 1) as u32 - 1, shift };
        }
        match before {
            0 => Place::Still { at_end: false },
            before if before == last => Place::Still { at_end: true },
            before => Place::Inside { piece: before as u32 - 1, shift },
        }
    }
}

/// The second derivative of the farthest point an influence moves.
fn bend_at(bend: &MapBend, far: f64) -> f64 {
    let linear = if far == 0.0 || bend.linear.bend == 0.0 { 0.0 } else { far * bend.linear.bend };
    bend.centre.bend + linear
}
