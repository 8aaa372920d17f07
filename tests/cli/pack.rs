//! `kinetree pack`: files, reports and refusals of the program.

use std::fmt::Write as _;

use crate::io_support::Folder;
use crate::program::{run, text};
use kinetree::Sphere;
use kinetree::io::{SphereFile, read_spheres};

fn pack(folder: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let out = folder.at("out.json");
    let done = run(&[&["pack"], arguments, &["-o", &out, "--cells", "24"]].concat());
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

fn packed(arguments: &[&str]) -> SphereFile {
    let folder = Folder::new();
    let (status, _, errors) = pack(&folder, arguments);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{arguments:?}");
    read_spheres(folder.path("out.json")).unwrap()
}

/// A cube from 0 to 2 m, by faces; `turned` lists triangles that are written the wrong way round.
fn cube(folder: &Folder, name: &str, faces: usize, turned: &[usize]) -> String {
    let mut obj = String::new();
    for corner in 0..8 {
        let _ = writeln!(obj, "v {} {} {}", 2 * (corner & 1), 2 * (corner >> 1 & 1), 2 * (corner >> 2));
    }
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().take(faces).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    for (number, [a, b, c]) in triangles.enumerate() {
        let [b, c] = if turned.contains(&number) { [c, b] } else { [b, c] };
        let _ = writeln!(obj, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    folder.write_at(name, obj)
}

#[test]
fn a_cube_is_packed_by_number_and_by_error() {
    let folder = Folder::new();
    let mesh = cube(&folder, "cube.obj", 6, &[]);
    let one = packed(&[&mesh, "--spheres", "1"]);
    assert_eq!(one.poses.len(), 1);
    assert_eq!(one.mesh.as_ref().unwrap().file, "cube.obj");
    let [Sphere { centre, radius }] = one.poses[0].spheres[..] else { panic!("one sphere") };
    // The largest ball in a cube; depths are rounded down.
    assert_eq!(centre, [1.0; 3]);
    assert!(radius <= 1.0 && radius > 1.0 - 1e-9);
    let gap = |file: &SphereFile| file.poses[0].quality.iter().find(|(name, _)| name == "largest_gap").unwrap().1;
    assert!((gap(&one) - (3f64.sqrt() - 1.0)).abs() < 1e-6);

    let fine = packed(&[&mesh, "--error", "30cm"]);
    assert!(gap(&fine) <= 0.3 && fine.sphere_count() > 1);
    // One sphere fewer does not suffice.
    let count = (fine.sphere_count() - 1).to_string();
    let fewer = packed(&[&mesh, "--spheres", &count]);
    assert!(gap(&fewer) > 0.3);
    assert_eq!(fewer.poses[0].spheres, fine.poses[0].spheres[..fewer.sphere_count()]);
    // Independent of the program: every sphere lies in the cube.
    for Sphere { centre, radius } in &fine.poses[0].spheres {
        assert!(centre.iter().all(|x| x - radius >= -1e-9 && x + radius <= 2.0 + 1e-9));
    }
}

#[test]
fn lists_pictures_and_reports() {
    let folder = Folder::new();
    let [csv, png] = ["list.csv", "out.png"].map(|name| folder.at(name));
    let arguments = ["fixtures/van/van.obj", "--poses", "fixtures/van/van_dented.obj", "--spheres", "24"];
    let (status, said, errors) = pack(&folder, &[&arguments[..], &["--csv", &csv, "--picture", &png]].concat());
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    assert!(said.contains("24 spheres in 2 poses") && said.contains("van_dented"), "{said}");
    let file = read_spheres(folder.path("out.json")).unwrap();
    let rows: Vec<String> = std::fs::read_to_string(&csv).unwrap().lines().map(str::to_owned).collect();
    assert_eq!((rows[0].as_str(), rows.len()), ("pose,sphere,x,y,z,radius", 1 + 2 * 24));
    let Sphere { centre: [x, y, z], radius } = file.poses[1].spheres[3];
    assert_eq!(rows[1 + 24 + 3], format!("1,3,{x:?},{y:?},{z:?},{radius:?}"));
    assert_eq!(std::fs::read(&png).unwrap()[1..4], *b"PNG");
    // The mesh may come after the poses.
    let turned = ["--poses", "fixtures/van/van_dented.obj", "--spheres", "24", "fixtures/van/van.obj"];
    assert_eq!(packed(&turned).poses[1].spheres, file.poses[1].spheres);
    // The dent moves spheres of the front back.
    let pushed = |pose: usize| file.poses[pose].spheres.iter().map(|sphere| sphere.centre[0]).fold(f64::MIN, f64::max);
    assert!(pushed(1) < pushed(0) - 0.05, "{} {}", pushed(0), pushed(1));
}

#[test]
fn the_proxy_of_the_fixture_is_what_the_program_packs() {
    let made = run(&["pack", "fixtures/van/van.obj", "--error", "25cm", "--quiet", "-o", "-"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    assert_eq!(text(&made.stdout), std::fs::read_to_string("fixtures/van/van.spheres.json").unwrap());
    let checked = run(&["check", "fixtures/van/scene.toml"]);
    let said = text(&checked.stdout);
    assert!(
        checked.status.success() && said.contains("van") && said.contains("post"),
        "{said}{}",
        text(&checked.stderr)
    );
}

#[test]
fn poses_of_a_clip() {
    let file = packed(&[
        "fixtures/character/figure.obj:fixtures/character/figure.pc2",
        "--fps",
        "30",
        "--clip-poses",
        "3",
        "--spheres",
        "8",
    ]);
    assert_eq!(file.poses.iter().map(|pose| pose.spheres.len()).collect::<Vec<_>>(), [8; 4]);
    assert_eq!(file.poses[0].name, "rest");
}

#[test]
fn meshes_are_repaired_with_a_report_or_refused_with_a_remedy() {
    let folder = Folder::new();
    let turned = cube(&folder, "turned.obj", 6, &[3]);
    let (status, _, errors) = pack(&folder, &[&turned]);
    assert_eq!(status, Some(0));
    let note = "the mesh was changed: turned 1 triangles to agree with their neighbours, first 3";
    assert_eq!(errors, format!("note: {note}\n"));
    assert_eq!(read_spheres(folder.path("out.json")).unwrap().notes, [note]);

    let (status, _, errors) = pack(&folder, &[&turned, "--strict"]);
    assert_eq!(status, Some(2));
    assert!(
        errors.contains("disagree about which side is outside")
            && errors.ends_with("leave out --strict to have it repaired\n"),
        "{errors}"
    );

    let open = cube(&folder, "open.obj", 5, &[]);
    std::fs::remove_file(folder.path("out.json")).unwrap();
    let (status, _, errors) = pack(&folder, &[&open]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("the mesh is open: a border of 4 sides; spheres need an inside"), "{errors}");
    assert!(!folder.path("out.json").exists());
    let (status, _, errors) = pack(&folder, &[&open, "--fill-holes", "4"]);
    assert_eq!(status, Some(0));
    assert!(errors.contains("the mesh was changed: filled a loop of 4 sides"), "{errors}");

    let flat = folder.write_at("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
    let (status, _, errors) = pack(&folder, &[&flat]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("flat.obj: ") && errors.contains("Solidify"), "{errors}");
    // What has no inside is wrapped, and the file says how far the surface moved.
    for mesh in [&open, &flat] {
        let (status, _, errors) = pack(&folder, &[mesh, "--wrap", "20cm", "--spheres", "8"]);
        assert_eq!(status, Some(0), "{errors}");
        let file = read_spheres(folder.path("out.json")).unwrap();
        let [how, note] = &file.notes[..] else { panic!("two notes") };
        assert!(how.starts_with("the mesh was wrapped by ") && errors == format!("note: {how}\nnote: {note}\n"));
        let farthest: f64 = note.split(" m at most").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
        assert!((0.19..0.35).contains(&farthest), "{note}");
    }
    let (status, _, errors) = pack(&folder, &[&flat, "--wrap", "1mm"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("give more --cells, or a larger --wrap"), "{errors}");
}

#[test]
fn wishes_that_cannot_be_met() {
    let folder = Folder::new();
    let mesh = cube(&folder, "cube.obj", 6, &[]);
    let other = folder.write_at("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let refused = |arguments: &[&str], part: &str| {
        let (status, _, errors) = pack(&folder, &[&[mesh.as_str()], arguments].concat());
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
        assert!(!folder.path("out.json").exists());
    };
    refused(&["--error", "1mm"], "is not reached");
    refused(&["--error", "-1"], "--error: -1 is not a number of metres above 0");
    refused(&["--largest", "nan"], "--largest: NaN is not a number of metres above 0");
    refused(&["--error", "1cm", "--spheres", "3"], "cannot be used with");
    refused(&["--spheres", "0"], "0 is not in 1..");
    refused(&["--poses", &other], "export all poses from the same object");
    refused(&["--clip-poses", "3"], "does not move");
    refused(&["--csv", &mesh], "cube.obj");
    let (status, _, errors) = pack(&folder, &["fixtures/cloth_ball/none.obj"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("there is no such file"), "{errors}");
}

/// A cube's corners are (√3 − 1) m from its largest ball: the share of the surface within a fiftieth of its side counts.
#[test]
fn the_usual_limit_is_a_fiftieth_of_the_meshs_side() {
    let folder = Folder::new();
    let mesh = cube(&folder, "cube.obj", 6, &[]);
    let out = folder.at("out.json");
    let covered = |arguments: &[&str]| {
        let done = run(&[&["pack", &mesh, "--spheres", "60", "-o", &out], arguments].concat());
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let fit = &read_spheres(&out).unwrap().poses[0].quality;
        (text(&done.stdout), fit.iter().find(|(name, _)| name == "covered").unwrap().1)
    };
    for arguments in [&["--cells", "5"][..], &["--cells", "24"], &["--cells", "17", "--wrap", "50cm"]] {
        let (said, share) = covered(arguments);
        assert!(said.contains("within 0.0400 m"), "{said}");
        assert_eq!(share, covered(&[arguments, &["--limit", "4cm"]].concat()).1);
    }
}

#[test]
fn poses_that_spheres_cannot_follow_are_refused_by_name() {
    let folder = Folder::new();
    let mesh = cube(&folder, "cube.obj", 6, &[]);
    let written = std::fs::read_to_string(&mesh).unwrap();
    let mirrored = folder.write_at("mirrored.obj", written.replace("v 2", "v -2"));
    let (status, _, errors) = pack(&folder, &[&mesh, "--poses", &mesh, "--poses", &mirrored]);
    assert_eq!(status, Some(2), "{errors}");
    let said = "cube.obj: pose mirrored is mirrored, or encloses nothing: its volume is -8 m³; leave it out";
    assert!(errors.contains(said), "{errors}");
    // The centre keeps its height above the lower face.
    let lines = written.lines().map(|line| match line.strip_suffix(" 2").filter(|_| line.starts_with('v')) {
        Some(start) => format!("{start} 0.1\n"),
        None => format!("{line}\n"),
    });
    let low = folder.write_at("low.obj", lines.collect::<String>());
    let (status, _, errors) = pack(&folder, &[&mesh, "--poses", &low, "--spheres", "1"]);
    assert_eq!(status, Some(2), "{errors}");
    assert!(
        errors.contains("pose low has the centres of all spheres outside of its surface; leave it out"),
        "{errors}"
    );
    assert!(!folder.path("out.json").exists());
}
