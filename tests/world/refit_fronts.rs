//! Fronts of refitted trees against brute force: whatever moves how far between two looks, nothing that touches is missed, and nothing is
//! named twice.

use kinetree::bvh::{BuildParams, Builder, Topology};
use kinetree::mesh::{Mesh, Seams};
use kinetree::narrow::proximity::triangles_within;
use kinetree::narrow::triangles_touch;
use kinetree::refit::{RefitFront, RefitTree};

struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// In −1..1.
    fn signed(&mut self) -> f64 {
        f64::from(self.bits()) / f64::from(1u32 << 30) - 1.0
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.bits() % bound
    }
}

/// A sheet of squares, each two triangles; the middle column of vertices is stored twice, as texture seams are. Two triangles are
/// shrunk.
fn sheet(columns: u32, rows: u32) -> (Mesh, Vec<[f32; 3]>) {
    let mut rest = Vec::new();
    for column in 0..=columns {
        for row in 0..rows {
            // The seam: this column and the one before lie in the same place.
            let x = if column > columns / 2 { column - 1 } else { column };
            rest.push([x as f32, row as f32, 0.0]);
        }
    }
    let mut triangles = Vec::new();
    for column in (0..columns).filter(|&column| column != columns / 2) {
        for row in 0..rows - 1 {
            let corner = column * rows + row;
            triangles.push([corner, corner + 1, corner + rows]);
            triangles.push([corner + rows + 1, corner + rows, corner + 1]);
        }
    }
    triangles.push([0, 0, 1]);
    triangles.push([7, 7, 7]);
    (Mesh::new(rest.len(), triangles).unwrap(), rest)
}

/// How a body is at a look.
fn pose(random: &mut Random, rest: &[[f32; 3]], before: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let shift: [f64; 3] = std::array::from_fn(|_| 3.0 * random.signed());
    match random.below(8) {
        // A little further, mostly.
        0..=3 => before.iter().map(|p| p.map(|x| x + 0.05 * random.signed())).collect(),
        // Somewhere else as a whole, or far away.
        4 => before.iter().map(|p| std::array::from_fn(|k| p[k] + shift[k])).collect(),
        5 => rest.iter().map(|p| std::array::from_fn(|k| f64::from(p[k]) + 1e4 * shift[k].abs())).collect(),
        // Crumpled; and flat on the ground, so that much lies in one plane.
        6 => rest.iter().map(|_| std::array::from_fn(|_| 2.0 * random.signed())).collect(),
        _ => rest.iter().map(|p| [f64::from(p[0]), f64::from(p[1]), 0.0]).collect(),
    }
}

fn corners(mesh: &Mesh, positions: &[[f64; 3]], triangle: u32) -> [[f64; 3]; 3] {
    mesh.triangles()[triangle as usize].map(|vertex| positions[vertex as usize])
}

fn touch(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], distance: f64) -> bool {
    if distance > 0.0 { triangles_within(a, b, distance) } else { triangles_touch(a, b) }
}

fn tree(mesh: &Mesh, rest: &[[f32; 3]], leaf_size: usize, builder: Builder) -> RefitTree {
    let start: Vec<[f64; 3]> = rest.iter().map(|p| p.map(f64::from)).collect();
    let params = BuildParams { leaf_size, builder, ..BuildParams::default() };
    RefitTree::new(Topology::build(mesh, &start, params), mesh, &start)
}

/// The named pairs, in the order of their numbers; none twice.
fn named(front: &mut RefitFront, a: &RefitTree, b: &RefitTree, distance: f64, is_self: bool) -> Vec<(u32, u32)> {
    let mut named = Vec::new();
    front.look(a, b, distance, |p, q| named.push(if is_self { (p.min(q), p.max(q)) } else { (p, q) }));
    let count = named.len();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named.len(), count, "a pair was named twice");
    named
}

#[test]
fn of_two_bodies_nothing_is_missed() {
    let mut random = Random(3);
    let (mut contacts, mut saved, mut kept) = (0, 0, 0);
    for (round, leaf_size) in [1, 2, 5, 8, 8, 8].into_iter().enumerate() {
        let builder = [Builder::MedianSplit, Builder::BinnedSurfaceArea][round % 2];
        let distance = [0.0, 0.0, 0.07][round % 3];
        let bodies = [sheet(9, 8), sheet(6, 11)];
        let mut trees = [0, 1].map(|side| tree(&bodies[side].0, &bodies[side].1, leaf_size, builder));
        let mut poses = [0, 1].map(|side| bodies[side].1.iter().map(|p| p.map(f64::from)).collect::<Vec<_>>());
        let fresh = RefitFront::between(&trees[0], &trees[1]).unwrap();
        let mut front = fresh.clone();
        for _ in 0..40 {
            for side in 0..2 {
                // One of the two stays where it is now and then.
                if random.below(3) > 0 {
                    poses[side] = pose(&mut random, &bodies[side].1, &poses[side]);
                    trees[side].refit(&poses[side]);
                }
            }
            let found = named(&mut front, &trees[0], &trees[1], distance, false);
            assert_eq!(
                found,
                named(&mut fresh.clone(), &trees[0], &trees[1], distance, false),
                "depends on the looks before"
            );
            for p in 0..bodies[0].0.triangles().len() as u32 {
                for q in 0..bodies[1].0.triangles().len() as u32 {
                    let (a, b) = (corners(&bodies[0].0, &poses[0], p), corners(&bodies[1].0, &poses[1], q));
                    let is_named = found.binary_search(&(p, q)).is_ok();
                    let is_contact = touch(&a, &b, distance);
                    assert!(is_named || !is_contact, "{p} and {q} touch and are not named");
                    contacts += usize::from(is_contact);
                    saved += usize::from(!is_named);
                }
            }
        }
        assert_eq!(front.stats().looks, 40);
        kept += front.stats().looks - front.stats().rebuilds;
    }
    assert!(contacts > 10_000 && saved > 1_000_000 && kept > 60, "{contacts} contacts, {saved} saved, {kept} kept");
}

#[test]
fn of_one_body_nothing_is_missed_but_neighbours() {
    let mut random = Random(17);
    let (mut contacts, mut kin, mut kept) = (0, 0, 0);
    for (round, leaf_size) in [1, 3, 8, 8, 7].into_iter().enumerate() {
        let builder = [Builder::MedianSplit, Builder::BinnedSurfaceArea][round % 2];
        let distance = [0.0, 0.05][round % 2];
        let (mesh, rest) = sheet(12, 9);
        let seams: Seams = mesh.weld(&rest).unwrap();
        assert!(seams.welded_count() < mesh.vertex_count());
        let mut tree = tree(&mesh, &rest, leaf_size, builder);
        let mut now: Vec<[f64; 3]> = rest.iter().map(|p| p.map(f64::from)).collect();
        let fresh = RefitFront::within(&tree, &mesh, &seams).unwrap();
        let mut front = fresh.clone();
        for _ in 0..40 {
            now = pose(&mut random, &rest, &now);
            tree.refit(&now);
            let found = named(&mut front, &tree, &tree, distance, true);
            assert_eq!(found, named(&mut fresh.clone(), &tree, &tree, distance, true), "depends on the looks before");
            let count = mesh.triangles().len() as u32;
            for p in 0..count {
                for q in p..count {
                    let are_kin = seams.share_corner(&mesh.triangles()[p as usize], &mesh.triangles()[q as usize]);
                    let is_named = found.binary_search(&(p, q)).is_ok();
                    let is_contact = touch(&corners(&mesh, &now, p), &corners(&mesh, &now, q), distance);
                    if are_kin {
                        assert!(!is_named, "{p} and {q} share a corner");
                        kin += 1;
                    } else {
                        assert!(is_named || !is_contact, "{p} and {q} touch and are not named");
                        contacts += usize::from(is_contact);
                    }
                }
            }
        }
        kept += front.stats().looks - front.stats().rebuilds;
    }
    assert!(contacts > 10_000 && kin > 10_000 && kept > 20, "{contacts} contacts, {kin} neighbours, {kept} kept");
}

#[test]
fn wide_leaves_have_no_front() {
    let (mesh, rest) = sheet(9, 8);
    let (wide, narrow) = (tree(&mesh, &rest, 32, Builder::MedianSplit), tree(&mesh, &rest, 8, Builder::MedianSplit));
    assert!(RefitFront::between(&narrow, &narrow).is_some());
    assert!(RefitFront::between(&wide, &narrow).is_none() && RefitFront::between(&narrow, &wide).is_none());
    assert!(RefitFront::within(&wide, &mesh, &mesh.weld(&rest).unwrap()).is_none());
}

/// A body that moves a little at a time is followed without starting from the root, and one that jumps costs no more than twice as much
/// as starting there.
#[test]
fn work_is_counted() {
    let (mesh, rest) = sheet(40, 40);
    let (mut a, b) = (tree(&mesh, &rest, 8, Builder::MedianSplit), tree(&mesh, &rest, 8, Builder::MedianSplit));
    let lifted = |z: f64| -> Vec<[f64; 3]> {
        rest.iter().map(|p| [f64::from(p[0]) + 0.37, f64::from(p[1]), z + 0.3 * f64::from(p[0]).sin()]).collect()
    };
    let first = RefitFront::between(&a, &b).unwrap();
    let mut front = first.clone();
    let mut look = |front: &mut RefitFront, height: f64| {
        a.refit(&lifted(height));
        let mut fresh = first.clone();
        named(front, &a, &b, 0.0, false);
        named(&mut fresh, &a, &b, 0.0, false);
        fresh.stats().tested
    };
    let fresh: u64 = (0..60).map(|step| look(&mut front, 0.001 * f64::from(step))).sum();
    let slow = front.stats();
    assert!(slow.rebuilds < 6 && 3 * slow.tested < 2 * fresh, "{slow:?} {fresh}");
    let fresh: u64 = (0..60).map(|step| look(&mut front, f64::from(step % 2) * 0.4)).sum();
    let wild = front.stats().tested - slow.tested;
    assert!(wild < 2 * fresh, "{wild} {fresh}");
}
