//! Roots of several minors on one time line, in exact order.
//!
//! Most roots are f64 brackets that do not overlap; sorting them suffices. Overlapping ones are
//! **pinned**: exact signs narrow them to one cell of the 2⁻⁵³ grid, or to a grid point. Roots
//! still in one cell are compared as algebraic numbers; equal ones form one instant. The ends of
//! contact intervals are pinned too, so a reported time does not depend on the path to its root.

use std::cell::Cell;
use std::cmp::Ordering;

use super::minors::Level;
use super::pair::Pair;
use super::roots::{Approximate, Bracket, Brackets, FINE};
use crate::narrow::exact::form::{Dyadic, Form, GRID_BITS, cell_to_f64};
use crate::narrow::exact::root::{ExactRoot, isolate};
use crate::narrow::exact::small::SmallForm;

/// Relative error of coefficients rounded from exact ones, of which the largest is at most 1: 4 u.
const ROUNDED_ERROR: f64 = 2.0 * f64::EPSILON;

/// A root of one minor inside the open window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    /// The root lies strictly between, or `lo == hi` is the root.
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    pub(crate) minor: usize,
    /// Whether the minor changes sign.
    pub(crate) odd: bool,
    /// Whether it equals the previous root, once sorted.
    pub(crate) equals_previous: bool,
    /// Whether `lo ..= hi` is already a grid cell or point.
    pinned: bool,
    source: Source,
}

/// The definition of a root.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The minor, without its roots at the window's ends, has only this root strictly between these
    /// numbers.
    Bracket(Bracket),
    /// An index into [`Roots::exact`].
    Exact(usize),
}

impl Root {
    fn comes_before(&self, other: &Self) -> bool {
        (self.lo, self.hi, self.minor) < (other.lo, other.hi, other.minor)
    }
}

thread_local! {
    /// Room of the roots that this thread solved last: most decisions have some, and few keep them.
    static ROOM: Cell<Vec<Root>> = const { Cell::new(Vec::new()) };
}

/// The roots of one level.
pub(crate) struct Roots<'a> {
    pair: &'a Pair<'a>,
    level: Level,
    pub(crate) all: Vec<Root>,
    /// Requested width of f64 brackets.
    resolution: f64,
    exact: Vec<ExactRoot>,
}

impl Drop for Roots<'_> {
    fn drop(&mut self) {
        ROOM.set(std::mem::take(&mut self.all));
    }
}

/// Results of the exact evaluation of one minor, besides its roots inside the window.
pub(crate) struct Course {
    /// Sign just after the window's begin; 0 if the minor vanishes for all time.
    pub(crate) sign: i32,
    pub(crate) zero_at_begin: bool,
    pub(crate) zero_at_end: bool,
    /// Whether the minor has one sign over the whole closed window.
    pub(crate) is_constant: bool,
}

impl<'a> Roots<'a> {
    pub(crate) fn new(pair: &'a Pair<'a>, level: Level, resolution: f64) -> Self {
        let mut all = ROOM.take();
        all.clear();
        Self { pair, level, all, resolution, exact: Vec::new() }
    }

    /// Adds the roots of a minor, from f64 coefficients if these are decisive, else from exact
    /// ones.
    pub(crate) fn add(&mut self, minor: usize, approximate: &Approximate) -> Course {
        if let Ok(brackets) = approximate.isolate(self.resolution) {
            self.add_brackets(minor, &brackets);
            return Course {
                sign: if approximate.coefficients[0] > 0.0 { 1 } else { -1 },
                zero_at_begin: false,
                zero_at_end: false,
                is_constant: brackets.as_slice().is_empty(),
            };
        }
        let Some(form) = self.pair.form(self.level, minor) else {
            return Course { sign: 0, zero_at_begin: true, zero_at_end: true, is_constant: true };
        };
        let stripped = form.strip();
        let core = stripped.core;
        let before = self.all.len();
        if core.degree() > 0 {
            match rounded(&core).isolate(self.resolution) {
                Ok(brackets) => self.add_brackets(minor, &brackets),
                Err(_) => self.add_exact(minor, &core),
            }
        }
        Course {
            sign: core.first_sign(),
            zero_at_begin: stripped.zero_at_begin,
            zero_at_end: stripped.zero_at_end,
            is_constant: self.all.len() == before && !stripped.zero_at_begin && !stripped.zero_at_end,
        }
    }

    fn add_brackets(&mut self, minor: usize, brackets: &Brackets) {
        let roots = brackets.as_slice().iter().map(|bracket| Root {
            lo: bracket.lo,
            hi: bracket.hi,
            minor,
            odd: true,
            equals_previous: false,
            pinned: false,
            source: Source::Bracket(*bracket),
        });
        self.all.extend(roots);
    }

    fn add_exact(&mut self, minor: usize, core: &Form) {
        for found in isolate(core) {
            let mut root = Root {
                lo: 0.0,
                hi: 1.0,
                minor,
                odd: found.odd,
                equals_previous: false,
                pinned: false,
                source: Source::Exact(self.exact.len()),
            };
            (root.lo, root.hi) = pinned(&found.root);
            root.pinned = true;
            self.exact.push(found.root);
            self.all.push(root);
        }
    }

    /// The root as an algebraic number.
    pub(crate) fn exact(&self, root: &Root) -> ExactRoot {
        match root.source {
            Source::Exact(place) => self.exact[place].clone(),
            Source::Bracket(_) if root.lo == root.hi => ExactRoot::Point(Dyadic::from_f64(root.lo)),
            Source::Bracket(bracket) => {
                let (lo, hi) = (Dyadic::from_f64(bracket.lo), Dyadic::from_f64(bracket.hi));
                // A minor that has a bracketed root is not zero for all time.
                match self.pair.form(self.level, root.minor) {
                    Some(form) => ExactRoot::Between { form: form.strip().core, lo, hi },
                    None => ExactRoot::Point(lo),
                }
            }
        }
    }

    /// Narrows a root to a cell or point of the 2⁻⁵³ grid.
    pub(crate) fn pin(&mut self, place: usize) -> [f64; 2] {
        let root = self.all[place];
        if root.pinned {
            return [root.lo, root.hi];
        }
        let small = match root.source {
            Source::Bracket(bracket) => {
                self.pair.small_form(self.level, root.minor).map(|form| pinned_small(&form, bracket))
            }
            Source::Exact(_) => None,
        };
        let (lo, hi) = small.unwrap_or_else(|| pinned(&self.exact(&root)));
        let slot = &mut self.all[place];
        slot.pinned = true;
        (slot.lo, slot.hi) = (lo, hi);
        [lo, hi]
    }

    /// Sorts all roots and marks equal ones.
    pub(crate) fn sort(&mut self) {
        loop {
            // Few roots: insertion sort.
            for i in 1..self.all.len() {
                let root = self.all[i];
                let mut place = i;
                while place > 0 && root.comes_before(&self.all[place - 1]) {
                    self.all[place] = self.all[place - 1];
                    place -= 1;
                }
                self.all[place] = root;
            }
            let mut overlap = false;
            let mut pinned_any = false;
            for i in 0..self.all.len() {
                for j in i + 1..self.all.len() {
                    let (a, b) = (self.all[i], self.all[j]);
                    if b.lo > a.hi || (b.lo == a.hi && a.lo < a.hi) {
                        break;
                    }
                    overlap = true;
                    if !(a.pinned && b.pinned) {
                        self.pin(i);
                        self.pin(j);
                        pinned_any = true;
                    }
                }
            }
            if !overlap {
                return;
            }
            if !pinned_any {
                break;
            }
        }
        // Brackets are now disjoint or the same cell: only neighbours can be out of order.
        for i in 1..self.all.len() {
            let mut place = i;
            let mut order = self.compare(place - 1, place);
            while order.is_gt() {
                self.all.swap(place - 1, place);
                place -= 1;
                if place == 0 {
                    break;
                }
                order = self.compare(place - 1, place);
            }
            self.all[place].equals_previous = order.is_eq();
        }
    }

    fn compare(&self, i: usize, j: usize) -> Ordering {
        let (a, b) = (&self.all[i], &self.all[j]);
        let points = a.lo == a.hi && b.lo == b.hi;
        if points {
            return a.lo.total_cmp(&b.lo);
        }
        if a.hi <= b.lo {
            return Ordering::Less;
        }
        if b.hi <= a.lo {
            return Ordering::Greater;
        }
        self.pair.count_algebraic();
        self.exact(a).compare(&self.exact(b))
    }
}

fn rounded(core: &Form) -> Approximate {
    Approximate { coefficients: core.approximate(), degree: core.degree(), error: ROUNDED_ERROR }
}

/// The grid cell that contains a root strictly inside, or the grid point that is the root.
pub(crate) fn pinned(root: &ExactRoot) -> (f64, f64) {
    let (form, lo, hi) = match root {
        ExactRoot::Point(point) => {
            let (cell, on_grid) = point.cell();
            return (cell_to_f64(cell), cell_to_f64(cell + u64::from(!on_grid)));
        }
        ExactRoot::Between { form, lo, hi } => (form, lo, hi),
    };
    let sign_before = form.sign_at(lo);
    let (low, _) = lo.cell();
    let (high, on_grid) = hi.cell();
    let high = high + u64::from(!on_grid);
    let guess = || {
        let (from, to) = (cell_to_f64(low), cell_to_f64(high));
        rounded(form).guess(from, to, sign_before < 0, FINE).at
    };
    narrow(low, high, sign_before, guess, |cell| form.sign_at(&Dyadic::from_cell(cell)))
}

/// Pins a bracketed root of a small form.
fn pinned_small(form: &SmallForm, bracket: Bracket) -> (f64, f64) {
    let approximate = Approximate { coefficients: form.approximate(), degree: form.degree(), error: 0.0 };
    let low = (bracket.lo * CELLS) as u64;
    let high = (bracket.hi * CELLS).ceil() as u64;
    let guess = || approximate.guess(bracket.lo, bracket.hi, bracket.rising, FINE).at;
    let power = form.power_basis();
    let sign_before = if bracket.rising { -1 } else { 1 };
    narrow(low, high, sign_before, guess, |cell| power.sign_at(cell))
}

/// Number of cells in the window.
const CELLS: f64 = (1_u64 << GRID_BITS) as f64;

/// Narrows the grid points `low .. high` around a sign change by exact signs at points between.
fn narrow(
    mut low: u64,
    mut high: u64,
    sign_before: i32,
    guess: impl Fn() -> f64,
    sign_at: impl Fn(u64) -> i32,
) -> (f64, f64) {
    if high - low > 1 {
        let mut probe = (guess() * CELLS) as u64;
        let mut step = 1;
        let mut sides = 0;
        while high - low > 1 {
            probe = probe.clamp(low + 1, high - 1);
            let sign = sign_at(probe);
            if sign == 0 {
                return (cell_to_f64(probe), cell_to_f64(probe));
            }
            // Steps away from the guess, growing until the root is between two probes; then
            // bisection.
            if sign == sign_before {
                low = probe;
                sides |= 1;
                probe = probe.saturating_add(step);
            } else {
                high = probe;
                sides |= 2;
                probe = probe.saturating_sub(step);
            }
            step = step.saturating_mul(4);
            if sides == 3 {
                probe = u64::midpoint(low, high);
            }
        }
    }
    (cell_to_f64(low), cell_to_f64(high))
}
