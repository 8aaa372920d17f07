//! Plans are replaced, vertices get plans of their own, meshes are edited: bounds go where they are
//! not those of the motion, stay where they are, and contacts are those of brute force before and
//! after.

use kinetree::bvh::{BoundedSampler, BuildParams, Width};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::world::{BodyDef, ContactMode, Engine, NewVertex, World, WorldDef};
use kinetree::{BodyId, WorldError};
use std::sync::Arc;

use crate::bodies::{MODELS, Model, bounded, definition, partners};
use crate::common::lockstep::Lockstep;
use crate::reduced_skins::rounds;
use crate::reduced_support::{Spinner, body};

/// What happens to the first body, and whether it is bounded afterwards.
const CHANGES: [(&str, bool); 6] =
    [("rest", false), ("same", true), ("clip", true), ("vertex", false), ("added", false), ("removed", false)];

/// Another clip of the same mesh.
fn other_clip(model: Model, seed: u64) -> Arc<dyn BoundedSampler> {
    let (own, _) = bounded(model, seed);
    let dice = &mut crate::common::dice::Dice::new(seed, &[46]);
    let (maps, morphs) = (own.driver().map_count(), own.driver().morph_count());
    let mut driver = Spinner::of(dice, maps, morphs, 1, 0.4, true);
    let first = driver.breaks[0].time;
    driver.breaks.iter_mut().for_each(|stop| stop.time = 4.0 * (stop.time - first));
    let body = body(own.mesh(), driver);
    body.sampler(body.pieces_at_rate(6.0).unwrap()).unwrap()
}

fn change(world: &mut World, id: BodyId, name: &str, model: Model, seed: u64) -> Result<(), WorldError> {
    let (own, sampler) = bounded(model, seed);
    match name {
        "rest" => world.set_flightplan(id, Flightplan::fixed(own.mesh().rest_positions().to_vec())),
        "same" => {
            let def = definition(model, seed);
            let sampler = def.sampler.unwrap();
            world.set_bounded_flightplan(id, sampler.clone())?;
            // Another plan of the same sampler.
            world.set_flightplan(id, Flightplan::sampled(sampler))
        }
        "clip" => world.set_bounded_flightplan(id, other_clip(model, seed)),
        "vertex" => {
            world.set_vertex_flightplans(id, &[(2, VertexFlightplan::Fixed { position: [0.2, 0.5, 0.0] })])?;
            world.set_flightplan(id, Flightplan::sampled(sampler))
        }
        "added" => {
            let mut edit = world.begin_edit(id)?;
            let new = edit.add_vertex(NewVertex::fixed([0.2, 0.0, 1.0]));
            edit.add_triangle([0, 1, new]);
            world.apply_edit(edit)
        }
        _ => {
            let mut edit = world.begin_edit(id)?;
            edit.remove_triangle(0);
            world.apply_edit(edit)
        }
    }
}

#[test]
fn all_engines_agree_after_changes() {
    let mut seen = 0;
    for (place, (name, stays)) in CHANGES.into_iter().enumerate() {
        // With self contact and without, in turns; under `KINETREE_TORTURE` both.
        let first = place as u64 % 2;
        for seed in [first, 1 - first].into_iter().take(rounds(1) as usize) {
            let model = MODELS[(place + 2 * seed as usize) % MODELS.len()];
            // Poses of spherical blending must be rigid.
            if model == Model::Spherical && name == "clip" {
                continue;
            }
            let mut worlds = Lockstep::new(-1.0);
            let id = worlds.add(&definition(model, seed).self_contact(seed == 1));
            worlds.add(&definition(Model::Skin, seed + 9));
            partners(seed).iter().for_each(|def| {
                worlds.add(def);
            });
            for step in 0..6 {
                worlds.at(-0.9 + 0.17 * f64::from(step));
            }
            worlds.change(|world| change(world, id, name, model, seed));
            let engines = worlds.kinetic().stats().engines;
            assert_eq!(engines.kinetic_bounded, 1 + usize::from(stays), "{name}, {model:?}");
            for step in 6..22 {
                seen += worlds.at(-0.9 + 0.17 * f64::from(step));
            }
        }
    }
    assert!(seen > 300, "{seen} contacts");
}

#[test]
fn continuous_contacts_agree_after_changes() {
    let mut seen = 0;
    for (place, (name, stays)) in CHANGES.into_iter().enumerate() {
        let (model, seed) = ([Model::Long, Model::Skin, Model::Jumping][place % 3], place as u64);
        let mut world = World::new(WorldDef::default().start(-1.0).contacts(ContactMode::Continuous)).unwrap();
        let mut brute = World::new(WorldDef::default().start(-1.0).engine(Engine::BruteForce)).unwrap();
        let mut id = None;
        for def in [definition(model, seed), definition(Model::Morphs, seed)].into_iter().chain(partners(seed)) {
            let new = world.add_body(def.clone()).unwrap();
            brute.add_body(def).unwrap();
            id.get_or_insert(new);
        }
        for step in 0..24 {
            if step == 7 {
                change(&mut world, id.unwrap(), name, model, seed).unwrap();
                change(&mut brute, id.unwrap(), name, model, seed).unwrap();
                assert_eq!(world.stats().engines.kinetic_bounded, 1 + usize::from(stays), "{name}, {model:?}");
            }
            let time = -0.9 + 0.13 * f64::from(step);
            world.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            for contact in brute.contacts() {
                assert!(world.contacts().contains(contact), "{name}, {time} s: {contact:?} is missing");
            }
            seen += brute.contacts().len();
            if step % 3 == 1 {
                assert!(world.audit().is_clean(), "{name}, {time} s: {}", world.audit());
            }
        }
    }
    assert!(seen > 500, "{seen} contacts");
}

/// On-demand bodies keep their bounds as kinetic ones do, and boxes over another tree are refused.
#[test]
fn other_engines_take_bounds_where_they_use_them() {
    let (own, sampler) = bounded(Model::Long, 5);
    let mut world = World::new(WorldDef::default()).unwrap();
    let id = world.add_body(definition(Model::Long, 5)).unwrap();
    world.set_bounded_flightplan(id, other_clip(Model::Long, 5)).unwrap();
    assert_eq!(world.stats().engines.on_demand, 1);
    world.set_flightplan(id, Flightplan::fixed(own.mesh().rest_positions().to_vec())).unwrap();
    assert_eq!(world.stats().engines.on_demand, 0);
    world.set_bounded_flightplan(id, sampler.clone()).unwrap();
    assert_eq!(world.stats().engines.on_demand, 1);
    let plain = BodyDef::new(own.mesh().mesh().clone(), Flightplan::sampled(sampler.clone())).engine(Engine::Refit);
    let plain = world.add_body(plain).unwrap();
    world.set_bounded_flightplan(plain, sampler.clone()).unwrap();
    assert_eq!((world.stats().engines.on_demand, world.stats().engines.refit), (1, 1));
    world.advance_to(0.5).unwrap();
    assert!(world.audit().is_clean(), "{}", world.audit());
    let triangle = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(vec![[0.0; 3]; 3]));
    let triangle = world.add_body(triangle).unwrap();
    assert!(matches!(world.set_bounded_flightplan(triangle, sampler), Err(WorldError::Motion { .. })));
}

/// A bounded body was compared with a tree of the width that its definition asks for: its own is
/// binary, also once its bounds are given up.
#[test]
fn quality_is_that_of_a_binary_tree_whatever_width_is_asked_for() {
    for model in MODELS {
        let qualities = [Width::Two, Width::Four].map(|width| {
            let mut world = World::new(WorldDef::default().start(-1.0).engine(Engine::Kinetic)).unwrap();
            let build = BuildParams { leaf_size: 1, width, ..BuildParams::default() };
            let id = world.add_body(definition(model, 1).build(build)).unwrap();
            assert_eq!(world.stats().engines.kinetic_bounded, 1);
            let bounded = world.tree_quality(id).unwrap();
            // It was built at rest.
            change(&mut world, id, "rest", model, 1).unwrap();
            assert_eq!(world.stats().engines.kinetic_bounded, 0);
            assert_eq!(world.tree_quality(id).unwrap(), 1.0, "{model:?}, {width:?}");
            bounded
        });
        assert_eq!(qualities[0], qualities[1], "{model:?}");
    }
}
