//! First nearness: the feature, the point and the normal at the begin of a proximity interval.

use super::frame::Frame;
use super::nearest::{Nearest, blend, nearest};
use super::reach::Reach;
use crate::math::vector::{Vector, dot, minus};
use crate::narrow::intervals::touch::blend as between;
use crate::narrow::intervals::{ContactInterval, Feature, FirstTouch, MovingTriangle};

/// Distances below this part of the pair's size give no usable direction (no unit).
const DIRECTION_FLOOR: f64 = 1e-12;

fn at(t: &MovingTriangle, s: f64) -> [Vector; 3] {
    [0, 1, 2].map(|k| between(t.begin[k], t.end[k], s))
}

fn bits(weights: [f64; 3]) -> u8 {
    (0..3).fold(0, |bits, k| bits | u8::from(weights[k] > 0.0) << k)
}

fn nearest_at(a: &MovingTriangle, b: &MovingTriangle, s: f64) -> Nearest {
    nearest(&at(a, s), &at(b, s))
}

/// The feature of nearest points at `s`; `touching` are the times at which the triangles share a
/// point.
pub(super) fn feature(a: &MovingTriangle, b: &MovingTriangle, touching: &[ContactInterval], s: f64) -> Feature {
    if let Some(contact) = touching.iter().find(|contact| contact.begin.lo <= s && s <= contact.end.hi) {
        return contact.feature;
    }
    let found = nearest_at(a, b, s);
    Feature::from_supports(bits(found.a), bits(found.b))
}

/// Point and normal at the begin of a proximity interval; `a` and `b` must be the triangles of its
/// computation.
///
/// The point is the middle of the shortest segment, the normal points along it from A towards B. If
/// the triangles share a point at that time (contact at the begin of the window), both are those of
/// the contact.
pub fn first_nearness(interval: &ContactInterval, a: &MovingTriangle, b: &MovingTriangle) -> FirstTouch {
    let s = interval.begin.lo;
    let found = nearest_at(a, b, s);
    let (p, q) = (blend(&at(a, s), &found.a), blend(&at(b, s), &found.b));
    let gap = minus(&q, &p);
    let length = dot(&gap, &gap).sqrt();
    let apart = Frame::new(a, b, Reach::constant(0.0)).is_some_and(|frame| length * frame.scale > DIRECTION_FLOOR);
    let same = Feature::from_supports(bits(found.a), bits(found.b)) == interval.feature;
    if !apart || !same {
        return interval.first_touch(a, b);
    }
    FirstTouch {
        feature: interval.feature,
        point: [0, 1, 2].map(|k| 0.5 * (p[k] + q[k])),
        normal: gap.map(|x| x / length),
    }
}
