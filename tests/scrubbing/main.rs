//! A host that scrubs back and forth along a timeline has the contacts of one that only plays forward, bit for bit.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;

use std::collections::BTreeSet;

use common::dice::{Dice, Grain};
use common::scene::{Style, random_body};
use kinetree::kinetic::TreeKind;
use kinetree::time::Span;
use kinetree::{
    AdvanceError, BodyDef, BodyPairChange, Contact, ContactChange, ContactMode, Engine, Flightplan, IgnoredContacts,
    Mesh, Outside, Sphere, Spheres, VertexFlightplan, World, WorldDef, WorldError,
};
use reduced_skins::{Flavour, scene};

const ENGINES: [Engine; 5] = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];
const WINDOW: Span = Span { begin: 0.0, end: 6.0 };

/// Bodies of all kinds: keyframes, rigid ones, velocities and curves, with loops and ends; spheres; a skin that is
/// bounded and one that is sampled; some tested against themselves, some kinetic, some with contacts at rest ignored.
fn definitions(seed: u64, curved: usize, reduced: bool) -> Vec<BodyDef> {
    let mut dice = Dice::new(seed, &[21]);
    let grain = [Grain::Real, Grain::Lattice][seed as usize % 2];
    let style = Style { grain, long: false, triangles: 8, keys: 5, curved };
    let mut all: Vec<BodyDef> = (0..5)
        .map(|number| {
            let def = random_body(&mut dice, style, WINDOW, 0).definition("random").self_contact(number % 2 == 0);
            let def = def.thickness(if number % 3 == 0 { 0.05 } else { 0.0 });
            match number {
                1 => def.engine(Engine::Kinetic),
                2 => def.tree(TreeKind::Box),
                3 => def.ignoring_contacts(IgnoredContacts::AtStart),
                _ => def,
            }
        })
        .collect();
    if reduced {
        let soft = scene(100 + seed, Flavour::Everything).body;
        let pieces = || soft.pieces(0.03).unwrap();
        let mesh = || soft.mesh().mesh().clone();
        all.push(BodyDef::bounded(mesh(), soft.sampler(pieces()).unwrap()).self_contact(true).named("bounded"));
        all.push(BodyDef::new(mesh(), soft.flightplan(pieces()).unwrap()).named("sampled"));
    }
    let balls: Vec<Sphere> = (0..8)
        .map(|_| Sphere { centre: std::array::from_fn(|_| dice.real(-2.0, 2.0)), radius: dice.real(0.1, 0.5) })
        .collect();
    let plan = Flightplan::spheres(vec![0.5, 2.0], balls).outside(Outside::Loop);
    all.push(BodyDef::new(Spheres::new(4).unwrap(), plan).named("balls"));
    let sheet = vec![[-2.0, -2.0, 0.0], [2.0, -2.0, 0.1], [0.0, 3.0, 0.0]];
    all.push(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(sheet)).named("sheet"));
    all
}

fn world(engine: Engine, mode: ContactMode, bodies: &[BodyDef]) -> World {
    let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
    for def in bodies {
        world.add_body(def.clone().engine(if engine == Engine::Auto { def.engine } else { engine })).unwrap();
    }
    world
}

/// Frames, and times at which bodies may jump.
fn times() -> Vec<f64> {
    let mut times: Vec<f64> = (0..=70).map(|frame| f64::from(frame) / 12.0).collect();
    times.extend([1.25, 2.0_f64.next_up(), 3.5_f64.next_down(), 4.125]);
    times.sort_by(f64::total_cmp);
    times
}

/// Scrubs: plays on, jumps near, jumps far. Returns how often contacts were compared that were not none.
fn scrub(world: &mut World, times: &[f64], expected: &[Vec<Contact>], steps: usize, dice: &mut Dice) -> usize {
    let (mut frame, mut seen, mut backwards) = (0, 0, 0);
    // What touches where bodies were added is told with the first frame.
    let mut on: BTreeSet<Contact> = BTreeSet::new();
    for step in 0..steps {
        let last = frame;
        frame = match dice.below(4) {
            0 => dice.below(times.len()),
            1 => frame.saturating_sub(1 + dice.below(3)),
            _ => (frame + 1).min(times.len() - 1),
        };
        backwards += usize::from(frame < last);
        if frame > last && dice.percent(60) {
            world.advance_to(times[frame]).unwrap();
        } else {
            world.seek(times[frame]).unwrap();
        }
        assert_eq!(world.time(), times[frame]);
        assert_eq!(world.contacts(), expected[frame], "step {step}, at {} s", times[frame]);
        // Begins and ends are told in turn.
        for change in world.contact_changes() {
            let contact = change.contact();
            assert!(
                if change.is_begin() { on.insert(contact) } else { on.remove(&contact) },
                "step {step}: {change:?}"
            );
        }
        if step % 100 == 0 {
            let report = world.audit();
            assert!(report.is_clean(), "step {step}, at {} s: {report:?}", times[frame]);
        }
        seen += usize::from(!expected[frame].is_empty());
    }
    assert!(backwards > steps / 10, "{backwards}");
    seen
}

/// What the last advance told, of one time by bodies and triangles: that order depends on which bodies met first.
fn changes(world: &World) -> (Vec<ContactChange>, Vec<BodyPairChange>) {
    let (mut changes, mut pairs) = (world.contact_changes().to_vec(), world.body_pair_changes());
    changes.sort_by(|x, y| x.time().lo.total_cmp(&y.time().lo).then(x.contact().cmp(&y.contact())));
    pairs.sort_by(|x, y| x.time.lo.total_cmp(&y.time.lo).then((x.a, x.b).cmp(&(y.a, y.b))));
    (changes, pairs)
}

fn check(mode: ContactMode, engines: &[(Engine, usize)], curved: usize, seeds: std::ops::Range<u64>) {
    for &(engine, steps) in engines {
        let steps = steps / seeds.clone().count();
        let mut seen = 0;
        for seed in seeds.clone() {
            let bodies = definitions(seed, curved, mode == ContactMode::AtTimes);
            let times = times();
            let mut forward = world(engine, mode, &bodies);
            let expected: Vec<Vec<Contact>> = times
                .iter()
                .map(|&time| {
                    forward.advance_to(time).unwrap();
                    forward.contacts().to_vec()
                })
                .collect();
            let mut player = world(engine, mode, &bodies);
            seen += scrub(&mut player, &times, &expected, steps, &mut Dice::new(seed, &[22]));
            // From an earlier time on, everything is as in the first run.
            player.seek(times[0]).unwrap();
            let mut first = world(engine, mode, &bodies);
            first.advance_to(times[0]).unwrap();
            for &time in &times[1..] {
                player.advance_to(time).unwrap();
                first.advance_to(time).unwrap();
                assert_eq!(changes(&player), changes(&first), "{engine}, seed {seed}, {time} s");
            }
        }
        assert!(seen > steps / 4, "{engine}: {seen}");
    }
}

#[test]
fn scrubbing_gives_the_contacts_of_a_forward_run() {
    let [auto, kinetic, rest @ ..] = ENGINES;
    let [interval, refit, brute] = rest.map(|engine| (engine, 200));
    check(ContactMode::AtTimes, &[(auto, 1000), (kinetic, 200), interval, refit, brute], 20, 0..2);
}

#[test]
fn scrubbing_gives_the_continuous_contacts_of_a_forward_run() {
    check(ContactMode::Continuous, &[(Engine::Auto, 1000), (Engine::Kinetic, 200)], 0, 10..12);
}

/// A triangle that sinks through the plane z = 0, by keys.
fn falling(times: Vec<f64>, heights: &[f32]) -> BodyDef {
    let keys = heights.iter().flat_map(|&z| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]).collect();
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::keyframes(times, keys))
}

#[test]
fn a_seek_is_refused_where_the_motion_is_not_known() {
    for (engine, mode) in [(Engine::Auto, ContactMode::AtTimes), (Engine::Kinetic, ContactMode::Continuous)] {
        let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
        let floor = world.add_body(falling(vec![0.0], &[0.0])).unwrap();
        let stream = world.add_body(falling(vec![0.0, 1.0], &[1.0, -1.0]).named("stream")).unwrap();
        world.advance_to(0.5).unwrap();
        assert_eq!(world.contacts().len(), 1);
        assert!(matches!(world.seek(f64::NAN), Err(AdvanceError::BadTime { .. })));
        assert!(matches!(world.seek(1e300), Err(AdvanceError::BadTime { .. })));
        // Before the first key a body rests there.
        world.seek(-3.0).unwrap();
        assert!(world.contacts().is_empty());
        world.advance_to(0.75).unwrap();
        for (time, z) in [(2.0, 1.0), (3.0, -1.0), (4.0, 1.0)] {
            world.extend_flightplan(stream, time, &[[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]).unwrap();
            world.advance_to(time - 0.25).unwrap();
        }
        // Keys before 2 s are forgotten.
        let Err(AdvanceError::OutsideSpan { body, to, span }) = world.seek(1.5) else { panic!() };
        assert_eq!((body.as_str(), to, span.begin), ("stream", 1.5, 2.0));
        let Err(WorldError::OutsideSpan { .. }) = world.query().at(1.5) else { panic!("a place that is not known") };
        assert_eq!((world.time(), world.contacts().len()), (3.75, 0));
        world.seek(2.5).unwrap();
        assert_eq!(world.contacts().len(), 1);
        // The pair touches before and after: it has no begin and no end.
        assert_eq!(world.body_pair_changes().len(), 1);
        world.seek(3.5).unwrap();
        assert_eq!(world.contacts().len(), 1);
        assert_eq!(world.body_pair_changes(), []);
        world.seek(2.5).unwrap();
        assert_eq!(world.body_pair_changes(), []);
        world.remove_body(floor).unwrap();
        assert!(world.contacts().is_empty());
    }
}

#[test]
fn scheduled_changes_are_carried_out_on_the_way_and_stay_carried_out() {
    let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
    world.add_body(falling(vec![0.0], &[0.0])).unwrap();
    let ball = world.add_body(falling(vec![0.0, 2.0], &[1.0, -1.0])).unwrap();
    let up = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    world.schedule_flightplan(ball, 0.5, Flightplan::fixed(up(0.5))).unwrap();
    world.seek(1.0).unwrap();
    assert!(world.contacts().is_empty());
    world.seek(0.25).unwrap();
    assert_eq!(world.positions(ball).unwrap()[0], [0.0, 0.0, 0.5]);
    let hold = VertexFlightplan::Fixed { position: [0.0, 0.0, 0.0] };
    world.set_vertex_flightplans(ball, &[(0, hold)]).unwrap();
    assert_eq!(world.contacts().len(), 1);
    world.seek(0.0).unwrap();
    assert_eq!(world.contacts().len(), 1);
    assert!(world.audit().is_clean());
}
