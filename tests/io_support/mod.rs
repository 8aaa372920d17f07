//! What the reader tests share: a folder that cleans up after itself, writers of the binary formats, messages without the folder.
#![allow(dead_code, reason = "each test file uses a part of it")]

#[path = "../common/checksum.rs"]
pub(crate) mod checksum;
#[path = "../common/data.rs"]
pub(crate) mod data;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use kinetree::io::ReadError;
use kinetree::scenes;

/// A new, empty folder, removed when it goes out of scope.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kinetree_io_{}_{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("temporary folder");
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The same, as an argument of the program.
    pub(crate) fn at(&self, name: &str) -> String {
        self.path(name).to_str().expect("a path in UTF-8").to_owned()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("folder");
        fs::write(&path, content).expect("file");
        path
    }

    /// Writes a file, and says where, as an argument of the program.
    pub(crate) fn write_at(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.write(name, content);
        self.at(name)
    }

    /// The sentence a user reads, with this folder's path taken out, so that it can be compared.
    pub(crate) fn message(&self, error: &ReadError) -> String {
        error.to_string().replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The sentence for bytes that were never in a file; they are parsed under the name `x`.
pub(crate) fn sentence<T: std::fmt::Debug>(result: Result<T, ReadError>) -> String {
    let error = result.expect_err("refused");
    assert_eq!(error.file(), Path::new("x"));
    error.to_string()
}

pub(crate) fn pc2(vertices: i32, start: f32, rate: f32, frames: i32, positions: &[f32]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend(vertices.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend(rate.to_le_bytes());
    bytes.extend(frames.to_le_bytes());
    bytes.extend(positions.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

pub(crate) fn mdd(frames: i32, vertices: i32, times: &[f32], positions: &[f32]) -> Vec<u8> {
    let mut bytes = frames.to_be_bytes().to_vec();
    bytes.extend(vertices.to_be_bytes());
    bytes.extend(times.iter().chain(positions).flat_map(|value| value.to_be_bytes()));
    bytes
}

/// Reproducible numbers.
pub(crate) struct Random(scenes::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(scenes::Random::new(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.next_bits()
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Any finite f32, all bit patterns as likely: subnormals and both zeros included.
    pub(crate) fn finite(&mut self) -> f32 {
        loop {
            let value = f32::from_bits(self.next() as u32);
            if value.is_finite() {
                return value;
            }
        }
    }
}

/// A closed box, as an OBJ file.
pub(crate) fn block(from: [f64; 3], to: [f64; 3]) -> String {
    let mut obj = String::new();
    for corner in 0..8 {
        let place = |axis: usize| if corner >> axis & 1 == 0 { from[axis] } else { to[axis] };
        writeln!(obj, "v {} {} {}", place(0), place(1), place(2)).unwrap();
    }
    for face in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        writeln!(obj, "f {} {} {} {}", face[0], face[1], face[2], face[3]).unwrap();
    }
    obj
}
