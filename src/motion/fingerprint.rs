//! Fingerprints of motions, 64 bits: files made from a motion are checked with them.

use super::Motion;
use crate::bytes::Fingerprint;
use crate::time::Moment;

impl Motion {
    /// Fingerprint of the positions of all vertices from `begin` to `end`, seconds. Covers the ends
    /// of the linear stretches; on curves and for vertices with plans of their own, all pieces.
    /// O(keys × vertices); O(keys) for samplers that have fingerprints.
    pub(crate) fn fingerprint(&self, begin: f64, end: f64) -> u64 {
        if let Some(known) = self.sampled_fingerprint(begin, end) {
            return known;
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
        let mut at = match self.at {
            Some(at) => at,
            None => {
                self.note(motion, Moment::at(self.begin));
                Moment::after(self.begin)
            }
        };
        while at.time() < self.end.min(until) {
            let next = motion.stretch(at).map_or(self.end, |stretch| stretch.end.min(self.end));
            self.note(motion, Moment::at(next));
            at = Moment::after(next);
            if next < self.end && motion.stretch(at).is_some_and(|stretch| stretch.after_jump) {
                self.note(motion, at);
            }
        }
        self.at = Some(at);
    }

    fn note(&mut self, motion: &Motion, moment: Moment) {
        self.positions.clear();
        motion.positions(moment, &mut self.positions);
        self.hash.word(moment.time().to_bits());
        self.positions.as_flattened().iter().for_each(|x| self.hash.word((x + 0.0).to_bits()));
    }

    pub(crate) fn value(&self) -> u64 {
        self.hash.value()
    }
}
