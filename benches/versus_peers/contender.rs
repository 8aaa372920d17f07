//! What a contender does, and what all of them share: positions at a frame and the exact test in batches.

use kinetree::interval::FrameContacts;
use kinetree::narrow::ContactRule;

use crate::scene::{Frame, Rule, Scene};

/// Something that finds all pairs of triangles that touch, frame by frame. Everything it does between two keys is timed.
pub trait Contender {
    /// The next key is known: work on boxes that is done once per interval.
    fn key(&mut self, _scene: &Scene, _interval: usize) {}

    /// Work on pairs that is done once per interval.
    fn prepare(&mut self, _scene: &Scene, _interval: usize) {}

    /// Brings boxes up to a frame.
    fn update(&mut self, _scene: &Scene, _frame: &Frame) {}

    /// Finds all pairs that touch at that frame; of one body the lower number may come first or last.
    fn query(&mut self, scene: &Scene, frame: &Frame, found: &mut Vec<(u32, u32)>);

    /// Must every frame be brought up to, even if it is not asked about?
    fn needs_every_frame(&self) -> bool {
        false
    }

    /// Bytes held besides mesh and keys.
    fn bytes(&self) -> usize;
}

/// Positions in `f64`, evaluated once per vertex and frame and only where asked for, and the exact test behind a batched one.
pub struct Tester {
    positions: [Vec<[f64; 3]>; 2],
    stamps: [Vec<u32>; 2],
    stamp: u32,
    test: FrameContacts,
}

impl Tester {
    pub fn new(scene: &Scene) -> Self {
        let counts = [scene.a.mesh.vertex_count(), scene.second().mesh.vertex_count()];
        Self {
            positions: counts.map(|count| vec![[0.0; 3]; count]),
            stamps: counts.map(|count| vec![0; count]),
            stamp: 0,
            test: FrameContacts::new(&scene.rule()),
        }
    }

    /// Another frame: positions are evaluated anew.
    pub fn begin(&mut self) {
        self.stamp += 1;
    }

    /// Where the corners of a triangle are at the frame begun.
    #[inline]
    pub fn corners(&mut self, scene: &Scene, frame: &Frame, side: usize, triangle: u32) -> [[f64; 3]; 3] {
        let side = if scene.b.is_none() { 0 } else { side };
        let actor = if side == 0 { &scene.a } else { scene.second() };
        let (positions, stamps) = (&mut self.positions[side], &mut self.stamps[side]);
        actor.mesh.triangles()[triangle as usize].map(|vertex| {
            let place = &mut positions[vertex as usize];
            if stamps[vertex as usize] != self.stamp {
                stamps[vertex as usize] = self.stamp;
                *place = actor.position(vertex, frame);
            }
            *place
        })
    }

    /// Tests pairs of triangles at a frame.
    pub fn test(
        &mut self,
        scene: &Scene,
        frame: &Frame,
        pairs: impl Iterator<Item = (u32, u32)>,
        found: &mut Vec<(u32, u32)>,
    ) {
        self.stamp += 1;
        let Self { positions, stamps, stamp, test } = self;
        let rule: Rule<'_> = scene.rule();
        let is_self = scene.b.is_none();
        let corners = |side: usize, triangle: u32| {
            let side = if is_self { 0 } else { side };
            let actor = if side == 0 { &scene.a } else { scene.second() };
            let (positions, stamps) = (&mut positions[side], &mut stamps[side]);
            let mut corners = [[0.0; 3]; 3];
            for (corner, &vertex) in corners.iter_mut().zip(&actor.mesh.triangles()[triangle as usize]) {
                let place = &mut positions[vertex as usize];
                if stamps[vertex as usize] != *stamp {
                    stamps[vertex as usize] = *stamp;
                    *place = actor.position(vertex, frame);
                }
                *corner = *place;
            }
            corners
        };
        test.touching(pairs.filter(|&(p, q)| rule.wants(p, q)), corners, &rule, |p, q| found.push((p, q)));
    }

    pub fn bytes(&self) -> usize {
        self.positions.iter().map(|list| list.len() * 24).sum::<usize>()
            + self.stamps.iter().map(|list| list.len() * 4).sum::<usize>()
    }
}

/// Positions of all vertices at a frame in `f32`, and the margin that pays for their rounding.
#[derive(Default)]
pub struct Points {
    pub points: Vec<[f32; 4]>,
    pub margin: f32,
}

impl Points {
    pub fn evaluate(&mut self, actor: &crate::scene::Actor, time: f64) {
        self.points.resize(actor.vertices.len(), [0.0; 4]);
        self.margin =
            actor.motion.rounded_positions(kinetree::time::Moment::at(time), &actor.vertices, &mut self.points);
    }

    /// The box of a triangle, widened by the margin.
    #[inline(always)]
    pub fn bounds(&self, corners: &[u32; 3]) -> ([f32; 3], [f32; 3]) {
        let [p, q, r] = corners.map(|corner| self.points[corner as usize]);
        let less = |a: f32, b: f32| if a < b { a } else { b };
        let more = |a: f32, b: f32| if a > b { a } else { b };
        (
            std::array::from_fn(|axis| less(less(p[axis], q[axis]), r[axis]) - self.margin),
            std::array::from_fn(|axis| more(more(p[axis], q[axis]), r[axis]) + self.margin),
        )
    }

    pub fn bytes(&self) -> usize {
        self.points.len() * 16
    }
}
