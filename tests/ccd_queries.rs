//! The continuous tests on published queries with exact ground truth, beside a naive f64 test.

#[path = "common/data.rs"]
mod data;

use std::path::PathBuf;
use std::time::Instant;

use kinetree::narrow::ccd::{FirstContact, edge_edge_first_contact, vertex_face_first_contact};
use num_rational::BigRational;

struct Query {
    points: [[f64; 3]; 8],
    collides: bool,
}

/// `None` when the data is not there.
fn queries(kind: &str) -> Option<Vec<(String, Vec<Query>)>> {
    let scenes = data::shared("ccd_queries")?.read_dir().unwrap();
    let mut scenes: Vec<PathBuf> = scenes.flatten().map(|entry| entry.path()).collect();
    scenes.sort();
    let read = |scene: &PathBuf| {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(scene.join(kind)).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        files.sort();
        let text = files.iter().map(|file| std::fs::read_to_string(file).expect("readable"));
        let rows: Vec<([f64; 3], bool)> = text.flat_map(|text| text.lines().map(parse).collect::<Vec<_>>()).collect();
        let groups = rows.chunks_exact(8);
        assert!(groups.remainder().is_empty());
        let all = groups.map(|group| Query { points: std::array::from_fn(|i| group[i].0), collides: group[0].1 });
        let name = scene.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        (name, all.collect())
    };
    Some(scenes.iter().map(read).collect())
}

fn parse(line: &str) -> ([f64; 3], bool) {
    let fields: Vec<&str> = line.trim().split(',').collect();
    let point = std::array::from_fn(|k| {
        let (numerator, denominator) = (fields[2 * k], fields[2 * k + 1]);
        let float = |text: &str| text.parse::<f64>().expect("a number");
        let value = float(numerator) / float(denominator);
        let exact: BigRational = format!("{numerator}/{denominator}").parse().expect("a fraction");
        assert_eq!(BigRational::from_float(value), Some(exact), "exact in f64");
        value
    });
    (point, fields[6] == "1")
}

fn vertex_face(p: &[[f64; 3]; 8]) -> Option<FirstContact> {
    vertex_face_first_contact([p[0], p[4]], [[p[1], p[2], p[3]], [p[5], p[6], p[7]]])
}

fn edge_edge(p: &[[f64; 3]; 8]) -> Option<FirstContact> {
    edge_edge_first_contact([[p[0], p[1]], [p[4], p[5]]], [[p[2], p[3]], [p[6], p[7]]])
}

// ------------------------------------------------------------------------------------------ the naive f64 test

type Vector = [f64; 3];

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// What one writes first: sample the coplanarity cubic, bisect each sign change, test inside there.
fn naive(p: &[[f64; 3]; 8], inside: impl Fn([Vector; 4]) -> bool) -> bool {
    let at =
        |s: f64| -> [Vector; 4] { std::array::from_fn(|i| [0, 1, 2].map(|k| (1.0 - s) * p[i][k] + s * p[i + 4][k])) };
    let volume = |s: f64| {
        let [a, b, c, d] = at(s);
        dot(minus(b, a), cross(minus(c, a), minus(d, a)))
    };
    (0..16).any(|step| {
        let (mut low, mut high) = (f64::from(step) / 16.0, f64::from(step + 1) / 16.0);
        let first = volume(low);
        if first * volume(high) > 0.0 {
            return false;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if volume(middle) * first > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        inside(at(high))
    })
}

fn naive_vertex_face(p: &[[f64; 3]; 8]) -> bool {
    naive(p, |[v, a, b, c]| {
        let normal = cross(minus(b, a), minus(c, a));
        let side = |p: Vector, q: Vector| dot(normal, cross(minus(q, p), minus(v, p))) >= 0.0;
        side(a, b) && side(b, c) && side(c, a)
    })
}

fn naive_edge_edge(p: &[[f64; 3]; 8]) -> bool {
    naive(p, |[a, b, c, d]| {
        let normal = cross(minus(b, a), minus(d, c));
        let side = |p: Vector, q: Vector, r: Vector| dot(normal, cross(minus(q, p), minus(r, p)));
        side(a, b, c) * side(a, b, d) <= 0.0 && side(c, d, a) * side(c, d, b) <= 0.0
    })
}

// ------------------------------------------------------------------------------------------------------ tests

fn run(kind: &str, test: impl Fn(&[[f64; 3]; 8]) -> Option<FirstContact>, naive: impl Fn(&[[f64; 3]; 8]) -> bool) {
    let Some(scenes) = queries(kind) else { return };
    let (mut total, mut colliding) = (0, 0);
    for (scene, all) in scenes {
        let start = Instant::now();
        let found: Vec<Option<FirstContact>> = all.iter().map(|q| test(&q.points)).collect();
        let exact_time = start.elapsed();
        let start = Instant::now();
        let guessed: Vec<bool> = all.iter().map(|q| naive(&q.points)).collect();
        let naive_time = start.elapsed();
        let count = |answers: &dyn Fn(usize) -> bool, truth: bool| {
            (0..all.len()).filter(|&i| all[i].collides == truth && answers(i) != truth).count()
        };
        let ours = |i: usize| found[i].is_some();
        let theirs = |i: usize| guessed[i];
        let each = |time: std::time::Duration| time.as_nanos() / all.len().max(1) as u128;
        println!(
            "{kind} {scene}: {} queries; misses {} (naive {}), false alarms {} (naive {}), {} ns (naive {} ns)",
            all.len(),
            count(&ours, true),
            count(&theirs, true),
            count(&ours, false),
            count(&theirs, false),
            each(exact_time),
            each(naive_time),
        );
        for (query, answer) in all.iter().zip(&found) {
            assert_eq!(answer.is_some(), query.collides, "{:?}", query.points);
            if let Some(hit) = answer {
                assert!(!hit.undecided && hit.time.lo <= hit.time.hi);
            }
        }
        total += all.len();
        colliding += all.iter().filter(|q| q.collides).count();
    }
    // For the table of `just torture`; a wrong answer has ended the test.
    println!("torture | CCD queries, {kind} | {total} | 0");
    assert!(total > 1000 && colliding > 30, "{total} {colliding}");
}

#[test]
fn vertex_face_queries() {
    run("vertex-face", vertex_face, naive_vertex_face);
}

#[test]
fn edge_edge_queries() {
    run("edge-edge", edge_edge, naive_edge_edge);
}

#[test]
fn first_contact_by_hand() {
    let face = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    // Down through the face and up again is a straight line: hit at a quarter.
    let hit = vertex_face_first_contact([[0.0, 0.0, 1.0], [0.0, 0.0, -3.0]], [face, face]);
    let hit = hit.expect("passes through");
    assert_eq!((hit.time.lo, hit.time.hi, hit.point), (0.25, 0.25, [0.0, 0.0, 0.0]));
    // On the border counts, beside it does not.
    let drop = |x: f64, y: f64| vertex_face_first_contact([[x, y, 1.0], [x, y, 0.0]], [face, face]);
    assert!(drop(0.0, 1.0).is_some() && drop(0.0, 1.0_f64.next_up()).is_none());
    assert_eq!(drop(0.5, 0.0).map(|hit| hit.time.lo), Some(1.0));
    // In the plane of the face.
    let slide = vertex_face_first_contact([[-3.0, -1.0, 0.0], [1.0, -1.0, 0.0]], [face, face]);
    assert_eq!(slide.map(|hit| hit.time.lo), Some(0.5));
    // A face shrunk to a point.
    let point = [[0.0, 0.0, 0.5]; 3];
    let meet = vertex_face_first_contact([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]], [point, point]);
    assert_eq!(meet.map(|hit| hit.time.lo), Some(0.25));
    // Edges: crossing, end to end, parallel and apart.
    let a = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let b = |z: f64| [[0.5, -1.0, z], [0.5, 1.0, z]];
    let cross = edge_edge_first_contact([a, a], [b(3.0), b(-1.0)]).expect("crosses");
    assert_eq!((cross.time.lo, cross.point), (0.75, [0.5, 0.0, 0.0]));
    let ahead = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0]];
    let end = edge_edge_first_contact([a, a], [ahead(2.0), ahead(0.0)]).expect("one line");
    assert_eq!((end.time.lo, end.point), (0.5, [1.0, 0.0, 0.0]));
    assert!(edge_edge_first_contact([a, a], [ahead(2.0), ahead(1.0_f64.next_up())]).is_none());
    let undecided = edge_edge_first_contact([a, a], [ahead(f64::NAN), ahead(0.0)]);
    assert!(undecided.is_some_and(|hit| hit.undecided));
}
