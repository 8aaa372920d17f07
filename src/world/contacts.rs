//! What touches now: candidates from the engine, exact triangle tests, and what changed since the last advance.

use super::{Body, BodyPair, Index, World};
use crate::baseline;
use crate::id::BodyId;
use crate::math::Aabb;
use crate::narrow::triangles_touch;

/// Two triangles of two bodies that share a point. `a` has the lower index.
///
/// Ordered by bodies, then triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The first body.
    pub a: BodyId,
    /// The second body.
    pub b: BodyId,
    /// A triangle of the first body.
    pub triangle_a: u32,
    /// A triangle of the second body.
    pub triangle_b: u32,
}

/// A contact that began or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactChange {
    /// The triangles touch now and did not before.
    Began(Contact),
    /// The triangles touched before and do not now; the bodies may have been removed.
    Ended(Contact),
}

/// Contacts now, contacts at the end of earlier steps, and the difference. All sorted.
#[derive(Debug, Default)]
pub(super) struct ContactBook {
    now: Vec<Contact>,
    /// At the end of the last advance.
    at_last_step: Vec<Contact>,
    /// At the end of the advance before: what changes refer to.
    reference: Vec<Contact>,
    changes: Vec<ContactChange>,
    is_step: bool,
}

impl ContactBook {
    /// The next contacts found end an advance.
    pub(super) fn begin_step(&mut self) {
        std::mem::swap(&mut self.reference, &mut self.at_last_step);
        self.is_step = true;
    }

    fn close(&mut self) {
        self.now.sort_unstable();
        self.changes.clear();
        let (mut old, mut new) = (self.reference.iter().peekable(), self.now.iter().peekable());
        loop {
            match (old.peek(), new.peek()) {
                (Some(o), Some(n)) if o == n => {
                    old.next();
                    new.next();
                }
                (Some(&&o), n) if n.is_none_or(|&&n| o < n) => {
                    self.changes.push(ContactChange::Ended(o));
                    old.next();
                }
                (_, Some(&&n)) => {
                    self.changes.push(ContactChange::Began(n));
                    new.next();
                }
                _ => break,
            }
        }
        if std::mem::take(&mut self.is_step) {
            self.at_last_step.clone_from(&self.now);
        }
    }
}

impl World {
    /// All pairs of triangles that touch at the clock's time, sorted. Valid until the world changes.
    pub fn contacts(&self) -> &[Contact] {
        &self.book.now
    }

    /// What began and ended in the last advance, and by changes of the world since, sorted by contact.
    ///
    /// A host that reads this once after every advance sees every beginning and end once, also those that changes made
    /// between two advances.
    pub fn contact_changes(&self) -> &[ContactChange] {
        &self.book.changes
    }

    /// Finds the contacts at the clock's time.
    pub(super) fn find_contacts(&mut self) {
        self.book.now.clear();
        let ids: Vec<BodyId> = self.bodies.iter().map(|(id, _)| id).collect();
        for &id in &ids {
            self.prepare(id.index());
        }
        let Self { bodies, pairs, book, now, triangle_tests, .. } = self;
        for (_, pair) in &mut *pairs {
            let (ida, idb) = (bodies.id_at(pair.a), bodies.id_at(pair.b));
            let mut touching = |triangle_a, triangle_b| {
                book.now.push(Contact { a: ida, b: idb, triangle_a, triangle_b });
            };
            if pair.list.is_none() && !matches!(bodies.at(pair.a).index, Index::Refit(_)) {
                let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
                let (shape_a, shape_b) = (shape_of(a), shape_of(b));
                *triangle_tests += match (&a.index, &b.index) {
                    (Index::Grid(grid), Index::Grid(_)) => {
                        baseline::touching_by_grid(grid, shape_a, shape_b, &mut touching)
                    }
                    _ => baseline::touching_by_brute_force(shape_a, shape_b, &mut touching),
                };
                continue;
            }
            // The two snapshots are filled while the trees are read.
            let mut snapshots = [pair.a, pair.b].map(|body| {
                let empty = super::Snapshot::new(0);
                std::mem::replace(&mut bodies.at_mut(body).snapshot, empty)
            });
            let (a, b) = (bodies.at(pair.a), bodies.at(pair.b));
            *triangle_tests += match (&a.index, &b.index) {
                (Index::Refit(tree_a), Index::Refit(tree_b)) => {
                    test_candidates((tree_a, a), (tree_b, b), &mut snapshots, *now, &mut touching)
                }
                _ => test_overlapping(pair, a, b, &mut snapshots, *now, &mut touching),
            };
            let [a, b] = snapshots;
            bodies.at_mut(pair.a).snapshot = a;
            bodies.at_mut(pair.b).snapshot = b;
        }
        book.close();
    }

    /// Forgets old positions; engines that look at whole frames evaluate theirs.
    fn prepare(&mut self, index: u32) {
        let now = self.now;
        let body = self.bodies.at_mut(index);
        body.snapshot.begin();
        match &mut body.index {
            Index::Kinetic(_) => return,
            // Nobody it could touch: nothing to find.
            _ if body.pairs.is_empty() => return,
            _ => {}
        }
        match &mut body.index {
            Index::Refit(tree) => {
                tree.refit_with(|vertices, points| body.motion.rounded_positions(now, vertices, points));
            }
            Index::Grid(grid) => {
                body.snapshot.evaluate_all(&body.motion, now);
                grid.fill(body.mesh.triangles(), body.snapshot.positions());
            }
            Index::Brute => body.snapshot.evaluate_all(&body.motion, now),
            Index::Kinetic(_) => {}
        }
    }
}

fn shape_of(body: &Body) -> baseline::Shape<'_> {
    baseline::Shape { triangles: body.mesh.triangles(), positions: body.snapshot.positions() }
}

/// Tests what a traversal of two refitted trees finds; returns how many exact tests that took.
fn test_candidates(
    (tree_a, a): (&baseline::RefitTree, &Body),
    (tree_b, b): (&baseline::RefitTree, &Body),
    [snapshot_a, snapshot_b]: &mut [super::Snapshot; 2],
    now: crate::time::Moment,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    let mut tests = 0;
    baseline::candidate_triangles(tree_a, tree_b, |triangle_a, triangle_b| {
        let corners_a = &a.mesh.triangles()[triangle_a as usize];
        let corners_b = &b.mesh.triangles()[triangle_b as usize];
        snapshot_a.evaluate(&a.motion, corners_a, now);
        snapshot_b.evaluate(&b.motion, corners_b, now);
        let (shape_a, shape_b) = (snapshot_a.triangle(corners_a), snapshot_b.triangle(corners_b));
        if Aabb::of_points(&shape_a).overlaps(&Aabb::of_points(&shape_b)) {
            tests += 1;
            if triangles_touch(&shape_a, &shape_b) {
                touching(triangle_a, triangle_b);
            }
        }
    });
    tests
}

/// Tests the triangles of overlapping leaves; returns how many exact tests that took.
fn test_overlapping(
    pair: &BodyPair,
    a: &Body,
    b: &Body,
    [snapshot_a, snapshot_b]: &mut [super::Snapshot; 2],
    now: crate::time::Moment,
    touching: &mut impl FnMut(u32, u32),
) -> u64 {
    let (Some(list), Index::Kinetic(tree_a), Index::Kinetic(tree_b)) = (&pair.list, &a.index, &b.index) else {
        return 0;
    };
    let (topology_a, topology_b) = (tree_a.topology(), tree_b.topology());
    let mut leaves: Vec<(u32, u32)> = list.overlapping().collect();
    // Sorted, so that what is read of the first body is read once, and the cost does not depend on history.
    leaves.sort_unstable();
    let mut tests = 0;
    let mut shapes_a: Vec<(u32, [[f64; 3]; 3], Aabb)> = Vec::new();
    let mut current = u32::MAX;
    for (leaf_a, leaf_b) in leaves {
        if leaf_a != current {
            current = leaf_a;
            snapshot_a.evaluate(&a.motion, topology_a.leaf_points(leaf_a), now);
            shapes_a.clear();
            shapes_a.extend(topology_a.primitives(leaf_a).iter().map(|&triangle| {
                let shape = snapshot_a.triangle(&a.mesh.triangles()[triangle as usize]);
                (triangle, shape, Aabb::of_points(&shape))
            }));
        }
        snapshot_b.evaluate(&b.motion, topology_b.leaf_points(leaf_b), now);
        for &triangle_b in topology_b.primitives(leaf_b) {
            let shape_b = snapshot_b.triangle(&b.mesh.triangles()[triangle_b as usize]);
            let box_b = Aabb::of_points(&shape_b);
            for (triangle_a, shape_a, box_a) in &shapes_a {
                if box_a.overlaps(&box_b) {
                    tests += 1;
                    if triangles_touch(shape_a, &shape_b) {
                        touching(*triangle_a, triangle_b);
                    }
                }
            }
        }
    }
    tests
}
