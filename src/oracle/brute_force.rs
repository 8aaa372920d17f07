//! Brute force: every triangle against every triangle.

use super::Shape;
use crate::math::Aabb;
use crate::narrow::ContactRule;

/// Reports every pair of triangles in contact by a rule, by triangle of `a`, then of `b`. Returns
/// the number of exact tests.
///
/// O(triangles × triangles) box tests.
pub fn touching_by_brute_force(
    a: Shape<'_>,
    b: Shape<'_>,
    rule: &impl ContactRule,
    found: &mut impl FnMut(u32, u32),
) -> u64 {
    touching_by_brute_force_in((a, b), rule, &mut Vec::new(), found)
}

/// As [`touching_by_brute_force`], with room for the boxes of the second shape.
pub(crate) fn touching_by_brute_force_in(
    (a, b): (Shape<'_>, Shape<'_>),
    rule: &impl ContactRule,
    boxes_b: &mut Vec<Aabb>,
    found: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    boxes_b.clear();
    boxes_b.extend((0..b.triangles.len() as u32).map(|triangle| Aabb::of_points(&b.corners(triangle))));
    for triangle_a in 0..a.triangles.len() as u32 {
        let corners_a = a.corners(triangle_a);
        let box_a = Aabb::of_points(&corners_a).grown(rule.box_distance());
        for (triangle_b, box_b) in boxes_b.iter().enumerate() {
            if box_a.overlaps(box_b) && rule.wants(triangle_a, triangle_b as u32) {
                tests += 1;
                if rule.touch((triangle_a, &corners_a), (triangle_b as u32, &b.corners(triangle_b as u32))) {
                    found(triangle_a, triangle_b as u32);
                }
            }
        }
    }
    tests
}
