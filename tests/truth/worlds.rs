//! Worlds in every engine and mode against the truth of their scene.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::BodyId;
use kinetree::kinetic::TreeKind;
use kinetree::scenes::Random;
use kinetree::world::{Contact, ContactChange, ContactMode, Engine, TimeEnclosure, World, WorldDef};
use num_rational::BigRational as Q;
use num_traits::ToPrimitive;

use super::scene::{Plan, Scene, Shape, exact};
use super::timeline::{Pair, TrueSpan, Truth, When, is_as_near_as_stated};

/// How a world computes contacts.
pub(crate) type Mode = (&'static str, Engine, ContactMode, TreeKind);

pub(crate) const MODES: [Mode; 10] = [
    ("brute force", Engine::BruteForce, ContactMode::AtTimes, TreeKind::Aabb),
    ("refit", Engine::Refit, ContactMode::AtTimes, TreeKind::Aabb),
    ("interval", Engine::Interval, ContactMode::AtTimes, TreeKind::Aabb),
    ("kinetic", Engine::Kinetic, ContactMode::AtTimes, TreeKind::Aabb),
    ("kinetic, boxes", Engine::Kinetic, ContactMode::AtTimes, TreeKind::Box),
    ("auto", Engine::Auto, ContactMode::AtTimes, TreeKind::Aabb),
    ("auto, continuous", Engine::Auto, ContactMode::Continuous, TreeKind::Aabb),
    ("auto, continuous, one advance", Engine::Auto, ContactMode::Continuous, TreeKind::Aabb),
    ("kinetic, continuous", Engine::Kinetic, ContactMode::Continuous, TreeKind::Aabb),
    ("kinetic, continuous, boxes", Engine::Kinetic, ContactMode::Continuous, TreeKind::Box),
];

/// What was compared, and what was wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) scenes: u64,
    pub(crate) windows: u64,
    pub(crate) spans: u64,
    /// Spans that the library reports, in all continuous modes.
    pub(crate) told: u64,
    pub(crate) undecided: u64,
    /// Gaps between true spans that are shorter than times tell.
    pub(crate) merged: u64,
    /// Pairs of triangles that touch at an instant, in all modes.
    pub(crate) instants: u64,
    /// Of these, those that are shown inside an end's enclosure and do not touch.
    pub(crate) doubtful: u64,
    pub(crate) missed: u64,
    pub(crate) invented: u64,
    /// Ends whose enclosure does not hold the true one.
    pub(crate) ends: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        let add = |x: &mut u64, y: u64| *x += y;
        add(&mut self.scenes, other.scenes);
        add(&mut self.windows, other.windows);
        add(&mut self.spans, other.spans);
        add(&mut self.told, other.told);
        add(&mut self.undecided, other.undecided);
        add(&mut self.merged, other.merged);
        add(&mut self.instants, other.instants);
        add(&mut self.doubtful, other.doubtful);
        add(&mut self.missed, other.missed);
        add(&mut self.invented, other.invented);
        add(&mut self.ends, other.ends);
    }
}

/// A reported contact over time, seconds.
#[derive(Clone, Copy, Debug)]
struct Told {
    begin: TimeEnclosure,
    end: TimeEnclosure,
    undecided: bool,
}

/// Whether the library compares two bodies exactly over time: equal key times, velocities from one
/// time, or one of them at rest.
fn is_exact(scene: &Scene, (a, b, ..): Pair) -> bool {
    let [one, two] = [a, b].map(|body| &scene.bodies[body].plan);
    let begin = |plan: &Plan| if let Plan::Velocities { begin, .. } = plan { Some(*begin) } else { None };
    let is_still = |plan: &Plan, other: &Plan| match plan {
        Plan::Fixed(_) => true,
        Plan::Keys { places, .. } => other.keys().is_some() && places.iter().all(|key| *key == places[0]),
        _ => false,
    };
    let alike = match (one.keys(), two.keys()) {
        (Some(first), Some(second)) => first.0 == second.0 && one.is_loop() == two.is_loop(),
        (None, None) => begin(one) == begin(two),
        _ => false,
    };
    a == b || is_still(one, two) || is_still(two, one) || alike
}

/// A run of one scene in one mode.
struct Run<'a> {
    scene: &'a Scene,
    truth: &'a Truth,
    mode: Mode,
    tally: Tally,
    told: BTreeMap<Pair, Vec<Told>>,
    /// Contacts at instants of bodies that are not compared exactly, which are none: they must lie
    /// inside an end's enclosure.
    doubtful: Vec<(Pair, f64)>,
    ids: Vec<BodyId>,
}

/// Compares a scene in all modes.
pub(crate) fn compare(scene: &Scene, seed: u64) -> Tally {
    let truth = Truth::new(scene);
    let spans = truth.spans.values().map(Vec::len).sum::<usize>() as u64;
    let mut tally = Tally { scenes: 1, windows: truth.windows, spans, ..Tally::default() };
    let moments = moments(scene, &truth, seed);
    for mode in MODES {
        let (told, doubtful, ids) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut run = Run { scene, truth: &truth, mode, tally: Tally::default(), told, doubtful, ids };
        run.go(&moments);
        if run.tally.missed + run.tally.invented + run.tally.ends > 0 {
            println!("scene {seed}, {}, {}: {:?}", scene.family, mode.0, run.tally);
        }
        tally += run.tally;
    }
    tally
}

/// Times at which all are compared: keys, random ones, and those next to ends.
fn moments(scene: &Scene, truth: &Truth, seed: u64) -> Vec<(f64, BTreeSet<Pair>)> {
    let mut random = Random::for_part(seed, 8);
    let mut times: Vec<f64> = (0..6).map(|_| scene.begin + random.unit() * (scene.end - scene.begin)).collect();
    let keys = scene.bodies.iter().filter_map(|body| body.plan.keys().map(|keys| keys.0.to_vec()));
    times.extend(keys.flatten());
    let ends: Vec<_> = truth.spans.values().flatten().flat_map(|span| [&span.begin, &span.end]).collect();
    for _ in 0..ends.len().min(6) {
        let below = ends[random.below(ends.len() as u64) as usize].below();
        times.extend([below.next_down(), below, below.next_up()]);
    }
    let pieces = scene.bodies.iter().flat_map(|body| body.plan.pieces(scene.begin, scene.end));
    let turns: Vec<f64> = pieces.filter_map(|piece| piece.to.to_f64()).collect();
    for _ in 0..6 {
        let turn = turns[random.below(turns.len() as u64) as usize];
        times.extend([turn.next_down(), turn, turn.next_up()]);
    }
    times.push(scene.end);
    times.retain(|time| (scene.begin..=scene.end).contains(time));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times.into_iter().map(|time| (time, truth.at(time))).collect()
}

impl Run<'_> {
    fn go(&mut self, moments: &[(f64, BTreeSet<Pair>)]) {
        let (name, engine, contacts, tree) = self.mode;
        let def = WorldDef::default().start(self.scene.begin).engine(engine).contacts(contacts);
        let mut world = World::new(def).expect("a good definition");
        self.ids = self.scene.populate(&mut world, |def| def.tree(tree));
        let mut given = vec![2; self.ids.len()];
        let ids = self.ids.clone();
        let is_continuous = contacts == ContactMode::Continuous;
        let in_one = name.ends_with("one advance");
        for (time, truth) in moments {
            if !in_one {
                let scene = self.scene;
                let mut read = |world: &World| {
                    if is_continuous {
                        self.read(world);
                    }
                };
                scene.advance(&mut world, &ids, &mut given, *time, &mut read);
                self.judge(world.contacts(), truth, *time);
            }
            if in_one && *time == self.scene.end {
                let scene = self.scene;
                scene.advance(&mut world, &ids, &mut given, *time, |world| self.read(world));
                self.judge(world.contacts(), truth, *time);
            }
        }
        if is_continuous {
            self.finish(&mut world);
            self.judge_doubtful();
            self.judge_spans();
        }
    }

    /// Goes on until the windows of all contacts have ended: some ends are told then only. What ends
    /// after the scene counts as not ended.
    fn finish(&mut self, world: &mut World) {
        let Scene { begin, end, .. } = *self.scene;
        // Windows of velocities are as long as the time before them.
        world.advance_to(if self.has_fields() { 4.0 * end + 300.0 } else { end + 4.0 }).expect("a good time");
        self.read(world);
        for contact in world.ongoing_contacts() {
            let pair = self.pair(&contact.contact);
            let told = self.told.get_mut(&pair).and_then(|list| list.last_mut()).expect("what is on has begun");
            told.undecided = contact.undecided;
        }
        let owns = self.scene.bodies.iter().any(|body| matches!(body.plan, Plan::Own { .. }));
        let at_begin = self.truth.at(begin);
        for (pair, list) in &mut self.told {
            // What touches as bodies are added may end as plans of vertices are set.
            let goes_on = list.iter().any(|told| told.begin.lo <= begin && told.end.hi > begin);
            let is_of_before = |told: &Told| owns && told.end.hi <= begin && (goes_on || !at_begin.contains(pair));
            let is_of_after = |told: &Told| told.begin.lo > end || told.begin.is_open && told.begin.lo >= end;
            list.retain(|told| !is_of_after(told) && !is_of_before(told));
            list.iter_mut().filter(|told| told.end.lo >= end).for_each(|told| told.end.lo = f64::INFINITY);
            list.iter_mut().filter(|told| told.end.hi >= end).for_each(|told| told.end.hi = f64::INFINITY);
        }
    }

    fn pair(&self, contact: &Contact) -> Pair {
        let number = |id| self.ids.iter().position(|&other| other == id).expect("a body that is there");
        (number(contact.a), number(contact.b), contact.triangle_a, contact.triangle_b)
    }

    fn read(&mut self, world: &World) {
        for change in world.contact_changes() {
            let list = self.told.entry(self.pair(&change.contact())).or_default();
            match *change {
                ContactChange::Began { time, undecided, .. } => {
                    let end = TimeEnclosure { lo: f64::INFINITY, hi: f64::INFINITY, ..time };
                    list.push(Told { begin: time, end, undecided });
                }
                ContactChange::Ended { time, undecided, .. } => {
                    let last = list.last_mut().expect("what ends has begun");
                    (last.end, last.undecided) = (time, undecided);
                }
                _ => unreachable!("{change:?}"),
            }
        }
    }

    fn judge(&mut self, said: &[Contact], truth: &BTreeSet<Pair>, time: f64) {
        let said: BTreeSet<Pair> = said.iter().map(|contact| self.pair(contact)).collect();
        self.tally.instants += truth.len() as u64;
        for pair in truth.difference(&said) {
            self.tally.missed += 1;
            println!("missed at {time:?}: {pair:?}");
        }
        for pair in said.difference(truth) {
            if self.mode.2 == ContactMode::AtTimes || is_exact(self.scene, *pair) {
                self.tally.invented += 1;
                println!("invented at {time:?}: {pair:?}");
            } else {
                self.doubtful.push((*pair, time));
            }
        }
    }

    fn judge_doubtful(&mut self) {
        for (pair, time) in std::mem::take(&mut self.doubtful) {
            let inside = |ends: TimeEnclosure| ends.lo <= time && time <= ends.hi;
            let may = |told: &Told| inside(told.begin) || inside(told.end) || told.undecided;
            self.tally.doubtful += 1;
            let spans: Vec<&TrueSpan> = self.truth.spans.get(&pair).into_iter().flatten().collect();
            let mut gaps = spans.windows(2);
            let is_in_gap = |gap: &[&TrueSpan]| gap[0].end.below() <= time && time <= gap[1].begin.below();
            let merged = gaps.any(|gap| self.is_short(gap) && is_in_gap(gap));
            if !merged && !self.told.get(&pair).is_some_and(|list| list.iter().any(may)) {
                self.tally.invented += 1;
                println!("invented at {time:?}, outside of all enclosures: {pair:?}");
            }
            if is_as_near_as_stated(self.scene, pair, time) == Some(false) {
                self.tally.invented += 1;
                println!("invented at {time:?}, and not near: {pair:?}");
            }
        }
    }

    /// Spans of contact against the true ones.
    fn judge_spans(&mut self) {
        let (none, nothing) = (Vec::new(), Vec::new());
        let pairs: BTreeSet<Pair> = self.truth.spans.keys().chain(self.told.keys()).copied().collect();
        for pair in pairs {
            let truth = self.truth.spans.get(&pair).unwrap_or(&none);
            let told = self.told.get(&pair).unwrap_or(&nothing);
            self.tally.told += told.len() as u64;
            self.tally.undecided += told.iter().filter(|told| told.undecided).count() as u64;
            let (mut missed, mut invented, mut ends) = (0, 0, 0);
            for span in truth {
                missed += u64::from(!told.iter().any(|told| covers(told, span)));
            }
            // Contact proper is never left open where motions are compared exactly.
            let bodies = [pair.0, pair.1].map(|body| &self.scene.bodies[body]);
            let is_proper = bodies.iter().all(|body| body.thickness == 0 && body.shape != Shape::Spheres);
            if is_proper && is_exact(self.scene, pair) {
                invented += told.iter().filter(|told| told.undecided).count() as u64;
            }
            for one in told.iter().filter(|told| !told.undecided) {
                let inside: Vec<&TrueSpan> = truth.iter().filter(|span| meets(one, span)).collect();
                if inside.is_empty() {
                    // Or it ended before the scene began, or begins after it.
                    invented += u64::from(one.end.lo >= self.scene.begin && one.begin.hi <= self.scene.end);
                    continue;
                }
                let at_end = |span: &&TrueSpan| span.end.compare(&exact(self.scene.end)).is_eq();
                let ends_it = |span: &&TrueSpan| {
                    if one.end.lo == f64::INFINITY { at_end(span) } else { holds(one.end, &span.end) }
                };
                // Neighbours may lie inside the enclosures of its ends.
                let first = inside.iter().position(|span| holds(one.begin, &span.begin));
                let last = first.and_then(|first| inside[first..].iter().position(ends_it));
                let (Some(first), Some(count)) = (first, last) else {
                    ends += 1;
                    continue;
                };
                for gap in inside[first..=first + count].windows(2) {
                    self.tally.merged += 1;
                    ends += u64::from(!self.is_short(gap));
                }
            }
            if missed + invented + ends > 0 {
                println!("{pair:?}: {missed} missed, {invented} invented, {ends} ends wrong");
                for span in truth {
                    let about = [&span.begin, &span.end].map(When::below);
                    println!("  true {about:?}, open {}", span.is_open);
                }
                told.iter().for_each(|told| println!("  told {told:?}"));
            }
            self.tally.missed += missed;
            self.tally.invented += invented;
            self.tally.ends += ends;
        }
    }

    /// Whether a gap between true spans is shorter than times tell. Windows of velocities are 64 s
    /// long, or longer.
    fn is_short(&self, gap: &[&TrueSpan]) -> bool {
        let (end, begin) = (gap[0].end.below(), gap[1].begin.below());
        let length = if self.has_fields() { 64.0 + self.scene.end } else { 1.0 };
        begin - end <= (length + self.scene.end) * 2.0_f64.powi(-47)
    }

    fn has_fields(&self) -> bool {
        let is_field = |plan: &Plan| matches!(plan, Plan::Velocities { .. } | Plan::Own { .. });
        self.scene.bodies.iter().any(|body| is_field(&body.plan))
    }
}

fn covers(told: &Told, span: &TrueSpan) -> bool {
    let (lo, hi) = (exact(told.begin.lo), told.end.hi);
    span.begin.compare(&lo).is_ge() && (hi == f64::INFINITY || span.end.compare(&exact(hi)).is_le())
}

fn meets(told: &Told, span: &TrueSpan) -> bool {
    let (lo, hi) = (exact(told.begin.lo), told.end.hi);
    span.end.compare(&lo).is_ge() && (hi == f64::INFINITY || span.begin.compare(&exact(hi)).is_le())
}

fn holds(enclosure: TimeEnclosure, when: &When) -> bool {
    let bound = |x: f64| -> Q { exact(x) };
    when.compare(&bound(enclosure.lo)).is_ge()
        && (enclosure.hi == f64::INFINITY || when.compare(&bound(enclosure.hi)).is_le())
}
