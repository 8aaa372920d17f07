//! Animations: channels with their samplers resolved, key times checked, values as plain numbers.
//!
//! Source: glTF 2.0 specification, section 3.11 (animations) and appendix C (interpolation).

use super::accessor::{Accessors, Allowed, Shape};
use super::document::AnimationText;
use super::error::{Checked, GltfErrorKind, at};
use super::model::{Channel, Clip, Interpolation, ModelNode, NodeTransform, Property};
use super::nodes::unit_quaternion;
use crate::limits;

pub(super) fn read(
    number: usize,
    text: &AnimationText,
    nodes: &[ModelNode],
    accessors: &mut Accessors<'_>,
    notes: &mut Vec<String>,
) -> Checked<Clip> {
    let place = format!("animations[{number}]");
    let name = text.name.clone().unwrap_or_else(|| format!("clip {number}"));
    let mut channels: Vec<Channel> = Vec::with_capacity(text.channels.len());
    let mut passed_over = 0;
    for (index, channel) in text.channels.iter().enumerate() {
        let place = format!("{place}.channels[{index}]");
        if let Some(pointer) = channel.target.unread_pointer() {
            notes.push(format!(
                "{place} ({name}): {} is not read, so what it moves stands still: export the animation of nodes instead",
                shortened(pointer)
            ));
            continue;
        }
        // A channel without a node concerns something else than nodes.
        let Some((node, path)) = channel.target.node_and_path() else {
            passed_over += 1;
            continue;
        };
        if let Some(channel) = read_channel(&place, text, (channel.sampler, node, path), nodes, accessors)? {
            channels.push(channel);
        } else {
            passed_over += 1;
        }
    }
    if passed_over > 0 {
        notes.push(format!("{place} ({name}): {passed_over} channels move no node and no mesh, and are passed over"));
    }
    let mut animated: Vec<(u32, Property)> = channels.iter().map(|channel| (channel.node, channel.property)).collect();
    animated.sort_unstable();
    if let Some(twice) = animated.windows(2).find(|pair| pair[0] == pair[1]) {
        let (node, property) = (twice[0].0 as usize, twice[0].1.name());
        return at(format!("{place}.channels"), GltfErrorKind::ChannelTwice { node, property });
    }
    let first = channels.iter().map(|channel| channel.times[0]).reduce(f64::min).unwrap_or(0.0);
    let last = channels.iter().filter_map(|channel| channel.times.last().copied()).reduce(f64::max).unwrap_or(0.0);
    Ok(Clip { name, channels, span: [first, last] })
}

/// `None` for weights of a node whose mesh has no morph targets to be weighted.
fn read_channel(
    place: &str,
    clip: &AnimationText,
    (sampler, node, path): (usize, usize, &str),
    nodes: &[ModelNode],
    accessors: &mut Accessors<'_>,
) -> Checked<Option<Channel>> {
    let Some(node_data) = nodes.get(node) else {
        return at(
            format!("{place}.target.node"),
            GltfErrorKind::Index { kind: "node", index: node, count: nodes.len() },
        );
    };
    let property = match path {
        "translation" => Property::Translation,
        "rotation" => Property::Rotation,
        "scale" => Property::Scale,
        "weights" => Property::Weights,
        path => {
            let (found, wanted) = (shortened(path), "translation, rotation, scale or weights");
            return at(format!("{place}.target.path"), GltfErrorKind::Word { found, wanted });
        }
    };
    let count = clip.samplers.len();
    let Some(keys) = clip.samplers.get(sampler) else {
        return at(format!("{place}.sampler"), GltfErrorKind::Index { kind: "sampler", index: sampler, count });
    };
    if property != Property::Weights && matches!(node_data.rest, NodeTransform::Matrix(_)) {
        return at(place, GltfErrorKind::AnimatedMatrix { node });
    }
    let place = format!("{place} (sampler {sampler})");
    let interpolation = match keys.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            let (found, wanted) = (shortened(other), "LINEAR, STEP or CUBICSPLINE");
            return at(format!("{place}.interpolation"), GltfErrorKind::Word { found, wanted });
        }
    };
    let times = key_times(&format!("{place}.input"), keys.input, accessors)?;
    let (shape, allowed, width) = match property {
        Property::Translation | Property::Scale => (Shape::Vec3, Allowed::Float, 3),
        Property::Rotation => (Shape::Vec4, Allowed::FloatOrNormalised, 4),
        Property::Weights => (Shape::Scalar, Allowed::FloatOrNormalised, node_data.weights.len()),
    };
    if width == 0 {
        return Ok(None);
    }
    let output = format!("{place}.output");
    let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let elements = if property == Property::Weights { width } else { 1 };
    let wanted = times.len() as u64 * per_key * elements as u64;
    let found = accessors.count(keys.output, &output)? as u64;
    if found != wanted {
        return at(output, GltfErrorKind::Count { what: "elements", found, wanted });
    }
    let mut values = accessors.finite(keys.output, shape, allowed, &output)?;
    if property == Property::Rotation {
        check_rotations(&output, interpolation, &mut values)?;
    }
    Ok(Some(Channel { node: node as u32, property, interpolation, times, width, values }))
}

fn key_times(place: &str, accessor: usize, accessors: &mut Accessors<'_>) -> Checked<Vec<f64>> {
    let times = accessors.finite(accessor, Shape::Scalar, Allowed::Float, place)?;
    if let Some(key) = times.iter().position(|time| !(0.0..=limits::MAX_TIME).contains(time)) {
        return at(format!("{place} (accessor {accessor})"), GltfErrorKind::KeyTime { key, time: times[key] });
    }
    if let Some(before) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (key, time, previous) = (before + 1, times[before + 1], times[before]);
        return at(format!("{place} (accessor {accessor})"), GltfErrorKind::KeyOrder { key, time, previous });
    }
    Ok(times)
}

/// Brings keys to length 1. A spline's are left as they are: its values belong to its tangents.
fn check_rotations(place: &str, interpolation: Interpolation, values: &mut [f64]) -> Checked<()> {
    let (quaternions, _) = values.as_chunks_mut::<4>();
    for (entry, quaternion) in quaternions.iter_mut().enumerate() {
        match interpolation {
            Interpolation::CubicSpline if entry % 3 == 1 => {
                unit_quaternion(place, entry / 3, *quaternion)?;
            }
            Interpolation::CubicSpline => {}
            _ => *quaternion = unit_quaternion(place, entry, *quaternion)?.0,
        }
    }
    Ok(())
}

fn shortened(word: &str) -> String {
    super::super::error::quote(word.as_bytes())
}

impl Property {
    /// The format's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }
}
