//! From a scene to frames: bodies at a time, with marks.

use std::ops::ControlFlow;
use std::path::Path;

use super::super::incidents::length;
use super::super::{Failure, bounds};
use super::arguments::Highlight;
use crate::bvh::{BuildParams, Topology, tight_boxes};
use crate::check::{BaselineChoice, CheckResult, CheckSettings, Sampling, check};
use crate::incident::Incident;
use crate::io::{Part, Scene};
use crate::math::Aabb;
use crate::report::render::{Frame, body_colour, highlight_colour};
use crate::world::{Engine, IgnoredContacts, World, WorldDef};
use crate::{BodyId, limits};

/// What is to be seen: a scene, and its marks.
pub(super) struct Stage<'a> {
    pub(super) file: &'a Path,
    pub(super) scene: &'a Scene,
    pub(super) fps: Option<f64>,
    pub(super) ignored: IgnoredContacts,
    pub(super) highlight: Highlight,
    /// With [`Highlight::Incident`], and with a baseline, what a check found.
    pub(super) found: Option<CheckResult>,
}

impl Stage<'_> {
    /// Checks the scene as `check` does with the same sampling, for its incidents.
    pub(super) fn find_incidents(&mut self, sampling: Sampling, baseline: BaselineChoice) -> Result<(), Failure> {
        let settings = CheckSettings { ignored: self.ignored, sampling, baseline, ..CheckSettings::default() };
        let result = check(self.scene, &settings, |_| ControlFlow::Continue(()));
        self.found = Some(result.map_err(|error| self.refused(&bounds::of_check(&error)))?);
        Ok(())
    }

    fn refused(&self, error: &impl std::fmt::Display) -> Failure {
        Failure::Input(format!("{}: {error}", self.file.display()))
    }

    /// The incident that is to be marked, and the check that found it.
    pub(super) fn incident(&self) -> Result<Option<(&CheckResult, &Incident)>, Failure> {
        let (Highlight::Incident(number), Some(found)) = (self.highlight, &self.found) else { return Ok(None) };
        match (found.incidents.get(number - 1), found.incidents.len()) {
            (Some(incident), _) => Ok(Some((found, incident))),
            (None, 0) => Err(self.refused(&format!("--highlight incident:{number}: there are no incidents"))),
            (None, count) => {
                Err(self.refused(&format!("--highlight incident:{number}: there are only {count} incidents")))
            }
        }
    }

    /// Hands on a frame for each time, in order; times increase.
    pub(super) fn play(
        &self,
        times: &[f64],
        mut act: impl FnMut(usize, Frame) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (Some(&start), Some(&end)) = (times.first(), times.last()) else { return Ok(()) };
        let def = WorldDef { start, engine: Engine::Refit, ..WorldDef::default() };
        let part = Part { exact: times, span: Some([start, end]), ..Part::default() };
        let made = self.scene.world_of_pairs(def, self.ignored, part, |_, _| true);
        let (mut world, ids) = made.map_err(|error| self.refused(&error))?;
        let trees = match self.highlight {
            Highlight::Boxes(_) => trees(&world, &ids)?,
            _ => Vec::new(),
        };
        for (number, &time) in times.iter().enumerate() {
            world.advance_to(time).map_err(|error| self.refused(&error))?;
            act(number, self.frame(&world, &ids, &trees)?)?;
        }
        Ok(())
    }

    fn frame(&self, world: &World, ids: &[BodyId], trees: &[Topology]) -> Result<Frame, Failure> {
        let mut frame = Frame::of_world(world, ids)?;
        let time = world.time();
        let line = match self.highlight {
            Highlight::Contacts => {
                let (pairs, triangles) = (world.contacts().len(), frame.highlighted());
                let known = self.found.as_ref().map_or(0, |found| mark_known(&mut frame, found, time));
                let known = if known > 0 { format!("; {known} triangles are in the baseline") } else { String::new() };
                format!("{triangles} triangles touch, {pairs} pairs{known}")
            }
            Highlight::None => {
                frame.bodies.iter_mut().for_each(|body| body.highlighted.clear());
                String::new()
            }
            Highlight::Boxes(level) => {
                frame.bodies.iter_mut().for_each(|body| body.highlighted.clear());
                for (number, tree) in trees.iter().enumerate() {
                    let boxes = level_boxes(tree, &world.positions(ids[number])?, level);
                    frame.boxes.extend(boxes.into_iter().map(|bounds| (number as u32, bounds)));
                }
                format!("{} boxes of level {level}", frame.boxes.len())
            }
            Highlight::Incident(number) => {
                let Some((found, incident)) = self.incident()? else { return Ok(frame) };
                mark(&mut frame, found, incident, time);
                let names = incident.bodies.map(|body| frame.bodies[body as usize].name.as_str());
                let depth = incident.depth.map_or(String::new(), |depth| format!("\n{} deep", length(depth)));
                let pair = if incident.bodies[0] == incident.bodies[1] {
                    format!("{} with itself", names[0])
                } else {
                    format!("{} and {}", names[0], names[1])
                };
                let known = if incident.is_new { "" } else { ", in the baseline" };
                format!("incident {number}{known}: {pair}{depth}{}", parts(incident, names))
            }
        };
        frame.label = vec![Frame::at(time, self.fps)];
        frame.label.extend(line.lines().map(str::to_owned));
        Ok(frame)
    }
}

/// Names of a kind that a picture shows of a side.
const MOST_NAMES: usize = 2;

/// A line per side with the names of its triangles; none for a side without names.
fn parts(incident: &Incident, bodies: [&str; 2]) -> String {
    // Both sides of a body with itself have the names of all its triangles.
    let sides = if incident.bodies[0] == incident.bodies[1] { 1 } else { 2 };
    let lines = bodies.into_iter().zip(&incident.names).take(sides).map(|(body, names)| {
        let names = names.first(MOST_NAMES, body);
        if names.is_empty() { String::new() } else { format!("\n{body}: {}", names.join(", ")) }
    });
    lines.collect()
}

/// The colour of bodies that an incident does not concern.
const ASIDE: [u8; 3] = [206, 208, 210];

/// Highlights the triangles of an incident that touch at a time; the two bodies have colours, the
/// others none.
fn mark(frame: &mut Frame, found: &CheckResult, incident: &Incident, time: f64) {
    for body in &mut frame.bodies {
        body.highlighted.clear();
        body.colour = Some(ASIDE);
    }
    for (side, &body) in incident.bodies.iter().enumerate().rev() {
        let body = &mut frame.bodies[body as usize];
        body.colour = Some(body_colour(side));
        body.highlight = Some(highlight_colour(side));
    }
    let contacts = incident.contacts.iter().map(|&contact| &found.contacts[contact as usize]);
    for contact in contacts.filter(|contact| contact.is_at(time)) {
        for side in 0..2 {
            let body = &mut frame.bodies[contact.bodies[side] as usize];
            body.highlight_primitive(contact.triangles[side]);
        }
    }
    for body in &mut frame.bodies {
        body.highlighted.sort_unstable();
        body.highlighted.dedup();
        if !incident.is_new {
            body.known.clone_from(&body.highlighted);
        }
    }
}

/// Marks the triangles that touch at a time in known incidents only; returns their number.
fn mark_known(frame: &mut Frame, found: &CheckResult, time: f64) -> usize {
    let mut new: Vec<Vec<u32>> = vec![Vec::new(); frame.bodies.len()];
    let mut known = new.clone();
    for incident in &found.incidents {
        let contacts = incident.contacts.iter().map(|&contact| &found.contacts[contact as usize]);
        for contact in contacts.filter(|contact| contact.is_at(time)) {
            for (body, triangle) in contact.bodies.into_iter().zip(contact.triangles) {
                let list = if incident.is_new { &mut new } else { &mut known };
                list[body as usize].extend(frame.bodies[body as usize].drawn(triangle));
            }
        }
    }
    let mut count = 0;
    for (body, (mut known, mut new)) in frame.bodies.iter_mut().zip(known.into_iter().zip(new)) {
        new.sort_unstable();
        known.sort_unstable();
        known.dedup();
        let is_known =
            |triangle: &u32| body.highlighted.binary_search(triangle).is_ok() && new.binary_search(triangle).is_err();
        known.retain(is_known);
        count += known.len();
        body.known = known;
    }
    count
}

/// Takes bodies that an incident does not concern out of the legend.
pub(super) fn name_concerned(mut frame: Frame) -> Frame {
    for body in frame.bodies.iter_mut().filter(|body| body.colour == Some(ASIDE)) {
        body.name.clear();
    }
    frame
}

/// The box of all highlighted triangles; `None` if there are none.
pub(super) fn highlighted_box(frame: &Frame) -> Option<Aabb> {
    let corners = frame.bodies.iter().flat_map(|body| {
        let vertices = body.highlighted.iter().flat_map(|&triangle| body.triangles[triangle as usize]);
        vertices.map(|vertex| &body.positions[vertex as usize])
    });
    let bounds = Aabb::of_points(corners);
    (bounds.min[0] <= bounds.max[0]).then_some(bounds)
}

/// A tree over each body, built over its positions now.
fn trees(world: &World, ids: &[BodyId]) -> Result<Vec<Topology>, Failure> {
    let tree = |&id: &BodyId| {
        let (mesh, positions) = (world.mesh(id)?, world.positions(id)?);
        Ok(Topology::build(mesh, &positions, BuildParams::default()))
    };
    ids.iter().map(tree).collect()
}

/// The tight boxes of the nodes of a level, and of leaves above it.
fn level_boxes(tree: &Topology, positions: &[[f64; 3]], level: usize) -> Vec<Aabb> {
    if tree.node_count() == 0 {
        return Vec::new();
    }
    let boxes = tight_boxes(tree, positions);
    let mut nodes = vec![0_u32];
    for _ in 0..level {
        let below = |&node: &u32| match tree.node(node).children() {
            [] => vec![node],
            children => children.to_vec(),
        };
        let next: Vec<u32> = nodes.iter().flat_map(below).collect();
        if next == nodes {
            break;
        }
        nodes = next;
    }
    nodes.into_iter().map(|node| boxes[node as usize]).collect()
}

/// The time of a frame, seconds.
pub(super) fn frame_time(frame: f64, fps: Option<f64>) -> Result<f64, Failure> {
    let Some(fps) = fps else {
        return Err(Failure::Input(
            "--frame: the scene states no frames a second; add --fps, such as --fps 24, or use --time".into(),
        ));
    };
    let time = frame / fps;
    if time.abs() <= limits::MAX_TIME {
        Ok(time)
    } else {
        Err(Failure::Input(format!("--frame: frame {frame} is at {time} s, which is not a usable time")))
    }
}
