//! Worlds in bytes: a world that is loaded has the future of the one that was saved, bit for bit;
//! damage is refused.

#![cfg(feature = "record")]

#[path = "../common/mod.rs"]
mod common;
mod files;
#[path = "../recordings/history.rs"]
mod history;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;
mod samplers;

use common::dice::Dice;
use history::{Action, definitions, first_actions, next_action, style};
use kinetree::BodyId;
use kinetree::replay::{Recording, RecordingWorld, StateHash};
use kinetree::world::{ChangeId, LoadError, World, WorldDef};

/// A world, with the names that calls of it refer to.
struct Host {
    world: World,
    ids: Vec<BodyId>,
    changes: Vec<ChangeId>,
}

impl Host {
    fn begun(def: WorldDef, dice: &mut Dice, calls: usize) -> Self {
        let style = style(dice);
        let mut host = Self { world: World::new(def).unwrap(), ids: Vec::new(), changes: Vec::new() };
        for action in first_actions(dice, style) {
            host.act(&action);
        }
        for _ in 0..calls {
            let action = next_action(dice, style, &host.world, &host.ids);
            host.act(&action);
        }
        host
    }

    fn act(&mut self, action: &Action) -> String {
        let Self { world, ids, changes } = self;
        act!(world, action, ids, changes)
    }

    /// Carries an action out; returns what came of it, and all that can be asked then, in words.
    fn tell(&mut self, action: &Action) -> String {
        let outcome = self.act(action);
        format!("{outcome} {}", told(&self.world))
    }
}

/// All that can be asked of a world, in words.
fn told(world: &World) -> String {
    let scheduled: Vec<_> = world.scheduled_changes().collect();
    let mut stats = world.stats();
    // Counts room that a vector has for more, and caches.
    stats.bytes = 0;
    // What was prepared is not saved.
    stats.engines.windows_decided_ahead = 0;
    stats.engines.pairs_certified_ahead = 0;
    format!(
        "{:?} {:?} {scheduled:?} {stats:?} {:?} {:?} {:?}",
        StateHash::of(world),
        world.next_event(),
        world.ongoing_contacts(),
        world.contact_changes(),
        world.log().events().map(|events| (events.len(), &events[events.len().saturating_sub(3)..])),
    )
}

fn loaded(world: &World) -> (World, Vec<u8>) {
    let bytes = world.to_bytes().unwrap();
    (World::from_bytes(&bytes, |_| None).unwrap(), bytes)
}

#[test]
fn a_loaded_world_has_the_future_of_the_saved_one() {
    let (mut contacts, mut bytes_of_all) = (0, 0);
    for seed in 0..16 {
        for def in definitions() {
            let dice = &mut Dice::new(seed, &[31]);
            let calls = dice.below(24);
            let mut host = Host::begun(def, dice, calls);
            let (world, bytes) = loaded(&host.world);
            assert_eq!(told(&world), told(&host.world), "seed {seed}, {def:?}");
            assert!(world.audit().faults.is_empty(), "seed {seed}: {:?}", world.audit());
            // What was loaded is written as it was read.
            assert_eq!(world.to_bytes().unwrap(), bytes, "seed {seed}, {def:?}");
            let mut again = Host { world, ids: host.ids.clone(), changes: host.changes.clone() };
            let style = style(dice);
            for step in 0..24 {
                let action = next_action(dice, style, &host.world, &host.ids);
                let (one, other) = (host.tell(&action), again.tell(&action));
                assert_eq!(one, other, "seed {seed}, {def:?}, step {step}: {action:?}");
                // Every few steps the copy goes through bytes once more.
                if step % 7 == 3 {
                    again.world = loaded(&again.world).0;
                }
            }
            contacts += host.world.contacts().len() + host.world.contact_changes().len();
            bytes_of_all += bytes.len();
        }
    }
    assert!(contacts > 300 && bytes_of_all > 500_000, "{contacts} contacts, {bytes_of_all} bytes");
}

/// Two bodies that fall apart into many steps of one key interval: what is prefetched between steps
/// is saved half done.
#[test]
fn work_that_is_half_done_is_saved() {
    let mut busy = 0;
    for def in definitions() {
        for seed in 0..3 {
            let dice = &mut Dice::new(seed, &[32]);
            let mut host = Host::begun(def, dice, 0);
            let mut time = 0.0;
            while time < 5.5 {
                time += 1.0 / 24.0;
                let mut copy = Host { world: loaded(&host.world).0, ids: host.ids.clone(), changes: Vec::new() };
                let (one, other) = (host.tell(&Action::Advance(time)), copy.tell(&Action::Advance(time)));
                assert_eq!(one, other, "seed {seed}, {def:?}, {time} s");
                host = copy;
                busy += usize::from(!host.world.contacts().is_empty());
            }
        }
    }
    assert!(busy > 100, "{busy}");
}

#[test]
fn an_empty_world_comes_back() {
    for def in definitions() {
        let world = World::new(def.start(2.0)).unwrap();
        let (again, bytes) = loaded(&world);
        assert_eq!(told(&again), told(&world));
        assert_eq!(World::from_bytes(&bytes[..bytes.len() - 1], |_| None).unwrap_err(), {
            let found = bytes.len() as u64 - 1;
            LoadError::Length { expected: found + 1, found }
        });
    }
}

#[test]
fn a_recording_begins_with_a_world_that_runs() {
    let mut calls = 0;
    for seed in 0..3 {
        for def in definitions() {
            let dice = &mut Dice::new(seed, &[35]);
            let Host { world, mut ids, .. } = Host::begun(def, dice, 12);
            let (style, begin) = (style(dice), world.time());
            let mut file = Vec::new();
            let mut world = RecordingWorld::from_world(world, &mut file).unwrap();
            let mut changes = Vec::new();
            for _ in 0..12 {
                let action = next_action(dice, style, &world, &ids);
                if !(matches!(action, Action::Cancel(_)) && changes.is_empty()) {
                    act!(world, &action, ids, changes);
                }
            }
            let world = world.finish().unwrap();
            let recording = Recording::from_bytes(&file).unwrap();
            let def = recording.definition();
            assert_eq!((def.start, def.keep_events), (begin, world.log().events().is_some()));
            let replayed = recording.replay().unwrap();
            assert_eq!(replayed.divergence, None, "seed {seed}, {def:?}");
            assert_eq!(told(&replayed.world), told(&world));
            calls += replayed.calls;
            // Before the first call it is the world that was running.
            assert_eq!(recording.replay_first(0).unwrap().world.time(), begin);
        }
    }
    assert!(calls > 200, "{calls}");
}
