//! Clips at a time, and several clips blended.
//!
//! Source: glTF 2.0 specification, appendix C (step, linear, spherical linear and cubic spline interpolation). Blending is not
//! part of the format; the rule is stated at [`Model::blend`].

use super::model::{Channel, Clip, Interpolation, Model, NodeTransform, Property};
use super::pose::ModelPose;

/// One clip in a blend.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Place in [`Model::clips`].
    pub clip: usize,
    /// When the clip's first key is shown, seconds on the blend's clock.
    pub start: f64,
    /// Clip seconds per second; 1 for the clip's own speed. Zero and below are possible.
    pub speed: f64,
    /// What comes after the clip's last key.
    pub repeat: Repeat,
    /// Times and weights, times increasing; linear in between, constant before and after. Empty is a weight of 1 always.
    /// Weights below zero count as zero.
    pub weights: Vec<[f64; 2]>,
}

/// What a layer shows outside its clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeat {
    /// The nearest end.
    #[default]
    Hold,
    /// The clip again.
    Loop,
}

impl Layer {
    /// A clip at its own speed from a time on, with full weight.
    pub fn new(clip: usize, start: f64) -> Self {
        Self { clip, start, speed: 1.0, repeat: Repeat::Hold, weights: Vec::new() }
    }

    /// The same, with weights over time (seconds, weight).
    #[must_use]
    pub fn weighted(mut self, weights: Vec<[f64; 2]>) -> Self {
        self.weights = weights;
        self
    }

    /// The same, over and over.
    #[must_use]
    pub fn looping(mut self) -> Self {
        self.repeat = Repeat::Loop;
        self
    }

    /// The weight at a time, at least 0.
    pub fn weight_at(&self, time: f64) -> f64 {
        let after = self.weights.partition_point(|&[key, _]| key <= time);
        let weight = match (after.checked_sub(1).map(|before| self.weights[before]), self.weights.get(after)) {
            (None, None) => 1.0,
            (None, Some(&[_, weight])) | (Some([_, weight]), None) => weight,
            (Some([t0, w0]), Some(&[t1, w1])) => w0 + (w1 - w0) * ((time - t0) / (t1 - t0)),
        };
        weight.max(0.0)
    }

    /// The clip's own time that is shown at a time.
    pub fn clip_time(&self, clip: &Clip, time: f64) -> f64 {
        let [first, last] = clip.span;
        let passed = (time - self.start) * self.speed;
        let length = last - first;
        match self.repeat {
            Repeat::Loop if length > 0.0 => first + passed.rem_euclid(length),
            _ => (first + passed).clamp(first, last),
        }
    }
}

impl Channel {
    /// Writes the value at a time, `width` numbers; held before the first key and after the last.
    ///
    /// O(log keys + width).
    pub fn value_at(&self, time: f64, out: &mut [f64]) {
        let after = self.times.partition_point(|&key| key <= time);
        let Some(key) = after.checked_sub(1) else {
            out.copy_from_slice(self.value(0));
            return self.finish(0, out);
        };
        if after == self.times.len() || self.times[key] == time || self.interpolation == Interpolation::Step {
            out.copy_from_slice(self.value(key));
            return self.finish(key, out);
        }
        let step = self.times[after] - self.times[key];
        let s = (time - self.times[key]) / step;
        match self.interpolation {
            Interpolation::CubicSpline => {
                let (a, b) = (self.value(key), self.value(after));
                let (leaving, arriving) = (self.part(key, 2), self.part(after, 0));
                let (s2, s3) = (s * s, s * s * s);
                let h = [2.0 * s3 - 3.0 * s2 + 1.0, step * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, step * (s3 - s2)];
                for (at, out) in out.iter_mut().enumerate() {
                    *out = h[0] * a[at] + h[1] * leaving[at] + h[2] * b[at] + h[3] * arriving[at];
                }
                self.finish(if s < 0.5 { key } else { after }, out);
            }
            _ if self.property == Property::Rotation => {
                let quaternion = |key| std::array::from_fn(|at| self.value(key)[at]);
                out.copy_from_slice(&slerp(quaternion(key), quaternion(after), s));
            }
            _ => {
                let (a, b) = (self.value(key), self.value(after));
                for (at, out) in out.iter_mut().enumerate() {
                    *out = (1.0 - s) * a[at] + s * b[at];
                }
            }
        }
    }

    /// The value at a key.
    pub fn value(&self, key: usize) -> &[f64] {
        match self.interpolation {
            Interpolation::CubicSpline => self.part(key, 1),
            _ => &self.values[key * self.width..(key + 1) * self.width],
        }
    }

    /// In-tangent, value and out-tangent of a spline's key are parts 0, 1 and 2.
    fn part(&self, key: usize, part: usize) -> &[f64] {
        let start = (3 * key + part) * self.width;
        &self.values[start..start + self.width]
    }

    /// Brings a spline's quaternion to length 1. One that passes through zero is that of the nearer key.
    fn finish(&self, nearer: usize, out: &mut [f64]) {
        if self.property != Property::Rotation || self.interpolation != Interpolation::CubicSpline {
            return;
        }
        let unit = |quaternion: &[f64]| super::super::matrix::unit::<4>(std::array::from_fn(|at| quaternion[at]));
        let found = unit(out).or_else(|| unit(self.value(nearer))).unwrap_or(super::Parts::IDENTITY.rotation);
        out.copy_from_slice(&found);
    }
}

/// Between two unit quaternions on the shorter great arc; unit again.
pub(super) fn slerp(a: [f64; 4], b: [f64; 4], s: f64) -> [f64; 4] {
    let dot: f64 = (0..4).map(|at| a[at] * b[at]).sum();
    // q and −q are one rotation; the nearer of the two is meant.
    let b = if dot < 0.0 { b.map(|part| -part) } else { b };
    let length = |v: [f64; 4]| v.iter().map(|part| part * part).sum::<f64>().sqrt();
    let apart = length(std::array::from_fn(|at| a[at] - b[at]));
    let along = length(std::array::from_fn(|at| a[at] + b[at]));
    // From the two chords: well conditioned for angles near zero, where an arc cosine is not.
    let angle = 2.0 * libm::atan2(apart, along);
    let sine = libm::sin(angle);
    let (wa, wb) =
        if sine > 0.0 { (libm::sin((1.0 - s) * angle) / sine, libm::sin(s * angle) / sine) } else { (1.0 - s, s) };
    let mixed = std::array::from_fn(|at| wa * a[at] + wb * b[at]);
    super::super::matrix::unit(mixed).unwrap_or(a)
}

impl Model {
    /// The clip with a name.
    pub fn clip(&self, name: &str) -> Option<usize> {
        self.clips.iter().position(|clip| clip.name == name)
    }

    /// Every node where it is without any clip.
    pub fn rest_pose(&self) -> ModelPose {
        ModelPose {
            transforms: self.nodes.iter().map(|node| node.rest.clone()).collect(),
            weights: self.nodes.iter().map(|node| node.weights.clone()).collect(),
        }
    }

    /// The pose of one clip at a time on the clip's own clock, seconds. Nodes it does not animate are at rest.
    ///
    /// # Panics
    /// When there is no such clip.
    pub fn pose_at(&self, clip: usize, time: f64) -> ModelPose {
        let mut pose = self.rest_pose();
        let mut value = Vec::new();
        for channel in &self.clips[clip].channels {
            value.resize(channel.width, 0.0);
            channel.value_at(time, &mut value);
            pose.set(channel.node as usize, channel.property, &value);
        }
        pose
    }

    /// The pose of several clips blended, at a time on the blend's clock, seconds.
    ///
    /// Per node and property: the mean of the layers that animate it, by their weights at that time. Where these weights sum to less
    /// than 1, the rest value makes up the difference, so fading out a clip leads back to rest. Rotations are summed as quaternions,
    /// each with the sign that brings it nearer to the first, and the sum is brought to length 1.
    ///
    /// # Panics
    /// When a layer names no clip.
    pub fn blend(&self, layers: &[Layer], time: f64) -> ModelPose {
        let mut pose = self.rest_pose();
        // Sums per node and property, in the order of first appearance: nothing depends on addresses.
        let mut sums: std::collections::BTreeMap<(u32, Property), (f64, Vec<f64>)> = std::collections::BTreeMap::new();
        let mut value = Vec::new();
        for layer in layers {
            let weight = layer.weight_at(time);
            if !(weight > 0.0) {
                continue;
            }
            let clip = &self.clips[layer.clip];
            let clip_time = layer.clip_time(clip, time);
            for channel in &clip.channels {
                value.resize(channel.width, 0.0);
                channel.value_at(clip_time, &mut value);
                let (total, sum) =
                    sums.entry((channel.node, channel.property)).or_insert_with(|| (0.0, vec![0.0; channel.width]));
                add(channel.property, sum, &value, weight);
                *total += weight;
            }
        }
        for ((node, property), (total, mut sum)) in sums {
            let node = node as usize;
            if total < 1.0 {
                let rest = pose.get(node, property);
                add(property, &mut sum, &rest, 1.0 - total);
            } else {
                sum.iter_mut().for_each(|part| *part /= total);
            }
            if property == Property::Rotation {
                let quaternion: [f64; 4] = std::array::from_fn(|at| sum[at]);
                match super::super::matrix::unit(quaternion) {
                    Some(unit) => sum.copy_from_slice(&unit),
                    // Opposite rotations that cancel: the rest rotation is as good as any.
                    None => continue,
                }
            }
            pose.set(node, property, &sum);
        }
        pose
    }
}

fn add(property: Property, sum: &mut [f64], value: &[f64], weight: f64) {
    let dot: f64 = sum.iter().zip(value).map(|(a, b)| a * b).sum();
    let signed = if property == Property::Rotation && dot < 0.0 { -weight } else { weight };
    sum.iter_mut().zip(value).for_each(|(sum, part)| *sum += signed * part);
}

impl ModelPose {
    fn set(&mut self, node: usize, property: Property, value: &[f64]) {
        if property == Property::Weights {
            self.weights[node].copy_from_slice(value);
            return;
        }
        // The reader refuses clips of nodes with a matrix.
        let NodeTransform::Parts(parts) = &mut self.transforms[node] else { return };
        match property {
            Property::Translation => parts.translation.copy_from_slice(value),
            Property::Rotation => parts.rotation.copy_from_slice(value),
            Property::Scale => parts.scale.copy_from_slice(value),
            Property::Weights => {}
        }
    }

    fn get(&self, node: usize, property: Property) -> Vec<f64> {
        if property == Property::Weights {
            return self.weights[node].clone();
        }
        let NodeTransform::Parts(parts) = &self.transforms[node] else { return Vec::new() };
        match property {
            Property::Translation => parts.translation.to_vec(),
            Property::Rotation => parts.rotation.to_vec(),
            _ => parts.scale.to_vec(),
        }
    }
}
