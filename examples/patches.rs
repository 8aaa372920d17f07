//! A host that decides what touches a patch: a drop of rational Bézier patches falls on a rippling B-spline sheet.
//!
//! The library knows from the control points which spans may touch at a time; this host then cuts both into flat triangles and
//! tests these exactly. That is the host's approximation: a gap or a touch smaller than the deviation of a cut from the surface
//! is not seen. A host that needs more may halve the cuts until they agree, or solve for the surfaces' distance.
//!
//! `cargo run --release --example patches`

use kinetree::mesh::{Patch, Patches};
use kinetree::motion::Flightplan;
use kinetree::narrow::triangles_touch;
use kinetree::world::{BodyDef, NarrowPhase, PrimitiveAt, World, WorldDef};

/// Takes a span for the triangles between `CUTS + 1` points of the surface along each direction.
struct ByCutting<'a> {
    world: &'a World,
    shown: usize,
}

const CUTS: usize = 8;

impl ByCutting<'_> {
    fn triangles(&self, span: PrimitiveAt<'_>) -> Vec<[[f64; 3]; 3]> {
        let Ok(Some(patches)) = self.world.patches(span.body) else { return Vec::new() };
        let share = |k: usize| k as f64 / CUTS as f64;
        let point = |i: usize, j: usize| {
            patches.evaluate(span.primitive, [share(i), share(j)], span.positions).expect("a span of the body")
        };
        let cells = (0..CUTS).flat_map(|i| (0..CUTS).map(move |j| (i, j)));
        let halves = cells.flat_map(|(i, j)| {
            let [p, q, r, s] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            [[p, q, r], [p, r, s]]
        });
        halves.collect()
    }
}

impl NarrowPhase for ByCutting<'_> {
    fn touch(&mut self, a: PrimitiveAt<'_>, b: PrimitiveAt<'_>, _distance: f64) -> bool {
        self.shown += 1;
        let (of_a, of_b) = (self.triangles(a), self.triangles(b));
        of_a.iter().any(|x| of_b.iter().any(|y| triangles_touch(x, y)))
    }
}

/// Patches and the rest positions of their control points.
type Surface = (Patches, Vec<[f32; 3]>);

/// A bicubic sheet of 6 × 6 spans over 9 × 9 control points, 4 m wide.
fn sheet() -> Result<Surface, Box<dyn std::error::Error>> {
    let knots: Vec<f64> = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 6, 6, 6].map(f64::from).to_vec();
    let patch = Patch::nurbs([3, 3], [9, 9], (0..81).collect(), [knots.clone(), knots]);
    let places = (0..81).map(|k| [(k / 9) as f32 * 0.5 - 2.0, (k % 9) as f32 * 0.5 - 2.0, 0.0]).collect();
    Ok((Patches::new(81, vec![patch])?, places))
}

/// A round drop from two biquadratic half shells; the middle rows of weights round them off.
fn drop() -> Result<Surface, Box<dyn std::error::Error>> {
    let weights: Vec<f64> = [1.0, 0.7, 1.0].iter().flat_map(|u| [1.0, 0.7, 1.0].map(|v| u * v)).collect();
    let shell = |first: u32| Patch::bezier([2, 2], (first..first + 9).collect()).weights(weights.clone());
    let half = |z: f32| {
        let grid = (0..9).map(move |k| ([(k / 3) as f32 - 1.0, (k % 3) as f32 - 1.0], k == 4));
        grid.map(move |([x, y], is_middle)| [0.6 * x, 0.6 * y, if is_middle { z } else { 0.0 }])
    };
    Ok((Patches::new(18, vec![shell(0), shell(9)])?, half(1.2).chain(half(-1.2)).collect()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(WorldDef::default())?;
    let (patches, rest) = sheet()?;
    let times: Vec<f64> = (0..=16).map(|key| f64::from(key) / 8.0).collect();
    let ripple = |t: f64, [x, y, _]: [f32; 3]| [x, y, (2.0 * f64::from(x) + 3.0 * t).sin() as f32 * 0.2];
    let keys = times.iter().flat_map(|&t| rest.iter().map(move |&p| ripple(t, p))).collect();
    world.add_body(BodyDef::new(patches, Flightplan::keyframes(times, keys)).named("sheet"))?;
    let (patches, rest) = drop()?;
    let place = |z: f32| rest.iter().map(move |p| [p[0], p[1], p[2] + z]);
    let fall = [2.0, -2.0].into_iter().flat_map(place).collect();
    world.add_body(BodyDef::new(patches, Flightplan::keyframes(vec![0.0, 2.0], fall)).named("drop"))?;
    for frame in 0..=20 {
        world.advance_to(f64::from(frame) / 10.0)?;
        let mut host = ByCutting { world: &world, shown: 0 };
        let touching = world.test_candidates(&mut host);
        println!("{:.1} s: {} of {} candidates touch", world.time(), touching.len(), host.shown);
    }
    println!("{} events", world.stats().events);
    Ok(())
}
