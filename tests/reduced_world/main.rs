//! Reduced bodies in worlds: all engines agree, positions are those of the pieces, true vertices
//! within the stated deviation.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

mod balls;
mod blended;
mod bounded;
mod jumps;
mod one_key;
mod other_trees;

use common::dice::{Dice, Grain};
use common::lockstep::Lockstep;
use common::scene::{Style, random_body};
use kinetree::BodyId;
use kinetree::kinetic::TreeKind;
use kinetree::motion::Outside;
use kinetree::reduced::Pieces;
use kinetree::time::{Moment, Span};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};
use reduced_skins::{Flavour, Scene, distance, rounds, scene};

const FLAVOURS: [Flavour; 4] = [Flavour::Turns, Flavour::Everything, Flavour::Twists, Flavour::Rigid];

fn pieces(scene: &Scene, flavour: Flavour) -> Pieces {
    match flavour {
        // Nothing is known of spherical blending in between.
        Flavour::Rigid => scene.body.pieces_at_rate(8.0).unwrap(),
        _ => scene.body.pieces(0.03).unwrap(),
    }
}

fn definition(scene: &Scene, flavour: Flavour, tree: TreeKind) -> BodyDef {
    let plan = scene.body.flightplan(pieces(scene, flavour)).unwrap();
    BodyDef::new(scene.body.mesh().mesh().clone(), plan).self_contact(true).tree(tree)
}

fn vertices(scene: &Scene) -> Vec<u32> {
    (0..scene.body.mesh().vertex_count() as u32).collect()
}

/// Where the linear motion between the ends of pieces is at a time inside the span; at ends
/// vertices are at places that `f32` can say.
fn linear(scene: &Scene, pieces: &Pieces, time: f64) -> Vec<[f64; 3]> {
    let key = pieces.times().partition_point(|&key| key < time).clamp(1, pieces.times().len() - 1);
    let (begin, end) = (pieces.times()[key - 1], pieces.times()[key]);
    let s = (time - begin) / (end - begin);
    let (mut first, mut last) = (Vec::new(), Vec::new());
    scene.body.positions(Moment::after(begin), &vertices(scene), &mut first).unwrap();
    scene.body.positions(Moment::at(end), &vertices(scene), &mut last).unwrap();
    let rounded = |x: f64| f64::from(x as f32);
    let between =
        |(a, b): (&[f64; 3], &[f64; 3])| std::array::from_fn(|i| rounded(a[i]) + s * (rounded(b[i]) - rounded(a[i])));
    first.iter().zip(&last).map(between).collect()
}

#[test]
fn all_engines_agree_and_positions_are_those_of_the_pieces() {
    let (mut seen, mut compared) = (0, 0);
    for (kind, flavour) in FLAVOURS.into_iter().enumerate() {
        for seed in 0..rounds(2) {
            let scenes = [scene(2 * seed, flavour), scene(2 * seed + 1, flavour)];
            let mut worlds = Lockstep::new(-1.0);
            let tree = [TreeKind::Aabb, TreeKind::Box][(seed as usize + kind) % 2];
            let ids: Vec<BodyId> =
                scenes.iter().map(|scene| worlds.add(&definition(scene, flavour, tree).named("skin"))).collect();
            let style = Style { grain: Grain::Real, long: false, triangles: 6, keys: 4, curved: 0 };
            let window = Span { begin: 0.0, end: 4.0 };
            worlds.add(&random_body(&mut Dice::new(seed, &[3]), style, window, 0).definition("any other"));
            let mut dice = Dice::new(seed, &[4]);
            let mut time = -0.9;
            for _ in 0..12 {
                seen += worlds.at(time);
                for (scene, &id) in scenes.iter().zip(&ids) {
                    let span = scene.body.driver().span();
                    if !(span.begin < time && time < span.end) {
                        continue;
                    }
                    let pieces = pieces(scene, flavour);
                    let expected = linear(scene, &pieces, time);
                    let mut truth = Vec::new();
                    scene.body.positions(Moment::at(time), &vertices(scene), &mut truth).unwrap();
                    let found = worlds.kinetic().positions(id).unwrap();
                    for (vertex, found) in found.iter().enumerate() {
                        assert!(distance(found, &expected[vertex]) < 1e-12, "{flavour:?} {seed}, {time}, {vertex}");
                        let off = distance(found, &truth[vertex]);
                        // Coordinates are a few metres: 10⁻⁶ m holds the rounding of all three.
                        let most = pieces.largest_deviation() + 1e-6;
                        assert!(off <= most, "{flavour:?} {seed}, {time}, {vertex}: {off}");
                        compared += 1;
                    }
                }
                time += dice.real(0.05, 0.8);
            }
        }
    }
    assert!(seen > 150, "{seen} contacts");
    assert!(compared > 1000, "{compared} positions");
}

#[test]
fn continuous_contacts_hold_what_is_found_at_any_time() {
    let (mut seen, mut changes) = (0, 0);
    for seed in 0..rounds(6) {
        let flavour = FLAVOURS[seed as usize % 3];
        let mut world = World::new(WorldDef::default().start(-1.0).contacts(ContactMode::Continuous)).unwrap();
        let mut brute = World::new(WorldDef::default().start(-1.0).engine(Engine::BruteForce)).unwrap();
        for body in 0..2 {
            let def = definition(&scene(30 + 2 * seed + body, flavour), flavour, TreeKind::Aabb);
            world.add_body(def.clone()).unwrap();
            brute.add_body(def).unwrap();
        }
        let mut dice = Dice::new(seed, &[5]);
        let mut time = -0.8;
        for _ in 0..15 {
            world.advance_to(time).unwrap();
            brute.advance_to(time).unwrap();
            changes += world.contact_changes().len();
            seen += brute.contacts().len();
            for contact in brute.contacts() {
                assert!(world.contacts().contains(contact), "seed {seed}, {time}: {contact:?} is missing");
            }
            for contact in world.contacts() {
                let at = world
                    .ongoing_contacts()
                    .into_iter()
                    .any(|ongoing| ongoing.contact == *contact && ongoing.undecided);
                assert!(at || brute.contacts().contains(contact), "seed {seed}, {time}: {contact:?} is not there");
            }
            time += dice.real(0.05, 0.5);
        }
        assert!(world.audit().is_clean(), "{:?}", world.audit());
    }
    assert!(seen > 100 && changes > 50, "{seen} contacts, {changes} changes");
}

#[test]
fn a_thicker_body_misses_no_contact_of_the_true_motion() {
    let mut seen = 0;
    for seed in 0..rounds(5) {
        let scenes = [scene(50 + 2 * seed, Flavour::Turns), scene(51 + 2 * seed, Flavour::Turns)];
        let mut world = World::new(WorldDef::default().start(-1.0)).unwrap();
        let mut ids = Vec::new();
        for scene in &scenes {
            let cut = scene.body.pieces(0.05).unwrap();
            let deviation = cut.largest_deviation();
            let plan = scene.body.flightplan(cut).unwrap();
            let def = BodyDef::new(scene.body.mesh().mesh().clone(), plan).thickness(2.0 * deviation * 1.000_001);
            ids.push(world.add_body(def).unwrap());
        }
        for step in 0..20 {
            let time = -0.5 + 0.11 * f64::from(step);
            world.advance_to(time).unwrap();
            // The true shapes, frozen.
            let mut still = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
            let mut frozen = Vec::new();
            for scene in &scenes {
                let mut truth = Vec::new();
                scene.body.positions(Moment::at(time), &vertices(scene), &mut truth).unwrap();
                let places = truth.iter().map(|p| p.map(|x| x as f32)).collect();
                let plan = kinetree::motion::Flightplan::fixed(places);
                frozen.push(still.add_body(BodyDef::new(scene.body.mesh().mesh().clone(), plan)).unwrap());
            }
            let number = |ids: &[BodyId], id: BodyId| ids.iter().position(|&other| other == id);
            for contact in still.contacts() {
                seen += 1;
                let sides = (number(&frozen, contact.a), number(&frozen, contact.b));
                let found = world.contacts().iter().any(|other| {
                    (number(&ids, other.a), number(&ids, other.b)) == sides
                        && (other.triangle_a, other.triangle_b) == (contact.triangle_a, contact.triangle_b)
                });
                assert!(found, "seed {seed}, {time}: {contact:?} is missed");
            }
        }
    }
    assert!(seen > 50, "{seen} contacts");
}

#[test]
fn keyframes_are_the_same_motion() {
    let mut compared = 0;
    for seed in 0..20 {
        let scene = scene(seed, Flavour::Turns);
        let pieces = pieces(&scene, Flavour::Turns);
        if pieces.jumps().contains(&true) || pieces.count() == 0 {
            assert!(scene.body.keyframes(&pieces).is_err() || pieces.count() == 0);
            continue;
        }
        let mesh = scene.body.mesh().mesh();
        let mut world = World::new(WorldDef::default().start(-2.0)).unwrap();
        let stored = world.add_body(BodyDef::new(mesh.clone(), scene.body.keyframes(&pieces).unwrap())).unwrap();
        let asked = world.add_body(BodyDef::new(mesh.clone(), scene.body.flightplan(pieces).unwrap())).unwrap();
        let loops = scene.body.driver().outside() == Outside::Loop;
        for step in 0..30 {
            world.advance_to(-2.0 + 0.23 * f64::from(step)).unwrap();
            for (a, b) in world.positions(stored).unwrap().iter().zip(world.positions(asked).unwrap()) {
                assert_eq!(*a, b, "seed {seed}, step {step}, {loops}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000);
}
