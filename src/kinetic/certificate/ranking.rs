//! Which vertices win a slot one after another at one moment, so that this ends.
//!
//! [`overtaking`] decides each pair of vertices on the pair's own common segment. Where all pieces
//! end together, the new winner is beyond the old one at that end. Where they do not, roundings may
//! run in a circle: of three vertices on one straight line, each may overtake the next now. So a
//! vertex that overtakes now must also be beyond the winner in a [`Ranking`]; otherwise it is put
//! off.
//!
//! **Termination.** As long as a slot has the same candidates, a ranking at one moment compares one
//! number per vertex: the coordinate at the first end of a piece, or, where a piece is curved, the
//! coordinate now, as then each new winner leads by more than the threshold. The number of the
//! winner increases with each new winner, so each candidate wins at most once. A challenger that is
//! put off is searched again from a later time. So the events of a slot at one moment end, once
//! those of the slots end that its candidates come from, which are lower in the tree.
//!
//! **Error.** A challenger that is put off overtakes now and is not beyond at the first end. Both
//! move linearly, so until then it leads by a rounding at most, as any loser may; or, where a piece
//! is curved, by the threshold at most. The slack of [`crate::limits`] covers both.

use super::curved::Course;
use super::overtaking;
use crate::math::Extent;
use crate::motion::{Motion, Piece};
use crate::time::{Moment, NEVER};

/// An order of the candidates of a slot at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<'a> {
    motion: &'a Motion,
    extent: Extent,
    from: Moment,
    /// The first time at which the piece of a candidate ends.
    end: f64,
    /// Whether the piece of a candidate is curved.
    is_curved: bool,
}

impl<'a> Ranking<'a> {
    /// The ranking at a moment, still without candidates. `None` for a body in which pairs alone
    /// make an order: all pieces are linear, and end together.
    pub fn new(motion: &'a Motion, extent: Extent, from: Moment) -> Option<Self> {
        let is_needed = !motion.is_linear_in_step();
        is_needed.then_some(Self { motion, extent, from, end: NEVER, is_curved: false })
    }

    /// Adds a candidate; once more makes no difference.
    pub fn add(&mut self, vertex: u32) {
        let piece = self.piece(vertex);
        self.end = self.end.min(piece.end);
        self.is_curved |= piece.is_curved();
    }

    /// The same with some candidates.
    #[must_use]
    pub fn with(mut self, candidates: impl Iterator<Item = u32>) -> Self {
        candidates.for_each(|vertex| self.add(vertex));
        self
    }

    /// As [`overtaking`], between two candidates; but now only one that is beyond in the ranking.
    pub fn overtaking(&self, winner: u32, challenger: u32, until: f64) -> Moment {
        let &Self { motion, extent, from, end, .. } = self;
        let moment = overtaking(motion, winner, challenger, extent, from, until);
        if moment > from {
            return moment;
        }
        let beyond = self.first_beyond(&self.piece(winner), &self.piece(challenger));
        match beyond.map(|beyond| beyond.max(from)) {
            Some(beyond) if beyond == from || beyond.time() < end.min(until) => beyond,
            _ => overtaking(motion, winner, challenger, extent, Moment::at(end), until),
        }
    }

    /// When a challenger that overtakes now is beyond the winner, if that is before its piece ends.
    fn first_beyond(&self, winner: &Piece, challenger: &Piece) -> Option<Moment> {
        if !self.is_curved {
            let is_beyond = self.extent.beyond(challenger.at(self.end), winner.at(self.end));
            return is_beyond.then_some(self.from);
        }
        if winner.is_still() && challenger.is_still() {
            return Some(self.from);
        }
        let (smaller, larger) = if self.extent.is_max() { (winner, challenger) } else { (challenger, winner) };
        Course::of_lead(smaller, larger).first_excess(self.from.time())
    }

    /// The piece of a vertex just after now.
    fn piece(&self, vertex: u32) -> Piece {
        self.motion.piece(vertex, self.extent.axis(), Moment::after(self.from.time()))
    }
}

/// When the first of some candidates, the winner among them, overtakes the winner of a slot.
pub fn first_overtaking(
    motion: &Motion,
    winner: u32,
    candidates: impl Iterator<Item = u32> + Clone,
    extent: Extent,
    from: Moment,
    until: f64,
) -> Moment {
    let moments = candidates.clone().map(|vertex| overtaking(motion, winner, vertex, extent, from, until));
    let first = moments.fold(Moment::at(NEVER), Moment::min);
    if first > from {
        return first;
    }
    let Some(ranking) = Ranking::new(motion, extent, from) else { return first };
    let ranking = ranking.with(candidates.clone());
    candidates.map(|vertex| ranking.overtaking(winner, vertex, until)).fold(Moment::at(NEVER), Moment::min)
}
