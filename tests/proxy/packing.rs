//! Distance fields and sphere packings, against distances computed another way.

use crate::bodies::{solid, triangles};
use crate::data::shared;
use kinetree::proxy::{DistanceField, Faults, Packing, PackingDef, PackingEnd, ProxyError, Resolution, Solid};
use kinetree::scenes::{shapes, wrecks};

/// Packs, audits, and compares with the oracle.
fn packed(name: &str, solid: &Solid, cells: u32, def: PackingDef) -> Packing {
    let field = DistanceField::new(solid, Resolution::CellsAlongLongest(cells)).unwrap();
    let packing = def.pack(&field).unwrap();
    assert_eq!(packing.audit(solid, &def), [], "{name}");
    let triangles = triangles(solid);
    let mut deepest = f64::INFINITY;
    for (index, sphere) in packing.spheres().iter().enumerate() {
        assert!(crate::oracle::is_inside(sphere.centre, &triangles), "{name}: sphere {index} outside");
        assert!(
            !crate::oracle::ball_crosses(sphere.centre, sphere.radius, &triangles),
            "{name}: sphere {index} crosses"
        );
        // It is as large as the rule says, no deeper than those before it, and none of them holds its centre.
        let depth = crate::oracle::distance(sphere.centre, &triangles);
        assert!(sphere.radius > depth.min(def.r_max) - 1e-9, "{name}: sphere {index} is too small");
        assert!(depth < deepest + 1e-9, "{name}: sphere {index} is deeper than the one before");
        deepest = depth;
        for (earlier, other) in packing.spheres()[..index].iter().enumerate() {
            let away = (0..3).map(|k| (sphere.centre[k] - other.centre[k]).powi(2)).sum::<f64>().sqrt();
            assert!(away > other.radius, "{name}: the centre of sphere {index} lies in sphere {earlier}");
        }
    }
    is_complete(name, &field, &packing, def);
    println!("{name}: {} spheres, {:?}", packing.spheres().len(), packing.end());
    packing
}

/// Whatever could have been a centre lies in a sphere: nodes as deep as the smallest radius, or deeper than the last sphere where their
/// number ended the packing.
fn is_complete(name: &str, field: &DistanceField, packing: &Packing, def: PackingDef) {
    let last = packing.depths()[packing.depths().len() - 1];
    for (index, &value) in field.values().iter().enumerate() {
        let is_centre = match packing.end() {
            PackingEnd::RadiusReached => value < 0.0 && (-value).min(def.r_max) >= def.r_min,
            PackingEnd::CountReached => -value > last,
        };
        let point = field.grid().position(index);
        let is_in = packing.spheres().iter().any(|sphere| {
            let squared: f64 = (0..3).map(|k| (point[k] - sphere.centre[k]) * (point[k] - sphere.centre[k])).sum();
            squared <= sphere.radius * sphere.radius * (1.0 + 1e-9)
        });
        assert!(!is_centre || is_in, "{name}: {point:?}, {} m deep, is left out", -value);
    }
}

/// A vertex is as far from the spheres as the corner it sits in is sharp, and no farther: within reach of the smallest sphere that was
/// packed. The car's rest error is that of its edges and corners.
#[test]
fn what_is_left_in_corners_is_bounded_by_the_smallest_radius() {
    let cube = solid(&shapes::cuboid(300, [1.0; 3]));
    let field = DistanceField::new(&cube, Resolution::CellsAlongLongest(50)).unwrap();
    for r_min in [0.3, 0.15, 0.08] {
        let packing = def(r_min, 0.5).pack(&field).unwrap();
        let corners: Vec<[f64; 3]> = (0..8u8).map(|i| [0, 1, 2].map(|k| f64::from(i >> k & 1) * 2.0 - 1.0)).collect();
        // The node at (r, r, r) from the corner, a cell farther in at most, lies in a sphere.
        let bound = 3f64.sqrt() * (r_min + field.grid().cell());
        for distance in kinetree::proxy::signed_distances(&corners, packing.spheres()) {
            assert!(distance > 0.7 * (3f64.sqrt() - 1.0) * r_min && distance <= bound, "{distance} for {r_min}");
        }
    }
    // On the car: what is farther from the spheres than their smallest radius sits on a sharp edge or in a corner, where the surface
    // turns by a quarter of a right angle or more within that radius.
    let mesh = wrecks::car();
    let car = solid(&mesh);
    let field = DistanceField::new(&car, Resolution::CellsAlongLongest(96)).unwrap();
    for count in [320, 114, 66] {
        let packing = PackingDef { max_count: count, ..def(0.0, 0.5) }.pack(&field).unwrap();
        is_complete("car", &field, &packing, def(0.0, 0.5));
        let smallest = packing.depths()[count - 1];
        let vertices: Vec<[f64; 3]> = mesh.positions.iter().map(|position| position.map(f64::from)).collect();
        let (mut far, mut worst) = (0, 0.0f64);
        for (vertex, distance) in kinetree::proxy::signed_distances(&vertices, packing.spheres()).iter().enumerate() {
            worst = worst.max(*distance);
            if *distance <= smallest + field.grid().cell() {
                continue;
            }
            far += 1;
            let normals: Vec<nalgebra::Vector3<f64>> = mesh
                .triangles
                .iter()
                .filter(|corners| corners.contains(&(vertex as u32)))
                .map(|corners| {
                    let [a, b, c] = corners.map(|corner| nalgebra::Vector3::from(vertices[corner as usize]));
                    (b - a).cross(&(c - a)).normalize()
                })
                .collect();
            let flattest =
                normals.iter().flat_map(|one| normals.iter().map(move |other| one.dot(other))).fold(1.0, f64::min);
            assert!(flattest < libm::cos(std::f64::consts::FRAC_PI_8), "{count}: vertex {vertex}, {distance} m");
        }
        println!(
            "{count} spheres: smallest radius {smallest:.3} m, {far} vertices beyond it, the worst at {worst:.3} m"
        );
        assert!(worst < 2.0 * (smallest + field.grid().cell()), "{count}: {worst} m");
    }
}

fn def(r_min: f64, r_max: f64) -> PackingDef {
    PackingDef { r_min, r_max, max_count: usize::MAX }
}

#[test]
fn a_sphere_is_packed_with_itself_first() {
    let packing = packed("sphere", &solid(&shapes::icosphere(1_280, 1.0)), 32, def(0.1, f64::INFINITY));
    assert!(packing.spheres()[0].centre.iter().all(|x| x.abs() < 1e-6));
    assert!(packing.spheres()[0].radius > 0.98);
    // What is left is a shell thinner than the smallest radius.
    assert!(packing.spheres().len() < 5);
}

#[test]
fn a_cube_is_packed_into_its_corners() {
    let cube = solid(&shapes::cuboid(300, [1.0; 3]));
    let packing = packed("cube", &cube, 40, def(0.08, f64::INFINITY));
    assert!((packing.spheres()[0].radius - 1.0).abs() < 1e-9);
    let corners = packing.spheres().iter().filter(|sphere| sphere.centre.iter().all(|x| x.abs() > 0.7)).count();
    assert!(corners >= 8, "{corners} spheres in the corners");
    // A cube has no preferred side: symmetric radii come in runs.
    let small = packed("cube, small spheres", &cube, 40, def(0.08, 0.25));
    assert!(small.spheres().len() > packing.spheres().len());
}

#[test]
fn a_car_and_a_barrel_are_packed() {
    let car = packed("car", &solid(&wrecks::car()), 64, def(0.09, 0.35));
    assert!(car.spheres().len() > 60);
    let barrel = packed("barrel", &solid(&wrecks::barrel()), 40, def(0.03, 0.2));
    assert!(barrel.spheres().len() > 20);
}

#[test]
fn spot_is_packed() {
    let Some(path) = shared("static/spot.obj") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let numbers = |line: &str| line.split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let positions: Vec<[f64; 3]> = text
        .lines()
        .filter(|line| line.starts_with("v "))
        .map(|line| numbers(line).iter().map(|x| x.parse().unwrap()).collect::<Vec<f64>>().try_into().unwrap())
        .collect();
    let corner = |name: &String| name.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
    let faces: Vec<[u32; 3]> = text
        .lines()
        .filter(|line| line.starts_with("f "))
        .map(|line| numbers(line).iter().map(corner).collect::<Vec<u32>>().try_into().unwrap())
        .collect();
    let mesh = kinetree::mesh::Mesh::new(positions.len(), faces).unwrap();
    let (spot, _) = Solid::new(&mesh, &positions, Faults::Refuse).unwrap();
    let packing = packed("spot", &spot, 40, def(0.04, 0.3));
    assert!(packing.spheres().len() > 30);
}

#[test]
fn fields_agree_with_the_oracle() {
    for mesh in [wrecks::car(), wrecks::barrel(), shapes::torus(200, 1.0, 0.4)] {
        let solid = solid(&mesh);
        let field = DistanceField::new(&solid, Resolution::CellsAlongLongest(12)).unwrap();
        let triangles = triangles(&solid);
        let (mut inside, mut outside) = (0, 0);
        for (index, &value) in field.values().iter().enumerate().step_by(3) {
            let point = field.grid().position(index);
            let distance = crate::oracle::distance(point, &triangles);
            assert!((value.abs() - distance).abs() < 1e-9, "{}: {value} and {distance}", mesh.name);
            if distance > 1e-6 {
                assert_eq!(value < 0.0, crate::oracle::is_inside(point, &triangles), "{} at {point:?}", mesh.name);
                *(if value < 0.0 { &mut inside } else { &mut outside }) += 1;
            }
        }
        assert!(inside > 10 && outside > 10, "{}: {inside} inside, {outside} outside", mesh.name);
    }
}

#[test]
fn the_most_spheres_are_the_first_ones() {
    let barrel = solid(&wrecks::barrel());
    let all = packed("barrel", &barrel, 24, def(0.03, 0.15));
    let few = packed("barrel, 10", &barrel, 24, PackingDef { max_count: 10, ..def(0.03, 0.15) });
    assert_eq!(few.spheres(), &all.spheres()[..10]);
    assert_eq!((few.end(), all.end()), (PackingEnd::CountReached, PackingEnd::RadiusReached));
}

#[test]
fn what_cannot_be_packed_is_refused() {
    let barrel = solid(&wrecks::barrel());
    let bounds = barrel.bounds();
    let field = DistanceField::new(&barrel, Resolution::CellSize(0.1)).unwrap();
    assert_eq!(Resolution::CellSize(0.1).bytes(&bounds).unwrap(), 8 * field.values().len() as u64);
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = DistanceField::new(&barrel, Resolution::CellSize(bad)).unwrap_err();
        assert!(matches!(error, ProxyError::Resolution { .. }), "{error}");
    }
    for fine in [Resolution::CellSize(1e-4), Resolution::CellSize(1e-300), Resolution::CellsAlongLongest(1 << 31)] {
        let error = DistanceField::new(&barrel, fine).unwrap_err();
        assert!(matches!(error, ProxyError::FieldTooLarge { .. }), "{error}");
    }
    for (r_min, r_max) in [(0.2, 0.1), (-0.1, 0.1), (0.0, 0.0), (f64::NAN, 0.1), (0.1, f64::NAN)] {
        let error = def(r_min, r_max).pack(&field).unwrap_err();
        assert!(matches!(error, ProxyError::Radii { .. }), "{error}");
    }
    let none = PackingDef { max_count: 0, ..def(0.1, 0.2) };
    assert_eq!(none.pack(&field).unwrap_err(), ProxyError::NoCount);
    assert!(matches!(def(1.0, 2.0).pack(&field).unwrap_err(), ProxyError::NothingFits { .. }));
}
