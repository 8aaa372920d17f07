//! What an event or change had to decide and did not, as contacts were too many
//! ([`crate::world::WorldLimits::contacts`]). It is decided before anything else happens to the
//! world, and the outcome is that of an event or change that was never interrupted.

use crate::world::contact::continuous::Continuous;
use crate::world::contact::span::{Room, StepContext};

/// The rest of the work, in this order.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PutOff {
    /// Leaf pairs to be decided at the clock's moment, in the order in which they met.
    leaves: Vec<(u32, u32)>,
    /// Plans changed: contacts that the new ones do not continue end.
    plans_changed: bool,
    /// Windows end now, at a time between the rounds of two loops: so do contacts that do not go
    /// on.
    window_ends: bool,
    /// Windows ended at the clock's time: all leaf pairs are to be decided beyond it.
    beyond: bool,
    /// Contacts that count as found, of those that were decided.
    found: usize,
}

impl PutOff {
    /// Room for the rest, of at most `most` contacts.
    pub(crate) fn room(&self, most: usize) -> Room {
        Room::new(most, self.found)
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.leaves.capacity() * size_of::<(u32, u32)>()
    }

    /// Whether only what lies beyond the clock's time is left.
    pub(crate) fn is_beyond(&self) -> bool {
        self.beyond && self.leaves.is_empty() && !self.plans_changed && !self.window_ends
    }

    /// Whether the rest is of the interval that begins at the clock's time.
    pub(crate) fn is_of_next_interval(&self) -> bool {
        self.window_ends || self.is_beyond()
    }
}

impl Continuous {
    /// Puts off a leaf pair; `found` is how many contacts were found before it.
    pub(super) fn put_off(&mut self, pair: (u32, u32), found: usize) {
        let put_off = self.put_off.get_or_insert_default();
        if put_off.leaves.is_empty() {
            put_off.found = found;
        }
        put_off.leaves.push(pair);
    }

    /// Notes that plans changed, if something was put off; returns whether that is so.
    pub(super) fn puts_off_plans(&mut self) -> bool {
        self.put_off.as_mut().map(|put_off| put_off.plans_changed = true).is_some()
    }

    /// The same of windows that end.
    pub(super) fn puts_off_window_ends(&mut self) -> bool {
        self.put_off.as_mut().map(|put_off| put_off.window_ends = true).is_some()
    }

    /// Decides leaf pairs, which are not put off one by one: returns false where they are put off
    /// together, as what lies beyond the clock's time.
    pub(super) fn decide_beyond(&mut self, leaves: &[(u32, u32)], context: &mut StepContext<'_>) -> bool {
        let before = self.put_off.take();
        self.decide_new(leaves, context);
        let Some(interrupted) = std::mem::replace(&mut self.put_off, before) else { return true };
        let put_off = self.put_off.get_or_insert_default();
        (put_off.beyond, put_off.found) = (true, interrupted.found);
        false
    }

    /// Forgets leaf pairs that are about to be decided otherwise.
    pub(super) fn forget_put_off(&mut self, is_affected: impl Fn((u32, u32)) -> bool) {
        if let Some(put_off) = &mut self.put_off {
            put_off.leaves.retain(|&pair| !is_affected(pair));
        }
    }

    /// Decides what was put off, of the leaf pairs that overlap, ascending. What lies beyond the
    /// clock's time is left for another call, unless nothing else is.
    pub(crate) fn resume(&mut self, overlapping: &[(u32, u32)], context: &mut StepContext<'_>) {
        let Some(put_off) = self.put_off.take() else { return };
        let PutOff { leaves, plans_changed, window_ends, beyond, found } = *put_off;
        // An interval has the pair of both roots, a list its leaf pairs. Where one follows the
        // other, all are left.
        let is_of_roots = |leaves: &[(u32, u32)]| leaves.contains(&(0, 0));
        let left = if !leaves.is_empty() && (is_of_roots(&leaves) || is_of_roots(overlapping)) {
            overlapping.to_vec()
        } else {
            leaves.into_iter().filter(|pair| overlapping.binary_search(pair).is_ok()).collect()
        };
        self.decide_new(&left, context);
        if let Some(again) = &mut self.put_off {
            (again.plans_changed, again.window_ends, again.beyond) = (plans_changed, window_ends, beyond);
            return;
        }
        if plans_changed {
            self.end_what_window_left(context.clock.now.time().next_down(), context);
        }
        if window_ends {
            self.part_what_window_left(context);
        }
        if window_ends || (beyond && !plans_changed && left.is_empty()) {
            self.begin_windows(overlapping, context);
        } else if beyond {
            self.put_off = Some(Box::new(PutOff { beyond, found, ..PutOff::default() }));
        } else {
            self.schedule_window(self.earliest_window(), context);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::{BodyDef, ContactMode, World, WorldDef, WorldLimits};

    #[test]
    fn what_an_interval_put_off_is_decided_by_the_list_that_follows_it() {
        let row = |z: f32, is_upright: bool| {
            let tip = move |x: f32| if is_upright { [x + 0.25, 0.25, z + 1.0] } else { [x, 1.0, z] };
            let corners = move |x: f32| [[x, 0.0, z], [x + 1.0, 0.0, z], tip(x)];
            (0..20u8).flat_map(move |number| corners(2.0 * f32::from(number)))
        };
        let plan = |z: f32, is_upright: bool| {
            Flightplan::keyframes(vec![0.0, 1.0, 2.0], (0..3).flat_map(|_| row(z, is_upright)).collect())
        };
        let mesh = Mesh::new(60, (0..20).map(|number| [0, 1, 2].map(|corner| 3 * number + corner)).collect()).unwrap();
        let mut world = World::new(WorldDef { contacts: ContactMode::Continuous, ..WorldDef::default() }).unwrap();
        world.add_body(BodyDef::new(mesh.clone(), plan(0.0, false))).unwrap();
        let walls = world.add_body(BodyDef::new(mesh, plan(5.0, true))).unwrap();
        world.advance_to(0.25).unwrap();
        world.set_limits(WorldLimits { contacts: 3, ..WorldLimits::DEFAULT });
        world.set_flightplan(walls, plan(-0.5, true)).unwrap_err();
        world.set_limits(WorldLimits::DEFAULT);
        let now = world.clock.now;
        world.wake_trees(now);
        let number = world.pairs.iter().next().expect("their boxes meet").0;
        let put_off = world.pairs[number].continuous.as_ref().and_then(|continuous| continuous.put_off.clone());
        assert_eq!(put_off.expect("there are too many").leaves, [(0, 0)]);
        assert!(world.pairs.drop_interval(number));
        let World { pairs, bodies, clock, .. } = &mut world;
        pairs.start_list(number, bodies, &mut clock.at(now));
        world.advance_to(0.5).unwrap();
        assert_eq!(world.contacts().len(), 20);
        assert!(world.audit().is_clean(), "{}", world.audit());
    }
}
