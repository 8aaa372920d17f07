//! The event queue: an indexed four-ary heap of the near future, and an unordered pile of later
//! events.
//!
//! Maintains: the earliest of all scheduled events on top. Every event has a ticket, by which its
//! owner moves or erases it. Push, reschedule, erase and pop are O(log n) amortised, and O(1) for
//! events that stay in the pile. Peek is O(1).
//!
//! Invariants: keys in the heap are at most `limit`, keys in the pile are larger; the heap is empty
//! only if the pile is. When the heap is empty, about an eighth of the pile moves into it, in one
//! pass. So the heap stays small enough for the nearer caches, and many events are erased or moved
//! before they enter it.
//!
//! Two optimisations use the fact that processing an event usually schedules the next one of the
//! same slot. The place of the popped event stays open (`hole`), and the next pushed event sinks
//! from there. The least of four children is selected without a branch.
//!
//! Departs from the paper, which uses an AVL tree; ordered ranges over a `BTreeMap` would also do.
//! On recorded event streams (`cargo bench --bench queue`, docs/BENCHMARKS.md) this was the fastest
//! structure tried.
//!
//! Order: an event is one 128-bit number. The upper half is its time as bits that order like the
//! time; then side, kind, owner and slot follow. Ties are therefore decided by the event itself,
//! never by its address or its age.

use super::{Event, EventKind};
use crate::time::{Moment, Side};

/// Names a scheduled event; [`Ticket::NONE`] names none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Ticket(u32);

const _: () = assert!(size_of::<Ticket>() == 4);

impl Default for Ticket {
    fn default() -> Self {
        Self::NONE
    }
}

impl Ticket {
    /// No event.
    pub const NONE: Self = Self(u32::MAX);

    /// Whether the ticket names an event.
    pub fn is_some(self) -> bool {
        self != Self::NONE
    }
}

/// An operation on a queue, for benchmarks and post-mortems. Tickets are given as numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueOperation {
    /// An event was scheduled.
    Push {
        /// The event.
        event: Event,
        /// Its ticket.
        ticket: u32,
    },
    /// An event was moved.
    Reschedule {
        /// Its ticket.
        ticket: u32,
        /// Its new moment.
        moment: Moment,
    },
    /// An event was removed unprocessed; its ticket may be reused.
    Erase {
        /// Its ticket.
        ticket: u32,
    },
    /// The earliest event was taken; its ticket may be reused.
    Pop,
}

const ARITY: usize = 4;

/// Added to places in the pile, to distinguish them from places in the heap. At most 2³¹ events can
/// be scheduled.
const PILE: u32 = 1 << 31;

/// One in `SHARE` events moves from the pile into the empty heap.
const SHARE: usize = 8;

/// Keys sampled to find the limit; a pile of no more than `SAMPLE / SHARE` events moves as a whole.
const SAMPLE: usize = 512;

/// Follows the last free ticket: no place, in the heap or the pile.
const NONE: u32 = u32::MAX;

/// Scheduled events, earliest first.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct EventQueue {
    /// Heap order: no key is smaller than that of its parent at `(place - 1) / ARITY`.
    keys: Vec<u128>,
    /// Per place in the heap, the ticket of the event there.
    tickets: Vec<u32>,
    /// Events later than any in the heap, in no order.
    pile: Vec<u128>,
    /// Per place in the pile, the ticket of the event there.
    pile_tickets: Vec<u32>,
    /// Keys in the heap are no larger than this; keys in the pile are larger.
    limit: u128,
    /// Per ticket, its place in the heap, or `PILE` plus its place in the pile; of a free ticket,
    /// the next free one.
    places: Vec<u32>,
    /// The ticket that became free last.
    free: Option<u32>,
    operations: u64,
    #[cfg_attr(feature = "record", serde(skip))]
    record: Option<Vec<QueueOperation>>,
    /// Whether the event on top is already taken; the next pushed event then takes its place.
    hole: bool,
    /// Scratch: some keys of the pile.
    #[cfg_attr(feature = "record", serde(skip))]
    sample: Vec<u128>,
}

impl EventQueue {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of scheduled events.
    pub fn len(&self) -> usize {
        self.keys.len() - usize::from(self.hole) + self.pile.len()
    }

    /// Whether no event is scheduled.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of pushes, moves, erasures and pops so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Starts or stops recording operations; returns those recorded so far. A recording can be
    /// replayed only if it began before the first push. Costs one test per operation while off.
    pub fn record_operations(&mut self, on: bool) -> Vec<QueueOperation> {
        std::mem::replace(&mut self.record, on.then(Vec::new)).unwrap_or_default()
    }

    #[inline(always)]
    fn note(&mut self, operation: impl FnOnce() -> QueueOperation) {
        self.operations += 1;
        if let Some(record) = &mut self.record {
            record.push(operation());
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let tickets = [&self.tickets, &self.pile_tickets, &self.places];
        (self.keys.capacity() + self.pile.capacity()) * size_of::<u128>()
            + tickets.iter().map(|tickets| tickets.capacity()).sum::<usize>() * size_of::<u32>()
    }

    /// Schedules an event.
    pub fn push(&mut self, event: Event) -> Ticket {
        let ticket = self.take_free().unwrap_or_else(|| {
            self.places.push(NONE);
            self.places.len() as u32 - 1
        });
        self.note(|| QueueOperation::Push { event, ticket });
        self.insert(encode(event), ticket);
        Ticket(ticket)
    }

    /// Takes the ticket that became free last.
    fn take_free(&mut self) -> Option<u32> {
        let ticket = self.free.take()?;
        let &next = self.places.get(ticket as usize)?;
        self.free = (next != NONE).then_some(next);
        Some(ticket)
    }

    /// Makes a ticket free that names no event any more.
    fn give_free(&mut self, ticket: u32) {
        self.places[ticket as usize] = self.free.replace(ticket).unwrap_or(NONE);
    }

    fn insert(&mut self, key: u128, ticket: u32) {
        if key > self.limit {
            self.places[ticket as usize] = PILE + self.pile.len() as u32;
            self.pile.push(key);
            self.pile_tickets.push(ticket);
            self.refill_if_empty();
        } else if std::mem::take(&mut self.hole) {
            self.sink(0, key, ticket);
        } else {
            self.keys.push(key);
            self.tickets.push(ticket);
            self.rise(self.keys.len() - 1, key, ticket);
        }
    }

    fn refill_if_empty(&mut self) {
        if self.keys.len() == usize::from(self.hole) && !self.pile.is_empty() {
            self.refill();
        }
    }

    /// Moves the earliest events of the pile into the empty heap: about one in [`SHARE`], more if
    /// they are few.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        if std::mem::take(&mut self.hole) {
            self.remove(0);
        }
        let step = (self.pile.len() / SAMPLE).max(1);
        self.sample.clear();
        self.sample.extend(self.pile.iter().copied().step_by(step));
        let place = (SAMPLE / SHARE).min(self.sample.len() - 1);
        self.limit = *self.sample.select_nth_unstable(place).1;
        let mut place = 0;
        while place < self.pile.len() {
            let (key, ticket) = (self.pile[place], self.pile_tickets[place]);
            if key <= self.limit {
                self.take_from_pile(place);
                self.insert(key, ticket);
            } else {
                place += 1;
            }
        }
    }

    fn take_from_pile(&mut self, place: usize) {
        self.pile.swap_remove(place);
        self.pile_tickets.swap_remove(place);
        if let Some(&moved) = self.pile_tickets.get(place) {
            self.places[moved as usize] = PILE + place as u32;
        }
    }

    fn take_out(&mut self, ticket: u32) {
        let place = self.places[ticket as usize];
        if place >= PILE {
            self.take_from_pile((place - PILE) as usize);
        } else {
            self.remove(place as usize);
            self.refill_if_empty();
        }
    }

    /// Moves a scheduled event to another moment.
    ///
    /// # Panics
    /// If the ticket names no scheduled event. Tickets index like numbers of a slice.
    pub fn reschedule(&mut self, ticket: Ticket, moment: Moment) {
        self.note(|| QueueOperation::Reschedule { ticket: ticket.0, moment });
        let place = self.places[ticket.0 as usize];
        let moment = encode_moment(moment);
        if place >= PILE {
            let entry = &mut self.pile[(place - PILE) as usize];
            let new = moment | (*entry & REST);
            if new > self.limit {
                *entry = new;
            } else {
                self.take_from_pile((place - PILE) as usize);
                self.insert(new, ticket.0);
            }
            return;
        }
        let place = place as usize;
        let old = self.keys[place];
        let new = moment | (old & REST);
        if new > self.limit {
            self.remove(place);
            self.insert(new, ticket.0);
        } else if new < old {
            self.rise(place, new, ticket.0);
        } else {
            self.sink(place, new, ticket.0);
        }
    }

    /// Makes a ticket name `event`: pushes it, moves the event the ticket names already, or erases
    /// that one for `None`.
    ///
    /// An event that is moved keeps its kind, owner and slot. Nothing is done where no event
    /// replaces none.
    #[inline]
    pub fn set(&mut self, ticket: &mut Ticket, event: Option<Event>) {
        match event {
            Some(event) if ticket.is_some() => self.reschedule(*ticket, event.moment),
            Some(event) => *ticket = self.push(event),
            None if ticket.is_some() => self.erase(std::mem::take(ticket)),
            None => {}
        }
    }

    /// Removes an event unprocessed.
    ///
    /// # Panics
    /// If the ticket names no scheduled event. Tickets index like numbers of a slice.
    pub fn erase(&mut self, ticket: Ticket) {
        self.note(|| QueueOperation::Erase { ticket: ticket.0 });
        self.take_out(ticket.0);
        self.give_free(ticket.0);
    }

    /// Returns the event that a ticket names.
    ///
    /// # Panics
    /// If the ticket names no scheduled event. Tickets index like numbers of a slice.
    pub fn get(&self, ticket: Ticket) -> Event {
        let place = self.places[ticket.0 as usize];
        decode(if place >= PILE { self.pile[(place - PILE) as usize] } else { self.keys[place as usize] })
    }

    /// Whether a ticket names a scheduled event.
    pub fn contains(&self, ticket: Ticket) -> bool {
        let Some(&place) = self.places.get(ticket.0 as usize) else { return false };
        let there = match place.checked_sub(PILE) {
            Some(place) => self.pile_tickets.get(place as usize),
            None => self.tickets.get(place as usize),
        };
        there == Some(&ticket.0)
    }

    /// Returns the earliest event.
    pub fn peek(&self) -> Option<Event> {
        let first = if self.hole {
            // The next event is among the children of the top.
            self.keys.get(1..)?.iter().take(ARITY).min()
        } else {
            self.keys.first()
        };
        first.map(|&key| decode(key))
    }

    /// Takes the earliest event if it happens no later than `moment`. Its ticket becomes free.
    pub fn pop_until(&mut self, moment: Moment) -> Option<Event> {
        if std::mem::take(&mut self.hole) {
            self.remove(0);
        }
        let event = decode(*self.keys.first()?);
        if event.moment > moment {
            return None;
        }
        self.note(|| QueueOperation::Pop);
        self.give_free(self.tickets[0]);
        // Smaller than any key, so nothing rises above it; no ticket names it.
        (self.keys[0], self.tickets[0], self.hole) = (0, u32::MAX, true);
        self.refill_if_empty();
        Some(event)
    }

    /// All scheduled events, unordered.
    pub fn iter(&self) -> impl Iterator<Item = (Ticket, Event)> {
        let heap = self.tickets.iter().copied().zip(self.keys.iter().copied()).skip(usize::from(self.hole));
        let pile = self.pile_tickets.iter().copied().zip(self.pile.iter().copied());
        heap.chain(pile).map(|(ticket, key)| (Ticket(ticket), decode(key)))
    }

    /// Fills the gap at a place with the last event.
    fn remove(&mut self, place: usize) {
        let (Some(key), Some(ticket)) = (self.keys.pop(), self.tickets.pop()) else { return };
        if place == self.keys.len() {
            return;
        }
        if place > 0 && key < self.keys[(place - 1) / ARITY] {
            self.rise(place, key, ticket);
        } else {
            self.sink(place, key, ticket);
        }
    }

    /// Puts an event at a place, or above it.
    fn rise(&mut self, mut place: usize, key: u128, ticket: u32) {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.keys[parent] <= key {
                break;
            }
            self.put(place, self.keys[parent], self.tickets[parent]);
            place = parent;
        }
        self.put(place, key, ticket);
    }

    /// Puts an event at a place, or below it.
    fn sink(&mut self, mut place: usize, key: u128, ticket: u32) {
        loop {
            let first = place * ARITY + 1;
            let child = if let Some([p, q, r, s]) = self.keys.get(first..first + ARITY) {
                // The least of four is unpredictable: a small tournament without a branch.
                let (left, right) = (usize::from(q < p), 2 + usize::from(s < r));
                first + if s.min(r) < q.min(p) { right } else { left }
            } else {
                let last = first..self.keys.len();
                let Some(child) = last.min_by_key(|&child| self.keys[child]) else { break };
                child
            };
            if self.keys[child] >= key {
                break;
            }
            self.put(place, self.keys[child], self.tickets[child]);
            place = child;
        }
        self.put(place, key, ticket);
    }

    #[inline(always)]
    fn put(&mut self, place: usize, key: u128, ticket: u32) {
        self.keys[place] = key;
        self.tickets[place] = ticket;
        self.places[ticket as usize] = place as u32;
    }
}

/// The bits of a key below its moment.
const REST: u128 = (1 << 63) - 1;

fn encode_moment(moment: Moment) -> u128 {
    let bits = moment.time().to_bits();
    // Negative times order backwards as integers; the sign bit is flipped so that positive times
    // come after.
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    (u128::from(ordered) << 64) | (u128::from(moment.side() == Side::After) << 63)
}

fn encode(event: Event) -> u128 {
    debug_assert!(event.owner < 1 << 24);
    encode_moment(event.moment)
        | (u128::from(event.kind as u8) << 56)
        | (u128::from(event.owner) << 32)
        | u128::from(event.slot)
}

fn decode(key: u128) -> Event {
    let ordered = (key >> 64) as u64;
    let time = f64::from_bits(if ordered >> 63 == 1 { ordered & !(1 << 63) } else { !ordered });
    let after = (key >> 63) & 1 == 1;
    Event {
        moment: if after { Moment::after(time) } else { Moment::at(time) },
        kind: EventKind::ALL[((key >> 56) & 0x7f) as usize],
        owner: ((key >> 32) & 0xff_ffff) as u32,
        slot: key as u32,
    }
}

#[cfg(test)]
mod tests;
