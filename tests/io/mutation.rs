//! Damaged files: valid bytes with bits flipped, pieces cut, doubled and replaced. Nothing panics, nothing hangs, whatever is
//! accepted keeps the readers' promises, and no count in a header makes the program ask for memory the file could not fill.
//!
//! One test in this file: the memory measured is the whole process's.

use std::fs;
use std::path::Path;

use crate::io_support::{Folder, Random, mdd, pc2};
use kinetree::io::{
    MeshData, MotionData, PlannedMotion, PointCache, ReadError, parse_mdd, parse_obj, parse_pc2, parse_scene,
    parse_transforms,
};

/// Mutants of each format.
const MUTANTS: usize = 20_000;

/// The most the address space may grow in the whole run, bytes: a thousand times any input, but far less than what a count of
/// 2^31 would ask for. The allocator's own arenas take tens of megabytes.
const GROWTH: u64 = 512 << 20;

const OBJ: &str =
    "# square\no a\nv 0 0 0\nv 1 0 0.5\nv 1 1 -2e3 # c\nv 0 1 0\nvn 0 0 1\nf 1/1 2//3 \\\n 3/2/1 4\nf -1 -2 -3\n";
const JSON: &str = "{\"mesh\": \"a.obj\", \"fps\": 24, \"frames\": [[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], \
                    [[0,-1,0,2.5], [1,0,0,1e-3], [0,0,1,0], [0,0,0,1]]]}";
const TOML: &str = "span = [0, 1]\nfps = 24\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\nmotion = \"a.pc2\"\nself_contact = true\n\
                    tree = \"box\"\noutside = \"loop\"\ngroup = \"g\"\nscale = [1, 2, 3]\ntranslate = [0, 0.5, 1e3]\n\
                    rotate = { axis = [0, 0, 1], degrees = 45 }\n[[body]]\nname = \"b\"\nmesh = \"a.obj\"\n\
                    transform = [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]\nvelocity = [1, 0, 0]\n[[body]]\nname = \"c\"\n\
                    mesh = \"a.obj\"\nmotion = \"a.json\"\ntimes = [0, 1]\n[[body]]\nname = \"d\"\nmesh = \"a.obj\"\n\
                    motion = \"s#.obj\"\n[[exclude]]\nbetween = [\"a\", \"g\"]\n[[exclude]]\nbodies = [\"a\", \"b\"]\n";

/// What mutations like to put in: ends of ranges, and words the formats care about.
const PIECES: [&[u8]; 22] = [
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x80\0\0\0",
    b"\0\0\0\x80",
    b"\xff\xff\xff\xff",
    b"\0\0\x80\x7f",
    b"\0\0\xc0\x7f",
    b"nan",
    b"-inf",
    b"1e999",
    b"99999999999",
    b"-9223372036854775808",
    b"0",
    b"-1",
    b"\n",
    b"\r",
    b"\\\n",
    b"#",
    b"[[",
    b"]",
    b"\"",
    b"f v ",
];

fn mutate(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(2) * random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, random.next() as u8),
            3 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            4 => {
                let piece = PIECES[random.below(PIECES.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            _ => {
                let end = (at + random.below(24)).min(bytes.len());
                let doubled = bytes[at..end].to_vec();
                if random.below(2) == 0 {
                    bytes.drain(at..end);
                } else {
                    bytes.splice(at..at, doubled);
                }
            }
        }
    }
    bytes
}

/// How many mutants were accepted and refused; both must happen, or the test does not reach what it means to.
#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
}

impl Tally {
    fn count<T>(&mut self, result: Result<T, ReadError>) -> Option<T> {
        match result {
            Ok(value) => {
                self.accepted += 1;
                Some(value)
            }
            Err(error) => {
                self.refused += 1;
                let message = error.to_string();
                assert!(message.len() < 1500, "a message, not a file: {message}");
                None
            }
        }
    }

    fn check(&self, format: &str) {
        println!("{format}: {} accepted, {} refused", self.accepted, self.refused);
        assert!(self.accepted >= MUTANTS / 100 && self.refused >= MUTANTS / 100, "{format}: the mutants are one-sided");
    }
}

fn check_mesh(mesh: &MeshData) {
    assert!(!mesh.positions.is_empty() && !mesh.triangles.is_empty());
    assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()));
    assert!(mesh.triangles.as_flattened().iter().all(|&vertex| (vertex as usize) < mesh.positions.len()));
}

fn check_cache(cache: &PointCache, bytes: usize) {
    assert!(cache.frames > 0 && cache.vertices > 0);
    assert_eq!(cache.positions.len(), cache.frames * cache.vertices * 3);
    assert!(cache.positions.capacity() * 4 <= bytes);
    assert!(cache.positions.iter().all(|value| value.is_finite()));
}

fn check_times(times: &[f64]) {
    assert!(!times.is_empty() && times.iter().all(|time| time.is_finite()));
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
}

/// Largest address space the process has had, bytes; `None` where the system does not tell.
fn address_space() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[test]
fn damaged_files_are_accepted_whole_or_refused() {
    let before = address_space();
    if before.is_none() {
        eprintln!("skipped: this system does not tell how much memory a process asked for");
    }
    let folder = Folder::new();
    let file = Path::new("x");
    let mut random = Random::new(20_261_121);

    let mut tally = Tally::default();
    for _ in 0..MUTANTS {
        if let Some(mesh) = tally.count(parse_obj(&mutate(&mut random, OBJ.as_bytes()), file)) {
            check_mesh(&mesh);
        }
    }
    tally.check("OBJ");

    let positions: Vec<f32> = (0..24).map(|at| at as f32 * 0.5).collect();
    let seed = pc2(4, 0.0, 1.0, 2, &positions);
    let mut tally = Tally::default();
    for _ in 0..MUTANTS {
        let bytes = mutate(&mut random, &seed);
        if let Some(cache) = tally.count(parse_pc2(&bytes, file)) {
            check_cache(&cache, bytes.len());
        }
    }
    tally.check("PC2");

    let seed_mdd = mdd(2, 4, &[0.0, 1.0], &positions);
    let mut tally = Tally::default();
    for _ in 0..MUTANTS {
        let bytes = mutate(&mut random, &seed_mdd);
        if let Some(cache) = tally.count(parse_mdd(&bytes, file)) {
            check_cache(&cache, bytes.len());
        }
    }
    tally.check("MDD");

    let mut tally = Tally::default();
    for _ in 0..MUTANTS {
        if let Some(track) = tally.count(parse_transforms(&mutate(&mut random, JSON.as_bytes()), file)) {
            assert!(track.transforms.as_flattened().iter().all(|entry| entry.is_finite()));
            if let Some(times) = track.times {
                check_times(&times);
                assert_eq!(times.len(), track.transforms.len());
            }
        }
    }
    tally.check("JSON");

    folder.write("a.obj", OBJ);
    folder.write("s1.obj", OBJ);
    folder.write("s2.obj", OBJ);
    folder.write("a.pc2", &seed);
    folder.write("a.json", JSON);
    let scene_file = folder.path("scene.toml");
    parse_scene(TOML, &scene_file).expect("the seed itself is a scene");
    let mut tally = Tally::default();
    for _ in 0..MUTANTS {
        let bytes = mutate(&mut random, TOML.as_bytes());
        let Some(scene) = tally.count(parse_scene(&String::from_utf8_lossy(&bytes), &scene_file)) else { continue };
        assert!(scene.excluded.iter().all(|[a, b]| a < b && *b < scene.bodies.len()));
        for body in &scene.bodies {
            check_mesh(&body.mesh);
            let vertices = body.mesh.positions.len();
            match &body.motion.in_memory().expect("the cache is there") {
                MotionData::Fixed => {}
                MotionData::Cached { .. } => unreachable!("in memory"),
                MotionData::Velocity { velocity } => assert!(velocity.iter().all(|value| value.is_finite())),
                MotionData::Keyframes { times, positions } => {
                    check_times(times);
                    assert_eq!(positions.len(), times.len() * vertices * 3);
                    assert!(positions.iter().all(|value| value.is_finite()));
                }
                MotionData::Reduced(motion) => check_times(motion.times()),
                MotionData::Planned(motion) => {
                    assert!(motion.times().windows(2).all(|pair| pair[0] < pair[1]));
                    if let PlannedMotion::Spheres { times, spheres } = motion {
                        assert_eq!(2 * spheres.len(), times.len().max(1) * vertices);
                        assert!(spheres.iter().all(|sphere| sphere.radius >= 0.0));
                    }
                }
                MotionData::Rigid { times, transforms } => {
                    check_times(times);
                    assert_eq!(times.len(), transforms.len());
                    let last = body.vertices_at_key(times.len() - 1).expect("last key");
                    assert!(last.as_flattened().iter().all(|value| value.is_finite()));
                }
            }
        }
        if let Some([start, end]) =
            scene.default_span().filter(|[start, end]| (end - start) * scene.fps.unwrap_or(1.0) < 1e4)
        {
            let times = scene.sample_times();
            assert!(times.iter().all(|time| (start..=end).contains(time)));
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
    tally.check("TOML");

    if let (Some(before), Some(after)) = (before, address_space()) {
        println!("address space grew by {} KiB", (after - before) >> 10);
        assert!(after - before < GROWTH, "the process asked for {} bytes", after - before);
    }
}
