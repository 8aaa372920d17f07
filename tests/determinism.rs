//! The same input gives the same event log, bit for bit: in debug and in release, and however the host divides its advances.
//!
//! They are those of the live engine: windows and refits have no events. The hashes are pinned.
//! A change of theirs is a change of behaviour: say in the changelog what changed and why.

mod pinned;

use kinetree::motion::{Outside, VertexFlightplan};
use kinetree::scenes::material::{jittered_grid_cloth, random_soup, symmetric_grid};
use kinetree::scenes::{ExpandingSpheresDef, Garment, TableclothDef, WalkDef};
use kinetree::world::{ContactMode, World, WorldDef};

use pinned::{bodies, keyed, live, pinned, world};

fn continuous() -> WorldDef {
    live().contacts(ContactMode::Continuous)
}

#[test]
fn tablecloth() {
    let scene = TableclothDef { triangles: 500, keys: 30, ..TableclothDef::default() }.generate();
    pinned("tablecloth", || world(bodies(&scene), live()), 1.2, 0x2105_2893_e583_a5b2);
}

#[test]
fn walking_figure_in_a_dress() {
    let scene = WalkDef { triangles: 3000, keys: 8, garment: Garment::Dress, ..WalkDef::default() }.generate();
    pinned("walker", || world(bodies(&scene), live()), 0.2, 0xbf31_499b_fbd6_2171);
}

#[test]
fn expanding_spheres() {
    let scene = ExpandingSpheresDef { triangles: 500, ..ExpandingSpheresDef::default() }.generate();
    pinned("spheres", || world(bodies(&scene), continuous()), 3.0, 0x5e9f_71d4_1f55_2ab7);
}

#[test]
fn soups_in_continuous_contact() {
    let (a, b) = (random_soup(1, 40, 6, 1.0), random_soup(2, 40, 6, 1.0));
    pinned("soups", || world(vec![keyed(&a), keyed(&b).self_contact(true)], continuous()), 0.2, 0x7b62_b442_965c_6fe0);
}

#[test]
fn a_symmetric_grid_full_of_ties() {
    let grid = symmetric_grid(8, 8, 6, [true, false, true]);
    let cloth = jittered_grid_cloth(3, 10, 10, 6);
    pinned("grid", || world(vec![keyed(&grid), keyed(&cloth)], live()), 0.2, 0x9648_b3c4_4177_3a13);
}

#[test]
fn looping_clips_and_changed_plans() {
    let (a, b) = (random_soup(5, 30, 5, 1.0), random_soup(6, 30, 4, 1.0));
    let looping = |clip: &kinetree::scenes::Clip| {
        let mut def = keyed(clip);
        def.motion = def.motion.outside(Outside::Loop);
        def
    };
    let history = |advances: u32| {
        let mut world = World::new(live()).unwrap();
        let first = world.add_body(looping(&a)).unwrap();
        world.add_body(looping(&b)).unwrap();
        for change in 0..4u32 {
            let plans: Vec<(u32, VertexFlightplan)> = (0..5)
                .map(|v| {
                    let velocity = [0.5, -0.25, f64::from(v) * 0.125];
                    (v + 7 * change, VertexFlightplan::Velocity { from: None, velocity })
                })
                .collect();
            world.set_vertex_flightplans(first, &plans).unwrap();
            for step in 1..=advances {
                world.advance_to(0.25 * (f64::from(change) + f64::from(step) / f64::from(advances))).unwrap();
            }
        }
        (world.log().hash(), world.log().count())
    };
    let once = history(1);
    assert_eq!(history(50), once);
    assert!(once.1 > 100);
    assert_eq!(once.0, 0xe8a4_14e5_5c44_c311, "loops: {:#018x}, {} events", once.0, once.1);
}
