//! Scene files: what they mean, how a body is placed and timed, which pairs are left out.

use crate::io_support::{Folder, mdd, pc2};
use kinetree::io::{MotionData, Outside, Scene, read_scene};
use kinetree::kinetic::TreeKind;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// Frame f of three: vertex v at (f, v, 0.5).
const POSITIONS: [f32; 27] = [
    0.0, 0.0, 0.5, 0.0, 1.0, 0.5, 0.0, 2.0, 0.5, 1.0, 0.0, 0.5, 1.0, 1.0, 0.5, 1.0, 2.0, 0.5, 2.0, 0.0, 0.5, 2.0, 1.0,
    0.5, 2.0, 2.0, 0.5,
];

/// A folder with every kind of file: three vertices, three frames.
fn assets() -> Folder {
    let folder = Folder::new();
    folder.write("meshes/tri.obj", TRIANGLE);
    folder.write("move.pc2", pc2(3, 1.0, 1.0, 3, &POSITIONS));
    folder.write("odd.pc2", pc2(3, 7.0, 0.5, 3, &POSITIONS));
    folder.write("move.mdd", mdd(3, 3, &[0.0, 0.5, 1.5], &POSITIONS));
    folder.write("useless.mdd", mdd(3, 3, &[f32::NAN, 0.0, 0.0], &POSITIONS));
    let step = |x: u32| format!("[1,0,0,{x}, 0,1,0,0, 0,0,1,0, 0,0,0,1]");
    folder.write("step.json", format!("{{\"frames\": [{}, {}]}}", step(0), step(1)));
    folder.write("timed.json", format!("{{\"frames\": [{}, {}], \"fps\": 2}}", step(0), step(1)));
    for frame in 1..=2 {
        folder.write(&format!("seq/t.{frame:03}.obj"), format!("v {frame} 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    }
    folder
}

fn scene(folder: &Folder, text: &str) -> Scene {
    read_scene(folder.write("scene.toml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn body(folder: &Folder, keys: &str) -> kinetree::io::SceneBody {
    let text = format!("fps = 10\n[[body]]\nname = 'a'\nmesh = 'meshes/tri.obj'\n{keys}\n");
    scene(folder, &text).bodies.remove(0)
}

#[test]
fn a_scene_lists_the_files_that_it_was_read_from() {
    let folder = assets();
    let bodies = "[[body]]\nname = 'a'\nmesh = 'meshes/tri.obj'\nmotion = 'move.pc2'\n\
                  [[body]]\nname = 'b'\nmesh = 'meshes/tri.obj'\n\
                  [[body]]\nname = 'c'\nmotion = 'seq/t.###.obj'\n";
    let files = scene(&folder, &format!("fps = 10\n{bodies}")).files;
    let wanted = ["scene.toml", "meshes/tri.obj", "move.pc2", "seq/t.001.obj", "seq/t.002.obj"];
    assert_eq!(files, wanted.map(|name| folder.path(name)));
}

#[test]
fn every_kind_of_motion() {
    let folder = assets();
    let fixed = body(&folder, "");
    assert_eq!((fixed.motion.clone(), fixed.outside, fixed.self_contact), (MotionData::Fixed, Outside::Hold, false));
    assert_eq!((fixed.group, fixed.motion_file, fixed.tree), (None, None, TreeKind::Aabb));
    assert_eq!(fixed.mesh_file, folder.path("meshes/tri.obj"));
    assert_eq!(fixed.mesh.positions, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);

    for file in ["move.pc2", "move.mdd"] {
        let moving = body(
            &folder,
            &format!("motion = '{file}'\nself_contact = true\noutside = 'loop'\ngroup = 'g'\ntree = 'box'"),
        );
        let expected = MotionData::Keyframes { times: vec![0.0, 0.1, 0.2], positions: POSITIONS.to_vec() };
        assert_eq!(moving.motion.in_memory(), Ok(expected), "{file}");
        assert_eq!((moving.outside, moving.self_contact, moving.group.as_deref()), (Outside::Loop, true, Some("g")));
        assert_eq!((moving.motion_file.clone(), moving.tree), (Some(folder.path(file)), TreeKind::Box));
        assert_eq!(moving.vertices_at_key(2), Some(vec![[2.0, 0.0, 0.5], [2.0, 1.0, 0.5], [2.0, 2.0, 0.5]]));
        assert_eq!(moving.vertices_at_key(3), None);
    }

    let rigid = body(&folder, "motion = 'step.json'");
    assert_eq!(rigid.motion.times(), [0.0, 0.1]);
    assert_eq!(rigid.vertices_at_key(1), Some(vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]]));

    let sequence = body(&folder, "motion = 'seq/t.###.obj'");
    assert_eq!(sequence.vertices_at_key(1), Some(vec![[2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]));
    assert_eq!(sequence.mesh.positions[0], [0.0; 3], "the mesh file's own position stays in the mesh");

    let drifting = body(&folder, "velocity = [1, -2, 0.5]");
    assert_eq!(drifting.motion, MotionData::Velocity { velocity: [1.0, -2.0, 0.5] });
    assert_eq!((drifting.motion.key_count(), drifting.vertices_at_key(0)), (0, None));
}

#[test]
fn a_sequence_may_do_without_a_mesh() {
    let folder = assets();
    let scene = scene(&folder, "[[body]]\nname = 'a'\nmotion = 'seq/t.%03d.obj'\nfps = 1");
    assert_eq!(scene.bodies[0].mesh.positions[0], [1.0, 0.0, 0.0]);
    assert_eq!(scene.bodies[0].mesh_file, folder.path("seq/t.%03d.obj"));
}

#[test]
fn the_scene_decides_about_time_and_says_when_a_file_disagrees() {
    let folder = assets();
    let read = |top: &str, motion: &str, keys: &str| {
        let text = format!("{top}\n[[body]]\nname = 'a'\nmesh = 'meshes/tri.obj'\nmotion = '{motion}'\n{keys}\n");
        let scene = scene(&folder, &text);
        let notes: Vec<String> =
            scene.notes.iter().map(|note| note.replace(&format!("{}/", folder.path("").display()), "")).collect();
        (scene.bodies[0].motion.times().to_vec(), notes.len())
    };
    assert_eq!(read("fps = 10", "move.pc2", ""), (vec![0.0, 0.1, 0.2], 0));
    assert_eq!(read("fps = 10", "move.pc2", "fps = 4"), (vec![0.0, 0.25, 0.5], 0));
    assert_eq!(read("fps = 10", "move.pc2", "times = [-1, 0, 3.5]"), (vec![-1.0, 0.0, 3.5], 0));
    assert_eq!(read("", "move.pc2", "fps = 4"), (vec![0.0, 0.25, 0.5], 0));
    // The header of an unusual PC2 is not used, and a note says so unless the times are explicit.
    assert_eq!(read("fps = 10", "odd.pc2", ""), (vec![0.0, 0.1, 0.2], 1));
    assert_eq!(read("fps = 10", "odd.pc2", "times = [0, 1, 2]"), (vec![0.0, 1.0, 2.0], 0));
    // A file's own times count only when nobody else says anything.
    assert_eq!(read("", "move.mdd", ""), (vec![0.0, 0.5, 1.5], 0));
    assert_eq!(read("fps = 2", "move.mdd", ""), (vec![0.0, 0.5, 1.0], 1));
    assert_eq!(read("fps = 2", "useless.mdd", ""), (vec![0.0, 0.5, 1.0], 1));
    assert_eq!(read("", "timed.json", ""), (vec![0.0, 0.5], 0));
    assert_eq!(read("fps = 2", "timed.json", ""), (vec![0.0, 0.5], 0));
    assert_eq!(read("fps = 3", "timed.json", ""), (vec![0.0, 1.0 / 3.0], 1));

    // Times of the body count more than those of the file, with the same note.
    assert_eq!(read("", "move.mdd", "times = [0, 0.5, 2]"), (vec![0.0, 0.5, 2.0], 1));
    assert_eq!(read("", "move.mdd", "times = [0, 0.5, 1.5]"), (vec![0.0, 0.5, 1.5], 0));
    let scene = scene(&folder, "fps = 2\n[[body]]\nname = 'a'\nmesh = 'meshes/tri.obj'\nmotion = 'move.mdd'");
    let note = scene.notes[0].replace(&format!("{}", folder.path("move.mdd").display()), "move.mdd");
    assert_eq!(
        note,
        "move.mdd (body \"a\"): the file has frame times of its own, which differ from the 2 frames a second of the scene; \
         the scene's are used"
    );
}

/// Places by hand what the reader places by matrix: scale, then turn about an axis (Rodrigues), then shift.
fn by_hand(point: [f32; 3], scale: [f64; 3], axis: [f64; 3], degrees: f64, shift: [f64; 3]) -> [f64; 3] {
    let p: [f64; 3] = std::array::from_fn(|i| f64::from(point[i]) * scale[i]);
    let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    let k = axis.map(|a| a / length);
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let dot: f64 = (0..3).map(|i| k[i] * p[i]).sum();
    let cross = [k[1] * p[2] - k[2] * p[1], k[2] * p[0] - k[0] * p[2], k[0] * p[1] - k[1] * p[0]];
    std::array::from_fn(|i| p[i] * cosine + cross[i] * sine + k[i] * dot * (1.0 - cosine) + shift[i])
}

#[test]
fn placement_scales_then_turns_then_shifts_every_kind_of_body() {
    let folder = assets();
    let close = |found: &[[f32; 3]], plain: &[[f32; 3]]| {
        assert_eq!(found.len(), plain.len());
        for (found, &plain) in found.iter().zip(plain) {
            let expected = by_hand(plain, [2.0, 3.0, -1.0], [1.0, 2.0, -2.0], 33.0, [10.0, -20.0, 0.25]);
            for axis in 0..3 {
                assert!((f64::from(found[axis]) - expected[axis]).abs() < 4e-6, "{found:?} {expected:?}");
            }
        }
    };
    let placed = "translate = [10, -20, 0.25]\nrotate = { axis = [1, 2, -2], degrees = 33 }\nscale = [2, 3, -1]\n";
    close(&body(&folder, placed).mesh.positions, &body(&folder, "").mesh.positions);
    for file in ["move.pc2", "move.mdd", "step.json", "seq/t.###.obj"] {
        let (plain, moved) =
            (body(&folder, &format!("motion = '{file}'")), body(&folder, &format!("motion = '{file}'\n{placed}")));
        for key in 0..plain.motion.key_count() {
            close(&moved.vertices_at_key(key).expect("key"), &plain.vertices_at_key(key).expect("key"));
        }
        if file != "step.json" {
            close(&moved.mesh.positions, &plain.mesh.positions);
        }
    }
    let drifting = body(&folder, &format!("velocity = [1, 0, 0]\n{placed}"));
    assert_eq!(drifting.motion, MotionData::Velocity { velocity: [1.0, 0.0, 0.0] }, "along the scene's axes");
}

#[test]
fn all_ways_to_write_a_placement_agree() {
    let folder = assets();
    let half = 0.5f64.sqrt();
    let positions = |keys: &str| body(&folder, keys).mesh.positions;
    let expected = [[1.0, 2.0, 3.0], [1.0, 4.0, 3.0], [-1.0, 2.0, 3.0]];
    for keys in [
        "translate = [1, 2, 3]\nrotate = { axis = [0, 0, 5], degrees = 90 }\nscale = 2".to_owned(),
        "translate = [1, 2, 3]\nrotate = { axis = [0, 0, 1], degrees = -630 }\nscale = [2, 2, 2]".to_owned(),
        "transform = [0, -2, 0, 1, 2, 0, 0, 2, 0, 0, 2, 3, 0, 0, 0, 1]".to_owned(),
        "transform = [[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2.0, 3], [0, 0, 0, 1]]".to_owned(),
    ] {
        assert_eq!(positions(&keys), expected, "right angles are exact: {keys}");
    }
    for keys in [
        format!("translate = [1, 2, 3]\nrotate = {{ quaternion_wxyz = [{half}, 0, 0, {half}] }}\nscale = 2"),
        format!("translate = [1, 2, 3]\nrotate = {{ quaternion_xyzw = [0, 0, {half}, {half}] }}\nscale = 2"),
        "translate = [1, 2, 3]\nrotate = { quaternion_wxyz = [0.7071, 0, 0, 0.7071] }\nscale = 2".to_owned(),
    ] {
        for (found, expected) in positions(&keys).as_flattened().iter().zip(expected.as_flattened()) {
            assert!((found - expected).abs() < 1e-6, "{keys}");
        }
    }
    // A quaternion that is no turn about one axis of the scene, against the turn it stands for: 120° about (1, 1, 1).
    let turned = positions("rotate = { quaternion_wxyz = [0.5, 0.5, 0.5, 0.5] }");
    assert_eq!(turned, [[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
}

#[test]
fn placement_is_rounded_once() {
    let folder = assets();
    folder.write("meshes/tri.obj", "v 16777216 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    // In f32 each product would be rounded before the sum: 16777216 + 1 is not an f32.
    let keys = "transform = [1, 1, 0, -16777216, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]";
    assert_eq!(body(&folder, keys).mesh.positions[0], [1.0, 1.0, 0.0]);
}

#[test]
fn exclusions_become_sorted_pairs() {
    let folder = assets();
    let bodies = [
        ("shirt", "clothes"),
        ("body", ""),
        ("coat", "clothes"),
        ("hat", "clothes"),
        ("floor", "set"),
        ("wall", "set"),
    ]
    .map(|(name, group)| {
        let group = if group.is_empty() { String::new() } else { format!("group = '{group}'\n") };
        format!("[[body]]\nname = '{name}'\nmesh = 'meshes/tri.obj'\n{group}")
    })
    .concat();
    let pairs = |exclude: &str| scene(&folder, &format!("{bodies}{exclude}")).excluded;
    assert_eq!(pairs(""), [[0; 2]; 0]);
    assert_eq!(pairs("[[exclude]]\nbodies = ['coat', 'body']"), [[1, 2]]);
    assert_eq!(pairs("[[exclude]]\nbodies = ['wall', 'shirt', 'body']"), [[0, 1], [0, 5], [1, 5]]);
    assert_eq!(pairs("[[exclude]]\ninside = 'clothes'"), [[0, 2], [0, 3], [2, 3]]);
    assert_eq!(pairs("[[exclude]]\nbetween = ['set', 'clothes']"), [[0, 4], [0, 5], [2, 4], [2, 5], [3, 4], [3, 5]]);
    assert_eq!(pairs("[[exclude]]\nbetween = ['body', 'set']"), [[1, 4], [1, 5]]);
    // A body and its own group: all others of the group, never itself.
    assert_eq!(pairs("[[exclude]]\nbetween = ['coat', 'clothes']"), [[0, 2], [2, 3]]);
    assert_eq!(
        pairs(
            "[[exclude]]\nbetween = ['hat', 'body']\n[[exclude]]\nbodies = ['body', 'hat']\n[[exclude]]\ninside = 'set'"
        ),
        [[1, 3], [4, 5]]
    );
}

#[test]
fn spans_and_samples() {
    let folder = assets();
    let moving = |keys: &str| {
        format!("[[body]]\nname = 'moving {keys}'\nmesh = 'meshes/tri.obj'\nmotion = 'move.pc2'\n{keys}\n")
    };
    let read = |text: &str| scene(&folder, text);
    let still = read("fps = 5\n[[body]]\nname = 'a'\nmesh = 'meshes/tri.obj'");
    assert_eq!((still.default_span(), still.sample_times()), (None, vec![]));
    let two = read(&(moving("fps = 4") + &moving("times = [-1, 0, 0.25]")));
    assert_eq!(two.default_span(), Some([-1.0, 0.5]));
    assert_eq!(two.sample_times(), [-1.0, 0.0, 0.25, 0.5], "without fps, the keys of all bodies");
    let spanned = read(&format!("span = [0, 0.3]\n{}{}", moving("fps = 4"), moving("times = [-1, 0, 0.25]")));
    assert_eq!((spanned.span, spanned.sample_times()), (Some([0.0, 0.3]), vec![0.0, 0.25]));
    let backwards = read(&format!("span = [-0.5, 1]\nfps = 2\n{}", moving("")));
    assert_eq!(backwards.sample_times(), [-0.5, 0.0, 0.5, 1.0]);
    let instant = read("span = [0.5, 0.5]\nfps = 2\n[[body]]\nname = 'a'\nmesh = 'meshes/tri.obj'");
    assert_eq!(instant.sample_times(), [0.5]);
    // Every key time of every rate is among the samples of that rate, however the products round.
    for fps in [24.0, 25.0, 29.97, 30.0, 59.94, 120.0, 0.7] {
        for frame in -200..200 {
            let ends = [f64::from(frame) / fps, f64::from(frame + 7) / fps];
            let mut scene = still.clone();
            (scene.span, scene.fps) = (Some(ends), Some(fps));
            let samples = scene.sample_times();
            assert_eq!((samples.len(), samples[0], samples[7]), (8, ends[0], ends[1]), "{fps} {frame}");
        }
    }
}
