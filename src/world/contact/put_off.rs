//! What an event or change had to decide and did not, as contacts were too many
//! ([`crate::world::WorldLimits::contacts`]). It is decided before anything else happens to the
//! world, and the outcome is that of an event or change that was never interrupted.

use std::collections::BTreeSet;

use crate::world::contact::continuous::Continuous;
use crate::world::contact::span::{Room, StepContext};

/// The part of an event or change that was interrupted, in the order of what is left to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Phase {
    /// Leaves met.
    #[default]
    Met,
    /// Plans changed.
    PlansChanged,
    /// A window ended: what is at its end.
    WindowEnds,
    /// The same: what comes after it.
    Beyond,
}

#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PutOff {
    pub(crate) phase: Phase,
    pub(crate) leaves: BTreeSet<(u32, u32)>,
    /// Contacts that count as found, of those that were decided.
    found: usize,
}

impl PutOff {
    /// Room for what is left, of at most `most` contacts.
    pub(crate) fn room(&self, most: usize) -> Room {
        Room::new(most, self.found)
    }
}

impl Continuous {
    /// Puts off a leaf pair; `found` is how many contacts were found before it.
    pub(super) fn put_off(&mut self, pair: (u32, u32), found: usize) {
        let put_off = self.put_off.get_or_insert_default();
        if put_off.leaves.is_empty() {
            put_off.found = found;
        }
        put_off.leaves.insert(pair);
    }

    /// Whether something was put off; then the phase in which that was, if it is a later one, is
    /// noted.
    pub(super) fn is_put_off_in(&mut self, phase: Phase) -> bool {
        if let Some(put_off) = &mut self.put_off {
            put_off.phase = put_off.phase.max(phase);
        }
        self.put_off.is_some()
    }

    /// Forgets leaf pairs that are about to be decided otherwise.
    pub(super) fn forget_put_off(&mut self, is_affected: impl Fn((u32, u32)) -> bool) {
        if let Some(put_off) = &mut self.put_off {
            put_off.leaves.retain(|&pair| !is_affected(pair));
        }
    }

    /// Decides what was put off, of the leaf pairs that overlap, ascending.
    pub(crate) fn resume(&mut self, overlapping: &[(u32, u32)], context: &mut StepContext<'_>) {
        let Some(put_off) = self.put_off.take() else { return };
        let PutOff { phase, leaves, .. } = *put_off;
        let left: Vec<_> = leaves.into_iter().filter(|pair| overlapping.binary_search(pair).is_ok()).collect();
        match phase {
            Phase::Met => self.decide(&left, context),
            Phase::PlansChanged => self.plans_changed_of(&left, context),
            Phase::WindowEnds => self.end_windows(&left, overlapping, context),
            // Plans that changed since may have been decided up to this very time only.
            Phase::Beyond => self.begin_windows(overlapping, context),
        }
    }
}
