//! Trials at ends of windows, by hand: what begins or ends within a rounding of them, and where touches are told.

use kinetree::{BodyDef, BodyId, Flightplan, Mesh, Outside, Sphere, Spheres, World, WorldDef};

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn floor(z: f32) -> Vec<[f32; 3]> {
    vec![[-40.0, -40.0, z], [40.0, -40.0, z], [0.0, 40.0, z]]
}

/// The corner at the origin is the lowest one.
fn tip(z: f32) -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, z], [1.0, 0.0, z + 4.0], [0.0, 1.0, z + 4.0]]
}

/// The corner at the origin is the highest one.
fn hang(z: f32) -> Vec<[f32; 3]> {
    vec![[0.0, 0.0, z], [1.0, 0.0, z - 4.0], [0.0, 1.0, z - 4.0]]
}

/// A floor at a height, and a body that moves; the floor's number.
fn scene(start: f64, now: f64, z: f32, plan: Flightplan) -> (World, BodyId) {
    let mut world = World::new(WorldDef::new().start(start)).unwrap();
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor(z)))).unwrap();
    world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    world.advance_to(now).unwrap();
    (world, id)
}

#[test]
fn the_begin_of_a_loops_first_round() {
    // Before 1 s it comes down to 0 m, which it does not reach: at 1 s it is at 5 m.
    let plan = Flightplan::keyframes(vec![1.0, 2.0], [tip(5.0), tip(0.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.5).unwrap();
    assert_eq!((trial.contacts().unwrap().len(), trial.step_size().unwrap()), (0, 1.0));
    // It comes down to −1 m: what touches before 1 s has ended at 1 s.
    let plan = Flightplan::keyframes(vec![1.0, 2.0], [tip(5.0), tip(-1.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.5).unwrap();
    let told = trial.contacts().unwrap()[0];
    let end = told.end.unwrap();
    assert_eq!((end.lo, end.hi, end.is_open, told.undecided), (1.0, 1.0, true, false));
}

#[test]
fn what_is_over_or_not_yet_is_no_part_of_a_trial() {
    // Its highest corner passes the floor at 1/3 s; the clock is 4e-16 s later.
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [hang(1.0), hang(-2.0)].concat());
    let (mut world, id) = scene(0.0, 1.0 / 3.0 + 4e-16, 0.0, plan);
    assert!(world.contacts().is_empty());
    assert_eq!(world.trial(id, &floor(0.0), 0.9).unwrap().step_size().unwrap(), 1.0);
    // It touches at 1/3 s; the trial ends 4e-16 s before.
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [tip(1.0), tip(-2.0)].concat());
    let (mut world, id) = scene(0.0, 0.0, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.0 / 3.0 - 4e-16).unwrap();
    assert!(trial.contacts().unwrap().is_empty());
}

#[test]
fn the_touch_of_a_contact_at_the_start_is_where_it_is_then() {
    let at = |x: f32, z: f32| vec![[x, 0.0, z], [x, 1.0, z + 4.0], [x, -1.0, z + 4.0]];
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [at(-10.0, 1.0), at(10.0, -1.0)].concat());
    let (mut world, id) = scene(0.0, 0.75, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.0).unwrap();
    let told = trial.contacts().unwrap()[0];
    assert!(told.touches_at_start && told.begin.lo == 0.75);
    assert!((told.touch.point[0] - 5.0).abs() < 1e-6, "{:?}", told.touch.point);
}

#[test]
fn a_graze_that_is_none_is_undecided() {
    // The tip turns 3.2e-17 m above the floor, by rationals; interpolated positions are equal.
    let (z, h) = ([0.071_389_385, 0.663_268_74], 0.321_146_55);
    let turn = 0.421_973_091_048_804;
    let plan = Flightplan::keyframes(vec![0.0, turn, 1.0], [tip(h + 1.0), tip(h), tip(h + 1.0)].concat());
    let (mut world, id) = scene(0.0, 0.0, z[0], plan);
    let mut trial = world.trial(id, &floor(z[1]), 1.0).unwrap();
    let told = trial.contacts().unwrap();
    assert!(told.len() == 1 && told[0].undecided, "{told:?}");
}

/// As above, but that the tip goes on downward: the window up to the key cannot tell whether it
/// touches there, and the next one is sure that it does later.
#[test]
fn doubt_about_the_begin_of_a_contact_stays_where_it_goes_on() {
    let (z, h) = ([0.071_389_385, 0.663_268_74], 0.321_146_55);
    let turn = 0.421_973_091_048_804;
    let plan = Flightplan::keyframes(vec![0.0, turn, 1.0], [tip(h + 1.0), tip(h), tip(h - 1.0)].concat());
    let (mut world, id) = scene(0.0, 0.0, z[0], plan);
    let mut trial = world.trial(id, &floor(z[1]), 1.0).unwrap();
    let told = trial.contacts().unwrap();
    assert!(told.len() == 1 && told[0].undecided && told[0].end.is_none(), "{told:?}");
}

/// Where the floor slides, positions at the tip's key are rounded: what touches from that key's
/// own time on is one contact, and nothing touches just before.
#[test]
fn a_contact_that_begins_at_a_key_is_one() {
    let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], [tip(1.0), tip(0.0), tip(-1.0)].concat());
    let (mut world, id) = scene(0.0, 0.0, 0.0, plan);
    let beside: Vec<[f32; 3]> = floor(0.0).into_iter().map(|[x, y, z]| [x + 1.0, y, z]).collect();
    let mut trial = world.trial(id, &beside, 1.0).unwrap();
    let told = trial.contacts().unwrap();
    assert!(told.len() == 1 && told[0].end.is_none(), "{told:?}");
    assert!(told[0].begin.lo <= 0.5 && told[0].begin.hi >= 0.5 && !told[0].undecided, "{told:?}");
}

/// A floor at rest jumps away at 1 s, just when the tip comes down to it. Enclosures do not tell
/// which is first, and an exact test does: the floor is still there at 1 s.
#[test]
fn a_touch_just_when_a_body_at_rest_jumps_away_is_decided() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(tip(1.0)))).unwrap();
    let keys = [floor(-5.0), floor(0.0), floor(0.0)].concat();
    let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], keys).outside(Outside::Loop);
    world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    world.advance_to(0.0).unwrap();
    // It is at 1 m minus the time, and 1 s is four fifths of the way.
    let mut trial = world.trial(id, &tip(-0.25), 1.25).unwrap();
    let told = trial.contacts().unwrap();
    assert!(told.len() == 1 && !told[0].undecided, "{told:?}");
    let (begin, end) = (told[0].begin, told[0].end.expect("the floor jumps away"));
    assert!(begin.lo <= 1.0 && 1.0 <= begin.hi && (end.lo, end.hi) == (1.0, 1.0), "{told:?}");
}

#[test]
fn a_contact_at_the_end_leaves_the_whole_step() {
    let plan = Flightplan::keyframes(vec![0.0, 0.5, 1.0], [tip(1.0), tip(0.0), tip(1.0)].concat());
    let (mut world, id) = scene(0.0, 0.25, 0.0, plan);
    assert_eq!(world.trial(id, &floor(0.0), 0.5).unwrap().step_size().unwrap(), 1.0);
}

/// The trial is the last key interval before a loop's first round: the way there leads to the third
/// key, and at 10 s the body is at the first one.
#[test]
fn the_key_interval_before_a_loops_first_round() {
    let keys = [tip(5.0), tip(5.0), tip(-3.0)].concat();
    let plan = Flightplan::keyframes(vec![10.0, 11.0, 12.0], keys).outside(Outside::Loop);
    let (mut world, id) = scene(9.0, 9.0, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 10.0).unwrap();
    let told = trial.contacts().unwrap().to_vec();
    assert_eq!(told.len(), 1);
    assert!((told[0].begin.lo - 9.625).abs() < 1e-12 && told[0].begin.hi >= 9.625, "{told:?}");
    let end = told[0].end.unwrap();
    assert_eq!((end.lo, end.hi, end.is_open, told[0].undecided), (10.0, 10.0, true, false));
    let step = trial.step_size().unwrap();
    assert!(0.624 < step && step <= 0.625, "{step}");
}

/// The trial ends where a loop jumps into its first round: the new positions count.
#[test]
fn a_trial_that_ends_with_a_loops_first_round() {
    // The tip touches at 1 s only, where it is 0 m high.
    let plan = || Flightplan::keyframes(vec![1.0, 2.0], [tip(0.0), tip(5.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan());
    let mut trial = world.trial(id, &floor(0.0), 1.0).unwrap();
    let told = trial.contacts().unwrap().to_vec();
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].begin.lo, told[0].begin.hi, told[0].begin.is_open), (1.0, 1.0, false));
    assert_eq!((told[0].end, told[0].fraction, told[0].touches_at_start), (None, 1.0, false));
    assert!(!told[0].undecided && told[0].touch.point == [0.0; 3], "{told:?}");
    assert_eq!(trial.step_size().unwrap(), 1.0);
    // Far below on the way there, so that no box of that way is near.
    let plan = Flightplan::keyframes(vec![1.0, 1.5, 2.0], [tip(0.0), tip(-50.0), tip(-50.0)].concat());
    let (mut world, id) = scene(0.75, 0.75, 0.0, plan.outside(Outside::Loop));
    assert_eq!(world.trial(id, &floor(0.0), 1.0).unwrap().contacts().unwrap().len(), 1);
    // What touches before 1 s has ended at 1 s.
    let plan = Flightplan::keyframes(vec![1.0, 2.0], [tip(5.0), tip(-1.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.0).unwrap();
    let told = trial.contacts().unwrap()[0];
    let end = told.end.unwrap();
    assert_eq!((end.lo, end.hi, end.is_open, told.undecided), (1.0, 1.0, true, false));
    // It touches before and at 1 s: one contact, which holds at the end.
    let plan = Flightplan::keyframes(vec![1.0, 2.0], [tip(-1.0), tip(-2.0)].concat()).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, 0.0, plan);
    let mut trial = world.trial(id, &floor(0.0), 1.0).unwrap();
    let told = trial.contacts().unwrap();
    assert!(told.len() == 1 && told[0].end.is_none() && told[0].touches_at_start, "{told:?}");
}

/// A ball touches before 1 s, and is above the floor where its first round begins.
#[test]
fn a_ball_that_enters_its_first_round_where_a_trial_ends() {
    let ball = |z: f64| Sphere { centre: [0.0, 0.0, z], radius: 1.0 };
    let plan = Flightplan::spheres(vec![1.0, 2.0], vec![ball(5.0), ball(-0.5)]).outside(Outside::Loop);
    let mut world = World::new(WorldDef::new().start(0.5)).unwrap();
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor(0.0)))).unwrap();
    world.add_body(BodyDef::new(Spheres::new(1).unwrap(), plan)).unwrap();
    let mut trial = world.trial(id, &floor(0.0), 1.0).unwrap();
    let told = trial.contacts().unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    let end = told[0].end.expect("the ball jumps up");
    assert_eq!((end.lo, end.hi, end.is_open, told[0].undecided), (1.0, 1.0, true, false), "{told:?}");
}

/// The tip parts by less than rounding around a key, where the floor's proposed way is cut.
#[test]
fn a_gap_around_a_key_is_undecided() {
    let low = 0.5f32.powi(54);
    let wide = |x: f32| vec![[x - 9.0, -9.0, 0.0], [x + 9.0, -9.0, 0.0], [x, 9.0, 0.0]];
    let keys = [tip(-3.0 * low), tip(low), tip(-3.0 * low)].concat();
    let mut world = World::new(WorldDef::new()).unwrap();
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(wide(0.0)))).unwrap();
    world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys))).unwrap();
    let mut trial = world.trial(id, &wide(0.5), 2.0).unwrap();
    let told = trial.contacts().unwrap();
    let holds = |time: f64| told.iter().any(|told| told.begin.lo <= time && told.end.is_none_or(|end| end.hi >= time));
    assert!(holds(0.5) && holds(1.5), "{told:?}");
    let is_certain = |time: f64| {
        let over = |end: Option<kinetree::TimeEnclosure>| end.is_none_or(|end| end.lo >= time);
        told.iter().any(|told| !told.undecided && told.begin.hi <= time && over(told.end))
    };
    assert!(!is_certain(1.0), "a gap is told as decided contact: {told:?}");
}

/// A trial stops at the bound of its world, also within two triangles.
#[test]
fn windows_of_curves_are_bounded() {
    let lines = vec![[0.0, 0.0, 1.0]; 3];
    let plan = Flightplan::ballistic(0.0, tip(1.0), lines, [0.0, 0.0, -1e-4]);
    let mut world = World::new(WorldDef::new()).unwrap();
    world.set_limits(kinetree::WorldLimits { candidates: 50, ..world.limits() });
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor(0.0)))).unwrap();
    world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    let mut trial = world.trial(id, &floor(1.0), 2e4).unwrap();
    assert!(matches!(trial.contacts(), Err(kinetree::TrialError::Limit { what: "candidates", limit: 50 })));
    assert!(trial.candidates() <= 51, "{}", trial.candidates());
}

/// The tip rests 2⁻⁵⁴ m below 0 m until a loop's first round begins at 1 s, and the floor comes up to it 2⁻⁵⁴ s before:
/// between two numbers.
#[test]
fn a_contact_of_less_than_a_rounding_before_a_first_round() {
    let low = -(0.5f32.powi(54));
    let keys = [tip(5.0), tip(low), tip(low)].concat();
    let plan = Flightplan::keyframes(vec![1.0, 1.25, 2.0], keys).outside(Outside::Loop);
    let (mut world, id) = scene(0.5, 0.5, -0.5, plan);
    let mut trial = world.trial(id, &floor(1.0), 2.0).unwrap();
    let told = trial.contacts().unwrap()[0];
    assert!(told.undecided && told.begin.lo < 1.0, "{told:?}");
    assert_eq!(told.end.map(|end| end.hi), Some(1.0));
}

/// A floor jumps from within the body that goes down to where that body has just left it, within a rounding of the jump.
#[test]
fn what_was_left_just_before_a_jump_there_does_not_go_on() {
    // Its highest corner passes 0 m at 1/3 s; the floor comes there 4e-16 s later.
    let jump = 1.0 / 3.0 + 4e-16;
    let keys = [floor(0.0), floor(0.0), floor(-1.0), floor(-1.0)].concat();
    let plan = Flightplan::keyframes(vec![0.0, 0.125, 0.25, jump], keys).outside(Outside::Loop);
    let mut world = World::new(WorldDef::new()).unwrap();
    let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(hang(1.0)))).unwrap();
    world.add_body(BodyDef::new(mesh(), plan)).unwrap();
    let mut trial = world.trial(id, &hang(-2.0), 1.0).unwrap();
    let told = trial.contacts().unwrap()[0];
    let end = told.end.expect("the floor jumps away");
    assert_eq!((end.lo, end.hi, told.undecided), (jump, jump, false), "{told:?}");
}

/// A contact whose end is not apart from a key of the body at rest: the windows on both sides of the key tell of one.
#[test]
fn a_contact_that_ends_within_a_rounding_of_a_key_is_one() {
    // Its highest corner passes the floor at 1/3 s.
    for key in [1.0 / 3.0 - 4e-16, (1.0f64 / 3.0).next_down(), 1.0 / 3.0] {
        let plan = Flightplan::keyframes(vec![0.0, key, 1.0], [floor(0.0), floor(0.0), floor(-0.25)].concat());
        let mut world = World::new(WorldDef::new()).unwrap();
        let id = world.add_body(BodyDef::new(mesh(), Flightplan::fixed(hang(1.0)))).unwrap();
        world.add_body(BodyDef::new(mesh(), plan)).unwrap();
        let mut trial = world.trial(id, &hang(-2.0), 1.0).unwrap();
        let told = trial.contacts().unwrap();
        assert_eq!(told.len(), 1, "{key}: {told:?}");
    }
}
