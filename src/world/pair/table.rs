//! Pairs by number. Pairs of two kinetic bodies, which have events, and all others are numbered
//! apart: others come and go at the times advanced to, and numbers are part of the order of events
//! and of the log, which do not depend on the host's steps.

use std::ops::{Index, IndexMut};

use crate::id::Slots;
use crate::limits;
use crate::world::pair::BodyPair;

/// The numbers of pairs without events begin beyond those of owners of events.
const FIRST_WITHOUT_EVENTS: u32 = limits::MAX_OWNERS as u32 + 1;

/// Pairs by number.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairTable {
    with_events: Slots<BodyPair>,
    without_events: Slots<BodyPair>,
}

impl PairTable {
    /// Adds a pair; returns its number.
    pub(crate) fn insert(&mut self, pair: BodyPair, has_events: bool) -> u32 {
        if has_events {
            self.with_events.insert(pair) as u32
        } else {
            FIRST_WITHOUT_EVENTS + self.without_events.insert(pair) as u32
        }
    }

    /// Removes a pair that is there.
    pub(crate) fn remove(&mut self, number: u32) -> BodyPair {
        match number.checked_sub(FIRST_WITHOUT_EVENTS) {
            None => self.with_events.remove(number as usize),
            Some(place) => self.without_events.remove(place as usize),
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&BodyPair> {
        match number.checked_sub(FIRST_WITHOUT_EVENTS) {
            None => self.with_events.get(number as usize),
            Some(place) => self.without_events.get(place as usize),
        }
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut BodyPair> {
        match number.checked_sub(FIRST_WITHOUT_EVENTS) {
            None => self.with_events.get_mut(number as usize),
            Some(place) => self.without_events.get_mut(place as usize),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.with_events.len() + self.without_events.len()
    }

    /// All pairs with their numbers, in the order of the numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &BodyPair)> {
        let others = self.without_events.iter().map(|(place, pair)| (FIRST_WITHOUT_EVENTS + place as u32, pair));
        self.with_events.iter().map(|(number, pair)| (number as u32, pair)).chain(others)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut BodyPair> {
        let others = self.without_events.iter_mut().map(|(_, pair)| pair);
        self.with_events.iter_mut().map(|(_, pair)| pair).chain(others)
    }
}

impl Index<u32> for PairTable {
    type Output = BodyPair;

    fn index(&self, number: u32) -> &BodyPair {
        match number.checked_sub(FIRST_WITHOUT_EVENTS) {
            None => &self.with_events[number as usize],
            Some(place) => &self.without_events[place as usize],
        }
    }
}

impl IndexMut<u32> for PairTable {
    fn index_mut(&mut self, number: u32) -> &mut BodyPair {
        match number.checked_sub(FIRST_WITHOUT_EVENTS) {
            None => &mut self.with_events[number as usize],
            Some(place) => &mut self.without_events[place as usize],
        }
    }
}
