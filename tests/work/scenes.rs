//! Bodies of the scenes; all are generated, with the same bits on every machine.

use std::sync::Arc;

use kinetree::bvh::{BoundedSampler, BuildParams, Builder, Width};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::reduced::{
    Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::scenes::material::{folding_strip, jittered_grid_cloth, random_soup, random_velocities};
use kinetree::scenes::{
    Clip, ExpandingSpheresDef, GeneratedScene, Random, SkinnedFigureDef, TableclothDef, WalkDef, shapes,
};
use kinetree::world::{BodyDef, Filter, RebuildPolicy};

use crate::pinned;

fn mesh(vertices: usize, triangles: &[[u32; 3]]) -> Mesh {
    Mesh::new(vertices, triangles.to_vec()).unwrap()
}

fn keyed(clip: &Clip, outside: Outside) -> BodyDef {
    let mut def = pinned::keyed(clip);
    def.motion = def.motion.outside(outside);
    def
}

fn bodies(scene: &GeneratedScene) -> Vec<BodyDef> {
    pinned::bodies(scene).into_iter().zip(&scene.bodies).map(|(def, body)| def.named(body.name())).collect()
}

pub(crate) fn tablecloth() -> Vec<BodyDef> {
    bodies(&TableclothDef { triangles: 1_000, keys: 40, ..TableclothDef::default() }.generate())
}

/// The body has a tree with leaves of one triangle, and is rebuilt.
pub(crate) fn dress() -> Vec<BodyDef> {
    let mut bodies = bodies(&WalkDef { triangles: 4_000, keys: 4, ..WalkDef::default() }.generate());
    let build = BuildParams { builder: Builder::MedianSplit, leaf_size: 1, width: Width::Two };
    bodies[0] = bodies[0].clone().build(build).rebuild(RebuildPolicy::Automatic { bound: 1.05 });
    bodies
}

/// Against itself, and through another one of a different number of keys.
pub(crate) fn folding() -> Vec<BodyDef> {
    let strip = |half_cells, keys| keyed(&folding_strip(half_cells, keys), Outside::Hold).self_contact(true);
    vec![strip(20, 9), strip(15, 6).thickness(0.05), strip(12, 9).tree(TreeKind::Box)]
}

pub(crate) fn spheres() -> Vec<BodyDef> {
    let mut bodies = bodies(&ExpandingSpheresDef { triangles: 600, ..ExpandingSpheresDef::default() }.generate());
    bodies[1] = bodies[1].clone().tree(TreeKind::Box);
    let ball = random_velocities(7, &shapes::icosphere(320, 0.4), 0.01);
    let plan = Flightplan::velocities(0.0, ball.positions.clone(), ball.velocities.clone());
    let shape = mesh(ball.positions.len(), &ball.triangles);
    bodies.push(BodyDef::new(shape, plan).named(ball.name).self_contact(true));
    bodies
}

/// Boxes that fly, loop, or rest, some of them in one place; groups that do not meet.
pub(crate) fn drifting() -> Vec<BodyDef> {
    let random = &mut Random::new(5);
    let mut drifting = Vec::new();
    for number in 0..56_u32 {
        let size = random.between(0.1, 0.4);
        let cuboid = shapes::cuboid(12, [size, 0.7 * size, 0.3]);
        let spread = if number < 42 { 4.0 } else { 0.6 };
        let [place, way] = [random.in_cube(spread), random.in_cube(3.0)];
        let at = |part: f64| -> Vec<[f32; 3]> {
            let moved = |point: &[f32; 3]| [0, 1, 2].map(|k| (f64::from(point[k]) + place[k] + part * way[k]) as f32);
            cuboid.positions.iter().map(moved).collect()
        };
        let plan = match number % 4 {
            0 => Flightplan::fixed(at(0.0)),
            1 => {
                let velocity = way.map(|x| (0.25 * x) as f32);
                Flightplan::velocities(0.0, at(0.0), vec![velocity; cuboid.positions.len()])
            }
            2 => {
                Flightplan::keyframes(vec![0.0, 2.0, 5.0], [at(0.0), at(1.0), at(0.0)].concat()).outside(Outside::Loop)
            }
            _ => Flightplan::keyframes(vec![0.0, 3.0, 12.0], [at(-1.0), at(1.0), at(0.5)].concat()),
        };
        let filter = if number % 7 == 0 { Filter::new(2, 1) } else { Filter::default() };
        let def = BodyDef::new(mesh(cuboid.positions.len(), &cuboid.triangles), plan).filter(filter);
        drifting.push(def.thickness(if number % 5 == 0 { 0.1 } else { 0.0 }));
    }
    drifting
}

/// Two sheets that loop with different periods and one that does not, all at one place.
pub(crate) fn looping() -> Vec<BodyDef> {
    let sheet = |seed, cells, keys, outside| keyed(&jittered_grid_cloth(seed, cells, cells, keys), outside);
    vec![
        sheet(1, 14, 9, Outside::Loop).self_contact(true),
        sheet(2, 12, 6, Outside::Loop),
        sheet(3, 10, 30, Outside::Hold).tree(TreeKind::Box),
    ]
}

/// Triangles that fly about, in trees of every kind, width and builder.
pub(crate) fn soups() -> Vec<BodyDef> {
    let soup = |seed, triangles, builder, leaf_size, width| {
        let clip = random_soup(seed, triangles, 7, 1.0);
        keyed(&clip, Outside::Hold).build(BuildParams { builder, leaf_size, width })
    };
    vec![
        soup(1, 60, Builder::MedianSplit, 1, Width::Two),
        soup(2, 60, Builder::BinnedSurfaceArea, 4, Width::Four),
        soup(3, 60, Builder::MedianSplit, 2, Width::Two).tree(TreeKind::Box),
        soup(4, 30, Builder::BinnedSurfaceArea, 1, Width::Two).tree(TreeKind::Box).self_contact(true),
    ]
}

/// Two figures that walk on the spot, close to each other, and a wall through one of them.
pub(crate) fn figures() -> Vec<BodyDef> {
    let figure =
        SkinnedFigureDef { triangles: 1_200, keys: 16, forward: false, ..SkinnedFigureDef::default() }.generate();
    let shape = mesh(figure.positions.len(), &figure.triangles);
    let lists = figure.weights.iter().map(|pair| pair.to_vec());
    let influences = Influences::convex(figure.bones, lists, WeightPolicy::Strict).unwrap();
    let rest = figure.positions.clone();
    let def = ReducedDef { mesh: shape.clone(), rest, influences, morphs: Vec::new(), blend: Blend::Linear };
    let reduced = Arc::new(ReducedMesh::new(def).unwrap());
    let walker = |x: f64, outside: Outside| {
        let at = Affine::from_parts([x, 0.0, 0.1 * x], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
        let poses = figure.poses.chunks(figure.bones).map(|bones| Pose {
            maps: bones.iter().map(|&rows| at.after(&Affine::from_rows(rows))).collect(),
            morphs: Vec::new(),
        });
        let centres = vec![[0.0, 0.9, 0.0]; figure.bones];
        let driver = PoseKeys::new(&figure.times, poses.collect(), centres, outside).unwrap();
        let body = ReducedBody::new(Arc::clone(&reduced), Arc::new(driver)).unwrap();
        let sampler: Arc<dyn BoundedSampler> = body.sampler(body.pieces(0.001).unwrap()).unwrap();
        BodyDef::bounded(shape.clone(), sampler)
    };
    let wall = shapes::grid(200, 1.2);
    let upright = wall.positions.iter().map(|[x, _, z]| [*x, 1.0 + z, 0.07]).collect();
    vec![
        walker(0.0, Outside::Hold).self_contact(true),
        walker(0.35, Outside::Loop),
        BodyDef::new(mesh(wall.positions.len(), &wall.triangles), Flightplan::fixed(upright)),
    ]
}

/// The vertices of a body at each of its keys.
type Frames = Vec<Vec<[f32; 3]>>;

/// Two sheets of which two keys are known, and the keys that follow.
pub(crate) fn streamed() -> (Vec<BodyDef>, Vec<Frames>) {
    let stream = |seed: u64| {
        let clip = jittered_grid_cloth(seed, 12, 12, 6);
        let frames: Frames = (0..clip.key_count()).map(|key| clip.key(key).to_vec()).collect();
        let plan = Flightplan::keyframes(vec![0.0, 1.0 / 12.0], frames[..2].concat());
        (BodyDef::new(mesh(clip.vertex_count, &clip.triangles), plan), frames)
    };
    [stream(11), stream(12)].into_iter().unzip()
}
