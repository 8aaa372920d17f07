//! Measures around given pairs of triangles, and their worst time.

use super::{Point, placed, positions, surface};
use kinetree::geometry::{
    GeometryError, PointKind, Separation, Surface, deepest_time, manifolds_self, measure, measure_self, separation,
    touching_pairs,
};
use kinetree::scenes::shapes;

/// Two spheres of one surface, at different depths in a floor slab.
fn two_spheres() -> (Surface, Surface, u32) {
    let sphere = shapes::icosphere(320, 1.0);
    let mut points = positions(&sphere, 1.0, [-3.0, 1.7, 0.0]);
    points.extend(positions(&sphere, 1.0, [3.0, 1.4, 0.0]));
    let count = sphere.positions.len() as u32;
    let mut triangles = sphere.triangles.clone();
    triangles.extend(sphere.triangles.iter().map(|corners| corners.map(|vertex| vertex + count)));
    let slab = placed(&shapes::cuboid(3000, [6.0, 1.0, 2.0]), 1.0, [0.0; 3]);
    (surface(&triangles, &points), slab, sphere.triangles.len() as u32)
}

#[test]
fn each_incident_has_its_own_depth_and_they_add_up() {
    let (spheres, slab, border) = two_spheres();
    let all = touching_pairs(&spheres, &slab);
    let (left, right): (Vec<[u32; 2]>, Vec<[u32; 2]>) = all.iter().partition(|pair| pair[0] < border);
    let [left, right] = [left, right].map(|pairs| measure(&spheres, &slab, &pairs).unwrap().unwrap());
    let Separation::Penetrating(whole) = separation(&spheres, &slab) else { panic!("they cross") };
    for (found, truth, x) in [(&left, 0.3, -3.0), (&right, 0.6, 3.0)] {
        let depth = found.depths[0].unwrap();
        assert!((depth.lo - truth).abs() < 0.02, "{depth:?} {truth}");
        assert!(depth.hi - depth.lo <= depth.hi / 1000.0);
        assert!((found.centre[0] - x).abs() < 0.05 && (found.centre[1] - 1.0).abs() < 0.02, "{:?}", found.centre);
        assert!(found.bounds.min[0] > x - 1.1 && found.bounds.max[0] < x + 1.1);
        assert!(found.area > 0.5);
    }
    assert_eq!(whole.pairs, left.pairs + right.pairs);
    assert!((whole.length - left.length - right.length).abs() < 1e-9);
    for side in 0..2 {
        let sum = left.inside[side].unwrap() + right.inside[side].unwrap();
        assert!((whole.inside[side].unwrap() - sum).abs() < 1e-9);
    }
    assert_eq!(whole.depths[0].unwrap().lo, right.depths[0].unwrap().lo);
    // Pairs that do not touch are ignored, and order and repetition change nothing.
    let mut shuffled: Vec<[u32; 2]> = all.iter().rev().filter(|pair| pair[0] < border).copied().collect();
    shuffled.push(shuffled[0]);
    let apart = (0..border).find(|&t| !all.iter().any(|pair| pair == &[t, 0])).unwrap();
    assert_eq!(measure(&spheres, &slab, &[[apart, 0]]).unwrap(), None);
    shuffled.push([apart, 0]);
    assert_eq!(measure(&spheres, &slab, &shuffled).unwrap().unwrap(), left);
    // Exchanged surfaces give the same numbers in the other order.
    let exchanged: Vec<[u32; 2]> = all.iter().filter(|pair| pair[0] < border).map(|&[s, t]| [t, s]).collect();
    let other = measure(&slab, &spheres, &exchanged).unwrap().unwrap();
    assert!((other.length - left.length).abs() < 1e-9);
    for side in 0..2 {
        assert!((other.inside[side].unwrap() - left.inside[1 - side].unwrap()).abs() < 1e-9);
        let [p, q] = [other.depths[side].unwrap(), left.depths[1 - side].unwrap()];
        assert!((p.lo - q.lo).abs() <= 0.002 * q.hi, "{p:?} {q:?}");
    }
    assert_eq!(other.depth.unwrap().surface, 1 - left.depth.unwrap().surface);
}

#[test]
fn a_surface_with_itself_has_length_and_area() {
    // Two crossing sheets that are one mesh.
    let sheet = shapes::grid(200, 2.0);
    let mut points = positions(&sheet, 1.0, [0.0; 3]);
    let count = points.len() as u32;
    points.extend(positions(&sheet, 1.0, [0.0; 3]).iter().map(|p| [p[1] + 0.013, p[0] + 0.0071, p[2]]));
    let mut triangles = sheet.triangles.clone();
    triangles.extend(sheet.triangles.iter().map(|corners| corners.map(|vertex| vertex + count)));
    let both = surface(&triangles, &points);
    let border = sheet.triangles.len() as u32;
    let pairs: Vec<[u32; 2]> =
        touching_pairs(&both, &both).into_iter().filter(|pair| pair[0] < border && pair[1] >= border).collect();
    let found = measure_self(&both, &pairs).unwrap().unwrap();
    assert!((found.length - 2.0).abs() < 1e-9, "{}", found.length);
    assert_eq!((found.depth, found.inside, found.pairs), (None, [None; 2], pairs.len()));
    // Each sheet is cut in halves.
    assert!((found.cut_off[0].unwrap() - 4.0).abs() < 0.5 && found.cut_off[0] == found.cut_off[1], "{found:?}");
    assert_eq!(Some(found.area), found.cut_off[0]);
    let swapped: Vec<[u32; 2]> = pairs.iter().map(|&[s, t]| [t, s]).collect();
    assert_eq!(measure_self(&both, &swapped).unwrap().unwrap(), found);
}

/// Squares in one plane have common edges and diagonals, and segments lie in a plane: nothing
/// crosses there. Where the square lies on the triangles of another plane that does cross it, the
/// curve counts.
#[test]
fn what_lies_in_a_plane_has_no_crossing_curve() {
    let square = |turn: f64| -> Vec<Point> {
        let (sine, cosine) = (turn.sin(), turn.cos());
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, y]: [f64; 2]| [x * cosine - y * sine, x * sine + y * cosine, 0.0])
            .to_vec()
    };
    let halves = [[0, 1, 2], [0, 2, 3]];
    let flat = surface(&halves, &square(0.0));
    for turn in [0.0, 0.5, std::f64::consts::FRAC_PI_2] {
        let other = surface(&halves, &square(turn));
        let found = measure(&flat, &other, &touching_pairs(&flat, &other)).unwrap().unwrap();
        assert_eq!((found.length, found.crossed), (0.0, 0.0), "{turn}");
        assert!(found.overlap > 3.0 && found.area == found.overlap, "{turn} {found:?}");
    }
    let rod = surface(&[[0, 1, 1]], &[[-0.5, 0.25, 0.0], [0.5, 0.25, 0.0]]);
    let found = measure(&flat, &rod, &touching_pairs(&flat, &rod)).unwrap().unwrap();
    assert_eq!((found.length, found.area), (0.0, 0.0));
    // An upright square on the diagonal and one beside it: the segment is found of both, and counts
    // once.
    let mut corners = square(0.0);
    corners.extend([[-1.0, -1.0, 1.0], [1.0, 1.0, 1.0]]);
    let angle = surface(&[[0, 1, 2], [0, 2, 3], [0, 2, 4], [2, 5, 4]], &corners);
    let found = measure(&flat, &angle, &touching_pairs(&flat, &angle)).unwrap().unwrap();
    assert!((found.length - 8.0f64.sqrt()).abs() < 1e-12, "{}", found.length);
}

/// A wall whose row of vertices lies in the floor's plane has a triangle above and one below the
/// same segment: the curve crosses each edge of the floor once. A ridge that only touches cuts
/// nothing off.
#[test]
fn a_row_of_vertices_in_the_plane_cuts_off_like_any_other() {
    let floor =
        surface(&[[0, 1, 2], [0, 2, 3]], &[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]);
    let wall = |heights: [f64; 3]| {
        let rows = heights.into_iter().flat_map(|z| [[0.3, -2.0, z], [0.3, 2.0, z]]);
        let cells = [[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]];
        surface(&cells, &rows.collect::<Vec<Point>>())
    };
    let cut = |wall: &Surface| measure(&floor, wall, &touching_pairs(&floor, wall)).unwrap().unwrap();
    let (row, beside) = (cut(&wall([-1.0, 0.0, 1.0])), cut(&wall([-1.0, 0.25, 1.0])));
    assert_eq!((row.length, row.cut_off[0]), (2.0, beside.cut_off[0]));
    assert!(row.area > 1.0, "{row:?}");
    // Both sides go up.
    let ridge = surface(
        &[[0, 1, 3], [0, 3, 2], [0, 1, 5], [0, 5, 4]],
        &[[0.3, -2.0, 0.0], [0.3, 2.0, 0.0], [0.1, -2.0, 1.0], [0.1, 2.0, 1.0], [0.5, -2.0, 1.0], [0.5, 2.0, 1.0]],
    );
    assert_eq!(cut(&ridge).cut_off[0], None);
}

/// A tip that pokes through a large triangle, open or as a tube, leaves all corners of that on one side: the area is that
/// of the tip.
#[test]
fn a_slit_in_a_large_triangle_does_not_hide_what_the_tip_cuts_off() {
    let floor = surface(&[[0, 1, 2]], &[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]]);
    let ring: Vec<Point> = [[0.3, 0.0], [-0.2, 0.2], [-0.2, -0.2]].iter().map(|&[x, y]| [x, y, 1.0]).collect();
    let corners = [vec![[0.0, 0.0, -1.0]], ring].concat();
    for triangles in [vec![[0, 1, 2]], vec![[0, 1, 2], [0, 2, 3], [0, 3, 1]]] {
        let tip = surface(&triangles, &corners);
        let found = measure(&floor, &tip, &touching_pairs(&floor, &tip)).unwrap().unwrap();
        assert!(found.cut_off[0].is_none() && found.cut_off[1].is_some_and(|area| area > 0.01), "{found:?}");
        assert_eq!(Some(found.area), found.cut_off[1]);
    }
}

/// A filler of a T-junction is a triangle without area in the wall of a box. Where the floor passes
/// along it, the area of the floor inside of the box is that of the box without the filler.
#[test]
fn fillers_without_area_do_not_count_in_the_area_inside() {
    let floor = surface(&[[0, 1, 2]], &[[-10.0, -10.0, 0.0], [20.0, -10.0, 0.0], [-10.0, 20.0, 0.0]]);
    // Levels of a square column, 1 m wide; the middle one is in the floor.
    let mut corners: Vec<Point> = Vec::new();
    for z in [-1.0, 0.0, 1.0] {
        corners.extend([[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [0.0, 1.0, z]]);
    }
    let mut triangles: Vec<[u32; 3]> = vec![[0, 2, 1], [0, 3, 2], [8, 9, 10], [8, 10, 11]];
    for level in [0, 4] {
        for side in 0..4 {
            let (p, q) = (level + side, level + (side + 1) % 4);
            triangles.extend([[p, q, q + 4], [p, q + 4, p + 4]]);
        }
    }
    let plain = surface(&triangles, &corners);
    // The upper triangle at the row's first edge is divided at its middle: the lower one is not,
    // and a filler joins both.
    corners.push([0.5, 0.0, 0.0]);
    let place = triangles.iter().position(|triangle| *triangle == [4, 5, 9]).expect("the upper triangle");
    triangles[place] = [4, 12, 9];
    triangles.extend([[12, 5, 9], [4, 5, 12]]);
    let filled = surface(&triangles, &corners);
    for body in [&plain, &filled] {
        assert!(body.is_closed());
        let found = measure(&floor, body, &touching_pairs(&floor, body)).unwrap().unwrap();
        assert!((found.inside[0].unwrap() - 1.0).abs() < 1e-9, "{found:?}");
    }
}

#[test]
fn a_curve_along_edges_is_counted_once() {
    // Two roofs: the ridge of one lies along the bottom edge of the other, all four triangles touch
    // in it.
    let roof = |sign: f64| -> (Vec<[u32; 3]>, Vec<Point>) {
        let points = vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 1.0, sign], [1.0, -1.0, sign]];
        (vec![[0, 1, 2], [1, 0, 3]], points)
    };
    let (low, high) = (roof(-1.0), roof(1.0));
    let (a, b) = (surface(&low.0, &low.1), surface(&high.0, &high.1));
    let pairs = touching_pairs(&a, &b);
    assert_eq!(pairs.len(), 4);
    assert_eq!(measure(&a, &b, &pairs).unwrap().unwrap().length, 2.0);
}

/// A roof upside down over a flat triangle, its ridge of length 2 at two heights above that; in
/// each order of the triangles, with the pairs of both.
fn roofs(heights: [f64; 2]) -> [(Surface, [[u32; 2]; 2]); 3] {
    let points = [
        [-9.0, -9.0, 0.0],
        [9.0, -9.0, 0.0],
        [0.0, 9.0, 0.0],
        [-1.0, 0.0, heights[0]],
        [1.0, 0.0, heights[1]],
        [0.0, 1.0, 2.0],
        [0.0, -1.0, 2.0],
    ];
    let (flat, left, right) = ([0, 1, 2], [3, 4, 5], [4, 3, 6]);
    [
        ([flat, left, right], [[0, 1], [0, 2]]),
        ([left, right, flat], [[0, 2], [1, 2]]),
        ([left, flat, right], [[0, 1], [1, 2]]),
    ]
    .map(|(triangles, pairs)| (surface(&triangles, &points), pairs))
}

#[test]
fn a_curve_along_edges_of_one_surface_is_counted_once() {
    for (roof, pairs) in roofs([0.0, 0.0]) {
        let found = measure_self(&roof, &pairs).unwrap().unwrap();
        assert_eq!((found.length, found.centre), (2.0, [0.0; 3]), "{pairs:?}");
    }
}

#[test]
fn points_of_a_surface_with_itself_are_told_once() {
    // The ends of the ridge.
    for (roof, pairs) in roofs([0.0, 0.0]) {
        let [manifold] = &manifolds_self(&roof, &pairs).unwrap()[..] else { panic!("{pairs:?}") };
        assert!(manifold.points.iter().all(|point| point.kind == PointKind::Crossing));
        let mut ends: Vec<[Point; 2]> = manifold.points.iter().map(|point| point.points).collect();
        ends.sort_by(|p, q| p[0][0].total_cmp(&q[0][0]));
        assert_eq!(ends, [[[-1.0, 0.0, 0.0]; 2], [[1.0, 0.0, 0.0]; 2]], "{pairs:?}");
    }
    // The lower end of the ridge is the nearest point of both triangles.
    for (roof, pairs) in roofs([0.25, 0.5]) {
        let [manifold] = &manifolds_self(&roof, &pairs).unwrap()[..] else { panic!("{pairs:?}") };
        let [near] = &manifold.points[..] else { panic!("{pairs:?} {:?}", manifold.points) };
        assert_eq!((near.kind, near.distance), (PointKind::Near, 0.25));
    }
}

#[test]
fn sides_of_a_surface_with_itself_do_not_depend_on_numbers() {
    // The roof is smaller than the flat triangle.
    for (roof, pairs) in roofs([0.0, 0.0]) {
        let found = measure_self(&roof, &pairs).unwrap().unwrap();
        let roof_area = 2.0 * 5.0_f64.sqrt();
        assert!((found.crossed - roof_area).abs() < 1e-12 && found.area == found.crossed, "{pairs:?} {found:?}");
    }
    // The ridge above the flat triangle: the normal points from what the first pair has first.
    for ((roof, pairs), up) in roofs([0.25, 0.5]).into_iter().zip([1.0, -1.0, -1.0]) {
        let [manifold] = &manifolds_self(&roof, &pairs).unwrap()[..] else { panic!("{pairs:?}") };
        assert_eq!(manifold.normal, Some([0.0, 0.0, up]), "{pairs:?}");
        assert!(manifold.triangles == pairs && manifold.points[0].triangles == pairs[0]);
    }
}

#[test]
fn the_worst_time_of_a_passing_sphere() {
    let sphere = shapes::icosphere(320, 1.0);
    let slab = placed(&shapes::cuboid(300, [6.0, 1.0, 6.0]), 1.0, [0.0; 3]);
    // The bottom of the sphere passes (0, y, 0), lowest at t = 0.437 s: depth 0.5.
    let at = |time: f64| positions(&sphere, 1.0, [0.0, 1.5 + (time - 0.437).powi(2), 0.0]);
    let mut moving = surface(&sphere.triangles, &at(0.0));
    let mut queried = 0;
    let mut run = |times: &[f64], refinements: usize| {
        queried = 0;
        let worst = deepest_time(times, refinements, |time| -> Result<_, GeometryError> {
            queried += 1;
            moving.refit(&at(time))?;
            measure(&moving, &slab, &touching_pairs(&moving, &slab))
        });
        (worst.unwrap(), queried)
    };
    let (worst, count) = run(&[0.0, 0.25, 0.5, 0.75, 1.0], 16);
    let worst = worst.unwrap();
    assert_eq!(count, 21);
    assert!((worst.time - 0.437).abs() < 0.002, "{}", worst.time);
    assert!((worst.measure.depth.unwrap().lo - 0.5).abs() < 0.02);
    let (coarse, _) = run(&[0.0, 0.25, 0.5, 0.75, 1.0], 0);
    assert_eq!(coarse.unwrap().time, 0.5);
    assert_eq!(run(&[0.3], 5).0.unwrap().time, 0.3);
    let (none, _) = run(&[3.0, 4.0], 5);
    assert!(none.is_none());
}

#[test]
fn a_tip_that_pokes_through_a_sheet_is_cut_off() {
    // A fine triangle of sides 2 whose tip is 0.503 above a sheet; the hole in the sheet is a slit
    // that divides nothing.
    let sheet = placed(&shapes::grid(800, 4.0), 1.0, [0.003, 0.0, 0.007]);
    let cells = 40_u32;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let at = |row: u32, column: u32| row * (row + 1) / 2 + column;
    for row in 0..=cells {
        for column in 0..=row {
            let (down, across) = (f64::from(row) / f64::from(cells), f64::from(column) - f64::from(row) / 2.0);
            points.push([2.0 * across / f64::from(cells), 0.503 - 2.0 * down, 0.0123 * down]);
            if row < cells {
                triangles.push([at(row, column), at(row + 1, column), at(row + 1, column + 1)]);
                if column < row {
                    triangles.push([at(row, column), at(row + 1, column + 1), at(row, column + 1)]);
                }
            }
        }
    }
    let tip = surface(&triangles, &points);
    let found = measure(&tip, &sheet, &touching_pairs(&tip, &sheet)).unwrap().unwrap();
    // The tip above the sheet has height and base 0.503.
    let area = found.cut_off[0].unwrap();
    assert!((area - 0.1265).abs() < 0.02, "{area}");
    assert_eq!((found.cut_off[1], found.area), (None, area));
    assert!((found.length - 0.503).abs() < 1e-3, "{}", found.length);
    assert!(found.crossed > 0.0);
}

/// A sheet with a ball far away in the same mesh, as skin with an eye. What goes through the sheet
/// is measured as without the ball; what goes into the ball has a depth.
#[test]
fn a_closed_part_elsewhere_gives_an_open_part_no_depth() {
    let (sheet, ball) = (shapes::grid(200, 2.0), shapes::icosphere(80, 1.0));
    let flat = positions(&sheet, 1.0, [0.0; 3]);
    let points = [flat.clone(), positions(&ball, 1.0, [20.0, 0.0, 0.0])].concat();
    let count = flat.len() as u32;
    let moved = ball.triangles.iter().map(|corners| corners.map(|vertex| vertex + count));
    let skin = surface(&sheet.triangles.iter().copied().chain(moved).collect::<Vec<_>>(), &points);
    let alone = surface(&sheet.triangles, &flat);
    let at = |x: f64| -> Vec<Point> { flat.iter().map(|p| [p[1] + x, 0.5 * p[0] + 0.0071, p[2] + 0.0031]).collect() };
    let cloth = surface(&sheet.triangles, &at(0.013));
    let found = measure(&skin, &cloth, &touching_pairs(&skin, &cloth)).unwrap().unwrap();
    let expected = measure(&alone, &cloth, &touching_pairs(&alone, &cloth)).unwrap().unwrap();
    assert!(expected.length > 0.5 && expected.area > 0.1, "{expected:?}");
    assert_eq!((found.depths, found.inside), ([None; 2], [None; 2]));
    assert_eq!((found.depth, found.length, found.area), (None, expected.length, expected.area));
    let cloth = surface(&sheet.triangles, &at(20.3));
    let found = measure(&skin, &cloth, &touching_pairs(&skin, &cloth)).unwrap().unwrap();
    assert!(found.depth.unwrap().lo > 0.3 && found.inside[1].unwrap() > 0.1, "{found:?}");
    assert_eq!(found.depths[0], None);
}
