//! A frame as a glTF file: bodies with colours at their vertices, touching triangles apart.

use serde_json::{Value, json};

use super::frame::{Frame, FrameBody};
use super::view::up_axis;
use super::{RenderError, Up};

/// Bytes of a vertex: position and colour, three `f32` each.
const POINT: usize = 12;
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// The bytes of a binary glTF 2.0 file (`.glb`) that shows a frame.
///
/// Each body with triangles is a node with a mesh of one primitive, in the frame's order, under a
/// node that turns the scene's upward axis to +y. Its vertices come first and keep their numbers
/// and order, and so do its triangles. A highlighted triangle has three vertices of its own,
/// appended in the order of the triangles, so its colour ends at its sides. Positions are rounded
/// to `f32`. Colours are linear. `extras` of the mesh lists the highlighted triangles, `extras` of
/// the asset has the label. Boxes are left out.
///
/// # Errors
/// [`RenderError`]: a body that cannot be drawn, a position beyond `f32`, a file beyond 4 GiB.
pub fn glb(frame: &Frame, up: Up) -> Result<Vec<u8>, RenderError> {
    frame.check()?;
    let mut data = Vec::new();
    let mut parts = Parts::default();
    for (number, body) in frame.bodies.iter().enumerate().filter(|(_, body)| !body.triangles.is_empty()) {
        parts.add(body, number, &mut data)?;
    }
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let is_z_up = up_axis(up, &frame.bodies) == 2;
    let rotation = if is_z_up { [-half, 0.0, 0.0, half] } else { [0.0, 0.0, 0.0, 1.0] };
    let children: Vec<usize> = (1..=parts.nodes.len()).collect();
    let mut root = json!({ "name": "scene", "rotation": rotation });
    if !children.is_empty() {
        root["children"] = json!(children);
    }
    let mut nodes = vec![root];
    nodes.extend(parts.nodes);
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("kinetree ", env!("CARGO_PKG_VERSION")),
                   "extras": { "label": frame.label } },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": nodes,
    });
    if !parts.meshes.is_empty() {
        document["meshes"] = json!(parts.meshes);
        document["accessors"] = json!(parts.accessors);
        document["bufferViews"] = json!(parts.views);
        document["buffers"] = json!([{ "byteLength": data.len() }]);
        document["materials"] = json!([{
            "name": "surface", "doubleSided": true,
            "pbrMetallicRoughness": { "metallicFactor": 0.0, "roughnessFactor": 0.9 },
        }]);
    }
    container(document.to_string().into_bytes(), data)
}

/// Lists of a document, under construction.
#[derive(Default)]
struct Parts {
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
}

impl Parts {
    fn add(&mut self, body: &FrameBody, number: usize, data: &mut Vec<u8>) -> Result<(), RenderError> {
        let marks = body.marks();
        let marked: Vec<usize> = (0..marks.len()).filter(|&triangle| marks[triangle]).collect();
        let own = marked.iter().flat_map(|&triangle| body.corners(triangle));
        let points: Vec<[f32; 3]> = body.positions.iter().copied().chain(own).map(|p| p.map(|x| x as f32)).collect();
        if let Some(vertex) = points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(RenderError::NotFinite { body: body.name.clone(), vertex });
        }
        let mut next = body.positions.len() as u32;
        let corners = body.triangles.iter().zip(&marks).map(|(&corners, &is_marked)| {
            if !is_marked {
                return corners;
            }
            next += 3;
            [next - 3, next - 2, next - 1]
        });
        let corners: Vec<[u32; 3]> = corners.collect();
        let ends = |least: bool| -> Vec<f32> {
            let start = if least { f32::INFINITY } else { f32::NEG_INFINITY };
            let pick = |a: f32, b: f32| if least { a.min(b) } else { a.max(b) };
            (0..3).map(|axis| points.iter().map(|point| point[axis]).fold(start, pick)).collect()
        };
        let (surface, of_triangles) = (body.surface(number), body.colours(number));
        let own = marked.iter().flat_map(|&triangle| [of_triangles[triangle]; 3]);
        let of_points = std::iter::repeat_n(surface, body.positions.len()).chain(own);
        let colours: Vec<[f32; 3]> = of_points.map(|colour| colour.map(linear)).collect();
        let mut extras = json!({ "highlighted": marked });
        let is_known = body.known_marks();
        if is_known.contains(&true) {
            extras["known"] = json!((0..is_known.len()).filter(|&triangle| is_known[triangle]).collect::<Vec<_>>());
        }

        let first = self.accessors.len();
        for (values, target) in [(&points, VERTICES), (&colours, VERTICES)] {
            self.view(data, values.iter().flatten().flat_map(|x| x.to_le_bytes()), target);
        }
        self.view(data, corners.iter().flatten().flat_map(|x| x.to_le_bytes()), INDICES);
        let accessor = |part: usize, kind: u32, count: usize, shape: &str| json!({ "bufferView": first + part, "componentType": kind, "count": count, "type": shape });
        let mut positions = accessor(0, FLOAT, points.len(), "VEC3");
        positions["min"] = json!(ends(true));
        positions["max"] = json!(ends(false));
        self.accessors.push(positions);
        self.accessors.push(accessor(1, FLOAT, points.len(), "VEC3"));
        self.accessors.push(accessor(2, UNSIGNED, 3 * corners.len(), "SCALAR"));
        self.nodes.push(json!({ "name": body.name, "mesh": self.meshes.len() }));
        self.meshes.push(json!({
            "name": body.name,
            "extras": extras,
            "primitives": [{
                "attributes": { "POSITION": first, "COLOR_0": first + 1 },
                "indices": first + 2, "material": 0,
            }],
        }));
        Ok(())
    }

    fn view(&mut self, data: &mut Vec<u8>, bytes: impl Iterator<Item = u8>, target: u32) {
        let begin = data.len();
        data.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": begin, "byteLength": data.len() - begin, "target": target });
        if target == VERTICES {
            view["byteStride"] = json!(POINT);
        }
        self.views.push(view);
    }
}

/// A byte of a screen colour as the light it stands for.
fn linear(byte: u8) -> f32 {
    let value = f64::from(byte) / 255.0;
    let light = if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) };
    light as f32
}

/// Header, JSON chunk, binary chunk; each a multiple of four bytes long.
fn container(mut text: Vec<u8>, data: Vec<u8>) -> Result<Vec<u8>, RenderError> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let is_there = !data.is_empty();
    let bytes = 20 + text.len() + if is_there { 8 + data.len() } else { 0 };
    let length = u32::try_from(bytes).map_err(|_| RenderError::TooLong { bytes })?;
    let mut file = Vec::with_capacity(bytes);
    file.extend(b"glTF");
    for word in [2, length, text.len() as u32] {
        file.extend(word.to_le_bytes());
    }
    file.extend(b"JSON");
    file.extend(text);
    if is_there {
        // Positions, colours and indices have multiples of four bytes.
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(b"BIN\0");
        file.extend(data);
    }
    Ok(file)
}
