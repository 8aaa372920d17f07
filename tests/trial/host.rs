//! What a host relies on: commits, refusals, and a world that a dropped trial leaves as it was.

use kinetree::{
    BodyDef, BodyId, ContactChange, ContactMode, Engine, Flightplan, Mesh, MotionError, Outside, Patch, Patches, Span,
    Sphere, Spheres, TrialContact, TrialError, VertexFlightplan, World, WorldDef, WorldError, WorldLimits,
};

const FLAT: [[f32; 3]; 4] = [[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [-2.0, 2.0, 0.0], [2.0, 2.0, 0.0]];

fn sheet() -> Mesh {
    Mesh::new(4, vec![[0, 1, 2], [1, 3, 2]]).unwrap()
}

fn at(height: f32) -> Vec<[f32; 3]> {
    FLAT.map(|[x, y, _]| [0.5 * x, 0.5 * y + 0.125 * x, height + 0.25 * x]).to_vec()
}

/// A floor, a sheet above it, and a body that rises by a plan of its own.
fn scene(def: WorldDef) -> (World, BodyId) {
    let mut world = World::new(def).unwrap();
    world.add_body(BodyDef::new(sheet(), Flightplan::fixed(FLAT.to_vec())).named("floor")).unwrap();
    let cloth = BodyDef::new(sheet(), Flightplan::fixed(at(2.0))).named("cloth").self_contact(true);
    let cloth = world.add_body(cloth).unwrap();
    let rising = Flightplan::ballistic(-0.5, at(-2.0), vec![[0.0, 0.0, 4.0]; 4], [0.0, 0.0, -1.0]);
    world.add_body(BodyDef::new(sheet(), rising).named("rising")).unwrap();
    (world, cloth)
}

fn engines() -> [Engine; 5] {
    [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce]
}

#[test]
fn a_dropped_trial_leaves_the_world_as_it_was() {
    for engine in engines() {
        let (mut world, cloth) = scene(WorldDef::new().engine(engine));
        world.advance_to(0.25).unwrap();
        let before = format!("{world:?}");
        let mut trial = world.trial(cloth, &at(-1.0), 0.75).unwrap();
        assert!(trial.contacts().unwrap().len() > 1);
        trial.correct(cloth, &at(-2.0)).unwrap();
        assert!(trial.step_size().unwrap() < 0.5);
        drop(trial);
        assert_eq!(format!("{world:?}"), before, "{engine:?}");
    }
}

#[test]
fn a_commit_is_a_flightplan_of_two_keys() {
    for engine in engines() {
        let (mut world, cloth) = scene(WorldDef::new().engine(engine));
        let (mut twin, _) = scene(WorldDef::new().engine(engine));
        let mut here = at(2.0);
        for (step, height) in [1.0, 0.5, -0.25, 3.0].into_iter().enumerate() {
            let (now, end) = (0.25 * step as f64, 0.25 * (step + 1) as f64);
            let mut trial = world.trial(cloth, &at(9.0), end).unwrap();
            trial.correct(cloth, &at(height)).unwrap();
            assert_eq!(trial.start_positions(cloth).unwrap()[0], here[0].map(f64::from));
            trial.commit().unwrap();
            let keys = Flightplan::keyframes(vec![now, end], [here.as_slice(), &at(height)].concat());
            twin.set_flightplan(cloth, keys).unwrap();
            for world in [&mut world, &mut twin] {
                world.advance_to(end).unwrap();
            }
            here = at(height);
            assert_eq!(world.contacts(), twin.contacts());
            assert_eq!(world.log().hash(), twin.log().hash(), "{engine:?}");
        }
    }
}

#[test]
fn a_start_between_keys_is_not_rounded() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let keys = Flightplan::keyframes(vec![0.0, 3.0], [at(0.1), at(0.7)].concat());
    let cloth = world.add_body(BodyDef::new(sheet(), keys)).unwrap();
    world.advance_to(1.0 / 7.0).unwrap();
    let here = world.positions(cloth).unwrap();
    assert!(here.iter().flatten().any(|&x| f64::from(x as f32) != x));
    world.trial(cloth, &at(1.0), 0.5).unwrap().commit().unwrap();
    assert_eq!(world.positions(cloth).unwrap(), here);
    world.advance_to(0.5).unwrap();
    assert_eq!(world.positions(cloth).unwrap()[3], at(1.0)[3].map(f64::from));
}

#[test]
fn refusals_name_what_is_wrong_and_change_nothing() {
    let (mut world, cloth) = scene(WorldDef::new());
    let spheres = Flightplan::spheres(vec![0.0], vec![Sphere { centre: [9.0; 3], radius: 1.0 }]);
    let ball = world.add_body(BodyDef::new(Spheres::new(1).unwrap(), spheres).named("ball")).unwrap();
    let patches = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])]).unwrap();
    let patch = world.add_body(BodyDef::new(patches, Flightplan::fixed(at(5.0))).named("patch")).unwrap();
    let removed = world.add_body(BodyDef::new(sheet(), Flightplan::fixed(at(50.0)))).unwrap();
    world.remove_body(removed).unwrap();
    world.advance_to(0.5).unwrap();
    let before = format!("{world:?}");
    let (good, mut bad) = (at(1.0), at(1.0));
    bad[2][1] = f32::NAN;
    let mut refused = |moves: &[(BodyId, &[[f32; 3]])], end: f64| world.trial_of(moves, end).unwrap_err();
    let is_count = |error: &TrialError| {
        matches!(
            error,
            TrialError::World(WorldError::Motion { error: MotionError::PositionCount { expected: 4, found: 3 }, .. })
        )
    };
    assert!(is_count(&refused(&[(cloth, &good[..3])], 1.0)));
    let nan = refused(&[(cloth, &bad)], 1.0);
    assert_eq!(nan.to_string(), "body 'cloth': key 1, vertex 2: y is NaN, which is not a usable coordinate");
    assert_eq!(refused(&[(cloth, &good)], 0.5), TrialError::NotAfterNow { now: 0.5, end: 0.5 });
    assert_eq!(refused(&[(cloth, &good)], -1.0), TrialError::NotAfterNow { now: 0.5, end: -1.0 });
    for end in [f64::NAN, f64::INFINITY, 1e300] {
        assert!(matches!(refused(&[(cloth, &good)], end), TrialError::World(WorldError::BadTime { .. })));
    }
    assert_eq!(refused(&[], 1.0), TrialError::NoBodies);
    assert_eq!(refused(&[(cloth, &good), (cloth, &good)], 1.0), TrialError::BodyTwice { body: cloth });
    assert_eq!(refused(&[(removed, &good)], 1.0), WorldError::NoSuchBody { body: removed }.into());
    assert_eq!(refused(&[(ball, &good)], 1.0), TrialError::NotOfTriangles { body: "ball".to_owned() });
    assert_eq!(refused(&[(patch, &good)], 1.0), TrialError::NotOfTriangles { body: "patch".to_owned() });
    let mut trial = world.trial(cloth, &good, 1.0).unwrap();
    let contacts = trial.contacts().unwrap().to_vec();
    assert!(is_count(&trial.correct(cloth, &good[..3]).unwrap_err()));
    assert!(trial.correct(cloth, &bad).is_err());
    assert_eq!(trial.correct(ball, &good).unwrap_err(), TrialError::NotInTrial { body: "ball".to_owned() });
    assert_eq!(trial.contacts().unwrap(), contacts);
    drop(trial);
    assert_eq!(format!("{world:?}"), before);
}

#[test]
fn plans_must_be_known_until_the_end() {
    let (mut world, cloth) = scene(WorldDef::new());
    let wall = BodyDef::new(sheet(), Flightplan::fixed(at(40.0))).named("wall");
    let wall = world.add_body(wall).unwrap();
    let change = world.schedule_flightplan(wall, 0.75, Flightplan::fixed(at(1.0))).unwrap();
    assert!(world.trial(cloth, &at(1.0), 0.75).is_ok());
    let expected = TrialError::ChangeScheduled { body: "wall".to_owned(), time: 0.75, end: 1.0 };
    assert_eq!(world.trial(cloth, &at(1.0), 1.0).unwrap_err(), expected);
    world.cancel_change(change);
    let span = Span { begin: 0.0, end: 0.5 };
    let ended = Flightplan::velocities_until(span, at(40.0), vec![[0.0, 0.0, 1.0]; 4]).outside(Outside::Error);
    world.set_flightplan(wall, ended).unwrap();
    assert!(world.trial(cloth, &at(1.0), 0.5).is_ok());
    let error = world.trial(cloth, &at(1.0), 1.0).unwrap_err();
    assert_eq!(error, WorldError::OutsideSpan { body: "wall".to_owned(), time: 1.0, span }.into());
}

#[test]
fn bounds_of_the_world_hold() {
    let limits = |limits: WorldLimits| {
        let (mut world, cloth) = scene(WorldDef::new());
        world.set_limits(limits);
        (world, cloth)
    };
    let (mut world, cloth) = limits(WorldLimits { candidates: 1, ..WorldLimits::DEFAULT });
    let mut trial = world.trial(cloth, &at(-1.0), 0.125).unwrap();
    assert_eq!(trial.contacts().unwrap_err(), TrialError::Limit { what: "candidates", limit: 1 });
    trial.correct(cloth, &at(2.5)).unwrap();
    assert_eq!(trial.step_size().unwrap(), 1.0);
    let (mut world, cloth) = limits(WorldLimits { contacts: 1, ..WorldLimits::DEFAULT });
    let mut trial = world.trial(cloth, &at(-1.0), 1.0).unwrap();
    assert_eq!(trial.step_size().unwrap_err(), TrialError::Limit { what: "contacts", limit: 1 });
    let (mut world, cloth) = scene(WorldDef::new());
    let shaking = Flightplan::keyframes(vec![0.0, 0.001], [at(9.0), at(9.5)].concat()).outside(Outside::Loop);
    world.add_body(BodyDef::new(sheet(), shaking)).unwrap();
    world.set_limits(WorldLimits { events: 100, ..WorldLimits::DEFAULT });
    let mut trial = world.trial(cloth, &at(2.0), 1e9).unwrap();
    assert_eq!(trial.contacts().unwrap_err(), TrialError::Limit { what: "pieces of motion", limit: 100 });
    // Two pieces of each of four vertices are within the bound, one less is not.
    for (events, is_enough) in [(8, true), (7, false)] {
        let mut world = World::new(WorldDef::new()).unwrap();
        let cloth = world.add_body(BodyDef::new(sheet(), Flightplan::fixed(at(2.0)))).unwrap();
        let keys = [at(9.0), at(9.5), at(9.0)].concat();
        world.add_body(BodyDef::new(sheet(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))).unwrap();
        world.set_limits(WorldLimits { events, ..WorldLimits::DEFAULT });
        let mut trial = world.trial(cloth, &at(2.0), 1.5).unwrap();
        assert_eq!(trial.contacts().is_ok(), is_enough, "{events} pieces");
    }
}

/// Bodies of every kind around a trial: what it tells is what a continuous world finds once the
/// trial is committed.
#[test]
fn a_continuous_world_finds_what_the_trial_told() {
    let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
    let cloth = BodyDef::new(sheet(), Flightplan::fixed(at(1.5))).thickness(0.125).self_contact(true);
    let cloth = world.add_body(cloth).unwrap();
    let still = at(-1.0);
    let (up, down) = (vec![[0.0, 0.0, 1.0]; 4], vec![[0.0, 0.0, -1.0]; 4]);
    let cubic: Vec<[f64; 3]> = FLAT
        .iter()
        .flat_map(|&[x, y, _]| {
            [[f64::from(x), f64::from(y), -0.5], [0.0, 0.5, 1.0], [0.0, 0.0, 2.0], [0.0, 0.25, -1.0]]
        })
        .collect();
    let plans = [
        Flightplan::ballistic(0.0, still.clone(), vec![[0.0, 0.0, 6.0]; 4], [0.0, 0.0, -8.0]),
        Flightplan::hermite(
            vec![0.0, 0.4, 1.0],
            [at(-1.0), at(0.5), at(0.0)].concat(),
            [&up[..], &down, &up].concat(),
            [&up[..], &down, &up].concat(),
        ),
        Flightplan::polynomials(vec![0.0, 1.0], 3, cubic),
        Flightplan::keyframes(vec![0.0, 0.3], [at(-2.0), at(1.0)].concat()).outside(Outside::Loop),
        Flightplan::velocities(-0.25, still, vec![[0.25, 0.0, 1.5]; 4]),
    ];
    for plan in plans {
        world.add_body(BodyDef::new(sheet(), plan)).unwrap();
    }
    let keys = vec![Sphere { centre: [0.1, 0.2, -1.0], radius: 0.25 }, Sphere { centre: [0.1, 0.4, 1.0], radius: 0.5 }];
    world.add_body(BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0, 0.7], keys))).unwrap();
    let own = world.add_body(BodyDef::new(sheet(), Flightplan::fixed(at(-1.5)))).unwrap();
    let thrown = VertexFlightplan::Ballistic { from: None, velocity: [0.0, 0.0, 9.0], acceleration: [0.0, 0.0, -4.0] };
    world.set_vertex_flightplans(own, &[(1, thrown)]).unwrap();
    world.advance_to(0.125).unwrap();

    let mut fallen = at(-0.5);
    fallen[0][2] += 1.0;
    let mut trial = world.trial(cloth, &fallen, 1.0).unwrap();
    let told = trial.contacts().unwrap().to_vec();
    trial.commit().unwrap();
    world.advance_to(1.0).unwrap();
    let (mut begins, mut ends) = (0, 0);
    for change in world.contact_changes() {
        let contact = change.contact();
        if contact.a != cloth {
            continue;
        }
        let of_pair = || told.iter().filter(|told| told.contact == contact);
        // On curves both decide over windows of their own, within the same tolerance of motion.
        let is_near = |told: &TrialContact, x: f64, y: f64| (x - y).abs() < if told.undecided { 1e-3 } else { 1e-9 };
        match *change {
            ContactChange::Began { time, .. } => {
                let is_told = of_pair().any(|told| is_near(told, told.begin.lo, time.lo));
                assert!(is_told, "began at {time:?}: {contact:?}, {:?}", of_pair().collect::<Vec<_>>());
                begins += 1;
            }
            ContactChange::Ended { time, .. } => {
                let is_told = of_pair().any(|told| told.end.is_some_and(|end| is_near(told, end.hi, time.hi)));
                assert!(is_told, "ended at {time:?}: {contact:?}, {:?}", of_pair().collect::<Vec<_>>());
                ends += 1;
            }
            _ => {}
        }
    }
    assert!(begins > 8 && ends > 4, "{begins} {ends}");
    let told_begins = told.iter().filter(|told| !told.touches_at_start).count();
    assert_eq!(told_begins, begins, "{told:?}");
    let bodies: std::collections::BTreeSet<BodyId> = told.iter().map(|told| told.contact.b).collect();
    assert!(bodies.len() >= 6, "{bodies:?}");
}

#[test]
fn filters_ignored_pairs_and_removed_triangles_take_no_part() {
    let (mut world, cloth) = scene(WorldDef::new().engine(Engine::Kinetic));
    let floor = world.bodies().next().unwrap();
    let with_floor = |world: &mut World| {
        let mut trial = world.trial(cloth, &at(-3.0), 1.0).unwrap();
        let contacts = trial.contacts().unwrap();
        contacts.iter().filter(|told| told.contact.a == floor).count()
    };
    let all = with_floor(&mut world);
    assert!(all > 1);
    world.set_pair_watched(floor, cloth, false).unwrap();
    assert_eq!(with_floor(&mut world), 0);
    world.set_pair_watched(floor, cloth, true).unwrap();
    assert_eq!(with_floor(&mut world), all);
    let mut edit = world.begin_edit(floor).unwrap();
    edit.remove_triangle(1);
    world.apply_edit(edit).unwrap();
    let mut trial = world.trial(cloth, &at(-3.0), 1.0).unwrap();
    let left: Vec<u32> = trial
        .contacts()
        .unwrap()
        .iter()
        .filter(|told| told.contact.a == floor)
        .map(|told| told.contact.triangle_a)
        .collect();
    assert!(!left.is_empty() && left.iter().all(|&triangle| triangle == 0), "{left:?}");
    drop(trial);
    world.set_pair_thickness(floor, cloth, Some(10.0)).unwrap();
    let mut trial = world.trial(cloth, &at(3.0), 1.0).unwrap();
    assert!(trial.contacts().unwrap().iter().filter(|told| told.contact.a == floor).all(|told| told.touches_at_start));
}

/// A distance of its own: what touches from the world's thickness at the start would not stop a step, what passes through does.
#[test]
fn a_trial_may_have_a_distance_of_its_own() {
    let mut world = World::new(WorldDef::new()).unwrap();
    world.add_body(BodyDef::new(sheet(), Flightplan::fixed(FLAT.to_vec())).thickness(0.5)).unwrap();
    let flat = |height: f32| FLAT.map(|[x, y, _]| [0.5 * x, 0.5 * y, height]).to_vec();
    let cloth = BodyDef::new(sheet(), Flightplan::fixed(flat(0.25))).thickness(0.5);
    let cloth = world.add_body(cloth).unwrap();
    let mut trial = world.trial(cloth, &flat(-0.75), 1.0).unwrap();
    assert!(trial.contacts().unwrap().iter().all(|told| told.touches_at_start));
    assert_eq!(trial.step_size().unwrap(), 1.0);
    trial.set_distance(Some(0.0)).unwrap();
    assert!(trial.contacts().unwrap().iter().all(|told| !told.touches_at_start));
    assert_eq!(trial.step_size().unwrap(), 0.25);
    trial.set_distance(Some(0.125)).unwrap();
    assert_eq!(trial.step_size().unwrap(), 0.125);
    trial.set_distance(None).unwrap();
    assert_eq!(trial.step_size().unwrap(), 1.0);
    for value in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(trial.set_distance(Some(value)), Err(TrialError::BadDistance { .. })));
    }
    assert_eq!(trial.step_size().unwrap(), 1.0);
}

/// The slope z = x, and a level triangle above or below it whose height at each key is given; it touches the slope from height 1 down
/// to height 0.
fn slope_and_level(times: &[f64], heights: &[f32], outside: Outside, now: f64) -> (World, BodyId) {
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let mut world = World::new(WorldDef::new()).unwrap();
    let slope = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(SLOPE.to_vec()))).unwrap();
    let keys = heights.iter().flat_map(|&z| [[0.0, -5.0, z], [1.0, -5.0, z], [0.0, -4.0, z]]).collect();
    world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(times.to_vec(), keys).outside(outside))).unwrap();
    world.advance_to(now).unwrap();
    (world, slope)
}

const SLOPE: [[f32; 3]; 3] = [[-10.0, -10.0, -10.0], [10.0, -10.0, 10.0], [0.0, 10.0, 0.0]];

fn only(mut trial: kinetree::Trial<'_>) -> TrialContact {
    let contacts = trial.contacts().unwrap();
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    contacts[0]
}

/// A body between two keys while a trial lasts: what it touched between them before the trial is not of the trial.
#[test]
fn a_trial_within_a_stretch_tells_what_is_in_it() {
    // Touching from 0.25 s to 0.5 s.
    let scene = |now: f64| slope_and_level(&[0.0, 1.0], &[2.0, -2.0], Outside::Hold, now);
    let (mut world, slope) = scene(0.625);
    let mut trial = world.trial(slope, &SLOPE, 0.875).unwrap();
    assert!(trial.contacts().unwrap().is_empty());
    assert_eq!((trial.step_size().unwrap(), trial.candidates()), (1.0, 1));
    drop(trial);
    let (mut world, slope) = scene(0.125);
    let mut trial = world.trial(slope, &SLOPE, 0.375).unwrap();
    let size = trial.step_size().unwrap();
    assert!(size <= 0.5 && size > 0.499, "{size}");
    let told = only(trial);
    assert!(told.begin.lo <= 0.25 && 0.25 <= told.begin.hi && told.begin.hi - told.begin.lo < 1e-9, "{told:?}");
    assert!(told.end.is_none() && !told.touches_at_start && !told.undecided, "{told:?}");
}

/// The wrap of a loop takes a body away from what it touches, or puts it there.
#[test]
fn jumps_end_and_begin_contacts_of_a_trial() {
    // Touching from 0.5 s, or from a third of a second over a key at half a second, until the jump at 1 s.
    for (times, heights) in [(vec![0.0, 1.0], vec![1.5, 0.5]), (vec![0.0, 0.5, 1.0], vec![2.0, 0.5, 0.25])] {
        let (mut world, slope) = slope_and_level(&times, &heights, Outside::Loop, 0.25);
        let told = only(world.trial(slope, &SLOPE, 1.125).unwrap());
        let end = told.end.expect("the jump ends it");
        assert_eq!((end.lo, end.hi, told.undecided), (1.0, 1.0, false), "{told:?}");
    }
    // Where both move, and the slope has no key at the jump, places there are rounded.
    let beside = SLOPE.map(|[x, y, z]| [x, y + 0.25, z]);
    let (mut world, slope) = slope_and_level(&[0.0, 1.0], &[1.5, 0.5], Outside::Loop, 0.25);
    let told = only(world.trial(slope, &beside, 1.125).unwrap());
    assert!(told.undecided && told.end.is_some_and(|end| end.lo < 1.0 && end.hi == 1.0), "{told:?}");
    // Upward from within, away from a quarter of a second on; there again after the jump.
    let (mut world, slope) = slope_and_level(&[0.0, 1.0], &[0.5, 2.5], Outside::Loop, 0.5);
    let told = only(world.trial(slope, &SLOPE, 1.5).unwrap());
    assert_eq!((told.begin.lo, told.begin.hi, told.begin.is_open), (1.0, 1.0, true), "{told:?}");
    let end = told.end.expect("it goes up again");
    assert!(end.lo <= 1.25 && 1.25 <= end.hi, "{told:?}");
    // Downward from above; after a jump where the trial begins it begins to touch a quarter of a
    // second later, not just after the jump.
    let (mut world, slope) = slope_and_level(&[0.0, 1.0], &[2.0, -2.0], Outside::Loop, 1.0);
    let told = only(world.trial(slope, &SLOPE, 1.375).unwrap());
    assert!(told.begin.lo <= 1.25 && 1.25 <= told.begin.hi && !told.begin.is_open, "{told:?}");
    assert!(told.end.is_none() && !told.touches_at_start && !told.undecided, "{told:?}");
    // It touches before and after the jump where the trial begins, and ends a little later.
    let (mut world, slope) = slope_and_level(&[0.0, 1.0], &[0.5, -0.5], Outside::Loop, 1.0);
    assert!(world.contacts().is_empty());
    let told = only(world.trial(slope, &SLOPE, 1.75).unwrap());
    assert_eq!((told.begin.lo, told.begin.hi, told.begin.is_open), (1.0, 1.0, true), "{told:?}");
    let (mut world, slope) = slope_and_level(&[0.0, 0.5, 1.0], &[0.5, -0.5, 0.5], Outside::Loop, 1.0);
    assert_eq!(world.contacts().len(), 1);
    let told = only(world.trial(slope, &SLOPE, 1.375).unwrap());
    assert_eq!((told.begin.lo, told.begin.is_open, told.touches_at_start), (1.0, false, true), "{told:?}");
    // Where it would touch at the jump's own time alone, the old positions count.
    let (mut world, slope) = slope_and_level(&[0.0, 1.0], &[1.0, 3.0], Outside::Loop, 0.5);
    let mut trial = world.trial(slope, &SLOPE, 1.5).unwrap();
    assert!(trial.contacts().unwrap().is_empty());
    assert_eq!(trial.step_size().unwrap(), 1.0);
}

/// Triangles of one leaf are compared where their own boxes meet.
#[test]
fn candidates_of_a_trial_are_triangles_whose_boxes_meet() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let mesh = |triangles: Vec<[u32; 3]>| Mesh::new(3 * triangles.len(), triangles).unwrap();
    let slope = world.add_body(BodyDef::new(mesh(vec![[0, 1, 2]]), Flightplan::fixed(SLOPE.to_vec()))).unwrap();
    let at = |x: f32| [[x, 0.0, 4.0], [x + 1.0, 0.0, 4.0], [x, 1.0, 4.0]];
    let places = [at(0.0), at(90.0)].concat();
    world.add_body(BodyDef::new(mesh(vec![[0, 1, 2], [3, 4, 5]]), Flightplan::fixed(places))).unwrap();
    let higher = SLOPE.map(|[x, y, z]| [x, y, z + 1.0]);
    let mut trial = world.trial(slope, &higher, 1.0).unwrap();
    assert!(trial.contacts().unwrap().is_empty());
    assert_eq!(trial.candidates(), 1);
}

/// A bound that is met at one pair of bodies is told, whatever is found for the next.
#[test]
fn a_bound_met_at_one_of_many_pairs_is_told() {
    let mut world = World::new(WorldDef::new()).unwrap();
    world.add_body(BodyDef::new(sheet(), Flightplan::fixed(FLAT.to_vec()))).unwrap();
    let cloth = world.add_body(BodyDef::new(sheet(), Flightplan::fixed(at(2.0)))).unwrap();
    world.add_body(BodyDef::new(sheet(), Flightplan::fixed(at(40.0)))).unwrap();
    world.set_limits(WorldLimits { candidates: 1, ..WorldLimits::DEFAULT });
    let mut trial = world.trial(cloth, &at(-1.0), 1.0).unwrap();
    assert_eq!(trial.contacts().unwrap_err(), TrialError::Limit { what: "candidates", limit: 1 });
}

#[test]
fn a_trial_of_as_many_tests_as_the_bound_is_answered() {
    let (mut world, cloth) = scene(WorldDef::new());
    let mut trial = world.trial(cloth, &at(-1.0), 0.125).unwrap();
    assert_eq!(trial.end(), 0.125);
    assert!(!trial.contacts().unwrap().is_empty());
    let candidates = trial.candidates() as usize;
    drop(trial);
    for (bound, is_enough) in [(candidates, true), (candidates - 1, false)] {
        world.set_limits(WorldLimits { candidates: bound, ..WorldLimits::DEFAULT });
        let mut trial = world.trial(cloth, &at(-1.0), 0.125).unwrap();
        assert_eq!(trial.contacts().is_ok(), is_enough, "{bound}");
    }
}

/// Of a body that a trial moves, the plan it has does not count, however many pieces it has.
#[test]
fn bodies_of_a_trial_are_not_followed_along_their_plans() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let keys = [at(9.0), at(9.5), at(9.0)].concat();
    let plans = [Flightplan::fixed(at(2.0)), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys)];
    let [still, shaking] = plans.map(|plan| world.add_body(BodyDef::new(sheet(), plan)).unwrap());
    world.set_limits(WorldLimits { events: 1, ..WorldLimits::DEFAULT });
    let (low, high) = (at(2.0), at(9.0));
    let mut trial = world.trial_of(&[(still, &low[..]), (shaking, &high[..])], 1.5).unwrap();
    assert_eq!(trial.contacts().map(<[TrialContact]>::len), Ok(0));
}
