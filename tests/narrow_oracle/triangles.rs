//! `triangles_touch` against the oracle.

use std::collections::BTreeMap;

use kinetree::narrow::{ray_hits_triangle, triangles_touch};
use num_rational::Ratio;

use crate::oracle::{oracle, share_a_point};
use crate::samples::{Random, class, grid_pair, scaled};
use crate::{Point, Triangle};

fn orders(t: &Triangle) -> [Triangle; 6] {
    let [p, q, r] = *t;
    [[p, q, r], [q, r, p], [r, p, q], [q, p, r], [p, r, q], [r, q, p]]
}

fn assert_symmetric(a: &Triangle, b: &Triangle, touch: bool) {
    for (a, b) in orders(a).iter().flat_map(|a| orders(b).map(|b| (*a, b))) {
        assert_eq!(triangles_touch(&a, &b), touch, "{a:?} {b:?}");
        assert_eq!(triangles_touch(&b, &a), touch, "{b:?} {a:?}");
    }
}

#[test]
fn grid_pairs_of_every_class_agree_with_the_oracle() {
    let mut random = Random::new(1);
    let mut counts = BTreeMap::new();
    for case in 0..40_000 {
        let [a, b] = grid_pair(&mut random);
        let [left, right] = [a, b].map(|t| t.map(|p| p.map(Ratio::<i64>::from_integer)));
        let touch = share_a_point(&left, &right);
        *counts.entry((class(a, b), touch)).or_insert(0) += 1;
        // Scaling and moving are exact here, so they must not change the answer.
        for (power, shift) in [(0, [0; 3]), (-140, [0; 3]), (-200, [-2; 3]), (100, [1; 3]), (77, [1 << 50, -1, 3])] {
            let (a, b) = (scaled(a, 2.0_f64.powi(power), shift), scaled(b, 2.0_f64.powi(power), shift));
            assert_eq!(triangles_touch(&a, &b), touch, "{a:?} {b:?}");
            if power == 0 && case % 16 == 0 {
                assert_symmetric(&a, &b, touch);
            }
        }
    }
    // Point, segment, triangle against each other, in every span they can have, hit and miss where both exist.
    assert_eq!(counts.len(), 23, "{counts:?}");
    for (class, count) in &counts {
        assert!(*count >= 200, "{class:?} occurs {count} times only: {counts:?}");
    }
}

#[test]
fn random_pairs_agree_with_the_oracle() {
    let mut random = Random::new(2);
    let mut touching = 0;
    for case in 0..600 {
        let (a, b) = (random.triangle(), random.triangle());
        let touch = oracle(&a, &b);
        touching += usize::from(touch);
        for power in [0, -140, 100] {
            let [a, b] = [a, b].map(|t| t.map(|p| p.map(|x| x * 2.0_f64.powi(power))));
            assert_eq!(triangles_touch(&a, &b), touch, "{a:?} {b:?}");
        }
        if case % 8 == 0 {
            assert_symmetric(&a, &b, touch);
        }
    }
    assert!((60..540).contains(&touching), "{touching}");
}

/// Second triangle within or just touching the plane of the first, exactly or by rounding, then moved by single units
/// in the last place.
#[test]
fn pairs_within_rounding_of_contact_agree_with_the_oracle() {
    let mut random = Random::new(3);
    let mut counts = BTreeMap::new();
    for case in 0..1_800 {
        let (dyadic, vertex_only, nudges) = (case % 2 == 0, case % 3 == 0, case / 2 % 4);
        let rounded = |x: f64| if dyadic { (x * 1024.0).round() / 1024.0 } else { x };
        let mut a = random.triangle().map(|p| p.map(rounded));
        let mut b: Triangle = std::array::from_fn(|_| {
            let (mut s, mut t) = (rounded(random.symmetric()), rounded(random.symmetric()));
            if vertex_only {
                (s, t) = (s.abs() / 2.0, t.abs() / 2.0);
            }
            std::array::from_fn(|k| a[0][k] + s * (a[1][k] - a[0][k]) + t * (a[2][k] - a[0][k]))
        });
        if vertex_only {
            let lift = random.triangle()[0];
            b[1] = std::array::from_fn(|k| b[0][k] + lift[k]);
            b[2] = std::array::from_fn(|k| b[0][k] + 2.0 * lift[k] + 0.125);
        }
        for _ in 0..nudges {
            let t = if random.below(2) == 0 { &mut a } else { &mut b };
            let x = &mut t[random.below(3) as usize][random.below(3) as usize];
            *x = if random.below(2) == 0 { x.next_up() } else { x.next_down() };
            // A zero would step to a subnormal, far outside the range.
            *x = if x.abs() < 1e-300 { 0.0 } else { *x };
        }
        let touch = oracle(&a, &b);
        *counts.entry((dyadic, vertex_only, nudges > 0, touch)).or_insert(0) += 1;
        for power in [0, -140, 100] {
            let [a, b] = [a, b].map(|t| t.map(|p| p.map(|x| x * 2.0_f64.powi(power))));
            assert_eq!(triangles_touch(&a, &b), touch, "{a:?} {b:?}");
        }
        if case % 50 == 0 {
            assert_symmetric(&a, &b, touch);
        }
    }
    // Only an exactly placed vertex that nobody moved always touches.
    assert_eq!(counts.len(), 15, "{counts:?}");
    assert!(counts.values().all(|&count| count >= 20), "{counts:?}");
}

/// Coordinates of very different magnitudes, so that differences are not representable and every stage of the
/// predicates is reached.
#[test]
fn pairs_with_mixed_magnitudes_agree_with_the_oracle() {
    let mut random = Random::new(4);
    let mut touching = 0;
    for case in 0..2_400 {
        let (small, large) = if case % 2 == 0 { (-45, 40) } else { (-200, 127) };
        let [a, b] = grid_pair(&mut random).map(|t| {
            t.map(|p| {
                p.map(|x| match random.below(12) {
                    0 => 2.0_f64.powi(small),
                    1 => x as f64 + 2.0_f64.powi(-45),
                    2 if case % 5 == 0 => x as f64 * 2.0_f64.powi(large),
                    _ => x as f64,
                })
            })
        });
        let touch = oracle(&a, &b);
        touching += usize::from(touch);
        assert_eq!(triangles_touch(&a, &b), touch, "{a:?} {b:?}");
        if case % 50 == 0 {
            assert_symmetric(&a, &b, touch);
        }
    }
    assert!((200..2_200).contains(&touching), "{touching}");
}

/// What is not a number, not finite or out of range has no answer, but must not panic.
#[test]
fn bad_coordinates_do_not_panic() {
    let mut random = Random::new(10);
    let bad = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1e300, 1e-200];
    for _ in 0..20_000 {
        let [a, b] = grid_pair(&mut random).map(|t| {
            scaled(t, 1.0, [0; 3])
                .map(|p| p.map(|x| if random.below(6) == 0 { bad[random.below(8) as usize] } else { x }))
        });
        let _ = triangles_touch(&a, &b);
        let _ = ray_hits_triangle(b[0], b[1], f64::INFINITY, &a);
    }
}

#[test]
fn hand_written_pairs() {
    let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let up = |z: f64| floor.map(|[x, y, _]| [x, y, z]);
    let rod = |p: Point, q: Point| [p, q, p];
    let cases = [
        ("vertex on face", [[1.0, 1.0, 0.0], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0]], true),
        ("vertex just above face", [[1.0, 1.0, 1e-40], [1.0, 2.0, 3.0], [2.0, 1.0, 3.0]], false),
        ("vertex on edge", [[2.0, 2.0, 0.0], [3.0, 3.0, 1.0], [3.0, 3.0, -1.0]], true),
        ("edge crosses edge", [[2.0, 0.0, -1.0], [2.0, 0.0, 1.0], [2.0, -3.0, 0.0]], true),
        ("edge passes edge", [[2.0, -1e-40, -1.0], [2.0, -1e-40, 1.0], [2.0, -3.0, 0.0]], false),
        ("through the face", [[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 0.5]], true),
        ("pierces beside the face", [[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [9.0, 9.0, 0.5]], false),
        ("shared edge", [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [1.0, -2.0, 3.0]], true),
        ("shared vertex", [[0.0, 4.0, 0.0], [-1.0, 5.0, 1.0], [-2.0, 6.0, -1.0]], true),
        ("same triangle", floor, true),
        ("coplanar overlap", [[1.0, 1.0, 0.0], [9.0, 1.0, 0.0], [9.0, 9.0, 0.0]], true),
        ("coplanar inside", [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.0]], true),
        ("coplanar around", [[-9.0, -9.0, 0.0], [30.0, -9.0, 0.0], [-9.0, 30.0, 0.0]], true),
        ("coplanar vertex to edge", [[2.0, 2.0, 0.0], [4.0, 3.0, 0.0], [3.0, 4.0, 0.0]], true),
        ("coplanar vertex to vertex", [[4.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, -1.0, 0.0]], true),
        ("coplanar apart", [[2.0, 2.0 + 1e-15, 0.0], [4.0, 3.0, 0.0], [3.0, 4.0, 0.0]], false),
        ("parallel planes", up(1e-40), false),
        ("segment through face", rod([1.0, 1.0, -1.0], [1.0, 1.0, 1.0]), true),
        ("segment beside face", rod([3.0, 3.0, -1.0], [3.0, 3.0, 1.0]), false),
        ("segment short of face", rod([1.0, 1.0, 2.0], [1.0, 1.0, 1.0]), false),
        ("segment ends on face", rod([1.0, 1.0, 0.0], [1.0, 1.0, 1.0]), true),
        ("segment through vertex", rod([4.0, 0.0, -1.0], [4.0, 0.0, 1.0]), true),
        ("segment within face", rod([1.0, 1.0, 0.0], [1.0, 2.0, 0.0]), true),
        ("segment along edge", rod([1.0, 3.0, 0.0], [3.0, 1.0, 0.0]), true),
        ("segment in plane, apart", rod([4.0, 1.0, 0.0], [1.0, 4.0, 0.0]), false),
        ("point in face", [[1.0, 1.0, 0.0]; 3], true),
        ("point on edge", [[2.0, 2.0, 0.0]; 3], true),
        ("point on vertex", [[0.0, 4.0, 0.0]; 3], true),
        ("point in plane, outside", [[3.0, 3.0, 0.0]; 3], false),
        ("point above face", [[1.0, 1.0, 1e-40]; 3], false),
    ];
    let diagonal = rod([0.0, 0.0, 0.0], [3.0, 6.0, 9.0]);
    let rods = [
        ("point in segment", [[1.0, 2.0, 3.0]; 3], true),
        ("point at end", [[3.0, 6.0, 9.0]; 3], true),
        ("point beyond end", [[4.0, 8.0, 12.0]; 3], false),
        ("point beside segment", [[1.0, 2.0, 3.0 + 1e-15]; 3], false),
        ("collinear overlap", rod([2.0, 4.0, 6.0], [5.0, 10.0, 15.0]), true),
        ("collinear end to end", rod([3.0, 6.0, 9.0], [5.0, 10.0, 15.0]), true),
        ("collinear apart", rod([4.0, 8.0, 12.0], [5.0, 10.0, 15.0]), false),
        ("parallel", rod([0.0, 0.0, 1.0], [3.0, 6.0, 10.0]), false),
        ("crossing", rod([0.0, 2.0, 3.0], [2.0, 2.0, 3.0]), true),
        ("skew", rod([0.0, 2.0, 3.5], [2.0, 2.0, 3.5]), false),
        ("coplanar, end on segment", rod([1.0, 2.0, 3.0], [1.0, 5.0, 3.0]), true),
        ("coplanar, short of segment", rod([0.5, 2.0, 3.0], [0.0, 2.0, 3.0]), false),
    ];
    let points = [
        ("equal points", [[0.0; 3]; 3], true),
        ("negative zero", [[-0.0; 3]; 3], true),
        ("other point", [[0.0, 0.0, 1e-40]; 3], false),
    ];
    let groups = [(floor, cases.as_slice()), (diagonal, &rods), ([[0.0; 3]; 3], &points)];
    for (first, (name, second, touch)) in groups.iter().flat_map(|(t, list)| list.iter().map(move |case| (t, case))) {
        assert_eq!(oracle(first, second), *touch, "oracle: {name}");
        assert_eq!(triangles_touch(first, second), *touch, "{name}");
        assert_symmetric(first, second, *touch);
    }
}
