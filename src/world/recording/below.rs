//! Contacts at one time below trees that the caller keeps up to date: the leaves that overlap, and
//! exact tests there.

use std::collections::BTreeSet;

use crate::bvh::Hierarchy;
use crate::id::BodyId;
use crate::math::Aabb;
use crate::oracle::Shape;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::Body;
use crate::world::contact::Contact;
use crate::world::rule::PairRule;
use crate::world::tree::leaves::test_leaves;

impl World {
    /// All pairs of triangles that touch at a time, whatever the clock says, sorted: as
    /// [`World::contacts`] of a world with contacts at times. `trees` are those of the bodies in
    /// their order, with boxes of that time.
    ///
    /// O(vertices + pairs of nodes that overlap), and one exact test per pair of triangles whose
    /// boxes do.
    ///
    /// # Panics
    /// If there are not as many trees as bodies, or a tree is of another mesh.
    pub(crate) fn contacts_below(&self, trees: &[impl Hierarchy], time: f64) -> Vec<Contact> {
        let at = Moment::at(time);
        let bodies: Vec<(BodyId, &Body)> = self.bodies.iter().collect();
        assert_eq!(bodies.len(), trees.len(), "a tree per body");
        let positions: Vec<Vec<[f64; 3]>> = bodies
            .iter()
            .map(|(_, body)| {
                let mut positions = Vec::new();
                body.motion.positions(at, &mut positions);
                positions
            })
            .collect();
        let nothing = BTreeSet::new();
        let mut contacts = Vec::new();
        for (x, &(id_a, a)) in bodies.iter().enumerate() {
            for (y, &(id_b, b)) in bodies.iter().enumerate().skip(x) {
                let is_self = x == y;
                let may_meet = || self.pairs.rules.may_meet(id_a.index(), id_b.index(), &self.bodies);
                if if is_self { a.shape.seams.is_none() } else { !may_meet() } {
                    continue;
                }
                let distance = self.pairs.rules.distance(id_a.index(), id_b.index(), &self.bodies);
                let leaves = overlapping_leaves(&trees[x], &trees[y], is_self, distance, at);
                let ignored =
                    self.pairs.rules.ignored.get(&(id_a.index(), id_b.index())).map_or(&nothing, |ignored| &**ignored);
                let rule =
                    PairRule::new(is_self, a.surface(), distance, ignored).without_gaps([&a.shape.mesh, &b.shape.mesh]);
                let shape = |place: usize| Shape {
                    triangles: bodies[place].1.shape.mesh.triangles(),
                    positions: &positions[place],
                };
                let mut add = |p: u32, q: u32| {
                    let (triangle_a, triangle_b) = if is_self && p > q { (q, p) } else { (p, q) };
                    contacts.push(Contact { a: id_a, b: id_b, triangle_a, triangle_b });
                };
                let topologies = (trees[x].topology(), trees[y].topology());
                test_leaves(&leaves, topologies, (shape(x), shape(y)), &rule, &mut add);
            }
        }
        contacts.sort_unstable();
        contacts.dedup();
        contacts
    }
}

/// Pairs of leaves whose boxes, one of them grown by a distance, overlap; sorted. Of one tree with
/// itself every pair once, in the order of their numbers, and every leaf with itself.
fn overlapping_leaves(
    a: &impl Hierarchy,
    b: &impl Hierarchy,
    is_self: bool,
    distance: f64,
    at: Moment,
) -> Vec<(u32, u32)> {
    let (mut boxes_a, mut boxes_b) = (vec![None; a.topology().nodes().len()], vec![None; b.topology().nodes().len()]);
    let mut box_a = |node: u32| *boxes_a[node as usize].get_or_insert_with(|| a.node_box(node, at).grown(distance));
    let mut box_b = |node: u32| *boxes_b[node as usize].get_or_insert_with(|| b.node_box(node, at));
    let mut stack = vec![(0, 0)];
    let mut found = Vec::new();
    while let Some((x, y)) = stack.pop() {
        let (bounds_x, bounds_y): (Aabb, Aabb) = (box_a(x), box_b(y));
        if !bounds_x.overlaps(&bounds_y) {
            continue;
        }
        let (below_x, below_y) = (a.topology().node(x).children(), b.topology().node(y).children());
        if is_self && x == y && !below_x.is_empty() {
            for (place, &child) in below_x.iter().enumerate() {
                stack.extend(below_x[place..].iter().map(|&other| (child, other)));
            }
        } else if below_x.is_empty() && below_y.is_empty() {
            found.push(if is_self { (x.min(y), x.max(y)) } else { (x, y) });
        } else if below_y.is_empty() || (!below_x.is_empty() && size(&bounds_x) >= size(&bounds_y)) {
            stack.extend(below_x.iter().map(|&child| (child, y)));
        } else {
            stack.extend(below_y.iter().map(|&child| (x, child)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The sum of a box's sides: what decides which of two is opened.
fn size(bounds: &Aabb) -> f64 {
    (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).sum()
}
