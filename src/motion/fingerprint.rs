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
        let mut hash = Fingerprint::new();
        if self.stretch(Moment::after(begin)).is_none() {
            self.add_pieces(begin, end, &mut hash);
            return hash.value();
        }
        let mut positions = Vec::new();
        let mut at = Moment::after(begin);
        let mut note = |moment: Moment, hash: &mut Fingerprint| {
            positions.clear();
            self.positions(moment, &mut positions);
            hash.word(moment.time().to_bits());
            positions.as_flattened().iter().for_each(|x| hash.word((x + 0.0).to_bits()));
        };
        note(Moment::at(begin), &mut hash);
        while at.time() < end {
            let next = self.stretch(at).map_or(end, |stretch| stretch.end.min(end));
            note(Moment::at(next), &mut hash);
            at = Moment::after(next);
            if next < end && self.stretch(at).is_some_and(|stretch| stretch.after_jump) {
                note(at, &mut hash);
            }
        }
        hash.value()
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
