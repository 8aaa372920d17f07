//! Saved worlds with bodies that move by samplers: the host gives these again when the world is
//! loaded.

use std::sync::Arc;

use kinetree::bvh::BoundedSampler;
use kinetree::kinetic::TreeKind;
use kinetree::motion::{Flightplan, Outside, Sampler};
use kinetree::replay::{RecordError, RecordingWorld};
use kinetree::time::{Side, Span};
use kinetree::world::{BodyDef, ContactMode, Engine, HostSampler, LoadError, SampledBody, SaveError, World, WorldDef};
use kinetree::{BodyId, Mesh};

use super::common::dice::{Dice, Grain};
use super::common::scene::{Style, random_body};
use super::history::definitions;
use super::reduced_skins::{Flavour, scene};
use super::told;

/// The motion of a skin, made from the start.
fn skin(seed: u64) -> (Mesh, Arc<dyn BoundedSampler>) {
    let scene = scene(seed, Flavour::Turns);
    let sampler = scene.body.sampler(scene.body.pieces(0.03).unwrap()).unwrap();
    (scene.body.mesh().mesh().clone(), sampler)
}

fn motion(seed: u64) -> (Mesh, Arc<dyn Sampler>) {
    let (mesh, sampler) = skin(seed);
    (mesh, sampler)
}

/// The samplers of a world, by the names of its bodies: `bounded 3` and `sampled 3`.
#[allow(clippy::unnecessary_wraps, reason = "as `World::from_bytes` asks")]
fn by_name(body: &SampledBody) -> Option<HostSampler> {
    let (kind, seed) = body.name.split_once(' ').unwrap();
    let seed = seed.parse().unwrap();
    assert!(!(body.is_bounded && kind == "sampled"), "{body:?}");
    Some(if kind == "bounded" { skin(seed).1.into() } else { motion(seed).1.into() })
}

/// Skins of all kinds and a body of keys.
fn crowd(def: WorldDef, seed: u64) -> World {
    let mut world = World::new(def.start(-1.0)).unwrap();
    for place in 0..3 {
        let seed = 3 * seed + place;
        let def = if place == 1 {
            let (mesh, sampler) = motion(seed);
            BodyDef::new(mesh, Flightplan::sampled(sampler)).named(format!("sampled {seed}"))
        } else {
            let (mesh, sampler) = skin(seed);
            BodyDef::bounded(mesh, sampler).named(format!("bounded {seed}"))
        };
        let tree = [TreeKind::Aabb, TreeKind::Box][usize::from(seed.is_multiple_of(5))];
        world.add_body(def.self_contact(seed.is_multiple_of(2)).tree(tree)).unwrap();
    }
    let style = Style { grain: Grain::Real, long: false, triangles: 8, keys: 4, curved: 0 };
    let other = random_body(&mut Dice::new(seed, &[41]), style, Span { begin: 0.0, end: 4.0 }, 0);
    world.add_body(other.definition("keys")).unwrap();
    world
}

#[test]
fn reduced_bodies_have_the_future_of_the_saved_ones() {
    let (mut contacts, mut kinetic, mut on_demand) = (0, 0, 0);
    for seed in 0..5 {
        for def in definitions() {
            let dice = &mut Dice::new(seed, &[42]);
            let mut world = crowd(def, seed);
            let mut time = -1.0;
            let mut copy: Option<World> = None;
            for step in 0..14 {
                time += if dice.percent(15) { 0.0 } else { dice.real(0.0, 0.4) };
                if step == 9 {
                    // Another motion of the same body: bounds are renewed, or given up.
                    for world in [Some(&mut world), copy.as_mut()].into_iter().flatten() {
                        let body = world.bodies().next().unwrap();
                        let sampler = skin(3 * seed).1;
                        world.set_bounded_flightplan(body, sampler).unwrap();
                    }
                }
                world.advance_to(time).unwrap();
                if let Some(copy) = &mut copy {
                    copy.advance_to(time).unwrap();
                    assert_eq!(told(copy), told(&world), "seed {seed}, {def:?}, step {step}, {time} s");
                }
                contacts += world.contacts().len();
                let engines = world.stats().engines;
                (kinetic, on_demand) = (kinetic + engines.kinetic_bounded, on_demand + engines.on_demand);
                if step % 5 == 2 {
                    let bytes = world.to_bytes().unwrap();
                    let loaded = World::from_bytes(&bytes, by_name).unwrap();
                    assert_eq!(told(&loaded), told(&world), "seed {seed}, {def:?}, {time} s");
                    assert!(loaded.audit().is_clean(), "seed {seed}: {}", loaded.audit());
                    assert_eq!(loaded.to_bytes().unwrap(), bytes);
                    copy = Some(loaded);
                }
            }
        }
    }
    assert!(contacts > 500 && kinetic > 100 && on_demand > 20, "{contacts}, {kinetic}, {on_demand}");
}

#[test]
fn samplers_that_are_missing_or_others_are_refused_by_name() {
    let mut world = crowd(WorldDef::new().engine(Engine::Kinetic), 1);
    world.advance_to(0.25).unwrap();
    let bytes = world.to_bytes().unwrap();
    let body = || "bounded 3".to_owned();
    let mut asked = Vec::new();
    let refused = World::from_bytes(&bytes, |body| {
        asked.push((body.id, body.name.clone(), body.is_bounded));
        None
    });
    assert_eq!(refused.unwrap_err(), LoadError::NoSampler { body: body() });
    assert_eq!(asked, [(world.bodies().next().unwrap(), body(), true)]);
    let refused = World::from_bytes(&bytes, |_| Some(skin(4).1.into())).unwrap_err();
    assert_eq!(refused, LoadError::OtherSampler { body: body() });
    assert_eq!(refused.to_string(), "body 'bounded 3': the sampler is another one than that of the saved body");
    let refused = World::from_bytes(&bytes, |_| Some(motion(3).1.into())).unwrap_err();
    assert_eq!(refused, LoadError::NotBounded { body: body() });
    // The second one: nothing is loaded either.
    let only_bounded = |body: &SampledBody| by_name(body).filter(|_| body.is_bounded);
    assert_eq!(World::from_bytes(&bytes, only_bounded).unwrap_err(), LoadError::NoSampler { body: "sampled 4".into() });
}

/// A triangle that goes up and down; two that differ may look alike but for one number.
#[derive(Debug)]
struct Lift {
    times: Vec<f64>,
    jumps: Vec<bool>,
    heights: Vec<f64>,
    rest: [[f32; 3]; 3],
    outside: Outside,
    bounds: [f64; 2],
}

impl Lift {
    fn new() -> Self {
        let rest = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let (times, heights) = (vec![0.0, 1.0, 2.0], vec![0.5, -0.5, 0.25]);
        Self { times, jumps: vec![false; 3], heights, rest, outside: Outside::Hold, bounds: [2.0, 2.0] }
    }
}

impl Sampler for Lift {
    fn vertex_count(&self) -> usize {
        3
    }
    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }
    fn times(&self) -> &[f64] {
        &self.times
    }
    fn jumps(&self) -> &[bool] {
        &self.jumps
    }
    fn outside(&self) -> Outside {
        self.outside
    }
    fn largest_coordinate(&self) -> f64 {
        self.bounds[0]
    }
    fn largest_speed(&self) -> f64 {
        self.bounds[1]
    }
    fn position(&self, key: usize, _side: Side, vertex: u32) -> [f64; 3] {
        let [x, y, _] = self.rest[vertex as usize].map(f64::from);
        [x, y, self.heights[key]]
    }
}

fn lifts(sampler: &Arc<Lift>) -> (World, [BodyId; 2]) {
    let mut world = World::new(WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous)).unwrap();
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let own = || -> Arc<dyn Sampler> { Arc::<Lift>::clone(sampler) };
    let ids =
        ["a", "b"].map(|name| world.add_body(BodyDef::new(mesh(), Flightplan::sampled(own())).named(name)).unwrap());
    let floor = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor)).named("floor")).unwrap();
    (world, ids)
}

#[test]
fn bodies_that_share_a_sampler_are_asked_for_once() {
    let (mut world, ids) = lifts(&Arc::new(Lift::new()));
    let bytes = world.to_bytes().unwrap();
    let mut asked = Vec::new();
    let again = World::from_bytes(&bytes, |body| {
        asked.push(body.id);
        Some(HostSampler::Motion(Arc::new(Lift::new())))
    });
    let mut again = again.unwrap();
    assert_eq!(asked, ids[..1]);
    for time in [0.4, 0.5, 1.7, 3.0] {
        world.advance_to(time).unwrap();
        again.advance_to(time).unwrap();
        assert_eq!(told(&again), told(&world));
    }
    assert!(world.log().count() > 0);
}

#[test]
fn a_sampler_of_a_sampled_and_a_bounded_body_is_asked_for_with_its_bounds() {
    let (mesh, sampler) = skin(4);
    let plain: Arc<dyn Sampler> = sampler.clone();
    let sampled = BodyDef::new(mesh.clone(), Flightplan::sampled(Arc::clone(&plain))).named("first");
    let bounded = BodyDef::bounded(mesh, Arc::clone(&sampler)).named("first");
    for (first, second) in [(&sampled, &bounded), (&bounded, &sampled)] {
        let mut world = World::new(WorldDef::new()).unwrap();
        world.add_body(first.clone()).unwrap();
        world.add_body(second.clone().named("second")).unwrap();
        let bytes = world.to_bytes().unwrap();
        let mut asked = Vec::new();
        let refused = World::from_bytes(&bytes, |body| {
            asked.push((body.name.clone(), body.is_bounded));
            Some(Arc::clone(&plain).into())
        });
        assert!(matches!(refused, Err(LoadError::NotBounded { body }) if body == "first"));
        assert_eq!(asked, [("first".to_owned(), true)]);
        World::from_bytes(&bytes, |_| Some(Arc::clone(&sampler).into())).unwrap();
    }
}

#[test]
fn each_number_of_a_sampler_is_compared() {
    let (world, _) = lifts(&Arc::new(Lift::new()));
    let bytes = world.to_bytes().unwrap();
    let load = |change: fn(&mut Lift)| {
        let mut sampler = Lift::new();
        change(&mut sampler);
        let sampler = Arc::new(sampler);
        World::from_bytes(&bytes, |_| Some(HostSampler::Motion(Arc::<Lift>::clone(&sampler)))).map(drop)
    };
    assert_eq!(load(|_| {}), Ok(()));
    // Between the first key and the last, positions are the host's word.
    let changes: [fn(&mut Lift); 9] = [
        |lift| lift.times[1] = 1.5,
        |lift| {
            lift.times.pop();
        },
        |lift| lift.times.clear(),
        |lift| lift.jumps[1] = true,
        |lift| lift.heights[0] = 0.75,
        |lift| lift.heights[2] = 0.75,
        |lift| lift.rest[1][2] = 1.0,
        |lift| lift.outside = Outside::Loop,
        |lift| lift.bounds[1] = 3.0,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        assert_eq!(load(change), Err(LoadError::OtherSampler { body: "a".into() }), "change {number}");
    }
}

#[test]
fn a_sampler_that_is_scheduled_is_refused() {
    let (mut world, [a, b]) = lifts(&Arc::new(Lift::new()));
    let change = world.schedule_flightplan(b, 1.5, Flightplan::sampled(Arc::new(Lift::new()))).unwrap();
    world.schedule_flightplan(a, 1.0, Flightplan::fixed(vec![[0.0; 3]; 3])).unwrap();
    let refused = world.to_bytes().unwrap_err();
    assert_eq!(refused, SaveError::ScheduledSampler { body: "b".into(), time: 1.5 });
    assert_eq!(
        refused.to_string(),
        "body 'b': the flightplan scheduled for 1.5 s is a sampler's, which cannot be saved; cancel it before"
    );
    assert!(world.cancel_change(change));
    assert!(world.to_bytes().is_ok());
}

#[test]
fn a_recording_does_not_begin_with_a_sampler() {
    let (world, _) = lifts(&Arc::new(Lift::new()));
    let refused = RecordingWorld::from_world(world, Vec::new()).unwrap_err();
    assert_eq!(refused, RecordError::Sampler { body: "a".into() });
}
