//! Two characters in a world, sixty frames a second: bounded from their parameters, against the same bodies refitted at every frame, and
//! against stored keyframes in a world that chooses its engine.

use std::sync::Arc;

use kinetree::math::Aabb;
use kinetree::reduced::{Driver, Pose, PoseDerivativeBounds, ReducedBody};
use kinetree::time::{Moment, Span};
use kinetree::world::{BodyDef, Engine, World, WorldDef};

use super::common::{clock, heading};
use super::models::Skin;
use super::skins::half_diagonal;
use crate::common::handed_on::handed_on;

/// Another body's motion, moved aside.
#[derive(Debug)]
struct Aside {
    inner: Arc<dyn Driver>,
    shift: [f64; 3],
}

impl Driver for Aside {
    handed_on!(inner: map_count, morph_count, span, outside, breaks, centres);

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.inner.pose(at, pose);
        pose.maps.iter_mut().for_each(|map| (0..3).for_each(|axis| map.shift[axis] += self.shift[axis]));
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.inner.bends(piece, bends);
        let far = self.shift.iter().map(|x| x.abs()).sum::<f64>();
        bends.maps.iter_mut().for_each(|bend| bend.centre.size += far);
    }
}

pub fn table(skins: &[Skin]) {
    heading(
        "two characters in a world, microseconds per frame at 60 frames and 30 pieces a second (median)",
        &[("vertices", 8), ("contacts", 8), ("pairs", 7), ("refit", 9), ("keys", 9), ("bounded", 9), ("ratio", 7)],
    );
    for skin in skins {
        let mut all = Vec::new();
        let mut pose = Pose::default();
        skin.body.pose(Moment::at(skin.body.driver().span().begin), &mut pose);
        skin.body.mesh().evaluate_all(&pose, &mut all).expect("a pose");
        let bounds = Aabb::of_points(&all);
        let side = |axis: usize| bounds.max[axis] - bounds.min[axis];
        let axis = (0..3).max_by(|&a, &b| side(a).total_cmp(&side(b))).unwrap_or(0);
        let aside = (0..3).filter(|&other| other != axis).min_by(|&a, &b| side(a).total_cmp(&side(b))).unwrap_or(0);
        let (width, size) = (side(aside), half_diagonal(&bounds));
        let scenes = [
            ("none", 4.0 * size),
            ("few", 0.84 * width),
            ("some", 0.62 * width),
            ("more", 0.35 * width),
            ("many", 0.02 * width),
        ];
        for (name, distance) in scenes {
            let mut shift = [0.0; 3];
            shift[aside] = distance;
            measure(skin, name, shift);
        }
    }
}

fn measure(skin: &Skin, name: &str, shift: [f64; 3]) {
    let other = Aside { inner: skin.body.driver().clone(), shift };
    let other = ReducedBody::new(skin.body.mesh().clone(), Arc::new(other)).expect("a body");
    let span = skin.body.driver().span();
    let mesh = || skin.body.mesh().mesh().clone();
    let mut worlds = [Engine::Refit, Engine::Auto, Engine::Auto]
        .map(|engine| World::new(WorldDef::default().start(span.begin).engine(engine)).expect("a world"));
    for body in [&*skin.body, &other] {
        let pieces = || body.pieces_at_rate(30.0).expect("pieces");
        let sampled = BodyDef::new(mesh(), body.flightplan(pieces()).expect("a plan"));
        worlds[0].add_body(sampled).expect("a body");
        let keys = BodyDef::new(mesh(), body.keyframes(&pieces()).expect("keys"));
        worlds[1].add_body(keys).expect("a body");
        worlds[2].add_body(BodyDef::bounded(mesh(), body.sampler(pieces()).expect("a sampler"))).expect("a body");
    }
    assert_eq!(worlds[2].stats().engines.on_demand, 2);
    let frames = ((span.end - span.begin) * 60.0) as usize;
    let (mut times, mut pairs) = ([Vec::new(), Vec::new(), Vec::new()], 0);
    for frame in 1..=frames {
        let time = span.begin + frame as f64 / 60.0;
        for (world, times) in worlds.iter_mut().zip(&mut times) {
            let ((), spent) = clock::time(|| world.advance_to(time.min(span.end)).expect("an advance"));
            times.push(spent / 1e3);
        }
        assert_eq!(worlds[0].contacts(), worlds[2].contacts(), "contacts differ");
        pairs += worlds[2].contacts().len();
    }
    let [refit, keys, bounded] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    println!(
        "{:>8}  {name:>8}  {:>7}  {refit:>9.1}  {keys:>9.1}  {bounded:>9.1}  {:>7.2}",
        skin.name,
        pairs / frames.max(1),
        refit / bounded,
    );
}
