//! Occlusion, against points of all triangles and rays to them, evaluated by this test.

use super::pose_queries::{case, crossing, dot, minus, pose_at, rounds, vector};
use crate::common::dice::Dice;
use crate::reduced_skins::quaternion;
use crate::truth::skinned;
use kinetree::reduced::bounds::{Budget, Camera, Depth, DepthPyramid, Level, PosedBounds, Rectangle, View};
use kinetree::reduced::{Affine, ReducedError};

/// A camera by its place and axes.
struct Eye {
    place: [f64; 3],
    /// To the right, up and ahead, of length 1.
    axes: [[f64; 3]; 3],
    is_parallel: bool,
    is_divided: bool,
    view: View,
}

const NEAR: f64 = 0.05;
const FAR: f64 = 80.0;

impl Eye {
    /// An eye that has a point at a distance in the direction of its view, somewhere in the
    /// picture.
    fn new(dice: &mut Dice, target: &[f64; 3], distance: f64, width: f64) -> Self {
        let rows = Affine::from_parts([0.0; 3], quaternion(dice), [1.0; 3]).rows();
        let axes = [0, 1, 2].map(|i: usize| [rows[i][0], rows[i][1], rows[i][2]]);
        let (is_parallel, is_divided) = (dice.percent(30), dice.percent(40));
        let [right, up, ahead] = &axes;
        let (aside, above) = (dice.real(-0.5, 0.5) * width, dice.real(-0.5, 0.5) * width);
        let reach = if is_parallel { 1.0 } else { distance };
        let place: [f64; 3] =
            std::array::from_fn(|i| target[i] - distance * ahead[i] - reach * aside * right[i] - reach * above * up[i]);
        let row = |axis: &[f64; 3], size: f64| {
            let off = -dot(axis, &place);
            [axis[0], axis[1], axis[2], off].map(|x| x / size)
        };
        let w = if is_parallel { [0.0, 0.0, 0.0, 1.0] } else { row(ahead, 1.0) };
        // The screen is twice as large in its own units.
        let camera = Camera { x: row(right, 0.5), y: row(up, 0.5), w };
        let half = [2.0 * width, 1.2 * width];
        let screen = Rectangle { min: half.map(|x| -x), max: half };
        let depth = if is_divided {
            let mut z = row(ahead, 1.0).map(|x| x * (FAR + NEAR) / (FAR - NEAR));
            z[3] -= 2.0 * FAR * NEAR / (FAR - NEAR);
            Depth::Divided(z)
        } else {
            Depth::Affine(row(ahead, 1.0))
        };
        Self { place, axes, is_parallel, is_divided, view: View { camera, screen, depth } }
    }

    /// The place of a point on the screen, in parts of the picture, and its distance ahead.
    fn image(&self, point: &[f64; 3]) -> ([f64; 2], f64) {
        let off = minus(point, &self.place);
        let [x, y, ahead] = [0, 1, 2].map(|i: usize| dot(&self.axes[i], &off));
        let by = if self.is_parallel { 1.0 } else { ahead };
        let Rectangle { max, .. } = self.view.screen;
        ([0.5 * (1.0 + 2.0 * x / by / max[0]), 0.5 * (1.0 + 2.0 * y / by / max[1])], ahead)
    }

    /// The depth at a distance ahead.
    fn depth(&self, ahead: f64) -> f64 {
        if !self.is_divided {
            return ahead;
        }
        let z = (ahead * (FAR + NEAR) - 2.0 * FAR * NEAR) / (FAR - NEAR);
        if self.is_parallel { z } else { z / ahead }
    }

    /// The ray through a place of the picture: its origin, its direction, and the distance ahead of
    /// its origin; a length of its direction is 1 m ahead.
    fn ray(&self, [s, t]: [f64; 2]) -> ([f64; 3], [f64; 3], f64) {
        let Rectangle { max, .. } = self.view.screen;
        let (x, y) = (0.5 * max[0] * (2.0 * s - 1.0), 0.5 * max[1] * (2.0 * t - 1.0));
        let [right, up, ahead] = &self.axes;
        if self.is_parallel {
            let start = |i: usize| self.place[i] + x * right[i] + y * up[i] - 100.0 * ahead[i];
            (std::array::from_fn(start), *ahead, -100.0)
        } else {
            (self.place, std::array::from_fn(|i| ahead[i] + x * right[i] + y * up[i]), 0.0)
        }
    }

    /// The nearest distance ahead at which a ray through the picture meets triangles.
    fn first(&self, place: [f64; 2], triangles: &[[[f64; 3]; 3]]) -> f64 {
        let (origin, direction, start) = self.ray(place);
        let hits = triangles.iter().filter_map(|corners| crossing(&origin, &direction, *corners));
        hits.map(|(t, _)| start + t).fold(f64::INFINITY, f64::min)
    }
}

/// Points of a triangle: corners, points on edges and inside.
fn points([a, b, c]: [[f64; 3]; 3]) -> Vec<[f64; 3]> {
    let mut points = Vec::new();
    for i in 0..=4 {
        for j in 0..=4 - i {
            let (u, v) = (f64::from(i) / 4.0, f64::from(j) / 4.0);
            points.push(std::array::from_fn(|k| a[k] * (1.0 - u - v) + b[k] * u + c[k] * v));
        }
    }
    points
}

/// The pixel of a place of the picture; `None` beside it, and so near to the border of a pixel that
/// rounding decides.
fn pixel(place: [f64; 2], size: [usize; 2]) -> Option<usize> {
    let at = [0, 1].map(|i: usize| place[i] * size[i] as f64);
    let is_sure = |x: f64| (x - x.round()).abs() > 1e-7;
    let is_in = (0..2).all(|i| at[i] > 0.0 && at[i] < size[i] as f64 && is_sure(at[i]));
    is_in.then(|| at[1].floor() as usize * size[0] + at[0].floor() as usize)
}

fn of_bodies(salt: u64, mut check: impl FnMut(&mut Dice, &mut PosedBounds<'_>, &[[[f64; 3]; 3]], &str)) {
    for seed in 0..rounds(8) {
        let case = case(seed, [40, 200, 500, 120][seed as usize % 4]);
        let dice = &mut Dice::new(seed, &[85, salt]);
        let first = pose_at(&case.driver, 0.0, [0.0; 3]);
        let mut posed = PosedBounds::new(&case.tree, &case.mesh, Level::Corner, &first).unwrap();
        for step in 0..10 {
            let pose = pose_at(&case.driver, dice.real(0.0, 1.0), vector(dice, 1.0));
            posed.set_pose(&pose).unwrap();
            let all = skinned(&case.mesh, &pose);
            let corners = |t: &[u32; 3]| t.map(|vertex| all[vertex as usize]);
            let triangles: Vec<_> = case.mesh.mesh().triangles().iter().map(corners).collect();
            check(dice, &mut posed, &triangles, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn depths_of_a_host_hide_no_point_in_front_of_them() {
    let (mut hidden, mut visible, mut missed, mut cut_short) = (0, 0, 0, 0);
    of_bodies(1, |dice, posed, triangles, name| {
        for _ in 0..6 {
            let target = triangles[dice.below(triangles.len())][0];
            let (distance, width) = (dice.pick(&[0.3, 4.0, 9.0, 25.0]), dice.pick(&[0.15, 0.5, 2.0]));
            let eye = Eye::new(dice, &target, distance, width);
            let size = [1 + dice.below(40), 1 + dice.below(40)];
            let images: Vec<_> =
                triangles.iter().flat_map(|corners| points(*corners)).map(|point| eye.image(&point)).collect();
            let ahead = images.iter().map(|(_, ahead)| *ahead).filter(|ahead| *ahead > NEAR);
            let (least, most) = ahead.fold((FAR, NEAR), |(least, most), x| (least.min(x), most.max(x)));
            let kind = dice.below(4);
            let wall = least + (most - least) * dice.pick(&[-0.1, -0.01, 0.3, 1.1]);
            let depths: Vec<f32> = (0..size[0] * size[1])
                .map(|at| match kind {
                    1 if dice.percent(3) => f32::INFINITY,
                    2 => eye.depth(wall * dice.real(0.3, 1.0)) as f32,
                    3 if at % size[0] > size[0] / 2 => f32::INFINITY,
                    _ => eye.depth(wall) as f32,
                })
                .collect();
            let mut pyramid = DepthPyramid::new(eye.view, size).unwrap();
            pyramid.set_depths(eye.view, &depths).unwrap();
            let seen = images.iter().find(|(place, ahead)| {
                let is_before = |at: usize| eye.depth(*ahead) < f64::from(depths[at]) - 1e-9;
                (eye.is_parallel || *ahead > 1e-6) && pixel(*place, size).is_some_and(is_before)
            });
            let steps = dice.below(12) as u64;
            let early = posed.is_hidden(&pyramid, Budget::steps(steps));
            let found = posed.is_hidden(&pyramid, Budget::UNLIMITED);
            assert!(!early || found, "{name}: hidden after {steps} steps, and then not");
            cut_short += usize::from(found && !early);
            match (found, seen) {
                (true, Some((place, ahead))) => panic!("{name}: hidden, with a point at {place:?}, {ahead} m ahead"),
                (true, None) => hidden += 1,
                (false, Some(_)) => visible += 1,
                (false, None) => missed += 1,
            }
        }
    });
    println!("{hidden} hidden, {visible} visible, {missed} neither; {cut_short} not found in a few steps");
    assert!(hidden > 80 && visible > 80 && missed < hidden, "{hidden}, {visible}, {missed}");
    assert!(cut_short > 10, "{cut_short}");
}

/// Occluders across the view, between two distances ahead: positions and triangles.
fn occluders(dice: &mut Dice, eye: &Eye, near: f64, far: f64) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    let at = |place: [f64; 2], ahead: f64| -> [f64; 3] {
        let (origin, direction, start) = eye.ray(place);
        std::array::from_fn(|i| origin[i] + (ahead - start) * direction[i])
    };
    match dice.below(4) {
        // Triangles that share nothing.
        0 => {
            for _ in 0..=dice.below(8) {
                let first = positions.len() as u32;
                let ahead = dice.real(near, far);
                for _ in 0..3 {
                    let place = [dice.real(-1.0, 2.0), dice.real(-1.0, 2.0)];
                    positions.push(at(place, ahead * dice.real(0.8, 1.2)));
                }
                triangles.push([first, first + 1, first + 2]);
            }
        }
        // A box.
        1 => {
            let middle = at([dice.real(0.2, 0.8), dice.real(0.2, 0.8)], 0.5 * (near + far));
            let half = (far - near) * dice.real(0.05, 0.3);
            let map = Affine::from_parts(middle, quaternion(dice), [half; 3]);
            for corner in 0..8 {
                let sign = |axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
                let rows = map.rows();
                positions.push(std::array::from_fn(|i| {
                    (0..3).map(|axis| rows[i][axis] * sign(axis)).sum::<f64>() + rows[i][3]
                }));
            }
            for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5u32]]
            {
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        // A hill: a grid, with seams where vertices are given twice or not, of random orientation.
        _ => {
            let count = 2 + dice.below(7);
            let (is_smooth, has_seams) = (dice.percent(70), dice.percent(40));
            let (from, to) = ([dice.real(-0.3, 0.3), dice.real(-0.3, 0.3)], [dice.real(0.7, 1.3), dice.real(0.7, 1.3)]);
            let ahead = dice.real(near, far);
            let grid: Vec<[f64; 3]> = (0..=count * (count + 2))
                .map(|number| {
                    let part = [number % (count + 1), number / (count + 1)].map(|x| x as f64 / count as f64);
                    let bend = if is_smooth { 0.1 * (3.0 * part[0]).sin() } else { dice.real(-0.2, 0.2) };
                    let place = [0, 1].map(|i: usize| from[i] + (to[i] - from[i]) * part[i]);
                    at(place, ahead * (1.0 + bend))
                })
                .collect();
            positions.extend(&grid);
            for cell in 0..count * count {
                let corner = (cell / count * (count + 1) + cell % count) as u32;
                let across = count as u32 + 1;
                let mut quad = [corner, corner + 1, corner + across + 1, corner + across];
                if has_seams {
                    quad = quad.map(|vertex| {
                        positions.push(grid[vertex as usize]);
                        positions.len() as u32 - 1
                    });
                }
                let [a, b, c, d] = quad;
                triangles.push([a, b, c]);
                triangles.push(if dice.percent(50) { [a, c, d] } else { [d, c, a] });
            }
        }
    }
    (positions, triangles)
}

#[test]
fn occluders_hide_what_rays_do_not_reach() {
    let (mut hidden, mut visible, mut covered, mut fully, mut behind) = (0, 0, 0, 0, [0; 2]);
    of_bodies(2, |dice, posed, triangles, name| {
        let target = triangles[dice.below(triangles.len())][0];
        let (distance, width) = (dice.pick(&[6.0, 12.0]), dice.pick(&[0.3, 1.0]));
        let eye = Eye::new(dice, &target, distance, width);
        let (positions, numbers) = occluders(dice, &eye, 0.1 * distance, 0.6 * distance);
        let blockers: Vec<_> = numbers.iter().map(|t| t.map(|vertex| positions[vertex as usize])).collect();
        let size = [1 + dice.below(30), 1 + dice.below(30)];
        let mut pyramid = DepthPyramid::new(eye.view, size).unwrap();
        pyramid.set_occluders(eye.view, &positions, &numbers).unwrap();
        for (at, depth) in pyramid.depths().iter().enumerate() {
            let (column, row) = ((at % size[0]) as f64, (at / size[0]) as f64);
            // Points within the pixel, and nearly at its corners.
            let (mut is_full, mut farthest) = (true, f64::NEG_INFINITY);
            for part in 0..16 {
                let place = [0, 1]
                    .map(|axis: usize| [1e-6, 0.31, 0.74, 1.0 - 1e-6][if axis == 0 { part % 4 } else { part / 4 }]);
                let first =
                    eye.first([(column + place[0]) / size[0] as f64, (row + place[1]) / size[1] as f64], &blockers);
                is_full &= first < f64::INFINITY;
                farthest = farthest.max(eye.depth(first.min(1e9)));
                if depth.is_finite() {
                    let first = eye.depth(first.min(1e9));
                    assert!(
                        first <= f64::from(*depth) + 1e-6 * (1.0 + first.abs()),
                        "{name}: {depth} in pixel {column}, {row}, but {first} at {place:?}"
                    );
                }
            }
            fully += usize::from(is_full);
            covered += usize::from(depth.is_finite());
            // The depth is not much behind the farthest point: compared to all that is between.
            if depth.is_finite() {
                let reach = eye.depth(0.6 * distance * 1.5) - eye.depth(0.05 * distance);
                behind[usize::from(f64::from(*depth) > farthest + 0.1 * reach)] += 1;
            }
        }
        if !posed.is_hidden(&pyramid, Budget::UNLIMITED) {
            visible += 1;
            return;
        }
        hidden += 1;
        for point in triangles.iter().flat_map(|corners| points(*corners)) {
            let (place, ahead) = eye.image(&point);
            if pixel(place, size).is_some() && (eye.is_parallel || ahead > 0.0) {
                let first = eye.first(place, &blockers);
                assert!(first < ahead + 1e-6, "{name}: hidden, with a point at {place:?}, {ahead}; first {first}");
            }
        }
    });
    println!("{hidden} hidden, {visible} not; {covered} pixels covered of {fully} that rays find covered; {behind:?}");
    assert!(hidden > 10 && visible > 10, "{hidden}, {visible}");
    assert!(10 * covered > 8 * fully && fully > 3_000, "{covered}, {fully}");
    assert!(behind[0] > 9 * behind[1], "{behind:?}");
}

/// At the origin, looking along z; the screen shows 45° to either side.
fn plain() -> View {
    let camera = Camera { x: [1.0, 0.0, 0.0, 0.0], y: [0.0, 1.0, 0.0, 0.0], w: [0.0, 0.0, 1.0, 0.0] };
    View::new(camera, Rectangle { min: [-1.0; 2], max: [1.0; 2] })
}

/// Diagonals and edges along borders and through the middles of pixels leave no gap.
#[test]
fn a_wall_of_triangles_has_no_gaps() {
    for count in [1, 2, 3, 8] {
        for size in [[1, 1], [2, 2], [7, 7], [16, 9], [33, 64]] {
            let mut positions = Vec::new();
            for row in 0..=count {
                for column in 0..=count {
                    let place = [column, row].map(|at| 6.0 * f64::from(at) / f64::from(count) - 3.0);
                    positions.push([place[0], place[1], 2.0]);
                }
            }
            let mut triangles = Vec::new();
            for cell in 0..count * count {
                let corner = cell / count * (count + 1) + cell % count;
                let [a, b, c, d] = [corner, corner + 1, corner + count + 2, corner + count + 1];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
            let mut pyramid = DepthPyramid::new(plain(), size).unwrap();
            pyramid.set_occluders(plain(), &positions, &triangles).unwrap();
            let is_wall = |depth: &f32| *depth >= 2.0 && *depth < 2.000_01;
            assert!(pyramid.depths().iter().all(is_wall), "{count}, {size:?}: {:?}", pyramid.depths());
            assert!(pyramid.hides(&Rectangle::EVERYTHING, 2.001) && !pyramid.hides(&Rectangle::EVERYTHING, 2.0));
            // Without one of its triangles there is a gap.
            triangles.pop();
            pyramid.set_occluders(plain(), &positions, &triangles).unwrap();
            let is_open = pyramid.depths().contains(&f32::INFINITY);
            // The screen ends 2 m to the side.
            let is_seen = 3.0 - 6.0 / f64::from(count) < 2.0;
            assert_eq!(is_open, is_seen, "{count}, {size:?}");
        }
    }
}

#[test]
fn rectangles_are_hidden_as_all_their_pixels_say() {
    let (mut hidden, mut shown, mut beside) = (0, 0, 0);
    for seed in 0..rounds(60) {
        let dice = &mut Dice::new(seed, &[86]);
        let size = [1 + dice.below(40), 1 + dice.below(40)];
        let few = dice.pick(&[0, 2, 40]);
        let depths: Vec<f32> =
            (0..size[0] * size[1]).map(|_| if dice.percent(few) { 9.0 } else { dice.real(1.0, 2.0) as f32 }).collect();
        let mut pyramid = DepthPyramid::new(plain(), size).unwrap();
        pyramid.set_depths(plain(), &depths).unwrap();
        for _ in 0..60 {
            let (x, y, half) = (dice.real(-1.3, 1.3), dice.real(-1.3, 1.3), dice.pick(&[0.0, 0.05, 0.4, 2.0]));
            let rectangle = Rectangle { min: [x - half, y - 0.5 * half], max: [x + half, y + 0.5 * half] };
            let nearest = dice.real(1.0, 2.2);
            let (mut is_hidden, mut count) = (true, 0);
            for (at, depth) in depths.iter().enumerate() {
                let place = [at % size[0], at / size[0]];
                let meets = (0..2).all(|axis| {
                    let side = 2.0 / size[axis] as f64;
                    let low = side * place[axis] as f64 - 1.0;
                    rectangle.min[axis] <= low + side && rectangle.max[axis] >= low
                });
                if meets {
                    count += 1;
                    is_hidden &= f64::from(*depth) < nearest;
                }
            }
            assert_eq!(pyramid.hides(&rectangle, nearest), is_hidden, "seed {seed}: {size:?}, {rectangle:?}");
            match (count, is_hidden) {
                (0, _) => beside += 1,
                (_, true) => hidden += 1,
                _ => shown += 1,
            }
        }
    }
    assert!(hidden > 300 && shown > 300 && beside > 100, "{hidden}, {shown}, {beside}");
}

#[test]
fn pictures_that_cannot_be_are_refused() {
    let view = plain();
    let refused = |result: Result<DepthPyramid, ReducedError>| result.unwrap_err();
    assert_eq!(refused(DepthPyramid::new(view, [0, 4])), ReducedError::BadView { what: "picture" });
    let count = usize::MAX;
    assert_eq!(refused(DepthPyramid::new(view, [count, 4])), ReducedError::TooLarge { what: "pixels", count });
    let mut bad = view;
    bad.screen.max[1] = -1.0;
    assert_eq!(refused(DepthPyramid::new(bad, [4, 4])), ReducedError::BadView { what: "screen" });
    bad.camera.y[2] = f64::NAN;
    assert_eq!(refused(DepthPyramid::new(bad, [4, 4])), ReducedError::BadView { what: "camera" });
    let bad = View { depth: Depth::Divided([0.0, 0.0, f64::INFINITY, 0.0]), ..view };
    let mut pyramid = DepthPyramid::new(view, [3, 2]).unwrap();
    let depths = [1.0, 2.0, 3.0, 4.0, 5.0, f32::INFINITY];
    pyramid.set_depths(view, &depths).unwrap();
    let other = View { depth: Depth::Divided([0.0, 0.0, 1.0, 0.0]), ..view };
    let is_kept = |pyramid: &DepthPyramid| *pyramid.view() == view && pyramid.depths() == depths;
    let short = pyramid.set_depths(other, &depths[1..]);
    assert_eq!(short, Err(ReducedError::DepthCount { expected: 6, found: 5 }));
    for value in [f32::NAN, f32::NEG_INFINITY] {
        let refused = pyramid.set_depths(other, &[1.0, 2.0, 3.0, 4.0, value, 0.0]).unwrap_err();
        assert_eq!(refused.to_string(), format!("column 1, row 1: a depth of {value} is not usable"));
        assert!(is_kept(&pyramid));
    }
    assert_eq!(pyramid.set_depths(bad, &depths), Err(ReducedError::BadView { what: "depth" }));
    let wall = [[-2.0, -2.0, 2.0], [2.0, -2.0, 2.0], [2.0, 2.0, 2.0]];
    let out = pyramid.set_occluders(other, &wall, &[[0, 1, 2], [0, 3, 2]]);
    assert_eq!(out, Err(ReducedError::NoSuchVertex { vertex: 3, vertices: 3 }));
    let nan = pyramid.set_occluders(other, &[wall[0], [0.0, f64::NAN, 0.0]], &[]);
    assert!(matches!(nan, Err(ReducedError::BadPlace { index: 1, value }) if value.is_nan()), "{nan:?}");
    assert_eq!(pyramid.set_occluders(bad, &wall, &[]), Err(ReducedError::BadView { what: "depth" }));
    assert!(is_kept(&pyramid));
    // No rectangle.
    assert!(!pyramid.hides(&Rectangle { min: [0.5; 2], max: [0.4; 2] }, 100.0));
    assert!(!pyramid.hides(&Rectangle { min: [f64::NAN; 2], max: [0.4; 2] }, 100.0));
    assert!(!pyramid.hides(&Rectangle { min: [-0.9; 2], max: [-0.8; 2] }, f64::NAN));
    assert!(pyramid.hides(&Rectangle { min: [-0.9; 2], max: [-0.8; 2] }, 100.0));
}

/// Triangles that are points or lines, repeat a vertex or each other, or reach the camera.
#[test]
fn occluders_that_cover_nothing_hide_nothing() {
    let mut pyramid = DepthPyramid::new(plain(), [8, 8]).unwrap();
    let positions =
        [[-9.0, -9.0, 2.0], [9.0, -9.0, 2.0], [0.0, 20.0, 2.0], [0.0, 0.0, -1.0], [3.0, -9.0, 2.0], [0.0, 0.0, 0.0]];
    let large = [[1e30, 0.0, 1e-30], [-1e30, 0.0, 1e-30], [0.0, 1e30, 1e-30]];
    for triangles in [&[[0, 0, 1], [0, 0, 0]][..], &[[0, 4, 1]], &[[0, 1, 3]], &[[0, 1, 5]]] {
        pyramid.set_occluders(plain(), &positions, triangles).unwrap();
        assert!(pyramid.depths().iter().all(|depth| *depth == f32::INFINITY), "{triangles:?}");
    }
    pyramid.set_occluders(plain(), &large, &[[0, 1, 2]]).unwrap();
    // A triangle given twice, and once the other way round: the first covers whole pixels.
    pyramid.set_occluders(plain(), &positions, &[[0, 1, 2], [0, 1, 2], [2, 1, 0]]).unwrap();
    assert!(pyramid.depths().iter().all(|depth| *depth >= 2.0 && *depth < 2.000_01), "{:?}", pyramid.depths());
    pyramid.set_occluders(plain(), &[], &[]).unwrap();
    assert!(pyramid.depths().iter().all(|depth| *depth == f32::INFINITY));
}
