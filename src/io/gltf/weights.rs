//! Joints and weights of vertices: gathered from all sets, checked, brought to a sum of one.
//!
//! The format multiplies the position (x, y, z, 1) by the weighted sum of the joints' matrices.
//! Where weights do not sum to one the fourth coordinate is their sum, and a renderer divides by
//! it: dividing the weights is the same map.

use super::accessor::{Accessors, Allowed, Shape};
use super::error::{Checked, GltfErrorKind, at};
use super::model::Influences;
use crate::limits;

/// How weights that are NaN, infinite, negative, or all zero are read; the format does not define
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadWeights {
    /// The file is refused, with vertex and value.
    #[default]
    Refuse,
    /// Bad weights count as zero. A vertex left without any follows the first joint it names. A
    /// note says how many there were.
    Repair,
}

/// What happened to the weights of one mesh.
#[derive(Default)]
pub(super) struct Tally {
    repaired: usize,
    without: usize,
    uneven: usize,
    most_uneven: f64,
}

impl Tally {
    pub(super) fn tell(&self, place: &str, notes: &mut Vec<String>) {
        if self.repaired > 0 {
            notes.push(format!(
                "{place}: {} vertices have weights that are negative or no numbers; these count as zero, \
                 and {} vertices left without weights follow the first joint they name",
                self.repaired, self.without
            ));
        }
        if self.uneven > 0 {
            notes.push(format!(
                "{place}: the weights of {} vertices do not sum to 1 (the worst sum is {}); they are divided by their sum",
                self.uneven, self.most_uneven
            ));
        }
    }
}

/// Appends the influences of a primitive's vertices; at least one set.
pub(super) fn append(
    place: &str,
    sets: &[[usize; 2]],
    vertices: usize,
    accessors: &mut Accessors<'_>,
    bad: BadWeights,
    out: &mut Influences,
    tally: &mut Tally,
) -> Checked<()> {
    let mut columns = Vec::with_capacity(sets.len());
    for (set, accessor_pair) in sets.iter().enumerate() {
        let names = ["JOINTS", "WEIGHTS"].map(|name| format!("{place}.attributes.{name}_{set}"));
        for (place, &accessor) in names.iter().zip(accessor_pair) {
            let found = accessors.count(accessor, place)?;
            if found != vertices {
                let (found, wanted) = (found as u64, vertices as u64);
                return at(place, GltfErrorKind::Count { what: "elements", found, wanted });
            }
        }
        let joints = accessors.numbers(accessor_pair[0], Shape::Vec4, Allowed::Joints, &names[0])?;
        let weights = accessors.numbers(accessor_pair[1], Shape::Vec4, Allowed::Weights, &names[1])?;
        columns.push((joints, weights));
    }
    accessors.charge(place, vertices as u64, 4 + 12 * 4 * sets.len() as u64)?;
    let mut entries: Vec<(u32, f64)> = Vec::new();
    for vertex in 0..vertices {
        entries.clear();
        let mut is_bad = false;
        for (set, (joints, weights)) in columns.iter().enumerate() {
            for lane in 0..4 {
                let (joint, weight) = (joints[4 * vertex + lane] as u32, weights[4 * vertex + lane]);
                // Written so that NaN is bad too; weights beyond all use would overflow their sum.
                let usable = (0.0..=limits::MAX_WEIGHT).contains(&weight);
                if !usable && bad == BadWeights::Refuse {
                    let (influence, value) = (4 * set + lane, weight);
                    return at(
                        format!("{place}.attributes.WEIGHTS_{set}"),
                        GltfErrorKind::Weight { vertex, influence, value },
                    );
                }
                is_bad |= !usable;
                if usable && weight > 0.0 {
                    entries.push((joint, weight));
                }
            }
        }
        if entries.is_empty() {
            if bad == BadWeights::Refuse {
                return at(format!("{place}.attributes.WEIGHTS_0"), GltfErrorKind::WeightsZero { vertex });
            }
            is_bad = true;
            tally.without += 1;
            entries.push((columns[0].0[4 * vertex] as u32, 1.0));
        }
        tally.repaired += usize::from(is_bad);
        // A joint named twice has the sum of its weights, in every reading of the formula.
        entries.sort_by_key(|&(joint, _)| joint);
        entries.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        let sum: f64 = entries.iter().map(|&(_, weight)| weight).sum();
        if !is_bad && (sum - 1.0).abs() > limits::GLTF_UNIT_TOLERANCE {
            tally.uneven += 1;
            if (sum - 1.0).abs() > (tally.most_uneven - 1.0).abs() || tally.uneven == 1 {
                tally.most_uneven = sum;
            }
        }
        for &(joint, weight) in &entries {
            // Division may still round the smallest to nothing; a weight of nothing is no
            // influence.
            if weight / sum > 0.0 {
                out.joints.push(joint);
                out.weights.push(weight / sum);
            }
        }
        out.starts.push(out.joints.len() as u32);
    }
    Ok(())
}
