//! Contact intervals of whole clips against the truth: exact interpolation of the stored numbers, decided without the
//! library's narrow phase.
//!
//! At random times the set of contacts that are on must be the true one, and around every end of an interval the pair's
//! status must be as told. Inside the enclosures of ends the world itself is asked, at every f64 number and the one beyond on
//! either side: while its clock stands there, and for times just passed. By default a fixed subset; with `KINETREE_TORTURE=1` 500
//! times and every end.

#![cfg(feature = "io")]

#[path = "common/data.rs"]
mod data;
#[path = "proximity_oracle/truth.rs"]
#[allow(dead_code, reason = "its distances are used elsewhere")]
mod exact;
#[path = "interval_truth/model.rs"]
mod model;
#[path = "interval_truth/oracle.rs"]
mod oracle;

use std::collections::BTreeMap;

use kinetree::io::{MotionData, read_obj, read_pc2, read_scene, transform_point};
use kinetree::scenes::material::random_soup;
use kinetree::scenes::{Clip, ExpandingSpheresDef, Garment, GeneratedScene, Random, TableclothDef, WalkDef};
use kinetree::world::{Contact, ContactChange, ContactMode, TimeEnclosure, World, WorldDef};

use data::shared;
use model::Body;
use oracle::{Oracle, Pair};

/// An interval of contact: seconds, outward.
#[derive(Clone, Copy, Debug)]
struct Told {
    begin: TimeEnclosure,
    end: TimeEnclosure,
    undecided: bool,
}

fn is_torture() -> bool {
    std::env::var_os("KINETREE_TORTURE").is_some()
}

/// All intervals that a continuous world tells from `start` to `end`.
fn told(bodies: &[Body], end: f64) -> (BTreeMap<Pair, Vec<Told>>, u64, u64) {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    let ids: Vec<_> = bodies.iter().map(|body| world.add_body(body.def()).unwrap()).collect();
    let number = |id| ids.iter().position(|&other| other == id).unwrap();
    let mut all: BTreeMap<Pair, Vec<Told>> = BTreeMap::new();
    for step in 0..=8 {
        world.advance_to(end * f64::from(step) / 8.0).unwrap();
        for change in world.contact_changes() {
            let contact = change.contact();
            let pair = (number(contact.a), number(contact.b), contact.triangle_a, contact.triangle_b);
            let list = all.entry(pair).or_default();
            match *change {
                ContactChange::Began { time, undecided, .. } => {
                    let end = TimeEnclosure { lo: f64::INFINITY, hi: f64::INFINITY, is_open: false };
                    list.push(Told { begin: time, end, undecided });
                }
                ContactChange::Ended { time, .. } => {
                    let last = list.last_mut().expect("what ends has begun");
                    assert_eq!(last.end.lo, f64::INFINITY, "ended twice");
                    last.end = time;
                }
                _ => unreachable!("{change:?}"),
            }
        }
    }
    let on = all.values().flatten().filter(|told| told.end.lo == f64::INFINITY).count();
    assert_eq!(on, world.ongoing_contacts().len());
    let stats = world.interval_stats();
    (all, stats.pairs, stats.undecided)
}

/// Are positions of two bodies known exactly throughout each other's windows?
fn are_exact(a: &Body, b: &Body) -> bool {
    let is_still = |body: &Body| matches!(&body.motion, model::Motion::Keys(times, _) if times.len() == 1);
    let is_straight = |body: &Body| matches!(body.motion, model::Motion::Velocities(..));
    let is_alike = is_straight(a) == is_straight(b) && a.key_times() == b.key_times();
    is_still(a) || is_still(b) || is_alike
}

/// All f64 times inside an enclosure and one beyond on either side; of very many some, and how many were left out.
fn times_in(enclosure: TimeEnclosure) -> (Vec<f64>, u64) {
    let order = |x: f64| x.to_bits().cast_signed();
    assert!(enclosure.lo >= 0.0, "the scenes begin at 0");
    let (lo, hi) = (order(enclosure.lo.next_down().max(0.0)), order(enclosure.hi.next_up()));
    let count = hi - lo + 1;
    let time = |number: i64| f64::from_bits(number.cast_unsigned());
    if count <= MOST_TIMES {
        return ((lo..=hi).map(time).collect(), 0);
    }
    let part = MOST_TIMES / 4;
    let spread = (1..=2 * part).map(|k| lo + part + (count - 2 * part) / (2 * part + 1) * k);
    let all = (lo..lo + part).chain(spread).chain(hi - part + 1..=hi).map(time).collect();
    (all, count.abs_diff(4 * part))
}

/// Most times looked at inside one enclosure: most have fewer; near time 0 they have many.
const MOST_TIMES: i64 = 64;

/// Inside the enclosures of about `wanted` ends (all under torture), what the world says while its clock stands there, and of
/// times just passed, must be the truth; where positions are rounded, nothing may be missed.
fn ask_inside_ends(name: &str, bodies: &[Body], end: f64, told: &BTreeMap<Pair, Vec<Told>>, wanted: usize) {
    let intervals = told.iter().flat_map(|(pair, list)| list.iter().map(move |told| (*pair, *told)));
    let all: Vec<_> = intervals.filter(|(_, told)| !told.undecided).collect();
    let stride = if is_torture() { 1 } else { (2 * all.len() / wanted).max(1) };
    let mut asked: BTreeMap<u64, Vec<Pair>> = BTreeMap::new();
    let mut left_out = 0;
    for (pair, told) in all.iter().step_by(stride) {
        // Begins at time 0 and ends that lie beyond are none.
        let ends = [told.begin, told.end].into_iter().filter(|time| time.hi > 0.0 && time.hi <= end);
        for (times, more) in ends.map(times_in) {
            left_out += more;
            for time in times.into_iter().filter(|&time| time <= end) {
                let pairs = asked.entry(time.to_bits()).or_default();
                if !pairs.contains(pair) {
                    pairs.push(*pair);
                }
            }
        }
    }
    let make = || {
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
        let ids: Vec<_> = bodies.iter().map(|body| world.add_body(body.def()).unwrap()).collect();
        (world, ids)
    };
    let ((mut there, ids), (mut behind, _)) = (make(), make());
    let mut oracle = Oracle::new(bodies);
    let (mut touching, mut apart, mut conservative, mut step) = (0, 0, 0, 0);
    for (&bits, pairs) in &asked {
        let time = f64::from_bits(bits);
        there.advance_to(time).unwrap();
        while behind.time() < time {
            step += 1;
            behind.advance_to(end * f64::from(step) / 8.0).unwrap();
        }
        let passed = behind.contacts_at(time).unwrap();
        for &pair in pairs {
            let contact = Contact::new([ids[pair.0], ids[pair.1]], [pair.2, pair.3]);
            let said = [there.contacts(), &passed].map(|contacts| contacts.binary_search(&contact).is_ok());
            let is_true = oracle.touch(pair, time, None);
            if are_exact(&bodies[pair.0], &bodies[pair.1]) {
                assert_eq!(said, [is_true; 2], "{name}: {pair:?} at {time:?}: {:?}", told[&pair]);
                (touching, apart) = (touching + u64::from(is_true), apart + u64::from(!is_true));
            } else {
                assert!(said == [true; 2] || !is_true, "{name}: {pair:?} is missed at {time:?}: {:?}", told[&pair]);
                conservative += 1;
            }
        }
    }
    println!(
        "{name}: inside ends at {} times {touching} pairs touch and {apart} do not, {conservative} not exact, {left_out} times and \
         {} intervals skipped",
        asked.len(),
        all.len() - all.len().div_ceil(stride),
    );
    assert!(touching + apart == 0 || (touching > 0 && apart > 0), "{name}: no end was met");
}

/// Compares all that a world tells about the bodies with the truth; `times` random times (500 under torture), about `ends`
/// interval ends (all under torture).
fn compare(name: &str, bodies: &[Body], end: f64, times: usize, ends: usize, least: usize) {
    let (told, pairs, undecided) = told(bodies, end);
    let count: usize = told.values().map(Vec::len).sum();
    let mut oracle = Oracle::new(bodies);
    let mut random = Random::new(name.len() as u64);
    let mut moments: Vec<f64> = (0..if is_torture() { 500 } else { times }).map(|_| random.unit() * end).collect();
    // Some keys too: there contacts are closed on both sides.
    moments.extend(bodies[0].key_times().iter().step_by(1 + bodies[0].key_times().len() / 4).filter(|&&t| t <= end));
    let (mut seen, mut inside_ends) = (0, 0);
    for &time in &moments {
        let truth = oracle.touching(time);
        seen += truth.len();
        for pair in &truth {
            let may = told.get(pair).is_some_and(|list| list.iter().any(|t| t.begin.lo <= time && time <= t.end.hi));
            assert!(may, "{name}: {pair:?} is missed at {time:?}: {:?}", told.get(pair));
        }
        for (pair, list) in &told {
            for t in list.iter().filter(|t| t.begin.lo <= time && time <= t.end.hi) {
                let inside_end = time < t.begin.hi || time > t.end.lo;
                inside_ends += u64::from(inside_end);
                assert!(
                    truth.contains(pair) || inside_end || t.undecided,
                    "{name}: {pair:?} is false at {time:?}: {t:?}"
                );
            }
        }
    }
    // Around the ends, pair by pair.
    let stride = if is_torture() { 1 } else { (2 * count / ends.max(1)).max(1) };
    let mut checked = 0;
    let all = told.iter().flat_map(|(pair, list)| list.iter().map(move |told| (*pair, list, *told)));
    for (pair, list, interval) in all.step_by(stride) {
        let mut expect = |time: f64, touching: bool, what: &str| {
            if (0.0..=end).contains(&time) {
                checked += 1;
                let truth = oracle.touch(pair, time, None);
                assert_eq!(truth, touching, "{name}: {what}, {pair:?} at {time:?}: {interval:?} of {list:?}");
            }
        };
        let covered = |time: f64| list.iter().any(|t| t.begin.lo <= time && time <= t.end.hi);
        for (end, next) in
            [(interval.begin.lo, interval.begin.lo.next_down()), (interval.end.hi, interval.end.hi.next_up())]
        {
            if end > 0.0 && !covered(next) {
                expect(next, false, "outside");
            }
        }
        if !interval.undecided && interval.begin.hi <= interval.end.lo {
            expect(interval.begin.hi, true, "at the begin");
            expect(interval.end.lo, true, "at the end");
        }
    }
    let work = &oracle.work;
    println!(
        "{name}: {count} intervals, {} times with {seen} contacts ({inside_ends} inside an end), {checked} statuses at ends, \
         {pairs} pair tests, {undecided} undecided ({:.1e}), oracle {work:?}",
        moments.len(),
        undecided as f64 / pairs.max(1) as f64,
    );
    assert!(seen >= least && count > 0, "{name}: only {seen} contacts seen");
    assert!(undecided as f64 <= 1e-5 * pairs as f64, "{name}: {undecided} of {pairs} undecided");
    ask_inside_ends(name, bodies, end, &told, ends / 20);
    if !is_torture() {
        println!("{name}: skipped {} times and {} intervals' ends", 500 - times, count - count.div_ceil(stride));
    }
}

fn generated(scene: &GeneratedScene, own: bool) -> Vec<Body> {
    scene.bodies.iter().map(|body| Body::generated(body, own)).collect()
}

fn pc2_clip(folder: &str, name: &str, fps: f64, frames: usize, own: bool) -> Option<Body> {
    let mesh = read_obj(shared(&format!("{folder}/{name}.obj"))?).unwrap();
    let cache = read_pc2(shared(&format!("{folder}/{name}.pc2"))?).unwrap();
    let frames = cache.frames.min(frames);
    let times = (0..frames).map(|frame| frame as f64 / fps).collect();
    let points = cache.positions.as_chunks::<3>().0[..frames * cache.vertices].to_vec();
    Some(Body::keyed(mesh.triangles, times, points, own))
}

#[test]
fn cloth_ball() {
    let scene = read_scene(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cloth_ball/scene.toml")).unwrap();
    let bodies = scene.bodies.iter().map(|body| match &body.motion.in_memory().unwrap() {
        MotionData::Keyframes { times, positions } => {
            let points = positions.as_chunks::<3>().0.to_vec();
            Body::keyed(body.mesh.triangles.clone(), times.clone(), points, true)
        }
        MotionData::Rigid { times, transforms } => {
            let mesh = &body.mesh;
            let key = |matrix| mesh.positions.iter().map(move |&point| transform_point(matrix, point));
            let points = transforms.iter().flat_map(key).collect();
            Body::keyed(mesh.triangles.clone(), times.clone(), points, false)
        }
        MotionData::Fixed => Body::fixed(body.mesh.triangles.clone(), body.mesh.positions.clone()),
        other => panic!("{other:?}"),
    });
    let bodies: Vec<Body> = bodies.collect();
    compare("cloth_ball", &bodies, bodies[0].end().unwrap(), 4, 150, 1);
}

#[test]
fn twist() {
    let frames = if is_torture() { usize::MAX } else { 24 };
    let Some(cloth) = pc2_clip("cloth/twist", "cloth", 24.0, frames, true) else { return };
    compare("twist", std::slice::from_ref(&cloth), cloth.end().unwrap(), 4, 200, 0);
}

#[test]
fn tshirt_on_spot() {
    let Some(spot) = shared("static/spot.obj") else { return };
    let frames = if is_torture() { usize::MAX } else { 20 };
    let Some(shirt) = pc2_clip("cloth/diffcloth_tshirt", "tshirt", 30.0, frames, false) else { return };
    let spot = read_obj(spot).unwrap();
    let middle =
        |axis: usize| (0..shirt.vertices as u32).map(|v| shirt.rest(v)[axis]).sum::<f32>() / shirt.vertices as f32;
    let offset = [middle(0), middle(1), middle(2)];
    let place = |p: &[f32; 3]| std::array::from_fn(|axis| p[axis] * 1.5 + offset[axis]);
    let spot = Body::fixed(spot.triangles.clone(), spot.positions.iter().map(place).collect());
    compare("tshirt", &[shirt.clone(), spot], shirt.end().unwrap(), 5, 200, 100);
}

#[test]
fn tablecloth() {
    let triangles = if is_torture() { 2_000 } else { 500 };
    // Resting exactly in the plane of the table's top, and a little above it.
    for gap in [0.0, 0.0005] {
        let scene = TableclothDef { triangles, keys: 24, gap, ..TableclothDef::default() }.generate();
        let bodies = generated(&scene, false);
        compare("tablecloth", &bodies, bodies[0].end().unwrap(), 4, 150, usize::from(gap == 0.0));
    }
}

#[test]
fn walkers() {
    for garment in [Garment::Shirt, Garment::Dress] {
        let scene = WalkDef { triangles: 2_000, keys: 16, garment, ..WalkDef::default() }.generate();
        let bodies = generated(&scene, false);
        compare("walk", &bodies, bodies[0].end().unwrap(), 8, 300, 1);
    }
}

#[test]
fn spheres() {
    let scene = ExpandingSpheresDef { triangles: 320, ..ExpandingSpheresDef::default() }.generate();
    compare("spheres", &generated(&scene, false), 3.0, 10, 300, 20);
}

#[test]
fn soups() {
    for seed in 0..3 {
        let (a, b) = (random_soup(seed, 30, 5, 1.0), random_soup(seed + 100, 30, 5, 1.0));
        let end = a.times[a.times.len() - 1];
        let bodies = [Body::clip(&a, true), Body::clip(&b, false)];
        compare("soup", &bodies, end, 40, 400, 100);
    }
}

/// Where two bodies have different key times, positions at the other's keys are rounded to f64: ends of intervals may
/// be off by as much, and no more.
#[test]
fn soups_with_other_key_times() {
    for seed in 0..3 {
        let scaled = |clip: Clip, by: f64| Clip { times: clip.times.iter().map(|t| t * by).collect(), ..clip };
        let (a, b) = (random_soup(seed, 30, 5, 1.0), scaled(random_soup(seed + 100, 30, 7, 1.0), 0.7));
        let end = a.times[a.times.len() - 1].min(b.times[b.times.len() - 1]);
        compare("other keys", &[Body::clip(&a, false), Body::clip(&b, false)], end, 40, 400, 100);
    }
}
