//! Poses that are streamed, cut off and exchanged while worlds of every engine run.

use std::collections::BTreeSet;
use std::sync::Arc;

use kinetree::BodyId;
use kinetree::bvh::BuildParams;
use kinetree::motion::Flightplan;
use kinetree::reduced::{Affine, Pose, PoseStream, ReducedMesh};
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use crate::common::dice::Dice;
use crate::reduced_skins::{Flavour, distance, quaternion, rounds, scene, vector};
use crate::truth::{Script, meet};

/// A random pose, not far from its place; without scales for spherical blending.
fn pose(dice: &mut Dice, mesh: &ReducedMesh, place: [f64; 3], is_rigid: bool, morphs: &[f64]) -> Pose {
    let mut map = || {
        let [x, y, z, w] = quaternion(dice);
        let turn = [0.3 * x, 0.3 * y, 0.3 * z, 1.0 + 0.1 * w];
        let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off = vector(dice, 0.4);
        let scale = if is_rigid { [1.0; 3] } else { std::array::from_fn(|_| dice.real(0.6, 1.5)) };
        Affine::from_parts(std::array::from_fn(|i| place[i] + off[i]), turn.map(|x| x / length), scale)
    };
    Pose { maps: (0..mesh.map_count()).map(|_| map()).collect(), morphs: morphs.to_vec() }
}

struct Actor {
    mesh: Arc<ReducedMesh>,
    stream: PoseStream,
    script: Script,
    place: [f64; 3],
    is_rigid: bool,
    ids: Vec<BodyId>,
}

impl Actor {
    fn new(dice: &mut Dice, seed: u64, flavour: Flavour, place: [f64; 3]) -> Self {
        let mesh = Arc::clone(scene(seed, flavour).body.mesh());
        let is_rigid = flavour == Flavour::Rigid;
        let morphs: Vec<f64> = (0..mesh.morph_count()).map(|_| dice.real(-1.0, 1.0)).collect();
        let first = pose(dice, &mesh, place, is_rigid, &morphs);
        let stream = PoseStream::new(Arc::clone(&mesh), 0.0, first.clone()).unwrap();
        Self { mesh, stream, script: Script(vec![(0.0, first.clone(), first)]), place, is_rigid, ids: Vec::new() }
    }

    fn next_pose(&self, dice: &mut Dice, may_morph: bool) -> Pose {
        let (_, _, last) = &self.script.0[self.script.0.len() - 1];
        let mut morphs = last.morphs.clone();
        if may_morph && dice.percent(50) {
            morphs.iter_mut().for_each(|morph| *morph = dice.real(-1.0, 1.0));
        }
        pose(dice, &self.mesh, self.place, self.is_rigid, &morphs)
    }

    /// One change of a random kind.
    fn change(&mut self, dice: &mut Dice, now: f64, may_morph: bool) {
        match dice.below(5) {
            0 if !self.is_rigid && !may_morph => {
                let from = dice.real(now, now + 0.5).max(now);
                let left = self.stream.truncate(now, from).unwrap();
                if from < self.script.0[self.script.0.len() - 1].0 {
                    self.script.cut(from);
                    assert!((left - from).abs() == 0.0, "{left} {from}");
                }
            }
            1 if !self.is_rigid && !may_morph => {
                let (time, new) = (dice.real(now, now + 0.4).max(now), self.next_pose(dice, may_morph));
                assert_eq!(self.stream.jump(now, time, new.clone()).unwrap(), time);
                self.script.cut(time);
                let last = self.script.0.len() - 1;
                self.script.0[last].2 = new.clone();
                if self.script.0.len() == 1 {
                    self.script.0[last].1 = new;
                }
            }
            _ => {
                for _ in 0..=dice.below(3) {
                    let begin = self.stream.last_time().max(now);
                    let (time, new) = (begin + dice.real(0.02, 0.4), self.next_pose(dice, may_morph));
                    self.stream.extend(now, time, new.clone()).unwrap();
                    let (last, _, resting) = self.script.0[self.script.0.len() - 1].clone();
                    if last < now {
                        self.script.0.push((now, resting.clone(), resting));
                    }
                    self.script.0.push((time, new.clone(), new));
                }
            }
        }
    }
}

fn partner() -> BodyDef {
    let plan = Flightplan::keyframes(
        vec![0.0, 4.0, 9.0],
        vec![
            [-1.0, -1.0, 0.0],
            [1.0, -1.0, 0.0],
            [0.0, 1.0, 0.3],
            [-1.0, -1.0, 0.5],
            [1.0, -1.0, 0.9],
            [0.0, 1.0, -0.5],
            [-1.0, -0.5, 0.0],
            [1.0, -1.0, 0.2],
            [0.0, 1.0, 0.7],
        ],
    );
    BodyDef::new(kinetree::Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)
}

/// Worlds of every kind; the last one finds contacts by brute force.
fn worlds() -> Vec<World> {
    let defs = [
        WorldDef::default(),
        WorldDef::default().engine(Engine::Kinetic).keep_events(true),
        WorldDef::default().contacts(ContactMode::Continuous),
        WorldDef::default().engine(Engine::BruteForce),
    ];
    defs.map(|def| World::new(def).unwrap()).into()
}

fn definition(actor: &Actor) -> BodyDef {
    let def = BodyDef::bounded(actor.mesh.mesh().clone(), actor.stream.sampler());
    let build = BuildParams { leaf_size: 1, ..def.tree.build };
    def.build(build)
}

/// Pairs of triangles of both actors.
type Pairs = BTreeSet<(u32, u32)>;

/// Contacts of the scripts at a time as far as they are certain, and those that are not.
fn true_contacts(actors: &[Actor], time: f64) -> [Pairs; 2] {
    let positions: Vec<_> = actors.iter().map(|actor| actor.script.positions(&actor.mesh, time)).collect();
    let corners = |actor: usize, triangle: [u32; 3]| triangle.map(|vertex| positions[actor][vertex as usize]);
    let (mut certain, mut unsure) = (BTreeSet::new(), BTreeSet::new());
    for (i, p) in (0..).zip(actors[0].mesh.mesh().triangles()) {
        for (j, q) in (0..).zip(actors[1].mesh.mesh().triangles()) {
            match meet(corners(0, *p), corners(1, *q)) {
                Some(true) => {
                    certain.insert((i, j));
                }
                Some(false) => {}
                None => {
                    unsure.insert((i, j));
                }
            }
        }
    }
    [certain, unsure]
}

#[test]
fn contacts_equal_brute_force_over_an_evaluation_of_its_own() {
    let (mut seen, mut own, mut unsure, mut touches, mut times) = (0, 0, 0, 0, 0);
    for (kind, flavour) in [Flavour::Turns, Flavour::Everything, Flavour::Rigid].into_iter().enumerate() {
        for seed in 0..rounds(6) {
            let dice = &mut Dice::new(seed, &[71, kind as u64]);
            // Pieces in which maps and morph weights both change cannot be cut.
            let may_morph = flavour == Flavour::Everything && seed % 2 == 1;
            let mut worlds = worlds();
            let mut actors = [[0.0; 3], [0.5, 0.1, 0.0]]
                .map(|place| Actor::new(dice, seed + u64::from(place[0] > 0.0), flavour, place));
            for actor in &mut actors {
                actor.ids = worlds.iter_mut().map(|world| world.add_body(definition(actor)).unwrap()).collect();
            }
            for world in &mut worlds {
                world.add_body(partner()).unwrap();
            }
            let mut now = 0.0;
            for step in 0..40 {
                for actor in &mut actors {
                    if dice.percent(60) {
                        actor.change(dice, now, may_morph);
                        let plan = actor.stream.flightplan();
                        for (world, &id) in worlds.iter_mut().zip(&actor.ids) {
                            world.set_flightplan(id, plan.clone()).unwrap();
                        }
                    }
                }
                now += dice.pick(&[0.0, 0.004, 0.05, 0.11, 0.3]);
                worlds.iter_mut().for_each(|world| world.advance_to(now).unwrap());
                let name = format!("{flavour:?}, seed {seed}, step {step}, {now} s");
                let [auto, kinetic, continuous, brute] = &worlds[..] else { unreachable!() };
                assert_eq!(auto.stats().engines.on_demand, 2, "{name}");
                assert_eq!(kinetic.stats().engines.kinetic_bounded, 2, "{name}");
                assert_eq!(continuous.stats().engines.kinetic_bounded, 2, "{name}");
                assert_eq!(auto.contacts(), brute.contacts(), "{name}");
                assert_eq!(kinetic.contacts(), brute.contacts(), "{name}");
                for contact in brute.contacts() {
                    assert!(continuous.contacts().contains(contact), "{name}: {contact:?} is missing");
                }
                touches += continuous.contact_changes().len();
                for world in &worlds {
                    assert!(world.audit().is_clean(), "{name}: {}", world.audit());
                }
                (seen, times) = (seen + brute.contacts().len(), times + 1);
                if flavour == Flavour::Rigid {
                    continue;
                }
                for actor in &actors {
                    let truth = actor.script.positions(&actor.mesh, now);
                    for (found, truth) in auto.positions(actor.ids[0]).unwrap().iter().zip(&truth) {
                        assert!(distance(found, truth) < 1e-11, "{name}: {found:?}, {truth:?}");
                    }
                }
                let [certain, open] = true_contacts(&actors, now);
                let (a, b) = (actors[0].ids[0], actors[1].ids[0]);
                let found: Pairs = auto
                    .contacts()
                    .iter()
                    .filter(|contact| (contact.a, contact.b) == (a, b))
                    .map(|contact| (contact.triangle_a, contact.triangle_b))
                    .collect();
                assert!(certain.is_subset(&found), "{name}: {:?} are missing", &certain - &found);
                assert!(found.iter().all(|pair| certain.contains(pair) || open.contains(pair)), "{name}");
                (own, unsure) = (own + certain.len(), unsure + open.len());
            }
        }
    }
    assert!(seen > 3000 && own > 2000 && touches > 1000, "{seen}, {own} contacts, {touches} changes");
    assert!(unsure < own / 20, "{unsure} of {own} are not certain");
    assert!(times >= 700, "{times}");
}

/// A stream that goes on without end holds a few poses, whatever was streamed before.
#[test]
fn past_poses_are_given_up() {
    let dice = &mut Dice::new(3, &[72]);
    let mut actor = Actor::new(dice, 3, Flavour::Turns, [0.0; 3]);
    let mut world = World::new(WorldDef::default()).unwrap();
    let id = world.add_body(definition(&actor)).unwrap();
    let mut most = 0;
    for frame in 1..2000 {
        let time = f64::from(frame) / 60.0;
        let next = actor.next_pose(dice, false);
        actor.stream.extend(world.time(), time + 0.05, next).unwrap();
        world.set_flightplan(id, actor.stream.flightplan()).unwrap();
        world.advance_to(time).unwrap();
        most = most.max(actor.stream.times().count());
    }
    assert!(most <= 6, "{most} poses");
    // Nothing is evaluated or built again: the motion goes on as it did.
    assert_eq!(world.stats().engines.on_demand, 1);
}

/// A scheduled plan of the same mesh keeps the bounds, whether from a stream or another clip.
#[test]
fn scheduled_plans_keep_bounds() {
    for engine in [Engine::Auto, Engine::Kinetic] {
        let dice = &mut Dice::new(5, &[73]);
        let mut actor = Actor::new(dice, 5, Flavour::Turns, [0.0; 3]);
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        let mut brute = World::new(WorldDef::default().engine(Engine::BruteForce)).unwrap();
        let id = world.add_body(definition(&actor)).unwrap();
        let same = brute.add_body(definition(&actor)).unwrap();
        for world in [&mut world, &mut brute] {
            world.add_body(partner()).unwrap();
        }
        let next = actor.next_pose(dice, false);
        actor.stream.jump(0.0, 0.7, next).unwrap();
        for (world, id) in [(&mut world, id), (&mut brute, same)] {
            world.schedule_flightplan(id, 0.3, actor.stream.flightplan()).unwrap();
        }
        let mut seen = 0;
        for step in 1..40 {
            for world in [&mut world, &mut brute] {
                world.advance_to(0.05 * f64::from(step)).unwrap();
            }
            assert_eq!(world.contacts(), brute.contacts(), "{engine:?}, {step}");
            seen += world.contacts().len();
            let engines = world.stats().engines;
            assert_eq!(engines.on_demand + engines.kinetic_bounded, 1, "{engine:?}, {step}");
            assert!(world.audit().is_clean(), "{}", world.audit());
        }
        assert!(seen > 20, "{seen}");
    }
}
