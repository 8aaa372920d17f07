//! Proxies in example poses: maps, handles, fitted cages, quality, gap filling; and what is refused.

use crate::bodies::{parts, solid, triangles};
use kinetree::mesh::Mesh;
use kinetree::proxy::{
    Cage, Coverage, DistanceField, GapDef, HandleWeights, Packing, PackingDef, Plotted, PoseMap, PoseTrack, Proxy,
    ProxyError, Resolution, Solid, plot,
};
use kinetree::scenes::{self, wrecks};

const DEF: PackingDef = PackingDef { r_min: 0.09, r_max: 0.35, max_count: 150 };

struct Car {
    rest: Solid,
    poses: Vec<Solid>,
    packing: Packing,
}

fn example(rest: &Solid, pose: usize, mesh: &scenes::Mesh) -> Solid {
    let (mesh, positions) = parts(mesh);
    rest.example(pose, &mesh, &positions).unwrap()
}

fn car() -> Car {
    let rest = solid(&wrecks::car());
    let poses = wrecks::car_poses().iter().enumerate().map(|(i, mesh)| example(&rest, i + 1, mesh)).collect();
    let field = DistanceField::new(&rest, Resolution::CellsAlongLongest(48)).unwrap();
    Car { packing: DEF.pack(&field).unwrap(), rest, poses }
}

fn vertices(solid: &Solid) -> Vec<[f64; 3]> {
    (0..solid.vertex_count() as u32).map(|vertex| solid.position(vertex).unwrap()).collect()
}

/// Radii in every pose follow the rule, by the oracle's distances and insides.
fn obeys_the_rule(proxy: &Proxy, r_max: f64, solids: &[&Solid]) {
    for (pose, solid) in solids.iter().enumerate() {
        let faces = triangles(solid);
        let mut outside = 0;
        for sphere in proxy.pose(pose).unwrap().iter().step_by(if pose == 0 { 1 } else { 3 }) {
            if sphere.radius == 0.0 {
                let is_out = !crate::oracle::is_inside(sphere.centre, &faces);
                assert!(is_out || crate::oracle::distance(sphere.centre, &faces) < 1e-9);
                outside += 1;
                continue;
            }
            assert!(crate::oracle::is_inside(sphere.centre, &faces));
            assert!(!crate::oracle::ball_crosses(sphere.centre, sphere.radius, &faces));
            assert!(sphere.radius > crate::oracle::distance(sphere.centre, &faces).min(r_max) - 1e-9);
        }
        assert!(outside <= proxy.centres_outside(pose).unwrap());
    }
}

#[test]
fn surface_and_cage_carry_centres_into_poses() {
    let Car { rest, poses, packing } = car();
    let cage = Cage::around(&rest, 12).unwrap();
    let cage_poses: Vec<Vec<[f64; 3]>> = poses.iter().map(|pose| cage.fit(&rest, pose).unwrap()).collect();
    let solids: Vec<&Solid> = std::iter::once(&rest).chain(&poses).collect();
    for map in [PoseMap::Surface, PoseMap::Cage { cage: &cage, poses: &cage_poses }] {
        let proxy = Proxy::new(&rest, &packing, DEF, &poses, map).unwrap();
        assert_eq!((proxy.pose_count(), proxy.sphere_count()), (5, packing.spheres().len()));
        assert_eq!(proxy.pose(0).unwrap(), packing.spheres());
        obeys_the_rule(&proxy, DEF.r_max, &solids);
        let report = proxy.quality_of_poses(&rest, &poses, 0.1).unwrap();
        println!("{}", report.text());
        for (pose, (_, coverage)) in report.rows.iter().enumerate() {
            assert!(coverage.median < 0.12, "pose {pose}: {coverage:?}");
            assert!(proxy.centres_outside(pose).unwrap() < packing.spheres().len() / 10);
        }
        assert_eq!(report.csv().lines().count(), 6);
        assert!(plot("car", &[report], Plotted::Median).contains("pose"));
    }
}

#[test]
fn a_fitted_cage_meets_the_mesh() {
    let Car { rest, poses, .. } = car();
    let cage = Cage::around(&rest, 16).unwrap();
    for (pose, solid) in poses.iter().enumerate() {
        let fitted = cage.fit(&rest, solid).unwrap();
        let carried = cage.carry(&vertices(&rest), &fitted).unwrap();
        let error = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt();
        let mut errors: Vec<f64> = carried.iter().zip(&vertices(solid)).map(error).collect();
        errors.sort_by(f64::total_cmp);
        let (median, worst) = (errors[errors.len() / 2], errors[errors.len() - 1]);
        println!("pose {}: median {median:.4} m, worst {worst:.4} m", pose + 1);
        assert!(median < 0.01 && worst < 0.15);
    }
    // A body that moves as a whole is met exactly.
    let moved: Vec<[f64; 3]> = vertices(&rest).iter().map(|[x, y, z]| [x + 1.0, y - 2.0, z + 0.5]).collect();
    let fitted = cage.fit(&rest, &rest.posed(&moved).unwrap()).unwrap();
    for (vertex, [x, y, z]) in fitted.iter().enumerate() {
        let [a, b, c] = cage.vertex(vertex as u32).unwrap();
        assert!((x - a - 1.0).abs() + (y - b + 2.0).abs() + (z - c - 0.5).abs() < 1e-6);
    }
}

#[test]
fn a_cage_holds_the_solid_and_carries_affine_maps_exactly() {
    let rest = solid(&wrecks::barrel());
    let cage = Cage::around(&rest, 7).unwrap();
    let map = |[x, y, z]: [f64; 3]| [2.0 * x + y, 0.5 * y - z + 1.0, z + 0.25 * x];
    let posed: Vec<[f64; 3]> =
        (0..cage.vertex_count() as u32).map(|vertex| map(cage.vertex(vertex).unwrap())).collect();
    for (point, carried) in vertices(&rest).iter().zip(cage.carry(&vertices(&rest), &posed).unwrap()) {
        let wanted = map(*point);
        assert!((0..3).all(|k| (carried[k] - wanted[k]).abs() < 1e-12));
    }
    // Every tetrahedron is a sixth of a cell, and all face the same way.
    let volume = |corners: &[u32; 4]| {
        let [a, b, c, d] = corners.map(|corner| nalgebra::Vector3::from(cage.vertex(corner).unwrap()));
        (b - a).dot(&(c - a).cross(&(d - a))).abs()
    };
    let first = volume(&cage.tetrahedra()[0]);
    assert!(cage.tetrahedra().iter().all(|corners| (volume(corners) / first - 1.0).abs() < 1e-9));
}

/// A cage of the host's own: two tetrahedra with a side in common, one of them crushed in the pose.
#[test]
fn a_supplied_cage_carries_what_is_in_each_tetrahedron() {
    let rest = solid(&wrecks::barrel());
    // The common side is the plane y = 0, across the barrel's middle.
    let corners = [[4.0, 0.0, 0.0], [-2.0, 0.0, 3.5], [-2.0, 0.0, -3.5], [0.0, 4.0, 0.0], [0.0, -4.0, 0.0]];
    let cage = Cage::new(&corners, vec![[0, 1, 2, 3], [0, 2, 1, 4]]).unwrap();
    let mut posed = corners.to_vec();
    posed[3][1] = 2.0;
    let squashed = |[x, y, z]: [f64; 3]| [x, if y > 0.0 { 0.5 * y } else { y }, z];
    let moved: Vec<[f64; 3]> = vertices(&rest).into_iter().map(squashed).collect();
    let pose = rest.posed(&moved).unwrap();
    let def = PackingDef { r_min: 0.05, r_max: 0.12, max_count: 60 };
    let packing = def.pack(&DistanceField::new(&rest, Resolution::CellsAlongLongest(24)).unwrap()).unwrap();
    let cage_poses = [posed];
    let map = PoseMap::Cage { cage: &cage, poses: &cage_poses };
    let proxy = Proxy::new(&rest, &packing, def, std::slice::from_ref(&pose), map).unwrap();
    for (before, after) in proxy.pose(0).unwrap().iter().zip(proxy.pose(1).unwrap()) {
        let wanted = squashed(before.centre);
        assert!((0..3).all(|k| (after.centre[k] - wanted[k]).abs() < 1e-12), "{before:?} and {after:?}");
    }
    obeys_the_rule(&proxy, def.r_max, &[&rest, &pose]);
    // Places with local weights are the cage's own vertices, each sphere's the nearest one.
    assert_eq!(proxy.site_count(), 5);
    for sphere in 0..proxy.sphere_count() {
        let centre = proxy.pose(0).unwrap()[sphere].centre;
        let away = |site: u32| (0..3).map(|k| (proxy.site(site).unwrap()[k] - centre[k]).powi(2)).sum::<f64>();
        assert!((0..5).all(|site| away(proxy.site_of(sphere).unwrap()) <= away(site)));
    }
    // Weights at the upper corner alone move only the spheres next to it.
    let weights: Vec<f64> = (0..5).flat_map(|site| if site == 3 { [0.0, 1.0] } else { [1.0, 0.0] }).collect();
    let local = proxy.at(&PoseTrack::new(vec![0.0], 5, 2, weights).unwrap(), 0.0).unwrap();
    for (sphere, shown) in local.iter().enumerate() {
        let pose = usize::from(proxy.site_of(sphere).unwrap() == 3);
        assert_eq!(*shown, proxy.pose(pose).unwrap()[sphere]);
    }
}

#[test]
fn handles_have_bounded_weights_and_move_the_cage() {
    let rest = solid(&wrecks::car());
    let cage = Cage::around(&rest, 14).unwrap();
    let seats = [[2.3, -0.1, 0.0], [0.0, 0.2, 0.0], [-2.3, -0.1, 0.0]];
    let handles: Vec<Vec<u32>> = seats.iter().map(|&seat| cage.vertices_near(seat, 0.4)).collect();
    let weights = HandleWeights::new(&cage, &handles).unwrap();
    let mut mixed = 0;
    for vertex in 0..cage.vertex_count() as u32 {
        let own = weights.at(vertex).unwrap();
        assert!((own.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(own.iter().all(|weight| (0.0..=1.0).contains(weight)));
        mixed += usize::from(own.iter().all(|&weight| weight < 0.9));
    }
    assert!(mixed > cage.vertex_count() / 4, "{mixed} vertices between handles");
    for (handle, seat) in handles.iter().enumerate() {
        assert!(seat.iter().all(|&vertex| weights.at(vertex).unwrap()[handle] == 1.0));
    }
    let still = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut pushed = still;
    (pushed[3], pushed[7]) = (-0.8, 0.1);
    let same = weights.skin(&cage, &[still; 3]).unwrap();
    let posed = weights.skin(&cage, &[pushed, still, still]).unwrap();
    for vertex in 0..cage.vertex_count() {
        let (rest, share) = (cage.vertex(vertex as u32).unwrap(), weights.at(vertex as u32).unwrap()[0]);
        assert!((0..3).all(|k| (same[vertex][k] - rest[k]).abs() < 1e-12));
        assert!((posed[vertex][0] - rest[0] + 0.8 * share).abs() < 1e-12);
    }
    // The pose as a mesh, and the proxy in it.
    let carried = cage.carry(&vertices(&rest), &posed).unwrap();
    let pose = rest.posed(&carried).unwrap();
    assert!(pose.bounds().max[0] < rest.bounds().max[0] - 0.6);
    let field = DistanceField::new(&rest, Resolution::CellsAlongLongest(40)).unwrap();
    let packing = DEF.pack(&field).unwrap();
    let proxy =
        Proxy::new(&rest, &packing, DEF, std::slice::from_ref(&pose), PoseMap::Cage { cage: &cage, poses: &[posed] })
            .unwrap();
    obeys_the_rule(&proxy, DEF.r_max, &[&rest, &pose]);
    assert_eq!(proxy.site_count(), cage.vertex_count());
}

#[test]
fn a_part_of_a_cage_without_a_handle_moves_with_all_of_them() {
    let one = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for sides in [[1.0, 3.0, 7.0], [1.0, 1.0, 1.0], [0.3, 0.7, 0.1]] {
        let [x, y, z] = sides;
        let other = [[5.0, 0.0, 0.0], [5.0 + x, 0.0, 0.0], [5.0, y, 0.0], [5.0, 0.0, z]];
        let vertices: Vec<[f64; 3]> = one.into_iter().chain(other).collect();
        let cage = Cage::new(&vertices, vec![[0, 1, 2, 3], [4, 5, 6, 7]]).unwrap();
        let weights = HandleWeights::new(&cage, &[vec![0, 1], vec![2, 3]]).unwrap();
        assert!((4..8).all(|vertex| weights.at(vertex) == Some(&[0.5, 0.5][..])), "{weights:?}");
        let weights = HandleWeights::new(&cage, &[vec![0], vec![5]]).unwrap();
        assert!((0..8).all(|vertex| (weights.at(vertex).unwrap()[usize::from(vertex > 3)] - 1.0).abs() < 1e-9));
    }
}

#[test]
fn gaps_are_filled_from_a_pose() {
    // Two balls' room hides in a pose that swells: the barrel blown up to twice its size.
    let rest = solid(&wrecks::barrel());
    let def = PackingDef { r_min: 0.06, r_max: 0.12, max_count: 200 };
    let field = DistanceField::new(&rest, Resolution::CellsAlongLongest(32)).unwrap();
    let packing = def.pack(&field).unwrap();
    let blown: Vec<[f64; 3]> = vertices(&rest).iter().map(|vertex| vertex.map(|x| 2.0 * x)).collect();
    let pose = rest.posed(&blown).unwrap();
    let cage = Cage::around(&rest, 6).unwrap();
    let cage_pose: Vec<Vec<[f64; 3]>> =
        vec![(0..cage.vertex_count() as u32).map(|vertex| cage.vertex(vertex).unwrap().map(|x| 2.0 * x)).collect()];
    let map = PoseMap::Cage { cage: &cage, poses: &cage_pose };
    let poses = [pose];
    let mut proxy = Proxy::new(&rest, &packing, def, &poses, map).unwrap();
    let before = proxy.quality_of_poses(&rest, &poses, 0.05).unwrap();
    let gap_def = GapDef { resolution: Resolution::CellsAlongLongest(40), r_min: 0.06, max_count: 1_000 };
    let filled = proxy.fill_gaps(&rest, &poses, map, 1, gap_def).unwrap();
    let after = proxy.quality_of_poses(&rest, &poses, 0.05).unwrap();
    println!("{filled:?}\n{}{}", before.text(), after.text());
    assert!(filled.added > 20);
    assert_eq!(proxy.sphere_count(), packing.spheres().len() + filled.added);
    assert_eq!(proxy.packed_count(), packing.spheres().len());
    assert!(before.rows[1].1.uncovered > 2.0 * after.rows[1].1.uncovered);
    // The rest pose's first spheres stay as they were, and the new ones obey the rule in both poses.
    assert_eq!(&proxy.pose(0).unwrap()[..proxy.packed_count()], packing.spheres());
    obeys_the_rule(&proxy, def.r_max, &[&rest, &poses[0]]);

    let error = proxy.fill_gaps(&rest, &poses, map, 2, gap_def).unwrap_err();
    assert_eq!(error, ProxyError::NoSuchPose { pose: 2, poses: 1 });
    let error = proxy.fill_gaps(&rest, &poses, map, 0, gap_def).unwrap_err();
    assert_eq!(error, ProxyError::NoSuchPose { pose: 0, poses: 1 });
    let error = proxy.fill_gaps(&rest, &poses, map, 1, GapDef { r_min: 0.2, ..gap_def }).unwrap_err();
    assert!(matches!(error, ProxyError::Radii { .. }));
}

#[test]
fn clips_are_measured() {
    let Car { rest, poses, packing } = car();
    let proxy = Proxy::new(&rest, &packing, DEF, &poses, PoseMap::Surface).unwrap();
    let mut track = PoseTrack::rest(1, 5).unwrap();
    track.raise(1.0, 0.5, 1, &[1.0]).unwrap();
    let clip = proxy.quality_of_clip(&rest, &poses, &track, &[0.0, 1.25, 2.0], 0.1).unwrap();
    let still = proxy.quality_of_poses(&rest, &poses, 0.1).unwrap();
    let same = |a: &Coverage, b: &Coverage| (a.median - b.median).abs() < 1e-9 && (a.maximum - b.maximum).abs() < 1e-9;
    assert!(same(&clip.rows[0].1, &still.rows[0].1));
    assert!(same(&clip.rows[2].1, &still.rows[1].1));
    assert!(clip.worst() >= clip.rows[1].1.maximum);
    // Weights place by place: all alike are the same as one for all.
    let sites = proxy.site_count();
    let mut local = PoseTrack::rest(sites, 5).unwrap();
    local.raise(1.0, 0.5, 1, &vec![1.0; sites]).unwrap();
    let again = proxy.quality_of_clip(&rest, &poses, &local, &[0.0, 1.25, 2.0], 0.1).unwrap();
    assert!(again.rows.iter().zip(&clip.rows).all(|(a, b)| same(&a.1, &b.1)));
}

#[test]
fn poses_and_cages_that_do_not_fit_are_refused() {
    let Car { rest, poses, packing } = car();
    let (mesh, positions) = parts(&wrecks::car());
    let mut faces = mesh.triangles().to_vec();
    faces.swap(3, 4);
    let other = Mesh::new(mesh.vertex_count(), faces.clone()).unwrap();
    let error = rest.example(2, &other, &positions).unwrap_err();
    assert_eq!(error, ProxyError::PoseTriangles { pose: 2, triangle: 3 });
    faces.swap(3, 4);
    faces.pop();
    let shorter = Mesh::new(mesh.vertex_count(), faces).unwrap();
    let error = rest.example(1, &shorter, &positions).unwrap_err();
    assert_eq!(error, ProxyError::PoseTriangles { pose: 1, triangle: 1535 });
    let larger = Mesh::new(mesh.vertex_count() + 1, mesh.triangles().to_vec()).unwrap();
    let error = rest.example(1, &larger, &positions).unwrap_err();
    assert!(matches!(error, ProxyError::PoseVertices { pose: 1, .. }));
    assert!(matches!(rest.example(1, &mesh, &positions[1..]).unwrap_err(), ProxyError::PositionCount { .. }));
    let mut bad = positions.clone();
    bad[7][2] = f64::NAN;
    let error = rest.example(1, &mesh, &bad).unwrap_err();
    assert!(matches!(error, ProxyError::Number { what: "vertex", index: 7, .. }), "{error}");

    let barrel = solid(&wrecks::barrel());
    let error = Proxy::new(&rest, &packing, DEF, &[barrel], PoseMap::Surface).unwrap_err();
    assert!(matches!(error, ProxyError::PoseVertices { pose: 1, .. }));
    let wrong = PackingDef { r_min: 0.4, ..DEF };
    assert!(matches!(
        Proxy::new(&rest, &packing, wrong, &poses, PoseMap::Surface).unwrap_err(),
        ProxyError::Radii { .. }
    ));
    let cage = Cage::around(&rest, 6).unwrap();
    let error = Proxy::new(&rest, &packing, DEF, &poses, PoseMap::Cage { cage: &cage, poses: &[] }).unwrap_err();
    assert_eq!(error, ProxyError::CagePoses { found: 0, wanted: 4 });
    let short = vec![vec![[0.0; 3]; 2]; 4];
    let error = Proxy::new(&rest, &packing, DEF, &poses, PoseMap::Cage { cage: &cage, poses: &short }).unwrap_err();
    assert!(matches!(error, ProxyError::PositionCount { positions: 2, .. }));

    assert!(matches!(Cage::around(&rest, 0).unwrap_err(), ProxyError::Resolution { .. }));
    assert!(matches!(Cage::around(&rest, 1 << 20).unwrap_err(), ProxyError::CageTooLarge { .. }));
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
    let cage = |tetrahedra: &[[u32; 4]]| Cage::new(&corners, tetrahedra.to_vec()).unwrap_err();
    assert!(matches!(cage(&[]), ProxyError::Mesh(_)));
    assert_eq!(cage(&[[0, 1, 2, 5]]), ProxyError::CageIndex { tetrahedron: 0, index: 5, vertices: 5 });
    assert_eq!(cage(&[[0, 1, 2, 3], [0, 1, 2, 4]]), ProxyError::FlatTetrahedron { tetrahedron: 1 });
    assert_eq!(cage(&[[0, 1, 2, 3]]), ProxyError::LooseCageVertex { vertex: 4 });
    let nan = [[f64::NAN; 3]; 4];
    assert!(matches!(Cage::new(&nan, vec![[0, 1, 2, 3]]).unwrap_err(), ProxyError::Number { .. }));

    let cage = Cage::around(&rest, 6).unwrap();
    let handles = |handles: &[Vec<u32>]| HandleWeights::new(&cage, handles).unwrap_err();
    assert_eq!(handles(&[]), ProxyError::NoHandle);
    assert_eq!(handles(&[vec![0], vec![]]), ProxyError::EmptyHandle { handle: 1 });
    assert_eq!(handles(&[vec![9_999]]), ProxyError::HandleVertex { handle: 0, vertex: 9_999 });
    assert_eq!(handles(&[vec![3], vec![4, 3]]), ProxyError::HandlesMeet { vertex: 3, handles: [0, 1] });
    let weights = HandleWeights::new(&cage, &[vec![0]]).unwrap();
    assert_eq!(weights.skin(&cage, &[]).unwrap_err(), ProxyError::MapCount { maps: 0, handles: 1 });
    let error = weights.skin(&cage, &[[f64::NAN; 12]]).unwrap_err();
    assert!(matches!(error, ProxyError::Number { what: "map of handle", index: 0, .. }));
    assert!(
        Proxy::new(&rest, &packing, DEF, &poses, PoseMap::Surface)
            .unwrap()
            .quality_of_poses(&rest, &poses, -1.0)
            .is_err()
    );
}
