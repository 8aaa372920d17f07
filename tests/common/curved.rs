//! Random curved flightplans as plain data, and where a point on one is: slow and plain, from the documentation.

use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::time::Span;

use super::dice::{Dice, Grain};
use super::scene::{PlanSpec, Style, random_outside, random_times};

/// A curved flightplan of a whole body.
#[derive(Clone, Debug)]
pub enum CurvedSpec {
    Accelerated { span: Span, positions: Vec<[f32; 3]>, velocities: Vec<[f32; 3]>, accelerations: Vec<[f32; 3]> },
    Hermite { times: Vec<f64>, positions: Vec<[f32; 3]>, before: Vec<[f32; 3]>, after: Vec<[f32; 3]> },
    Polynomials { times: Vec<f64>, degree: usize, coefficients: Vec<[f64; 3]> },
}

impl CurvedSpec {
    /// What the library is given.
    pub fn flightplan(self) -> Flightplan {
        match self {
            Self::Accelerated { span, positions, velocities, accelerations } => {
                let first = accelerations[0];
                if accelerations.iter().any(|&a| a != first) {
                    return Flightplan::accelerated(span, positions, velocities, accelerations);
                }
                if span.end == f64::INFINITY {
                    return Flightplan::ballistic(span.begin, positions, velocities, first);
                }
                Flightplan::ballistic_until(span, positions, velocities, first)
            }
            Self::Hermite { times, positions, before, after } => Flightplan::hermite(times, positions, before, after),
            Self::Polynomials { times, degree, coefficients } => Flightplan::polynomials(times, degree, coefficients),
        }
    }

    /// Times at which the motion may turn.
    pub fn turns(&self) -> Vec<f64> {
        match self {
            Self::Accelerated { span, .. } => vec![span.begin, span.end],
            Self::Hermite { times, .. } | Self::Polynomials { times, .. } => times.clone(),
        }
    }

    pub fn span(&self) -> Span {
        let turns = self.turns();
        Span { begin: turns[0], end: turns[turns.len() - 1] }
    }

    /// Where a vertex is at a time, which is brought into the span first.
    pub fn place(&self, vertex: usize, count: usize, time: f64) -> [f64; 3] {
        let span = self.span();
        let time = time.clamp(span.begin, span.end);
        match self {
            Self::Accelerated { span, positions, velocities, accelerations } => {
                let wide = |v: &[[f32; 3]]| v[vertex].map(f64::from);
                thrown(wide(positions), wide(velocities), wide(accelerations), time - span.begin)
            }
            Self::Hermite { times, positions, before, after } => {
                let at = |v: &[[f32; 3]], key: usize| v[key * count + vertex].map(f64::from);
                spline(times, |key| at(positions, key), |key| at(before, key), |key| at(after, key), time)
            }
            Self::Polynomials { times, degree, coefficients } => {
                let terms = degree + 1;
                let segment = |k: usize| &coefficients[(k * count + vertex) * terms..][..terms];
                polynomial(times, segment, time)
            }
        }
    }
}

/// Where a vertex with such a plan of its own is; `None` for plans that are not curved.
pub fn own_place(plan: &VertexFlightplan, since: f64, here: [f64; 3], time: f64) -> Option<[f64; 3]> {
    let clamped = |times: &[f64]| time.clamp(times[0], times[times.len() - 1]);
    match plan {
        VertexFlightplan::Ballistic { from, velocity, acceleration } => {
            Some(thrown(from.unwrap_or(here), *velocity, *acceleration, time - since))
        }
        VertexFlightplan::Hermite { times, positions, in_tangents, out_tangents, .. } => {
            let at = |v: &[[f32; 3]], key: usize| v[key].map(f64::from);
            let (p, a, b) = (positions, in_tangents, out_tangents);
            Some(spline(times, |key| at(p, key), |key| at(a, key), |key| at(b, key), clamped(times)))
        }
        VertexFlightplan::Polynomials { times, degree, coefficients, .. } => {
            let terms = degree + 1;
            Some(polynomial(times, |k| &coefficients[k * terms..][..terms], clamped(times)))
        }
        _ => None,
    }
}

fn thrown(position: [f64; 3], velocity: [f64; 3], acceleration: [f64; 3], elapsed: f64) -> [f64; 3] {
    std::array::from_fn(|i| position[i] + velocity[i] * elapsed + acceleration[i] * elapsed * elapsed / 2.0)
}

/// The four Hermite basis polynomials.
fn spline(
    times: &[f64],
    position: impl Fn(usize) -> [f64; 3],
    before: impl Fn(usize) -> [f64; 3],
    after: impl Fn(usize) -> [f64; 3],
    time: f64,
) -> [f64; 3] {
    let Some(key) = (1..times.len()).find(|&key| time <= times[key]).map(|key| key - 1) else { return position(0) };
    let length = times[key + 1] - times[key];
    let s = (time - times[key]) / length;
    let (p, q, m, n) = (position(key), position(key + 1), after(key), before(key + 1));
    let (s2, s3) = (s * s, s * s * s);
    std::array::from_fn(|i| {
        (2.0 * s3 - 3.0 * s2 + 1.0) * p[i]
            + length * (s3 - 2.0 * s2 + s) * m[i]
            + (3.0 * s2 - 2.0 * s3) * q[i]
            + length * (s3 - s2) * n[i]
    })
}

fn polynomial<'a>(times: &[f64], segment: impl Fn(usize) -> &'a [[f64; 3]], time: f64) -> [f64; 3] {
    let key = (1..times.len()).find(|&key| time <= times[key]).map_or(times.len() - 2, |key| key - 1);
    let elapsed = time - times[key];
    std::array::from_fn(|i| segment(key).iter().enumerate().map(|(n, c)| c[i] * elapsed.powi(n as i32)).sum())
}

/// A random curved plan for vertices that rest at `rest`.
pub fn random_curved_plan(dice: &mut Dice, rest: &[[f32; 3]], style: Style, window: Span) -> PlanSpec {
    let together = dice.percent(40);
    let each = |dice: &mut Dice, make: &dyn Fn(&mut Dice) -> [f32; 3], count: usize| -> Vec<[f32; 3]> {
        let common = make(dice);
        (0..count).map(|_| if together { common } else { make(dice) }).collect()
    };
    let velocity = |dice: &mut Dice| std::array::from_fn(|_| 2.0 * style.speed(dice));
    let slowness = style.slowness() as f32;
    let acceleration = |dice: &mut Dice| std::array::from_fn(|_| style.speed(dice) / slowness);
    let kind = dice.below(3);
    if kind == 0 {
        let velocities = each(dice, &velocity, rest.len());
        let accelerations = if dice.percent(50) {
            vec![acceleration(dice); rest.len()]
        } else {
            (0..rest.len()).map(|_| acceleration(dice)).collect()
        };
        let mut span = Span { begin: style.grain.later(dice, window.begin, -2.0, 1.0), end: f64::INFINITY };
        let mut outside = random_outside(dice);
        if dice.percent(60) {
            span.end = style.later(dice, span.begin, 0.5, 4.0);
        } else if outside == Outside::Loop {
            outside = Outside::Hold;
        }
        if outside == Outside::Error {
            span = Span { begin: span.begin.min(window.begin), end: span.end.max(window.end) };
        }
        return PlanSpec::Curved(
            CurvedSpec::Accelerated { span, positions: rest.to_vec(), velocities, accelerations },
            outside,
        );
    }
    let outside = random_outside(dice);
    let (times, outside) = random_times(dice, 2 + dice.clone().below(style.keys), outside, style, window);
    if kind == 1 {
        let mut positions = Vec::new();
        for _ in &times {
            let shift = style.point(dice, 2);
            let is_jittered = dice.percent(40);
            for p in rest {
                let jitter = if is_jittered { style.point(dice, 1) } else { [0.0; 3] };
                positions.push(std::array::from_fn(|i| p[i] + shift[i] + jitter[i]));
            }
        }
        let tangents = |dice: &mut Dice| -> Vec<[f32; 3]> {
            times.iter().flat_map(|_| each(dice, &velocity, rest.len())).collect()
        };
        let after = tangents(dice);
        let before = if dice.percent(50) { after.clone() } else { tangents(dice) };
        return PlanSpec::Curved(CurvedSpec::Hermite { times, positions, before, after }, outside);
    }
    let degree = dice.below(4);
    let mut ends: Vec<[f64; 3]> = rest.iter().map(|p| p.map(f64::from)).collect();
    let mut coefficients = Vec::new();
    for pair in times.windows(2) {
        let powers: Vec<Vec<[f32; 3]>> = (0..degree).map(|_| each(dice, &velocity, rest.len())).collect();
        for (vertex, end) in ends.iter_mut().enumerate() {
            let start = coefficients.len();
            coefficients.push(*end);
            for (n, values) in powers.iter().enumerate() {
                let scale = style.slowness().powi(n as i32) * [1.0, 2.0, 4.0][n];
                coefficients.push(values[vertex].map(|x| f64::from(x) / scale));
            }
            *end = polynomial(pair, |_| &coefficients[start..], pair[1]);
        }
    }
    PlanSpec::Curved(CurvedSpec::Polynomials { times, degree, coefficients }, outside)
}

/// A random curved plan of a single vertex, good for `window`.
pub fn random_curved_vertex_plan(dice: &mut Dice, style: Style, window: Span) -> VertexFlightplan {
    let wide = |p: [f32; 3]| p.map(f64::from);
    if dice.percent(40) {
        let from = dice.percent(40).then(|| wide(style.point(dice, 3)));
        let velocity = std::array::from_fn(|_| 2.0 * f64::from(style.speed(dice)));
        let acceleration = std::array::from_fn(|_| f64::from(style.speed(dice)) / style.slowness());
        return VertexFlightplan::Ballistic { from, velocity, acceleration };
    }
    // One vertex that rests somewhere, under a random plan for bodies that may not loop.
    loop {
        let rest = style.point(dice, 3);
        let PlanSpec::Curved(spec, outside) = random_curved_plan(dice, &[rest], style, window) else { unreachable!() };
        match (spec, outside) {
            (_, Outside::Loop) | (CurvedSpec::Accelerated { .. }, _) => {}
            (CurvedSpec::Hermite { times, positions, before, after }, outside) => {
                return VertexFlightplan::Hermite {
                    times,
                    positions,
                    in_tangents: before,
                    out_tangents: after,
                    outside,
                };
            }
            (CurvedSpec::Polynomials { times, degree, coefficients }, outside) => {
                return VertexFlightplan::Polynomials { times, degree, coefficients, outside };
            }
        }
    }
}

/// The grains, for tests that go through all of them.
pub const GRAINS: [Grain; 3] = [Grain::Real, Grain::Lattice, Grain::Crooked];
