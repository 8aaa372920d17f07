//! When two triangles touch whose corners move linearly: a union of closed spans whose ends are
//! algebraic numbers.
//!
//! Whether they touch is a matter of the signs of polynomials of the time. Between two roots of all
//! of these it is constant, and decided at one rational time by the exact test of the model. The
//! set is closed: a root beside a span of contact belongs to it. A root between two spans without
//! contact is decided by the same test, run on numbers at that root.
//!
//! | case | polynomials |
//! |---|---|
//! | contact | orientations of four of the six corners, degree 3; if all are zero throughout, orientations of three in the coordinate planes, degree 2; if these are, differences of coordinates |
//! | a distance | squares of the distances of corner and plane, line and line (degree 6), corner and line (4), corner and corner (2), less the square of the distance |

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::algebra::{Poly, Root, add, between, mul, primitive, roots, sub, trim};
use super::exact::{Triangle, Whole, are_within, touch};
use super::number::{Number, at};

pub(crate) type Corners = [[BigInt; 3]; 6];

/// What two triangles must do to touch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rule {
    /// Share a point.
    Meet,
    /// Be this near, which changes linearly over the window: not negative.
    Within { begin: BigInt, end: BigInt },
    /// Share a point besides their common corners: which of the first is which of the second.
    Neighbours(Vec<(usize, usize)>),
}

/// Corners of the first triangle and of the second, over a window in which all of them move
/// linearly.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub(crate) begin: Corners,
    pub(crate) end: Corners,
}

/// A closed span of contact; both ends in `[0, 1]`, parts of the window.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) begin: Root,
    pub(crate) end: Root,
    pub(crate) is_instant: bool,
}

type Path = [Poly; 3];

/// What changes linearly over the window.
fn line(begin: &BigInt, end: &BigInt) -> Poly {
    trim(vec![begin.clone(), end - begin])
}

fn minus(a: &Path, b: &Path) -> Path {
    std::array::from_fn(|k| sub(&a[k], &b[k]))
}

fn cross(a: &Path, b: &Path) -> Path {
    let part = |i: usize, j: usize| sub(&mul(&a[i], &b[j]), &mul(&a[j], &b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}

fn dot(a: &Path, b: &Path) -> Poly {
    (0..3).fold(Poly::new(), |sum, k| add(&sum, &mul(&a[k], &b[k])))
}

/// All sets of `size` numbers below 6.
fn choices(size: u32) -> impl Iterator<Item = Vec<usize>> {
    (0_u32..64).filter(move |set| set.count_ones() == size).map(|set| (0..6).filter(|k| set >> k & 1 == 1).collect())
}

/// Below this, orientations over time fit in `i128`.
const SMALL_PATH: u64 = 1 << 26;

type Cubic = [i128; 4];

/// Polynomials of coordinates below [`SMALL_PATH`] between whose roots contact does not change,
/// without those that have no root in the window; `None` if all are zero, or numbers are large.
fn of_small_contact(moving: &Moving) -> Option<Vec<Poly>> {
    let line = |p: usize, k: usize| {
        let [from, to] = [&moving.begin, &moving.end].map(|corners| i64::try_from(&corners[p][k] - &corners[0][k]));
        let (from, to) = (from.ok()?, to.ok()?);
        (from.unsigned_abs().max(to.unsigned_abs()) < SMALL_PATH).then(|| [i128::from(from), i128::from(to - from)])
    };
    let mut lines = [[[0_i128; 2]; 3]; 6];
    for p in 0..6 {
        for k in 0..3 {
            lines[p][k] = line(p, k)?;
        }
    }
    let mut found: Vec<Cubic> = Vec::new();
    let mut is_flat = true;
    for set in choices(4) {
        let [u, v, w] = [1, 2, 3].map(|k| -> [[i128; 2]; 3] {
            std::array::from_fn(|axis| [0, 1].map(|c| lines[set[k]][axis][c] - lines[set[0]][axis][c]))
        });
        let cubic = volume(&u, &v, &w);
        is_flat &= cubic == [0; 4];
        if cubic != [0; 4] && changes(&cubic) > 0 {
            found.push(reduced(cubic));
        }
    }
    found.sort_unstable();
    found.dedup();
    (!is_flat).then(|| found.into_iter().map(|cubic| trim(cubic.map(BigInt::from).to_vec())).collect())
}

fn volume(u: &[[i128; 2]; 3], v: &[[i128; 2]; 3], w: &[[i128; 2]; 3]) -> Cubic {
    let mut sum = [0; 4];
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let product = |a: &[i128; 2], b: &[i128; 2]| [a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[1] * b[1]];
        let (one, two) = (product(&v[i], &w[j]), product(&v[j], &w[i]));
        for c in 0..3 {
            sum[c] += u[k][0] * (one[c] - two[c]);
            sum[c + 1] += u[k][1] * (one[c] - two[c]);
        }
    }
    sum
}

/// The changes of sign that bound the number of roots in the open (0, 1).
fn changes([a, b, c, d]: &Cubic) -> usize {
    let signs = [*a, 3 * a + b, 3 * a + 2 * b + c, a + b + c + d].map(i128::signum);
    let signs: Vec<i128> = signs.into_iter().filter(|&sign| sign != 0).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Divided by the greatest common divisor, the highest coefficient positive.
fn reduced(cubic: Cubic) -> Cubic {
    let mut common = 0_i128;
    for x in cubic {
        let (mut a, mut b) = (common, x.abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        common = a;
    }
    let lead = cubic.into_iter().rev().find(|&x| x != 0).map_or(1, i128::signum);
    cubic.map(|x| x / (common * lead))
}

/// Polynomials between whose roots contact does not change.
fn of_contact(paths: &[Path; 6]) -> Vec<Poly> {
    let volume = |set: Vec<usize>| {
        let [u, v, w] = [1, 2, 3].map(|k| minus(&paths[set[k]], &paths[set[0]]));
        dot(&u, &cross(&v, &w))
    };
    let volumes: Vec<Poly> = choices(4).map(volume).filter(|p| !p.is_empty()).collect();
    if !volumes.is_empty() {
        return volumes;
    }
    let area = |set: Vec<usize>| cross(&minus(&paths[set[1]], &paths[set[0]]), &minus(&paths[set[2]], &paths[set[0]]));
    let areas: Vec<Poly> = choices(3).flat_map(area).filter(|p| !p.is_empty()).collect();
    if !areas.is_empty() {
        return areas;
    }
    choices(2).flat_map(|set| minus(&paths[set[1]], &paths[set[0]])).filter(|p| !p.is_empty()).collect()
}

/// Polynomials that are zero wherever the distance becomes the given one or ceases to be it.
fn of_distance(paths: &[Path; 6], distance: &Poly) -> Vec<Poly> {
    let square = mul(distance, distance);
    let beyond = |height: &Poly, whole: &Poly| sub(&mul(height, height), &mul(&square, whole));
    let mut found = Vec::new();
    let sides = |first: usize| [0, 1, 2].map(|k| (first + k, first + (k + 1) % 3));
    for (triangle, other) in [(0, 3), (3, 0)] {
        let [u, v] = [1, 2].map(|k| minus(&paths[triangle + k], &paths[triangle]));
        let normal = cross(&u, &v);
        for p in other..other + 3 {
            let to = minus(&paths[p], &paths[triangle]);
            found.push(beyond(&dot(&normal, &to), &dot(&normal, &normal)));
            for (from, end) in sides(triangle) {
                let (way, to) = (minus(&paths[end], &paths[from]), minus(&paths[p], &paths[from]));
                let (along, whole) = (dot(&to, &way), dot(&way, &way));
                let rest = sub(&mul(&dot(&to, &to), &whole), &mul(&along, &along));
                found.push(sub(&rest, &mul(&square, &whole)));
            }
        }
    }
    for (a, b) in sides(0) {
        for (c, d) in sides(3) {
            let normal = cross(&minus(&paths[b], &paths[a]), &minus(&paths[d], &paths[c]));
            let gap = minus(&paths[c], &paths[a]);
            found.push(beyond(&dot(&normal, &gap), &dot(&normal, &normal)));
            found.push(sub(&dot(&gap, &gap), &square));
        }
    }
    found.retain(|p| !p.is_empty());
    found
}

/// The parts of two triangles that decide whether they share more than corners, by the rule that
/// the library documents. What remains of a triangle besides its common corners is a side, or a
/// corner: it is tested against the whole other triangle. Of a common edge, sides through different
/// ends are tested too.
fn parts(common: &[(usize, usize)]) -> Vec<([usize; 3], [usize; 3])> {
    let rest = |of_b: bool| -> Vec<usize> {
        (0..3).filter(|&k| common.iter().all(|&(a, b)| k != if of_b { b } else { a })).collect()
    };
    let (a, b) = (rest(false), rest(true));
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let side = |rest: &[usize]| [rest[0], rest[rest.len() - 1], rest[rest.len() - 1]];
    let mut found = vec![(side(&a), [0, 1, 2]), ([0, 1, 2], side(&b))];
    if let (1, 1, &[(a0, b0), (a1, b1)]) = (a.len(), b.len(), common) {
        found.extend([([a[0], a0, a0], [b[0], b1, b1]), ([a[0], a1, a1], [b[0], b0, b0])]);
    }
    found
}

fn decide<T: Whole>(rule: &Rule, points: &[[T; 3]; 6], length: impl Fn(&BigInt, &BigInt) -> T) -> bool {
    let side = |first: usize, part: [usize; 3]| -> Triangle<T> { part.map(|k| points[first + k].clone()) };
    match rule {
        Rule::Meet => touch(&side(0, [0, 1, 2]), &side(3, [0, 1, 2])),
        Rule::Within { begin, end } => are_within(&side(0, [0, 1, 2]), &side(3, [0, 1, 2]), &length(begin, end)),
        Rule::Neighbours(common) => parts(common).into_iter().any(|(p, q)| touch(&side(0, p), &side(3, q))),
    }
}

/// Below this, `i128` suffices for contact.
const SMALL: i64 = 1 << 29;

impl Moving {
    fn paths(&self) -> [Path; 6] {
        std::array::from_fn(|p| std::array::from_fn(|k| line(&self.begin[p][k], &self.end[p][k])))
    }

    /// Whether the triangles touch at `numerator / denominator` of the window.
    pub(crate) fn touches_at(&self, rule: &Rule, numerator: &BigInt, denominator: &BigInt) -> bool {
        let rest = denominator - numerator;
        let point = |p: usize, k: usize| &self.begin[p][k] * &rest + &self.end[p][k] * numerator;
        let mut points: Corners = std::array::from_fn(|p| std::array::from_fn(|k| point(p, k)));
        let origin = points[0].clone();
        points.iter_mut().for_each(|p| (0..3).for_each(|k| p[k] -= &origin[k]));
        let is_small = points.iter().flatten().all(|x| x.abs() < BigInt::from(SMALL));
        if is_small && !matches!(rule, Rule::Within { .. }) {
            let small = points.map(|p| p.map(|x| i128::try_from(x).expect("small")));
            return decide(rule, &small, |_, _| 0);
        }
        decide(rule, &points, |begin, end| begin * &rest + end * numerator)
    }

    /// Whether both ends of the window lie farther apart than the distance there along one axis, in
    /// the same order.
    fn is_apart(&self, first: &BigInt, last: &BigInt) -> bool {
        let is_before = |corners: &Corners, k: usize, [low, high]: [usize; 2], distance: &BigInt| {
            let most = (low..low + 3).map(|p| &corners[p][k]).max().expect("three");
            let least = (high..high + 3).map(|p| &corners[p][k]).min().expect("three");
            least - most > *distance
        };
        let orders = [[0, 3], [3, 0]];
        let is_apart = |k, order| is_before(&self.begin, k, order, first) && is_before(&self.end, k, order, last);
        (0..3).any(|k| orders.iter().any(|&order| is_apart(k, order)))
    }

    /// All spans of contact, ascending, with gaps between them.
    pub(crate) fn spans(&self, rule: &Rule) -> Vec<Span> {
        let zero = BigInt::zero();
        let (first, last) = if let Rule::Within { begin, end } = rule { (begin, end) } else { (&zero, &zero) };
        if self.is_apart(first, last) {
            return Vec::new();
        }
        let paths = self.paths();
        let polynomials = match rule {
            Rule::Within { begin, end } => of_distance(&paths, &line(begin, end)),
            _ => of_small_contact(self).unwrap_or_else(|| of_contact(&paths)),
        };
        let mut moments = moments(polynomials);
        let cells: Vec<bool> = (1..moments.len())
            .map(|k| {
                let (before, after) = moments.split_at_mut(k);
                let (n, bits) = between(&mut before[k - 1], &mut after[0]);
                self.touches_at(rule, &n, &(BigInt::one() << bits))
            })
            .collect();
        let mut found: Vec<Span> = Vec::new();
        let mut is_on = false;
        for (k, moment) in moments.iter().enumerate() {
            let (before, after) = (k > 0 && cells[k - 1], cells.get(k) == Some(&true));
            if !(before || after) {
                if touches_at_root(&paths, rule, moment) {
                    found.push(Span { begin: moment.clone(), end: moment.clone(), is_instant: true });
                }
                continue;
            }
            if !is_on {
                found.push(Span { begin: moment.clone(), end: moment.clone(), is_instant: false });
            }
            found.last_mut().expect("one is on").end = moment.clone();
            is_on = after;
        }
        found
    }
}

fn touches_at_root(paths: &[Path; 6], rule: &Rule, root: &Root) -> bool {
    let points = paths.each_ref().map(|path| path.each_ref().map(|p| Number(p.clone())));
    at(root, || decide(rule, &points, |begin, end| Number(line(begin, end))))
}

/// 0, 1 and all roots between them, ascending, each once.
fn moments(polynomials: Vec<Poly>) -> Vec<Root> {
    let mut all: Vec<Poly> = polynomials.into_iter().map(primitive).filter(|p| p.len() > 1).collect();
    all.sort();
    all.dedup();
    let mut found: Vec<Root> = all.into_iter().flat_map(roots).collect();
    sort(&mut found);
    found.insert(0, Root::whole(0));
    found.push(Root::whole(1));
    found
}

/// Sorts roots by insertion, and drops those that are equal to others.
fn sort(roots: &mut Vec<Root>) {
    let mut sorted: Vec<Root> = Vec::with_capacity(roots.len());
    'next: for mut root in roots.drain(..) {
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match root.order(&mut sorted[middle]) {
                std::cmp::Ordering::Less => high = middle,
                std::cmp::Ordering::Greater => low = middle + 1,
                std::cmp::Ordering::Equal => continue 'next,
            }
        }
        sorted.insert(low, root);
    }
    *roots = sorted;
}
