//! Jumps (wraps of loops): at the time of a jump the old positions count, in every engine, for continuous contacts while the
//! clock stands there and later, and for baked contacts. What begins with a jump has an open begin.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::dice::Dice;
use crate::common::model::ModelBody;
use crate::common::runner::cases;
use crate::common::scene::{BodySpec, PlanSpec};
use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::{Flightplan, Outside, Sphere};
use kinetree::narrow::triangles_touch;
use kinetree::time::Span;
use kinetree::world::{BakedContacts, BodyDef, Contact, ContactChange, ContactMode, Engine, World, WorldDef};

const START: f64 = -0.5;
const END: f64 = 3.5;

/// Body, triangle, other body, its triangle; bodies by their places in the scene.
type Pairs = BTreeSet<[usize; 4]>;

struct Scene {
    bodies: Vec<ModelBody>,
}

/// Times from `first` on whose distances are powers of two: between them, positions at eighths of a second are exact.
fn key_times(dice: &mut Dice, first: f64) -> Vec<f64> {
    let mut times = vec![first];
    for _ in 0..=dice.below(3) {
        times.push(times[times.len() - 1] + dice.pick(&[0.125, 0.25, 0.5, 1.0]));
    }
    times
}

fn random_plan(dice: &mut Dice, vertices: usize, must_loop: bool) -> PlanSpec {
    let positions = |dice: &mut Dice| -> Vec<[f32; 3]> {
        (0..vertices).map(|_| std::array::from_fn(|_| dice.between(-3, 3) as f32)).collect()
    };
    let first = dice.pick(&[-0.75, -0.5, 0.0, 0.25]);
    let outside = if must_loop || dice.percent(40) { Outside::Loop } else { Outside::Hold };
    match if must_loop { 2 } else { dice.below(6) } {
        0 => PlanSpec::Fixed { positions: positions(dice) },
        1 => {
            let velocities = positions(dice).iter().map(|v| v.map(|x| 0.5 * x)).collect();
            let end = if dice.percent(30) { f64::INFINITY } else { first + 0.75 };
            let outside = if end < f64::INFINITY { outside } else { Outside::Hold };
            PlanSpec::Velocities { span: Span { begin: first, end }, positions: positions(dice), velocities, outside }
        }
        _ => {
            let times = key_times(dice, first);
            let positions = times.iter().flat_map(|_| positions(dice)).collect();
            PlanSpec::Keys { times, positions, outside }
        }
    }
}

fn random_scene(seed: u64) -> Scene {
    let mut dice = Dice::new(seed, &[88]);
    let bodies = (0..2 + dice.below(2)).map(|place| {
        let triangles: Vec<[u32; 3]> = (0..=dice.below(3) as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let plan = random_plan(&mut dice, 3 * triangles.len(), place == 0);
        let rest = vec![[0.0; 3]; 3 * triangles.len()];
        ModelBody { spec: BodySpec::new((rest, triangles), plan), own: BTreeMap::new() }
    });
    Scene { bodies: bodies.collect() }
}

impl Scene {
    fn world(&self, engine: Engine, contacts: ContactMode) -> World {
        let mut world =
            World::new(WorldDef::default().start(START).engine(engine).contacts(contacts).keep_events(false)).unwrap();
        for body in &self.bodies {
            world.add_body(body.spec.definition("body")).unwrap();
        }
        world
    }

    /// First and last time of every loop.
    fn loops(&self) -> impl Iterator<Item = Option<(f64, f64)>> {
        self.bodies.iter().map(|body| match &body.spec.plan {
            PlanSpec::Keys { times, outside: Outside::Loop, .. } => Some((times[0], times[times.len() - 1])),
            PlanSpec::Velocities { span, outside: Outside::Loop, .. } => Some((span.begin, span.end)),
            _ => None,
        })
    }

    /// Eighths of a second.
    fn wraps(&self) -> BTreeSet<i64> {
        let eighths = |(first, last): (f64, f64)| {
            let rounds = -40..=40i32;
            rounds.map(move |round| (8.0 * (first + f64::from(round) * (last - first))) as i64)
        };
        let all = self.loops().flatten().flat_map(eighths);
        let in_span = |time: &i64| (8.0 * START) as i64 <= *time && *time <= (8.0 * END) as i64;
        all.filter(in_span).collect()
    }

    /// What touches at a time, by brute force over the model's positions: the old ones at a wrap, or, if asked for, the new ones.
    fn touching(&self, time: f64, after: bool) -> Pairs {
        let corners = |place: usize| -> Vec<[[f64; 3]; 3]> {
            let body = &self.bodies[place];
            let new_round = self.loops().nth(place).flatten().filter(|&(first, last)| {
                let rounds = (time - first) / (last - first);
                after && rounds.fract() == 0.0
            });
            let at = new_round.map_or(time, |(first, _)| first);
            let point = |&vertex: &u32| body.places(vertex, at)[0];
            body.spec.triangles.iter().map(|corners| std::array::from_fn(|corner| point(&corners[corner]))).collect()
        };
        let all: Vec<_> = (0..self.bodies.len()).map(corners).collect();
        let mut pairs = Pairs::new();
        for (a, b) in (0..all.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
            for (p, first) in all[a].iter().enumerate() {
                let hit = all[b].iter().enumerate().filter(|(_, second)| triangles_touch(first, second));
                pairs.extend(hit.map(|(q, _)| [a, p, b, q]));
            }
        }
        pairs
    }

    /// Do both bodies move, with key times that differ?
    fn differ(&self, a: usize, b: usize) -> bool {
        let times = |place: usize| self.bodies[place].spec.plan.turns();
        !times(a).is_empty() && !times(b).is_empty() && times(a) != times(b)
    }
}

fn pairs(world: &World, contacts: &[Contact]) -> Pairs {
    let ids: Vec<_> = world.bodies().collect();
    let place = |id| ids.iter().position(|&other| other == id).unwrap();
    let of = |c: &Contact| [place(c.a), c.triangle_a as usize, place(c.b), c.triangle_b as usize];
    contacts.iter().map(of).collect()
}

const CONTINUOUS: [Engine; 2] = [Engine::Auto, Engine::Kinetic];
const AT_TIMES: [Engine; 5] = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];

#[test]
fn at_a_wrap_the_old_positions_count_in_every_mode() {
    let (mut wraps, mut old, mut new, mut open) = (0, 0, 0, 0);
    for seed in 0..u64::from(cases(120)) {
        let scene = random_scene(seed);
        let times: Vec<f64> = scene.wraps().into_iter().map(|eighths| eighths as f64 / 8.0).collect();
        let expected: Vec<Pairs> = times.iter().map(|&time| scene.touching(time, false)).collect();
        for (&time, expected) in times.iter().zip(&expected) {
            let begun = scene.touching(time, true);
            let begun = begun.difference(expected).filter(|pair| scene.differ(pair[0], pair[2])).count();
            (wraps, old, new) = (wraps + 1, old + expected.len(), new + begun);
        }
        let modes = AT_TIMES.map(|engine| (engine, ContactMode::AtTimes));
        for (engine, mode) in modes.into_iter().chain(CONTINUOUS.map(|engine| (engine, ContactMode::Continuous))) {
            let mut dice = Dice::new(seed, &[89]);
            let mut world = scene.world(engine, mode);
            for (&time, expected) in times.iter().zip(&expected) {
                if dice.percent(50) {
                    let between = 0.5 * (world.time() + time);
                    world.advance_to(between).unwrap();
                }
                world.advance_to(time).unwrap();
                let found = pairs(&world, world.contacts());
                assert_eq!(found, *expected, "seed {seed}: {engine:?} {mode:?} at the wrap {time}");
            }
        }
        for engine in CONTINUOUS {
            let mut world = scene.world(engine, ContactMode::Continuous);
            let mut dice = Dice::new(seed, &[90]);
            let mut asked = 0;
            while world.time() < END {
                let stride = dice.pick(&[0.125, 0.3, 1.0, 4.0]);
                world.advance_to((world.time() + stride).min(END)).unwrap();
                let span = world.certified_span();
                for (&time, expected) in times.iter().zip(&expected).filter(|(time, _)| span.contains(**time)) {
                    let found = pairs(&world, &world.contacts_at(time).unwrap());
                    assert_eq!(found, *expected, "seed {seed}: {engine:?} at the wrap {time}, asked at {}", span.end);
                    asked += 1;
                }
                open += world.contact_changes().iter().filter(|change| is_open_begin(change, &scene)).count();
            }
            assert!(asked >= times.len());
            let mut recorded = scene.world(engine, ContactMode::Continuous);
            let baked = BakedContacts::record(&mut recorded, END).unwrap();
            let baked = BakedContacts::from_bytes(&baked.to_bytes()).unwrap();
            let holder = scene.world(Engine::Refit, ContactMode::AtTimes);
            for (&time, expected) in times.iter().zip(&expected) {
                let found = pairs(&holder, &baked.contacts_at(time, &holder).unwrap());
                assert_eq!(found, *expected, "seed {seed}: {engine:?}, baked, at the wrap {time}");
            }
        }
    }
    // Without contacts that begin with a jump, between bodies whose keys differ, nothing would have been tested.
    assert!(wraps > 500 && old > 300 && new > 300 && open > 300, "{wraps} wraps: {old} old, {new} new, {open} open");
}

/// Whether an open begin was told, which must lie at a wrap.
fn is_open_begin(change: &ContactChange, scene: &Scene) -> bool {
    let ContactChange::Began { time, .. } = change else { return false };
    assert!(!time.is_open || scene.wraps().contains(&((8.0 * time.lo) as i64)), "{time:?}");
    time.is_open
}

fn triangle(z: f32) -> [[f32; 3]; 3] {
    [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]
}

/// A body that touches what is at zero at the begin of a round of one second, and is far away at its end.
fn leaving(kind: &str) -> BodyDef {
    let times = vec![0.0, 1.0];
    match kind {
        "sphere" => {
            let at = |z| Sphere { centre: [0.0, 0.0, z], radius: 1.0 };
            let plan = Flightplan::spheres(times, vec![at(0.0), at(5.0)]).outside(Outside::Loop);
            BodyDef::new(Spheres::new(1).unwrap(), plan)
        }
        "point" => {
            let plan = Flightplan::keyframes(times, vec![[0.0; 3], [0.0, 0.0, 5.0]]).outside(Outside::Loop);
            BodyDef::new(Mesh::points(1).unwrap(), plan)
        }
        _ => {
            let plan = Flightplan::keyframes(times, [triangle(0.0), triangle(5.0)].concat()).outside(Outside::Loop);
            BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
        }
    }
}

fn partner(kind: &str) -> BodyDef {
    let ball = |z| Sphere { centre: [0.0, 0.0, z], radius: 0.5 };
    match kind {
        "fixed triangle" => {
            let plan = Flightplan::fixed(vec![[-1.0, -1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
            BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
        }
        "fixed sphere" => BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0], vec![ball(0.0)])),
        "looped sphere" => {
            let plan = Flightplan::spheres(vec![0.0, 1.0], vec![ball(0.0), ball(-1.0)]).outside(Outside::Loop);
            BodyDef::new(Spheres::new(1).unwrap(), plan)
        }
        _ => {
            let plan = Flightplan::spheres(vec![-1.0, 0.75, 3.0], vec![ball(0.125), ball(-0.125), ball(0.125)]);
            BodyDef::new(Spheres::new(1).unwrap(), plan)
        }
    }
}

/// Points, triangles and spheres: now, later, and where the world begins at the wrap.
#[test]
fn nothing_touches_at_the_wrap_yet() {
    for kind in ["point", "triangle", "sphere"] {
        for other in ["fixed triangle", "fixed sphere", "looped sphere", "sphere with other keys"] {
            for (engine, steps) in
                CONTINUOUS.into_iter().flat_map(|engine| [&[1.0][..], &[0.5, 1.0]].map(|steps| (engine, steps)))
            {
                let case = format!("{kind}, {other}, {engine:?}, {steps:?}");
                let start = if steps.len() == 1 { 1.0 } else { 0.0 };
                let def = WorldDef::default()
                    .start(start)
                    .engine(engine)
                    .contacts(ContactMode::Continuous)
                    .keep_events(false);
                let mut world = World::new(def).unwrap();
                world.add_body(leaving(kind)).unwrap();
                world.add_body(partner(other)).unwrap();
                steps.iter().for_each(|&time| world.advance_to(time).unwrap());
                assert!(world.contacts().is_empty(), "{case}: at the wrap");
                world.advance_to(1.25).unwrap();
                assert!(world.contacts_at(1.0).unwrap().is_empty(), "{case}: asked later");
                let after = world.contacts_at(1.0f64.next_up()).unwrap().len();
                // A point and a triangle leave the plane of the other at once.
                let is_moment = other == "fixed triangle" && kind != "sphere";
                assert_eq!(after, usize::from(!is_moment), "{case}: just after the wrap");
                let began = world.contact_changes().iter().find(|change| change.is_begin());
                match began {
                    Some(&ContactChange::Began { time, .. }) => {
                        assert_eq!((time.lo, time.is_open, is_moment), (1.0, true, false), "{case}");
                    }
                    _ => assert!(is_moment, "{case}: {:?}", world.contact_changes()),
                }
            }
        }
    }
}

/// Spheres whose boxes are the same in `f32` at the end of a round and at the begin of the next.
#[test]
fn a_sphere_that_jumps_by_less_than_its_box_tells() {
    let ball = |z: f64, radius: f64| Sphere { centre: [1e8, 1e8, 1e8 + z], radius };
    for engine in CONTINUOUS {
        let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous);
        let mut world = World::new(def).unwrap();
        let grown = Flightplan::spheres(vec![0.0, 1.0], vec![ball(0.0, 1.0625), ball(0.0, 1.0)]).outside(Outside::Loop);
        let partner = Flightplan::spheres(vec![-1.0, 0.75, 3.0], vec![ball(1.53125, 0.5); 3]);
        for plan in [grown, partner] {
            world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan)).unwrap();
        }
        for (time, count) in [(0.25, 1), (0.75, 0), (1.0, 0), (1.25, 1)] {
            world.advance_to(time).unwrap();
            assert_eq!(world.contacts().len(), count, "{engine:?} at {time}");
        }
        assert!(world.contacts_at(1.0).unwrap().is_empty(), "{engine:?}");
    }
}

/// A contact of the round before the first ends where the first begins: at its first key a loop is where that key says.
#[test]
fn a_loop_enters_its_first_round() {
    for engine in CONTINUOUS {
        let floor = || {
            let plan = Flightplan::keyframes(
                vec![-3.0, 3.25],
                [[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]; 2].concat(),
            );
            BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
        };
        let standing = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 4.0], [0.0, 1.0, z + 4.0]];
        let looped = || {
            let plan = Flightplan::keyframes(vec![0.0, 1.0], [standing(1.0), standing(-1.0)].concat());
            BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan.outside(Outside::Loop))
        };
        let def = WorldDef::default().start(-0.75).engine(engine).contacts(ContactMode::Continuous).keep_events(false);
        let world = || {
            let mut world = World::new(def).unwrap();
            world.add_body(floor()).unwrap();
            world.add_body(looped()).unwrap();
            world
        };
        let mut there = world();
        for (time, count) in [(-0.25, 1), (0.0f64.next_down(), 1), (0.0, 0), (0.25, 0), (0.75, 1), (1.0, 1), (1.25, 0)]
        {
            there.advance_to(time).unwrap();
            assert_eq!(there.contacts().len(), count, "{engine:?} at {time}");
        }
        let mut behind = world();
        behind.advance_to(-0.25).unwrap();
        behind.advance_to(1.25).unwrap();
        for (time, count) in [(-0.25, 1), (0.0f64.next_down(), 1), (0.0, 0), (0.25, 0), (0.75, 1), (1.0, 1), (1.25, 0)]
        {
            assert_eq!(behind.contacts_at(time).unwrap().len(), count, "{engine:?} at {time}, asked later");
        }
        let ends = behind.contact_changes().iter().filter_map(|change| match change {
            ContactChange::Ended { time, .. } => Some((time.hi, time.is_open)),
            _ => None,
        });
        assert_eq!(ends.collect::<Vec<_>>(), [(0.0, true), (1.0, false)], "{engine:?}");
        let baked = BakedContacts::record(&mut world(), 1.25).unwrap();
        let baked = BakedContacts::from_bytes(&baked.to_bytes()).unwrap();
        let ends: Vec<_> = baked.intervals().map(|it| (it.end.hi, it.end.is_open)).collect();
        assert_eq!(ends, [(0.0, true), (1.0, false)], "{engine:?}");
        assert!(baked.contacts_at(0.0, &world()).unwrap().is_empty());
    }
}

/// Stands on one corner, that high.
fn pointer(z: f32) -> [[f32; 3]; 3] {
    [[0.0, 0.0, z], [1.0, 0.0, z + 4.0], [0.0, 1.0, z + 4.0]]
}

/// A pointer over a floor, in rounds; how many contacts there are at the first wrap, now and asked later.
fn at_the_wrap(heights: &[f32], engine: Engine) -> [usize; 2] {
    let last = (heights.len() - 1) as f64;
    let keys = heights.iter().flat_map(|&z| pointer(z)).collect();
    let plan = Flightplan::keyframes((0..heights.len()).map(|key| key as f64).collect(), keys).outside(Outside::Loop);
    let floor = Flightplan::fixed(vec![[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    let def = WorldDef::default().engine(engine).contacts(ContactMode::Continuous);
    let mut world = World::new(def).unwrap();
    for plan in [plan, floor] {
        world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
    }
    world.advance_to(last).unwrap();
    let now = world.contacts().len();
    world.advance_to(last + 0.125).unwrap();
    [now, world.contacts_at(last).unwrap().len()]
}

/// Ends and begins that time cannot tell from the wrap: the old way alone says what touches there.
#[test]
fn ends_within_rounding_of_the_wrap() {
    const TINY: f32 = 1e-18;
    for engine in CONTINUOUS {
        // Leaves the floor before the wrap, by less than time can tell, and is in it again just after.
        assert_eq!(at_the_wrap(&[-1.0, TINY], engine), [0, 0], "{engine:?}");
        assert_eq!(at_the_wrap(&[-1.0, -TINY], engine), [1, 1], "{engine:?}");
        // Is in the floor at the wrap, just above it at the begin of the next round, and in it again at once.
        assert_eq!(at_the_wrap(&[TINY, -1.0, -0.5], engine), [1, 1], "{engine:?}");
        assert_eq!(at_the_wrap(&[TINY, -1.0, 0.5], engine), [0, 0], "{engine:?}");
    }
}

/// Late in a loop of a short period, keys fall on one time in the midst of a round: a jump like others.
#[test]
fn keys_that_fall_on_one_time() {
    let times = vec![0.0, 0.5, 0.5 + 0.5f64.powi(20), 1.0];
    let start = 0.5f64.powi(-38);
    for engine in [Engine::BruteForce, Engine::Auto, Engine::Kinetic] {
        let keys = [5.0, 5.0, -1.0, -1.0].into_iter().flat_map(pointer).collect();
        let plan = Flightplan::keyframes(times.clone(), keys).outside(Outside::Loop);
        let contacts = if engine == Engine::BruteForce { ContactMode::AtTimes } else { ContactMode::Continuous };
        let mut world =
            World::new(WorldDef::default().start(start).engine(engine).contacts(contacts).keep_events(false)).unwrap();
        let floor = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]];
        for plan in [plan, Flightplan::keyframes(vec![0.0, 2.0 * start], [floor; 2].concat())] {
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        }
        for (time, count) in [(0.25, 0), (0.5, 0), (0.75, 1), (1.0, 1), (1.25, 0), (1.5, 0)] {
            world.advance_to(start + time).unwrap();
            assert_eq!(world.contacts().len(), count, "{engine:?} at {time}");
        }
        world.advance_to(start + 2.0).unwrap();
        if engine != Engine::BruteForce {
            assert_eq!(world.contacts_at(start + 1.5).unwrap().len(), 0, "{engine:?}, asked later");
        }
    }
}

/// One loop enters its first round at the time at which another one leaves a round: they touch at that time alone,
/// whichever of them rests before or after.
#[test]
fn contact_between_a_round_that_begins_and_one_that_ends() {
    // Beside each a triangle that rests: their boxes meet all the time.
    let body = |first: f64, heights: [f32; 3], side: f32| {
        let beside = [[side, 0.0, -12.0], [side, 0.0, 20.0], [side + 1.0, 0.0, 20.0]];
        let keys = heights.into_iter().flat_map(|z| pointer(z).into_iter().chain(beside)).collect();
        let plan = Flightplan::keyframes(vec![first, first + 0.5, first + 1.0], keys).outside(Outside::Loop);
        BodyDef::new(Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap(), plan)
    };
    let modes = AT_TIMES.map(|engine| (engine, ContactMode::AtTimes));
    for (engine, mode) in modes.into_iter().chain(CONTINUOUS.map(|engine| (engine, ContactMode::Continuous))) {
        for (after, before) in [(4.5, -4.5), (0.0, -4.5), (4.5, 0.0)] {
            for swapped in [false, true] {
                let mut world = World::new(WorldDef::default().start(0.125).engine(engine).contacts(mode)).unwrap();
                let mut bodies = [body(1.0, [0.0, after, 9.0], 20.0), body(0.0, [-9.0, before, 0.0], -20.0)];
                if swapped {
                    bodies.reverse();
                }
                for body in bodies {
                    world.add_body(body).unwrap();
                }
                let case = format!("{engine:?} {mode:?}, {after} {before} {swapped}");
                for (time, count) in [(0.875, 0), (1.0f64.next_down(), 0), (1.0, 1), (1.125, 0)] {
                    world.advance_to(time).unwrap();
                    assert_eq!(world.contacts().len(), count, "{case} at {time}");
                }
                if mode == ContactMode::Continuous {
                    assert_eq!(world.contacts_at(1.0).unwrap().len(), 1, "{case}, asked later");
                }
            }
        }
    }
}

/// Their ends are at times that are sums of rounded numbers, so places at ends are rounded too.
#[test]
fn certain_contact_between_rounds_is_not_undecided() {
    let wrap = 0.1 + 1.0;
    for (engine, [speed_a, speed_b]) in
        CONTINUOUS.into_iter().flat_map(|engine| [[9.1, 9.3], [0.0, 9.3], [9.1, 0.0]].map(|speeds| (engine, speeds)))
    {
        let body = |first: f64, own: [[f32; 3]; 3], speed: f32, side: f32| {
            let beside = [[side, 0.0, -12.0], [side, 0.0, 20.0], [side + 1.0, 0.0, 20.0]];
            let places: Vec<[f32; 3]> = own.into_iter().chain(beside).collect();
            let velocities = [[0.0, 0.0, speed]; 3].into_iter().chain([[0.0; 3]; 3]).collect();
            let span = Span { begin: first, end: first + 1.0 };
            let plan = Flightplan::velocities_until(span, places, velocities).outside(Outside::Loop);
            BodyDef::new(Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap(), plan)
        };
        let def = WorldDef::default().start(0.125).engine(engine).contacts(ContactMode::Continuous);
        let mut world = World::new(def).unwrap();
        let floor = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]];
        world.add_body(body(wrap, floor, speed_a, 20.0)).unwrap();
        world.add_body(body(0.1, pointer(-speed_b - 1.0), speed_b, -20.0)).unwrap();
        let mut told = 0;
        for time in [0.9, wrap, 1.2] {
            world.advance_to(time).unwrap();
            for change in world.contact_changes() {
                told += 1;
                assert!(!change.is_undecided(), "{engine:?} {speed_a} {speed_b} at {time}: {change:?}");
            }
        }
        assert!(told > 0, "{engine:?} {speed_a} {speed_b}");
    }
}
