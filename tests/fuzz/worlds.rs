//! One world per engine and mode, held side by side, against the model: bytes choose the scene and
//! the calls. Panics where anything differs.

use std::collections::BTreeSet;

use kinetree::BodyId;
use kinetree::world::{Contact, ContactMode, Engine, IgnoredContacts, World, WorldDef};

use super::model::{Model, Pair, whole_ticks};
use super::motion::{Plan, TICKS};
use super::reduced::Maker;
use super::scene::{Frame, body, seconds};
use super::source::Source;

/// What a run did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) calls: u64,
    pub(crate) contacts: u64,
    pub(crate) pasts: u64,
    pub(crate) loops: u64,
    pub(crate) refused: u64,
    /// Calls with a reduced body.
    pub(crate) reduced: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.contacts += other.contacts;
        self.pasts += other.pasts;
        self.loops += other.loops;
        self.refused += other.refused;
        self.reduced += other.reduced;
    }
}

/// A world, and what a host that reads its changes knows.
pub(super) struct Fellow {
    pub(super) name: &'static str,
    pub(super) world: World,
    pub(super) mode: ContactMode,
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
pub(super) const KINETIC: usize = 2;
const PORTIONS: usize = 5;

/// Most calls of one run.
const MOST_CALLS: u64 = 40;

pub(super) struct Run<'a> {
    pub(super) source: Source<'a>,
    pub(super) frame: Frame,
    pub(super) fellows: Vec<Fellow>,
    pub(super) model: Model,
    pub(super) ids: Vec<Option<BodyId>>,
    pub(super) now: f64,
    pub(super) far: u32,
    /// When a scheduled change was carried out last, or a body changed.
    pub(super) changed_at: f64,
    pub(super) traced: bool,
    pub(super) tally: Tally,
}

/// Runs the scene and the calls that bytes choose.
pub(crate) fn run(bytes: &[u8]) -> Tally {
    let mut source = Source::new(bytes);
    let frame = Frame { scale: source.pick(&[1.0, 0.125, 1024.0]), offset: source.pick(&[0, 0, 4096, 1 << 18]) };
    let start = source.pick(&[0, 0, -32, 64 * 63, 64 * 1000 + 5]);
    let fellow = |&(name, engine, mode): &(&'static str, Engine, ContactMode)| {
        let def = WorldDef::default().start(seconds(start)).engine(engine).contacts(mode);
        // As a host does that compares logs; elsewhere events would make all bodies kinetic.
        let def = def.keep_events(engine == Engine::Kinetic && mode == ContactMode::AtTimes);
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
    for _ in 0..=run.source.below(3) {
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
    pub(super) fn say(&self, what: impl FnOnce() -> String) {
        if self.traced {
            eprintln!("{:?}: {}", self.now, what());
        }
    }

    fn call(&mut self) {
        self.tally.calls += 1;
        let is_reduced = |&place: &usize| matches!(self.model.body(place).plan, Plan::Sampled(_, Maker::Reduced(_)));
        self.tally.reduced += u64::from(self.model.present().iter().any(is_reduced));
        match self.source.below(40) {
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
            31 => self.change_where_stopped(),
            32 => self.seek(),
            33 => self.query(),
            34 => self.manifolds(),
            35 => self.save(),
            36 => self.cancel_change(),
            37 => self.limits(),
            38 => self.cancel(),
            _ => self.rebuild(),
        }
    }

    pub(super) fn some_body(&mut self) -> Option<usize> {
        let present = self.model.present();
        (!present.is_empty()).then(|| present[self.source.below(present.len())])
    }

    pub(super) fn id(&self, place: usize) -> BodyId {
        self.ids[place].expect("a body that is there")
    }

    /// Does the same to every world; all give the same answer.
    pub(super) fn all<T: PartialEq + std::fmt::Debug>(&mut self, mut act: impl FnMut(&mut World) -> T) -> T {
        let first = act(&mut self.fellows[0].world);
        for fellow in &mut self.fellows[1..] {
            let answer = act(&mut fellow.world);
            assert_eq!(answer, first, "{} against brute force, at {:?}", fellow.name, self.now);
        }
        first
    }

    pub(super) fn ticks(&self) -> Option<i64> {
        whole_ticks(self.now)
    }

    fn add(&mut self) {
        let Some(now) = self.ticks().filter(|_| self.model.present().len() < 4) else { return };
        let (body, def, ignored) = body(&mut self.source, self.frame, now);
        self.say(|| format!("add {body:?} {:?} {:?} {ignored:?}", def.engine, def.tree));
        let mut id = None;
        for fellow in &mut self.fellows {
            let mut def = def.clone();
            if fellow.mode == ContactMode::Continuous && def.engine != Engine::Kinetic {
                def = def.engine(Engine::Auto);
            }
            let given = fellow.world.add_body(def).expect("a good body");
            assert_eq!(*id.get_or_insert(given), given, "{}", fellow.name);
        }
        self.ids.push(id);
        self.model.bodies.push(Some(body));
        self.model.ignore_touching(self.model.bodies.len() - 1, ignored == IgnoredContacts::AtStart, now);
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

    pub(super) fn pair(&self, contact: &Contact) -> Pair {
        let place = |id: BodyId| self.ids.iter().position(|&other| other == Some(id)).expect("a body there is") as u32;
        let (a, b) = ([place(contact.a), contact.triangle_a], [place(contact.b), contact.triangle_b]);
        let (first, second) = if a < b { (a, b) } else { (b, a) };
        [first[0], first[1], second[0], second[1]]
    }

    pub(super) fn is_of_kin(&self, pair: &Pair) -> bool {
        pair[0] == pair[2] && self.model.body(pair[0] as usize).are_kin(pair[1], pair[3])
    }

    /// What a world says against the truth at a time.
    pub(super) fn judge(&self, number: usize, said: &[Contact], truth: &BTreeSet<Pair>, time: f64) {
        let Fellow { name, mode, .. } = &self.fellows[number];
        let said: BTreeSet<Pair> = said.iter().map(|c| self.pair(c)).filter(|pair| !self.is_of_kin(pair)).collect();
        let missed: Vec<_> = truth.difference(&said).collect();
        assert!(missed.is_empty(), "{name} at {time:?}: misses {missed:?}");
        for pair in said.difference(truth) {
            let (a, b) = (pair[0] as usize, pair[2] as usize);
            let may = *mode == ContactMode::Continuous && !self.model.is_exact_over_time(a, b);
            // Rounded by a few units in the last place of the coordinates, and of the times.
            let closeness = self.model.closeness(*pair, time);
            let least = self.model.least_closeness(*pair, time, self.frame.offset);
            let what = format!("is false, and 2^-{closeness} units from touching, not 2^-{least}");
            assert!(may && closeness >= least, "{name} at {time:?}: {pair:?} {what}");
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
        let events = |world: &World| world.log().events().unwrap_or_default().to_vec();
        let (ours, theirs) = (events(one), events(two));
        let other = ours.iter().zip(&theirs).find(|(one, two)| one != two);
        assert!(other.is_none(), "logs at {:?}: {other:?}", self.now);
        assert_eq!(
            (one.log().count(), one.log().hash()),
            (two.log().count(), two.log().hash()),
            "logs at {:?}",
            self.now
        );
    }
}
