//! Bodies of the test as plain data, and where their vertices are at a rational time: from the
//! documentation of plans.

use kinetree::{Flightplan, Outside};
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Zero};

use crate::dice::{Dice, Grain};
use crate::truth::rational;

pub(crate) type Triangle = [u32; 3];

/// How a body moves.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Fixed(Vec<[f32; 3]>),
    Keys {
        times: Vec<f64>,
        positions: Vec<[f32; 3]>,
        loops: bool,
    },
    Velocities {
        begin: f64,
        positions: Vec<[f32; 3]>,
        velocities: Vec<[f32; 3]>,
    },
    /// Straight between two times, from positions as the world evaluated them.
    Proposed {
        times: [f64; 2],
        from: Vec<[f64; 3]>,
        to: Vec<[f32; 3]>,
    },
}

impl Plan {
    pub(crate) fn flightplan(&self) -> Flightplan {
        match self.clone() {
            Self::Fixed(positions) => Flightplan::fixed(positions),
            Self::Keys { times, positions, loops } => {
                Flightplan::keyframes(times, positions).outside(if loops { Outside::Loop } else { Outside::Hold })
            }
            Self::Velocities { begin, positions, velocities } => Flightplan::velocities(begin, positions, velocities),
            Self::Proposed { .. } => unreachable!("given to a trial"),
        }
    }

    /// Where a vertex is. Not asked of a loop at a wrap.
    pub(crate) fn place(&self, vertex: u32, time: &Q) -> [Q; 3] {
        let vertex = vertex as usize;
        let wide = |position: [f32; 3]| position.map(|x| rational(f64::from(x)));
        match self {
            Self::Fixed(positions) => wide(positions[vertex]),
            Self::Velocities { begin, positions, velocities } => {
                let elapsed = (time - rational(*begin)).max(Q::zero());
                let (from, speed) = (wide(positions[vertex]), wide(velocities[vertex]));
                std::array::from_fn(|k| &from[k] + &speed[k] * &elapsed)
            }
            Self::Proposed { times, from, to } => {
                let [begin, end] = times.map(rational);
                let s = ((time - &begin) / (&end - &begin)).clamp(Q::zero(), Q::one());
                between(&from[vertex].map(rational), &wide(to[vertex]), &s)
            }
            Self::Keys { times, positions, loops } => {
                let count = positions.len() / times.len();
                let at = |key: usize| wide(positions[key * count + vertex]);
                let keys: Vec<Q> = times.iter().map(|&time| rational(time)).collect();
                let (first, last) = (&keys[0], &keys[keys.len() - 1]);
                let mut time = time.clone();
                if *loops {
                    let rounds = ((&time - first) / (last - first)).floor();
                    time -= rounds * (last - first);
                }
                if time <= *first {
                    return at(0);
                }
                let Some(key) = (1..keys.len()).find(|&key| time <= keys[key]) else { return at(keys.len() - 1) };
                let s = (time - &keys[key - 1]) / (&keys[key] - &keys[key - 1]);
                between(&at(key - 1), &at(key), &s)
            }
        }
    }
}

fn between(from: &[Q; 3], to: &[Q; 3], s: &Q) -> [Q; 3] {
    std::array::from_fn(|k| &from[k] + (&to[k] - &from[k]) * s)
}

/// A body of the test.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) triangles: Vec<Triangle>,
    pub(crate) plan: Plan,
    /// Positions at the first key, by which corners are welded.
    pub(crate) rest: Vec<[f32; 3]>,
}

impl Model {
    pub(crate) fn corners(&self, triangle: u32, time: &Q) -> [[Q; 3]; 3] {
        self.triangles[triangle as usize].map(|vertex| self.plan.place(vertex, time))
    }

    /// Whether stored numbers say where it is at both ends of a trial, and it moves straight in
    /// between.
    pub(crate) fn is_exact_over(&self, begin: f64, end: f64) -> bool {
        match &self.plan {
            Plan::Fixed(_) | Plan::Proposed { .. } => true,
            Plan::Velocities { .. } => false,
            Plan::Keys { times, loops, .. } => {
                let is_key_to_key = times.windows(2).any(|pair| pair == [begin, end]);
                !loops && (is_key_to_key || times[times.len() - 1] <= begin)
            }
        }
    }

    /// Whether two triangles have a corner in common.
    pub(crate) fn are_neighbours(&self, p: u32, q: u32) -> bool {
        let corners = |triangle: u32| self.triangles[triangle as usize].map(|vertex| self.rest[vertex as usize]);
        corners(p).iter().any(|x| corners(q).contains(x))
    }
}

/// Whether two triangles are within a distance of each other at an instant.
pub(crate) fn within(a: &[[Q; 3]; 3], b: &[[Q; 3]; 3], distance: &Q) -> bool {
    let all = a.iter().chain(b).flatten().chain([distance]);
    let common = all.fold(BigInt::one(), |common, x| num_integer_lcm(&common, x.denom()));
    let whole = |x: &Q| (x * &Q::from(common.clone())).to_integer();
    let points =
        |of: &[[Q; 3]; 3]| -> [[BigInt; 3]; 3] { std::array::from_fn(|i| std::array::from_fn(|k| whole(&of[i][k]))) };
    crate::truth::compare_points(&points(a), &points(b), &whole(distance)).is_le()
}

fn num_integer_lcm(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut x, mut y) = (a.clone(), b.clone());
    while !y.is_zero() {
        (x, y) = (y.clone(), x % y);
    }
    a * (b / x)
}

/// A scene's size in space, and its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) space: f32,
    pub(crate) now: f64,
    pub(crate) length: f64,
}

pub(crate) fn random_scale(dice: &mut Dice) -> Scale {
    let space = [1.0, 1.0, 2f32.powi(40), 2f32.powi(-40), 1e-3][dice.below(5)];
    let now = [0.0, 0.5, 1.0 / 3.0, 1000.1, -7.25][dice.below(5)];
    let length = [1.0, 1.0 / 30.0, 2f64.powi(-12), 3.5][dice.below(4)];
    Scale { space, now, length }
}

pub(crate) fn random_points(dice: &mut Dice, count: usize, grain: Grain, scale: Scale) -> Vec<[f32; 3]> {
    (0..count).map(|_| std::array::from_fn(|_| grain.coordinate(dice, 3) * scale.space)).collect()
}

/// Triangles over some vertices; some have fewer than three corners, some are there twice.
pub(crate) fn random_triangles(dice: &mut Dice, count: usize, vertices: usize) -> Vec<Triangle> {
    let mut triangles: Vec<Triangle> = Vec::new();
    for place in 0..count {
        let mut vertex = || dice.below(vertices) as u32;
        let [p, q, r] = [vertex(), vertex(), vertex()];
        triangles.push(match dice.below(8) {
            0 if place > 0 => triangles[place - 1],
            1 => [p, p, p],
            2 => [p, q, q],
            _ => [p, q, r],
        });
    }
    triangles
}

/// A body that moves by its own plan.
pub(crate) fn random_body(dice: &mut Dice, count: usize, grain: Grain, scale: Scale) -> Model {
    let vertices = 2 * count + 1;
    let rest = random_points(dice, vertices, grain, scale);
    let end = scale.now + scale.length;
    let plan = match dice.below(6) {
        0 => Plan::Fixed(rest.clone()),
        kind @ (1 | 2) => {
            // Keys at both ends of the trial, or anywhere.
            let times = if kind == 1 {
                vec![scale.now - 1.0, scale.now, end, end + 1.0]
            } else {
                let part = |x: f64| scale.now + x * scale.length;
                vec![part(-0.7), part(0.3), part(0.55), part(1.9)]
            };
            let mut positions = rest.clone();
            for _ in 1..times.len() {
                positions.extend(random_points(dice, vertices, grain, scale));
            }
            Plan::Keys { times, positions, loops: false }
        }
        3 => {
            // A loop that wraps once inside where times are exact.
            let times = vec![scale.now - 0.25 * scale.length, scale.now + 0.5 * scale.length];
            let positions = [rest.clone(), random_points(dice, vertices, grain, scale)].concat();
            let is_exact = scale.length >= 1.0 && scale.now.fract() * 8.0 % 1.0 == 0.0;
            Plan::Keys { times, positions, loops: is_exact }
        }
        4 => {
            let still = random_points(dice, vertices, grain, scale);
            let positions = [rest.clone(), still].concat();
            // It has come to rest.
            Plan::Keys { times: vec![scale.now - 2.0, scale.now - 1.0], positions, loops: false }
        }
        _ => {
            let speeds = random_points(dice, vertices, grain, scale);
            let slow = |v: [f32; 3]| v.map(|x| x / scale.length as f32);
            let velocities = speeds.into_iter().map(slow).collect();
            Plan::Velocities { begin: scale.now - 0.25 * scale.length, positions: rest.clone(), velocities }
        }
    };
    Model { triangles: random_triangles(dice, count, vertices), plan, rest }
}
