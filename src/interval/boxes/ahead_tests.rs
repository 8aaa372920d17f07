//! Where the next interval ends.

use super::IntervalBoxes;
use crate::bvh::{BuildParams, Hierarchy, Topology};
use crate::interval::Prepared;
use crate::math::vector::widened;
use crate::mesh::Mesh;
use crate::motion::{Flightplan, KeyLayout, Motion, Outside};
use crate::time::Moment;

/// A time that has passed by then sets no end; the next interval would have no length.
#[test]
fn the_next_interval_ends_at_a_time_to_come_or_with_its_stretch() {
    let key = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let tree = Topology::build(&mesh, &widened(&key(0.0)), BuildParams::default());
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 3.0], [key(0.0), key(1.0), key(2.0)].concat());
    let motion = Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap();
    let mut present = IntervalBoxes::over(tree, &motion, 0.0).unwrap();
    present.follow(&motion, Moment::after(0.0), f64::INFINITY).unwrap();
    assert_eq!((present.begin(), present.end()), (0.0, 1.0));
    for (until, end) in [(f64::NEG_INFINITY, 3.0), (0.5, 3.0), (1.0, 3.0), (2.0, 2.0), (3.0, 3.0), (4.0, 3.0)] {
        let mut next = present.clone();
        next.begin_after(&mut present, &motion, until).unwrap();
        assert_eq!(next.prepare(&motion, &mut usize::MAX.clone()), Prepared::All);
        assert_eq!((next.begin(), next.end()), (1.0, end), "until {until}");
        let mut followed = present.clone();
        followed.follow(&motion, Moment::after(1.0), until).unwrap();
        assert_eq!((followed.begin(), followed.end()), (1.0, end), "until {until}");
    }
}

/// The body jumps there: nothing that was made for the interval before is of use.
#[test]
fn both_ends_of_an_interval_that_follows_a_wrap_are_made() {
    let key = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let tree = Topology::build(&mesh, &widened(&key(0.0)), BuildParams::default());
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [key(0.0), key(1.0), key(5.0)].concat());
    let motion = Motion::new(plan.outside(Outside::Loop), 3, KeyLayout::KeyMajor).unwrap();
    let mut present = IntervalBoxes::over(tree, &motion, 0.0).unwrap();
    for begin in [0.0, 1.0] {
        present.follow(&motion, Moment::after(begin), f64::INFINITY).unwrap();
    }
    assert_eq!((present.begin(), present.end()), (1.0, 2.0));
    let mut next = present.clone();
    next.begin_after(&mut present, &motion, f64::INFINITY).unwrap();
    assert!(!next.is_prepared());
    assert_eq!(next.prepare(&motion, &mut usize::MAX.clone()), Prepared::All);
    assert!(next.is_prepared());
    assert_eq!((next.begin(), next.end()), (2.0, 3.0));
    for z in [0.125, 0.5, 0.875] {
        let bounds = next.node_box(0, Moment::at(2.0 + z));
        assert!(bounds.contains(&[0.0, 0.0, z]), "{bounds:?}");
        assert!(bounds.min[2] > z - 1e-6 && bounds.max[2] < z + 1e-6, "{bounds:?}");
    }
}
