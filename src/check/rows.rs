//! Incidents as files list them: names instead of numbers, frames beside seconds.

use serde::Serialize;

use super::CheckResult;
use crate::incident::{Incident, PartNames};

/// One incident, as JSON has it; lengths in metres, areas in square metres, times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "these are members of the format")]
pub struct IncidentRow<'a> {
    /// Its place by severity, from 1.
    pub number: usize,
    /// Name of the first body.
    pub a: &'a str,
    /// Name of the second body, or of the first again.
    pub b: &'a str,
    /// Whether a baseline does not have it.
    pub is_new: bool,
    /// [`Incident::begin`].
    pub begin: f64,
    /// [`Incident::end`].
    pub end: f64,
    /// Whether it does not exist at `begin` itself.
    pub open_begin: bool,
    /// Whether it does not exist at `end` itself.
    pub open_end: bool,
    /// Whether it existed when the span began.
    pub clipped_begin: bool,
    /// Whether it existed when the span ended.
    pub clipped_end: bool,
    /// [`Incident::worst_time`].
    pub worst_time: f64,
    /// First frame at which it exists; `None` without a frame rate, and between two frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_frame: Option<i64>,
    /// Last frame at which it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_frame: Option<i64>,
    /// Frames at which it exists; `None` without a frame rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// [`Incident::depth`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
    /// [`Incident::severity`]; `None` where there is neither a depth nor a crossing curve, and
    /// where nothing was measured ([`Incident::is_measured`]).
    pub severity: Option<f64>,
    /// [`Incident::length`]; `None` as above.
    pub length: Option<f64>,
    /// [`Incident::area`]; `None` as above, but for overlaps in a common plane.
    pub area: Option<f64>,
    /// [`Incident::centre`].
    pub centre: [f64; 3],
    /// Least and greatest corner of [`Incident::bounds`]; `None` of an empty box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[[f64; 3]; 2]>,
    /// [`Incident::pairs`].
    pub pairs: usize,
    /// [`Incident::most_pairs`].
    pub most_pairs: usize,
    /// [`Incident::new_pairs`].
    pub new_pairs: usize,
    /// [`Incident::undecided`].
    pub undecided: usize,
    /// Names of the triangles of the first body.
    pub parts_a: PartsRow<'a>,
    /// Names of the triangles of the second body.
    pub parts_b: PartsRow<'a>,
    /// Triangles of the first body.
    pub triangles_a: &'a [u32],
    /// Triangles of the second body; of a body with itself those of the first again.
    pub triangles_b: &'a [u32],
    /// Numbers of its contacts in the list of intervals.
    pub contacts: &'a [u32],
}

/// Names of parts, as JSON has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PartsRow<'a> {
    /// Groups of an OBJ file, nodes of a glTF file.
    pub groups: &'a [String],
    /// Materials.
    pub materials: &'a [String],
    /// Joints.
    pub joints: &'a [String],
}

impl<'a> PartsRow<'a> {
    fn new(names: &'a PartNames) -> Self {
        Self { groups: &names.groups, materials: &names.materials, joints: &names.joints }
    }

    /// All names: groups, then materials, then joints.
    pub fn all(&self) -> impl Iterator<Item = &'a str> {
        self.groups.iter().chain(self.materials).chain(self.joints).map(String::as_str)
    }
}

impl<'a> IncidentRow<'a> {
    /// The row of the incident at a place of a result, from 0.
    fn new(place: usize, incident: &'a Incident, result: &'a CheckResult) -> Self {
        let [a, b] = incident.bodies.map(|body| result.bodies[body as usize].name.as_str());
        let frames = result.fps.and_then(|fps| incident.frames(fps));
        let bounds = incident.bounds;
        let has_extent = incident.has_extent();
        Self {
            number: place + 1,
            a,
            b,
            is_new: incident.is_new,
            begin: incident.begin,
            end: incident.end,
            open_begin: incident.is_open[0],
            open_end: incident.is_open[1],
            clipped_begin: incident.is_clipped[0],
            clipped_end: incident.is_clipped[1],
            worst_time: incident.worst_time,
            first_frame: frames.map(|[first, _]| first),
            last_frame: frames.map(|[_, last]| last),
            frames: result.fps.map(|fps| incident.frame_count(fps)),
            depth: incident.depth,
            severity: has_extent.then_some(incident.severity()),
            length: has_extent.then_some(incident.length),
            area: incident.has_area().then_some(incident.area),
            centre: incident.centre,
            bounds: (bounds.min[0] <= bounds.max[0]).then_some([bounds.min, bounds.max]),
            pairs: incident.pairs,
            most_pairs: incident.most_pairs,
            new_pairs: incident.new_pairs,
            undecided: incident.undecided,
            parts_a: PartsRow::new(&incident.names[0]),
            parts_b: PartsRow::new(&incident.names[1]),
            triangles_a: &incident.triangles[0],
            triangles_b: &incident.triangles[1],
            contacts: &incident.contacts,
        }
    }
}

impl CheckResult {
    /// The incidents as files list them, the most severe first.
    pub fn incident_rows(&self) -> impl Iterator<Item = IncidentRow<'_>> {
        self.incidents.iter().enumerate().map(|(place, incident)| IncidentRow::new(place, incident, self))
    }
}
