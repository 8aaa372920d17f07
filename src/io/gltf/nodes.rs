//! Nodes and skins: one parent each, no cycle, usable transforms.
//!
//! Source: glTF 2.0 specification, sections 3.5 (nodes, hierarchy, transforms) and 3.7.3 (skins).

use super::accessor::{Accessors, Allowed, Shape};
use super::document::{Document, NodeText, SkinText};
use super::error::{Checked, GltfErrorKind, at};
use super::model::{ModelMesh, ModelNode, ModelSkin, NodeTransform, Parts};
use crate::limits;

const IDENTITY: [f64; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// The node's number under a parent, and under none.
pub(super) struct Hierarchy {
    parents: Vec<Option<u32>>,
    pub(super) order: Vec<u32>,
    in_scene: Vec<bool>,
}

pub(super) fn hierarchy(document: &Document) -> Checked<Hierarchy> {
    let count = document.nodes.len();
    let mut parents: Vec<Option<u32>> = vec![None; count];
    for (number, node) in document.nodes.iter().enumerate() {
        for (entry, &child) in node.children.iter().enumerate() {
            let Some(parent) = parents.get_mut(child) else {
                let place = format!("nodes[{number}].children[{entry}]");
                return at(place, GltfErrorKind::Index { kind: "node", index: child, count });
            };
            if let Some(first) = *parent {
                let (first, second) = (first as usize, number);
                return at(format!("nodes[{child}]"), GltfErrorKind::TwoParents { first, second });
            }
            *parent = Some(number as u32);
        }
    }
    // Every node has at most one parent, so whatever no root reaches goes in a circle.
    let mut order: Vec<u32> = (0..count as u32).filter(|&node| parents[node as usize].is_none()).collect();
    let mut next = 0;
    while next < order.len() {
        let node = order[next] as usize;
        order.extend(document.nodes[node].children.iter().map(|&child| child as u32));
        next += 1;
    }
    if order.len() < count {
        let mut reached = vec![false; count];
        order.iter().for_each(|&node| reached[node as usize] = true);
        let place = reached.iter().position(|reached| !reached).unwrap_or(0);
        return at(format!("nodes[{place}]"), GltfErrorKind::Cycle);
    }
    let in_scene = shown(document, &parents, &order)?;
    Ok(Hierarchy { parents, order, in_scene })
}

/// Which nodes are in the default scene; without one in the first, without any scene all.
fn shown(document: &Document, parents: &[Option<u32>], order: &[u32]) -> Checked<Vec<bool>> {
    let (scenes, count) = (&document.scenes, document.nodes.len());
    if scenes.is_empty() && document.scene.is_none() {
        return Ok(vec![true; count]);
    }
    let chosen = document.scene.unwrap_or(0);
    let Some(scene) = scenes.get(chosen) else {
        return at("scene", GltfErrorKind::Index { kind: "scene", index: chosen, count: scenes.len() });
    };
    let mut in_scene = vec![false; count];
    for (entry, &node) in scene.nodes.iter().enumerate() {
        let Some(flag) = in_scene.get_mut(node) else {
            let place = format!("scenes[{chosen}].nodes[{entry}]");
            return at(place, GltfErrorKind::Index { kind: "node", index: node, count });
        };
        *flag = true;
    }
    for &node in order {
        if let Some(parent) = parents[node as usize] {
            in_scene[node as usize] |= in_scene[parent as usize];
        }
    }
    Ok(in_scene)
}

pub(super) fn read(
    number: usize,
    text: &NodeText,
    hierarchy: &Hierarchy,
    meshes: &[ModelMesh],
    mesh_weights: &[Option<Vec<f64>>],
    skins: &[ModelSkin],
    notes: &mut Vec<String>,
) -> Checked<ModelNode> {
    let place = format!("nodes[{number}]");
    let name = text.name.clone().unwrap_or_else(|| format!("node {number}"));
    let rest = transform(&place, text, notes)?;
    let mut weights = Vec::new();
    if let Some(mesh) = text.mesh {
        let Some(data) = meshes.get(mesh) else {
            return at(
                format!("{place}.mesh"),
                GltfErrorKind::Index { kind: "mesh", index: mesh, count: meshes.len() },
            );
        };
        let wanted = data.targets.len();
        let given = text.weights.as_ref().or(mesh_weights[mesh].as_ref());
        weights = given.cloned().unwrap_or_else(|| vec![0.0; wanted]);
        if weights.len() != wanted {
            let (found, wanted) = (weights.len() as u64, wanted as u64);
            return at(format!("{place}.weights"), GltfErrorKind::Count { what: "weights", found, wanted });
        }
        check_numbers(&format!("{place}.weights"), 0, &weights)?;
    }
    if let Some(skin) = text.skin {
        let Some(skin_data) = skins.get(skin) else {
            return at(format!("{place}.skin"), GltfErrorKind::Index { kind: "skin", index: skin, count: skins.len() });
        };
        let Some(mesh) = text.mesh else {
            return at(place, GltfErrorKind::Missing { what: "the mesh of a node with a skin" });
        };
        let Some(influences) = &meshes[mesh].influences else {
            return at(place, GltfErrorKind::NoWeights { mesh });
        };
        let joints = skin_data.joints.len();
        if let Some(entry) = influences.joints.iter().position(|&joint| joint as usize >= joints) {
            let vertex = influences.starts.partition_point(|&start| start as usize <= entry) - 1;
            return at(place, GltfErrorKind::Joint { vertex, joint: influences.joints[entry], joints });
        }
    } else if text.mesh.is_some_and(|mesh| meshes[mesh].influences.is_some()) {
        notes.push(format!("{place} ({name}): the mesh has weights but the node no skin; it moves with the node"));
    }
    if text.extensions.contains_key("EXT_mesh_gpu_instancing") {
        notes.push(format!("{place} ({name}): instances of EXT_mesh_gpu_instancing are not read, only one"));
    }
    Ok(ModelNode {
        name,
        parent: hierarchy.parents[number],
        rest,
        mesh: text.mesh.map(|mesh| mesh as u32),
        skin: text.skin.map(|skin| skin as u32),
        weights,
        in_scene: hierarchy.in_scene[number],
    })
}

fn transform(place: &str, text: &NodeText, notes: &mut Vec<String>) -> Checked<NodeTransform> {
    let has_parts = text.translation.is_some() || text.rotation.is_some() || text.scale.is_some();
    if let Some(matrix) = &text.matrix {
        let matrix = from_columns(&format!("{place}.matrix"), 0, matrix)?;
        // Some exporters write the defaults beside a matrix.
        if has_parts && parts(place, text, notes)? != Parts::IDENTITY {
            return at(place, GltfErrorKind::TransformTwice);
        }
        return Ok(NodeTransform::Matrix(Box::new(matrix)));
    }
    parts(place, text, notes).map(NodeTransform::Parts)
}

fn parts(place: &str, text: &NodeText, notes: &mut Vec<String>) -> Checked<Parts> {
    let mut parts = Parts::IDENTITY;
    if let Some(translation) = text.translation {
        check_numbers(&format!("{place}.translation"), 0, &translation)?;
        parts.translation = translation;
    }
    if let Some(scale) = text.scale {
        check_numbers(&format!("{place}.scale"), 0, &scale)?;
        parts.scale = scale;
    }
    if let Some(rotation) = text.rotation {
        let place = format!("{place}.rotation");
        check_numbers(&place, 0, &rotation)?;
        let (unit, length) = unit_quaternion(&place, 0, rotation)?;
        if (length - 1.0).abs() > limits::GLTF_UNIT_TOLERANCE {
            notes.push(format!("{place}: the quaternion has length {length} instead of 1; it is scaled to 1"));
        }
        parts.rotation = unit;
    }
    Ok(parts)
}

pub(super) fn check_numbers(place: &str, element: usize, numbers: &[f64]) -> Checked<()> {
    match numbers.iter().position(|number| !(number.abs() <= limits::MAX_COORDINATE)) {
        Some(component) => {
            let value = numbers[component];
            let kind = if value.is_finite() {
                GltfErrorKind::TooLarge { element, component, value }
            } else {
                GltfErrorKind::NotFinite { element, component, value }
            };
            at(place, kind)
        }
        None => Ok(()),
    }
}

/// The quaternion at length 1, and the length it had.
pub(super) fn unit_quaternion(place: &str, key: usize, quaternion: [f64; 4]) -> Checked<([f64; 4], f64)> {
    let length = quaternion.iter().map(|part| part * part).sum::<f64>().sqrt();
    match super::super::matrix::unit(quaternion) {
        Some(unit) => Ok((unit, length)),
        None => at(place, GltfErrorKind::RotationZero { key }),
    }
}

/// A matrix of the file, column by column, as row-major with an exact last row.
fn from_columns(place: &str, matrix: usize, columns: &[f64; 16]) -> Checked<[f64; 16]> {
    check_numbers(place, matrix, columns)?;
    let mut rows: [f64; 16] = std::array::from_fn(|at| columns[4 * (at % 4) + at / 4]);
    let found = [rows[12], rows[13], rows[14], rows[15]];
    let near = |(found, wanted): (&f64, f64)| (found - wanted).abs() <= limits::GLTF_LAST_ROW_TOLERANCE;
    if !found.iter().zip([0.0, 0.0, 0.0, 1.0]).all(near) {
        return at(place, GltfErrorKind::LastRow { matrix, found });
    }
    rows[12..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
    Ok(rows)
}

pub(super) fn read_skin(
    number: usize,
    text: &SkinText,
    nodes: usize,
    accessors: &mut Accessors<'_>,
) -> Checked<ModelSkin> {
    let place = format!("skins[{number}]");
    let name = text.name.clone().unwrap_or_else(|| format!("skin {number}"));
    if text.joints.is_empty() {
        return at(format!("{place}.joints"), GltfErrorKind::Count { what: "joints", found: 0, wanted: 1 });
    }
    if let Some(entry) = text.joints.iter().position(|&joint| joint >= nodes) {
        let (kind, index, count) = ("node", text.joints[entry], nodes);
        return at(format!("{place}.joints[{entry}]"), GltfErrorKind::Index { kind, index, count });
    }
    let joints: Vec<u32> = text.joints.iter().map(|&joint| joint as u32).collect();
    let inverse_binds = match text.inverse_bind_matrices {
        // The format's own default.
        None => vec![IDENTITY; joints.len()],
        Some(accessor) => {
            let place = format!("{place}.inverseBindMatrices");
            let found = accessors.count(accessor, &place)?;
            if found < joints.len() {
                let (found, wanted) = (found as u64, joints.len() as u64);
                return at(place, GltfErrorKind::Count { what: "matrices", found, wanted });
            }
            let numbers = accessors.finite(accessor, Shape::Mat4, Allowed::Float, &place)?;
            let (matrices, _) = numbers.as_chunks::<16>();
            let matrices = matrices[..joints.len()].iter().enumerate();
            matrices.map(|(matrix, columns)| from_columns(&place, matrix, columns)).collect::<Checked<_>>()?
        }
    };
    Ok(ModelSkin { name, joints, inverse_binds })
}
