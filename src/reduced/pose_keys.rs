//! Poses given at key times and interpolated number by number: nodes, matrices, weights.

use super::affine::stretch;
use super::mix::within;
use super::track::check_times;
use super::{Affine, Break, DerivativeBounds, Driver, MapDerivativeBounds, Pose, PoseDerivativeBounds, ReducedError};
use crate::limits;
use crate::motion::Outside;
use crate::time::{Moment, Side, Span};

/// A [`Driver`] whose maps and morph weights are linear between keys. Without morphs, or without
/// moving maps, all vertices are then linear too, and need no pieces between the keys.
///
/// Used for nodes of meshless bodies ([`super::Meshless::driver`]) and tetrahedra
/// ([`super::Tetrahedra::driver`]), affine combinations ([`PoseKeys::new`]) and modal or morph
/// weights alone ([`PoseKeys::weights`]).
#[derive(Clone, Debug)]
pub struct PoseKeys {
    breaks: Vec<Break>,
    poses: Vec<Pose>,
    centres: Vec<[f64; 3]>,
    outside: Outside,
}

impl PoseKeys {
    /// A driver of nodes at `places` at rest, with one list of displacements per key time; `pose`
    /// makes the pose of one list.
    pub(super) fn of_nodes(
        times: &[f64],
        displacements: &[Vec<[f64; 3]>],
        places: &[[f64; 3]],
        outside: Outside,
        pose: impl Fn(&[[f64; 3]], &mut Pose) -> Result<(), ReducedError>,
    ) -> Result<Self, ReducedError> {
        let mut poses = Vec::with_capacity(displacements.len());
        for key in displacements {
            let mut made = Pose::default();
            pose(key, &mut made)?;
            poses.push(made);
        }
        Self::new(times, poses, places.to_vec(), outside)
    }

    /// Creates a driver of one pose per key. `centres` are the reference rest points of the maps,
    /// metres (see [`Driver::centres`]): any point near the vertices that a map moves.
    ///
    /// # Errors
    /// No keys, times that do not increase, poses that are not finite or differ in size, a loop
    /// without duration.
    pub fn new(
        times: &[f64],
        poses: Vec<Pose>,
        centres: Vec<[f64; 3]>,
        outside: Outside,
    ) -> Result<Self, ReducedError> {
        let Some(first) = poses.first() else {
            return Err(ReducedError::NoKeys { track: 0 });
        };
        if times.len() != poses.len() {
            return Err(ReducedError::ValueCount { track: 0, expected: times.len(), found: poses.len() });
        }
        check_times(0, times)?;
        for pose in &poses {
            pose.check(first.maps.len(), first.morphs.len())?;
        }
        if centres.len() != first.maps.len() {
            return Err(ReducedError::MapCount { expected: first.maps.len(), found: centres.len() });
        }
        for (index, centre) in centres.iter().enumerate() {
            if let Some(&value) = centre.iter().find(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
                return Err(ReducedError::BadPlace { index, value });
            }
        }
        let (begin, end) = (times[0], times[times.len() - 1]);
        if outside == Outside::Loop && !(end - begin >= limits::MIN_PERIOD) {
            return Err(ReducedError::BadSpan { begin, end });
        }
        let breaks = times.iter().map(|&time| Break { time, is_jump: false }).collect();
        Ok(Self { breaks, poses, centres, outside })
    }

    /// Creates a driver of morph or modal weights only, for a body made by
    /// [`super::ReducedMesh::morphed`]. One list of weights per key.
    ///
    /// # Errors
    /// As [`PoseKeys::new`].
    pub fn weights(times: &[f64], weights: Vec<Vec<f64>>, outside: Outside) -> Result<Self, ReducedError> {
        let poses = weights.into_iter().map(|morphs| Pose { maps: vec![Affine::identity()], morphs }).collect();
        Self::new(times, poses, vec![[0.0; 3]], outside)
    }

    fn times(&self, key: usize) -> f64 {
        self.breaks[key].time
    }

    /// The key before a moment of the span; the last but one at its end.
    fn segment(&self, at: Moment) -> usize {
        let next = match at.side() {
            Side::At => self.breaks.partition_point(|key| key.time < at.time()),
            Side::After => self.breaks.partition_point(|key| key.time <= at.time()),
        };
        next.clamp(1, self.breaks.len() - 1) - 1
    }
}

impl Driver for PoseKeys {
    fn map_count(&self) -> usize {
        self.poses[0].maps.len()
    }

    fn morph_count(&self) -> usize {
        self.poses[0].morphs.len()
    }

    fn span(&self) -> Span {
        Span { begin: self.times(0), end: self.times(self.breaks.len() - 1) }
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        let at = within(self.span(), self.outside, at);
        if self.poses.len() == 1 {
            pose.clone_from(&self.poses[0]);
            return;
        }
        let key = self.segment(at);
        let (begin, end) = (self.times(key), self.times(key + 1));
        let (before, after) = (&self.poses[key], &self.poses[key + 1]);
        if at.time() <= begin {
            pose.clone_from(before);
        } else if at.time() >= end {
            pose.clone_from(after);
        } else {
            let s = (at.time() - begin) / (end - begin);
            pose.maps.clear();
            pose.maps.extend(before.maps.iter().zip(&after.maps).map(|(a, b)| a.between(b, s)));
            pose.morphs.clear();
            pose.morphs.extend(before.morphs.iter().zip(&after.morphs).map(|(a, b)| a * (1.0 - s) + b * s));
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
        let is_still = self.poses.len() == 1 || piece.end <= self.span().begin || piece.begin >= self.span().end;
        let key = self.segment(Moment::after(piece.begin));
        // Rates from the source keys: differences over a short piece would be dominated by
        // rounding.
        let (before, after, length) = if is_still {
            (&first, &first, 1.0)
        } else {
            (&self.poses[key], &self.poses[key + 1], self.times(key + 1) - self.times(key))
        };
        linear_bends([&first, &last], ([before, after], length), &self.centres, bends);
    }
}

/// Derivative bounds of poses that are linear between two poses, from these ends, and from two
/// poses on the same line that are `length` seconds apart. O(maps).
pub(super) fn linear_bends(
    [first, last]: [&Pose; 2],
    ([before, after], length): ([&Pose; 2], f64),
    centres: &[[f64; 3]],
    bends: &mut PoseDerivativeBounds,
) {
    // A pose of a host's driver may have any number.
    bends.reset(first.maps.len().min(centres.len()), first.morphs.len());
    for map in 0..bends.maps.len() {
        let ends = [&first.maps[map], &last.maps[map]];
        let (a, b) = (&before.maps[map], &after.maps[map]);
        let centre = &centres[map].into();
        bends.maps[map] = MapDerivativeBounds {
            linear: DerivativeBounds {
                size: stretch(&ends[0].linear).max(stretch(&ends[1].linear)),
                rate: stretch(&(b.linear - a.linear)) / length,
                bend: 0.0,
            },
            centre: DerivativeBounds {
                size: ends[0].apply(centre).norm().max(ends[1].apply(centre).norm()),
                rate: (b.apply(centre) - a.apply(centre)).norm() / length,
                bend: 0.0,
            },
        };
    }
    for morph in 0..bends.morphs.len() {
        bends.morphs[morph] = DerivativeBounds {
            size: first.morphs[morph].abs().max(last.morphs[morph].abs()),
            rate: (after.morphs[morph] - before.morphs[morph]).abs() / length,
            bend: 0.0,
        };
    }
}
