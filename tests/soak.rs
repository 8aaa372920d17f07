//! A long run of one world: bodies come and go, two streams never end, and memory stays flat.
//!
//! `KINETREE_SOAK=1100000` in release is the full run: over 10⁶ advances and 4,296 s of motion, 10⁵
//! bodies added and removed, above 10⁷ events. By default 4,000 advances.

#[path = "common/checksum.rs"]
mod checksum;

use std::collections::VecDeque;

use allocation_counter::measure;
use checksum::mix;
use kinetree::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

/// Advances in a second.
const RATE: u64 = 256;

/// Advances from one key of a stream to the next.
const KEY: u64 = 128;

/// Advances from one new body to the next, and bodies that are there at a time.
const NEW: u64 = 10;
const GUESTS: usize = 9;

/// Vertices on a side of a sheet.
const SIDE: u32 = 8;

/// Advances, and the bits of logs and contacts after them.
const PINNED: [(u64, u64); 3] =
    [(4_000, 0xf1fb_1e7d_0e9c_94fb), (100_000, 0x7727_c6de_7103_177a), (1_100_000, 0x6dca_9c20_54b6_b783)];

/// A sheet whose vertices keep near a grid: a new key.
fn key(random: &mut Random, height: f32) -> Vec<[f32; 3]> {
    let mut around = |x: f32, by: f32| x + (random.below(65) as f32 - 32.0) / 32.0 * by;
    let place = |v: u32| [around((v % SIDE) as f32, 0.4), around(height, 1.5), around((v / SIDE) as f32, 0.4)];
    (0..SIDE * SIDE).map(place).collect()
}

fn sheet() -> Mesh {
    let cell = |x: u32, y: u32| SIDE * y + x;
    let square = |(x, y)| {
        let [a, b, c, d] = [cell(x, y), cell(x + 1, y), cell(x + 1, y + 1), cell(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles = (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| (x, y))).flat_map(square);
    Mesh::new((SIDE * SIDE) as usize, triangles.collect()).expect("a good mesh")
}

/// A small tetrahedron that flies, rests, or goes round and round.
fn guest(random: &mut Random, now: f64) -> BodyDef {
    let low = [0; 3].map(|_| random.below(96) as f32 / 16.0);
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let at = |low: [f32; 3]| corners.map(|p| [0, 1, 2].map(|k| p[k] + low[k])).to_vec();
    let mesh = Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("a good mesh");
    let way = [0; 3].map(|_| random.below(64) as f32 / 16.0 - 2.0);
    let there = [0, 1, 2].map(|k| low[k] + way[k]);
    let plan = match random.below(4) {
        0 => Flightplan::fixed(at(low)),
        1 => Flightplan::velocities(now, at(low), vec![way; 4]),
        kind => {
            let keys = [at(low), at(there), at(low)].concat();
            let times = [0.0, 0.0625, 0.1875].map(|time| now + time);
            let outside = if kind == 2 { Outside::Loop } else { Outside::Hold };
            Flightplan::keyframes(times.to_vec(), keys).outside(outside)
        }
    };
    BodyDef::new(mesh, plan)
}

struct Soak {
    world: World,
    random: Random,
    streams: [BodyId; 2],
    guests: VecDeque<BodyId>,
    advances: u64,
    added: u64,
    contacts: u64,
    hash: u64,
}

impl Soak {
    fn new() -> Self {
        let def = WorldDef::default().engine(Engine::Kinetic).contacts(ContactMode::Continuous);
        let (mut world, mut random) = (World::new(def).expect("a good definition"), Random::new(18));
        let streams = [0.0, 1.0].map(|height| {
            let keys = [key(&mut random, height), key(&mut random, height)].concat();
            let times = vec![0.0, KEY as f64 / RATE as f64];
            let def = BodyDef::new(sheet(), Flightplan::keyframes(times, keys));
            world.add_body(def.self_contact(height > 0.0)).expect("a good body")
        });
        let guests = VecDeque::new();
        Self { world, random, streams, guests, advances: 0, added: 0, contacts: 0, hash: 0 }
    }

    fn advance(&mut self) {
        let now = self.advances as f64 / RATE as f64;
        // Half a key ahead.
        if self.advances % KEY == KEY / 2 {
            let next = (self.advances / KEY + 2) * KEY;
            for (id, height) in self.streams.into_iter().zip([0.0, 1.0]) {
                let positions = key(&mut self.random, height);
                self.world.extend_flightplan(id, next as f64 / RATE as f64, &positions).expect("a good key");
            }
        }
        if self.advances.is_multiple_of(NEW) {
            if self.guests.len() == GUESTS {
                let oldest = self.guests.pop_front().expect("some");
                self.world.remove_body(oldest).expect("a body that is there");
            }
            let def = guest(&mut self.random, now);
            self.guests.push_back(self.world.add_body(def).expect("a good body"));
            self.added += 1;
        }
        self.advances += 1;
        self.world.advance_to(self.advances as f64 / RATE as f64).expect("a good time");
        for contact in self.world.contacts() {
            let bodies = u64::from(contact.a.index()) << 32 | u64::from(contact.b.index());
            self.hash =
                mix(mix(self.hash, bodies), u64::from(contact.triangle_a) << 32 | u64::from(contact.triangle_b));
        }
        self.contacts += self.world.contacts().len() as u64;
    }
}

#[test]
fn a_world_that_goes_on_and_on() {
    let advances: u64 = std::env::var("KINETREE_SOAK").map_or(4_000, |text| text.parse().expect("a number"));
    let mut made = None;
    let before = measure(|| made = Some(Soak::new())).bytes_current;
    let mut soak = made.expect("made");
    let mut live: Vec<(i64, i64)> = Vec::new();
    let part = advances / 20;
    for number in 0..20 {
        let info = measure(|| {
            for step in 0..part {
                soak.advance();
                if step % (part / 4) == 0 {
                    let report = soak.world.audit();
                    assert!(report.is_clean(), "after {} advances: {report}", soak.advances);
                }
            }
        });
        let before = live.last().map_or(before, |&(bytes, _)| bytes);
        live.push((before + info.bytes_current, before + info.bytes_max.cast_signed()));
        println!(
            "{number}: {} advances, {} bodies added, {} events, {} bytes live, {} at most",
            soak.advances,
            soak.added,
            soak.world.log().count(),
            live[number].0,
            live[number].1,
        );
    }
    let hash = mix(soak.hash, soak.world.log().hash());
    let (events, contacts) = (soak.world.log().count(), soak.contacts);
    println!("{} advances, {} bodies, {events} events, {contacts} contacts, {hash:#018x}", soak.advances, soak.added);
    println!("torture | soak: advances | {} | 0", soak.advances);
    println!("torture | soak: events | {events} | 0");
    // Buffers have their sizes after half of the run.
    let most = |part: &[(i64, i64)]| part.iter().map(|&(_, most)| most).max().expect("some");
    let (early, late) = (most(&live[..10]), most(&live[10..]));
    assert!(late as f64 <= 1.1 * early as f64, "memory grows: {early} bytes, then {late}");
    assert!(contacts > 10 * advances && events > 9 * advances, "{contacts} contacts, {events} events");
    if let Some(&(_, pinned)) = PINNED.iter().find(|pinned| pinned.0 == advances) {
        assert_eq!(hash, pinned, "{hash:#018x}");
    }
}
