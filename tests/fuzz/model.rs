//! What a world should say: its bodies, its rules and which triangles touch, kept by plain means.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::exact::{Triangle, Whole, are_boxes_parted, are_within, touch};
use super::motion::{Own, Place, Plan, TICKS, Time, Units};

/// A body by its place in the roster and its triangle, then the partner; the lower one first.
pub(crate) type Pair = [u32; 4];

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) triangles: BTreeMap<u32, [u32; 3]>,
    pub(crate) vertices: usize,
    pub(crate) plan: Plan,
    pub(crate) own: BTreeMap<u32, Own>,
    /// Per vertex, the first one welded to it.
    pub(crate) welded: Vec<u32>,
    pub(crate) self_contact: bool,
    pub(crate) neighbours: bool,
    /// Units.
    pub(crate) thickness: i64,
    pub(crate) category: u64,
    pub(crate) mask: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Change {
    Body(Plan),
    Vertices(Vec<(u32, Own)>),
}

/// A change to come.
#[derive(Clone, Debug)]
pub(crate) struct Scheduled {
    pub(crate) at: i64,
    pub(crate) body: usize,
    pub(crate) change: Change,
    pub(crate) name: kinetree::ChangeId,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) bodies: Vec<Option<Body>>,
    /// Decisions of the host about pairs of bodies, the lower place first.
    pub(crate) watched: BTreeMap<(usize, usize), bool>,
    pub(crate) distances: BTreeMap<(usize, usize), i64>,
    pub(crate) ignored: BTreeSet<Pair>,
    /// Bodies that leave out what touches already.
    pub(crate) ignoring: BTreeSet<usize>,
    /// In the order in which they were given.
    pub(crate) scheduled: Vec<Scheduled>,
}

/// Groups vertices that rest at one place.
pub(crate) fn weld(rest: &[Units]) -> Vec<u32> {
    rest.iter().map(|p| rest.iter().position(|q| p == q).expect("itself") as u32).collect()
}

/// A time in seconds as a number of ticks, if it is whole.
pub(crate) fn whole_ticks(time: f64) -> Option<i64> {
    let ticks = time * TICKS as f64;
    (ticks.fract() == 0.0 && ticks.abs() < 1e12).then_some(ticks as i64)
}

/// A time in seconds, exactly.
fn exact_time(time: f64) -> Time<BigInt> {
    let ticks = num_rational::BigRational::from_float(time * TICKS as f64).expect("a finite time");
    Time { numerator: ticks.numer().clone(), denominator: ticks.denom().clone() }
}

/// Positions over one denominator, seen from the first; doubled, so that distances are whole.
fn common<T: Whole>(places: [[Place<T>; 3]; 2]) -> ([Triangle<T>; 2], T) {
    let gcd = |mut a: T, mut b: T| {
        while !b.is_zero() {
            (a, b) = (b.clone(), a % b);
        }
        a
    };
    let mut whole = T::from(1);
    for place in places.iter().flatten() {
        let shared = gcd(whole.clone(), place.denominator.clone());
        whole = whole * (place.denominator.clone() / shared);
    }
    let whole = whole * T::from(2);
    let points = places.map(|triangle| {
        triangle.map(|place| {
            let factor = whole.clone() / place.denominator.clone();
            place.numerators.map(|x| x * factor.clone())
        })
    });
    let origin = points[0][0].clone();
    let seen = |p: [T; 3]| {
        let [x, y, z] = p;
        [x - origin[0].clone(), y - origin[1].clone(), z - origin[2].clone()]
    };
    (points.map(|triangle| triangle.map(seen)), whole)
}

fn large(triangle: &Triangle<i128>) -> Triangle<BigInt> {
    triangle.map(|point| point.map(BigInt::from))
}

fn decide(a: &Triangle<i128>, b: &Triangle<i128>, distance: i128) -> bool {
    if are_boxes_parted(a, b, &distance) {
        return false;
    }
    let most = a.iter().chain(b).flatten().map(|x| x.abs()).max().unwrap_or(0).max(distance);
    if distance == 0 && most < 1 << 24 {
        touch(a, b)
    } else if most < 1 << 16 {
        are_within(a, b, &distance)
    } else {
        are_within(&large(a), &large(b), &BigInt::from(distance))
    }
}

impl Body {
    pub(crate) fn place<T: Whole + From<i128>>(&self, vertex: u32, time: &Time<T>) -> Place<T> {
        match self.own.get(&vertex) {
            Some(own) => own.place(time),
            None => self.plan.place(vertex as usize, time),
        }
    }

    /// Whether two triangles share a corner, welded ones included.
    pub(crate) fn are_kin(&self, first: u32, second: u32) -> bool {
        let corners = |triangle: u32| self.triangles[&triangle].map(|vertex| self.welded[vertex as usize]);
        corners(first).iter().any(|corner| corners(second).contains(corner))
    }
}

impl Model {
    pub(crate) fn present(&self) -> Vec<usize> {
        (0..self.bodies.len()).filter(|&place| self.bodies[place].is_some()).collect()
    }

    pub(crate) fn body(&self, place: usize) -> &Body {
        self.bodies[place].as_ref().expect("a body that is there")
    }

    pub(crate) fn body_mut(&mut self, place: usize) -> &mut Body {
        self.bodies[place].as_mut().expect("a body that is there")
    }

    fn is_watched(&self, a: usize, b: usize) -> bool {
        let (one, two) = (self.body(a), self.body(b));
        if a == b {
            return one.self_contact;
        }
        let allowed = one.category & two.mask != 0 && two.category & one.mask != 0;
        self.watched.get(&(a, b)).copied().unwrap_or(allowed)
    }

    /// Twice the distance from which triangles of two bodies touch, units.
    fn doubled_distance(&self, a: usize, b: usize) -> i64 {
        let of_both = self.body(a).thickness + self.body(b).thickness;
        self.distances.get(&(a, b)).map_or(of_both, |distance| 2 * distance)
    }

    /// Pairs of bodies, one with itself included, that are tested.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let present = self.present();
        let all = present.iter().flat_map(|&a| present.iter().map(move |&b| (a, b)));
        all.filter(|&(a, b)| a <= b && self.is_watched(a, b)).collect()
    }

    /// Pairs of triangles of two bodies that are at most the pair's distance apart; triangles that
    /// share corners are left out.
    fn touching<T: Whole + From<i128>>(
        &self,
        (a, b): (usize, usize),
        time: &Time<T>,
        decide: impl Fn(&Triangle<T>, &Triangle<T>, T) -> bool,
        found: &mut BTreeSet<Pair>,
    ) {
        let distance = T::from(self.doubled_distance(a, b));
        let corners = |place: usize| -> Vec<(u32, [Place<T>; 3])> {
            let body = self.body(place);
            let corners =
                |(&triangle, corners): (&u32, &[u32; 3])| (triangle, corners.map(|vertex| body.place(vertex, time)));
            body.triangles.iter().map(corners).collect()
        };
        let (of_a, of_b) = (corners(a), corners(b));
        for (p, first) in &of_a {
            for (q, second) in &of_b {
                let pair = [a as u32, *p, b as u32, *q];
                if (a == b && (p >= q || self.body(a).are_kin(*p, *q))) || self.ignored.contains(&pair) {
                    continue;
                }
                let ([first, second], whole) = common([first.clone(), second.clone()]);
                // The distance is doubled as the coordinates are.
                let reach = distance.clone() * (whole / <T as From<i64>>::from(2));
                if decide(&first, &second, reach) {
                    found.insert(pair);
                }
            }
        }
    }

    /// All pairs of triangles that touch at a time, seconds; at a jump, by the old positions.
    pub(crate) fn truth(&self, time: f64) -> BTreeSet<Pair> {
        let mut found = BTreeSet::new();
        for pair in self.pairs() {
            match whole_ticks(time) {
                Some(ticks) => {
                    self.touching(pair, &Time::<i128>::ticks(ticks), decide, &mut found);
                }
                None => self.touching(pair, &exact_time(time), |a, b, d| are_within(a, b, &d), &mut found),
            }
        }
        found
    }

    /// The largest `n` up to 40 for which a pair is at most 2⁻ⁿ units from touching at a time,
    /// seconds.
    pub(crate) fn closeness(&self, pair: Pair, time: f64) -> u32 {
        let (bodies, triangles) = ([pair[0], pair[2]], [pair[1], pair[3]]);
        let time = exact_time(time);
        let places = [0, 1].map(|side| {
            let body = self.body(bodies[side] as usize);
            body.triangles[&triangles[side]].map(|vertex| body.place(vertex, &time))
        });
        let ([a, b], whole) = common(places);
        let fine = |triangle: Triangle<BigInt>| triangle.map(|point| point.map(|x| x << 42));
        let (a, b) = (fine(a), fine(b));
        let distance = BigInt::from(self.doubled_distance(bodies[0] as usize, bodies[1] as usize));
        let reach = (distance * &whole) << 41;
        (1..=40).rev().find(|n| are_within(&a, &b, &(&reach + (&whole << (42 - n))))).unwrap_or(0)
    }

    /// The exponent `n` of the distance from touching, 2⁻ⁿ units, at which rounding may still make
    /// a contact of two bodies over time. Coordinates are rounded to 53 bits, and so are the times
    /// at which moving vertices are evaluated. Volumes of tetrahedra and shallow crossings enlarge
    /// both; of 3,000 scenes the worst factor is 2¹², and 2¹³ is allowed.
    pub(crate) fn least_closeness(&self, pair: Pair, time: f64, offset: i64) -> u32 {
        let speed = |body: u32| {
            let body = self.body(body as usize);
            body.own.values().map(Own::speed).fold(body.plan.speed(), i64::max)
        };
        let travel = time.abs().max(1.0) * speed(pair[0]).max(speed(pair[2])) as f64;
        let size = offset as f64 + 32.0 + travel;
        ((53 - 13) - size.log2().ceil() as u32).min(40)
    }

    /// What a body that is added now and the others leave out: what touches already, if one of the
    /// two bodies says so.
    pub(crate) fn ignore_touching(&mut self, place: usize, says_so: bool, ticks: i64) {
        if says_so {
            self.ignoring.insert(place);
        }
        let mut found = BTreeSet::new();
        let time = Time::<i128>::ticks(ticks);
        let others = self.present();
        for other in others.into_iter().filter(|&other| says_so || (self.ignoring.contains(&other) && other != place)) {
            let pair = (place.min(other), place.max(other));
            self.touching(pair, &time, decide, &mut found);
        }
        self.ignored.extend(found);
    }

    pub(crate) fn remove(&mut self, place: usize) {
        self.bodies[place] = None;
        self.watched.retain(|&(a, b), _| a != place && b != place);
        self.distances.retain(|&(a, b), _| a != place && b != place);
        self.scheduled.retain(|change| change.body != place);
    }

    pub(crate) fn apply(&mut self, body: usize, change: &Change) {
        let body = self.body_mut(body);
        match change {
            Change::Body(plan) => {
                body.plan = plan.clone();
                body.own.clear();
            }
            Change::Vertices(plans) => body.own.extend(plans.iter().cloned()),
        }
    }

    /// Carries out what is scheduled until a time, that time included; returns whether anything
    /// was.
    pub(crate) fn pass(&mut self, until: f64) -> bool {
        let due = |change: &Scheduled| change.at as f64 / TICKS as f64 <= until;
        let mut now: Vec<Scheduled> = self.scheduled.iter().filter(|change| due(change)).cloned().collect();
        self.scheduled.retain(|change| !due(change));
        now.sort_by_key(|change| change.at);
        for change in &now {
            self.apply(change.body, &change.change);
        }
        !now.is_empty()
    }

    /// Whether the library compares two bodies exactly over time: equal key times, velocities from
    /// one time on, or one at rest.
    pub(crate) fn is_exact_over_time(&self, a: usize, b: usize) -> bool {
        let (one, two) = (self.body(a), self.body(b));
        let is_plain = |body: &Body| body.own.is_empty() && !matches!(body.plan, Plan::Sampled(..));
        let is_still = |body: &Body| matches!(body.plan, Plan::Fixed(_));
        let leaves = |body: &Body| match body.plan {
            Plan::Velocities { begin, end: None, .. } => Some(begin),
            _ => None,
        };
        let alike = match (one.plan.key_times(), two.plan.key_times()) {
            (Some(first), Some(second)) => first == second,
            (None, None) => leaves(one).is_some() && leaves(one) == leaves(two),
            _ => false,
        };
        is_plain(one) && is_plain(two) && (a == b || is_still(one) || is_still(two) || alike)
    }
}
