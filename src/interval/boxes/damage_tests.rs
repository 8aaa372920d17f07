//! The audit of boxes of a reduced body names what is wrong with them: a point, the box of a leaf,
//! the box of an inner node, at either end.

use std::sync::Arc;

use super::IntervalBoxes;
use crate::bvh::{BuildParams, KeyedBoxes, Topology};
use crate::limits;
use crate::math::Aabb;
use crate::math::vector::widened;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion, Outside, Sampler};
use crate::time::{Moment, Side};

/// Four triangles in a row that slide by 1 m.
#[derive(Debug)]
struct Row(Vec<[f32; 3]>);

impl Sampler for Row {
    fn vertex_count(&self) -> usize {
        self.0.len()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.0
    }

    fn times(&self) -> &[f64] {
        &[0.0, 1.0]
    }

    fn jumps(&self) -> &[bool] {
        &[false, false]
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        16.0
    }

    fn largest_speed(&self) -> f64 {
        1.0
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        let [x, y, z] = self.0[vertex as usize].map(f64::from);
        [x + key as f64, y, z]
    }
}

/// Blends nothing, so that positions are those of the sampler.
#[derive(Debug)]
struct Unblended(Topology);

impl KeyedBoxes for Unblended {
    fn topology(&self) -> &Topology {
        &self.0
    }

    fn key_box(&self, _: usize, _: Side, _: u32) -> Aabb {
        Aabb::EMPTY
    }

    fn bytes(&self) -> usize {
        0
    }
}

#[test]
fn points_and_boxes_that_are_wrong_are_named() {
    let rest: Vec<[f32; 3]> = (0..12).map(|v| [2.0 * (v / 3) as f32, (v % 3 % 2) as f32, (v % 3 / 2) as f32]).collect();
    let mesh = Mesh::new(12, (0..4).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let wide = widened(&rest);
    let tree = Topology::build(&mesh, &wide, BuildParams { leaf_size: 1, ..BuildParams::default() });
    let motion = Motion::new(Flightplan::sampled(Arc::new(Row(rest))), 12, KeyLayout::KeyMajor).unwrap();
    let mut boxes = IntervalBoxes::unplaced(tree.clone()).unwrap();
    assert_eq!(boxes.follow_bounded(&motion, &Unblended(tree), Moment::at(0.5)), Ok(true));
    assert!(boxes.audit_bounded(&motion).is_clean());
    let (inner, leaves) = (boxes.layout.inner_count(), boxes.layout.leaf_count());
    assert_eq!((inner, leaves), (3, 4));
    let faults = |wrong: &IntervalBoxes| {
        let faults = wrong.audit_bounded(&motion).faults;
        faults.into_iter().map(|fault| fault.0).collect::<Vec<_>>().join("\n")
    };
    for end in 0..2 {
        let damaged = |place: usize, lane: usize, is_point: bool| {
            let mut wrong = boxes.clone();
            let end = Arc::make_mut(if end == 0 { &mut wrong.before } else { &mut wrong.after });
            // Lower sides go up, and upper ones down.
            let number = if is_point { &mut end.points[place][lane] } else { &mut end.boxes[place][lane] };
            *number += 100.0;
            faults(&wrong)
        };
        for lane in [0, 1, 2, 4, 5, 6] {
            for leaf in 0..leaves {
                let found = damaged(inner + leaf, lane, false);
                assert!(found.contains(&format!("leaf {leaf} does not hold its points")), "{end} {lane}: {found}");
            }
            for place in 0..inner {
                let found = damaged(place, lane, false);
                assert!(found.contains(&format!("place {place} does not hold its children")), "{end} {lane}: {found}");
            }
        }
        for point in 0..12 {
            let found = damaged(point, point % 3, true);
            assert!(found.contains(" is not within "), "{end}, point {point}: {found}");
        }
    }
}

/// The motion is rounded as its largest coordinate is, of which the points say less.
#[test]
fn the_coordinate_of_a_reduced_body_is_that_of_its_motion() {
    let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let tree = Topology::build(&mesh, &widened(&rest), BuildParams::default());
    let motion = Motion::new(Flightplan::sampled(Arc::new(Row(rest))), 3, KeyLayout::KeyMajor).unwrap();
    let mut boxes = IntervalBoxes::unplaced(tree.clone()).unwrap();
    for time in [0.5, 2.0] {
        assert_eq!(boxes.follow_bounded(&motion, &Unblended(tree.clone()), Moment::at(time)), Ok(true));
        let slack = motion.slack(Moment::at(time));
        assert!(limits::ROUNDING * boxes.coordinate() >= slack && slack > limits::ROUNDING * 8.0, "at {time}");
    }
}

/// The slack of boxes is a part of it.
#[test]
fn the_largest_coordinate_is_that_of_all_points_and_axes() {
    let points = [[1.0, -3.0, 2.0, 0.0], [0.5, 0.0, 2.5, 0.0]];
    assert_eq!(super::ahead::largest_coordinate(&points), 3.0);
    assert_eq!(super::ahead::largest_coordinate(&points[1..]), 2.5);
    assert_eq!(super::ahead::largest_coordinate(&[]), 0.0);
}
