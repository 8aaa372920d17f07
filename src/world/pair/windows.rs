//! When the present windows of pairs with continuous contacts end.

use crate::time::NEVER;

/// Per pair, when its windows end, seconds; [`NEVER`] for others. Pairs with continuous contacts
/// are of kinetic bodies, whose numbers lie close together.
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowEnds(Vec<f64>);

impl WindowEnds {
    /// When the windows of a pair end, seconds; `NEVER` if that is not known.
    pub(crate) fn get(&self, number: u32) -> f64 {
        self.0.get(number as usize).copied().unwrap_or(NEVER)
    }

    /// Enters when the windows of a pair end, seconds.
    pub(crate) fn set(&mut self, number: u32, end: f64) {
        let place = number as usize;
        if place >= self.0.len() {
            self.0.resize(place + 1, NEVER);
        }
        self.0[place] = end;
    }

    /// Nothing is known of a pair any more.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(end) = self.0.get_mut(number as usize) {
            *end = NEVER;
        }
    }

    /// Pairs whose windows end, with the time, seconds, by number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        let known = self.0.iter().enumerate().filter(|(_, end)| **end < NEVER);
        known.map(|(number, &end)| (number as u32, end))
    }
}
