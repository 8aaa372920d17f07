//! Polynomials of degree 3: where they turn, and where a function changes its sign.

/// Where a polynomial with these coefficients of the first, second and third power turns between 0 and 1 (exclusive): at most
/// two places, in order.
///
/// Where it does not turn, or so little that the discriminant is lost in rounding, nothing is found. At a place found the
/// derivative is within `2⁻⁴⁹ (|c₁| + 2 |c₂| + 3 |c₃|)` of zero, so that between neighbouring places (and the ends) the
/// polynomial never turns back by more than that.
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

/// The two neighbouring numbers of `low..=high` between which a function becomes positive, or stops being so: the first of them
/// has the state of `low`, the second that of `high`. The states of `low` and `high` differ. The function is asked about 15
/// times, and never more than about 1100 times.
///
/// Where it changes more than once, one of the changes is found.
pub(crate) fn sign_change(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> (f64, f64) {
    /// False-position steps before the rest is halved.
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
        // An end that stands still twice counts half (the Illinois rule).
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
