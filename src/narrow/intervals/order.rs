//! Roots of several minors on one time line, in exact order.
//!
//! Most roots come as f64 brackets that do not overlap: sorting them is enough. Those that overlap are **pinned**: narrowed by
//! exact signs to one cell of the 2⁻⁵³ grid, or to a grid point. Roots still in one cell are compared as algebraic
//! numbers; equal ones form one instant. The ends of contact intervals are pinned too, so a reported time does not
//! depend on how its root was found.

use std::cmp::Ordering;

use super::minors::Level;
use super::pair::Pair;
use super::roots::Approximate;
use crate::narrow::exact::form::{Dyadic, Form, GRID_BITS, cell_to_f64};
use crate::narrow::exact::root::{ExactRoot, isolate};

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
    /// Whether `lo ..= hi` is a grid cell or point already.
    pinned: bool,
    source: Source,
}

/// Where the root's definition is.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The minor, without its roots at the window's ends, has only this root strictly between these numbers.
    Bracket(f64, f64),
    /// A place in [`Roots::exact`].
    Exact(usize),
}

/// The roots of one level.
pub(crate) struct Roots<'a> {
    pair: &'a Pair<'a>,
    level: Level,
    pub(crate) all: Vec<Root>,
    exact: Vec<ExactRoot>,
}

/// What an exact look at one minor found besides its roots inside the window.
pub(crate) struct Course {
    /// Sign just after the window's begin; 0 if the minor vanishes for all time.
    pub(crate) sign: i32,
    pub(crate) zero_at_begin: bool,
    pub(crate) zero_at_end: bool,
}

impl<'a> Roots<'a> {
    pub(crate) fn new(pair: &'a Pair<'a>, level: Level) -> Self {
        Self { pair, level, all: Vec::new(), exact: Vec::new() }
    }

    /// Adds the roots of a minor, from f64 coefficients if they are clear enough, else from exact ones.
    pub(crate) fn add(&mut self, minor: usize, approximate: &Approximate) -> Course {
        if let Ok(brackets) = approximate.isolate() {
            self.add_brackets(minor, &brackets);
            return Course {
                sign: if approximate.coefficients[0] > 0.0 { 1 } else { -1 },
                zero_at_begin: false,
                zero_at_end: false,
            };
        }
        let Some(form) = self.pair.form(self.level, minor) else {
            return Course { sign: 0, zero_at_begin: true, zero_at_end: true };
        };
        let stripped = form.strip();
        let core = stripped.core;
        if core.degree() > 0 {
            match rounded(&core).isolate() {
                Ok(brackets) => self.add_brackets(minor, &brackets),
                Err(_) => self.add_exact(minor, &core),
            }
        }
        Course { sign: core.first_sign(), zero_at_begin: stripped.zero_at_begin, zero_at_end: stripped.zero_at_end }
    }

    fn add_brackets(&mut self, minor: usize, brackets: &super::roots::Brackets) {
        let roots = brackets.as_slice().iter().map(|bracket| Root {
            lo: bracket.lo,
            hi: bracket.hi,
            minor,
            odd: true,
            pinned: false,
            source: Source::Bracket(bracket.lo, bracket.hi),
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
            Source::Bracket(..) if root.lo == root.hi => ExactRoot::Point(Dyadic::from_f64(root.lo)),
            Source::Bracket(lo, hi) => {
                let (lo, hi) = (Dyadic::from_f64(lo), Dyadic::from_f64(hi));
                // A minor that has a bracketed root is not zero for all time.
                match self.pair.form(self.level, root.minor) {
                    Some(form) => ExactRoot::Between { form: form.strip().core, lo, hi },
                    None => ExactRoot::Point(lo),
                }
            }
        }
    }

    /// Narrows a root to a cell or point of the 2⁻⁵³ grid.
    pub(crate) fn pin(&mut self, place: usize) -> (f64, f64) {
        let root = self.all[place];
        if root.pinned {
            return (root.lo, root.hi);
        }
        let (lo, hi) = pinned(&self.exact(&root));
        let slot = &mut self.all[place];
        slot.pinned = true;
        (slot.lo, slot.hi) = (lo, hi);
        (lo, hi)
    }

    /// Sorts all roots; the result says for each whether it equals the one before it.
    pub(crate) fn sort(&mut self) -> Vec<bool> {
        loop {
            self.all.sort_unstable_by(|a, b| {
                (a.lo, a.hi, a.minor).partial_cmp(&(b.lo, b.hi, b.minor)).unwrap_or(Ordering::Equal)
            });
            let mut pinned_any = false;
            for i in 0..self.all.len() {
                for j in i + 1..self.all.len() {
                    let (a, b) = (self.all[i], self.all[j]);
                    if b.lo >= a.hi {
                        break;
                    }
                    if !(a.pinned && b.pinned) {
                        self.pin(i);
                        self.pin(j);
                        pinned_any = true;
                    }
                }
            }
            if !pinned_any {
                break;
            }
        }
        // Cells are disjoint or equal by now: only neighbours can be out of order.
        for i in 1..self.all.len() {
            for j in (0..i).rev() {
                if self.compare(j, j + 1).is_le() {
                    break;
                }
                self.all.swap(j, j + 1);
            }
        }
        (0..self.all.len()).map(|i| i > 0 && self.compare(i - 1, i).is_eq()).collect()
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

/// The grid cell that holds a root strictly inside, or the grid point that is the root.
fn pinned(root: &ExactRoot) -> (f64, f64) {
    let (form, lo, hi) = match root {
        ExactRoot::Point(point) => {
            let (cell, on_grid) = point.cell();
            return (cell_to_f64(cell), cell_to_f64(cell + u64::from(!on_grid)));
        }
        ExactRoot::Between { form, lo, hi } => (form, lo, hi),
    };
    let sign_before = form.sign_at(lo);
    let (mut low, _) = lo.cell();
    let (mut high, on_grid) = hi.cell();
    high += u64::from(!on_grid);
    if high - low > 1 {
        let guess = rounded(form).guess(cell_to_f64(low), cell_to_f64(high), sign_before < 0);
        let mut probe = (guess.0 * (1_u64 << GRID_BITS) as f64) as u64;
        let mut step = 1;
        let mut sides = 0;
        while high - low > 1 {
            probe = probe.clamp(low + 1, high - 1);
            let sign = form.sign_at(&Dyadic::from_cell(probe));
            if sign == 0 {
                return (cell_to_f64(probe), cell_to_f64(probe));
            }
            // Away from the guess in growing steps until the root is between two probes, then by halves.
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
