//! Counters of candidates, and searches that begin again in used memory.

use std::sync::Arc;

use super::*;
use crate::bvh::{BuildParams, Topology};
use crate::interval::boxes::tests::between_keys;
use crate::math::vector::widened;

/// Triangles along x, each of its own corners, that sink by some metres in a second.
fn row(count: usize, height: f32, sinks: f32) -> (Mesh, Motion, IntervalBoxes) {
    tilted_row(count, height, sinks, (0.25, 0.0))
}

/// The same, tilted by another height from corner to corner, and moved along x and y.
fn tilted_row(count: usize, height: f32, sinks: f32, (tilt, way): (f32, f32)) -> (Mesh, Motion, IntervalBoxes) {
    let corner = |z: f32| {
        move |v: usize| [way + (v / 3 + v % 3 % 2) as f32, way + (v % 3 / 2) as f32, z + tilt * (v % 3) as f32]
    };
    let places = |z: f32| (0..3 * count).map(corner(z)).collect::<Vec<[f32; 3]>>();
    let mesh = Mesh::new(3 * count, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let params = BuildParams { leaf_size: 1, ..BuildParams::default() };
    let topology = Topology::build(&mesh, &widened(&places(height)), params);
    let motion = between_keys(places(height), places(height - sinks));
    let boxes = IntervalBoxes::of_first_second(topology, &motion);
    (mesh, motion, boxes)
}

/// Leaf pairs of an interval that has just begun, all of them.
fn prepared(partners: &PairedBoxes<'_>) -> IntervalPairs {
    let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
    leaf_pairs.begin(partners).unwrap();
    leaf_pairs.prepare(partners, usize::MAX);
    leaf_pairs
}

#[test]
fn certainty_is_limited_unless_all_is_prepared_at_once() {
    let ((mesh_a, still, floor), (mesh_b, sinking, falling)) = (row(16, 0.0, 0.0), row(16, 1.0, 2.0));
    let (partners, bodies) =
        (PairedBoxes::between(&floor, &falling), PairedBodies::between((&mesh_a, &still), (&mesh_b, &sinking)));
    let leaf_pairs = prepared(&partners);
    let mut own = Candidates::between(&floor, &falling);
    own.expect_steps(40.0);
    // How many are examined, and which ones touch or are open at a time.
    let mut examined = |most: Option<usize>, mut budget: usize| {
        own.begin(&leaf_pairs, &partners).unwrap();
        own.limit_certainty(most);
        assert_eq!(own.prepare(&leaf_pairs, &partners, bodies, |_, _| true, &mut budget), Prepared::All);
        let (mut touching, mut open) = (Vec::new(), Vec::new());
        assert_eq!(own.at(&leaf_pairs, 0.5, &mut touching, &mut open), Ok(true));
        (own.found().examined(), own.found().count(), touching.len(), open.len())
    };
    let whole = examined(None, UNBOUNDED - 1);
    assert!(whole.0 == whole.1 && whole.1 > 16, "{whole:?}");
    let limited = examined(Some(3), UNBOUNDED - 1);
    assert!((limited.0, limited.1) == (3, whole.1) && limited.3 > whole.3, "{limited:?} {whole:?}");
    assert_eq!(examined(Some(3), UNBOUNDED), whole);
}

#[test]
fn what_begins_again_holds_nothing_of_the_bodies_before() {
    let ((mesh_a, still, floor), (mesh_b, sinking, falling)) = (row(16, 0.0, 0.0), row(16, 1.0, 2.0));
    let ((_, _, other), (_, _, another)) = (row(3, 0.0, 0.0), row(5, 1.0, 2.0));
    let holders = || (Arc::strong_count(&floor.layout), Arc::strong_count(&floor.girths));
    let before = holders();
    let (partners, bodies) =
        (PairedBoxes::between(&floor, &falling), PairedBodies::between((&mesh_a, &still), (&mesh_b, &sinking)));
    let mut leaf_pairs = prepared(&partners);
    let mut own = Candidates::between(&floor, &falling);
    own.begin(&leaf_pairs, &partners).unwrap();
    assert_eq!(own.prepare(&leaf_pairs, &partners, bodies, |_, _| true, &mut usize::MAX.clone()), Prepared::All);
    assert!(!own.near.is_empty() && own.found().count() > 16);
    assert_eq!(holders(), (before.0 + 1, before.1 + 1));
    leaf_pairs.let_go();
    own.restart(&other, Some(&another));
    assert_eq!(holders(), before);
    assert!(!leaf_pairs.is_ready() && leaf_pairs.is_rebuilt_next());
    #[cfg(feature = "record")]
    assert_eq!(saved(&own), saved(&Candidates::between(&other, &another)));
}

/// Masks of parts have 16, 32 or 64 bits, by the number of steps.
#[test]
fn masks_of_another_width_than_before_say_the_same_as_new_ones() {
    let ((mesh_a, still, floor), (mesh_b, sinking, falling)) =
        (row(16, 0.0, 0.0), tilted_row(16, 1.0, 2.0, (-0.3, 0.1)));
    let (partners, bodies) =
        (PairedBoxes::between(&floor, &falling), PairedBodies::between((&mesh_a, &still), (&mesh_b, &sinking)));
    let leaf_pairs = prepared(&partners);
    let prepare = |own: &mut Candidates, steps: f64| {
        own.expect_steps(steps);
        own.begin(&leaf_pairs, &partners).unwrap();
        assert_eq!(own.prepare(&leaf_pairs, &partners, bodies, |_, _| true, &mut usize::MAX.clone()), Prepared::All);
    };
    let at = |own: &Candidates, time: f64| {
        let (mut touching, mut open) = (Vec::new(), Vec::new());
        assert_eq!(own.at(&leaf_pairs, time, &mut touching, &mut open), Ok(true));
        (touching, open)
    };
    let mut own = Candidates::between(&floor, &falling);
    let mut counts = (0, 0);
    for steps in [10.0, 100.0, 10.0, 30.0, 100.0] {
        prepare(&mut own, steps);
        let mut other = Candidates::between(&floor, &falling);
        prepare(&mut other, steps);
        assert!(own.pairs().eq(other.pairs()) && own.found().count() == other.found().count());
        #[cfg(feature = "record")]
        assert_eq!(saved(&own), saved(&other));
        let Span { begin, end } = leaf_pairs.interval();
        for step in 0..=200 {
            let time = begin + (end - begin) * f64::from(step) / 200.0;
            let (touching, open) = at(&own, time);
            counts = (counts.0 + touching.len(), counts.1 + open.len());
            assert_eq!((touching, open), at(&other, time), "{steps} steps, at {time}");
        }
    }
    assert!(counts.0 > 16 && counts.1 > 16, "{counts:?}");
}

/// What a saved world would hold.
#[cfg(feature = "record")]
fn saved(own: &Candidates) -> Vec<u8> {
    crate::saved::saving(std::iter::empty(), || postcard::to_allocvec(own)).unwrap()
}
