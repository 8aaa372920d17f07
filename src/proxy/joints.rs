//! Binding of packed spheres to the joints of a skin, and a fair share of spheres for each joint.
//!
//! **Binding.** A sphere is bound to the joint that moves its part of the surface: the vertices to
//! whose surface it is nearest. Each counts with a third of the area of its triangles, so a finer
//! mesh does not count more. The joint with the largest sum of weights carries the sphere. A sphere
//! that is nearest to no vertex takes the corners of the triangle that is nearest to its centre.
//!
//! **Shares.** A packing takes the deepest point first. All spheres of a small number then lie in
//! the trunk, and hands and feet have none. Here each sphere belongs to the limb of its nearest
//! triangle, and spheres are taken limb by limb in proportion to the limb's area: next is the limb
//! with the largest `area / (2 · taken + 1)`, and its deepest sphere that is not taken (the
//! divisors of Webster and Sainte-Laguë). A longer list begins with the shorter one.

use super::error::ProxyError;
use super::packing::squared_distance;
use super::solid::Solid;
use crate::motion::Sphere;
use crate::threads;

/// The joint that moves the surface near each sphere. `weights` lists the joints of a vertex, below
/// `joints`, with their weights. Among equal sums the first joint is taken.
///
/// O(vertices · spheres + weights).
///
/// # Errors
/// A vertex that names a joint that does not exist or has a weight that is not a number; a sphere
/// near which no vertex has a positive weight.
pub fn joints_of_spheres<W: IntoIterator<Item = (u32, f64)>>(
    solid: &Solid,
    spheres: &[Sphere],
    joints: usize,
    weights: impl Fn(u32) -> W,
) -> Result<Vec<u32>, ProxyError> {
    let areas = areas(solid);
    let mut vertices: Vec<(u32, u32)> = Vec::new();
    vertices.extend((0..areas.len() as u32).filter(|&vertex| areas[vertex as usize] > 0.0).map(|vertex| (0, vertex)));
    threads::for_each(&mut vertices, |(sphere, vertex)| {
        *sphere = nearest(solid.points()[*vertex as usize].into(), spheres);
    });
    vertices.sort_unstable();
    let mut rest = &vertices[..];
    let mut sums = vec![0.0; joints];
    let mut bound = Vec::with_capacity(spheres.len());
    for (number, sphere) in spheres.iter().enumerate() {
        let count = rest.partition_point(|&(of, _)| of as usize == number);
        let (own, later) = rest.split_at(count);
        rest = later;
        sums.fill(0.0);
        for &(_, vertex) in own {
            add(&mut sums, vertex, areas[vertex as usize], weights(vertex))?;
        }
        if own.is_empty() {
            let triangle = solid.nearest_triangle(sphere.centre);
            for vertex in solid.triangles()[triangle as usize] {
                add(&mut sums, vertex, 1.0, weights(vertex))?;
            }
        }
        bound.push(largest(&sums).ok_or(ProxyError::Unbound { sphere: number })?);
    }
    Ok(bound)
}

/// The order in which spheres are taken so that the limbs of all joints get their share: the first
/// `n` numbers are the `n` spheres to take. `weights` lists the joints of a vertex, below `joints`,
/// with their weights.
///
/// The limb of a joint is the triangles at whose corners the joint has the largest sum of weights;
/// a sphere belongs to the limb of the triangle nearest to its centre. Within a limb the order of
/// the spheres is kept. Spheres of triangles that no joint moves come last.
///
/// O(triangles + spheres · (joints + log triangles)).
///
/// # Errors
/// A vertex that names a joint that does not exist or has a weight that is not a number.
pub fn order_by_joints<W: IntoIterator<Item = (u32, f64)>>(
    solid: &Solid,
    spheres: &[Sphere],
    joints: usize,
    weights: impl Fn(u32) -> W,
) -> Result<Vec<u32>, ProxyError> {
    // One more limb, without area, for what no joint moves.
    let (mut sums, mut areas) = (vec![0.0; joints], vec![0.0; joints + 1]);
    let mut limbs = Vec::with_capacity(solid.triangles().len());
    for corners in solid.triangles() {
        sums.fill(0.0);
        for &vertex in corners {
            add(&mut sums, vertex, 1.0, weights(vertex))?;
        }
        let limb = largest(&sums).map_or(joints, |joint| joint as usize);
        limbs.push(limb);
        areas[limb] += area(solid, *corners);
    }
    areas[joints] = 0.0;
    let mut nearest: Vec<(u32, [f64; 3])> = spheres.iter().map(|sphere| (0, sphere.centre)).collect();
    threads::for_each(&mut nearest, |(triangle, centre)| *triangle = solid.nearest_triangle(*centre));
    let mut of_limbs = vec![Vec::new(); joints + 1];
    for (number, (triangle, _)) in (0_u32..).zip(nearest) {
        of_limbs[limbs[triangle as usize]].push(number);
    }
    let mut taken = vec![0; joints + 1];
    let mut order = Vec::with_capacity(spheres.len());
    for _ in spheres {
        let share = |limb: usize| areas[limb] / (2 * taken[limb] + 1) as f64;
        let left = (0..=joints).filter(|&limb| taken[limb] < of_limbs[limb].len());
        let Some(next) = left.reduce(|best, limb| if share(limb) > share(best) { limb } else { best }) else { break };
        order.push(of_limbs[next][taken[next]]);
        taken[next] += 1;
    }
    Ok(order)
}

/// Adds the weights of a vertex, times `share`, to the sums of their joints.
pub(super) fn add(
    sums: &mut [f64],
    vertex: u32,
    share: f64,
    weights: impl IntoIterator<Item = (u32, f64)>,
) -> Result<(), ProxyError> {
    let joints = sums.len();
    for (joint, weight) in weights {
        let Some(sum) = sums.get_mut(joint as usize) else {
            return Err(ProxyError::NoSuchJoint { vertex, joint, joints });
        };
        if !weight.is_finite() {
            return Err(ProxyError::Number { what: "weight of vertex", index: vertex as usize, value: weight });
        }
        *sum += share * weight;
    }
    Ok(())
}

/// The first joint with the largest sum, if that is positive.
fn largest(sums: &[f64]) -> Option<u32> {
    let best = (1..sums.len()).fold(0, |best, joint| if sums[joint] > sums[best] { joint } else { best });
    (*sums.get(best)? > 0.0).then_some(best as u32)
}

/// The sphere whose surface is nearest to a point, or in which the point is deepest; the first of
/// equally near ones.
fn nearest(point: [f64; 3], spheres: &[Sphere]) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (number, sphere) in spheres.iter().enumerate() {
        let distance = squared_distance(point, sphere.centre).sqrt() - sphere.radius;
        if distance < best.0 {
            best = (distance, number as u32);
        }
    }
    best.1
}

/// Per vertex a third of the area of its triangles, square metres.
fn areas(solid: &Solid) -> Vec<f64> {
    let mut areas = vec![0.0; solid.vertex_count()];
    for corners in solid.triangles() {
        let share = area(solid, *corners) / 3.0;
        corners.iter().for_each(|&vertex| areas[vertex as usize] += share);
    }
    areas
}

/// Area of a triangle, square metres.
pub(super) fn area(solid: &Solid, corners: [u32; 3]) -> f64 {
    let [a, b, c] = corners.map(|vertex| solid.points()[vertex as usize]);
    (b - a).cross(&(c - a)).norm() / 2.0
}
