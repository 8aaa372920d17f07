//! Generated families of scenes: each keeps on purpose what rounding destroys.

use kinetree::scenes::Random;

use super::scene::{Body, Plan, Scene, Shape, Units};

/// A family: its name, and what makes a scene of it.
pub(crate) type Family = (&'static str, fn(&mut Random) -> (Vec<Body>, f64));

pub(crate) const FAMILIES: [Family; 14] = [
    ("coplanar grids", coplanar_grids),
    ("stacked cubes", stacked_cubes),
    ("sliding on edges", sliding_on_edges),
    ("zero-area soups", zero_area_soups),
    ("different keys", different_keys),
    ("loops with jumps", loops),
    ("thickness", thickness),
    ("neighbours", neighbours),
    ("velocities", velocities),
    ("rigid", rigid),
    ("streamed keys", streamed),
    ("segments and points", segments),
    ("spheres", spheres),
    ("reduced bodies", reduced),
];

pub(crate) fn scene(seed: u64) -> Scene {
    let family = (seed % FAMILIES.len() as u64) as usize;
    let mut random = Random::for_part(seed, 7);
    let (name, make) = FAMILIES[family];
    let (bodies, end) = make(&mut random);
    let scale = [1.0, 0.125, 1024.0][random.below(3) as usize];
    let offset = [0, 0, 4096, 1 << 18][random.below(4) as usize];
    Scene { family: name, bodies, begin: 0.0, end, scale, offset }
}

/// A whole number from `-most` to `most`.
pub(crate) fn whole(random: &mut Random, most: i64) -> i64 {
    random.below(2 * most.unsigned_abs() + 1).cast_signed() - most
}

fn point(random: &mut Random, most: i64) -> Units {
    [0; 3].map(|_| whole(random, most))
}

pub(crate) fn chance(random: &mut Random, percent: u64) -> bool {
    random.below(100) < percent
}

fn plus(a: &Units, b: &Units) -> Units {
    [0, 1, 2].map(|k| a[k] + b[k])
}

/// Increasing times from 0 on: multiples of 1/16 s, or no round numbers.
fn times(random: &mut Random, count: usize, is_round: bool) -> Vec<f64> {
    let mut times = vec![0.0];
    for _ in 1..count {
        let step = if is_round { (1 + random.below(8)) as f64 / 16.0 } else { random.between(0.1, 0.4) };
        times.push(times[times.len() - 1] + step);
    }
    times
}

pub(crate) fn keys(times: Vec<f64>, places: Vec<Vec<Units>>) -> Plan {
    Plan::Keys { times, places, loops: false, is_streamed: false }
}

pub(crate) fn last(times: &[f64]) -> f64 {
    times[times.len() - 1]
}

/// Triangles of their own corners each.
pub(crate) fn soup(count: usize) -> Vec<[u32; 3]> {
    (0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()
}

fn grid(side: u32) -> Vec<[u32; 3]> {
    let cell = |x: u32, y: u32| side * y + x;
    let square = |(x, y)| {
        let [a, b, c, d] = [cell(x, y), cell(x + 1, y), cell(x + 1, y + 1), cell(x, y + 1)];
        [[a, b, c], [a, c, d]]
    };
    (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| (x, y))).flat_map(square).collect()
}

/// Two grids in one plane, which may move; the grids slide and bend within it.
fn coplanar_grids(random: &mut Random) -> (Vec<Body>, f64) {
    let count = 2 + random.below(3) as usize;
    let is_round = chance(random, 50);
    let at = times(random, count, is_round);
    let slope = [whole(random, 2), whole(random, 2)];
    let moves = chance(random, 50);
    let heights: Vec<i64> = (0..count).map(|_| if moves { whole(random, 8) } else { 0 }).collect();
    let body = |random: &mut Random| {
        let place = |height: i64, random: &mut Random| -> Vec<Units> {
            let shift = [whole(random, 8), whole(random, 8)];
            let all = (0..9).map(|v: i64| [4 * (v % 3) + shift[0], 4 * (v / 3) + shift[1]]);
            let bent = all.map(|p| {
                let [x, y] = p.map(|x| x + whole(random, 1));
                [x, y, slope[0] * x + slope[1] * y + height]
            });
            bent.collect()
        };
        let places = heights.iter().map(|&height| place(height, random)).collect();
        Body::new(grid(3), keys(at.clone(), places))
    };
    let bodies = vec![body(random), body(random)];
    let end = last(&at);
    (bodies, end)
}

const CUBE: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];

fn cube() -> Vec<[u32; 3]> {
    CUBE.iter().flat_map(|&[p, q, r, s]| [[p, q, r], [p, r, s]]).collect()
}

fn corners(low: &Units, side: i64) -> Vec<Units> {
    (0..8).map(|c| std::array::from_fn(|axis| low[axis] + side * (c >> axis & 1))).collect()
}

/// Cubes on top of each other: they slide, lift off and come down again.
fn stacked_cubes(random: &mut Random) -> (Vec<Body>, f64) {
    let count = 2 + random.below(2) as usize;
    let at = times(random, count, true);
    let bodies = (0..2 + random.below(2) as i64).map(|level| {
        let still = level == 0 && chance(random, 50);
        let place = |random: &mut Random| {
            let lift = i64::from(chance(random, 25));
            [whole(random, 3), whole(random, 3), 4 * level + lift * level]
        };
        if still {
            return Body::new(cube(), Plan::Fixed(corners(&place(random), 4)));
        }
        let places = (0..count).map(|_| corners(&place(random), 4)).collect();
        Body::new(cube(), keys(at.clone(), places))
    });
    let bodies = bodies.collect();
    (bodies, last(&at))
}

/// Corners and edges of one triangle on edges of another, at fixed parts of them; one in three is a
/// little off at one key.
fn sliding_on_edges(random: &mut Random) -> (Vec<Body>, f64) {
    let (count, pairs) = (2 + random.below(2) as usize, 3);
    let is_round = chance(random, 50);
    let at = times(random, count, is_round);
    let mut places = [vec![Vec::new(); count], vec![Vec::new(); count]];
    for pair in 0..pairs {
        let (shape, part) = (random.below(3), random.below(5).cast_signed());
        let off = if chance(random, 33) { whole(random, 1) } else { 0 };
        for key in 0..count {
            let a = [0; 3].map(|_| point(random, 6).map(|x| 4 * x + 64 * pair));
            // A point of the edge, in quarters.
            let mut on: Units = [0, 1, 2].map(|k| (a[0][k] * (4 - part) + a[1][k] * part) / 4);
            on[2] += if key == 0 { off } else { 0 };
            let free = |random: &mut Random| point(random, 24).map(|x| x + 64 * pair);
            let b = match shape {
                0 => [on, free(random), free(random)],
                1 => {
                    let way = point(random, 8);
                    [plus(&on, &way), plus(&on, &way.map(|x| -x)), free(random)]
                }
                // A side along the edge.
                _ => [on, plus(&on, &[0, 1, 2].map(|k| (a[1][k] - a[0][k]) / 4)), free(random)],
            };
            places[0][key].extend(a);
            places[1][key].extend(b);
        }
    }
    let bodies = places.map(|places| Body::new(soup(pairs as usize), keys(at.clone(), places)));
    (bodies.to_vec(), last(&at))
}

/// Points, segments and flat triangles among others.
fn zero_area_soups(random: &mut Random) -> (Vec<Body>, f64) {
    let count = 2 + random.below(2) as usize;
    let at = times(random, count, true);
    let body = |random: &mut Random| {
        let kinds: Vec<u64> = (0..5).map(|_| random.below(6)).collect();
        let mut place = |kind: u64| {
            let [a, b, c] = [0; 3].map(|_| point(random, 2));
            match kind {
                0 => [a; 3],
                1 => [a, b, b],
                2 => [a, b, [0, 1, 2].map(|k| 2 * b[k] - a[k])],
                // Flat at some keys only.
                3 if c[0] > 0 => [a, b, a],
                _ => [a, b, c],
            }
        };
        let places = (0..count).map(|_| kinds.iter().flat_map(|&kind| place(kind)).collect()).collect();
        Body::new(soup(5), keys(at.clone(), places))
    };
    let bodies = vec![body(random), body(random)];
    (bodies, last(&at))
}

fn keyed_soup(random: &mut Random, at: &[f64], count: usize, most: i64) -> Body {
    let places = at.iter().map(|_| (0..3 * count).map(|_| point(random, most)).collect()).collect();
    Body::new(soup(count), keys(at.to_vec(), places))
}

/// Key times of their own each, round ones and others.
fn different_keys(random: &mut Random) -> (Vec<Body>, f64) {
    let is_round = chance(random, 50);
    let all = [0; 2].map(|_| {
        let count = 2 + random.below(3) as usize;
        times(random, count, is_round)
    });
    let most = [3, 40][random.below(2) as usize];
    let bodies = all.each_ref().map(|at| keyed_soup(random, at, 4, most));
    (bodies.to_vec(), last(&all[0]).max(last(&all[1])))
}

/// Loops of equal or different periods; most of them jump at their wraps.
fn loops(random: &mut Random) -> (Vec<Body>, f64) {
    let mut at = times(random, 3, true);
    let bodies = [0; 2].map(|_| {
        if chance(random, 40) {
            at = times(random, 2 + (at.len() + 1) % 2, true);
        }
        let mut body = keyed_soup(random, &at, 3, 3);
        let closes = chance(random, 25);
        if let Plan::Keys { loops, places, .. } = &mut body.plan {
            *loops = true;
            if closes {
                let first = places[0].clone();
                *places.last_mut().expect("keys") = first;
            }
        }
        body
    });
    (bodies.to_vec(), 1.75)
}

/// Triangles that count as touching from a distance, many of them at exactly that distance.
fn thickness(random: &mut Random) -> (Vec<Body>, f64) {
    let count = 2;
    let at = times(random, count, true);
    let flat = chance(random, 50);
    let body = |random: &mut Random, height: i64| {
        let place = |random: &mut Random| {
            let mut all: Vec<Units> = (0..9).map(|_| point(random, 4)).collect();
            if flat {
                all.iter_mut().for_each(|p| p[2] = height);
            }
            all
        };
        let places = (0..count).map(|_| place(random)).collect();
        let mut body = Body::new(soup(3), keys(at.clone(), places));
        body.thickness = 1 + random.below(2).cast_signed();
        body
    };
    let mut bodies = vec![body(random, 0), body(random, 0)];
    if flat {
        // The planes are exactly as far apart as counts, where that is whole.
        let reach = i64::midpoint(bodies[0].thickness, bodies[1].thickness);
        if let Plan::Keys { places, .. } = &mut bodies[1].plan {
            places.iter_mut().flatten().for_each(|p| p[2] = reach);
        }
    }
    (bodies, last(&at))
}

/// A grid that folds, against itself, neighbours included.
fn neighbours(random: &mut Random) -> (Vec<Body>, f64) {
    let count = 2 + random.below(2) as usize;
    let at = times(random, count, true);
    let flat = chance(random, 40);
    let place = |v: i64, random: &mut Random| {
        let bent = point(random, 5);
        [4 * (v % 3) + bent[0], 4 * (v / 3) + bent[1], if flat { 0 } else { bent[2] }]
    };
    // The first key is the rest: corners at one place are welded, also two of one triangle.
    let mut rest: Vec<Units> = (0..9).map(|v| [4 * (v % 3), 4 * (v / 3), 0]).collect();
    for _ in 0..random.below(3) {
        let (one, other) = (random.below(9) as usize, random.below(9) as usize);
        rest[one] = rest[other];
    }
    let mut places: Vec<Vec<Units>> = (0..count).map(|_| (0..9).map(|v| place(v, random)).collect()).collect();
    places[0] = rest;
    let mut body = Body::new(grid(3), keys(at.clone(), places));
    (body.own, body.neighbours) = (true, true);
    (vec![body], last(&at))
}

/// Velocity fields, begun at different times, and among keys.
fn velocities(random: &mut Random) -> (Vec<Body>, f64) {
    let mixed = chance(random, 30);
    let field = |random: &mut Random| {
        let common = point(random, 4);
        let spreads = chance(random, 60);
        let from = (0..12).map(|_| point(random, 4)).collect();
        let velocities = (0..12).map(|_| if spreads { point(random, 4) } else { common }).collect();
        let begin = [0.0, -0.5, -4.0][random.below(3) as usize];
        Body::new(soup(4), Plan::Velocities { begin, from, velocities })
    };
    let first = field(random);
    let second = if mixed {
        let at = times(random, 3, true);
        keyed_soup(random, &at, 4, 6)
    } else {
        field(random)
    };
    (vec![first, second], 1.5)
}

/// Turns by quarters and shifts, as transforms at keys.
fn rigid(random: &mut Random) -> (Vec<Body>, f64) {
    let at = times(random, 3, true);
    let body = |random: &mut Random| {
        let maps = at.iter().map(|_| {
            let (turn, shift) = (random.below(3) as usize, point(random, 3));
            let sign = [0; 3].map(|_| if chance(random, 50) { 1 } else { -1 });
            std::array::from_fn(|row| {
                let mut entries = [0, 0, 0, shift[row]];
                entries[(row + turn) % 3] = sign[row];
                entries
            })
        });
        let maps = maps.collect();
        Body::new(cube(), Plan::Rigid { times: at.clone(), maps, rest: corners(&[-2, -2, -2], 4) })
    };
    let bodies = vec![body(random), body(random)];
    (bodies, last(&at))
}

/// Keys that come one by one while the clock goes on.
fn streamed(random: &mut Random) -> (Vec<Body>, f64) {
    let equal = chance(random, 50);
    let count = 4 + random.below(3) as usize;
    let at = times(random, count, true);
    let other = if equal { at.clone() } else { times(random, count, true) };
    let end = last(&at).min(last(&other));
    let bodies = [at, other].map(|at| {
        let mut body = keyed_soup(random, &at, 3, 3);
        if let Plan::Keys { is_streamed, .. } = &mut body.plan {
            *is_streamed = true;
        }
        body
    });
    (bodies.to_vec(), end)
}

/// Segments and points against each other and against triangles, some from a distance.
fn segments(random: &mut Random) -> (Vec<Body>, f64) {
    let equal = chance(random, 60);
    let at = times(random, 3, true);
    let other = if equal { at.clone() } else { times(random, 3, true) };
    let triangles = chance(random, 40);
    let bodies = [(at.clone(), false), (other.clone(), triangles)].map(|(at, triangles)| {
        let mut body = keyed_soup(random, &at, 5, 3);
        if !triangles {
            body.shape = Shape::Segments;
            let ends = |[a, b, _]: [u32; 3], random: &mut Random| if chance(random, 30) { [a; 3] } else { [a, b, b] };
            body.triangles = soup(5).into_iter().map(|corners| ends(corners, random)).collect();
        }
        body.thickness = if chance(random, 60) { whole(random, 2).abs() } else { 0 };
        body
    });
    (bodies.to_vec(), last(&at).min(last(&other)))
}

/// Spheres that move and grow, against spheres and triangles.
fn spheres(random: &mut Random) -> (Vec<Body>, f64) {
    let equal = chance(random, 60);
    let at = times(random, 3, true);
    let other = if equal { at.clone() } else { times(random, 3, true) };
    let triangles = chance(random, 50);
    let bodies = [(at.clone(), false), (other.clone(), triangles)].map(|(at, triangles)| {
        let mut body = keyed_soup(random, &at, 4, 5);
        if !triangles {
            body.shape = Shape::Spheres;
            body.triangles = (0..4).map(|k| [k; 3]).collect();
            let radius = |random: &mut Random| [1 + whole(random, 1), 0, 0];
            let key = |random: &mut Random| -> Vec<Units> {
                let mut all: Vec<Units> = (0..4).map(|_| point(random, 4)).collect();
                all.extend((0..4).map(|_| radius(random)));
                all
            };
            let places = at.iter().map(|_| key(random)).collect();
            body.plan = keys(at, places);
        }
        body.thickness = if chance(random, 30) { whole(random, 2).abs() } else { 0 };
        body
    });
    (bodies.to_vec(), last(&at).min(last(&other)))
}

/// Morph targets with whole weights, evaluated on demand, with and without boxes from the weights.
fn reduced(random: &mut Random) -> (Vec<Body>, f64) {
    let equal = chance(random, 50);
    let at = times(random, 3, true);
    let other = if equal { at.clone() } else { times(random, 3, true) };
    let end = last(&at).min(last(&other));
    let bodies = [(at, true), (other, false)].map(|(at, always)| {
        if !always && chance(random, 30) {
            return keyed_soup(random, &at, 4, 4);
        }
        let rest: Vec<Units> = (0..12).map(|_| point(random, 3)).collect();
        let targets = (0..2).map(|_| (0..12).map(|_| point(random, 2)).collect()).collect();
        let weights = at.iter().map(|_| vec![whole(random, 2), whole(random, 1)]).collect();
        let is_bounded = chance(random, 50);
        Body::new(soup(4), Plan::Morphs { times: at, weights, rest, targets, is_bounded })
    });
    (bodies.to_vec(), end)
}
