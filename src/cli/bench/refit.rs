//! The rival: boxes of bodies that move refitted bottom-up for every frame.

use super::body::{Body, test_triangles};
use super::contender::{Contender, Held, Work};
use crate::bvh::{BuildParams, Hierarchy, Topology};
use crate::cli::Failure;
use crate::motion::VertexFlightplan;
use crate::refit::{RefitTree, candidate_triangles};
use crate::time::{Moment, NEVER};

pub(super) struct BottomUp {
    bodies: [Body; 2],
    trees: [RefitTree; 2],
    moves: [bool; 2],
    now: Moment,
    candidates: Vec<(u32, u32)>,
}

impl BottomUp {
    pub(super) fn new(bodies: [Body; 2], build: BuildParams) -> Self {
        let trees = [0, 1].map(|side: usize| {
            let (body, start) = (&bodies[side], bodies[side].start());
            RefitTree::new(Topology::build(&body.mesh, &start, build), &body.mesh, &start)
        });
        let moves = bodies.each_ref().map(|body| body.motion.rests_until(0.0) != Some(NEVER));
        Self { bodies, trees, moves, now: Moment::at(0.0), candidates: Vec::new() }
    }
}

impl Contender for BottomUp {
    /// Interpolates all vertices and refits all boxes of the bodies that move.
    fn advance_to(&mut self, time: f64) -> Result<(), Failure> {
        self.now = Moment::at(time);
        for ((body, tree), _) in self.bodies.iter().zip(&mut self.trees).zip(self.moves).filter(|(_, moves)| *moves) {
            tree.refit_with(|vertices, points| body.motion.rounded_positions(self.now, vertices, points));
        }
        Ok(())
    }

    fn check(&mut self, found: &mut Vec<(u32, u32)>) {
        self.bodies.iter_mut().for_each(|body| body.begin_frame(self.now));
        self.candidates.clear();
        let [a, b] = &self.trees;
        candidate_triangles(a, b, 0.0, |p, q| self.candidates.push((p, q)));
        for &(p, q) in &self.candidates {
            test_triangles(&mut self.bodies, &[p], &[q], found);
        }
    }

    fn replan(&mut self, body: usize, plans: &[(u32, VertexFlightplan)]) -> Result<(), Failure> {
        Ok(self.bodies[body].motion.set_vertex_plans(plans, self.now)?)
    }

    fn is_incremental(&self) -> bool {
        false
    }

    fn work(&self) -> Work {
        let moving = self.trees.iter().zip(self.moves).filter(|(_, moves)| *moves);
        Work { nodes: moving.map(|(tree, _)| tree.topology().nodes().len()).sum(), ..Work::default() }
    }

    fn held(&self) -> Held {
        Held { bytes: self.trees.iter().map(RefitTree::bytes).sum(), ..Held::default() }
    }
}
