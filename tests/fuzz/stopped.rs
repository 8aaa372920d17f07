//! Copies of worlds that a bound or the host stops, and that change there and go on.

use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::world::{AdvanceError, Filter, World, WorldError, WorldLimits};
use kinetree::{BodyId, Cancel};

use super::model::whole_ticks;
use super::scene::point;
use super::worlds::{Fellow, Run};

/// A change that a copy takes.
#[derive(Debug)]
enum SmallChange {
    Filter(BodyId, Filter),
    Thickness(BodyId, f64),
    PairThickness(BodyId, BodyId, Option<f64>),
    Watch(BodyId, BodyId, bool),
    Remove(BodyId),
    Vertex(BodyId, u32, VertexFlightplan),
    /// Removes a triangle, if there is one to spare.
    Triangle(BodyId, Option<u32>),
    Rebuild(BodyId),
}

impl SmallChange {
    fn make(&self, world: &mut World) -> Result<(), WorldError> {
        match self {
            Self::Filter(body, filter) => world.set_filter(*body, *filter),
            Self::Thickness(body, metres) => world.set_thickness(*body, *metres),
            Self::PairThickness(a, b, metres) => world.set_pair_thickness(*a, *b, *metres),
            Self::Watch(a, b, watched) => world.set_pair_watched(*a, *b, *watched),
            Self::Remove(body) => world.remove_body(*body),
            Self::Vertex(body, vertex, plan) => world.set_vertex_flightplans(*body, &[(*vertex, plan.clone())]),
            Self::Triangle(body, triangle) => {
                let mut edit = world.begin_edit(*body)?;
                triangle.iter().for_each(|&triangle| edit.remove_triangle(triangle));
                // A triangle of an edit that is scheduled cannot go.
                match world.apply_edit(edit) {
                    Err(WorldError::ChangeScheduled { .. }) => Ok(()),
                    done => done,
                }
            }
            Self::Rebuild(body) => world.rebuild_degraded(*body, 1.0).map(drop),
        }
    }
}

impl Run<'_> {
    fn some_limits(&mut self) -> WorldLimits {
        match self.source.below(4) {
            0 => WorldLimits { contacts: self.source.below(3), ..WorldLimits::DEFAULT },
            1 => WorldLimits { candidates: self.source.below(6), ..WorldLimits::DEFAULT },
            2 => WorldLimits { body_pairs: self.source.below(5), ..WorldLimits::DEFAULT },
            _ => WorldLimits { events: 1, changes: 1, ..WorldLimits::DEFAULT },
        }
    }

    /// A bound stops an advance of a copy, which then goes on.
    pub(super) fn limits(&mut self) {
        let to = self.now + self.source.pick(&[0.25, 1.0]);
        let limits = self.some_limits();
        let change = self.some_body().filter(|_| self.source.percent(40)).map(|place| {
            let body = self.model.body(place);
            let places: Vec<_> = (0..body.vertices).map(|_| self.frame.point(point(&mut self.source))).collect();
            (self.id(place), Flightplan::fixed(places))
        });
        self.say(|| format!("to {to:?} with {limits:?}, changed {change:?}"));
        for Fellow { name, world, .. } in &self.fellows {
            let (mut bounded, mut free) = (world.clone(), world.clone());
            free.advance_to(to).expect("a good time");
            bounded.set_limits(limits);
            let stopped = bounded.advance_to(to);
            assert!(matches!(stopped, Ok(()) | Err(AdvanceError::Limit { .. })), "{name}: {stopped:?}");
            if let (Err(AdvanceError::Limit { time, .. }), Some((id, plan))) = (&stopped, &change) {
                // A plan that changes where the world was stopped, and where it was not.
                let (mut stopped, mut free) = (bounded.clone(), world.clone());
                let changed = stopped.set_flightplan(*id, plan.clone());
                assert!(matches!(changed, Ok(()) | Err(WorldError::Limit { .. })), "{name}: {changed:?}");
                stopped.set_limits(WorldLimits::DEFAULT);
                free.advance_to(*time).expect("a good time");
                free.set_flightplan(*id, plan.clone()).expect("a good plan");
                for end in [*time, 0.5 * (time + to), to] {
                    stopped.advance_to(end).expect("it goes on");
                    free.advance_to(end).expect("a good time");
                    assert_eq!(stopped.contacts(), free.contacts(), "{name} at {end:?}, changed at {time:?}");
                    assert!(stopped.audit().is_clean(), "{name} at {end:?}: {}", stopped.audit());
                }
            }
            bounded.set_limits(WorldLimits::DEFAULT);
            bounded.advance_to(to).expect("it goes on");
            assert_eq!(bounded.contacts(), free.contacts(), "{name} at {to:?}, after {stopped:?}");
            assert_eq!(bounded.log().count(), free.log().count(), "{name} at {to:?}, after {stopped:?}");
            // Contacts of a jump are told later if they were too many. Events of one time may come
            // in another order if pairs of bodies were too many.
            let is_after_jump = |time: f64| whole_ticks(time).is_none() && whole_ticks(time.next_down()).is_some();
            let is_excepted = |what: &str, time: f64| what == "pairs of bodies" || is_after_jump(time);
            if !matches!(stopped, Err(AdvanceError::Limit { what, time, .. }) if is_excepted(what, time)) {
                assert_eq!(bounded.log().hash(), free.log().hash(), "{name} at {to:?}, after {stopped:?}");
            }
        }
    }

    /// A bound stops an advance of a copy. Rules, meshes or bodies change there, once within the
    /// bound and once with it, as in a copy that was not stopped.
    pub(super) fn change_where_stopped(&mut self) {
        let to = self.now + self.source.pick(&[0.25, 1.0]);
        let limits = self.some_limits();
        let (Some(one), Some(other)) = (self.some_body(), self.some_body()) else { return };
        let change = self.small_change(one, other);
        let is_bounded = self.source.percent(50);
        self.say(|| format!("to {to:?} with {limits:?}, then {change:?}, bounded: {is_bounded}"));
        for Fellow { name, world, .. } in &self.fellows {
            let (mut stopped, mut free) = (world.clone(), world.clone());
            stopped.set_limits(limits);
            let Err(AdvanceError::Limit { time, .. }) = stopped.advance_to(to) else { continue };
            free.advance_to(time).expect("a good time");
            if !is_bounded {
                stopped.set_limits(WorldLimits::DEFAULT);
            }
            let changed = change.make(&mut stopped);
            stopped.set_limits(WorldLimits::DEFAULT);
            match changed {
                Ok(()) | Err(WorldError::Limit { .. }) => change.make(&mut free).expect("a good change"),
                Err(error) => panic!("{name} at {time:?}: {error}"),
            }
            for end in [time, 0.5 * (time + to), to] {
                stopped.advance_to(end).expect("it goes on");
                free.advance_to(end).expect("a good time");
                assert_eq!(stopped.contacts(), free.contacts(), "{name} at {end:?}, changed at {time:?}");
                assert!(stopped.audit().is_clean(), "{name} at {end:?}: {}", stopped.audit());
            }
        }
    }

    fn small_change(&mut self, one: usize, other: usize) -> SmallChange {
        let (a, b) = (self.id(one), self.id(other));
        let metres = self.frame.length(self.source.between(0, 2));
        match self.source.below(8) {
            0 => SmallChange::Filter(a, Filter::new(self.source.pick(&[1, 2]), self.source.pick(&[3, 1, 2]))),
            1 => SmallChange::Thickness(a, metres),
            2 => SmallChange::PairThickness(a, b, self.source.percent(70).then_some(metres)),
            3 if a != b => SmallChange::Watch(a, b, self.source.percent(50)),
            4 => SmallChange::Remove(a),
            5 => {
                let vertex = self.source.below(self.model.body(one).vertices) as u32;
                let place = self.frame.point(point(&mut self.source));
                SmallChange::Vertex(a, vertex, VertexFlightplan::Fixed { position: place.map(f64::from) })
            }
            6 => {
                let triangles: Vec<u32> = self.model.body(one).triangles.keys().copied().collect();
                SmallChange::Triangle(a, (triangles.len() > 1).then(|| self.source.pick(&triangles)))
            }
            _ => SmallChange::Rebuild(a),
        }
    }

    /// A copy is cancelled, and goes on.
    pub(super) fn cancel(&mut self) {
        let (to, reads) = (self.now + self.source.pick(&[0.25, 1.0]), self.source.below(12) as u64);
        self.say(|| format!("to {to:?}, cancelled after {reads} reads"));
        for Fellow { name, world, .. } in &self.fellows {
            let (mut cancelled, mut free) = (world.clone(), world.clone());
            free.advance_to(to).expect("a good time");
            cancelled.advance_to_unless(to, &Cancel::after_reads(reads)).expect("a good time");
            cancelled.advance_to(to).expect("it goes on");
            assert_eq!(cancelled.contacts(), free.contacts(), "{name} at {to:?}");
            assert_eq!(cancelled.log().hash(), free.log().hash(), "{name} at {to:?}");
        }
    }
}
