//! Key times of a reduced body, each with the moment whose pose the body has then.

use super::driver::larger;
use super::pieces::{ChordSpeed, Reach};
use super::{Affine, Break, Pieces, Pose, ReducedBody};
use crate::bytes::Fingerprint;
use crate::time::Moment;

/// Times between which a reduced body moves linearly in a world, and the moments of its driver
/// whose poses it has at these times.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTimes {
    times: Vec<f64>,
    /// Per time, the moment of the pose on arrival; at the first that on departure.
    moments: Vec<Moment>,
    /// Per time, whether the pose jumps there.
    jumps: Vec<bool>,
    /// Per time, whether [`PoseTimes::with`] added it.
    added: Vec<bool>,
    reach: Reach,
    deviation: f64,
}

impl PoseTimes {
    /// The ends of pieces, with their jumps.
    pub fn new(pieces: &Pieces) -> Self {
        let moment = |(key, &time): (usize, &f64)| if key == 0 { Moment::after(time) } else { Moment::at(time) };
        Self {
            times: pieces.times().to_vec(),
            moments: pieces.times().iter().enumerate().map(moment).collect(),
            jumps: pieces.jumps().to_vec(),
            added: vec![false; pieces.times().len()],
            reach: pieces.reach(),
            deviation: pieces.largest_deviation(),
        }
    }

    /// Breaks between which all vertices move linearly, with bounds on coordinates (metres) and
    /// speed (metres per second).
    pub(super) fn of_breaks(breaks: &[Break], (coordinate, speed): (f64, f64), deviation: f64) -> Self {
        let chords = [ChordSpeed { rate: speed, off: 0.0 }; 2];
        let moment = |(key, stop): (usize, &Break)| {
            if key == 0 { Moment::after(stop.time) } else { Moment::at(stop.time) }
        };
        Self {
            times: breaks.iter().map(|stop| stop.time).collect(),
            moments: breaks.iter().enumerate().map(moment).collect(),
            jumps: breaks.iter().map(|stop| stop.is_jump).collect(),
            added: vec![false; breaks.len()],
            reach: Reach { coordinate, speed, chords },
            deviation,
        }
    }

    /// Seconds, strictly increasing, at least one.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Per time, the moment whose pose the body has on arrival; at the first time that on
    /// departure.
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// Per time, whether the pose just after it differs from the pose at it.
    pub fn jumps(&self) -> &[bool] {
        &self.jumps
    }

    /// The largest distance of any vertex from its true path between these times, metres; infinite
    /// if unknown. At the times it is 0.
    ///
    /// Where vertices travel instead of jumping ([`ReducedBody::travelling`]), they are farther
    /// from their true path: on the way, and before it, since they are early where it begins.
    pub fn largest_deviation(&self) -> f64 {
        self.deviation
    }

    /// Bounds on the coordinates (metres) and the speed (metres per second) of all vertices.
    pub(super) fn reach(&self) -> (f64, f64) {
        (self.reach.coordinate, self.reach.speed)
    }

    /// Adds times, at which the body then has its true pose, in any order. Times outside are passed
    /// over, and those nearer to a time that is there than `near` says of them, seconds.
    ///
    /// O((times + added) log).
    #[must_use]
    pub fn with(&self, added: &[f64], near: impl Fn(f64) -> f64) -> Self {
        let mut added: Vec<f64> = added.iter().copied().filter(|time| time.is_finite()).collect();
        added.sort_unstable_by(f64::total_cmp);
        let (mut times, mut moments, mut jumps) = (Vec::<f64>::new(), Vec::new(), Vec::new());
        let mut is_added = Vec::new();
        let mut rest = added.as_slice();
        for (key, &time) in self.times.iter().enumerate() {
            let before = rest.partition_point(|&other| other < time);
            for &other in &rest[..before] {
                let near = near(other);
                if times.last().is_some_and(|last| other - last > near) && time - other > near {
                    times.push(other);
                    moments.push(Moment::at(other));
                    jumps.push(false);
                    is_added.push(true);
                }
            }
            rest = &rest[before..];
            times.push(time);
            moments.push(self.moments[key]);
            jumps.push(self.jumps[key]);
            is_added.push(self.added[key]);
        }
        let mut keys = Self { times, moments, jumps, added: is_added, ..*self };
        keys.reach.speed = keys.speed_of_shortened(self.reach.speed);
        keys
    }

    /// The larger of a speed and the bounds of pieces that begin or end at times that were added.
    fn speed_of_shortened(&self, speed: f64) -> f64 {
        let speeds = (1..self.times.len()).filter(|&key| self.added[key - 1] || self.added[key]).map(|key| {
            let [begin, end] = [self.times[key - 1], self.times[key]];
            // Ways to and over a jump have the pose of another time at an end.
            let is_true = self.moments[key - 1].time() == begin && self.moments[key] == Moment::at(end);
            if is_true { self.reach.speed_of_chord(end - begin) } else { self.reach.speed_of_any(end - begin) }
        });
        speeds.fold(speed, larger)
    }

    /// Adds the motion of a body from one time to another to a hash: the times around and between
    /// them, and the poses there and half-way. Times that were added do not count, as they are of
    /// the same motion. O(times × maps).
    pub(super) fn add_to(&self, [begin, end]: [f64; 2], body: &ReducedBody, hash: &mut Fingerprint) {
        let mut add = |at: Moment, pose: &mut Pose| {
            body.pose(at, pose);
            let maps = pose.maps.iter().flat_map(Affine::rows).flatten();
            maps.chain(pose.morphs.iter().copied()).for_each(|number| hash.word((number + 0.0).to_bits()));
            hash.word((at.time() + 0.0).to_bits());
        };
        let own: Vec<usize> = (0..self.times.len()).filter(|&key| !self.added[key]).collect();
        let first = own.partition_point(|&key| self.times[key] <= begin).saturating_sub(1);
        let beyond = own.partition_point(|&key| self.times[key] < end).saturating_add(1).min(own.len());
        let mut pose = Pose::default();
        for (place, &key) in own.iter().enumerate().take(beyond).skip(first) {
            let time = self.times[key];
            add(self.moments[key], &mut pose);
            if self.jumps[key] {
                add(Moment::after(time), &mut pose);
            }
            if let Some(&next) = own.get(place + 1).filter(|_| place + 1 < beyond) {
                add(Moment::at(0.5 * time + 0.5 * self.times[next]), &mut pose);
            }
        }
    }

    /// The times of a body that was carried as a whole by a map, see [`ReducedBody::placed`].
    #[must_use]
    pub fn placed(&self, placement: &Affine) -> Self {
        let stretch = placement.stretch();
        Self {
            reach: self.reach.placed(stretch, placement.shift.norm()),
            deviation: stretch * self.deviation,
            ..self.clone()
        }
    }
}

impl ReducedBody {
    /// The ends of pieces without jumps: where the pose jumps, vertices travel there in the
    /// `duration` (seconds) before, or in half of the piece before it if that is shorter. From the
    /// time of the jump on the body has the new pose.
    ///
    /// Jumps that the driver marks and that do not move this body are none.
    pub fn travelling(&self, pieces: &Pieces, duration: f64) -> PoseTimes {
        let (mut pose, mut after) = (Pose::default(), Pose::default());
        let (mut times, mut moments): (Vec<f64>, Vec<Moment>) = (Vec::new(), Vec::new());
        let mut shortest = f64::INFINITY;
        for (&time, &is_marked) in pieces.times().iter().zip(pieces.jumps()) {
            let mut is_jump = false;
            if is_marked {
                self.pose(Moment::at(time), &mut pose);
                self.pose(Moment::after(time), &mut after);
                is_jump = pose != after;
            }
            if !is_jump {
                times.push(time);
                moments.push(if times.len() == 1 { Moment::after(time) } else { Moment::at(time) });
                continue;
            }
            let last = times.last().copied().unwrap_or(f64::NEG_INFINITY);
            let before = (time - duration).max(0.5 * last + 0.5 * time);
            // Two keys a rounding apart leave no time to travel in; then the old pose is left out.
            if last < before && before < time {
                times.push(before);
                moments.push(Moment::at(time));
                shortest = shortest.min(time - before);
            } else {
                shortest = shortest.min(time - last);
            }
            times.push(time);
            moments.push(Moment::after(time));
        }
        let mut reach = pieces.reach();
        if shortest < f64::INFINITY {
            reach.speed = reach.speed.max(reach.speed_of_any(shortest));
        }
        let [jumps, added] = [vec![false; times.len()], vec![false; times.len()]];
        PoseTimes { times, moments, jumps, added, reach, deviation: pieces.largest_deviation() }
    }
}
