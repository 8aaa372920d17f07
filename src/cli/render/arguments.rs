//! The arguments of `kinetree render`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::super::args::{RuleOptions, STATUSES_OF_WRITING};
use super::super::inputs::InputArguments;
use super::super::numbers;
use crate::report::render::{Direction, Up};

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
#[allow(clippy::struct_excessive_bools, reason = "one per flag of the command line")]
pub(in crate::cli) struct RenderArguments {
    #[command(flatten)]
    pub(in crate::cli) source: InputArguments,
    /// The file to write. `.png`: a picture, or an animated one with --frames or --turntable.
    /// `.glb`: the bodies as a glTF model with coloured triangles. A name with #, as in
    /// `out_####.png`: one file a frame, or a turn, with its number in place of the #
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Which frame; frame F is at F / fps seconds
    #[arg(long, value_name = "F", allow_negative_numbers = true, group = "when", value_parser = numbers::frame)]
    pub(super) frame: Option<f64>,
    /// Which time, seconds
    #[arg(long, value_name = "T", allow_negative_numbers = true, group = "when", value_parser = numbers::seconds)]
    pub(super) time: Option<f64>,
    /// Several frames, the last included; the camera stands still
    #[arg(long, value_name = "A-B", group = "when")]
    pub(super) frames: Option<FrameRange>,
    /// With --frames: every N-th frame [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) every: Option<u32>,
    /// Frames a second [default: the scene's]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = numbers::rate)]
    pub(super) fps: Option<f64>,
    /// N pictures from all sides, to the right
    #[arg(long, value_name = "N", conflicts_with = "frames", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) turntable: Option<u32>,
    /// Pixels: width x height
    #[arg(long, value_name = "WxH", default_value = "960x720")]
    pub(super) size: Size,
    /// Samples a pixel and axis: smoother borders
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) samples: u32,
    /// Which triangles, or boxes, are marked: `contacts` at that time; those of an incident,
    /// `incident:N`, numbered as a `check` of the whole scene lists them, by default at its worst
    /// time and in close-up; `boxes:LEVEL`, the boxes of a tree over each body, level 0 is its
    /// root; or `none`
    #[arg(long, value_name = "WHAT", default_value = "contacts")]
    pub(super) highlight: Highlight,
    /// What was there before, as `check --baseline` has it: start, rest or a file. Its contacts are
    /// slate blue instead of red, and incidents are numbered as that check lists them
    #[arg(long, value_name = "start|rest|FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// With an incident: shows all bodies instead of a close-up
    #[arg(long)]
    pub(super) whole: bool,
    /// From where: sides joined by `-`, such as `front-right-top`; a vector such as 1,0.5,2 from
    /// the bodies to the camera; or `auto`
    #[arg(long, value_name = "DIRECTION", default_value = "auto", allow_hyphen_values = true)]
    pub(super) from: Direction,
    /// Which axis leads upward [default: that across a flat body, or y]
    #[arg(long, value_enum)]
    pub(super) up: Option<UpName>,
    /// One tone a triangle, instead of tones of a curved surface
    #[arg(long)]
    pub(super) flat: bool,
    /// No label, legend, axes, ground and rings: bodies only
    #[arg(long)]
    pub(super) plain: bool,
    #[command(flatten)]
    pub(super) rules: RuleOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UpName {
    /// As in glTF
    Y,
    /// As in Blender
    Z,
}

impl From<UpName> for Up {
    fn from(name: UpName) -> Self {
        match name {
            UpName::Y => Self::Y,
            UpName::Z => Self::Z,
        }
    }
}

/// Pixels of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(pub(super) usize, pub(super) usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = text.split_once(['x', 'X', '×']);
        let read = |side: &str| side.trim().parse::<usize>().ok();
        sides
            .and_then(|(width, height)| Some(Self(read(width)?, read(height)?)))
            .ok_or_else(|| format!("'{text}' is no size; give width and height in pixels, such as 960x720"))
    }
}

/// First and last of several frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameRange(pub(super) u32, pub(super) u32);

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let ends = text.split_once("..").or_else(|| text.split_once('-'));
        let read = |end: &str| end.trim().parse::<u32>().ok();
        match ends.and_then(|(first, last)| Some((read(first)?, read(last)?))) {
            Some((first, last)) if first > last => {
                Err(format!("frame {first} comes after frame {last}; give the earlier frame first"))
            }
            Some((first, last)) => Ok(Self(first, last)),
            None => Err(format!("'{text}' is no range of frames; give the first and the last, such as 10-40")),
        }
    }
}

/// What is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Highlight {
    None,
    Contacts,
    /// Counted from 1.
    Incident(usize),
    Boxes(usize),
}

impl FromStr for Highlight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("'{text}' is none of contacts, incident:N (N from 1), boxes:LEVEL (from 0) and none");
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse::<usize>().map_err(|_| refused())?)),
            None => (text, None),
        };
        match (name, number) {
            ("none", None) => Ok(Self::None),
            ("contacts", None) => Ok(Self::Contacts),
            ("incident", Some(number)) if number > 0 => Ok(Self::Incident(number)),
            ("boxes", Some(level)) => Ok(Self::Boxes(level)),
            _ => Err(refused()),
        }
    }
}
