//! Moving bounds under spherical blending hold every vertex of the true motion: random rigs, half
//! turns and flipped quaternions, joints that hardly turn against each other, whose rotation centre
//! is far away and fast; and are of use where joints turn by little.

use std::sync::Arc;

use crate::common::dice::Dice;
use crate::common::handed_on::handed_on;
use crate::reduced_skins::{Flavour, rounds, scene};
use crate::reduced_support::{Spinner, Turn, Weights, influences, morph_targets, strip, vertices_below};
use kinetree::bvh::Hierarchy;
use kinetree::kinetic::KineticHierarchy;
use kinetree::math::Extent;
use kinetree::motion::Outside;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Level, MovingBounds};
use kinetree::reduced::{
    Blend, Break, DerivativeBounds, Driver, Influences, Pose, PoseDerivativeBounds, ReducedBody, ReducedDef,
    ReducedError, ReducedMesh, SimilarityBounds, WeightPolicy,
};
use kinetree::time::{Moment, Span};
use nalgebra::Vector3;

/// A driver whose maps turn, move and scale evenly, and who says so; all grow with time.
#[derive(Debug)]
struct Rigid {
    inner: Spinner,
    /// Growth of the scale per second.
    growth: f64,
}

impl Rigid {
    fn grown(&self, time: f64) -> f64 {
        let span = self.inner.span();
        1.0 + self.growth * (time.clamp(span.begin, span.end) - span.begin)
    }
}

impl Driver for Rigid {
    handed_on!(inner: map_count, morph_count, span, outside, breaks, centres);

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.inner.pose(at, pose);
        let grown = self.grown(at.time());
        for (map, centre) in pose.maps.iter_mut().zip(&self.inner.centres) {
            let centre = Vector3::from(*centre);
            let image = map.apply(&centre);
            map.linear *= grown;
            map.shift = image - map.linear * centre;
        }
    }

    fn similarity(&self, piece: Span) -> SimilarityBounds {
        let middle = 0.5 * (piece.begin + piece.end);
        let stretch = self.inner.breaks.partition_point(|stop| stop.time < middle).clamp(1, self.inner.turns.len()) - 1;
        let scales = self.inner.turns[stretch].iter().map(|turn| turn.scale);
        let least = scales.clone().fold(f64::INFINITY, f64::min) * self.grown(piece.begin);
        let most = scales.fold(0.0, f64::max);
        let scale = DerivativeBounds { size: most * self.grown(piece.end), rate: most * self.growth, bend: 0.0 };
        SimilarityBounds { off: 1e-13, least, scale }
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.inner.bends(piece, bends);
        let grown = DerivativeBounds { size: self.grown(piece.end), rate: self.growth, bend: 0.0 };
        bends.maps.iter_mut().for_each(|map| map.linear = map.linear.times(grown));
    }
}

/// What a search found: boxes, unbounded ones, and how often linear blending's boxes miss a vertex.
#[derive(Debug, Default)]
struct Found {
    boxes: usize,
    unbounded: usize,
    off_linear: usize,
}

/// The same skin, blended linearly.
fn linear(body: &ReducedBody) -> ReducedBody {
    let mesh = body.mesh().blended(Blend::Linear).unwrap();
    ReducedBody::new(Arc::new(mesh), body.driver().clone()).unwrap()
}

/// The farthest that a vertex is from its chord, and the proven bound, over a part of the time
/// between two breaks.
fn strays(name: &str, body: &ReducedBody, dice: &mut Dice) -> [f64; 2] {
    let breaks = body.driver().breaks();
    let (from, to) = match breaks.len() {
        0 | 1 => return [0.0; 2],
        count => {
            let place = dice.below(count - 1);
            (breaks[place].time, breaks[place + 1].time)
        }
    };
    let length = (to - from) * dice.pick(&[1.0, 0.3, 0.03, 0.003]);
    let begin = from + dice.real(0.0, 1.0) * (to - from - length);
    let piece = Span { begin, end: (begin + length).min(to) };
    let at = |at: Moment| {
        let (mut pose, mut places) = (Pose::default(), Vec::new());
        body.pose(at, &mut pose);
        body.mesh().evaluate_all(&pose, &mut places).unwrap();
        places
    };
    let (first, last) = (at(Moment::after(piece.begin)), at(Moment::at(piece.end)));
    let (bound, mut farthest) = (body.deviation(piece), 0.0f64);
    for part in 1..8 {
        let over = f64::from(part) / 8.0;
        let places = at(Moment::at(piece.begin + over * (piece.end - piece.begin)));
        for ((a, b), place) in first.iter().zip(&last).zip(&places) {
            let off: f64 = (0..3).map(|axis| (a[axis] + over * (b[axis] - a[axis]) - place[axis]).powi(2)).sum();
            farthest = farthest.max(off.sqrt());
        }
    }
    assert!(farthest <= bound, "{name}, {piece:?}: a vertex is {farthest} m from its chord, not {bound}");
    [farthest, bound]
}

/// All nodes at many times, in pieces of every length, against every vertex.
fn search(name: &str, body: &Arc<ReducedBody>, dice: &mut Dice, times: usize, found: &mut Found) {
    let mut params = BoundParams::default();
    params.tree.leaf_size = dice.pick(&[1, 4]);
    let tree = Arc::new(BoundTree::new(body.mesh(), params));
    let pieces = body.pieces_at_rate(dice.pick(&[0.5, 5.0, 60.0])).unwrap();
    let level = dice.pick(&[Level::Corner, Level::Optimum]);
    let mut moving = MovingBounds::new(tree.clone(), body.clone(), &pieces, level).unwrap();
    let straight = MovingBounds::new(tree.clone(), Arc::new(linear(body)), &pieces, level).unwrap();
    if dice.percent(30) {
        moving = moving.united(1 + dice.below(3));
    }
    let nodes = tree.topology().nodes().len() as u32;
    let below: Vec<_> = (0..nodes).map(|node| vertices_below(tree.topology(), node)).collect();
    let (mut pose, mut vertices) = (Pose::default(), Vec::new());
    for _ in 0..times {
        let (begin, end) = (body.driver().span().begin, body.driver().span().end);
        let breaks = body.driver().breaks();
        let time = if dice.percent(80) { dice.real(begin, end) } else { breaks[dice.below(breaks.len())].time };
        let at = match time {
            time if time <= begin => Moment::after(begin),
            time if time >= end => Moment::at(end),
            time if dice.percent(50) => Moment::at(time),
            time => Moment::after(time),
        };
        body.pose(at, &mut pose);
        body.mesh().evaluate_all(&pose, &mut vertices).unwrap();
        moving.start_epoch(at);
        for node in 0..nodes {
            let (bounds, sides) = (moving.node_box(node, at), moving.bounds(node, at));
            let other = straight.node_box(node, at);
            found.boxes += 1;
            found.unbounded += usize::from(!bounds.max[0].is_finite());
            for &vertex in &below[node as usize] {
                let place = vertices[vertex as usize];
                for axis in 0..3 {
                    let x = place[axis];
                    assert!(
                        bounds.min[axis] <= x && x <= bounds.max[axis],
                        "{name}, {at:?}, node {node}, vertex {vertex}: {place:?} is not in {bounds:?}"
                    );
                    let side = |extent: Extent| sides[extent.index()].at(at.time());
                    let [least, most] = [Extent::min(axis), Extent::max(axis)].map(side);
                    assert!(least - moving.slack() <= x && x <= most + moving.slack(), "{name}, {at:?}, node {node}");
                    found.off_linear += usize::from(!(other.min[axis] <= x && x <= other.max[axis]));
                }
            }
        }
    }
}

fn spun(dice: &mut Dice, spinner: Spinner, maps: usize, weights: Weights) -> Arc<ReducedBody> {
    let vertices = 3 + dice.below(40);
    let (mesh, rest) = strip(dice, vertices, maps as f64);
    let influences = influences(dice, &rest, maps, weights);
    let morphs = morph_targets(dice, rest.len(), spinner.morphs[0].len());
    let joints = if dice.percent(80) { spinner.centres.clone() } else { vec![[3.0, -2.0, 1.0]; maps] };
    let mesh = ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend: Blend::Spherical { joints } });
    let growth = dice.pick(&[0.0, 0.0, 0.05, 1.0]);
    Arc::new(ReducedBody::new(Arc::new(mesh.unwrap()), Arc::new(Rigid { inner: spinner, growth })).unwrap())
}

#[test]
fn no_vertex_of_rigs_is_missed() {
    let (mut dice, mut found) = (Dice::new(71, &[]), Found::default());
    let mut known = 0;
    for seed in 0..rounds(150) {
        let body = Arc::new(scene(40_000 + seed, Flavour::Rigid).body);
        known += 1;
        strays(&format!("rig {seed}"), &body, &mut dice);
        search(&format!("rig {seed}"), &body, &mut dice, 12, &mut found);
    }
    assert!(known > 100, "{known}");
    assert!(found.unbounded < found.boxes * 3 / 4, "{found:?}");
    assert!(found.off_linear > 100, "{found:?}");
}

#[test]
fn no_vertex_of_spinning_joints_is_missed() {
    let (mut dice, mut found) = (Dice::new(72, &[]), Found::default());
    for round in 0..rounds(300) {
        let dice = &mut dice;
        let maps = 1 + dice.below(5);
        let morphs = if dice.percent(40) { 1 + dice.below(2) } else { 0 };
        // Half turns at many times a second among them.
        let (wildness, stretches) = (dice.pick(&[0.03, 0.3, 1.0]), 1 + dice.below(3));
        let is_unscaled = dice.percent(60);
        let spinner = Spinner::of(dice, maps, morphs, stretches, wildness, is_unscaled);
        let weights = match dice.below(4) {
            0 => Weights::Smooth,
            1 => Weights::AtLimits,
            2 => Weights::Single,
            _ => Weights::Random(4),
        };
        let body = spun(dice, spinner, maps, weights);
        search(&format!("spinner {round}"), &body, dice, 8, &mut found);
    }
    assert!(found.unbounded < found.boxes * 3 / 4, "{found:?}");
    assert!(found.off_linear > 1000, "{found:?}");
}

/// Turned against each other by little, moved against each other by much: the rotation centre is
/// far away.
#[test]
fn far_rotation_centres_are_held() {
    let (mut dice, mut found, mut farthest) = (Dice::new(73, &[]), Found::default(), 0.0f64);
    for round in 0..rounds(200) {
        let dice = &mut dice;
        let maps = 2 + dice.below(3);
        let mut spinner = Spinner::of(dice, maps, 0, 1, 1.0, true);
        let shared: Turn = spinner.turns[0][0].clone();
        let little = dice.pick(&[1e-8, 1e-6, 1.5e-5, 1e-4, 1e-2]);
        for turn in &mut spinner.turns[0] {
            let own = turn.clone();
            *turn = Turn { place: own.place, velocity: own.velocity, acceleration: own.acceleration, ..shared.clone() };
            turn.phase += little * dice.real(-1.0, 1.0);
            turn.rate += little * dice.real(-1.0, 1.0);
            if dice.percent(50) {
                turn.axis = (turn.axis + Vector3::new(little, -little, 0.5 * little)).normalize();
            }
        }
        let body = spun(dice, spinner, maps, Weights::Random(3));
        let (mut pose, sets) = (Pose::default(), body.mesh().joint_sets().unwrap());
        body.pose(Moment::at(body.driver().span().begin), &mut pose);
        let centres = (0..sets.count() as u32).map(|set| sets.frame(set, &pose).unwrap().centre);
        farthest = centres.flatten().fold(farthest, |far, x| far.max(x.abs()));
        search(&format!("far centres {round}"), &body, dice, 8, &mut found);
    }
    // Long pieces of fast turns, of whose difference too little is known.
    assert!(found.unbounded < found.boxes / 4, "{found:?}");
    // By `SMALL_TURN`, not more than 128 times as far as the joints are moved apart.
    assert!(farthest > 10.0, "{farthest}");
}

/// Two bones of a metre, of which one turns by ±20° about the joint between.
fn elbow(phase: f64, rate: f64) -> Arc<ReducedBody> {
    let mut dice = Dice::new(74, &[]);
    let mut spinner = Spinner::of(&mut dice, 2, 0, 1, 0.0, true);
    spinner.breaks = vec![Break { time: 0.0, is_jump: false }, Break { time: 1.0, is_jump: false }];
    spinner.centres = vec![[0.0; 3], [1.0, 0.0, 0.0]];
    for (map, turn) in spinner.turns[0].iter_mut().enumerate() {
        *turn = Turn {
            axis: Vector3::z(),
            phase: if map == 0 { 0.0 } else { phase },
            rate: if map == 0 { 0.0 } else { rate },
            scale: 1.0,
            place: Vector3::new(map as f64, 0.0, 0.0),
            velocity: Vector3::zeros(),
            acceleration: Vector3::zeros(),
        };
    }
    let (mesh, mut rest) = strip(&mut dice, 60, 2.0);
    rest.iter_mut().for_each(|place| (place[1], place[2]) = (0.2 * place[1], 0.2 * place[2]));
    let lists: Vec<Vec<(u32, f64)>> = rest
        .iter()
        .map(|place| match (f64::from(place[0]) - 0.9) / 0.2 {
            over if over <= 0.0 => vec![(0, 1.0)],
            over if over >= 1.0 => vec![(1, 1.0)],
            over => vec![(0, 1.0 - over), (1, over)],
        })
        .collect();
    let influences = Influences::convex(2, lists, WeightPolicy::Strict).unwrap();
    let blend = Blend::Spherical { joints: spinner.centres.clone() };
    let mesh = ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend }).unwrap();
    Arc::new(ReducedBody::new(Arc::new(mesh), Arc::new(Rigid { inner: spinner, growth: 0.0 })).unwrap())
}

#[test]
fn an_elbow_is_bounded_tightly_and_a_half_turn_is_bounded() {
    let bent = elbow(-0.35, 0.7);
    let tree = Arc::new(BoundTree::new(bent.mesh(), BoundParams::default()));
    let pieces = bent.pieces_at_rate(30.0).unwrap();
    let moving = MovingBounds::new(tree.clone(), bent.clone(), &pieces, Level::Optimum).unwrap();
    let straight = MovingBounds::new(tree, Arc::new(linear(&bent)), &pieces, Level::Optimum).unwrap();
    let mut widest = 0.0f64;
    for step in 0..=100 {
        let at = Moment::at(f64::from(step) / 100.0);
        let (own, other) = (moving.node_box(0, at), straight.node_box(0, at));
        (0..3).for_each(|axis| widest = widest.max(own.max[axis] - other.max[axis]));
    }
    // The blended part reaches 0.12 m from the joint.
    assert!(widest < 0.012, "{widest}");
    let turned = elbow(std::f64::consts::PI - 0.01, 0.02);
    // Two joints blend to a quaternion of length √½ at least.
    let mut found = Found::default();
    search("half turn", &turned, &mut Dice::new(76, &[]), 40, &mut found);
    assert!(found.unbounded == 0 && found.off_linear > 0, "{found:?}");
}

/// Chords of short pieces are near, and `pieces` finds as short ones as a tolerance needs.
#[test]
fn deviations_are_stated_and_shrink_with_the_piece() {
    let (mut dice, mut known, mut strayed) = (Dice::new(77, &[]), 0, 0);
    for round in 0..rounds(400) {
        let dice = &mut dice;
        let maps = 1 + dice.below(4);
        let morphs = usize::from(dice.percent(30));
        let wildness = dice.pick(&[0.03, 0.3, 1.0]);
        let is_unscaled = dice.percent(60);
        let spinner = Spinner::of(dice, maps, morphs, 1, wildness, is_unscaled);
        let weights = dice.pick(&[Weights::Smooth, Weights::Random(4), Weights::AtLimits]);
        let body = spun(dice, spinner, maps, weights);
        for _ in 0..4 {
            let [farthest, bound] = strays(&format!("spinner {round}"), &body, dice);
            known += usize::from(bound.is_finite());
            strayed += usize::from(farthest > 1e-4 && bound < 30.0 * farthest);
        }
    }
    assert!(known > 1000 && strayed > 100, "{known} {strayed}");
    let bent = elbow(-0.35, 0.7);
    let counts = [1e-2, 1e-3, 1e-4, 1e-5].map(|tolerance| {
        let pieces = bent.pieces(tolerance).unwrap();
        assert!(pieces.largest_deviation() <= tolerance);
        pieces.count()
    });
    // Ten times as near, three times as many.
    assert!(counts[1] <= 100 && 2 * counts[3] <= 7 * counts[2] && counts[2] <= 4 * counts[1], "{counts:?}");
}

#[test]
fn maps_of_which_nothing_is_known_are_refused() {
    let body = elbow(0.0, 1.0);
    let mut dice = Dice::new(75, &[]);
    let mut spinner = Spinner::of(&mut dice, 2, 0, 1, 0.1, true);
    spinner.outside = Outside::Hold;
    let body = Arc::new(ReducedBody::new(body.mesh().clone(), Arc::new(spinner)).unwrap());
    let tree = Arc::new(BoundTree::new(body.mesh(), BoundParams::default()));
    let pieces = body.pieces_at_rate(5.0).unwrap();
    let refused = MovingBounds::new(tree, body, &pieces, Level::Corner);
    assert!(matches!(refused, Err(ReducedError::NoBound { .. })));
}
