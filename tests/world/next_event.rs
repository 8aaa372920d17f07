//! When contacts may change next: loops over it end, pass over nothing, and say what is not known. First contacts beyond events that
//! are due just after the clock.

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{Style, random_body};
use kinetree::BodyId;
use kinetree::limits;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion, Outside};
use kinetree::time::{Moment, Span};
use kinetree::world::{
    BodyDef, ContactChange, ContactMode, Engine, IgnoredContacts, NextEvent, TimeEnclosure, World, WorldDef,
};

const FLOOR: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

fn at(z: f32) -> Vec<[f32; 3]> {
    FLOOR.iter().map(|&[x, y, _]| [x, y, z]).collect()
}

fn triangle(plan: Flightplan) -> BodyDef {
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
}

/// A body at some heights, one per time.
fn at_heights(times: &[f64], heights: &[f32], outside: Outside) -> BodyDef {
    triangle(Flightplan::keyframes(times.to_vec(), heights.iter().flat_map(|&z| at(z)).collect()).outside(outside))
}

fn floor() -> BodyDef {
    triangle(Flightplan::fixed(FLOOR.to_vec()))
}

fn rising(speed: f32, z: f32) -> BodyDef {
    triangle(Flightplan::velocities(0.0, at(z), vec![[0.0, 0.0, speed]; 3]))
}

fn world(engine: Engine, contacts: ContactMode, bodies: &[BodyDef]) -> (World, Vec<BodyId>) {
    let mut world = World::new(WorldDef::default().engine(engine).contacts(contacts)).unwrap();
    let ids = bodies.iter().map(|body| world.add_body(body.clone()).unwrap()).collect();
    (world, ids)
}

const CONTINUOUS: [(Engine, ContactMode); 2] =
    [(Engine::Auto, ContactMode::Continuous), (Engine::Kinetic, ContactMode::Continuous)];

/// Advances from event to event until a time; how many advances that takes.
fn step_until(world: &mut World, end: f64) -> usize {
    for steps in 0..100_000 {
        let Some(time) = world.next_event_time().filter(|&time| time <= end) else { return steps };
        assert!(time > world.time(), "{time} is not after {}", world.time());
        world.advance_to(time).unwrap();
    }
    panic!("100000 steps, and the clock stands at {}", world.time());
}

#[test]
fn a_host_that_goes_from_event_to_event_gets_on() {
    let cases = [
        ("loop", at_heights(&[0.0, 1.0], &[1.0, 5.0], Outside::Loop), 3.0, 2..60),
        ("loop into contact", at_heights(&[0.0, 1.0], &[0.0, 5.0], Outside::Loop), 3.0, 2..60),
        ("velocities", rising(0.01, 1.0), 1e6, 14..100),
        ("shortest loop", at_heights(&[0.0, limits::MIN_PERIOD], &[1.0, 5.0], Outside::Loop), 1.0, 2047..3000),
    ];
    for (name, body, end, expected) in cases {
        for (engine, contacts) in CONTINUOUS {
            let (mut world, _) = world(engine, contacts, &[floor(), body.clone()]);
            let steps = step_until(&mut world, end);
            assert!(expected.contains(&steps), "{name} {engine:?} {contacts:?}: {steps} steps");
            assert!(world.time() > 0.5 * end && world.time() <= end, "{name}: {}", world.time());
        }
    }
    // Contacts at times: known as long as no boxes overlap.
    let (mut world, _) =
        world(Engine::Kinetic, ContactMode::AtTimes, &[floor(), at_heights(&[0.0, 1.0], &[1.0, 5.0], Outside::Loop)]);
    assert!((2..60).contains(&step_until(&mut world, 3.0)));
}

fn first(bodies: &[BodyDef], until: f64) -> Option<TimeEnclosure> {
    let (world, ids) = world(Engine::BruteForce, ContactMode::AtTimes, bodies);
    world.first_contact(ids[0], ids[1], until).unwrap().map(|change| match change {
        ContactChange::Began { time, .. } => time,
        _ => panic!("no begin"),
    })
}

/// Events that are due just after the clock's time: a loop over events made no progress there.
#[test]
fn first_contacts_beyond_events_just_after_the_clock() {
    let loops = |z: f32, height: f32| at_heights(&[0.0, 1.0], &[z, height], Outside::Loop);
    assert_eq!(first(&[floor(), loops(1.0, 2.0)], 1.5), None);
    assert_eq!(first(&[floor(), loops(1.0, 2.0)], 50.0), None);
    assert_eq!(first(&[floor(), at_heights(&[0.0, 1.0], &[1.0, 2.0], Outside::Hold)], 70.0), None);
    assert_eq!(first(&[floor(), rising(0.01, 1.0)], 70.0), None);
    assert_eq!(first(&[floor(), rising(0.01, 1.0)], limits::MAX_TIME), None);
    let time = first(&[floor(), rising(-0.01, 1.0)], 1e4).unwrap();
    assert!((time.lo - 100.0).abs() < 1e-4 && time.hi - time.lo < 1e-10, "{time:?}");
    // Meets, in its third round, what comes down slowly.
    let time = first(&[rising(-0.5, 3.25), loops(1.0, 2.0)], 50.0).unwrap();
    assert!((time.lo - 17.0 / 6.0).abs() < 1e-12 && !time.is_open, "{time:?}");
    // A round of the shortest period there is, thousands of times; the other body comes after 3 s.
    let short = at_heights(&[0.0, limits::MIN_PERIOD], &[5.0, 1.0], Outside::Loop);
    assert_eq!(first(&[rising(-0.01, -1.0), short.clone()], 1.0), None);
    let late = at_heights(&[0.0, 3.0, 4.0], &[-9.0, -9.0, 3.0], Outside::Hold);
    let time = first(&[late, short], 4.0).unwrap();
    assert!(time.lo > 3.8 && time.hi < 3.84, "{time:?}");
}

/// Where every round is like the one before, a round tells whether there will ever be a contact.
#[test]
fn first_contacts_of_rounds_without_number() {
    let short = |heights: &[f32]| {
        let times = [0.0, 0.25 * limits::MIN_PERIOD, limits::MIN_PERIOD];
        at_heights(&times, heights, Outside::Loop)
    };
    let resting_later = at_heights(&[0.0, 0.125], &[-3.0, -1.0], Outside::Hold);
    for other in [floor(), short(&[0.5, 0.75, 0.5]), resting_later.clone()] {
        assert_eq!(first(&[other, short(&[1.0, 2.0, 5.0])], limits::MAX_TIME), None);
    }
    // What has passed in the present round comes again in the next: the dip at the first quarter.
    let dips = at_heights(&[0.0, 0.25, 1.0], &[1.0, -1.0, 1.0], Outside::Loop);
    for (now, from, to) in [(0.0, 0.125, 0.125), (0.5, 0.625, 0.625), (0.75, 1.125, 1.125), (-1.0, -0.875, -0.875)] {
        let def = WorldDef::default().start(now);
        let mut world = World::new(def).unwrap();
        let ids = [floor(), dips.clone()].map(|body| world.add_body(body).unwrap());
        let change = world.first_contact(ids[0], ids[1], limits::MAX_TIME).unwrap();
        let Some(ContactChange::Began { time, .. }) = change else { panic!("from {now}: {change:?}") };
        assert!((time.lo - from).abs() < 1e-12 && (time.hi - to).abs() < 1e-12, "from {now}: {time:?}");
    }
    // What comes to rest in the way is met in the first round after that.
    let time = first(&[at_heights(&[0.0, 0.125], &[-3.0, 1.5], Outside::Hold), short(&[1.0, 2.0, 5.0])], 1e9).unwrap();
    assert!(time.lo < 0.125 && time.lo > 0.1, "{time:?}");
    // A change to come.
    let (mut world, ids) = world(Engine::Auto, ContactMode::AtTimes, &[floor(), short(&[1.0, 2.0, 5.0])]);
    world.schedule_flightplan(ids[0], 0.5, Flightplan::fixed(at(1.5))).unwrap();
    let Some(ContactChange::Began { time, .. }) = world.first_contact(ids[0], ids[1], 1e9).unwrap() else { panic!() };
    assert!(time.lo >= 0.5 && time.lo < 0.5 + limits::MIN_PERIOD, "{time:?}");
}

/// The contact that a jump brings about is the first one, and is not there at the jump's own time.
#[test]
fn a_first_contact_that_begins_with_a_jump() {
    let bodies = |other: BodyDef| [other, at_heights(&[0.0, 1.0], &[-1.0, 5.0], Outside::Loop)];
    let post = [[0.25, 0.25, -1.5], [0.25, 0.25, 0.0], [0.5, 0.25, -0.5]];
    let posts = [
        triangle(Flightplan::fixed(post.to_vec())),
        triangle(Flightplan::keyframes(vec![-1.0, 0.625, 3.0], [post; 3].concat())),
        triangle(Flightplan::keyframes(
            vec![-1.0, 0.625, 3.0],
            [post, post.map(|[x, y, z]| [x, y + 0.1, z]), post].concat(),
        )),
    ];
    for other in posts {
        let (mut world, ids) = world(Engine::BruteForce, ContactMode::AtTimes, &bodies(other));
        world.advance_to(0.5).unwrap();
        assert_eq!(world.first_contact(ids[0], ids[1], 1.0).unwrap(), None);
        let Some(ContactChange::Began { time, .. }) = world.first_contact(ids[0], ids[1], 2.0).unwrap() else {
            panic!()
        };
        assert_eq!((time.lo, time.hi, time.is_open), (1.0, 1.0, true));
    }
}

#[test]
fn what_is_known_of_which_world() {
    use NextEvent::{At, Never, Unknown};
    let next = |engine, contacts, bodies: &[BodyDef]| world(engine, contacts, bodies).0.next_event();
    let falling = at_heights(&[0.0, 1.0], &[2.0, -2.0], Outside::Hold);
    let later = at_heights(&[3.0, 4.0], &[2.0, -2.0], Outside::Hold);
    for (engine, contacts) in CONTINUOUS.into_iter().chain([(Engine::Kinetic, ContactMode::AtTimes)]) {
        assert_eq!(next(engine, contacts, &[]), Never);
        assert_eq!(next(engine, contacts, &[floor(), floor()]), Never, "{engine:?} {contacts:?}");
        let At(time) = next(engine, contacts, &[floor(), falling.clone()]) else { panic!("{engine:?} {contacts:?}") };
        assert!(0.0 < time && time <= 0.5, "{time}");
    }
    for engine in [Engine::Interval, Engine::Refit, Engine::BruteForce] {
        assert_eq!(next(engine, ContactMode::AtTimes, &[floor(), falling.clone()]), Unknown, "{engine:?}");
        assert_eq!(next(engine, ContactMode::AtTimes, &[floor(), later.clone()]), At(3.0), "{engine:?}");
        assert_eq!(next(engine, ContactMode::AtTimes, &[floor(), floor()]), Never, "{engine:?}");
        let (mut world, _) = world(engine, ContactMode::AtTimes, &[floor(), later.clone()]);
        for (time, known) in [(2.0, At(3.0)), (3.0, Unknown), (3.5, Unknown), (4.0, Never)] {
            world.advance_to(time).unwrap();
            assert_eq!(world.next_event(), known, "{engine:?} at {time}");
            assert_eq!(world.next_event_time(), if let At(time) = known { Some(time) } else { None });
        }
    }
    // Leaves that overlap are tested again in every advance.
    let (mut world, ids) = world(Engine::Kinetic, ContactMode::AtTimes, &[floor(), falling]);
    world.advance_to(0.5).unwrap();
    assert_eq!((world.contacts().len(), world.next_event()), (1, Unknown));
    world.advance_to(1.0).unwrap();
    assert_eq!((world.contacts().len(), world.next_event()), (0, Never));
    // Scheduled changes: to come, and due now.
    world.schedule_flightplan(ids[1], 2.0, Flightplan::fixed(at(0.0))).unwrap();
    assert_eq!(world.next_event(), At(2.0));
    world.schedule_flightplan(ids[1], 1.0, Flightplan::fixed(at(3.0))).unwrap();
    assert_eq!(world.next_event(), At(1.0f64.next_up()));
    assert_eq!(step_until(&mut world, 9.0), 2);
    assert_eq!((world.time(), world.contacts().len(), world.next_event()), (2.0, 1, Never));
}

/// Endless motion has events at ever later times; those that the clock cannot reach are none.
#[test]
fn events_beyond_all_time() {
    for (engine, contacts) in CONTINUOUS {
        let (mut world, _) = world(engine, contacts, &[floor(), rising(0.01, 1.0)]);
        world.advance_to(limits::MAX_TIME).unwrap();
        assert_eq!(world.next_event(), NextEvent::Never);
    }
}

/// The clock can reach it.
#[test]
fn a_change_at_the_last_time_of_all_is_to_come() {
    for (engine, contacts) in CONTINUOUS {
        let (mut world, ids) = world(engine, contacts, &[floor(), floor()]);
        world.schedule_flightplan(ids[1], limits::MAX_TIME, Flightplan::fixed(at(1.0))).unwrap();
        assert_eq!(world.next_event(), NextEvent::At(limits::MAX_TIME), "{engine:?}");
        world.advance_to(limits::MAX_TIME).unwrap();
        assert_eq!(world.next_event(), NextEvent::Never, "{engine:?}");
    }
}

/// Motions asked at times that no world reaches.
#[test]
fn motions_at_times_beyond_all_use() {
    let at_heights = Flightplan::keyframes(vec![0.0, 0.5], [at(0.0), at(1.0)].concat()).outside(Outside::Loop);
    let plans = [
        at_heights,
        Flightplan::velocities(0.0, at(0.0), vec![[0.0, 0.0, 1.0]; 3]),
        Flightplan::velocities_until(Span { begin: 0.0, end: 0.7 }, at(0.0), vec![[0.0, 0.0, 1.0]; 3])
            .outside(Outside::Loop),
    ];
    for plan in plans {
        let motion = Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap();
        for time in [1e17, 1e300, f64::MAX, f64::INFINITY] {
            for time in [time, -time] {
                for moment in [Moment::at(time), Moment::after(time)] {
                    let (_, _) = (motion.epoch_end(moment), motion.position(0, moment));
                }
            }
        }
    }
}

/// Before the time that is told nothing changes, and a host that goes from time to time is told what one is told that goes far at once.
#[test]
fn nothing_changes_before_the_time_that_is_told() {
    let (mut stops, mut probes, mut told, mut unknown) = (0, 0, 0, 0);
    let modes =
        CONTINUOUS.into_iter().chain([(Engine::Kinetic, ContactMode::AtTimes), (Engine::Auto, ContactMode::AtTimes)]);
    for ((engine, contacts), seed) in modes.flat_map(|mode| (0..u64::from(cases(70))).map(move |seed| (mode, seed))) {
        let mut dice = Dice::new(seed, &[91]);
        let grain = dice.pick(&[Grain::Real, Grain::Lattice]);
        let style = Style { grain, long: false, triangles: 3, keys: 4, curved: if dice.percent(20) { 30 } else { 0 } };
        let window = Span { begin: 0.0, end: 5.0 };
        let bodies: Vec<BodyDef> =
            (0..2).map(|_| random_body(&mut dice, style, window, 0).definition("body").engine(Engine::Auto)).collect();
        let start = || world(engine, contacts, &bodies).0;
        let name = format!("seed {seed} {engine:?} {contacts:?}");
        let mut whole = start();
        let is_continuous = contacts == ContactMode::Continuous;
        let (mut probe, mut world) = (start(), start());
        // What adding the bodies brought about is told by the first advance.
        whole.advance_to(5.0).unwrap();
        let (all, mut seen) = (whole.contact_changes().to_vec(), Vec::new());
        let ends: Vec<TimeEnclosure> = all.iter().flat_map(enclosures).collect();
        while world.time() < 5.0 {
            let clock = world.time();
            let next = match world.next_event() {
                NextEvent::At(time) => time.min(5.0),
                NextEvent::Never => 5.0,
                _ => {
                    assert!(!is_continuous, "{name}");
                    unknown += 1;
                    world.advance_to((clock + 0.25).min(5.0)).unwrap();
                    continue;
                }
            };
            assert!(next > clock, "{name}: {next} is not after {clock}");
            let is_inside = is_continuous && ends.iter().any(|end| end.lo <= clock && clock < end.hi);
            let between = [0.25 * next + 0.75 * clock, 0.5 * next + 0.5 * clock, next.next_down()];
            for time in between.into_iter().filter(|&time| time > clock && time < next && stops % 3 == 0) {
                if time < probe.time() {
                    continue;
                }
                probe.advance_to(time).unwrap();
                assert!(is_inside || probe.contacts() == world.contacts(), "{name}: from {clock} to {next}, at {time}");
                probes += usize::from(!is_inside);
            }
            world.advance_to(next).unwrap();
            seen.extend_from_slice(world.contact_changes());
            stops += 1;
        }
        if is_continuous {
            assert_eq!(seen, all, "{name}");
            told += all.len();
        }
    }
    assert!(stops > 2000 && probes > 2000 && told > 150, "{stops} stops, {probes} probes, {told} changes");
    assert!(unknown > 100, "{unknown} times unknown");
}

fn enclosures(change: &ContactChange) -> Vec<TimeEnclosure> {
    match *change {
        ContactChange::Began { time, .. } => vec![time],
        ContactChange::Ended { began, time, .. } => began.into_iter().chain([time]).collect(),
        _ => panic!("neither begin nor end"),
    }
}

/// A body that leaves out what it touched when it was added: later contacts are on, and are found.
#[test]
fn first_contacts_ignore_what_the_world_ignores() {
    for (engine, contacts) in CONTINUOUS {
        let faller = |height: f32| {
            at_heights(&[0.0, 2.0, 4.0], &[height, -height, height], Outside::Hold)
                .ignoring_contacts(IgnoredContacts::AtStart)
        };
        let (mut world, ids) = world(engine, contacts, &[floor(), faller(1.0), faller(0.0)]);
        let lone = world.first_contact(ids[0], ids[1], 4.0).unwrap().expect("it falls through the floor");
        assert!(lone.time().lo <= 1.0 && 1.0 <= lone.time().hi, "{lone:?}");
        // It lay on the floor when it was added, and lies there still.
        assert_eq!(world.first_contact(ids[0], ids[2], 4.0).unwrap(), None);
        world.advance_to(1.0).unwrap();
        assert_eq!(world.contacts().len(), 2);
        let now = world.first_contact(ids[0], ids[1], 4.0).unwrap().expect("they touch now");
        assert_eq!((now.contact().a, now.contact().b), (ids[0], ids[1]));
        assert!(now.time().lo == 1.0 && now.time().hi < 1.0 + 1e-12, "{now:?}");
        world.advance_to(2.0).unwrap();
        assert_eq!(world.first_contact(ids[0], ids[2], 4.0).unwrap(), None);
    }
}
