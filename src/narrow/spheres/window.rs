//! Ball against ball over a window.
//!
//! `(r_a + r_b + d)² − |c_a − c_b|²` is a quadratic in the window's parameter, and at least 0 while
//! the balls touch. The distance of the centres is convex in time and the sum of the radii is
//! linear: balls touch during one interval or none. The quadratic's Bernstein coefficients decide
//! most pairs in f64. Else the quadratic is formed in integers, and its roots are isolated with
//! their multiplicity. A double root of a quadratic that is negative elsewhere is a grazing
//! instant. No finite case remains undecided.

use super::{MovingSphere, Unit, dot, numbers, thickness};
use crate::narrow::exact::form::Form;
use crate::narrow::exact::integer::{Integer, Ring};
use crate::narrow::exact::root::isolate;
use crate::narrow::intervals::order::pinned;
use crate::narrow::intervals::{ContactInterval, Enclosure, IntervalStats};

/// Generous bound on the rounding of a Bernstein coefficient, in units of its largest products: 32
/// u.
const ERROR: f64 = 16.0 * f64::EPSILON;

const BEGIN: Enclosure = Enclosure { lo: 0.0, hi: 0.0 };
const END: Enclosure = Enclosure { lo: 1.0, hi: 1.0 };

/// Appends to `found` the closed interval of `s` in `[0, 1]` in which two balls are within
/// `distance` (metres) of each other, if there is one.
///
/// Exact, as [`crate::narrow::intervals::contact_intervals`]: ends are cells of the 2⁻⁵³ grid that
/// contain the true end, or the grid points themselves. Grazing gives a single instant. Only
/// numbers that are not finite give an undecided result: contact over the whole window.
///
/// Cost: some ten nanoseconds if the balls stay apart or touch throughout, some microseconds
/// otherwise.
///
/// ```
/// use kinetree::narrow::intervals::IntervalStats;
/// use kinetree::narrow::spheres::{MovingSphere, Sphere, sphere_intervals};
///
/// let at = |x: f64, y: f64| Sphere { centre: [x, y, 0.0], radius: 1.0 };
/// let still = MovingSphere { begin: at(0.0, 0.0), end: at(0.0, 0.0) };
/// let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
/// // Passes at a distance of exactly 2: one instant.
/// sphere_intervals(&MovingSphere { begin: at(-1.0, 2.0), end: at(3.0, 2.0) }, &still, 0.0, &mut found, &mut stats);
/// assert_eq!((found[0].begin.lo, found[0].end.hi, found[0].instant), (0.25, 0.25, true));
/// ```
pub fn sphere_intervals(
    a: &MovingSphere,
    b: &MovingSphere,
    distance: f64,
    found: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    stats.pairs += 1;
    let distance = thickness(distance);
    if !a.is_finite() || !b.is_finite() || !distance.is_finite() {
        stats.undecided += 1;
        stats.intervals += 1;
        found.push(ContactInterval::whole(true));
        return;
    }
    match throughout(a, b, distance) {
        Some(false) => stats.rejected_by_planes += 1,
        Some(true) => {
            stats.accepted_by_signs += 1;
            stats.intervals += 1;
            found.push(ContactInterval::whole(false));
        }
        None => {
            stats.solved += 1;
            stats.exact_pairs += 1;
            stats.exact_minors += 1;
            let before = found.len();
            solve(&quadratic(a, b, distance), |begin, end, instant| {
                found.push(ContactInterval { begin, end, instant, ..ContactInterval::whole(false) });
            });
            stats.intervals += (found.len() - before) as u64;
            stats.instants += found[before..].iter().filter(|interval| interval.instant).count() as u64;
        }
    }
}

/// Whether they touch throughout the window, or not at all; `None` if f64 cannot decide.
fn throughout(a: &MovingSphere, b: &MovingSphere, distance: f64) -> Option<bool> {
    let reach = [a.begin.radius + b.begin.radius + distance, a.end.radius + b.end.radius + distance];
    let gap = |axis: usize| [b.begin.centre[axis] - a.begin.centre[axis], b.end.centre[axis] - a.end.centre[axis]];
    let gaps = [gap(0), gap(1), gap(2)];
    let mut values = [reach[0] * reach[0], reach[0] * reach[1], reach[1] * reach[1]];
    let most = |[x, y]: [f64; 2]| x.abs().max(y.abs());
    let mut size = most(reach) * most(reach);
    for gap in gaps {
        values[0] -= gap[0] * gap[0];
        values[1] -= gap[0] * gap[1];
        values[2] -= gap[1] * gap[1];
        size += most(gap) * most(gap);
    }
    let error = ERROR * size + f64::MIN_POSITIVE;
    if values.iter().all(|&value| value < -error) {
        return Some(false);
    }
    values.iter().all(|&value| value > error).then_some(true)
}

/// The quadratic in integers.
fn quadratic(a: &MovingSphere, b: &MovingSphere, distance: f64) -> Form {
    let unit = Unit::of([a.begin, a.end, b.begin, b.end].iter().flat_map(numbers).chain([distance]));
    let gap = |p: [f64; 3], q: [f64; 3]| -> [Integer; 3] {
        std::array::from_fn(|axis| unit.count(q[axis]).minus(&unit.count(p[axis])))
    };
    let (first, last) = (gap(a.begin.centre, b.begin.centre), gap(a.end.centre, b.end.centre));
    let reach = |p: f64, q: f64| unit.count(p).plus(&unit.count(q)).plus(&unit.count(distance));
    let (near, far) = (reach(a.begin.radius, b.begin.radius), reach(a.end.radius, b.end.radius));
    let middle = near.times(&far).minus(&dot(&first, &last));
    Form::new(vec![
        near.times(&near).minus(&dot(&first, &first)),
        middle.plus(&middle),
        far.times(&far).minus(&dot(&last, &last)),
    ])
}

/// The interval in which a form is at least 0: begin, end, and whether that is one instant.
fn solve(form: &Form, mut emit: impl FnMut(Enclosure, Enclosure, bool)) {
    if form.coefficients().iter().all(Integer::is_zero) {
        return emit(BEGIN, END, false);
    }
    let stripped = form.strip();
    let mut open = (stripped.core.first_sign() > 0).then_some(BEGIN);
    if open.is_none() && stripped.zero_at_begin {
        emit(BEGIN, BEGIN, true);
    }
    for root in isolate(&stripped.core) {
        let (lo, hi) = pinned(&root.root);
        let here = Enclosure { lo, hi };
        match (open.take(), root.odd) {
            (Some(begin), true) => emit(begin, here, false),
            (Some(begin), false) => open = Some(begin),
            (None, true) => open = Some(here),
            (None, false) => emit(here, here, true),
        }
    }
    match open {
        Some(begin) => emit(begin, END, false),
        None if stripped.zero_at_end => emit(END, END, true),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::spheres::Sphere;

    /// All computed coefficients are minus infinity, and the bound of their errors is infinite.
    /// The balls meet between both ends.
    #[test]
    fn squares_beyond_all_numbers_prove_nothing() {
        // The square of 128 units is beyond all numbers.
        let unit = f64::from_bits((1023 + 505) << 52);
        let at = |centre: [f64; 3], radius: f64| Sphere { centre: centre.map(|x| x * unit), radius: radius * unit };
        let ball = at([0.0; 3], 127.0);
        let still = MovingSphere { begin: ball, end: ball };
        let passing = MovingSphere { begin: at([108.0, 104.0, 104.0], 0.0), end: at([152.0, -156.0, -156.0], 0.0) };
        assert_eq!(throughout(&still, &passing, 0.0), None);
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        sphere_intervals(&still, &passing, 0.0, &mut found, &mut stats);
        assert_eq!(found.len(), 1, "{found:?}");
        let (begin, end) = (found[0].begin, found[0].end);
        assert!(0.29 < begin.lo && begin.hi < 0.3 && 0.42 < end.lo && end.hi < 0.43, "{found:?}");
    }
}
