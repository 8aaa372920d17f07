//! Geometry of contacts: crossings of triangles, refits and measures of surfaces of 14,000 triangles.

use criterion::{Criterion, criterion_group, criterion_main};
use kinetree::Mesh;
use kinetree::geometry::{Surface, crossing, measure, separation, touching_pairs};
use kinetree::scenes::{self, Random, shapes};
use std::hint::black_box;

type Triangle = [[f64; 3]; 3];

fn positions(shape: &scenes::Mesh, offset: [f64; 3]) -> Vec<[f64; 3]> {
    shape.positions.iter().map(|p| [0, 1, 2].map(|k| f64::from(p[k]) + offset[k])).collect()
}

fn surface(shape: &scenes::Mesh, offset: [f64; 3]) -> Surface {
    let mesh = Mesh::new(shape.positions.len(), shape.triangles.clone()).expect("a mesh");
    Surface::new(&mesh, &positions(shape, offset)).expect("a surface")
}

fn crossings(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let pairs: Vec<[Triangle; 2]> = (0..1000)
        .map(|_| [0, 1].map(|_| [0, 1, 2].map(|_| random.in_cube(1.0))))
        .filter(|[a, b]| !crossing(a, b).is_empty())
        .collect();
    println!("{} crossing pairs", pairs.len());
    criterion.bench_function("geometry/crossings", |bencher| {
        bencher.iter(|| black_box(&pairs).iter().map(|[a, b]| crossing(a, b).length()).sum::<f64>());
    });
}

fn surfaces(criterion: &mut Criterion) {
    let (cloth, ball) = (shapes::grid(14_000, 2.0), shapes::icosphere(1280, 0.5));
    let (mut sheet, body) = (surface(&cloth, [0.0, 0.4, 0.0]), surface(&ball, [0.0; 3]));
    let other = surface(&ball, [0.6, 0.2, 0.1]);
    let points = positions(&cloth, [0.0, 0.4, 0.0]);
    criterion.bench_function("geometry/build 14k", |bencher| bencher.iter(|| surface(black_box(&cloth), [0.0; 3])));
    criterion.bench_function("geometry/refit 14k", |bencher| bencher.iter(|| sheet.refit(black_box(&points))));
    let pairs = touching_pairs(&sheet, &body);
    println!("{} touching pairs of sheet and ball", pairs.len());
    criterion.bench_function("geometry/touching pairs, sheet and ball", |bencher| {
        bencher.iter(|| touching_pairs(black_box(&sheet), &body).len());
    });
    criterion.bench_function("geometry/measure, sheet and ball", |bencher| {
        bencher.iter(|| measure(black_box(&sheet), &body, &pairs));
    });
    criterion.bench_function("geometry/separation, two balls that cross", |bencher| {
        bencher.iter(|| separation(black_box(&other), &body));
    });
    let far = surface(&ball, [1.6, 0.2, 0.1]);
    criterion.bench_function("geometry/separation, two balls apart", |bencher| {
        bencher.iter(|| separation(black_box(&far), &body));
    });
    let mut random = Random::new(2);
    let queries: Vec<[f64; 3]> = (0..1000).map(|_| random.in_cube(0.6)).collect();
    criterion.bench_function("geometry/1000 signed distances", |bencher| {
        bencher.iter(|| queries.iter().filter_map(|&query| body.signed_distance(query).ok()).sum::<f64>());
    });
}

criterion_group!(benches, crossings, surfaces);
criterion_main!(benches);
