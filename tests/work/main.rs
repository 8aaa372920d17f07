//! Pins of the work that worlds do: counters at the end of a run, and a checksum of what worlds save and count after every
//! step. A change that finds the same contacts in another way, or at another time, fails here.
//!
//! Contacts are tested elsewhere. If a change of the work is wanted, `KINETREE_UPDATE_WORK=1 cargo test --test work` writes
//! the tables beside this file again; their difference shows what the change costs.

#![cfg(feature = "record")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../recordings/history.rs"]
mod history;
#[path = "../pinned/mod.rs"]
mod pinned;
mod questions;
mod scenes;
mod table;

use std::fmt::Write;

use common::checksum::{chained, checksum};
use common::dice::Dice;
use common::kinds::MODES;
use common::scene::Style;
use history::{Action, definitions, first_actions, next_action, style};
use kinetree::BodyId;
use kinetree::kinetic::TreeKind;
use kinetree::world::{BodyDef, ChangeId, ContactMode, Engine, Filter, RebuildPolicy, World, WorldDef};
use table::{Row, compare};

/// What a world saves, counts and shows, as a number that follows `before`.
fn state(before: u64, world: &World, is_saved: bool) -> u64 {
    let mut stats = world.stats();
    // Depends on the sizes of types and on how collections grow.
    stats.bytes = 0;
    let counted = format!("{stats:?} {:?} {:?}", world.interval_stats(), world.contacts());
    let before = chained(before, counted.as_bytes());
    // A sampler cannot be saved.
    if is_saved { chained(before, &world.to_bytes().unwrap()) } else { before }
}

fn begun(def: WorldDef, bodies: &[BodyDef]) -> (World, Vec<BodyId>) {
    let mut world = World::new(def).unwrap();
    let ids = bodies.iter().map(|body| world.add_body(body.clone()).unwrap()).collect();
    (world, ids)
}

/// How a scene is run: in `steps` equal steps from `begin` to `end`.
#[derive(Clone, Copy)]
struct Run {
    begin: f64,
    end: f64,
    steps: usize,
    /// Whether the world is saved after every step.
    is_saved: bool,
}

/// Compares what a scene gives with its table: with the feature `rayon` in one thread, and in two all but the bytes.
fn pin(name: &str, rows: impl Fn() -> Vec<Row> + Sync) {
    #[cfg(feature = "rayon")]
    let rows = {
        let pool = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let two = pool(2).install(&rows);
        let one = pool(1).install(&rows);
        assert!(one.iter().zip(&two).all(|(one, two)| one.is_same_work(two)), "{name}: other work in two threads");
        move || one
    };
    compare(name, &rows());
}

/// Runs a scene under every engine and both modes of contacts. `before` is called before every step.
fn run(name: &str, run: Run, bodies: &[BodyDef], before: impl Fn(&mut World, &[BodyId], usize) + Sync) {
    let row = |&(engine, mode): &(Engine, ContactMode)| {
        let def = WorldDef::new().engine(engine).contacts(mode).start(run.begin);
        let (mut world, ids) = begun(def, bodies);
        let mut sum = checksum(name.as_bytes());
        for step in 1..=run.steps {
            before(&mut world, &ids, step);
            world.advance_to(run.begin + (run.end - run.begin) * step as f64 / run.steps as f64).unwrap();
            sum = state(sum, &world, run.is_saved);
        }
        Row::new(format!("{engine:?} {mode:?}"), &world, sum)
    };
    pin(name, || MODES.iter().map(row).collect());
}

fn untouched(_: &mut World, _: &[BodyId], _: usize) {}

#[test]
fn cloth_on_a_table() {
    let at = Run { begin: 0.8, end: 1.2, steps: 60, is_saved: true };
    run("cloth_on_a_table", at, &scenes::tablecloth(), untouched);
}

#[test]
fn a_dress() {
    let at = Run { begin: 0.0, end: 0.1, steps: 30, is_saved: true };
    run("a_dress", at, &scenes::dress(), untouched);
}

#[test]
fn a_strip_that_folds() {
    let at = Run { begin: 0.0, end: 0.25, steps: 40, is_saved: true };
    run("a_strip_that_folds", at, &scenes::folding(), untouched);
}

#[test]
fn spheres_that_grow() {
    // Beyond the horizon of motion without an end.
    run("spheres_that_grow", Run { begin: 0.0, end: 80.0, steps: 24, is_saved: true }, &scenes::spheres(), untouched);
}

#[test]
fn many_boxes_that_drift() {
    run(
        "many_boxes_that_drift",
        Run { begin: 0.0, end: 7.0, steps: 28, is_saved: true },
        &scenes::drifting(),
        untouched,
    );
}

#[test]
fn sheets_that_loop() {
    run("sheets_that_loop", Run { begin: 0.0, end: 1.5, steps: 120, is_saved: true }, &scenes::looping(), untouched);
}

#[test]
fn soups_in_trees_of_all_kinds() {
    run(
        "soups_in_trees_of_all_kinds",
        Run { begin: 0.0, end: 0.2, steps: 20, is_saved: true },
        &scenes::soups(),
        untouched,
    );
}

#[test]
fn figures_with_bounds() {
    run("figures_with_bounds", Run { begin: 0.0, end: 0.5, steps: 40, is_saved: false }, &scenes::figures(), untouched);
}

#[test]
fn keys_that_come_in_time() {
    let (bodies, keys) = scenes::streamed();
    let at = Run { begin: 0.0, end: 1.0, steps: 96, is_saved: true };
    run("keys_that_come_in_time", at, &bodies, |world, ids, step| {
        // Two keys are known; the next one comes eight steps before its predecessor is reached.
        if step % 8 == 1 {
            let number = 2 + step / 8;
            for (body, keys) in ids.iter().zip(&keys) {
                world.extend_flightplan(*body, number as f64 / 12.0, &keys[number % keys.len()]).unwrap();
            }
        }
    });
}

#[test]
fn a_budget_in_every_step() {
    let row = |engine: Engine| {
        let def = WorldDef::new().engine(engine).contacts(ContactMode::Continuous).keep_events(true);
        let (mut world, _) = begun(def, &scenes::tablecloth());
        let mut sum = 0;
        for step in 1..=16 {
            while !world.advance_to_within(f64::from(step) / 48.0, 200).unwrap().is_done {
                sum = state(sum, &world, false);
            }
            sum = state(sum, &world, true);
        }
        Row::new(format!("{engine:?}"), &world, sum)
    };
    pin("a_budget_in_every_step", || [Engine::Auto, Engine::Kinetic].map(row).into());
}

/// A world that is told of random calls, and what came of them.
struct History {
    dice: Dice,
    style: Style,
    world: World,
    ids: Vec<BodyId>,
    changes: Vec<ChangeId>,
    sum: u64,
}

impl History {
    fn act(&mut self, action: &Action) -> String {
        act!(self.world, action, self.ids, self.changes)
    }
}

/// Calls of all kinds, in random order, under every engine and mode. `vary` changes a call or
/// leaves it out; `more` follows each call, and returns what came of it.
fn histories(
    (name, tag): (&str, u64),
    seeds: std::ops::Range<u64>,
    vary: fn(Action, &mut Dice) -> Option<Action>,
    more: fn(&mut History) -> String,
) {
    let row = |number: usize, def: WorldDef, seed: u64| {
        let mut dice = Dice::new(seed, &[tag]);
        let style = style(&mut dice);
        let world = World::new(def).unwrap();
        let mut history = History { dice, style, world, ids: Vec::new(), changes: Vec::new(), sum: seed };
        for action in first_actions(&mut history.dice, style) {
            if let Some(action) = vary(action, &mut history.dice) {
                history.act(&action);
            }
        }
        for _ in 0..40 {
            let action = next_action(&mut history.dice, style, &history.world, &history.ids);
            let Some(action) = vary(action, &mut history.dice) else { continue };
            let told = history.act(&action) + &more(&mut history);
            history.sum = state(chained(history.sum, told.as_bytes()), &history.world, true);
        }
        Row::new(format!("{number} {seed}"), &history.world, history.sum)
    };
    pin(name, || {
        let numbered = || definitions().into_iter().enumerate();
        numbered().flat_map(|(number, def)| seeds.clone().map(move |seed| row(number, def, seed))).collect()
    });
}

#[test]
fn calls_of_all_kinds() {
    histories(("calls_of_all_kinds", 41), 0..12, |action, _| Some(action), |_| String::new());
}

#[test]
fn more_calls_of_all_kinds() {
    histories(("more_calls_of_all_kinds", 41), 12..24, |action, _| Some(action), |_| String::new());
}

/// A body with rules, a tree and an engine of any kind.
fn varied(def: BodyDef, dice: &mut Dice) -> BodyDef {
    let def = if dice.percent(30) { def.tree(TreeKind::Box) } else { def };
    let def = if dice.percent(20) { def.neighbours(true) } else { def };
    let def = if dice.percent(20) { def.rebuild(RebuildPolicy::Automatic { bound: 1.05 }) } else { def };
    let def = if dice.percent(20) { def.engine(dice.pick(&[Engine::Refit, Engine::Kinetic])) } else { def };
    if dice.percent(10) { def.filter(Filter::new(dice.pick(&[1, 2]), dice.pick(&[1, 3]))) } else { def }
}

/// Bodies of all kinds, and times that are often those of keys and changes.
fn varied_action(action: Action, dice: &mut Dice) -> Option<Action> {
    match action {
        Action::Limits(_) => None,
        Action::Advance(to) if to.is_finite() && dice.percent(60) => Some(Action::Advance((4.0 * to).ceil() / 4.0)),
        Action::Add(def) => Some(Action::Add(Box::new(varied(*def, dice)))),
        action => Some(action),
    }
}

/// Questions, and now and then a trial, a recording, an advance in parts, or a copy.
fn asked(history: &mut History) -> String {
    let History { dice, style, world, .. } = history;
    let mut told = String::new();
    match dice.below(12) {
        0..=2 => write!(told, "{:?}", questions::proposal(dice, *style, world)).unwrap(),
        3 => told += &questions::recorded(world),
        4 | 5 => {
            let target = world.time() + dice.pick(&[0.25, 0.5, 1.0]);
            let budget = dice.pick(&[1, 4, 16]);
            for _ in 0..3 {
                write!(told, "{:?}", world.advance_to_within(target, budget)).unwrap();
                history.sum = state(history.sum, world, false);
            }
        }
        6 => {
            let snapshot = world.snapshot();
            let later = world.time() + dice.pick(&[0.25, 1.0]);
            let advanced = world.advance_to(later);
            write!(told, "{advanced:?}{:?}", world.contact_changes()).unwrap();
            *world = World::restore(&snapshot);
        }
        _ => {}
    }
    told + &questions::answers(dice, *style, world)
}

#[test]
fn questions_of_all_kinds() {
    histories(("questions_of_all_kinds", 43), 0..12, varied_action, asked);
}

#[test]
fn more_questions_of_all_kinds() {
    histories(("more_questions_of_all_kinds", 43), 12..24, varied_action, asked);
}

#[test]
fn still_more_questions_of_all_kinds() {
    histories(("still_more_questions_of_all_kinds", 43), 24..36, varied_action, asked);
}

/// Bodies of scenes that grow, fly, drift, loop and walk, and questions at all times.
#[test]
fn questions_about_scenes() {
    let all = [scenes::spheres(), scenes::soups(), scenes::drifting(), scenes::looping(), scenes::figures()];
    let spans = [[0.0, 70.0], [0.0, 0.2], [0.0, 5.0], [0.0, 0.5], [0.0, 0.5]];
    let row = |scene: usize, &(engine, mode): &(Engine, ContactMode)| {
        let [begin, end] = spans[scene];
        let (mut world, _) = begun(WorldDef::new().engine(engine).contacts(mode).start(begin), &all[scene]);
        let dice = &mut Dice::new(scene as u64, &[44]);
        let style = style(dice);
        let mut sum = scene as u64;
        // Figures are large.
        let steps = if scene == 4 { 3 } else { 8 };
        for step in 1..=steps {
            world.advance_to(begin + (end - begin) * f64::from(step) / f64::from(steps)).unwrap();
            for _ in 0..2 {
                sum = chained(sum, questions::answers(dice, style, &world).as_bytes());
            }
            sum = state(sum, &world, false);
        }
        Row::new(format!("{scene} {engine:?} {mode:?}"), &world, sum)
    };
    pin("questions_about_scenes", || {
        let modes = |scene: usize| if scene == 4 { &MODES[5..6] } else { &MODES[..] };
        (0..all.len()).flat_map(|scene| modes(scene).iter().map(move |mode| row(scene, mode))).collect()
    });
}
