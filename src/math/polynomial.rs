//! Polynomials of degree 3: turning points, and bracketing of a sign change.

/// Returns the turning points between 0 and 1 (exclusive) of a polynomial with these coefficients
/// of the first, second and third power: at most two, ascending.
///
/// Returns none if the polynomial does not turn, or if its discriminant is lost in rounding. At a
/// returned point the derivative is within `2⁻⁴⁹ (|c₁| + 2 |c₂| + 3 |c₃|)` of zero. Between
/// neighbouring points (and the ends) the polynomial therefore never turns back by more than that.
pub(crate) fn turning_points([c1, c2, c3]: [f64; 3]) -> [Option<f64>; 2] {
    // c₁ + 2 c₂ s + 3 c₃ s² without cancellation; a quotient by zero is not between 0 and 1.
    let discriminant = c2 * c2 - 3.0 * c1 * c3;
    if !(discriminant > 0.0) {
        return [None; 2];
    }
    let root = discriminant.sqrt();
    let q = -(c2 + if c2 < 0.0 { -root } else { root });
    let within = |s: f64| (0.0 < s && s < 1.0).then_some(s);
    match (within(q / (3.0 * c3)), within(c1 / q)) {
        (Some(s), Some(t)) if s > t => [Some(t), Some(s)],
        (None, found) => [found, None],
        found => [found.0, found.1],
    }
}

/// Returns two neighbouring numbers of `low..=high` between which a function becomes, or ceases to
/// be, positive. The first has the state of `low`, the second that of `high`. The states of `low`
/// and `high` must differ.
///
/// Costs about 15 evaluations, at most about 1100. If there are several changes, one of them is
/// returned.
pub(crate) fn sign_change(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> (f64, f64) {
    /// False-position steps before bisection.
    const STEPS: usize = 7;
    let (mut at_low, mut at_high) = (function(low), function(high));
    let starts_positive = at_low > 0.0;
    let (mut guess, mut moved_low) = (low, None);
    for _ in 0..STEPS {
        guess = low + (high - low) * (at_low / (at_low - at_high));
        if !(guess > low && guess < high) {
            break;
        }
        let value = function(guess);
        let moves_low = (value > 0.0) == starts_positive;
        // An end that is kept twice in a row counts half (the Illinois rule).
        let share = if moved_low == Some(moves_low) { 0.5 } else { 1.0 };
        if moves_low {
            (low, at_low, at_high) = (guess, value, at_high * share);
        } else {
            (high, at_high, at_low) = (guess, value, at_low * share);
        }
        moved_low = Some(moves_low);
    }
    // The guess is usually good to a few units in the last place.
    let margin = 8.0 * f64::EPSILON * guess.abs();
    for probe in [guess - margin, guess + margin] {
        if probe > low && probe < high {
            *(if (function(probe) > 0.0) == starts_positive { &mut low } else { &mut high }) = probe;
        }
    }
    loop {
        let middle = 0.5 * low + 0.5 * high;
        if !(middle > low && middle < high) {
            return (low, high);
        }
        *(if (function(middle) > 0.0) == starts_positive { &mut low } else { &mut high }) = middle;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_points_of_every_degree() {
        assert_eq!(turning_points([0.0, 0.0, 0.0]), [None; 2]);
        assert_eq!(turning_points([1.0, 0.0, 0.0]), [None; 2]);
        assert_eq!(turning_points([-1.0, 1.0, 0.0]), [Some(0.5), None]);
        // s (s − 1/4) (s − 3/4), shifted roots of the derivative: 3 s² − 2 s + 3/16.
        assert_eq!(turning_points([3.0 / 16.0, -1.0, 1.0]).map(|s| s.is_some()), [true, true]);
        // (s − 1/2)³: a saddle is not a turning point.
        assert_eq!(turning_points([0.75, -1.5, 1.0]), [None; 2]);
        // Turning points at the ends are not between them.
        assert_eq!(turning_points([0.0, 1.0, 0.0]), [None; 2]);
        assert_eq!(turning_points([f64::NAN, 1.0, 1.0]), [None; 2]);
        let [Some(low), Some(high)] = turning_points([1e-12, -0.5, 1.0 / 3.0 * 1.9]) else { panic!("two turns") };
        assert!(low < 2e-12 && high > 0.5 && low < high);
    }

    #[test]
    fn sign_changes_are_found_to_the_last_place() {
        let asked = std::cell::Cell::new(0);
        for (root, steep) in [(0.3, 1.0), (1e-200, 1.0), (0.999, 1e9), (0.5, -3.0), (f64::MIN_POSITIVE, 1.0)] {
            asked.set(0);
            let function = |x: f64| {
                asked.set(asked.get() + 1);
                steep * (x - root) * (1.0 + x * x)
            };
            let (low, high) = sign_change(0.0, 1.0, function);
            assert!(low.next_up() == high && low <= root && root <= high, "{root}: {low} {high}");
            assert!(asked.get() < 1200, "{root}: asked {} times", asked.get());
        }
        // A grazing contact that rounding turns into a crossing: one of its ends.
        let (low, high) = sign_change(0.0, 0.75, |x| 1e-20 - (x - 0.75) * (x - 0.75));
        assert!(low.next_up() == high && (high - 0.75).abs() < 1e-9);
    }
}
