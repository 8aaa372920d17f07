//! What the vertices of nodes reach along axes: every vertex counts, nothing is bounded.
//!
//! All vertices are evaluated once per time. What a leaf reaches is looked up vertex by vertex (those of its triangles, as the mesh has them), what an
//! inner node reaches is what its children do: so one time answers for all nodes, exactly.

use kinetree::bvh::Topology;
use kinetree::reduced::ReducedMesh;
use kinetree::reduced::bounds::Directions;

use crate::common::dice::Dice;

/// Those of all 26 directions, and random ones.
pub(crate) const AXES: usize = 16;
/// Where random ones begin.
pub(crate) const RANDOM: usize = 13;

/// Per axis a number.
pub(crate) type Along = [f64; AXES];

/// Axes: a pair of directions each.
pub(crate) fn axes(dice: &mut Dice) -> [[f64; 3]; AXES] {
    let fixed = Directions::twenty_six();
    let known = fixed.axes();
    assert_eq!(known.len(), RANDOM);
    std::array::from_fn(|axis| {
        known.get(axis).copied().unwrap_or_else(|| std::array::from_fn(|_| dice.real(-1.0, 1.0)))
    })
}

/// Per vertex, its coordinate along all axes.
pub(crate) fn along(axes: &[[f64; 3]; AXES], vertices: &[[f64; 3]], out: &mut Vec<Along>) {
    out.clear();
    out.extend(vertices.iter().map(|p| {
        assert!(p.iter().all(|x| x.is_finite()));
        axes.map(|axis| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2])
    }));
}

/// A tree, and what its nodes reach.
pub(crate) struct Exact {
    /// Children before their fathers: a node, its children, and where its own vertices lie among those of all leaves.
    order: Vec<(u32, Vec<u32>, std::ops::Range<usize>)>,
    points: Vec<u32>,
    /// Per node, what it reaches against all axes and along them.
    least: Vec<Along>,
    most: Vec<Along>,
    /// All nodes but the root, in an order that changes with every choice.
    others: Vec<u32>,
    chosen: Vec<u32>,
}

impl Exact {
    pub(crate) fn new(topology: &Topology, mesh: &ReducedMesh) -> Self {
        let (mut order, mut points) = (Vec::new(), Vec::new());
        for node in topology.upward() {
            let triangles = topology.primitives(node).iter();
            let mut own: Vec<u32> =
                triangles.flat_map(|&triangle| mesh.mesh().triangles()[triangle as usize]).collect();
            own.sort_unstable();
            own.dedup();
            let begin = points.len();
            points.extend(own);
            order.push((node, topology.node(node).children().to_vec(), begin..points.len()));
        }
        let count = topology.nodes().len();
        assert_eq!(order.len(), count);
        let mut found: Vec<u32> = order.iter().flat_map(|(node, ..)| topology.primitives(*node)).copied().collect();
        found.sort_unstable();
        assert!(found.iter().enumerate().all(|(index, &triangle)| index == triangle as usize));
        assert_eq!(found.len(), mesh.mesh().triangles().len());
        let (least, most) = (vec![[f64::INFINITY; AXES]; count], vec![[f64::NEG_INFINITY; AXES]; count]);
        Self { order, points, least, most, others: (1..count as u32).collect(), chosen: Vec::new() }
    }

    pub(crate) fn count(&self) -> usize {
        self.least.len()
    }

    /// Takes other places of vertices.
    pub(crate) fn set(&mut self, along: &[Along]) {
        let join = |least: &mut Along, most: &mut Along, low: &Along, high: &Along| {
            for axis in 0..AXES {
                least[axis] = if low[axis] < least[axis] { low[axis] } else { least[axis] };
                most[axis] = if high[axis] > most[axis] { high[axis] } else { most[axis] };
            }
        };
        for (node, children, points) in &self.order {
            let (mut least, mut most) = ([f64::INFINITY; AXES], [f64::NEG_INFINITY; AXES]);
            for &point in &self.points[points.clone()] {
                let place = &along[point as usize];
                join(&mut least, &mut most, place, place);
            }
            for &child in children {
                join(&mut least, &mut most, &self.least[child as usize], &self.most[child as usize]);
            }
            (self.least[*node as usize], self.most[*node as usize]) = (least, most);
        }
    }

    /// The least and largest coordinate of a node's vertices.
    pub(crate) fn of(&self, node: u32, axis: usize) -> [f64; 2] {
        [self.least[node as usize][axis], self.most[node as usize][axis]]
    }

    /// Chooses the root and random other nodes, none twice.
    pub(crate) fn choose(&mut self, count: usize, dice: &mut Dice) {
        self.chosen.clear();
        self.chosen.push(0);
        for place in 0..self.others.len().min(count.max(1) - 1) {
            let other = place + dice.below(self.others.len() - place);
            self.others.swap(place, other);
            self.chosen.push(self.others[place]);
        }
    }

    /// The chosen nodes.
    pub(crate) fn chosen(&self) -> &[u32] {
        &self.chosen
    }
}
