//! Spatial queries against loops over all triangles.

use kinetree::{Aabb, BodyDef, BodyId, ContactMode, Engine, Filter, Flightplan, Mesh, Outside, Span, World, WorldDef};

use crate::dice::Dice;
use crate::oracle::{Point, Triangle, along, cross, dot, gap_to_box, length, minus, to_triangle};
use crate::scene::{ENGINES, world};

/// Bodies with their triangles at a time.
pub(crate) type Soup = Vec<(BodyId, u32, Triangle)>;

fn triangles(world: &World, ids: &[BodyId]) -> Soup {
    let mut all = Vec::new();
    for &id in ids {
        let positions = world.positions(id).unwrap();
        for (number, corners) in world.mesh(id).unwrap().triangles().iter().enumerate() {
            all.push((id, number as u32, corners.map(|vertex| positions[vertex as usize])));
        }
    }
    all
}

pub(crate) fn point(dice: &mut Dice, range: f64) -> Point {
    std::array::from_fn(|_| dice.real(-range, range))
}

fn close(a: Point, b: Point) -> bool {
    length(minus(a, b)) < 1e-9
}

/// Weights that are no weights, or do not give the point, fail.
fn check_weights(weights: [f64; 3], corners: Triangle, point: Point) {
    assert!(weights.iter().all(|&weight| weight >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let blend = (0..3).fold([0.0; 3], |sum, k| along(sum, corners[k], weights[k]));
    assert!(close(blend, point), "{weights:?} of {corners:?} give {blend:?}, not {point:?}");
}

/// The bodies, and the query for them, at a time of the world's motion, by every way there is.
pub(crate) fn each_case(mut check: impl FnMut(&kinetree::Query<'_>, &Soup, &mut Dice)) {
    for (number, engine) in ENGINES.into_iter().enumerate() {
        for mode in [ContactMode::AtTimes, ContactMode::Continuous] {
            if mode == ContactMode::Continuous && !matches!(engine, Engine::Auto | Engine::Kinetic) {
                continue;
            }
            let (mut player, ids) = world(engine, mode, 40 + number as u64, 5);
            let mut dice = Dice::new(number as u64, &[7]);
            for clock in [0.0, 0.4, 1.3, 2.0] {
                player.advance_to(clock).unwrap();
                for time in [clock, 0.0, 0.7, 1.5, 1.9] {
                    let (mut there, _) = world(Engine::BruteForce, ContactMode::AtTimes, 40 + number as u64, 5);
                    there.advance_to(time).unwrap();
                    let query = player.query().at(time).unwrap();
                    check(&query, &triangles(&there, &ids), &mut dice);
                    let query = player.query().ignoring(&ids[1..3]).at(time).unwrap();
                    check(&query, &triangles(&there, &[ids[0], ids[3], ids[4]]), &mut dice);
                }
            }
        }
    }
}

#[test]
fn nearest_points_are_those_of_all_triangles() {
    let mut found_some = [0; 2];
    each_case(|query, soup, dice| {
        for _ in 0..12 {
            let from = point(dice, 3.0);
            let reach = if dice.percent(50) { f64::INFINITY } else { dice.real(0.0, 1.0) };
            let expected = soup.iter().map(|it| to_triangle(from, it.2)).fold(f64::INFINITY, f64::min);
            let found = query.nearest_point(from, reach);
            found_some[usize::from(found.is_some())] += 1;
            let Some(found) = found else {
                assert!(expected > reach - 1e-9, "{expected} {reach}");
                continue;
            };
            assert!((found.distance - expected).abs() < 1e-9 && expected <= reach + 1e-9, "{found:?}: {expected}");
            let corners = soup.iter().find(|it| (it.0, it.1) == (found.body, found.triangle)).unwrap().2;
            assert!((to_triangle(from, corners) - expected).abs() < 1e-9);
            assert!((length(minus(from, found.point)) - found.distance).abs() < 1e-9);
            check_weights(found.barycentric, corners, found.point);
            let normal = found.normal.unwrap();
            assert!(close(along(found.point, normal, found.distance), from) && (length(normal) - 1.0).abs() < 1e-12);
        }
    });
    assert!(found_some[0] > 300 && found_some[1] > 300, "{found_some:?}");
}

#[test]
fn overlaps_are_those_of_all_triangles() {
    let mut count = [0; 3];
    each_case(|query, soup, dice| {
        for _ in 0..6 {
            let (centre, radius) = (point(dice, 2.5), dice.real(0.0, 1.0));
            let found = query.overlap_sphere(centre, radius);
            assert!(found.is_sorted());
            for &(body, triangle, corners) in soup {
                let distance = to_triangle(centre, corners);
                let is_found = found.contains(&(body, triangle));
                assert!(is_found == (distance <= radius) || (distance - radius).abs() < 1e-9);
            }
            count[0] += found.len();
            let half = point(dice, 0.9).map(f64::abs);
            let bounds = Aabb { min: minus(centre, half), max: along(centre, half, 1.0) };
            let found = query.overlap_box(&bounds);
            assert!(found.is_sorted());
            for &(body, triangle, corners) in soup {
                let gap = gap_to_box(corners, bounds.min, bounds.max);
                assert!(
                    found.contains(&(body, triangle)) == (gap <= 0.0) || gap.abs() < 1e-9,
                    "{corners:?} {bounds:?}"
                );
            }
            count[1] += found.len();
            let probe = [point(dice, 2.5), point(dice, 2.5), point(dice, 2.5)];
            let expected: Vec<(BodyId, u32)> = soup
                .iter()
                .filter(|it| kinetree::narrow::triangles_touch(&probe, &it.2))
                .map(|it| (it.0, it.1))
                .collect();
            assert_eq!(query.overlap_triangle(&probe), expected);
            count[2] += expected.len();
        }
    });
    assert!(count.iter().all(|&count| count > 400), "{count:?}");
}

#[test]
fn rays_meet_the_first_of_all_triangles() {
    let mut count = [0; 2];
    each_case(|query, soup, dice| {
        for _ in 0..12 {
            let (from, reach) = (point(dice, 3.0), dice.real(0.2, 2.0));
            // Half of them towards a triangle.
            let aim = dice.pick(soup).2;
            let middle = along(along(aim[0], aim[1], 1.0), aim[2], 1.0).map(|x| x / 3.0);
            let direction = if dice.percent(50) { point(dice, 1.0) } else { minus(middle, from) };
            let hits = soup.iter().filter_map(|it| {
                let distance = kinetree::narrow::ray_hits_triangle(from, direction, reach, &it.2)?;
                Some((distance, it.0, it.1))
            });
            let expected = hits.min_by(|x, y| x.partial_cmp(y).unwrap());
            let found = query.cast_ray(from, direction, reach);
            assert_eq!(found.map(|hit| (hit.distance, hit.body, hit.triangle)), expected);
            count[usize::from(found.is_some())] += 1;
            let Some(found) = found else { continue };
            let corners = soup.iter().find(|it| (it.0, it.1) == (found.body, found.triangle)).unwrap().2;
            assert!(close(found.point, along(from, direction, found.distance)));
            check_weights(found.barycentric, corners, found.point);
            let normal = found.normal.unwrap();
            let plane = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
            assert!(dot(normal, direction) <= 0.0 && length(cross(normal, plane)) < 1e-9 * length(plane));
        }
    });
    assert!(count[0] > 300 && count[1] > 200, "{count:?}");
}

#[test]
fn rays_without_a_usable_direction_meet_nothing() {
    each_case(|query, soup, dice| {
        let aim = dice.pick(soup).2;
        for scale in [0.0, 1e-200, 5e-324, 1e200, f64::INFINITY, f64::NAN] {
            let from = along(aim[0], [0.0, 0.0, 1.0], 1.0);
            assert_eq!(query.cast_ray(from, [0.0, 0.0, -scale], 1e300), None, "{scale}");
        }
    });
}

/// When a point that moves comes within a radius of a triangle: the distance is a convex function of time.
fn enters(from: Point, direction: Point, reach: f64, radius: f64, corners: Triangle) -> Option<f64> {
    let distance = |time: f64| to_triangle(along(from, direction, time), corners);
    let (mut low, mut high) = (0.0, reach);
    for _ in 0..100 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(a) < distance(b) { high = b } else { low = a }
    }
    let nearest = 0.5 * (low + high);
    if distance(0.0) <= radius {
        return Some(0.0);
    }
    if distance(nearest) > radius {
        return None;
    }
    let (mut outside, mut inside) = (0.0, nearest);
    for _ in 0..100 {
        let middle = 0.5 * (outside + inside);
        if distance(middle) > radius { outside = middle } else { inside = middle }
    }
    Some(inside)
}

#[test]
fn moving_spheres_meet_the_first_of_all_triangles() {
    let mut count = [0; 3];
    each_case(|query, soup, dice| {
        for _ in 0..4 {
            let from = point(dice, 3.0);
            let direction = minus(dice.pick(soup).2[0], from);
            let (reach, radius) = (dice.real(0.1, 2.0), dice.real(0.01, 0.6));
            let first = |radius: f64| {
                soup.iter().filter_map(|it| enters(from, direction, reach, radius, it.2)).reduce(f64::min)
            };
            let found = query.cast_sphere(from, radius, direction, reach);
            let (early, late) = (first(radius + 1e-9), first(radius - 1e-9));
            let Some(found) = found else {
                assert_eq!(late, None, "missed");
                count[0] += 1;
                continue;
            };
            let (early, late) = (early.expect("a hit of nothing"), late.unwrap_or(f64::INFINITY));
            assert!(early <= found.distance + 1e-9 && found.distance <= late + 1e-9, "{early} {found:?} {late}");
            let centre = along(from, direction, found.distance);
            let corners = soup.iter().find(|it| (it.0, it.1) == (found.body, found.triangle)).unwrap().2;
            check_weights(found.barycentric, corners, found.point);
            if found.distance > 0.0 {
                assert!((length(minus(centre, found.point)) - radius).abs() < 1e-8, "{found:?}");
                assert!(close(along(found.point, found.normal.unwrap(), radius), centre) || radius < 1e-3);
            }
            count[1 + usize::from(found.distance > 0.0)] += 1;
        }
    });
    assert!(count.iter().all(|&count| count > 50), "{count:?}");
}

#[test]
fn filters_and_times_that_are_not_known() {
    let (mut world, ids) = world(Engine::Auto, ContactMode::AtTimes, 3, 4);
    world.set_filter(ids[2], Filter::new(4, u64::MAX)).unwrap();
    let query = world.query().filter(Filter::new(1, 4));
    assert_eq!(query.nearest_point([0.0; 3], f64::INFINITY).unwrap().body, ids[2]);
    assert!(world.query().filter(Filter::new(1, 8)).nearest_point([0.0; 3], f64::INFINITY).is_none());
    assert!(world.query().ignoring(&ids).nearest_point([0.0; 3], f64::INFINITY).is_none());
    for time in [f64::NAN, f64::INFINITY] {
        assert!(matches!(world.query().at(time), Err(kinetree::WorldError::BadTime { .. })));
    }
    let mut def = crate::scene::body(&mut Dice::new(1, &[]), 2, 1.0).named("strict");
    def.motion = def.motion.outside(kinetree::Outside::Error);
    let strict = world.add_body(def).unwrap();
    assert!(world.query().at(2.0).is_ok());
    let Err(kinetree::WorldError::OutsideSpan { body, time, .. }) = world.query().at(2.5) else { panic!() };
    assert_eq!((body.as_str(), time), ("strict", 2.5));
    assert!(world.query().ignoring(&[strict]).at(2.5).is_ok());
    let far = [f64::MAX, 0.0, 0.0];
    for bad in [far, [f64::NAN; 3]] {
        assert!(world.query().nearest_point(bad, f64::INFINITY).is_none());
        assert!(
            world.query().overlap_sphere(bad, 1.0).is_empty() && world.query().overlap_triangle(&[bad; 3]).is_empty()
        );
        assert!(world.query().cast_sphere(bad, 1.0, [1.0; 3], 1.0).is_none());
        assert!(world.query().overlap_box(&Aabb { min: bad, max: [0.0; 3] }).is_empty());
    }
    assert!(world.query().overlap_box(&Aabb { min: [5.0; 3], max: [-5.0; 3] }).is_empty());
    for radius in [-1.0, f64::NAN] {
        assert!(world.query().overlap_sphere([0.0; 3], radius).is_empty());
        assert!(world.query().cast_sphere([0.0; 3], radius, [1.0; 3], 1.0).is_none());
    }
}

fn level(x: f32) -> BodyDef {
    let places = vec![[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(places))
}

/// At another time, bodies are found by their own numbers, whichever are left out before them.
#[test]
fn a_body_behind_one_that_is_left_out_is_where_it_is() {
    for engine in ENGINES {
        let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
        let [first, second, third] = [-50.0, 0.0, 50.0].map(|x| world.add_body(level(x)).unwrap());
        let query = world.query().ignoring(&[first]).at(1.0).unwrap();
        let below = |x: f64| query.cast_ray([x, 0.25, 3.0], [0.0, 0.0, -1.0], 10.0).map(|hit| (hit.body, hit.distance));
        assert_eq!([-49.75, 0.25, 50.25].map(below), [None, Some((second, 3.0)), Some((third, 3.0))], "{engine:?}");
    }
}

/// A moving sphere that meets a triangle exactly at the end of its reach meets it.
#[test]
fn the_end_of_a_reach_is_within_it() {
    let mut world = World::new(WorldDef::new()).unwrap();
    world.add_body(level(0.0)).unwrap();
    let meets = |reach: f64| world.query().cast_sphere([0.25, 0.25, 2.0], 0.5, [0.0, 0.0, -1.0], reach);
    assert_eq!(meets(1.5).map(|hit| hit.distance), Some(1.5));
    assert!(meets(1.25).is_none());
}

/// A triangle whose box holds the box, with its sides exchanged.
#[test]
fn a_box_without_points_overlaps_nothing() {
    let world = alone([[-4.0, -4.0, -1.0], [4.0, -4.0, 1.0], [0.0, 4.0, 0.0]]);
    let (low, high) = ([-0.25; 3], [0.25; 3]);
    assert_eq!(world.query().overlap_box(&Aabb { min: low, max: high }).len(), 1);
    for axis in 0..3 {
        let (mut min, mut max) = (low, high);
        (min[axis], max[axis]) = (high[axis], low[axis]);
        assert!(world.query().overlap_box(&Aabb { min, max }).is_empty(), "{axis}");
    }
}

#[test]
fn the_largest_coordinate_can_be_asked_about() {
    let world = alone([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let most = kinetree::limits::MAX_COORDINATE;
    assert!(world.query().nearest_point([most, 0.0, 0.0], f64::INFINITY).is_some());
    assert!(world.query().nearest_point([most.next_up(), 0.0, 0.0], f64::INFINITY).is_none());
}

/// The distance of the box of a triangle is as large as the reach, or as the distance of the nearest triangle so far.
#[test]
fn the_nearest_point_at_the_end_of_a_reach_is_found() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let first = world.add_body(level(0.0)).unwrap();
    let second = world.add_body(level(0.0)).unwrap();
    // At another time boxes are as small as can be.
    for query in [world.query(), world.query().at(1.0).unwrap()] {
        let near = |reach: f64| query.nearest_point([0.25, 0.25, 0.125], reach).map(|near| (near.body, near.distance));
        assert_eq!(near(0.125), Some((first, 0.125)));
        assert_eq!(near(0.125_f64.next_down()), None);
        let query = query.clone().ignoring(&[first]);
        assert_eq!(query.nearest_point([0.25, 0.25, 0.125], 0.125).map(|near| near.body), Some(second));
    }
}

/// A world with one triangle.
fn alone(corners: Triangle) -> World {
    let mut world = World::new(WorldDef::new()).unwrap();
    let places = corners.map(|corner| corner.map(|x| x as f32)).to_vec();
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(places))).unwrap();
    world
}

/// Spheres that pass an edge at about their radius are apart from it, or overlap it, by 2⁻⁴⁰ at most.
#[test]
fn spheres_that_graze_an_edge() {
    let mut dice = Dice::new(11, &[]);
    let mut count = [0; 2];
    for case in 0..4_000 {
        let radius = [0.0, 1e-9, 1e-6, 1e-4, 0.01, 0.1][case % 6];
        let corners: Triangle = std::array::from_fn(|_| point(&mut dice, 1.0).map(|x| f64::from(x as f32)));
        let [p, q, r] = corners;
        let (from, edge) = (point(&mut dice, 1.0), along(p, minus(q, p), dice.real(0.0, 1.0)));
        let outward = cross(minus(q, p), minus(edge, from));
        let outward = outward.map(|x| x / length(outward) * if dot(outward, minus(r, p)) > 0.0 { -1.0 } else { 1.0 });
        let past = 10_f64.powf(dice.real(-16.0, -1.0)) * if dice.percent(50) { 1.0 } else { -radius };
        let direction = minus(along(edge, outward, radius + past), from);
        let world = alone(corners);
        let missed = (0..=64).map(|step| to_triangle(along(from, direction, f64::from(step) / 32.0), corners));
        match world.query().cast_sphere(from, radius, direction, 2.0) {
            None => {
                assert!(missed.fold(f64::INFINITY, f64::min) > radius, "{corners:?} {from:?} {direction:?} {radius}");
            }
            Some(hit) if hit.distance > 0.0 => {
                let apart = to_triangle(along(from, direction, hit.distance), corners) - radius;
                assert!(
                    apart.abs() < 0.5_f64.powi(40),
                    "{apart} at {hit:?} of {corners:?} {from:?} {direction:?} {radius}"
                );
            }
            Some(_) => {}
        }
        count[usize::from(world.query().cast_sphere(from, radius, direction, 2.0).is_some())] += 1;
    }
    assert!(count.iter().all(|&count| count > 500), "{count:?}");
}

/// However thin a sphere is, it does not pass between two triangles at their common edge; nor does one that begins on a face.
#[test]
fn thin_spheres_and_spheres_that_begin_in_touch() {
    let mut dice = Dice::new(12, &[]);
    for case in 0..2_000 {
        let radius = [0.0, 1e-300, 1e-17, 1e-12, 0.3][case % 5];
        let corners: [Point; 4] = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]];
        let [turn, lift] = [point(&mut dice, 1.0), point(&mut dice, 0.2)];
        let length_of_turn = length(turn);
        let axis = turn.map(|x| x / length_of_turn);
        // Half a turn about the axis.
        let place = |corner: Point| minus(along([0.0; 3], axis, 2.0 * dot(axis, corner)), corner);
        let corners = corners.map(|corner| along(place(corner), lift, 1.0).map(|x| f64::from(x as f32)));
        let [p, q, r, s] = corners;
        let mut world = World::new(WorldDef::new()).unwrap();
        let places = corners.map(|corner| corner.map(|x| x as f32)).to_vec();
        let mesh = Mesh::new(4, vec![[0, 1, 2], [1, 0, 3]]).unwrap();
        world.add_body(BodyDef::new(mesh, Flightplan::fixed(places))).unwrap();
        let edge = along(p, minus(q, p), dice.real(0.05, 0.95));
        let from = along(along(edge, place([0.0, 0.0, 1.0]), dice.real(0.5, 2.0)), minus(r, s), dice.real(-0.3, 0.3));
        assert!(
            world.query().cast_sphere(from, radius, minus(edge, from), 2.0).is_some(),
            "{corners:?} {from:?} {radius}"
        );
        let normal = cross(minus(q, p), minus(r, p));
        let normal = normal.map(|x| x / length(normal));
        let face = along(along(p, minus(q, p), 0.4), minus(r, p), 0.3);
        // A thinner one could begin on the other side.
        for nudge in [-1.0, 0.0, 1.0, 2.0].into_iter().filter(|_| radius > 0.1) {
            let from = along(face, normal, radius + nudge * f64::EPSILON);
            let hit = world.query().cast_sphere(from, radius, normal.map(|x| -x), 5.0);
            assert!(hit.is_some_and(|hit| hit.distance < 1e-12), "{corners:?} {from:?}");
        }
    }
}

#[test]
fn a_filter_after_at_does_not_pass_the_end_of_a_motion() {
    let floor = vec![[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
    let mut world = World::new(WorldDef::new()).unwrap();
    let ends = Flightplan::velocities_until(Span { begin: 0.0, end: 1.0 }, floor, vec![[0.0; 3]; 3]);
    let def = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), ends.outside(Outside::Error));
    world.add_body(def.filter(Filter::new(1, 1))).unwrap();
    assert!(world.query().at(5.0).is_err());
    let ray = ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], 9.0);
    let cast = |query: kinetree::Query<'_>| query.cast_ray(ray.0, ray.1, ray.2).is_some();
    assert!(cast(world.query().at(0.5).unwrap().filter(Filter::new(1, 1))));
    assert!(!cast(world.query().filter(Filter::new(2, 2)).at(5.0).unwrap().filter(Filter::new(1, 1))));
    // From beyond the range of coordinates nothing is found.
    assert!(world.query().cast_ray([0.0, 0.0, 1e40], [0.0, 0.0, -1.0], f64::INFINITY).is_none());
}

#[test]
fn bounds_do_not_hold_removed_vertices() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let places = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [99.0, 0.0, 0.0]];
    let two = Mesh::new(4, vec![[0, 1, 2], [1, 3, 2]]).unwrap();
    let id = world.add_body(BodyDef::new(two, Flightplan::fixed(places))).unwrap();
    let mut edit = world.begin_edit(id).unwrap();
    edit.remove_triangle(1);
    edit.remove_vertex(3);
    world.apply_edit(edit).unwrap();
    assert_eq!(world.body(id).unwrap().bounds().unwrap().max[0], 1.0);
}
