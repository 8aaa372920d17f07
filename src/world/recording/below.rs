//! Contacts at one time below trees that the caller keeps up to date: the leaves that overlap, and
//! exact tests there.

use std::collections::BTreeSet;

use crate::bvh::Hierarchy;
use crate::id::BodyId;
use crate::oracle::Shape;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::Body;
use crate::world::contact::Contact;
use crate::world::rule::PairRule;
use crate::world::tree::leaves::test_leaves;
use crate::world::tree::view::overlapping_leaves;

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
                let leaves = leaves_that_overlap(&trees[x], &trees[y], is_self, distance, at);
                let ignored =
                    self.pairs.rules.ignored.get(&(id_a.index(), id_b.index())).map_or(&nothing, |ignored| &**ignored);
                let rule = PairRule::new(is_self, a.surface(), distance, ignored)
                    .without_gaps([&a.shape.mesh, &b.shape.mesh])
                    .with_spheres([a.spheres_at(at), b.spheres_at(at)])
                    .at([a.side(), b.side()], at);
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
fn leaves_that_overlap(
    a: &impl Hierarchy,
    b: &impl Hierarchy,
    is_self: bool,
    distance: f64,
    at: Moment,
) -> Vec<(u32, u32)> {
    let trees = [a.topology(), b.topology()];
    // Boxes are made when they are first needed.
    let [mut boxes_a, mut boxes_b] = trees.map(|tree| vec![None; tree.nodes().len()]);
    let meet = |[x, y]: [u32; 2]| {
        let box_x = boxes_a[x as usize].get_or_insert_with(|| a.node_box(x, at).grown(distance));
        box_x.overlaps(boxes_b[y as usize].get_or_insert_with(|| b.node_box(y, at)))
    };
    let mut found = Vec::new();
    overlapping_leaves(trees, is_self, meet, &mut found);
    found.sort_unstable();
    found.dedup();
    found
}
