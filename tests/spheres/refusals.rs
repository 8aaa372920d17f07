//! What is refused, and that the world stays as it was.

use kinetree::mesh::{Mesh, MeshError, Spheres};
use kinetree::motion::{Flightplan, MotionError, Outside, Sphere, VertexFlightplan};
use kinetree::world::{BodyDef, World, WorldDef, WorldError};

fn plan(spheres: Vec<Sphere>) -> Flightplan {
    Flightplan::spheres(vec![0.0, 1.0], spheres)
}

fn good() -> Vec<Sphere> {
    vec![Sphere { centre: [1.0, 2.0, 3.0], radius: 0.5 }; 4]
}

fn pack() -> Spheres {
    Spheres::new(2).unwrap()
}

#[test]
fn bad_numbers_name_body_key_and_sphere() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let kept = world.add_body(BodyDef::new(pack(), plan(good())).named("kept")).unwrap();
    let before = world.spheres(kept).unwrap();
    type Spoil = fn(&mut Vec<Sphere>);
    let cases: [(Spoil, &str); 5] = [
        (
            |all| all[3].radius = -0.25,
            "body 'car': key 1, sphere 1: the radius is -0.25 m; it must be a number from 0 to 1.2676506002282294e30",
        ),
        (
            |all| all[0].radius = f64::NAN,
            "body 'car': key 0, sphere 0: the radius is NaN m; it must be a number from 0 to 1.2676506002282294e30",
        ),
        (
            |all| all[2].centre[1] = f64::INFINITY,
            "body 'car': key 1, sphere 0: the centre's y is inf, which is not usable (with the radius at most 1.2676506002282294e30)",
        ),
        (
            |all| all[1].centre[2] = -2e30,
            "body 'car': key 0, sphere 1: the centre's z is -2000000000000000000000000000000, which is not usable (with the radius at most 1.2676506002282294e30)",
        ),
        (|all| all.truncate(3), "body 'car': 3 spheres were given where keys × spheres is 4"),
    ];
    for (spoil, message) in cases {
        let mut spheres = good();
        spoil(&mut spheres);
        let error = world.add_body(BodyDef::new(pack(), plan(spheres.clone())).named("car")).unwrap_err();
        assert_eq!(error.to_string(), message);
        let error = world.set_flightplan(kept, plan(spheres.clone())).unwrap_err();
        assert_eq!(error.to_string(), message.replace("car", "kept"));
        let error = world.schedule_flightplan(kept, 0.5, plan(spheres)).unwrap_err();
        assert_eq!(error.to_string(), message.replace("car", "kept"));
    }
    assert_eq!(world.bodies().count(), 1);
    world.advance_to(2.0).unwrap();
    assert_eq!(world.spheres(kept).unwrap(), before);
    assert!(world.audit().is_clean());
}

#[test]
fn bad_times_and_counts() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let mut refused = |times: Vec<f64>, outside| {
        let spheres = good()[..2].repeat(times.len());
        let plan = Flightplan::spheres(times, spheres).outside(outside);
        world.add_body(BodyDef::new(pack(), plan)).unwrap_err()
    };
    let motion = |error: MotionError| WorldError::Motion { body: String::new(), error };
    assert_eq!(refused(vec![], Outside::Hold), motion(MotionError::NoKeys));
    let error = MotionError::KeysOutOfOrder { key: 1, time: 1.0, previous: 1.0 };
    assert_eq!(refused(vec![1.0, 1.0], Outside::Hold), motion(error));
    let error = MotionError::PeriodTooShort { period: 1e-9 };
    assert_eq!(refused(vec![0.0, 1e-9], Outside::Loop), motion(error));
    assert!(matches!(refused(vec![1.0, 2.0], Outside::Error), WorldError::OutsideSpan { .. }));
    assert_eq!(Spheres::new(0).unwrap_err(), MeshError::NoSpheres);
    assert_eq!(Spheres::new(0).unwrap_err().to_string(), "there are no spheres");
}

#[test]
fn spheres_and_other_bodies_are_not_confused() {
    let mut world = World::new(WorldDef::default()).unwrap();
    let mesh = || Mesh::new(4, vec![[0, 1, 2], [1, 2, 3]]).unwrap();
    let fixed = || Flightplan::fixed(vec![[0.0; 3]; 4]);
    let wrong = |body_of_spheres| MotionError::WrongKind { body_of_spheres };
    let is = |error: WorldError, expected: MotionError| matches!(error, WorldError::Motion { error, .. } if error == expected);
    assert!(is(world.add_body(BodyDef::new(pack(), fixed())).unwrap_err(), wrong(true)));
    assert!(is(world.add_body(BodyDef::new(mesh(), plan(good()))).unwrap_err(), wrong(false)));
    let spheres = world.add_body(BodyDef::new(pack(), plan(good()))).unwrap();
    let flag = world.add_body(BodyDef::new(mesh(), fixed())).unwrap();
    assert!(is(world.set_flightplan(spheres, fixed()).unwrap_err(), wrong(true)));
    assert!(is(world.set_flightplan(flag, plan(good())).unwrap_err(), wrong(false)));
    assert!(is(world.schedule_flightplan(spheres, 1.0, fixed()).unwrap_err(), wrong(true)));
    assert!(is(world.schedule_flightplan(flag, 1.0, plan(good())).unwrap_err(), wrong(false)));
    let plans = [(3, VertexFlightplan::Fixed { position: [0.0; 3] })];
    let corner = || MotionError::CornerOfSphere { vertex: 3 };
    assert!(is(world.set_vertex_flightplans(spheres, &plans).unwrap_err(), corner()));
    assert!(is(world.schedule_vertex_flightplans(spheres, 1.0, &plans).unwrap_err(), corner()));
    let error = world.begin_edit(spheres).unwrap_err();
    assert_eq!(error, WorldError::MadeOfSpheres { body: String::new() });
    assert_eq!((world.spheres(flag).unwrap(), world.spheres(spheres).unwrap().unwrap().len()), (None, 2));
    world.advance_to(3.0).unwrap();
    assert!(world.audit().is_clean());
}
