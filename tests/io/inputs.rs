//! Lists of inputs as scenes: names, times, spans, glTF; scene files; and every refusal.

use std::path::Path;

use crate::build::Builder;
use crate::io_support::data::shared;
use crate::io_support::{Folder, mdd, pc2, sentence};
use kinetree::incident::PartLabel;
use kinetree::io::gltf::{GltfSceneOptions, read_gltf_scene};
use kinetree::io::{
    Input, InputOptions, MotionData, ReadError, Scene, parse_scene, read_inputs, read_scene, scene_text,
    transform_point,
};
use serde_json::json;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

fn read(folder: &Folder, words: &[&str], options: &InputOptions) -> Result<Scene, ReadError> {
    read_inputs(&inputs(folder, words), options)
}

/// The words, with the folder before every path.
fn inputs(folder: &Folder, words: &[&str]) -> Vec<Input> {
    let input = |word: &&str| {
        let mut input: Input = word.parse().unwrap();
        input.path = folder.path(input.path.to_str().unwrap());
        input.motion = input.motion.map(|motion| folder.path(motion.to_str().unwrap()));
        input
    };
    words.iter().map(input).collect()
}

fn at(fps: f64) -> InputOptions {
    InputOptions::default().at_fps(fps)
}

fn names(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.name.as_str()).collect()
}

/// An arm of two triangles that turns by `degrees` in all, with keys at `times`.
fn arm(times: &[f32], degrees: f32, clips: &[&str]) -> Builder {
    let mut file = Builder::new();
    let mesh = file.triangles(&[
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.1, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 0.1, 0.0],
        [0.0, 0.1, 0.0],
    ]);
    file.push("nodes", json!({ "name": "Arm", "children": [1] }));
    file.push("nodes", json!({ "name": "Hand", "mesh": mesh }));
    file.push("nodes", json!({ "name": "Stand", "mesh": mesh, "translation": [0, 0, 5] }));
    let input = file.scalars(times);
    let last = times[times.len() - 1];
    let turns: Vec<[f32; 4]> = times
        .iter()
        .map(|time| {
            let half = 0.5 * (degrees * time / last).to_radians();
            [0.0, 0.0, half.sin(), half.cos()]
        })
        .collect();
    let output = file.fours(&turns);
    for name in clips {
        let channels = json!([{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }]);
        file.push(
            "animations",
            json!({ "name": name, "channels": channels, "samplers": [{ "input": input, "output": output }] }),
        );
    }
    file
}

#[test]
fn bodies_in_order_with_names_times_and_span() {
    let folder = Folder::new();
    folder.write("a/cloth.obj", TRIANGLE);
    folder.write("a/cloth.pc2", pc2(3, 0.0, 1.0, 2, &[0.0; 18]));
    folder.write("a/cloth.mdd", mdd(2, 3, &[0.5, 4.0], &[1.0; 18]));
    folder.write("b/cloth.obj", TRIANGLE);
    for frame in 0..4 {
        folder.write(&format!("f_{frame:03}.obj"), TRIANGLE);
    }
    folder.write("turn.json", "{\"frames\": [[1,0,0,2, 0,1,0,0, 0,0,1,0, 0,0,0,1]], \"fps\": 10}");
    let words = ["a/cloth.obj:a/cloth.pc2", "b/cloth.obj", "f_###.obj", "b/cloth.obj:turn.json"];
    let scene = read(&folder, &words, &at(8.0)).unwrap();
    assert_eq!(names(&scene), ["a/cloth", "b/cloth", "f", "b/cloth (2)"]);
    assert_eq!(scene.bodies[0].motion.times(), [0.0, 0.125]);
    assert_eq!(scene.bodies[1].motion, MotionData::Fixed);
    assert_eq!(scene.bodies[2].motion.times(), [0.0, 0.125, 0.25, 0.375]);
    assert!(matches!(scene.bodies[3].motion, MotionData::Rigid { .. }));
    assert_eq!((scene.fps, scene.span), (Some(8.0), None));
    assert_eq!(scene.sample_times(), [0.0, 0.125, 0.25, 0.375]);
    // Without a rate, what the files state.
    let scene = read(&folder, &["a/cloth.obj:a/cloth.mdd", "b/cloth.obj:turn.json"], &InputOptions::default()).unwrap();
    assert_eq!((scene.bodies[0].motion.times(), scene.fps), (&[0.5, 4.0][..], None));
    // A name of the user's own.
    let own = inputs(&folder, &["b/cloth.obj"]).remove(0).named("towel");
    assert_eq!(names(&read_inputs(&[own], &InputOptions::default()).unwrap()), ["towel"]);
}

#[test]
fn a_model_is_sampled_at_the_rate_asked_for_and_says_how_far_off_it_is() {
    let folder = Folder::new();
    let path = folder.write("arm.glb", arm(&[0.0, 2.0], 170.0, &["Turn"]).glb());
    let scene_at = |fps: Option<f64>, tolerance: Option<f64>| {
        let mut options = GltfSceneOptions::default();
        (options.fps, options.tolerance) = (fps, tolerance);
        read_gltf_scene(&path, &options).unwrap()
    };
    for fps in [10.0, 24.0, 60.0] {
        // So large a tolerance that frames are enough.
        let scene = scene_at(Some(fps), Some(10.0));
        let hand = &scene.bodies[0];
        let frames = (2.0 * fps) as usize + 1;
        assert_eq!((hand.motion.key_count(), scene.sample_times().len()), (frames, frames), "{fps}");
        assert_eq!((scene.fps, scene.span), (Some(fps), Some([0.0, 2.0])));
        // The far corner is √1.01 m from the axis and turns evenly: its distance from the chord is
        // known.
        let step = (170.0f64 / 2.0 / fps).to_radians();
        let truth = 1.01f64.sqrt() * (1.0 - (0.5 * step).cos());
        let (proven, measured) = (hand.deviation.unwrap(), hand.measured_deviation);
        assert!((measured - truth).abs() < 1e-6 && measured <= proven + 1e-6, "{measured} {truth} {proven}");
        assert!(proven < 4.0 * truth, "{proven} {truth}");
        assert_eq!((scene.bodies[1].deviation, scene.bodies[1].motion.key_count()), (Some(0.0), 0));
    }
    // The samples do not depend on the tolerance, the keys between them do.
    let [plain, near, usual] = [Some(10.0), Some(1e-5), None].map(|tolerance| scene_at(Some(24.0), tolerance));
    // A thousandth of the model's size is the default.
    assert_eq!(plain.sample_times(), usual.sample_times());
    let coarse = [Some(10.0), None].map(|tolerance| scene_at(Some(1.0), tolerance).bodies[0].deviation.unwrap());
    assert!(coarse[0] > 0.2 && coarse[1] < 0.02, "{coarse:?}");
    assert_eq!(plain.sample_times(), near.sample_times());
    assert!(near.bodies[0].motion.key_count() > 5 * plain.bodies[0].motion.key_count());
    assert!(near.bodies[0].deviation.unwrap() <= 1e-5);
    // At every frame the place is the true one.
    let mut options = GltfSceneOptions::default();
    (options.fps, options.tolerance, options.stored) = (Some(24.0), Some(10.0), true);
    let stored = read_gltf_scene(&path, &options).unwrap();
    let MotionData::Rigid { times, transforms } = &stored.bodies[0].motion else { panic!() };
    assert!(matches!(plain.bodies[0].motion, MotionData::Reduced(_)) && plain.bodies[0].motion.times() == times);
    for (key, (time, matrix)) in times.iter().zip(transforms).enumerate() {
        let angle = (85.0 * time).to_radians();
        let tip = transform_point(matrix, [1.0, 0.0, 0.0]);
        assert!((f64::from(tip[0]) - angle.cos()).abs() < 1e-6 && (f64::from(tip[1]) - angle.sin()).abs() < 1e-6);
        // Without stored keys the body is at the same places.
        let [stored, reduced] = [&stored, &plain].map(|scene| scene.bodies[0].vertices_at_key(key).unwrap());
        let apart = stored.iter().flatten().zip(reduced.iter().flatten()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f32::max) < 1e-6);
    }
    assert_eq!(plain.bodies[0].deviation, stored.bodies[0].deviation);
    assert_eq!((plain.sample_times(), plain.span), (stored.sample_times(), stored.span));
    for bad in [0.0, -3.0, f64::NAN, f64::INFINITY, 1e15] {
        let mut options = GltfSceneOptions::default();
        options.fps = Some(bad);
        let message = read_gltf_scene(&path, &options).unwrap_err().to_string();
        assert!(message.contains("frames a second above 0") || message.contains("positions"), "{bad}: {message}");
    }
}

#[test]
fn the_rate_of_a_clip_is_that_of_its_keys_and_no_frame_is_lost() {
    let folder = Folder::new();
    for (fps, wanted) in [(25.0f32, 25.0), (30.0, 30.0), (29.97, 30.0)] {
        let times: Vec<f32> = (1..=50).map(|frame| frame as f32 / fps).collect();
        let path = folder.write("arm.glb", arm(&times, 90.0, &["Turn"]).glb());
        let scene = read_gltf_scene(&path, &GltfSceneOptions::default()).unwrap();
        assert_eq!(scene.fps, Some(wanted), "{fps}");
        if f64::from(fps) == wanted {
            // Neither the first nor the last frame is lost to the rounding of 32-bit times.
            assert_eq!((scene.sample_times().len(), scene.bodies[0].motion.key_count()), (50, 50));
        }
    }
}

/// As above, where a scene file names the model: keys at frames 1 and 46 are a rounding inside of
/// the frames.
#[test]
fn a_model_in_a_scene_file_loses_no_frame_either() {
    let folder = Folder::new();
    let times: Vec<f32> = (1..=46).map(|frame| frame as f32 / 24.0).collect();
    assert!(f64::from(times[0]) > 1.0 / 24.0 && f64::from(times[45]) < 46.0 / 24.0);
    folder.write("arm.glb", arm(&times, 90.0, &["Turn"]).glb());
    let alone = read_gltf_scene(folder.path("arm.glb"), &GltfSceneOptions::default()).unwrap();
    for keys in ["fps = 24\n", ""] {
        let text = format!("{keys}[[body]]\nname = 'hand'\nmesh = 'arm.glb#Hand'\n");
        let scene = read_scene(folder.write("s.toml", text)).unwrap();
        if scene.fps.is_some() {
            assert_eq!(scene.sample_times(), alone.sample_times());
        }
        assert_eq!(scene.sample_times().len(), 46, "{keys}");
    }
}

/// Beyond its keys a body that does not hold its pose is in another round, or nowhere: its first
/// frame and its last are at its keys, also beside a body that holds.
#[test]
fn frames_at_the_ends_of_a_model_that_does_not_hold_are_its_keys() {
    let folder = Folder::new();
    let times: Vec<f32> = (1..=46).map(|frame| frame as f32 / 24.0).collect();
    folder.write("arm.glb", arm(&times, 90.0, &["Turn"]).glb());
    let body = |name: &str| format!("[[body]]\nname = '{name}'\nmesh = 'arm.glb#Hand'\n");
    let ends = [times[0], times[45]].map(f64::from);
    for (outside, held) in [("loop", false), ("error", false), ("loop", true), ("error", true)] {
        let other = if held { body("held") } else { String::new() };
        let text = format!("fps = 24\n{}outside = '{outside}'\n{other}", body("hand"));
        let scene = read_scene(folder.write("s.toml", text)).unwrap();
        assert_eq!(scene.default_span(), Some(ends), "{outside} {held}");
        let samples = scene.sample_times();
        assert_eq!((samples.len(), samples[0], samples[45]), (46, ends[0], ends[1]), "{outside} {held}");
    }
}

/// Two clips that end in the same frame, one a rounding earlier than the other, which holds.
#[test]
fn of_clips_that_end_in_one_frame_the_first_that_does_not_hold_counts() {
    let folder = Folder::new();
    let short: Vec<f32> = (1..=7).map(|frame| frame as f32 / 10.0).collect();
    let long: Vec<f32> = (1..=47).map(|frame| frame as f32 / 10.0).collect();
    folder.write("short.glb", arm(&short, 90.0, &["Turn"]).glb());
    folder.write("long.glb", arm(&long, 90.0, &["Turn"]).glb());
    let [late, early] = [f64::from(short[6]) + 4.0, f64::from(long[46])];
    assert!(early < late && late < 4.7);
    for (outside, end) in [("hold", 4.7), ("loop", early), ("error", early)] {
        let text = format!(
            "fps = 10\n[[body]]\nname = 'a'\nmesh = 'short.glb#Hand'\noffset = 4\n\
             [[body]]\nname = 'b'\nmesh = 'long.glb#Hand'\noutside = '{outside}'\n"
        );
        let scene = read_scene(folder.write("s.toml", text)).unwrap();
        assert_eq!(scene.default_span().unwrap()[1], end, "{outside}");
        assert_eq!(scene.sample_times().last(), Some(&end), "{outside}");
    }
}

#[test]
fn nodes_and_clips_are_chosen_by_word_in_any_letter_case() {
    let folder = Folder::new();
    folder.write("arm.glb", arm(&[0.0, 1.0], 90.0, &["Rig|Turn", "Rig|Rest"]).glb());
    let one = |word: &str| read(&folder, &[word], &InputOptions::default());
    for (word, bodies) in [
        ("arm.glb@turn", &["Hand", "Stand"][..]),
        ("arm.glb#Arm@Rig|Turn", &["Hand"]),
        ("arm.glb#hand@1", &["Hand"]),
        ("arm.glb#2", &["Stand"]),
    ] {
        assert_eq!(names(&one(word).unwrap()), bodies, "{word}");
    }
    let message = folder.message(&one("arm.glb#Leg").unwrap_err());
    assert_eq!(message, "arm.glb: nodes: there is no node \"Leg\" with a mesh; there are: \"Hand\", \"Stand\"");
    let message = folder.message(&one("arm.glb@walk").unwrap_err());
    assert!(message.contains("no clip \"walk\"; there are: \"Rig|Turn\", \"Rig|Rest\""), "{message}");
    // Two models: names by their files; a span over both.
    folder.write("b.glb", arm(&[1.0, 3.0], 90.0, &["Turn"]).glb());
    let both = read(&folder, &["arm.glb", "b.glb#Hand"], &InputOptions::default()).unwrap();
    assert_eq!(names(&both), ["arm/Hand", "Stand", "b/Hand"]);
    assert_eq!((both.span, both.fps), (Some([0.0, 3.0]), Some(24.0)));
}

#[test]
fn the_scene_file_of_inputs_makes_the_same_scene() {
    let folder = Folder::new();
    folder.write("in/cloth.obj", TRIANGLE);
    folder.write("in/cloth.pc2", pc2(3, 0.0, 1.0, 2, &[0.25; 18]));
    folder.write("in/turn.json", "{\"frames\": [[1,0,0,2, 0,1,0,0, 0,0,1,0, 0,0,0,1]], \"fps\": 10}");
    folder.write("f_1.obj", TRIANGLE);
    folder.write("f_2.obj", TRIANGLE.replace("v 1", "v 1.5"));
    folder.write("say \"hi\" 'ho'.obj", TRIANGLE);
    let times: Vec<f32> = (0..=7).map(|frame| frame as f32 / 30.0).collect();
    folder.write("arm.glb", arm(&times, 90.0, &["Rig|Turn@2", "Rig|Rest"]).glb());
    folder.write("b.glb", arm(&[0.0, 1.0], 90.0, &["Turn"]).glb());
    folder.write("unnamed.glb", arm(&times, 90.0, &[""]).glb());
    let all = [
        "in/cloth.obj:in/cloth.pc2",
        "f_#.obj",
        "in/cloth.obj:in/turn.json",
        "say \"hi\" 'ho'.obj",
        "arm.glb",
        "b.glb#Hand@Turn",
    ];
    let target = folder.path("scene.toml");
    for (words, options) in [
        (&all[..], at(24.0)),
        (&all[4..], InputOptions::default()),
        (&all[4..5], InputOptions::default().tolerance(1e-4)),
        (&["in/cloth.obj:in/turn.json", "b.glb"], InputOptions::default()),
        (&all[3..4], InputOptions::default()),
        (&["unnamed.glb"], InputOptions::default()),
    ] {
        let direct = read(&folder, words, &options).unwrap();
        let written = scene_text(&inputs(&folder, words), &options, &target).unwrap();
        assert!(!written.is_outside);
        let again = parse_scene(&written.text, &target).unwrap_or_else(|error| panic!("{error}\n{}", written.text));
        assert_eq!((again.fps, again.span), (direct.fps, direct.span), "{}", written.text);
        assert_eq!(again.bodies.len(), direct.bodies.len());
        for (one, other) in direct.bodies.iter().zip(&again.bodies) {
            assert_eq!(
                (&one.name, &one.mesh, &one.motion),
                (&other.name, &other.mesh, &other.motion),
                "{}",
                written.text
            );
            assert_eq!((&one.labels, one.deviation, one.outside), (&other.labels, other.deviation, other.outside));
            assert_eq!(one.measured_deviation, other.measured_deviation);
        }
    }
    // No word means the first clip: its number is the name of the other one.
    folder.write("numbered.glb", arm(&times, 90.0, &["", "0"]).glb());
    let refused = scene_text(&inputs(&folder, &["numbered.glb"]), &InputOptions::default(), &target).unwrap_err();
    assert!(folder.message(&refused).contains("cannot name the clip \"\""), "{refused}");
    let elsewhere = Folder::new();
    let written = scene_text(&inputs(&folder, &all), &at(24.0), &elsewhere.path("scene.toml")).unwrap();
    assert!(written.is_outside);
    assert!(
        parse_scene(&written.text, &elsewhere.path("scene.toml"))
            .unwrap_err()
            .to_string()
            .contains("outside the folder")
    );
}

#[test]
fn scene_files_name_every_format() {
    let folder = Folder::new();
    folder.write("a.obj", TRIANGLE);
    folder.write("arm.glb", arm(&[0.0, 1.0], 90.0, &["Turn"]).glb());
    let body = |keys: &str| format!("[[body]]\nname = \"a\"\n{keys}\n");
    let read = |text: &str| parse_scene(text, &folder.path("scene.toml"));
    let scene = read(&body("mesh = \"arm.glb#Hand@turn\"\ntolerance = 10\nfps = 10\ntranslate = [0, 0, 3]\nscale = 2"))
        .unwrap();
    let hand = &scene.bodies[0];
    assert_eq!((&*hand.name, hand.motion.key_count()), ("a", 11));
    assert_eq!(hand.vertices_at_key(0).unwrap()[1], [2.0, 0.0, 3.0]);
    let plain = &read(&body("mesh = \"arm.glb#Hand@turn\"\ntolerance = 10\nfps = 10")).unwrap().bodies[0];
    assert!(hand.deviation.unwrap() >= 2.0 * plain.deviation.unwrap() && plain.deviation.unwrap() > 0.0);
    for (keys, part) in [
        (
            "mesh = \"arm.glb\"",
            "this names 2 nodes with meshes, and a body is one: write the node after #, as in \"model.glb#Hand\"",
        ),
        ("mesh = \"arm.glb#Leg\"", "scene.toml, line 3 (body \"a\"): nodes: there is no node \"Leg\""),
        (
            "mesh = \"arm.glb#Hand\"\nmotion = \"a.pc2\"",
            "line 4 (body \"a\"): `motion` means nothing here, because a glTF",
        ),
        (
            "mesh = \"arm.glb#Hand\"\nplan = { kind = \"velocity\", velocity = [0, 0, -2] }",
            "line 4 (body \"a\"): `plan` means nothing here, because a glTF",
        ),
        ("spheres = [[0, 0, 0, 1]]\nclip = \"Turn\"", "line 4 (body \"a\"): `clip` means nothing here"),
        ("mesh = \"arm.glb#Hand\"\ntolerance = 0", "`tolerance` is 0 m; it must be"),
        ("mesh = \"a.obj\"\ntolerance = 1", "`tolerance` means nothing here"),
        ("mesh = \"a.fbx\"", "line 3 (body \"a\"): FBX (.fbx) cannot be read; import it"),
        ("mesh = \"a.obj\"\nmotion = \"a.abc\"", "line 4 (body \"a\"): Alembic (.abc) cannot be read; export"),
        ("mesh = \"x\\table.obj\"", "control character '\\t'"),
        ("mesh = \"x\\cloth.obj\"", "write / in paths, or put the path into '...'"),
    ] {
        let message = folder.message(&read(&body(keys)).unwrap_err());
        assert!(message.contains(part), "{keys}: {part} is not in {message}");
    }
    let message = folder.message(&read("[body]\nname = \"a\"\nmesh = \"a.obj\"\n").unwrap_err());
    assert!(message.ends_with("write [[body]], with double brackets, before every body"), "{message}");
    // Another system's separators.
    folder.write("x/cloth.obj", TRIANGLE);
    assert!(read(&body("mesh = 'x\\cloth.obj'")).is_ok());
    assert!(folder.message(&read(&body("mesh = '..\\cloth.obj'")).unwrap_err()).contains("outside the folder"));
}

#[test]
fn lists_that_make_no_scene_say_why() {
    let folder = Folder::new();
    folder.write("a.obj", TRIANGLE);
    folder.write("a.pc2", pc2(3, 0.0, 1.0, 2, &[0.0; 18]));
    folder.write("four.pc2", pc2(4, 0.0, 1.0, 1, &[0.0; 12]));
    folder.write("scene.toml", "[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n");
    folder.write("arm.glb", arm(&[0.0, 1.0], 90.0, &["Turn"]).glb());
    folder.write("a.txt", "hello");
    let none = InputOptions::default();
    let told = |words: &[&str], options: &InputOptions| folder.message(&read(&folder, words, options).unwrap_err());
    let cases: [(&[&str], &InputOptions, &str); 12] = [
        (&["a.obj:a.pc2"], &none, "a.pc2: nothing says when the frames are"),
        (&["a.pc2"], &none, "a.pc2: this is a motion without a mesh; write the mesh before it, as in cloth.obj:a.pc2"),
        (&["a.obj:a.obj"], &none, "a.obj: this is one mesh and no motion"),
        (&["a.obj:a.txt"], &none, "a.txt: the ending names no motion"),
        (&["a.obj:four.pc2"], &at(24.0), "the cache has 4 vertices, but the mesh a.obj has 3"),
        (&["a.obj", "scene.toml"], &none, "scene.toml: a scene file stands alone"),
        (&["a.obj", "a.txt"], &none, "a.txt: the format of this file is not known"),
        (&["a.obj", "no.obj"], &none, "no.obj: there is no such file"),
        (&["a.obj"], &at(0.0), "`fps` is 0; it must be"),
        (&["a.obj"], &none.clone().tolerance(1.0), "`tolerance` is only for glTF models"),
        (&["scene.toml"], &none.clone().clip("Turn".to_owned()), "`clip` is only for glTF models"),
        (&["f_#.obj"], &at(24.0), "f_#.obj: no file fits this pattern"),
    ];
    for (words, options, part) in &cases {
        let message = told(words, options);
        assert!(message.contains(part), "{words:?}: {part} is not in {message}");
    }
    assert!(read_inputs(&[], &none).unwrap_err().to_string().contains("no input is given"));
    let twice = ["x", "x"].map(|name| Input::new(folder.path("a.obj")).named(name));
    assert!(read_inputs(&twice, &none).unwrap_err().to_string().contains("\"x\" is given twice"));
    let both = Input::new(folder.path("arm.glb")).named("x");
    assert!(read_inputs(&[both], &none).unwrap_err().to_string().contains("has 2 bodies, which cannot all be named"));
    let moved = Input::new(folder.path("arm.glb")).moved_by(folder.path("a.pc2"));
    assert!(read_inputs(&[moved], &none).unwrap_err().to_string().contains("has its own motion"));
    // What a shell makes of cloth_*.obj.
    for frame in 1..=3 {
        folder.write(&format!("c_{frame}.obj"), TRIANGLE);
    }
    let notes = read(&folder, &["c_1.obj", "c_2.obj", "c_3.obj"], &none).unwrap().notes;
    assert!(notes.len() == 1 && notes[0].contains("c_####.obj"), "{notes:?}");
    assert!(sentence(kinetree::io::parse_ply(b"", Path::new("x"))).contains("first line"));
}

#[test]
fn large_files_of_the_wrong_kind_are_refused_by_their_first_bytes() {
    let folder = Folder::new();
    // More than a machine could read into its memory.
    let size = 256 << 30;
    for (name, head, part) in [
        ("a.obj", &b"\x89HDF\r\n\x1a\n"[..], "Alembic"),
        ("b.obj", b"\0\0\0\x20ftypisom", "byte 0 is 0"),
        ("c.json", b"{\0", "byte 1 is 0"),
        ("d.stl", b"movie", "announces 0 triangles"),
        ("e.ply", b"plz\n", "starts with `plz"),
        ("f.glb", b"GLTF", "`{` or `glTF` is needed"),
        ("g.toml", b"PK\x03\x04", "a zip archive"),
    ] {
        let path = folder.write(name, head);
        // Sparse: the rest is zeros that no disk holds.
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size).unwrap();
        let message = read(&folder, &[name], &InputOptions::default()).unwrap_err().to_string();
        assert!(message.contains(part), "{name}: {message}");
    }
}

#[test]
fn real_models_are_read_with_labels_and_deviation() {
    let Some(folder) = shared("skinned") else { return };
    for name in ["RobotExpressive.glb", "CesiumMan.gltf", "Fox.glb"] {
        let scene = read_inputs(&[Input::new(folder.join(name))], &InputOptions::default()).unwrap();
        for body in &scene.bodies {
            let count = body.mesh.triangles.len() as u32;
            let labels = &body.labels;
            let all = |parts: &[PartLabel]| -> u32 {
                parts.iter().flat_map(|part| &part.triangles).map(|range| range.end - range.start).sum()
            };
            assert_eq!(all(&labels.groups), count);
            assert!(labels.joints.is_empty() || all(&labels.joints) == count, "{name} {}", body.name);
            assert!(all(&labels.materials) <= count);
            let bound = body.deviation.unwrap();
            assert!(body.measured_deviation <= bound * (1.0 + 1e-6) + 1e-4 * bound.max(1e-2), "{name} {}", body.name);
        }
        assert!(scene.fps.is_some_and(|fps| (24.0..=60.0).contains(&fps)), "{name}: {:?}", scene.fps);
    }
}
