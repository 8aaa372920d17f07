//! Samplers whose boxes or jumps are wrong are found by the audit.

use std::sync::Arc;

use kinetree::bvh::{BoundedSampler, KeyedBoxes, Topology, check_bounded_sampler};
use kinetree::math::Aabb;
use kinetree::motion::{MotionError, Sampler};
use kinetree::time::Side;
use kinetree::world::{Engine, World, WorldDef};

use crate::bodies::{MODELS, Model, bounded, bounded_definition};
use crate::common::handed_on::handed_on;

/// A sampler with boxes that are scaled about their middles, or moved, and that may keep quiet about jumps.
#[derive(Debug)]
struct Liar {
    inner: Arc<dyn BoundedSampler>,
    scale: f64,
    shift: f64,
    jumps: Vec<bool>,
}

#[derive(Debug)]
struct LiarBoxes(Box<dyn KeyedBoxes>, f64, f64);

impl Sampler for Liar {
    handed_on!(inner: vertex_count, rest_positions, times, outside, largest_coordinate, largest_speed, position);

    fn jumps(&self) -> &[bool] {
        &self.jumps
    }
}

impl BoundedSampler for Liar {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let boxes = self.inner.clone().boxes_over(topology)?;
        Some(Box::new(LiarBoxes(boxes, self.scale, self.shift)))
    }
}

impl KeyedBoxes for LiarBoxes {
    handed_on!(0: topology, bytes);

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let mut bounds = self.0.key_box(key, side, node);
        for axis in 0..3 {
            let (middle, half) = (0.5 * (bounds.min[axis] + bounds.max[axis]), bounds.max[axis] - bounds.min[axis]);
            bounds.min[axis] = middle - 0.5 * self.1 * half + self.2;
            bounds.max[axis] = middle + 0.5 * self.1 * half + self.2;
        }
        bounds
    }
}

/// Faults of a world with one body at several times: kinetic, or bounded on demand where contacts are found at times.
fn faults(model: Model, engine: Engine, lie: impl FnOnce(Liar) -> Liar) -> usize {
    let (body, inner) = bounded(model, 3);
    let jumps = inner.jumps().to_vec();
    let (begin, end) = (inner.times()[0], inner.times()[inner.times().len() - 1]);
    let sampler = Arc::new(lie(Liar { inner, scale: 1.0, shift: 0.0, jumps }));
    let mut world = World::new(WorldDef::default().start(begin).engine(engine)).unwrap();
    world.add_body(bounded_definition(&body, sampler)).unwrap();
    let engines = world.stats().engines;
    assert_eq!((engines.kinetic_bounded, engines.on_demand), if engine == Engine::Auto { (0, 1) } else { (1, 0) });
    let mut faults = 0;
    for step in 0..12 {
        world.advance_to(begin + (end - begin) * f64::from(step) / 12.0).unwrap();
        faults += world.audit().faults.len();
    }
    faults
}

#[test]
fn boxes_that_miss_a_vertex_are_found() {
    for engine in [Engine::Kinetic, Engine::Auto] {
        for model in MODELS {
            assert_eq!(faults(model, engine, |liar| liar), 0, "{engine:?}, {model:?}");
            assert!(faults(model, engine, |liar| Liar { shift: 100.0, ..liar }) > 0, "{engine:?}, {model:?}");
            // Two in a hundred are more than a rounding.
            assert!(faults(model, engine, |liar| Liar { scale: 0.98, ..liar }) > 0, "{engine:?}, {model:?}");
        }
    }
    // Jumps that are not stated: certificates would reach across them. On demand they do no harm, as a key has boxes on both sides.
    let silent = |liar: Liar| Liar { jumps: vec![false; liar.jumps.len()], ..liar };
    assert!(faults(Model::Jumping, Engine::Kinetic, silent) > 0);
    assert_eq!(faults(Model::Jumping, Engine::Auto, silent), 0);
}

/// The check for hosts names what the audit would find.
#[test]
fn the_check_names_key_node_and_vertex() {
    for model in MODELS {
        let check = |lie: &dyn Fn(Liar) -> Liar| {
            let (body, inner) = bounded(model, 3);
            let jumps = inner.jumps().to_vec();
            let sampler = Arc::new(lie(Liar { inner, scale: 1.0, shift: 0.0, jumps }));
            check_bounded_sampler(sampler, body.mesh().mesh())
        };
        assert_eq!(check(&|liar| liar), Ok(()), "{model:?}");
        let moved = check(&|liar| Liar { shift: -9.0, ..liar });
        assert!(matches!(moved, Err(MotionError::OutsideBox { key: 0, node: 0, .. })), "{model:?}: {moved:?}");
        let small = check(&|liar| Liar { scale: 0.98, ..liar });
        assert!(matches!(small, Err(MotionError::OutsideBox { .. })), "{model:?}: {small:?}");
        let silent = check(&|liar| Liar { jumps: vec![false; liar.jumps.len()], ..liar });
        let is_found = matches!(silent, Err(MotionError::HiddenJump { .. }));
        let has_jumps = bounded(model, 3).1.jumps().contains(&true);
        assert_eq!(is_found, has_jumps, "{model:?}: {silent:?}");
    }
}
