//! Clips are exchanged and blended while a world runs: another driver of the same mesh keeps the bounds.

use std::sync::Arc;

use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{Driver, JointTracks, Layer, Mix, Pose, ReducedBody, ReducedError, Rig};
use kinetree::time::{Moment, Span};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use crate::reduced_skins::{Flavour, Scene, scene};

/// A scene with two clips at least, which may be blended: no rotation passes through zero.
fn two_clips(seed: u64) -> (Scene, Arc<Rig>) {
    let rig_of = |scene: &Scene| Arc::new(Rig::new(scene.nodes.clone(), &scene.clips).unwrap());
    let is_blended = |scene: &Scene| {
        let rig = rig_of(scene);
        let body = driven(scene, &rig, &Mix { span: Span { begin: 0.0, end: 5.0 }, ..blend(&rig) });
        body.flightplan(body.pieces_at_rate(20.0).unwrap()).is_ok()
    };
    let mut scenes = (0..).map(|add| scene(100 * seed + add, Flavour::Turns));
    let scene = scenes.find(|scene| scene.clips.len() > 1 && is_blended(scene)).unwrap();
    let rig = rig_of(&scene);
    (scene, rig)
}

/// A blend of the first two clips.
fn blend(rig: &Rig) -> Mix {
    let first = Layer { outside: Outside::Loop, ..Layer::new(0, 0.0) };
    let second = Layer { outside: Outside::Loop, ..Layer::new(1, 0.1) };
    Mix::crossfade(rig, first, second, Span { begin: 1.2, end: 1.9 }).unwrap()
}

fn driven(scene: &Scene, rig: &Arc<Rig>, mix: &Mix) -> ReducedBody {
    let tracks = JointTracks::new(Arc::clone(rig), mix, scene.bindings.clone(), Some(0)).unwrap();
    scene.body.with_driver(Arc::new(tracks)).unwrap()
}

fn pose(driver: &dyn Driver, at: Moment) -> Pose {
    let mut pose = Pose::default();
    driver.pose(at, &mut pose);
    pose
}

#[test]
fn bounds_stay_through_switches_and_blends_of_clips() {
    let mut seen = 0;
    for seed in 0..4 {
        for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
            let (scene, rig) = two_clips(seed);
            let mixes = [
                Mix::clip(&rig, 0, Outside::Loop).unwrap(),
                Mix { span: Span { begin: 0.0, end: 5.0 }, ..blend(&rig) },
                Mix::clip(&rig, 1, Outside::Loop).unwrap(),
            ];
            let plans: Vec<ReducedBody> = mixes.iter().map(|mix| driven(&scene, &rig, mix)).collect();
            let mut world = World::new(WorldDef::default().contacts(mode)).unwrap();
            let mut brute = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
            let sampler = |body: &ReducedBody| body.sampler(body.pieces_at_rate(20.0).unwrap()).unwrap();
            let def = BodyDef::bounded(scene.body.mesh().mesh().clone(), sampler(&plans[0]));
            let ids = [world.add_body(def.clone()).unwrap(), brute.add_body(def.clone()).unwrap()];
            let still = Flightplan::fixed(scene.body.mesh().rest_positions().to_vec());
            let still = BodyDef::new(scene.body.mesh().mesh().clone(), still);
            for world in [&mut world, &mut brute] {
                world.add_body(still.clone()).unwrap();
            }
            for step in 0..60 {
                if step % 20 == 10 {
                    let next = &plans[step / 20];
                    let plan = next.flightplan(next.pieces_at_rate(20.0).unwrap()).unwrap();
                    world.set_flightplan(ids[0], plan.clone()).unwrap();
                    brute.set_flightplan(ids[1], plan).unwrap();
                }
                let time = 0.05 * step as f64;
                for world in [&mut world, &mut brute] {
                    world.advance_to(time).unwrap();
                }
                for contact in brute.contacts() {
                    assert!(world.contacts().contains(contact), "seed {seed}, {time} s: {contact:?} is missing");
                }
                if mode == ContactMode::AtTimes {
                    assert_eq!(world.contacts(), brute.contacts(), "seed {seed}, {time} s");
                }
                let engines = world.stats().engines;
                assert_eq!(engines.on_demand + engines.kinetic_bounded, 1, "seed {seed}, {time} s");
                assert!(world.audit().is_clean(), "seed {seed}, {time} s: {}", world.audit());
                seen += brute.contacts().len();
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// A plan of another mesh is not one of the body's bounds, even if all counts agree.
#[test]
fn bounds_of_another_mesh_are_not_taken() {
    let (scene_a, _) = two_clips(1);
    let (scene_b, _) = (0..1000)
        .map(two_clips)
        .find(|(other, _)| {
            other.body.mesh().map_count() == scene_a.body.mesh().map_count() && other.nodes != scene_a.nodes
        })
        .unwrap();
    let sampler = |body: &ReducedBody| body.sampler(body.pieces_at_rate(20.0).unwrap()).unwrap();
    let mut world = World::new(WorldDef::default()).unwrap();
    let id = world.add_body(BodyDef::bounded(scene_a.body.mesh().mesh().clone(), sampler(&scene_a.body))).unwrap();
    let other = &scene_b.body;
    world.set_flightplan(id, other.flightplan(other.pieces_at_rate(20.0).unwrap()).unwrap()).unwrap();
    assert_eq!(world.stats().engines.on_demand, 0);
    world.advance_to(0.3).unwrap();
    assert!(world.audit().is_clean(), "{}", world.audit());
}

#[test]
fn a_crossfade_is_its_layers_outside_and_between_them_inside() {
    let (scene, rig) = two_clips(2);
    let [from, to] = [0, 1].map(|clip| Layer { outside: Outside::Loop, ..Layer::new(clip, 0.25 * clip as f64) });
    let over = Span { begin: 0.6, end: 1.0 };
    let mix =
        Mix { span: Span { begin: 0.0, end: 2.0 }, ..Mix::crossfade(&rig, from.clone(), to.clone(), over).unwrap() };
    let alone = |layer: &Layer| Mix {
        layers: vec![layer.clone()],
        span: Span { begin: 0.0, end: 2.0 },
        outside: Outside::Hold,
    };
    let [mixed, first, second] = [mix, alone(&from), alone(&to)].map(|mix| driven(&scene, &rig, &mix));
    let gap = |a: &Pose, b: &Pose| -> f64 {
        a.maps
            .iter()
            .zip(&b.maps)
            .map(|(a, b)| (a.linear - b.linear).norm() + (a.shift - b.shift).norm())
            .fold(0.0, f64::max)
    };
    let at = |body: &ReducedBody, time: f64| pose(&**body.driver(), Moment::at(time));
    for step in 0..=20 {
        let time = 0.1 * f64::from(step);
        let found = at(&mixed, time);
        if time < 0.61 {
            assert!(gap(&found, &at(&first, time)) < 1e-9, "{time}");
        } else if time > 0.99 {
            assert!(gap(&found, &at(&second, time)) < 1e-9, "{time}");
        } else {
            assert!(gap(&found, &at(&first, time)) > 1e-3 && gap(&found, &at(&second, time)) > 1e-3, "{time}");
        }
    }
    // Without a duration it is a jump.
    let over = Span { begin: 0.8, end: 0.8 };
    let switch =
        Mix { span: Span { begin: 0.0, end: 2.0 }, ..Mix::crossfade(&rig, from.clone(), to.clone(), over).unwrap() };
    let switch = driven(&scene, &rig, &switch);
    assert!(gap(&at(&switch, 0.8), &at(&first, 0.8)) < 1e-9);
    assert!(gap(&pose(&**switch.driver(), Moment::after(0.8)), &at(&second, 0.8)) < 1e-9);
    assert!(switch.driver().breaks().iter().any(|stop| stop.time == 0.8 && stop.is_jump));
    let missing = Layer::new(9, 0.0);
    assert!(matches!(Mix::crossfade(&rig, from.clone(), missing, over), Err(ReducedError::NoSuchClip { clip: 9, .. })));
    let backward = Span { begin: 1.0, end: 0.5 };
    assert!(matches!(Mix::crossfade(&rig, from, to, backward), Err(ReducedError::BadSpan { .. })));
}
