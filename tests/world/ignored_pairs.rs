//! Pairs of triangles that are left out because they touch already, beside others of the same two bodies that are not.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, IgnoredContacts, World, WorldDef};

use crate::common::kinds::MODES;

/// Two triangles ten metres apart along x, upright or lying, the second one at a height.
fn two(is_upright: bool, height: f32) -> Vec<[f32; 3]> {
    let triangle = |x: f32, z: f32| {
        let far = if is_upright { [x, 0.25, z + 1.0] } else { [x - 1.0, 2.0, z] };
        [[x - 1.0, -1.0, z], [x + 1.0, if is_upright { 1.0 } else { -1.0 }, z], far]
    };
    [triangle(0.0, if is_upright { -0.5 } else { 0.0 }), triangle(10.0, height)].concat()
}

#[test]
fn ignored_pairs_take_no_other_pair_with_them() {
    let mesh = || Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    for ignored in [IgnoredContacts::AtRest, IgnoredContacts::AtStart, IgnoredContacts::None] {
        for (engine, mode) in MODES {
            let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
            world.add_body(BodyDef::new(mesh(), Flightplan::fixed(two(false, 0.0)))).unwrap();
            let keys = [two(true, 1.0), two(true, -1.0), two(true, -3.0)].concat();
            let plan = Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys);
            world.add_body(BodyDef::new(mesh(), plan).ignoring_contacts(ignored)).unwrap();
            // The second triangle passes the floor from 0.5 s to 1 s.
            for (time, touches) in [(0.25, false), (0.75, true), (0.875, true), (1.5, false)] {
                world.advance_to(time).unwrap();
                let told: Vec<_> = world.contacts().iter().map(|c| (c.triangle_a, c.triangle_b)).collect();
                let first = (ignored == IgnoredContacts::None).then_some((0, 0));
                let expected: Vec<_> = first.into_iter().chain(touches.then_some((1, 1))).collect();
                assert_eq!(told, expected, "{ignored:?} {engine:?} {mode:?} at {time} s");
            }
        }
    }
}

/// A triangle that stands in another one of the same body all the time, and one that comes down on it later.
#[test]
fn triangles_of_one_body_that_touch_already_are_left_out() {
    let upright = |x: f32, z: f32| [[x, -1.0, z - 0.5], [x, 1.0, z - 0.5], [x, 0.0, z + 0.5]];
    let floor = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];
    let key = |z: f32| [floor, upright(-1.0, 0.0), upright(1.0, z)].concat();
    for ignored in [IgnoredContacts::AtRest, IgnoredContacts::AtStart, IgnoredContacts::None] {
        for (engine, mode) in MODES {
            let mut world = World::new(WorldDef::new().engine(engine).contacts(mode)).unwrap();
            let mesh = Mesh::new(9, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]]).unwrap();
            let plan = Flightplan::keyframes(vec![0.0, 1.0], [key(2.0), key(0.0)].concat());
            world.add_body(BodyDef::new(mesh, plan).self_contact(true).ignoring_contacts(ignored)).unwrap();
            for (time, touches) in [(0.5, false), (0.875, true)] {
                world.advance_to(time).unwrap();
                let told: Vec<_> = world.contacts().iter().map(|c| (c.triangle_a, c.triangle_b)).collect();
                let first = (ignored == IgnoredContacts::None).then_some((0, 1));
                let expected: Vec<_> = first.into_iter().chain(touches.then_some((0, 2))).collect();
                assert_eq!(told, expected, "{ignored:?} {engine:?} {mode:?} at {time} s");
            }
        }
    }
}
