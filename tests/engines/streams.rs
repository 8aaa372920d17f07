//! Streamed keys: a world that is told its keys one by one does what one does that knew them from the start, under every engine; keys that
//! come late leave from where the body rests; forecasts that are corrected are believed.

use std::cell::RefCell;

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, MotionError, Outside};
use kinetree::scenes::material::random_soup;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef, WorldError};
use kinetree::{BodyId, EventKind};
use proptest::strategy::Strategy;

use crate::common::dice::Dice;
use crate::common::lockstep::{body, shifted};
use crate::common::runner::check;
use crate::windows::{square, world};

const ENGINES: [Engine; 5] = [Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::Auto, Engine::BruteForce];

/// A body as it is told: first keys, then others before looks.
#[derive(Clone, Debug)]
struct Told {
    mesh: Mesh,
    /// All keys, in the end, with those in which it rested because it was told too late.
    times: Vec<f64>,
    positions: Vec<[f32; 3]>,
    first: usize,
    self_contact: bool,
}

/// Looks, and before them keys of bodies, by number.
#[derive(Clone, Debug)]
struct Story {
    bodies: Vec<Told>,
    steps: Vec<(f64, Vec<(usize, usize)>)>,
    /// Is some key told after the last one has passed, or after a single one? Where the body rests a segment ends then that would not have ended
    /// without it, and what happens there is computed with other roundings.
    is_late: bool,
}

#[derive(Clone, Copy, Debug)]
struct Params {
    seed: u64,
    triangles: usize,
    keys: usize,
    looks: usize,
    lead: usize,
    late: usize,
}

fn params() -> impl Strategy<Value = Params> {
    (proptest::num::u64::ANY, 1..=40usize, 2..=9usize, 1..=60usize, 0..=3usize, 0..=30usize)
        .prop_map(|(seed, triangles, keys, looks, lead, late)| Params { seed, triangles, keys, looks, lead, late })
}

/// Never told late where `late` is 0 and `lead` is not.
fn story(params: &Params) -> Story {
    let mut dice = Dice::new(params.seed, &[7]);
    let mut bodies: Vec<Told> = Vec::new();
    let mut to_come = Vec::new();
    for number in 0..2 + dice.below(2) {
        let clip = random_soup(dice.bits(), params.triangles, params.keys, 1.0);
        let vertices = clip.vertex_count + 1;
        let mut time = dice.real(-0.2, 0.2);
        let mut keys = Vec::new();
        for points in clip.positions.as_chunks::<3>().0.chunks(clip.vertex_count) {
            // A vertex of no triangle, far away: how far others go then decides about no slack.
            keys.push((time, [points, &[[FAR, 0.0, 0.0]]].concat()));
            time += dice.pick(&[0.125, 0.1, 0.25, dice.clone().real(0.05, 0.3)]);
        }
        let first = (1 + params.lead).min(keys.len());
        to_come.push(keys.split_off(first));
        bodies.push(Told {
            mesh: Mesh::new(vertices, clip.triangles).unwrap(),
            times: keys.iter().map(|key| key.0).collect(),
            positions: keys.into_iter().flat_map(|key| key.1).collect(),
            first,
            self_contact: number == 0,
        });
    }
    let (mut steps, mut is_late) = (Vec::new(), false);
    let mut clock = START;
    for _ in 0..params.looks {
        let mut told = Vec::new();
        for (number, body) in bodies.iter_mut().enumerate() {
            while body.times.iter().filter(|&&time| time > clock).count() < params.lead.max(1)
                && !to_come[number].is_empty()
                && !dice.percent(params.late)
            {
                let (time, positions) = to_come[number].remove(0);
                if time <= clock {
                    continue;
                }
                let last = body.times.len() - 1;
                is_late |= last == 0 || body.times[last] < clock;
                if body.times[last] < clock {
                    // It has rested since.
                    let vertices = positions.len();
                    body.times.push(clock);
                    body.positions.extend_from_within(last * vertices..);
                }
                body.times.push(time);
                body.positions.extend(positions);
                told.push((number, body.times.len() - 1));
            }
        }
        let known = bodies.iter().flat_map(|body| &body.times).copied().filter(|&time| time > clock);
        let next_key = known.reduce(f64::min);
        clock = match next_key {
            Some(key) if dice.percent(40) => key,
            _ => clock + dice.pick(&[0.0, 0.01, 0.02, 0.05, 0.11]),
        };
        steps.push((clock, told));
    }
    Story { bodies, steps, is_late }
}

const START: f64 = -0.25;

/// Metres.
const FAR: f32 = 600.0;

/// Have all bodies the slack of the far vertex, whatever is known of their keys? It follows the largest coordinate and drift, rounded up to a
/// power of two.
fn has_one_slack(story: &Story) -> bool {
    story.bodies.iter().all(|body| {
        let mut keys = body.positions.chunks(body.mesh.vertex_count()).zip(&body.times);
        let mut before = keys.next().unwrap();
        keys.all(|key| {
            let steps = before.0.as_flattened().iter().zip(key.0.as_flattened()).map(|(a, b)| (a - b).abs());
            let rate = f64::from(steps.fold(0.0, f32::max)) / (key.1 - before.1);
            let latest = key.1.abs().max(before.1.abs());
            before = key;
            rate * latest < 400.0
        })
    })
}

/// How a world learns of keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    FromTheStart,
    Extended,
    /// Plans that go on as the ones before did.
    Replaced,
}

struct Player<'a> {
    story: &'a Story,
    world: World,
    ids: Vec<BodyId>,
    how: How,
}

impl<'a> Player<'a> {
    fn new(story: &'a Story, def: WorldDef, how: How) -> Self {
        let mut world = World::new(def.start(START)).unwrap();
        let ids = story.bodies.iter().map(|body| {
            let keys = if how == How::FromTheStart { body.times.len() } else { body.first };
            let def = BodyDef::new(body.mesh.clone(), plan(body, 0, keys)).self_contact(body.self_contact);
            world.add_body(def).unwrap()
        });
        let ids = ids.collect();
        Self { story, world, ids, how }
    }

    fn step(&mut self, (time, told): &(f64, Vec<(usize, usize)>)) -> Result<(), String> {
        for &(number, key) in told {
            let (body, clock) = (&self.story.bodies[number], self.world.time());
            let vertices = body.mesh.vertex_count();
            let done = match self.how {
                How::FromTheStart => Ok(()),
                How::Extended => {
                    let positions = &body.positions[key * vertices..(key + 1) * vertices];
                    self.world.extend_flightplan(self.ids[number], body.times[key], positions)
                }
                How::Replaced => {
                    let first = body.times[..key].iter().rposition(|&time| time < clock).unwrap_or(0);
                    self.world.set_flightplan(self.ids[number], plan(body, first, key + 1 - first))
                }
            };
            done.map_err(|error| error.to_string())?;
        }
        self.world.advance_to(*time).map_err(|error| error.to_string())
    }
}

fn plan(body: &Told, first: usize, count: usize) -> Flightplan {
    let vertices = body.mesh.vertex_count();
    let positions = body.positions[first * vertices..(first + count) * vertices].to_vec();
    Flightplan::keyframes(body.times[first..first + count].to_vec(), positions)
}

#[test]
fn streamed_keys_are_as_good_as_known_ones() {
    let seen = RefCell::new((0, 0));
    check("streams", 60, &params(), |params| {
        let story = story(&params);
        let mut truth = Player::new(&story, WorldDef::default().engine(Engine::BruteForce), How::FromTheStart);
        let hows = [How::Extended, How::Replaced];
        let mut players: Vec<Player<'_>> = ENGINES
            .iter()
            .flat_map(|&engine| hows.map(|how| Player::new(&story, WorldDef::default().engine(engine), how)))
            .collect();
        for step in &story.steps {
            truth.step(step)?;
            seen.borrow_mut().0 += truth.world.contacts().len();
            for (number, player) in players.iter_mut().enumerate() {
                player.step(step)?;
                let is_same = player.world.contacts() == truth.world.contacts()
                    && player.world.contact_changes() == truth.world.contact_changes();
                if !is_same || !player.world.audit().is_clean() {
                    let (engine, how) = (ENGINES[number / 2], player.how);
                    return Err(format!("{engine:?} {how:?} at {}: {}", step.0, player.world.audit()));
                }
                seen.borrow_mut().1 += player.world.stats().engines.intervals_prefetched;
            }
        }
        Ok(())
    });
    let (contacts, foreseen) = seen.into_inner();
    assert!(contacts > 3_000 && foreseen > 100, "{contacts} {foreseen}");
}

#[test]
fn streamed_keys_give_the_same_log_and_the_same_begins() {
    let seen = RefCell::new((0, 0));
    check("streamed logs", 60, &params(), |params| {
        let story = story(&params);
        if story.is_late || !has_one_slack(&story) {
            return Ok(());
        }
        let modes = [
            (ContactMode::AtTimes, Engine::Kinetic),
            (ContactMode::Continuous, Engine::Kinetic),
            (ContactMode::Continuous, Engine::Auto),
        ];
        for (contacts, engine) in modes {
            let def = WorldDef::default().contacts(contacts).engine(engine).keep_events(true);
            let mut known = Player::new(&story, def, How::FromTheStart);
            let mut streamed = Player::new(&story, def, How::Extended);
            for step in &story.steps {
                known.step(step)?;
                streamed.step(step)?;
                let logs = [&known, &streamed].map(|player| player.world.log().events().unwrap().to_vec());
                if logs[0] != logs[1] {
                    let place = logs[0].iter().zip(&logs[1]).position(|(a, b)| a != b);
                    let of = |log: usize| place.and_then(|place| logs[log].get(place).copied());
                    return Err(format!("{contacts:?} at {}: {:?}, {:?}", step.0, of(0), of(1)));
                }
                // Contacts that were on when a plan was extended begin when they did.
                let changes = [&known, &streamed].map(|player| player.world.contact_changes().to_vec());
                if changes[0] != changes[1] || known.world.contacts() != streamed.world.contacts() {
                    return Err(format!("{contacts:?} at {}: {:?}, {:?}", step.0, changes[0], changes[1]));
                }
                seen.borrow_mut().0 += logs[0].len();
                seen.borrow_mut().1 += changes[0].len();
            }
        }
        Ok(())
    });
    let (events, changes) = seen.into_inner();
    assert!(events > 5_000 && changes > 500, "{events} {changes}");
}

/// Keys known ahead are told anew, and are not what they were: what was prepared for them is of no use.
#[test]
fn corrected_forecasts_are_believed() {
    let key = |seed: u64, key: usize| {
        random_soup(seed, 60, 12, 1.0).positions.as_chunks::<3>().0[180 * key..][..180].to_vec()
    };
    let shape = random_soup(5, 60, 12, 1.0);
    let mesh = || Mesh::new(shape.vertex_count, shape.triangles.clone()).unwrap();
    // Which of the keys before now, of the next one and the one after it are other ones than was said before.
    for changed in [[false, false, true], [false, true, true], [true, true, true], [false, false, false]] {
        let mut worlds: Vec<World> = ENGINES.iter().map(|&engine| world(engine)).collect();
        let mut seen = 0;
        for now in 0..8usize {
            let seeds = changed.map(|changed| 5 + u64::from(changed && now > 0) * now as u64);
            let times: Vec<f64> = (0..3u8).map(|ahead| now as f64 + f64::from(ahead)).collect();
            let positions: Vec<[f32; 3]> = (0..3).flat_map(|ahead| key(seeds[ahead], now + ahead)).collect();
            for world in &mut worlds {
                let plan = Flightplan::keyframes(times.clone(), positions.clone());
                let moving = world.bodies().next();
                match moving {
                    Some(moving) => world.set_flightplan(moving, plan).unwrap(),
                    None => {
                        world.add_body(BodyDef::new(mesh(), plan)).unwrap();
                        world.add_body(BodyDef::new(mesh(), Flightplan::fixed(key(9, 0)))).unwrap();
                    }
                }
            }
            for frame in 1..=6u8 {
                let time = now as f64 + f64::from(frame) / 6.0;
                worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
                for (world, engine) in worlds.iter().zip(ENGINES) {
                    assert_eq!(world.contacts(), worlds[ENGINES.len() - 1].contacts(), "{engine:?} {changed:?} {time}");
                    assert_eq!(
                        world.contact_changes(),
                        worlds[ENGINES.len() - 1].contact_changes(),
                        "{engine:?} {changed:?} {time}"
                    );
                }
                seen += worlds[ENGINES.len() - 1].contacts().len();
            }
        }
        let engines = worlds[1].stats().engines;
        // The walls have one window for ever. A plan that goes on is no interruption.
        let foreseen = if changed.contains(&true) { 0 } else { 7 };
        assert!(engines.intervals_prefetched >= foreseen, "{changed:?}: {engines:?}");
        assert!(seen > 500, "{seen}");
    }
}

#[test]
fn a_stream_is_foreseen_and_its_past_forgotten() {
    let at = |key: usize| {
        let z = if key.is_multiple_of(2) { 0.5 } else { -0.5 };
        square(0.0).0.iter().map(|[x, y, _]| [x + 0.2, y + 0.1, z]).collect::<Vec<[f32; 3]>>()
    };
    let first = [at(0), at(1), at(2)].concat();
    for engine in [Engine::Interval, Engine::Auto] {
        let mut world = world(engine);
        world.add_body(BodyDef::new(Mesh::new(4, square(0.0).1).unwrap(), Flightplan::fixed(square(0.0).0))).unwrap();
        let plan = Flightplan::keyframes(vec![0.0, 0.1, 0.2], first.clone());
        let moving = world.add_body(BodyDef::new(Mesh::new(4, square(0.0).1).unwrap(), plan)).unwrap();
        let mut bytes = Vec::new();
        for key in 0..200u8 {
            if key > 0 {
                world.extend_flightplan(moving, 0.1 * f64::from(key + 2), &at(usize::from(key) + 2)).unwrap();
            }
            for frame in 1..=8u8 {
                world.advance_to(0.1 * (f64::from(key) + f64::from(frame) / 8.0)).unwrap();
            }
            bytes.push(world.stats().bytes);
        }
        let engines = world.stats().engines;
        assert!(engines.intervals_prefetched >= 198, "{engine:?}: {engines:?}");
        assert_eq!((engines.interval, bytes[20] == bytes[199]), (2, true), "{engine:?}: {engines:?}");
    }
}

#[test]
fn keys_that_cannot_follow_are_refused_and_nothing_happens() {
    let def =
        || body(&square(0.0), shifted(&square(0.0), &[0.0, 1.0], &[[0.0; 3], [0.0, 0.0, 1.0]])).engine(Engine::Auto);
    for engine in ENGINES {
        let mut world = world(engine);
        let id = world.add_body(def()).unwrap();
        world.advance_to(0.5).unwrap();
        let good = square(2.0).0;
        let mut bad = good.clone();
        bad[2][1] = f32::NAN;
        let name = world.name(id).unwrap().to_owned();
        let mut refused = |time: f64, positions: &[[f32; 3]]| match world.extend_flightplan(id, time, positions) {
            Err(WorldError::Motion { body, error }) if body == name => error,
            other => panic!("{other:?}"),
        };
        assert!(
            matches!(refused(2.0, &bad), MotionError::BadCoordinate { key: 2, vertex: 2, axis: 1, value } if value.is_nan())
        );
        assert_eq!(refused(2.0, &good[..3]), MotionError::PositionCount { expected: 4, found: 3 });
        assert_eq!(refused(1.0, &good), MotionError::KeysOutOfOrder { key: 2, time: 1.0, previous: 1.0 });
        assert!(matches!(refused(f64::NAN, &good), MotionError::BadTime { key: 2, .. }));
        assert!(matches!(refused(f64::INFINITY, &good), MotionError::BadTime { key: 2, .. }));
        world.advance_to(1.5).unwrap();
        let mut late = |time: f64| world.extend_flightplan(id, time, &good);
        let error = MotionError::KeysOutOfOrder { key: 2, time: 1.25, previous: 1.5 };
        assert_eq!(late(1.25), Err(WorldError::Motion { body: name.clone(), error }));
        late(2.5).unwrap();
        world.advance_to(2.0).unwrap();
        // From 1 m at 1.5 s to 2 m at 2.5 s.
        assert_eq!(world.positions(id).unwrap()[0], [0.0, 0.0, 1.5]);
        let removed = {
            world.remove_body(id).unwrap();
            world.extend_flightplan(id, 5.0, &good)
        };
        assert_eq!(removed, Err(WorldError::NoSuchBody { body: id }));
        let still = vec![[0.0f32; 3]; 4];
        let others = [
            Flightplan::velocities(0.0, good.clone(), still),
            Flightplan::ballistic(0.0, good.clone(), vec![[0.0; 3]; 4], [0.0, 0.0, -1.0]),
            shifted(&square(0.0), &[0.0, 1.0], &[[0.0; 3], [0.0, 0.0, 1.0]]).outside(Outside::Loop),
        ];
        for plan in others {
            let id = world.add_body(body(&square(0.0), plan).engine(Engine::Auto)).unwrap();
            let refused = world.extend_flightplan(id, 9.0, &good).unwrap_err();
            assert!(
                matches!(refused, WorldError::Motion { error: MotionError::NotExtendable { .. }, .. }),
                "{refused}"
            );
        }
    }
}

/// Plans that say where they end may be asked as far as they reach.
#[test]
fn spans_grow_with_their_plans() {
    let plan = shifted(&square(0.0), &[0.0, 1.0], &[[0.0; 3], [0.0, 0.0, 1.0]]).outside(Outside::Error);
    for engine in ENGINES {
        let mut world = world(engine);
        let id = world.add_body(body(&square(0.0), plan.clone()).engine(Engine::Auto)).unwrap();
        assert!(world.advance_to(1.5).is_err());
        world.extend_flightplan(id, 2.0, &square(0.0).0).unwrap();
        world.advance_to(1.5).unwrap();
        assert_eq!(world.positions(id).unwrap()[2], [1.0, 1.0, 0.5]);
        assert!(world.advance_to(2.5).is_err());
        // A body that rests may be set in motion.
        let wall = world.add_body(body(&square(0.0), Flightplan::fixed(square(3.0).0)).engine(Engine::Auto)).unwrap();
        world.extend_flightplan(wall, 1.75, &square(5.0).0).unwrap();
        world.advance_to(1.625).unwrap();
        assert_eq!(world.positions(wall).unwrap()[2], [1.0, 1.0, 4.0]);
    }
}

/// Which pairs of the broad phase come first depends on how much is known of a motion; the order of events does not.
#[test]
fn events_of_one_moment_come_in_one_order_whatever_was_known_before() {
    let log_of = |is_streamed: bool| {
        let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous).keep_events(true);
        let mut world = World::new(def).unwrap();
        for (x, y) in [(18.0, 0.2), (18.0, -0.8), (24.0, 0.2), (24.0, -0.8)] {
            let corners = vec![[x, y, 0.1], [x, y + 0.6, 0.1], [x, y, 0.5]];
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(corners))).unwrap();
        }
        // With a vertex of no triangle far away, so that both have the same slack.
        let wall = |x: f32| [[x, -1.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0], [FAR, 0.0, 0.0]];
        let keys = [wall(17.0), wall(20.0), wall(31.0)].concat();
        let (times, known) = (vec![0.0, 1.25, 2.0], if is_streamed { 2 } else { 3 });
        let plan = Flightplan::keyframes(times[..known].to_vec(), keys[..4 * known].to_vec());
        let moving = world.add_body(BodyDef::new(Mesh::new(4, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        world.advance_to(1.0).unwrap();
        if is_streamed {
            world.extend_flightplan(moving, 2.0, &keys[8..]).unwrap();
        }
        let mut changes = world.contact_changes().to_vec();
        world.advance_to(2.0).unwrap();
        changes.extend_from_slice(world.contact_changes());
        let met = world.log().events().unwrap().iter().filter(|event| event.kind == EventKind::BodiesMeet).count();
        assert_eq!(met, 4);
        (world.log().hash(), changes)
    };
    assert_eq!(log_of(true), log_of(false));
}
