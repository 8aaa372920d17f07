//! Streamed keys: the certificates of a kinetic body are searched over another key a part at a
//! time.
//!
//! A key that is appended changes nothing before the last key that was known: winners, lists and
//! all failures before that time stay. Only certificates that were not found to fail before it have
//! to be searched over what is new, and only before the clock comes to that time. Each advance
//! until then does its share, and the one that comes to that time does the rest.
//!
//! The order of events depends on the events alone and not on when they are scheduled. Neither log
//! nor contacts depend on how this work is divided.

use std::collections::{BTreeMap, BTreeSet};

use ordered_float::OrderedFloat;

use crate::time::Moment;
use crate::world::World;
use crate::world::step::ahead::steps_until;

/// What is certified again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Extended {
    /// The kinetic tree of a body.
    Tree(u32),
    /// The separation list of a pair.
    List(u32),
}

/// How far one of them is.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct Extension {
    /// The last key that was known before, seconds.
    since: f64,
    /// Nodes, or places of the list, that are done.
    done: u32,
}

/// Trees and lists of which some certificates end at a key that was the last one known.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize), serde(from = "stored::Extensions"))]
pub(crate) struct Extensions {
    due: BTreeMap<Extended, Extension>,
    /// The same by their times.
    #[cfg_attr(feature = "record", serde(skip))]
    order: BTreeSet<(OrderedFloat<f64>, Extended)>,
}

/// As they are stored: the order follows.
#[cfg(feature = "record")]
mod stored {
    use std::collections::BTreeMap;

    use ordered_float::OrderedFloat;

    use super::{Extended, Extension};

    #[derive(serde::Deserialize)]
    pub(super) struct Extensions {
        due: BTreeMap<Extended, Extension>,
    }

    impl From<Extensions> for super::Extensions {
        fn from(Extensions { due }: Extensions) -> Self {
            let order = due.iter().map(|(&what, known)| (OrderedFloat(known.since), what)).collect();
            Self { due, order }
        }
    }
}

impl Extensions {
    /// The motion behind a tree or a list is another one than was known from a time on, seconds.
    fn add(&mut self, what: Extended, since: f64) {
        let known = self.due.get(&what).map_or(f64::INFINITY, |known| known.since);
        self.remove(what);
        let since = since.min(known);
        self.due.insert(what, Extension { since, done: 0 });
        self.order.insert((OrderedFloat(since), what));
    }

    /// A tree or a list is gone, or all of it was certified again.
    pub(crate) fn remove(&mut self, what: Extended) {
        if let Some(Extension { since, .. }) = self.due.remove(&what) {
            self.order.remove(&(OrderedFloat(since), what));
        }
    }

    /// The earliest time before which something must be certified, seconds; ∞ without one.
    pub(crate) fn first(&self) -> f64 {
        self.order.first().map_or(f64::INFINITY, |(since, _)| since.0)
    }
}

impl World {
    /// The motion of a kinetic body goes on from a time on, seconds, otherwise than was known: its
    /// tree and its lists are certified again by then. Returns false if the tree cannot do that a
    /// part at a time.
    pub(crate) fn extend_certificates(&mut self, index: u32, since: f64) -> bool {
        let now = self.clock.now;
        if !self.bodies.extend_tree(index, 0..0, since, &mut self.clock.at(now)) {
            return false;
        }
        self.clock.extensions.add(Extended::Tree(index), since);
        for &number in &self.bodies.at(index).pairs {
            if self.pairs.list_places(number) > 0 {
                self.clock.extensions.add(Extended::List(number), since);
            }
        }
        self.pairs.certify_in_broad_phase(index, &self.bodies, &mut self.clock.at(now));
        true
    }

    /// Tree and lists of a body were certified over all that is known.
    pub(crate) fn forget_extensions(&mut self, index: u32) {
        if self.clock.extensions.due.is_empty() {
            return;
        }
        self.clock.extensions.remove(Extended::Tree(index));
        for &number in &self.bodies.at(index).pairs {
            self.clock.extensions.remove(Extended::List(number));
        }
    }

    /// Does the share of an advance to a time, seconds, in what remains: the same in each advance
    /// until it is due, if these are as long as this one.
    pub(crate) fn extend_some(&mut self, time: f64) {
        let now = self.clock.now;
        if self.clock.extensions.due.is_empty() || !(time > now.time()) {
            return;
        }
        let due: Vec<(Extended, f64)> =
            self.clock.extensions.due.iter().map(|(&what, extension)| (what, extension.since)).collect();
        for (what, since) in due {
            self.extend_part(what, steps_until(since, now, time), now);
        }
    }

    /// Does all that remains, for an audit.
    pub(crate) fn extend_all(&mut self) {
        while let Some(&(_, what)) = self.clock.extensions.order.first() {
            self.extend_part(what, 1.0, self.clock.now);
        }
    }

    /// Does one of `steps` equal parts of what remains of one tree or list.
    fn extend_part(&mut self, what: Extended, steps: f64, now: Moment) {
        let Some(&Extension { since, done }) = self.clock.extensions.due.get(&what) else { return };
        let count = match what {
            Extended::Tree(index) => self.bodies.at(index).topology().map_or(0, |tree| tree.nodes().len() as u32),
            Extended::List(number) => self.pairs.list_places(number),
        };
        let part = (f64::from(count.saturating_sub(done)) / steps).ceil() as u32;
        let end = done.saturating_add(part).min(count);
        match what {
            Extended::Tree(index) => {
                self.bodies.extend_tree(index, done..end, since, &mut self.clock.at(now));
            }
            Extended::List(number) => {
                self.pairs.extend_list(number, done..end, since, &self.bodies, &mut self.clock.at(now));
            }
        }
        if end >= count {
            self.clock.extensions.remove(what);
        } else if let Some(extension) = self.clock.extensions.due.get_mut(&what) {
            extension.done = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::engine::Engine;
    use crate::world::{BodyDef, WorldDef};

    #[test]
    fn the_list_of_a_pair_that_is_not_watched_any_more_is_not_waited_for() {
        let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
        let at = |x: f32| [[x, 0.0, 0.0], [x, 1.0, 0.0], [x + 1.0, 0.0, 0.5]];
        let [a, b] = [0.0, 0.25].map(|x| {
            let plan = Flightplan::keyframes(vec![0.0, 1.0], [at(x), at(x + 0.125)].concat());
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap()
        });
        world.extend_flightplan(b, 2.0, &at(0.25)).unwrap();
        let due = |world: &World| world.clock.extensions.due.keys().copied().collect::<Vec<_>>();
        assert!(matches!(due(&world)[..], [Extended::Tree(1), Extended::List(_)]), "{:?}", due(&world));
        world.set_pair_watched(a, b, false).unwrap();
        assert_eq!(due(&world), [Extended::Tree(1)]);
        assert_eq!(world.clock.extensions.order.len(), 1);
    }
}
