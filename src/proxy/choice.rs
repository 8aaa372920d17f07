//! Choice of spheres, and of the joints that carry them, over poses.
//!
//! A packing knows the rest pose only: where limbs bend, the surface leaves the spheres that were
//! deepest, and a sphere between two joints may follow the wrong one. Here spheres are chosen from
//! a packing, one by one, for all poses together. Each is a *candidate* with every joint that has a
//! part in the surface near it.
//!
//! | maintains | per pose and sample of the surface, the distance to the chosen spheres: its gap |
//! |---|---|
//! | cost | the sum of all squared gaps, and for each sphere its protrusion beyond the surface of each pose, squared, times the samples that its great circle would cover |
//! | next | the candidate that lowers the cost most, the first of equal ones |
//!
//! Gains only shrink while spheres are added, so a gain that was computed earlier is an upper
//! bound: only candidates at the head of the queue are computed again (Minoux 1978). The sum is at
//! least 1 − 1/e of what is possible in the parts that are gaps (Nemhauser, Wolsey and Fisher
//! 1978). A longer choice begins with the shorter one.
//!
//! Samples are spread evenly over the area at rest, and stay on their triangles in all poses.
//!
//! Cost: O(candidates · poses · samples), shared by threads, and as much per sphere for the
//! candidates that are computed again.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::error::ProxyError;
use super::joints::{add, area};
use super::packing::squared_distance;
use super::solid::Solid;
use crate::motion::Sphere;
use crate::{threads, tuning};

/// A sphere and the joint that carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct JointChoice {
    /// The number of the sphere among those given.
    pub sphere: u32,
    /// Its joint.
    pub joint: u32,
}

/// Chooses up to `count` of the given spheres, each with a joint, so that gaps and protrusions are
/// small in all poses together. The first `n` are what is chosen with a count of `n`.
///
/// `poses` are the surface in all poses, the rest pose first, of the same triangles. `spheres` lie
/// in the rest pose, metres. `weights` lists the joints of a vertex, below `joints`, with their
/// weights. `carry` takes a pose (0 for rest), a joint and a sphere, and returns where the joint
/// carries the sphere; `None` for a joint that cannot carry any. A sphere can be chosen twice, with
/// two joints.
///
/// # Errors
/// Poses of other triangles; a vertex that names a joint that does not exist or has a weight that
/// is not a number; a carried sphere that is not finite; a sphere that no joint can carry.
pub fn choose_over_poses<W: IntoIterator<Item = (u32, f64)>>(
    poses: &[Solid],
    spheres: &[Sphere],
    joints: usize,
    weights: impl Fn(u32) -> W,
    carry: impl Fn(usize, u32, Sphere) -> Option<Sphere> + Send + Sync,
    count: usize,
) -> Result<Vec<JointChoice>, ProxyError> {
    let Some((rest, examples)) = poses.split_first() else { return Ok(Vec::new()) };
    for (example, pose) in examples.iter().zip(1..) {
        let (wanted, found) = (rest.triangles(), example.triangles());
        if let Some(triangle) = (0..wanted.len().max(found.len())).find(|&at| wanted.get(at) != found.get(at)) {
            return Err(ProxyError::PoseTriangles { pose, triangle });
        }
    }
    let samples = Samples::new(rest, tuning::CHOICE_SAMPLES);
    let of_spheres = joints_near(rest, &samples, spheres, joints, &weights)?;
    let places: Vec<Vec<[f64; 3]>> = poses.iter().map(|pose| samples.at(pose)).collect();
    let mut candidates = Vec::new();
    for (number, joints) in (0_u32..).zip(&of_spheres) {
        let sphere = spheres[number as usize];
        let before = candidates.len();
        for &joint in joints {
            let carried: Option<Vec<Sphere>> = (0..poses.len()).map(|pose| carry(pose, joint, sphere)).collect();
            let Some(carried) = carried else { continue };
            let numbers = carried.iter().flat_map(|sphere| sphere.centre.into_iter().chain([sphere.radius]));
            if let Some(value) = numbers.into_iter().find(|value| !value.is_finite()) {
                return Err(ProxyError::Number { what: "carried sphere", index: number as usize, value });
            }
            candidates.push(Candidate {
                choice: JointChoice { sphere: number, joint },
                carried,
                penalty: 0.0,
                gain: 0.0,
            });
        }
        if candidates.len() == before {
            return Err(ProxyError::Unbound { sphere: number as usize });
        }
    }
    let bounds = rest.bounds();
    // Larger than any gap within the body at rest.
    let far = squared_distance(bounds.min, bounds.max);
    let mut gaps: Vec<Vec<f64>> = places.iter().map(|places| vec![far; places.len()]).collect();
    threads::for_each(&mut candidates, |candidate| {
        candidate.penalty = candidate.protrusion(poses, samples.whole, samples.all.len());
        candidate.gain = candidate.gain(&places, &gaps);
    });
    let mut queue: BinaryHeap<Entry> =
        candidates.iter().enumerate().map(|(number, candidate)| Entry::new(candidate.gain, number)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < count
        && let Some(Entry { number: Reverse(number), .. }) = queue.pop()
    {
        let candidate = &candidates[number];
        let now = Entry::new(candidate.gain(&places, &gaps), number);
        if queue.peek().is_some_and(|next| *next > now) {
            queue.push(now);
            continue;
        }
        chosen.push(candidate.choice);
        candidate.take(&places, &mut gaps);
    }
    Ok(chosen)
}

/// A sphere with a joint.
struct Candidate {
    choice: JointChoice,
    /// The sphere in every pose.
    carried: Vec<Sphere>,
    /// What its protrusions cost.
    penalty: f64,
    /// By how much it lowers the cost of a body without spheres.
    gain: f64,
}

/// Squared distance of a point from a sphere, square metres; 0 inside.
fn squared_gap(sphere: &Sphere, place: [f64; 3]) -> f64 {
    let gap = (squared_distance(sphere.centre, place).sqrt() - sphere.radius).max(0.0);
    gap * gap
}

impl Candidate {
    fn gain(&self, places: &[Vec<[f64; 3]>], gaps: &[Vec<f64>]) -> f64 {
        let mut sum = 0.0;
        for ((sphere, places), gaps) in self.carried.iter().zip(places).zip(gaps) {
            for (place, gap) in places.iter().zip(gaps) {
                sum += (gap - squared_gap(sphere, *place)).max(0.0);
            }
        }
        sum - self.penalty
    }

    fn take(&self, places: &[Vec<[f64; 3]>], gaps: &mut [Vec<f64>]) {
        for ((sphere, places), gaps) in self.carried.iter().zip(places).zip(gaps) {
            for (place, gap) in places.iter().zip(gaps) {
                *gap = gap.min(squared_gap(sphere, *place));
            }
        }
    }

    /// Squared protrusions in all poses, times the samples on an area of the size of the sphere's
    /// great circle.
    fn protrusion(&self, poses: &[Solid], area: f64, samples: usize) -> f64 {
        let mut sum = 0.0;
        for (sphere, pose) in self.carried.iter().zip(poses) {
            let beyond = pose.protrusion(sphere).max(0.0);
            let share = (core::f64::consts::PI * sphere.radius * sphere.radius / area).min(1.0);
            sum += beyond * beyond * share * samples as f64;
        }
        sum
    }
}

/// A candidate in the queue: the largest gain first, of equal ones the first candidate.
#[derive(Clone, Copy, PartialEq)]
struct Entry {
    gain: f64,
    number: Reverse<usize>,
}

impl Entry {
    fn new(gain: f64, number: usize) -> Self {
        Self { gain, number: Reverse(number) }
    }
}

impl Eq for Entry {}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.gain.total_cmp(&other.gain).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Points of a surface by their triangles and shares of the corners.
struct Samples {
    all: Vec<(u32, [f64; 3])>,
    /// Area of the surface, square metres; at least the smallest positive number.
    whole: f64,
}

impl Samples {
    /// Each stands for an equal part of the area at rest.
    fn new(rest: &Solid, count: usize) -> Self {
        let areas: Vec<f64> = rest.triangles().iter().map(|corners| area(rest, *corners)).collect();
        let whole: f64 = areas.iter().sum();
        // Two sequences of low discrepancy (Roberts 2018): powers of the inverse of the root of
        // x³ = x + 1.
        let root = 1.324_717_957_244_746;
        let steps = [1.0 / root, 1.0 / (root * root)];
        let mut all = Vec::with_capacity(count);
        let (mut triangle, mut before) = (0, 0.0);
        for number in 0..count {
            let wanted = whole * (number as f64 + 0.5) / count as f64;
            while triangle + 1 < areas.len() && before + areas[triangle] < wanted {
                before += areas[triangle];
                triangle += 1;
            }
            let [u, v] = steps.map(|step| (0.5 + step * number as f64).fract());
            // A square, folded to a triangle.
            let [u, v] = if u + v > 1.0 { [1.0 - u, 1.0 - v] } else { [u, v] };
            all.push((triangle as u32, [1.0 - u - v, u, v]));
        }
        Self { all, whole: whole.max(f64::MIN_POSITIVE) }
    }

    /// Their places in a pose, metres.
    fn at(&self, pose: &Solid) -> Vec<[f64; 3]> {
        let place = |(triangle, shares): &(u32, [f64; 3])| {
            let corners = pose.triangles()[*triangle as usize].map(|vertex| pose.points()[vertex as usize]);
            (corners[0] * shares[0] + corners[1] * shares[1] + corners[2] * shares[2]).into()
        };
        self.all.iter().map(place).collect()
    }
}

/// Per sphere the joints that have a part in the surface near it, the largest part first: at least
/// `tuning::CHOICE_SHARE` of the whole, and no more than `tuning::CHOICE_JOINTS`.
fn joints_near<W: IntoIterator<Item = (u32, f64)>>(
    rest: &Solid,
    samples: &Samples,
    spheres: &[Sphere],
    joints: usize,
    weights: &impl Fn(u32) -> W,
) -> Result<Vec<Vec<u32>>, ProxyError> {
    let places = samples.at(rest);
    // Per sphere the triangle at its centre, and those of the samples near it.
    let mut near: Vec<(Sphere, Vec<u32>)> = spheres.iter().map(|sphere| (*sphere, Vec::new())).collect();
    threads::for_each(&mut near, |(sphere, triangles)| {
        triangles.push(rest.nearest_triangle(sphere.centre));
        let reach = (1.0 + tuning::CHOICE_REACH) * sphere.radius;
        let is_near = |place: &[f64; 3]| squared_distance(*place, sphere.centre) <= reach * reach;
        let of_samples = places.iter().zip(&samples.all).filter(|(place, _)| is_near(place));
        triangles.extend(of_samples.map(|(_, (triangle, _))| *triangle));
    });
    let mut sums = vec![0.0; joints];
    let mut found = Vec::with_capacity(spheres.len());
    for (number, (_, triangles)) in near.iter().enumerate() {
        sums.fill(0.0);
        for &triangle in triangles {
            for vertex in rest.triangles()[triangle as usize] {
                add(&mut sums, vertex, 1.0, weights(vertex))?;
            }
        }
        let whole: f64 = sums.iter().sum();
        let mut own: Vec<u32> = (0..joints as u32)
            .filter(|&joint| sums[joint as usize] > 0.0 && sums[joint as usize] >= tuning::CHOICE_SHARE * whole)
            .collect();
        own.sort_by(|&a, &b| sums[b as usize].total_cmp(&sums[a as usize]).then(a.cmp(&b)));
        own.truncate(tuning::CHOICE_JOINTS);
        if own.is_empty() {
            return Err(ProxyError::Unbound { sphere: number });
        }
        found.push(own);
    }
    Ok(found)
}
