//! Events of a separation list: boxes meet, leaves part, parents part, and changes of bounds.

use super::{Link, NONE, SeparationList, State};
use crate::kinetic::certificate::{Bound, closing, first_opening, is_apart, opening};
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::kinetic::{EventContext, KineticHierarchy, SlotChange};
use crate::math::{Extent, GapDirection};
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

impl SeparationList {
    /// Processes an event of this list that was just taken from the queue.
    pub fn process(
        &mut self,
        event: Event,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        let pair = event.slot;
        self.pairs[pair as usize].ticket = Ticket::NONE;
        match self.pairs[pair as usize].state {
            State::Apart { .. } => self.boxes_meet(pair, a, b, clock),
            State::Overlapping { opens, .. } | State::Inner { opens, .. } => self.boxes_part(pair, opens, a, b, clock),
            State::Excluded => {}
        }
    }

    /// A slot of one of the hierarchies (`side` 0 or 1) changed: pairs whose certificate uses it compute it again.
    pub fn bound_changed(
        &mut self,
        side: usize,
        change: SlotChange,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        let direction =
            if side == 0 { GapDirection::facing_a(change.extent) } else { GapDirection::facing_b(change.extent) };
        let mut next = self.heads[side][change.node as usize];
        while next != NONE {
            let pair = next;
            next = self.pairs[pair as usize].links[side].next;
            match self.pairs[pair as usize].state {
                State::Apart { witness } if witness == direction => {
                    self.stats.bound_changes += 1;
                    self.certify_apart(pair, a, b, clock);
                }
                State::Apart { .. } | State::Excluded => {}
                State::Overlapping { opens, .. } | State::Inner { opens, .. } => {
                    self.stats.bound_changes += 1;
                    self.direction_changed(pair, direction, opens, a, b, clock);
                }
            }
        }
    }

    /// The gap of an apart pair closed: another witness, or the end of being apart.
    fn boxes_meet(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        if let Some(witness) = self.widest_gap(pair, a, b, clock.now) {
            self.stats.witnesses_replaced += 1;
            self.pairs[pair as usize].state = State::Apart { witness };
            self.certify_apart(pair, a, b, clock);
            return;
        }
        self.stats.boxes_met += 1;
        self.record(EventKind::BoxesOverlap, pair, clock);
        self.release(pair, clock);
        self.descend(pair, a, b, clock);
        let parent = self.pairs[pair as usize].parent;
        if parent != NONE {
            self.count_apart(parent, -1);
            self.certify_father(parent, a, b, clock);
        }
    }

    /// Overlapping leaves, or the boxes of an inner pair, parted.
    fn boxes_part(
        &mut self,
        pair: u32,
        opens: GapDirection,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        if let State::Inner { .. } = self.pairs[pair as usize].state {
            self.stats.parents_separated += 1;
            self.record(EventKind::ParentsSeparate, pair, clock);
            self.remove_children(pair, clock);
        } else {
            self.stats.leaves_separated += 1;
            self.record(EventKind::LeavesSeparate, pair, clock);
        }
        self.release(pair, clock);
        let witness = self.widest_gap(pair, a, b, clock.now).unwrap_or(opens);
        self.become_apart(pair, witness, a, b, clock);
        let parent = self.pairs[pair as usize].parent;
        if parent != NONE {
            self.count_apart(parent, 1);
            self.certify_father(parent, a, b, clock);
        }
    }

    /// Takes the children of an inner pair out; all of them are apart.
    fn remove_children(&mut self, pair: u32, clock: &mut EventContext<'_>) {
        let children: Vec<u32> = self.children(pair).collect();
        for child in children {
            debug_assert!(matches!(self.pairs[child as usize].state, State::Apart { .. }));
            self.release(child, clock);
            self.pairs.remove(child as usize);
        }
        self.inner -= 1;
    }

    pub(super) fn become_apart(
        &mut self,
        pair: u32,
        witness: GapDirection,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        self.pairs[pair as usize].state = State::Apart { witness };
        self.link(pair);
        self.certify_apart(pair, a, b, clock);
    }

    pub(super) fn become_overlapping(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        self.list_overlapping(pair);
        self.link(pair);
        self.certify_opening(pair, a, b, clock);
    }

    /// Enters a leaf pair among the overlapping; without a certificate it stays there.
    pub(super) fn list_overlapping(&mut self, pair: u32) {
        let place = self.overlapping.len() as u32;
        self.overlapping.push(pair);
        let [a, b] = self.pairs[pair as usize].nodes;
        if let Some(met) = &mut self.met {
            met.push((a, b));
        }
        self.pairs[pair as usize].state = State::Overlapping { place, opens: GapDirection::ALL[0] };
    }

    pub(super) fn certify_apart(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        let State::Apart { witness } = self.pairs[pair as usize].state else { return };
        self.stats.certificates_searched += 1;
        let gap = Gap::new(self.pairs[pair as usize].nodes, witness, a, b);
        let moment = gap.closing(clock.now);
        self.schedule(pair, EventKind::BoxesOverlap, moment, clock);
    }

    /// Certifies an inner pair if all its children are apart; otherwise it needs no certificate.
    pub(super) fn certify_father(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        let State::Inner { count, apart, .. } = self.pairs[pair as usize].state else { return };
        let is_fringe = apart == count;
        let is_linked = self.is_linked(pair);
        if is_fringe {
            if !is_linked {
                self.link(pair);
            }
            self.certify_opening(pair, a, b, clock);
        } else if is_linked {
            self.release(pair, clock);
        }
    }

    /// Searches all six directions for the first to open.
    pub(super) fn certify_opening(
        &mut self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        let [node_a, node_b] = self.pairs[pair as usize].nodes;
        if let (Some(rows_a), Some(rows_b)) = (a.bound_rows(node_a), b.bound_rows(node_b)) {
            let (slack, until) = (a.slack() + b.slack(), a.epoch_end().min(b.epoch_end()));
            if let Some((moment, opens)) = first_opening(&rows_a, &rows_b, slack, clock.now, until) {
                self.stats.certificates_searched += 6;
                self.schedule_opening(pair, moment, opens, clock);
                return;
            }
        }
        let mut first = (Moment::at(NEVER), GapDirection::ALL[0]);
        for direction in GapDirection::ALL {
            let moment = self.opening_along(pair, direction, a, b, clock.now, first.0.time());
            if moment < first.0 {
                first = (moment, direction);
            }
        }
        self.schedule_opening(pair, first.0, first.1, clock);
    }

    fn opening_along(
        &mut self,
        pair: u32,
        direction: GapDirection,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        now: Moment,
        until: f64,
    ) -> Moment {
        self.stats.certificates_searched += 1;
        Gap::new(self.pairs[pair as usize].nodes, direction, a, b).opening(now, until)
    }

    /// A bound of one direction of an overlapping pair changed.
    fn direction_changed(
        &mut self,
        pair: u32,
        direction: GapDirection,
        opens: GapDirection,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        clock: &mut EventContext<'_>,
    ) {
        let ticket = self.pairs[pair as usize].ticket;
        if direction == opens && ticket.is_some() {
            // The first direction to open may open later now: all six are in question.
            self.certify_opening(pair, a, b, clock);
            return;
        }
        let scheduled = if ticket.is_some() { clock.queue.get(ticket).moment } else { Moment::at(NEVER) };
        let moment = self.opening_along(pair, direction, a, b, clock.now, scheduled.time());
        if moment < scheduled {
            self.schedule_opening(pair, moment, direction, clock);
        }
    }

    fn schedule_opening(&mut self, pair: u32, moment: Moment, first: GapDirection, clock: &mut EventContext<'_>) {
        let kind = match &mut self.pairs[pair as usize].state {
            State::Overlapping { opens, .. } => {
                *opens = first;
                EventKind::LeavesSeparate
            }
            State::Inner { opens, .. } => {
                *opens = first;
                EventKind::ParentsSeparate
            }
            State::Apart { .. } | State::Excluded => return,
        };
        self.schedule(pair, kind, moment, clock);
    }

    fn schedule(&mut self, pair: u32, kind: EventKind, moment: Moment, clock: &mut EventContext<'_>) {
        let owner = self.owner;
        let ticket = &mut self.pairs[pair as usize].ticket;
        if moment.time() == NEVER {
            if ticket.is_some() {
                clock.queue.erase(*ticket);
                *ticket = Ticket::NONE;
            }
        } else if ticket.is_some() {
            clock.queue.reschedule(*ticket, moment);
        } else {
            *ticket = clock.queue.push(Event { moment, kind, owner, slot: pair });
        }
    }

    /// The direction in which the boxes of a pair are farthest apart now, if they are apart.
    fn widest_gap(
        &self,
        pair: u32,
        a: &impl KineticHierarchy,
        b: &impl KineticHierarchy,
        now: Moment,
    ) -> Option<GapDirection> {
        let [node_a, node_b] = self.pairs[pair as usize].nodes;
        widest_gap([&a.bounds(node_a, now), &b.bounds(node_b, now)], a.slack() + b.slack(), now)
    }

    /// Ends a pair's present certificate: its event, its links, its place among the overlapping.
    pub(super) fn release(&mut self, pair: u32, clock: &mut EventContext<'_>) {
        let ticket = std::mem::replace(&mut self.pairs[pair as usize].ticket, Ticket::NONE);
        if ticket.is_some() {
            clock.queue.erase(ticket);
        }
        if self.is_linked(pair) {
            self.unlink(pair);
        }
        if let State::Overlapping { place, .. } = self.pairs[pair as usize].state {
            self.overlapping.swap_remove(place as usize);
            if let Some(&moved) = self.overlapping.get(place as usize)
                && let State::Overlapping { place: its_place, .. } = &mut self.pairs[moved as usize].state
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

    fn record(&self, kind: EventKind, pair: u32, clock: &mut EventContext<'_>) {
        let [first, second] = self.pairs[pair as usize].nodes;
        clock.log.record(LoggedEvent { moment: clock.now, kind, owner: self.owner, first, second });
    }

    /// Takes all events of this list out of the queue.
    pub fn retire(&mut self, clock: &mut EventContext<'_>) {
        for (_, pair) in &mut self.pairs {
            let ticket = std::mem::replace(&mut pair.ticket, Ticket::NONE);
            if ticket.is_some() {
                clock.queue.erase(ticket);
            }
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

/// The gap of two nodes along a direction, as a function of time.
struct Gap<'a, A, B> {
    a: Slot<'a, A>,
    b: Slot<'a, B>,
    a_is_below: bool,
    slack: f64,
    until: f64,
}

impl<'a, A: KineticHierarchy, B: KineticHierarchy> Gap<'a, A, B> {
    fn new(nodes: [u32; 2], direction: GapDirection, a: &'a A, b: &'a B) -> Self {
        Self {
            a: Slot { hierarchy: a, node: nodes[0], extent: direction.extent_of_a() },
            b: Slot { hierarchy: b, node: nodes[1], extent: direction.extent_of_b() },
            a_is_below: direction.a_is_below(),
            slack: a.slack() + b.slack(),
            until: a.epoch_end().min(b.epoch_end()),
        }
    }

    /// When the gap closes, from a moment on.
    fn closing(&self, from: Moment) -> Moment {
        if self.a_is_below {
            closing(&self.a, &self.b, self.slack, from, self.until)
        } else {
            closing(&self.b, &self.a, self.slack, from, self.until)
        }
    }

    /// When the gap opens, from a moment on; [`NEVER`] also where that is not before `until`.
    fn opening(&self, from: Moment, until: f64) -> Moment {
        let until = self.until.min(until);
        if self.a_is_below {
            opening(&self.a, &self.b, self.slack, from, until)
        } else {
            opening(&self.b, &self.a, self.slack, from, until)
        }
    }
}

/// The direction in which two boxes are farthest apart at a moment, if they are apart. `slack` is that of both.
pub(super) fn widest_gap([a, b]: [&[Piece; 6]; 2], slack: f64, at: Moment) -> Option<GapDirection> {
    let mut widest: Option<(f64, GapDirection)> = None;
    for direction in GapDirection::ALL {
        let (side_a, side_b) = (&a[direction.extent_of_a().index()], &b[direction.extent_of_b().index()]);
        let (lower, upper) = if direction.a_is_below() { (side_a, side_b) } else { (side_b, side_a) };
        if !is_apart(lower, upper, slack, at) {
            continue;
        }
        let width = upper.at(at.time()) - lower.at(at.time());
        if widest.is_none_or(|(most, _)| width > most) {
            widest = Some((width, direction));
        }
    }
    widest.map(|(_, direction)| direction)
}
