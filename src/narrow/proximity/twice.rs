//! Conditions at an instant in twice the precision of f64: signs near an end of an interval at a
//! tenth of the cost of integers. Operands are scaled to at most 2, so nothing overflows.

use super::frame::Frame;
use super::sites::Parts;
use crate::narrow::exact::integer::Ring;
use crate::narrow::intervals::MovingTriangle;
use crate::narrow::twice::Twice;

/// The value of one condition of a site at `s`, a grid point, so `1 − s` is exact.
pub(super) fn condition(
    frame: &Frame,
    a: &MovingTriangle,
    b: &MovingTriangle,
    parts: Parts,
    condition: usize,
    s: f64,
) -> Option<Twice> {
    let (ahead, rest) = (Twice::exactly(s), Twice::exactly(1.0 - s));
    let sum = |[p, q]: [f64; 2]| Twice::difference(p, -q, frame.scale);
    let distance = if frame.reach.is_constant() {
        sum(frame.reach.begin)
    } else {
        sum(frame.reach.begin).times(&rest).plus(&sum(frame.reach.end).times(&ahead))
    };
    let of = |i: usize| if i < 3 { (&a.begin[i], &a.end[i]) } else { (&b.begin[i - 3], &b.end[i - 3]) };
    let conditions = parts.conditions(&distance.times(&distance), |p, q| {
        let ((p0, p1), (q0, q1)) = (of(p), of(q));
        std::array::from_fn(|k| {
            let begin = Twice::difference(p0[k], q0[k], frame.scale);
            let end = Twice::difference(p1[k], q1[k], frame.scale);
            begin.times(&rest).plus(&end.times(&ahead))
        })
    });
    conditions.values[condition]
}
