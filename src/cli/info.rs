//! `kinetree info`: what was read from a scene.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::args::InfoOptions;
use super::incidents::length;
use super::output::say;
use super::table::{counted, grouped, table};
use super::when::digits;
use super::{Failure, Status, bold};
use crate::check::is_still;
use crate::geometry::Surface;
use crate::incident::{PartLabel, PartLabels};
use crate::io::{MotionData, Outside, Scene, SceneBody, SceneShape};
use crate::math::Aabb;
use crate::math::vector::widened;
use crate::mesh::Mesh;

pub(super) fn info(options: &InfoOptions) -> Result<Status, Failure> {
    let scene = options.source.load(options.fps, false, false)?;
    let head = counted(scene.bodies.len() as u64, "body", "bodies");
    let mut text = format!("{}\n\n", bold(&format!("{}: ", options.source.heading(&scene).display()), &head));
    let headings = [
        "body",
        "size",
        "vertices",
        "welded",
        "triangles",
        "border edges",
        "surface",
        "motion",
        "keys",
        "from",
        "to",
        "outside",
        "group",
    ];
    let rows = scene.bodies.iter().map(row).collect::<Result<Vec<_>, _>>()?;
    let _ = writeln!(text, "{}", table(&headings, &rows));
    for body in &scene.bodies {
        let motion = body
            .motion_file
            .as_ref()
            .filter(|file| **file != body.mesh_file)
            .map(|file| format!(", moved by {}", file.display()));
        let kind = made_of(body);
        let _ = writeln!(text, "{}: {}{kind}{}", body.name, body.mesh_file.display(), motion.unwrap_or_default());
        text.push_str(&names(&body.labels));
    }
    for &[a, b] in &scene.excluded {
        let _ = writeln!(text, "not tested: {} - {}", scene.bodies[a].name, scene.bodies[b].name);
    }
    let _ = writeln!(text, "\n{}", samples(&scene));
    for note in &scene.notes {
        let _ = writeln!(text, "{}", bold("note: ", note));
    }
    say(&text)?;
    Ok(Status::Answered)
}

/// Names of a kind in a line, at most.
const MOST_NAMES: usize = 12;

/// Lines with the names of a body's triangles: nodes or groups, materials, and joints.
fn names(labels: &PartLabels) -> String {
    let kinds = [
        ("group or node", "groups or nodes", &labels.groups),
        ("material", "materials", &labels.materials),
        ("joint that moves a triangle most", "joints that move a triangle most", &labels.joints),
    ];
    let line = |(one, several, labels): (&str, &str, &Vec<PartLabel>)| {
        let mut known = BTreeSet::new();
        let names: Vec<&str> = labels.iter().map(|label| &*label.name).filter(|&name| known.insert(name)).collect();
        let some = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
        let rest = if names.len() > MOST_NAMES { ", …" } else { "" };
        let count = counted(names.len() as u64, one, several);
        if names.is_empty() { String::new() } else { format!("  {count}: {some}{rest}\n") }
    };
    kinds.into_iter().map(line).collect()
}

/// What a body is made of, where it is not triangles; the column of triangles has their number.
fn made_of(body: &SceneBody) -> &'static str {
    let are = |degenerate: fn(&[u32; 3]) -> bool| body.mesh.triangles.iter().all(degenerate);
    match &body.shape {
        SceneShape::Spheres => ", spheres",
        SceneShape::Patches(_) => ", spans of patches",
        SceneShape::Triangles if are(|&[a, b, c]| a == b && b == c) => ", points",
        SceneShape::Triangles if are(|&[a, b, c]| a == b || b == c || c == a) => ", segments",
        SceneShape::Triangles => "",
    }
}

fn row(body: &SceneBody) -> Result<Vec<String>, Failure> {
    let mesh = Mesh::new(body.mesh.positions.len(), body.mesh.triangles.clone())
        .map_err(|error| Failure::Input(format!("body '{}': {error}", body.name)))?;
    let times = body.motion.times();
    let seconds = |time: Option<&f64>| time.map_or(String::new(), |time| format!("{time:.4} s"));
    let kind = match &body.motion {
        MotionData::Fixed => "fixed",
        MotionData::Keyframes { .. } | MotionData::Cached { .. } => "keyframes",
        MotionData::Rigid { .. } => "transforms",
        MotionData::Velocity { .. } => "velocity",
        MotionData::Reduced(_) => "reduced",
        MotionData::Planned(motion) if motion.is_fixed() => "fixed",
        MotionData::Planned(motion) => motion.kind(),
    };
    let outside = match body.outside {
        Outside::Hold => "hold",
        Outside::Loop => "loop",
        Outside::Error => "error",
    };
    let positions = body.vertices_at_key(0).unwrap_or_else(|| body.mesh.positions.clone());
    Ok(vec![
        body.name.clone(),
        size(&positions),
        grouped(mesh.vertex_count() as u64),
        grouped(mesh.weld(&body.mesh.positions).map_or(0, |seams| seams.welded_count()) as u64),
        grouped(mesh.triangles().len() as u64),
        grouped(mesh.boundary_edges() as u64),
        surface(body, &mesh).into(),
        kind.into(),
        grouped(times.len() as u64),
        seconds(times.first()),
        seconds(times.last()),
        if times.is_empty() { String::new() } else { outside.into() },
        body.group.clone().unwrap_or_default(),
    ])
}

/// The longest side of the box around a body at its first key.
fn size(positions: &[[f32; 3]]) -> String {
    length(Aabb::of_points(&widened(positions)).longest_side())
}

/// Whether triangles enclose a volume, by the positions at rest, as incidents take it. A surface
/// without border is not closed where neighbouring triangles face opposite sides.
fn surface(body: &SceneBody, mesh: &Mesh) -> &'static str {
    if body.shape != SceneShape::Triangles || !made_of(body).is_empty() {
        return "";
    }
    match Surface::new(mesh, &widened(&body.mesh.positions)) {
        Ok(surface) if surface.is_closed() => "closed",
        Ok(_) => "open",
        Err(_) => "",
    }
}

fn samples(scene: &Scene) -> String {
    let times = scene.sample_times();
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        if is_still(scene) {
            return "Nothing moves: what `check` finds holds at any time.".into();
        }
        return "No time to sample: the scene has no span and no key; add `span`, or give `check` --times.".into();
    };
    let times = counted(times.len() as u64, "time", "times");
    format!("`check` samples {times} from {} s to {} s.", digits(*first), digits(*last))
}
