//! The truth of a scene: per pair of triangles, the spans of contact over all of its time.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, Signed, Zero};

use super::algebra::Root;
use super::exact::are_within;
use super::pair::{Corners, Moving, Rule};
use super::scene::{Body, Piece, Scene, Shape, exact};

/// Two bodies by number, and a triangle of each.
pub(crate) type Pair = (usize, usize, u32, u32);

/// An algebraic time: a part of a window, seconds.
#[derive(Clone, Debug)]
pub(crate) struct When {
    pub(crate) from: Q,
    pub(crate) length: Q,
    pub(crate) root: Root,
}

impl When {
    pub(crate) fn compare(&self, time: &Q) -> Ordering {
        self.root.compare(&((time - &self.from) / &self.length))
    }

    /// The largest `f64` at or before it.
    pub(crate) fn below(&self) -> f64 {
        let near = &self.from + self.root.clone().about(160) * &self.length;
        let mut time = ratio(&near);
        while self.compare(&exact(time)) == Ordering::Less {
            time = time.next_down();
        }
        while self.compare(&exact(time.next_up())) != Ordering::Less {
            time = time.next_up();
        }
        time
    }
}

/// A number near a ratio.
pub(crate) fn ratio(x: &Q) -> f64 {
    let scaled: BigInt = (x.numer() << 200) / x.denom();
    let text = scaled.to_string();
    text.parse::<f64>().expect("digits") / 2.0_f64.powi(200)
}

/// A span of contact; all of it but the begin, where a jump brought it about, and the end, where one
/// at the first key of a loop ended it.
#[derive(Clone, Debug)]
pub(crate) struct TrueSpan {
    pub(crate) begin: When,
    pub(crate) is_open: bool,
    pub(crate) end: When,
    pub(crate) is_open_at_end: bool,
}

impl TrueSpan {
    pub(crate) fn contains(&self, time: &Q) -> bool {
        let begins = match self.begin.compare(time) {
            Ordering::Less => true,
            Ordering::Equal => !self.is_open,
            Ordering::Greater => false,
        };
        let ends = match self.end.compare(time) {
            Ordering::Less => false,
            Ordering::Equal => !self.is_open_at_end,
            Ordering::Greater => true,
        };
        begins && ends
    }
}

pub(crate) struct Truth {
    pub(crate) spans: BTreeMap<Pair, Vec<TrueSpan>>,
    /// Windows of pairs of triangles that were decided.
    pub(crate) windows: u64,
}

/// All positions of two bodies at both ends of a window, whole numbers over one denominator.
struct Cut {
    begin: [Vec<[BigInt; 3]>; 2],
    end: [Vec<[BigInt; 3]>; 2],
    unit: BigInt,
}

fn cut(pieces: [&Piece; 2], from: &Q, to: &Q) -> Cut {
    let begin = pieces.map(|piece| piece.places(from));
    let end = pieces.map(|piece| piece.places(to));
    let all = begin.iter().chain(&end).flatten().flatten();
    let unit = all.fold(BigInt::one(), |unit, x| {
        // What the denominator has that the unit lacks.
        let more = Q::new(unit.clone(), x.denom().clone()).denom().clone();
        unit * more
    });
    let whole = |places: [Vec<[Q; 3]>; 2]| {
        let scaled = |x: Q| x.numer() * (&unit / x.denom());
        places.map(|body| body.into_iter().map(|p| p.map(scaled)).collect())
    };
    Cut { begin: whole(begin), end: whole(end), unit: unit.clone() }
}

fn rule(scene: &Scene, (a, b, p, q): Pair, cut: &Cut) -> Option<Rule> {
    let (one, two, unit) = (&scene.bodies[a], &scene.bodies[b], &cut.unit);
    if a == b {
        let welded = one.welded();
        let [first, second] = [p, q].map(|triangle| one.triangles[triangle as usize].map(|v| welded[v as usize]));
        let common: Vec<(usize, usize)> =
            (0..9).map(|k| (k / 3, k % 3)).filter(|&(i, j)| first[i] == second[j]).collect();
        if !common.is_empty() {
            return one.neighbours.then_some(Rule::Neighbours(common));
        }
        if !one.own {
            return None;
        }
    }
    // The mean of both thicknesses; coordinates are doubled.
    let distance = unit * (one.thickness + two.thickness);
    let radius = |places: &[Vec<[BigInt; 3]>; 2], side: usize, body: &Body, element: u32| match body.shape {
        Shape::Spheres => &places[side][body.triangles.len() + element as usize][0] * 2,
        _ => BigInt::zero(),
    };
    let reach = |places| radius(places, 0, one, p) + radius(places, 1, two, q) + &distance;
    let is_met = [one, two].iter().all(|body| body.shape != Shape::Spheres) && distance.is_zero();
    Some(if is_met { Rule::Meet } else { Rule::Within { begin: reach(&cut.begin), end: reach(&cut.end) } })
}

fn corners(places: &[Vec<[BigInt; 3]>; 2], triangles: [[u32; 3]; 2]) -> Corners {
    std::array::from_fn(|k| {
        let vertex = triangles[k / 3][k % 3] as usize;
        places[k / 3][vertex].clone().map(|x| x * 2)
    })
}

fn pairs_of(a: usize, b: usize, bodies: &[Body]) -> Vec<Pair> {
    let (of_a, of_b) = (bodies[a].triangles.len() as u32, bodies[b].triangles.len() as u32);
    let all = (0..of_a).flat_map(|p| (0..of_b).map(move |q| (a, b, p, q)));
    all.filter(|&(a, b, p, q)| a != b || p < q).collect()
}

impl Truth {
    pub(crate) fn new(scene: &Scene) -> Self {
        let pieces: Vec<Vec<Piece>> =
            scene.bodies.iter().map(|body| body.plan.pieces(scene.begin, scene.end)).collect();
        let mut truth = Self { spans: BTreeMap::new(), windows: 0 };
        for a in 0..scene.bodies.len() {
            for b in a..scene.bodies.len() {
                if a != b || scene.bodies[a].own {
                    truth.add(scene, [a, b], [&pieces[a], &pieces[b]]);
                }
            }
        }
        truth
    }

    fn add(&mut self, scene: &Scene, [a, b]: [usize; 2], pieces: [&[Piece]; 2]) {
        let (begin, end) = (exact(scene.begin), exact(scene.end));
        let mut times: Vec<Q> = pieces.iter().flat_map(|all| all.iter().map(|piece| piece.from.clone())).collect();
        times.retain(|time| *time > begin && *time < end);
        times.extend([begin, end]);
        times.sort();
        times.dedup();
        for window in times.windows(2) {
            let [from, to] = window else { unreachable!() };
            let now = pieces.map(|all| {
                all.iter().find(|piece| piece.from <= *from && *to <= piece.to).expect("a piece at all times")
            });
            let jumps = now.iter().any(|piece| piece.jumps && piece.from == *from);
            let is_left = now.iter().any(|piece| piece.is_left && piece.to == *to);
            let cut = cut(now, from, to);
            for pair in pairs_of(a, b, &scene.bodies) {
                let Some(rule) = rule(scene, pair, &cut) else { continue };
                self.windows += 1;
                let triangles =
                    [scene.bodies[a].triangles[pair.2 as usize], scene.bodies[b].triangles[pair.3 as usize]];
                let moving = Moving { begin: corners(&cut.begin, triangles), end: corners(&cut.end, triangles) };
                let length = to - from;
                let when = |root: Root| When { from: from.clone(), length: length.clone(), root };
                for span in moving.spans(&rule) {
                    let is_first = span.begin.compare(&Q::zero()).is_eq();
                    let is_last = span.end.compare(&Q::one()).is_eq();
                    if span.is_instant && (jumps && is_first || is_left && is_last) {
                        continue;
                    }
                    let list = self.spans.entry(pair).or_default();
                    let (begin, end) = (when(span.begin), when(span.end));
                    let new = TrueSpan { begin, is_open: jumps && is_first, end, is_open_at_end: is_left && is_last };
                    match list.last_mut() {
                        Some(last) if is_first && last.end.compare(from).is_eq() => {
                            (last.end, last.is_open_at_end) = (new.end, new.is_open_at_end);
                        }
                        _ => list.push(new),
                    }
                }
            }
        }
    }

    /// The pairs that touch at a time.
    pub(crate) fn at(&self, time: f64) -> std::collections::BTreeSet<Pair> {
        let time = exact(time);
        let is_on = |spans: &Vec<TrueSpan>| spans.iter().any(|span| span.contains(&time));
        self.spans.iter().filter(|(_, spans)| is_on(spans)).map(|(pair, _)| *pair).collect()
    }
}

/// Whether two triangles are as near as triangles shown inside an end's enclosure may be, as
/// docs/NUMERICS.md states it, in some window at the time; `None` for motions without keys.
pub(crate) fn is_as_near_as_stated(scene: &Scene, pair: Pair, time: f64) -> Option<bool> {
    let bodies = [&scene.bodies[pair.0], &scene.bodies[pair.1]];
    if bodies.iter().any(|body| body.plan.keys().is_none() || body.shape == Shape::Spheres) {
        return None;
    }
    let at = exact(time);
    let around = |body: &Body| {
        let mut pieces = body.plan.pieces(scene.begin, scene.end);
        pieces.retain(|piece| piece.from <= at && at <= piece.to && !(piece.is_left && at == piece.to));
        pieces
    };
    let [first, second] = bodies.map(around);
    let windows = first.iter().flat_map(|one| second.iter().map(move |two| [one, two]));
    let mut windows = windows.filter(|[one, two]| one.from < two.to && two.from < one.to);
    Some(windows.any(|now| is_as_near_in(scene, pair, &at, now)))
}

fn is_as_near_in(scene: &Scene, pair: Pair, at: &Q, now: [&Piece; 2]) -> bool {
    let bodies = [&scene.bodies[pair.0], &scene.bodies[pair.1]];
    let triangles = [bodies[0].triangles[pair.2 as usize], bodies[1].triangles[pair.3 as usize]];
    let [one, two] = now;
    let (from, to) = (one.from.clone().max(two.from.clone()), one.to.clone().min(two.to.clone()));
    let (length, offset) = (&to - &from, Q::from_integer(scene.offset.into()));
    let corners = |side: usize, time: &Q| -> [[Q; 3]; 3] {
        let places = now[side].places(time);
        triangles[side].map(|vertex| places[vertex as usize].clone())
    };
    let power = |n: i32| exact(2.0_f64.powi(n));
    // 0 for a body whose own keys are the ends of the window.
    let magnitude = |side: usize| {
        let piece = now[side];
        let (first, last) = (corners(side, &piece.from), corners(side, &piece.to));
        let sizes =
            first.iter().flatten().zip(last.iter().flatten()).map(|(x, y)| (x + &offset).abs() + (y + &offset).abs());
        let is_cut = piece.from != from || piece.to != to;
        if is_cut { sizes.max().expect("nine") } else { Q::zero() }
    };
    let ways = [0, 1].map(|side| {
        let (first, last) = (corners(side, &from), corners(side, &to));
        [0, 1, 2].map(|corner| [0, 1, 2].map(|k| &last[corner][k] - &first[corner][k]))
    });
    let seen = |p: &[Q; 3], q: &[Q; 3]| (0..3).map(|k| (&p[k] - &q[k]).abs()).sum::<Q>();
    let way = ways[0].iter().flat_map(|p| ways[1].iter().map(move |q| seen(p, q))).max().expect("nine");
    let rounding = power(-48) * (magnitude(0) + magnitude(1));
    let counts = Q::from_integer((bodies[0].thickness + bodies[1].thickness).into()) * power(-1);
    let clock = power(-50) * (&length + at.abs()) * &way / &length;
    let bound = counts + rounding * Q::from_integer(3.into()) + power(-30) * way + clock;
    let all = [corners(0, at), corners(1, at)];
    let unit = all.iter().flatten().flatten().chain([&bound]).fold(BigInt::one(), |unit, x| unit * x.denom());
    let whole = |x: &Q| x.numer() * (&unit / x.denom());
    let [p, q] = all.each_ref().map(|corners| corners.each_ref().map(|point| point.each_ref().map(whole)));
    are_within(&p, &q, &whole(&bound))
}
