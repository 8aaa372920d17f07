//! glTF files made byte by byte.

use serde_json::{Map, Value, json};

pub(crate) const BYTE: u32 = 5120;
pub(crate) const UNSIGNED_BYTE: u32 = 5121;
pub(crate) const SHORT: u32 = 5122;
pub(crate) const UNSIGNED_SHORT: u32 = 5123;
pub(crate) const UNSIGNED_INT: u32 = 5125;
pub(crate) const FLOAT: u32 = 5126;

/// A document under construction, with one buffer.
pub(crate) struct Builder {
    pub(crate) root: Map<String, Value>,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn shorts(numbers: &[i16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

pub(crate) fn words(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl Builder {
    pub(crate) fn new() -> Self {
        let Value::Object(root) = json!({ "asset": { "version": "2.0" } }) else { unreachable!() };
        Self { root, bytes: Vec::new() }
    }

    /// Appends an entry to a top-level list; its place.
    pub(crate) fn push(&mut self, list: &str, entry: Value) -> usize {
        let list = self.root.entry(list).or_insert_with(|| json!([])).as_array_mut().unwrap();
        list.push(entry);
        list.len() - 1
    }

    pub(crate) fn view(&mut self, bytes: &[u8], stride: Option<u64>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(stride) = stride {
            view["byteStride"] = stride.into();
        }
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", view)
    }

    pub(crate) fn accessor(&mut self, shape: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes, None);
        let accessor = json!({ "bufferView": view, "componentType": component, "count": count, "type": shape });
        self.push("accessors", accessor)
    }

    pub(crate) fn normalized(&mut self, shape: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let accessor = self.accessor(shape, component, count, bytes);
        self.root["accessors"][accessor]["normalized"] = true.into();
        accessor
    }

    pub(crate) fn scalars(&mut self, numbers: &[f32]) -> usize {
        self.accessor("SCALAR", FLOAT, numbers.len(), &floats(numbers))
    }

    pub(crate) fn vectors(&mut self, vectors: &[[f32; 3]]) -> usize {
        self.accessor("VEC3", FLOAT, vectors.len(), &floats(vectors.as_flattened()))
    }

    pub(crate) fn fours(&mut self, vectors: &[[f32; 4]]) -> usize {
        self.accessor("VEC4", FLOAT, vectors.len(), &floats(vectors.as_flattened()))
    }

    /// Joints as bytes and weights as floats, four a vertex.
    pub(crate) fn influences(&mut self, joints: &[[u8; 4]], weights: &[[f32; 4]]) -> [usize; 2] {
        [self.accessor("VEC4", UNSIGNED_BYTE, joints.len(), joints.as_flattened()), self.fours(weights)]
    }

    #[expect(clippy::needless_pass_by_value, reason = "`json!` makes a value")]
    pub(crate) fn mesh(&mut self, primitives: Value) -> usize {
        self.push("meshes", json!({ "primitives": primitives }))
    }

    /// A mesh of unindexed triangles.
    pub(crate) fn triangles(&mut self, corners: &[[f32; 3]]) -> usize {
        let positions = self.vectors(corners);
        self.mesh(json!([{ "attributes": { "POSITION": positions } }]))
    }

    /// Everything as JSON, with the buffer as it is said to be.
    #[expect(clippy::needless_pass_by_value, reason = "`json!` makes a value")]
    pub(crate) fn json(&self, buffer: Value) -> Vec<u8> {
        let mut root = self.root.clone();
        if !self.bytes.is_empty() {
            root.entry("buffers").or_insert(json!([buffer]));
        }
        serde_json::to_vec(&root).unwrap()
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        glb(&self.json(json!({ "byteLength": self.bytes.len() })), Some(&self.bytes))
    }

    pub(crate) fn with_data_uri(&self) -> Vec<u8> {
        let uri = format!("data:application/octet-stream;base64,{}", base64(&self.bytes));
        self.json(json!({ "byteLength": self.bytes.len(), "uri": uri }))
    }

    pub(crate) fn with_file(&self, uri: &str) -> Vec<u8> {
        self.json(json!({ "byteLength": self.bytes.len(), "uri": uri }))
    }
}

pub(crate) fn glb(json: &[u8], binary: Option<&[u8]>) -> Vec<u8> {
    let mut file = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    let mut chunk = |kind: &[u8; 4], content: &[u8], filler: u8| {
        let length = content.len().next_multiple_of(4);
        file.extend((length as u32).to_le_bytes());
        file.extend(kind);
        file.extend(content);
        file.resize(file.len() + length - content.len(), filler);
    };
    chunk(b"JSON", json, b' ');
    if let Some(binary) = binary {
        chunk(b"BIN\0", binary, 0);
    }
    let length = file.len() as u32;
    file[8..12].copy_from_slice(&length.to_le_bytes());
    file
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().enumerate().fold(0u32, |word, (at, &byte)| word | u32::from(byte) << (16 - 8 * at));
        for letter in 0..4 {
            let is_filler = letter > three.len();
            text.push(if is_filler { '=' } else { LETTERS[(word >> (18 - 6 * letter) & 63) as usize] as char });
        }
    }
    text
}
