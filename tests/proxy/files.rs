//! Example poses from files: OBJ meshes of one topology, glTF morph targets.

use std::fmt::Write;
use std::path::Path;

use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::io::parse_obj;
use kinetree::mesh::Mesh;
use kinetree::proxy::{
    Cage, DistanceField, Faults, PackingDef, PoseMap, PoseTrack, Proxy, ProxyError, Resolution, Solid,
};
use kinetree::scenes::{self, wrecks};

use crate::bodies::{solid, triangles};
use crate::data::shared;

fn obj(mesh: &scenes::Mesh) -> Vec<u8> {
    let mut text = String::new();
    for [x, y, z] in &mesh.positions {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for [a, b, c] in &mesh.triangles {
        writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).unwrap();
    }
    text.into_bytes()
}

fn wide(positions: &[[f32; 3]]) -> Vec<[f64; 3]> {
    positions.iter().map(|position| position.map(f64::from)).collect()
}

#[test]
fn poses_are_read_from_obj_files() {
    const DEF: PackingDef = PackingDef { r_min: 0.03, r_max: 0.12, max_count: 60 };
    let read = |mesh: &scenes::Mesh| parse_obj(&obj(mesh), Path::new("pose.obj")).unwrap();
    let rest = read(&wrecks::barrel());
    let mesh = Mesh::new(rest.positions.len(), rest.triangles.clone()).unwrap();
    let (body, repairs) = Solid::new(&mesh, &wide(&rest.positions), Faults::Refuse).unwrap();
    assert!(repairs.is_empty());
    let example = |(index, pose)| {
        let data = read(pose);
        let mesh = Mesh::new(data.positions.len(), data.triangles.clone()).unwrap();
        body.example(index + 1, &mesh, &wide(&data.positions)).unwrap()
    };
    let poses: Vec<Solid> = wrecks::barrel_poses().iter().enumerate().map(example).collect();
    let packing = DEF.pack(&DistanceField::new(&body, Resolution::CellsAlongLongest(24)).unwrap()).unwrap();
    let cage = Cage::around(&body, 6).unwrap();
    let cages: Vec<_> = poses.iter().map(|pose| cage.fit(&body, pose).unwrap()).collect();
    let proxy = Proxy::new(&body, &packing, DEF, &poses, PoseMap::Cage { cage: &cage, poses: &cages }).unwrap();
    let known = crate::motion::barrel();
    for pose in 0..known.pose_count() {
        assert_eq!(proxy.pose(pose).unwrap(), known.pose(pose).unwrap(), "pose {pose}");
    }
    // A file of another body is refused.
    let other = read(&wrecks::car());
    let mesh = Mesh::new(other.positions.len(), other.triangles.clone()).unwrap();
    let error = body.example(2, &mesh, &wide(&other.positions)).unwrap_err();
    assert!(matches!(error, ProxyError::PoseTriangles { pose: 2, .. }), "{error}");
    assert_eq!(solid(&wrecks::barrel()).bounds(), body.bounds());
}

#[test]
fn poses_are_morph_targets_of_gltf_files() {
    for name in ["AnimatedMorphSphere", "AnimatedMorphCube"] {
        let Some(path) = shared(&format!("morph/{name}.gltf")) else { continue };
        let model = read_gltf(&path, GltfOptions::default()).unwrap();
        let data = &model.meshes[0];
        let rest = wide(&data.positions);
        let mesh = Mesh::new(rest.len(), data.triangles.clone()).unwrap();
        // Vertices are split at seams; the surface is closed all the same.
        let (body, repairs) = Solid::new(&mesh, &rest, Faults::Refuse).unwrap();
        assert!(repairs.is_empty() && data.targets.len() == 2);
        let poses: Vec<Solid> = data
            .targets
            .iter()
            .enumerate()
            .map(|(index, target)| {
                let moved: Vec<[f64; 3]> = rest
                    .iter()
                    .zip(target)
                    .map(|(vertex, delta)| [0, 1, 2].map(|k| vertex[k] + f64::from(delta[k])))
                    .collect();
                body.example(index + 1, &mesh, &moved).unwrap()
            })
            .collect();
        let side = body.bounds().max[0] - body.bounds().min[0];
        let def = PackingDef { r_min: 0.04 * side, r_max: 0.25 * side, max_count: 80 };
        let packing = def.pack(&DistanceField::new(&body, Resolution::CellsAlongLongest(24)).unwrap()).unwrap();
        for is_caged in [false, true] {
            let cage = Cage::around(&body, 8).unwrap();
            let cages: Vec<_> = poses.iter().map(|pose| cage.fit(&body, pose).unwrap()).collect();
            let map = if is_caged { PoseMap::Cage { cage: &cage, poses: &cages } } else { PoseMap::Surface };
            let proxy = Proxy::new(&body, &packing, def, &poses, map).unwrap();
            for (pose, posed) in poses.iter().enumerate() {
                let faces = triangles(posed);
                for sphere in proxy.pose(pose + 1).unwrap().iter().filter(|sphere| sphere.radius > 0.0) {
                    assert!(crate::oracle::is_inside(sphere.centre, &faces));
                    assert!(!crate::oracle::ball_crosses(sphere.centre, sphere.radius, &faces));
                }
                assert!(
                    proxy.pose(pose + 1).unwrap() != proxy.pose(0).unwrap(),
                    "{name}: pose {} moves spheres",
                    pose + 1
                );
            }
            // Weights as a morph animation has them: the rest pose has what the targets leave.
            let track = PoseTrack::new(vec![0.0, 1.0], 1, 3, vec![1.0, 0.0, 0.0, 0.25, 0.5, 0.25]).unwrap();
            assert_eq!(proxy.keys(&track).unwrap().spheres.len(), 2);
        }
    }
}
