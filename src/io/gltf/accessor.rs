//! Accessors to plain numbers: offsets, strides, component types, normalisation, sparse entries,
//! zero-filled ones.
//!
//! Every range is compared with what holds it, and what will be needed with what the file may need,
//! before anything is allocated. Numbers come out as `f64`, which holds every component type
//! exactly.
//!
//! Source: glTF 2.0 specification, section 3.6.2 (accessors), and `KHR_mesh_quantization`.

use super::document::{AccessorText, Document};
use super::error::{Checked, GltfErrorKind, at};
use crate::limits;

/// How many numbers an element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Scalar = 1,
    Vec3 = 3,
    Vec4 = 4,
    Mat4 = 16,
}

/// Which component types a use allows, as the specification lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// FLOAT.
    Float,
    /// FLOAT, or any 8- or 16-bit integer, normalized or not.
    Quantised,
    /// FLOAT, or a normalized 8- or 16-bit integer.
    FloatOrNormalised,
    /// FLOAT, or a normalized unsigned 8- or 16-bit integer.
    Weights,
    /// An unsigned integer of 8 or 16 bits, not normalized.
    Joints,
    /// An unsigned integer, not normalized.
    Indices,
}

impl Allowed {
    fn holds(self, component: Component, normalised: bool) -> bool {
        use Component::{F32, I8, I16, U8, U16, U32};
        match (self, component) {
            (Self::Float | Self::FloatOrNormalised | Self::Weights, F32)
            | (Self::Quantised, F32 | I8 | U8 | I16 | U16) => true,
            (Self::FloatOrNormalised, I8 | U8 | I16 | U16) | (Self::Weights, U8 | U16) => normalised,
            (Self::Joints, U8 | U16) | (Self::Indices, U8 | U16 | U32) => !normalised,
            _ => false,
        }
    }

    fn wanted(self, shape: Shape) -> &'static str {
        match (self, shape) {
            (Self::Float, Shape::Scalar) => "SCALAR of FLOAT",
            (Self::Float, Shape::Vec3) => "VEC3 of FLOAT",
            (Self::Float, Shape::Vec4) => "VEC4 of FLOAT",
            (Self::Float, Shape::Mat4) => "MAT4 of FLOAT",
            (Self::Quantised, _) => "VEC3 of FLOAT, BYTE or SHORT",
            (Self::FloatOrNormalised, Shape::Scalar) => "SCALAR of FLOAT or of normalized BYTE or SHORT",
            (Self::FloatOrNormalised, _) => "VEC4 of FLOAT or of normalized BYTE or SHORT",
            (Self::Weights, _) => "VEC4 of FLOAT or of normalized UNSIGNED_BYTE or UNSIGNED_SHORT",
            (Self::Joints, _) => "VEC4 of UNSIGNED_BYTE or UNSIGNED_SHORT",
            (Self::Indices, _) => "SCALAR of UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn from_code(code: u64) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::I8 => "BYTE",
            Self::U8 => "UNSIGNED_BYTE",
            Self::I16 => "SHORT",
            Self::U16 => "UNSIGNED_SHORT",
            Self::U32 => "UNSIGNED_INT",
            Self::F32 => "FLOAT",
        }
    }

    fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// One component from as many bytes as it has.
    fn decode(self, bytes: &[u8], normalised: bool) -> f64 {
        let two = || [bytes[0], bytes[1]];
        let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
        let (value, largest) = match self {
            Self::I8 => (f64::from(bytes[0] as i8), 127.0),
            Self::U8 => (f64::from(bytes[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes(two())), 32_767.0),
            Self::U16 => (f64::from(u16::from_le_bytes(two())), 65_535.0),
            Self::U32 => (f64::from(u32::from_le_bytes(four())), f64::from(u32::MAX)),
            Self::F32 => return f64::from(f32::from_le_bytes(four())),
        };
        if normalised { (value / largest).max(-1.0) } else { value }
    }
}

/// The numbers of a document, and how many of them it may still ask for.
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a [&'a [u8]],
    needed: u64,
    allowed: u64,
    /// Whether positions were decoded from integers.
    pub(super) quantised: bool,
}

/// A run of elements inside the buffers.
struct View<'a> {
    bytes: &'a [u8],
    stride: usize,
}

impl<'a> Accessors<'a> {
    /// `bytes` are those of all files together, each counted once.
    pub(super) fn new(document: &'a Document, buffers: &'a [&'a [u8]], bytes: u64) -> Self {
        let allowed = limits::MAX_GLTF_EXPANSION.saturating_mul(bytes).saturating_add(limits::GLTF_FREE_BYTES);
        Self { document, buffers, needed: 0, allowed, quantised: false }
    }

    /// How many elements an accessor announces; at least one.
    pub(super) fn count(&self, accessor: usize, place: &str) -> Checked<usize> {
        let text = self.text(accessor, place)?;
        if text.count == 0 {
            return at(accessor_place(accessor), GltfErrorKind::Count { what: "elements", found: 0, wanted: 1 });
        }
        usize::try_from(text.count).or_else(|_| self.too_much(accessor, u64::MAX))
    }

    /// Reserves memory for `count` things of `size` bytes, if a file of this size may need it.
    pub(super) fn charge(&mut self, place: &str, count: u64, size: u64) -> Checked<()> {
        self.needed = self.needed.saturating_add(count.saturating_mul(size));
        if self.needed > self.allowed {
            let (needed, allowed) = (self.needed, self.allowed);
            return at(place, GltfErrorKind::TooMuch { needed, allowed });
        }
        Ok(())
    }

    /// All components of all elements of an accessor; `place` names its user in errors.
    pub(super) fn numbers(
        &mut self,
        accessor: usize,
        shape: Shape,
        allowed: Allowed,
        place: &str,
    ) -> Checked<Vec<f64>> {
        let text = self.text(accessor, place)?;
        let own_place = accessor_place(accessor);
        let Some(component) = Component::from_code(text.component_type)
            .filter(|&component| allowed.holds(component, text.normalized) && text.shape == shape.name())
        else {
            let (found, wanted) = (described(text), allowed.wanted(shape));
            return at(format!("{place} (accessor {accessor})"), GltfErrorKind::AccessorType { found, wanted });
        };
        let count = self.count(accessor, place)?;
        let (width, size) = (shape as usize, component.size());
        let element = width as u64 * size;
        self.charge(&own_place, text.count, 8 * width as u64)?;
        self.quantised |= allowed == Allowed::Quantised && component != Component::F32;
        // Bytes are there, or the number of zeros is within what was allowed: only now is memory
        // asked for.
        let base = match text.buffer_view {
            Some(view) => Some(self.view(&own_place, view, text.byte_offset, text.count, element, true)?),
            None => None,
        };
        let total = count.checked_mul(width).filter(|&total| isize::try_from(total).is_ok());
        let Some(total) = total else { return self.too_much(accessor, u64::MAX) };
        let mut numbers = Vec::new();
        if numbers.try_reserve_exact(total).is_err() {
            return self.too_much(accessor, text.count);
        }
        numbers.resize(total, 0.0);
        let decode = |out: &mut [f64], bytes: &[u8]| {
            for (out, bytes) in out.iter_mut().zip(bytes.chunks_exact(size as usize)) {
                *out = component.decode(bytes, text.normalized);
            }
        };
        if let Some(view) = base {
            for (index, out) in numbers.chunks_exact_mut(width).enumerate() {
                decode(out, &view.bytes[index * view.stride..]);
            }
        }
        if let Some(sparse) = &text.sparse {
            let place = format!("{own_place}.sparse");
            if sparse.count == 0 || sparse.count > text.count {
                let (what, found, wanted) = ("entries", sparse.count, text.count.min(1));
                return at(place, GltfErrorKind::Count { what, found, wanted });
            }
            let codes = &sparse.indices;
            let index_component = Component::from_code(codes.component_type)
                .filter(|&component| Allowed::Indices.holds(component, false));
            let Some(index_component) = index_component else {
                let found = format!("component type {}", codes.component_type);
                let wanted = "UNSIGNED_BYTE, UNSIGNED_SHORT or UNSIGNED_INT";
                return at(format!("{place}.indices"), GltfErrorKind::AccessorType { found, wanted });
            };
            let indices_place = format!("{place}.indices");
            let size = index_component.size();
            let indices = self.view(&indices_place, codes.buffer_view, codes.byte_offset, sparse.count, size, false)?;
            let values_place = format!("{place}.values");
            let (view, offset) = (sparse.values.buffer_view, sparse.values.byte_offset);
            let values = self.view(&values_place, view, offset, sparse.count, element, false)?;
            let mut previous = None;
            for entry in 0..sparse.count as usize {
                let value = index_component.decode(&indices.bytes[entry * indices.stride..], false) as u64;
                if let Some(previous) = previous.filter(|&previous| value <= previous) {
                    return at(indices_place, GltfErrorKind::SparseOrder { entry, value, previous });
                }
                if value >= text.count {
                    let vertices = count;
                    return at(indices_place, GltfErrorKind::VertexIndex { entry, value, vertices });
                }
                previous = Some(value);
                let start = value as usize * width;
                decode(&mut numbers[start..start + width], &values.bytes[entry * values.stride..]);
            }
        }
        Ok(numbers)
    }

    /// As [`Self::numbers`], all finite and no larger than coordinates may be.
    pub(super) fn finite(&mut self, accessor: usize, shape: Shape, allowed: Allowed, place: &str) -> Checked<Vec<f64>> {
        let numbers = self.numbers(accessor, shape, allowed, place)?;
        let width = shape as usize;
        if let Some(bad) = numbers.iter().position(|number| !(number.abs() <= limits::MAX_COORDINATE)) {
            let (element, component, value) = (bad / width, bad % width, numbers[bad]);
            let kind = if value.is_finite() {
                GltfErrorKind::TooLarge { element, component, value }
            } else {
                GltfErrorKind::NotFinite { element, component, value }
            };
            return at(format!("{place} (accessor {accessor})"), kind);
        }
        Ok(numbers)
    }

    /// Whether an accessor has no bytes of its own at all: decompressed data that is missing looks
    /// so.
    pub(super) fn is_hollow(&self, accessor: usize) -> bool {
        self.document.accessors.get(accessor).is_some_and(|text| text.buffer_view.is_none() && text.sparse.is_none())
    }

    fn text(&self, accessor: usize, place: &str) -> Checked<&'a AccessorText> {
        let count = self.document.accessors.len();
        match self.document.accessors.get(accessor) {
            Some(text) => Ok(text),
            None => at(place, GltfErrorKind::Index { kind: "accessor", index: accessor, count }),
        }
    }

    fn view(
        &self,
        place: &str,
        view: usize,
        offset: u64,
        count: u64,
        element: u64,
        may_stride: bool,
    ) -> Checked<View<'a>> {
        let views = &self.document.buffer_views;
        let Some(text) = views.get(view) else {
            return at(place, GltfErrorKind::Index { kind: "buffer view", index: view, count: views.len() });
        };
        let view_place = format!("bufferViews[{view}]");
        if let Some(extension) = text.extensions.keys().find(|name| name.ends_with("meshopt_compression")) {
            // The range inside the uncompressed fallback is as good as any other, but only if it
            // has bytes.
            if self.buffers.get(text.buffer).is_none_or(|buffer| buffer.is_empty()) {
                return at(view_place, GltfErrorKind::Compressed { extension: extension.clone() });
            }
        }
        let Some(buffer) = self.buffers.get(text.buffer) else {
            let (kind, index, count) = ("buffer", text.buffer, self.buffers.len());
            return at(view_place, GltfErrorKind::Index { kind, index, count });
        };
        let bytes = range(&view_place, buffer, &format!("buffer {}", text.buffer), text.byte_offset, text.byte_length)?;
        let stride = match text.byte_stride.filter(|_| may_stride) {
            None => element,
            Some(stride) if stride % 4 == 0 && (4..=252).contains(&stride) && stride >= element => stride,
            Some(stride) => return at(view_place, GltfErrorKind::Stride { stride, element }),
        };
        // `count` is at least one. Saturated, the product is beyond every buffer.
        let length = (count - 1).saturating_mul(stride).saturating_add(element);
        let bytes = range(place, bytes, &format!("buffer view {view}"), offset, length)?;
        Ok(View { bytes, stride: stride as usize })
    }

    fn too_much<T>(&self, accessor: usize, needed: u64) -> Checked<T> {
        at(accessor_place(accessor), GltfErrorKind::TooMuch { needed, allowed: self.allowed })
    }
}

fn range<'a>(place: &str, bytes: &'a [u8], holder: &str, begin: u64, length: u64) -> Checked<&'a [u8]> {
    let available = bytes.len() as u64;
    let end = begin.saturating_add(length);
    if end > available {
        return at(place, GltfErrorKind::Range { holder: holder.to_owned(), begin, end, available });
    }
    Ok(&bytes[begin as usize..end as usize])
}

fn accessor_place(accessor: usize) -> String {
    format!("accessors[{accessor}]")
}

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Self::Scalar => "SCALAR",
            Self::Vec3 => "VEC3",
            Self::Vec4 => "VEC4",
            Self::Mat4 => "MAT4",
        }
    }
}

fn described(text: &AccessorText) -> String {
    let normalised = if text.normalized { "normalized " } else { "" };
    let shape: String = text.shape.chars().take(8).collect();
    match Component::from_code(text.component_type) {
        Some(component) => format!("{shape} of {normalised}{}", component.name()),
        None => format!("{shape} of component type {}", text.component_type),
    }
}
