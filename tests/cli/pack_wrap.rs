//! `kinetree pack --wrap`: surfaces that are not closed, with poses and joints, and what is said of
//! them; all meshes of the shared data.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use crate::io_support::Folder;
use crate::io_support::data::shared;
use crate::pack_joints::{arm, arm_of};
use crate::program::{run, text};
use kinetree::io::{SphereFile, read_spheres};

fn pack(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String) {
    let done = run(&[&["pack"], arguments, &["-o", &folder.at("out.json"), "--cells", "24"]].concat());
    (done.status.code(), text(&done.stderr))
}

fn packed(folder: &Folder, arguments: &[&str]) -> SphereFile {
    let (status, errors) = pack(folder, arguments);
    assert_eq!(status, Some(0), "{arguments:?}: {errors}");
    let file = read_spheres(folder.path("out.json")).unwrap();
    let said: String = file.notes.iter().fold(String::new(), |mut said, note| {
        let _ = writeln!(said, "note: {note}");
        said
    });
    assert_eq!(errors, said);
    file
}

/// Numbers of metres in the note about how far a surface moved: mean, farthest, left behind.
fn moved(file: &SphereFile) -> [f64; 3] {
    let note = file.notes.iter().find(|note| note.contains(" surface lies ")).unwrap();
    let numbers: Vec<f64> = note.split(' ').filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().unwrap()
}

/// A box without its last `open` faces.
fn block(folder: &Folder, name: &str, sides: [f64; 3], open: usize) -> String {
    let mut obj = String::new();
    for corner in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|axis| f64::from(corner >> axis & 1) * sides[axis]);
        let _ = writeln!(obj, "v {x} {y} {z}");
    }
    for [a, b, c, d] in
        [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]].iter().take(6 - open)
    {
        let _ = writeln!(obj, "f {a} {b} {c}\nf {a} {c} {d}");
    }
    folder.write_at(name, obj)
}

#[test]
fn what_needs_no_wrap_is_not_wrapped() {
    let folder = Folder::new();
    let cube = block(&folder, "cube.obj", [2.0; 3], 0);
    let plain = packed(&folder, &[&cube]);
    assert_eq!(packed(&folder, &[&cube, "--wrap", "auto"]), plain);
    assert!(plain.notes.is_empty());
    // A hole is filled first where that is asked for: its middle is 1 m from its sides.
    let open = block(&folder, "open.obj", [2.0; 3], 1);
    let filled = packed(&folder, &[&open, "--wrap", "auto", "--fill-holes", "4"]);
    assert!(filled.notes.len() == 2 && filled.notes[0].contains("filled a loop of 4 sides"), "{:?}", filled.notes);
    let [mean, farthest, left_behind] = moved(&filled);
    assert!(mean > 0.02 && mean < 0.09 && farthest > 0.85 && farthest <= 1.0 && left_behind == 0.0);
}

#[test]
fn what_has_no_inside_is_wrapped_by_the_cells() {
    let folder = Folder::new();
    let open = block(&folder, "open.obj", [2.0; 3], 1);
    let sheet = block(&folder, "sheet.obj", [2.0, 2.0, 2.0], 5);
    // Closed, and a fortieth of a cell thick.
    let plate = block(&folder, "plate.obj", [2.0, 1.0, 0.002], 0);
    // 1.5 cells of 24 along the longest side and the wrap.
    let offset = 1.5 * 2.0 / 21.0;
    for (mesh, why) in [
        (&open, "the mesh is open: a border of 4 sides"),
        (&sheet, "the mesh is open: a border of "),
        (&plate, "no sphere of radius"),
    ] {
        let (status, errors) = pack(&folder, &[mesh]);
        if mesh != &plate {
            assert!(status == Some(2) && errors.contains("wrap it with --wrap auto"), "{errors}");
        }
        let file = packed(&folder, &[mesh, "--wrap", "auto"]);
        assert!(file.notes[0].starts_with("the mesh was wrapped because of this: ") && file.notes[0].contains(why));
        assert!(file.notes[1].contains(&format!("{offset:.4} m around it")), "{}", file.notes[1]);
        let [mean, farthest, left_behind] = moved(&file);
        let cell = offset / 1.5;
        assert!(mean > 0.8 * offset && mean < 1.1 * offset, "{mean}");
        assert!(farthest >= mean && farthest < offset + cell, "{farthest}");
        assert!(left_behind >= offset - cell && left_behind <= farthest + 1e-4, "{left_behind}");
        // No sphere is farther out than the wrap.
        for sphere in &file.poses[0].spheres {
            assert!((0..3).all(|k| sphere.centre[k] - sphere.radius > -offset - cell));
        }
    }
    let (status, errors) = pack(&folder, &[&open, "--wrap", "wide"]);
    assert!(status == Some(2) && errors.contains("; or auto"), "{errors}");
    let (status, errors) = pack(&folder, &[&open, "--wrap", "5cm", "--fill-holes", "4"]);
    assert!(status == Some(2) && errors.contains("leave it out, or give --wrap auto"), "{errors}");
}

#[test]
fn poses_carry_a_wrap() {
    let folder = Folder::new();
    let open = block(&folder, "open.obj", [2.0, 1.0, 1.0], 1);
    let longer = block(&folder, "longer.obj", [3.0, 1.0, 1.0], 1);
    let file = packed(&folder, &[&open, "--poses", &longer, "--wrap", "auto", "--spheres", "24"]);
    assert_eq!(file.poses.len(), 2);
    let reach = |pose: usize| {
        file.poses[pose].spheres.iter().map(|sphere| sphere.centre[0] + sphere.radius).fold(0.0, f64::max)
    };
    assert!(reach(1) > reach(0) + 0.7, "{} {}", reach(0), reach(1));
    let moved = ["fixtures/cloth_ball/cloth.obj:fixtures/cloth_ball/cloth.pc2", "--fps", "30"];
    let (status, errors) = pack(&folder, &[&moved[..], &["--clip-poses", "2", "--wrap", "auto"]].concat());
    assert_eq!(status, Some(0), "{errors}");
}

#[test]
fn joints_carry_the_spheres_of_a_wrap() {
    let folder = Folder::new();
    let closed = folder.write_at("closed.glb", arm(1.0).glb());
    // Without the end of the forearm.
    let open = folder.write_at("open.glb", arm_of(1.0, 2).glb());
    let (status, errors) = pack(&folder, &[&open, "--joints"]);
    assert!(status == Some(2) && errors.contains("or wrap it with --wrap auto"), "{errors}");
    let arguments = ["--joints", "--clip-poses", "3", "--spheres", "24", "--wrap", "auto"];
    let [whole, wrapped] = [&closed, &open].map(|model| packed(&folder, &[&[model.as_str()][..], &arguments].concat()));
    assert!(whole.notes.is_empty() && wrapped.notes[0].contains("wrapped because of this: "), "{:?}", whole.notes);
    let [_, farthest, _] = moved(&wrapped);
    let skin = wrapped.skin.as_ref().unwrap();
    assert_eq!(skin.joints, whole.skin.as_ref().unwrap().joints);
    for (number, bound) in skin.spheres.iter().enumerate() {
        let (rest, last) = (wrapped.poses[0].spheres[number], wrapped.poses[3].spheres[number]);
        let [x, y, z] = rest.centre;
        // The arm is 2 m long and half as thick; the elbow is at 1 m.
        assert!(x.abs().max(y.abs()) + rest.radius <= 0.25 + farthest + 1e-3);
        if (z - 1.0).abs() > 0.25 {
            assert_eq!(bound.joint == 1, z > 1.0, "sphere {number} at {z}");
        }
        let wanted = if bound.joint == 1 { [x, 1.0 - z, 1.0 + y] } else { [x, y, z] };
        assert!((0..3).all(|k| (last.centre[k] - wanted[k]).abs() < 1e-6), "sphere {number}");
    }
    assert!([0, 1].iter().all(|joint| skin.spheres.iter().any(|bound| bound.joint == *joint)));
}

/// Every mesh of the shared data, by size.
fn shared_meshes() -> Vec<(u64, PathBuf)> {
    let (mut folders, mut found) = (Vec::from_iter(shared("")), Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap().map(|entry| entry.unwrap()) {
            let path = entry.path();
            let ending = path.extension().map_or(String::new(), |ending| ending.to_string_lossy().into_owned());
            if path.is_dir() {
                folders.push(path);
            } else if ["obj", "glb", "gltf", "ply", "stl"].contains(&ending.as_str()) {
                found.push((entry.metadata().unwrap().len(), path));
            }
        }
    }
    found.sort();
    found
}

/// Files above this size are packed under `KINETREE_TORTURE` only.
const USUAL_SIZE: u64 = 100_000;

#[test]
fn every_shared_mesh_is_packed_or_refused_for_a_reason_of_its_file() {
    let (all, is_whole) = (shared_meshes(), std::env::var_os("KINETREE_TORTURE").is_some());
    let mut counts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let folder = Folder::new();
    for (_, path) in all.iter().filter(|(size, _)| is_whole || *size < USUAL_SIZE) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_model = path.extension().is_some_and(|kind| kind == "glb" || kind == "gltf");
        let joints: &[&str] = if is_model { &["--joints"] } else { &[] };
        let file = path.to_string_lossy();
        let out = folder.at("out.json");
        let cells = if is_whole { "64" } else { "16" };
        let arguments = ["pack", &file, "--wrap", "auto", "--cells", cells, "--spheres", "24", "-o", &out];
        let done = run(&[&arguments[..], joints].concat());
        let errors = text(&done.stderr);
        let outcome = match done.status.code() {
            Some(0) if errors.contains("was wrapped") => "wrapped",
            Some(0) if errors.contains("was changed") => "repaired",
            Some(0) => "as it is",
            // A number that is none is the only fault of a file here.
            Some(2) if errors.contains("NaN") || errors.contains("not finite") => "refused",
            status => panic!("{name}: {status:?}: {errors}"),
        };
        println!("{name}: {outcome} {}", errors.lines().last().unwrap_or_default());
        counts.entry(outcome).or_default().push(name);
    }
    let count = |outcome: &str| counts.get(outcome).map_or(0, Vec::len);
    let [plain, repaired, wrapped, refused] = ["as it is", "repaired", "wrapped", "refused"].map(count);
    println!(
        "{plain} as they are, {repaired} repaired, {wrapped} wrapped, {refused} refused: {:?}",
        counts.get("refused")
    );
    if !all.is_empty() {
        assert!(plain > 0 && wrapped > 0, "{counts:?}");
    }
}
