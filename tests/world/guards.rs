//! Single facts that no scene guards: what a removed body leaves behind, what a jump of the clock
//! wakes, ties of bounds and times.

use kinetree::bvh::BuildParams;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::world::{AdvanceError, BodyDef, ContactMode, Engine, World, WorldDef, WorldLimits};

use crate::common::dice::Dice;
use crate::common::shapes::soup_triangles;

const AT_TIMES: [Engine; 5] = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];

fn world(engine: Engine) -> World {
    World::new(WorldDef::default().engine(engine)).unwrap()
}

fn continuous(engine: Engine) -> World {
    World::new(WorldDef::default().engine(engine).contacts(ContactMode::Continuous)).unwrap()
}

fn soup(count: usize, plan: Flightplan) -> BodyDef {
    BodyDef::new(Mesh::new(3 * count, soup_triangles(count)).unwrap(), plan)
}

/// A level triangle, 8 m wide.
fn level(z: f32) -> Vec<[f32; 3]> {
    vec![[-4.0, -4.0, z], [4.0, -4.0, z], [0.0, 4.0, z]]
}

/// A small triangle that stands with a corner at a height, and 1 m high: it meets level ones from
/// there on.
fn standing(z: f32) -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, z], [0.5, 0.0, z + 1.0], [0.0, 0.5, z + 1.0]]
}

/// A floor, and beside it a tall triangle: boxes of bodies above the floor overlap that of this
/// body, wherever they are.
fn floor_with_post() -> BodyDef {
    let post = [[3.5, 0.0, -8.0], [4.0, 0.0, 8.0], [3.5, 0.5, 8.0]];
    soup(2, Flightplan::fixed(level(0.0).into_iter().chain(post).collect()))
}

/// Stands at each of some heights at whole seconds.
fn rising(heights: &[f32]) -> Flightplan {
    let times = (0..heights.len()).map(|key| key as f64).collect();
    Flightplan::keyframes(times, heights.iter().flat_map(|&z| standing(z)).collect())
}

/// Small triangles whose corners jump about from key to key.
fn scattered(dice: &mut Dice, count: usize, times: &[f64]) -> Flightplan {
    let mut keys = Vec::new();
    for _ in 0..times.len() * count {
        let middle: [f64; 3] = std::array::from_fn(|_| dice.real(-1.5, 1.5));
        keys.extend((0..3).map(|_| -> [f32; 3] { middle.map(|x| (x + dice.real(-0.75, 0.75)) as f32) }));
    }
    Flightplan::keyframes(times.to_vec(), keys)
}

#[test]
fn a_thickness_of_a_pair_ends_with_its_bodies() {
    for engine in AT_TIMES {
        let mut world = world(engine);
        let floor = world.add_body(soup(1, Flightplan::fixed(level(0.0)))).unwrap();
        let lid = soup(1, Flightplan::fixed(level(0.5)));
        let first = world.add_body(lid.clone()).unwrap();
        world.set_pair_thickness(floor, first, Some(1.0)).unwrap();
        assert_eq!(world.contacts().len(), 1, "{engine:?}");
        world.remove_body(first).unwrap();
        // It takes the place of the first one.
        let second = world.add_body(lid).unwrap();
        assert_ne!(first, second);
        assert_eq!(world.contacts(), [], "{engine:?}");
        world.advance_to(1.0).unwrap();
        assert_eq!(world.contacts(), [], "{engine:?}");
    }
}

#[test]
fn worlds_in_which_other_pairs_are_watched_are_not_the_same() {
    let identity = |left_out: &[[usize; 2]]| {
        let mut world = world(Engine::Auto);
        let ids = [0.0, 1.0, 2.0].map(|z| world.add_body(soup(1, Flightplan::fixed(level(z)))).unwrap());
        for &[a, b] in left_out {
            world.set_pair_watched(ids[a], ids[b], false).unwrap();
        }
        world.identity(0.0, 1.0)
    };
    let all = [&[][..], &[[0, 1]], &[[0, 2]], &[[1, 2]], &[[0, 1], [1, 2]]].map(identity);
    for (place, one) in all.iter().enumerate() {
        assert_eq!(one.bodies, all[0].bodies);
        assert!(all[..place].iter().all(|other| other.rules != one.rules), "{place}");
    }
    assert_eq!(identity(&[[0, 2]]), all[2]);
}

#[test]
fn positions_are_written_over_what_was_there() {
    let mut world = world(Engine::Auto);
    let body = world.add_body(soup(1, rising(&[1.0, 3.0]))).unwrap();
    world.advance_to(0.5).unwrap();
    let mut places = vec![[9.0; 3]; 7];
    world.positions_into(body, &mut places).unwrap();
    assert_eq!(places, [[0.0, 0.0, 2.0], [0.5, 0.0, 3.0], [0.0, 0.5, 3.0]]);
}

#[test]
fn the_first_contact_until_now_is_one_that_is_on() {
    for contacts in [ContactMode::AtTimes, ContactMode::Continuous] {
        let mut world = World::new(WorldDef::default().contacts(contacts)).unwrap();
        let floor = world.add_body(soup(1, Flightplan::fixed(level(0.0)))).unwrap();
        let tip = world.add_body(soup(1, rising(&[1.0, -0.5]))).unwrap();
        world.advance_to(0.5).unwrap();
        assert_eq!(world.first_contact(floor, tip, 0.5), Ok(None));
        world.advance_to(1.0).unwrap();
        let first = world.first_contact(floor, tip, 1.0).unwrap().expect("it is in the floor");
        assert!(first.is_begin() && first.time().lo <= 1.0 && 1.0 <= first.time().hi, "{first:?}");
        assert_eq!([first.contact().a, first.contact().b], [floor, tip]);
    }
}

/// A budget that is the world's own bound of events is refused where the bound is, and a smaller
/// one is not.
#[test]
fn a_budget_as_large_as_the_bound_meets_the_bound() {
    let mut bounded = World::new(
        WorldDef::default().engine(Engine::Kinetic).limits(WorldLimits { events: 3, ..WorldLimits::DEFAULT }),
    )
    .unwrap();
    bounded.add_body(soup(20, scattered(&mut Dice::new(1, &[60]), 20, &[0.0, 1.0, 2.0]))).unwrap();
    let refused = bounded.clone().advance_to(2.0).unwrap_err();
    assert!(matches!(refused, AdvanceError::Limit { limit: 3, .. }), "{refused}");
    assert_eq!(bounded.clone().advance_to_within(2.0, 4).unwrap_err(), refused);
    assert_eq!(bounded.clone().advance_to_within(2.0, 3).unwrap_err(), refused);
    assert!(!bounded.advance_to_within(2.0, 2).unwrap().is_done);
}

/// A body whose motion has ended moves again where the clock is set back.
#[test]
fn a_seek_wakes_what_rested() {
    for engine in AT_TIMES {
        let mut world = world(engine);
        world.add_body(floor_with_post()).unwrap();
        world.add_body(soup(1, rising(&[2.0, -2.0, 2.0]))).unwrap();
        for _ in 0..2 {
            for (time, count) in [(0.25, 0), (0.625, 1), (1.0, 0), (1.375, 1), (2.0, 0), (3.0, 0), (4.0, 0), (9.0, 0)] {
                world.advance_to(time).unwrap();
                assert_eq!(world.contacts().len(), count, "{engine:?} at {time}");
            }
            world.seek(0.125).unwrap();
        }
    }
}

/// The next interval of a body is prepared when its plan is replaced by one that is the same until
/// then.
#[test]
fn what_was_prepared_of_an_old_plan_is_not_used() {
    for engine in AT_TIMES {
        let mut world = world(engine);
        world.add_body(floor_with_post()).unwrap();
        let tip = world.add_body(soup(1, rising(&[2.0, 1.5, 3.0]))).unwrap();
        for eighth in 1..=16 {
            let time = f64::from(eighth) / 8.0;
            world.advance_to(time).unwrap();
            // The corner is at 1.5 m at 1 s, and then sinks by 2 m in a second.
            assert_eq!(world.contacts().len(), usize::from(time >= 1.75), "{engine:?} at {time}");
            if time == 0.5 {
                world.set_flightplan(tip, rising(&[2.0, 1.5, -0.5])).unwrap();
            }
        }
    }
}

/// In `f64`, all corners lie on one line as seen from the first: the computed normal is zero, the
/// exact one is not.
#[test]
fn a_ray_that_hits_a_needle_has_a_point_of_it() {
    let needle = vec![[0.5_f32.powi(60), 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0]];
    let mut world = world(Engine::Auto);
    world.add_body(soup(1, Flightplan::fixed(needle.clone()))).unwrap();
    let hit = world.query().cast_ray([0.0, 0.0, 5.0], [1.0, 1.0, -5.0], 10.0).expect("it ends on the second corner");
    let weights = hit.barycentric;
    assert!(weights.iter().all(|&weight| (0.0..=1.0).contains(&weight)), "{hit:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{hit:?}");
    for axis in 0..3 {
        let there = (0..3).map(|corner| weights[corner] * f64::from(needle[corner][axis])).sum::<f64>();
        assert!((hit.point[axis] - there).abs() < 1e-12, "{hit:?}");
    }
}

/// A small box overlaps a large triangle: the point that is told lies in both.
#[test]
fn the_point_where_a_box_overlaps_a_triangle_lies_in_the_box() {
    let corners = [[-8.0, -8.0, -2.0], [8.0, -8.0, 2.0], [0.0, 8.0, 0.5]];
    let mut world = world(Engine::Auto);
    world.add_body(soup(1, Flightplan::fixed(corners.map(|p| p.map(|x| x as f32)).to_vec()))).unwrap();
    let mut dice = Dice::new(2, &[61]);
    for case in 0..200 {
        let inner = [dice.real(0.1, 0.4), dice.real(0.1, 0.4)];
        let weights = [1.0 - inner[0] - inner[1], inner[0], inner[1]];
        let half = [(); 3].map(|()| dice.real(0.1, 0.5));
        // Not farther from the triangle than a part of the shortest side.
        let centre: [f64; 3] = std::array::from_fn(|axis| {
            (0..3).map(|corner| weights[corner] * corners[corner][axis]).sum::<f64>() + dice.real(-0.04, 0.04)
        });
        let axes = [[half[0], 0.0, 0.0], [0.0, half[1], 0.0], [0.0, 0.0, half[2]]];
        let hit = world.query().cast_box(centre, &axes, [0.0, 0.0, -1.0], 1.0).expect("they overlap");
        assert_eq!(hit.distance, 0.0, "case {case}");
        for axis in 0..3 {
            let there = (0..3).map(|corner| hit.barycentric[corner] * corners[corner][axis]).sum::<f64>();
            assert!((hit.point[axis] - there).abs() < 1e-9, "case {case}: {hit:?}");
            assert!(
                (hit.point[axis] - centre[axis]).abs() < half[axis] + 1e-9,
                "case {case}: {centre:?} {half:?} {hit:?}"
            );
        }
    }
}

/// Another body jumps at the clock's time, into what a trial moves: that contact begins just after
/// it.
#[test]
fn what_jumps_at_the_start_of_a_trial_does_not_touch_at_the_start() {
    for engine in AT_TIMES {
        let mut world = world(engine);
        let lid = world.add_body(soup(1, Flightplan::fixed(level(0.5)))).unwrap();
        world.add_body(soup(1, rising(&[0.0, 5.0]).outside(Outside::Loop))).unwrap();
        world.advance_to(1.0).unwrap();
        assert_eq!(world.contacts(), [], "{engine:?}");
        let mut trial = world.trial(lid, &level(0.5), 2.0).unwrap();
        let contacts = trial.contacts().unwrap();
        assert_eq!(contacts.len(), 1, "{engine:?}");
        let contact = &contacts[0];
        assert!(!contact.touches_at_start && !contact.undecided, "{engine:?}: {contact:?}");
        // It is 0.5 m below at first, and leaves at 5 m/s.
        let end = contact.end.expect("it flies away");
        assert_eq!(contact.begin.lo, 1.0, "{engine:?}: {contact:?}");
        assert!(end.lo <= 1.1 && 1.1 <= end.hi && end.hi - end.lo < 1e-12, "{engine:?}: {contact:?}");
    }
}

#[cfg(feature = "io")]
#[test]
fn a_stored_edit_without_a_plan_for_a_new_vertex_is_refused() {
    use kinetree::{Edit, NewVertex};

    let mut world = world(Engine::Auto);
    let body = world.add_body(soup(1, Flightplan::fixed(level(0.0)))).unwrap();
    let mut edit = world.begin_edit(body).unwrap();
    let corner = edit.add_vertex(NewVertex::fixed([0.5; 3]));
    edit.add_triangle([0, 1, corner]);
    let mut stored = serde_json::to_value(&edit).unwrap();
    let same: Edit = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(format!("{same:?}"), format!("{edit:?}"));
    let plans = stored["vertices"].as_array_mut().expect("a list");
    let plan = plans.pop().expect("one plan");
    let refused = serde_json::from_value::<Edit>(stored.clone()).unwrap_err();
    assert_eq!(refused.to_string(), "the edit has not one plan per new vertex");
    let plans = stored["vertices"].as_array_mut().expect("a list");
    plans.extend([plan.clone(), plan]);
    assert!(serde_json::from_value::<Edit>(stored).is_err());
}

#[test]
fn the_most_slots_of_a_vertex_are_those_of_the_body_that_has_most() {
    let most = |counts: &[usize]| {
        let mut world = world(Engine::Kinetic);
        for &count in counts {
            world.add_body(soup(count, scattered(&mut Dice::new(3, &[62]), count, &[0.0, 1.0]))).unwrap();
        }
        world.stats().most_slots_per_vertex
    };
    assert!(most(&[1]) > 0 && most(&[1]) < most(&[40]));
    assert_eq!(most(&[1, 40]), most(&[40]));
    assert_eq!(most(&[40, 1]), most(&[40]));
}

/// What is certified ahead of a round is certified for its times, also of a body that is tested
/// against itself.
#[test]
fn a_body_that_loops_and_meets_itself_has_the_contacts_of_brute_force_in_every_round() {
    let times = [0.0, 0.25, 0.5, 0.75, 1.0];
    let (mut seen, mut changes) = (0, 0);
    for seed in 0..3 {
        let plan = scattered(&mut Dice::new(seed, &[63]), 14, &times).outside(Outside::Loop);
        let def = soup(14, plan).self_contact(true).build(BuildParams { leaf_size: 1, ..BuildParams::default() });
        let mut worlds = [world(Engine::Kinetic), continuous(Engine::Kinetic), world(Engine::BruteForce)];
        worlds.iter_mut().for_each(|world| {
            world.add_body(def.clone()).unwrap();
        });
        for step in 1..=72 {
            let time = f64::from(step) / 24.0;
            let mut before = None;
            for world in &mut worlds {
                world.advance_to(time).unwrap();
                let contacts = world.contacts().to_vec();
                let expected = before.get_or_insert_with(|| contacts.clone());
                assert_eq!(contacts, *expected, "seed {seed} at {time}");
            }
            let [at_times, over_time, brute] = &mut worlds;
            (seen, changes) = (seen + brute.contacts().len(), changes + brute.contact_changes().len());
            if step % 8 == 1 {
                assert!(at_times.audit().is_clean(), "seed {seed} at {time}: {}", at_times.audit());
                assert!(over_time.audit().is_clean(), "seed {seed} at {time}: {}", over_time.audit());
            }
        }
    }
    assert!(seen > 200 && changes > 200, "{seen} contacts, {changes} changes");
}

/// Contacts of twelve sheets, one after the other, of which the bound allows five: each attempt is
/// refused.
#[test]
fn a_bound_of_contacts_holds_however_often_a_host_tries() {
    let sheets = (0..12).flat_map(|place| {
        let height = place as f32 / 8.0;
        [[-4.0, -4.0], [4.0, -4.0], [-4.0, 4.0]].map(|[x, y]| [x, y, x + height])
    });
    let small = |z: f32| [[-1.0, -1.0, z], [-1.0, -1.0625, z], [-1.0, -1.0, z + 0.0625]];
    let keys = [2.0, 1.5, -2.0].into_iter().flat_map(small).collect();
    let build = BuildParams { leaf_size: 1, ..BuildParams::default() };
    let limits = WorldLimits { contacts: 5, ..WorldLimits::DEFAULT };
    let def = WorldDef::default().engine(Engine::Kinetic).contacts(ContactMode::Continuous);
    let mut world = World::new(def.limits(limits)).unwrap();
    world.add_body(soup(12, Flightplan::fixed(sheets.collect())).build(build)).unwrap();
    world.add_body(soup(1, Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))).unwrap();
    for attempt in 0..6 {
        let refused = world.advance_to(2.0).unwrap_err();
        assert!(matches!(refused, AdvanceError::Limit { what: "contacts", limit: 5, .. }), "{attempt}: {refused}");
        assert_eq!((world.time(), world.contact_changes().len()), (1.0, 0), "{attempt}");
    }
    world.set_limits(WorldLimits::DEFAULT);
    world.advance_to(2.0).unwrap();
    let begins = world.contact_changes().iter().filter(|change| change.is_begin()).count();
    assert_eq!((begins, world.contact_changes().len()), (12, 24));
}

/// The next interval is prepared a part at a time; a host leaps over what is left.
#[test]
fn a_leap_into_an_interval_that_is_prepared_in_part_misses_nothing() {
    let times: Vec<f64> = (0..4).map(f64::from).collect();
    let bodies = [0, 1].map(|body| soup(30, scattered(&mut Dice::new(body, &[64]), 30, &times)));
    let mut seen = 0;
    for small in 1..32 {
        let mut worlds = [continuous(Engine::Auto), world(Engine::BruteForce)];
        for world in &mut worlds {
            for body in &bodies {
                world.add_body(body.clone()).unwrap();
            }
        }
        let steps = (1..=small).map(|step| f64::from(step) / 32.0).chain([1.25, 1.5, 2.75]);
        for time in steps {
            worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
            assert_eq!(worlds[0].contacts(), worlds[1].contacts(), "{small} steps, at {time}");
        }
        seen += worlds[1].contacts().len();
    }
    assert!(seen > 100, "{seen}");
}
