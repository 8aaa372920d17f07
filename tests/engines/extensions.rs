//! Streamed keys of kinetic bodies: certificates are searched over a new key in the advances before the last key known, in equal shares;
//! what is changed in between finds them as they should be.

use kinetree::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::scenes::Clip;
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

use crate::common::shapes::sheet;

/// Certificates of trees and lists searched so far.
fn searched(world: &World) -> u64 {
    let stats = world.stats();
    stats.tree.certificates_searched + stats.list.certificates_searched
}

#[test]
fn a_key_is_searched_in_equal_shares() {
    // Two sheets that move alike: no certificate ever fails. A vertex of no triangle is far away, so that no key changes the slack.
    let (mut points, triangles) = sheet(12, 12);
    points.push([600.0, 0.0, 0.0]);
    let key = |key: usize, height: f32| -> Vec<[f32; 3]> {
        points.iter().map(|[x, y, z]| [x + 0.5 * key as f32, *y, z + height]).collect()
    };
    let mut world = World::new(WorldDef::default().engine(Engine::Kinetic)).unwrap();
    let ids = [0.0, 0.25].map(|height| {
        let keys = [key(0, height), key(1, height), key(2, height)].concat();
        let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys);
        world.add_body(BodyDef::new(Mesh::new(points.len(), triangles.clone()).unwrap(), plan)).unwrap()
    });
    for (told, steps) in [(3, 4), (4, 10), (5, 1)] {
        let begin = f64::from(told) - 2.0;
        world.advance_to(begin).unwrap();
        let before = searched(&world);
        for (id, height) in ids.into_iter().zip([0.0, 0.25]) {
            world.extend_flightplan(id, f64::from(told), &key(told as usize, height)).unwrap();
        }
        assert_eq!(searched(&world), before, "nothing is searched at the call");
        assert!(world.audit().is_clean(), "{}", world.audit());
        let mut shares = Vec::new();
        for step in 1..=steps {
            let before = searched(&world);
            world.advance_to(begin + f64::from(step) / f64::from(steps)).unwrap();
            shares.push((searched(&world) - before) as f64);
            assert!(world.audit().is_clean(), "{}", world.audit());
        }
        let mean = shares.iter().sum::<f64>() / f64::from(steps);
        assert!(mean * f64::from(steps) > 500.0, "{shares:?}");
        assert!(shares.iter().all(|share| (0.5 * mean..=1.5 * mean).contains(share)), "{shares:?}");
    }
}

/// Keys of a cloth, with a vertex of no triangle far away: it decides about the slack, whatever keys are known.
struct Cloth {
    clip: Clip,
    mesh: Mesh,
}

impl Cloth {
    fn new(seed: u64) -> Self {
        let clip = jittered_grid_cloth(seed, 4, 4, 8);
        let mesh = Mesh::new(clip.vertex_count + 1, clip.triangles.clone()).unwrap();
        Self { clip, mesh }
    }

    fn key(&self, key: usize) -> Vec<[f32; 3]> {
        self.clip.key(key).iter().copied().chain([[600.0, 0.0, 0.0]]).collect()
    }

    fn def(&self, keys: usize) -> BodyDef {
        let positions = (0..keys).flat_map(|key| self.key(key)).collect();
        BodyDef::new(self.mesh.clone(), Flightplan::keyframes(self.clip.times[..keys].to_vec(), positions))
    }
}

/// What happens while certificates are not searched yet.
#[derive(Clone, Copy, Debug)]
enum Change {
    Nothing,
    /// Another key is told.
    NextKey,
    /// A body goes.
    Removal,
    /// A vertex gets a plan of its own.
    VertexPlan,
    /// A body comes.
    Addition,
    /// The world goes on as a clone of itself.
    Clone,
}

const CHANGES: [Change; 6] =
    [Change::Nothing, Change::NextKey, Change::Removal, Change::VertexPlan, Change::Addition, Change::Clone];

/// Runs a world whose first two cloths are streamed, or known from the start; returns its log and all contacts.
fn run(change: Change, contacts: ContactMode, steps: usize, is_streamed: bool) -> (Vec<String>, Vec<usize>) {
    let cloths = [Cloth::new(1), Cloth::new(2), Cloth::new(3)];
    let def = WorldDef::default().engine(Engine::Kinetic).contacts(contacts).keep_events(true);
    let mut world = World::new(def).unwrap();
    let known = if is_streamed { 3 } else { 8 };
    let mut ids: Vec<BodyId> =
        [known, known, 8].iter().zip(&cloths).map(|(&keys, cloth)| world.add_body(cloth.def(keys)).unwrap()).collect();
    let (times, mut told, mut found) = (cloths[0].clip.times.clone(), known, Vec::new());
    for key in 0..6 {
        if told < 8 && told < key + 3 {
            for body in 0..2 {
                world.extend_flightplan(ids[body], times[told], &cloths[body].key(told)).unwrap();
            }
            told += 1;
        }
        for step in 1..=steps {
            let part = step as f64 / steps as f64;
            let between = times[key] + (times[key + 1] - times[key]) * part;
            world.advance_to(if step == steps { times[key + 1] } else { between }).unwrap();
            assert!(world.audit().is_clean(), "{change:?}: {}", world.audit());
            found.push(world.contacts().len());
            if (key, step) != (2, 1) {
                continue;
            }
            match change {
                Change::Nothing => {}
                Change::NextKey => {
                    if is_streamed {
                        for body in 0..2 {
                            world.extend_flightplan(ids[body], times[told], &cloths[body].key(told)).unwrap();
                        }
                        told += 1;
                    }
                }
                Change::Removal => world.remove_body(ids.remove(2)).unwrap(),
                Change::VertexPlan => {
                    let position = world.positions(ids[0]).unwrap()[7];
                    world.set_vertex_flightplans(ids[0], &[(7, VertexFlightplan::Fixed { position })]).unwrap();
                }
                Change::Addition => ids.push(world.add_body(Cloth::new(4).def(8)).unwrap()),
                Change::Clone => world = world.clone(),
            }
        }
    }
    (world.log().events().unwrap().iter().map(|event| format!("{event:?}")).collect(), found)
}

#[test]
fn changes_between_shares_find_the_same_certificates() {
    for change in CHANGES {
        for contacts in [ContactMode::AtTimes, ContactMode::Continuous] {
            let (log, found) = run(change, contacts, 4, false);
            let (streamed_log, streamed) = run(change, contacts, 4, true);
            assert!(log.len() > 200 && found.iter().sum::<usize>() > 100, "{change:?}: too little happens");
            let first = log.iter().zip(&streamed_log).find(|(known, streamed)| known != streamed);
            assert!(log == streamed_log, "{change:?} {contacts:?}: {} {} {first:?}", log.len(), streamed_log.len());
            assert_eq!(found, streamed, "{change:?} {contacts:?}");
        }
    }
}

#[test]
fn the_next_event_is_never_passed_over() {
    let cloths = [Cloth::new(1), Cloth::new(2)];
    let def = WorldDef::default().engine(Engine::Kinetic).contacts(ContactMode::Continuous);
    let mut world = World::new(def).unwrap();
    let ids = cloths.each_ref().map(|cloth| world.add_body(cloth.def(3)).unwrap());
    let mut twin = World::new(def).unwrap();
    for cloth in &cloths {
        twin.add_body(cloth.def(5)).unwrap();
    }
    let times = &cloths[0].clip.times;
    // Two keys that are searched by the loop of events alone.
    for told in 3..5 {
        for (id, cloth) in ids.into_iter().zip(&cloths) {
            world.extend_flightplan(id, times[told], &cloth.key(told)).unwrap();
        }
        while let Some(next) = world.next_event_time().filter(|&next| next <= times[told - 1]) {
            assert!(next > world.time());
            world.advance_to(next).unwrap();
            twin.advance_to(next).unwrap();
            assert_eq!(world.contacts(), twin.contacts(), "at {next}");
        }
        world.advance_to(times[told - 1]).unwrap();
    }
    world.advance_to(times[4]).unwrap();
    twin.advance_to(times[4]).unwrap();
    assert_eq!(world.log().hash(), twin.log().hash());
}
