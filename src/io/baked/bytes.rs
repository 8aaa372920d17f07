//! The bytes of a baked scene, little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | `KTBS` |
//! | 2, 2 | version; flags: 1 where there are contacts |
//! | 8, 8 | begin and end, seconds |
//! | 8 | fingerprint of the rules: which pairs are tested, which left out |
//! | | triangles in a leaf; number of bodies (both seven bits a byte) |
//! | | per body: 8 bytes fingerprint; number of bytes of its tree, 0 for none; the tree ([`BakedClip::to_bytes`]) |
//! | | if there are contacts: their number of bytes; the contacts ([`BakedContacts::to_bytes`]) |
//! | 8 | checksum of all before |
//!
//! Trees and contacts carry checksums and versions of their own. Every length is compared with the
//! bytes that are left before anything is allocated.

use super::{BakedScene, BakedSceneError};
use crate::baked::BakedClip;
use crate::bytes::{Fingerprint, Reader, put_number};
use crate::limits;
use crate::world::{BakedContacts, WorldIdentity};

const MAGIC: [u8; 4] = *b"KTBS";
const VERSION: u16 = 1;
const CONTACTS: u16 = 1;

/// The least that a body takes: fingerprint and length.
const LEAST_BODY: usize = 9;

impl BakedScene {
    /// The scene as bytes; see [`BakedScene::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend((if self.contacts.is_some() { CONTACTS } else { 0 }).to_le_bytes());
        out.extend(self.begin.to_le_bytes());
        out.extend(self.end.to_le_bytes());
        out.extend(self.identity.rules.to_le_bytes());
        put_number(&mut out, self.leaf_size as u64);
        put_number(&mut out, self.trees.len() as u64);
        for (fingerprint, tree) in self.identity.bodies.iter().zip(&self.trees) {
            out.extend(fingerprint.to_le_bytes());
            put_part(&mut out, &tree.as_ref().map_or(Vec::new(), BakedClip::to_bytes));
        }
        if let Some(contacts) = &self.contacts {
            put_part(&mut out, &contacts.to_bytes());
        }
        out.extend(Fingerprint::of(&out).to_le_bytes());
        out
    }

    /// Reads what [`BakedScene::to_bytes`] wrote. O(bytes).
    ///
    /// # Errors
    /// Bytes that are no baked scene, of another version, too few or too many, changed, or that
    /// contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BakedSceneError> {
        let too_short = BakedSceneError::Length { found: bytes.len() };
        if !bytes.starts_with(&MAGIC[..bytes.len().min(4)]) {
            return Err(BakedSceneError::NotABakedScene);
        }
        let mut reader = Reader::new(bytes.get(MAGIC.len()..).unwrap_or(&[]));
        let version = reader.short().ok_or(too_short.clone())?;
        if version != VERSION {
            return Err(BakedSceneError::Version { found: version, expected: VERSION });
        }
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or(too_short.clone())?;
        if *sum != Fingerprint::of(body).to_le_bytes() {
            return Err(BakedSceneError::Checksum);
        }
        let mut reader = Reader::new(body.get(MAGIC.len() + 2..).ok_or(too_short.clone())?);
        let parts = Parts::read(&mut reader).ok_or(too_short.clone())?;
        if reader.left() > 0 {
            return Err(too_short);
        }
        parts.check()
    }
}

fn put_part(out: &mut Vec<u8>, part: &[u8]) {
    put_number(out, part.len() as u64);
    out.extend(part);
}

/// The parts of the file as read, before their content is checked.
struct Parts<'a> {
    flags: u16,
    begin: f64,
    end: f64,
    identity: WorldIdentity,
    leaf_size: u64,
    trees: Vec<&'a [u8]>,
    contacts: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    fn read(reader: &mut Reader<'a>) -> Option<Self> {
        let flags = reader.short()?;
        let (begin, end, rules) = (reader.double()?, reader.double()?, reader.long()?);
        let leaf_size = reader.number()?;
        let (mut trees, mut bodies) = (Vec::new(), Vec::new());
        let part = |reader: &mut Reader<'a>| {
            let length = reader.count(1)?;
            reader.take(length)
        };
        for _ in 0..reader.count(LEAST_BODY)? {
            bodies.push(reader.long()?);
            trees.push(part(reader)?);
        }
        let contacts = if flags & CONTACTS != 0 { Some(part(reader)?) } else { None };
        Some(Self { flags, begin, end, identity: WorldIdentity { bodies, rules }, leaf_size, trees, contacts })
    }

    fn check(self) -> Result<BakedScene, BakedSceneError> {
        let inconsistent = |what| Err(BakedSceneError::Inconsistent { what });
        let (begin, end) = (self.begin, self.end);
        if self.flags & !CONTACTS != 0 {
            return inconsistent("flags");
        }
        if !(begin < end && (end - begin).is_finite()) {
            return inconsistent("its span");
        }
        let Ok(leaf_size @ 1..=limits::MAX_LEAF_SIZE) = usize::try_from(self.leaf_size) else {
            return inconsistent("triangles in a leaf");
        };
        let mut trees = Vec::with_capacity(self.trees.len());
        for (number, bytes) in self.trees.into_iter().enumerate() {
            if bytes.is_empty() {
                trees.push(None);
                continue;
            }
            let body = format!("number {}", number + 1);
            let clip = BakedClip::from_bytes(bytes).map_err(|error| BakedSceneError::Tree { body, error })?;
            if (clip.begin(), clip.end()) != (begin, end) {
                return inconsistent("the span of a tree");
            }
            trees.push(Some(clip));
        }
        let contacts = self.contacts.map(BakedContacts::from_bytes).transpose()?;
        if contacts.as_ref().is_some_and(|contacts| (contacts.begin(), contacts.end()) != (begin, end)) {
            return inconsistent("the span of the contacts");
        }
        Ok(BakedScene { begin, end, identity: self.identity, leaf_size, trees, contacts })
    }
}
