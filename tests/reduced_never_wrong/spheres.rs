//! Sphere trees of one body, under linear blending and, where its maps are rigid, under spherical blending.

use std::sync::Arc;

use kinetree::reduced::sphere_tree::{PosedSpheres, SphereParams, SphereTree};
use kinetree::reduced::{Blend, Pose, ReducedBody, ReducedMesh};
use kinetree::time::Moment;

use crate::common::dice::Dice;
use crate::{Case, Tally};

/// A body with its tree of spheres under one way of blending.
struct Spheres {
    name: String,
    kind: &'static str,
    body: Arc<ReducedBody>,
    mesh: Arc<ReducedMesh>,
    tree: SphereTree,
    /// Per node, its vertices.
    below: Vec<Vec<u32>>,
    /// All nodes but the root, in an order that changes with every look.
    others: Vec<u32>,
    pose: Pose,
    places: Vec<[f64; 3]>,
}

impl Spheres {
    fn new(case: &Case, mesh: Arc<ReducedMesh>, kind: &'static str, dice: &mut Dice) -> Self {
        let params = SphereParams { leaf_size: dice.pick(&[1, 4, 16]), prune: dice.pick(&[0.6, 0.8, 1.0]) };
        let tree = SphereTree::new(&mesh, params).unwrap();
        let mut below = vec![Vec::new(); tree.node_count()];
        for node in (0..tree.node_count()).rev() {
            let mut own: Vec<u32> = tree
                .triangles(node as u32)
                .iter()
                .flat_map(|&triangle| mesh.mesh().triangles()[triangle as usize])
                .collect();
            for &child in tree.children(node as u32) {
                assert!(child as usize > node);
                own.extend_from_slice(&below[child as usize]);
            }
            own.sort_unstable();
            own.dedup();
            below[node] = own;
        }
        let others = (1..below.len() as u32).collect();
        Self {
            name: case.name.clone(),
            kind,
            body: case.body.clone(),
            mesh,
            tree,
            below,
            others,
            pose: Pose::default(),
            places: Vec::new(),
        }
    }

    /// The root and some random nodes, none twice, at a random time; false where the pose cannot be blended so.
    fn look(&mut self, nodes: usize, dice: &mut Dice, tally: &mut Tally) -> bool {
        let span = self.body.driver().span();
        let time = dice.real(span.begin, span.end);
        self.body.pose(Moment::at(time), &mut self.pose);
        let Ok(mut posed) = PosedSpheres::new(&self.tree, &self.mesh, &self.pose) else { return false };
        self.mesh.evaluate_all(&self.pose, &mut self.places).unwrap();
        let nodes = nodes.clamp(1, self.below.len());
        for place in 0..nodes {
            let node = if place == 0 {
                0
            } else {
                let other = dice.below(self.others.len() + 1 - place) + place - 1;
                self.others.swap(place - 1, other);
                self.others[place - 1]
            };
            let sphere = posed.sphere(node);
            let [x, y, z] = sphere.centre;
            // Holding every vertex is holding the farthest along all directions; six of them are counted, as of boxes.
            for &vertex in &self.below[node as usize] {
                let at = &self.places[vertex as usize];
                let off = [at[0] - x, at[1] - y, at[2] - z];
                assert!(
                    (off[0] * off[0] + off[1] * off[1] + off[2] * off[2]).sqrt() <= sphere.radius,
                    "{} at {time}, {}, node {node}: {sphere:?} misses vertex {vertex} at {at:?}",
                    self.name,
                    self.kind
                );
            }
        }
        tally.add(self.kind, 6 * nodes);
        true
    }
}

/// The same skin under spherical blending; `None` where there is nothing to blend.
pub(crate) fn spherical(body: &ReducedBody) -> Option<Arc<ReducedMesh>> {
    let mesh = body.mesh();
    if matches!(mesh.blend(), Blend::Spherical { .. }) {
        return Some(mesh.clone());
    }
    if mesh.map_count() < 2 || *mesh.blend() != Blend::Linear {
        return None;
    }
    let joints = body.driver().centres().to_vec();
    Some(Arc::new(mesh.blended(Blend::Spherical { joints }).unwrap()))
}

/// Looks at bodies in turns, at so many times each at least, until there are so many checks of either kind, if there is a body of that kind.
/// Bodies whose joints are scaled unevenly are not blended spherically.
pub(crate) fn check(cases: &[Case], wanted: usize, times: usize, dice: &mut Dice) -> Tally {
    let mut tally = Tally::default();
    for (kind, is_spherical) in [("spheres, linear", false), ("spheres, spherical", true)] {
        let mut bodies = Vec::new();
        for case in cases {
            let mesh = case.body.mesh();
            let mesh = if is_spherical { spherical(&case.body) } else { Some(mesh.clone()) };
            let mesh = mesh.filter(|mesh| matches!(mesh.blend(), Blend::Spherical { .. }) == is_spherical);
            let mesh = mesh.filter(|mesh| *mesh.blend() != Blend::Combination);
            bodies.extend(mesh.map(|mesh| Spheres::new(case, mesh, kind, dice)));
        }
        let mut rounds = 0;
        while !bodies.is_empty() && (rounds < times || tally.of(kind) < wanted) {
            let all: usize = bodies.iter().map(|body| body.below.len()).sum();
            let at_once = wanted.div_ceil(6 * times);
            bodies.retain_mut(|body| body.look((at_once * body.below.len()).div_ceil(all), dice, &mut tally));
            rounds += 1;
        }
        if !bodies.is_empty() {
            tally.looked(rounds);
        }
    }
    tally
}
