//! The data beside the package.
#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

use std::path::{Path, PathBuf};

/// A file or folder of the shared data. Where it is absent: `None`, with the reason printed, and
/// what needs it is skipped. With `KINETREE_NEED_DATA` set, absence is a failure.
pub fn shared(path: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(path);
    if path.exists() {
        return Some(path);
    }
    let reason = format!("skipped: {} is not there", path.display());
    assert!(std::env::var_os("KINETREE_NEED_DATA").is_none(), "{reason}");
    println!("{reason}");
    None
}

/// The glTF files in folders of the shared data, sorted.
pub fn shared_models(folders: &[&str]) -> Vec<PathBuf> {
    let entries = folders.iter().filter_map(|folder| shared(folder)).flat_map(|folder| folder.read_dir().unwrap());
    let is_model = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "glb" || kind == "gltf");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(is_model).collect();
    files.sort();
    files
}
