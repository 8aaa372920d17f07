//! Binding of packed spheres to the joints of a skin: each sphere to the joint that moves its part
//! of the surface.
//!
//! The part of a sphere is the vertices to whose surface it is nearest. Each counts with a third of
//! the area of its triangles, so a finer mesh does not count more. The joint with the largest sum
//! of weights carries the sphere. A sphere that is nearest to no vertex takes the corners of the
//! triangle that is nearest to its centre.

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
        let mut add = |vertex: u32, share: f64| {
            for (joint, weight) in weights(vertex) {
                let Some(sum) = sums.get_mut(joint as usize) else {
                    return Err(ProxyError::NoSuchJoint { vertex, joint, joints });
                };
                if !weight.is_finite() {
                    return Err(ProxyError::Number { what: "weight of vertex", index: vertex as usize, value: weight });
                }
                *sum += share * weight;
            }
            Ok(())
        };
        for &(_, vertex) in own {
            add(vertex, areas[vertex as usize])?;
        }
        if own.is_empty() {
            let triangle = solid.nearest_triangle(sphere.centre);
            for vertex in solid.triangles()[triangle as usize] {
                add(vertex, 1.0)?;
            }
        }
        let best = (1..joints).fold(0, |best, joint| if sums[joint] > sums[best] { joint } else { best });
        if !sums.get(best).is_some_and(|&sum| sum > 0.0) {
            return Err(ProxyError::Unbound { sphere: number });
        }
        bound.push(best as u32);
    }
    Ok(bound)
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
        let [a, b, c] = corners.map(|vertex| solid.points()[vertex as usize]);
        let share = (b - a).cross(&(c - a)).norm() / 6.0;
        corners.iter().for_each(|&vertex| areas[vertex as usize] += share);
    }
    areas
}
