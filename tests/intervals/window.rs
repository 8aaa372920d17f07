//! Stamped clips over random motions, tie-ridden ones included, against the kinetic engine and
//! brute force.

use std::sync::Arc;

use kinetree::baked::{BakeFormat, BakedClip, BakedTree};
use kinetree::bvh::Hierarchy;
use kinetree::kinetic::event::LoggedEvent;
use kinetree::math::Extent;
use kinetree::motion::Outside;
use kinetree::time::{Moment, Side, Span};

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{BodySpec, PlanSpec, Style, random_body};
use crate::rival::{Body, Kinetic, brute_boxes, positions};

/// What happened in all scenes of a test.
#[derive(Debug, Default)]
struct Census {
    scenes: usize,
    looks: usize,
    events: usize,
    ties: usize,
    generic: usize,
    other_winners: usize,
    kinds: [usize; 4],
}

pub(crate) fn scene(seed: u64, grain: Grain, long: bool) -> (BodySpec, Body, f64) {
    let mut dice = Dice::new(seed, &[grain as u64, u64::from(long)]);
    let style = Style { grain, long, triangles: 100, keys: 9, curved: 0 };
    let window = Span { begin: 0.0, end: style.length() };
    let spec = random_body(&mut dice, style, window, 0);
    let body = Body::new(&spec, 0.0);
    (spec, body, style.length())
}

/// A random body whose motion does not jump, and how long it moves.
pub(crate) fn smooth(seed: u64, grain: Grain, long: bool) -> Option<(BodySpec, Body, f64)> {
    let (mut spec, _, length) = scene(seed, grain, long);
    match &mut spec.plan {
        PlanSpec::Curved(..) => return None,
        PlanSpec::Fixed { .. } => {}
        PlanSpec::Keys { outside, .. } | PlanSpec::Velocities { outside, .. } | PlanSpec::Rigid { outside, .. } => {
            *outside = Outside::Hold;
        }
    }
    let body = Body::new(&spec, 0.0);
    Some((spec, body, length))
}

pub(crate) fn bake(body: &Body, format: BakeFormat, end: f64, syncs: usize) -> BakedClip {
    let span = Span { begin: 0.0, end };
    BakedClip::bake(body.topology.clone(), &body.motion, span, format, syncs).unwrap()
}

/// Times at which to look: random ones, key times, and both in order.
fn look_times(dice: &mut Dice, spec: &BodySpec, length: f64) -> Vec<f64> {
    let mut times: Vec<f64> = (0..25).map(|_| dice.real(0.0, length)).collect();
    times.extend(spec.plan.turns().into_iter().filter(|turn| (0.0..=length).contains(turn)));
    times.extend([0.0, length]);
    times.sort_by(f64::total_cmp);
    times
}

fn compare_boxes(tree: &BakedTree, kinetic: &Kinetic<'_>, spec: &BodySpec, body: &Body, census: &mut Census) {
    let time = tree.time();
    let at = Moment::at(time);
    let slack = body.motion.slack(at);
    let boxes = tree.view(&body.motion, slack);
    let brute = brute_boxes(&body.topology, &spec.triangles, &positions(&body.motion, time));
    for node in 0..body.topology.nodes().len() as u32 {
        let (ours, tight) = (boxes.node_box(node, at), brute[node as usize]);
        assert!(ours.contains(&tight.min) && ours.contains(&tight.max), "at {time}: {ours:?} does not hold {tight:?}");
        let outer = tight.inflated(2.0 * slack);
        assert!(outer.contains(&ours.min) && outer.contains(&ours.max), "at {time}: {ours:?} around {tight:?}");
        for extent in Extent::ALL {
            let (x, y) = (tree.winner(node, extent), kinetic.tree.winner(node, extent));
            let value = |vertex| body.motion.coordinate(vertex, extent.axis(), at);
            census.other_winners += usize::from(x != y);
            if x != y && value(x) != value(y) {
                // Only where both are due at a time a rounding from now.
                let gap = (value(x) - value(y)).abs();
                assert!(gap <= slack, "at {time}, node {node} {extent:?}: {x} and {y}, apart {gap:e}");
            }
        }
        if Extent::ALL.iter().all(|&side| tree.winner(node, side) == kinetic.tree.winner(node, side)) {
            assert_eq!(ours, kinetic.node_box(node), "at {time}, node {node}");
        }
    }
    census.looks += 1;
}

/// Do no two vertices have an equal coordinate where segments end?
fn is_generic(spec: &BodySpec, body: &Body) -> bool {
    let mut times = spec.plan.turns();
    times.extend([0.0, 64.0, 128.0, 256.0, 512.0]);
    times.iter().filter(|time| time.is_finite()).all(|&time| {
        let positions = positions(&body.motion, time);
        (0..3).all(|axis| {
            let mut values: Vec<f64> = positions.iter().map(|p| p[axis]).collect();
            values.sort_by(f64::total_cmp);
            values.windows(2).all(|pair| pair[0] != pair[1])
        })
    })
}

/// Is at every time only one vertex overtaking, but for jumps?
fn has_one_winner_at_a_time(events: &[LoggedEvent], spec: &BodySpec) -> bool {
    let is_jump =
        |event: &LoggedEvent| event.moment.side() == Side::After || spec.plan.turns().contains(&event.moment.time());
    events
        .windows(2)
        .all(|pair| pair[0].moment != pair[1].moment || pair[0].second == pair[1].second || is_jump(&pair[0]))
}

/// Checks that every event of the kinetic engine changes the replay at its own time, bit for bit,
/// and that nothing else does.
fn compare_events(tree: &mut BakedTree, theirs: &[LoggedEvent], seed: u64) {
    let winner = |tree: &BakedTree, event: &LoggedEvent| {
        tree.winner(event.first / 6, Extent::from_index(event.first as usize % 6).expect("an extent"))
    };
    for event in theirs {
        let time = event.moment.time();
        tree.seek(time.next_down()).unwrap();
        assert_ne!(winner(tree, event), event.second, "seed {seed}: before {event:?}");
        tree.seek(time).unwrap();
        assert_eq!(winner(tree, event), event.second, "seed {seed}: {event:?}");
    }
}

/// Follows one scene with both engines.
fn follow(seed: u64, grain: Grain, long: bool, census: &mut Census) {
    let Some((spec, body, length)) = smooth(seed, grain, long) else { return };
    let clip = Arc::new(bake(&body, BakeFormat::Stamped, length, 2));
    let stored = clip.event_count();
    let mut tree = BakedTree::new(clip, body.topology.clone(), &body.motion).unwrap();
    let mut kinetic = Kinetic::new(&body, 0.0);
    let mut dice = Dice::new(seed, &[7]);
    for time in look_times(&mut dice, &spec, length) {
        tree.seek(time).unwrap();
        kinetic.advance(time);
        compare_boxes(&tree, &kinetic, &spec, &body, census);
    }
    let theirs = kinetic.events();
    census.scenes += 1;
    census.events += stored;
    census.ties += theirs.windows(2).filter(|pair| pair[0].moment == pair[1].moment).count();
    if is_generic(&spec, &body) && has_one_winner_at_a_time(&theirs, &spec) {
        census.generic += 1;
        // Events at time 0 are those of the clip's begin.
        let inside = |event: &&LoggedEvent| 0.0 < event.moment.time() && event.moment.time() <= length;
        let theirs: Vec<LoggedEvent> = theirs.iter().filter(inside).copied().collect();
        assert!(stored >= theirs.len(), "seed {seed}: {stored} events stored of {}", theirs.len());
        compare_events(&mut tree, &theirs, seed);
    }
    let kind = match spec.plan {
        PlanSpec::Fixed { .. } => 0,
        PlanSpec::Keys { .. } => 1,
        PlanSpec::Velocities { .. } => 2,
        PlanSpec::Rigid { .. } => 3,
        PlanSpec::Curved(..) => unreachable!("no curves were asked for"),
    };
    census.kinds[kind] += 1;
}

#[test]
fn boxes_and_events_equal_the_kinetic_engine() {
    for (grain, long) in [(Grain::Real, false), (Grain::Real, true), (Grain::Lattice, false), (Grain::Crooked, false)] {
        let mut census = Census::default();
        for seed in 0..u64::from(cases(150)) {
            follow(seed, grain, long, &mut census);
        }
        println!("{grain:?}, long {long}: {census:?}");
        assert!(census.scenes > 50 && census.looks > 1000 && census.events > 1000, "{census:?}");
        assert!(census.kinds.iter().all(|&count| count > 4), "{census:?}");
        assert!(census.ties > 50, "{census:?}");
        assert!(census.generic > 20 || grain != Grain::Real, "{census:?}");
    }
}

#[test]
fn generated_clips_are_followed() {
    use kinetree::scenes::{GeneratedBody, TableclothDef, WalkDef};
    let cloth = TableclothDef { triangles: 800, keys: 8, ..TableclothDef::default() }.generate();
    let walk = WalkDef { triangles: 2_000, keys: 5, ..WalkDef::default() }.generate();
    let mut census = Census::default();
    for body in cloth.bodies.iter().chain(&walk.bodies) {
        let GeneratedBody::Keyed(clip) = body else { continue };
        let positions = clip.positions.as_chunks::<3>().0.to_vec();
        let plan = PlanSpec::Keys { times: clip.times.clone(), positions, outside: Outside::Hold };
        let spec = BodySpec::new((clip.key(0).to_vec(), clip.triangles.clone()), plan);
        let body = Body::new(&spec, 0.0);
        let end = clip.times[clip.times.len() - 1];
        let baked = Arc::new(bake(&body, BakeFormat::Stamped, end, 1));
        census.events += baked.event_count();
        let mut tree = BakedTree::new(baked, body.topology.clone(), &body.motion).unwrap();
        let mut kinetic = Kinetic::new(&body, 0.0);
        for look in 0..=20 {
            let time = end * f64::from(look) / 20.0;
            tree.seek(time).unwrap();
            kinetic.advance(time);
            compare_boxes(&tree, &kinetic, &spec, &body, &mut census);
        }
        census.scenes += 1;
    }
    println!("{census:?}");
    assert!(census.scenes == 3 && census.events > 1000, "{census:?}");
}
