//! Queries of a pose without a world, against all vertices and triangles evaluated by this test.

use std::sync::Arc;

use crate::common::dice::Dice;
use crate::reduced_support::{Spinner, Weights, random_mesh};
use crate::truth::{meet, skinned};
use kinetree::math::Aabb;
use kinetree::narrow::EveryPair;
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Budget, Camera, Decision, Level, PairQuery, PosedBounds, Rectangle, Visibility,
};
use kinetree::reduced::{Affine, Driver, Pose, ReducedMesh};
use kinetree::time::Moment;

/// How far a rounded answer may be off.
const NEAR: f64 = 1e-9;

pub(super) fn rounds(usual: u64) -> u64 {
    std::env::var("KINETREE_TORTURE").ok().and_then(|text| text.parse::<u64>().ok()).map_or(usual, |by| usual * by)
}

pub(super) struct Case {
    pub(super) mesh: Arc<ReducedMesh>,
    pub(super) tree: BoundTree,
    pub(super) driver: Spinner,
}

pub(super) fn case(seed: u64, vertices: usize) -> Case {
    let dice = &mut Dice::new(seed, &[81]);
    let weights = [Weights::Smooth, Weights::Random(4), Weights::Single, Weights::Signed][seed as usize % 4];
    let morphs = dice.below(3);
    let mesh = random_mesh(dice, vertices, 6, morphs, weights);
    let driver = Spinner::of(dice, 6, morphs, 1, 0.2, seed.is_multiple_of(3));
    let tree = BoundTree::new(&mesh, BoundParams::default());
    Case { mesh, tree, driver }
}

pub(super) fn pose_at(driver: &Spinner, part: f64, shift: [f64; 3]) -> Pose {
    let span = driver.span();
    let mut pose = Pose::default();
    driver.pose(Moment::at(span.begin + part * (span.end - span.begin)), &mut pose);
    let place = Affine::from_parts(shift, [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    pose.maps.iter_mut().for_each(|map| *map = place.after(map));
    pose
}

pub(super) fn vector(dice: &mut Dice, size: f64) -> [f64; 3] {
    std::array::from_fn(|_| dice.real(-size, size))
}

pub(super) fn dot(a: &[f64], b: &[f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

pub(super) fn minus(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

/// Vertices that a triangle uses.
fn used(mesh: &ReducedMesh) -> Vec<usize> {
    let mut used: Vec<usize> = mesh.mesh().triangles().iter().flatten().map(|&vertex| vertex as usize).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// Runs a check over bodies and poses; every pose is asked in the state that the pose before left.
fn every_pose(salt: u64, mut check: impl FnMut(&mut Dice, &Case, &mut PosedBounds<'_>, &[[f64; 3]], &str)) {
    for seed in 0..rounds(8) {
        let case = case(seed, [9, 120, 700, 1500][seed as usize / 2 % 4]);
        let dice = &mut Dice::new(seed, &[82, salt]);
        let first = pose_at(&case.driver, 0.0, [0.0; 3]);
        let mut posed = PosedBounds::new(&case.tree, &case.mesh, Level::Corner, &first).unwrap();
        for step in 0..12 {
            let shift = if step == 5 { vector(dice, 300.0) } else { vector(dice, 1.0) };
            let pose = pose_at(&case.driver, dice.real(0.0, 1.0), shift);
            posed.set_pose(&pose).unwrap();
            let all = skinned(&case.mesh, &pose);
            check(dice, &case, &mut posed, &all, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn frusta_see_what_all_vertices_show() {
    let (mut counts, mut opened) = ([0; 3], 0);
    every_pose(1, |dice, case, posed, all, name| {
        for _ in 0..12 {
            let middle = all[dice.below(all.len())];
            let planes: Vec<[f64; 4]> = (0..=dice.below(5))
                .map(|_| {
                    let [a, b, c] = vector(dice, 1.0);
                    let off = dice.pick(&[0.01, 0.5, 2.0, 6.0, 25.0]) * dice.real(-1.0, 1.0);
                    [a, b, c, off - dot(&[a, b, c], &middle)]
                })
                .collect();
            let value = |plane: &[f64; 4], vertex: usize| dot(plane, &all[vertex]) + plane[3];
            let used = used(&case.mesh);
            // Rounding decides where a vertex is this near to a plane.
            if planes.iter().any(|plane| used.iter().any(|&vertex| value(plane, vertex).abs() < NEAR)) {
                continue;
            }
            let behind = planes.iter().position(|plane| used.iter().all(|&vertex| value(plane, vertex) < 0.0));
            let inside = planes.iter().all(|plane| used.iter().all(|&vertex| value(plane, vertex) > 0.0));
            let before = posed.counts().evaluated;
            let found = posed.visibility(&planes);
            opened += posed.counts().evaluated - before;
            match behind {
                Some(_) => {
                    let Visibility::Outside { plane } = found else { panic!("{name}: {found:?} of {planes:?}") };
                    assert!(used.iter().all(|&vertex| value(&planes[plane], vertex) < 0.0), "{name}");
                    counts[0] += 1;
                }
                None if inside => {
                    assert_eq!(found, Visibility::Inside, "{name}");
                    counts[1] += 1;
                }
                None => {
                    assert_eq!(found, Visibility::Crossing, "{name}");
                    counts[2] += 1;
                }
            }
        }
        assert_eq!(posed.visibility(&[]), Visibility::Inside);
    });
    assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
    assert!(opened > 0);
}

#[test]
fn supports_are_those_of_all_vertices() {
    let (mut evaluated, mut total) = (0, 0);
    every_pose(2, |dice, case, posed, all, name| {
        for round in 0..6 {
            let direction = if round == 0 { [0.0, 1.0, 0.0] } else { vector(dice, 3.0) };
            let found = posed.support(direction).unwrap();
            let used = used(&case.mesh);
            let most = used.iter().map(|&vertex| dot(&direction, &all[vertex])).fold(f64::NEG_INFINITY, f64::max);
            assert!((found.extent - most).abs() < NEAR * (1.0 + most.abs()), "{name}: {found:?}, {most}");
            let own = dot(&direction, &all[found.vertex as usize]);
            assert!((own - most).abs() < NEAR * (1.0 + most.abs()), "{name}: vertex {}", found.vertex);
        }
        (evaluated, total) = (evaluated + posed.counts().evaluated, total + 6 * all.len() as u64);
        assert!(posed.support([f64::NAN, 0.0, 0.0]).is_none());
    });
    assert!(4 * evaluated < total, "{evaluated} vertices of {total} were evaluated");
}

#[test]
fn screen_rectangles_are_those_of_all_images() {
    let (mut seen, mut behind) = (0, 0);
    every_pose(3, |dice, case, posed, all, name| {
        let middle = all[dice.below(all.len())];
        let far = dice.pick(&[0.5, 3.0, 12.0]);
        let (x, y, w) = (vector(dice, 1.0), vector(dice, 1.0), vector(dice, 1.0));
        let row = |n: [f64; 3], off: f64| [n[0], n[1], n[2], off - dot(&n, &middle)];
        let camera = Camera { x: row(x, 0.0), y: row(y, 0.1), w: row(w, far) };
        let found = posed.screen_rectangle(&camera);
        let value = |row: &[f64; 4], place: &[f64; 3]| dot(row, place) + row[3];
        let places: Vec<[f64; 3]> = used(&case.mesh).iter().map(|&vertex| all[vertex]).collect();
        if places.iter().any(|place| value(&camera.w, place) <= 0.0) {
            assert_eq!(found, Rectangle::EVERYTHING, "{name}");
            behind += 1;
            return;
        }
        for (axis, row) in [camera.x, camera.y].iter().enumerate() {
            let images = places.iter().map(|place| value(row, place) / value(&camera.w, place));
            let (least, most) = images.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            let near = 1e-7 * (1.0 + least.abs() + most.abs());
            assert!((found.min[axis] - least).abs() < near, "{name}: {found:?}, {least}");
            assert!((found.max[axis] - most).abs() < near, "{name}: {found:?}, {most}");
        }
        seen += 1;
    });
    assert!(seen > 20 && behind > 10, "{seen}, {behind}");
}

/// Where a ray crosses a triangle, by solving three equations; `None` if it does not, or hardly.
pub(super) fn crossing(origin: &[f64; 3], direction: &[f64; 3], [a, b, c]: [[f64; 3]; 3]) -> Option<(f64, f64)> {
    let (e, f, w) = (minus(&b, &a), minus(&c, &a), minus(origin, &a));
    let cross = |u: &[f64; 3], v: &[f64; 3]| -> [f64; 3] {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let determinant = dot(&e, &cross(direction, &f));
    let u = dot(&w, &cross(direction, &f)) / determinant;
    let v = dot(direction, &cross(&w, &e)) / determinant;
    let t = dot(&f, &cross(&w, &e)) / determinant;
    // How far inside the triangle, as a part of it.
    let inside = u.min(v).min(1.0 - u - v);
    (determinant.abs() > 1e-9 && inside > -1e-6 && t > -1e-6).then_some((t, inside))
}

#[test]
fn rays_hit_the_first_of_all_triangles() {
    let (mut hits, mut misses) = (0, 0);
    every_pose(4, |dice, case, posed, all, name| {
        for _ in 0..10 {
            let target = all[dice.below(all.len())];
            let origin: [f64; 3] = std::array::from_fn(|i| target[i] + dice.real(-3.0, 3.0));
            let off = {
                let size = dice.pick(&[0.02, 0.3, 2.0]);
                vector(dice, size)
            };
            let direction: [f64; 3] = std::array::from_fn(|i| target[i] + off[i] - origin[i]);
            let reach = dice.pick(&[0.7, 2.0, f64::INFINITY]);
            let triangles = case.mesh.mesh().triangles();
            let corners = |triangle: &[u32; 3]| triangle.map(|vertex| all[vertex as usize]);
            let all_hits: Vec<(u32, (f64, f64))> = (0..)
                .zip(triangles)
                .filter_map(|(number, triangle)| Some((number, crossing(&origin, &direction, corners(triangle))?)))
                .collect();
            // Edges and the ends of the ray are a matter of rounding.
            if all_hits.iter().any(|(_, (t, inside))| inside.abs() < 1e-5 || t.abs() < 1e-5 || (t - reach).abs() < 1e-5)
            {
                continue;
            }
            let first = all_hits.iter().filter(|(_, (t, _))| *t <= reach).min_by(|a, b| a.1.0.total_cmp(&b.1.0));
            match (posed.ray(origin, direction, reach), first) {
                (None, None) => misses += 1,
                (Some(found), Some((triangle, (t, _)))) => {
                    assert!((found.distance - t).abs() < 1e-6, "{name}: {found:?}, {t}");
                    let is_alone = all_hits.iter().filter(|(_, (other, _))| (other - t).abs() < 1e-6).count() == 1;
                    assert!(!is_alone || found.triangle == *triangle, "{name}: {found:?}, {triangle}");
                    hits += 1;
                }
                (found, first) => panic!("{name}: {found:?}, {first:?}"),
            }
        }
        assert!(posed.ray([0.0; 3], [0.0; 3], 1.0).is_none());
        assert!(posed.ray([f64::NAN; 3], [1.0; 3], 1.0).is_none() && posed.ray([0.0; 3], [1.0; 3], -1.0).is_none());
    });
    assert!(hits > 100 && misses > 100, "{hits}, {misses}");
}

#[test]
fn boxes_meet_the_boxes_of_all_triangles() {
    let (mut met, mut empty) = (0, 0);
    every_pose(5, |dice, case, posed, all, name| {
        for _ in 0..10 {
            let middle = all[dice.below(all.len())];
            let (off, half) = (dice.real(0.0, 2.0), dice.pick(&[0.0, 0.1, 0.6]));
            let bounds = Aabb { min: middle.map(|x| x + off - half), max: middle.map(|x| x + off + half) };
            let mut found = vec![7];
            posed.triangles_in(&bounds, &mut found);
            let gap = |triangle: &[u32; 3]| {
                let own = Aabb::of_points(&triangle.map(|vertex| all[vertex as usize]));
                (0..3).map(|i| (own.min[i] - bounds.max[i]).max(bounds.min[i] - own.max[i])).fold(f64::MIN, f64::max)
            };
            for (number, triangle) in (0..).zip(case.mesh.mesh().triangles()) {
                let gap = gap(triangle);
                let is_found = found.binary_search(&number).is_ok();
                assert!(gap.abs() < NEAR || is_found == (gap < 0.0), "{name}: triangle {number}, {gap}");
            }
            assert!(found.is_sorted(), "{name}");
            if found.is_empty() { empty += 1 } else { met += found.len() }
        }
    });
    assert!(met > 500 && empty > 50, "{met}, {empty}");
}

/// The distance of a point from a triangle, by its plane, edges and corners.
fn distance(point: &[f64; 3], [a, b, c]: [[f64; 3]; 3]) -> f64 {
    let length = |v: [f64; 3]| dot(&v, &v).sqrt();
    let mut least = f64::INFINITY;
    for (p, q) in [(a, b), (b, c), (c, a)] {
        let edge = minus(&q, &p);
        let s = (dot(&minus(point, &p), &edge) / dot(&edge, &edge)).clamp(0.0, 1.0);
        let foot: [f64; 3] = std::array::from_fn(|i| p[i] + if s.is_nan() { 0.0 } else { s } * edge[i]);
        least = least.min(length(minus(point, &foot)));
    }
    let (e, f) = (minus(&b, &a), minus(&c, &a));
    let normal = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    match crossing(point, &normal, [a, b, c]).or_else(|| crossing(point, &normal.map(|x| -x), [a, b, c])) {
        Some((t, inside)) if inside > 0.0 => least.min(t.abs() * length(normal)),
        _ => least,
    }
}

#[test]
fn nearest_points_are_those_of_all_triangles() {
    let (mut near, mut beyond) = (0, 0);
    every_pose(6, |dice, case, posed, all, name| {
        for _ in 0..6 {
            let start = all[dice.below(all.len())];
            let size = dice.pick(&[0.05, 1.0, 20.0]);
            let off = vector(dice, size);
            let point: [f64; 3] = std::array::from_fn(|i| start[i] + off[i]);
            let corners = |triangle: &[u32; 3]| triangle.map(|vertex| all[vertex as usize]);
            let least =
                case.mesh.mesh().triangles().iter().map(|t| distance(&point, corners(t))).fold(f64::MAX, f64::min);
            let within = dice.pick(&[f64::INFINITY, 0.4]);
            match posed.nearest(point, within) {
                Some(found) => {
                    let tolerance = 1e-6 * (1.0 + least);
                    assert!((found.distance - least).abs() < tolerance, "{name}: {found:?}, {least}");
                    let gap = minus(&found.point, &point);
                    assert!((dot(&gap, &gap).sqrt() - least).abs() < tolerance, "{name}: {found:?}");
                    let own = corners(&case.mesh.mesh().triangles()[found.triangle as usize]);
                    assert!(distance(&found.point, own) < tolerance, "{name}: {found:?} is not on its triangle");
                    near += 1;
                }
                None => {
                    assert!(least > within - 1e-6, "{name}: nothing within {within}, but at {least}");
                    beyond += 1;
                }
            }
        }
        assert!(posed.nearest([f64::NAN; 3], 1.0).is_none());
    });
    assert!(near > 200 && beyond > 50, "{near}, {beyond}");
}

#[test]
fn pairs_are_decided_within_a_budget() {
    let (mut apart, mut touching, mut undecided) = (0, 0, 0);
    for seed in 0..rounds(6) {
        let cases = [case(seed, 150), case(seed + 50, 150)];
        let dice = &mut Dice::new(seed, &[83]);
        let mut poses = [0, 1].map(|i: usize| pose_at(&cases[i].driver, 0.0, [0.0; 3]));
        let mut posed =
            [0, 1].map(|i: usize| PosedBounds::new(&cases[i].tree, &cases[i].mesh, Level::Corner, &poses[i]).unwrap());
        let mut query = PairQuery::default();
        for step in 0..20 {
            let off = dice.pick(&[0.0, 0.4, 1.0, 9.0]);
            for i in 0..2 {
                poses[i] = pose_at(&cases[i].driver, dice.real(0.0, 1.0), [0.0, off * i as f64, 0.0]);
                posed[i].set_pose(&poses[i]).unwrap();
            }
            let all = [0, 1].map(|i: usize| skinned(&cases[i].mesh, &poses[i]));
            let corners = |i: usize, t: &[u32; 3]| t.map(|vertex| all[i][vertex as usize]);
            let triangles = [0, 1].map(|i: usize| cases[i].mesh.mesh().triangles());
            let meets = |p: &[u32; 3], q: &[u32; 3]| {
                let (p, q) = (corners(0, p), corners(1, q));
                let is_near = Aabb::of_points(&p).inflated(NEAR).overlaps(&Aabb::of_points(&q));
                if is_near { meet(p, q) } else { Some(false) }
            };
            let (mut is_touching, mut is_certain) = (false, true);
            for (p, q) in triangles[0].iter().flat_map(|p| triangles[1].iter().map(move |q| (p, q))) {
                match meets(p, q) {
                    Some(met) => is_touching |= met,
                    None => is_certain = false,
                }
            }
            let is_certain = is_touching || is_certain;
            let [a, b] = &mut posed;
            let name = format!("seed {seed}, step {step}");
            match query.decide(a, b, &EveryPair, Budget::steps(3)) {
                Decision::Undecided { pairs } => {
                    assert!(pairs > 0 && query.stats().looked_at == 3, "{name}");
                    undecided += 1;
                }
                Decision::Apart => assert!(!is_touching, "{name}"),
                Decision::Touching { .. } => assert!(is_touching || !is_certain, "{name}"),
            }
            match query.decide(a, b, &EveryPair, Budget::UNLIMITED) {
                Decision::Undecided { .. } => panic!("{name}: no budget, and undecided"),
                Decision::Apart => {
                    assert!(!is_touching, "{name}");
                    apart += 1;
                }
                Decision::Touching { triangles: (p, q) } => {
                    let found = meets(&triangles[0][p as usize], &triangles[1][q as usize]);
                    assert_ne!(found, Some(false), "{name}: {p}, {q}");
                    touching += 1;
                }
            }
        }
    }
    assert!(apart > 20 && touching > 20 && undecided > 20, "{apart}, {touching}, {undecided}");
}
