//! What touches at a time.

use std::collections::BTreeSet;

use crate::id::BodyId;
use crate::motion::Piece;
use crate::narrow::ContactRule;
use crate::narrow::intervals::MovingTriangle;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::Body;
use crate::world::contact::Contact;
use crate::world::contact::enclosure_tests::Course;
use crate::world::contact::linear_window::LinearWindow;
use crate::world::recording::{BakedContacts, BakedContactsError, Pair, RetestTime};
use crate::world::rule::PairRule;
use crate::world::rule::spheres::Solid;

impl BakedContacts {
    /// Checks that these may be contacts of this world. Compares numbers of bodies and triangles.
    /// O(pairs of bodies).
    ///
    /// # Errors
    /// [`BakedContactsError::OtherWorld`].
    pub fn fit(&self, world: &World) -> Result<(), BakedContactsError> {
        let other = |what| BakedContactsError::OtherWorld { what };
        let ids: Vec<BodyId> = world.bodies().collect();
        if ids.len() != self.bodies as usize {
            return Err(other("the number of bodies"));
        }
        let has = |body: u32, triangle: u32| {
            let body = world.bodies.get(ids[body as usize]);
            body.is_some_and(|body| (triangle as usize) < body.shape.mesh.triangles().len())
        };
        let fits = self.pairs.iter().all(|pair| has(pair.a, pair.most[0]) && has(pair.b, pair.most[1]));
        if fits { Ok(()) } else { Err(other("the number of triangles")) }
    }

    /// All pairs of triangles that touch at a time, sorted: what [`World::contacts`] of the
    /// recorded world says there.
    ///
    /// `world` is one with the same bodies, motions and rules, whatever its engine and clock; it
    /// decides what only an exact test can tell. O(log intervals + contacts) per pair of bodies.
    ///
    /// # Errors
    /// A time outside the recording, a world with other bodies.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::BakedContacts;
    ///
    /// let bytes = BakedContacts::record(&mut world, 2.0)?.to_bytes();
    /// let baked = BakedContacts::from_bytes(&bytes)?;
    /// let again = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs")).0;
    /// assert_eq!(baked.contacts_at(1.0, &again)?.len(), 1);
    /// assert_eq!(baked.contacts_at(0.5, &again)?.len(), 0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn contacts_at(&self, time: f64, world: &World) -> Result<Vec<Contact>, BakedContactsError> {
        if !(self.begin <= time && time <= self.end) {
            return Err(BakedContactsError::NoSuchTime { time, begin: self.begin, end: self.end });
        }
        self.fit(world)?;
        let ids: Vec<BodyId> = world.bodies().collect();
        let (mut contacts, mut places) = (Vec::new(), Vec::new());
        for (pair, range) in self.ranges() {
            places.clear();
            self.gather(time, range, &mut places);
            let (a, b) = (ids[pair.a as usize], ids[pair.b as usize]);
            for &place in &places {
                let (triangle_a, triangle_b) = self.intervals[place].triangles;
                let contact = Contact { a, b, triangle_a, triangle_b };
                let mut doubts = self.doubts_of(place).iter().filter(|doubt| doubt.contains(time)).peekable();
                if doubts.peek().is_none() || doubts.any(|doubt| doubt.decide(contact, pair, world, time)) {
                    contacts.push(contact);
                }
            }
        }
        contacts.sort_unstable();
        contacts.dedup();
        Ok(contacts)
    }

    /// Places of the intervals that contain a time.
    fn gather(&self, time: f64, range: std::ops::Range<usize>, found: &mut Vec<usize>) {
        let mut stack = vec![range];
        while let Some(range) = stack.pop() {
            if range.is_empty() {
                continue;
            }
            let middle = range.start + range.len() / 2;
            if self.latest[middle] < time {
                continue;
            }
            stack.push(range.start..middle);
            if self.intervals[middle].begin.lo <= time {
                if self.intervals[middle].contains(time) {
                    found.push(middle);
                }
                stack.push(middle + 1..range.end);
            }
        }
    }
}

impl RetestTime {
    fn contains(&self, time: f64) -> bool {
        self.time.lo <= time && time <= self.time.hi
    }

    /// Whether two triangles touch at a time inside the doubt, exactly.
    fn decide(&self, contact: Contact, pair: &Pair, world: &World, time: f64) -> bool {
        let (Some(a), Some(b)) = (world.bodies.get(contact.a), world.bodies.get(contact.b)) else { return true };
        if a.is_of_spheres() || b.is_of_spheres() {
            // Only corners are tested below, and those of a sphere are not the sphere: a time
            // inside an end counts as contact.
            return true;
        }
        let distance = world.pairs.rules.distance(contact.a.index(), contact.b.index(), &world.bodies);
        let nothing = BTreeSet::new();
        let rule = PairRule::new(pair.a == pair.b, a.surface(), distance, &nothing);
        // A stretch of some length lies in the window that begins no later.
        let is_after = self.is_after || self.time.lo < self.time.hi;
        let at = if is_after { Moment::after(self.time.lo) } else { Moment::at(self.time.lo) };
        let pieces =
            [(a, contact.triangle_a), (b, contact.triangle_b)].map(|(body, triangle)| pieces(body, triangle, at, time));
        let moving = || pieces.as_flattened().iter().flatten().filter(|piece| !piece.is_still());
        let place = |side: usize, of: fn(&Piece) -> f64| pieces[side].map(|corner| corner.map(|piece| of(&piece)));
        let Some(first) = moving().next() else {
            let corners = [0, 1].map(|side| place(side, |piece| piece.at_begin));
            return rule.touch((contact.triangle_a, &corners[0]), (contact.triangle_b, &corners[1]));
        };
        if moving().any(|piece| (piece.begin, piece.end) != (first.begin, first.end) || piece.is_curved()) {
            // No common window: such contacts have no doubts but in a forged file.
            return true;
        }
        let triangle = |side: usize| {
            Solid::Triangle(MovingTriangle {
                begin: place(side, |piece| piece.at_begin),
                end: place(side, |piece| piece.at_end),
            })
        };
        let window = LinearWindow { begin: first.begin, end: first.end };
        let common = rule.neighbours_at(contact.triangle_a, contact.triangle_b);
        Course { first: triangle(0), second: triangle(1), window, distance: rule.distance(), common }.touch(time)
    }
}

/// The pieces of a triangle's corners around a moment, those that begin or end at `time` as resting
/// there.
fn pieces(body: &Body, triangle: u32, at: Moment, time: f64) -> [[Piece; 3]; 3] {
    body.shape.mesh.triangles()[triangle as usize].map(|vertex| {
        std::array::from_fn(|axis| {
            let piece = body.motion.piece(vertex, axis, at);
            if time <= piece.begin || time >= piece.end {
                Piece::constant(piece.begin, piece.end, piece.at(time))
            } else {
                piece
            }
        })
    })
}
