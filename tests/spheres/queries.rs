//! Bodies of spheres: self contact, boxes and rays, first contacts, contacts that are left out.

use kinetree::narrow::spheres::ray_hits_sphere;

use super::*;
use crate::resting;

#[test]
fn spheres_of_one_body_are_tested_on_request() {
    let at = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 1.0 };
    let keys = [[at(0.0), at(1.0), at(5.0)], [at(0.0), at(2.0), at(3.5)], [at(0.0), at(3.0), at(3.0)]].concat();
    let def = || BodyDef::new(Spheres::new(3).unwrap(), Flightplan::spheres(vec![0.0, 1.0, 2.0], keys.clone()));
    let mut alone = Lockstep::new(0.0);
    alone.add(&def());
    assert_eq!([alone.at(0.0), alone.at(2.0)], [0, 0]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&def().self_contact(true));
    let mut continuous = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    continuous.add_body(def().self_contact(true)).unwrap();
    let pairs =
        |contacts: &[Contact]| -> Vec<(u32, u32)> { contacts.iter().map(|c| (c.triangle_a, c.triangle_b)).collect() };
    for (time, expected) in [(0.0, vec![(0, 1)]), (1.0, vec![(0, 1), (1, 2)]), (1.5, vec![(1, 2)]), (2.0, vec![(1, 2)])]
    {
        worlds.at(time);
        continuous.advance_to(time).unwrap();
        assert_eq!((pairs(worlds.contacts()), pairs(continuous.contacts())), (expected.clone(), expected), "{time}");
    }
    assert!(continuous.audit().is_clean());
}

#[test]
fn boxes_and_rays_see_spheres() {
    let ball = |z: f64, radius: f64| Sphere { centre: [0.0, 0.0, z], radius };
    let keys = vec![ball(5.0, 1.0), ball(20.0, 2.0), ball(9.0, 3.0), ball(20.0, 2.0)];
    for engine in [Engine::Kinetic, Engine::Refit, Engine::BruteForce] {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let floor = vec![[-4.0f32, -4.0, 10.0], [4.0, -4.0, 10.0], [0.0, 4.0, 10.0]];
        let id = world
            .add_body(BodyDef::new(Spheres::new(2).unwrap(), Flightplan::spheres(vec![0.0, 1.0], keys.clone())))
            .unwrap();
        let roof = world.add_body(BodyDef::new(mesh, Flightplan::fixed(floor))).unwrap();
        let up = |world: &World, x: f64| {
            world.cast_ray([x, 0.0, 0.0], [0.0, 0.0, 1.0], 100.0).0.map(|hit| (hit.body, hit.triangle, hit.distance))
        };
        assert_eq!(up(&world, 0.0), Some((id, 0, 4.0)));
        // Exactly along the ball's side, and beside it.
        assert_eq!(up(&world, 1.0), Some((id, 0, 5.0)));
        assert_eq!(up(&world, 1.0_f64.next_up()), Some((roof, 0, 10.0)));
        let around = |x: f64| Aabb { min: [x, -0.5, 4.5], max: [x + 1.0, 0.5, 5.5] };
        assert_eq!(world.query_box(&around(1.0)).0, [(id, 0)]);
        assert_eq!(world.query_box(&around(1.0 + 1e-9)).0, []);
        world.advance_to(0.5).unwrap();
        // Centre at 7, radius 2; it holds the origin of a ray within.
        assert_eq!((up(&world, 0.0), up(&world, 2.0)), (Some((id, 0, 5.0)), Some((id, 0, 7.0))));
        assert_eq!(world.cast_ray([0.0, 0.0, 8.0], [1.0, 0.0, 0.0], 9.0).0.map(|hit| hit.distance), Some(0.0));
        world.advance_to(1.0).unwrap();
        assert_eq!((up(&world, 0.0), world.contacts().len()), (Some((id, 0, 6.0)), 1));
        let middle = world.spheres(id).unwrap().unwrap();
        assert_eq!(middle, [ball(9.0, 3.0), ball(20.0, 2.0)]);
    }
}

#[test]
fn a_point_is_near_a_ball_as_far_as_both_radii_reach() {
    let ball = |z: f64, radius: f64| Sphere { centre: [0.0, 0.0, z], radius };
    for engine in [Engine::Kinetic, Engine::Refit, Engine::BruteForce] {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        let keys = vec![ball(5.0, 1.0), ball(9.0, 3.0)];
        let id =
            world.add_body(BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0, 1.0], keys))).unwrap();
        let near = |world: &World, radius: f64| world.query().overlap_sphere([0.0; 3], radius);
        assert_eq!((near(&world, 4.0), near(&world, 3.99)), (vec![(id, 0)], vec![]));
        world.advance_to(1.0).unwrap();
        assert_eq!((near(&world, 6.0), near(&world, 5.99)), (vec![(id, 0)], vec![]));
        // Inside of the ball.
        assert_eq!(world.query().overlap_sphere([0.0, 0.0, 8.0], 0.0), [(id, 0)]);
    }
}

#[test]
fn a_ray_reaches_a_ball_at_the_end_of_its_way() {
    let ball = Sphere { centre: [0.0, 0.0, 7.0], radius: 2.0 };
    let meets = |most: f64| ray_hits_sphere([0.0; 3], [0.0, 0.0, 2.0], most, &resting(&ball), 0.0);
    assert_eq!((meets(2.5), meets(2.5_f64.next_down()), meets(f64::INFINITY)), (Some(2.5), None, Some(2.5)));
    // On its surface, and no way at all.
    let on = |most: f64| ray_hits_sphere([0.0, 0.0, 5.0], [1.0, 0.0, 0.0], most, &resting(&ball), 0.0);
    assert_eq!((on(0.0), on(f64::INFINITY)), (Some(0.0), Some(0.0)));
}

/// A first contact is foretold, and told when it comes, at its time.
#[test]
fn first_contacts_of_balls() {
    let ball = |x: f64, radius: f64| Sphere { centre: [x, 0.0, 0.0], radius };
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    let moving = Flightplan::spheres(vec![0.0, 4.0], vec![ball(-8.0, 1.0), ball(0.0, 2.0)]);
    let a = world.add_body(BodyDef::new(Spheres::new(1).unwrap(), moving)).unwrap();
    let b = world
        .add_body(BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0], vec![ball(0.0, 1.0)])))
        .unwrap();
    // 8 − 2 t = 2 + t / 4 at t = 8 / 3.
    let Some(ContactChange::Began { time, touch: Some(touch), .. }) = world.first_contact(a, b, 4.0).unwrap() else {
        panic!("they meet")
    };
    assert!(3.0 * time.lo <= 8.0 && 3.0 * time.hi >= 8.0 && time.hi - time.lo < 1e-13, "{time:?}");
    assert!((touch.point[0] + 1.0).abs() < 1e-12 && touch.normal == [1.0, 0.0, 0.0], "{touch:?}");
    world.advance_to(4.0).unwrap();
    assert_eq!(world.contact_changes().len(), 1);
    assert_eq!(
        (world.contacts_at(time.hi).unwrap().len(), world.contacts_at(time.lo.next_down()).unwrap().len()),
        (1, 0)
    );
}

/// Against triangles that fly without end or fall: engines agree, and a continuous world misses nothing; what it shows besides is in
/// doubt, or within an end.
#[test]
fn triangles_that_fly_and_fall() {
    let (mut compared, mut undecided) = (0, 0);
    for seed in 0..4 {
        let mut dice = Dice::new(seed, &[9]);
        let times = key_times(&mut dice, Grain::Real, 4);
        let pack = pack(&mut dice, Grain::Real, 12, times).def();
        let vectors = |dice: &mut Dice, range: f64| -> Vec<[f32; 3]> {
            (0..12).map(|_| std::array::from_fn(|_| dice.real(-range, range) as f32)).collect()
        };
        let (places, speeds) = (vectors(&mut dice, 5.0), vectors(&mut dice, 2.0));
        let plan = if seed.is_multiple_of(2) {
            Flightplan::velocities(0.0, places, speeds)
        } else {
            Flightplan::ballistic(0.0, places, speeds, [0.0, 0.0, -2.0])
        };
        let mesh = Mesh::new(12, (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
        let soup = BodyDef::new(mesh, plan);
        let mut worlds = Lockstep::new(0.0);
        let mut continuous = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        for def in [pack, soup] {
            worlds.add(&def);
            continuous.add_body(def).unwrap();
        }
        for time in looks(&mut dice, Grain::Real, 3.0, 30) {
            worlds.at(time);
            continuous.advance_to(time).unwrap();
            assert!(continuous.audit().is_clean(), "{}", continuous.audit());
            let missed = worlds.contacts().iter().find(|contact| !continuous.contacts().contains(contact));
            assert!(missed.is_none(), "seed {seed} at {time} s misses {missed:?}");
            let surplus = continuous.contacts().iter().filter(|contact| !worlds.contacts().contains(contact));
            for contact in surplus {
                let known = continuous.ongoing_contacts();
                let is_in_doubt = known.iter().any(|on| on.contact == *contact && on.undecided);
                assert!(is_in_doubt, "seed {seed} at {time} s shows {contact:?}");
                undecided += 1;
            }
            compared += worlds.contacts().len();
        }
    }
    assert!(compared > 100 && undecided * 20 < compared, "{compared} {undecided}");
}

/// Contacts at rest, or at the start, are left out on request; after another plan, at rest means its first key.
#[test]
fn contacts_that_exist_already_can_be_left_out() {
    let ball = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 1.0 };
    let spheres = |first: f64, then: f64| {
        let plan = Flightplan::spheres(vec![0.0, 1.0], vec![ball(first), ball(then)]);
        BodyDef::new(Spheres::new(1).unwrap(), plan)
    };
    let mut worlds = Lockstep::new(0.5);
    let still = worlds.add(&spheres(0.0, 0.0));
    // At rest it touches at x = 2, at the start it is at 2.5: both ways.
    worlds.add(&spheres(2.0, 3.0).ignoring_contacts(IgnoredContacts::AtRest));
    worlds.add(&spheres(3.0, 2.0).ignoring_contacts(IgnoredContacts::AtRest));
    worlds.add(&spheres(-2.0, -1.0).ignoring_contacts(IgnoredContacts::AtStart));
    let with_still = |worlds: &Lockstep| worlds.contacts().iter().filter(|contact| contact.a == still).count();
    assert_eq!(with_still(&worlds), 0);
    worlds.at(1.0);
    // The third came only now; the second is gone, the fourth was there when it was added.
    assert_eq!(with_still(&worlds), 1);
    worlds.change(|world| world.set_flightplan(still, Flightplan::spheres(vec![0.0], vec![ball(5.0)])));
    worlds.add(&spheres(7.0, 6.0).ignoring_contacts(IgnoredContacts::AtRest));
    assert!(worlds.contacts().iter().all(|contact| contact.b.index() != 4 || contact.a != still));
}

/// Two balls of one body meet: told of the body with itself, and not of it and another one.
#[test]
fn the_first_contact_of_a_body_with_itself() {
    let at = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 1.0 };
    let plan = Flightplan::spheres(vec![0.0, 2.0], vec![at(0.0), at(5.0), at(0.0), at(1.0)]);
    let mut world = World::new(WorldDef::default()).unwrap();
    let two = world.add_body(BodyDef::new(Spheres::new(2).unwrap(), plan).self_contact(true)).unwrap();
    let far = BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0], vec![at(50.0)]));
    let far = world.add_body(far).unwrap();
    // 5 - 2 t = 2 at t = 1.5.
    let first = world.first_contact(two, two, 2.0).unwrap().expect("they meet").time();
    assert!(first.lo <= 1.5 && 1.5 <= first.hi && first.hi - first.lo < 1e-9, "{first:?}");
    assert!(world.first_contact(two, far, 2.0).unwrap().is_none());
}

/// A moving sphere meets a ball where both radii are between the centres.
#[test]
fn a_moving_sphere_meets_a_ball() {
    let plan = Flightplan::spheres(vec![0.0], vec![Sphere { centre: [0.0; 3], radius: 1.0 }]);
    for engine in [Engine::Kinetic, Engine::Refit, Engine::BruteForce] {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        let ball = world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan.clone())).unwrap();
        let cast = |reach: f64| world.query().cast_sphere([0.0, 0.0, 5.0], 0.5, [0.0, 0.0, -1.0], reach);
        let hit = cast(10.0).expect("it is on the way");
        assert_eq!((hit.body, hit.triangle), (ball, 0));
        assert!((hit.distance - 3.5).abs() < 1e-12 && (hit.point[2] - 1.0).abs() < 1e-12, "{hit:?}");
        assert!(cast(3.25).is_none());
        assert_eq!(cast(3.5).map(|hit| hit.distance), Some(3.5), "the end of a reach is within it");
    }
}

/// Inside of a ball, the nearest point is the queried one.
#[test]
fn the_nearest_point_inside_of_a_ball() {
    let plan = Flightplan::spheres(vec![0.0], vec![Sphere { centre: [1.1, 0.0, 0.0], radius: 2.0 }]);
    let mut world = World::new(WorldDef::default()).unwrap();
    world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan)).unwrap();
    for step in 0..100 {
        let point = [f64::from(step) * 0.03, 0.1, f64::from(step) * 0.007];
        let near = world.query().nearest_point(point, f64::INFINITY).unwrap();
        let is_inside = (point[0] - 1.1).hypot(point[1]).hypot(point[2]) <= 2.0;
        assert_eq!(
            (near.distance == 0.0, near.point == point, near.normal.is_none()),
            (is_inside, is_inside, is_inside)
        );
    }
}

/// The boxes of a tiny ball hold it, and no audit says otherwise.
#[test]
fn tiny_balls_are_audited() {
    let plan = Flightplan::spheres(vec![0.0], vec![Sphere { centre: [0.0; 3], radius: 0.5f64.powi(20) }]);
    for engine in [Engine::Kinetic, Engine::Refit, Engine::BruteForce] {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan.clone())).unwrap();
        assert!(world.audit().is_clean(), "{}", world.audit());
    }
}
