//! Boxes of keys, interpolated in between: a conservative hierarchy without events.
//!
//! Maintains: the exact boxes of all nodes at the two last keys. In between every vertex moves
//! linearly, so the greatest coordinate below a node is a convex function of time, and
//! interpolating its values at the ends bounds it from above (theory §11; measured 0.2-2 % larger
//! in area). Exact at keys.
//!
//! ```text
//!   x
//!   |   #.................................#   side of the box: a straight line between the keys' exact sides
//!   |    \ ^ what the box is wider by   /
//!   |     \                           /      the greatest coordinate below the node: convex, made of the
//!   |      '-.__                  _.-'       straight ways of the vertices that are greatest in turn
//!   |           '--.________.--'
//!   +---+---------------------------------+--- t
//!     before                            after
//! ```
//!
//! Cost: one refit per key, about 2 ns per triangle; nothing per frame. Rounded coordinates of
//! `f64` are within a few units of the last place of the real ones; the slack pays for that. Where
//! a [`Motion`] is not at positions that `f32` can say (velocity fields), boxes are widened by the
//! rounding of its positions.

use super::IntervalError;
use super::error::check_time;
use super::layout::{LANES, Layout};
use super::sweep::sided;
use super::track::Points;
use crate::bvh::{Hierarchy, Topology};
use crate::limits;
use crate::math::Aabb;
use crate::motion::{Motion, StretchKind, interpolate};
use crate::time::Moment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

mod ahead;
mod bounded;
mod leaves;

use ahead::Stage;

/// A box hierarchy that is refitted once per key. Boxes may be asked for at any time from the last
/// key but one to the last.
///
/// A clone shares what neither changes: the shape of the tree, and boxes at keys. Where a motion is
/// read as fast as a copy of its positions, none is kept: [`Candidates`](super::Candidates) read
/// it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct IntervalBoxes {
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    pub(super) layout: Arc<Layout>,
    /// At the key before, and at the last.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    before: Arc<End>,
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    after: Arc<End>,
    begin: f64,
    end: f64,
    /// Per place, the sum of its box's sides at the first key: which of two nodes is opened first,
    /// whatever the key.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    pub(super) girths: Arc<[f32]>,
    coordinate: f64,
    /// The vertices of leaves, ascending, where points are kept; none where the motion is read
    /// instead.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    vertices: Arc<[u32]>,
    /// How far points may be from where they are said to be at both ends, metres.
    blur: [f32; 2],
    /// Whether no point moves from the key before to the last.
    rests: bool,
    /// Another number after every change of points, and another one in every box hierarchy.
    #[cfg_attr(feature = "record", serde(with = "mark"))]
    generation: u64,
    /// How far the boxes of the end are made.
    stage: Stage,
    /// The key of a reduced body that the end is of.
    key: Option<usize>,
    /// Whether the boxes being made are those of the begin, which follows a jump; those of the end
    /// come after them.
    places_begin: bool,
    /// Memory of a loop: where it wraps, one end more is needed than elsewhere. It is taken when
    /// the loop begins: to take new memory costs more time than to compute the boxes in it.
    #[cfg_attr(feature = "record", serde(skip))]
    spare: Option<Arc<End>>,
}

/// All data of one key. The boxes of the current interval and those prepared for the next one share
/// it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
struct End {
    /// Per place `[lo, −hi]`.
    boxes: Vec<[f32; LANES]>,
    /// Of [`IntervalBoxes::vertices`], within half of the blur; none where the motion is read at
    /// the moment instead.
    points: Points,
    at: Moment,
}

impl Default for End {
    fn default() -> Self {
        Self { boxes: Vec::new(), points: Points::new(), at: Moment::at(0.0) }
    }
}

impl End {
    /// Makes room for a number of places and of points.
    fn resize(&mut self, [places, points]: [usize; 2]) {
        self.boxes.resize(places, [0.0; LANES]);
        self.points.resize(points, [0.0; 4]);
        if points == 0 {
            self.points = Points::new();
        }
    }

    /// Where some vertices are, as [`Motion::rounded_positions`] says. The motion is the one the
    /// boxes are of; `kept` are the vertices of the points.
    fn read(&self, motion: &Motion, kept: &[u32], vertices: &[u32], out: &mut [[f32; 4]]) {
        if self.points.is_empty() {
            motion.rounded_positions(self.at, vertices, out);
        } else {
            read_kept(&self.points, kept, vertices, out);
        }
    }

    fn bytes(&self) -> usize {
        self.boxes.capacity() * size_of::<[f32; LANES]>() + self.points.capacity() * size_of::<[f32; 4]>()
    }
}

impl IntervalBoxes {
    /// Room for boxes.
    fn empty(topology: Topology, time: f64) -> Result<Self, IntervalError> {
        let layout = Arc::new(Layout::of_nodes(topology)?);
        let end = Arc::new(End { boxes: vec![[0.0; LANES]; layout.place_count()], ..End::default() });
        Ok(Self {
            layout,
            before: Arc::clone(&end),
            after: end,
            begin: time,
            end: time,
            girths: Arc::default(),
            coordinate: 0.0,
            vertices: Arc::default(),
            blur: [0.0; 2],
            rests: false,
            generation: another(),
            stage: Stage::Done,
            key: None,
            places_begin: false,
            spare: None,
        })
    }

    /// Notes the sizes of the first key's boxes.
    fn measure(&mut self) {
        self.girths = self.after.boxes.iter().map(|[a, b, c, _, d, e, f, _]| -((a + d) + (b + e) + (c + f))).collect();
    }

    /// The boxes of a motion at a time, to be moved on by [`IntervalBoxes::follow`]. O(vertices +
    /// nodes).
    ///
    /// # Errors
    /// A time no flightplan may have.
    pub fn over(topology: Topology, motion: &Motion, time: f64) -> Result<Self, IntervalError> {
        check_time(0, time)?;
        let mut boxes = Self::empty(topology, time)?;
        boxes.place(motion, Moment::at(time));
        boxes.rest_at_end();
        boxes.measure();
        Ok(boxes)
    }

    /// Moves on to the linear stretch of a motion around a moment, at most until a time: the boxes
    /// are then those of its part from the end of the last one, or from where the stretch or the
    /// moment begins where these do not meet. Nothing is done where the boxes are of that part
    /// already. Returns whether they changed. O(vertices + nodes).
    ///
    /// # Errors
    /// Curves or vertices with plans of their own, a loop before its first key, times no flightplan
    /// may have.
    pub fn follow(&mut self, motion: &Motion, at: Moment, until: f64) -> Result<bool, IntervalError> {
        check_time(0, at.time())?;
        let stretch = motion.stretch(at).ok_or(IntervalError::NotLinear)?;
        if motion.first_of_loop().is_some_and(|first| at.time() < first) {
            return Err(IntervalError::BeforeLoop { time: at.time() });
        }
        if Moment::after(self.begin) <= at && at <= Moment::at(self.end) {
            return Ok(false);
        }
        let meets =
            self.end == at.time() && stretch.begin <= self.end && !(stretch.after_jump && stretch.begin == self.end);
        let begin = if meets {
            self.end
        } else if stretch.kind == StretchKind::Keys {
            stretch.begin
        } else {
            at.time()
        };
        let end = stretch.end.min(if until > begin { until } else { stretch.end });
        if !meets {
            self.place(motion, Moment::after(begin));
        }
        std::mem::swap(&mut self.before, &mut self.after);
        self.generation = another();
        self.blur[0] = self.blur[1];
        self.rests = matches!(stretch.kind, StretchKind::Hold | StretchKind::LinesHeld { .. });
        if self.rests {
            self.after = Arc::clone(&self.before);
            self.blur[1] = self.blur[0];
        } else {
            self.place(motion, Moment::at(end));
        }
        (self.begin, self.end) = (begin, end);
        Ok(true)
    }

    /// Goes to the end of other boxes over the same tree: from there they can follow the same
    /// motion further. O(1).
    pub fn start_from(&mut self, other: &Self) {
        (self.after, self.vertices) = (Arc::clone(&other.after), Arc::clone(&other.vertices));
        (self.begin, self.end) = (other.end, other.end);
        (self.coordinate, self.blur, self.rests) = (other.coordinate, [other.blur[1]; 2], false);
        (self.stage, self.places_begin) = (Stage::Done, false);
        self.generation = another();
    }

    /// The motion is another one than before: the boxes hold nowhere until they follow it. O(1).
    pub fn forget(&mut self) {
        (self.begin, self.end, self.key) = (f64::INFINITY, f64::NEG_INFINITY, None);
    }

    /// The boxes at a moment become those of the end.
    fn place(&mut self, motion: &Motion, at: Moment) {
        self.places_begin = false;
        self.begin_place(motion, at);
        self.place_some(motion, at, &mut usize::MAX.clone());
    }

    fn rest_at_end(&mut self) {
        self.before = Arc::clone(&self.after);
        self.blur[0] = self.blur[1];
        self.begin = self.end;
        self.rests = true;
    }

    /// The boxes at the key before and at the last, by place: `[lo, −hi]`.
    pub(super) fn boxes_at_ends(&self) -> [&[[f32; LANES]]; 2] {
        [&self.before.boxes, &self.after.boxes]
    }

    /// Appends where some vertices are at both, to within half of the blur. The motion is the one
    /// that the boxes follow.
    pub(super) fn read_ends(&self, motion: &Motion, vertices: &[u32], out: &mut Vec<[[f32; 4]; 2]>) {
        let rests = Arc::ptr_eq(&self.before, &self.after);
        let (mut before, mut after) = ([[0.0; 4]; POINTS_READ], [[0.0; 4]; POINTS_READ]);
        for vertices in vertices.chunks(POINTS_READ) {
            self.before.read(motion, &self.vertices, vertices, &mut before[..vertices.len()]);
            if !rests {
                self.after.read(motion, &self.vertices, vertices, &mut after[..vertices.len()]);
            }
            let after = if rests { &before } else { &after };
            out.extend(before.iter().zip(after).take(vertices.len()).map(|(before, after)| [*before, *after]));
        }
    }

    /// Whether no point moves from the last key but one to the last.
    pub(super) fn rests(&self) -> bool {
        self.rests
    }

    /// Another number whenever points are elsewhere.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// How far points may be from where they are said to be, metres; 0 at keys.
    pub(super) fn blur(&self) -> f64 {
        f64::from(self.blur[0].max(self.blur[1]))
    }

    /// The largest coordinate so far, metres.
    pub(super) fn coordinate(&self) -> f64 {
        self.coordinate
    }

    /// How far boxes are moved outward, metres: what positions evaluated in `f64` may be off by.
    pub fn slack(&self) -> f64 {
        self.rounding() + self.blur()
    }

    /// How far positions evaluated in `f64` may be from the exact motion, metres.
    pub(super) fn rounding(&self) -> f64 {
        limits::ROUNDING * self.coordinate + limits::FLUSH
    }

    /// The time of the last key but one, seconds.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// The time of the last key, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// Bytes held, the topology included.
    pub fn bytes(&self) -> usize {
        self.layout.bytes()
            + self.girths.len() * size_of::<f32>()
            + self.vertices.len() * size_of::<u32>()
            + self.before.bytes()
            + if Arc::ptr_eq(&self.before, &self.after) { 0 } else { self.after.bytes() }
            + self.spare.as_ref().map_or(0, |spare| spare.bytes())
    }

    /// Bytes of its parts, as [`crate::World::bytes_by_part`] names them; those of boxes of the
    /// next interval that these do not share.
    pub(crate) fn add_parts(&self, next: Option<&Self>, add: &mut dyn FnMut(&'static str, usize)) {
        add("tree shapes", self.layout.topology.bytes());
        add(
            "order of sweeps",
            self.layout.bytes() - self.layout.topology.bytes() + self.girths.len() * size_of::<f32>(),
        );
        add("points at keys", self.vertices.len() * size_of::<u32>());
        let mut ends: Vec<&Arc<End>> = Vec::new();
        for end in [Some(self), next]
            .into_iter()
            .flatten()
            .flat_map(|boxes| [&boxes.before, &boxes.after].into_iter().chain(&boxes.spare))
        {
            if ends.iter().all(|known| !Arc::ptr_eq(known, end)) {
                ends.push(end);
            }
        }
        for end in ends {
            let boxes = end.boxes.capacity() * size_of::<[f32; LANES]>();
            add("boxes at keys", boxes);
            add("points at keys", end.bytes() - boxes);
        }
    }

    /// Bytes held that other boxes do not hold as well.
    pub(crate) fn bytes_beside(&self, other: &Self) -> usize {
        let shape = if Arc::ptr_eq(&self.layout, &other.layout) {
            self.layout.bytes() + self.girths.len() * size_of::<f32>()
        } else {
            0
        };
        let shape = shape + if Arc::ptr_eq(&self.vertices, &other.vertices) { size_of_val(&*self.vertices) } else { 0 };
        let is_shared = |end: &Arc<End>| Arc::ptr_eq(end, &other.before) || Arc::ptr_eq(end, &other.after);
        let ends = [&self.before, &self.after].into_iter().filter(|end| is_shared(end)).map(|end| end.bytes());
        self.bytes().saturating_sub(shape + ends.sum::<usize>())
    }
}

/// Writes the points of some vertices out of those of `kept`, which ascend.
fn read_kept(points: &[[f32; 4]], kept: &[u32], vertices: &[u32], out: &mut [[f32; 4]]) {
    debug_assert_eq!(points.len(), kept.len(), "points of other vertices");
    // Of most bodies all vertices are in some leaf.
    let are_all = kept.last().is_some_and(|&last| last as usize + 1 == kept.len());
    for (out, vertex) in out.iter_mut().zip(vertices) {
        let place = if are_all { *vertex as usize } else { kept.partition_point(|other| other < vertex) };
        *out = points[place];
    }
}

/// Points that are read at a time, for leaves that are gathered.
const POINTS_READ: usize = 32;

/// An end that is to be written whole, for a number of places and of points: the given one if it is
/// not shared, otherwise the spare one or a new one.
fn writable<'a>(end: &'a mut Arc<End>, spare: &mut Option<Arc<End>>, counts: [usize; 2]) -> &'a mut End {
    if Arc::get_mut(end).is_none() {
        *end = spare.take_if(|spare| Arc::get_mut(spare).is_some()).unwrap_or_default();
    }
    let end = Arc::make_mut(end);
    end.resize(counts);
    end
}

/// The generation of boxes in bytes.
#[cfg(feature = "record")]
pub(super) mod mark {
    use serde::{Deserializer, Serializer};

    use crate::saved::marks;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub(in crate::interval) fn serialize<S: Serializer>(mark: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        marks::serialize(*mark, serializer)
    }

    pub(in crate::interval) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        marks::deserialize(deserializer, super::another)
    }
}

/// A number that was not given before; what it is says nothing.
fn another() -> u64 {
    static GIVEN: AtomicU64 = AtomicU64::new(0);
    GIVEN.fetch_add(1, Ordering::Relaxed)
}

impl Hierarchy for IntervalBoxes {
    fn topology(&self) -> &Topology {
        &self.layout.topology
    }

    /// Holds every vertex below the node at a time between the two keys; times outside count as the
    /// nearer key. O(1).
    fn node_box(&self, node: u32, at: Moment) -> Aabb {
        let place = self.layout.place_of(node);
        let time = at.time().max(self.begin).min(self.end);
        let part = if self.end > self.begin { (time - self.begin) / (self.end - self.begin) } else { 1.0 };
        let side = |lane: usize| {
            let [x, y] = self.boxes_at_ends().map(|boxes| f64::from(boxes[place][lane]));
            sided(interpolate(x, y, part), lane)
        };
        Aabb { min: std::array::from_fn(side), max: std::array::from_fn(|axis| side(axis + 4)) }.inflated(self.slack())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::motion::{Flightplan, KeyLayout};

    /// From one key at 0 s to another at 1 s.
    pub(crate) fn between_keys(first: Vec<[f32; 3]>, second: Vec<[f32; 3]>) -> Motion {
        let count = first.len();
        let plan = Flightplan::keyframes(vec![0.0, 1.0], [first, second].concat());
        Motion::new(plan, count, KeyLayout::KeyMajor).unwrap()
    }

    impl IntervalBoxes {
        /// The boxes from 0 to 1 s.
        pub(crate) fn of_first_second(topology: Topology, motion: &Motion) -> Self {
            let mut boxes = Self::over(topology, motion, 0.0).unwrap();
            boxes.follow(motion, Moment::after(0.0), 1.0).unwrap();
            boxes
        }
    }
}

#[cfg(test)]
mod ahead_tests;
#[cfg(test)]
mod damage_tests;
