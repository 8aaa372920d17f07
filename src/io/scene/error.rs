//! What can be wrong with a scene file beyond the files it names.

use std::path::PathBuf;

use super::super::error::listed;
use super::MAX_FRAME_NUMBER;
use super::plan::PlanError;
use super::shape::ShapeError;
use crate::limits;
use crate::reduced::ReducedError;

/// What is wrong with a scene file. Places in lists are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// Not TOML, or a key that is unknown or of the wrong kind.
    #[error("{message}")]
    Toml {
        /// What the TOML reader says.
        message: String,
    },
    /// No `[[body]]`.
    #[error("the scene has no bodies; add a [[body]] with a name and a mesh")]
    NoBodies,
    /// A list of another length.
    #[error("`{key}` has {found} numbers where {expected} are needed")]
    NumberCount {
        /// The key.
        key: &'static str,
        /// How many numbers it has.
        found: usize,
        /// How many it needs.
        expected: usize,
    },
    /// A number that is NaN or infinite.
    #[error("number {index} (counted from 0) of `{key}` is {value}; only finite numbers can be used")]
    NotFinite {
        /// The key.
        key: &'static str,
        /// The number's place, from 0.
        index: usize,
        /// What the file says.
        value: f64,
    },
    /// A thickness that is negative, not a number, or too large.
    #[error("`thickness` is {value} m; it must be a number of metres from 0 to {:e}", limits::MAX_COORDINATE)]
    Thickness {
        /// What the file says, metres.
        value: f64,
    },
    /// A span that ends before it starts.
    #[error("`span` ends at {end} s, before it starts at {start} s; write [first second, last second]")]
    SpanReversed {
        /// Its first number, seconds.
        start: f64,
        /// Its second number, seconds.
        end: f64,
    },
    /// A span so long, or an fps so high, that frames cannot be counted sensibly.
    #[error(
        "at this `fps`, {time} s is frame {frame}; frame numbers up to {MAX_FRAME_NUMBER} can be used: lower `fps` \
         or shorten `span`"
    )]
    FrameNumber {
        /// An end of the span, seconds.
        time: f64,
        /// Its frame number.
        frame: f64,
    },
    /// A span that asks a body with `outside = "error"` for more than it has.
    #[error(
        "`outside` is \"error\" and the body's keys run from {} s to {} s, but the scene's `span` from {} s to {} \
         s; shorten `span`, or use \"hold\" or \"loop\"",
        .keys[0],
        .keys[1],
        .span[0],
        .span[1]
    )]
    SpanOutsideMotion {
        /// The scene's span, seconds.
        span: [f64; 2],
        /// The body's first and last key, seconds.
        keys: [f64; 2],
    },
    /// Primitives that are stated as numbers, or by a file of these.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A motion that is stated as numbers, or by a file of these.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An empty `name` or `group`.
    #[error("`{key}` is empty; give it a name")]
    EmptyName {
        /// `name` or `group`.
        key: &'static str,
    },
    /// A name that an earlier body has.
    #[error("the name \"{name}\" is already taken by the body on line {first_line}; give every body its own name")]
    DuplicateName {
        /// The name.
        name: String,
        /// The line of the earlier body's name, from 1.
        first_line: usize,
    },
    /// A group with the name of a body.
    #[error("the group \"{name}\" has the name of a body; give the group another name")]
    GroupIsBody {
        /// The name.
        name: String,
    },
    /// A body without `mesh`, and without primitives.
    #[error(
        "the body has no `mesh`; add the path of its file (OBJ, PLY, STL or glTF), or state `points`, `segments`, \
         `triangles`, `patches` or `spheres`"
    )]
    NoMesh,
    /// A mesh of no known format.
    #[error("the mesh `{name}` does not end in .obj, .ply, .stl, .glb or .gltf; export it as one of these")]
    MeshFormat {
        /// What the scene says.
        name: String,
    },
    /// A sequence of frames as `mesh`.
    #[error("the mesh `{name}` is a sequence of frames, and a sequence is a `motion`: write motion = \"{name}\"")]
    MeshIsSequence {
        /// What the scene says.
        name: String,
    },
    /// A motion of no known format.
    #[error(
        "the motion `{name}` does not end in .pc2, .mdd, .json or, for a sequence, .obj, .ply or .stl; export it as one \
         of these"
    )]
    MotionFormat {
        /// What the scene says.
        name: String,
    },
    /// A path with a tab or another control character.
    #[error(
        "the path `{}` contains the control character {character:?}: in \"...\" a backslash begins an escape; write / \
         in paths, or put the path into '...'; if the file has that name, rename it",
        .name.escape_debug()
    )]
    PathEscape {
        /// The path as TOML has it.
        name: String,
        /// The character.
        character: char,
    },
    /// A glTF file of which several nodes are meant.
    #[error(
        "this names {} nodes with meshes, and a body is one: write the node after #, as in \"model.glb#{}\"; {}",
        .names.len(), .names.first().map_or("", |name| name), listed(.names, "")
    )]
    SeveralNodes {
        /// The names of the nodes.
        names: Vec<String>,
    },
    /// A key that a glTF body has no use for.
    #[error(
        "`{key}` means nothing here, because a glTF file has its own motion: remove `{key}`, or name a clip after @"
    )]
    ModelMoves {
        /// The key.
        key: &'static str,
    },
    /// A `tolerance` that is not positive, or too large.
    #[error("`tolerance` is {value} m; it must be a number of metres above 0")]
    Tolerance {
        /// What the file says, metres.
        value: f64,
    },
    /// A key of glTF bodies on a body that is not from a glTF file.
    #[error("`{key}` means nothing here, because it is for bodies of glTF files only: remove `{key}`")]
    NeedsModel {
        /// The key.
        key: &'static str,
    },
    /// Clips in more than one place: after @, as `clip`, in `clips`.
    #[error("the clip is stated twice: after `@`, as `clip`, or in `clips`; keep one")]
    ClipTwice,
    /// A list of clips without any.
    #[error("`clips` is empty; name the clips, or leave it out")]
    NoClips,
    /// An `offset` that is no usable time.
    #[error("`offset` is {value}; it must be a usable number of seconds")]
    Offset {
        /// What the file says, seconds.
        value: f64,
    },
    /// Both `motion` and `velocity`.
    #[error("the body has both `motion` and `velocity`; keep one of them")]
    MotionTwice,
    /// A key about frames on a body without frames.
    #[error("`{key}` means nothing here, because the body has no frames: add `motion`, or remove `{key}`")]
    Needless {
        /// The key.
        key: &'static str,
    },
    /// A key about frames on a body with a `velocity`.
    #[error(
        "`{key}` means nothing here, because a `velocity` has no frames: remove `{key}`, or replace `velocity` by {}",
        if matches!(*key, "outside" | "offset") { "a `plan` that ends" } else { "a `motion`" }
    )]
    NeedlessWithVelocity {
        /// The key.
        key: &'static str,
    },
    /// A cache and a mesh that do not belong together.
    #[error(
        "the cache has {motion_vertices} vertices, but the mesh {} has {mesh_vertices}; export both from the same \
         object, with the same modifiers",
        .mesh.display()
    )]
    VertexCount {
        /// The mesh's file.
        mesh: PathBuf,
        /// Its vertices.
        mesh_vertices: usize,
        /// The cache's vertices.
        motion_vertices: usize,
    },
    /// A cache whose vertices are not in the order of the mesh, by the length of edges in its first
    /// frame.
    #[error(
        "in the first frame {torn} of {edges} triangle sides are more than {times_longer} times as long as in the \
         mesh {}: the vertices are in another order; export both from the same object, with the same modifiers, or, \
         if the motion does begin so, add `check_order = false` to the body",
        .mesh.display()
    )]
    VertexOrder {
        /// The mesh's file.
        mesh: PathBuf,
        /// Sides of triangles that were compared.
        edges: usize,
        /// How many of them are far longer in the first frame.
        torn: usize,
        /// How many times longer these are, at least.
        times_longer: f64,
    },
    /// `check_order` on a body whose motion is not a cache.
    #[error("`check_order` means nothing here, because the motion is not a .pc2 or .mdd cache: remove `check_order`")]
    NeedlessOrder,
    /// `outside = "loop"` on a motion of one key.
    #[error("a motion of one frame cannot loop; use \"hold\", or give it more frames")]
    LoopOfOne,
    /// Both `transform` and one of `translate`, `rotate`, `scale`.
    #[error("`transform` already says everything; remove it, or remove `translate`, `rotate` and `scale`")]
    PlacementTwice,
    /// A scale of zero.
    #[error(
        "the scale along {} is {value}, which flattens the body; use a factor other than zero",
        ["x", "y", "z"].get(*.index).unwrap_or(&"an axis")
    )]
    ScaleZero {
        /// The axis, from 0.
        index: usize,
        /// What the file says.
        value: f64,
    },
    /// A `rotate` that is none of the known forms.
    #[error(
        "`rotate` must be {{ axis = [x, y, z], degrees = d }}, {{ quaternion_wxyz = [w, x, y, z] }} or {{ \
         quaternion_xyzw = [x, y, z, w] }}"
    )]
    RotateForm,
    /// A rotation about an axis of length zero.
    #[error("the axis of `rotate` has no length; use for example [0, 0, 1]")]
    AxisZero,
    /// A quaternion whose length is not 1.
    #[error("the quaternion of `rotate` has length {length} where 1 is needed; check the order and the digits")]
    QuaternionLength {
        /// Its length.
        length: f64,
    },
    /// A position beyond the range of 32-bit floats.
    #[error(
        "once placed, vertex {vertex} (counted from 0) is at {} {} {}{}, beyond 32-bit numbers; check scale and translation",
        .point[0], .point[1], .point[2],
        in_frame(*.key)
    )]
    PlacedTooFar {
        /// The key, from 0; `None` for the mesh itself.
        key: Option<usize>,
        /// The vertex, from 0.
        vertex: usize,
        /// Where it would be.
        point: [f32; 3],
    },
    /// A placement that a motion by few parameters cannot have.
    #[error("once placed: {0}; check scale and translation")]
    Placed(ReducedError),
    /// An `[[exclude]]` without exactly one of its keys.
    #[error(
        "[[exclude]] needs exactly one of `bodies = [\"a\", \"b\"]`, `inside = \"group\"` and `between = [\"a\", \
         \"b\"]`"
    )]
    ExcludeForm,
    /// A name that no body and no group has.
    #[error("there is no {kind} named \"{name}\"; {}", listed(.known, "no body is in a group"))]
    ExcludeUnknown {
        /// The kind of the name: `body`, `group` or `body or group`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A name twice in one `[[exclude]]`.
    #[error(
        "\"{name}\" is listed twice; name different bodies (contacts of a body with itself are `self_contact`, of a \
         group with itself `inside`)"
    )]
    ExcludeRepeated {
        /// The name.
        name: String,
    },
    /// Fewer than two bodies.
    #[error("`bodies` lists {found}; at least two are needed to exclude a pair")]
    ExcludeTooFew {
        /// How many there are.
        found: usize,
    },
    /// A `between` without exactly two sides.
    #[error("`between` lists {found} names; it needs two, each a body or a group")]
    ExcludeBetween {
        /// How many there are.
        found: usize,
    },
}

fn in_frame(key: Option<usize>) -> String {
    key.map_or_else(String::new, |key| format!(" in frame {key} (counted from 0)"))
}
