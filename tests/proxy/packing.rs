//! Distance fields and sphere packings, against distances computed another way.

use crate::bodies::{solid, triangles};
use kinetree::proxy::{DistanceField, Faults, Packing, PackingDef, PackingEnd, ProxyError, Resolution, Solid};
use kinetree::scenes::{shapes, wrecks};

/// Packs, audits, and compares with the oracle.
fn packed(name: &str, solid: &Solid, cells: u32, def: PackingDef) -> Packing {
    let field = DistanceField::new(solid, Resolution::CellsAlongLongest(cells)).unwrap();
    let packing = def.pack(&field).unwrap();
    assert_eq!(packing.audit(solid, &def), [], "{name}");
    let triangles = triangles(solid);
    for (index, sphere) in packing.spheres().iter().enumerate() {
        assert!(crate::oracle::is_inside(sphere.centre, &triangles), "{name}: sphere {index} outside");
        assert!(
            !crate::oracle::ball_crosses(sphere.centre, sphere.radius, &triangles),
            "{name}: sphere {index} crosses"
        );
        // And it is as large as the rule says.
        let wanted = crate::oracle::distance(sphere.centre, &triangles).min(def.r_max);
        assert!(sphere.radius > wanted - 1e-9, "{name}: sphere {index} is too small");
    }
    println!("{name}: {} spheres, {:?}", packing.spheres().len(), packing.end());
    packing
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
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/static/spot.obj");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is absent", path.display());
        return;
    };
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
