//! Windows of continuous contacts are decided ahead in small steps. Nothing a host sees depends on it: a clone has nothing prepared, so a
//! world that is replaced by its clone after each step decides all of a window when it begins.

use crate::common::dice::{Dice, Grain};
use crate::common::runner::check;
use crate::common::scene::PlanSpec;
use crate::common::script::{Params, Player, Script, Sizes, histories, random_script};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::world::{BodyDef, ContactMode, Engine, RebuildPolicy, World, WorldDef};

use std::cell::Cell;

/// All that a host sees of a step, so that not a bit may differ.
fn story(world: &World) -> String {
    format!(
        "{} {} {} {:?} {:?} {:?} {:?} {:?}",
        world.time(),
        world.stats().events,
        world.log().hash(),
        world.next_event(),
        world.interval_stats(),
        world.contacts(),
        world.contact_changes(),
        world.ongoing_contacts()
    )
}

const MODES: [(Engine, ContactMode); 3] = [
    (Engine::Auto, ContactMode::Continuous),
    (Engine::Kinetic, ContactMode::Continuous),
    (Engine::Kinetic, ContactMode::AtTimes),
];

fn def(script: &Script, (engine, contacts): (Engine, ContactMode)) -> WorldDef {
    WorldDef::new().engine(engine).contacts(contacts).start(script.start).keep_events(true)
}

/// A change that scripts do not have.
fn change(dice: &mut Dice, players: [&mut Player; 2], roster: &[PlanSpec]) {
    let present = players[0].present();
    if present.is_empty() {
        return;
    }
    let body = dice.pick(&present);
    let kind = dice.below(6);
    let (thickness, back) = (dice.pick(&[0.0, 0.125, 0.5]), dice.real(-0.5, 0.5));
    let outcomes = players.map(|player| {
        let (id, time) = (player.ids[body].unwrap(), player.world.time());
        match kind {
            0 => player.world.set_thickness(id, thickness).map_err(|error| error.to_string()),
            1 => player.world.rebuild_degraded(id, 1.0).map(|_| ()).map_err(|error| error.to_string()),
            2 => player.world.seek(time + back).map_err(|error| error.to_string()),
            // The same plan from now on: nothing moves otherwise.
            3 => match roster.get(body) {
                Some(plan) => player.world.set_flightplan(id, plan.flightplan()).map_err(|error| error.to_string()),
                None => Ok(()),
            },
            4 => {
                let mut edit = player.world.begin_edit(id).expect("a mesh");
                edit.remove_triangle(0);
                player.world.apply_edit(edit).map_err(|error| error.to_string())
            }
            _ => {
                let last = roster.get(body).and_then(|plan| plan.turns().last().copied()).unwrap_or(time);
                let places: Vec<[f32; 3]> =
                    player.world.positions(id).unwrap().iter().map(|place| place.map(|x| x as f32 + 0.25)).collect();
                player
                    .world
                    .extend_flightplan(id, last.max(time - 1.0) + 0.75, &places)
                    .map_err(|error| error.to_string())
            }
        }
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

/// Advances both by a number of steps of equal length; only the first keeps what it prepared.
fn advance(players: [&mut Player; 2], time: f64, steps: usize, context: &str) -> Result<(), String> {
    let [player, other] = players;
    let begin = player.world.time();
    for step in 1..=steps {
        let part = begin + (time - begin) * (step as f64 / steps as f64);
        let to = if step == steps { time } else { part.clamp(begin, time) };
        let outcomes = [player.advance(to), other.advance(to)];
        if outcomes[0] != outcomes[1] {
            return Err(format!("{context}: {outcomes:?}"));
        }
        other.world = other.world.clone();
        let (one, two) = (story(&player.world), story(&other.world));
        if one != two {
            return Err(format!("{context}, step {step} of {steps} to {time}:\n{one}\n{two}"));
        }
    }
    Ok(())
}

#[test]
fn nothing_depends_on_what_is_decided_ahead() {
    let (ahead, other_ahead, contacts, changes) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let sizes = Sizes {
        bodies: 2..=4,
        triangles: 14,
        keys: 8,
        steps: 10,
        changes: 40,
        grains: vec![Grain::Lattice, Grain::Crooked],
        long: 0.1,
        curved: vec![0, 0, 0, 30],
    };
    check("decided_ahead", 150, &histories(sizes), |params: Params| {
        let script = random_script(params)?;
        for mode in MODES {
            let mut player = Player::within(&script, def(&script, mode))?;
            let mut other = Player::within(&script, def(&script, mode))?;
            let dice = &mut Dice::new(params.seed, &[77]);
            let roster: Vec<PlanSpec> = script.bodies.iter().map(|body| body.plan.clone()).collect();
            for step in &script.steps {
                // Another change may have gone ahead of the script, or ended a plan early.
                let time = step.time.max(player.world.time());
                let context = format!("{mode:?}");
                let count = dice.pick(&[1, 3, 4, 7, 16]);
                advance([&mut player, &mut other], time, count, &context)?;
                contacts.set(contacts.get() + player.world.contacts().len());
                changes.set(changes.get() + player.world.contact_changes().len());
                if let Some(change) = &step.change {
                    let outcomes = [player.apply(change), other.apply(change)];
                    assert_eq!(outcomes[0], outcomes[1]);
                }
                if dice.percent(15) {
                    change(dice, [&mut player, &mut other], &roster);
                }
                let (one, two) = (story(&player.world), story(&other.world));
                if one != two {
                    return Err(format!("after a change:\n{one}\n{two}"));
                }
            }
            ahead.set(ahead.get() + player.world.stats().engines.windows_decided_ahead);
            other_ahead.set(other_ahead.get() + other.world.stats().engines.windows_decided_ahead);
        }
        Ok(())
    });
    let counts = (ahead.get(), contacts.get(), changes.get());
    assert!(counts.0 > 300 && counts.1 > 1000 && counts.2 > 300, "{counts:?}");
    assert_eq!(other_ahead.get(), 0, "a clone has nothing prepared");
}

/// Keys of the cloths below, a quarter of a second apart.
const KEYS: usize = 8;

/// Steps per key.
const STEPS: usize = 4;

/// A world and one that has nothing prepared, both with two cloths through each other.
struct Cloths {
    worlds: [World; 2],
    ids: Vec<kinetree::BodyId>,
    /// Per seed, all keys.
    keys: Vec<Vec<Vec<[f32; 3]>>>,
}

impl Cloths {
    /// `known` keys of each are known.
    fn new((engine, contacts): (Engine, ContactMode), known: usize, rebuild: RebuildPolicy) -> Self {
        let clips = [1, 2, 3].map(|seed| jittered_grid_cloth(seed, 8, 8, KEYS));
        let offset = |seed: usize, point: [f32; 3]| {
            if seed == 0 { point } else { [point[0] + 0.3, point[1] + 0.5, point[2] + 0.2] }
        };
        let keys: Vec<Vec<Vec<[f32; 3]>>> = (0..3)
            .map(|seed| {
                let clip = &clips[seed];
                (0..KEYS).map(|key| clip.key(key).iter().map(|&point| offset(seed, point)).collect()).collect()
            })
            .collect();
        let mut world = World::new(WorldDef::new().engine(engine).contacts(contacts).keep_events(true)).unwrap();
        let mut ids = Vec::new();
        for seed in 0..2 {
            let mesh = Mesh::new(clips[seed].vertex_count, clips[seed].triangles.clone()).unwrap();
            let def = BodyDef::new(mesh, plan(&keys[seed][..known])).rebuild(rebuild).self_contact(seed == 0);
            ids.push(world.add_body(def).unwrap());
        }
        Self { worlds: [world.clone(), world], ids, keys }
    }

    /// Advances both by a part of a key.
    fn step(&mut self, key: usize, step: usize) {
        let time = 0.25 * (key as f64 + step as f64 / STEPS as f64);
        self.worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
        self.worlds[1] = self.worlds[1].clone();
        assert_eq!(story(&self.worlds[0]), story(&self.worlds[1]), "{time}");
    }
}

fn plan(keys: &[Vec<[f32; 3]>]) -> Flightplan {
    Flightplan::keyframes((0..keys.len()).map(|key| 0.25 * key as f64).collect(), keys.concat())
}

/// Motion is another one only beyond the present window, at key times that stay: nothing but what was prepared tells.
#[test]
fn what_was_decided_is_forgotten_where_later_motion_changes() {
    for mode in [MODES[0], MODES[1]] {
        for streamed in [false, true] {
            let mut cloths = Cloths::new(mode, if streamed { 2 } else { KEYS }, RebuildPolicy::Off);
            let mut changes = 0;
            for key in 0..KEYS - 2 {
                for step in 1..=STEPS {
                    cloths.step(key, step);
                    changes += cloths.worlds[0].contact_changes().len();
                    if step != 2 {
                        continue;
                    }
                    let Cloths { worlds, ids, keys } = &mut cloths;
                    if !streamed {
                        // From now on the second cloth goes where the third would.
                        let (other, own) = (keys[2].clone(), &mut keys[1]);
                        let odd = key % 2 == 1;
                        for later in key + 2..KEYS {
                            own[later].clone_from(&other[if odd { later } else { KEYS - 1 - later }]);
                        }
                    }
                    for world in worlds {
                        for seed in 0..2 {
                            if streamed {
                                let told = 0.25 * (key + 2) as f64;
                                world.extend_flightplan(ids[seed], told, &keys[seed][key + 2]).unwrap();
                            } else if seed == 1 {
                                world.set_flightplan(ids[seed], plan(&keys[seed])).unwrap();
                            }
                        }
                    }
                }
            }
            assert!(changes > 100, "{mode:?}: {changes}");
        }
    }
}

/// All of the next window is found when the motion in it becomes another one: its boxes are as
/// near as before, its triangles are not.
#[test]
fn a_window_that_was_found_whole_is_forgotten_where_motion_in_it_changes() {
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let slope = |shift: f32| vec![[-4.0 + shift, -4.0, -4.0], [4.0 + shift, -4.0, -4.0], [shift, 4.0, 4.0]];
    let ball = |height: f32| vec![[0.0, -2.0, height], [0.5, -2.0, height], [0.0, -1.5, height]];
    let moving = |heights: [f32; 3]| Flightplan::keyframes(vec![0.0, 1.0, 2.0], heights.map(ball).concat());
    for mode in [MODES[0], MODES[1]] {
        let mut world = World::new(WorldDef::new().engine(mode.0).contacts(mode.1)).unwrap();
        let keys = [slope(0.0), slope(0.125), slope(0.25)].concat();
        world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))).unwrap();
        let id = world.add_body(BodyDef::new(mesh(), moving([3.0, 2.5, 2.75]))).unwrap();
        for step in 1..64 {
            world.advance_to(f64::from(step) / 64.0).unwrap();
        }
        // The plane is at −2 m and at −1.5 m below its corners.
        world.set_flightplan(id, moving([3.0, 2.5, -3.5])).unwrap();
        world.advance_to(1.5).unwrap();
        let before = world.contacts().len();
        world.advance_to(1.75).unwrap();
        assert_eq!((before, world.contacts().len()), (0, 1), "{mode:?}");
        assert!(world.audit().is_clean(), "{mode:?}");
    }
}

/// Decisions are made while trees are rebuilt at events.
#[test]
fn trees_that_are_rebuilt_on_the_way_change_nothing() {
    for mode in MODES {
        let mut cloths = Cloths::new(mode, KEYS, RebuildPolicy::Automatic { bound: 1.0 });
        for key in 0..KEYS - 1 {
            for step in 1..=STEPS {
                cloths.step(key, step);
            }
        }
        assert!(cloths.worlds[0].audit().is_clean(), "{mode:?}");
    }
}

/// A body of [`Loops`].
#[derive(Clone, Copy, Debug)]
struct Loop {
    seed: u64,
    /// The time between two keys, seconds; 0 for a body at rest.
    length: f64,
    /// By how much it moves from key to key, and jumps back at the wrap.
    drift: f32,
    /// Coordinates are multiples of this, so that many vertices are level; 0 for any.
    grain: f32,
    is_self: bool,
}

impl Loop {
    const PLAIN: Self = Self { seed: 1, length: 0.25, drift: 0.0, grain: 0.0, is_self: false };

    fn plan(self) -> Flightplan {
        let clip = jittered_grid_cloth(self.seed, 10, 10, KEYS);
        let coordinate = |x: f32| if self.grain > 0.0 { (x / self.grain).round() * self.grain } else { x };
        let place = |key: usize, p: &[f32; 3]| {
            let offset = self.seed as f32 * 0.125;
            [p[0] + offset, p[1] + offset, p[2] + offset + self.drift * key as f32].map(coordinate)
        };
        let keys: Vec<Vec<[f32; 3]>> =
            (0..KEYS).map(|key| clip.key(key).iter().map(|p| place(key, p)).collect()).collect();
        if self.length > 0.0 {
            let times = (0..KEYS).map(|key| self.length * key as f64).collect();
            Flightplan::keyframes(times, keys.concat()).outside(Outside::Loop)
        } else {
            Flightplan::fixed(keys[0].clone())
        }
    }
}

/// A world of loops, and one that has nothing prepared.
struct Loops {
    worlds: [World; 2],
    ids: Vec<kinetree::BodyId>,
}

impl Loops {
    fn new(mode: (Engine, ContactMode), loops: &[Loop]) -> Self {
        let mut world = World::new(WorldDef::new().engine(mode.0).contacts(mode.1).keep_events(true)).unwrap();
        let add = |body: &Loop| {
            let clip = jittered_grid_cloth(body.seed, 10, 10, KEYS);
            let mesh = Mesh::new(clip.vertex_count, clip.triangles).unwrap();
            world.add_body(BodyDef::new(mesh, body.plan()).self_contact(body.is_self)).unwrap()
        };
        let ids = loops.iter().map(add).collect();
        Self { worlds: [world.clone(), world], ids }
    }

    /// Advances both to a time, seconds; returns how many certificates the first had searched ahead.
    fn advance(&mut self, time: f64) -> u64 {
        self.worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
        self.worlds[1] = self.worlds[1].clone();
        assert_eq!(story(&self.worlds[0]), story(&self.worlds[1]), "{time}");
        let [ahead, none] = [0, 1].map(|world: usize| self.worlds[world].stats().engines.pairs_certified_ahead);
        assert_eq!(none, 0, "a clone has nothing prepared");
        ahead
    }

    /// Another plan for one of the bodies, with the same key times.
    fn replace(&mut self, body: usize, new: Loop) {
        let id = self.ids[body];
        self.worlds.iter_mut().for_each(|world| world.set_flightplan(id, new.plan()).unwrap());
    }
}

/// Steps of a round of seven keys.
const STEPS_PER_ROUND: u64 = 35;

/// Bodies that wrap together or in turn, one beside a body at rest, and one with itself.
#[test]
fn lists_are_certified_ahead_of_wraps() {
    let plain = Loop::PLAIN;
    let drifting = Loop { seed: 2, drift: 0.25, ..plain };
    let scenes = [
        vec![plain, Loop { seed: 2, ..plain }],
        vec![plain, drifting],
        vec![Loop { grain: 0.5, ..plain }, Loop { grain: 0.5, ..drifting }],
        vec![plain, Loop { seed: 2, length: 0.125, ..plain }],
        vec![drifting, Loop { length: 0.0, ..plain }],
        vec![Loop { is_self: true, ..plain }],
    ];
    for mode in [MODES[1], MODES[2]] {
        for scene in &scenes {
            let mut loops = Loops::new(mode, scene);
            let mut ahead = 0;
            for step in 1..=3 * STEPS_PER_ROUND {
                ahead = loops.advance(0.05 * step as f64);
                if step % 7 == 0 {
                    let report = loops.worlds[0].audit();
                    assert!(report.is_clean(), "{step}: {report}");
                }
            }
            assert!(ahead > 50, "{mode:?}, {scene:?}: {ahead}");
        }
    }
}

/// A plan of the same key times and the same reach takes the place of another one shortly before the wrap.
#[test]
fn lists_certified_ahead_are_forgotten_with_the_motion() {
    for mode in [MODES[1], MODES[2]] {
        let mut loops = Loops::new(mode, &[Loop::PLAIN, Loop { seed: 2, ..Loop::PLAIN }]);
        let mut ahead = 0;
        for round in 0..4 {
            for step in 1..=STEPS_PER_ROUND {
                ahead = loops.advance(0.05 * (round * STEPS_PER_ROUND + step) as f64);
                if step == STEPS_PER_ROUND - 2 {
                    loops.replace(1, Loop { seed: 3 + round, ..Loop::PLAIN });
                }
            }
        }
        assert!(ahead > 50, "{mode:?}: {ahead}");
    }
}

/// Nodes of a tree that is rebuilt shortly before the wrap have other vertices under the same numbers.
#[test]
fn lists_certified_ahead_are_forgotten_with_the_tree() {
    for mode in [MODES[1], MODES[2]] {
        let mut loops = Loops::new(mode, &[Loop::PLAIN, Loop { seed: 2, drift: 0.125, ..Loop::PLAIN }]);
        let (mut ahead, mut rebuilt) = (0, 0);
        for round in 0..4 {
            for step in 1..=STEPS_PER_ROUND {
                ahead = loops.advance(0.05 * (round * STEPS_PER_ROUND + step) as f64);
                if step == STEPS_PER_ROUND - 3 {
                    let id = loops.ids[1];
                    let counts = loops.worlds.each_mut().map(|world| world.rebuild_degraded(id, 1.0).unwrap());
                    assert_eq!(counts[0], counts[1]);
                    rebuilt += counts[0];
                }
            }
        }
        assert!(ahead > 50 && rebuilt > 0, "{mode:?}: {ahead}, {rebuilt}");
    }
}
