//! Contacts at a frame: candidates of the interval, tested at one time.
//!
//! Positions are those that the host evaluates, in `f64`; the rule decides. The plain exact test
//! takes them as real numbers, a rule with a [blur](ContactRule::blur) may bound the corners
//! better.

use crate::narrow::batch::{Corners, Directions};
use crate::narrow::{ContactRule, TriangleFilter};

/// Tests triangles at a time; holds nothing from one time to the next.
#[derive(Clone, Debug)]
pub struct FrameContacts {
    faces: TriangleFilter<1, (u32, u32)>,
    tests: u64,
}

impl FrameContacts {
    /// For a rule.
    pub fn new(rule: &impl ContactRule) -> Self {
        Self {
            // Differences are rounded once, as the batch pays for; the least blur is for those that
            // underflow. Corners and their origin may be off.
            faces: TriangleFilter::new(
                rule.distance(),
                2.0 * rule.blur() + f64::from(f32::MIN_POSITIVE),
                Directions::Faces,
            ),
            tests: 0,
        }
    }

    /// Names all candidates that are in contact by the rule where `corners` says that triangles
    /// are, by body (0 or 1) and number; in the order of the candidates. Candidates are those of an
    /// interval that holds the time. O(candidates), and an exact test for each that is not clearly
    /// apart.
    pub fn touching(
        &mut self,
        pairs: impl Iterator<Item = (u32, u32)>,
        mut corners: impl FnMut(usize, u32) -> [[f64; 3]; 3],
        rule: &impl ContactRule,
        mut found: impl FnMut(u32, u32),
    ) {
        let Self { faces, tests } = self;
        for (a, b) in pairs {
            let (corners_a, corners_b) = (corners(0, a), corners(1, b));
            let origin = corners_a[0];
            let (first, second) = (relative(&corners_a, &origin), relative(&corners_b, &origin));
            faces.push((a, b), &first, &second, |pair| test(pair, &mut corners, rule, tests, &mut found));
        }
        faces.flush(|pair| test(pair, &mut corners, rule, tests, &mut found));
    }

    /// Exact tests made.
    pub fn tests(&self) -> u64 {
        self.tests
    }
}

/// The exact test of two triangles.
fn test(
    (a, b): (u32, u32),
    corners: &mut impl FnMut(usize, u32) -> [[f64; 3]; 3],
    rule: &impl ContactRule,
    tests: &mut u64,
    found: &mut impl FnMut(u32, u32),
) {
    *tests += 1;
    if rule.touch((a, &corners(0, a)), (b, &corners(1, b))) {
        found(a, b);
    }
}

/// Differences from an origin, rounded: however far away from 0 triangles are, near ones are
/// distinguished.
#[cfg_attr(not(debug_assertions), inline(always))]
fn relative(corners: &[[f64; 3]; 3], origin: &[f64; 3]) -> Corners<1> {
    let mut narrow = [[[0.0; 3]; 3]];
    for (narrow, corner) in narrow[0].iter_mut().zip(corners) {
        for axis in 0..3 {
            narrow[axis] = (corner[axis] - origin[axis]) as f32;
        }
    }
    narrow
}
