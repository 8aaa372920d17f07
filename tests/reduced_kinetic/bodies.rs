//! Bodies of every kind: bounded ones of every model, and partners for them.

use std::sync::Arc;

use kinetree::bvh::{BoundedSampler, BuildParams};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::{Flightplan, Outside, Sphere};
use kinetree::reduced::{Blend, Meshless, ReducedBody, ReducedDef, ReducedMesh, Tetrahedra};
use kinetree::time::Span;
use kinetree::world::BodyDef;

use crate::common::dice::{Dice, Grain};
use crate::common::scene::{Style, random_body};
use crate::reduced_skins::{Flavour, scene, vector};
use crate::reduced_support::{Spinner, Weights, body, random_mesh};

/// How a bounded body is deformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Skin,
    Morphs,
    Spherical,
    /// Morphs without a skin, weights of either sign: also modes.
    Combination,
    Meshless,
    /// Jumps from stretch to stretch, and at the wrap of its loop.
    Jumping,
    /// Many vertices that move little.
    Long,
    /// Embedded in tetrahedra.
    Tetrahedra,
    /// A skin that several clips move together.
    Mixed,
    /// Thousands of vertices: most nodes are boxed, and not blended. Too slow for brute force.
    Large,
}

pub(crate) const MODELS: [Model; 9] = [
    Model::Skin,
    Model::Morphs,
    Model::Spherical,
    Model::Combination,
    Model::Meshless,
    Model::Jumping,
    Model::Long,
    Model::Tetrahedra,
    Model::Mixed,
];

/// Points in a row of cells of tetrahedra whose nodes move.
fn tetrahedra(seed: u64) -> ReducedBody {
    let dice = &mut Dice::new(seed, &[46]);
    const CELLS: u32 = 4;
    let places: Vec<[f64; 3]> =
        (0..4 * (CELLS + 1)).map(|v| [f64::from(v / 4), f64::from(v % 2), f64::from(v / 2 % 2)]).collect();
    // A cube is one tetrahedron in the middle and four at its corners.
    let parts = [[0, 3, 5, 6], [1, 0, 3, 5], [2, 0, 3, 6], [4, 0, 5, 6], [7, 3, 5, 6]];
    let all = (0..CELLS).flat_map(|cell| parts.map(|part| part.map(|corner| 4 * cell + corner)));
    let model = Tetrahedra::new(places.clone(), all.collect()).unwrap();
    let times: Vec<f64> = (0..16).map(|key| 0.25 * f64::from(key) - 0.6).collect();
    let keys: Vec<Vec<[f64; 3]>> = times
        .iter()
        .map(|_| {
            let shift = vector(dice, 0.6);
            places
                .iter()
                .map(|p| (p, vector(dice, 0.3)))
                .map(|(p, v)| std::array::from_fn(|k| p[k] + v[k] + shift[k]))
                .collect()
        })
        .collect();
    let driver = model.driver(&times, &keys, dice.pick(&[Outside::Hold, Outside::Loop])).unwrap();
    let rest: Vec<[f32; 3]> = (0..90)
        .map(|_| [dice.real(0.0, f64::from(CELLS)), dice.real(0.0, 1.0), dice.real(0.0, 1.0)].map(|x| x as f32))
        .collect();
    let mesh = Mesh::new(90, (0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    let influences = model.influences(&rest).unwrap();
    let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blend::Combination };
    ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap()
}

/// The first of some random skins that a mix of several clips moves.
fn mixed(seed: u64) -> ReducedBody {
    let mut scenes = (0..100).map(|round| scene(1000 * (seed + 1) + round, Flavour::Turns));
    scenes.find(|scene| scene.mix.layers.len() > 1 && scene.clips.len() > 1).expect("a mix").body
}

fn meshless(seed: u64) -> ReducedBody {
    let dice = &mut Dice::new(seed, &[41]);
    let places: Vec<[f64; 3]> = (0..27).map(|i| [i % 3, i / 3 % 3, i / 9].map(|x| 0.5 * f64::from(x) - 0.5)).collect();
    let model = Meshless::new(places.clone(), 1.1).unwrap();
    let times: Vec<f64> = (0..24).map(|key| 0.15 * f64::from(key) - 0.4).collect();
    let keys: Vec<Vec<[f64; 3]>> = times
        .iter()
        .map(|_| {
            let shift = vector(dice, 0.5);
            places.iter().map(|_| vector(dice, 0.2)).map(|v| std::array::from_fn(|k| v[k] + shift[k])).collect()
        })
        .collect();
    let driver = model.driver(&times, &keys, dice.pick(&[Outside::Hold, Outside::Loop])).unwrap();
    let rest: Vec<[f32; 3]> = (0..90).map(|_| vector(dice, 0.5).map(|x| x as f32)).collect();
    let mesh = Mesh::new(90, (0..30).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    let influences = model.influences(&rest).unwrap();
    let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blend::Linear };
    ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap()
}

/// A body and the sampler of its motion.
pub(crate) fn bounded(model: Model, seed: u64) -> (ReducedBody, Arc<dyn BoundedSampler>) {
    let dice = &mut Dice::new(seed, &[40, model as u64]);
    let skin = |flavour| {
        let body = scene(seed, flavour).body;
        // Nothing is known of spherical blending in between.
        let is_rigid = flavour == Flavour::Rigid;
        let pieces = if is_rigid { body.pieces_at_rate(12.0) } else { body.pieces(0.01) }.unwrap();
        (body, pieces)
    };
    let (body, pieces) = match model {
        Model::Skin => skin(Flavour::Turns),
        Model::Morphs => skin(Flavour::Everything),
        Model::Spherical => skin(Flavour::Rigid),
        Model::Meshless => {
            let body = meshless(seed);
            let pieces = body.pieces_at_rate(1.0).unwrap();
            (body, pieces)
        }
        Model::Tetrahedra => {
            let body = tetrahedra(seed);
            let pieces = body.pieces_at_rate(4.0).unwrap();
            (body, pieces)
        }
        Model::Mixed => {
            let body = mixed(seed);
            let pieces = body.pieces(0.02).unwrap();
            (body, pieces)
        }
        Model::Combination | Model::Jumping | Model::Long | Model::Large => {
            let (vertices, maps, stretches, wildness, weights) = match model {
                Model::Combination => (60, 4, 1, 0.4, Weights::Signed),
                Model::Long => (600, 10, 1, 0.06, Weights::Smooth),
                Model::Large => (4000, 24, 1, 0.05, Weights::Smooth),
                _ => (90, 4, 4, 0.5, Weights::Random(4)),
            };
            let morphs = dice.below(3);
            let mesh = random_mesh(dice, vertices, maps, morphs, weights);
            let mut driver = Spinner::random(dice, maps, morphs, stretches, wildness);
            driver.outside = if model == Model::Jumping { Outside::Loop } else { Outside::Hold };
            let body = body(&mesh, driver);
            let pieces = body.pieces_at_rate(if model == Model::Jumping { 6.0 } else { 30.0 }).unwrap();
            (body, pieces)
        }
    };
    let sampler = body.sampler(pieces).unwrap();
    (body, sampler)
}

/// The definition of a bounded body whose tree has more than a few nodes.
pub(crate) fn bounded_definition(body: &ReducedBody, sampler: Arc<dyn BoundedSampler>) -> BodyDef {
    let def = BodyDef::bounded(body.mesh().mesh().clone(), sampler);
    let build = BuildParams { leaf_size: if body.mesh().vertex_count() > 99 { 4 } else { 1 }, ..def.tree.build };
    def.build(build)
}

/// The definition of a bounded body.
pub(crate) fn definition(model: Model, seed: u64) -> BodyDef {
    let (body, sampler) = bounded(model, seed);
    bounded_definition(&body, sampler).named(format!("{model:?}"))
}

/// One partner of each kind: keyframes, a BoxTree, cubics, spheres, a velocity field, rest.
pub(crate) fn partners(seed: u64) -> Vec<BodyDef> {
    let dice = &mut Dice::new(seed, &[42]);
    let window = Span { begin: -1.0, end: 12.0 };
    let keyed = Style { grain: Grain::Real, long: false, triangles: 8, keys: 5, curved: 0 };
    let curved = Style { curved: 100, ..keyed };
    let mut bodies = vec![
        random_body(dice, keyed, window, 0).definition("keys"),
        random_body(dice, keyed, window, 0).definition("box tree").tree(TreeKind::Box),
        random_body(dice, curved, window, 0).definition("cubics"),
    ];
    let keys: Vec<Sphere> =
        (0..12).map(|_| Sphere { centre: vector(dice, 1.5), radius: dice.real(0.1, 0.5) }).collect();
    let spheres = Flightplan::spheres(vec![-1.0, 1.0, 4.0], keys);
    bodies.push(BodyDef::new(Spheres::new(4).unwrap(), spheres).named("spheres"));
    let corners = vec![[-2.0, -2.0, 0.5], [2.0, -2.0, 0.6], [0.0, 3.0, 0.5]];
    let triangle = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let drift = vec![[0.1, 0.0, -0.3]; 3];
    bodies.push(BodyDef::new(triangle(), Flightplan::velocities(-1.0, corners.clone(), drift)).named("velocities"));
    bodies.push(BodyDef::new(triangle(), Flightplan::fixed(corners)).named("rest"));
    bodies
}
