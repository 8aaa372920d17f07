//! Windows to come: a little of them is prepared in every advance, so that none is the one that pays for all.
//!
//! After an advance, bodies that have moved find the window after the present one, a share of them in every advance; and their pairs
//! prepare the interval after the present one, with a budget that would do the work of the last interval in the looks that are left, at
//! least [`crate::limits::LEAST_BUDGET`]. What is not done in time is done when it is needed: contacts do not depend on any of this.

use super::choice::Way;
use super::rule::PairRule;
use super::{Index, World};

impl World {
    /// Prepares some of what comes next for bodies that have moved and their pairs.
    pub(super) fn foresee(&mut self, moved: &[u32], pairs: &[u32]) {
        let Self { bodies, now, step, .. } = self;
        let (now, step) = (*now, *step);
        if !(step > 0.0) {
            return;
        }
        // Looks before a time is passed, this one included.
        let looks_left = |end: f64| ((end - now.time()) / step).floor() + 1.0;
        let mut done = 0;
        for &index in moved {
            let body = bodies.at_mut(index);
            if body.pairs.is_empty() {
                continue;
            }
            let Index::Swept(swept) = &mut body.index else { continue };
            let left = swept.boxes(now).map_or(1.0, |boxes| looks_left(boxes.end()));
            // One body per advance while there is time.
            if (done == 0 || left <= 2.0) && swept.foresee(&body.motion, now, step) {
                done += 1;
            }
        }
        for &number in pairs {
            let Some(pair) = self.pairs.get_mut(number as usize) else { continue };
            let Some(mut meetings) = pair.meetings.take() else { continue };
            let (a, b) = (self.bodies.at(pair.a), self.bodies.at(pair.b));
            let goes = |swept: Option<&super::Swept>| swept.is_some_and(|swept| swept.way == Way::Window);
            if goes(a.swept()) && goes(b.swept()) {
                meetings.foresee(a, b, &PairRule::new(pair, a), looks_left);
            }
            pair.meetings = Some(meetings);
        }
    }
}
