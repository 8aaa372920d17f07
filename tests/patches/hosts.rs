//! The narrow phase of a host: what it is shown, in which order, and what comes of its answers.

use kinetree::mesh::{Mesh, Patch, Patches, Primitives};
use kinetree::motion::Flightplan;
use kinetree::narrow::triangles_touch;
use kinetree::world::{BodyDef, Candidate, ContactMode, NarrowPhase, NextEvent, PrimitiveAt, World, WorldDef};

use super::common::dice::Dice;
use super::random_body;

/// Notes what it is shown, and says yes to every other pair.
struct Clerk<'a> {
    world: &'a World,
    shown: Vec<(Candidate, f64)>,
}

impl NarrowPhase for Clerk<'_> {
    fn touch(&mut self, a: PrimitiveAt<'_>, b: PrimitiveAt<'_>, distance: f64) -> bool {
        for side in [a, b] {
            let patches = self.world.patches(side.body).unwrap().unwrap();
            assert_eq!(side.vertices, patches.points_of(side.primitive as usize));
            let positions = self.world.positions(side.body).unwrap();
            let expected: Vec<[f64; 3]> = side.vertices.iter().map(|&vertex| positions[vertex as usize]).collect();
            assert_eq!(side.positions, expected);
        }
        let (primitive_a, primitive_b) = (a.primitive, b.primitive);
        self.shown.push((Candidate::new([a.body, b.body], [primitive_a, primitive_b]), distance));
        self.shown.len() % 2 == 1
    }
}

#[test]
fn the_host_is_shown_every_candidate_once_in_order() {
    let mut dice = Dice::new(1, &[7]);
    let mut world = World::new(WorldDef::default()).unwrap();
    let ids: Vec<_> = (0..3).map(|_| world.add_body(random_body(&mut dice, 3).thickness(0.25)).unwrap()).collect();
    let mut most = 0;
    for step in 0..16 {
        world.advance_to(0.25 * f64::from(step)).unwrap();
        let mut clerk = Clerk { world: &world, shown: Vec::new() };
        let touching = world.test_candidates(&mut clerk);
        let shown: Vec<Candidate> = clerk.shown.iter().map(|&(candidate, _)| candidate).collect();
        assert!(world.candidates().eq(shown.iter().copied()));
        assert!(clerk.shown.iter().all(|&(_, distance)| distance == 0.25));
        assert!(shown.iter().copied().step_by(2).eq(touching));
        let mut clerk = Clerk { world: &world, shown: Vec::new() };
        world.test_candidates_between(ids[1], ids[0], &mut clerk).unwrap();
        let between = shown.iter().filter(|candidate| (candidate.a, candidate.b) == (ids[0], ids[1])).count();
        assert_eq!(clerk.shown.len(), between);
        most = most.max(shown.len());
    }
    assert!(most > 10, "{most}");
}

/// A host that takes a span of a flat bilinear patch for the two triangles it is.
struct Flat;

impl NarrowPhase for Flat {
    fn touch(&mut self, a: PrimitiveAt<'_>, b: PrimitiveAt<'_>, _: f64) -> bool {
        let halves = |p: &[[f64; 3]]| [[p[0], p[1], p[2]], [p[1], p[2], p[3]]];
        halves(a.positions).iter().any(|x| halves(b.positions).iter().any(|y| triangles_touch(x, y)))
    }
}

#[test]
fn a_host_decides_what_boxes_cannot() {
    // A sheet of 3 × 3 bilinear spans in the plane z = 0, and one span that stands on its edge and comes down on the middle.
    let knots = vec![0.0, 0.0, 1.0, 2.0, 3.0, 3.0];
    let sheet = Patch::nurbs([1, 1], [4, 4], (0..16).collect(), [knots.clone(), knots]);
    let places = (0..16).map(|k| [(k / 4) as f32, (k % 4) as f32, 0.0]).collect();
    let mut world = World::new(WorldDef::default()).unwrap();
    let sheet = Patches::new(16, vec![sheet]).unwrap();
    assert_eq!(sheet.primitive_count(), 9);
    world.add_body(BodyDef::new(sheet, Flightplan::fixed(places))).unwrap();
    let blade = |z: f32| [[1.25, 1.25, z], [1.75, 1.75, z], [1.25, 1.25, z + 1.0], [1.75, 1.75, z + 1.0]];
    let plan = Flightplan::keyframes(vec![0.0, 1.0], [blade(2.0), blade(-0.5)].concat());
    let one = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])]).unwrap();
    world.add_body(BodyDef::new(one, plan)).unwrap();
    assert!(world.test_candidates(&mut Flat).is_empty());
    world.advance_to(1.0).unwrap();
    let touching = world.test_candidates(&mut Flat);
    assert_eq!(touching.iter().map(|c| (c.primitive_a, c.primitive_b)).collect::<Vec<_>>(), [(4, 0)]);
    assert!(world.contacts().is_empty() && world.contact_changes().is_empty());
}

/// What touches in a pair with patches is the host's concern: it does not hide when triangles touch next.
#[test]
fn patches_do_not_hide_the_next_event() {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    let blade = |x: f32| [[x, 0.0, -1.0], [x + 1.0, 1.0, -1.0], [x, 0.0, 1.0], [x + 1.0, 1.0, 1.0]];
    let one = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])]).unwrap();
    let plan = Flightplan::keyframes(vec![0.0, 4.0], [blade(0.0), blade(0.5)].concat());
    world.add_body(BodyDef::new(one, plan)).unwrap();
    let floor = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
    // Its lowest corner comes down.
    let pointer = |z: f32| [[0.5, 0.5, z], [1.0, 0.5, z + 1.0], [0.5, 1.0, z + 1.0]];
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    world.add_body(BodyDef::new(mesh(), Flightplan::fixed(floor))).unwrap();
    let falls = Flightplan::keyframes(vec![0.0, 4.0], [pointer(2.0), pointer(-2.0)].concat());
    world.add_body(BodyDef::new(mesh(), falls)).unwrap();
    let mut steps = 0;
    while let NextEvent::At(time) = world.next_event() {
        world.advance_to(time).unwrap();
        steps += 1;
        if !world.contact_changes().is_empty() || steps > 1000 {
            break;
        }
    }
    assert_eq!((world.contact_changes().len(), (world.time() - 2.0).abs() < 1e-9), (1, true), "at {} s", world.time());
}
