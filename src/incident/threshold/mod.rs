//! What a pipeline does not accept: limits on the measures of an incident.
//!
//! `depth>2mm,frames>3,new` is a list of conditions. All of them must hold for one incident, which
//! then violates the list. Lengths need a unit (m, cm, mm), as do areas (m2, cm2, mm2) and times
//! (s, ms); counts have none.

mod parse;

use std::fmt;

use super::Incident;

pub use parse::ThresholdError;

/// What a condition measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Quantity {
    /// [`Incident::severity`], metres: the penetration depth, or what stands for it where none is
    /// known.
    Depth,
    /// Length of the crossing curve at the worst time, metres.
    Length,
    /// Area that the crossing curve cuts off at the worst time, square metres.
    Area,
    /// Duration, seconds.
    Time,
    /// Number of frames at which the incident exists.
    Frames,
    /// Different pairs of triangles.
    Pairs,
    /// Different pairs of triangles that the baseline does not know.
    NewPairs,
    /// Different triangles of both bodies.
    Triangles,
}

/// One condition on an incident.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Condition {
    /// A baseline does not have the incident.
    New,
    /// A measure exceeds a limit.
    Exceeds {
        /// What is measured.
        quantity: Quantity,
        /// The limit, in the unit of the measure.
        limit: f64,
        /// Whether the limit itself violates the condition: `>=` instead of `>`.
        is_inclusive: bool,
    },
}

/// A list of conditions, all of which one incident must meet to violate it.
///
/// The text `contacts` is the list without conditions: every incident violates it.
///
/// ```
/// use kinetree::incident::Thresholds;
///
/// let thresholds: Thresholds = "depth>2mm,frames>3,new".parse()?;
/// assert!(thresholds.needs_frames() && thresholds.needs_baseline());
/// let refused = "depth>2".parse::<Thresholds>().unwrap_err();
/// assert_eq!(refused.to_string(), "'depth>2': the limit needs a unit: m, cm, mm");
/// # Ok::<(), kinetree::incident::ThresholdError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "String", into = "String")
)]
pub struct Thresholds {
    text: String,
    conditions: Vec<Condition>,
}

impl Thresholds {
    /// The conditions, in the order of the text.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// Whether it is the list without conditions, which any contact violates.
    pub fn is_any_contact(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether it counts frames, so that a frame rate must be known.
    pub fn needs_frames(&self) -> bool {
        self.conditions.iter().any(|it| matches!(it, Condition::Exceeds { quantity: Quantity::Frames, .. }))
    }

    /// Whether it separates new incidents from known ones, so that a baseline must be known.
    pub fn needs_baseline(&self) -> bool {
        let is_of_baseline = |condition: &Condition| {
            matches!(condition, Condition::New | Condition::Exceeds { quantity: Quantity::NewPairs, .. })
        };
        self.conditions.iter().any(is_of_baseline)
    }

    /// Whether an incident meets all conditions. Without a frame rate, in frames a second, no
    /// incident exceeds a number of frames; see [`Thresholds::needs_frames`]. No limit is exceeded
    /// by a measure that the incident does not have ([`Quantity::of`]).
    pub fn is_violated_by(&self, incident: &Incident, fps: Option<f64>) -> bool {
        self.conditions.iter().all(|condition| condition.is_met_by(incident, fps))
    }
}

#[cfg(feature = "serde")]
impl TryFrom<String> for Thresholds {
    type Error = ThresholdError;

    fn try_from(text: String) -> Result<Self, ThresholdError> {
        text.parse()
    }
}

#[cfg(feature = "serde")]
impl From<Thresholds> for String {
    fn from(thresholds: Thresholds) -> Self {
        thresholds.text
    }
}

impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Condition {
    fn is_met_by(&self, incident: &Incident, fps: Option<f64>) -> bool {
        match *self {
            Self::New => incident.is_new,
            Self::Exceeds { quantity, limit, is_inclusive } => {
                let Some(value) = quantity.of(incident, fps) else { return false };
                value > limit || (is_inclusive && value == limit)
            }
        }
    }
}

impl Quantity {
    /// The value of an incident, in the unit of the measure; `None` for frames without a rate, and
    /// for depth, length and area where there is neither a depth nor a crossing curve, as with
    /// spheres, points and segments, or where contact is by thickness alone. Overlaps in a common
    /// plane have an area all the same.
    pub fn of(self, incident: &Incident, fps: Option<f64>) -> Option<f64> {
        let has_extent = incident.has_extent();
        Some(match self {
            Self::Depth => has_extent.then_some(incident.severity())?,
            Self::Length => has_extent.then_some(incident.length)?,
            Self::Area => incident.has_area().then_some(incident.area)?,
            Self::Time => incident.duration(),
            Self::Frames => incident.frame_count(fps?) as f64,
            Self::Pairs => incident.pairs as f64,
            Self::NewPairs => incident.new_pairs as f64,
            Self::Triangles => incident.triangle_count() as f64,
        })
    }
}
