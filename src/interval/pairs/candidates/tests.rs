//! Counters of candidates, and searches that begin again in used memory.

use std::sync::Arc;

use super::*;
use crate::bvh::{BuildParams, Topology};
use crate::math::vector::widened;

/// Triangles along x, each of its own corners, that sink by some metres in a second.
fn row(count: usize, height: f32, sinks: f32) -> (Mesh, IntervalBoxes) {
    let corner = |z: f32| move |v: usize| [(v / 3 + v % 3 % 2) as f32, (v % 3 / 2) as f32, z + 0.25 * (v % 3) as f32];
    let places = |z: f32| (0..3 * count).map(corner(z)).collect::<Vec<[f32; 3]>>();
    let mesh = Mesh::new(3 * count, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
    let params = BuildParams { leaf_size: 1, ..BuildParams::default() };
    let topology = Topology::build(&mesh, &widened(&places(height)), params);
    (mesh, IntervalBoxes::between_keys(topology, places(height), places(height - sinks)))
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
    let ((mesh_a, floor), (mesh_b, falling)) = (row(16, 0.0, 0.0), row(16, 1.0, 2.0));
    let (partners, meshes) = (PairedBoxes::between(&floor, &falling), PairedMeshes::between(&mesh_a, &mesh_b));
    let leaf_pairs = prepared(&partners);
    let mut own = Candidates::between(&floor, &falling);
    own.expect_steps(40.0);
    // How many are examined, and which ones touch or are open at a time.
    let mut examined = |most: Option<usize>, mut budget: usize| {
        own.begin(&leaf_pairs, &partners).unwrap();
        own.limit_certainty(most);
        assert_eq!(own.prepare(&leaf_pairs, &partners, meshes, |_, _| true, &mut budget), Prepared::All);
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
    let ((mesh_a, floor), (mesh_b, falling)) = (row(16, 0.0, 0.0), row(16, 1.0, 2.0));
    let ((_, other), (_, another)) = (row(3, 0.0, 0.0), row(5, 1.0, 2.0));
    let holders = || (Arc::strong_count(&floor.layout), Arc::strong_count(&floor.girths));
    let before = holders();
    let (partners, meshes) = (PairedBoxes::between(&floor, &falling), PairedMeshes::between(&mesh_a, &mesh_b));
    let mut leaf_pairs = prepared(&partners);
    let mut own = Candidates::between(&floor, &falling);
    own.begin(&leaf_pairs, &partners).unwrap();
    assert_eq!(own.prepare(&leaf_pairs, &partners, meshes, |_, _| true, &mut usize::MAX.clone()), Prepared::All);
    assert!(!own.near.is_empty() && own.found().count() > 16);
    assert_eq!(holders(), (before.0 + 1, before.1 + 1));
    leaf_pairs.let_go();
    own.restart(&other, Some(&another));
    assert_eq!(holders(), before);
    assert!(!leaf_pairs.is_ready() && leaf_pairs.is_rebuilt_next());
    #[cfg(feature = "record")]
    assert_eq!(saved(&own), saved(&Candidates::between(&other, &another)));
}

/// What a saved world would hold.
#[cfg(feature = "record")]
fn saved(own: &Candidates) -> Vec<u8> {
    crate::saved::saving(std::iter::empty(), || postcard::to_allocvec(own)).unwrap()
}
