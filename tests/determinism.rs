//! The same input gives the same event log, bit for bit: in debug and in release, and however the
//! host divides its advances. So do packed spheres and their motion.
//!
//! Logs are those of the kinetic engine: windows and refits have no events. The hashes are pinned.
//! A change of theirs is a change of behaviour: say in the changelog what changed and why.

mod common;
mod pinned;

use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sphere, VertexFlightplan};
use kinetree::proxy::{
    Cage, DistanceField, Faults, PackingDef, PoseMap, PoseTrack, Proxy, Resolution, RigidTrack, Solid,
};
use kinetree::scenes::material::{jittered_grid_cloth, random_soup, symmetric_grid};
use kinetree::scenes::{self, ExpandingSpheresDef, Garment, TableclothDef, WalkDef, shapes, wrecks};
use kinetree::world::{BodyDef, ContactMode, World, WorldDef};

use common::lockstep::body;
use common::shapes::{sheet, sphere};
use pinned::{bodies, keyed, kinetic, pinned, world};

fn continuous() -> WorldDef {
    kinetic().contacts(ContactMode::Continuous)
}

#[test]
fn tablecloth() {
    let scene = TableclothDef { triangles: 500, keys: 30, ..TableclothDef::default() }.generate();
    pinned("tablecloth", || world(bodies(&scene), kinetic()), 1.2, 0x1b2b_fe35_e0cc_5c78);
}

#[test]
fn walking_figure_in_a_dress() {
    let scene = WalkDef { triangles: 3000, keys: 8, garment: Garment::Dress, ..WalkDef::default() }.generate();
    pinned("walker", || world(bodies(&scene), kinetic()), 0.2, 0x27b4_a1b0_4b75_1bc7);
}

#[test]
fn expanding_spheres() {
    let scene = ExpandingSpheresDef { triangles: 500, ..ExpandingSpheresDef::default() }.generate();
    pinned("spheres", || world(bodies(&scene), continuous()), 3.0, 0xab0b_6be9_4622_5c17);
}

#[test]
fn soups_in_continuous_contact() {
    let (a, b) = (random_soup(1, 40, 6, 1.0), random_soup(2, 40, 6, 1.0));
    pinned("soups", || world(vec![keyed(&a), keyed(&b).self_contact(true)], continuous()), 0.2, 0x836b_45b3_15da_70ce);
}

#[test]
fn a_symmetric_grid_full_of_ties() {
    let grid = symmetric_grid(8, 8, 6, [true, false, true]);
    let cloth = jittered_grid_cloth(3, 10, 10, 6);
    pinned("grid", || world(vec![keyed(&grid), keyed(&cloth)], kinetic()), 0.2, 0x2345_8445_29f2_f1ff);
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
        let mut world = World::new(kinetic()).unwrap();
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
    assert_eq!(once.0, 0x6a36_2f2f_eb44_e758, "loops: {:#018x}, {} events", once.0, once.1);
}

#[test]
fn box_trees_of_a_tablecloth() {
    let scene = TableclothDef { triangles: 500, keys: 30, ..TableclothDef::default() }.generate();
    pinned("tablecloth", || world(with_box_trees(bodies(&scene)), kinetic()), 1.2, 0x181a_b882_42ea_91a4);
}

#[test]
fn box_trees_of_a_symmetric_grid_full_of_ties() {
    let grid = symmetric_grid(16, 16, 6, [true, false, true]);
    let cloth = jittered_grid_cloth(3, 20, 20, 6);
    pinned("grid", || world(with_box_trees(vec![keyed(&grid), keyed(&cloth)]), kinetic()), 0.2, 0x7552_5c91_38a0_f52a);
}

fn with_box_trees(defs: Vec<BodyDef>) -> Vec<BodyDef> {
    defs.into_iter().map(|body| body.tree(TreeKind::Box)).collect()
}

#[test]
fn curves_and_changed_plans() {
    let run = |advances: u32| {
        let mut world = World::new(kinetic().keep_events(true)).unwrap();
        let (cloth, ball) = (sheet(10, 10), sphere([4.0, 5.0, 3.0], 2.0, 3));
        let mut tangents = Vec::new();
        let mut positions = Vec::new();
        for key in 0..4u32 {
            for (vertex, p) in cloth.0.iter().enumerate() {
                let wave = ((vertex as u32 * 7 + key * 13) % 11) as f32 / 8.0;
                positions.push([0.75 * p[0], p[1], p[2] + wave]);
                tangents.push([0.0, 0.25 * wave, 2.0 - wave]);
            }
        }
        let hermite = Flightplan::hermite(vec![0.0, 0.5, 1.25, 2.0], positions, tangents.clone(), tangents);
        let mesh = Mesh::new(cloth.0.len(), cloth.1.clone()).unwrap();
        let cloth = world.add_body(BodyDef::new(mesh, hermite.outside(Outside::Loop))).unwrap();
        let velocities = (0..ball.0.len()).map(|v| [0.5, 0.0, (v % 5) as f32 / 4.0]).collect();
        world.add_body(body(&ball, Flightplan::ballistic(0.0, ball.0.clone(), velocities, [0.0, -0.5, -2.0]))).unwrap();
        for part in 0..3u32 {
            for step in 1..=advances {
                world.advance_to(f64::from(part) + f64::from(step) / f64::from(advances)).unwrap();
            }
            let plan =
                VertexFlightplan::Ballistic { from: None, velocity: [0.0, 0.25, 1.0], acceleration: [0.0, 0.0, -1.5] };
            world.set_vertex_flightplans(cloth, &[(part * 17, plan)]).unwrap();
        }
        (world.log().hash(), world.log().count(), world.contacts().len())
    };
    let once = run(1);
    assert_eq!(once, run(37));
    assert!(once.1 > 1000, "{once:?}");
    assert_eq!(once.0, 0x5fc7_fc8f_16f8_d3ae, "{:#018x}, {} events", once.0, once.1);
}

/// FNV-1a over the bits of numbers and spheres.
fn fingerprint<'a>(numbers: &[f64], spheres: impl IntoIterator<Item = &'a Sphere>) -> u64 {
    let spheres =
        spheres.into_iter().flat_map(|sphere| [sphere.centre[0], sphere.centre[1], sphere.centre[2], sphere.radius]);
    let numbers = numbers.iter().copied().chain(spheres);
    numbers.fold(0xcbf2_9ce4_8422_2325, |hash, value| (hash ^ value.to_bits()).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A generated mesh and its positions.
fn parts(mesh: &scenes::Mesh) -> (Mesh, Vec<[f64; 3]>) {
    let positions = mesh.positions.iter().map(|position| position.map(f64::from)).collect();
    (Mesh::new(mesh.positions.len(), mesh.triangles.clone()).unwrap(), positions)
}

fn solid(mesh: &scenes::Mesh) -> Solid {
    let (mesh, positions) = parts(mesh);
    Solid::new(&mesh, &positions, Faults::Refuse).unwrap().0
}

#[test]
fn packings() {
    let cases: [(&str, Solid, u32, PackingDef, u64); 4] = [
        (
            "sphere",
            solid(&shapes::icosphere(1_280, 1.0)),
            24,
            PackingDef { r_min: 0.1, r_max: 0.4, max_count: usize::MAX },
            12_439_571_571_924_935_203,
        ),
        (
            "cube",
            solid(&shapes::cuboid(300, [1.0; 3])),
            24,
            PackingDef { r_min: 0.1, r_max: 0.5, max_count: usize::MAX },
            15_447_202_432_852_175_175,
        ),
        (
            "car",
            solid(&wrecks::car()),
            48,
            PackingDef { r_min: 0.0, r_max: 0.5, max_count: 114 },
            15_388_151_806_989_024_392,
        ),
        (
            "barrel",
            solid(&wrecks::barrel()),
            32,
            PackingDef { r_min: 0.0, r_max: 0.2, max_count: 60 },
            640_924_636_376_257_053,
        ),
    ];
    let found = cases.each_ref().map(|(name, solid, cells, def, wanted)| {
        let field = DistanceField::new(solid, Resolution::CellsAlongLongest(*cells)).unwrap();
        let packing = def.pack(&field).unwrap();
        println!("{name}: {} spheres, {}", packing.spheres().len(), fingerprint(&[], packing.spheres()));
        (*name, fingerprint(&[], packing.spheres()), *wanted)
    });
    for (name, hash, wanted) in found {
        assert_eq!(hash, wanted, "{name}");
    }
}

#[test]
fn proxies_that_dent_and_turn() {
    let def = PackingDef { r_min: 0.03, r_max: 0.12, max_count: 60 };
    let rest = solid(&wrecks::barrel());
    let example = |(index, mesh)| {
        let (mesh, positions) = parts(mesh);
        rest.example(index + 1, &mesh, &positions).unwrap()
    };
    let poses: Vec<_> = wrecks::barrel_poses().iter().enumerate().map(example).collect();
    let packing = def.pack(&DistanceField::new(&rest, Resolution::CellsAlongLongest(24)).unwrap()).unwrap();
    let cage = Cage::around(&rest, 6).unwrap();
    let cage_poses: Vec<_> = poses.iter().map(|pose| cage.fit(&rest, pose).unwrap()).collect();
    let map = PoseMap::Cage { cage: &cage, poses: &cage_poses };
    let proxy = Proxy::new(&rest, &packing, def, &poses, map).unwrap();
    let sites = proxy.site_count();
    let mut dents = PoseTrack::rest(sites, proxy.pose_count()).unwrap();
    let shares: Vec<f64> = (0..sites).map(|site| (site % 7) as f64 / 7.0).collect();
    dents.raise(0.5, 0.1, 2, &shares).unwrap();
    dents.raise(0.9, 0.3, 1, &vec![0.4; sites]).unwrap();
    dents.raise(1.1, 0.05, 3, &shares).unwrap();
    let turned = |angle: f64| {
        let (sin, cos) = (libm::sin(0.5 * angle), libm::cos(0.5 * angle));
        [0.6 * sin, 0.0, 0.8 * sin, cos]
    };
    let motion = RigidTrack::new(
        vec![0.0, 0.7, 1.4],
        vec![[0.0; 3], [0.3, 1.0, 0.0], [0.5, 0.0, 0.1]],
        [0.0, 1.9, 2.5].map(turned).to_vec(),
    )
    .unwrap();
    let keys = motion.compose(&proxy.keys(&dents).unwrap(), 1e-3).unwrap();
    assert!(keys.times.len() > 10);
    let found = fingerprint(&keys.times, keys.spheres.iter().flatten());
    assert_eq!(found, 17_864_906_533_340_506_974, "{} keys", keys.times.len());
}
