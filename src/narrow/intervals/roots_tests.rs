//! Brackets of roots where signs are uncertain.

use super::roots::{Approximate, COARSE};

/// Parabolas that come to a little below zero, or above it: near the roots, signs are within the
/// error. No end of a bracket is there.
#[test]
fn signs_at_the_ends_of_brackets_are_certain() {
    let mut state = 1_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut brackets = 0;
    for case in 0..2000 {
        // (s − turn)² − width².
        let (turn, width) = (0.2 + 0.6 * unit(), 0.0001 + 0.03 * unit() * unit() * unit());
        let error = width * width * (0.02 + 0.48 * unit());
        let [begin, end] = [turn, 1.0 - turn].map(|way| way * way - width * width);
        let parabola = [begin, 2.0 * (begin - turn), end, 0.0];
        for sign in [1.0, -1.0] {
            let form = Approximate { coefficients: parabola.map(|c| sign * c), degree: 2, error };
            let found = form.isolate(COARSE).expect("the depth is more than the error");
            for bracket in found.as_slice() {
                let (before, after) = (form.evaluate(bracket.lo), form.evaluate(bracket.hi));
                let [before, after] = [before, after].map(|value| if bracket.rising { value } else { -value });
                assert!(before < -error && after > error, "case {case}: {form:?}, {bracket:?}");
            }
            brackets += found.as_slice().len();
        }
    }
    assert_eq!(brackets, 8000);
}
