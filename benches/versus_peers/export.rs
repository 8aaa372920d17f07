//! Scenes as files for `rivals/`. For the C and C++ libraries: little-endian, `KTRACE01`, then numbers of 32 bits: bodies, keys, intervals
//! of frames per key; per body its vertices, triangles and keys, corners, and positions key by key. For `continuous.py`, an OBJ mesh and
//! a PC2 cache in which all bodies are one surface, a frame per key.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::scene::Scene;

/// Writes a scene below the build folder; returns where, without the end of the name.
pub fn write(scene: &Scene) -> PathBuf {
    let mut bytes = b"KTRACE01".to_vec();
    let mut put = |number: usize| bytes.extend(u32::try_from(number).expect("a number of 32 bits").to_le_bytes());
    put(scene.actors().count());
    put(scene.times.len());
    put(scene.per_key);
    for actor in scene.actors() {
        let mut put = |number: usize| bytes.extend(u32::try_from(number).expect("a number of 32 bits").to_le_bytes());
        put(actor.mesh.vertex_count());
        put(actor.mesh.triangles().len());
        put(actor.keys.len());
        bytes.extend(actor.mesh.triangles().iter().flatten().flat_map(|corner| corner.to_le_bytes()));
        bytes.extend(actor.keys.iter().flatten().flatten().flat_map(|x| x.to_le_bytes()));
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/race");
    std::fs::create_dir_all(&folder).expect("a folder that can be written");
    let path = folder.join(scene.name.replace('/', "_"));
    let (mesh, cache) = as_one_clip(scene);
    for (end, content) in [("bin", bytes), ("obj", mesh.into_bytes()), ("pc2", cache)] {
        std::fs::write(path.with_extension(end), content).expect("a file that can be written");
    }
    path
}

/// All bodies as one surface: the text of an OBJ file, and a PC2 cache.
fn as_one_clip(scene: &Scene) -> (String, Vec<u8>) {
    let (mut vertices, mut faces) = (String::new(), String::new());
    let mut first = 1;
    for actor in scene.actors() {
        for [x, y, z] in &actor.keys[0] {
            let _ = writeln!(vertices, "v {x} {y} {z}");
        }
        for corners in actor.mesh.triangles() {
            let [a, b, c] = corners.map(|corner| corner as usize + first);
            let _ = writeln!(faces, "f {a} {b} {c}");
        }
        first += actor.mesh.vertex_count();
    }
    let mut cache = b"POINTCACHE2\0".to_vec();
    let mut put = |number: usize| cache.extend(u32::try_from(number).expect("a number of 32 bits").to_le_bytes());
    put(1);
    put(first - 1);
    cache.extend([0.0_f32, 1.0].iter().flat_map(|x| x.to_le_bytes()));
    cache.extend(u32::try_from(scene.times.len()).expect("a number of 32 bits").to_le_bytes());
    for key in 0..scene.times.len() {
        for actor in scene.actors() {
            cache.extend(actor.key(key).iter().flatten().flat_map(|x| x.to_le_bytes()));
        }
    }
    (vertices + &faces, cache)
}
