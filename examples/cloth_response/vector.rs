//! Vectors of three numbers.

pub(crate) type V = [f64; 3];

pub(crate) fn add(a: V, b: V) -> V {
    std::array::from_fn(|k| a[k] + b[k])
}

pub(crate) fn sub(a: V, b: V) -> V {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(crate) fn scale(a: V, by: f64) -> V {
    a.map(|x| x * by)
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn lerp(a: V, b: V, s: f64) -> V {
    std::array::from_fn(|k| a[k] + (b[k] - a[k]) * s)
}

pub(crate) fn wide(a: [f32; 3]) -> V {
    a.map(f64::from)
}

pub(crate) fn narrow(a: V) -> [f32; 3] {
    a.map(|x| x as f32)
}

/// The point of some corners with some weights.
pub(crate) fn blend(corners: [V; 3], weights: V) -> V {
    std::array::from_fn(|k| (0..3).map(|i| weights[i] * corners[i][k]).sum())
}

/// The weights of the point of a triangle that is closest to a point.
pub(crate) fn closest([a, b, c]: [V; 3], point: V) -> V {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(point, a));
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = sub(point, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let s = d1 / (d1 - d3);
        return [1.0 - s, s, 0.0];
    }
    let cp = sub(point, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let s = d2 / (d2 - d6);
        return [1.0 - s, 0.0, s];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let s = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - s, s];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The direction of a vector; zero has none and stays.
pub(crate) fn unit(a: V) -> V {
    if length(a) > 0.0 { scale(a, 1.0 / length(a)) } else { a }
}

/// A vector that is not longer than a length.
pub(crate) fn limited(a: V, most: f64) -> V {
    if length(a) > most { scale(a, most / length(a)) } else { a }
}
