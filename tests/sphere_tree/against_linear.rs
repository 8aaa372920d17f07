//! Spheres under spherical blending are at most as large as those under linear blending plus the distance of the two blends, on
//! generated skins and on the shared models; the distance is one, and no sphere misses a vertex, by a second evaluation of both.

use std::sync::Arc;

use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Blend, Pose, ReducedMesh};
use kinetree::time::Moment;
use nalgebra::Vector3;

use crate::common::data::shared_models;
use crate::common::dice::Dice;
use crate::reduced_support::{Spinner, Weights, torture};
use crate::spherical_oracle::{linearly, spherically};
use crate::{below, params, skin};
use kinetree::reduced::Driver;

/// What the radii are allowed for rounding, in parts of the largest coordinate and radius.
const ROUNDING: f64 = 1e-11;

#[derive(Default)]
struct Tally {
    nodes: usize,
    /// Nodes whose sphere has the centre of the linear one.
    linear: usize,
    /// Of these, nodes of several joint sets; and nodes with a smaller sphere of their own.
    of_several: usize,
    own: usize,
    vertices: usize,
}

/// Compares all nodes in a pose; vertices of every node with `below`.
fn compare(name: &str, mesh: &ReducedMesh, pose: &Pose, params: SphereParams, with_vertices: bool, tally: &mut Tally) {
    let Blend::Spherical { joints } = mesh.blend() else { panic!("{name}: not spherical") };
    let twin = mesh.blended(Blend::Linear).unwrap();
    let trees = [mesh, &twin].map(|mesh| SphereTree::new(mesh, params).unwrap());
    assert_eq!(trees[0].node_count(), trees[1].node_count());
    let mut own = PosedSpheres::new(&trees[0], mesh, pose).unwrap();
    let mut linear = PosedSpheres::new(&trees[1], &twin, pose).unwrap();
    let displaced = |vertex: u32| {
        let mut place = mesh.rest_positions()[vertex as usize].map(f64::from);
        for (target, delta) in mesh.morphs_of(vertex) {
            (0..3).for_each(|axis| place[axis] += pose.morphs[target as usize] * f64::from(delta[axis]));
        }
        place
    };
    let (mut places, mut offs) = (Vec::new(), Vec::new());
    for vertex in 0..if with_vertices { mesh.vertex_count() as u32 } else { 0 } {
        let weights: Vec<(u32, f64)> = mesh.influences().of(vertex).collect();
        let place = spherically(displaced(vertex), &weights, joints, &pose.maps);
        let off = Vector3::from(place) - Vector3::from(linearly(displaced(vertex), &weights, &pose.maps));
        places.push(place);
        offs.push(off.norm());
    }
    for node in 0..trees[0].node_count() as u32 {
        let (sphere, other) = (own.sphere(node), linear.sphere(node));
        let distance = own.distance_from_linear(node);
        let far = Vector3::from(other.centre).norm() + other.radius;
        let allowed = (other.radius + distance) * (1.0 + ROUNDING) + ROUNDING * (1.0 + far);
        assert!(sphere.radius <= allowed, "{name}, node {node}: {sphere:?}, linear {other:?}, distance {distance}");
        tally.nodes += 1;
        if sphere.centre == other.centre && distance > 1e-9 {
            tally.linear += 1;
            let sets = mesh.joint_sets().unwrap();
            let first = sets.set_of(mesh.mesh().triangles()[0][0]);
            tally.of_several +=
                usize::from(below(&trees[0], mesh, node).into_iter().any(|it| sets.set_of(it) != first));
        } else {
            tally.own += usize::from(sphere.radius < other.radius + 0.5 * distance);
        }
        if with_vertices {
            let slack = ROUNDING * (1.0 + far);
            for vertex in below(&trees[0], mesh, node) {
                let (place, off) = (places[vertex as usize], offs[vertex as usize]);
                assert!(off <= distance + slack, "{name}, node {node}: vertex {vertex} is {off} off, not {distance}");
                let from = (Vector3::from(place) - Vector3::from(sphere.centre)).norm();
                assert!(from <= sphere.radius + slack, "{name}, node {node}: {sphere:?} misses {place:?} of {vertex}");
                tally.vertices += 1;
            }
        }
    }
}

#[test]
fn spheres_of_skins_are_no_larger_than_linear_ones_and_the_distance() {
    let kinds = [Weights::Smooth, Weights::Random(2), Weights::Random(5), Weights::Single, Weights::AtLimits];
    let (mut dice, mut tally) = (Dice::new(27, &[]), Tally::default());
    for round in 0..torture(60) {
        let mesh = skin(&mut dice, kinds[round % kinds.len()], true);
        let wildness = dice.pick(&[0.1, 0.5, 1.5, 3.0]);
        let driver = Spinner::of(&mut dice, mesh.map_count(), mesh.morph_count(), 1, wildness, round % 3 != 0);
        for _ in 0..2 {
            let mut pose = Pose::default();
            driver.pose(Moment::at(dice.real(driver.span().begin, driver.span().end)), &mut pose);
            compare(&format!("round {round}"), &mesh, &pose, params(&mut dice), true, &mut tally);
        }
    }
    let Tally { nodes, linear, of_several, own, vertices } = tally;
    assert!(nodes > 2_000 && vertices > 10_000, "{nodes} {vertices}");
    assert!(linear > 50 && of_several > 20 && own > 500, "{linear} {of_several} {own}");
}

/// One clip of every shared model in turn; under `KINETREE_TORTURE` vertices as well.
#[test]
fn spheres_of_models_are_no_larger_than_linear_ones_and_the_distance() {
    let files = shared_models(&["skinned"]);
    if files.is_empty() {
        return;
    }
    let (mut tally, mut models) = (Tally::default(), 0);
    for (place, path) in files.iter().enumerate().step_by(if torture(1) > 1 { 1 } else { 2 }) {
        let model = read_gltf(path, GltfOptions::repairing()).unwrap();
        if model.clips.is_empty() {
            continue;
        }
        let rig = model.rig().unwrap();
        let bodies = model.bodies(&rig, &model.once(place % model.clips.len())).unwrap();
        let Some(body) = bodies
            .into_iter()
            .filter(|it| it.body.mesh().map_count() > 1)
            .find_map(|it| it.body.blended_spherically().ok())
        else {
            continue;
        };
        let (span, mut pose) = (body.driver().span(), Pose::default());
        body.pose(Moment::at(0.63 * span.begin + 0.37 * span.end), &mut pose);
        let mesh = Arc::clone(body.mesh());
        compare(&path.display().to_string(), &mesh, &pose, SphereParams::default(), torture(1) > 1, &mut tally);
        models += 1;
    }
    println!("{models} models, {} nodes, {} by linear spheres", tally.nodes, tally.linear);
    assert!(models > 2 && tally.linear > 0, "{models} {}", tally.linear);
}
