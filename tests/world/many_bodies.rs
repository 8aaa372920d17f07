//! Worlds of hundreds of bodies: what they cost, shown by counters, and that they are right,
//! against brute force.

use kinetree::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::scenes::Random;
use kinetree::stats::Stats;
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactMode, Engine, Filter, World, WorldDef};

const FACES: [[u32; 3]; 8] = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

/// An octahedron.
fn mesh() -> Mesh {
    Mesh::new(6, FACES.to_vec()).unwrap()
}

/// Its corners at a place.
fn corners(centre: [f32; 3], radius: f32) -> Vec<[f32; 3]> {
    let mut corners = vec![centre; 6];
    for (corner, position) in corners.iter_mut().enumerate() {
        position[corner / 2] += if corner % 2 == 0 { radius } else { -radius };
    }
    corners
}

fn world(engine: Engine) -> World {
    World::new(WorldDef::default().engine(engine)).unwrap()
}

/// Bodies at rest on a cubic grid with one metre between centres.
fn grid(world: &mut World, count: usize, radius: f32) {
    let side = (1..=count).find(|side| side * side * side >= count).unwrap();
    for number in 0..count {
        let place = [number % side, number / side % side, number / (side * side)].map(|x| x as f32);
        world.add_body(BodyDef::new(mesh(), Flightplan::fixed(corners(place, radius)))).unwrap();
    }
}

/// What a step did: differences of the counters that must not grow with the number of bodies.
#[derive(Debug)]
struct Cost {
    events: u64,
    boxes: u64,
    searches: u64,
    queue: u64,
    pairs: u64,
    triangles: u64,
}

impl Cost {
    fn between(before: &Stats, after: &Stats) -> Self {
        Self {
            events: after.events - before.events,
            boxes: after.broad_phase.boxes_visited - before.broad_phase.boxes_visited,
            searches: after.broad_phase.certificates_searched - before.broad_phase.certificates_searched,
            queue: after.queue_operations - before.queue_operations,
            pairs: after.broad_phase.overlapping.abs_diff(before.broad_phase.overlapping) as u64,
            triangles: after.triangle_tests - before.triangle_tests,
        }
    }

    fn most(&self) -> u64 {
        [self.events, self.boxes, self.searches, self.queue].into_iter().max().unwrap()
    }
}

/// Ways past a grid with this many metres to a side, at a distance: along a side, across a corner,
/// all the way round.
fn ways(side: f32, begin: f64) -> Vec<Flightplan> {
    let (near, far) = (-side - 5.0, 2.0 * side + 5.0);
    let key = |place: [f32; 3]| corners(place, 0.4);
    let plan = |places: &[[f32; 3]]| {
        let times = (0..places.len()).map(|key| begin + key as f64).collect();
        Flightplan::keyframes(times, places.iter().flat_map(|&place| key(place)).collect())
    };
    vec![
        plan(&[[near, near, 0.0], [far, near, 0.0]]),
        plan(&[[near, 0.5 * side, 0.0], [0.5 * side, near, 0.0]]),
        plan(&[[near, near, 1.0], [far, near, 1.0], [far, far, 1.0], [near, far, 1.0], [near, near, 1.0]]),
        Flightplan::velocities(begin, key([near, near, 2.0]), vec![[side, 0.0, 0.0]; 6]),
    ]
}

#[test]
fn a_far_away_body_costs_the_logarithm_of_the_number_of_bodies() {
    /// Per way, step and binary digit of the number of bodies. Most of it is the body's own.
    const MOST: u64 = 25;
    for count in [64, 256, 1024] {
        let digits = u64::from((count as u64).ilog2());
        let side = (count as f32).cbrt();
        let mut world = world(Engine::Kinetic);
        grid(&mut world, count, 0.4);
        assert_eq!(world.stats().broad_phase.bodies, count);
        for number in 0..4 {
            let way = ways(side, world.time()).swap_remove(number);
            let start = world.stats();
            let id = world.add_body(BodyDef::new(mesh(), way)).unwrap();
            let added = world.stats();
            let end = world.time() + 5.0;
            for step in 1..=40 {
                world.advance_to(end - 5.0 + f64::from(step) / 8.0).unwrap();
                assert!(world.contacts().is_empty());
                assert!(world.stats().bodies_awake <= 1 && world.stats().pairs_tested == 0);
            }
            let passed = world.stats();
            world.remove_body(id).unwrap();
            let removed = world.stats();
            let costs = [(&start, &added), (&added, &passed), (&passed, &removed)]
                .map(|(before, after)| Cost::between(before, after));
            eprintln!("{count} bodies, way {number}: {costs:?}");
            for cost in &costs {
                assert!(cost.most() <= MOST * digits, "{count} bodies, way {number}: {cost:?}");
                assert_eq!((cost.pairs, cost.triangles), (0, 0), "{count} bodies, way {number}");
            }
            assert_eq!(removed.broad_phase.bodies, count);
        }
        assert!(world.audit().is_clean());
    }
}

#[test]
fn a_sleeping_world_costs_nothing() {
    let few = &[64, 300][..];
    let engines = [(Engine::Kinetic, &[64, 1000][..]), (Engine::Interval, few), (Engine::Refit, few)];
    for (engine, counts) in engines {
        for &count in counts {
            let mut world = world(engine);
            // Neighbours reach into each other.
            grid(&mut world, count, 0.55);
            let late = Flightplan::keyframes(
                vec![50.0, 60.0],
                [corners([-9.0; 3], 0.5), corners([1.0, 1.0, 1.3], 0.5)].concat(),
            );
            world.add_body(BodyDef::new(mesh(), late)).unwrap();
            world.advance_to(0.5).unwrap();
            world.advance_to(1.0).unwrap();
            let before = world.stats();
            assert!(world.contacts().len() > 4 * count && before.pairs > count, "{before:?}");
            assert_eq!((before.bodies_awake, before.pairs_tested), (0, 0), "{engine:?}");
            for step in 0..100 {
                world.advance_to(1.0 + 0.5 * f64::from(step + 1) * 0.98).unwrap();
                assert!(world.contact_changes().is_empty());
                // Every counter of the world, down to queue operations and certificate searches.
                assert_eq!(world.stats(), before, "{engine:?}");
            }
            let contacts = world.contacts().to_vec();
            world.advance_to(55.0).unwrap();
            assert_eq!((world.stats().bodies_awake, world.contacts()), (1, &contacts[..]));
            world.advance_to(60.0).unwrap();
            assert!(world.contacts().len() > contacts.len());
            world.advance_to(61.0).unwrap();
            assert_eq!((world.stats().bodies_awake, world.stats().pairs_tested), (0, 0));
        }
    }
}

#[test]
fn adding_many_bodies_costs_n_log_n() {
    let visits = |count: usize| {
        let mut world = world(Engine::Kinetic);
        grid(&mut world, count, 0.4);
        let broad_phase = world.stats().broad_phase;
        assert!(broad_phase.height <= 3 * (count.ilog2() as usize + 1), "{broad_phase:?}");
        broad_phase.boxes_visited as f64 / count as f64
    };
    let (few, many) = (visits(64), visits(1024));
    assert!(many < 2.0 * few, "{few} and {many} boxes per body");
}

#[test]
fn a_throng_has_few_partners() {
    let mut random = Random::new(11);
    let mut world = world(Engine::Kinetic);
    let count = 300;
    for _ in 0..count {
        // Everybody crosses the whole room, again and again.
        let mut places = Vec::new();
        for _ in 0..8 {
            places.extend(corners(random.in_cube(8.0).map(|x| x as f32), 0.25));
        }
        let plan = Flightplan::keyframes((0..8).map(f64::from).collect(), places);
        world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    }
    let mut most = 0;
    for step in 1..=35 {
        world.advance_to(f64::from(step) / 5.0).unwrap();
        most = most.max(world.stats().broad_phase.overlapping);
    }
    let broad_phase = world.stats().broad_phase;
    eprintln!("{most} partners at most, {broad_phase:?}");
    assert!(broad_phase.met > 1000, "{broad_phase:?}");
    assert!(most < 5 * count, "{most} partners at most");
    assert!(broad_phase.fat_boxes_left < 100 * broad_phase.met, "{broad_phase:?}");
    assert!(broad_phase.boxes_visited < 400 * broad_phase.fat_boxes_chosen, "{broad_phase:?}");
}

/// A plan for a body somewhere in a room, of any kind.
fn any_plan(random: &mut Random, now: f64) -> Flightplan {
    const ROOM: f64 = 4.0;
    let place = |random: &mut Random| random.in_cube(ROOM).map(|x| x as f32);
    let radius = random.between(0.1, 0.6) as f32;
    let shape = |random: &mut Random| {
        let mut shape = corners(place(random), radius);
        shape.iter_mut().flatten().for_each(|x| *x += random.between(-0.1, 0.1) as f32);
        shape
    };
    let begin = now + random.between(-1.0, 1.0);
    let keys = |random: &mut Random, count: usize, step: f64| {
        let positions = (0..count).flat_map(|_| shape(random)).collect();
        Flightplan::keyframes((0..count).map(|key| begin + step * key as f64).collect(), positions)
    };
    let velocity = |random: &mut Random| random.in_cube(2.0).map(|x| x as f32);
    match random.below(8) {
        0 | 1 => Flightplan::fixed(shape(random)),
        2 => Flightplan::velocities(begin, shape(random), vec![velocity(random); 6]),
        3 => {
            let each = (0..6).map(|_| random.in_cube(0.3).map(|x| x as f32)).collect();
            Flightplan::velocities_until(Span { begin, end: begin + 1.5 }, shape(random), each)
        }
        4 => keys(random, 3, 0.4).outside(Outside::Loop),
        5 => keys(random, 2, 0.7),
        _ => keys(random, 6, 0.5),
    }
}

fn any_filter(random: &mut Random) -> Filter {
    match random.below(6) {
        0 => Filter::new(2, 1),
        1 => Filter::new(1, 1),
        2 => Filter::new(4, 0),
        _ => Filter::default(),
    }
}

/// Does the same to every world.
fn to_all(worlds: &mut [World], mut change: impl FnMut(&mut World)) {
    worlds.iter_mut().for_each(&mut change);
}

fn add(worlds: &mut [World], ids: &mut Vec<BodyId>, random: &mut Random) {
    let plan = any_plan(random, worlds[0].time());
    let ignored: Vec<BodyId> = ids.iter().copied().filter(|_| random.below(20) == 0).collect();
    let def =
        BodyDef::new(mesh(), plan).filter(any_filter(random)).ignoring(&ignored).self_contact(random.below(5) == 0);
    let mut id = None;
    to_all(worlds, |world| id = Some(world.add_body(def.clone()).unwrap()));
    ids.extend(id);
}

/// Some change of the worlds, and which contacts it leaves.
fn change(worlds: &mut [World], ids: &mut Vec<BodyId>, random: &mut Random) {
    let now = worlds[0].time();
    let some = ids[random.below(ids.len() as u64) as usize];
    match random.below(6) {
        0 => add(worlds, ids, random),
        1 => {
            to_all(worlds, |world| world.remove_body(some).unwrap());
            ids.retain(|&id| id != some);
        }
        2 => {
            let plan = any_plan(random, now);
            to_all(worlds, |world| world.set_flightplan(some, plan.clone()).unwrap());
        }
        3 => {
            let velocity = random.in_cube(1.0);
            let plans: Vec<(u32, VertexFlightplan)> = (0..=random.below(5) as u32)
                .map(|vertex| (vertex, VertexFlightplan::Velocity { from: None, velocity }))
                .collect();
            to_all(worlds, |world| world.set_vertex_flightplans(some, &plans).unwrap());
        }
        _ => {
            let other = ids[random.below(ids.len() as u64) as usize];
            let watched = random.below(2) == 0;
            if some != other {
                to_all(worlds, |world| world.set_pair_watched(some, other, watched).unwrap());
            }
        }
    }
}

#[test]
fn every_engine_finds_what_brute_force_finds() {
    let (mut contacts, mut changes, mut met) = (0, 0, 0);
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let engines = [Engine::BruteForce, Engine::Kinetic, Engine::Interval, Engine::Refit];
        let mut worlds = engines.map(world);
        let mut ids = Vec::new();
        for _ in 0..120 {
            add(&mut worlds, &mut ids, &mut random);
        }
        for step in 0..40 {
            if random.below(3) > 0 {
                change(&mut worlds, &mut ids, &mut random);
            }
            let long = if random.below(10) == 0 { 2.0 } else { 0.1 };
            let time = worlds[0].time() + random.between(0.0, long);
            // Some contacts are looked at before the clock goes on, so that edits alone are tested
            // too.
            if random.below(3) > 0 {
                to_all(&mut worlds, |world| world.advance_to(time).unwrap());
            }
            let [brute, others @ ..] = &worlds;
            for (other, engine) in others.iter().zip(&engines[1..]) {
                assert_eq!(other.contacts(), brute.contacts(), "seed {seed}, step {step}, {engine:?}");
                assert_eq!(other.contact_changes(), brute.contact_changes(), "seed {seed}, step {step}, {engine:?}");
            }
            contacts += brute.contacts().len();
            changes += brute.contact_changes().len();
            if step % 4 == 0 {
                let report = worlds[1].audit();
                assert!(report.is_clean(), "seed {seed}, step {step}: {report}");
            }
        }
        met += worlds[1].stats().broad_phase.met;
        assert!(worlds[1].stats().pairs < ids.len() * 4);
    }
    assert!(contacts > 5000 && changes > 2000 && met > 2000, "{contacts} contacts, {changes} changes, {met} met");
}

#[test]
fn the_log_does_not_depend_on_how_often_the_host_advances() {
    for contacts in [ContactMode::AtTimes, ContactMode::Continuous] {
        let run = |steps: u32| {
            let mut random = Random::new(5);
            let mut world = World::new(WorldDef::default().engine(Engine::Kinetic).contacts(contacts)).unwrap();
            let mut ids = Vec::new();
            for _ in 0..120 {
                add(std::slice::from_mut(&mut world), &mut ids, &mut random);
            }
            for _ in 0..12 {
                let begin = world.time();
                for step in 1..=steps {
                    world.advance_to(begin + 0.3 * f64::from(step) / f64::from(steps)).unwrap();
                }
                change(std::slice::from_mut(&mut world), &mut ids, &mut random);
            }
            let stats = world.stats();
            (world.log().hash(), world.log().count(), stats.events, stats.broad_phase, world.contacts().to_vec())
        };
        let once = run(1);
        assert!(once.1 > 1000 && once.3.met > 200 && once.3.fat_boxes_left > 200, "{once:?}");
        for steps in [2, 32] {
            assert_eq!(run(steps), once, "{contacts:?}, {steps} steps");
        }
    }
}

#[test]
fn continuous_contacts_of_many_bodies_are_those_of_brute_force() {
    let mut random = Random::new(21);
    let continuous = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    let mut worlds = [world(Engine::BruteForce), continuous];
    let mut ids = Vec::new();
    for _ in 0..100 {
        add(&mut worlds, &mut ids, &mut random);
    }
    let mut contacts = 0;
    for step in 0..30 {
        change(&mut worlds, &mut ids, &mut random);
        let time = worlds[0].time() + random.between(0.0, 0.2);
        to_all(&mut worlds, |world| world.advance_to(time).unwrap());
        assert_eq!(worlds[1].contacts(), worlds[0].contacts(), "step {step}");
        contacts += worlds[0].contacts().len();
        let report = worlds[1].audit();
        assert!(report.is_clean(), "step {step}: {report}");
    }
    assert!(contacts > 500, "{contacts}");
}

#[test]
fn decisions_take_effect_at_once_and_end_with_their_bodies() {
    for engine in [Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        let mut world = world(engine);
        let body = |x: f32| BodyDef::new(mesh(), Flightplan::fixed(corners([x, 0.0, 0.0], 0.5)));
        let nobody = Filter::new(1, 0);
        let a = world.add_body(body(0.0)).unwrap();
        let b = world.add_body(body(0.3).ignoring(&[a])).unwrap();
        assert!(world.contacts().is_empty(), "{engine:?}");
        let shy = [0.6, 0.9].map(|x| world.add_body(body(x).filter(nobody)).unwrap());
        assert!(world.contacts().is_empty(), "{engine:?}");
        let pairs = |world: &World| {
            let mut pairs: Vec<(BodyId, BodyId)> = world.contacts().iter().map(|c| (c.a, c.b)).collect();
            pairs.dedup();
            pairs
        };
        world.set_pair_watched(b, a, true).unwrap();
        assert_eq!(pairs(&world), [(a, b)], "{engine:?}");
        world.set_pair_watched(shy[1], shy[0], true).unwrap();
        assert_eq!(pairs(&world), [(a, b), (shy[0], shy[1])], "{engine:?}");
        world.set_pair_watched(shy[0], shy[1], false).unwrap();
        assert_eq!(pairs(&world), [(a, b)], "{engine:?}");
        world.set_pair_watched(a, b, false).unwrap();
        assert_eq!(pairs(&world), [], "{engine:?}");
        world.advance_to(1.0).unwrap();
        assert_eq!(pairs(&world), [], "{engine:?}");
        // Another body in the place of one that the host decided about.
        world.remove_body(b).unwrap();
        let c = world.add_body(body(0.3)).unwrap();
        assert_eq!((c.index(), pairs(&world)), (b.index(), vec![(a, c)]), "{engine:?}");
        assert!(world.audit().is_clean());
    }
}

#[test]
fn the_clock_stops_at_the_first_end_of_a_motion() {
    let mut world = world(Engine::Kinetic);
    let plan = |last: f64| {
        let keys = [corners([0.0; 3], 0.5), corners([1.0; 3], 0.5)].concat();
        Flightplan::keyframes(vec![0.0, last], keys).outside(Outside::Error)
    };
    world.add_body(BodyDef::new(mesh(), plan(5.0)).named("long")).unwrap();
    let short = world.add_body(BodyDef::new(mesh(), plan(2.0)).named("short")).unwrap();
    let refusal = world.advance_to(2.5).unwrap_err().to_string();
    assert!(refusal.contains("'short'") && refusal.contains("2.5 s"), "{refusal}");
    world.set_flightplan(short, plan(3.0)).unwrap();
    world.advance_to(2.5).unwrap();
    assert!(world.advance_to(3.5).is_err());
    world.remove_body(short).unwrap();
    world.advance_to(4.5).unwrap();
    assert!(world.advance_to(5.5).unwrap_err().to_string().contains("'long'"));
}
