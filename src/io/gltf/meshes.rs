//! Meshes: the primitives' positions, triangles, morph targets and weights in one set of arrays per
//! mesh.
//!
//! Source: glTF 2.0 specification, sections 3.7.2 (meshes, topology types, morph targets) and
//! 3.7.3.3 (skinned meshes).

use std::collections::BTreeMap;

use super::accessor::{Accessors, Allowed, Shape};
use super::document::{MeshText, PrimitiveText};
use super::error::{Checked, GltfErrorKind, at};
use super::model::{Influences, ModelMesh};
use super::weights::{BadWeights, Tally, append};
use crate::limits;

const POINTS_AND_LINES: std::ops::RangeInclusive<u64> = 0..=3;
const TRIANGLES: u64 = 4;
const STRIP: u64 = 5;
const FAN: u64 = 6;

/// The attributes whose accessors decide what a vertex is.
#[derive(PartialEq)]
struct Source {
    positions: usize,
    /// Pairs of accessors of joints and weights, set by set.
    sets: Vec<[usize; 2]>,
    targets: Vec<Option<usize>>,
}

pub(super) fn read(
    number: usize,
    mesh: &MeshText,
    accessors: &mut Accessors<'_>,
    bad_weights: BadWeights,
    notes: &mut Vec<String>,
) -> Checked<ModelMesh> {
    let name = mesh.name.clone().unwrap_or_else(|| format!("mesh {number}"));
    let mut out = ModelMesh { name, ..ModelMesh::default() };
    let mut influences = Influences { starts: vec![0], ..Influences::default() };
    let mut all_weighted = true;
    let mut tally = Tally::default();
    let mut passed_over = 0;
    // What was read already, with its first vertex.
    let mut sources: Vec<(Source, u32)> = Vec::new();
    let target_count = mesh.primitives.first().map_or(0, |primitive| primitive.targets.len());
    out.targets = vec![Vec::new(); target_count];
    for (index, primitive) in mesh.primitives.iter().enumerate() {
        let place = format!("meshes[{number}].primitives[{index}]");
        if primitive.targets.len() != target_count {
            let (found, wanted) = (primitive.targets.len() as u64, target_count as u64);
            return at(place, GltfErrorKind::Count { what: "morph targets", found, wanted });
        }
        let first_triangle = out.triangles.len();
        if POINTS_AND_LINES.contains(&primitive.mode) {
            passed_over += 1;
            out.primitives.push(first_triangle..first_triangle);
            continue;
        }
        let source = source(&place, primitive)?;
        refuse_draco(&place, primitive, &source, accessors)?;
        let vertices = accessors.count(source.positions, &format!("{place}.attributes.POSITION"))?;
        let first_vertex = match sources.iter().find(|(other, _)| *other == source) {
            Some(&(_, first)) => first,
            None => {
                let first = out.positions.len();
                if first.saturating_add(vertices) > limits::MAX_INDEX {
                    let (needed, allowed) = (first as u64 + vertices as u64, limits::MAX_INDEX as u64);
                    return at(place, GltfErrorKind::TooMuch { needed, allowed });
                }
                append_points(&place, &source, vertices, &mut out, accessors)?;
                if source.sets.is_empty() {
                    all_weighted = false;
                } else if all_weighted {
                    append(&place, &source.sets, vertices, accessors, bad_weights, &mut influences, &mut tally)?;
                }
                sources.push((source, first as u32));
                first as u32
            }
        };
        let corners = corners(&place, primitive, vertices, accessors)?;
        if primitive.mode == TRIANGLES && corners.len() % 3 != 0 {
            let rest = corners.len() % 3;
            notes.push(format!("{place}: {rest} indices are left over after the last triangle and not used"));
        }
        let most = if primitive.mode == TRIANGLES { corners.len() / 3 } else { corners.len().saturating_sub(2) };
        accessors.charge(&place, most as u64, 12)?;
        if first_triangle + most > limits::MAX_INDEX {
            let (needed, allowed) = ((first_triangle + most) as u64, limits::MAX_INDEX as u64);
            return at(place, GltfErrorKind::TooMuch { needed, allowed });
        }
        cut(primitive.mode, &corners, first_vertex, &mut out.triangles);
        out.primitives.push(first_triangle..out.triangles.len());
    }
    if passed_over > 0 {
        notes.push(format!(
            "meshes[{number}] ({}): {passed_over} primitives of points or lines are passed over",
            out.name
        ));
    }
    if all_weighted && !sources.is_empty() {
        out.influences = Some(influences);
        tally.tell(&format!("meshes[{number}] ({})", out.name), notes);
    }
    Ok(out)
}

/// Which accessors make the primitive's vertices.
fn source(place: &str, primitive: &PrimitiveText) -> Checked<Source> {
    if !(TRIANGLES..=FAN).contains(&primitive.mode) {
        return at(format!("{place}.mode"), GltfErrorKind::Mode { found: primitive.mode });
    }
    let attributes = &primitive.attributes;
    let Some(&positions) = attributes.get("POSITION") else {
        return at(format!("{place}.attributes"), GltfErrorKind::Missing { what: "POSITION" });
    };
    let mut sets = Vec::new();
    for set in 0.. {
        let pair = [format!("JOINTS_{set}"), format!("WEIGHTS_{set}")].map(|name| attributes.get(&name));
        match pair {
            [Some(&joints), Some(&weights)] => sets.push([joints, weights]),
            [None, None] => break,
            [None, _] => {
                return at(format!("{place}.attributes"), GltfErrorKind::Missing { what: "JOINTS_n of a WEIGHTS_n" });
            }
            [_, None] => {
                return at(format!("{place}.attributes"), GltfErrorKind::Missing { what: "WEIGHTS_n of a JOINTS_n" });
            }
        }
    }
    let position = |target: &BTreeMap<String, usize>| target.get("POSITION").copied();
    Ok(Source { positions, sets, targets: primitive.targets.iter().map(position).collect() })
}

fn refuse_draco(place: &str, primitive: &PrimitiveText, source: &Source, accessors: &Accessors<'_>) -> Checked<()> {
    let extension = "KHR_draco_mesh_compression";
    let hollow = accessors.is_hollow(source.positions) || primitive.indices.is_some_and(|at| accessors.is_hollow(at));
    if primitive.extensions.contains_key(extension) && hollow {
        return at(place, GltfErrorKind::Compressed { extension: extension.into() });
    }
    Ok(())
}

fn append_points(
    place: &str,
    source: &Source,
    vertices: usize,
    out: &mut ModelMesh,
    accessors: &mut Accessors<'_>,
) -> Checked<()> {
    let position_place = format!("{place}.attributes.POSITION");
    let positions = accessors.finite(source.positions, Shape::Vec3, Allowed::Quantised, &position_place)?;
    out.positions.extend(points(&positions));
    for (number, target) in source.targets.iter().enumerate() {
        let place = format!("{place}.targets[{number}].POSITION");
        accessors.charge(&place, vertices as u64, 12)?;
        match target {
            // A target that moves normals only.
            None => out.targets[number].resize(out.positions.len(), [0.0; 3]),
            Some(target) => {
                let found = accessors.count(*target, &place)?;
                if found != vertices {
                    let (found, wanted) = (found as u64, vertices as u64);
                    return at(place, GltfErrorKind::Count { what: "elements", found, wanted });
                }
                let numbers = accessors.finite(*target, Shape::Vec3, Allowed::Quantised, &place)?;
                out.targets[number].extend(points(&numbers));
            }
        }
    }
    Ok(())
}

fn points(numbers: &[f64]) -> impl Iterator<Item = [f32; 3]> {
    let (points, _) = numbers.as_chunks::<3>();
    points.iter().map(|point| point.map(|coordinate| coordinate as f32))
}

/// The vertices of the primitive in drawing order, all in range.
fn corners(
    place: &str,
    primitive: &PrimitiveText,
    vertices: usize,
    accessors: &mut Accessors<'_>,
) -> Checked<Vec<u32>> {
    let Some(indices) = primitive.indices else {
        accessors.charge(place, vertices as u64, 4)?;
        return Ok((0..vertices as u32).collect());
    };
    let place = format!("{place}.indices");
    let numbers = accessors.numbers(indices, Shape::Scalar, Allowed::Indices, &place)?;
    if let Some(entry) = numbers.iter().position(|&number| number >= vertices as f64) {
        let value = numbers[entry] as u64;
        return at(format!("{place} (accessor {indices})"), GltfErrorKind::VertexIndex { entry, value, vertices });
    }
    Ok(numbers.iter().map(|&number| number as u32).collect())
}

/// Triangles of a list, strip or fan, in the format's order. Triangles that only stitch pieces of a
/// strip together have no area and are left out; a list keeps every triangle it has.
fn cut(mode: u64, corners: &[u32], first: u32, triangles: &mut Vec<[u32; 3]>) {
    let shifted = |triangle: [u32; 3]| triangle.map(|corner| corner + first);
    match mode {
        STRIP => {
            let triangle = |(index, window): (usize, &[u32])| {
                let odd = index % 2;
                [window[0], window[1 + odd], window[2 - odd]]
            };
            let stitches = |&[a, b, c]: &[u32; 3]| a == b || b == c || c == a;
            let strip = corners.windows(3).enumerate().map(triangle);
            triangles.extend(strip.filter(|triangle| !stitches(triangle)).map(shifted));
        }
        FAN => {
            let Some((&centre, border)) = corners.split_first() else { return };
            triangles.extend(border.windows(2).map(|pair| shifted([pair[0], pair[1], centre])));
        }
        _ => {
            let (list, _) = corners.as_chunks::<3>();
            triangles.extend(list.iter().copied().map(shifted));
        }
    }
}
