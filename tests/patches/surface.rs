//! Points of the surface against basis functions by their definition, and the hull property.

use kinetree::BodyId;
use kinetree::kinetic::TreeKind;
use kinetree::math::Aabb;
use kinetree::mesh::{Patch, Patches, Primitives};
use kinetree::motion::Flightplan;
use kinetree::world::{BodyDef, World, WorldDef};

use super::common::dice::Dice;
use super::common::lockstep::ENGINES;
use super::{net, random_body, random_patches};

/// The basis function of a degree by its recursive definition, in the span that begins at a knot.
fn basis(knots: &[f64], i: usize, degree: usize, span: usize, u: f64) -> f64 {
    if degree == 0 {
        return f64::from(u8::from(i == span));
    }
    let part = |from: f64, to: f64, of: f64| if to > from { of / (to - from) } else { 0.0 };
    let rising = part(knots[i], knots[i + degree], u - knots[i]);
    let falling = part(knots[i + 1], knots[i + degree + 1], knots[i + degree + 1] - u);
    rising * basis(knots, i, degree - 1, span, u) + falling * basis(knots, i + 1, degree - 1, span, u)
}

/// A point of a whole patch, from all of its control points.
fn by_definition(patch: &Patch, begins: [f64; 2], [u, v]: [f64; 2], positions: &[[f64; 3]]) -> [f64; 3] {
    let spans: [usize; 2] =
        std::array::from_fn(|k| patch.knots()[k].iter().rposition(|&knot| knot == begins[k]).expect("a knot"));
    let (mut sum, mut weights) = ([0.0; 3], 0.0);
    for (place, &vertex) in patch.control().iter().enumerate() {
        let (row, column) = (place / patch.counts()[1], place % patch.counts()[1]);
        let weight = patch.weight(place)
            * basis(&patch.knots()[0], row, patch.degrees()[0], spans[0], u)
            * basis(&patch.knots()[1], column, patch.degrees()[1], spans[1], v);
        weights += weight;
        for k in 0..3 {
            sum[k] += weight * positions[vertex as usize][k];
        }
    }
    sum.map(|x| x / weights)
}

#[test]
fn points_of_the_surface_by_definition() {
    let (mut asked, mut spans, mut rational) = (0, 0, 0);
    for seed in 0..150 {
        let mut dice = Dice::new(seed, &[1]);
        let patches = random_patches(&mut dice, 3);
        let positions: Vec<[f64; 3]> =
            (0..patches.vertex_count()).map(|_| std::array::from_fn(|_| dice.real(-4.0, 4.0))).collect();
        spans += patches.primitive_count();
        for number in 0..patches.primitive_count() as u32 {
            let span = patches.span(number).unwrap();
            let patch = &patches.patches()[span.patch as usize];
            rational += usize::from(patches.weights_of(number).unwrap().any(|weight| weight != 1.0));
            assert!(span.u[0] < span.u[1] && span.v[0] < span.v[1]);
            for _ in 0..6 {
                let at: [f64; 2] =
                    std::array::from_fn(|_| if dice.percent(30) { dice.pick(&[0.0, 1.0]) } else { dice.unit() });
                let parameter = [(span.u, at[0]), (span.v, at[1])].map(|([from, to], s)| from + s * (to - from));
                let expected = by_definition(patch, [span.u[0], span.v[0]], parameter, &positions);
                let found = patches.evaluate(number, at, &net(&patches, number, &positions)).unwrap();
                for k in 0..3 {
                    assert!((found[k] - expected[k]).abs() < 1e-12, "{patch:?} {at:?}: {found:?} {expected:?}");
                }
                asked += 1;
            }
        }
    }
    assert!(asked > 5_000 && spans > 900 && rational > 300, "{asked} {spans} {rational}");
}

/// A quarter of a cylinder, which only weights can make round; and a plane, which stays one.
#[test]
fn surfaces_known_by_heart() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let round = Patch::bezier([2, 1], (0..6).collect()).weights(vec![1.0, 1.0, half, half, 1.0, 1.0]);
    let patches = Patches::new(6, vec![round]).unwrap();
    let corners = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let control: Vec<[f64; 3]> = corners.iter().flat_map(|&[x, y]| [[x, y, 0.0], [x, y, 2.0]]).collect();
    for step in 0..=32 {
        let [x, y, z] = patches.evaluate(0, [f64::from(step) / 32.0, 0.25], &control).unwrap();
        assert!((x * x + y * y - 1.0).abs() < 1e-15 * 4.0 && (z - 0.5).abs() < 1e-15, "{x} {y} {z}");
    }
    assert_eq!(patches.evaluate(0, [-3.0, f64::NAN], &control), Ok(control[0]));
    assert_eq!(patches.evaluate(0, [7.0, f64::INFINITY], &control), Ok(control[5]));
}

/// At any time, a point of the surface lies in the boxes of all nodes above its span: a query at that point finds it.
#[test]
fn the_surface_lies_in_the_boxes() {
    let mut asked = 0;
    for seed in 0..12 {
        for kind in [TreeKind::Aabb, TreeKind::Box] {
            let mut dice = Dice::new(seed, &[2]);
            let bodies: Vec<BodyDef> = (0..2).map(|_| random_body(&mut dice, 4)).collect();
            for engine in ENGINES {
                let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
                let ids: Vec<BodyId> =
                    bodies.iter().map(|body| world.add_body(body.clone().tree(kind)).unwrap()).collect();
                for _ in 0..6 {
                    world.advance_to(world.time() + dice.real(0.0, 0.7)).unwrap();
                    for &id in &ids {
                        let (patches, positions) = (world.patches(id).unwrap().unwrap(), world.positions(id).unwrap());
                        let span = dice.below(patches.primitive_count()) as u32;
                        let control = net(patches, span, &positions);
                        for _ in 0..4 {
                            let point = patches.evaluate(span, [dice.unit(), dice.unit()], &control).unwrap();
                            let (found, _) = world.query_box(&Aabb { min: point, max: point });
                            assert!(found.contains(&(id, span)), "{engine:?}, span {span}");
                            let sight = [point[0] - 1.0, point[1], point[2]];
                            let (seen, _) = world.ray_candidates(sight, [0.5, 0.0, 0.0], 4.0);
                            assert!(seen.contains(&(id, span)) && seen.is_sorted());
                            assert_eq!(world.cast_ray(sight, [0.5, 0.0, 0.0], 4.0).0, None);
                            asked += 1;
                        }
                    }
                }
                assert!(world.audit().is_clean(), "{}", world.audit());
            }
        }
    }
    assert!(asked > 4_000, "{asked}");
}

/// All control points at one place, on a line, or one vertex named throughout.
#[test]
fn patches_of_no_size() {
    for engine in ENGINES {
        let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
        let point = Patches::new(1, vec![Patch::bezier([3, 3], vec![0; 16]).weights(vec![3.0; 16])]).unwrap();
        let line = Patches::new(16, vec![Patch::bezier([3, 3], (0..16).collect())]).unwrap();
        let a = world.add_body(BodyDef::new(point.clone(), Flightplan::fixed(vec![[2.0, 0.0, 0.0]]))).unwrap();
        let keys: Vec<[f32; 3]> =
            [-4.0, 2.0].iter().flat_map(|&x| (0..16).map(move |k| [x + k as f32 / 16.0, 0.0, 0.0])).collect();
        let b = world.add_body(BodyDef::new(line, Flightplan::keyframes(vec![0.0, 1.0], keys))).unwrap();
        assert_eq!(world.candidates().count(), 0);
        world.advance_to(1.0).unwrap();
        let found: Vec<_> = world.candidates().map(|candidate| (candidate.a, candidate.b)).collect();
        assert_eq!(found, [(a, b)]);
        assert!(world.audit().is_clean());
        assert_eq!(point.evaluate(0, [0.3, 0.7], &[[2.0, 0.0, 0.0]; 16]), Ok([2.0, 0.0, 0.0]));
    }
}
