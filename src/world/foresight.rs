//! Windows to come: a little of them is prepared in every advance, so that none is the one that pays for all.
//!
//! After an advance, bodies that have moved find the window after the present one, a share of them in every advance; and their pairs
//! prepare the interval after the present one, with a budget that would do the work of the last interval in the looks that are left, at
//! least [`crate::limits::LEAST_BUDGET`]. What is not done in time is done when it is needed: contacts do not depend on any of this.

use super::choice::Way;
use super::meetings::{Meetings, looks_left};
use super::rule::PairRule;
use super::{Index, World};
use crate::threads::for_each;

impl World {
    /// Prepares some of what comes next for bodies that have moved and their pairs.
    pub(super) fn foresee(&mut self, moved: &[u32], pairs: &[u32]) {
        let Self { bodies, now, step, .. } = self;
        let (now, step) = (*now, *step);
        if !(step > 0.0) {
            return;
        }
        let mut done = 0;
        for &index in moved {
            let body = bodies.at_mut(index);
            if body.pairs.is_empty() {
                continue;
            }
            let Index::Swept(swept) = &mut body.index else { continue };
            let left = swept.boxes(now).map_or(1.0, |boxes| looks_left(now, boxes.end(), step));
            // One body per advance while there is time; pairs, which take longer, wait for both of theirs.
            if (done == 0 || left <= 4.0) && swept.foresee(&body.motion, now, step) {
                done += 1;
            }
        }
        let goes = |swept: Option<&super::Swept>| swept.is_some_and(|swept| swept.way == Way::Window);
        let mut ahead: Vec<(u32, Meetings)> = Vec::new();
        for &number in pairs {
            let Some(pair) = self.pairs.get_mut(number as usize) else { continue };
            if goes(self.bodies.at(pair.a).swept()) && goes(self.bodies.at(pair.b).swept()) {
                ahead.extend(pair.meetings.take().map(|meetings| (number, meetings)));
            }
        }
        let (bodies, pairs) = (&self.bodies, &self.pairs);
        for_each(&mut ahead, |(number, meetings)| {
            let pair = &pairs[*number as usize];
            let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
            meetings.foresee(a, b, &PairRule::new(pair, a), now, step);
        });
        for (number, meetings) in ahead {
            self.pairs[number as usize].meetings = Some(meetings);
        }
    }
}
