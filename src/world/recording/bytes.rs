//! The bytes of baked contacts, little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `KTBC` |
//! | 2, 2 | version; 0 |
//! | 8, 8 | begin and end of the recording, seconds |
//! | | number of bodies; number of pairs of bodies |
//! | | per pair of bodies: its bodies, the number of its intervals, the intervals |
//! | 8 | checksum of all before |
//!
//! Numbers without a size are written seven bits a byte. Times are written by their *rank* among
//! all `f64`, as the distance from the rank of something near: an enclosure is a few ranks wide,
//! and takes a byte.
//!
//! | of an interval | |
//! |---|---|
//! | 1 byte | flags: 1 undecided, 2 goes on, 4 the begin is in doubt, 8 the end is, 16 there are more doubts, 32 the begin is open, 64 the end is |
//! | numbers | the two triangles |
//! | numbers | begin, low end: ranks after that of the interval before (of the recording's begin for the first); ranks to its high end |
//! | numbers | end, unless it goes on: low end, ranks after the begin's low end, folded; ranks to its high end |
//! | numbers | more doubts, if any: how many; each: ranks of its low end after the begin's, folded; ranks to its high end; a byte, 1 if the later stretch counts |

use crate::bytes::{Fingerprint, Reader, folded, of_rank, put_number, rank, unfolded};
use crate::world::contact::span::TimeEnclosure;
use crate::world::recording::{BakedContacts, BakedContactsError, Interval, Pair, RetestTime};

const MAGIC: [u8; 4] = *b"KTBC";
const VERSION: u16 = 1;

const UNDECIDED: u8 = 1;
const GOES_ON: u8 = 2;
const BEGIN_IN_DOUBT: u8 = 4;
const END_IN_DOUBT: u8 = 8;
const MORE_DOUBTS: u8 = 16;
const BEGIN_IS_OPEN: u8 = 32;
const END_IS_OPEN: u8 = 64;

/// The least that an interval takes: flags, triangles, begin.
const LEAST_INTERVAL: usize = 5;

impl BakedContacts {
    /// As bytes; see [`BakedContacts::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + 24 * self.intervals.len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0; 2]);
        out.extend(self.begin.to_le_bytes());
        out.extend(self.end.to_le_bytes());
        put_number(&mut out, u64::from(self.bodies));
        put_number(&mut out, self.pairs.len() as u64);
        for (pair, range) in self.ranges() {
            for number in [u64::from(pair.a), u64::from(pair.b), range.len() as u64] {
                put_number(&mut out, number);
            }
            let mut before = rank(self.begin);
            for place in range {
                let interval = &self.intervals[place];
                interval.put(before, self.doubts_of(place), &mut out);
                before = rank(interval.begin.lo);
            }
        }
        out.extend(Fingerprint::of(&out).to_le_bytes());
        out
    }

    /// Reads what [`BakedContacts::to_bytes`] wrote. O(bytes).
    ///
    /// # Errors
    /// Bytes that are no baked contacts, of another version, too few or too many, changed, or that
    /// contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BakedContactsError> {
        if !bytes.starts_with(&MAGIC[..bytes.len().min(4)]) {
            return Err(BakedContactsError::NotContacts);
        }
        let mut reader = Reader::new(bytes.get(4..).unwrap_or(&[]));
        let version = reader.short().ok_or(BakedContactsError::Length)?;
        if version != VERSION {
            return Err(BakedContactsError::Version { found: version, expected: VERSION });
        }
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(BakedContactsError::Length)?;
        if *sum != Fingerprint::of(body).to_le_bytes() {
            return Err(BakedContactsError::Checksum);
        }
        let mut reader = Reader::new(body.get(6..).ok_or(BakedContactsError::Length)?);
        let mut contacts = read(&mut reader).ok_or(BakedContactsError::Length)?;
        if reader.left() > 0 {
            return Err(BakedContactsError::Length);
        }
        contacts.check()?;
        contacts.index();
        Ok(contacts)
    }

    /// Everything that questions rely on.
    fn check(&self) -> Result<(), BakedContactsError> {
        let is_span = self.begin.is_finite() && self.end.is_finite() && self.begin <= self.end;
        let order = |pair: &[Pair]| (pair[0].a, pair[0].b) < (pair[1].a, pair[1].b);
        let inside = |time: f64| self.begin <= time && time <= self.end;
        let is_interval = |interval: &Interval| {
            let TimeEnclosure { lo, hi, .. } = interval.begin;
            inside(lo) && lo <= hi && interval.end.lo <= interval.end.hi && lo <= interval.end.hi
        };
        let claims = [
            ("its span", is_span),
            ("pairs of bodies", self.pairs.windows(2).all(order)),
            ("a pair of bodies", self.pairs.iter().all(|pair| pair.a <= pair.b && pair.b < self.bodies)),
            ("an interval", self.intervals.iter().all(is_interval)),
            (
                "triangles of one body",
                self.ranges().all(|(pair, range)| {
                    pair.a != pair.b || self.intervals[range].iter().all(|it| it.triangles.0 < it.triangles.1)
                }),
            ),
            ("a doubt", self.doubts.iter().all(|doubt| doubt.time.lo <= doubt.time.hi)),
        ];
        match claims.iter().find(|(_, holds)| !holds) {
            Some(&(what, _)) => Err(BakedContactsError::Inconsistent { what }),
            None => Ok(()),
        }
    }
}

impl From<BakedContacts> for Vec<u8> {
    fn from(contacts: BakedContacts) -> Self {
        contacts.to_bytes()
    }
}

impl TryFrom<Vec<u8>> for BakedContacts {
    type Error = BakedContactsError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, BakedContactsError> {
        Self::from_bytes(&bytes)
    }
}

/// Everything after the version; `None` where it ends too early or a number does not fit.
fn read(reader: &mut Reader<'_>) -> Option<BakedContacts> {
    if reader.short()? != 0 {
        return None;
    }
    let (begin, end) = (reader.double()?, reader.double()?);
    let bodies = reader.index()?;
    let mut contacts = BakedContacts {
        begin,
        end,
        bodies,
        pairs: Vec::new(),
        intervals: Vec::new(),
        latest: Vec::new(),
        doubts: Vec::new(),
    };
    for _ in 0..reader.count(3)? {
        let (a, b) = (reader.index()?, reader.index()?);
        let count = reader.count(LEAST_INTERVAL)?;
        contacts.intervals.reserve(count);
        let (mut before, mut most) = (rank(begin), [0; 2]);
        for _ in 0..count {
            let interval = Interval::read(before, end, reader, &mut contacts.doubts)?;
            before = rank(interval.begin.lo);
            most = [most[0].max(interval.triangles.0), most[1].max(interval.triangles.1)];
            contacts.intervals.push(interval);
        }
        contacts.pairs.push(Pair { a, b, end: u32::try_from(contacts.intervals.len()).ok()?, most });
    }
    Some(contacts)
}

impl Interval {
    fn put(&self, before: u64, doubts: &[RetestTime], out: &mut Vec<u8>) {
        let usual =
            |time: TimeEnclosure| RetestTime { time: TimeEnclosure { is_open: false, ..time }, is_after: false };
        let begin_in_doubt = doubts.first() == Some(&usual(self.begin));
        let rest = &doubts[usize::from(begin_in_doubt)..];
        let end_in_doubt = !self.goes_on && rest.first() == Some(&usual(self.end));
        let rest = &rest[usize::from(end_in_doubt)..];
        let flags = [
            (self.undecided, UNDECIDED),
            (self.goes_on, GOES_ON),
            (begin_in_doubt, BEGIN_IN_DOUBT),
            (end_in_doubt, END_IN_DOUBT),
            (!rest.is_empty(), MORE_DOUBTS),
            (self.begin.is_open, BEGIN_IS_OPEN),
            (!self.goes_on && self.end.is_open, END_IS_OPEN),
        ];
        out.push(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum());
        put_number(out, u64::from(self.triangles.0));
        put_number(out, u64::from(self.triangles.1));
        let begin = rank(self.begin.lo);
        put_number(out, begin - before);
        put_number(out, rank(self.begin.hi) - begin);
        let after_begin = |time: f64| folded(rank(time).wrapping_sub(begin) as i64);
        let width = |time: TimeEnclosure| rank(time.hi) - rank(time.lo);
        if !self.goes_on {
            put_number(out, after_begin(self.end.lo));
            put_number(out, width(self.end));
        }
        if !rest.is_empty() {
            put_number(out, rest.len() as u64);
            for doubt in rest {
                put_number(out, after_begin(doubt.time.lo));
                put_number(out, width(doubt.time));
                out.push(u8::from(doubt.is_after));
            }
        }
    }

    fn read(before: u64, last: f64, reader: &mut Reader<'_>, doubts: &mut Vec<RetestTime>) -> Option<Self> {
        let flags = reader.byte()?;
        if flags >= 2 * END_IS_OPEN || flags & GOES_ON != 0 && flags & (END_IN_DOUBT | END_IS_OPEN) != 0 {
            return None;
        }
        let triangles = (reader.index()?, reader.index()?);
        let first = before.checked_add(reader.number()?)?;
        let enclosure =
            |low: u64, width: u64| Some(TimeEnclosure::closed(of_rank(low), of_rank(low.checked_add(width)?)));
        let mut begin = enclosure(first, reader.number()?)?;
        let goes_on = flags & GOES_ON != 0;
        let mut end = if goes_on {
            TimeEnclosure::exactly(last)
        } else {
            let low = first.wrapping_add(unfolded(reader.number()?) as u64);
            enclosure(low, reader.number()?)?
        };
        for (flag, time) in [(BEGIN_IN_DOUBT, begin), (END_IN_DOUBT, end)] {
            if flags & flag != 0 {
                doubts.push(RetestTime { time, is_after: false });
            }
        }
        if flags & MORE_DOUBTS != 0 {
            for _ in 0..reader.count(3)? {
                let low = first.wrapping_add(unfolded(reader.number()?) as u64);
                let time = enclosure(low, reader.number()?)?;
                let is_after = match reader.byte()? {
                    0 => false,
                    1 => true,
                    _ => return None,
                };
                doubts.push(RetestTime { time, is_after });
            }
        }
        begin.is_open = flags & BEGIN_IS_OPEN != 0;
        end.is_open = flags & END_IS_OPEN != 0;
        let doubts = u32::try_from(doubts.len()).ok()?;
        Some(Self { triangles, begin, end, doubts, goes_on, undecided: flags & UNDECIDED != 0 })
    }
}
