//! Joints of spheres, where the answer is known beforehand.

use kinetree::Sphere;
use kinetree::mesh::Mesh;
use kinetree::proxy::{Faults, ProxyError, Solid, joints_of_spheres};

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
