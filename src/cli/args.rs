//! Arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::bench::BenchOptions;
use super::completions::{ColorName, CompletionsOptions, ManOptions, long_version};
use super::init::InitOptions;
use super::inputs::InputArguments;
use super::numbers;
use super::pack::PackOptions;
use super::render::RenderArguments;
use super::when::{FramesArgument, SpanArgument};
use crate::incident::{ThresholdError, Thresholds};
use crate::kinetic::TreeKind;
use crate::world::Engine;

/// What the program's exit statuses mean, for `--help`. README.md has the same table.
const STATUSES: &str = "\
Exit status:
  0    the question was answered; with --fail-on: something was tested, and nothing was found
  1    --fail-on: it was found; replay: a call differs from the recording
  2    bad usage or bad input; the message says what to do
  3    --fail-on: nothing was tested for it: no pair of bodies, no time, or no incident has what it compares
  4    results could not be written in full, as on a full disk
  130  Ctrl-C ended it; results of `check` cover the time up to there, and all but CSV files say so
  141  the reader of standard output stopped reading, as `head` does";

/// The exit statuses of `check`.
const STATUSES_OF_CHECK: &str = "\
Exit status:
  0    the question was answered; with --fail-on: something was tested, and nothing was found
  1    --fail-on: it was found
  2    bad usage or bad input; the message says what to do
  3    --fail-on: nothing was tested for it: no pair of bodies, no time, or no incident has what it compares
  4    results could not be written in full, as on a full disk
  130  Ctrl-C ended it; results cover the time up to there, and all but CSV files say so; while the scene is read, \
nothing is written
  141  the reader of standard output stopped reading, as `head` does";

/// The exit statuses of commands that write results, and judge none.
pub(super) const STATUSES_OF_WRITING: &str = "\
Exit status:
  0    done
  2    bad usage or bad input; the message says what to do
  4    results could not be written in full, as on a full disk
  130  Ctrl-C ended it; a file that was not complete is not there, or as it was before
  141  the reader of standard output stopped reading, as `head` does";

/// The exit statuses of `replay`.
const STATUSES_OF_REPLAY: &str = "\
Exit status:
  0    every call that was run gave what was recorded
  1    a call differs from the recording
  2    bad usage, or a file that is no recording; the message says what to do
  4    the text could not be written in full
  130  Ctrl-C ended it
  141  the reader of standard output stopped reading, as `head` does";

#[derive(Parser)]
#[command(name = "kinetree", version, long_version = long_version(), about = "Which triangles of moving bodies touch, and when", after_help = STATUSES)]
pub(super) struct Arguments {
    /// Whether output has colours; `auto` has them on terminals, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(super) color: ColorName,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Finds every pair of touching triangles at every sampled time of a scene
    Check(CheckOptions),
    /// Joins the parts of a check, made with `check --span` on any machine, to the result of one
    /// run
    Merge(MergeOptions),
    /// Computes the contacts and trees of a scene over its span, and stores them in a file for
    /// `check --baked`
    Bake(BakeOptions),
    /// Repeats the experiments of the kinetic paper on generated scenes
    Bench(BenchOptions),
    /// Says what was read from a scene
    Info(InfoOptions),
    /// Writes the scene file that says the same as the inputs
    Init(InitOptions),
    /// Draws a frame, or several, with touching triangles marked
    Render(RenderArguments),
    /// Packs a closed mesh with spheres, for collision tests
    Pack(PackOptions),
    /// Runs a recording of a host's calls again, and tells where the first one differs
    Replay(ReplayOptions),
    /// Prints a script that completes the program's arguments in a shell
    Completions(CompletionsOptions),
    /// Prints the manual page of the program or of one of its commands
    Man(ManOptions),
}

/// What `--clip` is for `merge`, which lists no clips.
const CHECKED_CLIP: &str = "Which clip of a glTF model was checked: its name or number [default: the first]";

#[derive(Args)]
#[command(mut_arg("clip", |clip| clip.num_args(1).help(CHECKED_CLIP)), after_help = STATUSES_OF_WRITING)]
pub(super) struct MergeOptions {
    /// The parts: files that `check -o` wrote, in any order
    #[arg(required = true, value_name = "PART")]
    pub(super) parts: Vec<PathBuf>,
    /// The file to write, as JSON; `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// What was checked, as `check` was told: a scene file, or an input such as
    /// cloth.obj:cloth.pc2; given again for each further input. Its incidents are found again, and
    /// written
    #[arg(long, value_name = "INPUT")]
    pub(super) scene: Vec<OsString>,
    /// What its incidents are compared with, as `check` was told: `start`, `rest`, or a result file
    #[arg(long, value_name = "start|rest|FILE", requires = "scene")]
    pub(super) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(super) model: ModelOptions,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
    /// No summary
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Args)]
#[command(after_help = STATUSES_OF_REPLAY)]
pub(super) struct ReplayOptions {
    /// The recording: what a `RecordingWorld` of the library wrote
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Runs the first N calls only: all before one that crashes
    #[arg(long, value_name = "N")]
    pub(super) calls: Option<usize>,
    /// Takes a recording that has no end, as after a crash: runs the calls that are whole
    #[arg(long)]
    pub(super) unfinished: bool,
    /// Lists the calls, with their numbers, and runs none
    #[arg(long)]
    pub(super) list: bool,
}

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
pub(super) struct InfoOptions {
    #[command(flatten)]
    pub(super) source: InputArguments,
    /// Frames a second of motions that state no times
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = numbers::rate)]
    pub(super) fps: Option<f64>,
}

/// How a glTF model is read as a scene.
#[derive(Args)]
pub(super) struct ModelOptions {
    /// Which clip of a glTF model moves it: its name or number [default: the first]; without a
    /// name, after the model, lists the clips, and does nothing else. Not for scene files, whose
    /// bodies have the key `clip`
    #[arg(long, value_name = "NAME")]
    #[allow(clippy::option_option, reason = "how clap has an option whose value may be left out")]
    pub(super) clip: Option<Option<String>>,
    /// How far vertices of a glTF model may be from their true paths between frames: metres, or a
    /// number with its unit, such as 2mm [default: a thousandth of the model's size; a note says
    /// how far that is]. Not for scene files, whose bodies have the key `tolerance`
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = numbers::length)]
    pub(super) tolerance: Option<f64>,
    /// Repairs weights of a glTF model that are negative, no numbers or all zero, with a note,
    /// instead of refusing the file
    #[arg(long)]
    pub(super) repair: bool,
    /// Stores every vertex of every key of glTF models that move, instead of the parameters that
    /// move them: takes more memory
    #[arg(long)]
    pub(super) stored: bool,
    /// Lets the scene or model name files outside its own folder, by absolute paths, `..` or links;
    /// only if you trust it
    #[arg(long)]
    pub(super) allow_outside: bool,
}

#[derive(Args)]
#[command(after_help = STATUSES_OF_CHECK)]
#[allow(clippy::struct_excessive_bools, reason = "one per flag of the command line")]
pub(super) struct CheckOptions {
    #[command(flatten)]
    pub(super) source: InputArguments,
    /// Samples a second, over the scene's span [default: the scene's fps, or all key times];
    /// without a scene file also the frames a second of caches and sequences, and of the clips of
    /// models [default for models: as their keys suggest]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = numbers::rate)]
    pub(super) fps: Option<f64>,
    /// Times to sample, seconds, increasing, separated by commas, inside the scene's span [its own,
    /// or from the first key to the last]. Given again, adds further times. Not with --fps for
    /// scene files
    #[arg(long, value_name = "T", value_delimiter = ',', allow_hyphen_values = true, value_parser = numbers::seconds)]
    pub(super) times: Option<Vec<f64>>,
    /// Checks this part of the time only, seconds; `kinetree merge` joins the results of parts
    #[arg(long, value_name = "A..B", allow_hyphen_values = true, conflicts_with = "frames")]
    pub(super) span: Option<SpanArgument>,
    /// Checks these frames only: `10-40`, or one; frame 0 is at 0 s, and --fps or the scene says
    /// how many there are a second
    #[arg(long, value_name = "A-B", allow_hyphen_values = true)]
    pub(super) frames: Option<FramesArgument>,
    /// Writes every touching pair at every sampled time, and from when to when each touches, as
    /// JSON; `-` for standard output, the summary then goes to standard error
    #[arg(long, short = 'o', visible_alias = "out", value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Writes every touching pair at every sampled time as CSV; `-` as above
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Writes from when to when each pair touches as CSV, by the time at which it parts; `-` as
    /// above
    #[arg(long, value_name = "FILE")]
    pub(super) csv_intervals: Option<PathBuf>,
    /// Writes one HTML file for people: timeline, pictures, table of incidents, 3D view. It opens
    /// from disk without a network; `-` as above
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// How contacts are found; the contacts are the same, up to rounding where they begin and end
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) engine: EngineName,
    /// Which kinetic tree all bodies have, whatever the scene says (engine kinetic); the contacts
    /// are the same
    #[arg(long, value_enum, value_name = "TREE")]
    pub(super) tree: Option<TreeName>,
    /// Finds from when to when each pair touches, not only which pairs touch at the sampled times
    /// [default: true with the engines auto and kinetic; the others have none]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(super) intervals: Option<bool>,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
    /// Reads the contacts from a file that `bake` made of this very scene, with the same options,
    /// instead of finding them. Not with --engine, --tree, --reuse or --jobs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["engine", "tree"])]
    pub(super) baked: Option<PathBuf>,
    /// Reuses an earlier result, a file of -o: only bodies and times whose fingerprints differ are
    /// checked again. It may be the file that -o replaces, and need not be there yet. Not with
    /// --baked, --first or --jobs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["baked", "first"])]
    pub(super) reuse: Option<PathBuf>,
    /// Stops after the first contact, at the next sample; the rest is not checked. Not with --reuse
    /// or --jobs
    #[arg(long)]
    pub(super) first: bool,
    /// Threads that the time is divided over, 0 for one per processor; results are the same, and
    /// each thread has a world of its own. Not with --baked, --reuse or --first
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1, value_parser = numbers::threads, conflicts_with_all = ["baked", "reuse", "first"])]
    pub(super) jobs: usize,
    /// Leaves incidents out: for parts of a check, whose incidents `kinetree merge --scene` finds.
    /// Without -o, --baked and --reuse, contacts over time are then held only while they are on,
    /// and --csv-intervals is written as they end. Of --fail-on, only with `contacts`
    #[arg(long, conflicts_with_all = ["report", "baseline", "incidents_csv", "junit", "github"])]
    pub(super) no_incidents: bool,
    /// Adds counters to the summary: events, tests of pairs of triangles
    #[arg(long)]
    pub(super) stats: bool,
    /// Ends with status 1 if this was found, and with status 3 if nothing was tested for it:
    /// `contacts`, or conditions that one incident must meet together, in quotes, as in
    /// "depth>2mm,frames>3,new". Comparisons are > and >=. Measures: depth, length (m, cm, mm),
    /// area (m2, cm2, mm2), time (s, ms), frames, pairs, new-pairs, triangles. Where no depth is
    /// known, depth is the length of the crossing curve / 2π. Given several times, each is a reason
    /// to fail
    #[arg(long, value_name = "WHAT", value_parser = thresholds)]
    pub(super) fail_on: Vec<Thresholds>,
    /// What was there before; other incidents are new. Only the conditions `new` and `new-pairs` of
    /// --fail-on use it. `start`: contacts at the begin of the scene, also with --span and
    /// --times; `rest`: contacts in the rest pose of the meshes; or an earlier result, as --json
    /// writes it
    #[arg(long, value_name = "start|rest|FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Writes the incidents as CSV; `-` as above
    #[arg(long, value_name = "FILE")]
    pub(super) incidents_csv: Option<PathBuf>,
    /// Writes the incidents that --fail-on names, or else all new ones, as JUnit XML; `-` as above
    #[arg(long, value_name = "FILE")]
    pub(super) junit: Option<PathBuf>,
    /// Prints the same incidents as annotations of a GitHub workflow
    #[arg(long)]
    pub(super) github: bool,
    /// No summary and no progress bar
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// What counts as contact, whatever the scene says.
#[derive(Args)]
pub(super) struct RuleOptions {
    /// Tests every body against itself too, whatever the scene says; a body that is alone in its
    /// scene always is
    #[arg(long = "self")]
    pub(super) self_contact: bool,
    /// Tests every body against itself too, and in it also triangles that share a corner, for what
    /// they share besides
    #[arg(long)]
    pub(super) neighbours: bool,
    /// Counts triangles as touching from this distance on, whatever the scene says: metres, or a
    /// number with its unit, such as 2mm
    #[arg(long, value_name = "D", allow_hyphen_values = true, value_parser = numbers::length)]
    pub(super) thickness: Option<f64>,
    /// Ignores pairs of triangles that touch when both bodies are at their first key, or without
    /// motion at their placement
    #[arg(long)]
    pub(super) ignore_rest_contacts: bool,
}

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
pub(super) struct BakeOptions {
    #[command(flatten)]
    pub(super) source: InputArguments,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// For which times trees are baked
    #[arg(long, value_enum, default_value_t = FormatName::Stamped)]
    pub(super) format: FormatName,
    /// Frames a second, over the scene's span (format frames) [default: the scene's fps, or all key
    /// times]; without a scene file also the frames a second of caches and sequences, and of the
    /// clips of models [default for models: as their keys suggest]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = numbers::rate)]
    pub(super) fps: Option<f64>,
    /// Leaves out from when to when each pair of triangles touches: a file of trees only
    #[arg(long)]
    pub(super) no_contacts: bool,
    /// Places besides the begin at which trees are written out whole, so that a far time is reached
    /// sooner
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) sync_points: usize,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
    /// No summary
    #[arg(long, short)]
    pub(super) quiet: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    /// The scene's frames, and no other time: smallest
    Frames,
    /// Any time of the span
    Stamped,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EngineName {
    /// What suits the motion: kinetic for contacts over time, interval or refit for sampled times
    Auto,
    /// Kinetic trees and separation lists, driven by events
    Kinetic,
    /// Boxes and pairs of keyframe intervals, at sampled times only
    Interval,
    /// Boxes refitted at every sampled time
    Refit,
    /// Every triangle against every triangle
    BruteForce,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TreeName {
    /// Six winners per node: tight boxes
    Aabb,
    /// Two planes per node: fewer and more expensive events, larger boxes
    Box,
}

impl From<TreeName> for TreeKind {
    fn from(name: TreeName) -> Self {
        match name {
            TreeName::Aabb => Self::Aabb,
            TreeName::Box => Self::Box,
        }
    }
}

/// Reads what `--fail-on` names. What a shell leaves of an unquoted comparison compares nothing.
fn thresholds(text: &str) -> Result<Thresholds, String> {
    text.parse().map_err(|error| match error {
        ThresholdError::NoComparison { .. } => {
            format!("{error}; quote it, as the shell takes > for a redirection: --fail-on \"depth>2mm\"")
        }
        _ => error.to_string(),
    })
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Auto => Self::Auto,
            EngineName::Kinetic => Self::Kinetic,
            EngineName::Interval => Self::Interval,
            EngineName::Refit => Self::Refit,
            EngineName::BruteForce => Self::BruteForce,
        }
    }
}
