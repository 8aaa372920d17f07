//! Choice of spheres over poses, against a greedy choice by brute force on samples of its own.

use kinetree::Sphere;
use kinetree::mesh::Mesh;
use kinetree::proxy::{Faults, JointChoice, ProxyError, Solid, choose_over_poses};

use crate::bodies::triangles;
use crate::oracle::Triangle;

/// Places of the rings of a bar along x, in metres: it is 4 m long and 1 m thick, with a joint in
/// its middle.
const RINGS: [f64; 6] = [0.0, 1.0, 1.75, 2.25, 3.0, 4.0];

fn bar() -> Solid {
    let places = RINGS.map(|x| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[y, z]| [x, y, z]));
    let mut triangles = vec![[0, 2, 1], [0, 3, 2], [20, 21, 22], [20, 22, 23]];
    for ring in (0..20).step_by(4) {
        for side in 0..4 {
            let (a, b) = (ring + side, ring + (side + 1) % 4);
            triangles.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
        }
    }
    Solid::new(&Mesh::new(24, triangles).unwrap(), places.as_flattened(), Faults::Refuse).unwrap().0
}

fn weights(vertex: u32) -> [(u32, f64); 1] {
    [(u32::from(RINGS[vertex as usize / 4] > 2.0), 1.0)]
}

/// Joint 1 turns about the z axis through x = 2 by an angle in degrees.
fn moved([x, y, z]: [f64; 3], joint: u32, angle: f64) -> [f64; 3] {
    if joint == 0 {
        return [x, y, z];
    }
    let (sin, cos) = angle.to_radians().sin_cos();
    [2.0 + cos * (x - 2.0) - sin * y, sin * (x - 2.0) + cos * y, z]
}

const ANGLES: [f64; 3] = [0.0, 60.0, -75.0];

fn poses(bar: &Solid) -> Vec<Solid> {
    let pose = |angle: f64| {
        let place = |vertex| moved(bar.position(vertex).unwrap(), weights(vertex)[0].0, angle);
        bar.posed(&(0..24).map(place).collect::<Vec<_>>()).unwrap()
    };
    ANGLES.map(pose).to_vec()
}

fn carried(pose: usize, joint: u32, sphere: Sphere) -> Sphere {
    Sphere { centre: moved(sphere.centre, joint, ANGLES[pose]), ..sphere }
}

/// Large balls along the bar, and small ones in its corners.
fn spheres() -> Vec<Sphere> {
    let mut spheres: Vec<Sphere> =
        (2..=14).map(|x| Sphere { centre: [0.25 * f64::from(x), 0.5, 0.5], radius: 0.5 }).collect();
    for corner in 0..8 {
        let place = |bit: u32, low: f64, high: f64| if corner >> bit & 1 == 0 { low } else { high };
        spheres.push(Sphere { centre: [place(0, 0.2, 3.8), place(1, 0.2, 0.8), place(2, 0.2, 0.8)], radius: 0.2 });
        spheres.push(Sphere { centre: [place(0, 1.6, 2.4), place(1, 0.1, 0.9), place(2, 0.1, 0.9)], radius: 0.1 });
    }
    spheres
}

fn chosen(count: usize) -> Vec<JointChoice> {
    let bar = bar();
    let carry = |pose, joint, sphere| Some(carried(pose, joint, sphere));
    choose_over_poses(&poses(&bar), &spheres(), 2, weights, carry, count).unwrap()
}

/// Distances and insides by brute force, on a regular grid of every triangle.
struct Brute {
    poses: Vec<Vec<Triangle>>,
    /// Per pose the places, and what area each stands for.
    places: Vec<Vec<[f64; 3]>>,
    areas: Vec<f64>,
    gaps: Vec<Vec<f64>>,
}

impl Brute {
    fn new(bar: &Solid) -> Self {
        const STEPS: usize = 8;
        let poses: Vec<Vec<Triangle>> = poses(bar).iter().map(triangles).collect();
        let (mut places, mut areas) = (vec![Vec::new(); poses.len()], Vec::new());
        for number in 0..poses[0].len() {
            let [a, b, c] = poses[0][number];
            let side = |p: [f64; 3]| [0, 1, 2].map(|k| p[k] - a[k]);
            let (u, v) = (side(b), side(c));
            let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            let area = cross.iter().map(|x| x * x).sum::<f64>().sqrt() / 2.0 / (STEPS * STEPS) as f64;
            for i in 0..STEPS {
                for j in 0..2 * (STEPS - i) - 1 {
                    // Centres of small triangles, the upright and the upturned ones.
                    let shift = if j % 2 == 0 { 1.0 / 3.0 } else { 2.0 / 3.0 };
                    let (s, t) = ((i as f64 + shift) / STEPS as f64, ((j / 2) as f64 + shift) / STEPS as f64);
                    areas.push(area);
                    for (places, pose) in places.iter_mut().zip(&poses) {
                        let [a, b, c] = pose[number];
                        places.push([0, 1, 2].map(|k| a[k] + s * (b[k] - a[k]) + t * (c[k] - a[k])));
                    }
                }
            }
        }
        // The square of the diagonal.
        let gaps = vec![vec![18.0; areas.len()]; poses.len()];
        Self { poses, places, areas, gaps }
    }

    fn squared(sphere: &Sphere, place: &[f64; 3]) -> f64 {
        let away = (0..3).map(|k| (place[k] - sphere.centre[k]).powi(2)).sum::<f64>().sqrt() - sphere.radius;
        away.max(0.0).powi(2)
    }

    /// What the protrusions of a sphere of a joint cost.
    fn penalty(&self, sphere: Sphere, joint: u32) -> f64 {
        let in_pose = |pose: usize| {
            let carried = carried(pose, joint, sphere);
            let is_inside = crate::oracle::is_inside(carried.centre, &self.poses[pose]);
            let depth = if is_inside { crate::oracle::distance(carried.centre, &self.poses[pose]) } else { 0.0 };
            let beyond = (carried.radius - depth).max(0.0);
            beyond * beyond * std::f64::consts::PI * carried.radius * carried.radius
        };
        (0..ANGLES.len()).map(in_pose).sum()
    }

    /// How much a sphere of a joint improves the gaps of all poses.
    fn gain(&self, sphere: Sphere, joint: u32) -> f64 {
        let mut sum = 0.0;
        for pose in 0..ANGLES.len() {
            let carried = carried(pose, joint, sphere);
            for ((place, gap), area) in self.places[pose].iter().zip(&self.gaps[pose]).zip(&self.areas) {
                sum += area * (gap - Self::squared(&carried, place)).max(0.0);
            }
        }
        sum
    }

    fn take(&mut self, sphere: Sphere, joint: u32) {
        for pose in 0..ANGLES.len() {
            let carried = carried(pose, joint, sphere);
            for (place, gap) in self.places[pose].iter().zip(&mut self.gaps[pose]) {
                *gap = gap.min(Self::squared(&carried, place));
            }
        }
    }
}

#[test]
fn every_choice_is_the_best_by_brute_force() {
    let (bar, spheres) = (bar(), spheres());
    let mut brute = Brute::new(&bar);
    let penalties: Vec<[f64; 2]> =
        spheres.iter().map(|&sphere| [0, 1].map(|joint| brute.penalty(sphere, joint))).collect();
    // Some protrude, and not all.
    assert!(
        penalties.iter().any(|own| own[0].min(own[1]) > 1e-3) && penalties.iter().any(|own| own[0].min(own[1]) < 1e-9)
    );
    let chosen = chosen(12);
    assert_eq!(chosen.len(), 12);
    for (step, JointChoice { sphere, joint, .. }) in chosen.iter().enumerate() {
        let gain = |number: usize, joint: u32| brute.gain(spheres[number], joint) - penalties[number][joint as usize];
        let best =
            (0..spheres.len()).flat_map(|number| [0, 1].map(|joint| gain(number, joint))).fold(f64::MIN, f64::max);
        let own = gain(*sphere as usize, *joint);
        assert!(best > 0.0 && own >= 0.95 * best - 1e-3, "step {step}: {own} of {best}");
        brute.take(spheres[*sphere as usize], *joint);
    }
    // Both limbs have spheres, of their own joint; one near the middle may have either.
    for joint in [0, 1] {
        assert!(chosen.iter().filter(|choice| choice.joint == joint).count() >= 4);
    }
    for choice in &chosen {
        let x = spheres[choice.sphere as usize].centre[0];
        assert!((x - 2.0).abs() < 0.6 || choice.joint == u32::from(x > 2.0), "{choice:?}");
    }
}

#[test]
fn longer_choices_begin_with_shorter_ones_and_end_with_the_candidates() {
    let all = chosen(1000);
    assert!(all.len() >= spheres().len() && all.len() < 2 * spheres().len());
    for count in [0, 1, 5, 17] {
        assert_eq!(chosen(count), all[..count]);
    }
    // No candidate twice.
    for (number, choice) in all.iter().enumerate() {
        assert!(!all[..number].contains(choice));
    }
}

#[test]
fn choices_that_are_refused() {
    let bar = bar();
    let (all, balls) = (poses(&bar), spheres());
    let carry = |pose, joint, sphere| Some(carried(pose, joint, sphere));
    assert_eq!(choose_over_poses(&[], &balls, 2, weights, carry, 3), Ok(Vec::new()));
    assert_eq!(choose_over_poses(&all, &[], 2, weights, carry, 3), Ok(Vec::new()));
    let error = choose_over_poses(&all, &balls, 1, weights, carry, 3).unwrap_err();
    assert!(matches!(error, ProxyError::NoSuchJoint { joint: 1, joints: 1, .. }), "{error}");
    let error = choose_over_poses(&all, &balls, 2, |_| [(0, f64::NAN)], carry, 3).unwrap_err();
    assert!(matches!(error, ProxyError::Number { what: "weight of vertex", .. }), "{error}");
    assert_eq!(choose_over_poses(&all, &balls, 2, |_| None, carry, 3), Err(ProxyError::Unbound { sphere: 0 }));
    let none = |_, _, _| None;
    assert_eq!(choose_over_poses(&all, &balls, 2, weights, none, 3), Err(ProxyError::Unbound { sphere: 0 }));
    let bad = |pose, joint, sphere: Sphere| {
        let radius = if pose == 2 && joint == 1 { f64::INFINITY } else { sphere.radius };
        Some(Sphere { radius, ..sphere })
    };
    let error = choose_over_poses(&all, &balls, 2, weights, bad, 3).unwrap_err();
    assert!(matches!(error, ProxyError::Number { what: "carried sphere", .. }), "{error}");
    let other = Solid::new(
        &Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap(),
        &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        Faults::Refuse,
    )
    .unwrap()
    .0;
    let error = choose_over_poses(&[all[0].clone(), other], &balls, 2, weights, carry, 3).unwrap_err();
    assert!(matches!(error, ProxyError::PoseTriangles { pose: 1, triangle: 1 }), "{error}");
}
