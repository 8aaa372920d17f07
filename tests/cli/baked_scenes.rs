//! Baked scenes: files made and read by the program, compared with runs without them; damage and
//! mismatch are refused.

use std::path::Path;

use kinetree::io::{BakeSettings, BakedScene, BakedSceneError, ReadErrorKind, read_baked_scene, read_scene};
use kinetree::world::{ContactMode, Engine, IgnoredContacts, WorldDef};

use crate::io_support::Folder;
use crate::program::{run, text};

fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Refused in a sentence that holds all parts, not by a panic.
fn refused(arguments: &[&str], parts: &[&str]) {
    let output = run(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(parts.iter().all(|part| message.contains(part)), "{arguments:?}: {message}");
    assert!(!message.contains("panicked"), "{message}");
}

fn json(path: &str) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// A pointer that dips through a floor twice, and a hinge of four triangles that moves through
/// itself.
fn dip(folder: &Folder) -> String {
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    for (frame, height) in [1.0, -0.5, 1.0, -0.25, 0.5].into_iter().enumerate() {
        let z = height + 1.0;
        folder.write(&format!("tip_{frame}.obj"), format!("v 0 0 {height}\nv 1 0 {z}\nv 0 1 {z}\nf 1 2 3\n"));
        let x = 2.0 * height;
        let loose = format!("v 8 0 0\nv 10 0 0\nv 9 2 0\nv {} 1 -1\nv {} 1 1\nv {} 2 0\n", 9.5 + x, 9.5 + x, 9.7 + x);
        folder.write(&format!("loose_{frame}.obj"), &(loose + "f 1 2 3\nf 4 5 6\n"));
    }
    let scene = "fps = 3\nspan = [0, 4]\n[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n\
                 [[body]]\nname = \"tip\"\nmotion = \"tip_#.obj\"\nfps = 1\n\
                 [[body]]\nname = \"loose\"\nmotion = \"loose_#.obj\"\nfps = 1\nself_contact = true\n";
    folder.write_at("scene.toml", scene)
}

/// What `check` writes, but for the counters; and its table, but for the costs.
fn report(folder: &Folder, scene: &str, more: &[&str]) -> (serde_json::Value, String, String) {
    let (out, table) = (folder.at("out.json"), folder.at("out.csv"));
    let told = succeed(&[&["check", scene, "--allow-outside", "--json", &out, "--csv", &table], more].concat());
    let mut report = json(&out);
    report["stats"].take();
    let told =
        told.lines().filter(|line| !line.contains(" in ") || line.contains("contact")).collect::<Vec<_>>().join("\n");
    (report, std::fs::read_to_string(table).unwrap(), told)
}

#[test]
fn a_baked_run_is_reported_like_the_run_itself() {
    let folder = Folder::new();
    let dip = dip(&folder);
    // A few frames around the first contacts of the shipped clip.
    let clip = folder.write_at("clip.toml", shipped("span = [0.85, 1.02]"));
    for scene in [&dip, &clip] {
        for format in ["stamped", "frames"] {
            let baked = folder.at("scene.kbake");
            let told = ["bake", scene, "--allow-outside", "-o", &baked, "--format", format, "--sync-points", "1"];
            let told = succeed(&told);
            assert!(told.contains("contacts") && told.contains("bytes per triangle"), "{told}");
            let plain = report(&folder, scene, &[]);
            assert!(!plain.0["intervals"].as_array().unwrap().is_empty());
            assert_eq!(report(&folder, scene, &["--baked", &baked]), plain);
            let at_times = report(&folder, scene, &["--intervals=false"]);
            assert_eq!(report(&folder, scene, &["--intervals=false", "--baked", &baked]), at_times);
        }
    }
    let baked = folder.at("dip.kbake");
    succeed(&["bake", &dip, "-o", &baked, "-q"]);
    for more in [&["--fps", "16"][..], &["--times", "0.7,0.71,3.2"], &["--first"], &["--fps", "7", "--first"]] {
        let with_file = [more, &["--baked", &baked]].concat();
        assert_eq!(report(&folder, &dip, &with_file), report(&folder, &dip, more), "{more:?}");
    }
    let status =
        |more: &[&str]| run(&[&["check", &dip, "-q", "--fail-on", "contacts", "--baked", &baked], more].concat());
    assert_eq!(status(&["--times", "0,0.1"]).status.code(), Some(0));
    assert_eq!(status(&["--times", "0,2"]).status.code(), Some(1));
    // Rules of the command line are baked in.
    let (rules, thick) = (["--thickness", "0.5", "--self", "--ignore-rest-contacts"], folder.at("thick.kbake"));
    succeed(&[&["bake", &dip, "-o", &thick, "-q"], &rules[..]].concat());
    let with_file = [&rules[..], &["--baked", &thick]].concat();
    assert_eq!(report(&folder, &dip, &with_file), report(&folder, &dip, &rules));
}

/// A ball of growing radius that reaches a floor at 6/5 s, just after the `f64` 1.2; and one that
/// passes through a post.
const SPHERES: &str = r#"
fps = 10
span = [0, 2]
[[body]]
name = "floor"
positions = [[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]]
triangles = [[0, 1, 2], [0, 2, 3]]
[[body]]
name = "bubble"
spheres = [[-1, -1, 1, 0.25]]
plan = { kind = "spheres", times = [0, 2], spheres = [[[-1, -1, 1, 0.25]], [[-1, -1, 1, 1.5]]] }
[[body]]
name = "post"
positions = [[12, -1, -1], [12, 1, -1], [12, 0, 1]]
triangles = [[0, 1, 2]]
[[body]]
name = "ball"
spheres = [[10, 0, 0, 0.5]]
plan = { kind = "placed", times = [0, 2], keys = [{}, { translate = [3, 0, 0] }] }
"#;

#[test]
fn spheres_are_reported_like_the_run_itself() {
    let folder = Folder::new();
    let own = folder.write_at("spheres.toml", SPHERES);
    let [over_time, at_times]: [&[&str]; 2] = [&[], &["--intervals=false"]];
    // Of the kinds of motion, some have no trees to bake.
    for (scene, all) in [
        (&*own, &[over_time, at_times][..]),
        ("fixtures/van/scene.toml", &[over_time, at_times]),
        ("fixtures/kinds/scene.toml", &[over_time]),
    ] {
        let baked = folder.at("spheres.kbake");
        succeed(&["bake", scene, "-o", &baked, "-q"]);
        for &more in all {
            let plain = report(&folder, scene, more);
            assert!(plain.1.lines().count() > 2, "{scene} {more:?}: {}", plain.1);
            let from_file = report(&folder, scene, &[more, &["--baked", &baked]].concat());
            assert_eq!(from_file.1, plain.1, "{scene} {more:?}");
            assert_eq!(from_file, plain, "{scene} {more:?}");
        }
    }
}

/// A triangle that loops through three heights, over a floor at 0.
fn looped(span: &str, times: &str, heights: [f32; 3]) -> String {
    let key = |z: f32| format!("[[0.2, 0.2, {z:?}], [0.4, 0.2, {z:?}], [0.2, 0.4, {z:?}]]");
    let keys = heights.map(key).join(", ");
    format!(
        "fps = 4\nspan = {span}\n[[body]]\nname = \"flyer\"\npositions = {}\ntriangles = [[0, 1, 2]]\noutside = \"loop\"\n\
         plan = {{ kind = \"keyframes\", times = {times}, positions = [{keys}] }}\n\
         [[body]]\nname = \"floor\"\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n",
        key(1.0)
    )
}

/// A primitive that rests, near a triangle that hardly moves.
fn near(primitive: &str) -> String {
    format!(
        "fps = 10\nspan = [0, 1]\n[[body]]\nname = \"ball\"\n{primitive}\n[[body]]\nname = \"other\"\n\
         positions = [[8.1, 8.1, 8.1], [8.1, 8.2, 8.1], [8.2, 8.1, 8.1]]\ntriangles = [[0, 1, 2]]\nvelocity = [0.001, 0, 0]\n"
    )
}

/// A wrap shows only one of its two sides at its own time, and corners of boxes do not tell spheres
/// apart.
#[test]
fn loops_and_spheres_are_told_apart() {
    let folder = Folder::new();
    let sphere = |radius: &str| near(&format!("spheres = [[9, 9, 9, {radius}]]"));
    let diagonal = "positions = [[7.999999523162842, 7.999999523162842, 7.999999523162842], \
                    [10.000000953674316, 10.000000953674316, 10.000000953674316]]\nsegments = [[0, 1]]";
    let pairs = [
        // The span begins at a wrap: the round begins elsewhere.
        (looped("[1, 2]", "[0, 0.5, 1]", [2.0, 1.5, 1.0]), looped("[1, 2]", "[0, 0.5, 1]", [-2.0, 1.5, 1.0])),
        // It ends where the first round begins: the round before ends elsewhere.
        (looped("[0.5, 1]", "[1, 1.5, 2]", [1.0, 1.0, 2.0]), looped("[0.5, 1]", "[1, 1.5, 2]", [1.0, 1.0, -2.0])),
        (sphere("0.9999998"), sphere("0.9999996")),
        (sphere("1"), near(diagonal)),
    ];
    for (number, (baked_of, other)) in pairs.iter().enumerate() {
        let [own, other] = [folder.write_at("own.toml", baked_of), folder.write_at("other.toml", other)];
        let baked = folder.at("own.kbake");
        succeed(&["bake", &own, "-o", &baked, "-q"]);
        assert_eq!(report(&folder, &own, &["--baked", &baked]), report(&folder, &own, &[]), "{number}");
        refused(&["check", &other, "--baked", &baked], &["has another mesh or motion"]);
    }
}

/// The shipped scene with another span, its files where they are.
fn shipped(span: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cloth_ball");
    let text = std::fs::read_to_string(folder.join("scene.toml")).unwrap();
    let whole = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    ["cloth.obj", "cloth.pc2", "ball.obj", "ball.xforms.json", "floor.obj"]
        .iter()
        .fold(format!("{span}\n{text}"), |text, name| {
            text.replace(&format!("\"{name}\""), &format!("\"{}\"", whole(name)))
        })
}

#[test]
fn mismatching_files_are_refused() {
    let folder = Folder::new();
    let (scene, baked) = (dip(&folder), folder.at("dip.kbake"));
    succeed(&["bake", &scene, "-o", &baked, "-q", "--format", "frames"]);
    let check = |more: &[&str], parts: &[&str]| refused(&[&["check", &scene, "--baked", &baked], more].concat(), parts);
    check(&["--thickness", "0.1"], &["dip.kbake", "another scene", "thickness"]);
    check(&["--self"], &["another scene", "self contact"]);
    check(&["--neighbours"], &["another scene", "neighbours"]);
    check(&["--times", "0,5"], &["5 s"]);
    check(&["--times", "0,0.1", "--intervals=false"], &["0.1 s"]);
    // Every sample is a baked frame; the end of the span is none, and is not asked for.
    let output = run(&["check", &scene, "--baked", &baked, "--intervals=false", "--span", "0..2.5"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    check(&["--engine", "kinetic"], &["--engine"]);
    refused(&["check", &scene, "--baked", "no/such.kbake"], &["no/such.kbake", "no such file"]);
    refused(&["check", &scene, "--baked", &scene], &["scene.toml", "not a baked scene"]);
    // One vertex elsewhere at one key.
    folder.write("tip_3.obj", "v 0 0 -0.25\nv 1 0 0.75\nv 0 1 0.5\nf 1 2 3\n");
    check(&[], &["another scene", "'tip'"]);
    let text = std::fs::read_to_string(&scene).unwrap();
    let fewer = folder.write_at("fewer.toml", &text[..text.rfind("[[body]]").unwrap()]);
    refused(&["check", &fewer, "--baked", &baked], &["3 bodies", "2"]);
    let excluded = folder.write_at("excluded.toml", &(text.clone() + "[[exclude]]\nbodies = [\"floor\", \"loose\"]\n"));
    let output = run(&["check", &excluded, "--baked", &baked]);
    assert_eq!(output.status.code(), Some(2));
    refused(&["bake", &scene, "-o", "no/such/folder/x.kbake"], &["no/such/folder/x.kbake"]);
    refused(&["bake", &scene, "-o", &baked, "--fps", "3"], &["--fps", "frames"]);
    // Without a scene file it is the rate of a sequence.
    let files = [folder.at("tip_#.obj"), folder.at("floor.obj")];
    refused(&["bake", &files[0], &files[1], "-o", &baked], &["--fps 24"]);
    succeed(&["bake", &files[0], &files[1], "-o", &baked, "-q", "--fps", "24"]);
    let still = folder.write_at("still.toml", "[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n");
    refused(&["bake", &still, "-o", &baked], &["no stretch of time"]);
}

#[test]
fn damaged_files_are_refused() {
    let folder = Folder::new();
    let scene = read_scene(dip(&folder)).unwrap();
    for frames in [None, Some(scene.sample_times())] {
        let settings = BakeSettings { frames, ..BakeSettings::new([0.0, 4.0]) };
        let (baked, left_out) = BakedScene::bake(&scene, &settings).unwrap();
        assert!(left_out.is_empty() && baked.contacts().unwrap().len() >= 3);
        let bytes = baked.to_bytes();
        assert_eq!(BakedScene::from_bytes(&bytes).unwrap(), baked);
        for length in 0..bytes.len() {
            assert!(BakedScene::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
        for place in 0..bytes.len() {
            for flip in [1, 0x40, 0xff] {
                let mut changed = bytes.clone();
                changed[place] ^= flip;
                assert!(BakedScene::from_bytes(&changed).is_err(), "byte {place} flipped by {flip:#x}");
            }
        }
        assert!(BakedScene::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
        let path = folder.path("cut.kbake");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let error = read_baked_scene(&path).unwrap_err();
        assert!(matches!(error.kind(), ReadErrorKind::Baked(BakedSceneError::Checksum)), "{error}");
        assert!(error.to_string().contains("cut.kbake"));
    }
}

#[test]
fn trees_without_contacts_and_contacts_without_trees() {
    let folder = Folder::new();
    let (scene, baked) = (dip(&folder), folder.at("trees.kbake"));
    succeed(&["bake", &scene, "-o", &baked, "-q", "--no-contacts"]);
    refused(&["check", &scene, "--baked", &baked], &["--intervals=false"]);
    let at_times = ["--intervals=false", "--fps", "11"];
    let with_file = [&at_times[..], &["--baked", &baked]].concat();
    assert_eq!(report(&folder, &scene, &with_file), report(&folder, &scene, &at_times));
    // A loop jumps, so there is no tree of it; its contacts are baked all the same.
    let looping =
        std::fs::read_to_string(&scene).unwrap().replace("tip_#.obj\"\n", "tip_#.obj\"\noutside = \"loop\"\n");
    let looped = folder.write_at("loop.toml", looping.replace("span = [0, 4]", "span = [0, 9]"));
    let output = run(&["bake", &looped, "-o", &baked]);
    let message = text(&output.stderr);
    assert!(output.status.success() && message.contains("no tree of 'tip'") && message.contains("jumps"), "{message}");
    assert_eq!(report(&folder, &looped, &["--baked", &baked]), report(&folder, &looped, &[]));
    refused(&["check", &looped, "--baked", &baked, "--intervals=false"], &["'tip'", "no baked tree"]);
}

#[test]
fn any_order_of_times() {
    let folder = Folder::new();
    let scene = read_scene(dip(&folder)).unwrap();
    let (baked, _) = BakedScene::bake(&scene, &BakeSettings::new([0.0, 4.0])).unwrap();
    let mut open = baked.open(&scene, IgnoredContacts::None).unwrap();
    let times: Vec<f64> = (0..=97).map(|step| 4.0 * f64::from(step * 37 % 98) / 97.0).collect();
    let mut touching = 0;
    for &time in &times {
        let def = WorldDef::default().start(time).contacts(ContactMode::Continuous);
        let (world, _) = scene.world(def, IgnoredContacts::None).unwrap();
        let over_time = open.contacts_at(time).unwrap();
        assert_eq!(over_time, world.contacts(), "at {time}");
        let def = WorldDef::default().start(time).engine(Engine::BruteForce);
        let (world, ids) = scene.world(def, IgnoredContacts::None).unwrap();
        assert_eq!(open.contacts_by_trees(time).unwrap(), world.contacts(), "at {time}");
        touching += usize::from(!over_time.is_empty());
        for (body, &id) in ids.iter().enumerate() {
            let bounds = open.bounds_at(body, time).unwrap();
            assert!(world.positions(id).unwrap().iter().all(|point| bounds.contains(point)));
        }
    }
    assert!((10..90).contains(&touching), "{touching}");
}

/// At a wrap nothing touches yet: a contact that begins after it, or that ended at the begin of the
/// span, does not end a search for the first one.
#[test]
fn the_first_contact_of_a_loop_is_not_at_its_wrap() {
    let folder = Folder::new();
    let keys = |heights: [f32; 3]| {
        let key = |z: f32| format!("[[0.2, 0.2, {}], [0.3, 0.2, {}], [0.2, 0.3, {}]]", z - 0.1, z + 0.1, z + 0.1);
        heights.map(key).join(", ")
    };
    for (span, heights) in [("[0.25, 2]", [0.0, 1.5, 1.0]), ("[1, 2]", [1.0, 1.5, 0.0])] {
        let scene = format!(
            "fps = 4\nspan = {span}\n[[body]]\nname = \"flyer\"\npositions = [[0.2, 0.2, 0], [0.3, 0.2, 0], [0.2, 0.3, 0]]\n\
             triangles = [[0, 1, 2]]\noutside = \"loop\"\n\
             plan = {{ kind = \"keyframes\", times = [0, 0.5, 1], positions = [{}] }}\n\
             [[body]]\nname = \"floor\"\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n",
            keys(heights)
        );
        let (scene, baked) = (folder.write_at("wrap.toml", scene), folder.at("wrap.kbake"));
        succeed(&["bake", &scene, "-o", &baked, "-q"]);
        let own = run(&["check", &scene, "--first", "--fail-on", "contacts"]);
        let from_file = run(&["check", &scene, "--baked", &baked, "--first", "--fail-on", "contacts"]);
        assert_eq!(own.status.code(), Some(1), "{span}");
        assert_eq!(from_file.status.code(), Some(1), "{span}: {}", text(&from_file.stdout));
        let whole = [report(&folder, &scene, &["--first"]), report(&folder, &scene, &["--first", "--baked", &baked])];
        assert_eq!(whole[0], whole[1], "{span}");
    }
}
