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
        self.fingerprints(&[[begin, end]])[0]
    }

    /// The fingerprints of several spans, seconds.
    pub(crate) fn fingerprints(&self, spans: &[[f64; 2]]) -> Vec<u64> {
        let walk = |&[begin, end]: &[f64; 2]| match self.fingerprint_without_walk(begin, end) {
            Some(known) => (known, None),
            None => (0, Some(FingerprintWalk::new(begin, end))),
        };
        let mut found: Vec<(u64, Option<FingerprintWalk>)> = spans.iter().map(walk).collect();
        let mut walks: Vec<&mut FingerprintWalk> = found.iter_mut().filter_map(|(_, walk)| walk.as_mut()).collect();
        FingerprintWalk::follow_all(&mut walks, self, f64::INFINITY);
        found.into_iter().map(|(known, walk)| walk.map_or(known, |walk| walk.value())).collect()
    }

    fn fingerprint_without_walk(&self, begin: f64, end: f64) -> Option<u64> {
        let pieces = |add: &dyn Fn(&mut Fingerprint)| {
            let mut hash = Fingerprint::new();
            add(&mut hash);
            hash.value()
        };
        self.sampled_fingerprint(begin, end).or_else(|| match self.spheres() {
            Some(spheres) => Some(pieces(&|hash| spheres.add_pieces(begin, end, hash))),
            None if self.stretch(Moment::after(begin)).is_none() => {
                Some(pieces(&|hash| self.add_pieces(begin, end, hash)))
            }
            None => None,
        })
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
    /// Whether the motion jumps there, and the places after it are to be noted.
    jumps: bool,
    /// Where vertices of a loop were noted last.
    positions: Vec<[f64; 3]>,
}

impl FingerprintWalk {
    /// Of a motion from `begin` to `end`, seconds.
    pub(crate) fn new(begin: f64, end: f64) -> Self {
        Self { hash: Fingerprint::new(), begin, end, at: None, jumps: false, positions: Vec::new() }
    }

    /// Whether a part of the motion from `from` to `until` counts, seconds.
    #[cfg(feature = "io")]
    pub(crate) fn needs(&self, from: f64, until: f64) -> bool {
        self.begin < until && (self.end > from || self.at.is_none())
    }

    /// Walks go on to the end of a stretch at `until`, seconds, with the motion as it is there.
    /// Vertices are placed once for all walks.
    pub(crate) fn follow_all(walks: &mut [&mut Self], motion: &Motion, until: f64) {
        let mut positions = Vec::new();
        while let Some(moment) = walks.iter().filter_map(|walk| walk.next(motion, until)).min() {
            positions.clear();
            motion.positions(moment, &mut positions);
            let there = walks.iter_mut().filter(|walk| walk.next(motion, until) == Some(moment));
            let mut there: Vec<&mut Self> = there.map(|walk| &mut **walk).collect();
            for walks in there.chunks_mut(2) {
                // The words of one hash wait for each other, those of two do not.
                if let [one, other] = walks {
                    let mut hashes = [one.hash, other.hash];
                    words(moment, &positions).for_each(|word| hashes.iter_mut().for_each(|hash| hash.word(word)));
                    [one.hash, other.hash] = hashes;
                } else {
                    walks.iter_mut().for_each(|walk| walk.add(moment, &positions));
                }
            }
            there.into_iter().for_each(|walk| walk.pass(motion, moment, &positions));
        }
    }

    /// The moment to note next, if it lies before the end of a stretch at `until`, seconds.
    fn next(&self, motion: &Motion, until: f64) -> Option<Moment> {
        match self.at {
            None => Some(Moment::at(self.begin)),
            Some(at) if self.jumps => Some(at),
            Some(at) if at.time() < self.end.min(until) => Some(Moment::at(stretch_end(motion, at).min(self.end))),
            Some(_) => None,
        }
    }

    /// Goes on from a moment that was noted.
    fn pass(&mut self, motion: &Motion, noted: Moment, positions: &[[f64; 3]]) {
        if std::mem::take(&mut self.jumps) {
            return;
        }
        let time = noted.time();
        let after = Moment::after(time);
        if motion.first_of_loop().is_some() && self.begin < self.end {
            self.positions.clear();
            self.positions.extend_from_slice(positions);
            match self.at {
                None => self.note_ways(motion, after, time),
                Some(at) if stretch_end(motion, at) <= self.end => self.note_ways(motion, at, time),
                Some(_) => {}
            }
        }
        let is_later = self.at.is_some() && time < self.end;
        self.jumps = is_later && motion.stretch(after).is_some_and(|stretch| stretch.after_jump);
        self.at = Some(after);
    }

    /// Notes where the ways around a moment are at a time at which they begin or end, seconds,
    /// unless that is where the vertices were noted last: a loop shows only one side of its wrap
    /// at the wrap's own time.
    fn note_ways(&mut self, motion: &Motion, around: Moment, time: f64) {
        let cursor = motion.cursor(around);
        let place = |vertex: u32| motion.vertex_pieces_at(vertex, &cursor).map(|piece| piece.at(time));
        let places: Vec<[f64; 3]> = (0..motion.vertex_count() as u32).map(place).collect();
        if places != self.positions {
            self.add(around, &places);
        }
    }

    fn add(&mut self, moment: Moment, positions: &[[f64; 3]]) {
        words(moment, positions).for_each(|word| self.hash.word(word));
    }

    pub(crate) fn value(&self) -> u64 {
        self.hash.value()
    }
}

/// What a fingerprint has of a moment.
fn words(moment: Moment, positions: &[[f64; 3]]) -> impl Iterator<Item = u64> {
    let places = positions.as_flattened().iter().map(|x| (x + 0.0).to_bits());
    std::iter::once(moment.time().to_bits()).chain(places)
}

/// Where the stretch around a moment ends, seconds.
fn stretch_end(motion: &Motion, at: Moment) -> f64 {
    motion.stretch(at).map_or(f64::INFINITY, |stretch| stretch.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Flightplan, KeyLayout, Outside};

    /// A few vertices with uneven keys; of a loop the last key is elsewhere than the first.
    fn motion(outside: Outside) -> Motion {
        let times = vec![0.0, 0.5, 0.75, 2.0, 2.5];
        let positions = (0..15).map(|at| [at as f32, (at * at % 7) as f32, -0.0]).collect();
        let plan = Flightplan::keyframes(times, positions).outside(outside);
        Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap()
    }

    /// By its definition, of a motion without a loop: the begin, and the end of each stretch.
    fn of_keys(motion: &Motion, [begin, end]: [f64; 2], keys: &[f64]) -> u64 {
        let inner = keys.iter().copied().filter(|&key| begin < key && key < end);
        let last = (begin < end).then_some(end);
        let mut hash = Fingerprint::new();
        for time in std::iter::once(begin).chain(inner).chain(last) {
            hash.word(time.to_bits());
            for vertex in 0..3 {
                for x in motion.position(vertex, Moment::at(time)) {
                    hash.word((x + 0.0).to_bits());
                }
            }
        }
        hash.value()
    }

    const SPANS: [[f64; 2]; 8] =
        [[0.0, 2.5], [0.0, 0.75], [0.75, 2.0], [2.0, 2.5], [0.6, 0.7], [0.5, 0.5], [-1.0, 0.25], [1.0, 4.0]];

    #[test]
    fn several_spans_have_the_fingerprints_of_each_alone() {
        let held = motion(Outside::Hold);
        let together = held.fingerprints(&SPANS);
        for (span, found) in SPANS.iter().zip(&together) {
            assert_eq!(*found, held.fingerprint(span[0], span[1]), "{span:?}");
            assert_eq!(*found, of_keys(&held, *span, &[0.0, 0.5, 0.75, 2.0, 2.5]), "{span:?}");
        }
        let looped = motion(Outside::Loop);
        let spans = [[0.0, 6.0], [0.0, 2.5], [2.5, 5.0], [1.0, 3.0], [2.4, 2.5], [2.5, 2.5]];
        for (span, found) in spans.iter().zip(looped.fingerprints(&spans)) {
            assert_eq!(found, looped.fingerprint(span[0], span[1]), "{span:?}");
        }
    }
}
