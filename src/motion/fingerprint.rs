//! Fingerprints of motions, 64 bits: files made from a motion are checked with them.

use super::Motion;
use crate::bytes::Fingerprint;
use crate::time::Moment;

impl Motion {
    /// Fingerprint of the positions of all vertices from `begin` to `end`, seconds. Covers the ends
    /// of the linear stretches, at jumps both places; on curves, for vertices with plans of their
    /// own and for spheres, all pieces. O(keys × vertices); O(keys) for samplers that have
    /// fingerprints.
    pub(crate) fn fingerprint(&self, begin: f64, end: f64) -> u64 {
        if let Some(known) = self.sampled_fingerprint(begin, end) {
            return known;
        }
        if let Some(spheres) = self.spheres() {
            let mut hash = Fingerprint::new();
            spheres.add_pieces(begin, end, &mut hash);
            return hash.value();
        }
        if self.stretch(Moment::after(begin)).is_none() {
            let mut hash = Fingerprint::new();
            self.add_pieces(begin, end, &mut hash);
            return hash.value();
        }
        let mut walk = FingerprintWalk::new(begin, end);
        walk.follow(self, end);
        walk.value()
    }

    fn add_pieces(&self, begin: f64, end: f64, hash: &mut Fingerprint) {
        for (vertex, axis) in (0..self.vertex_count() as u32).flat_map(|vertex| (0..3).map(move |axis| (vertex, axis)))
        {
            let mut at = Moment::at(begin);
            loop {
                let piece = self.piece(vertex, axis, at);
                let numbers = [piece.begin, piece.end, piece.at_begin, piece.at_end, piece.bend[0], piece.bend[1]];
                numbers.iter().for_each(|x| hash.word((x + 0.0).to_bits()));
                if piece.end >= end {
                    break;
                }
                at = Moment::after(piece.end.max(at.time()));
            }
        }
    }
}

/// The fingerprint of a motion of linear stretches, made part by part.
#[derive(Clone, Debug)]
pub(crate) struct FingerprintWalk {
    hash: Fingerprint,
    begin: f64,
    end: f64,
    /// How far the motion was followed; `None` before its begin.
    at: Option<Moment>,
    positions: Vec<[f64; 3]>,
}

impl FingerprintWalk {
    /// Of a motion from `begin` to `end`, seconds.
    pub(crate) fn new(begin: f64, end: f64) -> Self {
        Self { hash: Fingerprint::new(), begin, end, at: None, positions: Vec::new() }
    }

    /// Whether a part of the motion from `from` to `until` counts, seconds.
    #[cfg(feature = "io")]
    pub(crate) fn needs(&self, from: f64, until: f64) -> bool {
        self.begin < until && (self.end > from || self.at.is_none())
    }

    /// Goes on to the end of a stretch at `until`, seconds, with the motion as it is there.
    pub(crate) fn follow(&mut self, motion: &Motion, until: f64) {
        let is_loop = motion.first_of_loop().is_some();
        let mut at = match self.at {
            Some(at) => at,
            None => {
                self.note(motion, Moment::at(self.begin));
                let begin = Moment::after(self.begin);
                if is_loop && self.begin < self.end {
                    self.note_ways(motion, begin, self.begin);
                }
                begin
            }
        };
        while at.time() < self.end.min(until) {
            let end = motion.stretch(at).map_or(f64::INFINITY, |stretch| stretch.end);
            let next = end.min(self.end);
            self.note(motion, Moment::at(next));
            if is_loop && end <= self.end {
                self.note_ways(motion, at, next);
            }
            at = Moment::after(next);
            if next < self.end && motion.stretch(at).is_some_and(|stretch| stretch.after_jump) {
                self.note(motion, at);
            }
        }
        self.at = Some(at);
    }

    /// Notes where the ways around a moment are at a time at which they begin or end, seconds,
    /// unless that is where the vertices were noted last: a loop shows only one side of its wrap
    /// at the wrap's own time.
    fn note_ways(&mut self, motion: &Motion, around: Moment, time: f64) {
        let cursor = motion.cursor(around);
        let place = |vertex: u32| motion.vertex_pieces_at(vertex, &cursor).map(|piece| piece.at(time));
        let places: Vec<[f64; 3]> = (0..motion.vertex_count() as u32).map(place).collect();
        if places != self.positions {
            self.positions = places;
            self.add(around);
        }
    }

    fn note(&mut self, motion: &Motion, moment: Moment) {
        self.positions.clear();
        motion.positions(moment, &mut self.positions);
        self.add(moment);
    }

    fn add(&mut self, moment: Moment) {
        self.hash.word(moment.time().to_bits());
        self.positions.as_flattened().iter().for_each(|x| self.hash.word((x + 0.0).to_bits()));
    }

    pub(crate) fn value(&self) -> u64 {
        self.hash.value()
    }
}
