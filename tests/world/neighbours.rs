//! What triangles share besides a common corner or edge, against an oracle of cones in integers, and in worlds.

use std::collections::BTreeSet;

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::narrow::intervals::{IntervalStats, MovingTriangle};
use kinetree::narrow::{neighbour_intervals, neighbours_touch};
use kinetree::scenes::Random;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};

type V = [i64; 3];

fn minus(a: V, b: V) -> V {
    std::array::from_fn(|k| a[k] - b[k])
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: V, b: V) -> i64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Is a direction in the closed cone of two independent directions, all in integers?
fn in_cone(d: V, [u, w]: [V; 2]) -> bool {
    let n = cross(u, w);
    dot(n, d) == 0 && dot(cross(u, d), n) >= 0 && dot(cross(d, w), n) >= 0
}

/// Triangles with one common corner share more exactly if the cones they fill from there share a direction.
fn cones_meet(corner: V, a: [V; 2], b: [V; 2]) -> bool {
    let (a, b) = (a.map(|p| minus(p, corner)), b.map(|p| minus(p, corner)));
    let along = cross(cross(a[0], a[1]), cross(b[0], b[1]));
    if along != [0; 3] {
        let back = along.map(|x| -x);
        return [along, back].into_iter().any(|d| in_cone(d, a) && in_cone(d, b));
    }
    a.iter().any(|&d| in_cone(d, b)) || b.iter().any(|&d| in_cone(d, a))
}

/// Triangles on a common edge share more exactly if they lie in one plane on the same side of it.
fn folded(u: V, v: V, a: V, b: V) -> bool {
    let (edge, to_a, to_b) = (minus(v, u), minus(a, u), minus(b, u));
    let n = cross(edge, to_a);
    dot(n, to_b) == 0 && dot(n, cross(edge, to_b)) > 0
}

fn wide(points: [V; 3]) -> [[f64; 3]; 3] {
    points.map(|p| p.map(|x| x as f64))
}

fn point(random: &mut Random, range: i64) -> V {
    std::array::from_fn(|_| (random.unit() * (2 * range + 1) as f64).floor() as i64 - range)
}

fn is_flat(points: [V; 3]) -> bool {
    cross(minus(points[1], points[0]), minus(points[2], points[0])) == [0; 3]
}

#[test]
fn one_common_corner_against_cones() {
    let mut random = Random::new(5);
    let (mut touching, mut coplanar, mut asked) = (0, 0, 0);
    for round in 0..40_000 {
        let range = if round % 2 == 0 { 2 } else { 9 };
        let [v, a0, a1, b0, b1] = std::array::from_fn(|_| point(&mut random, range));
        if is_flat([v, a0, a1]) || is_flat([v, b0, b1]) {
            continue;
        }
        asked += 1;
        let truth = cones_meet(v, [a0, a1], [b0, b1]);
        touching += usize::from(truth);
        let is_coplanar = cross(cross(minus(a0, v), minus(a1, v)), cross(minus(b0, v), minus(b1, v))) == [0; 3];
        coplanar += usize::from(truth && is_coplanar);
        // The common corner at any place of either triangle.
        let (turn_a, turn_b) = (round % 3, round / 3 % 3);
        let (mut a, mut b) = ([v, a0, a1], [v, b0, b1]);
        a.rotate_right(turn_a);
        b.rotate_right(turn_b);
        assert_eq!(neighbours_touch(&wide(a), &wide(b), &[(turn_a, turn_b)]), truth, "{a:?} {b:?}");
        assert_eq!(neighbours_touch(&wide(b), &wide(a), &[(turn_b, turn_a)]), truth, "{b:?} {a:?}");
    }
    assert!(asked > 30_000 && touching > 5_000 && coplanar > 100, "{asked} {touching} {coplanar}");
}

#[test]
fn a_common_edge_against_the_fold() {
    let mut random = Random::new(6);
    let (mut touching, mut asked) = (0, 0);
    for _ in 0..40_000 {
        let [u, v, a, b] = std::array::from_fn(|_| point(&mut random, 2));
        if is_flat([u, v, a]) || is_flat([u, v, b]) {
            continue;
        }
        asked += 1;
        let truth = folded(u, v, a, b);
        touching += usize::from(truth);
        assert_eq!(
            neighbours_touch(&wide([u, v, a]), &wide([u, b, v]), &[(0, 0), (1, 2)]),
            truth,
            "{u:?} {v:?} {a:?} {b:?}"
        );
    }
    assert!(asked > 30_000 && touching > 500, "{asked} {touching}");
    let copy = wide([[0, 0, 0], [1, 0, 0], [0, 1, 0]]);
    assert!(!neighbours_touch(&copy, &copy, &[(0, 0), (1, 1), (2, 2)]));
}

/// At sixteenths of a window between integer positions everything is exact in `f64`.
#[test]
fn intervals_against_instants() {
    let mut random = Random::new(7);
    let (mut touching, mut found_any) = (0, 0);
    for round in 0..6_000 {
        let common: &[(usize, usize)] = if round % 3 == 0 { &[(0, 0), (1, 1)] } else { &[(0, 0)] };
        let [mut a, mut b] =
            std::array::from_fn(|_| [0; 2].map(|_| [0; 3].map(|_: i32| point(&mut random, 3))).map(wide));
        for (of_a, of_b) in common {
            for side in 0..2 {
                b[side][*of_b] = a[side][*of_a];
            }
        }
        if round % 2 == 0 {
            // The first stands still, so that touches of single instants occur.
            a[1] = a[0];
            for (of_a, of_b) in common {
                b[1][*of_b] = a[1][*of_a];
            }
        }
        let (a, b) = (MovingTriangle { begin: a[0], end: a[1] }, MovingTriangle { begin: b[0], end: b[1] });
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        neighbour_intervals(&a, &b, common, 0.0, &mut found, &mut stats);
        found_any += usize::from(!found.is_empty());
        assert!(found.windows(2).all(|pair| pair[0].end.hi < pair[1].begin.lo), "{found:?}");
        for step in 0..=16 {
            let s = f64::from(step) / 16.0;
            let place = |of: &MovingTriangle| -> [[f64; 3]; 3] {
                std::array::from_fn(|k| std::array::from_fn(|i| of.begin[k][i] + s * (of.end[k][i] - of.begin[k][i])))
            };
            let truth = neighbours_touch(&place(&a), &place(&b), common);
            touching += usize::from(truth);
            assert_eq!(found.iter().any(|interval| interval.may_contain(s)), truth, "{s} {found:?} {a:?} {b:?}");
        }
    }
    assert!(touching > 5_000 && found_any > 2_000, "{touching} {found_any}");
}

/// Two parts of a pair take turns within the last or the first cell of a window: exact ends stay exact.
#[test]
fn a_contact_keeps_the_ends_of_its_window() {
    // The second triangle, upright on the first, reaches to x in its plane; the first one's side is at x = 0.
    let tiny = 2.0_f64.powi(-60);
    let corner = [-2.0, 0.0, 0.0];
    let low = [corner, [0.0, -2.0, 0.0], [0.0, 2.0, 0.0]];
    let low = MovingTriangle { begin: low, end: low };
    let upright = |x: f64| [corner, [x, 0.0, 1.0], [x, 0.0, -1.0]];
    for (from, to) in [(1.0, -tiny), (-tiny, 1.0), (1.0, 0.0), (0.0, 1.0), (-tiny, tiny)] {
        let moving = MovingTriangle { begin: upright(from), end: upright(to) };
        for (a, b) in [(&low, &moving), (&moving, &low)] {
            let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
            neighbour_intervals(a, b, &[(0, 0)], 0.0, &mut found, &mut stats);
            let [only] = found[..] else { panic!("{from} {to}: {found:?}") };
            assert!(only.at_window_begin() && only.at_window_end() && !only.instant, "{from} {to}: {only:?}");
        }
    }
}

/// The same in a trial: what holds at the start does not begin there, and what holds at the end does not end.
#[test]
fn a_trial_keeps_the_ends_of_its_window() {
    let mesh = Mesh::new(5, vec![[0, 1, 2], [0, 3, 4]]).unwrap();
    let at = |x: f32| vec![[-2.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.0, 2.0, 0.0], [x, 0.0, 1.0], [x, 0.0, -1.0]];
    let tiny = 2.0_f32.powi(-60);
    for (from, to) in [(1.0, -tiny), (-tiny, 1.0)] {
        let mut world = World::new(WorldDef::default()).unwrap();
        let body = BodyDef::new(mesh.clone(), Flightplan::fixed(at(from))).self_contact(true).neighbours(true);
        let body = world.add_body(body).unwrap();
        let mut trial = world.trial(body, &at(to), 1.0).unwrap();
        assert_eq!(trial.step_size().unwrap(), 1.0, "{from} {to}");
        let [only] = trial.contacts().unwrap() else { panic!("{from} {to}") };
        assert!(only.touches_at_start && only.end.is_none(), "{only:?}");
    }
}

/// A hinge of two triangles that closes at 1 s and opens again, and a third triangle at its corner that swings through.
#[test]
fn a_hinge_in_every_engine() {
    let mesh = || Mesh::new(6, vec![[0, 1, 2], [0, 3, 1], [0, 4, 5]]).unwrap();
    let still = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 2.0, 0.0]];
    let key = |flap: [f32; 3], low: f32| -> Vec<[f32; 3]> {
        let mut points = still.to_vec();
        points.extend([flap, [1.0, 1.0, low], [2.0, 0.5, low]]);
        points
    };
    let keys = [key([2.0, 1.0, 1.0], 1.0), key([2.0, 1.0, 0.0], 0.25), key([2.0, 1.0, 1.0], -0.75)];
    let plan = || Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys.concat());
    let body = || BodyDef::new(mesh(), plan()).self_contact(true).neighbours(true);
    for engine in [Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        world.add_body(body()).unwrap();
        let mut at = |time: f64| -> Vec<(u32, u32)> {
            world.advance_to(time).unwrap();
            world.contacts().iter().map(|contact| (contact.triangle_a, contact.triangle_b)).collect()
        };
        // The third triangle stands over the flap at 1 s and touches the floor triangle at 1.25 s.
        assert_eq!(at(0.5), [], "{engine:?}");
        assert_eq!(at(1.0), [(0, 1)], "{engine:?}");
        assert!(!at(1.1).contains(&(0, 1)), "{engine:?}");
        assert!(at(1.25).contains(&(0, 2)), "{engine:?}");
        assert!(!at(1.5).contains(&(0, 2)), "{engine:?}");
    }
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    world.add_body(body()).unwrap();
    world.advance_to(2.0).unwrap();
    let told: BTreeSet<(u32, u32)> = world
        .contact_changes()
        .iter()
        .map(|change| (change.contact().triangle_a, change.contact().triangle_b))
        .collect();
    assert!(told.contains(&(0, 1)) && told.contains(&(0, 2)), "{told:?}");
    assert_eq!(world.contacts_at(1.0).unwrap().len(), 1);
    assert!(world.audit().is_clean());
    let mut plain = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    plain.add_body(body().neighbours(false)).unwrap();
    plain.advance_to(2.0).unwrap();
    assert!(
        plain.contact_changes().iter().all(|change| change.contact().triangle_a == 1),
        "{:?}",
        plain.contact_changes()
    );
}

/// Neighbours are triangles of one body: whether they are tested changes no end of a contact with another body.
#[test]
fn neighbours_do_not_concern_other_bodies() {
    let story = |neighbours: bool| {
        let mut random = Random::new(8);
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        // Different keys: ends of contacts have doubts.
        for times in [vec![0.0, 1.0, 2.0], vec![0.0, 0.7, 2.0]] {
            let keys = (0..3 * 24).map(|_| random.in_cube(1.0).map(|x| x as f32)).collect();
            let triangles = (0..8).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
            let body = BodyDef::new(Mesh::new(24, triangles).unwrap(), Flightplan::keyframes(times, keys));
            world.add_body(body.self_contact(true).neighbours(neighbours)).unwrap();
        }
        world.advance_to(2.0).unwrap();
        let is_between = |change: &&ContactChange| change.contact().a != change.contact().b;
        world.contact_changes().iter().filter(is_between).map(|change| format!("{change:?}")).collect::<Vec<_>>()
    };
    let plain = story(false);
    assert!(plain.len() > 40, "{}", plain.len());
    assert_eq!(story(true), plain);
}
