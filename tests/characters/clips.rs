//! Several clips of one body: blended, switched and mixed, against brute force over an evaluation of the blend by the test.

use std::path::Path;

use kinetree::io::gltf::{ClipPartError, GltfErrorKind};
use kinetree::io::{MotionData, ReadErrorKind, SceneError, read_scene};

use crate::agreement::{compare, random_times};
use crate::io_support::Folder;
use crate::reference::{Layer, Reference};
use crate::tentacle::tentacle;
use crate::truth::{Cache, Corners};

/// A scene of a body with `clips`, and the cape of the fixtures.
fn scene(folder: &Folder, clips: &str) -> String {
    folder.write("tentacle.glb", tentacle().glb());
    let cape = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/character/cape");
    let text = format!(
        "span = [0.0, 3.0]
[[body]]
name = \"arm\"
mesh = \"tentacle.glb#Tube\"
clips = {clips}

[[body]]
name = \"cape\"
mesh = '{0}.obj'
motion = '{0}.pc2'
fps = 10
",
        cape.display()
    );
    folder.write_at("scene.toml", text)
}

/// A scene of that body alone.
fn alone(folder: &Folder, clips: &str) -> String {
    folder.write("tentacle.glb", tentacle().glb());
    let text = format!("[[body]]\nname = \"arm\"\nmesh = \"tentacle.glb#Tube\"\nclips = {clips}\n");
    folder.write_at("scene.toml", text)
}

/// Checks a scene against layers that the test computes for a time; how many contacts there were.
fn check(clips: &str, jumps: &[f64], layers: &dyn Fn(f64) -> Vec<Layer>) -> usize {
    let folder = Folder::new();
    let scene = scene(&folder, clips);
    let model = Reference::read(&folder.path("tentacle.glb"));
    let cape = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/character");
    let cape = Cache::read(&cape.join("cape.obj"), &cape.join("cape.pc2"), 10.0, 1.0, [0.0; 3]);
    let bodies: [(&str, Corners<'_>); 2] = [
        ("arm", Box::new(|time| model.corners(0, &model.snapshot_of(layers(time))))),
        ("cape", Box::new(|time| cape.corners(time))),
    ];
    let times = random_times(7, 300, [0.0, 3.0], jumps);
    compare(&scene, &folder, &bodies, &times, &["--intervals=false"])[0]
}

/// Jumps of the STEP channel of `curl` that begins at a time, and of its rounds.
fn steps(start: f64, rounds: usize, rate: f64) -> Vec<f64> {
    (0..=4 * rounds).map(|step| start + 0.25 * step as f64 / rate).collect()
}

#[test]
fn clips_are_blended_and_switched_when_the_scene_says_so() {
    let clips = "[{ clip = \"curl\", loop = true }, \
                 { clip = \"wave\", start = 0.8, blend = 0.6, loop = true, rate = 1.25 }, { clip = \"curl\", start = 2.1 }]";
    let mut jumps = [steps(0.0, 3, 1.0), steps(2.1, 1, 1.0)].concat();
    jumps.push(2.1);
    let wave = |time: f64| ((time - 0.8) * 1.25).max(0.0).rem_euclid(1.0);
    let seen = check(clips, &jumps, &|time| match time {
        time if time < 0.8 => vec![(Some(0), time, 1.0)],
        time if time < 1.4 => {
            let share = (time - 0.8) / 0.6;
            vec![(Some(0), time.rem_euclid(1.0), 1.0 - share), (Some(1), wave(time), share)]
        }
        time if time < 2.1 => vec![(Some(1), wave(time), 1.0)],
        time => vec![(Some(0), time - 2.1, 1.0)],
    });
    assert!(seen > 1000, "{seen} contacts");
}

#[test]
fn clips_are_mixed_by_weights() {
    let clips = "[{ clip = \"curl\", weight = 0.25, loop = true }, \
                 { clip = \"Rig|wave\", weight = 0.75, start = 0.3, rate = 0.5 }]";
    let seen = check(clips, &steps(0.0, 3, 1.0), &|time| {
        // Both end after one round of the longer one; then the last pose holds.
        let time = time.min(2.3);
        vec![(Some(0), time.rem_euclid(1.0), 0.25), (Some(1), ((time - 0.3) * 0.5).clamp(0.0, 1.0), 0.75)]
    });
    assert!(seen > 1000, "{seen} contacts");
}

#[test]
fn clips_move_by_the_offset_and_are_named() {
    let folder = Folder::new();
    let clips = "[{ clip = \"curl\" }, { clip = \"wave\", start = 1.5, blend = 0.25 }]\noffset = 0.5";
    let scene = read_scene(alone(&folder, clips)).unwrap();
    let body = &scene.bodies[0];
    assert_eq!(body.clip.as_deref(), Some("curl, Rig|wave"));
    let MotionData::Reduced(motion) = &body.motion else { panic!("stored") };
    let times = motion.times();
    assert_eq!(times[0], 0.5);
    assert!((times[times.len() - 1] - 3.0).abs() < 1e-5, "{times:?}");
}

#[test]
fn a_clip_takes_over_wholly_even_if_it_is_shorter_than_its_blend() {
    // `wave` lasts 0.1 s and takes a second to take over.
    let clips = "[{ clip = \"curl\", loop = true }, { clip = \"wave\", start = 0.5, blend = 1.0, rate = 10.0 }]";
    let seen = check(clips, &steps(0.0, 3, 1.0), &|time| {
        let share = ((time - 0.5) / 1.0).clamp(0.0, 1.0);
        vec![(Some(0), time.rem_euclid(1.0), 1.0 - share), (Some(1), ((time - 0.5) * 10.0).clamp(0.0, 1.0), share)]
    });
    assert!(seen > 1000, "{seen} contacts");
}

#[test]
fn the_motion_ends_with_the_clip_that_is_played_last() {
    let folder = Folder::new();
    let end = |clips: &str| {
        let scene = read_scene(alone(&folder, clips)).unwrap();
        let MotionData::Reduced(motion) = &scene.bodies[0].motion else { panic!("stored") };
        motion.times()[motion.times().len() - 1]
    };
    let is_near = |a: f64, b: f64| (a - b).abs() < 1e-5;
    // `curl` would last 10 s at that rate.
    let replaced = end("[{ clip = \"curl\", rate = 0.1 }, { clip = \"wave\", start = 2.0 }]");
    assert!(is_near(replaced, 3.0), "{replaced}");
    let mixed = end("[{ clip = \"curl\", rate = 0.1, weight = 0.5 }, { clip = \"wave\", start = 2.0, weight = 0.5 }]");
    assert!(is_near(mixed, 10.0), "{mixed}");
    let blended = end("[{ clip = \"curl\" }, { clip = \"wave\", start = 2.0, blend = 1.5 }]");
    assert!(is_near(blended, 3.5), "{blended}");
}

#[test]
fn clips_that_cannot_be_played_are_refused() {
    let folder = Folder::new();
    let fault = |clips: &str| {
        let error = read_scene(alone(&folder, clips)).unwrap_err();
        let message = folder.message(&error);
        assert!(message.contains("line 4") && message.contains("arm"), "{message}");
        match error.kind() {
            ReadErrorKind::Gltf(error) => match &error.kind {
                GltfErrorKind::ClipPart { part, error } => (*part, *error),
                kind => panic!("{kind:?}"),
            },
            kind => panic!("{kind:?}"),
        }
    };
    use ClipPartError::{Blend, NoStart, Rate, SomeWeights, Start, Weight, WeightSum};
    let curl = "{ clip = \"curl\" }";
    let second = |more: &str| fault(&format!("[{curl}, {{ clip = \"wave\", {more} }}]"));
    assert_eq!(second("loop = true"), (1, NoStart));
    assert_eq!(second("start = 0.0"), (1, Start { start: 0.0, previous: 0.0 }));
    assert!(matches!(second("start = nan"), (1, Start { .. })));
    assert_eq!(second("start = 1.0, blend = -0.1"), (1, Blend { value: -0.1 }));
    assert_eq!(second("start = 1.0, rate = 0"), (1, Rate { value: 0.0 }));
    assert_eq!(second("start = 1.0, weight = 0.5"), (1, SomeWeights));
    assert_eq!(fault("[{ clip = \"curl\", blend = 0.1 }]"), (0, Blend { value: 0.1 }));
    assert_eq!(fault("[{ clip = \"curl\", weight = -1.0 }]"), (0, Weight { value: -1.0 }));
    let two = "[{ clip = \"curl\", weight = 0.5 }, { clip = \"wave\", weight = 0.25 }]";
    assert_eq!(fault(two), (1, WeightSum { sum: 0.75 }));
    let late = format!("[{curl}, {{ clip = \"wave\", start = 1.0, blend = 0.5 }}, {{ clip = \"curl\", start = 1.4 }}]");
    assert_eq!(fault(&late), (2, Start { start: 1.4, previous: 1.5 }));
    for (clips, kind) in
        [("[]", SceneError::NoClips), ("[{ clip = \"curl\" }]\nclip = \"wave\"", SceneError::ClipTwice)]
    {
        let error = read_scene(alone(&folder, clips)).unwrap_err();
        assert_eq!(*error.kind(), ReadErrorKind::Scene(kind));
    }
    let error = read_scene(alone(&folder, "[{ clip = \"dance\" }]")).unwrap_err();
    assert!(folder.message(&error).contains("there is no clip \"dance\"; there are: \"curl\""), "{error}");
    let error = read_scene(alone(&folder, "[{ name = \"curl\" }]")).unwrap_err();
    assert!(folder.message(&error).contains("unknown field `name`"), "{error}");
    folder.write("still.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let still = folder.write_at("s.toml", "[[body]]\nname = \"a\"\nmesh = \"still.obj\"\nclips = [{ clip = \"a\" }]\n");
    assert!(folder.message(&read_scene(still).unwrap_err()).contains("`clips` means nothing here"));
}
