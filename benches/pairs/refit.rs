//! The refit that is raced against.

use kinetree::bvh::Builder;
use kinetree::narrow::batch::{Directions, PairBatch};
use kinetree::narrow::{ContactRule, triangles_touch};
use kinetree::refit::{RefitTree, candidate_triangles};
use kinetree::time::Moment;

use super::Engine;
use super::scene::{Actor, Scene};

/// Positions of all vertices at a frame: `f64` for the exact test; the tree takes them from there.
fn interpolate(actor: &Actor, interval: usize, part: f64, at: Moment, out: &mut Vec<[f64; 3]>) {
    if actor.keys.is_empty() {
        out.clear();
        out.extend((0..actor.mesh.vertex_count() as u32).map(|vertex| actor.on_line(vertex, at.time())));
        return;
    }
    out.resize(actor.mesh.vertex_count(), [0.0; 3]);
    let (before, after) = (actor.key(interval), actor.key(interval + 1));
    for ((out, before), after) in out.iter_mut().zip(before).zip(after) {
        for axis in 0..3 {
            let (x, y) = (f64::from(before[axis]), f64::from(after[axis]));
            out[axis] = x + (y - x) * part;
        }
    }
}

/// Interpolates, refits, traverses, tests in batches.
pub struct Refit {
    trees: [Option<RefitTree>; 2],
    positions: [Vec<[f64; 3]>; 2],
    batch: PairBatch<1>,
    waiting: Vec<(u32, u32)>,
}

impl Refit {
    pub fn new(scene: &Scene, leaf_size: usize) -> Self {
        let tree = |actor: &Actor| {
            RefitTree::new(actor.topology(leaf_size, Builder::BinnedSurfaceArea), &actor.mesh, &actor.start())
        };
        Self {
            trees: [Some(tree(&scene.a)), scene.b.as_ref().map(tree)],
            positions: [scene.a.start(), scene.b.as_ref().map(Actor::start).unwrap_or_default()],
            // Coordinates are below 16 m.
            batch: PairBatch::new(0.0, 16.0 / f64::from(1 << 23)),
            waiting: Vec::new(),
        }
    }
}

fn narrow(corners: [[f64; 3]; 3]) -> [[[f32; 3]; 3]; 1] {
    [corners.map(|corner| corner.map(|x| x as f32))]
}

impl Engine for Refit {
    fn interval(&mut self, scene: &Scene, interval: usize, frames: usize) -> u64 {
        let mut count = 0;
        let rule = scene.rule();
        for (frame, time) in scene.frames(interval, frames).enumerate() {
            let part = (frame + 1) as f64 / frames as f64;
            for side in 0..2 {
                let Some(actor) = [Some(&scene.a), scene.b.as_ref()][side] else { continue };
                let Some(tree) = &mut self.trees[side] else { continue };
                if !actor.is_fixed() {
                    interpolate(actor, interval, part, Moment::at(time), &mut self.positions[side]);
                    tree.refit(&self.positions[side]);
                }
            }
            let (tree_a, tree_b) = (self.trees[0].as_ref().expect("a tree"), self.trees[1].as_ref());
            let is_self = tree_b.is_none();
            let (mesh_a, mesh_b) = (scene.a.mesh.triangles(), scene.second().mesh.triangles());
            let (of_a, of_b) = (&self.positions[0], if is_self { &self.positions[0] } else { &self.positions[1] });
            let corners = |mesh: &[[u32; 3]], positions: &[[f64; 3]], triangle: u32| {
                mesh[triangle as usize].map(|vertex| positions[vertex as usize])
            };
            let (batch, waiting) = (&mut self.batch, &mut self.waiting);
            let mut flush = |batch: &mut PairBatch<1>, waiting: &mut Vec<(u32, u32)>| {
                let apart = batch.apart(Directions::Faces);
                for (place, &(p, q)) in waiting.iter().enumerate() {
                    if apart >> place & 1 == 0 {
                        count += u64::from(triangles_touch(&corners(mesh_a, of_a, p), &corners(mesh_b, of_b, q)));
                    }
                }
                batch.clear();
                waiting.clear();
            };
            candidate_triangles(tree_a, tree_b.unwrap_or(tree_a), 0.0, |p, q| {
                if is_self && !rule.wants(p, q) {
                    return;
                }
                batch.push(&narrow(corners(mesh_a, of_a, p)), &narrow(corners(mesh_b, of_b, q)));
                waiting.push((p, q));
                if batch.is_full() {
                    flush(batch, waiting);
                }
            });
            flush(batch, waiting);
        }
        count
    }

    fn bytes(&self) -> usize {
        self.trees.iter().flatten().map(RefitTree::bytes).sum::<usize>()
            + self.positions.iter().map(|positions| positions.capacity() * size_of::<[f64; 3]>()).sum::<usize>()
    }
}
