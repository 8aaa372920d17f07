//! Random bodies: every overlapping pair of leaves is active at that time, whatever the history of
//! the front.

use kinetree::bvh::{BuildParams, LeafRelation, SharedVertices, Topology};
use kinetree::interval::{IntervalBoxes, IntervalError, IntervalPairs, LeafPair, PairedBoxes, Prepared};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{KeyLayout, Motion};
use kinetree::time::{Moment, Span};

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{BodySpec, PlanSpec, Style, random_body};

/// A body that moves linearly, and its boxes.
pub(crate) struct Actor {
    pub(crate) mesh: Mesh,
    pub(crate) motion: Motion,
    pub(crate) topology: Topology,
    pub(crate) rest: Vec<[f32; 3]>,
    pub(crate) boxes: IntervalBoxes,
}

impl Actor {
    /// `None` where the motion has no boxes from time 0 on.
    pub(crate) fn new(spec: &BodySpec, until: f64) -> Option<Self> {
        let mesh = Mesh::new(spec.vertex_count, spec.triangles.clone()).expect("a valid mesh");
        let plan = spec.plan.flightplan();
        let rest = plan.rest_positions(spec.vertex_count).to_vec();
        let motion = Motion::new(plan, spec.vertex_count, KeyLayout::KeyMajor).expect("a valid plan");
        let mut start = Vec::new();
        motion.positions(Moment::at(0.0), &mut start);
        let build = BuildParams { width: kinetree::bvh::Width::Two, ..spec.build };
        let topology = Topology::build(&mesh, &start, build);
        let mut boxes = IntervalBoxes::over(topology.clone(), &motion, 0.0).expect("a time");
        match boxes.follow(&motion, Moment::after(0.0), until) {
            Ok(_) => Some(Self { mesh, motion, topology, rest, boxes }),
            Err(IntervalError::BeforeLoop { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn positions(&self, at: Moment) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.motion.positions(at, &mut positions);
        positions
    }

    fn leaves(&self) -> Vec<u32> {
        (0..self.topology.nodes().len() as u32).filter(|&node| self.topology.node(node).is_leaf()).collect()
    }

    fn leaf_boxes(&self, at: Moment) -> Vec<(u32, Aabb)> {
        let positions = self.positions(at);
        let bounds = |leaf: u32| {
            let corners = self.topology.primitives(leaf).iter().flat_map(|&t| self.mesh.triangles()[t as usize]);
            let corners: Vec<[f64; 3]> = corners.map(|vertex| positions[vertex as usize]).collect();
            Aabb::of_points(&corners)
        };
        self.leaves().into_iter().map(|leaf| (leaf, bounds(leaf))).collect()
    }
}

#[derive(Debug, Default)]
struct Census {
    intervals: usize,
    looks: usize,
    overlapping: usize,
    listed: usize,
    possible: usize,
    short_windows: usize,
    touching_at_ends: usize,
}

fn scaled(spec: &mut BodySpec, factor: f32) {
    let scale = |points: &mut Vec<[f32; 3]>| points.iter_mut().for_each(|point| *point = point.map(|x| x * factor));
    match &mut spec.plan {
        PlanSpec::Fixed { positions } | PlanSpec::Keys { positions, .. } => scale(positions),
        PlanSpec::Velocities { positions, velocities, .. } => {
            scale(positions);
            scale(velocities);
        }
        PlanSpec::Rigid { transforms, rest, .. } => {
            scale(rest);
            transforms.iter_mut().for_each(|rows| [3, 7, 11].iter().for_each(|&k| rows[k] *= f64::from(factor)));
        }
        PlanSpec::Curved(..) => unreachable!("none is asked for"),
    }
}

fn is_near(a: &Aabb, b: &Aabb, distance: f64) -> bool {
    (0..3).all(|k| a.min[k] - b.max[k] <= distance && b.min[k] - a.max[k] <= distance)
}

/// Looks at an interval at many times; the list must hold every pair that is near then.
fn look(
    dice: &mut Dice,
    leaf_pairs: &IntervalPairs,
    (a, b): (&Actor, &Actor),
    shared_vertices: Option<&SharedVertices>,
    distance: f64,
    census: &mut Census,
) {
    let interval = leaf_pairs.interval();
    let (begin, end) = (interval.begin, if interval.end.is_finite() { interval.end } else { interval.begin + 9.0 });
    let mut times: Vec<Moment> = (0..6).map(|_| Moment::at(dice.real(begin, end).clamp(begin, end))).collect();
    times.extend([Moment::after(begin), Moment::at(end), Moment::at(0.5 * begin + 0.5 * end)]);
    for pair in leaf_pairs.pairs().iter().take(8) {
        let window = window_of(pair, interval);
        assert!(begin <= window.begin && window.begin <= window.end);
        for time in [window.begin, window.end] {
            times.extend(time.is_finite().then_some(Moment::at(time.max(begin.next_up()).min(end))));
        }
        census.short_windows += usize::from(window.begin > begin || window.end < end);
    }
    for at in times {
        // At the begin itself, before a jump, another interval's positions hold.
        let at = if at.time() == begin { Moment::after(begin) } else { at };
        let active: Vec<LeafPair> = leaf_pairs.active(at.time()).expect("inside").collect();
        let (of_a, of_b) = (a.leaf_boxes(at), b.leaf_boxes(at));
        for (i, (leaf_a, box_a)) in of_a.iter().enumerate() {
            for (leaf_b, box_b) in of_b.iter().skip(if shared_vertices.is_some() { i } else { 0 }) {
                census.possible += 1;
                if shared_vertices
                    .is_some_and(|shared_vertices| shared_vertices.relation(*leaf_a, *leaf_b) == LeafRelation::Excluded)
                {
                    continue;
                }
                if is_near(box_a, box_b, distance) {
                    let is_it = |pair: &LeafPair| {
                        (pair.a, pair.b) == (*leaf_a, *leaf_b)
                            || shared_vertices.is_some() && (pair.b, pair.a) == (*leaf_a, *leaf_b)
                    };
                    let found = active.iter().filter(|pair| is_it(pair)).count();
                    assert_eq!(found, 1, "{leaf_a} {leaf_b} at {at:?} in {interval:?}: {box_a:?} {box_b:?}");
                    census.overlapping += 1;
                    census.touching_at_ends += usize::from(at.time() == begin || at.time() == end);
                }
            }
        }
        census.listed += active.len();
        census.looks += 1;
    }
}

/// The window of a pair of leaves, seconds.
pub(crate) fn window_of(pair: &LeafPair, interval: Span) -> Span {
    let length = interval.end - interval.begin;
    let time = |s: f32| match s {
        0.0 => interval.begin,
        1.0 => interval.end,
        s => (interval.begin + f64::from(s) * length).clamp(interval.begin, interval.end),
    };
    Span { begin: time(pair.enter), end: time(pair.leave) }
}

/// The next interval: the body whose own ended moves on.
pub(crate) fn step(actors: [&mut Actor; 2], until: f64) -> Result<(), IntervalError> {
    let end = actors[0].boxes.end().min(actors[1].boxes.end());
    for actor in actors {
        if actor.boxes.end() <= end {
            actor.boxes.follow(&actor.motion, Moment::after(end), until)?;
        }
    }
    Ok(())
}

fn prepare(dice: &mut Dice, leaf_pairs: &mut IntervalPairs, partners: &PairedBoxes<'_>) {
    leaf_pairs.begin(partners).expect("a common time");
    if dice.percent(50) {
        assert!(
            leaf_pairs.pairs().is_empty() && matches!(leaf_pairs.active(0.0).err(), Some(IntervalError::NotPrepared))
        );
        while leaf_pairs.prepare(partners, 1 + dice.below(20)) == Prepared::Partly {}
    } else {
        assert_eq!(leaf_pairs.prepare(partners, usize::MAX), Prepared::All);
    }
}

/// A scene of two bodies, or of one with itself, followed for a while.
fn run(seed: u64, grain: Grain, is_self: bool, census: &mut Census) {
    let mut dice = Dice::new(seed, &[77, grain as u64, u64::from(is_self)]);
    let style = Style { grain, long: dice.percent(20), triangles: 60, keys: 7, curved: 0 };
    let span = kinetree::time::Span { begin: 0.0, end: style.length() };
    let factor = dice.pick(&[1.0f32, 1.0, 1.0, 2.0f32.powi(80), 2.0f32.powi(-100)]);
    let distance = f64::from(factor) * dice.pick(&[0.0, 0.0, 0.25, 1.0]);
    // Speeds have a limit of their own.
    let factor = factor.min(2.0f32.powi(40));
    let distance = distance.min(f64::from(factor));
    let mut specs: Vec<BodySpec> = (0..2).map(|_| random_body(&mut dice, style, span, 0)).collect();
    specs.iter_mut().for_each(|spec| scaled(spec, factor));
    let until = |from: f64| from + style.length() / 8.0;
    let Some(mut a) = Actor::new(&specs[0], until(0.0)) else { return };
    let Some(mut b) = Actor::new(&specs[usize::from(!is_self)], until(0.0)) else { return };
    let seams = a.mesh.weld(&a.rest).unwrap();
    let seals = dice.percent(70);
    let shared_vertices = is_self.then(|| SharedVertices::new(&a.topology, &a.mesh, &seams, seals));
    let mut leaf_pairs = IntervalPairs::new(distance).expect("a distance").rebuilt_after(1 + dice.below(5) as u32);
    for _ in 0..6 {
        let partners = match &shared_vertices {
            Some(shared_vertices) => PairedBoxes::within(&a.boxes, shared_vertices),
            None => PairedBoxes::between(&a.boxes, &b.boxes),
        };
        prepare(&mut dice, &mut leaf_pairs, &partners);
        let report = leaf_pairs.audit(&partners);
        assert!(report.is_clean() && report.checks > 0, "{:?}", report.faults);
        // From the root, all at once: the same list in the same order.
        let mut fresh = IntervalPairs::new(distance).expect("a distance");
        fresh.begin(&partners).expect("a common time");
        fresh.prepare(&partners, usize::MAX);
        assert_eq!(fresh.pairs(), leaf_pairs.pairs());
        look(&mut dice, &leaf_pairs, (&a, if is_self { &a } else { &b }), shared_vertices.as_ref(), distance, census);
        census.intervals += 1;
        let end = leaf_pairs.interval().end;
        if end >= style.length() {
            break;
        }
        step([&mut a, &mut b], until(end)).expect("linear motion");
    }
}

#[test]
fn every_overlapping_pair_is_active() {
    let mut census = Census::default();
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(60)) {
            for is_self in [false, true] {
                run(seed, grain, is_self, &mut census);
            }
        }
    }
    println!("{census:?}");
    assert!(census.intervals > 300 && census.looks > 5_000 && census.overlapping > 10_000, "{census:?}");
    assert!(
        4 * (census.listed - census.overlapping) < census.possible - census.overlapping && census.short_windows > 200,
        "{census:?}"
    );
    assert!(census.touching_at_ends > 1_000, "{census:?}");
}
