//! A glTF file as plain, checked arrays: what everything after the reader works on.
//!
//! Indices name entries of these lists and are in range; numbers are finite; parents come from a
//! tree; weights of a vertex sum to one; key times increase. Matrices are row-major, for column
//! vectors, as everywhere in [`crate::io`]. Lengths are metres, times seconds, y is up.

use std::ops::Range;

/// All of a file that has to do with where its triangles are, and when.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// In file order, those outside the scene included.
    pub nodes: Vec<ModelNode>,
    /// All nodes, each after its parent.
    pub order: Vec<u32>,
    /// In file order.
    pub meshes: Vec<ModelMesh>,
    /// In file order.
    pub skins: Vec<ModelSkin>,
    /// In file order.
    pub clips: Vec<Clip>,
    /// What was repaired or passed over, in sentences.
    pub notes: Vec<String>,
}

/// A place in the hierarchy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelNode {
    /// The file's name, or `node 3`.
    pub name: String,
    /// The node it hangs from.
    pub parent: Option<u32>,
    /// Its transform relative to the parent, where no clip says otherwise.
    pub rest: NodeTransform,
    /// The mesh that is drawn here.
    pub mesh: Option<u32>,
    /// The skin that moves the mesh; then this node's own transform has no influence on it.
    pub skin: Option<u32>,
    /// Weights of the mesh's morph targets where no clip says otherwise, as many as there are
    /// targets; unitless.
    pub weights: Vec<f64>,
    /// Whether the node belongs to the scene that is shown.
    pub in_scene: bool,
}

/// A node's transform relative to its parent.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeTransform {
    /// Scale, then rotation, then translation.
    Parts(Parts),
    /// Any matrix with last row 0 0 0 1, row-major for column vectors. No clip animates such a
    /// node.
    Matrix(Box<[f64; 16]>),
}

/// Translation, rotation and scale, applied in reverse order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// Metres.
    pub translation: [f64; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: [f64; 4],
    /// Unitless, per axis; may be zero or negative.
    pub scale: [f64; 3],
}

impl Parts {
    /// Nothing is moved.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };
}

/// The triangles of all primitives of a mesh, before anything moves them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelMesh {
    /// The file's name, or `mesh 3`.
    pub name: String,
    /// Metres, in the mesh's own frame. Primitives follow each other; those over the same data
    /// share their vertices.
    pub positions: Vec<[f32; 3]>,
    /// Indices into `positions`; strips and fans are cut.
    pub triangles: Vec<[u32; 3]>,
    /// Per primitive of the file its triangles; empty for points and lines, which are passed over.
    pub primitives: Vec<Range<usize>>,
    /// Per primitive the name of its material, if it has one.
    pub materials: Vec<Option<String>>,
    /// Per morph target the displacement of every vertex at weight 1, metres.
    pub targets: Vec<Vec<[f32; 3]>>,
    /// Which joints move which vertex; `None` where a primitive has no weights.
    pub influences: Option<Influences>,
}

/// Joints and weights of vertices, vertex by vertex.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Influences {
    /// Per vertex where its entries begin in `joints` and `weights`; one more than there are
    /// vertices.
    pub starts: Vec<u32>,
    /// Places in [`ModelSkin::joints`]; increasing within a vertex.
    pub joints: Vec<u32>,
    /// Above zero; those of a vertex sum to one, up to rounding.
    pub weights: Vec<f64>,
}

impl Influences {
    /// Joints and weights of a vertex, at least one.
    pub fn of(&self, vertex: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[vertex] as usize..self.starts[vertex + 1] as usize;
        self.joints[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }
}

/// The joints that move a skinned mesh.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelSkin {
    /// The file's name, or `skin 3`.
    pub name: String,
    /// Nodes; at least one.
    pub joints: Vec<u32>,
    /// Per joint the matrix from the mesh's frame to the joint's frame at rest, row-major for
    /// column vectors.
    pub inverse_binds: Vec<[f64; 16]>,
}

/// A named motion of some nodes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Clip {
    /// The file's name, or `clip 3`.
    pub name: String,
    /// At most one per node and property.
    pub channels: Vec<Channel>,
    /// Seconds: earliest and latest key of any channel; equal for a clip of one key or none.
    pub span: [f64; 2],
}

/// The motion of one property of one node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Channel {
    /// The node.
    pub node: u32,
    /// Which property of it.
    pub property: Property,
    /// How values between keys follow.
    pub interpolation: Interpolation,
    /// Seconds, increasing, at least one. Before the first key the first value holds, after the
    /// last the last.
    pub times: Vec<f64>,
    /// Numbers of one value: 3, 4 for rotations, as many as morph targets for weights.
    pub width: usize,
    /// Key by key; for [`Interpolation::CubicSpline`] the in-tangent, the value and the out-tangent
    /// of each.
    pub values: Vec<f64>,
}

/// What a channel animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Metres.
    Translation,
    /// Quaternion x, y, z, w: of length 1, except for the values and tangents of cubic splines.
    Rotation,
    /// Unitless.
    Scale,
    /// Weights of morph targets, unitless.
    Weights,
}

/// How values between two keys follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The earlier key's value.
    Step,
    /// Linear; rotations on the shorter great arc.
    Linear,
    /// Cubic Hermite spline; rotations are brought to length 1 afterwards.
    CubicSpline,
}

impl Model {
    /// The clip that is meant by a word: its name, what follows the last `|` of its name if only
    /// one clip's does, either in another letter case if only one clip's does, or its number.
    pub fn clip(&self, word: &str) -> Option<usize> {
        if let Some(clip) = self.clips.iter().position(|clip| clip.name == word) {
            return Some(clip);
        }
        // Blender writes the armature's name and a stroke before the action's.
        let mut short = (0..self.clips.len()).filter(|&clip| self.clips[clip].name.rsplit('|').next() == Some(word));
        if let (Some(clip), None) = (short.next(), short.next()) {
            return Some(clip);
        }
        let folded = word.to_lowercase();
        let is_meant = |&clip: &usize| {
            let name = self.clips[clip].name.to_lowercase();
            name == folded || name.rsplit('|').next() == Some(&folded)
        };
        let mut folded = (0..self.clips.len()).filter(is_meant);
        match (folded.next(), folded.next()) {
            (Some(clip), None) => Some(clip),
            _ => word.parse().ok().filter(|&clip| clip < self.clips.len()),
        }
    }

    /// Nodes of the scene that have a mesh with triangles, in file order: what becomes bodies.
    pub fn mesh_nodes(&self) -> Vec<usize> {
        let shows = |&node: &usize| {
            self.nodes[node].in_scene && self.mesh_of(node).is_some_and(|mesh| !mesh.triangles.is_empty())
        };
        (0..self.nodes.len()).filter(shows).collect()
    }

    /// Puts a new node above all that have no parent, and tells its number: the whole model is
    /// placed by it, and a channel of it carries the model along.
    pub fn add_root(&mut self, name: &str, placement: Parts) -> u32 {
        let root = self.nodes.len() as u32;
        self.nodes.iter_mut().filter(|node| node.parent.is_none()).for_each(|node| node.parent = Some(root));
        self.nodes.push(ModelNode {
            name: name.to_owned(),
            parent: None,
            rest: NodeTransform::Parts(placement),
            mesh: None,
            skin: None,
            weights: Vec::new(),
            in_scene: true,
        });
        self.order.insert(0, root);
        root
    }

    /// The mesh of a node.
    pub fn mesh_of(&self, node: usize) -> Option<&ModelMesh> {
        self.nodes[node].mesh.map(|mesh| &self.meshes[mesh as usize])
    }
}

impl Channel {
    /// Linear motion of a node's translation through keys, metres and seconds; the times must
    /// increase.
    pub fn translation(node: u32, times: Vec<f64>, places: &[[f64; 3]]) -> Self {
        let (property, interpolation, values) = (Property::Translation, Interpolation::Linear, places.concat());
        Self { node, property, interpolation, times, width: 3, values }
    }

    /// Whether the value is the same at all times.
    pub fn is_constant(&self) -> bool {
        let values = self.values.chunks(self.width.max(1));
        match self.interpolation {
            Interpolation::CubicSpline => {
                let mut keys = values.clone().skip(1).step_by(3);
                let first = keys.next();
                let tangents = values.enumerate().filter(|(part, _)| part % 3 != 1);
                keys.all(|key| Some(key) == first)
                    && tangents.flat_map(|(_, tangent)| tangent).all(|&component| component == 0.0)
            }
            _ => {
                let mut keys = values;
                let first = keys.next();
                keys.all(|key| Some(key) == first)
            }
        }
    }
}
