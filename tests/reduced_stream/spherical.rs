//! Streamed poses under spherical blending: the deviation that is returned against densely sampled true paths, by a second evaluation.

use std::sync::Arc;

use kinetree::Moment;
use kinetree::reduced::{
    Affine, Blend, DerivativeBounds, MapDerivativeBounds, Pose, PoseDerivativeBounds, PoseStream, ReducedDef,
    ReducedMesh,
};
use nalgebra::{Matrix3, Rotation3, Vector3};

use crate::common::dice::Dice;
use crate::reduced_support::{Weights, influences, morph_targets, strip, torture};
use crate::spherical_oracle::spherically;

/// A joint that turns about one axis, from one angle to another, while its scale and the image of its centre move.
struct Joint {
    first: Matrix3<f64>,
    axis: Vector3<f64>,
    angle: f64,
    scales: [f64; 2],
    place: Vector3<f64>,
    centres: [Vector3<f64>; 2],
}

impl Joint {
    fn random(dice: &mut Dice, place: [f64; 3], turn: f64, is_scaled: bool) -> Self {
        let mut vector =
            |size: f64| Vector3::new(dice.real(-size, size), dice.real(-size, size), dice.real(-size, size));
        let (first, axis) = (Rotation3::new(vector(0.5)).into_inner(), vector(1.0).normalize());
        let centre = Vector3::from(place) + vector(0.1);
        let centres = [centre, centre + vector(0.2)];
        let scales = if is_scaled { [dice.real(0.8, 1.2), dice.real(0.8, 1.2)] } else { [1.0; 2] };
        Self { first, axis, angle: dice.real(-turn, turn), scales, place: place.into(), centres }
    }

    /// Joints at `places` that hang together at both ends, as those of a skeleton do; otherwise they drift apart.
    fn all(dice: &mut Dice, places: &[[f64; 3]], turn: f64, is_scaled: bool, hang_together: bool) -> Vec<Self> {
        let mut joints: Vec<Self> = Vec::new();
        for place in places {
            let mut joint = Self::random(dice, *place, turn, is_scaled);
            if let Some(parent) = joints.last().filter(|_| hang_together) {
                joint.centres = [0.0, 1.0].map(|part| parent.map(part, part).apply(&joint.place));
            }
            joints.push(joint);
        }
        joints
    }

    /// Part of the way: of the turn `turned`, of the rest `part`.
    fn map(&self, part: f64, turned: f64) -> Affine {
        let scale = self.scales[0] * (1.0 - part) + self.scales[1] * part;
        let linear = Rotation3::new(self.axis * self.angle * turned).into_inner() * self.first * scale;
        let centre = self.centres[0] * (1.0 - part) + self.centres[1] * part;
        Affine { linear, shift: centre - linear * self.place }
    }
}

struct Skin {
    mesh: Arc<ReducedMesh>,
    places: Vec<[f64; 3]>,
}

impl Skin {
    /// Vertices follow neighbouring joints.
    fn chain(dice: &mut Dice) -> Self {
        let (mesh, rest) = strip(dice, 20, 2.0);
        let influences = influences(dice, &rest, 2, Weights::Smooth);
        let places = vec![[0.0; 3], [1.0, 0.1, 0.0]];
        let blend = Blend::Spherical { joints: places.clone() };
        let mesh = ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs: vec![], blend }).unwrap();
        Self { mesh: Arc::new(mesh), places }
    }

    fn random(dice: &mut Dice) -> Self {
        let maps = 2 + dice.below(4);
        let vertices = 6 + dice.below(30);
        let (mesh, rest) = strip(dice, vertices, maps as f64);
        let kind = if dice.percent(50) { Weights::Smooth } else { Weights::Random(3) };
        let influences = influences(dice, &rest, maps, kind);
        let targets = usize::from(dice.percent(30));
        let morphs = morph_targets(dice, rest.len(), targets);
        let places: Vec<[f64; 3]> = (0..maps).map(|j| [j as f64, dice.real(-0.2, 0.2), dice.real(-0.2, 0.2)]).collect();
        let blend = Blend::Spherical { joints: places.clone() };
        let mesh = Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend }).unwrap());
        Self { mesh, places }
    }

    fn positions(&self, pose: &Pose) -> Vec<Vector3<f64>> {
        let vertex = |vertex: u32| {
            let mut rest = self.mesh.rest_positions()[vertex as usize].map(f64::from);
            for (morph, delta) in self.mesh.morphs_of(vertex) {
                (0..3).for_each(|axis| rest[axis] += pose.morphs[morph as usize] * f64::from(delta[axis]));
            }
            let weights: Vec<(u32, f64)> = self.mesh.influences().of(vertex).collect();
            spherically(rest, &weights, &self.places, &pose.maps).into()
        };
        (0..self.mesh.vertex_count() as u32).map(vertex).collect()
    }

    /// The largest distance of a vertex from its chord at times close together.
    fn sampled(&self, at: impl Fn(f64) -> Pose) -> f64 {
        let [begin, end] = [0.0, 1.0].map(|part| self.positions(&at(part)));
        let mut most = 0.0f64;
        for step in 1..24 {
            let part = f64::from(step) / 24.0;
            for ((a, b), place) in begin.iter().zip(&end).zip(self.positions(&at(part))) {
                most = most.max((a * (1.0 - part) + b * part - place).norm());
            }
        }
        most
    }
}

#[derive(Default)]
struct Tally {
    pieces: usize,
    moved: usize,
    near: usize,
}

impl Tally {
    fn add(&mut self, what: &str, sampled: f64, stated: f64) {
        assert!(sampled <= stated + 1e-9, "{what}: sampled {sampled} m, stated {stated} m");
        self.pieces += 1;
        self.moved += usize::from(sampled > 1e-4);
        self.near += usize::from(stated < 20.0 * sampled);
    }
}

#[test]
fn deviations_are_finite_and_hold_at_densely_sampled_times() {
    let (mut dice, mut steady, mut promised) = (Dice::new(41, &[]), Tally::default(), Tally::default());
    for round in 0..torture(32) {
        let skin = Skin::random(&mut dice);
        let (turn, length) = (dice.pick(&[0.05, 0.3, 0.8, 2.5]), dice.pick(&[0.02, 0.1, 1.0]));
        let is_scaled = round % 3 == 0;
        let joints = Joint::all(&mut dice, &skin.places, turn, is_scaled, round % 4 != 3);
        let weights: Vec<[f64; 2]> =
            (0..skin.mesh.morph_count()).map(|_| [dice.real(0.0, 1.0), dice.real(0.0, 1.0)]).collect();
        let pose = |part: f64, turned: f64| Pose {
            maps: joints.iter().map(|joint| joint.map(part, turned)).collect(),
            morphs: weights.iter().map(|[a, b]| a * (1.0 - part) + b * part).collect(),
        };
        let begin = || {
            let mesh = Arc::clone(&skin.mesh);
            PoseStream::with_centres(mesh, skin.places.clone(), 0.0, pose(0.0, 0.0)).unwrap()
        };
        // Steadily.
        let mut stream = begin();
        let stated = stream.extend(0.0, length, pose(1.0, 1.0)).unwrap();
        assert!(stated.is_finite() && stream.largest_deviation() == stated);
        steady.add(&format!("round {round}"), skin.sampled(|part| pose(part, part)), stated);
        assert_eq!(stream.sampler().fingerprint(0.0, 1.0), stream.sampler().fingerprint(0.0, 1.0));
        let mut some = Vec::new();
        stream.body().positions(Moment::at(length), &[0], &mut some).unwrap();
        assert!((Vector3::from(some[0]) - skin.positions(&pose(1.0, 1.0))[0]).norm() < 1e-9);
        // With a turn that begins slowly and ends fast, θ(t) = ½ (t + t²) of the angle, as a host promises it.
        let promise = |joint: &Joint| {
            let (scale, change) =
                (joint.scales[0].max(joint.scales[1]), (joint.scales[1] - joint.scales[0]).abs() / length);
            let (fast, grows) = (1.5 * joint.angle.abs() / length, joint.angle.abs() / (length * length));
            let linear = DerivativeBounds {
                size: scale,
                rate: change + scale * fast,
                bend: 2.0 * change * fast + scale * (fast * fast + grows),
            };
            let path = joint.centres[1] - joint.centres[0];
            let size = joint.centres[0].norm().max(joint.centres[1].norm());
            MapDerivativeBounds { linear, centre: DerivativeBounds { size, rate: path.norm() / length, bend: 0.0 } }
        };
        let slopes = |[a, b]: &[f64; 2]| DerivativeBounds {
            size: a.abs().max(b.abs()),
            rate: (b - a).abs() / length,
            bend: 0.0,
        };
        let bounds = PoseDerivativeBounds {
            maps: joints.iter().map(promise).collect(),
            morphs: weights.iter().map(slopes).collect(),
        };
        let stated = begin().extend_promised(0.0, length, pose(1.0, 1.0), &bounds).unwrap();
        let fast = joints.iter().any(|joint| 1.5 * joint.angle.abs() + 0.5 > 0.8);
        assert!(stated.is_finite() || fast, "round {round}");
        if stated.is_finite() {
            promised.add(
                &format!("round {round}, promised"),
                skin.sampled(|part| pose(part, 0.5 * (part + part * part))),
                stated,
            );
        }
    }
    for Tally { pieces, moved, near } in [&steady, &promised] {
        assert!(*pieces >= 16 && *moved > 8 && *near > 4, "{pieces} {moved} {near}");
    }
}

/// Half the time between poses, a quarter of the deviation: bounds of accelerations, not of distances.
#[test]
fn deviations_shrink_with_the_square_of_the_time_between_poses() {
    let mut dice = Dice::new(42, &[]);
    let skin = Skin::chain(&mut dice);
    let joints = Joint::all(&mut dice, &skin.places, 0.6, false, true);
    let morphs = vec![0.0; skin.mesh.morph_count()];
    let pose =
        |part: f64| Pose { maps: joints.iter().map(|joint| joint.map(part, part)).collect(), morphs: morphs.clone() };
    let largest = |pieces: u32| {
        let mesh = Arc::clone(&skin.mesh);
        let mut stream = PoseStream::with_centres(mesh, skin.places.clone(), 0.0, pose(0.0)).unwrap();
        for piece in 1..=pieces {
            let part = f64::from(piece) / f64::from(pieces);
            stream.extend(0.0, part, pose(part)).unwrap();
        }
        stream.largest_deviation()
    };
    let deviations = [8, 16, 32, 64, 128].map(largest);
    println!("{deviations:?} m");
    // Long pieces are bounded by the distance from linear blending instead, which does not shrink.
    assert!(deviations[4] > 1e-7 && deviations[1] < 0.5, "{deviations:?}");
    for two in deviations[2..].windows(2) {
        assert!((3.0..8.0).contains(&(two[0] / two[1])), "{deviations:?}");
    }
}
