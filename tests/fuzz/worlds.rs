//! One world per engine and mode, held side by side, against the model: bytes choose the scene and
//! the calls. Panics where anything differs.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::BodyId;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::world::{
    BakedContacts, Contact, ContactChange, ContactMode, Engine, Filter, IgnoredContacts, NewVertex, NextEvent, World,
    WorldDef,
};

use super::model::{Change, Model, Pair, Scheduled, whole_ticks};
use super::motion::{Beyond, Own, Place, Plan, TICKS, Time};
use super::scene::{Frame, body, plan, point, seconds};
use super::source::Source;

/// What a run did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub calls: u64,
    pub contacts: u64,
    pub pasts: u64,
    pub loops: u64,
    pub refused: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.contacts += other.contacts;
        self.pasts += other.pasts;
        self.loops += other.loops;
        self.refused += other.refused;
    }
}

/// A world, and what a host that reads its changes knows.
struct Fellow {
    name: &'static str,
    world: World,
    mode: ContactMode,
    known: BTreeSet<Contact>,
}

const FELLOWS: [(&str, Engine, ContactMode); 8] = [
    ("brute force", Engine::BruteForce, ContactMode::AtTimes),
    ("auto", Engine::Auto, ContactMode::AtTimes),
    ("kinetic", Engine::Kinetic, ContactMode::AtTimes),
    ("interval", Engine::Interval, ContactMode::AtTimes),
    ("refit", Engine::Refit, ContactMode::AtTimes),
    ("kinetic in portions", Engine::Kinetic, ContactMode::AtTimes),
    ("auto, continuous", Engine::Auto, ContactMode::Continuous),
    ("kinetic, continuous", Engine::Kinetic, ContactMode::Continuous),
];
const KINETIC: usize = 2;
const PORTIONS: usize = 5;

/// Most calls of one run.
const MOST_CALLS: u64 = 40;

/// Most steps of a loop over the next event.
const MOST_STEPS: usize = 60;

struct Run<'a> {
    source: Source<'a>,
    frame: Frame,
    fellows: Vec<Fellow>,
    model: Model,
    ids: Vec<Option<BodyId>>,
    now: f64,
    far: u32,
    /// When a scheduled change was carried out last, or a body changed.
    changed_at: f64,
    traced: bool,
    tally: Tally,
}

/// Runs the scene and the calls that bytes choose.
pub fn run(bytes: &[u8]) -> Tally {
    let mut source = Source::new(bytes);
    let frame = Frame { scale: source.pick(&[1.0, 0.125, 1024.0]), offset: source.pick(&[0, 0, 4096, 1 << 18]) };
    let start = source.pick(&[0, 0, -32, 64 * 63, 64 * 1000 + 5]);
    let fellow = |&(name, engine, mode): &(&'static str, Engine, ContactMode)| {
        let def = WorldDef::default().start(seconds(start)).engine(engine).contacts(mode);
        Fellow { name, world: World::new(def).expect("a good start"), mode, known: BTreeSet::new() }
    };
    let mut run = Run {
        source,
        frame,
        fellows: FELLOWS.iter().map(fellow).collect(),
        model: Model::default(),
        ids: Vec::new(),
        now: seconds(start),
        far: 0,
        changed_at: f64::NEG_INFINITY,
        traced: std::env::var_os("KINETREE_FUZZ_TRACE").is_some(),
        tally: Tally::default(),
    };
    for _ in 0..1 + run.source.below(3) {
        run.add();
        run.compare();
    }
    run.advance();
    while !run.source.is_empty() && run.tally.calls < MOST_CALLS {
        run.call();
        run.compare();
    }
    run.tally
}

impl Run<'_> {
    fn say(&self, what: impl FnOnce() -> String) {
        if self.traced {
            eprintln!("{:?}: {}", self.now, what());
        }
    }

    fn call(&mut self) {
        self.tally.calls += 1;
        match self.source.below(32) {
            0..=9 => self.advance(),
            10 => self.add(),
            11 => self.remove(),
            12 | 13 => self.replace(),
            14 | 15 => self.vertices(),
            16 => self.extend(),
            17 => self.schedule(),
            18 => self.watch(),
            19 => self.filter(),
            20 => self.thickness(),
            21 => self.pair_thickness(),
            22 => self.edit(),
            23 => self.restore(),
            24..=26 => self.follow_events(),
            27 => self.first_contact(),
            28 => self.record(),
            29 => self.refuse(),
            30 => self.trial(),
            _ => self.rebuild(),
        }
    }

    fn some_body(&mut self) -> Option<usize> {
        let present = self.model.present();
        (!present.is_empty()).then(|| present[self.source.below(present.len())])
    }

    fn id(&self, place: usize) -> BodyId {
        self.ids[place].expect("a body that is there")
    }

    /// Does the same to every world; all give the same answer.
    fn all<T: PartialEq + std::fmt::Debug>(&mut self, mut act: impl FnMut(&mut World) -> T) -> T {
        let first = act(&mut self.fellows[0].world);
        for fellow in &mut self.fellows[1..] {
            let answer = act(&mut fellow.world);
            assert_eq!(answer, first, "{} against brute force, at {:?}", fellow.name, self.now);
        }
        first
    }

    fn ticks(&self) -> Option<i64> {
        whole_ticks(self.now)
    }

    fn add(&mut self) {
        let Some(now) = self.ticks().filter(|_| self.model.present().len() < 4) else { return };
        let (body, def, ignored) = body(&mut self.source, self.frame, now);
        self.say(|| format!("add {body:?} {:?} {:?} {ignored:?}", def.engine, def.tree));
        let id = self.all(|world| world.add_body(def.clone()).map_err(|error| error.to_string()));
        self.ids.push(Some(id.expect("a good body")));
        self.model.bodies.push(Some(body));
        if ignored == IgnoredContacts::AtStart {
            self.model.ignore_touching(self.model.bodies.len() - 1, now);
        }
    }

    fn remove(&mut self) {
        let Some(place) = self.some_body().filter(|_| self.model.present().len() > 1) else { return };
        self.say(|| format!("remove {place}"));
        let id = self.id(place);
        self.all(|world| world.remove_body(id)).expect("it is there");
        self.model.remove(place);
        self.ids[place] = None;
    }

    fn replace(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let rest = self.model.body(place).plan.rest().to_vec();
        if rest.len() != self.model.body(place).vertices {
            return;
        }
        let plan = plan(&mut self.source, &rest, now);
        self.say(|| format!("replace {place}: {plan:?}"));
        let (motion, bounds) = plan.flightplan(self.frame);
        let id = self.id(place);
        let done = self.all(|world| match &bounds {
            Some(bounds) => world.set_bounded_flightplan(id, bounds.clone()),
            None => world.set_flightplan(id, motion.clone()),
        });
        done.expect("a good plan");
        self.model.apply(place, &Change::Body(plan));
    }

    fn own_plan(&mut self, place: usize, vertex: u32, now: i64) -> (Own, VertexFlightplan) {
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
                for _ in 0..1 + self.source.below(2) {
                    times.push(times[times.len() - 1] + self.source.pick(&[16, 64, 7]));
                }
                Own::Keys { places: times.iter().map(|_| point(&mut self.source)).collect(), times }
            }
        };
        let given = own.vertex_plan(self.frame, false);
        (own, given)
    }

    fn vertices(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let mut plans: BTreeMap<u32, (Own, VertexFlightplan)> = BTreeMap::new();
        for _ in 0..1 + self.source.below(3) {
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

    fn extend(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let body = self.model.body(place);
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

    fn schedule(&mut self) {
        let (Some(now), Some(place)) = (self.ticks(), self.some_body()) else { return };
        let at = now + self.source.pick(&[8, 16, 64, 1]);
        let id = self.id(place);
        let change = if self.source.percent(50) {
            let vertex = self.source.below(self.model.body(place).vertices) as u32;
            let own = Own::Fixed(point(&mut self.source));
            let plans = vec![(vertex, own.vertex_plan(self.frame, false))];
            self.all(|world| world.schedule_vertex_flightplans(id, seconds(at), &plans)).expect("a good time");
            Change::Vertices(vec![(vertex, own)])
        } else {
            let rest = self.model.body(place).plan.rest().to_vec();
            if rest.len() != self.model.body(place).vertices {
                return;
            }
            let plan = plan(&mut self.source, &rest, at);
            let (motion, _) = plan.flightplan(self.frame);
            self.all(|world| world.schedule_flightplan(id, seconds(at), motion.clone())).expect("a good time");
            Change::Body(plan)
        };
        self.say(|| format!("schedule for {place} at {at}: {change:?}"));
        self.model.scheduled.push(Scheduled { at, body: place, change });
    }

    fn watch(&mut self) {
        let (Some(a), Some(b)) = (self.some_body(), self.some_body()) else { return };
        let (a, b, wanted) = (a.min(b), a.max(b), self.source.percent(50));
        if a != b {
            self.say(|| format!("watch {a} {b}: {wanted}"));
            let ids = [self.id(a), self.id(b)];
            self.all(|world| world.set_pair_watched(ids[0], ids[1], wanted)).expect("two bodies");
            self.model.watched.insert((a, b), wanted);
        }
    }

    fn filter(&mut self) {
        let Some(place) = self.some_body() else { return };
        let (category, mask) = (self.source.pick(&[1, 2]), self.source.pick(&[3, 1, 2]));
        self.say(|| format!("filter {place}: {category} {mask}"));
        let id = self.id(place);
        self.all(|world| world.set_filter(id, Filter::new(category, mask))).expect("a body");
        let body = self.model.body_mut(place);
        (body.category, body.mask) = (category, mask);
    }

    fn thickness(&mut self) {
        let Some(place) = self.some_body() else { return };
        let thickness = self.source.between(0, 2);
        self.say(|| format!("thickness {place}: {thickness}"));
        let (id, metres) = (self.id(place), self.frame.length(thickness));
        self.all(|world| world.set_thickness(id, metres)).expect("a body");
        self.model.body_mut(place).thickness = thickness;
    }

    fn pair_thickness(&mut self) {
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

    fn edit(&mut self) {
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
        // What is left out is left out by number; kinship follows the new corners.
        self.model.bodies[place] = Some(body);
    }

    /// Clones and snapshots have the same future.
    fn restore(&mut self) {
        self.say(|| "restore".to_owned());
        for (number, fellow) in self.fellows.iter_mut().enumerate() {
            fellow.world =
                if number % 2 == 0 { World::restore(&fellow.world.snapshot()) } else { fellow.world.clone() };
        }
    }

    fn rebuild(&mut self) {
        let Some(place) = self.some_body() else { return };
        let id = self.id(place);
        for fellow in &mut self.fellows {
            let _ = fellow.world.rebuild_degraded(id, 1.0).expect("a body");
        }
    }

    fn advance(&mut self) {
        let from = self.now;
        let ticks = self.ticks().unwrap_or((from * TICKS as f64).floor() as i64);
        let shortest = |body: usize| {
            let turns = self.model.body(body).plan.turns(ticks);
            turns.iter().min().map_or(i64::MAX, |turn| turn - ticks)
        };
        let turn = self.model.present().into_iter().map(shortest).min().unwrap_or(i64::MAX);
        let mut to = match self.source.below(12) {
            0 => seconds(ticks + 1),
            1 => from,
            2 | 3 if turn < 1 << 20 => seconds(ticks + turn),
            4 if turn < 1 << 20 => seconds(ticks + turn).next_up(),
            5 if turn < 1 << 20 => seconds(ticks + turn).next_down(),
            6 => from.next_up(),
            7 => from + 1.0 / 3.0,
            8 if self.far < 2 => {
                self.far += 1;
                seconds(ticks + TICKS * self.source.pick(&[8, 16, 66]))
            }
            9 => seconds(ticks + 64),
            _ => seconds(ticks + self.source.pick(&[8, 2, 4, 16, 3])),
        };
        to = to.max(from);
        self.say(|| format!("advance to {to:?}"));
        self.advance_to(to);
        self.look_back(from);
    }

    fn advance_to(&mut self, to: f64) {
        for number in 0..self.fellows.len() {
            let portions = number == PORTIONS;
            let middle = 0.5 * (self.now + to);
            let is_cut = portions && self.source.percent(50);
            let world = &mut self.fellows[number].world;
            if is_cut && middle > self.now {
                world.advance_to(middle).expect("a good time");
            }
            let mut calls = 0;
            if portions {
                while !world.advance_to_within(to, 1 + calls / 64).expect("a good time").is_done {
                    calls += 1;
                    assert!(calls < 100_000, "no progress at {:?}", world.time());
                }
            } else {
                world.advance_to(to).expect("a good time");
            }
            self.read_changes(number, to);
        }
        if self.model.pass(to) {
            self.changed_at = to;
        }
        self.now = to;
    }

    /// A host that reads changes once after every advance knows the contacts.
    fn read_changes(&mut self, number: usize, time: f64) {
        let Fellow { name, world, mode, known } = &mut self.fellows[number];
        // Read once, at the end: the world in portions tells them in several advances.
        if number == PORTIONS {
            return;
        }
        for change in world.contact_changes() {
            let news = if change.is_begin() { known.insert(change.contact()) } else { known.remove(&change.contact()) };
            assert!(news, "{name} at {time:?}: {change:?} is no news");
        }
        let on: BTreeSet<Contact> = match mode {
            ContactMode::Continuous => world.ongoing_contacts().iter().map(|ongoing| ongoing.contact).collect(),
            _ => world.contacts().iter().copied().collect(),
        };
        assert_eq!(*known, on, "{name} at {time:?}: the changes do not add up");
    }

    fn pair(&self, contact: &Contact) -> Pair {
        let place = |id: BodyId| self.ids.iter().position(|&other| other == Some(id)).expect("a body there is") as u32;
        let (a, b) = ([place(contact.a), contact.triangle_a], [place(contact.b), contact.triangle_b]);
        let (first, second) = if a < b { (a, b) } else { (b, a) };
        [first[0], first[1], second[0], second[1]]
    }

    fn is_of_kin(&self, pair: &Pair) -> bool {
        pair[0] == pair[2] && self.model.body(pair[0] as usize).are_kin(pair[1], pair[3])
    }

    /// What a world says against the truth at a time.
    fn judge(&self, number: usize, said: &[Contact], truth: &BTreeSet<Pair>, time: f64) {
        let Fellow { name, mode, .. } = &self.fellows[number];
        let said: BTreeSet<Pair> = said.iter().map(|c| self.pair(c)).filter(|pair| !self.is_of_kin(pair)).collect();
        let missed: Vec<_> = truth.difference(&said).collect();
        assert!(missed.is_empty(), "{name} at {time:?}: misses {missed:?}");
        for pair in said.difference(truth) {
            let (a, b) = (pair[0] as usize, pair[2] as usize);
            let may = *mode == ContactMode::Continuous && !self.model.is_exact_over_time(a, b);
            let what = "is false, at a time that is no end";
            assert!(may && self.model.nearly_touch(*pair, time), "{name} at {time:?}: {pair:?} {what}");
        }
    }

    fn compare(&mut self) {
        let truth = self.model.truth(self.now);
        self.tally.contacts += truth.len() as u64;
        for number in 0..self.fellows.len() {
            let Fellow { world, name, mode, .. } = &self.fellows[number];
            self.judge(number, world.contacts(), &truth, self.now);
            if *mode == ContactMode::AtTimes {
                assert_eq!(world.contacts(), self.fellows[0].world.contacts(), "{name} at {:?}", self.now);
            }
            let report = world.audit();
            assert!(report.is_clean(), "{name} at {:?}: {report}", self.now);
        }
        let (one, two) = (&self.fellows[KINETIC].world, &self.fellows[PORTIONS].world);
        assert_eq!(
            (one.log().count(), one.log().hash()),
            (two.log().count(), two.log().hash()),
            "logs at {:?}",
            self.now
        );
    }

    /// What touched at times just passed.
    fn look_back(&mut self, from: f64) {
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

    /// Whether a scheduled change was carried out since a time; the model does not know the plans before it.
    fn passed_change(&self, from: f64) -> bool {
        self.changed_at > from
    }

    /// A loop over the next event makes progress, and misses nothing before it.
    fn follow_events(&mut self) {
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

    fn first_contact(&mut self) {
        let (Some(a), Some(b)) = (self.some_body(), self.some_body()) else { return };
        let Some(now) = self.ticks().filter(|_| self.model.scheduled.is_empty()) else { return };
        let until = now + self.source.pick(&[16, 64, 200]);
        let own = a == b && !self.model.body(a).self_contact;
        self.say(|| format!("first contact of {a} and {b} until {until}"));
        if own || self.model.body(a).neighbours || !self.model.ignored.is_empty() {
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
    fn record(&mut self) {
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
    fn refuse(&mut self) {
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
    fn trial(&mut self) {
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
        let missed: Vec<_> = truth.iter().filter(of_body).filter(|pair| !said.contains(*pair)).collect();
        assert!(missed.is_empty(), "a trial of {place} at {:?} misses {missed:?}", self.now);
    }
}
