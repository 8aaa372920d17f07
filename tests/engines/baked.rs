//! Bodies that go by baked trees: contacts as of brute force, and refits where the clip does not
//! know.

use std::cell::RefCell;
use std::sync::Arc;

use kinetree::BodyId;
use kinetree::baked::{BakeError, BakeFormat, BakedClip};
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{ContactMode, Engine, World, WorldDef, WorldError};

use crate::common::dice::Grain;
use crate::common::lockstep::{shifted, standing};
use crate::common::runner::check;
use crate::common::script::{Params, Player, random_script};
use crate::histories::histories;
use crate::windows::{falling, square, world};

const SPAN: Span = Span { begin: 0.0, end: 2.0 };

/// A world of a wall and a falling square, and the square.
fn scene(engine: Engine) -> (World, BodyId) {
    let mut world = world(engine);
    world.add_body(standing(&square(0.0)).engine(Engine::Auto)).unwrap();
    let moving = world.add_body(falling()).unwrap();
    (world, moving)
}

/// A square that goes down through another and turns over, 0 to 2 s: left and right change places
/// at 1 s.
fn turning() -> Flightplan {
    let (above, _) = square(0.5);
    let below = above.iter().map(|&[x, y, z]| [1.2 - x, y, -z]);
    Flightplan::keyframes(vec![0.0, 2.0], above.iter().copied().chain(below).collect())
}

/// Clips of all bodies of a world over a span, where there can be one.
fn bake_all(world: &mut World, span: Span, format: BakeFormat) -> usize {
    let bodies: Vec<BodyId> = world.bodies().collect();
    let mut baked = 0;
    for body in bodies {
        if let Ok(clip) = world.bake(body, span, format, 2) {
            let clip = BakedClip::from_bytes(&clip.to_bytes()).expect("what was written");
            world.set_baked(body, Some(Arc::new(clip))).expect("its own clip");
            baked += 1;
        }
    }
    baked
}

#[test]
fn random_histories_with_baked_trees_find_what_brute_force_finds() {
    let seen = RefCell::new((0, 0, 0));
    check("baked trees", 60, &histories(), |params| {
        let script = random_script(Params { curved: 0, ..params })?;
        let mut brute = Player::new(&script, Engine::BruteForce)?;
        let mut baked = Player::new(&script, Engine::Refit)?;
        let format = match params.grain {
            Grain::Lattice => BakeFormat::Frames { per_second: 8.0 },
            _ => BakeFormat::Stamped,
        };
        // Half of the worlds get clips only as far as the middle.
        let end = if params.seed % 2 == 0 { script.end } else { 0.5 * (script.start + script.end) };
        let clips = |player: &mut Player| {
            let begin = player.world.time();
            if begin < end { bake_all(&mut player.world, Span { begin, end }, format) } else { 0 }
        };
        let mut made = clips(&mut baked);
        for step in &script.steps {
            brute.advance(step.time)?;
            baked.advance(step.time)?;
            if baked.world.contacts() != brute.world.contacts() {
                return Err(format!("at {}: {:?}, {:?}", step.time, baked.world.contacts(), brute.world.contacts()));
            }
            let report = baked.world.audit();
            if !report.is_clean() {
                return Err(format!("at {}: {report}", step.time));
            }
            let mut seen = seen.borrow_mut();
            let used = baked.world.stats().engines.baked;
            seen.1 += used;
            seen.2 += if used > 0 { baked.world.contacts().len() } else { 0 };
            if let Some(change) = &step.change {
                brute.apply(change)?;
                baked.apply(change)?;
                if baked.world.contacts() != brute.world.contacts() {
                    return Err(format!("after a change at {}", step.time));
                }
                made += clips(&mut baked);
            }
        }
        seen.borrow_mut().0 += made;
        Ok(())
    });
    let (made, used, contacts) = seen.into_inner();
    assert!(made > 100 && used > 200 && contacts > 200, "{made} clips, used {used} times, {contacts} contacts");
}

#[test]
fn clips_serve_the_times_they_know() {
    let frames = BakeFormat::Frames { per_second: 4.0 };
    for (format, is_known) in [(BakeFormat::Stamped, [true, true]), (frames, [true, false])] {
        let [(mut world, moving), (mut brute, _)] = [Engine::Refit, Engine::BruteForce].map(|engine| {
            let (mut world, falling) = scene(engine);
            world.set_flightplan(falling, turning()).unwrap();
            (world, falling)
        });
        assert_eq!(bake_all(&mut world, SPAN, format), 2);
        let mut at = |time: f64| {
            for world in [&mut world, &mut brute] {
                world.advance_to(time).unwrap();
            }
            assert_eq!(world.contacts(), brute.contacts(), "{time}");
            assert!(world.audit().is_clean(), "{time}: {}", world.audit());
            world.stats().engines.baked
        };
        assert_eq!([at(0.25) > 0, at(0.3) > 0], is_known);
        assert!(at(0.5) > 0, "a frame");
        assert!(at(2.0) > 0, "the last time");
        at(2.5);
        world.set_baked(moving, None).unwrap();
    }
}

#[test]
fn beyond_its_clip_a_body_is_refitted() {
    let (mut world, _) = scene(Engine::Refit);
    bake_all(&mut world, Span { begin: 0.0, end: 1.0 }, BakeFormat::Stamped);
    let baked = [0.5, 1.0, 1.5].map(|time| {
        world.advance_to(time).unwrap();
        assert!(world.audit().is_clean(), "{time}: {}", world.audit());
        (world.stats().engines.baked, world.contacts().len())
    });
    assert_eq!(baked, [(1, 3), (1, 0), (0, 3)]);
}

#[test]
fn auto_takes_the_clip_where_it_would_refit() {
    let (mut world, moving) = scene(Engine::Auto);
    bake_all(&mut world, SPAN, BakeFormat::Stamped);
    // Once per key: too seldom for windows.
    world.advance_to(1.0).unwrap();
    world.advance_to(2.0).unwrap();
    let engines = world.stats().engines;
    assert_eq!((engines.baked, engines.refit_few_frames), (1, 0), "{engines:?}");
    // Another motion: the clip is of no use any more.
    let away = shifted(&square(0.0), &[2.0, 3.0], &[[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    world.set_flightplan(moving, away).unwrap();
    world.advance_to(3.0).unwrap();
    assert_eq!(world.stats().engines.baked, 0);
    let [mut refit, mut interval, mut vertices] =
        [Engine::Refit, Engine::Interval, Engine::Auto].map(|engine| scene(engine).0);
    for (world, expected) in [(&mut refit, 1), (&mut interval, 0)] {
        bake_all(world, SPAN, BakeFormat::Stamped);
        world.advance_to(1.0).unwrap();
        assert_eq!(world.stats().engines.baked, expected, "a clip is a cache of refits, not of intervals");
    }
    bake_all(&mut vertices, SPAN, BakeFormat::Stamped);
    let down = VertexFlightplan::Velocity { from: None, velocity: [0.0, 0.0, -2.0] };
    vertices.set_vertex_flightplans(moving, &[(2, down.clone())]).unwrap();
    vertices.advance_to(1.0).unwrap();
    let (mut brute, _) = scene(Engine::BruteForce);
    brute.set_vertex_flightplans(moving, &[(2, down)]).unwrap();
    brute.advance_to(1.0).unwrap();
    assert_eq!((vertices.stats().engines.baked, vertices.contacts()), (0, brute.contacts()));
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_lost() {
    let (mut world, moving) = scene(Engine::Refit);
    let wall = world.bodies().next().unwrap();
    let clip = Arc::new(world.bake(moving, SPAN, BakeFormat::Stamped, 0).unwrap());
    world.set_baked(moving, Some(Arc::clone(&clip))).unwrap();
    let other = world.set_baked(wall, Some(Arc::clone(&clip))).unwrap_err();
    assert!(
        matches!(other, WorldError::Baked { error: BakeError::OtherMotion | BakeError::OtherTopology, .. }),
        "{other}"
    );
    let faster = Flightplan::velocities(0.0, square(0.0).0, vec![[0.0, 0.0, 1.0]; 4]);
    let stranger = world.add_body(falling().named("stranger")).unwrap();
    world.set_flightplan(stranger, faster).unwrap();
    let other = world.set_baked(stranger, Some(clip)).unwrap_err();
    assert!(other.to_string().starts_with("body 'stranger': the clip was baked for another"), "{other}");
    world.advance_to(1.5).unwrap();
    assert_eq!(world.stats().engines.baked, 1, "the body that had a clip has it still");
    let backwards = world.bake(moving, Span { begin: 1.0, end: 0.0 }, BakeFormat::Stamped, 0).unwrap_err();
    assert!(matches!(backwards, WorldError::Baked { error: BakeError::BadSpan { .. }, .. }), "{backwards}");

    let continuous = WorldDef::default().contacts(ContactMode::Continuous);
    let mut kinetic = World::new(continuous).unwrap();
    let body = kinetic.add_body(falling().named("kinetic")).unwrap();
    let refused = kinetic.bake(body, SPAN, BakeFormat::Stamped, 0).unwrap_err();
    assert!(
        matches!(refused, WorldError::NotBakeable { .. }) && refused.to_string().contains("'kinetic'"),
        "{refused}"
    );
    assert_eq!(kinetic.set_baked(body, None).unwrap_err(), refused);
    kinetic.remove_body(body).unwrap();
    assert!(matches!(kinetic.set_baked(body, None), Err(WorldError::NoSuchBody { .. })));
}
