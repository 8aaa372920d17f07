//! Events of a separation list: boxes meet, leaves part, parents part, and changes of bounds.

use super::{Link, NONE, SeparationList, State, Trees};
use crate::kinetic::box_pair::{BoundPair, BoxPair, DIRECTIONS, EventName, widest_gap};
use crate::kinetic::certificate::Bound;
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::kinetic::{EventContext, KineticHierarchy, SlotChange};
use crate::math::{Extent, GapDirection};
use crate::motion::{BoxTracks, KeyTrack, Piece};
use crate::time::Moment;

impl SeparationList {
    /// Processes an event of this list that was just taken from the queue.
    pub fn process(&mut self, event: Event, trees: impl Trees, context: &mut EventContext<'_>) {
        let pair = event.slot;
        self.boxes_mut(pair).ticket = Ticket::NONE;
        match self.pairs[pair as usize].state {
            State::Apart => self.boxes_meet(pair, trees, context),
            State::Overlapping { .. } | State::Inner { .. } => self.boxes_part(pair, trees, context),
            State::Excluded => {}
        }
    }

    /// A slot of one of the hierarchies (`side` 0 or 1) changed: pairs whose certificate uses it
    /// compute it again.
    pub fn bound_changed(
        &mut self,
        side: usize,
        change: SlotChange,
        trees: impl Trees,
        context: &mut EventContext<'_>,
    ) {
        let direction =
            if side == 0 { GapDirection::facing_a(change.extent) } else { GapDirection::facing_b(change.extent) };
        let mut next = self.heads[side][change.node as usize];
        while next != NONE {
            let pair = next;
            next = self.pairs[pair as usize].links[side].next;
            match self.pairs[pair as usize].state {
                State::Apart if self.pairs[pair as usize].boxes.direction == direction => {
                    self.stats.bound_changes += 1;
                    self.certify_apart(pair, trees, context);
                }
                State::Apart | State::Excluded => {}
                State::Overlapping { .. } | State::Inner { .. } => {
                    self.stats.bound_changes += 1;
                    let (name, nodes) = (self.name(pair), self.nodes(pair, trees));
                    let searched = self.boxes_mut(pair).direction_changed(direction, name, &nodes, context);
                    self.stats.certificates_searched += searched;
                }
            }
        }
    }

    /// The gap of an apart pair closed: another witness, or the end of being apart.
    fn boxes_meet(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        if let Some(witness) = self.nodes(pair, trees).widest_gap(context.now) {
            self.stats.witnesses_replaced += 1;
            self.boxes_mut(pair).direction = witness;
            self.certify_apart(pair, trees, context);
            return;
        }
        self.stats.boxes_met += 1;
        self.record(EventKind::BoxesOverlap, pair, context);
        self.release(pair, context);
        self.descend(pair, trees, context);
        let parent = self.pairs[pair as usize].parent;
        if parent != NONE {
            self.count_apart(parent, -1);
            self.certify_parent(parent, trees, context);
        }
    }

    /// Overlapping leaves, or the boxes of an inner pair, parted.
    fn boxes_part(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        if let State::Inner { .. } = self.pairs[pair as usize].state {
            self.stats.parents_separated += 1;
            self.record(EventKind::ParentsSeparate, pair, context);
            self.remove_children(pair, context);
        } else {
            self.stats.leaves_separated += 1;
            self.record(EventKind::LeavesSeparate, pair, context);
        }
        self.release(pair, context);
        let opened = self.boxes_mut(pair).direction;
        let witness = self.nodes(pair, trees).widest_gap(context.now).unwrap_or(opened);
        self.become_apart(pair, witness, trees, context);
        let parent = self.pairs[pair as usize].parent;
        if parent != NONE {
            self.count_apart(parent, 1);
            self.certify_parent(parent, trees, context);
        }
    }

    /// Takes the children of an inner pair out; all of them are apart.
    fn remove_children(&mut self, pair: u32, context: &mut EventContext<'_>) {
        let mut next = self.children(pair).next();
        while let Some(child) = next {
            let sibling = self.pairs[child as usize].sibling;
            next = (sibling != NONE).then_some(sibling);
            debug_assert!(self.pairs[child as usize].state == State::Apart);
            self.release(child, context);
            self.pairs.remove(child as usize);
        }
        self.inner -= 1;
    }

    pub(super) fn become_apart(
        &mut self,
        pair: u32,
        witness: GapDirection,
        trees: impl Trees,
        context: &mut EventContext<'_>,
    ) {
        self.pairs[pair as usize].state = State::Apart;
        self.boxes_mut(pair).direction = witness;
        self.link(pair);
        self.certify_apart(pair, trees, context);
    }

    pub(super) fn become_overlapping(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        self.list_overlapping(pair);
        self.link(pair);
        self.certify_opening(pair, trees, context);
    }

    /// Enters a leaf pair among the overlapping; without a certificate it stays there.
    pub(super) fn list_overlapping(&mut self, pair: u32) {
        let place = self.overlapping.len() as u32;
        self.overlapping.push(pair);
        let [a, b] = self.pairs[pair as usize].nodes;
        if let Some(met) = &mut self.met {
            met.push((a, b));
        }
        self.pairs[pair as usize].state = State::Overlapping { place };
    }

    pub(super) fn certify_apart(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        self.stats.certificates_searched += 1;
        let (name, nodes) = (self.name(pair), self.nodes(pair, trees));
        self.boxes_mut(pair).certify_apart(name, &nodes, context);
    }

    /// Certifies an inner pair if all its children are apart; otherwise it needs no certificate.
    pub(super) fn certify_parent(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        if self.link_if_all_apart(pair, context) {
            self.certify_opening(pair, trees, context);
        }
    }

    /// Links an inner pair if all its children are apart, and returns whether they are. Otherwise
    /// ends its certificate.
    pub(super) fn link_if_all_apart(&mut self, pair: u32, context: &mut EventContext<'_>) -> bool {
        let State::Inner { count, apart, .. } = self.pairs[pair as usize].state else { return false };
        match (apart == count, self.is_linked(pair)) {
            (true, false) => self.link(pair),
            (false, true) => self.release(pair, context),
            _ => {}
        }
        apart == count
    }

    /// Searches all six directions for the first to open.
    pub(super) fn certify_opening(&mut self, pair: u32, trees: impl Trees, context: &mut EventContext<'_>) {
        self.stats.certificates_searched += DIRECTIONS;
        let (name, nodes) = (self.name(pair), self.nodes(pair, trees));
        self.boxes_mut(pair).certify_opening(name, &nodes, context);
    }

    /// Gives a pair a certificate that was searched before, and counts it as a search now.
    pub(super) fn enter(
        &mut self,
        pair: u32,
        direction: GapDirection,
        failure: Moment,
        context: &mut EventContext<'_>,
    ) {
        let is_apart = self.pairs[pair as usize].state == State::Apart;
        self.stats.certificates_searched += if is_apart { 1 } else { DIRECTIONS };
        let name = self.name(pair);
        self.boxes_mut(pair).enter(name, direction, failure, context);
    }

    fn boxes_mut(&mut self, pair: u32) -> &mut BoxPair {
        &mut self.pairs[pair as usize].boxes
    }

    /// The bounds of a pair's two nodes.
    pub(super) fn nodes<T: Trees>(&self, pair: u32, trees: T) -> NodePair<T> {
        NodePair { nodes: self.pairs[pair as usize].nodes, trees }
    }

    /// The event that a pair schedules in its state.
    fn name(&self, pair: u32) -> EventName {
        let kind = match self.pairs[pair as usize].state {
            State::Apart => EventKind::BoxesOverlap,
            State::Overlapping { .. } => EventKind::LeavesSeparate,
            State::Inner { .. } | State::Excluded => EventKind::ParentsSeparate,
        };
        EventName { kind, owner: self.owner, slot: pair }
    }

    /// Ends a pair's present certificate: its event, its links, its place among the overlapping.
    pub(super) fn release(&mut self, pair: u32, context: &mut EventContext<'_>) {
        self.boxes_mut(pair).retire(context);
        if self.is_linked(pair) {
            self.unlink(pair);
        }
        if let State::Overlapping { place } = self.pairs[pair as usize].state {
            self.overlapping.swap_remove(place as usize);
            if let Some(&moved) = self.overlapping.get(place as usize)
                && let State::Overlapping { place: its_place } = &mut self.pairs[moved as usize].state
            {
                *its_place = place;
            }
        }
    }

    pub(super) fn is_linked(&self, pair: u32) -> bool {
        let Link { previous, .. } = self.pairs[pair as usize].links[0];
        previous != NONE || self.heads[0][self.pairs[pair as usize].nodes[0] as usize] == pair
    }

    fn link(&mut self, pair: u32) {
        for side in 0..2 {
            let node = self.pairs[pair as usize].nodes[side] as usize;
            let head = std::mem::replace(&mut self.heads[side][node], pair);
            self.pairs[pair as usize].links[side] = Link { previous: NONE, next: head };
            if head != NONE {
                self.pairs[head as usize].links[side].previous = pair;
            }
        }
    }

    fn unlink(&mut self, pair: u32) {
        for side in 0..2 {
            let node = self.pairs[pair as usize].nodes[side] as usize;
            let link =
                std::mem::replace(&mut self.pairs[pair as usize].links[side], Link { previous: NONE, next: NONE });
            match link.previous {
                NONE => self.heads[side][node] = link.next,
                previous => self.pairs[previous as usize].links[side].next = link.next,
            }
            if link.next != NONE {
                self.pairs[link.next as usize].links[side].previous = link.previous;
            }
        }
    }

    fn record(&self, kind: EventKind, pair: u32, context: &mut EventContext<'_>) {
        context.log.record(LoggedEvent::new(context.now, kind, self.owner, self.pairs[pair as usize].nodes));
    }

    /// Takes all events of this list out of the queue.
    pub fn retire(&mut self, context: &mut EventContext<'_>) {
        for (_, pair) in self.pairs.iter_mut() {
            pair.boxes.retire(context);
        }
    }
}

/// One extent of one node.
struct Slot<'a, H> {
    hierarchy: &'a H,
    node: u32,
    extent: Extent,
}

impl<H: KineticHierarchy> Bound for Slot<'_, H> {
    fn piece(&self, at: Moment) -> Piece {
        self.hierarchy.bound(self.node, self.extent, at)
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        self.hierarchy.bound_row(self.node, self.extent)
    }
}

/// Two nodes, one of each hierarchy.
pub(super) struct NodePair<T> {
    nodes: [u32; 2],
    trees: T,
}

impl<T: Trees> NodePair<T> {
    fn widest_gap(&self, at: Moment) -> Option<GapDirection> {
        let ([node_a, node_b], (a, b)) = (self.nodes, self.trees.pair());
        widest_gap([&a.bounds(node_a, at), &b.bounds(node_b, at)], self.slack(), at)
    }
}

impl<T: Trees> BoundPair for NodePair<T> {
    fn bound_a(&self, extent: Extent) -> impl Bound {
        Slot { hierarchy: self.trees.pair().0, node: self.nodes[0], extent }
    }

    fn bound_b(&self, extent: Extent) -> impl Bound {
        Slot { hierarchy: self.trees.pair().1, node: self.nodes[1], extent }
    }

    fn tracks(&self) -> Option<[BoxTracks<'_>; 2]> {
        let (a, b) = self.trees.pair();
        Some([a.bound_rows(self.nodes[0])?, b.bound_rows(self.nodes[1])?])
    }

    fn slack(&self) -> f64 {
        self.trees.slack()
    }

    fn epoch_end(&self) -> f64 {
        let (a, b) = self.trees.pair();
        a.epoch_end().min(b.epoch_end())
    }
}
