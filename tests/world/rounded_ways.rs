//! Contacts over time of motion whose positions are rounded everywhere: velocity fields, of which no time between is a short
//! number, and keys at different times with long ways between them. The exact contacts are known by construction.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::Random;
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactMode, Engine, World, WorldDef};

type Corners = [[f32; 3]; 3];

const MODES: [ContactMode; 2] = [ContactMode::AtTimes, ContactMode::Continuous];

fn triangle() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn world(engine: Engine, mode: ContactMode, plans: [Flightplan; 2]) -> World {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
    for plan in plans {
        world.add_body(BodyDef::new(triangle(), plan)).unwrap();
    }
    world
}

fn contacts_at(world: &mut World, times: &[f64]) -> Vec<usize> {
    let count = |&time: &f64| {
        world.advance_to(time).unwrap();
        world.contacts().len()
    };
    times.iter().map(count).collect()
}

/// A whole number from `-most` to `most`.
fn whole(random: &mut Random, most: u64) -> f32 {
    random.below(2 * most + 1) as f32 - most as f32
}

/// The plane z = 3 x, and a triangle with a corner in it.
fn slope_and_tip() -> [Corners; 2] {
    let slope = [[-100.0, -100.0, -300.0], [100.0, -100.0, 300.0], [0.0, 200.0, 0.0]];
    [slope, [[1.0, 0.5, 3.0], [1.0, 0.25, 8.0], [1.0, 0.75, 8.0]]]
}

#[test]
fn a_corner_that_slides_in_a_plane_touches_it_all_the_time() {
    let [slope, tip] = slope_and_tip();
    let mut random = Random::new(17);
    for case in 0..12 {
        // Three times as much is an f32 too.
        let v = (random.below(1 << 22) | 1) as f32 / 16_777_216.0;
        let begin = 0.1 + f64::from(case) * 0.013;
        for (engine, mode) in
            [Engine::Auto, Engine::Kinetic].into_iter().flat_map(|engine| MODES.map(|mode| (engine, mode)))
        {
            let velocities = Flightplan::velocities(begin, tip.to_vec(), vec![[v, 0.0, 3.0 * v]; 3]);
            let mut world = world(engine, mode, [Flightplan::fixed(slope.to_vec()), velocities]);
            let touching = contacts_at(&mut world, &[begin, 1.5, 5.3, 17.7, 40.1, 63.9]);
            assert_eq!(touching, [1; 6], "{engine:?} {mode:?}, {v} m/s from {begin} s on");
        }
    }
}

/// Also after the motion has ended, where positions are not stored either.
#[test]
fn bodies_that_touch_and_move_alike_touch_all_the_time() {
    let mut random = Random::new(99);
    for case in 0..24 {
        let end = [0.7, 0.3, 1.0 / 3.0, 1.1][case % 4];
        let velocity: [f32; 3] = [0; 3].map(|_| random.between(-2.0, 2.0) as f32);
        let [x, y] = [0; 2].map(|_| whole(&mut random, 32_768) / 65_536.0);
        let slope = [[-4.0, -4.0], [4.0, -4.0], [0.0, 8.0]].map(|[x, y]| [x, y, 3.0 * x]);
        let tip = [[x, y, 3.0 * x], [x, y - 0.25, 3.0 * x + 5.0], [x, y + 0.25, 3.0 * x + 5.0]];
        for mode in MODES {
            let plan = |corners: &Corners| {
                Flightplan::velocities_until(Span { begin: 0.0, end }, corners.to_vec(), vec![velocity; 3])
            };
            let mut world = world(Engine::Auto, mode, [plan(&slope), plan(&tip)]);
            let touching = contacts_at(&mut world, &[0.0, 0.1, 0.5 * end, 0.9 * end, end, end + 3.0]);
            assert_eq!(touching, [1; 6], "{mode:?} until {end} s with {velocity:?}, corner {x} {y}");
        }
    }
}

/// A corner moves fast along a slope and slowly towards it: it arrives exactly 16 s after it began to move.
#[test]
fn enclosures_of_velocity_fields_hold_the_true_begin() {
    let [slope, mut tip] = slope_and_tip();
    let (unit, mut random) = (2.0f32.powi(-24), Random::new(5));
    tip[0][2] += 16.0 * unit;
    for case in 0..20 {
        let fast = (random.below(1 << 18) + (1 << 18)) as f32 * unit * 8.0;
        let slow = 3.0 * fast - unit;
        assert_eq!(f64::from(slow), 3.0 * f64::from(fast) - f64::from(unit));
        let begin = 0.1 + 0.017 * f64::from(case);
        let velocities = Flightplan::velocities(begin, tip.to_vec(), vec![[fast, 0.0, slow]; 3]);
        let mut world = world(Engine::Auto, ContactMode::Continuous, [Flightplan::fixed(slope.to_vec()), velocities]);
        world.advance_to(60.0).unwrap();
        let began = world.contact_changes().iter().find(|change| change.is_begin()).expect("a contact");
        let (truth, found) = (begin + 16.0, began.time());
        assert!(found.lo <= truth.next_up() && truth.next_down() <= found.hi, "{truth} is not in {found:?}");
    }
}

/// At 1.5 s a corner passes exactly through a point of a triangle, along its plane. Keys differ, so the way is cut.
#[test]
fn what_passes_at_one_instant_after_a_long_way_is_not_missed() {
    let mut random = Random::new(2024);
    let mut scenes = 0;
    for case in 0..400 {
        let grid = 2.0f32.powi(-4 - case % 3);
        let mut corner = |most: u64, unit: f32| -> [f32; 3] { [0; 3].map(|_| whole(&mut random, most) * unit) };
        let corners = [(); 3].map(|()| corner(15, 4.0 * grid));
        let ways = [(); 3].map(|()| corner(3, grid));
        let point: [f32; 3] = std::array::from_fn(|k| match case % 4 {
            0 => corners[0][k],
            1 => 0.5 * (corners[0][k] + corners[1][k]),
            2 => 0.5 * corners[0][k] + 0.25 * (corners[1][k] + corners[2][k]),
            _ => 0.25 * corners[0][k] + 0.75 * corners[1][k],
        });
        let way: [f32; 3] = std::array::from_fn(|k| (corners[1][k] - corners[0][k]) * 1024.0);
        let beyond = |sign: f32| -> [f32; 3] { std::array::from_fn(|k| point[k] + sign * way[k]) };
        let is_exact = |sign: f32| {
            (0..3).all(|k| f64::from(beyond(sign)[k]) == f64::from(point[k]) + f64::from(sign) * f64::from(way[k]))
        };
        if !is_exact(1.0) || !is_exact(-1.0) {
            continue;
        }
        let slow =
            |s: f32| -> Corners { std::array::from_fn(|c| std::array::from_fn(|k| corners[c][k] + s * ways[c][k])) };
        let plans = || {
            [
                Flightplan::keyframes(vec![0.0, 3.0], [slow(-1.0), slow(1.0)].concat()),
                Flightplan::keyframes(vec![1.0, 2.0], [[beyond(1.0); 3], [beyond(-1.0); 3]].concat()),
            ]
        };
        let mut at_times = world(Engine::Auto, ContactMode::AtTimes, plans());
        assert_eq!(contacts_at(&mut at_times, &[1.5]), [1], "{case}");
        let mut continuous = world(Engine::Auto, ContactMode::Continuous, plans());
        continuous.advance_to(2.9).unwrap();
        let changes = continuous.contact_changes();
        let begun = |change: &&kinetree::world::ContactChange| change.is_begin() && change.time().lo <= 1.5;
        let ended = |change: &&kinetree::world::ContactChange| !change.is_begin() && change.time().hi < 1.5;
        let (begun, ended) = (changes.iter().filter(begun).count(), changes.iter().filter(ended).count());
        assert!(begun > ended, "{case}: {changes:?}");
        scenes += 1;
    }
    assert!(scenes > 100, "{scenes}");
}

/// A floor rests until 1 s, then falls. A corner would reach its place one step of `f64` after 1 s: that is no contact, or one that
/// is marked as decided by rounding.
#[test]
fn what_would_come_after_a_rest_does_not_touch() {
    let floor = |z: f32| [[-4.0, -4.0, z], [4.0, -4.0, z], [0.0, 4.0, z]];
    let tip = |z: f32| [[0.1, 0.2, z], [0.4, 0.2, z + 5.0], [0.1, 0.5, z + 5.0]];
    let expect = |world: &World, touches: bool| {
        let changes = world.contact_changes();
        let is_sure = changes.iter().any(|change| !change.is_undecided());
        assert_eq!(is_sure, touches, "{changes:?}");
    };
    for engine in [Engine::Auto, Engine::Kinetic] {
        for (late, touches) in [(1.5f64, true), (1.5f64.next_up(), false), (1.5f64.next_up().next_up(), false)] {
            let falls = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [floor(0.0), floor(0.0), floor(-100.0)].concat());
            let comes = Flightplan::keyframes(vec![0.5, late], [tip(1.0), tip(-1.0)].concat());
            let mut world = world(engine, ContactMode::Continuous, [falls, comes]);
            world.advance_to(1.9).unwrap();
            expect(&world, touches);
        }
        for (early, touches) in [(0.5f64, true), (0.5f64.next_down(), false), (0.5f64.next_down().next_down(), false)] {
            let lands = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [floor(-100.0), floor(0.0), floor(0.0)].concat());
            let leaves = Flightplan::keyframes(vec![early, 1.5], [tip(-1.0), tip(1.0)].concat());
            let mut world = world(engine, ContactMode::Continuous, [lands, leaves]);
            world.advance_to(1.9).unwrap();
            expect(&world, touches);
        }
    }
}
