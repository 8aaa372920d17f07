//! `kinetree init`: the scene file that says the same as a list of inputs.

use std::io::Write as _;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use clap::Args;

use super::args::STATUSES_OF_WRITING;
use super::inputs::{InputArguments, refused};
use super::numbers;
use super::output::{Output, is_standard, keep_apart, say};
use super::{Failure, Status, tell};
use crate::io::scene_text;

/// What `init` reads; other commands take scene files too.
const INPUTS: &str = "Any number of meshes (cloth.obj, cloth.ply, cloth.stl), meshes with motions (cloth.obj:cloth.pc2, \
     .mdd, .json), sequences (cloth_####.obj) and glTF models with or without node and clip (hero.glb#Body@Walk); see \
     docs/formats/inputs.md";

#[derive(Args)]
#[command(mut_arg("inputs", |inputs| inputs.help(INPUTS)), after_help = STATUSES_OF_WRITING)]
pub(super) struct InitOptions {
    #[command(flatten)]
    pub(super) source: InputArguments,
    /// Frames a second of caches, sequences and clips [default: what the files state, or the keys
    /// of clips suggest]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = numbers::rate)]
    fps: Option<f64>,
    /// The scene file to write; `-` for standard output
    #[arg(long, short, value_name = "FILE", default_value = "scene.toml")]
    out: PathBuf,
    /// Replaces the file if it is there
    #[arg(long)]
    force: bool,
}

pub(super) fn init(options: &InitOptions) -> Result<Status, Failure> {
    let out = &options.out;
    if !options.force && !is_standard(out) && out.is_file() {
        return Err(Failure::Input(format!(
            "cannot write {}: the file is there already; give another name with --out, or replace it with --force",
            out.display()
        )));
    }
    let inputs = options.source.inputs()?;
    let place = if is_standard(out) { Path::new("scene.toml") } else { out };
    let scene = scene_text(&inputs, &options.source.options(options.fps)?, place).map_err(|error| refused(&error))?;
    options.source.refuse_needless(&scene.files)?;
    keep_apart(&[("--out", out)], scene.files.iter().map(PathBuf::as_path))?;
    for note in &scene.notes {
        tell("note: ", note);
    }
    let mut flags = String::new();
    if scene.is_outside {
        flags.push_str(" --allow-outside");
        tell("note: ", "the scene names files outside its own folder; reading it needs --allow-outside");
    }
    if options.source.repairs() {
        flags.push_str(" --repair");
    }
    let mut output = Output::create(out)?;
    output.write_all(scene.text.as_bytes()).map_err(|error| output.failed(&error))?;
    output.finish()?;
    if !is_standard(out) {
        say(&format!("written: {}\ncheck it with: kinetree check {}{flags}\n", out.display(), shell_word(out)))?;
    }
    Ok(Status::Answered)
}

/// A path as one word of a shell.
fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || letter == MAIN_SEPARATOR || "/._-+=:@%,".contains(letter);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
