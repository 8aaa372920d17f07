//! Calls that ask a world, or a copy of it, and what the truth is.

use std::collections::BTreeSet;

use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::world::{BakedContacts, Contact, ContactChange, ContactMode, NextEvent, World};

use super::model::Pair;
use super::motion::TICKS;
use super::scene::{point, seconds};
use super::worlds::{Fellow, KINETIC, Run};

/// Most steps of a loop over the next event.
const MOST_STEPS: usize = 60;

impl Run<'_> {
    /// Clones and snapshots have the same future.
    pub(super) fn restore(&mut self) {
        self.say(|| "restore".to_owned());
        for (number, fellow) in self.fellows.iter_mut().enumerate() {
            fellow.world =
                if number % 2 == 0 { World::restore(&fellow.world.snapshot()) } else { fellow.world.clone() };
        }
    }

    /// Saved worlds have the same future. Those with samplers are refused without a host.
    #[cfg(feature = "record")]
    pub(super) fn save(&mut self) {
        self.say(|| "save".to_owned());
        for fellow in &mut self.fellows {
            let Ok(bytes) = fellow.world.to_bytes() else { continue };
            if let Ok(world) = World::from_bytes(&bytes, |_| None) {
                assert_eq!(world.to_bytes().expect("it was saved before"), bytes, "{}", fellow.name);
                fellow.world = world;
            }
        }
    }

    #[cfg(not(feature = "record"))]
    pub(super) fn save(&mut self) {
        self.restore();
    }

    /// A jump ahead shows what is there; the jump back, what is here.
    pub(super) fn seek(&mut self) {
        let Some(now) = self.ticks().filter(|_| self.model.scheduled.is_empty()) else { return };
        let there = now + self.source.pick(&[1, 16, 64, 200]);
        self.say(|| format!("seek {there} and back"));
        let (truth, here) = (self.model.truth(seconds(there)), self.model.truth(self.now));
        for number in 0..self.fellows.len() {
            let (name, mut world) = (self.fellows[number].name, self.fellows[number].world.clone());
            world.seek(seconds(there)).expect("a good time");
            self.judge(number, world.contacts(), &truth, seconds(there));
            assert!(world.audit().is_clean(), "{name} at {there}: {}", world.audit());
            world.seek(self.now).expect("the time it stood at");
            self.judge(number, world.contacts(), &here, self.now);
            if self.source.percent(30) {
                self.fellows[number].world = World::restore(&self.fellows[number].world.snapshot());
            }
        }
    }

    /// Questions about positions have one answer.
    pub(super) fn query(&mut self) {
        let (from, to) = (self.frame.point(point(&mut self.source)), self.frame.point(point(&mut self.source)));
        let (from, to) = (from.map(f64::from), to.map(f64::from));
        let direction = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        let scale = self.frame.scale;
        self.say(|| format!("query from {from:?} to {to:?}"));
        let touched = self.all(|world| {
            let query = world.query();
            let ray = query.cast_ray(from, direction, 1.0).map(|hit| (hit.body, format!("{:?}", hit.point)));
            let nearest = query.nearest_point(from, 8.0 * scale).map(|near| format!("{near:?}"));
            (ray, nearest, query.overlap_sphere(from, scale))
        });
        assert!(touched.2.is_sorted(), "{touched:?}");
    }

    /// Manifolds of two bodies are of the contacts there are.
    pub(super) fn manifolds(&mut self) {
        let (Some(a), Some(b)) = (self.some_body(), self.some_body()) else { return };
        self.say(|| format!("manifolds of {a} and {b}"));
        let ids = [self.id(a), self.id(b)];
        for number in 0..self.fellows.len() {
            let Fellow { name, world, .. } = &self.fellows[number];
            let Ok(pair) = world.pair(ids[0], ids[1]) else { continue };
            let Ok(found) = pair.manifolds() else { continue };
            assert!(found.is_empty() || pair.is_touching(), "{name}: manifolds without a contact");
            assert!(found.iter().all(|manifold| manifold.depth() >= 0.0), "{name}: {found:?}");
        }
    }

    pub(super) fn rebuild(&mut self) {
        let Some(place) = self.some_body() else { return };
        let id = self.id(place);
        for fellow in &mut self.fellows {
            let _ = fellow.world.rebuild_degraded(id, 1.0).expect("a body");
        }
    }

    /// What touched at times just passed.
    pub(super) fn look_back(&mut self, from: f64) {
        let begin = (from * TICKS as f64).ceil() as i64;
        let end = (self.now * TICKS as f64).floor() as i64;
        let turns: Vec<i64> = self.model.present().iter().flat_map(|&p| self.model.body(p).plan.turns(begin)).collect();
        for _ in 0..3 {
            let ticks = if self.source.percent(50) && !turns.is_empty() {
                self.source.pick(&turns)
            } else {
                self.source.between(begin, end.max(begin).min(begin + 255))
            };
            let time = seconds(ticks);
            // Plans that changed in between are not looked behind.
            if time <= from || time > self.now || self.passed_change(from) {
                continue;
            }
            let truth = self.model.truth(time);
            for number in 0..self.fellows.len() {
                let world = &self.fellows[number].world;
                if self.fellows[number].mode == ContactMode::Continuous {
                    let said = world.contacts_at(time).expect("a time that is certified");
                    self.judge(number, &said, &truth, time);
                    self.tally.pasts += 1;
                }
            }
        }
    }

    /// Whether a scheduled change was carried out since a time; the model does not know the plans
    /// before it.
    pub(super) fn passed_change(&self, from: f64) -> bool {
        self.changed_at > from
    }

    /// A loop over the next event makes progress, and misses nothing before it.
    pub(super) fn follow_events(&mut self) {
        if !self.model.scheduled.is_empty() {
            return;
        }
        let number = self.source.pick(&[KINETIC, 6, 7, 1, 4]);
        self.say(|| format!("follow events of {}", self.fellows[number].name));
        let mut world = self.fellows[number].world.clone();
        for _ in 0..MOST_STEPS {
            let NextEvent::At(next) = world.next_event() else { break };
            let now = world.time();
            assert!(next > now, "{} at {now:?}: the next event is at {next:?}", self.fellows[number].name);
            if next > self.now + 70.0 {
                break;
            }
            self.tally.loops += 1;
            // Half-way nothing has changed.
            let middle = 0.5 * (now + next);
            if now < middle && middle < next && self.source.percent(20) {
                let mut other = world.clone();
                other.advance_to(middle).expect("a good time");
                self.judge(number, other.contacts(), &self.model.truth(middle), middle);
            }
            world.advance_to(next).expect("a good time");
            if self.source.percent(30) {
                self.judge(number, world.contacts(), &self.model.truth(next), next);
            }
        }
    }

    pub(super) fn first_contact(&mut self) {
        let (Some(a), Some(b)) = (self.some_body(), self.some_body()) else { return };
        let Some(now) = self.ticks().filter(|_| self.model.scheduled.is_empty()) else { return };
        let until = now + self.source.pick(&[16, 64, 200]);
        let own = a == b && !self.model.body(a).self_contact;
        self.say(|| format!("first contact of {a} and {b} until {until}"));
        if own || self.model.body(a).neighbours {
            return;
        }
        let pair = (a.min(b), a.max(b));
        // The two bodies are tested whatever filters and decisions say.
        let mut model = self.model.clone();
        model.watched.insert(pair, true);
        let ids = [self.id(a), self.id(b)];
        for number in [0, 1, KINETIC, 4, 7] {
            let world = &self.fellows[number].world;
            let name = self.fellows[number].name;
            let first = world.first_contact(ids[0], ids[1], seconds(until)).expect("two bodies");
            assert_eq!(world.time(), self.now);
            let (begin, last) = match first {
                Some(ContactChange::Began { time, .. }) => (time.lo, time.hi),
                _ => (f64::INFINITY, f64::INFINITY),
            };
            for _ in 0..4 {
                let at = self.source.between(now, until);
                let of_pair = |found: &Pair| (found[0] as usize, found[2] as usize) == pair;
                let touches = model.truth(seconds(at)).iter().any(of_pair);
                assert!(!touches || seconds(at) >= begin, "{name}: {a} and {b} touch at tick {at}, before {begin:?}");
            }
            if begin == last && begin.is_finite() && model.is_exact_over_time(a, b) {
                let is_open = matches!(first, Some(ContactChange::Began { time, .. }) if time.is_open);
                let found = model.truth(begin);
                let touches = found.iter().any(|found| (found[0] as usize, found[2] as usize) == pair);
                assert!(touches || is_open, "{name}: {a} and {b} do not touch at {begin:?}");
            }
        }
    }

    /// Recorded contacts answer as the world does.
    pub(super) fn record(&mut self) {
        let Some(now) = self.ticks().filter(|_| self.model.scheduled.is_empty()) else { return };
        let until = now + self.source.pick(&[16, 64]);
        self.say(|| format!("record until {until}"));
        let mut world = self.fellows[6].world.clone();
        let Ok(baked) = BakedContacts::record(&mut world, seconds(until)) else { return };
        let baked = BakedContacts::from_bytes(&baked.to_bytes()).expect("its own bytes");
        for _ in 0..3 {
            let time = seconds(self.source.between(now, until));
            if let Ok(said) = baked.contacts_at(time, &world) {
                self.judge(6, &said, &self.model.truth(time), time);
            }
        }
    }

    /// Bad input is refused by all worlds alike and changes nothing.
    pub(super) fn refuse(&mut self) {
        let Some(place) = self.some_body() else { return };
        let (id, kind) = (self.id(place), self.source.below(6));
        let vertices = self.model.body(place).vertices;
        let time = self.now;
        let outcome = self.all(|world| {
            let error = match kind {
                0 => world
                    .set_flightplan(id, Flightplan::fixed(vec![[f32::NAN; 3]; vertices]))
                    .err()
                    .map(|e| e.to_string()),
                1 => world
                    .set_flightplan(id, Flightplan::fixed(vec![[0.0; 3]; vertices + 1]))
                    .err()
                    .map(|e| e.to_string()),
                2 => {
                    let far = VertexFlightplan::Fixed { position: [0.0; 3] };
                    let plans = [(0, far.clone()), (vertices as u32, far)];
                    world.set_vertex_flightplans(id, &plans).err().map(|e| e.to_string())
                }
                3 => world.advance_to(time - 1.0).err().map(|e| e.to_string()),
                4 => world.set_thickness(id, -1.0).err().map(|e| e.to_string()),
                _ => world.advance_to(f64::NAN).err().map(|e| e.to_string()),
            };
            (error, world.time())
        });
        assert!(outcome.0.is_some() && outcome.1 == time, "kind {kind} is refused: {outcome:?}");
        self.tally.refused += 1;
    }

    /// A trial leaves the world as it is, and says nothing false about its begin.
    pub(super) fn trial(&mut self) {
        let Some(place) = self.some_body().filter(|_| self.model.scheduled.is_empty()) else { return };
        let id = self.id(place);
        let count = self.model.body(place).vertices;
        let proposed: Vec<[f32; 3]> = (0..count).map(|_| self.frame.point(point(&mut self.source))).collect();
        let end = self.now + 1.0;
        self.say(|| format!("trial of {place}: {proposed:?}"));
        let answer = self.all(|world| {
            let mut trial = world.trial(id, &proposed, end).map_err(|error| error.to_string())?;
            let begins: Vec<Contact> = trial
                .contacts()
                .map_err(|e| e.to_string())?
                .iter()
                .filter(|c| c.touches_at_start)
                .map(|c| c.contact)
                .collect();
            let step = trial.step_size().map_err(|error| error.to_string())?;
            assert!((0.0..=1.0).contains(&step), "{step}");
            Ok::<_, String>((begins, step.to_bits()))
        });
        let Ok((begins, _)) = answer else { return };
        let said: BTreeSet<Pair> = begins.iter().map(|c| self.pair(c)).filter(|pair| !self.is_of_kin(pair)).collect();
        let truth = self.model.truth(self.now);
        let of_body = |pair: &&Pair| pair[0] as usize == place || pair[2] as usize == place;
        // A trial starts from positions rounded to `f64`. At a jump the truth holds the old
        // positions, and a trial begins with the new ones.
        let Some(now) = self.ticks() else { return };
        let is_exact = |body: u32| {
            let body = self.model.body(body as usize);
            body.own.is_empty() && body.plan.is_exact_at(now) && !body.plan.may_jump_at(now)
        };
        let of_body = |pair: &&Pair| of_body(pair) && is_exact(pair[0]) && is_exact(pair[2]);
        let missed: Vec<_> = truth.iter().filter(of_body).filter(|pair| !said.contains(*pair)).collect();
        assert!(missed.is_empty(), "a trial of {place} at {:?} misses {missed:?}", self.now);
    }
}
