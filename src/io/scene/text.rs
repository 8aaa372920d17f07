//! The keys of a scene file as TOML has them, each with its place, and that place as a line.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use strsim::osa_distance;
use toml::Spanned;

use super::super::error::{ReadError, ReadErrorKind, excerpt};
use super::super::gltf::SkinBlend;
use super::super::matrix::MatrixEntries;
use super::file_or::FileOr;
use super::plan::PlanText;
use super::shape::PatchText;
use super::{Outside, SceneError};
use crate::kinetic::TreeKind;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SceneText {
    pub(super) span: Option<Spanned<Vec<f64>>>,
    pub(super) fps: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) body: Vec<Spanned<BodyText>>,
    #[serde(default)]
    pub(super) exclude: Vec<Spanned<ExcludeText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyText {
    pub(super) name: Spanned<String>,
    pub(super) mesh: Option<Spanned<String>>,
    pub(super) points: Option<Spanned<FileOr<Vec<[f64; 3]>>>>,
    pub(super) segments: Option<Spanned<FileOr<Vec<[u32; 2]>>>>,
    pub(super) triangles: Option<Spanned<Vec<[u32; 3]>>>,
    pub(super) patches: Option<Spanned<FileOr<Vec<PatchText>>>>,
    pub(super) spheres: Option<Spanned<FileOr<Vec<[f64; 4]>>>>,
    pub(super) positions: Option<Spanned<Vec<[f64; 3]>>>,
    pub(super) motion: Option<Spanned<String>>,
    pub(super) plan: Option<Spanned<FileOr<PlanText>>>,
    pub(super) velocity: Option<Spanned<Vec<f64>>>,
    pub(super) fps: Option<Spanned<f64>>,
    pub(super) times: Option<Spanned<Vec<f64>>>,
    pub(super) outside: Option<Spanned<Outside>>,
    pub(super) check_order: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) self_contact: bool,
    #[serde(default)]
    pub(super) neighbours: bool,
    pub(super) thickness: Option<Spanned<Metres>>,
    pub(super) tolerance: Option<Spanned<Metres>>,
    pub(super) clip: Option<Spanned<String>>,
    pub(super) clips: Option<Spanned<Vec<ClipText>>>,
    pub(super) offset: Option<Spanned<f64>>,
    pub(super) stored: Option<Spanned<bool>>,
    pub(super) blend: Option<Spanned<SkinBlend>>,
    #[serde(default)]
    pub(super) tree: TreeKind,
    pub(super) group: Option<Spanned<String>>,
    pub(super) transform: Option<Spanned<MatrixEntries>>,
    pub(super) translate: Option<Spanned<Vec<f64>>>,
    pub(super) rotate: Option<Spanned<RotateText>>,
    pub(super) scale: Option<Spanned<ScaleText>>,
}

/// One clip of several that a model plays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClipText {
    pub(super) clip: String,
    pub(super) start: Option<f64>,
    #[serde(default)]
    pub(super) blend: f64,
    pub(super) rate: Option<f64>,
    #[serde(default, rename = "loop")]
    pub(super) repeats: bool,
    pub(super) weight: Option<f64>,
}

/// A length; words, such as one with a unit, are refused by what to write.
#[derive(Clone, Copy)]
pub(super) struct Metres(pub(super) f64);

impl<'de> Deserialize<'de> for Metres {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_f64(MetresVisitor)
    }
}

struct MetresVisitor;

impl Visitor<'_> for MetresVisitor {
    type Value = Metres;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("metres as a number, such as 0.002")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Metres, E> {
        Ok(Metres(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Metres, E> {
        Ok(Metres(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Metres, E> {
        Ok(Metres(value as f64))
    }
}

/// A rotation, by the keys of one of its forms. [`Deserialize`] is below: lists are refused by what
/// to write.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub(super) struct RotateText {
    pub(super) axis: Option<Vec<f64>>,
    pub(super) degrees: Option<f64>,
    pub(super) quaternion_wxyz: Option<Vec<f64>>,
    pub(super) quaternion_xyzw: Option<Vec<f64>>,
}

impl<'de> Deserialize<'de> for RotateText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RotateVisitor)
    }
}

struct RotateVisitor;

impl<'de> Visitor<'de> for RotateVisitor {
    type Value = RotateText;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "{ axis = [x, y, z], degrees = d }, { quaternion_wxyz = [w, x, y, z] } or { quaternion_xyzw = [x, y, z, w] }",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RotateText, A::Error> {
        RotateText::deserialize(MapAccessDeserializer::new(map))
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`scale` is one number or three")]
pub(super) enum ScaleText {
    Uniform(f64),
    Axes(Vec<f64>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExcludeText {
    pub(super) bodies: Option<Vec<String>>,
    pub(super) inside: Option<String>,
    pub(super) between: Option<Vec<String>>,
}

/// The scene file itself: makes errors that name a line of it.
#[derive(Clone, Copy)]
pub(super) struct SceneFile<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl SceneFile<'_> {
    /// The line a value stands on, counted from 1.
    pub(super) fn line<T>(self, value: &Spanned<T>) -> usize {
        self.line_and_column(value.span().start).0
    }

    pub(super) fn at<T>(self, value: &Spanned<T>, error: impl Into<ReadErrorKind>) -> ReadError {
        ReadError::new(self.path, error).at_line(self.line(value))
    }

    /// An error at the line of a byte of the text.
    pub(super) fn at_offset(self, offset: usize, error: impl Into<ReadErrorKind>) -> ReadError {
        ReadError::new(self.path, error).at_line(self.line_and_column(offset).0)
    }

    pub(super) fn syntax_error(self, error: &toml::de::Error) -> ReadError {
        let message = of_toml(&error.message().replace('\n', ", "));
        let advice = error.span().map_or("", |span| self.advice(span.start));
        let message = format!("{message}{advice}");
        let refused = ReadError::new(self.path, SceneError::Toml { message });
        match error.span() {
            Some(span) => {
                let (line, column) = self.line_and_column(span.start);
                refused.at_line(line).at_column(column)
            }
            None => refused,
        }
    }

    /// What to write instead of a line that is often written so.
    fn advice(self, offset: usize) -> &'static str {
        let offset = offset.min(self.text.len());
        let begin = self.text.as_bytes()[..offset].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let line = self.text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or("").trim();
        let is_single = |name: &str| line.strip_prefix(name).is_some_and(|rest| !rest.starts_with(']'));
        if is_single("[body]") || line == "[body]" {
            "; write [[body]], with double brackets, before every body"
        } else if is_single("[exclude]") || line == "[exclude]" {
            "; write [[exclude]], with double brackets"
        } else if line.contains('\\') && line.contains('"') {
            "; in \"...\" a backslash begins an escape: write / in paths, or put the path into '...'"
        } else {
            ""
        }
    }

    /// Both counted from 1, the column in characters.
    fn line_and_column(self, offset: usize) -> (usize, usize) {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line = before.split(|&byte| byte == b'\n').count();
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        (line, column)
    }
}

/// What TOML says of a refused text. Where it lists the words that it expects, the list is kept
/// whole, and the one that was probably meant is named.
fn of_toml(message: &str) -> String {
    const EXPECTED: &str = "`, expected ";
    let unknown = ["unknown field `", "unknown variant `"].iter().find_map(|start| {
        let rest = message.strip_prefix(start)?;
        // No expected word contains what separates these from the unknown one.
        let (word, expected) = rest.split_at(rest.rfind(EXPECTED)?);
        Some((start, word, &expected[EXPECTED.len()..]))
    });
    let Some((start, word, expected)) = unknown else { return excerpt(message) };
    let meant = nearest(word, expected).map_or(String::new(), |meant| format!("; did you mean `{meant}`?"));
    format!("{start}{}{EXPECTED}{expected}{meant}", excerpt(word))
}

/// The word in backticks that is nearest to another one; `None` if all differ from it in more than
/// a third of their letters, of short words in more than one.
fn nearest<'a>(word: &str, expected: &'a str) -> Option<&'a str> {
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let words = expected.split('`').skip(1).step_by(2);
    let (changes, known) = words.map(|known| (osa_distance(word, known), known)).min_by_key(|&(changes, _)| changes)?;
    (3 * changes <= known.len().max(3)).then_some(known)
}
