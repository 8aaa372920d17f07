//! Every sample model and clip: the library's bodies against the reference, within 10⁻⁶ of the model's size.

use std::path::Path;

use kinetree::io::ReadErrorKind;
use kinetree::io::gltf::{GltfErrorKind, GltfOptions, Model, read_gltf};
use kinetree::reduced::{Mix, Pose};
use kinetree::time::Moment;

use crate::io_support::data::shared_models;
use crate::reference::Reference;

/// Part of the model's size that positions may differ by: the format's own numbers are `f32`.
const TOLERANCE: f64 = 1e-6;

/// Folders of sample models.
const FOLDERS: [&str; 3] = ["skinned", "skinned/quaternius", "morph"];

fn read(path: &Path) -> Model {
    let options = if path.ends_with("Wasp.glb") { GltfOptions::repairing() } else { GltfOptions::default() };
    read_gltf(path, options).unwrap()
}

/// Times worth a look: both ends, and a few inside that are no keys.
fn times([first, last]: [f64; 2], inside: usize) -> Vec<f64> {
    let step = |k: usize| first + (last - first) * ((k as f64 + 0.618_034) / inside as f64);
    let mut times: Vec<f64> = (0..inside).map(step).filter(|&time| time < last).collect();
    times.insert(0, first);
    times.push(last);
    times
}

#[test]
fn sample_models_are_where_the_reference_puts_them() {
    let inside = if std::env::var_os("KINETREE_TORTURE").is_some() { 40 } else { 2 };
    let (mut worst, mut compared): (f64, usize) = (0.0, 0);
    let files = shared_models(&FOLDERS);
    for path in &files {
        let model = read(path);
        let reference = Reference::read(path);
        let rig = model.rig().unwrap();
        let clips = reference.json["animations"].as_array().map_or(0, Vec::len);
        assert_eq!(model.clips.len(), clips);
        for clip in (0..clips).map(Some).chain([None]) {
            let mix = clip.map_or_else(Mix::rest, |clip| model.once(clip));
            let bodies = model.bodies(&rig, &mix).unwrap();
            let moments = clip.map_or(vec![0.0], |clip| {
                let span = reference.span(clip);
                assert_eq!(span, model.clips[clip].span);
                times(span, inside)
            });
            for time in moments {
                let snapshot = reference.snapshot(clip, time);
                let (mut size, mut error): (f64, f64) = (0.0, 0.0);
                for body in &bodies {
                    let wanted = reference.corners(body.node, &snapshot);
                    let mut pose = Pose::default();
                    let mut vertices = Vec::new();
                    body.body.pose(Moment::after(time), &mut pose);
                    body.body.mesh().evaluate_all(&pose, &mut vertices).unwrap();
                    let triangles = body.body.mesh().mesh().triangles();
                    assert_eq!(3 * triangles.len(), wanted.len(), "{}", path.display());
                    let low: [f64; 3] =
                        std::array::from_fn(|a| wanted.iter().map(|p| p[a]).fold(f64::INFINITY, f64::min));
                    for (&corner, wanted) in triangles.iter().flatten().zip(&wanted) {
                        for axis in 0..3 {
                            size = size.max(wanted[axis] - low[axis]);
                            let difference = (vertices[corner as usize][axis] - wanted[axis]).abs();
                            assert!(difference.is_finite());
                            error = error.max(difference);
                        }
                        compared += 1;
                    }
                }
                assert!(size > 0.0);
                worst = worst.max(error / size);
                assert!(error <= TOLERANCE * size, "{}, clip {clip:?} at {time} s: {error} of {size}", path.display());
            }
        }
    }
    println!("{} models, {compared} corners, largest difference {worst:.2e} of the model's size", files.len());
    assert!(files.is_empty() || compared > 1_000_000);
}

#[test]
fn weights_that_are_no_numbers_are_refused_unless_repair_is_asked_for() {
    let Some(path) = shared_models(&FOLDERS).into_iter().find(|path| path.ends_with("Wasp.glb")) else { return };
    let error = read_gltf(&path, GltfOptions::default()).unwrap_err();
    let ReadErrorKind::Gltf(problem) = error.kind() else { panic!("{error}") };
    assert_eq!(problem.place, "meshes[0].primitives[0].attributes.WEIGHTS_0");
    assert!(matches!(problem.kind, GltfErrorKind::Weight { vertex: 2240, influence: 0, value } if value.is_nan()));
    let model = read(&path);
    assert!(model.notes.iter().any(|note| note.contains("6 vertices have weights")), "{:?}", model.notes);
}
