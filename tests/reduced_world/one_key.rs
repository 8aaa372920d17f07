//! Bodies with bounds whose motion has one key only: a first pose, a pose for good.

use std::sync::Arc;

use kinetree::BoundedSampler;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{
    Binding, Blend, Influences, JointTracks, Mix, Node, Pose, PoseKeys, PoseStream, ReducedBody, ReducedDef,
    ReducedMesh, Rig, WeightPolicy,
};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

/// A triangle that one joint moves: an upright wall.
fn wall() -> Arc<ReducedMesh> {
    let rest = vec![[0.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.5, 0.0, 1.0]];
    let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default()).unwrap();
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: vec![], blend: Blend::Linear }).unwrap())
}

/// A world with a triangle that passes through the wall at about 0.5 s, and a second one that keeps the boxes of both bodies together.
fn world(engine: Engine, mode: ContactMode) -> World {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
    let at = |y: f32| {
        [[0.4, y, 0.0], [0.6, y, 0.0], [0.5, y + 0.1, 0.0], [5.0, -3.0, 0.0], [5.1, -3.0, 0.0], [5.0, 3.0, 0.0]]
    };
    let keys = Flightplan::keyframes(vec![-1.0, 2.0], [at(-1.0), at(1.0)].concat());
    world.add_body(BodyDef::new(Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap(), keys)).unwrap();
    world
}

fn with(engine: Engine, mode: ContactMode, sampler: &Arc<dyn BoundedSampler>) -> World {
    let mut world = world(engine, mode);
    world.add_body(BodyDef::bounded(wall().mesh().clone(), Arc::clone(sampler))).unwrap();
    world
}

/// Contacts at twenty times, and how many changes were told.
fn run(mut world: World) -> (Vec<usize>, usize) {
    let mut told = 0;
    let count = |step: i32| {
        world.advance_to(0.1 * f64::from(step)).unwrap();
        assert!(world.audit().is_clean());
        told += world.contact_changes().len();
        world.contacts().len()
    };
    ((1..=20).map(count).collect(), told)
}

#[test]
fn contacts_of_a_first_pose_and_of_a_pose_for_good_are_found() {
    let rig = Arc::new(Rig::new(vec![Node::default()], &[]).unwrap());
    let tracks = JointTracks::new(rig, &Mix::rest(), Binding::skin(&[0], None).unwrap(), None).unwrap();
    let rests = ReducedBody::new(wall(), Arc::new(tracks)).unwrap();
    let rests = Arc::new(rests);
    let samplers: [Arc<dyn BoundedSampler>; 2] = [
        PoseStream::new(wall(), 0.0, Pose::rest(1, 0)).unwrap().sampler(),
        rests.sampler(rests.pieces(1e-3).unwrap()).unwrap(),
    ];
    for sampler in &samplers {
        let (truth, _) = run(with(Engine::BruteForce, ContactMode::AtTimes, sampler));
        assert!(truth.contains(&1), "{truth:?}");
        for engine in [Engine::Auto, Engine::Kinetic] {
            let found = run(with(engine, ContactMode::Continuous, sampler));
            assert_eq!(found, (truth.clone(), 2), "{engine:?}");
        }
    }
}

#[test]
fn contacts_of_a_body_that_freezes_are_found() {
    let driver = PoseKeys::new(&[0.0, 5.0], vec![Pose::rest(1, 0); 2], vec![[0.0; 3]], Outside::Hold).unwrap();
    let body = Arc::new(ReducedBody::new(wall(), Arc::new(driver)).unwrap());
    let mut world = world(Engine::Auto, ContactMode::Continuous);
    let sampler = body.sampler(body.pieces(1e-3).unwrap()).unwrap();
    let id = world.add_body(BodyDef::bounded(wall().mesh().clone(), sampler)).unwrap();
    world.advance_to(0.2).unwrap();
    world.set_flightplan(id, PoseStream::of_body(&body, world.time()).unwrap().flightplan()).unwrap();
    world.advance_to(0.45).unwrap();
    assert_eq!(world.contacts().len(), 1);
}

/// Until its next key a plan is the one before: windows of contacts stay as they are.
#[test]
fn a_plan_with_the_same_motion_until_its_next_key_decides_nothing_again() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let driver = PoseKeys::new(&[0.0, 5.0], vec![Pose::rest(1, 0); 2], vec![[0.0; 3]], Outside::Hold).unwrap();
        let body = Arc::new(ReducedBody::new(wall(), Arc::new(driver)).unwrap());
        let mut world = world(engine, ContactMode::Continuous);
        let sampler = body.sampler(body.pieces(1e-3).unwrap()).unwrap();
        let id = world.add_body(BodyDef::bounded(wall().mesh().clone(), sampler.clone())).unwrap();
        world.advance_to(0.45).unwrap();
        let decided = world.interval_stats();
        world.set_bounded_flightplan(id, sampler).unwrap();
        assert_eq!((world.interval_stats(), world.contacts().len()), (decided, 1), "{engine:?}");
        assert!(decided.pairs > 0, "{engine:?}");
    }
}
