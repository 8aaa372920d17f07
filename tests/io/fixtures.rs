//! The scenes that ship are what their README says, and they read; so does every sequence in the shared data, where present.

use std::fs;
use std::path::{Path, PathBuf};

use crate::io_support::data::shared;
use kinetree::io::{CacheTiming, MotionData, read_obj, read_pc2, read_scene, read_transforms, transform_point};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// FIPS 180-4, for the checksums only.
fn sha256(message: &[u8]) -> String {
    // The first 32 bits of the fractions of square roots (start) and cube roots (rounds) of the first primes.
    let primes: Vec<u128> = (2..312u128).filter(|n| (2..*n).all(|d| n % d != 0)).take(64).collect();
    // floor(root * 2^32) by bisection on integers; the low half is the fraction.
    let fraction = |prime: u128, power: u32| {
        let (mut low, mut high) = (0u128, 1 << 36);
        while high - low > 1 {
            let middle = u128::midpoint(low, high);
            let fits = middle.pow(power) <= prime << (32 * power);
            (low, high) = if fits { (middle, high) } else { (low, middle) };
        }
        low as u32
    };
    let rounds: Vec<u32> = primes.iter().map(|&prime| fraction(prime, 3)).collect();
    let mut state: Vec<u32> = primes[..8].iter().map(|&prime| fraction(prime, 2)).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.as_chunks::<64>().0 {
        let mut w: Vec<u32> = block.as_chunks::<4>().0.iter().map(|&word| u32::from_be_bytes(word)).collect();
        for at in 16..64 {
            let s0 = w[at - 15].rotate_right(7) ^ w[at - 15].rotate_right(18) ^ (w[at - 15] >> 3);
            let s1 = w[at - 2].rotate_right(17) ^ w[at - 2].rotate_right(19) ^ (w[at - 2] >> 10);
            w.push(w[at - 16].wrapping_add(s0).wrapping_add(w[at - 7]).wrapping_add(s1));
        }
        let mut v: [u32; 8] = state[..].try_into().expect("eight words");
        for at in 0..64 {
            let [a, b, c, d, e, f, g, h] = v;
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(rounds[at]).wrapping_add(w[at]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let majority = (a & b) ^ (a & c) ^ (b & c);
            v = [t1.wrapping_add(s0).wrapping_add(majority), a, b, c, d.wrapping_add(t1), e, f, g];
        }
        for (sum, word) in state.iter_mut().zip(v) {
            *sum = sum.wrapping_add(word);
        }
    }
    state.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().concat()
}

#[test]
fn sha256_knows_the_standard_answers() {
    assert_eq!(sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_eq!(sha256(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

#[test]
fn fixtures_are_what_their_readme_says() {
    let readme = fs::read_to_string(fixtures().join("README.md")).expect("README");
    let mut listed = Vec::new();
    for line in readme.lines() {
        let cells: Vec<&str> = line.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, file, bytes, sum, _] = cells[..] else { continue };
        if sum.len() != 64 {
            continue;
        }
        let content = fs::read(fixtures().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(content.len().to_string(), bytes, "{file}: length");
        assert_eq!(sha256(&content), sum, "{file}: checksum");
        listed.push(file.to_owned());
    }
    let files = |folder: &'static str| {
        let entries = fs::read_dir(fixtures().join(folder)).expect("folder");
        let names = entries.map(|entry| entry.expect("entry").file_name().into_string().expect("name"));
        names.filter(|name| !name.starts_with('.')).map(move |name| format!("{folder}/{name}"))
    };
    let mut present: Vec<String> =
        ["character", "cloth_ball", "hero", "kinds", "van"].into_iter().flat_map(files).collect();
    present.sort();
    assert_eq!(listed, present, "the README lists every file, sorted");
}

#[test]
fn character_reads() {
    let scene = read_scene(fixtures().join("character/scene.toml")).expect("scene");
    assert!(scene.notes.is_empty(), "{:?}", scene.notes);
    assert_eq!((scene.fps, scene.sample_times().len()), (Some(30.0), 46));
    for body in &scene.bodies {
        // The meshes are the first frames, bit for bit.
        assert_eq!(body.vertices_at_key(0).expect("frame 0"), body.mesh.positions, "{}", body.name);
        assert_eq!(body.motion.key_count(), 46);
    }
}

#[test]
fn hero_reads() {
    let scene = read_scene(fixtures().join("hero/scene.toml")).expect("scene");
    assert_eq!((scene.fps, scene.sample_times().len()), (Some(24.0), 121));
    let [hero, rival] = &scene.bodies[..] else { panic!("two bodies") };
    assert_eq!((&*hero.name, &*rival.name), ("hero", "rival"));
    for body in [hero, rival] {
        assert_eq!((body.mesh.positions.len(), body.mesh.triangles.len()), (1022, 2016));
        assert!(!matches!(body.motion, MotionData::Fixed | MotionData::Keyframes { .. }), "{} is reduced", body.name);
    }
}

#[test]
fn cloth_ball_reads() {
    let scene = read_scene(fixtures().join("cloth_ball/scene.toml")).expect("scene");
    assert!(scene.notes.is_empty(), "{:?}", scene.notes);
    assert_eq!(scene.fps, Some(24.0));
    assert_eq!(scene.excluded, [[1, 2]]);
    assert_eq!(scene.default_span(), Some([0.0, 3.875]));
    let samples = scene.sample_times();
    assert_eq!(samples.len(), 94);
    let [cloth, ball, floor] = &scene.bodies[..] else { panic!("three bodies") };
    assert_eq!((&*cloth.name, &*ball.name, &*floor.name), ("cloth", "ball", "floor"));
    assert_eq!((cloth.self_contact, ball.self_contact, floor.self_contact), (true, false, false));
    assert_eq!((cloth.mesh.positions.len(), cloth.mesh.triangles.len()), (6561, 12_800));
    assert_eq!((ball.mesh.positions.len(), ball.mesh.triangles.len()), (642, 1280));
    assert_eq!(floor.mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(floor.motion, MotionData::Fixed);
    let Ok(MotionData::Keyframes { times, positions }) = &cloth.motion.in_memory() else { panic!("keyframes") };
    assert_eq!(*times, samples);
    assert_eq!(positions.len(), 94 * 6561 * 3);
    // Every sixth byte group of the file itself, decoded without the reader.
    let bytes = fs::read(fixtures().join("cloth_ball/cloth.pc2")).expect("cache");
    for at in (0..positions.len()).step_by(6) {
        let word = bytes[32 + 4 * at..][..4].try_into().expect("four bytes");
        assert_eq!(positions[at].to_bits(), u32::from_le_bytes(word), "float {at}");
    }
    // Frame 0 is the mesh file, up to its 7 digits.
    let frame = cloth.vertices_at_key(0).expect("frame 0");
    for (vertex, (exact, rounded)) in frame.iter().zip(&cloth.mesh.positions).enumerate() {
        for axis in 0..3 {
            assert!((exact[axis] - rounded[axis]).abs() <= 1e-6, "vertex {vertex}");
        }
    }
    // The ball turns about z: every vertex keeps its height and its distance from the axis.
    assert_eq!(ball.motion.key_count(), 94);
    let last = ball.vertices_at_key(93).expect("last frame");
    assert!(last.iter().zip(&ball.mesh.positions).any(|(a, b)| (a[0] - b[0]).abs() > 0.1), "it moved");
    for (a, b) in last.iter().zip(&ball.mesh.positions) {
        assert!((a[2] - b[2]).abs() <= 1e-6 && (a[0].hypot(a[1]) - b[0].hypot(b[1])).abs() <= 1e-6);
    }
    assert!(ball.vertices_at_key(94).is_none() && cloth.vertices_at_key(94).is_none());
}

#[test]
fn every_shared_sequence_reads() {
    // Vertices, triangles, frames: as the data's own page counts them, with another program.
    let sequences = [
        ("cloth/diffcloth_tshirt/tshirt", 1426, 2745, 251),
        ("cloth/ball/cloth", 6561, 12_800, 94),
        ("cloth/twist/cloth", 6171, 12_000, 80),
    ];
    for (name, vertices, triangles, frames) in sequences {
        let (Some(obj), Some(pc2)) = (shared(&format!("{name}.obj")), shared(&format!("{name}.pc2"))) else { continue };
        let mesh = read_obj(obj).expect("mesh");
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
        let cache = read_pc2(pc2).expect("cache");
        assert_eq!((cache.vertices, cache.frames), (vertices, frames), "{name}");
        assert_eq!(cache.timing, CacheTiming::Pc2 { start: 0.0, rate: 1.0 });
        for (mesh, frame) in mesh.positions.as_flattened().iter().zip(&cache.positions) {
            assert!((mesh - frame).abs() <= 1e-6 * mesh.abs().max(1.0), "{name}: mesh and frame 0 agree");
        }
    }
}

#[test]
fn every_shared_mesh_and_transform_reads() {
    let meshes = [
        ("static/spot.obj", 2930, 5856),
        ("static/dress-v17k-f34k.obj", 17_562, 34_099),
        ("cloth/ball/ball.obj", 642, 1280),
        ("cloth/ball/floor.obj", 4, 2),
    ];
    for (name, vertices, triangles) in meshes {
        let Some(file) = shared(name) else { continue };
        let mesh = read_obj(file).expect("mesh");
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
    }
    let Some(file) = shared("cloth/ball/ball.xforms.json") else { return };
    let track = read_transforms(file).expect("transforms");
    assert_eq!((track.transforms.len(), track.times), (94, None));
    assert_eq!(transform_point(&track.transforms[0], [0.5, 0.25, -1.0]), [0.5, 0.25, -1.0]);
}
