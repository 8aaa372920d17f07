//! Scenes as files for the C and C++ libraries of `rivals/`: little-endian, `KTRACE01`, then numbers of 32 bits: bodies, keys, intervals
//! of frames per key; per body its vertices, triangles and keys, corners, and positions key by key.

use std::path::{Path, PathBuf};

use crate::scene::Scene;

/// Writes a scene below the build folder; returns where.
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
    let path = folder.join(format!("{}.bin", scene.name.replace('/', "_")));
    std::fs::write(&path, bytes).expect("a file that can be written");
    path
}
