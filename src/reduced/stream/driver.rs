//! The motion of streamed poses: linear from one to the next, with jumps.

use std::sync::Arc;

use super::Reach;
use crate::motion::Outside;
use crate::reduced::pose_keys::linear_bends;
use crate::reduced::{Break, Driver, Pose, PoseDerivativeBounds};
use crate::time::{Moment, Side, Span};

/// How long the pose after a jump is known to hold where no other pose follows, seconds: a jump is
/// not the last key of a plan.
pub(super) const HOLD: f64 = 1.0;

/// A pose at a time, and bounds of the piece that ends there.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) time: f64,
    pub(super) arrival: Arc<Pose>,
    /// The pose just after the time, if it jumps.
    pub(super) departure: Option<Arc<Pose>>,
    pub(super) reach: Reach,
}

impl Key {
    pub(super) fn departure(&self) -> &Arc<Pose> {
        self.departure.as_ref().unwrap_or(&self.arrival)
    }
}

/// A [`Driver`] by the poses that a stream held at some time.
#[derive(Debug)]
pub(super) struct Streamed {
    keys: Vec<Key>,
    breaks: Vec<Break>,
    centres: Arc<[[f64; 3]]>,
}

impl Streamed {
    /// Creates a driver of at least one key.
    pub(super) fn new(mut keys: Vec<Key>, centres: Arc<[[f64; 3]]>) -> Self {
        if let Some(last) = keys.last()
            && last.departure.is_some()
        {
            let pose = Arc::clone(last.departure());
            let held = Key { time: last.time + HOLD, arrival: pose, departure: None, reach: last.reach };
            keys.push(held);
        }
        let breaks = keys.iter().map(|key| Break { time: key.time, is_jump: key.departure.is_some() }).collect();
        Self { keys, breaks, centres }
    }

    /// The keys around a moment; the same one twice where the body rests.
    fn around(&self, at: Moment) -> [&Key; 2] {
        let is_passed = |key: &Key| match at.side() {
            Side::At => key.time < at.time(),
            Side::After => key.time <= at.time(),
        };
        let next = self.keys.partition_point(is_passed);
        let last = self.keys.len() - 1;
        [&self.keys[next.saturating_sub(1)], &self.keys[next.min(last)]]
    }
}

/// The pose part of the way from one to another, 0 to 1.
pub(super) fn between(from: &Pose, to: &Pose, part: f64) -> Pose {
    let mut pose = Pose::default();
    write_between(from, to, part, &mut pose);
    pose
}

fn write_between(from: &Pose, to: &Pose, part: f64, pose: &mut Pose) {
    pose.maps.clear();
    pose.maps.extend(from.maps.iter().zip(&to.maps).map(|(a, b)| if a == b { *a } else { a.between(b, part) }));
    pose.morphs.clear();
    let blend = |(a, b): (&f64, &f64)| if a == b { *a } else { a * (1.0 - part) + b * part };
    pose.morphs.extend(from.morphs.iter().zip(&to.morphs).map(blend));
}

impl Driver for Streamed {
    fn map_count(&self) -> usize {
        self.centres.len()
    }

    fn morph_count(&self) -> usize {
        self.keys[0].arrival.morphs.len()
    }

    fn span(&self) -> Span {
        Span { begin: self.keys[0].time, end: self.keys[self.keys.len() - 1].time }
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        let [before, after] = self.around(at);
        if at.time() >= after.time {
            // The end of a piece, or rest after the last pose.
            let is_last = before.time == after.time;
            pose.clone_from(if is_last { after.departure() } else { &after.arrival });
        } else if at.time() <= before.time {
            pose.clone_from(if at.time() < before.time { &before.arrival } else { before.departure() });
        } else {
            let part = (at.time() - before.time) / (after.time - before.time);
            write_between(before.departure(), &after.arrival, part, pose);
        }
    }

    fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    fn centres(&self) -> &[[f64; 3]] {
        &self.centres
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        let (mut first, mut last) = (Pose::default(), Pose::default());
        self.pose(Moment::after(piece.begin), &mut first);
        self.pose(Moment::at(piece.end), &mut last);
        let [before, after] = self.around(Moment::after(piece.begin));
        let length = after.time - before.time;
        if length > 0.0 && piece.end > self.span().begin {
            linear_bends([&first, &last], ([before.departure(), &after.arrival], length), &self.centres, bends);
        } else {
            linear_bends([&first, &first], ([&first, &first], 1.0), &self.centres, bends);
        }
    }
}
