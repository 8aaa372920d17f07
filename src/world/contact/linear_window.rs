//! Windows: stretches of time in which the vertices of leaves move linearly, or as good as that,
//! and the triangles of leaves over them.
//!
//! A curved piece is divided into windows, a power of two of them and of equal length, over which
//! it stays near its chord: a point leaves its chord over a stretch of length `h` by at most `h² /
//! 8 · max |p″|`, and that is at most [`limits::MOTION_TOLERANCE`]. The division belongs to the
//! piece and not to "now". A leaf states the distance its points may be from the linear motion as
//! its *margin*.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::limits;
use crate::math::Aabb;
use crate::motion::{Cursor, Piece, SpherePiece};
use crate::narrow::intervals::MovingTriangle;
use crate::threads;
use crate::time::{Moment, Side};
use crate::tuning;
use crate::world::body::{Body, Index};
use crate::world::contact::span::TimeEnclosure;
use crate::world::contact::{Hashed, hashed_bytes};
use crate::world::rule::instant;
use crate::world::rule::spheres::Solid;

/// A stretch of time, seconds, in which some vertices move linearly, or nearly so; an end is
/// infinite only if nothing moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LinearWindow {
    pub(crate) begin: f64,
    pub(crate) end: f64,
}

impl LinearWindow {
    const ALWAYS: Self = Self { begin: f64::NEG_INFINITY, end: f64::INFINITY };

    pub(crate) fn intersection(self, other: Self) -> Self {
        Self { begin: self.begin.max(other.begin), end: self.end.min(other.end) }
    }

    /// From the window's parameter, 0 to 1, to seconds, outward.
    pub(crate) fn enclosure(self, lo: f64, hi: f64) -> TimeEnclosure {
        TimeEnclosure::closed(self.time(lo, -1.0), self.time(hi, 1.0))
    }

    /// A time near the middle of two places, 0 to 1, seconds.
    pub(crate) fn middle(self, [from, to]: [f64; 2]) -> f64 {
        self.time(0.5 * (from + to), 0.0)
    }

    fn time(self, s: f64, outward: f64) -> f64 {
        if s <= 0.0 || s >= 1.0 {
            return if s <= 0.0 { self.begin } else { self.end };
        }
        let length = self.end - self.begin;
        let time = self.begin + s * length;
        // Three roundings: of the length, of the product, of the sum.
        let margin = limits::TIME_ROUNDING * (length + time.abs());
        (time + outward * margin).clamp(self.begin, self.end)
    }
}

/// A triangle over a window, and a box that holds it throughout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub(crate) triangle: u32,
    pub(crate) motion: Solid,
    pub(crate) discrete: Aabb,
}

/// A leaf around a moment: its window, and its triangles over that window.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) window: LinearWindow,
    /// How far a point may be from the linear motion within the window, or any part of it, metres;
    /// 0 for linear motion.
    pub(crate) margin: f64,
    /// Holds every triangle throughout the window.
    pub(crate) discrete: Aabb,
    triangles: Vec<Moving>,
    /// Per triangle, its corners among `points`.
    corners: Vec<[u32; 3]>,
    /// Per vertex of the leaf, its pieces around the moment.
    points: Vec<[Piece; 3]>,
    /// Per vertex, how far the ends of its pieces may be from its path, metres; empty where all are
    /// exact.
    off: Vec<f64>,
    /// Of a body made of spheres, per sphere its piece around the moment; its corners move over the
    /// same stretch of time.
    spheres: Vec<SpherePiece>,
}

impl Default for Leaf {
    fn default() -> Self {
        Self {
            window: LinearWindow::ALWAYS,
            margin: 0.0,
            discrete: Aabb::EMPTY,
            triangles: Vec::new(),
            corners: Vec::new(),
            points: Vec::new(),
            off: Vec::new(),
            spheres: Vec::new(),
        }
    }
}

impl Leaf {
    /// Becomes a leaf of a body; reuses memory.
    fn gather(&mut self, body: &Body, leaf: u32, cursor: &Cursor) {
        let Index::Kinetic(tree) = &body.index else { unreachable!("windows are asked of kinetic bodies only") };
        let vertices = tree.topology().leaf_points(leaf);
        let kept = tree.as_bounded().and_then(|tree| tree.leaf_pieces(leaf, &body.motion, cursor.moment()));
        self.points.clear();
        match kept {
            Some(kept) => self.points.extend(kept),
            None => self.points.extend(vertices.iter().map(|&vertex| body.motion.vertex_pieces_at(vertex, cursor))),
        }
        self.fill(body.side(), tree.topology().primitives(leaf), vertices, cursor);
    }

    /// One triangle, or sphere, of a mesh with a motion, as a leaf of its own.
    pub(crate) fn of_triangle(side: instant::Side<'_>, triangle: u32, cursor: &Cursor) -> Self {
        let mut vertices = side.mesh.triangles()[triangle as usize].to_vec();
        vertices.sort_unstable();
        vertices.dedup();
        let points = vertices.iter().map(|&vertex| side.motion.vertex_pieces_at(vertex, cursor)).collect();
        let mut leaf = Self { points, ..Self::default() };
        leaf.fill(side, &[triangle], &vertices, cursor);
        leaf
    }

    /// Becomes a leaf of some primitives, whose vertices are `vertices`, ascending, with the pieces
    /// that are there.
    fn fill(&mut self, side: instant::Side<'_>, primitives: &[u32], vertices: &[u32], cursor: &Cursor) {
        let (mut window, mut margin) = (LinearWindow::ALWAYS, 0.0f64);
        for pieces in &self.points {
            let (part, deviation) = straight_part(pieces, cursor.moment());
            (window, margin) = (window.intersection(part), margin.max(deviation));
        }
        (self.window, self.margin) = (window, margin);
        self.off.clear();
        if !side.motion.has_exact_ends() {
            self.off.extend(vertices.iter().map(|&vertex| side.motion.end_rounding(vertex, cursor.moment())));
            if self.off.iter().all(|&off| off == 0.0) {
                self.off.clear();
            }
        }
        self.spheres.clear();
        if let Some(keys) = side.motion.spheres() {
            let place = keys.place(cursor.moment());
            self.spheres.extend(primitives.iter().map(|&sphere| keys.piece(sphere, place)));
        }
        let place = |vertex: u32| vertices.partition_point(|&other| other < vertex) as u32;
        self.corners.clear();
        self.corners.extend(primitives.iter().map(|&triangle| side.mesh.triangles()[triangle as usize].map(place)));
        let mut triangles = std::mem::take(&mut self.triangles);
        triangles.clear();
        triangles.extend(primitives.iter().enumerate().map(|(place, &triangle)| self.moving(triangle, place, window)));
        self.discrete = triangles.iter().fold(Aabb::EMPTY, |bounds, moving| bounds.union(&moving.discrete));
        self.triangles = triangles;
    }

    /// A triangle, by its place in the leaf, over a window.
    fn moving(&self, triangle: u32, place: usize, window: LinearWindow) -> Moving {
        // Always from the vertices' own pieces: two windows that meet at a time agree on the
        // positions there.
        let positions =
            |time| self.corners[place].map(|corner| self.points[corner as usize].map(|piece| piece.at(time)));
        let motion = MovingTriangle { begin: positions(window.begin), end: positions(window.end) };
        let discrete = Aabb::of_points(motion.begin.iter().chain(&motion.end));
        let solid = self.spheres.get(place).map(|piece| Solid::of_sphere(piece, (window.begin, window.end)));
        let motion = solid.unwrap_or(Solid::Triangle(motion));
        Moving { triangle, motion, discrete: if self.margin > 0.0 { discrete.inflated(self.margin) } else { discrete } }
    }

    /// The triangles over every time over which one of them and one of another leaf's may be
    /// decided: the common window, or all of the leaf's own where the other's may rest. `room` is
    /// for them if they are none of the leaf's own.
    pub(crate) fn against<'a>(&'a self, other: &Self, common: LinearWindow, room: &'a mut Vec<Moving>) -> &'a [Moving] {
        if common == self.window || (0..other.triangles.len()).any(|place| other.rests(place)) {
            return &self.triangles;
        }
        room.clear();
        room.extend((0..self.triangles.len()).map(|place| self.over(place, common)));
        room
    }

    /// The place of a triangle among those of the leaf.
    pub(crate) fn place_of(&self, triangle: u32) -> Option<usize> {
        self.triangles.iter().position(|moving| moving.triangle == triangle)
    }

    /// The pieces of a triangle's corners, by its place in the leaf.
    fn pieces_of(&self, place: usize) -> impl Iterator<Item = &Piece> {
        self.corners[place].iter().flat_map(|&corner| &self.points[corner as usize])
    }

    /// Whether a triangle, by its place in the leaf, rests.
    pub(crate) fn rests(&self, place: usize) -> bool {
        // Corners are rounded: they may rest while their spheres do not.
        self.pieces_of(place).all(Piece::is_still) && self.spheres.get(place).is_none_or(SpherePiece::is_still)
    }

    /// How far a corner of a triangle may be, by rounding, from where it is said to be at the ends
    /// of a part of the leaf's window, metres: 0 where these are the ends of its own piece, whose
    /// positions are stored or exact. Depends on the triangle alone, not on others of its leaf.
    pub(crate) fn blur(&self, place: usize, part: LinearWindow) -> f64 {
        // A part without length may begin and end where a piece begins, or where it ends.
        let cuts = |begin: f64, end: f64| [part.begin, part.end].iter().any(|&time| time != begin && time != end);
        let is_cut = |piece: &&Piece| !piece.is_still() && cuts(piece.begin, piece.end);
        let magnitude = self.pieces_of(place).filter(is_cut).map(Piece::magnitude);
        // Twice as much for spheres, for the roundings of the centre and of the radius.
        let is_cut = |piece: &&SpherePiece| !piece.is_still() && cuts(piece.begin, piece.end);
        let of_sphere = self.spheres.get(place).filter(is_cut).map(|piece| 2.0 * piece.magnitude());
        let off = |corner: &u32| self.off.get(*corner as usize).copied().unwrap_or(0.0);
        let at_ends = self.corners[place].iter().map(off).fold(0.0, f64::max);
        at_ends + magnitude.chain(of_sphere).reduce(f64::max).map_or(0.0, rounding)
    }

    /// The largest blur of any triangle, over any part of the leaf's window, metres.
    pub(crate) fn largest_blur(&self) -> f64 {
        let magnitude = self.points.iter().flatten().filter(|piece| !piece.is_still()).map(Piece::magnitude);
        let of_spheres = self.spheres.iter().filter(|piece| !piece.is_still()).map(|piece| 2.0 * piece.magnitude());
        let at_ends = self.off.iter().copied().fold(0.0, f64::max);
        at_ends + magnitude.chain(of_spheres).reduce(f64::max).map_or(0.0, rounding)
    }

    /// Whether every vertex is where it is stored at both ends of the leaf's window.
    pub(crate) fn is_whole(&self) -> bool {
        let LinearWindow { begin, end } = self.window;
        self.margin == 0.0
            && self.off.is_empty()
            && self.points.iter().flatten().all(|piece| piece.is_still() || (piece.begin, piece.end) == (begin, end))
            && self.spheres.iter().all(|piece| piece.is_still() || (piece.begin, piece.end) == (begin, end))
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.triangles.capacity() * size_of::<Moving>()
            + self.corners.capacity() * size_of::<[u32; 3]>()
            + self.points.capacity() * size_of::<[Piece; 3]>()
            + self.off.capacity() * size_of::<f64>()
            + self.spheres.capacity() * size_of::<SpherePiece>()
    }

    /// One of its triangles, by its place, over a part of the leaf's window.
    pub(crate) fn over(&self, place: usize, part: LinearWindow) -> Moving {
        let whole = self.triangles[place];
        if part == self.window { whole } else { self.moving(whole.triangle, place, part) }
    }
}

/// The rounding of a position between two stored ones, metres.
fn rounding(magnitude: f64) -> f64 {
    limits::ROUNDING * magnitude + limits::FLUSH
}

/// The part of a vertex's pieces around a moment in which it stays near its chord, and how near,
/// metres. The pieces of its three coordinates begin and end together.
fn straight_part(pieces: &[Piece; 3], at: Moment) -> (LinearWindow, f64) {
    let (begin, end) = (pieces[0].begin, pieces[0].end);
    if !pieces.iter().any(Piece::is_curved) {
        return (LinearWindow { begin, end }, 0.0);
    }
    let length = |of: fn(&Piece) -> f64| pieces.iter().map(|piece| of(piece) * of(piece)).sum::<f64>().sqrt();
    let (whole, mut parts) = (length(Piece::curvature) / 8.0, 1.0f64);
    // Endless plans that begin late have long pieces: their windows are as short as those of
    // others.
    let most = limits::MAX_LINEAR_WINDOWS * ((end - begin) / tuning::FIRST_HORIZON).max(1.0);
    while whole / (parts * parts) > limits::MOTION_TOLERANCE && parts < most {
        parts *= 2.0;
    }
    let edge = |part: f64| if part >= parts { end } else { begin + (end - begin) * (part / parts) };
    let is_passed = |part: f64| match at.side() {
        Side::At => edge(part) < at.time(),
        Side::After => edge(part) <= at.time(),
    };
    let mut part = ((at.time() - begin) / (end - begin) * parts).floor().clamp(0.0, parts - 1.0);
    while part > 0.0 && !is_passed(part) {
        part -= 1.0;
    }
    while part + 1.0 < parts && is_passed(part + 1.0) {
        part += 1.0;
    }
    let window = LinearWindow { begin: edge(part), end: edge(part + 1.0) };
    // As long as it came out: near the resolution of time, parts are not equal.
    let share = (window.end - window.begin) / (end - begin);
    // Roundings: of this bound, and of the evaluation at the ends.
    let deviation = whole * (share * share) * (1.0 + limits::ROUNDING);
    (window, deviation + limits::CURVED_THRESHOLD * length(Piece::magnitude) + limits::FLUSH)
}

/// Leaves by number.
type Leaves = Hashed<u32, Arc<Leaf>>;

/// Leaves of two bodies around a moment, each gathered once.
#[derive(Debug, Default)]
pub(crate) struct LeafCache {
    /// The moment, and both bodies' cursors there.
    at: Option<(Moment, [Cursor; 2])>,
    leaves: [Leaves; 2],
}

thread_local! {
    /// Leaves that this thread forgot last: their memory is used again.
    static SPARE: RefCell<Vec<Arc<Leaf>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for LeafCache {
    fn drop(&mut self) {
        self.forget();
    }
}

impl LeafCache {
    /// Forgets all leaves.
    pub(crate) fn clear(&mut self) {
        self.at = None;
        self.forget();
    }

    /// Forgets all leaves once they are more than a number; they are gathered again if needed.
    pub(crate) fn limit(&mut self, most: usize) {
        if self.leaves.iter().map(HashMap::len).sum::<usize>() > most {
            self.forget();
        }
    }

    fn forget(&mut self) {
        // Emptying a map takes time by its room, and most events gather no leaf.
        for leaves in self.leaves.iter_mut().filter(|leaves| !leaves.is_empty()) {
            // Nothing is kept while the thread ends.
            let _ = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                let room = tuning::MAX_SPARE_LEAVES.saturating_sub(spare.len());
                spare.extend(leaves.drain().map(|(_, leaf)| leaf).take(room));
            });
            leaves.clear();
        }
    }

    /// Bytes held; of maps about.
    pub(crate) fn bytes(&self) -> usize {
        let leaves: usize = self.leaves.iter().flat_map(HashMap::values).map(|leaf| leaf.bytes()).sum();
        leaves + self.leaves.iter().map(hashed_bytes).sum::<usize>()
    }

    /// Begins a moment, unless the leaves are those around it; returns the cursors and the leaves.
    fn begin(&mut self, bodies: [&Body; 2], at: Moment) -> ([Cursor; 2], &mut [Leaves; 2]) {
        let known = self.at.as_ref().filter(|(moment, _)| *moment == at).map(|(_, cursors)| *cursors);
        let cursors = known.unwrap_or_else(|| {
            self.forget();
            bodies.map(|body| body.motion.cursor(at))
        });
        self.at = Some((at, cursors));
        (cursors, &mut self.leaves)
    }

    /// Two leaves. Those of a body with itself are kept once.
    pub(crate) fn leaves(&mut self, pair: (u32, u32), bodies: [&Body; 2], at: Moment) -> (Arc<Leaf>, Arc<Leaf>) {
        let (cursors, leaves) = self.begin(bodies, at);
        let mut known = |side: usize, leaf: u32| {
            let gather = || gathered(bodies[side], leaf, &cursors[side]);
            Arc::clone(leaves[side].entry(leaf).or_insert_with(gather))
        };
        (known(0, pair.0), known(second_side(bodies), pair.1))
    }

    /// Gathers the leaves of many pairs, each once; threads share the work.
    pub(crate) fn gather(&mut self, pairs: impl Iterator<Item = (u32, u32)>, bodies: [&Body; 2], at: Moment) {
        let (cursors, leaves) = self.begin(bodies, at);
        let side_b = second_side(bodies);
        let mut wanted: Vec<(usize, u32)> = pairs.flat_map(|(a, b)| [(0, a), (side_b, b)]).collect();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|&(side, leaf)| !leaves[side].contains_key(&leaf));
        let mut found: Vec<(usize, u32, Option<Arc<Leaf>>)> =
            wanted.into_iter().map(|(side, leaf)| (side, leaf, None)).collect();
        threads::for_each(&mut found, |(side, leaf, place)| {
            *place = Some(gathered(bodies[*side], *leaf, &cursors[*side]));
        });
        for (side, leaf, place) in found {
            leaves[side].extend(place.map(|place| (leaf, place)));
        }
    }

    /// Two leaves that were gathered.
    pub(crate) fn gathered(&self, pair: (u32, u32), bodies: [&Body; 2]) -> Option<(&Leaf, &Leaf)> {
        Some((self.leaves[0].get(&pair.0)?, self.leaves[second_side(bodies)].get(&pair.1)?))
    }
}

/// A leaf, in the memory of a forgotten one if nothing else refers to that.
fn gathered(body: &Body, leaf: u32, cursor: &Cursor) -> Arc<Leaf> {
    let mut own = SPARE.with(|spare| spare.borrow_mut().pop()).unwrap_or_default();
    match Arc::get_mut(&mut own) {
        Some(place) => place.gather(body, leaf, cursor),
        None => {
            let mut place = Leaf::default();
            place.gather(body, leaf, cursor);
            own = Arc::new(place);
        }
    }
    own
}

/// Where leaves of the second of two bodies are kept, which may be the first one.
fn second_side(bodies: [&Body; 2]) -> usize {
    usize::from(!std::ptr::eq(bodies[0], bodies[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::motion::{Flightplan, KeyLayout, Motion};

    fn piece(begin: f64, end: f64, bend: [f64; 2]) -> Piece {
        Piece { begin, end, at_begin: 1.0, at_end: -2.0, bend }
    }

    /// The window around a time does not depend on the time, windows follow each other without a
    /// hole, and a point is never farther from the chord of a window, or of a part of one, than
    /// stated.
    #[test]
    fn windows_divide_a_piece_and_hold_their_margin() {
        for (begin, end) in [(0.0, 1.0), (-3.0, 61.0), (1e9, 1e9 + 0.25)] {
            for scale in [1e-5, 0.1, 30.0] {
                let still = Piece::constant(begin, end, 4.0);
                let pieces = [piece(begin, end, [scale, 0.5 * scale]), piece(begin, end, [0.0, -scale]), still];
                let (mut from, mut count) = (begin, 0);
                while from < end {
                    let (window, margin) = straight_part(&pieces, Moment::after(from));
                    assert_eq!((window.begin, margin < 1.001 * limits::MOTION_TOLERANCE), (from, true));
                    let middle = 0.5 * window.begin + 0.5 * window.end;
                    for at in [Moment::at(middle), Moment::after(middle), Moment::at(window.end)] {
                        assert_eq!(straight_part(&pieces, at), (window, margin), "{at:?}");
                    }
                    for part in [window, LinearWindow { begin: middle, end: window.end }] {
                        for step in 0..=16 {
                            let share = f64::from(step) / 16.0;
                            let time = part.begin + share * (part.end - part.begin);
                            let share = (time - part.begin) / (part.end - part.begin);
                            let off = pieces
                                .map(|p| p.at(time) - (p.at(part.begin) + share * (p.at(part.end) - p.at(part.begin))));
                            assert!(off.iter().map(|x| x * x).sum::<f64>().sqrt() <= margin, "{off:?} {margin}");
                        }
                    }
                    (from, count) = (window.end, count + 1);
                }
                assert!(count == 1 || scale > 0.01, "{count} windows");
            }
        }
    }

    /// Its memory is that of a leaf whose ends were rounded.
    #[test]
    fn a_leaf_that_is_used_again_keeps_no_rounding_of_another_motion() {
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let corners = [[0.1, 0.0, 0.0], [1.0, 0.3, 0.0], [0.0, 1.0, 0.7]];
        let rounded = Flightplan::velocities(0.3, corners.to_vec(), vec![[0.1, 0.7, 0.3]; 3]);
        let exact = Flightplan::keyframes(vec![0.0, 1.0], [corners, [[1.5; 3]; 3]].concat());
        let mut leaf = Leaf::default();
        let blurs = [rounded, exact].map(|plan| {
            let motion = Motion::new(plan, 3, KeyLayout::VertexMajor).unwrap();
            let cursor = motion.cursor(Moment::after(0.7));
            leaf.points.clear();
            leaf.points.extend((0..3).map(|vertex| motion.vertex_pieces_at(vertex, &cursor)));
            leaf.fill(instant::Side { mesh: &mesh, motion: &motion }, &[0], &[0, 1, 2], &cursor);
            leaf.off.iter().copied().fold(0.0, f64::max)
        });
        assert!(blurs[0] > 0.0 && blurs[1] == 0.0 && leaf.is_whole(), "{blurs:?}");
    }

    #[test]
    fn what_is_near_zero_is_rounded_too() {
        assert_eq!(rounding(0.0), limits::FLUSH);
    }

    /// `begin + (end − begin)` is a rounding above or below `end` here.
    #[test]
    fn the_last_window_of_a_piece_ends_with_it() {
        let (mut above, mut below) = (0, 0);
        for step in 1..=64 {
            let (begin, end) = (0.1 * f64::from(step) - 3.0, 0.7 * f64::from(step) + 0.3);
            let sum = begin + (end - begin);
            (above, below) = (above + usize::from(sum > end), below + usize::from(sum < end));
            let pieces = [1.0, -0.5, 0.25].map(|scale| piece(begin, end, [scale, 0.5 * scale]));
            for at in [Moment::at(end), Moment::after(end.next_down())] {
                let (window, _) = straight_part(&pieces, at);
                assert_eq!(window.end, end, "{begin} {at:?}");
                assert!(begin < window.begin && window.begin < end, "{begin} {at:?}: {window:?}");
            }
        }
        assert!(above > 0 && below > 0, "{above} {below}");
    }
}
