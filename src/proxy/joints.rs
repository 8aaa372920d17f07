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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::proxy::Faults;

    /// A bar from 0 to 4 m along x, cut at 1 m: 12 vertices, four at each of x = 0, 1 and 4.
    fn bar() -> Solid {
        let places = [0.0, 1.0, 4.0].map(|x| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[y, z]| [x, y, z]));
        let mut triangles = vec![[0, 2, 1], [0, 3, 2], [8, 9, 10], [8, 10, 11]];
        for ring in [0, 4] {
            for side in 0..4 {
                let (a, b) = (ring + side, ring + (side + 1) % 4);
                triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
            }
        }
        Solid::new(&Mesh::new(12, triangles).unwrap(), places.as_flattened(), Faults::Refuse).unwrap().0
    }

    #[test]
    fn spheres_follow_the_joint_of_their_surface() {
        let bar = bar();
        let ball = |x: f64, radius: f64| Sphere { centre: [x, 0.5, 0.5], radius };
        let spheres = [ball(0.5, 0.5), ball(3.5, 0.5), ball(2.9, 0.01)];
        // The far end follows joint 2; the ring at 1 m mostly joint 1, the near end a little
        // joint 0.
        let weights = |vertex: u32| match vertex / 4 {
            0 => vec![(0, 0.4), (1, 0.6)],
            1 => vec![(0, 0.3), (1, 0.7)],
            _ => vec![(2, 1.0)],
        };
        // No vertex is nearest to the last; its nearest triangle spans the rings at 1 m and 4 m.
        let bound = joints_of_spheres(&bar, &spheres, 3, weights).unwrap();
        assert_eq!(bound[..2], [1, 2]);
        assert!([1, 2].contains(&bound[2]));
        // Equal sums: the first.
        assert_eq!(joints_of_spheres(&bar, &spheres[..1], 2, |_| [(1, 0.5), (0, 0.5)]), Ok(vec![0]));
    }

    #[test]
    fn area_counts_and_not_the_number_of_vertices() {
        let bar = bar();
        let one = [Sphere { centre: [2.0, 0.5, 0.5], radius: 0.5 }];
        assert!((areas(&bar).iter().sum::<f64>() - 18.0).abs() < 1e-12);
        // The near end has four of eight vertices and the larger weights, but the smaller area: its
        // sides are 1 m long, those of the far end 3 m. The ring between them has no say.
        let ends = |vertex: u32| match vertex / 4 {
            0 => Some((0, 1.0)),
            1 => None,
            _ => Some((1, 0.75)),
        };
        assert_eq!(joints_of_spheres(&bar, &one, 2, ends), Ok(vec![1]));
    }

    #[test]
    fn weights_that_cannot_be_used() {
        let bar = bar();
        let one = [Sphere { centre: [2.0, 0.5, 0.5], radius: 0.5 }];
        let missing = ProxyError::NoSuchJoint { vertex: 0, joint: 2, joints: 2 };
        assert_eq!(joints_of_spheres(&bar, &one, 2, |_| [(2, 1.0)]), Err(missing));
        assert_eq!(joints_of_spheres(&bar, &one, 2, |_| [(1, 0.0)]), Err(ProxyError::Unbound { sphere: 0 }));
        assert_eq!(joints_of_spheres(&bar, &one, 0, |_| []), Err(ProxyError::Unbound { sphere: 0 }));
        assert!(joints_of_spheres(&bar, &one, 2, |_| [(1, f64::NAN)]).is_err());
    }
}
