//! Names of triangles: groups, materials and joints.

use crate::build::{self, Builder};
use crate::io_support::Folder;
use kinetree::incident::PartLabel;
use kinetree::io::{Input, InputOptions, read_inputs, read_mesh};
use serde_json::json;

#[test]
fn triangles_have_the_names_of_materials_groups_and_joints() {
    let folder = Folder::new();
    let obj = "o Shirt\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl cotton\ng body\nf 1 2 3 4\ng left sleeve\nf 1 2 3\n\
               usemtl silk\nf 2 3 4\no Button\ng\nusemtl cotton\nf 1 3 4\n";
    let labels = read_mesh(folder.write("shirt.obj", obj)).unwrap().labels;
    let list = |labels: &[PartLabel]| -> Vec<(String, Vec<[u32; 2]>)> {
        labels
            .iter()
            .map(|label| (label.name.clone(), label.triangles.iter().map(|range| [range.start, range.end]).collect()))
            .collect()
    };
    let named = |name: &str, ranges: &[[u32; 2]]| (name.to_owned(), ranges.to_vec());
    assert_eq!(list(&labels.materials), [named("cotton", &[[0, 3], [4, 5]]), named("silk", &[[3, 4]])]);
    let groups = [
        named("Shirt", &[[0, 4]]),
        named("body", &[[0, 2]]),
        named("left sleeve", &[[2, 4]]),
        named("Button", &[[4, 5]]),
    ];
    assert_eq!(list(&labels.groups), groups);

    // A strip of four triangles on two joints, in two primitives with materials.
    let mut file = Builder::new();
    let corners: Vec<[f32; 3]> = (0..6).map(|at| [(at % 2) as f32, (at / 2) as f32, 0.0]).collect();
    let positions = file.vectors(&corners);
    let (hip, knee) = ([0; 4], [1, 0, 0, 0]);
    let [joints, weights] = file.influences(&[hip, hip, hip, knee, knee, knee], &[[1.0, 0.0, 0.0, 0.0]; 6]);
    let lower = file.accessor("SCALAR", build::UNSIGNED_BYTE, 6, &[0, 1, 2, 1, 3, 2]);
    let upper = file.accessor("SCALAR", build::UNSIGNED_BYTE, 6, &[2, 3, 4, 3, 5, 4]);
    let attributes = json!({ "POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights });
    let mesh = file.mesh(json!([
        { "attributes": attributes, "indices": lower, "material": 1 },
        { "attributes": attributes, "indices": upper, "material": 0 },
    ]));
    file.push("materials", json!({ "alphaMode": 7 }));
    file.push("materials", json!({ "name": "skin" }));
    file.push("nodes", json!({ "name": "leg", "mesh": mesh, "skin": 0 }));
    file.push("nodes", json!({ "name": "hip" }));
    file.push("nodes", json!({ "name": "knee" }));
    file.push("skins", json!({ "joints": [1, 2] }));
    folder.write("leg.glb", file.glb());
    let scene = read_inputs(&[Input::new(folder.path("leg.glb"))], &InputOptions::default()).unwrap();
    let labels = &scene.bodies[0].labels;
    assert_eq!(list(&labels.materials), [named("skin", &[[0, 2]]), named("material 0", &[[2, 4]])]);
    assert_eq!(list(&labels.groups), [named("leg", &[[0, 4]])]);
    assert_eq!(list(&labels.joints), [named("hip", &[[0, 2]]), named("knee", &[[2, 4]])]);
}

#[test]
fn names_of_an_obj_may_have_number_signs_and_end_in_a_stroke() {
    let folder = Folder::new();
    let obj =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\no Bolt#1 # the first\nusemtl a\\\nf 1 2 3\no Bolt#2\nf 1 2 3#\no # none\nf 1 2 3\n";
    let read = read_mesh(folder.write("bolts.obj", obj)).unwrap();
    let names = |labels: &[PartLabel]| labels.iter().map(|label| label.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&read.labels.groups), ["Bolt#1", "Bolt#2"]);
    assert_eq!(names(&read.labels.materials), ["a\\"]);
    assert_eq!(read.mesh.triangles.len(), 3);
}
