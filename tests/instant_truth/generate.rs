//! Random scenes whose triangles stay exactly coplanar or in touch between keys, or miss by little.
//!
//! A scene is a list of *states* of two bodies: positions on a lattice of dyadic numbers that `f32`
//! holds. Every state keeps the same linear relation (corners in a common plane, a corner at fixed
//! weights of another triangle's corners, two edges through one point), so every blend of two
//! states keeps it, and so do velocities that are states themselves.

use kinetree::scenes::Random;

pub(crate) type Point = [f32; 3];

/// Triangles of two bodies, and their positions state by state.
pub(crate) struct States {
    pub(crate) triangles: [Vec<[u32; 3]>; 2],
    pub(crate) all: Vec<[Vec<Point>; 2]>,
    /// By how much all points are shifted; velocities are not.
    by: Point,
}

/// A multiple of `1 / parts` of magnitude `most` or less.
pub(crate) fn number(random: &mut Random, most: i32, parts: i32) -> f32 {
    let range = u64::from((2 * most * parts + 1).unsigned_abs());
    (random.below(range) as i32 - most * parts) as f32 / parts as f32
}

fn point(random: &mut Random, most: i32) -> Point {
    [0; 3].map(|_| number(random, most, 8))
}

fn mixed(points: &[Point], weights: &[f32]) -> Point {
    [0, 1, 2].map(|axis| points.iter().zip(weights).map(|(point, weight)| point[axis] * weight).sum())
}

/// Two grids in one plane `z = αx + βy + γ`; γ changes from state to state where the plane moves.
pub(crate) fn in_a_plane(random: &mut Random, states: usize, moves: bool) -> States {
    const SIDE: u32 = 4;
    let slope = [number(random, 1, 4), number(random, 1, 4)];
    let cell = |x: u32, y: u32| SIDE * y + x;
    let square = |x: u32, y: u32| {
        let corners = [cell(x, y), cell(x + 1, y), cell(x + 1, y + 1), cell(x, y + 1)];
        [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    };
    let triangles: Vec<[u32; 3]> =
        (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| (x, y))).flat_map(|(x, y)| square(x, y)).collect();
    let standing = number(random, 2, 4);
    let states = (0..states).map(|_| {
        let height = if moves { number(random, 2, 8) } else { standing };
        [0, 1].map(|_| {
            let offset = [number(random, 1, 8), number(random, 1, 8)];
            let places = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| [x as f32, y as f32]));
            let bent = places.map(|place| {
                let [x, y] = [0, 1].map(|axis| 0.5 * place[axis] + offset[axis] + 0.25 * number(random, 1, 8));
                [x, y, slope[0] * x + slope[1] * y + height]
            });
            bent.collect()
        })
    });
    let mut states = States { triangles: [triangles.clone(), triangles], all: states.collect(), by: [0.0; 3] };
    states.shift(random);
    states
}

impl States {
    /// Half of the scenes lie far away from the origin, where roundings are larger than what they
    /// move.
    fn shift(&mut self, random: &mut Random) {
        if random.below(2) == 0 {
            self.by = [4096.0, -2048.0, 1024.0];
            let points = self.all.iter_mut().flatten().flatten();
            points.for_each(|point| *point = mixed(&[*point, self.by], &[1.0, 1.0]));
        }
    }

    /// The velocities of a body: its second state.
    pub(crate) fn velocities(&self, body: usize) -> Vec<Point> {
        self.all[1][body].iter().map(|&point| mixed(&[point, self.by], &[1.0, -1.0])).collect()
    }
}

/// Pairs of triangles in a row, a corner or an edge of the one in a corner, an edge or the face of
/// the other.
pub(crate) fn in_touch(random: &mut Random, states: usize) -> States {
    const PAIRS: usize = 6;
    const WEIGHTS: [[f32; 3]; 5] =
        [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.25, 0.5, 0.25], [0.5, 0.25, 0.25]];
    let kinds: Vec<_> = (0..PAIRS)
        .map(|_| {
            let weights = WEIGHTS[random.below(5) as usize];
            // A third of them are a little off.
            let off = if random.below(3) == 0 { number(random, 1, 1) / 65_536.0 } else { 0.0 };
            (weights, off, random.below(3))
        })
        .collect();
    let states = (0..states).map(|_| {
        let mut bodies: [Vec<Point>; 2] = [Vec::new(), Vec::new()];
        for (place, &(weights, off, shape)) in kinds.iter().enumerate() {
            let middle = 8.0 * place as f32;
            let mut a = [0; 3].map(|_| point(random, 2));
            let mut met = mixed(&a, &weights);
            met[2] += off;
            let b = match shape {
                0 => {
                    let way = point(random, 1);
                    [mixed(&[met, way], &[1.0, 1.0]), mixed(&[met, way], &[1.0, -1.0]), point(random, 2)]
                }
                1 => [met, point(random, 2), point(random, 2)],
                // The boxes of both have one point in common: the corner they share.
                _ => {
                    let mut beyond = |sign: f32| mixed(&[a[0], point(random, 1).map(f32::abs)], &[1.0, sign]);
                    let b = [a[0], beyond(1.0), beyond(1.0)];
                    a = [a[0], beyond(-1.0), beyond(-1.0)];
                    b
                }
            };
            for (body, triangle) in bodies.iter_mut().zip([a, b]) {
                body.extend(triangle.map(|[x, y, z]| [x + middle, y, z]));
            }
        }
        bodies
    });
    let states = states.collect();
    let triangles: Vec<[u32; 3]> = (0..PAIRS as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let mut states = States { triangles: [triangles.clone(), triangles], all: states, by: [0.0; 3] };
    states.shift(random);
    states
}

/// Increasing times from 0 on that are no round numbers.
pub(crate) fn times(random: &mut Random, count: usize) -> Vec<f64> {
    let steps = (1..count).scan(0.0, |time, _| {
        *time += random.between(0.1, 0.4);
        Some(*time)
    });
    std::iter::once(0.0).chain(steps).collect()
}
