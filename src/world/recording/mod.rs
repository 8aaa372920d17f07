//! Baked contacts: from when to when every pair of triangles touches, over a stretch of a world's
//! time, to be stored and asked at any time of it, forwards, backwards and at random.
//!
//! | file | does |
//! |---|---|
//! | `record` | runs a world and takes down its contacts |
//! | `at` | what touches at a time |
//! | `bytes` | what is stored |
//! | `below` | the same at a time without baked contacts: exact tests below the leaves of given trees |
//! | `identity` | which world it was, in a few numbers |
//!
//! Maintains: the intervals of a pair of bodies are sorted by begin; beside each interval stands
//! the latest end in the part of the list that it is the middle of, so that the list is an interval
//! tree without links (Cormen et al., "Introduction to Algorithms", chapter on augmenting data
//! structures; they keep it in a red-black tree).
//!
//! Exactness: ends are enclosures rounded outward. Where the world decides by an exact test whether
//! a contact is on at a time inside an enclosure, that is noted as a *doubt*, and the same test is
//! made for a query; for that the bodies' motion is needed again. The answer is that of
//! [`World::contacts`] at that time, also at the very time of a jump (see
//! [`crate::time::Side`]); what is undecided counts.
//!
//! Cost: O(log intervals + contacts) per pair of bodies and question; about 20 bytes per interval
//! stored, 56 held.

mod at;
#[cfg(feature = "io")]
mod below;
mod bytes;
mod error;
mod identity;
mod record;

pub use error::BakedContactsError;
#[cfg(feature = "io")]
pub(crate) use identity::IdentityFrame;
pub use identity::WorldIdentity;

#[cfg(doc)]
use crate::world::World;
use crate::world::contact::span::TimeEnclosure;

/// One pair of triangles in contact from a time to another; bodies by their places in the world
/// ([`World::bodies`]).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BakedInterval {
    /// The place of the first body.
    pub a: u32,
    /// The place of the second, not before the first.
    pub b: u32,
    /// A triangle of the first body.
    pub triangle_a: u32,
    /// A triangle of the second body.
    pub triangle_b: u32,
    /// When the contact began; at the recording's begin if it was on then. Open if a jump brought
    /// it about.
    pub begin: TimeEnclosure,
    /// When it ended; the recording's end if it goes on.
    pub end: TimeEnclosure,
    /// Whether it was still on when the recording ended.
    pub goes_on: bool,
    /// Contact is assumed because it could not be decided.
    pub undecided: bool,
}

/// All contacts of a world from one time to another. See the module's text.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Vec<u8>", into = "Vec<u8>")
)]
pub struct BakedContacts {
    begin: f64,
    end: f64,
    /// Bodies of the world.
    bodies: u32,
    pairs: Vec<Pair>,
    intervals: Vec<Interval>,
    /// Per interval, the latest end in its part of the list, seconds; made when read.
    latest: Vec<f64>,
    doubts: Vec<RetestTime>,
}

/// The intervals of two bodies, or of one with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    a: u32,
    b: u32,
    /// Where its intervals end; they begin where those of the pair before end.
    end: u32,
    /// Largest numbers of triangles.
    most: [u32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    triangles: (u32, u32),
    begin: TimeEnclosure,
    end: TimeEnclosure,
    /// Where its doubts end; they begin where those of the interval before end.
    doubts: u32,
    goes_on: bool,
    undecided: bool,
}

/// A stretch of time in which an exact test says whether a contact is on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RetestTime {
    time: TimeEnclosure,
    /// Whether, of two linear stretches that meet at its begin, the later one counts.
    is_after: bool,
}

impl BakedContacts {
    /// First time, seconds.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// Last time, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// How many intervals there are.
    pub fn len(&self) -> usize {
        self.intervals.len()
    }

    /// Whether nothing ever touched.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// All intervals, by pair of bodies and begin.
    pub fn intervals(&self) -> impl Iterator<Item = BakedInterval> {
        self.ranges().flat_map(|(pair, range)| self.intervals[range].iter().map(move |interval| interval.of(pair)))
    }

    /// Bytes held.
    pub fn size(&self) -> usize {
        size_of_val(&self.intervals[..])
            + size_of_val(&self.latest[..])
            + size_of_val(&self.doubts[..])
            + size_of_val(&self.pairs[..])
    }

    /// Pairs of bodies and where their intervals lie.
    fn ranges(&self) -> impl Iterator<Item = (&Pair, std::ops::Range<usize>)> {
        let begins = std::iter::once(0).chain(self.pairs.iter().map(|pair| pair.end as usize));
        self.pairs.iter().zip(begins).map(|(pair, begin)| (pair, begin..pair.end as usize))
    }

    /// Where the doubts of an interval lie.
    fn doubts_of(&self, place: usize) -> &[RetestTime] {
        let begin = if place == 0 { 0 } else { self.intervals[place - 1].doubts as usize };
        &self.doubts[begin..self.intervals[place].doubts as usize]
    }

    /// Finds the latest ends.
    fn index(&mut self) {
        self.latest = self.intervals.iter().map(|interval| interval.end.hi).collect();
        let ranges: Vec<_> = self.ranges().map(|(_, range)| range).collect();
        ranges.into_iter().for_each(|range| {
            spread(&mut self.latest[range]);
        });
    }
}

/// Makes every entry the largest of the part of the list it is the middle of; returns the largest
/// of all.
fn spread(ends: &mut [f64]) -> f64 {
    if ends.is_empty() {
        return f64::NEG_INFINITY;
    }
    let middle = ends.len() / 2;
    let (left, right) = ends.split_at_mut(middle);
    let latest = spread(left).max(spread(&mut right[1..])).max(right[0]);
    right[0] = latest;
    latest
}

impl Interval {
    fn of(&self, pair: &Pair) -> BakedInterval {
        BakedInterval {
            a: pair.a,
            b: pair.b,
            triangle_a: self.triangles.0,
            triangle_b: self.triangles.1,
            begin: self.begin,
            end: self.end,
            goes_on: self.goes_on,
            undecided: self.undecided,
        }
    }

    fn contains(&self, time: f64) -> bool {
        self.begin.begins_by(time) && self.end.ends_from(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::motion::Flightplan;
    use crate::world::{BodyDef, ContactMode, World, WorldDef};

    /// A triangle that dips into the floor, and its contacts.
    fn dip() -> (World, BakedContacts) {
        let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous)).unwrap();
        let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
        let floor = Flightplan::fixed(vec![[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]]);
        let keys = [1.0, -0.5, 1.0].map(at).concat();
        for plan in [floor, Flightplan::keyframes(vec![0.0, 1.0, 2.0], keys)] {
            world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        }
        let baked = BakedContacts::record(&mut world, 2.0).unwrap();
        assert_eq!((baked.len(), baked.pairs.len()), (1, 1));
        (world, baked)
    }

    #[test]
    fn the_size_is_that_of_all_parts() {
        let (_, baked) = dip();
        assert!(!baked.doubts.is_empty());
        let parts = [size_of::<Interval>() + size_of::<f64>(), baked.doubts.len() * size_of::<RetestTime>()];
        assert_eq!(baked.size(), parts.iter().sum::<usize>() + size_of::<Pair>());
    }

    #[test]
    fn a_contact_in_two_intervals_of_one_time_is_told_once() {
        let (world, mut baked) = dip();
        baked.intervals.push(Interval { doubts: baked.doubts.len() as u32, ..baked.intervals[0] });
        baked.pairs[0].end = 2;
        let read = BakedContacts::from_bytes(&baked.to_bytes()).unwrap();
        assert_eq!((read.len(), read.contacts_at(1.0, &world).unwrap().len()), (2, 1));
    }

    #[test]
    fn a_pair_of_bodies_that_comes_twice_is_refused() {
        let (_, mut baked) = dip();
        baked.intervals.push(Interval { doubts: baked.doubts.len() as u32, ..baked.intervals[0] });
        baked.pairs.push(Pair { end: 2, ..baked.pairs[0] });
        let refused = BakedContactsError::Inconsistent { what: "pairs of bodies" };
        assert_eq!(BakedContacts::from_bytes(&baked.to_bytes()), Err(refused));
    }

    #[test]
    fn a_doubt_of_one_time_alone_is_read() {
        let (_, mut baked) = dip();
        baked.doubts[0].time = TimeEnclosure::exactly(1.0);
        assert_eq!(BakedContacts::from_bytes(&baked.to_bytes()), Ok(baked));
    }
}
