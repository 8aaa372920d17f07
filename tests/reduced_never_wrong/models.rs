//! Sample models under all their clips, as they are and morphed as well. Skipped where they are not beside the repository.
//!
//! `KINETREE_MODEL=name` leaves out all files whose names (without extension) are others, `KINETREE_CLIPS=from..to` all clips whose numbers are not
//! in the range: a million checks per kind and clip take long.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::reduced::{
    Blend, DerivativeBounds, Driver, MorphTarget, Pose, PoseDerivativeBounds, ReducedBody, ReducedDef, ReducedMesh,
    SimilarityBounds,
};
use kinetree::time::{Moment, Span};

use crate::common::data::shared_models;
use crate::common::dice::Dice;
use crate::common::handed_on::handed_on;
use crate::{Case, Tally, boxes, is_torture, spheres, spherical, times, wanted};

fn files(folder: &str) -> Vec<PathBuf> {
    let wanted = std::env::var("KINETREE_MODEL").ok();
    let is_wanted =
        |path: &Path| wanted.as_deref().is_none_or(|name| path.file_stem().is_some_and(|stem| stem == name));
    shared_models(&[folder]).into_iter().filter(|path| is_wanted(path)).collect()
}

/// Which of so many clips are looked at under `KINETREE_TORTURE`.
fn wanted_clips(count: usize) -> std::ops::Range<usize> {
    let Ok(text) = std::env::var("KINETREE_CLIPS") else { return 0..count };
    let number = |text: &str, other: usize| if text.is_empty() { other } else { text.parse().unwrap() };
    let (from, to) = text.split_once("..").expect("KINETREE_CLIPS is from..to");
    number(from, 0).min(count)..number(to, count).min(count)
}

/// The bodies of a model, clip by clip; without `KINETREE_TORTURE` of one clip.
fn clips(path: &Path, place: usize) -> Vec<Vec<Case>> {
    let model = read_gltf(path, GltfOptions::repairing()).unwrap();
    let rig = model.rig().unwrap();
    let file = path.file_stem().unwrap().to_string_lossy();
    let chosen: Vec<usize> = match model.clips.len() {
        0 => Vec::new(),
        count if is_torture() => wanted_clips(count).collect(),
        count => vec![place % count],
    };
    let bodies = |clip: usize| {
        let name = format!("{file}, clip {clip} ({})", model.clips[clip].name);
        let bodies = model.bodies(&rig, &model.once(clip)).unwrap();
        let most = if is_torture() { usize::MAX } else { 2 };
        let cases = bodies
            .into_iter()
            .take(most)
            .map(|body| Case { name: format!("{name}, {}", body.name), body: Arc::new(body.body) });
        cases.collect()
    };
    chosen.into_iter().map(bodies).collect()
}

/// A driver with morph weights that swing, and are negative half of the time.
#[derive(Debug)]
struct Morphing {
    inner: Arc<dyn Driver>,
    /// Per target, its rate in radians per second.
    rates: Vec<f64>,
}

impl Driver for Morphing {
    handed_on!(inner: map_count, span, outside, breaks, centres);

    fn morph_count(&self) -> usize {
        self.rates.len()
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        self.inner.pose(at, pose);
        let span = self.span();
        let time = at.time().clamp(span.begin, span.end);
        pose.morphs = self.rates.iter().map(|rate| (rate * time).sin()).collect();
    }

    fn similarity(&self, piece: Span) -> SimilarityBounds {
        self.inner.similarity(piece)
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        self.inner.bends(piece, bends);
        bends.morphs = self.rates.iter().map(|&rate| DerivativeBounds { size: 1.0, rate, bend: rate * rate }).collect();
    }
}

/// The same skin with three morph targets, by a tenth of its size.
fn morphed(case: &Case, dice: &mut Dice) -> Option<Case> {
    let mesh = case.body.mesh();
    if mesh.morph_count() > 0 || mesh.map_count() < 2 {
        return None;
    }
    let size = mesh.rest_positions().iter().flatten().fold(0.0f32, |most, x| most.max(x.abs()));
    let reach = f64::from(0.1 * size);
    let targets = (0..3).map(|_| {
        let deltas: Vec<[f32; 3]> = (0..mesh.vertex_count())
            .map(|_| if dice.percent(60) { std::array::from_fn(|_| dice.real(-reach, reach) as f32) } else { [0.0; 3] })
            .collect();
        MorphTarget::dense(&deltas)
    });
    let def = ReducedDef {
        mesh: mesh.mesh().clone(),
        rest: mesh.rest_positions().to_vec(),
        influences: mesh.influences().clone(),
        morphs: targets.collect(),
        blend: Blend::Linear,
    };
    let driver = Morphing { inner: case.body.driver().clone(), rates: vec![2.0, 5.0, 11.0] };
    let body = ReducedBody::new(Arc::new(ReducedMesh::new(def).unwrap()), Arc::new(driver)).unwrap();
    Some(Case { name: format!("{}, morphed", case.name), body: Arc::new(body) })
}

/// Every clip of every model of a folder in turns; `None` where there are none.
fn check_all(folder: &str, usual: usize, make: impl Fn(Vec<Case>, &mut Dice) -> Vec<Case>) -> Option<Tally> {
    let (mut tally, mut dice) = (Tally::default(), Dice::new(41, &[folder.len() as u64]));
    let (mut groups, mut models) = (0, 0);
    for (place, path) in files(folder).iter().enumerate() {
        models += 1;
        for cases in clips(path, place) {
            let cases = make(cases, &mut dice);
            if cases.is_empty() {
                continue;
            }
            let own = boxes::check(&cases, wanted(usual), times(), &mut dice);
            assert!(own.least() >= wanted(usual));
            tally.join(&own);
            let own = spheres::check(&cases, wanted(usual), times(), &mut dice);
            assert!(own.of("spheres, linear") >= wanted(usual));
            tally.join(&own);
            tally.join(&spherical::check(&cases, wanted(usual), times(), &mut dice));
            groups += 1;
            if is_torture() {
                println!("{}: {} checks so far", cases[0].name, tally.all());
            }
        }
    }
    if models == 0 {
        return None;
    }
    tally.print(&format!("{folder}: {models} models, {groups} clips"));
    Some(tally)
}

fn check_as_they_are(folder: &str) {
    let Some(tally) = check_all(folder, 500, |cases, _| cases) else { return };
    let is_part = std::env::var_os("KINETREE_MODEL").is_some() || std::env::var_os("KINETREE_CLIPS").is_some();
    let is_skinned = folder.starts_with("skinned");
    assert!(is_part || !is_skinned || tally.of("spheres, spherical") > tally.of("spheres, linear") / 2);
    assert!(is_part || !is_skinned || tally.of("moving, spherical") > tally.of("spheres, linear") / 2);
}

fn check_morphed(folder: &str) {
    println!("with morph targets of our own:");
    check_all(folder, 500, |cases, dice| cases.iter().filter_map(|case| morphed(case, dice)).collect());
}

#[test]
fn of_skinned_models() {
    check_as_they_are("skinned");
}

#[test]
fn of_more_skinned_models() {
    check_as_they_are("skinned/quaternius");
}

#[test]
fn of_morphed_models() {
    check_as_they_are("morph");
}

#[test]
fn of_skinned_models_morphed_as_well() {
    check_morphed("skinned");
}

#[test]
fn of_more_skinned_models_morphed_as_well() {
    check_morphed("skinned/quaternius");
}
