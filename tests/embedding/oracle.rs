//! Plain geometry in f64, which shares no code with the library.

pub(crate) type Point = [f64; 3];
pub(crate) type Triangle = [Point; 3];

pub(crate) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn along(a: Point, b: Point, share: f64) -> Point {
    [a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]]
}

/// Distance of a point from a segment.
fn to_segment(point: Point, from: Point, to: Point) -> f64 {
    let edge = minus(to, from);
    let square = dot(edge, edge);
    let share = if square > 0.0 { (dot(minus(point, from), edge) / square).clamp(0.0, 1.0) } else { 0.0 };
    length(minus(point, along(from, edge, share)))
}

/// Distance of a point from a triangle, which may have no area.
pub(crate) fn to_triangle(point: Point, [p, q, r]: Triangle) -> f64 {
    let edges = to_segment(point, p, q).min(to_segment(point, q, r)).min(to_segment(point, r, p));
    let normal = cross(minus(q, p), minus(r, p));
    let is_over = |a: Point, b: Point| dot(cross(minus(b, a), minus(point, a)), normal) > 0.0;
    if length(normal) > 0.0 && is_over(p, q) && is_over(q, r) && is_over(r, p) {
        return edges.min(dot(minus(point, p), normal).abs() / length(normal));
    }
    edges
}

/// By how much a triangle and a box are apart along the best of 13 axes; negative if they overlap.
pub(crate) fn gap_to_box(triangle: Triangle, min: Point, max: Point) -> f64 {
    let edges = [0, 1, 2].map(|k| minus(triangle[(k + 1) % 3], triangle[k]));
    let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut axes = units.to_vec();
    axes.push(cross(edges[0], edges[1]));
    axes.extend(edges.iter().flat_map(|&edge| units.map(|unit| cross(edge, unit))));
    // A segment: the axes across it.
    axes.extend(edges.iter().flat_map(|&edge| units.map(|unit| cross(edge, cross(edge, unit)))));
    let mut best = f64::NEG_INFINITY;
    for axis in axes.into_iter().filter(|&axis| length(axis) > 1e-12) {
        let axis = axis.map(|x| x / length(axis));
        let ends = |points: &[Point]| {
            points
                .iter()
                .map(|&p| dot(p, axis))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let corners: Vec<Point> =
            (0..8).map(|bits| [0, 1, 2].map(|k| if bits >> k & 1 == 1 { max[k] } else { min[k] })).collect();
        let ([a, b], [c, d]) = (ends(&triangle), ends(&corners));
        best = best.max(a - d).max(c - b);
    }
    best
}

/// How often closed triangles wind around a point.
pub(crate) fn winding(point: Point, triangles: &[Triangle]) -> f64 {
    let angle = |corners: &Triangle| {
        let [a, b, c] = corners.map(|corner| minus(corner, point));
        let (x, y, z) = (length(a), length(b), length(c));
        let below = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y;
        2.0 * dot(a, cross(b, c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}
