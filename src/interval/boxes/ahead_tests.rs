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

/// Keys that lie vertex by vertex are copied; those that lie key by key are read again.
#[test]
fn points_that_are_read_from_the_motion_are_those_that_are_kept() {
    // Vertices of no triangle are far away.
    let is_unused = |v: u32| (9..12).contains(&v);
    let key = |key: u8| -> Vec<[f32; 3]> {
        let place = |v: u8| [f32::from(v) * 0.3, f32::from(v % 3) - 0.1 * f32::from(key), f32::from(v % 50 * key % 7)];
        let far = |v: u8| [1e6 * f32::from(v + key), 0.0, 0.0];
        (0..63).map(|v| if is_unused(v.into()) { far(v) } else { place(v) }).collect()
    };
    let mesh =
        Mesh::new(63, (0..21).filter(|&t| !is_unused(3 * t)).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let params = BuildParams { leaf_size: 2, ..BuildParams::default() };
    let tree = Topology::build(&mesh, &widened(&key(0)), params);
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 3.0, 4.0], [key(0), key(1), key(2), key(3)].concat());
    let motions =
        [KeyLayout::KeyMajor, KeyLayout::VertexMajor].map(|layout| Motion::new(plan.clone(), 63, layout).unwrap());
    assert_eq!(motions.each_ref().map(Motion::is_read_cheaply), [true, false]);
    let mut both = motions.each_ref().map(|motion| IntervalBoxes::over(tree.clone(), motion, 0.0).unwrap());
    // The whole first stretch, two parts of the second, the third, and the rest after it.
    let mut from = 0.0;
    for (until, end) in [(f64::INFINITY, 1.0), (1.7, 1.7), (3.5, 3.0), (5.0, 4.0), (6.0, 6.0)] {
        for (boxes, motion) in both.iter_mut().zip(&motions) {
            assert_eq!(boxes.follow(motion, Moment::after(from), until), Ok(true));
            assert_eq!((boxes.begin(), boxes.end()), (from, end));
            assert!(boxes.audit(motion, from).is_clean());
        }
        let [read, kept] = &both;
        assert_eq!((read.before.points.len(), kept.before.points.len()), (0, 60));
        assert_eq!(read.boxes_at_ends(), kept.boxes_at_ends());
        assert_eq!((read.blur, read.coordinate), (kept.blur, kept.coordinate));
        assert!(kept.bytes() >= read.bytes() + 60 * (size_of::<[f32; 4]>() + size_of::<u32>()));
        // More than are read at a time.
        let vertices: Vec<u32> = (0..63).rev().filter(|&v| !is_unused(v)).chain([5, 5]).collect();
        let ends = [0, 1].map(|side| {
            let mut ends = vec![[[f32::NAN; 4]; 2]];
            both[side].read_ends(&motions[side], &vertices, &mut ends);
            ends.split_off(1)
        });
        assert!(ends[0] == ends[1] && ends[0].len() == vertices.len());
        for (&vertex, ends) in vertices.iter().zip(&ends[0]) {
            for (time, found) in [from, end].into_iter().zip(ends) {
                let expected = motions[0].position(vertex, Moment::at(time));
                let blur = f64::from(read.blur[0].max(read.blur[1]));
                assert!((0..3).all(|k| (f64::from(found[k]) - expected[k]).abs() <= blur), "{vertex} at {time}");
            }
        }
        from = end;
    }
}

/// A motion that lost the key at which the interval began is not that of the boxes.
#[test]
fn boxes_of_another_motion_are_named() {
    let key = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let tree = Topology::build(&mesh, &widened(&key(0.0)), BuildParams::default());
    let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [key(0.0), key(1.0), key(2.0)].concat());
    let motion = Motion::new(plan, 3, KeyLayout::KeyMajor).unwrap();
    let mut boxes = IntervalBoxes::over(tree, &motion, 0.0).unwrap();
    boxes.follow(&motion, Moment::after(0.0), f64::INFINITY).unwrap();
    assert!(boxes.audit(&motion, 0.5).is_clean());
    let later = Flightplan::keyframes(vec![1.0, 2.0], [key(1.0), key(2.0)].concat());
    let later = Motion::new(later, 3, KeyLayout::KeyMajor).unwrap();
    let report = boxes.audit(&later, 0.5);
    assert!(report.faults[0].0.contains("leaf 0 does not hold its points"), "{report:?}");
    let report = boxes.audit(&later, 1.0);
    assert!(report.is_clean() && report.checks == 1, "{report:?}");
    // As long as the clock may stand at the end of the interval, the key at its begin is there.
    let mut streamed = motion.clone();
    streamed.append_key(3.0, &key(3.0), 1.0).unwrap();
    assert!(boxes.audit(&streamed, 0.5).is_clean());
    boxes.forget();
    assert_eq!(boxes.audit(&motion, 0.5).checks, 0);
}

/// The next boxes are those of a motion that was read before, of which they kept nothing.
#[test]
fn points_that_are_shared_are_those_of_the_same_vertices() {
    let key = |z: f32| (0..9u8).map(|v| [f32::from(v), f32::from(v % 3), z + f32::from(v * v)]).collect::<Vec<_>>();
    let mesh = Mesh::new(9, (0..3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let tree = Topology::build(&mesh, &widened(&key(0.0)), BuildParams { leaf_size: 1, ..BuildParams::default() });
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [key(0.0), key(1.0)].concat());
    let [read, kept] =
        [KeyLayout::KeyMajor, KeyLayout::VertexMajor].map(|layout| Motion::new(plan.clone(), 9, layout).unwrap());
    for (first, second) in [(&read, &kept), (&kept, &read)] {
        for follows in [false, true] {
            let mut present = IntervalBoxes::over(tree.clone(), first, 0.0).unwrap();
            present.follow(first, Moment::after(0.0), f64::INFINITY).unwrap();
            let mut next = present.clone();
            present.forget();
            present.follow(second, Moment::after(0.0), f64::INFINITY).unwrap();
            if follows {
                next.start_from(&present);
                next.follow(second, Moment::after(1.0), 2.0).unwrap();
            } else {
                next.begin_after(&mut present, second, 2.0).unwrap();
                assert_eq!(next.prepare(second, &mut usize::MAX.clone()), Prepared::All);
            }
            assert_eq!((next.begin(), next.end()), (1.0, 2.0));
            assert!(next.audit(second, 1.5).is_clean());
            let mut ends = Vec::new();
            next.read_ends(second, &[0, 4, 8], &mut ends);
            for (ends, vertex) in ends.iter().zip([0, 4, 8]) {
                let [x, y, z] = key(1.0)[vertex];
                assert_eq!(*ends, [[x, y, z, 0.0]; 2], "vertex {vertex}");
            }
        }
    }
}
