//! Rules that change where more pairs of bodies come close than a world allows, and regions of the
//! broad phase.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, Contact, Engine, Filter, World, WorldDef, WorldError, WorldLimits};

const ENGINES: [Engine; 5] = [Engine::Kinetic, Engine::Auto, Engine::Interval, Engine::Refit, Engine::BruteForce];

fn corners(x: f32) -> Vec<[f32; 3]> {
    vec![[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]]
}

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

/// A triangle at rest at a place, metres, in the groups of `category`; it may meet group 1.
fn rests(x: f32, category: u64) -> BodyDef {
    BodyDef::new(mesh(), Flightplan::fixed(corners(x))).filter(Filter::new(category, 1))
}

fn pairs(body_pairs: usize) -> WorldLimits {
    WorldLimits { body_pairs, ..WorldLimits::DEFAULT }
}

/// A change that meets the bound, or none; then what the world shows at some times, seconds,
/// without a bound.
fn shown(
    world: &mut World,
    bound: Option<usize>,
    change: impl Fn(&mut World) -> Result<(), WorldError>,
    times: &[f64],
) -> Vec<Vec<Contact>> {
    world.set_limits(bound.map_or(WorldLimits::DEFAULT, pairs));
    let changed = change(world);
    match bound {
        None => changed.unwrap(),
        Some(_) => {
            assert!(matches!(changed, Err(WorldError::Limit { what: "pairs of bodies", .. })), "{changed:?}");
            assert!(world.advance_to(times[0]).is_err(), "pairs are missing");
        }
    }
    world.set_limits(WorldLimits::DEFAULT);
    let show = |&time: &f64| {
        world.advance_to(time).unwrap();
        assert!(world.audit().is_clean(), "at {time}: {}", world.audit());
        world.contacts().to_vec()
    };
    times.iter().map(show).collect()
}

#[test]
fn a_filter_that_allows_too_many_pairs_loses_none_of_them() {
    for engine in ENGINES {
        let run = |bound| {
            let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
            let flies = Flightplan::keyframes(vec![0.0, 10.0], [corners(0.0), corners(40.0)].concat());
            let mover = world.add_body(BodyDef::new(mesh(), flies).filter(Filter::new(1, 2))).unwrap();
            for (x, category) in [(2.5, 2), (2.25, 4), (2.75, 4), (20.0, 4)] {
                world.add_body(rests(x, category)).unwrap();
            }
            world.advance_to(0.5).unwrap();
            let change = |world: &mut World| world.set_filter(mover, Filter::new(1, 6));
            shown(&mut world, bound, change, &[0.5, 0.625, 2.0, 5.0])
        };
        let [free, bounded] = [None, Some(1)].map(run);
        assert_eq!(free.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 0, 1], "{engine:?}");
        assert_eq!(bounded, free, "{engine:?}");
    }
}

#[test]
fn the_old_filter_has_its_pairs_again() {
    let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
    let flies = Flightplan::keyframes(vec![0.0, 10.0], [corners(0.0), corners(40.0)].concat());
    let mover = world.add_body(BodyDef::new(mesh(), flies).filter(Filter::new(1, 2))).unwrap();
    for (x, category) in [(10.0, 2), (20.0, 4), (30.0, 4)] {
        world.add_body(rests(x, category)).unwrap();
    }
    world.advance_to(0.5).unwrap();
    world.set_limits(pairs(1));
    let refused = world.set_filter(mover, Filter::new(1, 4));
    assert!(matches!(refused, Err(WorldError::Limit { .. })), "{refused:?}");
    world.set_filter(mover, Filter::new(1, 2)).unwrap();
    world.advance_to(2.5).unwrap();
    assert_eq!(world.contacts().len(), 1);
    assert!(world.audit().is_clean(), "{}", world.audit());
}

#[test]
fn a_body_that_takes_part_late_meets_all_it_may() {
    for engine in ENGINES {
        let run = |bound, is_filter: bool| {
            let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
            let first = world.add_body(rests(0.0, 1)).unwrap();
            world.add_body(rests(0.25, 1)).unwrap();
            let stranger = world.add_body(rests(0.5, 0)).unwrap();
            world.advance_to(0.0).unwrap();
            let change = |world: &mut World| {
                if is_filter {
                    world.set_filter(stranger, Filter::new(1, 1))
                } else {
                    world.set_pair_watched(stranger, first, true)
                }
            };
            shown(&mut world, bound, change, &[0.0, 1.0])
        };
        for (is_filter, count) in [(true, 3), (false, 2)] {
            let [free, bounded] = [None, Some(1)].map(|bound| run(bound, is_filter));
            assert_eq!(free[1].len(), count, "{engine:?}");
            assert_eq!(bounded, free, "{engine:?}, filter: {is_filter}");
        }
    }
}

#[test]
fn a_body_taken_away_brings_pairs_within_the_bound() {
    let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
    world.add_body(rests(0.0, 1)).unwrap();
    let second = world.add_body(rests(0.25, 1)).unwrap();
    let stranger = world.add_body(rests(0.5, 0)).unwrap();
    world.set_limits(pairs(1));
    assert!(world.set_filter(stranger, Filter::new(1, 1)).is_err());
    world.remove_body(second).unwrap();
    assert_eq!(world.contacts().len(), 1);
    world.advance_to(1.0).unwrap();
    assert!(world.audit().is_clean(), "{}", world.audit());
}

/// What a change tells after an advance that was refused before it began is not what the advance
/// before that one told.
#[test]
fn what_was_told_is_not_told_again_after_a_refused_advance() {
    let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
    world.add_body(rests(0.0, 1)).unwrap();
    world.add_body(rests(0.25, 1)).unwrap();
    let stranger = world.add_body(rests(0.5, 0)).unwrap();
    world.advance_to(0.0).unwrap();
    assert_eq!(world.contact_changes().len(), 1);
    world.set_limits(pairs(1));
    assert!(world.set_filter(stranger, Filter::new(1, 1)).is_err());
    assert!(world.advance_to(1.0).is_err(), "pairs are missing");
    world.set_limits(WorldLimits::DEFAULT);
    world.set_filter(stranger, Filter::new(0, 1)).unwrap();
    assert!(world.contact_changes().is_empty(), "{:?}", world.contact_changes());
}

/// A box that comes near the wall of its region at one key, by less than a rounding of the wall to
/// `f32`.
#[test]
fn walls_of_fat_boxes_are_compared_as_they_are() {
    let u = 1.0 / 16384.0_f32;
    let mut keys = Vec::new();
    for key in 0..100 {
        let x = if key == 75 { 1002.0 + u } else { 1000.0 };
        keys.extend([[x, 0.0, 0.0], [x, 0.5, 0.0], [x, 0.0, 0.5]]);
    }
    let times: Vec<f64> = (0..100).map(f64::from).collect();
    for extra in [0.0, 0.1, 0.2, 0.3, 0.4, 0.5] {
        let mut world = World::new(WorldDef::new().engine(Engine::Kinetic)).unwrap();
        let plan = Flightplan::keyframes(times.clone(), keys.clone());
        world.add_body(BodyDef::new(mesh(), plan).thickness(2.0 * (1.0 + extra * f64::from(u)))).unwrap();
        for time in [0.0, 60.5, 73.5, 74.25, 74.5, 74.75, 75.25, 76.5] {
            world.advance_to(time).unwrap();
            assert!(world.audit().is_clean(), "{extra}, at {time}: {}", world.audit());
        }
    }
}
