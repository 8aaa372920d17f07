//! Meshes in poses, with the maps of the joints or nodes that move them: for shapes that these
//! carry.

use std::path::Path;
use std::sync::Arc;

use super::super::ReadError;
use super::GltfSceneOptions;
use super::bodies::ModelBody;
use super::error::{GltfError, GltfErrorKind};
use super::model::Model;
use super::read_gltf;
use super::scene::{check_size, choose, chosen};
use crate::io::{MeshData, SphereJoint};
use crate::motion::Sphere;
use crate::reduced::{Affine, Binding, Driver, JointTracks, Mix, Pose, ReducedError, Rig};
use crate::time::Moment;

/// A node's mesh with what moves it, at rest and under a clip.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JointedMesh {
    /// The name of the body, as [`ModelBody::name`].
    pub name: String,
    /// The name of the skin; empty without a skin.
    pub skin: String,
    /// All joints of the skin, in its order; the mesh's own node if it has no skin.
    pub joints: Vec<SphereJoint>,
    /// Triangles, and positions where every node is at rest, metres.
    pub mesh: MeshData,
    /// First and last time of the clip, seconds; `None` without a clip.
    pub span: Option<[f64; 2]>,
    rest: Moved,
    clip: Moved,
}

/// A [`JointedMesh`] in one pose.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JointedPose {
    /// Per joint the map from its frame to the scene's: its node's global transform.
    pub joints: Vec<Affine>,
    /// Per vertex, metres.
    pub positions: Vec<[f64; 3]>,
}

impl JointedPose {
    /// Where a joint carries a sphere from a rest pose to this one, metres; as a
    /// [`crate::io::SphereSkin`] that was bound at rest. `None` for a joint that does not exist, or
    /// that is flat at rest.
    pub fn carried(&self, rest: &Self, joint: u32, Sphere { centre, radius }: Sphere) -> Option<Sphere> {
        let (inverse, map) = (rest.joints.get(joint as usize)?.inverse()?, self.joints.get(joint as usize)?);
        let radius = radius * inverse.stretch() * map.stretch();
        Some(Sphere { centre: map.point(inverse.point(centre)), radius })
    }
}

/// A body, and its joints by themselves.
#[derive(Clone, Debug)]
struct Moved {
    body: ModelBody,
    joints: Arc<JointTracks>,
}

impl Moved {
    fn new(rig: &Arc<Rig>, mix: &Mix, joints: &[SphereJoint], body: ModelBody) -> Result<Self, GltfError> {
        let own = |joint: &SphereJoint| Binding { node: joint.node, inverse_bind: Affine::identity() };
        let bindings = joints.iter().map(own).collect();
        let joints = JointTracks::new(Arc::clone(rig), mix, bindings, None).map_err(|error| refused(&body, error))?;
        Ok(Self { body, joints: Arc::new(joints) })
    }

    fn at(&self, time: f64) -> Result<JointedPose, GltfError> {
        let body = &self.body.body;
        let (mut joints, mut pose) = (Pose::default(), Pose::default());
        self.joints.pose(Moment::at(time), &mut joints);
        body.pose(Moment::at(time), &mut pose);
        let mut positions = Vec::new();
        body.mesh().evaluate_all(&pose, &mut positions).map_err(|error| refused(&self.body, error))?;
        Ok(JointedPose { joints: joints.maps, positions })
    }
}

fn refused(body: &ModelBody, error: ReducedError) -> GltfError {
    GltfError { place: format!("nodes[{}] ({})", body.node, body.name), kind: GltfErrorKind::Body(error) }
}

impl JointedMesh {
    /// The pose in which every node has its transform without clips. O(nodes + weights).
    ///
    /// # Errors
    /// Positions that are not finite.
    pub fn rest(&self) -> Result<JointedPose, GltfError> {
        self.rest.at(0.0)
    }

    /// The pose of the clip at a time, seconds; the rest pose without a clip. The clip holds before
    /// its first key and after its last. O(nodes + weights).
    ///
    /// # Errors
    /// Positions that are not finite.
    pub fn at(&self, time: f64) -> Result<JointedPose, GltfError> {
        self.clip.at(time)
    }

    /// Places in [`JointedMesh::joints`] and weights of a vertex, which sum to 1; none of a vertex
    /// that does not exist.
    pub fn weights(&self, vertex: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.rest.body.body.mesh().influences().of(vertex)
    }
}

/// Reads a glTF file, and takes its meshes: of the node and under the clip of the options, as
/// [`super::read_gltf_scene`] takes them. Linear in the file and in the meshes of all nodes.
///
/// # Errors
/// As [`read_gltf`]; meshes of all nodes above [`crate::limits::MAX_GLTF_POSITIONS`]; a node or
/// clip that does not exist; a scene without triangles.
pub fn read_jointed_meshes(path: impl AsRef<Path>, options: &GltfSceneOptions) -> Result<Vec<JointedMesh>, ReadError> {
    let path = path.as_ref();
    let model = read_gltf(path, options.read)?;
    jointed(&model, options).map_err(|error| ReadError::new(path, *error))
}

fn jointed(model: &Model, options: &GltfSceneOptions) -> Result<Vec<JointedMesh>, Box<GltfError>> {
    check_size(model)?;
    let rig = model.rig()?;
    let clip = choose(model, options.clip.as_deref(), &mut Vec::new())?;
    let mix = clip.map_or_else(Mix::rest, |clip| model.once(clip).later(options.offset));
    let span = clip.map(|clip| model.clips[clip].span.map(|time| time + options.offset));
    let bodies = |mix: &Mix| {
        let all = model.bodies(&rig, mix)?;
        match &options.node {
            Some(word) => chosen(model, &all, word),
            None => Ok::<_, Box<GltfError>>(all),
        }
    };
    let mut found = Vec::new();
    for (rest, moved) in bodies(&Mix::rest())?.into_iter().zip(bodies(&mix)?) {
        let data = &model.nodes[rest.node];
        // A mesh without weights moves with its node, whatever skin that names.
        let has_weights = data.mesh.is_some_and(|mesh| model.meshes[mesh as usize].influences.is_some());
        let skin = data.skin.filter(|_| has_weights).map(|skin| &model.skins[skin as usize]);
        let joint = |node: u32| SphereJoint::new(&model.nodes[node as usize].name, node);
        let joints = skin.map_or_else(
            || vec![joint(rest.node as u32)],
            |skin| skin.joints.iter().map(|&node| joint(node)).collect(),
        );
        let name = rest.name.clone();
        let skin = skin.map_or(String::new(), |skin| skin.name.clone());
        let triangles = rest.body.mesh().mesh().triangles().to_vec();
        let rest = Moved::new(&rig, &Mix::rest(), &joints, rest)?;
        let clip = Moved::new(&rig, &mix, &joints, moved)?;
        let positions = rest.at(0.0)?.positions.iter().map(|place| place.map(|x| x as f32)).collect();
        let mesh = MeshData { positions, triangles };
        found.push(JointedMesh { name, skin, joints, mesh, span, rest, clip });
    }
    Ok(found)
}
