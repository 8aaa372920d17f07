//! Candidates: complete, and the same under every engine.

use std::collections::BTreeSet;

use kinetree::mesh::{Mesh, Patches, Primitives};
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::narrow::triangles_touch;
use kinetree::world::{BodyDef, Candidate, ContactMode, Engine, World, WorldDef};
use kinetree::{BodyId, Patch};

use super::common::dice::{Dice, Grain};
use super::common::lockstep::ENGINES;
use super::common::scene::{Style, random_body as random_triangles};
use super::{net, random_body};
use kinetree::time::Span;

/// One world per engine, and a kinetic one with continuous contacts.
fn worlds() -> Vec<World> {
    let defs = ENGINES.map(|engine| WorldDef::default().engine(engine));
    let continuous = WorldDef::default().contacts(ContactMode::Continuous);
    defs.into_iter().chain([continuous]).map(|def| World::new(def).unwrap()).collect()
}

/// The candidates of all worlds, which agree; the kinetic ones are audited.
fn agreed(worlds: &[World]) -> Vec<Candidate> {
    let found: Vec<Candidate> = worlds[0].candidates().collect();
    for world in worlds {
        assert!(world.candidates().eq(found.iter().copied()), "at {} s", world.time());
        assert!(world.audit().is_clean(), "{}", world.audit());
    }
    assert!(found.is_sorted());
    found
}

/// A span cut into triangles, all of whose corners lie on the surface: they lie in the hull of its
/// control points.
fn cut(patches: &Patches, span: u32, positions: &[[f64; 3]]) -> Vec<[[f64; 3]; 3]> {
    const CUTS: usize = 4;
    let control = net(patches, span, positions);
    let at = |i: usize, j: usize| patches.evaluate(span, [i, j].map(|k| k as f64 / CUTS as f64), &control).unwrap();
    let cells = (0..CUTS).flat_map(|i| (0..CUTS).map(move |j| (i, j)));
    let halves = cells.flat_map(|(i, j)| {
        let [p, q, r, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[p, q, r], [p, r, s]]
    });
    halves.collect()
}

/// All primitives of a body as triangles in their hulls.
fn pieces(world: &World, id: BodyId) -> Vec<Vec<[[f64; 3]; 3]>> {
    let positions = world.positions(id).unwrap();
    match world.patches(id).unwrap() {
        Some(patches) => (0..patches.primitive_count() as u32).map(|span| cut(patches, span, &positions)).collect(),
        None => {
            let triangles = world.mesh(id).unwrap().triangles().iter();
            triangles.map(|corners| vec![corners.map(|vertex| positions[vertex as usize])]).collect()
        }
    }
}

/// Pairs of primitives of two bodies of which cut pieces touch.
fn touching(world: &World, a: BodyId, b: BodyId) -> BTreeSet<(u32, u32)> {
    let (of_a, of_b) = (pieces(world, a), pieces(world, b));
    let mut found = BTreeSet::new();
    for (p, first) in of_a.iter().enumerate() {
        for (q, second) in of_b.iter().enumerate() {
            if first.iter().any(|x| second.iter().any(|y| triangles_touch(x, y))) {
                found.insert((p as u32, q as u32));
            }
        }
    }
    found
}

#[test]
fn what_touches_is_a_candidate_at_random_times() {
    let (mut touched, mut offered) = (0, 0);
    for seed in 0..30 {
        let mut dice = Dice::new(seed, &[3]);
        let mut worlds = worlds();
        let style = Style { grain: Grain::Real, long: false, triangles: 12, keys: 4, curved: 30 };
        let triangles = random_triangles(&mut dice, style, Span { begin: 0.0, end: 8.0 }, 0);
        let mut mesh = triangles.definition("mesh");
        mesh.filter = kinetree::world::Filter::default();
        let bodies = [random_body(&mut dice, 2), random_body(&mut dice, 2), mesh];
        let mut ids = Vec::new();
        for world in &mut worlds {
            ids = bodies.iter().map(|body| world.add_body(body.clone()).unwrap()).collect();
        }
        for _ in 0..5 {
            let time = worlds[0].time() + dice.real(0.0, 0.9);
            worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
            let found: BTreeSet<Candidate> = agreed(&worlds).into_iter().collect();
            offered += found.len();
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                let (a, b) = (ids[a], ids[b]);
                for (primitive_a, primitive_b) in touching(&worlds[0], a, b) {
                    let candidate = Candidate::new([a, b], [primitive_a, primitive_b]);
                    assert!(found.contains(&candidate), "seed {seed} at {time} s: {candidate:?}");
                    touched += 1;
                }
            }
            let no_contacts = worlds.iter().all(|world| world.contacts().is_empty());
            assert!(no_contacts, "pairs with patches have no contacts");
        }
    }
    assert!(touched > 150 && offered > 1_000, "{touched} {offered}");
}

/// The definition, pair by pair, with thickness: boxes of control points grown by the distance.
#[test]
fn candidates_by_their_definition() {
    let (mut found_any, mut within) = (0, 0);
    for seed in 0..10 {
        let mut dice = Dice::new(seed, &[4]);
        let mut worlds = worlds();
        let bodies = [0.0, 0.5].map(|thickness| random_body(&mut dice, 3).thickness(thickness).self_contact(true));
        let mut ids = Vec::new();
        for world in &mut worlds {
            ids = bodies.iter().map(|body| world.add_body(body.clone()).unwrap()).collect();
        }
        for step in 0..6 {
            if step == 3 {
                for world in &mut worlds {
                    world.set_pair_thickness(ids[0], ids[1], Some(1.25)).unwrap();
                }
            }
            let time = worlds[0].time() + dice.real(0.0, 0.7);
            worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
            let found: Vec<Candidate> = agreed(&worlds);
            let world = &worlds[0];
            let mut expected = Vec::new();
            for (a, b, distance) in [(0, 0, 0.0), (0, 1, if step < 3 { 0.25 } else { 1.25 }), (1, 1, 0.5)] {
                let [first, second] = [a, b].map(|body| world.patches(ids[body]).unwrap().unwrap());
                let boxes = |body: usize, patches: &Patches| -> Vec<[[f64; 2]; 3]> {
                    let positions = world.positions(ids[body]).unwrap();
                    let extent = |points: &[[f64; 3]], k: usize| {
                        let all = points.iter().map(|p| p[k]);
                        [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
                    };
                    (0..patches.primitive_count() as u32)
                        .map(|span| net(patches, span, &positions))
                        .map(|points| std::array::from_fn(|k| extent(&points, k)))
                        .collect()
                };
                let (boxes_a, boxes_b) = (boxes(a, first), boxes(b, second));
                for (p, x) in boxes_a.iter().enumerate() {
                    for (q, y) in boxes_b.iter().enumerate() {
                        let meet = (0..3).all(|k| x[k][0] - distance <= y[k][1] && y[k][0] <= x[k][1] + distance);
                        let share = first.points_of(p).iter().any(|vertex| second.points_of(q).contains(vertex));
                        if meet && (a != b || (p < q && !share)) {
                            let (primitive_a, primitive_b) = (p as u32, q as u32);
                            expected.push(Candidate::new([ids[a], ids[b]], [primitive_a, primitive_b]));
                            within += usize::from(a == b);
                        }
                    }
                }
            }
            expected.sort_unstable();
            assert_eq!(found, expected, "seed {seed} at {time} s");
            found_any += found.len();
        }
    }
    assert!(found_any > 1_000 && within > 100, "{found_any} {within}");
}

/// Edits at run time: control points replanned, bodies removed, pairs no longer watched.
#[test]
fn candidates_follow_edits() {
    let mut dice = Dice::new(5, &[5]);
    let mut worlds = worlds();
    let bodies: Vec<BodyDef> = (0..4).map(|_| random_body(&mut dice, 2)).collect();
    let mut ids = Vec::new();
    for world in &mut worlds {
        ids = bodies.iter().map(|body| world.add_body(body.clone()).unwrap()).collect();
    }
    let mut counts = BTreeSet::new();
    for step in 0..24 {
        let time = 0.15 * f64::from(step);
        let body = ids[dice.below(3)];
        let vertex = dice.below(worlds[0].positions(body).unwrap().len()) as u32;
        let velocity: [f64; 3] = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        for world in &mut worlds {
            world.advance_to(time).unwrap();
            let plan = VertexFlightplan::Velocity { from: None, velocity };
            world.set_vertex_flightplans(body, &[(vertex, plan)]).unwrap();
            match step {
                8 => world.set_pair_watched(ids[0], ids[1], false).unwrap(),
                12 => world.set_pair_watched(ids[0], ids[1], true).unwrap(),
                16 => world.remove_body(ids[3]).unwrap(),
                _ => {}
            }
        }
        let found = agreed(&worlds);
        assert!(!(8..12).contains(&step) || found.iter().all(|c| (c.a, c.b) != (ids[0], ids[1])));
        assert!(step < 16 || found.iter().all(|c| c.b != ids[3]));
        counts.insert(found.len());
    }
    assert!(counts.len() > 5, "{counts:?}");
    assert!(worlds[0].candidates_between(ids[0], ids[3]).is_err());
}

/// Triangles beside patches keep their contacts; on request they are candidates too.
#[test]
fn bodies_of_triangles_are_decided_as_ever() {
    let square = || Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let place = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]];
    for engine in ENGINES {
        let mut dice = Dice::new(1, &[6]);
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        world.add_body(random_body(&mut dice, 3)).unwrap();
        let low = world.add_body(BodyDef::new(square(), Flightplan::fixed(place(0.0))).self_contact(true)).unwrap();
        let falling = Flightplan::keyframes(vec![0.0, 1.0], [place(1.0), place(0.0)].concat());
        let high = world.add_body(BodyDef::new(square(), falling)).unwrap();
        assert!(world.candidates_between(low, high).unwrap().is_empty());
        world.advance_to(1.0).unwrap();
        assert_eq!(world.contacts().len(), 4);
        assert_eq!(world.candidates_between(high, low).unwrap().len(), 4);
        // Its two triangles share an edge.
        assert!(world.candidates_between(low, low).unwrap().is_empty());
        assert!(world.candidates().all(|candidate| (candidate.a, candidate.b) != (low, high)));
        // Patches have no windows; under that engine they are kinetic.
        assert_eq!(matches!(engine, Engine::Kinetic | Engine::Interval), world.stats().nodes > 0);
    }
}

/// A ray along an axis beside the box of a patch has no candidate, one through the box has.
#[test]
fn rays_along_an_axis() {
    let patches = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])]).unwrap();
    let places = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]];
    for mut world in worlds() {
        let id = world.add_body(BodyDef::new(patches.clone(), Flightplan::fixed(places.clone()))).unwrap();
        let down = |x: f64, y: f64| world.ray_candidates([x, y, 5.0], [0.0, 0.0, -1.0], 10.0).0;
        assert_eq!(down(0.5, 0.5), [(id, 0)]);
        for (x, y) in [(3.0, 0.5), (-3.0, 0.5), (0.5, 3.0), (0.5, -3.0)] {
            assert!(down(x, y).is_empty(), "{x} {y}");
        }
    }
}

/// A ray without length has the boxes that it begins in.
#[test]
fn rays_without_length() {
    let patches = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])]).unwrap();
    let places = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]];
    for mut world in worlds() {
        let id = world.add_body(BodyDef::new(patches.clone(), Flightplan::fixed(places.clone()))).unwrap();
        let from = |z: f64, reach: f64| world.ray_candidates([0.5, 0.5, z], [0.0, 0.0, -1.0], reach).0;
        assert_eq!(from(0.25, 0.0), [(id, 0)]);
        assert!(from(5.0, 0.0).is_empty());
        for reach in [-1.0, f64::NAN] {
            assert!(from(0.25, reach).is_empty(), "{reach}");
        }
    }
}
