//! Contacts that `kinetree check` finds, against brute force at random times; reduced bodies against stored keys.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use crate::io_support::data::shared;
use crate::io_support::{Folder, Random};
use crate::program::{run, text};
use crate::reference::Reference;
use crate::tentacle::tentacle;
use crate::truth::{Cache, Corners, Instance, touching};

/// Random times of a stretch, increasing, none near a time of `apart`.
pub(crate) fn random_times(seed: u64, count: usize, [first, last]: [f64; 2], apart: &[f64]) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut times = Vec::with_capacity(count);
    while times.len() < count {
        let time = first + (last - first) * (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        if apart.iter().all(|other| (time - other).abs() > 1e-5) {
            times.push(time);
        }
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

pub(crate) fn checked(scene: &str, folder: &Folder, more: &[&str]) -> Value {
    let out = folder.at("out.json");
    let output = run(&[&["check", scene, "--json", &out, "--allow-outside"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap()
}

/// Pairs of triangles of two bodies at one sample.
fn pairs_of(sample: &Value, a: &str, b: &str) -> Vec<[u32; 2]> {
    let pairs = sample["pairs"].as_array().unwrap().iter();
    let pairs = pairs.filter(|pair| pair["a"] == a && pair["b"] == b);
    let mut pairs: Vec<[u32; 2]> =
        pairs.map(|pair| ["triangle_a", "triangle_b"].map(|key| pair[key].as_u64().unwrap() as u32)).collect();
    pairs.sort_unstable();
    pairs
}

/// Checks a scene at random times and compares every pair of bodies with brute force; contacts of each pair that were seen.
pub(crate) fn compare(
    scene: &str,
    folder: &Folder,
    bodies: &[(&str, Corners<'_>)],
    times: &[f64],
    more: &[&str],
) -> Vec<usize> {
    let mut list = String::from("--times=");
    times.iter().for_each(|time| write!(list, "{time:?},").unwrap());
    let result = checked(scene, folder, &[&[list.trim_end_matches(',')], more].concat());
    let samples = result["samples"].as_array().unwrap();
    assert_eq!(samples.len(), times.len());
    let mut seen = vec![0; bodies.len() * (bodies.len() - 1) / 2];
    let (mut doubtful, mut total) = (0, 0);
    for (sample, &time) in samples.iter().zip(times) {
        assert_eq!(sample["time"].as_f64(), Some(time));
        let corners: Vec<Vec<_>> = bodies.iter().map(|(_, corners)| corners(time)).collect();
        let mut pair = 0;
        for a in 0..bodies.len() {
            for b in a + 1..bodies.len() {
                let truth = touching(&corners[a], &corners[b]);
                let found = pairs_of(sample, bodies[a].0, bodies[b].0);
                let place = || format!("{} and {} at {time} s", bodies[a].0, bodies[b].0);
                for contact in &truth.touching {
                    assert!(found.binary_search(contact).is_ok(), "missed: {contact:?} of {}", place());
                }
                for contact in &found {
                    let is_true = truth.touching.binary_search(contact).is_ok();
                    let is_doubtful = truth.doubtful.binary_search(contact).is_ok();
                    assert!(is_true || is_doubtful, "no contact: {contact:?} of {}", place());
                }
                doubtful += truth.doubtful.len();
                total += truth.touching.len();
                seen[pair] += truth.touching.len();
                pair += 1;
            }
        }
    }
    assert!(50 * doubtful < total, "{doubtful} of {total} cannot be decided");
    println!("{scene}: {} times, contacts of each pair {seen:?}, {doubtful} in doubt", times.len());
    seen
}

/// Two tentacles, one of them late, looped, larger and turned, and the cape of the fixtures.
pub(crate) fn tentacles(folder: &Folder, more: &str) -> String {
    folder.write("tentacle.glb", tentacle().glb());
    let cape = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/character/cape");
    let text = format!(
        "span = [0.0, 1.5]
{more}
[[body]]
name = \"left\"
mesh = \"tentacle.glb#Tube@curl\"

[[body]]
name = \"right\"
mesh = \"tentacle.glb#Tube\"
clip = \"wave\"
offset = 0.2
outside = \"loop\"
scale = 0.8
translate = [0.2, -0.1, -0.1]

[[body]]
name = \"cape\"
mesh = '{0}.obj'
motion = '{0}.pc2'
fps = 30
",
        cape.display()
    );
    folder.write_at("scene.toml", text)
}

#[test]
fn generated_characters_and_a_cape_touch_where_brute_force_finds_it() {
    let folder = Folder::new();
    let scene = tentacles(&folder, "");
    let model = Reference::read(&folder.path("tentacle.glb"));
    let cape = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/character");
    let cape = Cache::read(&cape.join("cape.obj"), &cape.join("cape.pc2"), 30.0, 1.0, [0.0; 3]);
    let instance =
        |clip, offset, loops, scale, shift| Instance { model: &model, node: 0, clip, offset, loops, scale, shift };
    let left = instance(0, 0.0, false, 1.0, [0.0; 3]);
    let right = instance(1, 0.2, true, 0.8, [0.2, -0.1, -0.1]);
    let bodies: [(&str, Corners<'_>); 3] = [
        ("left", Box::new(|time| left.corners(time))),
        ("right", Box::new(|time| right.corners(time))),
        ("cape", Box::new(|time| cape.corners(time))),
    ];
    // Jumps and wraps take 2⁻²⁰ s, on which the reference does not agree.
    let jumps = [0.0, 0.2, 0.25, 0.5, 0.75, 1.0, 1.2];
    let times = random_times(1, 1000, [0.0, 1.5], &jumps);
    let seen = compare(&scene, &folder, &bodies, &times, &[]);
    assert!(seen.iter().all(|&seen| seen > 1000), "{seen:?}");
}

#[test]
fn real_characters_and_a_shirt_touch_where_brute_force_finds_it() {
    let models = ["skinned/quaternius/Trex.glb", "skinned/quaternius/KnightCharacter.glb"].map(shared);
    let ([Some(trex), Some(knight)], Some(shirt)) = (models, shared("cloth/diffcloth_tshirt/tshirt.obj")) else {
        return;
    };
    let folder = Folder::new();
    let text = format!(
        "span = [0.0, 2.0]
[[body]]
name = \"trex\"
mesh = '{}#Trex@TRex_Walk'
outside = \"loop\"
scale = 0.3

[[body]]
name = \"knight\"
mesh = '{}#Knight@Run'
offset = 0.3
translate = [0.0, 0.5, 0.5]

[[body]]
name = \"shirt\"
mesh = '{}'
motion = '{}'
fps = 100
scale = 0.5
",
        trex.display(),
        knight.display(),
        shirt.display(),
        shirt.with_extension("pc2").display()
    );
    let scene = folder.write_at("scene.toml", text);
    let (trex, knight) = (Reference::read(&trex), Reference::read(&knight));
    let clip = |model: &Reference, name: &str| {
        let clips = model.json["animations"].as_array().unwrap();
        clips.iter().position(|clip| clip["name"].as_str().unwrap().ends_with(&format!("|{name}"))).unwrap()
    };
    let of_trex = clip(&trex, "TRex_Walk");
    let wrap = trex.span(of_trex);
    let trex =
        Instance { model: &trex, node: 39, clip: of_trex, offset: 0.0, loops: true, scale: 0.3, shift: [0.0; 3] };
    let (clip, shift, model) = (clip(&knight, "Run"), [0.0, 0.5, 0.5], &knight);
    let knight = Instance { model, node: 44, clip, offset: 0.3, loops: false, scale: 1.0, shift };
    let shirt = Cache::read(&shirt, &shirt.with_extension("pc2"), 100.0, 0.5, [0.0; 3]);
    let bodies: [(&str, Corners<'_>); 3] = [
        ("trex", Box::new(|time| trex.corners(time))),
        ("knight", Box::new(|time| knight.corners(time))),
        ("shirt", Box::new(|time| shirt.corners(time))),
    ];
    let wraps: Vec<f64> = (0..20).map(|round| wrap[0] + f64::from(round) * (wrap[1] - wrap[0])).collect();
    let times = random_times(2, 1000, [0.0, 2.0], &wraps);
    let seen = compare(&scene, &folder, &bodies, &times, &["--intervals=false"]);
    assert!(seen.iter().all(|&seen| seen > 1000), "{seen:?}");
    // With contacts over time the same, by another path.
    let times = random_times(3, 20, [0.3, 0.5], &wraps);
    let seen = compare(&scene, &folder, &bodies, &times, &["--span", "0.3..0.5"]);
    assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
}
