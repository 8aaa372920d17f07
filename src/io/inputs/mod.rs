//! Bodies by the names of their files, without a scene file: `cloth.obj:cloth.pc2`,
//! `hero.glb#Body@Walk`.
//!
//! [`Input`] is one of these words, parsed; [`read_inputs`] makes a scene of a list of them, and
//! [`scene_text`] the scene file that says the same.
//!
//! | file | does |
//! |---|---|
//! | `mod` | the words |
//! | `read` | files to bodies |
//! | `names` | names of bodies |
//! | `text` | the scene file |
//! | `error` | what can be wrong |
//!
//! ```
//! use kinetree::io::{Input, InputOptions, read_inputs};
//!
//! let cloth: Input = "fixtures/cloth_ball/cloth.obj:fixtures/cloth_ball/cloth.pc2".parse()?;
//! let scene = read_inputs(&[cloth], &InputOptions::default().at_fps(24.0))?;
//! assert_eq!(scene.bodies[0].name, "cloth");
//! assert_eq!(scene.bodies[0].motion.key_count(), 94);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod names;
mod read;
mod text;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::cancel::Cancel;

pub use self::error::InputError;
pub use self::read::{read_inputs, read_inputs_with};
pub use self::text::{SceneText, scene_text};
use super::gltf::{Reference, end_of_file_name};

/// Endings after which `#` and `@` are meant as they are for models.
const MESH_ENDINGS: [&str; 3] = [".obj", ".ply", ".stl"];

/// A file of bodies, and what moves or selects them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Input {
    /// A mesh, a sequence of meshes, a glTF model or a scene file.
    pub path: PathBuf,
    /// What moves the mesh: a cache, a track of transforms or a sequence of meshes.
    pub motion: Option<PathBuf>,
    /// The node of a model, as [`super::gltf::Model::bodies_of`] takes it; without, all.
    pub node: Option<String>,
    /// The clip of a model, as [`super::gltf::Model::clip`] takes it; without, that of
    /// [`InputOptions::clip`].
    pub clip: Option<String>,
    /// The name of the body; without, the file's or the node's. Not for scene files, nor for models
    /// of several bodies.
    pub name: Option<String>,
}

impl Input {
    /// A file by itself. The path is taken as it is, with any characters.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Sets what moves the mesh.
    #[must_use]
    pub fn moved_by(self, motion: impl Into<PathBuf>) -> Self {
        Self { motion: Some(motion.into()), ..self }
    }

    /// Sets the node of a model.
    #[must_use]
    pub fn node(self, node: impl Into<String>) -> Self {
        Self { node: Some(node.into()), ..self }
    }

    /// Sets the clip of a model.
    #[must_use]
    pub fn clip(self, clip: impl Into<String>) -> Self {
        Self { clip: Some(clip.into()), ..self }
    }

    /// Sets the name of the body.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

/// Parses `mesh`, `mesh:motion`, `model`, `model#node`, `model@clip` or `model#node@clip`.
///
/// The colon after a single letter is that of a drive, as in `C:\cloth.obj:D:\cloth.pc2`. In a
/// model's name `#` and `@` count after `.glb` or `.gltf` only. Nothing is read.
impl FromStr for Input {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        if text.trim().is_empty() {
            return Err(InputError::Empty);
        }
        if let Some(Reference { path, node, clip }) = Reference::parse(text) {
            return Ok(Self { path, node, clip, ..Self::default() });
        }
        let has_more = |end: usize| end < text.len();
        if end_of_file_name(text, &MESH_ENDINGS).is_some_and(has_more) {
            return Err(InputError::NotModel { input: text.to_owned() });
        }
        let colons: Vec<usize> = separators(text);
        match colons[..] {
            [] => Ok(Self::new(text)),
            [colon] => {
                let (mesh, motion) = (&text[..colon], &text[colon + 1..]);
                if mesh.is_empty() || motion.is_empty() {
                    return Err(InputError::HalfPair { input: text.to_owned() });
                }
                Ok(Self::new(mesh).moved_by(motion))
            }
            _ => Err(InputError::TooManyParts { input: text.to_owned() }),
        }
    }
}

/// The colons that are not those of drives.
fn separators(text: &str) -> Vec<usize> {
    let mut begin = 0;
    let mut found = Vec::new();
    for (at, _) in text.match_indices(':') {
        let is_drive = at == begin + 1 && text.as_bytes()[begin].is_ascii_alphabetic();
        if !is_drive {
            found.push(at);
            begin = at + 1;
        }
    }
    found
}

/// How a list of inputs is read.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct InputOptions {
    /// Frames a second of all motions, and of the scene. Without, files must state their times; a
    /// clip of a model has the rate that its keys show.
    pub fps: Option<f64>,
    /// The clip of models for which none is named.
    pub clip: Option<String>,
    /// See [`super::gltf::GltfSceneOptions::tolerance`].
    pub tolerance: Option<f64>,
    /// Whether bad weights of models are repaired, with a note.
    pub repair: bool,
    /// See [`super::gltf::GltfSceneOptions::stored`].
    pub stored: bool,
    /// Whether models and scenes may name files outside their own folders. Inputs themselves may be
    /// anywhere.
    pub allow_outside: bool,
    /// Ends the reading with [`ReadErrorKind::Cancelled`](super::ReadErrorKind::Cancelled). It is
    /// read before each input, and before each body of a scene file.
    pub cancel: Option<Cancel>,
}

impl InputOptions {
    /// Sets the frames a second.
    #[must_use]
    pub fn at_fps(self, fps: impl Into<Option<f64>>) -> Self {
        Self { fps: fps.into(), ..self }
    }

    /// Sets the clip of models for which none is named.
    #[must_use]
    pub fn clip(self, clip: impl Into<Option<String>>) -> Self {
        Self { clip: clip.into(), ..self }
    }

    /// Sets how far vertices of models may be from their true paths, metres.
    #[must_use]
    pub fn tolerance(self, tolerance: impl Into<Option<f64>>) -> Self {
        Self { tolerance: tolerance.into(), ..self }
    }

    /// Sets whether bad weights are repaired.
    #[must_use]
    pub fn repairing(self, repair: bool) -> Self {
        Self { repair, ..self }
    }

    /// Sets whether every vertex of every key of models is stored.
    #[must_use]
    pub fn storing(self, stored: bool) -> Self {
        Self { stored, ..self }
    }

    /// Sets whether models and scenes may name files outside their own folders.
    #[must_use]
    pub fn allowing_outside(self, allow_outside: bool) -> Self {
        Self { allow_outside, ..self }
    }

    /// Sets a flag that ends the reading.
    #[must_use]
    pub fn cancelled_by(self, cancel: impl Into<Option<Cancel>>) -> Self {
        Self { cancel: cancel.into(), ..self }
    }
}

/// Whether the path is the pattern of a sequence rather than a file.
fn is_pattern(path: &Path) -> bool {
    super::sequence::NamePattern::is_one(path) && !path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_motions_and_drives() {
        let parts = |text: &str| {
            let Input { path, motion, .. } = text.parse().unwrap();
            (path.display().to_string(), motion.map_or(String::new(), |motion| motion.display().to_string()))
        };
        for (text, mesh, motion) in [
            ("a.obj", "a.obj", ""),
            ("a.obj:a.pc2", "a.obj", "a.pc2"),
            ("C:\\x\\a.obj", "C:\\x\\a.obj", ""),
            ("C:\\x\\a.obj:D:\\y\\a.pc2", "C:\\x\\a.obj", "D:\\y\\a.pc2"),
            ("c:/x/a.obj:a.pc2", "c:/x/a.obj", "a.pc2"),
            ("a.obj:d:/a.mdd", "a.obj", "d:/a.mdd"),
            ("C:a.obj:C:a.pc2", "C:a.obj", "C:a.pc2"),
            ("frames/cloth_####.obj", "frames/cloth_####.obj", ""),
            ("a.ply:frames/cloth_%04d.ply", "a.ply", "frames/cloth_%04d.ply"),
            ("ä:b.pc2", "ä", "b.pc2"),
        ] {
            assert_eq!(parts(text), (mesh.into(), motion.into()), "{text}");
        }
        for (text, part) in [
            ("", "empty"),
            ("a.obj:", "after the colon"),
            (":a.pc2", "after the colon"),
            ("a.obj:a.pc2:b.pc2", "more than two"),
            ("a.obj#Body", "glTF"),
            ("a.ply@Walk", "glTF"),
        ] {
            let message = text.parse::<Input>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
