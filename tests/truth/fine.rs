//! Families of scenes whose motions differ by less than rounding, or only next to a key: pauses,
//! heights of any power of two, contacts that begin or end a few steps of `f64` from a key, first
//! rounds of loops.

use kinetree::scenes::Random;

use super::families::{chance, keys, last, soup, whole};
use super::scene::{Body, Plan, Scene, Shape, Units};

/// A family: its name, and what makes bodies of it between two times.
type Family = (&'static str, fn(&mut Random, &Place) -> Vec<Body>);

const FAMILIES: [Family; 7] = [
    ("pauses", pauses),
    ("ends next to keys", next_to_keys),
    ("tips on a slope", slopes),
    ("first rounds", first_rounds),
    ("velocities and pauses", fields),
    ("plans of vertices and pauses", vertex_plans),
    ("spheres and pauses", spheres),
];

/// Where and when a scene is.
struct Place {
    /// Units.
    metre: i64,
    /// Units along x.
    east: i64,
    begin: f64,
    end: f64,
}

pub(crate) fn scene(seed: u64) -> Scene {
    let mut random = Random::for_part(seed, 9);
    let (name, make) = FAMILIES[(seed % FAMILIES.len() as u64) as usize];
    let bits = [56, 56, 36][random.below(3) as usize];
    let begin = [0.0, 0.0, 1024.0, 1_048_576.0][random.below(4) as usize];
    let east = if bits == 36 { 1 << 56 } else { 0 };
    let place = Place { metre: 1 << bits, east, begin, end: begin + 2.0 };
    let bodies = make(&mut random, &place);
    Scene { family: name, bodies, begin, end: place.end, scale: 0.5_f64.powi(bits), offset: 0 }
}

/// A few steps of `f64` from a time; steps next to 0 are too short to tell.
fn nudged(random: &mut Random, time: f64) -> f64 {
    if time == 0.0 {
        return time;
    }
    match whole(random, 2) {
        -2 => time.next_down().next_down(),
        -1 => time.next_down(),
        0 => time,
        1 => time.next_up(),
        _ => time.next_up().next_up(),
    }
}

/// Key times in quarters of a second; some bodies have their first key late.
fn quarters(random: &mut Random, place: &Place) -> Vec<f64> {
    let mut times: Vec<f64> =
        (0..=8).filter(|_| chance(random, 45)).map(|k| place.begin + 0.25 * f64::from(k)).collect();
    if times.len() < 2 {
        times = vec![place.begin, place.begin + 1.0];
    }
    times
}

/// The same times or others, some of them a few steps away.
fn beside(random: &mut Random, place: &Place, times: &[f64]) -> Vec<f64> {
    let mut other = if chance(random, 50) { times.to_vec() } else { quarters(random, place) };
    other.iter_mut().for_each(|time| {
        if chance(random, 40) {
            *time = nudged(random, *time);
        }
    });
    other.retain(|time| *time >= place.begin);
    other.push(place.end + 0.5);
    other
}

impl Place {
    /// A height: none, whole metres, or a few units of any power of two.
    fn height(&self, random: &mut Random) -> i64 {
        match random.below(6) {
            0 => 0,
            1 | 2 => whole(random, 3) * self.metre,
            _ => whole(random, 3) << random.below(30),
        }
    }

    fn point(&self, x: i64, y: i64, z: i64) -> Units {
        [x * self.metre + self.east, y * self.metre, z]
    }

    /// A floor at height 0, or one that is tilted about x = 0; it is `shift` metres further along.
    fn floor(&self, shift: i64, slope: i64, height: i64) -> Vec<Units> {
        let corner = |x: i64, y| self.point(x + shift, y, slope * (x + shift) * self.metre + height);
        vec![corner(-8, -8), corner(8, -8), corner(0, 8)]
    }

    /// A triangle of which some corners are low.
    fn tip(&self, x: i64, heights: &[i64]) -> Vec<Units> {
        let high = 4 * self.metre;
        let height = |k: usize| heights.get(k).copied().unwrap_or(high);
        vec![self.point(x, 0, height(0)), self.point(x + 1, 0, height(1)), self.point(x, 1, height(2))]
    }

    /// Tips at key times, which pause now and then; `slides`: also along x.
    fn tips(&self, random: &mut Random, times: &[f64], slides: bool) -> Body {
        let count = 2 + random.below(3) as usize;
        let low: Vec<usize> = (0..count).map(|_| 1 + random.below(3) as usize).collect();
        let mut places: Vec<Vec<Units>> = Vec::new();
        for _ in times {
            let key = low.iter().flat_map(|&low| {
                let heights: Vec<i64> = (0..low).map(|_| self.height(random)).collect();
                self.tip(if slides { whole(random, 2) } else { 0 }, &heights)
            });
            let mut key: Vec<Units> = key.collect();
            if let Some(before) = places.last() {
                pause(random, &mut key, before);
            }
            places.push(key);
        }
        Body::new(soup(count), keys(times.to_vec(), places))
    }

    /// A floor that slides in its plane, pauses, and now and then lifts or falls.
    fn sliding_floor(&self, random: &mut Random, times: &[f64]) -> Body {
        let (lifts, rests) = (chance(random, 30), chance(random, 20));
        let mut places: Vec<Vec<Units>> = Vec::new();
        for _ in times {
            let height = if lifts && chance(random, 40) { self.height(random) } else { 0 };
            let key = self.floor(whole(random, 2), 0, height);
            let pauses = !places.is_empty() && (rests || chance(random, 50));
            places.push(if pauses { places[places.len() - 1].clone() } else { key });
        }
        Body::new(soup(1), keys(times.to_vec(), places))
    }
}

/// All or single vertices stay where they were.
fn pause(random: &mut Random, key: &mut Vec<Units>, before: &[Units]) {
    if chance(random, 25) {
        *key = before.to_vec();
    }
    for (now, &before) in key.iter_mut().zip(before) {
        if chance(random, 15) {
            *now = before;
        }
    }
}

/// Floors that pause between keys, and tips of any height.
fn pauses(random: &mut Random, place: &Place) -> Vec<Body> {
    let times = quarters(random, place);
    let floor = place.sliding_floor(random, &times);
    let times = quarters(random, place);
    let slides = chance(random, 70);
    vec![floor, place.tips(random, &times, slides)]
}

/// Keys of two bodies that are a few steps of `f64` apart.
fn next_to_keys(random: &mut Random, place: &Place) -> Vec<Body> {
    let times = quarters(random, place);
    let floor = place.sliding_floor(random, &times);
    let times = beside(random, place, &times);
    let slides = chance(random, 50);
    vec![floor, place.tips(random, &times, slides)]
}

/// A floor that is tilted and slides in its plane; tips slide in it, or pass it near x = 0.
fn slopes(random: &mut Random, place: &Place) -> Vec<Body> {
    let (slope, lifts) = (1 + random.below(3).cast_signed(), chance(random, 30));
    let near = Place { east: 0, ..*place };
    let times = quarters(random, place);
    let mut places: Vec<Vec<Units>> = Vec::new();
    for key in 0..times.len() {
        let shift = if lifts { 0 } else { whole(random, 2) };
        let pauses = key > 0 && chance(random, 40);
        places.push(if pauses { places[key - 1].clone() } else { near.floor(shift, slope, 0) });
    }
    let floor = Body::new(soup(1), keys(times.clone(), places));
    let times = beside(random, place, &times);
    let mut tips = near.tips(random, &times, false);
    let Plan::Keys { places, .. } = &mut tips.plan else { unreachable!() };
    if chance(random, 50) {
        for key in places {
            let x = whole(random, 2);
            key.truncate(3);
            (0..3).for_each(|k| key[k] = near.point(x, k as i64, (slope * x + 8 * k as i64) * place.metre));
        }
        tips.triangles = soup(1);
    }
    vec![floor, tips]
}

/// Loops that enter their first round while the world runs.
fn first_rounds(random: &mut Random, place: &Place) -> Vec<Body> {
    // No wrap comes where the scene begins.
    let first = place.begin + [0.125, 0.375, 0.625, 1.125][random.below(4) as usize];
    let count = 1 + random.below(2) as usize;
    let mut times = vec![first];
    for _ in 0..count {
        let step = [0.25, 0.5, 1.0][random.below(3) as usize];
        times.push(last(&times) + step);
    }
    let slides = chance(random, 50);
    let mut tips = place.tips(random, &times, slides);
    let Plan::Keys { loops, .. } = &mut tips.plan else { unreachable!() };
    *loops = true;
    let at = if chance(random, 40) { times } else { quarters(random, place) };
    let floor = if chance(random, 30) {
        Body::new(soup(1), Plan::Fixed(place.floor(0, 0, 0)))
    } else {
        place.sliding_floor(random, &at)
    };
    vec![tips, floor]
}

/// When a velocity field begins: also before the scene, and next to quarters.
fn since(random: &mut Random, place: &Place) -> f64 {
    let time = place.begin + 0.25 * (whole(random, 4) as f64);
    nudged(random, time)
}

/// Velocities that take tips from heights to others after whole parts of a second.
fn fields(random: &mut Random, place: &Place) -> Vec<Body> {
    let times = quarters(random, place);
    let floor = place.sliding_floor(random, &times);
    let slides = chance(random, 50);
    let (mut tips, other) = (place.tips(random, &times, false), place.tips(random, &times, false));
    let (Some((_, from)), Some((_, to))) = (tips.plan.keys(), other.plan.keys()) else { unreachable!() };
    let velocities = (0..from[0].len()).map(|vertex| {
        let x = if slides { whole(random, 2) * place.metre } else { 0 };
        [x, 0, to[0].get(vertex).map_or(0, |p| p[2])]
    });
    let velocities = velocities.collect();
    tips.plan = Plan::Velocities { begin: since(random, place), from: from[0].clone(), velocities };
    vec![floor, tips]
}

/// Some corners of tips have velocities or keys of their own.
fn vertex_plans(random: &mut Random, place: &Place) -> Vec<Body> {
    let mut bodies = pauses(random, place);
    let chosen = usize::from(chance(random, 80));
    let Plan::Keys { times, places, .. } = bodies[chosen].plan.clone() else { unreachable!() };
    let mut own = Vec::new();
    for vertex in 0..places[0].len() {
        if chance(random, 60) {
            continue;
        }
        let from = places[0][vertex];
        let moved = |random: &mut Random| match chosen {
            0 => from,
            _ => [from[0] + whole(random, 2) * place.metre, from[1], place.height(random)],
        };
        let plan = if chance(random, 50) {
            let velocity = [whole(random, 2) * place.metre, 0, if chosen == 1 { place.height(random) } else { 0 }];
            Plan::Velocities { begin: place.begin, from: vec![from], velocities: vec![velocity] }
        } else {
            let times = beside(random, place, &times);
            let places = times.iter().map(|_| vec![moved(random)]).collect();
            keys(times, places)
        };
        own.push((vertex as u32, plan));
    }
    bodies[chosen].plan = Plan::Own { times, places, own };
    bodies
}

/// Spheres that come down to floors that pause.
fn spheres(random: &mut Random, place: &Place) -> Vec<Body> {
    let times = quarters(random, place);
    let mut floor = place.sliding_floor(random, &times);
    let times = beside(random, place, &times);
    let count = 2;
    let mut places: Vec<Vec<Units>> = Vec::new();
    let radius = place.metre >> random.below(3);
    for _ in &times {
        let centre = |random: &mut Random| {
            let height = (place.height(random) << 6) % (2 * place.metre);
            place.point(whole(random, 2), 0, radius + height)
        };
        let mut key: Vec<Units> = (0..count).map(|_| centre(random)).collect();
        if let Some(before) = places.last() {
            pause(random, &mut key, &before[..count]);
        }
        let grown = |random: &mut Random| if chance(random, 80) { radius } else { radius << 1 };
        key.extend((0..count).map(|_| [grown(random), 0, 0]));
        places.push(key);
    }
    let mut balls = Body::new((0..count as u32).map(|k| [k; 3]).collect(), keys(times, places));
    balls.shape = Shape::Spheres;
    if chance(random, 20) {
        floor.thickness = place.metre >> random.below(30);
    }
    vec![floor, balls]
}
