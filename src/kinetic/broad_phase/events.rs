//! Events of the crowd: a body left its region, bodies meet, bodies part; changes of root slots, ends of epochs.

use super::{Bodies, BodyPairEvent, KineticBroadPhase, State};
use crate::kinetic::EventContext;
use crate::kinetic::certificate::{Bound, closing, is_apart, opening};
use crate::kinetic::event::{Event, EventKind, LoggedEvent, Ticket};
use crate::math::{Extent, GapDirection};
use crate::motion::{KeyTrack, Piece};
use crate::time::{Moment, NEVER};

impl KineticBroadPhase {
    /// Processes an event of the crowd that was just taken from the queue. Appends the encounters it brings about.
    pub fn process(
        &mut self,
        event: Event,
        bodies: &impl Bodies,
        clock: &mut EventContext<'_>,
        body_pair_events: &mut Vec<BodyPairEvent>,
    ) {
        if event.kind == EventKind::FatBoxLeft {
            self.stats.regions_left += 1;
            let Some(member) = self.member_mut(event.owner) else { return };
            member.ticket = Ticket::NONE;
            // A region that was too popular shrinks; one that was left may grow again.
            let level = if member.is_overfull { member.level + 1 } else { member.level.saturating_sub(1) };
            self.relocate(event.owner, level, bodies, clock, body_pair_events);
            return;
        }
        let number = event.owner;
        let pair = &mut self.pairs[number as usize];
        pair.ticket = Ticket::NONE;
        let ([a, b], state) = (pair.bodies, pair.state);
        match state {
            State::Apart { .. } => {
                if let Some(witness) = widest_gap([a, b], bodies, clock.now) {
                    self.stats.witnesses_replaced += 1;
                    self.become_apart(number, witness, bodies, clock);
                } else {
                    self.become_meeting(number, bodies, clock, body_pair_events);
                }
            }
            State::Meeting { opens } => {
                self.meeting -= 1;
                self.stats.parted += 1;
                record(EventKind::BodiesSeparate, [a, b], clock);
                body_pair_events.push(BodyPairEvent { a, b, met: false });
                let witness = widest_gap([a, b], bodies, clock.now).unwrap_or(opens);
                self.become_apart(number, witness, bodies, clock);
            }
        }
    }

    /// A root slot of a body got another bound. O(partners).
    pub fn bound_changed(&mut self, body: u32, extent: Extent, bodies: &impl Bodies, clock: &mut EventContext<'_>) {
        if !self.contains(body) {
            return;
        }
        self.stats.certificates_searched += 1;
        let leaves = self.leaving(body, extent, bodies, clock.now);
        let Some(member) = self.member_mut(body) else { return };
        member.leaves[extent.index()] = leaves;
        let numbers: Vec<u32> = member.overlapping.values().copied().collect();
        self.schedule_region(body, clock);
        for number in numbers {
            let pair = &self.pairs[number as usize];
            let is_first = pair.bodies[0] == body;
            let direction = if is_first { GapDirection::facing_a(extent) } else { GapDirection::facing_b(extent) };
            match pair.state {
                State::Apart { witness } if witness == direction => {
                    self.stats.bound_changes += 1;
                    self.certify_apart(number, bodies, clock);
                }
                State::Apart { .. } => {}
                State::Meeting { opens } => {
                    self.stats.bound_changes += 1;
                    self.direction_changed(number, direction, opens, bodies, clock);
                }
            }
        }
    }

    /// Certifies everything a body takes part in anew: after its epoch ended or its flightplan was replaced. What is no
    /// longer true is scheduled for now. O(partners).
    pub fn certify_all(&mut self, body: u32, bodies: &impl Bodies, clock: &mut EventContext<'_>) {
        let Some(member) = self.member(body) else { return };
        let numbers: Vec<u32> = member.overlapping.values().copied().collect();
        self.certify_region(body, bodies, clock);
        for number in numbers {
            match self.pairs[number as usize].state {
                State::Apart { .. } => self.certify_apart(number, bodies, clock),
                State::Meeting { .. } => self.certify_opening(number, bodies, clock),
            }
        }
    }

    /// Gives a new pair its state.
    pub(super) fn settle(
        &mut self,
        number: u32,
        bodies: &impl Bodies,
        clock: &mut EventContext<'_>,
        body_pair_events: &mut Vec<BodyPairEvent>,
    ) {
        match widest_gap(self.pairs[number as usize].bodies, bodies, clock.now) {
            Some(witness) => self.become_apart(number, witness, bodies, clock),
            None => self.become_meeting(number, bodies, clock, body_pair_events),
        }
    }

    fn become_apart(&mut self, number: u32, witness: GapDirection, bodies: &impl Bodies, clock: &mut EventContext<'_>) {
        self.pairs[number as usize].state = State::Apart { witness };
        self.certify_apart(number, bodies, clock);
    }

    fn become_meeting(
        &mut self,
        number: u32,
        bodies: &impl Bodies,
        clock: &mut EventContext<'_>,
        body_pair_events: &mut Vec<BodyPairEvent>,
    ) {
        self.meeting += 1;
        self.stats.met += 1;
        let pair = &mut self.pairs[number as usize];
        pair.state = State::Meeting { opens: GapDirection::ALL[0] };
        let [a, b] = pair.bodies;
        body_pair_events.push(BodyPairEvent { a, b, met: true });
        record(EventKind::BodiesMeet, [a, b], clock);
        self.certify_opening(number, bodies, clock);
    }

    /// Searches when each side of a body leaves its region.
    pub(super) fn certify_region(&mut self, body: u32, bodies: &impl Bodies, clock: &mut EventContext<'_>) {
        self.stats.certificates_searched += 6;
        let leaves = Extent::ALL.map(|extent| self.leaving(body, extent, bodies, clock.now));
        if let Some(member) = self.member_mut(body) {
            member.leaves = leaves;
            self.schedule_region(body, clock);
        }
    }

    /// When a side of a body's box leaves the region, not before `from`.
    pub(super) fn leaving(&self, body: u32, extent: Extent, bodies: &impl Bodies, from: Moment) -> Moment {
        self.member(body).map_or(Moment::at(NEVER), |member| {
            let (side, wall) = (Side { bodies, body, extent }, extent_of(&member.fat_box, extent));
            // Twice the slack: see the least margin of a region.
            let (slack, until) = (2.0 * bodies.slack(body), bodies.epoch_end(body));
            if extent.is_max() {
                closing(&side, &Wall(wall), slack, from, until)
            } else {
                closing(&Wall(wall), &side, slack, from, until)
            }
        })
    }

    /// Schedules when a body leaves its region, or now if it is to be chosen again.
    pub(super) fn schedule_region(&mut self, body: u32, clock: &mut EventContext<'_>) {
        let Some(member) = self.member_mut(body) else { return };
        let leaves = member.leaves.iter().copied().fold(Moment::at(NEVER), Moment::min);
        let moment = if member.is_overfull { clock.now } else { leaves };
        schedule(&mut member.ticket, EventKind::FatBoxLeft, body, moment, clock);
    }

    fn certify_apart(&mut self, number: u32, bodies: &impl Bodies, clock: &mut EventContext<'_>) {
        let pair = &mut self.pairs[number as usize];
        let State::Apart { witness } = pair.state else { return };
        self.stats.certificates_searched += 1;
        let moment = Gap::new(pair.bodies, witness, bodies).closing(clock.now);
        schedule(&mut pair.ticket, EventKind::BodiesMeet, number, moment, clock);
    }

    /// Searches all six directions for the first to open.
    fn certify_opening(&mut self, number: u32, bodies: &impl Bodies, clock: &mut EventContext<'_>) {
        self.stats.certificates_searched += 6;
        let (moment, first) = first_opening(self.pairs[number as usize].bodies, bodies, clock.now);
        self.schedule_opening(number, moment, first, clock);
    }

    /// A bound of one direction of a meeting pair changed.
    fn direction_changed(
        &mut self,
        number: u32,
        direction: GapDirection,
        opens: GapDirection,
        bodies: &impl Bodies,
        clock: &mut EventContext<'_>,
    ) {
        let pair = &self.pairs[number as usize];
        if direction == opens && pair.ticket.is_some() {
            // The first direction to open may open later now: all six are in question.
            self.certify_opening(number, bodies, clock);
            return;
        }
        let scheduled = if pair.ticket.is_some() { clock.queue.get(pair.ticket).moment } else { Moment::at(NEVER) };
        self.stats.certificates_searched += 1;
        let moment = Gap::new(pair.bodies, direction, bodies).opening(clock.now, scheduled.time());
        if moment < scheduled {
            self.schedule_opening(number, moment, direction, clock);
        }
    }

    fn schedule_opening(&mut self, number: u32, moment: Moment, first: GapDirection, clock: &mut EventContext<'_>) {
        let pair = &mut self.pairs[number as usize];
        pair.state = State::Meeting { opens: first };
        schedule(&mut pair.ticket, EventKind::BodiesSeparate, number, moment, clock);
    }
}

/// Logged under the first body: the pair's number depends on regions, which are nobody's business.
pub(super) fn record(kind: EventKind, [first, second]: [u32; 2], clock: &mut EventContext<'_>) {
    clock.log.record(LoggedEvent { moment: clock.now, kind, owner: first, first, second });
}

fn schedule(ticket: &mut Ticket, kind: EventKind, owner: u32, moment: Moment, clock: &mut EventContext<'_>) {
    if moment.time() == NEVER {
        if ticket.is_some() {
            clock.queue.erase(*ticket);
            *ticket = Ticket::NONE;
        }
    } else if ticket.is_some() {
        clock.queue.reschedule(*ticket, moment);
    } else {
        *ticket = clock.queue.push(Event { moment, kind, owner, slot: 0 });
    }
}

/// The direction in which two bodies are farthest apart at a moment, if they are apart.
fn widest_gap(pair: [u32; 2], bodies: &impl Bodies, at: Moment) -> Option<GapDirection> {
    let mut widest: Option<(f64, GapDirection)> = None;
    for direction in GapDirection::ALL {
        let Some(width) = Gap::new(pair, direction, bodies).width(at) else { continue };
        if widest.is_none_or(|(most, _)| width > most) {
            widest = Some((width, direction));
        }
    }
    widest.map(|(_, direction)| direction)
}

/// When and where two bodies that meet first part.
pub(super) fn first_opening(pair: [u32; 2], bodies: &impl Bodies, from: Moment) -> (Moment, GapDirection) {
    let mut first = (Moment::at(NEVER), GapDirection::ALL[0]);
    for direction in GapDirection::ALL {
        let moment = Gap::new(pair, direction, bodies).opening(from, first.0.time());
        if moment < first.0 {
            first = (moment, direction);
        }
    }
    first
}

/// A side of a region.
fn extent_of(fat_box: &crate::math::Aabb, extent: Extent) -> f64 {
    if extent.is_max() { fat_box.max[extent.axis()] } else { fat_box.min[extent.axis()] }
}

/// A side of a body's box.
struct Side<'a, B> {
    bodies: &'a B,
    body: u32,
    extent: Extent,
}

impl<B: Bodies> Bound for Side<'_, B> {
    fn piece(&self, at: Moment) -> Piece {
        self.bodies.bound(self.body, self.extent, at)
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        self.bodies.bound_row(self.body, self.extent)
    }
}

/// A side of a region: it stands still.
struct Wall(f64);

impl Bound for Wall {
    fn piece(&self, _: Moment) -> Piece {
        Piece::constant(f64::NEG_INFINITY, f64::INFINITY, self.0)
    }

    fn row(&self) -> Option<KeyTrack<'_>> {
        Some(KeyTrack::Constant(self.0))
    }
}

/// The gap of two bodies along a direction, as a function of time.
pub(super) struct Gap<'a, B> {
    lower: Side<'a, B>,
    upper: Side<'a, B>,
    slack: f64,
    until: f64,
}

impl<'a, B: Bodies> Gap<'a, B> {
    pub(super) fn new([a, b]: [u32; 2], direction: GapDirection, bodies: &'a B) -> Self {
        let side_a = Side { bodies, body: a, extent: direction.extent_of_a() };
        let side_b = Side { bodies, body: b, extent: direction.extent_of_b() };
        let (lower, upper) = if direction.a_is_below() { (side_a, side_b) } else { (side_b, side_a) };
        let slack = bodies.slack(a) + bodies.slack(b);
        Self { lower, upper, slack, until: bodies.epoch_end(a).min(bodies.epoch_end(b)) }
    }

    /// When the gap closes, from a moment on.
    pub(super) fn closing(&self, from: Moment) -> Moment {
        closing(&self.lower, &self.upper, self.slack, from, self.until)
    }

    /// When the gap opens, from a moment on; [`NEVER`] also where that is not before `until`.
    fn opening(&self, from: Moment, until: f64) -> Moment {
        opening(&self.lower, &self.upper, self.slack, from, self.until.min(until))
    }

    /// How wide the gap is, if it is open.
    fn width(&self, at: Moment) -> Option<f64> {
        let (lower, upper) = (self.lower.piece(at), self.upper.piece(at));
        is_apart(&lower, &upper, self.slack, at).then(|| upper.at(at.time()) - lower.at(at.time()))
    }
}
