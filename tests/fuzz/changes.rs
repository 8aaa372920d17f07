//! Calls that change a world, and what the model makes of them.

use std::collections::BTreeMap;

use kinetree::motion::VertexFlightplan;
use kinetree::world::{Filter, NewVertex};

use super::model::{Change, Scheduled};
use super::motion::{Beyond, Own, Place, Plan, Time};
use super::reduced::Maker;
use super::scene::{Over, plan, point, seconds};
use super::worlds::Run;

impl Run<'_> {
    pub(super) fn remove(&mut self) {
        let Some(place) = self.some_body().filter(|_| self.model.present().len() > 1) else { return };
        self.say(|| format!("remove {place}"));
        let id = self.id(place);
        self.all(|world| world.remove_body(id)).expect("it is there");
        self.model.remove(place);
        self.ids[place] = None;
    }

    /// A plan for a body from a tick on; `None` if it has vertices beyond those of its plan.
    fn plan_for(&mut self, place: usize, ticks: i64) -> Option<Plan> {
        let body = self.model.body(place);
        let triangles: Vec<[u32; 3]> = body.triangles.values().copied().collect();
        let reduced = match &body.plan {
            Plan::Sampled(_, Maker::Reduced(reduced)) => Some(reduced),
            _ => None,
        };
        let over = Over { rest: body.plan.rest(), triangles: &triangles, frame: self.frame, reduced };
        (over.rest.len() == body.vertices).then(|| plan(&mut self.source, &over, ticks))
    }

    pub(super) fn replace(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let Some(plan) = self.plan_for(place, now) else { return };
        self.say(|| format!("replace {place}: {plan:?}"));
        let (motion, bounds) = plan.flightplan(self.frame);
        let id = self.id(place);
        let is_plain = self.source.percent(30);
        let done = self.all(|world| match bounds.as_ref().filter(|_| !is_plain) {
            Some(bounds) => world.set_bounded_flightplan(id, bounds.clone()),
            None => world.set_flightplan(id, motion.clone()),
        });
        done.expect("a good plan");
        self.model.apply(place, &Change::Body(plan));
    }

    pub(super) fn own_plan(&mut self, place: usize, vertex: u32, now: i64) -> (Own, VertexFlightplan) {
        let body = self.model.body(place);
        let is_exact = body.plan.is_exact_at(now) && !body.own.contains_key(&vertex);
        let here: Place<i128> = body.place(vertex, &Time::ticks(now));
        let offset = i128::from(self.frame.offset);
        let own = match self.source.below(3) {
            0 => Own::Fixed(point(&mut self.source)),
            1 => {
                let is_here = is_exact && self.source.percent(60);
                let from = if is_here {
                    here
                } else {
                    Place::units(point(&mut self.source).map(i128::from).map(|x| x as i64))
                };
                let own = Own::Velocity { begin: now, from, velocity: point(&mut self.source) };
                let given = own.vertex_plan(self.frame, is_here);
                debug_assert!(offset >= 0);
                return (own, given);
            }
            _ => {
                let mut times = vec![now + self.source.pick(&[0, 8, -8])];
                for _ in 0..=self.source.below(2) {
                    times.push(times[times.len() - 1] + self.source.pick(&[16, 64, 7]));
                }
                Own::Keys { places: times.iter().map(|_| point(&mut self.source)).collect(), times }
            }
        };
        let given = own.vertex_plan(self.frame, false);
        (own, given)
    }

    pub(super) fn vertices(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let mut plans: BTreeMap<u32, (Own, VertexFlightplan)> = BTreeMap::new();
        for _ in 0..=self.source.below(3) {
            let vertex = self.source.below(self.model.body(place).vertices) as u32;
            let plan = self.own_plan(place, vertex, now);
            plans.insert(vertex, plan);
        }
        self.say(|| format!("vertices of {place}: {plans:?}"));
        let given: Vec<_> = plans.iter().map(|(&vertex, (_, given))| (vertex, given.clone())).collect();
        let id = self.id(place);
        self.all(|world| world.set_vertex_flightplans(id, &given)).expect("good plans");
        let own = plans.into_iter().map(|(vertex, (own, _))| (vertex, own)).collect();
        self.model.apply(place, &Change::Vertices(own));
    }

    pub(super) fn extend(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let body = self.model.body(place);
        if let Plan::Sampled(keys, Maker::Reduced(reduced)) = &body.plan {
            if reduced.rest.len() != body.vertices {
                return;
            }
            let at = keys.times[keys.times.len() - 1].max(now) + self.source.pick(&[16, 1, 64, 7]);
            let Some((keys, reduced)) = reduced.extended(&mut self.source, keys, now, at) else { return };
            let plan = Plan::Sampled(keys, Maker::Reduced(reduced));
            let (motion, _) = plan.flightplan(self.frame);
            self.say(|| format!("extend {place}: {plan:?}"));
            let id = self.id(place);
            self.all(|world| world.set_flightplan(id, motion.clone())).expect("a good plan");
            return self.model.apply(place, &Change::Body(plan));
        }
        let Plan::Keys(keys) = &body.plan else { return };
        if keys.beyond == Beyond::Loop || keys.times.len() < 2 || keys.arrive[0].len() != body.vertices {
            return;
        }
        let mut keys = keys.clone();
        let last = keys.times[keys.times.len() - 1];
        let at = last.max(now) + self.source.pick(&[16, 1, 64, 7]);
        let places: Vec<_> = (0..body.vertices).map(|_| point(&mut self.source)).collect();
        self.say(|| format!("extend {place}: {at} {places:?}"));
        let given: Vec<[f32; 3]> = places.iter().map(|&p| self.frame.point(p)).collect();
        let id = self.id(place);
        self.all(|world| world.extend_flightplan(id, seconds(at), &given)).expect("a good key");
        if last < now {
            keys.times.push(now);
            keys.arrive.push(keys.arrive[keys.arrive.len() - 1].clone());
        }
        keys.times.push(at);
        keys.arrive.push(places);
        self.model.body_mut(place).plan = Plan::Keys(keys);
    }

    pub(super) fn schedule(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let at = now + self.source.pick(&[8, 16, 64, 1]);
        let id = self.id(place);
        let name;
        let change = if self.source.percent(50) {
            let vertex = self.source.below(self.model.body(place).vertices) as u32;
            let own = Own::Fixed(point(&mut self.source));
            let plans = vec![(vertex, own.vertex_plan(self.frame, false))];
            name = self.all(|world| world.schedule_vertex_flightplans(id, seconds(at), &plans)).expect("a good time");
            Change::Vertices(vec![(vertex, own)])
        } else {
            let Some(plan) = self.plan_for(place, at) else { return };
            let (motion, _) = plan.flightplan(self.frame);
            name = self.all(|world| world.schedule_flightplan(id, seconds(at), motion.clone())).expect("a good time");
            Change::Body(plan)
        };
        self.say(|| format!("schedule for {place} at {at}: {change:?}"));
        self.model.scheduled.push(Scheduled { at, body: place, change, name });
    }

    pub(super) fn cancel_change(&mut self) {
        if self.model.scheduled.is_empty() {
            return;
        }
        let place = self.source.below(self.model.scheduled.len());
        let Scheduled { at, name, .. } = self.model.scheduled.remove(place);
        self.say(|| format!("cancel the change at {at}"));
        assert!(self.all(|world| world.cancel_change(name)) && !self.all(|world| world.cancel_change(name)));
    }

    pub(super) fn watch(&mut self) {
        let (Some(a), Some(b)) = (self.some_body(), self.some_body()) else { return };
        let (a, b, wanted) = (a.min(b), a.max(b), self.source.percent(50));
        if a != b {
            self.say(|| format!("watch {a} {b}: {wanted}"));
            let ids = [self.id(a), self.id(b)];
            self.all(|world| world.set_pair_watched(ids[0], ids[1], wanted)).expect("two bodies");
            self.model.watched.insert((a, b), wanted);
        }
    }

    pub(super) fn filter(&mut self) {
        let Some(place) = self.some_body() else { return };
        let (category, mask) = (self.source.pick(&[1, 2]), self.source.pick(&[3, 1, 2]));
        self.say(|| format!("filter {place}: {category} {mask}"));
        let id = self.id(place);
        self.all(|world| world.set_filter(id, Filter::new(category, mask))).expect("a body");
        let body = self.model.body_mut(place);
        (body.category, body.mask) = (category, mask);
    }

    pub(super) fn thickness(&mut self) {
        let Some(place) = self.some_body() else { return };
        let thickness = self.source.between(0, 2);
        self.say(|| format!("thickness {place}: {thickness}"));
        let (id, metres) = (self.id(place), self.frame.length(thickness));
        self.all(|world| world.set_thickness(id, metres)).expect("a body");
        self.model.body_mut(place).thickness = thickness;
    }

    pub(super) fn pair_thickness(&mut self) {
        let (Some(a), Some(b)) = (self.some_body(), self.some_body()) else { return };
        let pair = (a.min(b), a.max(b));
        let distance = self.source.percent(70).then(|| self.source.between(0, 2));
        self.say(|| format!("thickness of {pair:?}: {distance:?}"));
        let (ids, metres) = ([self.id(a), self.id(b)], distance.map(|d| self.frame.length(d)));
        self.all(|world| world.set_pair_thickness(ids[0], ids[1], metres)).expect("two bodies");
        match distance {
            Some(distance) => self.model.distances.insert(pair, distance),
            None => self.model.distances.remove(&pair),
        };
    }

    pub(super) fn edit(&mut self) {
        let Some(place) = self.some_body().filter(|_| self.model.scheduled.is_empty()) else { return };
        let mut body = self.model.body(place).clone();
        let (mut removed, mut added, mut changed) = (None, None, None);
        let numbers: Vec<u32> = body.triangles.keys().copied().collect();
        let next = self.fellows[0].world.mesh(self.id(place)).expect("a mesh").triangles().len() as u32;
        if self.source.percent(40) && numbers.len() > 1 {
            let number = self.source.pick(&numbers);
            body.triangles.remove(&number);
            removed = Some(number);
        }
        let extra = self.source.percent(40).then(|| point(&mut self.source));
        if let Some(place) = extra {
            body.welded.push(body.vertices as u32);
            body.own.insert(body.vertices as u32, Own::Fixed(place));
            body.vertices += 1;
        }
        let corners = [0; 3].map(|_| self.source.below(body.vertices) as u32);
        if self.source.percent(50) || extra.is_some() {
            let corners = if extra.is_some() { [corners[0], corners[1], body.vertices as u32 - 1] } else { corners };
            body.triangles.insert(next, corners);
            added = Some(corners);
        } else if let Some(&number) = body.triangles.keys().next() {
            body.triangles.insert(number, corners);
            changed = Some((number, corners));
        }
        self.say(|| {
            format!("edit {place}: removed {removed:?}, vertex {extra:?}, added {added:?}, changed {changed:?}")
        });
        let (id, frame) = (self.id(place), self.frame);
        let done = self.all(|world| {
            let mut edit = world.begin_edit(id).expect("a body");
            removed.into_iter().for_each(|number| edit.remove_triangle(number));
            extra.into_iter().for_each(|place| {
                edit.add_vertex(NewVertex::fixed(frame.point(place)));
            });
            added.into_iter().for_each(|corners| {
                edit.add_triangle(corners);
            });
            changed.into_iter().for_each(|(number, corners)| edit.set_corners(number, corners));
            world.apply_edit(edit).map_err(|error| error.to_string())
        });
        done.expect("a good edit");
        // Ignored pairs of triangles stay ignored by number; shared corners are those after the
        // edit.
        self.model.bodies[place] = Some(body);
    }
}
