//! Priority queues that can be replayed: what `EventQueue` might have been.
//!
//! All keep unique 128-bit keys, smallest first, and name entries by the ticket of the recorded queue.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// What a replay needs.
pub trait Queue: Default {
    fn push(&mut self, ticket: u32, key: u128);
    fn reschedule(&mut self, ticket: u32, key: u128);
    fn erase(&mut self, ticket: u32);
    /// Takes the smallest key; the queue is not empty.
    fn pop(&mut self) -> u128;
}

const NONE: u32 = u32::MAX;

fn slot<T: Clone>(table: &mut Vec<T>, ticket: u32, empty: T) -> &mut T {
    if table.len() <= ticket as usize {
        table.resize(ticket as usize + 1, empty);
    }
    &mut table[ticket as usize]
}

/// Indexed heap of any arity, keys, tickets and places apart: the textbook's way.
#[derive(Default)]
pub struct TextbookHeap<const ARITY: usize>(IndexedHeap<ARITY>);

impl<const ARITY: usize> Queue for TextbookHeap<ARITY> {
    fn push(&mut self, ticket: u32, key: u128) {
        self.0.push(ticket, key);
    }

    fn reschedule(&mut self, ticket: u32, key: u128) {
        self.0.reschedule(ticket, key);
    }

    fn erase(&mut self, ticket: u32) {
        self.0.erase(ticket);
    }

    fn pop(&mut self) -> u128 {
        let key = self.0.pop();
        self.0.close();
        key
    }
}

/// The same, but the place of what was popped stays open for what is pushed next.
#[derive(Default)]
pub struct IndexedHeap<const ARITY: usize> {
    keys: Vec<u128>,
    tickets: Vec<u32>,
    places: Vec<u32>,
    hole: bool,
}

impl<const ARITY: usize> IndexedHeap<ARITY> {
    fn put(&mut self, place: usize, key: u128, ticket: u32) {
        self.keys[place] = key;
        self.tickets[place] = ticket;
        self.places[ticket as usize] = place as u32;
    }

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

    fn sink(&mut self, mut place: usize, key: u128, ticket: u32) {
        loop {
            let first = place * ARITY + 1;
            let child = if let Some(children) = self.keys.get(first..first + ARITY) {
                first + least::<ARITY>(children)
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

    fn close(&mut self) {
        if std::mem::take(&mut self.hole) {
            self.remove(0);
        }
    }
}

/// The place of the least key, as a tournament without branches.
#[inline(always)]
fn least<const ARITY: usize>(keys: &[u128]) -> usize {
    let pair = |a: usize, b: usize| if keys[b] < keys[a] { b } else { a };
    match ARITY {
        2 => pair(0, 1),
        4 => pair(pair(0, 1), pair(2, 3)),
        _ => pair(pair(pair(0, 1), pair(2, 3)), pair(pair(4, 5), pair(6, 7))),
    }
}

impl<const ARITY: usize> Queue for IndexedHeap<ARITY> {
    fn push(&mut self, ticket: u32, key: u128) {
        slot(&mut self.places, ticket, NONE);
        if std::mem::take(&mut self.hole) {
            self.sink(0, key, ticket);
            return;
        }
        self.keys.push(key);
        self.tickets.push(ticket);
        self.rise(self.keys.len() - 1, key, ticket);
    }

    fn reschedule(&mut self, ticket: u32, key: u128) {
        let place = self.places[ticket as usize] as usize;
        if key < self.keys[place] { self.rise(place, key, ticket) } else { self.sink(place, key, ticket) }
    }

    fn erase(&mut self, ticket: u32) {
        self.remove(self.places[ticket as usize] as usize);
    }

    fn pop(&mut self) -> u128 {
        self.close();
        self.hole = true;
        std::mem::replace(&mut self.keys[0], 0)
    }
}

/// A 4-ary heap of the near future; what is later than `limit` waits in no order.
#[derive(Default)]
pub struct HeapAndPile {
    heap: IndexedHeap<4>,
    limit: u128,
    pile: Vec<(u128, u32)>,
    /// Per ticket, its place in the pile, or `NONE` if it is in the heap.
    piled: Vec<u32>,
}

impl HeapAndPile {
    fn take(&mut self, place: usize) {
        self.pile.swap_remove(place);
        if let Some(&(_, moved)) = self.pile.get(place) {
            self.piled[moved as usize] = place as u32;
        }
    }

    /// Moves about an eighth of the pile into the empty heap.
    fn refill(&mut self) {
        self.heap.close();
        if !self.heap.keys.is_empty() || self.pile.is_empty() {
            return;
        }
        let step = (self.pile.len() / 512).max(1);
        let mut sample: Vec<u128> = self.pile.iter().map(|&(key, _)| key).step_by(step).collect();
        let place = (sample.len() - 1).min(64);
        self.limit = *sample.select_nth_unstable(place).1;
        let mut place = 0;
        while place < self.pile.len() {
            let (key, ticket) = self.pile[place];
            if key <= self.limit {
                self.take(place);
                self.push(ticket, key);
            } else {
                place += 1;
            }
        }
    }
}

impl Queue for HeapAndPile {
    fn push(&mut self, ticket: u32, key: u128) {
        let place = slot(&mut self.piled, ticket, NONE);
        if key <= self.limit {
            *place = NONE;
            self.heap.push(ticket, key);
        } else {
            *place = self.pile.len() as u32;
            self.pile.push((key, ticket));
        }
    }

    fn reschedule(&mut self, ticket: u32, key: u128) {
        let place = self.piled[ticket as usize];
        match (place == NONE, key <= self.limit) {
            (true, true) => self.heap.reschedule(ticket, key),
            (false, false) => self.pile[place as usize].0 = key,
            _ => {
                self.erase(ticket);
                self.push(ticket, key);
            }
        }
    }

    fn erase(&mut self, ticket: u32) {
        match self.piled[ticket as usize] {
            NONE => self.heap.erase(ticket),
            place => self.take(place as usize),
        }
    }

    fn pop(&mut self) -> u128 {
        if self.heap.keys.len() == usize::from(self.heap.hole) {
            self.refill();
        }
        self.heap.pop()
    }
}

/// An ordered set, and each ticket's key.
#[derive(Default)]
pub struct OrderedSet {
    set: BTreeSet<u128>,
    keys: Vec<u128>,
}

impl Queue for OrderedSet {
    fn push(&mut self, ticket: u32, key: u128) {
        *slot(&mut self.keys, ticket, 0) = key;
        self.set.insert(key);
    }

    fn reschedule(&mut self, ticket: u32, key: u128) {
        let old = std::mem::replace(&mut self.keys[ticket as usize], key);
        self.set.remove(&old);
        self.set.insert(key);
    }

    fn erase(&mut self, ticket: u32) {
        self.set.remove(&self.keys[ticket as usize]);
    }

    fn pop(&mut self) -> u128 {
        self.set.pop_first().unwrap_or_default()
    }
}

/// The standard heap; what was moved or erased stays in it until it comes to the top.
#[derive(Default)]
pub struct LazyHeap {
    heap: BinaryHeap<Reverse<(u128, u32)>>,
    keys: Vec<u128>,
}

impl Queue for LazyHeap {
    fn push(&mut self, ticket: u32, key: u128) {
        *slot(&mut self.keys, ticket, 0) = key;
        self.heap.push(Reverse((key, ticket)));
    }

    fn reschedule(&mut self, ticket: u32, key: u128) {
        self.push(ticket, key);
    }

    fn erase(&mut self, ticket: u32) {
        self.keys[ticket as usize] = 0;
    }

    fn pop(&mut self) -> u128 {
        while let Some(Reverse((key, ticket))) = self.heap.pop() {
            if self.keys[ticket as usize] == key {
                self.keys[ticket as usize] = 0;
                return key;
            }
        }
        0
    }
}

/// A pairing heap over one array, nodes named by ticket.
pub struct PairingHeap {
    nodes: Vec<PairingNode>,
    root: u32,
    scratch: Vec<u32>,
}

#[derive(Clone, Copy)]
struct PairingNode {
    key: u128,
    child: u32,
    next: u32,
    /// The parent of a first child, the sibling before otherwise.
    previous: u32,
}

impl Default for PairingHeap {
    fn default() -> Self {
        Self { nodes: Vec::new(), root: NONE, scratch: Vec::new() }
    }
}

impl PairingHeap {
    fn meld(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE || b == NONE {
            return a.min(b);
        }
        let (top, below) = if self.nodes[a as usize].key < self.nodes[b as usize].key { (a, b) } else { (b, a) };
        let first = self.nodes[top as usize].child;
        if first != NONE {
            self.nodes[first as usize].previous = below;
        }
        let node = &mut self.nodes[below as usize];
        (node.next, node.previous) = (first, top);
        self.nodes[top as usize].child = below;
        top
    }

    /// Takes a node, with all below it, from its siblings.
    fn cut(&mut self, node: u32) {
        let PairingNode { next, previous, .. } = self.nodes[node as usize];
        if self.nodes[previous as usize].child == node {
            self.nodes[previous as usize].child = next;
        } else {
            self.nodes[previous as usize].next = next;
        }
        if next != NONE {
            self.nodes[next as usize].previous = previous;
        }
        let node = &mut self.nodes[node as usize];
        (node.next, node.previous) = (NONE, NONE);
    }

    /// Melds the children of a node in pairs, then the pairs from the last on.
    fn gather(&mut self, node: u32) -> u32 {
        let mut child = std::mem::replace(&mut self.nodes[node as usize].child, NONE);
        let mut pairs = std::mem::take(&mut self.scratch);
        while child != NONE {
            let second = self.nodes[child as usize].next;
            let after = if second == NONE { NONE } else { self.nodes[second as usize].next };
            for single in [child, second] {
                if single != NONE {
                    let single = &mut self.nodes[single as usize];
                    (single.next, single.previous) = (NONE, NONE);
                }
            }
            pairs.push(self.meld(child, second));
            child = after;
        }
        let mut all = NONE;
        while let Some(pair) = pairs.pop() {
            all = self.meld(all, pair);
        }
        self.scratch = pairs;
        all
    }
}

impl Queue for PairingHeap {
    fn push(&mut self, ticket: u32, key: u128) {
        let fresh = PairingNode { key, child: NONE, next: NONE, previous: NONE };
        *slot(&mut self.nodes, ticket, fresh) = fresh;
        self.root = self.meld(self.root, ticket);
    }

    fn reschedule(&mut self, ticket: u32, key: u128) {
        if key < self.nodes[ticket as usize].key && ticket != self.root {
            self.cut(ticket);
            self.nodes[ticket as usize].key = key;
            self.root = self.meld(self.root, ticket);
        } else {
            self.erase(ticket);
            self.push(ticket, key);
        }
    }

    fn erase(&mut self, ticket: u32) {
        if ticket == self.root {
            self.root = self.gather(ticket);
        } else {
            self.cut(ticket);
            let rest = self.gather(ticket);
            self.root = self.meld(self.root, rest);
        }
    }

    fn pop(&mut self) -> u128 {
        let top = self.root;
        self.root = self.gather(top);
        self.nodes[top as usize].key
    }
}
