//! The inputs of a command: words on the command line to a scene.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::ModelOptions;
use super::output::say;
use super::progress::Progress;
use super::table::{counted, table};
use super::{Failure, Status, bold};
use crate::io::gltf::{GltfOptions, is_gltf, read_gltf};
use crate::io::{
    FileError, FileFormat, Input, InputError, InputOptions, ReadError, ReadErrorKind, Scene, SceneError,
    read_inputs_with,
};

/// What a command reads.
#[derive(Args)]
pub(super) struct InputArguments {
    /// A scene file (TOML, see docs/formats/scene.md); or any number of meshes (cloth.obj,
    /// cloth.ply, cloth.stl), meshes with motions (cloth.obj:cloth.pc2, .mdd, .json), sequences
    /// (cloth_####.obj) and glTF models with or without node and clip (hero.glb#Body@Walk); see
    /// docs/formats/inputs.md
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,
    #[command(flatten)]
    model: ModelOptions,
}

impl InputArguments {
    /// The words as inputs.
    pub(super) fn inputs(&self) -> Result<Vec<Input>, Failure> {
        let input = |word: &OsString| match word.to_str() {
            Some(word) => word.parse().map_err(Failure::from),
            // What is no text names neither node nor clip.
            None => Ok(Input::new(word)),
        };
        self.inputs.iter().map(input).collect()
    }

    /// What the results are headed with.
    pub(super) fn title(&self) -> PathBuf {
        let mut title = self.inputs.first().cloned().unwrap_or_default();
        match self.inputs.len() {
            0 | 1 => {}
            2 => title.push(" and another"),
            more => title.push(format!(" and {} more", more - 1)),
        }
        if let Some(clip) = self.used_clip() {
            title.push(format!(", clip {clip}"));
        }
        title.into()
    }

    /// The clip of `--clip`, if it is that of a model: those that name one keep it.
    fn used_clip(&self) -> Option<&str> {
        let clip = self.model.clip.as_ref()?.as_deref()?;
        let is_used = self.inputs().ok()?.iter().any(|input| is_gltf(&input.path) && input.clip.is_none());
        is_used.then_some(clip)
    }

    /// The title, with the clip that was chosen where the inputs name none.
    pub(super) fn heading(&self, scene: &Scene) -> PathBuf {
        let mut title = self.title().into_os_string();
        let mut clips: Vec<&str> = scene.bodies.iter().filter_map(|body| body.clip.as_deref()).collect();
        clips.dedup();
        if let [clip] = clips[..]
            && self.used_clip().is_none()
            && !title.to_string_lossy().contains(clip)
        {
            title.push(format!(", clip {clip}"));
        }
        title.into()
    }

    /// The file of the first input.
    pub(super) fn file(&self) -> PathBuf {
        self.inputs().ok().and_then(|inputs| inputs.into_iter().next()).map_or_else(PathBuf::new, |input| input.path)
    }

    /// Refuses `--clip` where every model among the inputs names its own.
    fn refuse_unused_clip(&self) -> Result<(), Failure> {
        let Some(Some(clip)) = &self.model.clip else { return Ok(()) };
        let models: Vec<Input> = self.inputs()?.into_iter().filter(|input| is_gltf(&input.path)).collect();
        match models.first().and_then(|input| input.clip.as_ref()) {
            Some(named) if models.iter().all(|input| input.clip.is_some()) => {
                let path = models[0].path.display();
                Err(Failure::Input(format!("--clip {clip}: {path}@{named} names its clip; leave out one of the two")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses options of glTF models where none was read.
    pub(super) fn refuse_needless(&self, files: &[PathBuf]) -> Result<(), Failure> {
        refuse_needless(&self.model, &self.title(), files)
    }

    pub(super) fn options(&self, fps: Option<f64>) -> Result<InputOptions, Failure> {
        self.refuse_unused_clip()?;
        let model = &self.model;
        if let Some(tolerance) = model.tolerance.filter(|tolerance| !(*tolerance > 0.0 && tolerance.is_finite())) {
            return Err(Failure::Input(format!(
                "--tolerance: {tolerance} is not a number of metres above 0; give one such as 0.001"
            )));
        }
        if let Some(fps) = fps.filter(|fps| !(*fps > 0.0 && fps.is_finite())) {
            return Err(Failure::Input(format!(
                "--fps: {fps} is not a number of samples a second above 0; give one such as 24"
            )));
        }
        let options = InputOptions::default().at_fps(fps).clip(model.clip.clone().flatten()).tolerance(model.tolerance);
        Ok(options.repairing(model.repair).allowing_outside(model.allow_outside).storing(model.stored))
    }

    /// Reads the inputs; `fps` is `--fps`. Keys of models are stored with `--stored`, or if
    /// `stores`.
    pub(super) fn load(&self, fps: Option<f64>, quiet: bool, stores: bool) -> Result<Scene, Failure> {
        let (inputs, options) = (self.inputs()?, self.options(fps)?);
        let options = if stores { options.storing(true) } else { options };
        let progress = Progress::new(quiet);
        let count = inputs.len();
        let read = read_inputs_with(&inputs, &options, &mut |place| {
            let files = [Some(&inputs[place].path), inputs[place].motion.as_ref()];
            let bytes =
                files.into_iter().flatten().filter_map(|file| std::fs::metadata(file).ok()).map(|file| file.len());
            progress.reading(&self.inputs[place].to_string_lossy(), bytes.sum(), [place + 1, count]);
        });
        drop(progress);
        let scene = read.map_err(|error| refused(&error))?;
        self.refuse_needless(&scene.files)?;
        Ok(scene)
    }

    /// Whether the first input is a scene file, by its ending.
    pub(super) fn is_scene_file(&self) -> bool {
        FileFormat::of_ending(self.file()) == Some(FileFormat::Scene)
    }

    /// Whether bad weights of models are repaired.
    pub(super) fn repairs(&self) -> bool {
        self.model.repair
    }

    /// Whether `--clip` is there without a name.
    pub(super) fn lists_clips(&self) -> bool {
        self.model.clip == Some(None)
    }

    /// Prints the clips of all models among the inputs.
    pub(super) fn list_clips(&self) -> Result<Status, Failure> {
        let mut text = String::new();
        for input in self.inputs()?.iter().filter(|input| is_gltf(&input.path)) {
            let read = if self.model.repair { GltfOptions::repairing() } else { GltfOptions::default() };
            let model = read_gltf(&input.path, read.allowing_outside(self.model.allow_outside))?;
            let head = counted(model.clips.len() as u64, "clip", "clips");
            let _ = writeln!(text, "{}", bold(&format!("{}: ", input.path.display()), &head));
            let rows: Vec<Vec<String>> = model
                .clips
                .iter()
                .enumerate()
                .map(|(number, clip)| {
                    let rate = clip.frame_rate().map_or_else(|| "not on frames".into(), |fps| format!("{fps}"));
                    let [begin, end] = clip.span;
                    vec![clip.name.clone(), number.to_string(), format!("{begin:.4} s"), format!("{end:.4} s"), rate]
                })
                .collect();
            if !rows.is_empty() {
                let _ = writeln!(text, "\n{}", table(&["clip", "number", "from", "to", "frames a second"], &rows));
            }
        }
        if text.is_empty() {
            let title = self.title();
            return Err(Failure::Input(format!(
                "--clip: only for glTF models, and {} is none; leave it out",
                title.display()
            )));
        }
        say(&text)?;
        Ok(Status::Answered)
    }
}

/// A refusal of arguments; where `--clip` took the only input as the name of a clip, with what to
/// write.
pub(super) fn with_remedy(mut refused: clap::Error) -> clap::Error {
    let lacks_input = refused.kind() == ErrorKind::MissingRequiredArgument
        && matches!(refused.get(ContextKind::InvalidArg), Some(ContextValue::Strings(missing))
            if missing.iter().any(|argument| argument.contains("<INPUT>")));
    // The last word of all is taken by no option before it.
    let takes_word = std::env::args_os().skip_while(|word| word != "--clip").nth(1).is_some();
    if lacks_input && takes_word {
        let tip = "--clip takes the word after it as the name of a clip; write the input first: model.glb --clip";
        refused.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    refused
}

/// Refuses options of glTF models where none was read. A file whose name does not tell its format
/// may be one.
pub(super) fn refuse_needless(model: &ModelOptions, title: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let given = [("--repair", model.repair), ("--stored", model.stored)];
    let is_none = |file: &PathBuf| FileFormat::of_ending(file).is_some_and(|format| format != FileFormat::Gltf);
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) if files.iter().all(is_none) => {
            let title = title.display();
            Err(Failure::Input(format!("{option}: only for glTF models, and {title} has none; leave it out")))
        }
        _ => Ok(()),
    }
}

/// The files that a scene was read from.
pub(super) fn files(scene: &Scene) -> impl Iterator<Item = &Path> {
    scene.files.iter().map(PathBuf::as_path)
}

/// The message of a refused input, with the option that is to be changed.
pub(super) fn refused(error: &ReadError) -> Failure {
    let file = error.file().display();
    let is_no_scene = FileFormat::of_ending(error.file()) != Some(FileFormat::Scene);
    Failure::Input(match error.kind() {
        ReadErrorKind::Input(InputError::OnlyModels { key }) if is_no_scene => {
            format!("--{key}: only for glTF models, and {file} is none; leave it out")
        }
        ReadErrorKind::Input(InputError::OnlyModels { key }) => {
            format!("--{key}: not for scene files; give the body the key {key} in {file} instead")
        }
        ReadErrorKind::Scene(SceneError::Toml { .. }) if is_no_scene => {
            format!(
                "{error}; a scene is a TOML file (docs/formats/scene.md) that names meshes and motions; other inputs \
                 are told by their endings (docs/formats/inputs.md)"
            )
        }
        ReadErrorKind::File(FileError::NotFound) if matches!(error.file().to_str(), Some("true" | "false")) => {
            format!("{error}; if it is the value of --intervals, write --intervals={file}")
        }
        _ => error.to_string(),
    })
}
