//! The bytes of a baked clip, little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `KTBK` |
//! | 2, 2 | version; flags: 1 where events are stamped |
//! | 8, 8 | fingerprints of topology and motion |
//! | 4 each | winners, points, buckets, words, sync points; 0 |
//! | 8 each | times: buckets and one more |
//! | 4 each | starts: buckets and one more |
//! | 4 each | words |
//! | 8 each | stamps, if any |
//! | 4 each | sync points |
//! | 2 each | cells of each sync point: 16 bits of each winner, six a node; then the upper 16 where there are more than 2¹⁶ points |
//! | 8 | checksum of all before |
//!
//! Lengths are compared with the number of bytes before anything is allocated.

use super::{BakeError, BakedClip, cell_count};
use crate::bytes::{Fingerprint, Reader};

const MAGIC: [u8; 4] = *b"KTBK";
/// Version 1 had 32-bit cells for winners, eight a node.
const VERSION: u16 = 2;
const HEADER: usize = 48;
const STAMPED: u16 = 1;

impl BakedClip {
    /// Writes the clip as bytes; see [`BakedClip::from_bytes`].
    ///
    /// ```
    /// use kinetree::{BakeFormat, BakedClip, BodyDef, Flightplan, Mesh, Span, World, WorldDef};
    ///
    /// let mut world = World::new(WorldDef::new())?;
    /// let plan = Flightplan::keyframes(vec![0.0, 1.0], vec![[0.0; 3], [1.0, 0.0, 0.0]]);
    /// let body = world.add_body(BodyDef::new(Mesh::points(1)?, plan))?;
    /// let clip = world.bake(body, Span { begin: 0.0, end: 1.0 }, BakeFormat::Stamped, 0)?; // Seconds.
    /// assert_eq!(BakedClip::from_bytes(&clip.to_bytes())?.end(), clip.end());
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER + self.size() + 8);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend((if self.stamps.is_empty() { 0 } else { STAMPED }).to_le_bytes());
        out.extend(self.topology.to_le_bytes());
        out.extend(self.motion.to_le_bytes());
        let counts = [self.winners, self.points, self.bucket_count() as u32, self.words.len() as u32];
        out.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
        out.extend((self.syncs.len() as u32).to_le_bytes());
        out.extend([0; 4]);
        out.extend(self.times.iter().flat_map(|time| time.to_le_bytes()));
        out.extend(self.starts.iter().chain(&self.words).flat_map(|word| word.to_le_bytes()));
        out.extend(self.stamps.iter().flat_map(|time| time.to_le_bytes()));
        out.extend(self.syncs.iter().flat_map(|word| word.to_le_bytes()));
        out.extend(self.sync_cells.iter().flat_map(|cell| cell.to_le_bytes()));
        out.extend(Fingerprint::of(&out).to_le_bytes());
        out
    }

    /// Reads the bytes written by [`BakedClip::to_bytes`]. O(bytes).
    ///
    /// # Errors
    /// Bytes of another format or version, too few or too many bytes, a wrong checksum, or
    /// contradictory values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BakeError> {
        if !bytes.starts_with(&MAGIC[..bytes.len().min(4)]) {
            return Err(BakeError::NotAClip);
        }
        let too_short = BakeError::Length { expected: HEADER as u64 + 8, found: bytes.len() as u64 };
        if bytes.len() < HEADER + 8 {
            return Err(too_short);
        }
        let mut reader = Reader::new(&bytes[MAGIC.len()..]);
        let (Some(version), Some(flags)) = (reader.short(), reader.short()) else { return Err(too_short) };
        if version != VERSION {
            return Err(BakeError::Version { found: version, expected: VERSION });
        }
        let ([Some(topology), Some(motion)], Some(counts)) = ([(); 2].map(|()| reader.long()), reader.words(6)) else {
            return Err(too_short);
        };
        let [winners, points, buckets, words, syncs, zero] = counts[..] else { return Err(too_short) };
        let is_stamped = flags & STAMPED != 0;
        // At most 2³² each, so nothing overflows.
        let [b, n, s] = [buckets, words, syncs].map(u128::from);
        let cells = cell_count(winners, points);
        let stamps = if is_stamped { n } else { 0 };
        let expected = HEADER as u128 + 12 * (b + 1) + 4 * n + 8 * stamps + s * (4 + 2 * u128::from(cells)) + 8;
        if expected != bytes.len() as u128 {
            let expected = u64::try_from(expected).unwrap_or(u64::MAX);
            return Err(BakeError::Length { expected, found: bytes.len() as u64 });
        }
        if bytes[bytes.len() - 8..] != Fingerprint::of(&bytes[..bytes.len() - 8]).to_le_bytes() {
            return Err(BakeError::Checksum);
        }
        let mut read = || {
            Some(Self {
                topology,
                motion,
                winners,
                points,
                times: reader.doubles(buckets as usize + 1)?,
                starts: reader.words(buckets as usize + 1)?,
                words: reader.words(words as usize)?,
                stamps: reader.doubles(if is_stamped { words as usize } else { 0 })?,
                syncs: reader.words(syncs as usize)?,
                sync_cells: (0..syncs as usize * cells as usize).map(|_| reader.short()).collect::<Option<_>>()?,
            })
        };
        let clip = read().ok_or(too_short)?;
        if flags & !STAMPED != 0 || zero != 0 {
            return Err(BakeError::Inconsistent { what: "flags" });
        }
        clip.check()?;
        Ok(clip)
    }

    /// The winners at all sync points.
    fn sync_winners(&self) -> impl Iterator<Item = u32> {
        let (winners, cells) = (self.winners as usize, self.cell_count() as usize);
        self.sync_cells.chunks(cells).flat_map(move |cells| {
            let upper = move |winner: usize| cells.get(winners + winner).map_or(0, |&upper| u32::from(upper) << 16);
            (0..winners).map(move |winner| upper(winner) | u32::from(cells[winner]))
        })
    }

    /// Checks all assumptions of replay.
    fn check(&self) -> Result<(), BakeError> {
        let claims = [
            ("no bucket", self.starts.len() > 1),
            ("times", self.times.windows(2).all(|pair| pair[0] < pair[1]) && self.times.iter().all(|t| t.is_finite())),
            ("starts", self.starts[0] == 0 && self.starts.is_sorted()),
            ("last start", self.starts.last().is_some_and(|&last| last as usize == self.words.len())),
            ("sync points", self.syncs.first() == Some(&0) && self.syncs.windows(2).all(|pair| pair[0] < pair[1])),
            ("last sync point", self.syncs.last().is_some_and(|&sync| (sync as usize) < self.starts.len())),
            ("winners", self.winners > 0 && self.points > 0 && self.sync_winners().all(|winner| winner < self.points)),
        ];
        if let Some(&(what, _)) = claims.iter().find(|(_, holds)| !holds) {
            return Err(BakeError::Inconsistent { what });
        }
        let cells = self.cell_count();
        for range in self.starts.windows(2) {
            let words = &self.words[range[0] as usize..range[1] as usize];
            if words.iter().map(|word| u64::from(word >> 16)).sum::<u64>() >= cells {
                return Err(BakeError::Inconsistent { what: "an event's place" });
            }
        }
        Ok(())
    }
}

impl From<BakedClip> for Vec<u8> {
    fn from(clip: BakedClip) -> Self {
        clip.to_bytes()
    }
}

impl TryFrom<Vec<u8>> for BakedClip {
    type Error = BakeError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, BakeError> {
        Self::from_bytes(&bytes)
    }
}
