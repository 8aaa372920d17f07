//! `kinetree pack --compound`: balls of rigid bodies as code, against the file of spheres.

use std::fs;

use crate::io_support::Folder;
use crate::pack_joints::arm;
use crate::program::{run, text};
use kinetree::io::{SphereFile, read_spheres};

fn pack(folder: &Folder, mesh: &str, compound: &str, more: &[&str]) -> (SphereFile, String) {
    let (out, code) = (folder.at("out.json"), folder.at(compound));
    let done = run(&[&["pack", mesh, "--cells", "24", "-o", &out, "--compound", &code], more].concat());
    assert_eq!((done.status.code(), text(&done.stderr).as_str()), (Some(0), ""));
    (read_spheres(folder.path("out.json")).unwrap(), fs::read_to_string(folder.path(compound)).unwrap())
}

/// All numbers in braces or brackets of four, as the code has them.
fn fours(code: &str, open: char, close: char) -> Vec<[f32; 4]> {
    let entry = |part: &str| -> Option<[f32; 4]> {
        let numbers: Vec<f32> =
            part.split(close).next()?.split(", ").map_while(|n| n.trim_end_matches('f').parse().ok()).collect();
        numbers.try_into().ok()
    };
    code.split(open).filter_map(entry).collect()
}

#[test]
fn whole_bodies_are_written_in_three_languages() {
    let folder = Folder::new();
    let arguments = ["--poses", "fixtures/van/van_dented.obj", "--spheres", "20"];
    for (name, open, close) in [("van.json", '[', ']'), ("van.rs", '[', ']'), ("van.h", '{', '}'), ("VAN.RS", '[', ']')]
    {
        let (file, code) = pack(&folder, "fixtures/van/van.obj", name, &arguments);
        let rest = file.poses[0].spheres.iter().map(|sphere| {
            let [x, y, z] = sphere.centre;
            [x, y, z, sphere.radius].map(|number| number as f32)
        });
        let wanted: Vec<[f32; 4]> = rest.filter(|[.., radius]| *radius > 0.0).collect();
        assert_eq!(fours(&code, open, close), wanted, "{name}: {code}");
        assert!(wanted.len() == 20);
    }
    // In a pose, points are left out.
    let (file, _) = pack(&folder, "fixtures/van/van.obj", "van.rs", &arguments);
    for (number, pose) in file.poses.iter().enumerate() {
        let balls = file.compound(number).unwrap().balls;
        let is_ball = pose.spheres.iter().enumerate().filter(|(_, sphere)| sphere.radius > 0.0);
        assert!(balls.iter().map(|ball| ball.sphere as usize).eq(is_ball.map(|(sphere, _)| sphere)));
    }
    assert!(file.compound(2).is_none());
    assert_eq!(file.compounds(), [file.compound(0).unwrap()]);
    // To standard output the code goes alone.
    let out = folder.at("out.json");
    let done = run(&["pack", "fixtures/van/van.obj", "--cells", "12", "-o", &out, "--compound", "-"]);
    let parsed: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(parsed["compounds"][0]["name"], "");
    assert!(text(&done.stderr).contains("64 spheres"), "{}", text(&done.stderr));
}

#[test]
fn joints_have_bodies_in_metres() {
    let folder = Folder::new();
    let model = folder.write_at("arm.glb", arm(1.0).glb());
    let (file, code) = pack(&folder, &model, "arm.json", &["--joints", "--spheres", "16"]);
    let skin = file.skin.as_ref().unwrap();
    let parsed: serde_json::Value = serde_json::from_str(&code).unwrap();
    let bodies = parsed["compounds"].as_array().unwrap();
    assert_eq!(bodies.len(), 2);
    let mut count = 0;
    for (number, body) in bodies.iter().enumerate() {
        assert_eq!(
            (body["name"].as_str(), body["node"].as_u64()),
            (Some(["upper", "fore"][number]), Some(2 + number as u64))
        );
        let own = skin.spheres.iter().enumerate().filter(|(_, bound)| bound.joint as usize == number);
        for (ball, (sphere, _)) in body["balls"].as_array().unwrap().iter().zip(own) {
            // The joint is not turned at rest; the elbow is 1 m up. The scale of a half is applied.
            let rest = file.poses[0].spheres[sphere];
            let [x, y, z] = rest.centre;
            let wanted = [x, y, z - number as f64, rest.radius];
            for (found, wanted) in ball.as_array().unwrap().iter().zip(wanted) {
                assert!((found.as_f64().unwrap() - wanted).abs() < 1e-6, "{ball}, not {wanted}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 16);
    let (_, code) = pack(&folder, &model, "arm.rs", &["--joints", "--spheres", "16"]);
    assert!(code.contains("(\"upper\", &BALLS_0),") && code.contains("pub const COMPOUNDS: [(&str, &[[f32; 4]]); 2]"));
    let (_, code) = pack(&folder, &model, "arm.h", &["--joints", "--spheres", "16"]);
    assert!(code.contains("{\"fore\", ") && code.contains("compounds[2]"), "{code}");
}
