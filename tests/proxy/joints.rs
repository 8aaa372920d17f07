//! Joints of spheres, where the answer is known beforehand.

use kinetree::Sphere;
use kinetree::mesh::Mesh;
use kinetree::proxy::{Faults, ProxyError, Solid, joints_of_spheres, order_by_joints};

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

/// The bar's near end has 5 m² of surface, its far end 13 m²; 18 spheres lie in the far end,
/// deepest first, then 8 in the near one.
#[test]
fn limbs_get_spheres_by_their_area() {
    let bar = bar();
    let ends = |vertex: u32| match vertex / 4 {
        0 => [(1, 1.0), (0, 0.0)],
        1 => [(0, 0.2), (1, 0.3)],
        _ => [(0, 1.0), (1, 0.0)],
    };
    let at = |x: f64| Sphere { centre: [x, 0.5, 0.4], radius: 0.1 };
    let spheres: Vec<Sphere> =
        (0..18).map(|k| at(3.9 - 0.15 * f64::from(k))).chain((0..8).map(|k| at(0.1 + 0.1 * f64::from(k)))).collect();
    let order = order_by_joints(&bar, &spheres, 2, ends).unwrap();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..26), "{order:?}");
    // Of the first n as many are in the near end as 5 : 13 asks for, up to one.
    for n in 1..=18 {
        let near = order[..n].iter().filter(|&&number| number >= 18).count() as f64;
        assert!((near - n as f64 * 5.0 / 18.0).abs() <= 1.0, "{near} of {n}: {order:?}");
    }
    // Each end keeps its order.
    for far in [true, false] {
        assert!(order.iter().filter(|&&number| (number < 18) == far).is_sorted());
    }
    // Where one end has too few, the other gets the rest.
    let few = order_by_joints(&bar, &spheres[15..], 2, ends).unwrap();
    assert!(few.len() == 11 && few[6..].iter().all(|&number| number >= 3), "{few:?}");
    // What no joint moves comes last.
    let half = |vertex: u32| (vertex < 8).then_some((0, 1.0)).filter(|_| vertex < 4);
    let last = order_by_joints(&bar, &spheres, 1, half).unwrap();
    assert!(last[..8].iter().all(|&number| number >= 18) && last.len() == 26, "{last:?}");
    let missing = ProxyError::NoSuchJoint { vertex: 0, joint: 2, joints: 2 };
    assert_eq!(order_by_joints(&bar, &spheres, 2, |_| [(2, 1.0)]), Err(missing));
}
