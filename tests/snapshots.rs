//! Snapshots: a restored world has the future and the log of the original, bit for bit, whatever is done to it.

#![cfg(feature = "record")]

mod common;
#[path = "recordings/history.rs"]
mod history;

use std::collections::BTreeMap;

use common::dice::Dice;
use history::{Action, definitions, first_actions, next_action, style};
use kinetree::BodyId;
use kinetree::replay::StateHash;
use kinetree::world::{ChangeId, World, WorldDef};

/// A world, with the names that calls of it refer to.
struct Host {
    world: World,
    ids: Vec<BodyId>,
    changes: Vec<ChangeId>,
}

impl Host {
    fn act(&mut self, action: &Action) -> String {
        let Self { world, ids, changes } = self;
        act!(world, action, ids, changes)
    }

    /// Carries actions out; returns all that can be asked in between, in words.
    fn tell(&mut self, actions: &[Action]) -> Vec<String> {
        let mut told = Vec::new();
        for action in actions {
            let outcome = self.act(action);
            let (world, next) = (&self.world, self.world.next_event());
            let scheduled: Vec<_> = world.scheduled_changes().collect();
            let (state, mut stats) = (StateHash::of(world), world.stats());
            // Counts room that a vector has for more.
            stats.bytes = 0;
            // What was prepared is not part of a snapshot.
            stats.engines.windows_decided_ahead = 0;
            stats.engines.pairs_certified_ahead = 0;
            told.push(format!("{outcome} {state:?} {next:?} {scheduled:?} {stats:?} {:?}", world.ongoing_contacts()));
        }
        told
    }
}

fn begun(seed: u64, def: WorldDef) -> (Host, Dice) {
    let mut dice = Dice::new(seed, &[21]);
    let style = style(&mut dice);
    let mut host = Host { world: World::new(def).unwrap(), ids: Vec::new(), changes: Vec::new() };
    for action in first_actions(&mut dice, style) {
        host.act(&action);
    }
    for _ in 0..12 {
        let action = next_action(&mut dice, style, &host.world, &host.ids);
        host.act(&action);
    }
    (host, dice)
}

#[test]
fn a_restored_world_has_the_future_of_the_original() {
    let (mut contacts, mut kinds) = (0, BTreeMap::new());
    for seed in 0..20 {
        for def in definitions() {
            let (mut host, mut dice) = begun(seed, def);
            let style = style(&mut dice);
            let before = StateHash::of(&host.world);
            let snapshot = host.world.snapshot();
            // The original goes first; what it does is written down, and done again by restored worlds.
            let (mut actions, mut first) = (Vec::new(), Vec::new());
            let names = (host.ids.clone(), host.changes.clone());
            for _ in 0..20 {
                let action = next_action(&mut dice, style, &host.world, &host.ids);
                *kinds.entry(format!("{action:?}").split('(').next().unwrap().to_owned()).or_insert(0) += 1;
                first.extend(host.tell(std::slice::from_ref(&action)));
                actions.push(action);
            }
            assert_eq!(StateHash::of(snapshot.world()), before, "seed {seed}: the snapshot changed");
            for _ in 0..2 {
                let world = World::restore(&snapshot);
                assert_eq!((StateHash::of(&world), world.time()), (before, snapshot.time()));
                let mut again = Host { world, ids: names.0.clone(), changes: names.1.clone() };
                for (step, (told, first)) in again.tell(&actions).iter().zip(&first).enumerate() {
                    assert_eq!(told, first, "seed {seed}, {def:?}, {:?}", actions[step]);
                }
                contacts += again.world.contacts().len();
            }
        }
    }
    assert!(kinds.len() == 16 && contacts > 500, "{contacts} contacts, {kinds:?}");
}

#[test]
fn snapshots_of_snapshots_and_other_orders_make_no_difference() {
    for def in definitions() {
        let (mut host, mut dice) = begun(5, def);
        let style = style(&mut dice);
        let mut kept = Vec::new();
        let mut states = Vec::new();
        for _ in 0..6 {
            kept.push(World::restore(&host.world.snapshot()).snapshot());
            states.push(StateHash::of(&host.world));
            let action = next_action(&mut dice, style, &host.world, &host.ids);
            host.act(&action);
        }
        for (snapshot, state) in kept.iter().zip(&states).rev() {
            assert_eq!(StateHash::of(&World::restore(snapshot)), *state);
        }
    }
}
