//! What touches at a time.

use std::collections::BTreeSet;

use crate::id::BodyId;
use crate::motion::{Piece, SpherePiece};
use crate::narrow::ContactRule;
use crate::narrow::intervals::MovingTriangle;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::Body;
use crate::world::contact::Contact;
use crate::world::contact::enclosure_tests::Course;
use crate::world::contact::linear_window::LinearWindow;
use crate::world::recording::{BakedContacts, BakedContactsError, Pair, RetestTime};
use crate::world::rule::spheres::Solid;
use crate::world::rule::{Common, PairRule};

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
        let distance = world.pairs.rules.distance(contact.a.index(), contact.b.index(), &world.bodies);
        let nothing = BTreeSet::new();
        let rule = PairRule::new(pair.a == pair.b, a.surface(), distance, &nothing);
        // A stretch of some length lies in the window that begins no later.
        let is_after = self.is_after || self.time.lo < self.time.hi;
        let at = if is_after { Moment::after(self.time.lo) } else { Moment::at(self.time.lo) };
        let [first, second] = [(a, contact.triangle_a), (b, contact.triangle_b)]
            .map(|(body, number)| Primitive::of(body, number, at, time));
        let mut windows = first.windows().chain(second.windows());
        let Some((begin, end, is_curved)) = windows.next() else {
            if let (Primitive::Triangle(p), Primitive::Triangle(q)) = (&first, &second) {
                return rule.touch((contact.triangle_a, &begins_of(p)), (contact.triangle_b, &begins_of(q)));
            }
            return Self::course(&first, &second, (time, time + 1.0), distance, None).touch(time);
        };
        if is_curved || windows.any(|other| other != (begin, end, false)) {
            // No common window: such contacts have no doubts but in a forged file.
            return true;
        }
        let common = rule.neighbours_at(contact.triangle_a, contact.triangle_b);
        Self::course(&first, &second, (begin, end), distance, common).touch(time)
    }

    fn course(
        first: &Primitive,
        second: &Primitive,
        (begin, end): (f64, f64),
        distance: f64,
        common: Option<Common>,
    ) -> Course {
        let solid = |primitive: &Primitive| primitive.over((begin, end));
        Course { first: solid(first), second: solid(second), window: LinearWindow { begin, end }, distance, common }
    }
}

/// A triangle or a sphere of a body around a moment.
enum Primitive {
    Triangle(Box<[[Piece; 3]; 3]>),
    Sphere(SpherePiece),
}

impl Primitive {
    /// What begins or ends at `time` rests there.
    fn of(body: &Body, number: u32, at: Moment, time: f64) -> Self {
        let Some(spheres) = body.spheres_at(at) else {
            return Self::Triangle(Box::new(pieces(body, number, at, time)));
        };
        let mut piece = spheres.piece(number);
        if time <= piece.begin || time >= piece.end {
            (piece.at_begin, piece.at_end) = (piece.at(time), piece.at(time));
        }
        Self::Sphere(piece)
    }

    /// Begin and end of each part that moves, and whether its path is curved.
    fn windows(&self) -> impl Iterator<Item = (f64, f64, bool)> {
        let (corners, sphere): (&[Piece], _) = match self {
            Self::Triangle(corners) => (corners.as_flattened(), None),
            Self::Sphere(piece) => (&[], Some(piece)),
        };
        let of_corners = corners.iter().filter(|piece| !piece.is_still());
        let of_sphere = sphere.into_iter().filter(|piece| !piece.is_still());
        of_corners
            .map(|piece| (piece.begin, piece.end, piece.is_curved()))
            .chain(of_sphere.map(|piece| (piece.begin, piece.end, false)))
    }

    /// Over the window that its parts have in common.
    fn over(&self, window: (f64, f64)) -> Solid {
        match self {
            Self::Triangle(corners) => {
                let place = |of: fn(&Piece) -> f64| corners.map(|corner| corner.map(|piece| of(&piece)));
                Solid::Triangle(MovingTriangle {
                    begin: place(|piece| piece.at_begin),
                    end: place(|piece| piece.at_end),
                })
            }
            Self::Sphere(piece) => Solid::of_sphere(piece, window),
        }
    }
}

/// Where the corners of a triangle are when their pieces begin, metres.
fn begins_of(corners: &[[Piece; 3]; 3]) -> [[f64; 3]; 3] {
    corners.map(|corner| corner.map(|piece| piece.at_begin))
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
