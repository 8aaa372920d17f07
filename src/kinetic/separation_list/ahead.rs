//! Certificates of the next epoch, searched a part at a time before it begins.
//!
//! Where the epoch of a body ends, all pairs of its lists are certified again. Once the trees of
//! that epoch are known, so are the bounds, and each pair is searched over them. What was found is
//! entered when the epoch begins, if the pair is still there, in the same state and with the same
//! witness direction, and if the bounds are the ones that were assumed. Otherwise the pair is
//! searched as without this.

use super::{SeparationList, State, Trees};
use crate::kinetic::box_pair::BoundPair;
use crate::kinetic::{EventContext, KineticHierarchy};
use crate::math::{Extent, GapDirection};
use crate::time::Moment;

/// What was found of the pairs of a list. A clone has nothing.
#[derive(Debug, Default)]
pub(super) struct PairsAhead {
    /// When the epoch begins; `None` where nothing was begun.
    at: Option<Moment>,
    /// When the bounds end, seconds.
    until: f64,
    /// The slack of both trees, metres.
    slack: f64,
    /// Per place that was passed.
    found: Vec<Option<Found>>,
}

impl Clone for PairsAhead {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What was found of a pair.
#[derive(Clone, Copy, Debug)]
struct Found {
    nodes: [u32; 2],
    /// Whether its boxes were apart: the certificate is that of the gap then, otherwise that of the
    /// overlap.
    is_apart: bool,
    /// The witness direction of the certificate.
    direction: GapDirection,
    /// When the certificate fails.
    failure: Moment,
}

impl PairsAhead {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.found.capacity() * size_of::<Option<Found>>()
    }
}

/// Until when the bounds of both trees are known, seconds.
fn epoch_end(trees: impl Trees) -> f64 {
    let (a, b) = trees.pair();
    a.epoch_end().min(b.epoch_end())
}

impl SeparationList {
    /// Forgets what was found of the next epoch.
    pub(crate) fn forget_ahead(&mut self) {
        self.ahead.at = None;
        self.ahead.found.clear();
    }

    /// How many places are to be passed before an epoch that begins at a moment.
    pub(crate) fn left_ahead(&self, at: Moment) -> usize {
        let passed = if self.ahead.at == Some(at) { self.ahead.found.len() } else { 0 };
        (self.place_count() as usize).saturating_sub(passed)
    }

    /// Passes some places before an epoch that begins at a moment. The trees must be those of that
    /// epoch. One search per pair of boxes apart, six for an overlap.
    pub(crate) fn prepare_ahead(&mut self, at: Moment, count: usize, trees: impl Trees) {
        let (until, slack) = (epoch_end(trees), trees.slack());
        if (self.ahead.at, self.ahead.until, self.ahead.slack) != (Some(at), until, slack) {
            self.forget_ahead();
            (self.ahead.at, self.ahead.until, self.ahead.slack) = (Some(at), until, slack);
        }
        let passed = self.ahead.found.len();
        let end = passed.saturating_add(count).min(self.place_count() as usize);
        for place in passed..end {
            let found = self.search_ahead(place as u32, at, trees);
            self.ahead.found.push(found);
        }
    }

    /// Searches the certificate of the pair at a place from a moment on; `None` if there is no pair
    /// that has one.
    fn search_ahead(&self, place: u32, at: Moment, trees: impl Trees) -> Option<Found> {
        let pair = self.pairs.get(place as usize)?;
        if !self.is_linked(place) {
            return None;
        }
        let (is_apart, boxes) = (pair.state == State::Apart, self.nodes(place, trees));
        let (failure, direction) = if is_apart {
            (boxes.closing(pair.boxes.direction, at), pair.boxes.direction)
        } else {
            boxes.first_opening(at)
        };
        Some(Found { nodes: pair.nodes, is_apart, direction, failure })
    }

    /// Takes what was found of the epoch that begins now; nothing if it was of other trees.
    pub(super) fn take_ahead(&mut self, trees: impl Trees, now: Moment) -> PairsAhead {
        if (self.ahead.at, self.ahead.until, self.ahead.slack) != (Some(now), epoch_end(trees), trees.slack()) {
            self.forget_ahead();
        }
        std::mem::take(&mut self.ahead)
    }

    /// Takes the room of what was found back.
    pub(super) fn keep_ahead(&mut self, ahead: PairsAhead) {
        self.ahead = ahead;
        self.forget_ahead();
    }

    /// Enters what was found of a linked pair. Returns false, and does nothing, if it does not
    /// hold.
    pub(super) fn certify_as_found(
        &mut self,
        pair: u32,
        ahead: &PairsAhead,
        is_as_found: &impl Fn(usize, u32, Extent) -> bool,
        context: &mut EventContext<'_>,
    ) -> bool {
        let Some(&Some(found)) = ahead.found.get(pair as usize) else { return false };
        let Found { nodes, is_apart, direction, failure } = found;
        let present = &self.pairs[pair as usize];
        let is_same_pair = present.nodes == nodes && (present.state == State::Apart) == is_apart;
        let holds = is_same_pair
            && if is_apart {
                present.boxes.direction == direction
                    && is_as_found(0, nodes[0], direction.extent_of_a())
                    && is_as_found(1, nodes[1], direction.extent_of_b())
            } else {
                let all_as_found =
                    |side: usize| Extent::ALL.iter().all(|&extent| is_as_found(side, nodes[side], extent));
                all_as_found(0) && all_as_found(1)
            };
        if holds {
            self.enter(pair, direction, failure, context);
        }
        holds
    }
}
