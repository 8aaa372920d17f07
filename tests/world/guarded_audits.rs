//! Audits of reduced bodies of which boxes or blended positions are not true.

use std::sync::Arc;

use kinetree::bvh::{BoundedSampler, KeyedBoxes, Topology};
use kinetree::math::Aabb;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sampler};
use kinetree::time::Side;
use kinetree::world::{BodyDef, ContactMode, World, WorldDef};

use crate::common::shapes::soup_triangles;

/// Triangles side by side, 1 m from key to key along x, with what is not true of them.
#[derive(Clone, Debug)]
struct Rows {
    rest: Vec<[f32; 3]>,
    /// How far off blended positions are, metres along z; their margin is 1 mm.
    blended_off: f32,
    /// Whether the boxes of the two halves leave out all but their lowest tenth, along y.
    low_halves: bool,
}

#[derive(Debug)]
struct BoxesOfRows(Arc<Rows>, Topology);

impl Rows {
    fn new() -> Self {
        let corner = |v: usize| [(v / 3) as f32, (v % 3 % 2) as f32, (v % 3 / 2) as f32];
        Self { rest: (0..600).map(corner).collect(), blended_off: 0.0, low_halves: false }
    }

    fn definition(self) -> BodyDef {
        let mesh = Mesh::new(self.rest.len(), soup_triangles(self.rest.len() / 3)).unwrap();
        BodyDef::bounded(mesh, Arc::new(self)).named("rows")
    }
}

impl Sampler for Rows {
    fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &self.rest
    }

    fn times(&self) -> &[f64] {
        &[0.0, 1.0]
    }

    fn jumps(&self) -> &[bool] {
        &[false, false]
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        256.0
    }

    fn largest_speed(&self) -> f64 {
        1.0
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        let [x, y, z] = self.rest[vertex as usize].map(f64::from);
        [x + key as f64, y, z]
    }
}

impl BoundedSampler for Rows {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        Some(Box::new(BoxesOfRows(self, topology)))
    }
}

impl KeyedBoxes for BoxesOfRows {
    fn topology(&self) -> &Topology {
        &self.1
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let (mut bounds, mut stack) = (Aabb::EMPTY, vec![node]);
        while let Some(below) = stack.pop() {
            stack.extend(self.1.node(below).children());
            let places = self.1.leaf_points(below).iter().map(|&vertex| self.0.position(key, side, vertex));
            bounds = places.fold(bounds, |all, place| all.union(&Aabb { min: place, max: place }));
        }
        if self.0.low_halves && self.1.node(node).parent() == Some(0) {
            bounds.max[1] = 0.9 * bounds.min[1] + 0.1 * bounds.max[1];
        }
        bounds
    }

    fn rounded_positions(
        &self,
        [(first, _), (last, _)]: [(usize, Side); 2],
        part: f64,
        vertices: &[u32],
        out: &mut [[f32; 4]],
    ) -> Option<f32> {
        let moved = (first as f64 + part * (last as f64 - first as f64)) as f32;
        for (place, &vertex) in out.iter_mut().zip(vertices) {
            let [x, y, z] = self.0.rest[vertex as usize];
            *place = [x + moved, y, z + self.0.blended_off, 0.0];
        }
        Some(0.001)
    }

    fn bytes(&self) -> usize {
        self.1.bytes()
    }
}

fn faults(world: &World) -> String {
    world.audit().faults.iter().map(|fault| fault.0.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn positions_that_are_blended_beyond_their_margin_are_named() {
    let audit = |blended_off: f32| {
        let mut world = World::new(WorldDef::default()).unwrap();
        world.add_body(Rows { blended_off, ..Rows::new() }.definition()).unwrap();
        world.advance_to(0.5).unwrap();
        assert_eq!(world.stats().engines.on_demand, 1);
        faults(&world)
    };
    assert_eq!(audit(0.0), "");
    assert!(audit(0.25).contains("is not within 0.001 of what it is rounded to"), "{}", audit(0.25));
}

/// Boxes tell that no part of a body is near a triangle, which lies in the midst of it.
#[test]
fn what_is_near_though_boxes_tell_it_is_far_is_named() {
    let triangle = vec![[50.0, 0.5, 0.25], [50.5, 0.875, 0.25], [50.0, 0.875, 0.5]];
    let audit = |low_halves: bool, is_first: bool| {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        let rows = Rows { low_halves, ..Rows::new() }.definition();
        let single = BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(triangle.clone()));
        for def in if is_first { [single, rows] } else { [rows, single] } {
            world.add_body(def).unwrap();
        }
        faults(&world)
    };
    for is_first in [false, true] {
        assert_eq!(audit(false, is_first), "");
        let found = audit(true, is_first);
        assert!(found.contains("come near in") && found.contains("and no vertex was evaluated"), "{found}");
    }
}
