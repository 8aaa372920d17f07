//! The scene generators: same bits in every build, promised counts, sound meshes, cloth that drapes, garments that fit.
//!
//! Geometry is judged by code of its own: winding numbers for "inside", segment-triangle tests for contact.

use std::collections::BTreeMap;

use kinetree::scenes::{
    Clip, ExpandingSpheresDef, Garment, GeneratedBody, GeneratedScene, Mesh, Random, TableclothDef, VelocityBody,
    WalkDef, material, shapes,
};

type Point = [f64; 3];

fn wide(p: [f32; 3]) -> Point {
    p.map(f64::from)
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

fn corners(triangle: [u32; 3], positions: &[[f32; 3]]) -> [Point; 3] {
    triangle.map(|v| wide(positions[v as usize]))
}

fn area_normal([a, b, c]: [Point; 3]) -> Point {
    cross(minus(b, a), minus(c, a)).map(|x| 0.5 * x)
}

/// How often the closed surface goes around the point; above ½ means inside, whatever overlaps.
fn winding(point: Point, triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> f64 {
    let mut angle = 0.0;
    for &triangle in triangles {
        let [a, b, c] = corners(triangle, positions).map(|corner| minus(corner, point));
        let (la, lb, lc) = (length(a), length(b), length(c));
        let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        angle += 2.0 * dot(a, cross(b, c)).atan2(below);
    }
    angle / (4.0 * std::f64::consts::PI)
}

/// Whether an edge of one triangle passes properly through the other; never for triangles that share a vertex.
fn crossing(one: &[Point; 3], two: &[Point; 3]) -> bool {
    if one.iter().any(|corner| two.contains(corner)) {
        return false;
    }
    let volume = |a: Point, b: Point, c: Point, d: Point| dot(minus(d, a), cross(minus(b, a), minus(c, a)));
    let pierces = |p: Point, q: Point, [a, b, c]: [Point; 3]| {
        let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
        volume(a, b, c, p) * volume(a, b, c, q) < 0.0
            && (sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0))
    };
    (0..3).any(|i| pierces(one[i], one[(i + 1) % 3], *two) || pierces(two[i], two[(i + 1) % 3], *one))
}

fn crossing_pairs(one: &[[Point; 3]], two: &[[Point; 3]]) -> usize {
    one.iter().map(|a| two.iter().filter(|b| crossing(a, b)).count()).sum()
}

fn keyed(scene: &GeneratedScene, body: usize) -> &Clip {
    match &scene.bodies[body] {
        GeneratedBody::Keyed(clip) => clip,
        _ => panic!("body {body} is not keyed"),
    }
}

fn moving(scene: &GeneratedScene, body: usize) -> &VelocityBody {
    match &scene.bodies[body] {
        GeneratedBody::Moving(body) => body,
        _ => panic!("body {body} has no velocities"),
    }
}

fn all_triangles(clip: &Clip, key: usize) -> Vec<[Point; 3]> {
    clip.triangles.iter().map(|&triangle| corners(triangle, clip.key(key))).collect()
}

/// Indices in range and distinct, every vertex used, everything finite, no triangle without area.
fn check_mesh(name: &str, triangles: &[[u32; 3]], positions: &[[f32; 3]]) {
    assert!(!triangles.is_empty(), "{name}");
    let mut used = vec![false; positions.len()];
    for &triangle in triangles {
        for vertex in triangle {
            used[vertex as usize] = true;
        }
        let points = corners(triangle, positions);
        let longest = (0..3).map(|i| length(minus(points[i], points[(i + 1) % 3]))).fold(0.0, f64::max);
        let height = 2.0 * length(area_normal(points)) / longest;
        assert!(height > 1e-3 * longest, "{name}: triangle {triangle:?} is degenerate: {points:?}");
    }
    assert!(used.iter().all(|&used| used), "{name}: unused vertices");
    assert!(positions.as_flattened().iter().all(|x| x.is_finite()), "{name}: not finite");
}

fn check_clip(clip: &Clip) {
    assert_eq!(clip.positions.len(), clip.key_count() * clip.vertex_count * 3, "{}", clip.name);
    assert!(clip.times[0] == 0.0 && clip.times.windows(2).all(|pair| pair[0] < pair[1]), "{}", clip.name);
    assert!(clip.positions.iter().all(|x| x.is_finite()), "{}", clip.name);
    check_mesh(&clip.name, &clip.triangles, clip.key(0));
    assert!(clip.key(clip.key_count()).is_empty());
}

fn check_scene(scene: &GeneratedScene) {
    for body in &scene.bodies {
        match body {
            GeneratedBody::Fixed(mesh) => check_mesh(&mesh.name, &mesh.triangles, &mesh.positions),
            GeneratedBody::Keyed(clip) => check_clip(clip),
            GeneratedBody::Moving(body) => {
                check_mesh(&body.name, &body.triangles, &body.positions);
                assert_eq!(body.velocities.len(), body.positions.len());
                assert!(body.velocities.as_flattened().iter().all(|x| x.is_finite()));
            }
        }
    }
}

/// Every edge is used once in each direction: closed and consistently oriented.
fn check_closed(name: &str, triangles: &[[u32; 3]]) {
    let mut balance: BTreeMap<(u32, u32), [u32; 2]> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            balance.entry((from.min(to), from.max(to))).or_default()[usize::from(from < to)] += 1;
        }
    }
    assert!(balance.values().all(|uses| *uses == [1, 1]), "{name} is not closed");
}

fn volume(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> f64 {
    let signed = |&triangle| {
        let [a, b, c] = corners(triangle, positions);
        dot(a, cross(b, c)) / 6.0
    };
    triangles.iter().map(signed).sum()
}

#[test]
fn fingerprints_are_pinned() {
    let cloth = |seed, triangles, keys, gap| TableclothDef { seed, triangles, keys, gap }.generate().fingerprint();
    let walk =
        |seed, garment, forward| WalkDef { seed, triangles: 4_000, keys: 4, garment, forward }.generate().fingerprint();
    let spheres = |seed| ExpandingSpheresDef { seed, ..Default::default() }.generate().fingerprint();
    let sphere = shapes::icosphere(300, 1.0);
    let made = [
        ("tablecloth 1", cloth(1, 2_000, 20, 0.0005), 0xb56f_6366_0197_7582),
        ("tablecloth 2", cloth(2, 500, 20, 0.0), 0xbcd8_147b_0e53_f731),
        ("walk, shirt", walk(1, Garment::Shirt, false), 0x591e_5759_8ca6_bd2f),
        ("walk, dress", walk(1, Garment::Dress, false), 0x2e76_b35c_f87a_80a2),
        ("walk on, dress", walk(2, Garment::Dress, true), 0xa5c9_7fae_0a2b_d1db),
        ("spheres 1", spheres(1), 0xc0ca_1f77_02ad_972b),
        ("spheres 2", spheres(2), 0xc275_7cc9_c269_a956),
        ("soup", material::random_soup(5, 20, 6, 2.0).fingerprint(), 0xc3a1_e838_7e8e_090e),
        ("jittered", material::jittered_grid_cloth(5, 4, 5, 6).fingerprint(), 0x373d_24fb_fb20_d6ad),
        ("symmetric", material::symmetric_grid(4, 5, 3, [true, true, false]).fingerprint(), 0x3bc8_b0ca_229e_3a43),
        ("folding", material::folding_strip(5, 9).fingerprint(), 0xbbb1_8474_e854_fede),
        ("translating", material::translating_copy(&sphere, [0.3, -1.0, 2.0]).fingerprint(), 0x96d6_52d2_bef5_18ab),
        ("scattering", material::random_velocities(5, &sphere, 3.0).fingerprint(), 0x4e1a_3454_b8d8_b082),
        ("resting", material::zero_motion(&sphere, 3).fingerprint(), 0xd55e_1df1_8c69_2285),
        ("icosphere", sphere.fingerprint(), 0x83d0_6287_15a9_e3c9),
        ("cuboid", shapes::cuboid(300, [1.0, 2.0, 3.0]).fingerprint(), 0x2e97_e20f_42c1_a807),
        ("grid", shapes::grid(300, 2.0).fingerprint(), 0xaedc_65bb_1f3d_c1c2),
        ("torus", shapes::torus(300, 2.0, 0.5).fingerprint(), 0xcebd_b3a9_5580_a643),
    ];
    let differing: Vec<String> = made
        .iter()
        .filter(|(_, found, pinned)| found != pinned)
        .map(|(name, found, _)| format!("{name}: {found:#018x}"))
        .collect();
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn random_numbers_match_the_published_generator() {
    // First outputs of SplitMix64 for seed 1234567, as published with it.
    let mut random = Random::new(1_234_567);
    let first = [random.next_bits(), random.next_bits(), random.next_bits()];
    assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
}

#[test]
fn static_shapes_are_closed_and_sized() {
    let volume = |mesh: &Mesh| volume(&mesh.triangles, &mesh.positions);
    for wanted in [0, 20, 100, 979, 5_000] {
        let sphere = shapes::icosphere(wanted, 2.0);
        let cuboid = shapes::cuboid(wanted, [1.0, 2.0, 3.0]);
        let torus = shapes::torus(wanted, 2.0, 0.5);
        let grid = shapes::grid(wanted, 3.0);
        for (mesh, per_square) in [(&sphere, 20.0), (&cuboid, 12.0), (&grid, 2.0), (&torus, 1.0)] {
            check_mesh(&mesh.name, &mesh.triangles, &mesh.positions);
            let off = mesh.triangles.len().abs_diff(wanted) as f64;
            let allowed = (per_square * wanted as f64).sqrt() + per_square.max(18.0);
            assert!(off <= allowed, "{}: {off} off {wanted}", mesh.name);
        }
        for mesh in [&sphere, &cuboid, &torus] {
            check_closed(&mesh.name, &mesh.triangles);
            assert!(volume(mesh) > 0.0, "{} is inside out", mesh.name);
        }
        assert!((volume(&cuboid) - 48.0).abs() < 1e-4);
        assert!(grid.triangles.iter().all(|&t| area_normal(corners(t, &grid.positions))[1] > 0.0));
    }
    let [ball, ring] = [shapes::icosphere(20_000, 1.0), shapes::torus(20_000, 2.0, 0.5)];
    let pi = std::f64::consts::PI;
    assert!((volume(&ball) / (4.0 / 3.0 * pi) - 1.0).abs() < 2e-3);
    assert!((volume(&ring) / (pi * pi) - 1.0).abs() < 5e-3);
}

#[test]
fn tablecloth_drapes_without_entering_the_table() {
    /// Metres by which a vertex may seem inside through rounding to `f32`.
    const INSIDE_TOLERANCE: f64 = 1e-6;
    let scene = TableclothDef { triangles: 2_000, ..Default::default() }.generate();
    check_scene(&scene);
    let cloth = keyed(&scene, 0);
    assert!(cloth.triangles.len().abs_diff(2_000) <= 65 && cloth.key_count() == 60);
    let GeneratedBody::Fixed(table) = &scene.bodies[1] else { panic!("the table moves") };
    check_closed("table", &table.triangles);
    for key in [8, 25, 59] {
        for &vertex in cloth.key(key) {
            // Lifted by the tolerance, against the one surface on which cloth rests flat.
            let mut point = wide(vertex);
            point[1] += INSIDE_TOLERANCE;
            assert!(winding(point, &table.triangles, &table.positions) < 0.5, "key {key}: {point:?} inside the table");
            assert!(point[1] >= 0.0, "key {key}: below the floor");
        }
    }
    let one_table: Vec<[Point; 3]> = table.triangles.iter().map(|&t| corners(t, &table.positions)).collect();
    let touching = crossing_pairs(&all_triangles(cloth, 59), &one_table);
    assert!(touching > 100, "the rim is touched by {touching} pairs");
}

#[test]
fn tablecloth_hardly_stretches() {
    for (triangles, seed) in [(2_000, 1), (2_000, 2), (4_500, 3)] {
        let scene = TableclothDef { triangles, seed, ..Default::default() }.generate();
        let cloth = keyed(&scene, 0);
        let cells = (cloth.triangles.len() as f64 / 2.0).sqrt();
        let start = all_triangles(cloth, 0);
        let (mut most, mut long, mut edges) = (0.0_f64, 0, 0);
        for key in 1..60 {
            for (now, before) in all_triangles(cloth, key).iter().zip(&start) {
                for i in 0..3 {
                    let rest = length(minus(before[i], before[(i + 1) % 3]));
                    // Grid edges only: diagonals are meant to give.
                    if rest < 1.2 * 1.9 / cells {
                        let stretch = length(minus(now[i], now[(i + 1) % 3])) / rest - 1.0;
                        most = most.max(stretch);
                        edges += 1;
                        long += usize::from(stretch > 0.08);
                    }
                }
            }
        }
        assert!(edges > 0 && most < 0.12 && long * 100 < edges, "{seed}: {most}, {long} of {edges}");
    }
}

#[test]
fn tablecloth_wrinkles_without_crossing_itself() {
    let scene = TableclothDef { triangles: 2_000, ..Default::default() }.generate();
    let cloth = keyed(&scene, 0);
    let normals = |key: usize| -> Vec<Point> {
        let unit = |n: Point| n.map(|x| x / length(n));
        all_triangles(cloth, key).iter().map(|&triangle| unit(area_normal(triangle))).collect()
    };
    assert!(normals(0).iter().all(|normal| normal[1] > 0.98), "starts nearly flat");
    let end = normals(59);
    let share = |test: &dyn Fn(&Point) -> bool| end.iter().filter(|n| test(n)).count() as f64 / end.len() as f64;
    let (lying, hanging) = (share(&|n| n[1] > 0.99), share(&|n| n[1].abs() < 0.5));
    assert!(lying > 0.15 && hanging > 0.4, "{lying} lies on the table, {hanging} hangs");
    // Folds: from triangle to triangle along a row, the horizontal direction of hanging cloth turns both ways.
    let turns: Vec<f64> = end
        .windows(3)
        .filter(|n| n.iter().all(|normal| normal[1].abs() < 0.5))
        .map(|n| n[0][0] * n[2][2] - n[0][2] * n[2][0])
        .collect();
    let [left, right] = [1.0, -1.0].map(|sign| turns.iter().filter(|&&turn| sign * turn > 0.1).count());
    assert!(left * 8 > turns.len() && right * 8 > turns.len(), "{left} and {right} of {} turns", turns.len());
    for key in [18, 59] {
        let triangles = all_triangles(cloth, key);
        assert_eq!(crossing_pairs(&triangles, &triangles), 0, "key {key}");
    }
}

#[test]
fn tablecloth_without_gap_lies_exactly_on_the_table() {
    let scene = TableclothDef { triangles: 2_000, keys: 30, gap: 0.0, ..Default::default() }.generate();
    let resting = keyed(&scene, 0).key(29).iter().filter(|vertex| vertex[1] == 0.75).count();
    assert!(resting > 100, "{resting}");
}

#[test]
fn garments_follow_the_figure_in_light_contact() {
    for (garment, seed) in [(Garment::Shirt, 1), (Garment::Dress, 1), (Garment::Dress, 3)] {
        let scene = WalkDef { triangles: 5_000, garment, seed, ..Default::default() }.generate();
        check_scene(&scene);
        let (cloth, figure) = (keyed(&scene, 0), keyed(&scene, 1));
        assert_eq!(cloth.times, figure.times);
        assert_eq!(cloth.key_count(), 30);
        check_closed("figure", &figure.triangles);
        assert!(volume(&figure.triangles, figure.key(0)) > 0.05, "inside out");

        let (mut inside, mut seen, mut pairs) = (0, 0, Vec::new());
        for key in [0, 8, 17] {
            for &vertex in cloth.key(key) {
                inside += usize::from(winding(wide(vertex), &figure.triangles, figure.key(key)) > 0.5);
                seen += 1;
            }
            pairs.push(crossing_pairs(&all_triangles(cloth, key), &all_triangles(figure, key)));
        }
        assert!(inside * 100 < 3 * seen, "{garment:?}: {inside} of {seen} vertices inside the body");
        assert!(pairs.iter().all(|&count| count > 10 && count < cloth.triangles.len() / 2), "{garment:?}: {pairs:?}");

        for key in 0..29 {
            let lowest = figure.key(key).iter().map(|v| v[1]).fold(f32::INFINITY, f32::min);
            assert!(lowest.abs() < 0.02, "{garment:?}: lowest foot at {lowest}");
            for clip in [cloth, figure] {
                let moves = clip.key(key).iter().zip(clip.key(key + 1));
                let most = moves.map(|(a, b)| length(minus(wide(*a), wide(*b)))).fold(0.0, f64::max);
                assert!((0.005..0.2).contains(&most), "{}: step {most} at key {key}", clip.name);
            }
        }
    }
}

#[test]
fn walking_on_moves_forward() {
    let def = WalkDef { triangles: 2_000, garment: Garment::Shirt, ..Default::default() };
    let middle = |clip: &Clip, key| {
        let sum: f64 = clip.key(key).iter().map(|v| f64::from(v[2])).sum();
        sum / clip.vertex_count as f64
    };
    for (forward, expected) in [(true, 1.0..1.8), (false, -0.05..0.05)] {
        let scene = WalkDef { forward, ..def.clone() }.generate();
        for body in 0..2 {
            let clip = keyed(&scene, body);
            let walked = middle(clip, 29) - middle(clip, 0);
            assert!(expected.contains(&walked), "{}: {walked}", clip.name);
        }
    }
}

#[test]
fn walk_counts_are_met() {
    for garment in [Garment::Shirt, Garment::Dress] {
        for (wanted, percent) in [(2_000, 5), (4_000, 5), (8_000, 5), (32_000, 1), (130_000, 1)] {
            let scene = WalkDef { triangles: wanted, keys: 1, garment, ..Default::default() }.generate();
            let made = scene.triangle_count();
            assert!(made.abs_diff(wanted) * 100 <= wanted * percent, "{garment:?}: {made} for {wanted}");
            check_scene(&scene);
        }
    }
}

#[test]
fn spheres_expand_until_they_touch() {
    for wanted in [2_000, 10_000, 40_000] {
        let def = ExpandingSpheresDef { triangles: wanted, ..Default::default() };
        let scene = def.generate();
        check_scene(&scene);
        assert!((scene.triangle_count() as f64 / wanted as f64 - 1.0).abs() < 0.06);
        let bodies = [moving(&scene, 0), moving(&scene, 1)];
        let centres = bodies.map(|body| {
            let sum = |k: usize| body.positions.iter().map(|p| f64::from(p[k])).sum::<f64>();
            [0, 1, 2].map(|k| sum(k) / body.positions.len() as f64)
        });
        let apart = minus(centres[1], centres[0]);
        assert!((length(apart) - 3.0).abs() < 1e-3);
        let line = apart.map(|x| x / length(apart));
        // By how far the two reach past each other along the line of centres.
        let overlap = |time: f64| {
            let reach = |body: &VelocityBody, sign: f64| {
                let moved = body.positions.iter().zip(&body.velocities);
                let along = moved.map(|(p, v)| sign * (dot(wide(*p), line) + time * dot(wide(*v), line)));
                along.fold(f64::MIN, f64::max)
            };
            reach(bodies[0], 1.0) + reach(bodies[1], -1.0)
        };
        let touch = def.gap / (2.0 * def.speed);
        assert!(overlap(0.98 * touch) < 0.0 && overlap(1.1 * touch) > 0.0, "they meet about {touch} s");
        for (body, centre) in bodies.into_iter().zip(centres) {
            check_closed(&body.name, &body.triangles);
            for (position, velocity) in body.positions.iter().zip(&body.velocities) {
                let growth = wide(*velocity).map(|x| x / def.speed);
                assert!(length(minus(minus(wide(*position), centre), growth)) < 1e-3);
            }
        }
    }
}

#[test]
fn small_material_does_what_it_says() {
    let sphere = shapes::icosphere(80, 1.0);
    let soup = material::random_soup(3, 50, 8, 4.0);
    let jittered = material::jittered_grid_cloth(3, 5, 6, 8);
    let symmetric = material::symmetric_grid(5, 4, 3, [true, true, false]);
    let folding = material::folding_strip(4, 13);
    let resting = material::zero_motion(&sphere, 4);
    for (clip, triangles) in [(&soup, 50), (&jittered, 60), (&symmetric, 40), (&folding, 32), (&resting, 80)] {
        check_clip(clip);
        assert_eq!(clip.triangles.len(), triangles, "{}", clip.name);
    }
    assert!(soup.positions.iter().all(|x| x.abs() <= 1.35 * 4.0));
    assert_ne!(soup, material::random_soup(4, 50, 8, 4.0), "seeds differ");

    for (before, after) in symmetric.key(0).iter().zip(symmetric.key(1)) {
        let halfway = [0, 1, 2].map(|k| 0.5 * before[k] + 0.5 * after[k]);
        assert_eq!(halfway, [0.0, 0.0, before[2]]);
        assert!(before.iter().all(|x| x.fract() == 0.0));
    }
    assert_eq!(symmetric.key(0), symmetric.key(2));
    assert!((1..4).all(|key| resting.key(key) == resting.key(0)));

    let tip = |key: usize| folding.key(key)[folding.vertex_count - 1];
    assert!(tip(10)[1] > 0.0 && tip(11)[1] < 0.0, "the half passes through: {:?}, {:?}", tip(10), tip(11));
    assert!(tip(11)[0] < -3.0, "over the other half");

    let copy = material::translating_copy(&sphere, [0.3, -1.0, 2.0]);
    for (position, velocity) in copy.positions.iter().zip(&copy.velocities) {
        assert_eq!(*velocity, copy.velocities[0]);
        for k in 0..3 {
            let moved = f64::from(position[k]) + f64::from(velocity[k]) * 0.0625;
            assert_eq!(f64::from(moved as f32), moved, "exact in f32");
        }
    }
    let scattering = material::random_velocities(3, &sphere, 2.0);
    assert!(scattering.velocities.iter().all(|&v| length(wide(v)) <= 2.0 + 1e-6));
}

#[test]
fn odd_requests_are_met_without_panic() {
    check_scene(&TableclothDef { triangles: 0, keys: 0, gap: f64::NAN, ..Default::default() }.generate());
    check_scene(&TableclothDef { triangles: 32, keys: 9, gap: f64::INFINITY, seed: u64::MAX }.generate());
    check_scene(&WalkDef { triangles: 0, keys: 0, ..Default::default() }.generate());
    check_scene(&ExpandingSpheresDef { triangles: 0, ..Default::default() }.generate());
    check_clip(&material::jittered_grid_cloth(0, 0, 0, 0));
    check_clip(&material::folding_strip(0, 0));
    check_clip(&material::symmetric_grid(0, 0, 0, [true; 3]));
    check_clip(&material::random_soup(0, 0, 0, 1.0));
    assert!(material::random_soup(0, 1, 1, f32::NAN).positions.iter().all(|x| x.is_nan()));
}
