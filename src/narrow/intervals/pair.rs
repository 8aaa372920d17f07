//! One pair of moving simplices, and the exact decision at a single instant.

use std::cell::{Cell, OnceCell};

use super::cubics;
use super::minors::{Family, Level, Points};
use super::tables::{POINTS, Shape, Status, Table};
use crate::narrow::exact::form::{Dyadic, Form};
use crate::narrow::exact::grid::Grid;
use crate::narrow::exact::root::ExactRoot;
use crate::narrow::exact::small::SmallForm;

/// Every level, in order of rank.
pub(crate) const LEVELS: [Level; 7] =
    [Level::Space, Level::Plane(0), Level::Plane(1), Level::Plane(2), Level::Line(0), Level::Line(1), Level::Line(2)];

/// A pair and, once needed, its points on an integer grid.
pub(crate) struct Pair<'a> {
    pub(crate) shape: &'static Shape,
    pub(crate) points: &'a Points<'a>,
    grid: OnceCell<Grid>,
    exact_minors: Cell<u64>,
    algebraic: Cell<u64>,
}

/// An instant, in f64 and exactly.
pub(crate) struct Moment<'m> {
    /// The instant lies strictly between, or `lo == hi` is the instant.
    pub(crate) lo: f64,
    pub(crate) hi: f64,
    /// The instant exactly, unless it is the f64 number `lo`.
    pub(crate) exact: Option<&'m dyn Fn() -> ExactRoot>,
}

impl Moment<'_> {
    /// An f64 number as an instant.
    pub(crate) fn at(s: f64) -> Self {
        Self { lo: s, hi: s, exact: None }
    }

    fn exact(&self) -> ExactRoot {
        match self.exact {
            Some(exact) => exact(),
            None => ExactRoot::Point(Dyadic::from_f64(self.lo)),
        }
    }
}

/// The status at an instant, and the vertices that carry a contact.
pub(crate) struct Decision {
    pub(crate) touching: bool,
    pub(crate) support: u8,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(shape: &'static Shape, points: &'a Points) -> Self {
        Self { shape, points, grid: OnceCell::new(), exact_minors: Cell::new(0), algebraic: Cell::new(0) }
    }

    pub(crate) fn table(&self, level: Level) -> &'static Table {
        match level {
            Level::Space => &self.shape.space,
            Level::Plane(_) => &self.shape.plane,
            Level::Line(_) => &self.shape.line,
        }
    }

    /// The exact minor; `None` if it vanishes for all time.
    pub(crate) fn form(&self, level: Level, minor: usize) -> Option<Form> {
        self.exact_minors.set(self.exact_minors.get() + 1);
        let table = self.table(level);
        self.grid().minor(&table.minors[minor][..table.rank], level.axes())
    }

    /// The exact minor in fixed width, if it fits and is not zero for all time.
    pub(crate) fn small_form(&self, level: Level, minor: usize) -> Option<SmallForm> {
        self.exact_minors.set(self.exact_minors.get() + 1);
        let table = self.table(level);
        self.grid().small_minor(&table.minors[minor][..table.rank], level.axes())
    }

    fn grid(&self) -> &Grid {
        self.grid.get_or_init(|| Grid::new(&self.points.begin, &self.points.end))
    }

    pub(crate) fn count_algebraic(&self) {
        self.algebraic.set(self.algebraic.get() + 1);
    }

    /// The number of exact minors formed, and of decisions that needed algebraic numbers.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.exact_minors.get(), self.algebraic.get())
    }

    /// The first point of each simplex, as bits.
    pub(crate) fn first_points(&self) -> u8 {
        1 | 1 << self.shape.first
    }

    /// Decides an instant from the levels that `accept` admits, in order of rank.
    pub(crate) fn decide(&self, moment: &Moment<'_>, accept: impl Fn(Level) -> bool) -> Decision {
        for level in LEVELS.into_iter().filter(|&level| accept(level)) {
            let table = self.table(level);
            let mut signs = if moment.lo == moment.hi {
                self.points.signs_at(level, table, moment.lo)
            } else {
                Family::new(self.points, table, level).signs_within(table, moment.lo, moment.hi)
            };
            let mut status = table.status(signs);
            if status == Status::Unknown {
                let relevant = table.relevant(signs);
                let root = moment.exact();
                for k in (0..table.minor_count).filter(|k| relevant >> k & 1 == 1) {
                    let sign = self.form(level, k).map_or(0, |form| {
                        if let ExactRoot::Between { .. } = root {
                            self.count_algebraic();
                        }
                        root.sign_of(&form)
                    });
                    signs.settle(k, sign);
                }
                status = table.status(signs);
            }
            match status {
                Status::LowerRank => {}
                Status::Touching => {
                    return Decision { touching: true, support: table.support(signs).unwrap_or(self.first_points()) };
                }
                Status::Apart | Status::Unknown => {
                    return Decision { touching: false, support: 0 };
                }
            }
        }
        // All points coincide.
        Decision { touching: true, support: self.first_points() }
    }

    /// The minors of a level over the window.
    #[inline(always)]
    pub(crate) fn family(&self, level: Level) -> Family {
        if level == Level::Space && self.shape.points == POINTS {
            cubics::family(self.points)
        } else {
            Family::new(self.points, self.table(level), level)
        }
    }
}
