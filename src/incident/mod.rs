//! Incidents: contacts between the same two regions of neighbouring triangles, as one finding.
//!
//! A clip of cloth has tens of thousands of contact intervals, in a few places where bodies meet.
//! Touching triangles that are neighbours in the mesh and overlap in time form regions of each
//! surface. Contacts between the same two regions are one incident, as long as any of them lasts.
//! [`find_incidents`] groups contacts, measures each group and puts the most severe first.
//!
//! The module knows neither files nor worlds: contacts, meshes and positions come as plain data.
//!
//! ```
//! use kinetree::incident::{IncidentBody, IncidentOptions, TriangleContact, find_incidents};
//!
//! let positions: Vec<[f32; 3]> = (0..6).map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
//! let strip = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]];
//! let body = IncidentBody::new(&strip, &positions);
//! let contacts = [
//!     TriangleContact::new([0, 1], [0, 0], 0.0, 1.0),
//!     // Of neighbouring triangles on both sides, at the same time.
//!     TriangleContact::new([0, 1], [1, 1], 0.5, 2.0),
//!     // Later.
//!     TriangleContact::new([0, 1], [1, 1], 3.0, 4.0),
//! ];
//! let incidents = find_incidents(&contacts, &[body, body], &IncidentOptions::default())?;
//! assert_eq!(incidents.len(), 2);
//! assert_eq!((incidents[0].begin, incidents[0].end, incidents[0].pairs), (0.0, 2.0, 2));
//! # Ok::<(), kinetree::incident::IncidentError>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `contact` | contact of one pair of triangles; order of open and closed ends |
//! | `group` | which contacts belong together |
//! | `find` | incidents of a list of contacts |
//! | `measure` | when an incident is worst, and how bad it is then |
//! | `peak` | when most pairs touch at once |
//! | `severity` | order of incidents |
//! | `baseline` | which incidents were there before |
//! | `frames` | frames of a stretch of time |
//! | `labels` | names of parts |
//! | `parts` | triangles divided by their names |
//! | `threshold` | limits that a pipeline sets |

mod baseline;
mod contact;
mod error;
mod find;
mod frames;
mod group;
mod labels;
mod measure;
mod parts;
mod peak;
mod severity;
mod threshold;

pub use baseline::Baseline;
#[cfg(feature = "report")]
pub(crate) use contact::Place;
pub use contact::TriangleContact;
pub use error::IncidentError;
pub use find::{IncidentOptions, Positions, find_incidents};
pub use frames::frames_within;
pub use group::group_contacts;
pub use labels::{PartLabel, PartLabels, PartNames};
pub use parts::NamedPart;
pub use threshold::{Condition, Quantity, ThresholdError, Thresholds};

use crate::math::Aabb;

/// The mesh of a body, as incidents need it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct IncidentBody<'a> {
    /// Vertex numbers of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// Rest position of each vertex, metres. Vertices with equal rest positions count as one.
    pub rest: &'a [[f32; 3]],
    /// Names of its parts.
    pub labels: Option<&'a PartLabels>,
    /// Whether its triangles only stand for spheres or patches: incidents with it have no depth,
    /// length and area.
    pub is_stand_in: bool,
}

impl<'a> IncidentBody<'a> {
    /// A body without names of parts.
    pub fn new(triangles: &'a [[u32; 3]], rest: &'a [[f32; 3]]) -> Self {
        Self { triangles, rest, labels: None, is_stand_in: false }
    }

    /// The same body with names of parts.
    #[must_use]
    pub fn with_labels(mut self, labels: &'a PartLabels) -> Self {
        self.labels = Some(labels);
        self
    }

    /// The same body, whose triangles only stand for spheres or patches, or do not.
    #[must_use]
    pub fn standing_in(mut self, is_stand_in: bool) -> Self {
        self.is_stand_in = is_stand_in;
        self
    }
}

/// One finding: triangles that touch around one place, over one stretch of time.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Incident {
    /// The two bodies, by their number in the scene; equal for contact of a body with itself.
    pub bodies: [u32; 2],
    /// First begin of its contacts, seconds.
    pub begin: f64,
    /// Last end of its contacts, seconds.
    pub end: f64,
    /// Whether `begin`, and whether `end`, is not part of the incident: a jump is there.
    pub is_open: [bool; 2],
    /// Whether it existed when the span began, and whether it did when the span ended.
    pub is_clipped: [bool; 2],
    /// When it is worst, seconds.
    pub worst_time: f64,
    /// Its contacts, by their number in the list they were found in, increasing.
    pub contacts: Vec<u32>,
    /// Contacts among these that are assumed, because they could not be decided.
    pub undecided: usize,
    /// Different pairs of triangles.
    pub pairs: usize,
    /// Most pairs of triangles that touch at once.
    pub most_pairs: usize,
    /// Different triangles of each body, increasing. For a body with itself both lists are equal.
    pub triangles: [Vec<u32>; 2],
    /// Whether depth, length and area were measured: not without positions, and not with a body
    /// whose triangles only stand for something else ([`IncidentBody::is_stand_in`]).
    #[cfg_attr(feature = "serde", serde(default = "was_measured"))]
    pub is_measured: bool,
    /// Greatest penetration depth, metres; `None` where neither body is closed, and where nothing
    /// was measured.
    pub depth: Option<f64>,
    /// Length of the crossing curve at the worst time, metres; 0 where nothing was measured.
    pub length: f64,
    /// Area that the crossing curve cuts off at the worst time, square metres; 0 where nothing was
    /// measured.
    pub area: f64,
    /// Middle of the crossing curve at the worst time, metres.
    pub centre: [f64; 3],
    /// Box around the crossing curve at the worst time, metres; stored as none where it is empty.
    #[cfg_attr(feature = "serde", serde(with = "stored_bounds"))]
    pub bounds: Aabb,
    /// Names of the triangles of each body.
    pub names: [PartNames; 2],
    /// Different pairs of triangles that a baseline does not know; all pairs without a baseline.
    pub new_pairs: usize,
    /// Whether a baseline knows none of its contacts.
    pub is_new: bool,
}

/// What incidents are that were stored before they said whether they were measured.
#[cfg(feature = "serde")]
fn was_measured() -> bool {
    true
}

/// Bounds as they are stored: an empty box has infinite ends, which JSON has not.
#[cfg(feature = "serde")]
mod stored_bounds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::math::Aabb;

    pub(super) fn serialize<S: Serializer>(bounds: &Aabb, serializer: S) -> Result<S::Ok, S::Error> {
        Some(bounds).filter(|&bounds| *bounds != Aabb::EMPTY).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Aabb, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or(Aabb::EMPTY))
    }
}

impl Incident {
    /// Whether it has a depth, or a crossing curve that stands for it. Surfaces without an inside
    /// that meet in single points, in a common plane or by thickness alone have neither, as have
    /// points and segments.
    pub(crate) fn has_extent(&self) -> bool {
        self.is_measured && (self.depth.is_some() || self.length > 0.0)
    }

    /// Whether it has an area: with a crossing curve or a depth, or of overlaps in a common plane.
    pub(crate) fn has_area(&self) -> bool {
        self.has_extent() || (self.is_measured && self.area > 0.0)
    }

    /// Length of its stretch of time, seconds.
    pub fn duration(&self) -> f64 {
        self.end - self.begin
    }

    /// First and last frame at which it exists, where frame k is at k / `fps` seconds; `None` where
    /// it begins and ends between two frames. See [`frames_within`].
    pub fn frames(&self, fps: f64) -> Option<[i64; 2]> {
        frames_within([self.begin, self.end], self.is_open, fps)
    }

    /// Different triangles of both bodies.
    pub fn triangle_count(&self) -> usize {
        let [ours, theirs] = &self.triangles;
        ours.len() + if self.bodies[0] == self.bodies[1] { 0 } else { theirs.len() }
    }

    /// The number of frames at which it exists.
    pub fn frame_count(&self, fps: f64) -> u64 {
        self.frames(fps).map_or(0, |[first, last]| first.abs_diff(last) + 1)
    }
}
