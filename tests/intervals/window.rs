//! Window trees over random motions, tie-ridden ones included.

use kinetree::baked::{ClipEvent, ClipTree};
use kinetree::bvh::Hierarchy;
use kinetree::interval::IntervalError;
use kinetree::kinetic::event::LoggedEvent;
use kinetree::math::Extent;
use kinetree::time::{Moment, Side, Span};

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{BodySpec, Style, random_body};
use crate::rival::{Body, Live, brute_boxes, positions};

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

/// Times at which to look: random ones, key times, and both in order.
fn look_times(dice: &mut Dice, spec: &BodySpec, length: f64) -> Vec<f64> {
    let mut times: Vec<f64> = (0..25).map(|_| dice.real(0.0, length)).collect();
    times.extend(spec.plan.turns().into_iter().filter(|turn| (0.0..=length).contains(turn)));
    times.extend([0.0, length]);
    times.sort_by(f64::total_cmp);
    times
}

pub(crate) fn tree_over(body: &Body) -> Option<ClipTree> {
    match ClipTree::over(body.topology.clone(), &body.motion, 0.0) {
        Ok(tree) => Some(tree),
        Err(IntervalError::BeforeLoop { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

fn compare_boxes(tree: &ClipTree, live: &Live<'_>, spec: &BodySpec, body: &Body, census: &mut Census) {
    let time = tree.time();
    let truth = positions(&body.motion, time);
    let brute = brute_boxes(&body.topology, &spec.triangles, &truth);
    for node in 0..body.topology.nodes().len() as u32 {
        let ours = tree.node_box(node, Moment::at(time));
        let tight = brute[node as usize];
        assert!(ours.contains(&tight.min) && ours.contains(&tight.max), "at {time}: {ours:?} does not hold {tight:?}");
        for extent in Extent::ALL {
            let (x, y) = (tree.winner(node, extent), live.tree.winner(node, extent));
            let at = Moment::at(time);
            let value = |vertex| body.motion.coordinate(vertex, extent.axis(), at);
            census.other_winners += usize::from(x != y);
            if x != y && value(x) != value(y) {
                // Only where both are due at a time a rounding from now.
                let gap = (value(x) - value(y)).abs();
                assert!(gap <= body.motion.slack(at), "at {time}, node {node} {extent:?}: {x} and {y}, apart {gap:e}");
                continue;
            }
            assert_eq!(tree.extent(node, extent), value(x), "at {time}");
        }
        if Extent::ALL.iter().all(|&side| tree.winner(node, side) == live.tree.winner(node, side)) {
            assert_eq!(ours, live.node_box(node), "at {time}, node {node}");
        }
    }
    let report = tree.audit(&truth);
    assert!(report.is_clean(), "at {time}: {report}");
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

fn same(ours: &ClipEvent, theirs: &LoggedEvent) -> bool {
    ours.time == theirs.moment.time()
        && 6 * ours.node + ours.extent.index() as u32 == theirs.first
        && ours.winner == theirs.second
        && ours.kind == theirs.kind
}

/// Follows one scene with both engines.
fn follow(seed: u64, grain: Grain, long: bool, census: &mut Census) {
    let (spec, body, length) = scene(seed, grain, long);
    let Some(mut tree) = tree_over(&body) else { return };
    let mut live = Live::new(&body, 0.0);
    let mut dice = Dice::new(seed, &[7]);
    let mut events = Vec::new();
    for time in look_times(&mut dice, &spec, length) {
        tree.extend_to(&body.motion, time).unwrap();
        tree.advance_with_events(time, &mut events).unwrap();
        tree.set_slack(body.motion.slack(Moment::at(time)));
        live.advance(time);
        compare_boxes(&tree, &live, &spec, &body, census);
    }
    let theirs = live.events();
    census.scenes += 1;
    census.events += events.len();
    census.ties += events.windows(2).filter(|pair| pair[0].time == pair[1].time).count();
    if is_generic(&spec, &body) && has_one_winner_at_a_time(&theirs, &spec) {
        census.generic += 1;
        // Events before the first look at time 0 are those of the window's begin.
        let ours: Vec<_> = events.iter().filter(|event| event.time > 0.0).collect();
        let theirs: Vec<_> = theirs.iter().filter(|event| event.moment.time() > 0.0).collect();
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert!(same(ours, theirs), "seed {seed}: {ours:?}, live {theirs:?}");
        }
        assert_eq!(ours.len(), theirs.len(), "seed {seed}");
    }
    let kind = match spec.plan {
        crate::common::scene::PlanSpec::Fixed { .. } => 0,
        crate::common::scene::PlanSpec::Keys { .. } => 1,
        crate::common::scene::PlanSpec::Velocities { .. } => 2,
        crate::common::scene::PlanSpec::Rigid { .. } => 3,
        crate::common::scene::PlanSpec::Curved(..) => unreachable!("no curves were asked for"),
    };
    census.kinds[kind] += 1;
}

#[test]
fn boxes_and_events_equal_the_live_engine() {
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
    use kinetree::motion::Outside;
    use kinetree::scenes::{GeneratedBody, TableclothDef, WalkDef};
    let cloth = TableclothDef { triangles: 800, keys: 8, ..TableclothDef::default() }.generate();
    let walk = WalkDef { triangles: 2_000, keys: 5, ..WalkDef::default() }.generate();
    let mut census = Census::default();
    for body in cloth.bodies.iter().chain(&walk.bodies) {
        let GeneratedBody::Keyed(clip) = body else { continue };
        let positions = clip.positions.as_chunks::<3>().0.to_vec();
        let plan =
            crate::common::scene::PlanSpec::Keys { times: clip.times.clone(), positions, outside: Outside::Hold };
        let spec = BodySpec::new((clip.key(0).to_vec(), clip.triangles.clone()), plan);
        let body = Body::new(&spec, 0.0);
        let (mut tree, mut live) = (tree_over(&body).unwrap(), Live::new(&body, 0.0));
        let (mut events, end) = (Vec::new(), clip.times[clip.times.len() - 1]);
        for look in 0..=20 {
            let time = end * f64::from(look) / 20.0;
            tree.extend_to(&body.motion, time).unwrap();
            tree.advance_with_events(time, &mut events).unwrap();
            tree.set_slack(body.motion.slack(Moment::at(time)));
            live.advance(time);
            compare_boxes(&tree, &live, &spec, &body, &mut census);
        }
        census.events += events.len();
        census.scenes += 1;
    }
    println!("{census:?}");
    assert!(census.scenes == 3 && census.events > 1000, "{census:?}");
}
