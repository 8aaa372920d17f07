//! The search of a window: stretches of constant status, and the grid cells in which it changes.
//!
//! A stretch is decided as within if some site satisfies all its conditions throughout. It is
//! decided as without sites if every site violates a condition throughout. Then only intersecting
//! triangles can touch. An intersection begins and ends with a touch of sites, so they touch for
//! all of the stretch or not at all.
//!
//! Otherwise, if only one monotone condition per site remains, all of one sense, exact signs pin
//! the end; else the stretch is bisected. If f64 cannot decide, integers continue. Bisection stops
//! at a cell of the 2⁻⁵³ grid: the status at both its sides is known exactly, only that inside is
//! not.

use std::cell::OnceCell;

use super::bounded::{Bernstein, Bounded, Course};
use super::exact::{Bernstein as ExactBernstein, Course as ExactCourse, ExactSite, Whole};
use super::frame::Frame;
use super::reach::Reach;
use super::sites::{ALL, CONDITIONS, Parts, Site};
use super::twice;
use crate::narrow::exact::form::{GRID_BITS, cell_to_f64};
use crate::narrow::exact::integer::Ring;
use crate::narrow::intervals::{ContactInterval, MovingTriangle};

/// Bisections before integers take over: a simple crossing is pinned long before.
const HALVINGS: u32 = 24;
/// Grid cells between the first two exact values of a condition.
const FIRST_STEP: u64 = 4096;
/// Bisections before integers take over from a condition lost in rounding.
const HOPEFUL_HALVINGS: u32 = 5;

/// A part of the window, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Apart,
    Within {
        lo: u64,
        hi: u64,
    },
    /// One grid cell in which the status may change; the status at its upper side follows as a
    /// point.
    Open {
        lo: u64,
    },
    Point {
        at: u64,
        within: bool,
    },
}

/// Conditions of a site that are not known to hold.
#[derive(Clone)]
struct Live {
    parts: Parts,
    values: [Option<Bernstein>; CONDITIONS],
}

/// One condition of one site, monotone over a stretch, and an estimate of its sign change.
struct Crossing {
    parts: Parts,
    condition: usize,
    guess: u64,
}

pub(super) struct Search<'a> {
    a: &'a MovingTriangle,
    b: &'a MovingTriangle,
    reach: Reach,
    /// Whether the first triangle is a point.
    of_point: bool,
    frame: Option<&'a Frame>,
    /// Intervals in which the triangles share a point.
    touching: &'a [ContactInterval],
    whole: OnceCell<Whole>,
    pub(super) parts: Vec<Part>,
    pub(super) exact_signs: u64,
    pub(super) exact_stretches: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        a: &'a MovingTriangle,
        b: &'a MovingTriangle,
        reach: Reach,
        of_point: bool,
        frame: Option<&'a Frame>,
        touching: &'a [ContactInterval],
    ) -> Self {
        Self {
            a,
            b,
            reach,
            of_point,
            frame,
            touching,
            whole: OnceCell::new(),
            parts: Vec::new(),
            exact_signs: 0,
            exact_stretches: 0,
        }
    }

    /// Searches the whole window.
    pub(super) fn run(&mut self) {
        let all = 1 << GRID_BITS;
        let Some(frame) = self.frame else {
            return self.settle(0, all, self.sites().map(|site| site.parts).collect());
        };
        let distant = frame.distant_pairs();
        let [begin, end] = frame.distance;
        let square = if self.reach.is_constant() {
            Bounded::quadratic_constant(begin * begin)
        } else {
            let linear = Bounded::linear(begin, end);
            linear.times(&linear)
        };
        let near = self.sites().filter(|site| distant.iter().all(|set| site.pairs & !set != 0));
        let live = near.filter(|site| !frame.is_site_apart(site.parts)).filter_map(|site| {
            let conditions = site.parts.conditions(&square, |p, q| frame.difference(self.a, self.b, p, q));
            let flat = conditions.guard.is_some_and(|guard| guard.bernstein().course() == Course::Hopeless);
            if flat && self.whole().stretch(0, all).is_degenerate(site.parts) {
                return None;
            }
            Some(Live { parts: site.parts, values: conditions.values.map(|value| value.map(|form| form.bernstein())) })
        });
        let live = live.collect();
        self.filter(0, all, live, 0);
    }

    /// The sites of the pair.
    fn sites(&self) -> impl Iterator<Item = &'static Site> + use<> {
        let of_point = self.of_point;
        ALL.iter().filter(move |site| !of_point || site.parts.is_of_point())
    }

    fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| Whole::new(self.a, self.b, self.reach))
    }

    /// Whether the triangles share a point at a grid instant.
    fn touches(&self, cell: u64) -> bool {
        let s = cell_to_f64(cell);
        self.touching.iter().any(|i| i.begin.hi <= s && s <= i.end.lo)
    }

    /// Whether the triangles share a point throughout.
    fn touches_throughout(&self, lo: u64, hi: u64) -> bool {
        let (lo, hi) = (cell_to_f64(lo), cell_to_f64(hi));
        self.touching.iter().any(|i| i.begin.hi <= lo && hi <= i.end.lo)
    }

    fn within(&mut self, lo: u64, hi: u64) {
        self.parts.push(Part::Within { lo, hi });
    }

    /// Decides a stretch without sites: intersecting throughout, or apart.
    fn without_sites(&mut self, lo: u64, hi: u64) {
        if self.touches_throughout(lo, hi) { self.within(lo, hi) } else { self.parts.push(Part::Apart) }
    }

    /// Searches a stretch in f64; all proofs include its ends.
    fn filter(&mut self, lo: u64, hi: u64, mut live: Vec<Live>, halvings: u32) {
        if self.touches_throughout(lo, hi) {
            return self.within(lo, hi);
        }
        let mut hopeless = false;
        let mut certain = false;
        let mut senses = [0, 0];
        let mut single = true;
        live.retain_mut(|site| {
            let mut left = 0;
            let mut sense = None;
            for slot in &mut site.values {
                let Some(value) = slot else { continue };
                match value.course() {
                    Course::Holds => {
                        *slot = None;
                        continue;
                    }
                    Course::Fails => return false,
                    Course::Rises => sense = Some(0),
                    Course::Falls => sense = Some(1),
                    Course::Unknown => sense = None,
                    Course::Hopeless => {
                        sense = None;
                        hopeless = true;
                    }
                }
                left += 1;
            }
            certain |= left == 0;
            single &= left == 1 && sense.is_some();
            if let Some(sense) = sense {
                senses[sense] += 1;
            }
            true
        });
        if certain {
            return self.within(lo, hi);
        }
        if live.is_empty() {
            return self.without_sites(lo, hi);
        }
        if single && (senses[0] == 0 || senses[1] == 0) {
            let crossings = live.iter().filter_map(|site| {
                let (condition, value) = site.values.iter().enumerate().find_map(|(k, v)| v.map(|v| (k, v)))?;
                let guess = lo + ((hi - lo) as f64 * value.crossing()) as u64;
                Some(Crossing { parts: site.parts, condition, guess: guess.clamp(lo, hi) })
            });
            let crossings: Vec<_> = crossings.collect();
            return self.pin(lo, hi, &crossings, senses[1] == 0);
        }
        if hi - lo == 1 || halvings >= HALVINGS || (hopeless && halvings >= HOPEFUL_HALVINGS) {
            return self.settle(lo, hi, live.iter().map(|site| site.parts).collect());
        }
        let middle = lo + (hi - lo) / 2;
        let right = live.clone().into_iter().map(|mut site| {
            site.values = site.values.map(|value| value.map(|value| value.halves()[1]));
            site
        });
        let right: Vec<_> = right.collect();
        for value in live.iter_mut().flat_map(|site| site.values.iter_mut()).flatten() {
            *value = value.halves()[0];
        }
        self.filter(lo, middle, live, halvings + 1);
        self.filter(middle, hi, right, halvings + 1);
    }

    /// The largest exact sign of the conditions at a grid instant, and the first condition's value,
    /// rounded.
    fn sign(&mut self, cell: u64, crossings: &[Crossing]) -> (i32, f64) {
        let mut instant = None;
        let (mut best, mut rounded) = (-1, 0.0);
        for (k, crossing) in crossings.iter().enumerate() {
            let Crossing { parts, condition, .. } = *crossing;
            let twice = self
                .frame
                .and_then(|frame| twice::condition(frame, self.a, self.b, parts, condition, cell_to_f64(cell)));
            let sign = twice.and_then(|value| value.sign()).unwrap_or_else(|| {
                self.exact_signs += 1;
                instant.get_or_insert_with(|| self.whole().instant(cell)).sign(parts, condition)
            });
            best = best.max(sign);
            if k == 0 {
                rounded = twice.map_or(0.0, |value| value.rounded());
            }
            if best == 1 {
                break;
            }
        }
        (best, rounded)
    }

    /// Pins the end in a stretch in which the pair is within exactly while one of the conditions,
    /// all rising or all falling, is at least zero.
    fn pin(&mut self, lo: u64, hi: u64, crossings: &[Crossing], rising: bool) {
        let (first, last) = if rising { (lo, hi) } else { (hi, lo) };
        // Intersecting triangles at the far side stay within: they can part only through the sites.
        if self.touches(first) || self.sign(first, crossings).0 >= 0 {
            return self.within(lo, hi);
        }
        let (mut sign_inside, _) = self.sign(last, crossings);
        if sign_inside < 0 {
            return self.parts.push(Part::Apart);
        }
        let guesses = crossings.iter().map(|crossing| crossing.guess);
        let mut guess = if rising { guesses.min() } else { guesses.max() }.unwrap_or(lo);
        // `outside` has negative signs, `inside` has not. Guesses extrapolate the last two values,
        // which lie on a line up to rounding; if they do not help, the bracket is bisected.
        let (mut outside, mut inside) = (first, last);
        let mut previous: Option<(u64, f64)> = None;
        let mut trials = 0;
        while outside.abs_diff(inside) > 1 {
            let (low, high) = (outside.min(inside), outside.max(inside));
            if guess <= low || guess >= high || trials > 12 {
                guess = low + (high - low) / 2;
            }
            trials += 1;
            let (sign, value) = self.sign(guess, crossings);
            if sign >= 0 {
                (inside, sign_inside) = (guess, sign);
            } else {
                outside = guess;
            }
            let up = (sign >= 0) != rising;
            let slope = previous.map_or(0.0, |(at, before)| (value - before) / (guess as f64 - at as f64));
            previous = Some((guess, value));
            let step = if slope == 0.0 { FIRST_STEP as f64 } else { (value / slope).abs() };
            let step = (step as u64).saturating_add(1);
            guess = if up { guess.saturating_add(step) } else { guess.saturating_sub(step) };
        }
        let exactly = sign_inside == 0;
        let (low, high) = (outside.min(inside), outside.max(inside));
        let change = [
            Part::Point { at: low, within: !rising },
            Part::Open { lo: low },
            Part::Point { at: high, within: rising },
        ];
        if rising {
            self.parts.push(Part::Apart);
        } else {
            self.within(lo, low);
        }
        if exactly {
            self.parts.push(Part::Point { at: inside, within: true });
        } else {
            self.parts.extend(change);
        }
        if rising {
            self.within(high, hi);
        } else {
            self.parts.push(Part::Apart);
        }
    }

    /// Searches a stretch in integers: its ends are decided, its inside is searched.
    fn settle(&mut self, lo: u64, hi: u64, sites: Vec<Parts>) {
        match self.frame.and_then(|frame| frame.prove(cell_to_f64(lo), cell_to_f64(hi))) {
            Some(true) => return self.within(lo, hi),
            Some(false) => return self.parts.push(Part::Apart),
            None => {}
        }
        self.exact_stretches += 1;
        let stretch = self.whole().stretch(lo, hi);
        let live: Vec<ExactSite> = sites.into_iter().filter_map(|parts| stretch.site(parts)).collect();
        let at_end = |end: usize| {
            live.iter().any(|site| {
                let holds = site.values.iter().all(|(_, value)| value.end_signs()[end] >= 0);
                holds && site.guard.as_ref().is_none_or(|guard| guard.end_signs()[end] > 0)
            })
        };
        let ends = [at_end(0) || self.touches(lo), at_end(1) || self.touches(hi)];
        self.parts.push(Part::Point { at: lo, within: ends[0] });
        self.search(lo, hi, live);
        self.parts.push(Part::Point { at: hi, within: ends[1] });
    }

    /// Searches half of a stretch in integers, without its ends.
    fn descend(&mut self, lo: u64, hi: u64, live: Vec<ExactSite>) {
        if self.touches_throughout(lo, hi) {
            return self.within(lo, hi);
        }
        match self.frame.and_then(|frame| frame.prove(cell_to_f64(lo), cell_to_f64(hi))) {
            Some(true) => self.within(lo, hi),
            Some(false) => self.parts.push(Part::Apart),
            None => self.search(lo, hi, live),
        }
    }

    /// Searches the inside of a stretch, without its ends.
    fn search(&mut self, lo: u64, hi: u64, mut live: Vec<ExactSite>) {
        let mut single = true;
        let mut senses = [0, 0];
        let mut certain = false;
        live.retain_mut(|site| {
            let mut sense = None;
            let mut fails = false;
            site.values.retain(|(_, value)| {
                let course = value.course();
                match course {
                    ExactCourse::Fails => fails = true,
                    ExactCourse::Rises => sense = Some(0),
                    ExactCourse::Falls => sense = Some(1),
                    ExactCourse::Unknown => sense = None,
                    ExactCourse::Holds => {}
                }
                course != ExactCourse::Holds
            });
            if fails {
                return false;
            }
            certain |= site.values.is_empty();
            single &= site.values.len() == 1 && sense.is_some();
            if let Some(sense) = sense {
                senses[sense] += 1;
            }
            true
        });
        if certain {
            return self.within(lo, hi);
        }
        if live.is_empty() {
            return self.without_sites(lo, hi);
        }
        if hi - lo == 1 {
            return self.parts.push(Part::Open { lo });
        }
        let middle = lo + (hi - lo) / 2;
        if single && (senses[0] == 0 || senses[1] == 0) {
            let crossings: Vec<_> = live
                .iter()
                .map(|site| Crossing { parts: site.parts, condition: site.values[0].0, guess: middle })
                .collect();
            return self.pin(lo, hi, &crossings, senses[1] == 0);
        }
        self.exact_stretches += 1;
        let mut at_middle = self.touches(middle);
        let mut right = Vec::with_capacity(live.len());
        for site in &mut live {
            let mut holds = true;
            let guard = site.guard.take().map(ExactBernstein::halves);
            let values = std::mem::take(&mut site.values);
            let mut other = ExactSite { parts: site.parts, values: Vec::with_capacity(values.len()), guard: None };
            if let Some([left, last]) = guard {
                holds &= last.end_signs()[0] > 0;
                (site.guard, other.guard) = (Some(left), Some(last));
            }
            for (k, value) in values {
                let [left, last] = value.halves();
                holds &= last.end_signs()[0] >= 0;
                site.values.push((k, left));
                other.values.push((k, last));
            }
            at_middle |= holds;
            right.push(other);
        }
        self.descend(lo, middle, live);
        self.parts.push(Part::Point { at: middle, within: at_middle });
        self.descend(middle, hi, right);
    }
}
