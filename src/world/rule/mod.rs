//! What counts as contact between two bodies, or within one: which pairs of triangles, and from
//! which distance.

pub(crate) mod instant;
pub(crate) mod spheres;

use std::collections::BTreeSet;

use crate::limits;
use crate::mesh::{Mesh, Seams};
use crate::narrow::intervals::{ContactInterval, FirstTouch, IntervalStats, MovingTriangle, contact_intervals};
use crate::narrow::proximity::{apart_until, first_nearness, proximity_intervals, triangles_within};
use crate::narrow::{ContactRule, neighbour_intervals, neighbours_touch, triangles_touch};
use crate::time::Moment;
use crate::world::rule::instant::{Instant, Side};
use crate::world::rule::spheres::{Solid, SpheresAt};

/// The triangles of a body, for tests of the body against itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'a> {
    pub(crate) mesh: &'a Mesh,
    /// Which corners are one point, if the body is tested against itself.
    pub(crate) seams: Option<&'a Seams>,
    /// Whether triangles that share a corner are tested for what else they share.
    pub(crate) neighbours: bool,
}

/// The rule of one pair of bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairRule<'a> {
    pub(crate) is_self: bool,
    /// From which distance triangles count as touching, metres.
    distance: f64,
    ignored: &'a BTreeSet<(u32, u32)>,
    /// Of a body with itself: its triangles and which corners are one point.
    surface: Option<(&'a [[u32; 3]], &'a Seams)>,
    /// Whether triangles that share a corner are tested for what else they share.
    neighbours: bool,
    /// Meshes of which triangles were taken out, for finders that visit all numbers.
    gaps: [Option<&'a Mesh>; 2],
    /// Of bodies made of spheres, these at the time in question.
    spheres: [Option<SpheresAt<'a>>; 2],
    /// Where corners are evaluated with a rounding, both bodies at the time in question.
    instant: Option<Instant<'a>>,
}

/// How far triangles may be from where they are said to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Uncertainty {
    /// They are there.
    None,
    /// A number of metres, by rounding.
    Rounding(f64),
    /// A number of metres, because their path is curved.
    Path(f64),
}

impl Uncertainty {
    fn metres(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Rounding(by) | Self::Path(by) => by,
        }
    }
}

/// The common corners of two triangles: which of the first is which of the second.
pub(crate) type Common = Vec<(usize, usize)>;

impl<'a> PairRule<'a> {
    /// The rule of two bodies, or of one with itself, whose triangles touch from a distance,
    /// metres. `surface` is that of the first.
    pub(crate) fn new(is_self: bool, surface: Surface<'a>, distance: f64, ignored: &'a BTreeSet<(u32, u32)>) -> Self {
        let Surface { mesh, seams, neighbours } = surface;
        let surface = seams.filter(|_| is_self).map(|seams| (mesh.triangles(), seams));
        let (gaps, spheres) = ([None; 2], [None; 2]);
        // Of two bodies, none are neighbours.
        let neighbours = neighbours && is_self;
        Self { is_self, distance, ignored, surface, neighbours, gaps, spheres, instant: None }
    }

    /// The same rule for finders that visit all numbers of triangles, those that were taken out
    /// included.
    pub(crate) fn without_gaps(mut self, meshes: [&'a Mesh; 2]) -> Self {
        self.gaps = meshes.map(|mesh| mesh.has_gaps().then_some(mesh));
        self
    }

    /// The same rule with the spheres of bodies made of these, at the time in question.
    pub(crate) fn with_spheres(mut self, spheres: [Option<SpheresAt<'a>>; 2]) -> Self {
        self.spheres = spheres;
        self
    }

    /// The same rule for corners evaluated at a moment: what touches is decided on the exact
    /// motion.
    pub(crate) fn at(mut self, sides: [Side<'a>; 2], now: Moment) -> Self {
        self.instant = Instant::of(sides, now);
        self
    }

    /// Whether two triangles are never reported, whatever they share.
    pub(crate) fn ignores(&self, p: u32, q: u32) -> bool {
        !self.ignored.is_empty() && self.ignored.contains(&(p, q))
    }

    /// Common corners of two triangles of one body; `None` if there are none.
    fn common(&self, p: u32, q: u32) -> Option<Common> {
        let (triangles, seams) = self.surface?;
        let common = seams.common_corners(&triangles[p as usize], &triangles[q as usize]);
        (!common.is_empty()).then_some(common)
    }

    /// Common corners of two triangles that are tested for what else they share.
    pub(crate) fn neighbours_at(&self, p: u32, q: u32) -> Option<Common> {
        if self.neighbours { self.common(p, q) } else { None }
    }

    /// Appends the intervals, in a window's parameter, in which two triangles count as touching.
    /// Where there is doubt they hold the true ones, and are marked undecided unless the triangles
    /// touch as they are said to move and the doubt is of rounding only. Such an interval may still
    /// be of a graze that the exact motion misses. `gaps` are the parts of them in which the
    /// triangles are said to be apart in between.
    pub(crate) fn intervals(
        &self,
        (p, a): (u32, &Solid),
        (q, b): (u32, &Solid),
        doubt: Uncertainty,
        (found, gaps): (&mut Vec<ContactInterval>, &mut Vec<[f64; 2]>),
        stats: &mut IntervalStats,
    ) {
        let (Solid::Triangle(a), Solid::Triangle(b)) = (a, b) else {
            return spheres::intervals((a, b), (self.distance, self.reach(doubt)), doubt, (found, gaps), stats);
        };
        if doubt == Uncertainty::None {
            return self.intervals_within((p, a), (q, b), doubt, found, stats);
        }
        let mut said = Vec::new();
        if let Uncertainty::Rounding(_) = doubt
            && !self.neighbours
        {
            let first = apart_until(a, b, self.reach(doubt));
            if first >= 1.0 {
                stats.pairs += 1;
                stats.rejected_by_planes += 1;
                return;
            }
            // A pair counts once, by what decided it.
            let mut own = IntervalStats::default();
            self.intervals_within((p, a), (q, b), Uncertainty::None, &mut said, &mut own);
            if let [only] = said[..]
                && let Some(interval) = widened(only, first, a, b, self.reach(doubt))
            {
                *stats += own;
                found.push(interval);
                return;
            }
        }
        let begin = found.len();
        self.intervals_within((p, a), (q, b), doubt, found, stats);
        found[begin..].iter_mut().for_each(|interval| interval.undecided = true);
        if let Uncertainty::Rounding(_) = doubt {
            if self.neighbours {
                self.intervals_within((p, a), (q, b), Uncertainty::None, &mut said, &mut IntervalStats::default());
            }
            found[begin..].iter_mut().for_each(|interval| confirm(interval, &said, gaps));
        }
    }

    /// The intervals in which two triangles are nearer than what counts as touching and the doubt
    /// together.
    fn intervals_within(
        &self,
        (p, a): (u32, &MovingTriangle),
        (q, b): (u32, &MovingTriangle),
        doubt: Uncertainty,
        found: &mut Vec<ContactInterval>,
        stats: &mut IntervalStats,
    ) {
        if self.neighbours
            && let Some(common) = self.common(p, q)
        {
            // Thickness does not concern them, doubt does.
            neighbour_intervals(a, b, &common, doubt.metres(), found, stats);
        } else if self.reach(doubt) > 0.0 {
            proximity_intervals(a, b, self.reach(doubt), found, stats);
        } else {
            contact_intervals(a, b, found, stats);
        }
    }

    /// The distance that counts as touching where there is doubt, metres, rounded up.
    pub(crate) fn reach(&self, doubt: Uncertainty) -> f64 {
        if doubt == Uncertainty::None { self.distance } else { (self.distance + doubt.metres()).next_up() }
    }

    /// What touches first in an interval of two triangles, and where.
    pub(crate) fn first_touch(
        &self,
        interval: &ContactInterval,
        (p, a): (u32, &Solid),
        (q, b): (u32, &Solid),
    ) -> FirstTouch {
        let (Solid::Triangle(a), Solid::Triangle(b)) = (a, b) else {
            return spheres::first_touch(interval, a, b).unwrap_or_else(|| unreachable!("one is a sphere"));
        };
        let is_near = self.distance > 0.0 || interval.undecided;
        if is_near && !(self.neighbours && self.common(p, q).is_some()) {
            first_nearness(interval, a, b)
        } else {
            interval.first_touch(a, b)
        }
    }
}

/// The one contact of two triangles as they are said to move, with its ends moved outward to where
/// the triangles are known to be farther apart than `reach`: before `first`, and after a time found
/// here. `None` if these are not close to its ends.
fn widened(
    said: ContactInterval,
    first: f64,
    a: &MovingTriangle,
    b: &MovingTriangle,
    reach: f64,
) -> Option<ContactInterval> {
    let back = |triangle: &MovingTriangle| MovingTriangle { begin: triangle.end, end: triangle.begin };
    let last = (1.0 - apart_until(&back(a), &back(b), reach)).next_up().min(1.0);
    let begins_there = said.at_window_begin() || said.begin.lo - first <= limits::END_SEPARATION_MARGIN;
    let ends_there = said.at_window_end() || last - said.end.hi <= limits::END_SEPARATION_MARGIN;
    (begins_there && ends_there && !said.undecided).then(|| {
        let mut interval = said;
        interval.begin.lo = said.begin.lo.min(first);
        interval.end.hi = said.end.hi.max(last);
        interval
    })
}

/// Takes an interval that holds the true one for decided if triangles touch in it as they are said
/// to move; its ends then lie between its own and those of that contact. Appends the gaps between
/// several.
pub(crate) fn confirm(outer: &mut ContactInterval, said: &[ContactInterval], gaps: &mut Vec<[f64; 2]>) {
    let mut inside = said.iter().filter(|said| outer.begin.lo <= said.end.hi && said.begin.lo <= outer.end.hi);
    let Some(first) = inside.next() else { return };
    let mut last = first;
    for next in inside {
        if last.end.hi < next.begin.lo {
            gaps.push([last.end.hi, next.begin.lo]);
        }
        last = next;
    }
    if !outer.at_window_begin() {
        outer.begin.hi = outer.begin.hi.max(first.begin.hi);
    }
    if !outer.at_window_end() {
        outer.end.lo = outer.end.lo.min(last.end.lo);
    }
    (outer.feature, outer.undecided) = (first.feature, first.undecided);
}

impl ContactRule for PairRule<'_> {
    fn distance(&self) -> f64 {
        self.distance
    }

    fn wants(&self, p: u32, q: u32) -> bool {
        let is_wanted = |(triangles, seams): (&[[u32; 3]], &Seams)| {
            p < q && (self.neighbours || !seams.share_corner(&triangles[p as usize], &triangles[q as usize]))
        };
        let [a, b] = self.gaps;
        let is_there = a.is_none_or(|mesh| mesh.has_triangle(p)) && b.is_none_or(|mesh| mesh.has_triangle(q));
        is_there && self.surface.is_none_or(is_wanted) && !self.ignores(p, q)
    }

    fn blur(&self) -> f64 {
        self.instant.map_or(0.0, |instant| instant.blur())
    }

    fn touch(&self, (p, a): (u32, &[[f64; 3]; 3]), (q, b): (u32, &[[f64; 3]; 3])) -> bool {
        if let Some(touch) = spheres::touch(&self.spheres, (p, a), (q, b), self.distance, self.instant.as_ref()) {
            return touch;
        }
        if let Some(instant) = &self.instant {
            return instant.touch(self, (p, a), (q, b));
        }
        if self.neighbours
            && let Some(common) = self.common(p, q)
        {
            return neighbours_touch(a, b, &common);
        }
        if self.distance > 0.0 { triangles_within(a, b, self.distance) } else { triangles_touch(a, b) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrow::intervals::Enclosure;

    #[test]
    fn ends_of_a_window_stay_ends_where_what_is_said_begins_later_or_ends_before() {
        let interval = |begin: [f64; 2], end: [f64; 2]| ContactInterval {
            begin: Enclosure { lo: begin[0], hi: begin[1] },
            end: Enclosure { lo: end[0], hi: end[1] },
            ..ContactInterval::whole(false)
        };
        let said = [interval([0.25, 0.375], [0.5, 0.5]), interval([0.625, 0.625], [0.75, 0.875])];
        let confirmed = |mut outer: ContactInterval| {
            let mut gaps = Vec::new();
            confirm(&mut outer, &said, &mut gaps);
            assert_eq!(gaps, [[0.5, 0.625]]);
            outer
        };
        let whole = confirmed(interval([0.0, 0.0], [1.0, 1.0]));
        assert!(whole.at_window_begin() && whole.at_window_end(), "{whole:?}");
        let inside = confirmed(interval([0.125, 0.25], [0.875, 1.0]));
        assert_eq!(
            (inside.begin, inside.end),
            (interval([0.125, 0.375], [0.75, 1.0]).begin, Enclosure { lo: 0.75, hi: 1.0 })
        );
    }

    /// The sine of their angle is 4e-9: where nearest points are guessed they count as parallel.
    #[test]
    fn edges_that_are_nearly_parallel_touch_where_they_cross() {
        let side = 0.5f64.powi(30);
        let still = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, -1.0]];
        let at = |z: f64| [[0.0, -side, z], [1.0, 3.0 * side, z], [0.5, side, z + 1.0]];
        let a = Solid::Triangle(MovingTriangle { begin: still, end: still });
        let b = Solid::Triangle(MovingTriangle { begin: at(0.5), end: at(-0.5) });
        let (mesh, ignored) = (Mesh::new(3, vec![[0, 1, 2]]).unwrap(), BTreeSet::new());
        let rule = PairRule::new(false, Surface { mesh: &mesh, seams: None, neighbours: false }, 0.0, &ignored);
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        rule.intervals((0, &a), (0, &b), Uncertainty::None, (&mut found, &mut Vec::new()), &mut stats);
        assert_eq!(found.len(), 1);
        let touch = rule.first_touch(&found[0], (0, &a), (0, &b));
        // They cross after a quarter of their length.
        assert!((touch.point[0] - 0.25).abs() < 1e-6 && touch.normal[2] > 0.999, "{touch:?}");
    }
}
