//! Contacts of trials against exact distances at rational times, over all pairs of triangles.
//!
//! The oracle knows nothing of trees, boxes and intervals: it places vertices by the documentation
//! of their plans, in rational numbers, and compares distances in integers.

use kinetree::{BodyDef, BodyId, Engine, Mesh, Trial, TrialContact, World, WorldDef};
use num_rational::BigRational as Q;
use num_traits::Zero;

use crate::dice::{Dice, Grain};
use crate::model::{Model, Plan, Scale, random_body, random_points, random_scale, random_triangles, within};
use crate::truth::{fraction, rational};

#[derive(Debug, Default)]
pub(crate) struct Tally {
    scenes: u64,
    contacts: u64,
    began: u64,
    undecided: u64,
    held: u64,
    apart: u64,
    steps: u64,
}

struct Scene {
    world: World,
    ids: Vec<BodyId>,
    models: Vec<Model>,
    thickness: Vec<f64>,
    has_self: Vec<bool>,
    moved: Vec<usize>,
    scale: Scale,
}

fn random_scene(seed: u64, engine: Engine) -> Scene {
    let mut dice = Dice::new(seed, &[]);
    let grain = [Grain::Real, Grain::Lattice, Grain::Crooked][dice.below(3)];
    let scale = random_scale(&mut dice);
    let mut world = World::new(WorldDef::new().engine(engine).start(scale.now)).unwrap();
    let count = 2 + dice.below(2);
    let (mut ids, mut models, mut thickness, mut has_self) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..count {
        let size = 1 + dice.below(5);
        let mut model = random_body(&mut dice, size, grain, scale);
        if number > 0 && dice.percent(20) {
            // The same triangles at the same places.
            model = Model {
                triangles: models.first().map_or(Vec::new(), |m: &Model| m.triangles.clone()),
                ..models[0].clone()
            };
        }
        let thick = if dice.percent(50) { 0.0 } else { f64::from(scale.space) * f64::from(dice.between(1, 4)) / 4.0 };
        let with_self = dice.percent(50);
        let mesh = Mesh::new(model.rest.len(), model.triangles.clone()).unwrap();
        let def = BodyDef::new(mesh, model.plan.flightplan()).thickness(thick).self_contact(with_self);
        ids.push(world.add_body(def).unwrap());
        models.push(model);
        thickness.push(thick);
        has_self.push(with_self);
    }
    let moved = if dice.percent(30) { vec![0, 1] } else { vec![0] };
    Scene { world, ids, models, thickness, has_self, moved, scale }
}

/// The bodies of the trial as they are proposed.
fn proposals(scene: &Scene, dice: &mut Dice, grain: Grain) -> Vec<Vec<[f32; 3]>> {
    let propose = |&body: &usize| {
        let here = scene.world.positions(scene.ids[body]).unwrap();
        match dice.below(5) {
            // No motion, as far as numbers allow.
            0 => here.iter().map(|place| place.map(|x| x as f32)).collect(),
            1 => {
                let by = random_points(dice, 1, grain, scene.scale)[0];
                here.iter().map(|place| std::array::from_fn(|k| place[k] as f32 + by[k])).collect()
            }
            2 => vec![random_points(dice, 1, grain, scene.scale)[0]; here.len()],
            _ => random_points(dice, here.len(), grain, scene.scale),
        }
    };
    scene.moved.iter().map(propose).collect()
}

/// Checks the contacts of a trial against the truth at many times.
fn check(scene: &Scene, models: &[Model], contacts: &[TrialContact], step: f64, tally: &mut Tally) {
    let Scene { scale, .. } = scene;
    let end = scale.now + scale.length;
    let (begin_q, end_q) = (rational(scale.now), rational(end));
    let length = &end_q - &begin_q;
    let mut shared: Vec<Q> = vec![begin_q.clone(), end_q.clone(), &begin_q + &length * fraction(1, 999_983)];
    for denominator in 2..=5 {
        shared.extend((1..denominator).map(|n| &begin_q + &length * fraction(n, denominator)));
    }
    shared.push(&begin_q + &length * rational(step));
    for a in 0..models.len() {
        for b in a..models.len() {
            let is_of_trial = scene.moved.contains(&a) || scene.moved.contains(&b);
            if !is_of_trial || (a == b && !scene.has_self[a]) {
                continue;
            }
            let distance = rational(0.5 * scene.thickness[a] + 0.5 * scene.thickness[b]);
            for p in 0..models[a].triangles.len() as u32 {
                for q in 0..models[b].triangles.len() as u32 {
                    if a == b && (p >= q || models[a].are_neighbours(p, q)) {
                        continue;
                    }
                    let of_pair: Vec<&TrialContact> = contacts
                        .iter()
                        .filter(|found| {
                            let contact = found.contact;
                            (contact.a, contact.b) == (scene.ids[a], scene.ids[b])
                                && (contact.triangle_a, contact.triangle_b) == (p, q)
                        })
                        .collect();
                    check_pair(scene, &models[a], &models[b], (p, q), &distance, &of_pair, &shared, step, tally);
                }
            }
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "one call")]
fn check_pair(
    scene: &Scene,
    a: &Model,
    b: &Model,
    (p, q): (u32, u32),
    distance: &Q,
    found: &[&TrialContact],
    shared: &[Q],
    step: f64,
    tally: &mut Tally,
) {
    let end = scene.scale.now + scene.scale.length;
    let (first, last) = (rational(scene.scale.now), rational(end));
    let touch = |time: &Q| within(&a.corners(p, time), &b.corners(q, time), distance);
    let mut times = shared.to_vec();
    for contact in found {
        let ends = [Some(contact.begin), contact.end];
        for end in ends.into_iter().flatten() {
            times.extend([end.lo, end.lo.next_down(), end.hi, end.hi.next_up()].map(rational));
            tally.undecided += u64::from(contact.undecided);
        }
        tally.contacts += 1;
        tally.began += u64::from(!contact.touches_at_start);
    }
    times.retain(|time| *time >= first && *time <= last);
    let jumps = |time: &Q| [a, b].iter().any(|model| wraps_at(&model.plan, time));
    times.retain(|time| !jumps(time));
    // Where positions at the ends of a window are rounded, the inner sides of enclosures are
    // rounded too; the outer ones never miss.
    let is_exact = [a, b].iter().all(|model| model.is_exact_over(scene.scale.now, end));
    let inward = if is_exact { Q::zero() } else { (&last - &first) * fraction(1, 1 << 20) };
    for time in &times {
        let may = found.iter().any(|contact| {
            let end = contact.end.map_or(last.clone(), |end| rational(end.hi));
            rational(contact.begin.lo) <= *time && *time <= end
        });
        let must = found.iter().any(|contact| {
            let end = contact.end.map_or(last.clone(), |end| rational(end.lo) - &inward);
            let begin = if contact.touches_at_start { first.clone() } else { rational(contact.begin.hi) + &inward };
            !contact.undecided && begin <= *time && *time <= end
        });
        let truth = touch(time);
        assert!(!truth || may, "missed at {time}: triangles {p}, {q}, {found:?}\n{a:?}\n{b:?}");
        assert!(truth || !must, "invented at {time}: triangles {p}, {q}, {found:?}\n{a:?}\n{b:?}");
        tally.held += u64::from(truth);
        tally.apart += u64::from(!truth);
    }
    if jumps(&first) {
        return;
    }
    let is_at_start = touch(&first);
    let told = found.iter().any(|contact| contact.touches_at_start);
    assert_eq!(is_at_start, told, "at the start: triangles {p}, {q}, {found:?}");
    if !is_at_start {
        let until = &first + (&last - &first) * rational(step);
        let is_free = times.iter().filter(|time| **time < until).all(|time| !touch(time));
        assert!(is_free, "a step of {step} is too long: triangles {p}, {q}, {found:?}");
        tally.steps += 1;
    }
}

/// Whether a loop of a plan wraps at a time.
fn wraps_at(plan: &Plan, time: &Q) -> bool {
    let Plan::Keys { times, loops: true, .. } = plan else { return false };
    let (first, last) = (rational(times[0]), rational(times[times.len() - 1]));
    ((time - &first) / (last - first)).is_integer()
}

fn contacts_of(trial: &mut Trial<'_>) -> (Vec<TrialContact>, f64) {
    let contacts = trial.contacts().unwrap().to_vec();
    (contacts, trial.step_size().unwrap())
}

fn run(seeds: std::ops::Range<u64>, engine: Engine) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut scene = random_scene(seed, engine);
        let mut dice = Dice::new(seed, &[1]);
        let grain = [Grain::Real, Grain::Lattice, Grain::Crooked][dice.below(3)];
        let (first, second) = (proposals(&scene, &mut dice, grain), proposals(&scene, &mut dice, grain));
        let end = scene.scale.now + scene.scale.length;
        let moves = |to: &[Vec<[f32; 3]>]| -> Vec<(BodyId, Vec<[f32; 3]>)> {
            scene.moved.iter().zip(to).map(|(&body, to)| (scene.ids[body], to.clone())).collect()
        };
        let (first_moves, second_moves) = (moves(&first), moves(&second));
        let proposed = |to: &[Vec<[f32; 3]>]| {
            let mut models = scene.models.clone();
            for (&body, to) in scene.moved.iter().zip(to) {
                let from = scene.world.positions(scene.ids[body]).unwrap();
                models[body].plan = Plan::Proposed { times: [scene.scale.now, end], from, to: to.clone() };
            }
            models
        };
        let (first_models, second_models) = (proposed(&first), proposed(&second));
        let mut world = scene.world.clone();
        let borrowed: Vec<_> = first_moves.iter().map(|(id, to)| (*id, to.as_slice())).collect();
        let mut trial = world.trial_of(&borrowed, end).unwrap();
        let (contacts, step) = contacts_of(&mut trial);
        check(&scene, &first_models, &contacts, step, &mut tally);
        for (id, to) in &second_moves {
            trial.correct(*id, to).unwrap();
        }
        let (corrected, step) = contacts_of(&mut trial);
        check(&scene, &second_models, &corrected, step, &mut tally);
        // A trial of the corrected positions from the beginning says the same.
        let borrowed: Vec<_> = second_moves.iter().map(|(id, to)| (*id, to.as_slice())).collect();
        let mut again = scene.world.trial_of(&borrowed, end).unwrap();
        assert_eq!(again.contacts().unwrap(), corrected, "seed {seed}");
        tally.scenes += 1;
    }
    eprintln!("{engine:?}: {tally:?}");
    tally
}

/// Random scenes of all scales, kinds of motion and degeneracies, with every engine.
#[test]
fn no_contact_of_a_trial_is_missed_or_invented() {
    let count = if std::env::var_os("KINETREE_TORTURE").is_some() { 400 } else { 8 };
    let engines = [Engine::Auto, Engine::Kinetic, Engine::Refit, Engine::Interval, Engine::BruteForce];
    for (place, engine) in (0..).zip(engines) {
        let tally = run(1000 * place..1000 * place + count, engine);
        assert!(tally.held > 300 && tally.apart > 300 && tally.began > 10, "{tally:?}");
    }
}

/// Twice the same triangles: unused by the tests above only if no scene is degenerate.
#[test]
fn scenes_hold_degenerate_triangles() {
    let mut dice = Dice::new(7, &[]);
    let triangles = random_triangles(&mut dice, 200, 9);
    assert!(triangles.iter().any(|[p, q, r]| p == q && q == r));
    assert!(triangles.windows(2).any(|pair| pair[0] == pair[1]));
}
