//! Inputs as the text of a scene file.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use super::super::error::ReadError;
use super::super::gltf::Reference;
use super::super::scene::{Scene, check_path};
use super::read::{Entry, gather};
use super::{Input, InputError, InputOptions};

/// A scene file, not yet written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SceneText {
    /// TOML that [`super::super::parse_scene`] reads.
    pub text: String,
    /// Whether it names files outside the folder it is for, so that reading it needs
    /// [`super::super::SceneOptions::allow_outside`].
    pub is_outside: bool,
    /// Remarks of reading the inputs.
    pub notes: Vec<String>,
    /// The files that were read, see [`Scene::files`](super::super::Scene::files).
    pub files: Vec<PathBuf>,
}

/// The scene file that makes the same scene as [`read_inputs`](super::read_inputs); `file` is where
/// it will be: paths in it are relative to that folder, or absolute where they are outside of it.
///
/// Reads all inputs, because names, nodes and rates come from them. `repair` and `allow_outside` of
/// the options have no key in a scene file; they must be given again when it is read.
///
/// # Errors
/// As [`read_inputs`](super::read_inputs); a scene file as input; a path that a scene file cannot
/// hold, or a name that means another node too.
pub fn scene_text(inputs: &[Input], options: &InputOptions, file: &Path) -> Result<SceneText, ReadError> {
    let gathered = gather(inputs, options, &mut |_| {})?;
    if gathered.entries.is_empty() {
        let path = inputs.first().map_or(Path::new(""), |input| &input.path);
        return Err(ReadError::new(path, InputError::SceneAlready));
    }
    let folder = Place::of(file);
    let scene = &gathered.scene;
    let mut text = String::from("# The keys are explained in docs/formats/scene.md.\n");
    if let Some(fps) = scene.fps {
        let _ = writeln!(text, "fps = {fps:?}");
    }
    if let Some([begin, end]) = scene.span {
        let _ = writeln!(text, "span = [{begin:?}, {end:?}]");
    }
    let mut is_outside = false;
    for (body, entry) in scene.bodies.iter().zip(&gathered.entries) {
        let mut name = |path: &Path| -> Result<String, ReadError> {
            let (name, outside) = folder.name(path)?;
            check_path(&name).map_err(|error| ReadError::new(path, error))?;
            is_outside |= outside;
            Ok(name)
        };
        let _ = writeln!(text, "\n[[body]]\nname = {}", quoted(&body.name));
        let mut file = name(&entry.file)?;
        if entry.is_sequence {
            let _ = writeln!(text, "motion = {}", quoted(&file));
            continue;
        }
        append_words(&mut file, entry)?;
        let _ = writeln!(text, "mesh = {}", quoted(&file));
        if let Some(motion) = &entry.motion {
            let _ = writeln!(text, "motion = {}", quoted(&name(motion)?));
        }
        if let Some(fps) = entry.fps.filter(|_| scene.fps != entry.fps) {
            let _ = writeln!(text, "fps = {fps:?}");
        }
        if let Some(tolerance) = options.tolerance.filter(|_| entry.node.is_some()) {
            let _ = writeln!(text, "tolerance = {tolerance:?}");
        }
        if options.stored && entry.node.is_some() {
            let _ = writeln!(text, "stored = true");
        }
    }
    let Scene { notes, files, .. } = gathered.scene;
    Ok(SceneText { text, is_outside, notes, files })
}

/// Writes node and clip after the name of a model.
fn append_words(file: &mut String, entry: &Entry) -> Result<(), ReadError> {
    let Some(node) = &entry.node else { return Ok(()) };
    let _ = write!(file, "#{node}");
    let refuse = |kind, name: &String| {
        let name = name.clone();
        Err(ReadError::new(&entry.file, InputError::Ambiguous { kind, name }))
    };
    let clip = match &entry.clip {
        Some(Err(name)) => return refuse("clip", name),
        Some(Ok(clip)) => Some(clip),
        None => None,
    };
    if let Some(clip) = clip {
        let _ = write!(file, "@{clip}");
    }
    let read = Reference::parse(file);
    if read.is_none_or(|read| read.node.as_ref() != Some(node) || read.clip.as_ref() != clip) {
        return refuse("node", node);
    }
    Ok(())
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The folder of the scene file, without links where it exists.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn of(file: &Path) -> Self {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self { folder: folder.canonicalize().unwrap_or_else(|_| folder.to_owned()) }
    }

    /// The name of a file in the scene, and whether it is outside the folder.
    fn name(&self, path: &Path) -> Result<(String, bool), ReadError> {
        let refuse = || ReadError::new(path, InputError::PathNotUtf8);
        // The pattern of a sequence is no file: its folder counts.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = path.canonicalize().ok().or_else(|| Some(parent.canonicalize().ok()?.join(path.file_name()?)));
        let real = real.unwrap_or_else(|| path.to_owned());
        let Ok(inside) = real.strip_prefix(&self.folder) else {
            return Ok((real.to_str().ok_or_else(refuse)?.to_owned(), true));
        };
        let parts = inside.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_str().ok_or_else(refuse)),
            _ => None,
        });
        Ok((parts.collect::<Result<Vec<_>, _>>()?.join("/"), false))
    }
}
