//! Continuous contacts of bounded bodies found interval by interval, under engine auto: those of separation lists, which engine kinetic
//! has; nothing is blended where bodies do not come near, every key once where they do; blended positions that are wrong are found.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kinetree::bvh::{BoundedSampler, KeyedBoxes, Topology};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Sampler};
use kinetree::time::Side;
use kinetree::world::{BodyDef, ContactChange, ContactMode, Engine, World, WorldDef};

use crate::bodies::{MODELS, Model, bounded, bounded_definition, definition, partners};
use crate::common::dice::Dice;
use crate::common::handed_on::handed_on;
use crate::reduced_skins::rounds;

/// A sampler whose blended positions are counted, and may be off along x by a multiple of their margin.
#[derive(Debug)]
struct Blending {
    inner: Arc<dyn BoundedSampler>,
    blended: Arc<AtomicUsize>,
    off: f32,
}

#[derive(Debug)]
struct BlendingBoxes(Box<dyn KeyedBoxes>, Arc<AtomicUsize>, f32);

impl Sampler for Blending {
    handed_on!(inner: vertex_count, rest_positions, times, jumps, outside, largest_coordinate, largest_speed, position);
}

impl BoundedSampler for Blending {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let boxes = self.inner.clone().boxes_over(topology)?;
        Some(Box::new(BlendingBoxes(boxes, self.blended.clone(), self.off)))
    }
}

impl KeyedBoxes for BlendingBoxes {
    handed_on!(0: topology, key_box, bytes);

    fn rounded_positions(
        &self,
        keys: [(usize, Side); 2],
        part: f64,
        vertices: &[u32],
        out: &mut [[f32; 4]],
    ) -> Option<f32> {
        let margin = self.0.rounded_positions(keys, part, vertices, out)?;
        self.1.fetch_add(vertices.len(), Ordering::Relaxed);
        out.iter_mut().for_each(|place| place[0] += self.2 * margin);
        Some(margin)
    }
}

/// A wall across x, and a long body in a world with continuous contacts, audited at every step: vertices blended, contacts seen, faults.
fn walk(wall: f32, off: f32) -> (usize, usize, usize) {
    let (body, inner) = bounded(Model::Long, 2);
    let (begin, end) = (inner.times()[0], inner.times()[inner.times().len() - 1]);
    let blended: Arc<AtomicUsize> = Arc::default();
    let mut world = World::new(WorldDef::default().start(begin).contacts(ContactMode::Continuous)).unwrap();
    let plan = Flightplan::fixed(vec![[wall, -9.0, -9.0], [wall, 9.0, -9.0], [wall, 0.0, 9.0]]);
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
    let sampler = Blending { inner, blended: blended.clone(), off };
    world.add_body(bounded_definition(&body, Arc::new(sampler))).unwrap();
    assert_eq!(world.stats().engines.kinetic_bounded, 1);
    let (mut seen, mut faults) = (0, 0);
    for step in 1..=50 {
        world.advance_to(begin + (end - begin) * f64::from(step) / 50.0).unwrap();
        seen += world.contacts().len();
        faults += world.audit().faults.len();
    }
    (blended.load(Ordering::Relaxed), seen, faults)
}

#[test]
fn nothing_is_blended_far_away_and_every_key_once_near() {
    let (_, inner) = bounded(Model::Long, 2);
    let (vertices, keys) = (inner.vertex_count(), inner.times().len());
    assert_eq!(walk(40.0, 0.0), (0, 0, 0));
    let (blended, seen, faults) = walk(4.5, 0.0);
    assert!(blended > 0 && seen > 0 && faults == 0, "{blended} blended, {seen} contacts, {faults} faults");
    // Where nothing meets for some keys in between, the key before the next one that meets is blended again.
    assert!(blended <= vertices * (keys + keys / 4), "{blended} blended of {vertices} vertices at {keys} keys");
}

/// Boxes of whole bodies overlap, those of their parts do not.
#[test]
fn nothing_is_blended_where_parts_are_far_apart() {
    let (body, inner) = bounded(Model::Long, 2);
    let mut places = Vec::new();
    inner.positions(0, Side::After, &mut (0..inner.vertex_count() as u32), &mut places);
    let low: [f64; 3] = std::array::from_fn(|k| places.iter().fold(f64::MAX, |low, place| low.min(place[k])));
    let high: [f64; 3] = std::array::from_fn(|k| places.iter().fold(f64::MIN, |high, place| high.max(place[k])));
    println!("{low:?} {high:?} {}", body.mesh().mesh().triangle_count());
    // A triangle at the corner of the box that is farthest from every vertex.
    let corners =
        (0..8).map(|bits| -> [f64; 3] { std::array::from_fn(|k| if bits >> k & 1 == 0 { low[k] } else { high[k] }) });
    let gap = |corner: &[f64; 3]| {
        let square = |place: &[f64; 3]| (0..3).map(|k| (place[k] - corner[k]).powi(2)).sum::<f64>();
        places.iter().map(square).fold(f64::MAX, f64::min)
    };
    let corner = corners.max_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
    let inward: [f64; 3] = std::array::from_fn(|k| 0.01 * (0.5 * (low[k] + high[k]) - corner[k]));
    let triangle: Vec<[f32; 3]> = (0..3)
        .map(|turn| std::array::from_fn(|k| (corner[k] + f64::from(u8::from(k == turn)) * inward[k]) as f32))
        .collect();
    let begin = inner.times()[0];
    let blended: Arc<AtomicUsize> = Arc::default();
    let mut world = World::new(WorldDef::default().start(begin).contacts(ContactMode::Continuous)).unwrap();
    world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), Flightplan::fixed(triangle))).unwrap();
    let sampler = Blending { inner, blended: blended.clone(), off: 0.0 };
    world.add_body(bounded_definition(&body, Arc::new(sampler))).unwrap();
    assert_eq!((world.stats().pairs, world.contacts().len()), (1, 0));
    assert_eq!(blended.load(Ordering::Relaxed), 0);
    let audit = world.audit();
    assert!(audit.is_clean(), "{audit}");
}

#[test]
fn positions_blended_elsewhere_are_found() {
    assert!(walk(4.5, 3.0).2 > 0);
}

/// What began and ended, in an order of its own.
fn changes(world: &World) -> Vec<ContactChange> {
    let mut changes = world.contact_changes().to_vec();
    changes.sort_by(|a, b| {
        let key = |change: &ContactChange| (change.contact(), change.is_begin());
        key(a).cmp(&key(b)).then(a.time().lo.total_cmp(&b.time().lo))
    });
    changes
}

/// From the first key on: loops have no intervals before.
#[test]
fn intervals_have_the_contacts_of_lists() {
    let (mut seen, mut changed, mut intervals) = (0, 0, 0);
    for seed in 0..rounds(1) {
        let mut dice = Dice::new(seed, &[47]);
        let mut worlds = [Engine::Auto, Engine::Kinetic].map(|engine| {
            let def = WorldDef::default().start(0.5).engine(engine).contacts(ContactMode::Continuous);
            World::new(def.keep_events(true)).unwrap()
        });
        let models = [0, 1, 3, 5].map(|step| MODELS[(seed as usize + step) % MODELS.len()]);
        let bounded = models.into_iter().enumerate().map(|(place, model)| {
            let thickness = if dice.percent(30) { 0.05 } else { 0.0 };
            definition(model, 90 * seed + place as u64).self_contact(dice.percent(30)).thickness(thickness)
        });
        let bodies: Vec<BodyDef> = bounded.chain(partners(seed)).collect();
        for def in bodies {
            worlds.iter_mut().for_each(|world| {
                world.add_body(def.clone()).unwrap();
            });
        }
        let [auto, lists] = &mut worlds;
        let mut time = 0.5;
        for _ in 0..20 {
            time += dice.pick(&[0.01, 0.1, 0.3]);
            auto.advance_to(time).unwrap();
            lists.advance_to(time).unwrap();
            assert_eq!(auto.contacts(), lists.contacts(), "seed {seed}, {time} s");
            assert_eq!(changes(auto), changes(lists), "seed {seed}, up to {time} s");
            let audit = auto.audit();
            assert!(audit.is_clean(), "seed {seed}, {time} s: {audit}");
            seen += auto.contacts().len();
            changed += auto.contact_changes().len();
        }
        intervals += auto.stats().engines.intervals;
        assert_eq!(lists.stats().engines.intervals, 0, "seed {seed}");
    }
    println!("{seen} contacts, {changed} changes, {intervals} intervals");
    assert!(seen > 150 && changed > 80 && intervals > 30, "{seen} contacts, {changed} changes, {intervals} intervals");
}
