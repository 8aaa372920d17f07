//! What can be wrong with a glTF file: a place in the document, and the fault there.

use super::super::error::{FileError, listed};
use crate::reduced::ReducedError;

/// What is wrong with a glTF file, and where in its document.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}{kind}{}", .place, if .place.is_empty() { "" } else { ": " }, .kind.advice())]
#[non_exhaustive]
pub struct GltfError {
    /// The way to the value in the JSON, as `meshes[0].primitives[1].indices`; empty for the file
    /// as a whole. Counted from 0.
    pub place: String,
    /// What is wrong there.
    #[source]
    pub kind: GltfErrorKind,
}

/// A result inside the reader; the file is added at the end.
pub(super) type Checked<T> = Result<T, Box<GltfError>>;

pub(super) fn at<T>(place: impl Into<String>, kind: GltfErrorKind) -> Checked<T> {
    Err(Box::new(GltfError { place: place.into(), kind }))
}

/// What is wrong at a place of a glTF document. Everything is counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfErrorKind {
    /// Not JSON, or JSON of another form.
    #[error("this is not the JSON of a glTF document: {message}")]
    Json {
        /// What the JSON reader says.
        message: String,
    },
    /// The file ends inside the part named.
    #[error(
        "the file has {found} bytes, but its {part} goes on to byte {needed}; it was cut short: export or copy it \
         again"
    )]
    GlbShort {
        /// The part that does not fit.
        part: &'static str,
        /// Bytes it needs, from the file's start.
        needed: u64,
        /// Bytes there are.
        found: u64,
    },
    /// The length in a GLB header is less than a header and a chunk have.
    #[error("the GLB header says the file has {found} bytes, less than any GLB; the file is damaged")]
    GlbLength {
        /// What the header says.
        found: u32,
    },
    /// A GLB to be written would be longer than its header can say.
    #[error("the GLB would have {found} bytes, more than the 4294967295 that its header can say")]
    GlbTooLong {
        /// Bytes it would have.
        found: u64,
    },
    /// A GLB container of another version than 2.
    #[error("the GLB header says version {found}; only version 2 is known: export as glTF 2.0")]
    GlbVersion {
        /// What the header says.
        found: u32,
    },
    /// The first chunk of a GLB is not its JSON.
    #[error("the first chunk of the GLB is of kind {found:#010x} instead of JSON; the file is damaged")]
    GlbNoJson {
        /// The kind of the first chunk.
        found: u32,
    },
    /// A format of another version than 2.x.
    #[error("the document is of glTF version \"{found}\"; versions 2.x are known: export as glTF 2.0")]
    Version {
        /// What the document says.
        found: String,
    },
    /// A compression that is not decoded here.
    #[error(
        "the geometry is compressed with {extension}, which is not decoded here; convert the file first, for \
         example with `gltf-transform copy in.glb out.glb` or by importing and exporting it in Blender without \
         compression"
    )]
    Compressed {
        /// The extension's name.
        extension: String,
    },
    /// An extension that the document cannot be read without, and that is not known.
    #[error(
        "the document cannot be read without the extension {extension}, which is not known here; export without it"
    )]
    Extension {
        /// The extension's name.
        extension: String,
    },
    /// A number that names nothing.
    #[error("names {kind} {index}, but there are {count} (counted from 0)")]
    Index {
        /// What it should name, as `accessor`.
        kind: &'static str,
        /// The number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// Something that must be there is not.
    #[error("{what} is missing")]
    Missing {
        /// What is missing.
        what: &'static str,
    },
    /// A URI that is neither a data URI nor a relative path.
    #[error("the URI `{uri}` cannot be used: {why}")]
    Uri {
        /// The URI, shortened.
        uri: String,
        /// Why it cannot be used.
        why: String,
    },
    /// A URI that names a file which the document may not name, see [`FileError::Outside`].
    #[error(transparent)]
    Outside(FileError),
    /// A file of binary data could not be read.
    #[error("the data file {file}: {why}")]
    Data {
        /// Its path.
        file: String,
        /// Why not.
        why: String,
    },
    /// A range of bytes ends beyond what holds it.
    #[error(
        "needs bytes {begin} to {end} of {holder}, which has {available}; the file was cut short or its offsets are \
         wrong"
    )]
    Range {
        /// What holds it, as `buffer 0`.
        holder: String,
        /// First byte.
        begin: u64,
        /// One past the last byte; saturated.
        end: u64,
        /// Bytes there are.
        available: u64,
    },
    /// A stride that is no multiple of 4 from 4 to 252, or shorter than an element.
    #[error(
        "has a stride of {stride} bytes for elements of {element}; a multiple of 4 from 4 to 252, and no less than \
         an element, is needed"
    )]
    Stride {
        /// What the document says, bytes.
        stride: u64,
        /// Bytes of one element.
        element: u64,
    },
    /// An accessor whose shape or component type does not suit its use.
    #[error("is {found} where {wanted} is needed")]
    AccessorType {
        /// What it has, as `VEC3 of FLOAT`.
        found: String,
        /// What its use needs.
        wanted: &'static str,
    },
    /// A count that is zero, or not the one its use needs.
    #[error("has {found} {what} where {wanted} are needed")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// How many are needed, at least.
        wanted: u64,
    },
    /// The document announces far more elements than the file has bytes for.
    #[error(
        "accessors, weights and names announce {needed} bytes, where a file of this size may have {allowed}; the file \
         is damaged"
    )]
    TooMuch {
        /// Bytes the accessors read so far would need.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// Indices of a sparse accessor do not increase.
    #[error("sparse index {entry} is {value}, which does not come after {previous}")]
    SparseOrder {
        /// Which of them.
        entry: usize,
        /// Its value.
        value: u64,
        /// The one before it.
        previous: u64,
    },
    /// A number that is NaN or infinite.
    #[error("element {element}, component {component} is {value}; finite numbers are needed")]
    NotFinite {
        /// Which element.
        element: usize,
        /// Which of its components.
        component: usize,
        /// What the file says.
        value: f64,
    },
    /// A number that is too large to be used.
    #[error("element {element}, component {component} is {value}, which is too large; scale the model down")]
    TooLarge {
        /// Which element.
        element: usize,
        /// Which of its components.
        component: usize,
        /// What the file says.
        value: f64,
    },
    /// An index of a triangle beyond the vertices.
    #[error("index {entry} is {value}, but there are {vertices} vertices (counted from 0)")]
    VertexIndex {
        /// Which index.
        entry: usize,
        /// Its value.
        value: u64,
        /// Vertices there are.
        vertices: usize,
    },
    /// A primitive mode that does not exist.
    #[error("is mode {found}; modes are 0 to 6")]
    Mode {
        /// What the document says.
        found: u64,
    },
    /// No node of that name has a mesh.
    #[error("there is no node \"{wanted}\" with a mesh; {}", listed(.known, "no node has one"))]
    NoNode {
        /// The word for it.
        wanted: String,
        /// The bodies there are.
        known: Vec<String>,
    },
    /// Frames a second that are not positive.
    #[error("{fps} is no number of frames a second above 0; give one such as 24")]
    Rate {
        /// The rate.
        fps: f64,
    },
    /// A clip that is played at no usable time.
    #[error("the clip cannot be played {offset} s later; give a number of seconds")]
    Offset {
        /// Seconds.
        offset: f64,
    },
    /// A clip of several that cannot be played as stated.
    #[error("clip {part} (counted from 0) of `clips`: {error}")]
    ClipPart {
        /// Its place among them, from 0.
        part: usize,
        /// The fault.
        error: super::parts::ClipPartError,
    },
    /// No triangle anywhere in the scene.
    #[error("no node of the scene has a mesh with triangles; export the meshes too")]
    NoTriangles,
    /// A node that is its own ancestor.
    #[error("the node is its own ancestor; nodes must form trees")]
    Cycle,
    /// A node with two parents, or listed twice by one.
    #[error("is a child of node {first} and of node {second}; a node has one parent")]
    TwoParents {
        /// The first parent.
        first: usize,
        /// The second parent.
        second: usize,
    },
    /// A rotation of length zero.
    #[error("rotation {key} is a quaternion of length 0; a length of 1 is needed")]
    RotationZero {
        /// Which key; 0 for a node.
        key: usize,
    },
    /// Both a matrix and translation, rotation or scale.
    #[error("has a matrix and also translation, rotation or scale; one of the two is needed")]
    TransformTwice,
    /// A matrix whose last row is not 0 0 0 1.
    #[error(
        "matrix {matrix} has the last row {a} {b} {c} {d} where 0 0 0 1 is needed",
        a = .found[0],
        b = .found[1],
        c = .found[2],
        d = .found[3]
    )]
    LastRow {
        /// Which matrix.
        matrix: usize,
        /// That row.
        found: [f64; 4],
    },
    /// A skinned mesh without joints and weights.
    #[error(
        "has a skin, but mesh {mesh} has a primitive without JOINTS_0 and WEIGHTS_0; remove the skin or weight the \
         vertices"
    )]
    NoWeights {
        /// The mesh.
        mesh: usize,
    },
    /// A weight that is negative, NaN or infinite.
    #[error(
        "weight {influence} of vertex {vertex} is {value}; weights are 0 or more. Correct them in the exporter, or \
         let them be repaired (--repair)"
    )]
    Weight {
        /// Which vertex of the primitive.
        vertex: usize,
        /// Which of its weights.
        influence: usize,
        /// What the file says.
        value: f64,
    },
    /// A vertex whose weights are all zero.
    #[error(
        "the weights of vertex {vertex} are all zero, so it follows no joint. Correct them in the exporter, or ask \
         for repair"
    )]
    WeightsZero {
        /// Which vertex of the primitive.
        vertex: usize,
    },
    /// A joint number beyond the skin's joints.
    #[error("vertex {vertex} of the mesh follows joint {joint}, but the skin has {joints} (counted from 0)")]
    Joint {
        /// Which vertex of the mesh.
        vertex: usize,
        /// The joint number.
        joint: u32,
        /// Joints of the skin.
        joints: usize,
    },
    /// An animation path, an interpolation or the like that does not exist.
    #[error("is \"{found}\" where {wanted} is needed")]
    Word {
        /// What the document says.
        found: String,
        /// What it may say.
        wanted: &'static str,
    },
    /// Key times that do not increase.
    #[error("key {key} is at {time} s, which does not come after {previous} s")]
    KeyOrder {
        /// The later key.
        key: usize,
        /// Its time, seconds.
        time: f64,
        /// The time before it, seconds.
        previous: f64,
    },
    /// A time that is negative or too large.
    #[error("key {key} is at {time} s, which is no time of a clip")]
    KeyTime {
        /// The key.
        key: usize,
        /// Its time, seconds.
        time: f64,
    },
    /// Two channels of a clip animate the same property of the same node.
    #[error("animates the {property} of node {node}, as an earlier channel does")]
    ChannelTwice {
        /// The node.
        node: usize,
        /// The property.
        property: &'static str,
    },
    /// A channel animates a node that has a matrix.
    #[error("animates node {node}, which has a matrix; animated nodes need translation, rotation and scale")]
    AnimatedMatrix {
        /// The node.
        node: usize,
    },
    /// No clip has that name or number.
    #[error("there is no clip \"{wanted}\"; {}", listed(.known, "the file has no clips"))]
    NoClip {
        /// What was asked for.
        wanted: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A body that is to be blended spherically and has no joints.
    #[error("it has no skin, and spherical blending is of the joints of a skin; leave out `blend`")]
    NoSkin,
    /// A skin that cannot be blended spherically.
    #[error("it cannot be blended spherically: {error}; write blend = \"linear\"")]
    NotSpherical {
        /// Why: mostly [`ReducedError::NotRigid`].
        error: ReducedError,
    },
    /// A body that cannot be made of it.
    #[error(transparent)]
    Body(#[from] ReducedError),
    /// Keys that need more positions than allowed, by themselves or with those of the bodies
    /// before.
    #[error(
        "more than {allowed} positions (keys × vertices), triangles and joints are needed to follow the motion; allow a \
         larger deviation, or take a part of the model"
    )]
    TooManyKeys {
        /// Most positions allowed, keys × vertices, and triangles.
        allowed: usize,
    },
}

impl GltfErrorKind {
    /// The remedy for files that break the format; empty for other faults, whose messages name
    /// their own.
    fn advice(&self) -> &'static str {
        let breaks_the_format = matches!(
            self,
            Self::Index { .. }
                | Self::Stride { .. }
                | Self::AccessorType { .. }
                | Self::Count { .. }
                | Self::SparseOrder { .. }
                | Self::NotFinite { .. }
                | Self::VertexIndex { .. }
                | Self::Mode { .. }
                | Self::Cycle
                | Self::TwoParents { .. }
                | Self::RotationZero { .. }
                | Self::TransformTwice
                | Self::LastRow { .. }
                | Self::Joint { .. }
                | Self::Word { .. }
                | Self::KeyOrder { .. }
                | Self::KeyTime { .. }
                | Self::ChannelTwice { .. }
                | Self::AnimatedMatrix { .. }
        );
        if breaks_the_format {
            "; the file breaks the format: export it again, or repair it with the help of a glTF validator"
        } else {
            ""
        }
    }
}
