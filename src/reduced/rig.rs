//! Rigs: hierarchies of nodes and the clips that move them.

use nalgebra::Vector3;

use super::track::{Curve, Kind};
use super::{Affine, ReducedError, Track};
use crate::limits;
use crate::time::Span;

/// The transform of a node in its parent's frame without clips.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NodeTransform {
    /// Scaled, then rotated, then translated; clips may move it.
    Parts {
        /// Metres.
        translation: [f64; 3],
        /// Quaternion x, y, z, w.
        rotation: [f64; 4],
        /// Factors along the axes.
        scale: [f64; 3],
    },
    /// Any map; no clip may move it.
    Matrix(Affine),
}

impl Default for NodeTransform {
    fn default() -> Self {
        Self::Parts { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] }
    }
}

/// A node of a hierarchy, as the host gives it.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Node {
    /// The node of its parent frame; in any order.
    pub parent: Option<u32>,
    /// Its transform without clips.
    pub transform: NodeTransform,
    /// Morph weights without clips.
    pub weights: Vec<f64>,
}

/// The property that a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Property {
    /// The node's translation.
    Translation,
    /// The node's rotation.
    Rotation,
    /// The node's scale.
    Scale,
    /// The node's morph weights.
    Weights,
}

/// One property of one node, moved by a track.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Channel {
    /// The node.
    pub node: u32,
    /// The property.
    pub property: Property,
    /// Its track.
    pub track: Track,
}

/// Channels that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clip {
    /// The host's name of the clip.
    pub name: String,
    /// Its channels; no property of a node twice.
    pub channels: Vec<Channel>,
}

/// A checked clip.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    pub(super) name: String,
    /// Per node and property, the index of its curve in `curves`.
    places: Vec<[u32; 4]>,
    pub(super) curves: Vec<Curve>,
    pub(super) span: Span,
}

const NONE: u32 = u32::MAX;

impl Motion {
    /// The curves that move the transforms of some nodes, or the morph weights of one.
    pub(super) fn curves_of<'a>(
        &'a self,
        is_moved: &'a [bool],
        morphs: Option<u32>,
    ) -> impl Iterator<Item = &'a Curve> + Clone + 'a {
        self.places.iter().enumerate().flat_map(move |(node, places)| {
            places.iter().enumerate().filter_map(move |(property, &place)| {
                let is_weights = property == Property::Weights as usize;
                let is_used = if is_weights { morphs == Some(node as u32) } else { is_moved[node] };
                (is_used && place != NONE).then(|| &self.curves[place as usize])
            })
        })
    }

    pub(super) fn curve(&self, node: u32, property: Property) -> Option<&Curve> {
        match self.places[node as usize][property as usize] {
            NONE => None,
            place => Some(&self.curves[place as usize]),
        }
    }
}

/// A checked node hierarchy with its clips; bodies share it in an `Arc`.
#[derive(Clone, Debug)]
pub struct Rig {
    nodes: Vec<Node>,
    /// Parents before children.
    order: Vec<u32>,
    clips: Vec<Motion>,
}

impl Rig {
    /// Creates a rig after checking nodes and clips. O(nodes + keys).
    ///
    /// # Errors
    /// Nodes that do not exist, are their own ancestors or have unusable transforms; tracks with
    /// unusable or non-increasing key times, wrong numbers of values, values that are not finite,
    /// rotations of length zero; two tracks for one property; a track that moves a node given by a
    /// matrix. The message numbers tracks by their place in the clip's channels.
    pub fn new(mut nodes: Vec<Node>, clips: &[Clip]) -> Result<Self, ReducedError> {
        for (index, node) in nodes.iter_mut().enumerate() {
            check_node(index, node)?;
        }
        let order = parents_first(&nodes)?;
        let clips = clips.iter().map(|clip| check_clip(clip, &nodes)).collect::<Result<Vec<Motion>, _>>()?;
        Ok(Self { nodes, order, clips })
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes, with normalised rotations.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of clips.
    pub fn clip_count(&self) -> usize {
        self.clips.len()
    }

    /// The name of a clip; `None` if there is no such clip.
    pub fn clip_name(&self, clip: usize) -> Option<&str> {
        self.clips.get(clip).map(|clip| &*clip.name)
    }

    /// From the first key of a clip to its last, seconds; 0 to 0 for a clip without channels.
    /// `None` if there is no such clip.
    pub fn clip_span(&self, clip: usize) -> Option<Span> {
        self.clips.get(clip).map(|clip| clip.span)
    }

    pub(super) fn clip(&self, clip: usize) -> Option<&Motion> {
        self.clips.get(clip)
    }

    /// The nodes, parents before children.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }
}

fn check_node(index: usize, node: &mut Node) -> Result<(), ReducedError> {
    let usable = |values: &[f64]| values.iter().all(|x| x.abs() <= limits::MAX_COORDINATE);
    let is_usable = match &mut node.transform {
        NodeTransform::Parts { translation, rotation, scale } => {
            let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
            let is_usable =
                usable(translation) && usable(scale) && usable(rotation) && length > limits::SINGULAR_DETERMINANT;
            rotation.iter_mut().for_each(|x| *x /= length);
            is_usable
        }
        NodeTransform::Matrix(map) => usable(map.linear.as_slice()) && usable(map.shift.as_slice()),
    };
    if is_usable && usable(&node.weights) { Ok(()) } else { Err(ReducedError::BadNode { node: index }) }
}

fn parents_first(nodes: &[Node]) -> Result<Vec<u32>, ReducedError> {
    let mut is_done = vec![false; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let mut path = Vec::new();
    for start in 0..nodes.len() {
        let mut node = start;
        while !is_done[node] {
            path.push(node as u32);
            if path.len() > nodes.len() {
                return Err(ReducedError::NodeCycle { node: start });
            }
            match nodes[node].parent {
                None => break,
                Some(parent) if parent as usize >= nodes.len() => {
                    return Err(ReducedError::NoSuchNode { node: parent as usize, count: nodes.len() });
                }
                Some(parent) => node = parent as usize,
            }
        }
        while let Some(node) = path.pop() {
            is_done[node as usize] = true;
            order.push(node);
        }
    }
    Ok(order)
}

fn check_clip(clip: &Clip, nodes: &[Node]) -> Result<Motion, ReducedError> {
    let mut places = vec![[NONE; 4]; nodes.len()];
    let mut curves = Vec::with_capacity(clip.channels.len());
    let mut span = Span { begin: f64::INFINITY, end: f64::NEG_INFINITY };
    for (track, channel) in clip.channels.iter().enumerate() {
        let Some(node) = nodes.get(channel.node as usize) else {
            return Err(ReducedError::NoSuchNode { node: channel.node as usize, count: nodes.len() });
        };
        let is_matrix = matches!(node.transform, NodeTransform::Matrix(_));
        if is_matrix && channel.property != Property::Weights {
            return Err(ReducedError::BadNode { node: channel.node as usize });
        }
        let kind = match channel.property {
            Property::Translation | Property::Scale => Kind::Vector(3),
            Property::Rotation => Kind::Rotation,
            Property::Weights => Kind::Vector(node.weights.len()),
        };
        let place = &mut places[channel.node as usize][channel.property as usize];
        if *place != NONE {
            return Err(ReducedError::TrackTwice { track, node: channel.node as usize });
        }
        let curve = Curve::new(track, &channel.track, kind)?;
        *place = curves.len() as u32;
        span = Span { begin: span.begin.min(curve.first()), end: span.end.max(curve.last()) };
        curves.push(curve);
    }
    if curves.is_empty() {
        span = Span { begin: 0.0, end: 0.0 };
    }
    Ok(Motion { name: clip.name.clone(), places, curves, span })
}

/// The largest entry: the operator norm of a diagonal matrix.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// The length of a vector.
pub(super) fn length(values: &[f64]) -> f64 {
    Vector3::new(values[0], values[1], values[2]).norm()
}
