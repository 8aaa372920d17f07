//! Caches whose vertices are not in the order of the mesh: told by the edges of the first frame,
//! and nothing else is refused for it.

use std::fmt::Write as _;
use std::path::Path;

use crate::io_support::data::shared;
use crate::io_support::{Folder, Random, mdd, pc2};
use kinetree::io::{ReadError, ReadErrorKind, Scene, SceneError, read_obj, read_pc2, read_scene};

/// A sheet of n × n vertices, 1 m wide.
struct Sheet {
    positions: Vec<[f32; 3]>,
    obj: String,
}

fn sheet(n: usize) -> Sheet {
    let mut obj = String::new();
    let mut positions = Vec::new();
    for at in 0..n * n {
        let [x, y] = [at % n, at / n].map(|place| place as f32 / (n - 1) as f32);
        positions.push([x, y, 0.0]);
        let _ = writeln!(obj, "v {x} {y} 0");
    }
    for at in (0..n * (n - 1)).filter(|at| at % n != n - 1) {
        let (low, high) = (at + 1, at + n + 1);
        let _ = writeln!(obj, "f {low} {} {high}\nf {} {} {high}", low + 1, low + 1, high + 1);
    }
    Sheet { positions, obj }
}

fn shuffled(positions: &[[f32; 3]], seed: u64) -> Vec<[f32; 3]> {
    let (mut random, mut positions) = (Random::new(seed), positions.to_vec());
    for at in (1..positions.len()).rev() {
        positions.swap(at, random.below(at + 1));
    }
    positions
}

fn read(folder: &Folder, obj: &str, first: &[[f32; 3]], body: &str) -> Result<Scene, ReadError> {
    folder.write("sheet.obj", obj);
    let count = first.len() as i32;
    folder.write("sheet.pc2", pc2(count, 0.0, 1.0, 1, first.as_flattened()));
    folder.write("sheet.mdd", mdd(1, count, &[0.0], first.as_flattened()));
    let text = format!("fps = 24\n[[body]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n{body}\n");
    read_scene(folder.write("scene.toml", text))
}

#[test]
fn a_shuffled_cache_is_refused_unless_it_is_meant() {
    let folder = Folder::new();
    for n in [12, 40] {
        let Sheet { positions, obj } = sheet(n);
        for (seed, format) in [(1, "pc2"), (2, "mdd"), (3, "pc2")] {
            let mixed = shuffled(&positions, seed);
            let motion = format!("motion = \"sheet.{format}\"");
            let error = read(&folder, &obj, &mixed, &motion).unwrap_err();
            let ReadErrorKind::Scene(SceneError::VertexOrder { edges, torn, .. }) = error.kind() else {
                panic!("{error}");
            };
            assert!(2 * torn > *edges && *edges == 6 * (n - 1) * (n - 1), "{torn} of {edges}");
            let message = error.to_string();
            let parts = [format!("sheet.{format}"), "sheet.obj".into(), torn.to_string(), "check_order = false".into()];
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
            assert!(read(&folder, &obj, &mixed, &format!("{motion}\ncheck_order = false")).is_ok());
            // Half of the vertices in another order are not enough.
            let half = positions.len() / 2;
            let mixed = [&shuffled(&positions[..half], seed), &positions[half..]].concat();
            assert!(read(&folder, &obj, &mixed, &motion).is_ok());
        }
    }
}

#[test]
fn what_is_stretched_folded_or_scaled_is_read() {
    let folder = Folder::new();
    let Sheet { positions, obj } = sheet(40);
    let map = |map: &dyn Fn([f32; 3]) -> [f32; 3]| positions.iter().map(|&p| map(p)).collect::<Vec<_>>();
    let mut random = Random::new(5);
    let frames = [
        ("as it is", map(&|p| p)),
        ("in centimetres", map(&|p| p.map(|x| 100.0 * x))),
        ("in kilometres", map(&|p| p.map(|x| 0.001 * x))),
        ("ten times as long", map(&|[x, y, z]| [10.0 * x, y, z])),
        ("a thread", map(&|[x, y, z]| [50.0 * x, 0.02 * y, z])),
        ("rolled up", map(&|[x, y, _]| [0.02 * (60.0 * x).cos(), 0.02 * (60.0 * x).sin(), y])),
        (
            "crumpled",
            map(&|[x, y, _]| [0.03 * (40.0 * x).sin(), 0.03 * (40.0 * y).sin(), 0.03 * (40.0 * (x + y)).cos()]),
        ),
        (
            "shaken",
            map(&|p| p).into_iter().map(|p| p.map(|x| x + 0.01 * (random.below(100) as f32 / 50.0 - 1.0))).collect(),
        ),
        ("gathered in a point", map(&|_| [1.0; 3])),
        ("torn in two", map(&|[x, y, z]| if x < 0.5 { [x, y, z] } else { [x + 30.0, y, z] })),
    ];
    for (name, frame) in &frames {
        if let Err(error) = read(&folder, &obj, frame, "motion = \"sheet.pc2\"") {
            panic!("{name}: {error}");
        }
    }
    // A mesh that grows from a point has no edges to compare.
    let mut point = String::new();
    for line in obj.lines() {
        let _ = writeln!(point, "{}", if line.starts_with('v') { "v 1 1 1" } else { line });
    }
    assert!(read(&folder, &point, &positions, "motion = \"sheet.pc2\"").is_ok());
    // And a small mesh cannot be judged: its vertices are all near each other.
    let small = sheet(4);
    assert!(read(&folder, &small.obj, &shuffled(&small.positions, 1), "motion = \"sheet.pc2\"").is_ok());
}

#[test]
fn the_key_is_for_caches() {
    let folder = Folder::new();
    let Sheet { positions, obj } = sheet(4);
    for body in
        ["check_order = false", "velocity = [0, 0, 1]\ncheck_order = true", "motion = \"s_#.obj\"\ncheck_order = false"]
    {
        let error = read(&folder, &obj, &positions, body).unwrap_err();
        assert_eq!(error.kind(), &ReadErrorKind::Scene(SceneError::NeedlessOrder), "{body}");
        assert!(error.to_string().contains("remove `check_order`") && error.line().is_some(), "{error}");
    }
}

#[test]
fn every_frame_of_recorded_cloth_passes() {
    let fixture = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball/cloth.pc2"));
    let names = ["ball/cloth", "diffcloth_tshirt/tshirt", "twist/cloth"];
    let clips = names.into_iter().filter_map(|name| shared(&format!("cloth/{name}.pc2")));
    let folder = Folder::new();
    for clip in clips.chain([fixture.to_owned()]) {
        let obj = std::fs::read_to_string(clip.with_extension("obj")).unwrap();
        let mesh = read_obj(clip.with_extension("obj")).unwrap();
        let cache = read_pc2(&clip).unwrap();
        let (points, _) = cache.positions.as_chunks::<3>();
        // The last frame and one between, as if a cache began there: farther from the mesh than any
        // first frame is.
        for frame in [0, cache.frames / 2, cache.frames - 1] {
            let first = &points[frame * cache.vertices..][..cache.vertices];
            assert!(read(&folder, &obj, first, "motion = \"sheet.pc2\"").is_ok(), "{} {frame}", clip.display());
        }
        let error = read(&folder, &obj, &shuffled(&mesh.positions, 9), "motion = \"sheet.pc2\"").unwrap_err();
        assert!(matches!(error.kind(), ReadErrorKind::Scene(SceneError::VertexOrder { .. })), "{error}");
    }
}
