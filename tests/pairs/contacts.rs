//! Candidates, contact intervals and frame tests against brute force over all pairs of triangles.

use kinetree::bvh::{BuildParams, LeafRelation, SharedVertices, Topology};
use kinetree::interval::{
    Candidates, FrameContacts, IntervalBoxes, IntervalPairs, PairedBodies, PairedBoxes, Prepared,
};
use kinetree::mesh::{Mesh, Seams};
use kinetree::motion::{Flightplan, KeyLayout, Motion};
use kinetree::narrow::intervals::{ContactInterval, IntervalStats, MovingTriangle, contact_intervals, touch_at_time};
use kinetree::narrow::proximity::{proximity_intervals, triangles_within};
use kinetree::narrow::{ContactRule, triangles_touch};
use kinetree::scenes::material::jittered_grid_cloth;
use kinetree::time::Moment;

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{BodySpec, PlanSpec, Style, random_body};
use crate::windows::{Actor, step};

/// Which pairs of triangles are asked about.
struct Rule<'a> {
    distance: f64,
    surface: Option<(&'a [[u32; 3]], &'a Seams)>,
}

impl ContactRule for Rule<'_> {
    fn distance(&self) -> f64 {
        self.distance
    }

    fn wants(&self, p: u32, q: u32) -> bool {
        self.surface.is_none_or(|(triangles, seams)| {
            p < q && !seams.share_corner(&triangles[p as usize], &triangles[q as usize])
        })
    }

    fn touch(&self, a: (u32, &[[f64; 3]; 3]), b: (u32, &[[f64; 3]; 3])) -> bool {
        if self.distance > 0.0 { triangles_within(a.1, b.1, self.distance) } else { triangles_touch(a.1, b.1) }
    }
}

#[derive(Debug, Default)]
struct Census {
    intervals: usize,
    touching: usize,
    partly: usize,
    possible: usize,
    candidates: usize,
    frames: usize,
    at_frames: usize,
    certain: usize,
    open: usize,
}

/// A body whose vertices have keys at the given times.
fn keyed(dice: &mut Dice, style: Style, times: &[f64]) -> BodySpec {
    loop {
        let span = kinetree::time::Span { begin: 0.0, end: style.length() };
        let mut spec = random_body(dice, Style { keys: times.len(), ..style }, span, 0);
        let PlanSpec::Keys { positions, outside, .. } = &mut spec.plan else { continue };
        let key: Vec<[f32; 3]> = positions[..spec.vertex_count].to_vec();
        let outside = match outside {
            kinetree::motion::Outside::Loop => kinetree::motion::Outside::Hold,
            other => *other,
        };
        let mut all = Vec::new();
        for _ in times {
            let shift = style.point(dice, 1);
            let jitter = dice.percent(60);
            all.extend(key.iter().map(|p| {
                let off = if jitter { style.point(dice, 1) } else { [0.0; 3] };
                std::array::from_fn::<f32, 3, _>(|k| p[k] + shift[k] + off[k])
            }));
        }
        spec.plan = PlanSpec::Keys { times: times.to_vec(), positions: all, outside };
        return spec;
    }
}

fn brute(rule: &Rule<'_>, counts: (u32, u32), mut ask: impl FnMut(u32, u32) -> bool) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for p in 0..counts.0 {
        for q in 0..counts.1 {
            if rule.wants(p, q) && ask(p, q) {
                found.push((p, q));
            }
        }
    }
    found
}

fn sorted(mut pairs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    pairs.sort_unstable();
    pairs
}

/// Begins and prepares everything, in parts or at once.
fn prepare(
    dice: &mut Dice,
    leaf_pairs: &mut IntervalPairs,
    candidates: &mut Candidates,
    (partners, bodies): (&PairedBoxes<'_>, PairedBodies<'_>),
    rule: &Rule<'_>,
) {
    leaf_pairs.begin(partners).expect("a common time");
    assert!(candidates.begin(leaf_pairs, partners).is_err());
    leaf_pairs.prepare(partners, usize::MAX);
    candidates.expect_steps(dice.pick(&[0.0, 7.0, 20.0, 100.0]));
    candidates.begin(leaf_pairs, partners).expect("prepared");
    let budget = if dice.percent(50) { usize::MAX } else { 3 };
    while candidates.prepare(leaf_pairs, partners, bodies, |p, q| rule.wants(p, q), &mut budget.clone())
        == Prepared::Partly
    {}
}

fn run(seed: u64, grain: Grain, is_self: bool, census: &mut Census) {
    let mut dice = Dice::new(seed, &[99, grain as u64, u64::from(is_self)]);
    let style = Style { grain, long: false, triangles: 22, keys: 5, curved: 0 };
    let is_keyed = dice.percent(60);
    let times = [0.0, 1.0, 2.0, 3.0, 4.0];
    let span = kinetree::time::Span { begin: 0.0, end: style.length() };
    let mut spec = || if is_keyed { keyed(&mut dice, style, &times) } else { random_body(&mut dice, style, span, 0) };
    let specs = [spec(), spec()];
    let distance = dice.pick(&[0.0, 0.0, 0.0, 0.125]);
    let until = |from: f64| from + 1.0;
    let Some(mut a) = Actor::new(&specs[0], until(0.0)) else { return };
    let Some(mut b) = Actor::new(&specs[usize::from(!is_self)], until(0.0)) else { return };
    let seams = a.mesh.weld(&a.rest).unwrap();
    let shared_vertices = is_self.then(|| SharedVertices::new(&a.topology, &a.mesh, &seams, true));
    let (mesh, other_mesh) = (a.mesh.clone(), b.mesh.clone());
    let rule = Rule { distance, surface: is_self.then_some((mesh.triangles(), &seams)) };
    let without = if is_self && dice.percent(50) { Some(&seams) } else { None };
    let moving = [&a, &b].map(|actor| actor.motion.clone());
    let bodies = if is_self {
        PairedBodies::within((&mesh, &moving[0]), without)
    } else {
        PairedBodies::between((&mesh, &moving[0]), (&other_mesh, &moving[1]))
    };
    let mut candidates = if is_self { Candidates::within(&a.boxes) } else { Candidates::between(&a.boxes, &b.boxes) };
    let mut leaf_pairs = IntervalPairs::new(distance).expect("a distance");
    let mut frames = FrameContacts::new(&rule);
    for _ in 0..3 {
        {
            let other = if is_self { &a } else { &b };
            let partners = match &shared_vertices {
                Some(shared_vertices) => PairedBoxes::within(&a.boxes, shared_vertices),
                None => PairedBoxes::between(&a.boxes, &b.boxes),
            };
            prepare(&mut dice, &mut leaf_pairs, &mut candidates, (&partners, bodies), &rule);
            let interval = leaf_pairs.interval();
            let counts = (a.mesh.triangles().len() as u32, other.mesh.triangles().len() as u32);
            census.candidates += candidates.pairs().count();
            census.possible += (counts.0 * counts.1) as usize;
            let end = if interval.end.is_finite() { interval.end } else { interval.begin + 2.0 };
            let mut looks: Vec<Moment> = (0..4).map(|_| Moment::at(dice.real(interval.begin, end))).collect();
            looks.extend([interval.begin, end, 0.5 * interval.begin + 0.5 * end].map(Moment::at));
            // Frames: evaluated positions.
            for at in &looks {
                let at = if at.time() <= interval.begin { Moment::after(interval.begin) } else { *at };
                let positions = [a.positions(at), other.positions(at)];
                let corners = |side: usize, triangle: u32| {
                    let mesh = [&a.mesh, &other.mesh][side];
                    mesh.triangles()[triangle as usize].map(|vertex| positions[side][vertex as usize])
                };
                let mut found = Vec::new();
                frames.touching(candidates.pairs(), corners, &rule, |p, q| found.push((p, q)));
                let expected = brute(&rule, counts, |p, q| rule.touch((p, &corners(0, p)), (q, &corners(1, q))));
                census.frames += 1;
                census.at_frames += expected.len();
                assert_eq!(sorted(found), expected, "{seed} {grain:?} {is_self} at {at:?}");
                // What is certain, and the exact test of the rest.
                let (mut certain, mut open) = (Vec::new(), Vec::new());
                if candidates.at(&leaf_pairs, at.time(), &mut certain, &mut open).expect("inside") {
                    assert!(certain.is_sorted() && open.is_sorted());
                    assert_eq!(distance, 0.0);
                    census.certain += certain.len();
                    census.open += open.len();
                    open.retain(|&(p, q)| rule.touch((p, &corners(0, p)), (q, &corners(1, q))));
                    certain.extend(open);
                    assert_eq!(sorted(certain), expected, "{seed} {grain:?} {is_self} at {at:?}");
                } else {
                    assert!(certain.is_empty() && open.is_empty());
                }
            }
            if is_keyed && interval.begin < interval.end {
                // Between the same keys: the intervals themselves, bit for bit.
                let place = |actor: &Actor, triangle: u32, at: Moment| {
                    let positions = actor.positions(at);
                    actor.mesh.triangles()[triangle as usize].map(|vertex| positions[vertex as usize])
                };
                let motion = |side: usize, triangle: u32| {
                    let actor = [&a, other][side];
                    MovingTriangle {
                        begin: place(actor, triangle, Moment::at(interval.begin)),
                        end: place(actor, triangle, Moment::at(interval.end)),
                    }
                };
                let mut truth: Vec<(u32, u32, ContactInterval)> = Vec::new();
                let mut stats = IntervalStats::default();
                brute(&rule, counts, |p, q| {
                    let (mut found, a, b) = (Vec::new(), motion(0, p), motion(1, q));
                    if distance > 0.0 {
                        proximity_intervals(&a, &b, distance, &mut found, &mut stats);
                    } else {
                        contact_intervals(&a, &b, &mut found, &mut stats);
                    }
                    census.partly += found.iter().filter(|it| !(it.at_window_begin() && it.at_window_end())).count();
                    truth.extend(found.into_iter().map(|interval| (p, q, interval)));
                    false
                });
                // All triangles that touch at any time are candidates, and their intervals say
                // when.
                let mut suspects: Vec<(u32, u32)> = candidates.pairs().collect();
                suspects.sort_unstable();
                for (p, q, interval) in &truth {
                    assert!(
                        suspects.binary_search(&(*p, *q)).is_ok(),
                        "{seed} {grain:?} {is_self}: {p}, {q} {interval:?}"
                    );
                }
                census.touching += truth.len();
                // At the ends of intervals, as times, on both sides of where they are.
                looks.extend(
                    truth
                        .iter()
                        .take(6)
                        .flat_map(|(_, _, it)| [it.begin.lo, it.end.hi])
                        .map(|s| Moment::at((interval.begin + s * (interval.end - interval.begin)).min(interval.end))),
                );
                for at in &looks {
                    let mut touching = brute(&rule, counts, |p, q| {
                        let (a, b) = (motion(0, p), motion(1, q));
                        let span = (interval.begin, interval.end);
                        if distance > 0.0 {
                            kinetree::narrow::proximity::within_at_time(&a, &b, distance, span, at.time())
                        } else {
                            touch_at_time(&a, &b, span, at.time())
                        }
                    });
                    touching.retain(|pair| suspects.binary_search(pair).is_err());
                    assert!(touching.is_empty(), "{seed} {grain:?} {is_self} at {at:?}: {touching:?}");
                }
                census.intervals += 1;
            }
            if let Some(shared_vertices) = &shared_vertices {
                assert!(
                    leaf_pairs
                        .pairs()
                        .iter()
                        .all(|pair| shared_vertices.relation(pair.a, pair.b) != LeafRelation::Excluded)
                );
            }
        }
        if leaf_pairs.interval().end >= 4.0 {
            break;
        }
        let end = leaf_pairs.interval().end;
        step([&mut a, &mut b], until(end)).expect("linear motion");
    }
}

#[test]
fn everything_that_touches_is_found() {
    let mut census = Census::default();
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(25)) {
            for is_self in [false, true] {
                run(seed, grain, is_self, &mut census);
            }
        }
    }
    println!("{census:?}");
    assert!(census.intervals > 100 && census.touching > 1_000 && census.partly > 500, "{census:?}");
    assert!(census.frames > 1_000 && census.at_frames > 5_000, "{census:?}");
    assert!(census.candidates < census.possible / 2, "{census:?}");
    assert!(census.certain > 1_000 && census.open > 1_000, "{census:?}");
}

/// Masks of leaves of at most eight triangles, and questions pair by pair below larger ones, leave
/// out what a host that asks about no such pairs would leave out.
#[test]
fn triangles_that_share_a_corner_are_no_candidates() {
    let clip = jittered_grid_cloth(5, 12, 12, 3);
    // Folded over, so that layers cross.
    let fold = |&[x, y, z]: &[f32; 3]| [x.min(0.5) + 0.3 * (0.5 - x).min(0.0), y, z + 0.05 * (7.0 * x).sin()];
    let points: Vec<[f32; 3]> = clip.positions.as_chunks::<3>().0.iter().map(fold).collect();
    let rest: Vec<[f64; 3]> = points[..clip.vertex_count].iter().map(|point| point.map(f64::from)).collect();
    let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
    let seams = mesh.weld(&points[..clip.vertex_count]).unwrap();
    let motion =
        Motion::new(Flightplan::keyframes(vec![0.0, 1.0, 2.0], points), clip.vertex_count, KeyLayout::KeyMajor)
            .unwrap();
    for leaf_size in [1, 7, 8, 9, 20, 64] {
        let topology = Topology::build(&mesh, &rest, BuildParams { leaf_size, ..BuildParams::default() });
        let shared_vertices = SharedVertices::new(&topology, &mesh, &seams, true);
        let mut boxes = IntervalBoxes::over(topology, &motion, 0.0).unwrap();
        let mut finders = [(); 2].map(|()| (IntervalPairs::new(0.0).unwrap(), Candidates::within(&boxes)));
        for key in 0..2u8 {
            boxes.follow(&motion, Moment::after(f64::from(key)), f64::from(key) + 1.0).unwrap();
            let partners = PairedBoxes::within(&boxes, &shared_vertices);
            let mut find = |side: usize| -> Vec<(u32, u32)> {
                let (leaf_pairs, candidates) = &mut finders[side];
                leaf_pairs.begin(&partners).unwrap();
                leaf_pairs.prepare(&partners, usize::MAX);
                candidates.begin(leaf_pairs, &partners).unwrap();
                let triangles = mesh.triangles();
                let shares = |p: u32, q: u32| seams.share_corner(&triangles[p as usize], &triangles[q as usize]);
                let bodies = PairedBodies::within((&mesh, &motion), (side == 0).then_some(&seams));
                let wants = |p: u32, q: u32| side == 0 || !shares(p, q);
                let _ = candidates.prepare(leaf_pairs, &partners, bodies, wants, &mut usize::MAX.clone());
                assert!(candidates.pairs().all(|(p, q)| !shares(p, q)), "leaves of {leaf_size}");
                candidates.pairs().collect()
            };
            let found = find(0);
            assert!(found.len() > 20, "{}", found.len());
            assert_eq!(found, find(1), "leaves of {leaf_size}");
        }
    }
}
