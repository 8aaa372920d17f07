//! What can be wrong with a PLY file.

/// What is wrong with a PLY file. Vertices, faces and elements are counted from 0, as the format
/// does.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlyError {
    /// The first line is not `ply`.
    #[error("the first line is not `ply`; is it another format?")]
    Signature,
    /// A line of the header that is not known.
    #[error("`{text}` is no line of a PLY header; export the mesh again")]
    HeaderLine {
        /// The line, made printable.
        text: String,
    },
    /// A version that is not 1.0.
    #[error("the header says PLY version {found}; only 1.0 is known")]
    Version {
        /// What the header says.
        found: String,
    },
    /// A header without `format`.
    #[error("the header has no line `format ascii 1.0`, or with binary_little_endian or binary_big_endian")]
    NoFormat,
    /// A header without `end_header`.
    #[error("the header does not end with `end_header`; the file was cut short: export it again")]
    NoEnd,
    /// An element without properties.
    #[error("the header says nothing of what an element `{element}` consists of; export the mesh again")]
    NoProperties {
        /// The element.
        element: String,
    },
    /// Counts that the file has no bytes for.
    #[error(
        "the header announces elements of at least {needed} bytes, but {available} follow it; the export was cut \
         short: write the file again"
    )]
    Length {
        /// The fewest bytes of what is announced.
        needed: u128,
        /// Bytes after the header.
        available: u64,
    },
    /// Data after the last element.
    #[error("{bytes} bytes follow the last element; the counts of the header are wrong: export the mesh again")]
    Trailing {
        /// How many bytes.
        bytes: usize,
    },
    /// The data end inside an element.
    #[error("the data end in {element} {index} (counted from 0); the export was cut short: write the file again")]
    Short {
        /// The element.
        element: String,
        /// Its number, from 0.
        index: u64,
    },
    /// An ASCII line with more numbers than the element has.
    #[error("{element} {index} (counted from 0) has more numbers than its properties; export the mesh again")]
    Surplus {
        /// The element.
        element: String,
        /// Its number, from 0.
        index: u64,
    },
    /// A word that is no number of its type.
    #[error("property `{property}` of {element} {index} (counted from 0) is `{text}`, which is no number of its type")]
    Number {
        /// The property.
        property: String,
        /// The element.
        element: String,
        /// Its number, from 0.
        index: u64,
        /// What the file says.
        text: String,
    },
    /// No `vertex` element, or one without x, y or z.
    #[error("the file has no vertices with the properties x, y and z; export it as a mesh with positions")]
    NoVertices,
    /// No faces.
    #[error(
        "the file has {vertices} vertices but no faces, as a point cloud or a file of strips has; export a mesh of \
         triangles or polygons"
    )]
    NoFaces {
        /// How many vertices there are.
        vertices: usize,
    },
    /// More vertices or triangles than 32-bit indices can name.
    #[error("the file has more {what} than 32-bit indices can name; split the mesh")]
    TooMany {
        /// `vertices` or `triangles`.
        what: &'static str,
    },
    /// A coordinate that is no finite 32-bit number.
    #[error(
        "the {axis} coordinate of vertex {vertex} (counted from 0) is {value}, which is not a finite 32-bit number; \
         look for exploded vertices, and export again"
    )]
    Coordinate {
        /// The vertex, from 0.
        vertex: u64,
        /// `x`, `y` or `z`.
        axis: char,
        /// What the file says.
        value: f64,
    },
    /// A face with fewer than three corners.
    #[error("face {face} (counted from 0) has {corners} corners where at least 3 are needed")]
    FaceTooSmall {
        /// The face, from 0.
        face: u64,
        /// What the file says.
        corners: i64,
    },
    /// A corner that names no vertex.
    #[error("face {face} names vertex {index}, but the file has {vertices} vertices (all counted from 0)")]
    IndexOutOfRange {
        /// The face, from 0.
        face: u64,
        /// What the file says.
        index: f64,
        /// How many vertices there are.
        vertices: usize,
    },
}
