//! Manifolds: bodies of known depth and normal, and regions against a plain search.

use std::collections::BTreeSet;

use kinetree::geometry::{Manifold, PointKind, Surface, manifolds, measure, touching_pairs};
use kinetree::{BodyDef, Engine, Flightplan, Mesh, World, WorldDef, WorldError};

use crate::dice::Dice;
use crate::oracle::{Point, Triangle, length, minus, to_triangle, winding};

type Shape = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// A closed box, normals outward.
fn cuboid(low: [f32; 3], high: [f32; 3]) -> Shape {
    let corner = |bits: u32| std::array::from_fn(|axis| if bits >> axis & 1 == 1 { high[axis] } else { low[axis] });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    ((0..8).map(corner).collect(), faces.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect())
}

/// A square sheet of cells around the origin, at a height given by place.
fn sheet(cells: u32, size: f32, height: impl Fn(f32, f32) -> f32) -> Shape {
    let place = |i: u32| size * (i as f32 / cells as f32 - 0.5);
    let row = cells + 1;
    let positions = (0..row * row).map(|v| {
        let (x, y) = (place(v % row), place(v / row));
        [x, y, height(x, y)]
    });
    let cell = |c: u32| {
        let p = c / cells * row + c % cells;
        [[p, p + 1, p + row + 1], [p, p + row + 1, p + row]]
    };
    (positions.collect(), (0..cells * cells).flat_map(cell).collect())
}

/// A closed ball of rings.
fn ball(radius: f64, rings: u32, sides: u32) -> Shape {
    let mut positions = vec![[0.0, 0.0, -radius as f32]];
    for ring in 1..rings {
        let up = std::f64::consts::PI * (f64::from(ring) / f64::from(rings) - 0.5);
        positions.extend((0..sides).map(|side| {
            let turn = std::f64::consts::TAU * f64::from(side) / f64::from(sides);
            [up.cos() * turn.cos(), up.cos() * turn.sin(), up.sin()].map(|x| (radius * x) as f32)
        }));
    }
    positions.push([0.0, 0.0, radius as f32]);
    let at = |ring: u32, side: u32| match ring {
        0 => 0,
        ring if ring == rings => 1 + (rings - 1) * sides,
        ring => 1 + (ring - 1) * sides + side % sides,
    };
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let [p, q, r, s] = [at(ring, side), at(ring, side + 1), at(ring + 1, side + 1), at(ring + 1, side)];
            triangles.extend([[p, q, r], [p, r, s]].into_iter().filter(|[p, q, r]| p != q && q != r && r != p));
        }
    }
    (positions, triangles)
}

fn mesh(shape: &Shape) -> Mesh {
    Mesh::new(shape.0.len(), shape.1.clone()).unwrap()
}

fn moved(shape: &Shape, by: Point) -> Vec<Point> {
    shape.0.iter().map(|p| [0, 1, 2].map(|k| f64::from(p[k]) + by[k])).collect()
}

fn surface(shape: &Shape, by: Point) -> Surface {
    Surface::new(&mesh(shape), &moved(shape, by)).unwrap()
}

fn corners(shape: &Shape, by: Point) -> Vec<Triangle> {
    let positions = moved(shape, by);
    shape.1.iter().map(|corners| corners.map(|vertex| positions[vertex as usize])).collect()
}

fn found(a: &Surface, b: &Surface) -> Vec<Manifold> {
    manifolds(a, b, &touching_pairs(a, b)).unwrap()
}

fn near(a: Point, b: Point) -> bool {
    length(minus(a, b)) < 1e-9
}

const UP: Point = [0.0, 0.0, 1.0];
const DOWN: Point = [0.0, 0.0, -1.0];

#[test]
fn a_box_that_sinks_is_pushed_up_in_every_engine() {
    let block = cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 2.0]);
    let slab = cuboid([-4.0, -4.0, -3.0], [4.0, 4.0, 0.0]);
    let field = sheet(5, 8.0, |_, _| 0.0);
    let lower = |p: [f32; 3]| [p[0], p[1], p[2] - 0.5];
    for ground in [&slab, &field] {
        for engine in [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce] {
            let mut world = World::new(WorldDef::new().engine(engine)).unwrap();
            let floor = world.add_body(BodyDef::new(mesh(ground), Flightplan::fixed(ground.0.clone()))).unwrap();
            let keys = block.0.iter().copied().chain(block.0.iter().copied().map(lower)).collect();
            let sinking = Flightplan::keyframes(vec![0.0, 1.0], keys);
            let heavy = world.add_body(BodyDef::new(mesh(&block), sinking)).unwrap();
            for time in [0.125, 0.25, 0.5, 0.75] {
                world.advance_to(time).unwrap();
                let depth = 0.5 * time;
                let [manifold] = &world.pair(heavy, floor).unwrap().manifolds().unwrap()[..] else { panic!() };
                assert!(near(manifold.normal.unwrap(), UP), "{:?}", manifold.normal);
                assert!((manifold.depth() - depth).abs() <= depth / 1024.0, "{} {depth}", manifold.depth());
                let measured = manifold.measure.as_ref().unwrap();
                assert!((measured.length - 4.0).abs() < 1e-9 && (measured.centre[2]).abs() < 1e-9);
                let pairs: Vec<[u32; 2]> =
                    world.contacts().iter().map(|contact| [contact.triangle_a, contact.triangle_b]).collect();
                assert_eq!(manifold.triangles, pairs);
                let surfaces = [world.surface(floor).unwrap(), world.surface(heavy).unwrap()];
                assert_eq!(manifold.measure, measure(&surfaces[0], &surfaces[1], &pairs).unwrap());
                // The four corners below the ground, where it is solid, and where they leave it.
                let deep: Vec<_> = manifold
                    .points
                    .iter()
                    .filter(|point| matches!(point.kind, PointKind::Inside { surface: 1, .. }))
                    .collect();
                assert_eq!(deep.len(), if std::ptr::eq(ground, &slab) { 4 } else { 0 });
                for point in deep {
                    assert!((point.distance + depth).abs() < 1e-9 && near(point.normal.unwrap(), UP));
                    assert!((point.points[0][2]).abs() < 1e-9 && (point.points[1][2] + depth).abs() < 1e-9);
                }
                let on_curve = manifold.points.iter().filter(|point| point.kind == PointKind::Crossing);
                assert!(on_curve.clone().count() >= 8);
                for point in on_curve {
                    assert!(point.points[0] == point.points[1] && point.points[0][2].abs() < 1e-9);
                    assert!(point.distance == 0.0 && near(point.normal.unwrap(), UP));
                }
            }
        }
    }
}

#[test]
fn a_box_that_rests_is_pushed_up_too() {
    let block = cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 2.0]);
    for (ground, area) in [(cuboid([-4.0, -4.0, -3.0], [4.0, 4.0, 0.0]), 1.0), (sheet(5, 8.0, |_, _| 0.0), 1.0)] {
        let [manifold] = &found(&surface(&ground, [0.0; 3]), &surface(&block, [0.0; 3]))[..] else { panic!() };
        assert!(near(manifold.normal.unwrap(), UP), "{:?}", manifold.normal);
        assert!((manifold.measure.as_ref().unwrap().overlap - area).abs() < 1e-9 && manifold.depth() < 1e-9);
        let [turned] = &found(&surface(&block, [0.0; 3]), &surface(&ground, [0.0; 3]))[..] else { panic!() };
        assert!(near(turned.normal.unwrap(), DOWN));
    }
}

#[test]
fn a_table_stands_on_four_manifolds() {
    let mut table: Shape = (Vec::new(), Vec::new());
    let mut add = |(positions, triangles): Shape| {
        let first = table.0.len() as u32;
        table.0.extend(positions);
        table.1.extend(triangles.into_iter().map(|corners| corners.map(|vertex| vertex + first)));
    };
    for (x, y) in [(-2.0, -1.0), (2.0, -1.0), (-2.0, 1.0), (2.0, 1.0)] {
        add(cuboid([x - 0.1, y - 0.1, 0.0], [x + 0.1, y + 0.1, 1.0]));
    }
    add(cuboid([-2.2, -1.2, 0.9], [2.2, 1.2, 1.0]));
    let ground = cuboid([-5.0, -5.0, -2.0], [5.0, 5.0, 0.0]);
    let regions = found(&surface(&table, [0.0, 0.0, -0.25]), &surface(&ground, [0.0; 3]));
    assert_eq!(regions.len(), 4);
    for region in &regions {
        assert!(near(region.normal.unwrap(), DOWN));
        assert!((region.depth() - 0.25).abs() < 1e-3);
        let leg: BTreeSet<u32> = region.triangles.iter().map(|pair| pair[0] / 12).collect();
        assert_eq!(leg.len(), 1);
        assert_eq!(region.points.iter().filter(|point| point.distance < 0.0).count(), 4);
    }
}

#[test]
fn balls_are_pushed_along_the_line_of_their_centres() {
    let mut dice = Dice::new(5, &[]);
    let (first, second) = (ball(1.0, 16, 24), ball(0.7, 12, 18));
    for _ in 0..20 {
        let direction: Point = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        let distance = dice.real(0.9, 1.5);
        let offset = direction.map(|x| x * distance / length(direction));
        let (a, b) = (surface(&first, [0.0; 3]), surface(&second, offset));
        let [region] = &found(&a, &b)[..] else { panic!() };
        assert!(length(minus(region.normal.unwrap(), offset.map(|x| x / distance))) < 0.05);
        assert!((region.depth() - (1.7 - distance)).abs() < 0.05);
        // The other way round the normal is reversed.
        let [turned] = &found(&b, &a)[..] else { panic!() };
        assert!(near(turned.normal.unwrap(), region.normal.unwrap().map(|x| -x)));
    }
}

/// Regions by a search over a graph of pairs of triangles and vertices inside.
fn regions(shapes: [&Shape; 2], by: [Point; 2], pairs: &[[u32; 2]]) -> BTreeSet<BTreeSet<[u32; 2]>> {
    let soup = [0, 1].map(|side| corners(shapes[side], by[side]));
    let is_closed = |shape: &Shape| {
        let edges: Vec<(u32, u32)> = shape.1.iter().flat_map(|&[p, q, r]| [(p, q), (q, r), (r, p)]).collect();
        edges.iter().all(|&(p, q)| edges.contains(&(q, p)))
    };
    let inside = [0, 1].map(|side| -> BTreeSet<u32> {
        let points = moved(shapes[side], by[side]);
        let is_inside = |&v: &u32| winding(points[v as usize], &soup[1 - side]).abs() > 0.5;
        if is_closed(shapes[1 - side]) { (0..points.len() as u32).filter(is_inside).collect() } else { BTreeSet::new() }
    });
    let of = |side: usize, triangle: u32| shapes[side].1[triangle as usize];
    let shares = |side: usize, s: u32, t: u32| of(side, s).iter().any(|v| of(side, t).contains(v));
    let mut left: BTreeSet<[u32; 2]> = pairs.iter().copied().collect();
    let mut regions = BTreeSet::new();
    while let Some(&start) = left.iter().next() {
        let mut region: BTreeSet<[u32; 2]> = [start].into();
        let mut wet: [BTreeSet<u32>; 2] = [BTreeSet::new(), BTreeSet::new()];
        loop {
            let before = (region.len(), wet[0].len(), wet[1].len());
            for side in 0..2 {
                let borders: Vec<[u32; 3]> = region.iter().map(|pair| of(side, pair[side])).collect();
                for &vertex in &inside[side] {
                    let is_near =
                        |corners: &[u32; 3]| corners.contains(&vertex) && corners.iter().any(|v| wet[side].contains(v));
                    if borders.iter().any(|corners| corners.contains(&vertex)) || shapes[side].1.iter().any(is_near) {
                        wet[side].insert(vertex);
                    }
                }
            }
            for &pair in &left {
                let joins = |other: &[u32; 2]| shares(0, pair[0], other[0]) && shares(1, pair[1], other[1]);
                let is_wet = (0..2).any(|side| of(side, pair[side]).iter().any(|v| wet[side].contains(v)));
                if is_wet || region.iter().any(joins) {
                    region.insert(pair);
                }
            }
            if before == (region.len(), wet[0].len(), wet[1].len()) {
                break;
            }
        }
        left.retain(|pair| !region.contains(pair));
        regions.insert(region);
    }
    regions
}

#[test]
fn regions_and_points_are_those_of_a_plain_search() {
    let mut dice = Dice::new(9, &[]);
    // The cloth enters the slab at one side and leaves it at the other: both are one region.
    let (body, slab) = (ball(1.0, 9, 12), cuboid([-2.0, -2.0, -0.2], [2.0, 2.0, 0.2]));
    let (mut most, mut deep) = (0, 0);
    for case in 0..24 {
        let (steep, shift) = (dice.real(0.0, 1.5), dice.real(-0.5, 0.5));
        let cloth = match case % 3 {
            0 => ball(0.9, 7, 9),
            _ => {
                sheet(14, 3.0, |x, y| ((steep * (f64::from(7.0 * x)).sin()) * f64::from(5.0 * y).cos() + shift) as f32)
            }
        };
        let by = [[0.0; 3], std::array::from_fn(|_| dice.real(-0.7, 0.7))];
        let other = if case % 3 == 2 { &slab } else { &body };
        let shapes = if case % 2 == 0 { [&cloth, other] } else { [other, &cloth] };
        let surfaces = [surface(shapes[0], by[0]), surface(shapes[1], by[1])];
        let pairs = touching_pairs(&surfaces[0], &surfaces[1]);
        let found = manifolds(&surfaces[0], &surfaces[1], &pairs).unwrap();
        let expected = regions(shapes, by, &pairs);
        assert!(found.windows(2).all(|two| two[0].triangles[0] < two[1].triangles[0]));
        assert_eq!(found.iter().map(|it| it.triangles.iter().copied().collect()).collect::<BTreeSet<_>>(), expected);
        most = most.max(found.len());
        let mut known = BTreeSet::new();
        for point in found.iter().flat_map(|manifold| &manifold.points) {
            let PointKind::Inside { surface: side, vertex, .. } = point.kind else { continue };
            assert!(known.insert((side, vertex)), "{point:?} twice");
            let at = moved(shapes[side], by[side])[vertex as usize];
            let others = corners(shapes[1 - side], by[1 - side]);
            let depth = others.iter().map(|&corners| to_triangle(at, corners)).fold(f64::INFINITY, f64::min);
            assert!((point.distance + depth).abs() < 1e-9 && point.points[side] == at);
            // Moved by the normal, the point is on the other surface.
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let moved: Point = [0, 1, 2].map(|k| at[k] + sign * point.distance * point.normal.unwrap()[k]);
            assert!(near(moved, point.points[1 - side]));
            assert!(to_triangle(moved, others[point.triangles[1 - side] as usize]) < 1e-9);
            deep += 1;
        }
    }
    assert!(most > 3 && deep > 300, "{most} {deep}");
}

#[test]
fn contact_from_a_distance_gives_nearest_points() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let triangle = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let mut world = World::new(WorldDef::new()).unwrap();
    let low = world.add_body(BodyDef::new(triangle(), Flightplan::fixed(corners.to_vec())).thickness(0.5)).unwrap();
    let raised = corners.map(|[x, y, _]| [x, y, 0.125]).to_vec();
    let high = world.add_body(BodyDef::new(triangle(), Flightplan::fixed(raised))).unwrap();
    let [region] = &world.pair(low, high).unwrap().manifolds().unwrap()[..] else { panic!() };
    assert_eq!((region.normal, &region.measure, region.depth()), (Some(UP), &None, 0.0));
    let [point] = region.points[..] else { panic!() };
    assert_eq!((point.kind, point.distance, point.normal), (PointKind::Near, 0.125, Some(UP)));
    assert_eq!(world.pair(low, low).unwrap().manifolds().unwrap(), []);
    let spheres = kinetree::Spheres::new(1).unwrap();
    let keys = vec![kinetree::Sphere { centre: [0.0; 3], radius: 1.0 }];
    let spheres = BodyDef::new(spheres, Flightplan::spheres(vec![0.0], keys)).named("ball");
    let round = world.add_body(spheres).unwrap();
    let refused = world.pair(low, round).unwrap().manifolds().unwrap_err();
    assert!(matches!(&refused, WorldError::NoSurface { body } if body == "ball"), "{refused}");
    assert!(manifolds(&world.surface(low).unwrap(), &world.surface(high).unwrap(), &[[0, 1]]).is_err());
}

#[test]
fn a_surface_that_crosses_itself_has_manifolds_without_depth() {
    // Two strips of one body that cross at a right angle, twice.
    let mut shape = cuboid([-2.0, -0.1, -0.1], [2.0, 0.1, 0.1]);
    for (x, first) in [(-1.0, 8), (1.0, 16)] {
        let (positions, triangles) = cuboid([x - 0.05, -1.0, -0.05], [x + 0.05, 1.0, 0.05]);
        shape.0.extend(positions);
        shape.1.extend(triangles.into_iter().map(|corners| corners.map(|vertex| vertex + first)));
    }
    let mut world = World::new(WorldDef::new()).unwrap();
    let body = BodyDef::new(mesh(&shape), Flightplan::fixed(shape.0.clone())).self_contact(true);
    let body = world.add_body(body).unwrap();
    let regions = world.pair(body, body).unwrap().manifolds().unwrap();
    assert_eq!(regions.len(), 4);
    assert!(regions.iter().all(|region| region.depth() == 0.0 && region.normal.is_some()));
    let pairs: usize = regions.iter().map(|region| region.triangles.len()).sum();
    assert_eq!(pairs, world.contacts().len());
}
